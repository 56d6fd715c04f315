//! `catwalk script check`: finds mistakes in a script without running a node: undefined names, calls without a matching
//! function, functions that do not exist in the script's phase, blocks that capture the value whose method takes them, missing
//! entry points.
//!
//! In: a script and its purpose. Out: diagnostics in order of their positions. Must not: run more of a script than its top.
//!
//! Rhai's parser has already resolved each variable: one without an index is not a variable of its function. Types are known
//! only for parameters of entry points and values derived from them.

mod calls;
mod lost_changes;
mod survey;

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use rhai::AST;
use rhai::ASTNode;
use rhai::Engine;
use rhai::Expr;
use rhai::FlowControl;
use rhai::Position;
use rhai::Stmt;

use crate::api;
use crate::cache::Scripts;
use crate::enc;
use crate::engine;
use crate::error;
use crate::links::Links;
use crate::parse;
use crate::resource_types::RhaiTypes;
use crate::table::Item;
use crate::table::phase;
use calls::wrong_count;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_program::Environment;
use catwalk_world::World;
use survey::ImportedScript;

/// The purpose of a script, determined by its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// `scripts/functions/`
    Function,
    /// `scripts/hiera/`
    Backend,
    /// `scripts/policies/`
    Policy,
    /// `scripts/tests/`
    Test,
    /// `scripts/types/`
    Type,
    /// `scripts/providers/`
    Provider,
    /// `scripts/transports/`
    Transport,
    /// `scripts/lib/`
    Library,
    /// Everything else: a classifier.
    Classifier,
}

impl Purpose {
    /// The purpose of a file.
    #[must_use]
    pub fn from_path(path: &Path) -> Purpose {
        let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        let folder = parts.iter().rposition(|part| *part == "scripts").and_then(|at| parts.get(at + 1));
        match folder {
            Some(&"functions") => Purpose::Function,
            Some(&"hiera") => Purpose::Backend,
            Some(&"policies") => Purpose::Policy,
            Some(&"tests") => Purpose::Test,
            Some(&"types") => Purpose::Type,
            Some(&"providers") => Purpose::Provider,
            Some(&"transports") => Purpose::Transport,
            Some(&"lib") => Purpose::Library,
            _ => Purpose::Classifier,
        }
    }

    fn phases(self) -> u8 {
        match self {
            Purpose::Function => phase::FUNCTION,
            Purpose::Backend => phase::HIERA,
            Purpose::Policy => phase::POLICY,
            Purpose::Test => phase::TEST,
            Purpose::Type => phase::LOAD,
            Purpose::Provider | Purpose::Transport => phase::PROVIDER,
            Purpose::Library => phase::ANY,
            Purpose::Classifier => phase::CLASSIFY,
        }
    }

    fn has_context(self) -> bool {
        matches!(self, Purpose::Provider | Purpose::Transport | Purpose::Library)
    }

    /// The types of the parameters of an entry point.
    fn entry(self, name: &str, count: usize) -> Option<&'static [&'static str]> {
        let types: &[&str] = match (self, name) {
            (Purpose::Classifier, "classify") => &["Node"],
            (Purpose::Policy, "check") => &["Catalog"],
            (Purpose::Backend, "lookup_key") => &["", "Hash", "Context"],
            (Purpose::Backend, "data_dig") => &["", "Hash", "Context"],
            (Purpose::Backend, "data_hash") => &["Hash", "Context"],
            (Purpose::Provider, "get") if count == 1 => &["ProviderContext"],
            (Purpose::Provider, "set") if count == 2 => &["ProviderContext", "Hash"],
            (Purpose::Provider, "set") => &["ProviderContext", "Hash", ""],
            (Purpose::Provider, "create" | "update") => &["ProviderContext", "", "Hash"],
            (Purpose::Provider, "get" | "delete" | "canonicalize") => &["ProviderContext", ""],
            (Purpose::Transport, "connect") => &["ProviderContext", "Hash"],
            (Purpose::Transport, "facts" | "close") => &["ProviderContext", ""],
            _ => return None,
        };
        (types.len() == count).then_some(types)
    }
}

/// The maximum number of mistakes that are reported for one script.
const MAX_MISTAKES: usize = 100;

/// Functions of Rhai that the engine itself implements.
const KEYWORDS: [&str; 9] =
    ["Fn", "call", "curry", "type_of", "is_def_var", "is_def_fn", "is_shared", "print", "debug"];

/// Checks scripts. Build one checker for many scripts: building takes longer than a check.
pub struct Checker {
    engine: Engine,
    sources: SourceMap,
    /// Checks the targets of links: a file that a run refuses to read is a mistake.
    links: Links,
    items: Vec<&'static Item>,
    /// Rhai's own functions with the numbers of their parameters.
    native: IndexMap<String, Vec<usize>>,
}

