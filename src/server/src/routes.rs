//! Requests answered.
//!
//! In: a request whose client is known. Out: an answer. Must not: know connections.
//!
//! | file | what |
//! |---|---|
//! | `asked` | a request as the routes see it |
//! | `catalogs` | node, catalog, facts, report, environments |
//! | `certificates` | certificates, CRLs, requests for certificates |
//! | `served_files` | metadata and contents of files |
//! | `status` | whether the server runs |

pub(crate) mod asked;
mod catalogs;
mod certificates;
mod served_files;
mod status;

use std::sync::Arc;

use hyper::StatusCode;

use crate::http::answer::Answer;
use crate::rules::Endpoint;
use crate::running::Shared;
use crate::work::NotDone;
use crate::work::random_between;
use asked::Asked;

/// Bytes of a body that a request may have.
pub(crate) fn body_limit(shared: &Shared, endpoint: &Endpoint) -> usize {
    let limits = &shared.config.limits;
    match endpoint {
        Endpoint::RequestCertificate(_) => limits.certificate_request_bytes,
        Endpoint::Catalog(_) | Endpoint::Facts(_) => limits.facts_bytes,
        Endpoint::Report(_) => limits.report_bytes,
        _ => 0,
    }
}

/// Answers a request that its client may make.
pub(crate) async fn answer(shared: &Arc<Shared>, endpoint: Endpoint, asked: Asked) -> Answer {
    let takes_gzip = asked.takes_gzip;
    // Without work that blocks: must be answered however busy the server is.
    match endpoint {
        Endpoint::Certificate(name) if name == "ca" => return certificates::ca(shared, &asked).compressed(takes_gzip),
        Endpoint::RevocationList => return certificates::revocation_list(shared, &asked).compressed(takes_gzip),
        Endpoint::Simple(service) => return status::simple(service.as_deref()),
        Endpoint::Services(service) => return status::services(shared, service.as_deref()),
        _ => {}
    }
    let is_patient = !asked.takes_retry;
    let turn = match &endpoint {
        Endpoint::Catalog(name) => Some(name.clone()),
        _ => None,
    };
    let lane = match &endpoint {
        Endpoint::Catalog(_) => &shared.compiles,
        Endpoint::Certificate(_) | Endpoint::CertificateRequest(_) | Endpoint::RequestCertificate(_) => {
            &shared.certificates
        }
        _ => &shared.others,
    };
    let before = async {
        match &turn {
            Some(name) => shared.turns.wait(name).await.map(Some),
            None => Ok(None),
        }
    };
    let for_work = shared.clone();
    let done = lane.run(is_patient, before, move || blocking(&for_work, endpoint, asked).compressed(takes_gzip)).await;
    done.unwrap_or_else(|why| match why {
        NotDone::Busy => busy(),
        NotDone::Panicked => Answer::server_error("The request could not be answered"),
    })
}

/// Too many requests wait. The header makes agents come back, without it they fail.
pub(crate) fn busy() -> Answer {
    let mut answer =
        Answer::text(StatusCode::SERVICE_UNAVAILABLE, "Too many requests are waiting; please retry later.");
    answer.retry_after = Some(random_between(5, 60));
    answer.closes = true;
    answer
}

fn blocking(shared: &Shared, endpoint: Endpoint, asked: Asked) -> Answer {
    let answered = match endpoint {
        Endpoint::Certificate(name) => Ok(certificates::certificate(shared, &name, &asked)),
        Endpoint::CertificateRequest(name) => Ok(certificates::request(shared, &name)),
        Endpoint::RequestCertificate(name) => Ok(certificates::submit(shared, &name, &asked)),
        Endpoint::RenewCertificate => Ok(certificates::renew(shared, &asked)),
        Endpoint::Node(_) => catalogs::node(shared, asked),
        Endpoint::Catalog(_) => catalogs::catalog(shared, asked),
        Endpoint::Facts(_) => catalogs::facts(shared, &asked),
        Endpoint::Report(_) => catalogs::report(shared, &asked),
        Endpoint::Environments => catalogs::environments(shared),
        Endpoint::FileMetadata(path) => served_files::metadata(shared, &path, &asked),
        Endpoint::FileMetadatas(path) => served_files::metadatas(shared, &path, &asked),
        Endpoint::FileContent(path) => served_files::content(shared, &path, &asked),
        Endpoint::RevocationList | Endpoint::Simple(_) | Endpoint::Services(_) | Endpoint::Denied => {
            Ok(Answer::text(StatusCode::NOT_FOUND, "Not Found"))
        }
    };
    answered.unwrap_or_else(|refused| refused)
}
