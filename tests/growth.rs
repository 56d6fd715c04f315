//! Growth: input of any kind that is four times as long takes at most five times the processor time and memory.
//!
//! In: a table of generators. Each runs at `n` and at `4n`; the cost of a start without input is taken off, and the best of
//! several tries counts, so that a loaded machine fails nothing.

use std::process::Child;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

/// What a run took.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Processor time.
    time: Duration,
    /// Most memory at once, in kB.
    memory: u64,
}

/// Files, and the command line that reads them.
type Case = (Vec<(&'static str, String)>, &'static [&'static str]);

/// What grows: a name, the size of the smaller run, and the input of a size.
type Kind = (&'static str, usize, fn(usize) -> Case);

const EVAL: &[&str] = &["eval", "code.pp", "--time-limit", "100"];
const CHECK: &[&str] = &["check", "code.pp"];
const COMPILE: &[&str] = &["compile", "a", "--output", "out.json", "--manifest", "code.pp", "--time-limit", "100"];
const LOOKUP: &[&str] = &["eval", "-e", "lookup('k', default_value => 1) =~ Any", "--time-limit", "100"];

/// One piece of text for each number.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect()
}

fn code(command: &'static [&'static str], text: String) -> Case {
    (vec![("code.pp", text)], command)
}

fn list(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect::<Vec<_>>().join(", ")
}

fn yaml(text: String) -> Case {
    (
        vec![("hiera.yaml", "version: 5\nhierarchy: [{name: d, path: d.yaml}]\n".to_owned()), ("data/d.yaml", text)],
        LOOKUP,
    )
}

fn hiera(kind: &str, file: &'static str, text: String) -> Case {
    let name = file.trim_start_matches("data/");
    let config = format!("version: 5\nhierarchy: [{{name: d, path: {name}, data_hash: {kind}}}]\n");
    (vec![("hiera.yaml", config), (file, text)], LOOKUP)
}

fn erb(text: String) -> Case {
    (vec![("modules/m/templates/t.erb", text), ("code.pp", "template('m/t.erb') =~ Any".to_owned())], EVAL)
}

/// Sizes are chosen so that the smaller run takes some hundredths of a second in a debug build.
const KINDS: &[Kind] = &[
    ("closing braces", 20_000, |n| code(CHECK, "}\n".repeat(n))),
    ("errors", 10_000, |n| code(CHECK, "$a = = 1\n".repeat(n))),
    ("errors of validation", 2000, |n| code(CHECK, each(n, |i| format!("class a{i} {{ class Bad {{}} }}\n")))),
    ("unclosed texts", 10_000, |n| code(CHECK, "$a = \"${x\n".repeat(n))),
    ("unclosed blocks", 4000, |n| code(CHECK, "if true {\n".repeat(n))),
    ("unclosed blocks of EPP", 5000, |n| {
        let epp = "<% [1].each |$x| { %>\n".repeat(n);
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp')".to_owned())], EVAL)
    }),
    ("unclosed tags of EPP", 20_000, |n| {
        let epp = "<% | ".repeat(n);
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp')".to_owned())], EVAL)
    }),
    ("dollars in a text", 50_000, |n| code(EVAL, format!("\"{}\".length", "$ ".repeat(n)))),
    ("patterns of a type", 4000, |n| code(EVAL, format!("'z' =~ Pattern[{}]", list(n, |i| format!("/^a{i}/"))))),
    ("unclosed heredocs", 10_000, |n| code(CHECK, each(n, |i| format!("$h{i} = @(E{i})\n")))),
    ("comments", 200_000, |n| code(EVAL, "# c\n".repeat(n) + "1")),
    ("resources", 3000, |n| code(COMPILE, each(n, |i| format!("notify {{ 'n{i}': }}\n")))),
    ("bodies of a resource", 3000, |n| {
        code(COMPILE, format!("notify {{\n{}}}", each(n, |i| format!("'n{i}': message => 'x';\n"))))
    }),
    ("classes", 1500, |n| code(COMPILE, each(n, |i| format!("class a{i} {{}}\ninclude a{i}\n")))),
    ("parameters", 4000, |n| {
        code(COMPILE, format!("class c({}) {{}}\ninclude c", list(n, |i| format!("Integer $p{i} = {i}"))))
    }),
    ("arrows", 1500, |n| {
        let chain = (0..n).map(|i| format!("Notify['n{i}']")).collect::<Vec<_>>().join(" -> ");
        code(COMPILE, format!("{}{chain}", each(n, |i| format!("notify {{ 'n{i}': }}\n"))))
    }),
    ("realized resources", 1500, |n| {
        code(COMPILE, each(n, |i| format!("@notify {{ 'n{i}': }}\nrealize(Notify['n{i}'])\n")))
    }),
    ("overrides", 1500, |n| {
        code(COMPILE, each(n, |i| format!("notify {{ 'n{i}': }}\nNotify['n{i}'] {{ message => 'x' }}\n")))
    }),
    ("node blocks", 1500, |n| code(COMPILE, each(n, |i| format!("node /^b{i}$/ {{}}\n")) + "node default {}")),
    ("options of a case", 10_000, |n| {
        code(EVAL, format!("case 'z' {{ {} default: {{ 1 }} }}", each(n, |i| format!("'a{i}': {{ {i} }}\n"))))
    }),
    ("keys of a hash", 10_000, |n| code(EVAL, format!("{{ {} }}.length", list(n, |i| format!("'a{i}' => {i}"))))),
    ("a long text", 1_000_000, |n| code(EVAL, format!("'{}'.length", "a".repeat(n)))),
    ("interpolations", 20_000, |n| code(EVAL, format!("$x = 1\n\"{}\".length", "${x} ".repeat(n)))),
    ("heredocs", 5000, |n| code(EVAL, each(n, |i| format!("$h{i} = @(E)\n  t {i}\n  | E\n")) + "1")),
    ("a type's text", 10_000, |n| code(EVAL, format!("1 =~ Variant[{}]", list(n, |i| format!("Enum['a{i}']"))))),
    ("parameters of EPP", 4000, |n| {
        let epp = format!("<%- | {} | -%>\nx", list(n, |i| format!("$p{i} = 1")));
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp') =~ Any".to_owned())], EVAL)
    }),
    ("tags of EPP", 10_000, |n| {
        let code = "epp('m/t.epp') =~ Any".to_owned();
        (vec![("modules/m/templates/t.epp", "<%= 1 %> a\n".repeat(n)), ("code.pp", code)], EVAL)
    }),
    ("tags of ERB", 4000, |n| erb("<%= 1 %> a\n".repeat(n))),
    ("methods of Ruby", 3000, |n| erb(format!("<%\n{}%>x", each(n, |i| format!("def m{i}(a); a; end\n"))))),
    ("heredocs of Ruby", 3000, |n| erb(format!("<%\n{}%>x", each(n, |i| format!("a = <<E{i}\n t\nE{i}\n"))))),
    ("keys of YAML", 8000, |n| yaml(each(n, |i| format!("k{i}: {i}\n")))),
    ("anchors of YAML", 4000, |n| yaml(each(n, |i| format!("k{i}: &a{i} {i}\nl{i}: *a{i}\n")))),
    ("merged keys of YAML", 4000, |n| yaml(format!("a: &a {{x: 1}}\n{}", each(n, |i| format!("l{i}:\n  <<: *a\n"))))),
    ("a scalar of YAML", 300_000, |n| yaml(format!("k: '{}'\n", "a ".repeat(n)))),
    ("keys of JSON", 20_000, |n| {
        hiera("json_data", "data/d.json", format!("{{{}}}", list(n, |i| format!("\"k{i}\": {i}"))))
    }),
    ("patterns of lookup_options", 2000, |n| {
        yaml(format!("lookup_options:\n{}", each(n, |i| format!("  '^b{i}':\n    merge: first\n"))))
    }),
    ("keys of HOCON", 4000, |n| hiera("hocon_data", "data/d.conf", each(n, |i| format!("k{i} = {i}\n")))),
    ("levels of hiera.yaml", 2000, |n| {
        let levels = each(n, |i| format!("  - {{name: l{i}, path: 'a{i}/%{{facts.x}}.yaml'}}\n"));
        (vec![("hiera.yaml", format!("version: 5\nhierarchy:\n{levels}"))], LOOKUP)
    }),
    ("interpolations in data", 4000, |n| yaml(format!("k: '{}'\n", "%{facts.x}".repeat(n)))),
    ("items of arrays that differ", 2000, |n| {
        let items = |from: usize| list(n, |i| format!("\"i{}\"", i + from));
        let catalog = format!(
            r#"{{"name": "a", "version": 1, "catalog_format": 2, "edges": [], "resources": [{{"type": "Notify", "title": "n",
            "tags": [], "exported": false, "parameters": {{"message": [{}]}}}}]}}"#,
            items(0)
        );
        let manifest = format!("notify {{ 'n': message => [{}] }}", items(n));
        (vec![("kept/a.json", catalog), ("manifests/site.pp", manifest)], &["diff", "--against", "kept"])
    }),
    ("facts", 8000, |n| {
        let facts = format!("{{{}}}", list(n, |i| format!("\"k{i}\": {i}")));
        (vec![("f.json", facts)], &["eval", "--facts", "f.json", "-e", "$facts.length"])
    }),
    ("cases of a test", 1500, |n| {
        let cases = each(n, |i| format!("  c{i}: {{class: m}}\n"));
        let files = vec![
            ("metadata.json", crate::support::METADATA.to_owned()),
            ("manifests/init.pp", "class m {}".to_owned()),
            ("tests/t.yaml", format!("cases:\n{cases}")),
        ];
        (files, &["test", "--list"])
    }),
];

