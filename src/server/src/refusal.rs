//! Why a request is refused before a handler sees it, as each service says it.
//!
//! In: a reason. Out: a response in the form of puppetserver or of the classifier service. Must not: know connections.

use hyper::StatusCode;
use serde_json::Value;
use serde_json::json;

use crate::puppet_answer::PuppetAnswer;
use catwalk_http::Answer;
use catwalk_http::random_between;

/// The service whose form the errors of an endpoint have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// puppetserver: sentences, and `{"message", "issue_kind"}`.
    Puppet,
    /// The classifier service: `{"kind", "msg", "details"}`.
    Classifier,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The URL is malformed.
    Url,
    /// There is no such endpoint.
    NotFound,
    /// The endpoint accepts only POST.
    Method,
    /// The client may not use the endpoint; what the endpoint requires, for the log.
    Forbidden(Option<&'static str>),
    /// The body has more bytes than this.
    TooLarge(usize),
    /// The body is compressed.
    Compressed,
    /// The connection ended before the body.
    Ended,
    /// The body took too long.
    Slow,
    /// Too many requests are waiting.
    Busy,
    /// The handler panicked.
    Failed,
}

impl Refusal {
    /// What the endpoint requires of its clients, if it is refused and operators should know.
    pub(crate) fn requirement(&self) -> Option<&'static str> {
        if let Refusal::Forbidden(requirement) = self { *requirement } else { None }
    }

    fn status(&self) -> StatusCode {
        match self {
            Refusal::Url | Refusal::Ended => StatusCode::BAD_REQUEST,
            Refusal::NotFound => StatusCode::NOT_FOUND,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Forbidden(_) => StatusCode::FORBIDDEN,
            Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::Compressed => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::Slow => StatusCode::REQUEST_TIMEOUT,
            Refusal::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn message(&self) -> String {
        match self {
            Refusal::Url => {
                "The URL is not percent-encoded UTF-8, its path leads up, or it has too many parameters".to_owned()
            }
            Refusal::NotFound => "The resource could not be found.".to_owned(),
            Refusal::Method => "This endpoint accepts only POST".to_owned(),
            Refusal::Forbidden(_) => "The client may not classify this node".to_owned(),
            Refusal::TooLarge(limit) => format!("The body of the request is larger than {limit} bytes"),
            Refusal::Compressed => "The body of a request must not be compressed".to_owned(),
            Refusal::Ended => "The body of the request ended early".to_owned(),
            Refusal::Slow => "The body of the request took too long".to_owned(),
            Refusal::Busy => "Too many requests are waiting; please retry later.".to_owned(),
            Refusal::Failed => "The request could not be answered".to_owned(),
        }
    }

    /// The response to a request of this method and path.
    pub(crate) fn answer(&self, form: ErrorForm, method: &str, path: &str) -> Answer {
        let mut answer = match form {
            ErrorForm::Puppet => self.puppet_answer(method, path),
            ErrorForm::Classifier => self.classifier_answer(method, path),
        };
        if *self == Refusal::Busy {
            answer.closes = true;
            // `Retry-After` makes agents retry; without it, their runs fail.
            answer.retry_after = Some(random_between(5, 60));
        }
        answer
    }

    fn puppet_answer(&self, method: &str, path: &str) -> Answer {
        match self {
            Refusal::NotFound => Answer::new(
                StatusCode::NOT_FOUND,
                "text/html;charset=utf-8",
                "<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2></body></html>\n",
            ),
            Refusal::Forbidden(_) => {
                let method = method.to_ascii_lowercase();
                let message =
                    format!("Forbidden request: {path} (method :{method}). Please see the server logs for details.");
                Answer::text(StatusCode::FORBIDDEN, message)
            }
            Refusal::Failed => Answer::server_error(&self.message()),
            _ => Answer::text(self.status(), self.message()),
        }
    }

    /// Kinds that the service's documentation ("Node classifier errors") does not have are named like those that it has.
    fn classifier_answer(&self, method: &str, path: &str) -> Answer {
        let (kind, details) = match self {
            Refusal::Url | Refusal::Ended => ("malformed-request", json!({ "error": self.message() })),
            Refusal::NotFound => ("not-found", json!(path)),
            Refusal::Method => ("method-not-allowed", json!({ "method": method, "allowed": ["POST"] })),
            Refusal::Forbidden(_) => ("permission-denied", json!(path)),
            Refusal::TooLarge(limit) => ("request-too-large", json!({ "limit": limit })),
            Refusal::Compressed => ("unsupported-media-type", json!({ "supported": ["application/json"] })),
            Refusal::Slow => ("request-timeout", Value::Null),
            Refusal::Busy => ("service-unavailable", Value::Null),
            Refusal::Failed => ("application-error", json!({ "trace": [] })),
        };
        let mut answer = Answer::classifier_error(self.status(), kind, &self.message(), details);
        if *self == Refusal::Method {
            answer.allow = Some("POST");
        }
        answer
    }
}
