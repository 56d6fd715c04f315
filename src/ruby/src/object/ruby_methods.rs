//! The methods of Ruby's classes, whether Catwalk supports them or not.
//!
//! In: names of classes and methods. Out: whether Ruby has such a method, and its arity, as `tests/reference/ruby-methods`
//! recorded it in a process that has loaded Puppet. Must not: call any.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

const TABLE: &str = include_str!("ruby_methods.tsv");

/// Methods by name, with the result of `Method#arity`.
type Methods = FxHashMap<&'static str, i8>;

/// The recorded methods of a class or module.
#[derive(Default)]
struct RecordingWorld {
    /// The ancestors of the class or module, nearest first.
    ancestors: Vec<&'static str>,
    /// Public methods of objects that the class itself defines.
    objects: Methods,
    /// Private methods of objects that the class itself defines.
    private: Methods,
    /// Methods of the class or module itself.
    itself: Methods,
}

impl RecordingWorld {
    /// Adds a line of the table.
    fn add(&mut self, kind: &str, list: &'static str) {
        let methods = match kind {
            "objects" => &mut self.objects,
            "private" => &mut self.private,
            "itself" => &mut self.itself,
            _ => {
                self.ancestors = list.split(' ').collect();
                return;
            }
        };
        let pairs = list.split(' ').filter_map(|pair| pair.rsplit_once(':'));
        methods.extend(pairs.filter_map(|(name, arity)| Some((name, arity.parse().ok()?))));
    }
}

fn recorded() -> &'static FxHashMap<&'static str, RecordingWorld> {
    static RECORDED: OnceLock<FxHashMap<&'static str, RecordingWorld>> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let mut classes: FxHashMap<&'static str, RecordingWorld> = FxHashMap::default();
        for line in TABLE.lines() {
            let mut fields = line.split('\t');
            if let (Some(class), Some(kind), Some(list)) = (fields.next(), fields.next(), fields.next()) {
                classes.entry(class).or_default().add(kind, list);
            }
        }
        classes
    })
}

/// A class and its ancestors; the ancestors of `Object` for a class that Ruby does not have.
fn chain(class: &str) -> impl Iterator<Item = &'static RecordingWorld> {
    let found = recorded().get(class).or_else(|| recorded().get("Object"));
    let above = found.map(|found| found.ancestors.as_slice()).unwrap_or_default();
    found.into_iter().chain(above.iter().filter_map(|name| recorded().get(name)))
}

/// Whether Ruby has a class or module of this name.
pub(crate) fn has_class(class: &str) -> bool {
    recorded().contains_key(class)
}

/// Whether the name is a module of Ruby.
pub(crate) fn is_module(name: &str) -> bool {
    name != "BasicObject" && recorded().get(name).is_some_and(|found| !found.ancestors.contains(&"BasicObject"))
}

/// Whether objects of a class have a public method in Ruby, inherited or not.
pub(crate) fn has(class: &str, name: &str) -> bool {
    arity(class, name).is_some()
}

/// The result of `Method#arity` for a public method of objects of a class.
pub(crate) fn arity(class: &str, name: &str) -> Option<i8> {
    chain(class).find_map(|class| class.objects.get(name).copied())
}

/// Whether a class or module has this singleton method, or all classes and modules have it.
pub(crate) fn of_class(class: &str, name: &str) -> bool {
    has(if is_module(class) { "Module" } else { "Class" }, name) || of_class_alone(class, name)
}

/// Whether a class or module, or a superclass, has this singleton method.
pub(crate) fn of_class_alone(class: &str, name: &str) -> bool {
    chain(class).any(|class| class.itself.contains_key(name))
}

/// The result of `Method#arity` for a singleton method of a class or module.
pub(crate) fn arity_of_class(class: &str, name: &str) -> Option<i8> {
    chain(class).find_map(|class| class.itself.get(name).copied())
}

/// Whether the method is a private method of every object.
pub(crate) fn is_private(name: &str) -> bool {
    chain("Object").any(|class| class.private.contains_key(name))
}
