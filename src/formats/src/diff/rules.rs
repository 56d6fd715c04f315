//! Rules for ignoring or replacing parts of catalogs before they are compared or saved as snapshots.
//!
//! In: `[[ignore]]` and `[[redact]]` of `catwalk.toml`, native catalog documents. Out: the documents with the rules applied.
//! Must not: depend on the caller: the same rules apply in `catwalk diff` and in snapshot tests.

mod pattern;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use crate::diff::rules::pattern::Matcher;
use catwalk_base::secrets::Key;
use catwalk_regexp::Regexp;

pub use pattern::Patterns;

/// The default replacement of a redacted value.
const REDACTED: &str = "<redacted>";
/// The replacement of a value that a rule ignores by `value`.
const IGNORED: &str = "<ignored>";
/// The deepest nesting of values in which matches are replaced.
const MAX_DEPTH: usize = 200;

/// `[[ignore]]`: resources or parameters to ignore. A missing key matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ignore {
    /// Certnames.
    pub node: Option<Patterns>,
    /// Resource types, in any case: `File`, `Apache::*`.
    #[serde(rename = "type")]
    pub type_name: Option<Patterns>,
    /// Titles.
    pub title: Option<Patterns>,
    /// Parameters, or `(tags)`, `(exported)`, `(edges)`. Without `parameter` and `value`, the whole resource is ignored.
    pub parameter: Option<Patterns>,
    /// Values as strings; arrays and hashes as JSON.
    pub value: Option<Patterns>,
}

/// `[[redact]]`: values to replace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Redact {
    /// Certnames.
    pub node: Option<Patterns>,
    /// Resource types, in any case.
    #[serde(rename = "type")]
    pub type_name: Option<Patterns>,
    /// Titles.
    pub title: Option<Patterns>,
    /// Parameters.
    pub parameter: Option<Patterns>,
    /// Values as strings.
    pub value: Option<Patterns>,
    /// A regular expression whose matches in every string of the value are replaced. Without it the whole value is replaced.
    pub pattern: Option<String>,
    /// The replacement, in which `\1` is a group of `pattern`, and `{digest}` a digest of the replaced string, keyed with the key of the
    /// site.
    #[serde(rename = "with")]
    pub replacement: Option<String>,
}

/// The compiled patterns of a rule, which select resources, parameters and values.
struct Filter {
    node: Matcher,
    type_name: Matcher,
    title: Matcher,
    parameter: Matcher,
    value: Matcher,
    /// Whether the rule has neither `parameter` nor `value`.
    whole_resource: bool,
    /// Whether the rule has `value`.
    by_value: bool,
}

struct Replacement {
    filter: Filter,
    pattern: Option<Regexp>,
    template: String,
}

/// Compiled rules.
#[derive(Default)]
pub struct Rules {
    ignore: Vec<Ignore>,
    redact: Vec<Redact>,
    ignore_filters: Vec<Filter>,
    replacements: Vec<Replacement>,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("ignore", &self.ignore).field("redact", &self.redact).finish()
    }
}

impl Clone for Rules {
    fn clone(&self) -> Rules {
        // The rules have been compiled before without an error.
        Rules::new(self.ignore.clone(), self.redact.clone()).unwrap_or_default()
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.ignore == other.ignore && self.redact == other.redact
    }
}

impl Eq for Rules {}

/// Which rules have matched in any of the catalogs so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleUse {
    ignore: Vec<bool>,
    redact: Vec<bool>,
}

impl RuleUse {
    /// Adds the rules that matched in another catalog.
    pub fn add(&mut self, other: &RuleUse) {
        for (all, added) in [(&mut self.ignore, &other.ignore), (&mut self.redact, &other.redact)] {
            all.resize(all.len().max(added.len()), false);
            all.iter_mut().zip(added).for_each(|(all, added)| *all |= added);
        }
    }
}

