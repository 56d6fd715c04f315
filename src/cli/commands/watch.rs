//! `catwalk watch [CERTNAME…]`

use std::io::IsTerminal;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use clap::Args;
use indexmap::IndexMap;

use crate::cli::Logger;
use crate::cli::nodes;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diff;
use crate::session::Session;
use crate::session::update::NodeUpdate;
use crate::session::update::Outcome;
use crate::session::update::State;
use crate::watch::Watcher;
use crate::world::Disk;

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct Watch {
    /// Nodes to compile [default: all nodes of the site]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Look for changes at this interval in milliseconds instead of waiting for the system's events
    #[arg(long, value_name = "MS", num_args = 0..=1, default_missing_value = "500")]
    pub poll: Option<u64>,
}

/// Compiles, then shows what every edit changes, until it is stopped.
pub fn run(args: &Watch) -> u8 {
    let logger = Logger::new(args.site.log_format);
    match watch(args, &logger) {
        Ok(()) => 0,
        Err(reason) => {
            let code = if reason.code.0 == "USAGE" || reason.code.0 == "BAD_SITE" { 2 } else { 1 };
            logger.write(&Diagnostic::new(reason, None), &crate::source::SourceMap::new(), None);
            code
        }
    }
}

fn watch(args: &Watch, logger: &Logger) -> Result<(), Reason> {
    let world = Arc::new(Disk::new());
    let resolved = options::session(&args.site, world.as_ref())?;
    let mut session = Session::open(resolved, world.clone())?;
    let mut names = nodes::chosen(&args.certnames, &session)?;
    let mut watcher = Watcher::new(args.poll.map(Duration::from_millis))?;
    let mut state = State::default();
    let started = Instant::now();
    let updates = state.compile(&session, &names)?;
    show(&updates, &session, logger, started.elapsed(), false);
    loop {
        let own = session.touched();
        watcher.watch(state.touched().chain(own.iter().map(std::path::PathBuf::as_path)), world.as_ref())?;
        let Some(changes) = watcher.next_batch() else { return Ok(()) };
        let started = Instant::now();
        // `catwalk.toml` decides what a site is: it is read again when it changed.
        if let Err(reason) = session.reopen(&changes) {
            logger.write(&Diagnostic::new(reason, None), session.sources(), None);
            continue;
        }
        match nodes::chosen(&args.certnames, &session) {
            Ok(current) => names = current,
            Err(reason) => {
                logger.write(&Diagnostic::new(reason, None), session.sources(), None);
                continue;
            }
        }
        let updates = state.update(&session, &changes, &names)?;
        show(&updates, &session, logger, started.elapsed(), true);
    }
}

fn show(updates: &[NodeUpdate], session: &Session, logger: &Logger, elapsed: Duration, edit: bool) {
    let color = std::io::stdout().is_terminal();
    let mut text = String::new();
    let mut same = 0;
    // An edit often means the same to many nodes: each difference is shown once.
    let mut differences: IndexMap<String, Vec<&str>> = IndexMap::new();
    let root = session.options.root.as_ref().map(|root| format!("({}/", root.display()));
    for update in updates {
        for diagnostic in &update.logs {
            logger.write(diagnostic, session.sources(), Some(&update.certname));
        }
        let name = &update.certname;
        match &update.outcome {
            Outcome::First(resources) => text.push_str(&format!("{name}: {resources} resources\n")),
            Outcome::Changed(diff) => {
                let (plus, minus, tilde) = (diff.added.len(), diff.removed.len(), diff.changed.len());
                let mut shown = indent(&diff::render(diff, color));
                if let Some(root) = &root {
                    shown = shown.replace(root.as_str(), "(");
                }
                let shown = format!("{plus} added, {minus} removed, {tilde} changed\n{shown}");
                differences.entry(shown).or_default().push(name);
            }
            Outcome::Same { recovered: true } => text.push_str(&format!("{name}: compiles again, catalog unchanged\n")),
            Outcome::Same { .. } => same += 1,
            Outcome::Failed(diagnostic) => {
                logger.write(diagnostic, session.sources(), Some(name));
                text.push_str(&format!("{name}: does not compile; its last good catalog is kept\n"));
            }
            Outcome::Removed => text.push_str(&format!("{name}: removed\n")),
        }
    }
    for (difference, names) in &differences {
        text.push_str(&format!("{}: {difference}", names.join(", ")));
    }
    if same > 0 && edit {
        text.push_str(&format!("{same} compiled again, unchanged\n"));
    }
    if !text.is_empty() {
        let milliseconds = elapsed.as_secs_f64() * 1000.0;
        text.push_str(&format!("-- {} compiled in {milliseconds:.1} ms; watching\n", updates.len()));
        let mut out = std::io::stdout().lock();
        // A closed stdout ends the process by the next signal; there is no one to tell.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
