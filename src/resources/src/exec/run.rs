//! Runs the commands of an `exec`: conditions, `command`, `refresh`.

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::Run;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::Command;
use catwalk_system::FileKind;

use super::Exec;
use super::command_line::CommandLine;

/// `ETIMEDOUT`: the error code of a command that exceeds its timeout.
const TIMED_OUT: i32 = 110;
/// The exit code of a shell that does not find a command.
const NOT_FOUND: i32 = 127;

/// Why a command has no exit code.
pub(super) enum ExecFailure {
    /// It exceeded its timeout.
    TimedOut,
    /// It was not started.
    Failed(String),
}

impl ExecFailure {
    pub(super) fn into_failure(self) -> Failure {
        Failure::new(match self {
            ExecFailure::TimedOut => "Command exceeded timeout".to_owned(),
            ExecFailure::Failed(message) => message,
        })
    }
}

impl Exec {
    /// Whether all conditions hold.
    ///
    /// # Errors
    /// A condition cannot be started.
    pub(super) fn must_run(&mut self, run: &mut Run<'_>, is_refresh: bool) -> Result<bool, Failure> {
        let failed_check = if self.refresh_only && !is_refresh {
            Some("refreshonly")
        } else if self.exists_created_path(run) {
            Some("creates")
        } else if !self.check_commands("unless", run)? {
            Some("unless")
        } else if !self.check_commands("onlyif", run)? {
            Some("onlyif")
        } else {
            None
        };
        if let Some(check) = failed_check {
            let command = if self.is_sensitive { "[command redacted]".to_owned() } else { self.command.to_message() };
            let text = format!("'{command}' won't be executed because of failed check '{check}'");
            run.log.log(Level::Debug, Some(&run.path.to_string()), &text);
        }
        Ok(failed_check.is_none())
    }

    fn exists_created_path(&self, run: &mut Run<'_>) -> bool {
        for path in &self.creates {
            let source = format!("{}/creates", run.path);
            run.log.log(Level::Debug, Some(&source), &format!("Checking that 'creates' path '{path}' exists"));
            // As with Ruby's `File.exist?`, a file that cannot be examined does not exist.
            if run.system.stat(Path::new(path), true).ok().flatten().is_some() {
                return true;
            }
        }
        false
    }

    /// Whether no command of `unless` succeeds, or all of `onlyif` do.
    fn check_commands(&mut self, name: &str, run: &mut Run<'_>) -> Result<bool, Failure> {
        let expects_success = name == "onlyif";
        let lines = if expects_success { self.only_if.clone() } else { self.unless.clone() };
        for line in lines {
            let source = format!("{}/{name}", run.path);
            match self.run_command_line(&line, true, run) {
                Ok((code, output)) => {
                    self.log_output(&output, Level::Debug, &source, run);
                    if (code == 0) != expects_success {
                        return Ok(false);
                    }
                }
                Err(ExecFailure::TimedOut) => {
                    let command = if self.is_sensitive { "[command redacted]".to_owned() } else { line.inspect() };
                    run.log.log(Level::Err, Some(&source), &format!("Check {command} exceeded timeout"));
                    return Ok(false);
                }
                Err(stop) => return Err(stop.into_failure()),
            }
        }
        Ok(true)
    }

    /// Runs the command until it returns an accepted code, at most `tries` times.
    ///
    /// # Errors
    /// The command never returns an accepted code.
    pub(super) fn execute(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let source = format!("{}/returns", run.path);
        let mut result = (0, String::new());
        for attempt in 1..=self.tries {
            if self.tries > 1 {
                let text = format!("Exec try {attempt}/{}", self.tries);
                run.log.log(Level::Debug, Some(&source), &text);
            }
            let command = self.command.clone();
            result = self.run_command_line(&command, false, run).map_err(ExecFailure::into_failure)?;
            if self.is_accepted(result.0) {
                break;
            }
            if !self.pause.is_zero() && attempt < self.tries {
                let text = format!("Sleeping for {} seconds between tries", self.pause.as_secs_f64());
                run.log.log(Level::Debug, Some(&source), &text);
                std::thread::sleep(self.pause);
            }
        }
        let (code, output) = result;
        let is_accepted = self.is_accepted(code);
        if let Some(level) = self.log_output.level(self.level, !is_accepted) {
            self.log_output(&output, level, &source, run);
        }
        if is_accepted {
            return Ok(());
        }
        let expected = self.returns.join(",");
        Err(Failure::new(match self.is_sensitive {
            true => format!("[command redacted] returned {code} instead of one of [{expected}]"),
            false => format!("'{}' returned {code} instead of one of [{expected}]", self.command.to_message()),
        }))
    }

    fn is_accepted(&self, code: i32) -> bool {
        self.returns.contains(&code.to_string())
    }

    fn log_output(&self, output: &str, level: Level, source: &str, run: &mut Run<'_>) {
        if self.is_sensitive {
            run.log.log(level, Some(source), "[output redacted]");
            return;
        }
        let output = output.trim_end_matches('\n');
        if run.log.wants(level) && !output.is_empty() {
            output.split('\n').for_each(|line| run.log.log(level, Some(source), line));
        }
    }

