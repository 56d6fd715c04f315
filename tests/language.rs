//! Every section of `tests/language/*.md` is a test: its code must give the answer that was recorded from the reference
//! by `tests/reference/record-language`. Sections listed in `known-differences.txt` must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use catwalk::eval::Settings;
use catwalk::eval::Strict;
use catwalk::functions::probe;
use catwalk::functions::probe::Setup;
use catwalk::value::to_program;
use libtest_mimic::Arguments;
use libtest_mimic::Failed;
use libtest_mimic::Trial;

#[derive(Default)]
struct Section {
    name: String,
    setup: Setup,
    code: Option<String>,
    answers: BTreeMap<String, String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let known = std::fs::read_to_string(folder.join("known-differences.txt")).unwrap_or_default();
    let known: Vec<&str> = known.lines().filter_map(|line| line.split_once(" -- ").map(|(name, _)| name)).collect();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let mut trials = Vec::new();
    let mut unused: Vec<&str> = known.clone();
    for file in files {
        let topic = file.file_stem().unwrap().to_str().unwrap().to_owned();
        for section in sections(&std::fs::read_to_string(&file).unwrap()) {
            if section.code.is_none() {
                continue;
            }
            let name = format!("{topic}: {}", section.name);
            let differs = known.contains(&name.as_str());
            unused.retain(|entry| *entry != name);
            trials.push(Trial::test(name, move || check(&section, differs)));
        }
    }
    let unused: Vec<String> = unused.into_iter().map(str::to_owned).collect();
    trials.push(Trial::test("known differences name sections", move || {
        if unused.is_empty() { Ok(()) } else { Err(Failed::from(unused.join(", "))) }
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(section: &Section, differs: bool) -> Result<(), Failed> {
    let outcome = probe::evaluate(section.code.as_deref().unwrap_or(""), &section.setup);
    let mut got = BTreeMap::new();
    match outcome.result {
        Ok(value) => got.insert("value".to_owned(), to_program(&value)),
        Err(text) => got.insert("error".to_owned(), text),
    };
    if !outcome.logs.is_empty() {
        got.insert("log".to_owned(), outcome.logs.join("\n"));
    }
    match (got == section.answers, differs) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err("gives the recorded answer: remove it from known-differences.txt".into()),
        (false, false) => Err(format!("gives    {got:?}\nrecorded {:?}", section.answers).into()),
    }
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            sections.push(Section { name: name.to_owned(), ..Section::default() });
            continue;
        }
        let Some(fence) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let body = body.join("\n");
        let section = sections.last_mut().unwrap();
        match fence.split_once(' ').unwrap_or((fence, "")) {
            ("puppet", _) => section.code = Some(body),
            ("file", path) => section.setup.files.push((path.to_owned(), format!("{body}\n"))),
            ("settings", _) => body.lines().for_each(|line| set(&mut section.setup.settings, line)),
            (answer, _) => drop(section.answers.insert(answer.to_owned(), body)),
        }
    }
    sections
}

fn set(settings: &mut Settings, line: &str) {
    match line.split_once('=') {
        Some(("strict", level)) => {
            settings.strict = match level {
                "off" => Strict::Off,
                "error" => Strict::Error,
                _ => Strict::Warning,
            };
        }
        Some(("strict_variables", on)) => settings.strict_variables = on == "true",
        _ => panic!("unknown setting: {line}"),
    }
}
