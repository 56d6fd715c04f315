//! The handlers of requests.
//!
//! In: a request whose client has been identified. Out: a response. Must not: know connections.
//!
//! | file | what |
//! |---|---|
//! | `agent_request` | a request and the formats that its client accepts |
//! | `authority` | managing the certificate authority: listing, signing, revoking, cleaning |
//! | `catalog_v4` | catalogs for other nodes |
//! | `catalogs` | node, catalog, facts, report, environments |
//! | `certificates` | certificates, CRLs, requests for certificates |
//! | `code` | classes and modules of environments |
//! | `classification` | the endpoints of a classifier service |
//! | `served_files` | metadata and contents of files |
//! | `status` | the status of the server |

pub(crate) mod agent_request;
mod authority;
mod bucket;
mod catalog_v4;
mod catalogs;
mod certificates;
mod classification;
mod code;
mod served_files;
mod status;

use std::sync::Arc;

use hyper::StatusCode;

use crate::puppet_answer::PuppetAnswer;
use crate::refusal::ErrorForm;
use crate::refusal::Refusal;
use crate::rules::Endpoint;
use crate::running::ServerState;
use agent_request::AgentRequest;
use catwalk_http::Answer;
use catwalk_http::Reservation;
use catwalk_http::WorkError;
use catwalk_http::parsed_size;

/// The largest body of a request to an endpoint, in bytes; 0 if the endpoint accepts no body.
pub(crate) fn body_limit(state: &ServerState, endpoint: &Endpoint) -> usize {
    let limits = &state.config.limits;
    match endpoint {
        Endpoint::SubmitCertificateRequest(_) => limits.certificate_request_bytes,
        Endpoint::Catalog(_)
        | Endpoint::CatalogOnBehalf
        | Endpoint::Facts(_)
        | Endpoint::Classified(_)
        | Endpoint::Explanation(_) => limits.facts_bytes,
        Endpoint::Report(_) | Endpoint::KeepBucketFile(_) => limits.report_bytes,
        Endpoint::SetCertificateStatus(_) => limits.certificate_request_bytes,
        Endpoint::Clean | Endpoint::Sign | Endpoint::SignAll | Endpoint::UpdateRevocationLists => limits.facts_bytes,
        _ => 0,
    }
}

