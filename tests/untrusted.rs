//! `--untrusted`: what code of a site may not do, tried in every language and by every command.

use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Run;
use crate::support::running::PATIENCE;
use crate::support::running::Watching;
use crate::support::running::lines;

const SECRET: &str = "hunter2-outside";
/// Functions of stdlib are built in where the module is there.
const STDLIB: &str = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;

/// An attempt of `untrusted/attempts.txt`.
#[derive(Debug, Default)]
struct Attempt {
    name: String,
    power: String,
    place: String,
    /// Trusted, it makes the file MARKER.
    has_effect: bool,
    files: Vec<(String, String)>,
    links: Vec<(String, String)>,
    command: String,
}

fn attempts() -> Vec<Attempt> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/untrusted/attempts.txt"));
    let mut attempts: Vec<Attempt> = Vec::new();
    for line in text.unwrap().lines().skip_while(|line| !line.starts_with("== ")) {
        if let Some(head) = line.strip_prefix("== ") {
            let mut parts = head.split(" | ").map(str::to_owned);
            let mut part = || parts.next().unwrap_or_default();
            attempts.push(Attempt {
                name: part(),
                power: part(),
                place: part(),
                has_effect: part() == "effect",
                ..Attempt::default()
            });
            continue;
        }
        let attempt = attempts.last_mut().unwrap();
        if let Some(path) = line.strip_prefix("--- ") {
            attempt.files.push((path.to_owned(), String::new()));
        } else if let Some((from, to)) = line.strip_prefix("link ").and_then(|link| link.split_once(" -> ")) {
            attempt.links.push((from.to_owned(), to.to_owned()));
        } else if let Some(command) = line.strip_prefix("$ ") {
            attempt.command = command.to_owned();
        } else if let Some((_, text)) = attempt.files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    attempts
}

/// The site `site`, and a directory `out` beside it that it may not see.
struct UntrustedSite {
    dir: TempDir,
    site: PathBuf,
    out: PathBuf,
}

impl UntrustedSite {
    fn new() -> UntrustedSite {
        let dir = TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let place = UntrustedSite { site: top.join("site"), out: top.join("out"), dir };
        std::fs::create_dir_all(&place.site).unwrap();
        place.fill_outside();
        place.write("modules/stdlib/metadata.json", STDLIB);
        place.write("nodes/n.example.com.yaml", "{}");
        place
    }

