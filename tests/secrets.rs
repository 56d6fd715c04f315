//! No output except the catalog itself contains a secret: runs every command on a site with secrets of every kind.

use std::path::Path;

use crate::support::Site;
use crate::support::running::Watching;

/// Strings that no output may contain, in upper or lower case. The values are in the manifests and data of [`site`].
const SECRETS: [&str; 13] = [
    "hunter2",
    "nested-pw-one",
    "deferred-pw-two",
    "title-pw-three",
    "epp-pw-four",
    "erb-pw-five",
    "converted-pw-six",
    "rhai-pw-seven",
    "logged-pw-eight",
    "whole-pw-nine",
    "4821377",
    "MIIEowIBAAKCAQEAleaked",
    "zqj",
];

const PP: &str = r#"
class { 'c':
  h => { 'pw' => Sensitive($facts['f_nested']), 'short' => Sensitive($facts['f_short']), 'pin' => [Sensitive(4821377)] },
  d => Deferred('sprintf', ['%s', Sensitive($facts['f_deferred'])]),
}
$heading = Sensitive($facts['f_title'])
notify { "title ${heading.unwrap}": }
notify { 'eyaml': message => "it is ${lookup('password')}" }
notify { 'converted': message => "now ${lookup('c::converted').unwrap}" }
notify { 'rhai': message => c::secret($facts['f_rhai']) }
notify { 'pin': message => Sensitive(4821377).unwrap }
file { '/key': content => Sensitive($facts['f_key']).unwrap }
user { 'whole': password => Sensitive($facts['f_whole']) }
file { '/epp': content => unwrap(epp('c/x.epp', { 'pw' => Sensitive($facts['f_epp']) })) }
file { '/erb': content => template('c/x.erb') }
$logged = Sensitive($facts['f_logged'])
notice("logged ${logged.unwrap}")
warning("warned ${logged.unwrap}")
"#;

/// Facts are plain values; the code above makes them Sensitive.
const FACTS: &str = r#"{"f_nested": "nested-pw-one", "f_short": "zqj", "f_deferred": "deferred-pw-two", "f_title": "title-pw-three",
    "f_epp": "epp-pw-four", "f_erb": "erb-pw-five", "f_rhai": "rhai-pw-seven", "f_logged": "logged-pw-eight", "f_whole": "whole-pw-nine",
    "f_key": "-----BEGIN KEY-----\nMIIEowIBAAKCAQEAleaked\n-----END KEY-----\n"}"#;

const HIERA: &str = "version: 5
hierarchy:
  - name: secrets
    lookup_key: eyaml_lookup_key
    path: secrets.eyaml
    options: {pkcs7_private_key: keys/private_key.pkcs7.pem}
  - {name: common, path: common.yaml}
";

/// A test case whose expectations fail.
const CASE: &str = "code: |
  user { 'u': password => Sensitive(lookup('c::converted').unwrap) }
  notify { 'eyaml': message => lookup('password') }
  class { 'c': h => { 'pw' => lookup('c::converted') }, d => 1 }
expect:
  contains:
    User[u]: {password: other}
    Class[C]: {h: other}
    Notify[eyaml]: {message: other}
";

fn site() -> Site {
    let read = |path: &str| std::fs::read_to_string(format!("tests/cases/hiera-eyaml/{path}")).unwrap();
    let (key, data) = (read("keys/private_key.pkcs7.pem"), read("data/secrets.eyaml"));
    let password = data.lines().next().unwrap();
    Site::new(&[
        ("site.pp", PP),
        ("hiera.yaml", HIERA),
        ("keys/private_key.pkcs7.pem", &key),
        ("data/secrets.eyaml", password),
        (
            "data/common.yaml",
            "lookup_options: {'c::converted': {convert_to: Sensitive}}\nc::converted: converted-pw-six\n",
        ),
        ("nodes/web1.json", FACTS),
        ("modules/c/manifests/init.pp", "class c($h, $d) { }\n"),
        ("modules/c/templates/x.epp", "<%- |$pw| -%>\npassword = <%= $pw %>\n"),
        (
            "modules/c/templates/x.erb",
            "<% s = Puppet::Pops::Types::PSensitiveType::Sensitive.new(@facts['f_erb']) -%>\npassword = <%= s.unwrap %>\n",
        ),
        ("modules/c/scripts/functions/secret.rhai", "fn secret(text) { \"made of \" + sensitive(text).unwrap() }\n"),
        (
            "scripts/tests/c_test.rhai",
            "fn test_it() { let s = sensitive(\"rhai-pw-\" + \"seven\"); assert_eq(s.unwrap(), \"other\"); }\n",
        ),
    ])
}

