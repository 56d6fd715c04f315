//! `catwalk watch [CERTNAME…]`

mod lines;
mod terminal;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::cli::Logger;
use crate::cli::options;
use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use crate::cli::site::SuiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::site;
use catwalk_snapshot::suite;
use catwalk_watch::Follower;
use catwalk_watch::Lines;
use catwalk_watch::WatchOptions;
use catwalk_watch::WatchOutput;
use catwalk_watcher::Waker;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::disable_large_pages;

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct Watch {
    /// Nodes to compile: names or patterns such as 'web*' [default: all nodes of the site]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
    /// Poll for changes at this interval in milliseconds instead of using the system's file events
    #[arg(long, value_name = "MS", num_args = 0..=1, default_missing_value = "500")]
    pub poll: Option<u64>,
    /// Print lines instead of the full screen; the default without a terminal
    #[arg(long)]
    pub plain: bool,
    /// Print events as JSON, one per line
    #[arg(long)]
    pub json: bool,
    /// Run a command with `sh -c` after each change of a catalog or an error; its arguments are the affected nodes
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// End after the first change that compiles nodes or changes the result of a case; the exit code is 1 if one fails
    #[arg(long)]
    pub once: bool,
}

/// Compiles, then shows the changes of every edit until the user stops it.
pub fn run(args: &Watch) -> u8 {
    // Small pages: clearing a large page takes longer than processing an edit. A single compile is faster with large pages.
    disable_large_pages();
    let logger = Logger::from_args(&args.site);
    match watch(args, &logger) {
        Ok(code) => code,
        Err(reason) => {
            let code = if reason.code == Code::USAGE || reason.code == Code::BAD_SITE { 2 } else { 1 };
            print_error(&logger, reason);
            code
        }
    }
}

fn print_error(logger: &Logger, reason: Reason) {
    logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
}

fn watch(args: &Watch, logger: &Logger) -> Result<u8, Reason> {
    let world = Arc::new(Disk::new());
    let site = site_options(&args.site, world.as_ref())?;
    let options = WatchOptions {
        certnames: args.certnames.clone(),
        poll: args.poll.map(Duration::from_millis),
        exec: args.exec.clone(),
        once: args.once,
    };
    let prints_lines = args.plain || args.json || args.once || args.site.log_format != LogFormat::Human;
    let is_full = !prints_lines && terminal::is_possible();
    let for_output = world.clone();
    let mut open_output = |session: &Session, waker: Waker| -> Result<Box<dyn WatchOutput>, Reason> {
        match is_full {
            true => Ok(Box::new(terminal::open(waker, for_output.clone(), session)?)),
            false => {
                let writer = Box::new(lines::Printer { logger: *logger });
                Ok(Box::new(Lines::new(writer, args.json, for_output.clone(), session)))
            }
        }
    };
    Follower::open(options, site, world, &mut open_output)?.run()
}

/// The options of a site, which may also be a module, or of a module with tests.
fn site_options(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let key = options::key_source();
    let mut options = Options { key, ..options::with_optional_site(args, world)? };
    let is_site =
        |root: &PathBuf| [site::FILE, "environment.conf"].iter().any(|name| world.kind(&root.join(name)) == Kind::File);
    if args.execute.is_none() && args.manifest.is_none() && !options.root.as_ref().is_some_and(is_site) {
        let start = options.root.take().map_or_else(options::current_dir, Ok)?;
        if suite::in_module(&start, &mut options, world)?.is_some() {
            return Ok(options);
        }
    }
    let mut options = Options { key, ..options::session(args, world)? };
    if let Some(root) = options.root.clone() {
        suite::with_module(&root, &mut options, world)?;
    }
    Ok(options)
}
