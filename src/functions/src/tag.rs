//! `tag`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "tag",
    signatures: &[("Any *$tags", tag)],
    doc: "Adds tags to the calling class, defined type or node and to everything it contains. Collectors can search \
          for tags, and an agent can apply only resources with some tags. Arrays are not flattened: pass each tag as \
          an argument.",
    examples: &[("tag('web', 'blue')", "undef"), ("tag('green')\ntagged('green')", "true")],
};

fn tag(call: &mut Call<'_, '_>) -> Res<Value> {
    if call.args.is_empty() {
        return Err(Stop::runtime("tag(): Wrong number of arguments given (0 for minimum 1)"));
    }
    let mut flat = Vec::new();
    for arg in runtime3::args(call)?.iter() {
        catwalk_eval::resource::flatten(arg, &mut flat);
    }
    let container = call.ev.scope_resource(call.ev.scope);
    let Some(entry) = container.and_then(|id| call.ev.state.resources.entries.get_mut(id.0 as usize)) else {
        return Ok(Value::Undef);
    };
    for tag in flat.iter().filter(|tag| !tag.is_undef()) {
        let string = match tag {
            Value::Type(_) => Some(runtime3::to_s(tag).into_owned()),
            Value::Hash(_) => {
                runtime3::check_printable(tag)?;
                Some(ruby::to_s(tag).into_owned())
            }
            _ => None,
        };
        let string = string.unwrap_or_else(|| catwalk_value::to_puppet_string(tag).to_string());
        if let Err(bad) = catwalk_eval::resource::add_tag(entry, &string) {
            return Err(call.ev.invalid_tag(bad));
        }
    }
    Ok(Value::Undef)
}
