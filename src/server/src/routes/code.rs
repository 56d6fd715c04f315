//! The code of environments: classes, modules.

use hyper::StatusCode;
use sha2::Digest;
use sha2::Sha256;

use super::agent_request::AgentRequest;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use crate::served_site::Failure;
use crate::served_site::FailureKind;
use catwalk_http::Answer;

/// `GET /puppet/v3/environment_classes`
pub(super) fn classes(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    if request.parameters.get("environment").is_none() {
        return Err(Answer::text(StatusCode::BAD_REQUEST, "An environment parameter must be specified"));
    }
    let environment = existing_environment(state, request)?;
    let body = state.site.environment_classes(environment).map_err(|why| failure_text(&why))?;
    Ok(with_etag(body, request, "application/json"))
}

/// `GET /puppet/v3/environment_modules`, of one environment or of all.
pub(super) fn modules(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = match request.parameters.get("environment") {
        Some(_) => Some(existing_environment(state, request)?),
        None => None,
    };
    let body = state.site.environment_modules(environment).map_err(|why| failure_text(&why))?;
    Ok(with_etag(body, request, "application/json; charset=utf-8"))
}

/// The environment that the request names. Unlike for agents, errors are plain text.
fn existing_environment<'r>(state: &ServerState, request: &'r AgentRequest) -> Result<&'r str, Answer> {
    let name = request.environment()?;
    match state.site.has_environment(name) {
        true => Ok(name),
        false => Err(Answer::text(StatusCode::NOT_FOUND, format!("Could not find environment '{name}'"))),
    }
}

/// A response with the digest of its body as `ETag`; 304 if the client has it.
fn with_etag(body: Vec<u8>, request: &AgentRequest, content_type: &'static str) -> Answer {
    let tag: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut answer = match request.none_match.as_deref() {
        Some(known) if known == tag => Answer::new(StatusCode::NOT_MODIFIED, content_type, Vec::new()),
        _ => Answer::ok(content_type, body),
    };
    answer.etag = Some(tag.into());
    answer
}

/// The response to a failure of the site, as `wrap-uncaught-errors` writes it.
pub(super) fn failure_text(failure: &Failure) -> Answer {
    match failure.kind {
        FailureKind::Failed => {
            Answer::text(StatusCode::INTERNAL_SERVER_ERROR, format!("Internal Server Error: {}", failure.message))
        }
        FailureKind::BadRequest => Answer::text(StatusCode::BAD_REQUEST, failure.message.clone()),
        FailureKind::NotFound => Answer::text(StatusCode::NOT_FOUND, failure.message.clone()),
        FailureKind::Busy => Answer::failure(failure),
    }
}
