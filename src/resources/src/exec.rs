//! `exec`: runs a command if its conditions hold.

mod command_line;
mod environment;
mod prepare;
mod run;

use std::sync::Arc;
use std::time::Duration;

use catwalk_apply::CurrentValues;
use catwalk_apply::DeclaredResource;
use catwalk_apply::KindTraits;
use catwalk_apply::ManagedResource;
use catwalk_apply::PropertyTraits;
use catwalk_apply::RefreshOutcome;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Relation;
use catwalk_value::Value;

use catwalk_apply::display;

use crate::automatic;

pub(crate) use self::command_line::CommandLine;

/// The resource type `exec`.
pub struct ExecKind;

/// The parameter `logoutput`: when the output of the command is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LogOutput {
    Always,
    Never,
    OnFailure,
}

/// One `exec`.
struct Exec {
    title: Arc<str>,
    command: CommandLine,
    /// Whether commands and their output are redacted in messages.
    is_sensitive: bool,
    /// Whether commands are run by a shell.
    has_shell: bool,
    refresh_only: bool,
    creates: Vec<String>,
    unless: Vec<CommandLine>,
    only_if: Vec<CommandLine>,
    refresh: Option<CommandLine>,
    path: Option<Vec<String>>,
    directory: Option<String>,
    environment: Vec<String>,
    user: Option<String>,
    group: Option<String>,
    umask: Option<u32>,
    timeout: Option<Duration>,
    tries: i64,
    pause: Duration,
    returns: Vec<String>,
    has_default_returns: bool,
    log_output: LogOutput,
    level: Level,
    position: Option<(Arc<str>, u32)>,
    /// Variables with empty values that were reported.
    reported_empty_variables: Vec<String>,
}

impl ResourceKind for ExecKind {
    fn name(&self) -> &str {
        "exec"
    }

    fn prepare(&self, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        prepare::prepare(resource, run).map(|exec| Box::new(exec) as Box<dyn ManagedResource>)
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits {
            accepts_ensure: false,
            metaparameters: &["loglevel"],
            is_refreshable: true,
            ..KindTraits::default()
        }
    }
}

impl ManagedResource for Exec {
    fn provider(&self) -> Option<Arc<str>> {
        Some(Arc::from(if self.has_shell { "shell" } else { "posix" }))
    }

    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        let must_run = self.must_run(run, false)?;
        let value = if must_run { Value::from(Arc::from("notrun")) } else { self.desired(name!("returns")) };
        Ok(CurrentValues::from_iter([(name!("returns"), value)]))
    }

    fn properties(&self) -> Vec<Name> {
        vec![name!("returns")]
    }

    fn desired(&self, _: Name) -> Value {
        Value::array(self.returns.iter().map(|code| Value::from(Arc::from(code.as_str()))).collect())
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(current.get(&property).is_some_and(|value| matches!(value, Value::Array(_))))
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

    fn traits(&self, _: Name) -> PropertyTraits {
        PropertyTraits {
            is_default: self.has_default_returns,
            event_name: Some("executed_command"),
            ..PropertyTraits::default()
        }
    }

    fn refresh(&mut self, run: &mut Run<'_>) -> Result<RefreshOutcome, Failure> {
        if self.must_run(run, true)? {
            match self.refresh.clone() {
                Some(command) => {
                    self.run_command_line(&command, false, run).map_err(run::ExecFailure::into_failure)?;
                }
                None => self.execute(run)?,
            }
        }
        Ok(RefreshOutcome::Refreshed)
    }

    fn auto_relations(&self) -> Vec<(Relation, Name, Arc<str>)> {
        let checks = self.only_if.iter().chain(&self.unless).cloned().collect();
        automatic::exec_requirements(self.directory.as_deref(), Some(&self.command), checks, self.user.as_deref())
    }
}
