//! The status of the server: puppetserver's status service, and figures for Prometheus.
//!
//! puppetserver has these services, and monitoring reads their figures at the level `debug`: `server` with the requests by route, `jruby-metrics`
//! with the instances of JRuby (here: threads that compile), `ca`, `status-service` with the uptime.

use std::path::Path;

use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Decode;
use hyper::StatusCode;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use serde_json::json;

use super::agent_request::AgentRequest;
use crate::metrics::Expiry;
use crate::metrics::QueueFigures;
use crate::running::ServerState;
use catwalk_http::Answer;
use catwalk_http::TEXT_UTF8;
use catwalk_http::WorkQueue;

/// The format of Prometheus' text.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The names of the services, sorted.
const SERVICES: [&str; 4] = ["ca", "jruby-metrics", "server", "status-service"];

/// How much a status tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Critical,
    Info,
    Debug,
}

/// `GET /status/v1/simple[/SERVICE]`
pub(super) fn simple(state: &ServerState, service: Option<&str>) -> Answer {
    match service {
        None => Answer::ok(TEXT_UTF8, "running"),
        Some(name) if has_service(state, name) => Answer::ok(TEXT_UTF8, "running"),
        Some(name) => Answer::text(StatusCode::NOT_FOUND, format!("not found: {name}")),
    }
}

fn has_service(state: &ServerState, name: &str) -> bool {
    SERVICES.contains(&name) && (name != "ca" || state.authority.is_some())
}

/// `GET /status/v1/services[/SERVICE]`
pub(super) fn services(state: &ServerState, service: Option<&str>, request: &AgentRequest) -> Answer {
    let level = match request.parameters.get("level") {
        None | Some("info") => Level::Info,
        Some("critical") => Level::Critical,
        Some("debug") => Level::Debug,
        Some(other) => {
            let msg = format!("Invalid level. Must be one of [:critical :info :debug], not '{other}'");
            let body = json!({ "kind": "request-data-invalid", "msg": msg });
            return Answer::new(StatusCode::BAD_REQUEST, "application/json", body.to_string());
        }
    };
    let status = |name: &str| {
        json!({
            "service_version": state.config.puppet_version,
            "service_status_version": 1,
            "detail_level": match level { Level::Critical => "critical", Level::Info => "info", Level::Debug => "debug" },
            "state": "running",
            "status": if level == Level::Debug { figures(state, name) } else { json!({}) },
            "active_alerts": [],
        })
    };
    match service {
        None => {
            let names = SERVICES.iter().filter(|name| has_service(state, name));
            let all: serde_json::Map<String, Value> = names.map(|name| ((*name).to_owned(), status(name))).collect();
            Answer::ok("application/json", Value::Object(all).to_string())
        }
        Some(name) if has_service(state, name) => {
            let mut status = status(name);
            if let Some(fields) = status.as_object_mut() {
                fields.insert("service_name".to_owned(), name.into());
            }
            Answer::ok("application/json", status.to_string())
        }
        Some(name) => {
            let body = json!({ "kind": "service-not-found", "msg": format!("No status function registered for service {name}") });
            Answer::new(StatusCode::NOT_FOUND, "application/json", body.to_string())
        }
    }
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The figures of a service, in the form of puppetserver's.
fn figures(state: &ServerState, service: &str) -> Value {
    match service {
        "server" => {
            let mut total = (0, 0);
            let mut routes: Vec<Value> = Vec::new();
            for (route, figures) in state.metrics.routes() {
                let aggregate = milliseconds(figures.time);
                total = (total.0 + figures.count, total.1 + aggregate);
                routes.push(route_figures(route, figures.count, aggregate));
            }
            routes.insert(0, route_figures("total", total.0, total.1));
            json!({ "experimental": { "http-metrics": routes, "http-client-metrics": [] } })
        }
        "jruby-metrics" => {
            let compiles = queue("compiles", &state.compiles);
            json!({ "experimental": { "metrics": {
                "num-jrubies": compiles.threads,
                "num-free-jrubies": compiles.threads.saturating_sub(compiles.running),
                "queue-limit-hit-count": 0,
                "requested-count": compiles.running + compiles.waiting,
            } } })
        }
        "status-service" => json!({ "experimental": { "jvm-metrics": {
            "start-time-ms": milliseconds(state.metrics.start()),
            "up-time-ms": milliseconds(state.metrics.uptime()),
            "heap-memory": { "used": catwalk_world::resident_memory() },
        } } }),
        _ => json!({}),
    }
}

fn route_figures(route: &str, count: u64, aggregate: u64) -> Value {
    let mean = aggregate.checked_div(count).unwrap_or(0);
    json!({ "route-id": route, "count": count, "mean": mean, "aggregate": aggregate })
}

fn queue(name: &'static str, queue: &WorkQueue) -> QueueFigures {
    QueueFigures { name, threads: queue.threads(), running: queue.running(), waiting: queue.waiting() }
}

/// `GET /metrics`
pub(super) fn metrics(state: &ServerState) -> Answer {
    let queues = [
        queue("certificates", &state.certificates),
        queue("compiles", &state.compiles),
        queue("others", &state.others),
        queue("submissions", &state.submissions),
    ];
    Answer::ok(METRICS, state.metrics.text(&queues, &expiries(state)))
}

/// The ends of the server's certificate, and of the certificates and CRLs of the authorities.
fn expiries(state: &ServerState) -> Vec<Expiry> {
    let trust = state.trust();
    let mut expiries = certificates("ca", &trust.ca.bytes);
    expiries.extend(certificates("server", &read(&state.files.certificate)).into_iter().take(1));
    for der in CertificateRevocationListDer::pem_slice_iter(&trust.crl.bytes).flatten() {
        let Ok(list) = CertificateList::from_der(&der) else { continue };
        let Some(end) = list.tbs_cert_list.next_update else { continue };
        let name = list.tbs_cert_list.issuer.to_string();
        expiries.push(Expiry { kind: "crl", name, end: end.to_unix_duration().as_secs() });
    }
    expiries
}

fn read(path: &Path) -> Vec<u8> {
    catwalk_world::read_file(path).map(|bytes| bytes.to_vec()).unwrap_or_default()
}

fn certificates(kind: &'static str, pem: &[u8]) -> Vec<Expiry> {
    let parsed = CertificateDer::pem_slice_iter(pem).flatten().filter_map(|der| Certificate::from_der(&der).ok());
    parsed
        .map(|certificate| Expiry {
            kind,
            name: certificate.tbs_certificate.subject.to_string(),
            end: certificate.tbs_certificate.validity.not_after.to_unix_duration().as_secs(),
        })
        .collect()
}
