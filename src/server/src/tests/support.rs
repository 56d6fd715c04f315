//! The served site, the server, clients.

use parking_lot::Mutex;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::Duration;

use cms::cert::x509::attr::Attribute;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Tag;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::der::asn1::SetOfVec;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::request::CertReq;
use cms::cert::x509::request::CertReqInfo;
use cms::cert::x509::request::Version;
use rustls::ClientConnection;
use rustls::RootCertStore;
use rustls::StreamOwned;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use crate::config::BucketConfig;
use crate::config::CertificateSource;
use crate::config::ClassifierClient;
use crate::config::Config;
use crate::config::Event;
use crate::config::Limits;
use crate::facts::Facts;
use crate::running::Handle;
use crate::running::Listeners;
use crate::running::Server;
use crate::served_site::CatalogDocument;
use crate::served_site::CatalogRequest;
use crate::served_site::ClassificationFailure;
use crate::served_site::ClassificationRequest;
use crate::served_site::Client;
use crate::served_site::EnvironmentSettings;
use crate::served_site::Failure;
use crate::served_site::FailureKind;
use crate::served_site::ModuleDirectory;
use crate::served_site::NodeRequest;
use crate::served_site::ServedSite;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Autosign;
use catwalk_authority::Key;
use catwalk_authority::KeyKind;
use catwalk_authority::common_name;
use catwalk_authority::new_p256;
use catwalk_authority::pem;
use catwalk_value::Hash;
use catwalk_value::json::to_json;
use catwalk_world::output::Place;

/// The files of the module `wire` in each environment: those of the recorded requests and some more.
const FILES: [(&str, &str); 9] = [
    ("files/a.txt", "hello\n"),
    ("files/b c.txt", "space\n"),
    ("files/tree/one", "t1\n"),
    ("files/tree/sub/two", "t2\n"),
    ("files/ignored/.git/config", "x"),
    ("files/ignored/kept", "x"),
    ("facts.d/wireext.txt", "wireext=1\n"),
    ("lib/facter/wirefact.rb", "# a fact\n"),
    ("manifests/init.pp", "secret\n"),
];

/// A site with the environments `production`, `wire`, `wire2`, and `empty`, which has a module without files.
pub(super) struct Site(PathBuf);

impl Site {
    /// Writes the files of the site.
    pub(super) fn new(directory: &Path) -> Site {
        use std::os::unix::fs::PermissionsExt;
        let root = directory.canonicalize().unwrap().join("environments");
        for environment in ["production", "wire", "wire2"] {
            let module = root.join(environment).join("modules/wire");
            for (name, content) in FILES {
                let path = module.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, content).unwrap();
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            }
            std::fs::set_permissions(module.join("facts.d"), std::fs::Permissions::from_mode(0o755)).unwrap();
            // A second module with the same files in `lib/` and `files/`: the first module wins.
            let second = root.join(environment).join("modules/xwire/lib/facter");
            if environment == "production" {
                std::fs::create_dir_all(&second).unwrap();
                std::fs::write(second.join("wirefact.rb"), "# another\n").unwrap();
                std::fs::write(second.join("other.rb"), "# other\n").unwrap();
            }
        }
        std::fs::create_dir_all(root.join("empty/modules/bare")).unwrap();
        Site(root)
    }

    pub(super) fn module(&self, environment: &str) -> PathBuf {
        self.0.join(environment).join("modules/wire")
    }
}

