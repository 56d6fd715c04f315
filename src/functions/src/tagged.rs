//! `tagged`

use crate::Function;
use catwalk_catalog::Tags;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "tagged",
    signatures: &[("Any *$tags", tagged)],
    doc: "Returns whether the calling class, defined type or node, or the catalog as a whole, has all of the given \
          tags. Names of declared classes are tags of the catalog. Depends on evaluation order: tags that are added \
          later are not seen.",
    examples: &[("include('example')\ntagged('example')", "true"), ("tagged('no_such_tag')", "false")],
};

fn tagged(call: &mut Call<'_, '_>) -> Res<Value> {
    if call.args.is_empty() {
        return Err(Stop::runtime("tagged(): Wrong number of arguments given (0 for minimum 1)"));
    }
    let container = call.ev.scope_resource(call.ev.scope);
    for arg in runtime3::args(call)?.into_owned().iter() {
        if let Value::Array(_) | Value::Hash(_) = arg {
            runtime3::check_printable(arg)?;
        }
        let tag = catwalk_value::to_puppet_string(arg).to_lowercase();
        let tag = (Tags::hash(&tag), tag);
        let here = call.ev.state.resources.tags.contains(&tag.1);
        if !here && !container.is_some_and(|id| call.ev.is_tagged(id, std::slice::from_ref(&tag))) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}
