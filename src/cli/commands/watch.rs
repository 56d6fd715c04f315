//! `catwalk watch [CERTNAME…]`

mod show;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use clap::Args;

use crate::cli::Logger;
use crate::cli::nodes;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::session::Changes;
use crate::session::Session;
use crate::session::update::NodeUpdate;
use crate::session::update::State;
use crate::source::SourceMap;
use crate::watch::Ignore;
use crate::watch::Watcher;
use crate::world::Command;
use crate::world::Disk;
use crate::world::World;

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
    /// Print events as JSON, one a line
    #[arg(long)]
    pub json: bool,
    /// Run a command by `sh -c` after each change of a catalog or an error; its arguments are the nodes concerned
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// End after the first change that compiles nodes; the exit code is 1 when one of them fails
    #[arg(long)]
    pub once: bool,
}

/// What changed is shown after this time even if more keeps coming.
const HOLD: Duration = Duration::from_millis(500);
/// Longest time that a command of `--exec` runs.
const EXEC_LIMIT: Duration = Duration::from_secs(600);

/// Compiles, then shows what every edit changes, until it is stopped.
pub fn run(args: &Watch) -> u8 {
    let logger = Logger::new(args.site.log_format);
    match watch(args, &logger) {
        Ok(code) => code,
        Err(reason) => {
            let code = if reason.code.0 == "USAGE" || reason.code.0 == "BAD_SITE" { 2 } else { 1 };
            say(&logger, reason);
            code
        }
    }
}

fn say(logger: &Logger, reason: Reason) {
    logger.write(&Diagnostic::new(reason, None), &SourceMap::new(), None);
}

fn watch(args: &Watch, logger: &Logger) -> Result<u8, Reason> {
    let world = Arc::new(Disk::new());
    let resolved = options::session(&args.site, world.as_ref())?;
    let mut session = Session::open(resolved, world.clone())?;
    let mut names = nodes::chosen(&args.certnames, &session)?;
    let mut watcher = Watcher::new(args.poll.map(Duration::from_millis))?;
    prepare(&mut watcher, &session, world.as_ref())?;
    let mut state = State::default();
    let started = Instant::now();
    let updates = state.compile(&session, &names)?;
    let shown = show::Shown { session: &session, logger, json: args.json };
    shown.show(&updates, &state, started.elapsed(), false);
    let mut look = true;
    let mut held: Option<Instant> = None;
    loop {
        let mut changes = Changes::default();
        if look {
            state.prepare();
            let own = session.touched();
            let watches =
                watcher.watch(state.touched().chain(own.iter().map(|path| path.as_path())), world.as_ref())?;
            if let Some(warning) = watches.warning {
                say(logger, warning);
            }
            // What was written before a directory was watched gave no event.
            changes.paths = watches.new;
        }
        if changes == Changes::default() {
            let Some(batch) = watcher.next_batch(None) else { return Ok(0) };
            changes = batch;
        }
        let started = Instant::now();
        // `catwalk.toml` decides what a site is: it is read again when it changed.
        look = match session.reopen(&changes).and_then(|changed| {
            prepare(&mut watcher, &session, world.as_ref())?;
            names = nodes::chosen(&args.certnames, &session)?;
            Ok(changed)
        }) {
            Ok(changed) => changed,
            Err(reason) => {
                say(logger, reason);
                continue;
            }
        };
        if !look && held.is_none() {
            continue;
        }
        let updates = state.update(&session, &names)?;
        // Of a state in the middle of writing nothing is shown.
        if !updates.is_empty() && watcher.more() && held.get_or_insert(started).elapsed() < HOLD {
            state.hold(updates);
            look = false;
            continue;
        }
        (held, look) = (None, true);
        show::Shown { session: &session, logger, json: args.json }.show(&updates, &state, started.elapsed(), true);
        after(args, &updates, world.as_ref(), logger);
        if args.once && !updates.is_empty() {
            return Ok(u8::from(updates.iter().any(NodeUpdate::failed)));
        }
    }
}

/// Tells a watcher what is of no interest.
fn prepare(watcher: &mut Watcher, session: &Session, world: &dyn World) -> Result<(), Reason> {
    let Some(root) = &session.options.root else { return Ok(()) };
    let site = &session.site;
    let own = site.output.iter().chain(&site.snapshots).cloned().collect();
    watcher.ignore = Ignore::new(root, &site.watch_ignore, own, world)?;
    watcher.lock = Some(root.join(Path::new(".git/index.lock")));
    Ok(())
}

/// Runs the command of `--exec`.
fn after(args: &Watch, updates: &[NodeUpdate], world: &dyn World, logger: &Logger) {
    let Some(command) = &args.exec else { return };
    let nodes: Vec<String> =
        updates.iter().filter(|update| update.is_news()).map(|update| update.certname.to_string()).collect();
    if nodes.is_empty() {
        return;
    }
    let argv = ["sh", "-c", command, "catwalk"].map(str::to_owned).into_iter().chain(nodes).collect();
    let asked = Command { argv, stdin: None, limit: EXEC_LIMIT, decisive: false };
    match world.run(&asked) {
        Ok(output) => {
            show::write(&String::from_utf8_lossy(&output.stdout));
            logger.note(String::from_utf8_lossy(&output.stderr).trim_end());
            if output.status != Some(0) {
                logger.note(&format!("the command of --exec ended with {}", output.status.unwrap_or(-1)));
            }
        }
        Err(refused) => logger.note(&format!("the command of --exec does not run: {refused}")),
    }
}
