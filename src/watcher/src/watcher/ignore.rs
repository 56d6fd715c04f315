//! Rules for ignoring changes: the program's output, `[watch] ignore` of `catwalk.toml`, `.gitignore`.
//!
//! In: paths. Out: whether to ignore them. Must not: read files other than `.gitignore`.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use globset::Glob;
use globset::GlobSet;
use globset::GlobSetBuilder;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_world::World;
use catwalk_world::ignore_rules::IgnoreFile;
use catwalk_world::ignore_rules::RuleReader;
use catwalk_world::output;

/// Rules for paths below a site.
#[derive(Debug, Default)]
pub struct Ignore {
    root: PathBuf,
    /// The patterns, and the contents of `.gitignore`.
    source: (Vec<String>, Option<Arc<[u8]>>),
    /// Folders that this program writes to.
    output_folders: Vec<PathBuf>,
    rules: GlobSet,
    git: IgnoreFile,
}

impl Ignore {
    /// The rules of a site: patterns of `[watch] ignore` (`*` does not match a `/`; a pattern without `/` matches file names), folders of
    /// output, and `.gitignore` in the directory.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub fn new(
        root: &Path,
        patterns: &[String],
        output_folders: Vec<PathBuf>,
        world: &dyn World,
    ) -> Result<Ignore, Reason> {
        let mut rules = GlobSetBuilder::new();
        for pattern in patterns {
            let full = match pattern.contains('/') {
                true => pattern.trim_start_matches('/').to_owned(),
                false => format!("**/{pattern}"),
            };
            for glob in [full.clone(), format!("{}/**", full.trim_end_matches('/'))] {
                let glob = globset::GlobBuilder::new(&glob).literal_separator(true).build();
                let glob: Glob = glob.map_err(|error| {
                    Reason::new(Code::BAD_SITE, format!("`ignore` of [watch] in catwalk.toml: {error}"))
                })?;
                rules.add(glob);
            }
        }
        let rules = rules.build().map_err(|error| Reason::new(Code::BAD_SITE, error.to_string()))?;
        let file = root.join(".gitignore");
        let git = RuleReader::new(world, None).read(&file, root);
        let source = (patterns.to_vec(), world.read(&file).ok());
        Ok(Ignore { root: root.to_path_buf(), source, output_folders, rules, git })
    }

    /// Whether [`Ignore::new`] would return an equal value.
    #[must_use]
    pub fn is_current(&self, root: &Path, patterns: &[String], output_folders: &[PathBuf], world: &dyn World) -> bool {
        let (of, text) = &self.source;
        self.root == root
            && self.output_folders == output_folders
            && of == patterns
            && *text == world.read(&root.join(".gitignore")).ok()
    }

    /// Whether the site's own rules ignore the path.
    #[must_use]
    pub fn by_rule(&self, path: &Path) -> bool {
        let below = || path.strip_prefix(&self.root).is_ok_and(|below| self.rules.is_match(below));
        let is_temporary = || path.components().any(|part| part.as_os_str() == output::FOLDER);
        self.output_folders.iter().any(|output_folders| path.starts_with(output_folders)) || below() || is_temporary()
    }

    /// Whether `.gitignore` lists the path, or it belongs to git.
    #[must_use]
    pub fn by_git(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else { return false };
        below.starts_with(".git") || self.git.ignores_below(below)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_world::Memory;

    #[test]
    fn rules_of_the_site_and_of_git() {
        let world = Memory::new([("/site/.gitignore", "*.bak\n/vendor/\n")]);
        let patterns = ["*.tmp".to_owned(), "data/generated/**".to_owned()];
        let ignore = Ignore::new(Path::new("/site"), &patterns, vec!["/site/target/catalogs".into()], &world).unwrap();
        for (path, rule, git) in [
            ("/site/data/a.yaml", false, false),
            ("/site/data/a.tmp", true, false),
            ("/site/data/generated/a.yaml", true, false),
            ("/site/target/catalogs/a.json", true, false),
            ("/site/a.bak", false, true),
            ("/site/vendor/x/y", false, true),
            ("/site/.git/index", false, true),
            ("/elsewhere/a.tmp", false, false),
            ("/site/data/.catwalk-tmp", true, false),
            ("/site/data/.catwalk-tmp/1a2b3c4d-12-1", true, false),
        ] {
            assert_eq!((ignore.by_rule(Path::new(path)), ignore.by_git(Path::new(path))), (rule, git), "{path}");
        }
        assert!(Ignore::new(Path::new("/site"), &["[".to_owned()], Vec::new(), &world).is_err());
        let is_current = |patterns: &[String], world: &Memory| {
            ignore.is_current(Path::new("/site"), patterns, &["/site/target/catalogs".into()], world)
        };
        assert!(is_current(&patterns, &world));
        assert!(!is_current(&patterns[..1], &world));
        assert!(!is_current(&patterns, &Memory::new([("/site/.gitignore", "*.bak\n")])));
    }
}
