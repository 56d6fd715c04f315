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
        // Each option is named, so that a new one is not dropped.
        let Options {
            root,
            environment,
            modulepath,
            manifest,
            module,
            fixtures,
            dependencies,
            code,
            facts,
            fact_set,
            fact_overrides,
            trusted,
            server_facts,
            enc,
            external_nodes,
            hiera,
            puppet,
            set,
            limits,
            cycles,
            autorequire,
            unlisted,
            unclassified,
            eyaml,
            exported,
            store,
            snapshots,
            tests,
            keep_facts,
            tape,
            isolate_scripts,
            gems,
            drop_legacy_facts,
            untrusted,
            readable,
            directory,
            worker,
            key,
            log_level,
            settings,
        } = self;
        Options {
            environment: environment.combine(lower.environment),
            modulepath: modulepath.combine(lower.modulepath),
            manifest: manifest.combine(lower.manifest),
            code: code.combine(lower.code),
            server_facts: server_facts.combine(lower.server_facts),
            hiera: hiera.combine(lower.hiera),
            puppet: puppet.combine(lower.puppet),
            cycles: cycles.combine(lower.cycles),
            autorequire: autorequire.combine(lower.autorequire),
            eyaml: eyaml.combine(lower.eyaml),
            exported: exported.combine(lower.exported),
            store: store.combine(lower.store),
            snapshots: snapshots.combine(lower.snapshots),
            tests: tests.combine(lower.tests),
            isolate_scripts: isolate_scripts.combine(lower.isolate_scripts),
            // A source of lower precedence has none of these, or they are merged by name.
            root,
            module,
            fixtures,
            dependencies,
            facts,
            fact_set,
            fact_overrides,
            trusted,
            enc,
            external_nodes,
            set,
            limits,
            unlisted,
            unclassified,
            keep_facts,
            tape,
            gems,
            drop_legacy_facts,
            untrusted,
            readable,
            directory,
            worker,
            key,
            log_level,
            settings,
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
