//! Types with a name: `Data`, `RichData` and `type X = …`.
//!
//! A recursive alias contains itself. Its parts are shared pointers in a cycle, so it is never freed; there is one for each
//! definition.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::HashType;
use crate::types::Type;
use crate::types::assignable::RecursionGuard;
use catwalk_base::meter;

/// A named type. It is created before the type that it names, so that this type can contain it, and resolved once.
#[derive(Debug)]
pub struct Alias {
    name: Arc<str>,
    resolved: OnceLock<AliasTarget>,
}

/// The type that an alias names.
#[derive(Debug)]
struct AliasTarget {
    target: Type,
    /// For an alias of an alias: the type at the end of the chain.
    end: Option<Type>,
    recursive: bool,
}

impl Alias {
    /// An alias that is not resolved yet.
    #[must_use]
    pub fn new(name: &str) -> Arc<Alias> {
        Arc::new(Alias { name: Arc::from(name), resolved: OnceLock::new() })
    }

    /// The name as written in the definition.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type that it names; `None` while it is being resolved.
    #[must_use]
    pub fn resolved(&self) -> Option<&Type> {
        self.resolved.get().map(|resolved| &resolved.target)
    }

    /// The type at the end of a chain of aliases, which is an alias only if one of the chain contains itself; `None` while it is being
    /// resolved.
    #[must_use]
    pub fn end(&self) -> Option<&Type> {
        self.resolved.get().map(|resolved| resolved.end.as_ref().unwrap_or(&resolved.target))
    }

    /// Whether the alias contains itself.
    #[must_use]
    pub fn is_recursive(&self) -> bool {
        // Unknown while the alias is being resolved.
        self.resolved.get().is_none_or(|resolved| resolved.recursive)
    }

    /// Whether all names in the alias were resolved before it, so that it contains no alias that is being resolved.
    fn is_closed(&self) -> bool {
        self.resolved.get().is_some_and(|resolved| !resolved.recursive)
    }

    /// Whether the alias is built in.
    #[must_use]
    pub(crate) fn is_built_in(&self) -> bool {
        matches!(&*self.name, "Data" | "RichDataKey" | "RichData" | "Puppet::LookupKey" | "Puppet::LookupValue")
    }

    /// Sets the type that the alias names.
    ///
    /// # Errors
    ///
    /// `Type alias 'X' cannot be resolved to a real type` if it only leads back to itself.
    pub fn resolve(self: &Arc<Alias>, target: &Type) -> Result<(), String> {
        self.define(crate::types::normalize(target))
    }

    fn define(self: &Arc<Alias>, target: Type) -> Result<(), String> {
        let mut path = Vec::new();
        if !has_real_type(&target, self, &mut path) {
            return Err(format!("Type alias '{}' cannot be resolved to a real type", self.name));
        }
        let recursive = contains_alias(&target, self, &mut Vec::new(), 0);
        let target = if recursive { without_self(target, self) } else { target };
        let end = match &target {
            Type::Alias(next) if next.is_closed() => next.end().cloned(),
            _ => None,
        };
        let _ = self.resolved.set(AliasTarget { target, end, recursive });
        Ok(())
    }
}

impl PartialEq for Alias {
    fn eq(&self, other: &Alias) -> bool {
        self.name == other.name
    }
}
impl Eq for Alias {}
impl std::hash::Hash for Alias {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Whether a type contains anything other than variants and aliases; `root` is the alias that is being resolved.
fn has_real_type(t: &Type, root: &Arc<Alias>, path: &mut Vec<*const Alias>) -> bool {
    match t {
        Type::Alias(alias) => {
            if Arc::ptr_eq(alias, root) || path.contains(&Arc::as_ptr(alias)) {
                return false;
            }
            if alias.is_closed() {
                return true;
            }
            path.push(Arc::as_ptr(alias));
            // An alias that is being resolved is accepted as a type; it is checked itself later.
            alias.resolved().is_none_or(|inner| has_real_type(inner, root, path))
        }
        Type::Variant(types) => types.iter().any(|t| has_real_type(t, root, path)),
        _ => true,
    }
}

/// Whether a type contains the alias `searched`.
fn contains_alias(t: &Type, searched: &Arc<Alias>, seen: &mut Vec<*const Alias>, depth: u32) -> bool {
    if depth > super::depth::LIMIT {
        return false;
    }
    meter::tick(1);
    let mut found = false;
    if let Type::Alias(alias) = t {
        if Arc::ptr_eq(alias, searched) {
            return true;
        }
        if alias.is_closed() || seen.contains(&Arc::as_ptr(alias)) {
            return false;
        }
        seen.push(Arc::as_ptr(alias));
        // An alias that is still being resolved is part of the same cycle.
        return alias.resolved().is_none_or(|inner| contains_alias(inner, searched, seen, depth + 1));
    }
    each_part(t, &mut |part| found = found || contains_alias(part, searched, seen, depth + 1));
    found
}

/// Whether `Sensitive` is in a type or in a type that an alias in it names, so that its values may be secret. `Any` and `RichData`,
/// which accept a `Sensitive` as they accept everything, say nothing about it.
#[must_use]
pub fn mentions_sensitive(t: &Type) -> bool {
    finds_sensitive(t, &mut Vec::new(), 0)
}

fn finds_sensitive(t: &Type, seen: &mut Vec<*const Alias>, depth: u32) -> bool {
    if depth > super::depth::LIMIT {
        return true;
    }
    meter::tick(1);
    match t {
        Type::Sensitive(_) => true,
        Type::Alias(alias) if alias.is_built_in() || seen.contains(&Arc::as_ptr(alias)) => false,
        Type::Alias(alias) => {
            seen.push(Arc::as_ptr(alias));
            alias.resolved().is_some_and(|inner| finds_sensitive(inner, seen, depth + 1))
        }
        _ => {
            let mut found = false;
            each_part(t, &mut |part| found = found || finds_sensitive(part, seen, depth + 1));
            found
        }
    }
}

/// Calls `f` with every type directly inside a type.
pub(super) fn each_part(t: &Type, f: &mut dyn FnMut(&Type)) {
    match t {
        Type::Array(array) => f(&array.element),
        Type::Hash(hash) => {
            f(&hash.key);
            f(&hash.value);
        }
        Type::Tuple(tuple) => tuple.types.iter().for_each(f),
        Type::Struct(elements) => elements.iter().for_each(|element| f(&element.value)),
        Type::Variant(types) => types.iter().for_each(f),
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner))
        | Type::Sensitive(Some(inner))
        | Type::Type(Some(inner)) => f(inner),
        Type::Init(init) => init.target.iter().for_each(f),
        Type::Callable(callable) => {
            if let Some(params) = &callable.params {
                params.types.iter().for_each(&mut *f);
            }
            callable.block.iter().for_each(&mut *f);
            callable.returns.iter().for_each(f);
        }
        _ => {}
    }
}

