//! Names the modules that a module depends on and that are not installed, in errors that they cause.
//!
//! In: the dependencies of the module that the session is opened with, a failure. Out: the failure with their names and the
//! command that installs them. Must not: install anything.

use std::borrow::Cow;

use crate::session::Session;
use crate::session::unknown_name::UnknownName;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;

/// A module that a module needs: `metadata.json` or `.fixtures.yml` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name without the author: `stdlib`.
    pub name: String,
    /// The command that installs it.
    pub install: String,
}

fn names_of<'d>(dependencies: &[&'d Dependency]) -> Vec<&'d str> {
    dependencies.iter().map(|dependency| dependency.name.as_str()).collect()
}

impl Session {
    /// The dependencies that are not installed.
    #[must_use]
    pub fn missing_dependencies(&self) -> Vec<&Dependency> {
        if self.options.dependencies.is_empty() {
            return Vec::new();
        }
        let Ok(environment) = self.open_environment() else { return Vec::new() };
        let is_installed = |name: &str| {
            environment.modules.contains_key(name)
                || environment.individual_modules.iter().any(|module| *module.name == *name)
        };
        self.options.dependencies.iter().filter(|dependency| !is_installed(&dependency.name)).collect()
    }

    /// Names the missing modules that may be the reason why a name is unknown.
    pub(super) fn name_missing_dependencies(&self, failure: &mut Diagnostic) {
        if self.options.dependencies.is_empty() {
            return;
        }
        let Some(unknown) = UnknownName::find(&failure.message) else { return };
        let missing = self.missing_dependencies();
        let (mut causes, others): (Vec<&Dependency>, Vec<&Dependency>) =
            missing.iter().partition(|dependency| unknown.is_defined_by(&dependency.name));
        let mut more = names_of(&others);
        if causes.is_empty() && unknown.is_global() {
            (causes, more) = (others, Vec::new());
        }
        let hint = match names_of(&causes).as_slice() {
            [] => return,
            [name] => format!("{name} is a dependency and is not installed"),
            [first @ .., last] => format!("{} and {last} are dependencies and are not installed", first.join(", ")),
        };
        // All are named at once: the next ones would be reported only after these are installed.
        let hint = match more.as_slice() {
            [] => hint,
            [one] => format!("{hint}, and neither is {one}"),
            [first @ .., last] => format!("{hint}, and neither are {} and {last}", first.join(", ")),
        };
        let commands: Vec<String> = missing.iter().map(|dependency| format!("`{}`", dependency.install)).collect();
        failure.message = Cow::Owned(format!("{hint}; {}", failure.message));
        failure.code = Code::MISSING_DEPENDENCY;
        failure.help = Some(Cow::Owned(format!("install what is missing: {}", commands.join(", "))));
    }
}
