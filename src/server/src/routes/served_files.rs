//! Metadata and contents of files.

use std::io::Read;

use hyper::StatusCode;

use super::agent_request::AgentRequest;
use super::agent_request::CONTENTS;
use super::agent_request::DATA;
use crate::files::fileserver_conf::FileMounts;
use crate::files::metadata::MetadataOptions;
use crate::files::mounts::FileError;
use crate::files::mounts::Files;
use crate::puppet_answer::Issue;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use catwalk_http::Answer;
use catwalk_http::Content;
use catwalk_http::OCTETS;

/// Files up to this size, in bytes, are read into memory, and compressed for clients that accept gzip.
const MAX_IN_MEMORY: u64 = 1 << 20;

fn files<'a>(
    state: &'a ServerState,
    environment: &'a str,
    request: &'a AgentRequest,
    mounts: &'a FileMounts,
) -> Files<'a> {
    Files {
        site: state.site.as_ref(),
        environment,
        mounts,
        node: &request.client.certname,
        checksums: &state.checksums,
        limit: state.config.limits.files,
    }
}

fn check_key(path: &[String], indirection: &str) -> Result<(), Answer> {
    if !path.is_empty() {
        return Ok(());
    }
    let message = format!("No request key specified in /puppet/v3/{indirection}/");
    Err(Answer::error(StatusCode::BAD_REQUEST, Issue::RuntimeError, &message))
}

fn error_answer(error: FileError, not_found: &str) -> Answer {
    match error {
        FileError::NotFound => Answer::not_found(not_found),
        FileError::Failed(message) => Answer::server_error(&message),
        FileError::Site(failure) => Answer::failure(&failure),
    }
}

/// `GET /puppet/v3/file_metadata/MOUNT/PATH`
pub(super) fn metadata(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let not_found = format!("Could not find file_metadata {}", path.join("/"));
    respond_with(state, path, request, ("file_metadata", &not_found), |files, options| files.find(path, options))
}

/// `GET /puppet/v3/file_metadatas/MOUNT/PATH`
pub(super) fn metadatas(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let not_found = format!("Could not find instances in file_metadata with '{}'", path.join("/"));
    respond_with(state, path, request, ("file_metadatas", &not_found), |files, options| files.search(path, options))
}

/// Checks a request for metadata and responds with the result of `describe`, or with `not_found` if there is no such file.
fn respond_with<M: serde::Serialize>(
    state: &ServerState,
    path: &[String],
    request: &AgentRequest,
    (indirection, not_found): (&str, &str),
    describe: impl FnOnce(&Files<'_>, &MetadataOptions) -> Result<M, FileError>,
) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    check_key(path, indirection)?;
    let format = request.format(DATA)?;
    let options = MetadataOptions::read(&request.parameters).map_err(|message| Answer::server_error(&message))?;
    let mounts = state.mounts();
    let files = files(state, environment, request, &mounts);
    let metadata = describe(&files, &options).map_err(|error| error_answer(error, not_found))?;
    let body = serde_json::to_vec(&metadata).map_err(|error| Answer::server_error(&error.to_string()))?;
    Ok(Answer::ok(format.content_type(), body))
}

/// `GET /puppet/v3/file_content/MOUNT/PATH`
pub(super) fn content(state: &ServerState, path: &[String], request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    check_key(path, "file_content")?;
    request.format(CONTENTS)?;
    let not_found = format!("Could not find file_content {}", path.join("/"));
    let mounts = state.mounts();
    let files = files(state, environment, request, &mounts);
    let (mut file, size) = files.open(path).map_err(|why| error_answer(why, &not_found))?;
    if size > state.config.limits.file_bytes {
        return Err(Answer::server_error(&format!("{} has {size} bytes, more than are served", path.join("/"))));
    }
    let mut answer = Answer::ok(OCTETS, Vec::new());
    if size > MAX_IN_MEMORY {
        answer.content = Content::File(file, size);
        return Ok(answer);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let read = Read::by_ref(&mut file).take(2 * MAX_IN_MEMORY).read_to_end(&mut bytes);
    read.map_err(|why| Answer::server_error(&format!("{} cannot be read: {why}", path.join("/"))))?;
    answer.content = Content::Bytes(bytes.into());
    Ok(answer)
}