/// The definitions of a script, and the reports about it.
struct ScriptSurvey<'a> {
    purpose: Purpose,
    /// The functions: name, names of the parameters, whether other files may call them.
    functions: Vec<(String, Vec<String>, bool)>,
    constants: Vec<String>,
    /// Imports: their names, with the functions and constants of the imported script.
    imports: IndexMap<String, Option<ImportedScript>>,
    /// Closures that read a constant of the file, with its name. The constant is missing if a function of another file calls
    /// them.
    closures_reading_constants: IndexMap<String, String>,
    file: FileId,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// The function being checked.
struct FunctionScope {
    name: String,
    params: Vec<String>,
    phases: u8,
    /// The variables of all its blocks.
    variables: Vec<String>,
    /// Variables whose types are known.
    types: IndexMap<String, &'static str>,
}

impl Checker {
    /// A checker that adds the sources of its diagnostics to `sources`.
    #[must_use]
    pub fn new(sources: SourceMap) -> Checker {
        // Its trees are not optimized, so that mistakes in code that never runs are found, too.
        let engine = engine::build(true);
        let mut native: IndexMap<String, Vec<usize>> = IndexMap::new();
        let functions = engine.collect_fn_metadata(
            None,
            |info| Some((info.metadata.name.to_string(), info.metadata.num_params)),
            true,
        );
        for (name, params) in functions {
            native.entry(name).or_default().push(params);
        }
        Checker { engine, sources, links: Links::default(), items: api::all(), native }
    }

    /// Checks one script.
    pub fn check(&self, path: &Path, environment: &Environment, world: &dyn World) -> Vec<Diagnostic> {
        let purpose = Purpose::from_path(path);
        let fail = |message: String| vec![Diagnostic::new(Reason::new(Code::SCRIPT_UNREADABLE, message), None)];
        let bytes = match self.links.read(path, environment, world) {
            Ok(bytes) => bytes,
            Err(why) => {
                let reason = Reason::new(Code::SCRIPT_UNREADABLE, format!("cannot read the script: {why}"));
                return vec![Diagnostic::new(reason.because(why.cause), None)];
            }
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return fail(format!("the script {} is not UTF-8 text", path.display()));
        };
        let file = self.sources.add(Some(path), &path.to_string_lossy(), text.into());
        let ast = match parse::parse(&self.engine, text, file, &self.sources) {
            Ok(ast) => ast,
            Err(why) => return vec![*why],
        };
        let mut diagnostics = Vec::new();
        let mut survey = self.survey(&ast, path, purpose, file, environment, world, &mut diagnostics);
        self.check_entries(&mut survey, path);
        if purpose == Purpose::Classifier && lost_changes::forgets_classification(&ast) {
            let reason = Reason::new(Code::SCRIPT_NO_CLASSIFICATION, enc::NO_CLASSIFICATION).help(enc::RETURN_HINT);
            let warning = Diagnostic::new(reason, enc::classify_span(&self.sources, file)).severity(Severity::Warning);
            survey.diagnostics.push(warning);
        }
        self.walk(&ast.clone_statements_only(), FunctionScope::top(), &mut survey);
        for (name, params, _) in survey.functions.clone() {
            let count = params.len();
            let mut function = ast.clone_functions_only();
            function.retain_functions(|_, _, n, c| n == name && c == count);
            let scope = FunctionScope::function(&name, params, purpose);
            self.walk(&function, scope, &mut survey);
        }
        if diagnostics.is_empty() {
            diagnostics.extend(self.check_definition(path, purpose, environment, world));
        }
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
        diagnostics.dedup();
        diagnostics
    }

    /// Reports mistakes in the definition of a resource type or transport.
    fn check_definition(
        &self,
        path: &Path,
        purpose: Purpose,
        environment: &Environment,
        world: &dyn World,
    ) -> Vec<Diagnostic> {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let types = RhaiTypes { scripts: Arc::new(Scripts::new(self.sources.clone())) };
        let mut problems = match purpose {
            Purpose::Type => types.problems_of_type(path, name, environment, world),
            Purpose::Transport => types.problems_of_transport(path, name, environment, world),
            _ => return Vec::new(),
        };
        for warning in &mut problems {
            // A compile shows the warning without a position in the script; a check of the script shows the position.
            if warning.span.is_none() {
                warning.span = warning.trace.pop().and_then(|frame| frame.span);
            }
        }
        problems
    }

