//! Small kinds of the types `notify`, `exec` and `file`, with the messages of Puppet's types.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use sha2::Digest;
use sha2::Sha256;

use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::Command;
use catwalk_system::Ownership;
use catwalk_value::Value;

use crate::CurrentValues;
use crate::DeclaredResource;
use crate::KindTraits;
use crate::Kinds;
use crate::ManagedResource;
use crate::PropertyTraits;
use crate::RefreshOutcome;
use crate::ResourceKind;
use crate::Run;
use crate::display;

/// The kinds of a run.
pub(super) fn kinds() -> Kinds {
    let mut kinds = Kinds::new();
    kinds.insert(Rc::new(NotifyKind));
    kinds.insert(Rc::new(ExecKind));
    kinds.insert(Rc::new(FileKind));
    kinds
}

fn text(resource: &DeclaredResource, name: &str) -> Option<String> {
    resource.parameters.get(&Name::new(name)).and_then(Value::as_str).map(str::to_owned)
}

fn is_true(resource: &DeclaredResource, name: &str) -> bool {
    resource.parameters.get(&Name::new(name)) == Some(&Value::Bool(true))
}

struct NotifyKind;

struct Notify {
    message: String,
    level: Level,
    is_sensitive: bool,
}

impl ResourceKind for NotifyKind {
    fn name(&self) -> &str {
        "notify"
    }

    fn prepare(&self, resource: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let level = text(resource, "loglevel").and_then(|level| Level::parse(&level)).unwrap_or(Level::Notice);
        let message = text(resource, "message").unwrap_or_else(|| resource.title.to_string());
        if message == "invalid" {
            return Err(vec![format!("Parameter message failed on Notify[{}]: invalid", resource.title)]);
        }
        Ok(Box::new(Notify { message, level, is_sensitive: resource.sensitive.contains(&name!("message")) }))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits { accepts_ensure: false, metaparameters: &["loglevel"], ..KindTraits::default() }
    }
}

impl ManagedResource for Notify {
    fn retrieve(&mut self, _: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        Ok(CurrentValues::from_iter([(name!("message"), Value::str("absent"))]))
    }

    fn properties(&self) -> Vec<Name> {
        vec![name!("message")]
    }

    fn traits(&self, _: Name) -> PropertyTraits {
        PropertyTraits { is_sensitive: self.is_sensitive, is_idempotent: false, ..PropertyTraits::default() }
    }

    fn desired(&self, _: Name) -> Value {
        Value::str(&self.message)
    }

    fn is_in_sync(&mut self, _: Name, _: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(false)
    }

    fn sync(&mut self, _: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        let message = if self.is_sensitive { "Sensitive [value redacted]" } else { &self.message };
        run.log.log(self.level, None, message);
        Ok(())
    }

    fn change_message(&self, property: Name, _: &CurrentValues) -> String {
        format!("defined 'message' as {}", self.desired_to_string(property))
    }

    fn current_to_string(&self, _: Name, value: Option<&Value>) -> String {
        value.map(display).unwrap_or_default()
    }

    fn desired_to_string(&self, property: Name) -> String {
        display(&self.desired(property))
    }
}

struct ExecKind;

struct Exec {
    command: String,
    refresh_only: bool,
    log_output: bool,
}

impl Exec {
    fn execute(&self, run: &mut Run<'_>) -> Result<(), Failure> {
        let argv = self.command.split(' ').map(str::to_owned).collect();
        let output = run.system.run(&Command { argv, ..Command::default() });
        let output = output.map_err(|error| Failure { is_fatal: true, ..Failure::new(error.message) })?;
        let source = format!("{}/returns", run.path);
        for line in String::from_utf8_lossy(&output.stdout).lines().filter(|_| self.log_output) {
            run.log.log(Level::Notice, Some(&source), line);
        }
        run.log.note_change(format!("ran {}", self.command));
        match output.code {
            0 => Ok(()),
            code => Err(Failure::new(format!("'{}' returned {code} instead of one of [0]", self.command))),
        }
    }
}

impl ResourceKind for ExecKind {
    fn name(&self) -> &str {
        "exec"
    }

    fn prepare(&self, resource: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        Ok(Box::new(Exec {
            command: text(resource, "command").unwrap_or_else(|| resource.title.to_string()),
            refresh_only: is_true(resource, "refreshonly"),
            log_output: is_true(resource, "logoutput"),
        }))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Err(Failure::new("commands cannot be listed"))
    }

    fn traits(&self) -> KindTraits {
        KindTraits { accepts_ensure: false, is_refreshable: true, ..KindTraits::default() }
    }
}

impl ManagedResource for Exec {
    fn retrieve(&mut self, _: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        let name = name!("returns");
        let value = if self.refresh_only { self.desired(name) } else { Value::str("notrun") };
        Ok(CurrentValues::from_iter([(name, value)]))
    }

    fn properties(&self) -> Vec<Name> {
        vec![name!("returns")]
    }

    fn traits(&self, _: Name) -> PropertyTraits {
        PropertyTraits { is_default: true, event_name: Some("executed_command"), ..PropertyTraits::default() }
    }

    fn desired(&self, _: Name) -> Value {
        Value::array(vec![Value::str("0")])
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(current.get(&property) == Some(&self.desired(property)))
    }

    fn sync(&mut self, _: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        self.execute(run)
    }

    fn change_message(&self, _: Name, _: &CurrentValues) -> String {
        "executed successfully".to_owned()
    }

    fn current_to_string(&self, _: Name, value: Option<&Value>) -> String {
        value.map(display).unwrap_or_default()
    }

