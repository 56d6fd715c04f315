//! What a function written in Rust sees of its call.

use std::rc::Rc;

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::ScopeId;
use crate::source::Span;
use crate::syntax::ast;
use crate::value::Value;

/// A function's code.
pub type Body = for<'a, 'c> fn(&mut Call<'a, 'c>) -> Res<Value>;

/// A block given to a call: `|$x| { … }`, or one made by a script.
#[derive(Clone)]
pub enum Block<'c> {
    /// A block of a manifest with the scope it closes over.
    Lambda {
        /// Its tree.
        lambda: &'c ast::Lambda,
        /// Where it was written.
        scope: ScopeId,
    },
    /// A block of the host: a script closure, or a function that calls another with a block of its own.
    Native {
        /// Fewest and most arguments; `None`: any number.
        arity: (usize, Option<usize>),
        /// Its code.
        #[allow(clippy::type_complexity, reason = "the one place it is spelled out")]
        body: Rc<dyn Fn(&mut Evaluator<'c>, &[Value]) -> Res<Value> + 'c>,
    },
}

/// One call of a function written in Rust. Arguments have been checked against the signature that matched.
pub struct Call<'a, 'c> {
    /// The compile.
    pub ev: &'a mut Evaluator<'c>,
    /// The function's name as called.
    pub name: &'a str,
    /// The arguments.
    pub args: &'a [Value],
    /// The block.
    pub block: Option<&'a Block<'c>>,
    /// The place of the call.
    pub span: Span,
}

impl Call<'_, '_> {
    /// An argument, `undef` when it was not given.
    #[must_use]
    pub fn arg(&self, at: usize) -> &Value {
        self.args.get(at).unwrap_or(&Value::Undef)
    }
}
