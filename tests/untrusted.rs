//! `--untrusted` in every language and command: what the code of a site may not do, and which paths and programs the user may name.

mod attempts;
mod commands;
mod links;

use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Run;

const SECRET: &str = "hunter2-outside";
/// Functions of stdlib are available only in sites with the module.
const STDLIB: &str = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;

/// A site in `site`, beside a directory `out` that its code may not read.
struct UntrustedSite {
    dir: TempDir,
    site: PathBuf,
    out: PathBuf,
}

impl UntrustedSite {
    fn new() -> UntrustedSite {
        let dir = TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let fixture = UntrustedSite { site: top.join("site"), out: top.join("out"), dir };
        std::fs::create_dir_all(&fixture.site).unwrap();
        fixture.fill_outside();
        fixture.write("modules/stdlib/metadata.json", STDLIB);
        fixture.write("nodes/n.example.com.yaml", "{}");
        fixture
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

    /// Replaces MARKER, OUT, SITE and the path of `touch`.
    fn expand(&self, text: &str) -> String {
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

    fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
        command.args(args).current_dir(&self.site).env("NO_COLOR", "1").env_remove("CI").env("SECRET_TOKEN", SECRET);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

/// Writes a site that does only what untrusted code may do, with a link to one of its own files.
fn harmless(fixture: &UntrustedSite, config: &str) {
    fixture.write("catwalk.toml", &format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{config}"));
    fixture.write("site.pp", "include m\nnotify { lookup('k'): }\n");
    fixture.write("hiera.yaml", "version: 5\nhierarchy:\n  - { name: x, glob: '*.yaml' }\n");
    fixture.write("data/a.yaml", "k: value\n");
    fixture.write(
        "modules/m/manifests/init.pp",
        "class m { file { '/a': content => template('m/a.erb'), owner => m::f() } }\n",
    );
    fixture.write(
        "modules/m/templates/a.erb",
        "<%= File.read(File.join(__dir__, '../files/a')) rescue File.exist?('x') %><%= scope['facts']['x'] %><%= Puppet[:ssldir] %>\n",
    );
    fixture.write("modules/m/lib/puppet/functions/m/f.rb", "Puppet::Functions.create_function(:'m::f') do\n  def f\n    File.read(File.join(File.dirname(__FILE__), '../../../../files/link'))\n  end\nend\n");
    fixture.write("modules/m/files/a", "text of a file");
    std::os::unix::fs::symlink("../../m/files/a", fixture.site.join("modules/m/files/link")).unwrap();
}

/// A catalog without its version and UUID, which differ each time.
fn catalog(run: &Run) -> Value {
    let mut catalog: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    for name in ["version", "catalog_uuid"] {
        catalog.as_object_mut().unwrap().remove(name);
    }
    catalog
}

/// Runs git in a directory.
fn git(fixture: &UntrustedSite, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    let config = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
    let output = command.current_dir(&fixture.site).args(config).args(args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn harmless_code_compiles_to_the_catalog_of_trusted_code() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    let args = ["compile", "n.example.com"];
    let trusted = fixture.run(&args, &[]).expect(0, "");
    let untrusted = fixture.run(&[&args[..], &["--untrusted"]].concat(), &[]).expect(0, "");
    assert_eq!(catalog(&trusted), catalog(&untrusted));
    assert!(untrusted.stdout.contains("text of a file"));
    // The path of the site may itself contain a link.
    let alias = fixture.dir.path().join("alias");
    std::os::unix::fs::symlink(&fixture.site, &alias).unwrap();
    let site = alias.to_string_lossy().into_owned();
    fixture.run(&["compile", "n.example.com", "--untrusted", "--site", &site], &[]).expect(0, "");
}

#[test]
fn files_and_programs_that_the_user_names_are_allowed() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    let file = |name: &str, text: &str| {
        let path = fixture.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let facts = file("facts.yaml", "x: a fact\n");
    let classifier = file("enc.sh", "#!/bin/sh\necho 'parameters: { p: from the classifier }'\n");
    std::fs::set_permissions(&classifier, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    file("mine/n/manifests/init.pp", "class n { notify { \"${::p}\": } }");
    let modules = format!("modules:{}", fixture.dir.path().join("mine").display());
    fixture.write("site.pp", "include m, n\n");
    let args =
        ["compile", "n.example.com", "--untrusted", "--facts", &facts, "--enc", &classifier, "--modulepath", &modules];
    let run = fixture.run(&args, &[]).expect(0, "");
    assert!(run.stdout.contains("a fact") && run.stdout.contains("from the classifier"), "{run:#?}");
    // Catwalk may start the program that the user names; the site's code may not start it.
    fixture.write("site.pp", &format!("$x = generate('{classifier}')\n"));
    fixture.run(&args, &[]).expect(1, "untrusted code may not start processes");
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
        let fixture = UntrustedSite::new();
        harmless(&fixture, config);
        for (path, text) in [(".env", "CATWALK_UNTRUSTED=0\n"), ("environment.conf", "untrusted = false\n")] {
            fixture.write(path, text);
        }
        fixture.write("site.pp", &fixture.expand("$x = generate('/usr/bin/touch', 'MARKER')\n"));
        let variables: Vec<(&str, &str)> = variable.iter().map(|value| ("CATWALK_UNTRUSTED", *value)).collect();
        let run = fixture.run(&[&["compile", "n.example.com"], args].concat(), &variables);
        assert_eq!(
            (run.code, fixture.marker().exists()),
            (Some(i32::from(untrusted)), !untrusted),
            "{config} {variable:?}: {run:#?}"
        );
    }
}

/// Keys of `catwalk.toml` that would widen what its own code may use: the key, and what the command line adds to permit it.
const RAISED: &[(&str, &[&str])] = &[
    ("time = 61", &["--time-limit", "61"]),
    ("time = 0", &["--limit", "time=100"]),
    ("depth = 1500", &["--limit", "depth=1500"]),
    ("resources = 1_000_001", &["--limit", "resources=2_000_000"]),
    ("iterations = 100_000_001", &["--limit", "iterations=5"]),
    ("text = 268_435_457", &["--limit", "text=268_435_456"]),
    ("elements = 99_000_000", &["--limit", "elements=99_000_000"]),
    ("memory = 9_000_000_000", &["--limit", "memory=9_000_000_000"]),
    ("file = 9_000_000_000", &["--limit", "file=9_000_000_000"]),
    ("responses = 9_000_000_000", &["--limit", "responses=9_000_000_000"]),
];

#[test]
fn limits_of_the_site_can_only_be_lowered() {
    let fixture = UntrustedSite::new();
    let eval = |more: &[&str]| fixture.run(&[&["eval", "-e", "1 + 1"], more].concat(), &[]);
    for (limit, permits) in RAISED {
        fixture.write("catwalk.toml", &format!("[limits]\n{limit}\n"));
        eval(&[]).expect(0, "");
        let run = eval(&["--untrusted"]).expect(2, "error[UNTRUSTED]");
        let (name, value) = limit.split_once(" = ").unwrap();
        assert!(
            run.stderr.contains(&format!("may not raise limits: `{name} = {}`", value.replace('_', ""))),
            "{run:#?}"
        );
        assert!(run.stderr.contains("catwalk.toml"), "{run:#?}");
        eval(&[&["--untrusted"], *permits].concat()).expect(0, "");
    }
    // Lower limits hold.
    fixture.write("catwalk.toml", "[limits]\ntime = 60\niterations = 10\nfile = 1000\n");
    eval(&["--untrusted"]).expect(0, "");
    fixture.run(&["eval", "--untrusted", "-e", "Integer[1, 5000].each |$x| { }"], &[]).expect(1, "ITERATION_LIMIT");
    // The site is untrusted because its own file says so.
    fixture.write("catwalk.toml", "untrusted = true\n[limits]\ntime = 100\n");
    eval(&[]).expect(2, "may not raise limits");
}

/// Other keys that the site's code does not get more rights from.
#[test]
fn other_keys_of_the_site_widen_nothing() {
    let fixture = UntrustedSite::new();
    for config in [
        "[commands]\npure = [\"*\", \"/usr/bin/id\"]\n",
        "[watch]\nignore = [\"**\"]\n",
        "[scripts]\nisolation = \"none\"\n",
        "untrusted = false\n",
        "[settings]\nstrict = \"off\"\n",
    ] {
        fixture.write("catwalk.toml", config);
        let eval = |code: &str| fixture.run(&["eval", "--untrusted", "-e", code], &[]);
        eval("generate('/usr/bin/id')").expect(1, "untrusted code may not start processes");
        eval("file('/etc/hostname')").expect(1, "untrusted code may not read outside of the site");
        eval("inline_template('<%= ENV[\"HOME\"] %>')").expect(1, "untrusted code may not");
    }
    // The command line isolates scripts whatever the site says.
    fixture.write("catwalk.toml", "[scripts]\nisolation = \"none\"\n");
    fixture.write("modules/m/scripts/functions/f.rhai", "fn f() { call_function(\"generate\", \"/usr/bin/id\") }\n");
    fixture.run(&["eval", "--untrusted", "--isolate-scripts", "-e", "m::f()"], &[]).expect(1, "");
}

/// Code of trusted sites whose message is that of a forbidden attempt; the code of the error does not depend on the message.
const MESSAGES: [(&str, &str); 7] = [
    ("a function", "fail('untrusted code may not sleep')"),
    ("a variable", "$x = 'untrusted code may not sleep'\nfail(\"${x}: no\")"),
    ("Ruby", "m::raised()"),
    ("a template", "notice(inline_template('<% raise \"untrusted code may not sleep\" %>'))"),
    ("a script", "m::thrown()"),
    ("data", "lookup('untrusted code may not sleep')"),
    ("a class", "class { 'untrusted code may not sleep': }"),
];

#[test]
fn a_message_does_not_make_a_failure_a_forbidden_attempt() {
    let fixture = UntrustedSite::new();
    fixture.write("catwalk.toml", "nodes = \"nodes\"\n");
    fixture.write(
        "modules/m/lib/puppet/functions/m/raised.rb",
        "Puppet::Functions.create_function(:'m::raised') do\n  def raised\n    raise 'untrusted code may not sleep'\n  end\nend\n",
    );
    fixture
        .write("modules/m/scripts/functions/thrown.rhai", "fn thrown() { throw \"untrusted code may not sleep\"; }\n");
    for (name, code) in MESSAGES {
        for mode in [&[][..], &["--untrusted"]] {
            let run = fixture
                .run(&[&["compile", "n.example.com", "-e", code, "--log-format", "json"][..], mode].concat(), &[]);
            let errors = run.stderr.lines().filter(|line| line.contains("\"level\":\"err\""));
            let errors: Vec<Value> = errors.map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(errors.len(), 1, "{name}: {run:#?}");
            assert!(
                errors[0]["message"].as_str().unwrap().contains("untrusted code may not sleep"),
                "{name}: {run:#?}"
            );
            assert_ne!(errors[0]["code"], "UNTRUSTED", "{name}: {run:#?}");
            assert!(!run.stderr.contains("compiled as untrusted"), "{name}: {run:#?}");
        }
    }
    // A classifier's output and a script that classifies are no attempts either.
    fixture.write("enc.rhai", "fn classify(node) { throw \"untrusted code may not sleep\"; }\n");
    let run = fixture.run(&["compile", "n.example.com", "--enc", "enc.rhai", "--log-format", "json"], &[]);
    assert!(run.code != Some(0) && !run.stderr.contains("UNTRUSTED"), "{run:#?}");
}
