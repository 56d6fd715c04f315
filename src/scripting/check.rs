//! `catwalk script check`: what is wrong with a script without running a node: names that are nowhere defined, calls that
//! nothing answers, what is not there in the phase the script runs in, blocks that capture the value whose method takes
//! them, missing entry points.
//!
//! In: a script and what it is for. Out: diagnostics in order of their places. Must not: run more of a script than its top.
//!
//! Rhai's parser has already looked up each variable: one without an index is no variable of its function. Types are only
//! followed where the table tells them: parameters of entry points and what is made of them.

use std::path::Path;

use indexmap::IndexMap;
use rhai::AST;
use rhai::ASTNode;
use rhai::Engine;
use rhai::Expr;
use rhai::FnAccess;
use rhai::FnCallExpr;
use rhai::OptimizationLevel;
use rhai::Position;
use rhai::Stmt;

use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::environment::Environment;
use crate::scripting::api;
use crate::scripting::engine;
use crate::scripting::error;
use crate::scripting::host;
use crate::scripting::table::Item;
use crate::scripting::table::Kind;
use crate::scripting::table::TYPES;
use crate::scripting::table::phase;
use crate::source::FileId;
use crate::source::SourceMap;
use crate::world::World;

/// What a script is for, told by where it is.
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
    /// `scripts/lib/`
    Library,
    /// Everything else: a classifier.
    Classifier,
}

impl Purpose {
    /// The purpose of a file.
    #[must_use]
    pub fn of(path: &Path) -> Purpose {
        let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        let folder = parts.iter().rposition(|part| *part == "scripts").and_then(|at| parts.get(at + 1));
        match folder {
            Some(&"functions") => Purpose::Function,
            Some(&"hiera") => Purpose::Backend,
            Some(&"policies") => Purpose::Policy,
            Some(&"tests") => Purpose::Test,
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
            Purpose::Library => phase::ANY,
            Purpose::Classifier => phase::CLASSIFY,
        }
    }

    /// The types of the parameters of an entry point.
    fn entry(self, name: &str, count: usize) -> Option<&'static [&'static str]> {
        let types: &[&str] = match (self, name) {
            (Purpose::Classifier, "classify") => &["Node"],
            (Purpose::Policy, "check") => &["Catalog"],
            (Purpose::Backend, "lookup_key") => &["", "Hash", "Context"],
            (Purpose::Backend, "data_dig") => &["", "Hash", "Context"],
            (Purpose::Backend, "data_hash") => &["Hash", "Context"],
            _ => return None,
        };
        (types.len() == count).then_some(types)
    }
}

/// Functions of Rhai that the engine itself answers.
const KEYWORDS: [&str; 9] =
    ["Fn", "call", "curry", "type_of", "is_def_var", "is_def_fn", "is_shared", "print", "debug"];

/// Checks scripts. Made once for many.
pub struct Checker {
    engine: Engine,
    sources: SourceMap,
    items: Vec<&'static Item>,
    /// Rhai's own functions with the numbers of their parameters.
    native: IndexMap<String, Vec<usize>>,
}

/// What is known of a script.
struct Known<'a> {
    purpose: Purpose,
    /// Its functions: name, parameters, whether others may call them.
    functions: Vec<(String, Vec<String>, bool)>,
    constants: Vec<String>,
    /// Imports: their names, and functions and constants of what they stand for.
    imports: IndexMap<String, Option<Imported>>,
    file: FileId,
    found: &'a mut Vec<Diagnostic>,
}

#[derive(Default)]
struct Imported {
    functions: Vec<(String, usize)>,
    variables: Vec<String>,
}

/// The function that is looked at.
struct Within {
    name: String,
    params: Vec<String>,
    phases: u8,
    /// Variables whose types are known.
    types: IndexMap<String, &'static str>,
}

impl Checker {
    /// A checker whose places go into `sources`.
    #[must_use]
    pub fn new(sources: SourceMap) -> Checker {
        let mut engine = engine::build(true);
        // What is wrong in code that never runs is wrong, too.
        engine.set_optimization_level(OptimizationLevel::None);
        let mut native: IndexMap<String, Vec<usize>> = IndexMap::new();
        let all = engine.collect_fn_metadata(
            None,
            |info| Some((info.metadata.name.to_string(), info.metadata.num_params)),
            true,
        );
        for (name, params) in all {
            native.entry(name).or_default().push(params);
        }
        Checker { engine, sources, items: api::all(), native }
    }

