//! The handlers of requests.
//!
//! In: a request whose client has been identified. Out: a response. Must not: know connections.
//!
//! | file | what |
//! |---|---|
//! | `agent_request` | a request and the formats that its client accepts |
//! | `catalogs` | node, catalog, facts, report, environments |
//! | `certificates` | certificates, CRLs, requests for certificates |
//! | `served_files` | metadata and contents of files |
//! | `status` | the status of the server |

pub(crate) mod agent_request;
mod catalogs;
mod certificates;
mod served_files;
mod status;

use std::sync::Arc;

use hyper::StatusCode;

use crate::http::answer::Answer;
use crate::memory::Reservation;
use crate::memory::parsed_size;
use crate::rules::Endpoint;
use crate::running::ServerState;
use crate::work::WorkError;
use crate::work::random_between;
use agent_request::AgentRequest;

/// The largest body of a request to an endpoint, in bytes; 0 if the endpoint accepts no body.
pub(crate) fn body_limit(state: &ServerState, endpoint: &Endpoint) -> usize {
    let limits = &state.config.limits;
    match endpoint {
        Endpoint::SubmitCertificateRequest(_) => limits.certificate_request_bytes,
        Endpoint::Catalog(_) | Endpoint::Facts(_) => limits.facts_bytes,
        Endpoint::Report(_) => limits.report_bytes,
        _ => 0,
    }
}

/// Responds to a request that the access rules allow.
pub(crate) async fn respond(state: &Arc<ServerState>, endpoint: Endpoint, request: AgentRequest) -> Answer {
    let takes_gzip = request.takes_gzip;
    // These handlers do not block, so they are not queued.
    match endpoint {
        Endpoint::Certificate(name) if name == "ca" => {
            return certificates::ca(state, &request).compressed(takes_gzip);
        }
        Endpoint::RevocationList => return certificates::revocation_list(state, &request).compressed(takes_gzip),
        Endpoint::Simple(service) => return status::simple(service.as_deref()),
        Endpoint::Services(service) => return status::services(state, service.as_deref()),
        _ => {}
    }
    let takes_retry = request.takes_retry;
    let node = match &endpoint {
        Endpoint::Catalog(name) => Some(name.clone()),
        _ => None,
    };
    let queue = match &endpoint {
        Endpoint::Catalog(_) => &state.compiles,
        Endpoint::Certificate(_) | Endpoint::CertificateRequest(_) | Endpoint::SubmitCertificateRequest(_) => {
            &state.certificates
        }
        _ => &state.others,
    };
    let size = parsed_size(&request.body);
    let turn = async {
        match &node {
            Some(name) => state.turns.wait(name).await.map(Some),
            None => Ok(None),
        }
    };
    let memory = async {
        let mut reservation = Reservation::default();
        match size {
            0 => Ok(reservation),
            size => state.memory.parsed.reserve(&mut reservation, size).await.map(|()| reservation),
        }
    };
    let state_of_work = state.clone();
    let done = queue
        .run(takes_retry, turn, memory, move || {
            respond_blocking(&state_of_work, endpoint, request).compressed(takes_gzip)
        })
        .await;
    done.unwrap_or_else(|why| match why {
        WorkError::Busy => busy_answer(),
        WorkError::Panicked => Answer::server_error("The request could not be answered"),
    })
}

/// The response when too many requests are waiting. `Retry-After` makes agents retry; without it, their runs fail.
pub(crate) fn busy_answer() -> Answer {
    let mut answer =
        Answer::text(StatusCode::SERVICE_UNAVAILABLE, "Too many requests are waiting; please retry later.");
    answer.retry_after = Some(random_between(5, 60));
    answer.closes = true;
    answer
}

fn respond_blocking(state: &ServerState, endpoint: Endpoint, request: AgentRequest) -> Answer {
    let _entry = match state.begin(&endpoint.describe(&request.client.certname, &request.parameters)) {
        Ok(entry) => entry,
        Err(refusal) => return Answer::server_error(&refusal),
    };
    let answer = match endpoint {
        Endpoint::Certificate(name) => Ok(certificates::certificate(state, &name)),
        Endpoint::CertificateRequest(name) => Ok(certificates::request(state, &name)),
        Endpoint::SubmitCertificateRequest(name) => Ok(certificates::submit(state, &name, &request)),
        Endpoint::RenewCertificate => Ok(certificates::renew(state, &request)),
        Endpoint::Node(_) => catalogs::node(state, request),
        Endpoint::Catalog(_) => catalogs::catalog(state, request),
        Endpoint::Facts(_) => catalogs::facts(state, &request),
        Endpoint::Report(_) => catalogs::report(state, &request),
        Endpoint::Environments => catalogs::environments(state),
        Endpoint::FileMetadata(path) => served_files::metadata(state, &path, &request),
        Endpoint::FileMetadatas(path) => served_files::metadatas(state, &path, &request),
        Endpoint::FileContent(path) => served_files::content(state, &path, &request),
        Endpoint::RevocationList | Endpoint::Simple(_) | Endpoint::Services(_) | Endpoint::Denied => {
            Ok(Answer::text(StatusCode::NOT_FOUND, "Not Found"))
        }
    };
    answer.unwrap_or_else(|refused| refused)
}
