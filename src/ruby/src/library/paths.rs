//! Paths as strings: methods of `File` that do not read a file.
//!
//! In: a path, or an object with `to_path`. Out: the result of Ruby. Must not: query the world.

use crate::Blk;
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

/// `File.basename(path, suffix)`
pub(super) fn basename(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    let suffix = match args.get(1) {
        Some(suffix) => rt.expect_str(suffix)?,
        None => String::new(),
    };
    Ok(Rv::str(last_part(&path, &suffix)))
}

/// `File.dirname(path)`
pub(super) fn dirname(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    if args.len() > 1 {
        return rt.unsupported("File.dirname with a level");
    }
    Ok(Rv::str(directory(&path)))
}

/// `File.split(path)`
pub(super) fn split(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    Ok(Rv::array(vec![Rv::str(directory(&path)), Rv::str(base)]))
}

/// `File.extname(path)`
pub(super) fn extname(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    let base = path.rsplit('/').next().unwrap_or("");
    let dot = base.rfind('.').filter(|at| *at > 0 && *at + 1 < base.len());
    Ok(Rv::str(dot.and_then(|at| base.get(at..)).unwrap_or("")))
}

/// `File.expand_path(path, base)`, `File.absolute_path(path, base)`
pub(super) fn expand_path(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    if path.starts_with('~') {
        return rt.unsupported("the path of a home directory");
    }
    let base = match args.get(1) {
        _ if path.starts_with('/') => String::new(),
        Some(base) if !base.is_nil() => path_argument(rt, Some(base))?,
        _ => rt.host.world().env("PWD").map(|dir| dir.to_string()).unwrap_or_default(),
    };
    Ok(Rv::str(absolute(&base, &path)))
}

/// `File.absolute_path?(path)`
pub(super) fn is_absolute(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(path_argument(rt, args.first())?.starts_with('/')))
}

/// The last part of a path, without the suffix; the suffix `.*` is any extension.
fn last_part<'p>(path: &'p str, suffix: &str) -> &'p str {
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
pub(super) fn join(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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
fn absolute(base: &str, path: &str) -> String {
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

fn directory(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((dir, _)) => dir.trim_end_matches('/'),
        None if path.starts_with('/') => "/",
        None => ".",
    }
}
