//! Groups examples to cases of a test file: examples with the same subject and parameters become one case, for all systems with the same
//! expectations.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;

use crate::conversion::Converted;
use crate::conversion::Spec;
use crate::conversion::SubjectKind;
use crate::conversion::Unconverted;
use crate::document;
use crate::evaluate::EvaluatedSpec;
use crate::evaluate::Example;
use crate::expectations::Expectations;
use crate::expectations::is_plain;
use crate::expectations::puppet;
use crate::lines::SpecLines;
use crate::yaml;
use catwalk_snapshot::facts::FactSet;

/// The key with the name of the fact set in the facts of a system.
const SET: &str = "_set";

/// Keys of a case with their values, in order, except its fact set.
pub(super) type CaseKeys = Vec<(&'static str, String)>;

/// A converted example.
struct ConvertedExample {
    name: String,
    set: Option<String>,
    keys: CaseKeys,
    expect: Expectations,
    /// A string that identifies the example.
    id: String,
}

/// Converts the examples of a spec to a test file.
pub(super) fn convert_examples(
    spec: &Spec<'_>,
    lines: &SpecLines,
    systems: &[&FactSet],
    evaluated: EvaluatedSpec,
) -> Converted {
    let mut converted: Vec<ConvertedExample> = Vec::new();
    let mut unconverted: Vec<Unconverted> = Vec::new();
    let mut all: BTreeSet<String> = BTreeSet::new();
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let mut runs: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for example in &evaluated.examples {
        let set = example.facts.as_ref().and_then(|facts| facts.get(SET)).and_then(Json::as_str).map(str::to_owned);
        let name = name(example, systems);
        // Examples in loops have the same line and name, so the runs are counted.
        let key = format!("{}|{name}|{}", example.line, example.description.as_deref().unwrap_or_default());
        let run = runs.entry((key.clone(), set.clone())).or_default();
        *run += 1;
        let key = format!("{key}|{run}");
        all.insert(key.clone());
        let result = match &example.reason {
            Some(reason) => Err(reason.clone()),
            None => {
                case_keys(example, spec, &evaluated).and_then(|keys| Ok((keys, Expectations::read(&example.expect)?)))
            }
        };
        match result {
            Ok((keys, expect)) => converted.push(ConvertedExample { name, set, keys, expect, id: key }),
            Err(reason) => {
                failed.insert(key);
                unconverted.push(Unconverted { line: example.line, reason });
            }
        }
    }
    let evaluated_lines: BTreeSet<u32> = evaluated.examples.iter().map(|example| example.line).collect();
    for (line, why) in &evaluated.left_out {
        let part = lines.parts.iter().find(|part| part.line == *line);
        let inside: Vec<u32> = part.map(|part| lines.examples_in(*part).collect()).unwrap_or_default();
        for inner in inside.iter().filter(|line| !evaluated_lines.contains(line)) {
            let key = inner.to_string();
            if all.insert(key.clone()) {
                failed.insert(key);
                unconverted.push(Unconverted { line: *inner, reason: why.clone() });
            }
        }
        if part.is_none() {
            unconverted.push(Unconverted { line: *line, reason: why.clone() });
        }
    }
    unconverted.sort_by(|a, b| (a.line, &a.reason).cmp(&(b.line, &b.reason)));
    unconverted.dedup();
    let text = if converted.is_empty() {
        String::new()
    } else {
        document::write(spec, systems, cases(&converted, spec.each), &unconverted)
    };
    let cut = evaluated.cut.into_iter().collect();
    Converted { text, examples: all.len(), converted: all.difference(&failed).count(), unconverted, cut }
}

/// The name of the case: the descriptions of the groups around the example, without the operating system.
fn name(example: &Example, systems: &[&FactSet]) -> String {
    let parts = example.path.iter().map(|part| {
        let set = systems.iter().find(|set| part.contains(&*set.name));
        let without_versions = without_versions(part, example);
        set.map_or_else(|| without_versions.trim().to_owned(), |set| without_system(&without_versions, &set.name))
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Whether a word leads to the name of a system or version.
fn is_leading(word: &str) -> bool {
    ["on", "with", "and", "for", "when", "under", "running", "os"].contains(&word.to_lowercase().as_str())
}

/// Removes the versions of Facter and Puppet from a description, which are those of the fact set: `on debian-12-x86_64 with Facter 4.10.0
/// and Puppet 7.34.0` becomes `on debian-12-x86_64`.
fn without_versions(description: &str, example: &Example) -> String {
    let version = |name: &str| example.facts.as_ref().and_then(|facts| facts.get(name)).and_then(Json::as_str);
    let versions = [("facter", version("facterversion")), ("puppet", version("puppetversion"))];
    let mut words: Vec<&str> = Vec::new();
    for word in description.split(' ') {
        let program = words.last().map(|program| program.to_lowercase()).unwrap_or_default();
        let is_version = versions.iter().any(|(name, version)| *name == program && *version == Some(word));
        if is_version {
            words.pop();
            words.pop_if(|word| is_leading(word));
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

/// Removes the name of a fact set from a description, with the words that lead to it: `works on debian-12-x86_64 with TLS` becomes
/// `works with TLS`.
fn without_system(description: &str, set: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (at, section) in description.split(set).enumerate() {
        if at > 0 {
            while words.last().is_some_and(|word| is_leading(word)) {
                words.pop();
            }
        }
        words.extend(section.split_whitespace());
    }
    words.join(" ")
}

fn is_empty(value: &Option<Json>) -> bool {
    match value {
        None | Some(Json::Null) => true,
        Some(Json::Object(members)) => members.is_empty(),
        Some(Json::Array(items)) => items.is_empty(),
        Some(Json::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    }
}

/// The kind of the example's subject: `type:` of its group, or else that of the spec.
fn kind(example: &Example, spec: &Spec<'_>) -> Result<SubjectKind, String> {
    match example.kind.as_str() {
        "" => Ok(spec.kind),
        "class" => Ok(SubjectKind::Class),
        "define" => Ok(SubjectKind::Define),
        "host" => Ok(SubjectKind::Host),
        other => Err(format!("examples of type {other} have no catalog")),
    }
}

fn title(example: &Example) -> String {
    match &example.title {
        Some(Json::String(title)) => title.clone(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// The keys of the example's case: its subject, parameters and environment.
fn case_keys(example: &Example, spec: &Spec<'_>, evaluated: &EvaluatedSpec) -> Result<CaseKeys, String> {
    if !is_empty(&example.hiera_config) {
        return Err(
            "hiera_config; the data of a case is its key `data`, `catwalk test --hiera FILE` names a file".to_owned()
        );
    }
    let subject = example.subject.clone().ok_or("the outermost group describes no class, defined type or node")?;
    let subject = subject.to_lowercase();
    let kind = kind(example, spec)?;
    let mut keys: CaseKeys = Vec::new();
    let before = joined_code(&example.pre_condition);
    let after = joined_code(&example.post_condition);
    let parameters = match &example.params {
        Some(Json::Object(parameters)) => parameters.clone(),
        _ => Map::new(),
    };
    let title = title(example);
    let is_undef = |value: &Json| value.get("_undef").is_some();
    let plain = parameters.values().all(|value| is_undef(value) || is_plain(value)) && after.is_empty();
    match kind {
        SubjectKind::Host => keys.push(("code", yaml::string(""))),
        SubjectKind::Class | SubjectKind::Define if !plain => {
            keys.push(("code", yaml::block(&code(kind, &subject, &title, &parameters, &after), 6)));
        }
        SubjectKind::Class => keys.push(("class", yaml::string(&subject))),
        SubjectKind::Define => {
            keys.push(("define", yaml::string(&subject)));
            keys.push(("title", yaml::string(&title)));
        }
    }
    if !before.is_empty() {
        keys.push(("before", yaml::block(&before, 6)));
    }
    if plain && !parameters.is_empty() {
        let undef_to_null = |value: &Json| if is_undef(value) { Json::Null } else { value.clone() };
        let parameters = parameters.iter().map(|(name, value)| (name.clone(), undef_to_null(value))).collect();
        keys.push(("parameters", yaml::flow(&Json::Object(parameters))));
    }
    add_context(example, evaluated, &mut keys)?;
    match (&example.node, kind) {
        (Some(Json::String(node)), _) => keys.push(("node", yaml::string(node))),
        (_, SubjectKind::Host) => keys.push(("node", yaml::string(&subject))),
        _ => {}
    }
    Ok(keys)
}

/// Adds facts, trusted facts, variables and data.
fn add_context(example: &Example, evaluated: &EvaluatedSpec, keys: &mut CaseKeys) -> Result<(), String> {
    let facts = facts(example, evaluated)?;
    if !facts.is_empty() {
        keys.push(("facts", yaml::flow(&Json::Object(facts))));
    }
    for (key, value) in
        [("trusted", &example.trusted_facts), ("variables", &example.node_params), ("data", &example.hiera_data)]
    {
        if let Some(value) = value.as_ref().filter(|value| value.as_object().is_some_and(|members| !members.is_empty()))
        {
            let value = if key == "trusted" { serde_json::json!({"extensions": value}) } else { value.clone() };
            keys.push((key, yaml::flow(&value)));
        }
    }
    Ok(())
}

/// The code before or after the class, which is one string or several.
fn joined_code(code: &Option<Json>) -> String {
    match code {
        Some(Json::String(text)) => unindented(text),
        Some(Json::Array(items)) => {
            let texts = items.iter().filter_map(Json::as_str).map(unindented);
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Removes empty lines at the start and end, and common indentation.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// The declaration in Puppet code, which is used if parameters cannot be written in YAML.
fn code(kind: SubjectKind, subject: &str, title: &str, parameters: &Map<String, Json>, after: &str) -> String {
    let mut text = match kind {
        SubjectKind::Define => format!("{subject} {{ {}:\n", catwalk_value::puppet_quote(title)),
        _ if parameters.is_empty() => format!("include {subject}\n"),
        _ => format!("class {{ '{subject}':\n"),
    };
    if !text.starts_with("include ") {
        for (name, value) in parameters {
            text.push_str(&format!("  {name} => {},\n", puppet(value)));
        }
        text.push_str("}\n");
    }
    text.push_str(after);
    text
}

/// The facts that differ from those of the system, by dotted name; all facts if the example has no system.
fn facts(example: &Example, evaluated: &EvaluatedSpec) -> Result<Map<String, Json>, String> {
    let example_facts = match &example.facts {
        Some(Json::Object(example_facts)) => example_facts.clone(),
        _ => Map::new(),
    };
    if !example_facts.values().all(is_plain) {
        return Err("a fact that is not a plain value".to_owned());
    }
    let base = example_facts.get(SET).and_then(Json::as_str).and_then(|set| evaluated.systems.get(set));
    let mut changed = Map::new();
    let empty = Map::new();
    let base = base.and_then(Json::as_object).unwrap_or(&empty);
    let mut example_facts: Map<String, Json> = example_facts.into_iter().filter(|(name, _)| name != SET).collect();
    restore_names(base, &mut example_facts);
    for (name, value) in &example_facts {
        differences(&name.to_lowercase(), value, base.get(name), &mut changed);
    }
    for name in base.keys().filter(|name| !example_facts.contains_key(*name)) {
        changed.insert(name.to_lowercase(), Json::Null);
    }
    Ok(changed)
}

/// Restores the facts that rspec-puppet adds to every node if an example removes them: its names, also below `networking`
/// (RSpec::Puppet::Support#facts_hash).
fn restore_names(base: &Map<String, Json>, example_facts: &mut Map<String, Json>) {
    fn restore(names: &[&str], base: &Map<String, Json>, facts: &mut Map<String, Json>) {
        for name in names {
            if let (Some(value), false) = (base.get(*name), facts.contains_key(*name)) {
                facts.insert((*name).to_owned(), value.clone());
            }
        }
    }
    restore(&["hostname", "fqdn", "domain", "clientcert"], base, example_facts);
    let Some(Json::Object(networking)) = base.get("networking") else { return };
    let of_example = example_facts.entry("networking").or_insert_with(|| Json::Object(Map::new()));
    if let Json::Object(of_example) = of_example {
        restore(&["hostname", "fqdn", "domain"], networking, of_example);
    }
}

/// Collects the parts of a fact that differ from `before`; parts that are missing become null.
fn differences(name: &str, value: &Json, before: Option<&Json>, changed: &mut Map<String, Json>) {
    match (value, before) {
        (value, Some(before)) if value == before => {}
        (Json::Object(members), Some(Json::Object(before))) if !members.is_empty() => {
            let removed = before.keys().filter(|inner| !members.contains_key(*inner));
            let keys: Vec<&String> = members.keys().chain(removed).collect();
            // A dot separates the keys of nested facts.
            if keys.iter().any(|inner| inner.contains('.')) {
                let removed = keys.into_iter().filter(|inner| !members.contains_key(*inner));
                let removed = removed.map(|inner| (inner.clone(), Json::Null));
                let members = members.iter().map(|(inner, value)| (inner.clone(), value.clone()));
                changed.insert(name.to_owned(), Json::Object(members.chain(removed).collect()));
                return;
            }
            for inner in keys {
                let value = members.get(inner).unwrap_or(&Json::Null);
                differences(&format!("{name}.{inner}"), value, before.get(inner), changed);
            }
        }
        (value, _) => {
            changed.insert(name.to_owned(), value.clone());
        }
    }
}

/// A case for several systems.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) keys: CaseKeys,
    pub(super) sets: Vec<Option<String>>,
    pub(super) expect: Expectations,
}

/// Merges examples with the same keys, then systems with the same expectations. `each`: do not merge examples.
fn cases(examples: &[ConvertedExample], each: bool) -> Vec<Case> {
    type Key = (String, CaseKeys, String);
    let mut contexts: IndexMap<Key, IndexMap<Option<String>, Expectations>> = IndexMap::new();
    for example in examples {
        // A case that must fail cannot have other expectations.
        let fails = example.expect.fails.as_ref().map(Json::to_string).unwrap_or_default();
        let id = match (each, fails.is_empty()) {
            (true, _) => example.id.clone(),
            (false, false) => fails,
            (false, true) => String::new(),
        };
        let sets = contexts.entry((example.name.clone(), example.keys.clone(), id)).or_default();
        match sets.get_mut(&example.set) {
            Some(expect) => expect.add(&example.expect),
            None => drop(sets.insert(example.set.clone(), example.expect.clone())),
        }
    }
    let mut cases: Vec<Case> = Vec::new();
    for ((name, keys, _), sets) in contexts {
        let first = cases.len();
        for (set, expect) in sets {
            let same = cases.iter_mut().skip(first).find(|case| case.expect == expect);
            match same {
                Some(case) => case.sets.push(set),
                None => cases.push(Case { name: name.clone(), keys: keys.clone(), sets: vec![set], expect }),
            }
        }
    }
    cases
}
