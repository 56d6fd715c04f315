//! Sections of `tests/resource-api/*.md`: a manifest or a command with types and providers in Rhai, played by the program, must
//! end as `tests/reference/resource-api` recorded of Puppet with the same types in Ruby.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// Blocks of a section by what they hold.
type Section = BTreeMap<String, String>;

#[test]
fn recorded_runs_end_as_with_puppet() {
    let mut sections = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    for path in files {
        sections.extend(parse(&std::fs::read_to_string(path).unwrap()));
    }
    assert!(sections.len() > 25);
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    let parts = sections.chunks(sections.len().div_ceil(workers));
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().filter_map(play).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resource-api")
}

/// The sections of a file: a heading, then fenced blocks.
fn parse(text: &str) -> Vec<(String, Section)> {
    let mut sections: Vec<(String, Section)> = Vec::new();
    let mut block: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(name)) => block = Some((name.to_owned(), String::new())),
            (Some(_), Some("")) => {
                let (name, text) = block.take().unwrap();
                sections.last_mut().unwrap().1.insert(name, text);
            }
            (Some((_, text)), _) => *text += &format!("{line}\n"),
            (None, None) => {
                if let Some(title) = line.strip_prefix("## ") {
                    sections.push((title.to_owned(), Section::new()));
                }
            }
        }
    }
    sections
}

/// Plays a section; what differs, if anything does.
fn play((title, section): &(String, Section)) -> Option<String> {
    let scratch = tempfile::TempDir::new().unwrap();
    let (root, work) = (scratch.path(), scratch.path().join("work"));
    std::fs::create_dir(&work).unwrap();
    copy(&folder().join("module"), &root.join("modules/m"), &work);
    std::fs::write(root.join("catwalk.toml"), "puppet = 7\nmodulepath = [\"modules\"]\n").unwrap();
    std::fs::write(root.join("facts.json"), r#"{"kernel": "Linux", "path": "/usr/bin:/bin"}"#).unwrap();
    let file = |name: &str, path: PathBuf| section.get(name).map(|text| std::fs::write(path, text).unwrap());
    file("puppet", root.join("site.pp"));
    file("state", work.join("state"));
    let words: Vec<&str> = section["command"].split_whitespace().collect();
    let log = std::fs::File::create(root.join("log")).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_catwalk"))
        .args(&words)
        .args(if words[0] == "apply" { &["--certname", "node.example.com", "--facts", "facts.json"][..] } else { &[] })
        .current_dir(root)
        .env("NO_COLOR", "1")
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .status()
        .unwrap();
    let mut found = Section::new();
    found.insert("exit".to_owned(), format!("{}\n", status.code().unwrap_or(-1)));
    found.insert("log".to_owned(), normal(&std::fs::read(root.join("log")).unwrap(), root));
    for name in ["state", "calls"] {
        let text = std::fs::read_to_string(work.join(name)).unwrap_or_default();
        found.insert(format!("{name} after"), text);
    }
    let differs = |name: &&String| section.get(*name).map_or("", String::as_str) != found[*name];
    let differences = found.keys().filter(differs).map(|name| {
        format!("{name}\n  expected:\n{}  found:\n{}", section.get(name).map_or("", String::as_str), found[name])
    });
    let differences: Vec<String> = differences.collect();
    (!differences.is_empty()).then(|| format!("## {title}\n{}", differences.join("\n")))
}

fn copy(from: &Path, to: &Path, work: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, work);
        } else {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            std::fs::write(target, text.replace("@WORK@", work.to_str().unwrap())).unwrap();
        }
    }
}

/// Lines without times, paths and what only says that a run began and ended.
fn normal(text: &[u8], root: &Path) -> String {
    let text = String::from_utf8_lossy(text).replace(root.to_str().unwrap(), "DIR");
    let times = regex::Regex::new(r"\b\d+\.\d+ seconds").unwrap();
    let is_kept = |line: &&str| {
        let frame = ["Notice: Compiled catalog for", "Notice: Applied catalog in"];
        !frame.iter().any(|start| line.starts_with(start))
    };
    // Catwalk adds an excerpt of the script to the error of a provider.
    let excerpt = regex::Regex::new(r"^( +--> | +\d* \||\d+ \|| +\|| +\d+ +\|| += note: )").unwrap();
    let lines: Vec<&str> = text.lines().filter(is_kept).filter(|line| !excerpt.is_match(line)).collect();
    lines.iter().map(|line| format!("{}\n", times.replace_all(line, "N seconds"))).collect()
}
