//! Method lookup: the tables by class, then `Enumerable`, then methods of all objects.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::core;
use crate::machine::class_methods;
use crate::machine::native_methods;
use crate::machine::registry;
use crate::machine::registry::MethodId;
use crate::object::Method;
use crate::object::definitions::MethodEntry;
use crate::object::exception;
use crate::object::method_names;
use crate::value::Exception;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::inline_cache::MethodCache;

/// The built-in method that a call reaches; looked up if the receiver's class differs from the last one.
#[inline]
pub(crate) fn cached_method(reached: &MethodCache, receiver: &Rv, name: Name) -> Option<&'static Method> {
    let class = class_number(receiver)?;
    if let Some(last) = reached.get()
        && last >> 16 == class
    {
        return MethodId::from_number(last as u16).method();
    }
    let own = registry::find(registry::class_of(receiver)?, name);
    // A byte string also has the methods of strings, before those of all objects.
    let of_object = || registry::find(&core::every_object::CLASS, name).filter(|_| !matches!(receiver, Rv::Bytes(_)));
    let id = own.or_else(of_object)?;
    reached.remember(class << 16 | u32::from(id.number()));
    id.method()
}

/// A number for each of Ruby's own classes whose values are all of one kind.
#[inline]
fn class_number(value: &Rv) -> Option<u32> {
    Some(match value {
        Rv::Nil => 1,
        Rv::True => 2,
        Rv::False => 3,
        Rv::Int(_) => 4,
        Rv::Float(_) => 5,
        Rv::Str(_) => 6,
        Rv::Bytes(_) => 7,
        Rv::Sym(_) => 8,
        Rv::Array(_) => 9,
        Rv::Hash(_) => 10,
        Rv::Set(_) => 11,
        Rv::Range(_) => 12,
        Rv::Regexp(_) => 13,
        Rv::Match(_) => 14,
        Rv::Enumerator(_) => 15,
        _ => return None,
    })
}

