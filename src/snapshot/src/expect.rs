//! Expectations besides snapshots: the block `expect` of a test file.
//!
//! In: the block, a compiled catalog or its failure. Out: messages about differences. Must not: compile.

use crate::difference;
use crate::invalid::Invalid;
use crate::matrix::check_keys;
use crate::matrix::hash;
use crate::matrix::list;
use crate::matrix::text;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::names::nearest;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;
use catwalk_catalog::Resource;
use catwalk_regexp::Regexp;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_value::json::to_json;
use catwalk_value::rich::Mode;
use catwalk_value::rich::Rich;

pub(crate) const KEYS: [&str; 7] = ["compiles", "fails", "contains", "lacks", "count", "order", "logs"];

/// The expectations of a case.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// Whether the test file has the block.
    pub is_declared: bool,
    /// The error with which the compile must fail.
    pub fails: Option<Pattern>,
    contains: Vec<(Reference, Vec<(String, ExpectedValue)>)>,
    lacks: Vec<(Reference, Vec<(String, ExpectedValue)>)>,
    count: Vec<(String, i64)>,
    order: Vec<Vec<Reference>>,
    logs: Vec<Pattern>,
}

/// A string that must occur, or `/a regular expression/` that must match.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    regexp: Option<Regexp>,
}

impl Pattern {
    fn new(source: &str) -> Result<Pattern, String> {
        let inner = source.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|rest| !rest.is_empty());
        // A path such as /etc/ is not a regular expression.
        let regexp = inner.map(Regexp::new);
        if let Some(regexp) = &regexp {
            regexp.check().map_err(|error| format!("{source}: {}", error.message()))?;
        }
        Ok(Pattern { source: source.to_owned(), regexp })
    }

    fn occurs_in(&self, text: &str) -> bool {
        match &self.regexp {
            Some(regexp) => regexp.is_match(text).unwrap_or(false),
            None => text.contains(&self.source),
        }
    }
}

#[derive(Clone, Debug)]
enum ExpectedValue {
    /// The parameter has this value.
    Value(Value),
    /// The parameter's value, as a string, matches.
    Matches(Pattern),
    /// The parameter is not set.
    Unset,
}

/// `Type[title]` in the spelling of catalogs.
#[derive(Clone, Debug)]
struct Reference {
    type_name: String,
    title: String,
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

impl Reference {
    fn parse(text: &str) -> Result<Reference, Invalid> {
        let parts = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let Some((type_name, title)) = parts.filter(|(type_name, _)| !type_name.is_empty()) else {
            return Err(format!("a resource is written Type[title], got '{text}'").into());
        };
        let type_name = capitalized(type_name);
        let title = title.trim_matches(['\'', '"']);
        let title = if type_name == "Class" { capitalized(title.trim_start_matches("::")) } else { title.to_owned() };
        // The class of the main manifest has a lower-case name.
        let title = if type_name == "Class" && title == "Main" { "main".to_owned() } else { title };
        Ok(Reference { type_name, title })
    }
}

fn capitalized(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split("::").map(part).collect::<Vec<_>>().join("::")
}

fn references(value: &Value, key: &str) -> Result<Vec<Reference>, Invalid> {
    list(value).map(|item| Reference::parse(text(item, key)?)).collect()
}

impl Expect {
    /// Reads a block.
    ///
    /// # Errors
    /// Returns the reason why the value is invalid.
    pub fn read(value: &Value) -> Result<Expect, Invalid> {
        Expect::read_block(value).map_err(|why| why.within("expect"))
    }

    fn read_block(value: &Value) -> Result<Expect, Invalid> {
        let block = hash(value, "expect")?;
        check_keys(&block, &KEYS, "expect").map_err(with_resource_example)?;
        let mut expect = Expect { is_declared: true, ..Expect::default() };
        for (key, value) in block.iter() {
            let key = key.as_str().unwrap_or_default();
            expect.read_key(key, value, block.get("fails").is_some()).map_err(|why| why.within(key))?;
        }
        if expect.fails.is_some() && !(expect.contains.is_empty() && expect.order.is_empty() && expect.count.is_empty())
        {
            let message = "a case that `fails` has no catalog: `contains`, `count` and `order` cannot be checked";
            return Err(Invalid::from(message).within("fails"));
        }
        Ok(expect)
    }

