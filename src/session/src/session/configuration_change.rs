//! Which compiles an edit of `catwalk.toml` affects.
//!
//! In: a session's options before and after. Out: which inputs must be checked again. Must not: compile.

use crate::session::ExportedFrom;
use crate::session::Options;
use crate::session::site::Site;
use catwalk_eval::Limits;
use catwalk_eval::Settings;

/// Changes of `catwalk.toml` that may affect a catalog although the node, its environment and the settings that it used are
/// unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConfigurationChange {
    /// Limits have changed: a node that failed may have reached one.
    pub(super) limits: bool,
    /// Encrypted data is read differently.
    pub(super) eyaml: bool,
    /// Dependency cycles are treated differently.
    pub(super) cycles: bool,
}

impl ConfigurationChange {
    /// Compares the site and options before and after an edit. `None`: any catalog may be affected.
    pub(super) fn between(old: (&Site, &Options), new: (&Site, &Options)) -> Option<ConfigurationChange> {
        let ((old_site, old), (new_site, new)) = (old, new);
        if !has_same_language(&old.settings, &new.settings)
            || (&old.environment, &old.code, &old.exported) != (&new.environment, &new.code, &new.exported)
            || (matches!(new.exported, Some(ExportedFrom::PuppetDb(_)))
                && (&old_site.puppetdb, &old_site.puppetdb_conf) != (&new_site.puppetdb, &new_site.puppetdb_conf))
            || old.log_level != new.log_level
            || old.settings.automatic_relationships != new.settings.automatic_relationships
            || is_lower(&old.settings.limits, &new.settings.limits)
        {
            return None;
        }
        Some(ConfigurationChange {
            limits: old.settings.limits != new.settings.limits,
            eyaml: old.eyaml != new.eyaml,
            cycles: old.settings.cycles != new.settings.cycles,
        })
    }

    /// Combines two changes.
    pub(super) fn and(self, other: ConfigurationChange) -> ConfigurationChange {
        ConfigurationChange {
            limits: self.limits | other.limits,
            eyaml: self.eyaml | other.eyaml,
            cycles: self.cycles | other.cycles,
        }
    }
}

/// Whether settings that affect all code are equal; settings that manifests read are compared for each node.
fn has_same_language(a: &Settings, b: &Settings) -> bool {
    let value = |of: &Settings, name: &str| of.values.get(name).cloned();
    (a.version, a.strict, a.strict_variables) == (b.version, b.strict, b.strict_variables)
        && a.syntax() == b.syntax()
        && ["rich_data", "disable_warnings", "storeconfigs", "data_binding_terminus"]
            .iter()
            .all(|name| value(a, name) == value(b, name))
}

/// Whether a limit is lower than before, so that a successful compile may reach it.
fn is_lower(old: &Limits, new: &Limits) -> bool {
    let time = match (old.time, new.time) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(old), Some(new)) => new < old,
    };
    time || new.depth < old.depth
        || new.resources < old.resources
        || new.iterations < old.iterations
        || new.text < old.text
        || new.elements < old.elements
        || new.memory < old.memory
        || new.file < old.file
}
