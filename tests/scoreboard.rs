//! `tests/scoreboard.md`: how many recorded answers of Puppet and Ruby each area has, and every known difference with its
//! reason. The test counts them again and writes `target/scoreboard.md` when the file is outdated.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn the_scoreboard_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = scoreboard(&root.join("tests"));
    let kept = std::fs::read_to_string(root.join("tests/scoreboard.md")).unwrap_or_default();
    if now != kept {
        let fresh = root.join("target/scoreboard.md");
        std::fs::create_dir_all(root.join("target")).unwrap();
        std::fs::write(&fresh, &now).unwrap();
        panic!("tests/scoreboard.md is outdated: check {} and copy it", fresh.display());
    }
}

fn scoreboard(tests: &Path) -> String {
    let mut out = String::from(
        "# Scoreboard\n\nRecorded answers of Puppet and Ruby by area, and what is known to differ from them. All others pass; a listed one \
         that passes\nfails the test run. Kept true by `cargo test --test main scoreboard`.\n\n| area | scenarios | known differences |\n|---|---|---|\n",
    );
    let mut total = (0, 0);
    let mut differences = Vec::new();
    for folder in ["language", "programs", "generated/language", "generated/programs"] {
        let known = known(&tests.join(folder).join("known-differences.txt"));
        for (topic, count) in topics(&tests.join(folder)) {
            let differ = known.iter().filter(|(name, _)| name.starts_with(&format!("{topic}: "))).count();
            row(&mut out, &mut total, &format!("{folder}/{topic}"), count, differ);
        }
        differences.extend(known.into_iter().map(|(name, reason)| (format!("{folder}/{name}"), reason)));
    }
    row(&mut out, &mut total, "cases (nodes of small sites)", nodes(&tests.join("cases")), 0);
    row(&mut out, &mut total, "Ruby (answers of Ruby itself)", lines_of_ruby(&tests.join("ruby")), 0);
    for (area, file) in [
        ("eval (values in all formats)", "eval.json"),
        ("dependency cycles", "cycles.json"),
        ("syntax trees", "syntax/valid.json"),
        ("syntax errors and warnings", "syntax/invalid.json"),
    ] {
        let list: serde_json::Value = serde_json::from_slice(&std::fs::read(tests.join(file)).unwrap()).unwrap();
        row(&mut out, &mut total, area, list.as_array().unwrap().len(), 0);
    }
    writeln!(out, "| **all** | **{}** | **{}** |", total.0, total.1).unwrap();
    out.push_str("\n## Known differences\n\n");
    for (name, reason) in differences {
        writeln!(out, "- `{name}`: {reason}").unwrap();
    }
    out
}

fn row(out: &mut String, total: &mut (usize, usize), area: &str, count: usize, differ: usize) {
    writeln!(out, "| {area} | {count} | {differ} |").unwrap();
    *total = (total.0 + count, total.1 + differ);
}

/// Sections with code, by file.
fn topics(folder: &Path) -> BTreeMap<String, usize> {
    let mut topics = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") || path.ends_with("README.md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let with_code = |section: &&str| section.contains("```puppet");
        let count = format!("\n{text}").split("\n## ").skip(1).filter(with_code).count();
        topics.insert(path.file_stem().unwrap().to_str().unwrap().to_owned(), count);
    }
    topics
}

fn known(file: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(" -- "));
    pairs.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect()
}

fn lines_of_ruby(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    files.map(|text| text.lines().filter(|line| line.contains("  #=> ")).count()).sum()
}

fn nodes(cases: &Path) -> usize {
    let mut count = 0;
    for case in std::fs::read_dir(cases).unwrap() {
        if let Ok(nodes) = std::fs::read_dir(case.unwrap().path().join("nodes")) {
            count += nodes.count();
        }
    }
    count
}
