//! The file bucket: `/puppet/v3/file_bucket_file/sha256/DIGEST/PATH`.

use hyper::StatusCode;

use super::agent_request::AgentRequest;
use super::agent_request::CONTENTS;
use crate::config::Event;
use crate::files::bucket::Bucket;
use crate::files::bucket::BucketError;
use crate::files::bucket::BucketKey;
use crate::puppet_answer::Issue;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use catwalk_http::Answer;
use catwalk_http::OCTETS;

/// The bucket and the file of a request.
fn requested<'s>(
    state: &'s ServerState,
    path: &[String],
    request: &AgentRequest,
) -> Result<(&'s Bucket, BucketKey), Answer> {
    request.existing_environment(state)?;
    let key = || BucketKey::read(path).map_err(|why| error_answer(state, why));
    match &state.bucket {
        None => Err(Answer::not_found("this server has no file bucket")),
        Some(_) if path.iter().all(String::is_empty) => {
            let message = "No request key specified in /puppet/v3/file_bucket_file/";
            Err(Answer::error(StatusCode::BAD_REQUEST, Issue::RuntimeError, message))
        }
        Some(bucket) => Ok((bucket, key()?)),
    }
}

fn error_answer(state: &ServerState, error: BucketError) -> Answer {
    match error {
        BucketError::Failed(message) => Answer::server_error(&message),
        BucketError::Full(message) => {
            state.log(&Event::Problem(message.clone()));
            Answer::server_error(&message)
        }
    }
}

fn missing(path: &[String]) -> Answer {
    Answer::not_found(&format!("Could not find file_bucket_file {}", path.join("/")))
}

/// `GET`
pub(super) fn get(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let (bucket, key) = requested(state, path, request)?;
    if request.parameters.get("list_all").is_some_and(|all| all != "false") {
        return Err(Answer::server_error("Listing remote file buckets is not allowed"));
    }
    if request.parameters.get("diff_with").is_some() {
        return Err(Answer::server_error("not supported yet: diff_with of file buckets"));
    }
    request.format(CONTENTS)?;
    let contents = bucket.get(&key).map_err(|why| error_answer(state, why))?;
    contents.map(|contents| Answer::ok(OCTETS, contents)).ok_or_else(|| missing(path))
}

/// `HEAD`
pub(super) fn head(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let (bucket, key) = requested(state, path, request)?;
    match bucket.has(&key).map_err(|why| error_answer(state, why))? {
        true => Ok(Answer::ok(OCTETS, Vec::new())),
        false => Ok(Answer::new(StatusCode::NOT_FOUND, catwalk_http::JSON, Vec::new())),
    }
}

/// `PUT`
pub(super) fn put(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let (bucket, key) = requested(state, path, request)?;
    if request.content_type.as_deref() != Some(OCTETS) {
        let name = request.content_type.as_deref().unwrap_or_default();
        let message = format!("Client sent a mime-type ({name}) that doesn't correspond to a format we support");
        return Err(Answer::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, Issue::UnsupportedMediaType, &message));
    }
    bucket.put(&key, &request.body).map_err(|why| error_answer(state, why))?;
    Ok(Answer::ok(OCTETS, Vec::new()))
}
