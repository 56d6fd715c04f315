//! Processes and web servers that Ruby code uses: backticks, `system`, and the primitives of `Open3` and `Net::HTTP`
//! (`prelude/`).
//!
//! In: a command or an address. Out: the result of the world, which is recorded and replayed with the compile; a world without
//! processes or network refuses. Must not: start anything itself.

use std::time::Duration;

use crate::Blk;
use crate::Flow;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Key;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_world::Command;
use catwalk_world::HttpRequest;
use catwalk_world::WorldError;

pub(crate) static PROCESS: Class = Class::module(
    "Process",
    &[
        Method::between("__run", 1, 2, run_process),
        Method::at_least("clock_gettime", 1, clock_gettime),
        Method::new("egid", 0, user_of_process),
        Method::new("euid", 0, user_of_process),
        Method::new("gid", 0, user_of_process),
        Method::new("pid", 0, |_, _, _, _| Ok(Rv::Int(1))),
        Method::new("uid", 0, user_of_process),
    ],
);

pub(crate) static NET_HTTP: Class = Class::module("Net::HTTP", &[Method::new("__fetch", 5, fetch_page)]);

pub(crate) static STATUS_CLASS: Class = Class {
    name: STATUS,
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("exited?", 0, is_exited),
        Method::new("exitstatus", 0, |_, this, _, _| Ok(exit_status(this))),
        Method::new("pid", 0, |_, _, _, _| Ok(Rv::Int(1))),
        Method::new("signaled?", 0, is_signaled),
        Method::new("success?", 0, is_success),
        Method::new("to_i", 0, status_number),
    ],
    singleton: &[],
};

/// The time after which a command is killed.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The class of `$?`.
pub(crate) const STATUS: &str = "Process::Status";
/// Characters that make Ruby start a shell; `=` does so in the first word, up to a slash (process.c, `rb_exec_fillarg`).
const SHELL: &[char] =
    &['*', '?', '{', '}', '[', ']', '<', '>', '(', ')', '~', '&', '|', '\\', '$', ';', '\'', '`', '"', '\n', '#'];

/// Built-in commands of the shell.
const BUILTIN: &[&str] = &[
    "!", ".", ":", "break", "case", "continue", "do", "done", "elif", "else", "esac", "eval", "exec", "exit", "export",
    "fi", "for", "if", "in", "readonly", "return", "set", "shift", "then", "times", "trap", "unset", "until", "while",
    "cd", "alias",
];

/// A command line as Ruby starts it, with a shell if needed.
fn argv(line: &str) -> Vec<String> {
    let first = line.split_whitespace().next().unwrap_or_default();
    let assigns = first.split('/').next().unwrap_or_default().contains('=');
    if line.contains(SHELL) || assigns || BUILTIN.contains(&first) {
        return vec!["/bin/sh".to_owned(), "-c".to_owned(), line.to_owned()];
    }
    line.split_whitespace().map(str::to_owned).collect()
}

impl Interp<'_> {
    /// Runs a process; returns its standard output, its standard error and its exit status.
    fn run_command(&mut self, argv: Vec<String>, stdin: Option<String>) -> Raise<(Vec<u8>, Vec<u8>, Option<i32>)> {
        let program = argv.first().cloned().unwrap_or_default();
        let argv = crate::library::env_vars::with_changed_variables(&self.state().env, argv);
        match self.host.world().run(&Command {
            argv,
            stdin,
            limit: TIME_LIMIT,
            output: Command::OUTPUT,
            runs: catwalk_world::Runs::Decisive,
        }) {
            Ok(output) => {
                self.check_size(output.stdout.len() + output.stderr.len())?;
                let status = output.status.map_or(Rv::Nil, |status| Rv::Int(i64::from(status)));
                let status = object(STATUS, &[("status", status)]);
                self.globals.insert(Name::new("?"), status);
                Ok((output.stdout.to_vec(), output.stderr.to_vec(), output.status))
            }
            Err(error) => self.raise_refusal(&error, &program),
        }
    }

    /// The error for a request that the world refused, which no `rescue` can catch.
    pub(crate) fn raise_refusal<T>(&mut self, error: &WorldError, program: &str) -> Raise<T> {
        match error {
            WorldError::NotAllowed(_) | WorldError::NoAnswer(_) | WorldError::Flooded(_) => {
                let text = format!("{error} ({}:{})", self.file, self.line);
                let reason = Reason::runtime(text).because(error.cause());
                Err(self.throw(Flow::Stop(reason.into())))
            }
            _ => self.raise("Errno::ENOENT", format!("No such file or directory - {program}")),
        }
    }

    /// `` `command` ``
    pub(crate) fn backticks(&mut self, line: &str) -> Raise<Rv> {
        let (stdout, ..) = self.run_command(argv(line), None)?;
        Ok(Rv::from_bytes(stdout))
    }

    /// `system(command, …)`: whether the command succeeded; `nil` if it could not be started.
    pub fn system(&mut self, args: &[Rv]) -> Raise<Rv> {
        let mut words = Vec::new();
        for arg in args.iter().filter(|arg| !matches!(arg, Rv::Hash(_))) {
            words.push(self.expect_str(arg)?);
        }
        let argv = if let [line] = words.as_slice() { argv(line) } else { words };
        let result = self.run_command(argv, None);
        match self.catch_result(result) {
            Ok((.., status)) => Ok(Rv::bool(status == Some(0))),
            Err(Flow::Raise(_)) => Ok(Rv::Nil),
            Err(flow) => Err(self.throw(flow)),
        }
    }
}

