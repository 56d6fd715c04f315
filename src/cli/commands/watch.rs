//! `catwalk watch [CERTNAME…]`

mod cases;
mod full;
mod graph;
mod model;
mod pending;
mod round;
mod show;
mod view;

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::watch::cases::Round as CaseRound;
use crate::cli::commands::watch::pending::Pending;
use crate::cli::nodes;
use crate::cli::options;
use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::session::Changes;
use crate::session::Options;
use crate::session::Session;
use crate::session::site;
use crate::session::update::NodeUpdate;
use crate::session::update::Outcome;
use crate::session::update::State;
use crate::snapshot::suite;
use crate::source::SourceMap;
use crate::watch::Ignore;
use crate::watch::Watcher;
use crate::world::Command;
use crate::world::Disk;
use crate::world::Kind;
use crate::world::World;
use crate::world::small_pages;

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
    /// Print lines, as where there is no terminal, instead of the full screen
    #[arg(long)]
    pub plain: bool,
    /// Print events as JSON, one a line
    #[arg(long)]
    pub json: bool,
    /// Run a command by `sh -c` after each change of a catalog or an error; its arguments are the nodes concerned
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// End after the first change that compiles nodes or after which a case is judged otherwise; the exit code is 1 when one fails
    #[arg(long)]
    pub once: bool,
}

/// What changed is shown after this time even if more keeps coming.
const HOLD: Duration = Duration::from_millis(500);
/// A file that became empty, or went away, is shown so after this time: saving may begin with that.
const VOID: Duration = Duration::from_millis(200);
/// How soon what may be in the middle of being saved is looked at again.
const GLANCE: Duration = Duration::from_millis(20);
/// Longest time that a command of `--exec` runs.
const EXEC_LIMIT: Duration = Duration::from_secs(600);

/// Compiles, then shows what every edit changes, until it is stopped.
pub fn run(args: &Watch) -> u8 {
    // Edits are followed in less time than a large page takes to be cleared; a single compile is faster with large ones.
    small_pages();
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

/// What is seen after a compile.
struct Seen<'a> {
    updates: &'a [NodeUpdate],
    state: &'a State,
    session: &'a Session,
    elapsed: Duration,
    /// It is not the first.
    edit: bool,
}

impl Seen<'_> {
    /// How many nodes were compiled; others are gone.
    fn compiled(&self) -> usize {
        self.updates.iter().filter(|update| !matches!(update.outcome, Outcome::Removed)).count()
    }
}

/// What became of the command of `--exec`.
#[derive(Default)]
struct Ran {
    output: String,
    errors: String,
    /// Its exit code; `None`: it was stopped.
    status: Option<i32>,
    /// Why it does not run.
    refused: Option<String>,
}

impl Ran {
    /// What people must know besides its output.
    fn note(&self) -> String {
        let mut note = self.errors.trim_end().to_owned();
        let ended = match (&self.refused, self.status) {
            (Some(refused), _) => format!("the command of --exec does not run: {refused}"),
            (None, Some(0)) => return note,
            (None, Some(status)) => format!("the command of --exec ended with {status}"),
            (None, None) => "the command of --exec was stopped".to_owned(),
        };
        if !note.is_empty() {
            note.push('\n');
        }
        note.push_str(&ended);
        note
    }
}

