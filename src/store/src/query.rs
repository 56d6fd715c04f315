//! Runs PuppetDB's queries on a store (PuppetDB's documentation, "Query API version 4").
//!
//! In: a query as AST or PQL. Out: the documents that PuppetDB's root endpoint returns for the same content.
//! `plan` checks a query, `load` reads rows, `filter` tests them, `result` groups and sorts them and writes documents.

mod cell;
mod entity;
mod field;
mod filter;
mod load;
mod plan;
mod regexp;
mod result;
mod wording;

use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use crate::error::QueryError;
use crate::pql;

/// Runs a query.
pub(crate) fn run(connection: &Connection, path: &Path, query: &Value) -> Result<Vec<Value>, QueryError> {
    let ast = match query {
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).map_err(|error| QueryError::Bad(format!("Json parse error: {error}")))?
        }
        Value::String(text) => pql::to_ast(text).map_err(QueryError::Bad)?,
        ast => ast.clone(),
    };
    let plan = plan::compile(&ast).map_err(QueryError::Bad)?;
    result::documents(&load::Reader { connection, path }, plan)
}
