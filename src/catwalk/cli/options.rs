//! Converts arguments to session options: absolute paths, parsed settings, the site.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::cli::Logger;
use crate::cli::site::CyclePolicy;
use crate::cli::site::EyamlMode;
use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::SourceMap;
use catwalk_base::source::path::normalize_path;
use catwalk_base::version::Version;
use catwalk_eval::Limits;
use catwalk_eval::Settings;
use catwalk_node::facts::Agent;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_program::setting_definition;
use catwalk_session::ExportedFrom;
use catwalk_session::Options;
use catwalk_session::secret_key::KeySource;
use catwalk_session::site::Site;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::suite;
use catwalk_value::Hash;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::is_named_device;
use catwalk_world::output::Place;
use catwalk_world::output::is_unlinked;
use catwalk_world::sandbox;
use catwalk_world::sandbox::Permissions;
use catwalk_world::sandbox::Restrictions;
use catwalk_world::sandbox::Startable;
use catwalk_world::tape;
use catwalk_world::worker;

/// The default directories that commands write to: catalogs, snapshots and tests.
const WRITTEN: [&str; 3] = ["target", "snapshots", "tests"];

/// The source of the key for commands that compare secrets. The key is created if it does not exist, except on build servers, where every
/// run would create a different one.
pub(super) fn key_source() -> KeySource {
    if is_ci() { KeySource::Existing } else { KeySource::Created }
}

/// As [`session`], for commands that show how secrets differ.
///
/// # Errors
/// As [`session`].
pub(super) fn for_comparison(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let mut options = Options { key: key_source(), ..session(args, world)? };
    options.settings.relationship_origins = true;
    Ok(options)
}

/// Whether this process runs on a build server, where snapshots cannot be accepted.
pub(super) fn is_ci() -> bool {
    // Read from the process: the disk of a session with untrusted code has no environment variables.
    Disk::new().env("CI").is_some_and(|value| !matches!(&*value, "" | "0" | "false"))
}

/// As [`session`], for commands that change this machine, which refuse untrusted or isolated code.
///
/// # Errors
/// As [`session`]; `APPLY_UNTRUSTED` if the command line, the environment or the site marks the code as untrusted or its scripts as
/// isolated.
pub(super) fn for_changes(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let untrusted = || {
        let text = "untrusted code is not applied: its resources and providers would change this machine with the rights of this user";
        let help = "apply a site that you trust: without --untrusted, CATWALK_UNTRUSTED and `untrusted = true` in catwalk.toml; \
                    `catwalk compile` shows what is in a catalog";
        Err(Reason::new(Code::APPLY_UNTRUSTED, text).help(help))
    };
    // Checked before the kernel confines the process.
    if args.untrusted || is_untrusted() {
        return untrusted();
    }
    let options = session(args, world)?;
    if options.untrusted {
        return untrusted();
    }
    let site = options.root.as_deref().map(|root| Site::open(root, world)).transpose()?;
    if options.isolate_scripts == Some(true) || site.is_some_and(|site| site.isolate_scripts == Some(true)) {
        let text = "isolated scripts are not applied: providers change this machine, and a process of a script may not";
        let help = "apply without --isolate-scripts and `isolation = \"process\"` in catwalk.toml, if you trust all scripts of the site";
        return Err(Reason::new(Code::APPLY_UNTRUSTED, text).help(help));
    }
    Ok(options)
}

