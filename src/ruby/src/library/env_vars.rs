//! `ENV`: the environment variables of the process, read through the world.
//!
//! In: a call of one of its methods. Out: the result of the method for a hash of the variables. Must not: change those of the
//! process. Changes by code last for the compile, and processes that it starts inherit them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerable;
use crate::object::Class;
use crate::object::Method;
use crate::object::class::Arity;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_world::WorldError;
use catwalk_world::worker::restricted;

/// A method of a hash of all variables.
macro_rules! of_all {
    ($name:literal, $min:expr, $max:expr) => {
        Method::between($name, $min, $max, |rt, _, args, block| {
            let variables = all_variables(rt)?;
            rt.call_method(&variables, $name, args, block)
        })
    };
}

/// A method of a hash with the one variable that the first argument names: the others are not read.
macro_rules! of_one {
    ($name:literal, $max:expr) => {
        Method::between($name, 1, $max, |rt, _, args, block| {
            let variables = named_variable(rt, args)?;
            rt.call_method(&variables, $name, args, block)
        })
    };
}

/// A method that would change many variables.
macro_rules! unsupported {
    ($name:literal, $count:expr) => {
        Method::new($name, $count, |rt, _, _, _| rt.unsupported(concat!("ENV.", $name)))
    };
}

/// The classes and modules of `ENV`.
const ANCESTORS: &[&str] = &["Enumerable", "Object", "Kernel", "BasicObject"];

/// `ENV` is an object, not a class: all of its methods are its own.
pub(crate) static ENV: Class = Class {
    name: "ENV",
    parent: None,
    includes: &[],
    extends: &[&enumerable::MODULE],
    methods: &[],
    singleton: &[
        of_one!("[]", 1),
        Method::new("[]=", 2, store),
        of_all!("assoc", 1, 1),
        Method::new("class", 0, |_, _, _, _| Ok(Rv::Class(catwalk_base::name!("Object")))),
        unsupported!("clear", 0),
        Method::new("delete", 1, delete),
        unsupported!("delete_if", 0),
        Method::new("dup", 0, |rt, _, _, _| {
            rt.raise("TypeError", "Cannot dup ENV, use ENV.to_h to get a copy of ENV as a hash")
        }),
        Method::new("each", 0, each).returns_enumerator(),
        of_all!("each_key", 0, 0),
        Method::new("each_pair", 0, each).returns_enumerator(),
        of_all!("each_value", 0, 0),
        of_all!("empty?", 0, 0),
        of_all!("except", 0, Arity::ANY),
        of_one!("fetch", 2),
        of_all!("filter", 0, 0),
        unsupported!("filter!", 0),
        Method::new("freeze", 0, |rt, _, _, _| rt.raise("TypeError", "cannot freeze ENV")),
        of_one!("has_key?", 1),
        of_all!("has_value?", 1, 1),
        of_one!("include?", 1),
        of_all!("inspect", 0, 0),
        of_all!("invert", 0, 0),
        Method::new("instance_of?", 1, |_, _, args, _| Ok(Rv::bool(is_class(args, &["Object"])))),
        Method::new("is_a?", 1, |_, _, args, _| Ok(Rv::bool(is_class(args, ANCESTORS)))),
        unsupported!("keep_if", 0),
        of_all!("key", 1, 1),
        of_one!("key?", 1),
        of_all!("keys", 0, 0),
        Method::new("kind_of?", 1, |_, _, args, _| Ok(Rv::bool(is_class(args, ANCESTORS)))),
        of_all!("length", 0, 0),
        of_one!("member?", 1),
        Method::new("merge!", 1, update),
        of_all!("rassoc", 1, 1),
        of_all!("reject", 0, 0),
        unsupported!("reject!", 0),
        unsupported!("replace", 1),
        of_all!("select", 0, 0),
        unsupported!("select!", 0),
        unsupported!("shift", 0),
        of_all!("size", 0, 0),
        of_all!("slice", 0, Arity::ANY),
        Method::new("store", 2, store),
        of_all!("to_a", 0, 0),
        of_all!("to_h", 0, 0),
        of_all!("to_hash", 0, 0),
        Method::new("to_s", 0, |_, _, _, _| Ok(Rv::str("ENV"))),
        Method::new("update", 1, update),
        of_all!("value?", 1, 1),
        of_all!("values", 0, 0),
        of_all!("values_at", 0, Arity::ANY),
    ],
};

