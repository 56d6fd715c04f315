//! The status of the server.

use hyper::StatusCode;
use serde_json::json;

use crate::running::ServerState;
use catwalk_http::Answer;
use catwalk_http::TEXT_UTF8;

/// The name of this server's only service in puppetserver.
const SERVICE: &str = "server";

/// `GET /status/v1/simple[/SERVICE]`
pub(super) fn simple(service: Option<&str>) -> Answer {
    match service {
        None | Some(SERVICE) => Answer::ok(TEXT_UTF8, "running"),
        Some(name) => Answer::text(StatusCode::NOT_FOUND, format!("not found: {name}")),
    }
}

/// `GET /status/v1/services[/SERVICE]`
pub(super) fn services(state: &ServerState, service: Option<&str>) -> Answer {
    let status = json!({
        "service_version": state.config.puppet_version,
        "service_status_version": 1,
        "detail_level": "info",
        "state": "running",
        "status": {},
        "active_alerts": [],
    });
    match service {
        None => Answer::ok("application/json", json!({ (SERVICE): status }).to_string()),
        Some(SERVICE) => {
            let mut status = status;
            if let Some(fields) = status.as_object_mut() {
                fields.insert("service_name".to_owned(), SERVICE.into());
            }
            Answer::ok("application/json", status.to_string())
        }
        Some(name) => {
            let body = json!({ "kind": "service-not-found", "msg": format!("No status function registered for service {name}") });
            Answer::new(StatusCode::NOT_FOUND, "application/json", body.to_string())
        }
    }
}
