//! Sets of facts to compile with: built in, from files of facts in all known forms, from bundles.
//!
//! In: files. Out: [`FactSets`] by name. Must not: know how they are used.
//!
//! | form | source |
//! |---|---|
//! | a hash | `facter --json`, `puppet facts show`, facterdb |
//! | `{"name", "values"}` | `puppet facts --render-as json` of older agents |
//! | `[{"certname", "name", "value"}]` | PuppetDB, `/pdb/query/v4/facts` |
//! | `[{"certname", "facts": {"data": […]}}]` | PuppetDB, `/pdb/query/v4/factsets` |
//! | `[{"certname", "facts": {…}, "trusted": {…}}]` | PuppetDB, `/pdb/query/v4/inventory` |
//! | `{"catwalk_facts": 1, "sets": […]}` | a bundle of fact sets |

mod built_in;
pub(crate) mod systems;

use catwalk_node::facts::Agent;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;

use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::names::did_you_mean;
pub use catwalk_node::facts::overrides::find as fact;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_value::json::from_json;
use catwalk_value::json::to_json;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::files_below;

/// The deepest nesting of facts in a bundle.
const NESTING: u32 = 100;

/// A set of facts.
#[derive(Clone, Debug, PartialEq)]
pub struct FactSet {
    /// The name, by which test files select the set.
    pub name: Arc<str>,
    /// The node that the facts are from, if known.
    pub certname: Option<Arc<str>>,
    /// The facts.
    pub facts: Arc<Hash>,
    /// `$trusted`, if known.
    pub trusted: Option<Arc<Hash>>,
    /// The file or other origin.
    pub origin: Arc<str>,
}

/// Sets of facts by name.
#[derive(Clone, Debug, Default)]
pub struct FactSets {
    sets: IndexMap<Arc<str>, FactSet>,
}

fn unreadable(path: &Path, why: impl std::fmt::Display) -> Reason {
    Reason::new(Code::UNREADABLE_INPUT, format!("cannot read facts: {}: {why}", path.display()))
}

impl FactSets {
    /// The built-in sets: the facts that manifests use most, of an agent on current operating systems.
    #[must_use]
    pub fn built_in(agent: Agent) -> FactSets {
        let mut sets = FactSets::default();
        built_in::all(agent).into_iter().for_each(|set| sets.add(set));
        sets
    }

    /// Adds a set, replacing one of the same name.
    pub fn add(&mut self, set: FactSet) {
        self.sets.insert(set.name.clone(), set);
    }

    /// Adds the sets of a file, or of all files below a folder (`.json`, `.yaml`, `.yml`, `.facts`). The set of a file has the
    /// file's name. Of several sets with the same name, such as those of facterdb for several versions of Facter, the one in the
    /// last folder wins, by the numbers in the folders' names.
    ///
    /// # Errors
    ///
    /// The path does not exist, or its format is unknown.
    pub fn load(&mut self, path: &Path, world: &dyn World) -> Result<(), Reason> {
        match world.kind(path) {
            Kind::Missing => match world.read(path) {
                Err(refused @ WorldError::Untrusted(_)) => Err(unreadable(path, &refused).because(refused.cause())),
                _ => Err(unreadable(path, "it does not exist")),
            },
            Kind::File => self.load_file(path, world),
            Kind::Directory => {
                let (mut files, failure) = files_below(path, world, &is_read);
                if let Some((folder, refused)) = failure {
                    return Err(unreadable(&folder, &refused).because(refused.cause()));
                }
                files.sort_by_cached_key(|file| sort_key(file));
                files.iter().try_for_each(|file| self.load_file(file, world))
            }
        }
    }

