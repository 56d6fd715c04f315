//! Whether every value of one type is a value of another.

mod collection;
mod iterable;

use std::cell::Cell;
use std::sync::Arc;

use crate::types::Alias;
use crate::types::BigRange;
use crate::types::EnumType;
use crate::types::InitType;
use crate::types::IntRange;
use crate::types::ResourceType;
use crate::types::RuntimeType;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::Type;
use crate::types::alias::with_guard;
use crate::types::instance::uri_covers;
use crate::types::len;
use crate::types::new::init_assignable;
use crate::types::new::init_covers;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::meter;
use catwalk_regexp::Regexp;
use collection::array_accepts;
use collection::callable_accepts;
use collection::collection_accepts;
use collection::hash_accepts;
use collection::struct_accepts;
use collection::tuple_accepts;
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

/// Whether every value of type `actual` is a value of type `expected`.
#[must_use]
pub fn is_assignable(expected: &Type, actual: &Type) -> bool {
    assignable(expected, actual, None)
}

/// [`is_assignable`] inside a comparison that may have visited recursive aliases.
pub(super) fn assignable(expected: &Type, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match expected {
        Type::Unit => return true,
        Type::Alias(alias) if alias.is_recursive() => {
            let mut new_guard = RecursionGuard::default();
            let guard = guard.unwrap_or(&mut new_guard);
            let (_opened, open) = OpenAlias::new();
            if open > MAX_ALIASES {
                meter::stop_recursion();
                return false;
            }
            return guard
                .with_this(alias, |guard| if guard.in_both() { true } else { accepts(expected, actual, Some(guard)) });
        }
        Type::Variant(types) => {
            if types.is_empty() && *actual == Type::Undef {
                return false;
            }
            if let Type::Variant(others) = actual {
                if types.is_empty() {
                    return true;
                }
                let equal = EqualTypes::new(types, others);
                let mut covers = |other| equal.contain(other) || accepts(expected, other, guard.as_deref_mut());
                return !others.is_empty() && others.iter().all(&mut covers);
            }
        }
        _ => {}
    }
    accepts(expected, actual, guard)
}

/// Whether `expected` accepts `actual`: resolves aliases, variants, optional types and the like on the right side.
fn accepts(expected: &Type, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    meter::tick(0);
    match actual {
        Type::Unit => true,
        Type::Alias(alias) => {
            let Some(inner) = alias.resolved() else { return false };
            if alias.is_recursive() {
                let mut new_guard = RecursionGuard::default();
                let guard = guard.unwrap_or(&mut new_guard);
                guard.add_that(alias);
                if guard.in_both() {
                    return true;
                }
                let (_opened, open) = OpenAlias::new();
                if open > MAX_ALIASES {
                    meter::stop_recursion();
                    return false;
                }
                return assignable(expected, inner, Some(guard));
            }
            assignable(expected, alias.end().unwrap_or(inner), guard)
        }
        Type::Variant(types) => {
            if *expected == Type::Any {
                return true;
            }
            if types.is_empty() && matches!(expected, Type::NotUndef(_)) {
                return kind_accepts(expected, actual, guard);
            }
            !types.is_empty() && types.iter().all(|t| assignable(expected, t, guard.as_deref_mut()))
        }
        Type::Optional(inner) => {
            assignable(expected, &Type::Undef, guard.as_deref_mut())
                && inner.as_ref().is_none_or(|inner| assignable(expected, inner, guard))
        }
        Type::NotUndef(Some(inner)) if !assignable(inner, &Type::Undef, None) => assignable(expected, inner, guard),
        _ => kind_accepts(expected, actual, guard),
    }
}

