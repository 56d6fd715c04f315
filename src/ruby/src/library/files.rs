//! Files as Ruby code sees them: `File`, `Dir`, `FileUtils`.
//!
//! In: calls of module code. Out: the results of the world. Files that such code writes stay in memory for the compile, where
//! later code reads them: a compile changes nothing on disk and is repeatable. Must not: access the disk except through the
//! world.

use std::path::Path;
use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::library::directories::call_file_utils;
use crate::library::directories::glob;
use crate::library::directories::list_entries;
use crate::library::directories::make_directories;
use crate::library::directories::make_directory;
use crate::library::open_file;
use crate::library::open_file::open_file;
use crate::library::paths::call_path_method;
use crate::library::paths::path_argument;
use crate::library::paths::takes_path;
use crate::value::HashObject;
use crate::value::Instance;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::names::Name;
use catwalk_world::Kind;

/// The class of the result of `File.stat`.
pub(super) const STAT: &str = "File::Stat";
/// The owner of a file, an opaque number.
const OWNER: &str = "File::Stat::Owner";

/// Methods of `File`, `Dir` and similar classes.
pub(crate) fn class_method(
    rt: &mut Interp<'_>,
    class: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if !matches!(class, "File" | "FileTest" | "Dir" | "IO" | "Puppet::FileSystem" | "FileUtils" | "Tempfile") {
        return Ok(None);
    }
    if class == "Tempfile" || name == "mktmpdir" {
        return create_temporary(rt, class, name, args, block).map(Some);
    }
    if class == "FileUtils" {
        return call_file_utils(rt, name, args).map(Some);
    }
    let path = path_argument(rt, args.first().filter(|_| takes_path(name)))?;
    if class == "File"
        && let Some(result) = call_path_method(rt, name, &path, args)?
    {
        return Ok(Some(result));
    }
    if let Some(answer) = query_path(rt, class, name, &path)? {
        return Ok(Some(answer));
    }
    match class {
        "Dir" => call_dir_method(rt, name, &path, args, block).map(Some),
        _ => call_file_method(rt, class, name, &path, args, block).map(Some),
    }
}

/// Methods that return the kind, size or permissions of a path; `None` for other methods.
fn query_path(rt: &mut Interp<'_>, class: &str, name: &str, path: &str) -> Raise<Option<Rv>> {
    Ok(Some(match (class, name) {
        ("File" | "FileTest" | "Puppet::FileSystem", "exist?" | "exists?") => Rv::bool(rt.kind(path) != Kind::Missing),
        ("File" | "FileTest", "file?") => Rv::bool(rt.kind(path) == Kind::File),
        ("File" | "Dir" | "FileTest", "directory?") | ("Dir", "exist?" | "exists?") => {
            Rv::bool(rt.kind(path) == Kind::Directory)
        }
        // The permissions of an existing file are unknown.
        ("File" | "FileTest", "executable?" | "writable?") if rt.kind(path) == Kind::Missing => Rv::False,
        ("File" | "FileTest", "readable?") => Rv::bool(match rt.kind(path) {
            Kind::File => rt.bytes_at(path).is_some(),
            Kind::Directory => rt.host.world().list(Path::new(path)).is_ok() || rt.path_effect(path).is_some(),
            Kind::Missing => false,
        }),
        ("File" | "FileTest", "size" | "size?" | "zero?" | "empty?") => match rt.bytes_at(path) {
            Some(bytes) if matches!(name, "zero?" | "empty?") => Rv::bool(bytes.is_empty()),
            Some(bytes) if name == "size?" && bytes.is_empty() => Rv::Nil,
            Some(bytes) => Rv::int(bytes.len()),
            None if name == "size" => return raise_missing(rt, "rb_file_s_size", path),
            None if name == "size?" => Rv::Nil,
            None => Rv::False,
        },
        ("File", "stat" | "lstat") => match rt.kind(path) {
            Kind::Missing => return raise_missing(rt, "rb_file_s_stat", path),
            _ => object(STAT, &[("path", Rv::str(path))]),
        },
        _ => return Ok(None),
    }))
}

