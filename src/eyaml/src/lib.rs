//! Keys and encrypted values of Hiera data in files, in the format of hiera-eyaml.
//!
//! In: paths, [`KeyOptions`], the user's editor. Out: changed files, decrypted values, a [`Report`]. Must not: know options of commands,
//! print, follow links when it writes.
//!
//! | file | what |
//! |---|---|
//! | `keys` | the keys that encrypt and decrypt |
//! | `files` | data files that are read and replaced |
//! | `create` | new keys |
//! | `in_place` | encrypts values that are in clear |
//! | `decrypt`, `rekey` | decrypts values, and encrypts them for a new key |
//! | `check` | finds values that cannot be decrypted and secrets in clear |
//! | `editor` | the user's editor |

mod check;
mod create;
mod decrypt;
mod editor;
mod files;
mod in_place;
mod keys;
mod rekey;

pub use check::Finding;
pub use check::Report;
pub use check::check;
pub use create::create_keys;
pub use decrypt::decrypt;
pub use decrypt::private_keys;
pub use editor::Editor;
pub use files::DataFile;
pub use in_place::encrypt_in_place;
pub use keys::KeyOptions;
pub use keys::Keys;
pub use keys::PrivateKeys;
pub use rekey::rekey;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

/// An error of a value: exit code 1.
#[must_use]
pub fn value_error(text: impl Into<std::borrow::Cow<'static, str>>) -> Reason {
    Reason::new(Code::EYAML_VALUE, text)
}

/// A number with its noun.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
