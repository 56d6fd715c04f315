//! `pry`, `validate_augeas`, `validate_cmd`: functions that need external programs or libraries.

use std::time::Duration;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::Command;
use catwalk_world::Kind;
use catwalk_world::excerpt;

pub(super) const PRY: Function = Function {
    name: "pry",
    signatures: &[("Any *$args", |call| {
        runtime3::args(call)?;
        fail("pry(): Requires the 'pry' rubygem to use, but it was not found")
    })],
    doc: "Always fails: in Puppet it starts a Ruby debugger.",
    examples: &[
        ("pry()", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
        ("pry('x')", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
    ],
};

pub(super) const VALIDATE_AUGEAS: Function = Function {
    name: "validate_augeas",
    signatures: &[("Any *$args", validate_augeas)],
    doc: "Fails unless a string can be parsed with an Augeas lens, and if its tree (`$file`) contains a path of the \
          third argument. The fourth argument is the error message. Needs the program `augtool` on the machine that \
          compiles, and the module augeas_core.",
    examples: &[
        (
            "validate_augeas('a')",
            "error: validate_augeas(): this function requires the augeas feature. See \
             http://docs.puppetlabs.com/guides/augeas.html#pre-requisites for how to activate it.",
        ),
        ("if false { validate_augeas('a', 'Passwd.lns') }", "undef"),
    ],
};

pub(super) const VALIDATE_CMD: Function = Function {
    name: "validate_cmd",
    signatures: &[("Any *$args", validate_cmd)],
    doc: "Not supported yet: always fails. In Puppet it fails unless a command accepts a string, which is written to a \
          file whose name replaces `%` in the command or is appended to it; a third argument is the error message.",
    examples: &[
        ("validate_cmd('x')", "error: validate_cmd(): wrong number of arguments (1; must be 2 or 3)"),
        ("validate_cmd('x', 'a', 'b', 'c')", "error: validate_cmd(): wrong number of arguments (4; must be 2 or 3)"),
    ],
};

/// The time limit of a check, whose command is killed after it.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn validate_cmd(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 || args.len() > 3 {
        return fail(format!("validate_cmd(): wrong number of arguments ({}; must be 2 or 3)", args.len()));
    }
    let arg = |at: usize| args.get(at).unwrap_or(&Value::Undef);
    let reject = |reason: String| match arg(2) {
        Value::Str(message) => fail(format!("{message}\n{reason}")),
        Value::Undef => {
            let command = ruby::inspect(arg(1));
            fail(format!("validate_cmd(): failed to validate content with command {command}\n{reason}"))
        }
        other => fail(format!("no implicit conversion of String into {}", ruby::conversion_name(other))),
    };
    let Value::Str(script) = arg(1) else {
        return reject(format!("TypeError no implicit conversion of {} into String", ruby::conversion_name(arg(1))));
    };
    // Puppet writes the content to a temporary file; here the command reads it from standard input.
    let file = "/dev/stdin";
    let has_placeholder = script.split(char::is_whitespace).skip(1).any(|word| word == "%");
    let shell = if has_placeholder { script.replace('%', file) } else { format!("{script} {file}") };
    let argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), shell.clone()];
    let stdin = Some(runtime3::to_s(arg(0)).into_owned());
    match call.ev.world.run(&Command {
        argv,
        stdin,
        limit: TIME_LIMIT,
        output: Command::OUTPUT,
        runs: catwalk_world::Runs::Decisive,
    }) {
        Ok(output) if output.status == Some(0) => Ok(Value::Undef),
        Ok(output) => {
            let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
            printed.push_str(&String::from_utf8_lossy(&output.stderr));
            let printed = excerpt(&printed);
            let status = output.status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
            reject(format!("Execution of '{shell}' returned {status}: {}", printed.trim_end()))
        }
        Err(error) => reject(format!("Could not execute posix command: {error}")),
    }
}

const NO_AUGEAS: &str = "validate_augeas(): this function requires the augeas feature. See \
                         http://docs.puppetlabs.com/guides/augeas.html#pre-requisites for how to activate it.";

