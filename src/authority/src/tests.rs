//! Damaged input is an error, never a panic and never signed; two processes use one directory.
//!
//! | file | what |
//! |---|---|
//! | `policies` | the policy decides about the request that is signed |
//! | `preserved` | what no command loses: revocations, serial numbers, names and lifetimes |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod policies;
mod preserved;

use std::path::Path;

use cms::cert::x509::attr::Attribute;
use cms::cert::x509::attr::Attributes;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Tag;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::der::asn1::SetOfVec;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::request::CertReq;
use cms::cert::x509::request::CertReqInfo;
use cms::cert::x509::request::Version;
use tempfile::TempDir;

use crate::Authority;
use crate::AuthorityConfig;
use crate::Autosign;
use crate::Imported;
use crate::Key;
use crate::KeyKind;
use crate::Setup;
use crate::bundle;
use crate::encoding::common_name;
use crate::encoding::pem;
use crate::key::new_p256;
use crate::request::Request;
use catwalk_world::output::Place;

fn text(value: &str) -> Any {
    Any::new(Tag::Utf8String, value.as_bytes()).unwrap()
}

/// An extension with this value in DER.
fn extension(oid: &str, value: &[u8]) -> Extension {
    Extension {
        extn_id: ObjectIdentifier::new(oid).unwrap(),
        critical: false,
        extn_value: OctetString::new(value).unwrap(),
    }
}

/// The extension `pp_role`.
fn role(value: &str) -> Extension {
    extension("1.3.6.1.4.1.34380.1.1.13", &text(value).to_der().unwrap())
}

/// An attribute with values.
fn attribute(oid: &str, all: &[Any]) -> Attribute {
    let mut values = SetOfVec::new();
    for value in all {
        values.insert(value.clone()).unwrap();
    }
    Attribute { oid: ObjectIdentifier::new(oid).unwrap(), values }
}

/// The attribute that requests extensions.
fn requested(extensions: &[Extension]) -> Attribute {
    attribute("1.2.840.113549.1.9.14", &[Any::encode_from(&extensions.to_vec()).unwrap()])
}

/// A request with the extension `pp_role` and a challenge password.
fn request(name: &str) -> CertReq {
    let password = attribute("1.2.840.113549.1.9.7", &[text("secret")]);
    request_with(name, &new_p256().unwrap(), &[requested(&[role("web")]), password])
}

/// A request with these attributes, signed by a key in PEM.
fn request_with(name: &str, key: &str, all: &[Attribute]) -> CertReq {
    let key = Key::read(key.as_bytes()).unwrap();
    let mut attributes = Attributes::new();
    for attribute in all {
        attributes.insert(attribute.clone()).unwrap();
    }
    let subject = common_name(name).unwrap();
    let info = CertReqInfo { version: Version::V1, subject, public_key: key.public().unwrap(), attributes };
    let signature = BitString::from_bytes(&key.sign(&info.to_der().unwrap()).unwrap()).unwrap();
    CertReq { info, algorithm: key.algorithm().unwrap(), signature }
}

fn request_pem(name: &str) -> String {
    to_pem(&request(name))
}

fn to_pem(request: &CertReq) -> String {
    pem("CERTIFICATE REQUEST", &request.to_der().unwrap()).unwrap()
}

fn config(directory: &Path) -> AuthorityConfig {
    AuthorityConfig {
        autosign: Autosign::All,
        key: KeyKind::P256,
        ..AuthorityConfig::new(Place::named(directory.join("ca")), "puppet.example.com")
    }
}

/// Pseudorandom numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

/// Changes, removes or repeats some bytes.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        match numbers.below(4) {
            0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
            1 => bytes[at] ^= 1 << numbers.below(8),
            2 if bytes.len() > 8 => drop(bytes.drain(at..(at + 1 + numbers.below(4)).min(bytes.len()))),
            _ => bytes.insert(at, bytes[at]),
        }
    }
}

