//! One connection: TLS, HTTP, access rules; or plain HTTP from a program of this machine to the classifier.
//!
//! In: a TCP connection. Out: responses on it. Must not: know what the routes do.

use std::convert::Infallible;
use std::net::IpAddr;
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
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::rt::TokioTimer;
use hyper_util::server::graceful::Watcher;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::auth_conf::Decision;
use crate::auth_conf::RuleRequest;
use crate::config::Event;
use crate::config::logged_target;
use crate::pki::peer::Peer;
use crate::pki::verifier::RefusedCertificate;
use crate::refusal::ErrorForm;
use crate::refusal::Refusal;
use crate::routes;
use crate::routes::agent_request::AgentRequest;
use crate::rules;
use crate::rules::Endpoint;
use crate::running::ServerState;
use crate::served_site::Client;
use catwalk_http::Answer;
use catwalk_http::AnswerBody;
use catwalk_http::BodyMemory;
use catwalk_http::BodyOwner;
use catwalk_http::Content;
use catwalk_http::FileBody;
use catwalk_http::Parameters;
use catwalk_http::Slot;
use catwalk_http::WriteTimeout;

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
    let trust = state.current_trust().await;
    let failed = |reason: String| {
        state.metrics.refused_handshake();
        state.log(&Event::Handshake { client: address, reason });
    };
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
    let peer = chain.and_then(|chain| Peer::read(chain, trust.generation)).map(Arc::new);
    drop(trust);
    let sender = match peer.as_ref() {
        Some(peer) => {
            slot.authenticate(&peer.client.certname);
            Sender::Node(peer.clone())
        }
        None => Sender::Stranger,
    };
    serve_requests(state, stream, (address, slot, sender), watcher).await;
}

/// Handles all requests of a connection without TLS: only those to the classifier.
pub(crate) async fn serve_plain(
    state: Arc<ServerState>,
    stream: TcpStream,
    address: SocketAddr,
    slot: Slot,
    watcher: Watcher,
) {
    let _ = stream.set_nodelay(true);
    serve_requests(state, stream, (address, slot, Sender::LocalProgram), watcher).await;
}

/// Who sends the requests of a connection.
#[derive(Clone)]
enum Sender {
    /// A client without a certificate.
    Stranger,
    /// A client with a certificate.
    Node(Arc<Peer>),
    /// A program of this machine, on the listener of the classifier.
    LocalProgram,
}

