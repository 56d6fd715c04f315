//! Calls: receiver, arguments, block; and calls of methods the program defined.

use std::rc::Rc;
use std::sync::Arc;

use super::Blk;
use super::Env;
use super::Flow;
use super::Frame;
use super::Interp;
use super::MethodContext;
use super::Raise;
use super::value::Callable;
use super::value::Rv;
use crate::ruby::ast::Call;
use crate::ruby::ast::Def;
use crate::ruby::ast::Node;
use crate::ruby::ast::NodeKind;

impl Interp<'_, '_> {
    pub(crate) fn eval_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let name = call.name.as_str();
        let receiver = match &call.receiver {
            Some(node) => {
                let value = self.eval(node, f)?;
                if call.safe && value.is_nil() {
                    return Ok(Rv::Nil);
                }
                Some((value, matches!(node.kind, NodeKind::SelfRef)))
            }
            None => None,
        };
        // One argument and no block: operators and indexes.
        if let (Some((receiver, _)), [arg], None, None) =
            (&receiver, call.args.as_slice(), &call.block, &call.block_arg)
            && !matches!(arg.kind, NodeKind::Splat(_))
        {
            let arg = self.eval(arg, f)?;
            self.line = line;
            if let Some(value) = fast(receiver, name, &arg) {
                return Ok(value);
            }
            if receiver.truthy()
                || !matches!(f.this, Rv::Object(_))
                || call.receiver.as_ref().is_none_or(|r| r.kind != NodeKind::SelfRef)
            {
                return self.call_method(receiver, name, &[arg], None);
            }
            return self.call_self(name, &[arg], None, f, false);
        }
        let args = self.eval_list(&call.args, f)?;
        let (block, tag) = self.given_block(call, f)?;
        self.line = line;
        let result = match &receiver {
            Some((receiver, false)) => self.call_method(receiver, name, &args, block.as_ref()),
            _ => self.call_self(name, &args, block.as_ref(), f, call.bare),
        };
        match result.map_err(|flow| *flow) {
            Err(Flow::Break(broken, value)) if tag == Some(broken) => Ok(value),
            Err(flow) => Err(Box::new(flow)),
            Ok(value) => Ok(value),
        }
    }

    /// The block of a call and the tag `break` names it by.
    fn given_block(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<(Option<Rc<Callable>>, Option<u64>)> {
        if let Some(lambda) = &call.block {
            let tag = self.fresh_id();
            let strict = call.name.as_str() == "lambda" && call.receiver.is_none();
            let block = Callable::Block { lambda: lambda.clone(), frame: f.clone(), strict, tag };
            return Ok((Some(Rc::new(block)), Some(tag)));
        }
        let Some(node) = &call.block_arg else { return Ok((None, None)) };
        let block = match self.eval(node, f)? {
            Rv::Nil => None,
            Rv::Proc(callable) => Some(callable),
            Rv::Sym(name) => Some(Rc::new(Callable::Symbol(name))),
            other => {
                let class = self.class_name(&other);
                return self.raise("TypeError", format!("wrong argument type {class} (expected Proc)"));
            }
        };
        Ok((block, None))
    }

    /// Calls a method the program defined.
    pub(crate) fn call_def(&mut self, def: &Arc<Def>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let id = self.fresh_id();
        // Constants are looked for in the class the method belongs to.
        let class = match this {
            Rv::Class(class) => Some(*class),
            Rv::Object(object) if self.parents.contains_key(&object.class) => Some(object.class),
            _ => None,
        };
        let frame = Rc::new(Frame {
            env: Env::new(None),
            this: this.clone(),
            method: Rc::new(MethodContext { id, block: block.cloned(), name: Some(def.name) }),
            tag: 0,
            class,
        });
        self.depth += 8;
        let outer = def.file.as_ref().map(|file| std::mem::replace(&mut self.file, Rc::from(&**file)));
        // `$~` belongs to the body of a method.
        let last_match = std::mem::replace(&mut self.last_match, Rv::Nil);
        let result = if self.depth > super::MAX_DEPTH {
            self.raise("SystemStackError", "stack level too deep")
        } else {
            self.bind_params(&def.params, args, true, &frame).and_then(|()| self.eval(&def.body, &frame))
        };
        self.depth -= 8;
        self.last_match = last_match;
        if let Some(outer) = outer {
            self.file = outer;
        }
        match result.map_err(|flow| *flow) {
            Err(Flow::Return(target, value)) if target == id => Ok(value),
            Err(flow) => Err(Box::new(flow)),
            Ok(value) => Ok(value),
        }
    }

    /// Evaluates a body that is no block of a call: a default, a body of a class.
    pub(crate) fn eval_in(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.eval(node, f)
    }
}

/// Operators of numbers and texts that need no table.
fn fast(receiver: &Rv, name: &str, arg: &Rv) -> Option<Rv> {
    match (receiver, arg) {
        (Rv::Int(a), Rv::Int(b)) => Some(match name {
            "+" => Rv::Int(a.checked_add(*b)?),
            "-" => Rv::Int(a.checked_sub(*b)?),
            "*" => Rv::Int(a.checked_mul(*b)?),
            "==" => Rv::Bool(a == b),
            "<" => Rv::Bool(a < b),
            ">" => Rv::Bool(a > b),
            "<=" => Rv::Bool(a <= b),
            ">=" => Rv::Bool(a >= b),
            _ => return None,
        }),
        (Rv::Hash(hash), key) if name == "[]" => hash.get(key),
        (Rv::Object(_), _) => None,
        (a, b) if name == "==" => Some(Rv::Bool(super::compare::equal(a, b))),
        _ => None,
    }
}
