//! Puppet's API for the Ruby code of modules: ERB templates, functions in Ruby, data types; the interpreter is `catwalk-ruby`.
//!
//! In: trees ([`catwalk_ruby_syntax::ast`]), and the evaluator of the Puppet language. Out: strings or values. Must not: know
//! the classes of Ruby itself, access files, processes, the clock or randomness except through the world of the compile.
//!
//! | file | content |
//! |---|---|
//! | `interpreter` | [`Interpreter`], which the evaluator of the Puppet language calls |
//! | `interp`, `host` | a running program with its evaluator; [`catwalk_ruby::Host`] for that evaluator |
//! | `block_call`, `function_call`, `failures`, `exceptions` | calls of functions of the Puppet language from Ruby; their failures |
//! | `function`, `function_checks`, `function_precedence` | functions that modules define, of both APIs |
//! | `scope`, `scope_methods`, `scope_names`, `scope_variables`, `scope_defaults` | `self` of templates; the scope |
//! | `template`, `data_type`, `object_type_methods`, `automatic_relations` | what else modules write in Ruby |
//! | `catalog`, `class_names`, `environment`, `host_classes`, `objects`, `module_functions`, `util` | Puppet's own classes |
//! | `values`, `type_factory`, `type_methods` | values and types of the Puppet language as Ruby objects |

mod automatic_relations;
mod block_call;
mod catalog;
mod class_names;
mod data_type;
mod environment;
mod exceptions;
mod failures;
mod function;
mod function_call;
mod function_checks;
mod function_precedence;
mod host;
mod host_classes;
mod interp;
mod interpreter;
mod module_functions;
mod object_type_methods;
mod objects;
mod prelude;
mod puppet_files;
mod scope;
mod scope_defaults;
mod scope_methods;
mod scope_names;
mod scope_variables;
mod state;
mod template;
mod type_factory;
mod type_methods;
mod util;
mod values;

pub use automatic_relations::AutomaticRelations;
pub use automatic_relations::automatic_relations;
pub use interpreter::Interpreter;

pub(crate) use interp::PuppetInterp;
pub(crate) use interp::PuppetProgram;
pub(crate) use state::State;
