//! `catwalk convert rspec FILE…`: specs of rspec-puppet as test files.

use catwalk_node::facts::Agent;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::Subcommand;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::options::NamedFiles;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_convert as convert;
use catwalk_convert::Converted;
use catwalk_convert::Spec;
use catwalk_convert::SpecFacts;
use catwalk_convert::SubjectKind;
use catwalk_snapshot::facts::FactSet;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::supported_sets;
use catwalk_world::Descent;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The folder of test files in a module.
const FOLDER: &str = "tests";

/// Directories of converted specs.
static TESTS: Purpose =
    Purpose { name: "tests", description: "test files", option: "--output DIR", contents: Contents::Mixed };

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The tests to convert
    #[command(subcommand)]
    pub command: ConvertCommand,
}

/// The tests to convert.
#[derive(Subcommand, Debug)]
pub enum ConvertCommand {
    /// Convert specs of rspec-puppet to test files; parts that cannot be converted become comments
    Rspec(Rspec),
}

/// Arguments of `convert rspec`.
#[derive(Args, Debug)]
#[command(after_help = "Existing test files are kept, unless --overwrite is given.")]
pub struct Rspec {
    /// Specs (NAME_spec.rb), or directories of them
    #[arg(default_value = "spec")]
    pub paths: Vec<PathBuf>,
    /// The directory for the test files [default: tests in the module]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace test files that exist
    #[arg(long)]
    pub overwrite: bool,
    /// Convert each example to a case, instead of one case for all examples of a compile
    #[arg(long)]
    pub each: bool,
    /// The most steps for one part of a spec; a part that needs more is not converted
    #[arg(long, value_name = "N", default_value_t = convert::STEPS, hide_default_value = true)]
    pub step_limit: u64,
    /// Do not read outside of these directories and their modules: their contents are untrusted
    #[arg(long)]
    pub untrusted: bool,
}

/// Writes the test files.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let ConvertCommand::Rspec(args) = &args.command;
    match convert_specs(args) {
        Ok(()) => 0,
        Err(reason) => usage(logger, reason),
    }
}

/// The module of a spec: the nearest parent directory with `metadata.json`, else the parent of the folder `spec`.
fn find_module(path: &Path, world: &dyn World) -> PathBuf {
    let has_metadata = |dir: &&Path| world.kind(&dir.join("metadata.json")) == Kind::File;
    let with_metadata = path.ancestors().skip(1).find(has_metadata);
    let above_spec = || path.ancestors().find(|dir| dir.ends_with("spec")).and_then(Path::parent);
    with_metadata.or_else(above_spec).or_else(|| path.parent()).unwrap_or(path).to_path_buf()
}

fn collect_specs(
    path: &Path,
    descent: &mut Descent,
    found: &mut Vec<PathBuf>,
    world: &dyn World,
) -> Result<(), Reason> {
    if world.kind(path) != Kind::Directory {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let unreadable = |why: &dyn std::fmt::Display| Reason::runtime(format!("cannot read {}: {why}", path.display()));
    let entries = world.list(path).map_err(|refused| unreadable(&refused))?;
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let inner = path.join(entry.name.as_ref());
        match entry.kind {
            // Fixtures contain other modules.
            Kind::Directory if &*entry.name != "fixtures" && descent.enters(world, &inner, entry) => {
                collect_specs(&inner, descent, found, world)?;
            }
            Kind::File if entry.name.ends_with("_spec.rb") => found.push(inner),
            _ => {}
        }
    }
    Ok(())
}

/// A module whose specs are converted.
struct Module {
    sets: FactSets,
    /// The names of the fact sets of the systems that the module supports.
    supported: Vec<Arc<str>>,
    facts: SpecFacts,
    helper: Option<String>,
}

