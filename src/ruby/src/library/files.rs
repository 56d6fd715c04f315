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
use crate::library::paths::call_path_method;
use crate::library::paths::path_argument;
use crate::library::paths::takes_path;
use crate::library::written_files::PathEffect;
use crate::puppet::objects;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_world::Kind;

/// The class of open files.
pub(crate) const FILE: &str = "File";
/// The class of the result of `File.stat`.
const STAT: &str = "File::Stat";
/// The owner of a file, an opaque number.
const OWNER: &str = "File::Stat::Owner";

/// Methods of `File`, `Dir` and similar classes.
pub(crate) fn class_method(
    rt: &mut Interp<'_, '_>,
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
        && let Some(found) = call_path_method(rt, name, &path, args)?
    {
        return Ok(Some(found));
    }
    Ok(Some(match (class, name) {
        ("File" | "FileTest" | "Puppet::FileSystem", "exist?" | "exists?") => Rv::bool(rt.kind(&path) != Kind::Missing),
        ("File" | "FileTest", "file?") => Rv::bool(rt.kind(&path) == Kind::File),
        ("File" | "Dir" | "FileTest", "directory?") | ("Dir", "exist?" | "exists?") => {
            Rv::bool(rt.kind(&path) == Kind::Directory)
        }
        // The permissions of an existing file are unknown.
        ("File" | "FileTest", "executable?" | "writable?") if rt.kind(&path) == Kind::Missing => Rv::False,
        ("File" | "FileTest", "readable?") => Rv::bool(match rt.kind(&path) {
            Kind::File => rt.bytes_at(&path).is_some(),
            Kind::Directory => rt.ev.world.list(Path::new(&path)).is_ok() || rt.path_effect(&path).is_some(),
            Kind::Missing => false,
        }),
        ("File" | "FileTest", "size" | "size?" | "zero?" | "empty?") => match rt.bytes_at(&path) {
            Some(bytes) if matches!(name, "zero?" | "empty?") => Rv::bool(bytes.is_empty()),
            Some(bytes) if name == "size?" && bytes.is_empty() => Rv::Nil,
            Some(bytes) => Rv::int(bytes.len()),
            None if name == "size" => return raise_missing(rt, "rb_file_s_size", &path),
            None if name == "size?" => Rv::Nil,
            None => Rv::False,
        },
        ("File" | "IO" | "Puppet::FileSystem", "read" | "readlines" | "binread")
        | ("Puppet::FileSystem", "read_preserve_line_endings") => {
            let bytes = rt.read_file(&path)?;
            let whole = string_helpers::from_bytes(bytes);
            if name == "readlines" {
                rt.call_method(&whole, "lines", args.get(1..).unwrap_or_default(), None)?
            } else {
                whole
            }
        }
        ("File" | "IO", "foreach") => {
            let bytes = rt.read_file(&path)?;
            rt.call_method(&string_helpers::from_bytes(bytes), "each_line", &[], block)?
        }
        ("File" | "IO", "write" | "binwrite") => {
            let bytes = content_bytes(rt, args.get(1))?;
            let length = bytes.len();
            let append = matches!(args.get(2), Some(Rv::Hash(options)) if options.get(&Rv::sym("mode")).and_then(|m| m.string_or_symbol()).is_some_and(|m| m.starts_with('a')));
            let file = rt.open_to_write(&path, append)?;
            file.borrow_mut().extend(bytes);
            Rv::int(length)
        }
        ("File", "open" | "new") => {
            let file = open_file(rt, &path, args.get(1))?;
            match block.filter(|_| name == "open") {
                Some(block) => rt.yield_value(block, file)?,
                None => file,
            }
        }
        ("File", "stat" | "lstat") => match rt.kind(&path) {
            Kind::Missing => return raise_missing(rt, "rb_file_s_stat", &path),
            _ => objects::object(STAT, &[("path", Rv::str(path))]),
        },
        ("File", "chown" | "lchown" | "chmod" | "lchmod" | "utime") => {
            let skipped = if name.ends_with("chmod") { 1 } else { 2 };
            Rv::int(args.len().saturating_sub(skipped))
        }
        ("File", "delete" | "unlink") => {
            for path in args {
                let path = path_argument(rt, Some(path))?;
                if rt.kind(&path) == Kind::Missing {
                    return raise_missing(rt, "apply2files", &path);
                }
                rt.remove(&path);
            }
            Rv::int(args.len())
        }
        ("File", "rename") => {
            let bytes = rt.read_file(&path)?;
            let to = path_argument(rt, args.get(1))?;
            rt.open_to_write(&to, false)?.borrow_mut().extend(bytes);
            rt.remove(&path);
            Rv::Int(0)
        }
        ("Dir", "mkdir") => return make_directory(rt, &path).map(Some),
        ("Dir", "glob" | "[]") => return glob(rt, args, block).map(Some),
        ("Dir", "entries" | "children" | "each_child" | "foreach" | "empty?") => {
            return list_entries(rt, name, &path, block).map(Some);
        }
        ("Dir", "pwd" | "getwd") => rt.ev.world.env("PWD").map_or_else(|| Rv::str("/"), |dir| Rv::str(&*dir)),
        _ => return rt.unsupported(&format!("{class}.{name}")),
    }))
}

