//! A site or a module with its tests.
//!
//! In: a directory. Out: its cases, its snapshots; catalogs as text for tests written in Rust.
//!
//! ```no_run
//! let site = catwalk::snapshot::Suite::open("path/to/site")?;
//! insta::assert_snapshot!(site.catalog("web1.example.com"));
//! insta::assert_snapshot!(site.code("include ntp", "debian-12-x86_64"));
//! // Names the snapshot after the node:
//! catwalk::assert_catalog!(site, "web1.example.com");
//! # Ok::<(), catwalk::diag::Reason>(())
//! ```

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::case::Case;
use crate::case::file_name;
use crate::facts::FactSets;
use crate::fixtures;
use crate::matrix;
use crate::matrix::ReadContext;
use crate::matrix::TestFile;
use crate::store::Store;
use crate::text;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::comparable;
use catwalk_base::stack;
use catwalk_program::Module;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::TestNode;
use catwalk_session::repository;
use catwalk_session::site;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Asserts that a node's catalog equals its snapshot: `assert_catalog!(suite, "web1.example.com")`. The crate insta must be a
/// dependency of the tests.
#[macro_export]
macro_rules! assert_catalog {
    ($suite:expr, $certname:expr $(,)?) => {
        ::insta::assert_snapshot!($certname, $suite.catalog($certname))
    };
}

/// A site or a module, opened for tests.
pub struct Suite {
    /// The session.
    pub session: Session,
    /// The directory.
    pub root: PathBuf,
    /// Fact sets.
    pub sets: FactSets,
    world: Arc<Disk>,
}

/// The nearest directory at or above `start` that is a site or a module.
#[must_use]
pub fn find(start: &Path, world: &dyn World) -> Option<PathBuf> {
    let is_suite = |dir: &&Path| {
        [site::FILE, "environment.conf", "metadata.json"].iter().any(|name| world.kind(&dir.join(name)) == Kind::File)
    };
    start.ancestors().find(is_suite).map(Path::to_path_buf)
}

/// The module in a directory, named by its `metadata.json`; `None` if it is not a module.
///
/// # Errors
/// The file does not parse or names no module.
fn module(root: &Path, world: &dyn World) -> Result<Option<Module>, Reason> {
    if !repository::is_module(root, world) {
        return Ok(None);
    }
    let path = root.join("metadata.json");
    let Ok(bytes) = world.read(&path) else { return Ok(None) };
    let wrong = |why: &str, location| Reason::new(Code::BAD_SITE, format!("metadata.json: {why}")).in_file(location);
    let document = json::parse(&bytes).map_err(|error| wrong(error.summary(), error.location(&path, &bytes)))?;
    let name = match &document {
        Value::Hash(document) => document.get("name").and_then(Value::as_str),
        _ => None,
    };
    let name = name.ok_or_else(|| wrong("it has no `name`", DataLocation::new(&path, &bytes, (1, 1))))?;
    let short = name.rsplit(['-', '/']).next().unwrap_or(name);
    Ok(Some(Module::new(Arc::from(short), root.to_path_buf())))
}

/// Adds a module and its dependencies to the modulepath. A modulepath of the command line or the site is kept.
fn add_module(module: Module, options: &mut Options, world: &dyn World) {
    let fixtures = fixtures::find_fixtures(&module, world);
    let names_modulepath = |root: &Path| {
        let site = site::Site::open(root, world);
        site.is_ok_and(|site| site.modulepath.is_some()) || world.kind(&root.join("environment.conf")) == Kind::File
    };
    if options.modulepath.is_none() && !options.root.as_deref().is_some_and(names_modulepath) {
        options.modulepath = Some(fixtures.folders);
    }
    options.fixtures = fixtures.modules;
    options.dependencies = fixtures.dependencies;
    options.module = Some(module);
}

/// Adds the site's directory as a module, if it is one.
///
/// # Errors
/// Its `metadata.json` does not parse or names no module.
pub fn with_module(root: &Path, options: &mut Options, world: &dyn World) -> Result<(), Reason> {
    if let Some(module) = module(root, world)? {
        add_module(module, options, world);
    }
    Ok(())
}

