//! The settings of a Puppet installation that decide where things are (`puppet.conf`, `--set`).
//!
//! In: what the user set. Out: [`Settings`], interpolation of `$name` in values. Must not: read `puppet.conf` itself.

use std::path::Path;
use std::path::PathBuf;

use indexmap::IndexMap;

use crate::diag::Reason;
use crate::world::Kind;
use crate::world::World;

/// Where a Puppet installation keeps its things: puppetlabs' packages, then Debian's.
const INSTALLATIONS: [[(&str, &str); 5]; 2] = [
    [
        ("codedir", "/etc/puppetlabs/code"),
        ("confdir", "/etc/puppetlabs/puppet"),
        ("vardir", "/opt/puppetlabs/puppet/cache"),
        ("basemodulepath", "$codedir/modules:/opt/puppetlabs/puppet/modules"),
        ("environmentpath", "$codedir/environments"),
    ],
    [
        ("codedir", "/etc/puppet/code"),
        ("confdir", "/etc/puppet"),
        ("vardir", "/var/cache/puppet"),
        ("basemodulepath", "$codedir/modules:/usr/share/puppet/modules"),
        ("environmentpath", "$codedir/environments"),
    ],
];

/// Settings by name; what is not set has the installation's default.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What the user set, uninterpolated.
    pub values: IndexMap<String, String>,
}

impl Settings {
    /// The raw value of a setting that takes part in finding things; nothing if there is none of that name.
    fn raw(&self, name: &str, world: &dyn World) -> Option<String> {
        if let Some(value) = self.values.get(name) {
            return Some(value.clone());
        }
        match name {
            "default_manifest" => return Some("./manifests".into()),
            "disable_per_environment_manifest" => return Some("false".into()),
            "run_mode" => return Some("server".into()),
            _ => {}
        }
        let puppetlabs = world.kind(Path::new("/etc/puppetlabs/code")) == Kind::Directory;
        let [first, second] = &INSTALLATIONS;
        let installation = if puppetlabs { first } else { second };
        installation.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    /// The value of a setting, interpolated.
    ///
    /// # Errors
    /// As [`Settings::interpolate`].
    pub fn value(&self, name: &str, environment: &str, world: &dyn World) -> Result<String, Reason> {
        match self.raw(name, world) {
            Some(raw) => self.interpolate(&raw, name, environment, world, &mut Vec::new()),
            None => Ok(String::new()),
        }
    }

    /// The directories of a setting that is a search path.
    ///
    /// # Errors
    /// As [`Settings::interpolate`].
    pub fn paths(&self, name: &str, environment: &str, world: &dyn World) -> Result<Vec<PathBuf>, Reason> {
        let text = self.value(name, environment, world)?;
        Ok(text.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect())
    }

    /// Fills in `$name` and `${name}` (`Puppet::Settings::ChainedValues#convert`). `$environment` is only known to
    /// `config_version`; elsewhere it stays, with a warning.
    ///
    /// # Errors
    /// `Could not find value for $name`.
    pub fn interpolate(
        &self,
        text: &str,
        setting: &str,
        environment: &str,
        world: &dyn World,
        warnings: &mut Vec<String>,
    ) -> Result<String, Reason> {
        self.fill(text, setting, environment, world, warnings, 0)
    }

    fn fill(
        &self,
        text: &str,
        setting: &str,
        environment: &str,
        world: &dyn World,
        warnings: &mut Vec<String>,
        depth: usize,
    ) -> Result<String, Reason> {
        let mut out = String::with_capacity(text.len());
        let mut kept = false;
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at..).unwrap_or("");
            let Some((name, length)) = variable(rest) else {
                out.push('$');
                rest = rest.get(1..).unwrap_or("");
                continue;
            };
            let expression = rest.get(..length).unwrap_or("");
            if name == "environment" && setting == "config_version" {
                out.push_str(environment);
            } else if name == "environment" {
                kept = true;
                out.push_str(expression);
            } else {
                // A setting that names itself has no value.
                let raw = if depth < 16 { self.raw(name, world) } else { None };
                let Some(raw) = raw else {
                    return Err(Reason::runtime(format!(
                        "Error converting value for param '{setting}': Could not find value for {expression}"
                    )));
                };
                out.push_str(&self.fill(&raw, name, environment, world, warnings, depth + 1)?);
            }
            rest = rest.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        if kept {
            warnings.push(format!(
                "You cannot interpolate $environment within '{setting}' when using directory environments. Its value will \
                 remain {out}."
            ));
        }
        Ok(out)
    }
}

/// `$name` or `${name}` at the start of a text: the name and how long the whole is.
fn variable(text: &str) -> Option<(&str, usize)> {
    let word = |text: &str| text.len() - text.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric()).len();
    let rest = text.strip_prefix('$')?;
    if let Some(rest) = rest.strip_prefix('{') {
        let length = word(rest);
        return (length > 0 && rest.get(length..)?.starts_with('}')).then_some((rest.get(..length)?, length + 3));
    }
    let length = word(rest);
    (length > 0).then_some((rest.get(..length)?, length + 1))
}
