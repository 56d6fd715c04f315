//! Parsed files, shared by all compiles of a process.
//!
//! An entry is valid while the world gives the same bytes (the same `Arc`), so nothing is hashed and nothing parsed twice.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use rustc_hash::FxHashMap;

use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::program::LoadResult;
use crate::source::FileId;
use crate::source::SourceMap;
use crate::syntax;
use crate::syntax::ast::File;
use crate::world::World;

/// A parsed text and all that is to be said of it.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; usable only when there is no error.
    pub file: Arc<File>,
    /// Errors and warnings in order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The first error.
    #[must_use]
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity >= Severity::Error)
    }
}

/// The bytes it was parsed from, what was asked of it, what came of it.
/// A parsed ERB template or Ruby file.
pub(crate) type Template = Result<crate::ruby::ast::Node, crate::ruby::parser::ParseError>;

type Entry = (Arc<[u8]>, syntax::Options, Arc<Parsed>);

/// The parse cache of a process.
#[derive(Debug, Default)]
pub struct Cache {
    /// All texts.
    pub sources: SourceMap,
    /// The setting `strict`: what becomes of duplicate keys.
    pub strict: syntax::Strict,
    files: RwLock<FxHashMap<PathBuf, Entry>>,
    texts: RwLock<FxHashMap<(String, bool), Arc<Parsed>>>,
    templates: RwLock<FxHashMap<PathBuf, (Arc<[u8]>, Arc<Template>)>>,
    template_texts: RwLock<FxHashMap<String, Arc<Template>>>,
}

impl Cache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Cache {
        Cache::default()
    }

    /// An empty cache of texts that are judged so strictly.
    #[must_use]
    pub fn with_strict(strict: syntax::Strict) -> Cache {
        Cache { strict, ..Cache::default() }
    }

    /// A file, parsed as `options` say.
    ///
    /// # Errors
    /// It cannot be read or is not UTF-8. Syntax errors are in the result.
    pub fn parse_file(&self, path: &Path, world: &dyn World, options: syntax::Options) -> LoadResult<Arc<Parsed>> {
        let options = syntax::Options { strict: self.strict, ..options };
        let fail = |message: String| Box::new(Diagnostic::new(Reason::runtime(message), None));
        let bytes = world.read(path).map_err(|refused| fail(refused.to_string()))?;
        if let Some((known, before, parsed)) = self.files.read().unwrap_or_else(PoisonError::into_inner).get(path)
            && Arc::ptr_eq(known, &bytes)
            && *before == options
        {
            return Ok(parsed.clone());
        }
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let line =
                    1 + bytes.get(..error.valid_up_to()).map_or(0, |head| memchr::memchr_iter(b'\n', head).count());
                return Err(fail(format!(
                    "{} is not UTF-8 text: invalid byte at offset {} (line {line})",
                    path.display(),
                    error.valid_up_to()
                )));
            }
        };
        let id = self.sources.add(Some(path), &path.to_string_lossy(), Arc::from(text));
        let parsed = self.parse(id, &options);
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_path_buf(), (bytes, options, parsed.clone()));
        Ok(parsed)
    }

    /// A text that is no file, parsed.
    pub fn parse_text(&self, text: &str, template: bool) -> Arc<Parsed> {
        let key = (text.to_owned(), template);
        if let Some(parsed) = self.texts.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return parsed.clone();
        }
        // The reference calls the text of an inline template by this name, as if it were a file.
        let (path, name) =
            if template { (Some(Path::new("inlined-epp-text")), "inlined-epp-text") } else { (None, "<code>") };
        let id = self.sources.add(path, name, Arc::from(text));
        let parsed = self.parse(id, &syntax::Options { template, strict: self.strict, ..syntax::Options::default() });
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        // Templates made from data may all differ: a cache without bound would be a leak.
        if texts.len() >= 4096 {
            texts.clear();
        }
        texts.insert(key, parsed.clone());
        parsed
    }

    /// An ERB template, parsed.
    ///
    /// # Errors
    /// It cannot be read or is not UTF-8.
    pub fn erb_file(&self, path: &Path, world: &dyn World) -> LoadResult<Arc<Template>> {
        self.tree_of(path, world, crate::erb::parse)
    }

    /// A file in Ruby, parsed.
    ///
    /// # Errors
    /// It cannot be read or is not UTF-8.
    pub fn ruby_file(&self, path: &Path, world: &dyn World) -> LoadResult<Arc<Template>> {
        self.tree_of(path, world, |text| crate::ruby::parser::parse(text, false))
    }

    fn tree_of(
        &self,
        path: &Path,
        world: &dyn World,
        parse: impl FnOnce(&str) -> Template,
    ) -> LoadResult<Arc<Template>> {
        let fail = |message: String| Box::new(Diagnostic::new(Reason::runtime(message), None));
        let bytes = world.read(path).map_err(|refused| fail(refused.to_string()))?;
        if let Some((known, parsed)) = self.templates.read().unwrap_or_else(PoisonError::into_inner).get(path)
            && Arc::ptr_eq(known, &bytes)
        {
            return Ok(parsed.clone());
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(fail(format!("{} is not UTF-8 text", path.display())));
        };
        let parsed = Arc::new(parse(text));
        let mut templates = self.templates.write().unwrap_or_else(PoisonError::into_inner);
        templates.insert(path.to_path_buf(), (bytes, parsed.clone()));
        Ok(parsed)
    }

    /// An ERB template that is no file, parsed.
    pub fn erb_text(&self, text: &str) -> Arc<Template> {
        if let Some(parsed) = self.template_texts.read().unwrap_or_else(PoisonError::into_inner).get(text) {
            return parsed.clone();
        }
        let parsed = Arc::new(crate::erb::parse(text));
        let mut texts = self.template_texts.write().unwrap_or_else(PoisonError::into_inner);
        if texts.len() >= 4096 {
            texts.clear();
        }
        texts.insert(text.to_owned(), parsed.clone());
        parsed
    }

    fn parse(&self, id: FileId, options: &syntax::Options) -> Arc<Parsed> {
        let (file, diagnostics) = syntax::parse_with(&self.sources, id, options);
        Arc::new(Parsed { file: Arc::new(file), diagnostics })
    }
}
