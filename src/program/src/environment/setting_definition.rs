//! Puppet's settings: their kinds, defaults and valid values (`puppet/defaults.rb`, `puppet/settings/*_setting.rb`).
//!
//! In: the name of a setting and a string. Out: its value as manifests see it in `$settings::`, or why the string is invalid.
//! Must not: know installations. The table is written by `tests/reference/settings.rb`.

use std::sync::OnceLock;

use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_base::version::Version;
use catwalk_value::Value;

const TABLE: &str = include_str!("setting_definitions.tsv");

/// The definition of one setting.
#[derive(Debug)]
pub struct SettingDefinition {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value: the name of Puppet's class without `Setting`.
    kind: &'static str,
    /// The default before interpolation; `None` where it depends on the machine, or is undef.
    default: Option<String>,
    allowed: Vec<&'static str>,
    /// The major versions that have it; empty: all have it.
    versions: Vec<u32>,
}

/// All settings of all versions, in Puppet's order.
fn table() -> &'static [SettingDefinition] {
    static SETTINGS: OnceLock<Vec<SettingDefinition>> = OnceLock::new();
    SETTINGS.get_or_init(|| TABLE.lines().filter_map(parse_line).collect())
}

fn parse_line(text: &'static str) -> Option<SettingDefinition> {
    let mut columns = text.split('\t');
    let [Some(versions), Some(name), Some(kind), Some(default)] = std::array::from_fn(|_| columns.next()) else {
        return None;
    };
    let default = match serde_json::from_str(default).ok()? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Array(items) => {
            Some(items.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join(","))
        }
        other => Some(other.to_string()),
    };
    let allowed = columns.next().unwrap_or("").split(',').filter(|value| !value.is_empty()).collect();
    Some(SettingDefinition { name, kind, default, allowed, versions: parse_versions(versions) })
}

/// `7`, `8,9`, or `*` for all.
fn parse_versions(text: &str) -> Vec<u32> {
    text.split(',').filter_map(|major| major.parse().ok()).collect()
}

/// The settings of a version, in Puppet's order.
pub fn all(version: Version) -> impl Iterator<Item = &'static SettingDefinition> {
    table().iter().filter(move |setting| setting.versions.is_empty() || setting.versions.contains(&version.major))
}

/// The setting with a name.
#[must_use]
pub fn find(name: &str, version: Version) -> Option<&'static SettingDefinition> {
    all(version).find(|setting| setting.name == name)
}

/// The error for an unknown setting, with the closest known name.
#[must_use]
pub fn unknown(name: &str, version: Version) -> Reason {
    let reason = Reason::runtime(format!("unknown setting '{name}' of Puppet {}", version.major));
    let nearest = |setting: &SettingDefinition| {
        setting.versions.iter().copied().min_by_key(|major| major.abs_diff(version.major))
    };
    if let Some(other) = table().iter().find(|setting| setting.name == name).and_then(nearest) {
        return reason.help(format!("Puppet {other} has it"));
    }
    let normalized = name.replace('-', "_").to_ascii_lowercase();
    reason.hint(did_you_mean(&normalized, all(version).map(|setting| setting.name)))
}

impl SettingDefinition {
    /// Its default in this version, uninterpolated.
    #[must_use]
    pub fn default(&self, version: Version) -> Option<String> {
        self.default.as_ref().map(|default| default.replace("%{release}", version.release))
    }

    /// Whether the value is one or more paths of files or directories.
    #[must_use]
    pub fn is_path(&self) -> bool {
        matches!(self.kind, "file" | "directory" | "fileordirectory" | "path")
    }

