//! `catwalk lookup` answers as `puppet lookup` does: values, explanations, messages. The answers in `lookup/answers.json` are
//! recorded by `tests/reference/record-lookup`.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::Site;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn lines(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

/// Runs a lookup. Returns the exit code, lines of stdout, and messages of stderr.
fn run_lookup(case: &Value) -> (i32, Vec<String>, Vec<String>) {
    let site = root().join(case["site"].as_str().unwrap());
    let node = case["node"].as_str().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    command.args(["lookup", "--puppet", "7", "--log-format", "json", "--node", node, "--site"]).arg(&site);
    command.arg("--facts").arg(site.join("nodes").join(format!("{node}.json")));
    let global = site.join("global.yaml");
    if global.exists() {
        command.arg("--hiera").arg(global);
    }
    let output = command.args(lines(&case["args"])).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*site.to_string_lossy(), "{{SITE}}");
    let messages = text(&output.stderr);
    let messages = messages.lines().map(|line| match serde_json::from_str::<Value>(line) {
        Ok(line) => line["message"].as_str().unwrap_or_default().to_owned(),
        Err(_) => line.to_owned(),
    });
    let lines = text(&output.stdout).lines().map(str::to_owned).collect();
    (output.status.code().unwrap_or(-1), lines, messages.collect())
}

/// How the answer differs from Puppet's, if it does.
fn compare(case: &Value) -> Option<String> {
    let (code, out, messages) = run_lookup(case);
    let expected = lines(&case["out"]);
    if out != expected {
        let at = out.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(out.len().min(expected.len()));
        let shown = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(end)".to_owned());
        return Some(format!("line {}:\n  got    {}\n  expected {}", at + 1, shown(&out), shown(&expected)));
    }
    // Catwalk exits with 2 on usage errors.
    if i64::from(code.min(1)) != case["exit"].as_i64().unwrap() {
        return Some(format!("exit code {code}, {messages:?}"));
    }
    let mut rest = messages.clone();
    for line in lines(&case["err"]) {
        let line = line.trim_start_matches("Warning: ").trim_start_matches("Error: ");
        let line = line.trim_start_matches("Could not run: ");
        // Puppet's hint at its help, and the location, which Catwalk prints in separate members.
        let line = line.split("\nRun 'puppet lookup").next().unwrap();
        match rest.iter().position(|message| line.starts_with(message.as_str()) || message.starts_with(line)) {
            Some(at) => drop(rest.remove(at)),
            None => return Some(format!("no message: {line}\n  messages {messages:?}")),
        }
    }
    // Catwalk also reports that nothing was found.
    let silent = code == 1 && lines(&case["err"]).iter().all(|line| line.starts_with("Warning: "));
    (rest.len() != usize::from(silent)).then(|| format!("more messages: {rest:?}"))
}

#[test]
fn answers_are_those_of_puppet() {
    let text = std::fs::read_to_string(root().join("tests/lookup/answers.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(cases.len() > 175);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{} {} {}: {}", case["site"], case["node"], case["args"], compare(case)?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn only_a_compile_asks_the_classifier() {
    let site = Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\nenc = \"enc.rhai\"\n"),
        ("enc.rhai", "fn classify(node) { #{ parameters: #{ zone: \"blue\" } } }\n"),
        ("site.pp", ""),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - { name: zone, path: \"%{zone}.yaml\" }\n"),
        ("data/blue.yaml", "colour: blue\n"),
        ("nodes/a.json", "{}"),
    ]);
    site.run(&["lookup", "colour"]).expect(1, "did not find a value for the name 'colour'");
    assert_eq!(site.run(&["lookup", "colour", "--compile"]).expect(0, "").stdout, "--- blue\n");
}

#[test]
fn a_node_must_be_known() {
    let site = Site::new(&[("nodes/web1.json", "{}"), ("nodes/web2.json", "{}"), ("site.pp", "")]);
    site.run(&["lookup", "x"]).expect(2, "no node to look up for");
    site.run(&["lookup", "x", "--node", "web3"]).expect(1, "did you mean 'web");
}

#[test]
fn encrypted_data_has_placeholders_without_keys() {
    let site = Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\neyaml = \"placeholder\"\n"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - { name: secret, lookup_key: eyaml_lookup_key, path: s.eyaml }\n"),
        (
            "data/s.eyaml",
            "one: ENC[PKCS7,QUJD]\ntwo: 'a ENC[GPG,QUJD] b'\nthree: { k: [\"ENC[PKCS7,QU\\n  JD]\"] }\nfour: ENC[PKCS7,QUJE]\n",
        ),
        ("nodes/a.json", "{}"),
        ("site.pp", ""),
    ]);
    let text = |key: &str| site.run(&["lookup", key, "--format", "s"]).expect(0, "").stdout;
    assert_eq!(text("one"), format!("<eyaml PKCS7 {}>\n", digest("QUJD")));
    assert_eq!(text("two"), format!("a <eyaml GPG {}> b\n", digest("QUJD")));
    assert_eq!(text("three"), format!("{{\"k\"=>[\"<eyaml PKCS7 {}>\"]}}\n", digest("QUJD")));
    assert_ne!(text("four"), text("one"));
    let run = site.run(&["lookup", "one", "--eyaml", "keys"]);
    run.expect(1, "pkcs7_private_key is not defined");
    site.run(&["lookup", "two", "--eyaml", "keys"]).expect(1, "not supported yet: eyaml's encryption method GPG");
}

fn digest(text: &str) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(text.as_bytes()).iter().take(10).map(|byte| format!("{byte:02x}")).collect()
}

/// hiera-eyaml reads the private key from the environment, plain or (since 5.0) in Base64.
#[test]
fn the_key_of_encrypted_data_comes_from_the_environment() {
    let folder = "tests/cases/hiera-eyaml";
    let read = |path: &str| std::fs::read_to_string(format!("{folder}/{path}")).unwrap();
    let key = read("keys/private_key.pkcs7.pem");
    let data = read("data/secrets.eyaml");
    let options =
        [("pkcs7_private_key_env_var", key.clone()), ("pkcs7_b64_private_key_env_var", STANDARD.encode(&key))];
    for (option, value) in options {
        let entry =
            format!("{{name: a, path: s.eyaml, lookup_key: eyaml_lookup_key, options: {{{option}: SITE_KEY}}}}");
        let hiera = format!("version: 5\nhierarchy:\n- {entry}\n");
        let site = Site::new(&[("hiera.yaml", &hiera), ("data/s.eyaml", &data), ("manifests/site.pp", "")]);
        let mut command =
            site.command(&["lookup", "password", "--node", "a.b", "--facts", "debian-12", "--show-secrets"]);
        let output = command.env("SITE_KEY", value).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "--- hunter2\n", "{option}: {output:?}");
    }
}
