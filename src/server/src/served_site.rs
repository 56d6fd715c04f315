//! The interface between a server and the site that it serves.

use std::path::PathBuf;
use std::sync::Arc;

use crate::facts::Facts;
use crate::shared_end::SharedEnd;
use catwalk_base::diag::Severity;
use catwalk_value::Hash;

/// The site that a server serves. Several threads call it at once, and a call may take as long as a compile.
pub trait ServedSite: Send + Sync + 'static {
    /// The directories that hold environments.
    fn search_paths(&self) -> Vec<PathBuf>;

    /// All environments, sorted by name.
    fn environments(&self) -> Vec<EnvironmentSettings>;

    /// Whether an environment exists.
    fn has_environment(&self, name: &str) -> bool;

    /// The modules of an environment in the order of its modulepath. Of modules with the same name, only the first is listed.
    ///
    /// # Errors
    /// The environment does not exist or its settings cannot be read.
    fn modules(&self, environment: &str) -> Result<Vec<ModuleDirectory>, Failure>;

    /// The definition of a node as JSON: the response to `GET /puppet/v3/node/NAME`.
    ///
    /// # Errors
    /// The classifier fails or the environment does not exist.
    fn node(&self, request: &NodeRequest) -> Result<Vec<u8>, Failure>;

    /// A catalog as JSON: the response to `POST /puppet/v3/catalog/NAME`.
    ///
    /// # Errors
    /// The catalog does not compile.
    fn catalog(&self, request: &CatalogRequest) -> Result<CatalogDocument, Failure>;

    /// Stores the facts of a node, which sent them with `PUT /puppet/v3/facts/NAME`.
    ///
    /// # Errors
    /// The facts cannot be written.
    fn save_facts(&self, client: &Client, environment: &str, facts: &Facts) -> Result<(), Failure>;

    /// Classifies a node that a request describes: the response to `POST /v1/classified/nodes/NAME`, or to `…/explanation`.
    ///
    /// # Errors
    /// Node groups conflict, or a classifier fails.
    fn classify(&self, request: &ClassificationRequest) -> Result<Vec<u8>, ClassificationFailure>;

    /// A deploy of an environment (`None`: of all) is complete: its files are used from now on.
    ///
    /// # Errors
    /// The files are still changing.
    fn deployed(&self, environment: Option<&str>) -> Result<(), Failure>;

    /// The classes of an environment as JSON: the response to `GET /puppet/v3/environment_classes`.
    ///
    /// # Errors
    /// The environment cannot be opened.
    fn environment_classes(&self, environment: &str) -> Result<Vec<u8>, Failure>;

    /// The modules of an environment (`None`: a list of all environments) as JSON: the response to `GET /puppet/v3/environment_modules`.
    ///
    /// # Errors
    /// An environment cannot be opened.
    fn environment_modules(&self, environment: Option<&str>) -> Result<Vec<u8>, Failure>;

    /// Passes a report to the report processors and returns the names of those that processed it. `report` is the body of
    /// `PUT /puppet/v3/report/NAME`.
    ///
    /// # Errors
    /// The report is not JSON.
    fn save_report(&self, client: &Client, environment: &str, report: &[u8]) -> Result<Vec<String>, Failure>;
}

/// Keeps a record of the requests that are being answered, so that one that ends the process is known afterwards.
pub trait Journal: Send + Sync {
    /// A request is about to be answered, such as `the catalog of web1 in environment production`. Returns the number for [`Journal::end`].
    ///
    /// # Errors
    /// The request must not be answered; the error is a sentence for its client.
    fn begin(&self, request: &str) -> Result<u64, String>;

    /// The request with this number has been answered.
    fn end(&self, id: u64);
}

/// The client that sent a request, identified by its certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The certificate's common name.
    pub certname: String,
    /// The certificate's extensions in Puppet's namespace: the short name, or the OID if it has no short name, and the value.
    pub extensions: Vec<(String, String)>,
    /// The certificate's alternative names: the kind as `auth.conf` names it (`dns-name`, `ip`, `uri`, `rfc822-name`), and the name.
    pub alt_names: Vec<(&'static str, String)>,
}

/// An environment in the response to `GET /puppet/v3/environments`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentSettings {
    pub name: String,
    /// The directories with its modules.
    pub modulepath: Vec<PathBuf>,
    /// Its main manifest: a file or directory.
    pub manifest: PathBuf,
    /// The command that prints the version of its code (`config_version`).
    pub config_version: Option<String>,
}

