//! A console: the state of a node between inputs, and what an input does.

mod command;
mod complete;
mod format;
mod lookup;
mod origins;

use std::cell::OnceCell;
use std::sync::Arc;

use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_eval::Cycles;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Snapshot;
use catwalk_eval::Stop;
use catwalk_session::CompileInput;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::File;
use catwalk_value::Value;

pub use format::Format;
pub use lookup::Explain;
pub use lookup::LookupAnswer;
pub use lookup::LookupRequest;
pub use lookup::OutputFormat;
pub use origins::ResourceOrigins;

/// The result of an input.
#[derive(Debug, Default)]
pub struct Reply {
    /// The value of its last statement.
    pub value: Option<Value>,
    /// The output of a command.
    pub text: String,
    /// The messages logged during its evaluation.
    pub logs: Vec<Diagnostic>,
    /// The error that ended it.
    pub error: Option<Box<Diagnostic>>,
    /// Whether the console ends.
    pub quit: bool,
}

impl Reply {
    /// Replaces secrets in everything except the value; [`Format::write`] replaces those.
    fn redact(&mut self, secrets: &Arc<Secrets>) {
        if let Some(replaced) = secrets.replace(&self.text) {
            self.text = replaced;
        }
        self.logs.iter_mut().for_each(|line| line.redact(secrets));
        if let Some(error) = &mut self.error {
            error.redact(secrets);
        }
    }
}

/// The initial state of a console.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialState {
    /// With facts and settings, but without the declarations of the main manifest and the classification.
    #[default]
    Bare,
    /// With all declarations of a compile of the node.
    Compiled,
}

/// A console for one node.
pub struct Console<'c> {
    ev: Evaluator<'c>,
    start: Snapshot<'c>,
    names: OnceCell<complete::Names>,
    /// The error that prevents a catalog, if it was reported.
    reported_failure: Option<String>,
    /// The input of the node's compile, which explains failures.
    input: CompileInput<'c>,
}

impl<'c> Console<'c> {
    /// Creates a console. Returns it with the messages logged meanwhile.
    ///
    /// # Errors
    /// The declarations of the node fail: returns the messages so far and the error.
    pub fn new(
        input: &CompileInput<'c>,
        initial_state: InitialState,
    ) -> Result<(Console<'c>, Vec<Diagnostic>), (Vec<Diagnostic>, Box<Diagnostic>)> {
        let mut ev = input.evaluator();
        let result = ev.within_limits(|ev| {
            catwalk_session::begin(ev)?;
            if initial_state == InitialState::Compiled { catwalk_session::declare(ev) } else { Ok(()) }
        });
        let mut logs = input.program.take_warnings();
        logs.extend(ev.take_logs());
        let start = ev.snapshot();
        let console = Console { ev, start, names: OnceCell::new(), reported_failure: None, input: input.clone() };
        let secrets = console.secrets();
        logs.iter_mut().for_each(|line| line.redact(&secrets));
        match result {
            Err(stop) => Err((logs, console.failure(stop))),
            Ok(()) => Ok((console, logs)),
        }
    }

    /// The secrets in the evaluated inputs.
    #[must_use]
    pub fn secrets(&self) -> Arc<Secrets> {
        Arc::new(Secrets::new(self.input.secrets_key().clone(), self.input.world.secrets().reported()))
    }

    fn failure(&self, stop: Stop) -> Box<Diagnostic> {
        let mut failure = self.ev.failure(stop);
        self.input.explain(&mut failure);
        failure.redact(&self.secrets());
        failure
    }

