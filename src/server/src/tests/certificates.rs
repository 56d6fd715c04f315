//! Requests for certificates, revocation, existing certificates.

use std::path::Path;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::DecodePem;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::SubjectAltName;
use serde_json::json;
use tempfile::TempDir;

use super::support::Connection;
use super::support::Identity;
use super::support::RunningServer;
use super::support::authority;
use super::support::certificate_request;
use super::support::extension;
use super::support::limits;
use super::support::new_authority;
use crate::config::CertificateSource;
use crate::config::Event;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Autosign;
use catwalk_authority::CertificateFiles;
use catwalk_authority::Refusal;
use catwalk_authority::alternative_name;
use catwalk_authority::new_p256;
use catwalk_world::output::Place;

fn alternative_names(names: &[&str]) -> Extension {
    let names = names.iter().map(|name| alternative_name(name).unwrap()).collect();
    let value = SubjectAltName(names).to_der().unwrap();
    let extn_id = ObjectIdentifier::new("2.5.29.17").unwrap();
    Extension { extn_id, critical: false, extn_value: OctetString::new(value).unwrap() }
}

/// The cases: name in the URL, name in the request, extensions, status, message.
#[test]
fn requests_are_checked_as_by_puppetserver() {
    let role = || extension("1.3.6.1.4.1.34380.1.1.13", "web");
    let cases: Vec<(&str, &str, Vec<Extension>, u16, &str)> = vec![
        ("ok1", "ok1", vec![], 200, ""),
        ("ok2.example.com", "ok2.example.com", vec![role(), extension("1.3.6.1.4.1.34380.1.2.7", "x")], 200, ""),
        ("ok3", "ok3", vec![alternative_names(&["ok3"])], 200, ""),
        ("ok1", "ok1", vec![], 400, "ok1 already has a signed certificate; ignoring certificate request"),
        ("a", "b", vec![], 400, "Instance name \"b\" does not match requested key \"a\""),
        ("Upper", "Upper", vec![], 400, "Certificate names must be lower case."),
        ("%2A.x", "*.x", vec![], 400, "Subject contains a wildcard, which is not allowed: *.x"),
        ("x-", "x-", vec![], 400, "Subject hostname format is invalid"),
        ("-x", "-x", vec![], 400, "Subject hostname format is invalid"),
        ("a%20b", "a b", vec![], 400, "Subject hostname format is invalid"),
        ("a%0Ab", "a\nb", vec![], 400, "Subject hostname format is invalid"),
        ("a..b", "a..b", vec![], 400, "Subject hostname format is invalid"),
        (
            "cli",
            "cli",
            vec![extension("1.3.6.1.4.1.34380.1.3.39", "true")],
            400,
            "CSR 'cli' contains an authorization extension, which is disallowed. To allow authorization extensions, start the server with --allow-authorization-extensions.",
        ),
        ("cli", "cli", vec![], 400, "cli already has a requested certificate; ignoring certificate request"),
        ("ca1", "ca1", vec![extension("2.5.29.19", "x")], 400, "Found extensions that are not permitted: 2.5.29.19"),
        (
            "twice",
            "twice",
            vec![role(), role()],
            400,
            "Found extensions that are not permitted: 1.3.6.1.4.1.34380.1.1.13",
        ),
        (
            "names",
            "names",
            vec![alternative_names(&["names", "puppet", "10.0.0.1"])],
            400,
            "CSR 'names' contains extra subject alternative names (IP:10.0.0.1, DNS:puppet), which are disallowed. To allow subject alternative names, start the server with --allow-subject-alt-names.",
        ),
    ];
    let server = RunningServer::start();
    let mut client = server.stranger();
    for (url, name, extensions, status, message) in cases {
        let request = certificate_request(name, &new_p256().unwrap(), &extensions);
        let target = format!("/puppet-ca/v1/certificate_request/{url}");
        let reply = client.send("PUT", &target, &["Content-Type: text/plain"], request.as_bytes());
        assert_eq!((reply.text().as_str(), reply.status), (message, status), "{url} {name}");
    }
    for body in ["", "x", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"] {
        let reply = client.send("PUT", "/puppet-ca/v1/certificate_request/x", &[], body.as_bytes());
        assert_eq!(reply.status, 400, "{body}: {reply:?}");
    }
    // This request has the signature of a different request.
    let (one, other) = (new_p256().unwrap(), new_p256().unwrap());
    let forged = forge(&certificate_request("forged", &one, &[]), &certificate_request("forged", &other, &[]));
    let reply = client.send("PUT", "/puppet-ca/v1/certificate_request/forged", &[], forged.as_bytes());
    assert_eq!(reply.text(), "CSR contains a public key that does not correspond to the signing key");
    assert_eq!(client.get("/puppet-ca/v1/certificate/forged").text(), "Could not find certificate forged");
    assert!(
        client
            .get("/puppet-ca/v1/certificate_request/forged")
            .text()
            .starts_with("-----BEGIN CERTIFICATE REQUEST-----")
    );
}

