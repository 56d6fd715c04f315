//! The classification of one node, with or without an explanation.

use std::sync::Arc;

use crate::classification::ClassifyOptions;
use crate::classification::Failure;
use crate::classification::Format;
use crate::classification::json;
use catwalk_base::diag::Diagnostic;
use catwalk_classifier::Subject;
use catwalk_classifier::evaluate::Form;
use catwalk_classifier::evaluate::RuleExplanation;
use catwalk_classifier::group::AGENT_SPECIFIED;
use catwalk_classifier::values::CLASS_SOURCES;
use catwalk_classifier::values::entries;
use catwalk_node::documents::Classified;
use catwalk_node::documents::GroupsResult;
use catwalk_node::facts;
use catwalk_node::facts::overrides;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::World;

/// Classifies a node with the site's classifiers, or with the groups of `--groups`. The exit code is 1 if its groups conflict. Also returns
/// the messages of scripts.
pub(crate) fn run(
    args: &ClassifyOptions,
    name: &str,
    session: &Session,
    world: &dyn World,
) -> (Result<(String, u8), Failure>, Vec<Diagnostic>) {
    let node = match subject(name, session, world) {
        Ok(node) => node,
        Err(failure) => return (Err(failure), Vec::new()),
    };
    let (answer, logs) = session.classify_for_documents(&node, args.groups.as_deref(), |classified, world| {
        let explain = args.explain || args.all;
        let text = match (args.format, explain) {
            (Some(Format::Human), _) => render_human(&node, classified, (explain, args.all), world)?,
            (_, true) => json(&classified.explanation(&node, args.all, world)?),
            (_, false) => match classified.classified(node.name()) {
                Ok(document) => json(&document),
                Err(problem) => json(&problem.document()),
            },
        };
        Ok((text, u8::from(classified.has_conflicts())))
    });
    (answer.map_err(Failure::Failed), logs)
}

/// The data of a node that rules use. A file of facts may be the body of a request (`fact`, `trusted`); as with the classifier service, a
/// body without trusted facts has none. A node of the site has the trusted facts of a compile.
pub(crate) fn subject(name: &str, session: &Session, world: &dyn World) -> Result<Subject, Failure> {
    let options = &session.options;
    let trusted = match &options.trusted {
        Some(path) => Some(Arc::new(session.read_trusted(path, name, world).map_err(Failure::Usage)?)),
        None => None,
    };
    if let Some(set) = &options.fact_set {
        let facts = overrides::apply(Arc::new(facts::rename_host(set, name)), &options.fact_overrides);
        return Ok(Subject::new(name, facts, trusted.unwrap_or_default()));
    }
    if let Some(path) = &options.facts {
        let facts = facts::read(path, world).map_err(Failure::Usage)?;
        let node = Subject::from_body(name, &facts);
        let node = match options.fact_overrides.as_slice() {
            [] => node,
            fact_overrides => Subject::new(name, overrides::apply(node.facts(), fact_overrides), node.trusted()),
        };
        return Ok(match trusted {
            Some(trusted) => Subject::new(name, node.facts(), trusted),
            None => node,
        });
    }
    // Certnames of the site are in lower case.
    let node = session.subject(&name.to_lowercase()).map_err(Failure::Failed)?;
    Ok(Subject::new(name, node.facts(), trusted.unwrap_or_else(|| node.trusted())))
}

type Lines<'a> = &'a mut dyn FnMut(usize, String);

fn render_human(
    node: &Subject,
    classified: &Classified,
    (explain, all): (bool, bool),
    world: &dyn World,
) -> Result<String, Box<Diagnostic>> {
    let mut text = format!("{}\n", node.name());
    let mut line = |indent: usize, line: String| text.push_str(&format!("{:indent$}{line}\n", ""));
    line(2, "groups".to_owned());
    for result in classified.groups() {
        write_groups(result, node, explain, world, &mut line)?;
    }
    for GroupsResult { groups, classified } in classified.groups() {
        for conflict in classified.outcome.conflict_lines(groups) {
            line(2, format!("conflict  {conflict}"));
        }
    }
    if let Some(annotated) = classified.annotated() {
        write_values(&annotated, &|source| explain.then(|| source_name(classified, source)), &mut line);
    }
    if all {
        line(2, "not in".to_owned());
        for GroupsResult { groups, classified } in classified.groups() {
            for miss in groups.near_misses(node, classified, world)? {
                let name = |number: usize| groups.get(number).map_or("", |group| group.name.as_ref());
                let by = if miss.blocked_by == miss.group {
                    String::new()
                } else {
                    format!(" (of '{}')", name(miss.blocked_by))
                };
                let why = match miss.explanation.as_ref().and_then(RuleExplanation::first_failing) {
                    Some(failing) => format_condition(failing),
                    None => "it has no rule".to_owned(),
                };
                line(4, format!("{}: {why}{by}", name(miss.group)));
            }
        }
    }
    Ok(text)
}

