//! A spec to convert, and what its conversion results in.

use crate::cases;
use crate::evaluate;
use crate::evaluate::SpecFacts;
use crate::lines;
use catwalk_snapshot::facts::FactSet;

/// The kind of a spec's subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectKind {
    Class,
    /// A defined type.
    Define,
    /// A node.
    Host,
}

impl SubjectKind {
    /// The kind that follows from the folder of a spec: `spec/classes/`, `spec/defines/`, `spec/hosts/`.
    #[must_use]
    pub fn from_path(path: &str) -> Option<SubjectKind> {
        let folder = |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
        match () {
            () if folder("acceptance") || folder("unit") => None,
            () if folder("classes") => Some(SubjectKind::Class),
            () if folder("defines") => Some(SubjectKind::Define),
            () if folder("hosts") => Some(SubjectKind::Host),
            () => None,
        }
    }
}

/// A spec to convert.
#[derive(Clone, Copy, Debug)]
pub struct Spec<'a> {
    /// Its path, for comments.
    pub path: &'a str,
    /// Its source.
    pub text: &'a str,
    /// The contents of `spec_helper_local.rb` or `spec_helper.rb`, for the facts that it adds.
    pub helper: Option<&'a str>,
    /// The kind of its subject.
    pub kind: SubjectKind,
    /// Whether to make a separate case of each example.
    pub each: bool,
    /// The most steps of the interpreter for one part of the spec. What takes more is not converted.
    pub steps: u64,
}

/// An example that cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unconverted {
    /// Its line, from 1.
    pub line: u32,
    /// The reason.
    pub reason: String,
}

/// The result of converting a spec.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The contents of the test file; empty if nothing was converted.
    pub text: String,
    /// The number of examples in the spec. An example in a loop over operating systems is counted once.
    pub examples: usize,
    /// The number of converted examples.
    pub converted: usize,
    /// The other examples.
    pub unconverted: Vec<Unconverted>,
    /// The lines of the examples and groups that reached the limit on steps.
    pub cut: Vec<u32>,
}

/// The steps of the interpreter for one part of a spec, unless the user sets them: five times as many as the largest specs of public
/// modules need.
pub const STEPS: u64 = 1_000_000_000;

/// Converts a spec. `systems` are the fact sets of `on_supported_os`, `facts` those of every example; `progress` gets the number of
/// evaluated examples and that of all.
#[must_use]
pub fn convert(
    spec: &Spec<'_>,
    systems: &[&FactSet],
    facts: &SpecFacts,
    progress: &mut dyn FnMut(usize, usize),
) -> Converted {
    let lines = lines::find(spec.text);
    let evaluated = evaluate::evaluate_examples(spec, &lines, systems, facts, progress);
    cases::convert_examples(spec, &lines, systems, evaluated)
}
