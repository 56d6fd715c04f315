//! Catalogs while the files of an environment are being replaced: each is made from the files of one deploy.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use catwalk_agent_site::Detection;
use catwalk_agent_site::Layout;
use catwalk_server::FailureKind;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use super::request;
use super::titles;
use crate::support::Site;

/// The number of modules; each has a manifest, a template and a key of data.
const MODULES: usize = 30;

/// The files of a revision. Every resource of a catalog has the revision in its title.
fn revision(number: usize) -> Vec<(String, String)> {
    let mut files = vec![
        ("site.pp".to_owned(), format!("notify {{ 'site {number}': }}\n$facts['modules'].each |$module| {{ include $module }}\n")),
        ("hiera.yaml".to_owned(), "version: 5\nhierarchy:\n  - { name: n, path: \"nodes/%{trusted.certname}.yaml\" }\n  - { name: c, path: common.yaml }\n".to_owned()),
        ("environment.conf".to_owned(), "manifest = site.pp\n".to_owned()),
    ];
    let data: String = (0..MODULES).map(|module| format!("m{module}::text: 'data {number} {module}'\n")).collect();
    files.push(("data/common.yaml".to_owned(), data));
    for module in 0..MODULES {
        let manifest = format!(
            "class m{module}($text) {{ notify {{ [$text, 'class {number} {module}', epp('m{module}/t.epp')]: }} }}"
        );
        files.push((format!("modules/m{module}/manifests/init.pp"), manifest));
        files.push((format!("modules/m{module}/templates/t.epp"), format!("template {number} {module}")));
    }
    files
}

/// The revision of a catalog, which all resources must have.
fn revision_of(catalog: &Value) -> usize {
    let titles = titles(catalog, "Notify");
    let revision = |title: &String| title.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
    let first = revision(&titles[0]);
    let other: Vec<&String> = titles.iter().filter(|title| revision(title) != first).collect();
    assert!(other.is_empty(), "a catalog of two deploys: {first} and {other:?}");
    first
}

/// Requests catalogs with several clients while `deploy` runs for each revision, with a pause after each. Each request is of a node that was not known before, with
/// modules in an order of its own, so that all deploys meet files that nothing has requested yet.
fn under_load(serving: &Serving, (deploys, pause): (usize, Duration), deploy: impl Fn(usize)) {
    let is_done = AtomicBool::new(false);
    let count = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (is_done, count) = (&is_done, &count);
            scope.spawn(move || {
                while !is_done.load(Ordering::Relaxed) {
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    let first = number * 7 % MODULES;
                    let modules: Vec<String> =
                        (first..first + 5).map(|module| format!("m{}", module % MODULES)).collect();
                    let name = format!("n{number}-{client}.example.com");
                    revision_of(&serving.catalog(&name, &json!({ "modules": modules })));
                }
            });
        }
        for number in 1..=deploys {
            deploy(number);
            std::thread::sleep(pause);
        }
        // Every deploy is seen in the end.
        let all: Vec<String> = (0..MODULES).map(|module| format!("m{module}")).collect();
        let started = Instant::now();
        let seen = || revision_of(&serving.catalog("last", &json!({ "modules": all })));
        let mut last = seen();
        while last != deploys && started.elapsed() < Duration::from_secs(20) {
            last = seen();
        }
        is_done.store(true, Ordering::Relaxed);
        assert_eq!(last, deploys, "the last deploy is not seen");
    });
    assert!(count.load(Ordering::Relaxed) > deploys);
}

fn write(root: &Path, path: &str, text: &str) {
    std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
    std::fs::write(root.join(path), text).unwrap();
}

#[test]
fn files_that_are_replaced_one_by_one_are_never_mixed() {
    let site = Site::new(&[]);
    let deploy = |number: usize| {
        for (index, (path, text)) in revision(number).into_iter().enumerate() {
            match index % 3 {
                0 => write(site.path(), &path, &text),
                _ => {
                    write(site.path(), "new file", &text);
                    std::fs::create_dir_all(site.path().join(&path).parent().unwrap()).unwrap();
                    std::fs::rename(site.path().join("new file"), site.path().join(&path)).unwrap();
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    deploy(0);
    let serving = Serving::new(&site);
    under_load(&serving, (5, Duration::from_millis(150)), deploy);
}

#[test]
fn releases_that_are_switched_by_a_link_are_never_mixed() {
    let site = Site::new(&[]);
    let release = |number: usize| {
        let directory = site.path().join(format!("releases/{number}"));
        revision(number).iter().for_each(|(path, text)| write(&directory, path, text));
        directory
    };
    let switch = |number: usize| {
        let next = site.path().join("next");
        std::os::unix::fs::symlink(release(number), &next).unwrap();
        std::fs::create_dir_all(site.path().join("environments")).unwrap();
        std::fs::rename(next, site.path().join("environments/production")).unwrap();
    };
    switch(0);
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    under_load(&serving, (6, Duration::from_millis(500)), switch);
}

#[test]
fn with_a_hook_files_count_when_the_deploy_is_announced() {
    let site = Site::new(&[]);
    let deploy = |number: usize| revision(number).iter().for_each(|(path, text)| write(site.path(), path, text));
    deploy(0);
    let serving = Serving::with(&site, Start { detection: Detection::Hook, ..Start::default() });
    let ask = |serving: &Serving| revision_of(&serving.catalog("a", &json!({ "modules": ["m1", "m2"] })));
    assert_eq!(ask(&serving), 0);
    deploy(1);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(ask(&serving), 0);
    serving.site.deployed(None).unwrap();
    assert_eq!(ask(&serving), 1);
    // What was not requested before waits for the announcement.
    deploy(2);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| revision_of(&serving.catalog("b", &json!({ "modules": ["m3"] }))));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        serving.site.deployed(Some("production")).unwrap();
        assert_eq!(waiting.join().unwrap(), 2);
    });
}

#[test]
fn while_git_holds_its_lock_old_answers_are_used_and_others_wait() {
    let site = Site::new(&[]);
    let deploy = |number: usize| revision(number).iter().for_each(|(path, text)| write(site.path(), path, text));
    deploy(0);
    let serving = Serving::new(&site);
    let ask = |modules: &[&str]| serving.answer(&request("a", &json!({ "modules": modules })));
    assert_eq!(revision_of(&ask(&["m1"]).unwrap()), 0);
    write(site.path(), ".git/index.lock", "");
    deploy(1);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(revision_of(&ask(&["m1"]).unwrap()), 0);
    let failure = ask(&["m2"]).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Busy, "{failure:?}");
    std::fs::remove_file(site.path().join(".git/index.lock")).unwrap();
    assert_eq!(revision_of(&ask(&["m1", "m2"]).unwrap()), 1);
}

#[test]
fn a_file_that_nothing_reads_may_change_all_the_time() {
    let site = Site::new(&[("site.pp", "notify { 'v0': }"), ("nodes/a.json", "{}")]);
    let serving = Serving::new(&site);
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["v0"]);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !is_done.load(Ordering::Relaxed) {
                number += 1;
                std::fs::write(site.path().join("busy.log"), number.to_string()).unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        std::thread::sleep(Duration::from_millis(300));
        site.write("site.pp", "notify { 'v1': }");
        let started = Instant::now();
        let seen = || titles(&serving.catalog("a", &json!({})), "Notify") == ["v1"];
        let mut is_seen = seen();
        while !is_seen && started.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(100));
            is_seen = seen();
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(is_seen, "the edit is never seen");
    });
}
