//! Forwards log messages and records them for the report.

use std::sync::Arc;
use std::time::SystemTime;

use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_system::Clock;

/// A log message in a report.
#[derive(Clone, PartialEq, Debug)]
pub struct LogLine {
    pub level: Level,
    /// The message.
    pub message: String,
    /// The path of the resource, or `Puppet`.
    pub source: String,
    /// The tags of the resource and the level.
    pub tags: Vec<Arc<str>>,
    pub time: SystemTime,
    /// The file of the resource's declaration, or of the error.
    pub file: Option<Arc<str>>,
    pub line: Option<u32>,
}

impl LogLine {
    /// A message with the source `Puppet`.
    #[must_use]
    pub fn new(level: Level, message: String, time: SystemTime) -> LogLine {
        let tags = vec![Arc::from(level.name())];
        LogLine { level, message, source: "Puppet".to_owned(), tags, time, file: None, line: None }
    }
}

/// The resource of the current messages.
#[derive(Clone, Default)]
pub(crate) struct Subject {
    pub(crate) tags: Vec<Arc<str>>,
    pub(crate) position: Option<(Arc<str>, u32)>,
}

/// A log that records the messages it forwards, from info upwards or at the other log's level.
pub(crate) struct Recorder<'a> {
    inner: &'a mut dyn Log,
    clock: Arc<dyn Clock>,
    pub(crate) lines: Vec<LogLine>,
    pub(crate) subject: Option<Subject>,
    /// Changes that providers made to the machine for the current resource.
    pub(crate) changes: Vec<String>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(inner: &'a mut dyn Log, clock: Arc<dyn Clock>) -> Recorder<'a> {
        Recorder { inner, clock, lines: Vec::new(), subject: None, changes: Vec::new() }
    }
}

impl Log for Recorder<'_> {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        self.inner.log(level, source, message);
        if !self.inner.wants(level) {
            return;
        }
        let subject = self.subject.as_ref().filter(|_| source.is_some());
        let mut line = LogLine::new(level, message.to_owned(), self.clock.now());
        if let Some(source) = source {
            source.clone_into(&mut line.source);
        }
        if let Some(subject) = subject {
            line.tags.extend(subject.tags.iter().cloned());
            (line.file, line.line) = subject.position.clone().unzip();
        }
        self.lines.push(line);
    }

    fn wants(&self, level: Level) -> bool {
        self.inner.wants(level)
    }

    fn show_excerpt(&mut self, excerpt: &str) {
        self.inner.show_excerpt(excerpt);
    }

    fn note_change(&mut self, change: String) {
        self.changes.push(change);
    }
}
