//! `stdlib::ensure`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "stdlib::ensure",
    signatures: &[(
        "Variant[Boolean, Enum['present', 'absent']] $ensure, \
         Optional[Enum['directory', 'link', 'mounted', 'service', 'file', 'package']] $resource = undef >> String",
        ensure,
    )],
    doc: "Converts `present`, `absent` or a Boolean to the `ensure` value of a kind of resource: `running` or \
          `stopped` for `service`, `installed` or `absent` for `package`, the kind itself or `absent` for `directory`, \
          `link`, `file` and `mounted`. Without a kind: `present` or `absent`.",
    examples: &[
        ("stdlib::ensure('present', 'service')", "'running'"),
        ("stdlib::ensure(false, 'package')", "'absent'"),
        ("stdlib::ensure(true, 'directory')", "'directory'"),
    ],
};

fn ensure(call: &mut Call<'_, '_>) -> Res<Value> {
    let state = match call.arg(0) {
        Value::Bool(b) => *b,
        other => other.as_str() == Some("present"),
    };
    let resource = call.arg(1).as_str();
    Ok(Value::from(match (resource, state) {
        (Some("package"), true) => "installed",
        (Some("service"), true) => "running",
        (Some("service"), false) => "stopped",
        (Some(resource), true) => resource,
        (None, true) => "present",
        (_, false) => "absent",
    }))
}
