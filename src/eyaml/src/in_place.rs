//! Encrypts values of a data file that are in clear; all other bytes of the file stay as they are.

use std::path::Path;

use crate::count;
use crate::files::DataFile;
use crate::keys::Keys;
use crate::value_error;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_hiera::eyaml::Form;
use catwalk_hiera::eyaml::PublicKey;
use catwalk_hiera::eyaml::blocks;
use catwalk_messages::MessageLog;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::data::positions::Scalar;
use catwalk_value::data::positions::ScalarError;
use catwalk_value::data::positions::Style;
use catwalk_value::data::yaml;
use catwalk_world::Disk;

/// Encrypts the values of keys. Returns the result as a line.
///
/// # Errors
/// The file has no such key, its value cannot be encrypted in place, or the file cannot be written.
pub fn encrypt_in_place(
    path: &Path,
    names: &[String],
    keys: &Keys<'_>,
    world: &Disk,
    log: &dyn MessageLog,
) -> Result<String, Reason> {
    let file = DataFile::read(path, keys.here())?;
    file.refuse_link(world)?;
    let public = keys.public(Some(&file.path))?;
    let text =
        std::str::from_utf8(&file.bytes).map_err(|error| file.error_at(error.valid_up_to(), "it is not UTF-8"))?;
    let data = yaml::parse(&file.bytes).map_err(|error| {
        value_error("it is not YAML").in_file(error.location(&file.path, &file.bytes).without_text())
    })?;
    let mut values = Vec::new();
    for name in names {
        let path = key_path(name, &data);
        let scalar = positions::scalar(text, &path).map_err(|error| explain(error, name, &path, &file))?;
        if blocks(scalar.value.as_bytes()).is_empty() {
            values.push((name.as_str(), path, scalar));
        } else {
            log.note(&format!("{name} is already encrypted"));
        }
    }
    values.sort_by_key(|(.., scalar)| scalar.bytes.start);
    values.dedup_by(|(.., second), (.., first)| second.bytes == first.bytes);
    let new = replace_values(text, &values, &public).map_err(value_error)?;
    if !differs_only_in(&data, &new, &values) {
        let text =
            "the file would have other values afterwards, perhaps because a key occurs twice: nothing was written";
        return Err(value_error(format!("{}: {text}", file.shown())));
    }
    if !values.is_empty() {
        file.replace(new.as_bytes())?;
    }
    for (name, path, _) in &values {
        if !matches!(find(&data, path), Some(Value::Str(_))) {
            log.note(&format!("{name} was not a string; decrypted, it is one"));
        }
    }
    Ok(format!("{}: {} encrypted", file.shown(), count(values.len(), "value")))
}

/// The path of a key: itself if the file has it, else its parts between dots, as lookups take them.
fn key_path<'n>(name: &'n str, data: &Value) -> Vec<&'n str> {
    match data {
        Value::Hash(hash) if hash.get(name).is_some() => vec![name],
        _ => name.split('.').collect(),
    }
}

/// The value at a path.
fn find<'d>(data: &'d Value, path: &[&str]) -> Option<&'d Value> {
    path.iter().try_fold(data, |value, key| match value {
        Value::Hash(hash) => hash.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

fn explain(error: ScalarError, name: &str, path: &[&str], file: &DataFile) -> Reason {
    let position = std::str::from_utf8(&file.bytes).ok().and_then(|text| positions::find(text, path));
    let locate = |reason: Reason| match position {
        Some((line, _)) => reason.in_file(file.line_start(line)),
        None => reason,
    };
    match error {
        ScalarError::Missing => {
            let text = std::str::from_utf8(&file.bytes).unwrap_or_default();
            let known = positions::members(text, path.get(..path.len().saturating_sub(1)).unwrap_or_default());
            let near = did_you_mean(path.last().unwrap_or(&name), known.iter().map(|(name, _)| name.as_str()));
            Reason::usage(format!("{} has no key '{name}': nothing was written", file.shown())).hint(near)
        }
        ScalarError::Collection => {
            let text = format!("'{name}' is a list or a hash: nothing was written");
            locate(value_error(text)).help(format!("name a value in it, such as {name}.password or {name}.0"))
        }
        ScalarError::Decorated => {
            let text = format!("'{name}' has an anchor, an alias or a tag: nothing was written");
            locate(value_error(text)).help("write the value without it")
        }
    }
}

/// The text with encrypted values. `values` are sorted by their positions.
fn replace_values(text: &str, values: &[(&str, Vec<&str>, Scalar)], public: &PublicKey) -> Result<String, String> {
    let mut out = String::with_capacity(text.len() + values.len() * 800);
    let mut at = 0;
    for (_, _, scalar) in values {
        out.push_str(text.get(at..scalar.bytes.start).unwrap_or_default());
        // A value without text follows the colon of its key.
        if scalar.bytes.is_empty() && out.ends_with(':') {
            out.push(' ');
        }
        out.push_str(&write(scalar, &public.encrypt(scalar.value.as_bytes())?));
        at = scalar.bytes.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Ok(out)
}

/// An encrypted value in the style of the value in clear. Decrypting removes a line break at the end of a string, so a value that ends
/// with one must be followed by one more.
fn write(scalar: &Scalar, cipher: &str) -> String {
    let line = Form::Line.write(cipher);
    let ends_with_break = scalar.value.ends_with('\n');
    match &scalar.style {
        // hiera-eyaml edits blocks only after this header.
        Style::Block(indentation) => {
            format!(">\n{indentation}{}", Form::Wrapped(indentation.clone()).write(cipher))
        }
        _ if ends_with_break => format!("\"{line}\\n\""),
        Style::SingleQuoted => format!("'{line}'"),
        Style::DoubleQuoted => format!("\"{line}\""),
        Style::Plain if scalar.in_flow => format!("\"{line}\""),
        Style::Plain => line,
    }
}

/// Whether a new text has the data of the old one, except encrypted values at these paths.
fn differs_only_in(old: &Value, new: &str, values: &[(&str, Vec<&str>, Scalar)]) -> bool {
    let Ok(mut new) = yaml::parse(new.as_bytes()) else { return false };
    for (_, path, _) in values {
        let is_encrypted =
            find(&new, path).and_then(Value::as_str).is_some_and(|text| blocks(text.as_bytes()).len() == 1);
        let Some(before) = find(old, path).filter(|_| is_encrypted) else { return false };
        new = with(&new, path, before);
    }
    new == *old
}

/// A copy of a value with another value at a path.
fn with(data: &Value, path: &[&str], new: &Value) -> Value {
    let Some((key, rest)) = path.split_first() else { return new.clone() };
    match data {
        Value::Hash(hash) => {
            let replaced = hash.iter().map(|(name, value)| match name.as_str() == Some(key) {
                true => (name.clone(), with(value, rest, new)),
                false => (name.clone(), value.clone()),
            });
            Value::Hash(std::sync::Arc::new(replaced.collect()))
        }
        Value::Array(items) => {
            let replaced = items.iter().enumerate().map(|(at, value)| match key.parse() == Ok(at) {
                true => with(value, rest, new),
                false => value.clone(),
            });
            Value::array(replaced.collect())
        }
        other => other.clone(),
    }
}
