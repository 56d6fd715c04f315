//! What the serving process and its supervisor tell each other: the arguments of the process, and lines on its stdout.
//!
//! In: requests that begin and end. Out: notes, one JSON object a line, which are in the pipe even if the process dies at once. Must not:
//! start processes.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use serde::Deserialize;
use serde::Serialize;

use catwalk_base::diag::Reason;

use crate::server_error;

/// The longest description of a request, in bytes.
const MAX_REQUEST: usize = 300;

/// A line of the serving process, and the last one, which the supervisor adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Note {
    /// The process accepts connections and handles signals.
    Ready,
    /// A request is being answered.
    Begin(u64, String),
    /// A request has been answered.
    End(u64),
    /// The process has ended.
    Ended,
}

/// The arguments of a serving process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The process ID of the supervisor.
    pub parent: u32,
    /// Whether a serving process has died before.
    pub is_restart: bool,
    /// The requests to refuse, and for how many seconds.
    pub refused: Vec<(String, u64)>,
}

impl Start {
    /// The value of the option.
    pub(crate) fn to_argument(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the value of the option.
    ///
    /// # Errors
    /// It is not what a supervisor writes.
    pub fn read(argument: &str) -> Result<Start, Reason> {
        serde_json::from_str(argument).map_err(server_error)
    }
}

/// Writes the requests of this process to stdout, and refuses those that have ended earlier ones.
pub struct Journal {
    refused: Mutex<HashMap<String, Instant>>,
    next: AtomicU64,
}

impl Journal {
    /// A journal of a process with these arguments.
    #[must_use]
    pub fn new(start: &Start) -> Journal {
        let now = Instant::now();
        let until = |(request, seconds): &(String, u64)| (request.clone(), now + Duration::from_secs(*seconds));
        Journal { refused: Mutex::new(start.refused.iter().map(until).collect()), next: AtomicU64::new(0) }
    }

    /// Answers all requests again.
    pub(crate) fn forget(&self) {
        self.refused.lock().clear();
    }

    /// Writes a note. Without a supervisor, nobody needs it.
    pub(crate) fn write(&self, note: &Note) {
        let Ok(mut line) = serde_json::to_vec(note) else { return };
        line.push(b'\n');
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(&line).and_then(|()| out.flush());
    }
}

impl catwalk_server::Journal for Journal {
    fn begin(&self, request: &str) -> Result<u64, String> {
        let end = (0..=MAX_REQUEST.min(request.len())).rev().find(|end| request.is_char_boundary(*end));
        let request = request.get(..end.unwrap_or(0)).unwrap_or_default();
        let until = self.refused.lock().get(request).copied();
        let left = until.map(|until| until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero());
        if let Some(left) = left {
            let minutes = left.as_secs().div_ceil(60);
            return Err(format!(
                "{request} is refused for {minutes} min: the server process has died twice while it was being answered; the log of the server has the reason"
            ));
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.write(&Note::Begin(id, request.to_owned()));
        Ok(id)
    }

    fn end(&self, id: u64) {
        self.write(&Note::End(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_notes_are_read_as_they_were_written() {
        let start = Start { parent: 7, is_restart: true, refused: vec![("the catalog of \"a\"\n".to_owned(), 60)] };
        assert_eq!(Start::read(&start.to_argument()), Ok(start));
        assert!(Start::read("x").is_err());
        for note in [Note::Ready, Note::Begin(1, "a\nb".to_owned()), Note::End(1), Note::Ended] {
            let line = serde_json::to_string(&note).unwrap_or_default();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Note>(&line).ok(), Some(note));
        }
    }
}
