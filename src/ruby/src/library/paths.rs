//! Paths as strings: methods of `File` that do not read a file.
//!
//! In: a path, or an object with `to_path`. Out: the result of Ruby. Must not: query the world.

use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_base::names::Name;

/// A string, or the path of a path object.
///
/// # Errors
///
/// `no implicit conversion of … into String` for anything else.
pub(crate) fn path_argument(rt: &mut Interp<'_>, arg: Option<&Rv>) -> Raise<String> {
    match arg {
        Some(Rv::Str(string)) => Ok(string.borrow().clone()),
        Some(object @ Rv::Object(_)) if rt.has_method(object, Name::new("to_path")) => rt.to_s(object),
        Some(Rv::Object(object)) if matches!(*object.native.borrow(), Some(Rv::Str(_))) => {
            rt.to_s(&Rv::Object(object.clone()))
        }
        Some(other) => rt.type_error(other, "String"),
        None => Ok(String::new()),
    }
}

/// Whether the first argument of a method of `File`, `Dir` and similar classes is a path.
pub(crate) fn takes_path(name: &str) -> bool {
    !matches!(
        name,
        "join"
            | "umask"
            | "pipe"
            | "popen"
            | "select"
            | "chmod"
            | "lchmod"
            | "chown"
            | "lchown"
            | "utime"
            | "delete"
            | "unlink"
            | "pwd"
            | "getwd"
            | "glob"
            | "[]"
            | "tmpdir"
            | "home"
    )
}

/// A method of `File` that depends only on the path's string; `None` for other methods.
pub(crate) fn call_path_method(rt: &mut Interp<'_>, name: &str, path: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "basename" => {
            let suffix = match args.get(1) {
                Some(suffix) => rt.expect_str(suffix)?,
                None => String::new(),
            };
            Rv::str(basename(path, &suffix))
        }
        "dirname" => Rv::str(dirname(path)),
        "split" => {
            let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            Rv::array(vec![Rv::str(dirname(path)), Rv::str(base)])
        }
        "extname" => {
            let base = path.rsplit('/').next().unwrap_or("");
            let dot = base.rfind('.').filter(|at| *at > 0 && *at + 1 < base.len());
            Rv::str(dot.and_then(|at| base.get(at..)).unwrap_or(""))
        }
        "join" => join_paths(rt, args)?,
        "expand_path" | "absolute_path" if !path.starts_with('~') => {
            let base = match args.get(1) {
                _ if path.starts_with('/') => String::new(),
                Some(base) if !base.is_nil() => path_argument(rt, Some(base))?,
                _ => rt.host.world().env("PWD").map(|dir| dir.to_string()).unwrap_or_default(),
            };
            Rv::str(expand_path(&base, path))
        }
        "absolute_path?" => Rv::bool(path.starts_with('/')),
        _ => return Ok(None),
    }))
}

/// The last part of a path, without the suffix; the suffix `.*` is any extension.
fn basename<'p>(path: &'p str, suffix: &str) -> &'p str {
    let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let base = if base.is_empty() && path.starts_with('/') { "/" } else { base };
    let stem = match suffix {
        ".*" => base.rsplit_once('.').map(|(stem, _)| stem),
        suffix => base.strip_suffix(suffix),
    };
    // A name that consists of the suffix only is unchanged.
    stem.filter(|stem| !stem.is_empty()).unwrap_or(base)
}

/// `File.join(part, …)`
fn join_paths(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    let mut parts = Vec::new();
    for arg in args {
        match arg {
            Rv::Object(_) => parts.push(Rv::str(path_argument(rt, Some(arg))?)),
            arg => parts.extend(rt.to_list(arg)?),
        }
    }
    let mut joined = String::new();
    for (at, part) in parts.iter().enumerate() {
        let part = rt.expect_str(part)?;
        if at > 0 {
            joined.truncate(joined.trim_end_matches('/').len());
            joined.push('/');
            joined.push_str(part.trim_start_matches('/'));
        } else {
            joined.push_str(&part);
        }
    }
    Ok(Rv::str(joined))
}

/// A path below a base directory as an absolute path without `.` and `..`.
fn expand_path(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn dirname(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((dir, _)) => dir.trim_end_matches('/'),
        None if path.starts_with('/') => "/",
        None => ".",
    }
}
