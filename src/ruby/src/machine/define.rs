//! Definitions: methods, aliases, classes and modules.
//!
//! In: the nodes of `def`, `alias`, `class`, `module`. Out: entries of the program's tables. Must not: look up methods
//! ([`crate::object::definitions`] does).

use std::rc::Rc;
use std::sync::Arc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::object::definitions::Method;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Class;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;

impl Interp<'_> {
    /// The class in which methods are defined.
    pub(crate) fn definition_class(&mut self, f: &Rc<Frame>) -> Name {
        f.class.unwrap_or_else(|| match &f.this {
            Rv::Object(object) => object.class,
            other => Name::new(other.class()),
        })
    }

    /// The class that methods of `Module` without a receiver apply to (`define_method`, `private`).
    pub(crate) fn module_of_self(&mut self, f: &Rc<Frame>) -> Name {
        match &f.this {
            Rv::Class(class) => *class,
            _ => self.definition_class(f),
        }
    }

    pub(crate) fn eval_def(&mut self, def: &Arc<catwalk_ruby_syntax::ast::Def>, f: &Rc<Frame>) -> Raise<Rv> {
        let class = self.definition_class(f);
        let key = match &def.singleton {
            None => class,
            Some(node) => {
                let object = self.eval(node, f)?;
                match self.ensure_singleton_class(&object) {
                    Some(_) if matches!(object, Rv::Scope) && !names_catalog(node) => self.host.scope_singleton(),
                    Some(singleton) => singleton,
                    None => return self.raise("TypeError", "can't define singleton"),
                }
            }
        };
        let is_shared = Some(class) == self.setup.shared_class && def.singleton.is_none();
        let def = if self.is_loading || is_shared {
            let file = Some(Arc::from(&*self.file));
            Arc::new(catwalk_ruby_syntax::ast::Def { file, ..(**def).clone() })
        } else {
            def.clone()
        };
        if is_shared {
            let entry = crate::object::definitions::MethodEntry::new(class, Method::Def(def.clone()));
            crate::object::definitions::invalidate();
            self.state().shared_methods.insert(def.name, entry);
        } else {
            let name = def.name;
            self.add_method(key, name, Method::Def(def.clone()));
            if def.singleton.is_none() {
                self.set_method_visibility(key, name, f.visibility.get());
            }
        }
        Ok(Rv::sym(def.name.as_str()))
    }

    /// `alias`, `alias_method`: also of methods that are not the program's.
    pub fn alias(&mut self, class: Name, new: Name, old: Name) {
        let mut method = None;
        self.tables.visit_superclasses(class, &mut |at| {
            method = self.tables.methods.get(&(at, old)).cloned();
            method.is_some()
        });
        let method = method.unwrap_or_else(|| Method::Native(old));
        let visibility = self.tables.visibility_in(class, old);
        self.add_method(class, new, method);
        self.set_method_visibility(class, new, visibility);
    }

    pub(crate) fn eval_class(&mut self, class: &Class, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        self.line = line;
        let path = class.path.as_ref().and_then(constant_path);
        let object = class.object.as_ref().map(|object| self.eval(object, f)).transpose()?;
        let name = match (&path, f.class) {
            _ if let Some(object) = &object => match self.ensure_singleton_class(object) {
                Some(singleton) => singleton,
                None => return self.raise("TypeError", "can't define singleton"),
            },
            (Some(path), Some(outer)) => Name::new(&format!("{outer}::{path}")),
            (Some(path), None) => Name::new(path),
            // Definitions in `class << self` belong to the class itself.
            (None, Some(outer)) if class.path.is_none() => Name::new(&format!("{outer}.")),
            (None, _) => match self.ensure_singleton_class(&f.this.clone()) {
                Some(singleton) => singleton,
                None => return self.raise("TypeError", "can't define singleton"),
            },
        };
        if let Some(parent) = &class.parent {
            let parent = match constant_path(parent).filter(|path| self.is_unsupported_class(path)) {
                // A missing superclass is an error only at its first use.
                Some(path) => Rv::Class(Name::new(&path)),
                None => self.eval(parent, f)?,
            };
            let Rv::Class(parent) = parent else { return self.raise("TypeError", "superclass must be a Class") };
            if self.tables.parents.get(&name) != Some(&parent) {
                self.tables_mut().parents.insert(name, parent);
                self.call_inherited(parent, name)?;
            }
        } else if class.is_class && path.is_some() && !self.is_builtin_class(name.as_str()) {
            self.tables_mut().parents.entry(name).or_insert_with(|| Name::new("Object"));
        }
        if path.is_some() {
            self.tables_mut().constants.entry(name).or_insert(Rv::Class(name));
        }
        let frame = self.class_frame(Rv::Class(name), Some(name));
        self.eval(&class.body, &frame)
    }
}

/// `A::B` as a string.
fn constant_path(node: &Node) -> Option<String> {
    let NodeKind::Const(scope, name) = &node.kind else { return None };
    match scope {
        Some(Some(outer)) => Some(format!("{}::{name}", constant_path(outer)?)),
        _ => Some(name.to_string()),
    }
}

/// Whether an expression for a Puppet object refers to the catalog or the compiler rather than a scope.
fn names_catalog(node: &Node) -> bool {
    let name = match &node.kind {
        NodeKind::Local(local) => local.name,
        NodeKind::IVar(variable) => variable.name,
        NodeKind::Call(call) => call.name,
        _ => return false,
    };
    matches!(name.as_str(), "catalog" | "compiler" | "loaders")
}
