//! TLS to PuppetDB: certificates that are presented and checked, revocation lists. `puppetdb/tls/make` makes the certificates.

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
    let server = FakePuppetDb::start_tls(|_| Reply::taken());
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
    submit(&["--ssl-ca", &ca]).expect(1, "PuppetDB did not take 2 commands");
    submit(&[&["--ssl-ca", &other], &identity[..]].concat()).expect(1, "invalid peer certificate");
    submit(&identity).expect(1, "invalid peer certificate");
    submit(&["--ssl-ca", "nothing.pem"]).expect(2, "nothing.pem");
    site.write("text.pem", "no certificate");
    submit(&["--ssl-ca", &ca, "--ssl-cert", &cert, "--ssl-key", "text.pem"]).expect(2, "text.pem");
    assert_eq!(server.taken().len(), 4);
}

/// The server's certificate, the authority, the revocation lists, the host of the address: what becomes of a submission.
const CHECKS: [(&str, &str, &str, &str, &str); 18] = [
    ("server", "ca", "", "127.0.0.1", ""),
    ("server", "ca", "", "localhost", ""),
    // Puppet accepts a common name where there are no alternative names, and only there.
    ("common-name", "ca", "", "localhost", ""),
    ("common-name", "ca", "", "127.0.0.1", "not valid for name \"127.0.0.1\""),
    ("other-name", "ca", "", "localhost", "not valid for name \"localhost\""),
    ("common-name", "other", "", "localhost", "UnknownIssuer"),
    // `certificate_revocation = chain`.
    ("server", "ca", "crl", "127.0.0.1", ""),
    ("common-name", "ca", "crl", "localhost", ""),
    ("server", "ca", "revoked", "127.0.0.1", "it is revoked, by a list in"),
    ("common-name", "ca", "revoked", "localhost", "it is revoked, by a list in"),
    ("other-name", "ca", "revoked", "localhost", "not valid for name \"localhost\""),
    ("server", "ca", "expired", "127.0.0.1", "a revocation list in"),
    ("server", "ca", "other-crl", "127.0.0.1", "has no revocation list of an authority in its chain"),
    // The server sends only its own certificate; the file of authorities has the one between.
    ("below", "bundle", "", "localhost", ""),
    ("below", "ca", "", "localhost", "UnknownIssuer"),
    ("below", "bundle", "chain", "localhost", ""),
    ("below", "bundle", "chain-revoked", "localhost", "it is revoked, by a list in"),
    ("below", "bundle", "crl", "localhost", "has no revocation list of an authority in its chain"),
];

#[test]
fn servers_are_checked_as_puppet_checks_them() {
    let identity = format!("cert = \"{}\"\nkey = \"{}\"\n", path("client.pem"), path("client.key"));
    for (server, ca, crl, host, why) in CHECKS {
        let fake = FakePuppetDb::start_tls_as(server, |_| Reply::taken());
        let url = fake.url.replace("127.0.0.1", host);
        let mut settings = format!("{identity}url = \"{url}\"\nca = \"{}\"\n", path(&format!("{ca}.pem")));
        if !crl.is_empty() {
            settings += &format!("crl = \"{}\"\n", path(&format!("{crl}.pem")));
        }
        let site = site(&settings);
        let run = site.run(&["compile", "web1", "--submit", "--retries", "0"]);
        match why {
            "" => drop(run.expect(0, "2 commands submitted")),
            why => {
                let run = run.expect(1, "invalid peer certificate: ");
                assert!(run.stderr.contains(why), "{server} {ca} {crl} {host}: {run:#?}");
            }
        }
        assert_eq!(fake.taken().len(), if why.is_empty() { 2 } else { 0 }, "{server} {ca} {crl} {host}");
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
