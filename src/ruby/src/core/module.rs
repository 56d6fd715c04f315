//! Methods of classes and modules themselves: their definitions and ancestors.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::machine::definitions::Method;
use crate::machine::definitions::singleton_name;
use crate::machine::exception;
use crate::machine::visibility::Visibility;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Methods of `Class` and `Module`.
pub(crate) fn call(rt: &mut Interp<'_, '_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let text = |at: usize| Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default());
    Ok(Some(match name {
        "superclass" => superclass(rt, class).map_or(Rv::Nil, Rv::Class),
        "ancestors" => {
            let mut found = Vec::new();
            rt.tables.visit_superclasses(class, &mut |class| {
                found.push(Rv::Class(class));
                false
            });
            let mut at = rt.tables.native_base(class);
            while let Some(next) = exception::parent(at.as_str()) {
                at = Name::new(next);
                found.push(Rv::Class(at));
            }
            if at.as_str() != "Object" && rt.tables.parents.contains_key(&class) {
                found.push(Rv::Class(Name::new("Object")));
            }
            Rv::array(found)
        }
        "define_method" => rt.define_from_block(class, args, block)?,
        "alias_method" => {
            rt.alias(class, text(0), text(1));
            Rv::sym(text(0).as_str())
        }
        "attr_reader" | "attr_accessor" | "attr_writer" => rt.define_accessors(name, args, class)?,
        "remove_method" | "undef_method" => {
            rt.tables_mut().methods.remove(&(class, text(0)));
            Rv::Class(class)
        }
        "method_defined?" | "instance_method_defined?" | "public_method_defined?" => {
            let private = rt.tables.visibility_in(class, text(0)) == Visibility::Private;
            Rv::bool(!private && has_instance_method(rt, class, text(0)))
        }
        "private_method_defined?" => Rv::bool(rt.tables.visibility_in(class, text(0)) == Visibility::Private),
        "instance_methods" | "public_instance_methods" => {
            let own = matches!(args.first(), Some(Rv::False));
            let mut found: Vec<Name> = Vec::new();
            rt.tables.visit_superclasses(class, &mut |at| {
                let mut here: Vec<Name> =
                    rt.tables.methods.keys().filter(|(home, _)| *home == at).map(|(_, name)| *name).collect();
                here.sort_by(|a, b| a.as_str().cmp(b.as_str()));
                found.extend(here);
                own
            });
            found.retain(|name| rt.tables.visibility_in(class, *name) != Visibility::Private);
            Rv::array(found.into_iter().map(|name| Rv::sym(name.as_str())).collect())
        }
        "const_set" => {
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            let path = match class.as_str() {
                "Object" => text(0),
                _ => Name::new(&format!("{class}::{}", text(0))),
            };
            if let Rv::Class(class) = &value {
                rt.tables_mut().assigned_names.entry(*class).or_insert(path);
            }
            rt.tables_mut().constants.insert(path, value.clone());
            value
        }
        "constants" => {
            let prefix = format!("{class}::");
            let inner = |path: &Name| {
                let rest = path.as_str().strip_prefix(&prefix)?;
                (!rest.contains("::")).then(|| rest.to_owned())
            };
            let mut names: Vec<String> = rt.tables.constants.keys().filter_map(inner).collect();
            names.sort();
            Rv::array(names.iter().map(|name| Rv::sym(name)).collect())
        }
        "class_variable_get" => {
            let key = Name::new(text(0).as_str().trim_start_matches('@'));
            rt.tables.class_vars.get(&(class, key)).cloned().unwrap_or(Rv::Nil)
        }
        "class_variable_set" => {
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            let key = Name::new(text(0).as_str().trim_start_matches('@'));
            rt.class_vars_mut().insert((class, key), value.clone());
            value
        }
        "class_variable_defined?" => {
            let key = Name::new(text(0).as_str().trim_start_matches('@'));
            Rv::bool(rt.tables.class_vars.contains_key(&(class, key)))
        }
        "include?" => {
            let module = match args.first() {
                Some(Rv::Class(module)) => *module,
                _ => return Ok(None),
            };
            Rv::bool(module != class && rt.tables.includes(class, module.as_str()))
        }
        "module_function" => {
            for at in 0..args.len() {
                if let Some(method) = rt.tables.methods.get(&(class, text(at))).cloned() {
                    rt.add_method(singleton_name(class), text(at), method);
                }
            }
            Rv::Nil
        }
        "private_constant" => {
            rt.hide_constants(class, args);
            Rv::Nil
        }
        "public" | "protected" | "private" | "public_class_method" | "private_class_method" => {
            let to = Visibility::from_word(name).unwrap_or_default();
            let home = if name.ends_with("_class_method") { singleton_name(class) } else { class };
            let given = rt.set_visibility(home, args, to);
            if home == class { given } else { Rv::Nil }
        }
        "instance_method" => {
            let known = rt.tables.methods.get(&(class, text(0))).cloned();
            match known {
                Some(Method::Block(body)) => Rv::Proc(body),
                _ => return rt.unsupported(&format!("{class}.instance_method")),
            }
        }
        "allocate" if rt.tables.parents.contains_key(&class) => {
            Rv::Object(std::rc::Rc::new(crate::value::Instance::new(class)))
        }
        _ => return Ok(None),
    }))
}

fn has_instance_method(rt: &Interp<'_, '_>, class: Name, name: Name) -> bool {
    let mut known = false;
    rt.tables.visit_superclasses(class, &mut |at| {
        known = rt.tables.methods.contains_key(&(at, name));
        known
    });
    known
}

fn superclass(rt: &Interp<'_, '_>, class: Name) -> Option<Name> {
    rt.tables.parents.get(&class).copied().or_else(|| exception::parent(class.as_str()).map(Name::new)).or_else(|| {
        let known = crate::object::builtin_classes::is_builtin_class(class.as_str());
        (known && class.as_str() != "Object").then(|| Name::new("Object"))
    })
}
