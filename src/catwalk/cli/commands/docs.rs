//! `catwalk docs`: functions, resource types, classes, data types and error codes, explained.
//!
//! In: a topic, a name, optionally a site. Out: pages or lists on stdout; an unknown name is an error with similar names.
//! Must not: evaluate anything.

mod schema;

use std::io::IsTerminal;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_docs::Page;
use catwalk_docs::Topic;
use catwalk_program::Environment;
use catwalk_session::Session;
use catwalk_session::site::Site;
use catwalk_world::Disk;

/// Arguments of `docs`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// functions, types, classes, datatypes, errors, guides or schema; or a name to search for in all of them
    topic: Option<String>,
    /// What to explain [default: list all]
    name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The site whose modules are searched [default: the nearest parent with catwalk.toml or environment.conf]
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    /// Name of the environment [default: production]
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Directories of modules, separated by colons
    #[arg(long, value_name = "A:B")]
    modulepath: Option<String>,
    /// Do not read outside of the site: it is untrusted
    #[arg(long)]
    untrusted: bool,
    /// Show only what is built in, nothing of the site
    #[arg(long, conflicts_with_all = ["site", "modulepath"])]
    builtin: bool,
}

/// Formats of documentation.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Text for a terminal
    Text,
    /// Markdown
    Markdown,
    /// A JSON array of pages
    Json,
}

const OVERVIEW: &str = "\
Documentation of what manifests can use, and of error codes:

  catwalk docs functions [NAME]   functions: of Puppet, of stdlib, of the site's modules
  catwalk docs types [NAME]       resource types and defined types, with their attributes
  catwalk docs classes [NAME]     classes of the site, with their parameters
  catwalk docs datatypes [NAME]   data types and type aliases
  catwalk docs errors [CODE]      codes of errors and warnings: causes, and what to do
  catwalk docs types metaparameters   the attributes that every resource has
  catwalk docs guides [NAME]      guides by task: of a command, of an interface of scripts
  catwalk docs schema [NAME]      JSON Schemas for editors: of catwalk.toml, test files, node groups
  catwalk docs NAME               whatever has this name

--format text|markdown|json; --builtin leaves the site out.
";

/// Runs `docs`: 0 done, 1 no such name, 2 usage.
#[must_use]
pub fn run(arguments: &Arguments, logger: &Logger) -> ExitCode {
    let out = match find_pages(arguments) {
        Ok(Ok(text)) => text,
        Ok(Err(unknown)) => {
            report_error(unknown, logger);
            return ExitCode::from(1);
        }
        Err(reason) => {
            report_error(*reason, logger);
            return ExitCode::from(2);
        }
    };
    // A closed pipe is not an error.
    let out = if arguments.format == Format::Json { out.into() } else { for_people(&out) };
    let _ = std::io::stdout().lock().write_all(out.as_bytes());
    ExitCode::SUCCESS
}

fn report_error(reason: Reason, logger: &Logger) {
    logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
}

