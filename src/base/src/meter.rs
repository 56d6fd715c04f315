//! The limits of a compile, which also apply to code that returns no errors.
//!
//! Three things bound a compile:
//!
//! 1. *One value.* Every array and hash stores its depth and its size (`value::Measure`); the evaluator refuses a value beyond
//!    the limits as soon as an expression or call returns it. So code that visits a value may recurse: no printer, comparison
//!    or conversion needs its own limits.
//! 2. *All values.* The code that creates a value reports its size in bytes ([`charge`]). Freed bytes are not subtracted: the
//!    count only determines when the evaluator measures the process ([`is_measurement_due`]). The memory that one call of a
//!    function may allocate in between is bounded by the same limit, or by a share of it while several compiles run ([`parallel`]).
//! 3. *Time.* Charges and steps of long loops ([`tick`]) count down to the next check of the time.
//!
//! In: charges and ticks of all code that the evaluator calls. Out: [`Exceeded`], returned by [`run`] or [`catch`]. An exceeded limit
//! unwinds the stack up to them (`resume_unwind`, not a panic: nothing is printed, no hook runs), since code that compares,
//! hashes and prints values returns no errors. Outside of [`run`] nothing unwinds and nothing is limited.
//! After a limit has ended a compile, its state is discarded.
//!
//! Must not: know values or limits by name. Counters belong to the thread that compiles; counting is one addition.
mod bounds;
mod charges;
mod counters;
mod forbidden;
pub mod parallel;
mod scope;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests;

pub use bounds::Bounds;
pub use bounds::Exceeded;
pub use bounds::MemoryGauge;
pub use bounds::RefusalSlot;
pub use charges::TICK_BATCH;
pub use charges::charge;
pub use charges::check_allocation;
pub use charges::check_elements;
pub use charges::check_string;
pub use charges::collect;
pub use charges::descend;
pub use charges::is_measurement_due;
pub use charges::push_str;
pub use charges::reset_bytes;
pub use charges::settle;
pub use charges::steps;
pub use charges::stop_recursion;
pub use charges::stop_search;
pub use charges::tick;
pub use charges::to_vec;
pub use forbidden::Forbidden;
pub use forbidden::forbid;
pub use forbidden::with_location;
pub use scope::bounds;
pub use scope::catch;
pub use scope::check;
pub use scope::extend_time;
pub use scope::is_over;
pub use scope::resume_exceeded;
pub use scope::run;
pub use scope::time_left;
pub use scope::with;
