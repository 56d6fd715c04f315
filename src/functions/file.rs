//! `file`, `binary_file`: contents of files on the compiling machine.

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::module_files;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;

pub(super) const FILE: Function = Function {
    name: "file",
    signatures: &[("Any *$files", file)],
    doc: "The contents of the first of some files (`module/file` or an absolute path) that exists.",
    examples: &[],
};

pub(super) const BINARY_FILE: Function = Function {
    name: "binary_file",
    signatures: &[("String $path", binary_file)],
    doc: "The contents of a file (`module/file` or an absolute path) as a Binary.",
    examples: &[],
};

fn file(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    for name in args.iter() {
        let Some(path) = module_files::find(call.ev, &ruby::to_s(name), "files") else { continue };
        let bytes = match call.ev.world.read(&path) {
            Ok(bytes) => bytes,
            Err(refused) => return fail(refused.to_string()),
        };
        return match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Value::from(text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(_) => fail(format!("{} is not valid UTF-8; binary_file() reads such files", path.display())),
        };
    }
    let names: Vec<_> = args.iter().map(ruby::to_s).collect();
    fail(format!("Could not find any files from {}", names.join(", ")))
}

fn binary_file(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.str(0);
    let missing = || format!("binary_file(): The given file '{name}' does not exist");
    let Some(path) = module_files::find(call.ev, name, "files") else { return fail(missing()) };
    match call.ev.world.read(&path) {
        Ok(bytes) => Ok(Value::Binary(bytes)),
        Err(refused) => fail(refused.to_string()),
    }
}
