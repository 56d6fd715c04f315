//! The columns of a result: fields, parts of objects, aggregate functions.

use serde_json::Value;

use super::Column;
use super::Compiler;
use super::Function;
use super::Plan;
use crate::query::entity::Entity;
use crate::query::entity::Kind;
use crate::query::field;
use crate::query::field::FieldPart;
use crate::query::wording;

impl Compiler {
    /// Checks that every column besides functions is in `group_by`.
    pub(super) fn check_grouping(&mut self, plan: &Plan) {
        let aggregates = plan.columns.iter().any(|column| matches!(column, Column::Call(..)));
        if !aggregates && plan.group_by.is_none() {
            return;
        }
        let groups = plan.group_by.as_deref().unwrap_or_default();
        for column in &plan.columns {
            if !matches!(column, Column::Call(..)) && !groups.contains(column) {
                let name = column_name(plan.entity, column);
                let rule = "must appear in the GROUP BY clause or be used in an aggregate function";
                self.fail(format!("ERROR: column \"{name}\" {rule}"));
            }
        }
    }

    /// The columns of `extract` or `group_by`: one column, or a list.
    pub(super) fn columns(&mut self, entity: &'static Entity, names: &Value, allowed: &[&str]) -> Vec<Column> {
        let single = [names.clone()];
        let names = match names {
            Value::Array(names) if names.first().and_then(Value::as_str) != Some("function") => names.as_slice(),
            _ => &single[..],
        };
        let (mut columns, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            match name {
                Value::String(name) if allowed.contains(&name.as_str()) => {
                    columns.extend(entity.field(name).map(Column::Field));
                }
                Value::String(name) => match self.part(entity, name) {
                    Some(column) => columns.push(column),
                    None => unknown.push(name.clone()),
                },
                Value::Array(call) => columns.extend(self.call(entity, call)),
                other => unknown.push(wording::to_clojure(other)),
            }
        }
        if !unknown.is_empty() {
            self.unknown.push(wording::unknown_fields("Can't extract", &unknown, entity, allowed, ""));
        }
        columns
    }

    /// A dotted column.
    fn part(&mut self, entity: &'static Entity, name: &str) -> Option<Column> {
        let (top, parts) = field::parse(name);
        let at = entity.field(top).filter(|_| entity.is_dotted(top) && !parts.is_empty())?;
        let mut keys = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                FieldPart::Name(name) => keys.push(name),
                FieldPart::Indexed(..) | FieldPart::Match(_) => {
                    self.fail(format!("'extract' takes neither indexes nor match(): {name}"));
                }
            }
        }
        Some(Column::Part(name.to_owned(), at, keys))
    }

    fn call(&mut self, entity: &'static Entity, call: &[Value]) -> Option<Column> {
        let [_, name, arguments @ ..] = call else {
            self.fail(format!("{} is not a function call", wording::to_clojure(&Value::from(call.to_vec()))));
            return None;
        };
        let name = wording::to_plain_string(name);
        let Some((_, function)) = Function::ALL.iter().find(|(function, _)| *function == name) else {
            let functions = wording::quoted_list(Function::ALL.iter().map(|(name, _)| *name));
            self.fail(format!("\"{name}\" is not a valid function. Known functions are {functions}"));
            return None;
        };
        let wrong = || format!("wrong number of arguments ({}) provided for function {name}", arguments.len());
        let field = match arguments {
            [] if *function == Function::Count => None,
            [Value::String(field)] => match entity.queryable(field) {
                Some(at) => Some(at),
                None => {
                    self.fail(format!("field \"{field}\" is not a valid queryable field"));
                    return None;
                }
            },
            _ => {
                self.fail(wrong());
                return None;
            }
        };
        let numeric = matches!(function, Function::Avg | Function::Sum);
        let is_number = |at: usize| matches!(entity.fields[at].kind, Kind::Integer | Kind::Value);
        if let Some(at) = field.filter(|at| numeric && !is_number(*at)) {
            self.fail(format!("field \"{}\" must be a numeric type", entity.fields[at].name));
        }
        Some(Column::Call(*function, field))
    }
}

/// The name of a column in the result.
pub(in crate::query) fn column_name(entity: &Entity, column: &Column) -> String {
    match column {
        Column::Field(at) => entity.fields[*at].name.to_owned(),
        Column::Part(name, ..) => name.clone(),
        Column::Call(function, _) => function.name().to_owned(),
    }
}
