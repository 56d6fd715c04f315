//! Validates manifests, templates, data, configurations, test files and scripts.
//!
//! In: files, directories, or code. Out: diagnostics, also as JSON or SARIF. Must not: compile, print.
//!
//! | file | what |
//! |---|---|
//! | `checker` | the files to check, and the check of each |
//! | `documents` | files other than manifests |
//! | `placement` | the modules that contain manifests |
//! | `template` | ERB templates |
//! | `report` | JSON and SARIF |

mod checker;
mod documents;
mod placement;
mod report;
mod template;

pub use checker::FileList;
pub use checker::check_code;
pub use checker::check_files;
pub use checker::list_files;
pub use report::json;
pub use report::sarif;
