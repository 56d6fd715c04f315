//! Evaluates inputs one after the other at the top scope of a node. Declarations persist between inputs.
//!
//! In: an [`CompileInput`] node, inputs. Out: a [`Reply`] for each. Must not: know terminals, read lines.
//!
//! Each input is evaluated as if it were at the end of the main manifest. After each input, lazily evaluated code (bodies of defined types,
//! collectors and their overrides) is evaluated, as the compiler does at the end of the main manifest. The last steps of a compile (arrows,
//! late overrides, checks, inherited metaparameters) are done on a copy, for [`Console::catalog`], so that the node accepts more inputs. A
//! failed input has no effect: its variables, declarations and definitions are discarded.

mod console;

pub use console::Console;
pub use console::Explain;
pub use console::Format;
pub use console::InitialState;
pub use console::LookupAnswer;
pub use console::LookupRequest;
pub use console::OutputFormat;
pub use console::Reply;
pub use console::ResourceOrigins;
pub use console::is_incomplete;
