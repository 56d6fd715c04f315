//! The full screen of a terminal: draws lines and reads keys.
//!
//! In: lines with their styles, sizes, key events. Out: the changed lines on the terminal, keys by their meaning. Must not: interpret the
//! lines.

use std::io::Write;

use crossterm::QueueableCommand;
use crossterm::cursor;
use crossterm::event::KeyCode;
use crossterm::event::KeyEvent;
use crossterm::event::KeyEventKind;
use crossterm::event::KeyModifiers;
use crossterm::execute;
use crossterm::style;
use crossterm::style::Attribute;
use crossterm::style::Color;
use crossterm::terminal;
use unicode_width::UnicodeWidthChar;
use unicode_width::UnicodeWidthStr;

use catwalk_snapshot::review::Key;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;

/// A key, or a signal to quit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyPress {
    /// A key with a meaning.
    Key(Key),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
}

impl KeyPress {
    /// The meaning of a key of the terminal; `None` if it has none.
    pub(super) fn from_event(event: KeyEvent) -> Option<KeyPress> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        if event.modifiers.contains(KeyModifiers::CONTROL) {
            return match event.code {
                KeyCode::Char('c') => Some(KeyPress::Interrupt),
                KeyCode::Char('z') => Some(KeyPress::Suspend),
                _ => None,
            };
        }
        let key = match event.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Escape,
            KeyCode::Backspace => Key::Backspace,
            KeyCode::Left => Key::Left,
            KeyCode::Right => Key::Right,
            KeyCode::Home => Key::Home,
            KeyCode::End => Key::End,
            KeyCode::Tab => Key::Tab,
            _ => return None,
        };
        Some(KeyPress::Key(key))
    }
}

/// Truncates a string to this width; a truncated one ends with `…`. Control characters become spaces.
pub(super) fn truncate(text: &str, width: usize) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => clean.push_str("    "),
            c if c.is_control() => clean.push(' '),
            c => clean.push(c),
        }
    }
    if clean.width() <= width {
        return clean;
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in clean.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        cut.push(c);
    }
    if width > 0 {
        cut.push('…');
    }
    cut
}

/// The current content of the terminal, so that only changed lines are written.
pub(super) struct Canvas {
    lines: Vec<Line>,
    size: (usize, usize),
    color: bool,
}

impl Canvas {
    /// An empty canvas; `color`: whether lines may have colours.
    pub(super) fn new(color: bool) -> Canvas {
        Canvas { lines: Vec::new(), size: (0, 0), color }
    }

    /// Discards the current content, so that the next draw writes everything.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
        self.size = (0, 0);
    }

    /// Writes the lines that differ from the current content.
    pub(super) fn draw(&mut self, lines: Vec<Line>, size: (usize, usize), out: &mut dyn Write) -> std::io::Result<()> {
        let (width, height) = size;
        let mut lines: Vec<Line> =
            lines.into_iter().take(height).map(|(text, style)| (truncate(&text, width), style)).collect();
        lines.resize(height, (String::new(), LineStyle::Plain));
        out.queue(terminal::BeginSynchronizedUpdate)?;
        let all = self.size != size;
        if all {
            out.queue(terminal::Clear(terminal::ClearType::All))?;
        }
        for (row, line) in lines.iter().enumerate() {
            if !all && self.lines.get(row) == Some(line) {
                continue;
            }
            out.queue(cursor::MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX)))?;
            self.draw_line(line, width, out)?;
        }
        (self.lines, self.size) = (lines, size);
        out.queue(terminal::EndSynchronizedUpdate)?;
        out.flush()
    }

    fn draw_line(&self, (text, style): &Line, width: usize, out: &mut dyn Write) -> std::io::Result<()> {
        match style {
            LineStyle::Plain => {}
            LineStyle::Bold => drop(out.queue(style::SetAttribute(Attribute::Bold))?),
            LineStyle::Chosen => drop(out.queue(style::SetAttribute(Attribute::Reverse))?),
            LineStyle::Dim => drop(out.queue(style::SetAttribute(Attribute::Dim))?),
            LineStyle::Added | LineStyle::Removed | LineStyle::Changed if !self.color => {}
            LineStyle::Added => drop(out.queue(style::SetForegroundColor(Color::Green))?),
            LineStyle::Removed => drop(out.queue(style::SetForegroundColor(Color::Red))?),
            LineStyle::Changed => drop(out.queue(style::SetForegroundColor(Color::Yellow))?),
        }
        out.queue(style::Print(text))?;
        if *style != LineStyle::Plain {
            out.queue(style::SetAttribute(Attribute::Reset))?;
        }
        // After a full line, the cursor is still on its last column.
        if text.width() < width {
            out.queue(terminal::Clear(terminal::ClearType::UntilNewLine))?;
        }
        Ok(())
    }
}

