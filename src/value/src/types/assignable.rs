//! Whether every value of one type is a value of another.

mod collection;
mod iterable;

use std::cell::Cell;
use std::sync::Arc;

use crate::types::Alias;
use crate::types::BigRange;
use crate::types::EnumType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::Type;
use crate::types::alias::guarded;
use crate::types::len;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::meter;
use collection::array;
use collection::callable;
use collection::collection;
use collection::hash;
use collection::structure;
use collection::tuple;
pub(crate) use iterable::is_iterable;
pub use iterable::iterable_type;

/// The limit on nested recursive aliases. Some never end (`type X = Variant[X, Integer]`); there Puppet exhausts the stack.
const MAX_ALIASES: u32 = 100;

thread_local! {
    /// The number of open recursive aliases on both sides.
    static ALIASES: Cell<u32> = const { Cell::new(0) };
}

/// Marks a recursive alias as open until drop.
struct OpenAlias;

impl OpenAlias {
    fn new() -> (OpenAlias, u32) {
        (OpenAlias, ALIASES.with(|open| open.replace(open.get() + 1)))
    }
}

impl Drop for OpenAlias {
    fn drop(&mut self) {
        ALIASES.with(|open| open.set(open.get().saturating_sub(1)));
    }
}

/// The recursive aliases that were visited on either side: Puppet's `RecursionGuard`.
#[derive(Default, Debug)]
pub(super) struct RecursionGuard {
    this: Vec<*const Alias>,
    that: Vec<*const Alias>,
    recursion_in_this: bool,
    recursion_in_that: bool,
}

impl RecursionGuard {
    /// Whether an alias was visited a second time on the left side.
    pub(super) fn in_this(&self) -> bool {
        self.recursion_in_this
    }

    fn in_both(&self) -> bool {
        self.recursion_in_this && self.recursion_in_that
    }

    fn add_that(&mut self, alias: &Arc<Alias>) {
        if !self.recursion_in_that {
            let at = Arc::as_ptr(alias);
            if self.that.contains(&at) {
                self.recursion_in_that = true;
            } else {
                self.that.push(at);
            }
        }
    }

    pub(super) fn with_this<T>(&mut self, alias: &Arc<Alias>, f: impl FnOnce(&mut RecursionGuard) -> T) -> T {
        if !self.recursion_in_this {
            let at = Arc::as_ptr(alias);
            if self.this.contains(&at) {
                self.recursion_in_this = true;
            } else {
                self.this.push(at);
                let result = f(self);
                self.recursion_in_this = false;
                self.this.retain(|seen| *seen != at);
                return result;
            }
        }
        f(self)
    }
}

/// A set of the types of a large variant: a type of another variant that is in the set needs no comparison with each of them.
struct EqualTypes<'t>(Option<rustc_hash::FxHashSet<&'t Type>>);

