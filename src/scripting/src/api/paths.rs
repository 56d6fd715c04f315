//! Files, as providers use them. Paths are absolute; every change is noted for the report.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use md5::Digest;
use rhai::Blob;
use rhai::Dynamic;
use rhai::ImmutableString;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::machine::check_options;
use crate::api::machine::invalid_option;
use crate::api::machine::machine;
use crate::api::machine::mode;
use crate::api::machine::require_provider;
use crate::bridge::HashHandle;
use crate::limits;
use crate::limits::MAX_ITEMS;
use crate::running;
use crate::table::Item;
use crate::table::function;
use crate::table::phase;
use catwalk_system::FileKind;
use catwalk_system::Ownership;
use catwalk_system::Stat;
use catwalk_value::Hash;
use catwalk_value::Value;

/// A path of a script; relative ones are refused.
pub(super) fn absolute(function: &str, path: &str) -> Fallible<PathBuf> {
    if path.contains('\0') {
        return fail(format!("{function}(): the path has a zero byte"));
    }
    let path = Path::new(path);
    if !path.is_absolute() {
        return fail(format!("{function}(): the path must be absolute, got '{}'", path.display()));
    }
    Ok(path.to_path_buf())
}

/// The path of a file function's call, which only a provider may make.
fn provider_path(function: &str, path: &str) -> Fallible<PathBuf> {
    require_provider(function)?;
    absolute(function, path)
}

fn note_change(change: String) {
    let _ = running::with(|context, _| context.note_change(change));
}

fn read(function: &str, path: &str) -> Fallible<Vec<u8>> {
    let path = provider_path(function, path)?;
    machine(function, |system| system.read(&path))
}

fn read_string(path: &str) -> Fallible<ImmutableString> {
    let bytes = read("file_read", path)?;
    if bytes.len() > limits::MAX_STRING {
        return fail(format!("file_read(): {path} has more than {} bytes", limits::MAX_STRING));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => fail(format!("file_read(): {path} is not UTF-8 text: file_read_bytes() reads any file")),
    }
}

fn read_bytes(path: &str) -> Fallible<Blob> {
    let bytes = read("file_read_bytes", path)?;
    if bytes.len() > MAX_ITEMS {
        return fail(format!("file_read_bytes(): {path} has more than {MAX_ITEMS} bytes"));
    }
    Ok(bytes)
}

fn stat_path(function: &str, path: &str, follow: bool) -> Fallible<Option<Stat>> {
    let path = provider_path(function, path)?;
    machine(function, |system| system.stat(&path, follow))
}

fn numeric_id(function: &str, option: &str, value: &Value, is_user: bool) -> Fallible<u32> {
    let name = match value {
        Value::Int(id) => match u32::try_from(*id) {
            Ok(id) => return Ok(id),
            Err(_) => return invalid_option(function, option, "a name or an id"),
        },
        Value::Str(name) => name.to_string(),
        _ => return invalid_option(function, option, "a name or an id"),
    };
    let id = machine(function, |system| Ok(if is_user { system.user_id(&name) } else { system.group_id(&name) }))?;
    let kind = if is_user { "user" } else { "group" };
    id.map_or_else(|| fail(format!("{function}(): there is no {kind} '{name}'")), Ok)
}

fn ownership(function: &str, options: &Hash) -> Fallible<Ownership> {
    let mut ownership = Ownership::default();
    for (key, item) in options.iter().filter(|(_, item)| **item != Value::Undef) {
        match key.as_str() {
            Some("mode") => ownership.mode = Some(mode(function, "mode", item)?),
            Some("owner") => ownership.uid = Some(numeric_id(function, "owner", item, true)?),
            Some("group") => ownership.gid = Some(numeric_id(function, "group", item, false)?),
            _ => {}
        }
    }
    Ok(ownership)
}

fn write(path: &str, contents: &[u8], options: Dynamic) -> Fallible<()> {
    const FUNCTION: &str = "file_write";
    let target = provider_path(FUNCTION, path)?;
    let ownership = ownership(FUNCTION, &*check_options(FUNCTION, options, &["mode", "owner", "group"])?)?;
    machine(FUNCTION, |system| system.write(&target, contents, ownership))?;
    note_change(format!("wrote {path}"));
    Ok(())
}

/// `file_stat`
fn stat(path: &str, options: Dynamic) -> Fallible<Dynamic> {
    const FUNCTION: &str = "file_stat";
    let options = check_options(FUNCTION, options, &["follow"])?;
    let follow = options.get("follow") == Some(&Value::Bool(true));
    let Some(stat) = stat_path(FUNCTION, path, follow)? else { return Ok(Dynamic::UNIT) };
    let (owner, group) = machine(FUNCTION, |system| Ok((system.user_name(stat.uid), system.group_name(stat.gid))))?;
    let name = |name: Option<String>, id: u32| Value::from(name.unwrap_or_else(|| id.to_string()));
    let kind = match stat.kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
        FileKind::Link => "link",
        FileKind::Other => "other",
    };
    let seconds = stat.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let target = stat.target.map_or(Value::Undef, |target| Value::from(target.to_string_lossy().into_owned()));
    let entries = [
        ("type", Value::str(kind)),
        ("size", number(stat.size)),
        ("mode", Value::from(format!("{:04o}", stat.mode))),
        ("owner", name(owner, stat.uid)),
        ("group", name(group, stat.gid)),
        ("uid", number(u64::from(stat.uid))),
        ("gid", number(u64::from(stat.gid))),
        ("mtime", number(seconds)),
        ("target", target),
    ];
    let entries = entries.into_iter().map(|(name, item)| (Value::str(name), item));
    Ok(Dynamic::from(HashHandle(Arc::new(entries.collect()))))
}

