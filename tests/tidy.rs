//! Rules of the code base that cargo and rustc do not check: layers within crates, file headers, sizes, names of paths, dependencies,
//! plain words.

use std::path::Path;
use std::path::PathBuf;

/// Layers of modules within a crate that has several: a module may use those of a lower layer and itself. Between crates Cargo
/// enforces the layers.
const LAYERS: &[(&str, &str, u32)] = &[
    ("base", "source", 0),
    ("base", "version", 0),
    ("base", "names", 0),
    ("base", "stack", 0),
    ("base", "meter", 1),
    ("base", "globs", 0),
    ("base", "secrets", 0),
    ("base", "diag", 2),
    ("program", "environment", 0),
    ("program", "resource_types", 1),
    ("program", "program", 2),
    ("formats", "wire", 0),
    ("formats", "diff", 0),
    ("ruby", "value", 0),
    ("ruby", "object", 1),
    ("ruby", "core", 2),
    ("ruby", "library", 3),
    ("ruby", "bridge", 4),
    ("ruby", "machine", 5),
    ("session", "compile", 0),
    ("session", "session", 1),
];
/// Files that may be longer than the limit, with the reason.
const LONG: &[(&str, &str)] = &[("src/base/src/diag/codes.rs", "the only list of codes")];
const MAX_LINES: usize = 700;

/// Folders with Rust code.
const FOLDERS: [&str; 4] = ["src", "tests", "benches", "fuzz"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the files below a folder that `is_selected` accepts, sorted by path; build directories are left out.
fn files(dir: &Path, is_selected: fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            files(&path, is_selected, found);
        } else if is_selected(&path) {
            found.push(path);
        }
    }
}

/// Every Rust file below these folders: its path relative to the root, and its text.
fn rust(folders: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in folders {
        files(&root().join(folder), |path| path.extension().is_some_and(|extension| extension == "rs"), &mut found);
    }
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    found.into_iter().map(named).collect()
}

/// The numbered lines of a file outside of items under `#[cfg(test)]`. Since rustfmt formats the file, such an item ends with
/// the line of its `;` or with a closing brace that is indented as its attribute.
fn without_tests(text: &str) -> Vec<(usize, &str)> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let mut kept = Vec::new();
    while let Some((number, line)) = lines.next() {
        let Some(indent) = line.strip_suffix("#[cfg(test)]").filter(|indent| indent.trim().is_empty()) else {
            kept.push((number, line));
            continue;
        };
        let starts = |line: &str| !line.trim_start().starts_with("#[") && !line.trim_start().starts_with("//");
        let item = lines.by_ref().map(|(_, line)| line).find(|line| starts(line)).unwrap_or_default();
        if !item.ends_with([';', '}', ',']) {
            let _ = lines.by_ref().find(|(_, line)| line.strip_prefix(indent).is_some_and(|end| end.starts_with('}')));
        }
    }
    kept
}

#[test]
fn only_items_under_cfg_test_are_left_out() {
    let text = "a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn c() {\n    }\n}\nd\n    \
                #[cfg(test)]\n    fn e() {\n        f\n    }\n    g\n";
    assert_eq!(without_tests(text), [(1, "a"), (4, "b"), (11, "d"), (16, "    g")]);
}

fn layer(crate_: &str, module: &str) -> Option<u32> {
    LAYERS.iter().find(|(of, name, _)| *of == crate_ && *name == module).map(|(_, _, layer)| *layer)
}

/// The crate and the top module of a file: `src/base/src/diag/render.rs` is of `base` and `diag`.
fn module_of(file: &str) -> Option<(&str, &str)> {
    let mut parts = file.strip_prefix("src/")?.split(['/', '.']);
    let crate_ = parts.next()?;
    let module = parts.find(|part| *part != "src")?;
    Some((crate_, module))
}