/// Turns arguments into session options.
///
/// # Errors
/// A setting is invalid, or a necessary site is missing: exit code 2.
pub(super) fn session(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let mut options = with_optional_site(args, world)?;
    if options.root.is_some() || args.manifest.is_some() {
        return Ok(options);
    }
    // With code to compile, a `metadata.json` in a parent directory is ignored.
    let module = match suite::in_module(&current_dir()?, &mut options, world) {
        Err(_) if args.execute.is_some() => None,
        module => module?,
    };
    match (module, &args.execute) {
        (_, Some(_)) => Ok(options),
        (Some(name), None) => {
            let help = format!(
                "`catwalk test` compiles the cases of a module's tests/*.yaml; -e 'include {name}' says what is compiled here, \
                 --site DIR where a site is"
            );
            Err(Reason::usage(format!("no site: this is the module {name}")).help(help))
        }
        (None, None) => {
            let text = "no site: neither this directory nor a parent has catwalk.toml, environment.conf, or manifests beside modules";
            let help = "go to a control repository or an environment, or give --site DIR, --manifest PATH or --execute CODE; \
                        an empty file catwalk.toml makes any directory a site";
            Err(Reason::usage(text).help(help))
        }
    }
}

/// The options of a command that needs no site.
///
/// # Errors
/// A setting is invalid: exit code 2.
pub(super) fn with_optional_site(args: &SiteArgs, world: &Disk) -> Result<Options, Reason> {
    let here = current_dir()?;
    let absolute = |path: &PathBuf| normalize_path(&here.join(path));
    let root = match &args.site {
        Some(site) => Some(absolute(site)),
        None => Site::find(&here, world),
    };
    let mut options = Options {
        key: KeySource::Existing,
        log_level: args.verbosity.level(),
        root,
        environment: args.environment.clone(),
        modulepath: args
            .modulepath
            .as_ref()
            .map(|list| list.split(':').filter(|part| !part.is_empty()).map(|part| absolute(&part.into())).collect()),
        manifest: args.manifest.as_ref().map(absolute),
        module: None,
        fixtures: Vec::new(),
        dependencies: Vec::new(),
        code: args.execute.clone(),
        facts: args.facts.as_ref().map(absolute),
        fact_set: None,
        fact_overrides: fact_overrides(&args.fact)?,
        trusted: args.trusted.as_ref().map(absolute),
        server_facts: args.server_facts.as_ref().map(absolute),
        enc: args.enc.as_ref().map(absolute),
        external_nodes: Vec::new(),
        hiera: args.hiera.as_ref().map(absolute),
        puppet: args.puppet,
        set: settings(args, &here)?,
        limits: limits(args)?,
        cycles: args.cycles.map(CyclePolicy::cycles),
        autorequire: args.autorequire.then_some(true),
        settings: Settings { deferred_warnings: true, ..Settings::default() },
        unlisted: false,
        unclassified: false,
        eyaml: args.eyaml.map(EyamlMode::mode),
        snapshots: args.snapshots.as_deref().map(|path| place(path, args)).transpose()?,
        tests: args.tests.as_deref().map(|path| place(path, args)).transpose()?,
        exported: args.exported.as_deref().map(|from| ExportedFrom::from_name(from, |path| absolute(&path.into()))),
        store: None,
        keep_facts: false,
        isolate_scripts: args.isolate_scripts.then_some(true),
        worker: None,
        tape: match (&args.record, &args.replay) {
            (Some(folder), _) => Some(tape::Mode::Record(place(folder, args)?)),
            (None, Some(folder)) => Some(tape::Mode::Replay(absolute(folder))),
            (None, None) => None,
        },
        gems: Vec::new(),
        drop_legacy_facts: false,
        untrusted: args.untrusted || is_untrusted(),
        readable: args.readable.iter().map(absolute).collect(),
        directory: here.clone(),
    };
    confine(&mut options, args, &here, world);
    if let Some(root) = options.root.clone() {
        // The site is also a module; `test` checks its metadata.
        let _ = suite::with_module(&root, &mut options, world);
    }
    let find_fact_set =
        |name_or_path: &Path| fact_set(name_or_path, &absolute(&name_or_path.to_path_buf()), &options, world);
    options.fact_set = args.facts.as_deref().map(find_fact_set).transpose()?.flatten();
    options.facts = options.facts.filter(|_| options.fact_set.is_none());
    Ok(options)
}

