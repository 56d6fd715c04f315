//! `catwalk eyaml check`: whether all encrypted values can be decrypted, and whether secrets are in clear.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::data::ListFormat;
use crate::cli::commands::eyaml::KeyArgs;
use catwalk_base::diag::Reason;
use catwalk_eyaml::Keys;
use catwalk_world::Disk;

/// Arguments of `eyaml check`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 nothing was found; 1 values were found; 2 a key or a file cannot be read")]
pub struct Check {
    /// Data files; of directories, their files .eyaml, .yaml and .yml that git does not ignore [default: the files that the
    /// site's hiera.yaml reaches]
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,
    /// Format of the list
    #[arg(long, value_enum, default_value = "human")]
    pub format: ListFormat,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// Checks the files. Returns the exit code.
pub(super) fn run(args: &Check) -> Result<u8, Reason> {
    let world = Disk::new();
    let options = args.key_args.options()?;
    let report = catwalk_eyaml::check(&args.paths, &Keys::open(&options, &world)?, &world)?;
    match args.format {
        ListFormat::Human => print(&for_people(&report.render_human()))?,
        ListFormat::Json => print(&report.render_json())?,
    }
    Ok(u8::from(!report.findings.is_empty()))
}
