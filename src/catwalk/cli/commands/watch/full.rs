//! The full screen of `watch` on a terminal. One thread draws and reads keys; its requests are answered by the compiling thread or, during
//! a compile, by a third thread.
//!
//! In: results of the session. Out: a drawn terminal, which is restored at every end of the program. Must not: compile.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossterm::event;
use crossterm::event::Event;

use crate::cli;
use crate::cli::Logger;
use crate::cli::commands::watch::ExecResult;
use crate::cli::commands::watch::Idle;
use crate::cli::commands::watch::REPAIRED;
use crate::cli::commands::watch::RoundResult;
use crate::cli::commands::watch::WatchOutput;
use crate::cli::commands::watch::cases::Round as CaseRound;
use crate::cli::commands::watch::cases::is_module_alone;
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
use crate::cli::options;
use crate::cli::options::is_ci;
use crate::cli::screen::KeyPress;
use crate::cli::screen::Screen;
use crate::watch::Waker;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::State;
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
    shown_warnings: ShownWarnings,
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
        spawn("keys", Box::new(move || read_terminal(&keys)))?;
        #[cfg(unix)]
        {
            use signal_hook::consts::SIGHUP;
            use signal_hook::consts::SIGINT;
            use signal_hook::consts::SIGTERM;
            let signals = send.clone();
            catwalk_world::mark_signals_non_fatal(&[SIGHUP, SIGINT, SIGTERM]);
            let mut signals_to_end = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
            let wait = move || {
                for signal in &mut signals_to_end {
                    let _ = signals.send(Input::Signal(u8::try_from(signal).unwrap_or_default()));
                }
            };
            spawn("signals", Box::new(wait))?;
        }
        let stop = request.clone();
        let thread = spawn("screen", Box::new(move || draw_until_closed(model, screen, &inputs, &request, &waker)))?;
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
            shown_warnings: ShownWarnings::default(),
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
            Ok(snapshots) => self.notify(Notice::Pending(snapshots)),
            Err(reason) => self.notify(Notice::Decided(reason.message.into_owned())),
        }
    }

    fn reply(&mut self, request: Request, session: &Session, state: &State) {
        if let Err(reason) = self.try_reply(request, session, state) {
            self.notify(Notice::Decided(reason.message.into_owned()));
        }
        self.compare(session, state);
    }

    fn try_reply(&mut self, request: Request, session: &Session, state: &State) -> Result<(), Reason> {
        let root = session.home();
        match request {
            Request::Graph { node, about } => {
                let graph =
                    self.pending.catalog(state, &node).ok_or_else(|| format!("{node} has no catalog yet")).and_then(
                        |catalog| {
                            let at = if about.is_empty() { Some(0) } else { graph::find(catalog, &about) };
                            let graph = at.and_then(|at| graph::neighbourhood(catalog, at, root));
                            graph
                                .map(|graph| Box::new(Graph { node: node.clone(), ..graph }))
                                .ok_or_else(|| format!("no resource of {node} has '{about}' in its name"))
                        },
                    );
                self.notify(Notice::Graph(graph));
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
    fn begin(&mut self, nodes: usize) {
        self.notify(Notice::Begin(nodes));
    }

    fn progress(&self) -> Box<dyn Fn(usize) + Sync> {
        let (send, compiled) = (self.send.clone(), AtomicUsize::new(0));
        Box::new(move |all| {
            let done = compiled.fetch_add(1, Ordering::Relaxed) + 1;
            // A hundred steps are enough to see that it advances.
            if done.is_multiple_of((all / 100).max(1)) {
                let _ = send.send(Input::Notice(Notice::Progress { done, all }));
            }
        })
    }

    fn round(&mut self, result: &RoundResult<'_>) {
        if is_module_alone(result.session) {
            self.undecided_round = Some((result.edit, result.elapsed));
            return;
        }
        if result.updates.is_empty() {
            return self.notify(Notice::Nothing(result.elapsed));
        }
        let round = Round::from_result(result, &mut self.shown_warnings);
        self.notify(Notice::Round(Box::new(round)));
        self.to_compare.extend(result.updates.iter().map(|update: &NodeUpdate| update.certname.clone()));
    }

    fn report(&mut self, reason: Reason, broken: bool) {
        let text = Logger::plain().message(&Diagnostic::new(reason, None), &options::message_sources());
        let lines = plain(&text, LineStyle::Removed);
        self.notify(if broken { Notice::Broken(Some(lines)) } else { Notice::Output(lines) });
    }

    fn report_repair(&mut self) {
        self.notify(Notice::Broken(None));
        self.notify(Notice::Decided(REPAIRED.to_owned()));
    }

    fn show_command(&mut self, result: &ExecResult) {
        let mut lines = marked(&result.output);
        lines.extend(plain(&result.note(), LineStyle::Dim));
        self.notify(Notice::Output(lines));
    }

    fn answer_during(&mut self, session: &Session, state: &State, work: &mut dyn FnMut()) {
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
        let failure = match self.pending.follow(session, state) {
            Ok(false) => return Idle::Done,
            Ok(true) => None,
            Err(reason) => Some(reason),
        };
        self.notify(Notice::Pending(self.pending.pending_snapshots()));
        if let Some(reason) = failure {
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
                let round = Round::from_result(
                    &RoundResult { updates, state, session, elapsed, edit: true },
                    &mut self.shown_warnings,
                );
                self.notify(Notice::Round(Box::new(Round { nodes: names, ..round })));
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
fn read_terminal(send: &mpsc::Sender<Input>) {
    loop {
        let input = match event::read() {
            Ok(Event::Key(key)) => match KeyPress::from_event(key) {
                Some(key_press) => Input::Key(key_press),
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
fn draw_until_closed(
    mut model: Model,
    mut screen: Screen,
    inputs: &mpsc::Receiver<Input>,
    requests: &mpsc::Sender<Option<Request>>,
    waker: &Waker,
) {
    let code = 'screen: loop {
        if screen.draw(model.screen(), model.size).is_err() {
            break Some(1);
        }
        let Ok(first) = inputs.recv() else { break None };
        // Draws once for all input that has arrived.
        for input in std::iter::once(first).chain(inputs.try_iter()) {
            match handle_input(input, &mut model, &mut screen) {
                ControlFlow::Break(code) => break 'screen code,
                ControlFlow::Continue(None) => {}
                ControlFlow::Continue(Some(request)) => {
                    let _ = requests.send(Some(request));
                    waker.wake();
                }
            }
            if model.quit {
                break 'screen Some(0);
            }
        }
    };
    drop(screen);
    if let Some(code) = code {
        cli::leave(code);
    }
}

/// Changes the model or the screen. `Break` closes the screen and contains the exit code of the process; `None` if the session ended.
fn handle_input(input: Input, model: &mut Model, screen: &mut Screen) -> ControlFlow<Option<u8>, Option<Request>> {
    match input {
        Input::Notice(notice) => return ControlFlow::Continue(model.handle(notice)),
        Input::Key(KeyPress::Key(key)) => return ControlFlow::Continue(model.press(key)),
        Input::Key(KeyPress::Interrupt) => return ControlFlow::Break(Some(SIGNALLED + 2)),
        Input::Key(KeyPress::Suspend) => {
            if screen.suspend().is_err() {
                return ControlFlow::Break(Some(1));
            }
        }
        Input::Resized => {
            model.resize(screen.size());
            screen.forget();
        }
        Input::Signal(signal) => return ControlFlow::Break(Some(SIGNALLED + signal)),
        Input::Gone => return ControlFlow::Break(Some(SIGNALLED + 1)),
        Input::End => return ControlFlow::Break(None),
    }
    ControlFlow::Continue(None)
}
