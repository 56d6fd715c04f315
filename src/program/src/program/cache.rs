//! Parsed files, shared by all compiles of a process.
//!
//! An entry is valid while the world returns the same bytes (the same `Arc`), so nothing is hashed and nothing parsed twice.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::program::LoadResult;
use crate::program::parsed::ParsedSource;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::profile;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_syntax as syntax;
use catwalk_value::data::yaml_cache::YamlCache;
use catwalk_world::Dependency;
use catwalk_world::World;
use catwalk_world::WorldError;

/// A parsed ERB template or Ruby file.
pub(crate) type Template = Result<catwalk_ruby_syntax::ast::Node, catwalk_ruby_syntax::parser::ParseError>;

/// The bytes it is parsed from, and the result: one thread parses, others that need it wait.
type Entry<T> = (Arc<[u8]>, Arc<OnceLock<Arc<T>>>);

/// Keyed by the path as a string: hashing a `Path` splits it into components.
type Entries<T> = RwLock<FxHashMap<OsString, Entry<T>>>;

/// A slot for the result of parsing some bytes.
type Slot<T> = Arc<OnceLock<Arc<T>>>;

/// The slot for the result of parsing these bytes, and the slot of earlier bytes that it replaces.
fn entry<T>(entries: &Entries<T>, path: &Path, bytes: Arc<[u8]>) -> (Slot<T>, Option<Slot<T>>) {
    if let Some((known, slot)) = entries.read().get(path.as_os_str())
        && Arc::ptr_eq(known, &bytes)
    {
        return (slot.clone(), None);
    }
    let mut entries = entries.write();
    match entries.get(path.as_os_str()) {
        Some((known, slot)) if Arc::ptr_eq(known, &bytes) => (slot.clone(), None),
        _ => {
            let slot = Arc::new(OnceLock::new());
            let before = entries.insert(path.as_os_str().to_owned(), (bytes, slot.clone()));
            (slot, before.map(|(_, slot)| slot))
        }
    }
}

/// A file being parsed. If a limit ends the parse, its source is removed: nothing refers to it.
struct ParseGuard<'a> {
    sources: &'a SourceMap,
    id: Option<FileId>,
}

impl ParseGuard<'_> {
    fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for ParseGuard<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.sources.forget(&[id]);
        }
    }
}

fn unreadable(refused: WorldError) -> Box<Diagnostic> {
    Box::from(Reason::runtime(refused.to_string()).because(refused.cause()))
}

/// The parse cache of a process.
#[derive(Debug, Default)]
pub struct Cache {
    /// All sources.
    pub sources: SourceMap,
    /// How sources are validated, whatever file they are from.
    options: syntax::Options,
    files: Entries<ParsedSource>,
    strings: RwLock<FxHashMap<(String, bool), Arc<ParsedSource>>>,
    /// Sources that were replaced.
    stale: Mutex<Vec<FileId>>,
    templates: Entries<Template>,
    template_strings: RwLock<FxHashMap<String, Arc<Template>>>,
    /// YAML documents that code parses.
    pub(crate) yaml: YamlCache,
}

