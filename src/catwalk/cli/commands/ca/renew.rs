//! `catwalk ca renew`: new dates for certificates of nodes, for those of the authority and for revocation lists.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::absolute;
use super::inform;
use super::names::Report;
use super::remote;
use crate::cli::commands::serve::certificates::duration;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::CertificateFiles;
use catwalk_authority::Refusal;
use catwalk_world::output;
use catwalk_world::output::Place;

/// Arguments of `ca renew`.
#[derive(Args, Debug)]
pub struct Renew {
    /// The directory of the authority; a server may be using it
    #[arg(long, value_name = "DIR", required_unless_present = "server", conflicts_with = "server")]
    pub cadir: Option<PathBuf>,
    /// Renew certificates of this machine, whose keys are in --ssldir, at this running server
    #[arg(long, value_name = "HOST:PORT", requires = "ssldir", conflicts_with_all = ["ca", "crl"])]
    pub server: Option<String>,
    /// The ssldir with the certificates to renew, for --server: each is replaced
    #[arg(long, value_name = "DIR", requires = "server")]
    pub ssldir: Option<PathBuf>,
    /// Renew the certificates of these nodes, for the same keys
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required_unless_present_any = ["ca", "crl"])]
    pub certname: Vec<String>,
    /// Renew the certificates of the authority, for the same names and keys: certificates of nodes remain valid
    #[arg(long)]
    pub ca: bool,
    /// How long the certificates of the authority are valid: a number with the unit y, d, h, m or s
    #[arg(long, value_name = "DURATION", default_value = "15y", value_parser = duration, requires = "ca")]
    pub ca_ttl: Duration,
    /// Write a revocation list with the next number; also that of the root, if its key is in the directory
    #[arg(long)]
    pub crl: bool,
}

/// Renews certificates or revocation lists.
pub(super) fn renew(args: &Renew, report: &mut Report) -> Result<u8, String> {
    match (&args.cadir, &args.server, &args.ssldir) {
        (None, Some(server), Some(ssldir)) => at_server(server, &absolute(ssldir)?, &args.certname, report),
        (directory, ..) => in_directory(args, &absolute(directory.as_deref().unwrap_or(".".as_ref()))?, report),
    }
}

fn in_directory(args: &Renew, directory: &std::path::Path, report: &mut Report) -> Result<u8, String> {
    let open = |ttl: Option<Duration>| {
        let config = AuthorityConfig::new(Place::named(directory), "localhost");
        let ttl = ttl.unwrap_or(config.ttl);
        Authority::open_existing(AuthorityConfig { ttl, ..config }).map_err(|error| error.to_string())
    };
    if args.ca {
        for (name, until) in open(Some(args.ca_ttl))?.renew_authority().map_err(|error| error.to_string())? {
            inform(&format!("Renewed certificate of the authority {name}, valid until {until}"))?;
        }
    }
    let authority = open(None)?;
    if args.crl {
        for name in authority.replace_crl().map_err(|error| error.to_string())? {
            inform(&format!("Renewed certificate revocation list of {name}"))?;
        }
    }
    for name in &args.certname {
        match authority.renew_named(name) {
            Ok(_) => inform(&format!("Renewed certificate for {name}"))?,
            Err(Refusal::Request(why) | Refusal::Missing(why)) => report.fail(&why),
            Err(Refusal::Full(_)) => report.fail("too many requests wait"),
            Err(Refusal::Authority(error)) => return Err(error.to_string()),
        }
    }
    Ok(report.code())
}

/// Renews certificates of this machine: a server renews a certificate only for its owner.
fn at_server(server: &str, ssldir: &std::path::Path, names: &[String], report: &mut Report) -> Result<u8, String> {
    for name in names {
        let renewed = remote(server, ssldir, name).and_then(|authority| authority.renew(name));
        let certificate = match renewed {
            Ok(certificate) => certificate,
            Err(why) => {
                report.fail(&format!("When attempting to renew certificate '{name}': {why}"));
                continue;
            }
        };
        let path = CertificateFiles::in_ssldir(ssldir, name).certificate;
        let written = output::write(&Place::named(&path), output::Kind::Certificate, certificate.as_bytes());
        written.map_err(|why| format!("{} cannot be written: {why}", path.display()))?;
        inform(&format!("Renewed certificate for {name}"))?;
    }
    Ok(report.code())
}
