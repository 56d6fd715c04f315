//! Checks of catalog documents: no duplicate resources, no edges to missing resources.
//!
//! In: the resources and edges of a document, one by one. Out: the positions of resources, or a [`IntegrityError`] with a JSON pointer.
//! Must not: know formats of documents.

use std::fmt;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;

/// A duplicate resource or an edge to a missing resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntegrityError {
    /// The JSON pointer of the resource or of the end of an edge (RFC 6901).
    pub pointer: String,
    /// The message.
    pub message: String,
}

impl fmt::Display for IntegrityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

impl From<IntegrityError> for String {
    fn from(error: IntegrityError) -> String {
        error.to_string()
    }
}

/// The resources of a document by type and title.
#[derive(Debug, Default)]
pub struct DeclaredResources<'a> {
    positions: HashMap<(&'a str, &'a str), usize, FxBuildHasher>,
}

impl<'a> DeclaredResources<'a> {
    /// Adds the resource at a position.
    ///
    /// # Errors
    /// A resource of this type and title was already added.
    pub fn add(&mut self, at: usize, type_name: &'a str, title: &'a str) -> Result<(), IntegrityError> {
        match self.positions.entry((type_name, title)) {
            Entry::Vacant(entry) => {
                entry.insert(at);
                Ok(())
            }
            Entry::Occupied(entry) => Err(IntegrityError {
                pointer: format!("/resources/{at}"),
                message: format!("{type_name}[{title}] is already declared at /resources/{}", entry.get()),
            }),
        }
    }

    /// The position of a resource.
    #[must_use]
    pub fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        self.positions.get(&(type_name, title)).copied()
    }

    /// The position of the resource that the end of an edge names; `end` is `source` or `target`.
    ///
    /// # Errors
    /// The document has no such resource.
    pub fn end_of_edge(&self, at: usize, end: &str, (type_name, title): (&str, &str)) -> Result<usize, IntegrityError> {
        self.find(type_name, title).ok_or_else(|| IntegrityError {
            pointer: format!("/edges/{at}/{end}"),
            message: format!("{type_name}[{title}] is not a resource of the catalog"),
        })
    }
}

/// The type and the title of a reference: `File[/etc/motd]`.
#[must_use]
pub fn split_reference(reference: &str) -> Option<(&str, &str)> {
    reference.strip_suffix(']')?.split_once('[')
}
