//! The operators `=`, `~`, `~>`, `>`, `<`, `>=` and `<=`, for fields of every kind.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use super::Comparison;
use super::Compiler;
use super::Expr;
use super::PartTest;
use super::PathPattern;
use crate::hash;
use crate::query::cell::Cell;
use crate::query::cell::Step;
use crate::query::entity::Entity;
use crate::query::entity::Kind;
use crate::query::field;
use crate::query::field::FieldPart;
use crate::query::regexp;
use crate::query::wording;

/// The separator between the steps of an encoded path.
pub(in crate::query) const DELIMITER: &str = "#~";

fn parse_comparison(op: &str) -> Comparison {
    match op {
        ">" => Comparison::Greater,
        "<" => Comparison::Less,
        ">=" => Comparison::GreaterOrEqual,
        "<=" => Comparison::LessOrEqual,
        _ => Comparison::Equal,
    }
}

/// Reads the path of a fact: an array of keys and indexes.
pub(super) fn steps(value: &Value) -> Option<Vec<Step>> {
    let items = value.as_array()?;
    let step = |item: &Value| match item {
        Value::String(key) => Some(Step::Key(Arc::from(key.as_str()))),
        other => Some(Step::Index(usize::try_from(other.as_u64()?).ok()?)),
    };
    items.iter().map(step).collect()
}

impl Compiler {
    pub(super) fn comparison(&mut self, entity: &'static Entity, op: &str, field: &Value, value: &Value) -> Expr {
        match field {
            Value::String(name) if name == "node_state" => self.node_state(entity, op, value),
            Value::String(name) => self.compare_field(entity, op, name, value),
            Value::Array(parts) => {
                let parts: Vec<String> = parts.iter().map(wording::to_plain_string).collect();
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                match parts[..] {
                    ["node", "active"] => {
                        let state = if value == &Value::Bool(true) { "active" } else { "inactive" };
                        self.node_state(entity, op, &Value::from(state))
                    }
                    ["parameter", name] => self.parameter(entity, op, name, value),
                    ["fact", name] => self.fact(entity, op, name, value),
                    ["function", "jsonb_typeof", name] if op == "=" => match entity.queryable(name) {
                        Some(at) => Expr::TypeOf(at, wording::to_plain_string(value)),
                        None => self.fail(format!("field \"{name}\" is not a valid queryable field")),
                    },
                    _ => self.fail(format!("Invalid {op} clause")),
                }
            }
            _ => self.fail(format!("Invalid {op} clause")),
        }
    }

    fn node_state(&mut self, entity: &'static Entity, op: &str, value: &Value) -> Expr {
        if !entity.belongs_to_nodes || op != "=" {
            return self.fail(format!("'node_state' cannot be queried for {}", entity.alias));
        }
        match wording::to_plain_string(value).to_lowercase().as_str() {
            "active" => Expr::Active(true),
            "inactive" => Expr::Active(false),
            "any" => Expr::All,
            other => self.fail(format!("'{other}' is not a node state: expected active, inactive or any")),
        }
    }

    /// Compares a field, which may be dotted.
    fn compare_field(&mut self, entity: &'static Entity, op: &str, name: &str, value: &Value) -> Expr {
        let (top, parts) = field::parse(name);
        let found = entity.queryable(top).filter(|_| parts.is_empty() || entity.is_dotted(top));
        let Some(at) = found else {
            self.unknown.push(wording::not_queryable(name, entity));
            return Expr::All;
        };
        if value.is_null() && op == "=" {
            return self.null(entity, name, true);
        }
        let kind = entity.fields[at].kind;
        if op == "~>" && kind != Kind::Path {
            return self.fail(format!("Query operator ~> is not allowed on field {name}"));
        }
        let ordered = matches!(kind, Kind::Integer | Kind::Time | Kind::Value) || !parts.is_empty();
        if matches!(op, ">" | "<" | ">=" | "<=") && !ordered {
            return self.fail(format!("Query operators >,>=,<,<= are not allowed on field {name}"));
        }
        match kind {
            Kind::Object => self.compare_part(entity, at, op, &parts, value),
            Kind::Tags => self.tags(at, op, top, value),
            Kind::Path => self.path(at, op, value),
            _ if op == "~" => self.matches(entity, at, value),
            Kind::Value => self.fact_value(at, op, value),
            _ => self.scalar(entity, at, op, value),
        }
    }

