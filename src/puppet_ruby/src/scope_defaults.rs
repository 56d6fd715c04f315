//! Resource defaults in Ruby code, and a `lookupdefaults` that a function defines for a single scope: resources of that scope,
//! and of scopes inside it, then get the result of that method (Puppet::Parser::Resource#add_defaults calls it). `@defaults` of
//! a scope is the table of its defaults.
//!
//! In: calls of `scope.lookupdefaults`, a scope and a type. Out: parameters. Must not: know which types exist.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::interpreter::read_state;
use crate::interpreter::with_state;
use crate::objects::PARAM;
use crate::state::CatalogMethods;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::ScopeId;
use catwalk_eval::state::Param;
use catwalk_eval::state::Params;
use catwalk_ruby::Callable;
use catwalk_ruby::HashObject;
use catwalk_ruby::Interp;
use catwalk_ruby::Key;
use catwalk_ruby::Map;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;

/// The prefix of the singleton class of a scope.
const SINGLETON_PREFIX: &str = "#<Class:#<Puppet::Parser::Scope:";

/// The name of the singleton class of a scope.
pub(crate) fn singleton_name(ScopeId(id): ScopeId) -> Name {
    Name::new(&format!("{SINGLETON_PREFIX}{id}>>"))
}

/// The singleton class of the catalog, whose methods the scope has, too.
pub(crate) fn catalog_class() -> Name {
    catwalk_base::name!("#<Class:Puppet::Resource::Catalog>")
}

/// Whether a class is the singleton class of a scope.
pub(crate) fn is_scope_singleton(class: &str) -> bool {
    class.starts_with(SINGLETON_PREFIX)
}

/// Whether a function defined a `lookupdefaults` for this scope.
pub(crate) fn is_redefined(ev: &Evaluator<'_>, scope: ScopeId) -> bool {
    let redefines = |catalog: &Rc<CatalogMethods>| {
        catalog.tables.has_scope_methods
            && catalog.tables.methods.contains_key(&(singleton_name(scope), catwalk_base::name!("lookupdefaults")))
    };
    read_state(ev, |state| state.catalog.as_ref().is_some_and(redefines)).unwrap_or(false)
}

/// The result of a scope's `lookupdefaults`.
///
/// # Errors
///
/// Errors of the method.
pub(crate) fn lookup(ev: &mut Evaluator<'_>, scope: ScopeId, type_name: Name) -> Res<Params> {
    ev.in_scope(scope, |ev| {
        with_state(ev, |state| state.builtin_defaults.push(Params::default()));
        let mut program = PuppetProgram::new(ev, Span::new(FileId(u32::MAX), 0, 0), "");
        let mut rt = program.interp();
        rt.load_catalog_methods();
        rt.ruby().continue_ids();
        let result = rt.ruby().call_method(&Rv::Scope, "lookupdefaults", &[Rv::str(type_name.as_str())], None);
        let params = result.and_then(|value| match &value {
            Rv::Hash(hash) => parameters(&mut rt, hash),
            other => rt.ruby().type_error(other, "Hash"),
        });
        let params = params.and_then(|params| write_table(&mut rt).map(|()| params));
        rt.store_catalog_methods();
        let params = params.map_err(|thrown| rt.convert_thrown(thrown));
        with_state(ev, |state| state.builtin_defaults.pop());
        params
    })
}

/// `scope.lookupdefaults(type)`
pub(crate) fn builtin_defaults(rt: &mut PuppetInterp<'_, '_>, kind: &Rv) -> Raise<Rv> {
    let kind = Name::new(&rt.ruby().to_s(kind)?);
    match rt.host.ev.plain_defaults(rt.host.ev.base(), kind) {
        Ok(params) => {
            let hash = parameters_for_ruby(rt, &params);
            if let Some(last) = rt.state().builtin_defaults.last_mut() {
                *last = params;
            }
            Ok(Rv::hash(hash))
        }
        Err(stop) => rt.raise_failure(stop),
    }
}

/// `Puppet::Parser::Resource::Param.new(name: …, value: …)`
pub(crate) fn new_param(rt: &mut PuppetInterp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let field = |name: &str| match args.first() {
        Some(Rv::Hash(options)) => options.get(&Rv::sym(name)).unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    };
    let Some(name) = field("name").string_or_symbol() else {
        let message = "'name' is a required option for Puppet::Parser::Resource::Param";
        return rt.ruby().raise("Puppet::ResourceError", message);
    };
    let others = ["value", "source", "line", "file", "add"].map(|name| (name, field(name)));
    let fields: Vec<(&str, Rv)> = std::iter::once(("name", Rv::sym(&name))).chain(others).collect();
    Ok(object(PARAM, &fields))
}

