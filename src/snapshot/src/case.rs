//! Test cases: a node of the site, or a test node that a test file defines.

use std::sync::Arc;

use crate::expect::Expect;
use catwalk_session::TestNode;

/// A test case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the case and of its snapshot: `web1.example.com`, `ntp/defaults@debian-12-x86_64`.
    pub name: String,
    /// A description for people.
    pub title: String,
    /// The file that defines the case, relative to the site.
    pub source: String,
    /// The line of that file, from 1.
    pub line: u32,
    /// The node to compile for.
    pub subject: Subject,
    /// Expectations besides the snapshot.
    pub expect: Expect,
    /// Whether the case has a snapshot.
    pub snapshot: bool,
}

/// The node to compile for.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A node of the site.
    Node(Arc<str>),
    /// A node that is not part of the site.
    TestNode(Box<TestNode>),
}

impl Case {
    /// The case of a node of the site.
    #[must_use]
    pub fn node(certname: &Arc<str>, source: &str) -> Case {
        Case {
            name: file_name(certname),
            title: format!("Catalog of {certname}"),
            source: source.to_owned(),
            line: 1,
            subject: Subject::Node(certname.clone()),
            expect: Expect::default(),
            snapshot: true,
        }
    }
}

/// Converts a string to a file name: characters that are not portable become `_`.
#[must_use]
pub fn file_name(text: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "._-+@=".contains(c) { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => name,
    }
}
