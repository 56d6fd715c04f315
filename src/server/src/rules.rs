//! The endpoints of the server and their access rules.
//!
//! Rules: puppetserver's default `auth.conf`. Other requests get a 404, or a 403 where puppetserver's rules deny them:
//!
//! | path | status |
//! |---|---|
//! | other requests to `/puppet-ca`, DELETE of a certificate request | 403 |
//! | `/puppet/v3/environment_transports`, `compile` | 403 |
//! | `/puppet-admin-api`, except DELETE of `environment-cache` and `jruby-pool` | 403 |
//! | `/puppet/v3/static_file_content`, `tasks`, `plans` | 404 |
//!
//! A file `auth.conf` decides in place of these rules, except for the classifier. The headers with which a proxy passes on a client's certificate
//! (`X-Client-Verify`) are ignored.

use hyper::Method;

use crate::config::ClassifierClient;
use crate::config::Config;
use crate::refusal::ErrorForm;
use crate::served_site::Client;
use catwalk_http::MalformedForm;
use catwalk_http::Parameters;
use catwalk_http::parts;

/// The form of errors of a path, which may be malformed.
pub(crate) fn error_form(path: &str) -> ErrorForm {
    let is_classifier = ["/v1/", "/classifier-api/"].iter().any(|start| path.starts_with(start));
    if is_classifier { ErrorForm::Classifier } else { ErrorForm::Puppet }
}

/// Whether there is an endpoint of the classifier at a path, for the method that it accepts.
pub(crate) fn is_classifier_path(path: &str) -> bool {
    matches!(Endpoint::find(&Method::POST, path), Ok(Some(endpoint)) if endpoint.is_classifier())
}

/// The name of the route of a request in figures.
pub(crate) fn route(method: &Method, path: &str) -> &'static str {
    Endpoint::find(method, path).ok().flatten().map_or("other", |endpoint| endpoint.route())
}

/// The name of a node to classify. It is used as received, but it must be possible to print it.
fn checked_name(name: &str) -> Result<String, MalformedForm> {
    if name.contains(char::is_control) { Err(MalformedForm) } else { Ok(name.to_owned()) }
}

/// The object identifier of the extension `pp_cli_auth`.
const CLI_AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3.39";

/// The clients that may use an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Every client, even without a certificate.
    Everybody,
    /// Every client with a valid certificate.
    AnyNode,
    /// The node whose name is in the path.
    NamedNode,
    /// The node whose name is in the path, and the clients that may classify any node.
    Classifier,
    /// The clients that may announce deploys and see the code.
    Deployer,
    /// Every client whose certificate has the extension `pp_cli_auth`, such as the server's own.
    AuthorityClient,
    /// No client.
    Nobody,
}

/// The endpoint of a request, with the name or path in its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Certificate(String),
    RevocationList,
    SubmitCertificateRequest(String),
    CertificateRequest(String),
    RenewCertificate,
    /// The state of a node's certificate.
    CertificateStatus(String),
    /// Signs a request or revokes a certificate.
    SetCertificateStatus(String),
    /// Removes the certificate and the request of a node.
    DeleteCertificate(String),
    /// The states of all certificates; `None`: a part of the path is missing.
    CertificateStatuses(Option<String>),
    /// Revokes and removes certificates.
    Clean,
    Sign,
    SignAll,
    /// Takes over revocation lists of other authorities.
    UpdateRevocationLists,
    Expirations,
    Node(String),
    Catalog(String),
    /// The catalog of a node that the body names.
    CatalogOnBehalf,
    Facts(String),
    Report(String),
    FileMetadata(Vec<String>),
    FileMetadatas(Vec<String>),
    FileContent(Vec<String>),
    /// A file of the file bucket.
    BucketFile(Vec<String>),
    /// Whether the file bucket has a file.
    HasBucketFile(Vec<String>),
    /// Stores a file in the file bucket.
    KeepBucketFile(Vec<String>),
    Environments,
    /// The classification of a node.
    Classified(String),
    /// The explanation of a node's classification.
    Explanation(String),
    Simple(Option<String>),
    Services(Option<String>),
    EnvironmentClasses,
    EnvironmentModules,
    /// A deploy is complete.
    EnvironmentCache,
    /// Accepted without an effect: there are no Ruby interpreters to replace.
    JrubyPool,
    /// Figures for Prometheus.
    Metrics,
    Denied,
}

