//! Exported resources of other nodes: from the catalogs of the site, from a directory of catalogs, from a store, or from
//! PuppetDB.
//!
//! All nodes are compiled; those that collect are then recompiled with the resources that the others export, until nothing
//! changes.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::IndexSet;

use crate::session::Compiled;
use crate::session::NodeSource;
use crate::session::Options;
use crate::session::PreparedNode;
use crate::session::Session;
use crate::session::compile::PreparedNodes;
use crate::session::site::Site;
use crate::session::stored::StoredNodes;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::ExportSource;
use catwalk_catalog::Exports;
use catwalk_formats::wire;
use catwalk_formats::wire::format::Format;
use catwalk_puppetdb::PuppetDb;
use catwalk_puppetdb::check_url;
use catwalk_puppetdb::is_url;
use catwalk_world::Kind;
use catwalk_world::World;

/// The source of exported resources of other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportedFrom {
    /// From the catalogs of the site's nodes.
    Site,
    /// From a directory of catalogs (`wire::archive`).
    Directory(PathBuf),
    /// From a store file.
    Store(PathBuf),
    /// From PuppetDB at this address; `None`: the address is in `catwalk.toml`.
    PuppetDb(Option<String>),
}

impl ExportedFrom {
    /// The source that a string names: `site`, `puppetdb`, the address of a PuppetDB, or a path: a store, `FILE.db`, or a
    /// directory of catalogs.
    #[must_use]
    pub fn from_name(name: &str, absolute: impl Fn(&str) -> PathBuf) -> ExportedFrom {
        match name {
            "site" => ExportedFrom::Site,
            "puppetdb" => ExportedFrom::PuppetDb(None),
            url if is_url(url) => ExportedFrom::PuppetDb(Some(url.to_owned())),
            path if path.ends_with(".db") => ExportedFrom::Store(absolute(path)),
            path => ExportedFrom::Directory(absolute(path)),
        }
    }

    /// The path that is read.
    #[must_use]
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            ExportedFrom::Site | ExportedFrom::PuppetDb(_) => None,
            ExportedFrom::Directory(path) | ExportedFrom::Store(path) => Some(path),
        }
    }
}

/// The maximum number of rounds of compiles, since collected resources can export more resources, which other nodes collect.
const MAX_PASSES: usize = 10;

impl Session {
    /// The source of exported resources for collectors. For [`ExportedFrom::Site`], the resources of the nodes compiled so far.
    pub(super) fn exports(&self) -> Option<Arc<dyn ExportSource>> {
        self.exports.read().clone()
    }

    fn set_exports(&self, exports: Exports) {
        *self.exports.write() = Some(Arc::new(exports));
    }

    /// Starts collecting exported resources, even if there are none yet.
    pub(super) fn begin_exports(&self) {
        self.exports.write().get_or_insert_with(|| Arc::new(Exports::default()));
    }

    /// Compiles all nodes of the site and the named ones until their exported resources stay the same. The nodes that `keeps` selects are
    /// among `prepared` afterwards.
    pub(super) fn compile_collecting(
        &self,
        names: &[Arc<str>],
        prepared: &PreparedNodes,
        keeps: &(dyn Fn(&str) -> bool + Sync),
    ) -> Vec<Compiled> {
        let keeps = |compiled: &Compiled| compiled.collects || keeps(&compiled.certname);
        let site_nodes = self.nodes().unwrap_or_default().into_keys();
        let all: IndexSet<Arc<str>> = site_nodes.chain(names.iter().cloned()).collect();
        let all: Vec<Arc<str>> = all.into_iter().collect();
        let mut exports = Exports::default();
        self.set_exports(exports.clone());
        let first = self.compile_each_of(&all, prepared, keeps);
        let mut compiled: IndexMap<Arc<str>, Compiled> =
            first.into_iter().map(|result| (result.certname.clone(), result)).collect();
        for _ in 0..MAX_PASSES {
            let current = collect_exports(compiled.values_mut());
            if current == exports {
                break;
            }
            exports = current;
            self.set_exports(exports.clone());
            let collecting: Vec<Arc<str>> =
                compiled.values().filter(|result| result.collects).map(|result| result.certname.clone()).collect();
            for result in self.compile_each_of(&collecting, prepared, keeps) {
                compiled.insert(result.certname.clone(), result);
            }
        }
        names.iter().filter_map(|name| compiled.shift_remove(name)).collect()
    }
}

impl Session {
    /// Compiles all nodes of the site if collectors use its exported resources, for work with single nodes. Returns the nodes that
    /// `keeps` selects as they were prepared.
    pub(super) fn gather_exports(&self, keeps: &(dyn Fn(&str) -> bool + Sync)) -> PreparedNodes {
        let prepared = PreparedNodes::default();
        if self.options.exported == Some(ExportedFrom::Site) {
            self.compile_collecting(&[], &prepared, keeps);
        }
        prepared
    }

    /// Prepares a node of the site whose collectors may use the site's exported resources: all other nodes are compiled first.
    ///
    /// # Errors
    /// As [`Session::prepare`].
    pub fn prepare_with_exports(&self, certname: &str) -> Result<PreparedNode, Box<Diagnostic>> {
        let prepared = self.gather_exports(&|name| name == certname).take(certname);
        prepared.map_or_else(|| self.prepare(NodeSource::Site(certname)), Ok)
    }

