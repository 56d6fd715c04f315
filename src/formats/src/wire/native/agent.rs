//! The response of a server to an agent: the catalog without white space and without exported resources.
//! (Puppet::Resource::Catalog::Compiler#filter)

use std::hash::BuildHasher;
use std::hash::Hasher;

use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeMap;

use crate::wire::native::Edge;
use crate::wire::native::Entry;
use crate::wire::native::RESOURCE_SIZE;
use crate::wire::native::Variant;
use crate::wire::native::failure;
use crate::wire::native::head;
use crate::wire::native::tail;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::Version;
use catwalk_value::json;
use catwalk_value::json::Items;

/// The catalog as JSON for an agent.
///
/// # Errors
/// A value cannot be represented in JSON (a float that is not finite).
pub fn write_for_agent(catalog: &Catalog) -> Result<Vec<u8>, Reason> {
    json::compact(&Document(catalog), RESOURCE_SIZE * catalog.resources.len()).map_err(|error| failure(catalog, error))
}

/// The members of a document of [`write_for_agent`] that are new in each response: version, code ID and UUID.
#[must_use]
pub fn run_members(version: &Version, uuid: &str) -> String {
    let version = match version {
        Version::Seconds(seconds) => serde_json::json!(seconds),
        Version::Text(text) => serde_json::json!(&**text),
    };
    format!(r#""version":{version},"code_id":null,"catalog_uuid":{}"#, serde_json::json!(uuid))
}

/// A hash of all resources, including exported ones, and of edges, classes and environment. It is equal for catalogs with equal contents.
///
/// # Errors
/// As [`write_for_agent`].
pub fn hash_contents(catalog: &Catalog, hasher: &impl BuildHasher) -> Result<u64, Reason> {
    let mut sink = HashSink(hasher.build_hasher());
    let contents = Contents(catalog).serialize(&mut serde_json::Serializer::new(&mut sink));
    contents.map_err(|error| failure(catalog, error.to_string()))?;
    Ok(sink.0.finish())
}

/// A writer that hashes its input.
struct HashSink<H>(H);

impl<H: Hasher> std::io::Write for HashSink<H> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The format of a current Puppet server.
static VARIANT: Variant = Variant { version: None, is_format_1: false };

fn entry(resource: &Resource) -> Entry<'_> {
    Entry(resource, &VARIANT)
}

struct Contents<'a>(&'a Catalog);

impl Serialize for Contents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let catalog = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("environment", &*catalog.environment)?;
        map.serialize_entry("resources", &Items(|| catalog.resources.iter().map(entry)))?;
        map.serialize_entry("virtual", &Items(|| catalog.resources.iter().map(|resource| resource.is_virtual)))?;
        map.serialize_entry("edges", &Items(|| catalog.edges.iter()))?;
        tail(catalog, &mut map)?;
        map.end()
    }
}

struct Document<'a>(&'a Catalog);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let catalog = self.0;
        let is_sent = |at: usize| catalog.resources.get(at).is_some_and(|resource| !resource.is_virtual);
        let mut map = serializer.serialize_map(None)?;
        head(catalog, &VARIANT, &mut map)?;
        let resources = || catalog.resources.iter().filter(|resource| !resource.is_virtual).map(entry);
        map.serialize_entry("resources", &Items(resources))?;
        let edges = || {
            let sent = catalog.edges.iter().filter(|(from, to)| is_sent(*from) && is_sent(*to));
            sent.map(|edge| Edge(catalog, edge))
        };
        map.serialize_entry("edges", &Items(edges))?;
        tail(catalog, &mut map)?;
        map.end()
    }
}
