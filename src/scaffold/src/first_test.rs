//! Writes a first test: of the first class that compiles.

use std::path::Path;

use crate::files::write_file;
use crate::layout::Layout;
use crate::layout::module_folders;
use catwalk_base::diag::Reason;
use catwalk_snapshot::Suite;
use catwalk_snapshot::run;
use catwalk_snapshot::run::Settings;
use catwalk_world::Kind;
use catwalk_world::World;

/// The highest number of classes to try.
const MAX_CLASSES: usize = 20;
/// The file of the first test, in the folder of tests.
const FILE: &str = "first.yaml";

/// The first test.
#[derive(Debug, PartialEq, Eq)]
pub enum FirstTest {
    /// The site has test files; nothing was written.
    Exists,
    /// The file that was written, relative to the site if it is below, and what it tests.
    Written(String, String),
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
    found.truncate(MAX_CLASSES);
    found
}

/// Writes a test of a class that compiles, if the site has no test files. `open` opens the site or module.
///
/// # Errors
/// A file cannot be written; the site cannot be opened.
pub fn write_first_test(
    root: &Path,
    layout: &Layout,
    world: &dyn World,
    open: &dyn Fn() -> Result<Suite, Reason>,
) -> Result<FirstTest, Reason> {
    let place = open()?.session.site.tests_place(root);
    let folder = place.path();
    let tests = world.list(&folder).map(|entries| entries.to_vec()).unwrap_or_default();
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
    let path = folder.join(FILE);
    let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    for (subject, text) in candidates {
        write_file(&place, FILE, &text)?;
        if passes(&open()?, &file) {
            return Ok(FirstTest::Written(file, subject));
        }
    }
    write_file(&place, FILE, TEST_OF_CODE)?;
    Ok(FirstTest::Written(file, "code; `class: NAME` tests a class".to_owned()))
}

/// Whether the cases of a test file pass.
fn passes(suite: &Suite, file: &str) -> bool {
    let cases = suite.files().and_then(|files| suite.cases(&files));
    let Ok(mut cases) = cases else { return false };
    cases.retain(|case| case.source == file);
    let settings = Settings { frozen: true, ..Settings::default() };
    let report = run::run(&suite.session, &suite.root, cases, &suite.store(), &settings);
    report.is_ok_and(|report| !report.results.is_empty() && report.is_ok())
}
