//! Responses of Puppet's own routes and of the classifier service.

use hyper::StatusCode;
use serde_json::json;

use crate::served_site::Failure;
use crate::served_site::FailureKind;
use catwalk_http::Answer;
use catwalk_http::JSON;
use catwalk_http::random_between;

/// The member `issue_kind` of Puppet's error responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issue {
    RuntimeError,
    ResourceNotFound,
    UnsupportedFormat,
    UnsupportedMediaType,
    MissingHeaderField,
}

impl Issue {
    fn name(self) -> &'static str {
        match self {
            Issue::RuntimeError => "RUNTIME_ERROR",
            Issue::ResourceNotFound => "RESOURCE_NOT_FOUND",
            Issue::UnsupportedFormat => "UNSUPPORTED_FORMAT",
            Issue::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Issue::MissingHeaderField => "MISSING_HEADER_FIELD",
        }
    }
}

/// Responses as Puppet and its classifier service give them.
pub(crate) trait PuppetAnswer {
    /// An error response of Puppet's own routes (`Puppet::Network::HTTP::Error`).
    fn error(status: StatusCode, issue: Issue, message: &str) -> Answer;
    /// An error of the classifier service.
    fn classifier_error(status: StatusCode, kind: &str, message: &str, details: serde_json::Value) -> Answer;
    /// The response if the requested object does not exist.
    fn not_found(message: &str) -> Answer;
    /// The response to a failure of the server.
    fn server_error(message: &str) -> Answer;
    /// The response to a failure of the site.
    fn failure(failure: &Failure) -> Answer;
}

impl PuppetAnswer for Answer {
    fn error(status: StatusCode, issue: Issue, message: &str) -> Answer {
        let prefix = match status {
            StatusCode::BAD_REQUEST => "Bad Request: ",
            StatusCode::NOT_FOUND => "Not Found: ",
            StatusCode::NOT_ACCEPTABLE => "Not Acceptable: ",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Unsupported Media Type: ",
            _ => "Server Error: ",
        };
        let body = json!({ "message": format!("{prefix}{message}"), "issue_kind": issue.name() });
        Answer::new(status, JSON, body.to_string())
    }

    fn classifier_error(status: StatusCode, kind: &str, message: &str, details: serde_json::Value) -> Answer {
        let document = json!({ "kind": kind, "msg": message, "details": details });
        Answer::new(status, JSON, document.to_string())
    }

    fn not_found(message: &str) -> Answer {
        Answer::error(StatusCode::NOT_FOUND, Issue::ResourceNotFound, message)
    }

    fn server_error(message: &str) -> Answer {
        Answer::error(StatusCode::INTERNAL_SERVER_ERROR, Issue::RuntimeError, message)
    }

    fn failure(failure: &Failure) -> Answer {
        let status = match failure.kind {
            FailureKind::BadRequest => StatusCode::BAD_REQUEST,
            FailureKind::NotFound => StatusCode::NOT_FOUND,
            FailureKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            FailureKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut answer = Answer::error(status, Issue::RuntimeError, &failure.message);
        if failure.kind == FailureKind::Busy {
            // `Retry-After` makes agents retry; without it, their runs fail.
            answer.retry_after = Some(random_between(2, 10));
        }
        answer
    }
}
