//! The policy decides about the request that is signed, which may be one that waits; malformed requests are refused before they are stored.

use std::path::PathBuf;
use std::sync::Arc;

use cms::cert::x509::attr::Attribute;
use cms::cert::x509::der::Any;
use parking_lot::Mutex;
use tempfile::TempDir;

use super::attribute;
use super::config;
use super::extension;
use super::request_with;
use super::requested;
use super::role;
use super::to_pem;
use crate::Authority;
use crate::AuthorityConfig;
use crate::Autosign;
use crate::AutosignPolicy;
use crate::Decision;
use crate::Operator;
use crate::Refusal;
use crate::RequestSummary;
use crate::Submission;
use crate::key::new_p256;

const NODE: &str = "a.example.com";

/// Signs requests with the role `web`. Meanwhile, another process may replace the request that waits.
#[derive(Default)]
struct SignsWeb {
    /// The roles of the requests that it has decided about.
    seen: Mutex<Vec<String>>,
    replaced: Option<(PathBuf, String)>,
}

impl AutosignPolicy for SignsWeb {
    fn decide(&self, request: &RequestSummary) -> Decision {
        let role = request.extensions.iter().find(|(name, _)| name == "pp_role").map(|(_, value)| value.clone());
        let role = role.unwrap_or_default();
        self.seen.lock().push(role.clone());
        if let Some((path, request)) = &self.replaced {
            std::fs::write(path, request).unwrap();
        }
        if role == "web" { Decision::SIGN } else { Decision::WAIT }
    }
}

/// The outcome of a submission, and the roles in a signed certificate.
fn outcome(submitted: Result<Submission, Refusal>, authority: &Authority) -> String {
    use cms::cert::x509::Certificate;
    use cms::cert::x509::der::DecodePem;
    match submitted {
        Ok(Submission::Signed) => {
            let signed = Certificate::from_pem(authority.certificate(NODE).unwrap()).unwrap();
            let extensions = catwalk_certificate::extensions(&signed);
            format!("signed {}", extensions.iter().map(|(_, value)| value.as_str()).collect::<String>())
        }
        Ok(Submission::Pending { .. }) => "waits".to_owned(),
        Err(Refusal::Request(why)) => why,
        Err(why) => panic!("{why:?}"),
    }
}

/// The cases: the role of the request that waits, that of the next one, whether both have one key, with what another process replaces the one
/// that waits during the decision; the role that the policy sees, the outcome.
const CASES: [(&str, &str, bool, &str, &str, &str); 6] = [
    ("db", "web", true, "", "db", "ignored"),
    ("web", "db", true, "", "web", "signed web"),
    ("web", "web", true, "", "web", "signed web"),
    ("db", "web", false, "", "web", "ignored"),
    ("web", "web", true, "db", "web", "ignored"),
    ("", "web", true, "db", "web", "ignored"),
];

#[test]
fn the_policy_decides_about_the_request_that_is_signed() {
    for (waits, next, is_same_key, replaced, seen, expected) in CASES {
        let directory = TempDir::new().unwrap();
        let (key, other) = (new_p256().unwrap(), new_p256().unwrap());
        let with_role = |value: &str, key: &str| to_pem(&request_with(NODE, key, &[requested(&[role(value)])]));
        let stored = directory.path().join(format!("ca/requests/{NODE}.pem"));
        let open = |autosign: Autosign| {
            Authority::open(AuthorityConfig { autosign, ..config(directory.path()) }, &|_| ()).unwrap()
        };
        let before = open(Autosign::None);
        if !waits.is_empty() {
            before.submit(NODE, with_role(waits, &key).as_bytes()).unwrap();
        }
        let replaced = Some((stored.clone(), with_role(replaced, &key))).filter(|_| !replaced.is_empty());
        let policy = Arc::new(SignsWeb { replaced, ..SignsWeb::default() });
        let authority = open(Autosign::Policy(policy.clone()));
        let next = with_role(next, if is_same_key { &key } else { &other });
        let got = outcome(authority.submit(NODE, next.as_bytes()), &authority);
        let case = format!("{waits} {next}");
        assert_eq!(*policy.seen.lock(), [seen], "{case}");
        match expected {
            "ignored" => {
                assert!(
                    got.ends_with("already has a requested certificate; ignoring certificate request"),
                    "{case}: {got}"
                );
                assert!(authority.certificate(NODE).is_none(), "{case}");
            }
            expected => assert_eq!(got, expected, "{case}"),
        }
    }
}

