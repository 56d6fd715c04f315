//! The watcher on a real file system: however a file is written, the session has the results of a new session.
//!
//! `OPERATIONS=10000 cargo test --test main watching::random_edits` runs the long form.

mod batches;
mod deployed;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use catwalk_session::Changes;
use catwalk_watcher::Ignore;
use catwalk_watcher::Watcher;
use catwalk_world::Memory;

use crate::incremental::Following;
use crate::incremental::edits::Random;
use crate::incremental::edits::edit;
use crate::incremental::number;
use crate::incremental::on_large_stack;
use crate::incremental::same_as_fresh;
use crate::support::Site;

/// A session that follows the events of a watcher.
struct WatchedSession {
    watcher: Watcher,
    following: Following,
    root: PathBuf,
    rewatch: bool,
    /// For each batch that compiled nodes: their names.
    rounds: Vec<Vec<String>>,
    warning: Option<String>,
    /// The number of barrier files written.
    barriers: usize,
}

impl WatchedSession {
    fn start(root: &Path, watcher: Watcher) -> WatchedSession {
        let following = Following::start(root);
        let root = root.to_path_buf();
        let mut watched =
            WatchedSession { watcher, following, root, rewatch: true, rounds: Vec::new(), warning: None, barriers: 0 };
        watched.settle();
        watched.rounds.clear();
        watched
    }

    /// Follows all changes until now: writes a barrier file and waits for its event. The system reports events in order.
    fn settle(&mut self) {
        // Only watched directories report the barrier: set the watches first.
        self.follow(None, None);
        self.barriers += 1;
        let barrier = self.root.join(format!("barrier{}", self.barriers));
        std::fs::write(&barrier, "").unwrap();
        std::fs::remove_file(&barrier).unwrap();
        self.follow(None, Some(barrier));
    }

    /// Follows changes until nothing happens for the time `quiet`, or until the event of `barrier` has been processed.
    fn follow(&mut self, quiet: Option<Duration>, mut barrier: Option<PathBuf>) {
        loop {
            let mut changes = Changes::default();
            if self.rewatch {
                let site_paths = self.following.session.site_paths();
                let world = self.following.world.clone();
                let watches = self.watcher.watch_state(&mut self.following.state, site_paths, world.as_ref()).unwrap();
                self.warning = self.warning.take().or(watches.warning.map(|reason| reason.message.to_string()));
                changes.paths = watches.new;
                self.rewatch = false;
            }
            if changes == Changes::default() {
                if quiet.is_none() && barrier.is_none() {
                    return;
                }
                let Some(batch) = self.watcher.next_batch(quiet) else { return };
                // A complete scan finds all changes, whether or not their events have arrived.
                barrier = barrier.filter(|barrier| !batch.rescan && !batch.paths.contains(barrier));
                changes = batch;
            }
            let (changed, updates) = self.following.follow(&changes);
            self.rewatch = changed || self.watcher.is_outdated_by_moves();
            if !updates.is_empty() {
                self.rounds.push(updates.iter().map(|update| update.certname.to_string()).collect());
            }
        }
    }

    fn expect_fresh_results(&mut self, edit_name: &str) {
        self.settle();
        same_as_fresh(&self.following, &self.root, &|| edit_name.to_owned());
    }

    /// Fails unless an edit compiled something.
    fn expect_compile(&mut self, edit_name: &str) {
        self.expect_fresh_results(edit_name);
        assert!(!self.rounds.is_empty(), "{edit_name}: nothing was compiled");
        self.rounds.clear();
    }

    fn expect_no_compile(&mut self, edit_name: &str) {
        self.expect_fresh_results(edit_name);
        assert!(self.rounds.is_empty(), "{edit_name}: {:?}", self.rounds);
    }
}

fn site() -> (Site, PathBuf) {
    let site = Site::new(&[
        ("nodes/web1.json", "{}"),
        ("nodes/web2.json", "{}"),
        (
            "hiera.yaml",
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy: [{name: c, path: c.yaml}]\n",
        ),
        ("data/c.yaml", "text: one\n"),
        ("site.pp", "include web\nif defined('late') { include late }\nnotify { lookup('text'): }\n"),
        ("modules/web/manifests/init.pp", "class web { file { '/a': content => file('web/a.txt') } }\n"),
        ("modules/web/files/a.txt", "one\n"),
    ]);
    let root = site.path().canonicalize().unwrap();
    (site, root)
}

