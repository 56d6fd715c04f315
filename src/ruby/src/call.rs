//! Calls: receiver, arguments, block; and calls of methods the program defined.

use std::rc::Rc;
use std::sync::Arc;

use super::Blk;
use super::Flow;
use super::Frame;
use super::Interp;
use super::MethodContext;
use super::Place;
use super::Raise;
use super::operators;
use super::tables::Found;
use super::tables::Method;
use super::value::Callable;
use super::value::Key;
use super::value::LookupStr;
use super::value::Map;
use super::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Param;
use catwalk_ruby_syntax::inline_cache::Operator;

impl Interp<'_, '_> {
    pub(crate) fn eval_call(&mut self, call: &Call, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let Some(node) = &call.receiver else { return self.eval_with_block(call, None, line, f) };
        let receiver = self.quick(node, f)?;
        if call.safe && receiver.is_nil() {
            return Ok(Rv::Nil);
        }
        let own = matches!(node.kind, NodeKind::SelfRef);
        // One argument and no block: operators and indexes.
        if let ([arg], None, None) = (call.args.as_slice(), &call.block, &call.block_arg)
            && !matches!(arg.kind, NodeKind::Splat(_))
        {
            return self.eval_operator(call, &receiver, own, arg, line, f);
        }
        let receiver = if own { None } else { Some(&receiver) };
        self.eval_with_block(call, receiver, line, f)
    }