impl<'t> EqualTypes<'t> {
    #[allow(clippy::mutable_key_type, reason = "the cells in types are written once and do not count for equality")]
    fn new(types: &'t [Type], others: &[Type]) -> EqualTypes<'t> {
        let many = types.len().saturating_mul(others.len()) > 1024;
        EqualTypes(many.then(|| types.iter().filter(|t| EqualTypes::is_simple(t)).collect()))
    }

    /// Whether a type has no types in it: it is assignable to an equal one.
    fn is_simple(t: &Type) -> bool {
        matches!(
            t,
            Type::Pattern(_)
                | Type::Integer(_)
                | Type::StringSize(_)
                | Type::Class(_)
                | Type::Resource(_)
                | Type::Regexp(_)
        )
    }

    fn contain(&self, t: &Type) -> bool {
        self.0.as_ref().is_some_and(|types| EqualTypes::is_simple(t) && types.contains(t))
    }
}

/// Whether every value of `other` is a value of `t`.
#[must_use]
pub fn is_assignable(t: &Type, other: &Type) -> bool {
    assignable(t, other, None)
}

/// [`is_assignable`] inside a comparison that may have visited recursive aliases.
pub(super) fn assignable(t: &Type, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match t {
        Type::Unit => return true,
        Type::Alias(alias) if alias.is_recursive() => {
            let mut own = RecursionGuard::default();
            let guard = guard.unwrap_or(&mut own);
            let (_opened, open) = OpenAlias::new();
            if open > MAX_ALIASES {
                meter::stop_recursion();
                return false;
            }
            return guard.with_this(alias, |guard| if guard.in_both() { true } else { general(t, o, Some(guard)) });
        }
        Type::Variant(types) => {
            if types.is_empty() && *o == Type::Undef {
                return false;
            }
            if let Type::Variant(others) = o {
                if types.is_empty() {
                    return true;
                }
                let equal = EqualTypes::new(types, others);
                let mut covers = |other| equal.contain(other) || general(t, other, guard.as_deref_mut());
                return !others.is_empty() && others.iter().all(&mut covers);
            }
        }
        _ => {}
    }
    general(t, o, guard)
}

/// The rules that depend on the right side only.
fn general(t: &Type, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    meter::tick(0);
    match o {
        Type::Unit => true,
        Type::Alias(alias) => {
            let Some(inner) = alias.resolved() else { return false };
            if alias.is_recursive() {
                let mut own = RecursionGuard::default();
                let guard = guard.unwrap_or(&mut own);
                guard.add_that(alias);
                if guard.in_both() {
                    return true;
                }
                let (_opened, open) = OpenAlias::new();
                if open > MAX_ALIASES {
                    meter::stop_recursion();
                    return false;
                }
                return assignable(t, inner, Some(guard));
            }
            assignable(t, alias.end().unwrap_or(inner), guard)
        }
        Type::Variant(types) => {
            if *t == Type::Any {
                return true;
            }
            if types.is_empty() && matches!(t, Type::NotUndef(_)) {
                return specific(t, o, guard);
            }
            !types.is_empty() && types.iter().all(|other| assignable(t, other, guard.as_deref_mut()))
        }
        Type::Optional(inner) => {
            assignable(t, &Type::Undef, guard.as_deref_mut())
                && inner.as_ref().is_none_or(|inner| assignable(t, inner, guard))
        }
        Type::NotUndef(Some(inner)) if !assignable(inner, &Type::Undef, None) => assignable(t, inner, guard),
        _ => specific(t, o, guard),
    }
}

/// The rules of each type on the left side.
fn specific(t: &Type, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match t {
        Type::Any | Type::Unit => true,
        Type::Undef | Type::Default | Type::Binary | Type::SemVerRange => t == o,
        Type::Scalar => {
            scalar_data(o)
                || matches!(
                    o,
                    Type::Scalar
                        | Type::Regexp(_)
                        | Type::SemVer(_)
                        | Type::SemVerRange
                        | Type::Timespan(_)
                        | Type::Timestamp(_)
                )
        }
        Type::ScalarData => scalar_data(o),
        Type::Numeric => {
            matches!(o, Type::Numeric | Type::Integer(_) | Type::BigInteger(_))
                || matches!(o, Type::Float(range) if !range.from.is_nan())
        }
        Type::CatalogEntry => matches!(o, Type::CatalogEntry | Type::Resource(_) | Type::Class(_)),
        Type::Boolean(value) => matches!(o, Type::Boolean(other) if value.is_none() || value == other),
        Type::Integer(range) => match o {
            Type::Integer(other) => range.covers(*other),
            Type::BigInteger(other) => BigRange::from(*range).covers(other),
            _ => false,
        },
        Type::BigInteger(range) => o.integer_range().is_some_and(|other| range.covers(&other)),
        Type::Float(range) => matches!(o, Type::Float(other) if range.covers(*other)),
        Type::String => {
            matches!(o, Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_))
        }
        Type::StringSize(size) => string_size(**size, o),
        Type::StringValue(value) => match o {
            Type::StringValue(other) => value == other,
            // Puppet uses the enum's first string as "true" here: any single string is accepted.
            Type::Enum(other) => other.values.len() == 1 && !other.case_insensitive,
            _ => false,
        },
        Type::Enum(own) => enumeration(own, t, o),
        Type::Pattern(patterns) => pattern(patterns, t, o),
        Type::Regexp(own) => matches!(o, Type::Regexp(other) if own.is_none() || own == other),
        Type::Collection(size) => collection(size.as_deref().copied(), o),
        Type::Array(own) => array(own, o, guard),
        Type::Hash(own) => hash(own, o, guard),
        Type::Tuple(own) => tuple(own, t, o, guard),
        Type::Struct(own) => structure(own, o, guard),
        Type::Optional(inner) => {
            if *o == Type::Undef {
                return true;
            }
            let Some(inner) = inner else { return true };
            match o {
                Type::Optional(Some(other)) => assignable(inner, other, guard),
                _ => assignable(inner, o, guard),
            }
        }
        Type::NotUndef(inner) => {
            !assignable(o, &Type::Undef, guard.as_deref_mut())
                && inner.as_ref().is_none_or(|inner| assignable(inner, o, guard))
        }
        Type::Variant(types) => types.iter().any(|option| assignable(option, o, guard.as_deref_mut())),
        Type::Iterable(inner) => match inner {
            Some(inner) if !assignable(inner, &Type::Any, guard.as_deref_mut()) => match iterable_type(o) {
                Some(Type::Iterable(Some(element))) => assignable(inner, &element, guard),
                _ => false,
            },
            _ => is_iterable(o),
        },
        Type::Iterator(inner) => match (inner, o) {
            (None, Type::Iterator(_)) => true,
            (Some(inner), Type::Iterator(Some(other))) => assignable(inner, other, guard),
            (Some(inner), Type::Iterator(None)) => assignable(inner, &Type::Any, guard),
            _ => false,
        },
        Type::Callable(own) => matches!(o, Type::Callable(other) if callable(own, other, guard)),
        Type::Sensitive(inner) => match (inner, o) {
            (None, Type::Sensitive(_)) => true,
            (Some(inner), Type::Sensitive(other)) => assignable(inner, other.as_deref().unwrap_or(&Type::Any), guard),
            _ => false,
        },
        Type::Timestamp(own) => matches!(o, Type::Timestamp(other) if time_covers(own.as_deref(), other.as_deref())),
        Type::Timespan(own) => matches!(o, Type::Timespan(other) if time_covers(own.as_deref(), other.as_deref())),
        Type::SemVer(own) => matches!(o, Type::SemVer(other) if versions(own, other)),
        Type::Uri(own) => {
            matches!(o, Type::Uri(other) if super::instance::uri_covers(own.as_deref(), other.as_deref()))
        }
        Type::Type(own) => match (own, o) {
            (None, Type::Type(_)) => true,
            (Some(own), Type::Type(Some(other))) => assignable(own, other, guard),
            _ => false,
        },
        Type::Init(own) => match (&own.target, o) {
            (target, Type::Init(other)) => match (target, &other.target) {
                (None, _) => true,
                (Some(target), Some(other)) => super::new::init_covers(own, || assignable(target, other, guard)),
                (Some(_), None) => false,
            },
            (None, _) => assignable(&Type::rich_data(), o, guard),
            (Some(_), _) => super::new::init_assignable(own, o),
        },
        Type::Runtime(own) => match o {
            Type::Runtime(other) => {
                (own.runtime.is_none() || own.runtime == other.runtime)
                    && match (&own.name, &other.name) {
                        (None, _) => true,
                        (Some(Value::Str(class)), Some(Value::Str(below))) => {
                            class == below || crate::value::ruby::is_below(below, class)
                        }
                        (own, other) => own == other,
                    }
            }
            _ => false,
        },
        Type::Object(own) => matches!(o, Type::Object(other) if own.covers(other)),
        Type::TypeSet(own) => matches!(o, Type::TypeSet(other) if own.is_none() || own == other),
        Type::Alias(alias) => alias.end().is_some_and(|inner| assignable(inner, o, guard)),
        Type::Reference(_) => t == o,
        Type::Resource(own) => match o {
            Type::Resource(other) => match (&own.type_name, &other.type_name) {
                (None, _) => true,
                (Some(a), Some(b)) => a.eq_ignore_ascii_case(b) && (own.title.is_none() || own.title == other.title),
                (Some(_), None) => false,
            },
            _ => false,
        },
        Type::Class(own) => matches!(o, Type::Class(other) if own.is_none() || own == other),
    }
}

