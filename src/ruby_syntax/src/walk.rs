//! Visits the nodes of a tree.
//!
//! In: a [`Node`]. Out: its children in the order of the source. Must not: know their meaning.

use crate::ast::Call;
use crate::ast::InClause;
use crate::ast::Lambda;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Pair;
use crate::ast::Param;
use crate::ast::Pattern;
use crate::ast::Rescue;
use crate::ast::StrPart;

/// The deepest nesting that [`any_node`] visits: the depth of the parser, with several nodes per level.
const MAX_DEPTH: usize = 1_000;

/// Whether `predicate` returns true for the node or any node in it.
pub fn any_node(node: &Node, predicate: &mut dyn FnMut(&Node) -> bool) -> bool {
    any_at_depth(node, predicate, 0)
}

fn any_at_depth(node: &Node, predicate: &mut dyn FnMut(&Node) -> bool, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if predicate(node) {
        return true;
    }
    let mut found = false;
    for_each_child(node, &mut |child| found = found || any_at_depth(child, predicate, depth + 1));
    found
}

/// Calls `visit` with each child of a node.
pub fn for_each_child(node: &Node, visit: &mut dyn FnMut(&Node)) {
    match &node.kind {
        NodeKind::Nil
        | NodeKind::Bool(_)
        | NodeKind::SelfRef
        | NodeKind::Int(_)
        | NodeKind::Float(_)
        | NodeKind::Str(_)
        | NodeKind::Symbol(_)
        | NodeKind::Local(_)
        | NodeKind::IVar(_)
        | NodeKind::CVar(_)
        | NodeKind::GVar(_)
        | NodeKind::Redo
        | NodeKind::Retry
        | NodeKind::Alias(..)
        | NodeKind::EmitText(_)
        | NodeKind::File => {}
        NodeKind::InterpolatedStr(parts)
        | NodeKind::Command(parts)
        | NodeKind::DynamicSymbol(parts)
        | NodeKind::Regexp(parts, ..) => visit_parts(parts, visit),
        NodeKind::Array(nodes) | NodeKind::Targets(nodes) | NodeKind::Block(nodes) | NodeKind::Yield(nodes) => {
            nodes.iter().for_each(visit);
        }
        NodeKind::Hash(pairs) => pairs.iter().for_each(|pair| visit_pair(pair, visit)),
        NodeKind::Const(scope, _) => scope.iter().flatten().for_each(|scope| visit(scope)),
        NodeKind::Range(from, to, _) => [from, to].into_iter().flatten().for_each(|end| visit(end)),
        NodeKind::Assign(a, b)
        | NodeKind::OpAssign(a, _, b, _)
        | NodeKind::And(a, b)
        | NodeKind::Or(a, b)
        | NodeKind::While(_, a, b, _) => [a, b].into_iter().for_each(|node| visit(node)),
        NodeKind::MultiAssign(targets, value) => targets.iter().chain([&**value]).for_each(visit),
        NodeKind::Not(inner) | NodeKind::Defined(inner) | NodeKind::Emit(inner) => visit(inner),
        NodeKind::If(test, yes, no) => [test, yes, no].into_iter().for_each(|node| visit(node)),
        NodeKind::For(targets, list, body) => targets.iter().chain([&**list, &**body]).for_each(visit),
        NodeKind::Case(subject, whens, else_body) => {
            subject.iter().for_each(|subject| visit(subject));
            whens.iter().for_each(|when| when.tests.iter().chain([&when.body]).for_each(&mut *visit));
            visit(else_body);
        }
        NodeKind::CaseIn(subject, clauses, else_body) => {
            visit(subject);
            clauses.iter().for_each(|clause| visit_in_clause(clause, visit));
            else_body.iter().for_each(|body| visit(body));
        }
        NodeKind::Begin(body, rescues, else_body, ensure) => {
            visit(body);
            rescues.iter().for_each(|rescue| visit_rescue(rescue, visit));
            else_body.iter().chain(ensure).for_each(|body| visit(body));
        }
        NodeKind::Call(call) | NodeKind::Super(call, _) => visit_call(call, visit),
        NodeKind::Lambda(lambda) => visit_lambda(lambda, visit),
        NodeKind::Def(def) => {
            def.singleton.iter().for_each(&mut *visit);
            def.params.iter().for_each(|param| visit_param(param, visit));
            visit(&def.body);
        }
        NodeKind::Class(class) => class.path.iter().chain(&class.parent).chain([&class.body]).for_each(visit),
        NodeKind::Return(value) | NodeKind::Break(value) | NodeKind::Next(value) | NodeKind::Splat(value) => {
            value.iter().for_each(|value| visit(value));
        }
    }
}

fn visit_parts(parts: &[StrPart], visit: &mut dyn FnMut(&Node)) {
    for part in parts {
        if let StrPart::Code(code) = part {
            visit(code);
        }
    }
}

fn visit_pair(pair: &Pair, visit: &mut dyn FnMut(&Node)) {
    match pair {
        Pair::Entry(key, value) => {
            visit(key);
            visit(value);
        }
        Pair::Splat(hash) => visit(hash),
    }
}

fn visit_rescue(rescue: &Rescue, visit: &mut dyn FnMut(&Node)) {
    rescue.classes.iter().chain(&rescue.target).chain([&rescue.body]).for_each(visit);
}

fn visit_call(call: &Call, visit: &mut dyn FnMut(&Node)) {
    call.receiver.iter().chain(&call.args).chain(&call.block_arg).for_each(&mut *visit);
    if let Some(block) = &call.block {
        visit_lambda(block, visit);
    }
}

fn visit_lambda(lambda: &Lambda, visit: &mut dyn FnMut(&Node)) {
    lambda.params.iter().for_each(|param| visit_param(param, visit));
    visit(&lambda.body);
}

fn visit_param(param: &Param, visit: &mut dyn FnMut(&Node)) {
    match param {
        Param::Optional(_, default) | Param::Keyword(_, Some(default)) => visit(default),
        Param::Pattern(inner) => inner.iter().for_each(|param| visit_param(param, visit)),
        Param::Required(_) | Param::Rest(_) | Param::Keyword(_, None) | Param::KeywordRest(_) | Param::Block(_) => {}
    }
}

fn visit_in_clause(clause: &InClause, visit: &mut dyn FnMut(&Node)) {
    visit_pattern(&clause.pattern, visit);
    clause.guard.iter().for_each(|(_, guard)| visit(guard));
    visit(&clause.body);
}

fn visit_pattern(pattern: &Pattern, visit: &mut dyn FnMut(&Node)) {
    match pattern {
        Pattern::Value(node) => visit(node),
        Pattern::Bind(_) => {}
        Pattern::Named(inner, _) => visit_pattern(inner, visit),
        Pattern::Either(alternatives) => alternatives.iter().for_each(|pattern| visit_pattern(pattern, visit)),
        Pattern::Array { class, before, rest: _, after } => {
            class.iter().for_each(|class| visit(class));
            before.iter().chain(after).for_each(|pattern| visit_pattern(pattern, visit));
        }
        Pattern::Hash { class, entries, rest: _ } => {
            class.iter().for_each(|class| visit(class));
            entries.iter().filter_map(|(_, inner)| inner.as_ref()).for_each(|inner| visit_pattern(inner, visit));
        }
    }
}
