//! `basename`, `dirname`, `stdlib::extname`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const BASENAME: Function = Function {
    name: "basename",
    signatures: &[("Any *$args", basename)],
    doc: "Returns the last part of a path; a second argument is a suffix to remove.",
    examples: &[("basename('/a/b.conf')", "'b.conf'"), ("basename('/a/b.conf', '.conf')", "'b'")],
};

pub(super) const DIRNAME: Function = Function {
    name: "dirname",
    signatures: &[("Any *$args", dirname)],
    doc: "Returns a path without its last part, or `.` if there is only one part.",
    examples: &[("dirname('/a/b/c')", "'/a/b'"), ("dirname('a')", "'.'")],
};

pub(super) const EXTNAME: Function = Function {
    name: "stdlib::extname",
    signatures: &[("String $filename >> String", extname)],
    doc: "Returns the extension of a file name with its dot, or the empty string.",
    examples: &[("stdlib::extname('a/b.rb')", "'.rb'"), ("stdlib::extname('.profile')", "''")],
};

fn extname(call: &mut Call<'_, '_>) -> Res<Value> {
    let extension = ruby::extname(call.str(0));
    // Ruby's `File.extname` returns a binary string if there is no extension.
    Ok(if extension.is_empty() { Value::Str(Str::binary("")) } else { Value::from(extension) })
}

fn basename(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [] => fail("basename(): No arguments given"),
        [Value::Str(path)] => Ok(Value::from(ruby::basename(path, None))),
        [Value::Str(path), Value::Str(suffix)] => Ok(Value::from(ruby::basename(path, Some(suffix)))),
        [Value::Str(_), _] => fail("basename(): Requires string as second argument"),
        args if args.len() > 2 => fail(format!("basename(): Too many arguments given ({})", args.len())),
        _ => fail("basename(): Requires string as first argument"),
    }
}

fn dirname(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [] => fail("dirname(): No arguments given"),
        [Value::Str(path)] if path.is_empty() => fail("dirname(): Requires a non-empty string as argument"),
        [Value::Str(path)] => Ok(Value::from(ruby::dirname(path))),
        [_] => fail("dirname(): Requires string as argument"),
        args => fail(format!("dirname(): Too many arguments given ({})", args.len())),
    }
}
