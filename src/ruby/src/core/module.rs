//! `Module` and `Class`: methods of classes and modules themselves.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::object::definitions::Method as MethodBody;
use crate::object::definitions::singleton_name;
use crate::object::visibility::Visibility;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;

/// A function on a class as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Class(class) => $function(rt, *class, args, block),
            other => rt.type_error(other, "Module"),
        }
    };
}

pub(crate) static MODULE: Class = Class {
    name: "Module",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("<", 1, on!(is_descendant)),
        Method::new("<=", 1, on!(is_same_or_descendant)),
        Method::new("===", 1, on!(is_class_of)),
        Method::new("alias_method", 2, on!(alias_method)),
        Method::new("ancestors", 0, on!(ancestors)),
        Method::at_least("attr_accessor", 0, |rt, this, args, _| define_accessors(rt, this, "attr_accessor", args)),
        Method::at_least("attr_reader", 0, |rt, this, args, _| define_accessors(rt, this, "attr_reader", args)),
        Method::at_least("attr_writer", 0, |rt, this, args, _| define_accessors(rt, this, "attr_writer", args)),
        Method::at_least("class_eval", 0, |rt, this, args, block| rt.evaluate_in_class(this, args, block, false)),
        Method::at_least("class_exec", 0, |rt, this, args, block| rt.evaluate_in_class(this, args, block, true)),
        Method::new("class_variable_defined?", 1, on!(is_class_variable_defined)),
        Method::new("class_variable_get", 1, on!(class_variable_get)),
        Method::new("class_variable_set", 2, on!(class_variable_set)),
        Method::between("const_defined?", 1, 2, on!(is_constant_defined)),
        Method::between("const_get", 1, 2, on!(get_constant)),
        Method::new("const_set", 2, on!(set_constant)),
        Method::between("constants", 0, 1, on!(constants)),
        Method::at_least("define_method", 1, on!(define_method)),
        Method::at_least("include", 0, on!(include)),
        Method::new("include?", 1, on!(includes)),
        Method::new("inspect", 0, on!(name)),
        Method::new("instance_method", 1, on!(instance_method)),
        Method::between("instance_methods", 0, 1, on!(instance_methods)),
        Method::between("method_defined?", 1, 2, on!(is_method_defined)),
        Method::at_least("module_eval", 0, |rt, this, args, block| rt.evaluate_in_class(this, args, block, false)),
        Method::at_least("module_exec", 0, |rt, this, args, block| rt.evaluate_in_class(this, args, block, true)),
        Method::at_least("module_function", 0, on!(module_function)),
        Method::new("name", 0, on!(name)),
        Method::at_least("prepend", 0, on!(prepend)),
        Method::at_least("private", 0, |rt, this, args, _| set_visibility(rt, this, Visibility::Private, args)),
        Method::at_least("private_class_method", 0, on!(hide_class_methods)),
        Method::at_least("private_constant", 0, on!(hide_constants)),
        Method::between("private_method_defined?", 1, 2, on!(is_private_method_defined)),
        Method::at_least("protected", 0, |rt, this, args, _| set_visibility(rt, this, Visibility::Protected, args)),
        Method::at_least("public", 0, |rt, this, args, _| set_visibility(rt, this, Visibility::Public, args)),
        Method::at_least("public_class_method", 0, on!(show_class_methods)),
        Method::between("public_instance_methods", 0, 1, on!(instance_methods)),
        Method::between("public_method_defined?", 1, 2, on!(is_method_defined)),
        Method::at_least("remove_method", 0, on!(remove_methods)),
        Method::new("to_s", 0, on!(name)),
        Method::at_least("undef_method", 0, on!(remove_methods)),
    ],
    singleton: &[Method::new("new", 0, |rt, _, _, block| rt.new_class(None, block))],
};

pub(crate) static CLASS: Class = Class {
    name: "Class",
    parent: Some(&MODULE),
    includes: &[],
    extends: &[],
    methods: &[Method::new("allocate", 0, on!(allocate)), Method::new("superclass", 0, on!(superclass_value))],
    singleton: &[Method::between("new", 0, 1, new_class)],
};

/// The name in a string or symbol argument.
fn name_at(args: &[Rv], at: usize) -> Name {
    Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default())
}