/// Replaces the signature of a request by that of `other`.
fn forge(request: &str, other: &str) -> String {
    use cms::cert::x509::der::DecodePem;
    use cms::cert::x509::request::CertReq;
    let (mut request, other) = (CertReq::from_pem(request).unwrap(), CertReq::from_pem(other).unwrap());
    request.signature = other.signature;
    catwalk_authority::pem("CERTIFICATE REQUEST", &request.to_der().unwrap()).unwrap()
}

#[test]
fn extensions_reach_the_site_by_their_names() {
    let server = RunningServer::start();
    let key = new_p256().unwrap();
    let extensions = [extension("1.3.6.1.4.1.34380.1.1.13", "web"), extension("1.3.6.1.4.1.34380.1.2.7", "x")];
    let request = certificate_request("a.example.com", &key, &extensions);
    let mut client = server.stranger();
    assert_eq!(
        client.send("PUT", "/puppet-ca/v1/certificate_request/a.example.com", &[], request.as_bytes()).status,
        200
    );
    let certificate = client.get("/puppet-ca/v1/certificate/a.example.com").text();
    let node_key = key.clone();
    let mut node = Connection::open(&server, Some(&Identity { certificate, key }));
    let catalog = node.get("/puppet/v3/catalog/a.example.com?environment=production").json();
    assert_eq!(catalog["extensions"], json!([["pp_role", "web"], ["1.3.6.1.4.1.34380.1.2.7", "x"]]));
    let renewed = node.send("POST", "/puppet-ca/v1/certificate_renewal", &[], b"");
    assert_eq!((renewed.status, renewed.header("content-type")), (200, Some("text/plain")));
    let renewed = Identity { certificate: renewed.text(), key: node_key };
    assert_eq!(renewed.certificate, client.get("/puppet-ca/v1/certificate/a.example.com").text());
    let mut node = Connection::open(&server, Some(&renewed));
    let again = node.get("/puppet/v3/catalog/a.example.com?environment=production").json();
    assert_eq!(again["extensions"], catalog["extensions"]);
    let signed = server.events.lock().iter().any(|event| matches!(event, Event::Signed { .. }));
    assert!(signed);
}

#[test]
fn only_names_that_the_policy_allows_are_signed() {
    let server =
        RunningServer::start_with(limits(), Autosign::Names(vec!["*.example.com".to_owned(), "lone".to_owned()]));
    let mut client = server.stranger();
    let names =
        [("a.example.com", true), ("a.b.example.com", true), ("lone", true), ("example.com", false), ("lone2", false)];
    for (name, signed) in names {
        let request = certificate_request(name, &new_p256().unwrap(), &[]);
        let put = client.send("PUT", &format!("/puppet-ca/v1/certificate_request/{name}"), &[], request.as_bytes());
        assert_eq!(put.status, 200, "{name}");
        let found = client.get(&format!("/puppet-ca/v1/certificate/{name}")).status == 200;
        let kept = client.get(&format!("/puppet-ca/v1/certificate_request/{name}")).status == 200;
        assert_eq!((found, kept), (signed, !signed), "{name}");
    }
}

/// Whether a request of a name is stored in an authority, and whether its certificate exists.
pub(super) fn state(authority: &Authority, name: &str) -> (bool, bool) {
    (authority.request(name).is_some(), authority.certificate(name).is_some())
}

