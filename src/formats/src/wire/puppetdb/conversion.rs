//! Converts payloads to another version of the format, in chunks.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use super::Payload;
use super::Style;
use super::Version;
use super::documented;
use super::documented::Position;
use super::payload::Member;
use crate::wire::chunks::Chunks;
use crate::wire::chunks::List;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use crate::wire::native;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_base::secrets::SubmissionRedactor;
use catwalk_value::json;

impl Payload {
    /// Writes the payload in a version of the format and passes it to `take` in pieces. `secrets` are replaced, except in exported resources,
    /// which contain them in plain text.
    ///
    /// # Errors
    /// The errors of `take`. The payload is incomplete then.
    pub fn write_to<E: From<Reason> + Send>(
        mut self,
        (version, style): (Version, Style),
        secrets: &Secrets,
        threads: Threads,
        take: PieceSink<'_, E>,
    ) -> Result<(), E> {
        let (resources, edges) = self.take_lists();
        let positions = (style == Style::Documented).then(|| documented::payload_positions(&resources, &edges));
        let edges = Edges { exported: exported(&resources), edges, redactor: SubmissionRedactor::new(secrets), style };
        let resources = Resources { resources, secrets, positions };
        let mut chunks = Chunks::new();
        for (name, member) in self.members(version, style) {
            match member {
                Member::Value(value) => {
                    chunks.members(&Map::from_iter([(name.to_owned(), value)])).map_err(Reason::runtime)?;
                }
                Member::Resources => chunks.list(name, &resources),
                Member::Edges => chunks.list(name, &edges),
            }
        }
        chunks.write_to(threads, &|error| Reason::runtime(error).into(), take)
    }
}

/// The type and title of a resource.
type Key = (String, String);

/// The exported resources, in whose titles secrets are not replaced.
fn exported(resources: &[Json]) -> HashSet<Key> {
    let exported = resources.iter().filter(|resource| resource["exported"] == true);
    exported.filter_map(|end| Some((end["type"].as_str()?.to_owned(), end["title"].as_str()?.to_owned()))).collect()
}

struct Resources<'a> {
    resources: Vec<Json>,
    secrets: &'a Secrets,
    /// The positions of resources in the documented style.
    positions: Option<Vec<Option<Position>>>,
}

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.resources.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::RESOURCE_SIZE * items.len());
        let documents = items.filter_map(|at| {
            let resource = self.resources.get(at)?;
            Some(match &self.positions {
                Some(positions) => documented::resource(resource, positions.get(at).and_then(Option::as_ref)),
                None => resource.clone(),
            })
        });
        let document = Redacted::for_submission(json!({ "resources": documents.collect::<Vec<_>>() }), self.secrets);
        json::pretty_items(document["resources"].as_array().into_iter().flatten(), first, expected)
    }
}

struct Edges {
    edges: Vec<Json>,
    exported: HashSet<Key>,
    redactor: SubmissionRedactor,
    style: Style,
}

impl List for Edges {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::EDGE_SIZE * items.len());
        let documents = self.edges.get(items).unwrap_or_default().iter().map(|edge| {
            let mut edge = if self.style == Style::Documented { documented::edge(edge) } else { edge.clone() };
            if let Some(members) = edge.as_object_mut().filter(|_| !self.redactor.is_empty()) {
                let is_exported =
                    |_: &str, kind: &str, title: &str| self.exported.contains(&(kind.to_owned(), title.to_owned()));
                self.redactor.redact_edge(members, is_exported);
            }
            edge
        });
        json::pretty_items(documents, first, expected)
    }
}