/// Whether `CATWALK_UNTRUSTED` is set to a value other than an empty string, `0` or `false`.
pub(in crate::cli) fn is_untrusted() -> bool {
    Disk::new().env("CATWALK_UNTRUSTED").is_some_and(|value| !matches!(&*value, "" | "0" | "false"))
}

/// The files and directories of a command without a site, and whether their code is untrusted.
pub(super) struct NamedFiles<'a> {
    /// The files and directories to read.
    pub(super) paths: &'a [PathBuf],
    /// The file or directory to write.
    pub(super) output: Option<&'a Place>,
    /// Whether the command line marks them as untrusted.
    pub(super) untrusted: bool,
}

impl NamedFiles<'_> {
    /// Confines the disk to these files and directories and the sites that contain them, if the command line, the environment or one of
    /// these sites marks the code as untrusted. Returns whether it is. For a file, its directory is readable, so that the file cannot be a
    /// link to a path elsewhere.
    ///
    /// # Errors
    /// The current directory does not exist.
    pub(super) fn confine(&self, world: &Disk) -> Result<bool, Reason> {
        let here = current_dir()?;
        let absolute = |path: &Path| normalize_path(&here.join(path));
        let mut readable: Vec<PathBuf> = Vec::new();
        let mut untrusted = self.untrusted || is_untrusted();
        for path in self.paths.iter().map(|path| absolute(path)) {
            let site = Site::find(&path, world);
            untrusted |= site.as_ref().is_some_and(|root| is_marked_untrusted(root, world));
            let is_file = world.kind(&path) != Kind::Directory && !is_named_device(&path);
            let without_site = if is_file { path.parent().unwrap_or(&path) } else { &path };
            readable.push(site.filter(|site| path.starts_with(site)).unwrap_or_else(|| without_site.to_path_buf()));
        }
        if untrusted {
            let options = Options { untrusted, readable, directory: here.clone(), ..Options::default() };
            options.confine(world);
            let write = self.output.iter().filter_map(|place| writable(place, world)).collect();
            let read = world.guard().iter().flat_map(|guard| guard.roots()).map(Path::to_path_buf).collect();
            enter_sandbox(Permissions { read, write, programs: Vec::new() }, LogFormat::Human);
        }
        Ok(untrusted)
    }
}

/// Makes the kernel deny the same paths as the disk. Has an effect once, before the threads for compiles are started.
fn enter_sandbox(permissions: Permissions, log_format: LogFormat) {
    static RESTRICTIONS: OnceLock<Restrictions> = OnceLock::new();
    let restrictions = RESTRICTIONS.get_or_init(|| sandbox::enter(&permissions));
    if Disk::new().env("CATWALK_UNTRUSTED").as_deref() == Some("explain") {
        Logger::new(log_format).note(&format!("untrusted: {restrictions}"));
    }
}

/// Confines a command with a site. The programs that the user named are not confined.
fn confine_command(args: &SiteArgs, options: &Options, world: &Disk) {
    let Some(guard) = world.guard() else { return };
    let absolute = |path: &PathBuf| normalize_path(&options.directory.join(path));
    let mut places: Vec<Place> = args.writable.iter().filter_map(|path| place(path, args).ok()).collect();
    let site = options.root.as_ref().and_then(|root| Site::open(root, world).ok());
    places.extend(site.iter().flat_map(|site| site.output.iter().chain(&site.snapshots).chain(&site.tests)).cloned());
    places.extend(guard.roots().flat_map(|root| WRITTEN.map(|name| Place::named(root).join(name))));
    places.extend(options.snapshots.iter().chain(&options.tests).cloned());
    places.extend(match &options.tape {
        Some(tape::Mode::Record(folder)) => Some(folder.clone()),
        _ => None,
    });
    let write = places.iter().filter_map(|place| writable(place, world)).collect();
    let read = guard.roots().map(Path::to_path_buf).chain(args.read_by_command.iter().map(absolute)).collect();
    let mut programs = args.programs.clone();
    programs.extend(guard.programs().iter().map(|program| Startable::Words(vec![program.display().to_string()])));
    if args.isolate_scripts || site.is_some_and(|site| site.isolate_scripts == Some(true)) {
        let worker =
            worker::own_program().map(|worker| vec![worker.display().to_string(), worker::ARGUMENT.to_owned()]);
        programs.extend(worker.map(Startable::Words));
    }
    enter_sandbox(Permissions { read, write, programs }, args.log_format);
}

