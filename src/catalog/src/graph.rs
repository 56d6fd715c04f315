//! Dependency cycles of a finished catalog.
//!
//! Each container has two nodes in the graph, its beginning and its end (the agent's `Admissible_class` and `Completed_class`); its
//! content is in between. In Puppet, only the agent finds cycles.

use std::collections::VecDeque;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::Catalog;
use crate::references::Names;
use crate::references::collect_names;
use crate::references::find_resource;
use crate::references::relationships;
use catwalk_base::names::Name;

/// A dependency cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The resources of one cycle (indices in the catalog), each with the reason why the next one waits for it. The first resource
    /// waits for the last one.
    pub steps: Vec<(usize, OrderReason)>,
    /// All resources of the strongly connected component that contains the steps, in catalog order.
    pub members: Vec<usize>,
}

/// Why a resource waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderReason {
    /// One contains the other.
    Containment,
    /// A relationship metaparameter (or an arrow, which becomes one), or a relationship that a resource type implies:
    /// `autorequire`.
    Parameter(&'static str),
}

impl Cycle {
    /// `(File[/a] => File[/b] => File[/a])`
    #[must_use]
    pub fn text(&self, catalog: &Catalog) -> String {
        let name = |at: &usize| catalog.resources.get(*at).map_or_else(String::new, super::Resource::reference);
        let mut names: Vec<String> = self.steps.iter().map(|(at, _)| name(at)).collect();
        names.extend(names.first().cloned());
        format!("({})", names.join(" => "))
    }
}

/// The edges of a graph, ordered by source node.
struct Edges {
    /// The index of each node's first edge in `targets`, and the total number of edges at the end.
    starts: Vec<usize>,
    targets: Vec<(usize, OrderReason)>,
}