#[test]
fn stored_requests_are_signed_when_the_policy_allows_them() {
    let directory = TempDir::new().unwrap();
    let before = Authority::open(authority(directory.path(), Autosign::None), &|_| ()).unwrap();
    let keys: Vec<String> = (0..4).map(|_| new_p256().unwrap()).collect();
    let role = [extension("1.3.6.1.4.1.34380.1.1.13", "web")];
    let unsignable = [extension("1.3.6.1.4.1.34380.1.3.39", "true")];
    let names = ["a.example.com", "b.example.com", "c.example.com", "d.example.org"];
    let extensions: [&[Extension]; 4] = [&role, &[], &unsignable, &[]];
    for ((name, key), extensions) in names.iter().zip(&keys).zip(extensions) {
        before.submit(name, certificate_request(name, key, extensions).as_bytes()).ok().unwrap();
        assert_eq!(state(&before, name), (true, false), "{name}");
    }
    let policy = Autosign::Names(vec!["*.example.com".to_owned()]);
    let after =
        Authority::open(AuthorityConfig { autosign: policy, ..authority_settings(directory.path()) }, &|_| ()).unwrap();
    let submit = |name: &str, key: &str| match after.submit(name, certificate_request(name, key, &[]).as_bytes()) {
        Ok(submitted) => format!("{submitted:?}"),
        Err(Refusal::Missing(why)) => why,
        Err(Refusal::Request(why)) => why,
        Err(Refusal::Full(_)) => "Full".to_owned(),
        Err(Refusal::Authority(why)) => panic!("{why}"),
    };
    let already = |name: &str| format!("{name} already has a requested certificate; ignoring certificate request");
    assert_eq!(submit("a.example.com", &keys[1]), already("a.example.com"), "another key");
    assert_eq!(submit("d.example.org", &keys[3]), already("d.example.org"), "not named by the policy");
    assert_eq!(submit("a.example.com", &keys[0]), "Signed");
    assert_eq!(
        submit("c.example.com", &keys[2]),
        "CSR 'c.example.com' contains an authorization extension, which is disallowed. To allow authorization extensions, start the server with --allow-authorization-extensions."
    );
    let signed = Certificate::from_pem(after.certificate("a.example.com").unwrap()).unwrap();
    let of_waiting = catwalk_certificate::extensions(&signed);
    assert_eq!(of_waiting, [("pp_role".to_owned(), "web".to_owned())], "the request that waited is signed");
    // Neither a request with a different name than its file nor a file that is not a request is signed.
    let requests = directory.path().join("requests");
    std::fs::copy(requests.join("d.example.org.pem"), requests.join("e.example.com.pem")).unwrap();
    std::fs::write(requests.join("f.example.com.pem"), "x").unwrap();
    let mut became: Vec<(String, bool)> =
        after.sign_stored_requests().into_iter().map(|(name, signed)| (name, signed.is_ok())).collect();
    became.sort();
    let expected = [("b", true), ("c", false), ("e", false), ("f", false)];
    assert_eq!(became, expected.map(|(name, signed)| (format!("{name}.example.com"), signed)));
    let states = names.map(|name| state(&after, name));
    assert_eq!(states, [(false, true), (false, true), (true, false), (true, false)]);
}

#[test]
fn a_revoked_certificate_is_refused_from_the_next_request_on() {
    let server = RunningServer::start();
    let identity = server.enroll("a.example.com");
    let mut node = Connection::open(&server, Some(&identity));
    let mut other = server.node("b.example.com");
    assert_eq!(node.get("/puppet/v3/environments").status, 200);
    assert_eq!(authority_again(&server).revoke(&["a.example.com".to_owned()]).ok(), Some(1));
    let refused = node.get("/puppet/v3/environments");
    assert_eq!((refused.status, refused.header("connection")), (403, Some("close")));
    assert_eq!(other.get("/puppet/v3/environments").status, 200);
    let mut again = Connection::open(&server, Some(&identity));
    again.write(b"GET /status/v1/simple HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(again.read().is_none(), "TLS refuses it");
    // If the CRL cannot be read, the server keeps the current one.
    std::fs::write(server.directory.path().join("ca/ca_crl.pem"), "x").unwrap();
    assert_eq!(other.get("/puppet/v3/environments").status, 200);
    assert!(server.handle.reload().is_err());
    assert_eq!(other.get("/puppet/v3/environments").status, 200);
    let kept =
        |event: &&Event| matches!(event, Event::Problem(text) if text.starts_with("the certificates in use are kept"));
    assert_eq!(server.events.lock().iter().filter(kept).count(), 1);
}

/// Opens the authority of a server a second time.
fn authority_again(server: &RunningServer) -> Authority {
    Authority::open(authority_settings(&server.directory.path().join("ca")), &|_| ()).unwrap()
}

pub(super) fn authority_settings(directory: &Path) -> AuthorityConfig {
    new_authority(directory, Autosign::None)
}

#[test]
fn a_crl_is_sent_only_if_it_has_changed() {
    let server = RunningServer::start();
    let mut client = server.stranger();
    for target in ["/puppet-ca/v1/certificate_revocation_list/ca", "/puppet-ca/v1/certificate/ca"] {
        let first = client.get(target);
        let modified = first.header("last-modified").unwrap().to_owned();
        assert_eq!((first.status, first.header("content-type")), (200, Some("text/plain")));
        let known = client.send("GET", target, &[&format!("If-Modified-Since: {modified}")], b"");
        assert_eq!((known.status, known.body.len()), (304, 0));
        for older in ["Fri, 20 Nov 2020 16:04:20 GMT", "nonsense"] {
            assert_eq!(
                client.send("GET", target, &[&format!("If-Modified-Since: {older}")], b"").status,
                200,
                "{older}"
            );
        }
    }
}

#[test]
fn existing_certificates_make_a_server_without_an_authority() {
    let directory = TempDir::new().unwrap();
    let ca = directory.path().join("ca");
    let signer = Authority::open(authority(&ca, Autosign::All), &|_| ()).unwrap();
    let key = new_p256().unwrap();
    assert!(signer.submit("a.example.com", certificate_request("a.example.com", &key, &[]).as_bytes()).is_ok());
    let certificate = String::from_utf8(signer.certificate("a.example.com").unwrap()).unwrap();
    let ssl = directory.path().join("ssl");
    let files = CertificateFiles::in_ssldir(&ssl, "localhost");
    for (from, to) in [
        ("ca_crt.pem", &files.ca),
        ("ca_crl.pem", &files.crl),
        ("signed/localhost.pem", &files.certificate),
        ("private/localhost.pem", &files.key),
    ] {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(ca.join(from), to).unwrap();
    }
    let server = RunningServer::start_in(directory, limits(), CertificateSource::Files(files));
    let mut node = Connection::open(&server, Some(&Identity { certificate, key }));
    assert_eq!(node.get("/puppet/v3/environments").status, 200);
    assert_eq!(node.get("/puppet-ca/v1/certificate/ca").status, 200);
    assert_eq!(node.get("/puppet-ca/v1/certificate_revocation_list/ca").status, 200);
    assert_eq!(node.get("/puppet-ca/v1/certificate/a.example.com").status, 404);
    let request = certificate_request("b", &new_p256().unwrap(), &[]);
    assert_eq!(node.send("PUT", "/puppet-ca/v1/certificate_request/b", &[], request.as_bytes()).status, 404);
}

#[test]
fn keys_are_private_and_the_authority_is_created_once() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let settings = authority(directory.path(), Autosign::All);
    std::fs::remove_file(directory.path().join("private/localhost.pem")).unwrap();
    let error = Authority::open(settings.clone(), &|_| ()).err().unwrap().to_string();
    assert!(error.contains("exists, but not its key"), "{error}");
    std::fs::remove_file(directory.path().join("signed/localhost.pem")).unwrap();
    let before = std::fs::read(directory.path().join("ca_crt.pem")).unwrap();
    Authority::open(settings.clone(), &|_| ()).unwrap();
    Authority::open(settings.clone(), &|_| ()).unwrap();
    assert_eq!(std::fs::read(directory.path().join("ca_crt.pem")).unwrap(), before);
    let mode = |name: &str| std::fs::metadata(directory.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("private/localhost.pem"), 0o600);
    let lines = std::fs::read_to_string(directory.path().join("inventory.txt")).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.ends_with("UTC /CN=localhost\n"), "{lines}");
    // With additional names the server gets a new certificate for its key.
    let key = std::fs::read(directory.path().join("private/localhost.pem")).unwrap();
    Authority::open(AuthorityConfig { alt_names: vec!["puppet".to_owned()], ..settings }, &|_| ()).unwrap();
    assert_eq!(std::fs::read(directory.path().join("private/localhost.pem")).unwrap(), key);
    let lines = std::fs::read_to_string(directory.path().join("inventory.txt")).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

