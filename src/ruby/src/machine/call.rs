//! Calls as they are written: receiver, arguments, block.

use std::rc::Rc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::machine::dispatch::cached_method;
use crate::machine::method_cache::Target;
use crate::object::definitions::Method;
use crate::object::definitions::MethodEntry;
use crate::value::Callable;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_base::stack;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::inline_cache::MethodCache;
use catwalk_ruby_syntax::inline_cache::Shape;

/// The stack depth that an evaluated body is counted as.
const DEPTH_OF_BODY: u32 = 6;

/// Whether an argument is a splat.
fn is_splat(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Splat(_))
}

impl Interp<'_> {
    #[inline]
    pub(crate) fn eval_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        match call.shape() {
            Shape::Operator => self.eval_operator(call, line, f),
            Shape::ImplicitSelf => self.eval_self_call(call, line, f),
            Shape::Plain => self.eval_plain_call(call, line, f),
            Shape::OneArgument | Shape::General => self.eval_general_call(call, line, f),
        }
    }

    /// A call without receiver, splat and `&block`. The arguments of a method of the program are evaluated directly into its
    /// frame.
    #[inline(never)]
    fn eval_self_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        if let Some(entry) = self.method_of_self(call, f)
            && let Method::Def(def) = &entry.method
            && def.has_plain_params
            && def.params.len() == call.args.len()
        {
            return self.call_into(&entry, def, &f.this, call, line, f);
        }
        self.eval_with_block(call, None, line, f)
    }

    /// A call with a receiver, and without splat and `&block`.
    #[inline(never)]
    fn eval_plain_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let Some(node) = &call.receiver else { return self.eval_with_block(call, None, line, f) };
        let receiver = self.eval_quick(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        let on_self = matches!(node.kind, NodeKind::SelfRef);
        if let Rv::Object(_) = receiver {
            match self.find_target(&call.site.reached, &receiver, call.name) {
                Target::MethodEntry(entry) => match &entry.method {
                    Method::Def(def) if def.has_plain_params && def.params.len() == call.args.len() => {
                        return self.call_into(&entry, def, &receiver, call, line, f);
                    }
                    Method::Reader(variable) if call.args.is_empty() && call.block.is_none() => {
                        return self.ivar_of(&receiver, *variable);
                    }
                    _ => {}
                },
                Target::Object(method) if call.args.is_empty() && call.block.is_none() => {
                    self.step()?;
                    self.line = line;
                    return self.call_builtin(method, &receiver, &[], None);
                }
                Target::Object(_) | Target::Unknown => {}
            }
        } else if call.args.is_empty()
            && call.block.is_none()
            && let Some(method) = self.native_target(call, &receiver)
        {
            self.step()?;
            self.line = line;
            return self.call_builtin(method, &receiver, &[], None);
        }
        let result = self.eval_with_block(call, if on_self { None } else { Some(&receiver) }, line, f);
        receiver.discard();
        result
    }

    #[inline(never)]
    pub(crate) fn eval_general_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let Some(node) = &call.receiver else { return self.eval_with_block(call, None, line, f) };
        if let ([arg], Shape::OneArgument) = (call.args.as_slice(), call.shape()) {
            return self.eval_one_argument(call, node, arg, line, f);
        }
        let receiver = self.eval(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        let on_self = matches!(node.kind, NodeKind::SelfRef);
        self.eval_with_block(call, if on_self { None } else { Some(&receiver) }, line, f)
    }

    /// The method of one of Ruby's own classes that a call reaches, if the program cannot have redefined it.
    #[inline]
    pub(crate) fn native_target(&self, call: &Call, receiver: &Rv) -> Option<&'static crate::object::Method> {
        if self.has_program_methods(receiver) || self.tables.has_custom_keys || call.site.may_eval {
            return None;
        }
        cached_method(&call.site.reached, receiver, call.name)
    }

    /// Calls a method whose parameters are plain names, as many as the call has arguments.
    #[inline(always)]
    pub(crate) fn call_into(
        &mut self,
        entry: &Rc<MethodEntry>,
        def: &Def,
        this: &Rv,
        call: &Call,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let block = self.eval_call_block(call, f)?;
        let tag = block_tag(call, block.as_ref());
        let mut frame = self.enter_method(entry, this, block);
        if let Some(free_frame) = Rc::get_mut(&mut frame)
            && let Err(thrown) = self.eval_into(free_frame, &def.names, &call.args, f)
        {
            self.leave_method(frame);
            return Err(thrown);
        }
        self.set_position(call, line, f);
        let result = self.run_method(frame, entry, |rt, frame| rt.eval(&def.body, frame));
        self.catch_break(result, tag)
    }

    /// Evaluates the arguments of a call into a frame.
    #[inline(always)]
    fn eval_into(&mut self, frame: &mut Frame, names: &[Name], args: &[Node], f: &Rc<Frame>) -> Raise<()> {
        for (name, arg) in names.iter().zip(args) {
            let value = self.eval_quick(arg, f)?;
            frame.add(*name, value);
        }
        for name in names.iter().skip(args.len()) {
            frame.add(*name, Rv::Nil);
        }
        Ok(())
    }

    /// The method of the program that a call without receiver reaches.
    #[inline]
    fn method_of_self(&mut self, call: &Call, f: &Rc<Frame>) -> Option<Rc<MethodEntry>> {
        if call.bare && (self.setup.may_be_variable)(call.name.as_str()) {
            return None;
        }
        self.method_at(&call.site.reached, &f.this, call.name)
    }

    /// A call with any arguments and a block; without a receiver it is of `self`.
    fn eval_with_block(&mut self, call: &Call, receiver: Option<&Rv>, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let reach = |rt: &mut Self, args: &[Rv], block: Blk<'_>| match receiver {
            Some(receiver) => rt.call_at(call, receiver, args, block, f),
            None => rt.call_self(call, args, block, f),
        };
        if call.block_arg.is_some() {
            let args = self.eval_list(&call.args, f)?;
            let block = self.eval_call_block(call, f)?;
            self.set_position(call, line, f);
            return reach(self, &args, block.as_ref());
        }
        let block = self.eval_call_block(call, f)?;
        let tag = block_tag(call, block.as_ref());
        let result = self.with_values(&call.args, f, |rt, args| {
            rt.set_position(call, line, f);
            reach(rt, args, block.as_ref())
        });
        self.catch_break(result, tag)
    }

    /// Evaluates the items of a list and runs `run` with them; a few items are stored on the stack.
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
                let args = [self.eval_quick(a, f)?];
                run(self, &args)
            }
            [a, b] if !is_splat(a) && !is_splat(b) => {
                let args = [self.eval_quick(a, f)?, self.eval_quick(b, f)?];
                run(self, &args)
            }
            many => {
                let args = self.eval_list(many, f)?;
                run(self, &args)
            }
        }
    }

    /// Records the position of the call that is about to run.
    #[inline]
    pub(crate) fn set_position(&mut self, call: &Call, line: u32, f: &Rc<Frame>) {
        self.line = line;
        // Code in a string sees the local variables around the call.
        if call.site.may_eval {
            self.caller_frame = Some(f.clone());
        }
    }

    /// The block of a call.
    #[inline]
    pub(crate) fn eval_call_block(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<Option<Rc<Callable>>> {
        if call.block.is_none() && call.block_arg.is_none() {
            return Ok(None);
        }
        self.make_block(call, f)
    }

    #[inline(never)]
    fn make_block(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<Option<Rc<Callable>>> {
        if let Some(lambda) = &call.block {
            let tag = self.fresh_id();
            let strict = call.receiver.is_none() && call.name == catwalk_base::name!("lambda");
            let block = Callable::Block { lambda: lambda.clone(), frame: f.clone(), strict, tag };
            return Ok(Some(Rc::new(block)));
        }
        let Some(node) = &call.block_arg else { return Ok(None) };
        Ok(match self.eval(node, f)? {
            Rv::Nil => None,
            Rv::Proc(callable) => Some(callable),
            Rv::Sym(name) => Some(Rc::new(Callable::Symbol(Name::new(&name), MethodCache::default()))),
            other if let Rv::Proc(callable) = self.convert_to_block(&other)? => Some(callable),
            other => {
                let class = self.class_name(&other);
                return self.raise("TypeError", format!("wrong argument type {class} (expected Proc)"));
            }
        })
    }

    /// Converts an object to a block with its `to_proc`.
    fn convert_to_block(&mut self, value: &Rv) -> Raise<Rv> {
        if self.responds_to(value, "to_proc") { self.call_method(value, "to_proc", &[], None) } else { Ok(Rv::Nil) }
    }

    /// Evaluates a body that is not a block of a call: a default, a body of a class.
    pub fn eval_in(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.with_depth(DEPTH_OF_BODY, |rt| rt.with_position(|rt| rt.eval(node, f)))
    }

    /// Runs `body`, such as a call, if calls are not nested too deep.
    ///
    /// # Errors
    ///
    /// `SystemStackError`; those of `body`.
    #[inline(always)]
    pub(crate) fn with_depth(&mut self, by: u32, body: impl FnOnce(&mut Self) -> Raise<Rv>) -> Raise<Rv> {
        self.depth += by;
        let result =
            if self.depth > crate::MAX_DEPTH || stack::is_low() { self.raise_stack_error() } else { body(self) };
        self.depth -= by;
        result
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn raise_stack_error<T>(&mut self) -> Raise<T> {
        self.raise("SystemStackError", "stack level too deep")
    }

    /// Fails if the stack is nearly used up, by a recursion over a deep value.
    ///
    /// # Errors
    ///
    /// `SystemStackError`
    #[inline]
    pub(crate) fn check_stack(&mut self) -> Raise<()> {
        if stack::is_low() { self.raise_stack_error() } else { Ok(()) }
    }

    /// Runs `body`; a refused attempt of untrusted code is reported with its line of Ruby.
    pub fn with_position<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        // Files of Ruby's own library have names without a slash.
        catwalk_base::meter::with_location(self, body, |rt| {
            rt.file.contains('/').then(|| format!("{}:{}", rt.file, rt.line))
        })
    }

    /// The result of a call whose block may have ended it by `break`.
    #[inline]
    pub(crate) fn catch_break(&mut self, result: Raise<Rv>, tag: Option<u64>) -> Raise<Rv> {
        self.catch_flow(result, |flow| matches!(flow, Flow::Break(broken, _) if tag == Some(*broken)))
    }

    /// The value of a jump that ends here.
    #[inline]
    pub(crate) fn catch_flow(&mut self, result: Raise<Rv>, ends: impl FnOnce(&Flow) -> bool) -> Raise<Rv> {
        if result.is_err() && self.thrown().is_some_and(ends) {
            return match self.thrown.take() {
                Some(Flow::Return(_, value) | Flow::Break(_, value) | Flow::Next(value)) => Ok(value),
                _ => Ok(Rv::Nil),
            };
        }
        result
    }
}

/// The tag by which `break` identifies the block of a call.
#[inline]
pub(crate) fn block_tag(call: &Call, block: Option<&Rc<Callable>>) -> Option<u64> {
    match block.map(|block| &**block) {
        Some(Callable::Block { tag, .. }) if call.block.is_some() => Some(*tag),
        _ => None,
    }
}