/// Removes an alias, and aliases that only lead back to it, from the variant that it names.
fn without_self(target: Type, alias: &Arc<Alias>) -> Type {
    let Type::Variant(types) = &target else { return target };
    let real: Vec<Type> = types.iter().filter(|t| has_real_type(t, alias, &mut Vec::new())).cloned().collect();
    if real.len() == types.len() { target } else { Type::variant(real) }
}

/// A built-in named type of the language.
pub(super) fn built_in(name: &str) -> Option<Type> {
    static BUILT_IN: OnceLock<[Type; 5]> = OnceLock::new();
    let types = BUILT_IN.get_or_init(|| {
        let data = Alias::new("Data");
        let data_type = Type::Alias(data.clone());
        let _ = data.define(Type::Variant(Arc::from(vec![
            Type::ScalarData,
            Type::Undef,
            Type::Hash(Arc::new(HashType { key: Type::String, value: data_type.clone(), size: None })),
            Type::array(data_type.clone(), None),
        ])));
        let key = Alias::new("RichDataKey");
        let _ = key.define(Type::Variant(Arc::from(vec![Type::String, Type::Numeric])));
        let rich = Alias::new("RichData");
        let rich_type = Type::Alias(rich.clone());
        let _ = rich.define(Type::Variant(Arc::from(vec![
            Type::Scalar,
            Type::SemVerRange,
            Type::Binary,
            Type::Sensitive(None),
            Type::Type(None),
            Type::TypeSet(None),
            Type::Uri(None),
            Type::any_object(),
            Type::Undef,
            Type::Default,
            Type::Hash(Arc::new(HashType { key: Type::Alias(key.clone()), value: rich_type.clone(), size: None })),
            Type::array(rich_type.clone(), None),
        ])));
        let lookup_key = Alias::new("Puppet::LookupKey");
        let _ = lookup_key.define(Type::Alias(key.clone()));
        let lookup_value = Alias::new("Puppet::LookupValue");
        let _ = lookup_value.define(rich_type.clone());
        [data_type, Type::Alias(key), rich_type, Type::Alias(lookup_key), Type::Alias(lookup_value)]
    });
    let name = name.strip_prefix("::").unwrap_or(name);
    types.iter().find(|t| matches!(t, Type::Alias(alias) if alias.name.eq_ignore_ascii_case(name))).cloned()
}

/// The name in a bare `TypeReference`, and the target of a bare `TypeAlias`.
pub(super) const UNRESOLVED: &str = "UnresolvedReference";

/// A bare `TypeAlias`: an alias without a target. (`PTypeAliasType::DEFAULT`)
pub(super) fn unresolved() -> Type {
    static ALIAS: OnceLock<Type> = OnceLock::new();
    let alias = ALIAS.get_or_init(|| {
        let alias = Alias::new("UnresolvedAlias");
        let _ = alias.define(Type::Reference(Arc::from(UNRESOLVED)));
        Type::Alias(alias)
    });
    alias.clone()
}

/// Runs `f` inside a recursive alias; returns `on_recursion` if the alias is already being visited.
pub(super) fn with_guard<T>(
    alias: &Arc<Alias>,
    guard: Option<&mut RecursionGuard>,
    on_recursion: T,
    f: impl FnOnce(&Type, Option<&mut RecursionGuard>) -> T,
) -> T {
    let Some(inner) = alias.resolved() else { return on_recursion };
    if !alias.is_recursive() {
        return f(alias.end().unwrap_or(inner), guard);
    }
    let mut new_guard = RecursionGuard::default();
    let guard = guard.unwrap_or(&mut new_guard);
    guard.with_this(alias, |guard| if guard.in_this() { on_recursion } else { f(inner, Some(guard)) })
}
