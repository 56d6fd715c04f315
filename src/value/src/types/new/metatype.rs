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
    let listed = PARAMETERS.iter().find(|(name, _)| *name == kind).map_or("", |(_, listed)| listed);
    let names: Vec<&str> = listed.split_whitespace().map(|name| name.trim_end_matches('?')).collect();
    let attributes: Vec<_> = names.iter().filter_map(|name| object.attribute(name)).collect();
    let required = attributes.iter().filter(|attribute| !optional(attribute)).count();
    let types = attributes.iter().map(|attribute| attribute.data_type.clone()).collect();
    let initializer = signature(types, required, names.iter().map(|name| Arc::from(*name)).collect());
    if !is_callable_with(&initializer.callable, args, None) {
        return Err(fail(describe_signatures(&format!("new_{}", object.label()), &[initializer], args, None)));
    }
    let needed = listed.split_whitespace().filter(|name| !name.ends_with('?')).count();
    let given = args.len();
    if given < needed {
        let most = if kind == "String" { 2 } else { names.len() };
        let most = if most > needed { format!("..{most}") } else { String::new() };
        return Err(fail(format!("wrong number of arguments (given {given}, expected {needed}{most})")));
    }
    create(kind, args).map(Value::Type)
}

fn create(kind: &str, args: &[Value]) -> Result<Type, catwalk_base::diag::Reason> {
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    let type_at = |n: usize| match arg(n) {
        Value::Type(t) => Some(t.clone()),
        _ => None,
    };
    let or_any = |n: usize| type_at(n).unwrap_or(Type::Any);
    let types = |n: usize| -> Vec<Type> {
        let Value::Array(items) = arg(n) else { return Vec::new() };
        let of = |item: &Value| if let Value::Type(t) = item { Some(t.clone()) } else { None };
        items.iter().filter_map(of).collect()
    };
    let inner = |n: usize| type_at(n).map(Arc::new);
    let size = |n: usize| type_at(n).as_ref().and_then(size_of);
    let base = || language_type(kind).unwrap_or(Type::Unit);
    let with = |keys: &[Value]| match access(&base(), keys) {
        Ok(Value::Type(t)) => Ok(t),
        Ok(_) => Ok(base()),
        Err(error) => Err(error.reason),
    };
    let ends = |args: &[Value]| -> Vec<Value> {
        args.iter().map(|end| if end.is_undef() { Value::Default } else { end.clone() }).collect()
    };
    Ok(match kind {
        "Array" => Type::array(or_any(0), size(1)),
        "Hash" => Type::Hash(Arc::new(HashType { key: or_any(0), value: or_any(1), size: size(2) })),
        "Collection" => Type::Collection(size(0).map(Arc::new)),
        "Tuple" => Type::Tuple(Arc::new(TupleType { types: types(0), size: size(1) })),
        "Variant" => Type::Variant(types(0).into()),
        "Optional" => Type::Optional(inner(0)),
        "NotUndef" => Type::NotUndef(inner(0)),
        "Iterable" => Type::Iterable(inner(0)),
        "Iterator" => Type::Iterator(inner(0)),
        "Type" => Type::Type(inner(0)),
        "Enum" => {
            let Value::Array(given) = arg(0) else { return Ok(Type::any_enum()) };
            let mut values: Vec<Arc<str>> = given.iter().filter_map(|value| value.as_str().map(Arc::from)).collect();
            values.sort_unstable();
            values.dedup();
            Type::Enum(Arc::new(EnumType { values, case_insensitive: arg(1).truthy() }))
        }
        "Callable" => {
            let params = match type_at(0) {
                Some(Type::Tuple(params)) => Some((*params).clone()),
                _ => None,
            };
            Type::from(CallableType { params, block: type_at(1), returns: type_at(2).filter(|t| *t != Type::Any) })
        }
        "Numeric" | "Integer" | "Float" => {
            if let (Some(from), Some(to)) = (number(arg(0)), number(arg(1)))
                && from > to
            {
                let (from, to) = (arg(0), arg(1));
                let (from, to) = (crate::value::to_puppet_string(from), crate::value::to_puppet_string(to));
                return Err(fail(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")));
            }
            if kind == "Numeric" { Type::Numeric } else { with(&ends(args))? }
        }
        "Timestamp" | "Timespan" => with(&ends(args))?,
        "String" => match arg(0) {
            Value::Str(text) => Type::StringValue(text.to_shared()),
            Value::Undef => Type::String,
            _ => size(0).map_or(Type::String, Type::string_size),
        },
        "Init" => match arg(1) {
            Value::Array(args) => Type::Init(Arc::new(InitType { target: type_at(0), args: args.to_vec() })),
            _ => base(),
        },
        "Object" => match arg(0) {
            Value::Hash(definition) => {
                Type::Object(Arc::new(crate::types::define_object(None, definition).map_err(fail)?))
            }
            _ => base(),
        },
        "ObjectTypeExten" => match (arg(0), arg(1)) {
            (Value::Type(t), Value::Array(keys)) => match access(t.resolved(), keys) {
                Ok(Value::Type(t)) => t,
                Ok(_) => t.clone(),
                Err(error) => return Err(error.reason),
            },
            _ => base(),
        },
        "Pattern" | "SemVer" => match arg(0) {
            Value::Array(keys) if !keys.is_empty() => with(keys)?,
            _ => base(),
        },
        "Struct" => match arg(0) {
            Value::Array(elements) if elements.is_empty() => Type::any_struct(),
            // An element's name is that of a string type with one value, which no string of the language creates.
            _ => return Err(fail("undefined method `value' for an element's type")),
        },
        "TypeAlias" => {
            let alias = Alias::new(arg(0).as_str().unwrap_or(""));
            if let Some(meaning) = type_at(2) {
                alias.resolve(&meaning).map_err(fail)?;
            }
            Type::Alias(alias)
        }
        "TypeReference" => Type::Reference(Arc::from(arg(0).as_str().unwrap_or(""))),
        "Resource" => {
            let file = with(&[arg(0).clone()])?;
            match (arg(1), access(&file, &[arg(1).clone()])) {
                (Value::Undef, _) => file,
                (_, Ok(Value::Type(t))) => t,
                (_, Ok(_)) => file,
                (_, Err(error)) => return Err(error.reason),
            }
        }
        "Unit" => Type::Unit,
        _ if args.is_empty() || args.iter().all(Value::is_undef) => base(),
        _ => with(args)?,
    })
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
