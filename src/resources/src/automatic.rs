//! The automatic relationships of Puppet's own types `file`, `exec`, `user` and `package`, and of the types of modules in Puppet's packages
//! (`autorequire` and `autobefore` in `lib/puppet/type/*.rb`).
//!
//! In: parameters as written in manifests, and the other resources of the catalog. Out: the resources that a resource depends on if they
//! exist. Must not: read the machine's state.

use std::path::Path;
use std::sync::Arc;

use crate::exec::CommandLine;
use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Relation;
use catwalk_value::Value;
use catwalk_value::ruby;

/// A relation with the type and title of the other resource.
pub type RelatedResource = (Relation, Name, Arc<str>);

/// Looks up other resources of a catalog.
pub trait Neighbours {
    /// Whether the catalog has a file with this path.
    fn has_file(&self, path: &Path) -> bool;

    /// The paths of files of the catalog that begin with this string and are longer, in order.
    fn files_below(&self, directory: &str) -> Vec<Arc<str>>;

    /// The title of the group with this id.
    fn group(&self, gid: i64) -> Option<Arc<str>>;
}

/// The types with automatic relationships.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelatedType {
    File,
    Exec,
    User,
    Package,
    Cron,
    Mount,
    Selmodule,
    SshAuthorizedKey,
    Zfs,
    Zone,
}

impl RelatedType {
    /// The type with this name in lower case; `None` for other types.
    #[must_use]
    pub fn from_name(type_name: &str) -> Option<RelatedType> {
        match type_name {
            "file" => Some(RelatedType::File),
            "exec" => Some(RelatedType::Exec),
            "user" => Some(RelatedType::User),
            "package" => Some(RelatedType::Package),
            "cron" => Some(RelatedType::Cron),
            "mount" => Some(RelatedType::Mount),
            "selmodule" => Some(RelatedType::Selmodule),
            "ssh_authorized_key" => Some(RelatedType::SshAuthorizedKey),
            "zfs" => Some(RelatedType::Zfs),
            "zone" => Some(RelatedType::Zone),
            _ => None,
        }
    }
}

/// The automatic relationships of a resource. `get` returns the value of a parameter, including the namevar.
pub fn automatic_relations(
    related_type: RelatedType,
    get: &dyn Fn(&str) -> Option<Value>,
    neighbours: &dyn Neighbours,
) -> Vec<RelatedResource> {
    let string = |name: &str| get(name).and_then(|value| value.as_str().map(str::to_owned));
    match related_type {
        RelatedType::File => {
            let has_file = |path: &Path| neighbours.has_file(path);
            // Of several values, the first is used.
            let account = |name: &str| match get(name)? {
                Value::Array(items) => items.first().and_then(|first| first.as_str().map(str::to_owned)),
                value => value.as_str().map(str::to_owned),
            };
            let Some(path) = string("path") else { return Vec::new() };
            let target = string("target").or_else(|| string("ensure").filter(|ensure| ensure.starts_with('/')));
            file_requirements(Path::new(&path), target, [account("owner"), account("group")], &has_file)
        }
        RelatedType::Exec => {
            let line = |name: &str| get(name).and_then(|value| CommandLine::from_value(&value));
            let checks =
                ["onlyif", "unless"].into_iter().filter_map(get).flat_map(|value| command_lines(&value)).collect();
            exec_requirements(string("cwd").as_deref(), line("command").as_ref(), checks, string("user").as_deref())
        }
        RelatedType::User => user_requirements(get, neighbours),
        RelatedType::Package => {
            let files =
                [string("responsefile"), string("adminfile"), string("source").filter(|path| path.starts_with('/'))];
            files.into_iter().flatten().map(|path| require(name!("file"), &path)).collect()
        }
        RelatedType::Cron | RelatedType::SshAuthorizedKey => {
            string("user").map(|user| require(name!("user"), &user)).into_iter().collect()
        }
        RelatedType::Mount => string("name").map(|path| mount_relations(&path, neighbours)).unwrap_or_default(),
        RelatedType::Selmodule => {
            let directory = || string("selmoduledir").unwrap_or_else(|| "/usr/share/selinux/targeted".to_owned());
            let path = || Some(format!("{}/{}.pp", directory(), string("name")?));
            let path = string("selmodulepath").or_else(path);
            path.map(|path| require(name!("file"), &path)).into_iter().collect()
        }
        RelatedType::Zfs => string("name").map(|name| zfs_requirements(&name)).unwrap_or_default(),
        RelatedType::Zone => {
            let path = string("path");
            let parent =
                path.as_deref().and_then(|path| Some(Path::new(path).parent()?.to_string_lossy().into_owned()));
            let files = path.into_iter().chain(parent).map(|path| require(name!("file"), &path));
            let datasets = list(get("dataset"));
            files.chain(datasets.iter().map(|dataset| require(name!("zfs"), &ruby::to_s(dataset)))).collect()
        }
    }
}

