//! Sources and positions in them.
//!
//! In: the path and text of a file. Out: [`Source`] (text, line table) and [`Span`], a position in it.
//! Must not: read files, know the language of a source.
//!
//! A [`Span`] is three words of 32 bits and `Copy`; the [`SourceMap`] converts it to file, line and column. File ids are
//! not reused: a span of a cached syntax tree remains valid after the file was edited, until the source is removed.

pub mod path;

use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

/// Identifies a source of the process's [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The source.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of `file`, in bytes.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clip(start), end: clip(end) }
    }

    /// The smallest range that contains both ranges; `self` if they are in different files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A source with its path and its line table.
#[derive(Debug)]
pub struct Source {
    /// The absolute path, or `None` for code from the command line.
    pub path: Option<PathBuf>,
    /// The name in messages: the path, or a name such as `<unknown file>`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    lines: OnceLock<Vec<u32>>,
}

impl Source {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(newlines.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX))).collect()
        })
    }

    /// The 1-based line of a byte offset.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        let line = self.lines().partition_point(|start| *start <= offset);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// The 1-based line and the 1-based column in characters, as Puppet counts.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.lines().get(line as usize - 1).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..offset as usize).map_or(0, |text| text.chars().count());
        (line, u32::try_from(before + 1).unwrap_or(u32::MAX))
    }

    /// The byte offset of a 1-based line and column (in characters).
    #[must_use]
    pub fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.lines().get(line.checked_sub(1)?)? as usize;
        let rest = self.text.get(start..)?;
        let within = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
        Some(start + within)
    }
}

/// All sources of a process. Cheap to clone, shared by all threads.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Arc<RwLock<Vec<Option<Arc<Source>>>>>,
    /// The directory that messages show paths relative to.
    root: Option<Arc<Path>>,
    /// Literals of the sources that are secret.
    secrets: Arc<RwLock<BTreeSet<String>>>,
}

impl SourceMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// An empty map whose paths are shown relative to the directory of the site.
    #[must_use]
    pub fn below(root: Option<&Path>) -> SourceMap {
        SourceMap { root: root.map(Arc::from), ..SourceMap::default() }
    }

    /// A path as messages show it: see [`path::shown`].
    #[must_use]
    pub fn shown_path<'p>(&self, path: &'p Path) -> Cow<'p, str> {
        path::shown(path, self.root.as_deref())
    }

    /// The name of a source as messages for people show it: see [`path::shown`].
    #[must_use]
    pub fn shown_name<'s>(&self, source: &'s Source) -> Cow<'s, str> {
        self.shown_path(Path::new(source.name.as_ref()))
    }

    /// Adds a source that was read from `path` (or passed directly) under the name that messages use.
    pub fn add(&self, path: Option<&Path>, name: &str, text: Arc<str>) -> FileId {
        let source = Source { path: path.map(Path::to_path_buf), name: Arc::from(name), text, lines: OnceLock::new() };
        let mut sources = self.sources.write();
        let id = FileId(u32::try_from(sources.len()).unwrap_or(u32::MAX));
        sources.push(Some(Arc::new(source)));
        id
    }

    /// Marks literals of a source as secret: [`SourceMap::hide`] replaces them.
    pub fn add_secrets<'l>(&self, literals: impl IntoIterator<Item = &'l str>) {
        let mut secrets = self.secrets.write();
        for literal in literals {
            if !secrets.contains(literal) {
                secrets.insert(literal.to_owned());
            }
        }
    }

    /// A text about the sources, such as an excerpt, with `<Sensitive>` in place of each secret literal that is quoted in it.
    #[must_use]
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let secrets = self.secrets.read();
        let mut hidden = Cow::Borrowed(text);
        for literal in secrets.iter().filter(|literal| text.contains(literal.as_str())) {
            for quote in ['\'', '"'] {
                let shown = hidden.replace(&format!("{quote}{literal}{quote}"), &format!("{quote}<Sensitive>{quote}"));
                hidden = Cow::Owned(shown);
            }
        }
        hidden
    }

    /// The source with this id.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<Arc<Source>> {
        let sources = self.sources.read();
        sources.get(file.0 as usize).cloned().flatten()
    }

    /// Removes sources, so that their positions can no longer be located.
    pub fn forget(&self, files: &[FileId]) {
        let mut sources = self.sources.write();
        for file in files {
            if let Some(source) = sources.get_mut(file.0 as usize) {
                *source = None;
            }
        }
    }

    /// The newest source with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FileId> {
        let sources = self.sources.read();
        let at =
            sources.iter().rposition(|source| source.as_ref().is_some_and(|source| source.name.as_ref() == name))?;
        u32::try_from(at).ok().map(FileId)
    }

    /// The source, 1-based line and column of a span's start.
    #[must_use]
    pub fn locate(&self, span: Span) -> Option<(Arc<Source>, u32, u32)> {
        let source = self.get(span.file)?;
        let (line, column) = source.line_column(span.start);
        Some((source, line, column))
    }
}