    /// Checks one script.
    pub fn check(&self, path: &Path, environment: &Environment, world: &dyn World) -> Vec<Diagnostic> {
        let purpose = Purpose::of(path);
        let fail = |message: String| vec![Diagnostic::new(Reason::new(Code("SCRIPT_UNREADABLE"), message), None)];
        let bytes = match world.read(path) {
            Ok(bytes) => bytes,
            Err(refused) => return fail(format!("cannot read the script: {refused}")),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return fail(format!("the script {} is not UTF-8 text", path.display()));
        };
        let file = self.sources.add(Some(path), &path.to_string_lossy(), text.into());
        let ast = match self.engine.compile(text) {
            Ok(ast) => ast,
            Err(why) => return vec![*error::diagnostic(&why.into(), file, &self.sources)],
        };
        let mut found = Vec::new();
        let mut known = self.survey(&ast, path, purpose, file, environment, world, &mut found);
        self.entries(&mut known, path);
        self.walk(&ast.clone_statements_only(), Within::top(), &mut known);
        for (name, params, _) in known.functions.clone() {
            let count = params.len();
            let mut own = ast.clone_functions_only();
            own.retain_functions(|_, _, n, c| n == name && c == count);
            let within = Within::function(&name, params, purpose);
            self.walk(&own, within, &mut known);
        }
        found.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
        found.dedup();
        found
    }