async fn serve_requests<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    state: Arc<ServerState>,
    stream: S,
    (address, slot, sender): (SocketAddr, Slot, Sender),
    watcher: Watcher,
) {
    let limits = &state.config.limits;
    let slot = Arc::new(slot);
    let service = service_fn(|request: Request<Incoming>| {
        let (state, sender, slot) = (state.clone(), sender.clone(), slot.clone());
        async move { Ok::<_, Infallible>(handle(&state, sender, (address, &slot), request).await) }
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
    sender: Sender,
    (address, slot): (SocketAddr, &Slot),
    request: Request<Incoming>,
) -> Response<AnswerBody> {
    let start = Instant::now();
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let route = rules::route(request.method(), &path);
    let target = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let peer = if let Sender::Node(peer) = &sender { Some(peer.clone()) } else { None };
    // Checked for each request: a certificate may be revoked while its connection is open.
    let is_admitted = match &peer {
        Some(peer) => state.current_trust().await.admits(peer),
        None => true,
    };
    let sender = if is_admitted { sender } else { Sender::Stranger };
    let form = match sender {
        Sender::LocalProgram => ErrorForm::Classifier,
        Sender::Stranger | Sender::Node(_) => rules::error_form(&path),
    };
    let has_body = !request.body().is_end_stream();
    let mut answer = match respond(state, &sender, slot, request).await {
        Ok(answer) => answer,
        Err(refusal) => {
            if let Some(reason) = refusal.requirement() {
                state.log(&Event::Forbidden { client: address, reason });
            }
            let mut answer = refusal.answer(form, &method, &path);
            // The body may not have been read: its rest would be taken for the next request.
            answer.closes |= has_body;
            answer
        }
    };
    answer.closes |= !is_admitted;
    state.metrics.request(route, &method, answer.status.as_u16(), start.elapsed());
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

/// Finds the endpoint of a request that its sender may use.
fn endpoint(state: &ServerState, sender: &Sender, parts: &Parts) -> Result<Endpoint, Refusal> {
    let path = parts.uri.path();
    let endpoint = Endpoint::find(&parts.method, path).map_err(|_| Refusal::Url)?;
    let endpoint = match endpoint {
        Some(endpoint) => endpoint,
        None if rules::is_classifier_path(path) => return Err(Refusal::Method),
        None => return Err(Refusal::NotFound),
    };
    match sender {
        Sender::LocalProgram if !endpoint.is_classifier() => Err(Refusal::NotFound),
        // A page in a browser may reach this address by a name of its own, with its own script as the sender.
        Sender::LocalProgram if !names_this_machine(&parts.headers) => Err(Refusal::Forbidden(None)),
        Sender::LocalProgram => Ok(endpoint),
        Sender::Node(peer) if is_admitted(state, &endpoint, parts, Some(&peer.client)) => Ok(endpoint),
        Sender::Stranger if is_admitted(state, &endpoint, parts, None) => Ok(endpoint),
        Sender::Node(_) | Sender::Stranger => Err(Refusal::Forbidden(endpoint.requirement())),
    }
}

/// Whether the rules of `auth.conf`, or the built-in ones, allow a request.
fn is_admitted(state: &ServerState, endpoint: &Endpoint, parts: &Parts, client: Option<&Client>) -> bool {
    let Some(rules) = state.auth().filter(|_| endpoint.is_in_auth_conf()) else {
        return endpoint.admits(client, &state.config);
    };
    let Ok(names) = catwalk_http::parts(parts.uri.path()) else { return false };
    let Ok(parameters) = Parameters::read(parts.uri.query().unwrap_or_default()) else { return false };
    let (path, method) = (format!("/{}", names.join("/")), parts.method.as_str().to_ascii_lowercase());
    let request = RuleRequest { method: &method, path: &path, parameters: &parameters, client };
    match rules.decide(request) {
        Decision::Allowed if endpoint.can_serve(client) => true,
        Decision::Allowed => {
            let name = client.map_or("a client without a certificate", |client| client.certname.as_str());
            state.log(&Event::Problem(format!(
                "{name}: access to {} (method {method}) is allowed by auth.conf, but only the node itself may send this request",
                logged_target(parts.uri.path())
            )));
            false
        }
        Decision::Denied(rule) => {
            let name = client.map_or("a client without a certificate", |client| client.certname.as_str());
            let by = rule.map_or("since no rule matches".to_owned(), |rule| format!("by rule '{rule}'"));
            state.log(&Event::Problem(format!(
                "{name}: access to {} (method {method}) is denied {by}",
                logged_target(parts.uri.path())
            )));
            false
        }
    }
}

/// Whether the header `Host` is `localhost` or a loopback address.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().is_loopback();
    }
    if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return address.is_loopback();
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost")
}

async fn respond(
    state: &Arc<ServerState>,
    sender: &Sender,
    slot: &Slot,
    request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    let (parts, body) = request.into_parts();
    let endpoint = endpoint(state, sender, &parts)?;
    let peer = if let Sender::Node(peer) = sender { Some(peer) } else { None };
    let client = peer.map(|peer| peer.client.clone()).unwrap_or_default();
    let parameters = Parameters::read(parts.uri.query().unwrap_or_default()).map_err(|_| Refusal::Url)?;
    let mut request = AgentRequest::new(client, parameters, &parts.headers);
    request.may_classify_all = match sender {
        Sender::LocalProgram => true,
        Sender::Node(peer) => state.config.classifier_clients.iter().any(|allowed| allowed.is(&peer.client)),
        Sender::Stranger => false,
    };
    request.certificate = peer.and_then(|peer| peer.chain.first()).map(|certificate| certificate.to_vec());
    let limit = routes::body_limit(state, &endpoint);
    let mut memory = None;
    if limit > 0 && !body.is_end_stream() {
        let owner = match sender {
            Sender::LocalProgram => BodyOwner::Service,
            Sender::Node(_) if endpoint.is_classifier() && request.may_classify_all => BodyOwner::Service,
            Sender::Node(peer) => BodyOwner::Node(&peer.client.certname),
            Sender::Stranger => BodyOwner::Stranger,
        };
        let mut body_memory = state.memory.body(owner).map_err(|_| Refusal::Busy)?;
        let limits = &state.config.limits;
        let time = match sender {
            Sender::Stranger => limits.body_time.min(limits.header_time),
            Sender::Node(_) | Sender::LocalProgram => limits.body_time,
        };
        request.body = read(&parts.headers, body, (limit, time), &mut body_memory).await?;
        memory = Some(body_memory);
    }
    let answering = slot.answer();
    let answer = routes::respond(state, endpoint, request).await;
    drop((memory, answering));
    answer
}

/// Reads the body of a request, at most `limit` bytes within `time`.
async fn read(
    headers: &HeaderMap,
    body: Incoming,
    (limit, time): (usize, Duration),
    memory: &mut BodyMemory<'_>,
) -> Result<Bytes, Refusal> {
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Refusal::Compressed);
    }
    if body.size_hint().lower() > limit as u64 {
        return Err(Refusal::TooLarge(limit));
    }
    tokio::time::timeout(time, collect(body, limit, memory)).await.unwrap_or(Err(Refusal::Slow))
}

/// Reads a body. Memory is reserved for what has arrived, so that a client that announces a large body and sends nothing uses none.
async fn collect(mut body: Incoming, limit: usize, memory: &mut BodyMemory<'_>) -> Result<Bytes, Refusal> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Refusal::Ended)?.into_data() else { continue };
        let length = collected.len() + data.len();
        if length > limit {
            return Err(Refusal::TooLarge(limit));
        }
        memory.grow(length).await.map_err(|_| Refusal::Busy)?;
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
    if let Some(methods) = answer.allow {
        headers.insert(header::ALLOW, HeaderValue::from_static(methods));
    }
    if let Some(seconds) = answer.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if answer.closes {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if let Some(tag) = answer.etag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        headers.insert(header::ETAG, tag);
    }
    let modified = answer.modified.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let date = modified.map(|time| time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(date) = date.and_then(|date| HeaderValue::from_str(&date).ok()) {
        headers.insert(header::LAST_MODIFIED, date);
    }
    response
}
