//! Files as Ruby code sees them: `File`, `FileTest`, `IO`, `Tempfile`, `File::Stat`.
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
use crate::library::directories::make_directories;
use crate::library::open_file;
use crate::library::open_file::open_file;
use crate::library::open_file::open_temporary;
use crate::library::paths;
use crate::library::paths::path_argument;
use crate::object::Class;
use crate::object::Method;
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

pub(crate) static IO: Class = Class::module(
    "IO",
    &[
        Method::at_least("binread", 1, read),
        Method::at_least("binwrite", 2, write),
        Method::at_least("foreach", 1, foreach),
        Method::at_least("popen", 1, popen),
        Method::at_least("read", 1, read),
        Method::at_least("readlines", 1, readlines),
        Method::at_least("write", 2, write),
    ],
);

pub(crate) static FILE: Class = Class {
    name: open_file::FILE,
    parent: Some(&IO),
    includes: &[],
    extends: &[],
    methods: open_file::METHODS,
    singleton: &[
        Method::between("absolute_path", 1, 2, paths::expand_path),
        Method::new("absolute_path?", 1, paths::is_absolute),
        Method::between("basename", 1, 2, paths::basename),
        Method::at_least("chmod", 1, set_mode),
        Method::at_least("chown", 2, set_attributes),
        Method::at_least("delete", 0, delete_files),
        Method::new("directory?", 1, is_directory),
        Method::between("dirname", 1, 2, paths::dirname),
        Method::new("empty?", 1, is_empty),
        Method::new("executable?", 1, has_permission),
        Method::new("exist?", 1, exists),
        Method::new("exists?", 1, exists),
        Method::between("expand_path", 1, 2, paths::expand_path),
        Method::new("extname", 1, paths::extname),
        Method::new("file?", 1, is_file),
        Method::at_least("join", 0, paths::join),
        Method::at_least("lchmod", 1, set_mode),
        Method::at_least("lchown", 2, set_attributes),
        Method::new("lstat", 1, stat),
        Method::at_least("new", 1, new_file),
        Method::at_least("open", 1, open),
        Method::new("readable?", 1, is_readable),
        Method::new("rename", 2, rename),
        Method::new("size", 1, size),
        Method::new("size?", 1, size_if_any),
        Method::new("split", 1, paths::split),
        Method::new("stat", 1, stat),
        Method::at_least("unlink", 0, delete_files),
        Method::at_least("utime", 2, set_attributes),
        Method::new("writable?", 1, has_permission),
        Method::new("zero?", 1, is_empty),
    ],
};

pub(crate) static FILE_TEST: Class = Class::module(
    "FileTest",
    &[
        Method::new("directory?", 1, is_directory),
        Method::new("empty?", 1, is_empty),
        Method::new("executable?", 1, has_permission),
        Method::new("exist?", 1, exists),
        Method::new("exists?", 1, exists),
        Method::new("file?", 1, is_file),
        Method::new("readable?", 1, is_readable),
        Method::new("size", 1, size),
        Method::new("size?", 1, size_if_any),
        Method::new("writable?", 1, has_permission),
        Method::new("zero?", 1, is_empty),
    ],
);

pub(crate) static FILE_STAT: Class = Class {
    name: STAT,
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("directory?", 0, stat_is_directory),
        Method::new("file?", 0, stat_is_file),
        Method::new("gid", 0, stat_group),
        Method::new("mode", 0, stat_mode),
        Method::new("size", 0, stat_size),
        Method::new("uid", 0, stat_user),
    ],
    singleton: &[],
};

pub(crate) static TEMPFILE: Class = Class {
    name: open_file::TEMPFILE,
    parent: None,
    // Its objects delegate to a file: they have its methods, but the class has none of those of `File` itself.
    includes: &[&FILE],
    extends: &[],
    methods: open_file::TEMPORARY_METHODS,
    singleton: &[
        Method::at_least("create", 0, create_temporary_file),
        Method::at_least("new", 0, new_temporary_file),
        Method::at_least("open", 0, open_temporary_file),
    ],
};

/// The path in the first argument.
fn path_of(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<String> {
    path_argument(rt, args.first())
}

pub(super) fn exists(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    Ok(Rv::bool(rt.kind(&path) != Kind::Missing))
}

fn is_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    Ok(Rv::bool(rt.kind(&path) == Kind::File))
}

pub(super) fn is_directory(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    Ok(Rv::bool(rt.kind(&path) == Kind::Directory))
}

/// `executable?`, `writable?`: the permissions of an existing file are unknown.
fn has_permission(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    match rt.kind(&path) {
        Kind::Missing => Ok(Rv::False),
        _ => rt.unsupported("the permissions of a file"),
    }
}

fn is_readable(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    Ok(Rv::bool(match rt.kind(&path) {
        Kind::File => rt.bytes_at(&path).is_some(),
        Kind::Directory => rt.host.world().list(Path::new(&path)).is_ok() || rt.path_effect(&path).is_some(),
        Kind::Missing => false,
    }))
}

fn size(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    match rt.bytes_at(&path) {
        Some(bytes) => Ok(Rv::int(bytes.len())),
        None => raise_missing(rt, "rb_file_s_size", &path),
    }
}

/// `size?`: `nil` for a file that is empty or missing.
fn size_if_any(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    let size = rt.bytes_at(&path).map(|bytes| bytes.len()).filter(|size| *size > 0);
    Ok(size.map_or(Rv::Nil, Rv::int))
}

fn is_empty(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    Ok(Rv::bool(rt.bytes_at(&path).is_some_and(|bytes| bytes.is_empty())))
}

