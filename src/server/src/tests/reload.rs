//! Changed files are read again, also after an error; policies that take long delay neither the start nor other clients.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use tempfile::TempDir;

use super::certificates::authority_settings;
use super::certificates::state;
use super::support::Connection;
use super::support::RunningServer;
use super::support::authority;
use super::support::certificate_request;
use super::support::limits;
use crate::config::CertificateSource;
use crate::config::Event;
use crate::running::SUBMISSION_THREADS;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Autosign;
use catwalk_authority::AutosignPolicy;
use catwalk_authority::Decision;
use catwalk_authority::RequestSummary;
use catwalk_authority::new_p256;

const ENVIRONMENTS: &str = "/puppet/v3/environments";

/// Waits until a condition holds.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How often the log says that the certificates in use are kept.
fn kept(server: &RunningServer) -> usize {
    let is_kept =
        |event: &&Event| matches!(event, Event::Problem(text) if text.starts_with("the certificates in use are kept"));
    server.events.lock().iter().filter(is_kept).count()
}

#[test]
fn files_that_could_not_be_read_are_read_again() {
    let server = RunningServer::start();
    let ca = server.directory.path().join("ca");
    let other = Authority::open_existing(authority_settings(&ca)).unwrap();
    let (mut a, mut b) = (server.node("a.example.com"), server.node("b.example.com"));
    // The list changes while the server's key is missing. When the key is back, no watched file changes.
    let (key, moved) = (ca.join("private/localhost.pem"), ca.join("private/moved.pem"));
    std::fs::rename(&key, &moved).unwrap();
    other.revoke(&["a.example.com".to_owned()]).unwrap();
    for _ in 0..3 {
        assert_eq!(a.get(ENVIRONMENTS).status, 200, "the list in use is kept");
    }
    std::fs::rename(&moved, &key).unwrap();
    wait("the revocation is in use", || b.get(ENVIRONMENTS).status == 200 && a.get(ENVIRONMENTS).status == 403);
    assert_eq!(kept(&server), 1);
    // A list that replaces a damaged one is in use at the next request.
    other.revoke(&["b.example.com".to_owned()]).unwrap();
    let list = std::fs::read(ca.join("ca_crl.pem")).unwrap();
    std::fs::write(ca.join("ca_crl.pem"), "x").unwrap();
    assert_eq!(server.stranger().get("/status/v1/simple").status, 200);
    assert_eq!(kept(&server), 2);
    std::fs::write(ca.join("ca_crl.pem"), list).unwrap();
    assert_eq!(b.get(ENVIRONMENTS).status, 403);
}

/// Signs all requests; those of names with `slow` only when they are released.
#[derive(Default)]
struct Slow {
    deciding: AtomicUsize,
    is_released: AtomicBool,
}

impl AutosignPolicy for Slow {
    fn decide(&self, request: &RequestSummary) -> Decision {
        if request.certname.starts_with("slow") {
            self.deciding.fetch_add(1, Ordering::SeqCst);
            wait("the policy is released", || self.is_released.load(Ordering::SeqCst));
        }
        Decision::SIGN
    }
}

fn put(connection: &mut Connection, name: &str) -> u16 {
    let request = certificate_request(name, &new_p256().unwrap(), &[]);
    connection.send("PUT", &format!("/puppet-ca/v1/certificate_request/{name}"), &[], request.as_bytes()).status
}

#[test]
fn a_policy_that_takes_long_delays_no_certificates_of_others() {
    let slow = Arc::new(Slow::default());
    let server = RunningServer::start_with(limits(), Autosign::Policy(slow.clone()));
    std::thread::scope(|scope| {
        let submit = |number: usize| {
            let mut connection = server.stranger();
            scope.spawn(move || assert_eq!(put(&mut connection, &format!("slow{number}")), 200));
        };
        (1..SUBMISSION_THREADS).for_each(submit);
        wait("all but one thread decide", || slow.deciding.load(Ordering::SeqCst) == SUBMISSION_THREADS - 1);
        let mut deployer = server.node("deployer.example.com");
        submit(0);
        wait("all threads decide", || slow.deciding.load(Ordering::SeqCst) == SUBMISSION_THREADS);
        let path = "/puppet-ca/v1/certificate/deployer.example.com";
        assert_eq!(server.stranger().get(path).status, 200);
        assert_eq!(deployer.send("DELETE", "/puppet-admin-api/v1/environment-cache", &[], b"").status, 204);
        assert_eq!(deployer.get(ENVIRONMENTS).status, 200);
        slow.is_released.store(true, Ordering::SeqCst);
    });
    assert_eq!(server.stranger().get("/puppet-ca/v1/certificate/slow0").status, 200);
}

#[test]
fn a_server_signs_stored_requests_when_it_starts_and_reloads() {
    let directory = TempDir::new().unwrap();
    let ca = directory.path().join("ca");
    let before = Authority::open(authority(&ca, Autosign::None), &|_| ()).unwrap();
    let submit = |name: &str| {
        let request = certificate_request(name, &new_p256().unwrap(), &[]);
        before.submit(name, request.as_bytes()).ok().unwrap();
    };
    submit("first");
    submit("slow");
    let slow = Arc::new(Slow::default());
    let settings = AuthorityConfig { autosign: Autosign::Policy(slow.clone()), ..authority_settings(&ca) };
    let server = RunningServer::start_in(directory, limits(), CertificateSource::Authority(settings));
    wait("the policy decides", || slow.deciding.load(Ordering::SeqCst) == 1);
    assert_eq!((state(&before, "first"), state(&before, "slow")), ((false, true), (true, false)));
    assert_eq!(server.stranger().get("/puppet-ca/v1/certificate/first").status, 200);
    submit("second");
    server.handle.reload().unwrap();
    server.handle.reload().unwrap();
    slow.is_released.store(true, Ordering::SeqCst);
    wait("all are signed", || ["slow", "second"].iter().all(|name| state(&before, name) == (false, true)));
    let signed = |event: &Event| matches!(event, Event::Signed { .. });
    wait("all are logged", || server.events.lock().iter().filter(|event| signed(event)).count() == 3);
}
