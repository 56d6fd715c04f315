//! Making values: `Type.new(…)`.
//!
//! In: a type and arguments. Out: a value of the type, converted as the reference converts it. `Timestamp.new` without
//! arguments asks the clock and is the caller's.

mod init;
mod object;

use std::sync::Arc;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::GeneralPurposeConfig;

use crate::diag::Reason;
use crate::regexp::Regexp;
use crate::types::NoAliases;
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
use crate::types::parse_text;
use crate::value::Hash;
use crate::value::Iter;
use crate::value::SemVer;
use crate::value::SemVerRange;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Uri;
use crate::value::Value;
use crate::value::big::to_float;
use crate::value::convert;
use crate::value::nanoseconds_of;
use crate::value::number::ruby_float;
use crate::value::number::ruby_integer;
use crate::value::number::text_to_n;

pub use init::askable;
use init::construct_init;
pub(super) use init::init_assignable;
pub(super) use init::init_covers;
pub(super) use init::init_instance;
pub use init::is_silent;
use object::construct_object;
pub use object::object_from_hash;
use object::object_signatures;

type Made = Result<Value, Reason>;

/// `t.new(args)`, knowing the language's own type names.
///
/// # Errors
/// The reference's messages.
pub fn new_instance(t: &Type, args: &[Value]) -> Result<Value, Reason> {
    new_instance_in(t, args, &mut NoAliases)
}

/// The names that a text given to `Type.new` may have: those of the language, whatever else a site knows
/// (`PAnyType#loader`).
struct Static(Option<i128>);

impl AliasResolver for Static {
    fn resolve(&mut self, _name: &str) -> Result<Option<Type>, Reason> {
        Ok(None)
    }

    fn now(&self) -> Option<i128> {
        self.0
    }

    fn is_static(&self) -> bool {
        true
    }
}

