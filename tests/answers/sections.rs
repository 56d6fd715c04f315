//! Markdown files of scenarios: a section is a heading with fenced blocks, some of which are the recorded answers. Each
//! section with code is a test; those listed in `known-differences.txt` must fail.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use catwalk::diag::Severity;
use catwalk::eval::Settings;
use catwalk::version::Version;
use libtest_mimic::Failed;
use libtest_mimic::Trial;

/// The kinds of blocks that hold answers.
const ANSWERS: [&str; 5] = ["value", "catalog", "error", "log", "tree"];

/// Answer blocks by kind.
pub type Answers = BTreeMap<String, String>;

/// A scenario.
#[derive(Default)]
pub struct Section {
    /// The name of the file without `.md`.
    pub topic: String,
    pub name: String,
    /// Blocks as kind, argument, text.
    pub blocks: Vec<(String, String, String)>,
    pub answers: Answers,
}

impl Section {
    /// The text of the first block of this kind.
    pub fn text(&self, kind: &str) -> Option<&str> {
        self.blocks.iter().find(|block| block.0 == kind).map(|block| block.2.as_str())
    }

    /// What the block `settings` sets, for the version of the language that it names.
    pub fn settings(&self) -> Settings {
        let lines = || self.text("settings").into_iter().flat_map(str::lines).filter_map(|line| line.split_once('='));
        let version = lines().find(|(name, _)| *name == "puppet").map_or("7", |(_, version)| version);
        let mut settings = Settings::for_version(Version::find(version).unwrap());
        // Puppet's answers were recorded with all log levels.
        settings.log_level.include(Severity::Debug);
        for (name, value) in lines().filter(|(name, _)| *name != "puppet") {
            settings.set(name, value).unwrap();
        }
        settings
    }

    /// Argument and text of all blocks of this kind.
    pub fn all<'s>(&'s self, kind: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.blocks.iter().filter(move |block| block.0 == kind).map(|block| (block.1.as_str(), block.2.as_str()))
    }
}

/// One test for each section with code of the folder's files, `PREFIX TOPIC: SECTION`, and one that each line of its
/// `known-differences.txt` names a section. Sections for which `needs` is true are ignored.
pub fn trials(prefix: &str, folder: &Path, answer: fn(&Section) -> Answers, needs: fn(&Section) -> bool) -> Vec<Trial> {
    let known = std::fs::read_to_string(folder.join("known-differences.txt")).unwrap_or_default();
    let mut unused: Vec<&str> =
        known.lines().filter_map(|line| line.split_once(" -- ").map(|(name, _)| name)).collect();
    let known = unused.clone();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let topic = file.file_stem().unwrap().to_str().unwrap().to_owned();
        for mut section in sections(&std::fs::read_to_string(&file).unwrap()) {
            if section.text("puppet").is_none() {
                continue;
            }
            topic.clone_into(&mut section.topic);
            let name = format!("{topic}: {}", section.name);
            let differs = known.contains(&name.as_str());
            unused.retain(|entry| *entry != name);
            let section = Arc::new(section);
            let ignored = needs(&section);
            trials.push(
                Trial::test(format!("{prefix}{name}"), move || check(&section, answer, differs))
                    .with_ignored_flag(ignored),
            );
        }
    }
    let unused: Vec<String> = unused.into_iter().map(str::to_owned).collect();
    trials.push(Trial::test(format!("{prefix}known differences name sections"), move || {
        if unused.is_empty() { Ok(()) } else { Err(Failed::from(unused.join(", "))) }
    }));
    trials
}

fn check(section: &Section, answer: fn(&Section) -> Answers, differs: bool) -> Result<(), Failed> {
    let got = answer(section);
    match (got == section.answers, differs) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err("gives the recorded answer: remove it from known-differences.txt".into()),
        (false, false) => Err(difference(&section.answers, &got).into()),
    }
}

/// Both answers; of long ones only what is around the first line that differs.
fn difference(recorded: &Answers, got: &Answers) -> String {
    let lines = |answers: &Answers| -> Vec<String> {
        let kinds = answers.iter().flat_map(|(kind, text)| text.lines().map(move |line| format!("{kind}| {line}")));
        kinds.collect()
    };
    let (recorded, got) = (lines(recorded), lines(got));
    let at = recorded.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(recorded.len().min(got.len()));
    let part =
        |lines: &[String]| lines.iter().skip(at.saturating_sub(3)).take(8).cloned().collect::<Vec<_>>().join("\n");
    format!("gives\n{}\nrecorded\n{}", part(&got), part(&recorded))
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            let name = line.trim_start_matches('#').trim().to_owned();
            sections.push(Section { name, ..Section::default() });
            continue;
        }
        let Some(fence) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let body = body.join("\n");
        let section = sections.last_mut().unwrap();
        let (kind, argument) = fence.split_once(' ').unwrap_or((fence, ""));
        if ANSWERS.contains(&kind) {
            section.answers.insert(kind.to_owned(), body);
        } else {
            section.blocks.push((kind.to_owned(), argument.to_owned(), body));
        }
    }
    sections
}
