//! Modules and data as tools deploy them: below directories that git ignores, replaced as a whole, and behind links out of the site that
//! are switched.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;

use catwalk_watcher::Ignore;
use catwalk_watcher::Watcher;

use super::WatchedSession;
use super::site;
use crate::incremental::on_large_stack;
use crate::support::Site;

/// A watched site in a repository of git whose `.gitignore` has these lines, and a directory outside of it.
fn watching_ignored(rules: &'static str, test: impl FnOnce(&Site, &Path, &mut WatchedSession) + Send + 'static) {
    on_large_stack(move || {
        let (site, root) = site();
        let outside = tempfile::TempDir::new().unwrap();
        let outside_path = outside.path().canonicalize().unwrap();
        site.write(".gitignore", rules);
        let mut watcher = Watcher::new(None).unwrap();
        watcher.ignore = Ignore::new(&root, &[], Vec::new(), &catwalk_world::Disk::new()).unwrap();
        let mut watched = WatchedSession::start(&root, watcher);
        test(&site, &outside_path, &mut watched);
    });
}

/// A file below `directory`, which is created.
fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Switches a link as tools for releases do: a new link is renamed over the old one.
fn switch(link: &Path, target: impl AsRef<Path>) {
    let new = link.with_extension("new");
    symlink(target, &new).unwrap();
    std::fs::rename(new, link).unwrap();
}

#[test]
fn ignored_modules_appear_and_disappear() {
    for rules in ["/modules/\n", "modules\n", "*\n", "modules/*\n!modules/web\n"] {
        watching_ignored(rules, |site, outside, watched| {
            let path = |name: &str| site.path().join(name);
            // A module that `r10k puppetfile install` moves into place.
            write(outside, "late/manifests/init.pp", "class late { notify { 'one': } }\n");
            std::fs::rename(outside.join("late"), path("modules/late")).unwrap_or_else(|_| {
                // The directory of temporary files may be on another file system.
                write(&path("modules"), "late/manifests/init.pp", "class late { notify { 'one': } }\n");
            });
            watched.expect_compile("a module moved in");
            write(&path("modules"), "late/manifests/init.pp", "class late { notify { 'two': } }\n");
            watched.expect_compile("an edit of it");
            // A new version: the whole directory is replaced, file by file.
            std::fs::remove_dir_all(path("modules/late")).unwrap();
            write(&path("modules"), "late/manifests/init.pp", "class late { notify { 'three': } }\n");
            watched.expect_compile("replaced as a whole");
            // A clone aside, then two renames.
            write(&path("modules"), ".new/manifests/init.pp", "class late { notify { 'four': } }\n");
            std::fs::rename(path("modules/late"), path("modules/.old")).unwrap();
            std::fs::rename(path("modules/.new"), path("modules/late")).unwrap();
            std::fs::remove_dir_all(path("modules/.old")).unwrap();
            watched.expect_compile("swapped");
            std::fs::remove_dir_all(path("modules/late")).unwrap();
            watched.expect_compile("removed");
            std::fs::rename(path("modules"), path("modules.old")).unwrap();
            watched.expect_compile("all modules away");
            std::fs::rename(path("modules.old"), path("modules")).unwrap();
            watched.expect_compile("all modules back");
            write(&path("modules"), "late/manifests/init.pp", "class late { notify { 'five': } }\n");
            watched.expect_compile("a new module after that");
        });
    }
}

#[test]
fn ignored_manifests_and_data_appear() {
    watching_ignored("*.local.pp\nlocal.yaml\n", |site, _, watched| {
        site.write("hiera.yaml", "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy: [{name: l, path: local.yaml}, {name: c, path: c.yaml}]\n");
        watched.expect_fresh_results("a hierarchy with a local level");
        watched.rounds.clear();
        site.write("data/local.yaml", "text: local\n");
        watched.expect_compile("a data file that git ignores");
        site.remove("data/local.yaml");
        watched.expect_compile("it is removed");
        site.write("modules/web/manifests/x.local.pp", "");
        watched.expect_no_compile("a file that no compile uses");
    });
}

