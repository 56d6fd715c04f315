//! `Dir` and `FileUtils`: entries of directories; creating, moving and removing files.
//!
//! In: paths. Out: names, or a change in memory. Must not: know streams.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::library::files::is_directory;
use crate::library::files::make_temporary_directory;
use crate::library::files::raise_missing;
use crate::library::paths::path_argument;
use crate::library::written_files::PathEffect;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;
use catwalk_world::Kind;

/// Maximum number of directory entries that `Dir.glob` compares with one pattern.
const MAX_GLOBBED: usize = 100_000;

pub(crate) static DIR: Class = Class::module(
    "Dir",
    &[
        Method::at_least("[]", 0, glob),
        Method::at_least("children", 1, children),
        Method::at_least("each_child", 1, each_child),
        Method::new("empty?", 1, is_empty),
        Method::at_least("entries", 1, entries),
        Method::new("exist?", 1, is_directory),
        Method::new("exists?", 1, is_directory),
        Method::at_least("foreach", 1, foreach),
        Method::new("getwd", 0, working_directory),
        Method::at_least("glob", 1, glob),
        Method::between("mkdir", 1, 2, mkdir),
        Method::at_least("mktmpdir", 0, make_temporary_directory),
        Method::new("pwd", 0, working_directory),
    ],
);

pub(crate) static FILE_UTILS: Class = Class::module(
    "FileUtils",
    &[
        Method::at_least("chmod", 2, set_mode),
        Method::at_least("chmod_R", 2, set_mode),
        Method::at_least("chown", 3, set_owner),
        Method::at_least("chown_R", 3, set_owner),
        Method::at_least("copy", 2, copy),
        Method::at_least("copy_file", 2, copy),
        Method::at_least("cp", 2, copy),
        Method::at_least("makedirs", 1, make_all),
        Method::at_least("mkdir", 1, make_each),
        Method::at_least("mkdir_p", 1, make_all),
        Method::at_least("mkpath", 1, make_all),
        Method::at_least("move", 2, rename),
        Method::at_least("mv", 2, rename),
        Method::at_least("remove", 1, remove_existing),
        Method::at_least("remove_dir", 1, remove),
        Method::at_least("rm", 1, remove_existing),
        Method::at_least("rm_f", 1, remove),
        Method::at_least("rm_r", 1, remove),
        Method::at_least("rm_rf", 1, remove),
        Method::at_least("rmdir", 1, remove),
        Method::at_least("rmtree", 1, remove),
        Method::at_least("safe_unlink", 1, remove),
        Method::at_least("touch", 1, touch),
    ],
);

/// The paths in an argument: one, or a list.
fn paths_argument(rt: &mut Interp<'_>, arg: Option<&Rv>) -> Raise<Vec<String>> {
    match arg {
        Some(Rv::Array(items)) => {
            let items = items.borrow().clone();
            items.iter().map(|item| path_argument(rt, Some(item))).collect()
        }
        other => Ok(vec![path_argument(rt, Some(other.unwrap_or(&Rv::Nil)))?]),
    }
}

/// Calls `change` with each path in the first argument; returns the paths.
fn change_each(
    rt: &mut Interp<'_>,
    paths: Option<&Rv>,
    mut change: impl FnMut(&mut Interp<'_>, &str) -> Raise<()>,
) -> Raise<Rv> {
    let paths = paths_argument(rt, paths)?;
    for path in &paths {
        change(rt, path)?;
    }
    Ok(Rv::array(paths.into_iter().map(Rv::str).collect()))
}

fn make_all(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), make_directories)
}

fn make_each(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| make_directory(rt, path).map(|_| ()))
}

fn touch(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| rt.open_to_write(path, true).map(|_| ()))
}

fn remove(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| {
        rt.remove(path);
        Ok(())
    })
}

/// `rm(path)`: the path must exist.
fn remove_existing(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| {
        if rt.kind(path) == Kind::Missing {
            return raise_missing(rt, "apply2files", path);
        }
        rt.remove(path);
        Ok(())
    })
}

/// `chmod(mode, path)`, which has no effect.
fn set_mode(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.get(1), |_, _| Ok(()))
}

/// `chown(user, group, path)`
fn set_owner(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut names = [Box::from(""), Box::from("")];
    for (name, arg) in names.iter_mut().zip(args) {
        *name = if arg.is_nil() { Box::from("0") } else { rt.to_s(arg)?.into_boxed_str() };
    }
    let [user, group] = names;
    change_each(rt, args.get(2), |rt, path| {
        rt.state().written_files.owners.insert(PathBuf::from(path), (user.clone(), group.clone()));
        Ok(())
    })
}

fn copy(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| copy_file(rt, path, args.get(1)))?;
    Ok(Rv::Nil)
}

/// `mv(path, to)`
fn rename(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    change_each(rt, args.first(), |rt, path| {
        copy_file(rt, path, args.get(1))?;
        rt.remove(path);
        Ok(())
    })?;
    Ok(Rv::Int(0))
}