    fn desired_to_string(&self, property: Name) -> String {
        display(&self.desired(property))
    }

    fn refresh(&mut self, run: &mut Run<'_>) -> Result<RefreshOutcome, Failure> {
        self.execute(run).map(|()| RefreshOutcome::Refreshed)
    }
}

struct FileKind;

struct File {
    path: PathBuf,
    ensure: Option<String>,
    content: Option<String>,
    mode: Option<String>,
    is_sensitive: bool,
}

fn checksum(bytes: &[u8]) -> String {
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{sha256}}{digits}")
}

impl File {
    fn write(&self, run: &mut Run<'_>) -> Result<(), Failure> {
        let content = self.content.clone().unwrap_or_default();
        run.system
            .write(&self.path, content.as_bytes(), Ownership::default())
            .map_err(|error| Failure::new(error.message))
    }

    fn set_mode(&self, run: &mut Run<'_>) -> Result<(), Failure> {
        let mode = self.mode.as_deref().and_then(|mode| u32::from_str_radix(mode, 8).ok());
        let set = mode.map_or(Ok(()), |mode| run.system.set_mode(&self.path, mode));
        set.map_err(|error| Failure::new(error.message))
    }
}

impl ResourceKind for FileKind {
    fn name(&self) -> &str {
        "file"
    }

    fn prepare(&self, resource: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let content = text(resource, "content");
        Ok(Box::new(File {
            path: PathBuf::from(format!("/{}", resource.title)),
            ensure: text(resource, "ensure").or(content.as_ref().map(|_| "file".to_owned())),
            content,
            mode: text(resource, "mode"),
            is_sensitive: resource.sensitive.contains(&name!("content")),
        }))
    }

    /// All files of the directory `/DIR`.
    fn instances(&self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        let names = run.system.list(&PathBuf::from("/DIR")).map_err(|error| Failure::new(error.message))?;
        let instance = |name: String| DeclaredResource {
            type_name: name!("file"),
            title: Arc::from(format!("DIR/{name}")),
            parameters: CurrentValues::from_iter([
                (name!("path"), Value::str(format!("/DIR/{name}"))),
                (name!("mode"), Value::str("0644")),
            ]),
            sensitive: Vec::new(),
            position: None,
        };
        Ok(names.into_iter().map(instance).collect())
    }

    fn traits(&self) -> KindTraits {
        KindTraits { absence_cancels_refresh: false, ..KindTraits::default() }
    }
}

impl ManagedResource for File {
    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        let stat = run.system.stat(&self.path, false).map_err(|error| Failure::new(error.message))?;
        let Some(stat) = stat else {
            let absent = ["ensure", "content"].map(|name| (Name::new(name), Value::str("absent")));
            return Ok(CurrentValues::from_iter(absent));
        };
        let content = run.system.read(&self.path).map_err(|error| Failure::new(error.message))?;
        Ok(CurrentValues::from_iter([
            (name!("ensure"), Value::str("file")),
            (name!("content"), Value::str(checksum(&content))),
            (name!("owner"), Value::Int(i64::from(stat.uid))),
            (name!("mode"), Value::str(format!("{:04o}", stat.mode))),
        ]))
    }

    fn properties(&self) -> Vec<Name> {
        let all = [(&self.ensure, name!("ensure")), (&self.content, name!("content")), (&self.mode, name!("mode"))];
        all.into_iter().filter_map(|(value, name)| value.as_ref().map(|_| name)).collect()
    }

    fn traits(&self, property: Name) -> PropertyTraits {
        let event_name = match (property.as_str(), self.ensure.as_deref()) {
            ("ensure", Some("absent")) => Some("file_removed"),
            ("ensure", _) => Some("file_created"),
            _ => None,
        };
        let is_sensitive = self.is_sensitive && property != "mode";
        PropertyTraits { is_sensitive, event_name, ..PropertyTraits::default() }
    }

    fn desired(&self, property: Name) -> Value {
        match property.as_str() {
            "ensure" => self.ensure.as_ref().map_or(Value::Undef, Value::str),
            "content" => self.content.as_ref().map_or(Value::Undef, |content| Value::str(checksum(content.as_bytes()))),
            _ => self.mode.as_ref().map_or(Value::Undef, Value::str),
        }
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(current.get(&property) == Some(&self.desired(property)))
    }

    fn sync(&mut self, property: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        match (property.as_str(), self.ensure.as_deref()) {
            ("ensure", Some("absent")) => {
                run.system.delete_file(&self.path).map_err(|error| Failure::new(error.message))
            }
            ("ensure", _) => self.write(run).and_then(|()| self.set_mode(run)),
            ("content", _) => self.write(run),
            _ => self.set_mode(run),
        }
    }

    fn change_message(&self, property: Name, current: &CurrentValues) -> String {
        let is = self.current_to_string(property, current.get(&property));
        match (property.as_str(), self.ensure.as_deref(), &self.content) {
            ("ensure", Some("absent"), _) => "removed".to_owned(),
            ("ensure", _, Some(content)) => format!("defined content as '{}'", checksum(content.as_bytes())),
            ("ensure", ..) => "created".to_owned(),
            _ => format!("{property} changed {is} to {}", self.desired_to_string(property)),
        }
    }

    fn current_to_string(&self, _: Name, value: Option<&Value>) -> String {
        value.map(display).unwrap_or_default()
    }

    fn desired_to_string(&self, property: Name) -> String {
        display(&self.desired(property))
    }
}