    fn load_file(&mut self, path: &Path, world: &dyn World) -> Result<(), Reason> {
        let bytes = world.read(path).map_err(|refused| unreadable(path, refused))?;
        let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| b"{[".contains(byte));
        let invalid = |why: &dyn std::fmt::Display, location| {
            Reason::new(Code::UNREADABLE_INPUT, format!("cannot read facts: {why}")).in_file(location)
        };
        let value = if is_json {
            json::parse(&bytes).map_err(|error| invalid(&error.summary(), error.location(path, &bytes)))?
        } else {
            let text = std::str::from_utf8(&bytes)
                .map_err(|error| invalid(&error, DataLocation::at_byte(path, &bytes, error.valid_up_to())))?;
            let untagged = text.strip_prefix("--- !ruby/object:Puppet::Node::Facts").unwrap_or(text);
            yaml::parse(untagged.as_bytes()).map_err(|error| invalid(&error.message, error.location(path, &bytes)))?
        };
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.add_document(&name, &value, &path.display().to_string())
            .map_err(|why| invalid(&why, DataLocation::new(path, &bytes, (1, 1))))
    }

    /// Adds the sets of a document in any known form. `name` is the name of a set without one, `origin` the file or service.
    ///
    /// # Errors
    /// The form is unknown; the message says why.
    pub fn add_document(&mut self, name: &str, document: &Value, origin: &str) -> Result<(), String> {
        sets(name, document, origin)?.into_iter().for_each(|set| self.add(set));
        Ok(())
    }

    /// All sets, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = &FactSet> {
        self.sets.values()
    }

    /// The sets that a name or a pattern selects: `debian-12-x86_64`, `ubuntu-*`, `debian-12`, `Ubuntu 18.04`.
    ///
    /// # Errors
    ///
    /// No set matches; the message lists the existing ones.
    pub fn named(&self, pattern: &str) -> Result<Vec<&FactSet>, String> {
        if let Some(set) = self.sets.get(pattern) {
            return Ok(vec![set]);
        }
        let glob = globs::matcher(pattern, false)?;
        let mut selected: Vec<&FactSet> = self.sets.values().filter(|set| glob.is_match(set.name.as_ref())).collect();
        if selected.is_empty() {
            selected = self.sets.values().filter(|set| systems::is_named(set, pattern)).collect();
            // Prefer the most common architecture.
            if selected.iter().any(|set| set.name.ends_with("-x86_64")) {
                selected.retain(|set| set.name.ends_with("-x86_64"));
            }
        }
        if selected.is_empty() {
            let name = systems::normalize(pattern);
            let short = self.sets.keys().map(|name| name.trim_end_matches("-x86_64"));
            let suggestion = did_you_mean(&name, short);
            let suggestion = suggestion.map(|suggestion| format!("{suggestion} ")).unwrap_or_default();
            return Err(format!("no fact set is called '{pattern}'; {suggestion}{}", self.list_names()));
        }
        Ok(selected)
    }

    /// The sets with these facts: keys such as `os.family`, values that must be equal (strings may be patterns).
    ///
    /// # Errors
    /// No set matches; the message lists the existing ones.
    pub fn having(&self, criteria: &Hash) -> Result<Vec<&FactSet>, String> {
        let mut selected: Vec<&FactSet> = self.sets.values().collect();
        for (key, value) in criteria.iter() {
            let key = key.as_str().ok_or("names of facts must be strings")?;
            let glob = value.as_str().map(|pattern| globs::matcher(pattern, false)).transpose()?;
            selected.retain(|set| match (fact(&set.facts, key), &glob) {
                (Some(Value::Str(text)), Some(glob)) => glob.is_match(text.as_ref()),
                (Some(is), _) => is == value,
                (None, _) => false,
            });
        }
        if selected.is_empty() {
            let unknown = |key: &&str| !self.sets.values().any(|set| fact(&set.facts, key).is_some());
            if let Some(key) = criteria.iter().filter_map(|(key, _)| key.as_str()).find(unknown) {
                return Err(format!("no fact set has a fact '{key}'"));
            }
            let criteria = to_json(&Value::hash(criteria.clone()));
            return Err(format!("no fact set has {criteria}; {}", self.list_names()));
        }
        Ok(selected)
    }

    fn list_names(&self) -> String {
        let names: Vec<&str> = self.sets.keys().map(AsRef::as_ref).collect();
        match names.len() {
            0 => "there are none".to_owned(),
            1..=80 => format!("there are {}", names.join(", ")),
            many => format!("there are {many}, such as {}", names.get(..20).unwrap_or_default().join(", ")),
        }
    }

    /// The sets as one compact document: each set after the first is a patch (RFC 7386) of the most similar set before it, if
    /// that is shorter.
    #[must_use]
    pub fn bundle(&self) -> Json {
        let mut done: Vec<(&str, Json)> = Vec::new();
        let mut sets = Vec::new();
        for set in self.sets.values() {
            let facts = to_json(&Value::Hash(set.facts.clone()));
            let mut entry = Map::new();
            entry.insert("name".to_owned(), Json::from(set.name.as_ref()));
            if let Some(certname) = &set.certname {
                entry.insert("certname".to_owned(), Json::from(certname.as_ref()));
            }
            if let Some(trusted) = &set.trusted {
                entry.insert("trusted".to_owned(), to_json(&Value::Hash(trusted.clone())));
            }
            let patches = done.iter().rev().take(40).filter_map(|(name, like)| {
                let patch = patch(like, &facts, NESTING)?;
                Some((patch.to_string().len(), *name, patch))
            });
            match patches.min_by_key(|(length, ..)| *length) {
                Some((length, name, patch)) if length < facts.to_string().len() => {
                    entry.insert("like".to_owned(), Json::from(name));
                    entry.insert("patch".to_owned(), patch);
                }
                _ => drop(entry.insert("facts".to_owned(), facts.clone())),
            }
            sets.push(Json::Object(entry));
            done.push((set.name.as_ref(), facts));
        }
        serde_json::json!({"catwalk_facts": 1, "sets": sets})
    }
}