/// A variable as set by code, else that of the process.
fn variable(rt: &Interp<'_>, name: &str) -> Option<Arc<str>> {
    match rt.state_ref().env.get(name) {
        Some(changed) => changed.clone(),
        None => rt.host.world().env(name).map(|value| Arc::from(&*value)),
    }
}

/// Sets a variable for this compile; `nil` removes it.
fn set(rt: &mut Interp<'_>, name: &Rv, value: &Rv) -> Raise<()> {
    let name: Arc<str> = Arc::from(&*rt.expect_str(name)?);
    let value = if value.is_nil() { None } else { Some(Arc::from(&*rt.expect_str(value)?)) };
    rt.state().env.insert(name, value);
    Ok(())
}

/// The command that starts a program with the variables that code changed.
pub(crate) fn with_changed_variables(changed: &BTreeMap<Arc<str>, Option<Arc<str>>>, argv: Vec<String>) -> Vec<String> {
    if changed.is_empty() {
        return argv;
    }
    let mut command = vec!["env".to_owned()];
    for name in changed.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| name) {
        command.extend(["-u".to_owned(), name.to_string()]);
    }
    let set = changed.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_deref()?)));
    command.extend(set);
    command.extend(argv);
    command
}

fn argument(args: &[Rv], at: usize) -> Rv {
    args.get(at).cloned().unwrap_or(Rv::Nil)
}

/// Whether the first argument is one of these classes.
fn is_class(args: &[Rv], classes: &[&str]) -> bool {
    matches!(args.first(), Some(Rv::Class(class)) if classes.contains(&class.as_str()))
}

/// `ENV[name] = value`
fn store(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = argument(args, 1);
    set(rt, &argument(args, 0), &value)?;
    Ok(value)
}

fn delete(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let name = argument(args, 0);
    let key = rt.expect_str(&name)?;
    let before = variable(rt, &key);
    set(rt, &name, &Rv::Nil)?;
    Ok(before.map_or(Rv::Nil, |value| Rv::str(&*value)))
}

fn update(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(Rv::Hash(hash)) = args.first().filter(|_| block.is_none()) else {
        return rt.unsupported("ENV.update with these arguments");
    };
    let pairs: Vec<(Key, Rv)> = hash.map.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    for (Key(name), value) in pairs {
        set(rt, &name, &value)?;
    }
    Ok(this.clone())
}

fn each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let variables = all_variables(rt)?;
    rt.call_method(&variables, "each_pair", &[], block)?;
    Ok(this.clone())
}

/// Refuses to read variables for a script, as starting a process or reading outside of the site: a wrong answer would hide it.
fn check_may_read(rt: &mut Interp<'_>) -> Raise<()> {
    if restricted::is_for_script(rt.host.world()) {
        return rt.raise_refusal(&WorldError::NotAllowed(Arc::from(restricted::NO_ENVIRONMENT)), "");
    }
    Ok(())
}

/// All variables as a hash.
fn all_variables(rt: &mut Interp<'_>) -> Raise<Rv> {
    check_may_read(rt)?;
    let mut names = rt.host.world().env_names();
    names.extend(rt.state().env.keys().cloned());
    Ok(variables(rt, names))
}

/// The variable that the first argument names as a hash, which is empty if the variable is not set.
fn named_variable(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    check_may_read(rt)?;
    let name = rt.expect_str(&argument(args, 0))?;
    Ok(variables(rt, vec![Arc::from(name)]))
}

fn variables(rt: &Interp<'_>, names: Vec<Arc<str>>) -> Rv {
    let mut map = Map::default();
    for name in names {
        if let Some(value) = variable(rt, &name) {
            map.insert(Key(Rv::str(&*name)), Rv::str(&*value));
        }
    }
    Rv::hash(map)
}
