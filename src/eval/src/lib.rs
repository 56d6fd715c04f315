//! Evaluation of trees into values and catalog entries.
//!
//! In: [`Program`] (definitions by name, loaded on demand), [`Node`], Hiera, a world. Out: values; resources and edges in
//! the catalog under construction. Must not: read files except through the compile's [`World`]; know output formats.
//!
//! One [`Evaluator`] serves one compile of one node and is used by one thread. Trees are borrowed for the whole compile
//! (`'c`): [`Program`] only ever adds files, so a reference into a tree can be kept (blocks, lazy collectors, defines).
//! Scopes live in an arena and refer to each other by [`ScopeId`].
//!
//! How a failure gets its position: operators and functions return a [`catwalk_base::diag::Reason`] without a position, or
//! [`Stop::issue`] with one; [`Evaluator::eval`] adds the span of the expression that it evaluates, the innermost, to a failure
//! without a position. A reason without an issue code becomes `Error while evaluating a …, <reason>`, as Puppet words it.
//!
//! | file | what |
//! |---|---|
//! | `stop` | why evaluation stops: a failure, or `return`/`break`/`next` in progress |
//! | `scope` | scopes and variable lookup |
//! | `expr` | the match on all kinds of expressions; literals, variables, assignment |
//! | `control` | `if`, `case`, selectors, blocks of statements |
//! | `operator` | arithmetic, comparison, matching, logic |
//! | `access` | `a[b]` |
//! | `interpolate` | values as strings, heredocs |
//! | `call` | calls of functions, blocks, types |
//! | `function`, `signature`, `library` | the form of a function in Rust; the functions that an evaluator can call |
//! | `extern_functions`, `ruby` | functions in other languages; the interface to modules' Ruby code |
//! | `dispatch` | the choice of the signature that fits the arguments |
//! | `lambda` | parameters, defaults and bodies of blocks and functions |
//! | `interactive` | code after the main manifest; restoring an earlier state |
//! | `limits` | limits that stop a manifest before it exhausts the machine |
//! | `lookup_context` | the interface of data functions to Hiera |
//! | `template` | EPP |
//! | `closed_type` | types that all compiles share |
//! | `coverage` | counts of reached code |
//! | `issues` | wording of the evaluator's own errors |
//! | others | one file for each kind of declaration |

mod access;
mod binding;
pub mod builtin;
mod call;
pub mod class;
mod closed_type;
pub mod collector;
mod control;
pub mod coverage;
mod cycles;
mod defaults;
mod deferred;
mod define;
mod dispatch;
mod exported_secrets;
mod expr;
mod extern_functions;
mod external;
mod facts;
mod finish;
mod function;
mod guard;
mod interactive;
mod interpolate;
pub mod issues;
mod lambda;
mod library;
mod limits;
mod lookup_context;
mod member;
mod node_block;
mod operator;
pub mod overrides;
pub mod parameters;
mod register;
pub mod relation;
pub mod resource;
mod ruby;
mod ruby_type;
pub mod runtime3;
mod scope;
mod settings;
mod signature;
mod start;
pub mod state;
mod stop;
pub mod template;
mod type_name;
mod type_resolver;
mod type_set;

use std::sync::Arc;
use std::time::Instant;

pub use binding::Data;
pub use binding::stop as lookup_stop;
pub use call::Block;
pub use call::Body;
pub use call::Call;
pub use dispatch::Arity;
pub use dispatch::select;
pub use extern_functions::Extern;
pub use extern_functions::ExternCall;
pub use facts::FactsUse;
pub use function::Function;
pub use interactive::Snapshot;
pub use lambda::reserved as is_reserved_name;
pub use library::DeprecationWarning;
pub use library::Entry;
pub use library::Library;
pub use library::LocalTypes;
pub use library::ModuleFunction;
pub use library::NativeFunctions;
pub use library::NativeTables;
pub use limits::Limits;
pub use lookup_context::is_not_found;
pub use node_block::Blocks;
pub use operator::ruby_equals;
pub use register::check_reference_tag;
pub(crate) use relation::integer_too_large;
pub use ruby::Caller;
pub use ruby::ErbTemplate;
pub(crate) use ruby::InterpreterState;
pub use ruby::Ruby;
pub use ruby::RubyDataType;
pub(crate) use scope::Callee;
pub use scope::PendingParameters;
pub use scope::Scope;
pub use scope::ScopeId;
pub use scope::ScopeKind;
pub use scope::Unknown;
pub(crate) use scope::Vars;
pub(crate) use signature::BlockRule;
pub use signature::Signature;
pub use stop::Res;
pub use stop::Stop;

pub use catwalk_base::version::Strict;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::profile;
use catwalk_base::source::Span;
use catwalk_node::Node;
use catwalk_program::Program;
use catwalk_value::Value;
use catwalk_world::World;
pub use settings::Cycles;
pub use settings::LogLevel;
pub use settings::RubyServer;
pub use settings::Settings;

