//! `Array`.
//!
//! | file | content |
//! |---|---|
//! | `read` | items by index, predicates, `join` |
//! | `walk` | `each` and other iterations |
//! | `combine` | new arrays from one or several |
//! | `choose` | combinations, permutations, products, random choices |
//! | `change` | changes at an index |
//! | `filter` | changes of the whole array, by a block or another method |

mod change;
mod choose;
pub(crate) mod combine;
mod filter;
mod join;
mod read;
mod walk;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Array",
    parent: None,
    includes: &[&super::enumerable::MODULE],
    extends: &[],
    methods: &[
        Method::new("&", 1, combine::intersection),
        Method::new("*", 1, combine::times),
        Method::new("+", 1, combine::plus),
        Method::new("-", 1, combine::difference),
        Method::new("<<", 1, change::push).changes_receiver(),
        Method::new("<=>", 1, read::order),
        Method::new("==", 1, common_methods::equal),
        Method::between("[]", 1, 2, read::get),
        Method::between("[]=", 2, 3, change::set).changes_receiver(),
        Method::at_least("append", 0, change::push).changes_receiver(),
        Method::new("assoc", 1, read::assoc),
        Method::new("at", 1, read::at),
        Method::new("bsearch", 0, read::bsearch).returns_enumerator(),
        Method::new("bsearch_index", 0, read::bsearch_index).returns_enumerator(),
        Method::new("clear", 0, change::clear).changes_receiver(),
        Method::new("collect!", 0, filter::map).changes_receiver().returns_enumerator(),
        Method::new("combination", 1, choose::combination).returns_enumerator(),
        Method::new("compact", 0, combine::compact),
        Method::new("compact!", 0, filter::compact).changes_receiver(),
        Method::at_least("concat", 0, change::concat).changes_receiver(),
        Method::between("count", 0, 1, walk::count),
        Method::new("deconstruct", 0, common_methods::itself),
        Method::new("delete", 1, filter::delete),
        Method::new("delete_at", 1, change::delete_at).changes_receiver(),
        Method::new("delete_if", 0, filter::delete_if).changes_receiver().returns_enumerator(),
        Method::at_least("difference", 0, combine::difference),
        Method::at_least("dig", 1, read::dig),
        Method::new("drop", 1, read::drop),
        Method::new("each", 0, walk::each).returns_enumerator(),
        Method::new("each_index", 0, walk::each_index).returns_enumerator(),
        Method::new("empty?", 0, read::is_empty),
        Method::new("eql?", 1, common_methods::eql),
        Method::between("fetch", 1, 2, read::fetch),
        Method::between("fill", 0, 3, change::fill).changes_receiver(),
        Method::new("filter!", 0, filter::select).changes_receiver().returns_enumerator(),
        Method::between("find_index", 0, 1, walk::find_index),
        Method::between("first", 0, 1, read::first),
        Method::between("flatten", 0, 1, combine::flatten),
        Method::between("flatten!", 0, 1, filter::flatten).changes_receiver(),
        Method::new("hash", 0, common_methods::hash),
        Method::new("include?", 1, walk::include),
        Method::between("index", 0, 1, walk::index),
        Method::at_least("insert", 1, change::insert).changes_receiver(),
        Method::new("inspect", 0, common_methods::inspect),
        Method::new("intersect?", 1, combine::intersects),
        Method::at_least("intersection", 0, combine::intersection),
        Method::between("join", 0, 1, join::join),
        Method::new("keep_if", 0, filter::keep_if).changes_receiver().returns_enumerator(),
        Method::between("last", 0, 1, read::last),
        Method::new("length", 0, read::length),
        Method::new("map!", 0, filter::map).changes_receiver().returns_enumerator(),
        Method::between("pack", 1, 2, join::pack),
        Method::between("permutation", 0, 1, choose::permutation).returns_enumerator(),
        Method::between("pop", 0, 1, change::pop).changes_receiver(),
        Method::at_least("prepend", 0, change::unshift).changes_receiver(),
        Method::at_least("product", 0, choose::product),
        Method::at_least("push", 0, change::push).changes_receiver(),
        Method::new("rassoc", 1, read::rassoc),
        Method::new("reject!", 0, filter::reject).changes_receiver().returns_enumerator(),
        Method::new("repeated_combination", 1, choose::repeated_combination).returns_enumerator(),
        Method::new("repeated_permutation", 1, choose::repeated_permutation).returns_enumerator(),
        Method::new("replace", 1, change::replace).changes_receiver(),
        Method::new("reverse", 0, combine::reverse),
        Method::new("reverse!", 0, filter::reverse).changes_receiver(),
        Method::new("reverse_each", 0, walk::reverse_each).returns_enumerator(),
        Method::between("rindex", 0, 1, walk::rindex),
        Method::between("rotate", 0, 1, combine::rotate),
        Method::between("rotate!", 0, 1, filter::rotate).changes_receiver(),
        Method::between("sample", 0, 2, choose::sample),
        Method::new("select!", 0, filter::select).changes_receiver().returns_enumerator(),
        Method::new("shelljoin", 0, join::shelljoin),
        Method::between("shift", 0, 1, change::shift).changes_receiver(),
        Method::between("shuffle", 0, 1, choose::shuffle),
        Method::between("shuffle!", 0, 1, filter::shuffle).changes_receiver(),
        Method::new("size", 0, read::length),
        Method::between("slice", 1, 2, read::get),
        Method::between("slice!", 1, 2, change::slice).changes_receiver(),
        Method::new("sort!", 0, filter::sort).changes_receiver(),
        Method::new("sort_by!", 0, filter::sort_by).changes_receiver().returns_enumerator(),
        Method::new("take", 1, read::take),
        Method::new("to_a", 0, common_methods::itself),
        Method::new("to_ary", 0, common_methods::itself),
        Method::new("to_s", 0, common_methods::inspect),
        Method::new("transpose", 0, combine::transpose),
        Method::at_least("union", 0, combine::union),
        Method::new("uniq!", 0, filter::uniq).changes_receiver(),
        Method::at_least("unshift", 0, change::unshift).changes_receiver(),
        Method::at_least("values_at", 0, read::values_at),
        Method::new("|", 1, combine::union),
    ],
    singleton: &[
        Method::at_least("[]", 0, |_, _, args, _| Ok(Rv::array(args.to_vec()))),
        Method::between("new", 0, 2, new),
    ],
};