/// The directory that the kernel must let this process write to for a place: itself, or for a file the one that contains it. `None`: the
/// kernel would follow a link.
fn writable(place: &Place, world: &dyn World) -> Option<PathBuf> {
    let is_directory = world.kind(&place.path()) == Kind::Directory;
    let place = if is_directory { place.clone() } else { place.parent()? };
    is_unlinked(&place).then(|| place.path())
}

/// Whether `catwalk.toml` marks the site as untrusted.
fn is_marked_untrusted(root: &Path, world: &Disk) -> bool {
    Site::open(root, world).is_ok_and(|site| site.untrusted == Some(true))
}

/// Confines the disk before the first file of a site is read, if the command line, the environment or the site marks it as untrusted.
fn confine(options: &mut Options, args: &SiteArgs, here: &Path, world: &Disk) {
    let is_marked = options.root.as_deref().is_some_and(|root| is_marked_untrusted(root, world));
    options.untrusted = options.untrusted || world.guard().is_some() || is_marked;
    if options.untrusted {
        let mut options_of_module = options.clone();
        if options_of_module.root.is_none() {
            // Invalid metadata is reported later.
            let _ = suite::in_module(here, &mut options_of_module, world);
        }
        options_of_module.confine(world);
        confine_command(args, options, world);
    }
}

/// The facts of a fact set of the site or of a built-in one, if `name_or_path` is a plain name and no such file exists. The name may
/// omit the architecture.
///
/// # Errors
/// Neither a file nor a set has this name: exit code 2. `catwalk.toml` is invalid, or its fact sets cannot be read.
fn fact_set(
    name_or_path: &Path,
    path: &Path,
    options: &Options,
    world: &dyn World,
) -> Result<Option<Arc<Hash>>, Reason> {
    let name = name_or_path.to_str().filter(|name| !name.contains(['/', '\\']) && world.kind(path) == Kind::Missing);
    let Some(name) = name else { return Ok(None) };
    let site = options.root.as_deref().map(|root| Site::open(root, world)).transpose()?;
    let mut sets = FactSets::built_in(options.agent(site.as_ref()));
    for path in site.iter().flat_map(|site| &site.facts) {
        sets.load(path, world)?;
    }
    let found = sets.named(name).unwrap_or_default();
    match found.as_slice() {
        [set] => Ok(Some(set.facts.clone())),
        [_, _, ..] => {
            let names: Vec<&str> = found.iter().map(|set| set.name.as_ref()).collect();
            Err(Reason::usage(format!("'{name}' matches several fact sets"))
                .help(format!("name one of {}", names.join(", "))))
        }
        [] if name_or_path
            .extension()
            .is_some_and(|end| ["json", "yaml", "yml"].iter().any(|extension| end == *extension)) =>
        {
            Ok(None)
        }
        [] => {
            let suggestion = did_you_mean(name, sets.iter().map(|set| set.name.trim_end_matches("-x86_64")));
            let suggestion = suggestion.map(|suggestion| format!("{suggestion} ")).unwrap_or_default();
            let text = format!("there is neither a file nor a fact set '{name}'");
            Err(Reason::usage(text).help(format!("{suggestion}`catwalk facts list` names the sets")))
        }
    }
}

/// `--fact` as names and values.
fn fact_overrides(texts: &[String]) -> Result<Vec<FactOverride>, Reason> {
    texts.iter().map(|text| FactOverride::parse(text).map_err(Reason::usage)).collect()
}