#[test]
fn a_waiting_request_is_named_with_its_fingerprint_and_signed_by_a_command() {
    let server = RunningServer::start_with(limits(), Autosign::None);
    let request = certificate_request("a.example.com", &new_p256().unwrap(), &[]);
    let mut stranger = server.stranger();
    let path = "/puppet-ca/v1/certificate_request/a.example.com";
    assert_eq!(stranger.send("PUT", path, &["Content-Type: text/plain"], request.as_bytes()).status, 200);
    let waiting = server.events.lock().iter().find_map(|event| match event {
        Event::Waiting { certname, fingerprint, .. } => Some((certname.clone(), fingerprint.clone())),
        _ => None,
    });
    let (certname, fingerprint) = waiting.unwrap();
    assert_eq!((certname.as_str(), fingerprint.len(), fingerprint.split(':').count()), ("a.example.com", 95, 32));
    let certificate = "/puppet-ca/v1/certificate/a.example.com";
    assert_eq!(stranger.get(certificate).status, 404);
    let config = || authority_settings(&server.directory.path().join("ca"));
    let existing = Authority::open_existing(config()).unwrap();
    let sign = |name: &str| match existing.sign_named(name, None) {
        Ok(()) => "signed".to_owned(),
        Err(Refusal::Missing(why)) => why,
        Err(why) => panic!("{why:?}"),
    };
    let missing = |name: &str| format!("Cannot sign certificate for host {name} without a certificate request");
    assert_eq!(sign("b.example.com"), missing("b.example.com"));
    assert_eq!(sign("../a"), missing("../a"));
    assert_eq!(sign("a.example.com"), "signed");
    assert_eq!(stranger.get(certificate).status, 200, "without a restart");
    assert_eq!(sign("a.example.com"), missing("a.example.com"));
    let nowhere = AuthorityConfig { directory: Place::named(server.directory.path().join("nowhere")), ..config() };
    assert!(Authority::open_existing(nowhere).is_err());
    assert!(!server.directory.path().join("nowhere").exists());
}
