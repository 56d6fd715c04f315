//! What is left out of catalogs before they are compared or kept as snapshots, and what is replaced in them.
//!
//! In: `[[ignore]]` and `[[redact]]` of `catwalk.toml`, native catalog documents. Out: the documents with the rules applied.
//! Must not: know the caller. One set of rules serves `catwalk diff` and snapshot tests alike.

mod pattern;

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use crate::diff::rules::pattern::Matcher;
use catwalk_base::secrets::Key;
use catwalk_regexp::Regexp;

pub use pattern::Patterns;

/// The default replacement of a redacted value.
const REDACTED: &str = "<redacted>";
/// The replacement of a value that is ignored because of its contents.
const IGNORED: &str = "<ignored>";
/// Values are replaced down to this depth.
const DEPTH: usize = 200;

/// `[[ignore]]`: resources or parameters that are ignored. A missing key matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ignore {
    /// Certnames.
    pub node: Option<Patterns>,
    /// Resource types, in any case: `File`, `Apache::*`.
    #[serde(rename = "type")]
    pub type_name: Option<Patterns>,
    /// Titles.
    pub title: Option<Patterns>,
    /// Parameters, and `(tags)`, `(exported)`, `(edges)`. Without it and without `value`, the whole resource is ignored.
    pub parameter: Option<Patterns>,
    /// Values as strings; arrays and hashes as JSON.
    pub value: Option<Patterns>,
}

/// `[[redact]]`: values that are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
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
    /// A regular expression: only its matches are replaced, in every string of the value. Without it the whole value is
    /// replaced.
    pub pattern: Option<String>,
    /// The replacement; `\1` is a group of `pattern`, `{digest}` a digest of the replaced string, made with the key of the
    /// site.
    #[serde(rename = "with")]
    pub replacement: Option<String>,
}

/// The patterns that select what a rule applies to.
struct Filter {
    node: Matcher,
    type_name: Matcher,
    title: Matcher,
    parameter: Matcher,
    value: Matcher,
    /// Neither `parameter` nor `value` was given.
    whole: bool,
    /// `value` was given.
    by_value: bool,
}

struct Replacement {
    filter: Filter,
    pattern: Option<Regexp>,
    with: String,
}

/// Rules, ready to be applied.
#[derive(Default)]
pub struct Rules {
    ignore: Vec<Ignore>,
    redact: Vec<Redact>,
    ignoring: Vec<Filter>,
    replacing: Vec<Replacement>,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("ignore", &self.ignore).field("redact", &self.redact).finish()
    }
}

impl Clone for Rules {
    fn clone(&self) -> Rules {
        // They were good before.
        Rules::new(self.ignore.clone(), self.redact.clone()).unwrap_or_default()
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.ignore == other.ignore && self.redact == other.redact
    }
}

impl Eq for Rules {}

/// Which rules applied, over any number of catalogs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleUse {
    ignore: Vec<bool>,
    redact: Vec<bool>,
}

impl RuleUse {
    /// Adds what another catalog used.
    pub fn add(&mut self, other: &RuleUse) {
        for (mine, theirs) in [(&mut self.ignore, &other.ignore), (&mut self.redact, &other.redact)] {
            mine.resize(mine.len().max(theirs.len()), false);
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
        }
    }
}

impl Rules {
    /// Rules from a configuration, in its order.
    ///
    /// # Errors
    /// A pattern that is none, or a rule that would fit everything.
    pub fn new(ignore: Vec<Ignore>, redact: Vec<Redact>) -> Result<Rules, String> {
        let mut rules = Rules::default();
        for (at, rule) in ignore.iter().enumerate() {
            let filter = Filter::new([&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value])
                .map_err(|why| format!("[[ignore]] number {}: {why}", at + 1))?;
            rules.ignoring.push(filter);
        }
        for (at, rule) in redact.iter().enumerate() {
            let wrong = |why: String| format!("[[redact]] number {}: {why}", at + 1);
            let filter = Filter::new([&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value]);
            let filter = match &rule.pattern {
                Some(_) => filter.or_else(|_| Filter::anything()),
                None => filter,
            };
            let pattern = rule.pattern.as_deref().map(pattern::regexp).transpose().map_err(wrong)?;
            let with = rule.replacement.clone().unwrap_or_else(|| REDACTED.to_owned());
            rules.replacing.push(Replacement { filter: filter.map_err(wrong)?, pattern, with });
        }
        (rules.ignore, rules.redact) = (ignore, redact);
        Ok(rules)
    }