impl Module {
    fn open(root: &Path, world: &dyn World) -> Module {
        let sets = FactSets::built_in(Agent::default());
        let supported = match supported_sets(root, &sets, world) {
            Ok(supported) => supported.iter().map(|set| set.name.clone()).collect(),
            // The defaults if the module lists no systems.
            Err(_) => {
                ["debian-12", "redhat-9", "ubuntu-24.04"].map(|name| Arc::from(format!("{name}-x86_64"))).to_vec()
            }
        };
        let read = |name: &str| {
            let bytes = world.read(&root.join("spec").join(name)).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let helpers = ["spec_helper.rb", "spec_helper_local.rb"].into_iter().filter_map(read);
        let helper = helpers.collect::<Vec<_>>().join("\n");
        let facts = SpecFacts::read(&root.join("spec"), world);
        Module { sets, supported, facts, helper: (!helper.is_empty()).then_some(helper) }
    }

    fn systems(&self) -> Vec<&FactSet> {
        self.sets.iter().filter(|set| self.supported.contains(&set.name)).collect()
    }
}

/// The name of the test file of a spec: `spec/classes/server/config_spec.rb` is `server_config.yaml`.
fn test_file_name(path: &str) -> String {
    let below = path.rsplit_once("spec/").map_or(path, |(_, below)| below);
    let below = below.strip_prefix("classes/").or_else(|| below.strip_prefix("defines/")).unwrap_or(below);
    let stem = below.strip_suffix(".rb").unwrap_or(below);
    let stem = stem.strip_suffix("_spec").unwrap_or(stem);
    stem.replace(['/', '\\'], "_")
}

fn convert_specs(args: &Rspec) -> Result<(), Reason> {
    let world = Arc::new(Disk::new());
    let first = args.paths.first().map(|path| options::absolute(path)).transpose()?.unwrap_or_default();
    let site = SiteArgs { untrusted: args.untrusted, ..SiteArgs::default() };
    let named = args.output.as_deref().map(|path| options::place(path, &site)).transpose()?;
    let output = named.clone().unwrap_or_else(|| Place::named(find_module(&first, world.as_ref())).join(FOLDER));
    let named_files = NamedFiles { paths: &args.paths, output: Some(&output), untrusted: args.untrusted };
    named_files.confine(&world)?;
    let world = world.as_ref();
    let mut found = Vec::new();
    for path in &args.paths {
        let path = options::absolute(path)?;
        if world.kind(&path) == Kind::Missing {
            return Err(Reason::usage(format!("there is no file {}", path.display())));
        }
        collect_specs(&path, &mut Descent::default(), &mut found, world)?;
    }
    let folder_of = |root: &Path| named.clone().unwrap_or_else(|| Place::named(root).join(FOLDER));
    // Refused before the first file is written.
    for root in found.iter().map(|path| find_module(path, world)).collect::<BTreeSet<_>>() {
        Directory::open_existing(&folder_of(&root), &TESTS)?;
    }
    let mut modules: BTreeMap<PathBuf, Module> = BTreeMap::new();
    let mut written: Vec<PathBuf> = Vec::new();
    let (mut examples, mut converted_examples) = (0, 0);
    let mut left_out: Vec<String> = Vec::new();
    let mut text = String::new();
    let progress = progress_bar(found.len());
    for path in &found {
        progress.inc(1);
        let root = find_module(path, world);
        let relative_path = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let Some(kind) = SubjectKind::from_path(&relative_path) else {
            left_out.push(relative_path);
            continue;
        };
        let module = modules.entry(root.clone()).or_insert_with(|| Module::open(&root, world));
        let bytes = world.read(path).map_err(|refused| {
            Reason::runtime(format!("cannot read {relative_path}: {refused}")).because(refused.cause())
        })?;
        let source = String::from_utf8_lossy(&bytes);
        let helper = module.helper.as_deref();
        let (each, steps) = (args.each, args.step_limit);
        let spec = Spec { path: &relative_path, text: &source, helper, kind, each, steps };
        let converted = convert::convert(&spec, &module.systems(), &module.facts, &mut |done, all| {
            progress.set_message(format!("{relative_path}: {done} of {all} examples"));
        });
        examples += converted.examples;
        converted_examples += converted.converted;
        let folder = folder_of(&root);
        let target = target_path(&folder.path(), &relative_path, &written);
        text.push_str(&summary_line(&relative_path, &converted, &write(&folder, &target, &converted, args.overwrite)?));
        written.push(target);
    }
    progress.finish_and_clear();
    if !left_out.is_empty() {
        text.push_str(&format!("skipped, since they do not test catalogs: {}\n", left_out.join(", ")));
    }
    text.push_str(&format!("{converted_examples} of {examples} examples carried over"));
    print(&for_people(&text))
}

/// The test file of a spec. Specs with the same name in different folders get different files.
fn target_path(folder: &Path, relative_path: &str, written: &[PathBuf]) -> PathBuf {
    let name = test_file_name(relative_path);
    let first = folder.join(format!("{name}.yaml"));
    if !written.contains(&first) {
        return first;
    }
    let kind = if relative_path.contains("defines/") { "define" } else { "other" };
    folder.join(format!("{name}_{kind}.yaml"))
}

fn write(place: &Place, target: &Path, converted: &Converted, overwrite: bool) -> Result<String, Reason> {
    let unwritable = |error: std::io::Error| Reason::runtime(format!("cannot write {}: {error}", target.display()));
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = target.parent().unwrap_or(target);
    let display_name = format!("{}/{name}", folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
    if converted.text.is_empty() {
        return Ok(String::new());
    }
    if !overwrite && is_taken(place, &name).map_err(unwritable)? {
        return Ok(format!(", kept {display_name}, which exists (--overwrite replaces it)"));
    }
    let directory = Directory::open(place, &TESTS)?;
    directory.write(&name, output::Kind::Document, converted.text.as_bytes()).map_err(unwritable)?;
    Ok(format!(", {display_name}"))
}

/// Whether a directory has an entry with this name, even if it is a link to nothing.
fn is_taken(place: &Place, name: &str) -> std::io::Result<bool> {
    match Directory::open_existing(place, &TESTS)? {
        Some(directory) => Ok(directory.kind(name)?.is_some()),
        None => Ok(false),
    }
}

fn summary_line(relative_path: &str, converted: &Converted, file: &str) -> String {
    let mut text = format!("{relative_path}: {} of {} examples{file}\n", converted.converted, converted.examples);
    for line in &converted.cut {
        text.push_str(&format!(
            "{relative_path}:{line}: not converted, since it reaches the limit of steps (--step-limit)\n"
        ));
    }
    text
}

/// A bar for the specs, on a terminal.
fn progress_bar(specs: usize) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(specs as u64);
    let style = indicatif::ProgressStyle::with_template("converting {wide_bar} {pos}/{len} specs  {msg}");
    bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
    bar
}
