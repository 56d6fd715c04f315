//! `catwalk ca setup`, `import`, `generate`: new authorities, keys and certificates.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Directory;
use super::Ttl;
use super::absolute;
use super::inform;
use super::names::Report;
use super::open_directory;
use crate::cli::Logger;
use crate::cli::commands::serve::certificates::KeyType;
use crate::cli::commands::serve::certificates::duration;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Generated;
use catwalk_authority::Imported;
use catwalk_authority::KeyKind;
use catwalk_authority::Refusal;
use catwalk_authority::is_certname;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output;
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

/// Arguments of `ca generate`.
#[derive(Args, Debug)]
pub struct Generate {
    #[command(flatten)]
    pub directory: Directory,
    /// The nodes
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    pub certname: Vec<String>,
    /// Write keys and certificates to this directory, as an ssldir has them: private_keys, public_keys, certs
    #[arg(long, value_name = "DIR")]
    pub ssldir: PathBuf,
    /// Further names and addresses, such as puppet,IP:192.0.2.1
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub subject_alt_names: Vec<String>,
    /// Let the owner of the certificate manage the authority (pp_cli_auth)
    #[arg(long)]
    pub ca_client: bool,
    /// The keys of the nodes
    #[arg(long, value_enum, default_value_t)]
    pub key_type: KeyType,
    #[command(flatten)]
    pub ttl: Ttl,
}

/// Names without the prefixes `DNS:` and `IP:`.
fn alternative_names(names: &[String]) -> Vec<String> {
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

/// The files of a generated certificate: what they are, their paths below the ssldir, whether they are secret.
fn files(name: &str, generated: &Generated) -> [(&'static str, String, String, output::Kind); 3] {
    let file = |what, folder: &str, text: &str, kind| (what, format!("{folder}/{name}.pem"), text.to_owned(), kind);
    [
        file("private key", "private_keys", &generated.key, output::Kind::Key),
        file("public key", "public_keys", &generated.public_key, output::Kind::Certificate),
        file("certificate", "certs", &generated.certificate, output::Kind::Certificate),
    ]
}

/// Creates keys and certificates.
pub(super) fn generate(args: &Generate, report: &mut Report) -> Result<u8, String> {
    let authority = open_directory(&args.directory.cadir)?;
    let ssldir = absolute(&args.ssldir)?;
    let (names, kind) = (alternative_names(&args.subject_alt_names), args.key_type.kind());
    for name in &args.certname {
        let folders = ["private_keys", "public_keys", "certs"];
        let paths = folders.map(|folder| ssldir.join(folder).join(format!("{name}.pem")));
        let exists = |path: &&PathBuf| is_certname(name) && Disk::new().kind(path) != Kind::Missing;
        if let Some(path) = paths.iter().find(exists) {
            let advice = "Please delete these files if you really want to generate a new cert for";
            report.fail(&format!("Existing file at '{}'\n{advice} {name}.", path.display()));
            continue;
        }
        let generated = match authority.generate(name, &names, kind, args.ca_client, args.ttl.seconds()) {
            Ok(generated) => generated,
            Err(Refusal::Request(why) | Refusal::Missing(why)) => {
                report.fail(&why);
                continue;
            }
            Err(Refusal::Full(_)) => continue,
            Err(Refusal::Authority(error)) => return Err(error.to_string()),
        };
        for (what, path, text, kind) in files(name, &generated) {
            let path = ssldir.join(path);
            let written = output::write(&Place::named(&path), kind, text.as_bytes());
            written.map_err(|why| format!("{} cannot be written: {why}", path.display()))?;
            inform(&format!("Successfully saved {what} for {name} to {}", path.display()))?;
        }
    }
    Ok(report.code())
}
