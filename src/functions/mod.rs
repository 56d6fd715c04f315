//! Functions written in Rust: Puppet's own and puppetlabs-stdlib's.
//!
//! In: a [`Call`]. Out: a value. One file for each function (families of identical code share one), one line in [`ALL`].
//! Must not: know files or processes except through the world of the call.

mod calling;
mod contain;
mod create_resources;
mod defined;
mod dispatch;
mod each;
mod epp;
mod function;
mod include;
mod index;
mod iterate;
mod jump;
mod logging;
mod lookup;
pub mod probe;
mod realize;
mod reduce;
mod require;
mod sequences;
mod tag;
mod tagged;
mod typed;

pub use dispatch::BlockRule;
pub use dispatch::Entry;
pub use dispatch::Signature;
pub use dispatch::find;
pub use function::Function;

use crate::eval::Block;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::source::Span;
use crate::value::Value;

/// Functions that come from somewhere else: scripts. They are asked after all others.
pub trait Extern: Sync {
    /// Calls a function; `None` when there is none of this name.
    fn call<'c>(
        &self,
        ev: &mut Evaluator<'c>,
        name: &str,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>>;
}

/// Every function, in alphabetical order of its name.
pub const ALL: &[&Function] = &[
    &logging::ALERT,
    &each::ALL,
    &each::ANY,
    &typed::ASSERT_TYPE,
    &jump::BREAK,
    &calling::CALL,
    &contain::FUNCTION,
    &create_resources::FUNCTION,
    &logging::CRIT,
    &logging::DEBUG,
    &defined::FUNCTION,
    &each::EACH,
    &logging::EMERG,
    &epp::EPP,
    &logging::ERR,
    &jump::FAIL,
    &each::FILTER,
    &include::FUNCTION,
    &index::INDEX,
    &logging::INFO,
    &epp::INLINE_EPP,
    &calling::LEST,
    &lookup::FUNCTION,
    &each::MAP,
    &typed::NEW,
    &jump::NEXT,
    &logging::NOTICE,
    &realize::FUNCTION,
    &reduce::REDUCE,
    &require::FUNCTION,
    &jump::RETURN,
    &sequences::REVERSE_EACH,
    &reduce::SLICE,
    &sequences::STEP,
    &tag::FUNCTION,
    &tagged::FUNCTION,
    &calling::THEN,
    &sequences::TREE_EACH,
    &typed::TYPE,
    &logging::WARNING,
    &calling::WITH,
];

#[cfg(test)]
mod tests;