    /// Compiles a pattern. `None`: it is not a string or not a regular expression; a message has been recorded.
    fn pattern(&mut self, value: &Value) -> Option<fancy_regex::Regex> {
        let Some(text) = value.as_str() else {
            self.fail(format!(
                "Argument \"{}\" and operator \"~\" have incompatible types.",
                wording::to_plain_string(value)
            ));
            return None;
        };
        regexp::compile(text).map_err(|why| self.fail(why)).ok()
    }

    fn matches(&mut self, entity: &'static Entity, at: usize, value: &Value) -> Expr {
        let field = &entity.fields[at];
        if !matches!(field.kind, Kind::Text | Kind::Value) {
            return self.fail(format!("Query operator ~ is not allowed on field {}", field.name));
        }
        self.pattern(value).map_or(Expr::All, |pattern| Expr::Matches(at, pattern))
    }

    fn scalar(&mut self, entity: &'static Entity, at: usize, op: &str, value: &Value) -> Expr {
        let field = &entity.fields[at];
        let incompatible = |kind: &str| {
            let (value, name) = (wording::to_plain_string(value), field.name);
            match op {
                "=" => format!("Argument \"{value}\" is incompatible with {kind} field \"{name}\"."),
                _ => format!("Argument \"{value}\" and operator \"{op}\" have incompatible types."),
            }
        };
        let (cell, kind) = match (field.kind, value) {
            (Kind::Text, Value::String(text)) => (Some(Cell::Str(Arc::from(text.as_str()))), ""),
            (Kind::Boolean, Value::Bool(value)) => (Some(Cell::Bool(*value)), ""),
            (Kind::Integer, Value::Number(number)) => match number.as_i64() {
                Some(number) => (Some(Cell::Int(number)), ""),
                None => return Expr::Compare(at, parse_comparison(op), Cell::Json(value.clone())),
            },
            (Kind::Time, _) => {
                let text = wording::to_plain_string(value);
                match crate::time::parse(&text) {
                    Some(time) => (Some(Cell::Time(time)), ""),
                    None => return self.fail(format!("'{text}' is not a valid timestamp value")),
                }
            }
            (Kind::Text, _) => (None, "string"),
            (Kind::Boolean, _) => (None, "boolean"),
            _ => (None, "numeric"),
        };
        match cell {
            Some(cell) => Expr::Compare(at, parse_comparison(op), cell),
            None => self.fail(incompatible(kind)),
        }
    }

    /// Compares the value of a fact. A fact with a value of a different type is not selected.
    fn fact_value(&mut self, at: usize, op: &str, value: &Value) -> Expr {
        if op != "=" && !value.is_number() {
            let value = wording::to_plain_string(value);
            return self.fail(format!("Argument \"{value}\" and operator \"{op}\" have incompatible types."));
        }
        let compare = Expr::Compare(at, parse_comparison(op), Cell::Json(value.clone()));
        let kind = match value {
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            _ => return compare,
        };
        Expr::And(vec![Expr::TypeOf(at, kind.to_owned()), compare])
    }

    fn tags(&mut self, at: usize, op: &str, name: &str, value: &Value) -> Expr {
        let Some(text) = value.as_str() else {
            return self.fail(format!(
                "Argument \"{}\" is incompatible with array field \"{name}\".",
                wording::to_plain_string(value)
            ));
        };
        // Tags are stored in lower case. PuppetDB converts the value to lower case for `tag`, but not for `tags`.
        let text = if name == "tag" { text.to_lowercase() } else { text.to_owned() };
        match op {
            "=" => Expr::Tagged(at, text),
            _ => self.pattern(&Value::from(text)).map_or(Expr::All, |pattern| Expr::TagMatches(at, pattern)),
        }
    }