#[test]
fn a_stored_request_that_is_replaced_during_the_decision_is_not_signed() {
    let directory = TempDir::new().unwrap();
    let key = new_p256().unwrap();
    let with_role = |value: &str| to_pem(&request_with(NODE, &key, &[requested(&[role(value)])]));
    let before = AuthorityConfig { autosign: Autosign::None, ..config(directory.path()) };
    Authority::open(before, &|_| ()).unwrap().submit(NODE, with_role("web").as_bytes()).unwrap();
    let stored = directory.path().join(format!("ca/requests/{NODE}.pem"));
    let policy = Arc::new(SignsWeb { replaced: Some((stored, with_role("db"))), ..SignsWeb::default() });
    let autosign = Autosign::Policy(policy.clone());
    let authority = Authority::open_existing(AuthorityConfig { autosign, ..config(directory.path()) }).unwrap();
    assert!(authority.sign_stored_requests().is_empty());
    assert_eq!(*policy.seen.lock(), ["web"]);
    assert!(authority.certificate(NODE).is_none() && authority.request(NODE).is_some());
    // The next time, the policy sees the other one.
    assert!(authority.sign_stored_requests().is_empty());
    assert_eq!(*policy.seen.lock(), ["web", "db"]);
}

/// The attributes of requests that are refused before they are stored.
fn malformed() -> Vec<(&'static str, Vec<Attribute>)> {
    let set = |value: &str| Any::encode_from(&vec![role(value)]).unwrap();
    let microsoft = "1.3.6.1.4.1.311.2.1.14";
    let names = |value: &[u8]| requested(&[extension("2.5.29.17", value)]);
    vec![
        ("alternative names that are no sequence", vec![names(b"x")]),
        ("alternative names that end too early", vec![names(b"\x30\x20\x82\x01a")]),
        ("no alternative names", vec![names(b"")]),
        ("one attribute with two values", vec![attribute("1.2.840.113549.1.9.14", &[set("web"), set("db")])]),
        ("two attributes", vec![requested(&[role("web")]), attribute(microsoft, &[set("db")])]),
        ("an attribute that holds no extensions", vec![attribute(microsoft, &[super::text("x")])]),
    ]
}

#[test]
fn malformed_requests_are_not_stored() {
    let directory = TempDir::new().unwrap();
    for autosign in [Autosign::None, Autosign::All] {
        let config = AuthorityConfig { autosign, allow_alt_names: true, ..config(directory.path()) };
        let authority = Authority::open(config, &|_| ()).unwrap();
        for (case, attributes) in malformed() {
            let request = to_pem(&request_with(NODE, &new_p256().unwrap(), &attributes));
            let got = outcome(authority.submit(NODE, request.as_bytes()), &authority);
            assert_eq!(got, "The extensions of the request cannot be read", "{case}");
            assert!(authority.request(NODE).is_none() && authority.certificate(NODE).is_none(), "{case}");
        }
    }
}

#[test]
fn a_request_that_cannot_be_read_does_not_hide_the_others() {
    let directory = TempDir::new().unwrap();
    let config = AuthorityConfig { autosign: Autosign::None, ..config(directory.path()) };
    let authority = Authority::open(config, &|_| ()).unwrap();
    for name in ["a", "b"] {
        authority.submit(name, to_pem(&request_with(name, &new_p256().unwrap(), &[])).as_bytes()).unwrap();
    }
    let attributes = malformed().remove(0).1;
    for (name, text) in [("a0", "x".to_owned()), ("a1", to_pem(&request_with("a1", &new_p256().unwrap(), &attributes)))]
    {
        std::fs::write(directory.path().join(format!("ca/requests/{name}.pem")), text).unwrap();
    }
    let found = Operator::statuses(&authority).unwrap();
    let names: Vec<&str> = found.documents.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b", "puppet.example.com"]);
    assert_eq!(found.unreadable.len(), 2, "{found:?}");
    assert!(found.unreadable[0].contains("requests/a0.pem: The body is not a certificate request"), "{found:?}");
    assert!(found.unreadable[1].contains("a1: The extensions of the request cannot be read"), "{found:?}");
}