    fn report(&self, survey: &mut ScriptSurvey<'_>, code: Code, text: String, help: Option<String>, at: Position) {
        // A position is computed from the beginning of its line, so many positions in long lines take long.
        if survey.diagnostics.len() >= MAX_MISTAKES {
            return;
        }
        let reason = Reason::new(code, text).hint(help);
        let span = error::span(at, survey.file, &self.sources);
        survey.diagnostics.push(Diagnostic::new(reason, span));
    }

    fn walk(&self, ast: &AST, mut scope: FunctionScope, survey: &mut ScriptSurvey<'_>) {
        // Types of declared variables must be known before their uses are checked.
        ast.walk(&mut |nodes| {
            match nodes.last() {
                Some(ASTNode::Stmt(Stmt::Var(var, ..))) => {
                    scope.variables.push(var.0.name.to_string());
                    let var_type = self.type_of(&var.1, &scope);
                    scope.record_type(&var.0.name, var_type);
                }
                Some(ASTNode::Stmt(Stmt::For(each, _))) => {
                    scope.variables.push(each.0.name.to_string());
                    let item_type = self.item_type(&each.2.expr, &scope);
                    scope.record_type(&each.0.name, item_type);
                }
                _ => {}
            }
            true
        });
        ast.walk(&mut |nodes| {
            match nodes.last() {
                Some(ASTNode::Expr(expr)) => {
                    if let Some((variable, at)) = captured_loop_variable(nodes) {
                        let text = format!(
                            "the block keeps '{variable}', the variable of the loop: all blocks made in it share the last value"
                        );
                        let help = format!("copy it in the loop, `let own = {variable};`, and use the copy in the block");
                        self.report(survey, Code::SCRIPT_CAPTURED_LOOP, text, Some(help), at);
                    }
                    self.check_expression(expr, &scope, survey);
                }
                Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => self.check_call(call, *at, &scope, survey),
                Some(ASTNode::Stmt(Stmt::For(each, _))) => self.report_lost_change(&each.0.name, &each.2, &scope, survey),
                _ => {}
            }
            true
        });
    }

    /// Reports a change of a loop's variable that is lost.
    fn report_lost_change(
        &self,
        variable: &str,
        flow: &FlowControl,
        scope: &FunctionScope,
        survey: &mut ScriptSurvey<'_>,
    ) {
        // A copy of a handle of the API refers to the same object, so the change is not lost.
        if scope.types.get(variable).is_some_and(|known| !matches!(*known, "Hash" | "")) {
            return;
        }
        let Some(at) = lost_changes::find_lost_change(variable, flow) else { return };
        let text = format!("the change of '{variable}' is lost: the loop has a copy of each element");
        let help = format!(
            "use `map(|{variable}| {{ …; {variable} }})`, or collect the changed copies: `changed.push({variable})`"
        );
        self.report(survey, Code::SCRIPT_LOST_CHANGE, text, Some(help), at);
    }

    fn check_expression(&self, expr: &Expr, scope: &FunctionScope, survey: &mut ScriptSurvey<'_>) {
        match expr {
            Expr::Variable(variable, short, at) => {
                let (index, name, namespace, _) = &**variable;
                if !namespace.is_empty() {
                    self.check_qualified(namespace.root(), name, None, *at, survey);
                } else if index.is_none() && short.is_none() {
                    self.check_variable(name, *at, scope, survey);
                }
            }
            Expr::FnCall(call, at) => self.check_call(call, *at, scope, survey),
            Expr::Dot(pair, ..) => self.check_member(&pair.lhs, &pair.rhs, scope, survey),
            Expr::MethodCall(call, at) => self.check_method(call, *at, survey),
            _ => {}
        }
    }

    fn check_variable(&self, name: &str, at: Position, scope: &FunctionScope, survey: &mut ScriptSurvey<'_>) {
        // Any function that a provider calls has the context of the provider.
        if name == "context" && survey.purpose.has_context() {
            return;
        }
        let function = |n: &str| survey.functions.iter().any(|(f, ..)| f == n) || self.native.contains_key(n);
        if scope.params.iter().any(|param| param == name) || function(name) {
            return;
        }
        let help = survey
            .constants
            .iter()
            .any(|constant| constant == name)
            .then(|| format!("inside a function a constant of the file is written global::{name}"));
        let help = help.or_else(|| {
            let visible = scope.params.iter().chain(&scope.variables).chain(&survey.constants);
            did_you_mean(name, visible.map(String::as_str))
        });
        self.report(survey, Code::SCRIPT_UNKNOWN_NAME, format!("there is no variable '{name}'"), help, at);
    }

