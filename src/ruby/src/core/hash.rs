//! `Hash`.
//!
//! | file | content |
//! |---|---|
//! | `read` | values by key, predicates |
//! | `walk` | `each` and other iterations |
//! | `derive` | new hashes and arrays |
//! | `change` | changes of the hash |

mod change;
mod derive;
mod read;
mod walk;

use super::common_methods;
pub(crate) use change::put;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Hash",
    parent: None,
    includes: &[&super::enumerable::MODULE],
    extends: &[],
    methods: &[
        Method::new("<", 1, read::is_proper_subset),
        Method::new("<=", 1, read::is_subset),
        Method::new("==", 1, common_methods::equal),
        Method::new(">", 1, read::is_proper_superset),
        Method::new(">=", 1, read::is_superset),
        Method::new("[]", 1, read::index),
        Method::new("[]=", 2, change::store).changes_receiver(),
        Method::between("any?", 0, 1, walk::any),
        Method::new("assoc", 1, read::assoc),
        Method::new("clear", 0, change::clear).changes_receiver(),
        Method::new("compact", 0, derive::compact),
        Method::new("compact!", 0, change::compact).changes_receiver(),
        Method::between("count", 0, 1, walk::count),
        Method::new("deconstruct_keys", 1, common_methods::itself),
        Method::between("default", 0, 1, read::default),
        Method::new("default=", 1, change::set_default).changes_receiver(),
        Method::new("default_proc", 0, read::default_proc),
        Method::new("default_proc=", 1, change::set_default_proc).changes_receiver(),
        Method::new("delete", 1, change::delete).changes_receiver(),
        Method::new("delete_if", 0, change::delete_if).changes_receiver().returns_enumerator(),
        Method::at_least("dig", 1, read::dig),
        Method::new("each", 0, walk::each).returns_enumerator(),
        Method::new("each_key", 0, walk::each_key).returns_enumerator(),
        Method::new("each_pair", 0, walk::each).returns_enumerator(),
        Method::new("each_value", 0, walk::each_value).returns_enumerator(),
        Method::new("empty?", 0, read::is_empty),
        Method::new("eql?", 1, common_methods::eql),
        Method::at_least("except", 0, derive::except),
        Method::between("fetch", 1, 2, read::fetch),
        Method::at_least("fetch_values", 0, read::fetch_values),
        Method::new("filter", 0, derive::select).returns_enumerator(),
        Method::new("filter!", 0, change::select).changes_receiver().returns_enumerator(),
        Method::between("flatten", 0, 1, derive::flatten),
        Method::new("has_key?", 1, read::has_key),
        Method::new("has_value?", 1, read::has_value),
        Method::new("hash", 0, common_methods::hash),
        Method::new("include?", 1, read::has_key),
        Method::new("inspect", 0, common_methods::inspect),
        Method::new("invert", 0, derive::invert),
        Method::new("keep_if", 0, change::keep_if).changes_receiver().returns_enumerator(),
        Method::new("key", 1, read::key),
        Method::new("key?", 1, read::has_key),
        Method::new("keys", 0, read::keys),
        Method::new("length", 0, read::length),
        Method::new("member?", 1, read::has_key),
        Method::at_least("merge", 0, derive::merge),
        Method::at_least("merge!", 0, change::merge).changes_receiver(),
        Method::new("rassoc", 1, read::rassoc),
        Method::new("rehash", 0, change::rehash).changes_receiver(),
        Method::new("reject", 0, derive::reject).returns_enumerator(),
        Method::new("reject!", 0, change::reject).changes_receiver().returns_enumerator(),
        Method::new("replace", 1, change::replace).changes_receiver(),
        Method::new("select", 0, derive::select).returns_enumerator(),
        Method::new("select!", 0, change::select).changes_receiver().returns_enumerator(),
        Method::new("shift", 0, change::shift).changes_receiver(),
        Method::new("size", 0, read::length),
        Method::at_least("slice", 0, derive::slice),
        Method::new("store", 2, change::store).changes_receiver(),
        Method::new("to_a", 0, derive::to_a),
        Method::new("to_h", 0, walk::to_h),
        Method::new("to_hash", 0, common_methods::itself),
        Method::new("to_proc", 0, read::to_proc),
        Method::new("to_s", 0, common_methods::inspect),
        Method::between("transform_keys", 0, 1, derive::transform_keys),
        Method::between("transform_keys!", 0, 1, change::transform_keys).changes_receiver(),
        Method::new("transform_values", 0, derive::transform_values).returns_enumerator(),
        Method::new("transform_values!", 0, change::transform_values).changes_receiver().returns_enumerator(),
        Method::at_least("update", 0, change::merge).changes_receiver(),
        Method::new("value?", 1, read::has_value),
        Method::new("values", 0, read::values),
        Method::at_least("values_at", 0, read::values_at),
    ],
    singleton: &[Method::at_least("[]", 0, of_pairs), Method::between("new", 0, 1, new)],
};

/// `Hash.new(default)`, `Hash.new { |hash, key| … }`
fn new(_: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let hash = HashObject::new(Map::default());
    *hash.default.borrow_mut() = args.first().cloned().unwrap_or(Rv::Nil);
    *hash.default_proc.borrow_mut() = block.cloned();
    Ok(Rv::Hash(hash))
}

/// `Hash[key, value, …]`, `Hash[pairs]`, `Hash[hash]`
fn of_pairs(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        Some(pairs @ Rv::Array(_)) if args.len() == 1 => super::enumerable::group::to_h(rt, pairs, &[], None),
        Some(Rv::Hash(hash)) => Ok(Rv::hash(hash.map.borrow().clone())),
        _ if args.len() % 2 == 1 => rt.raise("ArgumentError", "odd number of arguments for Hash"),
        _ => {
            let entries =
                args.chunks(2).filter_map(|pair| Some((Key::from_value(pair.first()?), pair.get(1)?.clone())));
            Ok(Rv::hash(entries.collect()))
        }
    }
}