    /// These rules with further ignore rules of the form `--ignore 'Type[title]::parameter'`; each part may be `*` or another
    /// pattern, `::parameter` may be left out.
    ///
    /// # Errors
    /// A string of another form, or an invalid pattern.
    pub fn with_texts(&self, texts: &[String]) -> Result<Rules, String> {
        let mut ignore = self.ignore.clone();
        for text in texts {
            let wrong = || format!("a rule must look like 'Type[title]' or 'Type[title]::parameter', got '{text}'");
            let (type_name, rest) = text.split_once('[').ok_or_else(wrong)?;
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

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ignoring.is_empty() && self.replacing.is_empty()
    }

    /// Takes out of a native catalog document of a node what the rules ignore, then replaces what they redact; `{digest}` is made with
    /// the key of the site.
    pub fn apply(&self, certname: &str, document: &mut Value, key: &Key) -> RuleUse {
        let mut used = RuleUse { ignore: vec![false; self.ignoring.len()], redact: vec![false; self.replacing.len()] };
        let ignoring = self.ignoring.iter().enumerate().filter(|(_, rule)| rule.node.fits(certname));
        let ignoring: Vec<(usize, &Filter)> = ignoring.collect();
        let replacing = self.replacing.iter().enumerate().filter(|(_, rule)| rule.filter.node.fits(certname));
        let replacing: Vec<(usize, &Replacement)> = replacing.collect();
        if ignoring.is_empty() && replacing.is_empty() {
            return used;
        }
        let mut gone = std::collections::BTreeSet::new();
        if let Some(resources) = document.get_mut("resources").and_then(Value::as_array_mut) {
            resources.retain_mut(|resource| {
                let (type_name, title) = (text(resource, "type"), text(resource, "title"));
                for (at, rule) in &ignoring {
                    if !rule.type_name.fits(&type_name) || !rule.title.fits(&title) {
                        continue;
                    }
                    if rule.whole {
                        used.ignore[*at] = true;
                        gone.insert(format!("{type_name}[{title}]"));
                        return false;
                    }
                    used.ignore[*at] |= leave_out(rule, resource);
                }
                for (at, rule) in &replacing {
                    if rule.filter.type_name.fits(&type_name) && rule.filter.title.fits(&title) {
                        used.redact[*at] |= replace(rule, resource, key);
                    }
                }
                true
            });
        }
        let edged: Vec<(usize, &Filter)> =
            ignoring.into_iter().filter(|(_, rule)| !rule.whole && rule.parameter.fits("(edges)")).collect();
        if let Some(edges) = document.get_mut("edges").and_then(Value::as_array_mut) {
            edges.retain(|edge| {
                let ends = [text(edge, "source"), text(edge, "target")];
                let rule = edged.iter().find(|(_, rule)| !rule.by_value && ends.iter().any(|end| rule.fits_end(end)));
                if let Some((at, _)) = rule {
                    used.ignore[*at] = true;
                }
                rule.is_none() && !ends.iter().any(|end| gone.contains(end))
            });
        }
        used
    }

    /// The rules that had nothing to do, as they could be written: often mistakes.
    #[must_use]
    pub fn unused(&self, used: &RuleUse) -> Vec<String> {
        let idle = |list: &[bool], at: usize| !list.get(at).copied().unwrap_or(false);
        let ignore = self.ignore.iter().enumerate().filter(|(at, _)| idle(&used.ignore, *at));
        let ignore = ignore.map(|(_, rule)| {
            let parts = [&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value];
            format!("ignore {}", written(parts, None))
        });
        let redact = self.redact.iter().enumerate().filter(|(at, _)| idle(&used.redact, *at));
        let redact = redact.map(|(_, rule)| {
            let parts = [&rule.node, &rule.type_name, &rule.title, &rule.parameter, &rule.value];
            format!("redact {}", written(parts, rule.pattern.as_deref()))
        });
        ignore.chain(redact).collect()
    }
}

fn written(parts: [&Option<Patterns>; 5], pattern: Option<&str>) -> String {
    let names = ["node", "type", "title", "parameter", "value"];
    let parts = names.iter().zip(parts).filter_map(|(name, part)| Some(format!("{name} = {}", part.as_ref()?)));
    parts.chain(pattern.map(|pattern| format!("pattern = {pattern:?}"))).collect::<Vec<_>>().join(", ")
}

impl Filter {
    fn new(parts: [&Option<Patterns>; 5]) -> Result<Filter, String> {
        if parts.iter().all(|part| part.is_none()) {
            return Err("it has none of node, type, title, parameter, value: it would fit everything".to_owned());
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
            whole: parameter.is_none() && value.is_none(),
            by_value: value.is_some(),
        })
    }