/// `@defaults` of the current scope: tables by type, with empty ones for types without defaults.
pub(crate) fn defaults_table(rt: &mut PuppetInterp<'_, '_>) -> Rv {
    let scope = rt.host.ev.base();
    let variable = table_variable(scope);
    if let Some(table) = rt.globals.get(&variable) {
        return table.clone();
    }
    let mut tables: Vec<(Name, Params)> = Vec::new();
    let own_defaults = rt.host.ev.state.resources.defaults.iter().filter(|((owner, _), _)| *owner == scope);
    tables.extend(own_defaults.map(|((_, kind), params)| (*kind, params.clone())));
    tables.sort_by_key(|(kind, _)| kind.as_str());
    let mut map = Map::default();
    for (kind, params) in tables {
        let params = parameters_for_ruby(rt, &params);
        map.insert(Key(Rv::str(kind.as_str())), Rv::hash(params));
    }
    let hash = HashObject::new(map);
    *hash.default_proc.borrow_mut() = Some(Rc::new(Callable::Native(Box::new(|_: &mut Interp<'_>, args: &[Rv]| {
        let table = Rv::hash(Map::default());
        if let [Rv::Hash(hash), key, ..] = args {
            hash.map.borrow_mut().insert(Key::from_value(key), table.clone());
        }
        Ok(table)
    }))));
    let tables = Rv::Hash(hash);
    rt.globals.insert(variable, tables.clone());
    tables
}

/// The variable in which a program stores the table of a scope while it runs.
fn table_variable(ScopeId(id): ScopeId) -> Name {
    Name::new(&format!("defaults of scope {id}"))
}

/// Writes a program's changes of `@defaults` of the current scope to the scope's table.
fn write_table(rt: &mut PuppetInterp<'_, '_>) -> Raise<()> {
    let scope = rt.host.ev.base();
    let Some(Rv::Hash(tables)) = rt.globals.remove(&table_variable(scope)) else { return Ok(()) };
    let tables: Vec<(Rv, Rv)> = tables.map.borrow().iter().map(|(key, value)| (key.0.clone(), value.clone())).collect();
    for (kind, table) in tables {
        let (Some(kind), Rv::Hash(table)) = (kind.string_or_symbol(), table) else { continue };
        let kind = Name::new(&kind);
        let before = rt.host.ev.state.resources.defaults.get(&(scope, kind)).cloned().unwrap_or_default();
        rt.state().builtin_defaults.push(before);
        let params = parameters(rt, &table);
        rt.state().builtin_defaults.pop();
        let params = params?;
        if !params.is_empty() {
            rt.host.ev.state.resources.has_defaults = true;
        }
        rt.host.ev.state.resources.defaults.insert((scope, kind), params);
    }
    Ok(())
}

/// Parameters as Ruby objects; a mark identifies those of the evaluator.
fn parameters_for_ruby(rt: &mut PuppetInterp<'_, '_>, params: &Params) -> Map {
    let mut map = Map::default();
    if !params.is_empty() {
        rt.host.ev.program.record_position_use();
    }
    for (name, param) in params {
        let value = rt.ruby().to_ruby(&param.value);
        let key = Rv::sym(name.as_str());
        let position = param.span.and_then(|span| rt.host.ev.program.sources.locate(span));
        let line = position.as_ref().map_or(Rv::Nil, |(_, line, _)| Rv::Int(i64::from(*line)));
        let file = position.and_then(|(source, ..)| source.path.as_ref().map(|path| path.display().to_string()));
        let file = file.map_or(Rv::Nil, Rv::str);
        let fields = [("name", key.clone()), ("value", value), ("file", file), ("line", line), ("kept", Rv::True)];
        map.insert(Key(key), object(PARAM, &fields));
    }
    map
}

/// The parameters in a hash of Ruby code: those of the evaluator unchanged, others created here.
fn parameters(rt: &mut PuppetInterp<'_, '_>, hash: &HashObject) -> Raise<Params> {
    let pairs: Vec<(Rv, Rv)> = hash.map.borrow().iter().map(|(key, value)| (key.0.clone(), value.clone())).collect();
    let mut params = Params::default();
    for (key, value) in pairs {
        let Some(name) = key.string_or_symbol().map(|name| Name::new(&name)) else { continue };
        let Rv::Object(object) = &value else {
            return rt.ruby().unsupported("a resource default that is not a parameter object");
        };
        let field = |name: &str| object.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
        let evaluator_param = rt.state().builtin_defaults.last().and_then(|params| params.get(&name)).cloned();
        let param = match evaluator_param {
            Some(param) if field("kept").truthy() => param,
            _ => Param {
                value: rt.ruby().to_puppet(&field("value"))?,
                source: rt.host.ev.source(),
                span: None,
                append: false,
                identity: rt.host.ev.state.resources.identity(),
            },
        };
        params.insert(name, param);
    }
    Ok(params)
}
