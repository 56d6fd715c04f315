//! The source of a file's contents: a path, a `file:` URL, a file of a module.

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::Run;
use catwalk_resource_api::Failure;
use catwalk_system::Stat;

use super::Settings;

/// A source that exists.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The value in the manifest.
    pub(super) label: String,
    pub(super) path: PathBuf,
    pub(super) stat: Stat,
}

/// The error in a source of a manifest.
pub(super) fn problem(source: &str) -> Option<String> {
    if source.starts_with('/') {
        return None;
    }
    let is_scheme = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains('/');
    match source.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        None => Some(format!("Cannot use relative URLs '{source}'")),
        Some((_, rest)) if !rest.starts_with('/') => Some(format!("Cannot use opaque URLs '{source}'")),
        Some(("file" | "puppet", _)) => None,
        Some((scheme @ ("http" | "https"), _)) => {
            Some(format!("not supported yet: sources of type '{scheme}' ('{source}')"))
        }
        Some((scheme, _)) => Some(format!("Cannot use URLs of type '{scheme}' as source for fileserving")),
    }
}

/// Formats a source for messages: `file:///x`.
fn display_source(source: &str) -> String {
    if source.starts_with('/') { format!("file://{source}") } else { source.to_owned() }
}

/// The path of a source on this machine; `None` for sources on servers.
fn locate(source: &str, settings: &Settings) -> Option<PathBuf> {
    if source.starts_with('/') {
        return Some(PathBuf::from(source));
    }
    if let Some(rest) = source.strip_prefix("file:") {
        // `file:/x`, `file:///x`
        return Some(PathBuf::from(format!("/{}", rest.trim_start_matches('/'))));
    }
    let (_, path) = source.strip_prefix("puppet://")?.split_once('/')?;
    let (module, file) = path.strip_prefix("modules/")?.split_once('/').unwrap_or((path.strip_prefix("modules/")?, ""));
    // The path must not leave the module.
    if Path::new(file).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
        return None;
    }
    (settings.module_files)(module).map(|folder| if file.is_empty() { folder } else { folder.join(file) })
}

/// The first source that exists.
///
/// # Errors
/// None of the sources exists.
pub(super) fn find(
    sources: &[String],
    follow: bool,
    settings: &Settings,
    run: &mut Run<'_>,
) -> Result<Source, Failure> {
    for source in sources {
        let Some(path) = locate(source, settings) else { continue };
        let stat = run.system.stat(&path, follow).map_err(|error| {
            Failure::new(format!("Could not retrieve file metadata for {}: {error}", display_source(source)))
        })?;
        // Puppet treats a link to nothing as a source that does not exist.
        let is_dangling = !follow && matches!(run.system.stat(&path, true), Ok(None));
        if let Some(stat) = stat.filter(|_| !is_dangling) {
            return Ok(Source { label: source.clone(), path, stat });
        }
    }
    let names: Vec<String> = sources.iter().map(|source| display_source(source)).collect();
    let (environment, names) = (&settings.environment, names.join(", "));
    Err(Failure::new(format!("Could not retrieve information from environment {environment} source(s) {names}")))
}
