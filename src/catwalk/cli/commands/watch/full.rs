//! The full screen of `watch` on a terminal. One thread draws and reads keys; its requests are answered by the compiling thread or, during
//! a compile, by a third thread.
//!
//! In: results of the session. Out: a drawn terminal, which is restored at every end of the program. Must not: compile.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossterm::event;
use crossterm::event::Event;

use crate::cli;
use crate::cli::Logger;
use crate::cli::commands::watch::CommandRuns;
use crate::cli::commands::watch::Idle;
use crate::cli::commands::watch::RoundResult;
use crate::cli::commands::watch::WatchOutput;
use crate::cli::commands::watch::cases::Round as CaseRound;
use crate::cli::commands::watch::cases::is_alone;
use crate::cli::commands::watch::messages::ShownWarnings;
use crate::cli::commands::watch::model::Model;
use crate::cli::commands::watch::model::Notice;
use crate::cli::commands::watch::model::Request;
use crate::cli::commands::watch::model::count;
use crate::cli::commands::watch::round::Round;
use crate::cli::commands::watch::round::marked;
use crate::cli::commands::watch::round::plain;
use crate::cli::commands::watch::snapshot_comparison::SnapshotComparison;
use crate::cli::graph;
use crate::cli::graph::Graph;
use crate::cli::options::is_ci;
use crate::cli::screen::KeyPress;
use crate::cli::screen::Screen;
use crate::cli::screen::pressed;
use crate::watch::Waker;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;
use catwalk_session::session::Session;
use catwalk_session::session::update::NodeUpdate;
use catwalk_session::session::update::State;
use catwalk_snapshot::review::LineStyle;
use catwalk_world::Disk;
use catwalk_world::World;

/// The exit code of a process that a signal ended is this number plus that of the signal.
const SIGNALLED: u8 = 128;

/// Whether this process has a terminal that can be drawn on.
pub(super) fn is_possible() -> bool {
    let dumb = Disk::new().env("TERM").is_none_or(|term| matches!(&*term, "" | "dumb"));
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !dumb
}

/// The input of the screen's thread.
enum Input {
    Notice(Notice),
    Key(KeyPress),
    Resized,
    /// A signal to end the process.
    Signal(u8),
    /// The terminal was closed.
    Gone,
    /// The session ended.
    End,
}

/// The full screen as used by the compiling thread.
pub(super) struct Full {
    send: mpsc::Sender<Input>,
    /// Requests from the screen; `None`: the work during which they are answered has ended.
    requests: mpsc::Receiver<Option<Request>>,
    stop: mpsc::Sender<Option<Request>>,
    thread: Option<JoinHandle<()>>,
    pending: SnapshotComparison,
    /// Nodes whose catalogs have not been compared with their snapshots.
    to_compare: Vec<Arc<str>>,
    /// Whether snapshots were accepted or rejected since the last comparison.
    has_decision: bool,
    /// In a module, a round whose effect on the cases is still unknown: whether an edit caused it, and its time.
    undecided_round: Option<(bool, Duration)>,
    /// The warnings that were shown.
    shown: ShownWarnings,
}

