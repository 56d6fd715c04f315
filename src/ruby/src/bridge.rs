//! Values of the host ([`catwalk_value::Value`]) from and to those of Ruby; objects that both share.

pub(crate) mod convert;
pub(crate) mod object_store;
pub(crate) mod shared_collections;
