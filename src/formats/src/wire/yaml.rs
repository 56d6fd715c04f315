//! Writes the native format as YAML, in Ruby's layout.

use std::ops::Range;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::chunks::Chunks;
use crate::wire::chunks::List;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use crate::wire::native;
use crate::wire::native::Edge;
use crate::wire::native::Head;
use crate::wire::native::Tail;
use crate::wire::native::Variant;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_value::json::from_json;
use catwalk_value::ruby;

/// The first line of a document.
const START: &str = "---\n";

/// Passes the document to `take` in pieces.
///
/// # Errors
/// A value cannot be represented in YAML; the errors of `take`. The document is incomplete then.
pub(super) fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    variant: &Variant,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let catalog = &*catalog.for_agent();
    let (resources, edges) = (Resources(catalog), Edges(catalog));
    let mut chunks = Chunks::plain();
    chunks.text(START);
    chunks.text(members(&Head(catalog, variant))?);
    for (name, list) in [("resources", &resources as &dyn List), ("edges", &edges)] {
        chunks.text(if list.len() == 0 { format!("{name}: []\n") } else { format!("{name}:\n") });
        chunks.items(list);
    }
    chunks.text(members(&Tail(catalog))?);
    chunks.write_to(threads, &|error| native::failure(catalog, error).into(), take)
}

struct Resources<'a>(&'a Catalog);

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.0.resources.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let documents = self.0.resources.get(items).unwrap_or_default().iter().map(native::resource);
        list_items(documents.collect::<Result<_, _>>().map_err(|reason| reason.message.to_string())?)
    }
}

struct Edges<'a>(&'a Catalog);

impl List for Edges<'_> {
    fn len(&self) -> usize {
        self.0.edges.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let documents = self.0.edges.get(items).unwrap_or_default().iter();
        let documents = documents.map(|edge| serde_json::to_value(Edge(self.0, edge)));
        list_items(documents.collect::<Result<_, _>>().map_err(|error| error.to_string())?)
    }
}

/// The lines of the items of a list in the document.
fn list_items(items: Vec<Json>) -> Result<String, String> {
    const NAME: &str = "x";
    let text = lines(Json::Object(Map::from_iter([(NAME.to_owned(), Json::Array(items))])))?;
    Ok(text.split_once('\n').map(|(_, items)| items.to_owned()).unwrap_or_default())
}

/// The lines of the members of an object.
fn members(object: &impl Serialize) -> Result<String, Reason> {
    let object = serde_json::to_value(object).map_err(|error| Reason::runtime(error.to_string()))?;
    lines(object).map_err(Reason::runtime)
}

fn lines(document: Json) -> Result<String, String> {
    let text = ruby::to_yaml(&from_json(&document), ruby::YamlOptions::default());
    let text = text.map_err(|reason| reason.message.to_string())?;
    Ok(text.strip_prefix(START).unwrap_or(&text).to_owned())
}
