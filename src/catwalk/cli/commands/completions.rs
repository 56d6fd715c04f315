//! `catwalk completions SHELL`: completions generated from the description of the arguments. Those of names of a site: see `complete`.

use clap::Args;
use clap_complete::Shell;

use crate::cli::Logger;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = "\
These completions know commands and options. To complete names of nodes, fact sets, cases and environments of the site, too, let the shell
ask catwalk when it starts, in place of the output of this command:

  bash        source <(COMPLETE=bash catwalk)                   in ~/.bashrc
  zsh         source <(COMPLETE=zsh catwalk)                    in ~/.zshrc
  fish        COMPLETE=fish catwalk | source                    in ~/.config/fish/config.fish
  elvish      eval (E:COMPLETE=elvish catwalk | slurp)          in ~/.elvish/rc.elv
  powershell  $env:COMPLETE = \"powershell\"; catwalk | Out-String | Invoke-Expression; Remove-Item Env:\\COMPLETE

Completion reads names of files only: it runs no code of the site.")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completions.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(crate::cli::help::command()), "catwalk", &mut text);
    match print(&String::from_utf8_lossy(&text)) {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
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
