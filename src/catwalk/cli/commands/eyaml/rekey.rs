//! `catwalk eyaml rekey`: encrypts the values of data files for a new key, in all files or in none.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::eyaml::count;
use crate::cli::commands::eyaml::decrypt::decrypt;
use crate::cli::commands::eyaml::files;
use crate::cli::commands::eyaml::files::DataFile;
use crate::cli::commands::eyaml::keys;
use crate::cli::commands::eyaml::keys::KeyArgs;
use crate::cli::commands::eyaml::keys::Keys;
use crate::cli::commands::eyaml::value_error;
use catwalk_base::diag::Reason;
use catwalk_hiera::eyaml::PublicKey;
use catwalk_hiera::eyaml::blocks;
use catwalk_hiera::eyaml::has_hidden_block;
use catwalk_hiera::eyaml::replace;
use catwalk_value::data::yaml;
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
    let keys = Keys::open(&args.key_args, &world)?;
    let new = args.new_public_key.as_deref().map(|path| keys::public_key(path, &world)).transpose()?;
    let found = files::find(&args.paths, &world)?;
    let mut changes: Vec<(&DataFile, Vec<u8>)> = Vec::new();
    let (mut lines, mut values) = (String::new(), 0);
    for file in &found.files {
        let Some((text, number)) = encrypt_again(file, &keys, new.as_ref())? else { continue };
        file.refuse_link(&world)?;
        lines.push_str(&format!("{}: {}\n", file.shown(), count(number, "value")));
        values += number;
        changes.push((file, text));
    }
    files::replace_all(&changes)?;
    let mut end = format!("{} in {} encrypted", count(values, "value"), count(changes.len(), "file"));
    if found.ignored > 0 {
        end.push_str(&format!("; {} that git ignores not read", count(found.ignored, "file")));
    }
    print(&for_people(&format!("{lines}{end}")))
}

/// The new text of a file, and how many values it has. `None`: it has no encrypted value.
fn encrypt_again(
    file: &DataFile,
    keys: &Keys<'_>,
    new: Option<&PublicKey>,
) -> Result<Option<(Vec<u8>, usize)>, Reason> {
    let blocks = blocks(&file.bytes);
    if let Ok(data) = yaml::parse(&file.bytes)
        && has_hidden_block(&blocks, &data)
    {
        let text = format!("{} has an encrypted value that is written with escapes: nothing was written", file.shown());
        return Err(value_error(text).help("write the value in one line, without escapes"));
    }
    if blocks.is_empty() {
        return Ok(None);
    }
    let private = keys.private(Some(&file.path))?;
    let same = new.is_none().then(|| keys.public(Some(&file.path))).transpose()?;
    let Some(public) = new.or(same.as_ref()) else { return Ok(None) };
    let text = replace(&file.bytes, &blocks, |block| {
        let plain = decrypt(&private, block, file)?;
        public.encrypt(&plain).map(Some).map_err(|why| file.error_at(block.start, why))
    })?;
    Ok(Some((text, blocks.len())))
}
