//! The endpoints of a classifier service that classify a node: `POST /v1/classified/nodes/NAME` and `…/explanation`.
//!
//! In: a node's name and the body `{"fact": {…}, "trusted": {…}}`. Out: the documents of the site, or errors in the service's form. Must
//! not: log or repeat facts, except to the client that sent them.

use hyper::StatusCode;
use serde_json::json;

use super::agent_request::AgentRequest;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use crate::served_site::ClassificationFailure;
use crate::served_site::ClassificationRequest;
use catwalk_http::Answer;
use catwalk_http::JSON;
use catwalk_http::random_between;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::json::to_json;

/// The largest part of an invalid body that an error repeats, in bytes.
const MAX_REPEATED: usize = 4096;

/// The members of a body, each an object.
const MEMBERS: [&str; 2] = ["fact", "trusted"];

/// Classifies the node `name`; with `explains`, shows how.
pub(super) fn classify(state: &ServerState, name: String, explains: bool, request: &AgentRequest) -> Answer {
    match try_classify(state, name, explains, request) {
        Ok(document) => Answer::ok(JSON, document),
        Err(answer) => answer,
    }
}

fn try_classify(state: &ServerState, name: String, explains: bool, request: &AgentRequest) -> Result<Vec<u8>, Answer> {
    let body = match request.body.as_ref() {
        // The documentation makes the body of `classified` optional.
        [] if !explains => Hash::new(),
        body => {
            check_media_type(request)?;
            read_body(body)?
        }
    };
    let member = |name: &str| match body.get(name) {
        Some(Value::Hash(member)) => Ok(member.clone()),
        None if name == "trusted" || !explains => Ok(std::sync::Arc::default()),
        other => Err(schema_violation(&body, name, other.is_some())),
    };
    let [facts, trusted] = MEMBERS.map(member);
    let asking_node = (!request.may_classify_all).then(|| request.client.clone());
    let classification = ClassificationRequest { name, facts: facts?, trusted: trusted?, asking_node, explains };
    state.site.classify(&classification).map_err(|failure| match failure {
        ClassificationFailure::Conflict(document) => Answer::new(StatusCode::INTERNAL_SERVER_ERROR, JSON, document),
        ClassificationFailure::Busy(message) => {
            let (status, details) = (StatusCode::SERVICE_UNAVAILABLE, serde_json::Value::Null);
            let mut answer = Answer::classifier_error(status, "service-unavailable", &message, details);
            answer.retry_after = Some(random_between(2, 10));
            answer
        }
        ClassificationFailure::Failed(message) => {
            let details = json!({ "trace": [] });
            Answer::classifier_error(StatusCode::INTERNAL_SERVER_ERROR, "application-error", &message, details)
        }
    })
}

/// A body needs the media type of JSON: a web page in a browser cannot send it to another site unasked.
fn check_media_type(request: &AgentRequest) -> Result<(), Answer> {
    if request.content_type.as_deref() == Some("application/json") {
        return Ok(());
    }
    let sent = request.content_type.as_deref().map_or_else(|| "no media type".to_owned(), |name| format!("'{name}'"));
    let message = format!("The body must be application/json, not {sent}");
    let details = json!({ "supported": ["application/json"] });
    Err(Answer::classifier_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", &message, details))
}

fn read_body(body: &[u8]) -> Result<Hash, Answer> {
    let malformed = |error: String| {
        let repeated = body.get(..MAX_REPEATED).unwrap_or(body);
        let details = json!({ "body": String::from_utf8_lossy(repeated), "error": error });
        let message = "The body of your request is not valid JSON.";
        Answer::classifier_error(StatusCode::BAD_REQUEST, "malformed-request", message, details)
    };
    match json::parse(body) {
        Ok(Value::Hash(document)) => Ok(document.as_ref().clone()),
        Ok(other) => Err(violation(&to_json(&other), &json!("The body is not an object"))),
        Err(error) => {
            let summary: String = error.summary().chars().take(MAX_REPEATED).collect();
            // Ruby's message may begin with a number of its parser.
            let summary = summary.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(": ");
            let before = body.get(..error.at).unwrap_or(body);
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
            Err(malformed(format!("{summary} at line {line}, column {column}")))
        }
    }
}

fn schema_violation(body: &Hash, member: &str, is_there: bool) -> Answer {
    let problem = if is_there { "must be an object" } else { "is missing" };
    let submitted = to_json(&Value::hash(body.clone()));
    violation(&submitted, &json!({ member: format!("'{member}' {problem}") }))
}

/// The error of a body that is JSON, but does not describe a node.
fn violation(submitted: &serde_json::Value, error: &serde_json::Value) -> Answer {
    let message =
        format!("The object(s) in your submitted request did not conform to the schema. The problem is: {error}");
    let schema = json!({ "fact": { "<fact name>": "<any value>" }, "trusted": { "<fact name>": "<any value>" } });
    let is_short = submitted.to_string().len() <= MAX_REPEATED;
    let submitted = if is_short { submitted.clone() } else { serde_json::Value::Null };
    let details = json!({ "submitted": submitted, "schema": schema, "error": error });
    Answer::classifier_error(StatusCode::BAD_REQUEST, "schema-violation", &message, details)
}
