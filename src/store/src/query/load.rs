//! Reads the rows of an entity from the store.
//!
//! SQLite tests the conditions for which it has an index, to read fewer rows; `filter` tests every row again.

use std::path::Path;
use std::sync::Arc;

use hashbrown::HashSet;
use rusqlite::Connection;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde_json::Value;

use super::cell::Cell;
use super::cell::Step;
use super::entity::Entity;
use super::entity::Kind;
use super::entity::Rows;
use super::plan::Comparison;
use super::plan::Expr;
use super::plan::Plan;
use crate::error::StoreError;
use crate::safety::RowCount;
use crate::store::damaged;

/// The longest list that is passed to SQLite.
const MAX_LIST: usize = 500;

/// Reads the rows of a store.
pub(super) struct Reader<'a> {
    pub(super) connection: &'a Connection,
    pub(super) path: &'a Path,
}

/// Receives a row: a cell for each field of the entity (null if it is not `needed`), then whether the node is active.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Vec<Cell>);

impl Reader<'_> {
    /// Calls `visit` for each row that the plan's conditions may select.
    pub(super) fn rows(&self, plan: &Plan, needed: &[bool], visit: Visit<'_>) -> Result<(), StoreError> {
        self.read(plan, needed, visit).map_err(|error| StoreError::from_sqlite(self.path, &error))
    }

    fn read(&self, plan: &Plan, needed: &[bool], visit: Visit<'_>) -> Result<(), rusqlite::Error> {
        let entity = plan.entity;
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        sql_conditions(&plan.filter, entity, &mut conditions, &mut values);
        let mut columns: Vec<&str> =
            entity.fields.iter().zip(needed).map(|(field, needed)| if *needed { field.sql } else { "NULL" }).collect();
        columns.push(if entity.belongs_to_nodes { "n.deactivated IS NULL" } else { "1" });
        columns.push(if entity.rows == Rows::Plain { "NULL" } else { "f.name" });
        columns.push(if entity.rows == Rows::Plain { "NULL" } else { "f.value" });
        let mut sql = format!("SELECT {} FROM {}", columns.join(", "), entity.from);
        if !conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&conditions.join(" AND "));
        }
        sql.push_str(" ORDER BY ");
        sql.push_str(entity.order);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut paths = HashSet::new();
        let mut count = RowCount::new(self.connection)?;
        while let Some(row) = rows.next()? {
            count.add(entity.fields.len().saturating_mul(size_of::<Cell>()))?;
            let cells = cells(entity, row)?;
            match entity.rows {
                Rows::Plain => visit(cells),
                Rows::FactContents => scalars(&fact(entity, row)?, &mut fact_path(entity, row)?, &mut |path, value| {
                    visit(fact_row(entity, &cells, path, value));
                }),
                Rows::FactPaths => scalars(&fact(entity, row)?, &mut fact_path(entity, row)?, &mut |path, value| {
                    if paths.insert((path.to_vec(), fact_type(value))) {
                        visit(fact_row(entity, &cells, path, value));
                    }
                }),
            }
        }
        Ok(())
    }
}

fn cells(entity: &Entity, row: &Row<'_>) -> Result<Vec<Cell>, rusqlite::Error> {
    let mut cells = Vec::with_capacity(entity.fields.len() + 1);
    for (at, field) in entity.fields.iter().enumerate() {
        let value = row.get_ref(at)?;
        cells.push(match (value, field.kind) {
            (ValueRef::Null, _) => Cell::Null,
            (ValueRef::Integer(number), Kind::Boolean) => Cell::Bool(number != 0),
            (ValueRef::Integer(number), Kind::Time) => Cell::Time(number),
            (ValueRef::Integer(number), _) => Cell::Int(number),
            (value, Kind::Text | Kind::Integer | Kind::Boolean | Kind::Time | Kind::Path) => {
                Cell::Str(Arc::from(value.as_str()?))
            }
            (value, Kind::Tags) => Cell::Tags(tags(at, value.as_str()?)?),
            (value, Kind::Object | Kind::Value | Kind::Document) => Cell::Json(json(at, value.as_str()?)?),
        });
    }
    cells.push(Cell::Bool(row.get(entity.fields.len())?));
    Ok(cells)
}

