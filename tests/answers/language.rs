//! Sections of `tests/language/*.md` and `tests/generated/language/*.md`: the code must return the value, or fail with the
//! error, that `tests/reference/record-language` recorded. Sections listed in `known-differences.txt` must differ. Files
//! `stdlib*-module.md` are about code of the module stdlib and are ignored without it: `STDLIB_8=/usr/share/puppet/modules`
//! and `STDLIB_9=DIR` name directories that contain that version of the module.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::Mutex;

use catwalk_session::probe;
use catwalk_session::probe::Setup;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_value::to_program;
use libtest_mimic::Trial;

use crate::sections;
use crate::sections::Answers;
use crate::sections::Section;

/// One test for each section of the folder's files.
pub fn trials(prefix: &str, folder: &Path) -> Vec<Trial> {
    let needs = |section: &Section| section.topic.ends_with("-module") && module_of(section).is_none();
    sections::trials(prefix, folder, answer, needs)
}

fn answer(section: &Section) -> Answers {
    let files = section.all("file").map(|(path, text)| (path.to_owned(), format!("{text}\n"))).collect();
    let facts = section.text("facts").map_or(Value::Undef, |text| yaml::parse(text.as_bytes()).unwrap());
    let facts = if let Value::Hash(facts) = facts { facts } else { Arc::default() };
    let setup = Setup { files, stdlib: stdlib(section), facts, settings: section.settings(), ..Setup::default() };
    let outcome = probe::evaluate(section.text("puppet").unwrap_or(""), &setup);
    let mut got = Answers::new();
    match outcome.result {
        Ok(value) => got.insert("value".to_owned(), to_program(&value)),
        Err(text) => got.insert("error".to_owned(), text),
    };
    if !outcome.logs.is_empty() {
        got.insert("log".to_owned(), outcome.logs.join("\n"));
    }
    got
}

/// The directory in STDLIB_8 or STDLIB_9 with the version of stdlib that a section is about.
fn module_of(section: &Section) -> Option<PathBuf> {
    let variable = match section.topic.split_once('-')?.0 {
        "stdlib" => "STDLIB_8",
        "stdlib9" => "STDLIB_9",
        _ => return None,
    };
    std::env::var_os(variable).map(|path| PathBuf::from(path).join("stdlib"))
}

/// The files of stdlib from the directory in STDLIB_8 or STDLIB_9. Without STDLIB_9, empty files with the names of stdlib 9's
/// functions, which select the 9.x versions of the functions.
fn stdlib(section: &Section) -> Vec<(String, String)> {
    if let Some(root) = module_of(section) {
        static READ: LazyLock<Mutex<BTreeMap<PathBuf, Vec<(String, String)>>>> = LazyLock::new(Mutex::default);
        let mut read = READ.lock().unwrap();
        return read.entry(root.clone()).or_insert_with(|| files_of(&root)).clone();
    }
    if !section.topic.starts_with("stdlib9-") {
        return Vec::new();
    }
    let names = || catwalk_functions::all().map(|function| function.name);
    let metadata = r#"{"name": "puppetlabs-stdlib", "version": "9.7.0", "source": "x", "author": "x", "license": "x", "dependencies": []}"#;
    let mut files = vec![("metadata.json".to_owned(), metadata.to_owned())];
    for name in names() {
        let new = ["deprecation", "fact", "is_a", "parsepson", "validate_legacy"].contains(&name)
            || name.contains("::")
            || names().any(|other| other.strip_prefix("stdlib::") == Some(name));
        let folder = if new { "functions" } else { "parser/functions" };
        files.push((format!("lib/puppet/{folder}/{}.rb", name.replace("::", "/")), String::new()));
    }
    files
}

fn files_of(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["lib", "functions", "types"] {
        collect(root, Path::new(folder), &mut files);
    }
    files.push(("metadata.json".to_owned(), std::fs::read_to_string(root.join("metadata.json")).unwrap()));
    files
}

fn collect(root: &Path, below: &Path, files: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = std::fs::read_dir(root.join(below)).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            collect(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            files.push((path.to_str().unwrap().to_owned(), text));
        }
    }
}
