//! `catwalk eyaml`: the same output and files as hiera-eyaml, recorded by `eyaml/record`; what hiera-eyaml has not.

mod commands;
mod editing;
mod hiera_eyaml;

use std::path::Path;

use crate::support::Run;
use crate::support::Site;

/// A file that `eyaml/record` has written.
pub fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eyaml/recorded").join(name);
    std::fs::read_to_string(&path).unwrap()
}

/// A directory with the recorded files, in which `keys/` are found without options.
pub fn site() -> Site {
    let site = Site::empty();
    let names = ["private_key.pkcs7.pem", "public_key.pkcs7.pem"];
    let keys = ["keys", "other"].into_iter().flat_map(|folder| names.map(|name| format!("{folder}/{name}")));
    for name in keys.chain(["data.yaml", "plain.txt", "decrypted.yaml"].map(str::to_owned)) {
        site.write(&name, recorded(&name));
    }
    site
}

/// Runs `catwalk eyaml` without the user's configuration.
pub fn eyaml(site: &Site, args: &[&str]) -> Run {
    run(site, args, "", &[])
}

/// Runs `catwalk eyaml` with stdin and variables.
pub fn run(site: &Site, args: &[&str], stdin: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = site.command(&[&["eyaml"], args].concat());
    command.env("HOME", site.path().join("home")).env_remove("EYAML_CONFIG").env_remove("VISUAL");
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.envs(variables.iter().copied()).write_stdin(stdin).output().unwrap();
    Run::new(&output, site.path())
}

pub fn read(site: &Site, name: &str) -> String {
    std::fs::read_to_string(site.path().join(name)).unwrap()
}

/// The decrypted text of a file.
pub fn decrypted(site: &Site, name: &str) -> String {
    eyaml(site, &["decrypt", "-e", name]).expect(0, "").stdout
}

/// A text in which `x` stands for each letter of values that `known` does not have.
pub fn mask(text: &str, known: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("ENC[PKCS7,") {
        let (cipher, end) = after.split_once(']').unwrap();
        masked.push_str(before);
        masked.push_str("ENC[PKCS7,");
        match known.contains(cipher) {
            true => masked.push_str(cipher),
            false => masked.extend(cipher.chars().map(|letter| if letter.is_whitespace() { letter } else { 'x' })),
        }
        masked.push(']');
        rest = end;
    }
    masked + rest
}