impl Full {
    /// Switches the terminal to the full screen; `waker` ends the wait for edits when there is a request.
    ///
    /// # Errors
    /// The terminal cannot be set up.
    pub(super) fn open(waker: Waker, world: Arc<Disk>, session: &Session) -> Result<Full, Reason> {
        let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
        let screen = Screen::open().map_err(failed)?;
        let (send, inputs) = mpsc::channel();
        let (request, requests) = mpsc::channel();
        let model = Model::new(screen.size(), is_ci());
        let keys = send.clone();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
        };
        spawn("keys", Box::new(move || read(&keys)))?;
        #[cfg(unix)]
        {
            use signal_hook::consts::SIGHUP;
            use signal_hook::consts::SIGINT;
            use signal_hook::consts::SIGTERM;
            let signals = send.clone();
            catwalk_world::mark_signals_non_fatal(&[SIGHUP, SIGINT, SIGTERM]);
            let mut wanted = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
            let wait = move || {
                for signal in &mut wanted {
                    let _ = signals.send(Input::Signal(u8::try_from(signal).unwrap_or_default()));
                }
            };
            spawn("signals", Box::new(wait))?;
        }
        let stop = request.clone();
        let thread = spawn("screen", Box::new(move || show(model, screen, &inputs, &request, &waker)))?;
        let pending = SnapshotComparison::new(world, session);
        Ok(Full {
            send,
            requests,
            stop,
            thread: Some(thread),
            pending,
            to_compare: Vec::new(),
            has_decision: false,
            undecided_round: None,
            shown: ShownWarnings::default(),
        })
    }

    fn notify(&self, notice: Notice) {
        // If the screen's thread has ended, the process is about to end.
        let _ = self.send.send(Input::Notice(notice));
    }

    fn compare(&mut self, session: &Session, state: &State) {
        if self.to_compare.is_empty() && !std::mem::take(&mut self.has_decision) {
            return;
        }
        let nodes = std::mem::take(&mut self.to_compare);
        match self.pending.compare(session, state, &nodes) {
            Ok(waiting) => self.notify(Notice::Waiting(waiting)),
            Err(reason) => self.notify(Notice::Decided(reason.message.into_owned())),
        }
    }

    fn reply(&mut self, request: Request, session: &Session, state: &State) {
        if let Err(reason) = self.answer(request, session, state) {
            self.notify(Notice::Decided(reason.message.into_owned()));
        }
        self.compare(session, state);
    }

    fn answer(&mut self, request: Request, session: &Session, state: &State) -> Result<(), Reason> {
        let root = session.home();
        match request {
            Request::Graph { node, about } => {
                let found =
                    self.pending.catalog(state, &node).ok_or_else(|| format!("{node} has no catalog yet")).and_then(
                        |catalog| {
                            let at = if about.is_empty() { Some(0) } else { graph::find(catalog, &about) };
                            let graph = at.and_then(|at| graph::around(catalog, at, root));
                            graph
                                .map(|graph| Box::new(Graph { node: node.clone(), ..graph }))
                                .ok_or_else(|| format!("no resource of {node} has '{about}' in its name"))
                        },
                    );
                self.notify(Notice::Graph(found));
            }
            Request::Accept(names) => {
                let done = self.pending.accept(session, state, &names)?;
                let mut text = format!("{} accepted", count(done.snapshots, "snapshot"));
                if done.snapshots < names.len() {
                    let rest = names.len() - done.snapshots;
                    text.push_str(&format!(", {rest} left: press r to review errors and unexpected changes"));
                }
                self.notify(Notice::Decided(text));
                self.to_compare = state.nodes().map(|(name, _)| name.clone()).collect();
                self.has_decision = true;
            }
            Request::Review(names) => {
                let groups = self.pending.groups(session, state, &names)?;
                self.notify(Notice::Review(groups));
            }
            Request::Leave => self.pending.withdraw(session)?,
            Request::Decide { accepted, rejected } => {
                self.pending.decide(session, &accepted, &rejected)?;
                self.pending.withdraw(session)?;
                let text = format!("{} accepted, {} rejected", accepted.len(), rejected.len());
                self.notify(Notice::Decided(text));
                self.to_compare = state.nodes().map(|(name, _)| name.clone()).collect();
                self.has_decision = true;
            }
        }
        Ok(())
    }
}

impl WatchOutput for Full {
    fn begin(&mut self) {
        self.notify(Notice::Begin);
    }

    fn round(&mut self, seen: &RoundResult<'_>) {
        if is_alone(seen.session) {
            self.undecided_round = Some((seen.edit, seen.elapsed));
            return;
        }
        if seen.updates.is_empty() {
            return self.notify(Notice::Nothing(seen.elapsed));
        }
        let round = Round::of(seen, &mut self.shown);
        self.notify(Notice::Round(Box::new(round)));
        self.to_compare.extend(seen.updates.iter().map(|update: &NodeUpdate| update.certname.clone()));
    }

    fn report(&mut self, reason: Reason, broken: bool) {
        let text = Logger::plain().message(&Diagnostic::new(reason, None), &SourceMap::new());
        let lines = plain(&text, LineStyle::Removed);
        self.notify(if broken { Notice::Broken(Some(lines)) } else { Notice::Said(lines) });
    }

    fn ran(&mut self, ran: &CommandRuns) {
        let mut lines = marked(&ran.output);
        lines.extend(plain(&ran.note(), LineStyle::Dim));
        self.notify(Notice::Said(lines));
    }

