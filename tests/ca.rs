//! `catwalk ca` on a directory and on a running server: output and exit codes. `tests/server/authority/run` compares them with those of `puppetserver ca`.

use std::path::Path;

use crate::support::Site;
use crate::support::agent::ServerRun;

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
    ("renew", &["--crl"], 0, "Renewed certificate revocation list of Puppet CA: puppet.example.com\n", ""),
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
    let why = "SITE/other holds no certificate authority: there is no file SITE/other/ca_key.pem; `catwalk ca setup` creates one";
    assert_eq!(run.stderr, format!("Error:\n{why}\n"));
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

#[test]
fn a_request_that_cannot_be_read_does_not_hide_the_others() {
    let site = puppets_authority();
    site.write("ca/requests/b.example.com.pem", "x");
    let run = site.run(&["ca", "list", "--cadir", "ca"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("Requested Certificates:\n    a.example.com       (SHA256)  "), "{run:?}");
    let why = "SITE/ca/requests/b.example.com.pem: The body is not a certificate request in PEM";
    assert_eq!(run.stderr, format!("Error:\n    {why}\n"));
}

#[test]
fn renewed_authorities_are_valid_as_long_as_new_ones() {
    let site = Site::empty();
    let setup = ["ca", "setup", "--cadir", "ca", "--certname", NAME, "--key-type", "p256"];
    site.run(&setup).expect(0, "");
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let this_year = 1970 + seconds / 31_556_952;
    for (options, years) in [(&[][..], 15), (&["--ca-ttl", "30y"], 30)] {
        let run = site.run(&[&["ca", "renew", "--cadir", "ca", "--ca"][..], options].concat()).expect(0, "");
        let ends: Vec<u64> = run
            .stdout
            .lines()
            .map(|line| line.split_once("valid until ").and_then(|(_, end)| end.get(..4)?.parse().ok()).unwrap())
            .collect();
        assert_eq!(ends.len(), 2, "{run:?}");
        // Days of leap years are not counted.
        assert!(ends.iter().all(|end| (this_year + years - 1..=this_year + years + 1).contains(end)), "{run:?}");
    }
    let run = site.run(&["ca", "renew", "--cadir", "ca", "--crl"]).expect(0, "");
    assert!(run.stdout.contains("list of Puppet CA: puppet.example.com\nRenewed"), "{run:?}");
    assert!(run.stdout.contains("Renewed certificate revocation list of Puppet Root CA: "), "{run:?}");
}

/// The server's own certificate and key as an ssldir has them.
fn ssldir_of_server(site: &Site) {
    for (from, to) in [
        ("ca_crt.pem", "certs/ca.pem"),
        ("ca_crl.pem", "crl.pem"),
        ("signed/catwalk.localhost.pem", "certs/catwalk.localhost.pem"),
        ("private/catwalk.localhost.pem", "private_keys/catwalk.localhost.pem"),
    ] {
        let text = std::fs::read_to_string(site.path().join(".catwalk/ca").join(from)).unwrap();
        site.write(&format!("ssl/{to}"), text);
    }
}

/// The cases: action, options, exit code, standard output, standard error; in this order at one server, which signs requests of `auto.example.com`.
const AT_SERVER: [(&str, &[&str], i32, &str, &str); 9] = [
    (
        "generate",
        &["--certname", "a,auto.example.com", "--key-type", "p256"],
        0,
        "Successfully saved private key for a to SITE/ssl/private_keys/a.pem
Successfully saved public key for a to SITE/ssl/public_keys/a.pem
Successfully submitted certificate request for a
Successfully signed certificate request for a
Successfully saved certificate for a to SITE/ssl/certs/a.pem
Successfully saved private key for auto.example.com to SITE/ssl/private_keys/auto.example.com.pem
Successfully saved public key for auto.example.com to SITE/ssl/public_keys/auto.example.com.pem
Successfully submitted certificate request for auto.example.com
Certificate for auto.example.com was autosigned.
Successfully saved certificate for auto.example.com to SITE/ssl/certs/auto.example.com.pem
",
        "",
    ),
    (
        "generate",
        &["--certname", "a", "--key-type", "p256"],
        1,
        "",
        "Error:
    Existing file at 'SITE/ssl/certs/a.pem'
  Please delete these files if you really want to generate a new cert for a.
",
    ),
    (
        "generate",
        &["--certname", "b", "--subject-alt-names", "puppet", "--key-type", "p256"],
        1,
        "Successfully saved private key for b to SITE/ssl/private_keys/b.pem
Successfully saved public key for b to SITE/ssl/public_keys/b.pem
Successfully submitted certificate request for b
",
        "Error:
    When attempting to sign certificate request 'b': CSR 'b' contains extra subject alternative names (DNS:puppet), which are disallowed. To allow subject alternative names, start the server with --allow-subject-alt-names.
",
    ),
    ("generate", &["--certname", "B"], 1, "", "Error:\n    Certificate names must be lower case.\n"),
    ("renew", &["--certname", "a"], 0, "Renewed certificate for a\n", ""),
    ("clean", &["--certname", "a"], 0, "Certificate for a has been revoked\nCleaned files related to a\n", ""),
    ("list", &["--certname", "a"], 1, "Missing Certificates:\n    a\n", ""),
    ("sign", &["--certname", "nobody"], 1, "", "Error:\n    Could not find certificate request for nobody\n"),
    ("revoke", &["--certname", "nobody"], 1, "", "Error:\n    Could not find certificate for nobody\n"),
];

#[test]
fn a_running_server_signs_and_renews() {
    let site = Site::new(&[("site.pp", "notify { 'x': }")]);
    let server = ServerRun::start(&site, &["--autosign", "auto.example.com"]);
    ssldir_of_server(&site);
    let address = format!("localhost:{}", server.port);
    for (action, options, code, stdout, stderr) in AT_SERVER {
        let before = std::fs::read_to_string(site.path().join("ssl/certs/a.pem"));
        let mut args = vec!["ca", action, "--server", &address, "--ssldir", "ssl"];
        if action != "renew" {
            args.extend(["--host-certname", "catwalk.localhost"]);
        }
        let run = site.run(&[&args, options].concat());
        let got = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(got, (Some(code), stdout, stderr), "{action} {options:?}");
        if action == "renew" {
            assert_ne!(std::fs::read_to_string(site.path().join("ssl/certs/a.pem")).unwrap(), before.unwrap());
        }
    }
    // A revoked certificate opens no connection.
    let renew = ["ca", "renew", "--server", &address, "--ssldir", "ssl", "--certname"];
    let run = site.run(&[&renew[..], &["a"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.starts_with("Error:\n    When attempting to renew certificate 'a': "), "{run:?}");
    for (options, message) in [(&["--ca"][..], "--ca"), (&["--crl"], "--crl"), (&["--cadir", "ca"], "--cadir")] {
        site.run(&[&renew[..], &["a"], options].concat()).expect(2, message);
    }
    let generate = ["ca", "generate", "--server", &address, "--ssldir", "ssl", "--certname", "c", "--ca-client"];
    site.run(&generate).expect(2, "--ca-client");
}

#[test]
fn a_generated_ssldir_is_complete() {
    let site = puppets_authority();
    let generate = ["ca", "generate", "--cadir", "ca", "--key-type", "p256", "--ssldir", "ssl", "--certname"];
    let run = site.run(&[&generate[..], &["b"]].concat()).expect(0, "");
    let saved: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.split_once(" to SITE/ssl/")).map(|(_, to)| to).collect();
    assert_eq!(saved, ["private_keys/b.pem", "public_keys/b.pem", "certs/b.pem", "certs/ca.pem", "crl.pem"]);
    for (file, source) in [("certs/ca.pem", "ca_crt.pem"), ("crl.pem", "ca_crl.pem"), ("certs/b.pem", "signed/b.pem")] {
        let read = |path: &str| std::fs::read_to_string(site.path().join(path)).unwrap();
        assert_eq!(read(&format!("ssl/{file}")), read(&format!("ca/{source}")), "{file}");
    }
    let run = site.run(&[&generate[..], &["c"]].concat()).expect(0, "");
    assert_eq!(run.stdout.lines().count(), 3, "{run:?}");
}
