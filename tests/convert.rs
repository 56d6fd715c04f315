//! `catwalk convert rspec`: specs in `tests/convert`, each with the test file that it must become.
//!
//! `NAME_spec.rb` beside `NAME.yaml`; `UPDATE=1 cargo test --test main convert` writes the test files.

use std::path::Path;

use crate::support::Site;

const METADATA: &str = r#"{"name": "acme-cache", "version": "0.1.0", "author": "me", "license": "Apache-2.0", "summary": "x",
    "source": "x", "dependencies": [], "operatingsystem_support": [
    {"operatingsystem": "Debian", "operatingsystemrelease": ["12"]},
    {"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}]}"#;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/convert")
}

/// A module with the classes and specs of the folder.
fn module() -> Site {
    let site = Site::empty();
    site.write("metadata.json", METADATA);
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        match name.as_str() {
            "init.pp" | "entry.pp" => site.write(&format!("manifests/{name}"), text),
            "entry_spec.rb" => site.write(&format!("spec/defines/{name}"), text),
            name if name.ends_with("_spec.rb") => site.write(&format!("spec/classes/{name}"), text),
            _ => {}
        }
    }
    site
}

#[test]
fn specs_become_the_recorded_test_files() {
    let site = module();
    let run = site.run(&["convert", "rspec"]).expect(0, "");
    let mut differences = Vec::new();
    let mut compared = 0;
    for entry in std::fs::read_dir(site.path().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let got = std::fs::read_to_string(&path).unwrap();
        let recorded = folder().join(path.file_name().unwrap());
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&recorded, &got).unwrap();
        }
        let expected = std::fs::read_to_string(&recorded).unwrap_or_default();
        compared += 1;
        if got != expected {
            differences.push(format!("{}\n--- expected\n{expected}\n--- got\n{got}", recorded.display()));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    assert!(compared == 2, "{run:#?}");
    let summary = run.stdout.lines().last().unwrap();
    assert_eq!(summary, "32 of 35 examples carried over");
    // What was carried over holds.
    let output = site.run(&["test"]).expect(0, "").stdout;
    assert!(output.ends_with("passed\n"), "{output}");
    let run = site.run(&["convert", "rspec", "--each", "--output", "each", "spec"]).expect(0, "");
    assert!(run.stdout.ends_with("32 of 35 examples carried over\n"), "{run:#?}");
}

#[test]
fn test_files_that_exist_are_kept() {
    let site = module();
    site.write("tests/cache.yaml", "class: cache\n");
    let run = site.run(&["convert", "rspec", "spec/classes/cache_spec.rb"]).expect(0, "");
    assert!(run.stdout.contains("kept tests/cache.yaml, which exists (--overwrite replaces it)"), "{run:#?}");
    assert_eq!(std::fs::read_to_string(site.path().join("tests/cache.yaml")).unwrap(), "class: cache\n");
    site.run(&["convert", "rspec", "--overwrite", "spec/classes/cache_spec.rb"]).expect(0, "");
    assert!(std::fs::read_to_string(site.path().join("tests/cache.yaml")).unwrap().starts_with("# Converted from"));
}

#[test]
fn specs_that_are_hostile_or_wrong_end() {
    let site = module();
    for (text, why) in [
        ("describe 'cache' do\n  it { is_expected.to compile }\n  loop { }\nend\n", ""),
        ("describe 'cache' do\n  it {\nend\n", ""),
        ("describe 'cache' do\n  it { `touch hacked`; is_expected.to compile }\nend\n", ""),
        ("describe 'cache' do\n  it { is_expected.to contain_file(File.read('/etc/passwd')) }\nend\n", ""),
    ] {
        site.write("spec/classes/wrong_spec.rb", text);
        let run = site.run(&["convert", "rspec", "spec/classes/wrong_spec.rb"]).expect(0, why);
        assert!(run.stdout.contains("0 of "), "{text}: {run:#?}");
        assert!(!site.path().join("hacked").exists());
    }
    // The limit counts steps, so the same examples are cut on each machine, and named.
    let text = "describe 'cache' do\n  it { is_expected.to compile }\n  it { loop { }; is_expected.to compile }\n  \
                it { is_expected.to contain_package('cache') }\nend\n";
    site.write("spec/classes/endless_spec.rb", text);
    let run = site.run(&["convert", "rspec", "--step-limit", "10000000", "spec/classes/endless_spec.rb"]).expect(0, "");
    assert_eq!(
        run.stdout,
        "spec/classes/endless_spec.rb: 2 of 3 examples, tests/endless.yaml\n\
         spec/classes/endless_spec.rb:3: not converted, since it reaches the limit of steps (--step-limit)\n\
         2 of 3 examples carried over\n"
    );
    let converted = std::fs::read_to_string(site.path().join("tests/endless.yaml")).unwrap();
    assert!(converted.contains("_spec.rb:3: it takes more than 10000000 steps of the interpreter\n"), "{converted}");
    site.run(&["convert", "rspec", "nothing_spec.rb"]).expect(2, "there is no file");
}
