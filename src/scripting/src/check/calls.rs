//! Checks of calls: functions, methods, properties with a dot.
//!
//! In: calls of a script. Out: reports of unknown names, and the types of known ones. Must not: run anything.

use catwalk_base::diag::Code;
use rhai::ASTNode;
use rhai::Expr;
use rhai::FnCallExpr;
use rhai::FnPtr;
use rhai::Position;

use super::Checker;
use super::FunctionScope;
use super::KEYWORDS;
use super::ScriptSurvey;
use super::captures;
use super::first_step;
use crate::table::Item;
use crate::table::Kind;
use crate::table::TYPES;
use crate::table::phase;

pub(super) fn wrong_count(name: &str, mut counts: Vec<(usize, usize)>, actual: usize) -> String {
    counts.sort_unstable();
    counts.dedup();
    let range = |(low, high): &(usize, usize)| if low == high { low.to_string() } else { format!("{low} to {high}") };
    let ranges: Vec<String> = counts.iter().map(range).collect();
    let plural = if ranges == ["1"] { "argument" } else { "arguments" };
    format!("{name}() takes {} {plural}, got {actual}", ranges.join(" or "))
}

impl Checker {
    pub(super) fn check_call(
        &self,
        call: &FnCallExpr,
        at: Position,
        scope: &FunctionScope,
        survey: &mut ScriptSurvey<'_>,
    ) {
        let (name, count) = (call.name.as_str(), call.args.len());
        if call.op_token.is_some() || KEYWORDS.contains(&name) {
            return;
        }
        if !call.namespace.is_empty() {
            self.check_foreign_constants(call, survey);
            self.check_qualified(call.namespace.root(), name, Some(count), at, survey);
            return;
        }
        let script_counts: Vec<usize> =
            survey.functions.iter().filter(|(n, ..)| n == name).map(|(_, params, _)| params.len()).collect();
        if script_counts.contains(&count) {
            return;
        }
        let items: Vec<&&Item> =
            self.items.iter().filter(|item| item.kind == Kind::Function && item.name == name).collect();
        let matches_call = |item: &&&Item| (item.arity().0..=item.arity().1).contains(&count);
        if let Some(item) = items.iter().find(|item| matches_call(item)) {
            if item.phases & scope.phases == 0 {
                let text = format!("{name}() is not available here: it is for {}", item.phases().unwrap_or_default());
                let help = (item.phases == phase::LOAD)
                    .then(|| "call it at the top of the file, outside of functions".to_owned());
                self.report(survey, Code::SCRIPT_WRONG_PHASE, text, help, at);
            }
            return;
        }
        let native = self.native.get(name);
        if native.is_some_and(|counts| counts.contains(&count)) {
            return;
        }
        let mut counts: Vec<(usize, usize)> = script_counts.iter().map(|n| (*n, *n)).collect();
        counts.extend(items.iter().map(|item| item.arity()));
        if items.is_empty() {
            counts.extend(native.iter().flat_map(|counts| counts.iter().map(|n| (*n, *n))));
        }
        let text =
            if counts.is_empty() { format!("there is no function '{name}'") } else { wrong_count(name, counts, count) };
        let is_variable = scope.types.contains_key(name) || scope.params.iter().any(|param| param == name);
        let help = is_variable.then(|| format!("a closure in a variable is called {name}.call(…)"));
        self.report(survey, Code::SCRIPT_UNKNOWN_CALL, text, help, at);
    }

    /// Blocks that read a constant, handed to a function of another file: there `global::NAME` is a constant of that file.
    fn check_foreign_constants(&self, call: &FnCallExpr, survey: &mut ScriptSurvey<'_>) {
        for arg in &call.args {
            let mut constant = None;
            arg.walk(&mut Vec::new(), &mut |nodes| {
                if let Some(ASTNode::Expr(Expr::DynamicConstant(value, _))) = nodes.last() {
                    let closure = value.clone().try_cast::<FnPtr>();
                    constant =
                        constant.take().or_else(|| survey.closures_reading_constants.get(closure?.fn_name()).cloned());
                }
                true
            });
            let Some(constant) = constant else { continue };
            let function = format!("{}::{}", call.namespace.root(), call.name);
            let text = format!(
                "the block reads global::{constant}, which in a call by {function}() is a constant of that file"
            );
            let help = format!("copy it before: `let own = global::{constant};`, and use the copy in the block");
            self.report(survey, Code::SCRIPT_FOREIGN_CONSTANT, text, Some(help), arg.position());
        }
    }

    /// Checks a method call: some type must have the method.
    pub(super) fn check_method(&self, call: &FnCallExpr, at: Position, survey: &mut ScriptSurvey<'_>) {
        let (name, count) = (call.name.as_str(), call.args.len());
        if KEYWORDS.contains(&name) {
            return;
        }
        let mut counts: Vec<(usize, usize)> = survey
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
        let text = if counts.is_empty() {
            format!("no value has a method '{name}'")
        } else {
            wrong_count(name, counts, count)
        };
        self.report(survey, Code::SCRIPT_UNKNOWN_CALL, text, None, at);
    }

