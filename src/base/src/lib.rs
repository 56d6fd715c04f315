//! The base of all other crates: sources and spans, diagnostics, interned names, the limits and the secrets of a compile.
//!
//! In: strings and positions. Out: [`source::Span`], [`diag::Diagnostic`], [`names::Name`], [`meter`], [`secrets::Secrets`].
//! Must not: read files, know any language, value or rule.

pub mod diag;
pub mod fingerprint;
pub mod globs;
pub mod line_diff;
pub mod markdown;
pub mod meter;
pub mod names;
pub mod profile;
pub mod secrets;
pub mod source;
pub mod stack;
pub mod version;
pub mod visible;
pub mod workflow;
