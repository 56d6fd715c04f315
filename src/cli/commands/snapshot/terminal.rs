//! The review on a terminal: keys are read, the screen of [`Review`] is drawn.

use std::io::IsTerminal;
use std::io::Write;

use crossterm::QueueableCommand;
use crossterm::cursor;
use crossterm::event;
use crossterm::event::Event;
use crossterm::event::KeyCode;
use crossterm::event::KeyEventKind;
use crossterm::event::KeyModifiers;
use crossterm::execute;
use crossterm::style;
use crossterm::style::Attribute;
use crossterm::style::Color;
use crossterm::terminal;

use crate::cli::options;
use crate::diag::Reason;
use crate::snapshot::Store;
use crate::snapshot::decide;
use crate::snapshot::decide::Decision;
use crate::snapshot::review::Key;
use crate::snapshot::review::Look;
use crate::snapshot::review::Review;
use crate::snapshot::review::Step;

/// Restores the terminal, however the review ends.
struct Screen;

impl Screen {
    fn open() -> std::io::Result<Screen> {
        terminal::enable_raw_mode()?;
        execute!(std::io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(Screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(std::io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Reviews what waits. The text says what was decided.
///
/// # Errors
/// There is no terminal; a file cannot be read or written.
pub(super) fn review(store: &Store) -> Result<String, Reason> {
    let proposals = decide::proposals(store)?;
    if proposals.is_empty() {
        return Ok("nothing waits for a decision".to_owned());
    }
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let text = "a review needs a terminal";
        return Err(options::usage(text).help("`catwalk snapshot list --diff`, `catwalk snapshot accept PATTERN`"));
    }
    let groups = decide::groups(proposals.iter().map(|proposal| (proposal.name.as_str(), proposal.hunks.as_slice())));
    let mut review = Review::new(groups);
    let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
    if !decisions(&mut review).map_err(failed)? {
        return Ok("nothing was decided".to_owned());
    }
    let [accepted, rejected, open] = review.counts();
    for decision in [Decision::Accept, Decision::Reject] {
        let chosen = review.decided(decision);
        decide::decide(store, decision, &|name, reference, _| chosen.contains(&(name, reference)))?;
    }
    Ok(format!("{accepted} changes accepted, {rejected} rejected, {open} left open"))
}

/// Asks until the end: whether the decisions are to be carried out.
fn decisions(review: &mut Review) -> std::io::Result<bool> {
    let _screen = Screen::open()?;
    loop {
        draw(review)?;
        let Event::Key(pressed) = event::read()? else { continue };
        if pressed.kind == KeyEventKind::Release {
            continue;
        }
        if pressed.modifiers.contains(KeyModifiers::CONTROL) && pressed.code == KeyCode::Char('c') {
            return Ok(false);
        }
        let key = match pressed.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Escape,
            KeyCode::Backspace => Key::Backspace,
            _ => continue,
        };
        match review.press(key) {
            Step::Draw => {}
            Step::Write => return Ok(true),
            Step::Quit => return Ok(false),
        }
    }
}

fn draw(review: &Review) -> std::io::Result<()> {
    let (width, height) = terminal::size()?;
    let mut out = std::io::stdout().lock();
    out.queue(terminal::Clear(terminal::ClearType::All))?;
    for (row, (text, look)) in (0_u16..).zip(review.screen(width.into(), height.into())) {
        out.queue(cursor::MoveTo(0, row))?;
        match look {
            Look::Plain => &mut out,
            Look::Bold => out.queue(style::SetAttribute(Attribute::Bold))?,
            Look::Chosen => out.queue(style::SetAttribute(Attribute::Reverse))?,
            Look::Dim => out.queue(style::SetAttribute(Attribute::Dim))?,
            Look::Added => out.queue(style::SetForegroundColor(Color::Green))?,
            Look::Removed => out.queue(style::SetForegroundColor(Color::Red))?,
            Look::Changed => out.queue(style::SetForegroundColor(Color::Yellow))?,
        };
        out.queue(style::Print(text))?.queue(style::SetAttribute(Attribute::Reset))?.queue(style::ResetColor)?;
    }
    out.flush()
}
