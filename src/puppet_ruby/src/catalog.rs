//! The catalog as functions of modules use it: resources, types, references, the owner of a scope.
//!
//! In: arguments of `findresource`, `Puppet::Resource.type_and_title` and similar methods. Out: their values. Must not: declare
//! resources.

use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::objects;
use catwalk_base::names::Name;
use catwalk_eval::ScopeKind;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Type;
use catwalk_value::Value;

/// The class of `scope.source`.
pub(crate) const SOURCE: &str = "Puppet::Resource::Type";

/// Whether a type is a reference to one resource: a `Puppet::Resource` to 3.x functions.
pub(crate) fn is_reference(value: &Value) -> bool {
    match value {
        Value::Type(Type::Resource(resource)) => resource.title.is_some(),
        Value::Type(Type::Class(_)) => true,
        _ => false,
    }
}

/// `scope.findresource(type, title)`; without a title, the first argument is a complete reference.
pub(crate) fn find_resource(rt: &mut PuppetInterp<'_, '_>, kind: &Rv, title: Option<&Rv>) -> Raise<Rv> {
    let title = title.filter(|title| !title.is_nil());
    let kind = match kind {
        // Puppet::Resource.type_and_title treats a missing type as a class.
        Rv::Nil if title.is_some() => "Class".to_owned(),
        other => rt.ruby().to_s(other)?.to_string(),
    };
    let reference = match title {
        Some(title) => format!("{kind}[{}]", rt.ruby().to_s(title)?),
        None => kind,
    };
    match rt.host.ev.find_reference(&reference) {
        Ok(found) => Ok(found.map_or(Rv::Nil, |id| resource_object(id.0))),
        Err(stop) => rt.raise_failure(stop),
    }
}

/// A resource of the catalog as a Ruby object; `id` is its number in the catalog.
pub(crate) fn resource_object(id: u32) -> Rv {
    object(objects::RESOURCE, &[("id", Rv::Int(i64::from(id)))])
}

/// `scope.catalog.resources`: all resources so far.
pub(crate) fn resources(rt: &PuppetInterp<'_, '_>) -> Rv {
    let ids = (0..rt.host.ev.state.resources.entries.len()).filter_map(|id| u32::try_from(id).ok());
    Rv::array(ids.map(resource_object).collect())
}

/// `scope.source`: the class, defined type or node that the scope belongs to.
pub(crate) fn source(rt: &PuppetInterp<'_, '_>) -> Rv {
    let scope = rt.host.ev.scope(rt.host.ev.base());
    let definition = scope.and_then(|scope| scope.definition);
    let module = scope.and_then(|scope| scope.module).map_or("", Name::as_str);
    let node = scope.filter(|scope| scope.kind == ScopeKind::Node).and_then(|scope| scope.resource);
    let node = node.and_then(|id| rt.host.ev.state.resources.entries.get(id.0 as usize));
    let (kind, name) = match (definition.map(|definition| &definition.kind), node) {
        (_, Some(node)) => ("node", &*node.title),
        (Some(DefinitionKind::Define(_)), _) => ("definition", definition_name(definition)),
        _ => ("hostclass", definition_name(definition)),
    };
    object(SOURCE, &[("name", Rv::str(name)), ("type", Rv::sym(kind)), ("module_name", Rv::str(module))])
}

fn definition_name(definition: Option<&Definition>) -> &'static str {
    definition.map(|definition| definition.name.normalized().as_str()).unwrap_or_default()
}

/// The file of a class or defined type, or its line; nil if it has none.
pub(crate) fn definition_position(rt: &mut PuppetInterp<'_, '_>, name: &str, wants_line: bool) -> Raise<Rv> {
    rt.host.ev.program.record_position_use();
    let name = Name::new(name);
    let definition = match rt.host.ev.program.class(name) {
        Ok(None) => rt.host.ev.program.define(name),
        found => found,
    };
    let position = match definition {
        Ok(found) => found.and_then(|definition| rt.host.ev.program.sources.locate(definition.span)),
        Err(failure) => return rt.raise_failure(failure.into()),
    };
    Ok(match position {
        Some((_, number, _)) if wants_line => Rv::Int(i64::from(number)),
        Some((source, ..)) => source.path.as_ref().map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy())),
        None => Rv::Nil,
    })
}

