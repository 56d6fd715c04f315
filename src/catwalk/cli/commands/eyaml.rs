//! `catwalk eyaml`: keys and encrypted values of Hiera data, in the format of hiera-eyaml.

mod check;
mod create;
mod decrypt;
mod edit;
mod editor;
mod encrypt;
mod files;
mod in_place;
mod keys;
mod prompt;
mod rekey;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;

/// Arguments of `eyaml`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub action: Action,
}

/// Subcommands of `eyaml`.
#[derive(Subcommand, Debug)]
pub enum Action {
    /// Create a private and a public key
    #[command(alias = "createkeys")]
    Keys(create::Create),
    /// Encrypt a value; or values of a data file, in place
    Encrypt(encrypt::Encrypt),
    /// Decrypt a value, or the values of a data file
    Decrypt(decrypt::Decrypt),
    /// Edit a data file with decrypted values; afterwards only changed and new values are encrypted
    Edit(edit::Edit),
    /// Encrypt the values of data files for a new key
    #[command(alias = "recrypt")]
    Rekey(rekey::Rekey),
    /// Check that all encrypted values can be decrypted, and that no secret is in clear
    Check(check::Check),
}

impl Arguments {
    /// Whether the command starts an editor, which handles the signals of the terminal.
    pub(in crate::cli) fn is_edit(&self) -> bool {
        matches!(self.action, Action::Edit(_))
    }
}

/// Runs the subcommand. Returns the exit code.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let done = match &args.action {
        Action::Keys(args) => create::run(args).map(|()| 0),
        Action::Encrypt(args) => encrypt::run(args, logger).map(|()| 0),
        Action::Decrypt(args) => decrypt::run(args).map(|()| 0),
        Action::Edit(args) => edit::run(args, logger).map(|()| 0),
        Action::Rekey(args) => rekey::run(args).map(|()| 0),
        Action::Check(args) => check::run(args),
    };
    match done {
        Ok(code) => code,
        Err(reason) if reason.code == Code::EYAML_VALUE => {
            logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
            1
        }
        Err(reason) => usage(logger, reason),
    }
}

/// An error of a value: exit code 1.
fn value_error(text: impl Into<std::borrow::Cow<'static, str>>) -> Reason {
    Reason::new(Code::EYAML_VALUE, text)
}

/// A number with its noun.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
