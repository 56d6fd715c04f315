//! Creates a private and a public key where hiera-eyaml has them.

use std::path::Path;

use catwalk_base::diag::Reason;
use catwalk_base::source::path::normalize_path;
use catwalk_hiera::eyaml::NewKeys;
use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The names of the files.
const PRIVATE: &str = "private_key.pkcs7.pem";
const PUBLIC: &str = "public_key.pkcs7.pem";

static KEYS: Purpose =
    Purpose { name: "keys", description: "keys of eyaml", option: "DIR", contents: Contents::MixedSecrets };

/// Creates a private and a public key in a directory, relative to `here`. Returns the result as lines.
///
/// # Errors
/// The directory has keys, or cannot be written to.
pub fn create_keys(directory: &Path, here: &Path) -> Result<String, Reason> {
    let path = normalize_path(&here.join(directory));
    let named = directory;
    let mut place = Place::named(&path);
    let shown = |name: &str| named.join(name).display().to_string();
    if let Some(directory) = Directory::open_existing(&place, &KEYS)? {
        refuse_existing(&directory, named)?;
    } else if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
        // Only directories below the part of a path that the user named get the permissions of their purpose.
        place = Place::below(parent, name).unwrap_or(place);
    }
    let keys = NewKeys::create(Disk::new().now()).map_err(Reason::runtime)?;
    let directory = Directory::open(&place, &KEYS)?;
    refuse_existing(&directory, named)?;
    let failed = |name: &str, error: std::io::Error| Reason::runtime(format!("cannot write {}: {error}", shown(name)));
    let private = directory.write(PRIVATE, output::Kind::Key, keys.private.as_bytes());
    private.map_err(|error| failed(PRIVATE, error))?;
    if let Err(error) = directory.write(PUBLIC, output::Kind::Certificate, keys.public.as_bytes()) {
        // Half of a pair is of no use.
        let _ = directory.remove(PRIVATE);
        return Err(failed(PUBLIC, error));
    }
    let text = format!(
        "created {}: decrypts; keep it secret, out of version control\ncreated {}: encrypts",
        shown(PRIVATE),
        shown(PUBLIC)
    );
    Ok(text)
}

/// Keys are never replaced: nothing would decrypt the values of the old ones.
fn refuse_existing(directory: &Directory, shown: &Path) -> Result<(), Reason> {
    for name in [PRIVATE, PUBLIC] {
        let path = shown.join(name);
        let kind = directory.kind(name);
        if kind.map_err(|error| Reason::runtime(format!("cannot read {}: {error}", path.display())))?.is_some() {
            let reason = Reason::usage(format!("{} exists: nothing was written", path.display()));
            return Err(reason.help("keys are never replaced; name another directory, then `catwalk eyaml rekey`"));
        }
    }
    Ok(())
}
