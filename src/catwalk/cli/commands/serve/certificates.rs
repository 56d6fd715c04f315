//! The source of a server's certificates: a temporary authority for trials (`--dev`), an authority in a directory, or files that an
//! existing authority issued.

use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;

use crate::cli::Logger;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_messages::quote_for_shell;
use catwalk_server::AuthorityConfig;
use catwalk_server::Autosign;
use catwalk_server::CertificateFiles;
use catwalk_server::CertificateSource;
use catwalk_session::secret_key;
use catwalk_world::output::Place;

/// The certname of the server with `--dev`, which no machine has.
const DEV_NAME: &str = "catwalk.localhost";
/// The directories of the authority of `--dev` and of its agent, in `.catwalk` of the site.
const DEV_CA: &str = "ca";
const DEV_AGENT: &str = "agent";
/// Sizes of keys in bits. Keys of `--dev` are short-lived and may be smaller.
const KEY_BITS: usize = 4096;
const DEV_KEY_BITS: usize = 2048;

/// Options of certificates.
#[derive(Args, Debug, Clone, Default)]
pub struct CertificateArgs {
    /// Try it out on this machine: a temporary certificate authority in .catwalk/ca that signs every agent
    #[arg(long, conflicts_with_all = ["ssldir", "cadir", "cert", "certname"])]
    pub dev: bool,
    /// Use the certificates in this ssldir of an agent: Puppet's authority has signed them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cadir", "cert"])]
    pub ssldir: Option<PathBuf>,
    /// The server's certificate (PEM), with --key, --ca and --crl
    #[arg(long, value_name = "FILE", requires_all = ["key", "ca", "crl"], conflicts_with = "cadir")]
    pub cert: Option<PathBuf>,
    /// The key of this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// The certificates of all authorities of the chain (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub ca: Option<PathBuf>,
    /// The revocation lists of all these authorities (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub crl: Option<PathBuf>,
    /// Be the certificate authority, with its files in this directory; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub cadir: Option<PathBuf>,
    /// Sign these agents: a certname, a pattern such as *.example.com, `all` or `none` (repeatable) [default: none; with --dev: all]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ssldir", "cert"])]
    pub autosign: Vec<String>,
    /// Sign the waiting certificate request of this node, whose fingerprint you have compared, and exit (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ssldir", "cert", "autosign"])]
    pub sign: Vec<String>,
    /// The certname of the server [default: this machine's host name]
    #[arg(long, value_name = "NAME")]
    pub certname: Option<String>,
    /// Another name or address by which agents reach the server (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ssldir", "cert"])]
    pub alt_name: Vec<String>,
}

/// The certificates of a server.
pub(super) struct Certificates {
    /// The certname of the server.
    pub(super) certname: String,
    /// Where its certificates come from.
    pub(super) source: CertificateSource,
    /// The directory of an agent's certificates with `--dev`.
    agent: Option<PathBuf>,
}

impl CertificateArgs {
    /// Finds the certificates. `home` is the directory of the site.
    ///
    /// # Errors
    /// No source of certificates is given, or the server of `--dev` would be reachable from other machines.
    pub(super) fn source(&self, listen: SocketAddr, home: Option<&Path>) -> Result<Certificates, Reason> {
        let certname = self.certname.clone().unwrap_or_else(catwalk_run::host_name).to_lowercase();
        if self.dev {
            return self.dev_source(listen, home);
        }
        if let Some(folder) = &self.ssldir {
            let files = CertificateFiles::in_ssldir(&options::absolute(folder)?, &certname);
            return Ok(Certificates { certname, source: CertificateSource::Files(files), agent: None });
        }
        if let (Some(certificate), Some(key), Some(ca), Some(crl)) = (&self.cert, &self.key, &self.ca, &self.crl) {
            let files = CertificateFiles {
                ca: options::absolute(ca)?,
                certificate: options::absolute(certificate)?,
                key: options::absolute(key)?,
                crl: options::absolute(crl)?,
            };
            return Ok(Certificates { certname, source: CertificateSource::Files(files), agent: None });
        }
        let Some(folder) = &self.cadir else {
            let help = "--dev tries it out, --ssldir DIR uses certificates of an existing authority, --cadir DIR creates an authority";
            return Err(Reason::usage("a server needs certificates").help(help));
        };
        let config = AuthorityConfig {
            directory: Place::named(options::absolute(folder)?),
            certname: certname.clone(),
            alt_names: self.alt_name.clone(),
            autosign: self.autosign(Autosign::None)?,
            key_bits: KEY_BITS,
        };
        Ok(Certificates { certname, source: CertificateSource::Authority(config), agent: None })
    }

