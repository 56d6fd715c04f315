//! Caches the methods of the program by call position, and the constants that the program used.
//!
//! In: the position of a call, its receiver, a name. Out: the method. It is looked up again only if the receiver's class
//! differs or something was defined since. Must not: run anything.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::core;
use crate::machine::registry::MethodId;
use crate::machine::registry::find;
use crate::object::Method;
use crate::object::definitions::MethodEntry;
use crate::object::definitions::definition_count;
use crate::object::visibility::Visibility;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::inline_cache::MethodCache;

/// A bit of cached numbers that refer to a method of the program.
const PROGRAM_METHOD: u32 = 1 << 31;

/// Maximum number of cached methods.
const MAX_METHODS: usize = 1 << 12;

/// Constants by the class in which code uses them, and their name.
type Constants = FxHashMap<(Option<Name>, Name), Rv>;

/// The cached methods and constants of a program.
#[derive(Default)]
pub(crate) struct ProgramCache {
    methods: Vec<CachedMethod>,
    /// The indexes of the entries, by whether the receiver is a class itself, the class and the name.
    indexes: FxHashMap<(bool, Name, Name), u32>,
    constants: Constants,
    /// The number of definitions when the cache was filled.
    definition_count: u64,
    /// The address of the program's tables.
    tables: usize,
    /// Whether any object has singleton methods.
    has_singletons: bool,
}

/// The result of a method lookup.
struct CachedMethod {
    is_class_method: bool,
    class: Name,
    name: Name,
    method: Option<Rc<MethodEntry>>,
    /// If the program has no such method: the method of `Object`.
    object_method: Option<&'static Method>,
    /// Whether the method is public.
    is_public: bool,
    /// The index of the method of a second class that the same call also reached.
    second_index: usize,
}

/// The target of a call.
pub(crate) enum Target {
    /// A method of the program.
    MethodEntry(Rc<MethodEntry>),
    /// A built-in method of `Object`.
    Object(&'static Method),
    /// The method must be looked up.
    Unknown,
}

impl ProgramCache {
    /// Records that a call reached the entry at `at`. The entry that it reached first links to it if the names are equal.
    fn link(&mut self, reached: &MethodCache, at: u32, name: Name) {
        let last =
            reached.get().filter(|last| last & PROGRAM_METHOD != 0).map(|last| (last & !PROGRAM_METHOD) as usize);
        match last.and_then(|last| self.methods.get_mut(last)) {
            Some(first) if first.name == name => first.second_index = at as usize,
            _ => reached.remember(PROGRAM_METHOD | at),
        }
    }
}

impl Interp<'_> {
    /// The cached constants, without those from before the last definition.
    pub(crate) fn cached_constants(&mut self) -> &mut Constants {
        self.discard_outdated();
        &mut self.state.method_cache.constants
    }

    /// Clears the cache if something was defined since.
    #[inline]
    fn discard_outdated(&mut self) {
        let (definition_count, tables) = (definition_count(), Rc::as_ptr(&self.tables).addr());
        if self.method_cache.definition_count != definition_count || self.method_cache.tables != tables {
            let has_singletons = self.state_ref().flags.has_singletons;
            self.method_cache = ProgramCache { definition_count, tables, has_singletons, ..ProgramCache::default() };
        }
    }

    /// As [`Interp::find_method`], cached in the node of the call.
    #[inline(always)]
    pub(crate) fn method_at(&mut self, reached: &MethodCache, this: &Rv, name: Name) -> Option<Rc<MethodEntry>> {
        match self.find_entry(reached, this, name) {
            Some(at) => self.state.method_cache.methods.get(at)?.method.clone(),
            None => self.find_method(this, name),
        }
    }

    /// The target of a call with a receiver, if it is public.
    #[inline]
    pub(crate) fn find_target(&mut self, reached: &MethodCache, this: &Rv, name: Name) -> Target {
        let Some(at) = self.find_entry(reached, this, name) else { return Target::Unknown };
        match self.state.method_cache.methods.get(at) {
            Some(CachedMethod { method: Some(method), is_public: true, .. }) => Target::MethodEntry(method.clone()),
            Some(CachedMethod { method: None, object_method: Some(method), .. })
                if !self.state.tables.has_custom_keys =>
            {
                Target::Object(method)
            }
            _ => Target::Unknown,
        }
    }

    /// The index of the cached entry for a call; `None` if the call cannot be cached.
    #[inline(always)]
    fn find_entry(&mut self, reached: &MethodCache, this: &Rv, name: Name) -> Option<usize> {
        let (of_class, class) = match this {
            Rv::Object(object) => (false, object.class),
            Rv::Exception(exception) => (false, exception.class),
            Rv::Class(class) => (true, *class),
            _ => return None,
        };
        if let Some(last) = reached.get()
            && last & PROGRAM_METHOD != 0
            && self.state.method_cache.definition_count == definition_count()
            && self.state.method_cache.tables == Rc::as_ptr(&self.state.tables).addr()
        {
            let first = (last & !PROGRAM_METHOD) as usize;
            let matches =
                |entry: &CachedMethod| entry.class == class && entry.name == name && entry.is_class_method == of_class;
            let methods = &self.state.method_cache.methods;
            if let Some(entry) = methods.get(first)
                && !self.state.method_cache.has_singletons
            {
                if matches(entry) {
                    return Some(first);
                }
                if methods.get(entry.second_index).is_some_and(matches) {
                    return Some(entry.second_index);
                }
            }
        }
        self.add_entry(reached, this, (of_class, class, name))
    }

    /// Finds or adds the entry of a method.
    #[inline(never)]
    fn add_entry(&mut self, reached: &MethodCache, this: &Rv, key: (bool, Name, Name)) -> Option<usize> {
        self.discard_outdated();
        if self.state.method_cache.has_singletons {
            return None;
        }
        if let Some(at) = self.state.method_cache.indexes.get(&key).copied() {
            self.state.method_cache.link(reached, at, key.2);
            return Some(at as usize);
        }
        let (of_class, class, name) = key;
        let method = self.find_method(this, name);
        let is_public = self.tables.visibility(this, self.singleton_class(this), name).0 == Visibility::Public;
        let object_method = if method.is_none() && !of_class { self.method_of_object(class, name) } else { None };
        let method_cache = &mut self.state.method_cache;
        if method_cache.methods.len() >= MAX_METHODS {
            method_cache.methods.clear();
            method_cache.indexes.clear();
        }
        let at = u32::try_from(method_cache.methods.len()).ok()?;
        method_cache.link(reached, at, name);
        method_cache.indexes.insert(key, at);
        method_cache.methods.push(CachedMethod {
            is_class_method: of_class,
            class,
            name,
            method,
            object_method,
            is_public,
            second_index: usize::MAX,
        });
        Some(at as usize)
    }

    /// The method of `Object` for objects of a class of the program, unless an included module has one.
    fn method_of_object(&self, class: Name, name: Name) -> Option<&'static Method> {
        let modules = [("Comparable", &core::comparable::CLASS), ("Enumerable", &core::enumerable::MODULE)];
        let nearer = |(module, table)| {
            (find(table, name).is_some() || name == catwalk_base::name!("==")) && self.tables.includes(class, module)
        };
        if !self.is_plain_class(class) || modules.into_iter().any(nearer) {
            return None;
        }
        find(&core::every_object::CLASS, name).and_then(MethodId::method)
    }
}
