//! Calls as they are written: receiver, arguments, block.

use std::rc::Rc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::machine::definitions::Found;
use crate::machine::operators;
use crate::value::Callable;
use crate::value::LookupStr;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::inline_cache::MethodCache;
use catwalk_ruby_syntax::inline_cache::Operator;

/// How deep a body counts that is run for itself.
const DEPTH_OF_BODY: u32 = 6;

/// Whether an argument stands for several.
fn is_splat(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Splat(_))
}

impl Interp<'_, '_> {
    pub(crate) fn eval_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let Some(node) = &call.receiver else { return self.eval_self_call(call, line, f) };
        // One argument and no block: operators and indexes.
        if let ([arg], None, None) = (call.args.as_slice(), &call.block, &call.block_arg)
            && !is_splat(arg)
        {
            return self.eval_operator(call, node, arg, line, f);
        }
        let receiver = self.quick(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        let own = matches!(node.kind, NodeKind::SelfRef);
        let result = self.eval_with_block(call, if own { None } else { Some(&receiver) }, line, f);
        receiver.discard();
        result
    }

    /// A call without receiver. The arguments of a method of the program go right into its frame.
    fn eval_self_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        if call.block_arg.is_some() || call.args.iter().any(is_splat) {
            return self.eval_with_block(call, None, line, f);
        }
        let Some(found) = self.method_of_self(call, f) else { return self.eval_with_block(call, None, line, f) };
        if !found.def().is_some_and(|def| def.plain && def.params.len() == call.args.len()) {
            return self.eval_with_block(call, None, line, f);
        }
        let (block, tag) = self.given_block(call, f)?;
        let frame = self.enter_method(found, f.this.clone(), block);
        if let Err(flow) = self.eval_into(&frame, &call.args, f) {
            self.leave(frame);
            return Err(flow);
        }
        self.placed_call(call, line, f);
        let result = self.run_method(frame, |_, _, _| Ok(()));
        self.ended_by(result, tag)
    }

    /// Gives a method whose parameters are plain names the arguments of a call in another frame.
    #[inline]
    fn eval_into(&mut self, frame: &Frame, args: &[Node], f: &Rc<Frame>) -> Raise<()> {
        let names = frame.def().map(|def| def.names.as_slice()).unwrap_or_default();
        for (name, arg) in names.iter().zip(args) {
            let value = self.quick(arg, f)?;
            frame.push(*name, value);
        }
        frame.fill(names.get(args.len()..).unwrap_or_default(), &[]);
        Ok(())
    }

    /// The method of the program that a call without receiver reaches.
    #[inline]
    fn method_of_self(&mut self, call: &Call, f: &Rc<Frame>) -> Option<Rc<Found>> {
        if call.bare && crate::puppet::scope::is_wrapper_variable(call.name.as_str()) {
            return None;
        }
        self.method_at(&call.site.reached, &f.this, call.name)
    }

    /// The value of an operator whose sides are integers that are at hand.
    #[inline]
    fn at_hand(&self, operator: Operator, left: &Node, right: &Node, f: &Frame) -> Option<Rv> {
        if matches!(operator, Operator::Other | Operator::Index | Operator::Append) || self.tables.reopened {
            return None;
        }
        operators::of_integers(operator, int_at_hand(left, f)?, int_at_hand(right, f)?)
    }

    /// A call with any arguments and a block; without a receiver it is of `self`.
    fn eval_with_block(&mut self, call: &Call, receiver: Option<&Rv>, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let reach = |rt: &mut Self, args: &[Rv], block: Blk<'_>| match receiver {
            Some(receiver) => rt.call_at(call, receiver, args, block, f),
            None => rt.call_self(call, args, block, f),
        };
        if call.block_arg.is_some() {
            let args = self.eval_list(&call.args, f)?;
            let (block, _) = self.given_block(call, f)?;
            self.placed_call(call, line, f);
            return reach(self, &args, block.as_ref());
        }
        let (block, tag) = self.given_block(call, f)?;
        let result = self.with_values(&call.args, f, |rt, args| {
            rt.placed_call(call, line, f);
            reach(rt, args, block.as_ref())
        });
        self.ended_by(result, tag)
    }

    /// Evaluates the items of a list and runs `run` with them: a few stand on the stack.
    #[inline]
    pub(crate) fn with_values(
        &mut self,
        nodes: &[Node],
        f: &Rc<Frame>,
        run: impl FnOnce(&mut Self, &[Rv]) -> Raise<Rv>,
    ) -> Raise<Rv> {
        match nodes {
            [] => run(self, &[]),
            [a] if !is_splat(a) => {
                let args = [self.quick(a, f)?];
                run(self, &args)
            }
            [a, b] if !is_splat(a) && !is_splat(b) => {
                let args = [self.quick(a, f)?, self.quick(b, f)?];
                run(self, &args)
            }
            many => {
                let args = self.eval_list(many, f)?;
                run(self, &args)
            }
        }
    }

    /// Notes where the call stands that is about to run.
    #[inline]
    fn placed_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) {
        self.line = line;
        // Code given as a text sees the local variables around the call.
        if call.site.lends {
            self.around = Some(f.clone());
        }
    }

    /// `receiver operator argument`
    fn eval_operator(&mut self, call: &Call, node: &Node, arg: &Node, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let operator = call.site.operator;
        if let Some(value) = self.at_hand(operator, node, arg, f) {
            return Ok(value);
        }
        let receiver = self.quick(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        // A literal is only made where it is used as an object.
        if operator == Operator::Index
            && let (Rv::Hash(hash), NodeKind::Str(key)) = (&receiver, &arg.kind)
            && !self.tables.reopened
            && let Some(value) = hash.map.borrow().get(&LookupStr(key))
        {
            return Ok(value.clone());
        }
        let arg = self.quick(arg, f)?;
        self.line = line;
        if operator != Operator::Other
            && !self.tables.reopened
            && let Some(value) = operators::fast(operator, &receiver, &arg)
        {
            receiver.discard();
            arg.discard();
            return Ok(value);
        }
        self.call_operator(call, node, &receiver, arg, line, f)
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
        self.placed_call(call, line, f);
        let own = matches!(node.kind, NodeKind::SelfRef);
        if own && !receiver.truthy() && matches!(f.this, Rv::Object(_)) {
            return self.call_self(call, &[arg], None, f);
        }
        let result = match own {
            true => self.call_named(receiver, call.name, &[arg], None)?,
            false => self.call_at(call, receiver, &[arg], None, f)?,
        };
        // A string that got binary data (`value << digest`) is another object here: the variable must hold the new one.
        if call.site.operator == Operator::Append
            && matches!((receiver, &result), (Rv::Str(_), Rv::Bytes(_)))
            && matches!(node.kind, NodeKind::Local(_) | NodeKind::IVar(_))
        {
            return self.assign(node, result, f);
        }
        Ok(result)
    }

    /// The block of a call and the tag `break` names it by.
    #[inline]
    pub(crate) fn given_block(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<(Option<Rc<Callable>>, Option<u64>)> {
        if let Some(lambda) = &call.block {
            let tag = self.fresh_id();
            let strict = call.receiver.is_none() && call.name.as_str() == "lambda";
            let block = Callable::Block { lambda: lambda.clone(), frame: f.clone(), strict, tag };
            return Ok((Some(Rc::new(block)), Some(tag)));
        }
        let Some(node) = &call.block_arg else { return Ok((None, None)) };
        let block = match self.eval(node, f)? {
            Rv::Nil => None,
            Rv::Proc(callable) => Some(callable),
            Rv::Sym(name) => Some(Rc::new(Callable::Symbol(Name::new(&name), MethodCache::default()))),
            other if let Rv::Proc(callable) = self.converted_block(&other)? => Some(callable),
            other => {
                let class = self.class_name(&other);
                return self.raise("TypeError", format!("wrong argument type {class} (expected Proc)"));
            }
        };
        Ok((block, None))
    }

    /// What an object makes of itself to be a block (`to_proc`).
    fn converted_block(&mut self, value: &Rv) -> Raise<Rv> {
        if self.responds(value, "to_proc") { self.call_method(value, "to_proc", &[], None) } else { Ok(Rv::Nil) }
    }

    /// Evaluates a body that is no block of a call: a default, a body of a class.
    pub(crate) fn eval_in(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.deeper(DEPTH_OF_BODY, |rt| rt.placed(|rt| rt.eval(node, f)))
    }

    /// Runs `body`, which is a call or the like, if calls are not nested too deep.
    ///
    /// # Errors
    /// `SystemStackError`; those of `body`.
    #[inline]
    pub(crate) fn deeper(&mut self, by: u32, body: impl FnOnce(&mut Self) -> Raise<Rv>) -> Raise<Rv> {
        self.depth += by;
        let result = if self.depth > crate::MAX_DEPTH {
            self.raise("SystemStackError", "stack level too deep")
        } else {
            body(self)
        };
        self.depth -= by;
        result
    }

    /// Runs `body`; what it may not do as untrusted code is reported with the line of Ruby that tried it.
    pub(crate) fn placed<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        // Ruby's own library has names without a slash.
        catwalk_base::meter::placed(self, body, |rt| rt.file.contains('/').then(|| format!("{}:{}", rt.file, rt.line)))
    }

    /// What a call gives whose block may have ended it by `break`.
    #[inline]
    pub(crate) fn ended_by(&mut self, result: Raise<Rv>, tag: Option<u64>) -> Raise<Rv> {
        self.caught(result, |flow| matches!(flow, Flow::Break(broken, _) if tag == Some(*broken)))
    }

    /// The value of a jump that ends here.
    #[inline]
    pub(crate) fn caught(&mut self, result: Raise<Rv>, ends: impl FnOnce(&Flow) -> bool) -> Raise<Rv> {
        if result.is_err() && self.thrown().is_some_and(ends) {
            return match self.thrown.take() {
                Some(Flow::Return(_, value) | Flow::Break(_, value) | Flow::Next(value)) => Ok(value),
                _ => Ok(Rv::Nil),
            };
        }
        result
    }
}

/// An integer that is written or that a variable has.
#[inline(always)]
pub(crate) fn int_at_hand(node: &Node, f: &Frame) -> Option<i64> {
    match &node.kind {
        NodeKind::Int(n) => Some(*n),
        NodeKind::Local(local) => f.read_int(local),
        _ => None,
    }
}
