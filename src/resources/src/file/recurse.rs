//! The files of a recursive directory (`eval_generate` of Puppet's type `file`).

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use catwalk_apply::DeclaredResource;
use catwalk_apply::Run;
use catwalk_base::name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::FileKind as Kind;
use catwalk_value::Value;
use globset::GlobBuilder;
use globset::GlobSet;
use globset::GlobSetBuilder;

use super::File;
use super::Recurse;
use super::source;

/// Parameters that the files in a directory do not inherit.
const NOT_INHERITED: [&str; 10] =
    ["ensure", "recurse", "recurselimit", "max_files", "target", "alias", "source", "path", "content", "parent"];
/// The maximum depth of directories that are searched.
const MAX_DEPTH: usize = 200;
/// With `max_files` 0, more files than this cause a warning, as in Puppet.
const SOFT_MAX_FILES: i64 = 1000;

/// The target of a link that leads to nothing.
fn dangling_target(path: &Path, run: &mut Run<'_>) -> Option<String> {
    let target = run.system.stat(path, false).ok()??.target?;
    let is_dangling = matches!(run.system.stat(path, true), Ok(None));
    is_dangling.then(|| target.to_string_lossy().into_owned())
}

impl File {
    /// # Errors
    /// A directory cannot be listed.
    pub(super) fn recurse(&mut self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        if self.recurse == Recurse::No {
            return Ok(Vec::new());
        }
        let ignored = self.ignored()?;
        let mut children: BTreeMap<String, DeclaredResource> = BTreeMap::new();
        if self.recurse == Recurse::Yes {
            for (name, _) in self.walk(&self.path, &ignored, run)? {
                let child = self.child(&name);
                children.insert(name, child);
            }
        }
        if let Some(target) = &self.target {
            for (name, kind) in self.walk(Path::new(target), &ignored, run)? {
                let mut child = children.remove(&name).unwrap_or_else(|| self.child(&name));
                let ensure = if kind == Kind::Directory { "directory" } else { "link" };
                child.parameters.insert(name!("ensure"), Value::str(ensure));
                if kind != Kind::Directory {
                    child.parameters.insert(name!("target"), Value::str(format!("{target}/{name}")));
                }
                children.insert(name, child);
            }
        }
        let from_sources = self.add_sources(&mut children, &ignored, run)?;
        if self.purge {
            for (_, child) in children.iter_mut().filter(|(name, _)| !from_sources.contains(*name)) {
                child.parameters.insert(name!("ensure"), Value::str("absent"));
            }
        }
        let run_state = self.run_state.borrow();
        // Paths that the catalog manages explicitly, and everything below them, are not generated.
        let inner: Vec<&Path> = run_state.paths.range(self.path.clone()..).map(|path| path.as_path()).collect();
        let inner: Vec<&Path> = inner
            .into_iter()
            .take_while(|path| path.starts_with(&self.path))
            .filter(|path| *path != self.path)
            .collect();
        let is_generated =
            |child: &DeclaredResource| !inner.iter().any(|path| Path::new(&*child.title).starts_with(path));
        Ok(children.into_values().filter(is_generated).collect())
    }

    /// Adds the files of the sources; returns their names.
    fn add_sources(
        &self,
        children: &mut BTreeMap<String, DeclaredResource>,
        ignored: &GlobSet,
        run: &mut Run<'_>,
    ) -> Result<HashSet<String>, Failure> {
        let mut seen = HashSet::new();
        for label in &self.sources {
            let label_slice = std::slice::from_ref(label);
            let Ok(source) = source::find(label_slice, self.follow, &self.settings, run) else { continue };
            if source.stat.kind != Kind::Directory {
                return Ok(seen);
            }
            for (name, _) in self.walk(&source.path, ignored, run)? {
                if !seen.insert(name.clone()) {
                    continue;
                }
                let entry = source.path.join(&name);
                let child = children.entry(name).or_insert_with_key(|name| self.child(name));
                match dangling_target(&entry, run) {
                    // By itself, such a link is not a source.
                    Some(target) => {
                        child.parameters.insert(name!("ensure"), Value::str("link"));
                        child.parameters.insert(name!("target"), Value::str(target));
                    }
                    None => {
                        let label = format!("{label}/{}", entry.strip_prefix(&source.path).unwrap_or(&entry).display());
                        child.parameters.insert(name!("source"), Value::str(label));
                    }
                }
            }
            if !self.all_sources {
                break;
            }
        }
        Ok(seen)
    }

