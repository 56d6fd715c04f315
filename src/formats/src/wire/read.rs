//! Reads catalogs in the native format, also with rich data, of Catwalk or a Puppet server.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::format::Format;
use crate::wire::format::detect;
use catwalk_base::names::Name;
use catwalk_base::names::is_type_name;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::DeclaredResources;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_catalog::split_reference;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;

/// The deepest nesting of values.
const MAX_DEPTH: usize = 200;

/// The namevar of resource types. That of all other types is `name`.
const NAMEVARS: [(&str, &str); 3] = [("File", "path"), ("Exec", "command"), ("Tidy", "path")];

/// A catalog from JSON. Its secrets are those that the document marks, with `key` for their tokens.
///
/// # Errors
/// The bytes are not JSON, or not a catalog; the message names the missing or wrong member.
pub fn read_native(bytes: &[u8], key: &Key) -> Result<Catalog, String> {
    let document: Json = serde_json::from_slice(bytes).map_err(|error| format!("not a catalog: {error}"))?;
    let mut catalog = read_catalog(&document).map_err(|error| format!("not a catalog: {error}"))?;
    catalog.secrets = Arc::new(Secrets::from_document(&document, key));
    Ok(catalog)
}

/// The catalog of a document. In the native format no resource is virtual: a server sends exported resources only if the node collects them.
pub(super) fn read_catalog(document: &Json) -> Result<Catalog, String> {
    let mut catalog = read_with_exports(document)?;
    if matches!(detect(document), Some(Format::Native | Format::Native1)) {
        catalog.resources.iter_mut().for_each(|resource| resource.is_virtual = false);
    }
    Ok(catalog)
}

/// As [`read_catalog`], for formats in which exported resources may not be collected: they are virtual.
pub(super) fn read_with_exports(document: &Json) -> Result<Catalog, String> {
    let members = Members(document.as_object().ok_or("it is not a hash")?);
    let name = members.string("name")?.ok_or("name is missing")?;
    if !document.get("resources").is_some_and(Json::is_array) {
        return Err("resources is missing, or not an array".to_owned());
    }
    let resource_at = |at: usize, json: &Json| read_resource(json).map_err(|error| format!("/resources/{at}: {error}"));
    let list = members.list("resources")?.iter().enumerate();
    let resources = list.map(|(at, json)| resource_at(at, json)).collect::<Result<Vec<_>, _>>()?;
    let declared = index_resources(&resources)?;
    let mut edges = Vec::new();
    for (at, edge) in members.list("edges")?.iter().enumerate() {
        let end = |name: &str| {
            let reference =
                edge.get(name).and_then(Json::as_str).ok_or(format!("/edges/{at}: an edge without {name}"))?;
            let parts = split_reference(reference).unwrap_or((reference, ""));
            declared.end_of_edge(at, name, parts).map_err(String::from)
        };
        edges.push((end("source")?, end("target")?));
    }
    drop(declared);
    let version = match document.get("version") {
        None | Some(Json::Null) => Version::Seconds(0),
        Some(Json::Number(seconds)) => Version::Seconds(seconds.as_u64().unwrap_or(0)),
        Some(Json::String(text)) => Version::Text(Arc::from(text.as_str())),
        Some(_) => return Err("version is neither a number nor a string".to_owned()),
    };
    Ok(Catalog {
        name: Arc::from(name),
        version,
        uuid: members.string("catalog_uuid")?.map(Arc::from).unwrap_or_default(),
        environment: Arc::from(members.string("environment")?.unwrap_or("production")),
        tags: read_tags(&members.strings("tags")?)?,
        classes: members.strings("classes")?,
        resources,
        edges,
        origins: Vec::new(),
        automatic: Vec::new(),
        secrets: Arc::new(Secrets::default()),
    })
}

/// The resources by type and title. Two resources with the same name are an error.
fn index_resources(resources: &[Resource]) -> Result<DeclaredResources<'_>, String> {
    let mut declared = DeclaredResources::default();
    for (at, resource) in resources.iter().enumerate() {
        declared.add(at, resource.type_name.as_str(), &resource.title)?;
    }
    let name = |resource: &'_ Resource| {
        let name = resource.parameters.get(&resource.namevar)?.as_str()?;
        (*name != *resource.title).then(|| (resource.type_name.as_str(), name.to_owned()))
    };
    // Only for types whose name alone identifies a resource: two packages may have the same name and different providers.
    let mut names = HashSet::new();
    for resource in resources.iter().filter(|resource| resource.isomorphic && resource.namevar != "name") {
        let Some((type_name, name)) = name(resource) else { continue };
        if declared.find(type_name, &name).is_some() || !names.insert((type_name, name.clone())) {
            let text = format!("{} to {type_name}[{name}], which is already declared", resource.reference());
            return Err(format!("Cannot alias {text}"));
        }
    }
    Ok(declared)
}

/// Reads the members of an object with checked types. `null` is treated as a missing member.
struct Members<'a>(&'a Map<String, Json>);

impl<'a> Members<'a> {
    fn get<T>(&self, name: &str, kind: &str, read: impl FnOnce(&'a Json) -> Option<T>) -> Result<Option<T>, String> {
        match self.0.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| format!("{name} is not {kind}")),
        }
    }

    fn string(&self, name: &str) -> Result<Option<&'a str>, String> {
        self.get(name, "a string", Json::as_str)
    }

    fn list(&self, name: &str) -> Result<&'a [Json], String> {
        Ok(self.get(name, "an array", Json::as_array)?.map(Vec::as_slice).unwrap_or_default())
    }

    fn strings(&self, name: &str) -> Result<Vec<Arc<str>>, String> {
        let string = |item: &Json| item.as_str().map(Arc::from).ok_or(format!("{name} is not an array of strings"));
        self.list(name)?.iter().map(string).collect()
    }
}

