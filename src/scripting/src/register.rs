//! `register_type(#{…})` and `register_transport(#{…})` at the top of a script: what is registered, in the order in which it is
//! written, with the position of each key.
//!
//! In: a script. Out: the values as they were registered ([`Registration`]). Must not: know what a definition may contain.

use std::path::Path;
use std::path::PathBuf;

use indexmap::IndexMap;
use rhai::AST;
use rhai::ASTNode;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::Expr;
use rhai::FnCallExpr;
use rhai::NativeCallContext;
use rhai::Position;
use rhai::Stmt;
use rustc_hash::FxBuildHasher;

use crate::bridge;
use crate::cache::Script;
use crate::entry;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use crate::state;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_resource_api::Step;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The kind of a registration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `register_type`
    Type,
    /// `register_transport`
    Transport,
}

impl Kind {
    /// The name of the function that registers this kind.
    pub(super) fn function(self) -> &'static str {
        match self {
            Kind::Type => "register_type",
            Kind::Transport => "register_transport",
        }
    }
}

/// The positions of the keys of a definition.
pub(super) type KeyPositions = IndexMap<Vec<Step>, Position, FxBuildHasher>;

/// One call of a registration function.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    pub(super) kind: Kind,
    /// The definition, its keys in the order in which they are written.
    pub(super) value: Value,
    /// The position of the call.
    pub(super) at: Position,
    pub(super) positions: KeyPositions,
}

/// The registrations of a script.
#[derive(Clone, Debug, Default)]
pub(super) struct Registrations {
    pub(super) calls: Vec<Registration>,
    /// The files that it imported.
    pub(super) imported: Vec<PathBuf>,
}

/// Records a file that was imported.
pub(super) fn record_import(path: &Path) {
    state::call(|call| {
        if let Some(registrations) = &mut call.registrations {
            registrations.imported.push(path.to_path_buf());
        }
    });
}

/// The script functions `register_type` and `register_transport`.
pub(super) fn register(ctx: &NativeCallContext, kind: Kind, value: Dynamic) -> Result<(), Box<EvalAltResult>> {
    let at = ctx.call_position();
    let fail = |text: String| Err(Box::new(EvalAltResult::ErrorRuntime(text.into(), at)));
    let value = match bridge::from_dynamic(value) {
        Ok(value) => value,
        Err(why) => return fail(format!("{}: {why}", kind.function())),
    };
    state::call(|call| match &mut call.registrations {
        Some(registrations) => {
            registrations.calls.push(Registration { kind, value, at, positions: KeyPositions::default() });
            Ok(())
        }
        None => {
            let (function, folder) = match kind {
                Kind::Type => ("register_type", "types"),
                Kind::Transport => ("register_transport", "transports"),
            };
            fail(format!("{function}() belongs at the top of a file in scripts/{folder}, outside of functions"))
        }
    })
}

/// Runs the top of a script and collects its registrations.
pub(super) fn collect(script: &Script, loading: &ImportContext<'_>) -> Result<Registrations, Box<Diagnostic>> {
    let before = state::call(|call| call.registrations.replace(Registrations::default()));
    let result = entry::top(script, limits::CLASSIFY_LIMIT, loading);
    let registrations = state::call(|call| std::mem::replace(&mut call.registrations, before));
    match result {
        Some(Ok(())) => {}
        Some(Err(why)) => return Err(error::diagnostic(&why, script.file, &loading.scripts.sources)),
        None => {
            let reason = Reason::new(Code::SCRIPT_FAILED, entry::TOO_DEEP);
            return Err(Box::new(Diagnostic::new(reason, Some(Span::new(script.file, 0, 0)))));
        }
    }
    let mut registrations = registrations.unwrap_or_default();
    for call in &mut registrations.calls {
        if let Some(literal) = find_argument(&script.ast, call.kind, call.at) {
            let value = std::mem::replace(&mut call.value, Value::Undef);
            call.value = order_keys(value, &literal, &mut Vec::new(), &mut call.positions);
        }
    }
    Ok(registrations)
}

/// The syntax tree of the argument of the call at a position.
pub(super) fn find_argument(ast: &AST, kind: Kind, at: Position) -> Option<Expr> {
    let mut argument = None;
    ast.walk(&mut |nodes| {
        let call: Option<(&FnCallExpr, Position)> = match nodes.last() {
            Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => Some((call, *at)),
            Some(ASTNode::Expr(Expr::FnCall(call, at))) => Some((call, *at)),
            _ => None,
        };
        if let Some((call, position)) = call
            && position == at
            && call.name == kind.function()
        {
            argument = call.args.first().cloned();
        }
        argument.is_none()
    });
    argument
}

/// The value of a literal with the keys of its maps in the order in which they are written; Rhai sorts them. Where an
/// expression is not a literal, its value has its own order.
fn order_keys(value: Value, literal: &Expr, path: &mut Vec<Step>, positions: &mut KeyPositions) -> Value {
    match (value, literal) {
        (Value::Hash(hash), Expr::Map(entries, _)) => {
            let mut ordered = Hash::with_capacity(hash.len());
            for (key, inner) in &entries.0 {
                let Some(value) = hash.get(&key.name) else { continue };
                path.push(Step::Key(key.name.as_str().into()));
                positions.insert(path.clone(), key.pos);
                ordered.insert(Value::str(key.name.as_str()), order_keys(value.clone(), inner, path, positions));
                path.pop();
            }
            Value::hash(ordered)
        }
        (Value::Array(items), Expr::Array(elements, _)) if items.len() == elements.len() => {
            let mut ordered = Vec::with_capacity(items.len());
            for (at, (item, inner)) in items.iter().zip(elements.iter()).enumerate() {
                path.push(Step::Index(at));
                positions.insert(path.clone(), inner.position());
                ordered.push(order_keys(item.clone(), inner, path, positions));
                path.pop();
            }
            Value::array(ordered)
        }
        (value, _) => value,
    }
}

/// The position of a key, or of the innermost key around it that is written in the script.
pub(super) fn position(registered: &Registration, path: &[Step]) -> Position {
    let prefixes = (0..=path.len()).rev().filter_map(|length| path.get(..length));
    prefixes.filter_map(|path| registered.positions.get(path)).next().copied().unwrap_or(registered.at)
}
