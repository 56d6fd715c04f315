//! The path of a resource: its containers, from the stage to the resource itself.
//!
//! In: references, and the paths of containers. Out: paths that share those of their containers, so that a catalog takes no more
//! memory if its classes nest deeply. Must not: be recursive, since classes may nest as deeply as a catalog is long.

use std::fmt;
use std::sync::Arc;

/// The path of a resource, as messages and reports print it: `/Stage[main]/Main/File[/x]`. Copies share the path.
#[derive(Clone, Debug, Default)]
pub struct ResourcePath(Option<Arc<Part>>);

#[derive(Debug)]
struct Part {
    reference: Arc<str>,
    container: ResourcePath,
}

impl ResourcePath {
    /// The path of a resource in a container; that of the default has no parts.
    #[must_use]
    pub fn new(container: &ResourcePath, reference: Arc<str>) -> ResourcePath {
        ResourcePath(Some(Arc::new(Part { reference, container: container.clone() })))
    }

    /// The parts of the path, from the outermost container to the resource: `Stage[main]`, `Main`, `File[/x]`. Classes that contain
    /// others are written without `Class[…]`.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut next = self;
        while let Some(part) = &next.0 {
            let reference = &*part.reference;
            let class = reference.strip_prefix("Class[").and_then(|rest| rest.strip_suffix(']'));
            parts.push(class.filter(|_| !parts.is_empty()).unwrap_or(reference));
            next = &part.container;
        }
        parts.reverse();
        parts
    }
}

impl fmt::Display for ResourcePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().into_iter().try_for_each(|part| write!(f, "/{part}"))
    }
}

impl Drop for ResourcePath {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut part) = next.and_then(Arc::into_inner) {
            next = part.container.0.take();
        }
    }
}

/// The paths of resources with these references and containers. The container of a resource that contains itself is left out.
pub(crate) fn paths(resources: &[(Arc<str>, Option<usize>)]) -> Vec<ResourcePath> {
    let mut paths: Vec<Option<ResourcePath>> = vec![None; resources.len()];
    let mut is_open = vec![false; resources.len()];
    for at in 0..resources.len() {
        // The resource and its containers whose paths are unknown, from the inside to the outside.
        let mut open = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| paths[*at].is_none() && !is_open[*at]) {
            is_open[at] = true;
            open.push(at);
            next = resources[at].1;
        }
        let mut container = next.and_then(|at| paths[at].clone()).unwrap_or_default();
        for at in open.into_iter().rev() {
            container = ResourcePath::new(&container, resources[at].0.clone());
            paths[at] = Some(container.clone());
        }
    }
    paths.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_containers_from_the_outside() {
        let resources = [("Notify[x]", Some(2)), ("Stage[main]", None), ("Class[A]", Some(1)), ("Class[B]", Some(2))];
        let resources = resources.map(|(reference, container)| (Arc::from(reference), container));
        let paths = paths(&resources);
        let printed: Vec<String> = paths.iter().map(ToString::to_string).collect();
        assert_eq!(
            printed,
            ["/Stage[main]/A/Notify[x]", "/Stage[main]", "/Stage[main]/Class[A]", "/Stage[main]/A/Class[B]"]
        );
    }

    #[test]
    fn resources_that_contain_themselves_have_a_path() {
        let resources = [("Class[A]", Some(1)), ("Class[B]", Some(0)), ("Notify[x]", Some(0))];
        let resources = resources.map(|(reference, container)| (Arc::from(reference), container));
        let printed: Vec<String> = paths(&resources).iter().map(ToString::to_string).collect();
        assert_eq!(printed, ["/B/Class[A]", "/Class[B]", "/B/A/Notify[x]"]);
    }

    #[test]
    fn a_deep_path_is_dropped_on_a_small_stack() {
        let resources: Vec<(Arc<str>, Option<usize>)> =
            (0..1_000_000).map(|at: usize| (Arc::from("Class[A]"), at.checked_sub(1))).collect();
        assert_eq!(paths(&resources).last().map(|path| path.parts().len()), Some(1_000_000));
    }
}