/// What is running in a step of the call stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunningCode {
    /// A function.
    Function(Name),
    /// A class.
    Class(Name),
    /// An instance of a define.
    Define(Name),
    /// A template.
    Template,
}

impl RunningCode {
    /// Begins the step of a profile.
    fn enter(self) -> profile::Step {
        match self {
            RunningCode::Function(name) => profile::enter(profile::Kind::Function, name.as_str()),
            // They begin with their own names: see `evaluate_resource`.
            RunningCode::Class(_) | RunningCode::Define(_) | RunningCode::Template => profile::Step::none(),
        }
    }
}

impl std::fmt::Display for RunningCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunningCode::Function(name) => write!(f, "function {name}"),
            RunningCode::Class(name) => write!(f, "class {name}"),
            RunningCode::Define(name) => write!(f, "define {name}"),
            RunningCode::Template => f.write_str("template"),
        }
    }
}

/// One step of the Puppet call stack.
#[derive(Clone, Copy, Debug)]
pub struct CallFrame {
    /// What is running, for traces.
    pub code: RunningCode,
    /// The position of the call.
    pub called_at: Span,
}

/// The state of one compile. A copy shares values and trees with its original and changes nothing in it.
#[derive(Clone)]
pub struct Evaluator<'c> {
    /// The definitions, by name.
    pub program: &'c Program,
    /// The external data.
    pub world: &'c dyn World,
    /// The node to compile a catalog for.
    pub node: &'c Node,
    /// The settings of the compile.
    pub settings: &'c Settings,
    /// Functions and types that are not written in the Puppet language.
    pub library: Library<'c>,
    /// The source of exported resources; `None`: unknown.
    pub exports: Option<std::sync::Arc<dyn catwalk_catalog::ExportSource>>,
    /// Hiera; `None`: no data sources.
    pub data: Option<Data<'c>>,
    /// Caches of the existing lookup contexts.
    contexts: Vec<lookup_context::CachedContext>,
    /// Keys of warnings that are logged only once.
    pub warned: rustc_hash::FxHashSet<std::rc::Rc<str>>,
    /// All scopes; [`ScopeId`] is an index. The first is the top scope.
    pub scopes: Vec<Scope<'c>>,
    /// The scope that is being evaluated.
    pub scope: ScopeId,
    /// The scopes of evaluated classes.
    pub class_scopes: NameMap<ScopeId>,
    /// Whether a variable of the top scope has `::` in its name: a fact, or a parameter of the node.
    qualified_tops: bool,
    /// The number of hints about unknown variables that were searched for.
    hints: std::cell::Cell<u32>,
    /// The facts that were used.
    facts_recorder: facts::FactsRecorder,
    /// Puppet's settings by name, after the first was read.
    puppet_settings: Option<Arc<catwalk_value::Hash>>,
    /// Calls in progress, outermost first.
    pub frames: Vec<CallFrame>,
    /// The nesting depth of evaluated expressions.
    pub depth: u32,
    /// Log lines and warnings in order (`notice()`, deprecations …).
    pub logs: Vec<Diagnostic>,
    /// The end of the time limit.
    stop_at: Option<Instant>,
    /// The number of calls: the clock is not read at each.
    calls: u64,
    /// The lowest memory of the process that this compile has measured, in bytes.
    base_memory: Option<u64>,
    /// The buffer of interpolations.
    buffer: String,
    /// The outputs of templates that are being rendered.
    pub(crate) output: Vec<template::Output>,
    /// The catalog under construction.
    pub state: state::State<'c>,
    /// Type aliases of modules that were used, by name.
    pub(crate) aliases: NameMap<catwalk_value::Type>,
    /// Parameter and return types of functions in the Puppet language, evaluated once.
    pub(crate) signatures: rustc_hash::FxHashMap<*const catwalk_syntax::ast::FunctionDefinition, Arc<lambda::Types>>,
    /// The state that Ruby code of templates and functions shares.
    pub ruby: InterpreterState,
}

