//! Cached results of commands that a site declares pure, and how long commands took.
//!
//! In: commands and how to start them. Out: what they printed. Must not: start a process itself.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::profile;
use globset::GlobMatcher;
use rustc_hash::FxHashMap;

use crate::Command;
use crate::Output;
use crate::WorldError;

type Answer = Result<Output, WorldError>;
/// The arguments and the standard input of a command.
type Question = (Vec<String>, Option<String>);

/// Statistics of the runs of commands whose command lines begin with the same words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRuns {
    /// The program, with the subcommand if there is one: see [`Command::outline`].
    pub outline: String,
    /// How many runs there were.
    pub runs: usize,
    /// How many of the runs were of a command line that had been run before.
    pub repeated: usize,
    /// The elapsed time of all runs together.
    pub time: Duration,
    /// Whether some runs had no arguments besides those in the outline.
    pub has_bare_runs: bool,
    /// Whether some runs had further arguments.
    pub has_longer_runs: bool,
}

/// The command lines that a site declares pure, and the results of those that ran.
#[derive(Debug, Default)]
pub(super) struct Commands {
    pure: RwLock<Vec<GlobMatcher>>,
    answers: Mutex<FxHashMap<Question, Arc<OnceLock<Answer>>>>,
    runs: Mutex<BTreeMap<Vec<String>, (usize, Duration)>>,
}

impl Commands {
    /// Forgets all results and sets other patterns.
    pub(super) fn set_pure(&self, patterns: Vec<GlobMatcher>) {
        *self.pure.write() = patterns;
        self.forget();
    }

    /// Forgets all results.
    pub(super) fn forget(&self) {
        self.answers.lock().clear();
    }

    /// The result of a command. A pure one is started once: other threads that need it meanwhile wait for that result.
    pub(super) fn run(&self, command: &Command, start: impl FnOnce() -> Answer) -> Answer {
        if !self.is_pure(command) {
            return self.start_timed(command, start);
        }
        let question = (command.argv.clone(), command.stdin.clone());
        let lock = || self.answers.lock();
        let cell = lock().entry(question.clone()).or_default().clone();
        let answer = cell.get_or_init(|| self.start_timed(command, start)).clone();
        if answer.is_err() {
            // Not cached: a program that could not be started may exist the next time.
            lock().remove(&question);
        }
        answer
    }

    fn is_pure(&self, command: &Command) -> bool {
        let patterns = self.pure.read();
        if patterns.is_empty() {
            return false;
        }
        let line = command.argv.join(" ");
        patterns.iter().any(|pattern| pattern.is_match(&line))
    }

    fn start_timed(&self, command: &Command, start: impl FnOnce() -> Answer) -> Answer {
        let _step = profile::enter_with(profile::Kind::Command, || command.outline());
        let started = Instant::now();
        let answer = start();
        let mut ran = self.runs.lock();
        let (runs, time) = ran.entry(command.argv.clone()).or_default();
        *runs += 1;
        *time += started.elapsed();
        answer
    }

    /// All runs, slowest first.
    pub(super) fn statistics(&self) -> Vec<CommandRuns> {
        let mut by_outline: BTreeMap<String, CommandRuns> = BTreeMap::new();
        for (argv, (runs, time)) in self.runs.lock().iter() {
            let outline = outline(argv);
            let is_bare = outline == argv.join(" ");
            let entry =
                by_outline.entry(outline.clone()).or_insert_with(|| CommandRuns { outline, ..CommandRuns::default() });
            entry.runs += runs;
            entry.repeated += runs - 1;
            entry.time += *time;
            entry.has_bare_runs |= is_bare;
            entry.has_longer_runs |= !is_bare;
        }
        let mut all: Vec<CommandRuns> = by_outline.into_values().collect();
        all.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.outline.cmp(&b.outline)));
        all
    }
}

impl Command {
    /// The program with its subcommand, without arguments, which may hold secrets: `/usr/bin/systemd-analyze calendar`, `sh -c date`.
    #[must_use]
    pub fn outline(&self) -> String {
        outline(&self.argv)
    }
}

