//! `catwalk eyaml encrypt`: encrypts a value for a data file, or values of a data file in place.

use std::io::Read;
use std::path::PathBuf;

use clap::ArgGroup;
use clap::Args;
use clap::ValueEnum;
use zeroize::Zeroizing;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::eyaml::KeyArgs;
use crate::cli::commands::eyaml::decrypt::print_bytes;
use crate::cli::commands::eyaml::prompt;
use catwalk_base::diag::Reason;
use catwalk_eyaml::DataFile;
use catwalk_eyaml::Keys;
use catwalk_eyaml::value_error;
use catwalk_hiera::eyaml::Decrypted;
use catwalk_hiera::eyaml::Form;
use catwalk_hiera::eyaml::PublicKey;
use catwalk_world::DEFAULT_FILE_LIMIT;
use catwalk_world::Disk;

/// The indentation of a block in the output.
const INDENTATION: &str = "  ";

/// Arguments of `eyaml encrypt`.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("source").required(true))]
pub struct Encrypt {
    /// Encrypt this string; other users of this machine may see it in the list of processes
    #[arg(long, short, group = "source", value_name = "STRING")]
    pub string: Option<String>,
    /// Encrypt the contents of a file
    #[arg(long, short, group = "source", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Encrypt what stdin contains, with a line break at its end
    #[arg(long, group = "source")]
    pub stdin: bool,
    /// Ask for the value on the terminal, without showing it
    #[arg(long, short, group = "source")]
    pub password: bool,
    /// Print a file with its parts `DEC::PKCS7[…]!` encrypted
    #[arg(long, short, group = "source", value_name = "FILE")]
    pub eyaml: Option<PathBuf>,
    /// Encrypt the values of KEYS in this data file; the rest of the file stays as it is
    #[arg(long = "in", group = "source", value_name = "FILE", requires = "keys")]
    pub in_file: Option<PathBuf>,
    /// Keys in the data file, such as webapp::password, or webapp::database.password in a hash
    #[arg(value_name = "KEY", requires = "in_file")]
    pub keys: Vec<String>,
    /// The key of the data file to print before the value
    #[arg(long, short, value_name = "KEY")]
    pub label: Option<String>,
    /// Form of the output
    #[arg(long, short, value_enum, default_value = "examples")]
    pub output: OutputForm,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// Forms of an encrypted value.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputForm {
    /// In one line, and as a block
    Examples,
    /// In lines of 60 characters
    Block,
    /// In one line
    String,
}

/// Encrypts.
pub(super) fn run(args: &Encrypt, logger: &Logger) -> Result<(), Reason> {
    let world = Disk::new();
    let options = args.key_args.options()?;
    let keys = Keys::open(&options, &world)?;
    if let Some(file) = &args.in_file {
        let text = catwalk_eyaml::encrypt_in_place(file, &args.keys, &keys, &world, logger)?;
        return print(&for_people(&text));
    }
    if let Some(file) = &args.eyaml {
        return encrypt_file(&DataFile::read(file, &options.here)?, &keys);
    }
    let public = keys.public(None)?;
    let value = match (&args.string, &args.file) {
        (Some(string), _) => Zeroizing::new(string.as_bytes().to_vec()),
        (None, Some(file)) => Zeroizing::new(DataFile::read(file, &options.here)?.bytes.to_vec()),
        (None, None) if args.password => prompt::read_value()?,
        (None, None) => read_stdin()?,
    };
    print(&write(&value, args.label.as_deref(), args.output, &public)?)
}

/// What stdin contains.
///
/// # Errors
/// It cannot be read, or is too large.
pub(super) fn read_stdin() -> Result<Zeroizing<Vec<u8>>, Reason> {
    let mut bytes = Zeroizing::new(Vec::new());
    let read = std::io::stdin().lock().take(DEFAULT_FILE_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| Reason::usage(format!("cannot read stdin: {error}")))?;
    if bytes.len() as u64 > DEFAULT_FILE_LIMIT {
        return Err(Reason::usage(format!("stdin has more than {} MiB", DEFAULT_FILE_LIMIT >> 20)));
    }
    Ok(bytes)
}

/// The lines for a data file. Source: `execute` in hiera-eyaml's `subcommands/encrypt.rb`.
fn write(value: &[u8], label: Option<&str>, form: OutputForm, public: &PublicKey) -> Result<String, Reason> {
    let cipher = public.encrypt(value).map_err(value_error)?;
    let wrapped = Form::Wrapped(INDENTATION.to_owned()).write(&cipher);
    let line = |label: Option<&str>| {
        let label = label.map(|label| format!("{label}: ")).unwrap_or_default();
        format!("{label}{}", Form::Line.write(&cipher))
    };
    let block = |label: Option<&str>| match label {
        Some(label) => format!("{label}: >\n{INDENTATION}{wrapped}"),
        None => format!("{INDENTATION}{wrapped}"),
    };
    Ok(match form {
        OutputForm::String => line(label),
        OutputForm::Block => block(label),
        OutputForm::Examples => {
            format!("{}\n\nOR\n\n{}", line(label.or(Some("string"))), block(label.or(Some("block"))))
        }
    })
}

/// Prints a file with its decrypted parts encrypted.
fn encrypt_file(file: &DataFile, keys: &Keys<'_>) -> Result<(), Reason> {
    let public = keys.public(Some(&file.path))?;
    let Ok(empty) = Decrypted::new(&[], Vec::new(), |_| Ok::<_, std::convert::Infallible>(None));
    let encrypted = empty
        .encrypt(&file.bytes, |value| public.encrypt(value))
        .map_err(|error| value_error(error.message).in_file(file.line_start(error.line)))?;
    print_bytes(&encrypted.text)
}
