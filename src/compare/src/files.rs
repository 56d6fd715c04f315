//! Files that agents fetch: `source => 'puppet:///modules/ntp/ntp.conf'`. Since a catalog contains only their URLs, their contents are
//! compared like a parameter `(source)`. If git contains only a `git lfs` pointer, the digest in the pointer is compared.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use sha2::Digest;

use crate::inputs::Inputs;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_program::Environment;
use catwalk_value::Value;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// The largest file that is shown, in bytes. Larger files are compared too.
const MAX_SHOWN: usize = 1 << 20;
/// The URL of the mount of modules.
const MOUNT: &str = "puppet:///modules/";

/// The content of a file.
struct Content(Arc<[u8]>);

impl Content {
    /// The digest and size in a `git lfs` pointer (git-lfs, docs/spec.md).
    fn pointer(&self) -> Option<(&str, u64)> {
        let text = std::str::from_utf8(&self.0).ok().filter(|text| text.len() < 1024)?;
        let rest = text.strip_prefix("version https://git-lfs.github.com/spec/v1\n")?;
        let value = |name: &str| rest.lines().find_map(|line| line.strip_prefix(name));
        Some((value("oid sha256:")?, value("size ")?.parse().ok()?))
    }

    fn digest(&self) -> String {
        sha2::Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn is_same(&self, other: &Content) -> bool {
        match (self.pointer(), other.pointer()) {
            (Some((digest, _)), None) => digest == other.digest(),
            (None, Some((digest, _))) => digest == self.digest(),
            _ => self.0 == other.0,
        }
    }

    /// The content for output: a text file verbatim, other files as size and digest.
    fn text(&self) -> String {
        let summary =
            |size: u64, digest: &str| format!("<{size} bytes, SHA-256 {}…>", digest.get(..16).unwrap_or(digest));
        if let Some((digest, size)) = self.pointer() {
            return summary(size, digest);
        }
        match std::str::from_utf8(&self.0) {
            Ok(text) if text.len() <= MAX_SHOWN => text.to_owned(),
            _ => summary(self.0.len() as u64, &self.digest()),
        }
    }
}

/// The sources of the files in a catalog: for each resource the possible paths, of which an agent uses the first that exists.
pub(super) struct Sources(Vec<(String, Vec<PathBuf>)>);

impl Sources {
    pub(super) fn from_catalog(catalog: &Catalog, environment: &Environment) -> Sources {
        let files = catalog.resources.iter().filter(|resource| resource.type_name == "File");
        let sources = files.filter_map(|resource| {
            let paths = source_paths(resource, environment);
            (!paths.is_empty()).then(|| (resource.reference(), paths))
        });
        Sources(sources.collect())
    }

    /// Whether the sources are the same on both sides.
    pub(super) fn are_same(&self, inputs: &Inputs) -> bool {
        self.0.iter().all(|(_, paths)| paths.iter().all(|path| inputs.is_same_below(path)))
    }

    /// The contents by resource and path relative to the source.
    fn contents(&self, world: &dyn World) -> IndexMap<(String, String), Content> {
        let mut contents = IndexMap::new();
        for (reference, paths) in &self.0 {
            let existing = paths.iter().find(|path| world.kind(path) != Kind::Missing);
            if let Some(path) = existing {
                read_below(world, path, (reference, String::new()), &mut Descent::default(), &mut contents);
            }
        }
        contents
    }
}

fn source_paths(resource: &Resource, environment: &Environment) -> Vec<PathBuf> {
    let source = resource.parameters.iter().find(|(name, _)| name.as_str() == "source").map(|(_, value)| value);
    let urls: Vec<&str> = match source {
        Some(Value::Str(url)) => vec![url],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let path = |url: &str| {
        let (module, rest) = url.strip_prefix(MOUNT)?.split_once('/')?;
        let inside = !Path::new(rest).components().any(|part| part == std::path::Component::ParentDir);
        inside.then_some(environment.modules.get(module)?.root.join("files").join(rest))
    };
    urls.into_iter().filter_map(path).collect()
}

/// Reads a file, or all files below a directory.
fn read_below(
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
                read_below(world, &path, (reference, below), descent, into);
            }
        }
        return;
    }
    let Ok(bytes) = world.read(path) else { return };
    into.insert((reference.to_owned(), below), Content(bytes));
}

/// Adds contents that differ to the resources that have a source on both sides.
pub(super) fn add_contents(sides: [(&dyn World, &Catalog, &Environment); 2], documents: [&mut Json; 2]) {
    let [old, new] =
        sides.map(|(world, catalog, environment)| Sources::from_catalog(catalog, environment).contents(world));
    let references = |side: &IndexMap<(String, String), Content>| -> FxHashSet<String> {
        side.keys().map(|(reference, _)| reference.clone()).collect()
    };
    let (in_old, in_new) = (references(&old), references(&new));
    let differing: Vec<&(String, String)> = old
        .iter()
        .filter(|(key, content)| !new.get(*key).is_some_and(|new| new.is_same(content)))
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
            let string = |key: &str| resource.get(key).and_then(Json::as_str).unwrap_or_default();
            if string("type") != "File" {
                continue;
            }
            let reference = format!("File[{}]", string("title"));
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
