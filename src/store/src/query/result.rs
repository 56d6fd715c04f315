//! Runs a plan: runs its subqueries, then tests, groups, sorts and limits rows and writes documents.

use std::cmp::Ordering;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use super::cell::Cell;
use super::cell::compare_numbers;
use super::cell::scalar_text;
use super::entity::Entity;
use super::entity::Kind;
use super::filter;
use super::load::Reader;
use super::plan::Column;
use super::plan::Expr;
use super::plan::Function;
use super::plan::Members;
use super::plan::Plan;
use super::plan::column_name;
use crate::error::QueryError;

/// The documents that a query returns.
pub(super) fn documents(reader: &Reader<'_>, plan: Plan) -> Result<Vec<Value>, QueryError> {
    let names: Vec<String> = plan.columns.iter().map(|column| column_name(plan.entity, column)).collect();
    let rows = rows(reader, plan)?;
    let document = |row: Vec<Cell>| {
        let entries = names.iter().cloned().zip(row.iter().map(Cell::to_json));
        Value::Object(entries.collect::<Map<String, Value>>())
    };
    Ok(rows.into_iter().map(document).collect())
}

/// The columns of the selected rows.
fn rows(reader: &Reader<'_>, mut plan: Plan) -> Result<Vec<Vec<Cell>>, QueryError> {
    plan.filter = run_subqueries(reader, plan.entity, std::mem::replace(&mut plan.filter, Expr::All))?;
    let needed = needed_fields(&plan);
    let mut selected: Vec<Vec<Cell>> = Vec::new();
    reader.rows(&plan, &needed, &mut |row| {
        if filter::test(&plan.filter, &row) == Some(true) {
            selected.push(row);
        }
    })?;
    let grouped = plan.group_by.is_some() || plan.columns.iter().any(|column| matches!(column, Column::Call(..)));
    let mut results: Vec<(Vec<Cell>, Vec<Cell>)> = if grouped {
        groups(&plan, selected)?
    } else {
        let columns = |row: Vec<Cell>| (plan.columns.iter().map(|column| column_value(column, &row)).collect(), row);
        selected.into_iter().map(columns).collect()
    };
    if !plan.paging.order_by.is_empty() {
        results.sort_by(|(_, a), (_, b)| compare_rows(&plan.paging.order_by, a, b));
    }
    let limit = plan.paging.limit.unwrap_or(usize::MAX);
    Ok(results.into_iter().skip(plan.paging.offset).take(limit).map(|(columns, _)| columns).collect())
}

