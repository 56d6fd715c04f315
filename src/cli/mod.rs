//! The command line: what was typed becomes a `Session` and its results become text and an exit code.

pub mod commands;

use std::process::ExitCode;

use clap::Parser;

/// Puppet catalogs, compiled as you type.
#[derive(Parser, Debug)]
#[command(name = "catwalk", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Check manifests and templates
    Check(commands::check::Arguments),
    /// Show the syntax tree of manifests and templates
    Parse(commands::parse::Arguments),
}

/// Runs the program with the process's arguments. Exit codes: 0 done, 1 some node or file failed, 2 usage.
#[must_use]
pub fn run() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => match arguments.command {
            Command::Check(arguments) => commands::check::run(&arguments),
            Command::Parse(arguments) => commands::parse::run(&arguments),
        },
        Err(error) => {
            let _ = error.print();
            // Help and version are no failures.
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
    }
}
