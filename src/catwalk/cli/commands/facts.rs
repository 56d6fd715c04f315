//! `catwalk facts`: the fact sets that test files can name; many of them in one compact file.

mod import;

use catwalk_node::facts::Agent;
use std::path::Path;
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
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_base::names::abbreviate;
use catwalk_base::names::did_you_mean;
use catwalk_base::version::Version;
use catwalk_snapshot::facts::FactSet;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::facts::fact;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The maximum number of names in a hint.
const NAMES: usize = 12;

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
    /// Show the facts of a set, or some of them, as JSON
    Show(Show),
    /// Write facts of real nodes to the site's folder of nodes: from PuppetDB, `puppet facts`, Facter
    Import(Box<import::Import>),
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
    /// Show only these facts, such as os.release; files and directories to take the set from [default: those of the site]
    #[arg(value_name = "FACT|FILE")]
    pub facts_or_files: Vec<String>,
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
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let done = match &args.action {
        Action::List(args) => list(args),
        Action::Show(args) => show(args),
        Action::Bundle(args) => bundle(args),
        Action::Import(args) => return import::run(args, logger).unwrap_or_else(|reason| usage(logger, reason)),
    };
    match done {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
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
        None => Ok(FactSets::built_in(options::agent(site)?)),
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
    let (files, facts) = files_and_facts(&args.facts_or_files);
    let sets = if files.is_empty() { site_sets(&args.site)? } else { load(&named_files(&files, &args.site))? };
    for set in sets.named(&args.name).map_err(Reason::usage)? {
        let shown = select_facts(set, &facts)?;
        print(&serde_json::to_string_pretty(&shown).unwrap_or_default())?;
    }
    Ok(())
}

/// Separates the arguments that name files and directories from names of facts. A word that exists on disk is a path, except for the name
/// of a built-in fact: `os` is a fact, `./os` a path.
fn files_and_facts(words: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let (world, built_in) = (Disk::new(), FactSets::built_in(Agent::new(Version::default(), Some(true))));
    let is_fact = |word: &str| built_in.iter().any(|set| fact(&set.facts, word).is_some());
    let (mut files, mut facts) = (Vec::new(), Vec::new());
    for word in words {
        let exists = options::absolute(Path::new(word)).is_ok_and(|path| world.kind(&path) != Kind::Missing);
        match exists && (word.contains('/') || !is_fact(word)) {
            true => files.push(PathBuf::from(word)),
            false => facts.push(word.clone()),
        }
    }
    (files, facts)
}

/// All facts of a set, the value of one, or an object with the values of several by their dotted paths.
fn select_facts(set: &FactSet, paths: &[String]) -> Result<serde_json::Value, Reason> {
    let value = |path: &String| match fact(&set.facts, path) {
        Some(value) => Ok(to_json(value)),
        None => {
            let reason = Reason::usage(format!("the fact set {} has no fact '{path}'", set.name));
            // The nearest name on the level of the path's first unknown part.
            let (prefix, last) = known_prefix(&set.facts, path);
            let names: Vec<String> = match &prefix {
                Value::Hash(hash) => hash.keys().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            let near = did_you_mean(last, names.iter().map(String::as_str));
            let list = || format!("it has {}", abbreviate(&names, NAMES));
            Err(reason.hint(near.or_else(|| (!names.is_empty()).then(list))))
        }
    };
    match paths {
        [] => Ok(to_json(&Value::Hash(set.facts.clone()))),
        [one] => value(one),
        several => {
            let members = several.iter().map(|path| Ok((path.clone(), value(path)?))).collect::<Result<_, Reason>>()?;
            Ok(serde_json::Value::Object(members))
        }
    }
}

/// The value of the longest known beginning of a dotted path, and the first part of the path that is not in it.
fn known_prefix<'p>(facts: &Arc<Hash>, path: &'p str) -> (Value, &'p str) {
    let dots = path.match_indices('.').map(|(at, _)| at).collect::<Vec<_>>();
    for at in dots.iter().rev() {
        let (known, rest) = path.split_at(*at);
        if let Some(value) = fact(facts, known) {
            return (value.clone(), rest.get(1..).unwrap_or_default().split('.').next().unwrap_or_default());
        }
    }
    (Value::Hash(facts.clone()), path.split('.').next().unwrap_or(path))
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
            all.named(pattern).map_err(Reason::usage)?.into_iter().for_each(|set| sets.add(set.clone()));
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
