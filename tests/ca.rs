//! `catwalk ca` on a directory: output and exit codes. `tests/server/authority/run` compares them with those of `puppetserver ca`.

use std::path::Path;

use crate::support::Site;

const NAME: &str = "puppet.example.com";
const NODE: &str = "a.example.com";

/// A copy of the authority that `puppetserver ca setup` made, with the request of a node.
fn puppets_authority() -> Site {
    let site = Site::empty();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/src/tests/authority");
    for name in ["ca_crt.pem", "ca_key.pem", "ca_crl.pem", "serial", "inventory.txt", "signed/puppet.example.com.pem"] {
        let text = std::fs::read_to_string(data.join("ca").join(name)).unwrap();
        site.write(&format!("ca/{name}"), &text);
    }
    let request = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/server/{NODE}.csr.pem"));
    site.write(&format!("ca/requests/{NODE}.pem"), std::fs::read_to_string(request).unwrap());
    site
}

/// The cases: action, options, exit code, standard output, standard error; in this order on one directory.
const CASES: [(&str, &[&str], i32, &str, &str); 16] = [
    ("sign", &["--certname", "nobody"], 1, "", "Error:\n    Could not find certificate request for nobody\n"),
    ("revoke", &["--certname", "nobody"], 1, "", "Error:\n    Could not find certificate for nobody\n"),
    ("revoke", &["--certname", NODE], 24, "", "Error:\n    Could not revoke unsigned csr for a.example.com\n"),
    ("sign", &["--certname", NODE], 0, "Successfully signed certificate request for a.example.com\n", ""),
    ("sign", &["--all"], 24, "", "Error:\n    No waiting certificate requests to sign\n"),
    ("renew", &["--certname", NODE], 0, "Renewed certificate for a.example.com\n", ""),
    ("renew", &["--crl"], 0, "Renewed certificate revocation list\n", ""),
    ("revoke", &["--certname", NODE], 0, "Certificate for a.example.com has been revoked\n", ""),
    ("renew", &["--certname", NODE], 1, "", "Error:\n    The certificate of a.example.com is revoked\n"),
    (
        "clean",
        &["--certname", NODE],
        0,
        "Certificate for a.example.com has been revoked\nCleaned files related to a.example.com\n",
        "",
    ),
    ("clean", &["--certname", NODE], 1, "", "Error:\n    Could not find files to clean for a.example.com\n"),
    ("clean", &["--certname", "../ca_key"], 1, "", "Error:\n    Could not find files to clean for ../ca_key\n"),
    ("list", &[], 0, "No certificates to list\n", ""),
    ("list", &["--certname", "x"], 1, "Missing Certificates:\n    x\n", ""),
    ("list", &["--format", "json"], 0, "{\"requested\":[]}\n", ""),
    ("list", &["--certname", "x", "--format", "json"], 1, "{\"missing\":[\"x\"]}\n", ""),
];

#[test]
fn output_and_exit_codes_are_those_of_puppetserver_ca() {
    let site = puppets_authority();
    for (action, options, code, stdout, stderr) in CASES {
        let run = site.run(&[&["ca", action, "--cadir", "ca"], options].concat());
        let got = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(got, (Some(code), stdout, stderr), "{action} {options:?}");
    }
    let run = site.run(&["ca", "list", "--cadir", "ca", "--all"]).expect(0, "");
    let names = "alt names: [\"IP:127.0.0.1\", \"DNS:puppet.example.com\", \"DNS:localhost\"";
    assert!(run.stdout.contains(NAME) && run.stdout.contains(names), "{}", run.stdout);
    assert!(run.stdout.contains("authorization extensions: [pp_cli_auth: true]"), "{}", run.stdout);
}

#[test]
fn a_directory_without_an_authority_is_refused() {
    let site = Site::empty();
    site.write("other/file", "x");
    let run = site.run(&["ca", "list", "--cadir", "other"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.starts_with("Error:\nNo such file or directory: SITE/other/ca_key.pem"), "{run:?}");
    let setup = ["ca", "setup", "--certname", NAME, "--key-type", "p256", "--cadir"];
    let run = site.run(&[&setup[..], &["other"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("it contains file, which Catwalk has not written"), "{run:?}");
    for (args, message) in [
        (&["ca", "list"][..], "--cadir"),
        (&["ca", "sign", "--cadir", "ca"], "--certname"),
        (&["ca", "sign", "--cadir", "ca", "--all", "--ttl", "x"], "is not a number with the unit"),
        (&["ca", "list", "--server", "localhost"], "--ssldir"),
    ] {
        site.run(args).expect(2, message);
    }
}
