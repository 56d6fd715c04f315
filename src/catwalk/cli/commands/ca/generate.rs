//! `catwalk ca generate`: keys and certificates for nodes, signed in the directory of an authority or by a running server.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;

use super::Ttl;
use super::absolute;
use super::inform;
use super::names::Report;
use super::open_directory;
use super::remote;
use super::setup::alternative_names;
use crate::cli::commands::serve::certificates::KeyType;
use catwalk_authority::Authority;
use catwalk_authority::CertificateFiles;
use catwalk_authority::NewRequest;
use catwalk_authority::Operator;
use catwalk_authority::Outcome;
use catwalk_authority::Refusal;
use catwalk_authority::RemoteAuthority;
use catwalk_authority::is_certname;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Place;

/// Arguments of `ca generate`.
#[derive(Args, Debug)]
pub struct Generate {
    /// The directory of the authority; a server may be using it
    #[arg(long, value_name = "DIR", required_unless_present = "server", conflicts_with = "server")]
    pub cadir: Option<PathBuf>,
    /// Send requests to this running server, Catwalk's or puppetserver, and sign them there
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "ca_client")]
    pub server: Option<String>,
    /// For --server, the certname of the certificate in --ssldir that may manage the authority [default: this machine's host name]
    #[arg(long, value_name = "NAME", requires = "server")]
    pub host_certname: Option<String>,
    /// The nodes
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    pub certname: Vec<String>,
    /// Write keys and certificates to this directory, as an ssldir has them: private_keys, public_keys, certs
    #[arg(long, value_name = "DIR")]
    pub ssldir: PathBuf,
    /// Further names and addresses, such as puppet,IP:192.0.2.1
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub subject_alt_names: Vec<String>,
    /// Let the owner of the certificate manage the authority (pp_cli_auth); only with --cadir
    #[arg(long)]
    pub ca_client: bool,
    /// The keys of the nodes
    #[arg(long, value_enum, default_value_t)]
    pub key_type: KeyType,
    #[command(flatten)]
    pub ttl: Ttl,
}

/// The authority that signs.
enum Signer {
    Directory(Box<Authority>),
    Server(RemoteAuthority),
}

/// Where a node's key and certificate are written.
struct NodeFiles<'a> {
    ssldir: &'a Path,
    name: &'a str,
}

impl NodeFiles<'_> {
    fn path(&self, folder: &str) -> PathBuf {
        self.ssldir.join(folder).join(format!("{}.pem", self.name))
    }

    /// The first file that exists.
    fn existing(&self) -> Option<PathBuf> {
        let paths = ["certs", "private_keys", "public_keys"].map(|folder| self.path(folder));
        paths.into_iter().find(|path| is_certname(self.name) && Disk::new().kind(path) != Kind::Missing)
    }

    fn save(&self, what: &str, folder: &str, kind: output::Kind, text: &str) -> Result<(), String> {
        let path = self.path(folder);
        let written = output::write(&Place::named(&path), kind, text.as_bytes());
        written.map_err(|why| format!("{} cannot be written: {why}", path.display()))?;
        inform(&format!("Successfully saved {what} for {} to {}", self.name, path.display()))
    }

    fn save_keys(&self, key: &str, public_key: &str) -> Result<(), String> {
        self.save("private key", "private_keys", output::Kind::Key, key)?;
        self.save("public key", "public_keys", output::Kind::Certificate, public_key)
    }

    /// Completes a new ssldir with the certificates and revocation lists of the authority, which agents and `--server` need.
    fn complete(&self, authority: &CertificateFiles) -> Result<(), String> {
        for (what, file, source) in [
            ("certificates of the authority", "certs/ca.pem", &authority.ca),
            ("revocation lists", "crl.pem", &authority.crl),
        ] {
            let path = self.ssldir.join(file);
            if Disk::new().kind(&path) != Kind::Missing {
                continue;
            }
            let bytes = catwalk_world::read_file(source).map_err(|why| why.to_string())?;
            let written = output::write(&Place::named(&path), output::Kind::Certificate, &bytes);
            written.map_err(|why| format!("{} cannot be written: {why}", path.display()))?;
            inform(&format!("Successfully saved {what} to {}", path.display()))?;
        }
        Ok(())
    }

    fn save_certificate(&self, certificate: &str) -> Result<(), String> {
        self.save("certificate", "certs", output::Kind::Certificate, certificate)
    }
}

