//! The sides of `catwalk diff --environment A B`: two directories with the same parent.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::commands::diff::Arguments;
use crate::cli::commands::diff::Sides;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_compare::OldSide;
use catwalk_compare::Side;
use catwalk_session::Session;
use catwalk_session::site::Site;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The directories of two environments.
pub(super) struct Pair {
    names: [String; 2],
    folder: PathBuf,
    /// The folder of nodes of the site of `--site` or the current directory.
    nodes: Option<PathBuf>,
}

/// The requested environments: the value of `--environment`, and an argument that is a directory with the same parent.
pub(super) fn requested_pair(args: &Arguments) -> Result<Option<Pair>, Reason> {
    let (Some(first), [second]) = (&args.site.environment, args.revisions.as_slice()) else { return Ok(None) };
    let disk = Disk::new();
    let here = options::current_dir()?;
    let root = match &args.site.site {
        Some(site) => Some(options::absolute(site)?),
        None => Site::find(&here, &disk),
    };
    let mut folders = Vec::new();
    let environment_paths = args.site.settings.iter().filter_map(|text| text.strip_prefix("environmentpath="));
    for path in environment_paths.flat_map(|list| list.split(':')) {
        folders.push(options::absolute(path.as_ref())?);
    }
    for base in root.iter().chain(std::iter::once(&here)) {
        folders.extend(
            [base.parent().map(PathBuf::from), Some(base.clone()), Some(base.join("environments"))]
                .into_iter()
                .flatten(),
        );
    }
    let has = |folder: &PathBuf, name: &str| disk.kind(&folder.join(name)) == Kind::Directory;
    let found = folders.into_iter().find(|folder| has(folder, first) && has(folder, second));
    let nodes = || root.and_then(|root| Site::open(&root, &disk).ok()?.nodes);
    Ok(found.map(|folder| Pair { names: [first.clone(), second.clone()], folder, nodes: nodes() }))
}

pub(super) fn open(args: &Arguments, pair: &Pair) -> Result<Sides, Reason> {
    let [old, new] = &pair.names;
    let (mut old, mut new) = (open_side(args, pair, old)?, open_side(args, pair, new)?);
    // Facts belong to nodes, not to environments: either environment may have them.
    let folders = [old.session.site.nodes.clone(), new.session.site.nodes.clone(), pair.nodes.clone()];
    let nodes = folders.into_iter().flatten().next();
    for side in [&mut old, &mut new] {
        let missing = side.session.site.nodes.as_ref().is_none_or(|folder| side.world.kind(folder) != Kind::Directory);
        if missing {
            side.session.site.nodes.clone_from(&nodes);
        }
    }
    let [first, second] = pair.names.clone();
    Ok(Sides {
        old: OldSide::Session(Box::new(old)),
        new,
        labels: (format!("environment {first}"), format!("environment {second}")),
        inputs: None,
        only_old: Vec::new(),
        close: Box::new(|| Ok(())),
        notes: Vec::new(),
    })
}

fn open_side(args: &Arguments, pair: &Pair, name: &str) -> Result<Side, Reason> {
    // Facts of the nodes may be in the other environment, or in the site that contains both.
    let mut readable: Vec<PathBuf> = pair.names.iter().map(|name| pair.folder.join(name)).collect();
    readable.extend(pair.nodes.clone());
    let site = SiteArgs {
        site: Some(pair.folder.join(name)),
        environment: Some(name.to_owned()),
        readable,
        ..args.site.clone()
    };
    let disk = Arc::new(Disk::new());
    let session = Session::open(options::for_comparison(&site, disk.as_ref())?, disk.clone())?;
    Ok(Side::new(session, disk))
}