/// `Tempfile.new`, `Tempfile.create`, `Dir.mktmpdir`: a unique path that is only visible to this compile.
fn create_temporary(rt: &mut Interp<'_, '_>, class: &str, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (prefix, suffix) = match args.first() {
        Some(Rv::Array(parts)) => {
            let parts = parts.borrow().clone();
            let text = |at: usize| parts.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
            (text(0), text(1))
        }
        Some(Rv::Nil | Rv::Hash(_)) | None => (if class == "Dir" { "d" } else { "" }.to_owned(), String::new()),
        Some(given) => (rt.to_s(given)?, String::new()),
    };
    let number = rt.fresh_id();
    let above = args.get(1).filter(|dir| matches!(dir, Rv::Str(_))).and_then(Rv::string_or_symbol);
    let path = format!("{}/{prefix}{number}{suffix}", above.as_deref().unwrap_or("/tmp"));
    let made = match (class, name) {
        ("Dir", _) => {
            make_directories(rt, &path)?;
            Rv::str(path.clone())
        }
        ("Tempfile", "new" | "open" | "create") => open_file(rt, &path, Some(&Rv::str("w+")))?,
        _ => return rt.unsupported(&format!("{class}.{name}")),
    };
    let Some(block) = block.filter(|_| name != "new") else { return Ok(made) };
    let result = rt.yield_value(block, made);
    if name != "open" {
        rt.remove(&path);
    }
    result
}

pub(crate) fn raise_missing<T>(rt: &mut Interp<'_, '_>, function: &str, path: &str) -> Raise<T> {
    rt.raise("Errno::ENOENT", format!("No such file or directory @ {function} - {path}"))
}

fn content_bytes(rt: &mut Interp<'_, '_>, value: Option<&Rv>) -> Raise<Vec<u8>> {
    match value {
        Some(bytes @ (Rv::Bytes(_) | Rv::Str(_))) => string_helpers::string_bytes(rt, bytes),
        Some(other) => Ok(rt.to_s(other)?.into_bytes()),
        None => Ok(Vec::new()),
    }
}

