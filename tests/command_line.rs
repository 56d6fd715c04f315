//! Arguments of commands: what they select, what they print, how they refuse.

use crate::support::Site;

/// A site with four nodes, a store with two of them, facts and files with equal parts in their names.
fn site() -> Site {
    let nodes = ["aws1", "aws2", "gcp1", "web1.example.com"];
    let node = "case $trusted['certname'] {\n  'gcp1': { fail('broken') }\n  default: {}\n}\n";
    let site = Site::new(&[
        ("site.pp", &format!("{node}file {{ ['/etc/motd', '/etc/motd.d', '/srv']: }}\nnotify {{ 'a': }}\n")),
        (
            "facts/box.json",
            "{\"os\": {\"family\": \"Box\", \"release\": {\"full\": \"1.2\", \"major\": \"1\"}}, \"n\": 3}",
        ),
        ("store.yaml", "nodes:\n  aws1: {facts: {a: 1}}\n  aws2: {facts: {a: 2}}\n"),
    ]);
    for name in nodes {
        site.write(&format!("nodes/{name}.json"), "{}");
    }
    site
}

/// A command line, its exit code, parts of its output in order, and parts that it must not contain. `-` before a part: of stderr.
type Row = (&'static str, i32, &'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    // Patterns of nodes, as `test` and `diff --nodes` have them.
    ("compile aws* -o out/", 0, &["aws1", "aws2", "2 of 2 catalogs written to out"], &["gcp1", "web1"]),
    ("compile AWS? -o out/", 0, &["aws1", "aws2"], &["gcp1"]),
    ("compile {aws1,web*} aws1 -o out/", 0, &["aws1", "web1", "2 of 2 catalogs"], &["aws2"]),
    ("compile web1.example.com aws* -o out/", 0, &["web1.example.com", "aws1", "aws2", "3 of 3"], &["gcp1"]),
    ("compile asw* -o out/", 2, &["-no node is called 'asw*'"], &["panicked"]),
    ("compile [a -o out/", 2, &["-error"], &["panicked"]),
    ("compile x* -e notice(1) --facts debian-12", 2, &["-no node is called 'x*'"], &[]),
    // One file for several catalogs.
    ("compile -o out.json", 2, &["-4 catalogs cannot be written to one file, out.json", "-`--output out/`"], &[]),
    ("compile aws* -o c/out.YAML", 2, &["-2 catalogs cannot be written to one file, c/out.YAML"], &[]),
    ("compile aws* -o site.pp", 2, &["-cannot be written to one file, site.pp"], &[]),
    ("compile aws1 -o one.json", 0, &[], &["cannot be written"]),
    ("compile aws* -o dir.json/", 0, &["2 of 2 catalogs written to dir.json"], &[]),
    // A part of a reference that several resources have.
    (
        "show aws1 file",
        0,
        &[
            "aws1: 3 resources match 'file'",
            "File[/etc/motd]  (site.pp:5)",
            "File[/etc/motd.d]",
            "File[/srv]",
            "`catwalk show aws1 'File[/etc/motd]'` shows one",
        ],
        &["Containment"],
    ),
    ("show aws1 motd", 0, &["2 resources match 'motd'", "File[/etc/motd]", "File[/etc/motd.d]"], &["/srv"]),
    ("show aws1 file[/etc/motd]", 0, &["File[/etc/motd]", "Containment"], &["match"]),
    ("show aws1 srv", 0, &["File[/srv]", "Containment"], &["match"]),
    ("show aws1 nothing", 1, &["-has no resource 'nothing'"], &[]),
    // Facts of a set.
    ("facts show debian-12 os.release.major", 0, &["\"12\""], &["family"]),
    ("facts show debian-12 os.release", 0, &["{", "\"full\"", "\"major\": \"12\""], &["family"]),
    (
        "facts show debian-12 os.family os.release.major",
        0,
        &["\"os.family\": \"Debian\"", "\"os.release.major\": \"12\""],
        &[],
    ),
    ("facts show box facts/box.json", 0, &["\"family\": \"Box\""], &[]),
    ("facts show box facts os.release.full n", 0, &["\"os.release.full\": \"1.2\"", "\"n\": 3"], &["family"]),
    (
        "facts show debian-12 os.familly",
        2,
        &["-debian-12-x86_64 has no fact 'os.familly'", "-did you mean 'family'?"],
        &[],
    ),
    ("facts show debian-12 oss.family", 2, &["-has no fact 'oss.family'", "-did you mean 'os'?"], &[]),
    ("facts show debian-12 os.family.x", 2, &["-has no fact 'os.family.x'"], &[]),
    // A store by its file.
    ("store import store.yaml --store s.db", 0, &["2 nodes stored"], &[]),
    ("store list s.db", 0, &["aws1", "aws2"], &[]),
    ("store list --store s.db", 0, &["aws1", "aws2"], &[]),
    ("store check s.db", 0, &[], &["error"]),
    ("store list none.db", 2, &["-none.db"], &[]),
    ("store list s.db --store s.db", 2, &["-cannot be used with"], &[]),
    // Guides.
    ("docs watch", 0, &["watch  (guide", "# Watch catalogs while you edit", "--exec"], &[]),
    ("docs testing.md", 0, &["testing  (guide"], &[]),
    ("docs snapshot", 0, &["testing  (guide"], &[]),
    ("docs guides", 0, &["check", "watch", "Watch catalogs while you edit"], &[]),
    ("docs guides lookup", 0, &["lookup  (guide"], &["(function"]),
    ("docs lookup", 0, &["lookup  (function", "`catwalk docs guides lookup` prints the guide"], &["(guide"]),
    ("docs guides wacth", 1, &["-no guide 'wacth'", "-did you mean 'watch'"], &[]),
    ("docs watch --format markdown", 0, &["# Watch catalogs while you edit"], &["(guide"]),
    // The list of commands.
    (
        "--help",
        0,
        &[
            "Usage: catwalk",
            "Catalogs:",
            "compile",
            "Tests:",
            "snapshot",
            "Nodes and data:",
            "facts",
            "Options:",
            "Documentation: https://",
        ],
        &["internal"],
    ),
    ("-h", 0, &["Catalogs:", "Code and shell:", "completions", "Documentation: https://"], &["internal"]),
    ("help", 0, &["Catalogs:", "Documentation: https://"], &[]),
];

