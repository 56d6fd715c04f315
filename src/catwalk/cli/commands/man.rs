//! `catwalk man DIR`: manual pages generated from the description of the arguments.

use std::path::PathBuf;

use clap::Args;
use clap::Command;
use clap_mangen::Man;

use crate::cli::Logger;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::completions::visible;
use crate::cli::options;
use catwalk_base::diag::Reason;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Kind;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// Directories of manual pages.
static PAGES: Purpose =
    Purpose { name: "pages", description: "manual pages", option: "`catwalk man DIR`", contents: Contents::Mixed };

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The directory for the pages: catwalk.1, catwalk-compile.1 …
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the pages.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    match write(args) {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
    }
}

fn write(args: &Arguments) -> Result<(), Reason> {
    let folder = options::absolute(&args.folder)?;
    let directory = Directory::open(&Place::named(&folder), &PAGES)?;
    let unwritable = |error: std::io::Error| Reason::runtime(format!("cannot write {}: {error}", folder.display()));
    let mut program = visible(crate::cli::help::command()).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    collect(&program, &mut pages).map_err(unwritable)?;
    for (name, page) in &pages {
        directory.write(name, Kind::Document, page).map_err(unwritable)?;
    }
    print(&format!("{} pages in {}", pages.len(), args.folder.display()))
}

/// Collects the pages of a command and its subcommands, with their file names.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    pages.push((man.get_filename(), text));
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|command| collect(command, pages))
}
