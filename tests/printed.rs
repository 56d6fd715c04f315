//! Strings of manifests, data, requests and file names in output: whatever they contain, they forge no line of a log, control no terminal,
//! run no command of a build server, and notify nobody in a comment.

use std::path::Path;

use serde_json::json;

use crate::support::Site;
use crate::support::agent::Connection;
use crate::support::agent::ServerRun;

/// Parts of hostile strings, each with a letter that names it in failures.
const HOSTILE: [(&str, &str); 9] = [
    ("a line of apply", "x\nNotice: FORGED"),
    ("a line of compile", "x\nnotice: FORGED\nerror[RUNTIME_ERROR]: FORGED\nwarning: FORGED"),
    ("a line of serve", "x\n127.0.0.1 FORGED GET / 200 1.0 ms\nFORGED: certificate signed\n"),
    ("carriage returns", "x\rNotice: FORGED\r\n"),
    ("separators of lines", "x\u{2028}Notice: FORGED\u{85}Notice: FORGED\u{b}\u{c}Notice: FORGED"),
    ("a terminal's commands", "x\u{1b}[2J\u{1b}]0;FORGED\u{7}\u{9b}31m\u{8}\u{7f}"),
    ("directions", "x\u{202e}FORGED\u{2066}\u{200f}\u{61c}"),
    (
        "commands of build servers",
        "x\n::error file=a::FORGED\n \t::add-mask::FORGED\n##[error]FORGED ##vso[task.setvariable]FORGED",
    ),
    ("Markdown", "x\n````\n# FORGED\n@FORGED <b>FORGED</b> [FORGED](http://x)"),
];

/// Fails if output for people contains a line that a string has forged, or a character that is interpreted.
fn check(place: &str, kind: &str, text: &str) {
    let fail = |why: &str, line: &str| panic!("{place} with {kind}: {why}: {line:?}\n{text}");
    for line in text.split('\n') {
        let start = [
            "Notice: FORGED",
            "notice: FORGED",
            "error[RUNTIME_ERROR]: FORGED",
            "warning: FORGED",
            "127.0.0.1 FORGED",
            "FORGED: ",
        ];
        // Lines of a server's log do not appear in the output of a run, which is Puppet's.
        let is_of_run = place.starts_with("apply") || place.starts_with("resource");
        let is_of_server = |start: &&&str| !["127.0.0.1 FORGED", "FORGED: "].contains(*start);
        if start.iter().filter(|start| !is_of_run || is_of_server(start)).any(|start| line.starts_with(start)) {
            fail("a forged line", line);
        }
        if line.trim_start().starts_with("::error") || line.trim_start().starts_with("::add-mask") {
            fail("a command of GitHub's runner", line);
        }
        if line.contains("##[error]") || line.contains("##vso[") {
            fail("a command of a build server", line);
        }
        if let Some(found) = line.chars().find(|c| is_interpreted(*c)) {
            fail(&format!("the character {found:?}"), line);
        }
    }
}

fn is_interpreted(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\t') || is_direction
}

/// Fails if Markdown outside of code contains something that a hostile string wrote.
fn check_markdown(place: &str, kind: &str, text: &str) {
    check(place, kind, text);
    let mut fence: Option<&str> = None;
    for line in text.split('\n') {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => continue,
            None if ticks >= 3 => fence = line.get(..ticks),
            None => {
                let outside: String = line.split('`').step_by(2).collect();
                for sign in ["@FORGED", "<b>", "](http"] {
                    assert!(!outside.contains(sign), "{place} with {kind}: {line:?}\n{text}");
                }
                assert!(!line.starts_with("# FORGED"), "{place} with {kind}: {line:?}\n{text}");
            }
        }
    }
    assert!(fence.is_none(), "{place} with {kind}: the block does not end\n{text}");
}

