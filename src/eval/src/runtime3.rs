//! The API of 3.x functions (`Puppet::Parser::Functions`), as far as it is visible.
//!
//! In: arguments of a call. Out: arguments as such functions receive them. 3.x functions check number and kinds of their
//! arguments themselves, with their own messages.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::Call;
use crate::Res;
use crate::Strict;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::ResourceType;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;
pub use catwalk_value::ruby::to_s_3x as to_s;

/// The arguments converted as by Puppet's `Runtime3FunctionArgumentConverter`: `undef` becomes an empty string (except inside
/// collections); versions, times, binaries and regular expressions become strings; references to unknown types become references
/// to classes.
///
/// # Errors
///
/// An argument is an iterator.
pub fn args<'a>(call: &Call<'a, '_>) -> Res<Cow<'a, [Value]>> {
    if call.args.iter().any(holds_reference) {
        let classes: Vec<Value> = call.args.iter().map(|arg| with_classes(call, arg)).collect::<Res<_>>()?;
        let converted = classes.iter().map(|arg| if arg.is_undef() { Ok(Value::str("")) } else { convert(arg) });
        return Ok(Cow::Owned(converted.collect::<Result<_, Reason>>()?));
    }
    if call.args.iter().all(|arg| !arg.is_undef() && is_plain(arg)) {
        return Ok(Cow::Borrowed(call.args));
    }
    let converted: Result<Vec<Value>, Reason> = call
        .args
        .iter()
        .map(|arg| match arg {
            Value::Undef => Ok(Value::str("")),
            arg => convert(arg),
        })
        .collect();
    Ok(Cow::Owned(converted?))
}

fn holds_reference(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Hash(entries) => entries.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)),
        Value::Type(Type::Resource(resource)) => !resource.resolved && resource.type_name.is_some(),
        _ => false,
    }
}

/// Converts references to unknown types into references to classes (`Puppet::Resource.type_and_title`).
fn with_classes(call: &Call<'_, '_>, value: &Value) -> Res<Value> {
    Ok(match value {
        value if !holds_reference(value) => value.clone(),
        Value::Array(items) => {
            Value::array(items.iter().map(|item| with_classes(call, item)).collect::<Res<Vec<_>>>()?)
        }
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((with_classes(call, key)?, with_classes(call, value)?)));
            Value::hash(entries.collect::<Res<Hash>>()?)
        }
        Value::Type(t @ Type::Resource(resource)) if !is_class_without_name(resource) => {
            let reference = call.ev.catalog_reference(t)?;
            let was_class = resource.type_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("class"));
            let becomes_class = reference.type_name == "Class" && (!was_class || &*reference.title == "main");
            if becomes_class { call.ev.convert_3x_result(value.clone())? } else { value.clone() }
        }
        value => value.clone(),
    })
}

/// As [`args`], for a function declared with a fixed number of arguments. They are converted before they are counted.
///
/// # Errors
///
/// As [`args`]; a wrong number of arguments.
pub fn exactly<'a>(call: &Call<'a, '_>, expected: usize) -> Res<Cow<'a, [Value]>> {
    let args = args(call)?;
    match args.len() {
        actual if actual == expected => Ok(args),
        actual => fail(format!("{}(): Wrong number of arguments given ({actual} for {expected})", call.name)),
    }
}

/// As [`args`], for a function declared with a minimum number of arguments. They are converted before they are counted.
///
/// # Errors
///
/// As [`args`]; too few arguments.
pub fn at_least<'a>(call: &Call<'a, '_>, expected: usize) -> Res<Cow<'a, [Value]>> {
    let args = args(call)?;
    match args.len() {
        actual if actual >= expected => Ok(args),
        actual => fail(format!("{}(): Wrong number of arguments given ({actual} for minimum {expected})", call.name)),
    }
}

/// Checks that Ruby can print an array or hash with the resources in it, whose titles must be valid.
///
/// # Errors
///
/// A reference in it has no title.
pub fn check_printable(value: &Value) -> Res<()> {
    catwalk_value::ruby::check_printable(value).or_else(fail)
}

/// Keys that Ruby converts to symbols: strings, and `default`, which is a symbol.
///
/// # Errors
/// A key is something else.
pub fn check_symbol_keys(options: &Value) -> Res<()> {
    let Value::Hash(options) = options else { return Ok(()) };
    match options.keys().find(|key| !matches!(key, Value::Str(_) | Value::Default | Value::Symbol(_))) {
        Some(key) => fail(format!("undefined method `to_sym' for {}", ruby::receiver(key))),
        None => Ok(()),
    }
}

/// A failure that the function words itself.
pub fn fail<T>(message: impl Into<Cow<'static, str>>) -> Res<T> {
    Err(Reason::runtime(message).into())
}

