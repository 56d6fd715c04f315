//! Names that the documents of catalogs and their comparison share.
//!
//! In: nothing. Out: constants. Must not: read documents.

/// The relationship of containment.
pub const CONTAINS: &str = "contains";

/// Relationship metaparameters with PuppetDB's names of their edges.
pub(crate) const RELATIONSHIPS: [(&str, &str); 4] =
    [("before", "before"), ("require", "required-by"), ("notify", "notifies"), ("subscribe", "subscription-of")];

/// Metaparameters in whose lists the order does not matter.
pub(crate) const UNORDERED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];
