//! The rules that a manifest's path imposes on the names it defines. (`checker4_0.rb`, `namespace_for_file`)

use catwalk_base::source::path::normalize_path;
use std::path::Path;
use std::path::PathBuf;

/// The names that may be defined in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// Any name: a main manifest, a source that is not a file, a file outside all modules.
    #[default]
    Anywhere,
    /// Names that start with this one, and only definitions at the top level: a file that a module is loaded from.
    Namespace(String),
    /// Nothing: a file of a module, in none of the directories that definitions are loaded from.
    Nowhere,
}

impl Placement {
    /// The placement of a file within the module path. `path` and the directories must be absolute. A file below the main
    /// manifest (a file or directory) may define anything.
    #[must_use]
    pub fn from_path(path: &Path, modulepath: &[PathBuf], main_manifest: Option<&Path>) -> Placement {
        if path.extension().is_none_or(|extension| extension != "pp") {
            return Placement::Anywhere;
        }
        // Puppet compares the paths as strings, not by segments.
        let text = path.to_string_lossy();
        if main_manifest.is_some_and(|manifest| text.starts_with(&*manifest.to_string_lossy())) {
            return Placement::Anywhere;
        }
        let path = normalize_path(path);
        let relative = modulepath.iter().find_map(|directory| path.strip_prefix(normalize_path(directory)).ok());
        relative.map_or(Placement::Anywhere, Placement::in_module)
    }

    /// The placement of a file by its path relative to a directory of modules: `ntp/manifests/server/config.pp`.
    #[must_use]
    pub fn in_module(relative: &Path) -> Placement {
        let lower = relative.to_string_lossy().to_lowercase();
        let parts: Vec<&str> = lower.split('/').collect();
        let [module, directory, inner @ .., file] = parts.as_slice() else { return Placement::Nowhere };
        if !matches!(*directory, "manifests" | "functions" | "types" | "plans") {
            return Placement::Nowhere;
        }
        let mut names = vec![*module];
        names.extend(inner);
        if !(inner.is_empty() && *file == "init.pp") {
            names.push(file.strip_suffix(".pp").unwrap_or(file));
        }
        Placement::Namespace(names.join("::"))
    }

    /// Whether this file may define the name.
    pub(super) fn allows(&self, name: &str) -> bool {
        match self {
            Placement::Anywhere => true,
            Placement::Nowhere => false,
            Placement::Namespace(namespace) => name.to_lowercase().starts_with(namespace.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_module_is_a_namespace() {
        let of = |path: &str| {
            Placement::from_path(Path::new(path), &[PathBuf::from("/m")], Some(Path::new("/site/manifests")))
        };
        assert_eq!(of("/m/ntp/manifests/init.pp"), Placement::Namespace("ntp".into()));
        assert_eq!(of("/m/ntp/manifests/server/Config.pp"), Placement::Namespace("ntp::server::config".into()));
        assert_eq!(of("/m/ntp/manifests/server/init.pp"), Placement::Namespace("ntp::server::init".into()));
        assert_eq!(of("/m/ntp/examples/x.pp"), Placement::Nowhere);
        assert_eq!(of("/site/manifests/site.pp"), Placement::Anywhere);
        assert_eq!(of("/elsewhere/x.pp"), Placement::Anywhere);
    }
}