fn outline(argv: &[String]) -> String {
    let (Some(program), second) = (argv.first(), argv.get(1).map(String::as_str)) else { return String::new() };
    let is_word = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_lowercase() || first == '/')
            && word.len() <= 60
            && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/'))
    };
    if let (Some("-c"), Some(script)) = (second, argv.get(2)) {
        let word = script.split_ascii_whitespace().next().filter(is_word);
        return [program, "-c"].into_iter().chain(word).collect::<Vec<_>>().join(" ");
    }
    // A path is not a subcommand: it may be the only argument, and secret.
    let word = second.filter(|word| argv.len() > 2 && is_word(word) && !word.contains('/'));
    [program.as_str()].into_iter().chain(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::Runs;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering;

    fn command(line: &[&str]) -> Command {
        let argv = line.iter().map(|&word| word.to_owned()).collect();
        Command { argv, stdin: None, limit: Duration::from_secs(1), output: Command::OUTPUT, runs: Runs::Decisive }
    }

    fn printed(text: &str) -> Output {
        Output { status: Some(0), stdout: Arc::from(text.as_bytes()), stderr: Arc::from([]) }
    }

    #[test]
    fn a_pure_command_runs_once_for_all_threads_and_other_commands_run_each_time() {
        let commands = Commands::default();
        commands.set_pure(vec![catwalk_base::globs::matcher("/bin/calendar show *", false).unwrap()]);
        let started = AtomicUsize::new(0);
        let start = || {
            std::thread::sleep(Duration::from_millis(20));
            started.fetch_add(1, Ordering::Relaxed);
            Ok(printed("x"))
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| commands.run(&command(&["/bin/calendar", "show", "*-*-* 00/2:00"]), start).unwrap());
            }
        });
        assert_eq!(started.load(Ordering::Relaxed), 1);
        let ask = |line: &[&str]| commands.run(&command(line), start).unwrap();
        ask(&["/bin/calendar", "show", "weekly"]);
        ask(&["/bin/calendar", "show", "weekly"]);
        assert_eq!(started.load(Ordering::Relaxed), 2, "another argument is another question");
        ask(&["/bin/date"]);
        ask(&["/bin/date"]);
        assert_eq!(started.load(Ordering::Relaxed), 4);
        commands.set_pure(Vec::new());
        ask(&["/bin/calendar", "show", "weekly"]);
        assert_eq!(started.load(Ordering::Relaxed), 5);
        let counted = |outline: &str| {
            let ran = commands.statistics();
            let found = ran.iter().find(|ran| ran.outline == outline).unwrap();
            (found.runs, found.repeated)
        };
        assert_eq!(counted("/bin/calendar show"), (3, 1));
        assert_eq!(counted("/bin/date"), (2, 1));
    }

    #[test]
    fn a_pure_command_that_cannot_be_started_is_tried_again() {
        let commands = Commands::default();
        commands.set_pure(vec![catwalk_base::globs::matcher("*", false).unwrap()]);
        let missing = || Err(WorldError::NotAllowed(Arc::from("x")));
        assert!(commands.run(&command(&["/bin/x"]), missing).is_err());
        assert!(commands.run(&command(&["/bin/x"]), || Ok(printed(""))).is_ok());
    }

    #[test]
    fn an_outline_has_no_arguments() {
        for (line, expected) in [
            (&["/usr/bin/systemd-analyze", "calendar", "*-*-*"][..], "/usr/bin/systemd-analyze calendar"),
            (&["/bin/login", "secret"], "/bin/login"),
            (&["/bin/login", "--password", "secret"], "/bin/login"),
            (&["/bin/sh", "-c", "date +%s; echo secret"], "/bin/sh -c date"),
            (&["/bin/sh", "-c", "TOKEN=secret run"], "/bin/sh -c"),
            (&["/bin/cat", "/etc/a", "/etc/b"], "/bin/cat"),
            (&[], ""),
        ] {
            assert_eq!(command(line).outline(), expected);
        }
    }
}
