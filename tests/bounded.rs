//! What a site's files cannot do to the machine: hang it, fill its memory, leave processes behind.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::support::METADATA;
use crate::support::Site;

/// The longest that any run here may take, on a slow machine that does other things, too.
const LONG: Duration = Duration::from_secs(30);

/// What a run printed, and its exit code; a run that does not end is killed and fails.
fn run(site: &Site, args: &[&str]) -> (Option<i32>, String) {
    let limited = "ulimit -v 4000000; exec \"$0\" \"$@\"";
    let (out, err) = (site.path().join("stdout"), site.path().join("stderr"));
    let create = |path: &Path| std::fs::File::create(path).unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_catwalk")]).args(args).current_dir(site.path());
    command.env("NO_COLOR", "1").env("HOME", site.path()).env_remove("CI").stdin(Stdio::null());
    let mut child = command.stdout(create(&out)).stderr(create(&err)).spawn().unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LONG {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} does not end: {}", std::fs::read_to_string(&err).unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    (status.code(), format!("{}{}", text(&out), text(&err)))
}

const HIERA: &str = "version: 5\nhierarchy: [{name: d, path: d.yaml}]\n";

fn site() -> Site {
    Site::new(&[
        (
            "catwalk.toml",
            "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nsnapshots = \"snapshots\"\n",
        ),
        ("site.pp", "include m\n"),
        ("nodes/a.json", "{}"),
        ("hiera.yaml", HIERA),
        ("data/d.yaml", "k: v\n"),
        ("modules/m/manifests/init.pp", "class m { notify { lookup('k', default_value => 'x'): } }\n"),
        ("modules/m/files/f", "f"),
        ("modules/m/templates/t.epp", "t"),
        ("modules/m/templates/t.erb", "t"),
        (
            "modules/m/lib/puppet/functions/m/f.rb",
            "Puppet::Functions.create_function(:'m::f') do\n def f; 1; end\nend\n",
        ),
        ("scripts/s.rhai", "fn x() { 1 }"),
    ])
}

/// Files of a site, and a command that reads each.
const READ: &[(&str, &[&str])] = &[
    ("site.pp", &["compile", "a"]),
    ("modules/m/manifests/init.pp", &["compile", "a"]),
    ("modules/m/manifests/init.pp", &["check", "modules"]),
    ("nodes/a.json", &["compile", "a"]),
    ("hiera.yaml", &["compile", "a"]),
    ("data/d.yaml", &["compile", "a"]),
    ("catwalk.toml", &["compile", "a"]),
    ("environment.conf", &["compile", "a"]),
    ("modules/m/metadata.json", &["compile", "a"]),
    ("modules/m/files/f", &["eval", "-e", "file('m/f')"]),
    ("modules/m/templates/t.epp", &["eval", "-e", "epp('m/t.epp')"]),
    ("modules/m/templates/t.erb", &["eval", "-e", "template('m/t.erb')"]),
    ("modules/m/lib/puppet/functions/m/f.rb", &["eval", "-e", "m::f()"]),
    ("kept/a.json", &["diff", "--against", "kept"]),
    ("tape/nodes/a.json", &["compile", "a", "--replay", "tape"]),
    ("snapshots/a.snap", &["test"]),
];

/// Replaces a file with a pipe, a device, a socket or a large file.
fn create_special_file(site: &Site, path: &str, kind: &str) {
    let at = site.path().join(path);
    let _ = std::fs::remove_file(&at);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    match kind {
        "pipe" => assert!(std::process::Command::new("mkfifo").arg(&at).status().unwrap().success()),
        "device" => std::os::unix::fs::symlink("/dev/zero", &at).unwrap(),
        "socket" => drop(std::os::unix::net::UnixListener::bind(&at).unwrap()),
        "large file" => std::fs::File::create(&at).unwrap().set_len(500 << 20).unwrap(),
        other => panic!("{other}"),
    }
}

