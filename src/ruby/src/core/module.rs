//! Methods of classes and modules themselves: their definitions and ancestors.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::definitions::Method;
use crate::object::definitions::singleton_name;
use crate::object::exception;
use crate::object::visibility::Visibility;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Methods of `Class` and `Module`.
pub(crate) fn call(rt: &mut Interp<'_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let name_at = |at: usize| Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default());
    Ok(Some(match name {
        "superclass" => superclass(rt, class).map_or(Rv::Nil, Rv::Class),
        "ancestors" => ancestors(rt, class),
        "define_method" => rt.define_from_block(class, args, block)?,
        "alias_method" => {
            rt.alias(class, name_at(0), name_at(1));
            Rv::sym(name_at(0).as_str())
        }
        "attr_reader" | "attr_accessor" | "attr_writer" => rt.define_accessors(name, args, class)?,
        "remove_method" | "undef_method" => {
            rt.tables_mut().methods.remove(&(class, name_at(0)));
            Rv::Class(class)
        }
        "method_defined?" | "instance_method_defined?" | "public_method_defined?" => {
            let private = rt.tables.visibility_in(class, name_at(0)) == Visibility::Private;
            Rv::bool(!private && has_instance_method(rt, class, name_at(0)))
        }
        "private_method_defined?" => Rv::bool(rt.tables.visibility_in(class, name_at(0)) == Visibility::Private),
        "instance_methods" | "public_instance_methods" => {
            instance_methods(rt, class, !matches!(args.first(), Some(Rv::False)))
        }
        "const_set" => set_constant(rt, class, name_at(0), args.get(1).cloned().unwrap_or(Rv::Nil)),
        "constants" => constants(rt, class),
        "class_variable_get" | "class_variable_set" | "class_variable_defined?" => {
            let variable = Name::new(name_at(0).as_str().trim_start_matches('@'));
            class_variable(rt, class, name, variable, args.get(1))
        }
        "include?" => {
            let Some(Rv::Class(module)) = args.first() else { return Ok(None) };
            Rv::bool(*module != class && rt.tables.includes(class, module.as_str()))
        }
        "module_function" => {
            for at in 0..args.len() {
                if let Some(method) = rt.tables.methods.get(&(class, name_at(at))).cloned() {
                    rt.add_method(singleton_name(class), name_at(at), method);
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
            let result = rt.set_visibility(home, args, to);
            if home == class { result } else { Rv::Nil }
        }
        "instance_method" => match rt.tables.methods.get(&(class, name_at(0))).cloned() {
            Some(Method::Block(body)) => Rv::Proc(body),
            _ => return rt.unsupported(&format!("{class}.instance_method")),
        },
        "allocate" if rt.tables.parents.contains_key(&class) => {
            Rv::Object(std::rc::Rc::new(crate::value::Instance::new(class)))
        }
        _ => return Ok(None),
    }))
}

fn ancestors(rt: &Interp<'_>, class: Name) -> Rv {
    let mut ancestors = Vec::new();
    rt.tables.visit_superclasses(class, &mut |class| {
        ancestors.push(Rv::Class(class));
        false
    });
    let mut builtin = rt.tables.native_base(class);
    while let Some(parent) = exception::superclass(builtin.as_str()) {
        builtin = Name::new(parent);
        ancestors.push(Rv::Class(builtin));
    }
    if builtin.as_str() != "Object" && rt.tables.parents.contains_key(&class) {
        ancestors.push(Rv::Class(Name::new("Object")));
    }
    Rv::array(ancestors)
}

/// The names of the methods of a class that are not private; with `inherited`, also those of its ancestors.
fn instance_methods(rt: &Interp<'_>, class: Name, inherited: bool) -> Rv {
    let mut methods: Vec<Name> = Vec::new();
    rt.tables.visit_superclasses(class, &mut |ancestor| {
        let mut names: Vec<Name> =
            rt.tables.methods.keys().filter(|(home, _)| *home == ancestor).map(|(_, name)| *name).collect();
        names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        methods.extend(names);
        !inherited
    });
    methods.retain(|name| rt.tables.visibility_in(class, *name) != Visibility::Private);
    Rv::array(methods.into_iter().map(|name| Rv::sym(name.as_str())).collect())
}

/// Defines a constant of a class or module. A class without a name gets that of its first constant.
fn set_constant(rt: &mut Interp<'_>, class: Name, name: Name, value: Rv) -> Rv {
    let path = match class.as_str() {
        "Object" => name,
        _ => Name::new(&format!("{class}::{name}")),
    };
    if let Rv::Class(class) = &value {
        rt.tables_mut().assigned_names.entry(*class).or_insert(path);
    }
    rt.tables_mut().constants.insert(path, value.clone());
    value
}

fn constants(rt: &Interp<'_>, class: Name) -> Rv {
    let prefix = format!("{class}::");
    let own_name = |path: &Name| {
        let name = path.as_str().strip_prefix(&prefix)?;
        (!name.contains("::")).then(|| name.to_owned())
    };
    let mut names: Vec<String> = rt.tables.constants.keys().filter_map(own_name).collect();
    names.sort();
    Rv::array(names.iter().map(|name| Rv::sym(name)).collect())
}

/// `class_variable_get`, `class_variable_set` and `class_variable_defined?`.
fn class_variable(rt: &mut Interp<'_>, class: Name, method: &str, variable: Name, value: Option<&Rv>) -> Rv {
    let key = (class, variable);
    match method {
        "class_variable_get" => rt.tables.class_vars.get(&key).cloned().unwrap_or(Rv::Nil),
        "class_variable_set" => {
            let value = value.cloned().unwrap_or(Rv::Nil);
            rt.class_vars_mut().insert(key, value.clone());
            value
        }
        _ => Rv::bool(rt.tables.class_vars.contains_key(&key)),
    }
}

fn has_instance_method(rt: &Interp<'_>, class: Name, name: Name) -> bool {
    let mut is_defined = false;
    rt.tables.visit_superclasses(class, &mut |ancestor| {
        is_defined = rt.tables.methods.contains_key(&(ancestor, name));
        is_defined
    });
    is_defined
}

fn superclass(rt: &Interp<'_>, class: Name) -> Option<Name> {
    rt.tables.parents.get(&class).copied().or_else(|| exception::superclass(class.as_str()).map(Name::new)).or_else(
        || {
            let is_builtin = crate::object::builtin_classes::is_builtin_class(class.as_str());
            (is_builtin && class.as_str() != "Object").then(|| Name::new("Object"))
        },
    )
}
