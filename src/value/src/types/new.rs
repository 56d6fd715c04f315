//! Creates values: `Type.new(…)`.
//!
//! In: a type and arguments. Out: a value of the type, converted as Puppet converts it. `Timestamp.new` without arguments needs
//! the clock: the caller handles it.

mod collection;
mod init;
mod literal;
mod metatype;
mod number;
mod object;
mod time;

use std::sync::Arc;

use crate::types::Type;
use crate::types::constructors::signatures;
use crate::types::generalize;
use crate::types::infer;
use crate::types::instance::is_callable_with;
use crate::types::is_instance;
use crate::types::mismatch::Signature;
use crate::types::mismatch::assert_instance;
use crate::types::mismatch::describe_signatures;
use crate::types::mismatch::is_endless;
use crate::types::parse::AliasResolver;
use crate::types::parse_type;
use crate::value::Hash;
use crate::value::Uri;
use crate::value::Value;
use crate::value::convert;
use crate::value::secret;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SecretCollection;
use catwalk_regexp::Regexp;

use collection::array;
use collection::hash;
pub use init::check_matchable;
use init::construct_init;
pub(super) use init::init_assignable;
pub(super) use init::init_covers;
pub(super) use init::init_instance;
pub use init::is_assignable_nil;
use literal::binary;
use literal::semver;
use literal::semver_range;
use number::float;
use number::integer;
use number::numeric;
use object::construct_object;
pub use object::object_from_hash;
use object::object_signatures;
use time::timespan;
use time::timestamp;

type NewResult = Result<Value, Reason>;

/// `t.new(args)`; names in `args` are resolved only if they are built in, and there is no clock. Without a collection for secrets, no
/// `Sensitive` is created.
///
/// # Errors
/// Puppet's messages.
pub fn new_instance(t: &Type, args: &[Value], secrets: Option<&SecretCollection>) -> Result<Value, Reason> {
    new_instance_in(t, args, &mut BuiltInNames(secrets))
}

/// Resolves only built-in names.
struct BuiltInNames<'s>(Option<&'s SecretCollection>);

impl AliasResolver for BuiltInNames<'_> {
    fn resolve(&mut self, _name: &str) -> Result<Option<Type>, Reason> {
        Ok(None)
    }

    fn secrets(&self) -> Option<&SecretCollection> {
        self.0
    }
}

/// Resolves only built-in names, in the argument of `Type.new` (`PAnyType#loader`).
struct LanguageNames<'r>(&'r dyn AliasResolver);

impl AliasResolver for LanguageNames<'_> {
    fn resolve(&mut self, _name: &str) -> Result<Option<Type>, Reason> {
        Ok(None)
    }

    fn now(&self) -> Option<i128> {
        self.0.now()
    }

    fn is_static(&self) -> bool {
        true
    }
}

/// `t.new(args)`; the resolver provides the time and the collection of secrets.
///
/// # Errors
/// Puppet's messages: arguments that match no signature, strings that cannot be converted, and a result that is not of the type.
pub fn new_instance_in(t: &Type, args: &[Value], resolver: &mut dyn AliasResolver) -> Result<Value, Reason> {
    if let [value] = args
        && !matches!(t.resolved(), Type::Init(_))
        && is_instance(t, value)
    {
        return Ok(value.clone());
    }
    let value = construct(t, args, resolver, 0)?;
    if let Value::Object(object) = &value
        && object.object_type.extends_error()
    {
        // Objects that extend the error type have no class in Ruby: they can be described, but not created.
        let (from, expected) = (t.expanded(), crate::value::a_an(object.object_type.label()));
        let text = format!("Converted value from {from}.new() has wrong type, expects {expected} value, got Runtime");
        return Err(fail(text));
    }
    assert_instance(&format!("Converted value from {t}.new()"), t, &value)?;
    Ok(value)
}

fn fail(message: impl Into<String>) -> Reason {
    Reason::runtime(message.into())
}

fn unsupported(t: &Type) -> Reason {
    fail(format!("Creation of new instance of type '{t}' is not supported"))
}