/// `Process.__run(command, stdin)`: `[stdout, stderr, status]`; a string is a command line, an array a program with
/// arguments.
fn run_process(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let argv = match args.first() {
        Some(Rv::Array(items)) => {
            let items = items.borrow().clone();
            let mut words = Vec::with_capacity(items.len());
            for item in &items {
                words.push(rt.to_s(item)?);
            }
            words
        }
        Some(line) => argv(&rt.expect_str(line)?),
        None => Vec::new(),
    };
    let stdin = match args.get(1) {
        Some(Rv::Nil) | None => None,
        Some(other) => Some(rt.to_s(other)?),
    };
    let (stdout, stderr, status) = rt.run_command(argv, stdin)?;
    let status = status.map_or(Rv::Nil, |status| Rv::Int(i64::from(status)));
    Ok(Rv::array(vec![Rv::from_bytes(stdout), Rv::from_bytes(stderr), status]))
}

/// `Net::HTTP.__fetch(url, user, password, body, headers)`: `[code, page]`.
fn fetch_page(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
    let url = string(0).unwrap_or_default();
    let login = string(1).map(|user| (user, string(2).unwrap_or_default()));
    let mut headers = Vec::new();
    if let Some(Rv::Hash(hash)) = args.get(4) {
        let entries: Vec<(Key, Rv)> =
            hash.map.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        for (Key(name), value) in &entries {
            headers.push((rt.to_s(name)?.to_string(), rt.to_s(value)?.to_string()));
        }
    }
    let request = HttpRequest { url: url.clone(), login, post: string(3), headers, ..HttpRequest::default() };
    match rt.host.world().fetch(&request) {
        Ok(page) => {
            rt.check_size(page.body.len())?;
            Ok(Rv::array(vec![Rv::Int(i64::from(page.status)), Rv::from_bytes(page.body.to_vec())]))
        }
        Err(WorldError::Unreachable(_, reason)) => {
            let address = host_and_port(&url);
            // The system's error message, as Ruby words it.
            if reason.to_lowercase().contains("refused") {
                let message = format!(
                    "Failed to open TCP connection to {address} (Connection refused - connect(2) for {address})"
                );
                return rt.raise("Errno::ECONNREFUSED", message);
            }
            if let Some((_, reason)) = reason.split_once("failed to lookup address information: ") {
                let message = format!("Failed to open TCP connection to {address} (getaddrinfo: {reason})");
                return rt.raise("SocketError", message);
            }
            rt.raise("SocketError", format!("Failed to open TCP connection to {address} ({reason})"))
        }
        Err(error) => rt.raise_refusal(&error, &url),
    }
}

/// Host and port of a URL.
fn host_and_port(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, authority)| authority);
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    if has_port { authority.to_owned() } else { format!("{authority}:{}", if scheme == "https" { 443 } else { 80 }) }
}

fn clock_gettime(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::float(rt.host.world().now().as_secs_f64()))
}

/// `Process.uid` and others: a compile runs as root.
fn user_of_process(_: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Int(0))
}

/// The exit status in `$?`; `nil` for a process that a signal ended.
fn exit_status(this: &Rv) -> Rv {
    match this {
        Rv::Object(status) => status.ivars.borrow().get(&Name::new("status")).cloned().unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    }
}

fn is_success(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(matches!(exit_status(this), Rv::Int(0))))
}

fn is_exited(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!exit_status(this).is_nil()))
}

fn is_signaled(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(exit_status(this).is_nil()))
}

/// `to_i`: the exit status in the form of the system.
fn status_number(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match exit_status(this) {
        Rv::Int(n) => Rv::Int(n << 8),
        _ => Rv::Int(9),
    })
}

#[cfg(test)]
mod tests {
    use super::argv;

    /// Recorded with Ruby 3.1: a command that it starts without a shell fails with `No such file or directory`.
    #[test]
    fn commands_that_need_a_shell() {
        for direct in ["/nonexist -x cn=a", "/nonexist 5%", "nonexist% a", "/non=exist", "%x a", "a b=c"] {
            assert_ne!(argv(direct).first().map(String::as_str), Some("/bin/sh"), "{direct}");
        }
        for shell in ["A=1 nonexist", "non=exist x", "nonexist ~a", "/a b#c", "exit 1"] {
            assert_eq!(argv(shell).first().map(String::as_str), Some("/bin/sh"), "{shell}");
        }
    }

    #[test]
    fn addresses_have_ports() {
        assert_eq!(super::host_and_port("https://github.com/a.keys"), "github.com:443");
        assert_eq!(super::host_and_port("http://me:secret@a.example.com?q"), "a.example.com:80");
        assert_eq!(super::host_and_port("http://a.example.com:8080/"), "a.example.com:8080");
    }
}
