//! Each output of the program with a secret in each part of a site: which output shows which secret.

use std::path::Path;

use crate::support::Site;

/// Parts of the site that contain a secret; the secret is `<part>-hunter2-secret`.
const PARTS: [&str; 12] = [
    "literal",
    "parameter",
    "nested",
    "deferred",
    "exported",
    "exported_nested",
    "title",
    "message",
    "hiera",
    "epp",
    "reason",
    "lookup",
];

/// Parts whose secrets are Sensitive values in the catalog, so that a native catalog file marks them as sensitive.
const IN_CATALOG: [&str; 5] = ["parameter", "nested", "deferred", "exported", "exported_nested"];

const PP: &str = r#"
class c($hiera) {
  notify { 'hiera': message => "it is ${hiera.unwrap}" }
}
include c
user { 'parameter': password => lookup('s::parameter') }
-> c::d { 'nested': h => { 'a' => [{ 'pw' => lookup('s::nested') }] } }
c::d { 'deferred': h => Deferred('sprintf', ['%s', lookup('s::deferred')]) }
$heading = lookup('s::title').unwrap
notify { "title ${heading}": require => User['parameter'] }
notify { 'message': message => "message ${lookup('s::message').unwrap}" }
file { '/epp': content => epp('c/x.epp', { 'pw' => lookup('s::epp') }), require => Notify["title ${heading}"] }
@@user { 'exported': password => lookup('s::exported') }
@@c::d { 'exported_nested': h => { 'pw' => lookup('s::exported_nested') } }
if $facts['fails'] { fail("because of ${lookup('s::reason').unwrap}") }
warning("warned of ${lookup('s::reason').unwrap}")
"#;

/// Literals that are secret although nothing evaluates them.
const LITERAL: &str = r#"# A class.
# @example
#   class { 'c::literal': pw => Sensitive('literal-hunter2-secret') }
class c::literal(
  Sensitive[String] $pw = Sensitive('literal-hunter2-secret'),
  Optional[Variant[Sensitive[String], String]] $other = 'literal-hunter2-secret',
  Hash $options = { 'pw' => Sensitive.new("literal-hunter2-secret") },
  C::Password $aliased = 'literal-hunter2-secret',
  String $public = 'shown',
) {
  notify { "x": message => Sensitive('literal-hunter2-secret'), unknown => 1 }
}
"#;

fn secret(part: &str) -> String {
    format!("{part}-hunter2-secret")
}

fn site() -> Site {
    let mut data = String::from("lookup_options:\n  '^(s|c)::': {convert_to: Sensitive}\n");
    for part in PARTS {
        let module = if part == "hiera" { "c" } else { "s" };
        data.push_str(&format!("{module}::{part}: {}\n", secret(part)));
    }
    Site::new(&[
        ("site.pp", PP),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n"),
        ("data/common.yaml", &data),
        ("nodes/web1.json", "{}"),
        ("modules/c/manifests/init.pp", "# The class is in the main manifest.\n"),
        ("modules/c/manifests/literal.pp", LITERAL),
        // A value in clear where the parameter wants a secret: the excerpt of the data file must not show it.
        ("modules/t/manifests/init.pp", "class t(C::Password $pw) { }\n"),
        ("modules/c/types/password.pp", "type C::Password = C::Hidden\n"),
        ("modules/c/types/hidden.pp", "type C::Hidden = Variant[Sensitive[String], Undef]\n"),
        ("modules/t/hiera.yaml", "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n"),
        ("modules/t/data/common.yaml", "t::pw: literal-hunter2-secret\n"),
        ("broken.pp", "$x = Sensitive('literal-hunter2-secret'\n$y = 'public'\n"),
        ("modules/c/manifests/d.pp", "define c::d($h) { }\n"),
        ("modules/c/templates/x.epp", "<%- |$pw| -%>\npassword = <%= $pw.unwrap %>\n"),
    ])
}

/// The parts whose secrets are in the bytes.
fn exposed_parts(bytes: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    PARTS.into_iter().filter(|part| text.contains(&secret(part))).collect()
}

