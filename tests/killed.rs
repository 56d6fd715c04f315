//! `catwalk apply` that is killed at any moment: each managed file is the old or the new one, the next run converges, nothing is left.
//!
//! `KILLS=500 cargo test --test main killed::` kills more often; `SEED=N` kills at other moments.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

/// Managed files of each kind.
const FILES: usize = 3;
/// Bytes of a large file: they are written in several steps.
const LARGE: usize = 90_000;

/// A managed tree: names with mode and contents; a link has its target.
type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// What a version of the manifest makes: contents, validated contents, sources of the module, a copied directory, links.
fn manifest(version: &str, mode: &str) -> String {
    let common = format!("mode => '{mode}', backup => false");
    let mut lines = vec![
        "File { backup => false }".to_owned(),
        "file { 'TREE': ensure => directory, mode => '0755' }".to_owned(),
        format!(
            "file {{ 'TREE/copy': ensure => directory, recurse => remote, source => 'puppet:///modules/m/{version}', mode => '{mode}' }}"
        ),
    ];
    // What is a directory in one version is a file or a link in the other.
    let directory = "ensure => directory, force => true";
    let (first, second) = match version {
        "one" => (directory, "ensure => link, target => '/one', force => true"),
        _ => ("content => 'two', force => true", directory),
    };
    lines.push(format!("file {{ 'TREE/first': {first} }} file {{ 'TREE/second': {second} }}"));
    let folder = if version == "one" { "first" } else { "second" };
    lines.push(format!("file {{ 'TREE/{folder}/inner': content => '{version}', mode => '{mode}' }}"));
    for number in 0..FILES {
        lines.push(format!("file {{ 'TREE/plain{number}': content => '{version} {number}', {common} }}"));
        lines.push(format!(
            "file {{ 'TREE/checked{number}': content => '{version} {number}', validate_cmd => 'grep -q {version} %', {common} }}"
        ));
        lines.push(format!(
            "file {{ 'TREE/large{number}': source => 'puppet:///modules/m/{version}/large', {common} }}"
        ));
        lines.push(format!("file {{ 'TREE/link{number}': ensure => link, target => '/{version}' }}"));
        lines.push(format!(
            "file {{ 'TREE/saved{number}': content => '{version} saved', mode => '{mode}', backup => '.bak' }}"
        ));
    }
    lines.join("\n")
}

fn site() -> Site {
    let site = Site::empty();
    site.write("catwalk.toml", "");
    site.write("modules/m/metadata.json", crate::support::METADATA);
    for (version, mode) in [("one", "0600"), ("two", "0644")] {
        site.write(&format!("modules/m/files/{version}/large"), version.repeat(LARGE / 3));
        let tree = site.path().join("tree").to_string_lossy().into_owned();
        site.write(&format!("{version}.pp"), manifest(version, mode).replace("TREE", &tree));
    }
    site
}

fn tree(at: &Path, prefix: &str, found: &mut Tree) {
    for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            tree(&entry.path(), &format!("{name}/"), found);
        } else if meta.is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap();
            found.insert(name, (0, target.into_os_string().into_encoded_bytes()));
        } else {
            found.insert(name, (meta.permissions().mode() & 0o7777, std::fs::read(entry.path()).unwrap()));
        }
    }
}

fn managed(site: &Site) -> Tree {
    let mut found = Tree::new();
    tree(&site.path().join("tree"), "", &mut found);
    found
}

/// Applies a version to its end: whether something was changed.
fn converge(site: &Site, version: &str) -> bool {
    let run = site.run(&["apply", "--statedir", "state", &format!("{version}.pp")]);
    assert!(matches!(run.code, Some(0 | 2)), "{run:#?}");
    run.code == Some(2)
}

#[test]
fn a_killed_apply_leaves_old_or_new_files_and_the_next_run_converges() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (kills, mut random) = (number("KILLS", 3), number("SEED", 1));
    let site = site();
    converge(&site, "two");
    let started = Instant::now();
    converge(&site, "one");
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap();
    let mut versions: Vec<(&str, Tree)> = vec![("one", managed(&site))];
    converge(&site, "two");
    versions.insert(0, ("two", managed(&site)));
    for _ in 0..kills {
        let (old, new) = (&versions[0].1, &versions[1].1);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let manifest = format!("{}.pp", versions[1].0);
        let mut command = site.command(&["apply", "--statedir", "state", &manifest]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros((random >> 20) % micros));
        child.kill().unwrap();
        child.wait().unwrap();
        for (name, found) in managed(&site).iter().filter(|(name, _)| !name.contains(".catwalk-tmp-")) {
            let is_known = old.get(name) == Some(found) || new.get(name) == Some(found);
            assert!(
                is_known,
                "{name} is neither the old nor the new file: mode {:o}, {} bytes",
                found.0,
                found.1.len()
            );
        }
        for name in ["first", "second"] {
            assert!(site.path().join("tree").join(name).symlink_metadata().is_ok(), "{name} is neither old nor new");
        }
        converge(&site, versions[1].0);
        assert!(managed(&site) == *new, "{:?}", managed(&site).keys().collect::<Vec<_>>());
        assert!(!converge(&site, versions[1].0), "the second run is not idle");
        let mut state = Tree::new();
        tree(&site.path().join("state"), "", &mut state);
        assert_eq!(state.keys().collect::<Vec<_>>(), ["catwalk-state.json"]);
        versions.swap(0, 1);
    }
}
