//! `catwalk show NODE [RESOURCE]`: a catalog or a resource of it as a page.
//!
//! In: a node, optionally a resource. Out: a page for people on stdout. Must not: know how catalogs are compiled.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_base::diag::visible;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::path::shown;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_console::Console;
use catwalk_console::InitialState;
use catwalk_console::ResourceOrigins;
use catwalk_formats::neighbourhood;
use catwalk_session::Session;
use catwalk_value::printing::to_indented_program;
use catwalk_world::Disk;

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The node
    pub certname: String,
    /// A resource: 'File[/etc/motd]', or a part of its reference; if several match, they are listed
    pub resource: Option<String>,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Compiles the node and prints.
pub fn run(args: &Show) -> u8 {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let opened = options::session(&args.site, world.as_ref()).and_then(|options| Session::open(options, world));
    let session = match opened {
        Ok(session) => session,
        Err(reason) => return usage(&logger, reason),
    };
    let certname = args.certname.to_lowercase();
    let root = session.home();
    let choose = |catalog: &Catalog| match neighbourhood::find_all(catalog, args.resource.as_deref()?).as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    let prepared = session.prepare_with_exports(&certname);
    let described = prepared.and_then(|prepared| {
        session.with_prepared(&prepared, |opened, mut logs| {
            let described = Console::new(opened, InitialState::Compiled).and_then(|(mut console, logs_before)| {
                logs.extend(logs_before);
                console.describe(choose, root).map_err(|failure| (Vec::new(), failure))
            });
            described.map(|mut described| {
                logs.append(&mut described.logs);
                ResourceOrigins { logs: std::mem::take(&mut logs), ..described }
            })
        })
    });
    let described = described.and_then(|described| {
        described.map_err(|(logs, failure)| {
            logs.iter().for_each(|line| logger.write(line, session.sources(), Some(&certname)));
            failure
        })
    });
    let page = described.and_then(|described| {
        described.logs.iter().for_each(|line| logger.write(line, session.sources(), Some(&certname)));
        render_page(args, &described, root).map_err(Box::from)
    });
    match page.and_then(|page| print(&for_people(&page)).map_err(Box::from)) {
        Ok(()) => 0,
        Err(failure) => {
            logger.write(&failure, session.sources(), Some(&certname));
            1
        }
    }
}

fn render_page(args: &Show, described: &ResourceOrigins, root: Option<&Path>) -> Result<String, Reason> {
    let catalog = &described.catalog;
    let text = match (&described.resource, &args.resource) {
        (Some((at, origins)), _) => {
            let Some(resource) = catalog.resources.get(*at) else { return Ok(String::new()) };
            let mut text = heading(resource, root);
            text.push_str(&list_parameters(resource, origins));
            if let Some(graph) = neighbourhood::neighbourhood(catalog, *at, root) {
                text.push('\n');
                graph.rows.iter().for_each(|row| text.push_str(&format!("{}\n", row.text)));
            }
            text
        }
        (None, Some(wanted)) => {
            let matching = neighbourhood::find_all(catalog, wanted);
            if !matching.is_empty() {
                return Ok(catalog.secrets.redact(&list_matching(catalog, wanted, &matching, root)).into_owned());
            }
            let references: Vec<String> = catalog.resources.iter().map(Resource::reference).collect();
            let suggestion = did_you_mean(wanted, references.iter().map(String::as_str));
            let text = format!("{} has no resource '{wanted}'", catalog.name);
            let all = format!("`catwalk show {}` lists all", catalog.name);
            return Err(
                Reason::runtime(text).help(suggestion.map_or(all.clone(), |suggestion| format!("{suggestion} {all}")))
            );
        }
        (None, None) => list_resources(catalog, root),
    };
    Ok(catalog.secrets.redact(&text).into_owned())
}

/// The reference of a resource and the position of its declaration.
fn heading(resource: &Resource, root: Option<&Path>) -> String {
    let mut text = visible::line(&resource.reference()).into_owned();
    if let Some(location) = declaration_position(resource, root) {
        text.push_str(&format!("  ({})", visible::line(&location)));
    }
    text.push('\n');
    text
}

fn declaration_position(resource: &Resource, root: Option<&Path>) -> Option<String> {
    let file = shown(Path::new(resource.file.as_deref()?), root);
    Some(resource.line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}")))
}

fn list_parameters(resource: &Resource, origins: &[(catwalk_base::names::Name, String)]) -> String {
    let width = resource.parameters.keys().map(|name| name.len()).max().unwrap_or(0);
    let mut rows: Vec<(String, &str)> = Vec::new();
    for (name, value) in &resource.parameters {
        let value = match resource.sensitive.contains(name) {
            true => "Sensitive [value redacted]".to_owned(),
            false => to_indented_program(value, 1).trim_start().to_owned(),
        };
        let origin = origins.iter().find(|(parameter, _)| parameter == name).map_or("", |(_, origin)| origin);
        rows.push((format!("  {:width$} => {value}", name.as_str()), origin));
    }
    let length = |row: &str| row.lines().next_back().map_or(0, |line| line.chars().count());
    let column = rows.iter().map(|(row, _)| length(row)).filter(|length| *length <= 60).max().unwrap_or(0);
    let mut text = String::new();
    for (row, origin) in rows {
        let gap = " ".repeat(column.saturating_sub(length(&row)));
        text.push_str(&row);
        if !origin.is_empty() {
            text.push_str(&format!("{gap}  # {origin}"));
        }
        text.push('\n');
    }
    text
}

/// The resources that a part of a reference selects.
fn list_matching(catalog: &Catalog, wanted: &str, matching: &[usize], root: Option<&Path>) -> String {
    let mut text = format!("{}: {} resources match '{wanted}'\n\n", catalog.name, matching.len());
    let resources = || matching.iter().filter_map(|at| catalog.resources.get(*at));
    resources().for_each(|resource| text.push_str(&heading(resource, root)));
    let example = resources().next().map(Resource::reference).unwrap_or_default();
    text.push_str(&format!("\n`catwalk show {} '{example}'` shows one of them\n", catalog.name));
    text
}

/// All resources, each below its container.
fn list_resources(catalog: &Catalog, root: Option<&Path>) -> String {
    let count = catalog.resources.len();
    let mut text = format!("{}: {count} resources, environment {}\n\n", catalog.name, catalog.environment);
    let mut contents: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut is_contained = vec![false; count];
    for (container, contained) in &catalog.edges {
        if let (Some(of), Some(mark)) = (contents.get_mut(*container), is_contained.get_mut(*contained)) {
            of.push(*contained);
            *mark = true;
        }
    }
    let mut visited = vec![false; count];
    let roots = (0..count).filter(|at| !is_contained.get(*at).copied().unwrap_or_default());
    let mut stack: Vec<(usize, usize)> = roots.map(|at| (at, 0)).collect();
    stack.reverse();
    while let Some((at, depth)) = stack.pop() {
        let (Some(resource), Some(visited)) = (catalog.resources.get(at), visited.get_mut(at)) else { continue };
        if std::mem::replace(visited, true) {
            continue;
        }
        text.push_str(&format!("{:indent$}{}", "", heading(resource, root), indent = depth * 2));
        stack.extend(contents.get(at).into_iter().flatten().rev().map(|inner| (*inner, depth + 1)));
    }
    text.push_str(&format!("\n`catwalk show {} 'TYPE[TITLE]'` shows a resource\n", catalog.name));
    text
}
