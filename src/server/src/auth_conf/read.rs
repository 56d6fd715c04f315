//! Reads `auth.conf`.
//!
//! In: HOCON. Out: rules, messages to log; or what is wrong, as `validate-auth-config!` states it.

use catwalk_regexp::Regexp;
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

impl AuthRules {
    /// Parses the text of the file `name`. Also returns messages to log.
    ///
    /// # Errors
    /// The text is not HOCON, or a rule is invalid.
    pub(crate) fn parse(text: &str, name: &str) -> Result<(AuthRules, Vec<String>), String> {
        let document = hocon::parse(text, name, &hocon::Inputs::NONE).map_err(|error| error.message)?;
        let Value::Hash(document) = &document else { return Err(format!("{name}: it is not an object")) };
        let configuration = match document.get("authorization") {
            None => return Err(format!("{name}: Missing authorization service configuration.")),
            Some(Value::Hash(configuration)) => configuration,
            Some(_) => return Err(format!("{name}: The authorization service configuration is not a map.")),
        };
        if configuration.get("version") != Some(&Value::Int(1)) {
            let text = "Unsupported or missing version in configuration file. Supported versions are: 1";
            return Err(format!("{name}: {text}"));
        }
        let Some(Value::Array(list)) = configuration.get("rules") else {
            return Err(format!("{name}: The authorization service configuration rules is not a list."));
        };
        let mut messages = Vec::new();
        if configuration.get("allow-header-cert-info") == Some(&Value::Bool(true)) {
            messages.push(format!("{name}: allow-header-cert-info is ignored: only certificates of connections count"));
        }
        let mut rules: Vec<AuthRule> = Vec::new();
        for value in list.iter() {
            let rule = read_rule(value).map_err(|why| format!("{name}: {why}"))?;
            if rules.iter().any(|known| known.name == rule.name) {
                let text = format!("Duplicate rules named '{}'. Rules must be uniquely named.", rule.name);
                return Err(format!("{name}: {text}"));
            }
            rules.push(rule);
        }
        rules.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        Ok((AuthRules { rules }, messages))
    }
}

fn read_rule(value: &Value) -> Result<AuthRule, String> {
    let Value::Hash(rule) = value else {
        return Err("An authorization rule should be specified as a map.".to_owned());
    };
    let name = rule.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let wrong = |why: &str| format!("The authorization rule '{name}' {why}");
    let missing = |key: &str| wrong(&format!("does not contain a '{key}' key."));
    let Some(Value::Hash(matching)) = rule.get("match-request") else {
        return Err(wrong("must contain a 'match-request' section."));
    };
    if name.is_empty() {
        return Err(missing("name"));
    }
    let order = match rule.get("sort-order") {
        Some(Value::Int(order)) if (1..=999).contains(order) => *order,
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
        value.map_or(Ok(Vec::new()), |value| read_entries(key, value, groups)).map_err(|why| wrong(&why))
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
            pattern.check().map_err(|why| invalid(why.message()))?;
            Ok((PathPattern::Regex(pattern), Some(groups)))
        }
        _ => Err("has an invalid type. It should be set to either 'path' or 'regex'.".to_owned()),
    }
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
fn read_entries(key: &str, value: &Value, groups: Option<usize>) -> Result<Vec<Entry>, String> {
    let items = match value {
        Value::Array(items) => items.iter().collect(),
        value => vec![value],
    };
    items.into_iter().map(|item| read_entry(key, item, groups)).collect()
}

fn read_entry(key: &str, value: &Value, groups: Option<usize>) -> Result<Entry, String> {
    let map = match value {
        Value::Str(name) => return read_name(key, name, groups),
        Value::Hash(map) => map,
        _ => return Err(format!("has an invalid entry in '{key}'. It should be a string or a map.")),
    };
    match (map.get("certname"), map.get("extensions"), map.get("rbac")) {
        (Some(Value::Str(name)), None, None) => read_name(key, name, groups),
        (None, Some(Value::Hash(extensions)), None) => read_extensions(extensions),
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
    Entry::read(name).map_err(|why| format!("has an invalid entry in '{key}': {why}"))
}

fn read_extensions(extensions: &Hash) -> Result<Entry, String> {
    let extension = |(name, value): (&Value, &Value)| {
        let name = name.as_str().unwrap_or_default().to_owned();
        if name == "subject-alt-name" {
            return Err("uses 'subject-alt-name', which is not supported.".to_owned());
        }
        let values = strings(value);
        let values = values.ok_or("has extensions that do not map an extension to a value or list of values.")?;
        Ok((name, values))
    };
    extensions.iter().map(extension).collect::<Result<Vec<_>, _>>().map(Entry::Extensions)
}