#[test]
fn a_module_uses_only_lower_layers() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (file, text) in rust(&["src"]) {
        let (of, own) = module_of(&file).unwrap();
        let Some(own_layer) = layer(of, own) else { continue };
        checked += 1;
        for (number, line) in without_tests(&text) {
            for used in line.split("crate::").skip(1).filter(|_| !line.trim_start().starts_with("//")) {
                let used: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let Some(used_layer) = layer(of, &used) else { continue };
                if used != own && used_layer >= own_layer {
                    wrong.push(format!(
                        "{file}:{number}: '{own}' (layer {own_layer}) uses '{used}' (layer {used_layer})"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "only {checked} files are of a module that has a layer");
}

#[test]
fn every_file_has_a_header_and_is_short() {
    let mut wrong = Vec::new();
    for (file, text) in rust(&FOLDERS) {
        if !text.starts_with("//!") && !text.starts_with("#![doc") {
            wrong.push(format!("{file}: does not begin with a `//!` header"));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !LONG.iter().any(|(name, _)| *name == file) {
            wrong.push(format!("{file}: {lines} lines, more than {MAX_LINES}"));
        }
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("use crate::{") || line.contains(concat!("super::", "super")) {
                wrong.push(format!("{file}:{}: use one plain path a line", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Editors and lists of items show a documentation comment alone, so it cannot refer to the comment above it.
#[test]
fn documentation_stands_alone() {
    let begins = |line: &str| {
        let line = line.trim_start();
        ["/// The same", "//! The same"].iter().any(|start| line.starts_with(start))
    };
    let is_documentation = |line: &str| ["///", "//!"].iter().any(|start| line.trim_start().starts_with(start));
    let mut wrong = Vec::new();
    for (file, text) in rust(&["src"]) {
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            if begins(line) && !is_documentation(before) {
                wrong.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
            before = line;
        }
    }
    assert!(wrong.is_empty(), "say what it is or does, not \"The same …\":\n{}", wrong.join("\n"));
}

/// Phrases to avoid in comments and documentation, with their replacements.
const IDIOMS: &[(&str, &str)] = &[
    ("word for word", "identical, verbatim"),
    ("made anew", "rebuilt, recreated"),
    ("whom the", "name the caller, node or reader"),
    ("what becomes of", "how to treat"),
    ("nobody asks for", "unused, not referenced"),
    ("a way round", "a cycle, a path"),
    ("is another one", "has changed"),
    ("are other ones", "have changed"),
    ("unless said otherwise", "by default"),
    ("is told of", "receives, is called with"),
    ("asked for", "requested, required"),
    ("as good as", "treated like"),
    ("at the most", "at most"),
    ("but for ", "except"),
    ("lets go of", "frees, removes"),
    ("of the older", "3.x functions: name the interface"),
    ("the older interface", "3.x functions"),
    ("under way", "running, in progress"),
    ("when nothing is said", "by default"),
    ("who knows", "name the caller or reader"),
    ("who looks", "name the caller or reader"),
    ("whoever", "name the caller, node or reader"),
];

/// Sentences of comments in code and of documentation, lines joined, in lower case. Code blocks are left out.
fn prose(file: &str, text: &str) -> String {
    let mut prose = String::new();
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim();
        let words = match file.rsplit_once('.').map(|(_, extension)| extension) {
            Some("rs" | "rhai") => line.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!'])),
            Some("md") => {
                fenced ^= line.starts_with("```");
                Some(line).filter(|_| !fenced)
            }
            // Shell, Ruby and Python, whose docstrings begin with three quotes.
            _ => line.strip_prefix('#').or_else(|| line.strip_prefix("\"\"\"")),
        };
        // Code between two comments separates them.
        prose.push_str(words.unwrap_or("|"));
        prose.push(' ');
    }
    prose.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Scripts below `tests` and `.ci`: by extension, or without one and with `#!`.
fn scripts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["tests", ".ci"] {
        let is_candidate = |path: &Path| {
            path.extension().is_none_or(|end| ["sh", "rb", "py", "rhai"].iter().any(|script| end == *script))
        };
        files(&root().join(folder), is_candidate, &mut found);
    }
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        (path.extension().is_some() || text.starts_with("#!")).then_some((name, text))
    };
    found.into_iter().filter_map(read).collect()
}

#[test]
fn prose_is_plain() {
    let mut files = rust(&FOLDERS);
    let scripts = scripts();
    assert!(scripts.len() > 50, "only {} scripts are checked", scripts.len());
    files.extend(scripts);
    let mut pages = Vec::new();
    for folder in ["docs", "tests/reference"] {
        self::files(&root().join(folder), |path| path.extension().is_some_and(|end| end == "md"), &mut pages);
    }
    pages.extend(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|page| root().join(page)));
    for page in pages {
        let name = page.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        files.push((name, std::fs::read_to_string(page).unwrap()));
    }
    let mut wrong = Vec::new();
    for (file, text) in files {
        let prose = prose(&file, &text);
        for (idiom, instead) in IDIOMS {
            for (at, _) in prose.match_indices(idiom) {
                let start = prose[..at].char_indices().rev().nth(40).map_or(0, |(start, _)| start);
                wrong.push(format!("{file}: …{}: write: {instead}", &prose[start..at + idiom.len()]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A code exists once, in the list that documents it.
#[test]
fn codes_are_defined_only_in_their_list() {
    let is_made = |line: &str| line.contains("Code(\"") || line.contains(": Code = Code(");
    let mut wrong = Vec::new();
    for (file, text) in rust(&["src"]).into_iter().filter(|(file, _)| file != "src/base/src/diag/codes.rs") {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| is_made(line)) {
            wrong.push(format!("{file}:{}: {}", number + 1, line.trim()));
        }
    }
    assert!(wrong.is_empty(), "add the code to src/base/src/diag/codes.rs:\n{}", wrong.join("\n"));
}

/// Code that looks into the text of a message, with the reason. Everywhere else a failure's code and cause tell what it is.
const READ_MESSAGES: &[(&str, &str)] = &[
    ("src/functions/src/stdlib/deprecation.rs", "errors of Ruby itself have no class here"),
    ("src/puppet_ruby/src/failures.rs", "recognises an exception by its complete message"),
    ("src/resources/src/file/ensure.rs", "Puppet adds its prefix to errors of Ruby only, which have no class here"),
    ("src/ruby/src/library/processes.rs", "the system's reason, which a recording contains as text"),
    ("src/ruby/src/object/exception.rs", "recorded positions of errors are by the beginning of their message"),
    ("src/scripting/src/provider_tests/automatic.rs", "an error of the fake machine, thrown through a script as text"),
    ("src/session/src/session/answers.rs", "any message may contain the number of a line that moves"),
    ("src/session/src/session/hints.rs", "hints for names in Puppet's messages"),
    ("src/session/src/session/unknown_name.rs", "hints for names in Puppet's messages"),
    ("src/snapshot/src/matrix.rs", "an error of the YAML library, which is only text"),
    ("src/value/src/data/json.rs", "shortens its own message, which quotes the text"),
    ("src/world/src/lib.rs", "the system's reason, which a recording contains as text"),
];

#[test]
fn no_code_looks_into_the_text_of_a_message() {
    let methods = "(contains|starts_with|ends_with|strip_prefix|strip_suffix|find|split_once|rsplit_once|matches)";
    let message = r"\b(message|why|reason)(\(\))?(\.as_ref\(\)|\.as_str\(\)|\.to_string\(\)|\.to_lowercase\(\))*";
    let shown = r"\b(error|failure|refused|diagnostic|warning)\.to_string\(\)";
    let pattern = regex::Regex::new(&format!(r"({message}|{shown})\.{methods}\(")).unwrap();
    let mut problems = Vec::new();
    let mut used = Vec::new();
    for (file, text) in rust(&["src"]) {
        let is_test = file.contains("/tests/") || file.ends_with("tests.rs");
        let found = without_tests(&text).into_iter().filter(|(_, line)| pattern.is_match(line));
        for (number, line) in found.filter(|_| !is_test) {
            match READ_MESSAGES.iter().find(|(exception, _)| *exception == file) {
                Some((exception, _)) => used.push(*exception),
                None => problems.push(format!("{file}:{number}: {}", line.trim())),
            }
        }
    }
    let unused = READ_MESSAGES.iter().filter(|(file, _)| !used.contains(file));
    problems.extend(unused.map(|(file, _)| format!("{file} is listed and looks into no message")));
    assert!(problems.is_empty(), "give the failure a cause (catwalk_base::diag::Cause):\n{}", problems.join("\n"));
}

/// State that belongs to a thread, with the reason why it is no argument. Security must not depend on it: it is missing on another thread.
const THREAD_LOCALS: &[(&str, &str, &str)] = &[
    ("src/base/src/meter/counters.rs", "COUNTERS", "as RUNNING, without a check for each step"),
    (
        "src/base/src/meter/counters.rs",
        "RUNNING",
        "the bounds of the running code; each loop of a value would need the argument",
    ),
    ("src/base/src/names.rs", "RECENT", "a cache: names that this thread interned last"),
    ("src/base/src/profile.rs", "CLOCK", "measurements of a thread"),
    ("src/base/src/stack.rs", "LARGE", "whether this thread has a large stack"),
    ("src/ruby/src/core/regexp.rs", "CACHED", "a cache: values of one thread"),
    ("src/ruby/src/object/definitions.rs", "DEFINITION_COUNT", "numbers the definitions of a thread's machine"),
    ("src/ruby/src/value/shared.rs", "WAITING", "drops deep values without recursion; drop has no arguments"),
    (
        "src/scripting/src/callers.rs",
        "INNERMOST",
        "what called the running script: functions of the engine have no argument for it",
    ),
    ("src/scripting/src/parse.rs", "PARSING", "the hooks of the parser have no argument for it"),
    ("src/scripting/src/state.rs", "SLOT", "the hooks of the engine have no argument for it"),
    ("src/scripting/src/state.rs", "STEPS", "as SLOT, without a check for each step"),
    ("src/value/src/types/assignable.rs", "ALIASES", "the depth of comparisons, which begin anew for nested types"),
    ("src/value/src/types/new/init.rs", "OPEN", "as ALIASES: types that are being matched"),
];

#[test]
fn state_of_threads_is_listed_with_its_reason() {
    let scoped = regex::Regex::new(r"scoped_thread_local!\((?:pub\S* )?static (?:mut )?([A-Z_]+):").unwrap();
    let plain = regex::Regex::new(r"^\s+(?:pub\S* )?static ([A-Z_]+):").unwrap();
    let mut found = Vec::new();
    for (file, text) in rust(&["src"]).into_iter().filter(|(file, _)| !file.ends_with("tests.rs")) {
        let mut is_within = false;
        for (_, line) in without_tests(&text) {
            is_within = (is_within || line.trim_start().starts_with("thread_local! {")) && line != "}";
            let name = scoped.captures(line).or_else(|| if is_within { plain.captures(line) } else { None });
            found.extend(name.map(|name| (file.clone(), name[1].to_owned())));
        }
    }
    let listed: Vec<_> = THREAD_LOCALS.iter().map(|(file, name, _)| ((*file).to_owned(), (*name).to_owned())).collect();
    let unlisted: Vec<_> = found.iter().filter(|one| !listed.contains(one)).collect();
    let gone: Vec<_> = listed.iter().filter(|one| !found.contains(one)).collect();
    assert!(
        unlisted.is_empty() && gone.is_empty(),
        "make it an argument: {unlisted:?}; remove from the list: {gone:?}"
    );
    let in_scripting = listed.iter().filter(|(file, _)| file.starts_with("src/scripting/")).count();
    assert!(listed.len() <= 15 && in_scripting <= 4, "{} in all, {in_scripting} in scripting", listed.len());
}

#[test]
fn the_top_level_has_no_unlisted_folder() {
    let root = root();
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

/// Without `mod.rs` and `#[path]`, the name of a module determines its file. The fuzzing crate shares a file with the test `corpora`.
#[test]
fn no_module_is_in_a_mod_rs() {
    let wrong: Vec<String> = rust(&FOLDERS)
        .into_iter()
        .filter(|(file, text)| file.ends_with("/mod.rs") || text.lines().any(|line| line.starts_with("#[path")))
        .filter(|(file, _)| file != "fuzz/src/lib.rs")
        .map(|(file, _)| file)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The crates in the first column of the tables of `docs/dependencies.md` are those that the manifests of the workspace name.
#[test]
fn each_dependency_has_a_reason() {
    let page = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let mut listed = Vec::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [name, reason, licence] = cells[..] else { panic!("three columns: {row}") };
        assert!(reason.len() > 5 && licence.len() > 2, "{row}");
        listed.push(name.trim_end_matches('`').to_owned());
    }
    let mut manifests = vec![root().join("Cargo.toml")];
    files(&root().join("src"), |path| path.ends_with("Cargo.toml"), &mut manifests);
    let mut used: Vec<String> = manifests.iter().flat_map(|manifest| dependencies(manifest)).collect();
    listed.sort();
    used.sort();
    used.dedup();
    assert_eq!(listed, used, "docs/dependencies.md and Cargo.toml");
}

/// The crates that a manifest names, except those of the workspace itself.
fn dependencies(manifest: &Path) -> Vec<String> {
    let manifest: toml::Table = std::fs::read_to_string(manifest).unwrap().parse().unwrap();
    let table = |table: &toml::Table, name: &str| table.get(name).and_then(toml::Value::as_table).cloned();
    let systems = table(&manifest, "target").unwrap_or_default();
    let systems = systems.values().filter_map(toml::Value::as_table).cloned();
    let mut found = Vec::new();
    for part in systems.chain(table(&manifest, "workspace")).chain([manifest.clone()]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let names = table(&part, kind).unwrap_or_default().into_iter().map(|(name, _)| name);
            found.extend(names.filter(|name| !name.starts_with("catwalk-")));
        }
    }
    found
}
