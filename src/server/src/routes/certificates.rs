//! Certificates, CRLs, requests for certificates (`certificate_authority_core.clj` of puppetserver).

use hyper::StatusCode;
use hyper::body::Bytes;

use super::agent_request::AgentRequest;
use crate::config::Event;
use crate::pki::trust::Document;
use crate::running::ServerState;
use catwalk_authority::Refusal;
use catwalk_authority::Submission;
use catwalk_authority::fingerprint;
use catwalk_http::Answer;
use catwalk_http::TEXT;
use catwalk_http::random_between;
use catwalk_world::excerpt;

/// `GET /puppet-ca/v1/certificate/ca`
pub(super) fn ca(state: &ServerState, request: &AgentRequest) -> Answer {
    respond_if_modified(&state.trust().ca, request)
}

/// `GET /puppet-ca/v1/certificate_revocation_list/ca`
pub(super) fn revocation_list(state: &ServerState, request: &AgentRequest) -> Answer {
    respond_if_modified(&state.trust().crl, request)
}

/// Responds with a file, or with 304 if the client's copy is current.
fn respond_if_modified(document: &Document, request: &AgentRequest) -> Answer {
    let is_current = request.modified_since.is_some_and(|since| document.modified <= since);
    let mut answer = match is_current {
        true => Answer::new(StatusCode::NOT_MODIFIED, TEXT, Bytes::new()),
        false => Answer::ok(TEXT, document.bytes.clone()),
    };
    answer.modified = Some(document.modified);
    answer
}

fn not_found(kind: &str, name: &str) -> Answer {
    Answer::new(StatusCode::NOT_FOUND, TEXT, format!("Could not find {kind} {name}"))
}

/// `GET /puppet-ca/v1/certificate/NAME`
pub(super) fn certificate(state: &ServerState, name: &str) -> Answer {
    let pem = state.authority.as_ref().and_then(|authority| authority.certificate(name));
    pem.map_or_else(|| not_found("certificate", name), |pem| Answer::ok(TEXT, pem))
}

/// `GET /puppet-ca/v1/certificate_request/NAME`
pub(super) fn request(state: &ServerState, name: &str) -> Answer {
    let pem = state.authority.as_ref().and_then(|authority| authority.request(name));
    pem.map_or_else(|| not_found("certificate_request", name), |pem| Answer::ok(TEXT, pem))
}

/// `POST /puppet-ca/v1/certificate_renewal`
pub(super) fn renew(state: &ServerState, request: &AgentRequest) -> Answer {
    let (Some(authority), Some(certificate)) = (&state.authority, &request.certificate) else {
        return Answer::new(StatusCode::NOT_FOUND, TEXT, "Not Found");
    };
    match authority.renew(certificate) {
        Ok(pem) => {
            state.log(&Event::Signed { certname: request.client.certname.clone() });
            Answer::ok(TEXT, pem)
        }
        Err(refusal) => refusal_answer(state, &request.client.certname, refusal),
    }
}

/// `PUT /puppet-ca/v1/certificate_request/NAME`
pub(super) fn submit(state: &ServerState, name: &str, request: &AgentRequest) -> Answer {
    let Some(authority) = &state.authority else {
        let message = "This server is not a certificate authority: use the one that issued its certificate.";
        return Answer::text(StatusCode::NOT_FOUND, message);
    };
    match authority.submit(name, &request.body) {
        Ok(submission) => {
            let certname = name.to_owned();
            state.log(&match submission {
                Submission::Signed => Event::Signed { certname },
                Submission::Pending { reason } => {
                    Event::Waiting { certname, fingerprint: fingerprint(&request.body), reason }
                }
            });
            Answer::ok(TEXT, Bytes::new())
        }
        Err(refusal) => refusal_answer(state, name, refusal),
    }
}

/// The response to a refused request of the node `certname`; the reason is logged.
fn refusal_answer(state: &ServerState, certname: &str, refusal: Refusal) -> Answer {
    match refusal {
        Refusal::Request(message) => {
            // A request may name thousands of names, and its sender needs no certificate.
            let reason = excerpt(&message).into_owned();
            state.log(&Event::NotSigned { certname: certname.to_owned(), reason });
            Answer::text(StatusCode::BAD_REQUEST, message)
        }
        Refusal::Missing(message) => Answer::text(StatusCode::NOT_FOUND, message),
        Refusal::Full(most) => {
            let text = format!("{most} certificate requests wait to be signed, as many as this server keeps");
            if state.is_first_refusal() {
                state.log(&Event::Problem(format!(
                    "{text}: sign or remove some in `requests/`; further ones are refused"
                )));
            }
            let mut answer = Answer::text(StatusCode::SERVICE_UNAVAILABLE, format!("{text}; please retry later."));
            answer.retry_after = Some(random_between(60, 600));
            answer
        }
        Refusal::Authority(error) => {
            state.log(&Event::Problem(error.to_string()));
            Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "The certificate authority failed; its log has the reason.")
        }
    }
}
