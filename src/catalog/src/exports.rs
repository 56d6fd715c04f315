//! Exported resources, which collectors (`<<| |>>`) of other nodes select.
//!
//! In: catalogs as JSON, in PuppetDB's wire format or native. Out: exported resources by type, in the order of nodes and catalogs.
//! Collectors query an [`ExportSource`]: the catalogs of the site, a store, or PuppetDB.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::Catalog;
use crate::DeclaredResources;
use catwalk_base::names::Name;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_world::World;

/// An exported resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The node that exports the resource.
    pub certname: Arc<str>,
    /// The title.
    pub title: Arc<str>,
    /// The tags.
    pub tags: Vec<Arc<str>>,
    /// The parameters that are neither sensitive nor undef.
    pub parameters: Vec<(Name, Value)>,
}

/// The query of a collector.
#[derive(Clone, Debug)]
pub struct ExportQuery<'a> {
    /// The type of the resources.
    pub type_name: Name,
    /// The node that collects; its own resources are not selected.
    pub certname: &'a str,
    /// The condition of the collector as a PuppetDB query (AST); `None`: all resources of the type.
    pub filter: Option<serde_json::Value>,
}

/// A source of exported resources for collectors.
pub trait ExportSource: Send + Sync {
    /// The exported resources that a query selects, in order of nodes and catalogs. The source may return more than the query
    /// selects, such as resources of the collecting node: the caller filters them out.
    ///
    /// # Errors
    ///
    /// The source cannot be read.
    fn select(&self, query: &ExportQuery<'_>, world: &dyn World) -> Result<Arc<Vec<Exported>>, String>;

    /// Whether the source applies the filter of a query.
    fn applies_filters(&self) -> bool {
        false
    }

    /// The known secrets that exported resources contain in clear. They are redacted in the output of collecting nodes, too.
    fn secrets(&self) -> &[Arc<str>] {
        &[]
    }
}

/// The exported resources of all nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exports {
    by_type: IndexMap<Name, Arc<Vec<Exported>>>,
    secrets: Vec<Arc<str>>,
}

impl ExportSource for Exports {
    fn select(&self, query: &ExportQuery<'_>, _: &dyn World) -> Result<Arc<Vec<Exported>>, String> {
        Ok(self.by_type.get(&query.type_name).cloned().unwrap_or_default())
    }

    fn secrets(&self) -> &[Arc<str>] {
        &self.secrets
    }
}

impl Exports {
    /// Adds the exported resources of a catalog.
    ///
    /// # Errors
    ///
    /// The document is not a catalog.
    pub fn add(&mut self, certname: &str, catalog: &serde_json::Value) -> Result<(), String> {
        let resources = catalog.get("resources").or_else(|| catalog.get("data")?.get("resources"));
        let resources = resources.and_then(serde_json::Value::as_array).ok_or("no catalog: it has no resources")?;
        let mut declared = DeclaredResources::default();
        for (at, resource) in resources.iter().enumerate() {
            let text = |key: &str| resource.get(key).and_then(serde_json::Value::as_str);
            let (Some(type_name), Some(title)) = (text("type"), text("title")) else {
                return Err(format!("/resources/{at}: a resource has no type or no title"));
            };
            if resource.get("exported").and_then(serde_json::Value::as_bool) != Some(true) {
                continue;
            }
            declared.add(at, type_name, title)?;
            let list = |key: &str| {
                let items = resource.get(key).and_then(serde_json::Value::as_array);
                items.into_iter().flatten().filter_map(serde_json::Value::as_str).collect::<Vec<&str>>()
            };
            let sensitive = list("sensitive_parameters");
            let parameters = resource.get("parameters").and_then(serde_json::Value::as_object);
            let parameters = parameters.into_iter().flatten();
            let public = parameters.filter(|(name, value)| !value.is_null() && !sensitive.contains(&name.as_str()));
            Arc::make_mut(self.by_type.entry(Name::new(type_name)).or_default()).push(Exported {
                certname: Arc::from(certname),
                title: Arc::from(title),
                tags: list("tags").into_iter().map(Arc::from).collect(),
                parameters: public.map(|(name, value)| (Name::new(name), from_json(value))).collect(),
            });
        }
        Ok(())
    }

    /// The exported resources of a catalog. `document` is the catalog in PuppetDB's wire format.
    ///
    /// # Errors
    ///
    /// As [`Exports::add`].
    pub fn from_catalog(certname: &str, catalog: &Catalog, document: &serde_json::Value) -> Result<Exports, String> {
        let mut exports = Exports::default();
        exports.add(certname, document)?;
        if catalog.secrets.is_empty() {
            return Ok(exports);
        }
        let secrets = &mut exports.secrets;
        let mut record = |text: &str| secrets.extend(catalog.secrets.find_in(text));
        for resource in catalog.resources.iter().filter(|resource| resource.exported == Some(true)) {
            record(&resource.title);
            let clear = resource.parameters.iter().filter(|(name, _)| !resource.sensitive.contains(name));
            clear.for_each(|(_, value)| for_each_string(value, &mut record));
        }
        Ok(exports)
    }

    /// Adds the exported resources of another node.
    pub fn extend(&mut self, other: &Exports) {
        for (type_name, exported) in &other.by_type {
            Arc::make_mut(self.by_type.entry(*type_name).or_default()).extend(exported.iter().cloned());
        }
        if !other.secrets.is_empty() {
            self.secrets.extend(other.secrets.iter().cloned());
            self.secrets.sort_unstable();
            self.secrets.dedup();
        }
    }

    /// The number of exported resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_type.values().map(|resources| resources.len()).sum()
    }

    /// Whether there are no exported resources.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty()
    }
}

/// Calls `visit` with each string in a value, except those inside of `Sensitive`.
pub fn for_each_string(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Str(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_string(item, visit)),
        Value::Hash(entries) => entries.iter().for_each(|(name, value)| {
            for_each_string(name, visit);
            for_each_string(value, visit);
        }),
        _ => {}
    }
}
