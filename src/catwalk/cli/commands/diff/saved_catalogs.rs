//! The old side of `catwalk diff --against` and `--puppetdb`: saved catalogs.

use std::path::PathBuf;

use crate::cli::commands::diff::Arguments;
use crate::cli::commands::diff::Sides;
use crate::cli::commands::diff::comparison_error;
use crate::cli::commands::diff::revisions;
use crate::cli::options;
use catwalk_base::diag::Reason;
use catwalk_compare::OldSide;
use catwalk_compare::list_catalog_files;
use catwalk_compare::read_catalog;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

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
    let (catalogs, close) = catwalk_compare::catalogs_of_puppetdb(session)?;
    (sides.old, sides.close) = (OldSide::Catalogs(catalogs), close);
    Ok(())
}