    fn read_key(&mut self, key: &str, value: &Value, has_fails: bool) -> Result<(), Invalid> {
        match key {
            "compiles" => match value {
                Value::Bool(true) => {}
                Value::Bool(false) if has_fails => {}
                Value::Bool(false) => self.fails = Some(Pattern::new("")?),
                _ => return Err("`compiles` must be true or false".into()),
            },
            "fails" => match value {
                Value::Bool(true) => self.fails = Some(Pattern::new("")?),
                value => self.fails = Some(Pattern::new(text(value, "fails")?)?),
            },
            "contains" => self.contains = resources(value, "contains")?,
            "lacks" => self.lacks = resources(value, "lacks")?,
            "count" => {
                for (name, number) in hash(value, "count")?.iter() {
                    let Value::Int(number) = number else { return Err("`count` needs numbers".into()) };
                    let name = text(name, "count")?;
                    let name = if name == WITHOUT_CLASSES { name.to_owned() } else { capitalized(name) };
                    self.count.push((name, *number));
                }
            }
            "order" => {
                self.order = list(value).map(chain).collect::<Result<_, _>>()?;
            }
            _ => {
                let patterns = list(value).map(|item| Ok(Pattern::new(text(item, "logs")?)?));
                self.logs = patterns.collect::<Result<_, Invalid>>()?;
            }
        }
        Ok(())
    }

    /// Whether log messages are expected; if so, messages of all levels are created.
    #[must_use]
    pub fn has_logs(&self) -> bool {
        !self.logs.is_empty()
    }

    /// The expectations that are not met.
    #[must_use]
    pub fn unmet(&self, result: &Result<Catalog, Box<Diagnostic>>, message: &str, logs: &[Diagnostic]) -> Vec<String> {
        let mut failures = Vec::new();
        match (&self.fails, result) {
            (None, Err(failure)) if self.is_declared => failures.push(not_compiled(message, failure)),
            (None, Err(_)) => {}
            (Some(pattern), Ok(_)) => failures.push(match pattern.source.is_empty() {
                true => "compiles, but must fail".to_owned(),
                false => format!("compiles, but must fail with '{}'", pattern.source),
            }),
            (Some(pattern), Err(_)) if !pattern.occurs_in(message) && !is_logged(pattern, logs) => {
                failures.push(format!("fails, but not with '{}': {message}", pattern.source));
            }
            (Some(_), Err(_)) => {}
            (None, Ok(catalog)) => self.check_catalog(catalog, &mut failures),
        }
        for pattern in &self.logs {
            if !logs.iter().any(|line| pattern.occurs_in(&line.message_with_source())) {
                failures.push(format!("logs nothing with '{}'", pattern.source));
            }
        }
        failures
    }

    /// Whether an order of resources is expected, to which automatic relationships contribute.
    #[must_use]
    pub fn has_order(&self) -> bool {
        !self.order.is_empty()
    }