impl Interp<'_> {
    /// Calls a method.
    pub fn call_method(&mut self, receiver: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        self.step()?;
        // Built-in methods that call others recurse over deep values.
        self.check_stack()?;
        if self.has_program_methods(receiver) {
            return self.call_named(receiver, Name::new(name), args, block);
        }
        self.call_native(receiver, name, args, block)
    }

    /// As [`Interp::call_method`], for a name that is already interned.
    pub(crate) fn call_named(&mut self, receiver: &Rv, name: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        self.step()?;
        self.check_stack()?;
        if self.has_program_methods(receiver)
            && let Some(entry) = self.find_method(receiver, name)
        {
            return self.invoke(&entry, name, receiver, args, block);
        }
        self.call_native(receiver, name.as_str(), args, block)
    }

    /// Whether the program may have methods for an object.
    #[inline]
    pub(crate) fn has_program_methods(&self, receiver: &Rv) -> bool {
        matches!(receiver, Rv::Object(_) | Rv::Exception(_) | Rv::Class(_)) || self.tables.reopens_builtins
    }

    /// A call with a receiver at a position of the program, which caches the built-in method that it reached.
    pub(crate) fn call_at(
        &mut self,
        call: &Call,
        receiver: &Rv,
        args: &[Rv],
        block: Blk<'_>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        if self.has_program_methods(receiver) {
            return match self.tables.visibilities.is_empty() {
                true => self.call_cached(&call.site.reached, receiver, call.name, args, block),
                false => self.call_public(receiver, call.name.as_str(), args, block, Some(&f.this)),
            };
        }
        self.call_cached(&call.site.reached, receiver, call.name, args, block)
    }

    /// As [`Interp::call_named`], with a cache for the built-in method that was reached.
    pub(crate) fn call_cached(
        &mut self,
        reached: &MethodCache,
        receiver: &Rv,
        name: Name,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Rv> {
        self.step()?;
        if self.has_program_methods(receiver) {
            return match self.method_at(reached, receiver, name) {
                Some(entry) => self.invoke(&entry, name, receiver, args, block),
                None => self.call_native(receiver, name.as_str(), args, block),
            };
        }
        if let Rv::Proc(callable) = receiver
            && name == catwalk_base::name!("call")
        {
            return self.call_proc(callable, args);
        }
        if !self.tables.has_custom_keys
            && let Some(method) = cached_method(reached, receiver, name)
            && !args.iter().any(|arg| matches!(arg, Rv::Object(_)))
        {
            return self.call_builtin(method, receiver, args, block);
        }
        self.call_native(receiver, name.as_str(), args, block)
    }

    /// Calls a method that is not the program's.
    pub(crate) fn call_native(&mut self, receiver: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        if let Some(value) = self.try_native(receiver, name, args, block)? {
            return Ok(value);
        }
        if matches!(receiver, Rv::Object(_) | Rv::Class(_) | Rv::Exception(_))
            && name != "method_missing"
            && let Some(entry) = self.find_method(receiver, catwalk_base::name!("method_missing"))
        {
            return self.call_missing(&entry, receiver, name, args, block);
        }
        self.no_method(receiver, name)
    }

    /// Calls a built-in method; `None` if there is none of this name.
    pub(crate) fn try_native(&mut self, receiver: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        if self.tables.has_custom_keys && matches!(receiver, Rv::Array(_) | Rv::Hash(_) | Rv::Set(_) | Rv::Class(_)) {
            self.renew_keys(receiver)?;
            for arg in args {
                self.renew_keys(arg)?;
            }
        }
        if args.iter().any(|arg| matches!(arg, Rv::Object(object) if object.native.borrow().is_some()))
            && native_methods::takes_inner_value(receiver, name)
        {
            let args: Vec<Rv> = args.iter().map(Rv::inner_value).collect();
            return self.try_native(receiver, name, &args, block);
        }
        if let Some(class) = registry::class_of(receiver)
            && let Some(method) = registry::find(class, Name::new(name)).and_then(MethodId::method)
        {
            return self.call_builtin(method, receiver, args, block).map(Some);
        }
        let found = match receiver {
            Rv::Bytes(bytes) => core::bytes::call_text_method(self, bytes, name, args, block)?,
            Rv::Class(class) => {
                let result = class_methods::call(self, *class, name, args, block);
                exception::with_library_position(self, *class, name, result)?
            }
            Rv::Scope => self.host.call_scope(self.state, name, args, block)?,
            Rv::Exception(exception) => self.call_exception(receiver, exception, name, args)?,
            Rv::Object(_) => self.call_object(receiver, name, args, block)?,
            Rv::Puppet(value) => {
                let found = self.host.call_value(self.state, value, name, args, block)?;
                match self.builtin_method(&core::comparable::CLASS, Name::new(name)) {
                    Some(method) if found.is_none() && crate::value::is_ordered(value) => {
                        Some(self.call_builtin(method, receiver, args, block)?)
                    }
                    _ => found,
                }
            }
            // The methods of all others are in one table.
            _ => None,
        };
        if found.is_some() {
            return Ok(found);
        }
        self.call_every_object(receiver, name, args, block)
    }

    /// Calls a method that every object has.
    fn call_every_object(&mut self, receiver: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        match self.builtin_method(&core::every_object::CLASS, Name::new(name)) {
            Some(method) => self.call_builtin(method, receiver, args, block).map(Some),
            None => Ok(None),
        }
    }

    /// Calls a method of the exception's class or of one of its superclasses.
    fn call_exception(
        &mut self,
        receiver: &Rv,
        exception: &Rc<Exception>,
        name: &str,
        args: &[Rv],
    ) -> Raise<Option<Rv>> {
        for table in core::exception::CLASSES {
            if self.inherits_from(exception.class, table.name)
                && let Some(method) = self.builtin_method(table, Name::new(name))
            {
                return self.call_builtin(method, receiver, args, None).map(Some);
            }
        }
        self.host.call_exception(self.state, exception, name, args)
    }

    /// Calls a function of `Kernel`, or one that defines methods; `None` if there is none of this name.
    pub(crate) fn call_function(
        &mut self,
        name: Name,
        args: &[Rv],
        block: Blk<'_>,
        f: &Rc<Frame>,
    ) -> Raise<Option<Rv>> {
        let Some(function) = registry::find_function(name) else { return Ok(None) };
        if !function.arity.accepts(args.len()) {
            return self.wrong_argument_count(args.len(), &function.arity.display_count());
        }
        (function.body)(self, args, block, f).map(Some)
    }

    /// Calls a built-in method.
    ///
    /// # Errors
    ///
    /// `ArgumentError` for a wrong number of arguments; errors of the method.
    pub(crate) fn call_builtin(&mut self, method: &Method, receiver: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        if !method.arity.accepts(args.len()) {
            return self.wrong_argument_count(args.len(), &method.arity.display_count());
        }
        if method.iterates && block.is_none() {
            return Ok(core::enumerator::enumerator(receiver, method.name, args));
        }
        if method.changes_receiver && self.is_frozen(receiver) {
            return self.frozen_error(receiver);
        }
        if method.may_stop_early
            && let Some(value) = core::enumerator::call_streaming(self, receiver, method.name, args, block)?
        {
            return Ok(value);
        }
        let value = (method.body)(self, receiver, args, block)?;
        if method.changes_receiver {
            self.mark_changed(receiver);
        }
        Ok(value)
    }

    /// `method_missing(name, …)`
    pub(crate) fn call_missing(
        &mut self,
        entry: &Rc<MethodEntry>,
        this: &Rv,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Rv> {
        let mut all_args = vec![Rv::sym(name)];
        all_args.extend_from_slice(args);
        self.invoke(entry, catwalk_base::name!("method_missing"), this, &all_args, block)
    }

    /// Updates the cached keys of objects with their own `hash`: of an object, or of the items of an array.
    pub(crate) fn renew_keys(&mut self, value: &Rv) -> Raise<()> {
        let objects = match value {
            Rv::Object(object) => vec![object.clone()],
            Rv::Array(items) => items
                .borrow()
                .iter()
                .filter_map(|item| if let Rv::Object(o) = item { Some(o.clone()) } else { None })
                .collect(),
            _ => return Ok(()),
        };
        for object in objects {
            let this = Rv::Object(object.clone());
            if let Some(entry) = self.find_method(&this, catwalk_base::name!("hash")) {
                let key = self.invoke(&entry, catwalk_base::name!("hash"), &this, &[], None)?;
                *object.key.borrow_mut() = Some(key);
            }
        }
        Ok(())
    }

    /// A method of the instance's kind.
    fn call_object(&mut self, receiver: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        if let Some(value) = self.host.call_self(self.state, receiver, name, args, block)? {
            return Ok(Some(value));
        }
        match receiver {
            Rv::Object(object) => {
                if let Some(value) = self.call_library_object(receiver, object, name, args, block)? {
                    return Ok(Some(value));
                }
                native_methods::call(self, receiver, &object.clone(), name, args, block)
            }
            _ => Ok(None),
        }
    }

    /// Calls a method of an object of one of Ruby's or the host's classes.
    pub(crate) fn call_library_object(
        &mut self,
        receiver: &Rv,
        object: &Rc<Instance>,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        match registry::find_by_class_name(object.class, Name::new(name)) {
            Some(method) => self.call_builtin(method, receiver, args, block).map(Some),
            None => self.host.call_object(self.state, object, name, args),
        }
    }

    /// A call without receiver, or of `self`.
    pub fn call_self(&mut self, call: &Call, args: &[Rv], block: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
        let (this, method, bare) = (&f.this, call.name, call.bare);
        let name = method.as_str();
        if bare
            && (self.setup.may_be_variable)(name)
            && let Some(value) = self.host.bare_name(self.state, name, f)?
        {
            return Ok(value);
        }
        if let Some(entry) = self.method_at(&call.site.reached, this, method) {
            return self.invoke(&entry, method, this, args, block);
        }
        if let Some(value) = self.host.call_self(self.state, this, name, args, block)? {
            return Ok(value);
        }
        if let Some(value) = self.call_function(method, args, block, f)? {
            return Ok(value);
        }
        // A method that a file defines outside of classes is a method of every object.
        let object_class = catwalk_base::name!("Object");
        if let Some(body) = self.tables.methods.get(&(object_class, method)).cloned() {
            return self.invoke(&MethodEntry::new(object_class, body), method, this, args, block);
        }
        if matches!(this, Rv::Scope) && self.host.is_missing_in_scope(name) {
            let description = format!("{}:{}", self.host.scope_label(), Rv::Scope.class());
            return match bare {
                true => {
                    self.raise("NameError", format!("undefined local variable or method `{name}' for {description}"))
                }
                false => self.raise("NoMethodError", format!("undefined method `{name}' for {description}")),
            };
        }
        let Rv::Object(object) = this else { return self.call_native(this, name, args, block) };
        if let Some(value) = native_methods::call(self, this, &object.clone(), name, args, block)? {
            return Ok(value);
        }
        if let Some(value) = self.call_every_object(this, name, args, block)? {
            return Ok(value);
        }
        if let Some(entry) = self.find_method(this, catwalk_base::name!("method_missing")) {
            return self.call_missing(&entry, this, name, args, block);
        }
        if bare {
            let description = self.display_object(this);
            return self.raise("NameError", format!("undefined local variable or method `{name}' for {description}"));
        }
        self.no_method(this, name)
    }

    /// Whether a bare name is a method here.
    pub(crate) fn self_responds_to(&mut self, name: &str, f: &Rc<Frame>) -> bool {
        let this = f.this.clone();
        self.has_method(&this, Name::new(name))
            || self.host.has_self_method(name)
            || crate::core::kernel::is_function(name)
    }

    /// The error of a call that reaches no method.
    pub fn no_method<T>(&mut self, receiver: &Rv, name: &str) -> Raise<T> {
        // An unsupported method of Ruby must not be reported as a mistake of the program.
        if self.is_method_of_ruby(receiver, name) {
            let method = match receiver {
                Rv::Class(class) if crate::object::ruby_methods::has_own_class_method(class.as_str(), name) => {
                    format!("{class}.{name}")
                }
                _ => format!("{}#{name}", self.class_name(receiver)),
            };
            return self.unsupported(&format!("method {method}"));
        }
        // `Puppet::Error "text"`: a class is not callable.
        let names_constant = match receiver {
            Rv::Class(class) => self.is_builtin_class(&format!("{class}::{name}")),
            _ => false,
        };
        if let Rv::Class(class) = receiver
            && !names_constant
            && !crate::object::ruby_methods::has_class(class.as_str())
            && !self.host.is_known_missing(class.as_str(), name)
            && !self.tables.parents.contains_key(class)
            && !self.tables.constants.contains_key(class)
            && self.exception_superclass(class.as_str()).is_none()
        {
            return self.unsupported(&format!("method {class}.{name}"));
        }
        let description = self.display_object(receiver);
        if method_names::is_private_method(name) {
            return self.raise("NoMethodError", format!("private method `{name}' called for {description}"));
        }
        self.raise("NoMethodError", format!("undefined method `{name}' for {description}"))
    }
}