#[test]
fn damaged_requests_are_never_signed() {
    let der = request("a.example.com").to_der().unwrap();
    let check = |der: &[u8]| {
        let text = pem("CERTIFICATE REQUEST", der).unwrap();
        Request::read(text.as_bytes()).map(|request| request.check_signable(false, false))
    };
    assert_eq!(check(&der), Ok(Ok(())));
    let mut numbers = Numbers(7);
    let mut read = 0;
    for _ in 0..5_000 {
        let mut damaged = der.clone();
        damage(&mut damaged, &mut numbers);
        if damaged == der {
            continue;
        }
        if let Ok(checked) = check(&damaged) {
            read += 1;
            assert!(checked.is_err(), "{damaged:02x?}");
        }
    }
    assert!(read > 100, "damage is not only to the structure: {read}");
}

#[test]
fn a_policy_sees_extensions_attributes_and_names() {
    let summary = Request::read(request_pem("a.example.com").as_bytes()).unwrap().summary().unwrap();
    assert_eq!(summary.certname, "a.example.com");
    assert_eq!(summary.extensions, [("pp_role".to_owned(), "web".to_owned())]);
    assert_eq!(summary.attributes, [("challengePassword".to_owned(), "secret".to_owned())]);
    assert_eq!(summary.fingerprint.len(), 95);
}

#[test]
fn damaged_bundles_are_errors() {
    let directory = TempDir::new().unwrap();
    let setup = Setup { has_root: true, ..Setup::default() };
    Authority::setup(config(directory.path()), &setup, &|_| ()).unwrap();
    let read = |name: &str| std::fs::read(directory.path().join("ca").join(name)).unwrap();
    let (key, certificates, crls) = (read("ca_key.pem"), read("ca_crt.pem"), read("ca_crl.pem"));
    let mut numbers = Numbers(3);
    for _ in 0..2_000 {
        let (mut some_certificates, mut some_crls) = (certificates.clone(), crls.clone());
        damage(&mut some_certificates, &mut numbers);
        damage(&mut some_crls, &mut numbers);
        let _ = bundle::certificates(&some_certificates);
        let _ = bundle::revocation_lists(&some_crls);
    }
    assert_eq!(bundle::certificates(&certificates).unwrap().len(), 2);
    assert!(bundle::certificates(&certificates.repeat(60)).unwrap_err().contains("more than 100"));
    assert_eq!(bundle::revocation_lists(b"x").unwrap().len(), 0);
    let import = |bundle: &[u8], crls: &[u8]| {
        let target = TempDir::new().unwrap();
        let imported = Imported { key: key.clone(), bundle: bundle.to_vec(), crls: crls.to_vec() };
        let done = Authority::import(config(target.path()), &imported).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(done.is_ok(), target.path().join("ca/ca_crt.pem").exists(), "all files or none");
        done
    };
    let own = |text: &[u8]| {
        String::from_utf8_lossy(text).split_inclusive("-----END CERTIFICATE-----\n").next().unwrap().to_owned()
    };
    let own_crl = |text: &[u8]| {
        String::from_utf8_lossy(text).split_inclusive("-----END X509 CRL-----\n").next().unwrap().to_owned()
    };
    assert_eq!(import(&certificates, &crls), Ok(()));
    let lacks_certificate = import(own(&certificates).as_bytes(), &crls).unwrap_err();
    assert!(lacks_certificate.contains("lacks a certificate"), "{lacks_certificate}");
    let lacks_crl = import(&certificates, own_crl(&crls).as_bytes()).unwrap_err();
    assert!(lacks_crl.contains("no CRL of CN=Puppet Root CA"), "{lacks_crl}");
    assert!(import(b"x", &crls).is_err());
}