    /// Converts and checks a string as Puppet does.
    ///
    /// # Errors
    /// The setting cannot have that value.
    pub fn value(&self, text: &str, version: Version) -> Result<Value, Reason> {
        self.check(text, version)?;
        let name = self.name;
        let quoted = || format!("{text:?}");
        let bad = |text: String| Err(Reason::runtime(text));
        match self.kind {
            "boolean" => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => bad(format!("Invalid value '{}' for boolean parameter: {name}", quoted())),
            },
            "enum" | "symbolicenum" if !self.allowed.contains(&text) => {
                let allowed = self.allowed.join("', '");
                bad(format!("Invalid value '{text}' for parameter {name}. Allowed values are '{allowed}'"))
            }
            "integer" | "port" | "alias" => match integer(text) {
                Some(number) if self.kind != "integer" && !(0..=65_535).contains(&number) => {
                    bad(format!("Value '{number}' is not a valid port number for parameter: {name}"))
                }
                Some(number) => Ok(Value::Int(number)),
                None => bad(format!("Cannot convert '{}' to an integer for parameter: {name}", quoted())),
            },
            "ttl" if text == "unlimited" => Ok(Value::Float(f64::INFINITY)),
            "ttl" | "duration" => match seconds(text) {
                Some(seconds) => Ok(Value::Int(seconds)),
                None if self.kind == "ttl" => {
                    bad(format!("Invalid 'time to live' format '{}' for parameter: {name}", quoted()))
                }
                None => bad(format!("Invalid duration format '{}' for parameter: {name}", quoted())),
            },
            "priority" => match (text.bytes().any(|b| b.is_ascii_digit()), text) {
                (true, _) => Ok(Value::Int(leading(text))),
                (_, "high") => Ok(Value::Int(-10)),
                (_, "normal") => Ok(Value::Int(0)),
                (_, "low") => Ok(Value::Int(10)),
                (_, "idle") => Ok(Value::Int(19)),
                _ => bad(format!("Invalid priority format '{}' for parameter: {name}", quoted())),
            },
            "certificaterevocation" => match text {
                "chain" | "true" => Ok(Value::str("chain")),
                "leaf" => Ok(Value::str("leaf")),
                "false" => Ok(Value::Bool(false)),
                _ => bad(format!(
                    "Invalid certificate revocation value {text}: must be one of 'true', 'chain', 'leaf', or 'false'"
                )),
            },
            "terminus" if text.is_empty() => Ok(Value::Undef),
            "autosign" if matches!(text, "true" | "false") => Ok(Value::Bool(text == "true")),
            "autosign" if !text.starts_with('/') => {
                bad(format!("Invalid autosign value {text}: must be 'true'/'false' or an absolute path"))
            }
            "array" => Ok(Value::array(parts(text).map(Value::str).collect())),
            "serverlist" | "httpextraheaders" => {
                let pair = |item: &str| Value::array(item.split(':').map(Value::str).collect());
                Ok(Value::array(parts(text).map(pair).collect()))
            }
            _ => Ok(Value::str(text)),
        }
    }

    /// Checks that belong to a single setting (`:hook` in `defaults.rb`).
    fn check(&self, text: &str, version: Version) -> Result<(), Reason> {
        let bad = |text: String| Err(Reason::runtime(text));
        match self.name {
            "certname" if text.to_lowercase() != text => bad("Certificate names must be lower case".to_owned()),
            "disable_warnings" => {
                let valid = ["deprecations", "undefined_variables", "undefined_resources"];
                let invalid: Vec<&str> = parts(text).filter(|item| !valid.contains(item)).collect();
                if invalid.is_empty() {
                    return Ok(());
                }
                bad(format!(
                    "Cannot disable unrecognized warning types '{}'. Valid values are '{}'.",
                    invalid.join(","),
                    valid.join(", ")
                ))
            }
            "supported_checksum_types" => {
                let valid = [
                    "sha256",
                    "sha256lite",
                    "sha384",
                    "sha512",
                    "sha224",
                    "sha1",
                    "sha1lite",
                    "md5",
                    "md5lite",
                    "mtime",
                    "ctime",
                ];
                let Some(wrong) = parts(text).find(|item| !valid.contains(item)) else { return Ok(()) };
                bad(format!(
                    "Invalid value '{wrong}' for parameter {}. Allowed values are '{}'",
                    self.name,
                    valid.join("', '")
                ))
            }
            "http_proxy_password" if text.contains(['@', '!', '#', ' ', '/']) => bad(format!(
                "Passwords set in the http_proxy_password setting must be valid as part of a URL, and any reserved characters \
                 must be URL-encoded. We received: {text}"
            )),
            "preferred_serialization_format" if text == "pson" && version.major >= 8 => {
                bad("The 'puppet-pson' gem must be installed to use the PSON serialization format.".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The items of a list separated by commas, as Ruby's `split` finds them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let end = text.trim_end_matches(|c: char| c == ',' || c.is_ascii_whitespace());
    end.split(',').map(str::trim).filter(move |_| !end.is_empty())
}

/// A whole number as Ruby's `Integer()` reads it.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = digits.replace('_', "");
    let number = match plain.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => i64::from_str_radix(plain.get(2..)?, 16),
        Some("0b") => i64::from_str_radix(plain.get(2..)?, 2),
        Some("0o") => i64::from_str_radix(plain.get(2..)?, 8),
        Some(start) if start.starts_with('0') => i64::from_str_radix(&plain, 8),
        _ => plain.parse(),
    };
    number.ok().filter(|number| *number >= 0).map(|number| sign * number)
}

/// The result of `String#to_i`.
fn leading(text: &str) -> i64 {
    let (sign, digits) = text.trim_start().strip_prefix('-').map_or((1, text.trim_start()), |rest| (-1, rest));
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end).and_then(|digits| digits.parse::<i64>().ok()).map_or(0, |number| sign * number)
}

/// `30m`, `2d`: seconds.
fn seconds(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i64 = text.get(..end)?.parse().ok()?;
    let unit = match text.get(end..)? {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "y" => 365 * 24 * 60 * 60,
        _ => return None,
    };
    number.checked_mul(unit)
}
