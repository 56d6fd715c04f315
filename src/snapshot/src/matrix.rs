//! Test files: classes or code, times parameters, fact sets and Hiera data.
//!
//! In: `tests/NAME.yaml`, fact sets. Out: [`Case`]s, and expectations of classifiers. Must not: compile.
//!
//! The keys of a case may also be at the top of the file, for all of its cases, and in the variants of `matrix`. Hashes
//! (parameters, facts, data, trusted) are merged: a case wins over a variant, a variant over the file.

use std::path::Path;
use std::sync::Arc;

use crate::case::Case;
use crate::case::Subject;
use crate::case::file_name;
use crate::expect::Expect;
use crate::facts::FactSet;
use crate::facts::FactSets;
use crate::metadata;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_node::facts::overrides;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_node::facts::overrides::merge;
use catwalk_node::facts::overrides::nest_dotted;
use catwalk_session::session::TestNode;
use catwalk_value::data::yaml;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::to_program;
use catwalk_world::World;

/// Keys that a case, the whole file and a variant may have.
const KEYS: [&str; 16] = [
    "class",
    "define",
    "title",
    "code",
    "before",
    "parameters",
    "fact_sets",
    "facts",
    "trusted",
    "data",
    "node",
    "expect",
    "snapshot",
    "classes",
    "variables",
    "except",
];
/// Keys of the whole file.
const FILE_KEYS: [&str; 5] = ["cases", "matrix", "facts_from", "classify", "groups"];
/// The maximum number of cases of a file.
const MOST: usize = 10_000;

/// The contents of a test file.
#[derive(Clone, Debug, Default)]
pub struct TestFile {
    /// Its cases.
    pub cases: Vec<Case>,
    /// Expectations of a classifier: the document, and the groups if the file names them.
    pub classify: Option<(Value, Option<String>)>,
    /// Systems that `fact_sets: metadata` skips because they have no fact set, such as `AIX 7.1`.
    pub without_facts: Vec<String>,
}

/// The data for reading a test file.
pub struct ReadContext<'a> {
    /// The directory that paths are relative to, and that holds `metadata.json`.
    pub root: &'a Path,
    /// Fact sets that are available to all files.
    pub sets: &'a FactSets,
    /// Facts that override those of sets and cases.
    pub overrides: &'a [FactOverride],
    /// The world from which files are read.
    pub world: &'a dyn World,
}

/// The value as a hash.
pub(super) fn hash(value: &Value, key: &str) -> Result<Arc<Hash>, String> {
    match value {
        Value::Hash(hash) => Ok(hash.clone()),
        Value::Undef => Ok(Arc::default()),
        _ => Err(format!("`{key}` must be a hash")),
    }
}

/// The value as a string.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("`{key}` must be a string"))
}

/// A single value, or the values of an array.
pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    let (items, one) = match value {
        Value::Array(items) => (Some(items), None),
        Value::Undef => (None, None),
        other => (None, Some(other)),
    };
    items.into_iter().flat_map(|items| items.iter()).chain(one)
}

/// Refuses unknown keys.
pub(super) fn check_keys(hash: &Hash, allowed: &[&str], owner: &str) -> Result<(), String> {
    for key in hash.keys() {
        let name = key.as_str().unwrap_or("true");
        if !allowed.contains(&name) {
            let hint = did_you_mean(name, allowed.iter().copied()).map(|near| format!("; {near}"));
            return Err(format!("{owner} has no key `{name}`{}", hint.unwrap_or_default()));
        }
    }
    Ok(())
}