/// Methods of `File`, `IO` and `Puppet::FileSystem` that read, write, open, change or remove files.
fn call_file_method(
    rt: &mut Interp<'_>,
    class: &str,
    name: &str,
    path: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Rv> {
    Ok(match (class, name) {
        ("File" | "IO" | "Puppet::FileSystem", "read" | "readlines" | "binread")
        | ("Puppet::FileSystem", "read_preserve_line_endings") => {
            let content = Rv::from_bytes(rt.read_file(path)?);
            if name == "readlines" {
                rt.call_method(&content, "lines", args.get(1..).unwrap_or_default(), None)?
            } else {
                content
            }
        }
        ("File" | "IO", "foreach") => {
            let bytes = rt.read_file(path)?;
            rt.call_method(&Rv::from_bytes(bytes), "each_line", &[], block)?
        }
        ("File" | "IO", "write" | "binwrite") => {
            let bytes = content_bytes(rt, args.get(1))?;
            let length = bytes.len();
            let append = matches!(args.get(2), Some(Rv::Hash(options)) if appends(options));
            let file = rt.open_to_write(path, append)?;
            file.borrow_mut().extend(bytes);
            Rv::int(length)
        }
        ("File", "open" | "new") => {
            let file = open_file(rt, path, args.get(1))?;
            match block.filter(|_| name == "open") {
                Some(block) => rt.yield_value(block, file)?,
                None => file,
            }
        }
        ("File", "chown" | "lchown" | "chmod" | "lchmod" | "utime") => {
            let skipped = if name.ends_with("chmod") { 1 } else { 2 };
            Rv::int(args.len().saturating_sub(skipped))
        }
        ("File", "delete" | "unlink") => delete_files(rt, args)?,
        ("File", "rename") => {
            let bytes = rt.read_file(path)?;
            let to = path_argument(rt, args.get(1))?;
            rt.open_to_write(&to, false)?.borrow_mut().extend(bytes);
            rt.remove(path);
            Rv::Int(0)
        }
        _ => return rt.unsupported(&format!("{class}.{name}")),
    })
}

/// `File.delete(path, …)`: returns the number of files.
fn delete_files(rt: &mut Interp<'_>, paths: &[Rv]) -> Raise<Rv> {
    for path in paths {
        let path = path_argument(rt, Some(path))?;
        if rt.kind(&path) == Kind::Missing {
            return raise_missing(rt, "apply2files", &path);
        }
        rt.remove(&path);
    }
    Ok(Rv::int(paths.len()))
}

/// Whether the options of `File.write` open the file for appending.
fn appends(options: &HashObject) -> bool {
    options.get(&Rv::sym("mode")).and_then(|mode| mode.string_or_symbol()).is_some_and(|mode| mode.starts_with('a'))
}

fn call_dir_method(rt: &mut Interp<'_>, name: &str, path: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match name {
        "mkdir" => make_directory(rt, path),
        "glob" | "[]" => glob(rt, args, block),
        "entries" | "children" | "each_child" | "foreach" | "empty?" => list_entries(rt, name, path, block),
        "pwd" | "getwd" => Ok(rt.host.world().env("PWD").map_or_else(|| Rv::str("/"), |dir| Rv::str(&*dir))),
        _ => rt.unsupported(&format!("Dir.{name}")),
    }
}

