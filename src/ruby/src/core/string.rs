//! `String`: strings that are text. Byte strings are in [`super::bytes`].
//!
//! | file | content |
//! |---|---|
//! | `basic` | joining, comparing, counting, converting |
//! | `case`, `trim`, `sets` | letter case; ends; sets of characters (`tr`) |
//! | `index` | parts by position |
//! | `pattern`, `search`, `replace`, `split` | patterns; searching, replacing and splitting by them |
//! | `number`, `format`, `encoding` | numbers in strings; values in a format; bytes |
//! | `change` | appending, replacing the contents |

mod basic;
mod case;
mod change;
mod encoding;
pub(crate) mod format;
mod index;
mod number;
mod pattern;
mod replace;
mod search;
mod sets;
mod split;
mod trim;

use super::common_methods;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

/// A function on a string as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Str(this) => $function(rt, this, args, block),
            other => rt.type_error(other, "String"),
        }
    };
}

/// The `!`-method of a function that returns a new string: changes the receiver, or returns `nil` if it stays the same.
macro_rules! bang {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Str(this) => $function(rt, this, args, block).map(|new| change::or_nil(this, &new)),
            other => rt.type_error(other, "String"),
        }
    };
}

/// As `bang`, for methods that always return the receiver.
macro_rules! in_place {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Str(this) => $function(rt, this, args, block).map(|new| change::in_place(this, &new)),
            other => rt.type_error(other, "String"),
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "String",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("%", 1, on!(basic::format)),
        Method::new("*", 1, on!(basic::times)),
        Method::new("+", 1, on!(basic::plus)),
        Method::new("+@", 0, on!(basic::unfrozen)),
        Method::new("-@", 0, on!(basic::frozen)),
        Method::new("<<", 1, on!(change::append)).changes_receiver(),
        Method::new("<=>", 1, on!(basic::order)),
        Method::new("==", 1, on!(basic::equals)),
        Method::new("===", 1, on!(basic::equals)),
        Method::new("=~", 1, on!(search::matches)),
        Method::between("[]", 1, 2, on!(index::slice)),
        Method::between("[]=", 2, 3, on!(index::set)).changes_receiver(),
        Method::new("ascii_only?", 0, on!(encoding::is_ascii)),
        Method::new("b", 0, on!(encoding::binary)),
        Method::new("bytes", 0, on!(split::bytes)),
        Method::new("bytesize", 0, on!(basic::bytesize)),
        Method::between("byteslice", 1, 2, on!(index::byteslice)),
        Method::between("capitalize", 0, 2, on!(case::capitalize)),
        Method::between("capitalize!", 0, 2, bang!(case::capitalize)).changes_receiver(),
        Method::new("casecmp", 1, on!(case::casecmp)),
        Method::new("casecmp?", 1, on!(case::is_casecmp)),
        Method::between("center", 1, 2, on!(trim::center)),
        Method::new("chars", 0, on!(split::chars)),
        Method::between("chomp", 0, 1, on!(trim::chomp)),
        Method::between("chomp!", 0, 1, bang!(trim::chomp)).changes_receiver(),
        Method::new("chop", 0, on!(trim::chop)),
        Method::new("chop!", 0, bang!(trim::chop)).changes_receiver(),
        Method::new("chr", 0, on!(basic::chr)),
        Method::new("clear", 0, on!(change::clear)).changes_receiver(),
        Method::new("codepoints", 0, on!(split::codepoints)),
        Method::at_least("concat", 0, on!(change::concat)).changes_receiver(),
        Method::at_least("count", 1, on!(sets::count)),
        Method::new("crypt", 1, on!(encoding::crypt)),
        Method::at_least("delete", 1, on!(sets::delete)),
        Method::at_least("delete!", 1, bang!(sets::delete)).changes_receiver(),
        Method::new("delete_prefix", 1, on!(trim::delete_prefix)),
        Method::new("delete_prefix!", 1, bang!(trim::delete_prefix)).changes_receiver(),
        Method::new("delete_suffix", 1, on!(trim::delete_suffix)),
        Method::new("delete_suffix!", 1, bang!(trim::delete_suffix)).changes_receiver(),
        Method::between("downcase", 0, 2, on!(case::downcase)),
        Method::between("downcase!", 0, 2, bang!(case::downcase)).changes_receiver(),
        Method::new("dump", 0, on!(encoding::dump)),
        Method::new("each_byte", 0, on!(split::bytes)).returns_enumerator(),
        Method::new("each_char", 0, on!(split::chars)).returns_enumerator(),
        Method::new("each_codepoint", 0, on!(split::codepoints)).returns_enumerator(),
        Method::new("each_grapheme_cluster", 0, on!(split::grapheme_clusters)).returns_enumerator(),
        Method::between("each_line", 0, 2, on!(split::lines)).returns_enumerator(),
        Method::new("empty?", 0, on!(basic::is_empty)),
        Method::between("encode", 0, 3, on!(encoding::encode)),
        Method::between("encode!", 0, 3, in_place!(encoding::encode)).changes_receiver(),
        Method::new("encoding", 0, on!(encoding::encoding)),
        Method::at_least("end_with?", 0, on!(search::ends_with)),
        Method::new("eql?", 1, common_methods::eql),
        Method::new("force_encoding", 1, on!(encoding::force_encoding)).changes_receiver(),
        Method::new("getbyte", 1, on!(index::getbyte)),
        Method::new("grapheme_clusters", 0, on!(split::grapheme_clusters)),
        Method::between("gsub", 1, 2, on!(replace::gsub)),
        Method::between("gsub!", 1, 2, on!(replace::gsub_bang)).changes_receiver(),
        Method::new("hash", 0, common_methods::hash),
        Method::new("hex", 0, on!(number::hex)),
        Method::new("include?", 1, on!(search::includes)),
        Method::between("index", 1, 2, on!(search::index)),
        Method::new("insert", 2, on!(index::insert)).changes_receiver(),
        Method::new("inspect", 0, on!(encoding::inspect)),
        Method::new("intern", 0, on!(basic::to_sym)),
        Method::new("length", 0, on!(basic::length)),
        Method::between("lines", 0, 2, on!(split::lines)),
        Method::between("ljust", 1, 2, on!(trim::ljust)),
        Method::new("lstrip", 0, on!(trim::lstrip)),
        Method::new("lstrip!", 0, bang!(trim::lstrip)).changes_receiver(),
        Method::between("match", 1, 2, on!(search::match_data)),
        Method::between("match?", 1, 2, on!(search::is_match)),
        Method::new("next", 0, on!(basic::succ)),
        Method::new("next!", 0, in_place!(basic::succ)).changes_receiver(),
        Method::new("oct", 0, on!(number::oct)),
        Method::new("ord", 0, on!(number::ord)),
        Method::new("partition", 1, on!(search::partition)),
        Method::at_least("prepend", 0, on!(change::prepend)).changes_receiver(),
        Method::new("replace", 1, on!(change::replace)).changes_receiver(),
        Method::new("reverse", 0, on!(basic::reverse)),
        Method::new("reverse!", 0, in_place!(basic::reverse)).changes_receiver(),
        Method::between("rindex", 1, 2, on!(search::rindex)),
        Method::between("rjust", 1, 2, on!(trim::rjust)),
        Method::new("rpartition", 1, on!(search::rpartition)),
        Method::new("rstrip", 0, on!(trim::rstrip)),
        Method::new("rstrip!", 0, bang!(trim::rstrip)).changes_receiver(),
        Method::new("scan", 1, on!(search::scan)),
        Method::between("scrub", 0, 1, on!(encoding::copy)),
        Method::between("scrub!", 0, 1, in_place!(basic::itself)).changes_receiver(),
        Method::new("shellescape", 0, on!(encoding::shellescape)),
        Method::new("shellsplit", 0, on!(encoding::shellsplit)),
        Method::new("size", 0, on!(basic::length)),
        Method::between("slice", 1, 2, on!(index::slice)),
        Method::between("slice!", 1, 2, on!(index::cut)).changes_receiver(),
        Method::between("split", 0, 2, on!(split::split)),
        Method::at_least("squeeze", 0, on!(sets::squeeze)),
        Method::at_least("squeeze!", 0, bang!(sets::squeeze)).changes_receiver(),
        Method::at_least("start_with?", 0, on!(search::starts_with)),
        Method::new("strip", 0, on!(trim::strip)),
        Method::new("strip!", 0, bang!(trim::strip)).changes_receiver(),
        Method::between("sub", 1, 2, on!(replace::sub)),
        Method::between("sub!", 1, 2, on!(replace::sub_bang)).changes_receiver(),
        Method::new("succ", 0, on!(basic::succ)),
        Method::new("succ!", 0, in_place!(basic::succ)).changes_receiver(),
        Method::between("sum", 0, 1, on!(number::sum)),
        Method::between("swapcase", 0, 2, on!(case::swapcase)),
        Method::between("swapcase!", 0, 2, bang!(case::swapcase)).changes_receiver(),
        Method::new("to_f", 0, on!(number::to_f)),
        Method::between("to_i", 0, 1, on!(number::to_i)),
        Method::new("to_r", 0, on!(number::to_r)),
        Method::new("to_s", 0, on!(basic::itself)),
        Method::new("to_str", 0, on!(basic::itself)),
        Method::new("to_sym", 0, on!(basic::to_sym)),
        Method::new("tr", 2, on!(sets::tr)),
        Method::new("tr!", 2, bang!(sets::tr)).changes_receiver(),
        Method::new("tr_s", 2, on!(sets::tr_s)),
        Method::new("tr_s!", 2, bang!(sets::tr_s)).changes_receiver(),
        Method::between("unicode_normalize", 0, 1, on!(encoding::copy)),
        Method::between("unicode_normalize!", 0, 1, in_place!(encoding::copy)).changes_receiver(),
        Method::between("unpack", 1, 2, on!(encoding::unpack)),
        Method::between("unpack1", 1, 2, on!(encoding::unpack1)),
        Method::between("upcase", 0, 2, on!(case::upcase)),
        Method::between("upcase!", 0, 2, bang!(case::upcase)).changes_receiver(),
        Method::between("upto", 1, 2, on!(split::upto)).returns_enumerator(),
        Method::new("valid_encoding?", 0, on!(encoding::is_valid)),
    ],
    singleton: &[Method::at_least("new", 0, basic::new)],
};

pub(crate) mod for_symbols {
    //! The string methods of symbols.

    pub(crate) use super::basic::is_empty;
    pub(crate) use super::basic::length;
    pub(crate) use super::basic::succ;
    pub(crate) use super::case::capitalize;
    pub(crate) use super::case::casecmp;
    pub(crate) use super::case::downcase;
    pub(crate) use super::case::is_casecmp;
    pub(crate) use super::case::swapcase;
    pub(crate) use super::case::upcase;
    pub(crate) use super::encoding::encoding;
    pub(crate) use super::index::slice;
    pub(crate) use super::search::ends_with;
    pub(crate) use super::search::is_match;
    pub(crate) use super::search::match_data;
    pub(crate) use super::search::matches;
    pub(crate) use super::search::starts_with;
}
