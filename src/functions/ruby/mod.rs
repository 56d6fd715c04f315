//! Ruby's behaviour where it shows in what functions give: conversions, `inspect`, case, paths, shell words.
//!
//! In: values and text. Out: what the Ruby method of the same name gives. Must not: know calls or scopes.

mod compare;
mod inspect;
mod json;
mod number;
mod path;
mod shell;
mod succ;
mod text;
mod yaml;

pub(crate) use crate::types::capitalize;
pub(crate) use crate::value::ruby::plain_receiver;
pub(crate) use crate::value::ruby::receiver;
pub(crate) use crate::value::ruby::sort;
pub(crate) use compare::block_order;
pub(crate) use compare::compare;
pub(crate) use compare::not_comparable;
pub(crate) use inspect::class_name;
pub(crate) use inspect::conversion_name;
pub(crate) use inspect::inspect;
pub(crate) use inspect::inspect_text;
pub(crate) use inspect::plain_class_name;
pub(crate) use inspect::plain_conversion_name;
pub(crate) use inspect::to_s;
pub(crate) use json::Layout;
pub(crate) use json::json_text;
pub(crate) use json::to_json;
pub(crate) use number::float_text;
pub(crate) use number::kernel_float;
pub(crate) use number::kernel_integer;
pub(crate) use number::kernel_number;
pub(crate) use number::to_f;
pub(crate) use number::to_i;
pub(crate) use number::to_integer;
pub(crate) use path::basename;
pub(crate) use path::dirname;
pub(crate) use path::extname;
pub(crate) use shell::shellescape;
pub(crate) use shell::shellsplit;
pub(crate) use succ::succ;
pub(crate) use text::char_ranges;
pub(crate) use text::chomp;
pub(crate) use text::chop;
pub(crate) use text::count;
pub(crate) use text::downcase;
pub(crate) use text::is_space;
pub(crate) use text::split_text;
pub(crate) use text::squeeze;
pub(crate) use text::swapcase;
pub(crate) use text::upcase;
pub(crate) use yaml::YamlOptions;
pub(crate) use yaml::to_yaml;
