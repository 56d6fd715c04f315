//! Markdown files of scenarios: a section is a heading with fenced blocks, some of which are the recorded answers. A block `error 8`
//! is an answer of version 8 and later ones; blocks without a number are answers of the oldest version that the section is about. Each
//! section with code is a test for each version; those listed in `known-differences.txt` must fail.

use std::collections::BTreeMap;
use std::path::Path;

use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_eval::Settings;
use libtest_mimic::Failed;
use libtest_mimic::Trial;

/// The kinds of blocks that hold answers.
const ANSWERS: [&str; 5] = ["value", "catalog", "error", "log", "tree"];

/// The major versions that answers are recorded of.
const VERSIONS: std::ops::RangeInclusive<u32> = 7..=9;

/// Answer blocks by kind.
pub type Answers = BTreeMap<String, String>;

/// A scenario.
#[derive(Clone, Default)]
pub struct Section {
    /// The name of the file without `.md`.
    pub topic: String,
    pub name: String,
    /// Blocks as kind, argument, text.
    pub blocks: Vec<(String, String, String)>,
    /// The answers by the version that gave them first; without a number, by 0.
    answers: BTreeMap<u32, Answers>,
    /// The version to answer for.
    major: u32,
}

impl Section {
    /// The text of the first block of this kind.
    pub fn text(&self, kind: &str) -> Option<&str> {
        self.blocks.iter().find(|block| block.0 == kind).map(|block| block.2.as_str())
    }

    /// What the block `settings` sets, for the version to answer for.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::for_version(Version::find(&self.major.to_string()).unwrap());
        // Puppet's answers were recorded with all log levels.
        settings.log_level.include(Severity::Debug);
        for (name, value) in self.set_lines().filter(|(name, _)| *name != "puppet") {
            settings.set(name, value).unwrap();
        }
        settings
    }

    /// Whether a version has the settings of the section.
    fn has_settings(&self, major: u32) -> bool {
        let mut settings = Settings::for_version(Version::find(&major.to_string()).unwrap());
        self.set_lines().filter(|(name, _)| *name != "puppet").all(|(name, value)| settings.set(name, value).is_ok())
    }

    fn set_lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text("settings").into_iter().flat_map(str::lines).filter_map(|line| line.split_once('='))
    }

    /// The oldest version that the section is about.
    fn oldest(&self) -> u32 {
        self.set_lines()
            .find(|(name, _)| *name == "puppet")
            .map_or(*VERSIONS.start(), |(_, version)| version.parse().unwrap())
    }

    /// The recorded answer of the version to answer for.
    fn answer(&self) -> Answers {
        self.answers.range(..=self.major).next_back().map(|(_, answers)| answers.clone()).unwrap_or_default()
    }

    /// Argument and text of all blocks of this kind.
    pub fn all<'s>(&'s self, kind: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.blocks.iter().filter(move |block| block.0 == kind).map(|block| (block.1.as_str(), block.2.as_str()))
    }
}

/// Tests for each section with code of the folder's files, `PREFIX TOPIC: SECTION` for the oldest version that it is about and
/// `PREFIX TOPIC: SECTION (8)` for later ones, and one that each line of its `known-differences.txt` names a section: `TOPIC:
/// SECTION (8)` for one version, without a number for all. Sections for which `needs` is true are ignored.
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
            let plain = format!("{topic}: {}", section.name);
            let oldest = section.oldest();
            for major in VERSIONS.filter(|major| *major >= oldest && section.has_settings(*major)) {
                let of_version = format!("{plain} ({major})");
                let differs = [&of_version, &plain].into_iter().any(|name| known.contains(&name.as_str()));
                unused.retain(|entry| *entry != of_version && *entry != plain);
                let name = if major == oldest { &plain } else { &of_version };
                let section = Section { major, ..section.clone() };
                let ignored = needs(&section);
                let test = Trial::test(format!("{prefix}{name}"), move || check(&section, answer, differs));
                trials.push(test.with_ignored_flag(ignored));
            }
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
    let recorded = section.answer();
    match (got == recorded, differs) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err("gives the recorded answer: remove it from known-differences.txt".into()),
        (false, false) => Err(difference(&recorded, &got).into()),
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
            let major = if argument.is_empty() { 0 } else { argument.parse().unwrap() };
            section.answers.entry(major).or_default().insert(kind.to_owned(), body);
        } else {
            section.blocks.push((kind.to_owned(), argument.to_owned(), body));
        }
    }
    sections
}
