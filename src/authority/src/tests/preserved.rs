//! What no command loses: revocations, used serial numbers, the names and extensions of a server, the lifetime of a root's list.

use std::path::Path;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::DecodePem;
use cms::cert::x509::der::Encode;
use tempfile::TempDir;

use super::config;
use super::request_pem;
use super::request_with;
use super::requested;
use super::role;
use super::to_pem;
use crate::Authority;
use crate::AuthorityConfig;
use crate::Autosign;
use crate::Refusal;
use crate::Setup;
use crate::authority::crl_number;
use crate::bundle;
use crate::encoding::alternative_names_extension;
use crate::encoding::now;
use crate::key::new_p256;
use crate::request;

const NODE: &str = "a.example.com";
const YEAR: u64 = 365 * 24 * 3600;

fn certificate(authority: &Authority, name: &str) -> Certificate {
    Certificate::from_pem(authority.certificate(name).unwrap()).unwrap()
}

#[test]
fn a_certificate_that_was_revoked_meanwhile_is_not_renewed() {
    let directory = TempDir::new().unwrap();
    let authority = Authority::open(config(directory.path()), &|_| ()).unwrap();
    authority.submit(NODE, request_pem(NODE).as_bytes()).unwrap();
    let first = certificate(&authority, NODE).to_der().unwrap();
    authority.renew(&first).unwrap();
    // TLS has admitted its owner before the revocation.
    authority.revoke(&[NODE.to_owned()]).unwrap();
    let refused = authority.renew(&first).unwrap_err();
    assert!(
        matches!(&refused, Refusal::Request(why) if why == "The certificate of a.example.com is revoked"),
        "{refused:?}"
    );
    authority.clean(&[NODE.to_owned()]).unwrap();
    assert!(authority.renew(&first).is_err());
    assert!(authority.certificate(NODE).is_none());
}

/// An action on an authority, which fails if a file is missing that it must not replace.
type Action = fn(&Authority, &Path) -> Result<(), String>;

fn refusal(done: Result<(), Refusal>) -> Result<(), String> {
    done.map_err(|refusal| match refusal {
        Refusal::Authority(why) => why.to_string(),
        why => panic!("{why:?}"),
    })
}

/// Submits the same request each time.
fn submit(authority: &Authority, directory: &Path) -> Result<(), String> {
    let path = directory.join("b.csr.pem");
    if !path.exists() {
        std::fs::write(&path, request_pem("b")).unwrap();
    }
    refusal(authority.submit("b", &std::fs::read(path).unwrap()).map(drop))
}

/// The cases: the file, the action.
const ACTIONS: [(&str, &str, Action); 8] = [
    ("ca_crl.pem", "revoke", |one, _| refusal(one.revoke(&[NODE.to_owned()]).map(drop))),
    ("ca_crl.pem", "clean", |one, _| refusal(one.clean(&[NODE.to_owned()]).map(drop))),
    ("ca_crl.pem", "renew", |one, _| refusal(one.renew_named(NODE).map(drop))),
    ("ca_crl.pem", "renew the list", |one, _| one.renew_crl().map_err(|why| why.to_string())),
    ("ca_crl.pem", "replace the list", |one, _| one.replace_crl().map(drop).map_err(|why| why.to_string())),
    ("ca_crl.pem", "start", |_, path| Authority::open(config(path), &|_| ()).map(drop).map_err(|why| why.to_string())),
    ("serial", "submit", submit),
    ("serial", "renew", |one, _| refusal(one.renew_named(NODE).map(drop))),
];

#[test]
fn a_missing_list_or_number_is_an_error_once_certificates_are_signed() {
    for (file, action, run) in ACTIONS {
        let directory = TempDir::new().unwrap();
        let authority = Authority::open(config(directory.path()), &|_| ()).unwrap();
        authority.submit(NODE, request_pem(NODE).as_bytes()).unwrap();
        let path = directory.path().join("ca").join(file);
        let before = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let why = run(&authority, directory.path()).expect_err(action);
        assert!(why.ends_with(&format!("ca/{file} is missing: restore it")), "{file} {action}: {why}");
        assert!(!path.exists(), "{file} {action}");
        std::fs::write(&path, before).unwrap();
        run(&authority, directory.path()).unwrap_or_else(|why| panic!("{file} {action}: {why}"));
    }
}