impl Endpoint {
    /// Finds the endpoint of a request. `None`: there is no such endpoint.
    ///
    /// # Errors
    /// The path is not percent-encoded correctly, or contains `.` or `..`.
    pub(crate) fn find(method: &Method, path: &str) -> Result<Option<Endpoint>, MalformedForm> {
        let parts = parts(path)?;
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        let is = |expected: &Method| method == expected;
        let (get, put, post) = (is(&Method::GET), is(&Method::PUT), is(&Method::POST));
        let rest = || parts.get(3..).unwrap_or_default().to_vec();
        Ok(Some(match names.as_slice() {
            ["puppet-ca", "v1", "certificate", name] if get => Endpoint::Certificate((*name).to_owned()),
            ["puppet-ca", "v1", "certificate_revocation_list", "ca"] if get => Endpoint::RevocationList,
            ["puppet-ca", "v1", "certificate_request", name] if get => Endpoint::CertificateRequest((*name).to_owned()),
            ["puppet-ca", "v1", "certificate_request", name] if put => {
                Endpoint::SubmitCertificateRequest((*name).to_owned())
            }
            ["puppet-ca", "v1", "certificate_renewal"] if post => Endpoint::RenewCertificate,
            ["puppet-ca", "v1", "certificate_status", name] if get => Endpoint::CertificateStatus((*name).to_owned()),
            ["puppet-ca", "v1", "certificate_status", name] if put => {
                Endpoint::SetCertificateStatus((*name).to_owned())
            }
            ["puppet-ca", "v1", "certificate_status", name] if is(&Method::DELETE) => {
                Endpoint::DeleteCertificate((*name).to_owned())
            }
            ["puppet-ca", "v1", "certificate_statuses"] | ["puppet-ca", "v1", "certificate_statuses", ""] if get => {
                Endpoint::CertificateStatuses(None)
            }
            ["puppet-ca", "v1", "certificate_statuses", any] if get => {
                Endpoint::CertificateStatuses(Some((*any).to_owned()))
            }
            ["puppet-ca", "v1", "clean"] if put => Endpoint::Clean,
            ["puppet-ca", "v1", "sign"] if post => Endpoint::Sign,
            ["puppet-ca", "v1", "sign", "all"] if post => Endpoint::SignAll,
            ["puppet-ca", "v1", "certificate_revocation_list"] if put => Endpoint::UpdateRevocationLists,
            ["puppet-ca", "v1", "expirations"] if get => Endpoint::Expirations,
            ["puppet-ca", ..] => Endpoint::Denied,
            ["puppet", "v3", "node", name] if get => Endpoint::Node((*name).to_owned()),
            ["puppet", "v3", "catalog", name] if get || post => Endpoint::Catalog((*name).to_owned()),
            ["puppet", "v3", "facts", name] if put => Endpoint::Facts((*name).to_owned()),
            ["puppet", "v3", "report", name] if put => Endpoint::Report((*name).to_owned()),
            ["puppet", "v3", "file_metadata", ..] if get => Endpoint::FileMetadata(rest()),
            ["puppet", "v3", "file_metadatas", ..] if get => Endpoint::FileMetadatas(rest()),
            ["puppet", "v3", "file_content", ..] if get => Endpoint::FileContent(rest()),
            ["puppet", "v3", "file_bucket_file", ..] if get => Endpoint::BucketFile(rest()),
            ["puppet", "v3", "file_bucket_file", ..] if put => Endpoint::KeepBucketFile(rest()),
            ["puppet", "v3", "file_bucket_file", ..] if is(&Method::HEAD) => Endpoint::HasBucketFile(rest()),
            ["puppet", "v3", "environments"] if get => Endpoint::Environments,
            ["puppet", "v3", "environment_classes", ..] if get => Endpoint::EnvironmentClasses,
            ["puppet", "v3", "environment_modules", ..] if get => Endpoint::EnvironmentModules,
            ["puppet", "v4", "catalog"] if post => Endpoint::CatalogOnBehalf,
            [
                "puppet",
                "v3",
                "environment_classes" | "environment_modules" | "environment_transports" | "compile",
                ..,
            ]
            | ["puppet", "v4", "catalog", ..]
            | ["puppet-admin-api", ..] => match names.as_slice() {
                ["puppet-admin-api", "v1", "environment-cache"] if is(&Method::DELETE) => Endpoint::EnvironmentCache,
                ["puppet-admin-api", "v1", "jruby-pool"] if is(&Method::DELETE) => Endpoint::JrubyPool,
                _ => Endpoint::Denied,
            },
            ["v1", "classified", "nodes", name] | ["classifier-api", "v1", "classified", "nodes", name] if post => {
                Endpoint::Classified(checked_name(name)?)
            }
            ["v1", "classified", "nodes", name, "explanation"]
            | ["classifier-api", "v1", "classified", "nodes", name, "explanation"]
                if post =>
            {
                Endpoint::Explanation(checked_name(name)?)
            }
            ["metrics"] if get => Endpoint::Metrics,
            ["status", "v1", "simple"] if get => Endpoint::Simple(None),
            ["status", "v1", "simple", name] if get => Endpoint::Simple(Some((*name).to_owned())),
            ["status", "v1", "services"] if get => Endpoint::Services(None),
            ["status", "v1", "services", name] if get => Endpoint::Services(Some((*name).to_owned())),
            _ => return Ok(None),
        }))
    }

