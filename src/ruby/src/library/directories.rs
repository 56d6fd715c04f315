//! `Dir` and `FileUtils`: entries of directories; creating, moving and removing files.
//!
//! In: paths. Out: names, or a change in memory. Must not: know streams.

use std::path::Path;
use std::path::PathBuf;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::library::files::raise_missing;
use crate::library::paths::path_argument;
use crate::library::written_files::PathEffect;
use crate::value::Rv;
use catwalk_world::Kind;
use catwalk_world::glob;

/// Maximum number of directory entries that `Dir.glob` compares with one pattern.
const MAX_GLOBBED: usize = 100_000;

/// Methods of `FileUtils`; the first argument is a path or a list of paths.
pub(crate) fn call_file_utils(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Rv> {
    // The leading arguments of some methods are modes and owners.
    let at = match name {
        "chmod" | "chmod_R" => 1,
        "chown" | "chown_R" => 2,
        _ => 0,
    };
    let paths = args.get(at).cloned().unwrap_or(Rv::Nil);
    let paths = match &paths {
        Rv::Array(items) => {
            let items = items.borrow().clone();
            items.iter().map(|item| path_argument(rt, Some(item))).collect::<Raise<Vec<_>>>()?
        }
        other => vec![path_argument(rt, Some(other))?],
    };
    for path in &paths {
        match name {
            "mkdir_p" | "makedirs" | "mkpath" => make_directories(rt, path)?,
            "mkdir" => {
                make_directory(rt, path)?;
            }
            "touch" => {
                rt.open_to_write(path, true)?;
            }
            "rm" | "remove" if rt.kind(path) == Kind::Missing => return raise_missing(rt, "apply2files", path),
            "rm" | "remove" | "rm_f" | "safe_unlink" | "rm_rf" | "rm_r" | "remove_dir" | "rmtree" | "rmdir" => {
                rt.remove(path);
            }
            "chmod" | "chmod_R" => {}
            "chown" | "chown_R" => {
                let mut names = [Box::from(""), Box::from("")];
                for (name, arg) in names.iter_mut().zip(args) {
                    *name = if arg.is_nil() { Box::from("0") } else { rt.to_s(arg)?.into_boxed_str() };
                }
                let [user, group] = names;
                rt.state().written_files.owners.insert(PathBuf::from(path), (user, group));
            }
            "cp" | "copy" | "copy_file" | "mv" | "move" => {
                let bytes = rt.read_file(path)?;
                let mut to = path_argument(rt, args.get(1))?;
                if rt.kind(&to) == Kind::Directory {
                    to = format!("{to}/{}", path.rsplit('/').next().unwrap_or_default());
                }
                rt.open_to_write(&to, false)?.borrow_mut().extend(bytes);
                if name.starts_with('m') {
                    rt.remove(path);
                }
            }
            other => return rt.unsupported(&format!("FileUtils.{other}")),
        }
    }
    Ok(match name {
        "cp" | "copy" | "copy_file" => Rv::Nil,
        "mv" | "move" => Rv::Int(0),
        _ => Rv::array(paths.into_iter().map(Rv::str).collect()),
    })
}

pub(crate) fn make_directory(rt: &mut Interp<'_>, path: &str) -> Raise<Rv> {
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
pub(crate) fn glob(rt: &mut Interp<'_>, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
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
        match glob::glob(rt.host.world(), &pattern, glob::EntryFilter::All, MAX_GLOBBED) {
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

pub(crate) fn list_entries(rt: &mut Interp<'_>, name: &str, path: &str, block: Blk<'_>) -> Raise<Rv> {
    let directory = rt.host.world().list(Path::new(path)).ok().filter(|_| rt.path_effect(path).is_none());
    if directory.is_none() && rt.kind(path) != Kind::Directory {
        return if name == "empty?" { Ok(Rv::False) } else { raise_missing(rt, "dir_initialize", path) };
    }
    let mut names: std::collections::BTreeSet<String> =
        directory.iter().flat_map(|directory| directory.iter()).map(|entry| entry.name.to_string()).collect();
    rt.state().written_files.update_entries(Path::new(path), &mut names);
    if name == "empty?" {
        return Ok(Rv::bool(names.is_empty()));
    }
    let mut entries: Vec<Rv> = Vec::with_capacity(names.len() + 2);
    if matches!(name, "entries" | "foreach") {
        entries.extend([Rv::str("."), Rv::str("..")]);
    }
    entries.extend(names.into_iter().map(Rv::str));
    let entries = Rv::array(entries);
    if block.is_none() || matches!(name, "entries" | "children") {
        return Ok(entries);
    }
    rt.call_method(&entries, "each", &[], block)?;
    Ok(Rv::Nil)
}