    /// A file in this directory with the parameters of the directory.
    fn child(&self, name: &str) -> DeclaredResource {
        let title: Arc<str> = Arc::from(self.path.join(name).to_string_lossy());
        let mut child = DeclaredResource { title: title.clone(), ..self.declared.clone() };
        child.parameters.retain(|name, _| !NOT_INHERITED.contains(&name.as_str()));
        child.parameters.insert(name!("path"), Value::from(title));
        child
    }

    fn ignored(&self) -> Result<GlobSet, Failure> {
        let mut set = GlobSetBuilder::new();
        for pattern in &self.ignore {
            let failed = |error: globset::Error| Failure::new(format!("ignore: {pattern}: {}", error.kind()));
            set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(failed)?);
        }
        set.build().map_err(|error| Failure::new(format!("ignore: {}", error.kind())))
    }

    /// The entries below a directory by relative path; none if it is not a directory.
    fn walk(&self, top: &Path, ignored: &GlobSet, run: &mut Run<'_>) -> Result<Vec<(String, Kind)>, Failure> {
        let mut entries = Vec::new();
        let is_directory = |stat: catwalk_system::Stat| stat.kind == Kind::Directory;
        if !run.system.stat(top, true).ok().flatten().is_some_and(is_directory) {
            return Ok(entries);
        }
        let mut open = vec![(String::new(), 1)];
        while let Some((folder, depth)) = open.pop() {
            if depth > self.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
                continue;
            }
            let path = if folder.is_empty() { top.to_path_buf() } else { top.join(&folder) };
            for name in run.system.list(&path).map_err(|error| Failure::new(error.message))? {
                let relative = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                // As with `File.fnmatch`, only a pattern with a leading dot matches hidden files.
                let is_hidden = name.starts_with('.') && !self.ignore.iter().any(|pattern| pattern.starts_with('.'));
                if !is_hidden && ignored.is_match(&name) {
                    continue;
                }
                let stat = run.system.stat(&path.join(&name), self.follow);
                let Some(stat) = stat.map_err(|error| Failure::new(error.message))? else {
                    let entry = path.join(&name);
                    match run.system.stat(&entry, false) {
                        Ok(Some(_)) => {
                            let text = format!("No such file or directory @ rb_file_s_stat - {}", entry.display());
                            return Err(Failure::new(text));
                        }
                        _ => continue,
                    }
                };
                if stat.kind == Kind::Directory {
                    open.push((relative.clone(), depth + 1));
                }
                entries.push((relative, stat.kind));
            }
        }
        self.check_count(top, entries.len(), run)?;
        Ok(entries)
    }

    /// Fails if a directory has more entries than `max_files` allows; warns above the soft limit if `max_files` is 0
    /// (Puppet::FileServing::Fileset#files).
    fn check_count(&self, top: &Path, count: usize, run: &mut Run<'_>) -> Result<(), Failure> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let start = format!("The directory '{}' contains {count} entries, which exceeds the", top.display());
        if self.max_files > 0 && count > self.max_files {
            return Err(Failure::new(format!(
                "{start} limit of {} specified by the max_files parameter for this resource. The limit may be increased, but be aware that large number of file resources can result in excessive resource consumption and degraded performance. Consider using an alternate method to manage large directory trees",
                self.max_files
            )));
        }
        if self.max_files == 0 && count > SOFT_MAX_FILES {
            let text = format!(
                "{start} default soft limit {SOFT_MAX_FILES} and may cause excessive resource consumption and degraded performance. To remove this warning set a value for `max_files` parameter or consider using an alternate method to manage large directory trees"
            );
            run.log.log(Level::Warning, None, &text);
        }
        Ok(())
    }
}
