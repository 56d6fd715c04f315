//! Scripts in separate processes, enabled in `catwalk.toml` or by an option.

use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

const SITE: &[(&str, &str)] = &[
    ("catwalk.toml", "nodes = \"nodes\"\nenc = \"enc.rhai\"\n[scripts]\nisolation = \"process\"\n"),
    (
        "enc.rhai",
        "import \"names\" as n;\nfn classify(node) { #{ classes: [n::role(node.facts.role)], parameters: #{ tier: 1 } } }\n",
    ),
    ("scripts/lib/names.rhai", "fn role(name) { \"role::\" + name }\n"),
    ("modules/role/manifests/web.pp", "class role::web { notify { m::up(\"web ${tier}\"): } }\n"),
    (
        "modules/m/scripts/functions/up.rhai",
        "dispatch(\"(String $text) >> String\", up);\nfn up(text) { call_function(\"upcase\", text) + fact(\"role\") }\n",
    ),
    ("site.pp", ""),
    ("nodes/n.json", "{\"role\": \"web\"}"),
];

#[test]
fn a_site_can_isolate_its_scripts() {
    let site = Site::new(SITE);
    let run = site.run(&["compile", "n"]).expect(0, "");
    assert!(run.stdout.contains("WEB 1web"), "{run:?}");
    site.write("catwalk.toml", "nodes = \"nodes\"\nenc = \"enc.rhai\"\n");
    site.run(&["compile", "n", "--isolate-scripts"]).expect(0, "");
    site.write("catwalk.toml", "[scripts]\nisolation = \"container\"\n");
    site.run(&["compile", "n"]).expect(2, "`isolation` of [scripts] must be process or none, got container");
}

/// Exit code, output without random identifiers, and messages, which must be equal with and without isolation.
fn both(site: &Site, args: &[&str]) -> (Option<i32>, String, String) {
    let once = |options: &[&str]| {
        let run = site.run(&[args, options].concat());
        let same = |line: &&str| !line.contains("\"catalog_uuid\"") && !line.contains("\"version\"");
        let text = |text: &str| text.lines().filter(same).collect::<Vec<_>>().join("\n");
        (run.code, text(&run.stdout), text(&run.stderr))
    };
    let inside = once(&[]);
    assert_eq!(once(&["--isolate-scripts"]), inside, "{args:?}");
    inside
}

#[test]
fn isolated_policies_report_the_same() {
    let site = Site::new(&[
        (
            "site.pp",
            "class k { @@notify { 'n': message => Sensitive('x'), tag => 'red' } }\ninclude k\nfile { '/a': mode => '0666' }\n",
        ),
        ("modules/m/types/port.pp", "type M::Port = Integer[1, 10]\n"),
        ("nodes/n.json", "{\"role\": \"web\"}"),
        ("scripts/lib/say.rhai", "fn of(r) {\n  warn(r, \"from a library\");\n}\n"),
        (
            "scripts/policies/a.rhai",
            "import \"say\" as say;\nfn check(catalog) {\n  for r in catalog.resources() {\n    warn(r, `${r.type} ${r.title} ${r.tags} ${r.file} ${r.line} ${r.exported} ${r.containers} ${r.parameters}`);\n    say::of(r);\n  }\n  notice(`${fact(\"role\")} ${catalog.classes} ${catalog.name} ${catalog.environment} ${is_a(3, \"M::Port\")}`);\n}\n",
        ),
        (
            "scripts/policies/b.rhai",
            "fn check(catalog) { warn(catalog.resource(\"file\", \"/a\"), \"b\"); call_function(\"warning\", catalog.contains(\"k\")); }\n",
        ),
    ]);
    let (code, _, said) = both(&site, &["compile", "n"]);
    assert_eq!(code, Some(0), "{said}");
    for text in ["File[/a]: from a library", "the policy scripts/policies/b.rhai", "web [", "true"] {
        assert!(said.contains(text), "{text}: {said}");
    }
    // After each kind of end the next policy has the catalog.
    for end in ["throw 1", "deny(\"no\")", "deny(7)", "call_function(\"fail\", \"oh\")", "fact(7)", "f()"] {
        site.write(
            "scripts/policies/a.rhai",
            format!("fn f() {{ f() }} fn check(catalog) {{ warn(\"before\"); {end} }}\n"),
        );
        let (code, _, said) = both(&site, &["compile", "n"]);
        assert_eq!(code, Some(1), "{end}: {said}");
        assert!(said.contains("File[/a]: b") && said.contains("before"), "{end}: {said}");
    }
}

