//! Files that agents fetch: `source => 'puppet:///modules/ntp/ntp.conf'`. A catalog names them only; their contents are
//! compared as if they were a parameter `(source)`. Where git has only a pointer of `git lfs`, the file that it stands for is
//! known by its digest.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use sha2::Digest;

use crate::compare::inputs::Inputs;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_program::environment::Environment;
use catwalk_value::value::Value;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// Larger files are compared, but not shown.
const SHOWN: usize = 1 << 20;
/// The mount of modules.
const MOUNT: &str = "puppet:///modules/";

/// What a file holds.
struct Content(Arc<[u8]>);

impl Content {
    /// Digest and size of the file of a `git lfs` pointer (git-lfs, docs/spec.md).
    fn pointer(&self) -> Option<(&str, u64)> {
        let text = std::str::from_utf8(&self.0).ok().filter(|text| text.len() < 1024)?;
        let rest = text.strip_prefix("version https://git-lfs.github.com/spec/v1\n")?;
        let value = |name: &str| rest.lines().find_map(|line| line.strip_prefix(name));
        Some((value("oid sha256:")?, value("size ")?.parse().ok()?))
    }

    fn digest(&self) -> String {
        sha2::Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn same(&self, other: &Content) -> bool {
        match (self.pointer(), other.pointer()) {
            (Some((digest, _)), None) => digest == other.digest(),
            (None, Some((digest, _))) => digest == self.digest(),
            _ => self.0 == other.0,
        }
    }

    /// As it is shown.
    fn text(&self) -> String {
        let told = |size: u64, digest: &str| format!("<{size} bytes, SHA-256 {}…>", digest.get(..16).unwrap_or(digest));
        if let Some((digest, size)) = self.pointer() {
            return told(size, digest);
        }
        match std::str::from_utf8(&self.0) {
            Ok(text) if text.len() <= SHOWN => text.to_owned(),
            _ => told(self.0.len() as u64, &self.digest()),
        }
    }
}

/// The sources of a catalog: for each resource, the paths of which the first existing one is used.
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
    fn contents(&self, world: &dyn World) -> IndexMap<(String, String), Content> {
        let mut contents = IndexMap::new();
        for (reference, paths) in &self.0 {
            let there = paths.iter().find(|path| world.kind(path) != Kind::Missing);
            if let Some(path) = there {
                gather(world, path, (reference, String::new()), &mut Descent::default(), &mut contents);
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
    descent: &mut Descent,
    into: &mut IndexMap<(String, String), Content>,
) {
    if world.kind(path) == Kind::Directory {
        for entry in world.list(path).unwrap_or_default().iter() {
            let below = if below.is_empty() { entry.name.to_string() } else { format!("{below}/{}", entry.name) };
            let path = path.join(&*entry.name);
            if entry.kind != Kind::Directory || descent.enters(world, &path, entry) {
                gather(world, &path, (reference, below), descent, into);
            }
        }
        return;
    }
    let Ok(bytes) = world.read(path) else { return };
    into.insert((reference.to_owned(), below), Content(bytes));
}

/// Adds the contents that differ to resources that have sources on both sides.
pub(super) fn add(sides: [(&dyn World, &Catalog, &Environment); 2], documents: [&mut Json; 2]) {
    let [old, new] = sides.map(|(world, catalog, environment)| Sources::of(catalog, environment).contents(world));
    let named = |side: &IndexMap<(String, String), Content>| -> FxHashSet<String> {
        side.keys().map(|(reference, _)| reference.clone()).collect()
    };
    let (in_old, in_new) = (named(&old), named(&new));
    let differing: Vec<&(String, String)> = old
        .iter()
        .filter(|(key, content)| !new.get(*key).is_some_and(|new| new.same(content)))
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
                let Some(content) = contents.get(*key) else { continue };
                let name = format!("(source) {}", key.1);
                let parameters = resource.entry("parameters").or_insert_with(|| Json::Object(serde_json::Map::new()));
                if let Some(parameters) = parameters.as_object_mut() {
                    parameters.insert(name.trim_end().to_owned(), Json::from(content.text()));
                }
            }
        }
    }
}
