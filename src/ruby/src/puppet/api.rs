//! Puppet's own classes that code of modules uses: the node, the environment, types of values, small utilities.
//!
//! In: a call of a method of one of these classes. Out: its value. Must not: declare anything, access external data except
//! through the world.

use std::path::Path;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::library::require::MODULE;
use crate::puppet::objects;
use crate::puppet::objects::object;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::types;
use catwalk_value::value::Value;
use catwalk_world::Kind;

/// The class of `scope.compiler.node`.
pub(crate) const NODE: &str = "Puppet::Node";
/// The class of its facts.
const FACTS: &str = "Puppet::Node::Facts";

/// The environment of the compile.
pub(crate) fn environment(rt: &Interp<'_, '_>) -> Rv {
    object(objects::ENVIRONMENT, &[("name", Rv::str(&*rt.ev.program.environment.name))])
}

/// Methods of classes and modules.
pub(crate) fn class_method(
    rt: &mut Interp<'_, '_>,
    class: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        ("Puppet", "lookup") => match (arg.string_or_symbol().as_deref(), block) {
            (Some("current_environment"), _) => environment(rt),
            (Some("loaders" | "global_scope"), _) => Rv::Scope,
            (_, Some(block)) => rt.yield_values(block, &[])?,
            (key, None) => return rt.unsupported(&format!("Puppet.lookup of {}", key.unwrap_or_default())),
        },
        (crate::puppet::objects::PARAM, "new") => crate::puppet::scope_defaults::new_param(rt, args)?,
        ("Puppet::Resource::Type" | "Puppet::Parser::Resource", "new") => {
            crate::puppet::host_classes::new_object(rt, class, args)?
        }
        ("Puppet::Util", "absolute_path?") => Rv::bool(is_absolute(rt, &arg, args.get(1))?),
        ("Puppet::Util", "which") => which(rt, &arg)?,
        ("Puppet::Util", "symbolizehash") => match &arg {
            Rv::Hash(hash) => {
                let symbol = |key: &Rv| key.string_or_symbol().map_or_else(|| key.clone(), |name| Rv::sym(&name));
                let map = hash.map.borrow();
                Rv::hash(map.iter().map(|(key, value)| (Key::from_value(&symbol(&key.0)), value.clone())).collect())
            }
            other => return rt.type_error(other, "Hash"),
        },
        ("Puppet::Util::Platform", "windows?" | "windows") => Rv::False,
        ("Puppet::Pops::Types::TypeCalculator", "infer" | "infer_set") => {
            let value = rt.to_puppet(&arg)?;
            let inferred = if name == "infer" { types::infer(&value) } else { types::infer_set(&value) };
            rt.to_ruby(&Value::Type(inferred))
        }
        ("Puppet::Pops::Types::TypeCalculator", "instance?") => {
            let (Value::Type(expected), value) = (rt.to_puppet(&arg)?, rt.to_puppet(args.get(1).unwrap_or(&Rv::Nil))?)
            else {
                return rt.unsupported("TypeCalculator.instance? of this");
            };
            Rv::bool(types::is_instance(&expected, &value))
        }
        ("Puppet::Pops::Types::TypeCalculator", "singleton") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::TypeParser", "singleton" | "new") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::TypeParser", "parse") => {
            let type_name = rt.expect_str(&arg)?;
            match rt.ev.parse_type(&type_name) {
                Ok(parsed) => rt.to_ruby(&Value::Type(parsed)),
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        ("Zlib", "crc32") => {
            let bytes = if arg.is_nil() { Vec::new() } else { crate::core::string_helpers::string_bytes(rt, &arg)? };
            Rv::Int(i64::from(crc32fast::hash(&bytes)))
        }
        ("Socket", "gethostname") => objects::server_fact(rt, &Rv::str("hostname"))?,
        _ => return Ok(None),
    }))
}

/// Whether a method is also missing in Puppet, because it was removed after Puppet 3.
pub(crate) fn is_removed_method(class: &str, name: &str) -> bool {
    class == objects::ENVIRONMENT && !matches!(name, "create" | "remote" | "extralibs" | "new" | "allocate")
}

/// `Puppet::Util.absolute_path?(path, platform)`
fn is_absolute(rt: &mut Interp<'_, '_>, path: &Rv, platform: Option<&Rv>) -> Raise<bool> {
    let path = rt.expect_str(path)?;
    if platform.and_then(Rv::string_or_symbol).as_deref() != Some("windows") {
        return Ok(path.starts_with('/'));
    }
    let slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let mut chars = path.chars();
    let (first, second, third) = (chars.next(), chars.next(), chars.next());
    if first.is_some_and(|c| c.is_ascii_alphabetic()) && second == Some(':') {
        return Ok(slash(third));
    }
    // `\\server\share`
    let rest = path.get(2..).unwrap_or_default();
    let share = rest.split_once(['/', '\\']).is_some_and(|(host, share)| !host.is_empty() && !share.is_empty());
    Ok(slash(first) && slash(second) && (share || rest.starts_with("?/") || rest.starts_with("?\\")))
}

/// `Puppet::Util.which(command)`: the file of a command in the search path.
fn which(rt: &mut Interp<'_, '_>, command: &Rv) -> Raise<Rv> {
    let command = rt.expect_str(command)?;
    let is_file = |path: &str| rt.ev.world.kind(Path::new(path)) == Kind::File;
    if command.starts_with('/') {
        return Ok(if is_file(&command) { Rv::str(command) } else { Rv::Nil });
    }
    let path = rt.ev.world.env("PATH").map_or_else(String::new, |path| path.to_string());
    let found = path.split(':').map(|dir| format!("{dir}/{command}")).find(|file| is_file(file));
    Ok(found.map_or(Rv::Nil, Rv::str))
}

