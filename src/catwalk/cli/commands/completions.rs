//! `catwalk completions SHELL`: completions generated from the description of the arguments.

use clap::Args;
use clap_complete::Shell;

use crate::cli::Logger;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::site::LogFormat;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completions.
pub fn run(args: &Arguments) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(crate::cli::help::command()), "catwalk", &mut text);
    match print(&String::from_utf8_lossy(&text)) {
        Ok(()) => 0,
        Err(reason) => usage(&Logger::new(LogFormat::Human), reason),
    }
}

/// The commands without internal ones, which only this program starts.
pub(super) fn visible(all: clap::Command) -> clap::Command {
    let visible: Vec<clap::Command> = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let mut program = clap::Command::new("catwalk").subcommands(visible).subcommand_required(true);
    if let Some(about) = all.get_about() {
        program = program.about(about.clone());
    }
    program.version(env!("CARGO_PKG_VERSION"))
}
