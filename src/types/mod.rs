//! The type system: what types there are, what values they hold, how they print.
//!
//! In: values and type expressions. Out: [`Type`], [`infer`], [`is_instance`], [`is_assignable`], [`common_type`],
//! [`access`] (`Integer[1, 2]`), [`new_instance`] (`.new`), mismatch texts ([`mismatch`]), parsing ([`parse`]).
//! Must not: know scopes, resources or loaders; user-defined names come in through [`AliasResolver`].
//!
//! The rules are those of the Puppet specification (`language/types_values_variables.md`); where that is silent the
//! reference decides.

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
use std::sync::OnceLock;

pub use access::AccessError;
pub use access::access;
pub use access::access_error;
pub use access::class_name;
pub use access::one_reference;
pub(crate) use access::ruby_class;
pub use alias::Alias;
pub use assignable::is_assignable;
pub use assignable::is_iterable;
pub use assignable::iterable_type;
pub use assignable::kind_of_callable;
pub use common::common_type;
pub use format::Form;
pub(crate) use format::capitalize;
pub(crate) use format::capitalize_first;
pub use format::capitalize_segments;
pub use infer::generalize;
pub use infer::infer;
pub use infer::infer_set;
pub use instance::is_callable_with;
pub use instance::is_instance;
pub use new::askable;
pub use new::is_silent;
pub use new::new_instance;
pub use new::new_instance_in;
pub use new::object_from_hash;
pub use normalize::normalize;
pub use object::Attribute;
pub use object::AttributeKind;
pub use object::Function;
pub use object::Member;
pub use object::ObjectType;
pub use object::body;
pub use object::define as define_object;
pub use parse::AliasResolver;
pub use parse::NoAliases;
pub use parse::parse_text;
pub use range::BigRange;
pub use range::FloatRange;
pub use range::IntRange;
pub use type_set::RUNTIME_AUTHORITY;
pub use type_set::TypeSet;
pub use type_set::TypeSetReference;

use crate::names::Name;
use crate::regexp::Regexp;
use crate::value::Hash;
use crate::value::SemVerRange;
use crate::value::Value;

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
    /// Integers in a range of which an end does not fit 64 bits.
    BigInteger(Arc<BigRange>),
    /// Floats in a range.
    Float(FloatRange),
    /// Any text.
    String,
    /// Text with a length in a range.
    StringSize(Arc<IntRange>),
    /// One text: the inferred type of a string.
    StringValue(Arc<str>),
    /// One of some texts.
    Enum(Arc<EnumType>),
    /// Texts that match one of some regexps.
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
    /// What can be iterated over.
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
    /// What the type's `new` accepts.
    Init(Arc<InitType>),
    /// Values of the implementation's own types.
    Runtime(Arc<RuntimeType>),
    /// Objects of a type.
    Object(Arc<ObjectType>),
    /// Type sets, or one of them.
    TypeSet(Option<Arc<TypeSet>>),
    /// A type with a name: `Data`, and `type X = …`.
    Alias(Arc<Alias>),
    /// A name no loader knows.
    Reference(Arc<str>),
    /// `Resource`, `File`, `File['/x']`.
    Resource(Arc<ResourceType>),
    /// `Class`, `Class[ntp]`.
    Class(Option<Arc<str>>),
}

/// The texts of an `Enum`: sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The texts.
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
    /// How its ends were written.
    pub written: Written,
}

/// Whether the ends of a range of time were given as floats, which shows in its text. It makes no difference otherwise:
/// any two are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// The lower end was a float.
    pub from_float: bool,
    /// The upper end was a float.
    pub to_float: bool,
}

