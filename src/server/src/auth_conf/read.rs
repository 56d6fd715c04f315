//! Reads `auth.conf`.
//!
//! In: HOCON, environment variables, short names of extensions. Out: rules; or what is wrong, as `validate-auth-config!` states it, and
//! what is not supported, with the line.

use catwalk_regexp::Regexp;
use catwalk_regexp::RegexpError;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::hocon;

use super::AuthRule;
use super::AuthRules;
use super::PathPattern;
use super::entry::Entry;
use super::entry::backreferences;

/// The methods that a rule may name.
const METHODS: [&str; 5] = ["delete", "get", "head", "post", "put"];

/// What a file may refer to.
pub(crate) struct AuthInputs<'a> {
    /// An environment variable, for a substitution.
    pub(crate) env: &'a dyn Fn(&str) -> Option<String>,
    /// Short names of certificate extensions that Puppet does not know, with their object identifiers.
    pub(crate) extension_names: &'a [(String, String)],
}

impl AuthInputs<'_> {
    #[cfg(test)]
    pub(crate) const NONE: AuthInputs<'static> = AuthInputs { env: &|_| None, extension_names: &[] };
}

/// A text, to find lines in it.
struct Source<'t> {
    name: &'t str,
    text: &'t str,
}

impl Source<'_> {
    fn error(&self, line: Option<usize>, why: &str) -> String {
        match line {
            Some(line) => format!("{}: {line}: {why}", self.name),
            None => format!("{}: {why}", self.name),
        }
    }

    /// The first line, from 1, that has a key and after it a word.
    fn line(&self, key: &str, word: &str) -> Option<usize> {
        let has = |line: &str| {
            let line = line.trim_start();
            let is_comment = line.starts_with('#') || line.starts_with("//");
            !is_comment && line.split_once(key).is_some_and(|(_, rest)| rest.contains(word))
        };
        self.text.lines().position(has).map(|at| at + 1)
    }
}

impl AuthRules {
    /// Parses the text of the file `name`.
    ///
    /// # Errors
    /// The text is not HOCON, or a rule is invalid or not supported.
    pub(crate) fn parse(text: &str, name: &str, inputs: &AuthInputs<'_>) -> Result<AuthRules, String> {
        let source = Source { name, text };
        let external = hocon::Inputs { env: inputs.env, read: &|_| None, may_include: false };
        let document = hocon::parse(text, name, &external).map_err(|error| error.message)?;
        let Value::Hash(document) = &document else { return Err(source.error(None, "it is not an object")) };
        let configuration = match document.get("authorization") {
            None => return Err(source.error(None, "Missing authorization service configuration.")),
            Some(Value::Hash(configuration)) => configuration,
            Some(_) => return Err(source.error(None, "The authorization service configuration is not a map.")),
        };
        if configuration.get("version").and_then(number) != Some(1) {
            let why = "Unsupported or missing version in configuration file. Supported versions are: 1";
            return Err(source.error(source.line("version", ""), why));
        }
        let header_line = source.line("allow-header-cert-info", "");
        match configuration.get("allow-header-cert-info") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => {
                let why = "not supported yet: allow-header-cert-info. Clients must connect with their certificates: a proxy in front \
                           of this server must pass TLS connections on";
                return Err(source.error(header_line, why));
            }
            Some(_) => return Err(source.error(header_line, "allow-header-cert-info is not a boolean.")),
        }
        let Some(Value::Array(list)) = configuration.get("rules") else {
            let why = "The authorization service configuration rules is not a list.";
            return Err(source.error(source.line("rules", ""), why));
        };
        let mut rules: Vec<AuthRule> = Vec::new();
        for value in list.iter() {
            let name = rule_name(value);
            let line = || name.and_then(|name| source.line("name", name));
            let rule = read_rule(value, inputs).map_err(|why| source.error(line(), &why))?;
            if rules.iter().any(|known| known.name == rule.name) {
                let why = format!("Duplicate rules named '{}'. Rules must be uniquely named.", rule.name);
                return Err(source.error(line(), &why));
            }
            rules.push(rule);
        }
        rules.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        Ok(AuthRules { rules })
    }
}

fn rule_name(rule: &Value) -> Option<&str> {
    let Value::Hash(rule) = rule else { return None };
    rule.get("name")?.as_str().filter(|name| !name.is_empty())
}

/// A number, which may be in quotes.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Str(text) => text.parse().ok(),
        _ => None,
    }
}