    /// The node's name.
    #[must_use]
    pub fn certname(&self) -> &'c str {
        &self.ev.node.certname
    }

    /// The name of its environment.
    #[must_use]
    pub fn environment(&self) -> &'c str {
        &self.ev.node.environment
    }

    /// The sources of all code that was read.
    #[must_use]
    pub fn sources(&self) -> &'c SourceMap {
        &self.ev.program.sources
    }

    /// Handles a line of input: a command that begins with a colon, or code.
    pub fn submit(&mut self, input: &str) -> Reply {
        let mut reply = match input.trim_start().strip_prefix(':') {
            // Names with a leading `::` are code.
            Some(command) if !command.starts_with(':') => self.command(command.trim()),
            _ if input.trim().is_empty() => Reply::default(),
            _ => {
                let mut reply = self.evaluate(input);
                if reply.error.is_none() {
                    reply.logs.extend(self.warn_if_unfinished());
                }
                reply
            }
        };
        reply.redact(&self.secrets());
        reply
    }

    /// Evaluates code.
    pub fn evaluate(&mut self, code: &str) -> Reply {
        self.run_or_restore(|ev| {
            let file = ev.program.parse_code(code)?;
            evaluate_main(ev, file)
        })
    }

    /// Evaluates the code of a file.
    pub fn evaluate_file(&mut self, path: &std::path::Path) -> Reply {
        self.run_or_restore(|ev| {
            let file = ev.program.manifest(path)?;
            evaluate_main(ev, file)
        })
    }

    /// Runs `work`; if it fails, the previous state is restored.
    fn run_or_restore(&mut self, work: impl FnOnce(&mut Evaluator<'c>) -> Res<Value>) -> Reply {
        let before = self.ev.snapshot();
        self.ev.restart_clock();
        let attempt = std::panic::AssertUnwindSafe(|| self.ev.within_limits(work));
        let result = std::panic::catch_unwind(attempt).unwrap_or_else(|_| {
            Err(Reason::new(Code::INTERNAL_ERROR, "internal error: this is a bug of catwalk").into())
        });
        let mut reply = Reply { logs: self.ev.program.take_warnings(), ..Reply::default() };
        reply.logs.extend(self.ev.take_logs());
        match result {
            Ok(value) => reply.value = Some(value),
            Err(stop) => {
                reply.error = Some(self.failure(stop));
                self.ev.restore(&before);
            }
        }
        reply.redact(&self.secrets());
        reply
    }

    /// The finished catalog of the declarations so far, with the messages logged while it was finished.
    ///
    /// # Errors
    /// A compile that ended here would fail.
    pub fn catalog(&self) -> Result<(Catalog, Vec<Diagnostic>), Box<Diagnostic>> {
        self.complete_catalog().map(|(_, catalog, logs)| (catalog, logs))
    }

    /// The catalog of the declarations so far, with the evaluator that finished it.
    fn complete_catalog(&self) -> Result<(Evaluator<'c>, Catalog, Vec<Diagnostic>), Box<Diagnostic>> {
        let mut copy = self.ev.clone();
        copy.restart_clock();
        let version = Version::Seconds(copy.world.now().as_secs());
        let completed = copy.within_limits(|copy| catwalk_session::complete(copy, version));
        let mut catalog = completed.map_err(|stop| self.failure(stop))?;
        let secrets = self.secrets();
        let mut logs = copy.take_logs();
        let mut cycles = copy.cycles(&catalog);
        cycles.iter_mut().chain(&mut logs).for_each(|line| line.redact(&secrets));
        if copy.settings.cycles == Cycles::Error
            && let Some(last) = cycles.pop()
        {
            return Err(Box::new(last));
        }
        logs.extend(cycles);
        catalog.secrets = secrets;
        Ok((copy, catalog, logs))
    }

    /// A warning if no catalog can be finished from the declarations so far, once for each reason.
    fn warn_if_unfinished(&mut self) -> Option<Diagnostic> {
        let Err(failure) = self.catalog() else {
            self.reported_failure = None;
            return None;
        };
        let message = failure.message.to_string();
        if self.reported_failure.as_ref() == Some(&message) {
            return None;
        }
        let help = "a compile that ended here would fail with this error; later code may still fix it";
        let warning = Diagnostic { help: Some(help.into()), severity: Severity::Warning, ..*failure };
        self.reported_failure = Some(message);
        Some(warning)
    }
}

fn evaluate_main<'c>(ev: &mut Evaluator<'c>, file: &'c File) -> Res<Value> {
    for definition in &file.definitions {
        if matches!(definition.kind, DefinitionKind::Node(_)) {
            let text = "a node block is not evaluated here; enter its contents without the block";
            ev.warn(Reason::new(Code::NODE_BLOCK_NOT_EVALUATED, text), definition.span);
        }
    }
    ev.evaluate_after_main(file)
}

/// Whether an input is incomplete: an open bracket, string or comment, or an operator without its right operand.
#[must_use]
pub fn is_incomplete(text: &str) -> bool {
    const UNCLOSED: [Code; 5] = [
        Code::UNCLOSED_QUOTE,
        Code::UNCLOSED_MLCOMMENT,
        Code::HEREDOC_WITHOUT_TEXT,
        Code::HEREDOC_WITHOUT_END_TAGGED_LINE,
        Code::HEREDOC_UNCLOSED_PARENTHESIS,
    ];
    let mut trimmed = text.trim_start();
    if let Some(code) = trimmed.strip_prefix(":type ") {
        trimmed = code;
    }
    if trimmed.is_empty() || (trimmed.starts_with(':') && !trimmed.starts_with("::")) {
        return false;
    }
    let sources = SourceMap::new();
    let id = sources.add(None, "<code>", std::sync::Arc::from(trimmed));
    let (_, diagnostics) = syntax::parse_only(&sources, id, false);
    let first = diagnostics.iter().find(|found| found.severity >= Severity::Error);
    first.is_some_and(|error| UNCLOSED.contains(&error.code) || error.cause == Cause::EndOfInput)
}
