//! Detects whether a directory is a control repository, a module, or empty.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_session::repository::is_module;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_world::Kind;
use catwalk_world::World;

/// The kind of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An environment with manifests, modules or data.
    ControlRepository,
    /// A module of this name, without its author.
    Module(String),
    /// Only the files of a new repository: README, LICENSE, hidden files.
    Empty,
    /// A directory with other files.
    Other,
}

/// Entries that only a control repository has.
const OF_ENVIRONMENTS: [&str; 7] =
    ["catwalk.toml", "environment.conf", "Puppetfile", "hiera.yaml", "manifests", "site-modules", "site"];

/// Detects the kind of a directory.
pub fn layout(root: &Path, world: &dyn World) -> Layout {
    if let Some(name) = module_name(root, world) {
        return Layout::Module(name);
    }
    if OF_ENVIRONMENTS.iter().any(|name| world.kind(&root.join(name)) != Kind::Missing) {
        return Layout::ControlRepository;
    }
    let is_usual = |name: &str| name.starts_with('.') || name.starts_with("README") || name.starts_with("LICENSE");
    match world.list(root) {
        Ok(entries) if !entries.iter().all(|entry| is_usual(&entry.name)) => Layout::Other,
        _ => Layout::Empty,
    }
}

fn module_name(root: &Path, world: &dyn World) -> Option<String> {
    if !is_module(root, world) {
        return None;
    }
    let bytes = world.read(&root.join("metadata.json")).ok()?;
    let Value::Hash(document) = json::parse(&bytes).ok()? else { return None };
    let name = document.get("name").and_then(Value::as_str)?;
    Some(name.rsplit(['-', '/']).next().unwrap_or(name).to_owned())
}

/// Directories of modules that exist in a repository, in the usual order.
pub(super) fn module_folders(root: &Path, world: &dyn World) -> Vec<&'static str> {
    let usual = ["site-modules", "site", "dist", "modules"];
    usual.into_iter().filter(|name| world.kind(&root.join(name)) == Kind::Directory).collect()
}

/// The names of nodes in manifests: `node 'web1.example.com' { … }`.
pub(super) fn node_names(root: &Path, world: &dyn World) -> Vec<String> {
    let folder = root.join("manifests");
    let entries = world.list(&folder).map(|entries| entries.to_vec()).unwrap_or_default();
    let mut names = Vec::new();
    for entry in entries.iter().filter(|entry| entry.name.ends_with(".pp")) {
        let path = folder.join(entry.name.as_ref());
        let Ok(bytes) = world.read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let sources = SourceMap::new();
        let id: FileId = sources.add(Some(&path), &path.to_string_lossy(), Arc::from(text.as_str()));
        let (file, _) = catwalk_syntax::parse(&sources, id);
        collect(&catwalk_syntax::pn::json(&file, &text), &mut names);
    }
    names
}

/// The literal names of `node` in a tree: `{"^": ["node", {"#": ["matches", [NAME …]]}]}`.
fn collect(tree: &serde_json::Value, names: &mut Vec<String>) {
    use serde_json::Value as Json;
    match tree {
        Json::Array(items) => match items.as_slice() {
            [Json::String(word), node] if word == "node" => {
                let matches = node.get("#").and_then(|parts| parts.get(1)).and_then(Json::as_array);
                let literal = matches.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned);
                names.extend(literal);
            }
            items => items.iter().for_each(|item| collect(item, names)),
        },
        Json::Object(members) => members.values().for_each(|member| collect(member, names)),
        _ => {}
    }
}
