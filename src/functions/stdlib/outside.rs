//! `pry`, `validate_augeas`, `validate_cmd`: what asks programs and libraries outside.

use std::time::Duration;

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;
use crate::world::Command;

pub(super) const PRY: Function = Function {
    name: "pry",
    signatures: &[("Any *$args", |_| fail("pry(): Requires the 'pry' rubygem to use, but it was not found"))],
    doc: "Would start a debugger of Ruby. There is none here, so it always fails.",
    examples: &[
        ("pry()", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
        ("pry('x')", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
    ],
};

pub(super) const VALIDATE_AUGEAS: Function = Function {
    name: "validate_augeas",
    signatures: &[("Any *$args", |call| call.unsupported("validate_augeas()"))],
    doc: "Fails unless a text can be parsed with an Augeas lens and the tests on its tree hold. Needs Augeas on the \
          compiling machine, which Catwalk does not use.",
    examples: &[("defined('validate_augeas')", "false"), ("if false { validate_augeas('a', 'Passwd.lns') }", "undef")],
};

pub(super) const VALIDATE_CMD: Function = Function {
    name: "validate_cmd",
    signatures: &[("Any *$args", validate_cmd)],
    doc: "Fails unless a command accepts a text: it is written to a file whose name replaces `%` in the command or is \
          put at its end. A third argument is the message. Not built yet: fails.",
    examples: &[
        ("validate_cmd('x')", "error: validate_cmd(): wrong number of arguments (1; must be 2 or 3)"),
        ("validate_cmd('x', 'a', 'b', 'c')", "error: validate_cmd(): wrong number of arguments (4; must be 2 or 3)"),
    ],
};

/// A check that runs for longer is stopped.
const LIMIT: Duration = Duration::from_secs(60);

fn validate_cmd(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 || args.len() > 3 {
        return fail(format!("validate_cmd(): wrong number of arguments ({}; must be 2 or 3)", args.len()));
    }
    let arg = |at: usize| args.get(at).unwrap_or(&Value::Undef);
    let refuse = |why: String| match arg(2) {
        Value::Str(text) => fail(format!("{text}\n{why}")),
        Value::Undef => {
            let command = ruby::inspect(arg(1));
            fail(format!("validate_cmd(): failed to validate content with command {command}\n{why}"))
        }
        other => fail(format!("no implicit conversion of String into {}", ruby::conversion_name(other))),
    };
    let Value::Str(script) = arg(1) else {
        return refuse(format!("TypeError no implicit conversion of {} into String", ruby::conversion_name(arg(1))));
    };
    // The reference writes the content to a file with a name made up for it; here the command reads it as its input.
    let file = "/dev/stdin";
    let marked = script.split(char::is_whitespace).skip(1).any(|word| word == "%");
    let shell = if marked { script.replace('%', file) } else { format!("{script} {file}") };
    let argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), shell.clone()];
    let stdin = Some(ruby::to_s(arg(0)).into_owned());
    match call.ev.world.run(&Command { argv, stdin, limit: LIMIT, decisive: true }) {
        Ok(output) if output.status == Some(0) => Ok(Value::Undef),
        Ok(output) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            let status = output.status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
            refuse(format!("Execution of '{shell}' returned {status}: {}", text.trim_end()))
        }
        Err(refused) => refuse(format!("Could not execute posix command: {refused}")),
    }
}
