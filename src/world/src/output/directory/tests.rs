//! Directories of others, markers, and links that appear while files are written.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::os::unix::fs::symlink;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use super::*;

static PRIVATE: Purpose = Purpose {
    name: "things",
    description: "things",
    option: "--things DIR",
    contents: Contents::Private {
        is_own: |name, kind| name == "thing" && kind == FileKind::File,
        marker: Marker::Lock,
    },
};
static OTHER: Purpose = Purpose {
    name: "others",
    description: "others",
    option: "--others DIR",
    contents: Contents::Private { is_own: |_, _| false, marker: Marker::Lock },
};
static MIXED: Purpose = Purpose { name: "mixed", description: "files", option: "-o DIR", contents: Contents::Mixed };

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_private_directory_is_new_empty_marked_or_has_own_names_only() {
    let dir = tempfile::TempDir::new().unwrap();
    for (files, is_used) in [
        (&[][..], true),
        (&["thing"], true),
        (&["thing", ".gitignore", ".lock"], true),
        (&["thing", "passwd"], false),
        (&["thing/x"], false),
        (&[".hidden"], false),
        (&["lost+found/x", ".catwalk-tmp/x"], true),
    ] {
        let path = dir.path().join(format!("{}-{}", files.len(), files.join("_").replace('/', "-")));
        for name in files {
            let file = path.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
        }
        let place = Place::named(&path);
        let existing = Directory::open_existing(&place, &PRIVATE);
        assert_eq!(existing.is_ok(), is_used, "{files:?} {existing:?}");
        let opened = Directory::open(&place, &PRIVATE);
        assert_eq!(opened.is_ok(), is_used, "{files:?} {opened:?}");
        assert_eq!(path.join(".lock").exists(), is_used, "{files:?}");
        if is_used {
            // The marker says what the directory is for; then other files do not matter.
            std::fs::write(path.join("notes"), "").unwrap();
            Directory::open(&place, &PRIVATE).unwrap();
            assert!(Directory::open(&place, &OTHER).unwrap_err().is_refusal());
        } else {
            assert!(opened.unwrap_err().is_refusal());
        }
    }
    // Nothing is created for a question.
    assert!(Directory::open_existing(&Place::named(dir.path().join("new")), &PRIVATE).unwrap().is_none());
    assert!(!dir.path().join("new").exists());
}

#[test]
fn names_do_not_lead_out_of_a_directory() {
    let dir = tempfile::TempDir::new().unwrap();
    let outside = dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "x").unwrap();
    let directory = Directory::open(&Place::named(dir.path().join("inside")), &MIXED).unwrap();
    symlink(&outside, directory.path().join("link")).unwrap();
    for name in ["../outside/file", "/etc/x", "..", "", "a/../../outside/file", "link/file", "link/new", "link/a/b"] {
        assert!(directory.write(name, Kind::Document, b"y").is_err(), "{name}");
        assert!(directory.remove(name).is_err(), "{name}");
        assert!(!matches!(directory.read(name), Ok(Some(_))), "{name}");
        assert!(directory.rename("a", name).is_err(), "{name}");
    }
    directory.write("a/b/../c", Kind::Document, b"y").unwrap();
    assert_eq!(directory.read("a/c").unwrap().as_deref(), Some(&b"y"[..]));
    assert_eq!(
        (names(&outside), std::fs::read(outside.join("file")).unwrap()),
        (vec!["file".to_owned()], b"x".to_vec())
    );
    for (below, is_link) in [("link", true), ("link/a", true), ("a", false)] {
        let place = Place::below(directory.path(), below).unwrap();
        assert_eq!(Directory::open(&place, &MIXED).is_err(), is_link, "{below}");
        assert_eq!(Directory::open_existing(&place, &MIXED).is_err(), is_link, "{below}");
    }
    assert_eq!(names(&outside), ["file"]);
}

/// Another process exchanges a directory for a link again and again.
#[test]
fn a_race_leads_no_write_out() {
    let dir = tempfile::TempDir::new().unwrap();
    let (outside, aside) = (dir.path().join("outside"), dir.path().join("aside"));
    let snapshots = dir.path().join("site/snapshots");
    std::fs::create_dir_all(&snapshots).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let over = AtomicBool::new(false);
    let place = Place::below(dir.path().join("site"), "snapshots").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if std::fs::rename(&snapshots, &aside).is_ok() {
                    let _ = symlink(&outside, &snapshots);
                    let _ = std::fs::remove_file(&snapshots);
                    let _ = std::fs::rename(&aside, &snapshots);
                }
            }
        });
        for number in 0..2000 {
            if let Ok(Some(directory)) = Directory::open_existing(&place, &MIXED) {
                let _ = directory.write(&format!("{number}"), Kind::NodeCatalog, b"x");
                let _ = directory.remove("1");
                directory.sweep("");
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(names(&outside), [""; 0]);
}
