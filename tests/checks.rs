//! `catwalk check`: every kind of file of a control repository and of modules, mistakes with their excerpts.

use crate::support::METADATA;
use crate::support::Site;

/// A site without mistakes: a file of each kind.
const GOOD: [(&str, &str); 12] = [
    ("site.pp", "include role\n"),
    ("environment.conf", "modulepath = modules\n"),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
    ("Puppetfile", "forge 'https://forge.puppet.com'\nmod 'puppetlabs-stdlib', '9.0.0'\n"),
    ("data/common.yaml", "role::motd: hello\n"),
    ("nodes/web1.json", "{}\n"),
    ("tests/t.yaml", "cases:\n  plain: { class: role }\n"),
    ("scripts/enc.rhai", "fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n  c\n}\n"),
    ("modules/role/metadata.json", METADATA),
    ("modules/role/manifests/init.pp", "class role(String $motd = 'x') { }\n"),
    ("modules/role/templates/a.erb", "<%= 1 + 1 %>\n"),
    ("modules/role/templates/a.epp", "<%= 1 + 1 %>\n"),
];

/// A file, what replaces it, and what is printed: message and location.
const MISTAKES: [(&str, &str, &[&str]); 12] = [
    ("data/common.yaml", "a: 1\nb: [1, 2\nc: 3\n", &["error[YAML_SYNTAX]", "data/common.yaml:3:2"]),
    ("nodes/web1.json", "{\"a\": 1,\n \"b\" 2}\n", &["error[JSON_SYNTAX]", "nodes/web1.json:2:"]),
    (
        "hiera.yaml",
        "version: 6\nhierarchy: []\n",
        &["This runtime does not support hiera.yaml version 6", "hiera.yaml:"],
    ),
    ("hiera.yaml", "version: 5\nhierarchi: []\n", &["error[", "hiera.yaml:"]),
    ("modules/role/metadata.json", "{\"version\": \"1.0.0\"}\n", &["error[BAD_METADATA]", "needs the member `name`"]),
    (
        "modules/role/metadata.json",
        "{\"name\": \"role\",\n \"version\": \"1.0.0\"}\n",
        &["metadata.json:1:2", "author-module"],
    ),
    ("environment.conf", "modulepath modules\n", &["error[", "environment.conf:1:"]),
    ("Puppetfile", "mod 'puppetlabs-stdlib',\nmod )\n", &["error[PUPPETFILE_SYNTAX]", "Puppetfile:2:"]),
    (
        "catwalk.toml",
        "manifest = \"site.pp\"\nmodulpath = [\"x\"]\n",
        &["error[BAD_SITE]", "catwalk.toml:2:", "modulpath"],
    ),
    (
        "tests/t.yaml",
        "cases:\n  plain:\n    clas: role\n",
        &["case 'plain': a case has no key `clas`; did you mean 'class'?", "tests/t.yaml:3:5", "3 |     clas: role"],
    ),
    ("scripts/enc.rhai", "fn classify(node) {\n  nope(1)\n}\n", &["error[SCRIPT_", "enc.rhai:2:3"]),
    ("modules/role/templates/a.erb", "<%= 1 + %>\n", &["error[TEMPLATE_SYNTAX]", "a.erb:1:"]),
];

#[test]
fn a_site_without_mistakes_says_how_many_files_were_checked() {
    let run = Site::new(&GOOD).run(&["check"]).expect(0, "");
    // `catwalk.toml` is the thirteenth.
    assert_eq!(run.stderr, "13 files, no mistakes\n", "{run:#?}");
    assert_eq!(run.stdout, "");
}

#[test]
fn a_mistake_in_any_kind_of_file_is_shown_with_its_location() {
    for (file, text, parts) in MISTAKES {
        let site = Site::new(&GOOD);
        site.write(file, text);
        let run = site.run(&["check"]).expect(1, "13 files: 1 error, 0 warnings");
        for part in parts {
            assert!(run.stdout.contains(part), "{file}: '{part}' is not in\n{}", run.stdout);
        }
    }
}

#[test]
fn a_mistake_in_a_test_file_is_shown_with_its_location_by_test_as_well() {
    let site = Site::new(&GOOD);
    site.write("tests/t.yaml", "cases:\n  plain:\n    clas: role\n");
    let run = site.run(&["test"]).expect(2, "tests/t.yaml:3:5");
    assert!(run.stderr.contains("3 |     clas: role"), "{run:#?}");
    site.write("tests/t.yaml", "cases: {\n  plain: [\n");
    site.run(&["test"]).expect(2, "error[BAD_TEST]");
}

#[test]
fn values_that_data_cannot_have_are_warnings() {
    let site = Site::new(&GOOD);
    site.write("data/common.yaml", "a: 2020-01-01\n");
    let run = site.run(&["check", "data"]).expect(0, "1 file: 0 errors, 1 warning");
    assert!(run.stdout.contains("warning[YAML_CLASS]: Tried to load unspecified class: Date"), "{run:#?}");
}