/// The seconds until each list expires: that of the authority, that of the root.
fn lists(directory: &Path) -> Vec<(u64, u64)> {
    let text = std::fs::read(directory.join("ca/ca_crl.pem")).unwrap();
    let lists = bundle::revocation_lists(&text).unwrap();
    let end = |list: &cms::cert::x509::crl::CertificateList| {
        list.tbs_cert_list.next_update.unwrap().to_unix_duration().as_secs() - now()
    };
    // A list that is a moment old is counted as a new one.
    lists.iter().map(|list| (crl_number(list), (end(list) + 3600) / YEAR)).collect()
}

#[test]
fn the_list_of_a_root_is_valid_as_long_as_the_root_and_is_renewed_with_its_key() {
    let directory = TempDir::new().unwrap();
    let config = AuthorityConfig { ttl: std::time::Duration::from_secs(15 * YEAR + 3600), ..config(directory.path()) };
    let setup = Setup { has_root: true, ..Setup::default() };
    let authority = Authority::setup(config, &setup, &|_| ()).unwrap();
    // The number of each list, and the years until it expires; the authority's own has Puppet's default and is renewed by the server.
    assert_eq!(lists(directory.path()), [(0, 5), (0, 15)]);
    authority.renew_crl().unwrap();
    assert_eq!(lists(directory.path()), [(0, 5), (0, 15)]);
    let names = authority.replace_crl().unwrap();
    assert_eq!(lists(directory.path()), [(1, 5), (1, 15)]);
    assert_eq!(names.len(), 2);
    assert!(names[0] == "Puppet CA: puppet.example.com" && names[1].starts_with("Puppet Root CA: "), "{names:?}");
    std::fs::remove_file(directory.path().join("ca/root_key.pem")).unwrap();
    assert_eq!(authority.replace_crl().unwrap(), ["Puppet CA: puppet.example.com"]);
    assert_eq!(lists(directory.path()), [(2, 5), (1, 15)]);
    // A key of somebody else does not sign it.
    std::fs::write(directory.path().join("ca/root_key.pem"), new_p256().unwrap()).unwrap();
    assert_eq!(authority.replace_crl().unwrap().len(), 1);
    assert_eq!(lists(directory.path()), [(3, 5), (1, 15)]);
    // A key that cannot be read is an error, which does not keep the authority's own list from being renewed.
    std::fs::write(directory.path().join("ca/root_key.pem"), "x").unwrap();
    let why = authority.replace_crl().unwrap_err().to_string();
    assert!(why.contains("ca/root_key.pem: "), "{why}");
    assert_eq!(lists(directory.path()), [(4, 5), (1, 15)]);
}

#[test]
fn a_replaced_server_certificate_keeps_names_and_extensions() {
    let directory = TempDir::new().unwrap();
    let server = "puppet.example.com";
    let (key, mut settings) = (new_p256().unwrap(), config(directory.path()));
    settings.certname = "other.example.com".to_owned();
    settings.allow_alt_names = true;
    let names = ["old", "192.0.2.1"].map(|name| crate::alternative_name(name).unwrap()).to_vec();
    let extensions = [alternative_names_extension(names).unwrap(), role("compiler")];
    let authority = Authority::open(settings, &|_| ()).unwrap();
    let submitted = to_pem(&request_with(server, &key, &[requested(&extensions)]));
    authority.submit(server, submitted.as_bytes()).unwrap();
    std::fs::write(directory.path().join(format!("ca/private/{server}.pem")), &key).unwrap();
    let before = certificate(&authority, server);
    let alt_names = vec!["new".to_owned(), "old".to_owned()];
    let settings = AuthorityConfig { alt_names, autosign: Autosign::None, ..config(directory.path()) };
    for _ in 0..2 {
        let authority = Authority::open(settings.clone(), &|_| ()).unwrap();
        let after = certificate(&authority, server);
        assert_ne!(after, before);
        let all = after.tbs_certificate.extensions.clone().unwrap();
        let names = request::alternative_names(&all).unwrap().to_strings();
        assert_eq!(names, ["IP:192.0.2.1", "DNS:puppet.example.com", "DNS:new", "DNS:old"]);
        let extensions = catwalk_certificate::extensions(&after);
        let role = ("pp_role".to_owned(), "compiler".to_owned());
        assert_eq!(extensions.iter().filter(|one| **one == role).count(), 1, "{extensions:?}");
        assert_eq!(request::authorization_extensions(&all), [("pp_cli_auth".to_owned(), "true".to_owned())]);
        assert_eq!(after.tbs_certificate.subject_public_key_info, before.tbs_certificate.subject_public_key_info);
    }
    let inventory = std::fs::read_to_string(directory.path().join("ca/inventory.txt")).unwrap();
    assert_eq!(inventory.lines().count(), 3, "it is replaced once: {inventory}");
}
