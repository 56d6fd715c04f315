//! The native format as YAML, as Ruby writes it.

use std::ops::Range;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::native;
use crate::wire::native::Edge;
use crate::wire::native::Head;
use crate::wire::native::Tail;
use crate::wire::native::Variant;
use crate::wire::parts::List;
use crate::wire::parts::Parts;
use crate::wire::parts::PieceSink;
use crate::wire::parts::Threads;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_value::value::json::from_json;
use catwalk_value::value::ruby;

/// How a document begins.
const START: &str = "---\n";

/// Passes the document to `take` in pieces.
///
/// # Errors
/// A value that has no form in YAML; those of `take`: then what was taken is not all.
pub(super) fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    variant: &Variant,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let (resources, edges) = (Resources(catalog), Edges(catalog));
    let mut parts = Parts::plain();
    parts.text(START);
    parts.text(members(&Head(catalog, variant))?);
    for (name, list) in [("resources", &resources as &dyn List), ("edges", &edges)] {
        parts.text(if list.len() == 0 { format!("{name}: []\n") } else { format!("{name}:\n") });
        parts.items(list);
    }
    parts.text(members(&Tail(catalog))?);
    parts.write_to(threads, &|error| native::failure(catalog, error).into(), take)
}

struct Resources<'a>(&'a Catalog);

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.0.resources.len()
    }

    fn text(&self, items: Range<usize>) -> Result<String, String> {
        let some = self.0.resources.get(items).unwrap_or_default().iter().map(native::resource);
        list_items(some.collect::<Result<_, _>>().map_err(|reason| reason.message.to_string())?)
    }
}

struct Edges<'a>(&'a Catalog);

impl List for Edges<'_> {
    fn len(&self) -> usize {
        self.0.edges.len()
    }

    fn text(&self, items: Range<usize>) -> Result<String, String> {
        let some = self.0.edges.get(items).unwrap_or_default().iter();
        let documents = some.map(|edge| serde_json::to_value(Edge(self.0, edge)));
        list_items(documents.collect::<Result<_, _>>().map_err(|error| error.to_string())?)
    }
}

/// The lines of the items of a list that is a member of the document.
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
