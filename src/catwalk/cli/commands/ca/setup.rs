//! `catwalk ca setup`, `import`: new authorities.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Directory;
use super::absolute;
use super::inform;
use crate::cli::Logger;
use crate::cli::commands::serve::certificates::KeyType;
use crate::cli::commands::serve::certificates::duration;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Imported;
use catwalk_authority::KeyKind;
use catwalk_world::output::Place;

/// The server of a new authority.
#[derive(Args, Debug)]
pub struct Host {
    #[command(flatten)]
    pub directory: Directory,
    /// Write the server's own key and certificate to this ssldir, where Puppet's agent and puppetserver have them [default: in the directory
    /// of the authority]
    #[arg(long, value_name = "DIR")]
    pub ssldir: Option<PathBuf>,
    /// The certname of the server [default: this machine's host name]
    #[arg(long, value_name = "NAME")]
    pub certname: Option<String>,
    /// Further names and addresses of the server, such as puppet,IP:192.0.2.1
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub subject_alt_names: Vec<String>,
    /// How long the certificates are valid: a number with the unit y, d, h, m or s
    #[arg(long, value_name = "DURATION", default_value = "15y", value_parser = duration)]
    pub ca_ttl: Duration,
}

/// Arguments of `ca setup`.
#[derive(Args, Debug)]
pub struct Setup {
    #[command(flatten)]
    pub host: Host,
    /// The common name of the authority [default: Puppet CA: CERTNAME]
    #[arg(long, value_name = "NAME")]
    pub ca_name: Option<String>,
    /// The keys of the authority: P-256 makes handshakes cheaper
    #[arg(long, value_enum, default_value_t)]
    pub key_type: KeyType,
}

/// Arguments of `ca import`.
#[derive(Args, Debug)]
pub struct Import {
    #[command(flatten)]
    pub host: Host,
    /// The private key of the authority (PEM)
    #[arg(long, value_name = "FILE")]
    pub private_key: PathBuf,
    /// The certificate of this key and those of the authorities above it (PEM)
    #[arg(long, value_name = "FILE")]
    pub cert_bundle: PathBuf,
    /// The revocation lists of all these authorities (PEM)
    #[arg(long, value_name = "FILE")]
    pub crl_chain: PathBuf,
}

/// Names without the prefixes `DNS:` and `IP:`.
pub(super) fn alternative_names(names: &[String]) -> Vec<String> {
    let bare = |name: &String| {
        let name = name.trim();
        name.strip_prefix("DNS:").or_else(|| name.strip_prefix("IP:")).unwrap_or(name).to_owned()
    };
    names.iter().map(bare).collect()
}

impl Host {
    fn config(&self, key: KeyKind) -> Result<AuthorityConfig, String> {
        let certname = self.certname.clone().unwrap_or_else(catwalk_run::host_name).to_lowercase();
        let directory = Place::named(absolute(&self.directory.cadir)?);
        Ok(AuthorityConfig {
            alt_names: alternative_names(&self.subject_alt_names),
            ssldir: self.ssldir.as_deref().map(absolute).transpose()?.map(Place::named),
            key,
            ttl: self.ca_ttl,
            ..AuthorityConfig::new(directory, certname)
        })
    }
}

/// Creates an authority.
pub(super) fn setup(args: &Setup, logger: &Logger) -> Result<u8, String> {
    let names = catwalk_authority::Setup { name: args.ca_name.clone(), has_root: true };
    let config = args.host.config(args.key_type.kind())?;
    let made = Authority::setup(config, &names, &|text| logger.note(text)).map_err(|error| error.to_string())?;
    inform(&format!("Generation succeeded. Find your files in {}", made.directory().display()))?;
    Ok(0)
}

/// Creates an authority from existing files.
pub(super) fn import(args: &Import) -> Result<u8, String> {
    let read = |path: &Path| {
        let bytes = catwalk_world::read_file(&absolute(path)?);
        bytes.map(|bytes| bytes.to_vec()).map_err(|why| format!("Could not read file '{}': {why}", path.display()))
    };
    let imported =
        Imported { key: read(&args.private_key)?, bundle: read(&args.cert_bundle)?, crls: read(&args.crl_chain)? };
    let config = args.host.config(KeyKind::Rsa(KeyKind::RSA_BITS))?;
    let made = Authority::import(config, &imported).map_err(|error| error.to_string())?;
    inform(&format!("Import succeeded. Find your files in {}", made.directory().display()))?;
    Ok(0)
}