#[test]
fn arguments_select_print_and_refuse() {
    let site = site();
    for (line, code, expected, absent) in ROWS {
        let args: Vec<&str> = line.split(' ').collect();
        let run = site.run(&args).expect(*code, "");
        let (mut out, mut err) = (run.stdout.as_str(), run.stderr.as_str());
        for part in *expected {
            let (rest, part) =
                part.strip_prefix('-').filter(|_| *part != "--exec").map_or((&mut out, *part), |part| (&mut err, part));
            let at = rest.find(part).unwrap_or_else(|| panic!("{line}: '{part}' is not in {run:#?}"));
            *rest = &rest[at + part.len()..];
        }
        for part in *absent {
            assert!(!run.stdout.contains(part) && !run.stderr.contains(part), "{line}: '{part}' is in {run:#?}");
        }
    }
    assert!(!site.path().join("out.json").exists() && !site.path().join("c").exists());
    assert!(site.path().join("one.json").is_file() && site.path().join("dir.json/aws1.json").is_file());
}

/// `output` of `catwalk.toml` is a folder, however many nodes there are.
#[test]
fn the_output_folder_of_a_site_with_one_node_is_a_folder() {
    let site = Site::new(&[
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\noutput = \"catalogs\"\n"),
        ("site.pp", "notify { 'a': }\n"),
        ("nodes/web1.json", "{}"),
    ]);
    site.run(&["compile"]).expect(0, "");
    assert!(site.path().join("catalogs/web1.json").is_file());
}

