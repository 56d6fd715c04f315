//! What hiera-eyaml makes and prints: `record` has run its commands. Encrypted values are random, so only their lengths are compared,
//! and what they decrypt to.

use serde_json::Value;

use super::decrypted;
use super::eyaml;
use super::mask;
use super::read;
use super::recorded;
use super::run;
use super::site;

fn cases() -> Value {
    serde_json::from_str(&recorded("cases.json")).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn commands_print_what_hiera_eyaml_prints() {
    let site = site();
    let data = recorded("data.yaml");
    let cases = cases();
    for case in cases["commands"].as_array().unwrap() {
        let args: Vec<&str> = case["args"].as_array().unwrap().iter().map(text).collect();
        let stdin = text(&case["stdin"]);
        let printed = run(&site, &args, stdin, &[]).expect(0, "").stdout;
        assert_eq!(mask(&printed, &data), mask(text(&case["stdout"]), &data), "{args:?}");
        let decrypt = |text: &str| run(&site, &["decrypt", "--stdin"], text, &[]).expect(0, "").stdout;
        assert_eq!(decrypt(&printed), decrypt(text(&case["stdout"])), "{args:?}");
    }
}

#[test]
fn edited_files_are_those_of_hiera_eyaml() {
    let site = site();
    let data = recorded("data.yaml");
    for case in cases()["edits"].as_array().unwrap() {
        let name = text(&case["name"]);
        site.write("edited.yaml", &data);
        site.write("edit.sed", text(&case["script"]));
        let editor = "cp \"$1\" seen; sed -i -f edit.sed \"$1\"; true";
        site.write("editor", format!("#!/bin/sh\n{editor}\n"));
        let ended = run(&site, &["edit", "edited.yaml"], "", &[("EDITOR", "sh editor")]).expect(0, "");
        assert_eq!(ended.stdout.contains("no change"), name == "nothing", "{name}: {ended:?}");
        let seen = read(&site, "seen");
        let shown: String = seen.split_inclusive('\n').skip_while(|line| line.starts_with("# |")).collect();
        assert_eq!(shown, text(&case["seen"]), "{name}");
        let edited = read(&site, "edited.yaml");
        assert_eq!(mask(&edited, &data), mask(text(&case["after"]), &data), "{name}");
        assert_eq!(decrypted(&site, "edited.yaml"), text(&case["decrypted"]), "{name}");
    }
}

#[test]
fn encrypting_again_is_what_hiera_eyaml_does() {
    let site = site();
    eyaml(&site, &["recrypt", "data.yaml"]).expect(0, "");
    let (old, new) = (recorded("data.yaml"), read(&site, "data.yaml"));
    assert_eq!(mask(&new, &old), mask(text(&cases()["recrypted"]), &old));
    assert!(!mask(&new, "").is_empty() && mask(&new, &old) == mask(&old, ""), "all values are new: {new}");
    let before = text(&cases()["commands"][0]["stdout"]).to_owned();
    assert_eq!(decrypted(&site, "data.yaml"), before);
}

#[test]
fn values_of_hiera_eyaml_are_looked_up() {
    let site = site();
    site.write("catwalk.toml", "nodes = \"nodes\"\n");
    site.write("nodes/web1.json", "{}");
    site.write(
        "hiera.yaml",
        "version: 5\nhierarchy:\n- name: all\n  lookup_key: eyaml_lookup_key\n  path: all.yaml\n  options: {pkcs7_private_key: keys/private_key.pkcs7.pem, pkcs7_public_key: keys/public_key.pkcs7.pem}\n",
    );
    site.write("data/all.yaml", "clear: |\n  a\n  b\nword: x\nlist: [one]\n");
    let holds = |comparison: &str| {
        let printed = site.run(&["eval", "--node", "web1", "-e", comparison]).expect(0, "").stdout;
        assert_eq!(printed.trim(), "true", "{comparison}");
    };
    eyaml(&site, &["encrypt", "--in", "data/all.yaml", "clear", "word", "list.0"]).expect(0, "");
    assert_eq!(read(&site, "data/all.yaml").matches("ENC[PKCS7,").count(), 3);
    for comparison in ["lookup('clear') == \"a\\nb\\n\"", "lookup('word') == 'x'", "lookup('list') == ['one']"] {
        holds(comparison);
    }
    site.write("data/all.yaml", recorded("data.yaml"));
    for comparison in
        ["lookup('two') == 'a and b'", "lookup('list') == ['first', 'plain', '#']", "lookup('last') == 'no line break'"]
    {
        holds(comparison);
    }
}
