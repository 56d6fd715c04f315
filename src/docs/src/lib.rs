//! Documentation of what a manifest can use (functions, resource types, classes and defines, data types) and of error codes.
//!
//! In: the tables of the program (`builtin`) and an environment (`site`: definitions of its modules with their comments).
//! Out: [`Page`]s, for a terminal, as Markdown or JSON (`render`). Must not: evaluate anything, print.

mod builtin;
mod comment;
mod guides;
mod page;
mod reference;
mod render;
mod ruby;
mod secret_types;
mod site;
#[cfg(test)]
mod tests;

pub use builtin::metaparameters;
pub use builtin::pages as builtin_pages;
pub use guides::KIND as GUIDE;
pub use guides::guide_name;
pub use guides::pages as guides;
pub use page::Attribute;
pub use page::Example;
pub use page::Page;
pub use page::Topic;
pub use page::find;
pub use page::nearest;
pub use reference::files as reference_files;
pub use render::book;
pub use render::json;
pub use render::list;
pub use render::markdown;
pub use render::page;
pub use site::pages as site_pages;