    /// The request for people, with its environment: `the catalog of web1 in environment production`. Equal for each run of an agent.
    pub(crate) fn describe(&self, certname: &str, parameters: &Parameters) -> String {
        let what = match self {
            Endpoint::Certificate(name) => return format!("the certificate of {name}"),
            Endpoint::CertificateRequest(name) | Endpoint::SubmitCertificateRequest(name) => {
                return format!("the certificate request of {name}");
            }
            Endpoint::RenewCertificate => return format!("the renewal of the certificate of {certname}"),
            Endpoint::Node(name) => format!("the node {name}"),
            Endpoint::Catalog(name) => format!("the catalog of {name}"),
            Endpoint::Facts(name) => format!("the facts of {name}"),
            Endpoint::Report(name) => format!("the report of {name}"),
            Endpoint::Classified(name) | Endpoint::Explanation(name) => {
                return format!("the classification of {name}");
            }
            Endpoint::FileMetadata(path) | Endpoint::FileMetadatas(path) | Endpoint::FileContent(path) => {
                format!("the file {} for {certname}", path.join("/"))
            }
            Endpoint::BucketFile(path) | Endpoint::HasBucketFile(path) | Endpoint::KeepBucketFile(path) => {
                format!("the file {} of the file bucket for {certname}", path.join("/"))
            }
            Endpoint::CertificateStatus(name)
            | Endpoint::SetCertificateStatus(name)
            | Endpoint::DeleteCertificate(name) => return format!("the state of the certificate of {name}"),
            Endpoint::EnvironmentClasses => format!("the classes for {certname}"),
            Endpoint::EnvironmentModules => format!("the modules for {certname}"),
            Endpoint::Environments
            | Endpoint::CatalogOnBehalf
            | Endpoint::EnvironmentCache
            | Endpoint::JrubyPool
            | Endpoint::Metrics
            | Endpoint::RevocationList
            | Endpoint::CertificateStatuses(_)
            | Endpoint::Clean
            | Endpoint::Sign
            | Endpoint::SignAll
            | Endpoint::UpdateRevocationLists
            | Endpoint::Expirations
            | Endpoint::Simple(_)
            | Endpoint::Services(_)
            | Endpoint::Denied => return format!("a request of {certname}"),
        };
        match parameters.get("environment") {
            Some(environment) => format!("{what} in environment {environment}"),
            None => what,
        }
    }