/// Reads a test file.
///
/// # Errors
/// The file cannot be read, is not YAML, or has an invalid key or value.
pub fn read(path: &Path, around: &ReadContext<'_>) -> Result<TestFile, Reason> {
    let display_path = path.strip_prefix(around.root).unwrap_or(path).display().to_string();
    let wrong = |why: String| Reason::new(Code::BAD_TEST, format!("{display_path}: {why}"));
    let bytes = around.world.read(path).map_err(|refused| wrong(refused.to_string()))?;
    let document = yaml::parse(&bytes).map_err(|error| {
        let reason = wrong(format!("{}:{}: {}", error.line, error.column, error.message));
        match error.message.contains("flow mapping") {
            true => reason.help("inside { }, quote keys that have brackets: {'File[/etc/motd]': {mode: '0644'}}"),
            false => reason,
        }
    })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    file(&stem, &display_path, &document, around).map_err(|why| {
        let example = example(&why);
        wrong(why).hint(example)
    })
}

/// Keys of test files, each with an example.
const EXAMPLES: [(&str, &str); 6] = [
    ("a test file", "class: ntp\nfact_sets: debian-12"),
    ("cases", "cases:\n  with defaults:\n    class: ntp"),
    ("expect", "expect:\n  contains:\n    - File[/etc/motd]: {mode: '0644'}"),
    ("facts", "facts:\n  os: {family: Debian}"),
    ("parameters", "parameters:\n  servers: [a, b]"),
    ("variants", "variants:\n  small: {facts: {processors: {count: 1}}}"),
];

/// An example for the part of a test file that has the wrong shape.
fn example(why: &str) -> Option<String> {
    if let Some((_, key)) = why.split_once("expect has no key `") {
        let resource = key.split('`').next().filter(|key| key.contains('['))?;
        return Some(format!(
            "list resources under `contains`:\nexpect:\n  contains:\n    - {resource}: {{mode: '0644'}}"
        ));
    }
    let (name, _) = why.strip_prefix('`')?.split_once("` must be ")?;
    let (_, example) = EXAMPLES.iter().find(|(key, _)| *key == name)?;
    Some(format!("for example:\n{example}"))
}

fn file(stem: &str, display_path: &str, document: &Value, around: &ReadContext<'_>) -> Result<TestFile, String> {
    let top = hash(document, "a test file")?;
    check_keys(&top, &[&KEYS[..], &FILE_KEYS[..]].concat(), "a test file")?;
    let mut own;
    let mut sets = around.sets;
    if let Some(paths) = top.get("facts_from") {
        own = around.sets.clone();
        for path in list(paths) {
            let path = around.root.join(text(path, "facts_from")?);
            own.load(&path, around.world).map_err(|reason| reason.message.into_owned())?;
        }
        sets = &own;
    }
    let variants = variants(&top)?;
    let one = Value::hash([(Value::str(""), Value::Undef)].into_iter().collect());
    let cases = hash(top.get("cases").unwrap_or(&one), "cases")?;
    let mut result = TestFile::default();
    if let Some(expectations) = top.get("classify") {
        let groups = top.get("groups").map(|path| text(path, "groups").map(str::to_owned)).transpose()?;
        result.classify = Some((expectations.clone(), groups));
        if top.get("cases").is_none() && top.get("class").is_none() && top.get("code").is_none() {
            return Ok(result);
        }
    }
    for (name, case) in cases.iter() {
        let name = name.as_str().map_or_else(|| to_program(name), str::to_owned);
        let wrong = |why: String| if name.is_empty() { why } else { format!("case '{name}': {why}") };
        let case = hash(case, &name).map_err(wrong)?;
        check_keys(&case, &KEYS, "a case").map_err(wrong)?;
        for (variant, settings) in &variants {
            let mut all = Hash::new();
            let shared = top.iter().filter(|(key, _)| key.as_str().is_some_and(|key| KEYS.contains(&key)));
            all = merge(&all, &shared.map(|(key, value)| (key.clone(), value.clone())).collect());
            for layer in settings.iter().chain([&case]) {
                all = merge(&all, layer);
            }
            let parts = [name.clone(), variant.clone()].into_iter().filter(|part| !part.is_empty());
            let label = parts.collect::<Vec<_>>().join("+");
            let around = ReadContext { sets, ..*around };
            let (cases, without) = expanded(stem, display_path, &label, &all, &around).map_err(wrong)?;
            result.cases.extend(cases);
            result.without_facts.extend(without);
            if result.cases.len() > MOST {
                return Err(format!("it expands to more than {MOST} cases"));
            }
        }
    }
    Ok(result)
}

