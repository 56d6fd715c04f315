//! What is wrong, and where: the one shape of every error and warning.
//!
//! In: a rule that failed. Out: a [`Reason`] (no place yet) or a [`Diagnostic`] (with place and trace), rendered by
//! [`render`]. Must not: know the language; hold wording of rules (that stands beside each rule).

pub mod codes;
mod diagnostic;
pub mod group;
mod reason;
pub mod render;
pub mod visible;

pub use codes::Code;
pub use diagnostic::Diagnostic;
pub use diagnostic::Frame;
pub use diagnostic::Label;
pub use diagnostic::Severity;
pub use reason::At;
pub use reason::FORBIDDEN;
pub use reason::Reason;