fn find_pages(arguments: &Arguments) -> Result<Result<String, Reason>, Box<Reason>> {
    let Some(word) = &arguments.topic else { return Ok(Ok(OVERVIEW.to_owned())) };
    if word == "schema" || word == "schemas" {
        return Ok(schema::print(arguments.name.as_deref()));
    }
    let topic = Topic::ALL.into_iter().find(|topic| {
        let word = word.to_lowercase();
        topic.word() == word || (arguments.name.is_some() && topic.one().replace(' ', "") == word)
    });
    let world = Disk::new();
    let environment = open_environment(arguments, &world)?;
    let pages = |topic: Topic| {
        let mut pages = catwalk_docs::builtin_pages(topic);
        if let Some(environment) = &environment {
            let site_pages = catwalk_docs::site_pages(environment, &world, topic);
            merge(&mut pages, site_pages);
        }
        pages
    };
    let (topics, name): (Vec<Topic>, &str) = match (topic, &arguments.name) {
        (Some(topic), None) => return Ok(Ok(render_list(&pages(topic), topic, arguments.format))),
        // A name that looks like a type may be that of a class or a data type: a manifest does not distinguish them.
        (Some(Topic::Types), Some(name)) => (vec![Topic::Types, Topic::Datatypes, Topic::Classes], name),
        (Some(Topic::Guides), Some(name)) => (vec![Topic::Guides], catwalk_docs::guide_name(name)),
        (Some(topic), Some(name)) => (vec![topic], name),
        // No name in a manifest consists of capitals only, so this is an error code.
        (None, None) if Code::find(word).is_some() => (vec![Topic::Errors], word),
        (None, None) => (Topic::ALL.into_iter().filter(|topic| *topic != Topic::Errors).collect(), word),
        (None, Some(_)) => {
            let text = format!("no topic '{word}': there are functions, types, classes, datatypes, errors and guides");
            let words = Topic::ALL.into_iter().map(Topic::word);
            return Err(Box::new(Reason::usage(text).hint(did_you_mean(word, words))));
        }
    };
    let has_topic = topic.is_some();
    let noun = topics.first().filter(|_| has_topic).map_or("function, type, class, data type or guide", |t| t.one());
    let mut searched = Vec::new();
    let mut found: Vec<Page> = Vec::new();
    for topic in topics {
        let all = pages(topic);
        let name = if topic == Topic::Guides { catwalk_docs::guide_name(name) } else { name };
        found.extend(catwalk_docs::find(&all, name).into_iter().cloned());
        // With a topic, the first topic with the name is shown; without one, all are.
        if !found.is_empty() && has_topic {
            break;
        }
        searched.extend(all);
    }
    if found.is_empty() && name == "metaparameters" {
        found.push(catwalk_docs::metaparameters());
    }
    if found.is_empty() {
        let nearest: Vec<String> =
            catwalk_docs::nearest(searched.iter(), name).iter().map(|name| format!("'{name}'")).collect();
        let reason = Reason::new(Code::UNKNOWN_NAME, format!("no {noun} '{name}'"));
        let reason =
            if nearest.is_empty() { reason } else { reason.help(format!("did you mean {}?", nearest.join(", "))) };
        return Ok(Err(reason));
    }
    // A guide is long: beside another page with the name, it is only mentioned.
    let guide = found.iter().position(|page| page.kind == catwalk_docs::GUIDE).filter(|at| *at > 0);
    let guide = guide.map(|at| found.remove(at));
    let mut text = render_pages(&found, arguments.format);
    if let Some(guide) = guide.filter(|_| arguments.format == Format::Text) {
        text.push_str(&format!("\n`catwalk docs guides {}` prints the guide of this name\n", guide.name));
    }
    Ok(Ok(text))
}

/// Adds the pages of a site. A built-in page replaces a page of a module with the same name, except for resource types: there the
/// module's own wins, as it does in a compile.
fn merge(pages: &mut Vec<Page>, site_pages: Vec<Page>) {
    for page in site_pages {
        match pages.iter().position(|existing| existing.name == page.name && existing.kind == page.kind) {
            Some(at) if page.kind == "resource type" => {
                if let Some(existing) = pages.get_mut(at).filter(|existing| existing.origin == "Puppet") {
                    *existing = page;
                }
            }
            Some(_) => {}
            None => pages.push(page),
        }
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
}

fn open_environment(arguments: &Arguments, world: &Disk) -> Result<Option<Arc<Environment>>, Box<Reason>> {
    if arguments.builtin {
        return Ok(None);
    }
    let mut site = SiteArgs {
        site: arguments.site.clone(),
        environment: arguments.environment.clone(),
        modulepath: arguments.modulepath.clone(),
        untrusted: arguments.untrusted,
        ..SiteArgs::default()
    };
    let here = options::current_dir()?;
    if site.site.is_none() && Site::find(&here, world).is_none() {
        if site.modulepath.is_none() {
            return Ok(None);
        }
        site.execute = Some(String::new());
    }
    let options = options::session(&site, world)?;
    let session = Session::open(options, Arc::new(Disk::new()))?;
    session
        .open_environment()
        .map(Some)
        .map_err(|diagnostic| Box::new(Reason::new(diagnostic.code, diagnostic.message)))
}

fn color() -> bool {
    let out = std::io::stdout();
    out.is_terminal() && anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never
}

fn render_list(pages: &[Page], topic: Topic, format: Format) -> String {
    match format {
        Format::Text => catwalk_docs::list(pages, color()),
        Format::Json => format!("{}\n", catwalk_docs::json(&pages.iter().collect::<Vec<_>>())),
        Format::Markdown => {
            let mut pages = pages.to_vec();
            if topic == Topic::Types {
                pages.push(catwalk_docs::metaparameters());
            }
            catwalk_docs::book(topic, &pages)
        }
    }
}

fn render_pages(pages: &[Page], format: Format) -> String {
    let join = |write: &dyn Fn(&Page) -> String| pages.iter().map(write).collect::<Vec<_>>().join("\n");
    match format {
        Format::Text => join(&|page| catwalk_docs::page(page, color())),
        Format::Json => format!("{}\n", catwalk_docs::json(&pages.iter().collect::<Vec<_>>())),
        Format::Markdown => join(&|page| catwalk_docs::markdown(page)),
    }
}
