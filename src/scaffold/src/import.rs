//! Facts of real nodes as files of the site's folder of nodes, `CERTNAME.json`.
//!
//! In: fact sets: documents of PuppetDB, `puppet facts`, Facter. Out: files, and a line for each. Must not: write a file outside of the
//! folder, replace different facts unless told to.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value as Json;
use serde_json::json;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::source::path::normalize_path;
use catwalk_puppetdb::PuppetDb;
use catwalk_session::site::Site;
use catwalk_snapshot::facts::FactSet;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::facts::fact;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_value::json::to_json;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::QueryService;
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The most nodes of one import.
const MAX_NODES: usize = 100_000;
/// The largest facts of a node, in bytes of JSON.
const MAX_FACTS: usize = 16 << 20;
/// Fact sets of one response of PuppetDB: their facts are up to some hundred kilobytes each.
const PAGE: usize = 100;
/// The folder of nodes of a site whose `catwalk.toml` names none.
pub const FOLDER: &str = "nodes";
/// The folder of nodes.
static NODES: Purpose =
    Purpose { name: "nodes", description: "facts of nodes", option: "--to DIR", contents: Contents::Mixed };
/// Extensions of files of facts in a folder of nodes.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// Where facts are imported to.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The folder for the files; by default that of the site.
    pub to: Option<PathBuf>,
    /// The node of the facts of a single node.
    pub certname: Option<String>,
    /// Whether to replace files that have different facts.
    pub force: bool,
}

/// The result of an import.
#[derive(Debug)]
pub struct Imported {
    /// A line for each file, and one with the numbers.
    pub text: String,
    /// The number of files with different facts that were left as they are.
    pub different: usize,
}

/// What is done with the facts of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// There is no file.
    New,
    /// The file has the same facts.
    Unchanged,
    /// The file has different facts and is replaced.
    Replaced,
    /// The file has different facts and is left as it is.
    Different,
}

impl Change {
    fn as_str(self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Unchanged => "unchanged",
            Change::Replaced => "replaced",
            Change::Different => "different, left as it is",
        }
    }
}

/// Imports the facts that `load` reads for a folder.
///
/// # Errors
/// There is no folder, facts are not those of nodes, or a file cannot be written.
pub fn import_facts(
    options: &ImportOptions,
    site: Option<&Site>,
    load: &dyn Fn(&Place) -> Result<FactSets, Reason>,
    world: &Disk,
) -> Result<Imported, Reason> {
    let place = folder(options, site)?;
    let folder = place.path();
    if let Err(error) = Directory::open_existing(&place, &NODES)
        && error.is_refusal()
    {
        return Err(error.into());
    }
    let sets = load(&place)?;
    let nodes = nodes(&sets, options.certname.as_deref())?;
    // All files are compared before the first is written.
    let mut changes: Vec<(&str, &str, Change)> = Vec::with_capacity(nodes.len());
    for (name, text) in &nodes {
        changes.push((name, text, change(&folder, name, text, options.force, world)?));
    }
    let directory = Directory::open(&place, &NODES)?;
    let shown = display_folder(&folder, site);
    let mut lines = String::new();
    for (name, text, change) in &changes {
        if matches!(change, Change::New | Change::Replaced) {
            let file = format!("{name}.json");
            let written = directory.write(&file, output::Kind::NodeFacts, text.as_bytes());
            written
                .map_err(|error| Reason::runtime(format!("cannot write {}: {error}", folder.join(file).display())))?;
        }
        lines.push_str(&format!("{}  {}\n", shown.join(format!("{name}.json")).display(), change.as_str()));
    }
    let count = |wanted: Change| changes.iter().filter(|(.., change)| *change == wanted).count();
    let written = count(Change::New) + count(Change::Replaced);
    let plural = if written == 1 { "" } else { "s" };
    let mut end = format!("{written} file{plural} written, {} unchanged", count(Change::Unchanged));
    let different = count(Change::Different);
    if different > 0 {
        end.push_str(&format!(", {different} different"));
    }
    Ok(Imported { text: format!("{lines}{end}"), different })
}

/// The folder to write to. Only the command line names one outside of the site, and links below the site are not followed.
fn folder(options: &ImportOptions, site: Option<&Site>) -> Result<Place, Reason> {
    if let Some(folder) = &options.to {
        return Ok(Place::named(folder));
    }
    let site = site.ok_or_else(|| {
        Reason::usage("no site: neither this directory nor a parent has catwalk.toml").help("name the folder: --to DIR")
    })?;
    let folder = site.nodes.clone().unwrap_or_else(|| site.root.join(FOLDER));
    let folder = normalize_path(&folder);
    folder.strip_prefix(&site.root).ok().and_then(|below| Place::below(&site.root, below)).ok_or_else(|| {
        let reason = Reason::usage(format!("the folder of nodes is not in the site: {}", folder.display()));
        reason.help("`--to DIR` writes to a folder elsewhere")
    })
}

fn display_folder(folder: &Path, site: Option<&Site>) -> PathBuf {
    let relative = site.and_then(|site| folder.strip_prefix(&site.root).ok());
    relative.unwrap_or(folder).to_path_buf()
}

