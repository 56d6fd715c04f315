//! `file`: files, directories and links, with their contents, owner and mode.
//!
//! | file | content |
//! |---|---|
//! | `prepare` | parameters |
//! | `contents` | comparison, differences, writing |
//! | `ensure` | creation, removal, backups |
//! | `ownership` | owner, group, mode |
//! | `recurse` | the files of a directory |
//! | `source`, `bucket`, `checksum`, `mode` | these parameters |

mod bucket;
mod checksum;
mod contents;
mod ensure;
mod mode;
mod ownership;
mod prepare;
mod recurse;
mod source;

use std::cell::OnceCell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use catwalk_apply::CurrentValues;
use catwalk_apply::DeclaredResource;
use catwalk_apply::KindTraits;
use catwalk_apply::ManagedResource;
use catwalk_apply::PropertyTraits;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_apply::display;
use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_base::version::Version;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Relation;
use catwalk_system::FileKind as Kind;
use catwalk_system::Stat;
use catwalk_value::Value;

use crate::automatic;

pub use self::checksum::looks_like_checksum;
use self::mode::Mode;
use self::source::Source;

/// Settings that the files of a run share.
pub struct Settings {
    /// Whether differences of contents are logged (`--show_diff`).
    pub show_diff: bool,
    /// The directory of the filebucket `puppet`.
    pub bucket: PathBuf,
    /// The environment's name, for messages.
    pub environment: String,
    /// The version whose behaviour is reproduced.
    pub version: Version,
    /// The directory `files` of a module.
    pub module_files: Box<dyn Fn(&str) -> Option<PathBuf>>,
}

/// State that the resources of a run share.
#[derive(Default)]
pub(crate) struct FileRunState {
    /// The paths of all managed files of the catalog.
    pub(crate) paths: BTreeSet<PathBuf>,
    /// Filebuckets by name; `None` for those on servers.
    pub(crate) buckets: BTreeMap<String, Option<PathBuf>>,
    /// Names of users and groups in messages.
    names: BTreeMap<(&'static str, u32), String>,
    warned_of_owner: bool,
}

/// The resource type `file`.
pub struct FileKind {
    settings: Rc<Settings>,
    run_state: Rc<RefCell<FileRunState>>,
}

/// The desired entry at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ensure {
    Present,
    Absent,
    File,
    Directory,
    Link,
}

/// Whether the files in a directory are managed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recurse {
    No,
    Yes,
    /// Only the files that the source has.
    Remote,
}

/// Where replaced contents are backed up.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Backup {
    None,
    /// In the directory of the file.
    Suffix(String),
    /// In a filebucket.
    Bucket(String),
}

/// One `file`.
struct File {
    settings: Rc<Settings>,
    run_state: Rc<RefCell<FileRunState>>,
    declared: DeclaredResource,
    path: PathBuf,
    ensure: Option<Ensure>,
    content: Option<Arc<[u8]>>,
    /// Whether `content` names content in the filebucket of `backup` by a checksum.
    is_in_bucket: bool,
    sources: Vec<String>,
    target: Option<String>,
    mode: Option<Mode>,
    owner: Option<String>,
    group: Option<String>,
    recurse: Recurse,
    depth: Option<usize>,
    max_files: i64,
    ignore: Vec<String>,
    purge: bool,
    force: bool,
    replace: bool,
    backup: Backup,
    /// The algorithm of checksums.
    checksum: &'static str,
    /// The value of `checksum`, for messages about `checksum_value`.
    checksum_name: &'static str,
    checksum_value: Option<String>,
    show_diff: bool,
    validate_cmd: Option<String>,
    /// The placeholder for the file's path in `validate_cmd`.
    placeholder: String,
    /// Whether the target of a link is managed.
    follow: bool,
    source_permissions: &'static str,
    all_sources: bool,
    is_secret: bool,
    is_audited: bool,
    level: Level,
    /// The current entry.
    stat: Option<Stat>,
    source: Option<Source>,
    /// The checksum of the current contents, if they differ from the desired contents.
    current_checksum: Option<String>,
    /// The checksum of the desired contents.
    desired_checksum_cache: OnceCell<String>,
    /// The ids of `owner` and `group`, if they were looked up.
    uid: Option<u32>,
    gid: Option<u32>,
}

impl FileKind {
    pub(crate) fn new(settings: Settings, run_state: Rc<RefCell<FileRunState>>) -> FileKind {
        FileKind { settings: Rc::new(settings), run_state }
    }
}

impl ResourceKind for FileKind {
    fn name(&self) -> &str {
        "file"
    }

