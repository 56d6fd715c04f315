//! `catwalk eyaml decrypt`: prints decrypted values.

use std::io::IsTerminal;
use std::io::Write;
use std::path::PathBuf;

use clap::ArgGroup;
use clap::Args;

use crate::cli::commands::eyaml::KeyArgs;
use crate::cli::commands::eyaml::encrypt::read_stdin;
use catwalk_base::diag::Reason;
use catwalk_base::diag::visible;
use catwalk_eyaml::DataFile;
use catwalk_eyaml::Keys;
use catwalk_eyaml::decrypt;
use catwalk_eyaml::private_keys;
use catwalk_eyaml::value_error;
use catwalk_hiera::eyaml::Decrypted;
use catwalk_hiera::eyaml::blocks;
use catwalk_world::Disk;

/// Arguments of `eyaml decrypt`.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("source").required(true))]
pub struct Decrypt {
    /// Decrypt this string, such as 'ENC[PKCS7,…]'
    #[arg(long, short, group = "source", value_name = "STRING")]
    pub string: Option<String>,
    /// Decrypt the values in a file
    #[arg(long, short, group = "source", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Decrypt what stdin contains
    #[arg(long, group = "source")]
    pub stdin: bool,
    /// Print a data file with `DEC::PKCS7[…]!` in place of its encrypted values
    #[arg(long, short, group = "source", value_name = "FILE")]
    pub eyaml: Option<PathBuf>,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// Decrypts.
pub(super) fn run(args: &Decrypt) -> Result<(), Reason> {
    let world = Disk::new();
    let options = args.key_args.options()?;
    let keys = Keys::open(&options, &world)?;
    if let Some(path) = args.eyaml.as_ref().or(args.file.as_ref()) {
        let file = DataFile::read(path, &options.here)?;
        let found = blocks(&file.bytes);
        let private = private_keys(&found, || keys.private(Some(&file.path)))?;
        let decrypted = Decrypted::new(&file.bytes, found, |block| decrypt(&private, block, &file).map(Some))?;
        return print_bytes(&if args.eyaml.is_some() { decrypted.text(false) } else { decrypted.plain_text() });
    }
    let text = match &args.string {
        Some(string) => string.as_bytes().to_vec(),
        None => read_stdin()?.to_vec(),
    };
    let found = blocks(&text);
    let private = private_keys(&found, || keys.private(None))?;
    let decrypted = Decrypted::new(&text, found, |block| private.decrypt(block).map(Some).map_err(value_error))?;
    print_bytes(&decrypted.plain_text())
}

/// Prints bytes with a line break at the end, as Ruby's `puts`. A terminal gets no control characters.
///
/// # Errors
/// Stdout cannot be written to. A closed pipe is not an error.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Reason> {
    let mut out = std::io::stdout().lock();
    let written = match out.is_terminal() {
        true => out.write_all(visible::visible(&String::from_utf8_lossy(bytes)).as_bytes()),
        false => out.write_all(bytes),
    };
    let end = if bytes.ends_with(b"\n") { &b""[..] } else { &b"\n"[..] };
    match written.and_then(|()| out.write_all(end)).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Reason::runtime(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}
