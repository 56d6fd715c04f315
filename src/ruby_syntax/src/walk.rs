//! Visits the nodes of a tree.
//!
//! In: a [`Node`]. Out: its children in the order of the source. Must not: know their meaning.

use crate::ast::InClause;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Pair;
use crate::ast::Param;
use crate::ast::Pattern;
use crate::ast::TextPart;

/// The deepest nesting that [`any`] visits: the depth of the parser, with several nodes per level.
const MAX_DEPTH: usize = 1_000;

/// Whether `holds` returns true for the node or any node in it.
pub fn any(node: &Node, holds: &mut dyn FnMut(&Node) -> bool) -> bool {
    at_depth(node, holds, 0)
}

fn at_depth(node: &Node, holds: &mut dyn FnMut(&Node) -> bool, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if holds(node) {
        return true;
    }
    let mut found = false;
    each(node, &mut |inner| found = found || at_depth(inner, holds, depth + 1));
    found
}

/// Calls `take` with each child of a node.
pub fn each(node: &Node, take: &mut dyn FnMut(&Node)) {
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
        NodeKind::Text(parts)
        | NodeKind::Command(parts)
        | NodeKind::DynamicSymbol(parts)
        | NodeKind::Regexp(parts, ..) => {
            for part in parts {
                if let TextPart::Code(code) = part {
                    take(code);
                }
            }
        }
        NodeKind::Array(nodes) | NodeKind::Targets(nodes) | NodeKind::Block(nodes) | NodeKind::Yield(nodes) => {
            nodes.iter().for_each(take)
        }
        NodeKind::Hash(pairs) => pairs.iter().for_each(|pair| match pair {
            Pair::Entry(key, value) => {
                take(key);
                take(value);
            }
            Pair::Splat(hash) => take(hash),
        }),
        NodeKind::Const(scope, _) => scope.iter().flatten().for_each(|scope| take(scope)),
        NodeKind::Range(from, to, _) => [from, to].into_iter().flatten().for_each(|end| take(end)),
        NodeKind::Assign(a, b) | NodeKind::OpAssign(a, _, b, _) | NodeKind::And(a, b) | NodeKind::Or(a, b) => {
            take(a);
            take(b);
        }
        NodeKind::While(_, a, b, _) => {
            take(a);
            take(b);
        }
        NodeKind::MultiAssign(targets, value) => {
            targets.iter().for_each(&mut *take);
            take(value);
        }
        NodeKind::Not(inner) | NodeKind::Defined(inner) | NodeKind::Emit(inner) => take(inner),
        NodeKind::If(test, yes, no) => {
            take(test);
            take(yes);
            take(no);
        }
        NodeKind::For(targets, list, body) => {
            targets.iter().for_each(&mut *take);
            take(list);
            take(body);
        }
        NodeKind::Case(subject, whens, other) => {
            subject.iter().for_each(|subject| take(subject));
            for when in whens {
                when.tests.iter().for_each(&mut *take);
                take(&when.body);
            }
            take(other);
        }
        NodeKind::CaseIn(subject, clauses, other) => {
            take(subject);
            clauses.iter().for_each(|clause| in_clause(clause, take));
            other.iter().for_each(|other| take(other));
        }
        NodeKind::Begin(body, rescues, other, ensure) => {
            take(body);
            for rescue in rescues {
                rescue.classes.iter().for_each(&mut *take);
                rescue.target.iter().for_each(&mut *take);
                take(&rescue.body);
            }
            other.iter().for_each(|other| take(other));
            ensure.iter().for_each(|ensure| take(ensure));
        }
        NodeKind::Call(call) | NodeKind::Super(call, _) => {
            call.receiver.iter().for_each(&mut *take);
            call.args.iter().for_each(&mut *take);
            call.block_arg.iter().for_each(&mut *take);
            if let Some(block) = &call.block {
                block.params.iter().for_each(|one| param(one, take));
                take(&block.body);
            }
        }
        NodeKind::Lambda(lambda) => {
            lambda.params.iter().for_each(|one| param(one, take));
            take(&lambda.body);
        }
        NodeKind::Def(def) => {
            def.singleton.iter().for_each(&mut *take);
            def.params.iter().for_each(|one| param(one, take));
            take(&def.body);
        }
        NodeKind::Class(class) => {
            class.path.iter().for_each(&mut *take);
            class.parent.iter().for_each(&mut *take);
            take(&class.body);
        }
        NodeKind::Return(value) | NodeKind::Break(value) | NodeKind::Next(value) | NodeKind::Splat(value) => {
            value.iter().for_each(|value| take(value));
        }
    }
}

fn param(param: &Param, take: &mut dyn FnMut(&Node)) {
    match param {
        Param::Optional(_, default) | Param::Keyword(_, Some(default)) => take(default),
        Param::Pattern(inner) => inner.iter().for_each(|one| self::param(one, take)),
        Param::Required(_) | Param::Rest(_) | Param::Keyword(_, None) | Param::KeywordRest(_) | Param::Block(_) => {}
    }
}

fn in_clause(clause: &InClause, take: &mut dyn FnMut(&Node)) {
    pattern(&clause.pattern, take);
    clause.guard.iter().for_each(|(_, guard)| take(guard));
    take(&clause.body);
}

fn pattern(found: &Pattern, take: &mut dyn FnMut(&Node)) {
    match found {
        Pattern::Value(node) => take(node),
        Pattern::Bind(_) => {}
        Pattern::Named(inner, _) => pattern(inner, take),
        Pattern::Either(all) => all.iter().for_each(|one| pattern(one, take)),
        Pattern::Array { class, before, rest: _, after } => {
            class.iter().for_each(|class| take(class));
            before.iter().chain(after).for_each(|one| pattern(one, take));
        }
        Pattern::Hash { class, entries, rest: _ } => {
            class.iter().for_each(|class| take(class));
            entries.iter().filter_map(|(_, inner)| inner.as_ref()).for_each(|inner| pattern(inner, take));
        }
    }
}
