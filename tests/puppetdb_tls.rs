//! TLS to PuppetDB: certificates that are presented and checked, revocation lists. `puppetdb/tls/make` makes the certificates.

use serde_json::Value;

use crate::support::Run;
use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;
use crate::support::puppetdb::tls_file;

const TOML: &str = "nodes = \"nodes\"\nmanifest = \"site.pp\"\n";

fn site(more: &str) -> Site {
    Site::new(&[("catwalk.toml", &format!("{TOML}[puppetdb]\n{more}")), ("site.pp", ""), ("nodes/web1.json", "{}")])
}

fn path(name: &str) -> String {
    tls_file(name).to_string_lossy().into_owned()
}

#[test]
fn certificates_are_presented_and_checked() {
    let server = FakePuppetDb::start_tls(|_| Reply::accepted());
    let path = |name: &str| tls_file(name).to_string_lossy().into_owned();
    let (ca, cert, key, other) = (path("ca.pem"), path("client.pem"), path("client.key"), path("other.pem"));
    let site = site(&format!("url = \"{}\"\nca = \"{ca}\"\nssl_cert = \"{cert}\"\nssl_key = \"{key}\"\n", server.url));
    site.run(&["compile", "web1", "--submit"]).expect(0, "2 commands submitted to https://127.0.0.1:");
    let submit = |args: &[&str]| -> Run {
        site.write("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\n");
        site.run(&[&["compile", "web1", "--submit", "--retries", "0", "--puppetdb-url", &server.url], args].concat())
    };
    let identity = ["--ssl-cert", &cert, "--ssl-key", &key];
    submit(&[&["--ssl-ca", &ca], &identity[..]].concat()).expect(0, "2 commands submitted");
    submit(&["--ssl-ca", &ca]).expect(1, "PuppetDB did not accept 2 commands");
    submit(&[&["--ssl-ca", &other], &identity[..]].concat()).expect(1, "invalid peer certificate");
    submit(&identity).expect(1, "invalid peer certificate");
    submit(&["--ssl-ca", "nothing.pem"]).expect(2, "nothing.pem");
    site.write("text.pem", "no certificate");
    submit(&["--ssl-ca", &ca, "--ssl-cert", &cert, "--ssl-key", "text.pem"]).expect(2, "text.pem");
    assert_eq!(server.accepted_commands().len(), 4);
}

/// What Puppet says of a refused certificate, and Catwalk.
const REASONS: [(&str, &str); 7] = [
    ("did not match server certificate", "not valid for name "),
    ("unable to get local issuer certificate", "UnknownIssuer"),
    ("certificate revoked", "it is revoked, by a list in "),
    ("CRL has expired", "a revocation list in "),
    ("CRL is not yet valid", "future.pem: its revocation lists are not valid yet"),
    ("certificate has expired", "expired-ca.pem: the certificate of the authority has expired"),
    ("unable to get certificate CRL", " has no revocation list of an authority in its chain"),
];

/// Recorded by `puppetdb/tls/record-checks`.
#[test]
fn servers_are_checked_as_puppet_checks_them() {
    let identity = format!("cert = \"{}\"\nkey = \"{}\"\n", path("client.pem"), path("client.key"));
    let recorded: Vec<Value> = serde_json::from_str(include_str!("puppetdb/tls/checks.json")).unwrap();
    assert!(recorded.len() > 15);
    for check in &recorded {
        let string = |key: &str| check[key].as_str();
        let fake = FakePuppetDb::start_tls_as(string("server").unwrap(), |_| Reply::accepted());
        let url = fake.url.replace("127.0.0.1", string("host").unwrap());
        let ca = path(&format!("{}.pem", string("ca").unwrap()));
        let crl = string("crl").map(|crl| format!("crl = \"{}\"\n", path(&format!("{crl}.pem")))).unwrap_or_default();
        let site = site(&format!("{identity}{crl}url = \"{url}\"\nca = \"{ca}\"\n"));
        let run = site.run(&["compile", "web1", "--submit", "--retries", "0"]);
        let puppet = string("puppet").unwrap();
        if puppet == "accepted" {
            run.expect(0, "2 commands submitted");
        } else {
            let (_, why) = REASONS.iter().find(|(reason, _)| puppet.contains(reason)).unwrap();
            // What is wrong with the files is found before there is a connection.
            let run = match why.contains(".pem: ") {
                true => run.expect(2, ""),
                false => run.expect(1, "invalid peer certificate: "),
            };
            assert!(run.stderr.contains(why), "{check}: {run:#?}");
        }
        assert_eq!(fake.accepted_commands().len(), if puppet == "accepted" { 2 } else { 0 }, "{check}");
    }
}

#[test]
fn queries_check_the_server_in_the_same_way() {
    let fake = FakePuppetDb::start_tls(|_| Reply::Answer(200, "[]".to_owned()));
    let settings = format!(
        "url = \"{}\"\nca = \"{}\"\ncert = \"{}\"\nkey = \"{}\"\n",
        fake.url,
        path("ca.pem"),
        path("client.pem"),
        path("client.key")
    );
    let site = site(&settings);
    for code in ["Notify <<| |>>\n", "$rows = puppetdb_query('nodes {}')\n"] {
        site.write("site.pp", code);
        site.write("catwalk.toml", format!("{TOML}[puppetdb]\n{settings}ssl_crl = \"{}\"\n", path("crl.pem")));
        site.run(&["compile", "web1", "--exported", "puppetdb"]).expect(0, "");
        site.write("catwalk.toml", format!("{TOML}[puppetdb]\n{settings}ssl_crl = \"{}\"\n", path("revoked.pem")));
        site.run(&["compile", "web1", "--exported", "puppetdb"]).expect(1, "it is revoked, by a list in");
    }
}

#[test]
fn files_that_hold_something_else_are_errors() {
    let url = "url = \"https://127.0.0.1:1\"\n";
    let site = site(url);
    let (ca, cert, key) = (path("ca.pem"), path("client.pem"), path("client.key"));
    let (crl, other) = (path("crl.pem"), path("server.key"));
    for (args, why) in [
        (&["--ssl-ca", &ca, "--ssl-crl", &ca][..], "ca.pem: it holds no revocation list (X509 CRL)"),
        (&["--ssl-ca", &key], "client.key: it holds no certificate of an authority"),
        (&["--ssl-ca", &ca, "--ssl-crl", "nothing.pem"], "nothing.pem"),
        (&["--ssl-crl", &crl], "need the certificate of their authority"),
        (&["--ssl-cert", &cert, "--ssl-key", &other], "server.key: not the key of "),
        (&["--ssl-cert", &key, "--ssl-key", &key], "client.key"),
    ] {
        site.run(&[&["compile", "web1", "--submit", "--retries", "0"], args].concat()).expect(2, why);
    }
}
