//! The machine of a test: files, and prepared results of commands.

use std::path::Path;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::FnPtr;

use super::check_options;
use super::to_value;
use crate::api::Fallible;
use crate::api::fail;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::callers;
use crate::table::Item;
use crate::table::function;
use crate::table::phase;
use crate::testing;
use crate::testing::RunAnswer;
use crate::testing::Stub;
use catwalk_system::Command;
use catwalk_system::FakeMachine;
use catwalk_system::Output;
use catwalk_system::SystemError;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Passes the machine of the running test to a function.
pub(super) fn with<T>(run: impl FnOnce(&mut FakeMachine) -> T) -> Fallible<T> {
    // A stub of a command may use other functions of tests meanwhile.
    let mut fake = testing::stubs(|stubs| stubs.machine.take().unwrap_or_default())?;
    fake.set_runner(Box::new(run_stub));
    let result = run(&mut fake);
    testing::stubs(|stubs| stubs.machine = Some(fake))?;
    Ok(result)
}

/// The commands that were run with a stub that has `changes: true`.
pub(super) fn changing_runs() -> Vec<String> {
    testing::stubs(|stubs| std::mem::take(&mut stubs.changing_runs)).unwrap_or_default()
}

/// The prepared result of a command.
fn run_stub(command: &Command) -> Option<catwalk_system::Result<Output>> {
    let words = command.argv.clone();
    let stub =
        testing::stubs(|stubs| stubs.runs.iter().rev().find(|(argv, _)| *argv == words).map(|(_, stub)| stub.clone()));
    let result = match stub.ok()?? {
        RunAnswer::Output(output, changes) => Ok((output, changes)),
        RunAnswer::Stub(stub) => call(&stub, command),
    };
    Some(result.map(|(output, changes)| {
        if changes {
            let _ = testing::stubs(|stubs| stubs.changing_runs.push(words.join(" ")));
        }
        output
    }))
}

/// Calls a closure of the test: without parameters, with the command, or with the command and its standard input.
fn call(stub: &Stub, command: &Command) -> catwalk_system::Result<(Output, bool)> {
    let fail = |message: String| SystemError { message, code: None };
    let argv = Dynamic::from_array(command.argv.iter().map(|word| Dynamic::from(word.clone())).collect());
    let stdin = String::from_utf8_lossy(command.stdin.as_deref().unwrap_or_default()).into_owned();
    let mut args = vec![argv, Dynamic::from(stdin)];
    args.truncate(stub.parameters());
    let answer = callers::loading(|loading| stub.call(&loading.scripts.engine, args));
    let answer = answer
        .ok_or_else(|| fail("the test has ended".to_owned()))?
        .map_err(|error| fail(crate::error::message(&error)))?;
    read_output(answer).map_err(|error| fail(crate::error::message(&error)))
}

/// Reads the result of a command in a test: `#{ stdout, stderr, exitcode, changes }`.
fn read_output(result: Dynamic) -> Fallible<(Output, bool)> {
    let result = check_options("stub_run", result, &["stdout", "stderr", "exitcode", "changes"])?;
    let mut output = Output { code: 0, stdout: Vec::new(), stderr: Vec::new() };
    let mut changes = false;
    for (key, item) in result.iter() {
        match (key.as_str(), item) {
            (Some("stdout"), Value::Str(text)) => output.stdout = text.as_bytes().to_vec(),
            (Some("stderr"), Value::Str(text)) => output.stderr = text.as_bytes().to_vec(),
            (Some("exitcode"), Value::Int(code)) => output.code = i32::try_from(*code).unwrap_or(255),
            (Some("changes"), Value::Bool(enabled)) => changes = *enabled,
            _ => return fail("stub_run(): stdout and stderr are strings, exitcode an integer, changes true or false"),
        }
    }
    Ok((output, changes))
}

fn words(argv: Dynamic) -> Fallible<Vec<String>> {
    match to_value(argv)? {
        Value::Array(words) => Ok(words.iter().map(catwalk_resource_api::title_to_string).collect()),
        _ => fail("stub_run(): the command is an array of words"),
    }
}

fn stub_run(argv: Dynamic, answer: RunAnswer) -> Fallible<()> {
    let argv = words(argv)?;
    testing::stubs(|stubs| stubs.runs.push((argv, answer)))
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "fake_file",
        &["path: String", "text: String"],
        "",
        phase::TEST,
        "Creates a file on the machine of the test, with its parent directories.",
        |e, n| {
            e.register_fn(n, |path: &str, text: &str| -> Fallible<()> {
                if !Path::new(path).is_absolute() {
                    return fail(format!("fake_file(): the path must be absolute, got '{path}'"));
                }
                with(|fake| fake.put(Path::new(path), text.as_bytes()))
            });
        },
    ),
    function(
        "fake_files",
        &[],
        "Hash",
        phase::TEST,
        "Returns the files on the machine of the test: a hash of paths to contents, sorted.",
        |e, n| {
            e.register_fn(n, || -> Fallible<HashHandle> {
                let files = with(|fake| {
                    let file = |(path, text): (&Path, &[u8])| {
                        let text = String::from_utf8_lossy(text).into_owned();
                        (Value::from(path.display().to_string()), Value::from(text))
                    };
                    fake.files().map(file).collect::<Hash>()
                })?;
                Ok(HashHandle(Arc::new(files)))
            });
        },
    ),
    function(
        "stub_run",
        &["argv: Array", "answer: Map|Fn"],
        "",
        phase::TEST,
        "Sets the result of a command on the machine of the test: `#{ stdout, stderr, exitcode }`, or a closure that returns it and may take the command and its standard input. `changes: true` marks a command that changes something. A command without a stub fails.",
        |e, n| {
            e.register_fn(n, |argv: Dynamic, answer: rhai::Map| -> Fallible<()> {
                let (output, changes) = read_output(Dynamic::from_map(answer))?;
                stub_run(argv, RunAnswer::Output(output, changes))
            });
            e.register_fn(n, |argv: Dynamic, code: FnPtr| -> Fallible<()> {
                let stub = testing::stubs(|stubs| Stub::new(code, stubs))?;
                stub.map_or_else(
                    || fail("stubs are only available in tests"),
                    |stub| stub_run(argv, RunAnswer::Stub(stub)),
                )
            });
        },
    ),
    function(
        "runs",
        &[],
        "Array",
        phase::TEST,
        "Returns the commands that have run, each an array of words.",
        |e, n| {
            e.register_fn(n, || -> Fallible<rhai::Array> {
                let argv = |command: &Command| Value::array(command.argv.iter().map(Value::str).collect());
                let all: Vec<Value> = with(|fake| fake.runs.iter().map(argv).collect())?;
                Ok(all.iter().map(bridge::to_dynamic).collect())
            });
        },
    ),
];
