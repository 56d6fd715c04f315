//! Managing the certificate authority: listing, signing, revoking, cleaning.
//!
//! Responses: `certificate_authority_core.clj` of puppetserver 7.9.5; those of `sign`: of OpenVox's server 8.

use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::Value;
use serde_json::json;

use super::agent_request::AgentRequest;
use crate::config::Event;
use crate::running::ServerState;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityError;
use catwalk_authority::Refusal;
use catwalk_authority::State;
use catwalk_http::Answer;
use catwalk_http::JSON;
use catwalk_http::TEXT;
use catwalk_world::excerpt;

/// A response, or one that refuses the request.
type Outcome = Result<Answer, Answer>;

fn authority(state: &ServerState) -> Result<&Authority, Answer> {
    let message = "This server is not a certificate authority: use the one that issued its certificate.";
    state.authority.as_ref().ok_or_else(|| Answer::text(StatusCode::NOT_FOUND, message))
}

/// The response if the authority failed.
fn failed(state: &ServerState, error: &AuthorityError) -> Answer {
    state.log(&Event::Problem(error.to_string()));
    Answer::text(StatusCode::INTERNAL_SERVER_ERROR, format!("Internal Server Error: {error}"))
}

fn not_found() -> Answer {
    Answer::new(StatusCode::NOT_FOUND, JSON, "Resource not found.")
}

fn document(document: &Value) -> Answer {
    Answer::ok(JSON, document.to_string())
}

/// The formats of states, which are all JSON.
fn check_accept(request: &AgentRequest) -> Result<(), Answer> {
    const TYPES: [&str; 4] = ["application/json", "text/pson", "pson", "*/*"];
    match request.accepts(&TYPES) {
        true => Ok(()),
        false => Err(Answer::text(StatusCode::NOT_ACCEPTABLE, "No acceptable resource available.")),
    }
}

/// `GET /puppet-ca/v1/certificate_status/NAME`
pub(super) fn status(state: &ServerState, name: &str, request: &AgentRequest) -> Outcome {
    check_accept(request)?;
    let status = authority(state)?.status(name).map_err(|error| failed(state, &error))?;
    Ok(status.map_or_else(not_found, |status| document(&status.document)))
}

/// `GET /puppet-ca/v1/certificate_statuses/ANY?state=STATE`
pub(super) fn statuses(state: &ServerState, request: &AgentRequest) -> Outcome {
    check_accept(request)?;
    let wanted = request.parameters.get("state").and_then(State::named);
    let (found, unreadable) = authority(state)?.statuses(wanted).map_err(|error| failed(state, &error))?;
    for why in unreadable {
        state.log(&Event::Problem(why.to_string()));
    }
    Ok(document(&Value::Array(found.into_iter().map(|status| status.document).collect())))
}

/// The body of a request that sets a state: whether to sign, and how long the certificate is valid, in seconds.
fn desired_state(name: &str, body: &[u8]) -> Result<(bool, Option<u64>), String> {
    let body: Value = serde_json::from_slice(body).map_err(|_| "Request body is not JSON.".to_owned())?;
    let desired = body.get("desired_state").and_then(Value::as_str);
    let is_signed = match desired.ok_or_else(|| "Missing required parameter \"desired_state\"".to_owned())? {
        "signed" => true,
        "revoked" => false,
        other => {
            return Err(format!(
                "State {other} invalid; Must specify desired state of 'signed' or 'revoked' for host {name}."
            ));
        }
    };
    match body.get("cert_ttl") {
        None | Some(Value::Null | Value::Bool(false)) => Ok((is_signed, None)),
        Some(ttl) => match ttl.as_u64() {
            Some(ttl) => Ok((is_signed, Some(ttl))),
            None => {
                let shown = ttl.as_str().map_or_else(|| ttl.to_string(), str::to_owned);
                Err(format!("cert_ttl specified for host {name} must be an integer, not \"{shown}\""))
            }
        },
    }
}

