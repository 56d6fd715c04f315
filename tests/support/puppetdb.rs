//! A fake PuppetDB for tests: accepts commands, answers queries, or fails in a way that the test chooses.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use flate2::read::GzDecoder;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    /// Parameters of the URL's query, decoded.
    pub parameters: Vec<(String, String)>,
    /// Headers in lower case.
    pub headers: Vec<(String, String)>,
    /// The decompressed JSON body; null without one.
    pub body: Value,
}

impl Request {
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A status and a JSON body.
    Answer(u16, String),
    /// The connection is closed without an answer.
    Close,
    /// Half of a response, then the connection is closed.
    Half(String),
    /// No response for this time, then the connection is closed.
    Hang(Duration),
    /// A body of this many mebibytes.
    Flood(usize),
}

impl Reply {
    /// PuppetDB's response to a command.
    pub fn accepted() -> Reply {
        Reply::Answer(200, r#"{"uuid": "00000000-0000-4000-8000-000000000000"}"#.to_owned())
    }
}

/// The server. It ends with the test's process.
pub struct FakePuppetDb {
    pub url: String,
    requests: Arc<Mutex<Vec<(Request, Reply)>>>,
}

impl FakePuppetDb {
    /// Starts a server that responds to each request with the result of `reply`.
    pub fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> FakePuppetDb {
        FakePuppetDb::serve("http", None, reply)
    }

    /// Starts a server with TLS that requires a client certificate.
    pub fn start_tls(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> FakePuppetDb {
        FakePuppetDb::start_tls_as("server", reply)
    }

    /// Starts a server with TLS and this certificate of `tests/puppetdb/tls`.
    pub fn start_tls_as(name: &str, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> FakePuppetDb {
        FakePuppetDb::serve("https", Some(Arc::new(tls(name))), reply)
    }

    fn serve(
        scheme: &str,
        tls: Option<Arc<rustls::ServerConfig>>,
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> FakePuppetDb {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<(Request, Reply)>>> = Arc::default();
        let (seen, reply) = (requests.clone(), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, reply, tls) = (seen.clone(), reply.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => respond(stream, &seen, reply.as_ref()),
                    Some(config) => {
                        let connection = rustls::ServerConnection::new(config).unwrap();
                        respond(rustls::StreamOwned::new(connection, stream), &seen, reply.as_ref());
                    }
                });
            }
        });
        FakePuppetDb { url, requests }
    }

    /// The requests with their replies, in the order of arrival.
    pub fn requests(&self) -> Vec<(Request, Reply)> {
        self.requests.lock().unwrap().clone()
    }

    /// The commands that were accepted.
    pub fn accepted_commands(&self) -> Vec<Request> {
        let is_accepted = |reply: &Reply| matches!(reply, Reply::Answer(200, body) if body.contains("uuid"));
        self.requests().into_iter().filter(|(_, reply)| is_accepted(reply)).map(|(request, _)| request).collect()
    }

    /// Removes and returns the requests so far.
    pub fn drain(&self) -> Vec<Request> {
        self.requests.lock().unwrap().drain(..).map(|(request, _)| request).collect()
    }
}

/// Responds to the requests of a connection.
fn respond(
    stream: impl Read + Write,
    seen: &Mutex<Vec<(Request, Reply)>>,
    reply: &(dyn Fn(&Request) -> Reply + Send + Sync),
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream) {
        let reply = reply(&request);
        seen.lock().unwrap().push((request, reply.clone()));
        let out = stream.get_mut();
        let head = |status: u16, length: usize| {
            format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
        };
        let sent = match &reply {
            Reply::Answer(status, body) => out.write_all(format!("{}{body}", head(*status, body.len())).as_bytes()),
            Reply::Close => return,
            Reply::Half(body) => {
                let _ = out.write_all(format!("{}{body}", head(200, 2 * body.len() + 1)).as_bytes());
                let _ = out.flush();
                return;
            }
            Reply::Hang(time) => return std::thread::sleep(*time),
            Reply::Flood(mebibytes) => {
                let mut sent = out.write_all(head(200, (mebibytes << 20) + 1).as_bytes());
                for _ in 0..*mebibytes {
                    sent = sent.and_then(|()| out.write_all(&vec![b' '; 1 << 20]));
                }
                sent.and_then(|()| out.write_all(b" "))
            }
        };
        if sent.and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// The next request; `None` if the client has closed the connection.
fn read(stream: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let target = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let parameters = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut request = Request {
        path: path.to_owned(),
        parameters: parameters.map(|(name, value)| (name.to_owned(), decoded(value))).collect(),
        headers,
        body: Value::Null,
    };
    let length: usize = request.header("content-length").parse().unwrap_or(0);
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).ok()?;
    if request.header("content-encoding") == "gzip" {
        let mut plain = Vec::new();
        GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
        assert_eq!(request.header("x-uncompressed-length"), plain.len().to_string());
        bytes = plain;
    }
    if !bytes.is_empty() {
        request.body = serde_json::from_slice(&bytes).unwrap();
    }
    Some(request)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().unwrap(), rest.next().unwrap()];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

/// A file of `tests/puppetdb/tls`.
pub fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/puppetdb/tls").join(name)
}

fn tls(name: &str) -> rustls::ServerConfig {
    let certificates = |name: &str| -> Vec<CertificateDer<'static>> {
        CertificateDer::pem_file_iter(tls_file(name)).unwrap().map(|one| one.unwrap()).collect()
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificates("ca.pem").remove(0)).unwrap();
    let clients =
        rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build().unwrap();
    rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(
            certificates(&format!("{name}.pem")),
            PrivateKeyDer::from_pem_file(tls_file(&format!("{name}.key"))).unwrap(),
        )
        .unwrap()
}
