//! `glob`: files of the compiling machine by patterns, as Ruby's `Dir.glob` finds them.

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::glob::EntryFilter;

pub(super) const GLOB: Function = Function {
    name: "glob",
    signatures: &[("Any *$args", glob)],
    doc: "Returns the paths on the machine that compiles that match a pattern or one of several: `*`, `?`, `[a-z]`, \
          `{a,b}` within a name, `**/` for directories at any depth. Names with a leading dot match only if the \
          pattern has the dot.",
    examples: &[
        ("glob('/no/such/*')", "[]"),
        ("glob()", "error: glob(): Wrong number of arguments given (0 for 1)"),
        ("glob(1)", "error: glob(): Requires either array or string to work"),
    ],
};

/// The maximum number of directory entries that are compared with one pattern; the search stops after it.
const MAX_ENTRIES: usize = 100_000;

fn glob(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let patterns: &[Value] = match args.as_ref() {
        [Value::Array(patterns)] => patterns,
        [pattern @ Value::Str(_)] => std::slice::from_ref(pattern),
        [_] => return fail("glob(): Requires either array or string to work"),
        args => return fail(format!("glob(): Wrong number of arguments given ({} for 1)", args.len())),
    };
    let mut matching = Vec::new();
    for pattern in patterns {
        let Value::Str(pattern) = pattern else {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(pattern)));
        };
        match catwalk_world::glob::glob(call.ev.world, pattern, EntryFilter::All, MAX_ENTRIES) {
            Some(paths) => matching.extend(paths),
            None => return fail(format!("glob(): more than {MAX_ENTRIES} files to look at")),
        }
    }
    Ok(Value::array(matching.into_iter().map(Value::from).collect()))
}