/// `Class.new(superclass) { … }`
fn new_class(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let parent = args.first().and_then(|arg| if let Rv::Class(parent) = arg { Some(*parent) } else { None });
    rt.new_class(parent, block)
}

fn allocate(rt: &mut Interp<'_>, class: Name, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if !rt.tables.parents.contains_key(&class) {
        return rt.unsupported(&format!("method {class}.allocate"));
    }
    Ok(Rv::Object(Rc::new(Instance::new(class))))
}

fn superclass_value(rt: &mut Interp<'_>, class: Name, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(superclass(rt, class).map_or(Rv::Nil, Rv::Class))
}

fn name(rt: &mut Interp<'_>, class: Name, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.display_class(class).as_str()))
}

/// `class === value`
fn is_class_of(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.is_a(args.first().unwrap_or(&Rv::Nil), class)))
}

/// The class or module in an argument.
fn class_argument(rt: &mut Interp<'_>, args: &[Rv], message: &str) -> Raise<Name> {
    match args.first() {
        Some(Rv::Class(class)) => Ok(*class),
        _ => rt.raise("TypeError", message),
    }
}

fn is_same_or_descendant(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = class_argument(rt, args, "compared with non class/module")?;
    Ok(Rv::bool(rt.inherits_from(class, other.as_str())))
}

fn is_descendant(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = class_argument(rt, args, "compared with non class/module")?;
    Ok(Rv::bool(other != class && rt.inherits_from(class, other.as_str())))
}

fn alias_method(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.alias(class, name_at(args, 0), name_at(args, 1));
    Ok(Rv::sym(name_at(args, 0).as_str()))
}

fn define_accessors(rt: &mut Interp<'_>, this: &Rv, kind: &str, args: &[Rv]) -> Raise<Rv> {
    match this {
        Rv::Class(class) => rt.define_accessors(kind, args, *class),
        other => rt.type_error(other, "Module"),
    }
}

fn define_method(rt: &mut Interp<'_>, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    rt.define_from_block(class, args, block)
}

fn remove_methods(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for at in 0..args.len() {
        rt.tables_mut().methods.remove(&(class, name_at(args, at)));
    }
    Ok(Rv::Class(class))
}

fn is_method_defined(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let name = name_at(args, 0);
    let private = rt.tables.visibility_in(class, name) == Visibility::Private;
    Ok(Rv::bool(!private && has_instance_method(rt, class, name)))
}

fn is_private_method_defined(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.tables.visibility_in(class, name_at(args, 0)) == Visibility::Private))
}

fn instance_method(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match rt.tables.methods.get(&(class, name_at(args, 0))).cloned() {
        Some(MethodBody::Block(body)) => Ok(Rv::Proc(body)),
        _ => rt.unsupported(&format!("{class}.instance_method")),
    }
}

fn is_constant_defined(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = format!("{class}::{}", name_at(args, 0));
    Ok(Rv::bool(rt.is_builtin_class(&path) || rt.tables.constants.contains_key(&Name::new(&path))))
}

fn get_constant(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let outer = if matches!(class.as_str(), "Object" | "Kernel") { None } else { Some(class) };
    rt.constant_path(outer, name_at(args, 0).as_str())
}

fn include(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    mix_in(rt, class, "include", args)
}

fn prepend(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    mix_in(rt, class, "prepend", args)
}

fn mix_in(rt: &mut Interp<'_>, class: Name, method: &str, modules: &[Rv]) -> Raise<Rv> {
    if let Some(other) = modules.iter().find(|module| !matches!(module, Rv::Class(_))) {
        let found = rt.class_name(other);
        return rt.raise("TypeError", format!("wrong argument type {found} (expected Module)"));
    }
    rt.include(class, method, modules)?;
    Ok(Rv::Class(class))
}

fn includes(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let module = class_argument(rt, args, "wrong argument type (expected Module)")?;
    Ok(Rv::bool(module != class && rt.tables.includes(class, module.as_str())))
}

fn module_function(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for at in 0..args.len() {
        let name = name_at(args, at);
        if let Some(method) = rt.tables.methods.get(&(class, name)).cloned() {
            rt.add_method(singleton_name(class), name, method);
        }
    }
    Ok(Rv::Nil)
}

