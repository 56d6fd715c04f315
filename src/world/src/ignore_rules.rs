//! The rules of `.gitignore`, `.ignore`, `.git/info/exclude` and the user's excludes file: which paths below a directory git ignores.
//!
//! In: directories, from the outermost to the innermost. Out: whether a path is ignored; the files of rules that cannot be used. Must not:
//! read anything but regular files of a limited size, read outside of what a guard permits.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;
use ignore::gitignore::GitignoreBuilder;

use crate::Guard;
use crate::Kind;
use crate::World;
use crate::WorldError;
use catwalk_base::source::path::normalize_path;

/// The most bytes of one file of rules: each pattern becomes a part of an automaton.
const MAX_BYTES: usize = 256 << 10;
/// The most bytes of all files of rules that one reader reads.
const MAX_TOTAL: usize = 4 << 20;

/// Reads files of rules, and remembers those that cannot be used.
pub struct RuleReader<'w> {
    world: &'w dyn World,
    guard: Option<&'w Guard>,
    remaining: usize,
    unusable: Vec<WorldError>,
}

impl<'w> RuleReader<'w> {
    /// A reader of the files of a world; a guard restricts it to the guard's directories.
    #[must_use]
    pub fn new(world: &'w dyn World, guard: Option<&'w Guard>) -> RuleReader<'w> {
        RuleReader { world, guard, remaining: MAX_TOTAL, unusable: Vec::new() }
    }

    /// The rules of a file for paths below `directory`; no rules if the file is missing, or is not used.
    pub fn read(&mut self, file: &Path, directory: &Path) -> IgnoreFile {
        match self.lines(file) {
            Some(bytes) => IgnoreFile::parse(&bytes, directory),
            None => IgnoreFile::default(),
        }
    }

    /// Why files of rules are not used, in the order in which they were read.
    #[must_use]
    pub fn into_unusable(self) -> Vec<WorldError> {
        self.unusable
    }

    fn may_read(&self, path: &Path) -> bool {
        self.guard.is_none_or(|guard| guard.admits(path, self.world))
    }

    fn lines(&mut self, file: &Path) -> Option<Arc<[u8]>> {
        if !self.may_read(file) {
            return None;
        }
        let bytes = match self.world.read(file) {
            Ok(bytes) => bytes,
            Err(WorldError::Missing(_)) => return None,
            Err(refused) => {
                self.unusable.push(refused);
                return None;
            }
        };
        if bytes.len() > MAX_BYTES.min(self.remaining) {
            let why = match bytes.len() > MAX_BYTES {
                true => format!("rules for ignored files have more than {} KiB", MAX_BYTES >> 10),
                false => format!("all rules for ignored files have more than {} MiB", MAX_TOTAL >> 20),
            };
            self.unusable.push(WorldError::Unreadable(file.to_path_buf(), Arc::from(why)));
            return None;
        }
        self.remaining -= bytes.len();
        Some(bytes)
    }
}

/// The rules of one file.
#[derive(Clone, Debug)]
pub struct IgnoreFile(Gitignore);

impl Default for IgnoreFile {
    fn default() -> IgnoreFile {
        IgnoreFile(Gitignore::empty())
    }
}

