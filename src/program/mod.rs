//! What manifests define, by name; files are found, parsed and kept on demand.
//!
//! In: environment, world, parse cache. Out: [`Definition`]s that live as long as the program. Must not: evaluate.
//!
//! One [`Program`] serves one compile. Parsed files are shared between compiles through the session's cache; the program
//! keeps each file it used alive and only ever adds files, so that references into trees stay valid.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use elsa::FrozenVec;

use crate::diag::Diagnostic;
use crate::names::Name;
use crate::source::SourceMap;
use crate::source::Span;
use crate::syntax::ast::Definition;
use crate::syntax::ast::File;

/// Definitions by name.
pub struct Program {
    /// Places of everything parsed.
    pub sources: SourceMap,
    files: FrozenVec<Arc<File>>,
}

/// A file that was wanted and has errors, or cannot be read.
pub type LoadResult<T> = Result<T, Box<Diagnostic>>;

impl Program {
    /// The class of this name (any case, leading `::` allowed), loaded from its module when it is not known yet.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn class(&self, name: &str) -> LoadResult<Option<&Definition>> {
        let _ = name;
        Ok(None)
    }

    /// The defined type of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn define(&self, name: &str) -> LoadResult<Option<&Definition>> {
        let _ = name;
        Ok(None)
    }

    /// The function in the Puppet language of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn function(&self, name: &str) -> LoadResult<Option<&Definition>> {
        let _ = name;
        Ok(None)
    }

    /// The type alias of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn type_alias(&self, name: &str) -> LoadResult<Option<&Definition>> {
        let _ = name;
        Ok(None)
    }

    /// The module a definition or expression belongs to, by its file: `ntp` for `…/modules/ntp/manifests/init.pp`;
    /// `None` in the main manifest.
    #[must_use]
    pub fn module_of(&self, span: Span) -> Option<Name> {
        let _ = span;
        None
    }

    /// The root directory of a module.
    #[must_use]
    pub fn module_root(&self, module: &str) -> Option<PathBuf> {
        let _ = module;
        None
    }

    /// The main manifest's files in order: their top-level code is evaluated in this order.
    #[must_use]
    pub fn main(&self) -> Vec<&File> {
        Vec::new()
    }

    /// Node definitions of the main manifest in order of appearance.
    #[must_use]
    pub fn nodes(&self) -> Vec<&Definition> {
        Vec::new()
    }

    /// A template in the Puppet language, parsed.
    ///
    /// # Errors
    /// It cannot be read or does not parse.
    pub fn epp(&self, path: &Path) -> LoadResult<&File> {
        let _ = path;
        Err(Box::new(Diagnostic::new(crate::diag::Reason::unsupported("templates"), None)))
    }

    /// A template or code given as text (`inline_epp`): parsed and kept.
    ///
    /// # Errors
    /// It does not parse.
    pub fn epp_text(&self, text: &str) -> LoadResult<&File> {
        let _ = (text, &self.files);
        Err(Box::new(Diagnostic::new(crate::diag::Reason::unsupported("templates"), None)))
    }
}
