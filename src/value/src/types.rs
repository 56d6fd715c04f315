//! The type system: types, their values, and how they are printed.
//!
//! In: values and type expressions. Out: [`Type`], [`infer()`], [`is_instance`], [`is_assignable`], [`common_type`], [`access()`]
//! (`Integer[1, 2]`), [`new_instance`] (`.new`), mismatch messages ([`mismatch`]), parsing ([`parse`]). Must not: know scopes,
//! resources or loaders; user-defined names come in through [`AliasResolver`].
//!
//! The rules are those of the Puppet specification (`language/types_values_variables.md`) and, beyond it, of Puppet's implementation.

mod access;
mod alias;
mod assignable;
mod common;
mod constructors;
mod depth;
pub mod docs;
mod format;
mod infer;
mod instance;
mod make;
pub mod mismatch;
mod new;
mod normalize;
mod object;
pub mod parse;
mod range;
#[cfg(test)]
mod tests;
mod type_set;

use std::sync::Arc;

pub use access::access;
pub use access::access_error;
pub use access::one_reference;
pub use access::ruby_class;
pub use alias::Alias;
pub use alias::mentions_sensitive;
pub use assignable::is_assignable;
pub use assignable::is_callable_type;
pub use assignable::iterable_type;
pub use common::common_type;
pub use format::Form;
pub use format::capitalize;
pub(crate) use format::capitalize_first;
pub use format::capitalize_segments;
pub use infer::generalize;
pub use infer::infer;
pub use infer::infer_set;
pub use instance::is_callable_with;
pub use instance::is_instance;
pub use new::check_matchable;
pub use new::is_assignable_nil;
pub use new::new_instance;
pub use new::new_instance_in;
pub use new::object_from_hash;
pub(crate) use normalize::normalize;
pub use object::Attribute;
pub use object::AttributeKind;
pub use object::Function;
pub use object::Member;
pub use object::ObjectType;
pub use object::body;
pub(crate) use object::class_of_type;
pub use object::define as define_object;
pub use parse::AliasResolver;
pub use parse::NoAliases;
pub use parse::parse_type;
pub(crate) use range::BigRange;
pub(crate) use range::FloatRange;
pub use range::IntRange;
pub use type_set::RUNTIME_AUTHORITY;
pub use type_set::TypeSet;

use crate::value::Hash;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_regexp::Regexp;

/// Parts of a type without duplicates, in their order.
type DistinctParts<T> = indexmap::IndexSet<T, rustc_hash::FxBuildHasher>;

/// A type of the language. Cheap to clone: parts are shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Every value.
    Any,
    /// The element type of an empty collection: assignable to and from everything.
    Unit,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// Single values: strings, numbers, booleans, regexps, versions, times.
    Scalar,
    /// Strings, numbers and booleans.
    ScalarData,
    /// Integers and floats.
    Numeric,
    /// Resource and class references.
    CatalogEntry,
    /// Bytes.
    Binary,
    /// Version ranges.
    SemVerRange,
    /// Booleans, or one of them.
    Boolean(Option<bool>),
    /// Integers in a range.
    Integer(IntRange),
    /// Integers in a range with an end beyond 64 bits.
    BigInteger(Arc<BigRange>),
    /// Floats in a range.
    Float(FloatRange),
    /// Any string.
    String,
    /// A string with a length in a range.
    StringSize(Arc<IntRange>),
    /// One string: the inferred type of a string value.
    StringValue(Arc<str>),
    /// Strings of a list.
    Enum(Arc<EnumType>),
    /// Strings that match a regexp of a list.
    Pattern(Arc<[Arc<Regexp>]>),
    /// Regexps, or one of them.
    Regexp(Option<Arc<Regexp>>),
    /// Arrays and hashes, with a size range where given.
    Collection(Option<Arc<IntRange>>),
    /// Arrays.
    Array(Arc<ArrayType>),
    /// Hashes.
    Hash(Arc<HashType>),
    /// Arrays with a type for each position.
    Tuple(Arc<TupleType>),
    /// Hashes with a type for each key.
    Struct(Arc<[StructElement]>),
    /// The type or `undef`.
    Optional(Option<Arc<Type>>),
    /// The type without `undef`.
    NotUndef(Option<Arc<Type>>),
    /// One of several types.
    Variant(Arc<[Type]>),
    /// Iterable values.
    Iterable(Option<Arc<Type>>),
    /// A lazy sequence.
    Iterator(Option<Arc<Type>>),
    /// Lambdas and functions.
    Callable(Arc<CallableType>),
    /// A redacted value; `None` is `Sensitive[Any]`.
    Sensitive(Option<Arc<Type>>),
    /// Points in time, within nanoseconds since the epoch.
    Timestamp(Option<Arc<TimeRange>>),
    /// Durations, in nanoseconds.
    Timespan(Option<Arc<TimeRange>>),
    /// Versions within ranges.
    SemVer(Arc<[Arc<SemVerRange>]>),
    /// URIs, with constraints per part.
    Uri(Option<Arc<Hash>>),
    /// Types.
    Type(Option<Arc<Type>>),
    /// Arguments of the type's `new`.
    Init(Arc<InitType>),
    /// Values of the implementation's own types.
    Runtime(Arc<RuntimeType>),
    /// Objects of a type.
    Object(Arc<ObjectType>),
    /// Type sets, or one of them.
    TypeSet(Option<Arc<TypeSet>>),
    /// A type with a name: `Data`, and `type X = …`.
    Alias(Arc<Alias>),
    /// An unresolved name.
    Reference(Arc<str>),
    /// `Resource`, `File`, `File['/x']`.
    Resource(Arc<ResourceType>),
    /// `Class`, `Class[ntp]`.
    Class(Option<Arc<str>>),
}

