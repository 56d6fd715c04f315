//! Owner, group and mode of a file.

use catwalk_apply::CurrentValues;
use catwalk_apply::Run;
use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::FileKind as Kind;
use catwalk_system::Ownership;
use catwalk_value::Value;

use super::File;
use super::mode::Mode;

/// The mode of new files without `mode`, and of new directories.
pub(super) const NEW_FILE: u32 = 0o644;
pub(super) const NEW_DIRECTORY: u32 = 0o755;

/// Whether a user or group is the current one.
fn is_account(current: &CurrentValues, property: Name, id: u32) -> bool {
    matches!(current.get(&property), Some(Value::Int(is)) if *is == i64::from(id))
}

impl File {
    /// Copies owner, group and mode from the source if the manifest does not set them (`source_permissions`).
    pub(super) fn copy_permissions(&mut self, run: &mut Run<'_>) {
        let copies = match self.source_permissions {
            "use" => true,
            "use_when_creating" => self.stat.is_none(),
            _ => false,
        };
        let copies = copies && self.checksum_value.is_none();
        let Some(source) = self.source.as_ref().filter(|_| copies) else { return };
        self.mode.get_or_insert(Mode::Bits(source.stat.mode));
        if run.system.own_user_id() == 0 {
            self.owner.get_or_insert_with(|| source.stat.uid.to_string());
            self.group.get_or_insert_with(|| source.stat.gid.to_string());
        }
    }

    /// Looks up the names of accounts for messages.
    pub(super) fn look_up_account_names(&mut self, run: &mut Run<'_>) {
        self.uid = self.owner.as_ref().and_then(|owner| run.system.user_id(owner));
        self.gid = self.group.as_ref().and_then(|group| run.system.group_id(group));
        let stat = self.stat.as_ref();
        let (owner, group) = (stat.map(|stat| stat.uid), stat.map(|stat| stat.gid));
        if self.owner.is_some() && self.uid != owner {
            let named = [self.uid, owner]
                .into_iter()
                .flatten()
                .filter_map(|id| Some((("owner", id), run.system.user_name(id)?)));
            self.run_state.borrow_mut().names.extend(named);
        }
        if self.group.is_some() && self.gid != group {
            let named = [self.gid, group]
                .into_iter()
                .flatten()
                .filter_map(|id| Some((("group", id), run.system.group_name(id)?)));
            self.run_state.borrow_mut().names.extend(named);
        }
    }

    /// A user or group in messages: the name, or the id without a name.
    pub(super) fn account_name(&self, property: &str, id: i64) -> String {
        let property = if property == "owner" { "owner" } else { "group" };
        let run_state = self.run_state.borrow();
        let name = u32::try_from(id).ok().and_then(|id| run_state.names.get(&(property, id)));
        name.map_or_else(|| id.to_string(), |name| format!("'{name}'"))
    }