fn stat(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    match rt.kind(&path) {
        Kind::Missing => raise_missing(rt, "rb_file_s_stat", &path),
        _ => Ok(object(STAT, &[("path", Rv::str(path))])),
    }
}

fn read(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    rt.read_file(&path).map(Rv::from_bytes)
}

fn readlines(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let content = read(rt, this, args, None)?;
    rt.call_method(&content, "lines", args.get(1..).unwrap_or_default(), None)
}

fn foreach(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let content = read(rt, this, args, None)?;
    rt.call_method(&content, "each_line", &[], block)
}

fn write(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    let bytes = content_bytes(rt, args.get(1))?;
    let length = bytes.len();
    let append = matches!(args.get(2), Some(Rv::Hash(options)) if appends(options));
    rt.open_to_write(&path, append)?.borrow_mut().extend(bytes);
    Ok(Rv::int(length))
}

/// `IO.popen`, from the part of the library that is written in Ruby.
fn popen(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let library = rt.constant_path(None, "Open3")?;
    rt.call_method(&library, "popen", args, block)
}

fn new_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    open_file(rt, &path, args.get(1))
}

fn open(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let file = new_file(rt, this, args, None)?;
    match block {
        Some(block) => rt.yield_value(block, file),
        None => Ok(file),
    }
}

/// `chmod(mode, path, …)`, which has no effect; returns the number of files.
fn set_mode(_: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(args.len().saturating_sub(1)))
}

/// `chown(user, group, path, …)`, `utime(accessed, modified, path, …)`, which have no effect; returns the number of files.
fn set_attributes(_: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(args.len().saturating_sub(2)))
}

fn rename(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_of(rt, args)?;
    let bytes = rt.read_file(&path)?;
    let to = path_argument(rt, args.get(1))?;
    rt.open_to_write(&to, false)?.borrow_mut().extend(bytes);
    rt.remove(&path);
    Ok(Rv::Int(0))
}

/// `File.delete(path, …)`: returns the number of files.
fn delete_files(rt: &mut Interp<'_>, _: &Rv, paths: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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

/// A unique path that is only visible to this compile, with the prefix, suffix and directory of the arguments.
fn temporary_path(rt: &mut Interp<'_>, default_prefix: &str, args: &[Rv]) -> Raise<String> {
    let (prefix, suffix) = match args.first() {
        Some(Rv::Array(parts)) => {
            let parts = parts.borrow().clone();
            let part = |at: usize| parts.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
            (part(0), part(1))
        }
        Some(Rv::Nil | Rv::Hash(_)) | None => (default_prefix.to_owned(), String::new()),
        Some(prefix) => (rt.to_s(prefix)?, String::new()),
    };
    let number = rt.fresh_id();
    let directory = args.get(1).filter(|dir| matches!(dir, Rv::Str(_))).and_then(Rv::string_or_symbol);
    Ok(format!("{}/{prefix}{number}{suffix}", directory.as_deref().unwrap_or("/tmp")))
}

/// Passes a temporary file or directory to a block.
fn yield_temporary(rt: &mut Interp<'_>, path: &str, file: Rv, removes: bool, block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(file) };
    let result = rt.yield_value(block, file);
    if removes {
        rt.remove(path);
    }
    result
}

fn new_temporary_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = temporary_path(rt, "", args)?;
    open_temporary(rt, &path)
}

/// `Tempfile.open`: the file remains after the block.
fn open_temporary_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let path = temporary_path(rt, "", args)?;
    let file = open_temporary(rt, &path)?;
    yield_temporary(rt, &path, file, false, block)
}

/// `Tempfile.create`: the file is removed after the block.
fn create_temporary_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let path = temporary_path(rt, "", args)?;
    let file = open_file(rt, &path, Some(&Rv::str("w+")))?;
    yield_temporary(rt, &path, file, true, block)
}

/// `Dir.mktmpdir`
pub(super) fn make_temporary_directory(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let path = temporary_path(rt, "d", args)?;
    make_directories(rt, &path)?;
    yield_temporary(rt, &path, Rv::str(path.clone()), true, block)
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

/// The path of the result of `File.stat`.
fn stat_path(this: &Rv) -> String {
    match this {
        Rv::Object(stat) => string_field(stat, "path"),
        _ => String::new(),
    }
}

fn string_field(object: &Rc<Instance>, name: &str) -> String {
    object.ivars.borrow().get(&Name::new(name)).and_then(Rv::string_or_symbol).unwrap_or_default()
}

fn stat_size(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(rt.bytes_at(&stat_path(this)).map_or(0, |bytes| bytes.len())))
}

fn stat_is_file(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.kind(&stat_path(this)) == Kind::File))
}

fn stat_is_directory(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.kind(&stat_path(this)) == Kind::Directory))
}

fn stat_user(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    stat_owner(rt, this, false)
}

fn stat_group(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    stat_owner(rt, this, true)
}

/// The owner of a file that the compile did not write is opaque.
fn stat_owner(rt: &mut Interp<'_>, this: &Rv, group: bool) -> Raise<Rv> {
    let path = stat_path(this);
    match rt.path_effect(&path) {
        Some(_) => owner(rt, &path, group),
        None => Ok(object(OWNER, &[])),
    }
}

fn stat_mode(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = stat_path(this);
    match rt.path_effect(&path) {
        Some(_) => Ok(Rv::Int(if rt.kind(&path) == Kind::Directory { 0o040_755 } else { 0o100_644 })),
        None => rt.unsupported("the permissions of a file"),
    }
}