impl IgnoreFile {
    /// The rules in the contents of a file for paths below `directory`. As in git, invalid lines have no effect.
    fn parse(bytes: &[u8], directory: &Path) -> IgnoreFile {
        let mut builder = GitignoreBuilder::new(directory);
        let text = String::from_utf8_lossy(bytes);
        for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
            // Git does not report invalid lines either.
            let _ = builder.add_line(None, line);
        }
        builder.build().map_or_else(|_| IgnoreFile::default(), IgnoreFile)
    }

    /// Whether the rules ignore a path relative to their directory, or a directory that contains it.
    #[must_use]
    pub fn ignores_below(&self, path: &Path) -> bool {
        self.0.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Whether the last rule that matches an absolute path ignores it or includes it; `None`: no rule matches.
    fn decide(&self, path: &Path, is_directory: bool) -> Option<bool> {
        match self.0.matched(path, is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// The rules that a directory adds to those of the directories above it.
struct Level {
    directory: PathBuf,
    /// `.ignore`, which other tools of this kind read.
    plain: IgnoreFile,
    /// `.gitignore`
    git: IgnoreFile,
    /// `.git/info/exclude`
    exclude: IgnoreFile,
    /// Whether this is the top directory of a repository: rules of git above it do not apply.
    is_repository: bool,
}

/// The rules that apply in a directory: its own and those of the directories above.
#[derive(Clone, Default)]
pub struct IgnoreRules {
    /// From the outermost to the innermost.
    levels: Vec<Arc<Level>>,
    global: Arc<IgnoreFile>,
    /// Whether a directory is in a repository; elsewhere git's rules do not apply.
    is_in_repository: bool,
}

impl IgnoreRules {
    /// The rules that apply in an absolute directory.
    #[must_use]
    pub fn of_directory(directory: &Path, reader: &mut RuleReader<'_>) -> IgnoreRules {
        let mut rules = IgnoreRules::default();
        let above: Vec<&Path> = directory.ancestors().collect();
        let mut repository = None;
        for above in above.into_iter().rev() {
            rules = rules.enter(above, reader);
            if rules.levels.last().is_some_and(|level| level.is_repository && level.directory == above) {
                repository = Some(above);
            }
        }
        if let Some(repository) = repository {
            rules.global = Arc::new(reader.global_excludes(repository));
        }
        rules
    }

    /// The rules that apply in a directory below, which is entered from this one.
    #[must_use]
    pub fn enter(&self, directory: &Path, reader: &mut RuleReader<'_>) -> IgnoreRules {
        let file = |name: &str| directory.join(name);
        let git_folder = reader.git_folder(directory);
        let level = Level {
            directory: directory.to_path_buf(),
            plain: reader.read(&file(".ignore"), directory),
            git: reader.read(&file(".gitignore"), directory),
            exclude: match &git_folder {
                Some(folder) => reader.read(&folder.join("info/exclude"), directory),
                None => IgnoreFile::default(),
            },
            is_repository: git_folder.is_some(),
        };
        let mut rules = self.clone();
        rules.is_in_repository |= level.is_repository;
        if level.is_repository || !(level.plain.0.is_empty() && level.git.0.is_empty()) {
            rules.levels.push(Arc::new(level));
        }
        rules
    }

    /// Whether an absolute path in the directory is ignored (`Some(true)`), or is included by a rule that begins with `!`
    /// (`Some(false)`). `.ignore` wins over `.gitignore`, and this over `.git/info/exclude` and the user's file; the nearest file of a
    /// kind wins.
    #[must_use]
    pub fn decision(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let decide = |rules: &IgnoreFile| rules.decide(path, is_directory);
        let levels = || self.levels.iter().rev();
        let plain = levels().find_map(|level| decide(&level.plain));
        if plain.is_some() || !self.is_in_repository {
            return plain;
        }
        let mut in_repository: Vec<&Level> = Vec::new();
        for level in levels() {
            in_repository.push(level);
            if level.is_repository {
                break;
            }
        }
        let git = in_repository.iter().find_map(|level| decide(&level.git));
        let exclude = || in_repository.iter().find_map(|level| decide(&level.exclude));
        git.or_else(exclude).or_else(|| decide(&self.global))
    }
}

impl RuleReader<'_> {
    /// The directory with `info/exclude` of the repository whose top is this directory; `None`: it is not the top of one.
    fn git_folder(&mut self, directory: &Path) -> Option<PathBuf> {
        let git = directory.join(".git");
        if !self.may_read(&git) {
            return None;
        }
        match self.world.kind(&git) {
            Kind::Missing => None,
            Kind::Directory => Some(git),
            // A work tree or submodule: the file names its directory, which names that of the repository.
            Kind::File => {
                let text = self.text(&git);
                let folder = directory.join(text.strip_prefix("gitdir:").unwrap_or_default().trim());
                let common = self.text(&folder.join("commondir"));
                Some(if common.is_empty() { folder } else { normalize_path(&folder.join(common.trim())) })
            }
        }
    }

    fn text(&mut self, file: &Path) -> String {
        self.lines(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// The rules of `core.excludesFile`, by default `git/ignore` in the user's directory of configurations, for a repository.
    fn global_excludes(&mut self, repository: &Path) -> IgnoreFile {
        if self.guard.is_some() {
            return IgnoreFile::default();
        }
        let path =
            |name: &str| self.world.env(name).filter(|value| !value.is_empty()).map(|value| PathBuf::from(&*value));
        let home = path("HOME");
        let configurations = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let user = match path("GIT_CONFIG_GLOBAL") {
            Some(file) => vec![Some(file)],
            None => vec![
                home.as_ref().map(|home| home.join(".gitconfig")),
                configurations.as_ref().map(|folder| folder.join("git/config")),
            ],
        };
        let system = path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
        let named = user.into_iter().flatten().chain([system]).find_map(|file| {
            let text = self.text(&file);
            excludes_file(&text)
        });
        let file = match named {
            Some(file) => match (file.strip_prefix("~/"), &home) {
                (Some(below), Some(home)) => home.join(below),
                _ => PathBuf::from(file),
            },
            None => match configurations {
                Some(folder) => folder.join("git/ignore"),
                None => return IgnoreFile::default(),
            },
        };
        self.read(&file, repository)
    }
}

/// The value of `core.excludesFile` in a configuration of git.
fn excludes_file(text: &str) -> Option<String> {
    let mut is_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_core = section.split(']').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
        }
        let Some((name, value)) = line.split_once('=').filter(|_| is_core) else { continue };
        if name.rsplit(']').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("excludesfile")) {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|file| !file.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::Memory;

    fn decide(files: &[(&str, &str)], path: &str) -> Option<bool> {
        let world = Memory::new(files.iter().copied());
        let mut reader = RuleReader::new(&world, None);
        let path = Path::new(path);
        let rules = IgnoreRules::of_directory(path.parent().unwrap(), &mut reader);
        assert_eq!(reader.into_unusable(), []);
        rules.decision(path, false)
    }

    #[test]
    fn the_nearest_rule_of_the_strongest_kind_decides() {
        let git = ("/r/.git/HEAD", "");
        let inner = ("/r/m/.git/HEAD", "");
        for (files, path, decision) in [
            (&[git, ("/r/.gitignore", "*.a\n")][..], "/r/x.a", Some(true)),
            (&[("/r/.gitignore", "*.a\n")], "/r/x.a", None),
            (&[("/r/.ignore", "*.a\n")], "/r/x.a", Some(true)),
            (&[git, ("/r/.gitignore", "*.a\n"), ("/r/d/.gitignore", "!x.a\n")], "/r/d/x.a", Some(false)),
            (&[git, ("/r/.gitignore", "!x.a\n"), ("/r/.ignore", "x.a\n")], "/r/x.a", Some(true)),
            (&[git, ("/r/.git/info/exclude", "x.a\n")], "/r/d/x.a", Some(true)),
            (&[git, ("/r/.git/info/exclude", "x.a\n"), ("/r/.gitignore", "!x.a\n")], "/r/x.a", Some(false)),
            (&[git, inner, ("/r/.gitignore", "*.a\n")], "/r/m/x.a", None),
            (&[git, ("/r/.gitignore", "\u{feff}/x.a\n[\n# x.b\n")], "/r/x.a", Some(true)),
            (
                &[("/r/.git", "gitdir: /g/w\n"), ("/g/w/commondir", "..\n"), ("/g/info/exclude", "*.a")],
                "/r/x.a",
                Some(true),
            ),
            (&[("/r/.git", "gitdir: /g/w\n"), ("/g/w/info/exclude", "*.a")], "/r/x.a", Some(true)),
        ] {
            assert_eq!(decide(files, path), decision, "{files:?} {path}");
        }
    }

    #[test]
    fn huge_rules_are_not_used() {
        let huge = "*a*b*\n".repeat(100_000);
        let world = Memory::new([("/r/.ignore", huge.as_str())]);
        let mut reader = RuleReader::new(&world, None);
        let rules = IgnoreRules::of_directory(Path::new("/r"), &mut reader);
        assert_eq!(rules.decision(Path::new("/r/xaxbx"), false), None);
        assert!(reader.into_unusable()[0].to_string().contains("/r/.ignore: rules for ignored files"), "unusable");
        // Many files that are large together.
        let files: Vec<(String, String)> =
            (0..30).map(|at| (format!("/{}.ignore", "d/".repeat(at)), "#".repeat(200_000))).collect();
        let world = Memory::new(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let mut reader = RuleReader::new(&world, None);
        let _ = IgnoreRules::of_directory(Path::new(&format!("/{}", "d/".repeat(29))), &mut reader);
        assert_eq!(reader.into_unusable().len(), 10);
    }

    #[test]
    fn the_excludes_file_is_a_setting_of_git() {
        for (text, file) in [
            ("[core]\n\texcludesFile = ~/x\n", Some("~/x")),
            ("[user]\nexcludesfile = a\n[core] ExcludesFile = \"b c\"\n", Some("b c")),
            ("[core \"x\"]\nexcludesfile = a\n", None),
            ("excludesfile = a\n", None),
            ("[core]\nexcludesfile =\n", None),
        ] {
            assert_eq!(excludes_file(text).as_deref(), file, "{text}");
        }
    }
}
