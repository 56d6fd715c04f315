//! What a server asks of the site behind it.

use std::path::PathBuf;

/// The site behind a server. Requests are answered by several threads at once, and a call may take as long as a compile.
pub trait ServedSite: Send + Sync + 'static {
    /// The directories that hold environments.
    fn search_paths(&self) -> Vec<PathBuf>;

    /// All environments, sorted by name.
    fn environments(&self) -> Vec<EnvironmentSettings>;

    /// Whether an environment exists.
    fn has_environment(&self, name: &str) -> bool;

    /// The modules of an environment in the order of its modulepath: of two with one name only the first is there.
    ///
    /// # Errors
    /// The environment does not exist or its settings cannot be read.
    fn modules(&self, environment: &str) -> Result<Vec<ModuleDirectory>, Failure>;

    /// The definition of a node as JSON, as `GET /puppet/v3/node/NAME` answers it.
    ///
    /// # Errors
    /// The classifier fails or the environment does not exist.
    fn node(&self, request: &NodeRequest) -> Result<Vec<u8>, Failure>;

    /// A catalog as JSON, as `POST /puppet/v3/catalog/NAME` answers it.
    ///
    /// # Errors
    /// The catalog does not compile; facts are missing or not JSON.
    fn catalog(&self, request: &CatalogRequest) -> Result<Vec<u8>, Failure>;

    /// Keeps the facts of a node. `facts` is the body of `PUT /puppet/v3/facts/NAME`.
    ///
    /// # Errors
    /// The facts are not JSON or cannot be written.
    fn save_facts(&self, client: &Client, environment: &str, facts: &[u8]) -> Result<(), Failure>;

    /// Hands on a report and returns the names of the report processors that took it. `report` is the body of
    /// `PUT /puppet/v3/report/NAME`.
    ///
    /// # Errors
    /// The report is not JSON.
    fn save_report(&self, client: &Client, environment: &str, report: &[u8]) -> Result<Vec<String>, Failure>;
}

/// Who sent a request, as its certificate says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The certificate's common name.
    pub certname: String,
    /// The certificate's extensions in Puppet's namespace, by short name where there is one, otherwise by number.
    pub extensions: Vec<(String, String)>,
}

/// An environment, as `GET /puppet/v3/environments` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentSettings {
    /// Its name.
    pub name: String,
    /// The directories with its modules.
    pub modulepath: Vec<PathBuf>,
    /// Its main manifest: a file or directory.
    pub manifest: PathBuf,
    /// The command that prints the version of its code.
    pub config_version: Option<String>,
}

/// A module that is installed in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDirectory {
    /// Its name without that of its owner.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
}

/// Asks for the definition of a node.
#[derive(Clone, Debug, Default)]
pub struct NodeRequest {
    /// Who asks: the node itself.
    pub client: Client,
    /// The environment that the agent wants.
    pub environment: Option<String>,
    /// The environment of the agent's configuration.
    pub configured_environment: Option<String>,
    /// The number of the agent's run.
    pub transaction_uuid: Option<String>,
}

/// Asks for a catalog.
#[derive(Clone, Debug, Default)]
pub struct CatalogRequest {
    /// Who asks: the node itself.
    pub client: Client,
    /// The environment that the agent wants.
    pub environment: Option<String>,
    /// The environment of the agent's configuration.
    pub configured_environment: Option<String>,
    /// Whether the node's own environment is used where the wanted one does not exist.
    pub check_environment: bool,
    /// The facts as JSON (`name`, `values`, `timestamp`, `expiration`). `None`: those that are stored.
    pub facts: Option<Vec<u8>>,
    /// The number of the agent's run, for PuppetDB.
    pub transaction_uuid: Option<String>,
    /// Whether values that JSON cannot represent are written as rich data.
    pub rich_data: bool,
}

/// A request that a site cannot answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is: it decides the HTTP status.
    pub kind: FailureKind,
    /// Puppet's message.
    pub message: String,
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request is wrong.
    BadRequest,
    /// What it asks for does not exist.
    NotFound,
    /// The site failed: most often the catalog does not compile.
    Failed,
}