/// A shell script that writes its input to a file, whose name replaces `@FILE@` in the commands for augtool.
const AUGTOOL: &str = "command -v augtool >/dev/null || exit 127; f=$(mktemp) || exit 126; trap 'rm -f \"$f\"' EXIT; cat >\"$f\"; \
                       printf '%s' \"$1\" | sed \"s|@FILE@|$f|g\" | augtool -A 2>/dev/null";
/// The separator that augtool prints between the answers.
const MARK: &str = "/catwalk/mark = next";

fn validate_augeas(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    // The module augeas_core provides this feature if the library is installed.
    let mut features = call.ev.program.environment.paths_in_modules("lib/puppet/feature/augeas.rb");
    if !features.any(|path| call.ev.world.kind(&path) == Kind::File) {
        return fail(NO_AUGEAS);
    }
    if args.len() < 2 || args.len() > 4 {
        return fail(format!("validate_augeas(): wrong number of arguments ({}; must be 2, 3, or 4)", args.len()));
    }
    let arg = |at: usize| args.get(at).filter(|value| value.truthy());
    let mut message = match arg(3) {
        Some(message) => runtime3::to_s(message).into_owned(),
        None => {
            let lens = args.get(1).map(ruby::inspect).unwrap_or_default();
            format!("validate_augeas(): Failed to validate content against {lens}")
        }
    };
    let lens = match args.get(1) {
        Some(Value::Str(lens)) => lens,
        other => return no_method("include?", other.unwrap_or(&Value::Undef)),
    };
    if !lens.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@')) {
        // Without a lens nothing is loaded and nothing fails.
        return Ok(Value::Undef);
    }
    let tests = match arg(2) {
        None => Vec::new(),
        Some(Value::Array(tests)) => tests.to_vec(),
        Some(Value::Str(tests)) if tests.is_empty() => Vec::new(),
        Some(other) => return no_method("each", other),
    };
    let content = args.first().map(|content| runtime3::to_s(content).into_owned());
    let printed = run_augtool(call, content, &augtool_commands(lens, &tests))?;
    let mut answers = printed.split(MARK);
    let error = answers.next().unwrap_or("").trim_end();
    if let Some((_, error)) = error.split_once("//error/message = ") {
        return fail(format!("{message} with error: {error}"));
    }
    for test in &tests {
        let Value::Str(test) = test else {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(test)));
        };
        message.push_str(&format!(" testing path {test}"));
        match answers.next().unwrap_or("").trim() {
            "" => return fail(format!("unknown error - Matching path expression '{test}' failed")),
            "(no matches)" => {}
            _ => return fail(message),
        }
    }
    Ok(Value::Undef)
}

/// The commands that load a file with a lens, print its error and the matches of each test, separated by [`MARK`].
fn augtool_commands(lens: &str, tests: &[Value]) -> String {
    let mut commands = format!(
        "set /augeas/load/Validate_augeas/lens {lens}\nset /augeas/load/Validate_augeas/incl @FILE@\nload\n\
         set /catwalk/mark next\nget /augeas/files@FILE@//error/message\nget /catwalk/mark\ndefvar file /files@FILE@\n"
    );
    for test in tests {
        match test.as_str().filter(|test| !test.contains('\n')) {
            Some(test) => commands.push_str(&format!("match {test}\nget /catwalk/mark\n")),
            None => break,
        }
    }
    commands
}

/// The output of augtool for a file with this content.
fn run_augtool(call: &mut Call<'_, '_>, content: Option<String>, commands: &str) -> Res<String> {
    let output = call.ev.world.run(&Command {
        argv: ["/bin/sh", "-c", AUGTOOL, "sh", commands].map(str::to_owned).to_vec(),
        stdin: content,
        limit: TIME_LIMIT,
        output: Command::OUTPUT,
        runs: catwalk_world::Runs::Decisive,
    });
    match output {
        Ok(output) if matches!(output.status, Some(126 | 127)) => fail(NO_AUGEAS),
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => fail(format!("Could not execute posix command: {error}")),
    }
}
