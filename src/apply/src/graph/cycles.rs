//! Cycles of a graph (Puppet::Graph::SimpleGraph#find_cycles_in_graph, #paths_in_cycle).

use std::collections::VecDeque;

use crate::graph::Graph;

const NEW: usize = usize::MAX;

/// Whether the graph has no cycle (Kahn's algorithm).
fn is_acyclic(graph: &Graph) -> bool {
    let mut waiting = vec![0usize; graph.len()];
    for node in 0..graph.len() {
        graph.dependents(node).for_each(|to| waiting[to] += 1);
    }
    let mut ready: Vec<usize> = (0..graph.len()).filter(|node| waiting[*node] == 0).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        for to in graph.dependents(node) {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    done == graph.len()
}

/// The sets of nodes that depend on each other: strongly connected components (Tarjan's algorithm without recursion).
pub(crate) fn cycles(graph: &Graph) -> Vec<Vec<usize>> {
    if is_acyclic(graph) {
        return Vec::new();
    }
    let n = graph.len();
    let children: Vec<Vec<usize>> = (0..n).map(|node| graph.dependents(node).collect()).collect();
    let mut search =
        ComponentSearch { index: vec![NEW; n], low: vec![0; n], on_stack: vec![false; n], stack: Vec::new(), next: 0 };
    let mut components = Vec::new();
    for root in 0..n {
        if search.index[root] == NEW {
            search.search_from(root, &children, &mut components);
        }
    }
    components
}

struct ComponentSearch {
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
}

impl ComponentSearch {
    fn search_from(&mut self, root: usize, children: &[Vec<usize>], components: &mut Vec<Vec<usize>>) {
        let mut work = vec![(root, 0)];
        while let Some((node, child)) = work.pop() {
            if child == 0 {
                self.index[node] = self.next;
                self.low[node] = self.next;
                self.next += 1;
                self.stack.push(node);
                self.on_stack[node] = true;
            }
            if let Some(to) = children[node].get(child).copied() {
                work.push((node, child + 1));
                if self.index[to] == NEW {
                    work.push((to, 0));
                } else if self.on_stack[to] {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
                continue;
            }
            if let Some((parent, _)) = work.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.add_component(node, children, components);
            }
        }
    }

    fn add_component(&mut self, node: usize, children: &[Vec<usize>], components: &mut Vec<Vec<usize>>) {
        let mut component = Vec::new();
        while let Some(top) = self.stack.pop() {
            self.on_stack[top] = false;
            component.push(top);
            if top == node {
                break;
            }
        }
        if component.len() > 1 || children[node].contains(&node) {
            components.push(component);
        }
    }
}

/// The shortest cycle within `members` through the first of them, which is the first and last node of the result.
pub(crate) fn shortest_cycle(graph: &Graph, members: &[usize]) -> Vec<usize> {
    let Some(start) = members.first().copied() else { return Vec::new() };
    let mut previous = vec![NEW; graph.len()];
    let mut is_member = vec![false; graph.len()];
    members.iter().for_each(|member| is_member[*member] = true);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for to in graph.dependents(node).filter(|to| is_member[*to]) {
            if to == start {
                let mut path = vec![start, node];
                let mut at = node;
                while at != start {
                    at = previous[at];
                    path.push(at);
                }
                path.reverse();
                if node == start {
                    path.pop();
                }
                return path;
            }
            if previous[to] == NEW {
                previous[to] = node;
                queue.push_back(to);
            }
        }
    }
    vec![start]
}
