//! Decrypts blocks of files.

use crate::files::DataFile;
use crate::keys::PrivateKeys;
use catwalk_base::diag::Reason;
use catwalk_hiera::eyaml::Block;

/// The keys for blocks. Without blocks none are read.
///
/// # Errors
/// There are blocks, and no key can be read.
pub fn private_keys(
    blocks: &[Block],
    read: impl FnOnce() -> Result<PrivateKeys, Reason>,
) -> Result<PrivateKeys, Reason> {
    if blocks.is_empty() { Ok(PrivateKeys::default()) } else { read() }
}

/// Decrypts a block of a file.
///
/// # Errors
/// It cannot be decrypted; the message names the line.
pub fn decrypt(keys: &PrivateKeys, block: &Block, file: &DataFile) -> Result<zeroize::Zeroizing<Vec<u8>>, Reason> {
    keys.decrypt(block).map_err(|why| file.error_at(block.start, format!("the value cannot be decrypted: {why}")))
}
