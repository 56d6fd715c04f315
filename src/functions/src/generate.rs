//! `generate`

use std::path::Path;
use std::time::Duration;

use crate::Function;
use crate::flatten::flat;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_world::Command;
use catwalk_world::Kind;
use catwalk_world::WorldError;
use catwalk_world::excerpt;

pub(super) const FUNCTION: Function = Function {
    name: "generate",
    signatures: &[("Any *$args", generate)],
    doc: "Runs a command on the machine that compiles and returns its output as a string. The command is an absolute \
          path of plain characters, without `..`; it runs without a shell, with the further arguments. A non-zero exit \
          code is an error.",
    examples: &[
        ("generate('/bin/echo', 'a', 'b')", "\"a b\\n\""),
        ("generate('echo', 'a')", "error: Generators must be fully qualified"),
    ],
};

/// The time limit of a command, which is killed after it.
const LIMIT: Duration = Duration::from_secs(60);

fn generate(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    if let Some(other) = args.first().filter(|first| first.as_str().is_none()) {
        runtime3::warn_if_not_path(call, other)?;
        return fail("Generators must be fully qualified");
    }
    let argv: Vec<String> = flat(&args).iter().map(|arg| runtime3::to_s(arg).into_owned()).collect();
    let program = argv.first().map(String::as_str).unwrap_or_default();
    if !program.starts_with('/') {
        return fail("Generators must be fully qualified");
    }
    if !program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '_' | '.' | '+')) {
        return fail("Generators can only contain alphanumerics, file separators, and dashes");
    }
    if program.contains("..") {
        return fail("Can not use generators with '..' in them.");
    }
    let command_line = argv.join(" ");
    let program = program.to_owned();
    let output = match call.ev.world.run(&Command {
        argv,
        stdin: None,
        limit: LIMIT,
        output: Command::OUTPUT,
        runs: catwalk_world::Runs::Decisive,
    }) {
        Ok(output) => output,
        // Puppet first changes to the program's directory.
        Err(
            WorldError::Missing(_)
            | WorldError::Unreadable(..)
            | WorldError::NotExecutable(..)
            | WorldError::NotAllowed(_),
        ) if is_directory_missing(call, &program) => {
            let directory = Path::new(&program).parent().unwrap_or(Path::new("/"));
            let directory = directory.display();
            return fail(match call.ev.settings.version.generate_checks_directory {
                true => format!("Working directory {directory} does not exist!"),
                false => format!("No such file or directory @ dir_chdir - {directory}"),
            });
        }
        // Puppet's child process exits with 1 if it cannot execute the program.
        Err(WorldError::Missing(_) | WorldError::Unreadable(..) | WorldError::NotExecutable(..)) => {
            return fail(format!("Failed to execute generator {program}: Execution of '{command_line}' returned 1: "));
        }
        Err(refused) => {
            let text = format!("Failed to execute generator {program}: Could not execute posix command: {refused}");
            return Err(Reason::runtime(text).because(refused.cause()).into());
        }
    };
    let mut string = String::from_utf8_lossy(&output.stdout).into_owned();
    string.push_str(&String::from_utf8_lossy(&output.stderr));
    match output.status {
        Some(0) => Ok(Value::from(string)),
        status => {
            let status = status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
            fail(format!(
                "Failed to execute generator {program}: Execution of '{command_line}' returned {status}: {}",
                excerpt(string.trim_end())
            ))
        }
    }
}

fn is_directory_missing(call: &Call<'_, '_>, program: &str) -> bool {
    Path::new(program).parent().is_some_and(|directory| call.ev.world.kind(directory) == Kind::Missing)
}
