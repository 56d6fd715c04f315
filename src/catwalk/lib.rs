//! Catwalk: Puppet catalogs, compiled as you type.
//!
//! This package is the program: the command line ([`cli`]) and the modules that only commands use. The compiler consists of the other
//! crates in `src/`.

pub mod cli;
