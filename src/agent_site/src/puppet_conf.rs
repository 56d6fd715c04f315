//! `puppet.conf` as a server reads it (Puppet::Settings::IniFile, ConfigFile, ValueTranslator).
//!
//! In: the text of the file. Out: the values of settings from the sections `server`, `master` and `main`, in this order of precedence. Must
//! not: know what settings mean, fill in `$name`.

use indexmap::IndexMap;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

/// The sections that Puppet accepts.
const SECTIONS: [&str; 5] = ["main", "server", "master", "agent", "user"];
/// The sections that a server reads; the first one with a setting decides.
const OF_SERVERS: [&str; 3] = ["server", "master", "main"];
/// Settings that only `environment.conf` and the command line may have.
const OF_ENVIRONMENTS: [&str; 3] = ["modulepath", "manifest", "config_version"];

/// The settings of a section, in their order.
type Section = IndexMap<String, String>;

/// A line of the file.
enum Line<'t> {
    Section(&'t str),
    Setting(&'t str, &'t str),
    /// A comment or an empty line.
    Blank,
    Other(&'t str),
}

/// Reads a file with the name `name`. The settings are in the order of sections and lines.
///
/// # Errors
/// The file has a line, section or setting that Puppet refuses.
pub fn read_puppet_conf(text: &str, name: &str) -> Result<IndexMap<String, String>, Reason> {
    let lines: Vec<Line<'_>> =
        text.split('\n').map(|line| parse_line(line.strip_suffix('\r').unwrap_or(line))).collect();
    let mut sections: IndexMap<&str, Section> = IndexMap::from([("main", Section::new())]);
    for (at, line) in lines.iter().enumerate() {
        let Line::Section(section) = line else { continue };
        if !SECTIONS.contains(section) {
            let text = format!(
                "Illegal section '{section}' in config file at (file: {name}, line: {}). The only valid puppet.conf sections are: [{}].",
                at + 1,
                SECTIONS.join(", ")
            );
            return Err(Reason::new(Code::BAD_SETTING, text));
        }
        sections.entry(section).or_default();
    }
    let mut current = "main";
    for (at, line) in lines.iter().enumerate() {
        let refuse = |why: String| Reason::new(Code::BAD_SETTING, format!("{why} (file: {name}, line: {})", at + 1));
        match line {
            Line::Section(section) => current = section,
            Line::Setting(setting, value) => {
                let value = convert(value).map_err(refuse)?;
                if OF_ENVIRONMENTS.contains(setting) {
                    return Err(refuse(format!("Cannot set {setting} settings in puppet.conf")));
                }
                sections.entry(current).or_default().entry((*setting).to_owned()).or_insert(value);
            }
            Line::Blank => {}
            Line::Other(line) => return Err(refuse(format!("Could not match line {line}"))),
        }
    }
    let mut settings = IndexMap::new();
    for section in OF_SERVERS.iter().filter_map(|name| sections.get(name)) {
        for (name, value) in section {
            settings.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    Ok(settings)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{b}' | '\u{c}')
}

fn parse_line(line: &str) -> Line<'_> {
    let trimmed = line.trim_matches(is_blank);
    let section = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(section) = section.filter(|section| is_word(section)) {
        return Line::Section(section);
    }
    if let Some((name, value)) = trimmed.split_once('=')
        && is_word(name.trim_end_matches(is_blank))
    {
        return Line::Setting(name.trim_end_matches(is_blank), value.trim_start_matches(is_blank));
    }
    if trimmed.is_empty() || trimmed.starts_with('#') { Line::Blank } else { Line::Other(line) }
}

/// The value of a setting without quotes, and without the owner and mode of a file, which Puppet sets.
fn convert(value: &str) -> Result<String, String> {
    for word in ["true", "false"] {
        if value.eq_ignore_ascii_case(word) {
            return Ok(word.to_owned());
        }
    }
    let quotes = ['"', '\''];
    let value = value.strip_prefix(quotes).unwrap_or(value);
    let value = value.strip_suffix(quotes).unwrap_or(value).trim_end_matches(is_blank);
    without_file_options(value)
}

/// A value without `{owner = NAME, group = NAME, mode = NUMBER}`.
fn without_file_options(value: &str) -> Result<String, String> {
    let mut from = 0;
    while let Some(start) = value.get(from..).and_then(|rest| rest.find('{')).map(|at| from + at) {
        let Some(length) = value.get(start + 1..).and_then(|rest| rest.find('}')) else { break };
        let inside = value.get(start + 1..start + 1 + length).unwrap_or_default();
        if inside.is_empty() {
            from = start + 1;
            continue;
        }
        for option in inside.split(',').map(|option| option.trim_matches(is_blank)) {
            check_file_option(option).map_err(|why| why.unwrap_or_else(|| format!("Could not parse '{value}'")))?;
        }
        let before = value.get(..start).unwrap_or_default();
        let after = value.get(start + length + 2..).unwrap_or_default();
        return Ok(format!("{before}{after}").trim_end_matches(is_blank).to_owned());
    }
    Ok(value.to_owned())
}

/// Checks `mode = 0640`. `Err(None)`: it has another form.
fn check_file_option(option: &str) -> Result<(), Option<String>> {
    let is_ascii_word = |text: &str| is_word(text) && text.is_ascii();
    let (name, value) = option.split_once('=').ok_or(None)?;
    let (name, value) = (name.trim_end_matches(is_blank), value.trim_start_matches(is_blank));
    if !is_ascii_word(name) || !is_ascii_word(value) {
        return Err(None);
    }
    match name {
        "mode" if !value.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(Some("File modes must be numbers".to_owned()))
        }
        "owner" | "group" | "mode" => Ok(()),
        name => Err(Some(format!("Invalid file option '{name}'"))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;
    use serde_json::Value;

    #[test]
    fn files_are_read_as_by_puppet() {
        let recorded: Vec<Value> = serde_json::from_str(include_str!("puppet_conf.json")).unwrap();
        assert!(recorded.len() > 30);
        for case in recorded {
            let text = case["text"].as_str().unwrap();
            match (&case["error"], read_puppet_conf(text, "puppet.conf")) {
                (Value::String(expected), Err(why)) => {
                    let start = expected.split_once(" Please use").map_or(expected.as_str(), |(start, _)| start);
                    let start = start.replace('\n', "");
                    assert!(
                        why.message.starts_with(&start) && why.message.contains("line: "),
                        "{text:?}: {}",
                        why.message
                    );
                }
                (Value::Null, Ok(found)) => {
                    let mut found: Vec<_> = found.into_iter().collect();
                    found.sort();
                    let found: serde_json::Map<_, _> = found.into_iter().map(|(k, v)| (k, Value::from(v))).collect();
                    assert_eq!(Value::Object(found), case["settings"], "{text:?}");
                }
                (expected, found) => panic!("{text:?}: {expected} {found:?}"),
            }
        }
    }
}
