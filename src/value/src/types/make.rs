//! Constructors of types, which normalize them.
//!
//! In: parts. Out: types. Must not: compare types.

use std::sync::Arc;
use std::sync::OnceLock;

use super::ArrayType;
use super::BigRange;
use super::CallableType;
use super::EnumType;
use super::FloatRange;
use super::HashType;
use super::InitType;
use super::IntRange;
use super::ObjectType;
use super::ResourceType;
use super::RuntimeType;
use super::TupleType;
use super::Type;
use super::alias;
use super::capitalize_segments;
use super::generalize;
use super::len;
use super::normalize;
use catwalk_base::names::Name;

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
    pub(crate) fn integer_range(&self) -> Option<BigRange> {
        match self {
            Type::Integer(range) => Some(BigRange::from(*range)),
            Type::BigInteger(range) => Some((**range).clone()),
            _ => None,
        }
    }

    /// `Float`
    pub(crate) const FLOAT: Type = Type::Float(FloatRange::ALL);

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

    /// `String[from, to]`; a negative size becomes zero.
    #[must_use]
    pub(crate) fn string_size(size: IntRange) -> Type {
        Type::StringSize(Arc::new(size.to_size()))
    }

    /// `Array[element, size]`
    #[must_use]
    pub fn array(element: Type, size: Option<IntRange>) -> Type {
        // The element type is dropped if the range is empty, before it is converted to sizes.
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
    pub(crate) fn enumeration(mut values: Vec<Arc<str>>, case_insensitive: bool) -> Type {
        values.sort();
        values.dedup();
        Type::Enum(Arc::new(EnumType { values, case_insensitive }))
    }

    /// A variant with nested variants flattened and doubles removed; a single type is returned unchanged.
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

    /// A reference as the value of a parameter. `Class` is an ordinary resource type there.
    #[must_use]
    pub fn resolved_resource(type_name: Name, title: Arc<str>) -> Type {
        let type_name = Some(type_name.shared());
        Type::Resource(Arc::new(ResourceType { type_name, title: Some(title), resolved: true, written: None }))
    }

    /// `Class[main]`, whose title is a symbol in Ruby.
    #[must_use]
    pub(crate) fn class_of_no_name() -> Type {
        let (type_name, main) =
            (Some(catwalk_base::name!("Class").shared()), Some(catwalk_base::name!("main").shared()));
        Type::Resource(Arc::new(ResourceType { type_name, title: main.clone(), resolved: false, written: main }))
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

    /// Whether this is the placeholder type of a bare `TypeAlias`.
    pub fn is_unresolved(&self) -> bool {
        matches!(self, Type::Reference(name) if &**name == alias::UNRESOLVED)
    }

    /// The type behind aliases.
    #[must_use]
    pub fn resolved(&self) -> &Type {
        let mut at = self;
        // An alias of an alias is legal; a chain that only leads back to itself was refused when it was resolved.
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

    /// The number of allowed elements.
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
