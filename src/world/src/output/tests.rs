//! Makes every step of writing a file fail: the old or the new file remains, and no other file.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::cell::Cell;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use super::Kind;
use super::Output;
use super::Place;
use super::Step;
use super::folder::Folder;
use super::temporary;

thread_local! {
    /// The step that fails, how often it must be reached before that, and the error.
    static FAULT: Cell<Option<(Step, usize, i32)>> = const { Cell::new(None) };
}

pub(super) fn fault(step: Step) -> io::Result<()> {
    match FAULT.get() {
        Some((fails, 0, code)) if fails == step => Err(io::Error::from_raw_os_error(code)),
        Some((fails, count, code)) if fails == step => {
            FAULT.set(Some((fails, count - 1, code)));
            Ok(())
        }
        _ => Ok(()),
    }
}

const KINDS: [Kind; 7] =
    [Kind::Snapshot, Kind::Report, Kind::Catalog, Kind::NodeCatalog, Kind::Tape, Kind::Key, Kind::Certificate];
const STEPS: [Step; 9] = [
    Step::Folder,
    Step::TemporaryFolder,
    Step::Create,
    Step::Permissions,
    Step::Write,
    Step::Sync,
    Step::Rename,
    Step::SyncFolder,
    Step::Remove,
];
/// No space, no permission, too many open files, input/output error, file too large, quota, read-only.
const ERRORS: [i32; 7] = [28, 13, 24, 5, 27, 122, 30];

fn write(path: &Path, kind: Kind) -> io::Result<()> {
    let mut output = Output::open(&Place::named(path), kind)?;
    ["new ", "and ", "whole"].iter().try_for_each(|piece| output.write_all(piece.as_bytes()))?;
    output.commit()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_step_that_fails_leaves_the_old_or_the_new_file() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("file");
    let mut failed = 0;
    for kind in KINDS {
        for (step, at) in STEPS.iter().flat_map(|step| (0..3).map(move |at| (*step, at))) {
            for (code, old) in ERRORS.iter().flat_map(|code| [Some("old"), None].map(|old| (*code, old))) {
                let _ = std::fs::remove_file(&path);
                if let Some(old) = old {
                    std::fs::write(&path, old).unwrap();
                }
                FAULT.set(Some((step, at, code)));
                let written = write(&path, kind);
                FAULT.set(None);
                let now = std::fs::read_to_string(&path).ok();
                let case = format!("{kind:?} {step:?} {at} {code} {old:?}: {written:?} {now:?}");
                match written {
                    Ok(()) => assert_eq!(now.as_deref(), Some("new and whole"), "{case}"),
                    Err(error) => {
                        failed += 1;
                        assert_eq!(error.raw_os_error(), Some(code), "{case}");
                        assert!(now.as_deref() == old || now.as_deref() == Some("new and whole"), "{case}");
                    }
                }
                let left = names(dir.path());
                assert!(left.is_empty() || left == ["file"], "{case} {left:?}");
            }
        }
    }
    assert!(failed > 500, "{failed}");
}

#[test]
fn a_dropped_output_leaves_the_old_file() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "old").unwrap();
    let mut output = Output::open(&Place::named(&path), Kind::Catalog).unwrap();
    output.write_all(b"half").unwrap();
    assert_eq!(names(dir.path()), [".catwalk-tmp", "file"]);
    assert_eq!(std::fs::read_to_string(dir.path().join(".catwalk-tmp/.gitignore")).unwrap(), "*\n");
    // Of two files that are written at the same time, one is finished first.
    super::write(&Place::named(&path), Kind::Report, b"new").unwrap();
    assert_eq!(names(dir.path()), [".catwalk-tmp", "file"]);
    drop(output);
    assert_eq!(names(dir.path()), ["file"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn many_threads_write_beside_each_other() {
    let dir = tempfile::TempDir::new().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let folder = dir.path();
            scope.spawn(move || {
                for number in 0..50 {
                    write(&folder.join(format!("{thread}-{}", number % 5)), Kind::NodeCatalog).unwrap();
                }
            });
        }
    });
    assert_eq!(names(dir.path()).len(), 40);
}