#[test]
fn switched_links_out_of_the_site_are_followed() {
    watching_ignored("", |site, outside, watched| {
        let path = |name: &str| site.path().join(name);
        for version in ["v1", "v2", "v3"] {
            write(outside, &format!("{version}/data/c.yaml"), &format!("text: {version}\n"));
        }
        switch(&outside.join("current"), "v1");
        std::fs::remove_dir_all(path("data")).unwrap();
        symlink(outside.join("current/data"), path("data")).unwrap();
        watched.expect_compile("data is a link");
        switch(&outside.join("current"), "v2");
        watched.expect_compile("the link that it leads to is switched");
        write(outside, "v1/data/c.yaml", "text: old\n");
        watched.expect_no_compile("an edit at the old end");
        write(outside, "v2/data/c.yaml", "text: edited\n");
        watched.expect_compile("an edit at the new end");
        // Removed, then created: a moment without data.
        std::fs::remove_file(outside.join("current")).unwrap();
        watched.expect_compile("the link is removed");
        symlink("v3", outside.join("current")).unwrap();
        watched.expect_compile("the link is created");
        std::fs::rename(outside.join("v3"), outside.join("v3.old")).unwrap();
        write(outside, "v3/data/c.yaml", "text: a new directory\n");
        watched.expect_compile("the end itself is replaced");
        switch(&path("data"), outside.join("v1/data"));
        watched.expect_compile("the first link is switched");
        switch(&outside.join("current"), "v2");
        watched.expect_no_compile("the chain is not used any more");
        // A chain of several links in several directories, the last of which does not exist yet.
        std::fs::create_dir(outside.join("releases")).unwrap();
        symlink("../later", outside.join("releases/next")).unwrap();
        switch(&path("data"), outside.join("releases/next/data"));
        watched.expect_compile("the end is missing");
        write(outside, "later/data/c.yaml", "text: later\n");
        watched.expect_compile("the end appears");
    });
}

#[test]
fn a_switched_link_to_a_module_or_file_is_followed() {
    watching_ignored("/modules/\n", |site, outside, watched| {
        let path = |name: &str| site.path().join(name);
        for version in ["1", "2"] {
            write(
                outside,
                &format!("late-{version}/manifests/init.pp"),
                &format!("class late {{ notify {{ '{version}': }} }}\n"),
            );
            write(outside, &format!("c-{version}.yaml"), &format!("text: file {version}\n"));
        }
        symlink("late-1", outside.join("late")).unwrap();
        symlink(outside.join("late"), path("modules/late")).unwrap();
        watched.expect_compile("a module");
        switch(&outside.join("late"), "late-2");
        watched.expect_compile("another version");
        write(outside, "late-2/manifests/init.pp", "class late { notify { 'edited': } }\n");
        watched.expect_compile("an edit of it");
        symlink("c-1.yaml", outside.join("c.yaml")).unwrap();
        std::fs::remove_file(path("data/c.yaml")).unwrap();
        symlink(outside.join("c.yaml"), path("data/c.yaml")).unwrap();
        watched.expect_compile("a file");
        switch(&outside.join("c.yaml"), "c-2.yaml");
        watched.expect_compile("another file");
        write(outside, "c-2.yaml", "text: edited\n");
        watched.expect_compile("an edit of it");
    });
}

/// The system reports the events of a directory under one of its names.
#[test]
fn a_directory_that_several_links_lead_to_is_followed() {
    watching_ignored("", |site, outside, watched| {
        let path = |name: &str| -> PathBuf { site.path().join(name) };
        write(outside, "files/a.txt", "a");
        write(outside, "files/b.txt", "b");
        for module in ["one", "two"] {
            symlink(outside, path(&format!("modules/{module}"))).unwrap();
        }
        site.write("site.pp", "notify { file('one/a.txt'): }\nnotify { file('two/b.txt'): }\n");
        watched.expect_compile("two names");
        write(outside, "files/a.txt", "a 2");
        watched.expect_compile("an edit used by the first name");
        write(outside, "files/b.txt", "b 2");
        watched.expect_compile("an edit used by the second name");
        site.write("site.pp", "notify { file('one/a.txt'): }\n");
        watched.expect_compile("one name");
        write(outside, "files/a.txt", "a 3");
        watched.expect_compile("an edit after that");
    });
}

#[test]
fn a_checkout_is_followed() {
    let git = |site: &Site, args: &[&str]| {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
        let mut command = std::process::Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let run = command.args(identity).args(args).current_dir(site.path()).output().unwrap();
        assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    };
    watching_ignored("/modules/late/\n", move |site, _, watched| {
        git(site, &["init", "-q", "-b", "main"]);
        git(site, &["add", "-A"]);
        git(site, &["commit", "-q", "-m", "one"]);
        git(site, &["checkout", "-q", "-b", "other"]);
        site.write("data/c.yaml", "text: other\n");
        site.write("modules/web/files/a.txt", "other\n");
        git(site, &["commit", "-q", "-a", "-m", "two"]);
        watched.expect_compile("a commit");
        git(site, &["checkout", "-q", "main"]);
        watched.expect_compile("a checkout");
        site.write("modules/late/manifests/init.pp", "class late { notify { 'late': } }\n");
        watched.expect_compile("an ignored module");
        git(site, &["clean", "-q", "-d", "-x", "-f"]);
        watched.expect_compile("git clean");
    });
}
