//! `catwalk eyaml keys`: creates a private and a public key where hiera-eyaml has them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::options;
use catwalk_base::diag::Reason;

/// Arguments of `eyaml keys`.
#[derive(Args, Debug)]
pub struct Create {
    /// The directory for private_key.pkcs7.pem and public_key.pkcs7.pem
    #[arg(value_name = "DIR", default_value = "keys")]
    pub directory: PathBuf,
}

/// Creates the keys.
pub(super) fn run(args: &Create) -> Result<(), Reason> {
    print(&for_people(&catwalk_eyaml::create_keys(&args.directory, &options::current_dir()?)?))
}