#[cfg(unix)]
#[test]
fn permissions() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("file");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    std::fs::write(dir.path().join("plain"), "").unwrap();
    let plain = mode(&dir.path().join("plain"));
    for kind in KINDS {
        let _ = std::fs::remove_file(&path);
        write(&path, kind).unwrap();
        assert_eq!(mode(&path), if kind.is_private() { 0o600 } else { plain }, "{kind:?}");
        for old in [0o600, 0o640, 0o660, 0o400, 0o750, 0o644, 0o666, 0o604, 0o641, 0o642, 0o777] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(old)).unwrap();
            write(&path, kind).unwrap();
            let wanted = if kind.is_private() && old & 0o007 != 0 { 0o600 } else { old };
            assert_eq!(mode(&path), wanted, "{kind:?} {old:o}");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_and_what_is_no_file() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let is_link = |name: &str| std::fs::symlink_metadata(at(name)).unwrap().is_symlink();
    std::fs::create_dir(at("folder")).unwrap();
    for kind in KINDS {
        for name in ["real", "folder/real", "link", "dangling"] {
            let _ = std::fs::remove_file(at(name));
        }
        std::fs::write(at("real"), "old").unwrap();
        symlink("real", at("link")).unwrap();
        symlink("folder/real", at("dangling")).unwrap();
        write(&at("link"), kind).unwrap();
        write(&at("dangling"), kind).unwrap();
        // Only the user's own files are behind links.
        let named = matches!(kind, Kind::Report | Kind::Catalog);
        assert_eq!((is_link("link"), is_link("dangling")), (named, named), "{kind:?}");
        assert_eq!(std::fs::read_to_string(at("real")).unwrap(), if named { "new and whole" } else { "old" });
        assert_eq!(at("folder/real").exists(), named);
        assert_eq!(std::fs::read_to_string(at("dangling")).unwrap(), "new and whole");

        assert!(write(&at("folder"), kind).is_err());
        if named {
            write(Path::new("/dev/null"), kind).unwrap();
            assert!(write(Path::new("/dev/full"), kind).is_err_and(|error| error.raw_os_error() == Some(28)));
        }
    }
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    assert!(write(&at("a"), Kind::Report).is_err(), "a circle of links");
    // A folder of temporary files that leads elsewhere is not used.
    symlink("folder", at(".catwalk-tmp")).unwrap();
    let error = write(&at("new"), Kind::Report).unwrap_err().to_string();
    assert!(error.ends_with(".catwalk-tmp must be a directory"), "{error}");
    assert!(!at("folder/.gitignore").exists());
}

#[cfg(unix)]
#[test]
fn files_of_killed_processes_are_removed_and_no_others() {
    let dir = tempfile::TempDir::new().unwrap();
    let beside = dir.path().to_path_buf();
    // What a process of this system has open, and what a killed one left.
    let (used, file) = temporary::create_unregistered(&beside, "x");
    let name = used.file_name().unwrap().to_str().unwrap().to_owned();
    let system = name.split('-').next().unwrap().to_owned();
    let folder = beside.join(".catwalk-tmp");
    let put = |name: &str| std::fs::write(folder.join(name), "half").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 3600);
    for name in [&format!("{system}-1-1"), "00000000-1-1", "00000000-1-2", "mine", "00000000-1", "0-1-1"] {
        put(name);
    }
    for name in ["00000000-1-2", "mine"] {
        let file = std::fs::OpenOptions::new().write(true).open(folder.join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    temporary::sweep(&Folder::open(&beside).unwrap());
    let mut left: Vec<String> =
        vec![".gitignore".into(), name, "00000000-1-1".into(), "mine".into(), "00000000-1".into(), "0-1-1".into()];
    left.sort();
    assert_eq!(names(&folder), left);
    drop(file);
}

/// A folder in which a process was killed at any step is clean after the next write.
#[test]
fn the_next_write_sweeps() {
    let dir = tempfile::TempDir::new().unwrap();
    let folder = dir.path().join(".catwalk-tmp");
    let system = temporary::system();
    for left in [vec![], vec![".gitignore"], vec!["1-1"], vec![".gitignore", "1-1", "2-7"]] {
        let beside: PathBuf = dir.path().join(format!("{}", left.len())).join(left.join("_"));
        let folder = beside.join(".catwalk-tmp");
        std::fs::create_dir_all(&folder).unwrap();
        for name in left {
            let name = if name.starts_with('.') { name.to_owned() } else { format!("{system}-{name}") };
            std::fs::write(folder.join(&name), if name == ".gitignore" { "*" } else { "half" }).unwrap();
        }
        write(&beside.join("file"), Kind::Snapshot).unwrap();
        assert_eq!(names(&beside), ["file"]);
    }
    assert!(!folder.exists());
}
