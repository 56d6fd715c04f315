//! The node, its facts, the environment and its modules as Ruby objects.
//!
//! In: a class, the name of a method. Out: the result of the method. Must not: declare anything, access external data except
//! through the world.

use std::path::Path;

use crate::PuppetInterp;
use crate::objects;
use catwalk_base::names::Name;
use catwalk_ruby::Key;
use catwalk_ruby::Map;
use catwalk_ruby::Rv;
use catwalk_ruby::object;
use catwalk_value::Value;

/// The class of modules.
pub(crate) const MODULE: &str = "Puppet::Module";

/// The class of `scope.compiler.node`.
pub(crate) const NODE: &str = "Puppet::Node";
/// The class of `scope.compiler.node.facts`.
const FACTS: &str = "Puppet::Node::Facts";

/// The environment of the compile.
pub(crate) fn environment(rt: &PuppetInterp<'_, '_>) -> Rv {
    object(objects::ENVIRONMENT, &[("name", Rv::str(&*rt.host.ev.program.environment.name))])
}

/// Whether a method is also missing in Puppet, because it was removed after Puppet 3.
pub(crate) fn is_removed_method(class: &str, name: &str) -> bool {
    class == objects::ENVIRONMENT && !matches!(name, "create" | "remote" | "extralibs" | "new" | "allocate")
}

/// The definition of a class or defined type as a Ruby object.
pub(crate) fn definition_object(name: Name, kind: &str) -> Rv {
    object(crate::catalog::SOURCE, &[("name", Rv::str(name.as_str())), ("type", Rv::sym(kind))])
}

/// Methods of the node, its facts, the environment and its modules beyond their names.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, class: &str, name: &str, path: &Rv) -> Option<Rv> {
    Some(match (class, name) {
        (NODE | FACTS, "name" | "certname" | "to_s") => Rv::str(&*rt.host.ev.node.certname),
        (NODE, "environment") => environment(rt),
        (NODE, "environment_name") => Rv::sym(&rt.host.ev.program.environment.name),
        (NODE, "facts") => object(FACTS, &[]),
        (NODE, "trusted_data") => {
            let trusted = rt.host.ev.node.trusted.clone();
            rt.ruby().to_ruby(&Value::Hash(trusted))
        }
        (NODE, "classes") => Rv::array(rt.host.ev.node.classes.keys().map(|class| Rv::str(&**class)).collect()),
        (FACTS, "values" | "to_hash") => {
            let facts = rt.host.ev.all_facts().clone();
            rt.ruby().to_ruby(&Value::Hash(facts))
        }
        (NODE, "parameters") => {
            let node = rt.host.ev.node;
            let mut map = Map::default();
            let facts = rt.host.ev.all_facts().clone();
            if let Rv::Hash(facts) = rt.ruby().to_ruby(&Value::Hash(facts)) {
                map.extend(facts.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            for (name, value) in &node.parameters {
                let value = rt.ruby().to_ruby(value);
                map.insert(Key(Rv::str(&**name)), value);
            }
            Rv::hash(map)
        }
        (objects::ENVIRONMENT, "modules") => {
            let names: Vec<_> = rt.host.ev.program.environment.modules.keys().cloned().collect();
            Rv::array(names.iter().map(|name| rt.puppet_module(name)).collect())
        }
        (objects::ENVIRONMENT, "modulepath" | "full_modulepath") => {
            let path = rt.host.ev.program.environment.modulepath.iter();
            Rv::array(path.map(|dir| Rv::str(dir.to_string_lossy())).collect())
        }
        (objects::ENVIRONMENT, "manifest") => match &rt.host.ev.program.environment.manifest {
            Some(path) => Rv::str(path.to_string_lossy()),
            None => Rv::sym("no_manifest"),
        },
        (objects::ENVIRONMENT, "known_resource_types") => object(crate::host_classes::TYPE_COLLECTION, &[]),
        (MODULE, "environment") => environment(rt),
        (MODULE, "version" | "author" | "forge_name") => {
            let file = Path::new(&path.string_or_symbol()?).join("metadata.json");
            let bytes = rt.host.ev.world.read(&file).ok();
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

impl PuppetInterp<'_, '_> {
    /// `Puppet::Module.find(name)`, `environment.module(name)`
    pub(crate) fn puppet_module(&mut self, name: &str) -> Rv {
        match self.host.ev.program.environment.module(name) {
            Some(module) => {
                let path = Rv::str(module.root.to_string_lossy());
                object(MODULE, &[("name", Rv::str(&*module.name)), ("path", path)])
            }
            None => Rv::Nil,
        }
    }
}
