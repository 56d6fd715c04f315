//! Calls of methods of the program, and `super`.
//!
//! In: a method, its receiver, arguments and block. Out: its result. Must not: look up the method.

use std::rc::Rc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::MethodContext;
use crate::Raise;
use crate::object::definitions::Method;
use crate::object::definitions::MethodEntry;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Param;

/// The stack depth that a call of a method is counted as.
const DEPTH_OF_CALL: u32 = 6;

impl Interp<'_> {
    /// Calls a method of the program.
    pub fn invoke(&mut self, entry: &Rc<MethodEntry>, name: Name, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        match &entry.method {
            Method::Def(def) => self.call_def(entry, def, this, args, block),
            Method::Block(body) => {
                let id = self.fresh_id();
                let (name, owner) = (Some(name), Some(entry.owner));
                let method = MethodContext { id, block: block.cloned(), name, owner, entry: None };
                let body = self.rebind(body, this.clone(), None, true, Some(method));
                self.call_proc(&body, args)
            }
            Method::Native(old) => self.call_native(this, old.as_str(), args, block),
            Method::Reader(variable) => {
                if !args.is_empty() {
                    return self.wrong_argument_count(args.len(), "0");
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

    /// `super`: the next method of the name after the class of this one.
    pub(crate) fn eval_super(&mut self, call: &Call, has_arguments: bool, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let context = f.method().cloned();
        let Some(MethodContext { name: Some(name), owner: Some(owner), .. }) = context else {
            return self.raise("RuntimeError", "super called outside of method");
        };
        let args = match context.as_ref().and_then(MethodContext::def) {
            _ if has_arguments => self.eval_list(&call.args, f)?,
            Some(def) => self.super_arguments(&def.params, f)?,
            None => {
                let message = "implicit argument passing of super from method defined by define_method() is not supported. \
                            Specify all arguments explicitly.";
                return self.raise("RuntimeError", message);
            }
        };
        let block = self.eval_call_block(call, f)?;
        let tag = crate::machine::call::block_tag(call, block.as_ref());
        let block = block.or_else(|| context.and_then(|context| context.block));
        self.line = line;
        let this = f.this.clone();
        let result = match self.find_super_method(&this, name, owner) {
            Some(entry) => self.invoke(&entry, name, &this, &args, block.as_ref()),
            None => self.super_native(&this, name.as_str(), &args, block.as_ref()),
        };
        self.catch_break(result, tag)
    }

    /// The parameters of a method as the arguments of `super` without any.
    fn super_arguments(&mut self, params: &[Param], f: &Rc<Frame>) -> Raise<Vec<Rv>> {
        // A variable of a block does not hide a parameter.
        let f = f.outermost();
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

    /// The built-in method that `super` reaches if no further method of the program has the name.
    fn super_native(&mut self, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        match (this, name) {
            (Rv::Object(object), "initialize") => {
                let base = self.tables.native_base(object.class);
                self.set_inner_value(object, base, args, block)?;
                Ok(Rv::Nil)
            }
            (Rv::Exception(exception), "initialize") => {
                if let Some(message) = args.first() {
                    *exception.message.borrow_mut() = message.clone();
                }
                Ok(Rv::Nil)
            }
            (Rv::Object(object), "to_s" | "inspect") if object.native.borrow().is_none() => {
                Ok(Rv::str(format!("#<{}>", self.display_class(object.class))))
            }
            (_, "inherited" | "included" | "extended" | "prepended" | "method_added") => Ok(Rv::Nil),
            (_, "respond_to_missing?") => Ok(Rv::False),
            (_, "method_missing") => {
                let name = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
                self.no_method(this, &name)
            }
            _ => self.call_native(this, name, args, block),
        }
    }

    /// Calls a method that the program defined.
    fn call_def(&mut self, entry: &Rc<MethodEntry>, def: &Def, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let mut frame = self.enter_method(entry, this, block.cloned());
        let plain = def.has_plain_params && args.len() == def.params.len();
        if let Some(free_frame) = Rc::get_mut(&mut frame) {
            free_frame.fill(&def.names, if plain { args } else { &[] });
        }
        if plain {
            return self.run_method(frame, entry, |rt, frame| rt.eval(&def.body, frame));
        }
        self.run_method(frame, entry, |rt, frame| {
            rt.bind_params(&def.params, args, true, frame)?;
            rt.eval(&def.body, frame)
        })
    }

    /// Runs the body of a method in its frame.
    #[inline(always)]
    pub(crate) fn run_method(
        &mut self,
        frame: Rc<Frame>,
        entry: &MethodEntry,
        body: impl FnOnce(&mut Self, &Rc<Frame>) -> Raise<Rv>,
    ) -> Raise<Rv> {
        self.step()?;
        // `$~` belongs to the body of a method.
        let last_match = if self.last_match.is_nil() { Rv::Nil } else { self.last_match.take() };
        let result = match &entry.file {
            Some(file) if !Rc::ptr_eq(file, &self.file) => self.run_in_file(file, &frame, body),
            _ => self.with_depth(DEPTH_OF_CALL, |rt| body(rt, &frame)),
        };
        if !(self.last_match.is_nil() && last_match.is_nil()) {
            self.last_match = last_match;
        }
        let result = match result {
            Ok(value) => Ok(value),
            Err(thrown) => {
                let id = frame.method().map_or(0, |method| method.id);
                self.catch_flow(Err(thrown), |flow| matches!(flow, Flow::Return(target, _) if *target == id))
            }
        };
        self.leave_method(frame);
        result
    }

    /// Runs the body of a method whose file differs from the caller's.
    #[inline(never)]
    fn run_in_file(
        &mut self,
        file: &Rc<str>,
        frame: &Rc<Frame>,
        body: impl FnOnce(&mut Self, &Rc<Frame>) -> Raise<Rv>,
    ) -> Raise<Rv> {
        let called_at = self.line;
        let outer = std::mem::replace(&mut self.file, file.clone());
        let result = self.with_depth(DEPTH_OF_CALL, |rt| body(rt, frame));
        let library = std::mem::replace(&mut self.file, outer);
        // An error in a library of Ruby is reported at the position of the call.
        if result.is_err()
            && let Some(Flow::Raise(exception)) = self.thrown()
            && !library.starts_with('/')
            && *exception.file.borrow() == library
        {
            exception.raised_at(&self.file, called_at);
        }
        result
    }
}