/// Responds to a request that the access rules allow.
///
/// # Errors
/// Too many requests are waiting, or the handler panicked.
pub(crate) async fn respond(
    state: &Arc<ServerState>,
    endpoint: Endpoint,
    request: AgentRequest,
) -> Result<Answer, Refusal> {
    let takes_gzip = request.takes_gzip;
    // These handlers do not block, so they are not queued.
    match endpoint {
        Endpoint::Certificate(name) if name == "ca" => {
            return Ok(certificates::ca(state, &request).compressed(takes_gzip));
        }
        Endpoint::RevocationList => {
            return Ok(certificates::revocation_list(state, &request).compressed(takes_gzip));
        }
        Endpoint::Simple(service) => return Ok(status::simple(state, service.as_deref())),
        Endpoint::Services(service) => {
            return Ok(status::services(state, service.as_deref(), &request).compressed(takes_gzip));
        }
        _ => {}
    }
    let takes_retry = request.takes_retry;
    let (turns, node) = match &endpoint {
        Endpoint::Catalog(name) => (&state.turns, Some(name.clone())),
        Endpoint::FileMetadata(_) | Endpoint::FileMetadatas(_) => {
            (&state.metadata_turns, Some(request.client.certname.clone()))
        }
        _ => (&state.turns, None),
    };
    let queue = match &endpoint {
        Endpoint::Catalog(_) | Endpoint::CatalogOnBehalf => &state.compiles,
        Endpoint::SubmitCertificateRequest(_) => &state.submissions,
        Endpoint::Certificate(_) | Endpoint::CertificateRequest(_) => &state.certificates,
        // Requests of the other queues may wait for it.
        Endpoint::EnvironmentCache => &state.certificates,
        _ => &state.others,
    };
    let size = parsed_size(&request.body);
    let turn = async {
        match &node {
            Some(name) => turns.wait(name).await.map(Some),
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
    done.map_err(|why| match why {
        WorkError::Busy => Refusal::Busy,
        WorkError::Panicked => Refusal::Failed,
    })
}

fn respond_blocking(state: &ServerState, endpoint: Endpoint, mut request: AgentRequest) -> Answer {
    let form = if endpoint.is_classifier() { ErrorForm::Classifier } else { ErrorForm::Puppet };
    let description = match &endpoint {
        Endpoint::CatalogOnBehalf => {
            catalog_v4::parse(&mut request);
            catalog_v4::describe(&request)
        }
        endpoint => endpoint.describe(&request.client.certname, &request.parameters),
    };
    let _entry = match state.begin(&description) {
        Ok(entry) => entry,
        Err(refusal) if form == ErrorForm::Classifier => {
            let details = serde_json::json!({ "trace": [] });
            return Answer::classifier_error(StatusCode::INTERNAL_SERVER_ERROR, "application-error", &refusal, details);
        }
        Err(refusal) => return Answer::server_error(&refusal),
    };
    let answer = match endpoint {
        Endpoint::Certificate(name) => Ok(certificates::certificate(state, &name)),
        Endpoint::CertificateRequest(name) => Ok(certificates::request(state, &name)),
        Endpoint::SubmitCertificateRequest(name) => Ok(certificates::submit(state, &name, &request)),
        Endpoint::RenewCertificate => Ok(certificates::renew(state, &request)),
        Endpoint::CertificateStatus(name) => authority::status(state, &name, &request),
        Endpoint::SetCertificateStatus(name) => authority::set_status(state, &name, &request),
        Endpoint::DeleteCertificate(name) => authority::delete(state, &name),
        Endpoint::CertificateStatuses(None) => Ok(Answer::text(StatusCode::BAD_REQUEST, "Missing URL Segment")),
        Endpoint::CertificateStatuses(Some(_)) => authority::statuses(state, &request),
        Endpoint::Clean => authority::clean(state, &request),
        Endpoint::Sign => authority::sign(state, &request),
        Endpoint::SignAll => authority::sign_all(state),
        Endpoint::UpdateRevocationLists => authority::update_lists(state, &request),
        Endpoint::Expirations => authority::expirations(state),
        Endpoint::Node(_) => catalogs::node(state, request),
        Endpoint::Catalog(_) => catalogs::catalog(state, request),
        Endpoint::CatalogOnBehalf => catalog_v4::catalog(state, request),
        Endpoint::Facts(_) => catalogs::facts(state, &request),
        Endpoint::Report(_) => catalogs::report(state, &request),
        Endpoint::Classified(name) => Ok(classification::classify(state, name, false, &request)),
        Endpoint::Explanation(name) => Ok(classification::classify(state, name, true, &request)),
        Endpoint::Environments => catalogs::environments(state),
        Endpoint::EnvironmentClasses => code::classes(state, &request),
        Endpoint::EnvironmentModules => code::modules(state, &request),
        Endpoint::EnvironmentCache => catalogs::deployed(state, &request),
        Endpoint::Metrics => Ok(status::metrics(state)),
        Endpoint::JrubyPool => Ok(Answer::text(StatusCode::NO_CONTENT, "")),
        Endpoint::FileMetadata(path) => served_files::metadata(state, &path, &request),
        Endpoint::FileMetadatas(path) => served_files::metadatas(state, &path, &request),
        Endpoint::FileContent(path) => served_files::content(state, &path, &request),
        Endpoint::BucketFile(path) => bucket::get(state, &path, &request),
        Endpoint::HasBucketFile(path) => bucket::head(state, &path, &request),
        Endpoint::KeepBucketFile(path) => bucket::put(state, &path, &request),
        Endpoint::RevocationList | Endpoint::Simple(_) | Endpoint::Services(_) | Endpoint::Denied => {
            Ok(Answer::text(StatusCode::NOT_FOUND, "Not Found"))
        }
    };
    answer.unwrap_or_else(|refused| refused)
}