/// Folders with versions in their names sort by number: 4.10 comes after 4.2.
fn sort_key(path: &Path) -> Vec<(u64, String)> {
    let text = path.to_string_lossy();
    let parts = text.split(['/', '.']);
    parts.map(|part| (part.parse().unwrap_or(u64::MAX), part.to_owned())).collect()
}

/// Whether fact sets are read from an entry of a folder: files in known formats, and folders; none if it is hidden.
fn is_read(entry: &Entry) -> bool {
    let has_extension = || [".json", ".yaml", ".yml", ".facts"].iter().any(|end| entry.name.ends_with(end));
    !entry.name.starts_with('.') && (entry.kind == Kind::Directory || has_extension())
}

/// The sets of a document in any known form.
fn sets(name: &str, document: &Value, origin: &str) -> Result<Vec<FactSet>, String> {
    let origin: Arc<str> = Arc::from(origin);
    let set = |name: &str, certname: Option<Arc<str>>, facts: Arc<Hash>, trusted: Option<Arc<Hash>>| FactSet {
        name: Arc::from(name),
        certname,
        facts,
        trusted,
        origin: origin.clone(),
    };
    match document {
        Value::Array(rows) => sets_of_rows(rows.iter(), &set),
        Value::Hash(hash) if hash.get("catwalk_facts").is_some() => sets_of_bundle(hash, &set),
        Value::Hash(hash) => Ok(vec![match (hash.get("name"), hash.get("values")) {
            (Some(Value::Str(certname)), Some(Value::Hash(values))) => {
                set(name, Some(certname.to_shared()), values.clone(), None)
            }
            _ => set(name, None, hash.clone(), None),
        }]),
        _ => Err("it must contain a hash or an array".to_owned()),
    }
}

type MakeFactSet<'a> = dyn Fn(&str, Option<Arc<str>>, Arc<Hash>, Option<Arc<Hash>>) -> FactSet + 'a;

/// The sets in a PuppetDB response: each row is a fact, or each row is a node.
fn sets_of_rows<'a>(rows: impl Iterator<Item = &'a Value>, set: &MakeFactSet<'_>) -> Result<Vec<FactSet>, String> {
    let mut nodes: IndexMap<Arc<str>, (Hash, Option<Arc<Hash>>)> = IndexMap::new();
    for (number, row) in rows.enumerate() {
        let wrong = |why: &str| format!("row {}: {why}", number + 1);
        let Value::Hash(row) = row else { return Err(wrong("it must be a hash")) };
        let Some(Value::Str(certname)) = row.get("certname") else { return Err(wrong("it has no certname")) };
        let node = nodes.entry(certname.to_shared()).or_default();
        match (row.get("facts"), row.get("name"), row.get("value")) {
            (Some(Value::Hash(facts)), ..) => match facts.get("data") {
                Some(Value::Array(data)) => {
                    for pair in data.iter() {
                        let Value::Hash(pair) = pair else { return Err(wrong("a fact must be a hash")) };
                        if let (Some(name), Some(value)) = (pair.get("name"), pair.get("value")) {
                            node.0.insert(name.clone(), value.clone());
                        }
                    }
                }
                // PuppetDB sends the address of facts that it does not expand.
                _ if facts.len() == 1 && facts.get("href").is_some() => return Err(wrong("its facts have no data")),
                _ => node.0 = facts.as_ref().clone(),
            },
            (None, Some(name), Some(value)) => drop(node.0.insert(name.clone(), value.clone())),
            _ => return Err(wrong("it has neither facts nor name and value")),
        }
        if let Some(Value::Hash(trusted)) = row.get("trusted") {
            node.1 = Some(trusted.clone());
        }
    }
    let nodes = nodes.into_iter();
    Ok(nodes.map(|(name, (facts, trusted))| set(&name, Some(name.clone()), Arc::new(facts), trusted)).collect())
}

