//! Test files: classes or code, times parameters, fact sets and Hiera data.
//!
//! In: `tests/NAME.yaml`, fact sets. Out: [`Case`]s, and expectations of classifiers. Must not: compile.
//!
//! The keys of a case may also be at the top of the file, for all of its cases, and in the variants of `matrix`. Hashes
//! (parameters, facts, data, trusted) are merged: a case wins over a variant, a variant over the file.

mod template;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::case::Case;
use crate::facts::FactSet;
use crate::facts::FactSets;
use crate::invalid::Invalid;
use crate::matrix::template::CaseOrigin;
use crate::matrix::template::CaseTemplate;
use crate::matrix::template::code;
use crate::metadata;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_node::facts::overrides::merge;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_value::data::yaml::AllowedClasses;
use catwalk_value::to_program;
use catwalk_world::World;

/// Keys that a case, the whole file and a variant may have.
pub(crate) const KEYS: [&str; 16] = [
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
pub(crate) const FILE_KEYS: [&str; 5] = ["cases", "matrix", "facts_from", "classify", "groups"];
/// The maximum number of cases of a file.
const MAX_CASES: usize = 10_000;

/// The contents of a test file.
#[derive(Clone, Debug, Default)]
pub struct TestFile {
    /// Its cases.
    pub cases: Vec<Case>,
    /// Expectations of a classifier: the document, and the groups if the file names them.
    pub classify: Option<(Value, Option<String>)>,
    /// The file, relative to the site.
    pub source: String,
    /// The lines of the expectations of `classify`.
    pub classify_lines: Vec<u32>,
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
pub(super) fn hash(value: &Value, key: &str) -> Result<Arc<Hash>, Invalid> {
    match value {
        Value::Hash(hash) => Ok(hash.clone()),
        Value::Undef => Ok(Arc::default()),
        _ => Err(Invalid { help: example(key), ..Invalid::from(format!("`{key}` must be a hash")).within(key) }),
    }
}

/// The value as a string.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Invalid> {
    let wrong = || Invalid { help: example(key), ..Invalid::from(format!("`{key}` must be a string")).within(key) };
    value.as_str().ok_or_else(wrong)
}

/// A single value, or the values of an array.
pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    let (items, single) = match value {
        Value::Array(items) => (Some(items), None),
        Value::Undef => (None, None),
        other => (None, Some(other)),
    };
    items.into_iter().flat_map(|items| items.iter()).chain(single)
}

/// Refuses unknown keys.
pub(super) fn check_keys(hash: &Hash, allowed: &[&str], owner: &str) -> Result<(), Invalid> {
    for key in hash.keys() {
        let name = key.as_str().unwrap_or("true");
        if !allowed.contains(&name) {
            let hint = did_you_mean(name, allowed.iter().copied()).map(|near| format!("; {near}"));
            let message = format!("{owner} has no key `{name}`{}", hint.unwrap_or_default());
            return Err(Invalid::from(message).within(name));
        }
    }
    Ok(())
}

/// Reads a test file.
///
/// # Errors
/// The file cannot be read, is not YAML, or has an invalid key or value.
pub fn read(path: &Path, context: &ReadContext<'_>) -> Result<TestFile, Reason> {
    let display_path = path.strip_prefix(context.root).unwrap_or(path).display().to_string();
    let refused = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_TEST, format!("{display_path}: {why}"));
    let bytes = context.world.read(path).map_err(|why| refused(&why).because(why.cause()))?;
    let allowed = AllowedClasses { names_as_written: true, ..AllowedClasses::default() };
    let document = yaml::parse_allowing(&bytes, allowed).map_err(|error| {
        let reason = Reason::new(Code::BAD_TEST, error.message.clone()).in_file(error.location(path, &bytes));
        match error.message.contains("flow mapping") {
            true => reason.help("inside { }, quote keys that have brackets: {'File[/etc/motd]': {mode: '0644'}}"),
            false => reason,
        }
    })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    read_document(&stem, (&display_path, &text), &document.value, context)
        .map_err(|invalid| invalid.reason(path, &bytes))
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