    /// The functions, constants and imports of a script.
    #[allow(clippy::too_many_arguments, reason = "what a survey needs")]
    fn survey<'a>(
        &self,
        ast: &AST,
        path: &Path,
        purpose: Purpose,
        file: FileId,
        environment: &Environment,
        world: &dyn World,
        found: &'a mut Vec<Diagnostic>,
    ) -> Known<'a> {
        let functions = ast.iter_functions().map(|f| {
            let params = f.params.iter().map(|param| (*param).to_owned()).collect();
            (f.name.to_owned(), params, f.access == FnAccess::Public)
        });
        let mut known = Known {
            purpose,
            functions: functions.collect(),
            constants: constants(ast),
            imports: IndexMap::new(),
            file,
            found,
        };
        let mut imports = Vec::new();
        ast.walk(&mut |nodes| {
            if let Some(ASTNode::Stmt(Stmt::Import(import, at))) = nodes.last() {
                let name = match &import.0 {
                    Expr::StringConstant(name, _) => Some(name.to_string()),
                    _ => None,
                };
                imports.push((import.1.name.to_string(), name, *at));
            }
            true
        });
        for (alias, name, at) in imports {
            let imported = name.map(|name| self.import(&name, path, environment, world));
            let imported = match imported {
                Some(Ok(imported)) => Some(imported),
                Some(Err(why)) => {
                    self.report(&mut known, "SCRIPT_IMPORT", why, None, at);
                    None
                }
                None => None,
            };
            known.imports.insert(alias, imported);
        }
        known
    }

    fn import(
        &self,
        name: &str,
        from: &Path,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<Imported, String> {
        let own = environment.module_of_path(from).map(|module| module.name.to_string());
        let (module, inner) = match name.split_once("::") {
            Some((module, inner)) => (module.to_owned(), inner),
            None => (own.unwrap_or_else(|| "environment".to_owned()), name),
        };
        let file = host::library(environment, &module, inner)
            .ok_or_else(|| format!("cannot import \"{name}\": there is no module '{module}'"))?;
        let bytes = world.read(&file).map_err(|refused| format!("cannot import \"{name}\": {refused}"))?;
        let ast = self
            .engine
            .compile(String::from_utf8_lossy(&bytes))
            .map_err(|why| format!("cannot import \"{name}\": {why}"))?;
        let public = ast.iter_functions().filter(|f| f.access == FnAccess::Public);
        let functions = public.map(|f| (f.name.to_owned(), f.params.len())).collect();
        Ok(Imported { functions, variables: constants(&ast) })
    }

    /// Whether there is what the script is called by.
    fn entries(&self, known: &mut Known<'_>, path: &Path) {
        let has = |name: &str, counts: &[usize]| {
            known.functions.iter().any(|(n, params, public)| n == name && *public && counts.contains(&params.len()))
        };
        let own = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let calls = |wanted: &str| {
            let text = self.sources.get(known.file).map(|source| source.text.clone());
            text.is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with(&format!("{wanted}("))))
        };
        let missing = match known.purpose {
            Purpose::Function if !calls("dispatch") && !known.functions.iter().any(|(n, ..)| n == own) => {
                format!("there is no function {own}(), and no dispatch()")
            }
            Purpose::Backend if !has("lookup_key", &[3]) && !has("data_dig", &[3]) && !has("data_hash", &[2]) => {
                "there is no function data_hash(options, context), lookup_key(key, options, context) or data_dig(segments, options, context)".to_owned()
            }
            Purpose::Policy if !has("check", &[1]) => "there is no function check(catalog)".to_owned(),
            Purpose::Classifier if !calls("group") && !has("classify", &[1]) => {
                "there is no function classify(node), and no group()".to_owned()
            }
            Purpose::Test if !known.functions.iter().any(|(n, params, _)| n.starts_with("test_") && params.is_empty()) => {
                "there is no function test_…()".to_owned()
            }
            _ => return,
        };
        self.report(known, "SCRIPT_ENTRY", missing, None, Position::new(1, 1));
    }

    fn report(&self, known: &mut Known<'_>, code: &'static str, text: String, help: Option<String>, at: Position) {
        let reason = Reason { code: Code(code), message: text.into(), help: help.map(Into::into) };
        let span = error::span(at, known.file, &self.sources);
        known.found.push(Diagnostic::new(reason, span));
    }

    fn walk(&self, ast: &AST, mut within: Within, known: &mut Known<'_>) {
        // What is declared with a known type, before it is used.
        ast.walk(&mut |nodes| {
            match nodes.last() {
                Some(ASTNode::Stmt(Stmt::Var(var, ..))) => {
                    let found = self.type_of(&var.1, &within);
                    within.note(&var.0.name, found);
                }
                Some(ASTNode::Stmt(Stmt::For(each, _))) => {
                    let of = self.item_type(&each.2.expr, &within);
                    within.note(&each.0.name, of);
                }
                _ => {}
            }
            true
        });
        ast.walk(&mut |nodes| {
            match nodes.last() {
                Some(ASTNode::Expr(expr)) => {
                    if let Some((variable, at)) = kept_from_loop(nodes) {
                        let text = format!(
                            "the block keeps '{variable}', the variable of the loop: all blocks made in it share the last value"
                        );
                        let help = format!("copy it in the loop, `let own = {variable};`, and use the copy in the block");
                        self.report(known, "SCRIPT_CAPTURED_LOOP", text, Some(help), at);
                    }
                    self.expression(expr, &within, known);
                }
                Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => self.call(call, *at, &within, known),
                _ => {}
            }
            true
        });
    }

    fn expression(&self, expr: &Expr, within: &Within, known: &mut Known<'_>) {
        match expr {
            Expr::Variable(variable, short, at) => {
                let (index, name, namespace, _) = &**variable;
                if !namespace.is_empty() {
                    self.qualified(namespace.root(), name, None, *at, known);
                } else if index.is_none() && short.is_none() {
                    self.variable(name, *at, within, known);
                }
            }
            Expr::FnCall(call, at) => self.call(call, *at, within, known),
            Expr::Dot(pair, ..) => self.dot(&pair.lhs, &pair.rhs, within, known),
            Expr::MethodCall(call, at) => self.method(call, *at, known),
            _ => {}
        }
    }

    fn variable(&self, name: &str, at: Position, within: &Within, known: &mut Known<'_>) {
        let function = |n: &str| known.functions.iter().any(|(f, ..)| f == n) || self.native.contains_key(n);
        if within.params.iter().any(|param| param == name) || function(name) {
            return;
        }
        let help = known
            .constants
            .iter()
            .any(|constant| constant == name)
            .then(|| format!("inside a function a constant of the file is written global::{name}"));
        self.report(known, "SCRIPT_UNKNOWN_NAME", format!("there is no variable '{name}'"), help, at);
    }

    fn qualified(&self, root: &str, name: &str, args: Option<usize>, at: Position, known: &mut Known<'_>) {
        let text = match (known.imports.get(root), args) {
            (None, None) if root == "global" => {
                if known.constants.iter().any(|constant| constant == name) {
                    return;
                }
                format!("the file has no constant '{name}'")
            }
            (None, _) => format!("nothing is imported as '{root}'"),
            (Some(None), _) => return,
            (Some(Some(imported)), None) if imported.variables.iter().any(|known| known == name) => return,
            (Some(Some(_)), None) => format!("'{root}' has no constant '{name}'"),
            (Some(Some(imported)), Some(count)) => {
                let arities: Vec<usize> =
                    imported.functions.iter().filter(|(known, _)| known == name).map(|(_, n)| *n).collect();
                match arities.as_slice() {
                    [] => format!("'{root}' has no function '{name}'"),
                    counts if counts.contains(&count) => return,
                    counts => wrong_count(&format!("{root}::{name}"), counts.iter().map(|n| (*n, *n)).collect(), count),
                }
            }
        };
        self.report(known, "SCRIPT_UNKNOWN_NAME", text, None, at);
    }

    fn call(&self, call: &FnCallExpr, at: Position, within: &Within, known: &mut Known<'_>) {
        let (name, count) = (call.name.as_str(), call.args.len());
        if call.op_token.is_some() || KEYWORDS.contains(&name) {
            return;
        }
        if !call.namespace.is_empty() {
            self.qualified(call.namespace.root(), name, Some(count), at, known);
            return;
        }
        let own: Vec<usize> =
            known.functions.iter().filter(|(n, ..)| n == name).map(|(_, params, _)| params.len()).collect();
        if own.contains(&count) {
            return;
        }
        let items: Vec<&&Item> =
            self.items.iter().filter(|item| item.kind == Kind::Function && item.name == name).collect();
        let fits = |item: &&&Item| (item.arity().0..=item.arity().1).contains(&count);
        if let Some(item) = items.iter().find(|item| fits(item)) {
            if item.phases & within.phases == 0 {
                let text = format!("{name}() is not available here: it is for {}", item.phases().unwrap_or_default());
                let help = (item.phases == phase::LOAD)
                    .then(|| "call it at the top of the file, outside of functions".to_owned());
                self.report(known, "SCRIPT_WRONG_PHASE", text, help, at);
            }
            return;
        }
        let native = self.native.get(name);
        if native.is_some_and(|counts| counts.contains(&count)) {
            return;
        }
        let mut counts: Vec<(usize, usize)> = own.iter().map(|n| (*n, *n)).collect();
        counts.extend(items.iter().map(|item| item.arity()));
        if items.is_empty() {
            counts.extend(native.iter().flat_map(|counts| counts.iter().map(|n| (*n, *n))));
        }
        let text =
            if counts.is_empty() { format!("there is no function '{name}'") } else { wrong_count(name, counts, count) };
        let is_variable = within.types.contains_key(name) || within.params.iter().any(|param| param == name);
        let help = is_variable.then(|| format!("a closure in a variable is called {name}.call(…)"));
        self.report(known, "SCRIPT_UNKNOWN_CALL", text, help, at);
    }

    /// A method: some type must have it.
    fn method(&self, call: &FnCallExpr, at: Position, known: &mut Known<'_>) {
        let (name, count) = (call.name.as_str(), call.args.len());
        if KEYWORDS.contains(&name) {
            return;
        }
        let mut counts: Vec<(usize, usize)> = known
            .functions
            .iter()
            .filter(|(n, ..)| n == name)
            .map(|(_, params, _)| (params.len(), params.len()))
            .collect();
        let methods = self.items.iter().filter(|item| item.kind == Kind::Method && item.name == name);
        counts.extend(methods.map(|item| item.arity()));
        let native = self.native.get(name).into_iter().flatten();
        counts.extend(native.filter_map(|n| n.checked_sub(1)).map(|n| (n, n)));
        if counts.iter().any(|(low, high)| (*low..=*high).contains(&count)) {
            return;
        }
        let text =
            if counts.is_empty() { format!("nothing has a method '{name}'") } else { wrong_count(name, counts, count) };
        self.report(known, "SCRIPT_UNKNOWN_CALL", text, None, at);
    }

    /// `lhs.rhs`: what the type has, and what blocks capture.
    fn dot(&self, lhs: &Expr, rhs: &Expr, within: &Within, known: &mut Known<'_>) {
        let first = first_of(rhs);
        if let (Expr::Variable(variable, ..), Expr::MethodCall(call, at)) = (lhs, first)
            && call.args.iter().any(|arg| captures(arg, &variable.1))
        {
            let text = format!(
                "the block captures '{}', whose method '{}' takes it: that is a data race",
                variable.1, call.name
            );
            let help = format!(
                "copy what the block needs into a variable before, or pass it as a parameter of the block; or call {}({}, …)",
                call.name, variable.1
            );
            self.report(known, "SCRIPT_CAPTURED_RECEIVER", text, Some(help), *at);
        }
        let Some(of) = self.type_of(lhs, within) else { return };
        // Any name may be a key of a hash.
        let (name, at, args) = match first {
            Expr::Property(property, at) if of != "Hash" => (&property.2, at, None),
            Expr::MethodCall(call, at) if self.native_method(&call.name, call.args.len()).is_none() => {
                (&call.name, at, Some(call.args.len()))
            }
            _ => return,
        };
        let own: Vec<&&Item> = self.items.iter().filter(|item| item.of == of && item.name == name.as_str()).collect();
        let text = match args {
            None if own.iter().any(|item| matches!(item.kind, Kind::Property | Kind::Variable)) => return,
            None => format!("a {of} has no property '{name}'"),
            Some(count) => {
                let arities: Vec<(usize, usize)> =
                    own.iter().filter(|item| item.kind == Kind::Method).map(|item| item.arity()).collect();
                if arities.iter().any(|(low, high)| (*low..=*high).contains(&count)) {
                    return;
                }
                if arities.is_empty() {
                    format!("a {of} has no method '{name}'")
                } else {
                    wrong_count(name, arities, count)
                }
            }
        };
        let all = self.items.iter().filter(|item| item.of == of && item.kind != Kind::Index);
        let mut names: Vec<&str> = all.map(|item| item.name).filter(|name| !name.starts_with('=')).collect();
        names.dedup();
        self.report(known, "SCRIPT_UNKNOWN_CALL", text, Some(format!("it has {}", names.join(", "))), *at);
    }

    /// Methods that Rhai has for values of any type.
    fn native_method(&self, name: &str, _count: usize) -> Option<()> {
        ["type_of", "to_string", "to_debug", "is_shared", "call"].contains(&name).then_some(())
    }

    /// The type of an expression, where the table tells it.
    fn type_of(&self, expr: &Expr, within: &Within) -> Option<&'static str> {
        let made = match expr {
            Expr::Variable(variable, ..) if variable.2.is_empty() => {
                return within.types.get(variable.1.as_str()).copied();
            }
            Expr::FnCall(call, _) => {
                let fits = |item: &&&Item| item.kind == Kind::Function && item.name == call.name.as_str();
                self.items.iter().find(fits)?.returns
            }
            Expr::Dot(pair, ..) => {
                let of = self.type_of(&pair.lhs, within)?;
                let name = match &pair.rhs {
                    Expr::Property(property, _) => &property.2,
                    Expr::MethodCall(call, _) => &call.name,
                    _ => return None,
                };
                self.items.iter().find(|item| item.of == of && item.name == name.as_str())?.returns
            }
            _ => return None,
        };
        TYPES.iter().map(|(name, _)| *name).find(|name| *name == made)
    }

    /// The type of what a loop runs over.
    fn item_type(&self, expr: &Expr, within: &Within) -> Option<&'static str> {
        let Expr::Dot(pair, ..) = expr else { return None };
        let of = self.type_of(&pair.lhs, within)?;
        let Expr::MethodCall(call, _) = &pair.rhs else { return None };
        (of == "Catalog" && call.name == "resources").then_some("Resource")
    }
}

