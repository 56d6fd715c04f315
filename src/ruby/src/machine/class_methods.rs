//! Methods called on classes and modules.
//!
//! In: a class, the name of a method, arguments. Out: the result of the method of the first table or module that has it.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::machine::construct::construct;
use crate::object::builtin_classes::is_builtin_class;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Calls a built-in method of a class or module.
pub(crate) fn call(rt: &mut Interp<'_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if name == "new" && rt.is_plain_class(class) {
        return construct(rt, class, name, args, block);
    }
    if let Some(value) = rt.host.call_definition(rt.state, class, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(value) = call_class(rt, class, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(method) = crate::machine::registry::find_singleton(class.as_str(), name) {
        return rt.call_builtin(method, &Rv::Class(class), args, block).map(Some);
    }
    if let Some(value) = call_library(rt, class, name, args, block)? {
        return Ok(Some(value));
    }
    if (matches!(name, "new" | "[]" | "exception") || (class.as_str(), name) == ("Regexp", "compile"))
        && let Some(object) = construct(rt, class, name, args, block)?
    {
        return Ok(Some(object));
    }
    crate::machine::module_functions::call(rt, class.as_str(), name, args)
}

/// Methods that all classes and modules have.
fn call_class(rt: &mut Interp<'_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "open" if class.as_str() == "URI" => {
            let library = rt.constant_path(None, "OpenURI")?;
            rt.call_method(&library, "open_uri", args, block)?
        }
        "const_defined?" => {
            let constant = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let path = format!("{class}::{constant}");
            Rv::bool(is_builtin_class(&path) || rt.tables.constants.contains_key(&Name::new(&path)))
        }
        "const_get" => {
            let constant = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let outer = if matches!(class.as_str(), "Object" | "Kernel") { None } else { Some(class) };
            rt.constant_path(outer, &constant)?
        }
        "name" | "to_s" | "inspect" if args.is_empty() => Rv::str(rt.display_class(class).as_str()),
        "===" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            Rv::bool(rt.is_a(&value, class))
        }
        "<" | "<=" => match args.first() {
            Some(Rv::Class(other)) => {
                Rv::bool(rt.inherits_from(class, other.as_str()) && (name == "<=" || *other != class))
            }
            _ => return Ok(None),
        },
        "include" | "prepend" if args.iter().all(|arg| matches!(arg, Rv::Class(_))) => {
            rt.include(class, name, args)?;
            Rv::Class(class)
        }
        _ => return crate::core::module::call(rt, class, name, args, block),
    }))
}

/// Methods of classes and modules of Ruby's libraries.
fn call_library(rt: &mut Interp<'_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    match (class.as_str(), name) {
        ("ENV", _) => return crate::library::env_vars::class_method(rt, name, args, block),
        ("IO", "popen") => {
            let open3 = rt.constant_path(None, "Open3")?;
            return rt.call_method(&open3, name, args, block).map(Some);
        }
        ("Enumerator", "produce") => return crate::core::enumerator::produce(rt, args, block).map(Some),
        ("Kernel", "loop") => {
            let frame = rt.class_frame(Rv::Class(class), None);
            return rt.kernel(name, args, block, &frame);
        }
        _ => {}
    }
    if let Some(value) = crate::library::openssl::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = rt.host.call_class(rt.state, class, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(value) = crate::library::uri::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = crate::library::string_formats::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    crate::library::files::class_method(rt, class.as_str(), name, args, block)
}
