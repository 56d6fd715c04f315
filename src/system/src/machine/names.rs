//! Users and groups of the system's name service, by name and id.
//!
//! In: names, ids. Out: ids, names, cached until a process has run.

use std::collections::BTreeMap;

use nix::unistd::Gid;
use nix::unistd::Group;
use nix::unistd::Uid;
use nix::unistd::User;

/// A cache of found users and groups. Missing ones are not cached: the run may create them.
#[derive(Debug, Default)]
pub(super) struct Names {
    users: BTreeMap<String, u32>,
    groups: BTreeMap<String, u32>,
    user_names: BTreeMap<u32, String>,
    group_names: BTreeMap<u32, String>,
}

impl Names {
    /// Clears the cache.
    pub(super) fn forget(&mut self) {
        *self = Names::default();
    }

    pub(super) fn user_id(&mut self, name: &str) -> Option<u32> {
        by_name(&mut self.users, name, |name| User::from_name(name).ok().flatten().map(|user| user.uid.as_raw()))
    }

    pub(super) fn group_id(&mut self, name: &str) -> Option<u32> {
        by_name(&mut self.groups, name, |name| Group::from_name(name).ok().flatten().map(|group| group.gid.as_raw()))
    }

    pub(super) fn user_name(&mut self, uid: u32) -> Option<String> {
        by_id(&mut self.user_names, uid, |uid| User::from_uid(Uid::from_raw(uid)).ok().flatten().map(|user| user.name))
    }

    pub(super) fn group_name(&mut self, gid: u32) -> Option<String> {
        let find = |gid| Group::from_gid(Gid::from_raw(gid)).ok().flatten().map(|group| group.name);
        by_id(&mut self.group_names, gid, find)
    }
}

fn by_name(cache: &mut BTreeMap<String, u32>, name: &str, find: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    if let Some(id) = cache.get(name) {
        return Some(*id);
    }
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    // A name with NUL is not looked up: the name service takes C strings.
    let id = if is_number { name.parse().ok() } else { Some(name).filter(|name| !name.contains('\0')).and_then(find) };
    cache.extend(id.map(|id| (name.to_owned(), id)));
    id
}

fn by_id(cache: &mut BTreeMap<u32, String>, id: u32, find: impl Fn(u32) -> Option<String>) -> Option<String> {
    if let Some(name) = cache.get(&id) {
        return Some(name.clone());
    }
    let name = find(id)?;
    cache.insert(id, name.clone());
    Some(name)
}
