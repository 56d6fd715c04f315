//! A running `catwalk`: in a pseudo terminal, or with its output read line by line.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::num::NonZeroU16;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use pty_process::Size;
use pty_process::blocking::Command;
use pty_process::blocking::Pty;
use serde_json::Value;

use super::Site;

/// The limit for waiting; a passing test stays below it even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The lines that a program prints.
pub fn lines(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A running program whose output is read line by line.
pub struct Watching {
    pub child: Child,
    pub lines: mpsc::Receiver<String>,
}

impl Watching {
    pub fn start(site: &Site, args: &[&str]) -> Watching {
        let mut child = site.command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        Watching { child, lines }
    }

    /// Events up to the one of this kind.
    pub fn events(&self, last: &str) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{events:#?}"));
            let event: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let is_last = event["event"] == last;
            events.push(event);
            if is_last {
                return events;
            }
        }
    }

    /// All lines up to the end of one round.
    pub fn round(&self) -> String {
        let mut text = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(&text);
            if line.starts_with("-- ") {
                return text;
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program in a pseudo terminal.
pub struct Terminal {
    pub child: Child,
    pty: Arc<Pty>,
    /// The screen.
    pub parser: Arc<Mutex<vt100::Parser>>,
    /// All bytes that the program wrote.
    pub written: Arc<Mutex<Vec<u8>>>,
}

fn rows(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

impl Terminal {
    pub fn start(site: &Site, args: &[&str], (width, height): (u16, u16)) -> Terminal {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(Size::new(height, width)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_catwalk")).args(args).current_dir(site.path());
        let command = command
            .env("XDG_STATE_HOME", site.state())
            .env("TERM", "xterm-256color")
            .env("NO_COLOR", "1")
            .env_remove("CI");
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows(height), rows(width), 0)));
        let written = Arc::new(Mutex::new(Vec::new()));
        let (reader, screen, all) = (pty.clone(), parser.clone(), written.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length) = (&*reader).read(&mut buffer) {
                if length == 0 {
                    return;
                }
                screen.lock().unwrap().process(&buffer[..length]);
                all.lock().unwrap().extend_from_slice(&buffer[..length]);
            }
        });
        Terminal { child, pty, parser, written }
    }

    pub fn contents(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Waits until the screen contains this string.
    pub fn wait_for_text(&self, text: &str) -> String {
        let started = Instant::now();
        loop {
            let contents = self.contents();
            if contents.contains(text) {
                return contents;
            }
            assert!(started.elapsed() < PATIENCE, "'{text}' is not on the screen:\n{contents}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until a condition holds.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "{what}:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn type_keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    pub fn resize(&self, (width, height): (u16, u16)) {
        self.parser.lock().unwrap().set_size(rows(height), rows(width));
        self.pty.resize(Size::new(height, width)).unwrap();
    }

    /// Waits for the program to end and returns its exit code; fails unless the terminal's modes are restored.
    pub fn wait_for_exit(mut self) -> Option<i32> {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "it does not end:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(10));
        };
        // Its last output may not have arrived yet.
        let is_restored = || {
            let parser = self.parser.lock().unwrap();
            !parser.screen().alternate_screen() && !parser.screen().hide_cursor()
        };
        while !is_restored() && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(is_restored(), "the modes of the terminal are not restored");
        status.code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
