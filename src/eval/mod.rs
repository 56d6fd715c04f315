//! Evaluation of trees into values and catalog entries.
//!
//! In: [`Program`] (definitions by name, loaded on demand), [`Node`], Hiera, a world. Out: values; resources and edges in
//! the catalog under construction. Must not: read files except through the world it was given; know output formats.
//!
//! One [`Evaluator`] serves one compile of one node and is used by one thread. Trees are borrowed for the whole compile
//! (`'c`): [`Program`] only ever adds files, so a reference into a tree can be kept (blocks, lazy collectors, defines).
//! Scopes live in an arena and refer to each other by [`ScopeId`].
//!
//! | file | what |
//! |---|---|
//! | `stop` | why evaluation stops: a failure, or `return`/`break`/`next` on their way |
//! | `scope` | scopes and variable lookup |
//! | `call` | calls of functions, blocks, types |
//! | others | one file for each kind of expression or declaration |

mod call;
mod scope;
mod stop;

use std::sync::Arc;

pub use call::Block;
pub use call::Body;
pub use call::Call;
pub use scope::Scope;
pub use scope::ScopeId;
pub use scope::ScopeKind;
pub use stop::Res;
pub use stop::Stop;

use crate::diag::Diagnostic;
use crate::node::Node;
use crate::program::Program;
use crate::source::Span;
use crate::world::World;

/// How strict a compile is (Puppet's settings of the same names).
#[derive(Clone, Debug)]
pub struct Settings {
    /// `strict`: off, warning or error.
    pub strict: Strict,
    /// `strict_variables`: unknown variables are errors.
    pub strict_variables: bool,
    /// Further settings by name, as `--set` gave them: shown in `$settings::…`.
    pub values: indexmap::IndexMap<String, String>,
    /// Deepest nesting of calls and declarations.
    pub max_depth: u32,
}

/// The levels of Puppet's `strict` setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strict {
    /// Nothing is said.
    Off,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// 7.23's defaults.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strict: Strict::Warning,
            strict_variables: false,
            values: indexmap::IndexMap::new(),
            max_depth: 1000,
        }
    }
}

/// One step of the Puppet call stack.
#[derive(Clone, Debug)]
pub struct CallFrame {
    /// What is running, for traces.
    pub what: Arc<str>,
    /// From where it was called.
    pub called_at: Span,
}

/// The state of one compile.
pub struct Evaluator<'c> {
    /// What can be evaluated, by name.
    pub program: &'c Program,
    /// The outside.
    pub world: &'c dyn World,
    /// Whom the catalog is for.
    pub node: &'c Node,
    /// How strict.
    pub settings: &'c Settings,
    /// All scopes; [`ScopeId`] is an index. The first is the top scope.
    pub scopes: Vec<Scope<'c>>,
    /// The scope that is being evaluated.
    pub scope: ScopeId,
    /// Calls under way, outermost first.
    pub frames: Vec<CallFrame>,
    /// Nesting of evaluation, against `settings.max_depth`.
    pub depth: u32,
    /// Log lines and warnings in order (`notice()`, deprecations …), each once where the reference does so.
    pub logs: Vec<Diagnostic>,
}
