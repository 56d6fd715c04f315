//! `require`

use crate::eval::Call;
use crate::eval::Res;
use crate::eval::Stop;
use crate::functions::Function;
use crate::functions::include::class_names;
use crate::functions::include::class_references;
use crate::types::Type;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "require",
    signatures: &[("Any $names, Any *$names", require)],
    doc: "Declares classes as `include` does and makes everything in the class, define or node that calls it wait for \
          all of them. It does not contain them: use `contain` for that. Gives an array of references.",
    examples: &[
        ("require('example')", "[Class['example']]"),
        ("require('no_such_class')", "error: Could not find class ::no_such_class"),
    ],
};

fn require(call: &mut Call<'_, '_>) -> Res<Value> {
    let names = class_names(call)?;
    call.ev.evaluate_classes(&names)?;
    let parameter = crate::name!("require");
    let Some(id) = call.ev.scope_resource(call.ev.scope) else { return Ok(class_references(&names)) };
    // The main class comes before everything as it is.
    for name in names.iter().filter(|name| &***name != "::") {
        let Some(class) = call.ev.find_class(name)? else {
            return Err(Stop::runtime(format!("Could not find class {name}")));
        };
        let mut values = Vec::new();
        if let Some(value) = call.ev.state.entries.get(id.0 as usize).and_then(|entry| entry.get(parameter)) {
            crate::eval::resource::flatten(value, &mut values);
            values.retain(|value| !value.is_undef());
        }
        let name = crate::eval::class::class_name(&class);
        values.push(Value::Type(Type::Class(Some(std::sync::Arc::from(name.as_str())))));
        call.ev.set_value(id, parameter, Value::array(values))?;
    }
    Ok(class_references(&names))
}