impl Rules {
    /// Compiles the rules of a configuration, in its order.
    ///
    /// # Errors
    /// A pattern is invalid, or a rule would match everything.
    pub fn new(ignore: Vec<Ignore>, redact: Vec<Redact>) -> Result<Rules, String> {
        let mut rules = Rules::default();
        for (at, rule) in ignore.iter().enumerate() {
            let filter = Filter::new([&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value])
                .map_err(|why| format!("[[ignore]] number {}: {why}", at + 1))?;
            rules.ignore_filters.push(filter);
        }
        for (at, rule) in redact.iter().enumerate() {
            let wrong = |why: String| format!("[[redact]] number {}: {why}", at + 1);
            let filter = Filter::new([&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value]);
            let filter = match &rule.pattern {
                Some(_) => filter.or_else(|_| Filter::any_parameter()),
                None => filter,
            };
            let pattern = rule.pattern.as_deref().map(pattern::regexp).transpose().map_err(wrong)?;
            let template = rule.replacement.clone().unwrap_or_else(|| REDACTED.to_owned());
            rules.replacements.push(Replacement { filter: filter.map_err(wrong)?, pattern, template });
        }
        (rules.ignore, rules.redact) = (ignore, redact);
        Ok(rules)
    }

    /// Adds ignore rules from the command line, such as `Type[title]::parameter`. Each part is a pattern, such as `*`, and `::parameter`
    /// is optional.
    ///
    /// # Errors
    /// A string has a different form, or a pattern is invalid.
    pub fn with_ignored(&self, rules: &[String]) -> Result<Rules, String> {
        let mut ignore = self.ignore.clone();
        for rule in rules {
            let wrong = || format!("a rule must look like 'Type[title]' or 'Type[title]::parameter', got '{rule}'");
            let (type_name, rest) = rule.split_once('[').ok_or_else(wrong)?;
            let (title, rest) = rest.rsplit_once(']').ok_or_else(wrong)?;
            let parameter = match rest.strip_prefix("::") {
                Some(parameter) if !parameter.is_empty() => Some(Patterns::one(parameter)),
                None if rest.is_empty() => None,
                _ => return Err(wrong()),
            };
            ignore.push(Ignore {
                type_name: Some(Patterns::one(type_name)),
                title: Some(Patterns::one(title)),
                parameter,
                ..Ignore::default()
            });
        }
        Rules::new(ignore, self.redact.clone()).map_err(|why| why.replace("[[ignore]] number", "rule"))
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ignore_filters.is_empty() && self.replacements.is_empty()
    }

    /// Removes from a node's native catalog document what the rules ignore, then replaces what they redact. `key` is the key of the site,
    /// for `{digest}`.
    pub fn apply(&self, certname: &str, document: &mut Value, key: &Key) -> RuleUse {
        let mut used =
            RuleUse { ignore: vec![false; self.ignore_filters.len()], redact: vec![false; self.replacements.len()] };
        let ignoring = self.ignore_filters.iter().enumerate().filter(|(_, rule)| rule.node.matches(certname));
        let ignoring: Vec<(usize, &Filter)> = ignoring.collect();
        let replacing = self.replacements.iter().enumerate().filter(|(_, rule)| rule.filter.node.matches(certname));
        let replacing: Vec<(usize, &Replacement)> = replacing.collect();
        if ignoring.is_empty() && replacing.is_empty() {
            return used;
        }
        let mut removed = std::collections::BTreeSet::new();
        if let Some(resources) = document.get_mut("resources").and_then(Value::as_array_mut) {
            resources.retain_mut(|resource| {
                let (type_name, title) = (string(resource, "type"), string(resource, "title"));
                for (at, rule) in &ignoring {
                    if !rule.type_name.matches(&type_name) || !rule.title.matches(&title) {
                        continue;
                    }
                    if rule.whole_resource {
                        used.ignore[*at] = true;
                        removed.insert(format!("{type_name}[{title}]"));
                        return false;
                    }
                    used.ignore[*at] |= remove_ignored(rule, resource);
                }
                for (at, rule) in &replacing {
                    if rule.filter.type_name.matches(&type_name) && rule.filter.title.matches(&title) {
                        used.redact[*at] |= redact(rule, resource, key);
                    }
                }
                true
            });
        }
        let for_edges: Vec<(usize, &Filter)> = ignoring
            .into_iter()
            .filter(|(_, rule)| !rule.whole_resource && rule.parameter.matches("(edges)"))
            .collect();
        if let Some(edges) = document.get_mut("edges").and_then(Value::as_array_mut) {
            edges.retain(|edge| {
                let ends = [string(edge, "source"), string(edge, "target")];
                let rule =
                    for_edges.iter().find(|(_, rule)| !rule.by_value && ends.iter().any(|end| rule.matches_end(end)));
                if let Some((at, _)) = rule {
                    used.ignore[*at] = true;
                }
                rule.is_none() && !ends.iter().any(|end| removed.contains(end))
            });
        }
        used
    }