/// A module that is installed in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDirectory {
    /// The name without the author: `stdlib`, not `puppetlabs-stdlib`.
    pub name: String,
    pub path: PathBuf,
}

/// A catalog as JSON.
#[derive(Debug)]
pub enum CatalogDocument {
    /// The whole document.
    Whole(Vec<u8>),
    /// A kept document: its beginning, which is new, and the rest.
    Kept(Vec<u8>, Arc<SharedEnd>),
}

impl CatalogDocument {
    /// The whole document.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn into_bytes(self) -> std::io::Result<Vec<u8>> {
        match self {
            CatalogDocument::Whole(document) => Ok(document),
            CatalogDocument::Kept(beginning, end) => end.plain(&beginning),
        }
    }
}

/// A request for the definition of a node.
#[derive(Clone, Debug, Default)]
pub struct NodeRequest {
    /// The node, which sent the request.
    pub client: Client,
    /// The environment that the agent requests.
    pub environment: Option<String>,
    /// The environment of the agent's configuration.
    pub configured_environment: Option<String>,
    /// The UUID of the agent's run.
    pub transaction_uuid: Option<String>,
}

/// A request for a catalog.
#[derive(Clone, Debug, Default)]
pub struct CatalogRequest {
    /// The node, which sent the request.
    pub client: Client,
    /// The environment that the agent requests.
    pub environment: Option<String>,
    /// The environment of the agent's configuration.
    pub configured_environment: Option<String>,
    /// Whether to use the environment of the node's definition if the requested one does not exist.
    pub check_environment: bool,
    /// The facts of the node. `None`: use the stored facts.
    pub facts: Option<Facts>,
    /// The UUID of the agent's run, for PuppetDB.
    pub transaction_uuid: Option<String>,
    /// Whether values that JSON cannot represent are written as rich data.
    pub rich_data: bool,
    /// Set if a client other than the node requests the catalog: the name of the node is then not that of a certificate.
    pub on_behalf: Option<OnBehalf>,
}

impl CatalogRequest {
    /// Whether the facts are recorded: those of an agent always.
    #[must_use]
    pub fn saves_facts(&self) -> bool {
        self.on_behalf.as_ref().is_none_or(|behalf| behalf.saves_facts)
    }

    /// Whether the catalog is recorded: that of an agent always.
    #[must_use]
    pub fn saves_catalog(&self) -> bool {
        self.on_behalf.as_ref().is_none_or(|behalf| behalf.saves_catalog)
    }

    /// Whether the requested environment overrides the one that a classifier assigns.
    #[must_use]
    pub fn prefers_environment(&self) -> bool {
        self.on_behalf.as_ref().is_some_and(|behalf| behalf.prefers_environment)
    }
}

/// What the client decides that requests the catalog of a different node: the response is `{"catalog", "logs"}`, without rich data.
#[derive(Clone, Debug, Default)]
pub struct OnBehalf {
    /// `$trusted`. `None`: the fact `trusted`.
    pub trusted: Option<Arc<Hash>>,
    /// Whether to record the facts.
    pub saves_facts: bool,
    /// Whether to record the catalog.
    pub saves_catalog: bool,
    /// Whether to compile in the requested environment even if a classifier assigns another.
    pub prefers_environment: bool,
    /// The least level of the messages of the compile that the response has. `None`: it has none.
    pub logs: Option<Severity>,
}

/// A request for the classification of a node.
#[derive(Clone, Debug, Default)]
pub struct ClassificationRequest {
    /// The node's name, as received.
    pub name: String,
    /// Its facts.
    pub facts: Arc<Hash>,
    /// Its trusted facts.
    pub trusted: Arc<Hash>,
    /// The node itself, if it asks about itself only: its certificate decides its trusted facts, not what it sends.
    pub asking_node: Option<Client>,
    /// Whether the explanation is requested.
    pub explains: bool,
}

/// The reason why a node cannot be classified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassificationFailure {
    /// Node groups conflict: the service's error document, as JSON.
    Conflict(Vec<u8>),
    /// A classifier failed: a message.
    Failed(String),
    /// The files of the site are being changed: a message.
    Busy(String),
}

/// The reason why a site has no response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure, which decides the HTTP status.
    pub kind: FailureKind,
    /// Puppet's message.
    pub message: String,
}

/// Kinds of failures of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request is invalid.
    BadRequest,
    /// The requested object does not exist.
    NotFound,
    /// The files of the site are being changed: the client must try again later.
    Busy,
    /// The site failed, usually because the catalog does not compile.
    Failed,
}