/// Every combination of one variant of each axis of `matrix`, with its name.
fn variants(top: &Hash) -> Result<Vec<(String, Vec<Arc<Hash>>)>, String> {
    let mut all = vec![(String::new(), Vec::new())];
    let Some(matrix) = top.get("matrix") else { return Ok(all) };
    for (axis, variants) in hash(matrix, "matrix")?.iter() {
        let axis = text(axis, "matrix")?;
        let variants = hash(variants, axis)?;
        // An empty axis would silently test nothing.
        if variants.is_empty() {
            return Err(format!("the axis '{axis}' of its matrix has no variants: list them below it, by name"));
        }
        let mut next = Vec::new();
        for (name, settings) in &all {
            for (variant, more) in variants.iter() {
                let variant = variant.as_str().map_or_else(|| to_program(variant), str::to_owned);
                let more = hash(more, &variant)?;
                check_keys(&more, &KEYS, &format!("the variant '{variant}'"))?;
                let label = if name.is_empty() { variant } else { format!("{name}+{variant}") };
                next.push((label, settings.iter().cloned().chain([more]).collect::<Vec<_>>()));
            }
        }
        if next.len() > MOST {
            return Err(format!("its matrix expands to more than {MOST} cases"));
        }
        all = next;
    }
    Ok(all)
}

/// The cases of one set of keys, one for each fact set, and the systems of `metadata.json` without a fact set.
fn expanded(
    stem: &str,
    display_path: &str,
    label: &str,
    keys: &Hash,
    around: &ReadContext<'_>,
) -> Result<(Vec<Case>, Vec<String>), String> {
    let code = code(keys)?;
    let (sets, without) = fact_sets(keys, around)?;
    let expect = keys.get("expect").map(Expect::read).transpose()?.unwrap_or_default();
    let snapshot = match keys.get("snapshot") {
        None => expect.fails.is_none(),
        Some(Value::Bool(kept)) => *kept,
        Some(_) => return Err("`snapshot` must be true or false".to_owned()),
    };
    let part = |key: &str| keys.get(key).map(|value| hash(value, key)).transpose();
    let (facts, trusted, data) = (part("facts")?, part("trusted")?, part("data")?);
    let variables = part("variables")?.unwrap_or_default();
    let node = keys.get("node").map(|node| text(node, "node")).transpose()?;
    let classes = match keys.get("classes") {
        None => Vec::new(),
        Some(value) => list(value).map(|name| text(name, "classes").map(Arc::from)).collect::<Result<_, _>>()?,
    };
    let one = |set: Option<&FactSet>| {
        let certname =
            node.or(set.and_then(|set| set.certname.as_deref())).unwrap_or("test.example.com").to_lowercase();
        let base = set.map(|set| set.facts.clone()).unwrap_or_default();
        let facts = match &facts {
            Some(more) => Arc::new(merge(&base, &nest_dotted(more))),
            None => base,
        };
        let facts = overrides::apply(facts, around.overrides);
        let known = set.and_then(|set| set.trusted.clone());
        let trusted = (trusted.is_some() || known.is_some()).then(|| {
            let mut all = catwalk_node::trusted(&certname);
            for more in [&known, &trusted].into_iter().flatten() {
                all = merge(&all, more);
            }
            all
        });
        let of = set.map(|set| format!("@{}", set.name)).unwrap_or_default();
        let name = if label.is_empty() && of.is_empty() { "default".to_owned() } else { format!("{label}{of}") };
        let name = name.strip_prefix('@').unwrap_or(&name).to_owned();
        let of_case = format!("{}/{}", file_name(stem), file_name(&name));
        Case {
            name: of_case.clone(),
            title: format!("{display_path}: {name}"),
            source: display_path.to_owned(),
            subject: Subject::TestNode(Box::new(TestNode {
                certname: Arc::from(certname),
                case: Some(Arc::from(of_case)),
                facts,
                trusted,
                data: data.clone(),
                code: Some(code.clone()),
                classes: classes.clone(),
                variables: variables.clone(),
            })),
            expect: expect.clone(),
            snapshot,
        }
    };
    let cases = match sets {
        None => vec![one(None)],
        Some(sets) => sets.into_iter().map(|set| one(Some(set))).collect(),
    };
    Ok((cases, without))
}