impl<'c> Evaluator<'c> {
    /// A compile that has only a top scope.
    #[must_use]
    pub fn new(
        program: &'c Program,
        world: &'c dyn World,
        node: &'c Node,
        settings: &'c Settings,
        library: Library<'c>,
    ) -> Evaluator<'c> {
        let mut evaluator = Evaluator {
            program,
            world,
            node,
            settings,
            library,
            exports: None,
            data: None,
            contexts: Vec::new(),
            warned: rustc_hash::FxHashSet::default(),
            scopes: Vec::new(),
            scope: ScopeId::TOP,
            hints: std::cell::Cell::new(0),
            class_scopes: NameMap::default(),
            qualified_tops: false,
            facts_recorder: facts::FactsRecorder::default(),
            puppet_settings: None,
            frames: Vec::new(),
            depth: 0,
            logs: Vec::new(),
            stop_at: settings.limits.time.and_then(|limit| Instant::now().checked_add(limit)),
            calls: 0,
            base_memory: None,
            buffer: String::new(),
            output: Vec::new(),
            state: state::State::default(),
            aliases: NameMap::default(),
            signatures: rustc_hash::FxHashMap::default(),
            ruby: InterpreterState::default(),
        };
        evaluator.state.resources.reserve(program.expected_resources());
        evaluator.new_scope(ScopeKind::Top, None);
        evaluator
    }

    /// The position from which the innermost function, class or define was called.
    #[must_use]
    pub(crate) fn call_site(&self) -> Option<Span> {
        self.frames.last().map(|frame| frame.called_at)
    }

    /// Whether messages of this level are logged; others need not be built.
    #[must_use]
    pub fn logs(&self, level: Severity) -> bool {
        self.settings.log_level.includes(level)
    }

    /// Adds to the log, after warnings about files that were loaded meanwhile.
    pub(crate) fn note(&mut self, line: Diagnostic) {
        if !self.logs(line.severity) {
            return;
        }
        meter::charge(line.message.len() + size_of::<Diagnostic>());
        self.logs.append(&mut self.program.take_warnings());
        self.logs.push(line);
    }

    /// A line of a log function: its source is a scope, it has no position.
    pub fn log_from(&mut self, source: &str, severity: Severity, message: String) {
        let line = Diagnostic { source: Some(source.into()), ..Diagnostic::new(Reason::runtime(message), None) };
        self.note(line.severity(severity));
    }

    /// A line of the compiler for the log.
    pub fn log(&mut self, severity: Severity, message: String, span: Option<Span>) {
        self.note(Diagnostic::new(Reason::runtime(message), span).severity(severity));
    }

    /// A line of a script for the log.
    pub fn log_line(&mut self, line: Diagnostic) {
        self.note(line);
    }

    /// A warning of the evaluator at a position.
    pub fn warn(&mut self, reason: Reason, span: Span) {
        self.note(Diagnostic::new(reason, Some(span)).severity(Severity::Warning));
    }

    /// Logs a warning about an issue of the language, unless `max_warnings` is 0. Puppet reports each of these issues separately, so
    /// the setting does not limit their number. (`IssueReporter.assert_and_report`)
    pub fn warn_of_issue(&mut self, reason: Reason, span: Option<Span>) {
        if self.settings.syntax().message_limits.warnings > 0 {
            self.note(Diagnostic::new(reason, span).severity(Severity::Warning));
        }
    }

    /// Handles a questionable construct as `strict` requires: ignores it, warns, or fails.
    ///
    /// # Errors
    ///
    /// `strict` is `error`.
    pub fn strictly(&mut self, reason: impl FnOnce() -> Reason, span: Span) -> Res<()> {
        match self.settings.strict {
            Strict::Off => Ok(()),
            Strict::Warning => {
                self.warn_of_issue(reason(), Some(span));
                Ok(())
            }
            Strict::Error => Err(Stop::issue(reason(), span)),
        }
    }

    /// The call stack, innermost first, for diagnostics.
    pub fn trace(&self) -> Vec<Frame> {
        let frame = |frame: &CallFrame| Frame { callee: frame.code.to_string().into(), span: Some(frame.called_at) };
        self.frames.iter().rev().take(50).map(frame).collect()
    }

    /// Evaluates the body of a file: the value of its last statement.
    ///
    /// # Errors
    ///
    /// Any failure, with its position; `return`, `next` and `break` that nothing catches.
    pub fn eval_program(&mut self, body: &'c catwalk_syntax::ast::Block) -> Res<Value> {
        self.eval_block(body).map_err(|stop| self.illegal_jump(stop))
    }

    /// The failure that ended evaluation.
    #[must_use]
    pub fn failure(&self, stop: Stop) -> Box<Diagnostic> {
        match self.illegal_jump(stop) {
            Stop::Failed(diagnostic) => diagnostic,
            Stop::Reason(reason) => Box::from(*reason),
            _ => Box::from(Reason::runtime("evaluation stopped")),
        }
    }

    /// The error of `return`, `next` or `break` that nothing catches.
    #[must_use]
    pub(crate) fn illegal_jump(&self, stop: Stop) -> Stop {
        let (word, span) = match &stop {
            Stop::Next(jump) => ("next", jump.1),
            Stop::Return(jump) => ("return", jump.1),
            Stop::Break(span) => ("break", *span),
            Stop::Reason(_) | Stop::Failed(_) => return stop,
        };
        let text = format!("{word}() from context where this is illegal");
        let mut diagnostic = Diagnostic::new(Reason::runtime(text), Some(span));
        diagnostic.hide_column = true;
        // The call stack of Puppet calls code without a file `unknown`.
        if let Some((source, line, _)) = self.program.sources.locate(span)
            && source.path.is_none()
        {
            diagnostic.message = format!("{} (file: unknown, line: {line})", diagnostic.message).into();
            diagnostic.span = None;
        }
        Stop::Failed(Box::new(diagnostic))
    }
}
