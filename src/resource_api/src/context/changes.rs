//! The changes that a provider made to the machine, for reports.

use super::Context;

/// Maximum number of changes recorded for one call.
const MAX_CHANGES: usize = 1000;
/// Maximum length of a recorded change in bytes.
const MAX_CHANGE: usize = 1000;

/// A change of the machine by a provider.
pub(super) struct MachineChange {
    description: String,
    /// Whether it ran a command, which may have changed nothing.
    is_command: bool,
}

impl Context<'_> {
    /// Records a change of the machine by the provider, for the report: `wrote /etc/motd`.
    pub fn note_change(&mut self, change: String) {
        self.record_change(change, false);
    }

    /// Records a command that the provider has run, for the report: `ran apt-get install vim`.
    pub fn note_command(&mut self, command: String) {
        self.record_change(command, true);
    }

    fn record_change(&mut self, mut description: String, is_command: bool) {
        match self.changes.len() {
            MAX_CHANGES => description = format!("more than {MAX_CHANGES} changes"),
            number if number > MAX_CHANGES => return,
            _ => {}
        }
        if description.len() > MAX_CHANGE {
            let end = (0..=MAX_CHANGE).rev().find(|end| description.is_char_boundary(*end)).unwrap_or(0);
            description.truncate(end);
            description.push('…');
        }
        self.changes.push(MachineChange { description, is_command });
    }

    /// The changes of the machine since the last call, with the commands that were run.
    pub fn take_changes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.changes).into_iter().map(|change| change.description).collect()
    }

    /// The changes without the commands: those that `get` runs only read.
    pub fn take_writes(&mut self) -> Vec<String> {
        let changes = std::mem::take(&mut self.changes).into_iter().filter(|change| !change.is_command);
        changes.map(|change| change.description).collect()
    }
}