impl PartialEq for Written {
    fn eq(&self, _: &Written) -> bool {
        true
    }
}
impl Eq for Written {}
impl std::hash::Hash for Written {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// `Init[type, args…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct InitType {
    /// The type whose `new` is meant.
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
    /// What a parameter makes of a reference (Puppet::Resource): its text is `File[/x]`, and it
    /// does not equal the reference.
    pub resolved: bool,
    /// The title as source where it is no text: the definition of a type takes any value for one.
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

macro_rules! shared {
    ($(#[$doc:meta])* $name:ident, $make:expr) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name() -> Type {
            static SHARED: OnceLock<Type> = OnceLock::new();
            SHARED.get_or_init(|| $make).clone()
        }
    };
}

impl Type {
    shared!(
        /// `Array`
        any_array, Type::Array(Arc::new(ArrayType { element: Type::Any, size: None })));
    shared!(
        /// `Hash`
        any_hash, Type::Hash(Arc::new(HashType { key: Type::Any, value: Type::Any, size: None })));
    shared!(
        /// The type of `[]`.
        empty_array, Type::Array(Arc::new(ArrayType { element: Type::Unit, size: Some(IntRange::exactly(0)) })));
    shared!(
        /// The type of `{}`.
        empty_hash,
        Type::Hash(Arc::new(HashType { key: Type::Unit, value: Type::Unit, size: Some(IntRange::exactly(0)) })));
    shared!(
        /// `Tuple`
        any_tuple, Type::Tuple(Arc::new(TupleType { types: Vec::new(), size: None })));
    shared!(
        /// `Struct`
        any_struct, Type::Struct(Arc::from(Vec::new())));
    shared!(
        /// `Enum`
        any_enum, Type::Enum(Arc::new(EnumType { values: Vec::new(), case_insensitive: false })));
    shared!(
        /// `Pattern`
        any_pattern, Type::Pattern(Arc::from(Vec::new())));
    shared!(
        /// `Variant`
        any_variant, Type::Variant(Arc::from(Vec::new())));
    shared!(
        /// `Callable`
        any_callable, Type::Callable(Arc::new(CallableType::default())));
    shared!(
        /// `SemVer`
        any_semver, Type::SemVer(Arc::from(Vec::new())));
    shared!(
        /// `Resource`
        any_resource, Type::Resource(Arc::new(ResourceType::default())));
    shared!(
        /// `Init`
        any_init, Type::Init(Arc::new(InitType::default())));
    shared!(
        /// `Runtime`
        any_runtime, Type::Runtime(Arc::new(RuntimeType::default())));
    shared!(
        /// `String[1]`
        non_empty_string, Type::string_size(IntRange::from(1)));
    shared!(
        /// The object type `Object` itself.
        any_object, Type::Object(Arc::new(ObjectType::default())));

    /// `Integer`
    pub const INTEGER: Type = Type::Integer(IntRange::ALL);

    /// Integers in a range of any ends.
    #[must_use]
    pub fn integer(range: BigRange) -> Type {
        range.narrow().map_or_else(|| Type::BigInteger(Arc::new(range)), Type::Integer)
    }

    /// The range of a type of integers.
    #[must_use]
    pub fn integer_range(&self) -> Option<BigRange> {
        match self {
            Type::Integer(range) => Some(BigRange::from(*range)),
            Type::BigInteger(range) => Some((**range).clone()),
            _ => None,
        }
    }
    /// `Float`
    pub const FLOAT: Type = Type::Float(FloatRange::ALL);

    /// `Data`
    #[must_use]
    pub fn data() -> Type {
        alias::built_in("Data").unwrap_or(Type::Any)
    }

    /// `RichData`
    #[must_use]
    pub fn rich_data() -> Type {
        alias::built_in("RichData").unwrap_or(Type::Any)
    }

    /// `String[from, to]`; a size below zero counts as zero.
    #[must_use]
    pub fn string_size(size: IntRange) -> Type {
        Type::StringSize(Arc::new(size.to_size()))
    }

    /// `Array[element, size]`
    #[must_use]
    pub fn array(element: Type, size: Option<IntRange>) -> Type {
        // Elements are forgotten where the range itself is of nothing, before it is made one of sizes.
        if size.is_some_and(IntRange::is_zero) {
            return Type::empty_array();
        }
        let size = size.map(IntRange::to_size);
        Type::Array(Arc::new(ArrayType { element, size }))
    }

    /// `Hash[key, value, size]`
    #[must_use]
    pub fn hash(key: Type, value: Type, size: Option<IntRange>) -> Type {
        if size.is_some_and(IntRange::is_zero) {
            return Type::empty_hash();
        }
        let size = size.map(IntRange::to_size);
        Type::Hash(Arc::new(HashType { key, value, size }))
    }

    /// `Tuple[types, size]`
    #[must_use]
    pub fn tuple(types: Vec<Type>, size: Option<IntRange>) -> Type {
        Type::Tuple(Arc::new(TupleType::new(types, size)))
    }

    /// `Optional[inner]`
    #[must_use]
    pub fn optional(inner: Type) -> Type {
        Type::Optional(Some(Arc::new(inner)))
    }

    /// `NotUndef[inner]`
    #[must_use]
    pub fn not_undef(inner: Type) -> Type {
        if inner == Type::Any { Type::NotUndef(None) } else { Type::NotUndef(Some(Arc::new(inner))) }
    }

    /// `Type[inner]`
    #[must_use]
    pub fn type_of(inner: Type) -> Type {
        Type::Type(Some(Arc::new(inner)))
    }

    /// `Enum[values…]`: sorted, each once.
    #[must_use]
    pub fn enumeration(mut values: Vec<Arc<str>>, case_insensitive: bool) -> Type {
        values.sort();
        values.dedup();
        Type::Enum(Arc::new(EnumType { values, case_insensitive }))
    }

    /// A variant with nested variants flattened and doubles removed; one type alone stays what it is.
    #[must_use]
    pub fn variant(types: Vec<Type>) -> Type {
        normalize::maybe_variant(types)
    }

