//! Converts specs of rspec-puppet to test files of Catwalk.
//!
//! In: the source of a spec, fact sets. Out: cases as YAML, and the examples that cannot be converted, each with its line and the reason.
//! Must not: write files, read external data: the spec is evaluated by the Ruby evaluator in a separate world.
//!
//! | file | what |
//! |---|---|
//! | `conversion` | specs and the results of their conversion |
//! | `rspec.rb` | the RSpec functions that specs call, in Ruby: evaluating a spec returns its examples as data |
//! | `lines` | the examples and groups in the syntax tree of a spec |
//! | `evaluate` | the evaluation of a spec |
//! | `expectations` | the expectations of an example, in the form of test files |
//! | `cases` | grouping of examples with the same catalog to cases |
//! | `document`, `yaml` | the contents of a test file |

mod cases;
mod conversion;
mod document;
mod evaluate;
mod expectations;
mod lines;
mod yaml;

pub use conversion::Converted;
pub use conversion::STEPS;
pub use conversion::Spec;
pub use conversion::SubjectKind;
pub use conversion::Unconverted;
pub use conversion::convert;
pub use evaluate::SpecFacts;