/// The groups that a node is in, with their rules if they are explained.
fn write_groups(
    GroupsResult { groups, classified }: &GroupsResult,
    node: &Subject,
    explain: bool,
    world: &dyn World,
    line: Lines<'_>,
) -> Result<(), Box<Diagnostic>> {
    for number in &classified.matching {
        let Some(group) = groups.get(*number) else { continue };
        let leaf =
            if classified.outcome.leaves.contains(number) { "" } else { "  (a group below inherits its classes)" };
        line(2 + 2 * (group.depth + 1), format!("{}{leaf}", group.name));
        if let Some(rule) = group.rule.as_ref().filter(|_| explain) {
            let explained = rule.explain(node, world)?;
            explain_lines(&explained, 2 + 2 * (group.depth + 2) + 1, line);
        }
    }
    Ok(())
}

/// What all classifiers assign, in lines. `name` returns the name of a source, if sources are shown.
fn write_values(annotated: &Hash, name: &dyn Fn(&str) -> Option<String>, line: Lines<'_>) {
    let value = |annotated: &Value| match annotated {
        Value::Hash(annotated) => annotated.get("value").cloned().unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    let sources = |annotated: &Value, key: &str| {
        let Value::Hash(annotated) = annotated else { return String::new() };
        let Some(Value::Array(sources)) = annotated.get(key) else { return String::new() };
        let names: Vec<String> = sources.iter().filter_map(Value::as_str).filter_map(name).collect();
        if names.is_empty() { String::new() } else { format!("  ({})", names.join(", ")) }
    };
    let environment = annotated.get("environment").map(&value);
    let environment = environment.as_ref().and_then(Value::as_str).filter(|name| *name != AGENT_SPECIFIED);
    line(2, format!("environment  {}", environment.unwrap_or("(the agent's)")));
    for (class, parameters) in entries(annotated.get("classes")) {
        line(2, format!("class  {class}{}", sources(parameters, CLASS_SOURCES)));
    }
    let mut assigned = |key: String, found: &Value| {
        line(2, format!("{key} = {}{}", to_json(&value(found)), sources(found, "sources")));
    };
    for (name, found) in entries(annotated.get("variables")) {
        assigned(format!("${name}"), found);
    }
    for (class, parameters) in entries(annotated.get("classes")) {
        for (name, found) in entries(Some(parameters)).filter(|(name, _)| **name != *CLASS_SOURCES) {
            assigned(format!("{class}[{name}]"), found);
        }
    }
    for (class, parameters) in entries(annotated.get("config_data")) {
        for (name, found) in entries(Some(parameters)) {
            assigned(format!("data {class}::{name}"), found);
        }
    }
}

/// The name of a source in documents: a group's id, `node`, or the name of a classifier.
fn source_name(classified: &Classified, source: &str) -> String {
    let group = |result: &GroupsResult| {
        let group = result.groups.groups.iter().find(|group| *group.id == *source)?;
        Some(group.name.to_string())
    };
    match source {
        "node" => "the node itself".to_owned(),
        source => classified.groups().find_map(group).unwrap_or_else(|| source.to_owned()),
    }
}

fn explain_lines(explained: &RuleExplanation, indent: usize, line: Lines<'_>) {
    let mark = if explained.holds { "yes" } else { "no " };
    match &explained.form {
        Form::Connective(word, steps) => {
            line(indent, format!("{mark} {word}"));
            steps.iter().for_each(|step| explain_lines(step, indent + 4, line));
        }
        Form::Script(place, Some(step)) => {
            line(indent, format!("{mark} {place}"));
            explain_lines(step, indent + 4, line);
        }
        _ => line(indent, format!("{mark} {}", format_condition(explained))),
    }
}

/// A condition in one line: `fact.os.family = Debian, found "RedHat"`.
fn format_condition(explained: &RuleExplanation) -> String {
    match &explained.form {
        Form::Connective(word, steps) => {
            let join = format!(" {word} ");
            let steps: Vec<String> = steps.iter().map(format_condition).collect();
            if *word == "not" { format!("not ({})", steps.concat()) } else { steps.join(&join) }
        }
        Form::Script(place, None) => format!("the rule at {place} says {}", if explained.holds { "yes" } else { "no" }),
        Form::Script(_, Some(step)) => format_condition(step),
        Form::Test(test, found) => {
            let found = found.as_ref().map_or("nothing".to_owned(), |value: &Value| to_json(value).to_string());
            format!("{} {} {}, found {found}", test.path, test.operator.as_str(), test.literal)
        }
    }
}
