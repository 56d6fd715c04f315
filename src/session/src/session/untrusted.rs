//! Sites whose code is untrusted: the paths that they may read, and those that their configuration may name.
//!
//! In: options, a site. Out: a disk with a guard; errors for paths outside. Paths on the command line may be read; paths in
//! `catwalk.toml` and `environment.conf` must be inside of the site; limits there may only be lowered. Must not: know which questions are refused.

use std::path::Path;
use std::path::PathBuf;

use crate::session::ExportedFrom;
use crate::session::Options;
use crate::session::site;
use crate::session::site::Site;
use catwalk_base::diag::FORBIDDEN;
use catwalk_base::diag::Reason;
use catwalk_program::Environment;
use catwalk_world::Disk;
use catwalk_world::Guard;
use catwalk_world::output::Place;
use catwalk_world::tape;

impl Options {
    /// Restricts a disk to the questions that untrusted code may ask.
    pub fn confine(&self, world: &Disk) {
        if world.guard().is_none() {
            let programs = self.enc.iter().filter(|path| path.extension().is_none_or(|extension| extension != "rhai"));
            let guard = Guard::new(self.readable_paths().iter().map(PathBuf::as_path), &self.directory, world);
            world.confine(guard.with_programs(programs.cloned().collect()));
        }
    }

    /// The paths that untrusted code may read: the site, or an individually named module, and paths on the command line.
    fn readable_paths(&self) -> Vec<PathBuf> {
        let module = self.module.iter().map(|module| &module.root);
        let files = [&self.manifest, &self.facts, &self.trusted, &self.server_facts, &self.enc, &self.hiera];
        let mut roots: Vec<PathBuf> =
            self.root.iter().chain(module).chain(files.into_iter().flatten()).cloned().collect();
        roots.extend(self.modulepath.iter().flatten().chain(&self.readable).cloned());
        roots.extend(self.exported.as_ref().and_then(ExportedFrom::path).cloned());
        if let Some(folder) = self.tape.as_ref().map(tape::Mode::folder) {
            roots.push(folder);
        }
        let set = self.set.iter().flat_map(|(_, value)| value.split(':')).map(Path::new);
        roots.extend(set.filter(|path| path.is_absolute() && path.parent().is_some()).map(Path::to_path_buf));
        roots
    }

    /// Restricts the disk if the site declares its code untrusted, and checks the paths and limits in `catwalk.toml`.
    ///
    /// # Errors
    ///
    /// A path is outside of the site, or a limit is higher than the default, and its code is untrusted.
    pub(super) fn check_site(&self, site: &Site, world: &Disk) -> Result<(), Reason> {
        if site.untrusted == Some(true) {
            self.confine(world);
        }
        let Some(guard) = world.guard() else { return Ok(()) };
        let unless = |is_overridden: bool, path: &Option<PathBuf>| {
            path.iter().filter(|_| !is_overridden).cloned().collect::<Vec<_>>()
        };
        let written = |is_overridden: bool, place: &Option<Place>| {
            place.iter().filter(|_| !is_overridden).map(Place::path).collect::<Vec<_>>()
        };
        let exported = site.exported.as_ref().and_then(ExportedFrom::path).filter(|_| self.exported.is_none());
        let exported = exported.into_iter().cloned().collect();
        let modulepath =
            if self.modulepath.is_none() { site.modulepath.clone().unwrap_or_default() } else { Vec::new() };
        for (key, paths) in [
            ("modulepath", modulepath),
            ("manifest", unless(self.manifest.is_some(), &site.manifest)),
            ("hiera", unless(false, &site.hiera)),
            ("nodes", unless(false, &site.nodes)),
            ("trusted", unless(self.trusted.is_some(), &site.trusted)),
            ("server_facts", unless(self.server_facts.is_some(), &site.server_facts)),
            ("snapshots", written(self.snapshots.is_some(), &site.snapshots)),
            ("tests", written(self.tests.is_some(), &site.tests)),
            ("facts", site.facts.clone()),
            ("output", written(false, &site.output)),
            ("exported", exported),
            ("store", written(self.store.is_some(), &site.store)),
            ("conf", unless(false, &site.puppetdb_conf)),
            ("queue", written(false, &site.queue)),
        ] {
            if let Some(path) = paths.iter().find(|path| !guard.admits(path, world)) {
                return Err(outside_path(key, path, &site.root.join(site::FILE)));
            }
        }
        self.check_limits(site)
    }

    /// Limits of untrusted code may be lower than the defaults, not higher: a limit of the command line replaces the site's.
    fn check_limits(&self, site: &Site) -> Result<(), Reason> {
        let is_given = |name: &str| self.limits.iter().any(|(given, _)| given == name);
        for (name, value) in site.limits.iter().filter(|(name, _)| !is_given(name)) {
            if self.settings.limits.is_raised_by(name, value)? {
                let file = site.root.join(site::FILE);
                let text = format!("{FORBIDDEN}raise limits: `{name} = {value}` (`limits` in {})", file.display());
                let help = format!("remove it, or permit this limit with `--limit {name}={value}` on the command line");
                return Err(Reason::untrusted(text).help(help));
            }
        }
        Ok(())
    }
}

/// Checks the paths that `environment.conf` names.
///
/// # Errors
///
/// A path is outside of the site, and its code is untrusted.
pub(super) fn check_environment(environment: &Environment, world: &Disk) -> Result<(), Reason> {
    let (Some(guard), Some(root)) = (world.guard(), &environment.root) else { return Ok(()) };
    let conf = root.join("environment.conf");
    let is_outside = |path: &&PathBuf| !guard.admits(path, world);
    if let Some(path) = environment.modulepath.iter().find(is_outside) {
        return Err(outside_path("modulepath", path, &conf));
    }
    match environment.manifest.as_ref().filter(is_outside) {
        Some(path) => Err(outside_path("manifest", path, &conf)),
        None => Ok(()),
    }
}

/// An error: untrusted code may not name a path outside of the site.
pub(super) fn outside_path(key: &str, path: &Path, file: &Path) -> Reason {
    let (path, file) = (path.display(), file.display());
    Reason::untrusted(format!("{FORBIDDEN}read outside of the site: {path} (`{key}` in {file})"))
}
