//! Reads catalogs in Puppet's format: what `native` writes, also with rich data, and what a Puppet server answers.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value as Json;

use catwalk_base::names::Name;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_regexp::Regexp;
use catwalk_value::types::ObjectType;
use catwalk_value::value::Hash;
use catwalk_value::value::Object;
use catwalk_value::value::Value;

/// Deeper values are refused.
const MAX_DEPTH: usize = 200;

/// Names the attribute that a title of a type sets where the catalog does not write it, for types that are not in this table: `name`.
const NAMEVARS: [(&str, &str); 3] = [("File", "path"), ("Exec", "command"), ("Tidy", "path")];

/// A catalog from JSON.
///
/// # Errors
/// It is no JSON, or no catalog: says which member is missing or wrong.
pub fn read_native(bytes: &[u8]) -> Result<Catalog, String> {
    let document: Json = serde_json::from_slice(bytes).map_err(|error| format!("it is no catalog: {error}"))?;
    let text = |name: &str| document.get(name).and_then(Json::as_str).map(Arc::<str>::from);
    let list = |name: &str| document.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let name = text("name").ok_or("it is no catalog: name is missing")?;
    if document.get("resources").and_then(Json::as_array).is_none() {
        return Err("it is no catalog: resources is missing".to_owned());
    }
    let resources = list("resources").iter().map(resource).collect::<Result<Vec<_>, _>>()?;
    let at: std::collections::HashMap<String, usize> =
        resources.iter().enumerate().map(|(at, resource)| (resource.reference(), at)).collect();
    let mut edges = Vec::new();
    for edge in list("edges") {
        let end = |name: &str| {
            let reference = edge.get(name).and_then(Json::as_str).ok_or(format!("an edge without {name}"))?;
            at.get(reference).copied().ok_or(format!("an edge names {reference}, which is no resource"))
        };
        edges.push((end("source")?, end("target")?));
    }
    let version = match document.get("version") {
        Some(Json::Number(seconds)) => Version::Seconds(seconds.as_u64().unwrap_or(0)),
        Some(Json::String(text)) => Version::Text(Arc::from(text.as_str())),
        _ => Version::Seconds(0),
    };
    let texts = |name: &str| list(name).iter().filter_map(Json::as_str).map(Arc::<str>::from).collect::<Vec<_>>();
    Ok(Catalog {
        name,
        version,
        uuid: text("catalog_uuid").unwrap_or_default(),
        environment: text("environment").unwrap_or_else(|| Arc::from("production")),
        tags: tags(&texts("tags"))?,
        classes: texts("classes"),
        resources,
        edges,
        secrets: Arc::new(Secrets::default()),
    })
}

fn tags(texts: &[Arc<str>]) -> Result<Tags, String> {
    let mut tags = Tags::default();
    for text in texts {
        tags.add(text).map_err(|tag| format!("the tag {tag} is not valid"))?;
    }
    Ok(tags)
}

fn resource(json: &Json) -> Result<Resource, String> {
    let text = |name: &str| json.get(name).and_then(Json::as_str);
    let type_name = text("type").ok_or("a resource without type")?;
    let title = text("title").ok_or(format!("a resource of type {type_name} without title"))?;
    let placed = |error: String| format!("{type_name}[{title}]: {error}");
    let list = |name: &str| json.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let words = |name: &str| list(name).iter().filter_map(Json::as_str).map(Arc::<str>::from).collect::<Vec<_>>();
    let kind = match text("kind") {
        Some("class") => Kind::Class,
        Some("defined_type") => Kind::DefinedType,
        Some("compilable_type") => Kind::CompilableType,
        Some(_) => Kind::Unknown,
        // Format 1 does not say: names with colons are defined types.
        None if matches!(type_name, "Class" | "Node" | "Stage") => Kind::Unknown,
        None if type_name.contains("::") => Kind::DefinedType,
        None => Kind::CompilableType,
    };
    let is_native =
        !matches!(kind, Kind::Class | Kind::DefinedType) && !matches!(type_name, "Class" | "Node" | "Stage");
    let namevar = NAMEVARS.iter().find(|(known, _)| *known == type_name && is_native).map_or("name", |(_, name)| *name);
    let mut parameters = catwalk_base::names::Table::new();
    for (name, value) in json.get("parameters").and_then(Json::as_object).into_iter().flatten() {
        let value = value_of(value, 0).map_err(|error| placed(format!("{name}: {error}")))?;
        if !value.is_undef() {
            parameters.insert(Name::new(name), value);
        }
    }
    let title_is_main = matches!(type_name, "Class" | "Stage") && title == "main";
    Ok(Resource {
        type_name: Name::new(type_name),
        title: Arc::from(title),
        title_is_main,
        tags: tags(&words("tags")).map_err(placed)?,
        file: text("file").map(Arc::from),
        line: json.get("line").and_then(Json::as_u64).and_then(|line| u32::try_from(line).ok()),
        exported: json.get("exported").and_then(Json::as_bool),
        is_virtual: json.get("exported").and_then(Json::as_bool) == Some(true),
        kind,
        namevar: Name::new(namevar),
        isomorphic: !matches!(type_name, "Exec" | "Notify"),
        composite: false,
        builtin: is_native,
        parameters,
        sensitive: words("sensitive_parameters").iter().map(|name| Name::new(name)).collect(),
    })
}

/// A value of a parameter, with `__ptype` where JSON has no form.
fn value_of(json: &Json, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err("nested too deeply".to_owned());
    }
    Ok(match json {
        Json::Array(items) => {
            Value::array(items.iter().map(|item| value_of(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Json::Object(map) => match map.get("__ptype").and_then(Json::as_str) {
            Some(tag) => rich(tag, map, depth)?,
            None => {
                let mut hash = Hash::with_capacity(map.len());
                for (key, value) in map {
                    hash.set(key, value_of(value, depth + 1)?);
                }
                Value::hash(hash)
            }
        },
        plain => catwalk_value::value::json::from_json(plain),
    })
}

fn rich(tag: &str, map: &Map<String, Json>, depth: usize) -> Result<Value, String> {
    let inner = || map.get("__pvalue").ok_or(format!("{tag} without __pvalue"));
    let text = || inner().and_then(|json| json.as_str().ok_or(format!("the value of {tag} is no string")));
    Ok(match tag {
        "Default" => Value::Default,
        "Sensitive" => Value::Sensitive(Arc::new(value_of(inner()?, depth + 1)?)),
        "Regexp" => Value::Regexp(Arc::new(Regexp::new(text()?))),
        "Binary" => Value::Binary(Arc::from(catwalk_value::value::text::loose_base64(text()?.as_bytes()))),
        "Hash" => {
            let items = inner()?.as_array().ok_or("the value of Hash is no array")?;
            let mut hash = Hash::new();
            for pair in items.chunks(2) {
                let [key, value] = pair else { return Err("a Hash with a key without value".to_owned()) };
                hash.insert(value_of(key, depth + 1)?, value_of(value, depth + 1)?);
            }
            Value::hash(hash)
        }
        "Deferred" => {
            let name = map.get("name").and_then(Json::as_str).ok_or("Deferred without name")?;
            let arguments = match map.get("arguments") {
                Some(arguments) => value_of(arguments, depth + 1)?,
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