/// Makes a path of the command line absolute.
///
/// # Errors
/// The current directory does not exist.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Reason> {
    Ok(normalize_path(&current_dir()?.join(path)))
}

/// The place of a path of the command line to write to. If the code is untrusted, links below the site, the module or the current
/// directory are not followed: the repository, not the user, has made them.
///
/// # Errors
/// The current directory does not exist.
pub(super) fn place(path: &Path, args: &SiteArgs) -> Result<Place, Reason> {
    let here = current_dir()?;
    let path = normalize_path(&here.join(path));
    let world = Disk::new();
    let root = match &args.site {
        Some(site) => Some(normalize_path(&here.join(site))),
        None => suite::find(&here, &world),
    };
    let is_marked = || root.as_deref().is_some_and(|root| is_marked_untrusted(root, &world));
    Ok(match args.untrusted || is_untrusted() || is_marked() {
        true => Place::named_within(path, root.as_deref().unwrap_or(&here)),
        false => Place::named(path),
    })
}

/// `--limit` and `--time-limit` as names and values.
fn limits(args: &SiteArgs) -> Result<Vec<(String, String)>, Reason> {
    let mut limits = Vec::new();
    for text in &args.limits {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Reason::usage(format!("--limit needs NAME=N, got '{text}'")));
        };
        limits.push((name.to_owned(), value.to_owned()));
    }
    limits.extend(args.time_limit.iter().map(|seconds| ("time".to_owned(), seconds.clone())));
    for (name, value) in &limits {
        Limits::default().set(name, value).map_err(|reason| Reason::usage(reason.message))?;
    }
    Ok(limits)
}

/// `--set` and `--legacy-facts` as names and values of settings; paths are relative to the current directory.
fn settings(args: &SiteArgs, here: &Path) -> Result<Vec<(String, String)>, Reason> {
    let version = args.puppet.unwrap_or_default();
    let legacy = args.legacy_facts.then(|| Ok(("include_legacy_facts".to_owned(), "true".to_owned())));
    let set = args.settings.iter().map(|text| setting(text, version, here));
    set.chain(legacy).collect()
}

/// The agent of made-up facts, where no session is open yet.
///
/// # Errors
/// A setting or `catwalk.toml` is invalid.
pub(super) fn agent(args: &SiteArgs) -> Result<Agent, Reason> {
    let here = current_dir()?;
    let options = Options { puppet: args.puppet, set: settings(args, &here)?, ..Options::default() };
    Ok(options.agent(site(args, &Disk::new())?.as_ref()))
}

/// The site of the arguments, if there is one.
fn site(args: &SiteArgs, world: &dyn World) -> Result<Option<Site>, Reason> {
    let here = current_dir()?;
    let root = args.site.as_ref().map(|site| normalize_path(&here.join(site))).or_else(|| Site::find(&here, world));
    root.map(|root| Site::open(&root, world)).transpose()
}

fn setting(text: &str, version: Version, here: &Path) -> Result<(String, String), Reason> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Reason::usage(format!("--set needs SETTING=VALUE, got '{text}'")));
    };
    let is_path = setting_definition::find(name, version).is_some_and(setting_definition::SettingDefinition::is_path);
    if !is_path || value.is_empty() || value.contains('$') {
        return Ok((name.to_owned(), value.to_owned()));
    }
    let absolute = |part: &str| normalize_path(&here.join(part)).to_string_lossy().into_owned();
    Ok((name.to_owned(), value.split(':').map(absolute).collect::<Vec<_>>().join(":")))
}

#[allow(clippy::disallowed_methods, reason = "the command line resolves paths against the process's directory")]
pub(super) fn current_dir() -> Result<PathBuf, Reason> {
    std::env::current_dir().map_err(|error| Reason::usage(format!("the current directory does not exist: {error}")))
}

/// The sources of messages that no session reports: their paths are shown relative to the current directory.
pub(super) fn message_sources() -> SourceMap {
    SourceMap::below(current_dir().ok().as_deref())
}
