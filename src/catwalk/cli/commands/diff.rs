//! `catwalk diff`: what changed in the catalogs between two revisions, two environments, or since catalogs were saved.
#![allow(rustdoc::broken_intra_doc_links, reason = "help texts contain references such as Type[title]")]

mod environments;
mod revisions;
mod saved_catalogs;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;
use indexmap::IndexMap;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::progress;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::names::did_you_mean;
use catwalk_compare as compare;
use catwalk_compare::ComparisonResult;
use catwalk_compare::Inputs;
use catwalk_compare::OldSide;
use catwalk_compare::Outcome;
use catwalk_compare::Plan;
use catwalk_compare::Report;
use catwalk_compare::Side;
use catwalk_compare::Task;
use catwalk_formats::diff::rules::Rules;
use catwalk_session::Session;
use catwalk_session::puppetfile;
use catwalk_session::selection;
use catwalk_session::site::Site;

/// Exit codes, as those of diff(1).
const SAME: u8 = 0;
const DIFFERENT: u8 = 1;
const TROUBLE: u8 = 2;

/// The default number of edges to show of a group.
const EDGES: usize = 10;

/// Arguments of `diff`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The revision before [default: HEAD], and the one after [default: the working tree]. After `--environment A`: the other
    /// environment
    #[arg(value_name = "REV", num_args = 0..=2)]
    pub revisions: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Only these nodes: names or globs, separated by commas (repeatable) [default: all nodes of the site]
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub nodes: Vec<String>,
    /// Compare with saved catalogs: a directory of CERTNAME.json, or the file of one node, in the native or PuppetDB's format
    #[arg(long, value_name = "DIR|FILE", conflicts_with = "puppetdb")]
    pub against: Option<PathBuf>,
    /// Compare with the latest catalogs in PuppetDB
    #[arg(long)]
    pub puppetdb: bool,
    /// Use the working tree's modules for those that a revision does not contain (Puppetfile, submodules)
    #[arg(long)]
    pub modules_from_worktree: bool,
    /// Ignore resources or parameters: 'Type[title]' or 'Type[title]::parameter', each part a glob (repeatable)
    #[arg(long, value_name = "RULE")]
    pub ignore: Vec<String>,
    /// Do not apply the rules of catwalk.toml
    #[arg(long)]
    pub no_rules: bool,
    /// Compare tags, too
    #[arg(long)]
    pub tags: bool,
    /// Number of edges to show
    #[arg(long, value_enum, default_value = "short")]
    pub edges: Edges,
    /// Format of the answer
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
}

/// Number of edges to show.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edges {
    /// Only how many there are
    None,
    /// The first ten of a group
    Short,
    /// All
    All,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text
    Human,
    /// One document
    Json,
    /// A comment on a pull request
    Markdown,
}

/// Both sides of a comparison.
struct Sides {
    old: OldSide,
    new: Side,
    /// The names of the sides.
    labels: (String, String),
    /// Detects nodes that need not be compiled twice.
    inputs: Option<Inputs>,
    /// Nodes that only the old side has.
    only_old: Vec<Arc<str>>,
    /// Called after the comparison.
    close: Box<dyn FnOnce() -> Result<(), Reason>>,
    notes: Vec<String>,
}

/// Compares two sides and prints the differences. Returns the exit code.
pub fn run(args: &Arguments) -> u8 {
    let logger = Logger::from_args(&args.site);
    match compare_sides(args, &logger) {
        Ok(code) => code,
        Err(reason) => {
            logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
            TROUBLE
        }
    }
}

fn compare_sides(args: &Arguments, logger: &Logger) -> Result<u8, Reason> {
    let opened = open(args)?;
    let rules = if args.no_rules { Rules::default() } else { (*opened.new.session.site.rules).clone() };
    let rules = rules.with_ignored(&args.ignore).map_err(Reason::usage)?;
    let tasks = tasks(args, &opened)?;
    let old = match &opened.old {
        OldSide::Session(side) => side.session.options.root.as_ref(),
        OldSide::Catalogs(_) => None,
    };
    let roots = opened.new.session.options.root.iter().chain(old);
    let roots: Vec<String> = roots.map(|root| root.to_string_lossy().into_owned()).collect();
    let plan = Plan { tags: args.tags, inputs: opened.inputs, ..Plan::new(opened.old, opened.new, rules) };
    let done = progress(tasks.len());
    let compared = compare::run(&plan, &tasks, &*done);
    (opened.close)()?;
    let missing = missing_modules(args, &compared, &plan, [&opened.labels.0, &opened.labels.1]);
    let mut report = Report::new(opened.labels.0, opened.labels.1, compared);
    let mut notes = opened.notes;
    notes.append(&mut report.notes);
    notes.extend(missing);
    report.notes = notes;
    let edges = match args.edges {
        Edges::None => 0,
        Edges::Short => EDGES,
        Edges::All => usize::MAX,
    };
    if logger.annotates() {
        logger.annotate(&catwalk_compare::annotations(&report, &roots));
    }
    for note in report.notes.iter().filter(|_| args.format != Format::Json) {
        logger.note(&format!("note: {note}"));
    }
    match args.format {
        Format::Human => print(&for_people(&compare::human(&report, &roots, edges, color())))?,
        Format::Markdown => print(&compare::markdown(&report, &roots, edges))?,
        Format::Json => print(&catwalk_value::json::pretty(&compare::json(&report, &roots)).map_err(Reason::runtime)?)?,
    }
    Ok(match (report.is_same(), report.is_failure()) {
        (_, true) => TROUBLE,
        (true, _) => SAME,
        (false, _) => DIFFERENT,
    })
}

