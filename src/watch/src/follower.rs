//! The steps of `watch`: wait for changes, refresh the session, compile the affected nodes, show the results.
//!
//! In: a session, [`WatchOptions`], events of the file system. Out: calls of a [`WatchOutput`]; the exit code of `--once`. Must not: draw or
//! print; decide which nodes a change affects (see [`State::update`]).

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::cases;
use crate::cases::Round as CaseRound;
use crate::output::ExecResult;
use crate::output::Idle;
use crate::output::RoundResult;
use crate::output::WatchOutput;
use catwalk_base::diag::Reason;
use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::selection;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::State;
use catwalk_watcher::Ignore;
use catwalk_watcher::Waker;
use catwalk_watcher::Watcher;
use catwalk_world::Command;
use catwalk_world::Disk;
use catwalk_world::Runs;
use catwalk_world::World;
use catwalk_world::output::Place;

/// A change is shown after this time even if more changes keep coming.
const LONGEST_HOLD: Duration = Duration::from_millis(500);
/// An emptied or removed file is treated as such only after this time: editors empty or remove a file before they write it.
const SAVING: Duration = Duration::from_millis(200);
/// Interval at which files that may be half saved are read again.
const SAVING_INTERVAL: Duration = Duration::from_millis(20);
/// Longest time that a command of `--exec` runs.
const EXEC_LIMIT: Duration = Duration::from_secs(600);

/// What to watch, and what to do after changes.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// The nodes to compile: names or patterns; none for all nodes of the site.
    pub certnames: Vec<String>,
    /// The interval of polling; `None` to use the system's file events.
    pub poll: Option<Duration>,
    /// A command to run with `sh -c` after each change of a catalog or an error; its arguments are the affected nodes.
    pub exec: Option<String>,
    /// Whether to end after the first change that compiles nodes or changes the result of a case.
    pub once: bool,
}

/// A watched site: its session, the state of its nodes, and the output.
pub struct Follower {
    options: WatchOptions,
    world: Arc<Disk>,
    session: Session,
    /// The watched nodes.
    names: Vec<Arc<str>>,
    watcher: Watcher,
    state: State,
    output: Box<dyn WatchOutput>,
    /// Whether the set of paths to watch may have changed.
    rewatch: bool,
    /// Whether a change has been shown since the start.
    edited: bool,
    /// Why the site could not be read after the last change; this error has been shown.
    broken: Option<Reason>,
}

/// The nodes that a change affected.
pub struct Compiled {
    updates: Vec<NodeUpdate>,
    /// The time since the change was detected.
    elapsed: Duration,
}

impl Follower {
    /// Opens the site. `open_output` creates the output; the [`Waker`] ends the wait for changes when the output has work.
    ///
    /// # Errors
    /// The site or the options are invalid, the system cannot watch files, or there is no output.
    pub fn open(
        options: WatchOptions,
        site: Options,
        world: Arc<Disk>,
        open_output: &mut dyn FnMut(&Session, Waker) -> Result<Box<dyn WatchOutput>, Reason>,
    ) -> Result<Follower, Reason> {
        let session = Session::open(site, world.clone())?;
        let names = select_nodes(&options, &session)?;
        let mut watcher = Watcher::new(options.poll)?;
        ignore_output(&mut watcher, &session, world.as_ref())?;
        let output = open_output(&session, watcher.waker())?;
        let state = State::default();
        Ok(Follower {
            options,
            world,
            session,
            names,
            watcher,
            state,
            output,
            rewatch: true,
            edited: false,
            broken: None,
        })
    }

    /// Compiles all nodes, then shows the changes of every edit. Returns the exit code if `once` ends it or the watcher has ended.
    ///
    /// # Errors
    /// A directory cannot be watched, or a catalog cannot be written as a document.
    pub fn run(&mut self) -> Result<u8, Reason> {
        self.compile_all()?;
        loop {
            let Some(changes) = self.wait()? else { return Ok(0) };
            if !self.refresh(&changes) {
                continue;
            }
            let Some(compiled) = self.compile()? else { continue };
            if let Some(code) = self.show(&compiled) {
                return Ok(code);
            }
        }
    }