/// Adds the nearest directory at or above `start` that is a module and not a site, with its dependencies to the modulepath; returns its name.
///
/// # Errors
/// Its `metadata.json` does not parse or names no module.
pub fn in_module(start: &Path, options: &mut Options, world: &dyn World) -> Result<Option<Arc<str>>, Reason> {
    let Some(root) = find(start, world) else { return Ok(None) };
    let Some(module) = module(&root, world)? else { return Ok(None) };
    let name = module.name.clone();
    add_module(module, options, world);
    Ok(Some(name))
}

/// The test files of a site: `.yaml` and `.yml` directly in the folder of tests.
///
/// # Errors
/// The folder cannot be listed, or a file cannot be read or is not a test file.
pub fn files(session: &Session, context: &ReadContext<'_>) -> Result<Vec<TestFile>, Reason> {
    let configured = session.site.tests.is_some();
    let folder = session.site.tests_place(context.root).path();
    let entries = match context.world.list(&folder) {
        Ok(entries) => entries,
        Err(_) if !configured => return Ok(Vec::new()),
        Err(refused) => {
            return Err(Reason::new(Code::BAD_SITE, format!("the folder of tests: {refused}")).because(refused.cause()));
        }
    };
    let is_test = |name: &str| (name.ends_with(".yaml") || name.ends_with(".yml")) && !name.starts_with('.');
    let files = entries.iter().filter(|entry| entry.kind == Kind::File && is_test(&entry.name));
    files.map(|entry| matrix::read(&folder.join(entry.name.as_ref()), context)).collect()
}

/// One warning for all systems of `metadata.json` that the test files skip because they have no fact set.
#[must_use]
pub fn systems_without_facts(files: &[TestFile]) -> Option<Diagnostic> {
    let mut systems: Vec<&str> = files.iter().flat_map(|file| &file.without_facts).map(String::as_str).collect();
    systems.sort_unstable();
    systems.dedup();
    if systems.is_empty() {
        return None;
    }
    let text = format!("systems of metadata.json without a fact set are not tested: {}", systems.join(", "));
    let help =
        "`facts = [\"FOLDER\"]` in catwalk.toml adds fact sets, such as those of facterdb; `except` leaves systems out";
    let reason = Reason::new(Code::NO_FACT_SET, text).help(help);
    Some(Diagnostic::new(reason, None).severity(Severity::Warning))
}

/// All cases of a site, of its nodes and of test files; their names are unique.
///
/// # Errors
/// The folder of nodes does not exist; two cases with one name.
pub fn cases(session: &Session, root: &Path, files: &[TestFile]) -> Result<Vec<Case>, Reason> {
    let source = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let mut cases: Vec<Case> = session.nodes()?.iter().map(|(name, path)| Case::node(name, &source(path))).collect();
    cases.extend(files.iter().flat_map(|file| file.cases.iter().cloned()));
    let mut titles: std::collections::BTreeMap<&str, &str> = std::collections::BTreeMap::new();
    for case in &cases {
        if let Some(first) = titles.insert(&case.name, &case.title) {
            let text = format!("two cases have the snapshot {}: '{first}' and '{}'", case.name, case.title);
            return Err(Reason::new(Code::BAD_TEST, text).help("rename one of them"));
        }
    }
    Ok(cases)
}

impl Suite {
    /// Opens a site or a module with the options of the command line.
    ///
    /// # Errors
    /// The directory is neither a site nor a module, its configuration is invalid, or facts cannot be read.
    pub fn open_with(root: &Path, options: Options, world: Arc<Disk>) -> Result<Suite, Reason> {
        let has_file = |name: &str| world.kind(&root.join(name)) == Kind::File;
        let is_site = has_file(site::FILE)
            || has_file("environment.conf")
            || repository::is_control_repository_with_metadata(root, world.as_ref());
        if !is_site && !has_file("metadata.json") {
            let text = format!("{} has no catwalk.toml, environment.conf or metadata.json", root.display());
            return Err(Reason::new(Code::BAD_SITE, text));
        }
        let mut options = Options { root: is_site.then(|| root.to_path_buf()), ..options };
        with_module(root, &mut options, world.as_ref())?;
        let session = Session::open(options, world.clone())?;
        let mut sets = FactSets::built_in(session.options.agent(Some(&session.site)));
        for path in &session.site.facts {
            sets.load(path, world.as_ref())?;
        }
        Ok(Suite { session, root: root.to_path_buf(), sets, world })
    }