    fn check_catalog(&self, catalog: &Catalog, failures: &mut Vec<String>) {
        if self.contains.is_empty() && self.lacks.is_empty() && self.count.is_empty() && self.order.is_empty() {
            return;
        }
        let order = Order::new(catalog);
        let find = |reference: &Reference| order.find(&reference.type_name, &reference.title);
        for (reference, parameters) in &self.contains {
            match find(reference).and_then(|at| catalog.resources.get(at)) {
                None => failures.push(missing_resource(reference, catalog)),
                Some(resource) => check_parameters(reference, resource, parameters, failures),
            }
        }
        for (reference, parameters) in &self.lacks {
            let Some(resource) = find(reference).and_then(|at| catalog.resources.get(at)) else { continue };
            let mut differences = Vec::new();
            check_parameters(reference, resource, parameters, &mut differences);
            if differences.is_empty() {
                let qualifier = if parameters.is_empty() { "" } else { " with these parameters" };
                failures.push(format!("{reference} is in the catalog{qualifier}"));
            }
        }
        for (type_name, expected_count) in &self.count {
            let of_type = |resource: &&Resource| match resource.type_name.as_str() {
                "Class" | "Stage" if type_name == WITHOUT_CLASSES => false,
                name => type_name == "*" || type_name == WITHOUT_CLASSES || name == type_name,
            };
            let count = catalog.resources.iter().filter(of_type).count();
            if i64::try_from(count) != Ok(*expected_count) {
                let noun = match type_name.as_str() {
                    "*" => "resources",
                    WITHOUT_CLASSES => "resources without classes",
                    name => name,
                };
                failures.push(format!("{count} {noun}, expected {expected_count}"));
            }
        }
        for (first, then) in self.order.iter().flat_map(|chain| chain.iter().zip(chain.iter().skip(1))) {
            match (find(first), find(then)) {
                (Some(a), Some(b)) if order.is_before(a, b) => {}
                (Some(a), Some(b)) if order.is_before(b, a) => {
                    failures.push(format!("{then} comes before {first}, not after it"));
                }
                (Some(_), Some(_)) => failures.push(format!("nothing puts {first} before {then}")),
                (None, _) => failures.push(missing_resource(first, catalog)),
                (_, None) => failures.push(missing_resource(then, catalog)),
            }
        }
    }
}

/// Adds an example where a resource is written as a key of the block.
fn with_resource_example(why: Invalid) -> Invalid {
    let resource = why.keys.last().filter(|key| key.contains('['));
    let help = resource.map(|resource| {
        format!("list resources under `contains`:\nexpect:\n  contains:\n    - {resource}: {{mode: '0644'}}")
    });
    Invalid { help: help.or(why.help), ..why }
}

/// Reads `Package[ntp] -> File[/etc/ntp.conf] -> Service[ntp]`, or these resources as an array.
fn chain(value: &Value) -> Result<Vec<Reference>, Invalid> {
    let chain = match value {
        Value::Str(text) => {
            text.split(" -> ").map(|part| Reference::parse(part.trim())).collect::<Result<Vec<_>, _>>()?
        }
        value => references(value, "order")?,
    };
    if chain.len() < 2 {
        return Err("`order` needs two resources or more: 'Package[ntp] -> Service[ntp]'".into());
    }
    Ok(chain)
}

/// Whether an error in the log matches: of several errors that end a compile, all but one may be in the log.
fn is_logged(pattern: &Pattern, logs: &[Diagnostic]) -> bool {
    logs.iter().any(|line| line.severity >= Severity::Error && pattern.occurs_in(&line.message_with_source()))
}

/// Reads the lists `contains` and `lacks`: resources with or without parameters.
fn resources(value: &Value, key: &str) -> Result<Vec<(Reference, Vec<(String, ExpectedValue)>)>, Invalid> {
    let mut resources = Vec::new();
    for (number, item) in list(value).enumerate() {
        match item {
            Value::Str(reference) => {
                let reference = Reference::parse(reference).map_err(|why| why.within(&number.to_string()))?;
                resources.push((reference, Vec::new()));
            }
            Value::Hash(entries) => {
                for (reference, parameters) in entries.iter() {
                    let written = text(reference, key)?;
                    let wrong = |why: Invalid| why.within(written).within(&number.to_string());
                    let reference = Reference::parse(written).map_err(wrong)?;
                    resources.push((reference, expected_parameters(parameters).map_err(wrong)?));
                }
            }
            _ => return Err(format!("`{key}` needs resources: strings, or hashes with parameters").into()),
        }
    }
    Ok(resources)
}

fn expected_parameters(parameters: &Value) -> Result<Vec<(String, ExpectedValue)>, Invalid> {
    if parameters.is_undef() {
        return Ok(Vec::new());
    }
    let parameters = hash(parameters, "the parameters of a resource in `contains`")?;
    let read = |(name, value): (&Value, &Value)| {
        let expected_value = match value {
            Value::Undef => ExpectedValue::Unset,
            Value::Str(source) if source.len() > 2 && source.starts_with('/') && source.ends_with('/') => {
                ExpectedValue::Matches(Pattern::new(source)?)
            }
            value => ExpectedValue::Value(value.clone()),
        };
        Ok((text(name, "contains")?.to_owned(), expected_value))
    };
    parameters.iter().map(read).collect()
}

fn missing_resource(reference: &Reference, catalog: &Catalog) -> String {
    let same = catalog.resources.iter().filter(|resource| resource.type_name.as_str() == reference.type_name);
    let near = nearest(&reference.title, same.map(|resource| &*resource.title));
    let hint = near.map(|title| format!("; did you mean {}[{title}]?", reference.type_name)).unwrap_or_default();
    format!("{reference} is not in the catalog{hint}")
}

/// The key of a parameter list that excludes further parameters.
const NOTHING_ELSE: &str = "*";
/// The key of `count` for all resources but classes and stages.
const WITHOUT_CLASSES: &str = "without_classes";

/// A parameter as catalogs print it.
fn printed_value(value: &Value) -> Value {
    serde_json::to_value(Rich(value, Mode::CATALOG)).map_or(Value::Undef, |json| from_json(&json))
}

fn check_parameters(
    reference: &Reference,
    resource: &Resource,
    parameters: &[(String, ExpectedValue)],
    failures: &mut Vec<String>,
) {
    for (name, expected_value) in parameters {
        if name == NOTHING_ELSE {
            failures.extend(
                unlisted_parameters(resource, parameters)
                    .map(|parameter| format!("{reference}: {parameter} is set, but not expected")),
            );
            continue;
        }
        let parameter_name = catwalk_base::names::Name::new(name);
        let is = resource.parameters.get(&parameter_name).map(printed_value);
        let secret = resource.sensitive.contains(&parameter_name);
        let text = |value: &Value| value.as_str().map_or_else(|| to_json(value).to_string(), str::to_owned);
        let (fits, expected) = match expected_value {
            ExpectedValue::Unset => (is.is_none(), "unset".to_owned()),
            ExpectedValue::Matches(pattern) => {
                (is.as_ref().is_some_and(|value| pattern.occurs_in(&text(value))), pattern.source.clone())
            }
            ExpectedValue::Value(value) => {
                let fits = is.as_ref().is_some_and(|is| has_value(unwrap_single(is), unwrap_single(value)));
                (fits, to_json(value).to_string())
            }
        };
        if fits {
            continue;
        }
        if secret && is.is_some() {
            failures.push(format!("{reference}: {name} is not as expected (it is sensitive: neither value is shown)"));
            continue;
        }
        let difference = match (&is, expected_value) {
            (Some(Value::Str(is)), ExpectedValue::Matches(pattern)) => difference::from_pattern(is, &pattern.source),
            (Some(Value::Str(is)), ExpectedValue::Value(Value::Str(wanted))) => difference::between(is, wanted),
            _ => None,
        };
        let current = match &is {
            None => "is not set".to_owned(),
            Some(value) => format!("is {}", *Redacted::new(to_json(value), &Secrets::default())),
        };
        let hint = match (expected_value, &is) {
            (ExpectedValue::Value(value), Some(Value::Str(is))) => reading_hint(value, is).unwrap_or_default(),
            _ => String::new(),
        };
        failures.push(match difference {
            Some(difference) => format!("{reference}: {name} {difference}"),
            None => format!("{reference}: {name} {current}, expected {expected}{hint}"),
        });
    }
}

/// The hint for a value that YAML reads differently from how it was probably written: `mode: 0644` is the number 420, and `enable: on` is
/// true.
fn reading_hint(expected: &Value, is: &str) -> Option<String> {
    let was_written = match expected {
        Value::Int(number) => {
            let digits = is.strip_prefix('0').filter(|digits| !digits.is_empty())?;
            i64::from_str_radix(digits, 8).ok()? == *number
        }
        Value::Bool(value) => match is.to_ascii_lowercase().as_str() {
            "on" | "yes" => *value,
            "off" | "no" => !*value,
            _ => return None,
        },
        _ => return None,
    };
    let printed = to_json(expected);
    was_written.then(|| format!("; YAML reads {is} without quotes as {printed}: write '{is}'"))
}

/// Parameters that are set but not listed. A parameter that names the resource and equals its title is ignored.
fn unlisted_parameters<'a>(
    resource: &'a Resource,
    listed: &'a [(String, ExpectedValue)],
) -> impl Iterator<Item = &'a str> {
    let set = resource.parameters.iter().filter(|(_, value)| printed_value(value).as_str() != Some(&*resource.title));
    let names = set.map(|(name, _)| name.as_str());
    names.filter(move |name| !listed.iter().any(|(listed, _)| listed == name))
}

