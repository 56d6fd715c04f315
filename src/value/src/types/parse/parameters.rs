//! Converts the parameters of a type in a string like Puppet's `TypeParser`, which passes most of them to Ruby's constructors
//! unchecked: the errors are Ruby's.
//!
//! In: a type and its parameters. Out: parameters for [`access_unflattened`](crate::types::access()).

use std::sync::Arc;

use crate::types::RuntimeType;
use crate::types::Type;
use crate::types::access::assert_uri_parameter;
use crate::types::assignable::is_callable_type;
use crate::types::generalize;
use crate::types::infer;
use crate::types::mismatch::assert_instance;
use crate::value::Value;
use crate::value::number::parse_number;
use crate::value::ruby;
use catwalk_base::diag::Reason;

/// Converts the parameters of the type `name` like the factory of Puppet's parser.
///
/// # Errors
/// Returns the error of Ruby's constructor.
pub(super) fn convert(base: &Type, name: &str, mut keys: Vec<Value>) -> Result<Vec<Value>, Reason> {
    let n = keys.len();
    let lower = name.to_ascii_lowercase();
    if matches!(lower.as_str(), "string" | "collection" | "array" | "hash") {
        convert_sizes(&mut keys)?;
    }
    match (lower.as_str(), keys.as_mut_slice()) {
        ("callable", [params, result]) if matches!(params, Value::Array(_)) => {
            *result = to_type(std::mem::replace(result, Value::Undef))?;
            if let Value::Array(items) = params {
                let mut inner = items.to_vec();
                convert_to_types(before_block(&mut inner))?;
                *params = Value::array(inner);
            }
        }
        ("tuple", keys) => {
            convert_to_types(keys)?;
            convert_lower_size(keys);
        }
        ("callable", keys) => convert_to_types(before_block(keys))?,
        ("array", [from, to]) if !matches!(from, Value::Type(_)) => {
            let default = Value::Type(Type::Default);
            return Ok(vec![default, from.clone(), to.clone()]);
        }
        ("hash", [from, to]) if !matches!(from, Value::Type(_)) => {
            let default = Value::Type(Type::Default);
            return Ok(vec![default.clone(), default, from.clone(), to.clone()]);
        }
        ("integer", [from, to]) => convert_integer_ends(from, to)?,
        ("float", keys) => keys.iter_mut().try_for_each(convert_float_end)?,
        ("class", [key]) if !matches!(key, Value::Str(_) | Value::Undef) => {
            return Err(Reason::runtime(format!("undefined method `sub' for {}", ruby::receiver(key))));
        }
        ("uri", [key]) => assert_uri_parameter(key)?,
        ("resource", [_, Value::Undef]) => drop(keys.pop()),
        ("resource", [_, title]) => convert_title(title),
        ("resource", _) => {}
        (_, [title]) if matches!(base, Type::Resource(_)) => convert_title(title),
        _ if matches!(base, Type::Resource(_)) => {
            let text = format!("Invalid number of type parameters specified: {name} requires 1, {n} provided");
            return Err(Reason::runtime(text));
        }
        _ => {}
    }
    Ok(keys)
}

/// Whether `Resource` and `Object` under absolute names are unchanged: they are looked up as ordinary types, which lack the name
/// of a type or type parameters.
///
/// # Errors
///
/// There is a parameter.
pub(super) fn is_unchanged(base: &Type, name: &str, keys: &[Value]) -> Result<bool, Reason> {
    match (base, keys) {
        (Type::Object(object), _) if object.name.is_none() && object.definition.is_none() => {
            Err(Reason::runtime("The Object-Type cannot be parameterized using []"))
        }
        (Type::Resource(resource), [key]) if resource.type_name.is_none() => match key {
            Value::Undef => Ok(true),
            _ => Err(Reason::runtime("The type name cannot be nil, if title is given")),
        },
        (Type::Resource(resource), keys) if resource.type_name.is_none() => {
            let n = keys.len();
            let text = format!("Invalid number of type parameters specified: {name} requires 1, {n} provided");
            Err(Reason::runtime(text))
        }
        _ => Ok(false),
    }
}

/// Converts any value to a title like Ruby.
fn convert_title(title: &mut Value) {
    *title = match &*title {
        Value::Str(_) | Value::Undef => return,
        Value::Array(_) | Value::Hash(_) => Value::from(ruby::inspect(title)),
        Value::Regexp(regexp) => Value::from(catwalk_regexp::to_s(regexp.source(), "")),
        _ => Value::from(crate::value::to_puppet_string(title)),
    };
}

/// The title of a resource as source, if it is not a string.
pub(super) fn written_title(base: &Type, keys: &[Value]) -> Option<Arc<str>> {
    let Type::Resource(resource) = base else { return None };
    let title = keys.get(usize::from(resource.type_name.is_none()))?;
    (!matches!(title, Value::Str(_) | Value::Undef)).then(|| Arc::from(crate::value::to_program(title)))
}

fn is_range(key: Option<&Value>) -> bool {
    match key {
        Some(Value::Int(_) | Value::BigInt(_) | Value::Default) => true,
        Some(Value::Str(text)) => &**text == "default",
        _ => false,
    }
}