#[test]
fn only_regular_files_of_a_bounded_size_are_read() {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let kinds = [
        ("pipe", "it is a pipe"),
        ("device", "it is a device"),
        ("socket", "not a regular file"),
        ("large file", "larger than 64 MiB"),
    ];
    let all: Vec<_> = READ.iter().flat_map(|read| kinds.map(|kind| (read, kind))).collect();
    let work = || {
        while let Some(((path, args), (kind, said))) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        {
            let site = site();
            create_special_file(&site, path, kind);
            // A test reads what it compares with, which it has only if a device does not count as the accepted snapshot.
            let (code, text) = run(&site, args);
            let name = path.rsplit('/').next().unwrap();
            let said = match (*path, *kind) {
                ("snapshots/a.snap", "pipe") => "it is not a regular file",
                ("snapshots/a.snap", "large file") => "larger than 256 MiB",
                // A link in a directory that Catwalk writes is not followed, but replaced.
                ("snapshots/a.snap", "device") => {
                    assert!(code == Some(1) && text.starts_with("new: a\n1 case: 1 new\n"), "{code:?}: {text}");
                    continue;
                }
                _ => *said,
            };
            assert!(matches!(code, Some(1 | 2)), "{kind} {path}: {code:?} {text}");
            assert!(text.contains(said) && text.contains(name), "{kind} {path} {args:?}: {text}");
        }
    };
    std::thread::scope(|scope| {
        (0..2).map(|_| scope.spawn(work)).collect::<Vec<_>>().into_iter().for_each(|work| work.join().unwrap())
    });
}

#[test]
fn the_limit_of_files_can_be_raised_and_lowered() {
    let site = site();
    let (code, text) = run(&site, &["compile", "a", "--limit", "file=20"]);
    assert_ne!(code, Some(0), "{text}");
    assert!(text.contains("larger than 20 bytes (raise the limit with --limit file=N"), "{text}");
    site.write("big.json", format!("{{\"x\": \"{}\"}}", "a".repeat(65 << 20)));
    let ask = ["eval", "--facts", "big.json", "-e", "$facts['x'].length", "--limit", "file=100000000"];
    assert_eq!(run(&site, &ask), (Some(0), format!("{}\n", 65 << 20)));
}

#[test]
fn devices_and_pipes_are_read_where_the_user_names_them() {
    let site = site();
    site.write("facts.json", "{\"x\": 5}");
    let shell = |line: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", line]).current_dir(site.path()).env("CATWALK", env!("CARGO_BIN_EXE_catwalk"));
        let output = command.output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    for line in [
        "cat facts.json | $CATWALK eval --facts /dev/stdin -e '$facts[\"x\"]'",
        "cat facts.json | $CATWALK eval --facts=/dev/stdin -e '$facts[\"x\"]'",
        "$CATWALK eval --facts /dev/stdin -e '$facts[\"x\"]' < facts.json",
        "cat facts.json | $CATWALK eval --facts /dev/fd/0 -e '$facts[\"x\"]'",
        "mkfifo pipe; (cat facts.json > pipe &); $CATWALK eval --facts pipe -e '$facts[\"x\"]'",
        "echo 2+3 | $CATWALK eval -",
    ] {
        assert_eq!(shell(line), "5\n", "{line}");
    }
    assert!(shell("$CATWALK eval --facts /dev/zero -e 1").contains("larger than 64 MiB"));
    assert!(shell("$CATWALK eval -e 'file(\"/dev/stdin\")' < facts.json").contains("{\"x\": 5}"), "a regular file");
    assert!(shell("cat facts.json | $CATWALK eval -e 'file(\"/dev/stdin\")'").contains("it is a pipe"));
}

#[test]
fn directories_that_links_join_are_walked_once() {
    let site = Site::new(&[
        ("catwalk.toml", "manifest = \"manifests\"\nnodes = \"nodes\"\nfacts = \"tree\"\n"),
        ("nodes/a.json", "{}"),
        ("manifests/a.pp", "notify { 'once': }\n"),
        ("data/a.yaml", "k: 1\n"),
        ("tree/31/last.pp", "notify { 'last': }\n"),
        ("hiera.yaml", "version: 5\nhierarchy: [{name: d, glob: '**/*.yaml'}]\n"),
    ]);
    let link = |target: &str, at: String| std::os::unix::fs::symlink(target, site.path().join(at)).unwrap();
    for folder in ["manifests", "data"] {
        link(".", format!("{folder}/one"));
        link(".", format!("{folder}/two"));
    }
    for n in 1..31 {
        std::fs::create_dir_all(site.path().join(format!("tree/{n}"))).unwrap();
        link(&format!("../{}", n + 1), format!("tree/{n}/one"));
        link(&format!("../{}", n + 1), format!("tree/{n}/two"));
    }
    link("../tree", "data/tree".to_owned());
    for (args, expected) in [
        (&["compile", "a"] as &[&str], "once"),
        (&["check", "tree", "manifests"], ""),
        (&["eval", "-e", "lookup('k')"], "1\n"),
        (&["facts", "list"], "debian-12"),
        (&["script", "check"], ""),
    ] {
        let (code, text) = run(&site, args);
        assert_eq!(code, Some(0), "{args:?}: {text}");
        assert!(text.contains(expected), "{args:?}: {text}");
    }
}