impl Within {
    fn top() -> Within {
        Within { name: String::new(), params: Vec::new(), phases: phase::LOAD, types: IndexMap::new() }
    }

    fn function(name: &str, params: Vec<String>, purpose: Purpose) -> Within {
        let entry = purpose.entry(name, params.len());
        let types = params.iter().zip(entry.unwrap_or_default()).filter(|(_, of)| !of.is_empty());
        let types = types.map(|(param, of)| (param.clone(), *of)).collect();
        // Other functions may be called when the file is loaded, too.
        let phases = if entry.is_some() { purpose.phases() } else { purpose.phases() | phase::LOAD };
        Within { name: name.to_owned(), params, phases, types }
    }

    /// Notes the type of a variable; one that has different types has none.
    fn note(&mut self, name: &str, of: Option<&'static str>) {
        let is_entry = !self.name.is_empty() && self.params.iter().any(|param| param == name);
        match (self.types.get(name), of) {
            (None, Some(of)) if !is_entry => {
                self.types.insert(name.to_owned(), of);
            }
            (Some(known), of) if Some(*known) != of => {
                self.types.shift_remove(name);
            }
            _ => {}
        }
    }
}

/// The constants at the top of a script.
fn constants(ast: &AST) -> Vec<String> {
    let name = |statement: &Stmt| match statement {
        Stmt::Var(var, flags, _) if flags.intersects(rhai::ASTFlags::CONSTANT | rhai::ASTFlags::EXPORTED) => {
            Some(var.0.name.to_string())
        }
        _ => None,
    };
    ast.statements().iter().filter_map(name).collect()
}