fn sets_of_bundle(document: &Hash, set: &MakeFactSet<'_>) -> Result<Vec<FactSet>, String> {
    let version = document.get("catwalk_facts");
    if version != Some(&Value::Int(1)) {
        return Err(format!("not supported yet: bundles of version {}", version.map(to_json).unwrap_or_default()));
    }
    let Some(Value::Array(entries)) = document.get("sets") else { return Err("a bundle needs `sets`".to_owned()) };
    let mut documents: IndexMap<String, Json> = IndexMap::new();
    let mut sets = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let wrong = |why: &str| format!("set {} of the bundle: {why}", number + 1);
        let Value::Hash(entry) = entry else { return Err(wrong("it must be a hash")) };
        let Some(name) = entry.get("name").and_then(Value::as_str) else { return Err(wrong("it has no name")) };
        let facts = match (entry.get("facts"), entry.get("like"), entry.get("patch")) {
            (Some(facts @ Value::Hash(_)), None, None) => to_json(facts),
            (None, Some(Value::Str(like)), Some(patch)) => {
                let Some(base) = documents.get(like.as_ref()) else {
                    return Err(wrong("`like` names no set before it"));
                };
                apply_patch(base, &to_json(patch), NESTING)
            }
            _ => return Err(wrong("it needs `facts`, or `like` and `patch`")),
        };
        let Value::Hash(hash) = from_json(&facts) else { return Err(wrong("its facts must be a hash")) };
        let certname = entry.get("certname").and_then(Value::as_str).map(Arc::from);
        let trusted = match entry.get("trusted") {
            Some(Value::Hash(trusted)) => Some(trusted.clone()),
            _ => None,
        };
        sets.push(set(name, certname, hash, trusted));
        documents.insert(name.to_owned(), facts);
    }
    Ok(sets)
}

/// The patch that changes one document into the other; `None` if none exists (a patch cannot set a null).
fn patch(from: &Json, to: &Json, depth: u32) -> Option<Json> {
    let (Json::Object(from), Json::Object(to)) = (from, to) else { return None };
    let mut patch = Map::new();
    for (key, value) in to {
        match from.get(key) {
            Some(old) if old == value => {}
            Some(old @ Json::Object(_)) if value.is_object() && depth > 0 => {
                patch.insert(key.clone(), self::patch(old, value, depth - 1)?);
            }
            _ if has_null(value, depth) => return None,
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Json::Null);
    }
    Some(Json::Object(patch))
}

/// Whether a document has a null, which in a patch would mean a removal.
fn has_null(value: &Json, depth: u32) -> bool {
    match value {
        Json::Null => true,
        Json::Object(members) => depth == 0 || members.values().any(|value| has_null(value, depth - 1)),
        _ => false,
    }
}

fn apply_patch(base: &Json, patch: &Json, depth: u32) -> Json {
    let Json::Object(members) = patch else { return patch.clone() };
    let mut result = base.as_object().cloned().unwrap_or_default();
    for (key, value) in members {
        match value {
            Json::Null => drop(result.shift_remove(key)),
            value if depth == 0 => drop(result.insert(key.clone(), value.clone())),
            value => {
                let inner = apply_patch(result.get(key).unwrap_or(&Json::Null), value, depth - 1);
                result.insert(key.clone(), inner);
            }
        }
    }
    Json::Object(result)
}

#[cfg(test)]
mod tests;
