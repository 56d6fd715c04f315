//! `include`

use std::sync::Arc;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Type;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "include",
    signatures: &[("Any $names, Any *$names", include)],
    doc: "Declares classes; each is evaluated once, the first time it is declared, with parameters from Hiera and \
          defaults. Takes names, references, and arrays of them, and returns an array of references. It may be called \
          any number of times, but creates no relationship and does not contain: see `require` and `contain`.",
    examples: &[
        ("include('example')", "[Class['example']]"),
        ("include(['example', Class['example::web']])", "[Class['example'], Class['example::web']]"),
        ("include('no_such_class')", "error: Could not find class ::no_such_class"),
    ],
};

fn include(call: &mut Call<'_, '_>) -> Res<Value> {
    let names = class_names(call)?;
    call.ev.evaluate_classes(&names)?;
    Ok(class_references(&names))
}

/// The arguments as class names with a leading `::`, in lower case (Scope#transform_and_assert_classnames).
///
/// # Errors
/// An argument is not the name of a class.
pub(super) fn class_names(call: &Call<'_, '_>) -> Res<Vec<Arc<str>>> {
    let mut flat = Vec::with_capacity(call.args.len());
    for arg in call.args {
        catwalk_eval::resource::flatten(arg, &mut flat);
    }
    flat.iter().map(class_name).collect()
}

fn class_name(value: &Value) -> Res<Arc<str>> {
    let name = match value {
        Value::Undef => return Err(Stop::runtime("Cannot use undef as a class name")),
        Value::Str(name) if name.is_empty() => return Err(Stop::runtime("Cannot use empty string as a class name")),
        Value::Str(name) => name.to_shared(),
        Value::Type(Type::Class(None)) => return Err(Stop::runtime("Cannot use an unspecific Class[] Type")),
        Value::Type(Type::Class(Some(name))) => name.clone(),
        Value::Type(Type::Resource(resource)) => match (resource.type_name.as_deref(), &resource.title) {
            (None | Some(""), _) => {
                let message = "Cannot use an unspecific Resource[] where a Resource['class', name] is expected";
                return Err(Stop::runtime(message));
            }
            (Some(name), Some(title)) if name.eq_ignore_ascii_case("class") => title.clone(),
            (Some(name), None) if name.eq_ignore_ascii_case("class") => {
                let message = "Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected";
                return Err(Stop::runtime(message));
            }
            (Some(name), _) => {
                let message = format!("Cannot use a Resource[{name}] where a Resource['class', name] is expected");
                return Err(Stop::runtime(message));
            }
        },
        // Puppet calls `downcase` on nil here.
        _ => return Err(Stop::runtime("undefined method `downcase' for nil:NilClass")),
    };
    let name = name.to_lowercase();
    Ok(if name.starts_with(':') { Arc::from(name) } else { Arc::from(format!("::{name}")) })
}

/// References to classes.
pub(super) fn class_references(names: &[Arc<str>]) -> Value {
    let reference = |name: &Arc<str>| Value::Type(Type::Class(Some(Arc::from(name.trim_start_matches("::")))));
    Value::array(names.iter().map(reference).collect())
}