#[test]
fn globs_that_expand_to_too_many_paths_are_refused() {
    let many = "{a,b}".repeat(26);
    let site = site();
    for glob in [many.as_str(), "/**/**/**/*.yaml"] {
        site.write("hiera.yaml", format!("version: 5\nhierarchy: [{{name: d, glob: '{glob}'}}]\n"));
        let started = Instant::now();
        let (_, text) = run(&site, &["eval", "--time-limit", "3", "-e", "lookup('k', default_value => 1)"]);
        assert!(started.elapsed() < LONG / 2, "{glob}: {text}");
    }
    for glob in [many.as_str(), "/**/**/**/*"] {
        for code in [format!("inline_template('<%= Dir.glob(\"{glob}\").length %>')"), format!("glob('{glob}')")] {
            let (code, text) = run(&site, &["eval", "--time-limit", "3", "-e", &code]);
            assert!(matches!(code, Some(0 | 1)), "{text}");
        }
    }
}

/// Whether a process with these arguments runs.
fn is_running(argument: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let command_line = |path: &Path| std::fs::read(path.join("cmdline")).unwrap_or_default();
    let expected = format!("sleep\0{argument}\0").into_bytes();
    entries.map(|entry| command_line(&entry.path())).any(|line| line.ends_with(&expected))
}