/// Whether a parameter has a value. Numbers, booleans and strings are compared as strings, as resource types read them.
fn has_value(is: &Value, expected: &Value) -> bool {
    match (is, expected) {
        (Value::Array(is), Value::Array(expected)) => {
            is.iter().count() == expected.iter().count()
                && is.iter().zip(expected.iter()).all(|(is, expected)| has_value(is, expected))
        }
        (Value::Hash(is), Value::Hash(expected)) => {
            let has = |(key, expected): (&Value, &Value)| is.get_value(key).is_some_and(|is| has_value(is, expected));
            is.len() == expected.len() && expected.iter().all(has)
        }
        (Value::Array(_) | Value::Hash(_), _) | (_, Value::Array(_) | Value::Hash(_)) => false,
        (is, expected) => is == expected || scalar(is).is_some_and(|text| scalar(expected).as_ref() == Some(&text)),
    }
}

/// A string, number or boolean as a string.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => Some(to_json(value).to_string()),
        _ => None,
    }
}

/// To resource types, a value equals an array of that one value.
fn unwrap_single(value: &Value) -> &Value {
    match value {
        Value::Array(items) if items.iter().count() == 1 => items.iter().next().unwrap_or(value),
        value => value,
    }
}

/// The message of a case that does not compile, with the hint of its error.
pub(super) fn not_compiled(message: &str, failure: &Diagnostic) -> String {
    match &failure.help {
        Some(help) => format!("does not compile: {}\nhelp: {help}", message.trim_end()),
        None => format!("does not compile: {message}"),
    }
}
