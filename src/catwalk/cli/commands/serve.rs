//! `catwalk serve`: catalogs and files for unmodified agents over HTTPS.

mod autosign;
pub(crate) mod certificates;
mod classifier;
mod puppet_config;
mod reports;

use catwalk_node::facts::Agent;
use catwalk_node::server_version_facts;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;
use serde_json::json;

use crate::cli::Logger;
use crate::cli::commands::compile::usage;
use crate::cli::commands::serve::certificates::CertificateArgs;
use crate::cli::commands::serve::classifier::ClassifierArgs;
use crate::cli::commands::serve::puppet_config::PuppetConfig;
use crate::cli::commands::serve::reports::ReportTarget;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::submission::SubmitArgs;
use catwalk_agent_site::AgentSite;
use catwalk_agent_site::Console;
use catwalk_agent_site::Detection;
use catwalk_agent_site::Environments;
use catwalk_agent_site::Keeping;
use catwalk_agent_site::Layout;
use catwalk_agent_site::Records;
use catwalk_agent_site::ReportProcessor;
use catwalk_agent_site::ServeLog;
use catwalk_agent_site::untrusted_site;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_server::BucketConfig;
use catwalk_server::ClassifierClient;
use catwalk_server::Config;
use catwalk_server::Limits;
use catwalk_server::Listeners;
use catwalk_server::Metrics;
use catwalk_session::Options;
use catwalk_session::oid_names;
use catwalk_session::site::Site;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;
use catwalk_world::disable_large_pages;
use catwalk_world::output::Place;

/// The default address: Puppet's port, reachable only from this machine.
const LISTEN: &str = "127.0.0.1:8140";

/// Arguments of `serve`.
#[derive(Args, Debug, Clone)]
pub struct Serve {
    /// The address to listen on; 0.0.0.0:8140 for agents of other machines
    #[arg(long, value_name = "ADDRESS:PORT", default_value = LISTEN)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub certificates: CertificateArgs,
    #[command(flatten)]
    pub classifier: ClassifierArgs,
    /// Serve the environments in these directories instead of one site
    #[arg(long, value_name = "A:B", conflicts_with_all = ["site", "manifest", "execute"])]
    pub environmentpath: Option<String>,
    /// Write catalogs and facts to this store, which collectors and puppetdb_query read [default: catwalk.toml]
    #[arg(long, value_name = "FILE.db")]
    pub store: Option<PathBuf>,
    /// Write the reports of agents to this directory, as CERTNAME/TIME.json
    #[arg(long, value_name = "DIR")]
    pub reports: Option<PathBuf>,
    /// Pass reports to a processor: `log`, `store=DIR` (YAML files as Puppet writes them), the URL of a web server, or a script FILE.rhai with
    /// `fn report(report)` (repeatable)
    #[arg(long, value_name = "PROCESSOR", value_parser = reports::report_target)]
    pub report_processor: Vec<ReportTarget>,
    /// Use the settings for servers in this puppet.conf ([server], [master], [main]); options win
    #[arg(long, value_name = "FILE")]
    pub puppet_config: Option<PathBuf>,
    /// Compare all files before each request instead of using the system's file events (network and container mounts)
    #[arg(long, conflicts_with = "deploys_by")]
    pub poll: bool,
    /// When changed files are in use: once no file has changed for 200 ms and git holds no lock, or when a deploy tool has sent
    /// `DELETE /puppet-admin-api/v1/environment-cache` (also valid with `quiet`)
    #[arg(long, value_name = "HOW", value_enum, default_value_t = DeploysBy::Quiet)]
    pub deploys_by: DeploysBy,
    /// The memory for kept catalogs of each environment in MB: a request gets the catalog of an earlier one while nothing has changed that
    /// its compile used; 0 compiles for each request
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(0..=65536), hide_short_help = true)]
    pub keep_catalogs: u32,
    /// Say in the log why a catalog was compiled, not kept: which file, fact or question
    #[arg(long, hide_short_help = true)]
    pub explain_kept: bool,
    /// A client that may announce deploys, list classes and modules and request catalogs of other nodes, besides this server's own
    /// certificate: its certname, a pattern such as *.example.com, or an extension of its certificate such as pp_role=deploy (repeatable)
    #[arg(long, value_name = "CLIENT")]
    pub deployer: Vec<String>,
    /// Decide who may send which request by this file in the format of puppetserver's `auth.conf`, not by the built-in rules
    #[arg(long, value_name = "FILE")]
    pub auth_config: Option<PathBuf>,
    /// Serve the mounts of this file in the format of Puppet's `fileserver.conf` (sections `[NAME]` with `path DIR`)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub fileserver_config: Option<PathBuf>,
    /// Keep files that agents change in a file bucket in this directory, which has no other files
    #[arg(long, value_name = "DIR")]
    pub bucket: Option<PathBuf>,
    /// The most bytes of all files in the bucket, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 10 << 10, requires = "bucket", hide_short_help = true)]
    pub bucket_size: u64,
    /// Send catalogs, facts and reports to PuppetDB
    #[arg(long)]
    pub submit: bool,
    /// The most simultaneous connections; fewer if the system allows fewer open files (`ulimit -Hn`)
    #[arg(long, value_name = "N", default_value_t = Limits::CONNECTIONS, hide_short_help = true)]
    pub connections: usize,
    /// The memory for the bodies of all requests at a time, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::REQUEST_MEMORY >> 20, hide_short_help = true)]
    pub request_memory: usize,
    /// The most certificate requests that wait to be signed
    #[arg(long, value_name = "N", default_value_t = Limits::WAITING_CERTIFICATE_REQUESTS, hide_short_help = true)]
    pub waiting_requests: usize,
    #[command(flatten)]
    pub puppetdb: SubmitArgs,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// When changed files are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DeploysBy {
    Quiet,
    Hook,
}