fn hide_constants(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.hide_constants(class, args);
    Ok(Rv::Nil)
}

fn set_visibility(rt: &mut Interp<'_>, this: &Rv, visibility: Visibility, args: &[Rv]) -> Raise<Rv> {
    match this {
        Rv::Class(class) => Ok(rt.set_visibility(*class, args, visibility)),
        other => rt.type_error(other, "Module"),
    }
}

fn hide_class_methods(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.set_visibility(singleton_name(class), args, Visibility::Private);
    Ok(Rv::Nil)
}

fn show_class_methods(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.set_visibility(singleton_name(class), args, Visibility::Public);
    Ok(Rv::Nil)
}

fn ancestors(rt: &mut Interp<'_>, class: Name, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut ancestors = Vec::new();
    rt.tables.visit_superclasses(class, &mut |class| {
        ancestors.push(Rv::Class(class));
        false
    });
    let mut builtin = rt.tables.native_base(class);
    while let Some(parent) = rt.exception_superclass(builtin.as_str()) {
        builtin = Name::new(parent);
        ancestors.push(Rv::Class(builtin));
    }
    if builtin.as_str() != "Object" && rt.tables.parents.contains_key(&class) {
        ancestors.push(Rv::Class(Name::new("Object")));
    }
    Ok(Rv::array(ancestors))
}

/// `instance_methods`, `instance_methods(inherited)`: the names of the methods of a class that are not private.
fn instance_methods(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let inherited = !matches!(args.first(), Some(Rv::False));
    let mut methods: Vec<Name> = Vec::new();
    rt.tables.visit_superclasses(class, &mut |ancestor| {
        let mut names: Vec<Name> =
            rt.tables.methods.keys().filter(|(home, _)| *home == ancestor).map(|(_, name)| *name).collect();
        names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        methods.extend(names);
        !inherited
    });
    methods.retain(|name| rt.tables.visibility_in(class, *name) != Visibility::Private);
    Ok(Rv::array(methods.into_iter().map(|name| Rv::sym(name.as_str())).collect()))
}

/// Defines a constant of a class or module. A class without a name gets that of its first constant.
fn set_constant(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (name, value) = (name_at(args, 0), args.get(1).cloned().unwrap_or(Rv::Nil));
    let path = match class.as_str() {
        "Object" => name,
        _ => Name::new(&format!("{class}::{name}")),
    };
    if let Rv::Class(class) = &value {
        rt.tables_mut().assigned_names.entry(*class).or_insert(path);
    }
    rt.tables_mut().constants.insert(path, value.clone());
    Ok(value)
}

fn constants(rt: &mut Interp<'_>, class: Name, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let prefix = format!("{class}::");
    let own_name = |path: &Name| {
        let name = path.as_str().strip_prefix(&prefix)?;
        (!name.contains("::")).then(|| name.to_owned())
    };
    let mut names: Vec<String> = rt.tables.constants.keys().filter_map(own_name).collect();
    names.sort();
    Ok(Rv::array(names.iter().map(|name| Rv::sym(name)).collect()))
}

/// The class and name of a class variable, given with or without its `@@`.
fn class_variable(class: Name, args: &[Rv]) -> (Name, Name) {
    (class, Name::new(name_at(args, 0).as_str().trim_start_matches('@')))
}

fn class_variable_get(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(rt.tables.class_vars.get(&class_variable(class, args)).cloned().unwrap_or(Rv::Nil))
}

fn class_variable_set(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = args.get(1).cloned().unwrap_or(Rv::Nil);
    rt.class_vars_mut().insert(class_variable(class, args), value.clone());
    Ok(value)
}

fn is_class_variable_defined(rt: &mut Interp<'_>, class: Name, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.tables.class_vars.contains_key(&class_variable(class, args))))
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
    rt.tables.parents.get(&class).copied().or_else(|| rt.exception_superclass(class.as_str()).map(Name::new)).or_else(
        || {
            let is_builtin = rt.is_builtin_class(class.as_str());
            (is_builtin && class.as_str() != "Object").then(|| Name::new("Object"))
        },
    )
}
