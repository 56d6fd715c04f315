//! The input of the commands: documents in files, and compiled catalogs of nodes.

use std::io::BufReader;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use super::Source;
use super::key;
use crate::cli::Logger;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_catalog::Catalog;
use catwalk_formats::unchanged::read_without_unchanged;
use catwalk_formats::wire::format;
use catwalk_session::Session;
use catwalk_session::core_type_targets;
use catwalk_session::selection;
use catwalk_world::Disk;

/// The size limit of a document in bytes.
const LARGEST: u64 = 1 << 30;

/// Adds the name of the file to a failure.
pub(super) fn with_file_name(path: &Path, reason: Reason) -> Reason {
    Reason::new(Code::BAD_CATALOG, format!("{}: {}", path.display(), reason.message))
}

/// Files up to this size in bytes are read as a whole. Larger files and streams are parsed while they are read, so that an early error
/// ends the reading.
const READ_AT_ONCE: u64 = 64 << 20;

/// The contents of a file.
pub(super) enum Contents {
    /// The bytes of a regular file.
    Bytes(Vec<u8>),
    /// The document of a stream or a very large file.
    Document(Json),
}

/// The JSON document in a file; `-` is stdin. The file may be a device or pipe that the user named.
///
/// # Errors
/// The file cannot be read or is not JSON.
pub(super) fn read_document(path: &Path) -> Result<Json, Reason> {
    read_contents(path)?.into_document(path)
}

impl Contents {
    /// The document of the file at `path`.
    ///
    /// # Errors
    /// The file is not JSON.
    pub(super) fn into_document(self, path: &Path) -> Result<Json, Reason> {
        match self {
            Contents::Bytes(bytes) => serde_json::from_slice(&bytes).map_err(|error| not_json(path, &error)),
            Contents::Document(document) => Ok(document),
        }
    }
}

/// The contents of a file; `-` is stdin.
///
/// # Errors
/// The file cannot be read, or is a stream that is not JSON.
pub(super) fn read_contents(path: &Path) -> Result<Contents, Reason> {
    if path.as_os_str() == "-" {
        return parse_stream(path, std::io::stdin().lock()).map(Contents::Document);
    }
    let failed = |error: std::io::Error| Reason::usage(format!("cannot read {}: {error}", path.display()));
    #[allow(clippy::disallowed_methods, reason = "a file of the user that no catalog depends on")]
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > READ_AT_ONCE {
        return parse_stream(path, file).map(Contents::Document);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Contents::Bytes(bytes))
}

/// The documents in two files. If both are regular files that are read as a whole, most of the equal parts of two catalogs are left out.
///
/// # Errors
/// As [`read_document`].
pub(super) fn read_documents_to_compare(old: &Path, new: &Path, key: &Key) -> Result<(Json, Json), Reason> {
    match rayon::join(|| read_contents(old), || read_contents(new)) {
        (Ok(Contents::Bytes(before)), Ok(Contents::Bytes(after))) => {
            let (before, after) = read_without_unchanged(&before, &after, key);
            let failed = |path| move |error: serde_json::Error| not_json(path, &error);
            Ok((before.map_err(failed(old))?, after.map_err(failed(new))?))
        }
        (before, after) => Ok((before?.into_document(old)?, after?.into_document(new)?)),
    }
}

/// The document in a stream.
fn parse_stream(path: &Path, stream: impl Read) -> Result<Json, Reason> {
    let mut stream = BufReader::new(stream.take(LARGEST));
    let document = serde_json::from_reader(&mut stream);
    if stream.get_ref().limit() == 0 {
        return Err(with_file_name(path, Reason::runtime(format!("more than {LARGEST} bytes"))));
    }
    document.map_err(|error| match error.is_io() {
        true => Reason::usage(format!("cannot read {}: {error}", path.display())),
        false => not_json(path, &error),
    })
}

fn not_json(path: &Path, error: &serde_json::Error) -> Reason {
    with_file_name(path, Reason::runtime(format!("it is not JSON: {error}")))
}

/// The catalog in a file, or the compiled catalog of a node with the positions of its relationships. `None`: the compile failed; the
/// error was printed.
///
/// # Errors
/// The file is not a catalog, or the node does not exist.
pub(super) fn open_catalog(
    source: &Source,
    certname: Option<&str>,
    logger: &Logger,
) -> Result<Option<Catalog>, Reason> {
    if let Some(path) = &source.catalog {
        let mut catalog = format::read(&read_document(path)?, &key()).map_err(|reason| with_file_name(path, reason))?;
        if source.site.autorequire {
            catalog.relate_automatically(core_type_targets(&catalog));
        }
        return Ok(Some(catalog));
    }
    let world = Arc::new(Disk::new());
    let mut options = options::session(&source.site, world.as_ref())?;
    options.settings.relationship_origins = true;
    let session = Session::open(options, world)?;
    let named: Vec<String> = certname.map(str::to_owned).into_iter().collect();
    let names = selection::select(&named, &session)?;
    let [name] = names.as_slice() else {
        return Err(Reason::usage(format!("name one of the {} nodes of the site", names.len())));
    };
    let compiled = session.compile(name);
    compiled.logs.iter().for_each(|line| logger.write(line, session.sources(), Some(name)));
    match compiled.result {
        Ok(mut catalog) => {
            if let Some(root) = &session.options.root {
                show_relative_paths(&mut catalog, &format!("{}/", root.display()));
            }
            Ok(Some(catalog))
        }
        Err(failure) => {
            logger.write(&failure, session.sources(), Some(name));
            Ok(None)
        }
    }
}

/// Makes the paths of files in the site relative, as in the output of other commands.
fn show_relative_paths(catalog: &mut Catalog, root: &str) {
    let shorten = |file: &mut Arc<str>| {
        if let Some(relative) = file.strip_prefix(root) {
            *file = Arc::from(relative);
        }
    };
    catalog.resources.iter_mut().filter_map(|resource| resource.file.as_mut()).for_each(shorten);
    catalog.origins.iter_mut().filter_map(|origin| Some(&mut origin.position.as_mut()?.0)).for_each(shorten);
}
