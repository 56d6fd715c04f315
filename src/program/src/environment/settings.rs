//! The settings of a Puppet installation (`puppet.conf`, `--set`).
//!
//! In: what the user set. Out: [`Settings`], interpolation of `$name` in values, all of them as manifests see them. Must not:
//! read `puppet.conf` itself.

use std::path::Path;
use std::path::PathBuf;

use indexmap::IndexMap;

use crate::environment::Environment;
use crate::environment::setting_definition;
use catwalk_base::diag::Reason;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

/// The default directories of Puppet installations: those of Puppet's packages, then those of Debian's.
const INSTALLATIONS: [&[(&str, &str)]; 2] = [
    &[
        ("codedir", "/etc/puppetlabs/code"),
        ("confdir", "/etc/puppetlabs/puppet"),
        ("vardir", "/opt/puppetlabs/puppet/cache"),
        ("basemodulepath", "$codedir/modules:/opt/puppetlabs/puppet/modules"),
        ("vendormoduledir", "/opt/puppetlabs/puppet/vendor_modules"),
        ("logdir", "/var/log/puppetlabs/puppet"),
        ("rundir", "/var/run/puppetlabs"),
        ("publicdir", "/opt/puppetlabs/puppet/public"),
        ("cadir", "/etc/puppetlabs/puppetserver/ca"),
    ],
    &[
        ("codedir", "/etc/puppet/code"),
        ("confdir", "/etc/puppet"),
        ("vardir", "/var/cache/puppet"),
        ("basemodulepath", "$codedir/modules:/usr/share/puppet/modules"),
        ("vendormoduledir", "/usr/share/puppet/vendor_modules"),
        ("logdir", "/var/log/puppet"),
        ("rundir", "/run/puppet"),
        ("publicdir", "/var/cache/puppet/public"),
        ("cadir", "/etc/puppet/puppetserver/ca"),
        ("ssldir", "/var/lib/puppet/ssl"),
    ],
];

/// Settings by name; unset ones have the installation's defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// What the user set, uninterpolated.
    pub values: IndexMap<String, String>,
    /// The version of Puppet whose settings these are.
    pub version: Version,
    /// Puppet's setting `strict`.
    pub strict: Strict,
}

impl Settings {
    /// Sets a setting, as `--set` does.
    ///
    /// # Errors
    /// Puppet has no setting of this name, or it cannot have that value.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Reason> {
        let Some(known) = setting_definition::find(name, self.version).filter(|known| known.name != "name") else {
            return Err(setting_definition::unknown(name, self.version));
        };
        if !text.contains('$') {
            known.value(text, self.version)?;
        }
        self.values.insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    /// The value of a setting that was set, as the kind of value that it is.
    #[must_use]
    pub fn typed_value(&self, name: &str) -> Option<Value> {
        setting_definition::find(name, self.version)?.value(self.values.get(name)?, self.version).ok()
    }

    /// What manifests see as `$settings::all_local`: every setting (`Scope#merge_settings`). `server` is the name of the
    /// machine that compiles.
    ///
    /// # Errors
    /// As [`Settings::interpolate`].
    pub fn all(&self, environment: &Environment, server: &str, world: &dyn World) -> Result<Hash, Reason> {
        let mut all = Hash::new();
        for known in setting_definition::all(self.version).filter(|known| known.name != "name") {
            let name = known.name;
            let text = match name {
                "environment" => Some(environment.name.to_string()),
                "modulepath" => Some(list(&environment.modulepath)),
                "manifest" => environment.manifest.as_ref().map(|path| path.to_string_lossy().into_owned()),
                "config_version" if environment.config_version.is_some() => environment.config_version.clone(),
                "certname" if !self.values.contains_key(name) => Some(server.to_owned()),
                "srv_domain" if !self.values.contains_key(name) => {
                    server.split_once('.').map(|(_, domain)| domain.to_owned())
                }
                "node_name_value" | "ca_name" | "hostcert" | "hostprivkey" | "hostpubkey" | "hostcsr"
                    if !self.values.contains_key("certname") =>
                {
                    let raw = self.raw(name, world).unwrap_or_default().replace("$certname", server);
                    Some(self.interpolate(&raw, name, &environment.name, world, &mut Vec::new())?)
                }
                _ => match self.raw(name, world) {
                    Some(raw) => Some(self.interpolate(&raw, name, &environment.name, world, &mut Vec::new())?),
                    None => None,
                },
            };
            all.set(name, text.map_or(Ok(Value::Undef), |text| known.value(&text, self.version))?);
        }
        Ok(all)
    }

    /// The value of a setting before interpolation; `None` if the setting is unknown or has no value.
    fn raw(&self, name: &str, world: &dyn World) -> Option<String> {
        if let Some(value) = self.values.get(name) {
            return Some(value.clone());
        }
        match name {
            "run_mode" => return Some("server".into()),
            // This name is an alias.
            "serverport" => return self.raw("masterport", world),
            "hiera_config" => return Some(self.hiera_config(world)),
            _ => {}
        }
        let here = installation(world).iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        here.or_else(|| setting_definition::find(name, self.version)?.default(self.version))
    }

    /// The global Hiera configuration: in the directory of code when it exists.
    fn hiera_config(&self, world: &dyn World) -> String {
        let code = self.value("codedir", "", world).unwrap_or_default();
        let path = format!("{code}/hiera.yaml");
        if world.kind(Path::new(&path)) == Kind::Missing { "$confdir/hiera.yaml".to_owned() } else { path }
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
        self.interpolate_nested(text, setting, environment, world, warnings, 0)
    }

    fn interpolate_nested(
        &self,
        text: &str,
        setting: &str,
        environment: &str,
        world: &dyn World,
        warnings: &mut Vec<String>,
        depth: usize,
    ) -> Result<String, Reason> {
        let mut out = String::with_capacity(text.len());
        let mut is_kept = false;
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
                is_kept = true;
                out.push_str(expression);
            } else {
                // A setting that names itself has no value.
                let raw = if depth < 16 { self.raw(name, world) } else { None };
                let Some(raw) = raw else {
                    return Err(Reason::runtime(format!(
                        "Error converting value for param '{setting}': Could not find value for {expression}"
                    )));
                };
                out.push_str(&self.interpolate_nested(&raw, name, environment, world, warnings, depth + 1)?);
            }
            rest = rest.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        if is_kept {
            warnings.push(format!(
                "You cannot interpolate $environment within '{setting}' when using directory environments. Its value will \
                 remain {out}."
            ));
        }
        Ok(out)
    }
}

/// The directories of the installation on this machine. A directory that remains of Puppet's packages, or that something else created
/// there, is none.
fn installation(world: &dyn World) -> &'static [(&'static str, &'static str)] {
    let exists = |path: &str| world.kind(Path::new(path)) == Kind::Directory;
    let [packages, debian] = INSTALLATIONS;
    let has_packages = exists("/opt/puppetlabs/puppet/lib");
    match has_packages || (exists("/etc/puppetlabs/code") && !exists("/usr/share/puppet")) {
        true => packages,
        false => debian,
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>().join(":")
}

/// `$name` or `${name}` at the start of a string: the name and the length of the whole.
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
