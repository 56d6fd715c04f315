//! Methods that define methods and classes while the program runs, or run code with another `self`.
//!
//! In: an object or class, a block or source. Out: the result of the code, or the name of the method. Must not: look up methods.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::object::definitions::Method;
use crate::object::definitions::singleton_name;
use crate::value::Rv;
use catwalk_base::names::Name;

impl Interp<'_> {
    /// `instance_eval`, or with `passes_arguments` `instance_exec`: definitions become singleton methods.
    pub(crate) fn evaluate_in_object(
        &mut self,
        this: &Rv,
        args: &[Rv],
        block: Blk<'_>,
        passes_arguments: bool,
    ) -> Raise<Rv> {
        let class = self.ensure_singleton_class(this);
        self.evaluate_in(this, class, args, block, passes_arguments)
    }

    /// `class_eval`, or with `passes_arguments` `class_exec`: definitions become methods of the class.
    pub(crate) fn evaluate_in_class(
        &mut self,
        this: &Rv,
        args: &[Rv],
        block: Blk<'_>,
        passes_arguments: bool,
    ) -> Raise<Rv> {
        let class = if let Rv::Class(class) = this { Some(*class) } else { None };
        self.evaluate_in(this, class, args, block, passes_arguments)
    }

    fn evaluate_in(
        &mut self,
        this: &Rv,
        class: Option<Name>,
        args: &[Rv],
        block: Blk<'_>,
        passes_arguments: bool,
    ) -> Raise<Rv> {
        let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
        match (block, string(0)) {
            (Some(block), _) => {
                let body = self.rebind(block, this.clone(), class, false, None);
                let block_args = if passes_arguments { args.to_vec() } else { vec![this.clone()] };
                self.yield_values(&body, &block_args)
            }
            (None, Some(source)) => {
                let outer = self.caller_frame.take();
                let method = Some(crate::MethodContext::outside_method(self.fresh_id()));
                let frame = Frame::new(crate::FrameParts { outer, this: this.clone(), method, tag: 0, class });
                self.eval_string(&source, string(1), &frame)
            }
            _ => self.raise("ArgumentError", "wrong number of arguments (given 0, expected 1..3)"),
        }
    }

    /// The singleton class of an object that can have one.
    pub(crate) fn expect_singleton_class(&mut self, this: &Rv) -> Raise<Name> {
        match self.ensure_singleton_class(this) {
            Some(class) => Ok(class),
            None => self.raise("TypeError", "can't define singleton"),
        }
    }

    /// `define_singleton_method(name) { … }`
    pub(crate) fn define_singleton_method(&mut self, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let class = self.expect_singleton_class(this)?;
        self.define_from_block(class, args, block)
    }

    /// `singleton_methods`
    pub(crate) fn singleton_methods(&self, this: &Rv) -> Rv {
        let singleton = match this {
            Rv::Class(class) => Some(singleton_name(*class)),
            other => self.singleton_class(other),
        };
        let methods = self.tables.methods.keys().filter(|(owner, _)| Some(*owner) == singleton);
        let mut names: Vec<&str> = methods.map(|(_, name)| name.as_str()).collect();
        names.sort_unstable();
        Rv::array(names.into_iter().map(Rv::sym).collect())
    }

    /// `extend(module, …)`
    pub(crate) fn extend_object(&mut self, this: &Rv, modules: &[Rv]) -> Raise<Rv> {
        if let Some(other) = modules.iter().find(|module| !matches!(module, Rv::Class(_))) {
            let class = self.class_name(other);
            return self.raise("TypeError", format!("wrong argument type {class} (expected Module)"));
        }
        // Built-in values have no singleton methods here, but the module may redefine their methods.
        if let Some(class) = self.ensure_singleton_class(this) {
            self.mix_in(class, "include", modules);
        }
        for module in modules {
            if self.has_method(module, catwalk_base::name!("extended")) {
                self.call_method(module, "extended", std::slice::from_ref(this), None)?;
            }
        }
        Ok(this.clone())
    }

    /// `define_method(name) { … }`
    pub(crate) fn define_from_block(&mut self, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let name = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
        let body = match (args.get(1), block) {
            (Some(Rv::Proc(body)), _) => body.clone(),
            (_, Some(body)) => body.clone(),
            _ => return self.raise("ArgumentError", "tried to create Proc object without a block"),
        };
        self.add_method(class, Name::new(&name), Method::Block(body));
        Ok(Rv::sym(&name))
    }

    /// `Class.new(Parent) { … }`, `Module.new { … }`
    pub(crate) fn new_class(&mut self, parent: Option<Name>, block: Blk<'_>) -> Raise<Rv> {
        let class = self.new_anonymous_class(parent.unwrap_or_else(|| Name::new("Object")));
        let this = Rv::Class(class);
        if let Some(parent) = parent {
            self.call_inherited(parent, class)?;
        }
        if let Some(block) = block {
            let body = self.rebind(block, this.clone(), Some(class), false, None);
            self.yield_values(&body, std::slice::from_ref(&this))?;
        }
        Ok(this)
    }

    /// Calls the hook `inherited` of a superclass.
    pub(crate) fn call_inherited(&mut self, parent: Name, class: Name) -> Raise<()> {
        let parent = Rv::Class(parent);
        if self.has_method(&parent, catwalk_base::name!("inherited")) {
            self.call_method(&parent, "inherited", &[Rv::Class(class)], None)?;
        }
        Ok(())
    }

    /// A frame for the body of a class, or for code about an object.
    pub(crate) fn class_frame(&mut self, this: Rv, class: Option<Name>) -> Rc<Frame> {
        let method = Some(crate::MethodContext::outside_method(self.fresh_id()));
        Frame::new(crate::FrameParts { outer: None, this, method, tag: 0, class })
    }

    /// Runs code in a string.
    pub(crate) fn eval_string(&mut self, source: &str, file: Option<String>, frame: &Rc<Frame>) -> Raise<Rv> {
        self.check_size(source.len())?;
        let node = match catwalk_ruby_syntax::parser::parse_inside(source, false, &frame.names()) {
            Ok(node) => node,
            Err(error) if error.is_unsupported => return self.unsupported(&error.message),
            Err(error) => return self.raise("SyntaxError", format!("(eval):{}: {}", error.line, error.message)),
        };
        let file: Rc<str> = Rc::from(file.unwrap_or_else(|| "(eval)".to_owned()));
        let outer = (std::mem::replace(&mut self.file, file), self.line);
        let result = self.eval_in(&node, frame);
        (self.file, self.line) = outer;
        result
    }
}
