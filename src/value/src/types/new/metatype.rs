//! Types created by metatypes: `Pcore::ArrayType.new(Integer)` is `Array[Integer]`.
//!
//! In: the name of a metatype, and arguments. Out: the type that Puppet's Ruby class creates from them.

use std::sync::Arc;

use super::NewResult;
use super::fail;
use super::object::optional;
use crate::types::Alias;
use crate::types::CallableType;
use crate::types::EnumType;
use crate::types::HashType;
use crate::types::InitType;
use crate::types::IntRange;
use crate::types::ObjectType;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::access;
use crate::types::constructors::signature;
use crate::types::instance::is_callable_with;
use crate::types::mismatch::describe_signatures;
use crate::types::parse::language_type;
use crate::value::Value;
use catwalk_base::diag::Reason;

/// The parameters of the initializers of Puppet's Ruby classes; a `?` marks optional ones.
const PARAMETERS: [(&str, &str); 31] = [
    ("Array", "element_type size_type?"),
    ("Callable", "param_types block_type? return_type?"),
    ("Class", "class_name"),
    ("Collection", "size_type"),
    ("Enum", "values case_insensitive?"),
    ("Float", "from to?"),
    ("Hash", "key_type value_type size_type?"),
    ("Init", "type init_args"),
    ("Integer", "from to?"),
    ("Iterable", "type"),
    ("Iterator", "type"),
    ("NotUndef", "type?"),
    ("Numeric", "from to?"),
    ("Object", "_pcore_init_hash"),
    ("ObjectTypeExten", "base_type init_parameters"),
    ("Optional", "type"),
    ("Pattern", "patterns"),
    ("Regexp", "pattern"),
    ("Resource", "type_name title?"),
    ("Runtime", "runtime name_or_pattern"),
    ("SemVer", "ranges"),
    ("String", "size_type_or_value"),
    ("Struct", "elements"),
    ("Timespan", "from to?"),
    ("Timestamp", "from to?"),
    ("Tuple", "types size_type?"),
    ("TypeAlias", "name type_expr resolved_type?"),
    ("TypeReference", "type_string"),
    ("Type", "type"),
    ("URI", "parameters?"),
    ("Variant", "types"),
];

/// The kind of type that a metatype creates: `Integer` for `Pcore::IntegerType`.
pub(super) fn kind_of(object: &ObjectType) -> Option<&str> {
    object.name.as_deref()?.strip_prefix("Pcore::")?.strip_suffix("Type")
}

/// Creates a type of a kind.
///
/// # Errors
/// The arguments do not match the attributes, are too few for the initializer in Ruby, or are not valid for the type.
pub(super) fn construct_type(kind: &str, object: &ObjectType, args: &[Value]) -> NewResult {
    let class = format!("Puppet::Pops::Types::P{kind}Type");
    match kind {
        "TypeSet" => {
            return Err(fail(format!(
                "Initializer for class {class} parameter 'name_or_init_hash' does not match any of the the attributes of type Pcore::TypeSetType"
            )));
        }
        "AbstractTimeData" => {
            return Err(fail(format!(
                "Initializer for class {class} does not match the attributes of {}",
                object.label()
            )));
        }
        _ => {}
    }
    let parameters = PARAMETERS.iter().find(|(name, _)| *name == kind).map_or("", |(_, parameters)| parameters);
    let names: Vec<&str> = parameters.split_whitespace().map(|name| name.trim_end_matches('?')).collect();
    let attributes: Vec<_> = names.iter().filter_map(|name| object.attribute(name)).collect();
    let required = attributes.iter().filter(|attribute| !optional(attribute)).count();
    let types = attributes.iter().map(|attribute| attribute.data_type.clone()).collect();
    let initializer = signature(types, required, names.iter().map(|name| Arc::from(*name)).collect());
    if !is_callable_with(&initializer.callable, args, None) {
        return Err(fail(describe_signatures(&format!("new_{}", object.label()), &[initializer], args, None)));
    }
    let needed = parameters.split_whitespace().filter(|name| !name.ends_with('?')).count();
    if args.len() < needed {
        let most = if kind == "String" { 2 } else { names.len() };
        let most = if most > needed { format!("..{most}") } else { String::new() };
        return Err(fail(format!("wrong number of arguments (given {}, expected {needed}{most})", args.len())));
    }
    create(kind, args).map(Value::Type)
}