/// The items that Ruby's `Enumerable` iterates over in a value that is not a hash: of arrays, the types that a type consists of,
/// and none of a reference, which is a resource without parameters. An alias is treated as its type.
pub fn enumerable_items(value: &Value) -> Option<Cow<'_, [Value]>> {
    let types = |types: &mut dyn Iterator<Item = &Type>| Some(Cow::Owned(types.cloned().map(Value::Type).collect()));
    match value {
        Value::Array(items) => Some(Cow::Borrowed(items)),
        Value::Type(Type::Tuple(tuple)) => types(&mut tuple.types.iter()),
        Value::Type(Type::Variant(variants)) => types(&mut variants.iter()),
        Value::Type(Type::Struct(_)) => catwalk_value::splat_items(value).map(Cow::Owned),
        Value::Type(Type::Resource(_) | Type::Class(_)) => Some(Cow::Owned(Vec::new())),
        // The type of an alias stays a type, with the items of a reference as such.
        Value::Type(Type::Alias(alias)) => match alias.resolved()? {
            Type::Resource(_) | Type::Class(_) => None,
            meaning => Some(Cow::Owned(enumerable_items(&Value::Type(meaning.clone()))?.into_owned())),
        },
        _ => None,
    }
}

/// Ruby's error for a method that a value does not have. An alias has the methods of its type.
pub fn no_method<T>(method: &str, value: &Value) -> Res<T> {
    if let Value::Type(Type::Alias(alias)) = value
        && let Some(meaning) = alias.resolved().filter(|meaning| !meaning.is_unresolved())
    {
        return no_method(method, &Value::Type(meaning.clone()));
    }
    let receiver = match inspect(value) {
        Ok(printed) if printed.starts_with('#') => printed,
        Ok(printed) => format!("{printed}:{}", ruby::class_name(value)),
        // A value that cannot be printed is shown as a bare object.
        Err(_) => format!("#<{}>", ruby::class_name(value)),
    };
    fail(format!("undefined method `{method}' for {receiver}"))
}

/// An argument of a 3.x function as Ruby prints it.
///
/// # Errors
///
/// As [`check_printable`].
pub fn inspect(value: &Value) -> Res<String> {
    check_printable(value)?;
    Ok(match value {
        Value::Type(Type::Resource(resource)) if resource.title.is_none() => {
            let its = resource.type_name.as_deref().unwrap_or_default();
            catwalk_value::ruby::inspect_reference(its, "")
        }
        value => ruby::inspect(value),
    })
}

/// Converts a value for Ruby's `join`: references in lists become the strings of resources.
pub fn resources_as_strings(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(resources_as_strings).collect()),
        Value::Type(Type::Resource(_) | Type::Class(_)) => Value::from(to_s(value).into_owned()),
        other => other.clone(),
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_plain),
        Value::Hash(entries) => entries.iter().all(|(key, value)| is_plain(key) && is_plain(value)),
        Value::Undef
        | Value::Default
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Symbol(_)
        | Value::Ruby(_)
        | Value::Sensitive(_) => true,
        Value::Type(Type::Class(class)) => class.is_some(),
        Value::Type(Type::Resource(resource)) => resource.type_name.is_some() && !is_class_without_name(resource),
        Value::Type(Type::CatalogEntry) => false,
        Value::Type(_) => true,
        _ => false,
    }
}

/// Refuses values that 3.x functions cannot receive: iterators, numbers beyond 64 bits, and references without a type or a
/// class's name, which would become resources. (`Runtime3Converter`)
///
/// # Errors
///
/// The value is or contains one.
pub fn check_representable(value: &Value) -> Result<(), Reason> {
    match value {
        value if is_plain(value) => Ok(()),
        Value::Array(items) => items.iter().try_for_each(check_representable),
        Value::Hash(entries) => entries
            .iter()
            .try_for_each(|(key, value)| check_representable(key).and_then(|()| check_representable(value))),
        other => refusal(other).map_or(Ok(()), Err),
    }
}

/// Why a 3.x function cannot receive a value.
fn refusal(value: &Value) -> Option<Reason> {
    let message = match value {
        Value::Iterator(_) => "Use of an Iterator is not supported here",
        Value::BigInt(n) => return Some(crate::integer_too_large(n)),
        // References become resources. These need a type, and classes need a title.
        Value::Type(Type::Class(None)) => NO_CLASS,
        Value::Type(Type::Resource(resource)) if is_class_without_name(resource) => NO_CLASS,
        Value::Type(Type::Resource(resource)) if resource.type_name.is_none() => {
            "undefined method `include?' for nil:NilClass"
        }
        Value::Type(Type::CatalogEntry) => NO_SPLIT,
        _ => return None,
    };
    Some(Reason::runtime(message))
}

/// `Resource['class']`
fn is_class_without_name(resource: &ResourceType) -> bool {
    resource.title.is_none() && resource.type_name.as_deref() == Some("Class")
}

/// `Class` on its own cannot become a resource.
pub(crate) const NO_CLASS: &str = "No title provided and \"class\" is not a valid resource reference";

/// A reference to neither a class nor a resource cannot become a resource.
pub(crate) const NO_SPLIT: &str = "Cannot split the type Puppet::Pops::Types::PCatalogEntryType, it represents neither a PClassType, nor a \
     PResourceType.";

