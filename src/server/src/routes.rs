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
use crate::rules::Endpoint;
use crate::running::Shared;
use crate::work::WorkError;
use crate::work::random_between;
use agent_request::AgentRequest;

/// The largest body of a request to an endpoint, in bytes; 0 if the endpoint accepts no body.
pub(crate) fn body_limit(shared: &Shared, endpoint: &Endpoint) -> usize {
    let limits = &shared.config.limits;
    match endpoint {
        Endpoint::RequestCertificate(_) => limits.certificate_request_bytes,
        Endpoint::Catalog(_) | Endpoint::Facts(_) => limits.facts_bytes,
        Endpoint::Report(_) => limits.report_bytes,
        _ => 0,
    }
}

/// Responds to a request that the access rules allow.
pub(crate) async fn answer(shared: &Arc<Shared>, endpoint: Endpoint, request: AgentRequest) -> Answer {
    let takes_gzip = request.takes_gzip;
    // These handlers do not block, so they are not queued.
    match endpoint {
        Endpoint::Certificate(name) if name == "ca" => {
            return certificates::ca(shared, &request).compressed(takes_gzip);
        }
        Endpoint::RevocationList => return certificates::revocation_list(shared, &request).compressed(takes_gzip),
        Endpoint::Simple(service) => return status::simple(service.as_deref()),
        Endpoint::Services(service) => return status::services(shared, service.as_deref()),
        _ => {}
    }
    let takes_retry = request.takes_retry;
    let node = match &endpoint {
        Endpoint::Catalog(name) => Some(name.clone()),
        _ => None,
    };
    let queue = match &endpoint {
        Endpoint::Catalog(_) => &shared.compiles,
        Endpoint::Certificate(_) | Endpoint::CertificateRequest(_) | Endpoint::RequestCertificate(_) => {
            &shared.certificates
        }
        _ => &shared.others,
    };
    let turn = async {
        match &node {
            Some(name) => shared.turns.wait(name).await.map(Some),
            None => Ok(None),
        }
    };
    let for_work = shared.clone();
    let done =
        queue.run(takes_retry, turn, move || blocking(&for_work, endpoint, request).compressed(takes_gzip)).await;
    done.unwrap_or_else(|why| match why {
        WorkError::Busy => busy(),
        WorkError::Panicked => Answer::server_error("The request could not be answered"),
    })
}

/// The response when too many requests are waiting. `Retry-After` makes agents retry; without it, their runs fail.
pub(crate) fn busy() -> Answer {
    let mut answer =
        Answer::text(StatusCode::SERVICE_UNAVAILABLE, "Too many requests are waiting; please retry later.");
    answer.retry_after = Some(random_between(5, 60));
    answer.closes = true;
    answer
}

fn blocking(shared: &Shared, endpoint: Endpoint, request: AgentRequest) -> Answer {
    let answered = match endpoint {
        Endpoint::Certificate(name) => Ok(certificates::certificate(shared, &name)),
        Endpoint::CertificateRequest(name) => Ok(certificates::request(shared, &name)),
        Endpoint::RequestCertificate(name) => Ok(certificates::submit(shared, &name, &request)),
        Endpoint::RenewCertificate => Ok(certificates::renew(shared, &request)),
        Endpoint::Node(_) => catalogs::node(shared, request),
        Endpoint::Catalog(_) => catalogs::catalog(shared, request),
        Endpoint::Facts(_) => catalogs::facts(shared, &request),
        Endpoint::Report(_) => catalogs::report(shared, &request),
        Endpoint::Environments => catalogs::environments(shared),
        Endpoint::FileMetadata(path) => served_files::metadata(shared, &path, &request),
        Endpoint::FileMetadatas(path) => served_files::metadatas(shared, &path, &request),
        Endpoint::FileContent(path) => served_files::content(shared, &path, &request),
        Endpoint::RevocationList | Endpoint::Simple(_) | Endpoint::Services(_) | Endpoint::Denied => {
            Ok(Answer::text(StatusCode::NOT_FOUND, "Not Found"))
        }
    };
    answered.unwrap_or_else(|refused| refused)
}
