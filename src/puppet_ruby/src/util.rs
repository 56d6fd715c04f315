//! The functions of `Puppet::Util` and its modules: paths, commands, versions, random numbers.
//!
//! In: the name of a module and of its function, arguments. Out: the result. Must not: access files except through the world.

use std::path::Path;

use crate::PuppetInterp;
use catwalk_ruby::Key;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::deterministic_rand;
use catwalk_world::Kind;

/// Calls a function of a module; `None` if it has none of this name.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, module: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (module, name) {
        ("Puppet::Util", "absolute_path?") => Rv::bool(is_absolute(rt, &arg, args.get(1))?),
        ("Puppet::Util", "which") => which(rt, &arg)?,
        ("Puppet::Util", "symbolizehash") => symbolize_keys(rt, &arg)?,
        ("Puppet::Util", "deterministic_rand" | "deterministic_rand_int") => {
            let number = deterministic_rand(&mut rt.ruby(), args)?;
            if name == "deterministic_rand" { Rv::str(number.to_string()) } else { Rv::integer(number) }
        }
        ("Puppet::Util::Platform", "windows?" | "windows") => Rv::False,
        ("Puppet::Util::Package", "versioncmp") => compare_versions(rt, args)?,
        _ => return Ok(None),
    }))
}

/// `Puppet::Util.absolute_path?(path, platform)`
fn is_absolute(rt: &mut PuppetInterp<'_, '_>, path: &Rv, platform: Option<&Rv>) -> Raise<bool> {
    let path = rt.ruby().expect_str(path)?;
    if platform.and_then(Rv::string_or_symbol).as_deref() != Some("windows") {
        return Ok(path.starts_with('/'));
    }
    let slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let mut chars = path.chars();
    let (first, second, third) = (chars.next(), chars.next(), chars.next());
    if first.is_some_and(|c| c.is_ascii_alphabetic()) && second == Some(':') {
        return Ok(slash(third));
    }
    // `\\server\share`
    let rest = path.get(2..).unwrap_or_default();
    let share = rest.split_once(['/', '\\']).is_some_and(|(host, share)| !host.is_empty() && !share.is_empty());
    Ok(slash(first) && slash(second) && (share || rest.starts_with("?/") || rest.starts_with("?\\")))
}

/// `Puppet::Util.which(command)`: the file of a command in the search path.
fn which(rt: &mut PuppetInterp<'_, '_>, command: &Rv) -> Raise<Rv> {
    let command = rt.ruby().expect_str(command)?;
    let is_file = |path: &str| rt.host.ev.world.kind(Path::new(path)) == Kind::File;
    if command.starts_with('/') {
        return Ok(if is_file(&command) { Rv::str(command) } else { Rv::Nil });
    }
    let path = rt.host.ev.world.env("PATH").map_or_else(String::new, |path| path.to_string());
    let found = path.split(':').map(|dir| format!("{dir}/{command}")).find(|file| is_file(file));
    Ok(found.map_or(Rv::Nil, Rv::str))
}

/// `Puppet::Util.symbolizehash(hash)`
fn symbolize_keys(rt: &mut PuppetInterp<'_, '_>, hash: &Rv) -> Raise<Rv> {
    let Rv::Hash(hash) = hash else { return rt.ruby().type_error(hash, "Hash") };
    let symbol = |key: &Rv| key.string_or_symbol().map_or_else(|| key.clone(), |name| Rv::sym(&name));
    let map = hash.map.borrow();
    Ok(Rv::hash(map.iter().map(|(key, value)| (Key::from_value(&symbol(&key.0)), value.clone())).collect()))
}

/// `Puppet::Util::Package.versioncmp(a, b)`
fn compare_versions(rt: &mut PuppetInterp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let versions = [args.first().cloned().unwrap_or(Rv::Nil), args.get(1).cloned().unwrap_or(Rv::Nil)];
    if let Some(other) = versions.iter().find(|value| !matches!(value, Rv::Str(_))) {
        return scan_version(rt, other);
    }
    let versions = [rt.ruby().to_puppet(&versions[0])?, rt.ruby().to_puppet(&versions[1])?];
    rt.call_puppet_function("versioncmp", &versions)
}

/// The error of a version that is not a string: Puppet calls its method `scan` without checking its class.
pub(crate) fn scan_version(rt: &mut PuppetInterp<'_, '_>, version: &Rv) -> Raise<Rv> {
    let result = rt.ruby().call_method(version, "scan", &[], None);
    rt.with_puppet_position("util/package.rb", 11, result)
}