    fn prepare(&self, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        prepare::prepare(self, resource, run).map(|file| Box::new(file) as Box<dyn ManagedResource>)
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits { metaparameters: &["loglevel", "audit"], absence_cancels_refresh: false, ..KindTraits::default() }
    }
}

impl File {
    /// The desired entry: that of the source if the file has one.
    fn desired_entry(&self) -> Option<Ensure> {
        match (&self.source, self.ensure) {
            // With a checksum, nothing but the contents comes from the source.
            (Some(_), _) if self.checksum_value.is_some() => self.ensure,
            (_, Some(Ensure::Absent)) | (None, _) => self.ensure,
            (Some(source), _) => Some(match source.stat.kind {
                Kind::Directory => Ensure::Directory,
                Kind::Link => Ensure::Link,
                _ => Ensure::File,
            }),
        }
    }

    /// Whether the contents are managed.
    fn has_contents(&self) -> bool {
        self.content.is_some() || self.source.as_ref().is_some_and(|source| source.stat.kind == Kind::File)
    }

    /// The property with the contents: `checksum_value` if the contents of a source are compared by it.
    fn contents_property(&self) -> Name {
        match self.checksum_value.is_some() && self.source.is_some() {
            true => name!("checksum_value"),
            false => name!("content"),
        }
    }

    /// The desired target of the link.
    fn link_target(&self) -> Option<String> {
        let source_target = || Some(self.source.as_ref()?.stat.target.as_ref()?.to_string_lossy().into_owned());
        self.target.clone().or_else(source_target)
    }

    fn is_directory(&self) -> bool {
        self.stat.as_ref().is_some_and(|stat| stat.kind == Kind::Directory)
    }

    fn property_path(&self, run: &Run<'_>, property: &str) -> String {
        format!("{}/{property}", run.path)
    }
}

/// The properties that `audit => all` records, in Puppet's order.
const AUDITED: &[&str] = &[
    "ensure",
    "content",
    "checksum_value",
    "target",
    "owner",
    "group",
    "mode",
    "type",
    "seluser",
    "selrole",
    "seltype",
    "selrange",
    "ctime",
    "mtime",
];

/// The values that an audit records of an existing file. SELinux labels are not managed and have no value.
fn audit_values(mut current: CurrentValues, stat: &Stat) -> CurrentValues {
    current.insert(name!("type"), Value::str(ensure::kind_name(stat.kind)));
    current.insert(name!("ctime"), Value::str(checksum::format_time(stat.changed)));
    current.insert(name!("mtime"), Value::str(checksum::format_time(stat.modified)));
    let entry = |name: &&str| (Name::new(name), current.get(&Name::new(name)).cloned().unwrap_or(Value::Undef));
    AUDITED.iter().map(entry).collect()
}

