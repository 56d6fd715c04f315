//! Evaluates a spec to its examples as data.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value as Json;

use crate::conversion::Spec;
use crate::lines::SpecLines;
use catwalk_base::diag::Code;
use catwalk_eval::Settings;
use catwalk_node::facts::rename_host;
use catwalk_session::probe;
use catwalk_session::probe::Setup;
use catwalk_snapshot::facts::FactSet;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_value::json::to_json;
use catwalk_world::World;

/// The RSpec functions that specs call, in Ruby.
const RSPEC: &str = include_str!("rspec.rb");
/// An offset that is added to lines of the spec, so that they differ from those of `rspec.rb`.
const LINE_OFFSET: u32 = 100_000;
/// How often a part of a spec may fail; each repetition skips what failed before.
const MAX_ATTEMPTS: usize = 60;
/// Examples that one run of the interpreter evaluates: a limit ends few of them, and the progress of a long spec is visible.
const EXAMPLES_AT_ONCE: usize = 500;
/// The name of the node in facterdb's facts, which specs may rely on.
pub(super) const HOST: &str = "foo.example.com";

/// The facts of every example, from `spec/default_facts.yml` and `spec/default_module_facts.yml`.
#[derive(Clone, Debug, Default)]
pub struct SpecFacts(Map<String, Json>);

impl SpecFacts {
    /// Reads the facts from a folder `spec`.
    #[must_use]
    pub fn read(spec: &Path, world: &dyn World) -> SpecFacts {
        let mut facts = Map::new();
        for name in ["default_facts.yml", "default_module_facts.yml"] {
            let Ok(bytes) = world.read(&spec.join(name)) else { continue };
            if let Ok(document @ Value::Hash(_)) = yaml::parse(&bytes)
                && let Json::Object(members) = to_json(&document)
            {
                facts.extend(members);
            }
        }
        SpecFacts(facts)
    }

    /// The facts by name.
    pub(super) fn members(&self) -> &Map<String, Json> {
        &self.0
    }
}

/// The result of evaluating an example once.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Example {
    /// The line, from 1.
    pub(super) line: u32,
    /// The descriptions of the groups around it.
    pub(super) path: Vec<String>,
    pub(super) description: Option<String>,
    /// The subject, which the outermost group describes.
    pub(super) subject: Option<String>,
    /// `type:` of the group, or empty.
    pub(super) kind: String,
    /// Why it cannot be converted.
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) expect: Vec<Json>,
    pub(super) params: Option<Json>,
    pub(super) title: Option<Json>,
    pub(super) node: Option<Json>,
    pub(super) facts: Option<Json>,
    pub(super) trusted_facts: Option<Json>,
    pub(super) node_params: Option<Json>,
    pub(super) pre_condition: Option<Json>,
    pub(super) post_condition: Option<Json>,
    pub(super) hiera_config: Option<Json>,
    pub(super) hiera_data: Option<Json>,
}

/// The result of evaluating a spec.
#[derive(Debug, Default)]
pub(super) struct EvaluatedSpec {
    pub(super) examples: Vec<Example>,
    /// Why examples and groups were skipped, by line.
    pub(super) left_out: BTreeMap<u32, String>,
    /// The lines of examples and groups that were skipped because they reached the limit on steps.
    pub(super) cut: BTreeSet<u32>,
    /// The facts of each system, merged with those of every example.
    pub(super) systems: Map<String, Json>,
}

/// The facts of a set, merged with `default_facts`. If the spec uses the name of the node in facterdb, the node has this name.
fn merge_facts(set: &FactSet, spec: &Spec<'_>, default_facts: &SpecFacts) -> Json {
    let facts = if spec.text.contains(HOST) { rename_host(&set.facts, HOST) } else { set.facts.as_ref().clone() };
    let mut facts = match to_json(&Value::hash(facts)) {
        Json::Object(facts) => facts,
        _ => Map::new(),
    };
    for (name, value) in default_facts.members() {
        // Facts of the set take precedence.
        facts.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Json::Object(facts)
}

/// The evaluation of one spec: its source, prepared for the interpreter.
struct Evaluation<'a> {
    lines: &'a SpecLines,
    helper: Option<&'a str>,
    /// The facts of each system, as JSON.
    systems: String,
    /// The most steps of one run of the interpreter.
    steps: u64,
}

/// The result of one run of the interpreter.
#[derive(Deserialize)]
struct Run {
    /// The number of examples in the spec, of which a run evaluates a part.
    total: usize,
    examples: Vec<Example>,
}

