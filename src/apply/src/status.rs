//! The status of a resource: events and the states that follow from them (Puppet::Transaction::Event, Puppet::Resource::Status).

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

use catwalk_value::Value;

/// The result of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventStatus {
    /// A change that noop mode leaves out.
    Noop,
    /// A change that was made.
    Success,
    /// A change that failed, or a resource that could not be evaluated.
    Failure,
    /// An audited property whose value is not the recorded one.
    Audit,
}

impl EventStatus {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EventStatus::Noop => "noop",
            EventStatus::Success => "success",
            EventStatus::Failure => "failure",
            EventStatus::Audit => "audit",
        }
    }
}

/// One change of a resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The kind of event: `content_changed`, `file_created`, `refresh`.
    pub name: String,
    /// The property; `None` for refreshes and failures of the whole resource.
    pub property: Option<Arc<str>>,
    /// The value before the change; a redacted string if it is secret.
    pub previous: Option<Value>,
    /// The desired value; a redacted string if it is secret.
    pub desired: Option<Value>,
    /// The value that an audit recorded earlier.
    pub historical: Option<Value>,
    /// The message in the log.
    pub message: String,
    /// Its result.
    pub status: EventStatus,
    /// Whether the property is audited.
    pub audited: bool,
    /// Whether the values are left out because they are secret.
    pub redacted: bool,
    /// Whether the event reverts a change that was made outside of runs since the last run; `None` if that cannot be determined.
    pub corrective: Option<bool>,
    /// When it happened.
    pub time: SystemTime,
}

impl Event {
    /// An event without a property.
    #[must_use]
    pub fn for_resource(name: &str, status: EventStatus, message: String, time: SystemTime) -> Event {
        Event {
            name: name.to_owned(),
            property: None,
            previous: None,
            desired: None,
            historical: None,
            message,
            status,
            audited: false,
            redacted: false,
            corrective: Some(false),
            time,
        }
    }
}

/// The state of a resource after a run.
#[derive(Clone, Debug)]
pub struct Status {
    /// Its events in order.
    pub events: Vec<Event>,
    /// The provider's changes to the machine: `wrote /etc/motd`, `ran systemctl restart ntp`.
    pub machine_changes: Vec<String>,
    /// Whether the resource was not evaluated: tags, failed dependencies, an interrupted run.
    pub skipped: bool,
    /// Whether it failed.
    pub failed: bool,
    /// Whether its refresh failed.
    pub failed_to_restart: bool,
    /// Whether it was refreshed.
    pub restarted: bool,
    /// Whether a property was changed.
    pub changed: bool,
    /// Whether a property differed from its desired value.
    pub out_of_sync: bool,
    /// The number of changes.
    pub change_count: usize,
    /// The number of differences.
    pub out_of_sync_count: usize,
    /// Whether one of the events is corrective.
    pub corrective_change: bool,
    /// The duration of the evaluation; `None` if the resource was not evaluated.
    pub evaluation_time: Option<Duration>,
    /// The start of the evaluation.
    pub time: SystemTime,
    /// The failed dependencies, by position in the run.
    pub(crate) failed_dependencies: Option<Rc<Vec<usize>>>,
}

impl Status {
    /// The status before the evaluation.
    #[must_use]
    pub fn new(time: SystemTime) -> Status {
        Status {
            events: Vec::new(),
            machine_changes: Vec::new(),
            skipped: false,
            failed: false,
            failed_to_restart: false,
            restarted: false,
            changed: false,
            out_of_sync: false,
            change_count: 0,
            out_of_sync_count: 0,
            corrective_change: false,
            evaluation_time: None,
            time,
            failed_dependencies: None,
        }
    }

    /// Adds an event and updates the states that follow from it.
    pub fn add(&mut self, event: Event) {
        match event.status {
            EventStatus::Failure => self.failed = true,
            EventStatus::Success => {
                self.change_count += 1;
                self.changed = true;
            }
            EventStatus::Noop | EventStatus::Audit => {}
        }
        if event.status != EventStatus::Audit {
            self.out_of_sync_count += 1;
            self.out_of_sync = true;
        }
        self.corrective_change |= event.corrective == Some(true);
        self.events.push(event);
    }

    /// Whether resources that depend on this one are skipped.
    #[must_use]
    pub fn blocks_dependents(&self) -> bool {
        self.failed || self.failed_to_restart
    }
}