#[test]
fn groups_of_scripts_classify_and_explain_alike() {
    let site = Site::new(&[
        ("catalog.txt", ""),
        ("site.pp", "class base { }\nclass web(Integer $n = 1) { notify { \"${n} ${tier}\": } }\nclass rack { }\n"),
        ("nodes/n.json", "{\"os\": {\"family\": \"RedHat\"}, \"rack\": \"r2\"}"),
        ("nodes/m.json", "{\"os\": {\"family\": \"Debian\"}}"),
        ("scripts/lib/nets.rhai", "fn is_rack(rack) { rack == \"r2\" }\n"),
        (
            "groups.rhai",
            "import \"nets\" as nets;\nconst FAMILY = \"RedHat\";\n\
             group(\"All Nodes\", #{ classes: #{ base: #{} }, variables: #{ tier: 1 } });\n\
             group(\"Web\", #{ parent: \"All Nodes\", rule: [\"=\", [\"fact\", \"os\", \"family\"], FAMILY], classes: #{ web: #{ n: 4 } } });\n\
             for i in 1..4 {\n  group(`Rack ${i}`, #{ parent: \"Web\", rule: |node| [\"=\", [\"fact\", \"rack\"], `r${i}`], classes: #{ rack: #{} } });\n}\n\
             group(\"Imported\", #{ parent: \"Web\", rule: |node| nets::is_rack(node.fact(\"rack\")), variables: #{ v: [1, #{ a: 2.5 }] }, classes: #{} });\n\
             fn classify(node) { #{ parameters: #{ own: node.facts.os.family } } }\n",
        ),
    ]);
    site.write(
        "catwalk.toml",
        "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"groups.rhai\"\n",
    );
    for args in [
        &["compile", "n"][..],
        &["compile", "m"],
        &["node", "show", "n", "--explain"],
        &["classify", "n", "--explain"],
        &["classify", "n", "--explain", "--all"],
        &["classify", "--nodes", "nodes", "--matrix"],
    ] {
        let (code, stdout, stderr) = both(&site, args);
        assert_eq!(code, Some(0), "{args:?}: {stdout}{stderr}");
    }
    assert!(both(&site, &["compile", "n"]).1.contains("4 1"));
    let rules = ["|node| 7", "|node| node.nope()", "|node| [\"=\"]", "|node| throw `${node.name}`", "7", "|node| ()"];
    for rule in rules {
        site.write("groups.rhai", format!("group(\"a\",\n  #{{ rule: {rule}, classes: #{{}} }});\n"));
        let (code, stdout, stderr) = both(&site, &["compile", "n"]);
        assert_eq!(code, Some(1), "{rule}: {stdout}{stderr}");
    }
    for top in [
        "throw 1",
        "group(\"a\", #{ parent: \"b\" });",
        "group(\"a\", 7);",
        "import \"x\" as x;",
        "group(\"a\", #{ classes: 7 });",
    ] {
        site.write("groups.rhai", format!("group(\"z\", #{{ classes: #{{}} }});\n{top}\n"));
        let (code, stdout, stderr) = both(&site, &["compile", "n"]);
        assert_eq!(code, Some(1), "{top}: {stdout}{stderr}");
    }
}

#[test]
fn the_sample_site_compiles_alike() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = tempfile::TempDir::new().unwrap();
    let compiled = |name: &str, options: &[&str]| -> Vec<(String, serde_json::Value)> {
        let folder = out.path().join(name);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
        command.args(["compile", "-o"]).arg(&folder).args(options).current_dir(root).env("NO_COLOR", "1");
        let run = command.output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let mut all: Vec<(String, serde_json::Value)> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|file| {
                let file = file.unwrap();
                let mut catalog: serde_json::Value =
                    serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
                for made_up in ["version", "catalog_uuid"] {
                    catalog.as_object_mut().unwrap().remove(made_up);
                }
                (file.file_name().to_string_lossy().into_owned(), catalog)
            })
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    let inside = compiled("inside", &[]);
    assert_eq!(inside.len(), 5);
    assert_eq!(compiled("isolated", &["--isolate-scripts"]), inside);
}