    fn fill_outside(&self) {
        for (path, text) in [
            ("secret.txt", SECRET.to_owned()),
            ("data.yaml", format!("k: {SECRET}\n")),
            ("data.json", format!("{{\"k\": \"{SECRET}\"}}\n")),
            ("hiera.yaml", "version: 5\nhierarchy: []\n".to_owned()),
            ("lib.rb", format!("X = '{SECRET}'\n")),
            ("lib.rhai", format!("fn f() {{ \"{SECRET}\" }}\n")),
            ("enc.rhai", format!("fn classify(node) {{ #{{ parameters: #{{ x: \"{SECRET}\" }} }} }}\n")),
            ("code.pp", format!("notify {{ '{SECRET}': }}\nfunction m::f() {{ '{SECRET}' }}\nclass m::b {{ }}\n")),
            ("module/manifests/init.pp", format!("class linked {{ notify {{ '{SECRET}': }} }}\n")),
        ] {
            let path = self.out.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn marker(&self) -> PathBuf {
        self.dir.path().join("marker")
    }

    fn shown(&self, text: &str) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let touch = if Path::new("/usr/bin/touch").exists() { "/usr/bin/touch" } else { "/bin/touch" };
        text.replace("MARKER", &path(&self.marker()))
            .replace("OUT", &path(&self.out))
            .replace("SITE", &path(&self.site))
            .replace("$TOUCH", touch)
            .replace("/usr/bin/touch", touch)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.site.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn fill(&self, attempt: &Attempt) {
        if !attempt.files.iter().any(|(path, _)| path == "catwalk.toml") {
            self.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
        }
        for (path, text) in &attempt.files {
            self.write(path, &self.shown(text));
        }
        for (from, to) in &attempt.links {
            let from = self.site.join(from);
            std::fs::create_dir_all(from.parent().unwrap()).unwrap();
            let _ = std::fs::remove_file(&from);
            std::os::unix::fs::symlink(self.shown(to), from).unwrap();
        }
    }

    fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
        command.args(args).current_dir(&self.site).env("NO_COLOR", "1").env_remove("CI").env("SECRET_TOKEN", SECRET);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    fn try_attempt(&self, attempt: &Attempt, untrusted: bool) -> Run {
        let command = if attempt.command.is_empty() { "compile n.example.com" } else { &attempt.command };
        let command = self.shown(command);
        // A word in quotes is one.
        let mut words: Vec<&str> = Vec::new();
        for (at, part) in command.split('"').enumerate() {
            if at % 2 == 0 { words.extend(part.split_whitespace()) } else { words.push(part) }
        }
        words.extend(["--log-format", "json"]);
        words.extend(untrusted.then_some("--untrusted"));
        self.run(&words, &[])
    }
}

/// The messages on stderr with this code.
fn messages(run: &Run, code: &str) -> Vec<Value> {
    let lines = run.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["code"] == code).collect()
}

/// What is wrong with how an attempt ends.
fn wrong(attempt: &Attempt) -> Option<String> {
    let place = UntrustedSite::new();
    place.fill(attempt);
    let run = place.try_attempt(attempt, true);
    let fail = |why: &str| Some(format!("{}: {why}\n{run:#?}", attempt.name));
    if run.code == Some(0) || run.stderr.contains("panicked") || run.stderr.contains("internal error") {
        return fail("it does not fail");
    }
    let expected = format!("untrusted code may not {}", attempt.power);
    let mut said = messages(&run, "UNTRUSTED");
    if attempt.command == "test" {
        // Errors are part of its report.
        said.push(serde_json::json!({ "message": run.stdout, "file": "site.pp", "line": u64::from(run.stdout.contains("line: ")) }));
    }
    let Some(message) = said.iter().find(|line| line["message"].as_str().unwrap().contains(&expected)) else {
        return fail("no error with the code UNTRUSTED");
    };
    let is_placed = match attempt.place.as_str() {
        "manifest" => message["line"].is_u64() && message["file"].is_string(),
        place_text => {
            message["message"].as_str().unwrap().contains(&*place.shown(place_text))
                || message["file"].as_str().is_some_and(|file| file.contains(place_text))
        }
    };
    if !is_placed {
        return fail("no place");
    }
    if run.stdout.contains(SECRET) || run.stderr.contains(SECRET) {
        return fail("a secret is printed");
    }
    if place.marker().exists() {
        return fail("it has an effect");
    }
    // Whether what it tries to see exists makes no difference.
    std::fs::remove_dir_all(&place.out).unwrap();
    let without = place.try_attempt(attempt, true);
    if (&without.stdout, &without.stderr) != (&run.stdout, &run.stderr) {
        return fail(&format!("without what is outside: {without:#?}"));
    }
    place.fill_outside();
    let trusted = place.try_attempt(attempt, false);
    if !messages(&trusted, "UNTRUSTED").is_empty() || place.marker().exists() != attempt.has_effect {
        return fail(&format!("trusted: {trusted:#?}"));
    }
    None
}

#[test]
fn attempts_of_untrusted_code_are_errors() {
    let only = std::env::var("ATTEMPT").ok();
    let attempts: Vec<Attempt> =
        attempts().into_iter().filter(|attempt| only.as_ref().is_none_or(|only| attempt.name.contains(only))).collect();
    assert!(only.is_some() || attempts.len() >= 40, "{}", attempts.len());
    let wrong: Vec<String> = attempts.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}

/// A site that does nothing but what it may, with a link inside of itself.
fn harmless(place: &UntrustedSite, config: &str) {
    place.write("catwalk.toml", &format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{config}"));
    place.write("site.pp", "include m\nnotify { lookup('k'): }\n");
    place.write("hiera.yaml", "version: 5\nhierarchy:\n  - { name: x, glob: '*.yaml' }\n");
    place.write("data/a.yaml", "k: value\n");
    place.write(
        "modules/m/manifests/init.pp",
        "class m { file { '/a': content => template('m/a.erb'), owner => m::f() } }\n",
    );
    place.write(
        "modules/m/templates/a.erb",
        "<%= File.read(File.join(__dir__, '../files/a')) rescue File.exist?('x') %><%= scope['facts']['x'] %><%= Puppet[:ssldir] %>\n",
    );
    place.write("modules/m/lib/puppet/functions/m/f.rb", "Puppet::Functions.create_function(:'m::f') do\n  def f\n    File.read(File.join(File.dirname(__FILE__), '../../../../files/link'))\n  end\nend\n");
    place.write("modules/m/files/a", "text of a file");
    std::os::unix::fs::symlink("../../m/files/a", place.site.join("modules/m/files/link")).unwrap();
}

/// A catalog without what differs from run to run.
fn catalog(run: &Run) -> Value {
    let mut catalog: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    for name in ["version", "catalog_uuid"] {
        catalog.as_object_mut().unwrap().remove(name);
    }
    catalog
}

#[test]
fn other_code_compiles_as_ever() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    let args = ["compile", "n.example.com"];
    let trusted = place.run(&args, &[]).expect(0, "");
    let untrusted = place.run(&[&args[..], &["--untrusted"]].concat(), &[]).expect(0, "");
    assert_eq!(catalog(&trusted), catalog(&untrusted));
    assert!(untrusted.stdout.contains("text of a file"));
    // From the outside, through a link to the site.
    let alias = place.dir.path().join("alias");
    std::os::unix::fs::symlink(&place.site, &alias).unwrap();
    let site = alias.to_string_lossy().into_owned();
    place.run(&["compile", "n.example.com", "--untrusted", "--site", &site], &[]).expect(0, "");
}

#[test]
fn what_the_user_names_may_be_read_and_run() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    let file = |name: &str, text: &str| {
        let path = place.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let facts = file("facts.yaml", "x: a fact\n");
    let classifier = file("enc.sh", "#!/bin/sh\necho 'parameters: { p: from the classifier }'\n");
    std::fs::set_permissions(&classifier, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    file("mine/n/manifests/init.pp", "class n { notify { \"${::p}\": } }");
    let modules = format!("modules:{}", place.dir.path().join("mine").display());
    place.write("site.pp", "include m, n\n");
    let args =
        ["compile", "n.example.com", "--untrusted", "--facts", &facts, "--enc", &classifier, "--modulepath", &modules];
    let run = place.run(&args, &[]).expect(0, "");
    assert!(run.stdout.contains("a fact") && run.stdout.contains("from the classifier"), "{run:#?}");
    // Code may not start what the program itself may.
    place.write("site.pp", &format!("$x = generate('{classifier}')\n"));
    place.run(&args, &[]).expect(1, "untrusted code may not start processes");
}

#[test]
fn a_site_can_make_itself_untrusted_but_not_trusted() {
    for (config, variable, args, untrusted) in [
        ("untrusted = true\n", None, &[][..], true),
        ("untrusted = false\n", None, &[], false),
        ("untrusted = false\n", Some("1"), &[], true),
        ("untrusted = false\n", None, &["--untrusted"], true),
        ("", Some("true"), &[], true),
        ("", Some("0"), &[], false),
        ("", Some(""), &[], false),
        ("untrusted = true\n", Some("0"), &[], true),
    ] {
        let place = UntrustedSite::new();
        harmless(&place, config);
        for (path, text) in [(".env", "CATWALK_UNTRUSTED=0\n"), ("environment.conf", "untrusted = false\n")] {
            place.write(path, text);
        }
        place.write("site.pp", &place.shown("$x = generate('/usr/bin/touch', 'MARKER')\n"));
        let variables: Vec<(&str, &str)> = variable.iter().map(|value| ("CATWALK_UNTRUSTED", *value)).collect();
        let run = place.run(&[&["compile", "n.example.com"], args].concat(), &variables);
        assert_eq!(
            (run.code, place.marker().exists()),
            (Some(i32::from(untrusted)), !untrusted),
            "{config} {variable:?}: {run:#?}"
        );
    }
}

/// The kernel's own walls do not stand in the way of what commands do.
#[test]
fn every_command_works_on_a_harmless_site() {
    let place = UntrustedSite::new();
    place.write("nodes/b.example.com.yaml", "{}");
    harmless(&place, "output = \"catalogs\"\n[scripts]\nisolation = \"process\"\n");
    place.write("modules/m/scripts/functions/s.rhai", "fn s() { \"from a script\" }\n");
    place.write("site.pp", "include m\nnotify { m::s(): }\n");
    place.write("scripts/tests/a.rhai", "fn test_a() { assert_eq(1, 1); }\n");
    let report = place.dir.path().join("reports/junit.xml").to_string_lossy().into_owned();
    std::fs::create_dir(place.dir.path().join("reports")).unwrap();
    for (args, code, said) in [
        (&["compile"][..], 0, "2 of 2 catalogs written"),
        (&["compile", "n.example.com", "-o", "new/catalog.json"], 0, ""),
        (&["eval", "--node", "n.example.com", "-e", "m::s()"], 0, "from a script"),
        (&["lookup", "k", "--node", "n.example.com"], 0, "value"),
        (&["test", "--accept"], 0, "2 accepted"),
        (&["test", "--junit", &report], 0, "2 passed"),
        (&["snapshot", "list"], 0, ""),
        (&["node", "show", "n.example.com"], 0, "production"),
        (&["docs", "functions", "m::f"], 0, "m::f"),
        (&["check"], 0, ""),
        (&["data", "unused"], 1, "not used by 2 nodes"),
        (&["script", "check"], 0, ""),
        (&["facts", "list"], 0, "debian-12"),
    ] {
        let command: Vec<&str> = args.to_vec();
        let run = place.run(&command, &[("CATWALK_UNTRUSTED", "explain")]);
        assert!(run.code == Some(code) && !run.stderr.contains("error"), "{args:?}: {run:#?}");
        assert!(run.stdout.contains(said) || run.stderr.contains(said), "{args:?}: {run:#?}");
    }
    assert!(std::fs::read_to_string(&report).unwrap().contains("<testsuite"));
}

/// Commands that run no code of a site and read none of its code.
const WITHOUT_CODE: &[&str] = &["help", "script definitions", "docs --builtin", "completions", "man", "store"];
/// Commands that change the machine, or serve it to others: they do nothing for untrusted code.
const REFUSED: &[&str] = &["apply", "resource", "serve"];

/// With `CATWALK_UNTRUSTED=explain`, each command prints which walls stand: all that this kernel has, for every command.
#[test]
fn the_walls_stand_for_every_command() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    place.write("modules/m/scripts/functions/s.rhai", "fn s() { \"from a script\" }\n");
    place.write("scripts/tests/a_test.rhai", "fn test_a() { assert_eq(1, 1); }\n");
    place.write("spec/classes/m_spec.rb", "describe 'm' do\n  it { is_expected.to compile }\nend\n");
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "one"]] {
        git(&place, args);
    }
    let marker = place.marker().to_string_lossy().into_owned();
    let classifier = place.dir.path().join("enc.sh").to_string_lossy().into_owned();
    std::fs::write(&classifier, place.shown("#!/bin/sh\ntouch MARKER\necho 'parameters: { p: x }'\n")).unwrap();
    std::fs::set_permissions(&classifier, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let explained = |args: &[&str]| {
        let run = place.run(args, &[("CATWALK_UNTRUSTED", "explain")]);
        let walls = run.stderr.lines().find(|line| line.starts_with("untrusted: ")).map(str::to_owned);
        (walls.unwrap_or_else(|| panic!("{args:?}: no walls: {run:#?}")), run)
    };
    let (expected, _) = explained(&["eval", "--node", "n.example.com", "-e", "1"]);
    let node = ["--node", "n.example.com"];
    let commands = [
        (&["check"][..], &[][..], false),
        (&["check", "site.pp"], &[], false),
        (&["check", "-e", "$x = 1"], &[], false),
        (&["parse", "site.pp"], &[], false),
        (&["parse", "-e", "$x = 1"], &[], false),
        (&["compile"], &[], false),
        (&["compile", "--isolate-scripts"], &[], false),
        (&["compile", "n.example.com", "--enc", &classifier], &[], true),
        (&["classify", "n.example.com"], &[], false),
        (&["eval", "--isolate-scripts", "-e", "m::s()"], &node, false),
        (&["lookup", "k", "--explain"], &node, false),
        (&["node", "show", "n.example.com", "--enc", &classifier], &[], true),
        (&["catalog", "graph", "n.example.com"], &[], false),
        (&["data", "unused"], &[], false),
        (&["diff"], &[], false),
        (&["diff", "HEAD", "HEAD"], &[], false),
        (&["docs", "functions", "m::f"], &[], false),
        (&["node", "show", "n.example.com"], &[], false),
        (&["show", "n.example.com"], &[], false),
        (&["test"], &[], false),
        (&["snapshot", "list"], &[], false),
        (&["facts", "list"], &[], false),
        (&["facts", "show", "debian-12-x86_64"], &[], false),
        (&["facts", "bundle", "nodes"], &[], false),
        (&["script", "check"], &[], false),
        (&["script", "test"], &[], false),
        (&["convert", "rspec", "spec"], &[], false),
        (&["new", "module", "fresh"], &[], false),
        (&["init"], &[], false),
        (&["watch", "--once"], &[], false),
    ];
    for (args, more, runs) in commands.iter().filter(|(args, ..)| args[0] != "watch") {
        let (walls, run) = explained(&[args, *more].concat());
        assert_eq!(walls, expected, "{args:?}: {run:#?}");
        assert!(
            !run.stderr.contains("UNTRUSTED") && (run.code < Some(2) || args[0] == "classify"),
            "{args:?}: {run:#?}"
        );
        // The program that the user named runs outside of the walls, and writes where they are not open.
        assert_eq!(std::fs::remove_file(&marker).is_ok(), *runs, "{args:?}: {run:#?}");
    }
    let help = place.run(&["--help"], &[]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in listed.filter_map(|line| line.split_whitespace().next()) {
        let is_tried =
            commands.iter().any(|(args, ..)| args[0] == name) || [WITHOUT_CODE, REFUSED].concat().contains(&name);
        assert!(name.len() < 3 || is_tried || line_is_text(name), "no line of the table tries `{name}`");
    }
}

/// Commands that change the machine are refused before the site is compiled, whatever says that its code is untrusted or isolated.
#[test]
fn nothing_untrusted_or_isolated_is_applied() {
    const TRUST: &str = "untrusted code is not applied";
    const ISOLATION: &str = "isolated scripts are not applied";
    let process = "[scripts]\nisolation = \"process\"\n";
    for (config, variable, option, said) in [
        ("", None, Some("--untrusted"), TRUST),
        ("", Some("1"), None, TRUST),
        ("", Some("explain"), None, TRUST),
        ("untrusted = true\n", None, None, TRUST),
        (process, Some("1"), None, TRUST),
        (process, None, None, ISOLATION),
        ("", None, Some("--isolate-scripts"), ISOLATION),
    ] {
        let place = UntrustedSite::new();
        place.write("catwalk.toml", config);
        // Not even an error of the compile is reached.
        place.write("site.pp", "file { '/marker': content => fail('compiled') }\n");
        place.write("scripts/types/thing.rhai", "throw \"loaded\";\n");
        let marker = place.marker().to_string_lossy().into_owned();
        let manifest = format!("file {{ '{marker}': ensure => file }}");
        let commands = [
            &["apply", "site.pp"][..],
            &["apply", "-e", &manifest],
            &["apply", "--noop", "-e", &manifest],
            &["apply", "--catalog", "none.json"],
            &["resource", "thing"],
            &["resource", "file", &marker, "ensure=file"],
        ];
        for args in commands {
            let command: Vec<&str> = args.iter().copied().chain(option).collect();
            let variables: Vec<(&str, &str)> = variable.iter().map(|value| ("CATWALK_UNTRUSTED", *value)).collect();
            let run = place.run(&command, &variables);
            assert_eq!(
                (run.code, run.stdout.as_str(), place.marker().exists()),
                (Some(1), "", false),
                "{command:?}: {run:#?}"
            );
            assert!(run.stderr.starts_with(&format!("error[APPLY_UNTRUSTED]: {said}")), "{command:?}: {run:#?}");
            assert!(run.stderr.contains("= help: apply "), "{command:?}: {run:#?}");
        }
    }
}

/// Whether a word of the list of commands belongs to the description of the one before.
fn line_is_text(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// The command of `--exec` is the user's: it runs outside of the walls, with all rights; the code of the site does not.
#[test]
fn the_command_of_watch_runs_outside_of_the_walls() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    let exec = format!("cat '{}' > '{}'", place.out.join("secret.txt").display(), place.marker().display());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    command.args(["watch", "--untrusted", "--json", "--once", "--exec", &exec]).current_dir(&place.site);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = child.env_remove("CI").spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    let mut watching = Watching { child, lines };
    while !watching.lines.recv_timeout(PATIENCE).unwrap().contains("\"done\"") {}
    place.write("site.pp", "include m\nnotify { 'new': }\n");
    assert!(watching.child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(place.marker()).unwrap(), SECRET);
}

/// A file that the command line names may be a link of an attacker: it is read only where it leads to a file beside it or in the site.
#[test]
fn commands_on_files_follow_no_link_out() {
    let place = UntrustedSite::new();
    place.write("catwalk.toml", "manifest = \"site.pp\"\n");
    let plain = place.dir.path().join("plain");
    std::fs::create_dir(&plain).unwrap();
    for (folder, name, to) in
        [(&place.site, "a.pp", "secret.txt"), (&plain, "a.pp", "secret.txt"), (&plain, "a.yaml", "data.yaml")]
    {
        std::os::unix::fs::symlink(place.out.join(to), folder.join(name)).unwrap();
    }
    std::fs::write(plain.join("b.pp"), "$x = 1\n").unwrap();
    std::os::unix::fs::symlink("b.pp", plain.join("c.pp")).unwrap();
    let plain = |name: &str| plain.join(name).to_string_lossy().into_owned();
    let bundle = place.dir.path().join("bundle.json").to_string_lossy().into_owned();
    for (args, code, said) in [
        (&["parse", "--untrusted", "a.pp"][..], 2, "may not read outside"),
        (&["parse", "--untrusted", &plain("a.pp")], 2, "may not read outside"),
        (&["check", "--untrusted", "a.pp"], 2, "may not read outside"),
        (&["check", "--untrusted", &plain("a.pp")], 2, "may not read outside"),
        (&["facts", "list", "--untrusted", &plain("a.yaml")], 2, "may not read outside"),
        (&["facts", "show", "x", "--untrusted", &plain("")], 2, "may not read outside"),
        (&["facts", "bundle", "--untrusted", &plain(""), "-o", &bundle], 2, "may not read outside"),
        (&["parse", "--untrusted", &plain("c.pp")], 0, "(var \"x\")"),
        (&["check", "--untrusted", &plain("c.pp")], 0, ""),
        (&["parse", &plain("a.pp")], 0, SECRET),
    ] {
        let run = place.run(args, &[]);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == Some(code) && text.contains(said), "{args:?}: {run:#?}");
        assert!(code == 0 || !text.contains(SECRET), "{args:?}: {run:#?}");
    }
    // A pipe that the user names has no path that a rule could hold.
    let walls = std::process::Command::new("sh")
        .args(["-c", "echo '$x = 1' | \"$0\" parse /dev/stdin", env!("CARGO_BIN_EXE_catwalk")])
        .env("CATWALK_UNTRUSTED", "explain")
        .output()
        .unwrap();
    let named = String::from_utf8_lossy(&walls.stderr).into_owned();
    let alone = place.run(&["parse", "-e", "1"], &[("CATWALK_UNTRUSTED", "explain")]).stderr;
    assert_eq!((named, walls.status.code()), (alone, Some(0)));
}

