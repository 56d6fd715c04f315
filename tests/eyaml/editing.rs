//! `eyaml edit`: edits that cannot become a file, and the text that the editor gets.

use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use super::decrypted;
use super::read;
use super::recorded;
use super::run;
use super::site;
use crate::support::Run;
use crate::support::Site;
use crate::support::running::PATIENCE;

/// Edits `data.yaml` with a shell script, whose `$1` is the file. Temporary files are in `tmp/`.
fn edit(site: &Site, script: &str, args: &[&str]) -> Run {
    site.write("editor", script);
    std::fs::create_dir_all(site.path().join("tmp")).unwrap();
    let tmp = site.path().join("tmp").to_string_lossy().into_owned();
    let done = run(site, &[&["edit", "data.yaml"], args].concat(), "", &[("EDITOR", "sh editor"), ("TMPDIR", &tmp)]);
    assert_eq!(std::fs::read_dir(site.path().join("tmp")).unwrap().count(), 0, "a decrypted file is left: {done:?}");
    done
}

#[test]
fn a_wrong_edit_leaves_the_file_as_it_was() {
    for (script, code, message) in [
        ("sed -i 's/secret one\\]!/new]/' $1", 1, "line 7 of the edited text: the value does not end with `]!`"),
        ("sed -i '$ s/\\]!$/]/' $1", 1, "the value does not end with `]!`"),
        ("sed -i 's/DEC(3)/DEC(1)/' $1", 1, "the number 1 is used twice"),
        ("sed -i 's/DEC(3)/DEC(400)/' $1", 1, "no value has the number 400"),
        ("sed -i 's/DEC(3)::PKCS7/DEC(3)::GPG/' $1", 1, "not supported yet: eyaml's encryption method GPG"),
        (": > $1", 1, "the edited text is empty"),
        ("exit 3", 2, "the editor failed"),
        ("rm $1", 2, "the file for the editor"),
        ("echo >> data.yaml; sed -i 's/secret one/new/' $1", 2, "data.yaml was changed meanwhile"),
    ] {
        let site = site();
        let failed = edit(&site, script, &[]).expect(code, message);
        assert!(!failed.stderr.contains("secret one"), "{script}: {failed:?}");
        assert_eq!(read(&site, "data.yaml").trim_end(), recorded("data.yaml").trim_end(), "{script}");
    }
}

#[test]
fn values_may_contain_the_end_of_a_value() {
    let site = site();
    let value = "a ]! b DEC(1)::PKCS7[c]! DEC::PKCS7[d";
    let encrypted = super::eyaml(&site, &["encrypt", "-s", value, "-l", "odd", "-o", "string"]).expect(0, "").stdout;
    let empty = super::eyaml(&site, &["encrypt", "-s", "", "-l", "empty", "-o", "string"]).expect(0, "").stdout;
    site.write("data.yaml", format!("{encrypted}{empty}other: DEC\n"));
    edit(&site, "sed -i 's/^other: .*/other: DEC::PKCS7[x]!/' $1", &[]).expect(0, "");
    let now = read(&site, "data.yaml");
    assert!(now.starts_with(&format!("{encrypted}{empty}other: ENC[")), "{now}");
    let before = now.clone();
    edit(&site, "sed -i 's/a \\]! b/A ]! b/' $1", &[]).expect(1, "the value contained `]!`");
    assert_eq!(read(&site, "data.yaml"), before);
}

#[test]
fn the_file_keeps_its_permissions_and_is_no_link() {
    let site = site();
    let path = site.path().join("data.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let script = "stat -c %a $1 $(dirname $1) > modes; sed -i 's/secret one/new/' $1";
    edit(&site, script, &["--no-preamble"]).expect(0, "");
    assert_eq!(read(&site, "modes"), "600\n700\n");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(decrypted(&site, "data.yaml").contains("one: DEC::PKCS7[new]!"));
    std::fs::rename(&path, site.path().join("real.yaml")).unwrap();
    std::os::unix::fs::symlink("real.yaml", &path).unwrap();
    edit(&site, "exit 9", &[]).expect(2, "data.yaml is a link");
}

#[test]
fn new_values_need_no_private_key() {
    let site = site();
    site.remove("keys/private_key.pkcs7.pem");
    edit(&site, "true", &[]).expect(2, "the private key cannot be read");
    edit(&site, "sed -i 's/^plain: .*/plain: DEC::PKCS7[x]!/' $1", &["-d"]).expect(0, "");
    assert_eq!(read(&site, "data.yaml").matches("ENC[").count(), recorded("data.yaml").matches("ENC[").count() + 1);
    site.remove("data.yaml");
    let done = edit(&site, "echo 'a: DEC::PKCS7[x]!' >> $1", &[]).expect(0, "");
    assert_eq!(done.stdout, "data.yaml: 1 value encrypted, 0 left as they were\n");
    assert!(read(&site, "data.yaml").starts_with("---\na: ENC["));
}

#[test]
fn a_signal_removes_the_decrypted_file() {
    let site = site();
    site.write("editor", "echo $1 > started.new; mv started.new started; sleep 60");
    std::fs::create_dir_all(site.path().join("tmp")).unwrap();
    let mut command = site.command(&["eyaml", "edit", "data.yaml"]);
    command.env("EDITOR", "sh editor").env("TMPDIR", site.path().join("tmp")).env("HOME", site.path());
    let mut child = command.stdin(std::process::Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !site.path().join("started").exists() {
        assert!(started.elapsed() < PATIENCE, "the editor does not start");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    // The editor decides what Ctrl-C does.
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap());
    assert_eq!(signal, Some(nix::sys::signal::Signal::SIGTERM as i32));
    assert_eq!(std::fs::read_dir(site.path().join("tmp")).unwrap().count(), 0);
    assert_eq!(read(&site, "data.yaml"), recorded("data.yaml"));
}
