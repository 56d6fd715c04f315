//! Builds the graph of a run from containment and relationships. A container becomes two nodes, before and after its contents
//! (Puppet::Graph::RelationshipGraph#replace_containers_with_anchors).

use catwalk_base::names::Name;
use catwalk_value::Type;
use catwalk_value::Value;
use rustc_hash::FxHashSet;

use crate::graph::Graph;

/// A relationship of two resources, by position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    /// The resource that is applied first.
    pub(crate) first: usize,
    /// The resource that is applied later.
    pub(crate) then: usize,
    /// Whether changes of the first refresh the second.
    pub(crate) events: bool,
}

/// The nodes of a container: before and after its contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Anchors {
    pub(crate) admissible: usize,
    pub(crate) completed: usize,
}

/// The graph of resources with containment (container, contained) and relationships. An automatic relationship of two resources that are
/// already related is left out; `skipped` is called with it if the existing one has the opposite direction. An automatic relationship that
/// closes a longer cycle stays, so that the run fails (Puppet::Graph::RelationshipGraph#build_autorelation_dependencies). Returns the
/// graph, whose first nodes are the resources, and the anchors of each container.
pub(crate) fn build_with_anchors(
    is_container: &[bool],
    containment: &[(usize, usize)],
    links: &[Link],
    automatic: &[Link],
    mut skipped: impl FnMut(Link),
) -> (Graph, Vec<Option<Anchors>>) {
    let mut graph = Graph::default();
    for at in 0..is_container.len() {
        graph.add(vec![u32::try_from(at).unwrap_or(u32::MAX)]);
    }
    let mut anchors = vec![None; is_container.len()];
    for (at, _) in is_container.iter().enumerate().filter(|(_, is_container)| **is_container) {
        let priority = graph.priority(at);
        let admissible = graph.add(priority.clone());
        let completed = graph.add(priority);
        anchors[at] = Some(Anchors { admissible, completed });
        graph.exclude(at);
    }
    let mut is_filled = vec![false; is_container.len()];
    for (container, _) in containment {
        if let Some(is_filled) = is_filled.get_mut(*container) {
            *is_filled = true;
        }
    }
    for (is_filled, anchors) in is_filled.iter().zip(&anchors) {
        if let Some(Anchors { admissible, completed }) = anchors
            && !is_filled
        {
            graph.connect(*admissible, *completed, false);
        }
    }
    let begin = |at: usize| anchors.get(at).copied().flatten().map_or(at, |anchors: Anchors| anchors.admissible);
    let end = |at: usize| anchors.get(at).copied().flatten().map_or(at, |anchors: Anchors| anchors.completed);
    for (container, contained) in containment {
        if is_container.get(*container) == Some(&true) {
            graph.connect(begin(*container), begin(*contained), true);
            graph.connect(end(*contained), end(*container), true);
        }
    }
    for link in links {
        graph.connect(end(link.first), begin(link.then), link.events);
    }
    let mut related: FxHashSet<(usize, usize)> = links.iter().map(|link| (link.first, link.then)).collect();
    for link in automatic.iter().filter(|link| link.first != link.then) {
        if related.contains(&(link.then, link.first)) {
            skipped(*link);
        } else if related.insert((link.first, link.then)) {
            graph.connect(end(link.first), begin(link.then), link.events);
        }
    }
    (graph, anchors)
}

/// Calls `on_reference` with the type and title of each reference in the value of a relationship metaparameter, and `on_other` with each
/// other value.
pub(crate) fn for_each_reference(
    value: &Value,
    on_reference: &mut dyn FnMut(Name, &str),
    on_other: &mut dyn FnMut(&Value),
) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| for_each_reference(item, on_reference, on_other)),
        Value::Str(text) => match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((type_name, title)) => on_reference(Name::new(type_name).normalized(), title),
            None => on_other(value),
        },
        Value::Type(Type::Resource(resource)) => {
            if let (Some(type_name), Some(title)) = (resource.type_name.as_deref(), resource.title.as_deref()) {
                on_reference(Name::new(type_name).normalized(), title);
            }
        }
        Value::Type(Type::Class(Some(class))) => on_reference(catwalk_base::name!("class"), class),
        Value::Undef => {}
        value => on_other(value),
    }
}