/// Creates keys and certificates.
pub(super) fn generate(args: &Generate, report: &mut Report) -> Result<u8, String> {
    let ssldir = absolute(&args.ssldir)?;
    let signer = match &args.server {
        Some(server) => {
            let own = args.host_certname.clone().unwrap_or_else(catwalk_run::host_name).to_lowercase();
            Signer::Server(remote(server, &ssldir, &own)?)
        }
        None => Signer::Directory(Box::new(open_directory(args.cadir.as_deref().unwrap_or(Path::new(".")))?)),
    };
    for name in &args.certname {
        let files = NodeFiles { ssldir: &ssldir, name };
        if let Some(path) = files.existing() {
            let advice = "Please delete these files if you really want to generate a new cert for";
            report.fail(&format!("Existing file at '{}'\n{advice} {name}.", path.display()));
            continue;
        }
        let refused = match &signer {
            Signer::Directory(authority) => in_directory(args, authority, &files)?,
            Signer::Server(server) => at_server(args, server, &files)?,
        };
        if let Some(why) = refused {
            report.fail(&why);
        }
    }
    Ok(report.code())
}

/// Signs a new key in the directory of the authority. Returns why it does not.
fn in_directory(args: &Generate, authority: &Authority, files: &NodeFiles<'_>) -> Result<Option<String>, String> {
    let names = alternative_names(&args.subject_alt_names);
    let generated = authority.generate(files.name, &names, args.key_type.kind(), args.ca_client, args.ttl.seconds());
    match generated {
        Ok(generated) => {
            files.save_keys(&generated.key, &generated.public_key)?;
            files.save_certificate(&generated.certificate)?;
            files.complete(&authority.files())?;
            Ok(None)
        }
        Err(Refusal::Request(why) | Refusal::Missing(why)) => Ok(Some(why)),
        Err(Refusal::Full(_)) => Ok(Some("too many requests wait".to_owned())),
        Err(Refusal::Authority(error)) => Err(error.to_string()),
    }
}

/// Sends the request for a new key to a server, and signs it there unless its policy has. Returns why it does not.
fn at_server(args: &Generate, server: &RemoteAuthority, files: &NodeFiles<'_>) -> Result<Option<String>, String> {
    let name = files.name;
    let names = alternative_names(&args.subject_alt_names);
    let made = match NewRequest::create(name, &names, args.key_type.kind()) {
        Ok(made) => made,
        Err(error) => return Ok(Some(error.to_string())),
    };
    // The server may keep a request that it refuses to sign: its key must not be lost.
    files.save_keys(&made.key, &made.public_key)?;
    if let Outcome::Refused(why) = server.submit(name, &made.request)? {
        return Ok(Some(format!("When attempting to submit certificate request for '{name}': {why}")));
    }
    inform(&format!("Successfully submitted certificate request for {name}"))?;
    let certificate = match server.certificate(name)? {
        Some(signed) => {
            inform(&format!("Certificate for {name} was autosigned."))?;
            signed
        }
        None => {
            match server.sign(name, args.ttl.seconds())? {
                Outcome::Done => inform(&format!("Successfully signed certificate request for {name}"))?,
                Outcome::Missing | Outcome::Unsigned => {
                    return Ok(Some(format!("Could not find certificate request for {name}")));
                }
                Outcome::Refused(why) => {
                    return Ok(Some(format!("When attempting to sign certificate request '{name}': {why}")));
                }
            }
            match server.certificate(name)? {
                Some(signed) => signed,
                None => return Ok(Some(format!("Signed certificate {name} could not be found on the CA"))),
            }
        }
    };
    files.save_certificate(&certificate)?;
    Ok(None)
}
