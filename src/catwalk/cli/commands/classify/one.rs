//! The classification of one node, with or without an explanation.

use std::sync::Arc;

use crate::cli::commands::classify::Arguments;
use crate::cli::commands::classify::Failure;
use crate::cli::commands::classify::Format;
use crate::cli::commands::classify::Shared;
use crate::cli::commands::classify::json;
use catwalk_classifier::NodeClassification;
use catwalk_classifier::Subject;
use catwalk_classifier::evaluate::Form;
use catwalk_classifier::evaluate::RuleExplanation;
use catwalk_node::facts;
use catwalk_node::facts::overrides;
use catwalk_session::session::Session;
use catwalk_value::value::Value;
use catwalk_value::value::json::to_json;
use catwalk_world::World;

/// Classifies a node. The exit code is 1 if its groups conflict.
pub(super) fn run(
    args: &Arguments,
    name: &str,
    session: &Session,
    groups: Shared<'_>,
    world: &dyn World,
) -> Result<(String, u8), Failure> {
    let node = subject(name, session, world)?;
    let classified = groups.classify(&node, world).map_err(Failure::Failed)?;
    let code = u8::from(classified.values.is_none());
    let explain = args.explain || args.all;
    let text = match (args.format, explain) {
        (Some(Format::Human), _) => render_human(groups, &node, &classified, explain, args.all, world)?,
        (_, true) => json(&groups.explanation(&node, &classified, args.all, world).map_err(Failure::Failed)?),
        (_, false) => match groups.classified(name, &classified) {
            Ok(document) => json(&document),
            Err(problem) => json(&problem.document()),
        },
    };
    Ok((text, code))
}

/// The data of a node that rules use. A file of facts may be the body of a request (`fact`, `trusted`); as with the classifier service, a
/// body without trusted facts has none. A node of the site has the trusted facts of a compile.
fn subject(name: &str, session: &Session, world: &dyn World) -> Result<Subject, Failure> {
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
    let node = session.subject(name).map_err(Failure::Failed)?;
    Ok(match trusted {
        Some(trusted) => Subject::new(name, node.facts(), trusted),
        None => node,
    })
}

fn render_human(
    groups: Shared<'_>,
    node: &Subject,
    classified: &NodeClassification,
    explain: bool,
    all: bool,
    world: &dyn World,
) -> Result<String, Failure> {
    let mut text = format!("{}\n", node.name());
    let mut line = |indent: usize, line: String| text.push_str(&format!("{:indent$}{line}\n", ""));
    line(2, "groups".to_owned());
    for number in &classified.matching {
        let Some(group) = groups.get(*number) else { continue };
        let leaf =
            if classified.outcome.leaves.contains(number) { "" } else { "  (a group below inherits its classes)" };
        line(2 + 2 * (group.depth + 1), format!("{}{leaf}", group.name));
        if let Some(rule) = group.rule.as_ref().filter(|_| explain) {
            let explained = rule.explain(node, world).map_err(Failure::Failed)?;
            explain_lines(&explained, 2 + 2 * (group.depth + 2) + 1, &mut line);
        }
    }
    for conflict in classified.outcome.conflict_lines(groups) {
        line(2, format!("conflict  {conflict}"));
    }
    if let Some(values) = &classified.values {
        line(2, format!("environment  {}", values.environment().unwrap_or("(the agent's)")));
        let source = |sources: &[catwalk_classifier::values::Source]| {
            let names = sources.iter().map(|source| match source {
                catwalk_classifier::values::Source::Group(number) => {
                    groups.get(*number).map_or_else(String::new, |group| group.name.to_string())
                }
                catwalk_classifier::values::Source::Node => "the node itself".to_owned(),
            });
            if explain { format!("  ({})", names.collect::<Vec<_>>().join(", ")) } else { String::new() }
        };
        for (class, sources) in &values.classes {
            line(2, format!("class  {class}{}", source(sources)));
        }
        for (key, value) in values.values.iter().filter(|(key, _)| key.to_display_string() != "environment") {
            line(2, format!("{} = {}{}", key.to_display_string(), to_json(&value.value), source(&value.sources)));
        }
    }
    if all {
        line(2, "not in".to_owned());
        for miss in groups.near_misses(node, classified, world).map_err(Failure::Failed)? {
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
    Ok(text)
}

fn explain_lines(explained: &RuleExplanation, indent: usize, line: &mut dyn FnMut(usize, String)) {
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
