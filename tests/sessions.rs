//! Recorded sessions of `docs/watch.md` are run again and compared, ignoring times. `UPDATE=1` records the changed ones again.
//!
//! ` ```session ` is a terminal: `$ catwalk …` with its output, and `elsewhere$ COMMAND` with the lines that catwalk prints after it.
//! ` ```screen KEYS ` is the full screen after these keys, on the site as the previous session left it. A line `…` matches any lines.

use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::pages::fits;
use crate::support::Site;
use crate::support::running::PATIENCE;
use crate::support::running::Terminal;
use crate::support::running::lines;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/watch.md");

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            match std::fs::copy(entry.path(), target) {
                // A temporary file of a test that runs at the same time.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.unwrap()),
            }
        }
    }
}

/// A copy of the sample site.
fn sample() -> Site {
    let site = Site::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["modules", "scripts", "snapshots"] {
        copy(&root.join(folder), &site.path().join(folder));
    }
    std::fs::copy(root.join("catwalk.toml"), site.path().join("catwalk.toml")).unwrap();
    site
}

/// The lines without times and without the path of the site, which differ in each run.
fn normalize(text: &str, site: &Site) -> Vec<String> {
    let time = regex::Regex::new(r"[0-9]+\.[0-9] ms").unwrap();
    let root = format!("{}/", site.path().canonicalize().unwrap().display());
    let member = regex::Regex::new("\"milliseconds\":[0-9.]+").unwrap();
    let text = member.replace_all(text, "\"milliseconds\":0.0");
    let text = time.replace_all(&text, "0.0 ms").replace(&root, "");
    text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
}

fn is_same_output(expected: &str, got: &str, site: &Site) -> bool {
    let (expected, got) = (normalize(expected, site), normalize(got, site));
    let strs = |lines: &'_ [String]| lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (expected, got) = (strs(&expected), strs(&got));
    fits(&expected.lines().collect::<Vec<_>>(), &got.lines().collect::<Vec<_>>())
}

/// The commands of a session with their output.
fn steps(text: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match steps.last_mut() {
            _ if line.starts_with("$ ") || line.starts_with("elsewhere$ ") => {
                steps.push((line.to_owned(), String::new()));
            }
            Some((_, output)) => {
                output.push_str(line);
                output.push('\n');
            }
            None => panic!("a session begins with a command: {line}"),
        }
    }
    steps
}

fn shell(command: &str, site: &Site) {
    let done = Command::new("sh").args(["-c", command]).current_dir(site.path()).status().unwrap();
    assert!(done.success(), "{command}");
}

/// Runs a session and returns it with its current output.
fn session(text: &str, site: &Site) -> String {
    let mut steps = steps(text).into_iter();
    let (command, expected) = steps.next().unwrap();
    let words: Vec<&str> = command.split_whitespace().skip(2).collect();
    let mut child = Command::new("sh")
        .args(["-c", "exec \"$0\" \"$@\" 2>&1", env!("CARGO_BIN_EXE_catwalk")])
        .args(words)
        .current_dir(site.path())
        .env("NO_COLOR", "1")
        .env_remove("CI")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let lines = lines(stdout);
    let round = || {
        let mut text = String::new();
        loop {
            let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no end of the round: {text}"));
            text.push_str(&line);
            text.push('\n');
            if line.starts_with("-- ") || line.starts_with("{\"event\":\"done\"") {
                return text;
            }
        }
    };
    let mut all = String::new();
    let mut add = |command: &str, expected: &str, got: String| {
        let text =
            if is_same_output(expected, &got, site) { expected.to_owned() } else { format!("{}\n", got.trim_end()) };
        all.push_str(&format!("{command}\n{text}"));
        if text == got && !all.ends_with("\n\n") {
            all.push('\n');
        }
    };
    add(&command, &expected, round());
    for (command, expected) in steps {
        shell(command.strip_prefix("elsewhere$ ").unwrap(), site);
        // A step without output: the output of the next step covers both.
        if expected.trim().is_empty() {
            add(&command, &expected, String::new());
        } else {
            add(&command, &expected, round());
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let root = format!("{}/", site.path().canonicalize().unwrap().display());
    format!("{}\n", all.trim_end().replace(&root, ""))
}

#[test]
fn what_watch_prints_is_as_recorded() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mut now = String::new();
    let mut rest = page.as_str();
    let mut site = sample();
    let mut terminal: Option<Terminal> = None;
    let mut blocks = 0;
    while let Some(at) = rest.find("\n```s") {
        let (before, block) = rest.split_at(at + 1);
        now.push_str(before);
        let (head, body) = block.split_once('\n').unwrap();
        let (body, after) = body.split_once("```\n").unwrap();
        let text = match head.split_once(' ') {
            None if head == "```session" => {
                site = sample();
                terminal = None;
                blocks += 1;
                session(body, &site)
            }
            Some(("```screen", keys)) => {
                blocks += 1;
                let terminal = terminal.get_or_insert_with(|| Terminal::start(&site, &["watch"], (92, 22)));
                screen(terminal, keys, body, &site)
            }
            _ => body.to_owned(),
        };
        now.push_str(&format!("{head}\n{text}```\n"));
        rest = after;
    }
    now.push_str(rest);
    assert!(blocks > 3, "the sessions are gone");
    if now != page && std::env::var_os("UPDATE").is_some() {
        std::fs::write(PAGE, &now).unwrap();
    } else {
        let diff = catwalk_base::line_diff::diff_lines(&page, &now);
        assert!(now == page, "docs/watch.md, `UPDATE=1` records it anew:\n{}", diff.unified_diff());
    }
}

/// Types the keys (`edit` changes a data file), waits for the expected screen and returns the screen.
fn screen(terminal: &Terminal, keys: &str, expected: &str, site: &Site) -> String {
    terminal.wait_for_text("compiled in");
    for key in keys.split(' ') {
        match key {
            "edit" => shell("sed -i 's/workers: 4/workers: 9/' scripts/data/role/web.yaml", site),
            "start" => {}
            key => terminal.type_keys(&key.replace("Enter", "\r").replace("Esc", "\u{1b}").replace("Down", "\u{1b}[B")),
        }
    }
    let mut contents = terminal.contents();
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if is_same_output(expected, &contents, site) {
            return expected.to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
        contents = terminal.contents();
    }
    let lines = contents.trim_end().lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}
