//! Errors in groups or in a classification: the error documents of the classifier service.
//!
//! In: a kind, a message, details. Out: `{"kind", "msg", "details"}`. Must not: know where it is shown.

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_value::Value;

/// An error of the classifier service ("Node classifier errors"): the shape of `details` depends on `kind` only.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// `schema-violation`, `missing-parent`, `inheritance-cycle`, `classification-conflict` …
    pub kind: &'static str,
    /// The message for people.
    pub message: String,
    /// The data for programs.
    pub details: Value,
}

impl Problem {
    /// A problem.
    #[must_use]
    pub fn new(kind: &'static str, message: impl Into<String>, details: Value) -> Box<Problem> {
        Box::new(Problem { kind, message: message.into(), details })
    }

    /// The document of the service.
    #[must_use]
    pub fn document(&self) -> Value {
        let entries =
            [("kind", Value::str(self.kind)), ("msg", Value::str(&self.message)), ("details", self.details.clone())];
        object(entries)
    }

    /// The problem as a failure of a compile.
    #[must_use]
    pub fn reason(&self) -> Reason {
        Reason::new(Code::CLASSIFIER, format!("{}: {}", self.kind, self.message))
    }
}

/// A hash of these entries, in this order.
#[must_use]
pub fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::hash(entries.into_iter().map(|(key, value)| (Value::str(key), value)).collect())
}