    fn anything() -> Result<Filter, String> {
        Filter::new([&None, &None, &None, &Some(Patterns::one("*")), &None])
    }

    /// Whether an end of an edge, `Type[title]`, is one of the rule's resources.
    fn fits_end(&self, end: &str) -> bool {
        let Some((type_name, title)) = end.split_once('[') else { return false };
        self.type_name.fits(type_name) && self.title.fits(title.strip_suffix(']').unwrap_or(title))
    }

    fn fits(&self, name: &str, value: &Value) -> bool {
        self.parameter.fits(name) && (!self.by_value || self.value.fits(&as_text(value)))
    }
}

fn text(value: &Value, member: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn as_text(value: &Value) -> std::borrow::Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// Removes parameters of a resource. One that a rule selects by its value is replaced by a marker: without it, it would seem
/// unset.
fn leave_out(rule: &Filter, resource: &mut Value) -> bool {
    let Some(resource) = resource.as_object_mut() else { return false };
    let mut found = false;
    if let Some(parameters) = resource.get_mut("parameters").and_then(Value::as_object_mut) {
        if rule.by_value {
            for (name, value) in parameters.iter_mut() {
                if rule.fits(name, value) {
                    *value = Value::from(IGNORED);
                    found = true;
                }
            }
        } else {
            let before = parameters.len();
            parameters.retain(|name, _| !rule.parameter.fits(name));
            found = parameters.len() < before;
            if found && parameters.is_empty() {
                resource.shift_remove("parameters");
            }
            found |= left_out_of_list(rule, resource);
        }
    }
    for (name, member) in [("(tags)", "tags"), ("(exported)", "exported")] {
        let named = !rule.by_value && rule.parameter.fits(name);
        if named && resource.shift_remove(member).is_some() {
            found = true;
        }
    }
    found
}

/// A missing parameter cannot be sensitive.
fn left_out_of_list(rule: &Filter, resource: &mut Map<String, Value>) -> bool {
    let Some(names) = resource.get_mut("sensitive_parameters").and_then(Value::as_array_mut) else { return false };
    let before = names.len();
    names.retain(|name| name.as_str().is_none_or(|name| !rule.parameter.fits(name)));
    let (left, found) = (names.len(), names.len() < before);
    if left == 0 {
        resource.shift_remove("sensitive_parameters");
    }
    found
}

fn replace(rule: &Replacement, resource: &mut Value, key: &Key) -> bool {
    let Some(parameters) = resource.get_mut("parameters").and_then(Value::as_object_mut) else { return false };
    let mut found = false;
    for (name, value) in parameters.iter_mut() {
        if rule.filter.fits(name, value) {
            found |= match &rule.pattern {
                None => {
                    *value = Value::from(rule.with.replace("{digest}", &key.digest(&as_text(value))));
                    true
                }
                Some(pattern) => within(value, (pattern, &rule.with, key), DEPTH),
            };
        }
    }
    found
}

/// Replaces the matches of a pattern in all strings of a value, except keys of hashes.
fn within(value: &mut Value, rule: (&Regexp, &str, &Key), depth: usize) -> bool {
    let (pattern, with, key) = rule;
    if depth == 0 {
        return false;
    }
    match value {
        Value::String(text) => {
            let replaced = if with.contains("{digest}") {
                let mut replaced = String::with_capacity(text.len());
                let mut from = 0;
                for found in pattern.captures_iter(text).map_while(Result::ok) {
                    replaced.push_str(text.get(from..found.start()).unwrap_or_default());
                    replaced.push_str(&with.replace("{digest}", &key.digest(found.matched())));
                    from = found.end();
                }
                replaced.push_str(text.get(from..).unwrap_or_default());
                replaced
            } else {
                // A string whose search exceeds the limits is left unchanged.
                pattern.replace_all(text, with).map_or_else(|_| text.clone(), std::borrow::Cow::into_owned)
            };
            let found = replaced != *text;
            *text = replaced;
            found
        }
        Value::Array(items) => items.iter_mut().fold(false, |found, item| within(item, rule, depth - 1) | found),
        Value::Object(members) => members.values_mut().fold(false, |found, item| within(item, rule, depth - 1) | found),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
