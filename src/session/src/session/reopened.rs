//! What another `catwalk.toml` means to compiles.
//!
//! In: a session's options before and after. Out: what is to be asked again. Must not: compile.

use crate::session::Options;
use crate::session::site::Site;
use catwalk_eval::Limits;
use catwalk_eval::Settings;

/// What is other since `catwalk.toml` was read again. Where the node, its environment and the settings it asked for are the
/// same, so is its catalog, but for what stands here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reopened {
    /// What failed may have reached a limit.
    pub(super) limits: bool,
    /// Encrypted data is read otherwise.
    pub(super) eyaml: bool,
    /// Something else becomes of dependency cycles.
    pub(super) cycles: bool,
}

impl Reopened {
    /// What is other; nothing where all may be.
    pub(super) fn between(old: (&Site, &Options), new: (&Site, &Options)) -> Option<Reopened> {
        let ((old_site, old), (new_site, new)) = (old, new);
        if !is_the_same_language(&old.settings, &new.settings)
            || (&old.environment, &old.code, &old.exported) != (&new.environment, &new.code, &new.exported)
            || (&old_site.environment, &old_site.exported) != (&new_site.environment, &new_site.exported)
            || old.log_level != new.log_level
            || old.settings.automatic_relationships != new.settings.automatic_relationships
            || is_lower(&old.settings.limits, &new.settings.limits)
        {
            return None;
        }
        Some(Reopened {
            limits: old.settings.limits != new.settings.limits,
            eyaml: old.eyaml.or(old_site.eyaml) != new.eyaml.or(new_site.eyaml),
            cycles: old.settings.cycles != new.settings.cycles,
        })
    }

    /// With what was other before that.
    pub(super) fn and(self, other: Reopened) -> Reopened {
        Reopened {
            limits: self.limits | other.limits,
            eyaml: self.eyaml | other.eyaml,
            cycles: self.cycles | other.cycles,
        }
    }
}

/// Whether code means the same; values of settings that manifests ask for are compared one by one.
fn is_the_same_language(a: &Settings, b: &Settings) -> bool {
    let value = |of: &Settings, name: &str| of.values.get(name).cloned();
    (a.version, a.strict, a.strict_variables) == (b.version, b.strict, b.strict_variables)
        && a.syntax() == b.syntax()
        && ["rich_data", "disable_warnings", "storeconfigs", "data_binding_terminus"]
            .iter()
            .all(|name| value(a, name) == value(b, name))
}

/// Whether a compile may reach a limit that it did not reach.
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
