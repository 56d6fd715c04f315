//! `catwalk ca`: manages a certificate authority in a directory, or that of a running server.
//!
//! In: options. Out: the output and exit codes of `puppetserver ca` 2.4: 0, 1 for a failure, 24 if a name had nothing to do. Must not: know
//! files of an authority.

mod generate;
mod listing;
mod names;
mod renew;
mod setup;

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::Subcommand;

use self::names::Report;
use crate::cli::Logger;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::serve::certificates::duration;
use crate::cli::options;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::CertificateFiles;
use catwalk_authority::Operator;
use catwalk_authority::RemoteAuthority;
use catwalk_base::diag::Reason;
use catwalk_base::diag::visible;
use catwalk_world::Identity;
use catwalk_world::output::Place;

/// Arguments of `ca`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub action: Action,
}

/// Subcommands of `ca`.
#[derive(Subcommand, Debug)]
pub enum Action {
    /// Create a certificate authority with a root certificate, and the certificate of its server
    Setup(setup::Setup),
    /// Create a certificate authority from an existing key and its certificates
    Import(setup::Import),
    /// List the waiting certificate requests; with --all: certificates, too
    List(listing::List),
    /// Sign certificate requests
    Sign(names::Sign),
    /// Revoke certificates
    Revoke(names::Names),
    /// Revoke certificates and remove the files of their nodes
    Clean(names::Names),
    /// Create keys and certificates for nodes
    Generate(generate::Generate),
    /// Renew certificates of nodes, those of the authority, or its revocation lists
    Renew(renew::Renew),
}

/// The authority to manage.
#[derive(Args, Debug)]
pub struct Target {
    /// The directory of the authority; a server may be using it
    #[arg(long, value_name = "DIR", required_unless_present = "server", conflicts_with = "server")]
    pub cadir: Option<PathBuf>,
    /// Manage the authority of this running server, Catwalk's or puppetserver
    #[arg(long, value_name = "HOST:PORT", requires = "ssldir")]
    pub server: Option<String>,
    /// The ssldir with a certificate that may manage the authority, for --server
    #[arg(long, value_name = "DIR", requires = "server")]
    pub ssldir: Option<PathBuf>,
    /// The certname of this certificate [default: this machine's host name]
    #[arg(long, value_name = "NAME", requires = "server")]
    pub host_certname: Option<String>,
}

impl Target {
    /// Opens the authority.
    ///
    /// # Errors
    /// A file cannot be used: a sentence.
    fn open(&self) -> Result<Box<dyn Operator>, String> {
        match (&self.server, &self.ssldir) {
            (Some(server), Some(ssldir)) => {
                let certname = self.host_certname.clone().unwrap_or_else(catwalk_run::host_name).to_lowercase();
                Ok(Box::new(remote(server, ssldir, &certname)?))
            }
            _ => Ok(Box::new(open_directory(self.cadir.as_deref().unwrap_or(Path::new(".")))?)),
        }
    }
}

/// The directory of an authority.
#[derive(Args, Debug)]
pub struct Directory {
    /// The directory of the authority
    #[arg(long, value_name = "DIR")]
    pub cadir: PathBuf,
}

/// How long a new certificate is valid.
#[derive(Args, Debug)]
pub struct Ttl {
    /// How long the certificate is valid: a number with the unit y, d, h, m or s [default: 5y]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub ttl: Option<Duration>,
}

impl Ttl {
    fn seconds(&self) -> Option<u64> {
        self.ttl.map(|ttl| ttl.as_secs())
    }
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    options::absolute(path).map_err(|reason| reason.message.into_owned())
}

/// The authority of a running server, with the certificate of `certname` in an ssldir.
fn remote(server: &str, ssldir: &Path, certname: &str) -> Result<RemoteAuthority, String> {
    let files = CertificateFiles::in_ssldir(&absolute(ssldir)?, certname);
    let identity = Identity {
        ca: Some(files.ca),
        cert: Some(files.certificate),
        key: Some(files.key),
        crl: Some(files.crl),
        token: None,
    };
    let address = if server.contains(':') { server.to_owned() } else { format!("{server}:8140") };
    RemoteAuthority::new(&address, &identity)
}

/// Opens an authority that exists.
fn open_directory(directory: &Path) -> Result<Authority, String> {
    let place = Place::named(absolute(directory)?);
    Authority::open_existing(AuthorityConfig::new(place, "localhost")).map_err(|error| error.to_string())
}

/// Runs the command.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let mut report = Report::new(*logger);
    let done = match &args.action {
        Action::Setup(args) => setup::setup(args, logger),
        Action::Import(args) => setup::import(args),
        Action::Generate(args) => generate::generate(args, &mut report),
        Action::List(args) => listing::list(args, &mut report),
        Action::Sign(args) => names::sign(args, &mut report),
        Action::Revoke(args) => names::revoke(args, &mut report),
        Action::Clean(args) => names::clean(args, &mut report),
        Action::Renew(args) => renew::renew(args, &mut report),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            error(logger, &message);
            1
        }
    }
}

/// Prints a line of a result.
fn inform(line: &str) -> Result<(), String> {
    inform_lines(&[line.to_owned()])
}

/// Prints the lines of a result.
fn inform_lines(lines: &[String]) -> Result<(), String> {
    let lines: Vec<_> = lines.iter().map(|line| visible::line(line)).collect();
    print(&lines.join("\n")).map_err(|reason| reason.message.into_owned())
}

/// Prints an error as `puppetserver ca` does.
fn error(logger: &Logger, message: &str) {
    if logger.is_human() {
        logger.write_text(&format!("Error:\n{}\n", visible::message(message)));
    } else {
        usage(logger, Reason::runtime(message.to_owned()));
    }
}
