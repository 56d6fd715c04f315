//! `catwalk catalog`: works on catalogs in files, in any format.
//!
//! | file | what |
//! |---|---|
//! | `input` | documents from files, catalogs of nodes |

mod input;

use std::io::IsTerminal;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::catalog_format::CatalogFormat;
use crate::cli::catalog_format::CatalogWriter;
use crate::cli::catalog_format::FormatArgs;
use crate::cli::catalog_output::WriteFailure;
use crate::cli::catalog_output::to_file;
use crate::cli::catalog_output::to_stdout;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Redacted;
use catwalk_formats::diff;
use catwalk_formats::diff::comparable;
use catwalk_formats::diff::comparable::Form as CatalogForm;
use catwalk_formats::graph::Graph;
use catwalk_formats::wire::PieceSink;
use catwalk_formats::wire::Threads;
use catwalk_formats::wire::format;
use catwalk_formats::wire::format::Format;
use catwalk_formats::wire::puppetdb;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::validate;
use catwalk_session::secret_key;
use catwalk_session::secret_key::KeySource;
use catwalk_world::Disk;
use catwalk_world::output;

/// Arguments of `catalog`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Write a catalog in another format
    Convert(Convert),
    /// List violations of a catalog's format
    Validate(Validate),
    /// Compare two catalogs, in any formats
    Diff(Diff),
    /// Draw a catalog: containers, relationships and their reasons
    Graph(GraphArgs),
    /// Show why one resource is applied before another
    Why(Why),
}

impl Arguments {
    /// Adds the files that the command itself reads and writes to the site's arguments: untrusted code may not access them.
    pub fn add_paths(&mut self) {
        let (source, output) = match &mut self.command {
            Command::Graph(args) => (&mut args.source, args.output.clone()),
            Command::Why(args) => (&mut args.source, None),
            _ => return,
        };
        source.site.writable.extend(output.filter(|path| path.as_os_str() != "-"));
        source.site.read_by_command.extend(source.catalog.clone());
    }
}

/// Arguments of `catalog convert`.
#[derive(Args, Debug)]
struct Convert {
    /// The catalog; - for stdin
    file: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    format: CatalogFormat,
    #[command(flatten)]
    content: FormatArgs,
    /// Write to this file [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `catalog validate`.
#[derive(Args, Debug)]
struct Validate {
    /// The catalogs; - for stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The expected format [default: detected]
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    format: Option<CatalogFormat>,
    /// Check wire formats against PuppetDB's documentation instead of the rules of its server
    #[arg(long)]
    spec: bool,
}

/// Arguments of `catalog diff`.
#[derive(Args, Debug)]
struct Diff {
    /// The old catalog
    old: PathBuf,
    /// The new catalog
    new: PathBuf,
}

/// The source of a catalog: a file, or the compile of a node.
#[derive(Args, Debug)]
struct Source {
    /// Read this catalog instead of compiling one
    #[arg(long, value_name = "FILE")]
    catalog: Option<PathBuf>,
    #[command(flatten)]
    site: SiteArgs,
}

/// Arguments of `catalog graph`.
#[derive(Args, Debug)]
struct GraphArgs {
    /// The node to compile [default: the only node of the site]
    certname: Option<String>,
    #[command(flatten)]
    source: Source,
    /// What to draw
    #[arg(long, value_enum, default_value = "html")]
    format: GraphFormat,
    /// Write to this file [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Forms of graphs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum GraphFormat {
    /// A page for browsers, without other files: search, open and close containers, see the reason of each relationship
    Html,
    /// For Graphviz
    Dot,
}

/// Arguments of `catalog why`.
#[derive(Args, Debug)]
struct Why {
    /// A resource: 'File[/etc/motd]', by title or alias
    first: String,
    /// Another resource
    second: String,
    /// The node to compile [default: the only node of the site]
    #[arg(long, short, value_name = "CERTNAME")]
    node: Option<String>,
    #[command(flatten)]
    source: Source,
}

/// Runs the command. Returns the exit code.
pub fn run(args: &Arguments, logger: &Logger) -> u8 {
    let logger = match &args.command {
        Command::Graph(GraphArgs { source, .. }) | Command::Why(Why { source, .. }) => Logger::from_args(&source.site),
        _ => *logger,
    };
    let code = match &args.command {
        Command::Convert(args) => convert(args),
        Command::Validate(args) => validate(args),
        Command::Diff(args) => compare(args),
        Command::Graph(args) => graph(args, &logger),
        Command::Why(args) => why(args, &logger),
    };
    code.unwrap_or_else(|reason| usage(&logger, reason))
}

/// The key of digests that replace secrets: the key of the site that contains the current directory.
fn key() -> Key {
    let site = options::with_optional_site(&SiteArgs::default(), &Disk::new()).ok().and_then(|options| options.root);
    secret_key::open_key(site.as_deref(), KeySource::Existing)
}

fn convert(args: &Convert) -> Result<u8, Reason> {
    let document = input::read_document(&args.file)?;
    let options = args.content.options(String::new(), key());
    let writer = CatalogWriter { format: args.format.format(), options };
    let write = |take: PieceSink<'_, WriteFailure>| format::convert(document, writer.format, &writer.options, take);
    match write_pieces(args.output.as_ref(), &SiteArgs::default(), write) {
        Ok(()) => Ok(0),
        Err(WriteFailure::Catalog(reason)) => Err(input::with_file_name(&args.file, reason)),
        Err(WriteFailure::Output(reason)) => Err(reason),
    }
}

/// Writes a document in chunks to a file or stdout.
fn write_pieces(
    output: Option<&PathBuf>,
    site: &SiteArgs,
    write: impl FnOnce(PieceSink<'_, WriteFailure>) -> Result<(), WriteFailure>,
) -> Result<(), WriteFailure> {
    match output.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let place = options::place(path, site).map_err(WriteFailure::Output)?;
            to_file(&place.path(), || output::Output::open(&place, output::Kind::Catalog), write)
        }
        None => to_stdout(write),
    }
}

