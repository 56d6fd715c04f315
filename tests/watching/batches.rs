//! Bursts of events, the end of a batch, and files that are still being saved.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use catwalk_session::Changes;
use catwalk_session::update::Outcome;
use catwalk_watcher::Watcher;

use super::WatchedSession;
use super::site;
use super::watching;
use crate::incremental::on_large_stack;

#[test]
fn bursts_are_one_batch_and_end() {
    on_large_stack(|| {
        let (site, root) = site();
        let mut watched = WatchedSession::start(&root, Watcher::new(None).unwrap());
        for at in 0..300 {
            site.write(&format!("data/x{at}.yaml"), "a: 1\n");
            site.write("data/c.yaml", format!("text: number {at}\n"));
        }
        watched.expect_fresh_results("burst");
        // Two batches, or more on a busy machine.
        assert!(watched.rounds.len() <= 30, "{:?}", watched.rounds);
        watched.rounds.clear();
        // Continuous writes do not delay a batch forever.
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (flag, file) = (stop.clone(), root.join("data/c.yaml"));
        let writer = std::thread::spawn(move || {
            let mut at = 0;
            while !flag.load(std::sync::atomic::Ordering::Relaxed) {
                at += 1;
                std::fs::write(&file, format!("text: {at}\n")).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            // Written after the end of the batch below: a later batch must contain it.
            std::fs::write(&file, "text: last\n").unwrap();
        });
        let batch = watched.watcher.next_batch(None).unwrap();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        writer.join().unwrap();
        watched.following.follow(&batch);
        watched.rewatch = true;
        watched.expect_fresh_results("the end of it");
    });
}

#[test]
fn an_unfinished_file_is_waited_for_until_the_limit() {
    use std::io::Write;
    watching(|site, watched| {
        let file = site.path().join("data/c.yaml");
        let mut file = std::fs::File::options().write(true).truncate(true).open(file).unwrap();
        file.write_all(b"text: half").unwrap();
        let started = Instant::now();
        let batch = watched.watcher.next_batch(None).unwrap();
        // The wait has a limit.
        assert!(started.elapsed() >= Duration::from_millis(400), "{:?}", started.elapsed());
        watched.following.follow(&batch);
        watched.rewatch = true;
        file.write_all(b" and half\n").unwrap();
        drop(file);
        watched.expect_fresh_results("the other half");
    });
}

#[test]
fn empty_and_missing_files_may_be_unfinished_saves() {
    watching(|site, watched| {
        let session = &watched.following.session;
        let path = watched.root.join("data/c.yaml");
        let void = |rescan: bool| -> Vec<(PathBuf, bool)> {
            let paths = [path.clone()].into_iter().filter(|_| !rescan).collect();
            session.refresh(&Changes { paths, rescan });
            session.changed_paths().into_iter().filter(|(changed, _)| *changed == path).collect()
        };
        for rescan in [false, true] {
            site.write_in_place("data/c.yaml", "");
            assert_eq!(void(rescan), [(path.clone(), true)]);
            site.write_in_place("data/c.yaml", "text: new\n");
            assert_eq!(void(rescan), [(path.clone(), false)]);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(void(rescan), [(path.clone(), true)]);
            site.write("data/c.yaml", "text: again\n");
            assert_eq!(void(rescan), [(path.clone(), false)]);
        }
        watched.expect_fresh_results("the end of it");
    });
}

#[test]
fn held_updates_are_merged_into_the_next_report() {
    watching(|site, watched| {
        let mut write = |text: &str, held: bool| -> Vec<String> {
            site.write("data/c.yaml", format!("text: {text}\n"));
            let paths = [site.path().canonicalize().unwrap().join("data/c.yaml")].into_iter().collect();
            let (_, updates) = watched.following.follow(&Changes { paths, rescan: false });
            let told = updates
                .iter()
                .filter(|update| &*update.certname == "web1")
                .map(|update| match &update.outcome {
                    Outcome::Changed(diff) => catwalk_formats::diff::render(diff, false),
                    Outcome::Failed { .. } => "failed".to_owned(),
                    other => format!("{other:?}"),
                })
                .collect();
            if held {
                watched.following.state.hold(updates, Instant::now());
            }
            told
        };
        write("two", true);
        write("[", true);
        let told = write("three", false);
        assert!(told[0].contains("Notify[one]") && told[0].contains("Notify[three]"), "{told:?}");
        assert!(!told[0].contains("Notify[two]"), "{told:?}");
        write("four", true);
        assert_eq!(write("three", false), ["Same { recovered: false }"]);
        assert_eq!(write("[", false), ["failed"]);
        write("five", true);
        // Held updates of nodes that the next edit does not affect are reported with it.
        let told = write("five # comment", false);
        assert!(told[0].contains("Notify[three]") && told[0].contains("Notify[five]"), "{told:?}");
    });
}