    fn check_qualified(
        &self,
        root: &str,
        name: &str,
        args: Option<usize>,
        at: Position,
        survey: &mut ScriptSurvey<'_>,
    ) {
        let text = match (survey.imports.get(root), args) {
            (None, None) if root == "global" => {
                if survey.constants.iter().any(|constant| constant == name) {
                    return;
                }
                format!("the file has no constant '{name}'")
            }
            (None, _) => format!("nothing is imported as '{root}'"),
            (Some(None), _) => return,
            (Some(Some(imported)), None) if imported.variables.iter().any(|variable| variable == name) => return,
            (Some(Some(_)), None) => format!("'{root}' has no constant '{name}'"),
            (Some(Some(imported)), Some(count)) => {
                let arities: Vec<usize> =
                    imported.functions.iter().filter(|(function, _)| function == name).map(|(_, n)| *n).collect();
                match arities.as_slice() {
                    [] => format!("'{root}' has no function '{name}'"),
                    counts if counts.contains(&count) => return,
                    counts => wrong_count(&format!("{root}::{name}"), counts.iter().map(|n| (*n, *n)).collect(), count),
                }
            }
        };
        self.report(survey, Code::SCRIPT_UNKNOWN_NAME, text, None, at);
    }
}

impl FunctionScope {
    fn top() -> FunctionScope {
        FunctionScope {
            name: String::new(),
            params: Vec::new(),
            phases: phase::LOAD,
            variables: Vec::new(),
            types: IndexMap::new(),
        }
    }

    fn function(name: &str, params: Vec<String>, purpose: Purpose) -> FunctionScope {
        let entry = purpose.entry(name, params.len());
        let types = params.iter().zip(entry.unwrap_or_default()).filter(|(_, param_type)| !param_type.is_empty());
        let types = types.map(|(param, param_type)| (param.clone(), *param_type)).collect();
        // Other functions may be called when the file is loaded, too.
        let phases = if entry.is_some() { purpose.phases() } else { purpose.phases() | phase::LOAD };
        FunctionScope { name: name.to_owned(), params, phases, variables: Vec::new(), types }
    }

    /// Records the type of a variable; a variable that gets values of different types has none.
    fn record_type(&mut self, name: &str, new_type: Option<&'static str>) {
        let is_entry = !self.name.is_empty() && self.params.iter().any(|param| param == name);
        match (self.types.get(name), new_type) {
            (None, Some(new_type)) if !is_entry => {
                self.types.insert(name.to_owned(), new_type);
            }
            (Some(known), new_type) if Some(*known) != new_type => {
                self.types.shift_remove(name);
            }
            _ => {}
        }
    }
}

/// The first step of a chain.
fn first_step(rhs: &Expr) -> &Expr {
    match rhs {
        Expr::Dot(pair, ..) | Expr::Index(pair, ..) => &pair.lhs,
        other => other,
    }
}

/// The variable of a loop around a closure that captures it and outlives the iteration: put into an array or map, or assigned.
/// A closure that is only passed to a function has finished before the next iteration.
fn captured_loop_variable(nodes: &[ASTNode<'_>]) -> Option<(String, Position)> {
    const STORES: [&str; 6] = ["push", "insert", "set", "append", "+=", "fill_with"];
    let (ASTNode::Expr(Expr::Stmt(block)), above) = nodes.split_last()? else { return None };
    let captures = block.iter().find_map(|statement| match statement {
        Stmt::Share(names) => Some(names),
        _ => None,
    })?;
    let mut outlives_iteration = false;
    for node in above.iter().rev() {
        match node {
            ASTNode::Stmt(Stmt::For(each, _)) => {
                let variables = std::iter::once(&each.0).chain(&each.1);
                let names: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
                let captured = captures.iter().find(|(name, _)| names.contains(&name.name.as_str()));
                return captured
                    .filter(|_| outlives_iteration)
                    .map(|(name, _)| (name.name.to_string(), block.position()));
            }
            ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _)) | ASTNode::Stmt(Stmt::FnCall(call, _))
                if !STORES.contains(&call.name.as_str()) =>
            {
                return None;
            }
            ASTNode::Expr(Expr::FnCall(..) | Expr::MethodCall(..) | Expr::Array(..) | Expr::Map(..))
            | ASTNode::Stmt(Stmt::FnCall(..) | Stmt::Assignment(..)) => outlives_iteration = true,
            _ => {}
        }
    }
    None
}

/// Whether an argument is a closure that captures a variable.
fn captures(arg: &Expr, variable: &str) -> bool {
    let Expr::Stmt(block) = arg else { return false };
    let shares = |statement: &Stmt| match statement {
        Stmt::Share(names) => names.iter().any(|(name, _)| name.name == variable),
        _ => false,
    };
    block.iter().any(shares)
}