    /// Compiles and shows all nodes.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn compile_all(&mut self) -> Result<(), Reason> {
        let started = Instant::now();
        self.output.begin(self.names.len());
        let done = self.output.progress();
        let (session, output) = (&self.session, &mut self.output);
        let mut run = |state: &State, work: &mut dyn FnMut()| output.answer_during(session, state, work);
        let updates = self.state.compile_with_runner(session, &self.names, &mut run, &*done)?;
        let (state, elapsed) = (&self.state, started.elapsed());
        self.output.round(&RoundResult { updates: &updates, state, session, elapsed, edit: false });
        Ok(())
    }

    /// Works on pending tasks while nothing changes, then waits for changes. `None`: the watcher has ended.
    ///
    /// # Errors
    /// A directory cannot be watched.
    pub fn wait(&mut self) -> Result<Option<Changes>, Reason> {
        loop {
            let mut changes = Changes::default();
            if std::mem::take(&mut self.rewatch) {
                changes.paths = self.watch_paths()?;
            }
            let mut idle = self.output.idle(&self.session, &self.state);
            // A polling watcher reads every file after each wait, so all pending work is done before.
            while idle == Idle::More && self.watcher.polls() {
                idle = self.output.idle(&self.session, &self.state);
            }
            if idle == Idle::Watch {
                changes.paths.extend(self.watch_paths()?);
            }
            if idle != Idle::More {
                let case_round = self.output.cases(&self.session, &self.state);
                if self.edited {
                    self.execute(&changed_names(&[], &case_round));
                }
            }
            if changes == Changes::default() {
                match self.watcher.next_batch((idle == Idle::More).then_some(Duration::ZERO)) {
                    Some(batch) => changes = batch,
                    None if idle == Idle::More => continue,
                    None => return Ok(None),
                }
            }
            if changes != Changes::default() || self.state.held_since().is_some() {
                return Ok(Some(changes));
            }
        }
    }

    /// Reads the changed files again, and with them `catwalk.toml` and the list of nodes. `false`: no compile is necessary, since no
    /// relevant file has changed or the site currently cannot be read.
    pub fn refresh(&mut self, changes: &Changes) -> bool {
        self.session.refresh(changes);
        wait_until_saved(&self.session, &mut self.watcher);
        let refreshed = self.session.reopen(&Changes::default()).and_then(|changed| {
            ignore_output(&mut self.watcher, &self.session, self.world.as_ref())?;
            self.names = select_nodes(&self.options, &self.session)?;
            Ok(changed)
        });
        if refreshed.is_ok() && self.broken.take().is_some() {
            self.output.report_repair();
        }
        match refreshed {
            Ok(true) => true,
            Ok(false) if self.state.held_since().is_some() => true,
            Ok(false) => {
                self.rewatch = self.watcher.is_outdated_by_moves();
                false
            }
            Err(reason) => {
                // The same error after another event, such as the second one of a save, is not shown again.
                if self.broken.as_ref() != Some(&reason) {
                    self.output.report(reason.clone(), true);
                    self.broken = Some(reason);
                }
                false
            }
        }
    }

    /// Compiles the nodes that the changes affect. `None`: files have changed in the meantime, so the result may be that of half-written
    /// files; the state includes it in the result of the next compile.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn compile(&mut self) -> Result<Option<Compiled>, Reason> {
        let since = self.state.held_since().unwrap_or_else(Instant::now);
        self.output.begin(self.names.len());
        let done = self.output.progress();
        let (session, output) = (&self.session, &mut self.output);
        let mut run = |state: &State, work: &mut dyn FnMut()| output.answer_during(session, state, work);
        let updates = self.state.update_with_runner(session, &self.names, &mut run, &*done)?;
        if !updates.is_empty() && self.watcher.has_more() && since.elapsed() < LONGEST_HOLD {
            self.state.hold(updates, since);
            return Ok(None);
        }
        self.rewatch = true;
        Ok(Some(Compiled { updates, elapsed: since.elapsed() }))
    }

    /// Shows the results of the nodes and runs the command of `--exec`. Returns the exit code if `--once` ends the program.
    pub fn show(&mut self, compiled: &Compiled) -> Option<u8> {
        let Compiled { updates, elapsed } = compiled;
        let (state, session) = (&self.state, &self.session);
        self.edited = true;
        self.output.round(&RoundResult { updates, state, session, elapsed: *elapsed, edit: true });
        let case_round = self.output.take_case_round();
        self.execute(&changed_names(updates, &case_round));
        let is_over = self.options.once && !(updates.is_empty() && case_round.is_empty());
        is_over.then(|| u8::from(updates.iter().any(NodeUpdate::failed) || has_unmet_expectations(&case_round)))
    }

    /// Watches every path that nodes or cases depend on. Returns the directories that were not watched before: earlier changes in them
    /// caused no events.
    fn watch_paths(&mut self) -> Result<BTreeSet<PathBuf>, Reason> {
        let mut paths = self.session.site_paths();
        paths.extend(self.output.paths());
        let watches = self.watcher.watch_state(&mut self.state, paths, self.world.as_ref())?;
        if let Some(warning) = watches.warning {
            self.output.report(warning, false);
        }
        Ok(watches.new)
    }

    /// Runs the command of `--exec` for these nodes and cases, if there are any. The command is the user's, so it also runs if the site's
    /// code is untrusted.
    fn execute(&mut self, names: &[String]) {
        let Some(command) = self.options.exec.as_ref().filter(|_| !names.is_empty()) else { return };
        let argv =
            ["sh", "-c", command, "catwalk"].map(str::to_owned).into_iter().chain(names.iter().cloned()).collect();
        let command = Command { argv, stdin: None, limit: EXEC_LIMIT, output: Command::OUTPUT, runs: Runs::Incidental };
        let mut result = None;
        self.output.answer_during(&self.session, &self.state, &mut || result = Some(Disk::new().run(&command)));
        let Some(result) = result else { return };
        let result = match result {
            Ok(output) => ExecResult {
                output: String::from_utf8_lossy(&output.stdout).into_owned(),
                errors: String::from_utf8_lossy(&output.stderr).into_owned(),
                status: output.status,
                start_error: None,
            },
            Err(error) => ExecResult { start_error: Some(error.to_string()), ..ExecResult::default() },
        };
        self.output.show_command(&result);
    }
}

