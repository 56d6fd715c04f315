//! `catwalk snapshot`: lists, accepts and rejects pending changes of snapshots.
#![allow(rustdoc::broken_intra_doc_links, reason = "help texts contain references such as Type[title]")]

mod terminal;

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::io::Write;

use clap::Args;
use clap::Subcommand;
use globset::GlobMatcher;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::test::suite;
use crate::cli::options::is_ci;
use crate::cli::site::SiteArgs;
use crate::cli::site::SuiteArgs;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::names::abbreviate;
use catwalk_snapshot::Suite;
use catwalk_snapshot::decide;
use catwalk_snapshot::decide::Decision;
use catwalk_snapshot::decide::Pattern;
use catwalk_snapshot::report::NAMES;
use catwalk_snapshot::report::human;

/// Arguments of `snapshot`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub action: Action,
}

impl Arguments {
    /// Whether the command uses the full screen of the terminal.
    #[must_use]
    pub fn is_review(&self) -> bool {
        matches!(self.action, Action::Review(_))
    }

    /// Adds the directories of tests and snapshots to the site's arguments.
    pub fn add_directories(&mut self) {
        let (site, directories) = match &mut self.action {
            Action::Review(args) => (&mut args.site, &args.directories),
            Action::Accept(args) => (&mut args.selection.site, &args.selection.directories),
            Action::Reject(args) => (&mut args.site, &args.directories),
            Action::List(args) => (&mut args.site, &args.directories),
            Action::Clean(args) => (&mut args.site, &args.directories),
        };
        directories.add_to(site);
    }
}

/// Subcommands of `snapshot`.
#[derive(Subcommand, Debug)]
pub enum Action {
    /// Accept or reject each change on the full screen, equal ones of several snapshots together
    Review(Review),
    /// Accept changes of snapshots
    Accept(Accept),
    /// Discard changes; the next run proposes them again if the code still produces them
    Reject(DecisionArgs),
    /// List pending changes
    List(List),
    /// Remove snapshots that belong to no case
    Clean(Clean),
}

/// Arguments of `snapshot review`.
#[derive(Args, Debug)]
pub struct Review {
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
}

/// Arguments of `snapshot accept`.
#[derive(Args, Debug)]
pub struct Accept {
    #[command(flatten)]
    pub selection: DecisionArgs,
    /// Also accept errors in place of catalogs; without it, only those of cases with `fails` are accepted
    #[arg(long)]
    pub errors: bool,
}

/// Which changes are decided.
#[derive(Args, Debug)]
pub struct DecisionArgs {
    /// Changes: 'Type[title]', 'Type[title]::parameter', '(catalog)', or names of snapshots; with * and ?
    pub patterns: Vec<String>,
    /// Limit to these snapshots
    #[arg(long = "in", value_name = "PATTERN")]
    pub within: Vec<String>,
    /// All changes
    #[arg(long, conflicts_with = "patterns")]
    pub all: bool,
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
}

/// Arguments of `snapshot list`.
#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
    /// Show the changes, equal ones of several snapshots together
    #[arg(long)]
    pub diff: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `snapshot clean`.
