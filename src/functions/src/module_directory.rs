//! `module_directory`

use crate::Function;
use crate::iterable;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "module_directory",
    signatures: &[("String *$names", module_directory), ("Array[String] *$names", module_directory)],
    doc: "Returns the absolute path of the first of the named modules that is on the modulepath, or `undef`. Names may \
          be given as one array.",
    examples: &[
        ("module_directory('no_such_module', 'example') =~ /\\/example\\z/", "true"),
        ("module_directory('no_such_module')", "undef"),
    ],
};

fn module_directory(call: &mut Call<'_, '_>) -> Res<Value> {
    for arg in call.args {
        let names = match arg {
            string @ Value::Str(_) => vec![string.clone()],
            list => iterable::items(list).to_vec(),
        };
        for name in names {
            if let Some(root) = call.ev.program.module_root(name.as_str().unwrap_or_default()) {
                return Ok(Value::from(root.to_string_lossy().as_ref()));
            }
        }
    }
    Ok(Value::Undef)
}