fn scalar_data(o: &Type) -> bool {
    matches!(
        o,
        Type::ScalarData
            | Type::Numeric
            | Type::Integer(_)
            | Type::BigInteger(_)
            | Type::Float(_)
            | Type::Boolean(_)
            | Type::String
            | Type::StringSize(_)
            | Type::StringValue(_)
            | Type::Enum(_)
            | Type::Pattern(_)
    )
}

fn chars(text: &str) -> i64 {
    len(text.chars().count())
}

fn string_size(size: IntRange, o: &Type) -> bool {
    match o {
        Type::String | Type::Pattern(_) => size.covers(IntRange::SIZE),
        Type::StringSize(other) => size.covers(**other),
        Type::StringValue(value) => size.contains(chars(value)),
        Type::Enum(other) if other.values.is_empty() => size.covers(IntRange::SIZE),
        Type::Enum(other) => other.values.iter().all(|value| size.contains(chars(value))),
        _ => false,
    }
}

fn enumeration(own: &EnumType, t: &Type, o: &Type) -> bool {
    if t == o {
        return true;
    }
    match o {
        Type::String | Type::StringSize(_) | Type::Pattern(_) => own.values.is_empty(),
        Type::StringValue(value) => own.values.is_empty() || own.contains(value),
        Type::Enum(other) => {
            own.values.is_empty()
                || (!other.values.is_empty()
                    && (own.case_insensitive || !other.case_insensitive)
                    && other.values.iter().all(|value| own.contains(value)))
        }
        _ => false,
    }
}