    /// Opens a site or a module.
    ///
    /// # Errors
    /// As [`Suite::open_with`].
    pub fn open(root: impl AsRef<Path>) -> Result<Suite, Reason> {
        Suite::open_with(root.as_ref(), Options::default(), Arc::new(Disk::new()))
    }

    /// The folder of snapshots from `catwalk.toml`, or `snapshots`.
    #[must_use]
    pub fn store(&self) -> Store {
        Store::new(self.session.site.snapshots_place(&self.root))
    }

    /// The world from which files are read.
    #[must_use]
    pub fn world(&self) -> &dyn World {
        self.world.as_ref()
    }

    /// The test files: `.yaml` and `.yml` directly in the folder of tests.
    ///
    /// # Errors
    /// The folder cannot be listed, or a file cannot be read or is not a test file.
    pub fn files(&self) -> Result<Vec<TestFile>, Reason> {
        let overrides = &self.session.options.fact_overrides;
        let context = ReadContext { root: &self.root, sets: &self.sets, overrides, world: self.world.as_ref() };
        files(&self.session, &context)
    }

    /// All cases; their names are unique.
    ///
    /// # Errors
    /// The folder of nodes does not exist; two cases with one name.
    pub fn cases(&self, files: &[TestFile]) -> Result<Vec<Case>, Reason> {
        cases(&self.session, &self.root, files)
    }

    /// The catalog of a node in the format of snapshots, or its error. If it differs from the accepted snapshot only in tokens of
    /// secrets that were created with a different key, the body of the snapshot is returned.
    #[must_use]
    pub fn catalog(&self, certname: &str) -> String {
        let certname: Arc<str> = Arc::from(certname);
        let compiled = stack::with_large(|| {
            let mut compiled = self.session.compile_all(std::slice::from_ref(&certname), &|_| ());
            compiled.pop()
        });
        let text = self.body(compiled.ok().flatten());
        match self.store().accepted(&file_name(&certname)) {
            Ok(Some(snapshot)) => {
                let (before, after) = comparable(&snapshot.text, text.trim_end());
                if before == after { snapshot.text } else { text }
            }
            _ => text,
        }
    }

    /// The catalog of code, in the format of snapshots. `fact_set` is a name such as `debian-12-x86_64`.
    #[must_use]
    pub fn code(&self, code: &str, fact_set: &str) -> String {
        let set = match self.sets.named(fact_set).map(|sets| sets.first().copied()) {
            Ok(Some(set)) => set,
            Ok(None) => return format!("error: no fact set is called '{fact_set}'\n"),
            Err(why) => return format!("error: {why}\n"),
        };
        let test_node = TestNode {
            certname: set.certname.clone().unwrap_or_else(|| Arc::from("test.example.com")),
            facts: set.facts.clone(),
            code: Some(code.to_owned()),
            ..TestNode::default()
        };
        self.body(self.session.compile_test_nodes(std::slice::from_ref(&test_node)).pop())
    }

    fn body(&self, compiled: Option<catwalk_session::Compiled>) -> String {
        match compiled.map(|compiled| compiled.result) {
            Some(Ok(catalog)) => match text::of_catalog(&catalog, &self.root, &self.session.site.rules) {
                Ok((text, _)) => text,
                Err(reason) => format!("error: {}\n", reason.message),
            },
            Some(Err(failure)) => text::of_error(&failure, &self.root, self.session.sources()),
            None => "error: the compile did not end\n".to_owned(),
        }
    }
}
