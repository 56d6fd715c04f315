//! `catwalk facts import`: facts of real nodes as files of the site's folder of nodes, `CERTNAME.json`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::facts::load;
use crate::cli::options;
use crate::cli::options::NamedFiles;
use crate::cli::submission::SubmitArgs;
use catwalk_base::diag::Reason;
use catwalk_scaffold::ImportOptions;
use catwalk_scaffold::NODES_FOLDER;
use catwalk_session::site::Site;
use catwalk_world::Disk;

/// Arguments of `facts import`.
#[derive(Args, Debug)]
#[command(
    mut_arg("queue", |arg| arg.hide(true)),
    mut_arg("retries", |arg| arg.hide(true)),
    mut_arg("puppetdb_timeout", |arg| arg.hide(true)),
    after_help = "Exit codes: 0 all facts are in the folder; 1 files with different facts were left as they are; 2 nothing was written"
)]
pub struct Import {
    /// Files and directories: PuppetDB's factsets or inventory, output of `puppet facts` or `facter --json`, caches of `puppet facts
    /// upload`
    #[arg(required_unless_present = "from_puppetdb")]
    pub files: Vec<PathBuf>,
    /// Import the facts of all active nodes from PuppetDB
    #[arg(long = "puppetdb", conflicts_with = "files")]
    pub from_puppetdb: bool,
    /// The folder for the files [default: `nodes` of catwalk.toml, otherwise nodes]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// The certname of a file with the facts of one node [default: as its facts say, otherwise the name of the file]
    #[arg(long, value_name = "NAME")]
    pub certname: Option<String>,
    /// Replace files that have different facts
    #[arg(long)]
    pub force: bool,
    /// Do not read outside of these directories: their contents are untrusted
    #[arg(long)]
    pub untrusted: bool,
    #[command(flatten)]
    pub puppetdb: SubmitArgs,
}

/// Imports facts. Returns the exit code.
pub(super) fn run(args: &Import, logger: &Logger) -> Result<u8, Reason> {
    let world = Disk::new();
    let site = Site::find(&options::current_dir()?, &world).map(|root| Site::open(&root, &world)).transpose()?;
    let import = ImportOptions {
        to: args.to.as_deref().map(options::absolute).transpose()?,
        certname: args.certname.clone(),
        force: args.force,
    };
    let imported = catwalk_scaffold::import_facts(
        &import,
        site.as_ref(),
        &|place| match args.from_puppetdb {
            true => {
                let puppetdb = args.puppetdb.configured(&site.clone().unwrap_or_default())?;
                catwalk_scaffold::facts_of_puppetdb(&puppetdb)
            }
            false => load(&NamedFiles { paths: &args.files, output: Some(place), untrusted: args.untrusted }),
        },
        &world,
    )?;
    print(&for_people(&imported.text))?;
    if imported.different > 0 {
        logger.note("`--force` replaces files that have different facts");
    }
    if site.as_ref().is_some_and(|site| site.nodes.is_none()) && args.to.is_none() {
        logger.note(&format!("set `nodes = \"{NODES_FOLDER}\"` in catwalk.toml, so that these nodes are compiled"));
    }
    Ok(u8::from(imported.different > 0))
}