/// `PUT /puppet-ca/v1/certificate_status/NAME`
pub(super) fn set_status(state: &ServerState, name: &str, request: &AgentRequest) -> Outcome {
    let authority = authority(state)?;
    if !matches!(request.content_type.as_deref(), None | Some("application/json" | "text/pson" | "pson")) {
        return Err(Answer::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type."));
    }
    let (is_signed, ttl) =
        desired_state(name, &request.body).map_err(|message| Answer::text(StatusCode::BAD_REQUEST, message))?;
    if authority.certificate(name).is_none() && authority.request(name).is_none() {
        return Err(Answer::text(StatusCode::NOT_FOUND, "Invalid certificate subject."));
    }
    let done = match is_signed {
        true => authority.sign_named(name, ttl),
        false => authority.revoke(&[name.to_owned()]).map(|_| ()),
    };
    let certname = name.to_owned();
    match done {
        Ok(()) if is_signed => state.log(&Event::Signed { certname }),
        Ok(()) => {
            state.log(&Event::Revoked { certname, is_removed: false });
            state.read_changed_files();
        }
        Err(Refusal::Request(message) | Refusal::Missing(message)) => {
            if is_signed {
                state.log(&Event::NotSigned { certname, reason: excerpt(&message).into_owned() });
            }
            return Err(Answer::text(StatusCode::CONFLICT, message));
        }
        Err(Refusal::Full(_)) => return Err(Answer::text(StatusCode::CONFLICT, "Too many requests wait.")),
        Err(Refusal::Authority(error)) => return Err(failed(state, &error)),
    }
    Ok(Answer::new(StatusCode::NO_CONTENT, TEXT, Bytes::new()))
}

/// `DELETE /puppet-ca/v1/certificate_status/NAME`
pub(super) fn delete(state: &ServerState, name: &str) -> Outcome {
    match authority(state)?.delete(name).map_err(|error| failed(state, &error))? {
        true => {
            state.log(&Event::Revoked { certname: name.to_owned(), is_removed: true });
            Ok(Answer::new(StatusCode::NO_CONTENT, JSON, Bytes::new()))
        }
        false => Ok(not_found()),
    }
}

/// The member `certnames` of a body. `None`: it is missing, or not a list of strings.
fn certnames(body: &Value) -> Option<Vec<String>> {
    body.get("certnames")?.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

/// `PUT /puppet-ca/v1/clean`
pub(super) fn clean(state: &ServerState, request: &AgentRequest) -> Outcome {
    let authority = authority(state)?;
    let refused = |message: &str| Answer::new(StatusCode::BAD_REQUEST, TEXT, message.to_owned());
    let body: Value = serde_json::from_slice(&request.body).map_err(|_| refused("Request body is not JSON."))?;
    if body.get("async") == Some(&Value::Bool(true)) {
        return Err(refused("Async mode is not currently supported."));
    }
    let message = "Missing required key: 'certnames'. Please supply the list of certs you want to clean.";
    let names = certnames(&body).ok_or_else(|| refused(message))?;
    let missing = match authority.clean(&names) {
        Ok(missing) => missing,
        Err(Refusal::Authority(error)) => return Err(failed(state, &error)),
        Err(Refusal::Request(why) | Refusal::Missing(why)) => return Err(refused(&why)),
        Err(Refusal::Full(_)) => return Err(refused("Too many requests wait.")),
    };
    for certname in names.into_iter().filter(|name| !missing.contains(name)) {
        state.log(&Event::Revoked { certname, is_removed: true });
    }
    state.read_changed_files();
    let text = match missing.is_empty() {
        true => "Successfully cleaned all certs.".to_owned(),
        false => {
            let names: Vec<String> = missing.iter().map(|name| json!(name).to_string()).collect();
            format!("The following certs do not exist and cannot be revoked: [{}]", names.join(" "))
        }
    };
    Ok(Answer::ok(TEXT, text))
}

/// `POST /puppet-ca/v1/sign`
pub(super) fn sign(state: &ServerState, request: &AgentRequest) -> Outcome {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    match certnames(&body) {
        Some(names) => sign_several(state, Some(&names)),
        None => {
            let submitted = body.get("certnames").cloned().unwrap_or_default();
            let body = json!({ "kind": "schema-violation", "submitted": submitted, "error": "certnames is not a list of names" });
            Ok(Answer::new(StatusCode::UNPROCESSABLE_ENTITY, JSON, body.to_string()))
        }
    }
}

/// `POST /puppet-ca/v1/sign/all`
pub(super) fn sign_all(state: &ServerState) -> Outcome {
    sign_several(state, None)
}

fn sign_several(state: &ServerState, names: Option<&[String]>) -> Outcome {
    let results = authority(state)?.sign_several(names, None).map_err(|error| failed(state, &error))?;
    for certname in &results.signed {
        state.log(&Event::Signed { certname: certname.clone() });
    }
    for (certname, reason) in &results.refused {
        state.log(&Event::NotSigned { certname: certname.clone(), reason: excerpt(reason).into_owned() });
    }
    let refused: Vec<&String> = results.refused.iter().map(|(name, _)| name).collect();
    Ok(document(&json!({ "signed": results.signed, "no-csr": results.missing, "signing-errors": refused })))
}

/// `PUT /puppet-ca/v1/certificate_revocation_list`
pub(super) fn update_lists(state: &ServerState, request: &AgentRequest) -> Outcome {
    match authority(state)?.import_crls(&request.body) {
        Ok(()) => {
            state.read_changed_files();
            Ok(Answer::text(StatusCode::OK, "Successfully updated CRLs."))
        }
        Err(Refusal::Authority(error)) => Err(failed(state, &error)),
        Err(Refusal::Request(message) | Refusal::Missing(message)) => {
            state.log(&Event::Problem(format!("submitted revocation lists are refused: {message}")));
            Err(Answer::text(StatusCode::BAD_REQUEST, message))
        }
        Err(Refusal::Full(_)) => Err(Answer::text(StatusCode::BAD_REQUEST, "Too many requests wait.")),
    }
}

/// `GET /puppet-ca/v1/expirations`
pub(super) fn expirations(state: &ServerState) -> Outcome {
    let found = authority(state)?.expirations().map_err(|error| failed(state, &error))?;
    let object = |pairs: Vec<(String, String)>| -> Value {
        Value::Object(pairs.into_iter().map(|(name, date)| (name, Value::String(date))).collect())
    };
    Ok(document(&json!({ "ca-certs": object(found.certificates), "crls": object(found.crls) })))
}