/// An example for a key of a test file.
fn example(key: &str) -> Option<String> {
    let (_, example) = EXAMPLES.iter().find(|(name, _)| *name == key)?;
    Some(format!("for example:\n{example}"))
}

fn read_document(
    stem: &str,
    (display_path, source_text): (&str, &str),
    document: &Value,
    context: &ReadContext<'_>,
) -> Result<TestFile, Invalid> {
    let top = hash(document, "a test file")?;
    check_keys(&top, &[&KEYS[..], &FILE_KEYS[..]].concat(), "a test file")?;
    let mut extended;
    let mut sets = context.sets;
    if let Some(paths) = top.get("facts_from") {
        extended = context.sets.clone();
        for path in list(paths) {
            let path = context.root.join(text(path, "facts_from")?);
            let loaded = extended.load(&path, context.world);
            loaded.map_err(|reason| Invalid::from(reason.message.into_owned()).within("facts_from"))?;
        }
        sets = &extended;
    }
    let variants = variants(&top)?;
    let unnamed_case = Value::hash([(Value::str(""), Value::Undef)].into_iter().collect());
    let cases = hash(top.get("cases").unwrap_or(&unnamed_case), "cases")?;
    let mut result = TestFile { source: display_path.to_owned(), ..TestFile::default() };
    if let Some(expectations) = top.get("classify") {
        let groups = top.get("groups").map(|path| text(path, "groups").map(str::to_owned)).transpose()?;
        result.classify = Some((expectations.clone(), groups));
        let path: &[&str] = if let Value::Hash(_) = expectations { &["classify", "tests"] } else { &["classify"] };
        result.classify_lines = positions::members(source_text, path).iter().map(|(_, at)| line(*at)).collect();
        if top.get("cases").is_none() && top.get("class").is_none() && top.get("code").is_none() {
            return Ok(result);
        }
    }
    let lines: HashMap<String, u32> =
        positions::members(source_text, &["cases"]).into_iter().map(|(name, at)| (name, line(at))).collect();
    let first_line = positions::members(source_text, &[]).first().map_or(1, |(_, at)| line(*at));
    for (name, case) in cases.iter() {
        let name = name.as_str().map_or_else(|| to_program(name), str::to_owned);
        let wrong = |why: Invalid| match name.is_empty() {
            true => why,
            false => Invalid { message: format!("case '{name}': {}", why.message), ..why },
        };
        let of_case = |why: Invalid| wrong(why).within(&name).within("cases");
        let case = hash(case, &name).map_err(of_case)?;
        check_keys(&case, &KEYS, "a case").map_err(of_case)?;
        for (variant, settings) in &variants {
            let defaults = top.iter().filter(|(key, _)| key.as_str().is_some_and(|key| KEYS.contains(&key)));
            let defaults: Hash = defaults.map(|(key, value)| (key.clone(), value.clone())).collect();
            let mut keys = merge(&Hash::new(), &defaults);
            let mut origins = vec![vec!["cases".to_owned(), name.clone()]];
            for (row, layer) in settings {
                keys = merge(&keys, layer);
                origins.insert(1, std::iter::once("matrix".to_owned()).chain(row.iter().cloned()).collect());
            }
            keys = merge(&keys, &case);
            origins.push(Vec::new());
            let parts = [name.clone(), variant.clone()].into_iter().filter(|part| !part.is_empty());
            let label = parts.collect::<Vec<_>>().join("+");
            let context = ReadContext { sets, ..*context };
            let line = lines.get(&name).copied().unwrap_or(first_line);
            let origin = CaseOrigin { stem, display_path, label: &label, line };
            let (cases, without_facts) =
                expand_cases(&origin, &keys, &context).map_err(|why| wrong(why).merged_from(&origins))?;
            result.cases.extend(cases);
            result.without_facts.extend(without_facts);
            if result.cases.len() > MAX_CASES {
                return Err(format!("it expands to more than {MAX_CASES} cases").into());
            }
        }
    }
    Ok(result)
}

