//! The edges for PuppetDB: containment, then the relationship metaparameters of each resource.

use crate::metaparameters::CONTAINS;
use crate::metaparameters::RELATIONSHIPS;
use hashbrown::HashMap;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::Value as Json;

use super::resources::Metaparameters;
use super::resources::flatten;
use super::resources::string;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::is_forward;

/// An edge between two resources, by their indexes in the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Edge {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) relationship: &'static str,
}

/// The edges of a catalog without duplicates.
///
/// # Errors
/// The target of a relationship is not in the catalog, or is exported but not collected.
pub(super) fn edges(catalog: &Catalog, metaparameters: &[Metaparameters]) -> Result<Vec<Edge>, Reason> {
    let names = Names::new(catalog, metaparameters);
    let mut edges: IndexSet<Edge, FxBuildHasher> = IndexSet::default();
    edges.extend(catalog.edges.iter().map(|(from, to)| Edge { source: *from, target: *to, relationship: CONTAINS }));
    for (at, (resource, parameters)) in catalog.resources.iter().zip(metaparameters).enumerate() {
        if resource.is_virtual {
            continue;
        }
        for (parameter, relationship) in RELATIONSHIPS {
            let Some(value) = parameters.get(parameter) else { continue };
            let mut targets = Vec::new();
            flatten(value, &mut targets);
            for target in targets {
                let other = find_target(catalog, &names, resource, parameter, &string(target))?;
                let (source, target) = if is_forward(parameter) { (at, other) } else { (other, at) };
                edges.insert(Edge { source, target, relationship });
            }
        }
    }
    Ok(edges.into_iter().collect())
}

/// Serializes an edge as the terminus does.
pub(super) struct Entry<'a>(pub(super) &'a Catalog, pub(super) Edge);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Entry(catalog, Edge { source, target, relationship }) = self;
        let end = |at: &usize| catalog.resources.get(*at).map(End);
        let mut map = serializer.serialize_map(Some(3))?;
        // The terminus writes the members of containment edges and of relationships in different order.
        if *relationship != CONTAINS {
            map.serialize_entry("relationship", relationship)?;
        }
        map.serialize_entry("source", &end(source))?;
        map.serialize_entry("target", &end(target))?;
        if *relationship == CONTAINS {
            map.serialize_entry("relationship", relationship)?;
        }
        map.end()
    }
}

struct End<'a>(&'a Resource);

impl Serialize for End<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", self.0.type_name.as_str())?;
        map.serialize_entry("title", &*self.0.title)?;
        map.end()
    }
}

/// Resources by title and by alias. Of several with the same alias, the last is found.
struct Names<'a> {
    titles: HashMap<(Name, &'a str), usize, FxBuildHasher>,
    aliases: HashMap<(Name, &'a str), usize, FxBuildHasher>,
}

impl<'a> Names<'a> {
    fn new(catalog: &'a Catalog, metaparameters: &'a [Metaparameters]) -> Names<'a> {
        let mut names = Names { titles: HashMap::default(), aliases: HashMap::default() };
        for (at, (resource, parameters)) in catalog.resources.iter().zip(metaparameters).enumerate() {
            names.titles.insert((resource.type_name, resource.title.as_ref()), at);
            let aliases = match parameters.get("alias") {
                Some(Json::Array(aliases)) => aliases.as_slice(),
                Some(alias) => std::slice::from_ref(alias),
                None => &[],
            };
            for alias in aliases.iter().filter_map(Json::as_str) {
                names.aliases.insert((resource.type_name, alias), at);
            }
        }
        names
    }

    fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        let key = (Name::new(type_name), title);
        self.titles.get(&key).or_else(|| self.aliases.get(&key)).copied()
    }
}

/// The target of a relationship.
fn find_target(
    catalog: &Catalog,
    names: &Names<'_>,
    resource: &Resource,
    parameter: &str,
    target: &str,
) -> Result<usize, Reason> {
    let fail = |ending: &str| {
        let reference = resource.reference();
        let text =
            format!("Invalid relationship: {reference} {{ {parameter} => {target} }}, because {target} {ending}");
        Err(Reason::runtime(text))
    };
    let parts = target.strip_suffix(']').and_then(|text| text.split_once('['));
    let Some((type_name, title)) = parts.filter(|(name, _)| is_reference_type(name)) else {
        return fail(
            "doesn't seem to be in the correct format. Resource references should be formatted as: Classname['title'] or \
             Modulename::Classname['title'] (take careful note of the capitalization).",
        );
    };
    // The terminus removes trailing slashes from paths. The path `/` becomes empty, so that no relationship can lead to it.
    let title = if type_name == "File" { title.trim_end_matches('/') } else { title };
    match names.find(type_name, title).and_then(|at| catalog.resources.get(at).map(|other| (at, other))) {
        None => fail("doesn't seem to be in the catalog"),
        Some((_, other)) if other.is_virtual => fail("is exported but not collected"),
        Some((at, _)) => Ok(at),
    }
}

/// Whether a string is the name of a type, such as `Foo::Bar`: each segment is a capital, then lower-case letters, digits and `_`.
fn is_reference_type(name: &str) -> bool {
    name.split("::").all(|part| {
        let mut chars = part.chars();
        chars.next().is_some_and(|first| first.is_ascii_uppercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
}