/// The code of a case.
fn code(keys: &Hash) -> Result<String, String> {
    let get = |key: &str| keys.get(key).filter(|value| !value.is_undef()).map(|value| text(value, key)).transpose();
    let mut code = String::new();
    if let Some(before) = get("before")? {
        code.push_str(before.trim_end());
        code.push('\n');
    }
    let parameters = keys.get("parameters").map(|value| hash(value, "parameters")).transpose()?;
    let attributes = |parameters: &Option<Arc<Hash>>| -> Result<String, String> {
        let mut attributes = String::new();
        for (name, value) in parameters.iter().flat_map(|parameters| parameters.iter()) {
            let name = text(name, "parameters")?;
            attributes.push_str(&format!("\n  {name} => {},", to_program(value)));
        }
        if !attributes.is_empty() {
            attributes.push('\n');
        }
        Ok(attributes)
    };
    match (get("class")?, get("define")?, get("code")?) {
        (Some(class), None, None) => match parameters.as_ref().is_none_or(|parameters| parameters.is_empty()) {
            true => code.push_str(&format!("include {class}\n")),
            false => code.push_str(&format!("class {{ '{class}':{}}}\n", attributes(&parameters)?)),
        },
        (None, Some(define), None) => {
            let title = get("title")?.unwrap_or("test");
            let title = catwalk_value::value::puppet_quote(title);
            code.push_str(&format!("{define} {{ {title}:{}}}\n", attributes(&parameters)?));
        }
        (None, None, Some(text)) => {
            if parameters.is_some() {
                return Err("`parameters` go with `class` or `define`, not with `code`".to_owned());
            }
            code.push_str(text);
        }
        (None, None, None) if keys.get("classes").is_some() || !code.is_empty() => {}
        (None, None, None) => return Err("it needs one of `class`, `define` and `code`".to_owned()),
        _ => return Err("only one of `class`, `define` and `code` can be given".to_owned()),
    }
    Ok(code)
}

/// The fact sets of a case, `None` if it uses none; and the systems of `metadata.json` without a fact set.
type SelectedSets<'a> = (Option<Vec<&'a FactSet>>, Vec<String>);

fn fact_sets<'a>(keys: &Hash, around: &ReadContext<'a>) -> Result<SelectedSets<'a>, String> {
    let mut without = Vec::new();
    let Some(chosen) = keys.get("fact_sets").filter(|chosen| !chosen.is_undef()) else { return Ok((None, without)) };
    let mut found: Vec<&FactSet> = Vec::new();
    for selector in list(chosen) {
        let sets = match selector {
            Value::Str(name) if &**name == "metadata" => {
                let supported = metadata::supported(around, keys.get("except"))?;
                without.extend(supported.without);
                supported.sets
            }
            Value::Str(name) => around.sets.named(name)?,
            Value::Hash(criteria) => around.sets.having(criteria)?,
            _ => return Err("`fact_sets` needs names, patterns, or hashes of facts".to_owned()),
        };
        for set in sets {
            if !found.iter().any(|known| known.name == set.name) {
                found.push(set);
            }
        }
    }
    if found.is_empty() {
        return Err("`fact_sets` is empty: nothing would be tested".to_owned());
    }
    Ok((Some(found), without))
}

#[cfg(test)]
mod tests;
