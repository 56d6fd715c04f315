//! The methods of `scope` (Puppet::Parser::Scope), and of its catalog, compiler and loaders, which are one object here.
//!
//! In: the name of a method, arguments, a block. Out: the result of the method for the current scope. Must not: change scopes.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::catalog;
use crate::environment;
use crate::host_classes;
use crate::scope::GLOBAL;
use crate::scope::is_log_level;
use crate::scope::severity;
use crate::scope_names::REFUSED_FUNCTIONS;
use catwalk_base::names::Name;
use catwalk_eval::ScopeId;
use catwalk_ruby::Blk;
use catwalk_ruby::Callable;
use catwalk_ruby::Interp;
use catwalk_ruby::Key;
use catwalk_ruby::Map;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;

/// Calls a method of `scope`; `None` if objects of all classes have the method.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(function) = name.strip_prefix("function_") {
        return call_legacy_function(rt, name, function, args, block).map(Some);
    }
    if let Some(value) = call_variable_method(rt, name, args)? {
        return Ok(Some(value));
    }
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (name, args.len()) {
        ("call_function", 1..) => call_function(rt, &arg, args.get(1), block)?,
        ("catalog" | "compiler" | "loaders", 0) => Rv::Scope,
        ("private_environment_loader" | "public_environment_loader" | "puppet_system_loader", 0) => Rv::Scope,
        ("load", 2) if arg.string_or_symbol().as_deref() == Some("function") => {
            let function = args.get(1).and_then(Rv::string_or_symbol).unwrap_or_default();
            if rt.has_function(&function) { function_object(function) } else { Rv::Nil }
        }
        ("resources", 0) => catalog::resources(rt),
        ("find_global_scope" | "topscope", 0) if rt.host.ev.base() == ScopeId::TOP => Rv::Scope,
        ("find_global_scope" | "topscope", 0) => object(GLOBAL, &[]),
        ("resource", 0) => {
            rt.host.ev.scope_resource(rt.host.ev.base()).map_or(Rv::Nil, |id| catalog::resource_object(id.0))
        }
        ("resource", 1) => {
            let reference = rt.ruby().to_s(&arg)?;
            match rt.host.ev.find_reference(&reference) {
                Ok(found) => found.map_or(Rv::Nil, |id| catalog::resource_object(id.0)),
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        ("findresource", 1..) => catalog::find_resource(rt, &arg, args.get(1))?,
        ("source", 0) => catalog::source(rt),
        ("environment", 0) => environment::environment(rt),
        ("lookupdefaults", 1) => crate::scope_defaults::builtin_defaults(rt, &arg)?,
        ("classes", 0) => Rv::array(rt.host.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        (_, 1) if is_log_level(name) => log_message(rt, name, &arg)?,
        ("to_s" | "inspect", 0) => Rv::str(rt.host.ev.scope_label()),
        ("define_singleton_method" | "singleton_class", _) => return Ok(None),
        (other, _) if catwalk_ruby::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        _ => {
            if let Some(value) = call_description(rt, name, args)? {
                return Ok(Some(value));
            }
            match host_classes::call_scope_method(rt, name, args)? {
                Some(value) => value,
                None => return rt.ruby().unsupported(&format!("scope.{name}")),
            }
        }
    }))
}