/// Runs git in a directory.
fn git(place: &UntrustedSite, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    let config = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
    let output = command.current_dir(&place.site).args(config).args(args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn revisions_are_untrusted_too_and_git_starts_nothing() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "one"]);
    let hook = place.dir.path().join("hook.sh");
    std::fs::write(&hook, place.shown("#!/bin/sh\ntouch MARKER\n")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let hook = hook.to_string_lossy().into_owned();
    for name in ["core.fsmonitor", "diff.external", "core.pager", "core.sshCommand"] {
        git(&place, &["config", name, &hook]);
    }
    let diff = |args: &[&str]| place.run(&[&["diff", "--untrusted"], args].concat(), &[]);
    diff(&["HEAD", "--modules-from-worktree"]).expect(0, "");
    for (path, text) in [
        ("site.pp", place.shown("$x = generate('/usr/bin/touch', 'MARKER')\n")),
        ("site.pp", place.shown("notify { file('OUT/secret.txt'): }\n")),
    ] {
        place.write(path, &text);
        let run = diff(&["HEAD"]);
        assert!(
            run.stdout.contains("untrusted code may not") || run.stderr.contains("untrusted code may not"),
            "{run:#?}"
        );
    }
    place.write("site.pp", "notify { file('m/link2'): }\n");
    std::os::unix::fs::symlink(place.out.join("secret.txt"), place.site.join("modules/m/files/link2")).unwrap();
    git(&place, &["-c", "core.fsmonitor=false", "add", "-A"]);
    git(&place, &["-c", "core.fsmonitor=false", "commit", "-q", "-m", "two"]);
    let _ = std::fs::remove_file(place.marker());
    let run = diff(&["HEAD~1", "HEAD"]);
    assert!(
        run.stdout.contains("untrusted code may not read") || run.stderr.contains("untrusted code may not read"),
        "{run:#?}"
    );
    assert!(!run.stdout.contains(SECRET) && !place.marker().exists(), "{run:#?}");
}

/// An edit makes a link lead out while the site is watched.
#[test]
fn a_link_that_leads_out_after_an_edit_is_seen() {
    let place = UntrustedSite::new();
    harmless(&place, "");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    command.args(["watch", "--untrusted", "--json"]).current_dir(&place.site).env_remove("CI");
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    // Ended also when the test fails.
    let watching = Watching { child, lines };
    let mut seen = String::new();
    let mut until = |text: &str| {
        while !seen.contains(text) {
            seen.push_str(&watching.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{text}: {seen}")));
        }
        std::mem::take(&mut seen)
    };
    until("\"done\"");
    let (link, aside) = (place.site.join("modules/m/files/link"), place.dir.path().join("link"));
    std::os::unix::fs::symlink(place.out.join("secret.txt"), &aside).unwrap();
    std::fs::rename(&aside, &link).unwrap();
    let said = until("untrusted code may not read outside");
    assert!(!said.contains(SECRET), "{said}");
}
