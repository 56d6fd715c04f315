//! `catwalk store push`: what the store and the queue have, and reports, for PuppetDB.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::store;
use crate::cli::commands::store::File;
use crate::cli::options;
use crate::cli::submission::SubmitArgs;
use crate::cli::submission::commands;
use crate::cli::submission::refuse_untrusted;
use catwalk_apply::report::store_report;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_puppetdb::Queued;
use catwalk_session::session::site::Site;
use catwalk_world::Disk;
use catwalk_world::World;

/// Arguments of `store push`.
#[derive(Args, Debug)]
pub struct Push {
    /// Send only what is about these nodes
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub file: File,
    /// Send a report of `apply --report` too, in Puppet's format or as `store report` takes it (JSON); may be repeated
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// Print what would be sent, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub submit: SubmitArgs,
}

/// Sends; 0 everything was sent, 1 something is left, 2 usage.
///
/// # Errors
/// The store, the queue or a report cannot be read; there is nothing about a node; the code is untrusted.
pub(super) fn run(args: &Push, logger: &Logger) -> Result<u8, Reason> {
    let site = site()?;
    if options::is_untrusted() || site.untrusted == Some(true) {
        return Err(refuse_untrusted());
    }
    let queue = args.submit.queue(&site)?;
    let queued = queue.list().map_err(|error| Reason::new(Code::BAD_QUEUE, error.to_string()))?;
    let (mut made, mut refused) = (stored(args, &site)?, Vec::new());
    for path in &args.report {
        made.push(report(path)?);
    }
    let is_wanted =
        |one: &Queued| args.certnames.is_empty() || args.certnames.iter().any(|certname| one.is_about(certname));
    for certname in &args.certnames {
        let has = made.iter().any(|one| one.certname == *certname) || queued.iter().any(|one| one.is_about(certname));
        if !has {
            let text = format!("neither the store nor the queue has anything about {certname}");
            return Err(Reason::new(Code::NO_SUCH_NODE, text));
        }
    }
    let mut ready = Vec::new();
    for Made { certname, name, payload } in &made {
        match Command::new(*name, payload) {
            Ok(command) => ready.push(command),
            Err(violations) => {
                let rules: Vec<String> = violations.iter().map(|violation| format!("  {violation}")).collect();
                refused.push(format!("{name} of {certname}: PuppetDB would discard it:\n{}", rules.join("\n")));
            }
        }
    }
    if args.dry_run {
        let mut lines: Vec<String> =
            queued.iter().filter(|one| is_wanted(one)).map(|one| one.file().to_owned()).collect();
        lines.extend(ready.iter().map(|one| format!("{} {} of {}", one.name(), one.name().version(), one.certname())));
        lines.push(format!("{} would be sent", commands(lines.len())));
        lines.extend(refused.iter().cloned());
        print(&for_people(&lines.join("\n")))?;
        return Ok(u8::from(!refused.is_empty()));
    }
    let submission = args.submit.open(&site)?;
    submission.add(&ready)?;
    for text in &refused {
        store::report_error(logger, Reason::new(Code::BAD_PAYLOAD, text.clone()));
    }
    let all = submission.push(&is_wanted, logger)?;
    Ok(u8::from(!all || !refused.is_empty()))
}

/// The site of the current directory; one without anything where there is none.
fn site() -> Result<Site, Reason> {
    let world = Disk::new();
    let here = options::absolute(Path::new("."))?;
    Ok(Site::find(&here, &world).map(|root| Site::open(&root, &world)).transpose()?.unwrap_or_default())
}

/// A payload that was made for a command.
struct Made {
    certname: String,
    name: CommandName,
    payload: serde_json::Value,
}

/// What the store has: catalogs and facts of active nodes. Without a store, nothing.
fn stored(args: &Push, site: &Site) -> Result<Vec<Made>, Reason> {
    if args.file.store.is_none()
        && site.store.as_ref().is_none_or(|path| Disk::new().kind(path) == catwalk_world::Kind::Missing)
    {
        return Ok(Vec::new());
    }
    let store = store::existing(&args.file)?;
    let now = i64::try_from(Disk::new().now().as_millis()).unwrap_or(i64::MAX);
    let is_wanted = |certname: &String| args.certnames.is_empty() || args.certnames.contains(certname);
    let nodes = store.nodes().map_err(|error| store::failed(&error))?;
    let mut made = Vec::new();
    for node in nodes.iter().filter(|node| !node.deactivated && is_wanted(&node.certname)) {
        let Some(found) = store.node(&node.certname).map_err(|error| store::failed(&error))? else { continue };
        let facts = found.facts.map(|facts| (CommandName::ReplaceFacts, facts.to_payload(now)));
        let catalog = found.catalog.map(|catalog| (CommandName::ReplaceCatalog, catalog.to_payload(now)));
        let payloads = facts.into_iter().chain(catalog);
        made.extend(payloads.map(|(name, payload)| Made { certname: node.certname.clone(), name, payload }));
    }
    Ok(made)
}

/// The payload of a report in a file.
fn report(path: &Path) -> Result<Made, Reason> {
    let bad = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_REPORT, format!("{}: {why}", path.display()));
    let bytes = Disk::new().read(&options::absolute(path)?).map_err(|refused| bad(&refused))?;
    let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| bad(&error))?;
    let string = |key: &str| document.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    match (string("certname"), string("host")) {
        (Some(certname), _) => Ok(Made { certname, name: CommandName::StoreReport, payload: document }),
        (None, Some(host)) => {
            let payload = store_report(&document, &host);
            Ok(Made { certname: host, name: CommandName::StoreReport, payload })
        }
        (None, None) => Err(bad(&"not a report: it has neither `host` nor `certname`")),
    }
}
