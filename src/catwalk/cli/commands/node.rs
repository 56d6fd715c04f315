//! `catwalk node`: the nodes of a site, and the node object that a compile starts from, with the origin of every value.

use std::sync::Arc;

use clap::Args;
use clap::Subcommand;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::visible;
use catwalk_node::classify::ClassificationPart;
use catwalk_session::NodeReport;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::Disk;

/// Arguments of `node`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands of `node`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print a node object: classes, variables, environment, trusted data, facts
    Show(Show),
    /// List the nodes of the site
    List(List),
}

/// Arguments of `node list`.
#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Arguments of `node show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The node
    pub certname: String,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Show the source of every value
    #[arg(long)]
    pub explain: bool,
    /// Format of the answer
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// One document
    Json,
}

/// Shows or lists nodes.
pub fn run(args: &Arguments) -> u8 {
    match &args.command {
        Command::Show(args) => show(args),
        Command::List(args) => list(args),
    }
}

fn list(args: &List) -> u8 {
    let logger = Logger::new(args.site.log_format);
    let world = Arc::new(Disk::new());
    let opened = options::session(&args.site, world.as_ref()).and_then(|options| Session::open(options, world));
    let listed = opened.and_then(|session| {
        let names = session.nodes()?.into_keys().map(|name| format!("{}\n", visible::line(&name))).collect::<String>();
        print(&for_people(&names))
    });
    match listed {
        Ok(()) => 0,
        Err(reason) => usage(&logger, reason),
    }
}

fn show(args: &Show) -> u8 {
    let logger = Logger::new(args.site.log_format);
    let world = Arc::new(Disk::new());
    let opened = options::with_optional_site(&args.site, world.as_ref())
        .and_then(|options| Session::open(options, world.clone()));
    let session = match opened {
        Ok(session) => session,
        Err(reason) => return usage(&logger, reason),
    };
    let name = args.certname.to_lowercase();
    let report = match session.node_report(&name) {
        Ok(report) => report,
        Err(diagnostic) => {
            logger.write(&diagnostic, session.sources(), Some(&name));
            return 1;
        }
    };
    for line in &report.logs {
        logger.write(line, session.sources(), Some(&name));
    }
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&to_json(&report.document(args.explain))).unwrap_or_default(),
        Format::Human => for_people(&render_human(&report, args.explain)).into_owned(),
    };
    match print(&report.secrets.redact(&text)) {
        Ok(()) => 0,
        Err(reason) => {
            logger.write(&Diagnostic::new(reason, None), session.sources(), None);
            1
        }
    }
}

fn render_human(report: &NodeReport, explain: bool) -> String {
    let node = &report.node;
    let mut rows: Vec<(usize, String, Arc<str>)> = Vec::new();
    let mut row = |indent: usize, text: String, origin: Arc<str>| rows.push((indent, text, origin));
    let origin = |part: ClassificationPart| report.origin(&part).unwrap_or_default();
    let none = || Arc::<str>::from("");
    row(0, format!("environment  {}", node.environment), report.environment.clone());
    if !node.classes.is_empty() {
        row(0, "classes".to_owned(), none());
    }
    for (class, parameters) in &node.classes {
        row(2, class.to_string(), origin(ClassificationPart::Class(class.clone())));
        for (name, value) in parameters.iter().flat_map(|parameters| parameters.iter()) {
            let name: Arc<str> = Arc::from(name.as_str().unwrap_or_default());
            let from = origin(ClassificationPart::Parameter(class.clone(), name.clone()));
            row(4, format!("{name} => {}", to_json(value)), from);
        }
    }
    if !node.parameters.is_empty() {
        row(0, "variables".to_owned(), none());
    }
    for (name, value) in &node.parameters {
        row(2, format!("${name} = {}", to_json(value)), origin(ClassificationPart::Variable(name.clone())));
    }
    if !node.data.is_empty() {
        row(0, "data".to_owned(), none());
    }
    for (key, value) in node.data.iter() {
        let key: Arc<str> = Arc::from(key.as_str().unwrap_or_default());
        row(2, format!("{key}: {}", to_json(value)), origin(ClassificationPart::Data(key.clone())));
    }
    let mut add_section = |title: &str, hash: &Hash, origin: &dyn Fn(&str) -> Arc<str>| {
        row(0, title.to_owned(), none());
        for (name, value) in hash.iter() {
            let name = name.as_str().unwrap_or_default();
            row(2, format!("{name}: {}", abbreviate(value, explain)), origin(name));
        }
    };
    add_section("trusted", &node.trusted, &|name| report.trusted_origin(name));
    add_section("server facts", &node.server_facts, &|name| report.server_origin(name));
    add_section("facts", &node.facts, &|name| report.fact_origin(name));
    let width = rows.iter().map(|(indent, text, _)| indent + text.chars().count()).filter(|width| *width <= 44).max();
    let width = width.unwrap_or(0);
    let mut text = format!("{}\n", visible::line(&node.certname));
    for (indent, line, origin) in rows {
        if explain && !origin.is_empty() {
            let line = format!("{:indent$}{line}", "");
            text.push_str(&format!("  {line:width$}  # {origin}\n"));
        } else {
            text.push_str(&format!("  {:indent$}{line}\n", ""));
        }
    }
    text
}

/// A value on one line; long values are truncated.
fn abbreviate(value: &Value, explain: bool) -> String {
    let text = to_json(value).to_string();
    let limit = if explain { 48 } else { 90 };
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text,
    }
}
