//! HTTP, independent of Puppet: parsing requests, building responses.
//!
//! | file | what |
//! |---|---|
//! | `answer` | responses, with gzip |
//! | `file_body` | a response body that is read from a file while it is sent |
//! | `form` | percent-encoding, queries, forms |
//! | `write_timeout` | a time limit for clients that do not read |

pub(crate) mod answer;
pub(crate) mod file_body;
pub(crate) mod form;
pub(crate) mod refusal;
pub(crate) mod write_timeout;