/// `File.open(path, mode)`
fn open_file(rt: &mut Interp<'_, '_>, path: &str, mode: Option<&Rv>) -> Raise<Rv> {
    let mode = match mode {
        None => "r".to_owned(),
        Some(Rv::Str(mode)) => mode.borrow().clone(),
        Some(Rv::Hash(options)) => {
            options.get(&Rv::sym("mode")).and_then(|mode| mode.string_or_symbol()).unwrap_or("r".to_owned())
        }
        Some(_) => return rt.unsupported("File.open with this mode"),
    };
    let stream = match mode.chars().next() {
        Some('w' | 'a') => {
            rt.open_to_write(path, mode.starts_with('a'))?;
            Rv::Nil
        }
        _ if mode.contains('+') => {
            rt.read_file(path)?;
            rt.open_to_write(path, true)?;
            Rv::Nil
        }
        _ => {
            let whole = string_helpers::from_bytes(rt.read_file(path)?);
            let class = rt.constant_path(None, "StringIO")?;
            rt.call_method(&class, "new", &[whole], None)?
        }
    };
    let fields = [
        ("path", Rv::str(path)),
        ("mode", Rv::str(mode)),
        ("stream", stream),
        ("closed", Rv::False),
        ("at", Rv::Int(0)),
    ];
    Ok(objects::object(FILE, &fields))
}

/// Methods of an open file.
pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    this: &Rc<Instance>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    let set = |name: &str, value: Rv| this.ivars.borrow_mut().insert(Name::new(name), value);
    let path = field("path").string_or_symbol().unwrap_or_default();
    match this.class.as_str() {
        STAT => return call_stat(rt, &path, name),
        OWNER => return rt.unsupported("the owner of a file as a value"),
        _ => {}
    }
    if matches!(name, "path" | "to_path" | "closed?" | "close" | "close!" | "unlink" | "delete" | "open") {
        return Ok(Some(match name {
            "closed?" => field("closed"),
            "close" | "close!" | "unlink" | "delete" => {
                if name != "close" || args.first().is_some_and(Rv::truthy) {
                    rt.remove(&path);
                }
                if name.starts_with("close") {
                    set("closed", Rv::True);
                }
                Rv::Nil
            }
            "open" => {
                set("closed", Rv::False);
                set("at", Rv::Int(0));
                Rv::Object(this.clone())
            }
            _ => Rv::str(path),
        }));
    }
    if field("closed").truthy() {
        return rt.raise("IOError", "closed stream");
    }
    let mode = field("mode").string_or_symbol().unwrap_or_default();
    let both = mode.contains('+');
    let writes = both || !mode.starts_with('r');
    Ok(Some(match name {
        "stat" | "lstat" => objects::object(STAT, &[("path", Rv::str(path))]),
        "write" | "print" | "puts" | "<<" | "syswrite" => {
            if !writes {
                return rt.raise("IOError", "not opened for writing");
            }
            let mut bytes = Vec::new();
            let mut given = Vec::new();
            for arg in args {
                match arg {
                    // `puts` writes the items of arrays one by one.
                    Rv::Array(_) if name == "puts" => {
                        let flat = rt.call_method(arg, "flatten", &[], None)?;
                        given.extend(rt.to_list(&flat)?);
                    }
                    other => given.push(other.clone()),
                }
            }
            for arg in &given {
                bytes.extend(content_bytes(rt, Some(arg))?);
                if name == "puts" && bytes.last() != Some(&b'\n') {
                    bytes.push(b'\n');
                }
            }
            if name == "puts" && args.is_empty() {
                bytes.push(b'\n');
            }
            let length = bytes.len();
            rt.check_size(length)?;
            if let Some(PathEffect::File(file)) = rt.path_effect(&path) {
                let mut file = file.borrow_mut();
                let length = file.len();
                match field("at") {
                    // Reading and writing share one position; only appending always goes to the end.
                    Rv::Int(at) if both && !mode.starts_with('a') => {
                        let from = usize::try_from(at).unwrap_or(0).min(length);
                        let to = (from + bytes.len()).min(length);
                        set("at", Rv::int(from + bytes.len()));
                        file.splice(from..to, bytes);
                    }
                    _ => {
                        file.extend(bytes);
                        set("at", Rv::int(file.len()));
                    }
                }
            }
            match name {
                "<<" => Rv::Object(this.clone()),
                "write" | "syswrite" => Rv::int(length),
                _ => Rv::Nil,
            }
        }
        "flush" | "fsync" | "sync=" | "binmode" | "chmod" | "chown" | "flock" | "set_encoding" => Rv::Int(0),
        "read" | "readlines" | "each_line" | "each" | "gets" | "readline" | "eof?" if writes && !both => {
            return rt.raise("IOError", "not opened for reading");
        }
        "truncate" if writes => {
            if let (Some(PathEffect::File(file)), Some(Rv::Int(length))) = (rt.path_effect(&path), args.first()) {
                file.borrow_mut().truncate(usize::try_from(*length).unwrap_or(0));
            }
            Rv::Int(0)
        }
        "rewind" if both => {
            set("at", Rv::Int(0));
            Rv::Int(0)
        }
        "seek" | "pos=" if both && args.len() == 1 => {
            set("at", args.first().cloned().unwrap_or(Rv::Nil));
            Rv::Int(0)
        }
        "pos" | "tell" if both => field("at"),
        "size" => Rv::int(rt.bytes_at(&path).map_or(0, |bytes| bytes.len())),
        other if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        // The stream of a string to read.
        other => match field("stream") {
            Rv::Nil if both => read_from_position(rt, this, &path, other, args, block)?,
            Rv::Nil => return rt.unsupported(&format!("File#{other}")),
            stream => rt.call_method(&stream, other, args, block)?,
        },
    }))
}

