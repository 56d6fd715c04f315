//! Errors and warnings with their positions.
//!
//! In: codes and messages. Out: a [`Reason`] (without position) or a [`Diagnostic`] (with position and call trace), rendered by
//! [`render`]. Must not: know the language, or contain messages of its rules.

mod cause;
pub mod codes;
mod diagnostic;
pub mod group;
mod location;
mod reason;
pub mod render;

pub use crate::visible;
pub use crate::workflow;
pub use cause::Cause;
pub use codes::Code;
pub use diagnostic::Diagnostic;
pub use diagnostic::Frame;
pub use diagnostic::Label;
pub use diagnostic::Severity;
pub use location::DataLocation;
pub use reason::At;
pub use reason::FORBIDDEN;
pub use reason::Reason;
