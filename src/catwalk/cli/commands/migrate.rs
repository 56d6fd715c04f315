//! `catwalk migrate FROM TO`: what another version of Puppet changes on each node.

use std::io::IsTerminal;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::progress;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::site::puppet_version;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_migration as migration;
use catwalk_session::selection;
use catwalk_world::Disk;

/// Exit codes, as those of `diff`.
const SAME: u8 = 0;
const DIFFERENT: u8 = 1;
const TROUBLE: u8 = 2;

/// Arguments of `migrate`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The version before, such as 7
    #[arg(value_parser = puppet_version, value_name = "FROM")]
    pub from: Version,
    /// The version after, such as 8
    #[arg(value_parser = puppet_version, value_name = "TO")]
    pub to: Version,
    /// The nodes: names or globs [default: all nodes of the site]
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Format of the answer
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text
    Human,
    /// One document
    Json,
}

/// Compares and prints. Returns the exit code.
pub fn run(args: &Arguments) -> u8 {
    let logger = Logger::from_args(&args.site);
    match compare_versions(args, &logger) {
        Ok(code) => code,
        Err(reason) => {
            logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
            TROUBLE
        }
    }
}

fn compare_versions(args: &Arguments, logger: &Logger) -> Result<u8, Reason> {
    if args.site.puppet.is_some() {
        return Err(Reason::usage("the versions are the first two arguments").help("leave out --puppet"));
    }
    if args.site.record.is_some() {
        return Err(Reason::unsupported("--record when both sides are compiled").help("record with `catwalk compile`"));
    }
    let opened = options::for_comparison(&args.site, &Disk::new())?;
    let select = |session: &_| selection::select(&args.nodes, session);
    let found = migration::run(&opened, (args.from, args.to), &select, &|nodes| progress(nodes))?;
    let roots: Vec<String> = opened.root.iter().map(|root| root.to_string_lossy().into_owned()).collect();
    match args.format {
        Format::Human => {
            found.report.notes.iter().for_each(|note| logger.note(&format!("note: {note}")));
            let out = std::io::stdout();
            let color = out.is_terminal() && anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never;
            print(&for_people(&migration::human(&found, &roots, color)))?;
        }
        Format::Json => {
            let text = catwalk_value::json::pretty(&migration::json(&found, &roots));
            print(&text.map_err(Reason::runtime)?)?;
        }
    }
    Ok(match (found.is_nothing(), found.is_failure()) {
        (_, true) => TROUBLE,
        (true, _) => SAME,
        (false, _) => DIFFERENT,
    })
}