fn create(kind: &str, args: &[Value]) -> Result<Type, Reason> {
    let arguments = Arguments { kind, args };
    let types = |at: usize| arguments.types(at);
    let inner = |at: usize| arguments.type_at(at).map(Arc::new);
    let inner_or_any = |at: usize| arguments.type_at(at).unwrap_or(Type::Any);
    let size = |at: usize| arguments.type_at(at).as_ref().and_then(size_of);
    Ok(match kind {
        "Array" => Type::array(inner_or_any(0), size(1)),
        "Hash" => Type::Hash(Arc::new(HashType { key: inner_or_any(0), value: inner_or_any(1), size: size(2) })),
        "Collection" => Type::Collection(size(0).map(Arc::new)),
        "Tuple" => Type::Tuple(Arc::new(TupleType { types: types(0), size: size(1) })),
        "Variant" => Type::Variant(types(0).into()),
        "Optional" => Type::Optional(inner(0)),
        "NotUndef" => Type::NotUndef(inner(0)),
        "Iterable" => Type::Iterable(inner(0)),
        "Iterator" => Type::Iterator(inner(0)),
        "Type" => Type::Type(inner(0)),
        "Enum" => arguments.create_enum(),
        "Callable" => arguments.create_callable(),
        "Numeric" | "Integer" | "Float" => arguments.create_number()?,
        "Timestamp" | "Timespan" => arguments.parameterize(&range_ends(args))?,
        "String" => match arguments.get(0) {
            Value::Str(string) => Type::StringValue(string.to_shared()),
            Value::Undef => Type::String,
            _ => size(0).map_or(Type::String, Type::string_size),
        },
        "Init" => match arguments.get(1) {
            Value::Array(args) => Type::Init(Arc::new(InitType { target: arguments.type_at(0), args: args.to_vec() })),
            _ => arguments.base(),
        },
        "Object" => match arguments.get(0) {
            Value::Hash(definition) => {
                Type::Object(Arc::new(crate::types::define_object(None, definition).map_err(fail)?))
            }
            _ => arguments.base(),
        },
        "ObjectTypeExten" => arguments.create_object_extension()?,
        "Pattern" | "SemVer" => match arguments.get(0) {
            Value::Array(keys) if !keys.is_empty() => arguments.parameterize(keys)?,
            _ => arguments.base(),
        },
        "Struct" => match arguments.get(0) {
            Value::Array(elements) if elements.is_empty() => Type::any_struct(),
            // An element's name is that of a string type with one value, which no string of the language creates.
            _ => return Err(fail("undefined method `value' for an element's type")),
        },
        "TypeAlias" => arguments.create_alias()?,
        "TypeReference" => Type::Reference(Arc::from(arguments.get(0).as_str().unwrap_or(""))),
        "Resource" => arguments.create_resource()?,
        "Unit" => Type::Unit,
        _ if args.iter().all(Value::is_undef) => arguments.base(),
        _ => arguments.parameterize(args)?,
    })
}

/// The arguments of a metatype's `new`.
struct Arguments<'a> {
    kind: &'a str,
    args: &'a [Value],
}

impl<'a> Arguments<'a> {
    fn get(&self, at: usize) -> &'a Value {
        self.args.get(at).unwrap_or(&Value::Undef)
    }

    fn type_at(&self, at: usize) -> Option<Type> {
        as_type(self.get(at))
    }

    fn types(&self, at: usize) -> Vec<Type> {
        match self.get(at) {
            Value::Array(items) => items.iter().filter_map(as_type).collect(),
            _ => Vec::new(),
        }
    }

    /// The type without parameters.
    fn base(&self) -> Type {
        language_type(self.kind).unwrap_or(Type::Unit)
    }

    /// The type with these parameters.
    fn parameterize(&self, keys: &[Value]) -> Result<Type, Reason> {
        match access(&self.base(), keys) {
            Ok(Value::Type(t)) => Ok(t),
            Ok(_) => Ok(self.base()),
            Err(error) => Err(error.reason),
        }
    }

    fn create_enum(&self) -> Type {
        let Value::Array(strings) = self.get(0) else { return Type::any_enum() };
        let mut values: Vec<Arc<str>> = strings.iter().filter_map(|value| value.as_str().map(Arc::from)).collect();
        values.sort_unstable();
        values.dedup();
        Type::Enum(Arc::new(EnumType { values, case_insensitive: self.get(1).truthy() }))
    }

    fn create_callable(&self) -> Type {
        let params = match self.type_at(0) {
            Some(Type::Tuple(params)) => Some((*params).clone()),
            _ => None,
        };
        let returns = self.type_at(2).filter(|t| *t != Type::Any);
        Type::from(CallableType { params, block: self.type_at(1), returns })
    }

    fn create_number(&self) -> Result<Type, Reason> {
        let (from, to) = (self.get(0), self.get(1));
        if let (Some(low), Some(high)) = (number(from), number(to))
            && low > high
        {
            let (from, to) = (crate::value::to_puppet_string(from), crate::value::to_puppet_string(to));
            return Err(fail(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")));
        }
        if self.kind == "Numeric" { Ok(Type::Numeric) } else { self.parameterize(&range_ends(self.args)) }
    }

    fn create_object_extension(&self) -> Result<Type, Reason> {
        let (Value::Type(t), Value::Array(keys)) = (self.get(0), self.get(1)) else { return Ok(self.base()) };
        match access(t.resolved(), keys) {
            Ok(Value::Type(t)) => Ok(t),
            Ok(_) => Ok(t.clone()),
            Err(error) => Err(error.reason),
        }
    }

    fn create_alias(&self) -> Result<Type, Reason> {
        let alias = Alias::new(self.get(0).as_str().unwrap_or(""));
        if let Some(t) = self.type_at(2) {
            alias.resolve(&t).map_err(fail)?;
        }
        Ok(Type::Alias(alias))
    }

    fn create_resource(&self) -> Result<Type, Reason> {
        let without_title = self.parameterize(std::slice::from_ref(self.get(0)))?;
        let title = self.get(1);
        match (title, access(&without_title, std::slice::from_ref(title))) {
            (Value::Undef, _) => Ok(without_title),
            (_, Ok(Value::Type(t))) => Ok(t),
            (_, Ok(_)) => Ok(without_title),
            (_, Err(error)) => Err(error.reason),
        }
    }
}

fn as_type(value: &Value) -> Option<Type> {
    match value {
        Value::Type(t) => Some(t.clone()),
        _ => None,
    }
}

/// The ends of a range as parameters: `undef` is an open end.
fn range_ends(args: &[Value]) -> Vec<Value> {
    args.iter().map(|end| if end.is_undef() { Value::Default } else { end.clone() }).collect()
}

/// An end of a range of numbers.
fn number(end: &Value) -> Option<f64> {
    match end {
        Value::Float(n) => Some(*n),
        end => end.as_big().map(|n| crate::value::big::to_float(&n)),
    }
}

/// The sizes in a type of integers.
fn size_of(t: &Type) -> Option<IntRange> {
    match t.resolved() {
        Type::Integer(range) => Some(*range),
        _ => None,
    }
}
