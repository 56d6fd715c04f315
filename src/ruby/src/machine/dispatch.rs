//! Method lookup: the tables by class, then `Enumerable`, then methods of all objects.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::core;
use crate::core::ipaddr;
use crate::core::number;
use crate::core::object;
use crate::core::string_helpers;
use crate::core::time;
use crate::machine::class_methods;
use crate::machine::registry::MethodId;
use crate::object::Method;
use crate::object::definitions::MethodEntry;
use crate::object::exception;
use crate::object::method_names;
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
    let id = crate::machine::registry::find(crate::machine::registry::class_of(receiver)?, name)?;
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
            && crate::machine::native_methods::takes_inner_value(receiver, name)
        {
            let args: Vec<Rv> = args.iter().map(Rv::inner_value).collect();
            return self.try_native(receiver, name, &args, block);
        }
        if let Some(class) = crate::machine::registry::class_of(receiver)
            && let Some(method) = crate::machine::registry::find(class, Name::new(name)).and_then(MethodId::method)
        {
            return self.call_builtin(method, receiver, args, block).map(Some);
        }
        let found = match receiver {
            Rv::Int(_) | Rv::Big(_) | Rv::Float(_) => number::call(self, receiver, name, args, block)?,
            Rv::Bytes(bytes) => core::bytes::call_text_method(self, bytes, name, args, block)?,
            Rv::Time(t) => time::call(self, t, name, args)?,
            Rv::Ip(ip) => ipaddr::call(self, ip, name, args)?,
            Rv::Version(v) => string_helpers::call_version(self, v, name, args)?,
            Rv::Class(class) => {
                let result = class_methods::call(self, *class, name, args, block);
                exception::with_library_position(self, *class, name, result)?
            }
            Rv::Scope => self.host.call_scope(self.state, name, args, block)?,
            Rv::Proc(callable) => object::call_proc(self, callable, name, args)?,
            Rv::Exception(e) => object::call_exception(self, e, name)?,
            Rv::Object(_) => self.call_object(receiver, name, args, block)?,
            Rv::Puppet(value) => self.host.call_value(self.state, value, name, args, block)?,
            Rv::Nil => object::call_nil(self, name, args)?,
            Rv::True => object::call_bool(true, name, args),
            Rv::False => object::call_bool(false, name, args),
            // The methods of these classes are tables.
            Rv::Str(_)
            | Rv::Sym(_)
            | Rv::Regexp(_)
            | Rv::Match(_)
            | Rv::Array(_)
            | Rv::Hash(_)
            | Rv::Range(_)
            | Rv::Set(_)
            | Rv::Enumerator(_) => None,
        };
        if found.is_some() {
            return Ok(found);
        }
        object::call(self, receiver, name, args, block)
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
            Rv::Object(object) if object.class.as_str().starts_with(crate::library::open_file::FILE) => {
                crate::library::files::call(self, &object.clone(), name, args, block)
            }
            Rv::Object(object) => {
                if let Some(value) = self.call_library_object(object, name, args)? {
                    return Ok(Some(value));
                }
                crate::machine::native_methods::call(self, receiver, &object.clone(), name, args, block)
            }
            _ => Ok(None),
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
        if let Some(value) = self.kernel(name, args, block, f)? {
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
        if let Some(value) = crate::machine::native_methods::call(self, this, &object.clone(), name, args, block)? {
            return Ok(value);
        }
        if let Some(value) = object::call(self, this, name, args, block)? {
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
            || crate::core::kernel::METHODS.contains(&name)
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
            Rv::Class(class) => crate::object::builtin_classes::is_builtin_class(&format!("{class}::{name}")),
            _ => false,
        };
        if let Rv::Class(class) = receiver
            && !names_constant
            && !crate::object::ruby_methods::has_class(class.as_str())
            && !self.host.is_known_missing(class.as_str(), name)
            && !self.tables.parents.contains_key(class)
            && !self.tables.constants.contains_key(class)
            && exception::superclass(class.as_str()).is_none()
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