    /// A call with any arguments and a block; without a receiver it is of `self`.
    fn eval_with_block(&mut self, call: &Call, receiver: Option<&Rv>, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let reach = |rt: &mut Self, args: &[Rv], block: Blk<'_>| match receiver {
            Some(receiver) => rt.call_at(call, receiver, args, block, f),
            None => rt.call_self(call.name, args, block, f, call.bare),
        };
        if call.block_arg.is_some() {
            let args = self.eval_list(&call.args, f)?;
            let (block, _) = self.given_block(call, f)?;
            self.placed_call(call, line, f);
            return reach(self, &args, block.as_ref());
        }
        let (block, tag) = self.given_block(call, f)?;
        let result = self.with_args(call, line, f, |rt, args| reach(rt, args, block.as_ref()));
        ended_by(result, tag)
    }

    /// Evaluates the arguments of a call and runs it: a few stand on the stack.
    #[inline]
    fn with_args(
        &mut self,
        call: &Call,
        line: u32,
        f: &Rc<Frame>,
        run: impl FnOnce(&mut Self, &[Rv]) -> Raise<Rv>,
    ) -> Raise<Rv> {
        let splat = |node: &Node| matches!(node.kind, NodeKind::Splat(_));
        match call.args.as_slice() {
            [] => {
                self.placed_call(call, line, f);
                run(self, &[])
            }
            [a] if !splat(a) => {
                let args = [self.quick(a, f)?];
                self.placed_call(call, line, f);
                run(self, &args)
            }
            [a, b] if !splat(a) && !splat(b) => {
                let args = [self.quick(a, f)?, self.quick(b, f)?];
                self.placed_call(call, line, f);
                run(self, &args)
            }
            many => {
                let args = self.eval_list(many, f)?;
                self.placed_call(call, line, f);
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
    fn eval_operator(
        &mut self,
        call: &Call,
        receiver: &Rv,
        own: bool,
        arg: &Node,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        // A literal is only made where it is used as an object.
        if call.site.operator == Operator::Index
            && let (Rv::Hash(hash), NodeKind::Str(key)) = (receiver, &arg.kind)
            && !self.tables.reopened
            && let Some(value) = hash.map.borrow().get(&LookupStr(key))
        {
            return Ok(value.clone());
        }
        let arg = self.quick(arg, f)?;
        self.line = line;
        if call.site.operator != Operator::Other
            && !self.tables.reopened
            && let Some(value) = operators::fast(call.site.operator, receiver, &arg)
        {
            return Ok(value);
        }
        self.placed_call(call, line, f);
        if own && !receiver.truthy() && matches!(f.this, Rv::Object(_)) {
            return self.call_self(call.name, &[arg], None, f, false);
        }
        let result = match own {
            true => self.call_named(receiver, call.name, &[arg], None)?,
            false => self.call_at(call, receiver, &[arg], None, f)?,
        };
        // A string that got binary data (`value << digest`) is another object here: the variable must hold the new one.
        if call.site.operator == Operator::Append
            && matches!((receiver, &result), (Rv::Str(_), Rv::Bytes(_)))
            && let Some(target) = &call.receiver
            && matches!(target.kind, NodeKind::Local(_) | NodeKind::IVar(_))
        {
            return self.assign(target, result, f);
        }
        Ok(result)
    }

    /// The block of a call and the tag `break` names it by.
    #[inline]
    fn given_block(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<(Option<Rc<Callable>>, Option<u64>)> {
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
            Rv::Sym(name) => Some(Rc::new(Callable::Symbol(name))),
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

    /// Calls a method that was found.
    pub(crate) fn call_found(
        &mut self,
        found: &Rc<Found>,
        name: Name,
        this: &Rv,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Rv> {
        match &found.method {
            Method::Def(def) => self.call_def(def, found, this, args, block),
            Method::Block(body) => {
                let id = self.fresh_id();
                let (name, owner) = (Some(name), Some(found.owner));
                let method = MethodContext { id, block: block.cloned(), name, owner, found: None };
                let body = self.rebound(body, this.clone(), None, true, Some(method));
                self.call_proc(&body, args)
            }
            Method::Native(old) => self.call_native(this, old.as_str(), args, block),
            Method::Reader(variable) => {
                if !args.is_empty() {
                    return self.wrong_count(args.len(), "0");
                }
                self.ivar_of(this, *variable)
            }
            Method::Writer(variable) => {
                let value = args.first().cloned().unwrap_or(Rv::Nil);
                self.set_ivar_of(this, *variable, value.clone())?;
                Ok(value)
            }
        }
    }

    /// `super`: the next method of the name behind the class of this one.
    pub(crate) fn eval_super(&mut self, call: &Call, given: bool, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let context = f.method().cloned();
        let Some(MethodContext { name: Some(name), owner: Some(owner), .. }) = context else {
            return self.raise("RuntimeError", "super called outside of method");
        };
        let args = match context.as_ref().and_then(MethodContext::def) {
            _ if given => self.eval_list(&call.args, f)?,
            Some(def) => self.handed_on(&def.params, f)?,
            None => {
                let text = "implicit argument passing of super from method defined by define_method() is not supported. \
                            Specify all arguments explicitly.";
                return self.raise("RuntimeError", text);
            }
        };
        let (block, tag) = self.given_block(call, f)?;
        let block = block.or_else(|| context.and_then(|context| context.block));
        self.line = line;
        let this = f.this.clone();
        let result = match self.find_next(&this, name, owner) {
            Some(found) => self.call_found(&found, name, &this, &args, block.as_ref()),
            None => self.super_native(&this, name.as_str(), &args, block.as_ref()),
        };
        ended_by(result, tag)
    }

    /// The parameters of a method as arguments, for `super` without any.
    fn handed_on(&mut self, params: &[Param], f: &Rc<Frame>) -> Raise<Vec<Rv>> {
        let mut args = Vec::new();
        let mut named = Map::default();
        for param in params {
            match param {
                Param::Required(name) | Param::Optional(name, _) => args.push(f.get(*name).unwrap_or(Rv::Nil)),
                Param::Rest(Some(name)) => args.extend(self.splat(&f.get(*name).unwrap_or(Rv::Nil))?),
                Param::Keyword(name, _) => {
                    named.insert(Key(Rv::sym(name.as_str())), f.get(*name).unwrap_or(Rv::Nil));
                }
                Param::KeywordRest(Some(name)) => {
                    if let Some(Rv::Hash(rest)) = f.get(*name) {
                        named.extend(rest.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                }
                Param::Rest(None) | Param::Pattern(_) | Param::KeywordRest(None) => {
                    return self.unsupported("super without arguments behind such parameters");
                }
                Param::Block(_) => {}
            }
        }
        if !named.is_empty() {
            args.push(Rv::hash(named));
        }
        Ok(args)
    }

    /// What `super` reaches where the program has no further method.
    fn super_native(&mut self, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        match (this, name) {
            (Rv::Object(object), "initialize") => {
                let base = self.tables.native_base(object.class);
                self.make_native(object, base, args, block)?;
                Ok(Rv::Nil)
            }
            (Rv::Exception(exception), "initialize") => {
                if let Some(message) = args.first() {
                    *exception.message.borrow_mut() = message.clone();
                }
                Ok(Rv::Nil)
            }
            (Rv::Object(object), "to_s" | "inspect") if object.native.borrow().is_none() => {
                Ok(Rv::str(format!("#<{}>", self.shown_class(object.class))))
            }
            (_, "inherited" | "included" | "extended" | "prepended" | "method_added") => Ok(Rv::Nil),
            (_, "respond_to_missing?") => Ok(Rv::Bool(false)),
            (_, "method_missing") => {
                let wanted = args.first().and_then(Rv::text).unwrap_or_default();
                self.no_method(this, &wanted)
            }
            _ => self.call_native(this, name, args, block),
        }
    }

    /// Calls a method the program defined.
    fn call_def(&mut self, def: &Arc<Def>, found: &Rc<Found>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        self.step()?;
        let id = self.fresh_id();
        let (name, owner) = (Some(def.name), Some(found.owner));
        let method = MethodContext { id, block: block.cloned(), name, owner, found: Some(found.clone()) };
        let (method, class) = (Some(method), Some(found.home));
        let frame = self.enter(Place { outer: None, this: this.clone(), method, tag: 0, class });
        self.depth += 8;
        let called_at = self.line;
        let outer = def.file.as_ref().map(|file| std::mem::replace(&mut self.file, Rc::from(&**file)));
        // `$~` belongs to the body of a method.
        let last_match = std::mem::replace(&mut self.last_match, Rv::Nil);
        let result = if self.depth > super::MAX_DEPTH {
            self.raise("SystemStackError", "stack level too deep")
        } else if def.plain && args.len() == def.params.len() {
            frame.fill(&def.names, args);
            self.eval(&def.body, &frame)
        } else {
            frame.fill(&def.names, &[]);
            self.bind_params(&def.params, args, true, &frame).and_then(|()| self.eval(&def.body, &frame))
        };
        self.leave(frame);
        self.depth -= 8;
        self.last_match = last_match;
        if let Some(outer) = outer {
            let library = std::mem::replace(&mut self.file, outer);
            // What a library of Ruby's raises comes from where it was called.
            if let Err(flow) = &result
                && let Flow::Raise(exception) = &**flow
                && !library.starts_with('/')
                && *exception.file.borrow() == library
            {
                exception.raised_at(&self.file, called_at);
            }
        }
        caught(result, |flow| matches!(flow, Flow::Return(target, _) if *target == id))
    }

    /// Evaluates a body that is no block of a call: a default, a body of a class.
    pub(crate) fn eval_in(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.placed(|rt| rt.eval(node, f))
    }

    /// Runs `body`; what it may not do as untrusted code is reported with the line of Ruby that tried it.
    pub(crate) fn placed<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        // Ruby's own library has names without a slash.
        catwalk_base::meter::placed(self, body, |rt| rt.file.contains('/').then(|| format!("{}:{}", rt.file, rt.line)))
    }
}

/// What a call gives whose block may have ended it by `break`.
#[inline]
fn ended_by(result: Raise<Rv>, tag: Option<u64>) -> Raise<Rv> {
    caught(result, |flow| matches!(flow, Flow::Break(broken, _) if tag == Some(*broken)))
}

/// The value of a jump that ends here.
#[inline]
pub(super) fn caught(result: Raise<Rv>, ends: impl FnOnce(&Flow) -> bool) -> Raise<Rv> {
    match result {
        Err(flow) if ends(&flow) => match *flow {
            Flow::Return(_, value) | Flow::Break(_, value) | Flow::Next(value) => Ok(value),
            flow => Err(Box::new(flow)),
        },
        result => result,
    }
}
