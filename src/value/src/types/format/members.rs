//! Formats callables, objects, type sets and aliases.
//!
//! In: types. Out: source in the writer. Must not: choose the form.

use std::fmt::Write;
use std::sync::Arc;

use super::Form;
use super::Writer;
use crate::types::Alias;
use crate::types::CallableType;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::TypeSet;
use crate::value::Hash;
use crate::value::Value;
use crate::value::to_program;

impl Writer {
    pub(super) fn callable(&mut self, callable: &CallableType) {
        let Some(returns) = &callable.returns else {
            if callable.params.is_none() {
                self.out.push_str("Callable");
            } else {
                self.list("Callable", |w| w.callable_params(callable));
            }
            return;
        };
        self.out.push_str("Callable[[");
        if callable.params.is_some() {
            self.callable_params(callable);
        }
        self.out.push_str("], ");
        self.write(returns);
        self.out.push(']');
    }

    fn callable_params(&mut self, callable: &CallableType) {
        if let Some(params) = &callable.params {
            params.types.iter().filter(|t| **t != Type::Unit).for_each(|t| self.inner(t));
            if params.types.is_empty() {
                self.item("0, 0");
            } else {
                self.size(params.size);
            }
        }
        callable.block.iter().for_each(|block| self.inner(block));
    }

    pub(super) fn type_set(&mut self, set: Option<&Arc<TypeSet>>) {
        let loaded = match set {
            Some(set) => &**set,
            None => TypeSet::default_set(),
        };
        self.out.push_str("TypeSet[{");
        let mut first = true;
        let mut entry = |out: &mut String, key: &str| {
            let _ = write!(out, "{}{key} => ", if first { "" } else { ", " });
            first = false;
        };
        for (key, value) in &loaded.header() {
            entry(&mut self.out, key.as_str().unwrap_or(""));
            self.out.push_str(&to_program(value));
        }
        let before = std::mem::replace(&mut self.set, set.cloned());
        if !loaded.types.is_empty() {
            entry(&mut self.out, "types");
            self.out.push('{');
            for (n, (name, t)) in loaded.types.iter().enumerate() {
                let _ = write!(self.out, "{}{name} => ", if n == 0 { "" } else { ", " });
                self.write(t);
            }
            self.out.push('}');
        }
        self.set = before;
        if !loaded.references.is_empty() {
            entry(&mut self.out, "references");
            self.out.push('{');
            for (n, (alias, reference)) in loaded.references_hash().iter().enumerate() {
                let alias = alias.as_str().unwrap_or("");
                let _ = write!(self.out, "{}{alias} => {}", if n == 0 { "" } else { ", " }, to_program(reference));
            }
            self.out.push('}');
        }
        self.out.push_str("}]");
    }

    pub(super) fn object(&mut self, object: &ObjectType) {
        if object.base.is_some() {
            let parameters = object.written_parameters();
            let text = |value: &Value| match value {
                Value::Type(t) => t.text(self.form),
                value => to_program(value),
            };
            let parameters: Vec<String> = parameters.iter().map(text).collect();
            let _ = write!(self.out, "{}[{}]", object.written_name(), parameters.join(", "));
            return;
        }
        let inside = match (&self.set, &object.name) {
            (Some(set), Some(name)) => set.types.iter().find(|(short, _)| {
                name.strip_suffix(&**short).is_some_and(|rest| rest.strip_suffix("::") == set.name.as_deref())
            }),
            _ => None,
        };
        if self.form != Form::Expanded {
            self.out.push_str(inside.map_or(object.label(), |(short, _)| short));
            return;
        }
        let inside = inside.is_some();
        let none = Hash::new();
        let definition = object.definition.as_ref().unwrap_or(&none);
        let definition = definition.iter().filter(|(key, _)| !inside || key.as_str() != Some("name"));
        let form = std::mem::take(&mut self.form);
        self.out.push_str("Object[{");
        for (n, (key, value)) in definition.enumerate() {
            let key = key.as_str().unwrap_or("");
            self.out.push_str(if n == 0 { "" } else { ", " });
            self.out.push_str(key);
            self.out.push_str(" => ");
            match value {
                Value::Hash(members) if matches!(key, "attributes" | "functions") => self.members(members),
                Value::Type(t) => self.write(t),
                value => self.out.push_str(&to_program(value)),
            }
        }
        self.out.push_str("}]");
        self.form = form;
    }

    /// Attributes or functions: names in quotes, the words of their definitions without.
    fn members(&mut self, members: &Hash) {
        self.out.push('{');
        for (n, (name, member)) in members.iter().enumerate() {
            self.out.push_str(if n == 0 { "" } else { ", " });
            self.out.push_str(&to_program(name));
            self.out.push_str(" => ");
            let parts = match member {
                Value::Hash(parts) => parts,
                Value::Type(t) => {
                    self.write(t);
                    continue;
                }
                member => {
                    self.out.push_str(&to_program(member));
                    continue;
                }
            };
            self.out.push('{');
            for (n, (word, part)) in parts.iter().enumerate() {
                let word = word.as_str().unwrap_or("");
                let _ = write!(self.out, "{}{word} => ", if n == 0 { "" } else { ", " });
                match part {
                    Value::Type(t) => self.write(t),
                    Value::Str(kind) if word == "kind" => self.out.push_str(kind),
                    part => self.out.push_str(&to_program(part)),
                }
            }
            self.out.push('}');
        }
        self.out.push('}');
    }

    pub(super) fn alias(&mut self, alias: &Arc<Alias>) {
        // Object types and type sets have their names themselves.
        let named = match alias.resolved() {
            Some(Type::Object(object)) => object.name.as_deref(),
            Some(Type::TypeSet(Some(set))) => set.name.as_deref(),
            _ => None,
        };
        if let Some(inner) = alias.resolved().filter(|_| named == Some(alias.name())) {
            return self.write(inner);
        }
        let at = Arc::as_ptr(alias);
        if let Some(name) = self.set.as_ref().and_then(|set| set.name_of(&Type::Alias(alias.clone()))) {
            match alias
                .resolved()
                .filter(|_| self.form == Form::Expanded && !self.aliases.contains(&at) && !name.contains("::"))
            {
                Some(inner) => {
                    self.aliases.push(at);
                    self.write(inner);
                    self.aliases.pop();
                }
                None => self.out.push_str(&name),
            }
            return;
        }
        self.out.push_str(alias.name());
        if self.form != Form::Expanded || alias.is_built_in() || self.aliases.contains(&at) {
            return;
        }
        if let Some(inner) = alias.resolved() {
            self.out.push_str(" = ");
            self.aliases.push(at);
            self.write(inner);
            self.aliases.pop();
        }
    }
}
