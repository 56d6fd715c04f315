//! Specs of rspec-puppet as test files of Catwalk.
//!
//! In: the text of a spec, fact sets. Out: cases as YAML, and for what is not carried over the reason and its line. Must not: write,
//! reach anything outside: the spec is evaluated by the evaluator for Ruby in a world of its own.
//!
//! | file | what |
//! |---|---|
//! | `rspec.rb` | what specs call, in Ruby: evaluating a spec yields its examples as data |
//! | `lines` | which examples a spec has, by its syntax tree |
//! | `evaluate` | the evaluation |
//! | `expectations` | what an example expects, in the words of test files |
//! | `cases` | examples as cases: those that compile the same are one |
//! | `document`, `yaml` | the contents of a test file |

mod cases;
mod document;
mod evaluate;
mod expectations;
mod lines;
mod yaml;

use catwalk_snapshot::facts::FactSet;

pub use evaluate::SpecFacts;

/// What a spec is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectKind {
    /// A class.
    Class,
    /// A defined type.
    Define,
    /// A node.
    Host,
}

impl SubjectKind {
    /// By the folder of the spec: `spec/classes/`, `spec/defines/`, `spec/hosts/`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<SubjectKind> {
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
    /// Its text.
    pub text: &'a str,
    /// The contents of `spec_helper_local.rb` or `spec_helper.rb`, for the facts that it adds.
    pub helper: Option<&'a str>,
    /// What it is about.
    pub kind: SubjectKind,
    /// Whether each example is a case of its own.
    pub each: bool,
}

/// An example that is not carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCarried {
    /// Its line, from 1.
    pub line: u32,
    /// Why not.
    pub reason: String,
}

/// A spec as a test file.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The contents of the test file; empty if nothing was converted.
    pub text: String,
    /// How many examples the spec has. An example in a loop over operating systems is one.
    pub examples: usize,
    /// How many of them are carried over.
    pub carried: usize,
    /// The others.
    pub not_carried: Vec<NotCarried>,
}

/// Converts a spec. `systems` are the fact sets of `on_supported_os`, `facts` those of every example.
#[must_use]
pub fn convert(spec: &Spec<'_>, systems: &[&FactSet], facts: &SpecFacts) -> Converted {
    let lines = lines::of(spec.text);
    let evaluated = evaluate::examples(spec, &lines, systems, facts);
    cases::converted(spec, &lines, systems, evaluated)
}
