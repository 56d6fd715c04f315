//! The console at a terminal: line editing, history, completion, inputs of several lines.

use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use rustyline::CompletionType;
use rustyline::Config;
use rustyline::Editor;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::ValidationContext;
use rustyline::validate::ValidationResult;
use rustyline::validate::Validator;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::eval::Eval;
use crate::cli::commands::eval::value_or_type;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Secrets;
use catwalk_console as console;
use catwalk_console::Console;
use catwalk_console::Reply;
use catwalk_session::Session;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::STATE;
use catwalk_world::output::state_directory;
use catwalk_world::read_file;

/// Callbacks of the line editor.
struct Helper<'r, 'c> {
    console: &'r RefCell<Console<'c>>,
}

impl Completer for Helper<'_, '_> {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &rustyline::Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.console.borrow().complete(line, at))
    }
}

impl Validator for Helper<'_, '_> {
    fn validate(&self, input: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let is_incomplete = console::is_incomplete(input.input());
        Ok(if is_incomplete { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Highlighter for Helper<'_, '_> {}
impl Hinter for Helper<'_, '_> {
    type Hint = String;
}
impl rustyline::Helper for Helper<'_, '_> {}

/// Reads, evaluates and prints until the end of input.
pub(super) fn run(
    console: Console<'_>,
    args: &Eval,
    session: &Session,
    logger: &Logger,
) -> Result<(), Box<Diagnostic>> {
    let cannot_use_terminal =
        |error: ReadlineError| Box::from(Reason::runtime(format!("the terminal cannot be used: {error}")));
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
    let prompt = format!("{}> ", console.certname());
    logger.note(&format!("catwalk {} in '{}'; :help lists commands", env!("CARGO_PKG_VERSION"), console.environment()));
    let console = RefCell::new(console);
    let mut editor: Editor<Helper<'_, '_>, FileHistory> = Editor::with_config(config).map_err(cannot_use_terminal)?;
    editor.set_helper(Some(Helper { console: &console }));
    let history = history_file();
    if let Some(path) = &history {
        // The history may not exist yet. If it is a pipe, the editor would block.
        if read_file(path).is_ok() {
            let _ = editor.load_history(path);
        }
    }
    interrupt_on_ctrl_c(session);
    loop {
        match editor.readline(&prompt) {
            Ok(line) => {
                if let Some(path) = &history {
                    // A history that cannot be saved is not an error.
                    let _ = editor.append_history(path);
                }
                if let Some(interrupt) = &session.options.settings.interrupt {
                    interrupt.store(false, Ordering::Relaxed);
                }
                let reply = console.borrow_mut().submit(&line);
                let quit = reply.quit;
                let secrets = console.borrow().secrets();
                print_reply(reply, args, session, (logger, &secrets));
                if quit {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(cannot_use_terminal(error)),
        }
    }
}

/// Makes Ctrl-C stop an evaluation; a second one ends the program if the evaluation does not stop.
fn interrupt_on_ctrl_c(session: &Session) {
    if let Some(interrupt) = &session.options.settings.interrupt {
        let signal = signal_hook::consts::SIGINT;
        #[cfg(unix)]
        catwalk_world::mark_signals_non_fatal(&[signal]);
        // Without a handler, Ctrl-C ends the program.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.clone());
        let _ = signal_hook::flag::register(signal, interrupt.clone());
    }
}

fn print_reply(reply: Reply, args: &Eval, session: &Session, (logger, secrets): (&Logger, &Secrets)) {
    reply.logs.iter().for_each(|line| logger.write(line, session.sources(), None));
    let mut text = reply.text;
    if let Some(value) = reply.value {
        match args.format.format().show(&value_or_type(value, args), Some(secrets).filter(|_| !args.show_secrets)) {
            Ok(shown) => text.push_str(&format!("=> {shown}")),
            Err(reason) => logger.write(&Diagnostic::new(reason, None), session.sources(), None),
        }
    }
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // The next read reports that the terminal is closed.
        let _ = writeln!(out, "{}", for_people(&text)).and_then(|()| out.flush());
    }
    if let Some(error) = reply.error {
        logger.write(&error, session.sources(), None);
    }
}

/// The history file in the directory of the user's state. Creates the directory. `None`: there is no history.
fn history_file() -> Option<PathBuf> {
    let directory = Directory::open(&state_directory()?, &STATE).ok()?;
    let is_file = |kind: Option<FileKind>| kind.is_none_or(|kind| kind == FileKind::File);
    directory.kind(HISTORY).is_ok_and(is_file).then(|| directory.path().join(HISTORY))
}

/// The name of the file.
const HISTORY: &str = "history";