impl ManagedResource for File {
    fn provider(&self) -> Option<Arc<str>> {
        Some(Arc::from("posix"))
    }

    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        if !self.sources.is_empty() && self.ensure != Some(Ensure::Absent) {
            self.source = Some(source::find(&self.sources, self.follow, &self.settings, run)?);
        }
        self.read_entry(run);
        self.copy_permissions(run);
        self.compare(run)?;
        let string = |text: &str| Value::from(Arc::from(text));
        let mut current = CurrentValues::new();
        let Some(stat) = &self.stat else {
            let absent = if self.is_audited { AUDITED } else { &["ensure", "content", "target"] };
            current.extend(absent.iter().map(|name| (Name::new(name), string("absent"))));
            return Ok(current);
        };
        current.insert(name!("ensure"), string(ensure::kind_name(stat.kind)));
        if let Some(sum) = &self.current_checksum {
            let digest = sum.split_once('}').map_or(sum.as_str(), |(_, digest)| digest);
            let property = self.contents_property();
            current.insert(property, string(if property == name!("content") { sum } else { digest }));
        } else if self.is_audited && stat.kind == Kind::File {
            let sum = checksum::file_checksum(self.checksum, &self.path, run.system).map_err(Failure::new)?;
            current.insert(name!("content"), Value::str(sum));
        }
        let target = stat.target.as_ref().map(|target| target.to_string_lossy().into_owned());
        current.insert(name!("target"), string(target.as_deref().unwrap_or("notlink")));
        current.insert(name!("owner"), Value::Int(i64::from(stat.uid)));
        current.insert(name!("group"), Value::Int(i64::from(stat.gid)));
        current.insert(name!("mode"), string(&format!("{:04o}", stat.mode)));
        if self.is_audited {
            current = audit_values(current, stat);
        }
        self.look_up_account_names(run);
        Ok(current)
    }

    fn properties(&self) -> Vec<Name> {
        [
            (self.desired_entry().is_some(), name!("ensure")),
            (self.has_contents(), self.contents_property()),
            (self.link_target().is_some(), name!("target")),
            (self.owner.is_some(), name!("owner")),
            (self.group.is_some(), name!("group")),
            (self.mode.is_some(), name!("mode")),
        ]
        .into_iter()
        .filter_map(|(is_managed, name)| is_managed.then_some(name))
        .collect()
    }

    fn desired(&self, property: Name) -> Value {
        let account = |id: Option<u32>, name: &Option<String>| match (id, name) {
            (Some(id), _) => Value::Int(i64::from(id)),
            (None, Some(name)) => Value::str(name),
            (None, None) => Value::Undef,
        };
        match property.as_str() {
            "ensure" => self.desired_entry().map_or(Value::Undef, |ensure| Value::str(ensure.as_str())),
            "content" => Value::str(self.desired_checksum()),
            "checksum_value" => self.checksum_value.as_ref().map_or(Value::Undef, Value::str),
            "target" => self.link_target().map_or(Value::Undef, Value::str),
            "owner" => account(self.uid, &self.owner),
            "group" => account(self.gid, &self.group),
            "mode" => self.mode.as_ref().map_or(Value::Undef, |mode| Value::str(mode.to_message(self.is_directory()))),
            _ => Value::Undef,
        }
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure> {
        match property.as_str() {
            "ensure" => Ok(self.is_ensured()),
            "content" | "checksum_value" => self.has_same_contents(run),
            "target" => Ok(self.has_same_target(current)),
            "owner" => self.has_owner(current, run),
            "group" => self.has_group(current, run),
            "mode" => self.has_mode(current, run),
            _ => Ok(true),
        }
    }

    fn sync(&mut self, property: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        match property.as_str() {
            "ensure" => self.sync_ensure(run),
            "content" | "checksum_value" => self.write(run),
            "target" => self.make_link(run),
            "owner" => self.sync_owner(run),
            "group" => self.sync_group(run),
            "mode" => self.sync_mode(run),
            _ => Ok(()),
        }
    }

    fn change_message(&self, property: Name, current: &CurrentValues) -> String {
        let old = current.get(&property);
        match property.as_str() {
            "ensure" => self.ensure_message(old),
            "content" => {
                let old = old.and_then(Value::as_str).unwrap_or("absent");
                format!("content changed '{old}' to '{}'", self.desired_checksum())
            }
            "mode" => self.mode_message(old),
            name => {
                let old = self.current_to_string(property, old);
                format!("{name} changed {old} to {}", self.desired_to_string(property))
            }
        }
    }

    fn current_to_string(&self, property: Name, value: Option<&Value>) -> String {
        match (property.as_str(), value) {
            ("owner" | "group", Some(Value::Int(id))) => self.account_name(property.as_str(), *id),
            (_, Some(Value::Undef) | None) => String::new(),
            (_, Some(value)) => display(value),
        }
    }

    fn desired_to_string(&self, property: Name) -> String {
        match (property.as_str(), self.desired(property)) {
            ("owner" | "group", Value::Int(id)) => self.account_name(property.as_str(), id),
            (_, value) => display(&value),
        }
    }

    fn traits(&self, property: Name) -> PropertyTraits {
        let event_name = match (property.as_str(), self.desired_entry()) {
            ("ensure", Some(Ensure::Absent)) => Some("file_removed"),
            ("ensure", Some(Ensure::Directory)) => Some("directory_created"),
            ("ensure", Some(Ensure::Link)) => Some("link_created"),
            ("ensure", _) => Some("file_created"),
            _ => None,
        };
        let is_sensitive = self.is_secret && matches!(property.as_str(), "content" | "ensure");
        PropertyTraits { is_sensitive, event_name, ..PropertyTraits::default() }
    }

    fn children(&mut self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        self.recurse(run)
    }

    fn auto_relations(&self) -> Vec<(Relation, Name, Arc<str>)> {
        let paths = self.run_state.borrow();
        let accounts = [self.owner.clone(), self.group.clone()];
        automatic::file_requirements(&self.path, self.target.clone(), accounts, &|path| paths.paths.contains(path))
    }
}

impl Ensure {
    fn as_str(self) -> &'static str {
        match self {
            Ensure::Present => "present",
            Ensure::Absent => "absent",
            Ensure::File => "file",
            Ensure::Directory => "directory",
            Ensure::Link => "link",
        }
    }
}