    /// The name of the route in figures, as puppetserver names it where it has the route.
    fn route(&self) -> &'static str {
        match self {
            Endpoint::Certificate(_) => "puppet-ca-v1-certificate-/*/",
            Endpoint::RevocationList => "puppet-ca-v1-certificate_revocation_list-/*/",
            Endpoint::SubmitCertificateRequest(_) | Endpoint::CertificateRequest(_) => {
                "puppet-ca-v1-certificate_request-/*/"
            }
            Endpoint::RenewCertificate => "puppet-ca-v1-certificate_renewal",
            Endpoint::CertificateStatus(_) | Endpoint::SetCertificateStatus(_) | Endpoint::DeleteCertificate(_) => {
                "puppet-ca-v1-certificate_status-/*/"
            }
            Endpoint::CertificateStatuses(_) => "puppet-ca-v1-certificate_statuses-/*/",
            Endpoint::Clean => "puppet-ca-v1-clean",
            Endpoint::Sign => "puppet-ca-v1-sign",
            Endpoint::SignAll => "puppet-ca-v1-sign-all",
            Endpoint::UpdateRevocationLists => "puppet-ca-v1-certificate_revocation_list",
            Endpoint::Expirations => "puppet-ca-v1-expirations",
            Endpoint::Node(_) => "puppet-v3-node-/*/",
            Endpoint::Catalog(_) => "puppet-v3-catalog-/*/",
            Endpoint::Facts(_) => "puppet-v3-facts-/*/",
            Endpoint::Report(_) => "puppet-v3-report-/*/",
            Endpoint::FileMetadata(_) => "puppet-v3-file_metadata-/*/",
            Endpoint::FileMetadatas(_) => "puppet-v3-file_metadatas-/*/",
            Endpoint::FileContent(_) => "puppet-v3-file_content-/*/",
            Endpoint::BucketFile(_) | Endpoint::HasBucketFile(_) | Endpoint::KeepBucketFile(_) => {
                "puppet-v3-file_bucket_file-/*/"
            }
            Endpoint::Environments => "puppet-v3-environments",
            Endpoint::EnvironmentClasses => "puppet-v3-environment_classes-/*/",
            Endpoint::EnvironmentModules => "puppet-v3-environment_modules-/*/",
            Endpoint::CatalogOnBehalf => "puppet-v4-catalog",
            Endpoint::Classified(_) => "classified-nodes-/*/",
            Endpoint::Explanation(_) => "classified-nodes-/*/-explanation",
            Endpoint::Simple(_) | Endpoint::Services(_) => "status",
            Endpoint::EnvironmentCache | Endpoint::JrubyPool => "puppet-admin-api",
            Endpoint::Metrics => "metrics",
            Endpoint::Denied => "other",
        }
    }

    /// The clients that may use the endpoint.
    fn rule(&self) -> Rule {
        match self {
            Endpoint::Certificate(_)
            | Endpoint::RevocationList
            | Endpoint::SubmitCertificateRequest(_)
            | Endpoint::CertificateRequest(_)
            | Endpoint::Simple(_)
            | Endpoint::Services(_) => Rule::Everybody,
            Endpoint::FileMetadata(_)
            | Endpoint::FileMetadatas(_)
            | Endpoint::FileContent(_)
            | Endpoint::BucketFile(_)
            | Endpoint::HasBucketFile(_)
            | Endpoint::KeepBucketFile(_)
            | Endpoint::RenewCertificate
            | Endpoint::Metrics
            | Endpoint::Expirations
            | Endpoint::Environments => Rule::AnyNode,
            Endpoint::CertificateStatus(_)
            | Endpoint::SetCertificateStatus(_)
            | Endpoint::DeleteCertificate(_)
            | Endpoint::CertificateStatuses(_)
            | Endpoint::Clean
            | Endpoint::Sign
            | Endpoint::SignAll
            | Endpoint::UpdateRevocationLists => Rule::AuthorityClient,
            Endpoint::Node(_) | Endpoint::Catalog(_) | Endpoint::Facts(_) | Endpoint::Report(_) => Rule::NamedNode,
            Endpoint::Classified(_) | Endpoint::Explanation(_) => Rule::Classifier,
            Endpoint::CatalogOnBehalf
            | Endpoint::EnvironmentClasses
            | Endpoint::EnvironmentModules
            | Endpoint::EnvironmentCache
            | Endpoint::JrubyPool => Rule::Deployer,
            Endpoint::Denied => Rule::Nobody,
        }
    }

    /// The node whose name is in the path.
    fn node(&self) -> Option<&str> {
        match self {
            Endpoint::Node(name)
            | Endpoint::Catalog(name)
            | Endpoint::Facts(name)
            | Endpoint::Report(name)
            | Endpoint::Classified(name)
            | Endpoint::Explanation(name) => Some(name),
            _ => None,
        }
    }

    /// Whether this is an endpoint of the classifier.
    pub(crate) fn is_classifier(&self) -> bool {
        self.rule() == Rule::Classifier
    }

    /// Whether `auth.conf` decides about the endpoint: it is one of puppetserver.
    pub(crate) fn is_in_auth_conf(&self) -> bool {
        !self.is_classifier()
    }

    /// Whether a client that `auth.conf` allows can be answered: requests about a node are only those of the node itself.
    pub(crate) fn can_serve(&self, client: Option<&Client>) -> bool {
        match self.rule() {
            Rule::NamedNode => client.is_some_and(|client| self.node() == Some(client.certname.as_str())),
            _ => !matches!(self, Endpoint::RenewCertificate | Endpoint::CatalogOnBehalf) || client.is_some(),
        }
    }

    /// Whether a client may use the endpoint; `None` is a client without a valid certificate.
    pub(crate) fn admits(&self, client: Option<&Client>, config: &Config) -> bool {
        let is_one_of = |allowed: &[ClassifierClient]| {
            client.is_some_and(|client| allowed.iter().any(|allowed| allowed.is(client)))
        };
        let is_named = client.is_some_and(|client| self.node() == Some(client.certname.as_str()));
        match self.rule() {
            Rule::Everybody => true,
            Rule::AnyNode => client.is_some(),
            Rule::NamedNode => is_named,
            Rule::Classifier => is_named || is_one_of(&config.classifier_clients),
            Rule::Deployer => is_one_of(&config.deployers),
            Rule::AuthorityClient => client.is_some_and(|client| {
                client.extensions.iter().any(|(name, value)| name == CLI_AUTHORIZATION && value == "true")
            }),
            Rule::Nobody => false,
        }
    }

    /// What the endpoint requires of its clients, if it manages the authority.
    pub(crate) fn requirement(&self) -> Option<&'static str> {
        let text = "only a certificate with the extension pp_cli_auth may manage the certificate authority: the server's own has it, \
                    and those of `catwalk ca generate --ca-client`";
        (self.rule() == Rule::AuthorityClient).then_some(text)
    }
}
