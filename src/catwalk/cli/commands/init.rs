//! `catwalk init`: the first files of Catwalk in a control repository, a module or an empty directory.

use std::io::BufRead;
use std::io::IsTerminal;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::test::suite;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_messages::quote_for_shell;
use catwalk_scaffold as scaffold;
use catwalk_scaffold::CiSystem;
use catwalk_scaffold::FirstTest;
use catwalk_scaffold::Layout;
use catwalk_scaffold::Outcome;
use catwalk_session::puppetfile;
use catwalk_session::site::Site;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Arguments of `init`.
#[derive(Args, Debug)]
#[command(after_help = "Files that exist are never overwritten.")]
pub struct Arguments {
    /// The directory [default: the current one]
    pub directory: Option<PathBuf>,
    /// Do not ask before adding a site to a directory with other files
    #[arg(long, short)]
    pub yes: bool,
    /// Also write a file of jobs for this CI system
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub ci: Option<Ci>,
    /// Do not let code of the site start processes, use the network, see environment variables or read outside of the site
    #[arg(long)]
    pub untrusted: bool,
}

/// Systems that run jobs for each change.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ci {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
}

impl Ci {
    /// The system itself.
    #[must_use]
    pub(super) fn system(self) -> CiSystem {
        match self {
            Ci::Github => CiSystem::Github,
            Ci::Gitlab => CiSystem::Gitlab,
        }
    }
}

/// Writes the files.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    match init(args) {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
    }
}

fn init(args: &Arguments) -> Result<(), Reason> {
    let root = options::absolute(args.directory.as_deref().unwrap_or(Path::new(".")))?;
    let site = SiteArgs {
        site: Some(root.clone()),
        untrusted: args.untrusted,
        writable: vec![root.clone()],
        ..SiteArgs::default()
    };
    // Access is restricted before the first file of an untrusted site is read.
    let world = Disk::new();
    options::with_optional_site(&site, &world)?;
    let layout = scaffold::layout(&root, &world);
    let ci = args.ci.map(Ci::system);
    if layout == Layout::Other && !args.yes && !is_confirmed(&root)? {
        let text =
            format!("{} is neither a control repository, a module nor empty: nothing was written", root.display());
        return Err(Reason::usage(text).help("`catwalk init --yes` makes it a site anyway"));
    }
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (kind, mut plan) = match &layout {
        Layout::Module(name) => (format!("module {name}"), scaffold::module_configuration(name, ci)),
        Layout::Empty => ("new site".to_owned(), scaffold::site_files(&root, &name, ci, &world)),
        Layout::ControlRepository | Layout::Other => {
            ("control repository".to_owned(), scaffold::site_configuration(&root, ci, &world))
        }
    };
    if world.kind(&root.join("catwalk.toml")) == Kind::File {
        // The existing configuration names the folders of facts and tests.
        plan.files.retain(|(name, _)| name == "catwalk.toml" || name.starts_with('.'));
    }
    let configured = Site::open(&root, &world).unwrap_or_default();
    scaffold::check(&configured.tests_place(&root))?;
    let outcome = scaffold::write(&root, &plan, &world)?;
    let open = || suite(&site, true, None);
    let test = scaffold::write_first_test(&root, &layout, &world, &open)?;
    let mut text = format!("{kind}: {}\n", root.display());
    text.push_str(&list_files(&outcome));
    match test {
        FirstTest::Exists => {}
        FirstTest::Written(file, subject) => text.push_str(&format!("  created  {file} (a test of {subject})\n")),
    }
    let into = if args.directory.is_some() { Some(root.as_path()) } else { None };
    text.push_str(&describe_next_steps(&site, into)?);
    print(&for_people(&text))
}

/// Whether the user wants a site in a directory with other files; `false` without a terminal.
fn is_confirmed(root: &Path) -> Result<bool, Reason> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let failed = |error: std::io::Error| Reason::runtime(format!("cannot ask: {error}"));
    let mut terminal = std::io::stderr();
    write!(terminal, "{} has other files. Make it a site? [y/N] ", root.display()).map_err(failed)?;
    terminal.flush().map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// A line for each file: created, extended or unchanged.
pub(super) fn list_files(outcome: &Outcome) -> String {
    let mut text = String::new();
    outcome.created.iter().for_each(|name| text.push_str(&format!("  created  {name}\n")));
    for (name, count) in &outcome.extended {
        let lines = if *count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        text.push_str(&format!("  extended {name} by {lines}\n"));
    }
    outcome.unchanged.iter().for_each(|name| text.push_str(&format!("  kept     {name}\n")));
    text
}

/// The next three commands, or why nodes do not compile yet. `into`: the directory to change to first.
pub(super) fn describe_next_steps(site: &SiteArgs, into: Option<&Path>) -> Result<String, Reason> {
    let suite = suite(site, true, None)?;
    let names = suite.session.node_names()?;
    let compiled = suite.session.compile_all(&names, &|_| ());
    let failed = compiled.iter().find_map(|compiled| Some((compiled, compiled.result.as_ref().err()?)));
    let mut text = String::new();
    if let Some((compiled, failure)) = failed {
        let why = failure.puppet_text(suite.session.sources());
        text.push_str(&format!("\n{} does not compile yet: {why}\n", compiled.certname));
        let missing = suite.session.missing_modules();
        if !missing.is_empty() {
            let listed = puppetfile::join_names(&missing);
            text.push_str(&format!("`r10k puppetfile install` installs modules that are missing: {listed}\n"));
        } else if let Some(help) = &failure.help {
            text.push_str(&format!("{help}\n"));
        }
    }
    if let Some(note) = suite.session.version_difference() {
        text.push_str(&format!("\n{note}\n"));
    }
    text.push_str("\nNext:\n");
    if let Some(directory) = into {
        text.push_str(&format!("  cd {}\n", quote_for_shell(directory)));
    }
    let files = suite.files()?;
    let tested = files.iter().flat_map(|file| &file.cases).next();
    let first = tested.and_then(|case| case.name.split('/').next()).unwrap_or("*");
    let node = names.first().map_or("NODE", AsRef::as_ref);
    let commands = match failed {
        None => [
            ("catwalk test --accept".to_owned(), "run the tests and save the catalogs as snapshots"),
            ("catwalk watch".to_owned(), "show what each edit changes in the catalogs"),
            (format!("catwalk show {node}"), "print a catalog, and where its values come from"),
        ],
        Some(_) => [
            (format!("catwalk test '{first}/*'"), "run the first test"),
            ("catwalk check".to_owned(), "look for mistakes in manifests and templates"),
            ("catwalk watch".to_owned(), "show what each edit changes, errors included"),
        ],
    };
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, purpose) in commands {
        text.push_str(&format!("  {command:width$}  # {purpose}\n"));
    }
    Ok(text)
}
