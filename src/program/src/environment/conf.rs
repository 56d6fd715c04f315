//! `environment.conf` (docs: "Configuration: environment.conf"; Puppet::Settings::EnvironmentConf).
//!
//! In: an environment's directory, the settings around it. Out: [`Conf`]: modulepath, manifest, catalog version command.
//! Must not: know modules.

use std::path::Path;
use std::path::PathBuf;

use crate::environment::Settings;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::source::path::normalize_path;
use catwalk_base::version::Version;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The settings of `environment.conf`, with defaults for those it leaves out. Relative paths are resolved.
#[derive(Clone, Debug, Default)]
pub struct Conf {
    /// `modulepath`; by default `<environment>/modules` and the base modulepath.
    pub modulepath: Vec<PathBuf>,
    /// `manifest`; by default `<environment>/manifests`.
    pub manifest: Option<PathBuf>,
    /// `config_version`
    pub config_version: Option<String>,
    /// `environment_data_provider`, from before Hiera 5.
    pub data_provider: Option<String>,
    /// `rich_data`, where it is given.
    pub rich_data: Option<bool>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Errors that do not stop a compile.
    pub errors: Vec<String>,
    /// Why no catalog is compiled in the environment.
    pub validation_error: Option<String>,
}

const KNOWN_SETTINGS: [&str; 6] =
    ["modulepath", "manifest", "config_version", "environment_timeout", "static_catalogs", "rich_data"];

const DATA_PROVIDER: &str = "environment_data_provider";

/// The settings in the file, in order; of two of the same name the first wins.
struct Lines {
    settings: Vec<(String, String)>,
    /// Sections other than `main`.
    sections: Vec<String>,
}

impl Conf {
    /// Reads `<root>/environment.conf`; a missing file means the defaults.
    ///
    /// # Errors
    /// The file cannot be read, is not UTF-8 or has a line that is not a setting; a value names an unknown setting.
    pub fn read(root: &Path, environment: &str, settings: &Settings, world: &dyn World) -> Result<Conf, Reason> {
        let path = root.join("environment.conf");
        let text = match world.read(&path) {
            Ok(bytes) => String::from_utf8(bytes.to_vec())
                .map_err(|_| Reason::runtime(format!("{} is not UTF-8 text", path.display())))?,
            Err(WorldError::Missing(_)) => String::new(),
            Err(refused) => return Err(Reason::runtime(refused.to_string()).because(refused.cause())),
        };
        let lines = parse(&text, &path)?;
        let in_setting = |name: &str, reason: Reason| match setting_line(&text, name) {
            Some(position) => reason.in_file(DataLocation::new(&path, text.as_bytes(), position)),
            None => reason,
        };
        let raw = |name: &str| lines.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let mut conf = Conf::default();
        conf.warn(&lines, &path, settings.version);
        conf.modulepath = match raw("modulepath") {
            None => {
                let base = settings.paths("basemodulepath", environment, world)?;
                std::iter::once(root.join("modules")).chain(base).collect()
            }
            Some(text) => modulepath(text, root, environment, settings, world, &mut conf.warnings)
                .map_err(|reason| in_setting("modulepath", reason))?,
        };
        let default = settings.value("default_manifest", environment, world)?;
        let fallback = absolute(root, &default);
        let only_default = settings.value("disable_per_environment_manifest", environment, world)? == "true";
        let manifest = match raw("manifest") {
            None => None,
            Some(text) => {
                let text = settings
                    .interpolate(text, "manifest", environment, world, &mut conf.warnings)
                    .map_err(|reason| in_setting("manifest", reason))?;
                Some(absolute(root, &text))
            }
        };
        if only_default && !Path::new(&default).is_absolute() {
            let text = "The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true";
            return Err(Reason::runtime(text));
        }
        // (Puppet::Node::Environment#conflicting_manifest_settings?)
        if only_default && raw("manifest").is_some_and(|manifest| !manifest.is_empty() && manifest != default) {
            conf.validation_error = Some(format!(
                "The 'disable_per_environment_manifest' setting is true, and the '{environment}' environment has an \
                 environment.conf manifest that conflicts with the 'default_manifest' setting."
            ));
        }
        if let (true, Some(manifest)) = (only_default, manifest.as_ref().filter(|manifest| **manifest != fallback)) {
            conf.errors.push(format!(
                "The 'disable_per_environment_manifest' setting is true, but the environment located at {} has a manifest \
                 setting in its environment.conf of '{path}' which does not match the default_manifest setting '{default}'. \
                 If this environment is expecting to find modules in '{path}', they will not be available!",
                root.display(),
                path = manifest.display(),
            ));
        }
        conf.manifest = Some(if only_default { fallback } else { manifest.unwrap_or(fallback) });
        // An empty setting of the command line or `catwalk.toml` switches the command off.
        let is_off = settings.values.get("config_version").is_some_and(String::is_empty);
        if let Some(text) = raw("config_version").filter(|_| !is_off) {
            let text = if text.starts_with('$') { text.to_owned() } else { absolute(root, text).display().to_string() };
            let text = settings
                .interpolate(&text, "config_version", environment, world, &mut conf.warnings)
                .map_err(|reason| in_setting("config_version", reason))?;
            conf.config_version = Some(text);
        }
        if !settings.version.without_deprecated {
            let provider = || settings.values.get(DATA_PROVIDER).cloned().filter(|name| !name.is_empty());
            conf.data_provider = raw(DATA_PROVIDER).map(str::to_owned).or_else(provider);
        }
        conf.rich_data = raw("rich_data").map(|value| !value.eq_ignore_ascii_case("false"));
        Ok(conf)
    }

