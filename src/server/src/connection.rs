//! One connection: TLS, HTTP, access rules.
//!
//! In: a TCP connection. Out: responses on it. Must not: know what the routes do.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Body;
use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::header;
use hyper::header::HeaderValue;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::rt::TokioTimer;
use hyper_util::server::graceful::Watcher;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::config::Event;
use crate::connections::Slot;
use crate::http::answer::Answer;
use crate::http::answer::Content;
use crate::http::file_body::AnswerBody;
use crate::http::file_body::FileBody;
use crate::http::form::MalformedForm;
use crate::http::form::Parameters;
use crate::http::write_timeout::WriteTimeout;
use crate::memory::BodyMemory;
use crate::pki::peer::Peer;
use crate::pki::verifier::RefusedCertificate;
use crate::routes;
use crate::routes::agent_request::AgentRequest;
use crate::rules::Endpoint;
use crate::running::ServerState;

/// The smallest buffer that hyper accepts, in bytes.
const MIN_BUFFER: usize = 8192;

/// Handles all requests of a connection.
pub(crate) async fn serve(
    state: Arc<ServerState>,
    stream: TcpStream,
    address: SocketAddr,
    slot: Slot,
    watcher: Watcher,
) {
    let limits = &state.config.limits;
    let _ = stream.set_nodelay(true);
    let trust = state.trust();
    let failed = |reason: String| state.log(&Event::Handshake { client: address, reason });
    let refused = Arc::<RefusedCertificate>::default();
    let tls = match trust.tls(refused.clone()) {
        Ok(tls) => tls,
        Err(why) => return failed(why.to_string()),
    };
    let handshake = TlsAcceptor::from(tls).accept(stream);
    let stream = match tokio::time::timeout(limits.handshake_time, handshake).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(why)) => return failed(refused.explain(&why.to_string())),
        Err(_) => return failed("it took too long".to_owned()),
    };
    let chain = stream.get_ref().1.peer_certificates();
    let peer = Arc::new(chain.and_then(|chain| Peer::read(chain, trust.generation)));
    drop(trust);
    if let Some(peer) = peer.as_ref() {
        slot.authenticate(&peer.client.certname);
    }
    let slot = Arc::new(slot);
    let service = service_fn(|request: Request<Incoming>| {
        let (state, peer, slot) = (state.clone(), peer.clone(), slot.clone());
        async move { Ok::<_, Infallible>(handle(&state, peer.as_ref().as_ref(), (address, &slot), request).await) }
    });
    let stream = TokioIo::new(WriteTimeout::new(stream, limits.write_time));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes.max(MIN_BUFFER))
        .serve_connection(stream, service);
    // Errors of the connection itself are not logged; each request has been.
    let _ = watcher.watch(connection).await;
}

/// Handles a request.
async fn handle(
    state: &Arc<ServerState>,
    peer: Option<&Peer>,
    (address, slot): (SocketAddr, &Slot),
    request: Request<Incoming>,
) -> Response<AnswerBody> {
    let start = Instant::now();
    let method = request.method().to_string();
    let target = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    // Checked for each request: a certificate may be revoked while its connection is open.
    let is_admitted = peer.is_none_or(|peer| state.trust().admits(peer));
    let mut answer = match respond(state, peer.filter(|_| is_admitted), slot, request).await {
        Ok(answer) | Err(answer) => answer,
    };
    answer.closes |= !is_admitted;
    state.log(&Event::Request {
        client: address,
        certname: peer.map(|peer| peer.client.certname.clone()),
        method,
        target,
        status: answer.status.as_u16(),
        time: start.elapsed(),
    });
    response(state, answer)
}