const CODE: &str = "$t = $facts['text']
notice(\"said ${t}\")
warning($t)
info($t)
notify { \"title ${t}\": message => \"message ${t}\" }
class c($t) { notify { \"in ${t}\": require => Notify[\"title ${t}\"] } }
class { 'c': t => $t }
";

fn site(text: &str) -> Site {
    let facts = json!({"text": text, "who": "me"}).to_string();
    Site::new(&[
        ("site.pp", CODE),
        ("fails.pp", "fail($facts['text'])"),
        ("duplicate.pp", "notify { $facts['text']: }\nnotify { $facts['text']: }"),
        ("missing.pp", "notify { 'x': require => File[$facts['text']] }"),
        ("changed.pp", &CODE.replace("message ", "changed ").replace("title ", "other ")),
        ("nodes/a.example.com.json", &facts),
    ])
}

/// All hostile strings as one.
fn all() -> String {
    HOSTILE.map(|(_, text)| text).join("\n")
}

/// The output of each command that prints strings of a site.
#[test]
fn commands_print_hostile_strings_harmlessly() {
    let node = "a.example.com";
    let facts = ["--facts", "nodes/a.example.com.json"];
    let commands: [&[&str]; 13] = [
        &["compile", node, "-v", "-o", "out.json"],
        &["compile", node, "--manifest", "fails.pp"],
        &["compile", node, "--manifest", "duplicate.pp"],
        &["compile", node, "--manifest", "missing.pp"],
        &["eval", "-e", "notice($facts['text'])", facts[0], facts[1]],
        &["eval", "-e", "fail($facts['text'])", facts[0], facts[1]],
        &["apply", "--noop", "--certname", node, "site.pp", facts[0], facts[1]],
        &["apply", "--noop", "--certname", node, "fails.pp", facts[0], facts[1]],
        &["apply", "--certname", node, "site.pp", facts[0], facts[1]],
        &["show", node],
        &["show", node, "Class[C]"],
        &["test"],
        &["test", "-v"],
    ];
    let site = site(&all());
    for command in commands {
        let run = site.run(command);
        let place = command.join(" ");
        check(&place, "all", &run.stdout);
        check(&place, "all", &run.stderr);
        assert!(run.code.is_some_and(|code| code < 100), "{run:?}");
        let is_shown = [&run.stdout, &run.stderr].iter().any(|text| text.contains("FORGED"));
        assert!(is_shown || place.starts_with("test"), "{place}: {run:?}");
    }
}

#[test]
fn json_has_an_object_on_each_line() {
    let site = site(&all());
    let run = site.run(&["compile", "a.example.com", "--log-format", "json", "-v", "-o", "out.json"]).expect(0, "");
    let mut said = 0;
    for line in run.stderr.lines() {
        check("compile --log-format json", "all", line);
        let object: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        said += usize::from(object["message"] == format!("said {}", all()));
    }
    assert_eq!(said, 1, "{}", run.stderr);
}

/// Differences for people and for a comment on a pull request; names of nodes and files come from a repository, too.
#[test]
fn comparisons_print_hostile_strings_harmlessly() {
    let site = site(&all());
    for (_, text) in HOSTILE {
        let name = text.replace('/', "_");
        site.write(&format!("nodes/{name}.json"), json!({"text": text}).to_string());
    }
    site.run(&["test", "--accept"]);
    let changed = CODE.replace("message ", "changed ").replace("title ", "other ");
    site.write("site.pp", &changed);
    for arguments in [&["test"][..], &["test", "-v"], &["snapshot", "list"], &["node", "list"]] {
        let run = site.run(arguments);
        check(&arguments.join(" "), "all", &run.stdout);
        check(&arguments.join(" "), "all", &run.stderr);
    }
    site.run(&["test", "--markdown", "report.md"]);
    check_markdown("test --markdown", "all", &std::fs::read_to_string(site.path().join("report.md")).unwrap());
    site.write("site.pp", CODE);
    site.run(&["compile", "-o", "old/"]);
    site.write("site.pp", changed);
    for format in ["human", "markdown"] {
        let run = site.run(&["diff", "--against", "old", "--format", format]);
        assert!(run.stdout.contains("FORGED"), "{run:?}");
        check(&format!("diff {format}"), "all", &run.stdout);
        check(&format!("diff {format}"), "all", &run.stderr);
        if format == "markdown" {
            check_markdown("diff", "all", &run.stdout);
        }
    }
}

/// Git allows newlines and escape sequences in names of files.
#[test]
fn names_of_files_are_printed_harmlessly() {
    let site = Site::new(&[("site.pp", "include m\n"), ("nodes/a.json", "{}")]);
    let names = HOSTILE.map(|(_, text)| format!("{}.pp", text.replace('/', "_")));
    for name in &names {
        site.write(&format!("manifests/{name}"), "notify { 'x': nosuch => 1 }\n$x = $nosuch\n");
        site.write(&format!("broken/{name}"), "notify {");
    }
    let mut commands: Vec<Vec<String>> = [
        &["check", "."][..],
        &["check", "broken", "--format", "sarif"],
        &["compile", "a", "--manifest", "manifests"],
        &["compile", "a", "--manifest", "broken"],
    ]
    .map(|words| words.iter().map(|word| (*word).to_owned()).collect())
    .to_vec();
    commands.extend(names.iter().map(|name| vec!["parse".to_owned(), format!("broken/{name}")]));
    for command in commands {
        let run = site.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        check(&command[0], "all", &run.stderr);
        check(&command[0], "all", &run.stdout);
    }
}

/// Certificate requests that `tests/server/make-hostile` has made; names that an operator or a script passes on.
#[test]
fn certificate_requests_are_printed_harmlessly() {
    let site = Site::empty();
    let csr = |name: &str| {
        let path = format!("{}/tests/server/{name}.csr.pem", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    site.run(&["ca", "setup", "--cadir", "ca", "--certname", "puppet", "--key-type", "p256"]).expect(0, "");
    site.write("ca/requests/hostile.example.com.pem", csr("hostile"));
    site.write("ca/requests/other.pem", csr("hostile-name"));
    let long = "y".repeat(100_000);
    let names: Vec<&str> = HOSTILE.iter().map(|(_, text)| *text).chain([long.as_str()]).collect();
    for name in &names {
        let _ = std::fs::write(site.path().join("ca/requests").join(format!("{}.pem", name.replace('/', "_"))), "x");
    }
    let options = [&["--all"][..], &["--all", "--format", "json"], &["--certname", "hostile.example.com"]];
    let mut commands: Vec<Vec<&str>> = options.map(|options| [&["ca", "list"], options].concat()).to_vec();
    commands.push(vec!["ca", "sign", "--all"]);
    for action in ["list", "sign", "revoke", "clean", "renew", "generate"] {
        for name in &names {
            commands.push(vec!["ca", action, "--certname", name]);
        }
    }
    let mut shown = 0;
    for mut command in commands {
        command.extend(["--cadir", "ca"]);
        if command[1] == "generate" {
            command.extend(["--ssldir", "ssl", "--key-type", "p256"]);
        }
        let run = site.run(&command);
        let place = format!("ca {}", command[1]);
        check(&place, "requests", &run.stdout);
        check(&place, "requests", &run.stderr);
        assert!(run.code.is_some_and(|code| code < 100), "{run:?}");
        shown += usize::from(run.stdout.contains("FORGED") || run.stderr.contains("FORGED"));
    }
    assert!(shown > 40, "{shown}");
}

/// The log of a server contains what facts, paths and headers of requests contain.
#[test]
fn a_server_logs_hostile_strings_harmlessly() {
    let site = site("x");
    let server = ServerRun::start(&site, &["-v", "--deployer", "a.example.com"]);
    let agent = server.first_contact("a.example.com");
    let mut connection = Connection::open(&server, Some(&agent));
    for (name, path) in [("hostile", "hostile.example.com"), ("hostile-name", "x")] {
        let csr = std::fs::read(format!("{}/tests/server/{name}.csr.pem", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let path = format!("/puppet-ca/v1/certificate_request/{path}");
        assert_eq!(connection.send("PUT", &path, "text/plain", &csr).status, 400);
    }
    for (_, text) in HOSTILE {
        connection.catalog("a.example.com", "production", &json!({"text": text}));
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        connection.get(&format!("/puppet/v3/file_content/modules/{encoded}?environment={encoded}"));
        let cache = format!("/puppet-admin-api/v1/environment-cache?environment={encoded}");
        assert_eq!(connection.send("DELETE", &cache, "application/json", b"").status, 204);
        let report = json!({"host": "a.example.com", "status": text}).to_string();
        let path = "/puppet/v3/report/a.example.com?environment=production";
        connection.send("PUT", path, "application/json", report.as_bytes());
    }
    let figures = connection.get("/metrics").text();
    assert!(!figures.contains("FORGED"), "environments that do not exist have no figures: {figures}");
    let end = "/status/v1/simple/end";
    connection.get(end);
    let started = std::time::Instant::now();
    while !server.printed().contains(end) {
        assert!(started.elapsed() < crate::support::running::PATIENCE, "{}", server.printed());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let log = server.printed();
    assert!(log.contains("said x"), "{log}");
    assert!(log.contains("CSR 'hostile.example.com' contains extra subject alternative names"), "{log}");
    assert!(log.contains("more bytes)"), "long names are shortened: {log}");
    check("serve", "all", &log);
}

/// The files that print without `Logger`, `ConsoleLog` or `compile::print`, after making control characters visible.
const PRINTING: [&str; 4] =
    ["cli/signals.rs", "cli/commands/apply/interrupt.rs", "cli/commands/parse.rs", "cli/commands/check.rs"];

#[test]
fn output_is_written_in_few_places() {
    let mut wrong = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catwalk")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let prints = ["println!(", " print!(", "eprint!("].iter().any(|call| text.contains(call));
            if prints && !PRINTING.iter().any(|end| path.ends_with(end)) {
                wrong.push(path);
            }
        }
    }
    assert!(wrong.is_empty(), "print through Logger, ConsoleLog or compile::print: {wrong:#?}");
}
