//! Reads a value from the terminal without showing it.
//!
//! In: keys of the terminal. Out: the value. Must not: write it anywhere.

use std::io::IsTerminal;
use std::io::Write;

use crossterm::event;
use crossterm::event::Event;
use crossterm::event::KeyCode;
use crossterm::event::KeyEventKind;
use crossterm::event::KeyModifiers;
use crossterm::terminal;
use zeroize::Zeroizing;

use catwalk_base::diag::Reason;

/// The longest value in bytes. The buffer does not grow, so that no part of the value stays in memory.
const MAX_LENGTH: usize = 64 << 10;

/// Makes the terminal as it was.
struct Raw;

impl Drop for Raw {
    fn drop(&mut self) {
        // An error means that the terminal is closed.
        let _ = terminal::disable_raw_mode();
        let _ = std::io::stderr().write_all(b"\n");
    }
}

/// Asks for a value.
///
/// # Errors
/// There is no terminal, or the user has pressed Ctrl-C or Ctrl-D.
pub(super) fn read_value() -> Result<Zeroizing<Vec<u8>>, Reason> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Reason::usage("a prompt needs a terminal").help("`--stdin` reads the value from stdin"));
    }
    let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
    std::io::stderr().write_all(b"Value (not shown): ").map_err(failed)?;
    let none = || Reason::usage("no value was entered: nothing was encrypted");
    read_hidden().map_err(failed)?.ok_or_else(none)
}

fn read_hidden() -> std::io::Result<Option<Zeroizing<Vec<u8>>>> {
    terminal::enable_raw_mode()?;
    let _raw = Raw;
    let mut text = Zeroizing::new(String::with_capacity(MAX_LENGTH));
    loop {
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(None),
            KeyCode::Enter => return Ok(Some(Zeroizing::new(text.as_bytes().to_vec()))),
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(letter) if text.len() + letter.len_utf8() <= MAX_LENGTH => text.push(letter),
            _ => {}
        }
    }
}
