//! `resources { 'x': purge => true }`: removes instances that the catalog does not contain (Puppet::Type::Resources).

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_resource_api::Level;
use catwalk_value::Value;

use crate::DeclaredResource;
use crate::ResourcePath;
use crate::Run;
use crate::item::Item;
use crate::status::Status;
use crate::transaction::Transaction;

/// System users that are not purged with `unless_system_user`.
const SYSTEM_USERS: [&str; 6] = ["root", "nobody", "bin", "noaccess", "daemon", "sys"];

/// The users that `resources { 'user': }` does not purge.
struct ProtectedUsers {
    up_to: Option<i64>,
    uids: Vec<i64>,
}

impl Transaction<'_, '_> {
    /// Adds the resources that `resources` with `purge` generate, each right after its generator.
    ///
    /// # Errors
    /// An instance cannot be prepared for removal, for example because its type does not accept `ensure => absent`.
    pub(super) fn generate(&mut self) -> Result<(), String> {
        let purges: Vec<usize> = (0..self.items.len()).filter(|at| self.purges(*at)).collect();
        // From the end, so that earlier positions do not change.
        for at in purges.into_iter().rev() {
            let generated = self.instances_to_purge(at);
            let count = generated.len();
            for item in &mut self.items {
                item.parent = item.parent.map(|parent| if parent > at { parent + count } else { parent });
                item.generator = item.generator.map(|from| if from > at { from + count } else { from });
            }
            let items = generated.into_iter().map(|declared| self.removal_item(at, declared)).collect::<Vec<_>>();
            self.items.splice(at + 1..at + 1, items);
            for new in at + 1..=at + count {
                self.set_path(new);
                match self.prepare_item(new) {
                    Ok(managed) => self.items[new].managed = Some(managed),
                    Err(errors) => return Err(errors.join("\n")),
                }
            }
        }
        Ok(())
    }

    /// Checks a resource `resources`: its type exists and, to be purged, has `ensure` (Puppet::Type::Resources).
    pub(super) fn check_purge(&self, at: usize) -> Option<String> {
        let item = &self.items[at];
        if item.declared.type_name != "resources" {
            return None;
        }
        let type_name = self.purged_type(at);
        let failed = |parameter: &str, text: &str| {
            let position = item.declared.position.as_ref().map(|(file, line)| format!(" (file: {file}, line: {line})"));
            Some(format!("Parameter {parameter} failed on {}: {text}{}", item.reference, position.unwrap_or_default()))
        };
        if !self.kinds.has_type(type_name) {
            return failed("name", &format!("Could not find resource type '{type_name}'"));
        }
        if self.purges(at) && !self.kinds.get_with_traits(type_name).1.accepts_ensure {
            return failed("purge", "Purging is only supported on types that accept 'ensure'");
        }
        None
    }

    fn purged_type(&self, at: usize) -> Name {
        let item = &self.items[at];
        Name::new(item.name.as_deref().unwrap_or(&item.declared.title)).normalized()
    }

    /// The resource that generated this one.
    pub(super) fn generator(&self, at: usize) -> Option<usize> {
        self.items.get(at)?.generator
    }

    fn purges(&self, at: usize) -> bool {
        let item = &self.items[at];
        let purge = item.declared.parameters.get(&catwalk_base::name!("purge"));
        let is_true = matches!(purge, Some(Value::Bool(true))) || purge.and_then(Value::as_str) == Some("true");
        item.declared.type_name == "resources" && is_true
    }