fn watching(test: impl FnOnce(&Site, &mut WatchedSession) + Send + 'static) {
    on_large_stack(|| {
        let (site, root) = site();
        let mut watched = WatchedSession::start(&root, Watcher::new(None).unwrap());
        test(&site, &mut watched);
    });
}

#[test]
fn saves_of_editors_are_followed() {
    watching(|site, watched| {
        let file = |name: &str| site.path().join("data").join(name);
        let write = |name: &str, text: &str| std::fs::write(file(name), text).unwrap();
        // vim: a swap file, a test for permissions, a backup, a new file in place of the old.
        write(".c.yaml.swp", "b0VIM");
        write("4913", "");
        std::fs::remove_file(file("4913")).unwrap();
        std::fs::rename(file("c.yaml"), file("c.yaml~")).unwrap();
        write("c.yaml", "text: vim\n");
        std::fs::remove_file(file("c.yaml~")).unwrap();
        watched.expect_compile("vim");
        // emacs: a lock that is a dangling link, an autosave, a backup by rename, then a write.
        symlink("user@host.1:2", file(".#c.yaml")).unwrap();
        write("#c.yaml#", "text: auto\n");
        std::fs::rename(file("c.yaml"), file("c.yaml~")).unwrap();
        write("c.yaml", "text: emacs\n");
        std::fs::remove_file(file("#c.yaml#")).unwrap();
        std::fs::remove_file(file(".#c.yaml")).unwrap();
        watched.expect_compile("emacs");
        // VS Code truncates the file and writes in place.
        write("c.yaml", "");
        write("c.yaml", "text: code\n");
        watched.expect_compile("code");
        // JetBrains: a new file, the old aside, the new in its place, the old away.
        write("c.yaml___jb_tmp___", "text: jetbrains\n");
        std::fs::rename(file("c.yaml"), file("c.yaml___jb_old___")).unwrap();
        std::fs::rename(file("c.yaml___jb_tmp___"), file("c.yaml")).unwrap();
        std::fs::remove_file(file("c.yaml___jb_old___")).unwrap();
        watched.expect_compile("jetbrains");
        // A rename over the old.
        write("new", "text: renamed\n");
        std::fs::rename(file("new"), file("c.yaml")).unwrap();
        watched.expect_compile("rename over");
        std::fs::remove_file(file("c.yaml")).unwrap();
        watched.expect_compile("deleted");
        write("c.yaml", "text: again\n");
        watched.expect_compile("recreated");
    });
}

#[test]
fn only_changed_content_is_compiled() {
    watching(|site, watched| {
        site.write("data/c.yaml", "text: one\n");
        watched.expect_no_compile("the same text");
        let now = std::fs::File::open(site.path().join("data/c.yaml")).unwrap();
        now.set_modified(std::time::SystemTime::now()).unwrap();
        watched.expect_no_compile("touch");
        site.write("data/c.yaml", "# comment\ntext: one\nunused: 1\n");
        watched.expect_no_compile("a comment and a key that nobody asks for");
        site.write("target/catalogs/web1.json", "{}");
        site.write("modules/web/README.md", "text");
        watched.expect_no_compile("what no compile touched");
    });
}

#[test]
fn the_program_of_a_command_is_followed() {
    watching(|site, watched| {
        let program = site.path().canonicalize().unwrap().join("say");
        site.write("say", "#!/bin/sh\necho one\n");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        site.write("site.pp", format!("notify {{ generate('{}'): }}\n", program.display()));
        watched.expect_compile("a program");
        site.write("say", "#!/bin/sh\necho two\n");
        watched.expect_compile("its text");
        site.remove("say");
        watched.expect_compile("no program");
        site.write("say", "#!/bin/sh\necho three\n");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        watched.expect_compile("the program again");
    });
}

