//! Writes a first test that passes, by trying several classes.

use std::path::Path;

use crate::scaffold::layout::Layout;
use crate::scaffold::layout::module_folders;
use crate::scaffold::write_file;
use catwalk_base::diag::Reason;
use catwalk_snapshot::Suite;
use catwalk_snapshot::run;
use catwalk_snapshot::run::Settings;
use catwalk_world::Kind;
use catwalk_world::World;

/// The maximum number of classes to try.
const TRIED: usize = 20;
/// The file of the first test.
const FILE: &str = "tests/first.yaml";

/// The first test.
#[derive(Debug, PartialEq, Eq)]
pub enum FirstTest {
    /// Test files exist.
    Exists,
    /// A test was written that passes: the file and the tested class or code.
    Written(&'static str, String),
}

fn test_of_class(class: &str, sets: &str) -> String {
    format!(
        "# A case for `catwalk test`: what is compiled, with which facts, and what is expected.\n\
         class: {class}\n\
         fact_sets: {sets}\n\
         snapshot: false\n\
         expect:\n  contains:\n    - Class[{class}]\n"
    )
}

const TEST_OF_CODE: &str = "# A case for `catwalk test`: what is compiled, with which facts, and what is expected.\n\
    # `class: NAME` and `parameters: {…}` in place of `code` test a class.\n\
    code: |\n  notify { \"Hello from ${facts['os']['name']}\": }\n\
    fact_sets: debian-12\n\
    snapshot: false\n\
    expect:\n  contains:\n    - Notify[Hello from Debian]\n";

/// The classes to try: roles, then profiles, then other classes of the site's own modules.
fn classes(root: &Path, world: &dyn World) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for folder in module_folders(root, world).into_iter().filter(|folder| *folder != "modules") {
        let modules = world.list(&root.join(folder)).map(|entries| entries.to_vec()).unwrap_or_default();
        for module in modules.iter().filter(|module| module.kind == Kind::Directory) {
            let manifests = root.join(folder).join(module.name.as_ref()).join("manifests");
            let files = world.list(&manifests).map(|entries| entries.to_vec()).unwrap_or_default();
            for file in files.iter().filter_map(|file| file.name.strip_suffix(".pp")) {
                found.push(if file == "init" { module.name.to_string() } else { format!("{}::{file}", module.name) });
            }
        }
    }
    let rank = |class: &String| match class.split("::").next() {
        Some("role" | "roles") => 0,
        Some("profile" | "profiles") => 1,
        _ => 2,
    };
    found.sort_by_key(rank);
    found.truncate(TRIED);
    found
}

/// Writes a test of a class that compiles, if there are no test files. `open` opens the site or module.
///
/// # Errors
/// A file cannot be written; the site cannot be opened.
pub fn write_first_test(
    root: &Path,
    layout: &Layout,
    world: &dyn World,
    open: &dyn Fn() -> Result<Suite, Reason>,
) -> Result<FirstTest, Reason> {
    let tests = world.list(&root.join("tests")).map(|entries| entries.to_vec()).unwrap_or_default();
    if tests.iter().any(|entry| entry.name.ends_with(".yaml") || entry.name.ends_with(".yml")) {
        return Ok(FirstTest::Exists);
    }
    let mut candidates: Vec<(String, String)> = Vec::new();
    match layout {
        Layout::Module(name) => {
            for sets in ["metadata", "debian-12"] {
                candidates.push((format!("class {name}"), test_of_class(name, sets)));
            }
        }
        _ => {
            let all = classes(root, world).into_iter();
            candidates.extend(all.map(|class| (format!("class {class}"), test_of_class(&class, "debian-12"))));
        }
    }
    for (what, text) in candidates {
        write_file(&root.join(FILE), &text)?;
        if passes(&open()?) {
            return Ok(FirstTest::Written(FILE, what));
        }
    }
    write_file(&root.join(FILE), TEST_OF_CODE)?;
    Ok(FirstTest::Written(FILE, "code; `class: NAME` tests a class".to_owned()))
}

/// Whether the first test passes.
fn passes(suite: &Suite) -> bool {
    let cases = suite.files().and_then(|files| suite.cases(&files));
    let Ok(mut cases) = cases else { return false };
    cases.retain(|case| case.source == FILE);
    let settings = Settings { frozen: true, ..Settings::default() };
    let report = run::run(&suite.session, &suite.root, cases, &suite.store(), &settings);
    report.is_ok_and(|report| !report.results.is_empty() && report.is_ok())
}