/// `t.new(args)`; the resolver knows what time it is.
///
/// # Errors
/// The reference's messages: arguments that fit no signature, texts that cannot be converted, and a result that is not
/// of the type.
pub fn new_instance_in(t: &Type, args: &[Value], resolver: &mut dyn AliasResolver) -> Result<Value, Reason> {
    if let [value] = args
        && !matches!(t.resolved(), Type::Init(_))
        && is_instance(t, value)
    {
        return Ok(value.clone());
    }
    let made = construct(t, args, resolver, 0)?;
    assert_instance(&format!("Converted value from {t}.new()"), t, &made)?;
    Ok(made)
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
/// There is none to ask: `Optional` on its own, and `TypeAlias`, which only another alias may ask (`PTypeAliasType#new_function`
/// is protected, and hands on what it is asked from outside only where it stands for something).
fn target(t: &Type) -> Result<&Type, Reason> {
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
fn kind(t: &Type) -> Option<&'static str> {
    Some(match t {
        Type::NotUndef(None) => "Unit",
        Type::Struct(_) => "Hash",
        Type::Tuple(_) => "Array",
        Type::Unit => "Unit",
        other => other.simple_name(),
    })
}

fn construct(t: &Type, args: &[Value], resolver: &mut dyn AliasResolver, depth: u32) -> Made {
    if depth > 100 {
        return Err(unsupported(t));
    }
    if is_endless(t) {
        return Err(fail("stack level too deep").help("a type alias stands for itself"));
    }
    let t = target(t)?;
    match t {
        Type::Init(init) => return construct_init(t, init, args, resolver, depth),
        Type::Object(object) => return construct_object(t, object, args),
        _ => {}
    }
    let (name, own) = kind(t).and_then(signatures).ok_or_else(|| unsupported(t))?;
    let Some(chosen) = own.iter().position(|own| is_callable_with(&own.callable, args, None)) else {
        return Err(refused(t, name, own, args));
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match t {
        Type::Integer(_) | Type::BigInteger(_) if chosen == 0 => integer(arg(0), arg(1), arg(2).truthy()),
        Type::Integer(_) | Type::BigInteger(_) => {
            named(arg(0), |h| integer(field(h, "from"), field(h, "radix"), field(h, "abs").truthy()))
        }
        Type::Float(_) if chosen == 0 => float(arg(0), arg(1).truthy()),
        Type::Float(_) => named(arg(0), |h| float(field(h, "from"), field(h, "abs").truthy())),
        Type::Numeric if chosen == 0 => numeric(arg(0), arg(1).truthy()),
        Type::Numeric => named(arg(0), |h| numeric(field(h, "from"), field(h, "abs").truthy())),
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
        Type::Type(_) => parse_text(arg(0).as_str().unwrap_or(""), &mut Static(resolver.now())).map(Value::Type),
        Type::NotUndef(_) | Type::Unit => Ok(arg(0).clone()),
        Type::Sensitive(_) if chosen == 0 => Ok(arg(0).clone()),
        Type::Sensitive(_) => Ok(Value::Sensitive(Arc::new(arg(0).clone()))),
        Type::Timestamp(_) => timestamp(args, chosen, resolver.now()),
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

/// Arguments that fit no signature: some types say more about what they were given.
fn refused(t: &Type, name: &str, own: &[Signature], args: &[Value]) -> Reason {
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
        (Type::Integer(_) | Type::BigInteger(_), [Value::Hash(given)]) => {
            return integer_hash(name, own, given, &cannot);
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
    fail(describe_signatures(name, own, args, None))
}

fn bad_radix(radix: &dyn std::fmt::Display) -> Reason {
    fail(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default"))
}

fn integer_hash(name: &str, own: &[Signature], given: &Hash, cannot: &dyn Fn(&str, &Value) -> Reason) -> Reason {
    let parameter =
        |at: usize| own.get(at).and_then(|own| own.callable.params.as_ref()).and_then(|params| params.types.first());
    if let (Some(from), Some(convertible)) = (given.get("from"), parameter(0))
        && !is_instance(convertible, from)
    {
        return cannot("Integer", from);
    }
    if let Some(Value::Int(radix)) = given.get("radix")
        && !matches!(radix, 2 | 8 | 10 | 16)
    {
        return bad_radix(radix);
    }
    let value = Value::hash(given.clone());
    match parameter(1).map(|named| assert_instance("Integer.new", named, &value)) {
        Some(Err(reason)) => reason,
        _ => fail(describe_signatures(name, own, &[value], None)),
    }
}

fn named(value: &Value, make: impl FnOnce(&Hash) -> Made) -> Made {
    match value {
        Value::Hash(entries) => make(entries),
        _ => Err(fail("expected a hash of arguments")),
    }
}

fn field<'a>(entries: &'a Hash, name: &str) -> &'a Value {
    entries.get(name).unwrap_or(&Value::Undef)
}

/// `+ 12` without the blanks after the sign.
fn without_blanks(text: &str) -> Option<String> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let rest = text.get(1..)?;
    let trimmed = rest.trim_start();
    (trimmed.len() < rest.len()).then(|| format!("{sign}{trimmed}"))
}

/// The number without its sign.
fn without_sign(number: Value) -> Value {
    match number {
        Value::Int(n) => n.checked_abs().map_or_else(|| Value::integer(n.unsigned_abs()), Value::Int),
        Value::BigInt(n) => Value::integer(n.magnitude().clone()),
        Value::Float(f) => Value::Float(f.abs()),
        number => number,
    }
}

fn integer(from: &Value, radix: &Value, abs: bool) -> Made {
    let n = match from {
        Value::Int(_) | Value::BigInt(_) => from.clone(),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Float(f) => {
            crate::value::big::from_float(*f).ok_or_else(|| fail(crate::value::number::float_text(*f)))?
        }
        Value::Timestamp(time) => Value::integer(time.nanoseconds().div_euclid(1_000_000_000)),
        Value::Timespan(time) => Value::integer(time.nanoseconds().div_euclid(1_000_000_000)),
        Value::Str(text) => {
            let radix = match radix {
                Value::Int(n) => u32::try_from(*n).ok(),
                _ => None,
            };
            let parsed =
                ruby_integer(text, radix).or_else(|| without_blanks(text).and_then(|text| ruby_integer(&text, radix)));
            parsed.ok_or_else(|| fail(format!("invalid value for Integer(): {}", quoted(text))))?
        }
        _ => return Err(fail("not a number")),
    };
    Ok(if abs { without_sign(n) } else { n })
}

fn quoted(text: &str) -> String {
    crate::value::sprintf::inspect(&Value::str(text))
}

fn float(from: &Value, abs: bool) -> Made {
    let f = match from {
        Value::Float(f) => *f,
        Value::Int(n) => *n as f64,
        Value::BigInt(n) => to_float(n),
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Timestamp(time) => time.seconds(),
        Value::Timespan(time) => time.seconds(),
        Value::Str(text) => text_to_float(text)
            .or_else(|| without_blanks(text).and_then(|text| text_to_float(&text)))
            .ok_or_else(|| fail(format!("invalid value for Float(): {}", quoted(text))))?,
        _ => return Err(fail("not a number")),
    };
    Ok(Value::Float(if abs { f.abs() } else { f }))
}

fn text_to_float(text: &str) -> Option<f64> {
    if text.starts_with("0b") || text.starts_with("0B") {
        return match ruby_integer(text, None)? {
            Value::Int(n) => Some(n as f64),
            Value::BigInt(n) => Some(to_float(&n)),
            _ => None,
        };
    }
    ruby_float(text)
}

fn numeric(from: &Value, abs: bool) -> Made {
    let number = match from {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => from.clone(),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Timestamp(time) => Value::Float(time.seconds()),
        Value::Timespan(time) => Value::Float(time.seconds()),
        Value::Str(text) => {
            let lower = text.to_ascii_lowercase();
            if lower.starts_with("0b") || lower.starts_with("0x") {
                ruby_integer(text, None)
                    .ok_or_else(|| fail(format!("invalid value for Integer(): {}", quoted(text))))?
            } else {
                text_to_n(text).unwrap_or(Value::Undef)
            }
        }
        _ => return Err(fail("not a number")),
    };
    Ok(if abs { without_sign(number) } else { number })
}

fn regexp(pattern: &Value, escape: bool) -> Made {
    let text = pattern.as_str().unwrap_or("");
    let source = if escape { crate::regexp::escape(text) } else { text.to_owned() };
    let regexp = Regexp::new(source);
    regexp.check().map_err(|error| fail(error.message()))?;
    Ok(Value::Regexp(Arc::new(regexp)))
}

fn array(from: &Value, wrap: bool) -> Value {
    match from {
        Value::Array(_) => from.clone(),
        _ if wrap => Value::array(vec![from.clone()]),
        Value::Binary(bytes) => Value::array(bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect()),
        _ => Value::array(Iter::on(from).map(|iter| iter.to_vec()).unwrap_or_default()),
    }
}

fn hash(from: &Value, option: Option<&Value>, chosen: usize) -> Made {
    match (from, option) {
        (Value::Array(entries), Some(option)) => tree(entries, option.as_str() == Some("hash_tree")),
        (Value::Array(entries), None) if chosen < 2 => Ok(Value::hash(
            entries
                .iter()
                .filter_map(|entry| match entry {
                    Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                    _ => None,
                })
                .collect(),
        )),
        (Value::Array(items), _) => flat_hash(items),
        (Value::Hash(_), _) => Ok(from.clone()),
        _ => match Iter::on(from) {
            Some(iter) => match iter.to_vec().as_slice() {
                [only] => hash_of(only),
                items => flat_hash(items),
            },
            None => {
                let t = generalize(&infer(from));
                Err(fail(format!("Value of type {t} cannot be converted to Hash")))
            }
        },
    }
}

/// Ruby's `Hash[value]`: what is a hash, or a list of pairs.
fn hash_of(value: &Value) -> Made {
    let items = match value {
        Value::Hash(_) => return Ok(value.clone()),
        Value::Array(items) => items,
        _ => return Err(fail("odd number of arguments for Hash")),
    };
    let mut made = Hash::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::Array(pair) if matches!(pair.len(), 1 | 2) => {
                let part = |at: usize| pair.get(at).cloned().unwrap_or(Value::Undef);
                made.insert(part(0), part(1));
            }
            Value::Array(other) => {
                return Err(fail(format!("invalid number of elements ({} for 1..2)", other.len())));
            }
            other => {
                let class = crate::value::ruby::plain_conversion_name(other);
                return Err(fail(format!("wrong element type {class} at {at} (expected array)")));
            }
        }
    }
    Ok(Value::hash(made))
}

fn flat_hash(items: &[Value]) -> Made {
    if !items.len().is_multiple_of(2) {
        return Err(fail("odd number of arguments for Hash"));
    }
    let pairs = items.chunks_exact(2).filter_map(|pair| match pair {
        [key, value] => Some((key.clone(), value.clone())),
        _ => None,
    });
    Ok(Value::hash(pairs.collect()))
}

/// Arrays become hashes with positions as keys.
fn as_hashes(value: &Value, depth: u32) -> Value {
    match value {
        Value::Array(items) if depth < 1000 => {
            Value::hash((0..).zip(items.iter()).map(|(n, item)| (Value::Int(n), as_hashes(item, depth + 1))).collect())
        }
        _ => value.clone(),
    }
}

fn tree(entries: &[Value], all_hashes: bool) -> Made {
    let mut root = Hash::new();
    for entry in entries {
        let Value::Array(pair) = entry else { continue };
        let (Some(Value::Array(path)), Some(value)) = (pair.first(), pair.get(1)) else { continue };
        match path.split_last() {
            None => match value {
                Value::Array(items) => {
                    for (n, item) in (0..).zip(items.iter()) {
                        root.insert(Value::Int(n), item.clone());
                    }
                }
                Value::Hash(own) => {
                    for (key, item) in own.iter() {
                        root.insert(key.clone(), item.clone());
                    }
                }
                other => {
                    let class = super::ruby_class(other);
                    return Err(fail(format!("no implicit conversion of {class} into Hash")));
                }
            },
            Some((last, above)) => {
                let value = if all_hashes { as_hashes(value, 0) } else { value.clone() };
                let mut at = Value::hash(std::mem::take(&mut root));
                put(&mut at, above, last, value, 0)?;
                if let Value::Hash(changed) = at {
                    root = Arc::unwrap_or_clone(changed);
                }
            }
        }
    }
    Ok(Value::hash(root))
}

/// Sets a value at a path, making hashes on the way where nothing is.
fn put(at: &mut Value, above: &[Value], last: &Value, value: Value, depth: u32) -> Result<(), Reason> {
    if depth > 1000 {
        return Err(fail("the path is too long"));
    }
    let Some((step, rest)) = above.split_first() else {
        match (&mut *at, last) {
            (Value::Hash(entries), _) => {
                Arc::make_mut(entries).insert(last.clone(), value);
            }
            (Value::Array(items), Value::Int(n)) => {
                let items = Arc::make_mut(items);
                let n = usize::try_from(*n).unwrap_or(0).min(100_000);
                items.change(|items| {
                    if items.len() <= n {
                        items.resize(n + 1, Value::Undef);
                    }
                    if let Some(slot) = items.get_mut(n) {
                        *slot = value;
                    }
                });
            }
            _ => return Err(fail("a tree can only hold arrays and hashes above its leaves")),
        }
        return Ok(());
    };
    match at {
        Value::Hash(entries) => {
            let entries = Arc::make_mut(entries);
            let mut child = match entries.get_value(step) {
                Some(child) => child.clone(),
                None => Value::hash(Hash::new()),
            };
            put(&mut child, rest, last, value, depth + 1)?;
            entries.insert(step.clone(), child);
        }
        Value::Array(items) => {
            let n = match step {
                Value::Int(n) => usize::try_from(*n).ok(),
                _ => None,
            };
            let items = Arc::make_mut(items);
            items.change(|items| match n.and_then(|n| items.get_mut(n)) {
                Some(child) => put(child, rest, last, value, depth + 1),
                None => Err(fail("a tree can only hold arrays and hashes above its leaves")),
            })?;
        }
        _ => return Err(fail("a tree can only hold arrays and hashes above its leaves")),
    }
    Ok(())
}

/// The formats of a time: one, several, or the default ones.
fn formats(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::Str(text) => vec![text],
        _ => Vec::new(),
    }
}

