//! `catwalk eyaml`: keys and encrypted values of Hiera data, in the format of hiera-eyaml.

mod check;
mod create;
mod decrypt;
mod edit;
mod encrypt;
mod prompt;
mod rekey;

use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_eyaml::KeyOptions;

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

/// Options that name keys.
#[derive(Args, Debug, Default)]
pub struct KeyArgs {
    /// The certificate that encrypts [default: as hiera.yaml says, otherwise eyaml's configuration, otherwise
    /// keys/public_key.pkcs7.pem]
    #[arg(long, value_name = "FILE", alias = "pkcs7-public-key")]
    pub public_key: Option<PathBuf>,
    /// The key that decrypts [default: as hiera.yaml says, otherwise eyaml's configuration, otherwise
    /// keys/private_key.pkcs7.pem]
    #[arg(long, value_name = "FILE", alias = "pkcs7-private-key")]
    pub private_key: Option<PathBuf>,
    /// The site whose hiera.yaml names the keys [default: the nearest parent with catwalk.toml or environment.conf]
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
}

impl KeyArgs {
    /// The options themselves, with paths relative to the current directory.
    ///
    /// # Errors
    /// The current directory does not exist.
    fn options(&self) -> Result<KeyOptions, Reason> {
        Ok(KeyOptions {
            public_key: self.public_key.clone(),
            private_key: self.private_key.clone(),
            site: self.site.clone(),
            here: options::current_dir()?,
            is_untrusted: options::is_untrusted(),
        })
    }
}