/// Methods of `scope`, its catalog and its compiler, which are one object here.
pub(crate) fn call_scope_method(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (name, args.len()) {
        ("name", 0) => Rv::str(&*rt.ev.node.certname),
        ("node", 0) => object(NODE, &[]),
        ("code_id" | "catalog_uuid", 0) => Rv::Nil,
        ("classlist", 0) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("resource", 2) => crate::puppet::catalog::find_resource(rt, &arg, args.get(1))?,
        ("parent", 0) => {
            let parent = rt.ev.scope(rt.ev.base()).and_then(|scope| scope.parent);
            parent.map_or(Rv::Nil, |parent| crate::puppet::host_classes::scope_object(rt.ev.base_of(parent)))
        }
        ("parent_module_name", 0) => {
            let parent = rt.ev.scope(rt.ev.base()).and_then(|scope| scope.parent).map(|parent| rt.ev.base_of(parent));
            let parent = parent.and_then(|parent| rt.ev.scope(parent));
            parent.map_or(Rv::Nil, |scope| Rv::str(scope.module.map_or("", Name::as_str)))
        }
        ("is_topscope?", 0) => Rv::bool(rt.ev.base() == catwalk_eval::ScopeId::TOP),
        ("bound?" | "has_local_variable?", 1) => {
            let variable = Name::new(&rt.to_s(&arg)?);
            rt.ev.note_fact(variable);
            let innermost = rt.ev.scope(rt.ev.base()).map(|scope| scope.innermost);
            let scope = innermost.and_then(|id| rt.ev.scope(id));
            Rv::bool(scope.is_some_and(|scope| scope.vars.get(variable).is_some()))
        }
        ("find_definition", 1) => {
            let name = Name::new(&rt.to_s(&arg)?.to_lowercase()).normalized();
            match rt.ev.program.define(name) {
                Ok(Some(_)) => definition_object(name, "definition"),
                Ok(None) => Rv::Nil,
                Err(failure) => return rt.raise_failure(failure.into()),
            }
        }
        ("find_hostclass", 1) => {
            let name = Name::new(&rt.to_s(&arg)?.to_lowercase()).normalized();
            match rt.ev.program.class(name) {
                Ok(Some(_)) => definition_object(name, "hostclass"),
                Ok(None) => Rv::Nil,
                Err(failure) => return rt.raise_failure(failure.into()),
            }
        }
        _ => return Ok(None),
    }))
}

/// The definition of a class or defined type as a Ruby object.
pub(crate) fn definition_object(name: Name, kind: &str) -> Rv {
    object(crate::puppet::catalog::SOURCE, &[("name", Rv::str(name.as_str())), ("type", Rv::sym(kind))])
}

/// Methods of the node, its facts, the environment and its modules beyond their names.
pub(crate) fn call(rt: &mut Interp<'_, '_>, class: &str, name: &str, path: &Rv) -> Option<Rv> {
    Some(match (class, name) {
        (NODE | FACTS, "name" | "certname" | "to_s") => Rv::str(&*rt.ev.node.certname),
        (NODE, "environment") => environment(rt),
        (NODE, "environment_name") => Rv::sym(&rt.ev.program.environment.name),
        (NODE, "facts") => object(FACTS, &[]),
        (NODE, "trusted_data") => rt.to_ruby(&Value::Hash(rt.ev.node.trusted.clone())),
        (NODE, "classes") => Rv::array(rt.ev.node.classes.keys().map(|class| Rv::str(&**class)).collect()),
        (FACTS, "values" | "to_hash") => rt.to_ruby(&Value::Hash(rt.ev.all_facts().clone())),
        (NODE, "parameters") => {
            let node = rt.ev.node;
            let mut map = Map::default();
            if let Rv::Hash(facts) = rt.to_ruby(&Value::Hash(rt.ev.all_facts().clone())) {
                map.extend(facts.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            for (name, value) in &node.parameters {
                let value = rt.to_ruby(value);
                map.insert(Key(Rv::str(&**name)), value);
            }
            Rv::hash(map)
        }
        (objects::ENVIRONMENT, "modules") => {
            let names: Vec<_> = rt.ev.program.environment.modules.keys().cloned().collect();
            Rv::array(names.iter().map(|name| rt.puppet_module(name)).collect())
        }
        (objects::ENVIRONMENT, "modulepath" | "full_modulepath") => {
            let path = rt.ev.program.environment.modulepath.iter();
            Rv::array(path.map(|dir| Rv::str(dir.to_string_lossy())).collect())
        }
        (objects::ENVIRONMENT, "manifest") => match &rt.ev.program.environment.manifest {
            Some(path) => Rv::str(path.to_string_lossy()),
            None => Rv::sym("no_manifest"),
        },
        (objects::ENVIRONMENT, "known_resource_types") => object(crate::puppet::host_classes::TYPE_COLLECTION, &[]),
        (MODULE, "environment") => environment(rt),
        (MODULE, "version" | "author" | "forge_name") => {
            let file = Path::new(&path.string_or_symbol()?).join("metadata.json");
            let bytes = rt.ev.world.read(&file).ok();
            let data = bytes.and_then(|bytes| catwalk_value::data::json::parse(&bytes).ok());
            let field = |key: &str| match &data {
                Some(Value::Hash(fields)) => fields.get(key).and_then(Value::as_str),
                _ => None,
            };
            let full = field("name").map(|name| name.replace('-', "/"));
            match name {
                "version" => field("version").map_or(Rv::Nil, Rv::str),
                "forge_name" => full.map_or(Rv::Nil, Rv::str),
                _ => full.as_deref().and_then(|name| name.split('/').next()).map_or(Rv::Nil, Rv::str),
            }
        }
        _ => return None,
    })
}