/// Runs a case to its end.
fn cost((files, args): &Case) -> Cost {
    let site = Site::new(&[("nodes/a.json", "{}")]);
    for (path, text) in files {
        site.write(path, text);
    }
    if files.iter().any(|(path, _)| *path == "metadata.json") {
        site.remove("catwalk.toml");
    }
    let mut command = site.command(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let cost = follow(&mut child);
    let status = child.wait().unwrap();
    // Errors of the input are input, too; errors of usage would measure nothing.
    assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
    cost
}

/// Waits for the end of a process without taking its numbers away.
fn follow(child: &mut Child) -> Cost {
    use rustix::process::Pid;
    use rustix::process::WaitId;
    use rustix::process::WaitIdOptions;
    let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let started = Instant::now();
    let mut memory = 0;
    while rustix::process::waitid(WaitId::Pid(pid), options).unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        memory = memory.max(peak.and_then(|peak| peak.trim().parse().ok()).unwrap_or(0));
        if started.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // Behind the name in parentheses: the 14th and 15th fields are ticks in the program and in the system.
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Cost { time: Duration::from_millis(ticks * 10), memory }
}

/// Why a kind of input grows too fast, if it does.
fn excess(kind: &Kind, start: Cost) -> Option<String> {
    let (name, n, input) = kind;
    let (small, large) = (input(*n), input(4 * n));
    let (mut a, mut b) = (cost(&small), cost(&large));
    for _ in 0..3 {
        // A clock tick is 10 ms, and memory comes in steps.
        let time = a.time.saturating_sub(start.time).max(Duration::from_millis(20)) * 5 + Duration::from_millis(40);
        let memory = a.memory.saturating_sub(start.memory) * 5 + 24_000;
        if b.time.saturating_sub(start.time) <= time && b.memory.saturating_sub(start.memory) <= memory {
            return None;
        }
        let again = cost(&large);
        b = Cost { time: b.time.min(again.time), memory: b.memory.min(again.memory) };
        let again = cost(&small);
        a = Cost { time: a.time.max(again.time), memory: a.memory.max(again.memory) };
    }
    Some(format!("{name}: {a:?} at {n}, {b:?} at {}; a start takes {start:?}", 4 * n))
}

#[cfg(target_os = "linux")]
#[test]
fn four_times_the_input_takes_at_most_five_times_as_much() {
    let start = cost(&code(EVAL, "1".to_owned()));
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    let work = || {
        while let Some(kind) = KINDS.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let found = excess(kind, start);
            wrong.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
