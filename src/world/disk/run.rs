//! Commands.
//!
//! In: a command with its input and limits. Out: what it said, and how it ended. Must not: outlive its time.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::BUSY_TRIES;
use crate::world::Command;
use crate::world::Output;
use crate::world::Refused;

/// Most bytes of a process's output.
const MAX_OUTPUT: u64 = 64 << 20;

/// As long as a pipe takes to be read to its end when nobody writes to it any more.
const SHORTLY: Duration = Duration::from_millis(500);

/// Runs a process with a time limit; its output is read while it runs so that a full pipe cannot block it.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn run(command: &Command) -> Result<Output, Refused> {
    use std::io::Write;
    use std::process::Stdio;
    let program = command.argv.first().map_or("", String::as_str);
    let failed = |error: &std::io::Error| Refused::Unreadable(PathBuf::from(program), Arc::from(error.to_string()));
    let mut asked = std::process::Command::new(program);
    asked
        .args(command.argv.iter().skip(1))
        .stdin(if command.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut tries = 0;
    let mut child = loop {
        match asked.spawn() {
            // Someone who saves it has it open.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            spawned => break spawned.map_err(|error| failed(&error))?,
        }
    };
    let read = |mut pipe: Option<Box<dyn Read + Send>>| {
        let (done, bytes) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What is said beyond the limit is not read: the process waits until its time is over.
            if let Some(pipe) = &mut pipe {
                let _ = pipe.take(MAX_OUTPUT).read_to_end(&mut bytes);
            }
            let _ = done.send(bytes);
        });
        bytes
    };
    let out = read(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let err = read(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    if let (Some(text), Some(mut stdin)) = (&command.stdin, child.stdin.take()) {
        // A process that does not read its input closes the pipe, or lets us wait: not our failure.
        let text = text.clone();
        std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let started = std::time::Instant::now();
    let mut status = None;
    while status.is_none() {
        status = child.try_wait().map_err(|error| failed(&error))?;
        if status.is_none() {
            if started.elapsed() > command.limit {
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    // A process that it started may have its output still, and longer than it: then the time is over, too.
    let mut text = |bytes: std::sync::mpsc::Receiver<Vec<u8>>| -> Arc<[u8]> {
        let left = command.limit.saturating_sub(started.elapsed());
        let bytes = bytes.recv_timeout(if status.is_some() { left.max(SHORTLY) } else { SHORTLY });
        if bytes.is_err() {
            status = None;
        }
        Arc::from(bytes.unwrap_or_default())
    };
    let (stdout, stderr) = (text(out), text(err));
    Ok(Output { status: status.and_then(|status| status.code()), stdout, stderr })
}
