//! `catwalk ca sign`, `revoke`, `clean`: actions on named nodes, with the messages of `puppetserver ca`.

use clap::Args;

use super::Target;
use super::Ttl;
use super::error;
use super::inform;
use crate::cli::Logger;
use catwalk_authority::Operator;
use catwalk_authority::Outcome;

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
    let statuses = authority.statuses()?.documents;
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
