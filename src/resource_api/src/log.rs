//! Log messages of a run.

/// The severity of a log message (`Puppet::Util::Log.levels`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Printed with `--debug`.
    Debug,
    /// Printed with `--verbose`.
    Info,
    /// A change of the machine.
    Notice,
    /// A problem that does not stop the run.
    Warning,
    /// A failed operation.
    Err,
    /// More severe than an error; resource providers do not use it.
    Alert,
    /// More severe than an alert.
    Emerg,
    /// Between error and alert.
    Crit,
}

impl Level {
    /// The name of the level in reports and in `loglevel`: `err`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Err => "err",
            Level::Alert => "alert",
            Level::Emerg => "emerg",
            Level::Crit => "crit",
        }
    }

    /// The level with this name; `None` for unknown names and `verbose`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Level> {
        use Level::{Alert, Crit, Debug, Emerg, Err, Info, Notice, Warning};
        [Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit].into_iter().find(|level| level.name() == name)
    }
}

/// Receives log messages.
pub trait Log {
    /// Logs a message. `source` is the resource or property that the message is about, such as
    /// `/Stage[main]/Main/File[/x]/ensure`; `None` for messages of providers.
    fn log(&mut self, level: Level, source: Option<&str>, message: &str);

    /// Whether messages of this level are logged. If not, callers need not format them.
    fn wants(&self, level: Level) -> bool;

    /// Shows people the line of a script that failed, after the message about it. It is no message and is in no report.
    fn show_excerpt(&mut self, _excerpt: &str) {}

    /// Records a change that a provider made to the machine, for the report of the resource being applied: `wrote /etc/motd`.
    fn note_change(&mut self, _change: String) {}
}