/// Notes about modules of a Puppetfile that are not installed, if they explain failures.
fn missing_modules(args: &Arguments, compared: &ComparisonResult, plan: &Plan, labels: [&str; 2]) -> Vec<String> {
    let old = match &plan.old {
        OldSide::Session(old) => Some(&old.session),
        OldSide::Catalogs(_) => None,
    };
    let note = |(session, is_old): (Option<&Session>, bool)| {
        let failures = compared.nodes.iter().filter_map(|(_, outcome)| match outcome {
            Outcome::Failed { old, new } => if is_old { old } else { new }.as_ref(),
            _ => None,
        });
        let missing = session?.modules_that_failures_need(failures.map(|failure| failure.message.as_str()));
        let label = labels.get(usize::from(!is_old)).copied().unwrap_or_default();
        let is_revision = args.site.environment.is_none() && label != revisions::WORKTREE && (is_old || old.is_some());
        let help = match (is_revision, args.modules_from_worktree) {
            (false, _) => puppetfile::INSTALL_HINT,
            (true, true) => "the working tree has none of that name, either",
            (true, false) => "--modules-from-worktree takes those of the working tree",
        };
        let named = puppetfile::join_names(&missing);
        (!missing.is_empty())
            .then(|| format!("{label} does not have modules that its Puppetfile names: {named}; {help}"))
    };
    [(old, true), (Some(&plan.new.session), false)].into_iter().filter_map(note).collect()
}

fn color() -> bool {
    let out = std::io::stdout();
    out.is_terminal() && anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never
}

fn open(args: &Arguments) -> Result<Sides, Reason> {
    if args.against.is_some() || args.puppetdb {
        return saved_catalogs::open(args);
    }
    if args.site.record.is_some() {
        return Err(Reason::unsupported("--record when both sides are compiled").help("record with `catwalk compile`"));
    }
    match environments::requested_pair(args)? {
        Some(pair) => environments::open(args, &pair),
        None => revisions::open(args),
    }
}

/// The nodes of both sides, or the requested ones.
fn tasks(args: &Arguments, opened: &Sides) -> Result<Vec<Task>, Reason> {
    let mut all: IndexMap<Arc<str>, (bool, bool)> = IndexMap::new();
    let exact = |session: &Session| -> Result<Vec<Arc<str>>, Reason> {
        // Without a folder of nodes, the node is named by an option or by the facts.
        if !session.options.has_facts() && session.site.nodes.is_some() {
            Ok(session.nodes()?.into_keys().collect())
        } else {
            selection::select(&args.nodes, session)
        }
    };
    for certname in exact(&opened.new.session)? {
        all.entry(certname).or_default().1 = true;
    }
    match &opened.old {
        OldSide::Session(old) => {
            for certname in exact(&old.session)? {
                all.entry(certname).or_default().0 = true;
            }
        }
        OldSide::Catalogs(_) => all.values_mut().for_each(|(old, _)| *old = true),
    }
    for certname in &opened.only_old {
        all.entry(certname.clone()).or_default().0 = true;
    }
    all.sort_keys();
    let mut selected = vec![args.nodes.is_empty(); all.len()];
    for pattern in &args.nodes {
        let glob = globs::matcher(pattern, true).map_err(|why| Reason::usage(format!("--nodes: {why}")))?;
        let mut any = false;
        for (certname, selected) in all.keys().zip(&mut selected) {
            let matches = glob.is_match(&**certname);
            *selected |= matches;
            any |= matches;
        }
        if !any {
            let reason = Reason::usage(format!("no node is called '{pattern}' on either side"));
            return Err(reason.hint(did_you_mean(pattern, all.keys().map(AsRef::as_ref))));
        }
    }
    let tasks = all.into_iter().zip(selected).filter(|(_, selected)| *selected);
    Ok(tasks.map(|((certname, (old, new)), _)| Task { certname, old, new }).collect())
}

/// Whether two sites have the same configuration for compiles.
fn have_same_configuration(old: &Session, new: &Session) -> bool {
    let plain = |site: &Site| Site { rules: Arc::default(), snapshots: None, output: None, ..site.clone() };
    plain(&old.site) == plain(&new.site)
}

fn comparison_error(text: impl Into<std::borrow::Cow<'static, str>>) -> Reason {
    Reason::new(Code::DIFF, text)
}
