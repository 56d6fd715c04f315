//! Functions in Rhai.
