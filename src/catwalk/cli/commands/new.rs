//! `catwalk new module NAME`, `catwalk new site DIR`: a directory with the first files.

use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::init::Ci;
use crate::cli::commands::init::describe_next_steps;
use crate::cli::commands::init::list_files;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_scaffold as scaffold;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Arguments of `new`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// What to create
    #[command(subcommand)]
    pub command: NewCommand,
}

/// What to create.
#[derive(Subcommand, Debug)]
pub enum NewCommand {
    /// Create a module with a class and a test
    Module(Module),
    /// Create a control repository with roles, profiles, data, two nodes and a test
    Site(Site),
}

/// Arguments of `new module`.
#[derive(Args, Debug)]
pub struct Module {
    /// The name: ntp, or with its author acme-ntp
    pub name: String,
    /// The directory [default: the name without the author]
    pub directory: Option<PathBuf>,
    /// Also write a file of jobs for this CI system
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub ci: Option<Ci>,
}

/// Arguments of `new site`.
#[derive(Args, Debug)]
pub struct Site {
    /// The directory
    pub directory: PathBuf,
    /// Also write a file of jobs for this CI system
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub ci: Option<Ci>,
}

/// Writes the files.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    match lay_out(args) {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
    }
}

fn lay_out(args: &Arguments) -> Result<(), Reason> {
    let world = Disk::new();
    let (directory, kind, plan) = match &args.command {
        NewCommand::Module(module) => {
            let user = world.env("USER");
            let ci = module.ci.map(Ci::system);
            let (name, plan) = scaffold::module_files(&module.name, user.as_deref(), ci)?;
            (module.directory.clone().unwrap_or_else(|| PathBuf::from(&name)), format!("module {name}"), plan)
        }
        NewCommand::Site(site) => {
            let root = options::absolute(&site.directory)?;
            let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let plan = scaffold::site_files(&root, &name, site.ci.map(Ci::system), &world);
            (site.directory.clone(), "site".to_owned(), plan)
        }
    };
    let root = options::absolute(&directory)?;
    let is_taken = match world.kind(&root) {
        Kind::Missing => false,
        Kind::File => true,
        Kind::Directory => world.list(&root).is_ok_and(|entries| !entries.is_empty()),
    };
    if is_taken {
        let text = format!("{} exists and is not empty: nothing was written", directory.display());
        return Err(Reason::usage(text).help("`catwalk init DIR` adds to an existing directory what is missing"));
    }
    let outcome = scaffold::write(&root, &plan, &world)?;
    let site = SiteArgs { site: Some(root), ..SiteArgs::default() };
    let text = format!(
        "{kind} in {}\n{}{}",
        directory.display(),
        list_files(&outcome),
        describe_next_steps(&site, Some(directory.as_path()).filter(|directory| directory.as_os_str() != "."))?
    );
    print(&for_people(&text))
}
