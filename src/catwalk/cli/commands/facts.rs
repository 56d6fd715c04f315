//! `catwalk facts`: the fact sets that test files can name; many of them in one compact file.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::compile::write_report;
use crate::cli::commands::test::root;
use crate::cli::commands::test::suite;
use crate::cli::options;
use crate::cli::options::NamedFiles;
use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::facts::fact;
use catwalk_value::value::Value;
use catwalk_value::value::json::to_json;
use catwalk_world::Disk;

/// Arguments of `facts`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub action: Action,
}

/// Subcommands of `facts`.
#[derive(Subcommand, Debug)]
pub enum Action {
    /// List all fact sets: built-in ones and those of `facts` in catwalk.toml, or those in files
    List(List),
    /// Show the facts of a set as JSON
    Show(Show),
    /// Put fact sets into one compact file: from facterdb, `puppet facts`, PuppetDB's answers
    Bundle(Bundle),
}

/// Arguments of `facts list`.
#[derive(Args, Debug)]
pub struct List {
    /// Files and directories of facts [default: those of the site]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Arguments of `facts show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The set, or a pattern
    pub name: String,
    /// Files and directories of facts [default: those of the site]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Arguments of `facts bundle`.
#[derive(Args, Debug)]
pub struct Bundle {
    /// Files and directories of facts
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Only sets of these names; patterns with * and ?
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,
    /// The file [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not read outside of these directories: their contents are untrusted
    #[arg(long)]
    pub untrusted: bool,
}

/// Runs the subcommand. Returns the exit code.
pub fn run(args: &Arguments) -> u8 {
    let done = match &args.action {
        Action::List(args) => list(args),
        Action::Show(args) => show(args),
        Action::Bundle(args) => bundle(args),
    };
    match done {
        Ok(()) => 0,
        Err(reason) => usage(&Logger::new(LogFormat::Human), reason),
    }
}

fn load(files: &NamedFiles<'_>) -> Result<FactSets, Reason> {
    let world = Arc::new(Disk::new());
    files.confine(&world)?;
    let mut sets = FactSets::default();
    for path in files.paths {
        sets.load(&options::absolute(path)?, world.as_ref())?;
    }
    Ok(sets)
}

fn named_files<'a>(paths: &'a [PathBuf], site: &SiteArgs) -> NamedFiles<'a> {
    NamedFiles { paths, output: None, untrusted: site.untrusted }
}

/// The fact sets of the site; without a site, the built-in ones.
fn site_sets(site: &SiteArgs) -> Result<FactSets, Reason> {
    match root(site, &Disk::new())? {
        Some(_) => Ok(suite(site, true, None)?.sets),
        None => Ok(FactSets::built_in()),
    }
}

fn list(args: &List) -> Result<(), Reason> {
    let sets =
        if args.paths.is_empty() { site_sets(&args.site)? } else { load(&named_files(&args.paths, &args.site))? };
    let width = sets.iter().map(|set| set.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for set in sets.iter() {
        let fact_text = |name: &str| fact(&set.facts, name).and_then(Value::as_str).unwrap_or("-").to_owned();
        let system = format!("{} {}", fact_text("os.name"), fact_text("os.release.full"));
        text.push_str(&format!("{:width$}  {system:24}  {}\n", set.name, set.origin));
    }
    print(&for_people(&text))
}

fn show(args: &Show) -> Result<(), Reason> {
    let sets =
        if args.paths.is_empty() { site_sets(&args.site)? } else { load(&named_files(&args.paths, &args.site))? };
    let sets = sets.named(&args.name).map_err(options::usage)?;
    for set in sets {
        print(&serde_json::to_string_pretty(&to_json(&Value::Hash(set.facts.clone()))).unwrap_or_default())?;
    }
    Ok(())
}

fn bundle(args: &Bundle) -> Result<(), Reason> {
    let site = SiteArgs { untrusted: args.untrusted, ..SiteArgs::default() };
    let output = args.output.as_deref().map(|path| options::place(path, &site)).transpose()?;
    let files = NamedFiles { paths: &args.paths, output: output.as_ref(), untrusted: args.untrusted };
    let all = load(&files)?;
    let mut sets = FactSets::default();
    if args.only.is_empty() {
        sets = all;
    } else {
        for pattern in &args.only {
            all.named(pattern).map_err(options::usage)?.into_iter().for_each(|set| sets.add(set.clone()));
        }
    }
    let text = format!("{}\n", sets.bundle());
    match &output {
        None => print(&text),
        Some(place) => {
            write_report(place, &text)?;
            let count = sets.iter().count();
            print(&format!("{count} fact set{} in {} bytes", if count == 1 { "" } else { "s" }, text.len()))
        }
    }
}
