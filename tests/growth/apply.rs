//! Catalogs of a size that `apply` reads: containment, relationships and tags in different shapes.

use serde_json::Value;
use serde_json::json;

use super::Case;
use super::Kind;

const APPLY: &[&str] = &["apply", "--catalog", "catalog.json", "--noop", "--statedir", "state"];

fn reference(of: &Value) -> String {
    format!("{}[{}]", of["type"].as_str().unwrap(), of["title"].as_str().unwrap())
}

/// A catalog under construction.
struct Shape {
    resources: Vec<Value>,
    edges: Vec<Value>,
}

impl Shape {
    fn new() -> Shape {
        let mut shape = Shape { resources: Vec::new(), edges: Vec::new() };
        shape.add(None, "Stage", "main", json!({}));
        shape.add(Some("Stage[main]"), "Class", "main", json!({}));
        shape
    }

    /// Adds a resource to a container; returns its reference.
    fn add(&mut self, container: Option<&str>, type_name: &str, title: &str, parameters: Value) -> String {
        let resource =
            json!({"type": type_name, "title": title, "tags": ["t"], "exported": false, "parameters": parameters});
        let reference = reference(&resource);
        self.edges.extend(container.map(|container| json!({"source": container, "target": reference})));
        self.resources.push(resource);
        reference
    }

    fn notify(&mut self, container: &str, title: &str, parameters: Value) -> String {
        self.add(Some(container), "Notify", title, parameters)
    }

    fn case(self) -> Case {
        let catalog = json!({
            "name": "n", "version": 1, "environment": "production", "classes": ["main"], "tags": ["t"],
            "resources": self.resources, "edges": self.edges,
        });
        (vec![("catalog.json", catalog.to_string())], APPLY)
    }
}

fn nested_classes(n: usize) -> Case {
    let mut shape = Shape::new();
    let mut container = "Class[main]".to_owned();
    for at in 0..n {
        container = shape.add(Some(&container), "Class", &format!("C{at}"), json!({}));
    }
    shape.notify(&container, "x", json!({}));
    shape.case()
}

/// Classes inside of each other, each with a resource whose message is not printed.
fn nested_classes_with_resources(n: usize) -> Case {
    let mut shape = Shape::new();
    let mut container = "Class[main]".to_owned();
    for at in 0..n {
        container = shape.add(Some(&container), "Class", &format!("C{at}"), json!({}));
        let absent = json!({"path": format!("/nonexistent/{at}"), "ensure": "absent"});
        shape.add(Some(&container), "File", &format!("/nonexistent/{at}"), absent);
    }
    shape.case()
}

fn one_class(n: usize) -> Case {
    let mut shape = Shape::new();
    (0..n).for_each(|at| drop(shape.notify("Class[main]", &format!("x{at}"), json!({}))));
    shape.case()
}

fn chain_of_require(n: usize) -> Case {
    let mut shape = Shape::new();
    let mut last = shape.notify("Class[main]", "first", json!({}));
    for at in 0..n {
        last = shape.notify("Class[main]", &format!("x{at}"), json!({"require": last}));
    }
    shape.case()
}

fn chain_of_classes(n: usize) -> Case {
    let mut shape = Shape::new();
    let mut last = shape.add(Some("Class[main]"), "Class", "First", json!({}));
    for at in 0..n {
        last = shape.add(Some("Class[main]"), "Class", &format!("C{at}"), json!({"require": last}));
        shape.notify(&last, &format!("x{at}"), json!({}));
    }
    shape.case()
}

fn one_class_before_another(n: usize) -> Case {
    let mut shape = Shape::new();
    let first = shape.add(Some("Class[main]"), "Class", "A", json!({}));
    let second = shape.add(Some("Class[main]"), "Class", "B", json!({"subscribe": first}));
    for at in 0..n {
        shape.notify(&first, &format!("a{at}"), json!({}));
        shape.notify(&second, &format!("b{at}"), json!({"require": "Class[A]"}));
    }
    shape.case()
}

/// Each of some resources requires each of as many others, in one list a resource.
fn many_to_many(n: usize) -> Case {
    let mut shape = Shape::new();
    let count = n.isqrt();
    let first: Vec<String> = (0..count).map(|at| shape.notify("Class[main]", &format!("a{at}"), json!({}))).collect();
    for at in 0..count {
        shape.notify("Class[main]", &format!("b{at}"), json!({"require": first}));
    }
    shape.case()
}

fn nested_classes_that_require(n: usize) -> Case {
    let mut shape = Shape::new();
    let mut container = "Class[main]".to_owned();
    for at in 0..n {
        let first = shape.notify("Class[main]", &format!("x{at}"), json!({}));
        container = shape.add(Some(&container), "Class", &format!("C{at}"), json!({"require": first}));
    }
    shape.case()
}

/// Resources that fail, all required by each of as many others through their class.
fn failures(n: usize) -> Case {
    let mut shape = Shape::new();
    let first = shape.add(Some("Class[main]"), "Class", "A", json!({}));
    for at in 0..n {
        let file = json!({"path": format!("/dev/null/{at}"), "ensure": "file", "source": "/nonexistent"});
        shape.add(Some(&first), "File", &format!("/dev/null/{at}"), file);
        shape.notify("Class[main]", &format!("b{at}"), json!({"require": first}));
    }
    shape.case()
}

fn a_cycle(n: usize) -> Case {
    let mut shape = Shape::new();
    for at in 0..n {
        shape.notify("Class[main]", &format!("x{at}"), json!({"require": format!("Notify[x{}]", (at + 1) % n)}));
    }
    shape.case()
}

fn schedules(n: usize) -> Case {
    let mut shape = Shape::new();
    (0..n).for_each(|at| drop(shape.notify("Class[main]", &format!("x{at}"), json!({"schedule": "s"}))));
    shape.add(Some("Class[main]"), "Schedule", "s", json!({"period": "daily"}));
    shape.case()
}

fn tags(n: usize) -> Case {
    let mut shape = Shape::new();
    let (first, second) = (n.isqrt(), n.isqrt());
    let tags: Vec<String> = (0..second).map(|at| format!("tag{at}")).collect();
    for at in 0..first {
        shape.notify("Class[main]", &format!("x{at}"), json!({}));
        shape.resources.last_mut().unwrap()["tags"] = json!(tags);
    }
    shape.case()
}

pub(super) const CATALOGS: &[Kind] = &[
    ("apply: nested classes", 2_000, nested_classes),
    ("apply: nested classes with resources", 2_000, nested_classes_with_resources),
    ("apply: one class", 2_000, one_class),
    ("apply: a chain of require", 2_000, chain_of_require),
    ("apply: a chain of classes", 2_000, chain_of_classes),
    ("apply: one class before another", 2_000, one_class_before_another),
    ("apply: many to many", 10_000, many_to_many),
    ("apply: nested classes that require", 2_000, nested_classes_that_require),
    ("apply: failures", 1_000, failures),
    ("apply: a cycle", 2_000, a_cycle),
    ("apply: schedules", 2_000, schedules),
    ("apply: tags", 10_000, tags),
];