/// Converts a size after the types. It may end with the string `default`, but Ruby fails if it begins with a string.
/// (`TypeFactory.range`)
fn convert_sizes(keys: &mut [Value]) -> Result<(), Reason> {
    let types = keys.iter().take_while(|key| matches!(key, Value::Type(_))).count();
    let sizes = keys.get_mut(types..).unwrap_or_default();
    if !sizes.iter().all(|size| is_range(Some(size))) {
        return Ok(());
    }
    match sizes {
        [Value::Str(_), ..] => {
            let text = format!("undefined method `>' for {}", ruby::receiver(&Value::Bool(false)));
            return Err(Reason::runtime(text));
        }
        [_, to @ Value::Str(_)] => *to = Value::Default,
        _ => {}
    }
    Ok(())
}

/// The keys before the type of a block at the end.
fn before_block(keys: &mut [Value]) -> &mut [Value] {
    let is_block = matches!(keys.last(), Some(Value::Type(last)) if is_callable_type(last, true));
    let end = keys.len() - usize::from(is_block);
    keys.get_mut(..end).unwrap_or_default()
}

/// Converts everything before the range at the end to types.
fn convert_to_types(keys: &mut [Value]) -> Result<(), Reason> {
    let n = keys.len();
    let range = match n.checked_sub(2).map(|at| is_range(keys.get(at))) {
        Some(true) => 2,
        _ => usize::from(is_range(keys.last())),
    };
    for key in keys.iter_mut().take(n - range) {
        *key = to_type(std::mem::replace(key, Value::Undef))?;
    }
    Ok(())
}

/// The lower end of a tuple's size may be the string `default`.
fn convert_lower_size(keys: &mut [Value]) {
    let n = keys.len();
    let two = n.checked_sub(2).filter(|at| is_range(keys.get(*at)));
    let at = two.or(n.checked_sub(1));
    if let Some(end @ Value::Str(_)) = at.and_then(|at| keys.get_mut(at)).filter(|end| is_range(Some(end))) {
        *end = Value::Int(0);
    }
}

/// `TypeFactory.type_of`: a string is the name of a Ruby class.
///
/// # Errors
/// The string is empty.
fn to_type(key: Value) -> Result<Value, Reason> {
    Ok(Value::Type(match key {
        Value::Type(t) => t,
        name @ Value::Str(_) => runtime_type(&Value::str("ruby"), &name)?,
        other => generalize(&infer(&other)),
    }))
}

/// Converts the ends of `Integer`. Ruby compares them before it checks their types.
fn convert_integer_ends(from: &mut Value, to: &mut Value) -> Result<(), Reason> {
    let no_method = |shown: &Value| Err(Reason::runtime(format!("undefined method `>' for {}", ruby::receiver(shown))));
    for end in [&mut *from, &mut *to] {
        if end.is_undef() {
            *end = Value::Default;
        }
    }
    if to.as_str() == Some("default") {
        *to = Value::Default;
    }
    let fits = |end: &Value| matches!(end, Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Default);
    let other = if matches!(to, Value::Default) { Value::Float(f64::INFINITY) } else { to.clone() };
    match &*from {
        Value::Str(text) if &**text == "default" => return no_method(&Value::Bool(false)),
        Value::Str(_) if !matches!(to, Value::Str(_)) => {
            let text = format!("comparison of String with {} failed", ruby::operand_name(&other));
            return Err(Reason::runtime(text));
        }
        Value::Hash(_) if !matches!(to, Value::Hash(_)) => {
            let text = format!("no implicit conversion of {} into Hash", ruby::plain_conversion_name(&other));
            return Err(Reason::runtime(text));
        }
        from if fits(from) && !fits(to) => {
            let class = if matches!(from, Value::Default) { "Float" } else { ruby::plain_class_name(from) };
            let text = format!("comparison of {class} with {} failed", ruby::operand_name(to));
            return Err(Reason::runtime(text));
        }
        from if fits(from) => {}
        Value::Str(_) | Value::Hash(_) => {}
        other => return no_method(other),
    }
    // A fraction is a valid end.
    for (end, up) in [(from, true), (to, false)] {
        if let Value::Float(f) = end {
            let whole = if up { f.ceil() } else { f.floor() };
            *end = parse_number(&format!("{whole:.0}")).unwrap_or(Value::Default);
        }
    }
    Ok(())
}

/// Converts an end of `Float` with Ruby's `Float(end)`.
fn convert_float_end(end: &mut Value) -> Result<(), Reason> {
    let read = match end {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Default => return Ok(()),
        Value::Undef => Value::Default,
        Value::Str(text) => match parse_number(text.trim()) {
            Some(number) => number,
            None => {
                let shown = ruby::inspect(end);
                return Err(Reason::runtime(format!("invalid value for Float(): {shown}")));
            }
        },
        other => {
            let class = ruby::plain_conversion_name(other);
            return Err(Reason::runtime(format!("can't convert {class} into Float")));
        }
    };
    *end = read;
    Ok(())
}

/// `Runtime[runtime, name]`: either may be missing, the name may be a pattern with its replacement.
///
/// # Errors
/// One of them is not a string.
pub(super) fn runtime_type(runtime: &Value, name: &Value) -> Result<Type, Reason> {
    let pair = Type::tuple(vec![Type::Regexp(None), Type::non_empty_string()], None);
    let named = Type::variant(vec![Type::non_empty_string(), pair]);
    for (subject, expected, value) in
        [("Runtime 'runtime'", Type::non_empty_string(), runtime), ("Runtime 'name_or_pattern'", named, name)]
    {
        if !value.is_undef() {
            assert_instance(subject, &expected, value).map_err(|reason| Reason::runtime(reason.message))?;
        }
    }
    let name = Some(name.clone()).filter(|name| !name.is_undef());
    Ok(Type::Runtime(Arc::new(RuntimeType { runtime: runtime.as_str().map(Arc::from), name })))
}