#[test]
fn setup_writes_all_files_or_none_and_replaces_none() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let ssl = directory.path().join("ssl");
    let config = AuthorityConfig { ssldir: Some(Place::named(&ssl)), ..config(directory.path()) };
    let setup = Setup { has_root: true, name: Some("Our CA".to_owned()) };
    let authority = Authority::setup(config.clone(), &setup, &|_| ()).unwrap();
    let names: Vec<String> = authority.expirations().unwrap().certificates.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[0], "Our CA");
    assert!(names[1].starts_with("Puppet Root CA: "), "{names:?}");
    for (key, mode) in
        [("ca/ca_key.pem", 0o600), ("ca/root_key.pem", 0o600), ("ssl/private_keys/puppet.example.com.pem", 0o600)]
    {
        let found = std::fs::metadata(directory.path().join(key)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{key}");
    }
    let before = std::fs::read(directory.path().join("ca/ca_key.pem")).unwrap();
    let refused = Authority::setup(config.clone(), &setup, &|_| ()).err().unwrap().to_string();
    assert!(refused.contains("Existing file at") && refused.contains("delete the existing files first"), "{refused}");
    assert_eq!(std::fs::read(directory.path().join("ca/ca_key.pem")).unwrap(), before);
    // A creation that was killed leaves its marker; the next one replaces the files.
    std::fs::remove_file(directory.path().join("ca/ca_crt.pem")).unwrap();
    std::fs::write(directory.path().join("ca/setup-unfinished"), "").unwrap();
    std::fs::remove_dir_all(&ssl).unwrap();
    std::fs::remove_file(directory.path().join("ca/signed/puppet.example.com.pem")).unwrap();
    Authority::setup(config, &setup, &|_| ()).unwrap();
    assert_ne!(std::fs::read(directory.path().join("ca/ca_key.pem")).unwrap(), before);
}

#[test]
fn two_users_of_a_directory_never_use_a_serial_number_twice() {
    let directory = TempDir::new().unwrap();
    Authority::open(config(directory.path()), &|_| ()).unwrap();
    std::thread::scope(|scope| {
        for user in 0..2 {
            let config = config(directory.path());
            scope.spawn(move || {
                let authority = Authority::open_existing(config).unwrap();
                for number in 0..20 {
                    let name = format!("node{user}-{number}");
                    authority.submit(&name, request_pem(&name).as_bytes()).unwrap();
                    authority.revoke(&[name]).unwrap();
                }
            });
        }
    });
    let authority = Authority::open_existing(config(directory.path())).unwrap();
    let (found, unreadable) = authority.statuses(None).unwrap();
    assert_eq!((found.len(), unreadable.len()), (41, 0));
    let mut serials: Vec<u64> = found.iter().map(|one| one.document["serial_number"].as_u64().unwrap()).collect();
    serials.sort_unstable();
    serials.dedup();
    assert_eq!(serials.len(), 41);
    assert_eq!(found.iter().filter(|one| one.state == crate::State::Revoked).count(), 40);
    let inventory = std::fs::read_to_string(directory.path().join("ca/inventory.txt")).unwrap();
    assert_eq!(inventory.lines().count(), 41);
}

#[test]
fn a_revocation_covers_the_certificates_before_a_renewal() {
    let directory = TempDir::new().unwrap();
    let authority = Authority::open(config(directory.path()), &|_| ()).unwrap();
    authority.submit("a", request_pem("a").as_bytes()).unwrap();
    authority.renew_named("a").unwrap();
    authority.renew_named("a").unwrap();
    assert_eq!(authority.revoke(&["a".to_owned()]).ok(), Some(3));
    assert_eq!(authority.revoke(&["a".to_owned()]).ok(), Some(0));
    assert!(authority.revoke(&["a".to_owned(), "b".to_owned()]).is_err());
    let lists = |text: &[u8]| bundle::revocation_lists(text).unwrap();
    let crl = std::fs::read(directory.path().join("ca/ca_crl.pem")).unwrap();
    assert_eq!(lists(&crl)[0].tbs_cert_list.revoked_certificates.as_ref().unwrap().len(), 3);
    authority.replace_crl().unwrap();
    let next = std::fs::read(directory.path().join("ca/ca_crl.pem")).unwrap();
    assert_eq!(lists(&next)[0].tbs_cert_list.revoked_certificates.as_ref().unwrap().len(), 3);
    assert_ne!(crl, next);
    assert_eq!(authority.clean(&["a".to_owned(), "b".to_owned()]).ok(), Some(vec!["b".to_owned()]));
    assert!(authority.certificate("a").is_none());
}

/// Measures the time of RSA keys: `cargo test -p catwalk-authority -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn time_of_rsa_keys() {
    let mut times: Vec<_> = (0..20)
        .map(|_| {
            let start = std::time::Instant::now();
            crate::key::create(KeyKind::Rsa(4096)).unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("median {:?}, longest {:?}", times[10], times[19]);
}
