//! The source of a server's certificates: a temporary authority for trials (`--dev`), an authority in a directory, or files that an
//! existing authority issued.

use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::autosign::ScriptedAutosign;
use crate::cli::options;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Autosign;
use catwalk_authority::CertificateFiles;
use catwalk_authority::KeyKind;
use catwalk_base::diag::Reason;
use catwalk_messages::quote_for_shell;
use catwalk_server::CertificateSource;
use catwalk_session::secret_key;
use catwalk_world::output::Place;

/// The certname of the server with `--dev`, which no machine has.
const DEV_NAME: &str = "catwalk.localhost";
/// The directories of the authority of `--dev` and of its agent, in `.catwalk` of the site.
const DEV_CA: &str = "ca";
const DEV_AGENT: &str = "agent";

/// Options of certificates.
#[derive(Args, Debug, Clone, Default)]
pub struct CertificateArgs {
    /// Try it out on this machine: a temporary certificate authority in .catwalk/ca that signs every agent
    #[arg(long, conflicts_with_all = ["ssldir", "cadir", "cert", "certname"])]
    pub dev: bool,
    /// Use the certificates in this ssldir of an agent: Puppet's authority has signed them; with --cadir: the server's own are there
    #[arg(long, value_name = "DIR", conflicts_with = "cert")]
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
    /// Be the certificate authority, with its files in this directory, also of Puppet's; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub cadir: Option<PathBuf>,
    /// Sign these agents: a certname, a pattern such as *.example.com, a path of an autosign.conf, a command or a script in Rhai, `all` or `none`
    /// (repeatable) [default: none; with --dev: all]
    #[arg(long, value_name = "NAME", conflicts_with = "cert")]
    pub autosign: Vec<String>,
    /// The keys of a new authority: P-256 makes handshakes cheaper
    #[arg(long, value_enum, default_value_t, conflicts_with = "cert", hide_short_help = true)]
    pub key_type: KeyType,
    /// How long the certificates of agents are valid: a number with the unit y, d, h, m or s
    #[arg(long, value_name = "DURATION", default_value = "5y", value_parser = duration, hide_short_help = true)]
    pub ca_ttl: Duration,
    /// Sign requests with further alternative names
    #[arg(long, hide_short_help = true)]
    pub allow_subject_alt_names: bool,
    /// Sign requests with authorization extensions, except pp_cli_auth
    #[arg(long, hide_short_help = true)]
    pub allow_authorization_extensions: bool,
    /// The certname of the server [default: this machine's host name]
    #[arg(long, value_name = "NAME")]
    pub certname: Option<String>,
    /// Another name or address by which agents reach the server (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with = "cert")]
    pub alt_name: Vec<String>,
}

/// The kind of the keys of an authority.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyType {
    /// RSA with 4096 bits, as Puppet's
    #[default]
    Rsa,
    /// ECDSA with the curve P-256
    P256,
}

impl KeyType {
    /// The kind of keys that it names.
    pub(crate) fn kind(self) -> KeyKind {
        match self {
            KeyType::Rsa => KeyKind::Rsa(KeyKind::RSA_BITS),
            KeyType::P256 => KeyKind::P256,
        }
    }
}

/// A duration as Puppet's settings have it: a number of seconds, or of the unit that follows it.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let malformed = || format!("'{text}' is not a number with the unit y, d, h, m or s");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text.get(digits.len()..).unwrap_or_default() {
        "y" => 365 * 24 * 3600,
        "d" => 24 * 3600,
        "h" => 3600,
        "m" => 60,
        "s" | "" => 1,
        _ => return Err(malformed()),
    };
    let number: u64 = digits.parse().map_err(|_| malformed())?;
    number.checked_mul(factor).map(Duration::from_secs).ok_or_else(malformed)
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
        if let Some(folder) = &self.cadir {
            let config = AuthorityConfig {
                ssldir: self.ssldir.as_deref().map(options::absolute).transpose()?.map(Place::named),
                ..self.authority(Place::named(options::absolute(folder)?), &certname, Autosign::None)?
            };
            return Ok(Certificates { certname, source: CertificateSource::Authority(config), agent: None });
        }
        if let Some(folder) = &self.ssldir {
            if !self.autosign.is_empty() || !self.alt_name.is_empty() {
                return Err(Reason::usage("--autosign and --alt-name need an authority: --cadir DIR"));
            }
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
        let help = "--dev tries it out, --ssldir DIR uses certificates of an existing authority, --cadir DIR creates an authority";
        Err(Reason::usage("a server needs certificates").help(help))
    }

    /// The settings of an authority in a directory.
    fn authority(&self, directory: Place, certname: &str, default: Autosign) -> Result<AuthorityConfig, Reason> {
        Ok(AuthorityConfig {
            alt_names: self.alt_name.clone(),
            autosign: self.autosign(default)?,
            key: self.key_type.kind(),
            ttl: self.ca_ttl,
            allow_alt_names: self.allow_subject_alt_names,
            allow_authorization: self.allow_authorization_extensions,
            ..AuthorityConfig::new(directory, certname)
        })
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
            alt_names: local_names.into_iter().chain(self.alt_name.iter().cloned()).collect(),
            // The authority is for trials on this machine, and is created at once.
            key: KeyKind::P256,
            ..self.authority(secret_key::private_place(home, DEV_CA), DEV_NAME, Autosign::All)?
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
            [path] if path.contains('/') => {
                let path = options::absolute(path.as_ref())?;
                match path.extension().is_some_and(|extension| extension == "rhai") {
                    true => Ok(Autosign::Policy(Arc::new(ScriptedAutosign::open(path)?))),
                    false => Ok(Autosign::Path(path)),
                }
            }
            names if names.iter().any(|name| name.contains('/')) => {
                Err(Reason::usage("--autosign takes one path, or names"))
            }
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
                format!("catwalk ca sign --cadir {} --certname", quote_for_shell(&config.directory.path()))
            }
            CertificateSource::Files(_) => String::new(),
        }
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
