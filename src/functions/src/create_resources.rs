//! `create_resources`

use std::sync::Arc;

use crate::Function;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::resource::Form;
use catwalk_eval::runtime3;
use catwalk_eval::state::Params;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby::title_attribute;

pub(super) const FUNCTION: Function = Function {
    name: "create_resources",
    signatures: &[("Any *$args", create_resources)],
    doc: "Declares a resource, class or defined type for every entry of a hash of titles to hashes of attributes. A \
          third argument holds default attributes. `@` before the type's name makes the resources virtual, `@@` \
          exports them. In new code, `each` with a resource declaration is clearer.",
    examples: &[
        (
            "create_resources('notify', {'one' => {'message' => 'a'}, 'two' => {}}, {'withpath' => true})\n[Notify['one']['message'], Notify['two']['withpath']]",
            "['a', true]",
        ),
        ("create_resources('class', {'example' => {'greeting' => 'hi'}})\ndefined(Class['example'])", "true"),
    ],
};

fn create_resources(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 2)?;
    let count = args.len();
    if count > 3 {
        let message = format!("create_resources(): wrong number of arguments ({count}; must be 2 or 3)");
        return Err(Stop::runtime(message));
    }
    // A 3.x function receives copies, which all resources of one call share.
    let copies: Vec<Value> = args.iter().skip(1).map(Value::deep_copy).collect();
    let Some(Value::Hash(instances)) = copies.first() else {
        return Err(Stop::runtime("create_resources(): second argument must be a hash"));
    };
    let defaults = match copies.get(1) {
        None => None,
        Some(Value::Hash(defaults)) => Some(defaults.clone()),
        Some(_) => return Err(Stop::runtime("create_resources(): third argument, if provided, must be a hash")),
    };
    let (form, name) = parse_type_name(call, args.first().unwrap_or(&Value::Undef))?;
    if name == "class" && form.is_virtual {
        return Err(virtual_class_error(call));
    }
    for (title, attributes) in instances.iter() {
        let params = params(call, defaults.as_deref(), attributes)?;
        let titles = titles(call, &name, title)?;
        call.ev.create_resources(Some(call.span), form, &name, &titles, params)?;
    }
    // A statement function of the 3.x API has no value.
    Ok(Value::Undef)
}

/// The name of the type in lower case, without the `@` or `@@` that makes the resources virtual or exported.
fn parse_type_name(call: &mut Call<'_, '_>, type_name: &Value) -> Res<(Form, String)> {
    let Value::Str(type_name) = type_name else {
        return runtime3::no_method("sub", &call.ev.convert_3x_result(type_name.clone())?);
    };
    let (form, name) = match (type_name.strip_prefix("@@"), type_name.strip_prefix('@')) {
        (Some(name), _) => (Form { is_virtual: true, exported: Some(true), by_function: true }, name),
        (None, Some(name)) => (Form { is_virtual: true, exported: None, by_function: true }, name),
        (None, None) => (Form { is_virtual: false, exported: None, by_function: true }, type_name.as_ref()),
    };
    Ok((form, name.to_lowercase()))
}

fn virtual_class_error(call: &Call<'_, '_>) -> Stop {
    let message = "Evaluation Error: Classes are not virtualizable";
    let mut diagnostic = Diagnostic::new(Reason::new(Code::CLASS_NOT_VIRTUALIZABLE, message), Some(call.span));
    diagnostic.hide_column = true;
    let position = call.ev.program.sources.locate(call.span);
    if let Some((_, line, _)) = position.filter(|(source, ..)| source.path.is_none()) {
        // In Puppet's call stack, the file of code without a file is `unknown`.
        diagnostic.message = format!("{message} (file: unknown, line: {line})").into();
        diagnostic.span = None;
    }
    Stop::Failed(Box::new(diagnostic))
}

/// The titles of an entry: an array has several.
fn titles(call: &mut Call<'_, '_>, type_name: &str, title: &Value) -> Res<Vec<Value>> {
    let is_class = type_name == "class";
    match title {
        _ if type_name.is_empty() => Err(Stop::runtime("undefined method `empty?' for nil:NilClass")),
        Value::Array(titles) => Ok(titles.to_vec()),
        Value::Type(Type::Resource(_) | Type::Class(_)) | Value::Hash(_) if is_class => {
            Err(Stop::runtime("wrong number of arguments (given 2, expected 1)"))
        }
        Value::Type(_) if is_class => runtime3::no_method("[]", title),
        Value::Undef | Value::Bool(_) | Value::Float(_) | Value::Sensitive(_) if is_class => {
            Err(Stop::runtime(format!("undefined method `[]' for {}", ruby::receiver(title))))
        }
        Value::Undef | Value::Bool(false) if call.ev.find_resource_type(Name::new(type_name))?.is_some() => {
            let symbol = symbol(type_name);
            Err(Stop::runtime(format!("No title provided and {symbol} is not a valid resource reference")))
        }
        other => Ok(vec![other.clone()]),
    }
}

/// A name as an inspected Ruby symbol.
fn symbol(name: &str) -> String {
    let plain =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain && !name.is_empty() { format!(":{name}") } else { format!(":{}", ruby::inspect_string(name)) }
}

/// The attributes that a reference's title sets: those of the type's title patterns, or one if there are none.
/// (`Puppet::Resource#to_hash`)
pub(crate) fn reference_attributes(call: &mut Call<'_, '_>, reference: &Type) -> Res<Hash> {
    let reference = call.ev.catalog_reference(reference)?;
    let Some(builtin) = call.ev.builtin(reference.type_name)? else {
        let (attribute, value) = title_attribute(reference.type_name.as_str(), &reference.title);
        return Ok(Hash::from_iter([(Value::str(attribute), Value::str(value))]));
    };
    let parameters = builtin.parse_title(&reference.title)?;
    Ok(parameters.into_iter().map(|(name, value)| (Value::str(name.as_str()), value)).collect())
}

/// The attributes of one resource: those of the defaults come first, as with Ruby's `merge`.
fn params(call: &mut Call<'_, '_>, defaults: Option<&Hash>, attributes: &Value) -> Res<Params> {
    let attributes = match attributes {
        Value::Hash(attributes) => attributes.clone(),
        Value::Undef => return Err(Stop::runtime("no implicit conversion of nil into Hash")),
        // A resource converts to a hash of the attributes that its title sets.
        Value::Type(t @ (Type::Resource(_) | Type::Class(_))) => {
            runtime3::check_printable(attributes)?;
            Arc::new(reference_attributes(call, t)?)
        }
        other => {
            let class = catwalk_value::ruby::conversion_name(other);
            return Err(Stop::runtime(format!("no implicit conversion of {class} into Hash")));
        }
    };
    let source = call.ev.source();
    let mut params = Params::with_capacity(defaults.map_or(0, Hash::len) + attributes.len());
    for (name, value) in defaults.into_iter().flat_map(Hash::iter).chain(attributes.iter()) {
        if matches!(name, Value::Bool(false) | Value::Undef) {
            return Err(Stop::runtime("'name' is a required option for Puppet::Parser::Resource::Param"));
        }
        if let Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Array(_) | Value::Hash(_) =
            name
        {
            // Names are converted to Ruby symbols, which only strings can be.
            return runtime3::no_method("intern", name);
        }
        let name = Name::new(&catwalk_value::to_puppet_string(name));
        let param = call.ev.param(value.clone(), source, None, false)?;
        params.insert(name, param);
    }
    Ok(params)
}