/// Applies the rule of the type on the left side.
fn kind_accepts(expected: &Type, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match expected {
        Type::Any | Type::Unit => true,
        Type::Undef | Type::Default | Type::Binary | Type::SemVerRange => expected == actual,
        Type::Scalar => is_scalar(actual),
        Type::ScalarData => is_scalar_data(actual),
        Type::Numeric => is_numeric(actual),
        Type::CatalogEntry => matches!(actual, Type::CatalogEntry | Type::Resource(_) | Type::Class(_)),
        Type::Boolean(value) => matches!(actual, Type::Boolean(other) if value.is_none() || value == other),
        Type::Integer(range) => match actual {
            Type::Integer(other) => range.covers(*other),
            Type::BigInteger(other) => BigRange::from(*range).covers(other),
            _ => false,
        },
        Type::BigInteger(range) => actual.integer_range().is_some_and(|other| range.covers(&other)),
        Type::Float(range) => matches!(actual, Type::Float(other) if range.covers(*other)),
        Type::String => is_string(actual),
        Type::StringSize(size) => string_size_accepts(**size, actual),
        Type::StringValue(value) => match actual {
            Type::StringValue(other) => value == other,
            // Puppet uses the enum's first string as "true" here: any single string is accepted.
            Type::Enum(other) => other.values.len() == 1 && !other.case_insensitive,
            _ => false,
        },
        Type::Enum(values) => expected == actual || enum_accepts(values, actual),
        Type::Pattern(patterns) => expected == actual || pattern_accepts(patterns, actual),
        Type::Regexp(regexp) => matches!(actual, Type::Regexp(other) if regexp.is_none() || regexp == other),
        Type::Collection(size) => collection_accepts(size.as_deref().copied(), actual),
        Type::Array(array) => array_accepts(array, actual, guard),
        Type::Hash(hash) => hash_accepts(hash, actual, guard),
        Type::Tuple(tuple) => expected == actual || tuple_accepts(tuple, actual, guard),
        Type::Struct(elements) => struct_accepts(elements, actual, guard),
        Type::Optional(inner) => *actual == Type::Undef || optional_accepts(inner.as_deref(), actual, guard),
        Type::NotUndef(inner) => {
            !assignable(actual, &Type::Undef, guard.as_deref_mut())
                && inner.as_ref().is_none_or(|inner| assignable(inner, actual, guard))
        }
        Type::Variant(types) => types.iter().any(|option| assignable(option, actual, guard.as_deref_mut())),
        Type::Iterable(inner) => iterable_accepts(inner.as_deref(), actual, guard),
        Type::Iterator(inner) => match (inner, actual) {
            (None, Type::Iterator(_)) => true,
            (Some(inner), Type::Iterator(other)) => assignable(inner, other.as_deref().unwrap_or(&Type::Any), guard),
            _ => false,
        },
        Type::Callable(callable) => matches!(actual, Type::Callable(other) if callable_accepts(callable, other, guard)),
        Type::Sensitive(inner) => match (inner, actual) {
            (None, Type::Sensitive(_)) => true,
            (Some(inner), Type::Sensitive(other)) => assignable(inner, other.as_deref().unwrap_or(&Type::Any), guard),
            _ => false,
        },
        Type::Timestamp(range) => {
            matches!(actual, Type::Timestamp(other) if time_covers(range.as_deref(), other.as_deref()))
        }
        Type::Timespan(range) => {
            matches!(actual, Type::Timespan(other) if time_covers(range.as_deref(), other.as_deref()))
        }
        Type::SemVer(ranges) => matches!(actual, Type::SemVer(other) if versions_cover(ranges, other)),
        Type::Uri(parts) => matches!(actual, Type::Uri(other) if uri_covers(parts.as_deref(), other.as_deref())),
        Type::Type(inner) => match (inner, actual) {
            (None, Type::Type(_)) => true,
            (Some(inner), Type::Type(Some(other))) => assignable(inner, other, guard),
            _ => false,
        },
        Type::Init(init) => init_accepts(init, actual, guard),
        Type::Runtime(runtime) => matches!(actual, Type::Runtime(other) if runtime_accepts(runtime, other)),
        Type::Object(object) => matches!(actual, Type::Object(other) if object.covers(other)),
        Type::TypeSet(set) => matches!(actual, Type::TypeSet(other) if set.is_none() || set == other),
        Type::Alias(alias) => alias.end().is_some_and(|inner| assignable(inner, actual, guard)),
        Type::Reference(_) => expected == actual,
        Type::Resource(resource) => matches!(actual, Type::Resource(other) if resource_accepts(resource, other)),
        Type::Class(name) => matches!(actual, Type::Class(other) if name.is_none() || name == other),
    }
}

fn optional_accepts(inner: Option<&Type>, actual: &Type, guard: Option<&mut RecursionGuard>) -> bool {
    let Some(inner) = inner else { return true };
    match actual {
        Type::Optional(Some(other)) => assignable(inner, other, guard),
        _ => assignable(inner, actual, guard),
    }
}

fn iterable_accepts(inner: Option<&Type>, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match inner {
        Some(inner) if !assignable(inner, &Type::Any, guard.as_deref_mut()) => match iterable_type(actual) {
            Some(Type::Iterable(Some(element))) => assignable(inner, &element, guard),
            _ => false,
        },
        _ => is_iterable(actual),
    }
}

fn init_accepts(init: &InitType, actual: &Type, guard: Option<&mut RecursionGuard>) -> bool {
    match (&init.target, actual) {
        (None, Type::Init(_)) => true,
        (Some(target), Type::Init(other)) => match &other.target {
            Some(other) => init_covers(init, || assignable(target, other, guard)),
            None => false,
        },
        (None, _) => assignable(&Type::rich_data(), actual, guard),
        (Some(_), _) => init_assignable(init, actual),
    }
}

