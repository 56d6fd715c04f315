//! What `apply` and `resource` print and write about secrets, however a secret enters a run: every option that prints × every way × stdout,
//! stderr and each file.

use std::os::unix::fs::PermissionsExt;

use base64::Engine;

use crate::support::Site;

/// The ways in which a secret enters a run; the secret is `<way>-hunter2-secret`.
const WAYS: [&str; 16] = [
    "attribute",
    "bucket",
    "changed",
    "command",
    "deferred",
    "eyaml",
    "hiera",
    "link",
    "logged",
    "nested",
    "output",
    "parameter",
    "provider",
    "quoted",
    "state",
    "title",
];

fn secret(way: &str) -> String {
    format!("{way}-hunter2-secret")
}

const PP: &str = r#"
$command = Sensitive('command-hunter2-secret')
exec { "/bin/echo ${command.unwrap}": logoutput => true }
$output = Sensitive('output-hunter2-secret')
exec { 'fails': command => "/bin/sh -c 'echo ${output.unwrap}; echo ${output.unwrap} >&2; exit 3'", logoutput => true }
$quoted = Sensitive("quoted-hunter2-secret it's \"so\" \$x")
exec { 'quoted': command => "/bin/echo ${shellquote($quoted.unwrap)}", logoutput => true }
exec { 'onlyif': command => '/bin/true', onlyif => "/bin/echo ${command.unwrap}" }
$heading = Sensitive('title-hunter2-secret')
notify { "title ${heading.unwrap}": }
file { "DIR/${heading.unwrap}.txt": content => "a\n" }
file { 'DIR/link': ensure => link, target => Sensitive('DIR/link-hunter2-secret') }
notify { 'link': message => 'DIR/link-hunter2-secret' }
file { 'DIR/parameter': content => Sensitive("parameter-hunter2-secret\n") }
file { 'DIR/shown': content => "shown parameter-hunter2-secret\n" }
file { 'DIR/bucket': content => Sensitive("first\n{abc}bucket-hunter2-secret"), backup => 'puppet' }
file { 'DIR/invalid': content => "x\n", validate_cmd => '/bin/sh -c "echo output-hunter2-secret; exit 1" %' }
file { 'DIR/deferred': content => Deferred('new', [Sensitive, "deferred-hunter2-secret\n"]) }
-> notify { 'deferred': message => "it is deferred-hunter2-secret" }
-> notify { 'deferred too': message => Deferred('sprintf', ['%s', 'deferred-hunter2-secret']) }
notify { 'eyaml': message => "it is ${lookup('password')}" }
notify { 'hiera': message => "it is ${lookup('s::hiera').unwrap}" }
vault { 'nested': options => { 'a' => [Sensitive('nested-hunter2-secret')] } }
vault { 'a': secret => 'attribute-hunter2-secret', token => Sensitive('changed-hunter2-secret'), audit => 'all' }
notice("logged ${Sensitive('logged-hunter2-secret').unwrap}")
warning("logged ${Sensitive('logged-hunter2-secret').unwrap}")
"#;

const TYPE: &str = r#"register_type(#{
    name: "vault",
    desc: "A secret.",
    attributes: #{
        name: #{ type: "String", desc: "Its name.", behaviour: "namevar" },
        secret: #{ type: "Optional[String]", desc: "A sensitive attribute.", sensitive: true },
        token: #{ type: "Any", desc: "A value that may be Sensitive." },
        options: #{ type: "Any", desc: "A value with Sensitive values in it." },
    },
});
"#;

