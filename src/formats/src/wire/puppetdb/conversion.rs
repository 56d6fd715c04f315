//! Payloads of one version of the format as those of another, item by item.

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
use crate::wire::native;
use crate::wire::parts::List;
use crate::wire::parts::Parts;
use crate::wire::parts::PieceSink;
use crate::wire::parts::Threads;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_base::secrets::Submitted;
use catwalk_value::value::json;

impl Payload {
    /// Passes the payload in a version of the format to `take` in pieces, without these secrets but those that exported resources hold in
    /// clear.
    ///
    /// # Errors
    /// Those of `take`: then what was taken is not all.
    pub fn write_to<E: From<Reason> + Send>(
        mut self,
        (version, style): (Version, Style),
        secrets: &Secrets,
        threads: Threads,
        take: PieceSink<'_, E>,
    ) -> Result<(), E> {
        let (resources, edges) = self.take_lists();
        let positions = (style == Style::Documented).then(|| documented::positions_of(&resources, &edges));
        let edges = Edges { exported: exported(&resources), edges, submitted: Submitted::new(secrets), style };
        let resources = Resources { resources, secrets, positions };
        let mut parts = Parts::new();
        for (name, member) in self.members(version, style) {
            match member {
                Member::Value(value) => {
                    parts.members(&Map::from_iter([(name.to_owned(), value)])).map_err(Reason::runtime)?;
                }
                Member::Resources => parts.list(name, &resources),
                Member::Edges => parts.list(name, &edges),
            }
        }
        parts.write_to(threads, &|error| Reason::runtime(error).into(), take)
    }
}

/// The type and title of a resource.
type Key = (String, String);

/// The exported resources, whose titles stay as they are.
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

    fn text(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::RESOURCE * items.len());
        let some = items.filter_map(|at| {
            let resource = self.resources.get(at)?;
            Some(match &self.positions {
                Some(positions) => documented::resource(resource, positions.get(at).and_then(Option::as_ref)),
                None => resource.clone(),
            })
        });
        let document = Redacted::submitted(json!({ "resources": some.collect::<Vec<_>>() }), self.secrets);
        json::pretty_items(document["resources"].as_array().into_iter().flatten(), first, expected)
    }
}

struct Edges {
    edges: Vec<Json>,
    exported: HashSet<Key>,
    submitted: Submitted,
    style: Style,
}

impl List for Edges {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn text(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, native::EDGE * items.len());
        let some = self.edges.get(items).unwrap_or_default().iter().map(|edge| {
            let mut edge = if self.style == Style::Documented { documented::edge(edge) } else { edge.clone() };
            if let Some(members) = edge.as_object_mut().filter(|_| !self.submitted.is_empty()) {
                let is_exported =
                    |_: &str, kind: &str, title: &str| self.exported.contains(&(kind.to_owned(), title.to_owned()));
                self.submitted.redact_edge(members, is_exported);
            }
            edge
        });
        json::pretty_items(some, first, expected)
    }
}
