//! Determines which functions the stdlib on the modulepath provides, since its release lines differ.
//!
//! In: a function's name, the module's files. Out: the implementation of the function, if any. In the 9.x line the old names are
//! deprecated aliases of those in `stdlib::`, and a few functions behave differently. If the module's source of a function differs
//! from the sources that the function in Rust replaces (older versions, edited files), the source is run. A module without Ruby
//! files has all functions, as in the release that its `metadata.json` names. An empty directory (a submodule of git that was not
//! checked out) has none.

use std::path::Path;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::entries::stdlib_entry;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::source::Span;
use catwalk_eval::Entry;
use catwalk_eval::Evaluator;
use catwalk_eval::Function;
use catwalk_eval::ModuleFunction;
use catwalk_eval::Res;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_world::Kind;
use catwalk_world::World;

/// The source files that functions in Rust replace: a path below `lib/puppet/`, then digests. `8` or `9` after a digest is the
/// release line of that source, if the lines differ. Written by `tests/reference/stdlib-versions`.
const VERSIONS: &str = include_str!("versions.tsv");

/// Functions that always run in Rust because they need processes or libraries of the machine.
const ALWAYS_NATIVE: &[&str] =
    &["parsehocon", "pry", "time", "validate_augeas", "validate_cmd", "validate_x509_rsa_key_pair"];

/// Warns that a function is called by its deprecated name, as the functions of stdlib 9 do (`deprecation`).
fn warn_of_old_name(ev: &mut Evaluator<'_>, old: Name, new: Name, span: Span) -> Res<()> {
    let message = format!("This function is deprecated, please use {new} instead.");
    let args = [Value::from(old.shared()), Value::from(message), Value::Bool(false)];
    ev.try_call(catwalk_base::name!("deprecation"), &args, None, span).transpose().map(drop)
}

/// The implementation of a function name; `None` without the module.
pub(crate) fn module_function(ev: &Evaluator<'_>, name: Name) -> Option<ModuleFunction> {
    let environment = &ev.program.environment;
    let root = &environment.module("stdlib")?.root;
    ev.program
        .shared_result(name, |world| find_in_module(name, root, &environment.hidden, world))
        .map(|function| *function)
}

/// The function of this name in stdlib 9.0 and later, if it has changed.
fn find_newer(name: Name) -> Option<&'static Entry> {
    static TABLE: OnceLock<NameMap<Entry>> = OnceLock::new();
    let entry = |function: &&'static Function| (Name::new(function.name), stdlib_entry(function));
    TABLE.get_or_init(|| super::CHANGED_IN_9.iter().map(entry).collect()).get(&name)
}

fn find_in_module(name: Name, root: &Path, hidden: &[PathBuf], world: &dyn World) -> ModuleFunction {
    let is_file = |path: &str| world.kind(&root.join(path)) == Kind::File;
    let version_of = |path: &str| source_version(root, path, world);
    if world.kind(&root.join("lib/puppet")) != Kind::Directory && is_file("metadata.json") {
        let newer = find_newer(name).filter(|_| major_version(root, world).is_some_and(|major| major >= 9));
        return newer.map_or(ModuleFunction::Native, ModuleFunction::Newer);
    }
    let function = name.as_str();
    if let Some(short_name) = function.strip_prefix("stdlib::") {
        let ruby = format!("functions/stdlib/{short_name}.rb");
        if is_file(&format!("lib/puppet/{ruby}")) {
            return choose_implementation(name, version_of(&ruby));
        }
        let exists = is_file(&format!("functions/{short_name}.pp"));
        return if exists { ModuleFunction::Native } else { ModuleFunction::Missing };
    }
    let (newer, older) = (format!("functions/{function}.rb"), format!("parser/functions/{function}.rb"));
    let newer_api = is_file(&format!("lib/puppet/{newer}"));
    let shims = || {
        is_file(&format!("lib/puppet/functions/stdlib/{function}.rb")) || is_file(&format!("functions/{function}.pp"))
    };
    if newer_api && shims() {
        if version_of(&newer) == SourceVersion::Unknown {
            return ModuleFunction::ModuleSource;
        }
        // `stdlib::time` logs the warning itself.
        let has_warning = function != "time" || is_file("lib/puppet/functions/stdlib/time.rb");
        let to = Name::new(&format!("stdlib::{function}"));
        return ModuleFunction::Renamed { to, warn: has_warning.then_some(warn_of_old_name) };
    }
    if !newer_api && !is_file(&format!("lib/puppet/{older}")) {
        // The 3.x functions of a hidden stdlib on the modulepath still exist.
        let mut hidden = hidden.iter().filter(|root| root.ends_with("stdlib"));
        let path = |root: &PathBuf| root.join(format!("lib/puppet/{older}"));
        let hidden_root = hidden.find(|root| world.kind(&path(root)) == Kind::File);
        return hidden_root
            .map_or(ModuleFunction::Missing, |root| choose_implementation(name, source_version(root, &older, world)));
    }
    let version = version_of(if newer_api { &newer } else { &older });
    match (choose_implementation(name, version), find_newer(name)) {
        (ModuleFunction::Native, Some(entry))
            if version == SourceVersion::Nine || (version == SourceVersion::Any && is_nine(root, world)) =>
        {
            ModuleFunction::Newer(entry)
        }
        (line, _) => line,
    }
}

/// The version of a function's source code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceVersion {
    /// A source that the function in Rust replaces in all major versions.
    Any,
    /// The source before 9.0.
    Eight,
    /// The source since 9.0.
    Nine,
    /// An unknown source, which may behave differently.
    Unknown,
}

fn choose_implementation(name: Name, version: SourceVersion) -> ModuleFunction {
    if version == SourceVersion::Unknown && !ALWAYS_NATIVE.contains(&name.as_str()) {
        ModuleFunction::ModuleSource
    } else {
        ModuleFunction::Native
    }
}

/// The version of a file below `lib/puppet/`. For a file without code, the function in Rust is used.
fn source_version(root: &Path, path: &str, world: &dyn World) -> SourceVersion {
    static TABLE: OnceLock<NameMap<&'static str>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        VERSIONS
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(path, digests)| (Name::new(path), digests))
            .collect()
    });
    let Ok(bytes) = world.read(&root.join("lib/puppet").join(path)) else { return SourceVersion::Any };
    let digest = digest(&bytes);
    if digest == EMPTY {
        return SourceVersion::Any;
    }
    let digest = format!("{digest:016x}");
    let mut digests = table.get(&Name::new(path)).copied().unwrap_or_default().split(' ');
    match digests.find_map(|entry| entry.strip_prefix(digest.as_str())) {
        None => SourceVersion::Unknown,
        Some("8") => SourceVersion::Eight,
        Some("9") => SourceVersion::Nine,
        Some(_) => SourceVersion::Any,
    }
}

/// The digest of a file without code.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of the lines that are neither empty nor comments, without the space around them.
fn digest(bytes: &[u8]) -> u64 {
    let mut hash = EMPTY;
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        for byte in line.iter().chain(b"\n") {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Whether the module is of the 9.x line or later, by its `metadata.json`.
fn is_nine(root: &Path, world: &dyn World) -> bool {
    major_version(root, world).is_none_or(|major| major >= 9)
}

/// The major version in the `metadata.json` of the module.
fn major_version(root: &Path, world: &dyn World) -> Option<u32> {
    let bytes = world.read(&root.join("metadata.json")).ok()?;
    let Ok(Value::Hash(metadata)) = json::parse(&bytes) else { return None };
    metadata.get("version").and_then(Value::as_str)?.split('.').next()?.parse().ok()
}