    /// Checks `lhs.rhs`: whether the type has the member, and which variables blocks capture.
    pub(super) fn check_member(&self, lhs: &Expr, rhs: &Expr, scope: &FunctionScope, survey: &mut ScriptSurvey<'_>) {
        let first = first_step(rhs);
        if let (Expr::Variable(variable, ..), Expr::MethodCall(call, at)) = (lhs, first)
            // Each block has its own handle of `context`.
            && variable.1 != "context"
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
            self.report(survey, Code::SCRIPT_CAPTURED_RECEIVER, text, Some(help), *at);
        }
        let Some(receiver_type) = self.type_of(lhs, scope) else { return };
        // Any name may be a key of a hash.
        let (name, at, args) = match first {
            Expr::Property(property, at) if receiver_type != "Hash" => (&property.2, at, None),
            Expr::MethodCall(call, at) if self.native_method(&call.name, call.args.len()).is_none() => {
                (&call.name, at, Some(call.args.len()))
            }
            _ => return,
        };
        let members: Vec<&&Item> =
            self.items.iter().filter(|item| item.receiver == receiver_type && item.name == name.as_str()).collect();
        let text = match args {
            None if members.iter().any(|item| matches!(item.kind, Kind::Property | Kind::Variable)) => return,
            None => format!("a {receiver_type} has no property '{name}'"),
            Some(count) => {
                let arities: Vec<(usize, usize)> =
                    members.iter().filter(|item| item.kind == Kind::Method).map(|item| item.arity()).collect();
                if arities.iter().any(|(low, high)| (*low..=*high).contains(&count)) {
                    return;
                }
                if arities.is_empty() {
                    format!("a {receiver_type} has no method '{name}'")
                } else {
                    wrong_count(name, arities, count)
                }
            }
        };
        if let Some(help) = block_form(receiver_type, name, args) {
            self.report(survey, Code::SCRIPT_UNKNOWN_CALL, text, Some(help), *at);
            return;
        }
        let members = self.items.iter().filter(|item| item.receiver == receiver_type && item.kind != Kind::Index);
        let mut names: Vec<&str> = members.map(|item| item.name).filter(|name| !name.starts_with('=')).collect();
        names.dedup();
        self.report(survey, Code::SCRIPT_UNKNOWN_CALL, text, Some(format!("it has {}", names.join(", "))), *at);
    }

    /// Methods that Rhai has for values of any type.
    fn native_method(&self, name: &str, _count: usize) -> Option<()> {
        ["type_of", "to_string", "to_debug", "is_shared", "call"].contains(&name).then_some(())
    }

    /// The type of an expression, if the table has it.
    pub(super) fn type_of(&self, expr: &Expr, scope: &FunctionScope) -> Option<&'static str> {
        let type_name = match expr {
            Expr::Variable(variable, ..) if variable.2.is_empty() => {
                return scope.types.get(variable.1.as_str()).copied();
            }
            Expr::FnCall(call, _) => {
                let matches_call = |item: &&&Item| item.kind == Kind::Function && item.name == call.name.as_str();
                self.items.iter().find(matches_call)?.returns
            }
            Expr::Dot(pair, ..) => {
                let receiver_type = self.type_of(&pair.lhs, scope)?;
                let name = match &pair.rhs {
                    Expr::Property(property, _) => &property.2,
                    Expr::MethodCall(call, _) => &call.name,
                    _ => return None,
                };
                self.items.iter().find(|item| item.receiver == receiver_type && item.name == name.as_str())?.returns
            }
            _ => return None,
        };
        TYPES.iter().map(|(name, _)| *name).find(|name| *name == type_name)
    }

    /// The type of the items of a loop.
    pub(super) fn item_type(&self, expr: &Expr, scope: &FunctionScope) -> Option<&'static str> {
        let Expr::Dot(pair, ..) = expr else { return None };
        let receiver_type = self.type_of(&pair.lhs, scope)?;
        let Expr::MethodCall(call, _) = &pair.rhs else { return None };
        (receiver_type == "Catalog" && call.name == "resources").then_some("Resource")
    }
}

/// The block form of a method that Puppet's documentation shows without a block.
fn block_form(receiver_type: &str, name: &str, args: Option<usize>) -> Option<String> {
    let form = match (name, args) {
        _ if receiver_type != "ProviderContext" => return None,
        ("creating" | "updating" | "deleting" | "failing", Some(1)) => name,
        ("error" | "changed", _) => "updating",
        _ => return None,
    };
    Some(format!(
        "work is reported with a block: context.{form}(name, || …); an error that is thrown in it fails the resource"
    ))
}