/// `Tempfile.new`, `Tempfile.create`, `Dir.mktmpdir`: a unique path that is only visible to this compile.
fn create_temporary(rt: &mut Interp<'_>, class: &str, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (prefix, suffix) = match args.first() {
        Some(Rv::Array(parts)) => {
            let parts = parts.borrow().clone();
            let part = |at: usize| parts.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
            (part(0), part(1))
        }
        Some(Rv::Nil | Rv::Hash(_)) | None => (if class == "Dir" { "d" } else { "" }.to_owned(), String::new()),
        Some(prefix) => (rt.to_s(prefix)?, String::new()),
    };
    let number = rt.fresh_id();
    let directory = args.get(1).filter(|dir| matches!(dir, Rv::Str(_))).and_then(Rv::string_or_symbol);
    let path = format!("{}/{prefix}{number}{suffix}", directory.as_deref().unwrap_or("/tmp"));
    let file = match (class, name) {
        ("Dir", _) => {
            make_directories(rt, &path)?;
            Rv::str(path.clone())
        }
        ("Tempfile", "new" | "open" | "create") => open_file(rt, &path, Some(&Rv::str("w+")))?,
        _ => return rt.unsupported(&format!("{class}.{name}")),
    };
    let Some(block) = block.filter(|_| name != "new") else { return Ok(file) };
    let result = rt.yield_value(block, file);
    if name != "open" {
        rt.remove(&path);
    }
    result
}

/// Raises `Errno::ENOENT`; `function` is the function of Ruby's source that its message names.
pub(crate) fn raise_missing<T>(rt: &mut Interp<'_>, function: &str, path: &str) -> Raise<T> {
    rt.raise("Errno::ENOENT", format!("No such file or directory @ {function} - {path}"))
}

/// The bytes that `write` writes for a value.
pub(super) fn content_bytes(rt: &mut Interp<'_>, value: Option<&Rv>) -> Raise<Vec<u8>> {
    match value {
        Some(bytes @ (Rv::Bytes(_) | Rv::Str(_))) => string_helpers::string_bytes(rt, bytes),
        Some(other) => Ok(rt.to_s(other)?.into_bytes()),
        None => Ok(Vec::new()),
    }
}

/// Methods of an open file, and of the result of `File.stat`.
pub(crate) fn call(
    rt: &mut Interp<'_>,
    this: &Rc<Instance>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    match this.class.as_str() {
        STAT => {
            let path = this.ivars.borrow().get(&Name::new("path")).and_then(Rv::string_or_symbol).unwrap_or_default();
            call_stat(rt, &path, name)
        }
        OWNER => rt.unsupported("the owner of a file as a value"),
        _ => open_file::call(rt, this, name, args, block),
    }
}

/// The user or group of a file that the compile wrote: the current one, or the one that the code has set.
fn owner(rt: &mut Interp<'_>, path: &str, group: bool) -> Raise<Rv> {
    let name_of = |(user, group_name): &(Box<str>, Box<str>)| if group { group_name } else { user }.clone();
    let name = rt.state().written_files.owners.get(Path::new(path)).map(name_of);
    let Some(name) = name else { return Ok(Rv::Int(0)) };
    if let Ok(number) = name.parse::<i64>() {
        return Ok(Rv::Int(number));
    }
    let etc = rt.constant_path(None, "Etc")?;
    let entry = rt.call_method(&etc, if group { "getgrnam" } else { "getpwnam" }, &[Rv::str(&*name)], None)?;
    rt.call_method(&entry, if group { "gid" } else { "uid" }, &[], None)
}

fn call_stat(rt: &mut Interp<'_>, path: &str, name: &str) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "size" => Rv::int(rt.bytes_at(path).map_or(0, |bytes| bytes.len())),
        "file?" => Rv::bool(rt.kind(path) == Kind::File),
        "directory?" => Rv::bool(rt.kind(path) == Kind::Directory),
        "uid" | "gid" if rt.path_effect(path).is_some() => owner(rt, path, name == "gid")?,
        "uid" | "gid" => object(OWNER, &[]),
        "mode" if rt.path_effect(path).is_some() => {
            Rv::Int(if rt.kind(path) == Kind::Directory { 0o040_755 } else { 0o100_644 })
        }
        other if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        other => return rt.unsupported(&format!("{STAT}#{other}")),
    }))
}
