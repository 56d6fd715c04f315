//! The destination of catalogs: stdout, a file, or a directory with a file for each node.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::Path;
use std::path::PathBuf;

use crate::cli::commands::compile::Compile;
use crate::cli::options;
use catwalk_base::diag::Reason;
use catwalk_session::Session;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The destination of catalogs.
pub(super) enum Destination {
    Stdout,
    /// A line for each node on a terminal instead of catalogs.
    Table,
    File(Target),
    /// `CERTNAME.json` in this directory.
    Directory(Target),
}

/// A path for catalogs.
pub(super) struct Target {
    /// The path as the command line or the site names it, for messages.
    pub(super) path: PathBuf,
    pub(super) place: Place,
}

/// Directories of catalogs.
pub(super) static CATALOGS: Purpose =
    Purpose { name: "catalogs", description: "catalogs", option: "--output DIR", contents: Contents::Mixed };

impl Destination {
    /// The destination that the options or, when all nodes are compiled, the site name. Nothing is written.
    ///
    /// # Errors
    /// Several catalogs would be written to one file; the directory is reached through a link that the user did not name.
    pub(super) fn from_args(args: &Compile, session: &Session, nodes: usize) -> Result<Destination, Reason> {
        let compiles_all = args.certnames.is_empty() && !session.options.has_facts();
        let target = match &args.output {
            Some(path) if path.as_os_str() == "-" => return Ok(Destination::Stdout),
            Some(path) => Some(Target { path: path.clone(), place: options::place(path, &args.site)? }),
            None => {
                let configured = session.site.output.clone().filter(|_| compiles_all);
                configured.map(|place| Target { path: place.path(), place })
            }
        };
        // `output` of the site is a directory, however many nodes there are.
        let is_configured = args.output.is_none();
        Ok(match target {
            Some(target) if nodes > 1 && !is_configured && is_file_name(&target.path) => {
                return Err(one_file_for_several(&target.path, nodes));
            }
            Some(target) if nodes > 1 || is_configured || is_directory(&target.path) => {
                match Directory::open_existing(&target.place, &CATALOGS) {
                    Err(error) if error.is_refusal() => return Err(error.into()),
                    _ => Destination::Directory(target),
                }
            }
            Some(target) => Destination::File(target),
            None if args.format.is_some() && !args.certnames.is_empty() => Destination::Stdout,
            None if std::io::stdout().is_terminal() => Destination::Table,
            None => Destination::Stdout,
        })
    }

    /// Whether catalogs are written to files.
    pub(super) fn writes_files(&self) -> bool {
        !matches!(self, Destination::Stdout | Destination::Table)
    }

    /// The path of a node's catalog, for messages.
    pub(super) fn path(&self, certname: &str) -> Option<PathBuf> {
        match self {
            Destination::Stdout | Destination::Table => None,
            Destination::File(target) => Some(target.path.clone()),
            Destination::Directory(target) => Some(target.path.join(format!("{certname}.json"))),
        }
    }

    /// Begins to write the file of a node's catalog.
    pub(super) fn create(&self, certname: &str) -> std::io::Result<output::Output> {
        match self {
            Destination::Stdout | Destination::Table => Err(std::io::Error::from(std::io::ErrorKind::Unsupported)),
            Destination::File(target) => output::Output::open(&target.place, output::Kind::Catalog),
            Destination::Directory(target) => {
                let directory = Directory::open(&target.place, &CATALOGS)?;
                directory.create(&format!("{certname}.json"), output::Kind::NodeCatalog)
            }
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "where the user wants output")]
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/')
}

/// Whether a path is that of a file: one exists there, or its name ends as the names of documents do.
#[allow(clippy::disallowed_methods, reason = "where the user wants output")]
fn is_file_name(path: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["json", "pson", "yaml", "yml", "dot", "txt", "gz", "db"];
    let is_ending = |end: &OsStr| ENDINGS.iter().any(|known| end.eq_ignore_ascii_case(known));
    path.is_file() || (!is_directory(path) && path.extension().is_some_and(is_ending))
}

fn one_file_for_several(path: &Path, nodes: usize) -> Reason {
    let text = format!("{nodes} catalogs cannot be written to one file, {}", path.display());
    let help = format!(
        "`--output {}/` writes CERTNAME.json for each node to a directory; `--output -` writes all to stdout, one document after the other; \
         or name one node",
        path.with_extension("").display()
    );
    Reason::usage(text).help(help)
}
