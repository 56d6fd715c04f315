//! Resource types that are implemented in Rust: notify, exec, file and those without properties.
//!
//! In: declared resources. Out: [`catwalk_apply::ResourceKind`]s. Must not: know the order in which resources are applied.

mod anchor;
mod automatic;
pub mod embedded;
mod exec;
mod file;
mod filebucket;
mod notify;
mod parameters;

use std::cell::RefCell;
use std::rc::Rc;

use catwalk_apply::ResourceKind;

pub use anchor::AnchorKind;
pub use automatic::Neighbours;
pub use automatic::RelatedResource;
pub use automatic::RelatedType;
pub use automatic::automatic_relations;
pub use exec::ExecKind;
pub use file::FileKind;
pub use file::Settings;
pub use file::looks_like_checksum;
pub use filebucket::FilebucketKind;
pub use notify::NotifyKind;

/// All resource types that are implemented in Rust, for one run.
#[must_use]
pub fn kinds(settings: Settings) -> Vec<Rc<dyn ResourceKind>> {
    let run_state = Rc::new(RefCell::new(file::FileRunState::default()));
    let filebucket = FilebucketKind { run_state: run_state.clone(), default: settings.bucket.clone() };
    let file = FileKind::new(settings, run_state);
    vec![Rc::new(NotifyKind), Rc::new(ExecKind), Rc::new(file), Rc::new(filebucket), Rc::new(AnchorKind)]
}