impl ServedSite for Site {
    fn search_paths(&self) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }

    fn environments(&self) -> Vec<EnvironmentSettings> {
        let settings = |name: &str| EnvironmentSettings {
            name: name.to_owned(),
            modulepath: vec![self.0.join(name).join("missing"), self.0.join(name).join("modules")],
            manifest: self.0.join(name).join("manifests"),
            config_version: None,
        };
        ["empty", "production", "wire", "wire2"].into_iter().map(settings).collect()
    }

    fn has_environment(&self, name: &str) -> bool {
        self.0.join(name).is_dir()
    }

    fn modules(&self, environment: &str) -> Result<Vec<ModuleDirectory>, Failure> {
        let entries = std::fs::read_dir(self.0.join(environment).join("modules")).unwrap();
        let module =
            |path: PathBuf| ModuleDirectory { name: path.file_name().unwrap().to_str().unwrap().to_owned(), path };
        let mut modules: Vec<ModuleDirectory> = entries.map(|entry| module(entry.unwrap().path())).collect();
        modules.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(modules)
    }

    fn deployed(&self, environment: Option<&str>) -> Result<(), Failure> {
        match environment {
            Some("changing") => Err(Failure { kind: FailureKind::Busy, message: "later".to_owned() }),
            _ => Ok(()),
        }
    }

    fn environment_classes(&self, environment: &str) -> Result<Vec<u8>, Failure> {
        match environment {
            "wire2" => Err(Failure { kind: FailureKind::Failed, message: "no".to_owned() }),
            _ => Ok(json!({ "files": [], "name": environment, "padding": "x".repeat(2000) }).to_string().into_bytes()),
        }
    }

    fn environment_modules(&self, environment: Option<&str>) -> Result<Vec<u8>, Failure> {
        Ok(json!({ "modules": [], "name": environment }).to_string().into_bytes())
    }

    fn node(&self, request: &NodeRequest) -> Result<Vec<u8>, Failure> {
        Ok(json!({ "name": request.client.certname, "environment": request.environment }).to_string().into_bytes())
    }

    /// Returns the request as JSON, or an error in some environments.
    fn catalog(&self, request: &CatalogRequest) -> Result<CatalogDocument, Failure> {
        let failure = |kind, message: &str| Err(Failure { kind, message: message.to_owned() });
        match request.environment.as_deref() {
            Some("failing") => return failure(FailureKind::Failed, "Evaluation Error: no on node a.example.com"),
            Some("missing") => return failure(FailureKind::NotFound, "Could not find environment 'missing'"),
            Some("wrong") => return failure(FailureKind::BadRequest, "no"),
            Some("panics") => panic!("a panic of the site"),
            Some("slow") => std::thread::sleep(Duration::from_millis(1000)),
            _ => {}
        }
        let values = |facts: &Facts| to_json(&catwalk_value::Value::Hash(facts.values().clone()));
        let facts: Option<Value> = request.facts.as_ref().map(values);
        let document = json!({
            "certname": request.client.certname,
            "extensions": request.client.extensions,
            "environment": request.environment,
            "configured": request.configured_environment,
            "check": request.check_environment,
            "facts": facts,
            "rich": request.rich_data,
            "transaction": request.transaction_uuid,
            "padding": "x".repeat(1000),
        });
        Ok(CatalogDocument::Whole(document.to_string().into_bytes()))
    }

    /// Returns the request as JSON, or an error for some names.
    fn classify(&self, request: &ClassificationRequest) -> Result<Vec<u8>, ClassificationFailure> {
        let values = |hash: &Arc<Hash>| to_json(&catwalk_value::Value::Hash(hash.clone()));
        match request.name.as_str() {
            "conflict" => Err(ClassificationFailure::Conflict(br#"{"kind":"classification-conflict"}"#.to_vec())),
            "failing" => Err(ClassificationFailure::Failed("the script failed".to_owned())),
            "panics" => panic!("a panic of the site"),
            name => Ok(json!({
                "name": name,
                "fact": values(&request.facts),
                "trusted": values(&request.trusted),
                "explains": request.explains,
                "asking": request.asking_node.as_ref().map(|node| node.certname.clone()),
            })
            .to_string()
            .into_bytes()),
        }
    }

    fn save_facts(&self, _: &Client, _: &str, _: &Facts) -> Result<(), Failure> {
        Ok(())
    }

    fn save_report(&self, _: &Client, environment: &str, report: &[u8]) -> Result<Vec<String>, Failure> {
        Ok(vec!["store".to_owned(), environment.to_owned(), report.len().to_string()])
    }
}

/// Writes `fileserver.conf` with the mounts `files` and `own`, and their files.
fn write_mounts(directory: &Path) {
    let root = directory.canonicalize().unwrap();
    let root = root.display();
    for (path, content) in [
        ("mounted/all/a.txt", "mounted\n"),
        ("mounted/all/sub/b.txt", "below\n"),
        ("mounted/nodes/a.example.com/secret.txt", "of a\n"),
        ("mounted/nodes/b.example.com/secret.txt", "of b\n"),
    ] {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let text = format!("[files]\n  path {root}/mounted/all\n  allow *\n[own]\n  path {root}/mounted/nodes/%H\n");
    std::fs::write(directory.join("fileserver.conf"), text).unwrap();
}

/// A running server.
pub(super) struct RunningServer {
    pub(super) address: SocketAddr,
    /// The listener of the classifier without TLS.
    pub(super) plain_address: SocketAddr,
    pub(super) handle: Handle,
    pub(super) events: Arc<Mutex<Vec<Event>>>,
    pub(super) directory: TempDir,
    thread: Option<JoinHandle<()>>,
}

/// The settings of an authority in a directory, whose key is created when it is opened.
pub(super) fn new_authority(directory: &Path, autosign: Autosign) -> AuthorityConfig {
    AuthorityConfig {
        alt_names: vec!["127.0.0.1".to_owned()],
        autosign,
        key: KeyKind::P256,
        ..AuthorityConfig::new(Place::named(directory), "localhost")
    }
}

/// The settings of an authority in a directory. Its key is created once for all tests.
pub(super) fn authority(directory: &Path, autosign: Autosign) -> AuthorityConfig {
    const FILES: [&str; 6] =
        ["ca_key.pem", "ca_crt.pem", "ca_crl.pem", "serial", "private/localhost.pem", "signed/localhost.pem"];
    // The contents, not the directory: a static is never dropped, so its directory would remain.
    static CONTENTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let settings = |directory: &Path| new_authority(directory, autosign.clone());
    let contents = CONTENTS.get_or_init(|| {
        let created = TempDir::new().unwrap();
        Authority::open(settings(created.path()), &|_| ()).unwrap();
        FILES.map(|name| std::fs::read(created.path().join(name)).unwrap()).to_vec()
    });
    for (name, bytes) in FILES.iter().zip(contents) {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    settings(directory)
}

/// Limits with short times, so that tests end soon.
pub(super) fn limits() -> Limits {
    Limits { stop_time: Duration::from_secs(10), workers: 2, ..Limits::default() }
}

impl RunningServer {
    /// Starts a server that signs all requests for certificates.
    pub(super) fn start() -> RunningServer {
        RunningServer::start_with(limits(), Autosign::All)
    }

    pub(super) fn start_with(limits: Limits, autosign: Autosign) -> RunningServer {
        let directory = TempDir::new().unwrap();
        let certificates = CertificateSource::Authority(authority(&directory.path().join("ca"), autosign));
        RunningServer::start_in(directory, limits, certificates)
    }

    /// Starts a server whose authority has its own key.
    pub(super) fn start_foreign() -> RunningServer {
        let directory = TempDir::new().unwrap();
        let settings = new_authority(&directory.path().join("ca"), Autosign::All);
        RunningServer::start_in(directory, limits(), CertificateSource::Authority(settings))
    }

    pub(super) fn start_in(directory: TempDir, limits: Limits, certificates: CertificateSource) -> RunningServer {
        let site = Site::new(directory.path());
        write_mounts(directory.path());
        let events = Arc::new(Mutex::new(Vec::new()));
        let for_log = events.clone();
        let config = Config {
            certificates,
            puppet_version: "7.23.0".to_owned(),
            metrics: std::sync::Arc::default(),
            deployers: vec![ClassifierClient::Certname("deployer.example.com".to_owned())],
            auth: Some(directory.path().join("auth.conf")).filter(|path| path.exists()),
            extension_names: Vec::new(),
            bucket: Some(BucketConfig { directory: directory.path().join("bucket"), max_bytes: 1000 }),
            fileserver: Some(directory.path().join("fileserver.conf")),
            classifier_clients: vec![
                ClassifierClient::Certname("tool.example.com".to_owned()),
                ClassifierClient::Extension("pp_role".to_owned(), "classifier".to_owned()),
            ],
            limits,
            log: Arc::new(move |event| for_log.lock().push(event.clone())),
            progress: Arc::new(|_| ()),
        };
        let (server, handle) = Server::new(config, Arc::new(site)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let classifier = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, plain_address) = (listener.local_addr().unwrap(), classifier.local_addr().unwrap());
        let listeners = Listeners { agents: vec![listener], classifier: Some(classifier) };
        let thread = Some(std::thread::spawn(move || server.serve(listeners).unwrap()));
        RunningServer { address, plain_address, handle, events, directory, thread }
    }

    /// The files of the site.
    pub(super) fn site(&self) -> Site {
        Site(self.directory.path().canonicalize().unwrap().join("environments"))
    }

    /// Waits for the end of the server.
    pub(super) fn join(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }

    /// A connection without a certificate.
    pub(super) fn stranger(&self) -> Connection {
        Connection::open(self, None)
    }

    /// A connection with a certificate that the server has just signed.
    pub(super) fn node(&self, name: &str) -> Connection {
        Connection::open(self, Some(&self.enroll(name)))
    }

    /// Creates a key and has the server sign a certificate for it.
    pub(super) fn enroll(&self, name: &str) -> Identity {
        let key = new_p256().unwrap();
        let request = certificate_request(name, &key, &[]);
        let mut connection = self.stranger();
        let put = connection.send("PUT", &format!("/puppet-ca/v1/certificate_request/{name}"), &[], request.as_bytes());
        assert_eq!((put.status, put.text().as_str()), (200, ""), "{name}");
        let certificate = connection.get(&format!("/puppet-ca/v1/certificate/{name}")).text();
        Identity { certificate, key }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A certificate and its key in PEM.
pub(super) struct Identity {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// An extension with a UTF-8 string.
pub(super) fn extension(id: &str, value: &str) -> Extension {
    let value = Any::new(Tag::Utf8String, value.as_bytes()).unwrap().to_der().unwrap();
    Extension {
        extn_id: ObjectIdentifier::new(id).unwrap(),
        critical: false,
        extn_value: OctetString::new(value).unwrap(),
    }
}

/// A request for a certificate in PEM.
pub(super) fn certificate_request(name: &str, key: &str, extensions: &[Extension]) -> String {
    let key = Key::read(key.as_bytes()).unwrap();
    let mut attributes = SetOfVec::new();
    if !extensions.is_empty() {
        let mut values = SetOfVec::new();
        values.insert(Any::encode_from(&extensions.to_vec()).unwrap()).unwrap();
        let oid = ObjectIdentifier::new("1.2.840.113549.1.9.14").unwrap();
        attributes.insert(Attribute { oid, values }).unwrap();
    }
    let subject = common_name(name).unwrap();
    let info = CertReqInfo { version: Version::V1, subject, public_key: key.public().unwrap(), attributes };
    let signature = BitString::from_bytes(&key.sign(&info.to_der().unwrap()).unwrap()).unwrap();
    let request = CertReq { info, algorithm: key.algorithm().unwrap(), signature };
    pem("CERTIFICATE REQUEST", &request.to_der().unwrap()).unwrap()
}

/// A response.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    head: String,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

/// A connection to a server, for one or more requests.
pub(super) struct Connection {
    stream: StreamOwned<ClientConnection, TcpStream>,
}

impl Connection {
    pub(super) fn open(server: &RunningServer, identity: Option<&Identity>) -> Connection {
        let ca = std::fs::read(server.directory.path().join("ca/ca_crt.pem")).unwrap();
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&ca) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let builder = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let chain = vec![CertificateDer::from_pem_slice(identity.certificate.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).unwrap();
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        };
        let connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Connection { stream: StreamOwned::new(connection, stream) }
    }

    pub(super) fn get(&mut self, target: &str) -> Reply {
        self.send("GET", target, &["Accept: */*"], b"")
    }

    /// Sends a request with additional headers and reads the response.
    pub(super) fn send(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Reply {
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nX-Puppet-Version: 7.23.0\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        self.write(head.as_bytes());
        self.write(body);
        self.read().unwrap_or_else(|| panic!("no answer to {method} {target}"))
    }

    /// As [`Connection::send`]; `None`: the connection ended, since the handshake failed.
    pub(super) fn try_send(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Option<Reply> {
        let lines: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Length: {length}\r\n\r\n");
        self.write(head.as_bytes());
        self.write(body);
        self.read()
    }

    /// Sends bytes verbatim. An error is reported when the response is read.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
        let _ = self.stream.flush();
    }

    /// Reads a response. `None`: the connection has ended.
    pub(super) fn read(&mut self) -> Option<Reply> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if self.stream.read(&mut byte).ok()? == 0 {
                return None;
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Reply { status, head, body: Vec::new() };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        reply.body = vec![0; length];
        self.stream.read_exact(&mut reply.body).ok()?;
        Some(reply)
    }
}
