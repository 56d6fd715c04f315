//! Variables that are not local: of the scope (`@name` of a template), of objects, of classes.
//!
//! In: an object and a name. Out: the value, or the changed variable. Must not: call functions.

use std::rc::Rc;

use indexmap::IndexMap;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::puppet::scope::is_template;
use crate::puppet::scope::strict;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::ScopeId;
use catwalk_eval::Strict;
use catwalk_ruby_syntax::inline_cache::Local;
use catwalk_value::Value;

impl Interp<'_, '_> {
    /// A variable as `scope.lookupvar` returns it; an unknown one is nil with a warning.
    pub(crate) fn lookup(&mut self, name: &str) -> Raise<Rv> {
        let unknown = match self.ev.variable_named(name) {
            Ok(Ok(value)) => return Ok(self.variable_to_ruby(name, &value)),
            Ok(Err(unknown)) => unknown,
            Err(stop) => return self.raise_failure(stop),
        };
        if self.state().open_catches > 0 {
            let reason = unknown.reason.map_or(Rv::Nil, |reason| Rv::str(&*reason));
            return Err(self.throw(crate::Flow::Throw(Rv::sym("undefined_variable"), reason)));
        }
        let name = &unknown.name;
        let message = format!("Undefined variable '{name}'; {}", unknown.reason.unwrap_or_default());
        match strict(self) {
            Strict::Off => {}
            Strict::Warning => {
                if !self.ev.settings.disables("undefined_variables")
                    && self.ev.warned.insert(Rc::from(format!("Variable: {name}")))
                {
                    self.ev.log(Severity::Warning, format!("{message}\n   (file & line not available)"), None);
                }
            }
            Strict::Error => return self.raise("ArgumentError", message),
        }
        Ok(Rv::Nil)
    }

    /// Looks up a variable without a warning.
    pub(crate) fn quiet_lookup(&mut self, name: &str) -> Raise<Rv> {
        match self.ev.variable_named(name) {
            Ok(Ok(value)) => Ok(self.variable_to_ruby(name, &value)),
            Ok(Err(_)) => Ok(Rv::Nil),
            Err(stop) => self.raise_failure(stop),
        }
    }

    /// The scope's variable for an instance variable of a template: characters other than letters and digits are underscores.
    fn scope_ivar(&mut self, name: Name) -> Raise<Option<Rv>> {
        let found = match self.ev.variable(name) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(_)) if name.as_str().contains('_') => {
                let original = self.unescape_name(name);
                match original.map(|original| self.ev.variable(original)) {
                    Some(Ok(found)) => found.ok(),
                    Some(Err(stop)) => return self.raise_failure(stop),
                    None => None,
                }
            }
            Ok(Err(_)) => None,
            Err(stop) => return self.raise_failure(stop),
        };
        Ok(found.filter(|value| !value.is_undef()).map(|value| self.variable_to_ruby(name.as_str(), &value)))
    }

    /// Converts the value of a variable. Values that Puppet sets for each node are frozen. (`Scope#set_facts`)
    fn variable_to_ruby(&mut self, name: &str, value: &Value) -> Rv {
        let object = self.to_ruby(value);
        if matches!(name.trim_start_matches("::"), "facts" | "trusted" | "server_facts")
            && !self.state().flags.is_frozen(&object)
        {
            self.state().flags.freeze_all(&object);
        }
        object
    }

    /// The top-scope variable whose name differs only in characters that are not letters or digits: facts may have such names.
    fn unescape_name(&mut self, name: Name) -> Option<Name> {
        if self.state().variables_by_ruby_name.is_none() {
            let plain = |c: char| c == '_' || c.is_alphanumeric();
            let top = self.ev.scope(ScopeId::TOP)?;
            let names = top.vars.iter().map(|(name, _)| name).filter(|name| !name.as_str().chars().all(plain));
            let ruby_name =
                |name: Name| name.as_str().chars().map(|c| if plain(c) { c } else { '_' }).collect::<String>();
            let found = names.map(|name| (ruby_name(name), name)).collect();
            self.state().variables_by_ruby_name = Some(found);
        }
        self.state().variables_by_ruby_name.as_ref()?.get(name.as_str()).copied()
    }

    /// An instance variable of an object.
    pub(crate) fn find_object_ivar(&mut self, object: &Rc<Instance>, name: Name) -> Raise<Option<Rv>> {
        if let Some(value) = object.ivars.borrow().get(&name) {
            return Ok(Some(value.clone()));
        }
        if !is_template(self, object.class) {
            return Ok(None);
        }
        let found = self.scope_ivar(name)?;
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
            Rv::Ip(address) if let Some(value) = crate::library::ipaddr::variable(address, name.as_str()) => Ok(value),
            Rv::Scope if name == "defaults" => Ok(crate::puppet::scope_defaults::defaults_table(self)),
            _ => Ok(self.globals.get(&ivar_key(name)).cloned().unwrap_or(Rv::Nil)),
        }
    }

    /// Whether `@name` is set.
    pub(crate) fn ivar_defined(&mut self, this: &Rv, name: Name) -> Raise<bool> {
        match this {
            Rv::Object(object) => Ok(self.find_object_ivar(object, name)?.is_some()),
            Rv::Class(class) => Ok(self.tables.class_vars.contains_key(&(*class, ivar_key(name)))),
            Rv::Exception(exception) => Ok(exception.ivars.borrow().contains_key(&name)),
            Rv::Ip(address) if crate::library::ipaddr::variable(address, name.as_str()).is_some() => Ok(true),
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
    pub(crate) fn instance_variables(&mut self, this: &Rv) -> Raise<Rv> {
        let Rv::Object(object) = this else { return Ok(Rv::array(Vec::new())) };
        let mut names: IndexMap<String, ()> = IndexMap::new();
        if is_template(self, object.class) {
            names.insert("@__scope__".to_owned(), ());
            names.insert("@__file__".to_owned(), ());
            for (name, _) in self.ev.visible_variables() {
                let plain: String =
                    name.as_str().chars().map(|c| if c == '_' || c.is_alphanumeric() { c } else { '_' }).collect();
                names.insert(format!("@{plain}"), ());
            }
        }
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