/// The nodes and cases whose catalogs or results changed, in order.
fn changed_names(updates: &[NodeUpdate], case_round: &CaseRound) -> Vec<String> {
    let updates = updates.iter().chain(&case_round.updates).filter(|update| update.is_change());
    let names: BTreeSet<&Arc<str>> = updates.map(|update| &update.certname).chain(case_round.verdicts.keys()).collect();
    names.into_iter().map(ToString::to_string).collect()
}

/// Whether a case does not meet its expectations.
fn has_unmet_expectations(round: &CaseRound) -> bool {
    round.updates.iter().any(NodeUpdate::failed) || round.verdicts.values().any(|failures| !failures.is_empty())
}

/// The nodes to watch; none for a module without a site, whose cases are watched.
fn select_nodes(options: &WatchOptions, session: &Session) -> Result<Vec<Arc<str>>, Reason> {
    if !cases::is_module_alone(session) {
        return selection::select(&options.certnames, session);
    }
    if !options.certnames.is_empty() {
        let text = "a module has no nodes: all cases of its tests/*.yaml are watched";
        return Err(Reason::usage(text).help("--site DIR names a site"));
    }
    Ok(Vec::new())
}

/// Waits until emptied or removed files are complete. Without file events, waits until no file changes any more.
fn wait_until_saved(session: &Session, watcher: &mut Watcher) {
    let started = Instant::now();
    let mut is_changing = watcher.polls();
    while started.elapsed() < SAVING {
        let mut incomplete = session.changed_paths();
        if !is_changing {
            incomplete.retain(|(_, is_empty)| *is_empty);
        }
        if incomplete.is_empty() {
            return;
        }
        // A polling watcher would read every file here; the changed files are sufficient.
        let batch = watcher.next_batch(Some(SAVING_INTERVAL)).unwrap_or_default();
        let mut changes = Changes { rescan: batch.rescan && !watcher.polls(), paths: batch.paths };
        changes.paths.extend(incomplete.into_iter().map(|(path, _)| path));
        is_changing = session.refresh_paths(&changes) && watcher.polls();
    }
}

/// Makes the watcher ignore the output folder, the snapshots and the patterns of `catwalk.toml`.
fn ignore_output(watcher: &mut Watcher, session: &Session, world: &dyn World) -> Result<(), Reason> {
    let Some(root) = session.home() else { return Ok(()) };
    let site = &session.site;
    let paths: Vec<PathBuf> = site.output.iter().chain(&site.snapshots).map(Place::path).collect();
    if !watcher.ignore.is_current(root, &site.watch_ignore, &paths, world) {
        watcher.ignore = Ignore::new(root, &site.watch_ignore, paths, world)?;
    }
    watcher.lock = Some(root.join(Path::new(".git/index.lock")));
    Ok(())
}
