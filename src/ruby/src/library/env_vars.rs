//! `ENV`: the environment variables of the process, read through the world.
//!
//! In: a call of one of its methods. Out: the result of the method for a hash of the variables. Must not: change those of the
//! process. Changes by code last for the compile, and processes that it starts inherit them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_world::WorldError;
use catwalk_world::worker::restricted;

/// Unsupported methods that change the variables.
const UNSUPPORTED_CHANGES: &[&str] =
    &["delete_if", "reject!", "select!", "filter!", "keep_if", "clear", "replace", "shift"];

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

/// Methods of `ENV`.
pub(crate) fn class_method(rt: &mut Interp<'_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if UNSUPPORTED_CHANGES.contains(&name) {
        return rt.unsupported(&format!("ENV.{name}"));
    }
    match (name, args) {
        ("[]=" | "store", [name, value]) => {
            set(rt, name, value)?;
            return Ok(Some(value.clone()));
        }
        ("delete", [name]) => {
            let key = rt.expect_str(name)?;
            let before = variable(rt, &key);
            set(rt, name, &Rv::Nil)?;
            return Ok(Some(before.map_or(Rv::Nil, |value| Rv::str(&*value))));
        }
        ("update" | "merge!", [Rv::Hash(hash)]) => {
            let pairs: Vec<(Key, Rv)> =
                hash.map.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            for (Key(name), value) in pairs {
                set(rt, &name, &value)?;
            }
            return Ok(Some(Rv::Class(catwalk_base::name!("ENV"))));
        }
        _ => {}
    }
    if restricted::is_for_script(rt.host.world())
        && !matches!(name, "to_s" | "is_a?" | "class" | "respond_to?" | "nil?" | "equal?")
    {
        // Reported like an attempt to start a process or to read outside of the site: a wrong answer would hide it.
        return rt.raise_refusal(&WorldError::NotAllowed(Arc::from(restricted::NO_ENVIRONMENT)), "");
    }
    // Methods for a single variable do not read the others.
    let reads_one_variable = matches!(name, "[]" | "fetch" | "key?" | "has_key?" | "include?" | "member?");
    let names = match args.first() {
        Some(name) if reads_one_variable => vec![std::sync::Arc::from(rt.expect_str(name)?)],
        _ => {
            let mut names = rt.host.world().env_names();
            names.extend(rt.state().env.keys().cloned());
            names
        }
    };
    let mut map = Map::default();
    for name in names {
        if let Some(value) = variable(rt, &name) {
            map.insert(Key(Rv::str(&*name)), Rv::str(&*value));
        }
    }
    let variables = Rv::hash(map);
    match name {
        "to_h" | "to_hash" if block.is_none() => Ok(Some(variables)),
        "to_s" => Ok(Some(Rv::str("ENV"))),
        "is_a?" | "class" | "respond_to?" | "===" | "send" | "nil?" | "equal?" | "eql?" | "frozen?" => Ok(None),
        "each" | "each_pair" if block.is_some() => {
            rt.try_native(&variables, name, args, block)?;
            Ok(Some(Rv::Class(catwalk_base::name!("ENV"))))
        }
        _ => rt.try_native(&variables, name, args, block),
    }
}
