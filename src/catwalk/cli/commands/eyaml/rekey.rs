//! `catwalk eyaml rekey`: encrypts the values of data files for a new key, in all files or in none.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::eyaml::KeyArgs;
use catwalk_base::diag::Reason;
use catwalk_eyaml::Keys;
use catwalk_world::Disk;

/// Arguments of `eyaml rekey`.
#[derive(Args, Debug)]
pub struct Rekey {
    /// Data files; of directories, their files .eyaml, .yaml and .yml that git does not ignore
    #[arg(required = true, value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,
    /// The certificate that encrypts from now on [default: that of the old key: only the encrypted bytes become different]
    #[arg(long, value_name = "FILE")]
    pub new_public_key: Option<PathBuf>,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// Encrypts the values again.
pub(super) fn run(args: &Rekey) -> Result<(), Reason> {
    let world = Disk::new();
    let options = args.key_args.options()?;
    let keys = Keys::open(&options, &world)?;
    print(&for_people(&catwalk_eyaml::rekey(&args.paths, args.new_public_key.as_deref(), &keys, &world)?))
}