/// Arguments of the process that `serve` supervises.
#[derive(Args, Debug)]
pub struct SupervisedServe {
    /// What the supervisor passes on
    #[arg(long, value_name = "JSON")]
    pub start: String,
    #[command(flatten)]
    pub serve: Serve,
}

/// Serves until a signal ends it. `start`: what the supervisor passes on to the process that serves.
pub fn run(args: &Serve, start: Option<&str>) -> u8 {
    disable_large_pages();
    let logger = Logger::from_args(&args.site);
    match run_process(args, start, logger) {
        Ok(code) => code,
        Err(reason) => {
            let code = if reason.code == Code::SERVER_FAILED { 1 } else { 2 };
            usage(&logger, reason);
            code
        }
    }
}

fn server_error(error: impl std::fmt::Display) -> Reason {
    Reason::new(Code::SERVER_FAILED, error.to_string())
}

/// Supervises a process that serves, or is this process.
#[cfg(unix)]
fn run_process(args: &Serve, start: Option<&str>, logger: Logger) -> Result<u8, Reason> {
    match start {
        None => catwalk_supervisor::run(args.listen, &logger),
        Some(start) => {
            let start = catwalk_supervisor::Start::read(start)?;
            catwalk_supervisor::end_with(start.parent)?;
            serve(args, &start, logger).map(|()| 0)
        }
    }
}

#[cfg(not(unix))]
fn run_process(_: &Serve, _: Option<&str>, _: Logger) -> Result<u8, Reason> {
    Err(server_error("catwalk serve runs on Unix only"))
}