/// A read method of a file that is open for reading and writing: continues at the current position.
fn read_from_position(
    rt: &mut Interp<'_, '_>,
    this: &Rc<Instance>,
    path: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Rv> {
    let key = catwalk_base::name!("at");
    let at = match this.ivars.borrow().get(&key) {
        Some(Rv::Int(at)) => usize::try_from(*at).unwrap_or(0),
        _ => 0,
    };
    let bytes = rt.read_file(path)?;
    let rest = string_helpers::from_bytes(bytes.get(at..).unwrap_or_default().to_vec());
    let class = rt.constant_path(None, "StringIO")?;
    let stream = rt.call_method(&class, "new", std::slice::from_ref(&rest), None)?;
    let result = rt.call_method(&stream, name, args, block)?;
    let left = rt.call_method(&stream, "read", &[], None)?;
    let left = string_helpers::string_bytes(rt, &left)?.len();
    this.ivars.borrow_mut().insert(key, Rv::int(bytes.len().saturating_sub(left).max(at)));
    Ok(result)
}

/// The user or group of a file that the compile wrote: the current one, or the one that the code has set.
fn owner(rt: &mut Interp<'_, '_>, path: &str, group: bool) -> Raise<Rv> {
    let given =
        rt.state().written_files.owners.get(Path::new(path)).map(|(user, of)| if group { of } else { user }.clone());
    let Some(name) = given else { return Ok(Rv::Int(0)) };
    if let Ok(number) = name.parse::<i64>() {
        return Ok(Rv::Int(number));
    }
    let etc = rt.constant_path(None, "Etc")?;
    let entry = rt.call_method(&etc, if group { "getgrnam" } else { "getpwnam" }, &[Rv::str(&*name)], None)?;
    rt.call_method(&entry, if group { "gid" } else { "uid" }, &[], None)
}

fn call_stat(rt: &mut Interp<'_, '_>, path: &str, name: &str) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "size" => Rv::int(rt.bytes_at(path).map_or(0, |bytes| bytes.len())),
        "file?" => Rv::bool(rt.kind(path) == Kind::File),
        "directory?" => Rv::bool(rt.kind(path) == Kind::Directory),
        "uid" | "gid" if rt.path_effect(path).is_some() => owner(rt, path, name == "gid")?,
        "uid" | "gid" => objects::object(OWNER, &[]),
        "mode" if rt.path_effect(path).is_some() => {
            Rv::Int(if rt.kind(path) == Kind::Directory { 0o040_755 } else { 0o100_644 })
        }
        other if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        other => return rt.unsupported(&format!("{STAT}#{other}")),
    }))
}