    pub(super) fn has_owner(&mut self, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure> {
        let Some(owner) = &self.owner else { return Ok(true) };
        self.uid = run.system.user_id(owner);
        let Some(uid) = self.uid else {
            return if run.noop { Ok(false) } else { Err(Failure::new(format!("Could not find user {owner}"))) };
        };
        if is_account(current, name!("owner"), uid) {
            return Ok(true);
        }
        if run.system.own_user_id() != 0 {
            let mut run_state = self.run_state.borrow_mut();
            if !std::mem::replace(&mut run_state.warned_of_owner, true) {
                run.log.log(Level::Warning, None, "Cannot manage ownership unless running as root");
            }
            return Ok(true);
        }
        Ok(false)
    }

    pub(super) fn has_group(&mut self, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure> {
        let Some(group) = &self.group else { return Ok(true) };
        self.gid = run.system.group_id(group);
        match self.gid {
            Some(gid) => Ok(is_account(current, name!("group"), gid)),
            None if run.noop => Ok(false),
            None => Err(Failure::new(format!("Could not find group {group}"))),
        }
    }

    pub(super) fn has_mode(&mut self, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure> {
        let (Some(mode), Some(stat)) = (&self.mode, &self.stat) else { return Ok(true) };
        if stat.kind == Kind::Link {
            run.log.log(Level::Debug, Some(&self.property_path(run, "mode")), "Not managing symlink mode");
            return Ok(true);
        }
        // Writing the contents has set the mode, so the previous mode is compared.
        let digits = current.get(&name!("mode")).and_then(Value::as_str);
        let bits = digits.and_then(|digits| u32::from_str_radix(digits, 8).ok()).unwrap_or(stat.mode);
        Ok(mode.bits(bits, self.is_directory()).map_err(Failure::new)? == bits)
    }

    pub(super) fn sync_owner(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let failed = |error| Failure::new(format!("Failed to set owner to '{}': {error}", self.uid.unwrap_or(0)));
        run.system.set_owner(&self.path, self.uid, None, self.follow).map_err(failed)?;
        self.keep_special_bits(run)
    }

    pub(super) fn sync_group(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let failed = |error| Failure::new(format!("Failed to set group to '{}': {error}", self.gid.unwrap_or(0)));
        run.system.set_owner(&self.path, None, self.gid, self.follow).map_err(failed)?;
        self.keep_special_bits(run)
    }

    /// Sets setuid and setgid again if the mode has them: a change of the owner clears them.
    fn keep_special_bits(&self, run: &mut Run<'_>) -> Result<(), Failure> {
        let has_special = self.stat.as_ref().is_some_and(|stat| stat.mode & 0o6000 != 0 && stat.kind != Kind::Link);
        if has_special && self.mode.is_some() { self.sync_mode(run) } else { Ok(()) }
    }

    pub(super) fn sync_mode(&self, run: &mut Run<'_>) -> Result<(), Failure> {
        let Some(mode) = &self.mode else { return Ok(()) };
        let current = self.stat.as_ref().map_or(NEW_FILE, |stat| stat.mode);
        let bits = mode.bits(current, self.is_directory()).map_err(Failure::new)?;
        let path = self.path.display();
        let failed = |error| Failure::new(format!("failed to set mode {current:04o} on {path}: {error}"));
        run.system.set_mode(&self.path, bits).map_err(failed)
    }

    pub(super) fn mode_message(&self, old: Option<&Value>) -> String {
        let old = old.and_then(Value::as_str).unwrap_or_default();
        match &self.mode {
            Some(mode @ Mode::Changes(text)) => {
                let current = u32::from_str_radix(old, 8).unwrap_or(0);
                let bits = mode.bits(current, self.is_directory()).unwrap_or(current);
                format!("mode changed '{old}' to '{bits:04o}' ({text})")
            }
            Some(mode) => format!("mode changed '{old}' to '{}'", mode.to_message(self.is_directory())),
            None => String::new(),
        }
    }

    /// The mode and owner of an entry that is created or replaced.
    ///
    /// # Errors
    /// The mode is invalid.
    pub(super) fn ownership(&mut self, is_directory: bool, run: &mut Run<'_>) -> Result<Ownership, Failure> {
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        let existing = self.stat.as_ref().filter(|stat| stat.kind == kind);
        let new = if is_directory { NEW_DIRECTORY } else { NEW_FILE };
        let current = existing.map_or(new, |stat| stat.mode);
        let mode = match &self.mode {
            Some(mode) => mode.bits(current, is_directory).map_err(Failure::new)?,
            None => current,
        };
        self.uid = self.owner.as_ref().and_then(|owner| run.system.user_id(owner));
        self.gid = self.group.as_ref().and_then(|group| run.system.group_id(group));
        let uid = self.uid.filter(|_| run.system.own_user_id() == 0);
        // A directory is replaced only with `force`; any other entry that is not a file, always.
        let replaces_other_kinds = self.force || !self.is_directory();
        Ok(Ownership { mode: Some(mode), uid, gid: self.gid, replaces_other_kinds })
    }

    /// Checks that the user and group exist. As in Puppet, the file is created before the missing user or group is reported.
    ///
    /// # Errors
    /// One of the accounts does not exist.
    pub(super) fn check_accounts(&self) -> Result<(), Failure> {
        let accounts = [("user", &self.owner, self.uid), ("group", &self.group, self.gid)];
        match accounts.into_iter().find_map(|(kind, name, id)| Some((kind, name.as_ref().filter(|_| id.is_none())?))) {
            Some((what, name)) => Err(Failure::new(format!("Could not find {what} {name}"))),
            None => Ok(()),
        }
    }
}
