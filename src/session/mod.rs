//! A site kept in memory: its caches, its nodes, their last catalogs.
pub mod inventory;
pub mod site;