fn list(path: &str) -> Fallible<rhai::Array> {
    let directory = provider_path("dir_list", path)?;
    let names = machine("dir_list", |system| system.list(&directory))?;
    if names.len() > MAX_ITEMS {
        return fail(format!("dir_list(): {path} has more than {MAX_ITEMS} entries"));
    }
    Ok(names.into_iter().map(Dynamic::from).collect())
}

fn create_directory(path: &str, options: Dynamic) -> Fallible<()> {
    const FUNCTION: &str = "dir_create";
    let target = provider_path(FUNCTION, path)?;
    let options = check_options(FUNCTION, options, &["mode", "owner", "group", "parents"])?;
    let ownership = ownership(FUNCTION, &options)?;
    if options.get("parents") == Some(&Value::Bool(true)) {
        let parents: Vec<&Path> = target.ancestors().skip(1).collect();
        for parent in parents.into_iter().rev() {
            if machine(FUNCTION, |system| system.stat(parent, true))?.is_none() {
                machine(FUNCTION, |system| system.create_directory(parent, Ownership::default()))?;
            }
        }
        if machine(FUNCTION, |system| system.stat(&target, true))?.is_some_and(|stat| stat.kind == FileKind::Directory)
        {
            return Ok(());
        }
    }
    machine(FUNCTION, |system| system.create_directory(&target, ownership))?;
    note_change(format!("created directory {path}"));
    Ok(())
}

fn delete_directory(path: &str, options: Dynamic) -> Fallible<()> {
    const FUNCTION: &str = "dir_delete";
    let target = provider_path(FUNCTION, path)?;
    let options = check_options(FUNCTION, options, &["recursive"])?;
    let recursive = options.get("recursive") == Some(&Value::Bool(true));
    if machine(FUNCTION, |system| system.stat(&target, false))?.is_none() {
        return Ok(());
    }
    machine(FUNCTION, |system| system.delete_directory(&target, recursive))?;
    note_change(format!("deleted directory {path}"));
    Ok(())
}

fn delete(path: &str) -> Fallible<()> {
    let target = provider_path("file_delete", path)?;
    if machine("file_delete", |system| system.stat(&target, false))?.is_none() {
        return Ok(());
    }
    machine("file_delete", |system| system.delete_file(&target))?;
    note_change(format!("deleted {path}"));
    Ok(())
}

fn link(path: &str, target: &str) -> Fallible<()> {
    let target_path = provider_path("file_link", path)?;
    machine("file_link", |system| system.link(&target_path, Path::new(target), Ownership::default()))?;
    note_change(format!("linked {path} to {target}"));
    Ok(())
}

fn set_mode(path: &str, digits: &str) -> Fallible<()> {
    let target = provider_path("file_mode", path)?;
    let bits = mode("file_mode", "mode", &Value::str(digits))?;
    machine("file_mode", |system| system.set_mode(&target, bits))?;
    note_change(format!("set the mode of {path} to {digits}"));
    Ok(())
}

fn set_owner(path: &str, owner: Dynamic, group: Dynamic) -> Fallible<()> {
    const FUNCTION: &str = "file_owner";
    let target = provider_path(FUNCTION, path)?;
    let optional_id = |value: Dynamic, option: &str, is_user: bool| match super::to_value(value)? {
        Value::Undef => Ok(None),
        value => numeric_id(FUNCTION, option, &value, is_user).map(Some),
    };
    let (uid, gid) = (optional_id(owner, "owner", true)?, optional_id(group, "group", false)?);
    machine(FUNCTION, |system| system.set_owner(&target, uid, gid, false))?;
    note_change(format!("set the owner of {path}"));
    Ok(())
}

fn copy(from: &str, to: &str) -> Fallible<()> {
    const FUNCTION: &str = "file_copy";
    let target = provider_path(FUNCTION, to)?;
    let contents = read(FUNCTION, from)?;
    let mode = stat_path(FUNCTION, from, true)?.map(|stat| stat.mode);
    machine(FUNCTION, |system| system.write(&target, &contents, Ownership { mode, ..Ownership::default() }))?;
    note_change(format!("copied {from} to {to}"));
    Ok(())
}

/// The digest of a file, in hexadecimal digits.
fn hash(path: &str, algorithm: &str) -> Fallible<ImmutableString> {
    let contents = read("file_hash", path)?;
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Ok(match algorithm {
        "md5" => digits(&md5::Md5::digest(&contents)),
        "sha256" => digits(&sha2::Sha256::digest(&contents)),
        "sha512" => digits(&sha2::Sha512::digest(&contents)),
        _ => return fail(format!("file_hash(): unknown algorithm '{algorithm}': there are md5, sha256, sha512")),
    }
    .into())
}