#[cfg(unix)]
fn serve(args: &Serve, start: &catwalk_supervisor::Start, logger: Logger) -> Result<(), Reason> {
    let puppet_config = PuppetConfig::of(args)?;
    let args = &puppet_config.as_ref().map_or_else(|| Ok(args.clone()), |config| config.complete(args))?;
    let mut options = site_options(args)?;
    if let Some(config) = &puppet_config {
        options.set.splice(0..0, config.for_compiles()?);
        if let Some(text) = config.ignored().filter(|_| !start.is_restart) {
            logger.note(&text);
        }
    }
    let home = args.environment_paths()?.and_then(|paths| paths.into_iter().next()).or_else(|| options.root.clone());
    let certificates = args.certificates.source(args.listen, home.as_deref())?;
    let site = match &options.root {
        Some(root) => Site::open(root, &Disk::new())?,
        None => Site::default(),
    };
    let console = Arc::new(Console::new(Arc::new(logger), certificates.sign_command()));
    let submit = if args.submit {
        Some(catwalk_agent_site::start_sending(args.puppetdb.open(&site)?, Arc::new(logger))?)
    } else {
        None
    };
    let log: Arc<dyn ServeLog> = console.clone();
    let reports = reports::processors(args, &certificates, &log)?;
    let outputs = reports.iter().filter_map(ReportProcessor::folder).map(Path::to_path_buf).collect();
    let records = Records::open(options.store.as_ref(), submit, reports, &certificates.certname, log)?;
    let complete = options.clone().with_site(&site);
    let version = complete.puppet.unwrap_or_default();
    let server_facts = server_facts(&certificates.certname, version);
    let environments = Arc::new(environments(args, options, complete.environment, outputs, console.clone())?);
    let metrics = Arc::<Metrics>::default();
    let agent_site = AgentSite::new(environments.clone(), records, server_facts, console.clone());
    let keeping = Keeping { bytes: (args.keep_catalogs as usize) << 20, explains: args.explain_kept };
    let agent_site = agent_site.with_metrics(metrics.clone()).keeping(keeping);
    let listener = catwalk_supervisor::inherited_listener()?;
    let address = listener.local_addr().map_err(server_error)?;
    let classifier = args.classifier.listen()?;
    let classifier_address =
        classifier.as_ref().map(|listener| listener.local_addr()).transpose().map_err(server_error)?;
    let config = Config {
        certificates: certificates.source.clone(),
        puppet_version: version.release.to_owned(),
        classifier_clients: args.classifier.clients(&certificates)?,
        metrics,
        deployers: args.deployers(&certificates.certname)?,
        auth: args.auth_config.as_deref().map(options::absolute).transpose()?,
        extension_names: extension_names(&complete.set)?,
        fileserver: args.fileserver_config.as_deref().map(options::absolute).transpose()?,
        bucket: args.bucket()?,
        limits: Limits {
            connections: args.connections,
            request_memory: args.request_memory.saturating_mul(1 << 20),
            waiting_certificate_requests: args.waiting_requests,
            ..Limits::default()
        },
        log: Arc::new(move |event| console.event(event)),
        progress: Arc::new(move |text| logger.note(text)),
    };
    let is_restart = start.is_restart;
    let listening = || {
        let certname = &certificates.certname;
        let message = if is_restart { "listening again" } else { "listening" };
        let text = format!("{message} on https://{address} as {certname}");
        let object = json!({
            "level": "info", "message": message, "address": address.to_string(), "certname": certname,
        });
        if let Some(address) = classifier_address {
            let object = json!({ "level": "info", "message": "classifying", "address": address.to_string() });
            logger.line(&format!("classifying on http://{address} for programs of this machine"), &object);
        }
        logger.line(&text, &object);
        if let Some(command) = certificates.try_out(address).filter(|_| !is_restart) {
            logger.note(&command);
        }
    };
    let journal = Arc::new(catwalk_supervisor::Journal::new(start));
    let listeners = Listeners { agents: vec![listener], classifier };
    catwalk_supervisor::serve(config, agent_site, listeners, environments, journal, Arc::new(logger), listening)
}

impl Serve {
    /// The clients that may announce deploys.
    ///
    /// # Errors
    /// A client is empty or would be everybody.
    fn deployers(&self, own_name: &str) -> Result<Vec<ClassifierClient>, Reason> {
        let named = self.deployer.iter().map(|text| classifier::client("--deployer", text));
        let own = ClassifierClient::Certname(own_name.to_owned());
        let manager = ClassifierClient::Extension("pp_cli_auth".to_owned(), "true".to_owned());
        named.chain([Ok(own), Ok(manager)]).collect()
    }

    fn bucket(&self) -> Result<Option<BucketConfig>, Reason> {
        let Some(directory) = &self.bucket else { return Ok(None) };
        let max_bytes = self.bucket_size.saturating_mul(1 << 20);
        Ok(Some(BucketConfig { directory: options::absolute(directory)?, max_bytes }))
    }

