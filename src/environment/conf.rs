//! `environment.conf` (docs: "Configuration: environment.conf"; Puppet::Settings::EnvironmentConf).

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

use crate::diag::Reason;
use crate::world::Refused;
use crate::world::World;

/// What `environment.conf` says, with the defaults for what it leaves out. Relative paths are resolved.
#[derive(Clone, Debug, Default)]
pub struct Conf {
    /// `modulepath`; by default `<environment>/modules` and the base modulepath.
    pub modulepath: Vec<PathBuf>,
    /// `manifest`; by default `<environment>/manifests`.
    pub manifest: Option<PathBuf>,
    /// `config_version`
    pub config_version: Option<String>,
    /// Texts of warnings.
    pub warnings: Vec<String>,
}

const KNOWN: [&str; 7] = [
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "environment_data_provider",
    "static_catalogs",
    "rich_data",
];

/// The modulepath of a Puppet installation outside the environments (`$basemodulepath`).
fn base_modulepath() -> Vec<PathBuf> {
    ["/etc/puppetlabs/code/modules", "/opt/puppetlabs/puppet/modules"].map(PathBuf::from).to_vec()
}

impl Conf {
    /// Reads `<root>/environment.conf`; a missing file gives the defaults.
    ///
    /// # Errors
    /// The file cannot be read or is not UTF-8.
    pub fn read(root: &Path, environment: &str, world: &dyn World) -> Result<Conf, Reason> {
        let path = root.join("environment.conf");
        let text = match world.read(&path) {
            Ok(bytes) => String::from_utf8(bytes.to_vec())
                .map_err(|_| Reason::runtime(format!("{} is not UTF-8 text", path.display())))?,
            Err(Refused::Missing(_)) => String::new(),
            Err(refused) => return Err(Reason::runtime(refused.to_string())),
        };
        let mut conf = Conf { manifest: Some(root.join("manifests")), ..Conf::default() };
        let mut modulepath = None;
        let mut unknown = Vec::new();
        let mut sections = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
            if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                sections.push(section.to_owned());
                continue;
            }
            let Some((name, value)) = line.split_once('=') else { continue };
            let (name, value) = (name.trim(), unquote(value.trim()));
            if sections.iter().any(|section| section != "main") {
                continue;
            }
            match name {
                "modulepath" => modulepath = Some(value.to_owned()),
                "manifest" => conf.manifest = Some(absolute(root, &interpolate(value, environment))),
                "config_version" => conf.config_version = Some(interpolate(value, environment)),
                _ if KNOWN.contains(&name) => {}
                _ => unknown.push(name.to_owned()),
            }
        }
        let shown = path.display();
        sections.retain(|section| section != "main");
        if !sections.is_empty() {
            conf.warnings.push(format!(
                "Invalid sections in environment.conf at '{shown}'. Environment conf may not have sections. The following \
                 sections are being ignored: '{}'",
                sections.join(",")
            ));
        }
        if !unknown.is_empty() {
            conf.warnings.push(format!(
                "Invalid settings in environment.conf at '{shown}'. The following unknown setting(s) are being ignored: {}",
                unknown.join(", ")
            ));
        }
        conf.modulepath = match modulepath {
            None => std::iter::once(root.join("modules")).chain(base_modulepath()).collect(),
            Some(text) => text.split(':').flat_map(|part| expand(part, root, environment, world)).collect(),
        };
        Ok(conf)
    }
}

/// One part of a modulepath: `$basemodulepath`, a path, or a pattern of directories.
fn expand(part: &str, root: &Path, environment: &str, world: &dyn World) -> Vec<PathBuf> {
    let part = part.trim();
    match part {
        "" => Vec::new(),
        "$basemodulepath" | "${basemodulepath}" => base_modulepath(),
        _ => {
            let path = absolute(root, &interpolate(part, environment));
            if part.contains(['*', '?', '[', '{']) { glob(&path, world) } else { vec![path] }
        }
    }
}

/// Directories that match a pattern, sorted, as Ruby's `Dir.glob` finds them.
fn glob(pattern: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_string_lossy();
        if !text.contains(['*', '?', '[', '{']) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let Ok(matcher) = globset::Glob::new(&text) else { return Vec::new() };
        let matcher = matcher.compile_matcher();
        found = found
            .iter()
            .flat_map(|dir| {
                let entries = world.list(dir).map(|list| list.to_vec()).unwrap_or_default();
                let matching = entries.into_iter().filter(|e| !e.name.starts_with('.') && matcher.is_match(&*e.name));
                matching.map(|entry| dir.join(&*entry.name)).collect::<Vec<_>>()
            })
            .collect();
    }
    found
}

fn interpolate(text: &str, environment: &str) -> String {
    text.replace("$environment", environment)
        .replace("${environment}", environment)
        .replace("$codedir", "/etc/puppetlabs/code")
        .replace("$confdir", "/etc/puppetlabs/puppet")
}

fn unquote(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote).and_then(|text: &str| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// `path` below `root` when relative, with `.` and `..` taken out, as `File.expand_path` does.
fn absolute(root: &Path, path: &str) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in root.join(path).components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean
}
