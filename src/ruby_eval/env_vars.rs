//! `ENV`: the environment variables of the process, each of them a question to the world.
//!
//! In: a call of one of its methods. Out: what a hash of the variables would answer. Must not: set any.

use super::Blk;
use super::Interp;
use super::Raise;
use super::value::Key;
use super::value::Map;
use super::value::Rv;

/// Methods that would change the process.
const CHANGES: &[&str] = &[
    "[]=",
    "store",
    "delete",
    "delete_if",
    "reject!",
    "select!",
    "filter!",
    "keep_if",
    "clear",
    "replace",
    "update",
    "merge!",
    "shift",
];

/// Methods of `ENV`.
pub(super) fn class_method(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if CHANGES.contains(&name) {
        return rt.unsupported(&format!("ENV.{name}"));
    }
    // What is about one variable asks for no other.
    let about_one = matches!(name, "[]" | "fetch" | "key?" | "has_key?" | "include?" | "member?");
    let names = match args.first() {
        Some(wanted) if about_one => vec![std::sync::Arc::from(rt.expect_str(wanted)?)],
        _ => rt.ev.world.env_names(),
    };
    let mut map = Map::default();
    for name in names {
        if let Some(value) = rt.ev.world.env(&name) {
            map.insert(Key(Rv::str(&*name)), Rv::str(&*value));
        }
    }
    let all = Rv::hash(map);
    match name {
        "to_h" | "to_hash" if block.is_none() => Ok(Some(all)),
        "to_s" => Ok(Some(Rv::str("ENV"))),
        "is_a?" | "class" | "respond_to?" | "===" | "send" | "nil?" | "equal?" | "eql?" | "frozen?" => Ok(None),
        "each" | "each_pair" if block.is_some() => {
            rt.try_native(&all, name, args, block)?;
            Ok(Some(Rv::Class(crate::name!("ENV"))))
        }
        _ => rt.try_native(&all, name, args, block),
    }
}