    fn detection(&self) -> Detection {
        match self.deploys_by {
            _ if self.poll => Detection::Polling,
            DeploysBy::Quiet => Detection::Events,
            DeploysBy::Hook => Detection::Hook,
        }
    }

    fn environment_paths(&self) -> Result<Option<Vec<PathBuf>>, Reason> {
        let Some(list) = &self.environmentpath else { return Ok(None) };
        let paths = list.split(':').filter(|part| !part.is_empty()).map(|part| options::absolute(part.as_ref()));
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        #[allow(clippy::disallowed_methods, reason = "what the user named")]
        let missing = paths.iter().find(|path| !path.is_dir());
        match missing {
            Some(path) => Err(Reason::usage(format!("--environmentpath: no directory {}", path.display()))),
            None if paths.is_empty() => Err(Reason::usage("--environmentpath names no directory")),
            None => Ok(Some(paths)),
        }
    }
}

/// The environments to serve. `environment`: that of a single site; `outputs`: directories that the server writes.
fn environments(
    args: &Serve,
    options: Options,
    environment: Option<String>,
    outputs: Vec<PathBuf>,
    console: Arc<Console>,
) -> Result<Environments, Reason> {
    let named = options.environment.clone();
    let layout = match args.environment_paths()? {
        Some(paths) => Layout::Path(paths),
        None => Layout::Site(environment.unwrap_or_else(|| "production".to_owned())),
    };
    let environments = Environments::new(layout, named, options, console);
    Ok(environments.with_detection(args.detection()).without_outputs(outputs))
}

/// The options of all environments.
///
/// # Errors
/// There is no site, an option belongs to a single node, or the code is untrusted.
fn site_options(args: &Serve) -> Result<Options, Reason> {
    let site_args = &args.site;
    let node_options = [
        ("--facts", site_args.facts.is_some()),
        ("--fact", !site_args.fact.is_empty()),
        ("--trusted", site_args.trusted.is_some()),
        ("--record", site_args.record.is_some()),
        ("--replay", site_args.replay.is_some()),
    ];
    if let Some((name, _)) = node_options.iter().find(|(_, is_set)| *is_set) {
        let text = format!("{name} does not apply to serve: agents send their facts and certificates");
        return Err(Reason::usage(text).help("`catwalk compile` compiles a node with the facts of a file"));
    }
    if site_args.untrusted || options::is_untrusted() {
        return Err(untrusted_site());
    }
    let world = Disk::new();
    let mut options = match args.environmentpath {
        None => options::session(site_args, &world)?,
        Some(_) => Options { root: None, ..options::with_optional_site(site_args, &world)? },
    };
    if options.untrusted {
        return Err(untrusted_site());
    }
    options.store = args.store.as_deref().map(options::absolute).transpose()?.map(Place::named);
    if options.store.is_none()
        && let Some(root) = &options.root
    {
        options.store = Site::open(root, &world)?.store;
    }
    Ok(options)
}

/// The short names of certificate extensions that the setting `trusted_oid_mapping_file` defines, with their object identifiers.
fn extension_names(settings: &[(String, String)]) -> Result<Vec<(String, String)>, Reason> {
    let path =
        settings.iter().rev().find(|(name, _)| name == "trusted_oid_mapping_file").map(|(_, path)| path.as_str());
    let names = oid_names(path, &Disk::new())?;
    let name = |(oid, name): (&Value, &Value)| Some((name.as_str()?.to_owned(), oid.as_str()?.to_owned()));
    Ok(names.iter().filter_map(name).collect())
}

/// `$server_facts` of this server (Puppet::Resource::Catalog::Compiler#set_server_facts).
fn server_facts(certname: &str, version: Version) -> Hash {
    let facts = catwalk_run::machine_facts(Agent::new(version, None));
    let address = match facts.get("networking") {
        Some(Value::Hash(networking)) => networking.get("ip").cloned(),
        _ => None,
    };
    let mut server = server_version_facts(version);
    server.set("servername", Value::str(certname));
    server.set("serverip", address.unwrap_or_else(|| Value::str("127.0.0.1")));
    server
}
