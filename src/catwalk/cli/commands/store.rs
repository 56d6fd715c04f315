//! `catwalk store`: imports, queries, lists and removes nodes of a store file, and sends them to PuppetDB.
#![allow(rustdoc::broken_intra_doc_links, reason = "help texts contain references such as Type[title]")]

mod push;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_formats::wire;
use catwalk_session::site::Site;
use catwalk_store::NodeFixture;
use catwalk_store::QueryError;
use catwalk_store::Store;
use catwalk_store::StoreError;
use catwalk_value::data::yaml;
use catwalk_value::json::to_json;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Arguments of `store`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub action: Action,
}

/// Subcommands of `store`.
#[derive(Subcommand, Debug)]
pub enum Action {
    /// Put nodes into the store: fixtures in YAML or JSON, catalogs, facts, directories of catalogs
    Import(Import),
    /// Answer a query in PQL or as AST, with the documents that PuppetDB returns
    Query(Query),
    /// List the nodes of the store
    List(NamedFile),
    /// Delete nodes from the store
    Remove(Remove),
    /// Check that the file is not damaged
    Check(NamedFile),
    /// Send the catalogs and facts of the store, and the commands that wait in its queue, to PuppetDB
    Push(Box<push::Push>),
}

/// Which store.
#[derive(Args, Debug)]
pub struct File {
    /// The store [default: `store` of catwalk.toml]
    #[arg(long, value_name = "FILE.db")]
    pub store: Option<PathBuf>,
}

/// Arguments of `store list` and `store check`.
#[derive(Args, Debug)]
pub struct NamedFile {
    /// The store [default: `store` of catwalk.toml]
    #[arg(value_name = "FILE.db", conflicts_with = "store")]
    pub path: Option<PathBuf>,
    #[command(flatten)]
    pub file: File,
}

impl NamedFile {
    /// The store that an argument or the option names.
    fn file(&self) -> File {
        File { store: self.path.clone().or_else(|| self.file.store.clone()) }
    }
}

/// Arguments of `store import`.
#[derive(Args, Debug)]
pub struct Import {
    /// Files and directories
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub file: File,
}

/// Arguments of `store query`.
#[derive(Args, Debug)]
pub struct Query {
    /// The query, such as 'nodes[certname] { }' or '["from", "nodes"]'
    pub query: String,
    #[command(flatten)]
    pub file: File,
}

/// Arguments of `store remove`.
#[derive(Args, Debug)]
pub struct Remove {
    /// The nodes
    #[arg(required = true)]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub file: File,
}

/// Runs the subcommand. Returns the exit code.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let done = match &args.action {
        Action::Push(args) => return push::run(args, logger).unwrap_or_else(|reason| usage(logger, reason)),
        Action::Import(args) => import(args),
        Action::Query(args) => query(args),
        Action::List(args) => list(&args.file()),
        Action::Remove(args) => remove(args),
        Action::Check(args) => {
            open_existing(&args.file()).and_then(|store| store.check().map_err(|error| store_error(&error)))
        }
    };
    match done {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
    }
}

/// Prints an error without ending the command.
fn report_error(logger: &Logger, reason: Reason) {
    logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
}

fn store_error(error: &StoreError) -> Reason {
    error.reason()
}

/// The path of the store: that of the option, or of the site.
fn store_path(file: &File) -> Result<PathBuf, Reason> {
    if let Some(path) = &file.store {
        return options::absolute(path);
    }
    let world = Disk::new();
    let here = options::absolute(Path::new("."))?;
    let site = Site::find(&here, &world).map(|root| Site::open(&root, &world)).transpose()?;
    let place = site.and_then(|site| site.store).ok_or_else(|| {
        let reason = Reason::new(Code::BAD_STORE, "no store is set");
        reason.help("give --store FILE.db, or set `store` in [puppetdb] of catwalk.toml")
    })?;
    catwalk_session::store_path(&place)
}

fn open_existing(file: &File) -> Result<Store, Reason> {
    Store::open_existing(&store_path(file)?).map_err(|error| store_error(&error))
}

