//! The full screen of `watch`. One thread draws and handles input; its requests are answered by the compiling thread or, during a compile,
//! by a third thread.
//!
//! In: results of the session, [`TerminalInput`]. Out: lines on a [`Terminal`]. Must not: compile, read keys.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::cases::Round as CaseRound;
use crate::cases::is_module_alone;
use crate::messages::ShownWarnings;
use crate::model::Model;
use crate::model::Notice;
use crate::model::Request;
use crate::model::count;
use crate::output::ExecResult;
use crate::output::Idle;
use crate::output::REPAIRED;
use crate::output::RoundResult;
use crate::output::WatchOutput;
use crate::round::Round;
use crate::round::marked;
use crate::round::plain;
use crate::round::text_of;
use crate::snapshot_comparison::SnapshotComparison;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;
use catwalk_formats::neighbourhood;
use catwalk_formats::neighbourhood::Graph;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::State;
use catwalk_snapshot::review::Key;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;
use catwalk_watcher::Waker;
use catwalk_world::Disk;

/// The exit code of a process that a signal ended is this number plus that of the signal.
const SIGNALLED: u8 = 128;

/// A terminal that lines can be drawn on. Dropping it restores it.
pub trait Terminal: Send {
    /// Draws the lines of the screen.
    ///
    /// # Errors
    /// The terminal is closed.
    fn draw(&mut self, lines: Vec<Line>, size: (usize, usize)) -> std::io::Result<()>;
    /// Columns and rows.
    fn size(&self) -> (usize, usize);
    /// Discards the current content, so that the next draw writes everything.
    fn forget(&mut self);
    /// Suspends the program until it is continued.
    ///
    /// # Errors
    /// The terminal is closed.
    fn suspend(&mut self) -> std::io::Result<()>;
}

/// What a terminal sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalInput {
    /// A key with a meaning.
    Key(Key),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// The size has changed.
    Resized,
    /// A signal to end the process.
    Signal(u8),
    /// The terminal was closed.
    Closed,
}

/// Sends the input of a terminal to the screen.
#[derive(Clone)]
pub struct InputSender(mpsc::Sender<Input>);

impl InputSender {
    /// Sends input. Returns whether the screen still accepts input.
    #[must_use]
    pub fn send(&self, input: TerminalInput) -> bool {
        self.0.send(Input::Terminal(input)).is_ok()
    }
}

/// The input of the screen's thread.
enum Input {
    Notice(Notice),
    Terminal(TerminalInput),
    /// The session ended.
    End,
}

/// How the full screen ends and starts.
pub struct ScreenOptions {
    /// Whether snapshots cannot be accepted, since this is a build server.
    pub is_frozen: bool,
    /// The current directory, to which paths in messages are relative.
    pub here: Option<PathBuf>,
    /// Ends the process with an exit code.
    pub leave: fn(u8) -> !,
}

/// The full screen as used by the compiling thread.
pub struct FullScreen {
    here: Option<PathBuf>,
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

impl FullScreen {
    /// Starts the thread that draws; `waker` ends the wait for edits when there is a request.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn open(
        terminal: Box<dyn Terminal>,
        options: ScreenOptions,
        waker: Waker,
        world: Arc<Disk>,
        session: &Session,
    ) -> Result<FullScreen, Reason> {
        let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
        let (send, inputs) = mpsc::channel();
        let (request, requests) = mpsc::channel();
        let model = Model::new(terminal.size(), options.is_frozen);
        let stop = request.clone();
        let draw = move || draw_until_closed(model, terminal, &inputs, &request, &waker, options.leave);
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(draw).map_err(failed)?;
        let pending = SnapshotComparison::new(world, session);
        Ok(FullScreen {
            here: options.here,
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

    /// Sends the input of the terminal to the screen.
    #[must_use]
    pub fn input(&self) -> InputSender {
        InputSender(self.send.clone())
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
                            let at = if about.is_empty() { Some(0) } else { neighbourhood::find(catalog, &about) };
                            let graph = at.and_then(|at| neighbourhood::neighbourhood(catalog, at, root));
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

impl WatchOutput for FullScreen {
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
        let text = text_of(&Diagnostic::new(reason, None), &SourceMap::below(self.here.as_deref()));
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

impl Drop for FullScreen {
    fn drop(&mut self) {
        let _ = self.send.send(Input::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Draws until the screen is closed. Quitting ends the process even while the other thread is compiling.
fn draw_until_closed(
    mut model: Model,
    mut screen: Box<dyn Terminal>,
    inputs: &mpsc::Receiver<Input>,
    requests: &mpsc::Sender<Option<Request>>,
    waker: &Waker,
    leave: fn(u8) -> !,
) {
    let code = 'screen: loop {
        if screen.draw(model.screen(), model.size).is_err() {
            break Some(1);
        }
        let Ok(first) = inputs.recv() else { break None };
        // Draws once for all input that has arrived.
        for input in std::iter::once(first).chain(inputs.try_iter()) {
            match handle_input(input, &mut model, screen.as_mut()) {
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
        leave(code);
    }
}

/// Changes the model or the screen. `Break` closes the screen and contains the exit code of the process; `None` if the session ended.
fn handle_input(
    input: Input,
    model: &mut Model,
    screen: &mut dyn Terminal,
) -> ControlFlow<Option<u8>, Option<Request>> {
    match input {
        Input::Notice(notice) => return ControlFlow::Continue(model.handle(notice)),
        Input::Terminal(TerminalInput::Key(key)) => return ControlFlow::Continue(model.press(key)),
        Input::Terminal(TerminalInput::Interrupt) => return ControlFlow::Break(Some(SIGNALLED + 2)),
        Input::Terminal(TerminalInput::Suspend) => {
            if screen.suspend().is_err() {
                return ControlFlow::Break(Some(1));
            }
        }
        Input::Terminal(TerminalInput::Resized) => {
            model.resize(screen.size());
            screen.forget();
        }
        Input::Terminal(TerminalInput::Signal(signal)) => return ControlFlow::Break(Some(SIGNALLED + signal)),
        Input::Terminal(TerminalInput::Closed) => return ControlFlow::Break(Some(SIGNALLED + 1)),
        Input::End => return ControlFlow::Break(None),
    }
    ControlFlow::Continue(None)
}
