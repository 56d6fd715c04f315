//! Prepares an `exec` from its parameters.

use std::time::Duration;

use catwalk_apply::DeclaredResource;
use catwalk_apply::Run;
use catwalk_resource_api::Level;
use catwalk_value::Value;
use catwalk_value::ruby;

use super::Exec;
use super::LogOutput;
use super::command_line::CommandLine;
use crate::parameters::Parameters;
use crate::parameters::list;

/// The default timeout in seconds.
const TIMEOUT: f64 = 300.0;
/// The parameters with commands: if one is secret, all are redacted.
const COMMANDS: [&str; 3] = ["command", "unless", "onlyif"];

/// # Errors
/// Returns all problems.
pub(super) fn prepare(resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Exec, Vec<String>> {
    let mut parameters = Parameters::new(resource);
    let path = path(&mut parameters);
    let has_shell = parameters.get("provider").is_some_and(|provider| *ruby::to_s(provider) == *"shell");
    if let Some(provider) =
        parameters.get("provider").map(ruby::to_s).filter(|name| !["posix", "shell"].contains(&&**name))
    {
        parameters.fail("provider", &format!("Invalid exec provider '{provider}'"));
    }
    let is_qualified = |line: &CommandLine| has_shell || path.is_some() || line.program().starts_with('/');
    let command = command(&mut parameters);
    let refresh = conditions(&mut parameters, "refresh", &is_qualified).into_iter().next();
    let exec = Exec {
        title: parameters.title(),
        is_sensitive: COMMANDS.iter().any(|name| parameters.is_sensitive(name)),
        refresh_only: parameters.flag("refreshonly", false),
        creates: parameters.paths("creates", true),
        unless: conditions(&mut parameters, "unless", &is_qualified),
        only_if: conditions(&mut parameters, "onlyif", &is_qualified),
        directory: parameters.paths("cwd", false).into_iter().next(),
        environment: environment(&mut parameters),
        user: user(&mut parameters, run),
        group: parameters.get("group").map(|group| ruby::to_s(group).into_owned()),
        umask: umask(&mut parameters),
        timeout: timeout(&mut parameters),
        tries: tries(&mut parameters),
        pause: pause(&mut parameters),
        returns: returns(&parameters),
        has_default_returns: parameters.get("returns").is_none(),
        log_output: match parameters.word("logoutput", &["true", "false", "on_failure"]) {
            Some("true") => LogOutput::Always,
            Some("false") => LogOutput::Never,
            _ => LogOutput::OnFailure,
        },
        level: parameters.loglevel(),
        position: resource.position.clone(),
        reported_empty_variables: Vec::new(),
        command: command.clone(),
        refresh,
        has_shell,
        path: path.clone(),
    };
    // Checked last, as in Puppet: an invalid parameter is reported before the command.
    if !is_qualified(&command) {
        parameters.fail_validation(&unqualified(&command));
    } else if command.program().is_empty() && !has_shell {
        parameters.fail_validation("the command is empty");
    }
    parameters.finish().map(|()| exec)
}

fn unqualified(line: &CommandLine) -> String {
    let program = line.program();
    format!("'{program}' is not qualified and no path was specified. Please qualify the command or specify a path.")
}

fn command(parameters: &mut Parameters<'_>) -> CommandLine {
    let title = Value::from(parameters.title());
    let value = parameters.get("command").unwrap_or(&title);
    CommandLine::from_value(value).unwrap_or_else(|| {
        let class = ruby::class_name(value);
        parameters.fail("command", &format!("Command must be a String or Array<String>, got value of class {class}"));
        CommandLine::Text("/".to_owned())
    })
}

/// The commands of a condition: a string, or an array of strings and arrays.
fn conditions(
    parameters: &mut Parameters<'_>,
    name: &str,
    is_qualified: &dyn Fn(&CommandLine) -> bool,
) -> Vec<CommandLine> {
    let Some(value) = parameters.get(name) else { return Vec::new() };
    // `refresh` is one command, which may be an array.
    let values: Vec<&Value> = if name == "refresh" { vec![value] } else { list(value).collect() };
    let mut lines = Vec::new();
    for value in values {
        match CommandLine::from_value(value) {
            Some(line) if line.program().is_empty() => parameters.fail(name, "the command is empty"),
            Some(line) if is_qualified(&line) => lines.push(line),
            Some(line) => parameters.fail(name, &unqualified(&line)),
            None => {
                let class = ruby::class_name(value);
                let message = format!("Command must be a String or Array<String>, got value of class {class}");
                parameters.fail(name, &message);
            }
        }
    }
    lines
}

fn path(parameters: &mut Parameters<'_>) -> Option<Vec<String>> {
    let value = parameters.get("path")?;
    let mut folders = Vec::new();
    for folder in list(value) {
        match folder.as_str() {
            Some(text) => folders.extend(text.split(':').filter(|folder| !folder.is_empty()).map(str::to_owned)),
            None => {
                let class = ruby::class_name(folder);
                parameters.fail("path", &format!("path must be a String or Array<String>, got value of class {class}"));
            }
        }
    }
    Some(folders)
}

fn environment(parameters: &mut Parameters<'_>) -> Vec<String> {
    let Some(value) = parameters.get("environment") else { return Vec::new() };
    let settings: Vec<String> = list(value).map(|value| ruby::to_s(value).into_owned()).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for setting in &settings {
        if !setting.match_indices('=').any(|(at, _)| setting.get(..at).unwrap_or_default().ends_with(is_word)) {
            parameters.fail("environment", &format!("Invalid environment setting '{setting}'"));
        }
    }
    settings
}

fn user(parameters: &mut Parameters<'_>, run: &mut Run<'_>) -> Option<String> {
    let user = ruby::to_s(parameters.get("user")?).into_owned();
    let current_user = run.system.own_user_id();
    if current_user != 0 && run.system.user_name(current_user).as_deref() != Some(&user) {
        parameters.fail("user", "Only root can execute commands as other users");
    }
    Some(user)
}

fn umask(parameters: &mut Parameters<'_>) -> Option<u32> {
    let value = parameters.get("umask")?;
    let digits = value.as_str().filter(|text| text.bytes().all(|byte| (b'0'..=b'7').contains(&byte)));
    let digits = digits.filter(|text| (1..=4).contains(&text.strip_prefix('0').unwrap_or(text).len().max(1)));
    let mask = digits.and_then(|digits| u32::from_str_radix(digits, 8).ok());
    if mask.is_none() {
        parameters.fail("umask", &format!("The umask specification is invalid: {}", ruby::inspect(value)));
    }
    mask
}

/// A number, also as a string.
fn parse_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Str(text) => ruby::kernel_float(text),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

fn timeout(parameters: &mut Parameters<'_>) -> Option<Duration> {
    let value = parameters.get("timeout").and_then(|value| list(value).next());
    let seconds = match value {
        None => TIMEOUT,
        Some(value) => parse_number(value).unwrap_or_else(|| {
            parameters.fail_to_munge("timeout", value, "The timeout must be a number.");
            TIMEOUT
        }),
    };
    // No timeout, or one longer than a run can last.
    if seconds <= 0.0 { None } else { Duration::try_from_secs_f64(seconds).ok() }
}

fn tries(parameters: &mut Parameters<'_>) -> i64 {
    let Some(value) = parameters.get("tries") else { return 1 };
    let (tries, message) = match value {
        Value::Int(tries) => (Some(*tries), "Tries must be an integer >= 1"),
        Value::Str(text) if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() => {
            (text.parse().ok(), "Tries must be an integer >= 1")
        }
        _ => (None, "Tries must be an integer"),
    };
    tries.filter(|tries| *tries >= 1).unwrap_or_else(|| {
        parameters.fail_to_munge("tries", value, message);
        1
    })
}

fn pause(parameters: &mut Parameters<'_>) -> Duration {
    let Some(value) = parameters.get("try_sleep") else { return Duration::ZERO };
    match parse_number(value) {
        Some(seconds) if seconds >= 0.0 => Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        Some(_) => {
            parameters.fail_to_munge("try_sleep", value, "try_sleep cannot be a negative number");
            Duration::ZERO
        }
        None => {
            parameters.fail_to_munge("try_sleep", value, "try_sleep must be a number");
            Duration::ZERO
        }
    }
}

fn returns(parameters: &Parameters<'_>) -> Vec<String> {
    match parameters.get("returns") {
        Some(value) => list(value).map(|code| ruby::to_s(code).into_owned()).collect(),
        None => vec!["0".to_owned()],
    }
}

impl LogOutput {
    /// The level of the command's output, if it is logged.
    pub(super) fn level(self, level: Level, has_failed: bool) -> Option<Level> {
        let is_logged = match self {
            LogOutput::Always => true,
            LogOutput::Never => false,
            LogOutput::OnFailure => has_failed,
        };
        is_logged.then_some(level)
    }
}