/// `scope.function_NAME([args])`: calls a 3.x function, or a function of Puppet that both APIs have.
fn call_legacy_function(
    rt: &mut PuppetInterp<'_, '_>,
    method: &str,
    function: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Rv> {
    let name = rt.legacy_name(function);
    if !rt.has_legacy(name) {
        let message = format!("undefined method `{method}' for {}:Puppet::Parser::Scope", rt.host.ev.scope_label());
        let raised = rt.ruby().raise("NoMethodError", message);
        return rt.with_puppet_position("parser/scope.rb", 1039, raised);
    }
    let Some(arg @ Rv::Array(function_args)) = args.first() else {
        let message = "custom functions must be called with a single array that contains the arguments. For example, \
                       function_example([1]) instead of function_example(1)";
        let raised = rt.ruby().raise("ArgumentError", message);
        return rt.with_puppet_position("parser/functions.rb", 219, raised);
    };
    let function_args = function_args.borrow().clone();
    // If a function exists in both APIs, Ruby calls the 3.x function by this name.
    let entry = rt.host.ev.native(name);
    if (rt.has_current(name) || entry.is_none_or(|entry| entry.module.is_none()))
        && let Some(value) = crate::function::call_legacy(rt, name, arg, function_args.len())?
    {
        return Ok(value);
    }
    if REFUSED_FUNCTIONS.contains(&function) {
        let message = format!("{function}() can only be called using the 4.x function API. See Scope#call_function");
        let raised = rt.ruby().raise("Puppet::ParseError", message);
        return rt.with_puppet_position("parser/functions.rb", 318, raised);
    }
    let not_a_string = function_args.iter().find(|value| !matches!(value, Rv::Str(_)));
    if let ("versioncmp", Some(version)) = (function, not_a_string) {
        return crate::util::scan_version(rt, version);
    }
    rt.call_function(function, &function_args, block)
}

/// Methods that read or set variables of the scope.
fn call_variable_method(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (name, args.len()) {
        ("lookupvar" | "[]", 1..) => {
            let Rv::Str(variable) = &arg else {
                let (inspected, class) = (rt.ruby().inspect(&arg)?, rt.ruby().class_name(&arg));
                let message = format!("Scope variable name {inspected} is a {class}, not a string");
                return rt.ruby().raise("Puppet::ParseError", message);
            };
            let variable = variable.borrow().clone();
            rt.lookup(&variable)?
        }
        ("include?", 1) => {
            let variable = rt.ruby().to_s(&arg)?;
            Rv::bool(!rt.quiet_lookup(&variable)?.is_nil())
        }
        ("exist?", 1) => {
            let variable = rt.ruby().to_s(&arg)?;
            match rt.host.ev.variable_exists(Name::new(&variable)) {
                Ok(exists) => Rv::bool(exists),
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        ("setvar" | "[]=", 2..) => {
            let variable = rt.ruby().to_s(&arg)?;
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            let converted = rt.ruby().to_puppet(&value)?;
            if let Err(reason) = rt.host.ev.set_variable(Name::new(&variable), converted) {
                return rt.ruby().raise("Puppet::ParseError", reason.message.into_owned());
            }
            value
        }
        ("to_hash", _) => {
            let mut map = Map::default();
            for (name, value) in rt.host.ev.visible_variables() {
                let value = rt.ruby().to_ruby(&value);
                map.insert(Key(Rv::str(name.as_str())), value);
            }
            Rv::hash(map)
        }
        _ => return Ok(None),
    }))
}

/// Methods that describe the scope, its node and the definitions that it can use.
pub(crate) fn call_description(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (name, args.len()) {
        ("name", 0) => Rv::str(&*rt.host.ev.node.certname),
        ("node", 0) => object(environment::NODE, &[]),
        ("code_id" | "catalog_uuid", 0) => Rv::Nil,
        ("classlist", 0) => Rv::array(rt.host.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("resource", 2) => catalog::find_resource(rt, &arg, args.get(1))?,
        ("parent", 0) => {
            let parent = rt.host.ev.scope(rt.host.ev.base()).and_then(|scope| scope.parent);
            parent.map_or(Rv::Nil, |parent| host_classes::scope_object(rt.host.ev.base_of(parent)))
        }
        ("parent_module_name", 0) => {
            let parent = rt
                .host
                .ev
                .scope(rt.host.ev.base())
                .and_then(|scope| scope.parent)
                .map(|parent| rt.host.ev.base_of(parent));
            let parent = parent.and_then(|parent| rt.host.ev.scope(parent));
            parent.map_or(Rv::Nil, |scope| Rv::str(scope.module.map_or("", Name::as_str)))
        }
        ("is_topscope?", 0) => Rv::bool(rt.host.ev.base() == ScopeId::TOP),
        ("bound?" | "has_local_variable?", 1) => {
            let variable = Name::new(&rt.ruby().to_s(&arg)?);
            rt.host.ev.note_fact(variable);
            let innermost = rt.host.ev.scope(rt.host.ev.base()).map(|scope| scope.innermost);
            let scope = innermost.and_then(|id| rt.host.ev.scope(id));
            Rv::bool(scope.is_some_and(|scope| scope.vars.get(variable).is_some()))
        }
        ("find_definition", 1) => {
            let name = Name::new(&rt.ruby().to_s(&arg)?.to_lowercase()).normalized();
            match rt.host.ev.program.define(name) {
                Ok(Some(_)) => environment::definition_object(name, "definition"),
                Ok(None) => Rv::Nil,
                Err(failure) => return rt.raise_failure(failure.into()),
            }
        }
        ("find_hostclass", 1) => {
            let name = Name::new(&rt.ruby().to_s(&arg)?.to_lowercase()).normalized();
            match rt.host.ev.program.class(name) {
                Ok(Some(_)) => environment::definition_object(name, "hostclass"),
                Ok(None) => Rv::Nil,
                Err(failure) => return rt.raise_failure(failure.into()),
            }
        }
        _ => return Ok(None),
    }))
}

/// `scope.call_function(name, args)`
fn call_function(rt: &mut PuppetInterp<'_, '_>, function: &Rv, args: Option<&Rv>, block: Blk<'_>) -> Raise<Rv> {
    let function = rt.ruby().to_s(function)?;
    let args = match args {
        Some(Rv::Array(items)) => items.borrow().clone(),
        // `*args`: a hash becomes its pairs.
        Some(other) => rt.ruby().to_list(other)?,
        None => Vec::new(),
    };
    if !rt.has_function(&function) {
        let raised = rt.ruby().raise("ArgumentError", format!("Unknown function '{function}'"));
        return rt.with_puppet_position("pops/evaluator/runtime3_support.rb", 288, raised);
    }
    rt.call_function(&function, &args, block)
}

/// `scope.warning(message)` and the methods of the other levels.
fn log_message(rt: &mut PuppetInterp<'_, '_>, level: &str, message: &Rv) -> Raise<Rv> {
    if !rt.host.ev.logs(severity(level)) {
        return Ok(Rv::Nil);
    }
    let message = rt.ruby().to_s(message)?;
    // A scope has no position.
    let source = rt.host.ev.scope_label();
    rt.host.ev.log_from(&source, severity(level), message.to_string());
    Ok(Rv::Nil)
}

/// The object that a loader returns for a function; the first argument of its `call` is the scope.
fn function_object(name: String) -> Rv {
    Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
        let args = args.get(1..).unwrap_or_default();
        Ok(rt.host.call_function(rt.state, &name, args, None)?.unwrap_or_default())
    }))))
}
