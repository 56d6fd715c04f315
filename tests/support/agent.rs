//! A running `catwalk serve`, and a client that sends HTTP/1.1 over TLS as Puppet's agent does.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::Mutex;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use serde_json::json;

use super::Site;

/// A server that ends with the test.
pub struct ServerRun {
    pub child: Child,
    pub port: u16,
    /// The certificate of its authority.
    pub ca: String,
    /// Its output so far.
    printed: Arc<Mutex<String>>,
}

impl Drop for ServerRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ServerRun {
    /// Starts `catwalk serve --dev` with these arguments at a free port and waits until it listens.
    pub fn start(site: &Site, args: &[&str]) -> ServerRun {
        let args = [&["serve", "--dev", "--listen", "127.0.0.1:0"], args].concat();
        let mut child = site.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let printed = Arc::new(Mutex::new(String::new()));
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut port = None;
        for line in lines.by_ref().map_while(Result::ok) {
            printed.lock().unwrap().push_str(&format!("{line}\n"));
            let address = line.strip_prefix("listening on https://127.0.0.1:");
            if let Some(found) = address.and_then(|rest| rest.split(' ').next()?.parse().ok()) {
                port = Some(found);
                break;
            }
        }
        let Some(port) = port else { panic!("{}", printed.lock().unwrap()) };
        let rest = printed.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                rest.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let mut server = ServerRun { child, port, ca: String::new(), printed };
        server.ca = Connection::open(&server, None).get("/puppet-ca/v1/certificate/ca").text();
        server
    }

    /// A server that has been started and listens at this port.
    pub fn connected(child: Child, port: u16) -> ServerRun {
        let mut server = ServerRun { child, port, ca: String::new(), printed: Arc::default() };
        server.ca = Connection::open(&server, None).get("/puppet-ca/v1/certificate/ca").text();
        server
    }

    pub fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// Sends the certificate request of an agent in `tests/server` and fetches its certificate.
    pub fn first_contact(&self, certname: &str) -> Agent {
        let file = |end: &str| {
            let path = format!("{}/tests/server/{certname}.{end}.pem", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(Path::new(&path)).unwrap()
        };
        let mut connection = Connection::open(self, None);
        let path = format!("/puppet-ca/v1/certificate_request/{certname}");
        let answer = connection.send("PUT", &path, "text/plain", file("csr").as_bytes());
        // A second request keeps the certificate.
        assert!([200, 400].contains(&answer.status), "{answer:?}");
        let certificate = connection.get(&format!("/puppet-ca/v1/certificate/{certname}"));
        assert_eq!(certificate.status, 200, "{certificate:?}");
        Agent { certname: certname.to_owned(), certificate: certificate.text(), key: file("key") }
    }
}

/// An agent with a certificate.
#[derive(Clone, Debug)]
pub struct Agent {
    pub certname: String,
    pub certificate: String,
    pub key: String,
}

/// A persistent connection.
pub struct Connection {
    stream: BufReader<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>,
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Accepts the authority's certificate before it is known, as an agent does at first contact.
#[derive(Debug)]
struct AnyServer(Arc<rustls::crypto::CryptoProvider>);

impl rustls::client::danger::ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: rustls::pki_types::UnixTime,
    ) -> Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// TLS settings of the client. Without an agent, any server certificate is accepted.
fn tls(server: &ServerRun, agent: Option<&Agent>) -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let builder = match server.ca.is_empty() {
        true => builder.unwrap().dangerous().with_custom_certificate_verifier(Arc::new(AnyServer(provider))),
        false => {
            let mut roots = rustls::RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(server.ca.as_bytes()) {
                roots.add(certificate.unwrap()).unwrap();
            }
            builder.unwrap().with_root_certificates(roots)
        }
    };
    match agent {
        None => builder.with_no_client_auth(),
        Some(agent) => {
            let chain = CertificateDer::pem_slice_iter(agent.certificate.as_bytes()).map(Result::unwrap).collect();
            let key = PrivateKeyDer::from_pem_slice(agent.key.as_bytes()).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    }
}

impl Connection {
    pub fn open(server: &ServerRun, agent: Option<&Agent>) -> Connection {
        let name = ServerName::try_from("localhost").unwrap();
        let connection = rustls::ClientConnection::new(Arc::new(tls(server, agent)), name).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.set_read_timeout(Some(super::running::PATIENCE)).unwrap();
        Connection { stream: BufReader::new(rustls::StreamOwned::new(connection, stream)) }
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    pub fn send(&mut self, method: &str, path: &str, content_type: &str, body: &[u8]) -> Answer {
        let accept = "application/vnd.puppet.rich+json, application/json, application/octet-stream, text/plain";
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n");
        if !content_type.is_empty() {
            head.push_str(&format!("Content-Type: {content_type}\r\nContent-Length: {}\r\n", body.len()));
        }
        let stream = self.stream.get_mut();
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        stream.flush().unwrap();
        self.receive()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn receive(&mut self) -> Answer {
        let status = self.line();
        let status =
            status.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{status:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        let exactly = |connection: &mut Connection, length: usize| {
            let mut bytes = vec![0; length];
            connection.stream.read_exact(&mut bytes).unwrap();
            bytes
        };
        if answer.header("Transfer-Encoding").is_some() {
            loop {
                let length = usize::from_str_radix(&self.line(), 16).unwrap();
                answer.body.extend(exactly(self, length));
                self.line();
                if length == 0 {
                    break;
                }
            }
        } else if let Some(length) = answer.header("Content-Length").and_then(|length| length.parse().ok()) {
            answer.body = exactly(self, length);
        }
        answer
    }

    /// Requests a catalog as an agent does: the facts are in a form, encoded twice.
    pub fn catalog(&mut self, certname: &str, environment: &str, facts: &Value) -> Answer {
        let facts = json!({
            "name": certname, "values": facts, "timestamp": "2026-01-01T00:00:00.000000000+00:00",
            "expiration": "2026-01-01T00:30:00.000000000+00:00",
        });
        let facts = encoded(&encoded(&facts.to_string()));
        let body = format!(
            "facts_format=application%2Fjson&facts={facts}&environment={environment}&configured_environment={environment}\
             &check_environment=true&transaction_uuid=dac750d7-5fe9-42b8-9f6c-09bbf70d285b&job_uuid=&static_catalog=true\
             &checksum_type=sha256.sha384.sha512.sha224.md5"
        );
        let path = format!("/puppet/v3/catalog/{certname}?environment={environment}");
        self.send("POST", &path, "application/x-www-form-urlencoded", body.as_bytes())
    }
}

/// Percent-encoded.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}
