//! Attempts of `attempts.txt` to do what untrusted code may not: each fails as untrusted code and works as trusted code.

use std::path::Path;

use serde_json::Value;

use super::SECRET;
use super::UntrustedSite;
use crate::support::Run;

/// An attempt of `untrusted/attempts.txt`.
#[derive(Debug, Default)]
struct Attempt {
    name: String,
    power: String,
    location: String,
    /// As trusted code it creates the file MARKER.
    has_effect: bool,
    files: Vec<(String, String)>,
    links: Vec<(String, String)>,
    command: String,
}

fn attempts() -> Vec<Attempt> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/untrusted/attempts.txt"));
    let mut attempts: Vec<Attempt> = Vec::new();
    for line in text.unwrap().lines().skip_while(|line| !line.starts_with("== ")) {
        if let Some(head) = line.strip_prefix("== ") {
            let mut parts = head.split(" | ").map(str::to_owned);
            let mut part = || parts.next().unwrap_or_default();
            attempts.push(Attempt {
                name: part(),
                power: part(),
                location: part(),
                has_effect: part() == "effect",
                ..Attempt::default()
            });
            continue;
        }
        let attempt = attempts.last_mut().unwrap();
        if let Some(path) = line.strip_prefix("--- ") {
            attempt.files.push((path.to_owned(), String::new()));
        } else if let Some((from, to)) = line.strip_prefix("link ").and_then(|link| link.split_once(" -> ")) {
            attempt.links.push((from.to_owned(), to.to_owned()));
        } else if let Some(command) = line.strip_prefix("$ ") {
            attempt.command = command.to_owned();
        } else if let Some((_, text)) = attempt.files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    attempts
}

impl UntrustedSite {
    fn fill(&self, attempt: &Attempt) {
        if !attempt.files.iter().any(|(path, _)| path == "catwalk.toml") {
            self.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
        }
        for (path, text) in &attempt.files {
            self.write(path, &self.expand(text));
        }
        for (from, to) in &attempt.links {
            let from = self.site.join(from);
            std::fs::create_dir_all(from.parent().unwrap()).unwrap();
            let _ = std::fs::remove_file(&from);
            std::os::unix::fs::symlink(self.expand(to), from).unwrap();
        }
    }

    fn try_attempt(&self, attempt: &Attempt, untrusted: bool) -> Run {
        let command = if attempt.command.is_empty() { "compile n.example.com" } else { &attempt.command };
        let command = self.expand(command);
        // A quoted part is one argument.
        let mut words: Vec<&str> = Vec::new();
        for (at, part) in command.split('"').enumerate() {
            if at % 2 == 0 { words.extend(part.split_whitespace()) } else { words.push(part) }
        }
        words.extend(["--log-format", "json"]);
        words.extend(untrusted.then_some("--untrusted"));
        self.run(&words, &[])
    }
}

/// The messages on stderr with this code.
fn messages(run: &Run, code: &str) -> Vec<Value> {
    let lines = run.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["code"] == code).collect()
}

/// The reason why an attempt does not end as expected.
fn failure(attempt: &Attempt) -> Option<String> {
    let fixture = UntrustedSite::new();
    fixture.fill(attempt);
    let run = fixture.try_attempt(attempt, true);
    let fail = |why: &str| Some(format!("{}: {why}\n{run:#?}", attempt.name));
    if run.code == Some(0) || run.stderr.contains("panicked") || run.stderr.contains("internal error") {
        return fail("it does not fail");
    }
    let expected = format!("untrusted code may not {}", attempt.power);
    let mut errors = messages(&run, "UNTRUSTED");
    if attempt.command == "test" {
        // The report of `test` contains the errors.
        errors.push(serde_json::json!({ "message": run.stdout, "file": "site.pp", "line": u64::from(run.stdout.contains("line: ")) }));
    }
    let Some(message) = errors.iter().find(|line| line["message"].as_str().unwrap().contains(&expected)) else {
        return fail("no error with the code UNTRUSTED");
    };
    let has_location = match attempt.location.as_str() {
        "manifest" => message["line"].is_u64() && message["file"].is_string(),
        location => {
            message["message"].as_str().unwrap().contains(&*fixture.expand(location))
                || message["file"].as_str().is_some_and(|file| file.contains(location))
        }
    };
    if !has_location {
        return fail("no location");
    }
    if run.stdout.contains(SECRET) || run.stderr.contains(SECRET) {
        return fail("a secret is printed");
    }
    if fixture.marker().exists() {
        return fail("it has an effect");
    }
    // The result does not reveal whether the files outside exist.
    std::fs::remove_dir_all(&fixture.out).unwrap();
    let without = fixture.try_attempt(attempt, true);
    if (&without.stdout, &without.stderr) != (&run.stdout, &run.stderr) {
        return fail(&format!("without what is outside: {without:#?}"));
    }
    fixture.fill_outside();
    let trusted = fixture.try_attempt(attempt, false);
    if !messages(&trusted, "UNTRUSTED").is_empty() || fixture.marker().exists() != attempt.has_effect {
        return fail(&format!("trusted: {trusted:#?}"));
    }
    None
}

#[test]
fn attempts_of_untrusted_code_are_errors() {
    let only = std::env::var("ATTEMPT").ok();
    let attempts: Vec<Attempt> =
        attempts().into_iter().filter(|attempt| only.as_ref().is_none_or(|only| attempt.name.contains(only))).collect();
    assert!(only.is_some() || attempts.len() >= 40, "{}", attempts.len());
    let wrong: Vec<String> = attempts.iter().filter_map(failure).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}
