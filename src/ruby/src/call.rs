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
use super::tables::Found;
use super::tables::Method;
use super::value::Callable;
use super::value::Key;
use super::value::Map;
use super::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Param;

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
            self.lend_locals(name, f);
            if !self.tables.reopened
                && let Some(value) = fast(receiver, name, &arg)
            {
                return Ok(value);
            }
            if receiver.truthy()
                || !matches!(f.this, Rv::Object(_))
                || call.receiver.as_ref().is_none_or(|r| r.kind != NodeKind::SelfRef)
            {
                let own = call.receiver.as_ref().is_some_and(|r| r.kind == NodeKind::SelfRef);
                let result = if own {
                    self.call_method(receiver, name, &[arg], None)?
                } else {
                    self.call_public(receiver, name, &[arg], None, Some(&f.this))?
                };
                // A text that became bytes (`value << digest`) is another object here.
                if name == "<<"
                    && matches!((receiver, &result), (Rv::Str(_), Rv::Bytes(_)))
                    && let Some(target) = &call.receiver
                    && matches!(target.kind, NodeKind::Local(_) | NodeKind::IVar(_))
                {
                    return self.assign(target, result, f);
                }
                return Ok(result);
            }
            return self.call_self(name, &[arg], None, f, false);
        }
        let args = self.eval_list(&call.args, f)?;
        let (block, tag) = self.given_block(call, f)?;
        self.line = line;
        self.lend_locals(name, f);
        let result = match &receiver {
            Some((receiver, false)) => self.call_public(receiver, name, &args, block.as_ref(), Some(&f.this)),
            _ => self.call_self(name, &args, block.as_ref(), f, call.bare),
        };
        match result.map_err(|flow| *flow) {
            Err(Flow::Break(broken, value)) if tag == Some(broken) => Ok(value),
            Err(flow) => Err(Box::new(flow)),
            Ok(value) => Ok(value),
        }
    }

    /// Code given as a text sees the local variables around the call.
    fn lend_locals(&mut self, name: &str, f: &Rc<Frame>) {
        if matches!(name, "instance_eval" | "class_eval" | "module_eval") {
            self.around = Some(f.env.clone());
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

    /// Calls a method that was found.
    pub(crate) fn call_found(
        &mut self,
        found: &Found,
        name: Name,
        this: &Rv,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Rv> {
        match &found.method {
            Method::Def(def) => self.call_def(def, found.owner, this, args, block),
            Method::Block(body) => {
                let id = self.fresh_id();
                let (name, owner) = (Some(name), Some(found.owner));
                let method = Rc::new(MethodContext { id, block: block.cloned(), name, owner, def: None });
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
        let context = f.method.clone();
        let (Some(name), Some(owner)) = (context.name, context.owner) else {
            return self.raise("RuntimeError", "super called outside of method");
        };
        let args = match &context.def {
            _ if given => self.eval_list(&call.args, f)?,
            Some(def) => self.handed_on(&def.params, f)?,
            None => {
                let text = "implicit argument passing of super from method defined by define_method() is not supported. \
                            Specify all arguments explicitly.";
                return self.raise("RuntimeError", text);
            }
        };
        let (block, tag) = self.given_block(call, f)?;
        let block = block.or_else(|| context.block.clone());
        self.line = line;
        let this = f.this.clone();
        let result = match self.find_next(&this, name, owner) {
            Some(found) => self.call_found(&found, name, &this, &args, block.as_ref()),
            None => self.super_native(&this, name.as_str(), &args, block.as_ref()),
        };
        match result.map_err(|flow| *flow) {
            Err(Flow::Break(broken, value)) if tag == Some(broken) => Ok(value),
            Err(flow) => Err(Box::new(flow)),
            Ok(value) => Ok(value),
        }
    }

    /// The parameters of a method as arguments, for `super` without any.
    fn handed_on(&mut self, params: &[Param], f: &Rc<Frame>) -> Raise<Vec<Rv>> {
        let mut args = Vec::new();
        let mut named = Map::default();
        for param in params {
            match param {
                Param::Required(name) | Param::Optional(name, _) => args.push(f.env.get(*name).unwrap_or(Rv::Nil)),
                Param::Rest(Some(name)) => args.extend(self.splat(&f.env.get(*name).unwrap_or(Rv::Nil))?),
                Param::Keyword(name, _) => {
                    named.insert(Key(Rv::sym(name.as_str())), f.env.get(*name).unwrap_or(Rv::Nil));
                }
                Param::KeywordRest(Some(name)) => {
                    if let Some(Rv::Hash(rest)) = f.env.get(*name) {
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
    fn call_def(&mut self, def: &Arc<Def>, owner: Name, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let id = self.fresh_id();
        // Constants are looked for in the class the method belongs to.
        let class = Some(Name::new(owner.as_str().trim_end_matches('.')));
        let method = MethodContext {
            id,
            block: block.cloned(),
            name: Some(def.name),
            owner: Some(owner),
            def: Some(def.clone()),
        };
        let frame = Frame::new(Env::new(None), this.clone(), Rc::new(method), 0, class);
        self.depth += 8;
        let called_at = self.line;
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
        match result.map_err(|flow| *flow) {
            Err(Flow::Return(target, value)) if target == id => Ok(value),
            Err(flow) => Err(Box::new(flow)),
            Ok(value) => Ok(value),
        }
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
        (Rv::Hash(hash), key) if name == "[]" && !matches!(key, Rv::Object(_)) => hash.get(key),
        (Rv::Object(_), _) | (_, Rv::Object(_)) => None,
        (a, b) if name == "==" => Some(Rv::Bool(super::compare::equal(a, b))),
        _ => None,
    }
}
