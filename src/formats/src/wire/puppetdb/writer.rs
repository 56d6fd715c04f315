//! Writes the resources and edges of a payload in chunks.
//!
//! In: a catalog. Out: the chunks of a payload. Must not: build the whole document.

use std::ops::Range;

use serde::Serialize;
use serde::Serializer;
use serde::ser::Error;
use serde_json::Map;
use serde_json::Value as Json;

use super::Style;
use super::Submission;
use super::Version;
use super::documented;
use super::documented::Position;
use super::payload::Member;
use super::payload::Payload;
use super::relationships;
use super::relationships::Edge;
use super::resources::Entry;
use super::resources::Metaparameters;
use crate::wire::chunks::Chunks;
use crate::wire::chunks::List;
use crate::wire::native;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SubmissionRedactor;
use catwalk_catalog::Catalog;
use catwalk_value::json;

/// A catalog that has been prepared for writing its payload.
pub(super) struct PayloadWriter<'a> {
    resources: Resources<'a>,
    edges: Edges<'a>,
}

struct Resources<'a> {
    catalog: &'a Catalog,
    metaparameters: Vec<Metaparameters>,
    redactor: SubmissionRedactor,
    /// The positions of resources for the documented style; `None` for the terminus' style.
    positions: Option<Vec<Option<Position>>>,
}

struct Edges<'a> {
    catalog: &'a Catalog,
    edges: Vec<Edge>,
    redactor: SubmissionRedactor,
    style: Style,
}

impl<'a> PayloadWriter<'a> {
    /// Prepares a catalog.
    ///
    /// # Errors
    /// The target of a relationship is not in the catalog, or is exported but not collected.
    pub(super) fn new(catalog: &'a Catalog, style: Style) -> Result<PayloadWriter<'a>, Reason> {
        let key = catalog.secrets.key();
        let each = catalog.resources.iter().map(|resource| Metaparameters::new(resource, key));
        let metaparameters = each.collect::<Result<Vec<_>, _>>()?;
        let edges = relationships::edges(catalog, &metaparameters)?;
        let redactor = || SubmissionRedactor::new(&catalog.secrets);
        let positions = (style == Style::Documented).then(|| positions(catalog));
        Ok(PayloadWriter {
            resources: Resources { catalog, metaparameters, redactor: redactor(), positions },
            edges: Edges { catalog, edges, redactor: redactor(), style },
        })
    }

    /// The payload, in which secrets are replaced when it is written.
    ///
    /// # Errors
    /// A member cannot be written as JSON.
    pub(super) fn chunks(&self, version: Version, submission: &Submission) -> Result<Chunks<'_>, Reason> {
        let mut chunks = Chunks::new();
        for (name, member) in Payload::new(self.resources.catalog, submission).members(version, self.edges.style) {
            match member {
                Member::Value(value) => {
                    chunks.members(&Map::from_iter([(name.to_owned(), value)])).map_err(Reason::runtime)?
                }
                Member::Resources => chunks.list(name, &self.resources),
                Member::Edges => chunks.list(name, &self.edges),
            }
        }
        Ok(chunks)
    }

    /// The resources and edges as documents in the terminus' style, without replacing secrets.
    ///
    /// # Errors
    /// A value cannot be written as JSON.
    pub(super) fn documents(&self) -> Result<(Vec<Json>, Vec<Json>), Reason> {
        let PayloadWriter { resources, edges } = self;
        let resources = (0..resources.len()).filter_map(|at| resources.entry(at)).map(serde_json::to_value);
        let edges = edges.edges.iter().map(|edge| serde_json::to_value(relationships::Entry(edges.catalog, *edge)));
        let both = || Ok((resources.collect::<Result<_, _>>()?, edges.collect::<Result<_, _>>()?));
        both().map_err(|error: serde_json::Error| Reason::runtime(error.to_string()))
    }
}

impl Resources<'_> {
    fn entry(&self, at: usize) -> Option<Entry<'_>> {
        let (resource, metaparameters) = (self.catalog.resources.get(at)?, self.metaparameters.get(at)?);
        Some(Entry { resource, metaparameters, key: self.catalog.secrets.key() })
    }
}

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.catalog.resources.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::RESOURCE_SIZE * items.len());
        let redact = |members: &mut Map<String, Json>| self.redactor.redact_resource(members);
        if let Some(positions) = &self.positions {
            let documented = |at: usize| {
                let entry = serde_json::to_value(self.entry(at)?);
                Some(entry.map(|entry| documented::resource(&entry, positions.get(at).and_then(Option::as_ref))))
            };
            let entries = items.filter_map(documented).collect::<Result<Vec<_>, _>>();
            let entries = entries.map_err(|error| error.to_string())?;
            return json::pretty_items(entries.iter().map(|entry| WithoutSecrets(entry, redact)), first, expected);
        }
        let entries = items.filter_map(|at| self.entry(at));
        match self.redactor.is_empty() {
            true => json::pretty_items(entries, first, expected),
            false => json::pretty_items(entries.map(|entry| WithoutSecrets(entry, redact)), first, expected),
        }
    }
}

impl List for Edges<'_> {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::EDGE_SIZE * items.len());
        let documents = self.edges.get(items).unwrap_or_default().iter();
        let entry = |edge: &Edge| relationships::Entry(self.catalog, *edge);
        if self.redactor.is_empty() && self.style == Style::Terminus {
            return json::pretty_items(documents.map(entry), first, expected);
        }
        let without_secrets = |edge: &Edge| {
            let is_exported = |at: usize| self.catalog.resources.get(at).is_some_and(|end| end.exported == Some(true));
            let exported = (is_exported(edge.source), is_exported(edge.target));
            WithoutSecrets(entry(edge), move |members: &mut Map<String, Json>| {
                self.redactor.redact_edge(members, |name, _, _| if name == "source" { exported.0 } else { exported.1 });
                if self.style == Style::Documented {
                    documented::order_edge(members);
                }
            })
        };
        json::pretty_items(documents.map(without_secrets), first, expected)
    }
}

/// The positions of the resources for the documented style.
fn positions(catalog: &Catalog) -> Vec<Option<Position>> {
    let declared = catalog.resources.iter().map(|resource| {
        let (file, line) = (resource.file.as_ref()?, resource.line?);
        Some((Json::from(&**file), Json::from(line)))
    });
    documented::positions(&declared.collect::<Vec<_>>(), catalog.edges.iter().copied())
}

/// Serializes an object after a function has replaced its secrets.
struct WithoutSecrets<T, F>(T, F);

impl<T: Serialize, F: Fn(&mut Map<String, Json>)> Serialize for WithoutSecrets<T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        if let Json::Object(members) = &mut document {
            self.1(members);
        }
        document.serialize(serializer)
    }
}