/// Evaluates a spec, a limited number of examples at once. If a part fails, evaluates these examples again without it. `progress` gets
/// the number of evaluated examples and that of all.
pub(super) fn evaluate_examples(
    spec: &Spec<'_>,
    lines: &SpecLines,
    systems: &[&FactSet],
    default_facts: &SpecFacts,
    progress: &mut dyn FnMut(usize, usize),
) -> EvaluatedSpec {
    let set_facts = systems.iter().map(|set| {
        let short = set.name.to_string();
        (short, merge_facts(set, spec, default_facts))
    });
    let systems: Map<String, Json> = set_facts.collect();
    let mut evaluated = EvaluatedSpec { systems, ..EvaluatedSpec::default() };
    if let Some((line, why)) = &lines.failure {
        evaluated.left_out.insert(*line, why.clone());
        return evaluated;
    }
    let systems = Json::Object(evaluated.systems.clone()).to_string();
    let mut evaluation = Evaluation { lines, helper: spec.helper, systems, steps: spec.steps };
    let mut attempts = 0;
    let mut from = 0;
    while attempts < MAX_ATTEMPTS {
        match evaluation.run(&evaluated.left_out, from) {
            Ok(run) => {
                from += run.examples.len();
                let is_last = run.examples.is_empty() || from >= run.total;
                evaluated.examples.extend(run.examples);
                progress(from, run.total);
                if is_last {
                    return evaluated;
                }
            }
            Err(failure) if failure.line.is_none() && evaluation.helper.is_some() => evaluation.helper = None,
            Err(failure) => {
                attempts += 1;
                let part = failure.line.and_then(|line| lines.innermost(line)).or_else(|| lines.parts.first().copied());
                let Some(part) = part else { break };
                if failure.is_limit {
                    evaluated.cut.insert(part.line);
                }
                if evaluated.left_out.insert(part.line, failure.message).is_some() {
                    break;
                }
            }
        }
    }
    evaluated
}

/// Why an evaluation failed.
struct Failure {
    /// The line in the spec, if known.
    line: Option<u32>,
    message: String,
    /// Whether it reached the limit on steps.
    is_limit: bool,
}

impl Failure {
    fn without_line(message: String) -> Failure {
        Failure { line: None, message, is_limit: false }
    }
}

impl Evaluation<'_> {
    /// Evaluates up to [`EXAMPLES_AT_ONCE`] examples of the spec, beginning with the example `from`.
    fn run(&self, left_out: &BTreeMap<u32, String>, from: usize) -> Result<Run, Failure> {
        let left_out: Map<String, Json> =
            left_out.iter().map(|(line, why)| (line.to_string(), Json::from(why.as_str()))).collect();
        let custom_facts = self.helper.into_iter().flat_map(str::lines).filter(|line| is_custom_fact(line));
        let custom_facts: String = custom_facts.flat_map(|line| [line, "\n"]).collect();
        let template = format!(
            "<%\n$line = 0\n$systems = File.read('/probe/modules/probe/systems.json')\n{RSPEC}\n\
             $left_out = JSON.parse(File.read('/probe/modules/probe/left_out.json'))\n\
             ExampleGroup.class_eval(File.read('/probe/modules/probe/helper.rb'), 'helper.rb', 1)\n\
             ExampleGroup.class_eval(File.read('/probe/modules/probe/spec.rb'), 'spec.rb', {})\n%>\
             <%= JSON.generate(Examples.run({from}, {EXAMPLES_AT_ONCE})) %>",
            LINE_OFFSET + 1
        );
        let files = [
            ("templates/spec.erb", template),
            ("systems.json", self.systems.clone()),
            ("left_out.json", Json::Object(left_out).to_string()),
            ("helper.rb", custom_facts),
            ("spec.rb", self.lines.text.clone()),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text)).to_vec();
        let mut settings = Settings::default();
        // Steps, not time: the result must not depend on the load of the machine.
        settings.limits.time = None;
        settings.limits.steps = Some(self.steps);
        let setup = Setup { files, settings, ..Setup::default() };
        let outcome = probe::evaluate("template('probe/spec.erb')", &setup);
        let text = match outcome.result {
            Ok(Value::Str(text)) => text,
            Ok(_) => return Err(Failure::without_line("the spec has no examples".to_owned())),
            Err(message) => {
                let mut failure = failure(&message, &outcome.logs);
                if outcome.code == Some(Code::TIME_LIMIT) {
                    failure.message = format!("it takes more than {} steps of the interpreter", self.steps);
                    failure.is_limit = true;
                }
                return Err(failure);
            }
        };
        serde_json::from_str(&text).map_err(|error| Failure::without_line(error.to_string()))
    }
}

/// Whether a line of a helper is a complete call that adds a fact.
fn is_custom_fact(line: &str) -> bool {
    line.trim_start().starts_with("add_custom_fact") && parses(line)
}

fn parses(line: &str) -> bool {
    catwalk_ruby_syntax::parser::parse(line, false).is_ok()
}

/// The failure of an evaluation. Its line is that of the last example that was started, or else a line in the message.
fn failure(message: &str, logs: &[String]) -> Failure {
    let started_line = logs.iter().rev().find_map(|line| line.split("example at ").nth(1));
    let ended = logs.iter().any(|line| line.contains("examples end"));
    let started_line = started_line.filter(|_| !ended).and_then(|line| line.split_whitespace().next()?.parse().ok());
    let numbers = message.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u32>().ok());
    let line_in_message =
        numbers.filter_map(|number| number.checked_sub(LINE_OFFSET)).find(|line| (1..LINE_OFFSET).contains(line));
    let detail = message.lines().find_map(|line| line.trim_start().strip_prefix("Detail: ")).unwrap_or(message);
    let detail = detail.lines().next().unwrap_or(detail);
    let detail = detail.split(" (file: ").next().unwrap_or(detail).split(" (spec.rb").next().unwrap_or(detail);
    Failure { line: started_line.or(line_in_message), message: detail.trim().to_owned(), is_limit: false }
}