/// The prefix of the token of a secret.
const TOKEN_PREFIX: &str = "<Sensitive";

fn read_tags(names: &[Arc<str>]) -> Result<Tags, String> {
    let mut tags = Tags::default();
    for name in names {
        match tags.add(name) {
            // The tag of a title contains the token of a secret if the title does. It is left out, as in catalogs for PuppetDB.
            Err(_) if name.contains(TOKEN_PREFIX) => {}
            added => added.map(drop).map_err(|tag| format!("the tag {tag} is not valid"))?,
        }
    }
    Ok(tags)
}

fn read_resource(json: &Json) -> Result<Resource, String> {
    let members = Members(json.as_object().ok_or("a resource is not a hash")?);
    let type_name = members.string("type")?.ok_or("a resource without type")?;
    let title = members.string("title")?.ok_or(format!("a resource of type {type_name} without title"))?;
    read_members(&members, type_name, title).map_err(|error| format!("{type_name}[{title}]: {error}"))
}

fn read_members(members: &Members<'_>, type_name: &str, title: &str) -> Result<Resource, String> {
    if !is_type_name(type_name) {
        return Err("its type is not the name of a resource type".to_owned());
    }
    let kind = match members.string("kind")? {
        Some("class") => Kind::Class,
        Some("defined_type") => Kind::DefinedType,
        Some("compilable_type") => Kind::CompilableType,
        Some(_) => Kind::Unknown,
        // Format 1 has no kind: names with colons are defined types.
        None if matches!(type_name, "Class" | "Node" | "Stage") => Kind::Unknown,
        None if type_name.contains("::") => Kind::DefinedType,
        None => Kind::CompilableType,
    };
    let is_native =
        !matches!(kind, Kind::Class | Kind::DefinedType) && !matches!(type_name, "Class" | "Node" | "Stage");
    let namevar = NAMEVARS.iter().find(|(name, _)| *name == type_name && is_native).map_or("name", |(_, name)| *name);
    let mut parameters = catwalk_base::names::Table::new();
    for (name, value) in members.get("parameters", "a hash", Json::as_object)?.into_iter().flatten() {
        let value = read_value(value, 0).map_err(|error| format!("{name}: {error}"))?;
        if !value.is_undef() {
            parameters.insert(Name::new(name), value);
        }
    }
    let title_is_main = matches!(type_name, "Class" | "Stage") && title == "main";
    let exported = members.get("exported", "a boolean", Json::as_bool)?;
    Ok(Resource {
        type_name: Name::new(type_name),
        title: Arc::from(title),
        title_is_main,
        tags: read_tags(&members.strings("tags")?)?,
        file: members.string("file")?.map(Arc::from),
        line: members.get("line", "a line number", |line| u32::try_from(line.as_u64()?).ok())?,
        exported,
        is_virtual: exported == Some(true),
        kind,
        namevar: Name::new(namevar),
        isomorphic: !matches!(type_name, "Exec" | "Notify"),
        composite: false,
        builtin: is_native,
        parameters,
        sensitive: members.strings("sensitive_parameters")?.iter().map(|name| Name::new(name)).collect(),
    })
}

/// Reads the value of a parameter, which may be rich data with `__ptype`.
fn read_value(json: &Json, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err("nested too deeply".to_owned());
    }
    Ok(match json {
        Json::Array(items) => {
            Value::array(items.iter().map(|item| read_value(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Json::Object(map) => match map.get("__ptype").and_then(Json::as_str) {
            Some(tag) => read_rich_data(tag, map, depth)?,
            None => {
                let mut hash = Hash::with_capacity(map.len());
                for (key, value) in map {
                    hash.set(key, read_value(value, depth + 1)?);
                }
                Value::hash(hash)
            }
        },
        plain => catwalk_value::json::from_json(plain),
    })
}

fn read_rich_data(tag: &str, map: &Map<String, Json>, depth: usize) -> Result<Value, String> {
    let inner = || map.get("__pvalue").ok_or(format!("{tag} without __pvalue"));
    let text = || inner().and_then(|json| json.as_str().ok_or(format!("the value of {tag} is not a string")));
    Ok(match tag {
        "Default" => Value::Default,
        "Sensitive" => Value::Sensitive(Arc::new(read_value(inner()?, depth + 1)?)),
        "Regexp" => Value::Regexp(Arc::new(Regexp::new(text()?))),
        "Binary" => Value::Binary(Arc::from(catwalk_value::printing::decode_lenient_base64(text()?.as_bytes()))),
        "Hash" => {
            let items = inner()?.as_array().ok_or("the value of Hash is not an array")?;
            let mut hash = Hash::new();
            for pair in items.chunks(2) {
                let [key, value] = pair else { return Err("a Hash with a key without value".to_owned()) };
                hash.insert(read_value(key, depth + 1)?, read_value(value, depth + 1)?);
            }
            Value::hash(hash)
        }
        "Deferred" => {
            let name = map.get("name").and_then(Json::as_str).ok_or("Deferred without name")?;
            let arguments = match map.get("arguments") {
                Some(arguments) => read_value(arguments, depth + 1)?,
                None => Value::Undef,
            };
            let mut attributes = Hash::new();
            attributes.set("name", Value::str(name));
            if !arguments.is_undef() {
                attributes.set("arguments", arguments);
            }
            Value::Object(Arc::new(Object { object_type: ObjectType::deferred(), attributes }))
        }
        "Timestamp" | "Timespan" | "SemVer" | "SemVerRange" | "URI" => Value::str(text()?),
        other => return Err(format!("values of type {other} are not supported in catalogs that are read")),
    })
}
