//! The evaluator's interface to code of modules in Ruby: functions, templates, data types, and a scope's own methods.
//!
//! In: files and trees of Ruby, values. Out: values, strings. Must not: run Ruby; the interpreter implements [`Ruby`].

use std::any::Any;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::Evaluator;
use crate::Extern;
use crate::Res;
use crate::ScopeId;
use crate::state::Params;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::parser::ParseError;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;

/// An interpreter of Ruby. Its functions are those of modules in `lib/puppet/functions` and `lib/puppet/parser/functions`.
pub trait Ruby: Extern {
    /// The module whose function is called if several modules define this name; `None` if at most one does.
    fn function_module(&self, ev: &mut Evaluator<'_>, name: Name, caller: Caller) -> Option<Name>;

    /// Renders an ERB template.
    ///
    /// # Errors
    /// `Failed to parse template …` with file, line and reason; `not supported yet: …`.
    fn render(&self, ev: &mut Evaluator<'_>, template: &ErbTemplate<'_>, span: Span) -> Res<String>;

    /// Reads the file of a data type (`lib/puppet/datatypes`).
    ///
    /// # Errors
    ///
    /// The file defines no type, or one with another name; `not supported yet: …`.
    fn data_type(&self, ev: &mut Evaluator<'_>, name: Name, path: &Path) -> Result<RubyDataType, Reason>;

    /// Whether the file of a data type implements this attribute or function of it.
    fn implements(&self, ev: &Evaluator<'_>, object_type: &ObjectType, member: &str) -> bool;

    /// Calls an attribute or function of an object that is written in Ruby.
    ///
    /// # Errors
    ///
    /// The annotation of the type is not a `RubyMethod`; errors of the body; `not supported yet: …`.
    fn call_member(
        &self,
        ev: &mut Evaluator<'_>,
        object: &Object,
        member: &str,
        args: &[Value],
        span: Span,
    ) -> Res<Value>;

    /// Whether the last exception of Ruby code has this message and is not a `Puppet::Error`.
    fn raised_non_puppet_error(&self, _ev: &Evaluator<'_>, _message: &str) -> bool {
        false
    }

    /// The resource defaults of a scope whose `lookupdefaults` a function has replaced; `None` for other scopes.
    fn defaults(&self, ev: &mut Evaluator<'_>, scope: ScopeId, type_name: Name) -> Option<Res<Params>>;
}

/// The code that calls a function.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    /// Code of a module; `None`: of the environment.
    Module(Option<Name>),
    /// Code at a position.
    At(Span),
}

impl Caller {
    /// The module of the caller.
    #[must_use]
    pub fn module(self, ev: &Evaluator<'_>) -> Option<Name> {
        match self {
            Caller::Module(module) => module,
            Caller::At(span) => ev.program.module_of(span),
        }
    }
}

/// A parsed ERB template.
pub enum ErbTemplate<'a> {
    /// A file.
    File {
        /// The name as the manifest passes it.
        name: &'a str,
        /// The path.
        path: &'a Path,
        /// The syntax tree.
        tree: &'a Result<Node, ParseError>,
    },
    /// A string in a manifest.
    Inline {
        /// The contents.
        text: &'a Arc<str>,
        /// The syntax tree.
        tree: &'a Result<Node, ParseError>,
    },
}

/// The declaration in the file of a data type.
#[derive(Debug)]
pub struct RubyDataType {
    /// Its name as written.
    pub name: String,
    /// Its attributes and functions, in the Puppet language.
    pub interface: String,
    /// Whether a class implements it.
    pub implemented_in_ruby: bool,
}

impl RubyDataType {
    /// The error of creating a type.
    #[must_use]
    pub fn load_error(name: &str, message: &str) -> String {
        format!("Data Type Load Error for type '{name}': {message}")
    }
}

/// The state of an interpreter during a compile. The evaluator holds it and copies it when it is cloned itself.
#[derive(Default)]
pub struct InterpreterState(Option<Rc<dyn Copyable>>);

/// A cell whose content can be copied without its type.
trait Copyable: Any {
    fn copy(&self) -> Rc<dyn Copyable>;
}

impl<T: Any + Clone> Copyable for RefCell<T> {
    fn copy(&self) -> Rc<dyn Copyable> {
        Rc::new(self.clone())
    }
}

impl Clone for InterpreterState {
    fn clone(&self) -> InterpreterState {
        InterpreterState(self.0.as_deref().map(Copyable::copy))
    }
}

impl InterpreterState {
    /// Whether there is no state, as before an interpreter runs in a compile.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The state; `None` before [`InterpreterState::create`] was called.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<Rc<RefCell<T>>> {
        let state: Rc<dyn Any> = self.0.clone()?;
        state.downcast().ok()
    }

    /// The state, created on first use. State of another type is replaced.
    pub fn create<T: Any + Clone + Default>(&mut self) -> Rc<RefCell<T>> {
        self.get().unwrap_or_else(|| {
            let state: Rc<RefCell<T>> = Rc::default();
            self.0 = Some(state.clone());
            state
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_its_own_state() {
        let mut state = InterpreterState::default();
        assert!(state.is_empty() && state.get::<Vec<u8>>().is_none());
        state.create::<Vec<u8>>().borrow_mut().push(1);
        let mut copy = state.clone();
        copy.create::<Vec<u8>>().borrow_mut().push(2);
        assert_eq!(*state.create::<Vec<u8>>().borrow(), [1]);
        assert_eq!(*copy.create::<Vec<u8>>().borrow(), [1, 2]);
        assert_eq!(*copy.create::<String>().borrow(), "");
    }
}