    /// Descriptions of the rules that have matched nothing, which are often mistakes.
    #[must_use]
    pub fn unused(&self, used: &RuleUse) -> Vec<String> {
        let is_unused = |list: &[bool], at: usize| !list.get(at).copied().unwrap_or(false);
        let ignore = self.ignore.iter().enumerate().filter(|(at, _)| is_unused(&used.ignore, *at));
        let ignore = ignore.map(|(_, rule)| {
            let parts = [&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value];
            format!("ignore {}", describe(parts, None))
        });
        let redact = self.redact.iter().enumerate().filter(|(at, _)| is_unused(&used.redact, *at));
        let redact = redact.map(|(_, rule)| {
            let parts = [&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value];
            format!("redact {}", describe(parts, rule.pattern.as_deref()))
        });
        ignore.chain(redact).collect()
    }
}

fn describe(parts: [&Option<Patterns>; 5], pattern: Option<&str>) -> String {
    let names = ["node", "type", "title", "parameter", "value"];
    let parts = names.iter().zip(parts).filter_map(|(name, part)| Some(format!("{name} = {}", part.as_ref()?)));
    parts.chain(pattern.map(|pattern| format!("pattern = {pattern:?}"))).collect::<Vec<_>>().join(", ")
}

impl Filter {
    fn new(parts: [&Option<Patterns>; 5]) -> Result<Filter, String> {
        if parts.iter().all(|part| part.is_none()) {
            return Err("it has none of node, type, title, parameter, value: it would match everything".to_owned());
        }
        let [node, type_name, title, parameter, value] = parts;
        let matcher = |part: &Option<Patterns>, name: &str, any_case: bool| {
            Matcher::new(part.as_ref(), any_case).map_err(|why| format!("{name}: {why}"))
        };
        Ok(Filter {
            node: matcher(node, "node", true)?,
            type_name: matcher(type_name, "type", true)?,
            title: matcher(title, "title", false)?,
            parameter: matcher(parameter, "parameter", false)?,
            value: matcher(value, "value", false)?,
            whole_resource: parameter.is_none() && value.is_none(),
            by_value: value.is_some(),
        })
    }

    /// Matches every parameter of every resource.
    fn any_parameter() -> Result<Filter, String> {
        Filter::new([&None, &None, &None, &Some(Patterns::one("*")), &None])
    }

    /// Whether the rule selects an end of an edge, `Type[title]`.
    fn matches_end(&self, end: &str) -> bool {
        let Some((type_name, title)) = end.split_once('[') else { return false };
        self.type_name.matches(type_name) && self.title.matches(title.strip_suffix(']').unwrap_or(title))
    }

    /// Whether the rule selects a parameter.
    fn matches(&self, name: &str, value: &Value) -> bool {
        self.parameter.matches(name) && (!self.by_value || self.value.matches(&as_string(value)))
    }
}