    fn warn(&mut self, lines: &Lines, path: &Path, version: Version) {
        let file = path.display();
        if !lines.sections.is_empty() {
            self.warnings.push(format!(
                "Invalid sections in environment.conf at '{file}'. Environment conf may not have sections. The following \
                 sections are being ignored: '{}'\n   (file & line not available)",
                lines.sections.join(",")
            ));
        }
        let mut unknown: Vec<&str> = Vec::new();
        for (name, _) in &lines.settings {
            let is_known =
                KNOWN_SETTINGS.contains(&name.as_str()) || name == DATA_PROVIDER && !version.without_deprecated;
            if !is_known && !unknown.contains(&name.as_str()) {
                unknown.push(name);
            }
        }
        if !unknown.is_empty() {
            self.warnings.push(format!(
                "Invalid settings in environment.conf at '{file}'. The following unknown setting(s) are being ignored: {}\n   \
                 (file & line not available)",
                unknown.join(", ")
            ));
        }
    }
}

/// Parses the file (Puppet::Settings::IniFile, ConfigFile).
fn parse(text: &str, path: &Path) -> Result<Lines, Reason> {
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c == '_' || c.is_alphanumeric());
    let mut lines = Lines { settings: Vec::new(), sections: Vec::new() };
    let mut section = "main";
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let header = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|name| word(name));
        if let Some(name) = header {
            section = name;
            if name != "main" && !lines.sections.iter().any(|known| known == name) {
                lines.sections.push(name.to_owned());
            }
            continue;
        }
        let setting = trimmed.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        match setting.filter(|(name, _)| word(name)) {
            Some((name, value)) if section == "main" => {
                lines.settings.push((name.to_owned(), strip_file_info(unquote(value))));
            }
            Some(_) => {}
            None if trimmed.is_empty() || trimmed.starts_with('#') => {}
            None => {
                let number = number + 1;
                let message = format!("Could not match line {line} (file: {}, line: {number})", path.display());
                let column = line.len() - line.trim_start().len() + 1;
                let location = DataLocation::new(path, text.as_bytes(), (number, column));
                return Err(Reason::runtime(message).in_file(location));
            }
        }
    }
    Ok(lines)
}

/// The line and column of a setting.
fn setting_line(text: &str, name: &str) -> Option<(usize, usize)> {
    text.lines().enumerate().find_map(|(number, line)| {
        let (found, _) = line.split_once('=')?;
        (found.trim() == name).then(|| (number + 1, found.len() - found.trim_start().len() + 1))
    })
}

/// Removes `{owner = …, mode = …}` and quotes from a value.
fn strip_file_info(value: &str) -> String {
    match (value.find('{'), value.find('}')) {
        (Some(open), Some(close)) if open < close && !value.get(..open).is_some_and(|text| text.ends_with('$')) => {
            let inside = value.get(open + 1..close).unwrap_or("");
            if inside.contains('=') {
                let rest = value.get(close + 1..).unwrap_or("");
                return format!("{}{rest}", value.get(..open).unwrap_or("")).trim_end().to_owned();
            }
            value.to_owned()
        }
        _ => value.to_owned(),
    }
}

fn unquote(text: &str) -> &str {
    let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
    text.strip_suffix(['"', '\'']).unwrap_or(text).trim_end()
}

/// The parts of a modulepath: paths, patterns of directories, settings.
fn modulepath(
    text: &str,
    root: &Path,
    environment: &str,
    settings: &Settings,
    world: &dyn World,
    warnings: &mut Vec<String>,
) -> Result<Vec<PathBuf>, Reason> {
    let mut parts: Vec<String> = Vec::new();
    for part in text.trim_end_matches(':').split(':') {
        // A setting stays for the interpolation below; braces around its name make it a pattern that matches nothing.
        let path = if part.starts_with('$') { PathBuf::from(part) } else { absolute(root, part) };
        if part.contains(['*', '?', '[', '{']) {
            parts.extend(glob(&path, world).iter().map(|path| path.display().to_string()));
        } else {
            parts.push(path.display().to_string());
        }
    }
    let text = settings.interpolate(&parts.join(":"), "modulepath", environment, world, warnings)?;
    Ok(text.split(':').filter(|part| !part.is_empty()).map(|part| absolute(root, part)).collect())
}

/// Most directories that one pattern of a modulepath matches; more mean a cycle of links.
const MAX_MATCHES: usize = 10_000;

/// Directories that match a pattern, sorted, as Ruby's `Dir.glob` finds them.
fn glob(pattern: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_string_lossy();
        if !text.contains(['*', '?', '[', '{']) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let Ok(matcher) = globs::matcher(&text, false) else { return Vec::new() };
        found = found
            .iter()
            .flat_map(|dir| {
                let entries = world.list(dir).map(|list| list.to_vec()).unwrap_or_default();
                let matching = entries.into_iter().filter(|e| !e.name.starts_with('.') && matcher.is_match(&*e.name));
                matching.map(|entry| dir.join(&*entry.name)).collect::<Vec<_>>()
            })
            .take(MAX_MATCHES)
            .collect();
    }
    found.retain(|path| world.kind(path) != catwalk_world::Kind::Missing);
    found
}

/// `path` below `root` when relative, with `.` and `..` taken out, as `File.expand_path` does.
pub(super) fn absolute(root: &Path, path: &str) -> PathBuf {
    normalize_path(&root.join(path))
}
