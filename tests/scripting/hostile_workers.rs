//! Workers that do not keep to the protocol: programs that never read, send without end, or announce more than they may send.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use std::time::Instant;

use catwalk_world::worker::ReceiveError;
use catwalk_world::worker::Worker;

/// Starts a shell script as a worker.
fn start(folder: &tempfile::TempDir, script: &str) -> Worker {
    let program = folder.path().join("worker");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Worker::start(&program, &[]).unwrap()
}

fn short_deadline() -> Instant {
    Instant::now() + Duration::from_millis(200)
}

#[test]
fn a_worker_that_never_reads_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut worker = start(&folder, "exec sleep 600");
    let (started, until) = (Instant::now(), short_deadline());
    // More than a pipe holds.
    worker.send(&vec![0; 8 << 20], until);
    assert_eq!(worker.receive(until), Err(ReceiveError::TimeOver));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_worker_that_asks_without_end_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    // The question whether `/x` is a file.
    let question = r"\013\000\000\000\013\002\000\000\000\000\000\000\000/x";
    let mut worker = start(&folder, &format!("while :; do printf '{}'; done", question.repeat(200)));
    let (started, until) = (Instant::now(), short_deadline());
    let silence = loop {
        match worker.receive(until) {
            Ok(frame) => assert_eq!(frame, b"\x0b\x02\0\0\0\0\0\0\0/x"),
            Err(silence) => break silence,
        }
    };
    assert_eq!(silence, ReceiveError::TimeOver);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_frame_that_is_too_long_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    // 100 MiB.
    let mut worker = start(&folder, r"printf '\000\000\100\006'; exec cat /dev/zero");
    assert_eq!(worker.receive(Instant::now() + Duration::from_secs(60)), Err(ReceiveError::Ended));
}
