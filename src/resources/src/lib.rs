//! Resource types that are managed in Rust: notify, exec, file.
//!
//! In: declared resources. Out: [`catwalk_apply::ResourceKind`]s. Must not: know the order in which resources are applied.
