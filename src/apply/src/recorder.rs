//! Passes log messages on and keeps them for the report.

use std::sync::Arc;
use std::time::SystemTime;

use catwalk_resource_api::Level;
use catwalk_resource_api::Log;

/// A log message in a report.
#[derive(Clone, PartialEq, Debug)]
pub struct LogLine {
    /// How important it is.
    pub level: Level,
    /// The message.
    pub message: String,
    /// What it is about; `Puppet` where that is no resource.
    pub source: String,
    /// The tags of the resource and the level.
    pub tags: Vec<Arc<str>>,
    /// When it was logged.
    pub time: SystemTime,
    /// The file and line of the resource's declaration.
    pub position: Option<(Arc<str>, u32)>,
}

/// The resource that messages are about.
#[derive(Clone, Default)]
pub(crate) struct Subject {
    pub(crate) tags: Vec<Arc<str>>,
    pub(crate) position: Option<(Arc<str>, u32)>,
}

/// A log that keeps what it passes on, from info upwards or as the other log wants it.
pub(crate) struct Recorder<'a> {
    inner: &'a mut dyn Log,
    pub(crate) lines: Vec<LogLine>,
    pub(crate) subject: Option<Subject>,
    /// What providers did to the machine since this was last taken.
    pub(crate) changes: Vec<String>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(inner: &'a mut dyn Log) -> Recorder<'a> {
        Recorder { inner, lines: Vec::new(), subject: None, changes: Vec::new() }
    }
}

impl Log for Recorder<'_> {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        self.inner.log(level, source, message);
        if !self.inner.wants(level) {
            return;
        }
        let subject = self.subject.as_ref().filter(|_| source.is_some());
        let mut tags: Vec<Arc<str>> = vec![Arc::from(level.name())];
        tags.extend(subject.iter().flat_map(|subject| subject.tags.iter().cloned()));
        self.lines.push(LogLine {
            level,
            message: message.to_owned(),
            source: source.unwrap_or("Puppet").to_owned(),
            tags,
            time: now(),
            position: subject.and_then(|subject| subject.position.clone()),
        });
    }

    fn wants(&self, level: Level) -> bool {
        self.inner.wants(level)
    }

    fn note_change(&mut self, change: String) {
        self.changes.push(change);
    }
}

/// The time of messages and events.
#[allow(
    clippy::disallowed_methods,
    reason = "the times of a report are those of the run, whatever machine it applies to"
)]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}