/// The first step of a chain.
fn first_of(rhs: &Expr) -> &Expr {
    match rhs {
        Expr::Dot(pair, ..) | Expr::Index(pair, ..) => &pair.lhs,
        other => other,
    }
}

/// The variable of a loop around a closure that captures it and is kept beyond its turn: put into an array or map, or assigned.
/// One that is only handed to a function has done its work before the next turn.
fn kept_from_loop(nodes: &[ASTNode<'_>]) -> Option<(String, Position)> {
    const STORES: [&str; 6] = ["push", "insert", "set", "append", "+=", "fill_with"];
    let (ASTNode::Expr(Expr::Stmt(block)), above) = nodes.split_last()? else { return None };
    let shared = block.iter().find_map(|statement| match statement {
        Stmt::Share(names) => Some(names),
        _ => None,
    })?;
    let mut kept = false;
    for node in above.iter().rev() {
        match node {
            ASTNode::Stmt(Stmt::For(each, _)) => {
                let of_loop = std::iter::once(&each.0).chain(&each.1);
                let names: Vec<&str> = of_loop.map(|variable| variable.name.as_str()).collect();
                let captured = shared.iter().find(|(name, _)| names.contains(&name.name.as_str()));
                return captured.filter(|_| kept).map(|(name, _)| (name.name.to_string(), block.position()));
            }
            ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _)) | ASTNode::Stmt(Stmt::FnCall(call, _))
                if !STORES.contains(&call.name.as_str()) =>
            {
                return None;
            }
            ASTNode::Expr(Expr::FnCall(..) | Expr::MethodCall(..) | Expr::Array(..) | Expr::Map(..))
            | ASTNode::Stmt(Stmt::FnCall(..) | Stmt::Assignment(..)) => kept = true,
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

fn wrong_count(name: &str, mut counts: Vec<(usize, usize)>, got: usize) -> String {
    counts.sort_unstable();
    counts.dedup();
    let one = |(low, high): &(usize, usize)| if low == high { low.to_string() } else { format!("{low} to {high}") };
    let texts: Vec<String> = counts.iter().map(one).collect();
    let plural = if texts == ["1"] { "argument" } else { "arguments" };
    format!("{name}() takes {} {plural}, got {got}", texts.join(" or "))
}