    fn beside(&mut self, session: &Session, state: &State, work: &mut dyn FnMut()) {
        let stop = self.stop.clone();
        std::thread::scope(|scope| {
            let answer = || {
                self.compare(session, state);
                while let Ok(Some(request)) = self.requests.recv() {
                    self.reply(request, session, state);
                }
            };
            let helper = std::thread::Builder::new().name("answers".to_owned()).spawn_scoped(scope, answer);
            work();
            if helper.is_ok() {
                let _ = stop.send(None);
            }
        });
    }

    fn idle(&mut self, session: &Session, state: &State) -> Idle {
        self.compare(session, state);
        while let Ok(request) = self.requests.try_recv() {
            if let Some(request) = request {
                self.reply(request, session, state);
            }
        }
        let wrong = match self.pending.follow(session, state) {
            Ok(false) => return Idle::Done,
            Ok(true) => None,
            Err(reason) => Some(reason),
        };
        self.notify(Notice::Waiting(self.pending.waiting()));
        if let Some(reason) = wrong {
            self.report(reason, false);
        }
        if self.pending.is_done() { Idle::Watch } else { Idle::More }
    }

    fn cases(&mut self, session: &Session, state: &State) -> CaseRound {
        let tests = self.pending.tests();
        let round = tests.take_round();
        let names: Vec<Arc<str>> = tests.names().cloned().collect();
        match self.undecided_round.take() {
            _ if !round.updates.is_empty() => {
                let (updates, elapsed) = (&round.updates, round.elapsed);
                let shown = Round::of(&RoundResult { updates, state, session, elapsed, edit: true }, &mut self.shown);
                self.notify(Notice::Round(Box::new(Round { nodes: names, ..shown })));
            }
            Some((false, elapsed)) => {
                self.notify(Notice::Round(Box::new(Round { nodes: names, elapsed, ..Round::default() })));
            }
            Some((true, elapsed)) => self.notify(Notice::Nothing(elapsed)),
            None => {}
        }
        if !round.verdicts.is_empty() {
            self.notify(Notice::Verdicts(round.verdicts.clone().into_iter().collect()));
        }
        round
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.pending.paths()
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        let _ = self.send.send(Input::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads the terminal's input until it is closed.
fn read(send: &mpsc::Sender<Input>) {
    loop {
        let input = match event::read() {
            Ok(Event::Key(key)) => match pressed(key) {
                Some(pressed) => Input::Key(pressed),
                None => continue,
            },
            Ok(Event::Resize(..)) => Input::Resized,
            Ok(_) => continue,
            Err(_) => Input::Gone,
        };
        let gone = matches!(input, Input::Gone);
        if send.send(input).is_err() || gone {
            return;
        }
    }
}

/// Draws until the screen is closed. Quitting ends the process even while the other thread is compiling.
fn show(
    mut model: Model,
    mut screen: Screen,
    inputs: &mpsc::Receiver<Input>,
    requests: &mpsc::Sender<Option<Request>>,
    waker: &Waker,
) {
    let code = loop {
        if screen.draw(model.screen(), model.size).is_err() {
            break Some(1);
        }
        let Ok(first) = inputs.recv() else { break None };
        let mut end = None;
        // Draws once for all input that has arrived.
        for input in std::iter::once(first).chain(inputs.try_iter()) {
            let request = match input {
                Input::Notice(notice) => model.handle(notice),
                Input::Key(KeyPress::Key(key)) => model.press(key),
                Input::Key(KeyPress::Interrupt) => {
                    end = Some(Some(SIGNALLED + 2));
                    None
                }
                Input::Key(KeyPress::Suspend) => {
                    if screen.suspend().is_err() {
                        end = Some(Some(1));
                    }
                    None
                }
                Input::Resized => {
                    model.resize(screen.size());
                    screen.forget();
                    None
                }
                Input::Signal(signal) => {
                    end = Some(Some(SIGNALLED + signal));
                    None
                }
                Input::Gone => {
                    end = Some(Some(SIGNALLED + 1));
                    None
                }
                Input::End => {
                    end = Some(None);
                    None
                }
            };
            if let Some(request) = request {
                let _ = requests.send(Some(request));
                waker.wake();
            }
            if model.quit {
                end = Some(Some(0));
            }
            if end.is_some() {
                break;
            }
        }
        if let Some(code) = end {
            break code;
        }
    };
    drop(screen);
    if let Some(code) = code {
        cli::leave(code);
    }
}
