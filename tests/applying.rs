//! `catwalk apply` as a command: plans, hostile catalogs, signals.

mod deferred;
mod devices;

use crate::support::Run;
use crate::support::Site;

/// Puppet 7.23 writes the same file and message.
#[test]
fn deferred_functions_are_called_when_their_resource_is_applied() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let file = site.path().join("f");
    let code = format!(
        "file {{ '{}': content => Deferred('sprintf', ['%s-%d', 'x', 3]) }} notify {{ 'n': message => Deferred('join', [['a', 'b'], '+']) }}",
        file.display()
    );
    let output = site.command(&["apply", "--site", ".", "-e", &code]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x-3");
    assert!(String::from_utf8_lossy(&output.stdout).contains("defined 'message' as 'a+b'"));
}

/// Runs without a site, as a build server does.
fn plan(site: &Site, code: &str, option: &str) -> Run {
    let mut command = site.command(&["apply", "--site", ".", "-e", code, option, "plan.json"]);
    let output = command.env("CI", "true").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn a_plan_is_applied_once_and_refused_when_anything_has_changed() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let file = site.path().join("f");
    let code = |secret: &str| format!("file {{ '{}': content => Sensitive('{secret}') }}", file.display());
    plan(&site, &code("first secret"), "--plan").expect(0, "");
    assert!(!file.exists());
    let written = std::fs::read_to_string(site.path().join("plan.json")).unwrap();
    assert!(!written.contains("first secret"), "{written}");
    plan(&site, &code("other secret"), "--apply-plan").expect(1, "the plan cannot be applied");
    assert!(!file.exists(), "a changed secret");
    site.write("plan.json", written.replace("\"property\"", "\"propertx\""));
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "plan.json: a change without the string property");
    site.write("plan.json", &written);
    site.write("f", "x");
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "the plan cannot be applied");
    site.remove("f");
    plan(&site, &code("first secret"), "--apply-plan").expect(2, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "first secret");
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "the plan cannot be applied");
}

#[test]
fn hostile_catalogs_are_refused_with_a_reason() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = ["", "{", "[]", "null", "{\"resources\": 3}", "{\"catalog_format\": 99}", &deep];
    for text in cases {
        site.write("catalog.json", text);
        let run = site.run(&["apply", "--catalog", "catalog.json"]).expect(1, "catalog.json");
        assert!(!run.stderr.contains("panicked"), "{run:#?}");
    }
    site.run(&["apply", "--catalog", "none.json"]).expect(1, "none.json");
}

