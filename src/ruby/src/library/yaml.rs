//! `YAML` as Ruby code calls it (Psych 4): loading strings and files.
//!
//! In: the arguments of `load`, `safe_load`, `unsafe_load` and their `_file` variants. Out: Ruby values, including symbols.
//! Must not: access the disk except through the world.

use crate::Interp;
use crate::Raise;
use crate::library::open_file::FILE;
use crate::library::paths::path_argument;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::meter;
use catwalk_value::data::yaml::AllowedClasses;
use catwalk_value::data::yaml::Symbols;
use catwalk_value::data::yaml::YamlError;
use catwalk_value::data::yaml::parse_allowing;

/// Maximum nesting at which `symbolize_names` converts keys.
pub(crate) const DEPTH: usize = 100;

/// A singleton method of `YAML`; `None` if it has no such method.
pub(crate) fn call(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let Some((kind, in_file)) = split_method_name(name) else { return Ok(None) };
    let options = args.iter().skip(1).find(|arg| matches!(arg, Rv::Hash(_))).cloned().unwrap_or(Rv::Nil);
    let file =
        if in_file { Some(path_argument(rt, args.first())?) } else { option(&options, "filename").string_or_symbol() };
    let source = match (&file, args.first()) {
        (Some(path), _) if in_file => rt.read_file(path)?,
        (_, Some(Rv::Bytes(bytes))) => bytes.borrow().clone(),
        (_, Some(io @ Rv::Object(object))) if object.class.as_str() == FILE => {
            let string = rt.call_method(io, "read", &[], None)?;
            rt.expect_str(&string)?.into_bytes()
        }
        (_, source) => rt.expect_str(source.unwrap_or(&Rv::Nil))?.into_bytes(),
    };
    let permitted = |class: &str| match option(&options, "permitted_classes") {
        Rv::Array(classes) => classes.borrow().iter().any(|c| matches!(c, Rv::Class(c) if c.as_str() == class)),
        _ => false,
    };
    let allowed = AllowedClasses {
        regexp: kind == "unsafe_load" || permitted("Regexp"),
        no_aliases: kind != "unsafe_load" && !option(&options, "aliases").truthy(),
        symbols: Symbols::Unchanged,
        names_as_written: false,
    };
    let parsed = match rt.host.yaml() {
        Some(cache) => cache.parse(&source, allowed),
        None => parse_allowing(&source, allowed),
    };
    let document = match parsed {
        Ok(document) => document,
        Err(error) => return raise_yaml_error(rt, &error, file.as_deref()),
    };
    if kind == "safe_load" && document.any_symbol && !permitted("Symbol") {
        return rt.raise("Psych::DisallowedClass", "Tried to load unspecified class: Symbol".to_owned());
    }
    if document.empty {
        let fallback = if kind == "unsafe_load" { Rv::False } else { Rv::Nil };
        return Ok(Some(if has_option(&options, "fallback") { option(&options, "fallback") } else { fallback }));
    }
    let value = rt.to_ruby(&document.value);
    Ok(Some(if option(&options, "symbolize_names").truthy() { symbolize_keys(&value, DEPTH) } else { value }))
}

/// The load method without the suffix `_file`, and whether it reads a file.
fn split_method_name(name: &str) -> Option<(&'static str, bool)> {
    let (plain, in_file) = name.strip_suffix("_file").map_or((name, false), |plain| (plain, true));
    ["load", "safe_load", "unsafe_load"].into_iter().find(|kind| *kind == plain).map(|kind| (kind, in_file))
}

fn has_option(options: &Rv, name: &str) -> bool {
    matches!(options, Rv::Hash(options) if options.get(&Rv::sym(name)).is_some())
}

pub(crate) fn option(options: &Rv, name: &str) -> Rv {
    match options {
        Rv::Hash(options) => options.get(&Rv::sym(name)).unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    }
}

fn raise_yaml_error<T>(rt: &mut Interp<'_>, error: &YamlError, file: Option<&str>) -> Raise<T> {
    if error.class != "Psych::SyntaxError" {
        return rt.raise(error.class, error.message.clone());
    }
    rt.raise("Psych::SyntaxError", error.puppet_text(file))
}

/// The value with symbols instead of strings as keys.
pub(crate) fn symbolize_keys(value: &Rv, depth: usize) -> Rv {
    match value {
        Rv::Hash(entries) if depth > 0 => {
            let mut map = Map::default();
            // Aliases are copied each time.
            meter::charge(entries.map.borrow().len().saturating_mul(64).saturating_add(64));
            for (Key(key), value) in entries.map.borrow().iter() {
                let key = key.string_or_symbol().map_or_else(|| key.clone(), |string| Rv::sym(&string));
                map.insert(Key(key), symbolize_keys(value, depth - 1));
            }
            Rv::Hash(crate::value::HashObject::new(map))
        }
        Rv::Array(items) if depth > 0 => {
            meter::charge(items.borrow().len().saturating_mul(16).saturating_add(64));
            Rv::array(items.borrow().iter().map(|item| symbolize_keys(item, depth - 1)).collect())
        }
        _ => value.clone(),
    }
}