/// The type whose constructor a type uses.
///
/// # Errors
///
/// There is none: bare `Optional`, and `TypeAlias`, whose `new` only another alias may call (`PTypeAliasType#new_function` is
/// protected, and forwards other calls only when it is resolved).
fn resolve_target(t: &Type) -> Result<&Type, Reason> {
    let mut at = t;
    let mut asked_by_alias = false;
    for _ in 0..64 {
        (at, asked_by_alias) = match at {
            Type::Alias(alias) => match alias.resolved() {
                Some(meaning) if meaning.is_unresolved() && !asked_by_alias => {
                    return Err(fail(
                        "protected method `new_function' called for #<Puppet::Pops::Types::PTypeAliasType>",
                    ));
                }
                Some(meaning) => (meaning, true),
                None => return Err(unsupported(t)),
            },
            Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => (&**inner, false),
            Type::Optional(None) => return Err(fail("undefined method `new_function' for nil:NilClass")),
            _ => return Ok(at),
        };
    }
    Err(unsupported(t))
}

/// The name of the constructor's signatures.
fn constructor_kind(t: &Type) -> Option<&'static str> {
    Some(match t {
        Type::NotUndef(None) => "Unit",
        Type::Struct(_) => "Hash",
        Type::Tuple(_) => "Array",
        Type::Unit => "Unit",
        other => other.simple_name(),
    })
}

fn construct(t: &Type, args: &[Value], resolver: &mut dyn AliasResolver, depth: u32) -> NewResult {
    if depth > 100 {
        return Err(unsupported(t));
    }
    if is_endless(t) {
        return Err(fail("stack level too deep").help("a type alias refers to itself"));
    }
    let t = resolve_target(t)?;
    match t {
        Type::Init(init) => return construct_init(t, init, args, resolver, depth),
        Type::Object(object) => return construct_object(t, object, args),
        _ => {}
    }
    let (name, signatures) = constructor_kind(t).and_then(signatures).ok_or_else(|| unsupported(t))?;
    let Some(chosen) = signatures.iter().position(|signature| is_callable_with(&signature.callable, args, None)) else {
        return Err(mismatch_reason(t, name, signatures, args));
    };
    construct_by_signature(t, args, chosen, resolver)
}

/// Creates a value from arguments that match the signature at position `chosen`.
fn construct_by_signature(t: &Type, args: &[Value], chosen: usize, resolver: &dyn AliasResolver) -> NewResult {
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match t {
        Type::Integer(_) | Type::BigInteger(_) if chosen == 0 => integer(arg(0), arg(1), arg(2).truthy()),
        Type::Integer(_) | Type::BigInteger(_) => {
            with_named_arguments(arg(0), |h| integer(field(h, "from"), field(h, "radix"), field(h, "abs").truthy()))
        }
        Type::Float(_) if chosen == 0 => float(arg(0), arg(1).truthy()),
        Type::Float(_) => with_named_arguments(arg(0), |h| float(field(h, "from"), field(h, "abs").truthy())),
        Type::Numeric if chosen == 0 => numeric(arg(0), arg(1).truthy()),
        Type::Numeric => with_named_arguments(arg(0), |h| numeric(field(h, "from"), field(h, "abs").truthy())),
        Type::Boolean(_) => Ok(Value::Bool(match arg(0) {
            Value::Float(f) => *f != 0.0,
            Value::Int(n) => *n != 0,
            Value::BigInt(_) => true,
            Value::Bool(b) => *b,
            Value::Str(text) => !matches!(text.to_lowercase().as_str(), "false" | "no" | "n"),
            _ => true,
        })),
        Type::String | Type::StringSize(_) | Type::StringValue(_) => {
            let formats = if args.len() > 1 { arg(1) } else { &Value::Default };
            convert(arg(0), formats).map(Value::from).map_err(fail)
        }
        Type::Regexp(_) => regexp(arg(0), arg(1).truthy()),
        Type::Array(_) | Type::Tuple(_) => Ok(array(arg(0), chosen == 1)),
        Type::Hash(_) | Type::Struct(_) => hash(arg(0), args.get(1), chosen),
        Type::Type(_) => parse_type(arg(0).as_str().unwrap_or(""), &mut LanguageNames(resolver)).map(Value::Type),
        Type::NotUndef(_) | Type::Unit => Ok(arg(0).clone()),
        Type::Sensitive(_) if chosen == 0 => Ok(arg(0).clone()),
        Type::Sensitive(_) => {
            let secrets = resolver.secrets().ok_or_else(|| fail("a Sensitive value is only created in a compile"))?;
            secret::conceal(arg(0), secrets);
            Ok(Value::Sensitive(Arc::new(arg(0).clone())))
        }
        Type::Timestamp(_) => timestamp(args, chosen, resolver),
        Type::Timespan(_) => timespan(args, chosen),
        Type::SemVer(_) => semver(args, chosen),
        Type::SemVerRange => semver_range(args, chosen),
        Type::Binary => binary(args, chosen),
        Type::Uri(_) => match arg(0) {
            Value::Str(text) => Uri::parse(text).map(|uri| Value::Uri(Arc::new(uri))).map_err(fail),
            Value::Hash(parts) => Uri::build(parts).map(|uri| Value::Uri(Arc::new(uri))).map_err(fail),
            _ => Err(unsupported(t)),
        },
        _ => Err(unsupported(t)),
    }
}