/// A catalog whose resources are the class main in the stage main and these.
fn catalog(resources: &str, edges: &str) -> String {
    let main = r#"{"type": "Stage", "title": "main"}, {"type": "Class", "title": "main"}"#;
    format!(r#"{{"name": "x", "version": 1, "resources": [{main}, {resources}], "edges": [{edges}]}}"#)
}

/// Each catalog is refused, and nothing of it is applied, with this message.
const WRONG_CATALOGS: [(&str, &str, &str); 26] = [
    (r#"7"#, "", "a resource is not a hash"),
    (r#"{"title": "a"}"#, "", "a resource without type"),
    (r#"{"type": 5, "title": "a"}"#, "", "type is not a string"),
    (r#"{"type": "notify thing", "title": "a"}"#, "", "notify thing[a]: its type is not the name of a resource type"),
    (r#"{"type": "", "title": "a"}"#, "", "[a]: its type is not the name of a resource type"),
    (r#"{"type": "Notify", "title": 5}"#, "", "title is not a string"),
    (r#"{"type": "Notify"}"#, "", "a resource of type Notify without title"),
    (r#"{"type": "Notify", "title": "a", "tags": 5}"#, "", "Notify[a]: tags is not an array"),
    (r#"{"type": "Notify", "title": "a", "tags": [5]}"#, "", "Notify[a]: tags is not an array of strings"),
    (r#"{"type": "Notify", "title": "a", "tags": ["a b"]}"#, "", "Notify[a]: the tag a b is not valid"),
    (r#"{"type": "Notify", "title": "a", "parameters": []}"#, "", "Notify[a]: parameters is not a hash"),
    (r#"{"type": "Notify", "title": "a", "line": "x"}"#, "", "Notify[a]: line is not a line number"),
    (r#"{"type": "Notify", "title": "a", "file": 4}"#, "", "Notify[a]: file is not a string"),
    (r#"{"type": "Notify", "title": "a", "exported": "no"}"#, "", "Notify[a]: exported is not a boolean"),
    (r#"{"type": "Notify", "title": "a", "sensitive_parameters": 7}"#, "", "sensitive_parameters is not an array"),
    (
        r#"{"type": "Notify", "title": "a", "parameters": {"message": {"__ptype": "Zork", "__pvalue": 3}}}"#,
        "",
        "Notify[a]: message: values of type Zork are not supported in catalogs that are read",
    ),
    (
        r#"{"type": "Notify", "title": "a"}, {"type": "Notify", "title": "a"}"#,
        "",
        "/resources/3: Notify[a] is already declared at /resources/2",
    ),
    (
        r#"{"type": "File", "title": "/x"}, {"type": "File", "title": "b", "parameters": {"path": "/x"}}"#,
        "",
        "Cannot alias File[b] to File[/x], which is already declared",
    ),
    (r#"{"type": "Notify", "title": "a"}"#, r#"7"#, "an edge without source"),
    (r#"{"type": "Notify", "title": "a"}"#, r#"{"source": "Class[main]"}"#, "an edge without target"),
    (
        r#"{"type": "Notify", "title": "a"}"#,
        r#"{"source": "Class[main]", "target": "Notify[b]"}"#,
        "Notify[b] is not a resource of the catalog",
    ),
    (
        r#"{"type": "Notify", "title": "a"}"#,
        r#"{"source": "Class[main]", "target": "Stage[main]"}, {"source": "Stage[main]", "target": "Class[main]"}"#,
        "(Class[Main] => Stage[main] => Class[Main])",
    ),
    (
        r#"{"type": "Notify", "title": "a", "parameters": {"require": "Notify[b]"}},
           {"type": "Notify", "title": "b", "parameters": {"require": "Notify[a]"}}"#,
        "",
        "(Notify[a] => Notify[b] => Notify[a])",
    ),
    // Puppet 7.23 refuses these two with the same words.
    (
        r#"{"type": "Notify", "title": "a", "parameters": {"require": 7}}"#,
        "",
        "Parameter require failed on Notify[a]: No title provided and 7 is not a valid resource reference",
    ),
    (
        r#"{"type": "Notify", "title": "a", "parameters": {"require": "Notify[zz]"}}"#,
        "",
        "Could not find dependency Notify[zz] for Notify[a]",
    ),
    (
        r#"{"type": "File", "title": "/x", "parameters": {"mode": [7]}}"#,
        "",
        "Parameter mode failed on File[/x]: The file mode specification must be a string, not 'Array'",
    ),
];

#[test]
fn wrong_catalogs_are_refused_at_the_member_that_is_wrong() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let wrong: Vec<String> = WRONG_CATALOGS
        .iter()
        .filter_map(|(resources, edges, message)| {
            site.write("catalog.json", catalog(resources, edges));
            let run = site.run(&["apply", "--catalog", "catalog.json"]);
            let is_refused = run.code == Some(1) && run.stderr.contains(message) && !run.stdout.contains("Notify[a]");
            (!is_refused).then(|| format!("{resources} {edges}: {message}\n{run:#?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (text, message) in [
        (r#"{"name": 7, "resources": []}"#, "not a catalog: name is not a string"),
        (r#"{"name": "x", "resources": {}}"#, "not a catalog: resources is missing, or not an array"),
        (r#"{"name": "x", "resources": [], "edges": {}}"#, "not a catalog: edges is not an array"),
        (r#"{"name": "x", "resources": [], "version": []}"#, "not a catalog: version is neither a number nor a string"),
        (r#"{"name": "x", "resources": [], "classes": [5]}"#, "not a catalog: classes is not an array of strings"),
        (r#"{"name": "x", "resources": [], "environment": {}}"#, "not a catalog: environment is not a string"),
    ] {
        site.write("catalog.json", text);
        site.run(&["apply", "--catalog", "catalog.json", "--report", "report.json"]).expect(1, message);
        let report = std::fs::read_to_string(site.path().join("report.json")).unwrap();
        assert!(report.contains(message), "{message}: {report}");
    }
}

/// Whether this process was started with a signal switched off, as by `nohup` or in the background of a script: so are its children.
fn is_ignored(signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim();
    u64::from_str_radix(digits, 16).unwrap_or(0) >> (signal.as_raw() - 1) & 1 == 1
}

/// A manifest whose first resource takes a while.
fn slow_manifest(site: &Site) -> String {
    let root = site.path().display();
    format!(
        "exec {{ 'slow': command => '/bin/sh -c \"touch {root}/begun; sleep 2; touch {root}/done\"' }}
         -> file {{ '{root}/late': content => 'x' }}"
    )
}

/// Runs a manifest, and sends these signals when the file `begun` exists: exit code or signal, output.
fn interrupted(site: &Site, code: &str, signals: &[rustix::process::Signal]) -> (Option<i32>, String) {
    use std::os::unix::process::ExitStatusExt;
    for name in ["begun", "done", "late", "report.json"] {
        let _ = std::fs::remove_file(site.path().join(name));
    }
    let mut command = site.command(&["apply", "--site", ".", "--report", "report.json", "-e", code]);
    let piped = std::process::Stdio::piped;
    let mut child = command.stdout(piped()).stderr(piped()).spawn().unwrap();
    while !site.path().join("begun").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for signal in signals {
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, *signal).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().or(output.status.signal()), text)
}

#[test]
fn the_first_signal_ends_a_run_after_the_running_resource_and_the_second_at_once() {
    use rustix::process::Signal;
    let site = Site::new(&[("catwalk.toml", "")]);
    let exists = |name: &str| site.path().join(name).exists();
    for signal in [Signal::INT, Signal::TERM].into_iter().filter(|signal| !is_ignored(*signal)) {
        let (code, text) = interrupted(&site, &slow_manifest(&site), &[signal]);
        assert_eq!(code, Some(1), "{text}");
        for line in [
            "the run ends after the current resource; a second signal ends it at once",
            "Notice: /Stage[main]/Main/Exec[slow]/returns: executed successfully",
            "Warning: interrupted: the remaining resources were not applied",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(exists("done") && !exists("late"));
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(site.path().join("report.json")).unwrap()).unwrap();
        let statuses = &report["resource_statuses"];
        let late = format!("File[{}]", site.path().join("late").display());
        assert_eq!((&statuses["Exec[slow]"]["changed"], &statuses[&late]["skipped"]), (&true.into(), &true.into()));
    }
    let (signal, text) = interrupted(&site, &slow_manifest(&site), &[Signal::TERM, Signal::TERM]);
    assert_eq!(signal, Some(Signal::TERM.as_raw()), "{text}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(!exists("done"), "the command is killed, too");
}

#[test]
fn a_signal_while_the_machine_is_read_ends_the_run_with_a_report() {
    use rustix::process::Signal;
    let site = Site::new(&[
        ("scripts/types/lamp.rhai", &devices::TYPE.replace("knob", "lamp").replace("[\"remote_resource\"]", "[]")),
        ("catwalk.toml", ""),
    ]);
    let begun = site.path().join("begun").display().to_string();
    site.write(
        "scripts/providers/lamp.rhai",
        format!("fn get(context) {{ file_write(\"{begun}\", \"\"); run([\"/bin/sleep\", \"2\"]); [] }}\nfn set(context, changes) {{ }}\n"),
    );
    // The instances to purge are read before the first resource is applied.
    let code = "resources { 'lamp': purge => true } notify { 'a': }";
    for signal in [Signal::INT, Signal::TERM].into_iter().filter(|signal| !is_ignored(*signal)) {
        let (code, text) = interrupted(&site, code, &[signal]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("Warning: interrupted: the remaining resources were not applied"), "{text}");
        let report = std::fs::read(site.path().join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["resource_statuses"]["Notify[a]"]["skipped"], true, "{text}");
    }
}

#[test]
fn a_provider_that_takes_too_long_ends_the_run() {
    let site = Site::new(&[
        (
            "scripts/types/lamp.rhai",
            &devices::TYPE.replace("knob", "lamp").replace("features: [\"remote_resource\"],", ""),
        ),
        ("scripts/providers/lamp.rhai", "fn get(context) { loop { } }\nfn set(context, changes) { }\n"),
        ("catwalk.toml", ""),
    ]);
    let code = "notify { 'before': } -> lamp { 'a': } -> notify { 'after': } notify { 'unrelated': }";
    let run = site.run(&["apply", "--timeout-provider", "0.5", "-e", code, "--report", "report.json"]);
    let run = run.expect(1, "Error: Could not run: ");
    assert!(run.stdout.contains("defined 'message' as 'before'"), "{run:#?}");
    assert!(!run.stdout.contains("'after'") && !run.stdout.contains("'unrelated'"), "{run:#?}");
    assert!(site.path().join("report.json").exists());
}

const NODES: &str = r"
node default { notify { 'default': message => $facts['kernel'] } }
node 'other.example.com' { notify { 'other': message => $facts['kernel'] } }
";

/// Puppet 7.23 applies the same: the facts are those of the machine, also with `--certname`.
#[test]
fn without_arguments_the_node_is_this_machine() {
    let site = Site::new(&[
        ("site.pp", NODES),
        ("nodes/other.example.com.json", r#"{"kernel": "Plan9"}"#),
        ("nodes/web1.example.com.json", r#"{"kernel": "Plan9"}"#),
    ]);
    let run = site.run(&["apply", "--noop"]).expect(0, "");
    assert!(run.stdout.contains("Notify[default]/message: defined 'message' as 'Linux' (noop)"), "{run:#?}");
    let run = site.run(&["apply", "--noop", "--certname", "other.example.com"]).expect(0, "");
    assert!(run.stdout.contains("Notify[other]/message: defined 'message' as 'Linux' (noop)"), "{run:#?}");
    let run = site.run(&["apply", "--noop", "--facts", "nodes/other.example.com.json"]).expect(0, "");
    assert!(run.stdout.contains("Notify[default]/message: defined 'message' as 'Plan9' (noop)"), "{run:#?}");
}

/// What it reports depends on the machine: here only that it does what the README shows.
#[test]
fn the_sample_site_is_applied_without_arguments() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("\n$ catwalk apply --noop\n"));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    let output = command.args(["apply", "--noop"]).current_dir(root).env("NO_COLOR", "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["Notice: Compiled catalog for ", " (noop)\n", "Notice: Applied catalog in "] {
        assert!(text.contains(part), "{part}: {output:#?}");
    }
    // Packages and services of other systems have no provider.
    let has_apt = std::path::Path::new("/etc/debian_version").exists();
    assert!(output.status.code() == Some(0) || !has_apt, "{output:#?}");
}