    /// Recompiles nodes that collect until exported resources stay the same. The exports of `others` do not depend on collected
    /// resources; `results` are those of nodes that were compiled already.
    pub(super) fn settle(
        &self,
        collecting: &[Arc<str>],
        others: &IndexMap<Arc<str>, Option<Arc<Exports>>>,
        prepared: &PreparedNodes,
        results: &mut IndexMap<Arc<str>, Compiled>,
    ) {
        let mut exports = Exports::default();
        self.set_exports(exports.clone());
        let collects: IndexSet<&Arc<str>> = collecting.iter().collect();
        let keeps = |compiled: &Compiled| compiled.collects;
        for result in self.compile_each_of(collecting, prepared, keeps) {
            results.insert(result.certname.clone(), result);
        }
        for _ in 0..MAX_PASSES {
            // The order of all nodes, as after a first compile.
            let mut names: Vec<Arc<str>> = others.keys().chain(results.keys()).cloned().collect();
            names.sort();
            let mut current = Exports::default();
            for name in &names {
                match results.get_mut(name) {
                    Some(result) => add_exports(&mut current, result),
                    None => {
                        if let Some(Some(exports)) = others.get(name) {
                            current.extend(exports);
                        }
                    }
                }
            }
            if current == exports {
                break;
            }
            exports = current;
            self.set_exports(exports.clone());
            let collecting: Vec<Arc<str>> = results
                .values()
                .filter(|result| result.collects || collects.contains(&result.certname))
                .map(|result| result.certname.clone())
                .collect();
            for result in self.compile_each_of(&collecting, prepared, keeps) {
                results.insert(result.certname.clone(), result);
            }
        }
    }
}

/// The exported resources of catalogs. A catalog that PuppetDB would refuse exports nothing.
fn collect_exports<'a>(compiled: impl Iterator<Item = &'a mut Compiled>) -> Exports {
    let mut exports = Exports::default();
    compiled.for_each(|result| add_exports(&mut exports, result));
    exports
}

fn add_exports(exports: &mut Exports, result: &mut Compiled) {
    let Ok(catalog) = &result.result else { return };
    if !catalog.resources.iter().any(|resource| resource.exported == Some(true)) {
        return;
    }
    let node_exports = wire::puppetdb::document_of_version_4(catalog)
        .and_then(|document| Exports::from_catalog(&result.certname, catalog, &document).map_err(Reason::runtime));
    let reason = match node_exports {
        Ok(node_exports) => return exports.extend(&node_exports),
        Err(reason) => reason,
    };
    let text = format!("no other node can collect what this one exports: {}", reason.message);
    let warning = Diagnostic::new(Reason::new(Code::NOT_EXPORTED, text), None).severity(Severity::Warning);
    if !result.logs.iter().any(|log| log.message == warning.message) {
        result.logs.push(warning);
    }
}

/// The exported resources of the catalogs in a directory.
///
/// # Errors
///
/// The directory is missing, a file in it is not a catalog, or none of them can contain exported resources.
pub(super) fn read_directory(folder: &std::path::Path, world: &dyn World) -> Result<Exports, Reason> {
    let bad = |path: &std::path::Path, why: &dyn std::fmt::Display| {
        Reason::new(Code::BAD_CATALOG, format!("{}: {why}", path.display()))
    };
    let entries = world.list(folder).map_err(|refused| bad(folder, &refused))?;
    let mut exports = Exports::default();
    let mut is_native = None;
    let files = entries.iter().filter(|entry| entry.kind == Kind::File);
    for (certname, name) in &wire::archive::files(files.map(|entry| &*entry.name)) {
        let path = folder.join(name.as_ref());
        let bytes = world.read(&path).map_err(|refused| bad(&path, &refused))?;
        let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| bad(&path, &error))?;
        let format = wire::format::detect(&document);
        let has_exports = |format| !matches!(format, Some(Format::Native | Format::Native1));
        is_native = Some(is_native.unwrap_or(true) && !has_exports(format));
        let secrets = Secrets::from_document(&document, &Key::default());
        let document = Redacted::for_submission(document, &secrets);
        exports.add(certname, &document).map_err(|why| bad(&path, &why))?;
    }
    if is_native == Some(true) && exports == Exports::default() {
        let why = "the catalogs in it are in the native format, which is without exported resources";
        return Err(bad(folder, &why).help("`catwalk compile --format wire9 --output DIR` writes catalogs with them"));
    }
    Ok(exports)
}

/// The source of exported resources, before any node of the site is compiled.
///
/// # Errors
///
/// A directory of catalogs cannot be read.
pub(super) fn open_source(
    options: &Options,
    puppetdb: PuppetDb,
    stored: Option<&Arc<StoredNodes>>,
    world: &dyn World,
) -> Result<Option<Arc<dyn ExportSource>>, Reason> {
    Ok(match &options.exported {
        Some(ExportedFrom::Directory(folder)) => Some(Arc::new(read_directory(folder, world)?)),
        Some(ExportedFrom::PuppetDb(_)) => Some(Arc::new(puppetdb)),
        _ => stored.map(|stored| Arc::clone(stored) as Arc<dyn ExportSource>),
    })
}

/// The PuppetDB that the options name for collectors, else that of the site.
///
/// # Errors
/// Collectors use PuppetDB, and its address is unknown; or `puppetdb.conf` is wrong.
pub(super) fn puppetdb(options: &Options, site: &Site, world: &dyn World) -> Result<PuppetDb, Reason> {
    let mut puppetdb = site.puppetdb(world)?;
    if let Some(ExportedFrom::PuppetDb(url)) = &options.exported {
        if let Some(url) = url {
            check_url(url).map_err(|why| Reason::new(Code::BAD_SITE, why))?;
            puppetdb.urls = vec![url.clone()];
        }
        if !puppetdb.is_configured() {
            let reason = Reason::new(Code::BAD_SITE, "no address of PuppetDB is set");
            return Err(reason.help("set `url` in [puppetdb] of catwalk.toml"));
        }
    }
    Ok(puppetdb)
}
