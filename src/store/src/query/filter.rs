//! Tests whether a query selects a row, in SQL's three-valued logic: a comparison with null is unknown, represented as `None`.

use serde_json::Value;

use super::cell::Cell;
use super::cell::Step;
use super::cell::compare_json;
use super::cell::contains;
use super::cell::scalar_text;
use super::plan::Comparison;
use super::plan::DELIMITER;
use super::plan::Expr;
use super::plan::Members;
use super::plan::PartTest;
use super::plan::PathPattern;
use super::regexp::is_match;

/// Whether a row satisfies an expression. `None`: unknown.
pub(super) fn test(expr: &Expr, row: &[Cell]) -> Option<bool> {
    match expr {
        Expr::All => Some(true),
        Expr::And(clauses) => clauses.iter().map(|clause| test(clause, row)).fold(Some(true), and),
        Expr::Or(clauses) => {
            // `NOT (NOT a AND NOT b AND …)`, which has the result of SQL for unknown operands.
            not(clauses.iter().map(|clause| not(test(clause, row))).fold(Some(true), and))
        }
        Expr::Not(clause) => match &**clause {
            // PuppetDB writes `NOT part > value AND part exists`: the second half is not negated.
            Expr::PartCompare(at, path, ..) | Expr::PartMatches(at, path, _) => {
                and(not(test_part(clause, row)), has_part(&row[*at], path))
            }
            clause => not(test(clause, row)),
        },
        Expr::PartCompare(at, path, ..) | Expr::PartMatches(at, path, _) => {
            and(test_part(expr, row), has_part(&row[*at], path))
        }
        Expr::Compare(at, comparison, value) => compare(&row[*at], *comparison, value),
        Expr::Matches(at, pattern) => Some(is_match(pattern, &row[*at].key(true)?)),
        Expr::Null(at, keys, null) => is_null(&row[*at], keys).map(|is| is == *null),
        Expr::InList(at, cells) => match &row[*at] {
            Cell::Null => None,
            cell => Some(cells.iter().any(|other| compare(cell, Comparison::Equal, other) == Some(true))),
        },
        Expr::TypeOf(at, kind) => json(&row[*at]).map(|value| type_of(value) == kind),
        Expr::Contains(at, value) => json(&row[*at]).map(|whole| contains(whole, value)),
        Expr::At(at, keys, value) => keys
            .iter()
            .try_fold(json(&row[*at])?, |value, key| member(value, key))
            .map(|found| compare_json(found, value).is_eq()),
        Expr::AnyPart(at, pattern, part) => {
            json(&row[*at]).map(|value| any_part(value, &mut String::new(), pattern, part))
        }
        Expr::TagMatches(at, pattern) => tags(&row[*at]).map(|tags| tags.iter().any(|tag| is_match(pattern, tag))),
        Expr::Tagged(at, expected) => tags(&row[*at]).map(|tags| tags.iter().any(|tag| **tag == **expected)),
        Expr::PathIs(at, path) => Some(matches!(&row[*at], Cell::Path(found) if found == path)),
        Expr::PathMatches(at, patterns) => {
            Some(matches!(&row[*at], Cell::Path(found) if path_matches(found, patterns)))
        }
        Expr::Parameter(at, name, value) => Some(has_parameter(&row[*at], name, value)),
        Expr::ParameterMatches(at, name, pattern) => Some(has_matching_parameter(&row[*at], name, pattern)),
        // Replaced by `InSet` before rows are tested.
        Expr::In(..) => None,
        Expr::InSet(fields, members) => is_member(fields, members, row),
        Expr::Active(active) => Some(row.last() == Some(&Cell::Bool(*active))),
    }
}

/// Whether a parameter equals a value, which is JSON with sorted keys.
fn has_parameter(parameters: &Cell, name: &str, value: &str) -> bool {
    let parameter = json(parameters).and_then(|parameters| parameters.get(name));
    let sorted = parameter.map(|parameter| crate::hash::sort_keys(parameter).to_string());
    sorted.as_deref() == Some(value)
}

/// Whether the name and the JSON of any parameter match the patterns.
fn has_matching_parameter(parameters: &Cell, name: &fancy_regex::Regex, pattern: &fancy_regex::Regex) -> bool {
    let is_selected = |(key, value): (&String, &Value)| {
        is_match(name, key) && is_match(pattern, &crate::hash::sort_keys(value).to_string())
    };
    json(parameters).and_then(Value::as_object).into_iter().flatten().any(is_selected)
}

