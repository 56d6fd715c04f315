//! `contain`

use crate::Function;
use crate::include::class_names;
use crate::include::class_references;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "contain",
    signatures: &[("Any $names, Any *$names", contain)],
    doc: "Declares classes as `include` does and contains them in the calling class, defined type or node: what is \
          ordered before or after the container is also ordered before or after the contained classes. Returns an \
          array of references to the classes.",
    examples: &[
        ("contain('example::web')", "[Class['example::web']]"),
        ("contain(['example', 'example::web'])", "[Class['example'], Class['example::web']]"),
    ],
};

fn contain(call: &mut Call<'_, '_>) -> Res<Value> {
    let names = class_names(call)?;
    let container = call.ev.scope_resource(call.ev.scope);
    for resource in call.ev.evaluate_classes(&names)? {
        if let Some(container) = container {
            call.ev.state.resources.containment.add(container, resource);
        }
    }
    Ok(class_references(&names))
}