impl Edges {
    /// Sorts edges by source node. The edges of a node keep their order.
    fn new(nodes: usize, list: &[(usize, usize, OrderReason)]) -> Edges {
        let mut starts = vec![0; nodes + 1];
        for (from, ..) in list {
            starts[*from + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![(0, OrderReason::Containment); list.len()];
        for (from, to, why) in list {
            targets[next[*from]] = (*to, *why);
            next[*from] += 1;
        }
        Edges { starts, targets }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn get(&self, node: usize) -> Option<&[(usize, OrderReason)]> {
        self.targets.get(*self.starts.get(node)?..*self.starts.get(node + 1)?)
    }
}

/// Whether the graph has no cycle (Kahn's algorithm).
#[must_use]
pub fn is_acyclic(nodes: usize, edges: &[(usize, usize)]) -> bool {
    let mut starts = vec![0u32; nodes + 1];
    let mut waiting = vec![0u32; nodes];
    for (from, to) in edges {
        if let (Some(start), Some(waiting)) = (starts.get_mut(*from + 1), waiting.get_mut(*to)) {
            *start += 1;
            *waiting += 1;
        }
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut targets = vec![0usize; edges.len()];
    for (from, to) in edges {
        if let Some(at) = next.get_mut(*from)
            && let Some(target) = targets.get_mut(*at as usize)
        {
            *target = *to;
            *at += 1;
        }
    }
    let mut ready: Vec<usize> = (0..nodes).filter(|node| waiting.get(*node) == Some(&0)).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        for to in targets.get(starts[node] as usize..starts[node + 1] as usize).unwrap_or_default() {
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    done == nodes
}

/// The cycles of dependencies and containment: one path for each strongly connected component, in catalog order.
#[must_use]
pub fn dependency_cycles(catalog: &Catalog) -> Vec<Cycle> {
    let edges = graph(catalog);
    let mut cycles = Vec::new();
    for component in cyclic_components(&edges) {
        if let Some(cycle) = shortest_cycle(&edges, &component) {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Determines which resources are applied before others.
pub struct Order<'a> {
    edges: Edges,
    names: Names<'a>,
}

impl<'a> Order<'a> {
    /// The order that a catalog's dependencies and containment require.
    #[must_use]
    pub fn new(catalog: &'a Catalog) -> Order<'a> {
        Order { edges: graph(catalog), names: collect_names(catalog) }
    }

    /// The resource (index in the catalog) to which a relationship refers by this title, alias or name.
    #[must_use]
    pub fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        find_resource(&self.names, Name::new(type_name), title)
    }

    /// The shortest chain of resources by which `then` waits for `first`, each with the reason why the next one waits for it.
    /// A container leads to its content. `None`: the resources may be applied in any order.
    #[must_use]
    pub fn path(&self, first: usize, then: usize) -> Option<Vec<(usize, OrderReason)>> {
        if first == then {
            return None;
        }
        self.path_from(first * 2 + 1, then * 2).or_else(|| self.path_from(first * 2, then * 2))
    }

    fn path_from(&self, start: usize, end: usize) -> Option<Vec<(usize, OrderReason)>> {
        let mut predecessors: HashMap<usize, (usize, OrderReason), FxBuildHasher> = HashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if node == end {
                break;
            }
            for (to, why) in self.edges.get(node).unwrap_or_default() {
                // The edge from the beginning of an empty container to its end orders no other resources.
                if *to != start && !predecessors.contains_key(to) {
                    predecessors.insert(*to, (node, *why));
                    queue.push_back(*to);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = end;
        while at != start {
            let (from, why) = *predecessors.get(&at)?;
            if from / 2 != at / 2 {
                steps.push((from / 2, why));
            }
            at = from;
        }
        steps.reverse();
        Some(steps)
    }

    /// Whether `first` and all its content are applied before `then`.
    #[must_use]
    pub fn is_before(&self, first: usize, then: usize) -> bool {
        let (from, to) = (first * 2 + 1, then * 2);
        let mut seen = vec![false; self.edges.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (next, _) in self.edges.get(node).unwrap_or_default() {
                if *next == to {
                    return true;
                }
                if let Some(seen) = seen.get_mut(*next).filter(|seen| !**seen) {
                    *seen = true;
                    queue.push_back(*next);
                }
            }
        }
        false
    }
}

impl Order<'_> {
    /// The resources that wait for this one because of a direct relationship, each with its metaparameter.
    #[must_use]
    pub fn after(&self, at: usize) -> Vec<(usize, &'static str)> {
        let edges = self.edges.get(at * 2 + 1).unwrap_or_default().iter();
        edges.filter_map(|(to, why)| Some((to / 2, why.parameter()?))).collect()
    }

    /// The resources that this one waits for because of a direct relationship, each with its metaparameter.
    #[must_use]
    pub fn before(&self, at: usize) -> Vec<(usize, &'static str)> {
        let mut found = Vec::new();
        for from in 0..self.edges.len() {
            let edges = self.edges.get(from).unwrap_or_default().iter().filter(|(to, _)| *to == at * 2);
            found.extend(edges.filter_map(|(_, why)| Some((from / 2, why.parameter()?))));
        }
        found
    }
}

impl OrderReason {
    fn parameter(self) -> Option<&'static str> {
        match self {
            OrderReason::Parameter(name) => Some(name),
            OrderReason::Containment => None,
        }
    }
}

/// Builds the graph: node `2 n` is the beginning of resource `n`, node `2 n + 1` its end.
fn graph(catalog: &Catalog) -> Edges {
    let nodes = catalog.resources.len() * 2;
    let mut list = Vec::with_capacity(catalog.resources.len() + catalog.edges.len() * 3);
    let mut add = |from: usize, to: usize, why: OrderReason| {
        if from < nodes {
            list.push((from, to, why));
        }
    };
    // An exported resource that is not collected never reaches the agent.
    let is_applied = |at: usize| catalog.resources.get(at).is_some_and(|resource| !resource.is_virtual);
    for at in 0..catalog.resources.len() {
        add(at * 2, at * 2 + 1, OrderReason::Containment);
    }
    for (container, contained) in &catalog.edges {
        if !is_applied(*container) || !is_applied(*contained) {
            continue;
        }
        add(container * 2, contained * 2, OrderReason::Containment);
        add(contained * 2 + 1, container * 2 + 1, OrderReason::Containment);
    }
    for (first, then, parameter) in relationships(catalog) {
        add(first * 2 + 1, then * 2, OrderReason::Parameter(parameter));
    }
    for automatic in &catalog.automatic {
        add(automatic.first * 2 + 1, automatic.then * 2, OrderReason::Parameter(automatic.relation));
    }
    Edges::new(nodes, &list)
}

/// Strongly connected components with more than one node or a loop (Tarjan's algorithm without recursion).
fn cyclic_components(edges: &Edges) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut next, mut found) = (Vec::with_capacity(n), 0, Vec::new());
    let mut work = Vec::new();
    for root in 0..n {
        if index.get(root).copied() != Some(NEW) {
            continue;
        }
        work.push((root, 0));
        while let Some((node, child)) = work.pop() {
            if child == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some((to, _)) = edges.get(node).and_then(|list| list.get(child)) {
                work.push((node, child + 1));
                if index[*to] == NEW {
                    work.push((*to, 0));
                } else if on_stack[*to] {
                    low[node] = low[node].min(index[*to]);
                }
                continue;
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let loops = || edges.get(node).is_some_and(|list| list.iter().any(|(to, _)| *to == node));
                if stack.last() == Some(&node) && !loops() {
                    stack.pop();
                    on_stack[node] = false;
                    continue;
                }
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack[top] = false;
                    component.push(top);
                    if top == node {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The shortest cycle from the first node of a component back to it.
fn shortest_cycle(edges: &Edges, component: &[usize]) -> Option<Cycle> {
    let start = *component.first()?;
    let mut predecessors: HashMap<usize, (usize, OrderReason), FxBuildHasher> = HashMap::default();
    let mut queue = VecDeque::from([start]);
    'search: while let Some(node) = queue.pop_front() {
        for (to, why) in edges.get(node)? {
            if component.binary_search(to).is_ok() && !predecessors.contains_key(to) {
                predecessors.insert(*to, (node, *why));
                if *to == start {
                    break 'search;
                }
                queue.push_back(*to);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = start;
    loop {
        let (from, why) = *predecessors.get(&at)?;
        // The edge from a resource's beginning to its end is not a step of a cycle, but the edge back is.
        if from + 1 != at || from % 2 != 0 {
            steps.push((from / 2, why));
        }
        at = from;
        if at == start {
            break;
        }
    }
    steps.reverse();
    let mut members: Vec<usize> = component.iter().map(|node| node / 2).collect();
    members.dedup();
    Some(Cycle { steps, members })
}