fn json(column: usize, text: &str) -> Result<Value, rusqlite::Error> {
    serde_json::from_str(text).map_err(|error| damaged(column, error))
}

fn tags(column: usize, text: &str) -> Result<Vec<Arc<str>>, rusqlite::Error> {
    let Value::Array(items) = json(column, text)? else { return Ok(Vec::new()) };
    Ok(items.iter().filter_map(Value::as_str).map(Arc::from).collect())
}

/// The value of the fact from which a row is made.
fn fact(entity: &Entity, row: &Row<'_>) -> Result<Value, rusqlite::Error> {
    let at = entity.fields.len() + 2;
    json(at, row.get_ref(at)?.as_str()?)
}

fn fact_path(entity: &Entity, row: &Row<'_>) -> Result<Vec<Step>, rusqlite::Error> {
    Ok(vec![Step::Key(Arc::from(row.get_ref(entity.fields.len() + 1)?.as_str()?))])
}

/// Calls `visit` for each scalar in a value, with its path.
fn scalars(value: &Value, path: &mut Vec<Step>, visit: &mut dyn FnMut(&[Step], &Value)) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                path.push(Step::Key(Arc::from(key.as_str())));
                scalars(value, path, visit);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(Step::Index(index));
                scalars(value, path, visit);
                path.pop();
            }
        }
        scalar => visit(path, scalar),
    }
}

/// PuppetDB's name for the type of a fact.
fn fact_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "integer",
        _ => "string",
    }
}

fn fact_row(entity: &Entity, cells: &[Cell], path: &[Step], value: &Value) -> Vec<Cell> {
    let mut row = cells.to_vec();
    for (field, cell) in entity.fields.iter().zip(&mut row) {
        match field.name {
            "path" => *cell = Cell::Path(path.to_vec()),
            "value" => *cell = Cell::Json(value.clone()),
            "type" => *cell = Cell::Str(Arc::from(fact_type(value))),
            "depth" => *cell = Cell::Int(i64::try_from(path.len()).unwrap_or(i64::MAX) - 1),
            _ => {}
        }
    }
    row
}

/// Collects the conditions of a filter that SQLite can test, with the values of their parameters.
fn sql_conditions(filter: &Expr, entity: &Entity, conditions: &mut Vec<String>, values: &mut Vec<String>) {
    let column = |at: usize| entity.fields.get(at).filter(|field| field.kind == Kind::Text && field.sql != "NULL");
    let in_list = |sql: &str, count: usize| format!("{sql} IN ({})", vec!["?"; count].join(", "));
    match filter {
        Expr::And(clauses) => clauses.iter().for_each(|clause| sql_conditions(clause, entity, conditions, values)),
        Expr::Active(active) if entity.belongs_to_nodes => {
            conditions.push(format!("n.deactivated IS {}NULL", if *active { "" } else { "NOT " }));
        }
        Expr::Compare(at, Comparison::Equal, Cell::Str(text)) => {
            if let Some(field) = column(*at) {
                conditions.push(format!("{} = ?", field.sql));
                values.push(text.to_string());
            }
        }
        Expr::Compare(at, Comparison::Equal, Cell::Bool(value)) if entity.fields[*at].name == "exported" => {
            // SQLite uses the index of exported resources only if the number is in the SQL.
            conditions.push(format!("{} = {}", entity.fields[*at].sql, u8::from(*value)));
        }
        Expr::InList(at, cells) if cells.len() <= MAX_LIST => {
            if let Some(field) = column(*at) {
                conditions.push(in_list(field.sql, cells.len()));
                values.extend(cells.iter().filter_map(|cell| cell.key(true)));
            }
        }
        Expr::InSet(fields, members) if members.keys.len() <= MAX_LIST => {
            if let [at] = fields.as_slice()
                && let Some(field) = column(*at)
            {
                let mut keys: Vec<&String> = members.keys.iter().filter_map(|key| key.first()).collect();
                keys.sort();
                conditions.push(in_list(field.sql, keys.len()));
                values.extend(keys.into_iter().cloned());
            }
        }
        Expr::PathIs(_, path) => {
            if let Some(Step::Key(name)) = path.first() {
                conditions.push("f.name = ?".to_owned());
                values.push(name.to_string());
            }
        }
        _ => {}
    }
}
