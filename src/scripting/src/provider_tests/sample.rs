//! A sample resource of a type, derived from its data types: for checks of providers without a test.

use catwalk_resource_api::Attribute;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Definition;
use catwalk_resource_api::State;
use catwalk_resource_api::mismatch;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;

/// Strings of which one matches most string types.
const STRINGS: [&str; 8] =
    ["sample", "/sample", "1", "0644", "127.0.0.1", "1.2.3", "sample.example.com", "http://sample/"];

/// The attributes that a resource must have, and `ensure => present`.
///
/// # Errors
/// Returns the attribute for which no sample value is known, and its data type.
pub(super) fn parameters(definition: &Definition) -> Result<State, String> {
    let mut parameters = State::new();
    for (name, attribute) in &definition.attributes {
        let present = Value::str("present");
        if *name == "ensure" && mismatch(&attribute.data_type, &present, "", false).is_none() {
            parameters.insert(*name, present);
        } else if is_needed(attribute) {
            let sample = value(&attribute.data_type);
            let sample = sample.ok_or_else(|| format!("no sample of {} for '{name}'", attribute.data_type_source))?;
            parameters.insert(*name, sample);
        }
    }
    Ok(parameters)
}

fn is_needed(attribute: &Attribute) -> bool {
    match attribute.behaviour {
        Behaviour::Namevar => true,
        Behaviour::ReadOnly => false,
        _ => attribute.default.is_none() && !attribute.is_optional(),
    }
}

/// A value of a type.
fn value(data_type: &Type) -> Option<Value> {
    let from_type = match data_type {
        Type::Enum(texts) => texts.values.first().map(Value::str),
        Type::Variant(types) => types.iter().find_map(value),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) | Type::Sensitive(Some(inner)) => value(inner),
        _ => None,
    };
    let empty = [Value::Bool(true), Value::Int(1), Value::array(Vec::new()), Value::hash(Hash::new())];
    let array = Value::array(vec![Value::str("sample")]);
    let strings = STRINGS.iter().map(Value::str);
    from_type
        .into_iter()
        .chain(strings)
        .chain(empty)
        .chain([array])
        .find(|value| mismatch(data_type, value, "", false).is_none())
}

/// A declaration of a resource with these parameters.
pub(super) fn code(definition: &Definition, parameters: &State) -> String {
    let lines = parameters.iter().map(|(name, value)| format!("  {name} => {},\n", literal(value)));
    format!("{} {{ 'sample':\n{}}}\n", definition.name, lines.collect::<String>())
}

fn literal(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Hash(_) => "{}".to_owned(),
        // Only sample strings of an Enum contain a quote.
        other => format!("'{}'", other.as_str().unwrap_or_default().replace('\\', "\\\\").replace('\'', "\\'")),
    }
}