impl EnumType {
    /// Whether a string is one of the values.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        if self.case_insensitive {
            self.values.iter().any(|value| value.eq_ignore_ascii_case(text))
        } else {
            self.values.binary_search_by(|value| (**value).cmp(text)).is_ok()
        }
    }
}

fn pattern(patterns: &[Arc<catwalk_regexp::Regexp>], t: &Type, o: &Type) -> bool {
    if t == o || (t_eq_patterns(patterns, o)) {
        return true;
    }
    let matches = |text: &str| patterns.iter().any(|regexp| regexp.is_match(text).unwrap_or(false));
    match o {
        Type::StringValue(value) => patterns.is_empty() || matches(value),
        Type::Enum(other) if !other.values.is_empty() => {
            patterns.is_empty() || other.values.iter().all(|value| matches(value))
        }
        Type::String | Type::StringSize(_) | Type::Enum(_) | Type::Pattern(_) => patterns.is_empty(),
        _ => false,
    }
}

/// Patterns are equal in any order.
fn t_eq_patterns(own: &[Arc<catwalk_regexp::Regexp>], o: &Type) -> bool {
    let Type::Pattern(other) = o else { return false };
    meter::tick(own.len());
    if own.len() != other.len() || own == other.as_ref() {
        return own.len() == other.len();
    }
    let other: rustc_hash::FxHashSet<&str> = other.iter().map(|pattern| pattern.source()).collect();
    own.iter().all(|pattern| other.contains(pattern.source()))
}

fn time_covers(own: Option<&TimeRange>, other: Option<&TimeRange>) -> bool {
    let own = own.copied().unwrap_or_default();
    let other = other.copied().unwrap_or_default();
    own.from.is_none_or(|from| other.from.is_some_and(|n| from <= n))
        && own.to.is_none_or(|to| other.to.is_some_and(|n| to >= n))
}

fn versions(own: &[Arc<SemVerRange>], other: &[Arc<SemVerRange>]) -> bool {
    own.is_empty()
        || (!other.is_empty() && other.iter().all(|range| own.iter().any(|outer| range.is_covered_by(outer))))
}

impl StructElement {
    /// The type of the key: a string, or an optional string.
    #[must_use]
    pub fn key_type(&self) -> Type {
        let key = Type::StringValue(self.name.clone());
        if self.optional { Type::optional(key) } else { key }
    }
}

/// Whether all values of a type are callable; with `optional`, an `Optional` around one is accepted.
#[must_use]
pub fn kind_of_callable(t: &Type, optional: bool) -> bool {
    match t {
        Type::Callable(_) => true,
        Type::Optional(Some(inner)) => optional && kind_of_callable(inner, optional),
        Type::Variant(types) => types.iter().all(|t| kind_of_callable(t, optional)),
        Type::Alias(alias) => guarded(alias, None, false, |inner, _| kind_of_callable(inner, optional)),
        _ => false,
    }
}
