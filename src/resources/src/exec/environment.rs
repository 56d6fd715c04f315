//! The environment of a command.

use catwalk_apply::Run;
use catwalk_resource_api::Level;
use catwalk_value::ruby;

use super::Exec;

/// The variables that a command does not inherit, so that it does not depend on the user of the run.
const NOT_INHERITED: [&str; 3] = ["HOME", "USER", "LOGNAME"];

impl Exec {
    /// The variables to set or unset for a command (`Puppet::Provider::Exec#environment`).
    pub(super) fn variables(&mut self, run: &mut Run<'_>) -> Vec<(String, Option<String>)> {
        let mut variables: Vec<(String, Option<String>)> = NOT_INHERITED.map(|name| (name.to_owned(), None)).to_vec();
        let mut set: Vec<&str> = Vec::new();
        if let Some(path) = &self.path {
            set.push("PATH");
            variables.push(("PATH".to_owned(), Some(path.join(":"))));
        }
        let source = self.provider_source();
        for setting in &self.environment {
            let is_word = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let Some((name, value)) = setting.split_once('=').filter(|(name, _)| is_word(name)) else {
                let text = format!("Cannot understand environment setting {}", ruby::inspect_string(setting));
                run.log.log(Level::Warning, Some(&source), &text);
                continue;
            };
            if set.contains(&name) {
                let text = format!("Overriding environment setting '{name}' with '{value}'");
                run.log.log(Level::Warning, Some(&source), &text);
            }
            if value.is_empty() && !self.reported_empty_variables.iter().any(|reported| reported == name) {
                let position = self.position.as_ref().map(|(file, line)| format!("\n   (file: {file}, line: {line})"));
                let text = format!("Empty environment setting '{name}'{}", position.unwrap_or_default());
                run.log.log(Level::Warning, None, &text);
                self.reported_empty_variables.push(name.to_owned());
            }
            set.push(name);
            variables.push((name.to_owned(), Some(value.to_owned())));
        }
        variables
    }

    /// The source of messages of the provider: `Exec[x](provider=posix)`.
    pub(super) fn provider_source(&self) -> String {
        format!("Exec[{}](provider={})", self.title, if self.has_shell { "shell" } else { "posix" })
    }
}
