//! Which keys encrypt and decrypt: those of options, else of the site's `hiera.yaml`, else of the configuration of eyaml.
//!
//! In: options, a data file. Out: keys. Must not: use keys that the configuration of untrusted code names.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::source::path::normalize_path;
use catwalk_hiera::eyaml::Block;
use catwalk_hiera::eyaml::Level;
use catwalk_hiera::eyaml::PrivateKey;
use catwalk_hiera::eyaml::PublicKey;
use catwalk_hiera::eyaml::key_in_pem;
use catwalk_hiera::eyaml::levels;
use catwalk_session::site::Site;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The options of hiera-eyaml that name a key.
const OPTIONS: [&str; 3] = ["key", "key_env_var", "b64_key_env_var"];

/// The keys and the site that the user names.
#[derive(Debug, Default, Clone)]
pub struct KeyOptions {
    /// The certificate that encrypts.
    pub public_key: Option<PathBuf>,
    /// The key that decrypts.
    pub private_key: Option<PathBuf>,
    /// The site whose hiera.yaml names the keys.
    pub site: Option<PathBuf>,
    /// The current directory, to which these paths are relative.
    pub here: PathBuf,
    /// Whether the environment marks all code as untrusted.
    pub is_untrusted: bool,
}

/// Where keys are named.
pub struct Keys<'k> {
    options: &'k KeyOptions,
    world: &'k Disk,
    /// The levels of its hiera.yaml.
    levels: Vec<Level>,
    /// The positions of the levels that read a file.
    readers: FxHashMap<PathBuf, Vec<usize>>,
    /// The directory of its hiera.yaml.
    folder: Option<PathBuf>,
}

/// Keys that may decrypt a value. There are several if levels of `hiera.yaml` have different keys.
#[derive(Default)]
pub struct PrivateKeys(Vec<PrivateKey>);

impl PrivateKeys {
    /// Decrypts a block with the first key that it is encrypted for.
    ///
    /// # Errors
    /// It is encrypted for another key, or damaged: the message.
    pub fn decrypt(&self, block: &Block) -> Result<zeroize::Zeroizing<Vec<u8>>, String> {
        if block.method != "PKCS7" {
            return Err(format!("not supported yet: eyaml's encryption method {}", block.method));
        }
        let mut failure = String::new();
        for key in &self.0 {
            match key.decrypt(&block.cipher) {
                Ok(plain) => return Ok(plain),
                Err(why) => failure = why,
            }
        }
        Err(failure)
    }

    /// Whether one of the keys decrypts what a public key encrypts.
    #[must_use]
    pub fn belong_to(&self, public: &PublicKey) -> bool {
        self.0.iter().any(|key| key.belongs_to(public))
    }
}

fn key_error(text: String) -> Reason {
    Reason::new(Code::EYAML_KEY, text)
}

