//! `YAML` as Ruby code calls it (Psych 4): loading strings and files.
//!
//! In: the arguments of `load`, `safe_load`, `unsafe_load` and their `_file` variants. Out: Ruby values, including symbols.
//! Must not: access the disk except through the world.

use crate::Interp;
use crate::Raise;
use crate::library::open_file::FILE;
use crate::library::paths::path_argument;
use crate::object::Class;
use crate::object::Method;
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

pub(crate) static PSYCH: Class = Class::module(
    "Psych",
    &[
        Method::at_least("dump", 1, |rt, _, args, _| rt.to_yaml(args.first().unwrap_or(&Rv::Nil), None)),
        Method::at_least("load", 1, |rt, _, args, _| load(rt, Load::Plain, false, args)),
        Method::at_least("load_file", 1, |rt, _, args, _| load(rt, Load::Plain, true, args)),
        Method::at_least("safe_load", 1, |rt, _, args, _| load(rt, Load::Safe, false, args)),
        Method::at_least("safe_load_file", 1, |rt, _, args, _| load(rt, Load::Safe, true, args)),
        Method::at_least("unsafe_load", 1, |rt, _, args, _| load(rt, Load::Unsafe, false, args)),
        Method::at_least("unsafe_load_file", 1, |rt, _, args, _| load(rt, Load::Unsafe, true, args)),
    ],
);

/// Which of the three methods loads a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// `load`
    Plain,
    /// `safe_load`
    Safe,
    /// `unsafe_load`
    Unsafe,
}

/// Loads a document, with `in_file` from the file whose path is the first argument.
fn load(rt: &mut Interp<'_>, kind: Load, in_file: bool, args: &[Rv]) -> Raise<Rv> {
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
        regexp: kind == Load::Unsafe || permitted("Regexp"),
        no_aliases: kind != Load::Unsafe && !option(&options, "aliases").truthy(),
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
    if kind == Load::Safe && document.any_symbol && !permitted("Symbol") {
        return rt.raise("Psych::DisallowedClass", "Tried to load unspecified class: Symbol".to_owned());
    }
    if document.empty {
        let fallback = if kind == Load::Unsafe { Rv::False } else { Rv::Nil };
        return Ok(if has_option(&options, "fallback") { option(&options, "fallback") } else { fallback });
    }
    let value = rt.to_ruby(&document.value);
    Ok(if option(&options, "symbolize_names").truthy() { symbolize_keys(&value, DEPTH) } else { value })
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
