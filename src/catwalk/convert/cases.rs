//! Converts examples to cases of a test file: examples that compile the same become one case, over all systems with the same
//! expectations.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;

use crate::convert::Converted;
use crate::convert::NotCarried;
use crate::convert::Spec;
use crate::convert::SubjectKind;
use crate::convert::document;
use crate::convert::evaluate::Evaluated;
use crate::convert::evaluate::Example;
use crate::convert::expectations::Expectations;
use crate::convert::expectations::is_plain;
use crate::convert::expectations::puppet;
use crate::convert::lines::SpecLines;
use crate::convert::yaml;
use catwalk_snapshot::facts::FactSet;

/// The key in the facts of a system that names its set.
const SET: &str = "_set";

/// Keys of a case with their values, in order, except its fact set.
pub(super) type CaseKeys = Vec<(&'static str, String)>;

/// An example that can be converted.
struct Carried {
    name: String,
    set: Option<String>,
    given: CaseKeys,
    expect: Expectations,
    /// The string that distinguishes examples of a case.
    own: String,
}

/// The examples of a spec as a test file.
pub(super) fn converted(spec: &Spec<'_>, lines: &SpecLines, systems: &[&FactSet], evaluated: Evaluated) -> Converted {
    let mut carried: Vec<Carried> = Vec::new();
    let mut not_carried: Vec<NotCarried> = Vec::new();
    let mut all: BTreeSet<String> = BTreeSet::new();
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let mut runs: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for example in &evaluated.examples {
        let set = example.facts.as_ref().and_then(|facts| facts.get(SET)).and_then(Json::as_str).map(str::to_owned);
        let name = name(example, systems);
        // Examples in loops have the same line and name.
        let key = format!("{}|{name}|{}", example.line, example.description.as_deref().unwrap_or_default());
        let run = runs.entry((key.clone(), set.clone())).or_default();
        *run += 1;
        let key = format!("{key}|{run}");
        all.insert(key.clone());
        let result = match &example.reason {
            Some(reason) => Err(reason.clone()),
            None => {
                given(example, spec, &evaluated).and_then(|given| Ok((given, Expectations::read(&example.expect)?)))
            }
        };
        match result {
            Ok((given, expect)) => carried.push(Carried { name, set, given, expect, own: key }),
            Err(reason) => {
                failed.insert(key);
                not_carried.push(NotCarried { line: example.line, reason });
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
                not_carried.push(NotCarried { line: *inner, reason: why.clone() });
            }
        }
        if part.is_none() {
            not_carried.push(NotCarried { line: *line, reason: why.clone() });
        }
    }
    not_carried.sort_by(|a, b| (a.line, &a.reason).cmp(&(b.line, &b.reason)));
    not_carried.dedup();
    let text = if carried.is_empty() {
        String::new()
    } else {
        document::of(spec, systems, grouped(&carried, spec.each), &not_carried)
    };
    Converted { text, examples: all.len(), carried: all.difference(&failed).count(), not_carried }
}

/// The name of the case: the groups around the example, without the operating system.
fn name(example: &Example, systems: &[&FactSet]) -> String {
    let mut parts = Vec::new();
    for part in &example.path {
        let mut part = part.clone();
        for set in systems {
            if part.contains(&*set.name) {
                part = part.replace(&*set.name, "");
                let rest = part.trim();
                let empty = ["on", "with", "for", "when on", "under", "running on", "on os", "os"];
                part = if empty.contains(&rest.to_lowercase().as_str()) { String::new() } else { rest.to_owned() };
                break;
            }
        }
        if !part.trim().is_empty() {
            parts.push(part.trim().to_owned());
        }
    }
    parts.join(", ")
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

/// The kind of the example's subject: `type:` of its group, otherwise by the folder of the spec.
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

/// The subject of the example, as keys of a test file.
fn given(example: &Example, spec: &Spec<'_>, evaluated: &Evaluated) -> Result<CaseKeys, String> {
    if !is_empty(&example.hiera_config) {
        return Err(
            "hiera_config; the data of a case is its key `data`, `catwalk test --hiera FILE` names a file".to_owned()
        );
    }
    let subject = example.subject.clone().ok_or("the outermost group describes no class, defined type or node")?;
    let subject = subject.to_lowercase();
    let kind = kind(example, spec)?;
    let mut given: CaseKeys = Vec::new();
    let before = joined(&example.pre_condition);
    let after = joined(&example.post_condition);
    let parameters = match &example.params {
        Some(Json::Object(parameters)) => parameters.clone(),
        _ => Map::new(),
    };
    let title = title(example);
    let top_undef = |value: &Json| value.get("_undef").is_some();
    let plain = parameters.values().all(|value| top_undef(value) || is_plain(value)) && after.is_empty();
    match kind {
        SubjectKind::Host => given.push(("code", yaml::string(""))),
        SubjectKind::Class | SubjectKind::Define if !plain => {
            given.push(("code", yaml::block(&code(kind, &subject, &title, &parameters, &after), 6)));
        }
        SubjectKind::Class => given.push(("class", yaml::string(&subject))),
        SubjectKind::Define => {
            given.push(("define", yaml::string(&subject)));
            given.push(("title", yaml::string(&title)));
        }
    }
    if !before.is_empty() {
        given.push(("before", yaml::block(&before, 6)));
    }
    if plain && !parameters.is_empty() {
        let undef = |value: &Json| if top_undef(value) { Json::Null } else { value.clone() };
        let parameters = parameters.iter().map(|(name, value)| (name.clone(), undef(value))).collect();
        given.push(("parameters", yaml::flow(&Json::Object(parameters))));
    }
    surroundings(example, evaluated, &mut given)?;
    match (&example.node, kind) {
        (Some(Json::String(node)), _) => given.push(("node", yaml::string(node))),
        (_, SubjectKind::Host) => given.push(("node", yaml::string(&subject))),
        _ => {}
    }
    Ok(given)
}

/// Facts, trusted facts, variables and data.
fn surroundings(example: &Example, evaluated: &Evaluated, given: &mut CaseKeys) -> Result<(), String> {
    let facts = facts(example, evaluated)?;
    if !facts.is_empty() {
        given.push(("facts", yaml::flow(&Json::Object(facts))));
    }
    for (key, value) in
        [("trusted", &example.trusted_facts), ("variables", &example.node_params), ("data", &example.hiera_data)]
    {
        if let Some(value) = value.as_ref().filter(|value| value.as_object().is_some_and(|members| !members.is_empty()))
        {
            let value = if key == "trusted" { serde_json::json!({"extensions": value}) } else { value.clone() };
            given.push((key, yaml::flow(&value)));
        }
    }
    Ok(())
}

/// Code before or after the class: one string or several.
fn joined(code: &Option<Json>) -> String {
    match code {
        Some(Json::String(text)) => unindented(text),
        Some(Json::Array(items)) => {
            let texts = items.iter().filter_map(Json::as_str).map(unindented);
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A string without surrounding empty lines and common indentation.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// The declaration in Puppet code, for parameters that cannot be written in YAML.
fn code(kind: SubjectKind, subject: &str, title: &str, parameters: &Map<String, Json>, after: &str) -> String {
    let mut text = match kind {
        SubjectKind::Define => format!("{subject} {{ {}:\n", catwalk_value::value::puppet_quote(title)),
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

/// The facts that differ from those of the system, by dotted name; all facts without a system.
fn facts(example: &Example, evaluated: &Evaluated) -> Result<Map<String, Json>, String> {
    let own = match &example.facts {
        Some(Json::Object(own)) => own.clone(),
        _ => Map::new(),
    };
    if !own.values().all(is_plain) {
        return Err("a fact that is no plain value".to_owned());
    }
    let base = own.get(SET).and_then(Json::as_str).and_then(|set| evaluated.systems.get(set));
    let mut found = Map::new();
    let empty = Json::Object(Map::new());
    let own: Map<String, Json> = own.into_iter().filter(|(name, _)| name != SET).collect();
    for (name, value) in own {
        differences(&name.to_lowercase(), &value, base.unwrap_or(&empty).get(&name), &mut found);
    }
    Ok(found)
}

fn differences(name: &str, value: &Json, before: Option<&Json>, found: &mut Map<String, Json>) {
    match (value, before) {
        (value, Some(before)) if value == before => {}
        (Json::Object(members), Some(Json::Object(before))) if !members.is_empty() => {
            for (inner, value) in members {
                let is_simple = !inner.contains('.');
                match is_simple {
                    true => differences(&format!("{name}.{inner}"), value, before.get(inner), found),
                    false => {
                        found.insert(name.to_owned(), Json::Object(members.clone()));
                        return;
                    }
                }
            }
        }
        (value, _) => {
            found.insert(name.to_owned(), value.clone());
        }
    }
}

/// A case over several systems.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) given: CaseKeys,
    pub(super) sets: Vec<Option<String>>,
    pub(super) expect: Expectations,
}

/// Examples that compile the same as one; then systems that expect the same as one.
fn grouped(carried: &[Carried], each: bool) -> Vec<Case> {
    type Key = (String, CaseKeys, String);
    let mut contexts: IndexMap<Key, IndexMap<Option<String>, Expectations>> = IndexMap::new();
    for one in carried {
        // What must fail has no catalog to expect anything else of.
        let fails = one.expect.fails.as_ref().map(Json::to_string).unwrap_or_default();
        let own = match (each, fails.is_empty()) {
            (true, _) => one.own.clone(),
            (false, false) => fails,
            (false, true) => String::new(),
        };
        let sets = contexts.entry((one.name.clone(), one.given.clone(), own)).or_default();
        match sets.get_mut(&one.set) {
            Some(known) => known.add(&one.expect),
            None => drop(sets.insert(one.set.clone(), one.expect.clone())),
        }
    }
    let mut cases: Vec<Case> = Vec::new();
    for ((name, given, _), sets) in contexts {
        let first = cases.len();
        for (set, expect) in sets {
            let same = cases.iter_mut().skip(first).find(|case| case.expect == expect);
            match same {
                Some(case) => case.sets.push(set),
                None => cases.push(Case { name: name.clone(), given: given.clone(), sets: vec![set], expect }),
            }
        }
    }
    cases
}
