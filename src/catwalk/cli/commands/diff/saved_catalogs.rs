//! The old side of `catwalk diff --against` and `--puppetdb`: saved catalogs.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::json;

use crate::cli::commands::diff::Arguments;
use crate::cli::commands::diff::Sides;
use crate::cli::commands::diff::comparison_error;
use crate::cli::commands::diff::revisions;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_compare::OldSide;
use catwalk_formats::wire;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The name of the file for PuppetDB's catalogs with `--record` and `--replay`.
const TAPE: &str = "catalogs";

pub(super) fn open(args: &Arguments) -> Result<Sides, Reason> {
    let (new, label, notes) = revisions::open_new_side(args)?;
    let mut sides = Sides {
        old: OldSide::Catalogs(Box::new(|_| Ok(None))),
        new,
        labels: (String::new(), label),
        inputs: None,
        only_old: Vec::new(),
        close: Box::new(|| Ok(())),
        notes,
    };
    match &args.against {
        Some(path) => read_from_files(args, options::absolute(path)?, &mut sides)?,
        None => read_from_puppetdb(&mut sides)?,
    }
    Ok(sides)
}

/// Makes the catalogs in a directory, or the catalog in a file, the old side.
fn read_from_files(args: &Arguments, path: PathBuf, sides: &mut Sides) -> Result<(), Reason> {
    let disk = Disk::new();
    sides.labels.0 = path.display().to_string();
    match disk.kind(&path) {
        Kind::Missing => return Err(comparison_error(format!("no such file or directory: {}", path.display()))),
        Kind::Directory => {
            let files = list_catalog_files(&path, &disk)?;
            // Saved catalogs of other nodes are compared only if all nodes are requested.
            if args.nodes.is_empty() && args.site.facts.is_none() {
                sides.only_old = files.keys().cloned().collect();
            }
            sides.old = OldSide::Catalogs(Box::new(move |certname| match files.get(certname) {
                Some(name) => read_catalog(&path.join(name.as_ref()), &disk),
                None => Ok(None),
            }));
        }
        Kind::File => {
            sides.old = OldSide::Catalogs(Box::new(move |_| read_catalog(&path, &disk)));
            if args.nodes.len() != 1 && args.site.facts.is_none() {
                return Err(Reason::usage("a single catalog belongs to one node: name it with --nodes"));
            }
        }
    }
    Ok(())
}

/// Makes the latest catalogs in PuppetDB the old side.
fn read_from_puppetdb(sides: &mut Sides) -> Result<(), Reason> {
    let session = &sides.new.session;
    if !session.site.puppetdb(&Disk::new())?.is_configured() && session.options.tape.is_none() {
        let text = "no address of PuppetDB is set";
        return Err(Reason::usage(text).help("set `url` in [puppetdb] of catwalk.toml"));
    }
    sides.labels.0 = "PuppetDB".to_owned();
    let queries = Arc::new(session.external_queries(TAPE)?);
    // If PuppetDB does not respond, nothing can be compared.
    let failure: Arc<OnceLock<Reason>> = Arc::default();
    let (queries_of_catalogs, first_failure) = (queries.clone(), failure.clone());
    sides.old = OldSide::Catalogs(Box::new(move |certname| {
        if let Some(reason) = first_failure.get() {
            return Err(reason.clone());
        }
        let query = json!(["from", "catalogs", ["=", "certname", certname]]);
        match queries_of_catalogs.world().puppetdb(&query) {
            Err(why) => {
                let why = format!("the catalog of {certname} cannot be read from PuppetDB: {why}");
                Err(first_failure.get_or_init(|| Reason::new(Code::PUPPETDB, why)).clone())
            }
            Ok(Value::Array(rows)) if rows.is_empty() => Ok(None),
            Ok(rows) => Ok(Some(rows)),
        }
    }));
    sides.close = Box::new(move || match failure.get() {
        Some(reason) => Err(reason.clone()),
        None => queries.close(),
    });
    Ok(())
}

/// The files of catalogs in a directory, by node.
fn list_catalog_files(folder: &Path, disk: &Disk) -> Result<IndexMap<Arc<str>, Arc<str>>, Reason> {
    let entries = disk.list(folder).map_err(|refused| comparison_error(refused.to_string()))?;
    Ok(wire::archive::files(entries.iter().filter(|entry| entry.kind == Kind::File).map(|entry| &*entry.name)))
}

fn read_catalog(path: &Path, disk: &Disk) -> Result<Option<Value>, Reason> {
    let bad = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_CATALOG, format!("{}: {why}", path.display()));
    match disk.read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| bad(&error)),
        Err(WorldError::Missing(_)) => Ok(None),
        Err(refused) => Err(bad(&refused)),
    }
}
