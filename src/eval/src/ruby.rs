//! What modules write in Ruby, as the evaluator knows it: functions, templates, data types, and a scope's own methods.
//!
//! In: files and trees of Ruby, values. Out: values, texts. Must not: run Ruby; the interpreter implements [`Ruby`].

use std::any::Any;
use std::path::Path;
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
use catwalk_value::types::ObjectType;
use catwalk_value::value::Object;
use catwalk_value::value::Value;

/// An interpreter of Ruby. Its functions are those of modules in `lib/puppet/functions` and `lib/puppet/parser/functions`.
pub trait Ruby: Extern {
    /// The module whose function of this name code calls, where several modules have one; `None` where there is no choice.
    fn module_of(&self, ev: &mut Evaluator<'_>, name: Name, caller: Caller) -> Option<Name>;

    /// Renders an ERB template.
    ///
    /// # Errors
    /// `Failed to parse template …` with file, line and reason; `not supported yet: …`.
    fn render(&self, ev: &mut Evaluator<'_>, template: &ErbTemplate<'_>, span: Span) -> Res<String>;

    /// Reads the file of a data type (`lib/puppet/datatypes`).
    ///
    /// # Errors
    /// The file makes no type, or one of another name; `not supported yet: …`.
    fn data_type(&self, ev: &mut Evaluator<'_>, name: Name, path: &Path) -> Result<RubyDataType, Reason>;

    /// Whether the file of a data type implements this attribute or function of it.
    fn implements(&self, ev: &Evaluator<'_>, object_type: &ObjectType, member: &str) -> bool;

    /// Calls an attribute or function of an object that is written in Ruby.
    ///
    /// # Errors
    /// The annotation of the type is no `RubyMethod`; what the body raises; `not supported yet: …`.
    fn call_member(
        &self,
        ev: &mut Evaluator<'_>,
        object: &Object,
        member: &str,
        args: &[Value],
        span: Span,
    ) -> Res<Value>;

    /// The resource defaults of a scope whose `lookupdefaults` a function has replaced; `None` for other scopes.
    fn defaults(&self, ev: &mut Evaluator<'_>, scope: ScopeId, type_name: Name) -> Option<Res<Params>>;
}

/// The code that calls a function.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    /// Code of a module; `None`: of the environment.
    Module(Option<Name>),
    /// Code at a place.
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
        /// Its name as the manifest has it.
        name: &'a str,
        /// Where it is.
        path: &'a Path,
        /// Its tree.
        tree: &'a Result<Node, ParseError>,
    },
    /// A text in a manifest.
    Text {
        /// The text.
        text: &'a Arc<str>,
        /// Its tree.
        tree: &'a Result<Node, ParseError>,
    },
}

/// What the file of a data type says of it.
#[derive(Debug)]
pub struct RubyDataType {
    /// Its name as it is written.
    pub name: String,
    /// Its attributes and functions, in the Puppet language.
    pub interface: String,
    /// Whether a class implements it.
    pub by_class: bool,
}

impl RubyDataType {
    /// What goes wrong while a type is made.
    #[must_use]
    pub fn load_error(name: &str, message: &str) -> String {
        format!("Data Type Load Error for type '{name}': {message}")
    }
}

/// What an interpreter remembers during a compile. The evaluator keeps it and copies it when it is copied itself.
#[derive(Default)]
pub struct InterpreterState(Option<Box<dyn Remembered>>);

/// Anything that can be copied.
trait Remembered: Any {
    fn copy(&self) -> Box<dyn Remembered>;
}

impl<T: Any + Clone> Remembered for T {
    fn copy(&self) -> Box<dyn Remembered> {
        Box::new(self.clone())
    }
}

impl Clone for InterpreterState {
    fn clone(&self) -> InterpreterState {
        InterpreterState(self.0.as_deref().map(Remembered::copy))
    }
}

impl InterpreterState {
    /// Whether the interpreter remembers nothing, as before it runs in a compile.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What is remembered; `None` before [`InterpreterState::get_mut`] was called.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        let state: &dyn Any = self.0.as_deref()?;
        state.downcast_ref()
    }

    /// Mutable access to the state, created empty on first use.
    pub fn get_mut<T: Any + Clone + Default>(&mut self) -> &mut T {
        if self.get::<T>().is_none() {
            self.0 = Some(Box::new(T::default()));
        }
        let state = self.0.as_deref_mut().and_then(|state| {
            let state: &mut dyn Any = state;
            state.downcast_mut()
        });
        // It is there: it was made above.
        state.unwrap_or_else(|| Box::leak(Box::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_its_own_state() {
        let mut state = InterpreterState::default();
        assert!(state.is_empty() && state.get::<Vec<u8>>().is_none());
        state.get_mut::<Vec<u8>>().push(1);
        let mut copy = state.clone();
        copy.get_mut::<Vec<u8>>().push(2);
        assert_eq!(state.get::<Vec<u8>>(), Some(&vec![1]));
        assert_eq!(copy.get::<Vec<u8>>(), Some(&vec![1, 2]));
    }
}
