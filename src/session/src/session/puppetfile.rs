//! Finds modules that a Puppetfile names and that are not installed.
//!
//! In: the Puppetfile of a site, the modules of its environment. Out: names. Must not: run it; it is Ruby, of which only `mod`
//! lines are read.

use crate::session::Session;
use catwalk_program::Environment;
use catwalk_regexp::Regexp;
use catwalk_world::World;

/// How modules of a Puppetfile are installed.
pub const INSTALL_HINT: &str = "`r10k puppetfile install` or `g10k -puppetfile` installs them";

/// The maximum number of names in a message.
const MAX_NAMES: usize = 8;

/// The names of modules in a Puppetfile: `mod 'puppetlabs-stdlib', '9.0.0'` is `stdlib`.
#[must_use]
pub fn modules(text: &str) -> Vec<String> {
    let regexp = Regexp::new(r#"^\s*mod[\s(]+['"]([^'"]+)['"]"#);
    let found = regexp.captures_iter(text).map_while(Result::ok);
    let names = found.filter_map(|found| {
        let name = found.get(1)?;
        Some(name.rsplit(['/', '-']).next().unwrap_or(name).to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// Names in one line: the first ones, and the number of the others.
#[must_use]
pub fn join_names(names: &[String]) -> String {
    let first = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

impl Session {
    /// Modules that the site's Puppetfile names and no directory of modules has; none where it has no Puppetfile, or its
    /// environment cannot be opened.
    #[must_use]
    pub fn missing_modules(&self) -> Vec<String> {
        self.open_environment().map(|environment| self.modules_missing_from(&environment)).unwrap_or_default()
    }

    /// Modules that the site's Puppetfile names and an environment lacks.
    pub(super) fn modules_missing_from(&self, environment: &Environment) -> Vec<String> {
        let root = self.options.root.as_deref();
        let Some(bytes) = root.and_then(|root| self.world.read(&root.join("Puppetfile")).ok()) else {
            return Vec::new();
        };
        let mut names = modules(&String::from_utf8_lossy(&bytes));
        names.retain(|name| !environment.modules.contains_key(name.as_str()));
        names
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_puppetfile_names_modules() {
        let text = "forge 'https://forge.puppet.com'\n# mod 'no'\nmod 'puppetlabs/stdlib', '9.0.0'\n  mod \"saz-ssh\",\n  :git => 'x'\nmod('ntp')\n";
        assert_eq!(super::modules(text), ["ntp", "ssh", "stdlib"]);
    }
}
