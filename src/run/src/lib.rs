//! Runs: a catalog is compiled for this machine or a device and applied to it; resources are shown and changed.
//!
//! In: the options of a site, [`ApplyOptions`] or [`ResourceOptions`]. Out: a changed machine, an exit code, a report, a plan; calls of a
//! [`RunLog`]. Must not: know terminals and options of commands, handle signals.
//!
//! | file | what |
//! |---|---|
//! | `apply` | compiles a catalog and applies it |
//! | `resource`, `print` | shows and changes resources |
//! | `run_context`, `settings`, `embedded_types` | the kinds of resources, the machine, deferred functions |
//! | `device` | a device in place of this machine |
//! | `machine_facts` | facts of this machine |
//! | `results`, `reporting` | plans, state, reports, exit codes |
//! | `run_log` | what a run prints |

mod apply;
mod device;
mod embedded_types;
mod machine_facts;
mod print;
mod reporting;
mod resource;
mod results;
mod run_context;
mod run_log;
mod settings;

pub use apply::ApplyOptions;
pub use apply::Services;
pub use apply::apply;
pub use device::DeviceOptions;
pub use machine_facts::facts as machine_facts;
pub use machine_facts::host_name;
pub use reporting::ReportFormat;
pub use reporting::ReportOptions;
pub use resource::ResourceFormat;
pub use resource::ResourceOptions;
pub use resource::resource;
pub use run_log::RunLog;
pub use run_log::level_of;
