//! Classes that functions create while a catalog is compiled: `Puppet::Resource::Type.new(:hostclass, name)`, added to the
//! environment's known types, declared by `catalog.add_resource`, evaluated, and used as a scope.
//!
//! In: calls of these methods. Out: classes without a body, which the program then has. Must not: create other resources.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::catalog::SOURCE;
use crate::class_names::DUPLICATE;
use crate::objects;
use catwalk_base::names::Name;
use catwalk_eval::ScopeId;
use catwalk_ruby::Instance;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;

/// The class of `environment.known_resource_types`.
pub(crate) const TYPE_COLLECTION: &str = "Puppet::Resource::TypeCollection";

/// The scope of a scope object other than the current one: the top scope, or a class's.
pub(crate) fn referenced_scope(object: &Instance) -> ScopeId {
    match object.ivars.borrow().get(&catwalk_base::name!("scope")) {
        Some(Rv::Int(id)) => u32::try_from(*id).map_or(ScopeId::TOP, ScopeId),
        _ => ScopeId::TOP,
    }
}

/// A scope other than the current one as an object.
pub(crate) fn scope_object(ScopeId(id): ScopeId) -> Rv {
    object(crate::scope::GLOBAL, &[("scope", Rv::Int(i64::from(id)))])
}

/// `Puppet::Resource::Type.new(kind, name)` and `Puppet::Parser::Resource.new(type, title, scope: …)` of a class.
pub(crate) fn new_object(rt: &mut PuppetInterp<'_, '_>, class: &str, args: &[Rv]) -> Raise<Rv> {
    let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    let (kind, name) = (string(0), string(1));
    match class {
        SOURCE if kind == "hostclass" => {
            let name = name.to_lowercase();
            Ok(object(SOURCE, &[("name", Rv::str(name)), ("type", Rv::sym("hostclass"))]))
        }
        objects::RESOURCE if kind.eq_ignore_ascii_case("class") => {
            let title = crate::catalog::capitalize(&name);
            Ok(object(objects::RESOURCE, &[("type", Rv::str("Class")), ("title", Rv::str(title))]))
        }
        _ => rt.ruby().unsupported(&format!("{class}.new({kind:?}, …)")),
    }
}

/// Methods of `environment.known_resource_types`.
pub(crate) fn call_type_collection(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match (name, args) {
        ("add_hostclass" | "add", [Rv::Object(class)]) if class.class.as_str() == SOURCE => {
            let name = class
                .ivars
                .borrow()
                .get(&catwalk_base::name!("name"))
                .and_then(Rv::string_or_symbol)
                .unwrap_or_default();
            let plain = |part: &str| {
                !part.is_empty() && part.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            if !name.split("::").all(plain) {
                return rt.ruby().unsupported(&format!("a class of the name {name:?}"));
            }
            match rt.host.ev.program.parse_code(&format!("class {name} {{}}")) {
                Ok(_) => Ok(Some(Rv::Object(class.clone()))),
                Err(failure) => rt.raise_failure(failure.into()),
            }
        }
        ("hostclass" | "find_hostclass", [_]) => crate::scope_methods::call_description(rt, "find_hostclass", args),
        _ => rt.ruby().unsupported(&format!("known_resource_types.{name}")),
    }
}

/// Methods of the scope and the catalog about such classes.
pub(crate) fn call_scope_method(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match (name, args) {
        ("add_resource", [Rv::Object(resource)]) if is_new_class(resource) => {
            let title = resource_title(resource);
            let outer = rt.host.ev.enter_scope(ScopeId::TOP);
            let result = declare(rt, &title);
            rt.host.ev.leave_scope(outer);
            result?;
            resource.ivars.borrow_mut().insert(catwalk_base::name!("added"), Rv::True);
            Ok(Some(Rv::array(vec![Rv::Object(resource.clone())])))
        }
        ("class_scope", [Rv::Object(class)]) if class.class.as_str() == SOURCE => {
            let name = class
                .ivars
                .borrow()
                .get(&catwalk_base::name!("name"))
                .and_then(Rv::string_or_symbol)
                .unwrap_or_default();
            let scope = rt.host.ev.class_scope(Name::new(&name).normalized());
            Ok(Some(scope.map_or(Rv::Nil, scope_object)))
        }
        _ => Ok(None),
    }
}

fn is_new_class(resource: &Rc<Instance>) -> bool {
    resource.class.as_str() == objects::RESOURCE && !resource.ivars.borrow().contains_key(&catwalk_base::name!("id"))
}

fn resource_title(resource: &Rc<Instance>) -> String {
    resource.ivars.borrow().get(&catwalk_base::name!("title")).and_then(Rv::string_or_symbol).unwrap_or_default()
}

fn declare(rt: &mut PuppetInterp<'_, '_>, title: &str) -> Raise<()> {
    match rt.host.ev.find_resource(catwalk_base::name!("Class"), title) {
        Ok(Some(_)) => {
            return rt.ruby().raise(
                DUPLICATE,
                format!("Duplicate declaration: Class[{title}] is already declared; cannot redeclare"),
            );
        }
        Ok(None) => {}
        Err(stop) => return rt.raise_failure(stop),
    }
    let declared = match rt.host.ev.find_class(title) {
        Ok(Some(class)) => rt.host.ev.ensure_class(class, None),
        Ok(None) => return rt.ruby().unsupported(&format!("a resource of the unknown class {title}")),
        Err(stop) => Err(stop),
    };
    match declared {
        Ok(_) => Ok(()),
        Err(stop) => rt.raise_failure(stop),
    }
}

/// `hostclass.evaluate_code(resource)`: a resource that is in no catalog fails once the class is listed.
pub(crate) fn evaluate(rt: &mut PuppetInterp<'_, '_>, name: &str, resource: Option<&Rv>) -> Raise<Rv> {
    let title = crate::catalog::capitalize(name);
    let added = match resource {
        Some(Rv::Object(resource)) => resource.ivars.borrow().contains_key(&catwalk_base::name!("added")),
        _ => false,
    };
    let result = if added {
        match rt.host.ev.find_resource(catwalk_base::name!("Class"), &title) {
            Ok(Some(id)) => rt.host.ev.evaluate_resource(id),
            Ok(None) => Ok(()),
            Err(stop) => Err(stop),
        }
    } else {
        rt.host.ev.add_class(name)
    };
    match result {
        Ok(()) if added => Ok(Rv::Nil),
        Ok(()) => rt.ruby().raise("NoMethodError", "undefined method `resource' for nil:NilClass"),
        Err(stop) => rt.raise_failure(stop),
    }
}