fn read_rule(value: &Value, inputs: &AuthInputs<'_>) -> Result<AuthRule, String> {
    let Value::Hash(rule) = value else {
        return Err("An authorization rule should be specified as a map.".to_owned());
    };
    let name = rule_name(value).unwrap_or_default().to_owned();
    let wrong = |why: &str| format!("The authorization rule '{name}' {why}");
    let missing = |key: &str| wrong(&format!("does not contain a '{key}' key."));
    let Some(Value::Hash(matching)) = rule.get("match-request") else {
        return Err(wrong("must contain a 'match-request' section."));
    };
    if name.is_empty() {
        return Err(missing("name"));
    }
    let order = match rule.get("sort-order").map(number) {
        Some(Some(order)) if (1..=999).contains(&order) => order,
        Some(_) => return Err(wrong("has an invalid sort-order. It should be a number from 1 to 999.")),
        None => return Err(missing("sort-order")),
    };
    let allows_unauthenticated = rule.get("allow-unauthenticated") == Some(&Value::Bool(true));
    let (allow, deny) = (rule.get("allow"), rule.get("deny"));
    match allow.or(deny) {
        Some(_) if allows_unauthenticated => {
            return Err(wrong("cannot have allow or deny if allow-unauthenticated."));
        }
        None if !allows_unauthenticated => return Err(wrong("must contain either a 'deny' or 'allow' rule.")),
        _ => {}
    }
    let (path, groups) = read_path(matching).map_err(|why| wrong(&why))?;
    let entries = |key: &str, value: Option<&Value>| {
        value.map_or(Ok(Vec::new()), |value| read_entries(key, value, groups, inputs)).map_err(|why| wrong(&why))
    };
    Ok(AuthRule {
        order,
        path,
        methods: read_methods(matching.get("method")).map_err(|why| wrong(&why))?,
        parameters: read_parameters(matching.get("query-params")).map_err(|why| wrong(&why))?,
        allows_unauthenticated,
        deny: entries("deny", deny)?,
        allow: entries("allow", allow)?,
        name: name.clone(),
    })
}

/// The pattern of paths, and the number of its groups if it is a regular expression.
fn read_path(matching: &Hash) -> Result<(PathPattern, Option<usize>), String> {
    let text = |key: &str| match matching.get(key) {
        Some(Value::Str(text)) => Ok(text.to_string()),
        Some(_) => Err(format!("has an invalid {key}. It should be a string.")),
        None => Err(format!("does not contain a '{key}' key.")),
    };
    let path = text("path")?;
    match text("type")?.as_str() {
        "path" => Ok((PathPattern::Start(path), None)),
        "regex" => {
            let pattern = Regexp::new(path.as_str());
            let invalid = |why: &str| format!("has an invalid path regex: {why}");
            // An empty alternative matches everything, so that the number of groups is known.
            let counting = Regexp::new(format!("{path}|"));
            let found = counting.captures("").map_err(|why| invalid(why.message()))?;
            let groups = found.map_or(0, |found| found.len().saturating_sub(1));
            check_pattern(&pattern).map_err(|why| invalid(&why))?;
            Ok((PathPattern::Regex(pattern), Some(groups)))
        }
        _ => Err("has an invalid type. It should be set to either 'path' or 'regex'.".to_owned()),
    }
}

/// Checks a regular expression of a path or a name. Some constructs mean something else in Java, where puppetserver evaluates them; and a
/// search must not take longer than its pattern and the name are long.
pub(super) fn check_pattern(pattern: &Regexp) -> Result<(), String> {
    let message = |why: RegexpError| why.message().to_owned();
    let needs_backtracking = pattern.needs_backtracking().map_err(message)?;
    let mut escaped = pattern.source().split('\\').skip(1);
    // After an escaped backslash comes an empty part, and then one that is not escaped.
    while let Some(part) = escaped.next() {
        match part.chars().next() {
            Some(c @ ('Q' | 'E')) => return Err(format!("not supported yet: \\{c}")),
            Some(_) => {}
            None => drop(escaped.next()),
        }
    }
    if pattern.names().map_err(message)?.iter().any(Option::is_some) {
        return Err("not supported yet: groups with names".to_owned());
    }
    if needs_backtracking {
        return Err("not supported yet: what needs backtracking, such as look-arounds and backreferences".to_owned());
    }
    Ok(())
}

fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Str(text) => Some(vec![text.to_string()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn read_methods(value: Option<&Value>) -> Result<Vec<String>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let methods: Option<Vec<String>> =
        strings(value).map(|methods| methods.iter().map(|method| method.to_ascii_lowercase()).collect());
    methods.filter(|methods| methods.iter().all(|method| METHODS.contains(&method.as_str()))).ok_or_else(|| {
        format!(
            "has an invalid method. The method should be a string or list of strings equal to one of the following: '{}'",
            METHODS.join("', '")
        )
    })
}

fn read_parameters(value: Option<&Value>) -> Result<Vec<(String, Vec<String>)>, String> {
    let parameters = match value {
        None => return Ok(Vec::new()),
        Some(Value::Hash(parameters)) => parameters,
        Some(_) => return Err("has query-params that are not a map.".to_owned()),
    };
    let parameter = |(name, value): (&Value, &Value)| {
        let name = name.as_str().unwrap_or_default().to_owned();
        let values = strings(value);
        values
            .map(|values| (name.clone(), values))
            .ok_or_else(|| format!("has an invalid query-param '{name}'. It should be a string or list of strings."))
    };
    parameters.iter().map(parameter).collect()
}

/// The entries of `allow` or `deny`. `groups`: how many groups the path has.
fn read_entries(
    key: &str,
    value: &Value,
    groups: Option<usize>,
    inputs: &AuthInputs<'_>,
) -> Result<Vec<Entry>, String> {
    let items = match value {
        Value::Array(items) => items.iter().collect(),
        value => vec![value],
    };
    items.into_iter().map(|item| read_entry(key, item, groups, inputs)).collect()
}

fn read_entry(key: &str, value: &Value, groups: Option<usize>, inputs: &AuthInputs<'_>) -> Result<Entry, String> {
    let map = match value {
        Value::Str(name) => return read_name(key, name, groups),
        Value::Hash(map) => map,
        _ => return Err(format!("has an invalid entry in '{key}'. It should be a string or a map.")),
    };
    match (map.get("certname"), map.get("extensions"), map.get("rbac")) {
        (Some(Value::Str(name)), None, None) => read_name(key, name, groups),
        (None, Some(Value::Hash(extensions)), None) => read_extensions(extensions, inputs),
        (None, None, Some(_)) if key == "deny" => Err("uses rbac to deny access.".to_owned()),
        (None, None, Some(_)) => Ok(Entry::Role),
        _ => Err(format!(
            "has an invalid entry in '{key}'. It must contain exactly one of 'certname' or 'extensions' or 'rbac' keys"
        )),
    }
}

fn read_name(key: &str, name: &str, groups: Option<usize>) -> Result<Entry, String> {
    let largest = backreferences(name).into_iter().max().unwrap_or(0);
    if largest > groups.unwrap_or(0) {
        return Err(format!(
            "contains the back reference '${largest}' in '{key}', which refers to a capture group in the regex that doesn't exist."
        ));
    }
    Entry::read(name, key == "deny").map_err(|why| format!("has an invalid entry in '{key}': {why}"))
}

fn read_extensions(extensions: &Hash, inputs: &AuthInputs<'_>) -> Result<Entry, String> {
    let no_strings = || "has extensions that do not map an extension to a value or list of values.".to_owned();
    let (mut wanted, mut alt_names) = (Vec::new(), None);
    for (name, value) in extensions.iter() {
        let name = name.as_str().unwrap_or_default();
        if let ("subject-alt-name", Value::Hash(kinds)) = (name, value) {
            alt_names = Some(read_alternative_names(kinds)?);
            continue;
        }
        let values = strings(value).ok_or_else(no_strings)?;
        let known = catwalk_certificate::extension_name(name, inputs.extension_names).ok_or_else(|| {
            format!(
                "has the extension '{name}', which is neither a short name nor an object identifier below 1.3.6.1.4.1.34380.1"
            )
        })?;
        wanted.push((known, values));
    }
    Ok(match alt_names {
        None => Entry::Extensions(wanted),
        Some(names) => Entry::AlternativeNames(names, wanted),
    })
}

/// The kinds of alternative names that are read from certificates.
const ALTERNATIVE_NAMES: [&str; 4] = ["dns-name", "ip", "uri", "rfc822-name"];

fn read_alternative_names(kinds: &Hash) -> Result<Vec<(String, Vec<String>)>, String> {
    let kind = |(kind, names): (&Value, &Value)| {
        let kind = kind.as_str().unwrap_or_default().to_owned();
        if !ALTERNATIVE_NAMES.contains(&kind.as_str()) {
            let known = ALTERNATIVE_NAMES.join("', '");
            return Err(format!("has '{kind}' in 'subject-alt-name', which is not supported: only '{known}'"));
        }
        let names = strings(names).ok_or("has names in 'subject-alt-name' that are not strings.")?;
        Ok((kind, names))
    };
    kinds.iter().map(kind).collect()
}
