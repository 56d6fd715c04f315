//! Variables that are not local: of objects, of classes, global ones.
//!
//! In: an object and a name. Out: the value, or the changed variable. Must not: call functions.

use std::rc::Rc;

use indexmap::IndexMap;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::inline_cache::Local;

impl Interp<'_> {
    /// An instance variable of an object.
    pub(crate) fn find_object_ivar(&mut self, object: &Rc<Instance>, name: Name) -> Raise<Option<Rv>> {
        if let Some(value) = object.ivars.borrow().get(&name) {
            return Ok(Some(value.clone()));
        }
        let found = self.host.instance_variable(self.state, object.class, name)?;
        if let Some(value) = &found {
            object.ivars.borrow_mut().insert(name, value.clone());
        }
        Ok(found)
    }

    /// `@name`
    #[inline(never)]
    pub(crate) fn ivar(&mut self, variable: &Local, f: &Rc<Frame>) -> Raise<Rv> {
        if let Rv::Object(object) = &f.this
            && let (_, at) = variable.position()
            && let Some((name, value)) = object.ivars.borrow().get_index(at)
            && *name == variable.name
        {
            return Ok(value.clone());
        }
        self.find_ivar(variable, f)
    }

    /// `@name` of an object that does not have it at the cached position.
    #[inline(never)]
    fn find_ivar(&mut self, variable: &Local, f: &Rc<Frame>) -> Raise<Rv> {
        let value = self.ivar_of(&f.this, variable.name)?;
        remember(variable, &f.this);
        Ok(value)
    }

    /// `@name = value`
    ///
    /// # Errors
    /// `FrozenError` when the object is frozen.
    pub(crate) fn set_ivar(&mut self, variable: &Local, value: Rv, f: &Rc<Frame>) -> Raise<()> {
        if let Rv::Object(object) = &f.this
            && self.state_ref().flags.is_empty()
            && let (_, at) = variable.position()
            && let Some((name, old)) = object.ivars.borrow_mut().get_index_mut(at)
            && *name == variable.name
        {
            let old = std::mem::replace(old, value);
            old.discard();
            return Ok(());
        }
        self.set_ivar_of(&f.this, variable.name, value)?;
        remember(variable, &f.this);
        Ok(())
    }

    /// `@name` of an object, a class or an exception.
    pub(crate) fn ivar_of(&mut self, this: &Rv, name: Name) -> Raise<Rv> {
        match this {
            Rv::Object(object) => Ok(self.find_object_ivar(object, name)?.unwrap_or(Rv::Nil)),
            Rv::Class(class) => Ok(self.tables.class_vars.get(&(*class, ivar_key(name))).cloned().unwrap_or(Rv::Nil)),
            Rv::Exception(exception) => Ok(exception.ivars.borrow().get(&name).cloned().unwrap_or(Rv::Nil)),
            Rv::Ip(address) if let Some(value) = crate::core::ipaddr::variable(address, name.as_str()) => Ok(value),
            Rv::Scope if let Some(value) = self.host.scope_variable(self.state, name) => Ok(value),
            _ => Ok(self.globals.get(&ivar_key(name)).cloned().unwrap_or(Rv::Nil)),
        }
    }

    /// Whether `@name` is set.
    pub(crate) fn ivar_defined(&mut self, this: &Rv, name: Name) -> Raise<bool> {
        match this {
            Rv::Object(object) => Ok(self.find_object_ivar(object, name)?.is_some()),
            Rv::Class(class) => Ok(self.tables.class_vars.contains_key(&(*class, ivar_key(name)))),
            Rv::Exception(exception) => Ok(exception.ivars.borrow().contains_key(&name)),
            Rv::Ip(address) if crate::core::ipaddr::variable(address, name.as_str()).is_some() => Ok(true),
            _ => Ok(self.globals.contains_key(&ivar_key(name))),
        }
    }

    /// `@name = value`
    ///
    /// # Errors
    /// `FrozenError` when the object is frozen.
    pub(crate) fn set_ivar_of(&mut self, this: &Rv, name: Name, value: Rv) -> Raise<()> {
        if matches!(this, Rv::Object(_) | Rv::Exception(_)) && self.state().flags.is_frozen(this) {
            return self.frozen_error(this);
        }
        match this {
            Rv::Object(object) => {
                object.ivars.borrow_mut().insert(name, value);
            }
            Rv::Class(class) => {
                self.class_vars_mut().insert((*class, ivar_key(name)), value);
            }
            Rv::Exception(exception) => {
                exception.ivars.borrow_mut().insert(name, value);
            }
            _ => {
                self.globals.insert(ivar_key(name), value);
            }
        }
        Ok(())
    }

    /// `$name`; `None` if it was never set. Global variables last for the compile.
    pub(crate) fn global_variable(&mut self, name: Name) -> Option<Rv> {
        let set = self.state_ref().global_variables.get(&name).cloned();
        let Some((value, tables)) = set else { return self.globals.get(&name).cloned() };
        if let Some(tables) = tables {
            self.adopt_program(&tables);
        }
        Some(value)
    }

    /// `$name = value`
    pub(crate) fn set_global_variable(&mut self, name: Name, value: Rv) {
        if name == "LOAD_PATH" {
            self.globals.insert(name, value);
            return;
        }
        let plain =
            matches!(value, Rv::Nil | Rv::True | Rv::False | Rv::Int(_) | Rv::Float(_) | Rv::Str(_) | Rv::Sym(_));
        let tables = (!plain).then(|| self.tables.clone());
        self.store_last_id();
        self.state().global_variables.insert(name, (value, tables));
    }

    /// The value of `@@name` of the enclosing class or a superclass.
    pub(crate) fn find_class_variable(&self, name: Name, f: &Rc<Frame>) -> Option<Rv> {
        let mut found = None;
        self.tables.visit_superclasses(enclosing_class(f), &mut |class| {
            found = self.tables.class_vars.get(&(class, name)).cloned();
            found.is_some()
        });
        found
    }

    /// `@@name`
    pub(crate) fn class_variable(&mut self, name: Name, f: &Rc<Frame>) -> Raise<Rv> {
        match self.find_class_variable(name, f) {
            Some(value) => Ok(value),
            None => {
                let class = enclosing_class(f);
                self.raise("NameError", format!("uninitialized class variable @@{name} in {class}"))
            }
        }
    }

    /// `@@name = value`
    pub(crate) fn set_class_variable(&mut self, name: Name, value: Rv, f: &Rc<Frame>) {
        let mut owner = enclosing_class(f);
        self.tables.visit_superclasses(owner, &mut |class| {
            let is_set = self.tables.class_vars.contains_key(&(class, name));
            if is_set {
                owner = class;
            }
            is_set
        });
        self.class_vars_mut().insert((owner, name), value);
    }

    /// `instance_variables`
    pub fn instance_variables(&mut self, this: &Rv) -> Raise<Rv> {
        let Rv::Object(object) = this else { return Ok(Rv::array(Vec::new())) };
        let mut names: IndexMap<String, ()> = IndexMap::new();
        let inherited = self.host.instance_variables(self.state, object.class);
        names.extend(inherited.into_iter().map(|name| (name, ())));
        for name in object.ivars.borrow().keys() {
            names.insert(format!("@{name}"), ());
        }
        Ok(Rv::array(names.keys().map(|name| Rv::sym(name)).collect()))
    }
}

/// Caches the position of an instance variable of an object.
fn remember(variable: &Local, this: &Rv) {
    if let Rv::Object(object) = this
        && let Some(at) = object.ivars.borrow().get_index_of(&variable.name)
    {
        variable.remember(0, at);
    }
}

/// The key of `@name` of a class, or of an object whose instance variables are in [`crate::ProgramState`].
fn ivar_key(name: Name) -> Name {
    Name::new(&format!("@{name}"))
}

/// The class whose body or method contains the code.
fn enclosing_class(f: &Rc<Frame>) -> Name {
    f.class.map_or_else(|| Name::new("Object"), |class| Name::new(class.as_str().trim_end_matches('.')))
}
