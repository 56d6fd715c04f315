//! What a manifest cannot do to the process: endless programs, long arrays, much memory. Every case ends with a value or a clear error.

mod nesting;

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use catwalk_session::probe::Setup;
use catwalk_session::probe::evaluate;
use catwalk_value::Value;

use crate::support::Site;

fn nowhere() -> Site {
    Site::empty()
}

#[test]
fn arrays_of_a_million_elements_are_evaluated() {
    let empty = nowhere();
    let code = "
        $a = Integer[1, 1000000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        [$a.length, $b.length, sort($a)[-1], unique($a).length, join($a, ',').length, flatten([$a, [$b]]).length]
    ";
    let run = empty.run(&["eval", "--time-limit", "600", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[1000000, 500000, 1000000, 1000000, 6888895, 1500000]\n");
    let code = "
        $a = Integer[1, 200000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        $sum = $a.reduce |$m, $x| { $m + $x }
        $both = $a + $b
        $rest = $a - $b
        [$sum, $both.length, $rest.length, $a == $a, 200000 in $a, $a[1, -2].length]
    ";
    let run = empty.run(&["eval", "--time-limit", "600", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[20000100000, 300000, 100000, true, true, 199998]\n");
}

/// Runs `catwalk` with a memory limit where the system supports it.
fn confined(site: &Site, args: &[&str]) -> std::process::Output {
    let script = "ulimit -v 4000000; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_catwalk")]).args(args);
    command.current_dir(site.path()).env("NO_COLOR", "1").output().unwrap()
}

const SMALL: &[&str] = &["--limit", "elements=100000", "--limit", "memory=200000000", "--limit", "text=2000000"];

#[test]
fn hostile_programs_end_by_themselves() {
    let stdlib = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;
    let site = Site::new(&[("catwalk.toml", "modulepath = [\"modules\"]\n"), ("modules/stdlib/metadata.json", stdlib)]);
    let text = include_str!("limits/hostile.txt");
    let text: String = text.split_inclusive('\n').skip_while(|line| line.starts_with('#')).collect();
    let programs = Mutex::new(text.trim_end().split("\n---\n"));
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(program) = programs.lock().unwrap().next() else { break };
            let is_answer = |line: &&str| line.starts_with("=> ") || line.starts_with("! ");
            let code: Vec<&str> = program.lines().filter(|line| !is_answer(line)).collect();
            let code = code.join("\n");
            let wanted = program.lines().rfind(is_answer).expect("an answer");
            let started = Instant::now();
            // What is to end by time ends soon; what has an end has time for it.
            let limit = if wanted.contains("1 second") { "1" } else { "300" };
            let output =
                confined(&site, &[&["eval", "--puppet", "7", "--time-limit", limit, "-e", &code], SMALL].concat());
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let is_expected = match wanted.split_once(' ') {
                Some(("=>", value)) => output.status.code() == Some(0) && stdout.contains(value),
                // A fast machine meets another limit before the time is over.
                Some((_, errors)) => {
                    output.status.code() == Some(1) && errors.split(" or ").any(|error| stderr.contains(error))
                }
                None => false,
            };
            // A machine that does other things, too, is slow: this only tells what does not end.
            if !is_expected || started.elapsed() > Duration::from_secs(360) {
                let output_start: String = format!("{stdout}{stderr}").chars().take(300).collect();
                let took = started.elapsed().as_secs();
                wrong
                    .lock()
                    .unwrap()
                    .push(format!("{code}\n   {wanted}, but {} after {took} s: {output_start}", output.status));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn input_and_output_are_limited_too() {
    // Aliases of aliases: little text, much data.
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for n in 1..60 {
        bomb.push_str(&format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
    }
    let chain: String = (0..3000).map(|n| format!("k{n}: \"%{{lookup('k{}')}}\"\n", n + 1)).collect();
    let double: String =
        (0..60).map(|n| format!("k{n}: \"%{{lookup('k{0}')}}%{{lookup('k{0}')}}\"\n", n + 1)).collect();
    let double = format!("{double}k60: x\n");
    let hiera = |file: &str, kind: &str| {
        format!("version: 5\nhierarchy: [{{name: d, path: {file}}}]\ndefaults: {{data_hash: {kind}_data}}\n")
    };
    for (file, kind, data, code) in [
        ("d.yaml", "yaml", bomb.as_str(), "lookup('a59')"),
        ("d.yaml", "yaml", bomb.as_str(), "class c($a59) { } include c"),
        ("d.yaml", "yaml", chain.as_str(), "lookup('k0')"),
        ("d.yaml", "yaml", double.as_str(), "lookup('k0')"),
        ("d.yaml", "yaml", "k: \"%{lookup('k')}\"\n", "lookup('k')"),
        ("d.json", "json", &format!("{{\"a\": {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.yaml", "yaml", &format!("a: {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.conf", "hocon", &format!("a: {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.conf", "hocon", &format!("a: {}", "{a:".repeat(1_000_000)), "lookup('a')"),
    ] {
        let site = Site::new(&[("hiera.yaml", &hiera(file, kind)), (&format!("data/{file}"), data)]);
        site.write("catwalk.toml", "");
        let output = confined(&site, &[&["eval", "--time-limit", "1", "-e", code], SMALL].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{code} {}: {stderr}", data.get(..40).unwrap());
    }
    // A catalog whose values share parts is as long as if they did not.
    let site = nowhere();
    let code = "$t = 14.reduce('x') |$m, $x| { \"${m}${m}\" }\n$a = 80.map |$x| { $t }\n\
                100.map |$x| { notify { \"${x}\": message => $a } }";
    let output = confined(&site, &[&["compile", "-e", code], SMALL].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the catalog's strings have more than 50000000 bytes"), "{stderr}");
    for format in ["puppet", "json", "rich"] {
        let code = "9990.reduce([]) |$m, $x| { [$m] }";
        let output = confined(&site, &["eval", "--format", format, "-e", code]);
        assert_eq!(output.status.code(), Some(0), "{format} {}", String::from_utf8_lossy(&output.stderr));
    }
    let code = "notify { 'n': message => 9990.reduce([]) |$m, $x| { [$m] } }";
    for format in ["native", "wire4"] {
        let output = confined(&site, &["compile", "--format", format, "-e", code]);
        assert_eq!(output.status.code(), Some(0), "{format} {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn fails(code: &str, setup: &Setup) -> String {
    evaluate(code, setup).result.unwrap_err()
}

#[test]
fn endless_iteration_is_stopped() {
    let mut setup = Setup::default();
    setup.settings.limits.time = Some(Duration::from_millis(200));
    let text = fails("9223372036854775807.each |$x| { }", &setup);
    assert!(text.contains("evaluation takes longer than 0.2 seconds"), "{text}");
}

#[test]
fn long_arrays_are_mapped_and_reduced() {
    let code = "Integer[1, 1000000].map |$x| { $x + 1 }.reduce |$m, $x| { $m + $x }";
    assert_eq!(evaluate(code, &Setup::default()).result, Ok(Value::Int(500_001_500_000)));
}

#[test]
fn only_nodes_that_take_too_much_memory_fail_however_many_compile_at_once() {
    let code = "
        $s = 22.reduce('x') |$m, $x| { \"${m}${m}\" }
        node /^bad/ { $a = Integer[1, 1000].map |$x| { \"${s}${x}\" } }
        node default { Integer[1, 20].each |$x| { \"${s}${x}\".length } notify { 'good': } }
    ";
    let site = Site::new(&[("site.pp", code)]);
    let bad = ["bad1", "bad2", "bad3"].map(str::to_owned);
    (0..49).map(|n| format!("g{n}")).chain(bad).for_each(|name| site.write(&format!("nodes/{name}.json"), "{}"));
    let mut command = site.command(&["compile", "--output", "out", "--limit", "memory=150000000"]);
    let output = command.env("RAYON_NUM_THREADS", "16").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let errors = stderr.lines().filter(|line| line.contains("more than 150000000 bytes of memory")).count();
    let nodes: Vec<&str> = stderr.lines().filter_map(|line| line.trim().strip_prefix("= ")).collect();
    assert_eq!((errors, nodes.last()), (1, Some(&"on 3 nodes: bad1, bad2, bad3")), "{stderr}");
    assert_eq!(std::fs::read_dir(site.path().join("out")).unwrap().count(), 49);
}

#[cfg(target_os = "linux")]
#[test]
fn no_program_takes_much_more_memory_than_its_limit() {
    let site = Site::new(&[("nodes/n.json", "{}")]);
    let limit = 60_000_000;
    for program in [
        "$a = Array(Integer[1, 3000000])\nnotice(shuffle($a).length)",
        "$a = Array(Integer[1, 3000000])\nnotice(sort($a).length)",
        "$a = Array(Integer[1, 3000000])\nnotice(($a + $a).length)",
        "$s = Integer[1, 15000].reduce('x') |$m, $i| { if $i < 21 { \"${m}${m}\" } else { $m } }\n\
         notice(regsubst($s, '.', 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz', 'G').length)",
        &format!(
            "$s = Integer[1, 19].reduce('x') |$m, $i| {{ \"${{m}}${{m}}\" }}\nnotice(regsubst($s, '.*', '{}', 'G').length)",
            "\\0".repeat(100)
        ),
        "$s = Integer[1, 20].reduce('x') |$m, $i| { \"${m}${m}\" }\nInteger[1, 500].each |$i| { notice(\"${i}${s}\") }",
    ] {
        site.write("site.pp", program as &str);
        let mut command = site.command(&["compile", "n", "-o", "out/", "--limit", "memory=60000000"]);
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        command.stderr(std::fs::File::create(site.path().join("errors")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
            most = peak.and_then(|peak| peak.trim().parse::<u64>().ok()).map_or(most, |peak| most.max(peak * 1024));
            std::thread::sleep(Duration::from_millis(1));
        }
        let errors = std::fs::read_to_string(site.path().join("errors")).unwrap();
        let errors = errors.rsplit_once("error[").map_or("", |(_, last)| last);
        assert!(errors.contains("more than 60000000 bytes of memory"), "{program}: {errors:.500}");
        // The program itself takes some 30 MB, 16 MiB pass between two questions, and printing the log takes as much as that.
        assert!(most < 2 * limit + 60_000_000, "{program}: {most} bytes");
    }
}
