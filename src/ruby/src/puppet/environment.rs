//! The node, its facts, the environment and its modules as Ruby objects.
//!
//! In: a class, the name of a method. Out: the result of the method. Must not: declare anything, access external data except
//! through the world.

use std::path::Path;

use crate::Interp;
use crate::library::require::MODULE;
use crate::puppet::objects;
use crate::puppet::objects::object;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::Value;

/// The class of `scope.compiler.node`.
pub(crate) const NODE: &str = "Puppet::Node";
/// The class of `scope.compiler.node.facts`.
const FACTS: &str = "Puppet::Node::Facts";

/// The environment of the compile.
pub(crate) fn environment(rt: &Interp<'_, '_>) -> Rv {
    object(objects::ENVIRONMENT, &[("name", Rv::str(&*rt.ev.program.environment.name))])
}

/// Whether a method is also missing in Puppet, because it was removed after Puppet 3.
pub(crate) fn is_removed_method(class: &str, name: &str) -> bool {
    class == objects::ENVIRONMENT && !matches!(name, "create" | "remote" | "extralibs" | "new" | "allocate")
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
