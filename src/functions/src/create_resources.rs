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
use catwalk_value::types::Type;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::ruby;
use catwalk_value::value::ruby::title_attribute;

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
    let given = args.len();
    if given > 3 {
        let text = format!("create_resources(): wrong number of arguments ({given}; must be 2 or 3)");
        return Err(Stop::runtime(text));
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
    let kind = args.first().unwrap_or(&Value::Undef);
    let Value::Str(wanted) = kind else {
        return runtime3::no_method("sub", &call.ev.convert_3x_result(kind.clone())?);
    };
    let (form, name) = match (wanted.strip_prefix("@@"), wanted.strip_prefix('@')) {
        (Some(name), _) => (Form { is_virtual: true, exported: Some(true), by_function: true }, name),
        (None, Some(name)) => (Form { is_virtual: true, exported: None, by_function: true }, name),
        (None, None) => (Form { is_virtual: false, exported: None, by_function: true }, wanted.as_ref()),
    };
    let name = name.to_lowercase();
    if name == "class" && form.is_virtual {
        let text = "Evaluation Error: Classes are not virtualizable";
        let mut diagnostic = Diagnostic::new(Reason::new(Code::CLASS_NOT_VIRTUALIZABLE, text), Some(call.span));
        diagnostic.hide_column = true;
        let place = call.ev.program.sources.locate(call.span);
        if let Some((_, line, _)) = place.filter(|(source, ..)| source.path.is_none()) {
            // In Puppet's call stack, the file of code without a file is `unknown`.
            diagnostic.message = format!("{text} (file: unknown, line: {line})").into();
            diagnostic.span = None;
        }
        return Err(Stop::Failed(Box::new(diagnostic)));
    }
    for (title, attributes) in instances.iter() {
        let params = params(call, defaults.as_deref(), attributes)?;
        if name.is_empty() {
            return Err(Stop::runtime("undefined method `empty?' for nil:NilClass"));
        }
        let titles: Vec<Value> = match title {
            Value::Array(titles) => titles.to_vec(),
            Value::Type(Type::Resource(_) | Type::Class(_)) if name == "class" => {
                return Err(Stop::runtime("wrong number of arguments (given 2, expected 1)"));
            }
            title @ Value::Type(_) if name == "class" => return runtime3::no_method("[]", title),
            Value::Hash(_) if name == "class" => {
                return Err(Stop::runtime("wrong number of arguments (given 2, expected 1)"));
            }
            title @ (Value::Undef | Value::Bool(_) | Value::Float(_) | Value::Sensitive(_)) if name == "class" => {
                let text = format!("undefined method `[]' for {}", ruby::receiver(title));
                return Err(Stop::runtime(text));
            }
            Value::Undef | Value::Bool(false) if call.ev.find_resource_type(Name::new(&name))?.is_some() => {
                let text = format!("No title provided and {} is not a valid resource reference", symbol(&name));
                return Err(Stop::runtime(text));
            }
            other => vec![other.clone()],
        };
        call.ev.create_resources(Some(call.span), form, &name, &titles, params)?;
    }
    // A statement function of the 3.x API has no value.
    Ok(Value::Undef)
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
            let class = catwalk_value::value::ruby::conversion_name(other);
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
        let name = Name::new(&catwalk_value::value::to_puppet_string(name));
        let param = call.ev.param(value.clone(), source, None, false)?;
        params.insert(name, param);
    }
    Ok(params)
}
