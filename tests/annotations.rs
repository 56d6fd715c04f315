//! `--log-format github`: messages, unmet expectations, changed snapshots and catalogs as annotations of GitHub, below the repository.

use crate::support::Run;
use crate::support::Site;

/// A repository with a site in its folder `control`; paths in annotations are below the repository.
fn repository(files: &[(&str, &str)]) -> Site {
    let repository = Site::empty();
    repository.write("control/catwalk.toml", "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n");
    for (path, text) in files {
        repository.write(&format!("control/{path}"), text);
    }
    git(&repository, "init -q");
    repository
}

fn git(site: &Site, command: &str) {
    let words = command.split(' ');
    assert!(std::process::Command::new("git").args(words).current_dir(site.path()).status().unwrap().success());
}

/// Runs a command in `control`.
fn run(repository: &Site, args: &[&str]) -> Run {
    let output = repository.command(args).current_dir(repository.path().join("control")).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const GITHUB: &[&str] = &["--log-format", "github"];

/// Files, arguments, exit code, and the lines of stderr: each begins with the first and contains the second string.
type Row = (&'static [(&'static str, &'static str)], &'static str, i32, &'static [(&'static str, &'static str)]);

const NODE: (&str, &str) = ("nodes/web1.json", "{}");

const ROWS: &[Row] = &[
    (
        &[NODE, ("site.pp", "notify { 'a': }\n  fail('100 %: a, b')\n")],
        "compile web1",
        1,
        &[("::error file=control/site.pp,line=2,endLine=2,col=3,title=RUNTIME_ERROR::", "100 %25: a, b")],
    ),
    // A message of several lines cannot end the command and begin another one.
    (
        &[NODE, ("site.pp", "fail(\"a\\n::error::b\\r\")\n")],
        "compile web1",
        1,
        &[("::error file=control/site.pp,line=1,", "a%0A::error::b%0D")],
    ),
    (
        &[
            NODE,
            ("nodes/web2.json", "{}"),
            ("modules/m/manifests/init.pp", "class m {\n  $x = $nope\n}\n"),
            ("site.pp", "include m\n"),
        ],
        "compile --set strict_variables=true",
        1,
        &[(
            "::error file=control/modules/m/manifests/init.pp,line=2,endLine=2,col=8,title=UNKNOWN_VARIABLE::",
            "on 2 nodes: web1, web2",
        )],
    ),
    (&[NODE, ("site.pp", "warning('careful')\n")], "compile web1", 0, &[("::warning::", "careful")]),
    (&[NODE, ("site.pp", "file { '/a'\n")], "check", 1, &[("::error file=control/site.pp,line=", "title=")]),
    (
        &[NODE, ("site.pp", ""), ("data/x,y:z.yaml", "a: [\n")],
        "check",
        1,
        &[("::error file=control/data/x%2Cy%3Az.yaml,line=", "title=YAML_SYNTAX::")],
    ),
    (&[NODE, ("site.pp", "")], "check nowhere", 2, &[("::error title=USAGE::", "nowhere")]),
    (&[NODE, ("site.pp", "")], "store list none.db", 2, &[("::error title=", "none.db")]),
    (&[NODE, ("site.pp", "")], "parse -e $x=", 1, &[("::error title=", "::")]),
    // A syntax error is at its line, and each expectation at its case.
    (
        &[
            NODE,
            ("site.pp", ""),
            ("modules/m/manifests/init.pp", "class m {\n  notify { 'm': }\n}\n"),
            (
                "tests/m.yaml",
                "snapshot: false\nclass: m\ncases:\n  first:\n    expect: {contains: 'Notify[x]'}\n  second:\n    expect: {lacks: 'Notify[m]'}\n  third: {class: null, code: \"fail('no')\"}\n",
            ),
        ],
        "test m/*",
        1,
        &[
            ("::error file=control/tests/m.yaml,line=4,endLine=4,title=UNMET_EXPECTATION::m/first: ", "Notify[x]"),
            (
                "::error file=control/tests/m.yaml,line=6,endLine=6,title=UNMET_EXPECTATION::m/second: ",
                "Notify[m] is in the catalog",
            ),
            ("::error ", "m/third: "),
        ],
    ),
    // Equal failures of several cases are one annotation.
    (
        &[
            NODE,
            ("site.pp", ""),
            (
                "tests/m.yaml",
                "code: \"notify { 'm': }\"\nsnapshot: false\nfact_sets: [debian-12, debian-13]\nexpect: {lacks: 'Notify[m]'}\n",
            ),
        ],
        "test m/*",
        1,
        &[("::error file=control/tests/m.yaml,line=1,endLine=1,title=UNMET_EXPECTATION::2 cases: ", "debian-13")],
    ),
    (
        &[NODE, ("site.pp", "notify { 'a': }\n")],
        "test --ci",
        1,
        &[("::error file=control/nodes/web1.json,line=1,endLine=1,title=SNAPSHOT_DIFFERS::web1: ", "no snapshot yet")],
    ),
];

#[test]
fn messages_are_annotations_at_their_lines() {
    for (files, line, code, expected) in ROWS {
        let repository = repository(files);
        let args: Vec<&str> = line.split(' ').chain(GITHUB.iter().copied()).collect();
        let first = run(&repository, &args).expect(*code, "");
        let lines: Vec<&str> = first.stderr.lines().collect();
        assert_eq!(lines.len(), expected.len(), "{line}: {first:#?}");
        for (line, (start, part)) in lines.iter().zip(*expected) {
            assert!(line.starts_with(start) && line.contains(part), "{start} … {part}: {first:#?}");
        }
        // The option may precede the command.
        let args: Vec<&str> = GITHUB.iter().copied().chain(line.split(' ')).collect();
        let before = run(&repository, &args).expect(*code, "");
        assert_eq!(before.stderr, first.stderr, "{line}");
    }
}

#[test]
fn changes_are_annotated_where_they_are_declared() {
    let repository = repository(&[
        NODE,
        ("nodes/web2.json", "{}"),
        ("site.pp", "include m\nif $trusted['certname'] == 'web2' { fail('always') }\n"),
        ("modules/m/manifests/init.pp", "class m {\n  file { '/m':\n    mode => '0644',\n  }\n}\n"),
    ]);
    run(&repository, &["test", "web1", "--accept"]).expect(0, "");
    git(&repository, "add .");
    git(&repository, "-c user.name=a -c user.email=a@b commit -qm one");
    repository.write("control/modules/m/manifests/init.pp", "class m {\n  file { '/m':\n    mode => '0600',\n  }\n}\n");
    let test = run(&repository, &["test", "web1", "--ci", "--log-format", "github"]).expect(1, "");
    let start = "::error file=control/modules/m/manifests/init.pp,line=2,endLine=2,title=SNAPSHOT_DIFFERS::web1: ";
    assert!(test.stderr.starts_with(start) && test.stderr.contains("0600"), "{test:#?}");
    assert_eq!(test.stderr.lines().count(), 1, "{test:#?}");
    let diff = run(&repository, &["diff", "--log-format", "github"]).expect(1, "");
    let lines: Vec<&str> = diff.stderr.lines().collect();
    let start =
        "::notice file=control/modules/m/manifests/init.pp,line=2,endLine=2,title=CATALOG_DIFFERS::changed on web1%0A";
    assert!(lines.iter().any(|line| line.starts_with(start) && line.contains("\"0600\"")), "{diff:#?}");
    let failure = "::warning file=control/site.pp,line=2,";
    assert!(lines.last().unwrap().starts_with(failure) && diff.stderr.contains("on both sides"), "{diff:#?}");
}

/// Code scanning resolves relative addresses against the repository, and shows the help of each rule.
#[test]
fn sarif_has_relative_addresses_and_the_help_of_each_rule() {
    let repository = repository(&[("site.pp", "file { '/a'\n"), ("manifests/ä b.pp", "$x = \n")]);
    for args in [
        &["check", "--format", "sarif"] as &[&str],
        &["check", ".", "--format", "sarif"],
        &["check", "./", "--format", "sarif"],
    ] {
        let checked = run(&repository, args).expect(1, "");
        let log: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
        let driver = &log["runs"][0]["tool"]["driver"];
        assert!(driver["informationUri"].as_str().unwrap().starts_with("https://"), "{log:#}");
        let rules = driver["rules"].as_array().unwrap();
        assert!(!rules.is_empty());
        for rule in rules {
            let code = rule["id"].as_str().unwrap();
            assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule:#}");
            assert!(rule["help"]["markdown"].as_str().is_some_and(|text| !text.is_empty()), "{rule:#}");
            assert!(rule["shortDescription"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule:#}");
            let uri = rule["helpUri"].as_str().unwrap();
            assert!(uri.starts_with("https://") && uri.ends_with(&format!("#{}", code.to_lowercase())), "{rule:#}");
        }
        let results = log["runs"][0]["results"].as_array().unwrap();
        let uris: Vec<&str> = results
            .iter()
            .map(|result| {
                let location = &result["locations"][0]["physicalLocation"]["artifactLocation"];
                assert_eq!(location["uriBaseId"], "%SRCROOT%");
                let at = result["ruleIndex"].as_u64().unwrap() as usize;
                assert_eq!(rules[at]["id"], result["ruleId"]);
                location["uri"].as_str().unwrap()
            })
            .collect();
        assert_eq!(uris, ["control/manifests/%C3%A4%20b.pp", "control/site.pp"]);
    }
}

/// Every test has a file and a line, below the repository, also tests of scripts.
#[test]
fn junit_names_the_file_and_the_line_of_each_test() {
    let repository = repository(&[
        NODE,
        ("site.pp", "notify { 'a': }\n"),
        (
            "tests/m.yaml",
            "snapshot: false\ncases:\n  a: {code: \"notify { \\\"x\\\\u{1}\\\": }\"}\n  b:\n    code: \"fail('\\u001b]0;x')\"\n",
        ),
        ("scripts/tests/a_test.rhai", "// first\nfn test_a() {\n  assert_eq(1, 2);\n}\n"),
    ]);
    let test = run(&repository, &["test", "--format", "junit"]).expect(1, "");
    for (name, file, line) in [
        ("name=\"web1\"", "control/nodes/web1.json", 1),
        ("name=\"a\"", "control/tests/m.yaml", 3),
        ("name=\"b\"", "control/tests/m.yaml", 4),
    ] {
        let case = test.stdout.lines().find(|text| text.contains("<testcase ") && text.contains(name));
        let case = case.unwrap_or_else(|| panic!("{name}: {test:#?}"));
        assert!(case.contains(&format!("file=\"{file}\" line=\"{line}\"")), "{case}");
    }
    let scripts = run(&repository, &["script", "test", "--format", "junit"]).expect(1, "");
    assert!(scripts.stdout.contains("file=\"control/scripts/tests/a_test.rhai\" line=\"2\""), "{scripts:#?}");
    for text in [&test.stdout, &scripts.stdout] {
        assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text:?}");
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name="), "{text}");
    }
}
