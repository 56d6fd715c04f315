//! HTTP apart from Puppet: requests taken apart, answers put together.
//!
//! | file | what |
//! |---|---|
//! | `answer` | answers, with gzip |
//! | `file_body` | the body of an answer that is read from a file while it is sent |
//! | `form` | percent-encoding, queries, forms |
//! | `patience` | connections whose client must take data in time |

pub(crate) mod answer;
pub(crate) mod file_body;
pub(crate) mod form;
pub(crate) mod patience;