/// The error for arguments that match no signature. Some types add details.
fn mismatch_reason(t: &Type, name: &str, signatures: &[Signature], args: &[Value]) -> Reason {
    let cannot = |label: &str, value: &Value| {
        fail(match value {
            Value::Str(text) if label != "Array" => {
                format!("'{name}' The string '{text}' cannot be converted to {label}")
            }
            _ => {
                let t = generalize(&infer(value));
                format!("'{name}' Value of type {t} cannot be converted to {label}")
            }
        })
    };
    let boolean = |n: usize| matches!(args.get(n), None | Some(Value::Bool(_)));
    match (t, args) {
        (Type::Integer(_) | Type::BigInteger(_), [Value::Hash(arguments)]) => {
            return integer_hash_reason(name, signatures, arguments, &cannot);
        }
        (Type::Integer(_) | Type::BigInteger(_), [value, rest @ ..]) if rest.len() <= 2 && boolean(2) => {
            match rest.first() {
                None => return cannot("Integer", value),
                Some(Value::Int(radix)) if !matches!(radix, 2 | 8 | 10 | 16) => return bad_radix(radix),
                Some(Value::Int(_)) => return cannot("Integer", value),
                Some(Value::BigInt(radix)) => return bad_radix(radix),
                Some(_) => {}
            }
        }
        (Type::Float(_), [value, rest @ ..]) if rest.len() <= 1 && boolean(1) => return cannot("Float", value),
        (Type::Numeric, [value, rest @ ..]) if rest.len() <= 1 && boolean(1) => return cannot("Numeric", value),
        (Type::Boolean(_), [value]) => return cannot("Boolean", value),
        (Type::Array(_) | Type::Tuple(_), [value, rest @ ..]) if rest.len() <= 1 && boolean(1) => {
            return cannot("Array", value);
        }
        (Type::SemVer(_), [Value::Str(text)]) => {
            return fail(format!("'{name}' The string '{text}' cannot be converted to a SemVer"));
        }
        _ => {}
    }
    fail(describe_signatures(name, signatures, args, None))
}

fn bad_radix(radix: &dyn std::fmt::Display) -> Reason {
    fail(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default"))
}

fn integer_hash_reason(
    name: &str,
    signatures: &[Signature],
    arguments: &Hash,
    cannot: &dyn Fn(&str, &Value) -> Reason,
) -> Reason {
    let parameter = |at: usize| {
        signatures
            .get(at)
            .and_then(|signature| signature.callable.params.as_ref())
            .and_then(|params| params.types.first())
    };
    if let (Some(from), Some(convertible)) = (arguments.get("from"), parameter(0))
        && !is_instance(convertible, from)
    {
        return cannot("Integer", from);
    }
    if let Some(Value::Int(radix)) = arguments.get("radix")
        && !matches!(radix, 2 | 8 | 10 | 16)
    {
        return bad_radix(radix);
    }
    let value = Value::hash(arguments.clone());
    match parameter(1).map(|named| assert_instance("Integer.new", named, &value)) {
        Some(Err(reason)) => reason,
        _ => fail(describe_signatures(name, signatures, &[value], None)),
    }
}

fn with_named_arguments(value: &Value, make: impl FnOnce(&Hash) -> NewResult) -> NewResult {
    match value {
        Value::Hash(entries) => make(entries),
        _ => Err(fail("expected a hash of arguments")),
    }
}

fn field<'a>(entries: &'a Hash, name: &str) -> &'a Value {
    entries.get(name).unwrap_or(&Value::Undef)
}

fn regexp(pattern: &Value, escape: bool) -> NewResult {
    let text = pattern.as_str().unwrap_or("");
    let source = if escape { catwalk_regexp::escape(text) } else { text.to_owned() };
    let regexp = Regexp::new(source);
    regexp.check().map_err(|error| fail(error.message()))?;
    Ok(Value::Regexp(Arc::new(regexp)))
}