    fn path(&mut self, at: usize, op: &str, value: &Value) -> Expr {
        let Some(path) = steps(value) else { return self.fail(wording::PATH_STEP) };
        match op {
            "=" => Expr::PathIs(at, path),
            "~>" => {
                let mut patterns = Vec::with_capacity(path.len());
                for step in path {
                    // A string of digits is a key: an index is written as a number.
                    let index = match &step {
                        Step::Index(_) => Some(true),
                        Step::Key(key) => (!key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())).then_some(false),
                    };
                    let Some(pattern) = self.pattern(&Value::from(step.to_text())) else { return Expr::All };
                    patterns.push(PathPattern { pattern, index });
                }
                Expr::PathMatches(at, patterns)
            }
            _ => self.fail("Query operator ~ is not allowed on field path"),
        }
    }

    /// Compares a part of `facts`, `trusted` or `parameters`.
    fn compare_part(
        &mut self,
        entity: &'static Entity,
        at: usize,
        op: &str,
        parts: &[FieldPart],
        value: &Value,
    ) -> Expr {
        if parts.iter().any(|part| matches!(part, FieldPart::Match(_))) {
            return self.any_part(entity, at, op, parts, value);
        }
        let mut path = Vec::new();
        for part in parts {
            match part {
                FieldPart::Name(name) | FieldPart::Match(name) => path.push(Step::Key(Arc::from(name.as_str()))),
                FieldPart::Indexed(name, index) => {
                    path.extend([Step::Key(Arc::from(name.as_str())), Step::Index(*index)]);
                }
            }
        }
        let has_index = path.iter().any(|step| matches!(step, Step::Index(_)));
        let names = || path.iter().map(Step::to_text);
        match op {
            "~" => self.pattern(value).map_or(Expr::All, |pattern| Expr::PartMatches(at, path, pattern)),
            "=" if !has_index => {
                let is_digits = |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
                if names().any(|name| is_digits(&name)) {
                    return Expr::At(at, names().collect(), value.clone());
                }
                let nested = names().rev().fold(value.clone(), |inner, name| json!({ name: inner }));
                Expr::Contains(at, nested)
            }
            _ => Expr::PartCompare(at, path, parse_comparison(op), value.clone()),
        }
    }

    /// Compares the parts whose path matches patterns (`match("…")`).
    fn any_part(&mut self, entity: &'static Entity, at: usize, op: &str, parts: &[FieldPart], value: &Value) -> Expr {
        let mut path = Vec::new();
        if entity.fields[at].name == "trusted" {
            path.push("trusted".to_owned());
        }
        for part in parts {
            match part {
                FieldPart::Name(name) => path.push(name.clone()),
                FieldPart::Match(pattern) => path.push(pattern.clone()),
                FieldPart::Indexed(name, index) => path.extend([name.clone(), index.to_string()]),
            }
        }
        let Some(pattern) = self.pattern(&Value::from(path.join(DELIMITER))) else { return Expr::All };
        let test = match op {
            "~" => match self.pattern(value) {
                Some(pattern) => PartTest::Matches(pattern),
                None => return Expr::All,
            },
            _ => PartTest::Compare(parse_comparison(op), value.clone()),
        };
        let facts = entity.field("facts").unwrap_or(at);
        Expr::AnyPart(facts, pattern, Box::new(test))
    }

    /// `["parameter", NAME]`: compares a parameter, or matches it with a pattern, as JSON.
    fn parameter(&mut self, entity: &'static Entity, op: &str, name: &str, value: &Value) -> Expr {
        let Some(at) = entity.field("parameters") else {
            return self.fail(format!("'parameter' cannot be queried for {}", entity.alias));
        };
        let text = hash::sort_keys(value).to_string();
        match op {
            "=" => Expr::Parameter(at, name.to_owned(), text),
            "~" => match (self.pattern(&Value::from(name)), self.pattern(&Value::from(text))) {
                (Some(name), Some(value)) => Expr::ParameterMatches(at, name, value),
                _ => Expr::All,
            },
            _ => self.fail(format!("Query operator {op} is not allowed on parameters; use parameters.{name}")),
        }
    }

    /// `["fact", NAME]`: selects rows of nodes by a fact.
    fn fact(&mut self, entity: &'static Entity, op: &str, name: &str, value: &Value) -> Expr {
        let simple = matches!(op, "=" | "~") && (value.is_string() || value.is_boolean());
        if !simple && !value.is_number() {
            return self.fail(format!("Operator '{op}' not allowed on value '{}'", wording::to_plain_string(value)));
        }
        let query = json!(["and", ["=", "name", name], [op, "value", value]]);
        self.by_certname(entity, "facts", &query)
    }
}
