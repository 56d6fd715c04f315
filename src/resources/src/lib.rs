//! Resource types that are managed in Rust: notify, exec, file and those that only configure others.
//!
//! In: declared resources. Out: [`catwalk_apply::ResourceKind`]s. Must not: know the order in which resources are applied.

mod exec;
mod notify;
mod parameters;

use std::rc::Rc;

use catwalk_apply::ResourceKind;

pub use exec::ExecKind;
pub use notify::NotifyKind;

/// All resource types that are managed in Rust.
#[must_use]
pub fn kinds() -> Vec<Rc<dyn ResourceKind>> {
    vec![Rc::new(NotifyKind), Rc::new(ExecKind)]
}