/// Whether the fields occur together in the result of a subquery. `None`: unknown, because a value is null.
fn is_member(fields: &[usize], members: &Members, row: &[Cell]) -> Option<bool> {
    let key = fields.iter().zip(&members.as_text).map(|(at, as_text)| row[*at].key(*as_text));
    let key: Vec<String> = key.collect::<Option<_>>()?;
    match members.keys.contains(&key) {
        true => Some(true),
        false if members.has_null => None,
        false => Some(false),
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn not(a: Option<bool>) -> Option<bool> {
    a.map(|value| !value)
}

fn json(cell: &Cell) -> Option<&Value> {
    match cell {
        Cell::Json(value) => Some(value),
        _ => None,
    }
}

fn tags(cell: &Cell) -> Option<&[std::sync::Arc<str>]> {
    match cell {
        Cell::Tags(tags) => Some(tags),
        _ => None,
    }
}

fn holds(order: std::cmp::Ordering, comparison: Comparison) -> bool {
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Greater => order.is_gt(),
        Comparison::Less => order.is_lt(),
        Comparison::GreaterOrEqual => order.is_ge(),
        Comparison::LessOrEqual => order.is_le(),
    }
}

fn compare(cell: &Cell, comparison: Comparison, value: &Cell) -> Option<bool> {
    let order = match (cell, value) {
        (Cell::Null, _) | (_, Cell::Null) => return None,
        // The query compares an integer field with a number that has a fraction.
        (Cell::Int(number), Cell::Json(value)) => compare_json(&Value::from(*number), value),
        (cell, value) => cell.compare(value),
    };
    Some(holds(order, comparison))
}

/// Whether a field, or the part of it at the path `keys`, is null. `None`: the part is missing.
fn is_null(cell: &Cell, keys: &[String]) -> Option<bool> {
    match cell {
        Cell::Json(value) => keys.iter().try_fold(value, |value, key| value.get(key)).map(Value::is_null),
        Cell::Null if !keys.is_empty() => None,
        cell => Some(*cell == Cell::Null),
    }
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The value at a key of an object, or at an index of an array, written in digits.
fn member<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    }
}

fn part<'c>(cell: &'c Cell, path: &[Step]) -> Option<&'c Value> {
    path.iter().try_fold(json(cell)?, |value, step| match step {
        Step::Key(key) => value.get(key.as_ref()),
        Step::Index(index) => value.get(*index),
    })
}

/// Whether an object has the first key of a path.
fn has_part(cell: &Cell, path: &[Step]) -> Option<bool> {
    let object = json(cell)?;
    Some(path.first().is_none_or(|step| object.get(step.to_text()).is_some()))
}

fn test_part(expr: &Expr, row: &[Cell]) -> Option<bool> {
    match expr {
        Expr::PartCompare(at, path, comparison, value) => {
            Some(holds(compare_json(part(&row[*at], path)?, value), *comparison))
        }
        Expr::PartMatches(at, path, pattern) => Some(is_match(pattern, &scalar_text(part(&row[*at], path)?)?)),
        _ => None,
    }
}

/// Whether any part of a value, at any depth, passes a test. Only parts whose encoded path (`os#~family`) matches `pattern` are tested.
fn any_part(value: &Value, path: &mut String, pattern: &fancy_regex::Regex, part: &PartTest) -> bool {
    let passes = |value: &Value| match part {
        PartTest::Compare(Comparison::Equal, expected) => contains(value, expected),
        PartTest::Compare(comparison, expected) => holds(compare_json(value, expected), *comparison),
        PartTest::Matches(pattern) => scalar_text(value).is_some_and(|text| is_match(pattern, &text)),
    };
    if !path.is_empty() && is_match(pattern, path) && passes(value) {
        return true;
    }
    let length = path.len();
    let mut below = |key: &str, value: &Value| {
        if length > 0 {
            path.push_str(DELIMITER);
        }
        path.push_str(key);
        let found = any_part(value, path, pattern, part);
        path.truncate(length);
        found
    };
    match value {
        Value::Object(entries) => entries.iter().any(|(key, value)| below(key, value)),
        Value::Array(items) => items.iter().enumerate().any(|(index, value)| below(&index.to_string(), value)),
        _ => false,
    }
}

fn path_matches(path: &[Step], patterns: &[PathPattern]) -> bool {
    path.len() == patterns.len()
        && path.iter().zip(patterns).all(|(step, pattern)| {
            let is_index = matches!(step, Step::Index(_));
            pattern.index.is_none_or(|index| index == is_index) && is_match(&pattern.pattern, &step.to_text())
        })
}