/// `Puppet::Resource.type_and_title(type, title)`
pub(crate) fn type_and_title(rt: &mut PuppetInterp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let arg = |at: usize| args.get(at).filter(|value| !value.is_nil());
    let split_reference = |reference: &str| {
        let (kind, title) = reference.split_once('[')?;
        let title = title.strip_suffix(']').filter(|title| !title.is_empty())?;
        (!kind.is_empty() && !kind.contains(']')).then(|| (kind.to_owned(), title.to_owned()))
    };
    let reference = match (arg(0), arg(1)) {
        (None, Some(title)) => split_reference(&rt.ruby().to_s(title)?),
        (Some(kind @ Rv::Str(_)), None) => split_reference(&rt.ruby().to_s(kind)?),
        _ => None,
    };
    let (kind, title) = match (reference, arg(1)) {
        (Some((kind, title)), _) => (Some(kind), Rv::str(title)),
        (None, Some(title)) => {
            (arg(0).map(|kind| rt.ruby().to_s(kind).map(|kind| kind.to_string())).transpose()?, title.clone())
        }
        (None, None) => {
            let inspected = rt.ruby().inspect(args.first().unwrap_or(&Rv::Nil))?;
            let message = format!("No title provided and {inspected} is not a valid resource reference");
            return rt.ruby().raise("ArgumentError", message);
        }
    };
    let kind = kind.filter(|kind| !kind.is_empty() && !kind.eq_ignore_ascii_case("component"));
    let kind = kind.map_or_else(|| "Class".to_owned(), |kind| capitalize(&kind));
    if kind != "Class" {
        return Ok(Rv::array(vec![Rv::str(kind), title]));
    }
    let title = rt.ruby().to_s(&title)?;
    let title = if title.is_empty() { Rv::sym("main") } else { Rv::str(capitalize(&title)) };
    Ok(Rv::array(vec![Rv::str(kind), title]))
}

/// `Puppet::Resource.new(type, title)`: a reference; further arguments are ignored.
pub(crate) fn new_reference(rt: &mut PuppetInterp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let Rv::Array(parts) = type_and_title(rt, args.get(..args.len().min(2)).unwrap_or_default())? else {
        return Ok(Rv::Nil);
    };
    let parts = parts.borrow().clone();
    let (kind, title) = match parts.as_slice() {
        [kind, title] => (rt.ruby().to_s(kind)?, rt.ruby().to_s(title)?),
        _ => return Ok(Rv::Nil),
    };
    let reference = Type::resolved_resource(Name::new(&kind), Arc::from(title));
    Ok(Rv::Puppet(Rc::new(Value::Type(reference))))
}

/// A name with each segment capitalized.
pub(crate) fn capitalize(name: &str) -> String {
    let capitalize_segment = |segment: &str| {
        let mut chars = segment.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    };
    name.split("::").map(capitalize_segment).collect::<Vec<_>>().join("::")
}

/// `Runtime3ResourceSupport.find_resource_type_or_class(scope, name)`: the name, which `findresource` accepts as a type; nil if
/// there is none.
pub(crate) fn find_type(rt: &mut PuppetInterp<'_, '_>, name: &Rv, classes: bool) -> Raise<Rv> {
    let name = rt.ruby().to_s(name)?.to_lowercase();
    let is_type = match rt.host.ev.find_resource_type(Name::new(&name)) {
        Ok(found) => found.is_some(),
        Err(stop) => return rt.raise_failure(stop),
    };
    let exists = is_type
        || classes
            && match rt.host.ev.program.class(Name::new(&name)) {
                Ok(found) => found.is_some(),
                Err(diagnostic) => return rt.raise_failure(diagnostic.into()),
            };
    Ok(if exists { Rv::str(capitalize(&name)) } else { Rv::Nil })
}
