//! `catwalk ca sign`, `revoke`, `clean`, `renew`: actions on named nodes, with the messages of `puppetserver ca`.

use clap::Args;

use super::Directory;
use super::Target;
use super::Ttl;
use super::error;
use super::inform;
use super::open_directory;
use crate::cli::Logger;
use catwalk_authority::Authority;
use catwalk_authority::Operator;
use catwalk_authority::Outcome;
use catwalk_authority::Refusal;

/// Arguments of `ca sign`.
#[derive(Args, Debug)]
pub struct Sign {
    #[command(flatten)]
    pub target: Target,
    /// The nodes whose requests are signed
    #[arg(
        long,
        value_name = "NAME[,NAME]",
        value_delimiter = ',',
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub certname: Vec<String>,
    /// Sign all waiting requests
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub ttl: Ttl,
}

/// Arguments of `ca revoke` and `ca clean`.
#[derive(Args, Debug)]
pub struct Names {
    #[command(flatten)]
    pub target: Target,
    /// The nodes
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    pub certname: Vec<String>,
}

/// Arguments of `ca renew`.
#[derive(Args, Debug)]
pub struct Renew {
    #[command(flatten)]
    pub directory: Directory,
    /// Renew the certificates of these nodes, for the same keys
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required_unless_present_any = ["ca", "crl"])]
    pub certname: Vec<String>,
    /// Renew the certificates of the authority, for the same names and keys: certificates of nodes remain valid
    #[arg(long)]
    pub ca: bool,
    /// Write a revocation list with the next number
    #[arg(long)]
    pub crl: bool,
}

/// The messages about several nodes, and the exit code.
pub(super) struct Report {
    logger: Logger,
    has_failed: bool,
    has_nothing_to_do: bool,
}

impl Report {
    pub(super) fn new(logger: Logger) -> Report {
        Report { logger, has_failed: false, has_nothing_to_do: false }
    }

    /// Prints why a node's action failed.
    pub(super) fn fail(&mut self, message: &str) {
        self.has_failed = true;
        error(&self.logger, &format!("    {message}"));
    }

    pub(super) fn code(&self) -> u8 {
        match (self.has_failed, self.has_nothing_to_do) {
            (true, _) => 1,
            (false, true) => 24,
            (false, false) => 0,
        }
    }
}

/// Signs requests.
pub(super) fn sign(args: &Sign, report: &mut Report) -> Result<u8, String> {
    let authority = args.target.open()?;
    let names = if args.all { waiting(authority.as_ref())? } else { args.certname.clone() };
    if names.is_empty() {
        report.fail("No waiting certificate requests to sign");
        return Ok(24);
    }
    for name in names {
        match authority.sign(&name, args.ttl.seconds())? {
            Outcome::Done => inform(&format!("Successfully signed certificate request for {name}"))?,
            Outcome::Missing | Outcome::Unsigned => {
                report.fail(&format!("Could not find certificate request for {name}"));
            }
            Outcome::Refused(why) => {
                report.fail(&format!("When attempting to sign certificate request '{name}': {why}"));
            }
        }
    }
    Ok(report.code())
}

fn waiting(authority: &dyn Operator) -> Result<Vec<String>, String> {
    let statuses = authority.statuses()?;
    let waiting = statuses.iter().filter(|status| status["state"] == "requested");
    Ok(waiting.filter_map(|status| status["name"].as_str().map(str::to_owned)).collect())
}

/// Revokes certificates.
pub(super) fn revoke(args: &Names, report: &mut Report) -> Result<u8, String> {
    let authority = args.target.open()?;
    for name in &args.certname {
        match authority.revoke(name)? {
            Outcome::Done => inform(&format!("Certificate for {name} has been revoked"))?,
            Outcome::Missing => report.fail(&format!("Could not find certificate for {name}")),
            Outcome::Unsigned => {
                error(&report.logger, &format!("    Could not revoke unsigned csr for {name}"));
                report.has_nothing_to_do = true;
            }
            Outcome::Refused(why) => report.fail(&format!("When attempting to revoke certificate '{name}': {why}")),
        }
    }
    Ok(report.code())
}

/// Revokes certificates and removes their files.
pub(super) fn clean(args: &Names, report: &mut Report) -> Result<u8, String> {
    let authority = args.target.open()?;
    for name in &args.certname {
        match authority.revoke(name)? {
            Outcome::Done => inform(&format!("Certificate for {name} has been revoked"))?,
            Outcome::Missing => {}
            Outcome::Unsigned => report.has_nothing_to_do = true,
            Outcome::Refused(why) => {
                report.fail(&format!("When attempting to revoke certificate '{name}': {why}"));
                continue;
            }
        }
        match authority.delete(name)? {
            Outcome::Done => inform(&format!("Cleaned files related to {name}"))?,
            Outcome::Missing | Outcome::Unsigned => {
                report.fail(&format!("Could not find files to clean for {name}"));
            }
            Outcome::Refused(why) => report.fail(&format!("When attempting to clean certificate '{name}': {why}")),
        }
    }
    Ok(report.code())
}

/// Renews certificates or the revocation list.
pub(super) fn renew(args: &Renew, report: &mut Report) -> Result<u8, String> {
    let authority: Authority = open_directory(&args.directory.cadir)?;
    if args.ca {
        for (name, until) in authority.renew_authority().map_err(|error| error.to_string())? {
            inform(&format!("Renewed certificate of the authority {name}, valid until {until}"))?;
        }
    }
    if args.crl {
        authority.replace_crl().map_err(|error| error.to_string())?;
        inform("Renewed certificate revocation list")?;
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
