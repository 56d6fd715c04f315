//! Functions that are written neither in Rust nor in the Puppet language: those of scripts, and those of modules in Ruby.
//!
//! In: a name, arguments. Out: a value; `None` when there is no such function. Must not: know a language.

use crate::Block;
use crate::Evaluator;
use crate::Res;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_value::Type;
use catwalk_value::Value;

/// A call of a function of a script, or of a module in Ruby.
pub struct ExternCall<'a, 'c> {
    /// The function's name in lower case, without leading `::`.
    pub name: Name,
    /// Its name in the spelling of the caller.
    pub source_name: Name,
    /// The module whose function is called, if several modules have one of this name.
    pub module: Option<Name>,
    /// The arguments.
    pub args: &'a [Value],
    /// The block.
    pub block: Option<&'a Block<'c>>,
    /// The span of the call.
    pub span: Span,
}

/// Functions of one language.
pub trait Extern: Sync {
    /// Whether there is a function of this name.
    fn has(&self, ev: &Evaluator<'_>, name: Name) -> bool;

    /// Calls a function; `None` when there is none of this name.
    fn call<'c>(&self, ev: &mut Evaluator<'c>, call: &ExternCall<'_, 'c>) -> Option<Res<Value>>;

    /// The return type for these arguments: `Some(None)` if the function does not declare one, `None` if it does not accept them.
    ///
    /// # Errors
    ///
    /// The function cannot be loaded.
    fn returns(&self, ev: &mut Evaluator<'_>, name: Name, args: &[Value], span: Span) -> Res<Option<Option<Type>>> {
        let _ = (ev, name, args, span);
        Ok(Some(None))
    }
}
