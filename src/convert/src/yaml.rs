//! Writes values as YAML.

use serde_json::Value as Json;

/// Words that YAML does not read as strings.
const WORDS: [&str; 12] = ["true", "false", "yes", "no", "on", "off", "null", "~", "y", "n", "=", "<<"];

/// A string, quoted if YAML would not read it as this string.
pub(super) fn string(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_/.-".contains(c) || c == ' ';
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '_');
    let ends = !text.ends_with(' ');
    if begins && ends && text.chars().all(is_plain) && !WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return text.to_owned();
    }
    Json::from(text).to_string()
}

/// A key: strings such as `File[/etc/motd]` are quoted.
pub(super) fn key(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match begins && text.chars().all(is_plain) && !WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        true => text.to_owned(),
        false => Json::from(text).to_string(),
    }
}

/// A value in flow style, in one line.
pub(super) fn flow(value: &Json) -> String {
    match value {
        Json::Null => "~".to_owned(),
        Json::String(text) => {
            // Spaces are safe inside of brackets. Strings with commas are quoted by `string`.
            string(text)
        }
        Json::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A string as a block of several lines after `KEY: `, or quoted if a block cannot represent it.
pub(super) fn block(text: &str, indent: usize) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let is_safe = |c: char| !c.is_control() || c == '\n';
    let first_is_indented = lines().next().is_some_and(|line| line.starts_with(' '));
    if !text.contains('\n') || !text.chars().all(is_safe) || first_is_indented || lines().next().is_none() {
        return string(text);
    }
    let mut block = "|".to_owned();
    for line in text.trim_end().lines() {
        block.push('\n');
        if !line.trim().is_empty() {
            block.push_str(&" ".repeat(indent));
            block.push_str(line.trim_end());
        }
    }
    block
}