/// Copies a file to a path, or into a directory.
fn copy_file(rt: &mut Interp<'_>, path: &str, to: Option<&Rv>) -> Raise<()> {
    let bytes = rt.read_file(path)?;
    let mut to = path_argument(rt, to)?;
    if rt.kind(&to) == Kind::Directory {
        to = format!("{to}/{}", path.rsplit('/').next().unwrap_or_default());
    }
    rt.open_to_write(&to, false)?.borrow_mut().extend(bytes);
    Ok(())
}

/// `Dir.mkdir(path)`
fn mkdir(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    make_directory(rt, &path)
}

fn working_directory(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(rt.host.world().env("PWD").map_or_else(|| Rv::str("/"), |dir| Rv::str(&*dir)))
}

fn make_directory(rt: &mut Interp<'_>, path: &str) -> Raise<Rv> {
    if rt.kind(path) != Kind::Missing {
        return rt.raise("Errno::EEXIST", format!("File exists @ dir_s_mkdir - {path}"));
    }
    rt.check_parent("dir_s_mkdir", path)?;
    rt.record_effect(path, PathEffect::Directory);
    Ok(Rv::Int(0))
}

pub(crate) fn make_directories(rt: &mut Interp<'_>, path: &str) -> Raise<()> {
    let mut directories: Vec<&Path> =
        Path::new(path).ancestors().filter(|directory| !directory.as_os_str().is_empty()).collect();
    directories.reverse();
    for directory in directories {
        let directory = directory.to_string_lossy();
        match rt.kind(&directory) {
            Kind::Directory => {}
            Kind::Missing => rt.record_effect(&directory, PathEffect::Directory),
            Kind::File => return rt.raise("Errno::EEXIST", format!("File exists @ dir_s_mkdir - {directory}")),
        }
    }
    Ok(())
}

/// `Dir.glob`; files that the compile itself created are not found.
fn glob(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut patterns = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        match arg {
            // Flags and options come after the patterns.
            Rv::Int(_) | Rv::Hash(_) if at > 0 => {}
            Rv::Array(items) => {
                let items = items.borrow().clone();
                for pattern in &items {
                    patterns.push(path_argument(rt, Some(pattern))?);
                }
            }
            pattern => patterns.push(path_argument(rt, Some(pattern))?),
        }
    }
    let mut paths = Vec::new();
    for pattern in patterns {
        match catwalk_world::glob::glob(rt.host.world(), &pattern, catwalk_world::glob::EntryFilter::All, MAX_GLOBBED) {
            Some(matching) => paths.extend(matching),
            None => return rt.unsupported("Dir.glob over this many files"),
        }
    }
    let paths = Rv::array(paths.into_iter().map(Rv::str).collect());
    match block {
        Some(_) => {
            rt.call_method(&paths, "each", &[], block)?;
            Ok(Rv::Nil)
        }
        None => Ok(paths),
    }
}

/// The names of the entries of a directory in order; `None` if it is not one.
fn entry_names(rt: &mut Interp<'_>, path: &str) -> Option<BTreeSet<String>> {
    let directory = rt.host.world().list(Path::new(path)).ok().filter(|_| rt.path_effect(path).is_none());
    if directory.is_none() && rt.kind(path) != Kind::Directory {
        return None;
    }
    let mut names: BTreeSet<String> =
        directory.iter().flat_map(|directory| directory.iter()).map(|entry| entry.name.to_string()).collect();
    rt.state().written_files.update_entries(Path::new(path), &mut names);
    Some(names)
}

fn is_empty(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    Ok(Rv::bool(entry_names(rt, &path).is_some_and(|names| names.is_empty())))
}

/// `Dir.children(path)`
fn children(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = path_argument(rt, args.first())?;
    match entry_names(rt, &path) {
        Some(names) => Ok(Rv::array(names.into_iter().map(Rv::str).collect())),
        None => raise_missing(rt, "dir_initialize", &path),
    }
}

/// `Dir.entries(path)`: the names of the directory itself and its parent are included.
fn entries(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let children = children(rt, this, args, None)?;
    let mut entries = vec![Rv::str("."), Rv::str("..")];
    entries.extend(rt.to_list(&children)?);
    Ok(Rv::array(entries))
}

fn each_child(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let children = children(rt, this, args, None)?;
    yield_entries(rt, children, block)
}

fn foreach(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let entries = entries(rt, this, args, None)?;
    yield_entries(rt, entries, block)
}

/// Passes names to a block; returns them if there is none.
fn yield_entries(rt: &mut Interp<'_>, entries: Rv, block: Blk<'_>) -> Raise<Rv> {
    if block.is_none() {
        return Ok(entries);
    }
    rt.call_method(&entries, "each", &[], block)?;
    Ok(Rv::Nil)
}
