//! Definitions of a program: classes, modules, methods, constants; and the order of method lookup.
//!
//! In: definitions as they run. Out: the method that a call reaches, and the next one for `super`. Copies share the tables
//! until one of them changes: each call of a function starts with the definitions of its file. Must not: run anything.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::Interp;
use crate::object::builtin_classes::is_builtin_class;
use crate::object::visibility::Visibility;
use crate::value::Callable;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Def;

/// Classes and modules may nest and include each other this deep.
const MAX_CHAIN: u32 = 50;

thread_local! {
    /// The number of definitions in programs of this thread.
    static DEFINITION_COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Records a definition, which invalidates all caches.
pub(crate) fn invalidate() {
    DEFINITION_COUNT.set(DEFINITION_COUNT.get() + 1);
}

/// The number of definitions in programs of this thread: a cache is valid while it does not change.
pub(crate) fn definition_count() -> u64 {
    DEFINITION_COUNT.get()
}

/// The body of a method.
#[derive(Clone)]
pub enum Method {
    Def(Arc<Def>),
    /// `define_method`: a block that runs with another `self`.
    Block(Rc<Callable>),
    /// `alias` of a built-in method.
    Native(Name),
    /// `attr_reader`
    Reader(Name),
    /// `attr_writer`
    Writer(Name),
}

/// A method, and the class or module that has it.
pub struct MethodEntry {
    pub owner: Name,
    /// The class in which the method looks for constants.
    pub constant_scope: Name,
    pub method: Method,
    /// The file of the method, if it is not the file of the program.
    pub file: Option<Rc<str>>,
}

impl MethodEntry {
    pub(crate) fn new(owner: Name, method: Method) -> Rc<MethodEntry> {
        let constant_scope =
            if owner.as_str().ends_with('.') { Name::new(owner.as_str().trim_end_matches('.')) } else { owner };
        let file = match &method {
            Method::Def(def) => def.file.as_deref().map(Rc::from),
            _ => None,
        };
        Rc::new(MethodEntry { owner, constant_scope, method, file })
    }

    /// The definition of the method, if it is written as one.
    pub(crate) fn def(&self) -> Option<&Arc<Def>> {
        match &self.method {
            Method::Def(def) => Some(def),
            _ => None,
        }
    }
}

/// The methods that calls reached, by whether the receiver is a class itself, its class and the method's name. The cache is
/// valid until something is defined.
#[derive(Default)]
pub(crate) struct LookupCache {
    methods: RefCell<FxHashMap<(bool, Name, Name), Option<Rc<MethodEntry>>>>,
    /// Whether a class is a subclass of another.
    subclasses: RefCell<FxHashMap<(bool, Name, Name), bool>>,
}

impl Clone for LookupCache {
    /// The cache is empty, since the copy is about to change.
    fn clone(&self) -> LookupCache {
        LookupCache::default()
    }
}

/// All definitions of a program.
#[derive(Clone, Default)]
pub struct Tables {
    /// Methods by class and name; singleton methods of a class have its name followed by a dot.
    pub methods: FxHashMap<(Name, Name), Method>,
    /// Parents of classes.
    pub parents: FxHashMap<Name, Name>,
    /// Modules that classes include.
    pub mixins: FxHashMap<Name, Vec<Name>>,
    /// Modules prepended to classes.
    pub prepended: FxHashMap<Name, Vec<Name>>,
    pub constants: FxHashMap<Name, Rv>,
    /// `@@name` of classes, and `@name` of classes themselves, by class and name.
    pub class_vars: FxHashMap<(Name, Name), Rv>,
    /// Visibility of methods by class and name, if it was set.
    pub(crate) visibilities: FxHashMap<(Name, Name), Visibility>,
    /// Constants that are private to their class.
    pub private_constants: FxHashSet<Name>,
    /// The names that anonymous classes got later.
    pub assigned_names: FxHashMap<Name, Name>,
    /// Whether methods were added to Ruby's own classes.
    pub reopens_builtins: bool,
    /// Whether classes define how their objects are compared as keys (`hash`).
    pub has_custom_keys: bool,
    /// The class of the methods that the program defined on [`Rv::Scope`] itself, if it did.
    pub scope_class: Option<Name>,
    /// Whether any scope has singleton methods.
    pub has_scope_methods: bool,
    cache: LookupCache,
}

impl Tables {
    /// Visits the modules prepended to a class, the class, and its included modules, until the visitor stops.
    fn visit_with_modules(&self, class: Name, depth: u32, visit: &mut dyn FnMut(Name) -> bool) -> bool {
        if depth > MAX_CHAIN {
            return false;
        }
        let visit_last_first = |modules: Option<&Vec<Name>>, visit: &mut dyn FnMut(Name) -> bool| {
            modules
                .is_some_and(|list| list.iter().rev().any(|module| self.visit_with_modules(*module, depth + 1, visit)))
        };
        visit_last_first(self.prepended.get(&class), visit)
            || visit(class)
            || visit_last_first(self.mixins.get(&class), visit)
    }

    /// Visits the classes and modules whose methods an object has, in lookup order: its singleton class, if it has one, is
    /// first.
    pub(crate) fn visit_ancestors(&self, this: &Rv, singleton: Option<Name>, visit: &mut dyn FnMut(Name) -> bool) {
        if let Rv::Class(class) = this {
            let mut class = *class;
            for _ in 0..MAX_CHAIN {
                if self.visit_with_modules(singleton_name(class), 0, visit) {
                    return;
                }
                match self.parents.get(&class) {
                    Some(parent) => class = *parent,
                    None => break,
                }
            }
            // A module with its own methods (`module_function`, `extend self`).
            self.visit_with_modules(class, 0, visit);
            return;
        }
        if matches!(this, Rv::Scope)
            && let Some(class) = self.scope_class
            && self.visit_with_modules(class, 0, visit)
        {
            return;
        }
        if singleton.is_some_and(|class| self.visit_with_modules(class, 0, visit)) {
            return;
        }
        let class = match this {
            Rv::Object(object) => object.class,
            Rv::Exception(exception) => exception.class,
            other => Name::new(other.class()),
        };
        self.visit_superclasses(class, visit);
    }

    /// Visits a class, its included modules, and its superclasses.
    pub(crate) fn visit_superclasses(&self, class: Name, visit: &mut dyn FnMut(Name) -> bool) {
        let mut at = class;
        for _ in 0..MAX_CHAIN {
            if self.visit_with_modules(at, 0, visit) {
                return;
            }
            match self.parents.get(&at) {
                Some(parent) => at = *parent,
                None => return,
            }
        }
    }

    /// Adds the definitions of another program, for its objects, except those of the class that is its own
    /// ([`crate::Setup::own_class`]).
    pub fn adopt(&mut self, other: &Tables, own_class: Option<Name>) {
        fn add<K: Clone + Eq + std::hash::Hash, V: Clone>(to: &mut FxHashMap<K, V>, from: &FxHashMap<K, V>) {
            let new = from.iter().filter(|(key, _)| !to.contains_key(key));
            let new: Vec<(K, V)> = new.map(|(key, value)| (key.clone(), value.clone())).collect();
            to.extend(new);
        }
        for (key, method) in other.methods.iter().filter(|((class, _), _)| Some(*class) != own_class) {
            self.methods.entry(*key).or_insert_with(|| method.clone());
        }
        for (class, parent) in other.parents.iter().filter(|(class, _)| Some(**class) != own_class) {
            self.parents.entry(*class).or_insert(*parent);
        }
        add(&mut self.mixins, &other.mixins);
        add(&mut self.prepended, &other.prepended);
        add(&mut self.constants, &other.constants);
        add(&mut self.class_vars, &other.class_vars);
        add(&mut self.assigned_names, &other.assigned_names);
        add(&mut self.visibilities, &other.visibilities);
        self.private_constants.extend(&other.private_constants);
        self.reopens_builtins |= other.reopens_builtins;
        self.has_custom_keys |= other.has_custom_keys;
        self.scope_class = self.scope_class.or(other.scope_class);
        self.has_scope_methods |= other.has_scope_methods;
    }

    /// The first method of a name in lookup order; with `after`, the next one after that class.
    fn find(&self, this: &Rv, singleton: Option<Name>, name: Name, after: Option<Name>) -> Option<Rc<MethodEntry>> {
        let mut skip_until = after;
        let mut found = None;
        self.visit_ancestors(this, singleton, &mut |class| {
            if let Some(owner) = skip_until {
                if owner == class {
                    skip_until = None;
                }
                return false;
            }
            let method = self.methods.get(&(class, name));
            found = method.map(|method| MethodEntry::new(class, method.clone()));
            found.is_some()
        });
        found
    }

    /// The first method of a name for an object without singleton methods.
    fn find_cached(&self, this: &Rv, name: Name) -> Option<Rc<MethodEntry>> {
        let (of_class, class) = match this {
            Rv::Class(class) => (true, *class),
            Rv::Object(object) => (false, object.class),
            Rv::Exception(exception) => (false, exception.class),
            Rv::Scope => return self.find(this, None, name, None),
            other => (false, Name::new(other.class())),
        };
        let key = (of_class, class, name);
        if let Some(method) = self.cache.methods.borrow().get(&key) {
            return method.clone();
        }
        let found = self.find(this, None, name, None);
        self.cache.methods.borrow_mut().insert(key, found.clone());
        found
    }

    /// Whether a class is a subclass of another, computed once until something is defined.
    pub(crate) fn is_cached_subclass(&self, key: (bool, Name, Name), compute: impl FnOnce() -> bool) -> bool {
        if let Some(is_subclass) = self.cache.subclasses.borrow().get(&key) {
            return *is_subclass;
        }
        let is_subclass = compute();
        self.cache.subclasses.borrow_mut().insert(key, is_subclass);
        is_subclass
    }

    /// Whether a class or one of its superclasses includes a module.
    pub fn includes(&self, class: Name, module: &str) -> bool {
        let mut found = false;
        self.visit_superclasses(class, &mut |visited| {
            found = visited.as_str() == module;
            found
        });
        found
    }

    /// The class of Ruby's own from which a class of the program inherits.
    pub fn native_base(&self, class: Name) -> Name {
        let mut at = class;
        for _ in 0..MAX_CHAIN {
            match self.parents.get(&at) {
                Some(parent) => at = *parent,
                None => break,
            }
        }
        at
    }
}

/// The tables of a program, for a change.
pub(crate) fn tables_mut(tables: &mut Rc<Tables>) -> &mut Tables {
    invalidate();
    let tables = Rc::make_mut(tables);
    tables.cache.methods.get_mut().clear();
    tables.cache.subclasses.get_mut().clear();
    tables
}

/// The key under which the singleton methods of a class are stored.
pub(crate) fn singleton_name(class: Name) -> Name {
    Name::new(&format!("{class}."))
}

impl Interp<'_> {
    /// The tables, for a change.
    pub fn tables_mut(&mut self) -> &mut Tables {
        tables_mut(&mut self.tables)
    }

    /// The class variables, for a change.
    pub(crate) fn class_vars_mut(&mut self) -> &mut FxHashMap<(Name, Name), Rv> {
        &mut Rc::make_mut(&mut self.tables).class_vars
    }

    /// The program's method of an object.
    pub fn find_method(&self, this: &Rv, name: Name) -> Option<Rc<MethodEntry>> {
        if let Rv::Object(object) = this
            && Some(object.class) == self.setup.shared_class
            && let Some(found) = self.state_ref().shared_methods.get(&name)
        {
            return Some(found.clone());
        }
        if self.tables.methods.is_empty() {
            return None;
        }
        match self.singleton_class(this) {
            None => self.tables.find_cached(this, name),
            singleton => self.tables.find(this, singleton, name, None),
        }
    }

    /// The next method after that of a class, for `super`.
    pub(crate) fn find_super_method(&self, this: &Rv, name: Name, owner: Name) -> Option<Rc<MethodEntry>> {
        self.tables.find(this, self.singleton_class(this), name, Some(owner))
    }

    /// The singleton class of an object, if it has one.
    pub fn singleton_class(&self, this: &Rv) -> Option<Name> {
        match this {
            Rv::Scope if self.tables.has_scope_methods => Some(self.host.scope_singleton()),
            _ => self.state_ref().flags.singleton(this),
        }
    }

    /// Whether the program has a method for an object.
    pub(crate) fn has_method(&self, this: &Rv, name: Name) -> bool {
        self.find_method(this, name).is_some()
    }

    /// `include`, `prepend`: adds modules after or before the methods of a class.
    pub(crate) fn mix_in(&mut self, class: Name, keyword: &str, modules: &[Rv]) {
        let modules: Vec<Name> =
            modules.iter().filter_map(|arg| if let Rv::Class(name) = arg { Some(*name) } else { None }).collect();
        let tables = self.tables_mut();
        tables.reopens_builtins |= applies_to_builtins(class);
        let table = if keyword == "prepend" { &mut tables.prepended } else { &mut tables.mixins };
        let class_modules = table.entry(class).or_default();
        for module in modules {
            if !class_modules.contains(&module) {
                class_modules.push(module);
            }
        }
    }

    /// Adds a method to a class.
    pub(crate) fn add_method(&mut self, class: Name, name: Name, method: Method) {
        let tables = tables_mut(&mut self.state.tables);
        tables.reopens_builtins |= applies_to_builtins(class);
        tables.has_custom_keys |= name.as_str() == "hash";
        tables.methods.insert((class, name), method);
        self.host.method_added(tables, class, name);
    }

    /// A class without a name.
    pub(crate) fn new_anonymous_class(&mut self, parent: Name) -> Name {
        let id = self.fresh_id();
        let class = Name::new(&format!("#<Class:0x{id:016x}>"));
        self.tables_mut().parents.insert(class, parent);
        class
    }

    /// Whether a definition of the program is a module rather than a class.
    pub(crate) fn is_module(&self, name: Name) -> bool {
        let is_program_module = self.tables.constants.contains_key(&name) && !self.tables.parents.contains_key(&name);
        is_program_module || crate::object::ruby_methods::is_module(name.as_str())
    }

    /// The displayed name of a class.
    pub(crate) fn display_class(&self, class: Name) -> Name {
        self.tables.assigned_names.get(&class).copied().unwrap_or(class)
    }
}

/// Whether methods of this class also apply to built-in values.
fn applies_to_builtins(class: Name) -> bool {
    !matches!(class.as_str(), "Object" | "Kernel") && is_builtin_class(class.as_str())
}