#[derive(Args, Debug)]
pub struct Clean {
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
    /// Only print what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

/// The message if nothing is pending.
const NOTHING: &str = "no pending changes; `catwalk test` compiles, and proposes what differs from the snapshots";

/// Runs the subcommand. Returns the exit code.
pub fn run(args: &Arguments) -> u8 {
    let site = match &args.action {
        Action::Review(args) => &args.site,
        Action::Accept(args) => &args.selection.site,
        Action::Reject(args) => &args.site,
        Action::List(args) => &args.site,
        Action::Clean(args) => &args.site,
    };
    let logger = Logger::new(site.log_format);
    let done = suite(site, true, None).and_then(|suite| match &args.action {
        Action::Review(_) => {
            let summary = check_not_ci().and_then(|()| terminal::review(&suite.store()));
            summary.and_then(|text| print(&for_people(&text))).map(|()| 0)
        }
        Action::Accept(args) => decide(&args.selection, Decision::Accept, args.errors, &suite, &logger),
        Action::Reject(selection) => decide(selection, Decision::Reject, true, &suite, &logger),
        Action::List(args) => list(args, &suite, &logger),
        Action::Clean(args) => clean(args, &suite),
    });
    match done {
        Ok(code) => code,
        Err(reason) => usage(&logger, reason),
    }
}

fn check_not_ci() -> Result<(), Reason> {
    if is_ci() {
        return Err(Reason::usage("snapshots are not changed in CI: the environment variable CI is set"));
    }
    Ok(())
}

fn decide(
    selection: &DecisionArgs,
    decision: Decision,
    errors: bool,
    suite: &Suite,
    logger: &Logger,
) -> Result<u8, Reason> {
    check_not_ci()?;
    if selection.patterns.is_empty() && selection.within.is_empty() && !selection.all {
        return Err(
            Reason::usage("no changes: give patterns, --in SNAPSHOT or --all").help("`catwalk snapshot list --diff`")
        );
    }
    let patterns: Vec<Pattern> =
        selection.patterns.iter().map(|text| Pattern::parse(text)).collect::<Result<_, Reason>>()?;
    let glob = |text: &String| -> Result<GlobMatcher, Reason> { globs::matcher(text, false).map_err(Reason::usage) };
    let within: Vec<GlobMatcher> = selection.within.iter().map(glob).collect::<Result<_, Reason>>()?;
    let mut unexpected = if errors { BTreeSet::new() } else { unexpected_errors(suite)? };
    // A user who names a snapshot has reviewed it.
    unexpected.retain(|name| !selection.patterns.iter().chain(&selection.within).any(|pattern| pattern == name));
    let undecided = Mutex::new(BTreeSet::new());
    let matches = |name: &str, reference: &str, parameter: Option<&str>| {
        (within.is_empty() || within.iter().any(|glob| glob.is_match(name)))
            && (patterns.is_empty() || patterns.iter().any(|pattern| pattern.fits(name, reference, parameter)))
    };
    let is_chosen = |name: &str, reference: &str, parameter: Option<&str>| {
        let matches = matches(name, reference, parameter);
        if matches && unexpected.contains(name) {
            undecided.lock().insert(name.to_owned());
            return false;
        }
        matches
    };
    let counts = decide::decide(&suite.store(), decision, &is_chosen)?;
    let word = if decision == Decision::Accept { "accepted" } else { "rejected" };
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let mut text = format!("{} in {} {word}", count(counts.parts, "change"), count(counts.snapshots, "snapshot"));
    if counts.waiting > 0 {
        text.push_str(&format!("; {} still to be decided", count(counts.waiting, "snapshot")));
    }
    print(&for_people(&text))?;
    let undecided: Vec<String> = undecided.into_inner().into_iter().collect();
    if !undecided.is_empty() {
        let subject =
            if undecided.len() == 1 { "1 error in place of a catalog was" } else { "errors in place of catalogs were" };
        let number = if undecided.len() == 1 { String::new() } else { format!("{} ", undecided.len()) };
        logger.note(&format!(
            "{number}{subject} not accepted: {}; `catwalk test` shows the error, --errors accepts it, `fails:` in a test file expects it",
            abbreviate(&undecided, NAMES)
        ));
    }
    Ok(u8::from(!undecided.is_empty() || (counts.parts == 0 && !selection.all)))
}

/// The names of proposals that are errors in place of catalogs, except those of cases that expect to fail.
fn unexpected_errors(suite: &Suite) -> Result<BTreeSet<String>, Reason> {
    let proposals = decide::proposals(&suite.store())?;
    let mut errors: BTreeSet<String> =
        proposals.into_iter().filter(decide::Proposal::is_new_error).map(|proposal| proposal.name).collect();
    if !errors.is_empty() {
        let cases = suite.cases(&suite.files()?)?;
        cases.iter().filter(|case| case.expect.fails.is_some()).for_each(|case| {
            errors.remove(&case.name);
        });
    }
    Ok(errors)
}

fn list(args: &List, suite: &Suite, logger: &Logger) -> Result<u8, Reason> {
    let proposals = decide::proposals(&suite.store())?;
    if args.json {
        let to_json = |proposal: &decide::Proposal| {
            let changes: Vec<_> = proposal.hunks.iter().map(catwalk_snapshot::report::document::change).collect();
            serde_json::json!({"name": proposal.name, "new": proposal.old.is_none(), "changes": changes})
        };
        let all: Vec<serde_json::Value> = proposals.iter().map(to_json).collect();
        print(&serde_json::to_string_pretty(&all).unwrap_or_default())?;
    } else if proposals.is_empty() {
        print(NOTHING)?;
    } else if args.diff {
        let groups =
            decide::groups(proposals.iter().map(|proposal| (proposal.name.as_str(), proposal.hunks.as_slice())));
        let color = logger.color() && std::io::stdout().is_terminal();
        print(&for_people(&human::changes(&groups, human::Style { color })))?;
    } else {
        let mut text = String::new();
        for proposal in &proposals {
            let state = match (&proposal.old, proposal.hunks.len()) {
                (None, _) => "new".to_owned(),
                (_, 1) => "1 change".to_owned(),
                (_, changes) => format!("{changes} changes"),
            };
            text.push_str(&format!("{}: {state}\n", proposal.name));
        }
        print(&for_people(&text))?;
    }
    Ok(0)
}

fn clean(args: &Clean, suite: &Suite) -> Result<u8, Reason> {
    if !args.dry_run {
        check_not_ci()?;
    }
    let cases = suite.cases(&suite.files()?)?;
    let store = suite.store();
    let case_names: std::collections::BTreeSet<&str> =
        cases.iter().filter(|case| case.snapshot).map(|case| case.name.as_str()).collect();
    let own = store.own_entries()?;
    let own_names: BTreeSet<&str> = own.iter().map(|entry| entry.name.as_str()).collect();
    let mut others = store.entries()?;
    others.retain(|entry| !own_names.contains(entry.name.as_str()) && !case_names.contains(entry.name.as_str()));
    let mut text = String::new();
    for entry in own.iter().filter(|entry| !case_names.contains(entry.name.as_str())) {
        if !args.dry_run {
            store.delete(&entry.name)?;
        }
        text.push_str(&format!("{} {}\n", if args.dry_run { "would remove" } else { "removed" }, entry.name));
    }
    if text.is_empty() {
        text.push_str("every snapshot belongs to a case");
    }
    for entry in others {
        text = format!("{}\nkept {}, which Catwalk has not written", text.trim_end(), entry.name);
    }
    print(&for_people(&text))?;
    let _ = std::io::stdout().flush();
    Ok(0)
}