/// Fails if the output contains a secret; `from` names the output.
fn clean(from: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    for secret in SECRETS {
        assert!(!text.contains(&secret.to_lowercase()), "{secret} is in {from}:\n{text}");
    }
}

fn run(site: &Site, args: &[&str]) -> String {
    let output = site.command(args).output().unwrap();
    clean(&format!("stderr of {args:?}"), &output.stderr);
    // The catalog is the only output that contains them.
    if args[0] != "compile" {
        clean(&format!("stdout of {args:?}"), &output.stdout);
    }
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn clean_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            clean_files(&path);
        } else {
            clean(&path.display().to_string(), &std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn no_output_holds_a_secret() {
    let site = site();
    for format in [&["--log-format", "json"][..], &["--log-format", "human"]] {
        assert!(run(&site, &[&["compile"], format].concat()).contains("logged <Sensitive"));
    }
    run(&site, &["test", "--accept"]);
    site.write("tests/c.yaml", CASE);
    for args in [
        &["test", "--format", "json"][..],
        &["test", "--format", "junit"],
        &["test", "--format", "markdown", "-v"],
        &["test", "--junit", "report.xml", "--markdown", "report.md"],
        &["snapshot", "list"],
        &["data", "unused"],
        &["script", "test"],
        &["script", "test", "--format", "tap"],
        &["script", "test", "--format", "junit"],
        &["check"],
        &["docs", "classes", "c"],
    ] {
        run(&site, args);
    }
    let snapshot = std::fs::read_to_string(site.path().join("snapshots/web1.snap")).unwrap();
    assert!(
        snapshot.contains("\"message\": \"it is <Sensitive ") && snapshot.contains("\"pw\": \"<Sensitive "),
        "{snapshot}"
    );
    clean_files(&site.path().join("snapshots"));
    for report in ["report.xml", "report.md"] {
        clean(report, &std::fs::read(site.path().join(report)).unwrap());
    }
    // A change of a secret is shown, its old and new values are not.
    let before = FACTS;
    site.write("nodes/web1.json", before.replace("nested-pw", "other-pw").replace("epp-pw", "another-pw"));
    let text = site.run(&["test"]).stdout;
    assert!(text.contains("~ Class[C]") && text.contains("~ File[/epp]"), "{text}");
    site.write("nodes/web1.json", before);
}

#[test]
fn answers_to_queries_contain_no_secrets() {
    let site = site();
    let node = ["--node", "web1"];
    for key in ["password", "c::converted"] {
        for args in [&[][..], &["--explain"], &["--compile"]] {
            for format in ["human", "json", "yaml", "s"] {
                run(&site, &[&["lookup", key, "--format", format][..], &node, args].concat());
            }
        }
    }
    let shown = site.run(&["lookup", "password", "--node", "web1", "--show-secrets"]);
    assert_eq!(shown.stdout, "--- hunter2\n");
    for code in [
        "lookup('password')",
        "c::secret($facts['f_rhai'])",
        "[lookup('c::converted'), { 'a' => lookup('password') }]",
        "[Sensitive($facts['f_nested']), Sensitive($facts['f_nested']).unwrap]",
        "$s = Sensitive($facts['f_whole']) notice($s.unwrap) fail(\"no ${s.unwrap}\")",
        "notify { 'a': require => lookup('password') }",
        "generate('/bin/false', lookup('password'))",
        "file { lookup('password'): }",
        "Integer(lookup('password'))",
        "file(\"c/${lookup('password')}\")",
        "assert_type(Integer, lookup('password'))",
    ] {
        for format in ["puppet", "json", "rich"] {
            run(&site, &[&["eval", "-e", code, "--format", format][..], &node].concat());
            run(&site, &[&["eval", "--isolate-scripts", "-e", code, "--format", format][..], &node].concat());
        }
        run(&site, &["compile", "-e", code, "--log-format", "json"]);
        run(&site, &["compile", "-e", code]);
    }
    let shown = site.run(&["eval", "-e", "lookup('password')", "--node", "web1", "--show-secrets"]);
    assert_eq!(shown.stdout, "'hunter2'\n");
}

#[test]
fn watch_shows_changes_of_secrets_only() {
    for args in [&["watch", "--plain"][..], &["watch", "--json"]] {
        let site = site();
        let watching = Watching::start(&site, args);
        let next = || {
            let mut text = String::new();
            loop {
                let line = watching.lines.recv_timeout(crate::support::running::PATIENCE).unwrap();
                text.push_str(&format!("{line}\n"));
                if line.contains("compiled in") || line.contains("\"event\":\"done\"") {
                    clean(&format!("{args:?}"), text.as_bytes());
                    return text;
                }
            }
        };
        next();
        site.write(
            "nodes/web1.json",
            FACTS.replace("nested-pw-one", "nested-pw-one-changed").replace("epp-pw-four", "epp-pw-four-b"),
        );
        let text = next();
        assert!(text.contains("Class[C]") && text.contains("File[/epp]"), "{text}");
        site.write("site.pp", format!("{PP}\nfail(\"because of ${{lookup('password')}}\")\n"));
        next();
    }
}

#[test]
fn comparisons_show_changes_of_secrets_only() {
    let site = site();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(site.path());
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    site.run(&["compile", "-o", "kept/"]).expect(0, "");
    // A catalog that was saved before the value became Sensitive.
    site.write("site.pp", PP.replace("password => Sensitive($facts['f_whole'])", "password => $facts['f_whole']"));
    let kept = site.run(&["compile"]).stdout;
    assert!(kept.contains("whole-pw-nine"));
    site.write("site.pp", PP);
    site.write(
        "nodes/web1.json",
        FACTS.replace("nested-pw-one", "nested-pw-one-b").replace("erb-pw-five", "erb-pw-five-b"),
    );
    for format in ["human", "json", "markdown"] {
        for args in [&["diff", "--format", format][..], &["diff", "--against", "kept", "--format", format]] {
            let text = run(&site, args);
            assert!(text.contains("Class[C]"), "{text}");
        }
    }
    // The key of the site is not under version control.
    let status =
        std::process::Command::new("git").args(["status", "--porcelain"]).current_dir(site.path()).output().unwrap();
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(site.path().join(".catwalk/secrets.key").exists() && !status.contains(".catwalk"), "{status}");
}

#[test]
fn snapshots_are_the_same_on_machines_with_another_key() {
    let site = site();
    site.run(&["test", "--accept"]).expect(0, "");
    let first = std::fs::read_to_string(site.path().join(".catwalk/secrets.key")).unwrap();
    site.remove(".catwalk/secrets.key");
    site.run(&["test"]).expect(0, "");
    let second = std::fs::read_to_string(site.path().join(".catwalk/secrets.key")).unwrap();
    assert_ne!(first, second);
    // A build server has no key: tokens have no digests, and unchanged snapshots still match.
    site.remove(".catwalk/secrets.key");
    let output = site.command(&["test"]).env("CI", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!site.path().join(".catwalk/secrets.key").exists());
    // With the key in an environment variable, a build server detects changes of secrets, too.
    let ci = |facts: &str| {
        site.write("nodes/web1.json", facts);
        let mut command = site.command(&["test"]);
        command.env("CI", "1").env("CATWALK_SECRETS_KEY", first.trim()).output().unwrap().status.code()
    };
    assert_eq!(ci(FACTS), Some(0));
    assert_eq!(ci(&FACTS.replace("whole-pw-nine", "whole-pw-ten")), Some(1));
}