fn runtime_accepts(expected: &RuntimeType, actual: &RuntimeType) -> bool {
    if expected.runtime.is_some() && expected.runtime != actual.runtime {
        return false;
    }
    match (&expected.name, &actual.name) {
        (None, _) => true,
        (Some(Value::Str(class)), Some(Value::Str(subclass))) => {
            class == subclass || crate::value::ruby::inherits_from(subclass, class)
        }
        (expected, actual) => expected == actual,
    }
}

fn resource_accepts(expected: &ResourceType, actual: &ResourceType) -> bool {
    match (&expected.type_name, &actual.type_name) {
        (None, _) => true,
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b) && (expected.title.is_none() || expected.title == actual.title),
        (Some(_), None) => false,
    }
}

fn is_scalar(t: &Type) -> bool {
    is_scalar_data(t)
        || matches!(
            t,
            Type::Scalar
                | Type::Regexp(_)
                | Type::SemVer(_)
                | Type::SemVerRange
                | Type::Timespan(_)
                | Type::Timestamp(_)
        )
}

fn is_string(t: &Type) -> bool {
    matches!(t, Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_))
}

fn is_numeric(t: &Type) -> bool {
    matches!(t, Type::Numeric | Type::Integer(_) | Type::BigInteger(_))
        || matches!(t, Type::Float(range) if !range.from.is_nan())
}

fn is_scalar_data(t: &Type) -> bool {
    is_string(t)
        || matches!(
            t,
            Type::ScalarData
                | Type::Numeric
                | Type::Integer(_)
                | Type::BigInteger(_)
                | Type::Float(_)
                | Type::Boolean(_)
        )
}

fn count_chars(string: &str) -> i64 {
    len(string.chars().count())
}

fn string_size_accepts(size: IntRange, actual: &Type) -> bool {
    match actual {
        Type::String | Type::Pattern(_) => size.covers(IntRange::SIZE),
        Type::StringSize(other) => size.covers(**other),
        Type::StringValue(value) => size.contains(count_chars(value)),
        Type::Enum(other) if other.values.is_empty() => size.covers(IntRange::SIZE),
        Type::Enum(other) => other.values.iter().all(|value| size.contains(count_chars(value))),
        _ => false,
    }
}

fn enum_accepts(expected: &EnumType, actual: &Type) -> bool {
    match actual {
        Type::String | Type::StringSize(_) | Type::Pattern(_) => expected.values.is_empty(),
        Type::StringValue(value) => expected.values.is_empty() || expected.contains(value),
        Type::Enum(other) => {
            expected.values.is_empty()
                || (!other.values.is_empty()
                    && (expected.case_insensitive || !other.case_insensitive)
                    && other.values.iter().all(|value| expected.contains(value)))
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

fn pattern_accepts(patterns: &[Arc<Regexp>], actual: &Type) -> bool {
    let matches = |string: &str| patterns.iter().any(|regexp| regexp.is_match(string).unwrap_or(false));
    match actual {
        Type::Pattern(other) => patterns.is_empty() || are_equal_sets(patterns, other),
        Type::StringValue(value) => patterns.is_empty() || matches(value),
        Type::Enum(other) if !other.values.is_empty() => {
            patterns.is_empty() || other.values.iter().all(|value| matches(value))
        }
        Type::String | Type::StringSize(_) | Type::Enum(_) => patterns.is_empty(),
        _ => false,
    }
}

/// Whether two lists contain equal patterns, in any order.
fn are_equal_sets(a: &[Arc<Regexp>], b: &[Arc<Regexp>]) -> bool {
    meter::tick(a.len());
    if a.len() != b.len() || a == b {
        return a.len() == b.len();
    }
    let b: rustc_hash::FxHashSet<&str> = b.iter().map(|pattern| pattern.source()).collect();
    a.iter().all(|pattern| b.contains(pattern.source()))
}

fn time_covers(expected: Option<&TimeRange>, actual: Option<&TimeRange>) -> bool {
    let expected = expected.copied().unwrap_or_default();
    let actual = actual.copied().unwrap_or_default();
    expected.from.is_none_or(|from| actual.from.is_some_and(|n| from <= n))
        && expected.to.is_none_or(|to| actual.to.is_some_and(|n| to >= n))
}

fn versions_cover(expected: &[Arc<SemVerRange>], actual: &[Arc<SemVerRange>]) -> bool {
    let is_covered = |range: &Arc<SemVerRange>| expected.iter().any(|outer| range.is_covered_by(outer));
    expected.is_empty() || (!actual.is_empty() && actual.iter().all(is_covered))
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
pub fn is_callable_type(t: &Type, optional: bool) -> bool {
    match t {
        Type::Callable(_) => true,
        Type::Optional(Some(inner)) => optional && is_callable_type(inner, optional),
        Type::Variant(types) => types.iter().all(|t| is_callable_type(t, optional)),
        Type::Alias(alias) => with_guard(alias, None, false, |inner, _| is_callable_type(inner, optional)),
        _ => false,
    }
}
