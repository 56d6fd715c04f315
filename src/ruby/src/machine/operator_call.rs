//! Operators, calls with one argument and conditions.
//!
//! In: call nodes. Out: their values; operators of machine integers skip the method lookup. Must not: know calls with blocks or
//! without receiver.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::machine::method_cache::Target;
use crate::machine::operators;
use crate::object::definitions::Method;
use crate::value::LookupStr;
use crate::value::Rv;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::inline_cache::Operator;
use catwalk_ruby_syntax::inline_cache::Shape;

impl Interp<'_> {
    /// `receiver operator argument`
    #[inline(never)]
    pub(crate) fn eval_operator(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let (Some(left), [right]) = (&call.receiver, call.args.as_slice()) else {
            return self.eval_general_call(call, line, f);
        };
        let operator = call.site.operator;
        if let Some(a) = immediate_integer(left, f)
            && let Some(b) = immediate_integer(right, f)
            && !self.tables.reopens_builtins
            && let Some(value) = operators::apply_to_integers(operator, a, b)
        {
            return Ok(value);
        }
        if matches!(left.kind, NodeKind::Call(_)) {
            // A chain of operators is as deep as it is long.
            self.check_stack()?;
        }
        let receiver = self.eval_quick(left, f)?;
        if let Rv::Int(a) = receiver {
            let arg = self.eval_quick(right, f)?;
            if let Rv::Int(b) = arg
                && !self.tables.reopens_builtins
                && let Some(value) = operators::apply_to_integers(operator, a, b)
            {
                return Ok(value);
            }
            return self.call_operator(call, left, &receiver, arg, line, f);
        }
        self.eval_object_operator(call, left, right, receiver, line, f)
    }

    /// An operator whose receiver is not a machine integer.
    #[inline(never)]
    fn eval_object_operator(
        &mut self,
        call: &Call,
        left: &Node,
        right: &Node,
        receiver: Rv,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let operator = call.site.operator;
        // A literal is converted to an object only if it is used as one.
        if operator == Operator::Index
            && let (Rv::Hash(hash), NodeKind::Str(key)) = (&receiver, &right.kind)
            && !self.tables.reopens_builtins
            && let Some(value) = hash.map.borrow().get(&LookupStr(key))
        {
            return Ok(value.clone());
        }
        let arg = self.eval_quick(right, f)?;
        self.line = line;
        if !self.tables.reopens_builtins
            && let Some(value) = operators::apply(operator, &receiver, &arg)
        {
            arg.discard();
            return Ok(value);
        }
        self.call_operator(call, left, &receiver, arg, line, f)
    }

    /// A call with a receiver and one argument, except operators of numbers.
    pub(crate) fn eval_one_argument(
        &mut self,
        call: &Call,
        node: &Node,
        arg: &Node,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let receiver = self.eval_quick(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        if let Rv::Object(_) = receiver {
            match self.find_target(&call.site.reached, &receiver, call.name) {
                Target::MethodEntry(entry) => {
                    if let Method::Def(def) = &entry.method
                        && def.has_plain_params
                        && def.params.len() == 1
                    {
                        return self.call_into(&entry, def, &receiver, call, line, f);
                    }
                }
                Target::Object(method) => {
                    let arg = self.eval_quick(arg, f)?;
                    self.step()?;
                    self.line = line;
                    return self.call_builtin(method, &receiver, &[arg], None);
                }
                Target::Unknown => {}
            }
        }
        if self.skip_ignored_call(call, &receiver, arg, f)? {
            return Ok(Rv::Nil);
        }
        let arg = self.eval_quick(arg, f)?;
        self.line = line;
        if !matches!(arg, Rv::Object(_))
            && call.site.operator != Operator::Append
            && let Some(method) = self.native_target(call, &receiver)
        {
            self.step()?;
            return self.call_builtin(method, &receiver, &[arg], None);
        }
        self.call_operator(call, node, &receiver, arg, line, f)
    }

    /// Whether an expression used as a condition is true.
    pub(crate) fn eval_test(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<bool> {
        match &node.kind {
            NodeKind::Call(call) if call.shape() == Shape::Operator => {
                if let (Some(left), [right]) = (&call.receiver, call.args.as_slice())
                    && let Some(a) = immediate_integer(left, f)
                    && let Some(b) = immediate_integer(right, f)
                    && !self.tables.reopens_builtins
                    && let Some(result) = operators::compare_integers(call.site.operator, a, b)
                {
                    return Ok(result);
                }
                let value = self.eval_operator(call, node.line, f)?;
                Ok(is_true(value))
            }
            NodeKind::Not(inner) => Ok(!self.eval_test(inner, f)?),
            NodeKind::And(a, b) => Ok(self.eval_test(a, f)? && self.eval_test(b, f)?),
            NodeKind::Or(a, b) => Ok(self.eval_test(a, f)? || self.eval_test(b, f)?),
            _ => {
                let value = self.eval(node, f)?;
                Ok(is_true(value))
            }
        }
    }

    /// An operator that is a method with one argument.
    fn call_operator(
        &mut self,
        call: &Call,
        node: &Node,
        receiver: &Rv,
        arg: Rv,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        self.set_position(call, line, f);
        let on_self = matches!(node.kind, NodeKind::SelfRef);
        if on_self && !receiver.truthy() && matches!(f.this, Rv::Object(_)) {
            return self.call_self(call, &[arg], None, f);
        }
        let result = match on_self {
            true => self.call_named(receiver, call.name, &[arg], None)?,
            false => self.call_at(call, receiver, &[arg], None, f)?,
        };
        // A string to which binary data was appended (`value << digest`) becomes a different object: the variable must hold the
        // new one.
        if call.site.operator == Operator::Append
            && matches!((receiver, &result), (Rv::Str(_), Rv::Bytes(_)))
            && matches!(node.kind, NodeKind::Local(_) | NodeKind::IVar(_))
        {
            return self.assign(node, result, f);
        }
        Ok(result)
    }
}

/// Whether a value that is dropped afterwards is true.
#[inline]
fn is_true(value: Rv) -> bool {
    let truthy = value.truthy();
    value.discard();
    truthy
}

/// An integer that is a literal or the value of a variable.
#[inline(always)]
pub(crate) fn immediate_integer(node: &Node, f: &Frame) -> Option<i64> {
    match &node.kind {
        NodeKind::Int(n) => Some(*n),
        NodeKind::Local(local) => f.read_int(local),
        _ => None,
    }
}
