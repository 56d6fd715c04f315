//! Exported resources of other nodes: the query that PuppetDB's terminus sends for `<<| |>>` (puppet/indirector/resource/puppetdb.rb).
//!
//! In: the type and filter of a collector. Out: the resources, sorted by node and title, since PuppetDB returns them in no order. PuppetDB
//! returns only resources of active nodes. Requests go through the compile's world, so that they are recorded, replayed, and refused for
//! untrusted code.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::server::AttemptError;
use crate::server::PuppetDb;
use crate::server::parse_response;
use catwalk_base::names::Name;
use catwalk_catalog::ExportQuery;
use catwalk_catalog::ExportSource;
use catwalk_catalog::Exported;
use catwalk_value::json::from_json;
use catwalk_world::HttpRequest;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::url_component;

/// PuppetDB's endpoint for queries of resources.
const PATH: &str = "/pdb/query/v4/resources";

impl ExportSource for PuppetDb {
    fn select(&self, query: &ExportQuery<'_>, world: &dyn World) -> Result<Arc<Vec<Exported>>, String> {
        let encoded = url_component(&ast(query).to_string());
        let rows = self.try_addresses(|base| {
            let request = HttpRequest {
                url: format!("{base}{PATH}?query={encoded}"),
                headers: vec![("Accept".to_owned(), "application/json".to_owned())],
                identity: self.identity.clone(),
                timeout: self.timeout,
                once: true,
                ..HttpRequest::default()
            };
            let failed = |refused: WorldError| match refused {
                WorldError::Unreachable(_, why) => WorldError::Unreachable(Arc::from(base), why),
                other => other,
            };
            let response = world.fetch(&request).map_err(|refused| AttemptError::TryNext(failed(refused)))?;
            let document = parse_response(base, &response)?;
            read_rows(&document, query.type_name).map_err(|why| {
                let why = format!("the response does not fit the query: {why}");
                AttemptError::TryNext(WorldError::Unreachable(Arc::from(base), Arc::from(why)))
            })
        });
        rows.map(Arc::new).map_err(|refused| match refused {
            WorldError::Unreachable(base, why) => {
                format!("Could not retrieve resources from the PuppetDB at {base}: {why}")
            }
            other => other.to_string(),
        })
    }

    fn applies_filters(&self) -> bool {
        true
    }
}

/// The query in PuppetDB's AST.
fn ast(query: &ExportQuery<'_>) -> Value {
    let mut parts = vec![
        json!("and"),
        json!(["=", "type", query.type_name.as_str()]),
        json!(["=", "exported", true]),
        json!(["not", ["=", "certname", query.certname]]),
    ];
    parts.extend(query.filter.clone());
    Value::Array(parts)
}

fn read_rows(document: &Value, type_name: Name) -> Result<Vec<Exported>, String> {
    let rows = document.as_array().ok_or("it is not an array")?;
    let read = |(at, row)| read_row(row, type_name).map_err(|why| format!("row {at}: {why}"));
    let mut rows = (1..).zip(rows).map(read).collect::<Result<Vec<Exported>, String>>()?;
    rows.sort_by(|a, b| (&a.certname, &a.title).cmp(&(&b.certname, &b.title)));
    Ok(rows)
}

fn read_row(row: &Value, type_name: Name) -> Result<Exported, String> {
    let members = row.as_object().ok_or("it is not an object")?;
    let string = |key: &str| members.get(key).and_then(Value::as_str).ok_or(format!("`{key}` must be a string"));
    if string("type")? != type_name.as_str() {
        return Err(format!("`type` must be {type_name}"));
    }
    if members.get("exported") != Some(&Value::Bool(true)) {
        return Err("`exported` must be true".to_owned());
    }
    let none = Map::new();
    let parameters = match members.get("parameters") {
        None | Some(Value::Null) => &none,
        Some(parameters) => parameters.as_object().ok_or("`parameters` must be an object")?,
    };
    let tags = match members.get("tags") {
        None | Some(Value::Null) => &[][..],
        Some(tags) => tags.as_array().ok_or("`tags` must be an array")?,
    };
    let tag = |tag: &Value| tag.as_str().map(Arc::from).ok_or("`tags` must be an array of strings");
    let set = parameters.iter().filter(|(_, value)| !value.is_null());
    Ok(Exported {
        certname: Arc::from(string("certname")?),
        title: Arc::from(string("title")?),
        tags: tags.iter().map(tag).collect::<Result<_, _>>()?,
        parameters: set.map(|(name, value)| (Name::new(name), from_json(value))).collect(),
    })
}
