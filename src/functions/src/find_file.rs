//! `find_file`, `find_template`: the first existing of several files.

use crate::Function;
use crate::iterable;
use crate::module_files;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FIND_FILE: Function = Function {
    name: "find_file",
    signatures: &[("String *$paths", find_file), ("Array[String] *$paths_array", find_file)],
    doc: "Returns the absolute path of the first file that exists on the machine that compiles, or `undef`. Names are \
          absolute paths or `<module>/<file>`, which is searched for in the module's folder `files`; they may be given \
          as one array.",
    examples: &[
        ("find_file('example/missing', 'example/motd') =~ /example\\/files\\/motd\\z/", "true"),
        ("find_file('nowhere/to/be/found')", "undef"),
    ],
};

pub(super) const FIND_TEMPLATE: Function = Function {
    name: "find_template",
    signatures: &[("String *$paths", find_template), ("Array[String] *$paths_array", find_template)],
    doc: "Returns the absolute path of the first template that exists, or `undef`. Names are absolute paths or \
          `<module>/<file>`, which is searched for in the module's folder `templates`; they may be given as one array.",
    examples: &[
        ("find_template(['example/hello.epp']) =~ /example\\/templates\\/hello.epp\\z/", "true"),
        ("find_template('nowhere/to/be/found.epp')", "undef"),
    ],
};

fn find_file(call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(find_first(call, "files"))
}

fn find_template(call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(find_first(call, "templates"))
}

fn find_first(call: &Call<'_, '_>, directory: &str) -> Value {
    let names = call.args.iter().flat_map(|arg| match arg {
        string @ Value::Str(_) => vec![string.clone()],
        list => iterable::items(list).to_vec(),
    });
    for name in names {
        if let Some(path) = module_files::find(call.ev, name.as_str().unwrap_or_default(), directory) {
            return Value::from(path.to_string_lossy().as_ref());
        }
    }
    Value::Undef
}
