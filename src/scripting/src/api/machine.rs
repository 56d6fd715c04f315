//! The machine, as providers use it: commands, environment variables, data of other programs; options of functions.

use std::sync::Arc;
use std::time::Duration;

use rhai::Dynamic;
use rhai::ImmutableString;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::hash::hash;
use crate::api::to_value;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::limits;
use crate::running;
use crate::table::Item;
use crate::table::function;
use crate::table::phase;
use catwalk_base::names::did_you_mean;
use catwalk_system::Command;
use catwalk_system::Output;
use catwalk_system::System;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data;
use catwalk_value::ruby;

/// Reads the options of a function or method; an unknown option is an error.
pub(crate) fn check_options(function: &str, options: Dynamic, allowed: &[&str]) -> Fallible<Arc<Hash>> {
    let options = hash(options)?;
    for key in options.keys() {
        let key = ruby::to_s(key);
        if !allowed.contains(&key.as_ref()) {
            let near = did_you_mean(&key, allowed.iter().copied());
            let hint = near.unwrap_or_else(|| format!("there are {}", allowed.join(", ")));
            return fail(format!("{function}(): there is no option '{key}': {hint}"));
        }
    }
    Ok(options)
}

/// Uses the machine of the running provider.
pub(super) fn machine<T>(
    function: &str,
    run: impl FnOnce(&mut dyn System) -> catwalk_system::Result<T>,
) -> Fallible<T> {
    match running::with(|context, _| run(context.system)) {
        Some(result) => result.or_else(|error| fail(format!("{function}(): {error}"))),
        None => running::refused(function),
    }
}

/// Fails where no provider runs.
pub(super) fn require_provider(function: &str) -> Fallible<()> {
    if running::is_set() { Ok(()) } else { running::refused(function) }
}

/// Fails for a invalid_option value of an option.
pub(super) fn invalid_option<T>(function: &str, option: &str, expected: &str) -> Fallible<T> {
    fail(format!("{function}(): option '{option}' must be {expected}"))
}

/// Reads an option that is a string; a number is converted to one.
fn string(function: &str, option: &str, value: &Value) -> Fallible<String> {
    match value {
        Value::Str(_) | Value::Int(_) => Ok(ruby::to_s(value).into_owned()),
        Value::Sensitive(secret) => string(function, option, secret),
        _ => invalid_option(function, option, "a string"),
    }
}

/// Permission bits: `"0644"`.
pub(super) fn mode(function: &str, option: &str, value: &Value) -> Fallible<u32> {
    let digits = value.as_str().filter(|text| !text.is_empty() && text.len() <= 5);
    match digits.and_then(|digits| u32::from_str_radix(digits, 8).ok()).filter(|mode| *mode <= 0o7777) {
        Some(mode) => Ok(mode),
        None => invalid_option(function, option, "a string of octal digits, such as \"0644\""),
    }
}

const RUN_OPTIONS: [&str; 8] = ["stdin", "env", "cwd", "user", "group", "umask", "timeout", "check"];

/// The command of `run`, and whether an exit code other than 0 is an error.
fn command(argv: Dynamic, options: Dynamic) -> Fallible<(Command, bool)> {
    let words = match to_value(argv)? {
        Value::Array(words) => words,
        _ => return fail("run(): the command is an array of the program and its arguments: no shell splits it"),
    };
    let argv: Vec<String> = words.iter().map(|word| string("run", "argv", word)).collect::<Fallible<_>>()?;
    if argv.first().is_none_or(String::is_empty) {
        return fail("run(): the command is empty");
    }
    if argv.iter().any(|word| word.contains('\0')) {
        return fail("run(): an argument has a zero byte");
    }
    let options = check_options("run", options, &RUN_OPTIONS)?;
    let mut command = Command { argv, ..Command::default() };
    let locale = |name: &str| (name.to_owned(), Some("C".to_owned()));
    command.environment = vec![locale("LC_ALL"), locale("LANG")];
    let mut check = false;
    for (key, item) in options.iter() {
        let option = key.as_str().unwrap_or_default();
        match (option, item) {
            (_, Value::Undef) => {}
            ("stdin", Value::Binary(bytes)) => command.stdin = Some(bytes.to_vec()),
            ("stdin", text) => command.stdin = Some(string("run", option, text)?.into_bytes()),
            ("env", Value::Hash(variables)) => {
                for (name, text) in variables.iter() {
                    let text = if *text == Value::Undef { None } else { Some(string("run", "env", text)?) };
                    command.environment.push((ruby::to_s(name).into_owned(), text));
                }
            }
            ("env", _) => return invalid_option("run", option, "a map of names and values"),
            ("cwd", path) => command.directory = Some(super::paths::absolute("run", &string("run", option, path)?)?),
            ("user", name) => command.user = Some(string("run", option, name)?),
            ("group", name) => command.group = Some(string("run", option, name)?),
            ("umask", digits) => command.umask = Some(mode("run", option, digits)?),
            ("timeout", Value::Int(seconds)) if *seconds > 0 => {
                command.timeout = Some(Duration::from_secs(seconds.unsigned_abs()));
            }
            ("timeout", Value::Float(seconds)) if seconds.is_finite() && *seconds > 0.0 && *seconds < 1e9 => {
                command.timeout = Some(Duration::from_secs_f64(*seconds));
            }
            ("timeout", _) => return invalid_option("run", option, "a positive number of seconds"),
            ("check", Value::Bool(enabled)) => check = *enabled,
            (option, _) => return invalid_option("run", option, "true or false"),
        }
    }
    // No command outlives the call of its provider.
    if let Some(left) = limits::time_left().filter(|left| *left < limits::PROVIDER_LIMIT / 2) {
        command.timeout = Some(command.timeout.map_or(left, |timeout| timeout.min(left)));
    }
    Ok((command, check))
}

