//! Rules of the code base that the compiler does not know: layers, file headers, sizes.

use std::path::Path;
use std::path::PathBuf;

/// Layer of each top module. A module may use lower layers and itself; `PEERS` lists the pairs that know each other.
const LAYERS: &[(&str, u32)] = &[
    ("source", 0),
    ("version", 0),
    ("names", 0),
    ("stack", 0),
    ("meter", 0),
    ("secrets", 0),
    ("output", 0),
    ("regexp", 1),
    ("diag", 1),
    ("ruby", 1),
    ("syntax", 2),
    ("erb", 2),
    ("world", 2),
    ("value", 3),
    ("types", 3),
    ("data", 3),
    ("environment", 4),
    ("hiera", 4),
    ("resource_types", 4),
    ("classifier", 4),
    ("node", 5),
    ("program", 5),
    ("catalog", 5),
    ("eval", 6),
    ("functions", 7),
    ("ruby_eval", 7),
    ("compile", 8),
    ("wire", 8),
    ("scripting", 8),
    ("diff", 8),
    ("docs", 8),
    ("session", 9),
    ("compare", 10),
    ("watch", 10),
    ("console", 10),
    ("snapshot", 10),
    ("cli", 11),
    ("fuzzing", 11),
];
const PEERS: &[(&str, &str)] = &[("value", "types"), ("data", "value"), ("data", "types")];
/// Files that may be longer than the limit, with the reason.
const LONG: &[(&str, &str)] = &[];
const MAX_LINES: usize = 700;

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn layer(module: &str) -> Option<u32> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

#[test]
fn a_module_uses_only_lower_layers() {
    let mut wrong = Vec::new();
    for (file, text) in all() {
        let own = file.split(['/', '.']).next().unwrap();
        if matches!(own, "lib" | "main") {
            continue;
        }
        let Some(mine) = layer(own) else {
            wrong.push(format!("{file}: module '{own}' has no layer"));
            continue;
        };
        // Tests may use anything: what follows `#[cfg(test)]`, and a file of such.
        let code = text.split("#[cfg(test)]").next().filter(|_| !file.ends_with("/tests.rs")).unwrap_or("");
        for (number, line) in code.lines().enumerate() {
            for used in line.split("crate::").skip(1).filter(|_| !line.trim_start().starts_with("//")) {
                let used: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let Some(theirs) = layer(&used) else { continue };
                let peers = PEERS.iter().any(|(a, b)| (*a == own && *b == used) || (*a == used && *b == own));
                if used != own && theirs >= mine && !peers {
                    wrong.push(format!("{file}:{}: '{own}' (layer {mine}) uses '{used}' (layer {theirs})", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_stays_small() {
    let mut wrong = Vec::new();
    for (file, text) in all() {
        if !text.starts_with("//!") && !text.starts_with("#![doc") {
            wrong.push(format!("{file}: does not begin with a `//!` header"));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !LONG.iter().any(|(name, _)| *name == file) {
            wrong.push(format!("{file}: {lines} lines, more than {MAX_LINES}"));
        }
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("use crate::{") || line.contains("super::super") {
                wrong.push(format!("{file}:{}: use one plain path a line", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_top_level_is_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = ["src", "scripts", "modules", "snapshots", "tests", "docs", "benches", "fuzz", "target"];
    let extra: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !known.contains(&name.as_str()))
        .collect();
    assert!(extra.is_empty(), "{extra:?}");
}

/// The names in the first column of the tables of `docs/dependencies.md`, and those of `Cargo.toml`.
#[test]
fn each_dependency_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/dependencies.md")).unwrap();
    let mut listed = Vec::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [name, reason, licence] = cells[..] else { panic!("three columns: {row}") };
        assert!(reason.len() > 5 && licence.len() > 2, "{row}");
        listed.push(name.trim_end_matches('`').to_owned());
    }
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let mut used = Vec::new();
    let systems = manifest["target"].as_table().unwrap().values();
    for table in systems.chain([&toml::Value::Table(manifest.clone())]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            used.extend(
                table.get(kind).and_then(toml::Value::as_table).into_iter().flat_map(|table| table.keys().cloned()),
            );
        }
    }
    listed.sort();
    used.sort();
    assert_eq!(listed, used, "docs/dependencies.md and Cargo.toml");
}
