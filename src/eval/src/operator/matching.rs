//! `=~`, `!~`, `in` and the matching of `case` and selectors. A successful regexp match sets `$0` …

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::issues;
use crate::operator::equals;
use catwalk_base::diag::Reason;
use catwalk_regexp::Regexp;
use catwalk_regexp::RegexpError;
use catwalk_syntax::ast::Binary;
use catwalk_value::SemVer;
use catwalk_value::SemVerRange;
use catwalk_value::Str;
use catwalk_value::Type;
use catwalk_value::Value;

/// The failure of an invalid regular expression.
fn invalid_regexp(error: &RegexpError) -> Reason {
    Reason::runtime(error.message().to_owned())
}

/// Whether a value is an instance of a type. A type that cannot test values is an error.
fn fits(t: &Type, value: &Value) -> Res<bool> {
    let fits = catwalk_value::is_instance(t, value);
    if !fits || matches!(t.resolved(), Type::Init(_)) {
        catwalk_value::check_matchable(t, value)?;
    }
    Ok(fits)
}

impl<'c> Evaluator<'c> {
    /// Matches a string and sets the match variables.
    ///
    /// # Errors
    ///
    /// The expression is invalid.
    pub(crate) fn match_regexp(&mut self, regexp: &Regexp, text: &Str) -> Res<bool> {
        let Some(captures) = regexp.captures(text).map_err(|error| invalid_regexp(&error))? else { return Ok(false) };
        let groups = captures.iter().map(|group| group.map_or(Value::Undef, |group| Value::derived(text, group)));
        let groups: Vec<Value> = groups.collect();
        self.set_matches(Some(groups));
        Ok(true)
    }

    pub(super) fn match_operator(&mut self, left: &Value, pattern: &Value, binary: &'c Binary) -> Res<bool> {
        let not_regexp = |detail: &str| Err(Stop::issue(issues::match_not_regexp(detail), binary.right.span));
        let converted;
        let regexp = match pattern {
            Value::Type(pattern) => {
                return fits(pattern, left);
            }
            Value::SemVerRange(range) => return Ok(is_version_in_range(range, left)),
            Value::Regexp(regexp) => regexp.as_ref(),
            Value::Str(text) => {
                converted = Regexp::new(text.as_ref());
                if let Err(error) = converted.check() {
                    return not_regexp(error.message());
                }
                &converted
            }
            other => {
                return not_regexp(&format!(
                    "no implicit conversion of {} into String",
                    catwalk_value::ruby::plain_conversion_name(other)
                ));
            }
        };
        match left {
            Value::Str(text) => self.match_regexp(regexp, text),
            other => Err(Stop::issue(issues::match_not_string(&catwalk_value::label(other)), binary.left.span)),
        }
    }

    /// Whether a value matches an option of `case` (`CompareOperator#match`).
    pub(crate) fn matches(&mut self, value: &Value, pattern: &Value) -> Res<bool> {
        match pattern {
            Value::Regexp(regexp) => match value {
                Value::Str(text) => self.match_regexp(regexp, text),
                _ => Ok(false),
            },
            // A resource is compared for equality.
            Value::Type(Type::Resource(resource)) if resource.resolved => Ok(pattern == value),
            Value::Type(pattern) => fits(pattern, value),
            Value::Default => Ok(true),
            // Puppet calls a method `default` that does not exist. (CompareOperator#match_Symbol)
            Value::Symbol(_) => Err(Stop::runtime(
                "undefined local variable or method `default' for #<Puppet::Pops::Evaluator::CompareOperator>",
            )),
            Value::SemVer(version) => Ok(is_version(version, value)),
            Value::SemVerRange(range) => Ok(is_version_in_range(range, value)),
            Value::Array(patterns) => {
                let Value::Array(values) = value else { return Ok(false) };
                if values.len() != patterns.len() {
                    return Ok(false);
                }
                for (value, pattern) in values.iter().zip(patterns.iter()) {
                    if !self.matches(value, pattern)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Hash(patterns) => {
                let Value::Hash(values) = value else { return Ok(false) };
                for (key, pattern) in patterns.iter() {
                    if !self.matches(values.get_value(key).unwrap_or(&Value::Undef), pattern)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(equals(value, pattern)),
        }
    }

    /// `element in container`
    pub(super) fn contains(&mut self, container: &Value, element: &Value) -> Res<bool> {
        match container {
            Value::Str(text) => match element {
                Value::Str(part) => Ok(text.to_lowercase().contains(&part.to_lowercase())),
                Value::Regexp(regexp) => self.match_regexp(regexp, text),
                _ => Ok(false),
            },
            Value::Array(items) => self.contains_item(items.iter(), element),
            Value::Hash(entries) => self.contains_item(entries.keys(), element),
            Value::SemVerRange(range) => Ok(is_version_in_range(range, element)),
            // Ruby compares bytes with a string if one of them is ASCII.
            Value::Binary(bytes) => Ok(match element {
                Value::Binary(part) => contains_bytes(bytes, part),
                Value::Str(part) if !part.is_ascii() && !bytes.is_ascii() => {
                    return Err(Stop::runtime("incompatible character encodings: ASCII-8BIT and UTF-8"));
                }
                Value::Str(part) => contains_bytes(bytes, part.as_bytes()),
                Value::Int(byte) => bytes.iter().any(|item| i64::from(*item) == *byte),
                Value::Float(byte) => bytes.iter().any(|item| f64::from(*item) == *byte),
                _ => false,
            }),
            _ => Ok(false),
        }
    }

    fn contains_item<'v>(&mut self, mut items: impl Iterator<Item = &'v Value>, element: &Value) -> Res<bool> {
        match element {
            Value::Regexp(regexp) => {
                for item in items {
                    if let Value::Str(text) = item
                        && self.match_regexp(regexp, text)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Str(_) | Value::SemVer(_) => {
                for item in items {
                    // The element is the pattern here: `'a' in [/a/]` is true.
                    if self.matches(element, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Type(Type::Resource(resource)) if resource.resolved => Ok(items.any(|item| item == element)),
            Value::Type(element) => Ok(items.any(|item| catwalk_value::is_instance(element, item))),
            _ => Ok(items.any(|item| equals(item, element))),
        }
    }
}

/// Whether a version, or a string that is one, is in a range.
fn is_version_in_range(range: &SemVerRange, value: &Value) -> bool {
    match value {
        Value::SemVer(version) => range.includes(version),
        Value::Str(text) => SemVer::parse(text).is_ok_and(|version| range.includes(&version)),
        _ => false,
    }
}

fn is_version(version: &SemVer, value: &Value) -> bool {
    match value {
        Value::SemVer(other) => version == other.as_ref(),
        Value::Str(text) => SemVer::parse(text).is_ok_and(|other| *version == other),
        _ => false,
    }
}

fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}