fn string(value: &Value, member: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn as_string(value: &Value) -> std::borrow::Cow<'_, str> {
    match value {
        Value::String(string) => string.into(),
        other => other.to_string().into(),
    }
}

/// Removes the parameters that a rule ignores, or replaces their values by a marker if the rule has `value`: a removed parameter would
/// look unset. Returns whether there were any.
fn remove_ignored(rule: &Filter, resource: &mut Value) -> bool {
    let Some(resource) = resource.as_object_mut() else { return false };
    let mut has_matched = false;
    if let Some(parameters) = resource.get_mut("parameters").and_then(Value::as_object_mut) {
        if rule.by_value {
            for (name, value) in parameters.iter_mut() {
                if rule.matches(name, value) {
                    *value = Value::from(IGNORED);
                    has_matched = true;
                }
            }
        } else {
            let before = parameters.len();
            parameters.retain(|name, _| !rule.parameter.matches(name));
            has_matched = parameters.len() < before;
            if has_matched && parameters.is_empty() {
                resource.shift_remove("parameters");
            }
            has_matched |= remove_sensitive_names(rule, resource);
        }
    }
    for (name, member) in [("(tags)", "tags"), ("(exported)", "exported")] {
        let named = !rule.by_value && rule.parameter.matches(name);
        if named && resource.shift_remove(member).is_some() {
            has_matched = true;
        }
    }
    has_matched
}

/// Removes ignored parameters from the list of sensitive parameters, which may only name existing ones.
fn remove_sensitive_names(rule: &Filter, resource: &mut Map<String, Value>) -> bool {
    let Some(names) = resource.get_mut("sensitive_parameters").and_then(Value::as_array_mut) else { return false };
    let before = names.len();
    names.retain(|name| name.as_str().is_none_or(|name| !rule.parameter.matches(name)));
    let (left, has_removed) = (names.len(), names.len() < before);
    if left == 0 {
        resource.shift_remove("sensitive_parameters");
    }
    has_removed
}

/// Replaces the values that a rule redacts. Returns whether there were any.
fn redact(rule: &Replacement, resource: &mut Value, key: &Key) -> bool {
    let Some(parameters) = resource.get_mut("parameters").and_then(Value::as_object_mut) else { return false };
    let mut has_matched = false;
    for (name, value) in parameters.iter_mut() {
        if rule.filter.matches(name, value) {
            has_matched |= match &rule.pattern {
                None => {
                    *value = Value::from(rule.template.replace("{digest}", &key.digest(&as_string(value))));
                    true
                }
                Some(pattern) => replace_matches(value, (pattern, &rule.template, key), MAX_DEPTH),
            };
        }
    }
    has_matched
}

/// Replaces the matches of a pattern in all strings of a value, except keys of hashes. Returns whether there were any.
fn replace_matches(value: &mut Value, rule: (&Regexp, &str, &Key), depth: usize) -> bool {
    let (pattern, template, key) = rule;
    if depth == 0 {
        return false;
    }
    match value {
        Value::String(text) => {
            let replaced = if template.contains("{digest}") {
                let mut replaced = String::with_capacity(text.len());
                let mut from = 0;
                for capture in pattern.captures_iter(text).map_while(Result::ok) {
                    replaced.push_str(text.get(from..capture.start()).unwrap_or_default());
                    replaced.push_str(&template.replace("{digest}", &key.digest(capture.matched())));
                    from = capture.end();
                }
                replaced.push_str(text.get(from..).unwrap_or_default());
                replaced
            } else {
                // A string whose search exceeds the limits is left unchanged.
                pattern.replace_all(text, template).map_or_else(|_| text.clone(), std::borrow::Cow::into_owned)
            };
            let has_matched = replaced != *text;
            *text = replaced;
            has_matched
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |has_matched, item| replace_matches(item, rule, depth - 1) | has_matched)
        }
        Value::Object(members) => {
            members.values_mut().fold(false, |has_matched, item| replace_matches(item, rule, depth - 1) | has_matched)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
