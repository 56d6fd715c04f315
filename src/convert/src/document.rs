//! Writes cases as a test file, with comments for examples that cannot be converted.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value as Json;

use crate::cases::Case;
use crate::cases::CaseKeys;
use crate::conversion::Spec;
use crate::conversion::Unconverted;
use crate::evaluate::HOST;
use crate::expectations::Expectations;
use crate::yaml;
use catwalk_snapshot::case::file_name;
use catwalk_snapshot::facts::FactSet;

/// The contents of the test file.
pub(super) fn write(
    spec: &Spec<'_>,
    systems: &[&FactSet],
    mut cases: Vec<Case>,
    unconverted: &[Unconverted],
) -> String {
    let mut text = format!("# Converted from {} by `catwalk convert rspec`.\nsnapshot: false\n", comment(spec.path));
    // Keys that all cases have in common are written once.
    let shared: CaseKeys = match cases.first() {
        Some(first) => {
            let is_shared = |part: &(&'static str, String)| cases.iter().all(|case| case.keys.contains(part));
            let shareable = ["class", "define"];
            first.keys.iter().filter(|part| shareable.contains(&part.0) && is_shared(part)).cloned().collect()
        }
        None => Vec::new(),
    };
    shared.iter().for_each(|(key, value)| text.push_str(&format!("{key}: {value}\n")));
    for case in &mut cases {
        case.keys.retain(|part| !shared.contains(part));
    }
    if cases.iter().any(|case| case.sets.contains(&None)) {
        // Facts that rspec-puppet adds to every node.
        let host = if spec.text.contains(HOST) { HOST } else { "test.example.com" };
        let (name, domain) = host.split_once('.').unwrap_or((host, ""));
        let names = format!("hostname: {name}, domain: {domain}, fqdn: {host}");
        text.push_str(&format!("facts: {{{names}, networking: {{{names}}}}}\n"));
    }
    text.push_str("cases:\n");
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        let name = if case.name.is_empty() { "defaults".to_owned() } else { case.name.clone() };
        // File names are derived from names of cases.
        let name: String = name.chars().take(120).collect();
        let count = names.entry(file_name(&name).to_lowercase()).or_default();
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name} ({count})") };
        text.push_str(&format!("  {}:\n", yaml::key(&name)));
        if let Some(sets) = sets(&case.sets, systems) {
            text.push_str(&format!("    fact_sets: {sets}\n"));
        }
        case.keys.iter().for_each(|(key, value)| text.push_str(&format!("    {key}: {value}\n")));
        text.push_str(&expectations(&case.expect));
    }
    if !unconverted.is_empty() {
        text.push_str("\n# Not carried over:\n");
        let source: Vec<&str> = spec.text.lines().collect();
        for example in unconverted {
            let line = source.get(example.line.saturating_sub(1) as usize).map_or("", |line| line.trim());
            let (path, reason, line) = (comment(spec.path), comment(&example.reason), comment(line));
            text.push_str(&format!("# {path}:{}: {reason}\n#   {line}\n", example.line));
        }
    }
    text
}

/// Text for a YAML comment: control characters, such as newlines, become spaces.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The value of `fact_sets`: names, or `metadata` for all systems.
fn sets(sets: &[Option<String>], systems: &[&FactSet]) -> Option<String> {
    let names: Vec<&str> = sets.iter().flatten().map(String::as_str).collect();
    if names.is_empty() {
        return None;
    }
    let is_all = systems.len() == names.len() && systems.iter().all(|set| names.contains(&&*set.name));
    if is_all && systems.len() > 1 {
        return Some("metadata".to_owned());
    }
    let short: Vec<&str> = names.iter().map(|name| name.strip_suffix("-x86_64").unwrap_or(name)).collect();
    Some(if let [one] = short.as_slice() { (*one).to_owned() } else { format!("[{}]", short.join(", ")) })
}

/// An item of `contains` or `lacks`.
fn resource((reference, parameters): &(String, Map<String, Json>)) -> String {
    match parameters.is_empty() {
        true => format!("        - {}\n", yaml::key(reference)),
        false => {
            let parameters = yaml::flow(&Json::Object(parameters.clone()));
            format!("        - {}: {parameters}\n", yaml::key(reference))
        }
    }
}

fn expectations(expect: &Expectations) -> String {
    let Expectations { fails, contains, lacks, count, order } = expect;
    let mut text = "    expect:\n".to_owned();
    if let Some(fails) = fails {
        text.push_str(&format!("      fails: {}\n", yaml::flow(fails)));
        return text;
    }
    text.push_str("      compiles: true\n");
    if !contains.is_empty() {
        text.push_str("      contains:\n");
    }
    contains.iter().for_each(|one| text.push_str(&resource(one)));
    if !lacks.is_empty() {
        text.push_str("      lacks:\n");
    }
    lacks.iter().for_each(|one| text.push_str(&resource(one)));
    if !count.is_empty() {
        let count: Vec<String> = count.iter().map(|(name, number)| format!("{}: {number}", yaml::key(name))).collect();
        text.push_str(&format!("      count: {{{}}}\n", count.join(", ")));
    }
    if !order.is_empty() {
        text.push_str("      order:\n");
    }
    for (first, then) in order {
        text.push_str(&format!("        - [{}, {}]\n", yaml::key(first), yaml::key(then)));
    }
    text
}