    /// Runs a command and returns its exit code and output.
    ///
    /// # Errors
    /// The command cannot be started or exceeds its timeout.
    pub(super) fn run_command_line(
        &mut self,
        line: &CommandLine,
        is_check: bool,
        run: &mut Run<'_>,
    ) -> Result<(i32, String), ExecFailure> {
        self.check_program(line, run)?;
        let (check, displayed) = (if is_check { " check" } else { "" }, self.display_command_line(line));
        run.log.log(Level::Debug, Some(&self.provider_source()), &format!("Executing{check} '{displayed}'"));
        let directory = self.directory.as_ref().map(PathBuf::from);
        let is_directory = |stat: catwalk_system::Stat| stat.kind == FileKind::Directory;
        if let Some(path) = &directory
            && !run.system.stat(path, true).ok().flatten().is_some_and(is_directory)
        {
            return Err(ExecFailure::Failed(format!("Working directory {} does not exist!", path.display())));
        }
        let environment = self.variables(run);
        self.log_execution(line, run);
        if let Some(message) = self.unknown_identity(run) {
            return Ok((1, format!("Error: Could not execute posix command: {message}")));
        }
        let command = Command {
            argv: if self.has_shell { line.shell_argv() } else { line.argv() },
            stdin: None,
            environment,
            directory,
            user: self.user.clone(),
            group: self.group.clone(),
            umask: self.umask,
            timeout: self.timeout,
            merge_output: true,
        };
        let output = run.system.run(&command).map_err(|error| match error.code {
            Some(TIMED_OUT) => ExecFailure::TimedOut,
            _ if self.is_sensitive => ExecFailure::Failed("[command redacted] cannot be executed".to_owned()),
            _ => ExecFailure::Failed(format!("Could not execute posix command: {error}")),
        })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.code {
            NOT_FOUND if self.is_sensitive => Err(ExecFailure::Failed("[output redacted]".to_owned())),
            NOT_FOUND => Err(ExecFailure::Failed(text)),
            code => Ok((code, text)),
        }
    }

    fn display_command_line(&self, line: &CommandLine) -> String {
        if self.is_sensitive { "[redacted]".to_owned() } else { line.to_message() }
    }

    fn log_execution(&self, line: &CommandLine, run: &mut Run<'_>) {
        if !run.log.wants(Level::Debug) {
            return;
        }
        let command = match line {
            _ if self.is_sensitive => "[redacted]".to_owned(),
            line if self.has_shell => line.shell_argv().join(" "),
            CommandLine::Words(words) => words.join(" "),
            CommandLine::Text(text) => text.clone(),
        };
        let mut identity = String::new();
        for (name, value) in [("uid", &self.user), ("gid", &self.group)] {
            if let Some(value) = value {
                identity.push_str(&format!(" {name}={value}"));
            }
        }
        let with = if identity.is_empty() { "" } else { " with" };
        run.log.log(Level::Debug, None, &format!("Executing{with}{identity}: '{command}'"));
    }

    fn unknown_identity(&self, run: &mut Run<'_>) -> Option<String> {
        if let Some(group) = self.group.as_ref().filter(|group| run.system.group_id(group).is_none()) {
            return Some(format!("Invalid group: {group}"));
        }
        let user = self.user.as_ref().filter(|user| run.system.user_id(user).is_none())?;
        Some(format!("Invalid user: {user}"))
    }

    /// Checks that the program exists and is executable (`checkexe` of the provider `posix`).
    fn check_program(&self, line: &CommandLine, run: &mut Run<'_>) -> Result<(), ExecFailure> {
        if self.has_shell {
            return Ok(());
        }
        let program = line.program();
        let displayed = if self.is_sensitive { "[redacted]" } else { program };
        let find = |path: &Path, run: &mut Run<'_>| run.system.stat(path, true).ok().flatten();
        let missing = || ExecFailure::Failed(format!("Could not find command '{displayed}'"));
        let is_program = |stat: &catwalk_system::Stat| stat.kind == FileKind::File && stat.mode & 0o111 != 0;
        if !program.starts_with('/') {
            let folders = self.path.iter().flatten();
            let mut candidates = folders.map(|folder| Path::new(folder).join(program));
            let found = candidates.any(|path| find(&path, run).is_some_and(|stat| is_program(&stat)));
            return if found { Ok(()) } else { Err(missing()) };
        }
        let stat = find(Path::new(program), run).ok_or_else(missing)?;
        let kind = match stat.kind {
            FileKind::File if is_program(&stat) => return Ok(()),
            FileKind::File => return Err(ExecFailure::Failed(format!("'{displayed}' is not executable"))),
            FileKind::Directory => "directory",
            FileKind::Link => "link",
            FileKind::Other => "special file",
        };
        Err(ExecFailure::Failed(format!("'{displayed}' is a {kind}, not a file")))
    }
}