impl<'k> Keys<'k> {
    /// The current directory.
    pub(crate) fn here(&self) -> &'k Path {
        &self.options.here
    }

    /// Finds the site and its hiera.yaml.
    ///
    /// # Errors
    /// `catwalk.toml` or `hiera.yaml` is invalid.
    pub fn open(options: &'k KeyOptions, world: &'k Disk) -> Result<Keys<'k>, Reason> {
        let root = match &options.site {
            Some(site) => Some(normalize_path(&options.here.join(site))),
            None => Site::find(&options.here, world),
        };
        let mut keys = Keys { options, world, levels: Vec::new(), readers: FxHashMap::default(), folder: None };
        let Some(root) = root else { return Ok(keys) };
        let site = Site::open(&root, world)?;
        if site.untrusted == Some(true) || options.is_untrusted {
            return Ok(keys);
        }
        let path = site.hiera.unwrap_or_else(|| root.join("hiera.yaml"));
        if world.kind(&path) == Kind::File {
            keys.levels = levels(&path, world).map_err(|failure| {
                let locations = failure.reason.locations.clone();
                Reason { locations, ..Reason::new(Code::BAD_DATA, failure.full_message()) }
            })?;
            for (at, level) in keys.levels.iter().enumerate() {
                for file in &level.files {
                    keys.readers.entry(file.clone()).or_default().push(at);
                }
            }
            keys.folder = path.parent().map(Path::to_path_buf);
        }
        Ok(keys)
    }

    /// The data files that levels of hiera.yaml read.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.levels.iter().flat_map(|level| level.files.iter().cloned()).collect()
    }

    /// The levels that read a file.
    pub fn readers(&self, file: &Path) -> impl Iterator<Item = &Level> {
        self.readers.get(file).into_iter().flatten().filter_map(|at| self.levels.get(*at))
    }

    /// The keys that may have encrypted the values of a file, or of any.
    ///
    /// # Errors
    /// No key can be read.
    pub fn private(&self, file: Option<&Path>) -> Result<PrivateKeys, Reason> {
        let pems = self.pems("private", self.options.private_key.as_deref(), file)?;
        let read = pems.iter().map(|(name, pem)| {
            PrivateKey::read(pem).map_err(|why| key_error(format!("the private key cannot be used: {name}: {why}")))
        });
        Ok(PrivateKeys(read.collect::<Result<_, Reason>>()?))
    }

    /// The key for new values of a file.
    ///
    /// # Errors
    /// The key cannot be read, or levels of `hiera.yaml` have different keys.
    pub fn public(&self, file: Option<&Path>) -> Result<PublicKey, Reason> {
        let pems = self.pems("public", self.options.public_key.as_deref(), file)?;
        match pems.as_slice() {
            [(name, pem)] => read_public(name, pem),
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                let reason = key_error(format!("hiera.yaml has several public keys: {}", names.join(", ")));
                Err(reason.help("name the one to use: --public-key FILE"))
            }
        }
    }

    /// The different keys with their names: at least one.
    fn pems(
        &self,
        which: &str,
        option: Option<&Path>,
        file: Option<&Path>,
    ) -> Result<Vec<(String, Arc<[u8]>)>, Reason> {
        if let Some(path) = option {
            return Ok(vec![read_option(which, path, &self.options.here, self.world)?]);
        }
        let names_key = |level: &&Level| level.decrypts && is_named(which, &level.options);
        let mut named: Vec<&Level> = file.into_iter().flat_map(|file| self.readers(file)).filter(names_key).collect();
        if named.is_empty() {
            named = self.levels.iter().filter(names_key).collect();
        }
        let (mut found, mut failure) = (Vec::<(String, Arc<[u8]>)>::new(), None);
        for level in named {
            match key_in_pem(which, &level.options, self.folder.as_deref(), self.world) {
                Ok(pem) if found.iter().any(|(_, other)| *other == pem) => {}
                Ok(pem) => found.push((key_name(which, &level.options), pem)),
                Err(why) => {
                    let text = format!("the {which} key of level '{}' in hiera.yaml cannot be read: {why}", level.name);
                    failure.get_or_insert(key_error(text));
                }
            }
        }
        match (found.is_empty(), failure) {
            (false, _) => Ok(found),
            (true, Some(failure)) => Err(failure.help(format!("name it: --{which}-key FILE"))),
            (true, None) => Ok(vec![self.configured(which)?]),
        }
    }

    /// The key that the configuration of eyaml names, or the one in `keys/`.
    fn configured(&self, which: &str) -> Result<(String, Arc<[u8]>), Reason> {
        let mut config = eyaml_configuration(self.world)?;
        let variable = option_name(which, "key_env_var");
        let is_set =
            config.get(variable.as_str()).and_then(Value::as_str).is_some_and(|name| self.world.env(name).is_some());
        if !is_set {
            config.remove(&Value::str(&variable));
        }
        let option = option_name(which, "key");
        if config.get(&option).is_none() {
            config.set(&option, Value::str(format!("./keys/{which}_key.pkcs7.pem")));
        }
        let pem = key_in_pem(which, &config, None, self.world).map_err(|why| {
            let help = format!("`catwalk eyaml keys` creates keys; --{which}-key FILE names one elsewhere");
            key_error(format!("the {which} key cannot be read: {why}")).help(help)
        })?;
        Ok((key_name(which, &config), pem))
    }
}

/// Reads the key that an option names.
fn read_option(which: &str, path: &Path, here: &Path, world: &Disk) -> Result<(String, Arc<[u8]>), Reason> {
    let pem = world.read(&normalize_path(&here.join(path)));
    let pem = pem.map_err(|why| key_error(format!("the {which} key cannot be read: {why}")))?;
    Ok((path.display().to_string(), pem))
}

/// Reads the certificate that an option names.
///
/// # Errors
/// It cannot be read.
pub(crate) fn public_key(path: &Path, here: &Path, world: &Disk) -> Result<PublicKey, Reason> {
    let (name, pem) = read_option("public", path, here, world)?;
    read_public(&name, &pem)
}

fn read_public(name: &str, pem: &[u8]) -> Result<PublicKey, Reason> {
    PublicKey::read(pem).map_err(|why| key_error(format!("the public key cannot be used: {name}: {why}")))
}

/// The name of an option for a key: `pkcs7_private_key_env_var`.
fn option_name(which: &str, option: &str) -> String {
    match option.strip_prefix("b64_") {
        Some(rest) => format!("pkcs7_b64_{which}_{rest}"),
        None => format!("pkcs7_{which}_{option}"),
    }
}

fn is_named(which: &str, options: &Hash) -> bool {
    OPTIONS.iter().any(|option| options.get(&option_name(which, option)).is_some())
}

/// The file or variable of a key, for messages.
fn key_name(which: &str, options: &Hash) -> String {
    let value = |option: &&str| options.get(&option_name(which, option)).and_then(Value::as_str);
    OPTIONS.iter().rev().find_map(value).unwrap_or_default().to_owned()
}

/// The options in the files that `eyaml` reads; later ones replace earlier ones.
fn eyaml_configuration(world: &Disk) -> Result<Hash, Reason> {
    let home = world.env("HOME").map(|home| Path::new(&*home).join(".eyaml/config.yaml"));
    let named = world.env("EYAML_CONFIG").map(|path| PathBuf::from(&*path));
    let mut options = Hash::new();
    for path in [Some(PathBuf::from("/etc/eyaml/config.yaml")), home, named].into_iter().flatten() {
        if world.kind(&path) != Kind::File {
            continue;
        }
        let unusable =
            |why: &dyn std::fmt::Display| key_error(format!("the configuration of eyaml {}: {why}", path.display()));
        let bytes = world.read(&path).map_err(|why| unusable(&why))?;
        match yaml::parse(&bytes).map_err(|why| unusable(&why))? {
            Value::Hash(hash) => {
                for (key, value) in hash.iter() {
                    options.insert(key.clone(), value.clone());
                }
            }
            _ => return Err(unusable(&"it is not a hash")),
        }
    }
    Ok(options)
}