/// How the origins of a node's values look, for each source: each line of `node show --explain` that has one of these.
#[test]
fn the_origin_of_each_value_of_a_classification_has_a_line() {
    let toml = "manifest = \"site.pp\"\nnodes = \"nodes\"\n";
    let groups = "- name: Web\n  rule: [\"=\", name, web1]\n  environment: production\n  classes:\n    web:\n      port: 80\n  \
                  variables:\n    tier: front\n  config_data:\n    web:\n      user: www\n";
    let script = "fn classify(node) {\n  let c = classification();\n  c.include(\"web\", #{ port: 80 });\n  \
                  c.param(\"tier\", \"front\");\n  c.environment = \"production\";\n  c\n}\n";
    let program = "#!/bin/sh\ncat <<END\nclasses:\n  web:\n    port: 80\nparameters:\n  tier: front\nenvironment: production\nEND\n";
    for (file, text, settings, expected) in [
        (
            "groups.yaml",
            groups,
            "[classifier]\ngroups = \"groups.yaml\"\n",
            &[
                ("$tier = \"front\"", "group 'Web', groups.yaml:8"),
                ("web::user: \"www\"", "group 'Web', groups.yaml:11"),
                ("port => 80", "group 'Web', groups.yaml:6"),
                ("environment  production", "group 'Web', groups.yaml:3"),
            ] as &[(&str, &str)],
        ),
        (
            "enc.rhai",
            script,
            "enc = \"enc.rhai\"\n",
            &[
                ("$tier = \"front\"", "script enc.rhai:4"),
                ("web", "script enc.rhai:3"),
                ("environment  production", "script enc.rhai:5"),
            ],
        ),
        (
            "enc.rhai",
            script,
            "enc = \"enc.rhai\"\n[scripts]\nisolation = \"process\"\n",
            &[("$tier = \"front\"", "script enc.rhai:4"), ("environment  production", "script enc.rhai:5")],
        ),
        (
            "bin/enc",
            program,
            "enc = \"bin/enc\"\n",
            &[
                ("$tier = \"front\"", "line 5 of its output"),
                ("environment  production", "line 6 of its output"),
                ("port => 80", "line 3 of its output"),
            ],
        ),
    ] {
        let site = Site::new(&[
            ("catwalk.toml", &format!("{toml}{settings}")),
            ("site.pp", "class web($port = 1, $user = 'x') {}\n"),
            ("nodes/web1.json", "{}"),
            (file, text),
        ]);
        #[cfg(unix)]
        if file == "bin/enc" {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(site.path().join(file), mode).unwrap();
        }
        let run = site.run(&["node", "show", "web1", "--explain"]).expect(0, "");
        for (value, origin) in expected {
            let is_shown = |line: &str| line.trim_start().starts_with(value) && line.ends_with(origin);
            assert!(run.stdout.lines().any(is_shown), "{file}: {value} # {origin}: {}", run.stdout);
        }
    }
}

/// What fails on both sides is not part of the change, so it is below it.
#[test]
fn a_comparison_in_markdown_begins_with_the_change() {
    let site = site();
    for command in ["init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm one"] {
        let args: Vec<&str> = command.split(' ').collect();
        assert!(std::process::Command::new("git").args(args).current_dir(site.path()).status().unwrap().success());
    }
    let before = std::fs::read_to_string(site.path().join("site.pp")).unwrap();
    site.write(
        "site.pp",
        before.replace("'a'", "'b'").replace("default: {}", "'aws2': { fail('new') }\n  default: {}"),
    );
    let run = site.run(&["diff", "--format", "markdown"]).expect(1, "");
    let at = |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("{text}: {}", run.stdout));
    assert!(at("No longer compiles on aws2") < at("On 2 nodes"), "{}", run.stdout);
    assert!(at("On 2 nodes") < at("Fails on both sides on gcp1"), "{}", run.stdout);
}