/// The strings of an `Enum`: sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The strings.
    pub values: Vec<Arc<str>>,
    /// Whether case is ignored.
    pub case_insensitive: bool,
}

/// `Array[element, size]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// Type of every element.
    pub element: Type,
    /// Number of elements.
    pub size: Option<IntRange>,
}

/// `Hash[key, value, size]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashType {
    /// Type of every key.
    pub key: Type,
    /// Type of every value.
    pub value: Type,
    /// Number of entries.
    pub size: Option<IntRange>,
}

/// `Tuple[a, b, from, to]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TupleType {
    /// Types by position; the last repeats when the size allows more.
    pub types: Vec<Type>,
    /// Number of elements.
    pub size: Option<IntRange>,
}

/// One key of a `Struct`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructElement {
    /// The key.
    pub name: Arc<str>,
    /// Whether the key may be missing.
    pub optional: bool,
    /// Type of the value.
    pub value: Type,
}

/// `Callable[params, block]` and `Callable[[params, block], returns]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct CallableType {
    /// Parameters; `None` for plain `Callable`.
    pub params: Option<TupleType>,
    /// The block: a `Callable`, `Optional[Callable]` or a `Variant` of them.
    pub block: Option<Type>,
    /// The result; `None` for `Any`.
    pub returns: Option<Type>,
}

/// A range of nanoseconds; an absent end is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TimeRange {
    /// The lower end.
    pub from: Option<i128>,
    /// The upper end.
    pub to: Option<i128>,
    /// Whether the ends were written as floats.
    pub written: FloatEnds,
}

/// Whether the ends of a range of time were written as floats, which affects how the range is printed. Equality ignores it.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatEnds {
    /// The lower end was a float.
    pub from_float: bool,
    /// The upper end was a float.
    pub to_float: bool,
}

impl PartialEq for FloatEnds {
    fn eq(&self, _: &FloatEnds) -> bool {
        true
    }
}
impl Eq for FloatEnds {}
impl std::hash::Hash for FloatEnds {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// `Init[type, args…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct InitType {
    /// The type whose `new` is called.
    pub target: Option<Type>,
    /// Further arguments of `new`.
    pub args: Vec<Value>,
}

/// `Runtime['ruby', 'Symbol']`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct RuntimeType {
    /// The runtime.
    pub runtime: Option<Arc<str>>,
    /// The name, or a pattern with its replacement.
    pub name: Option<Value>,
}

/// A resource reference; the type's name is compared without case.
#[derive(Clone, Debug, Default)]
pub struct ResourceType {
    /// The type's name, capitalized.
    pub type_name: Option<Arc<str>>,
    /// The title.
    pub title: Option<Arc<str>>,
    /// The reference as the value of a parameter (Puppet::Resource): it prints as `File[/x]`, and does not equal a plain
    /// reference.
    pub resolved: bool,
    /// The title as source if it is not a string: the definition of a type accepts any value.
    pub written: Option<Arc<str>>,
}

impl PartialEq for ResourceType {
    fn eq(&self, other: &ResourceType) -> bool {
        let same_type = match (&self.type_name, &other.type_name) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (None, None) => true,
            _ => false,
        };
        same_type && self.title == other.title && self.resolved == other.resolved
    }
}
impl Eq for ResourceType {}
impl std::hash::Hash for ResourceType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        if let Some(name) = &self.type_name {
            for byte in name.bytes() {
                state.write_u8(byte.to_ascii_lowercase());
            }
        }
        self.title.hash(state);
    }
}

/// A length as the language's integer.
pub(crate) fn len(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

const _: () = assert!(std::mem::size_of::<Type>() <= 24, "a value holds a type in 24 bytes");