/// The contents of all files in a directory, joined.
fn bytes_of(path: &Path) -> Vec<u8> {
    if path.is_file() {
        return std::fs::read(path).unwrap();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten();
    entries.flat_map(|entry| bytes_of(&entry.unwrap().path())).collect()
}

/// The secrets that an output may show: none, those in a native catalog, or those that a native file does not mark as sensitive.
#[derive(Clone, Copy, PartialEq, Debug)]
enum AllowedSecrets {
    Nothing,
    Catalog,
    Unmarked,
}

/// A command line and a file or directory that it writes.
type Output = (&'static str, Option<&'static str>, AllowedSecrets);

const OUTPUTS: [Output; 58] = [
    ("compile web1 -e include('t')", None, AllowedSecrets::Nothing),
    ("compile web1 -e include('t') --log-format json", None, AllowedSecrets::Nothing),
    ("compile web1 -e lookup('t::pw',C::Password)", None, AllowedSecrets::Nothing),
    ("eval -e lookup('t::pw',C::Password) --node web1", None, AllowedSecrets::Nothing),
    ("docs classes c::literal", None, AllowedSecrets::Nothing),
    ("docs classes c::literal --format json", None, AllowedSecrets::Nothing),
    ("docs classes c::literal --format markdown", None, AllowedSecrets::Nothing),
    ("check broken.pp modules", None, AllowedSecrets::Nothing),
    ("check broken.pp --format json", None, AllowedSecrets::Nothing),
    ("check broken.pp --format sarif", None, AllowedSecrets::Nothing),
    ("compile web1 --manifest broken.pp", None, AllowedSecrets::Nothing),
    ("compile web1 --manifest broken.pp --log-format json", None, AllowedSecrets::Nothing),
    ("compile web1 -e include('c::literal') --log-format json", None, AllowedSecrets::Nothing),
    ("eval -e include('c::literal') --node web1 --log-format json", None, AllowedSecrets::Nothing),
    ("compile web1 --format canonical --profile -", None, AllowedSecrets::Nothing),
    ("compile web1", None, AllowedSecrets::Catalog),
    ("compile web1 --format native1", None, AllowedSecrets::Catalog),
    ("compile web1 --format yaml", None, AllowedSecrets::Catalog),
    ("compile web1 -o native.json", Some("native.json"), AllowedSecrets::Catalog),
    ("compile web1 --set strict=warning --no-rich-data -o plain.json", Some("plain.json"), AllowedSecrets::Catalog),
    ("compile web1 --format wire4", None, AllowedSecrets::Nothing),
    ("compile web1 --format wire5", None, AllowedSecrets::Nothing),
    ("compile web1 --format wire6", None, AllowedSecrets::Nothing),
    ("compile web1 --format wire7", None, AllowedSecrets::Nothing),
    ("compile web1 --format wire8", None, AllowedSecrets::Nothing),
    ("compile web1 --format wire9 -o wire9.json", Some("wire9.json"), AllowedSecrets::Nothing),
    ("compile web1 --format wire9 --spec", None, AllowedSecrets::Nothing),
    ("compile web1 --format canonical", None, AllowedSecrets::Nothing),
    ("compile web1 --format dot", None, AllowedSecrets::Nothing),
    ("compile web1 -o catalogs/ --store s.db --log-format json", Some("s.db"), AllowedSecrets::Nothing),
    ("store query resources{} --store s.db", None, AllowedSecrets::Nothing),
    ("store query catalogs{} --store s.db", None, AllowedSecrets::Nothing),
    ("store import native.json --store imported.db", Some("imported.db"), AllowedSecrets::Unmarked),
    ("catalog convert native.json --format wire9", None, AllowedSecrets::Unmarked),
    ("catalog convert native.json --format wire4 --spec", None, AllowedSecrets::Unmarked),
    ("catalog convert native.json --format canonical", None, AllowedSecrets::Unmarked),
    ("catalog convert native.json --format dot", None, AllowedSecrets::Unmarked),
    ("catalog convert wire9.json --format native", None, AllowedSecrets::Nothing),
    ("catalog convert wire9.json --format wire4", None, AllowedSecrets::Nothing),
    ("catalog validate native.json wire9.json", None, AllowedSecrets::Nothing),
    ("catalog diff native.json changed.json", None, AllowedSecrets::Unmarked),
    ("catalog diff wire9.json changed.json", None, AllowedSecrets::Unmarked),
    ("catalog graph web1", None, AllowedSecrets::Nothing),
    ("catalog graph web1 --format dot", None, AllowedSecrets::Nothing),
    ("catalog graph --catalog wire9.json", None, AllowedSecrets::Nothing),
    ("catalog why User[parameter] File[/epp] --node web1", None, AllowedSecrets::Nothing),
    ("show web1", None, AllowedSecrets::Nothing),
    ("show web1 File[/epp]", None, AllowedSecrets::Nothing),
    ("show web1 User[parameter]", None, AllowedSecrets::Nothing),
    ("test --accept", Some("snapshots"), AllowedSecrets::Nothing),
    ("test --format json --junit report.xml --markdown report.md", Some("report.xml"), AllowedSecrets::Nothing),
    ("diff --against catalogs", None, AllowedSecrets::Nothing),
    ("lookup s::lookup --node web1 --explain", None, AllowedSecrets::Nothing),
    ("eval -e lookup('s::lookup').unwrap --node web1", None, AllowedSecrets::Nothing),
    ("compile web1 --fact fails=true", None, AllowedSecrets::Nothing),
    ("compile web1 --fact fails=true --log-format json", None, AllowedSecrets::Nothing),
    ("apply --noop --catalog native.json", None, AllowedSecrets::Unmarked),
    ("data unused", None, AllowedSecrets::Nothing),
];

#[test]
fn only_native_catalogs_show_secrets() {
    let site = site();
    let mut problems = Vec::new();
    for (line, file, allowed) in OUTPUTS {
        if line.starts_with("catalog diff") {
            let changed = std::fs::read_to_string(site.path().join("native.json")).unwrap();
            site.write("changed.json", changed.replace("-hunter2-secret", "-hunter3-secret"));
        }
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = site.command(&arguments).output().unwrap();
        let written = file.map(|file| bytes_of(&site.path().join(file))).unwrap_or_default();
        assert!(file.is_none() || !written.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let stderr = exposed_parts(&output.stderr);
        if !stderr.is_empty() {
            problems.push(format!("{line}: stderr shows {stderr:?}"));
        }
        let exposed = exposed_parts(&[output.stdout.as_slice(), &written].concat());
        let leaks: Vec<&str> = match allowed {
            AllowedSecrets::Nothing => exposed,
            AllowedSecrets::Catalog => Vec::new(),
            AllowedSecrets::Unmarked => exposed.into_iter().filter(|part| IN_CATALOG.contains(part)).collect(),
        };
        if !leaks.is_empty() {
            problems.push(format!("{line}: shows {leaks:?}"));
        }
        let stderr_text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_usage = output.status.code() == Some(2) || stderr_text.contains("panicked");
        if is_usage {
            problems.push(format!("{line}: {stderr_text}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // Native catalogs contain the values that Puppet sends to agents.
    let native = std::fs::read(site.path().join("native.json")).unwrap();
    let is_sent = |part: &&&str| !part.starts_with("exported");
    assert!(IN_CATALOG.iter().filter(is_sent).all(|part| exposed_parts(&native).contains(part)));
}

#[test]
fn digests_show_whether_a_secret_changed() {
    let site = site();
    let wire = |file: &str| {
        site.run(&["compile", "web1", "--format", "wire9", "-o", file]).expect(0, "");
        std::fs::read_to_string(site.path().join(file)).unwrap()
    };
    let token = |text: &str| {
        let at = text.find("message <Sensitive ").unwrap();
        text[at..].split('>').next().unwrap().to_owned()
    };
    let before = wire("before.json");
    assert_eq!(token(&before), token(&wire("again.json")));
    site.run(&["catalog", "diff", "before.json", "again.json"]).expect(0, "");
    let data = std::fs::read_to_string(site.path().join("data/common.yaml")).unwrap();
    site.write("data/common.yaml", data.replace("message-hunter2", "message-hunter4"));
    assert_ne!(token(&before), token(&wire("changed.json")));
    let printed = site.run(&["catalog", "diff", "before.json", "changed.json"]).stdout;
    assert!(printed.contains("Notify[message]") && !printed.contains("hunter"), "{printed}");
}

#[test]
fn secrets_of_exported_resources_are_warned_about() {
    let site = Site::new(&[
        ("nodes/web1.json", "{}"),
        ("nodes/mon.json", "{}"),
        (
            "site.pp",
            "node 'web1' {\n  $pw = Sensitive('exported-hunter2')\n  @@user { 'u':\n    password => $pw,\n  }\n  \
             @@file { '/x':\n    content => \"pw=${pw.unwrap}\",\n  }\n}\nnode 'mon' { User <<| |>> File <<| |>> }\n",
        ),
    ]);
    let run = site.run(&["compile", "web1", "--set", "storeconfigs=true", "--log-format", "json"]);
    let warnings: Vec<serde_json::Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<(&str, &serde_json::Value)> =
        warnings.iter().map(|warning| (warning["code"].as_str().unwrap(), &warning["line"])).collect();
    assert_eq!(found, [("SENSITIVE_NOT_EXPORTED", &4.into()), ("SECRET_EXPORTED", &7.into())], "{run:#?}");
    // The collecting node receives the value as in Puppet, and its outputs hide it as those of the exporting node do.
    let native = site.run(&["compile", "mon", "--exported", "site"]).stdout;
    assert!(native.contains("pw=exported-hunter2") && !native.contains("\"password\""), "{native}");
    for format in ["canonical", "dot", "wire9"] {
        let exposed = site.run(&["compile", "mon", "--exported", "site", "--format", format]).stdout;
        assert!(!exposed.contains("hunter2"), "{format}: {exposed}");
    }
}
