//! All of Ruby's own classes, and which of their methods a call reaches.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use catwalk_base::names::Name;

use crate::Interp;
use crate::core;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

/// All classes with a table of methods.
pub(super) static CLASSES: &[&Class] = &[
    &core::comparable::CLASS,
    &core::integer::CLASS,
    &core::array::CLASS,
    &core::hash::CLASS,
    &core::set::CLASS,
    &core::range::CLASS,
    &core::enumerator::CLASS,
    &core::enumerable::MODULE,
    &core::string::CLASS,
    &core::bytes::CLASS,
    &core::symbol::CLASS,
    &core::regexp::CLASS,
    &core::match_data::CLASS,
    &core::every_object::CLASS,
];

/// The number of a built-in method, which the position of a call can cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MethodId(u16);

/// The methods of each class, with those of included modules and superclasses.
struct Registry {
    /// By class (its address) and name.
    ids: FxHashMap<(usize, Name), MethodId>,
    methods: Vec<&'static Method>,
    /// Methods of the classes themselves, by the names of both.
    singleton: FxHashMap<(&'static str, &'static str), &'static Method>,
}

impl Registry {
    fn new() -> Registry {
        let mut registry = Registry { ids: FxHashMap::default(), methods: Vec::new(), singleton: FxHashMap::default() };
        for class in CLASSES {
            let methods = class.singleton.iter().map(|method| ((class.name, method.name), method));
            registry.singleton.extend(methods);
            registry.add(class, class, 0);
        }
        registry
    }

    /// Adds the methods of `from` to `class`, unless it has methods of the same names.
    fn add(&mut self, class: &'static Class, from: &'static Class, depth: u32) {
        debug_assert!(depth < 16, "the parents of {} never end", class.name);
        for method in from.methods {
            let next = self.methods.len();
            let key = (address(class), Name::new(method.name));
            if let (std::collections::hash_map::Entry::Vacant(free), Ok(id)) =
                (self.ids.entry(key), u16::try_from(next))
            {
                free.insert(MethodId(id));
                self.methods.push(method);
            }
        }
        for module in from.includes {
            self.add(class, module, depth + 1);
        }
        if let Some(parent) = from.parent {
            self.add(class, parent, depth + 1);
        }
    }
}

fn address(class: &'static Class) -> usize {
    std::ptr::from_ref(class).addr()
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(Registry::new)
}

/// The class of a built-in value; `None` if its methods are not in a table.
pub(crate) fn class_of(value: &Rv) -> Option<&'static Class> {
    match value {
        Rv::Int(_) | Rv::Big(_) => Some(&core::integer::CLASS),
        Rv::Array(_) => Some(&core::array::CLASS),
        Rv::Hash(_) => Some(&core::hash::CLASS),
        Rv::Set(_) => Some(&core::set::CLASS),
        Rv::Range(_) => Some(&core::range::CLASS),
        Rv::Enumerator(_) => Some(&core::enumerator::CLASS),
        Rv::Str(_) => Some(&core::string::CLASS),
        Rv::Bytes(_) => Some(&core::bytes::CLASS),
        Rv::Sym(_) => Some(&core::symbol::CLASS),
        Rv::Regexp(_) => Some(&core::regexp::CLASS),
        Rv::Match(_) => Some(&core::match_data::CLASS),
        _ => None,
    }
}

/// The method of this name for objects of a class.
pub(crate) fn find(class: &'static Class, name: Name) -> Option<MethodId> {
    registry().ids.get(&(address(class), name)).copied()
}

/// The singleton method of this name of a class.
pub(crate) fn find_singleton(class: &str, name: &str) -> Option<&'static Method> {
    registry().singleton.get(&(class, name)).copied()
}

impl Interp<'_> {
    /// The method of this name for objects of a class.
    pub(crate) fn builtin_method(&self, class: &'static Class, name: Name) -> Option<&'static Method> {
        find(class, name).and_then(MethodId::method)
    }
}

impl MethodId {
    pub(crate) fn number(self) -> u16 {
        self.0
    }

    /// The method with this number.
    pub(crate) fn from_number(number: u16) -> MethodId {
        MethodId(number)
    }

    /// The entry of the method in its class's table.
    pub(crate) fn method(self) -> Option<&'static Method> {
        registry().methods.get(usize::from(self.0)).copied()
    }
}
