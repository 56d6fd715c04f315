//! `catwalk.toml`: which modules, manifest, data, nodes, classifier and snapshots make a site.

use std::path::Path;
use std::path::PathBuf;

use serde::Deserialize;

use crate::diag::Code;
use crate::diag::Reason;
use crate::eval::Cycles;
use crate::eval::Limits;
use crate::version::Version;
use crate::world::Kind;
use crate::world::Refused;
use crate::world::World;

/// The file that makes a directory a site.
pub const FILE: &str = "catwalk.toml";

/// A site: an environment with its nodes. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The directory.
    pub root: PathBuf,
    /// Environment name; `production` unless said otherwise.
    pub environment: Option<String>,
    /// Directories of modules; `None`: as `environment.conf` says.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest; `None`: as `environment.conf` says.
    pub manifest: Option<PathBuf>,
    /// Hiera configuration of the environment layer; `None`: `hiera.yaml` in the directory.
    pub hiera: Option<PathBuf>,
    /// Folder of facts, one file for each certname.
    pub nodes: Option<PathBuf>,
    /// External node classifier: an executable or a `.rhai` script.
    pub enc: Option<PathBuf>,
    /// Folder of catalog snapshots.
    pub snapshots: Option<PathBuf>,
    /// Folder that `compile` writes the catalogs of several nodes to.
    pub output: Option<PathBuf>,
    /// Version of the language.
    pub puppet: Option<Version>,
    /// Puppet's settings by name.
    pub settings: Vec<(String, String)>,
    /// Limits by name.
    pub limits: Vec<(String, String)>,
    /// What becomes of dependency cycles.
    pub cycles: Option<Cycles>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Document {
    environment: Option<String>,
    modulepath: Option<Vec<PathBuf>>,
    manifest: Option<PathBuf>,
    hiera: Option<PathBuf>,
    nodes: Option<PathBuf>,
    enc: Option<PathBuf>,
    snapshots: Option<PathBuf>,
    output: Option<PathBuf>,
    puppet: Option<toml::Value>,
    #[serde(default)]
    settings: toml::Table,
    #[serde(default)]
    limits: toml::Table,
    cycles: Option<String>,
}

/// A value of the file as the text that `--set` would take.
fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// The table of limits, each checked by itself so that the error names the file.
fn limits(table: &toml::Table) -> Result<Vec<(String, String)>, Reason> {
    let limits = table.iter().map(|(name, value)| (name.clone(), shown(value)));
    limits.map(|(name, value)| Limits::default().set(&name, &value).map(|()| (name, value))).collect()
}

impl Site {
    /// Reads the site in a directory; without `catwalk.toml` everything is as `environment.conf` says.
    ///
    /// # Errors
    /// The directory is not there; `catwalk.toml` does not parse or has unknown keys.
    pub fn open(root: &Path, world: &dyn World) -> Result<Site, Reason> {
        let fail = |message: String| Reason::new(Code("BAD_SITE"), message);
        if world.kind(root) != Kind::Directory {
            return Err(fail(format!("Could not find a directory environment at {}", root.display())));
        }
        let path = root.join(FILE);
        let text = match world.read(&path) {
            Ok(bytes) => {
                String::from_utf8(bytes.to_vec()).map_err(|_| fail(format!("{} is not UTF-8 text", path.display())))?
            }
            Err(Refused::Missing(_)) => String::new(),
            Err(refused) => return Err(fail(refused.to_string())),
        };
        let document: Document = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text.get(..span.start).map_or(0, |t| t.matches('\n').count()));
            fail(format!("{}:{line}: {}", path.display(), error.message()))
        })?;
        let below = |path: PathBuf| root.join(path);
        let puppet = match document.puppet.as_ref().map(shown) {
            None => None,
            Some(name) => Some(
                Version::find(&name)
                    .ok_or_else(|| fail(format!("{}: `puppet` must be 7 or 8, got {name}", path.display())))?,
            ),
        };
        Ok(Site {
            root: root.to_path_buf(),
            environment: document.environment,
            modulepath: document.modulepath.map(|paths| paths.into_iter().map(below).collect()),
            manifest: document.manifest.map(below),
            hiera: document.hiera.map(below),
            nodes: document.nodes.map(below),
            enc: document.enc.map(below),
            snapshots: document.snapshots.map(below),
            output: document.output.map(below),
            puppet,
            limits: limits(&document.limits)
                .map_err(|reason| fail(format!("{}: {}", path.display(), reason.message)))?,
            cycles: match document.cycles.as_deref() {
                None => None,
                Some(word) => Some(Cycles::find(word).ok_or_else(|| {
                    fail(format!("{}: `cycles` must be ignore, warning or error, got {word}", path.display()))
                })?),
            },
            settings: document.settings.iter().map(|(name, value)| (name.clone(), shown(value))).collect(),
        })
    }

    /// The nearest directory at or above `start` with `catwalk.toml` or `environment.conf`.
    #[must_use]
    pub fn find(start: &Path, world: &dyn World) -> Option<PathBuf> {
        let is_site =
            |dir: &&Path| [FILE, "environment.conf"].iter().any(|name| world.kind(&dir.join(name)) == Kind::File);
        start.ancestors().find(is_site).map(Path::to_path_buf)
    }
}
