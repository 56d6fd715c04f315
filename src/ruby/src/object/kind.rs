//! The class of a value, its superclasses, and the methods that it responds to.
//!
//! In: a value, a class or the name of a method. Out: the result, and the form of the value in messages.

use crate::Interp;
use crate::object::builtin_classes::is_builtin_class;
use crate::object::exception;
use crate::object::method_names;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::ruby;

impl Interp<'_> {
    /// An object in the form of the message of `NoMethodError`.
    pub(crate) fn display_object(&mut self, value: &Rv) -> String {
        match value {
            Rv::Nil => "nil:NilClass".to_owned(),
            Rv::True => "true:TrueClass".to_owned(),
            Rv::False => "false:FalseClass".to_owned(),
            Rv::Class(class) => {
                let kind = if self.is_module(*class) { "Module" } else { "Class" };
                format!("{}:{kind}", self.display_class(*class))
            }
            Rv::Puppet(value) => self.host.display_value(value).unwrap_or_else(|| ruby::plain_receiver(value)),
            other => {
                let class = self.class_name(other);
                match self.inspect(other) {
                    Ok(inspected) if inspected.starts_with("#<") => inspected,
                    Ok(inspected) => format!("{inspected}:{class}"),
                    Err(_) => format!("#<{class}>"),
                }
            }
        }
    }

    /// The class of a value; names of anonymous classes are ignored.
    pub fn class(&self, value: &Rv) -> &'static str {
        match value {
            Rv::Puppet(value) if let Some(class) = self.host.value_class(value) => class,
            other => other.class(),
        }
    }

    /// The name of a value's class.
    pub fn class_name(&self, value: &Rv) -> String {
        match value {
            Rv::Object(object) => self.display_class(object.class).as_str().to_owned(),
            Rv::Exception(exception) => self.display_class(exception.class).as_str().to_owned(),
            other => self.class(other).to_owned(),
        }
    }

    /// `value.is_a?(class)`
    pub(crate) fn is_a(&self, value: &Rv, class: Name) -> bool {
        let value_class = self.class(value);
        let key = (matches!(value, Rv::Int(_) | Rv::Big(_)), Name::new(value_class), class);
        self.tables.is_cached_subclass(key, || self.is_instance(value, value_class, class))
    }

    fn is_instance(&self, value: &Rv, value_class: &str, class: Name) -> bool {
        let class = class.as_str();
        if value_class == class
            || matches!(class, "Object" | "BasicObject" | "Kernel")
            || ruby::inherits_from(value_class, class)
        {
            return true;
        }
        if let (Rv::Int(_) | Rv::Big(_), "Fixnum" | "Bignum") = (value, class) {
            return true;
        }
        self.inherits_from(Name::new(value_class), class)
    }

    /// Whether a class or module is one of Ruby's or the host's own.
    pub(crate) fn is_builtin_class(&self, path: &str) -> bool {
        is_builtin_class(path) || (self.setup.is_class)(path) || (self.setup.superclass)(path).is_some()
    }

    /// The superclass of a class of exceptions of Ruby or the host.
    pub(crate) fn exception_superclass(&self, class: &str) -> Option<&'static str> {
        exception::superclass(class).or_else(|| (self.setup.superclass)(class))
    }

    /// Whether a class equals another or inherits from it.
    pub fn inherits_from(&self, class: Name, ancestor: &str) -> bool {
        let mut at = class;
        for _ in 0..50 {
            if ancestor == "Object" || at.as_str() == ancestor || ruby::inherits_from(at.as_str(), ancestor) {
                return true;
            }
            if self.tables.includes(at, ancestor) {
                return true;
            }
            at = match self
                .tables
                .parents
                .get(&at)
                .copied()
                .or_else(|| self.exception_superclass(at.as_str()).map(Name::new))
            {
                Some(parent) => parent,
                None => return false,
            };
        }
        false
    }

    /// `value.respond_to?(name)`
    pub fn responds_to(&mut self, value: &Rv, name: &str) -> bool {
        let method = Name::new(name);
        if self.tables.visibility(value, self.singleton_class(value), method).0
            != crate::object::visibility::Visibility::Public
        {
            return false;
        }
        if self.has_method(value, method) {
            return true;
        }
        if let Some(entry) = self.find_method(value, catwalk_base::name!("respond_to_missing?"))
            && let Ok(Rv::True) = self.invoke(
                &entry,
                catwalk_base::name!("respond_to_missing?"),
                value,
                &[Rv::sym(name), Rv::False],
                None,
            )
        {
            return true;
        }
        if let Rv::Object(object) = value
            && let Some(native) = object.native.borrow().clone()
        {
            return self.responds_to(&native, name);
        }
        if let Rv::Scope | Rv::Class(_) | Rv::Puppet(_) = value
            && self.host.responds_to(self.state, value, name)
        {
            return true;
        }
        if let Rv::Class(class) = value
            && self.has_class_method(*class, method)
        {
            return true;
        }
        if let Rv::Scope = value {
            return false;
        }
        self.is_method_of_ruby(value, name)
    }

    /// Whether Ruby's class of a value has a method. Puppet 8 has no PSON.
    pub(crate) fn is_method_of_ruby(&self, value: &Rv, name: &str) -> bool {
        (self.setup.dialect.has_pson || !name.starts_with("to_pson")) && method_names::is_ruby_method(value, name)
    }
}
