//! Encrypts the values of data files for a new key, in all files or in none.

use std::path::Path;
use std::path::PathBuf;

use crate::count;
use crate::decrypt::decrypt;
use crate::files;
use crate::files::DataFile;
use crate::keys::Keys;
use crate::keys::public_key;
use crate::value_error;
use catwalk_base::diag::Reason;
use catwalk_hiera::eyaml::PublicKey;
use catwalk_hiera::eyaml::blocks;
use catwalk_hiera::eyaml::has_hidden_block;
use catwalk_hiera::eyaml::replace;
use catwalk_value::data::yaml;
use catwalk_world::Disk;

/// Encrypts the values of files again, for a new key if one is named. Returns the result as lines.
///
/// # Errors
/// A value cannot be decrypted, or a file cannot be read or written: then no file is changed.
pub fn rekey(
    paths: &[PathBuf],
    new_public_key: Option<&Path>,
    keys: &Keys<'_>,
    world: &Disk,
) -> Result<String, Reason> {
    let new = new_public_key.map(|path| public_key(path, keys.here(), world)).transpose()?;
    let found = files::find(paths, keys.here(), world)?;
    let mut changes: Vec<(&DataFile, Vec<u8>)> = Vec::new();
    let (mut lines, mut values) = (String::new(), 0);
    for file in &found.files {
        let Some((text, number)) = encrypt_again(file, keys, new.as_ref())? else { continue };
        file.refuse_link(world)?;
        lines.push_str(&format!("{}: {}\n", file.shown(), count(number, "value")));
        values += number;
        changes.push((file, text));
    }
    files::replace_all(&changes)?;
    let mut end = format!("{} in {} encrypted", count(values, "value"), count(changes.len(), "file"));
    if found.ignored > 0 {
        end.push_str(&format!("; {} that git ignores not read", count(found.ignored, "file")));
    }
    Ok(format!("{lines}{end}"))
}

/// The text of a file with its values encrypted again, and their number; `None` for a file without encrypted values.
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