    /// `File['title']`: the type's name is capitalized.
    #[must_use]
    pub fn resource(type_name: &str, title: Option<Arc<str>>) -> Type {
        let type_name = Some(Arc::from(capitalize_segments(type_name).as_ref()));
        Type::Resource(Arc::new(ResourceType { type_name, title, ..ResourceType::default() }))
    }

    /// `Type[title]` of a type by its capitalized name.
    #[must_use]
    pub fn titled(type_name: Name, title: Option<Arc<str>>) -> Type {
        let type_name = Some(type_name.shared());
        Type::Resource(Arc::new(ResourceType { type_name, title, ..ResourceType::default() }))
    }

    /// The same as parameters hold it: `Class` is a type of resources like any other.
    #[must_use]
    pub fn resolved_resource(type_name: Name, title: Arc<str>) -> Type {
        let type_name = Some(type_name.shared());
        Type::Resource(Arc::new(ResourceType { type_name, title: Some(title), resolved: true, written: None }))
    }

    /// `Class[name]`: lower case, without a leading `::`.
    #[must_use]
    pub fn class(name: &str) -> Type {
        let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        Type::Class(Some(Arc::from(name)))
    }

    /// `Sensitive[inner]`: the inner type is generalized.
    #[must_use]
    pub fn sensitive(inner: &Type) -> Type {
        let inner = generalize(inner);
        Type::Sensitive(if inner == Type::Any { None } else { Some(Arc::new(inner)) })
    }

    /// Whether this is what `TypeAlias` on its own stands for: nothing.
    pub(crate) fn is_unresolved(&self) -> bool {
        matches!(self, Type::Reference(name) if &**name == alias::UNRESOLVED)
    }

    /// The type behind aliases.
    #[must_use]
    pub fn resolved(&self) -> &Type {
        let mut at = self;
        // An alias of an alias is legal; a chain that only leads to itself was refused when it was resolved.
        for _ in 0..64 {
            match at {
                Type::Alias(alias) => match alias.resolved() {
                    Some(inner) => at = inner,
                    None => return at,
                },
                _ => return at,
            }
        }
        at
    }

    /// The simple name: `Integer` for `Integer[1, 2]`.
    #[must_use]
    pub fn simple_name(&self) -> &'static str {
        match self {
            Type::Any => "Any",
            Type::Unit => "Unit",
            Type::Undef => "Undef",
            Type::Default => "Default",
            Type::Scalar => "Scalar",
            Type::ScalarData => "ScalarData",
            Type::Numeric => "Numeric",
            Type::CatalogEntry => "CatalogEntry",
            Type::Binary => "Binary",
            Type::SemVerRange => "SemVerRange",
            Type::Boolean(_) => "Boolean",
            Type::Integer(_) | Type::BigInteger(_) => "Integer",
            Type::Float(_) => "Float",
            Type::String | Type::StringSize(_) | Type::StringValue(_) => "String",
            Type::Enum(_) => "Enum",
            Type::Pattern(_) => "Pattern",
            Type::Regexp(_) => "Regexp",
            Type::Collection(_) => "Collection",
            Type::Array(_) => "Array",
            Type::Hash(_) => "Hash",
            Type::Tuple(_) => "Tuple",
            Type::Struct(_) => "Struct",
            Type::Optional(_) => "Optional",
            Type::NotUndef(_) => "NotUndef",
            Type::Variant(_) => "Variant",
            Type::Iterable(_) => "Iterable",
            Type::Iterator(_) => "Iterator",
            Type::Callable(_) => "Callable",
            Type::Sensitive(_) => "Sensitive",
            Type::Timestamp(_) => "Timestamp",
            Type::Timespan(_) => "Timespan",
            Type::SemVer(_) => "SemVer",
            Type::Uri(_) => "URI",
            Type::Type(_) => "Type",
            Type::Init(_) => "Init",
            Type::Runtime(_) => "Runtime",
            Type::Object(_) => "Object",
            Type::TypeSet(_) => "TypeSet",
            Type::Alias(_) => "TypeAlias",
            Type::Reference(_) => "TypeReference",
            Type::Resource(_) => "Resource",
            Type::Class(_) => "Class",
        }
    }
}

impl TupleType {
    /// A tuple type.
    #[must_use]
    pub fn new(types: Vec<Type>, size: Option<IntRange>) -> TupleType {
        TupleType { types, size: size.map(IntRange::to_size) }
    }

    /// How many elements are allowed.
    #[must_use]
    pub fn size_range(&self) -> IntRange {
        match self.size {
            Some(size) => size,
            None if self.types.is_empty() => IntRange::from(0),
            None => IntRange::exactly(len(self.types.len())),
        }
    }

    /// The type at a position, the last one repeating.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&Type> {
        self.types.get(index).or_else(|| self.types.last())
    }
}

/// A length as the language's integer.
pub(crate) fn len(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

const _: () = assert!(std::mem::size_of::<Type>() <= 24, "a value holds a type in 24 bytes");
