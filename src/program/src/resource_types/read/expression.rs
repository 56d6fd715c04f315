//! Evaluates expressions as far as they are static.
//! In: trees. Out: a [`Value`]. Must not: know what calls do (`call`).

use super::block::Block;
use super::reader::Reader;
use super::reader::Scope;
use super::reader::path_of;
use super::reader::variable;
use super::value::Value;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Pair;
use catwalk_ruby_syntax::ast::StrPart;
use catwalk_ruby_syntax::ast::When;

/// How deep expressions and calls may go.
const MAX_DEPTH: usize = 600;

impl Reader<'_, '_> {
    /// The value of an expression, as far as it is known; nothing is run after a `return`.
    pub(super) fn value(&mut self, node: &Node, scope: &mut Scope) -> Value {
        if self.depth >= MAX_DEPTH {
            self.too_deep = true;
            return Value::Unknown;
        }
        if !self.spend(1) {
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.value_at_depth(node, scope);
        self.depth -= 1;
        value
    }

    fn value_at_depth(&mut self, node: &Node, scope: &mut Scope) -> Value {
        match &node.kind {
            NodeKind::Nil | NodeKind::Alias(..) => Value::Nil,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::SelfRef => Value::Constant("self".to_owned()),
            NodeKind::Int(n) => Value::Int(*n),
            NodeKind::Str(text) => Value::Str(text.to_string()),
            NodeKind::Symbol(text) => Value::Symbol(text.to_string()),
            NodeKind::InterpolatedStr(parts) => self.text(parts, scope).map_or(Value::Unknown, Value::Str),
            NodeKind::DynamicSymbol(parts) => self.text(parts, scope).map_or(Value::Unknown, Value::Symbol),
            NodeKind::Regexp(parts, flags, _) => match self.text(parts, scope) {
                Some(source) => Value::Regexp { source, flags: flags.to_string() },
                None => Value::Unknown,
            },
            NodeKind::File => Value::Str(scope.file.to_string_lossy().into_owned()),
            NodeKind::Array(items) => Value::array(self.items(items, scope)),
            NodeKind::Hash(pairs) => self.hash(pairs, scope),
            NodeKind::Local(_) | NodeKind::IVar(_) => self.variable_value(node, scope),
            NodeKind::Const(within, name) => match within {
                Some(Some(outer)) => match self.value(outer, scope) {
                    Value::Constant(path) => self.constant(&format!("{path}::{name}"), scope),
                    _ => Value::Unknown,
                },
                _ => self.constant(name, scope),
            },
            NodeKind::Assign(target, value) => {
                let value = self.value(value, scope);
                self.assign(target, value, scope)
            }
            NodeKind::OpAssign(target, operator, value, _) => {
                self.assign_with_operator(target, *operator, value, scope)
            }
            NodeKind::MultiAssign(targets, value) => self.assign_destructured(targets, value, scope),
            NodeKind::And(left, right) => self.short_circuit(node, left, true, right, scope),
            NodeKind::Or(left, right) => self.short_circuit(node, left, false, right, scope),
            NodeKind::Not(inner) => {
                self.value(inner, scope).truth().map_or(Value::Unknown, |is_true| Value::Bool(!is_true))
            }
            NodeKind::If(test, yes, no) => self.branch(node, test, [yes, no], scope),
            NodeKind::Case(subject, whens, other) => self.case(node, subject.as_deref(), whens, other, scope),
            NodeKind::For(targets, list, body) => self.repeat(node, targets, list, body, scope),
            NodeKind::While(..) | NodeKind::CaseIn(..) => self.skip(node, scope, node.line, "a loop or case"),
            NodeKind::Begin(body, _, alternative, ensure) => {
                let mut value = self.value(body, scope);
                if let Some(alternative) = alternative {
                    value = self.value(alternative, scope);
                }
                if let Some(ensure) = ensure {
                    self.value(ensure, scope);
                }
                value
            }
            NodeKind::Block(nodes) => self.statements(nodes, scope),
            NodeKind::Call(call) => self.call(call, node.line, scope),
            NodeKind::Yield(arguments) => self.yield_to_block(arguments, scope),
            NodeKind::Lambda(lambda) => Value::Lambda(Block::lambda(lambda, scope)),
            NodeKind::Def(def) => self.method(def, scope),
            NodeKind::Class(class) => self.module(class, scope),
            NodeKind::Return(value) | NodeKind::Next(value) | NodeKind::Break(value) => {
                let value = value.as_ref().map_or(Value::Nil, |value| self.value(value, scope));
                scope.returned = true;
                value
            }
            NodeKind::Splat(Some(list)) => self.value(list, scope),
            NodeKind::Float(_)
            | NodeKind::Command(_)
            | NodeKind::Range(..)
            | NodeKind::CVar(_)
            | NodeKind::GVar(_)
            | NodeKind::Targets(_)
            | NodeKind::Defined(_)
            | NodeKind::Super(..)
            | NodeKind::Redo
            | NodeKind::Retry
            | NodeKind::Splat(None)
            | NodeKind::EmitText(_)
            | NodeKind::Emit(_) => Value::Unknown,
        }
    }

    /// The value of a local or instance variable.
    fn variable_value(&mut self, node: &Node, scope: &Scope) -> Value {
        let Some(value) = variable(node).and_then(|name| scope.variables.get(&name)) else { return Value::Unknown };
        // Arrays and hashes are shared, so that copying them is free.
        let is_shared = matches!(value, Value::Array(_) | Value::Hash(_));
        if is_shared || self.spend(value.cost()) { value.clone() } else { Value::Unknown }
    }

    /// `left && right`, `left || right`: the right side is evaluated if the left one has this truth.
    fn short_circuit(&mut self, node: &Node, left: &Node, truth: bool, right: &Node, scope: &mut Scope) -> Value {
        match self.value(left, scope) {
            Value::Unknown => self.skip(right, scope, node.line, "a condition"),
            value if value.truth() == Some(truth) => self.value(right, scope),
            value => value,
        }
    }

    /// `if test then yes else no`
    fn branch(&mut self, node: &Node, test: &Node, [yes, no]: [&Node; 2], scope: &mut Scope) -> Value {
        match self.value(test, scope).truth() {
            Some(true) => return self.value(yes, scope),
            Some(false) => return self.value(no, scope),
            None => {}
        }
        let gaps = self.definition.as_ref().map_or(0, |definition| definition.gaps.len());
        self.skip(yes, scope, node.line, "a condition");
        // Reported once, whatever both branches define.
        if self.definition.as_ref().is_some_and(|definition| definition.gaps.len() > gaps) {
            scope.forget(no);
            return Value::Unknown;
        }
        self.skip(no, scope, node.line, "a condition")
    }

    /// `for targets in list do body end`
    fn repeat(&mut self, node: &Node, targets: &[Node], list: &Node, body: &Node, scope: &mut Scope) -> Value {
        let Value::Array(items) = self.value(list, scope) else {
            return self.skip(body, scope, node.line, "a loop or case");
        };
        for item in items.iter().cloned() {
            match targets {
                [only] => drop(self.assign(only, item, scope)),
                several => self.assign_each(several, &item, scope),
            }
            self.value(body, scope);
        }
        Value::Unknown
    }

    /// Statements in order: the value of the last one that is run.
    fn statements(&mut self, nodes: &[Node], scope: &mut Scope) -> Value {
        let mut value = Value::Nil;
        for node in nodes {
            value = self.value(node, scope);
            if scope.returned {
                break;
            }
        }
        value
    }

    fn yield_to_block(&mut self, arguments: &[Node], scope: &mut Scope) -> Value {
        let arguments = self.items(arguments, scope);
        match scope.block.clone() {
            Some(block) => self.invoke(&block, arguments, None, scope.modules.clone(), scope.in_type),
            None => Value::Unknown,
        }
    }

    /// `case`: the first clause that is known to match, if those before it are known not to.
    fn case(&mut self, node: &Node, subject: Option<&Node>, whens: &[When], other: &Node, scope: &mut Scope) -> Value {
        let subject = subject.map(|subject| self.value(subject, scope));
        for when in whens {
            let mut matches = Some(false);
            for test in &when.tests {
                let test = self.value(test, scope);
                let same = match &subject {
                    None => test.truth(),
                    // For classes and regular expressions `===` is not equality.
                    Some(_) if matches!(test, Value::Constant(_) | Value::Regexp { .. } | Value::Lambda(_)) => None,
                    Some(subject) => subject.same(&test),
                };
                matches = match (matches, same) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
            match matches {
                Some(true) => return self.value(&when.body, scope),
                Some(false) => {}
                None => return self.skip(node, scope, node.line, "a loop or case"),
            }
        }
        self.value(other, scope)
    }

    /// `target = value`
    fn assign(&mut self, target: &Node, value: Value, scope: &mut Scope) -> Value {
        match &target.kind {
            NodeKind::Local(_) | NodeKind::IVar(_) => {
                if scope.in_type && matches!(&target.kind, NodeKind::IVar(variable) if &*variable.name == "isomorphic")
                {
                    self.set_isomorphic(scope, target.line, &value);
                }
                if let Some(name) = variable(target) {
                    scope.set(name, value.clone());
                }
            }
            NodeKind::Const(..) => {
                let mut path = scope.modules.clone();
                path.push(path_of(target));
                self.constants.insert(path.join("::"), value.clone());
            }
            NodeKind::Splat(Some(inner)) => return self.assign(inner, value, scope),
            NodeKind::Call(call) if &*call.name == "[]" => {
                let Some(name) = call.receiver.as_ref().and_then(variable) else { return value };
                let key = match call.args.as_slice() {
                    [key] => self.value(key, scope),
                    _ => Value::Unknown,
                };
                let held = scope.take(name).filter(|held| self.spend(held.cost()));
                scope.set(name, held.map_or(Value::Unknown, |held| held.with_entry(key, value.clone())));
            }
            _ => {}
        }
        value
    }

    /// `target op= value`
    fn assign_with_operator(&mut self, target: &Node, operator: Name, value: &Node, scope: &mut Scope) -> Value {
        let old = match &target.kind {
            NodeKind::Local(_) | NodeKind::IVar(_) => {
                variable(target).and_then(|name| scope.variables.get(&name)).cloned().unwrap_or(Value::Nil)
            }
            NodeKind::Const(_, name) => match self.constant(name, scope) {
                Value::Constant(_) => Value::Nil,
                known => known,
            },
            _ => self.value(target, scope),
        };
        let new = match (&*operator, old.truth()) {
            ("||", Some(true)) | ("&&", Some(false)) => old,
            ("||", Some(false)) | ("&&", Some(true)) => self.value(value, scope),
            ("||" | "&&", None) => Value::Unknown,
            (operator, _) => {
                let value = self.value(value, scope);
                self.apply_operator(&old, operator, &value)
            }
        };
        self.assign(target, new, scope)
    }

    /// What an operator returns, if known.
    pub(super) fn apply_operator(&mut self, left: &Value, operator: &str, right: &Value) -> Value {
        let steps = match operator {
            // Each item of one operand is looked for in the other.
            "-" | "&" | "|" => left.cost().saturating_mul(4).saturating_mul(right.cost().max(1)),
            _ => left.cost() + right.cost(),
        };
        if !self.spend(steps) {
            return Value::Unknown;
        }
        left.apply_operator(operator, right).unwrap_or(Value::Unknown)
    }

    /// `a, b = values`
    fn assign_destructured(&mut self, targets: &[Node], value: &Node, scope: &mut Scope) -> Value {
        let value = self.value(value, scope);
        self.assign_each(targets, &value, scope);
        value
    }

    fn assign_each(&mut self, targets: &[Node], value: &Value, scope: &mut Scope) {
        let simple = targets.iter().all(|target| variable(target).is_some());
        for (at, target) in targets.iter().enumerate() {
            let part = match value {
                Value::Array(items) if simple => items.get(at).cloned().unwrap_or(Value::Nil),
                _ => Value::Unknown,
            };
            self.assign(target, part, scope);
        }
    }

    /// The value of a constant, or its path if the value is unknown.
    fn constant(&self, name: &str, scope: &Scope) -> Value {
        for depth in (0..=scope.modules.len()).rev() {
            let mut path: Vec<&str> = scope.modules.iter().take(depth).map(String::as_str).collect();
            path.push(name);
            if let Some(value) = self.constants.get(&path.join("::")) {
                return value.clone();
            }
        }
        Value::Constant(name.to_owned())
    }

    /// The interpolated string, if all interpolations are known.
    fn text(&mut self, parts: &[StrPart], scope: &mut Scope) -> Option<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                StrPart::Literal(piece) => text.push_str(piece),
                StrPart::Code(code) => text.push_str(&self.value(code, scope).interpolated()?),
            }
            meter::check_string(text.len());
        }
        Some(text)
    }

    /// Items of a list, or arguments.
    pub(super) fn items(&mut self, nodes: &[Node], scope: &mut Scope) -> Vec<Value> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match (&node.kind, self.value(node, scope)) {
                (NodeKind::Splat(_), list @ Value::Array(_)) if !self.spend(list.cost()) => values.push(Value::Unknown),
                (NodeKind::Splat(_), Value::Array(items)) => values.extend(items.iter().cloned()),
                (_, value) => values.push(value),
            }
        }
        values
    }

    fn hash(&mut self, pairs: &[Pair], scope: &mut Scope) -> Value {
        let mut entries = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match pair {
                Pair::Entry(key, value) => {
                    let key = self.value(key, scope);
                    entries.push((key, self.value(value, scope)));
                }
                Pair::Splat(hash) => match self.value(hash, scope) {
                    hash @ Value::Hash(_) if !self.spend(hash.cost()) => entries.push((Value::Unknown, Value::Unknown)),
                    Value::Hash(more) => entries.extend(more.iter().cloned()),
                    _ => entries.push((Value::Unknown, Value::Unknown)),
                },
            }
        }
        Value::hash(entries)
    }
}

/// The block of a call.
pub(super) fn block_of(call: &Call, scope: &Scope) -> Option<Block> {
    call.block.as_ref().map(|lambda| Block::lambda(lambda, scope))
}
