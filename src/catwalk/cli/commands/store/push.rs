//! `catwalk store push`: sends the content of the store and the queue, and reports, to PuppetDB.

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
use crate::cli::submission::untrusted_error;
use catwalk_apply::report::store_report;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_puppetdb::QueuedCommand;
use catwalk_puppetdb::count_commands;
use catwalk_puppetdb::queue_error;
use catwalk_session::site::Site;
use catwalk_store::NodeSummary;
use catwalk_store::Store;
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

/// Sends the commands. Returns the exit code: 0 if everything was sent, else 1.
///
/// # Errors
/// The store, the queue or a report cannot be read, none of them contains a requested node, or the code is untrusted.
pub(super) fn run(args: &Push, logger: &Logger) -> Result<u8, Reason> {
    let site = open_site()?;
    if options::is_untrusted() || site.untrusted == Some(true) {
        return Err(untrusted_error());
    }
    let queue = args.submit.queue(&site)?;
    let queued = queue.list().map_err(queue_error)?;
    let source = Source {
        stored: Stored::open(args, &site)?,
        reports: args.report.iter().map(|path| read_report(path)).collect::<Result<_, _>>()?,
    };
    let is_selected = |command: &QueuedCommand| {
        args.certnames.is_empty() || args.certnames.iter().any(|certname| command.is_about(certname))
    };
    for certname in &args.certnames {
        if !source.is_about(certname) && !queued.iter().any(|command| command.is_about(certname)) {
            let text = format!("neither the store nor the queue has anything about {certname}");
            return Err(Reason::new(Code::NO_SUCH_NODE, text));
        }
    }
    if args.dry_run {
        return list(queued.iter().filter(|command| is_selected(command)), &source);
    }
    let submission = args.submit.open(&site)?;
    let mut is_any_refused = false;
    source.for_each_command(&mut |payload| match payload {
        Ok(command) => submission.add(&[command]),
        Err(text) => {
            is_any_refused = true;
            store::report_error(logger, Reason::new(Code::BAD_PAYLOAD, text));
            Ok(())
        }
    })?;
    let all = submission.push(&is_selected, logger)?;
    Ok(u8::from(!all || is_any_refused))
}

/// Prints what would be sent.
fn list<'q>(queued: impl Iterator<Item = &'q QueuedCommand>, source: &Source) -> Result<u8, Reason> {
    let mut lines: Vec<String> = queued.map(|command| command.file().to_owned()).collect();
    let mut refused = Vec::new();
    source.for_each_command(&mut |payload| {
        match payload {
            Ok(one) => lines.push(format!("{} {} of {}", one.name(), one.name().version(), one.certname())),
            Err(text) => refused.push(text),
        }
        Ok(())
    })?;
    lines.push(format!("{} would be sent", count_commands(lines.len())));
    lines.extend(refused.iter().cloned());
    print(&for_people(&lines.join("\n")))?;
    Ok(u8::from(!refused.is_empty()))
}

/// The site of the current directory, or an empty site.
fn open_site() -> Result<Site, Reason> {
    let world = Disk::new();
    let here = options::absolute(Path::new("."))?;
    Ok(Site::find(&here, &world).map(|root| Site::open(&root, &world)).transpose()?.unwrap_or_default())
}

/// The payloads that are not in the queue yet.
struct Source {
    stored: Option<Stored>,
    reports: Vec<Payload>,
}

impl Source {
    fn is_about(&self, certname: &str) -> bool {
        let stored = self.stored.iter().flat_map(|stored| &stored.certnames);
        stored.chain(self.reports.iter().map(|report| &report.certname)).any(|node| node == certname)
    }

    /// Passes the commands to `take` node by node, so that only those of one node are in memory. For an invalid payload, passes the
    /// violated rules.
    fn for_each_command(
        &self,
        take: &mut dyn FnMut(Result<Command, String>) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        if let Some(stored) = &self.stored {
            for certname in &stored.certnames {
                stored.payloads(certname)?.iter().try_for_each(|payload| take(payload.command()))?;
            }
        }
        self.reports.iter().try_for_each(|report| take(report.command()))
    }
}

/// An unchecked payload with its command and node.
struct Payload {
    certname: String,
    name: CommandName,
    document: serde_json::Value,
}

impl Payload {
    fn command(&self) -> Result<Command, String> {
        let Payload { certname, name, document } = self;
        Command::new(*name, document).map_err(|violations| {
            let rules: Vec<String> = violations.iter().map(|violation| format!("  {violation}")).collect();
            format!("{name} of {certname}: PuppetDB would discard it:\n{}", rules.join("\n"))
        })
    }
}

/// The store, with the active nodes whose catalogs and facts are sent.
struct Stored {
    store: Store,
    certnames: Vec<String>,
    /// The time of payloads without one, in milliseconds since 1970.
    now: i64,
}

impl Stored {
    /// Opens the store. `None`: the site has no store, or no compile has created it yet.
    fn open(args: &Push, site: &Site) -> Result<Option<Stored>, Reason> {
        if args.file.store.is_none()
            && site.store.as_ref().is_none_or(|place| Disk::new().kind(&place.path()) == catwalk_world::Kind::Missing)
        {
            return Ok(None);
        }
        let store = store::open_existing(&args.file)?;
        let now = i64::try_from(Disk::new().now().as_millis()).unwrap_or(i64::MAX);
        let nodes = store.nodes().map_err(|error| store::store_error(&error))?;
        let is_selected = |certname: &String| args.certnames.is_empty() || args.certnames.contains(certname);
        let has_payload = |node: &NodeSummary| !node.deactivated && (node.resources.is_some() || node.facts.is_some());
        let certnames = nodes.into_iter().filter(has_payload).map(|node| node.certname).filter(is_selected);
        Ok(Some(Stored { certnames: certnames.collect(), store, now }))
    }

    /// The facts and the catalog of a node.
    fn payloads(&self, certname: &str) -> Result<Vec<Payload>, Reason> {
        let Some(node) = self.store.node(certname).map_err(|error| store::store_error(&error))? else {
            return Ok(Vec::new());
        };
        let facts = node.facts.map(|facts| (CommandName::ReplaceFacts, facts.to_payload(self.now)));
        let catalog = node.catalog.map(|catalog| (CommandName::ReplaceCatalog, catalog.to_payload(self.now)));
        let payloads = facts.into_iter().chain(catalog);
        Ok(payloads.map(|(name, document)| Payload { certname: certname.to_owned(), name, document }).collect())
    }
}

/// The payload of a report in a file.
fn read_report(path: &Path) -> Result<Payload, Reason> {
    let unreadable = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_REPORT, format!("{}: {why}", path.display()));
    let bytes = Disk::new().read(&options::absolute(path)?).map_err(|refused| unreadable(&refused))?;
    let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
    let string = |key: &str| document.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    match (string("certname"), string("host")) {
        (Some(certname), _) => Ok(Payload { certname, name: CommandName::StoreReport, document }),
        (None, Some(host)) => {
            let document = store_report(&document, &host);
            Ok(Payload { certname: host, name: CommandName::StoreReport, document })
        }
        (None, None) => Err(unreadable(&"not a report: it has neither `host` nor `certname`")),
    }
}