fn convert(value: &Value) -> Result<Value, Reason> {
    Ok(match value {
        value if is_plain(value) => value.clone(),
        Value::Array(items) => Value::array(items.iter().map(convert).collect::<Result<_, _>>()?),
        Value::Hash(entries) => Value::hash(
            entries.iter().map(|(key, value)| Ok((convert(key)?, convert(value)?))).collect::<Result<_, Reason>>()?,
        ),
        value if let Some(refusal) = refusal(value) => return Err(refusal),
        Value::Object(_) | Value::Uri(_) => value.clone(),
        Value::Regexp(regexp) => Value::from(catwalk_regexp::inspect(regexp.source())),
        other => Value::from(catwalk_value::to_puppet_string(other)),
    })
}

/// A warning that is logged once in a compile, however often its cause occurs, with the position in Puppet's form.
pub fn warn_once(call: &mut Call<'_, '_>, message: &str) {
    if !call.ev.warned.insert(Rc::from(message)) {
        return;
    }
    let position = call.ev.program.sources.locate(call.span);
    let (file, line) = match &position {
        // The call stack of Puppet calls code without a file `unknown`.
        Some((source, line, _)) => {
            (source.path.as_ref().map_or("unknown".into(), |path| path.to_string_lossy()), *line)
        }
        None => ("unknown".into(), 0),
    };
    let message = format!("{message}\n   (file: {file}, line: {line})");
    call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
}

/// Warns once without a position, as Puppet does.
pub fn warn_once_without_position(call: &mut Call<'_, '_>, message: &str) {
    let message = format!("{message}\n   (file & line not available)");
    if call.ev.settings.disables("deprecations") {
        return;
    }
    if call.ev.warned.insert(Rc::from(message.as_str())) {
        call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
    }
}

/// Puppet tests whether every name of a file is an absolute path, and warns if it is not a string.
///
/// # Errors
/// As [`check_printable`].
pub fn warn_if_not_path(call: &mut Call<'_, '_>, name: &Value) -> Res<()> {
    if matches!(name, Value::Array(_) | Value::Hash(_)) {
        check_printable(name)?;
    }
    let (printed, class) = (to_s(name), ruby::class_name(name));
    let message = format!("Cannot check if {printed} is an absolute path because it is a '{class}' and not a String'");
    call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
    Ok(())
}

/// The name of a file as a string; anything else fails like in Puppet's functions that read files of modules.
///
/// # Errors
/// The name is not a string.
pub fn file_name<'v>(call: &mut Call<'_, '_>, name: &'v Value) -> Res<&'v str> {
    match name {
        Value::Str(name) => Ok(name),
        other => {
            warn_if_not_path(call, other)?;
            warn_if_not_path(call, other)?;
            no_method("split", other)
        }
    }
}

/// `Scope#lookupvar`: a missing variable is warned of once, or a failure under `strict=error`.
///
/// # Errors
///
/// The variable is missing under `strict=error`, or looking it up fails.
pub fn lookupvar(call: &mut Call<'_, '_>, name: &str) -> Res<Value> {
    let unknown = match call.ev.variable_named(name)? {
        Ok(value) => return Ok(value),
        Err(unknown) => unknown,
    };
    let name = &unknown.name;
    let text = format!("Undefined variable '{name}'; {}", unknown.reason.as_deref().unwrap_or_default());
    match call.ev.settings.strict {
        Strict::Off => {}
        Strict::Warning => {
            if !call.ev.settings.disables("undefined_variables")
                && call.ev.warned.insert(Rc::from(format!("Variable: {name}")))
            {
                let text = format!("{text}\n   (file & line not available)");
                call.ev.log(catwalk_base::diag::Severity::Warning, text, None);
            }
        }
        Strict::Error => return fail(text),
    }
    Ok(Value::Undef)
}

/// A deprecation, logged once for its key. Puppet adds a line with the position in its own Ruby.
pub fn warn_deprecated(call: &mut Call<'_, '_>, key: &str, message: &str) {
    if !call.ev.settings.disables("deprecations") && call.ev.state.deprecations.insert(key.into()) {
        call.ev.log(catwalk_base::diag::Severity::Warning, message.to_owned(), None);
    }
}

/// Whether there is a function with a name, in Rust or in the Puppet language.
///
/// # Errors
/// A file of a module that is to define it does not parse.
pub fn has_function(call: &Call<'_, '_>, name: &str) -> Res<bool> {
    let name = Name::new(name).normalized();
    let in_module = || !matches!(call.ev.in_module(name), None | Some(crate::ModuleFunction::Missing));
    Ok(call.ev.native(name).is_some_and(|entry| entry.module.is_none() || in_module())
        || call.ev.program.function(name)?.is_some())
}

/// `$facts` as the calling scope sees it; the node's facts if that is not set.
///
/// # Errors
///
/// As looking up a variable.
pub fn facts(call: &mut Call<'_, '_>) -> Res<Arc<Hash>> {
    match call.variable("facts")? {
        Value::Hash(facts) => Ok(facts),
        _ => Ok(call.ev.all_facts().clone()),
    }
}