/// A mount point waits for those above it; files below it wait for it.
fn mount_relations(path: &str, neighbours: &dyn Neighbours) -> Vec<RelatedResource> {
    let above = Path::new(path).ancestors().skip(1).filter(|above| above.as_os_str().len() <= MAX_PATH);
    let mounts = above.map(|above| require(name!("mount"), &above.to_string_lossy()));
    // As in Puppet, nothing is below `/`.
    let files =
        neighbours.files_below(&format!("{path}/")).into_iter().map(|file| (Relation::Before, name!("file"), file));
    mounts.chain(files).collect()
}

/// A file system of zfs waits for its pool and the file systems above it.
fn zfs_requirements(name: &str) -> Vec<RelatedResource> {
    let pool = name.split('/').next().unwrap_or(name);
    let above = name.match_indices('/').skip(1).filter(|(at, _)| *at <= MAX_PATH);
    let above = above.filter_map(|(at, _)| name.get(..at)).map(|above| require(name!("zfs"), above));
    std::iter::once(require(name!("zpool"), pool)).chain(above).collect()
}

/// The items of an array; a single value is one item.
fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items.to_vec(),
        Some(value) => vec![value],
        None => Vec::new(),
    }
}

fn require(type_name: Name, title: &str) -> RelatedResource {
    (Relation::Require, type_name, Arc::from(title))
}

/// Whether an account is a name and not an id.
fn is_name(account: &str) -> bool {
    !account.bytes().all(|byte| byte.is_ascii_digit())
}

/// The length limit of a path in bytes (Linux: `PATH_MAX`). The time to search all parent directories grows with the square of the length.
const MAX_PATH: usize = 4096;

/// The resources that a file depends on: the nearest managed directory above it, the target of the link, its owner and group.
pub(crate) fn file_requirements(
    path: &Path,
    target: Option<String>,
    [owner, group]: [Option<String>; 2],
    is_managed: &dyn Fn(&Path) -> bool,
) -> Vec<RelatedResource> {
    let mut above = path.ancestors().skip(1).skip_while(|path| path.as_os_str().len() > MAX_PATH);
    let parent = above.find(|path| is_managed(path)).map(|path| path.to_string_lossy().into_owned());
    let files = parent.into_iter().chain(target).map(|path| require(name!("file"), &path));
    let accounts = [(name!("user"), owner), (name!("group"), group)].into_iter();
    let accounts = accounts.filter_map(|(kind, account)| Some(require(kind, &account.filter(|name| is_name(name))?)));
    files.chain(accounts).collect()
}

/// The resources that an exec depends on: its directory, files that its commands begin with, its user.
pub(crate) fn exec_requirements(
    directory: Option<&str>,
    command: Option<&CommandLine>,
    checks: Vec<CommandLine>,
    user: Option<&str>,
) -> Vec<RelatedResource> {
    let mut files: Vec<Arc<str>> = directory.into_iter().map(Arc::from).collect();
    if let Some(command) = command {
        files.extend(command.paths());
        files.extend(command.quoted_paths());
    }
    files.extend(checks.iter().flat_map(CommandLine::paths));
    let files = files.into_iter().map(|file| require(name!("file"), &file));
    files.chain(user.filter(|user| is_name(user)).map(|user| require(name!("user"), user))).collect()
}

/// The commands of `onlyif` or `unless`: one command, or an array of commands, each a string or an array.
fn command_lines(value: &Value) -> Vec<CommandLine> {
    match value {
        Value::Array(items) => items.iter().filter_map(CommandLine::from_value).collect(),
        value => CommandLine::from_value(value).into_iter().collect(),
    }
}

/// The resources that a user depends on: its groups and roles.
fn user_requirements(get: &dyn Fn(&str) -> Option<Value>, neighbours: &dyn Neighbours) -> Vec<RelatedResource> {
    let mut related = Vec::new();
    for group in list(get("gid")) {
        let number = match &group {
            Value::Int(number) => Some(*number),
            group => group.as_str().and_then(|group| group.parse().ok()),
        };
        match number {
            Some(number) => related.extend(neighbours.group(number).map(|title| require(name!("group"), &title))),
            None => related.extend(group.as_str().map(|title| require(name!("group"), title))),
        }
    }
    for (parameter, kind) in [("groups", name!("group")), ("roles", name!("user"))] {
        let titles = list(get(parameter));
        related.extend(titles.iter().map(|title| require(kind, &ruby::to_s(title))));
    }
    related
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::MAX_PATH;
    use super::file_requirements;

    #[test]
    fn parent_directories_of_a_very_long_path_are_not_searched() {
        let path = format!("/srv{}", "/a".repeat(500_000));
        let bytes = Cell::new(0);
        let related = file_requirements(Path::new(&path), None, [None, None], &|path| {
            bytes.set(bytes.get() + path.as_os_str().len());
            path == Path::new("/srv")
        });
        assert_eq!(related.iter().map(|(_, _, title)| &**title).collect::<Vec<_>>(), ["/srv"]);
        assert!(bytes.get() <= MAX_PATH * MAX_PATH / 4 + MAX_PATH, "{}", bytes.get());
    }
}