/// The terminal in full-screen mode, which is restored on drop.
pub(super) struct Screen {
    canvas: Canvas,
}

impl Screen {
    /// Switches the terminal to the full screen.
    pub(super) fn open() -> std::io::Result<Screen> {
        let color = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        // If a step fails, `drop` restores the terminal.
        let screen = Screen { canvas: Canvas::new(color) };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&self) -> std::io::Result<()> {
        terminal::enable_raw_mode()?;
        execute!(std::io::stdout(), terminal::EnterAlternateScreen, terminal::DisableLineWrap, cursor::Hide)
    }

    /// Restores the terminal and ignores errors.
    fn restore(&self) {
        let _ = execute!(std::io::stdout(), cursor::Show, terminal::EnableLineWrap, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        // The traditional size if the actual one is unknown.
        terminal::size().map_or((80, 24), |(width, height)| (width.into(), height.into()))
    }

    /// Shows these lines.
    pub(super) fn draw(&mut self, lines: Vec<Line>, size: (usize, usize)) -> std::io::Result<()> {
        let mut frame = Vec::new();
        self.canvas.draw(lines, size, &mut frame)?;
        let mut out = std::io::stdout().lock();
        out.write_all(&frame)?;
        out.flush()
    }

    /// Makes the next draw write everything.
    pub(super) fn forget(&mut self) {
        self.canvas.forget();
    }

    /// Restores the terminal and stops the process, as Ctrl-Z does; returns when the process continues.
    pub(super) fn suspend(&mut self) -> std::io::Result<()> {
        #[cfg(unix)]
        {
            self.restore();
            signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
            self.enter()?;
            self.forget();
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn strings_are_truncated_by_columns() {
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abcd", 3), "ab…");
        assert_eq!(truncate("日本語", 6), "日本語");
        assert_eq!(truncate("日本語", 5), "日本…");
        assert_eq!(truncate("日本語", 4), "日…");
        assert_eq!(truncate("a\tb\u{1b}[2Jc", 80), "a    b [2Jc");
        assert_eq!(truncate("abc", 1), "…");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn only_changed_lines_are_written() {
        let mut canvas = Canvas::new(true);
        let lines = |middle: &str| {
            ["one", middle, "three"].map(|text| (text.to_owned(), LineStyle::Plain)).into_iter().collect::<Vec<Line>>()
        };
        let mut draw = |lines: Vec<Line>, size| {
            let mut out = Vec::new();
            canvas.draw(lines, size, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let first = draw(lines("two"), (10, 4));
        assert!(first.contains("one") && first.contains("three"), "{first:?}");
        let second = draw(lines("2"), (10, 4));
        assert!(second.contains('2') && !second.contains("one") && !second.contains("\u{1b}[2J"), "{second:?}");
        assert_eq!(draw(lines("2"), (10, 4)), "\u{1b}[?2026h\u{1b}[?2026l");
        // After a change of the size, everything is written.
        assert!(draw(lines("2"), (4, 2)).contains("one"));
    }
}
