//! HTTP for servers: connections and their limits, memory for bodies, queues of work, forms, responses.
//!
//! In: addresses of clients, numbers of bytes, functions that block. Out: slots, reservations, results, responses. Must not: know routes,
//! verify certificates. It runs on Unix.
//!
//! | file | what |
//! |---|---|
//! | `answer` | responses, with gzip |
//! | `connections` | the open connections and their limits |
//! | `file_body` | a response body that is read from a file while it is sent |
//! | `form` | percent-encoding, queries, forms |
//! | `memory` | the memory for bodies of requests |
//! | `work` | blocking work on threads with a limited queue |
//! | `write_timeout` | a time limit for clients that do not read |
#![cfg(unix)]

mod answer;
mod connections;
mod file_body;
mod form;
mod memory;
mod work;
mod write_timeout;

pub use answer::Answer;
pub use answer::Content;
pub use answer::JSON;
pub use answer::OCTETS;
pub use answer::TEXT;
pub use answer::TEXT_UTF8;
pub use answer::takes_gzip;
pub use connections::Answering;
pub use connections::ConnectionLimits;
pub use connections::Connections;
pub use connections::Slot;
pub use file_body::AnswerBody;
pub use file_body::FileBody;
pub use form::MalformedForm;
pub use form::Parameters;
pub use form::decode;
pub use form::decode_form;
pub use form::parts;
pub use memory::BodyMemory;
pub use memory::BodyOwner;
pub use memory::Memory;
pub use memory::RequestMemory;
pub use memory::Reservation;
pub use memory::parsed_size;
pub use work::Turn;
pub use work::Turns;
pub use work::WorkError;
pub use work::WorkQueue;
pub use work::random_between;
pub use write_timeout::WriteTimeout;