fn compare_rows(fields: &[(usize, bool)], a: &[Cell], b: &[Cell]) -> Ordering {
    let orders = fields.iter().map(|(at, descending)| {
        let order = a[*at].compare(&b[*at]);
        if *descending { order.reverse() } else { order }
    });
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Runs the subqueries in a filter and replaces each by its result.
fn run_subqueries(reader: &Reader<'_>, entity: &'static Entity, expr: Expr) -> Result<Expr, QueryError> {
    let each = |clauses: Vec<Expr>| -> Result<Vec<Expr>, QueryError> {
        clauses.into_iter().map(|clause| run_subqueries(reader, entity, clause)).collect()
    };
    Ok(match expr {
        Expr::And(clauses) => Expr::And(each(clauses)?),
        Expr::Or(clauses) => Expr::Or(each(clauses)?),
        Expr::Not(clause) => Expr::Not(Box::new(run_subqueries(reader, entity, *clause)?)),
        Expr::In(fields, plan) => {
            // Values of facts are compared as text unless the field is itself the value of a fact.
            let as_text: Vec<bool> = fields.iter().map(|at| entity.fields[*at].kind != Kind::Value).collect();
            let mut members = Members { as_text, ..Members::default() };
            for row in rows(reader, *plan)? {
                let key = row.iter().zip(&members.as_text).map(|(cell, as_text)| cell.key(*as_text));
                match key.collect::<Option<Vec<String>>>() {
                    Some(key) => {
                        members.keys.insert(key);
                    }
                    None => members.has_null = true,
                }
            }
            Expr::InSet(fields, members)
        }
        other => other,
    })
}

/// Which fields of the entity a plan uses.
fn needed_fields(plan: &Plan) -> Vec<bool> {
    let mut needed = vec![false; plan.entity.fields.len()];
    let columns = plan.columns.iter().chain(plan.group_by.iter().flatten());
    let columns = columns.filter_map(|column| match column {
        Column::Field(at) | Column::Part(_, at, _) => Some(*at),
        Column::Call(_, at) => *at,
    });
    for at in columns.chain(plan.paging.order_by.iter().map(|(at, _)| *at)) {
        needed[at] = true;
    }
    mark_needed(&plan.filter, &mut needed);
    needed
}

fn mark_needed(expr: &Expr, needed: &mut [bool]) {
    match expr {
        Expr::All | Expr::Active(_) => {}
        Expr::And(clauses) | Expr::Or(clauses) => clauses.iter().for_each(|clause| mark_needed(clause, needed)),
        Expr::Not(clause) => mark_needed(clause, needed),
        Expr::In(fields, _) | Expr::InSet(fields, _) => fields.iter().for_each(|at| needed[*at] = true),
        Expr::Compare(at, ..)
        | Expr::Matches(at, _)
        | Expr::Null(at, ..)
        | Expr::InList(at, _)
        | Expr::TypeOf(at, _)
        | Expr::Contains(at, _)
        | Expr::At(at, ..)
        | Expr::PartCompare(at, ..)
        | Expr::PartMatches(at, ..)
        | Expr::AnyPart(at, ..)
        | Expr::TagMatches(at, _)
        | Expr::Tagged(at, _)
        | Expr::PathIs(at, _)
        | Expr::PathMatches(at, _)
        | Expr::Parameter(at, ..)
        | Expr::ParameterMatches(at, ..) => needed[*at] = true,
    }
}

/// The value of a column that is not a function.
fn column_value(column: &Column, row: &[Cell]) -> Cell {
    match column {
        Column::Field(at) => row[*at].clone(),
        Column::Part(_, at, keys) => match &row[*at] {
            Cell::Json(value) => {
                let found = keys.iter().try_fold(value, |value, key| value.get(key));
                found.map_or(Cell::Null, |value| Cell::Json(value.clone()))
            }
            _ => Cell::Null,
        },
        Column::Call(..) => Cell::Null,
    }
}

/// The result for each group of rows, with one row of the group for sorting.
fn groups(plan: &Plan, rows: Vec<Vec<Cell>>) -> Result<Vec<(Vec<Cell>, Vec<Cell>)>, QueryError> {
    let mut groups: IndexMap<Vec<Option<String>>, (Vec<Cell>, Vec<Total>)> = IndexMap::new();
    let calls = || vec![Total::default(); plan.columns.len()];
    let by = plan.group_by.as_deref().unwrap_or_default();
    if plan.group_by.is_none() {
        groups.insert(Vec::new(), (vec![Cell::Null; plan.entity.fields.len() + 1], calls()));
    }
    for row in rows {
        let key = by.iter().map(|column| column_value(column, &row).key(false)).collect();
        let (_, totals) = groups.entry(key).or_insert_with(|| (row.clone(), calls()));
        for (column, total) in plan.columns.iter().zip(totals) {
            if let Column::Call(function, at) = column {
                total.add(*function, at.map(|at| &row[at]))?;
            }
        }
    }
    let result = |(row, totals): (Vec<Cell>, Vec<Total>)| {
        let columns = plan.columns.iter().zip(totals).map(|(column, total)| match column {
            Column::Call(function, _) => total.result(*function),
            column => column_value(column, &row),
        });
        (columns.collect(), row)
    };
    Ok(groups.into_values().map(result).collect())
}

/// Accumulates the values of a group for an aggregate function.
#[derive(Clone, Debug, Default)]
struct Total {
    count: i64,
    whole: i64,
    fraction: f64,
    is_fraction: bool,
    extreme: Option<Cell>,
}

impl Total {
    fn add(&mut self, function: Function, cell: Option<&Cell>) -> Result<(), QueryError> {
        let Some(cell) = cell else {
            self.count += 1;
            return Ok(());
        };
        // Functions convert the value of a fact to a number.
        let cell = match (function, cell) {
            (Function::Count, Cell::Json(Value::Null)) | (_, Cell::Null) => return Ok(()),
            (Function::Count, _) => {
                self.count += 1;
                return Ok(());
            }
            (_, Cell::Json(value)) => match to_number(value)? {
                Some(number) => Cell::Json(Value::Number(number)),
                None => return Ok(()),
            },
            (_, cell) => cell.clone(),
        };
        self.count += 1;
        let replaces = |old: &Cell| match (function, &cell, old) {
            (Function::Min | Function::Max, Cell::Json(Value::Number(a)), Cell::Json(Value::Number(b))) => {
                compare_numbers(a, b) == replacing_order(function)
            }
            _ => cell.compare(old) == replacing_order(function),
        };
        if self.extreme.as_ref().is_none_or(replaces) {
            self.extreme = Some(cell.clone());
        }
        match &cell {
            Cell::Int(number) => self.sum(&Number::from(*number)),
            Cell::Json(Value::Number(number)) => self.sum(number),
            _ => {}
        }
        Ok(())
    }

    fn sum(&mut self, number: &Number) {
        match number.as_i64().and_then(|whole| self.whole.checked_add(whole)) {
            Some(sum) => self.whole = sum,
            None => self.is_fraction = true,
        }
        self.fraction += number.as_f64().unwrap_or_default();
    }

    fn result(&self, function: Function) -> Cell {
        let float = |value: f64| Number::from_f64(value).map_or(Cell::Null, |number| Cell::Json(Value::Number(number)));
        match function {
            Function::Count => Cell::Int(self.count),
            _ if self.count == 0 => Cell::Null,
            Function::Min | Function::Max => self.extreme.clone().unwrap_or(Cell::Null),
            Function::Sum if self.is_fraction => float(self.fraction),
            Function::Sum => Cell::Int(self.whole),
            #[allow(clippy::cast_precision_loss, reason = "an average of that many rows has no exact digits")]
            Function::Avg => float(self.fraction / self.count as f64),
        }
    }
}

/// How a value must compare with the current minimum or maximum to replace it.
fn replacing_order(function: Function) -> Ordering {
    if function == Function::Min { Ordering::Less } else { Ordering::Greater }
}

/// The value of a fact as a number. PostgreSQL's error if it is a string that is not a number.
fn to_number(value: &Value) -> Result<Option<Number>, QueryError> {
    let Some(text) = scalar_text(value) else { return Ok(None) };
    let parsed = match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        _ => None,
    };
    let failed = || QueryError::Bad(format!("ERROR: invalid input syntax for type numeric: \"{text}\""));
    parsed.map(Some).ok_or_else(failed)
}