async fn respond(
    state: &Arc<ServerState>,
    peer: Option<&Peer>,
    slot: &Slot,
    request: Request<Incoming>,
) -> Result<Answer, Answer> {
    let (parts, body) = request.into_parts();
    let malformed = |_: MalformedForm| {
        Answer::text(
            StatusCode::BAD_REQUEST,
            "The URL is not percent-encoded UTF-8, its path leads up, or it has too many parameters",
        )
    };
    let endpoint = Endpoint::find(&parts.method, parts.uri.path()).map_err(malformed)?;
    let Some(endpoint) = endpoint else { return Err(not_found()) };
    let client = peer.map(|peer| peer.client.clone()).unwrap_or_default();
    if !endpoint.admits(peer.map(|_| client.certname.as_str())) {
        let (path, method) = (parts.uri.path(), parts.method.as_str().to_ascii_lowercase());
        let message = format!("Forbidden request: {path} (method :{method}). Please see the server logs for details.");
        return Err(Answer::text(StatusCode::FORBIDDEN, message));
    }
    let parameters = Parameters::read(parts.uri.query().unwrap_or_default()).map_err(malformed)?;
    let mut request = AgentRequest::new(client, parameters, &parts.headers);
    request.certificate = peer.and_then(|peer| peer.chain.first()).map(|certificate| certificate.to_vec());
    let limit = routes::body_limit(state, &endpoint);
    let mut memory = None;
    if limit > 0 && !body.is_end_stream() {
        let certname = peer.map(|peer| peer.client.certname.as_str());
        let mut body_memory = state.memory.body(certname).map_err(|_| routes::busy_answer())?;
        let limits = &state.config.limits;
        let time = if peer.is_some() { limits.body_time } else { limits.body_time.min(limits.header_time) };
        request.body = read(&parts.headers, body, (limit, time), &mut body_memory).await?;
        memory = Some(body_memory);
    }
    let answering = slot.answer();
    let answer = routes::respond(state, endpoint, request).await;
    drop((memory, answering));
    Ok(answer)
}

/// Reads the body of a request, at most `limit` bytes within `time`.
async fn read(
    headers: &HeaderMap,
    body: Incoming,
    (limit, time): (usize, Duration),
    memory: &mut BodyMemory<'_>,
) -> Result<Bytes, Answer> {
    let closing = |status: StatusCode, message: &str| {
        let mut answer = Answer::text(status, message);
        answer.closes = true;
        answer
    };
    let too_large =
        || closing(StatusCode::PAYLOAD_TOO_LARGE, &format!("The body of the request is larger than {limit} bytes"));
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(closing(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body of a request must not be compressed"));
    }
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(time, collect(body, limit, memory)).await {
        Ok(Ok(collected)) => Ok(collected),
        Ok(Err(BodyError::TooLarge)) => Err(too_large()),
        Ok(Err(BodyError::Busy)) => Err(routes::busy_answer()),
        Ok(Err(BodyError::Ended)) => Err(closing(StatusCode::BAD_REQUEST, "The body of the request ended early")),
        Err(_) => Err(closing(StatusCode::REQUEST_TIMEOUT, "The body of the request took too long")),
    }
}

/// Why a body cannot be read.
enum BodyError {
    TooLarge,
    Busy,
    Ended,
}

/// Reads a body. Memory is reserved for what has arrived, so that a client that announces a large body and sends nothing uses none.
async fn collect(mut body: Incoming, limit: usize, memory: &mut BodyMemory<'_>) -> Result<Bytes, BodyError> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyError::Ended)?.into_data() else { continue };
        let length = collected.len() + data.len();
        if length > limit {
            return Err(BodyError::TooLarge);
        }
        memory.grow(length).await.map_err(|_| BodyError::Busy)?;
        if collected.capacity() < length {
            // Doubling copies each byte once on average, but must not exceed the announced size.
            let announced = usize::try_from(body.size_hint().exact().unwrap_or(0)).unwrap_or(0);
            let wanted = (length + announced).min(limit).max(length);
            collected.reserve_exact(wanted.min(2 * length.max(MIN_BUFFER)) - collected.len());
        }
        collected.extend_from_slice(&data);
    }
    Ok(collected.into())
}

/// The response of puppetserver to a request for which it has no route.
fn not_found() -> Answer {
    let page =
        "<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2></body></html>\n";
    Answer::new(StatusCode::NOT_FOUND, "text/html;charset=utf-8", page)
}

fn response(state: &ServerState, answer: Answer) -> Response<AnswerBody> {
    let body = match answer.content {
        Content::Bytes(bytes) => AnswerBody::Bytes(Some(bytes)),
        Content::File(file, size) => AnswerBody::File(FileBody::new(file, size)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    headers.insert("x-puppet-version", state.version.clone());
    if answer.status == StatusCode::OK {
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, User-Agent"));
    }
    if answer.is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Some(seconds) = answer.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if answer.closes {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let modified = answer.modified.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let date = modified.map(|time| time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(date) = date.and_then(|date| HeaderValue::from_str(&date).ok()) {
        headers.insert(header::LAST_MODIFIED, date);
    }
    response
}