fn executable(site: &Site, path: &str, text: &str) {
    site.write(path, text);
    std::fs::set_permissions(site.path().join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn processes_of_a_compile_end_with_its_time_limit() {
    let site = site();
    // Numbers that no other process has as its argument.
    let sleep = |n: u32| format!("sleep 4{}{n}", std::process::id());
    executable(&site, "enc", &format!("#!/bin/sh\n{}\n", sleep(1)));
    let late = "evaluation takes longer than 1 seconds, waiting for ";
    let shell = |line: String| format!("generate('/bin/sh', '-c', '{line}')");
    for (n, args, expected) in [
        (1, vec!["compile".to_owned(), "a".to_owned(), "--enc".to_owned(), "enc".to_owned()], late),
        (2, vec!["eval".to_owned(), "-e".to_owned(), shell(sleep(2))], late),
        (3, vec!["eval".to_owned(), "-e".to_owned(), shell(format!("{} & echo hi", sleep(3)))], late),
        (4, vec!["eval".to_owned(), "-e".to_owned(), shell(format!("{} >/dev/null 2>&1 & echo hi", sleep(4)))], "hi"),
        (5, vec!["eval".to_owned(), "-e".to_owned(), format!("inline_template('<%= `{}` %>')", sleep(5))], late),
        (
            6,
            vec!["eval".to_owned(), "-e".to_owned(), format!("inline_template('<%= system(\"{}\") %>')", sleep(6))],
            late,
        ),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).chain(["--time-limit", "1"]).collect();
        let (_, text) = run(&site, &args);
        assert!(text.contains(expected), "{args:?}: {text}");
        assert!(!is_running(sleep(n).trim_start_matches("sleep ")), "{args:?} left a process");
    }
    site.write("environment.conf", format!("config_version = /bin/{}\n", sleep(7)));
    let (_, text) = run(&site, &["compile", "a", "--time-limit", "1"]);
    assert!(text.contains(late), "{text}");
    assert!(!is_running(sleep(7).trim_start_matches("sleep ")));
}

#[cfg(target_os = "linux")]
#[test]
fn signals_also_end_the_processes_that_a_compile_started() {
    for (n, signal) in ["INT", "TERM", "HUP"].into_iter().enumerate() {
        let site = site();
        let sleep = format!("sleep 5{}{n}", std::process::id());
        let code = format!("generate('/bin/sh', '-c', '{sleep} & {sleep}')");
        let argument = sleep.trim_start_matches("sleep ");
        let mut command = site.command(&["eval", "-e", &code]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let wait = |expected: bool| {
            let started = Instant::now();
            while is_running(argument) != expected && started.elapsed() < LONG {
                std::thread::sleep(Duration::from_millis(10));
            }
            is_running(argument) == expected
        };
        assert!(wait(true), "{signal}: it never ran");
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert!(!status.success(), "{signal}: {status}");
        assert!(wait(false), "{signal}: it left a process");
    }
}

#[test]
fn endless_output_of_a_command_is_cut_off() {
    let site = site();
    let flood = "it printed more than 16 MiB and was stopped";
    executable(&site, "enc", "#!/bin/sh\nexec yes\n");
    executable(&site, "loud", "#!/bin/sh\nyes | head -c 3000000 >&2; yes | head -c 3000000; exit 3\n");
    for (args, expected) in [
        (&["eval", "-e", "generate('/usr/bin/env', 'yes')"] as &[&str], flood),
        (&["eval", "-e", "inline_template('<%= `yes` rescue 1 %>')"], flood),
        (&["compile", "a", "--enc", "enc"], flood),
        (&["eval", "-e", "generate('/bin/sh', '-c', 'yes | head -c 3000000; exit 3')"], "more bytes)"),
        (&["compile", "a", "--enc", "loud"], "more bytes)"),
    ] {
        let (code, text) = run(&site, args);
        assert_eq!(code, Some(1), "{args:?}: {text}");
        assert!(text.contains(expected), "{args:?}: {text}");
        assert!(text.lines().map(|line| line.trim().len()).sum::<usize>() < 5000, "{args:?}: {text}");
    }
    site.write("environment.conf", "config_version = /usr/bin/env yes\n");
    let (code, text) = run(&site, &["compile", "a"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(flood), "{text}");
}

#[test]
fn long_input_and_output_pass_through_commands() {
    let site = site();
    let code = "require \"open3\"; out, status = Open3.capture2(\"cat\", stdin_data: \"x\" * 3000000)";
    let (_, text) = run(&site, &["eval", "-e", &format!("inline_template('<% {code} %><%= out.length %>')")]);
    assert_eq!(text, "'3000000'\n");
    let code = "require \"open3\"; out, status = Open3.capture2(\"true\", stdin_data: \"x\" * 3000000)";
    let (_, text) = run(&site, &["eval", "-e", &format!("inline_template('<% {code} %><%= out.length %>')")]);
    assert_eq!(text, "'0'\n");
}

#[test]
fn long_inputs_end_by_themselves_or_with_the_time_limit() {
    let site = site();
    site.write("metadata.json", METADATA);
    let list = |n: usize, piece: &dyn Fn(usize) -> String| (0..n).map(piece).collect::<Vec<_>>().join(", ");
    let enums = list(30_000, &|n| format!("Enum['a{n}']"));
    let resources: String = (0..5000).map(|n| format!("@notify {{ 'n{n}': tag => 't{n}' }}\n")).collect();
    let collectors: String = (0..5000).map(|n| format!("Notify <| tag == 't{n}' |>\n")).collect();
    let ranges = (0..30_000).map(|n| format!("1.{n}.0")).collect::<Vec<_>>().join(" || ");
    for code in [
        format!("Variant[{enums}] < Variant[{enums}, Integer]"),
        format!("{resources}{collectors}"),
        format!("SemVerRange('{ranges}')"),
        format!(
            "type T0 = Integer\n{}\n1 =~ T30000",
            (0..30_000).map(|n| format!("type T{} = Optional[T{n}]\n", n + 1)).collect::<String>()
        ),
    ] {
        site.write("code.pp", &code);
        let started = Instant::now();
        let (code, text) =
            run(&site, &["compile", "a", "--manifest", "code.pp", "--time-limit", "2", "--output", "out.json"]);
        assert!(matches!(code, Some(0 | 1)), "{}", text.chars().take(500).collect::<String>());
        assert!(started.elapsed() < LONG / 2, "{}", text.chars().take(500).collect::<String>());
    }
}