fn import(args: &Import) -> Result<(), Reason> {
    let world = Arc::new(Disk::new());
    let mut nodes = Vec::new();
    for path in &args.paths {
        let path = options::absolute(path)?;
        match world.kind(&path) {
            Kind::Directory => {
                let entries = world.list(&path).map_err(|refused| unreadable(&path, &refused))?;
                let files = entries.iter().filter(|entry| entry.kind == Kind::File);
                for (certname, name) in &wire::archive::files(files.map(|entry| &*entry.name)) {
                    nodes.extend(read_nodes(&path.join(name.as_ref()), Some(certname), world.as_ref())?);
                }
            }
            _ => nodes.extend(read_nodes(&path, path.file_stem().and_then(|stem| stem.to_str()), world.as_ref())?),
        }
    }
    let store = Store::open(&store_path(&args.file)?).map_err(|error| store_error(&error))?;
    let now = i64::try_from(world.now().as_millis()).unwrap_or(i64::MAX);
    store.put(&nodes, now).map_err(|error| store_error(&error))?;
    let plural = if nodes.len() == 1 { "" } else { "s" };
    print(&for_people(&format!("{} node{plural} stored in {}", nodes.len(), store.path().display())))
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Reason {
    Reason::new(Code::BAD_FIXTURE, format!("{}: {why}", path.display()))
}

/// The nodes of a file in YAML or JSON. `certname` is the node of a catalog without a name.
fn read_nodes(path: &Path, certname: Option<&str>, world: &dyn World) -> Result<Vec<NodeFixture>, Reason> {
    let bytes = world.read(path).map_err(|refused| unreadable(path, &refused))?;
    let document = match path.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => to_json(&yaml::parse(&bytes).map_err(|error| unreadable(path, &error))?),
        _ => serde_json::from_slice(&bytes).map_err(|error| unreadable(path, &error))?,
    };
    let document = without_secrets(document);
    let nodes = catwalk_store::read_fixture(&document, certname).map_err(|why| unreadable(path, &why))?;
    for catalog in nodes.iter().filter_map(|node| node.catalog.as_ref()) {
        catalog.check().map_err(|why| unreadable(path, &why))?;
    }
    Ok(nodes)
}

/// Replaces the secrets in a catalog, a command with a catalog, or each node of a fixture by tokens.
fn without_secrets(mut document: serde_json::Value) -> serde_json::Value {
    let catalogs: Vec<&mut serde_json::Value> = match document.get("nodes").is_some_and(serde_json::Value::is_object) {
        true => {
            let nodes = document.get_mut("nodes").and_then(serde_json::Value::as_object_mut);
            nodes.into_iter().flat_map(|nodes| nodes.values_mut()).collect()
        }
        false if document.get("payload").is_some() => document.get_mut("payload").into_iter().collect(),
        false => vec![&mut document],
    };
    for catalog in catalogs {
        let secrets = Secrets::from_document(catalog, &Key::default());
        *catalog = Redacted::for_submission(std::mem::take(catalog), &secrets).into_inner();
    }
    document
}

fn query(args: &Query) -> Result<(), Reason> {
    let rows = match open_existing(&args.file)?.query(&serde_json::Value::from(args.query.as_str())) {
        Ok(rows) => serde_json::Value::Array(rows),
        Err(QueryError::Bad(why)) => return Err(Reason::new(Code::BAD_QUERY, why)),
        Err(QueryError::Store(error)) => return Err(store_error(&error)),
    };
    print(&serde_json::to_string_pretty(&rows).map_err(|error| Reason::runtime(error.to_string()))?)
}

fn list(file: &File) -> Result<(), Reason> {
    let nodes = open_existing(file)?.nodes().map_err(|error| store_error(&error))?;
    let width = nodes.iter().map(|node| node.certname.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for node in &nodes {
        let catalog = match node.resources {
            Some(resources) => format!("{resources} resources, {} exported", node.exported),
            None => "no catalog".to_owned(),
        };
        let facts = node.facts.map_or("no facts".to_owned(), |facts| format!("{facts} facts"));
        let state = if node.deactivated { ", deactivated" } else { "" };
        text.push_str(&format!("{:width$}  {catalog}, {facts}{state}\n", node.certname));
    }
    print(&for_people(&text))
}

fn remove(args: &Remove) -> Result<(), Reason> {
    let store = open_existing(&args.file)?;
    let store = Store::open(store.path()).map_err(|error| store_error(&error))?;
    for certname in &args.certnames {
        if !store.remove(certname).map_err(|error| store_error(&error))? {
            let text = format!("{} has no node {certname}", store.path().display());
            return Err(Reason::new(Code::NO_SUCH_NODE, text));
        }
    }
    Ok(())
}