/// Who is shown what happens: lines on stdout, or a full screen.
trait Face {
    /// A compile begins.
    fn begin(&mut self);
    /// It ended; of an edit that reaches no catalog, without updates.
    fn round(&mut self, seen: &Seen<'_>);
    /// Something is wrong; `broken`: the site cannot be read as it is now.
    fn say(&mut self, reason: Reason, broken: bool);
    /// The command of `--exec` ended.
    fn ran(&mut self, ran: &Ran);
    /// Runs work of some length; what is asked meanwhile is answered by the state as it is.
    fn beside(&mut self, _session: &Session, _state: &State, work: &mut dyn FnMut()) {
        work();
    }
    /// Nothing is to be done until the next edit.
    fn idle(&mut self, session: &Session, state: &State) -> Idle;
    /// What became of cases of test files in a round, where that is known with it.
    fn judged(&mut self) -> CaseRound {
        CaseRound::default()
    }
    /// The same where cases are compiled while there is nothing else to do: they are all compiled now.
    fn cases(&mut self, _session: &Session, _state: &State) -> CaseRound {
        CaseRound::default()
    }
    /// Paths to watch besides those of the nodes.
    fn touched(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// What is left to do while nothing else is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Idle {
    /// Nothing.
    Done,
    /// More of the same.
    More,
    /// Nothing but watching more paths.
    Watch,
}

fn watch(args: &Watch, logger: &Logger) -> Result<u8, Reason> {
    let world = Arc::new(Disk::new());
    let resolved = opened(&args.site, world.as_ref())?;
    let mut session = Session::open(resolved, world.clone())?;
    let mut names = chosen(args, &session)?;
    let mut watcher = Watcher::new(args.poll.map(Duration::from_millis))?;
    prepare(&mut watcher, &session, world.as_ref())?;
    let lines = args.plain || args.json || args.once || args.site.log_format != LogFormat::Human;
    let mut face: Box<dyn Face> = match !lines && full::is_possible() {
        true => Box::new(full::Full::open(watcher.waker(), world.clone(), &session)?),
        false => {
            let pending = Pending::of_expectations(world.clone(), &session);
            Box::new(show::Lines { logger: *logger, json: args.json, pending, judged: CaseRound::default() })
        }
    };
    let face = face.as_mut();
    let mut state = State::default();
    let started = Instant::now();
    face.begin();
    let updates = state.compile_beside(&session, &names, &mut |state, work| face.beside(&session, state, work))?;
    let seen = Seen { updates: &updates, state: &state, session: &session, elapsed: started.elapsed(), edit: false };
    face.round(&seen);
    let mut look = true;
    let mut held: Option<Instant> = None;
    let mut edited = false;
    loop {
        let mut changes = Changes::default();
        if look {
            changes.paths = all_paths(&mut watcher, &mut state, &session, face, world.as_ref())?;
        }
        // Without events every wait ends with a look at everything: the rest is done before.
        let mut idle = face.idle(&session, &state);
        while idle == Idle::More && watcher.polls() {
            idle = face.idle(&session, &state);
        }
        if idle == Idle::Watch {
            changes.paths.extend(all_paths(&mut watcher, &mut state, &session, face, world.as_ref())?);
        }
        if idle != Idle::More {
            let judged = face.cases(&session, &state);
            if edited {
                after(args, &told(&[], &judged), (&session, &state), face);
            }
        }
        look = false;
        if changes == Changes::default() {
            match watcher.next_batch((idle == Idle::More).then_some(Duration::ZERO)) {
                Some(batch) => changes = batch,
                None if idle == Idle::More => continue,
                None => return Ok(0),
            }
        }
        if changes == Changes::default() && held.is_none() {
            continue;
        }
        session.refresh(&changes);
        settle(&session, &mut watcher);
        let started = Instant::now();
        // `catwalk.toml` decides what a site is: it is read again when it changed.
        look = match session.reopen(&Changes::default()).and_then(|changed| {
            prepare(&mut watcher, &session, world.as_ref())?;
            names = chosen(args, &session)?;
            Ok(changed)
        }) {
            Ok(changed) => changed,
            Err(reason) => {
                face.say(reason, true);
                continue;
            }
        };
        if !look && held.is_none() {
            look = watcher.is_misled();
            continue;
        }
        face.begin();
        let updates = state.update_beside(&session, &names, &mut |state, work| face.beside(&session, state, work))?;
        // Of a state in the middle of writing nothing is shown.
        if !updates.is_empty() && watcher.more() && held.get_or_insert(started).elapsed() < HOLD {
            state.hold(updates);
            look = false;
            continue;
        }
        // What was held back was compiled for this, too.
        let elapsed = held.take().unwrap_or(started).elapsed();
        look = true;
        let seen = Seen { updates: &updates, state: &state, session: &session, elapsed, edit: true };
        edited = true;
        face.round(&seen);
        let judged = face.judged();
        after(args, &told(&updates, &judged), (&session, &state), face);
        if args.once && !(updates.is_empty() && judged.is_empty()) {
            return Ok(u8::from(updates.iter().any(NodeUpdate::failed) || fails(&judged)));
        }
    }
}

/// The nodes and cases of which there is something to tell.
fn told(updates: &[NodeUpdate], judged: &CaseRound) -> Vec<String> {
    let updates = updates.iter().chain(&judged.updates).filter(|update| update.is_news());
    let names: BTreeSet<&Arc<str>> = updates.map(|update| &update.certname).chain(judged.verdicts.keys()).collect();
    names.into_iter().map(ToString::to_string).collect()
}

/// Whether a case is not as expected now.
fn fails(round: &CaseRound) -> bool {
    round.updates.iter().any(NodeUpdate::failed) || round.verdicts.values().any(|failures| !failures.is_empty())
}

/// What is opened: a site, which may be a module at the same time, or a module by itself with its tests.
fn opened(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let key = options::key_source();
    let mut options = Options { key, ..options::siteless(args, world)? };
    let is_site =
        |root: &PathBuf| [site::FILE, "environment.conf"].iter().any(|name| world.kind(&root.join(name)) == Kind::File);
    if args.execute.is_none() && args.manifest.is_none() && !options.root.as_ref().is_some_and(is_site) {
        let start = options.root.take().map_or_else(options::current_dir, Ok)?;
        if suite::in_module(&start, &mut options, world)?.is_some() {
            return Ok(options);
        }
    }
    let mut options = Options { key, ..options::session(args, world)? };
    if let Some(root) = options.root.clone() {
        suite::with_module(&root, &mut options, world)?;
    }
    Ok(options)
}

/// The nodes that are followed.
fn chosen(args: &Watch, session: &Session) -> Result<Vec<Arc<str>>, Reason> {
    if !cases::is_alone(session) {
        return nodes::chosen(&args.certnames, session);
    }
    if !args.certnames.is_empty() {
        let text = "a module has no nodes: all cases of its tests/*.yaml are followed";
        return Err(options::usage(text).help("--site DIR says where a site is"));
    }
    Ok(Vec::new())
}

/// Watches all that something depends on. The directories that were not watched before: what was written in them until then
/// gave no event.
fn all_paths(
    watcher: &mut Watcher,
    state: &mut State,
    session: &Session,
    face: &mut dyn Face,
    world: &dyn World,
) -> Result<BTreeSet<PathBuf>, Reason> {
    let mut own = session.touched();
    own.extend(face.touched());
    let watches = watcher.watch_state(state, own, world)?;
    if let Some(warning) = watches.warning {
        face.say(warning, false);
    }
    Ok(watches.new)
}

/// Waits for the end of saving where a file became empty or went away, and without events until files stay as they are.
fn settle(session: &Session, watcher: &mut Watcher) {
    let started = Instant::now();
    let mut moving = watcher.polls();
    while started.elapsed() < VOID {
        let mut changed = session.changed();
        if !moving {
            changed.retain(|(_, void)| *void);
        }
        if changed.is_empty() {
            return;
        }
        // Without events every wait ends with a look at everything, which is too much here.
        let batch = watcher.next_batch(Some(GLANCE)).unwrap_or_default();
        let mut changes = Changes { rescan: batch.rescan && !watcher.polls(), paths: batch.paths };
        changes.paths.extend(changed.into_iter().map(|(path, _)| path));
        moving = session.refreshes(&changes) && watcher.polls();
    }
}

/// Tells a watcher what is of no interest.
fn prepare(watcher: &mut Watcher, session: &Session, world: &dyn World) -> Result<(), Reason> {
    let Some(root) = session.home() else { return Ok(()) };
    let site = &session.site;
    let own: Vec<PathBuf> = site.output.iter().chain(&site.snapshots).cloned().collect();
    if !watcher.ignore.is_of(root, &site.watch_ignore, &own, world) {
        watcher.ignore = Ignore::new(root, &site.watch_ignore, own, world)?;
    }
    watcher.lock = Some(root.join(Path::new(".git/index.lock")));
    Ok(())
}

/// Runs the command of `--exec` for these nodes or cases, if there are some. It is the user's, be the site's code trusted or not.
fn after(args: &Watch, names: &[String], (session, state): (&Session, &State), face: &mut dyn Face) {
    let Some(command) = args.exec.as_ref().filter(|_| !names.is_empty()) else { return };
    let argv = ["sh", "-c", command, "catwalk"].map(str::to_owned).into_iter().chain(names.iter().cloned()).collect();
    let asked =
        Command { argv, stdin: None, limit: EXEC_LIMIT, output: Command::OUTPUT, runs: crate::world::Runs::Aside };
    let mut ran = None;
    face.beside(session, state, &mut || ran = Some(Disk::new().run(&asked)));
    let Some(ran) = ran else { return };
    let ran = match ran {
        Ok(output) => Ran {
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status,
            refused: None,
        },
        Err(refused) => Ran { refused: Some(refused.to_string()), ..Ran::default() },
    };
    face.ran(&ran);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests;