fn nanoseconds(seconds: &Value) -> Result<i128, Reason> {
    Ok(match seconds {
        Value::Int(n) => i128::from(*n) * 1_000_000_000,
        Value::BigInt(n) => nanoseconds_of(n, 1_000_000_000),
        Value::Float(f) if !(f * 1e9).is_finite() => {
            return Err(fail(crate::value::number::float_text(f * 1e9)));
        }
        Value::Float(f) => (f * 1e9) as i128,
        _ => 0,
    })
}

fn timestamp(args: &[Value], chosen: usize, now: Option<i128>) -> Made {
    let parse = |text: &Value, format: &Value, zone: &Value| {
        let (text, zone) = (text.as_str().unwrap_or(""), zone.as_str());
        let parsed = match format {
            Value::Str(format) if &**format != "default" => Timestamp::parse_with(text, format, zone),
            Value::Array(_) => Timestamp::parse(text, Some(&formats(format)), zone),
            _ => Timestamp::parse(text, None, zone),
        };
        parsed.map(|time| Value::Timestamp(Arc::new(time))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => match now {
            Some(now) => Ok(Value::Timestamp(Arc::new(Timestamp::new(now)))),
            None => Err(Reason::unsupported("the current time as a value")),
        },
        1 => Ok(Value::Timestamp(Arc::new(Timestamp::new(nanoseconds(arg(0))?)))),
        2 => parse(arg(0), arg(1), arg(2)),
        _ => named(arg(0), |h| parse(field(h, "string"), field(h, "format"), field(h, "timezone"))),
    }
}

fn timespan(args: &[Value], chosen: usize) -> Made {
    let parse = |text: &Value, format: &Value| {
        let text = text.as_str().unwrap_or("");
        let parsed = match format {
            Value::Str(format) => Timespan::parse_with(text, format),
            Value::Array(_) => Timespan::parse(text, Some(&formats(format))),
            _ => Timespan::parse(text, None),
        };
        parsed.map(|time| Value::Timespan(Arc::new(time))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    let int = |value: &Value| match value {
        Value::Int(n) => i128::from(*n),
        Value::BigInt(n) => nanoseconds_of(n, 1),
        _ => 0,
    };
    match chosen {
        0 => Ok(Value::Timespan(Arc::new(Timespan::new(nanoseconds(arg(0))?)))),
        1 => parse(arg(0), arg(1)),
        2 => {
            let fields = [0, 1, 2, 3, 4, 5, 6].map(|n| int(arg(n)));
            Ok(Value::Timespan(Arc::new(Timespan::from_fields(false, fields))))
        }
        3 => named(arg(0), |h| parse(field(h, "string"), field(h, "format"))),
        _ => named(arg(0), |h| {
            let names = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
            let fields = names.map(|name| int(field(h, name)));
            Ok(Value::Timespan(Arc::new(Timespan::from_fields(field(h, "negative").truthy(), fields))))
        }),
    }
}

fn semver(args: &[Value], chosen: usize) -> Made {
    let build = |parts: [&Value; 5]| {
        let number = |value: &Value| match value {
            Value::Int(n) => u64::try_from(*n).unwrap_or(0),
            Value::BigInt(n) => u64::try_from(&**n).unwrap_or(u64::MAX),
            _ => 0,
        };
        let mut text = format!("{}.{}.{}", number(parts[0]), number(parts[1]), number(parts[2]));
        for (mark, part) in [('-', parts[3]), ('+', parts[4])] {
            if let Some(part) = part.as_str() {
                text.push(mark);
                text.push_str(part);
            }
        }
        SemVer::parse(&text).map(|version| Value::SemVer(Arc::new(version))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => SemVer::parse(arg(0).as_str().unwrap_or("")).map(|version| Value::SemVer(Arc::new(version))).map_err(fail),
        1 => build([arg(0), arg(1), arg(2), arg(3), arg(4)]),
        _ => named(arg(0), |h| build(["major", "minor", "patch", "prerelease", "build"].map(|name| field(h, name)))),
    }
}

fn semver_range(args: &[Value], chosen: usize) -> Made {
    let between = |min: &Value, max: &Value, exclude: bool| {
        let version = |value: &Value, open: SemVer| match value {
            Value::SemVer(version) => (**version).clone(),
            _ => open,
        };
        let range = SemVerRange::between(&version(min, SemVer::min()), &version(max, SemVer::max()), exclude);
        Ok(Value::SemVerRange(Arc::new(range)))
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => SemVerRange::parse(arg(0).as_str().unwrap_or(""))
            .map(|range| Value::SemVerRange(Arc::new(range)))
            .map_err(fail),
        1 => between(arg(0), arg(1), arg(2).truthy()),
        _ => named(arg(0), |h| between(field(h, "min"), field(h, "max"), field(h, "exclude_max").truthy())),
    }
}

fn binary(args: &[Value], chosen: usize) -> Made {
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => binary_text(arg(0).as_str().unwrap_or(""), arg(1).as_str()),
        1 => Ok(binary_bytes(arg(0))),
        _ => named(arg(0), |h| match field(h, "value") {
            Value::Str(text) => binary_text(text, field(h, "format").as_str()),
            bytes => Ok(binary_bytes(bytes)),
        }),
    }
}

fn binary_bytes(value: &Value) -> Value {
    let Value::Array(items) = value else { return Value::Binary(Arc::from(Vec::new())) };
    let bytes: Vec<u8> = items
        .iter()
        .filter_map(|item| match item {
            Value::Int(n) => u8::try_from(*n).ok(),
            _ => None,
        })
        .collect();
    Value::Binary(Arc::from(bytes))
}

fn binary_text(text: &str, format: Option<&str>) -> Made {
    let lenient = |alphabet, bits| {
        let config = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(bits);
        GeneralPurpose::new(alphabet, config)
    };
    let invalid = || fail("invalid base64");
    let bytes = match format.unwrap_or("%B") {
        "%s" | "%r" => text.as_bytes().to_vec(),
        "%u" => {
            // Ruby turns this alphabet into the other one first: characters of both are taken.
            let text = text.replace('-', "+").replace('_', "/");
            lenient(&alphabet::STANDARD, false).decode(text).map_err(|_| invalid())?
        }
        "%b" => {
            // Ruby's lenient decoder skips what is not of the alphabet and stops at padding.
            let body = text.split('=').next().unwrap_or("");
            let clean: String = body.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/')).collect();
            let whole = if clean.len() % 4 == 1 { clean.len() - 1 } else { clean.len() };
            let clean = clean.get(..whole).unwrap_or("");
            lenient(&alphabet::STANDARD, true).decode(clean).map_err(|_| invalid())?
        }
        _ => base64::engine::general_purpose::STANDARD.decode(text).map_err(|_| invalid())?,
    };
    Ok(Value::Binary(Arc::from(bytes)))
}