impl Cache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Cache {
        Cache::default()
    }

    /// An empty cache whose sources are validated with these options.
    #[must_use]
    pub fn with_options(options: syntax::Options) -> Cache {
        Cache { options, ..Cache::default() }
    }

    /// The language.
    #[must_use]
    pub fn version(&self) -> Version {
        self.options.version
    }

    /// Parses a file with `options`, which is called only when the file is not cached. What the options depend on (where
    /// modules are) must stay the same, or [`Cache::clear`] must be called.
    ///
    /// # Errors
    /// The file cannot be read or is not UTF-8. Syntax errors are in the result.
    pub fn parse_file(
        &self,
        path: &Path,
        world: &dyn World,
        options: impl FnOnce() -> syntax::Options,
    ) -> LoadResult<Arc<ParsedSource>> {
        self.parse_bytes(path, world.read_for(path, Dependency::Parts), world, options)
    }

    /// Parses a file whose creation or removal is compared elsewhere.
    ///
    /// # Errors
    /// As [`Cache::parse_file`].
    pub(crate) fn parse_listed(
        &self,
        path: &Path,
        world: &dyn World,
        options: impl FnOnce() -> syntax::Options,
    ) -> LoadResult<Arc<ParsedSource>> {
        self.parse_bytes(path, world.read_for(path, Dependency::ComparedByCaller), world, options)
    }

    fn parse_bytes(
        &self,
        path: &Path,
        bytes: Result<Arc<[u8]>, WorldError>,
        world: &dyn World,
        options: impl FnOnce() -> syntax::Options,
    ) -> LoadResult<Arc<ParsedSource>> {
        let fail = |message: String| Box::from(Reason::runtime(message));
        let bytes = bytes.map_err(unreadable)?;
        let (slot, before) = entry(&self.files, path, bytes.clone());
        if let Some(before) = before.as_ref().and_then(|before| before.get()) {
            self.stale.lock().push(before.file.id);
        }
        if let Some(parsed) = slot.get() {
            if parsed.first_error().is_some() {
                let _ = world.read(path);
            }
            return Ok(parsed.clone());
        }
        let defaults = options();
        let options =
            syntax::Options { template: defaults.template, placement: defaults.placement, ..self.options.clone() };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let _ = world.read(path);
                let line =
                    1 + bytes.get(..error.valid_up_to()).map_or(0, |head| memchr::memchr_iter(b'\n', head).count());
                return Err(fail(format!(
                    "{} is not UTF-8 text: invalid byte at offset {} (line {line})",
                    path.display(),
                    error.valid_up_to()
                )));
            }
        };
        let parse = || {
            // Profiles only the parse, not the time that a thread waits for another to parse the file.
            let _step = profile::enter_with(profile::Kind::Parse, || path.to_string_lossy().into_owned());
            profile::set_file(|| Some(path.to_string_lossy()));
            let id = self.sources.add(Some(path), &path.to_string_lossy(), Arc::from(text));
            self.parse(id, &options)
        };
        let parsed = slot.get_or_init(parse).clone();
        // An error may be anywhere in the file, so the compile depends on all of it.
        if parsed.first_error().is_some() {
            let _ = world.read(path);
        }
        Ok(parsed)
    }

    /// Forgets all files: rules for their contents may have changed.
    pub fn clear(&self) {
        self.files.write().clear();
    }

    /// Removes the sources that were replaced since the last call, once messages about them are printed.
    pub fn forget_stale(&self) {
        let stale = std::mem::take(&mut *self.stale.lock());
        self.sources.forget(&stale);
    }

    /// Parses a string that is not a file.
    pub fn parse_string(&self, text: &str, template: bool) -> Arc<ParsedSource> {
        let key = (text.to_owned(), template);
        if let Some(parsed) = self.strings.read().get(&key) {
            return parsed.clone();
        }
        // Puppet uses this file name for inline templates.
        let (path, name) =
            if template { (Some(Path::new("inlined-epp-text")), "inlined-epp-text") } else { (None, "<code>") };
        let id = self.sources.add(path, name, Arc::from(text));
        let options = syntax::Options { template, ..self.options.clone() };
        let parsed = self.parse(id, &options);
        let mut strings = self.strings.write();
        // Templates made from data may all differ: a cache without bound would be a leak.
        if strings.len() >= 4096 {
            let ids = strings.drain().map(|(_, parsed)| parsed.file.id);
            self.stale.lock().extend(ids);
        }
        strings.insert(key, parsed.clone());
        parsed
    }

    /// Parses an ERB template; also returns its source.
    ///
    /// # Errors
    /// The file cannot be read or is not UTF-8.
    pub(crate) fn erb_file(&self, path: &Path, world: &dyn World) -> LoadResult<(Arc<Template>, Arc<[u8]>)> {
        self.parse_tree(path, world, |text| {
            catwalk_ruby_syntax::erb::parse(text.strip_prefix('\u{feff}').unwrap_or(text))
        })
    }

    /// Parses a Ruby file; also returns its source.
    ///
    /// # Errors
    /// The file cannot be read or is not UTF-8.
    pub(crate) fn ruby_file(&self, path: &Path, world: &dyn World) -> LoadResult<(Arc<Template>, Arc<[u8]>)> {
        self.parse_tree(path, world, |text| catwalk_ruby_syntax::parser::parse(text, false))
    }

    fn parse_tree(
        &self,
        path: &Path,
        world: &dyn World,
        parse: impl FnOnce(&str) -> Template,
    ) -> LoadResult<(Arc<Template>, Arc<[u8]>)> {
        let fail = |message: String| Box::from(Reason::runtime(message));
        let bytes = world.read_for(path, Dependency::Parts).map_err(unreadable)?;
        let (slot, _) = entry(&self.templates, path, bytes.clone());
        if let Some(parsed) = slot.get() {
            if parsed.is_err() {
                let _ = world.read(path);
            }
            return Ok((parsed.clone(), bytes));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let _ = world.read(path);
            return Err(fail(format!("{} is not UTF-8 text", path.display())));
        };
        let parsed = slot.get_or_init(|| Arc::new(parse(text))).clone();
        // An error may be anywhere in the file, so the compile depends on all of it.
        if parsed.is_err() {
            let _ = world.read(path);
        }
        Ok((parsed, bytes))
    }

    /// An ERB template that is not a file, parsed.
    pub fn erb_string(&self, text: &str) -> Arc<Template> {
        if let Some(parsed) = self.template_strings.read().get(text) {
            return parsed.clone();
        }
        let parsed = Arc::new(catwalk_ruby_syntax::erb::parse(text));
        let mut strings = self.template_strings.write();
        if strings.len() >= 4096 {
            strings.clear();
        }
        strings.insert(text.to_owned(), parsed.clone());
        parsed
    }

    fn parse(&self, id: FileId, options: &syntax::Options) -> Arc<ParsedSource> {
        let unfinished = ParseGuard { sources: &self.sources, id: Some(id) };
        let read = syntax::parse_with(&self.sources, id, options);
        unfinished.keep();
        Arc::new(ParsedSource::new(read, self.sources.get(id), options))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::time::Instant;

    use super::*;
    use catwalk_base::meter;
    use catwalk_world::Memory;

    #[test]
    fn a_file_whose_parsing_was_ended_is_parsed_again() {
        let files = [("/a.pp", "notice(1)\n".repeat(100_000)), ("/a.erb", "<%= 1 %>\n".repeat(100_000))];
        let world = Memory::new(files);
        let cache = Cache::new();
        let manifest = || cache.parse_file(Path::new("/a.pp"), &world, syntax::Options::default).is_ok();
        let template = || cache.erb_file(Path::new("/a.erb"), &world).is_ok();
        let expired_bounds = || meter::Bounds { stop_at: Some(Instant::now()), ..meter::Bounds::time_only() };
        assert_eq!(meter::run(expired_bounds(), manifest), Err(meter::Exceeded::Time));
        assert_eq!(meter::run(expired_bounds(), template), Err(meter::Exceeded::Time));
        let text = || cache.parse_string(&"notice(1)\n".repeat(100_000), false).diagnostics.len();
        assert_eq!(meter::run(expired_bounds(), text), Err(meter::Exceeded::Time));
        assert!(
            ["/a.pp", "<code>"].iter().all(|name| cache.sources.find(name).is_none()),
            "the source of an interrupted parse is removed"
        );
        assert!(manifest() && template());
    }
}