/// The line of a position.
fn line((line, _): positions::Position) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// A variant of an axis: the names of both, and its keys.
type Row = ([String; 2], Arc<Hash>);

/// Every combination of one variant of each axis of `matrix`, with its name.
fn variants(top: &Hash) -> Result<Vec<(String, Vec<Row>)>, Invalid> {
    let mut combinations: Vec<(String, Vec<Row>)> = vec![(String::new(), Vec::new())];
    let Some(matrix) = top.get("matrix") else { return Ok(combinations) };
    for (axis, variants) in hash(matrix, "matrix")?.iter() {
        let axis = text(axis, "matrix")?;
        let wrong = |why: Invalid| why.within(axis).within("matrix");
        let variants = hash(variants, axis).map_err(wrong)?;
        // An empty axis would silently test nothing.
        if variants.is_empty() {
            let message = format!("the axis '{axis}' of its matrix has no variants: list them below it, by name");
            return Err(wrong(message.into()));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (variant, keys) in variants.iter() {
            let variant = variant.as_str().map_or_else(|| to_program(variant), str::to_owned);
            let wrong = |why: Invalid| wrong(why.within(&variant));
            let keys = hash(keys, &variant).map_err(wrong)?;
            check_keys(&keys, &KEYS, &format!("the variant '{variant}'")).map_err(wrong)?;
            rows.push(([axis.to_owned(), variant], keys));
        }
        let mut next = Vec::new();
        for (name, settings) in &combinations {
            for row in &rows {
                let ([_, variant], _) = row;
                let label = if name.is_empty() { variant.clone() } else { format!("{name}+{variant}") };
                next.push((label, settings.iter().chain([row]).cloned().collect::<Vec<_>>()));
            }
        }
        if next.len() > MAX_CASES {
            return Err(wrong(format!("its matrix expands to more than {MAX_CASES} cases").into()));
        }
        combinations = next;
    }
    Ok(combinations)
}

/// The cases of one set of keys, one for each fact set, and the systems of `metadata.json` without a fact set.
fn expand_cases(
    origin: &CaseOrigin<'_>,
    keys: &Hash,
    context: &ReadContext<'_>,
) -> Result<(Vec<Case>, Vec<String>), Invalid> {
    let code = code(keys)?;
    let (sets, without_facts) = fact_sets(keys, context).map_err(|why| why.within("fact_sets"))?;
    let template = CaseTemplate::read(code, keys)?;
    let cases = match sets {
        None => vec![template.build_case(origin, None, context.overrides)],
        Some(sets) => sets.into_iter().map(|set| template.build_case(origin, Some(set), context.overrides)).collect(),
    };
    Ok((cases, without_facts))
}

/// The fact sets of a case, `None` if it uses none; and the systems of `metadata.json` without a fact set.
type SelectedSets<'a> = (Option<Vec<&'a FactSet>>, Vec<String>);

fn fact_sets<'a>(keys: &Hash, context: &ReadContext<'a>) -> Result<SelectedSets<'a>, Invalid> {
    let mut without_facts = Vec::new();
    let Some(chosen) = keys.get("fact_sets").filter(|chosen| !chosen.is_undef()) else {
        return Ok((None, without_facts));
    };
    let mut selected: Vec<&FactSet> = Vec::new();
    for selector in list(chosen) {
        let sets = match selector {
            Value::Str(name) if &**name == "metadata" => {
                let supported = metadata::supported(context, keys.get("except"))?;
                without_facts.extend(supported.without_facts);
                supported.sets
            }
            Value::Str(name) => context.sets.named(name)?,
            Value::Hash(criteria) => context.sets.having(criteria)?,
            _ => return Err("`fact_sets` needs names, patterns, or hashes of facts".into()),
        };
        for set in sets {
            if !selected.iter().any(|other| other.name == set.name) {
                selected.push(set);
            }
        }
    }
    if selected.is_empty() {
        return Err("`fact_sets` is empty: nothing would be tested".into());
    }
    Ok((Some(selected), without_facts))
}

#[cfg(test)]
mod tests;