const PROVIDER: &str = r#"
fn open(value) { try { value.unwrap() } catch { value } }
fn get(context) {
    let token = sensitive("provider-hunter2-secret");
    context.notice("provider-hunter2-secret was read");
    print("provider-hunter2-secret");
    [#{ name: "a", secret: "state-hunter2-secret", token: token }]
}
fn set(context, changes) {
    for name in changes.keys() {
        let should = changes[name].should;
        if name != "a" { context.warning(`nested ${should.options}`); context.warning("nested-hunter2-secret"); continue; }
        context.notice("changing " + open(should.secret) + " and " + open(should.token));
        context.debug("state-hunter2-secret");
        throw "cannot change state-hunter2-secret to " + open(should.secret) + open(should.token);
    }
}
"#;

fn site() -> Site {
    let eyaml = std::fs::read_to_string("tests/cases/hiera-eyaml/keys/private_key.pkcs7.pem").unwrap();
    let hiera = "version: 5\nhierarchy:\n  - {name: encrypted, lookup_key: eyaml_lookup_key, path: encrypted.eyaml, options: \
                 {pkcs7_private_key: keys/key.pem}}\n  - {name: common, path: common.yaml}\n";
    let site = Site::new(&[
        ("hiera.yaml", hiera),
        ("keys/key.pem", &eyaml),
        ("data/encrypted.eyaml", &format!("password: ENC[PKCS7,{ENCRYPTED}]\n")),
        ("data/common.yaml", "lookup_options: {'s::hiera': {convert_to: Sensitive}}\ns::hiera: hiera-hunter2-secret\n"),
        ("modules/vault/scripts/types/vault.rhai", TYPE),
        ("modules/vault/scripts/providers/vault.rhai", PROVIDER),
        ("nodes/n1.json", "{}"),
        ("out/shown", "before\n"),
    ]);
    let directory = site.path().join("out").canonicalize().unwrap();
    site.write("run.pp", PP.replace("DIR", &directory.to_string_lossy()));
    site
}

/// `eyaml-hunter2-secret`, encrypted by `openssl cms -encrypt -aes256 -binary -outform DER -recip public_key.pkcs7.pem | base64`.
const ENCRYPTED: &str = "MIIBiQYJKoZIhvcNAQcDoIIBejCCAXYCAQAxggEhMIIBHQIBADAFMAACAQEwDQYJKoZIhvcNAQEBBQAEggEAXDQyfJw3a2xFrkfRILZq1c/mGF\
    G0gh9o/RxBjlDnJpMecD9jXgI0Kavy97ZUz/nmWE8NjHyNYsO+rOAr36kUWxdoD3rrUqVZNrZ0elfuOHUjQTR0srl7J4DM2PnGGKz4R89GIQ/g\
    ViaGnricOimkT4mgqdfie0bMBZwvDuTDAbYrFg7mgRdv3T6A7A+LktnfISUMB0vgFseSs3GzQxOq+5T6mXeiqOtn3IjDPdZGEBIK9Ols+3xE2J\
    7tRzYEThPOBh1DHcH6TnaWBWuZ7P1iKXP2c1aUwbN0c4av9NDQ1qALEhp4ORVKT/FsJ6LEPJpw5D/vafbDYe3E16Hzaz5y5TBMBgkqhkiG9w0B\
    BwEwHQYJYIZIAWUDBAEqBBB0LgJzogexMzBqh/+6PfmGgCDJDQGhz5vJHBt40S9FIfeYKdffQiaXzzzg1WUwd94vzQ==";

/// The ways whose secret is in the bytes: in plain, in another case, or in Base64.
fn exposed_ways(bytes: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lower = text.to_lowercase();
    let encoded = |way: &str| text.contains(&base64::engine::general_purpose::STANDARD_NO_PAD.encode(secret(way)));
    WAYS.into_iter().filter(|way| lower.contains(&format!("{way}-hunter2")) || encoded(way)).collect()
}

/// Command lines, with the files that each writes.
const RUNS: [(&str, &[&str]); 17] = [
    (
        "apply run.pp --noop --debug --report noop.json --statedir noop-state",
        &["noop.json", "noop-state/catwalk-state.json"],
    ),
    ("apply run.pp --noop --statedir state --show-diff", &["state/catwalk-state.json"]),
    ("apply run.pp --plan plan.json --report planned.yaml --statedir state", &["plan.json", "planned.yaml"]),
    ("apply run.pp --apply-plan plan.json --statedir state --report report.json --show-diff", &["report.json"]),
    (
        "apply run.pp --statedir state --report report.json --report-format puppetdb --debug",
        &["state/catwalk-state.json", "report.json"],
    ),
    ("apply run.pp --log-format json --report report.json --statedir state --verbose", &["report.json"]),
    (
        "apply -e fail(\"because\\sof\\s${Sensitive('title-hunter2-secret').unwrap}\") --report failed.json",
        &["failed.json"],
    ),
    ("apply -e fail(\"because\\sof\\s${Sensitive('title-hunter2-secret').unwrap}\") --log-format json", &[]),
    ("apply -e notify{'x':\\smessage=>Deferred('fail',[Sensitive('title-hunter2-secret').unwrap])}", &[]),
    ("compile n1 --manifest run.pp -o catalog.json", &[]),
    ("apply --catalog catalog.json --noop --debug --report catalog-report.json", &["catalog-report.json"]),
    ("apply --catalog catalog.json --statedir state --report catalog-report.json", &["catalog-report.json"]),
    ("resource vault", &[]),
    ("resource vault a --format json --debug", &[]),
    ("resource vault --to_yaml", &[]),
    ("resource vault a secret=attribute-hunter2-secret", &[]),
    ("resource vault a secret=attribute-hunter2-secret --noop --log-format json", &[]),
];

/// The ways that a native catalog file does not mark, so that a run of it cannot know them: titles and messages.
const UNMARKED: [&str; 8] = ["command", "eyaml", "hiera", "logged", "output", "quoted", "title", "provider"];

#[test]
fn runs_print_and_write_no_secret() {
    let site = site();
    let mut problems = Vec::new();
    for (line, files) in RUNS {
        let arguments: Vec<String> = line.split(' ').map(|word| word.replace("\\s", " ")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = site.command(&arguments).output().unwrap();
        if line.starts_with("compile") {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!text.contains("panicked"), "{line}: {text}");
        assert!(!output.stdout.is_empty() || !text.is_empty(), "{line} prints nothing");
        let mut outputs = vec![("stdout", output.stdout), ("stderr", output.stderr)];
        for file in files {
            let path = site.path().join(file);
            let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{line}: {file}: {error}\n{text}"));
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{line}: the mode of {file}");
            outputs.push((file, bytes));
        }
        for (name, bytes) in outputs {
            let mut ways = exposed_ways(&bytes);
            ways.retain(|way| !line.contains("--catalog") || !UNMARKED.contains(way));
            if !ways.is_empty() {
                problems.push(format!("{line}: {name} shows {ways:?}\n{}", String::from_utf8_lossy(&bytes)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // The secrets are where they belong.
    let read = |path: &str| std::fs::read_to_string(site.path().join(path)).unwrap();
    assert_eq!(read("out/parameter"), "parameter-hunter2-secret\n");
    assert_eq!(read("out/deferred"), "deferred-hunter2-secret\n");
}

#[test]
fn the_state_of_secret_titles_is_found_again() {
    let site = site();
    let directory = site.path().join("out").canonicalize().unwrap();
    let file = directory.join("title-hunter2-secret");
    site.write(
        "run.pp",
        format!(
            "$t = Sensitive('title-hunter2-secret')\nfile {{ \"{}/${{t.unwrap}}\": content => 'a' }}\n",
            directory.display()
        ),
    );
    let apply = || site.run(&["apply", "run.pp", "--statedir", "state"]).stdout;
    apply();
    std::fs::write(&file, "changed by hand").unwrap();
    let again = apply();
    assert!(again.contains("(corrective)") && !again.contains("hunter2"), "{again}");
    assert!(!std::fs::read_to_string(site.path().join("state/catwalk-state.json")).unwrap().contains("hunter2"));
}