#[test]
fn scripts_without_end_are_stopped() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let endless = ["loop { }", "let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }"];
    for end in endless {
        site.write("scripts/policies/a.rhai", format!("fn check(catalog) {{ {end} }}\n"));
        site.write("scripts/policies/b.rhai", "fn check(catalog) { warn(catalog.name + \" is seen\") }\n");
        let run = site.run(&["compile", "n", "--isolate-scripts"]).expect(1, "error[SCRIPT_LIMIT]");
        assert!(run.stderr.contains("n is seen"), "{run:?}");
    }
    site.remove("scripts/policies/a.rhai");
    for end in endless {
        for groups in
            [format!("{{ {end} }}\n"), format!("group(\"a\", #{{ rule: |node| {{ {end} }}, classes: #{{}} }});\n")]
        {
            site.write("groups.rhai", format!("group(\"b\", #{{ classes: #{{}} }});\n{groups}"));
            site.run(&["compile", "n", "--enc", "groups.rhai", "--isolate-scripts"]).expect(1, "error[SCRIPT_LIMIT]");
        }
    }
}

#[test]
fn a_classifier_is_ended_in_time() {
    let site = Site::new(SITE);
    for body in ["loop { }", "let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }", "throw 1"] {
        site.write("enc.rhai", format!("fn classify(node) {{ {body} }}\n"));
        let started = Instant::now();
        site.run(&["compile", "n"]).expect(1, "enc.rhai:1:");
        assert!(started.elapsed() < Duration::from_secs(15), "{body}");
    }
}

/// The lines of a file of `/proc` that say what is taken away, once they do.
#[cfg(target_os = "linux")]
fn limits(process: u32) -> Vec<String> {
    let path = format!("/proc/{process}/limits");
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let text = std::fs::read_to_string(&path).unwrap();
        let limits: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        // It is the last of them.
        if limits.iter().any(|line| line.starts_with("Max open files 4 4")) || Instant::now() > until {
            return limits;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_has_limits_on_files_processes_and_memory() {
    use std::process::Stdio;
    let mut worker = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    worker.arg("internal-worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).env_clear();
    let mut worker = worker.spawn().unwrap();
    let limits = limits(worker.id());
    worker.kill().unwrap();
    worker.wait().unwrap();
    // No number is left for a file, a connection or a pipe of its own, whatever else the kernel can do.
    for limit in ["Max open files 4 4", "Max file size 0 0", "Max processes 0 0", "Max core file size 0 0"] {
        assert!(limits.iter().any(|line| line.starts_with(limit)), "{limit}: {limits:#?}");
    }
    assert!(!limits.iter().any(|line| line.starts_with("Max address space unlimited")), "{limits:#?}");
}

/// The worker that a process has started.
#[cfg(target_os = "linux")]
fn worker_of(parent: u32) -> Option<u32> {
    let is_worker = |process: &u32| {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
        // A process that has ended has no arguments, also before its parent asks for its status.
        let is_one = read("cmdline").split('\0').any(|argument| argument == "internal-worker");
        is_one && read("status").lines().any(|line| line.split_whitespace().eq(["PPid:", &parent.to_string()]))
    };
    let names = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).find(is_worker)
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_ends_with_a_parent_that_is_killed() {
    // Its steps are so slow that only the limit of 5 s would end it.
    let script = "fn f() { let s = \"x\"; while s.len < 500000 { s += s; } loop { let t = s + \"y\"; } }";
    let site =
        Site::new(&[("site.pp", "m::f()"), ("nodes/n.json", "{}"), ("modules/m/scripts/functions/f.rhai", script)]);
    let mut command = site.command(&["compile", "n", "-o", "out/", "--isolate-scripts"]);
    let null = std::process::Stdio::null;
    let mut parent = command.stdin(null()).stdout(null()).stderr(null()).spawn().unwrap();
    let started = Instant::now();
    let worker = loop {
        match worker_of(parent.id()) {
            Some(worker) => break worker,
            None => assert!(started.elapsed() < Duration::from_secs(60), "no worker"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let _ = limits(worker);
    // By now it runs the script.
    std::thread::sleep(Duration::from_millis(200));
    // SIGKILL.
    parent.kill().unwrap();
    parent.wait().unwrap();
    let killed = Instant::now();
    let cmdline = format!("/proc/{worker}/cmdline");
    while std::fs::read_to_string(&cmdline).is_ok_and(|text| text.contains("internal-worker")) {
        assert!(killed.elapsed() < Duration::from_secs(2), "the worker still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}
