//! What hiera-eyaml has not: keys of `hiera.yaml`, values encrypted in place, several files, checks.

use std::os::unix::fs::PermissionsExt;

use super::decrypted;
use super::eyaml;
use super::mask;
use super::read;
use super::recorded;
use super::run;
use super::site;
use crate::support::Site;
use crate::support::running::Terminal;

const OTHER: [&str; 4] = ["--private-key", "other/private_key.pkcs7.pem", "--public-key", "other/public_key.pkcs7.pem"];

fn mode(site: &Site, name: &str) -> u32 {
    std::fs::metadata(site.path().join(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn new_keys_are_private_and_never_replace_others() {
    let site = Site::empty();
    eyaml(&site, &["keys"]).expect(0, "");
    assert_eq!(["keys", "keys/private_key.pkcs7.pem"].map(|name| mode(&site, name)), [0o700, 0o600]);
    assert!(read(&site, "keys/private_key.pkcs7.pem").starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    assert!(read(&site, "keys/public_key.pkcs7.pem").starts_with("-----BEGIN CERTIFICATE-----\n"));
    let private = read(&site, "keys/private_key.pkcs7.pem");
    eyaml(&site, &["createkeys"]).expect(2, "keys/private_key.pkcs7.pem exists: nothing was written");
    site.remove("keys/public_key.pkcs7.pem");
    eyaml(&site, &["keys"]).expect(2, "nothing was written");
    assert_eq!(read(&site, "keys/private_key.pkcs7.pem"), private);
    eyaml(&site, &["keys", "a/b"]).expect(0, "");
    let value = eyaml(&site, &["encrypt", "-s", "x", "-o", "string", "--pkcs7-public-key", "a/b/public_key.pkcs7.pem"]);
    let args = ["decrypt", "-s", value.stdout.trim(), "--pkcs7-private-key", "a/b/private_key.pkcs7.pem"];
    assert_eq!(eyaml(&site, &args).expect(0, "").stdout, "x\n");
    eyaml(&site, &["decrypt", "-s", value.stdout.trim()]).expect(1, "the text is not encrypted for this key");
}

/// Values in a file, keys, and the file afterwards; `ENC` stands for an encrypted value in a line, `WRAPPED` for one in several.
#[test]
fn values_are_encrypted_in_place() {
    let [wrapped, line] = [r"ENC\[x+\n[x\n ]+\]", r"ENC\[x+\]"].map(|pattern| regex::Regex::new(pattern).unwrap());
    let before = "# top\nplain: some text   # why\n'quoted': 'it''s'\nd: \"a\\tb\"\nblock: |\n   one\n   two\n\nfold: >-\n  x\n  y\nflow: {a: [1, word], \"b\": 2}\nempty:\ndeep:\n  inner: v\nlast: z";
    for (keys, after) in [
        (&["plain"] as &[&str], before.replace("some text", "ENC")),
        (&["quoted", "d"], before.replace("'it''s'", "'ENC'").replace("\"a\\tb\"", "\"ENC\"")),
        (&["block"], before.replace("|\n   one\n   two", ">\n   WRAPPED")),
        (&["fold"], before.replace(">-\n  x\n  y", ">\n  WRAPPED")),
        (&["flow.a.1", "flow.b"], before.replace("word", "\"ENC\"").replace("2}", "\"ENC\"}")),
        (&["empty"], before.replace("empty:", "empty: ENC")),
        (&["last", "deep.inner", "last"], before.replace(": v", ": ENC").replace("last: z", "last: ENC")),
    ] {
        let site = site();
        site.write("data.yaml", before);
        eyaml(&site, &[&["encrypt", "--in", "data.yaml"], keys].concat()).expect(0, "");
        let masked = mask(&read(&site, "data.yaml"), "").replace("ENC[PKCS7,", "ENC[");
        let found = line.replace_all(&wrapped.replace_all(&masked, "WRAPPED"), "ENC").into_owned();
        assert_eq!(found, after, "{keys:?}");
        let again = eyaml(&site, &[&["encrypt", "--in", "data.yaml"], keys].concat()).expect(0, "is already encrypted");
        assert_eq!(again.stdout, "data.yaml: 0 values encrypted\n");
    }
}

#[test]
fn what_cannot_be_encrypted_in_place_leaves_the_file_as_it_was() {
    for (data, key, code, message) in [
        ("password: x\n", "pasword", 2, "did you mean 'password'?"),
        ("a: {b: 1}\n", "a", 1, "'a' is a list or a hash"),
        ("a: &x secret\nb: *x\n", "a", 1, "'a' has an anchor, an alias or a tag"),
        ("a: &x secret\nb: *x\n", "b", 1, "'b' has an anchor, an alias or a tag"),
        ("a: secret\na: last\n", "a", 1, "perhaps because a key occurs twice"),
        ("a: [\n", "a", 1, "it is not YAML"),
    ] {
        let site = site();
        site.write("data.yaml", data);
        let failed = eyaml(&site, &["encrypt", "--in", "data.yaml", key]).expect(code, message);
        assert!(!failed.stderr.contains("secret"), "{failed:?}");
        assert_eq!(read(&site, "data.yaml"), data);
    }
}

#[test]
fn all_files_get_the_new_key_or_none() {
    let site = site();
    site.write("data/a.yaml", recorded("data.yaml"));
    site.write("data/deep/b.eyaml", "x: 1\n");
    site.write(
        "data/deep/c.yml",
        format!(
            "in_json: \"{}\"\n",
            recorded("data.yaml")
                .split("\"ENC")
                .nth(1)
                .map(|rest| format!("ENC{}", rest.split('"').next().unwrap()))
                .unwrap()
        ),
    );
    site.write("data/notes.txt", recorded("data.yaml"));
    let clear = ["data/a.yaml", "data/deep/c.yml"].map(|name| decrypted(&site, name));
    let to_other = ["rekey", "data", "--new-public-key", "other/public_key.pkcs7.pem"];
    let done = eyaml(&site, &to_other).expect(0, "");
    assert_eq!(done.stdout, "data/a.yaml: 9 values\ndata/deep/c.yml: 1 value\n10 values in 2 files encrypted\n");
    for (name, clear) in ["data/a.yaml", "data/deep/c.yml"].iter().zip(clear) {
        let args = [&["decrypt", "-e", name], &OTHER[..]].concat();
        assert_eq!(eyaml(&site, &args).expect(0, "").stdout, clear);
    }
    assert_eq!(read(&site, "data/notes.txt"), recorded("data.yaml"));
    // One file has values of another key: none is changed.
    site.write("data/a.yaml", recorded("data.yaml"));
    eyaml(&site, &to_other).expect(1, "--> data/deep/c.yml:1:");
    assert_eq!(read(&site, "data/a.yaml"), recorded("data.yaml"));
    site.write("data/deep/c.yml", "a: \"ENC[PKCS7,MII\\\n  Bbbb]\"\n");
    eyaml(&site, &to_other).expect(1, "data/deep/c.yml has an encrypted value that is written with escapes");
    assert_eq!(read(&site, "data/a.yaml"), recorded("data.yaml"));
}

const HIERA: &str = "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- name: secret\n  lookup_key: eyaml_lookup_key\n  globs: ['secret/*.yaml']\n  options: {pkcs7_private_key: keys/private_key.pkcs7.pem, pkcs7_public_key: keys/public_key.pkcs7.pem}\n- name: other\n  lookup_key: eyaml_lookup_key\n  path: \"other/%{facts.x}.yaml\"\n  options: {pkcs7_private_key: other/private_key.pkcs7.pem, pkcs7_public_key: other/public_key.pkcs7.pem}\n- name: common\n  path: common.yaml\n";

/// A site with two levels that have different keys, and one without.
fn control_repository() -> Site {
    let site = site();
    site.write("catwalk.toml", "");
    site.write("hiera.yaml", HIERA);
    site.write("data/secret/a.yaml", recorded("data.yaml"));
    site.write("data/other/a.yaml", "x: 1\n");
    eyaml(&site, &["encrypt", "--in", "data/other/a.yaml", "x"]).expect(0, "");
    site
}

#[test]
fn keys_are_those_of_the_level_that_reads_the_file() {
    let site = control_repository();
    let args = [&["decrypt", "-e", "data/other/a.yaml"], &OTHER[..]].concat();
    assert_eq!(eyaml(&site, &args).expect(0, "").stdout, "x: DEC::PKCS7[1]!\n");
    // Without a file, all keys are tried; a new value needs one.
    let value = read(&site, "data/other/a.yaml");
    assert_eq!(eyaml(&site, &["decrypt", "-s", value.trim()]).expect(0, "").stdout, "x: 1\n");
    eyaml(&site, &["encrypt", "-s", "x"])
        .expect(2, "hiera.yaml has several public keys: keys/public_key.pkcs7.pem, other/");
    // What untrusted code names is not used.
    site.write("catwalk.toml", "untrusted = true\n");
    eyaml(&site, &["decrypt", "-s", value.trim()]).expect(1, "the text is not encrypted for this key");
}

#[test]
fn eyaml_s_configuration_names_keys() {
    let site = site();
    let config = |folder: &str| {
        format!("pkcs7_private_key: {folder}/private_key.pkcs7.pem\npkcs7_public_key: {folder}/public_key.pkcs7.pem\n")
    };
    site.write("home/.eyaml/config.yaml", config("other"));
    let value = eyaml(&site, &["encrypt", "-s", "x", "-o", "string"]).expect(0, "").stdout;
    let decrypt = |args: &[&str], variables: &[(&str, &str)]| {
        run(&site, &[&["decrypt", "-s", value.trim()], args].concat(), "", variables).code
    };
    assert_eq!(decrypt(&[], &[]), Some(0));
    assert_eq!(decrypt(&OTHER, &[("HOME", "/nonexistent")]), Some(0));
    assert_eq!(decrypt(&[], &[("HOME", "/nonexistent")]), Some(1));
    site.write("named.yaml", config("keys"));
    assert_eq!(decrypt(&[], &[("EYAML_CONFIG", "named.yaml")]), Some(1));
    site.write("named.yaml", "pkcs7_private_key_env_var: KEY\n");
    let key = recorded("keys/private_key.pkcs7.pem");
    assert_eq!(decrypt(&[], &[("EYAML_CONFIG", "named.yaml"), ("KEY", &key)]), Some(1));
    assert_eq!(decrypt(&[], &[("EYAML_CONFIG", "named.yaml")]), Some(0));
    site.write("named.yaml", "[]\n");
    assert_eq!(decrypt(&[], &[("EYAML_CONFIG", "named.yaml")]), Some(2));
}

#[test]
fn checks_find_what_cannot_be_decrypted_and_secrets_in_clear() {
    let site = control_repository();
    assert_eq!(eyaml(&site, &["check"]).expect(0, "").stdout, "10 encrypted values in 2 files: no problem\n");
    let other = read(&site, "data/other/a.yaml");
    site.write("data/secret/b.yaml", format!("ok: 1\n{other}"));
    let options = "lookup_options:\n  db::password: {convert_to: Sensitive}\n  '^.*::token$': {convert_to: [Sensitive]}\n  a::list: {convert_to: Array}\n";
    let clear =
        "db::password: hunter2\na::token: \"%{lookup('x')}\"\nb::token: {x: [hunter2]}\nc::token: ''\na::list: [1]\n";
    site.write("data/common.yaml", format!("{options}{clear}{other}"));
    let found = eyaml(&site, &["check"]).expect(1, "");
    assert_eq!(
        found.stdout,
        "data/common.yaml:5: db::password is in clear; `lookup_options` convert it to Sensitive\n\
         data/common.yaml:7: b::token is in clear; `lookup_options` convert it to Sensitive\n\
         data/common.yaml:10: no level with `lookup_key: eyaml_lookup_key` reads this file: lookups return ENC[…] as it is\n\
         data/secret/b.yaml:2: the value cannot be decrypted: decryption error: the text is not encrypted for this key\n\
         12 encrypted values in 4 files: 4 problems\n"
    );
    let json = eyaml(&site, &["check", "--format", "json", "data/secret"]).expect(1, "").stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["problems"][0]["kind"], &report["values"]), (&"undecryptable".into(), &10.into()));
    site.write("keys/public_key.pkcs7.pem", recorded("other/public_key.pkcs7.pem"));
    let found = eyaml(&site, &["check", "data/secret/a.yaml"]).expect(1, "");
    assert!(
        found.stdout.contains("data/secret/a.yaml:4: the public and the private key do not belong together"),
        "{found:?}"
    );
    eyaml(&Site::empty(), &["check"]).expect(2, "there are no data files");
}

#[test]
fn a_typed_value_is_not_shown() {
    let site = site();
    let terminal = Terminal::start(&site, &["eyaml", "encrypt", "-p", "-l", "k", "-o", "string"], (120, 30));
    terminal.wait_for_text("Value (not shown):");
    terminal.type_keys("hunter3\u{7f}2\r");
    let shown = terminal.wait_for_text("k: ENC[PKCS7,");
    assert!(!shown.contains("hunter"), "{shown}");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    eyaml(&site, &["encrypt", "-p"]).expect(2, "a prompt needs a terminal");
}
