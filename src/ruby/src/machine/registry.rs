//! All of Ruby's own classes, and which of their methods a call reaches.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use catwalk_base::names::Name;

use crate::Interp;
use crate::core;
use crate::library;
use crate::object::Class;
use crate::object::Function;
use crate::object::Method;
use crate::value::Rv;

/// All classes and modules with a table of methods, except those that come in groups ([`classes`]).
pub(super) static CLASSES: &[&Class] = &[
    &core::array::CLASS,
    &core::bytes::CLASS,
    &core::comparable::CLASS,
    &core::enumerable::MODULE,
    &core::enumerator::CLASS,
    &core::every_object::CLASS,
    &core::float::CLASS,
    &core::hash::CLASS,
    &core::integer::CLASS,
    &core::ipaddr::CLASS,
    &core::match_data::CLASS,
    &core::math::MODULE,
    &core::module::CLASS,
    &core::module::MODULE,
    &core::nil_class::FALSE,
    &core::nil_class::NIL,
    &core::nil_class::TRUE,
    &core::proc::CLASS,
    &core::random::RANDOM,
    &core::range::CLASS,
    &core::regexp::CLASS,
    &core::set::CLASS,
    &core::string::CLASS,
    &core::symbol::CLASS,
    &core::time::CLASS,
    &core::version::CLASS,
    &library::directories::DIR,
    &library::directories::FILE_UTILS,
    &library::env_vars::ENV,
    &library::files::FILE,
    &library::files::FILE_STAT,
    &library::files::FILE_TEST,
    &library::files::IO,
    &library::files::TEMPFILE,
    &library::marshal::MARSHAL,
    &library::openssl::DIGEST_CLASS,
    &library::openssl::HMAC_CLASS,
    &library::openssl::KDF,
    &library::openssl::PKCS5,
    &library::openssl::ZLIB,
    &library::prelude::RESOLV_CLASS,
    &library::processes::NET_HTTP,
    &library::processes::PROCESS,
    &library::processes::STATUS_CLASS,
    &library::string_formats::BASE64,
    &library::string_formats::CGI,
    &library::string_formats::ERB,
    &library::string_formats::ERB_UTIL,
    &library::string_formats::JSON,
    &library::string_formats::PSON,
    &library::string_formats::SECURE_RANDOM,
    &library::string_formats::SHELLWORDS,
    &library::uri::GENERIC,
    &library::uri::MODULE,
    &library::yaml::PSYCH,
];

/// All classes and modules with a table of methods.
pub(super) fn classes() -> impl Iterator<Item = &'static Class> {
    let groups = core::exception::CLASSES.into_iter().chain(library::uri::SCHEMES);
    CLASSES.iter().copied().chain(groups).chain(&library::openssl::ALGORITHMS)
}

/// The number of a built-in method, which the position of a call can cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MethodId(u16);

/// The methods of each class, with those of included modules and superclasses.
struct Registry {
    /// By class (its address) and name.
    ids: FxHashMap<(usize, Name), MethodId>,
    methods: Vec<&'static Method>,
    /// Methods of the classes themselves, by the names of both.
    singleton: FxHashMap<(Name, Name), &'static Method>,
    /// The classes by name.
    classes: FxHashMap<Name, &'static Class>,
    /// The functions of `Kernel`, and those that define methods.
    functions: FxHashMap<Name, &'static Function>,
}

impl Registry {
    fn new() -> Registry {
        let mut registry = Registry {
            ids: FxHashMap::default(),
            methods: Vec::new(),
            singleton: FxHashMap::default(),
            classes: FxHashMap::default(),
            functions: FxHashMap::default(),
        };
        for class in classes() {
            registry.add_singleton(class);
            registry.add(class, class, 0);
            registry.classes.insert(Name::new(class.name), class);
        }
        // Methods of all objects come last.
        registry.classes.remove(&Name::new(core::every_object::CLASS.name));
        for function in core::kernel::FUNCTIONS.iter().chain(core::kernel_definitions::FUNCTIONS) {
            registry.functions.insert(Name::new(function.name), function);
        }
        registry
    }

    /// Adds the methods of a class itself and those that it inherits.
    fn add_singleton(&mut self, class: &'static Class) {
        let name = Name::new(class.name);
        let mut next = Some(class);
        while let Some(from) = next {
            for method in from.singleton.iter().chain(from.extends.iter().flat_map(|module| module.methods)) {
                self.singleton.entry((name, Name::new(method.name))).or_insert(method);
            }
            next = from.parent;
        }
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

/// The class of a built-in value; `None` for a value whose methods are not in one table.
pub(crate) fn class_of(value: &Rv) -> Option<&'static Class> {
    match value {
        Rv::Nil => Some(&core::nil_class::NIL),
        Rv::True => Some(&core::nil_class::TRUE),
        Rv::False => Some(&core::nil_class::FALSE),
        Rv::Int(_) | Rv::Big(_) => Some(&core::integer::CLASS),
        Rv::Float(_) => Some(&core::float::CLASS),
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
        Rv::Time(_) => Some(&core::time::CLASS),
        Rv::Ip(_) => Some(&core::ipaddr::CLASS),
        Rv::Version(_) => Some(&core::version::CLASS),
        Rv::Proc(_) => Some(&core::proc::CLASS),
        Rv::Class(_) | Rv::Scope | Rv::Exception(_) | Rv::Object(_) | Rv::Puppet(_) => None,
    }
}

/// The method of this name for objects of a class.
pub(crate) fn find(class: &'static Class, name: Name) -> Option<MethodId> {
    registry().ids.get(&(address(class), name)).copied()
}

/// The singleton method of this name of a class.
pub(crate) fn find_singleton(class: Name, name: Name) -> Option<&'static Method> {
    registry().singleton.get(&(class, name)).copied()
}

/// The method of this name for objects of one of Ruby's classes, which programs create as [`Rv::Object`].
pub(crate) fn find_by_class_name(class: Name, name: Name) -> Option<&'static Method> {
    find(registry().classes.get(&class)?, name)?.method()
}

/// The function of this name.
pub(crate) fn find_function(name: Name) -> Option<&'static Function> {
    registry().functions.get(&name).copied()
}

impl Interp<'_> {
    /// Whether a class or module itself has a method, from a table or defined by the program.
    pub(crate) fn has_class_method(&self, class: Name, name: Name) -> bool {
        find_singleton(class, name).is_some() || self.has_method(&Rv::Class(class), name)
    }

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
