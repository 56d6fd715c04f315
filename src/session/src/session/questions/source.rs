//! A question of a compile: a part of a file, a directory or the main manifest, and the fingerprint of its answer.
//!
//! In: what a compile read. Out: fingerprints of the answers then and now. Must not: know which nodes asked.

use std::path::Path;
use std::sync::Arc;

use crate::session::Session;
use crate::session::answers::CurrentAnswers;
use crate::session::questions::main_manifest::MainManifest;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::names::Name;
use catwalk_base::version::Version;
use catwalk_hiera::DataUse;
use catwalk_program::CodePart;
use catwalk_program::MovedLines;
use catwalk_program::ParsedSource;
use catwalk_program::RubyUse;

/// The part of a source on which a compile depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::session) enum Part {
    /// A path with its contents; `positions`: messages may contain positions in the file.
    Whole { positions: bool },
    /// Whether a path exists, and the entries of a directory.
    Existence,
    /// A path that was read to open the environment, which is compared itself.
    Environment,
    /// A path that was read to find the files of the main manifest, or one of these files.
    MainPath,
    /// A path that was read for the node's facts and classes, which are compared themselves.
    NodeInputs,
    /// A `hiera.yaml`, in which lookups are repeated.
    Hierarchy,
    /// A part of a manifest or template; `positions`: with the positions of its tokens.
    Code { part: CodePart, positions: bool },
    /// What a file in Ruby or a template in ERB does.
    Ruby,
    /// The value of a key of data, found or not.
    Key(Arc<str>),
    /// The list of keys of data.
    KeyNames,
    /// The files of the main manifest; unless `is_exact`, without those that only define classes, defined types and node blocks.
    MainFiles { is_exact: bool },
    /// The files of the main manifest that define a class or defined type of this name.
    MainName(Name),
    /// The node block that a node gets.
    NodeBlock { certname: Arc<str>, positions: bool },
}

/// Where the answers to questions are found, as a compile read it.
#[derive(Debug)]
pub(in crate::session) enum Source {
    /// A path: the world compares it itself.
    Path,
    Code(Arc<ParsedSource>),
    Ruby(RubyUse),
    Data(DataUse),
    Main(Arc<MainManifest>),
}

impl Source {
    /// Whether both were read at once, so that all their answers are equal.
    pub(super) fn is_same(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Path, Source::Path) => true,
            (Source::Code(a), Source::Code(b)) => Arc::ptr_eq(a, b),
            (Source::Ruby(a), Source::Ruby(b)) => a.is_same(b),
            (Source::Data(a), Source::Data(b)) => a.is_same(b),
            (Source::Main(a), Source::Main(b)) => Arc::ptr_eq(a, b) || a.is_same(b),
            _ => false,
        }
    }

    /// The current version of a source whose contents have changed; `None` if it cannot be read.
    pub(super) fn current(&self, session: &Session, path: &Path, answers: &mut CurrentAnswers) -> Option<Source> {
        match self {
            Source::Path => Some(Source::Path),
            Source::Code(parsed) => answers.parse_manifest(session, path, parsed.template).map(Source::Code),
            Source::Ruby(used) => {
                let bytes = catwalk_world::World::read(session.world.as_ref(), path).ok()?;
                Some(Source::Ruby(RubyUse { bytes, ..used.clone() }))
            }
            Source::Data(used) => {
                used.current(session.options.settings.strict, session.world.as_ref()).map(Source::Data)
            }
            Source::Main(before) => {
                let main = answers.main_files(session)?;
                let parsed: Option<Vec<Arc<ParsedSource>>> =
                    main.files.iter().map(|path| answers.parse_manifest(session, path, false)).collect();
                Some(Source::Main(Arc::new(before.followed_by(parsed?))))
            }
        }
    }

    /// The fingerprint of the answer to a question.
    pub(super) fn fingerprint(&self, part: &Part, version: Version) -> Fingerprint {
        match (self, part) {
            (Source::Code(parsed), Part::Code { part, positions }) => parsed.fingerprint(*part, *positions),
            (Source::Ruby(used), _) => used.fingerprint(),
            (Source::Data(used), Part::Key(key)) => used.fingerprint(key),
            (Source::Data(used), _) => used.names_fingerprint(),
            (Source::Main(main), part) => main.fingerprint(part, version),
            // The world reports changes of paths.
            _ => Fingerprint::of(part),
        }
    }

    /// Adds the new lines of a part with equal fingerprints. `false`: one of its lines was split.
    pub(super) fn move_lines(&self, part: &Part, now: &Source, moved: &mut MovedLines) -> bool {
        match (self, now, part) {
            (Source::Code(before), Source::Code(now), Part::Code { part, .. }) => before.move_lines(*part, now, moved),
            _ => true,
        }
    }
}
