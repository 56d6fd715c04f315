//! `Enumerable`: methods that arrays, hashes, ranges, sets, enumerators and objects with `each` share.
//!
//! In: a value that can be iterated ([`super::walk`]). Out: the result of the method. Must not: know how enumerators find their
//! items ([`super::enumerator`]).
//!
//! | file | content |
//! |---|---|
//! | `find` | one item, or a predicate of all |
//! | `fold` | all items folded into one value |
//! | `group` | items in groups, slices and hashes |
//! | `list` | arrays of results, or of selected items |
//! | `order` | sorted, smallest, largest |

pub(crate) mod find;
pub(crate) mod fold;
pub(crate) mod group;
pub(crate) mod list;
pub(crate) mod order;

use crate::object::Class;
use crate::object::Method;

pub(crate) static MODULE: Class = Class {
    name: "Enumerable",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::between("all?", 0, 1, find::all).may_stop_early(),
        Method::between("any?", 0, 1, find::any).may_stop_early(),
        Method::at_least("chain", 0, list::chain),
        Method::new("chunk", 0, group::chunk).returns_enumerator(),
        Method::new("chunk_while", 0, group::chunk_while),
        Method::new("collect", 0, list::map).returns_enumerator().may_stop_early(),
        Method::new("collect_concat", 0, list::flat_map).returns_enumerator(),
        Method::new("compact", 0, list::compact),
        Method::between("count", 0, 1, find::count),
        Method::between("cycle", 0, 1, list::cycle).returns_enumerator(),
        Method::between("detect", 0, 1, find::find).returns_enumerator().may_stop_early(),
        Method::new("drop", 1, list::drop),
        Method::new("drop_while", 0, list::drop_while).returns_enumerator(),
        Method::new("each_cons", 1, group::each_cons).returns_enumerator().may_stop_early(),
        Method::at_least("each_entry", 0, list::each_entry).returns_enumerator().may_stop_early(),
        Method::new("each_slice", 1, group::each_slice).returns_enumerator().may_stop_early(),
        Method::at_least("each_with_index", 0, list::each_with_index).returns_enumerator().may_stop_early(),
        Method::new("each_with_object", 1, fold::each_with_object).returns_enumerator().may_stop_early(),
        Method::at_least("entries", 0, list::to_a),
        Method::new("filter", 0, list::select).returns_enumerator(),
        Method::new("filter_map", 0, list::filter_map).returns_enumerator(),
        Method::between("find", 0, 1, find::find).returns_enumerator().may_stop_early(),
        Method::new("find_all", 0, list::select).returns_enumerator(),
        Method::between("find_index", 0, 1, find::find_index).may_stop_early(),
        Method::between("first", 0, 1, find::first).may_stop_early(),
        Method::new("flat_map", 0, list::flat_map).returns_enumerator(),
        Method::new("grep", 1, list::grep),
        Method::new("grep_v", 1, list::grep_v),
        Method::new("group_by", 0, group::group_by).returns_enumerator(),
        Method::new("include?", 1, find::include).may_stop_early(),
        Method::between("inject", 0, 2, fold::inject),
        Method::new("lazy", 0, list::lazy),
        Method::new("map", 0, list::map).returns_enumerator().may_stop_early(),
        Method::between("max", 0, 1, order::max),
        Method::between("max_by", 0, 1, order::max_by).returns_enumerator(),
        Method::new("member?", 1, find::include).may_stop_early(),
        Method::between("min", 0, 1, order::min),
        Method::between("min_by", 0, 1, order::min_by).returns_enumerator(),
        Method::new("minmax", 0, order::minmax),
        Method::new("minmax_by", 0, order::minmax_by).returns_enumerator(),
        Method::between("none?", 0, 1, find::none).may_stop_early(),
        Method::between("one?", 0, 1, find::one),
        Method::new("partition", 0, group::partition).returns_enumerator(),
        Method::between("reduce", 0, 2, fold::inject),
        Method::new("reject", 0, list::reject).returns_enumerator(),
        Method::at_least("reverse_each", 0, list::reverse_each).returns_enumerator(),
        Method::new("select", 0, list::select).returns_enumerator(),
        Method::between("slice_after", 0, 1, group::slice_after),
        Method::between("slice_before", 0, 1, group::slice_before),
        Method::new("slice_when", 0, group::slice_when),
        Method::new("sort", 0, order::sort),
        Method::new("sort_by", 0, order::sort_by).returns_enumerator(),
        Method::between("sum", 0, 1, fold::sum),
        Method::new("take", 1, find::take).may_stop_early(),
        Method::new("take_while", 0, find::take_while).returns_enumerator().may_stop_early(),
        Method::between("tally", 0, 1, group::tally),
        Method::at_least("to_a", 0, list::to_a),
        Method::at_least("to_h", 0, group::to_h),
        Method::at_least("to_set", 0, group::to_set),
        Method::new("uniq", 0, group::uniq),
        Method::at_least("zip", 0, list::zip),
    ],
    singleton: &[],
};
