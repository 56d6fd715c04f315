//! `catwalk data unused`: keys of data files that no node uses.

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
use catwalk_session::Session;
use catwalk_session::selection;
use catwalk_world::Disk;

/// Arguments of `data`.
#[derive(Args, Debug)]
pub struct Data {
    /// The subcommand.
    #[command(subcommand)]
    pub command: DataCommand,
}

/// Commands on data.
#[derive(Subcommand, Debug)]
pub enum DataCommand {
    /// Compile nodes and list the keys of data files that none of them uses, and those that look mistyped
    Unused(Unused),
}

/// Arguments of `data unused`.
#[derive(Args, Debug)]
pub struct Unused {
    /// Nodes to compile [default: all nodes of the site]
    #[arg(long, value_name = "CERTNAME", num_args = 1.., value_delimiter = ',')]
    pub nodes: Vec<String>,
    /// Also list keys in the data of modules
    #[arg(long)]
    pub modules: bool,
    /// Format of the list
    #[arg(long, value_enum, default_value = "human")]
    pub format: ListFormat,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Forms of the list.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ListFormat {
    /// A line for each key
    #[default]
    Human,
    /// One JSON document
    Json,
}

/// Runs the subcommand. Returns the exit code.
pub fn run(args: &Data) -> u8 {
    let DataCommand::Unused(args) = &args.command;
    unused(args)
}

fn unused(args: &Unused) -> u8 {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let session = options::session(&args.site, world.as_ref()).and_then(|options| Session::open(options, world));
    let opened = session.and_then(|session| Ok((selection::select(&args.nodes, &session)?, session)));
    let (names, session) = match opened {
        Ok(opened) => opened,
        Err(reason) => return usage(&logger, reason),
    };
    let report = match session.unused_data(&names, args.modules) {
        Ok(report) => report,
        Err(failure) => {
            logger.write(&failure, session.sources(), None);
            return 1;
        }
    };
    for (name, failure) in &report.failed {
        logger.write(failure, session.sources(), Some(name));
    }
    let text = match args.format {
        ListFormat::Human => for_people(&report.render_human(session.options.root.as_deref())).into_owned(),
        ListFormat::Json => report.render_json(session.options.root.as_deref()),
    };
    if let Err(reason) = print(&text) {
        logger.write(&Diagnostic::new(reason, None), session.sources(), None);
        return 1;
    }
    u8::from(!report.findings.is_empty() || !report.failed.is_empty())
}
