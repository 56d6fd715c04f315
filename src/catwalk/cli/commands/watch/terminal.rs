//! The terminal of the full screen of `watch`: it is drawn on, and its keys and signals are sent to the screen.

use std::io::IsTerminal;
use std::sync::Arc;

use crossterm::event;
use crossterm::event::Event;

use crate::cli;
use crate::cli::options;
use crate::cli::screen::KeyPress;
use crate::cli::screen::Screen;
use catwalk_base::diag::Reason;
use catwalk_session::Session;
use catwalk_snapshot::review::Line;
use catwalk_watch::FullScreen;
use catwalk_watch::InputSender;
use catwalk_watch::ScreenOptions;
use catwalk_watch::Terminal;
use catwalk_watch::TerminalInput;
use catwalk_watcher::Waker;
use catwalk_world::Disk;
use catwalk_world::World;

/// Whether this process has a terminal that can be drawn on.
pub(super) fn is_possible() -> bool {
    let dumb = Disk::new().env("TERM").is_none_or(|term| matches!(&*term, "" | "dumb"));
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !dumb
}

impl Terminal for Screen {
    fn draw(&mut self, lines: Vec<Line>, size: (usize, usize)) -> std::io::Result<()> {
        Screen::draw(self, lines, size)
    }

    fn size(&self) -> (usize, usize) {
        Screen::size(self)
    }

    fn forget(&mut self) {
        Screen::forget(self);
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        Screen::suspend(self)
    }
}

/// Switches the terminal to the full screen; `waker` ends the wait for edits when there is a request.
///
/// # Errors
/// The terminal cannot be set up.
pub(super) fn open(waker: Waker, world: Arc<Disk>, session: &Session) -> Result<FullScreen, Reason> {
    let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
    let screen = Box::new(Screen::open().map_err(failed)?);
    let options = ScreenOptions { is_frozen: options::is_ci(), here: options::current_dir().ok(), leave: cli::leave };
    let full = FullScreen::open(screen, options, waker, world, session)?;
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
    };
    let keys = full.input();
    spawn("keys", Box::new(move || read_terminal(&keys)))?;
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGHUP;
        use signal_hook::consts::SIGINT;
        use signal_hook::consts::SIGTERM;
        let input = full.input();
        catwalk_world::mark_signals_non_fatal(&[SIGHUP, SIGINT, SIGTERM]);
        let mut signals_to_end = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
        let wait = move || {
            for signal in &mut signals_to_end {
                let _ = input.send(TerminalInput::Signal(u8::try_from(signal).unwrap_or_default()));
            }
        };
        spawn("signals", Box::new(wait))?;
    }
    Ok(full)
}

/// Reads the terminal's input until it is closed.
fn read_terminal(send: &InputSender) {
    loop {
        let input = match event::read() {
            Ok(Event::Key(key)) => match KeyPress::from_event(key) {
                Some(KeyPress::Key(key)) => TerminalInput::Key(key),
                Some(KeyPress::Interrupt) => TerminalInput::Interrupt,
                Some(KeyPress::Suspend) => TerminalInput::Suspend,
                None => continue,
            },
            Ok(Event::Resize(..)) => TerminalInput::Resized,
            Ok(_) => continue,
            Err(_) => TerminalInput::Closed,
        };
        if !send.send(input) || input == TerminalInput::Closed {
            return;
        }
    }
}
