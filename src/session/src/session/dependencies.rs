//! Names the modules that a module depends on and that are not installed, in errors that they cause.
//!
//! In: the dependencies of the module that the session is opened with, a failure. Out: the failure with their names and the
//! command that installs them. Must not: install anything.

use std::borrow::Cow;

use crate::session::Session;
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

/// Beginnings of Puppet's messages about unknown names.
const UNKNOWN: [&str; 7] = [
    "Resource type not found: ",
    "Unknown resource type: '",
    "Unknown function: '",
    "Unknown function '",
    "references an unresolved type '",
    "Could not find class ",
    "Could not find declared class ",
];

/// The unknown name in a message, in lower case.
fn unknown_name(message: &str) -> Option<String> {
    let rest = UNKNOWN.iter().find_map(|words| message.split_once(words)).map(|(_, rest)| rest)?;
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
    let name = name.trim_matches(':').to_lowercase();
    (!name.is_empty()).then_some(name)
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
            environment.modules.contains_key(name) || environment.single.iter().any(|module| *module.name == *name)
        };
        self.options.dependencies.iter().filter(|dependency| !is_installed(&dependency.name)).collect()
    }

    /// Names the missing modules that may be the reason why a name is unknown.
    pub(super) fn name_missing_dependencies(&self, failure: &mut Diagnostic) {
        if self.options.dependencies.is_empty() {
            return;
        }
        let Some(unknown) = unknown_name(&failure.message) else { return };
        let mut missing = self.missing_dependencies();
        if let Some((module, _)) = unknown.split_once("::") {
            missing.retain(|dependency| dependency.name == module);
        } else {
            // Types that used to be part of Puppet are in modules named after them: `yumrepo` in `yumrepo_core`.
            let is_named = |dependency: &Dependency| {
                dependency.name.strip_prefix(unknown.as_str()).is_some_and(|rest| matches!(rest, "" | "_core"))
            };
            if missing.iter().any(|dependency| is_named(dependency)) {
                missing.retain(|dependency| is_named(dependency));
            }
        }
        let names: Vec<&str> = missing.iter().map(|dependency| dependency.name.as_str()).collect();
        let hint = match names.as_slice() {
            [] => return,
            [name] => format!("{name} is a dependency and is not installed"),
            [first @ .., last] => format!("{} and {last} are dependencies and are not installed", first.join(", ")),
        };
        let commands: Vec<String> = missing.iter().map(|dependency| format!("`{}`", dependency.install)).collect();
        failure.message = Cow::Owned(format!("{hint}; {}", failure.message));
        failure.code = Code::MISSING_DEPENDENCY;
        failure.help = Some(Cow::Owned(format!("install what is missing: {}", commands.join(", "))));
    }
}

#[cfg(test)]
mod tests {
    use super::unknown_name;

    #[test]
    fn the_unknown_name_is_found() {
        let name = |message: &str| unknown_name(message).unwrap_or_default();
        assert_eq!(name("Evaluation Error: Resource type not found: Stdlib::Port"), "stdlib::port");
        assert_eq!(
            name("Error while evaluating a Resource Statement, Unknown resource type: 'file_line'"),
            "file_line"
        );
        assert_eq!(name("Class[M]: parameter 'p' references an unresolved type 'Stdlib::Port'"), "stdlib::port");
        assert_eq!(name("Could not find class ::concat for web1.example.com"), "concat");
        assert_eq!(name("Unknown function: 'stdlib::ensure'."), "stdlib::ensure");
        assert_eq!(name("Unknown variable: 'x'."), "");
    }
}
