//! `require`

use std::sync::Arc;

use crate::Function;
use crate::include::class_names;
use crate::include::class_references;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Type;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "require",
    signatures: &[("Any $names, Any *$names", require)],
    doc: "Declares classes as `include` does and applies them before everything in the calling class, defined type or \
          node. It does not contain them: use `contain` for that. Returns an array of references.",
    examples: &[
        ("require('example')", "[Class['example']]"),
        ("require('no_such_class')", "error: Could not find class ::no_such_class"),
    ],
};

fn require(call: &mut Call<'_, '_>) -> Res<Value> {
    let names = class_names(call)?;
    call.ev.evaluate_classes(&names)?;
    let parameter = catwalk_base::name!("require");
    let Some(id) = call.ev.scope_resource(call.ev.scope) else { return Ok(class_references(&names)) };
    for name in &names {
        let class = match &**name {
            // In Puppet, a relationship with the main class has a target that cannot be found. (`Puppet::Resource#initialize`,
            // `:main`)
            "::" => Type::resolved_resource(catwalk_base::name!("Class"), Arc::from("main")),
            _ => match call.ev.find_class(name)? {
                Some(class) => Type::Class(Some(Arc::from(catwalk_eval::class::class_name(&class).as_str()))),
                None => return Err(Stop::runtime(format!("Could not find class {name}"))),
            },
        };
        let mut values = Vec::new();
        if let Some(value) = call.ev.state.resources.entries.get(id.0 as usize).and_then(|entry| entry.get(parameter)) {
            catwalk_eval::resource::flatten(value, &mut values);
            values.retain(|value| !value.is_undef());
        }
        if let Type::Class(Some(class)) = &class {
            call.ev.note_required_class(id, class, call.span);
        }
        values.push(Value::Type(class));
        call.ev.set_value(id, parameter, Value::array(values))?;
    }
    Ok(class_references(&names))
}