/// A command as messages and reports show it: without secrets.
fn display_command(argv: &Dynamic) -> String {
    let Ok(Value::Array(words)) = to_value(argv.clone()) else { return String::new() };
    let word = |word: &Value| match word {
        Value::Sensitive(_) => "[redacted]".to_owned(),
        word => ruby::to_s(word).into_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn run(argv: Dynamic, options: Dynamic) -> Fallible<HashHandle> {
    require_provider("run")?;
    let program = display_command(&argv);
    let (command, check) = command(argv, options)?;
    let output = machine("run", |system| system.run(&command))?;
    let _ = running::with(|context, _| context.note_command(format!("ran {program}")));
    run_result(&program, &output, check)
}

/// The result of `run`.
fn run_result(program: &str, output: &Output, check: bool) -> Fallible<HashHandle> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if check && output.code != 0 {
        let why = if stderr.trim().is_empty() { stdout.trim() } else { stderr.trim() };
        return fail(format!("'{program}' returned {}: {why}", output.code));
    }
    for (name, text) in [("stdout", &stdout), ("stderr", &stderr)] {
        if text.len() > limits::MAX_STRING {
            return fail(format!("run(): the {name} of '{program}' has more than {} bytes", limits::MAX_STRING));
        }
    }
    let entries = [
        (Value::str("stdout"), Value::from(stdout)),
        (Value::str("stderr"), Value::from(stderr)),
        (Value::str("exitcode"), Value::Int(i64::from(output.code))),
    ];
    Ok(HashHandle(Arc::new(entries.into_iter().collect())))
}

/// Data as values, with hashes in order.
fn data_to_dynamic(function: &str, read: Result<Value, String>) -> Fallible<Dynamic> {
    let value = read.or_else(|why| fail(format!("{function}(): {why}")))?;
    limits::check_size(&value).or_else(fail)?;
    Ok(bridge::to_dynamic(&value))
}

fn empty() -> Dynamic {
    Dynamic::from_map(rhai::Map::new())
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "run",
        &["argv: Array"],
        "Hash",
        phase::PROVIDER,
        "Runs a program without a shell and returns a hash of `stdout`, `stderr` and `exitcode`. The program is searched for in `PATH` and runs with `LC_ALL=C`. A program that cannot be started is an error.",
        |e, n| {
            e.register_fn(n, |argv: Dynamic| run(argv, empty()));
        },
    ),
    function(
        "run",
        &["argv: Array", "options: Map|Hash"],
        "Hash",
        phase::PROVIDER,
        "Runs a program with options: `stdin`, `env` (a map; `()` removes a variable), `cwd`, `user`, `group`, `umask`, `timeout` in seconds, and `check: true`, which makes a non-zero exit code an error.",
        |e, n| {
            e.register_fn(n, run);
        },
    ),
    function(
        "env",
        &["name: String"],
        "String",
        phase::PROVIDER,
        "Returns an environment variable, or `()` if it is not set.",
        |e, n| {
            e.register_fn(n, |name: &str| -> Fallible<Dynamic> {
                let value = machine("env", |system| Ok(system.variable(name)))?;
                Ok(value.map_or(Dynamic::UNIT, Dynamic::from))
            });
        },
    ),
    function(
        "parse_json",
        &["text: String"],
        "Any",
        phase::ANY,
        "Parses JSON; objects become hashes, which keep their order.",
        |e, n| {
            e.register_fn(n, |text: ImmutableString| {
                data_to_dynamic("parse_json", data::json::parse(text.as_bytes()).map_err(|error| error.message))
            });
        },
    ),
    function(
        "parse_yaml",
        &["text: String"],
        "Any",
        phase::ANY,
        "Parses YAML; mappings become hashes, which keep their order.",
        |e, n| {
            e.register_fn(n, |text: ImmutableString| {
                data_to_dynamic("parse_yaml", data::yaml::parse(text.as_bytes()).map_err(|error| error.to_string()))
            });
        },
    ),
];
