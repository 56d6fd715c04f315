//! Finds mistakes in valid rules.
//!
//! In: groups, and the nodes of a survey if there are any. Out: findings, each with its group. Must not: reject
//! anything: the service accepts all of it.

use std::collections::BTreeMap;

use crate::group::Group;
use crate::number::Number;
use crate::problem::object;
use crate::rule::Operand;
use crate::rule::Operator;
use crate::rule::Test;
use crate::subject::Subject;
use catwalk_base::names::did_you_mean;
use catwalk_value::Value;

/// Members of the trusted facts (docs: "Accessing facts from Puppet code", trusted facts).
const TRUSTED_MEMBERS: [&str; 6] = ["authenticated", "certname", "domain", "extensions", "external", "hostname"];

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Stable name of the check.
    pub check: &'static str,
    /// The group, by name.
    pub group: String,
    /// What is wrong.
    pub text: String,
}

impl Finding {
    /// The finding as a document.
    #[must_use]
    pub fn document(&self) -> Value {
        object([
            ("check", Value::str(self.check)),
            ("group", Value::str(&self.group)),
            ("message", Value::str(&self.text)),
        ])
    }
}

/// Findings about groups, in their order. `short_names` are names of certificate extensions.
#[must_use]
pub fn lint(groups: &[Group], nodes: &[Subject], short_names: &[&str]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    // A test that several groups share is checked once.
    let mut versions: BTreeMap<String, Option<String>> = BTreeMap::new();
    for group in groups {
        let mut add = |check: &'static str, text: String| {
            let finding = Finding { check, group: group.name.to_string(), text };
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        };
        let mut visit = |test: &Test| {
            if test.operator.is_numeric() {
                let problem = versions.entry(format!("{} {}", test.operator.as_str(), test.path));
                if let Some(problem) = problem.or_insert_with(|| check_number(test, nodes)) {
                    add("version-as-number", problem.clone());
                }
            }
            if matches!(test.operand, Operand::Number(None)) {
                let (word, literal) = (test.operator.as_str(), &test.literal);
                add(
                    "not-a-number",
                    format!("'{word}' compares numbers, but '{literal}' is not a number: the condition is never true"),
                );
            }
            if test.operator == Operator::Match && is_unanchored(&test.literal) {
                let text = format!("'{}' matches anywhere in {}: anchor it with ^ and $", test.literal, test.path);
                add("unanchored-regex", text);
            }
            if let Some((check, text)) = path(test, short_names) {
                add(check, text);
            }
        };
        if let Some(rule) = &group.rule {
            rule.each_test(&mut visit);
        }
    }
    findings
}

/// A comparison of numbers with a value that is not a number on some node; without nodes, the path's name decides.
fn check_number(test: &Test, nodes: &[Subject]) -> Option<String> {
    let word = test.operator.as_str();
    let mut example: Option<(&str, &str)> = None;
    let mut count = 0_usize;
    for node in nodes {
        if let Some(Value::Str(text)) = node.find(&test.path)
            && Number::parse(text).is_none()
        {
            count += 1;
            example.get_or_insert((text.as_ref(), node.name()));
        }
    }
    if let Some((text, node)) = example {
        let of = if count > 1 { format!("{count} nodes, such as {node}") } else { node.to_owned() };
        return Some(format!(
            "'{word}' compares numbers, but {} is '{text}' on {of}: the condition is never true there",
            test.path
        ));
    }
    let last = test.path.key(test.path.segments.len().saturating_sub(1));
    let is_version = nodes.is_empty() && (last.ends_with("version") || matches!(last, "full" | "release"));
    is_version.then(|| format!("'{word}' compares numbers, but {} looks like a version", test.path))
}

/// Whether a pattern is anchored at neither end, although it is not meant to match everything.
fn is_unanchored(pattern: &str) -> bool {
    let begins = pattern.starts_with("(?i)").then(|| pattern.get(4..)).flatten().unwrap_or(pattern);
    let tied = begins.starts_with(['^']) || begins.starts_with("\\A");
    let ends = pattern.ends_with(['$']) || pattern.ends_with("\\z") || pattern.ends_with("\\Z");
    let any = begins.starts_with(".*") || pattern.ends_with(".*");
    !tied && !ends && !any
}

/// A path without a value on any node.
fn path(test: &Test, short_names: &[&str]) -> Option<(&'static str, String)> {
    let path = &test.path;
    match path.field() {
        "fact" if path.segments.len() == 1 => {
            Some(("unknown-path", "'fact' alone means all facts: name one, [\"fact\", …]".to_owned()))
        }
        "name" | "fact" => None,
        "nodename" => Some(("nodename", "'nodename' is read as 'name', which the service has".to_owned())),
        "trusted" => {
            let member = path.key(1);
            if !TRUSTED_MEMBERS.contains(&member) {
                let near = did_you_mean(member, TRUSTED_MEMBERS).map(|near| format!(", {near}"));
                let near = near.unwrap_or_default();
                return Some(("trusted-path", format!("there is no trusted fact '{member}'{near}")));
            }
            let name = path.key(2);
            let is_oid = name.starts_with(|c: char| c.is_ascii_digit());
            if member == "extensions" && !name.is_empty() && !is_oid && !short_names.contains(&name) {
                let near = did_you_mean(name, short_names.iter().copied()).map(|near| format!(", {near}"));
                let text = format!("'{name}' is not a registered extension{}", near.unwrap_or_default());
                return Some(("trusted-path", text));
            }
            None
        }
        other => {
            let text =
                format!("a rule can read 'name', 'fact' and 'trusted', but not '{other}'; [\"fact\", \"{other}\"]?");
            Some(("unknown-path", text))
        }
    }
}
