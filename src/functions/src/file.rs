//! `file`, `binary_file`: contents of files on the compiling machine.

use crate::Function;
use crate::module_files;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;

pub(super) const FILE: Function = Function {
    name: "file",
    signatures: &[("Any *$files", file)],
    doc: "Reads a file on the machine that compiles. Of several names the first file that exists is read; each is an \
          absolute path or `<module>/<file>`, which is searched for in the module's folder `files`. It is an error if \
          none exists. The content becomes part of the catalog: for large files, use the attribute `source` of `file`.",
    examples: &[
        ("file('example/motd')", "'Welcome!'"),
        ("file('example/missing', 'example/motd')", "'Welcome!'"),
        ("file('example/missing')", "error: Could not find any files from example/missing"),
    ],
};

pub(super) const BINARY_FILE: Function = Function {
    name: "binary_file",
    signatures: &[("String $path", binary_file)],
    doc: "Reads a file on the machine that compiles as a `Binary`; its encoding does not matter. The name is an \
          absolute path or `<module>/<file>`, which is searched for in the module's folder `files`. A missing file is \
          an error.",
    examples: &[
        ("binary_file('example/motd')", "Binary('Welcome!', '%s')"),
        ("binary_file('example/motd').length", "8"),
    ],
};

fn file(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    for name in args.iter() {
        let name = runtime3::file_name(call, name)?;
        let Some(path) = module_files::find(call.ev, name, "files") else { continue };
        let bytes = match call.ev.world.read(&path) {
            Ok(bytes) => bytes,
            Err(refused) => return fail(refused.to_string()),
        };
        return match std::str::from_utf8(&bytes) {
            Ok(string) => Ok(Value::from(string.strip_prefix('\u{feff}').unwrap_or(string))),
            Err(_) => fail(format!("{} is not valid UTF-8; binary_file() reads such files", path.display())),
        };
    }
    let names: Vec<_> = args.iter().map(runtime3::to_s).collect();
    let text = format!("Could not find any files from {}", names.join(", "));
    Err(Reason::runtime(text).because(Cause::NoFile).into())
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
