//! `defined`

use crate::Function;
use catwalk_base::names::Name;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Type;
use catwalk_value::Value;

const SIGNATURE: &str = "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] $vals, \
     Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] *$vals";

pub(super) const FUNCTION: Function = Function {
    name: "defined",
    signatures: &[(SIGNATURE, defined)],
    doc: "Returns whether any of the arguments is defined. A name is a resource type, class or defined type that can \
          be loaded; a name with `$` is a variable; a reference asks whether that resource or class has been declared. \
          The last form depends on evaluation order: declarations that are evaluated later are not seen.",
    examples: &[
        ("defined('file', 'no_such_type')", "true"),
        ("defined('$no_such_variable')", "false"),
        ("notify { 'x': }\n[defined(Notify['x']), defined(Notify['y'])]", "[true, false]"),
    ],
};

fn defined(call: &mut Call<'_, '_>) -> Res<Value> {
    for value in call.args {
        if is_defined(call, value)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn is_defined(call: &mut Call<'_, '_>, value: &Value) -> Res<bool> {
    match value {
        Value::Str(string) => {
            if let Some(variable) = string.strip_prefix('$').filter(|name| !name.is_empty()) {
                return call.ev.variable_exists(Name::new(variable));
            }
            match string.as_ref() {
                "" => Ok(false),
                "main" | "::" => Ok(true),
                name => {
                    Ok(call.ev.find_resource_type(Name::new(name))?.is_some() || call.ev.find_class(name)?.is_some())
                }
            }
        }
        Value::Type(Type::Type(Some(inner))) => match inner.as_ref() {
            Type::Class(None) => all_classes(),
            Type::Class(Some(name)) => Ok(call.ev.find_class(name)?.is_some()),
            Type::Resource(_) => is_defined_type(call, inner),
            _ => Ok(false),
        },
        Value::Type(data_type) => is_defined_type(call, data_type),
        _ => Ok(false),
    }
}

fn is_defined_type(call: &mut Call<'_, '_>, data_type: &Type) -> Res<bool> {
    match data_type {
        Type::Class(None) => all_classes(),
        Type::Resource(resource) if resource.type_name.is_none() => {
            Err(Stop::runtime("The given resource type is a reference to all kind of types"))
        }
        Type::Resource(resource) if resource.title.is_none() => {
            Ok(call.ev.find_resource_type(Name::new(resource.type_name.as_deref().unwrap_or("")))?.is_some())
        }
        Type::Resource(_) if is_main(data_type) => Ok(call.ev.main_class().is_some()),
        Type::Resource(_) | Type::Class(_) => {
            let reference = call.ev.catalog_reference(data_type)?;
            Ok(call.ev.find_resource(reference.type_name, &reference.title)?.is_some())
        }
        // The signature also accepts aliases of references and alternatives of them.
        other => {
            let class = catwalk_value::ruby::plain_class_name(&Value::Type(other.clone()));
            Err(Stop::runtime(format!("Invalid argument of type '{class}' to 'defined'")))
        }
    }
}

fn all_classes() -> Res<bool> {
    Err(Stop::runtime("The given class type is a reference to all classes"))
}

/// `Resource['class', '']`
fn is_main(data_type: &Type) -> bool {
    let Type::Resource(resource) = data_type else { return false };
    resource.title.as_deref() == Some("")
        && resource.type_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("class"))
}
