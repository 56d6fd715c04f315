//! A node: whom a catalog is for.
//!
//! In: facts, trusted data, classification. Out: [`Node`], what the compiler starts from. Must not: evaluate manifests.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::value::Hash;
use crate::value::Value;

/// What the compiler knows of a node before it evaluates anything (Puppet::Node after merging facts).
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The certname.
    pub certname: Arc<str>,
    /// The environment the catalog is compiled in.
    pub environment: Arc<str>,
    /// `$facts`: as given, with `clientcert`, `clientversion`, `clientnoop` added.
    pub facts: Arc<Hash>,
    /// `$trusted`
    pub trusted: Arc<Hash>,
    /// `$server_facts`
    pub server_facts: Arc<Hash>,
    /// Classes from classification, in order; `Some` parameters declare them resource-like.
    pub classes: IndexMap<Arc<str>, Option<Arc<Hash>>>,
    /// Top-scope variables of classification; they win over facts of the same name.
    pub parameters: IndexMap<Arc<str>, Value>,
}
