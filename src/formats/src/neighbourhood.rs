//! The neighbourhood of a resource as a tree: its containers, its contents, the resources before and after it.
//!
//! In: a catalog, a resource. Out: rows, each with its resource. Must not: draw, compile.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::visible;
use catwalk_base::source::path::shown;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;
use catwalk_catalog::Resource;

/// The maximum number of rows of a tree; further ones are only counted.
const ROWS: usize = 200;
/// The maximum number of neighbours of a resource in one direction.
const NEIGHBOURS: usize = 40;
/// The maximum distance of neighbours.
const STEPS: u32 = 3;
/// The maximum depth of containers.
const CONTAINERS: usize = 64;

/// A row of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The line to print.
    pub text: String,
    /// The resource of the row.
    pub target: Option<String>,
}

/// The neighbourhood of one resource.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The node.
    pub node: Arc<str>,
    /// The resource.
    pub reference: String,
    /// The reference as it is printed, without secrets.
    pub title: String,
    /// The position of the declaration.
    pub location: Option<String>,
    /// The rows of the tree.
    pub rows: Vec<Row>,
}

/// Finds a resource by its reference, else the first one whose reference contains the string.
#[must_use]
pub fn find(catalog: &Catalog, text: &str) -> Option<usize> {
    find_all(catalog, text).first().copied()
}

/// The resource with this reference; else those whose reference is equal in another case; else those whose reference contains the string.
#[must_use]
pub fn find_all(catalog: &Catalog, text: &str) -> Vec<usize> {
    let lower_case = text.to_lowercase();
    let lower = |resource: &Resource| resource.reference().to_lowercase();
    let matching = |matches: &dyn Fn(&Resource) -> bool| -> Vec<usize> {
        let all = catalog.resources.iter().enumerate();
        all.filter(|(_, resource)| matches(resource)).map(|(at, _)| at).collect()
    };
    let equal = matching(&|resource| resource.reference() == text);
    if !equal.is_empty() {
        return equal;
    }
    let equal = matching(&|resource| lower(resource) == lower_case);
    if equal.is_empty() { matching(&|resource| lower(resource).contains(&lower_case)) } else { equal }
}

/// The neighbourhood of the resource at an index.
#[must_use]
pub fn neighbourhood(catalog: &Catalog, at: usize, root: Option<&Path>) -> Option<Graph> {
    let resource = catalog.resources.get(at)?;
    let mut tree = Tree { catalog, order: Order::new(catalog), rows: Vec::new() };
    let containers = tree.containers(at);
    tree.add_contents(at, &containers);
    tree.add_related(at, &containers);
    tree.rows.truncate(ROWS);
    let redacted = |text: &str| catalog.secrets.redact(text).into_owned();
    tree.rows.iter_mut().for_each(|row| row.text = redacted(&row.text));
    let location = resource.file.as_deref().map(|file| {
        let file = shown(Path::new(file), root);
        resource.line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
    });
    Some(Graph {
        node: catalog.name.clone(),
        title: visible::line(&redacted(&resource.reference())).into_owned(),
        reference: resource.reference(),
        location,
        rows: tree.rows,
    })
}

struct Tree<'a> {
    catalog: &'a Catalog,
    order: Order<'a>,
    rows: Vec<Row>,
}

impl Tree<'_> {
    fn name(&self, at: usize) -> String {
        self.catalog.resources.get(at).map_or_else(String::new, Resource::reference)
    }

    fn add_heading(&mut self, text: &str) {
        self.rows.push(Row { text: text.to_owned(), target: None });
    }

    fn add_row(&mut self, before: &str, at: usize, after: &str) {
        let name = self.name(at);
        self.rows.push(Row { text: format!("{before}{}{after}", visible::line(&name)), target: Some(name) });
    }

    /// The containers of a resource, the outermost first.
    fn containers(&self, at: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut inner = at;
        let is_stage =
            |at: &usize| self.catalog.resources.get(*at).is_some_and(|resource| resource.type_name == "Stage");
        loop {
            // A contained class is in the stage of its container, too.
            let container_of = |(outer, contained): &(usize, usize)| (*contained == inner).then_some(*outer);
            let outer = self.catalog.edges.iter().filter_map(container_of).min_by_key(is_stage);
            let Some(outer) = outer.filter(|outer| !chain.contains(outer) && chain.len() < CONTAINERS) else { break };
            chain.push(outer);
            inner = outer;
        }
        chain.reverse();
        chain
    }

    fn add_contents(&mut self, at: usize, containers: &[usize]) {
        self.add_heading("Containment");
        for (depth, container) in containers.iter().chain([&at]).enumerate() {
            let mark = if *container == at { "  <--" } else { "" };
            self.add_row(&branch(depth), *container, mark);
        }
        let inside: Vec<usize> =
            self.catalog.edges.iter().filter(|(container, _)| *container == at).map(|(_, inside)| *inside).collect();
        let depth = containers.len() + 1;
        for (number, at) in inside.iter().take(NEIGHBOURS).enumerate() {
            let before = branch(depth);
            let before = if number + 1 < inside.len() { before.replace('└', "├") } else { before };
            self.add_row(&before, *at, "");
        }
        self.add_remaining_count(inside.len(), &branch(depth));
    }

    fn add_remaining_count(&mut self, all: usize, before: &str) {
        if all > NEIGHBOURS {
            self.add_heading(&format!("{before}… and {} more", all - NEIGHBOURS));
        }
    }

    fn add_related(&mut self, at: usize, containers: &[usize]) {
        for (title, forward) in [("Comes after", false), ("Comes before", true)] {
            self.add_heading("");
            self.add_heading(title);
            let start = self.rows.len();
            let mut path = vec![at];
            self.add_neighbours(at, forward, 0, &mut path);
            // A relationship of a container applies to all resources in it.
            for container in containers.iter().rev() {
                let of = format!("  (of {})", self.name(*container));
                for (next, parameter) in self.neighbours(*container, forward).into_iter().take(NEIGHBOURS) {
                    self.add_row(&format!("  {parameter:<9} "), next, &of);
                }
            }
            if self.rows.len() == start {
                self.add_heading("  nothing");
            }
        }
    }

    fn neighbours(&self, at: usize, forward: bool) -> Vec<(usize, &'static str)> {
        if forward { self.order.after(at) } else { self.order.before(at) }
    }

    fn add_neighbours(&mut self, at: usize, forward: bool, depth: u32, path: &mut Vec<usize>) {
        let all = self.neighbours(at, forward);
        let before = "  ".repeat(depth as usize + 1);
        for (next, parameter) in all.iter().take(NEIGHBOURS) {
            if self.rows.len() >= ROWS {
                return;
            }
            let is_on_path = path.contains(next);
            self.add_row(&format!("{before}{parameter:<9} "), *next, if is_on_path { "  (a cycle)" } else { "" });
            if !is_on_path && depth + 1 < STEPS {
                path.push(*next);
                self.add_neighbours(*next, forward, depth + 1, path);
                path.pop();
            }
        }
        self.add_remaining_count(all.len(), &before);
    }
}

fn branch(depth: usize) -> String {
    if depth == 0 { "  ".to_owned() } else { format!("{}└ ", "  ".repeat(depth)) }
}
