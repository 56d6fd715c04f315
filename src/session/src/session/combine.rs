//! The order of precedence of options: those of the command line, then Puppet's settings, then `catwalk.toml`.
//!
//! In: options of several sources. Out: one resolved value. Must not: read files.

use crate::session::options::Options;
use crate::session::site::Site;

/// Combines options of two sources.
pub(super) trait Combine {
    /// Fills what is missing from a source of lower precedence.
    #[must_use]
    fn combine(self, lower: Self) -> Self;
}

impl<T> Combine for Option<T> {
    fn combine(self, lower: Option<T>) -> Option<T> {
        self.or(lower)
    }
}

impl Combine for Options {
    fn combine(self, lower: Options) -> Options {
        Options {
            environment: self.environment.combine(lower.environment),
            modulepath: self.modulepath.combine(lower.modulepath),
            manifest: self.manifest.combine(lower.manifest),
            code: self.code.combine(lower.code),
            server_facts: self.server_facts.combine(lower.server_facts),
            hiera: self.hiera.combine(lower.hiera),
            puppet: self.puppet.combine(lower.puppet),
            cycles: self.cycles.combine(lower.cycles),
            autorequire: self.autorequire.combine(lower.autorequire),
            eyaml: self.eyaml.combine(lower.eyaml),
            exported: self.exported.combine(lower.exported),
            store: self.store.combine(lower.store),
            snapshots: self.snapshots.combine(lower.snapshots),
            tests: self.tests.combine(lower.tests),
            isolate_scripts: self.isolate_scripts.combine(lower.isolate_scripts),
            ..self
        }
    }
}

impl Options {
    /// The options that `catwalk.toml` sets. Limits and settings are merged by name ([`Options::merge_site`]), classifiers and Hiera's
    /// configuration are looked for besides those of the command line.
    fn of_site(site: &Site) -> Options {
        Options {
            environment: site.environment.clone(),
            modulepath: site.modulepath.clone(),
            manifest: site.manifest.clone(),
            server_facts: site.server_facts.clone(),
            puppet: site.puppet,
            cycles: site.cycles,
            autorequire: site.autorequire,
            eyaml: site.eyaml,
            exported: site.exported.clone(),
            store: site.store.clone(),
            snapshots: site.snapshots.clone(),
            tests: site.tests.clone(),
            isolate_scripts: site.isolate_scripts,
            ..Options::default()
        }
    }

    /// These options, completed by those of `catwalk.toml`.
    #[must_use]
    pub fn with_site(self, site: &Site) -> Options {
        self.combine(Options::of_site(site))
    }
}
