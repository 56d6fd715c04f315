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
struct RecordedClass {
    /// The ancestors of the class or module, nearest first.
    ancestors: Vec<&'static str>,
    /// Public methods of objects that the class itself defines.
    objects: Methods,
    /// Private methods of objects that the class itself defines.
    private: Methods,
    /// Methods of the class or module itself.
    itself: Methods,
}

impl RecordedClass {
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

fn recorded_classes() -> &'static FxHashMap<&'static str, RecordedClass> {
    static CLASSES: OnceLock<FxHashMap<&'static str, RecordedClass>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let mut classes: FxHashMap<&'static str, RecordedClass> = FxHashMap::default();
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
fn class_and_ancestors(class: &str) -> impl Iterator<Item = &'static RecordedClass> {
    let found = recorded_classes().get(class).or_else(|| recorded_classes().get("Object"));
    let ancestors = found.map(|found| found.ancestors.as_slice()).unwrap_or_default();
    found.into_iter().chain(ancestors.iter().filter_map(|name| recorded_classes().get(name)))
}

/// Whether Ruby has a class or module of this name.
pub(crate) fn has_class(class: &str) -> bool {
    recorded_classes().contains_key(class)
}

/// Whether the name is a module of Ruby.
pub(crate) fn is_module(name: &str) -> bool {
    name != "BasicObject" && recorded_classes().get(name).is_some_and(|found| !found.ancestors.contains(&"BasicObject"))
}

/// Whether objects of a class have a public method in Ruby, inherited or not.
pub(crate) fn has_method(class: &str, name: &str) -> bool {
    arity(class, name).is_some()
}

/// The result of `Method#arity` for a public method of objects of a class.
pub(crate) fn arity(class: &str, name: &str) -> Option<i8> {
    class_and_ancestors(class).find_map(|class| class.objects.get(name).copied())
}

/// Whether a class or module has this singleton method, or all classes and modules have it.
pub(crate) fn has_class_method(class: &str, name: &str) -> bool {
    has_method(if is_module(class) { "Module" } else { "Class" }, name) || has_own_class_method(class, name)
}

/// Whether a class or module, or a superclass, has this singleton method.
pub(crate) fn has_own_class_method(class: &str, name: &str) -> bool {
    class_and_ancestors(class).any(|class| class.itself.contains_key(name))
}

/// The result of `Method#arity` for a singleton method of a class or module.
#[cfg(test)]
pub(crate) fn class_method_arity(class: &str, name: &str) -> Option<i8> {
    class_and_ancestors(class).find_map(|class| class.itself.get(name).copied())
}

/// Whether the method is a private method of every object.
pub(crate) fn is_private_method(name: &str) -> bool {
    class_and_ancestors("Object").any(|class| class.private.contains_key(name))
}