    fn dev_source(&self, listen: SocketAddr, home: Option<&Path>) -> Result<Certificates, Reason> {
        if !listen.ip().is_loopback() {
            let text = format!("--dev signs every certificate request, and other machines can reach {listen}");
            return Err(Reason::usage(text).help("listen on 127.0.0.1, or use --cadir DIR with --autosign NAME"));
        }
        let home = home.ok_or_else(|| Reason::usage("--dev keeps its certificate authority in a site: --site DIR"))?;
        secret_key::open_private(home)?;
        let local_names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let config = AuthorityConfig {
            directory: secret_key::private_place(home, DEV_CA),
            certname: DEV_NAME.to_owned(),
            alt_names: local_names.into_iter().chain(self.alt_name.iter().cloned()).collect(),
            autosign: self.autosign(Autosign::All)?,
            key_bits: DEV_KEY_BITS,
        };
        Ok(Certificates {
            certname: DEV_NAME.to_owned(),
            source: CertificateSource::Authority(config),
            agent: Some(secret_key::private_place(home, DEV_AGENT).path()),
        })
    }

    fn autosign(&self, default: Autosign) -> Result<Autosign, Reason> {
        match self.autosign.as_slice() {
            [] => Ok(default),
            [all] if all == "all" => Ok(Autosign::All),
            [none] if none == "none" => Ok(Autosign::None),
            names if names.iter().any(|name| name == "all" || name == "none") => {
                Err(Reason::usage("--autosign takes all, none, or names"))
            }
            names => Ok(Autosign::Names(names.to_vec())),
        }
    }
}

impl Certificates {
    /// The certname of the server of `--dev`, whose own certificate may use its classifier.
    pub(super) fn dev_name(&self) -> Option<&str> {
        self.agent.as_ref().map(|_| self.certname.as_str())
    }

    /// The beginning of the command that signs the waiting certificate request of a node.
    pub(super) fn sign_command(&self) -> String {
        match &self.source {
            CertificateSource::Authority(config) => {
                format!("catwalk serve --cadir {} --sign", quote_for_shell(&config.directory.path()))
            }
            CertificateSource::Files(_) => String::new(),
        }
    }

    /// Signs the waiting certificate requests of these nodes.
    ///
    /// # Errors
    /// The certificates are not those of an authority, or a request cannot be signed.
    #[cfg(unix)]
    pub(super) fn sign(&self, names: &[String], logger: &Logger) -> Result<(), Reason> {
        let CertificateSource::Authority(config) = &self.source else {
            return Err(Reason::usage("--sign needs a certificate authority: --cadir DIR"));
        };
        for name in names {
            let name = name.to_lowercase();
            catwalk_server::sign_request(config.clone(), &name)
                .map_err(|error| Reason::new(Code::SERVER_FAILED, error.to_string()))?;
            logger.note(&format!("{name}: certificate signed"));
        }
        Ok(())
    }

    /// The command line of an agent to try out the server. The agent runs in noop mode and writes only to its own directories.
    pub(super) fn try_out(&self, address: SocketAddr) -> Option<String> {
        let folder = self.agent.as_deref()?;
        let (conf, var, ssl) = (
            quote_for_shell(&folder.join("conf")),
            quote_for_shell(&folder.join("var")),
            quote_for_shell(&folder.join("ssl")),
        );
        let port = address.port();
        Some(format!(
            "try it: puppet agent --test --noop --server localhost --serverport {port} --confdir {conf} --vardir {var} --ssldir {ssl}"
        ))
    }
}