/// The fact sets of all active nodes of a PuppetDB.
///
/// # Errors
/// PuppetDB does not respond, or with other documents.
pub fn facts_of_puppetdb(puppetdb: &PuppetDb) -> Result<FactSets, Reason> {
    let mut sets = FactSets::default();
    for page in 0.. {
        let paging = json!([["order_by", ["certname"]], ["limit", PAGE], ["offset", page * PAGE]]);
        let mut query = vec![json!("from"), json!("factsets")];
        query.extend(paging.as_array().cloned().unwrap_or_default());
        let rows = puppetdb
            .query(&Json::Array(query))
            .map_err(|why| Reason::new(Code::PUPPETDB, format!("facts cannot be read from PuppetDB: {why}")))?;
        let Some(read) = rows.as_array().map(Vec::len) else {
            let text = format!("{}: the response is not a list of fact sets", puppetdb.location());
            return Err(Reason::new(Code::PUPPETDB, text));
        };
        let before = sets.iter().count();
        sets.add_document("factsets", &from_json(&rows), &puppetdb.location())
            .map_err(|why| Reason::new(Code::PUPPETDB, format!("{}: {why}", puppetdb.location())))?;
        let now = sets.iter().count();
        // A server that ignores the offset sends the same nodes again.
        if read < PAGE || now == before {
            break;
        }
        if now > MAX_NODES {
            return Err(too_many());
        }
    }
    Ok(sets)
}

fn too_many() -> Reason {
    Reason::usage(format!("more than {MAX_NODES} nodes")).help("import them in parts: files of some nodes each")
}

/// The contents of the files by certname.
fn nodes(sets: &FactSets, certname: Option<&str>) -> Result<BTreeMap<String, String>, Reason> {
    let all: Vec<&FactSet> = sets.iter().collect();
    match all.len() {
        0 => return Err(Reason::usage("there are no facts to import")),
        1 => {}
        count if count > MAX_NODES => return Err(too_many()),
        count if certname.is_some() => {
            return Err(Reason::usage(format!("--certname names one node, but there are facts of {count}")));
        }
        _ => {}
    }
    let mut nodes: BTreeMap<String, String> = BTreeMap::new();
    let mut origins: BTreeMap<String, &str> = BTreeMap::new();
    for set in all {
        let name = certname.map_or_else(|| certname_of(set), str::to_owned).to_lowercase();
        check_certname(&name).map_err(|why| unusable(set, &why))?;
        let facts = without_sensitive(&to_json(&Value::Hash(set.facts.clone())), 0);
        let text = facts.and_then(|facts| serde_json::to_string_pretty(&facts).map_err(|error| error.to_string()));
        let text = text.map_err(|why| unusable(set, &why))?;
        if text.len() > MAX_FACTS {
            return Err(unusable(set, &format!("the facts of {name} have more than {} MiB", MAX_FACTS >> 20)));
        }
        if let Some(first) = origins.insert(name.clone(), &set.origin) {
            return Err(unusable(set, &format!("there are facts of {name} in {first}, too")));
        }
        nodes.insert(name, format!("{text}\n"));
    }
    Ok(nodes)
}

fn unusable(set: &FactSet, why: &str) -> Reason {
    Reason::new(Code::UNREADABLE_INPUT, format!("cannot import {}: {why}", set.origin))
}

/// The node of a fact set: as the document says, else as the facts say, else the name of the file.
fn certname_of(set: &FactSet) -> String {
    let stated = |name: &str| fact(&set.facts, name).and_then(Value::as_str).map(str::to_owned);
    let named = set.certname.as_ref().map(ToString::to_string);
    let named = named.or_else(|| stated("clientcert")).or_else(|| stated("networking.fqdn")).or_else(|| stated("fqdn"));
    named.unwrap_or_else(|| set.name.to_string())
}

/// Refuses names that are no certnames or no names of files: Puppet allows printable ASCII without `/`; file systems and shells less.
fn check_certname(name: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && name.chars().all(is_part);
    match is_name && name.len() <= 250 {
        true => Ok(()),
        false => Err(format!("'{name}' is not a certname: letters, digits, '.', '-' and '_', at most 250")),
    }
}

/// The facts with the values of type Sensitive replaced.
fn without_sensitive(value: &Json, depth: usize) -> Result<Json, String> {
    if depth > 200 {
        return Err("facts are nested deeper than 200 levels".to_owned());
    }
    Ok(match value {
        Json::Object(members) if members.get("__ptype").and_then(Json::as_str) == Some("Sensitive") => {
            Json::from("Sensitive [value redacted]")
        }
        Json::Object(members) => {
            let clean = members.iter().map(|(name, value)| Ok((name.clone(), without_sensitive(value, depth + 1)?)));
            Json::Object(clean.collect::<Result<_, String>>()?)
        }
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| without_sensitive(item, depth + 1)).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

/// How a node's file differs from the facts.
fn change(folder: &Path, name: &str, text: &str, force: bool, world: &Disk) -> Result<Change, Reason> {
    let path = |extension: &str| folder.join(format!("{name}.{extension}"));
    let Some(extension) = EXTENSIONS.iter().find(|extension| world.kind(&path(extension)) != Kind::Missing) else {
        return Ok(Change::New);
    };
    let path = path(extension);
    if world.kind(&path) != Kind::File {
        return Err(Reason::runtime(format!("{} is not a file", path.display())));
    }
    let facts = |sets: &FactSets| -> Option<Arc<Hash>> { Some(sets.iter().next()?.facts.clone()) };
    let mut existing = FactSets::default();
    // A file that cannot be read has different facts.
    let existing = existing.load(&path, world).ok().and_then(|()| facts(&existing));
    let imported = serde_json::from_str::<Json>(text).ok().map(|facts| from_json(&facts));
    if existing.is_some_and(|existing| Some(Value::Hash(existing)) == imported) {
        return Ok(Change::Unchanged);
    }
    match (force, *extension) {
        (false, _) => Ok(Change::Different),
        (true, "json") => Ok(Change::Replaced),
        (true, _) => {
            let reason = Reason::usage(format!("{} has different facts of {name}", path.display()));
            Err(reason.help("remove it: a node has one file of facts"))
        }
    }
}