fn empty() -> Dynamic {
    Dynamic::from_map(rhai::Map::new())
}

/// Declares a function of providers.
const fn applied(
    name: &'static str,
    params: &'static [&'static str],
    returns: &'static str,
    doc: &'static str,
    register: fn(&mut crate::natives::Natives, &'static str),
) -> Item {
    function(name, params, returns, phase::PROVIDER, doc, register)
}

pub(super) const ITEMS: &[Item] = &[
    applied(
        "file_exists",
        &["path: String"],
        "Boolean",
        "Returns whether a path exists; links are followed.",
        |e, n| {
            e.register_fn(n, |path: &str| -> Fallible<bool> { Ok(stat_path("file_exists", path, true)?.is_some()) });
        },
    ),
    applied(
        "file_read",
        &["path: String"],
        "String",
        "Returns the contents of a file, which must be UTF-8.",
        |e, n| {
            e.register_fn(n, read_string);
        },
    ),
    applied("file_read_bytes", &["path: String"], "Blob", "Returns the bytes of a file.", |e, n| {
        e.register_fn(n, read_bytes);
    }),
    applied(
        "file_write",
        &["path: String", "contents: String|Blob"],
        "",
        "Creates or replaces a file atomically. Mode and owner are kept; a link is replaced.",
        |e, n| {
            e.register_fn(n, |path: &str, text: ImmutableString| write(path, text.as_bytes(), empty()));
            e.register_fn(n, |path: &str, bytes: Blob| write(path, &bytes, empty()));
        },
    ),
    applied(
        "file_write",
        &["path: String", "contents: String|Blob", "options: Map|Hash"],
        "",
        "Creates or replaces a file with `mode` (`\"0644\"`), `owner`, `group`.",
        |e, n| {
            e.register_fn(n, |path: &str, text: ImmutableString, options: Dynamic| {
                write(path, text.as_bytes(), options)
            });
            e.register_fn(n, |path: &str, bytes: Blob, options: Dynamic| write(path, &bytes, options));
        },
    ),
    applied(
        "file_stat",
        &["path: String"],
        "Hash",
        "Returns a hash of `type` (`file`, `directory`, `link`, `other`), `size`, `mode` (`\"0644\"`), `owner`, `group`, `uid`, `gid`, `mtime` (seconds since 1970) and `target`, or `()` if the path does not exist.",
        |e, n| {
            e.register_fn(n, |path: &str| stat(path, empty()));
        },
    ),
    applied(
        "file_stat",
        &["path: String", "options: Map|Hash"],
        "Hash",
        "With `#{ follow: true }`, returns the hash of the target of a link.",
        |e, n| {
            e.register_fn(n, stat);
        },
    ),
    applied("file_delete", &["path: String"], "", "Deletes a file or link, if there is one.", |e, n| {
        e.register_fn(n, delete);
    }),
    applied("file_link", &["path: String", "target: String"], "", "Creates or replaces a symbolic link.", |e, n| {
        e.register_fn(n, link);
    }),
    applied("file_mode", &["path: String", "mode: String"], "", "Sets permission bits: `\"0644\"`.", |e, n| {
        e.register_fn(n, set_mode);
    }),
    applied(
        "file_owner",
        &["path: String", "owner: Any", "group: Any"],
        "",
        "Sets owner and group, as names or ids; `()` leaves one unchanged.",
        |e, n| {
            e.register_fn(n, set_owner);
        },
    ),
    applied("file_copy", &["from: String", "to: String"], "", "Copies a file with its mode.", |e, n| {
        e.register_fn(n, copy);
    }),
    applied(
        "file_hash",
        &["path: String", "algorithm: String"],
        "String",
        "Returns the digest of a file: `md5`, `sha256` or `sha512`.",
        |e, n| {
            e.register_fn(n, hash);
        },
    ),
    applied("dir_list", &["path: String"], "Array", "Returns the names in a directory, sorted.", |e, n| {
        e.register_fn(n, list);
    }),
    applied("dir_create", &["path: String"], "", "Creates a directory.", |e, n| {
        e.register_fn(n, |path: &str| create_directory(path, empty()));
    }),
    applied(
        "dir_create",
        &["path: String", "options: Map|Hash"],
        "",
        "Creates a directory with `mode`, `owner`, `group`; `parents: true` also creates its parents and accepts a directory that exists.",
        |e, n| {
            e.register_fn(n, create_directory);
        },
    ),
    applied("dir_delete", &["path: String"], "", "Deletes an empty directory, if there is one.", |e, n| {
        e.register_fn(n, |path: &str| delete_directory(path, empty()));
    }),
    applied(
        "dir_delete",
        &["path: String", "options: Map|Hash"],
        "",
        "With `#{ recursive: true }`, deletes a directory and its contents.",
        |e, n| {
            e.register_fn(n, delete_directory);
        },
    ),
];