fn validate(args: &Validate) -> Result<u8, Reason> {
    let style = if args.spec { Style::Documented } else { Style::Terminus };
    let (mut out, mut is_valid) = (String::new(), true);
    for file in &args.files {
        let path = file.display();
        let (name, violations) = match input::read_document(file) {
            Err(reason) => {
                is_valid = false;
                out.push_str(&format!("{}\n", reason.message));
                continue;
            }
            Ok(document) => match args.format.map(CatalogFormat::format).or_else(|| format::detect(&document)) {
                None => {
                    is_valid = false;
                    out.push_str(&format!("{path}: not a catalog: unknown format\n"));
                    continue;
                }
                Some(format) => (CatalogFormat::name(format), validate::validate(&document, format, style)),
            },
        };
        if violations.is_empty() {
            out.push_str(&format!("{path}: valid {name}\n"));
        }
        is_valid &= violations.is_empty();
        violations.iter().for_each(|violation| out.push_str(&format!("{path}: {name}: {violation}\n")));
    }
    print(&for_people(&out))?;
    Ok(u8::from(!is_valid))
}

/// Prints the difference. The exit code is 1 if the catalogs differ.
fn compare(args: &Diff) -> Result<u8, Reason> {
    // With the key of the site, a secret in clear text gets the token that equal secrets have in its files.
    let key = Some(key()).filter(Key::exists).unwrap_or_else(secret_key::temporary_key);
    let (old, new) = input::read_documents_to_compare(&args.old, &args.new, &key)?;
    let (old, new) = ((args.old.as_path(), old), (args.new.as_path(), new));
    let is_wire = |document: &serde_json::Value| matches!(format::detect(document), Some(Format::Wire(_)));
    let is_mixed = is_wire(&old.1) != is_wire(&new.1);
    let read_side = |(path, document): (&Path, serde_json::Value)| -> Result<(Redacted, CatalogForm), Reason> {
        let failed = |reason: Reason| input::with_file_name(path, reason);
        // PuppetDB's formats contain less: a native catalog is converted before it is compared with one of these.
        let document = match is_mixed && !is_wire(&document) && format::detect(&document).is_some() {
            true => format::read(&document, &key).and_then(|catalog| puppetdb::document_of_version_4(&catalog)),
            false => Ok(document),
        };
        let catalog =
            document.and_then(|document| comparable::normalize(document).map_err(Reason::runtime)).map_err(failed)?;
        catalog.check().map_err(|error| failed(Reason::runtime(error)))?;
        Ok((Redacted::from_document(catalog.document, &key), catalog.form))
    };
    let (old, new) = rayon::join(|| read_side(old), || read_side(new));
    let ((mut old, old_form), (mut new, new_form)) = (old?, new?);
    let form = if old_form == new_form { old_form } else { CatalogForm::Wire };
    new.align(&mut old);
    new.hide_counterparts(&old, &key);
    old.hide_counterparts(&new, &key);
    let difference = diff::diff(&old, &new, form);
    let text = diff::render(&difference, std::io::stdout().is_terminal());
    // Not freed, since the process ends: see `cli::leave`.
    std::mem::forget((old, new));
    if !text.is_empty() {
        print(&for_people(&text))?;
    }
    Ok(u8::from(!difference.is_empty()))
}

fn graph(args: &GraphArgs, logger: &Logger) -> Result<u8, Reason> {
    let Some(catalog) = input::open_catalog(&args.source, args.certname.as_deref(), logger)? else { return Ok(1) };
    let options = format::Options::default();
    let written = write_pieces(args.output.as_ref(), &args.source.site, |take| match args.format {
        GraphFormat::Html => take(Graph::from_catalog(&catalog).page()),
        GraphFormat::Dot => format::write_to(&catalog, Format::Dot, &options, Threads::All, take),
    });
    match written {
        Ok(()) => Ok(0),
        Err(WriteFailure::Catalog(reason) | WriteFailure::Output(reason)) => Err(reason),
    }
}

/// Prints the chain between two resources. The exit code is 1 if there is none.
fn why(args: &Why, logger: &Logger) -> Result<u8, Reason> {
    let Some(catalog) = input::open_catalog(&args.source, args.node.as_deref(), logger)? else { return Ok(1) };
    let found = catwalk_formats::order::chain(&catalog, &args.first, &args.second)?;
    let (Ok(text) | Err(text)) = &found;
    print(&for_people(text))?;
    Ok(u8::from(found.is_err()))
}