    fn instances_to_purge(&mut self, at: usize) -> Vec<DeclaredResource> {
        let type_name = self.purged_type(at);
        let kind = self.kinds.get(type_name);
        let protected = (type_name == "user").then(|| self.protected_users(at)).flatten();
        let noop = self.is_noop(at);
        let mut run = Run {
            system: self.system,
            log: &mut self.recorder,
            secrets: self.secrets,
            strict: self.options.strict,
            noop,
            path: self.items[at].path.clone(),
        };
        let instances = match kind.instances(&mut run) {
            Ok(instances) => instances,
            Err(failure) => {
                self.outcome.failed_to_generate = true;
                let text = format!("Failed to generate additional resources using 'generate': {}", failure.message);
                self.log(at, Level::Err, &text);
                return Vec::new();
            }
        };
        let items = self.items.iter().filter(|item| item.declared.type_name == type_name);
        let titles: HashSet<Arc<str>> = items
            .flat_map(|item| {
                let displayed_title = item.reference.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
                [Some(item.declared.title.clone()), item.name.clone(), displayed_title.map(Arc::from)]
            })
            .flatten()
            .collect();
        let is_new = |declared: &DeclaredResource| !titles.contains(&declared.title);
        let is_removable =
            |declared: &DeclaredResource| protected.as_ref().is_none_or(|protected| !protected.covers(declared));
        instances.into_iter().filter(is_new).filter(is_removable).collect()
    }

    /// Converts an instance to a resource with `ensure => absent`.
    fn removal_item(&self, at: usize, mut declared: DeclaredResource) -> Item {
        let (kind, traits) = self.kinds.get_with_traits(declared.type_name);
        declared.parameters.retain(|name, _| traits.identifying.contains(name));
        declared.parameters.insert(catwalk_base::name!("ensure"), Value::str("absent"));
        let parent = &self.items[at];
        let reference: Arc<str> = Arc::from(format!("{}[{}]", declared.type_name.capitalized(), declared.title));
        let mut tags = parent.tags.clone();
        // A type's name is always a legal tag.
        let _ = tags.add(&declared.type_name);
        tags.add_if_valid(&declared.title);
        Item {
            declared,
            meta: parent.meta.clone(),
            relations: indexmap::IndexMap::new(),
            path: ResourcePath::default(),
            reference,
            tags,
            is_container: false,
            is_deferred: false,
            name: None,
            kind: Some(kind),
            traits,
            managed: None,
            status: Status::new(self.clock.now()),
            parent: parent.parent,
            generator: Some(at),
        }
    }

    fn protected_users(&mut self, at: usize) -> Option<ProtectedUsers> {
        let parameters = self.items[at].declared.parameters.clone();
        let up_to = match parameters.get(&catwalk_base::name!("unless_system_user")) {
            Some(Value::Bool(false)) => None,
            Some(Value::Int(limit)) => Some(*limit),
            Some(Value::Str(text)) if **text == *"false" => None,
            Some(Value::Str(text)) if text.parse::<i64>().is_ok() => text.parse().ok(),
            _ => Some(self.last_system_user()),
        };
        let mut uids = Vec::new();
        let mut add = |value: &Value| match value {
            Value::Int(uid) => uids.push(*uid),
            Value::Str(text) => uids.extend(text.parse::<i64>().ok()),
            _ => {}
        };
        match parameters.get(&catwalk_base::name!("unless_uid")) {
            Some(Value::Array(items)) => items.iter().for_each(add),
            Some(value) => add(value),
            None => {}
        }
        Some(ProtectedUsers { up_to, uids })
    }

    /// One less than `UID_MIN` of `/etc/login.defs`.
    fn last_system_user(&mut self) -> i64 {
        let text = self.system.read(Path::new("/etc/login.defs")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let min = text.lines().find_map(|line| line.trim_start().strip_prefix("UID_MIN")?.trim().parse::<i64>().ok());
        min.map_or(999, |min| min - 1)
    }
}

impl ProtectedUsers {
    /// Whether a user is protected from purging; true if the uid is unknown.
    fn covers(&self, declared: &DeclaredResource) -> bool {
        let Some(up_to) = self.up_to else { return false };
        let uid = match declared.parameters.get(&catwalk_base::name!("uid")) {
            Some(Value::Int(uid)) => Some(*uid),
            Some(Value::Str(text)) => text.parse().ok(),
            _ => None,
        };
        SYSTEM_USERS.contains(&&*declared.title) || uid.is_none_or(|uid| uid <= up_to || self.uids.contains(&uid))
    }
}