/// Without a change of the paths to watch, no watch is set.
#[test]
fn watches_are_set_only_for_new_or_replaced_paths() {
    watching(|site, watched| {
        let set = |watched: &mut WatchedSession| -> Vec<String> {
            let site_paths = watched.following.session.site_paths();
            let world = watched.following.world.clone();
            let watches =
                watched.watcher.watch_state(&mut watched.following.state, site_paths, world.as_ref()).unwrap();
            watches.new.into_iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let none: Vec<String> = Vec::new();
        site.write("data/c.yaml", "text: two\n");
        watched.expect_compile("an edit");
        assert_eq!(set(watched), none);
        // A file in a directory that no compile has read yet.
        site.write("modules/other/files/b.txt", "b");
        site.write("modules/web/manifests/init.pp", "class web { file { '/a': content => file('other/b.txt') } }\n");
        watched.expect_compile("another file");
        site.write("modules/other/files/b.txt", "c");
        watched.expect_compile("an edit of it");
        // The watch of a replaced directory reports nothing.
        std::fs::rename(site.path().join("modules/other/files"), site.path().join("aside")).unwrap();
        watched.expect_compile("the directory away");
        site.write("modules/other/files/b.txt", "d");
        watched.expect_compile("a new directory");
        site.write("modules/other/files/b.txt", "e");
        watched.expect_compile("an edit in it");
        assert_eq!(set(watched), none);
    });
}

#[test]
fn moved_and_new_directories_are_followed() {
    watching(|site, watched| {
        let path = |name: &str| site.path().join(name);
        std::fs::rename(path("modules/web"), path("aside")).unwrap();
        watched.expect_compile("a module moved away");
        site.write("aside/files/a.txt", "changed aside\n");
        std::fs::rename(path("aside"), path("modules/web")).unwrap();
        watched.expect_compile("a module moved back");
        site.write("modules/web/files/a.txt", "after the move\n");
        watched.expect_compile("an edit after the move");
        // Directories are created one by one, with a file as soon as the last exists.
        site.write("modules/late/manifests/init.pp", "class late { notify { 'late': } }\n");
        watched.expect_compile("a new module");
        site.write("modules/late/manifests/init.pp", "class late { notify { 'later': } }\n");
        watched.expect_compile("an edit in the new module");
        std::fs::remove_dir_all(path("modules/late")).unwrap();
        watched.expect_compile("a module removed");
        std::fs::rename(path("data"), path("data.old")).unwrap();
        watched.expect_compile("data moved away");
        std::fs::create_dir(path("data")).unwrap();
        watched.expect_fresh_results("an empty directory");
        site.write("data/c.yaml", "text: new\n");
        watched.expect_compile("data in a new directory");
    });
}

#[test]
fn replaced_and_moved_links_are_followed() {
    watching(|site, watched| {
        let path = |name: &str| site.path().join(name);
        site.write("real/one/manifests/init.pp", "class late { notify { 'one': } }\n");
        site.write("real/two/manifests/init.pp", "class late { notify { 'two': } }\n");
        symlink("../real/one", path("modules/late")).unwrap();
        watched.expect_compile("a module that is a link");
        site.write("real/one/manifests/init.pp", "class late { notify { 'one and a half': } }\n");
        watched.expect_compile("an edit behind the link");
        symlink("../real/two", path("modules/new")).unwrap();
        std::fs::rename(path("modules/new"), path("modules/late")).unwrap();
        watched.expect_compile("the link leads elsewhere");
        site.write("real/two/manifests/init.pp", "class late { notify { 'three': } }\n");
        watched.expect_compile("an edit at the new place");
        std::fs::rename(path("real/two"), path("real/three")).unwrap();
        std::fs::remove_file(path("modules/late")).unwrap();
        symlink("../real/three", path("modules/late")).unwrap();
        watched.expect_no_compile("the same behind another link");
        site.write("real/three/manifests/init.pp", "class late { notify { 'four': } }\n");
        watched.expect_compile("an edit behind the other link");
        std::fs::remove_file(path("modules/late")).unwrap();
        std::fs::rename(path("real/three"), path("modules/late")).unwrap();
        watched.expect_no_compile("the directory in the place of the link to it");
        std::fs::rename(path("modules/late"), path("real/four")).unwrap();
        symlink("../real/four", path("modules/late")).unwrap();
        watched.expect_no_compile("a link in the place of the directory");
        site.write("real/four/manifests/init.pp", "class late { notify { 'five': } }\n");
        watched.expect_compile("an edit behind the link in the directory's place");
        site.write("real/c.yaml", "text: linked\n");
        std::fs::remove_file(path("data/c.yaml")).unwrap();
        symlink("../real/c.yaml", path("data/c.yaml")).unwrap();
        watched.expect_compile("a file that is a link");
        site.write("real/c.yaml", "text: behind\n");
        watched.expect_compile("an edit of the file behind");
    });
}

#[test]
fn changes_of_permissions_are_followed() {
    watching(|site, watched| {
        let file = site.path().join("data/c.yaml");
        let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(&file, 0o000);
        // Root can read every file.
        let refused = std::fs::read(&file).is_err();
        watched.expect_fresh_results("no permission");
        mode(&file, 0o644);
        watched.expect_fresh_results("permission again");
        assert_eq!(watched.rounds.len(), if refused { 2 } else { 0 });
        watched.rounds.clear();
        mode(&site.path().join("data"), 0o000);
        watched.expect_fresh_results("no permission for the directory");
        mode(&site.path().join("data"), 0o755);
        watched.expect_fresh_results("permission for the directory again");
        watched.rounds.clear();
        site.write("data/c.yaml", "text: after\n");
        watched.expect_compile("an edit after that");
    });
}

#[test]
fn without_more_watches_files_are_polled() {
    on_large_stack(|| {
        let (site, root) = site();
        let mut watched = WatchedSession::start(&root, Watcher::new(None).unwrap().limited(2));
        assert_eq!(watched.warning.as_deref(), Some("the system allows no more watches than 2"));
        assert!(watched.watcher.polls());
        site.write("data/c.yaml", "text: polled\n");
        watched.expect_compile("polled");
    });
}

#[test]
fn polling_finds_edits() {
    on_large_stack(|| {
        let (site, root) = site();
        let mut watched = WatchedSession::start(&root, Watcher::new(Some(Duration::from_millis(5))).unwrap());
        site.write("data/c.yaml", "text: polled\n");
        watched.expect_compile("polled");
        site.write("modules/late/manifests/init.pp", "class late { notify { 'late': } }\n");
        watched.expect_compile("a new module");
        watched.expect_no_compile("nothing");
    });
}

#[test]
fn ignored_files_cause_no_compile() {
    on_large_stack(|| {
        let (site, root) = site();
        let mut watcher = Watcher::new(None).unwrap();
        let git = Memory::new([(root.join(".gitignore"), "c.yaml\n*.bak\n")]);
        let patterns = ["*.txt".to_owned()];
        watcher.ignore = Ignore::new(&root, &patterns, vec![root.join("out")], &git).unwrap();
        let mut watched = WatchedSession::start(&root, watcher);
        site.write("modules/web/files/a.txt", "two\n");
        watched.settle();
        assert!(watched.rounds.is_empty(), "[watch] ignore");
        // A file that git ignores is watched once a compile has read it.
        site.write("data/c.yaml", "text: two\n");
        watched.settle();
        assert_eq!(watched.rounds.len(), 1);
    });
}

#[test]
fn random_edits_are_followed() {
    on_large_stack(|| {
        let (_site, root) = site();
        let mut random = Random::new(number("SEED", 7));
        let mut watched = WatchedSession::start(&root, Watcher::new(None).unwrap());
        let operations = number("OPERATIONS", 150);
        let mut done = Vec::new();
        for at in 0..operations {
            done.push(edit(&root, &mut random).1);
            if random.below(8) == 0 {
                watched.follow(Some(Duration::from_millis(u64::try_from(random.below(20)).unwrap() + 1)), None);
            }
            if at % 50 == 49 {
                watched.expect_fresh_results(&done[done.len() - 50..].join("\n"));
            }
        }
        watched.expect_fresh_results("the end");
    });
}