/// `Array.new(size, value)`, `Array.new(size) { |index| … }`, `Array.new(array)`
fn new(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (size, value) = (args.first().unwrap_or(&Rv::Nil), args.get(1));
    match size {
        Rv::Int(_) | Rv::Big(_) | Rv::Float(_) => {
            let Ok(count) = usize::try_from(rt.expect_int(size)?) else {
                return rt.raise("ArgumentError", "negative array size");
            };
            rt.check_size(count.saturating_mul(32))?;
            let mut items = Vec::with_capacity(count);
            for at in 0..count {
                items.push(match block {
                    Some(block) => rt.yield_value(block, Rv::int(at))?,
                    None => value.cloned().unwrap_or(Rv::Nil),
                });
            }
            Ok(Rv::array(items))
        }
        Rv::Array(items) => Ok(Rv::array(items.borrow().clone())),
        _ => Ok(Rv::array(Vec::new())),
    }
}

/// The position of an index in an array of `size` items; a negative index counts from the end.
fn resolve_index(rt: &mut Interp<'_>, size: usize, index: &Rv) -> Raise<Option<usize>> {
    let index = rt.expect_int(index)?;
    let index = if index < 0 { index + size as i64 } else { index };
    Ok(usize::try_from(index).ok())
}

/// Start and length of the items that `[start, length]` or `[range]` selects; `None` if the start is outside.
fn resolve_span(rt: &mut Interp<'_>, size: usize, selector: &[Rv]) -> Raise<Option<(usize, usize)>> {
    Ok(match selector {
        [Rv::Range(range)] => super::range::bounds(range, size),
        [at, length] => {
            let (at, length) = (rt.expect_int(at)?, rt.expect_int(length)?);
            let at = if at < 0 { at + size as i64 } else { at };
            match (usize::try_from(at), usize::try_from(length)) {
                (Ok(at), Ok(length)) if at <= size => Some((at, length.min(size - at))),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The items of an argument that must be an array.
fn array_operand(rt: &mut Interp<'_>, value: &Rv) -> Raise<Vec<Rv>> {
    match value {
        Rv::Array(items) => Ok(items.borrow().clone()),
        Rv::Set(_) => rt.items(value),
        Rv::Object(object) if matches!(&*object.native.borrow(), Some(Rv::Array(_))) => rt.to_list(value),
        Rv::Object(_) if rt.has_method(value, catwalk_base::name!("to_ary")) => {
            let list = rt.call_method(value, "to_ary", &[], None)?;
            rt.to_list(&list)
        }
        other => rt.type_error(other, "Array"),
    }
}
