//! Files that agents fetch: `source => 'puppet:///modules/ntp/ntp.conf'`. A catalog names them only; their contents are
//! compared as if they were a parameter `(source)`.

use std::path::Path;
use std::path::PathBuf;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use sha2::Digest;

use crate::catalog::Catalog;
use crate::catalog::Resource;
use crate::compare::inputs::Inputs;
use crate::environment::Environment;
use crate::value::Value;
use crate::world::Kind;
use crate::world::World;

/// Larger files are told apart, but not shown.
const SHOWN: usize = 1 << 20;
/// Directories in each other are compared down to this depth.
const DEPTH: usize = 64;
/// The mount of modules.
const MOUNT: &str = "puppet:///modules/";

/// The sources of a catalog: for each resource, the paths of which the first that is there counts.
pub(super) struct Sources(Vec<(String, Vec<PathBuf>)>);

impl Sources {
    pub(super) fn of(catalog: &Catalog, environment: &Environment) -> Sources {
        let files = catalog.resources.iter().filter(|resource| resource.type_name == "File");
        let sources = files.filter_map(|resource| {
            let paths = paths(resource, environment);
            (!paths.is_empty()).then(|| (resource.reference(), paths))
        });
        Sources(sources.collect())
    }

    /// Whether they are the same on both sides.
    pub(super) fn same(&self, inputs: &Inputs) -> bool {
        self.0.iter().all(|(_, paths)| paths.iter().all(|path| inputs.same_below(path)))
    }

    /// The contents by resource and by path below the source.
    fn contents(&self, world: &dyn World) -> IndexMap<(String, String), String> {
        let mut contents = IndexMap::new();
        for (reference, paths) in &self.0 {
            let there = paths.iter().find(|path| world.kind(path) != Kind::Missing);
            if let Some(path) = there {
                gather(world, path, (reference, String::new()), DEPTH, &mut contents);
            }
        }
        contents
    }
}

fn paths(resource: &Resource, environment: &Environment) -> Vec<PathBuf> {
    let source = resource.parameters.iter().find(|(name, _)| name.as_str() == "source").map(|(_, value)| value);
    let texts: Vec<&str> = match source {
        Some(Value::Str(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let path = |text: &str| {
        let (module, rest) = text.strip_prefix(MOUNT)?.split_once('/')?;
        let inside = !Path::new(rest).components().any(|part| part == std::path::Component::ParentDir);
        inside.then_some(environment.modules.get(module)?.root.join("files").join(rest))
    };
    texts.into_iter().filter_map(path).collect()
}

fn gather(
    world: &dyn World,
    path: &Path,
    (reference, below): (&str, String),
    depth: usize,
    into: &mut IndexMap<(String, String), String>,
) {
    if depth == 0 {
        return;
    }
    if world.kind(path) == Kind::Directory {
        for entry in world.list(path).unwrap_or_default().iter() {
            let below = if below.is_empty() { entry.name.to_string() } else { format!("{below}/{}", entry.name) };
            gather(world, &path.join(&*entry.name), (reference, below), depth - 1, into);
        }
        return;
    }
    let Ok(bytes) = world.read(path) else { return };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if text.len() <= SHOWN => text.to_owned(),
        _ => {
            let digest = sha2::Sha256::digest(&bytes);
            let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("<{} bytes, SHA-256 {digest}…>", bytes.len())
        }
    };
    into.insert((reference.to_owned(), below), text);
}

/// Adds the contents that differ to resources that have sources on both sides.
pub(super) fn add(sides: [(&dyn World, &Catalog, &Environment); 2], documents: [&mut Json; 2]) {
    let [old, new] = sides.map(|(world, catalog, environment)| Sources::of(catalog, environment).contents(world));
    let named = |side: &IndexMap<(String, String), String>| -> FxHashSet<String> {
        side.keys().map(|(reference, _)| reference.clone()).collect()
    };
    let (in_old, in_new) = (named(&old), named(&new));
    let differing: Vec<&(String, String)> = old
        .iter()
        .filter(|(key, text)| new.get(*key) != Some(*text))
        .map(|(key, _)| key)
        .chain(new.keys().filter(|key| !old.contains_key(*key)))
        .filter(|key| in_old.contains(&key.0) && in_new.contains(&key.0))
        .collect();
    if differing.is_empty() {
        return;
    }
    for (document, contents) in documents.into_iter().zip([&old, &new]) {
        let resources = document.get_mut("resources").and_then(Json::as_array_mut);
        for resource in resources.into_iter().flatten().filter_map(Json::as_object_mut) {
            let text = |key: &str| resource.get(key).and_then(Json::as_str).unwrap_or_default();
            if text("type") != "File" {
                continue;
            }
            let reference = format!("File[{}]", text("title"));
            for key in differing.iter().filter(|key| key.0 == reference) {
                let Some(text) = contents.get(*key) else { continue };
                let name = format!("(source) {}", key.1);
                let parameters = resource.entry("parameters").or_insert_with(|| Json::Object(serde_json::Map::new()));
                if let Some(parameters) = parameters.as_object_mut() {
                    parameters.insert(name.trim_end().to_owned(), Json::from(text.as_str()));
                }
            }
        }
    }
}
