//! `Object`: methods that every object has.

use std::rc::Rc;

use super::object;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::object::Class;
use crate::object::Method;
use crate::value::Callable;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;

pub(crate) static CLASS: Class = Class {
    name: "Object",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("nil?", 0, is_nil),
        Method::new("==", 1, equal),
        Method::new("eql?", 1, eql),
        Method::new("===", 1, case_equal),
        Method::new("equal?", 1, is_identical),
        Method::new("!=", 1, not_equal),
        Method::new("!", 0, not),
        Method::new("=~", 1, match_nothing),
        Method::new("!~", 1, not_match),
        Method::new("<=>", 1, order),
        Method::new("class", 0, class),
        Method::new("is_a?", 1, is_a),
        Method::new("kind_of?", 1, is_a),
        Method::new("instance_of?", 1, is_instance_of),
        Method::between("respond_to?", 1, 2, respond_to),
        Method::new("to_s", 0, to_s),
        Method::new("inspect", 0, inspect),
        Method::new("hash", 0, hash),
        Method::new("object_id", 0, object_id),
        Method::new("__id__", 0, object_id),
        Method::new("itself", 0, itself),
        Method::new("freeze", 0, freeze),
        Method::new("frozen?", 0, is_frozen),
        Method::new("dup", 0, dup),
        Method::between("clone", 0, 1, clone),
        Method::new("tap", 0, tap),
        Method::new("then", 0, then),
        Method::new("yield_self", 0, then),
        Method::at_least("public_send", 1, public_send),
        Method::at_least("send", 1, send),
        Method::at_least("__send__", 1, send),
        Method::new("method", 1, method),
        Method::at_least("to_yaml", 0, to_yaml),
        Method::new("instance_variable_get", 1, variable_get),
        Method::new("instance_variable_set", 2, variable_set),
        Method::new("instance_variable_defined?", 1, is_variable_defined),
        Method::new("instance_variables", 0, variables),
        Method::at_least("enum_for", 0, enum_for),
        Method::at_least("to_enum", 0, enum_for),
        Method::at_least("define_singleton_method", 1, |rt, this, args, block| {
            rt.define_singleton_method(this, args, block)
        }),
        Method::at_least("extend", 0, |rt, this, args, _| rt.extend_object(this, args)),
        Method::at_least("instance_eval", 0, |rt, this, args, block| rt.evaluate_in_object(this, args, block, false)),
        Method::at_least("instance_exec", 0, |rt, this, args, block| rt.evaluate_in_object(this, args, block, true)),
        Method::new("singleton_class", 0, |rt, this, _, _| rt.expect_singleton_class(this).map(Rv::Class)),
        Method::between("singleton_methods", 0, 1, |rt, this, _, _| Ok(rt.singleton_methods(this))),
        Method::at_least("to_json", 0, |rt, this, _, _| rt.to_json(this, None, 0).map(Rv::str)),
        Method::at_least("to_pson", 0, to_pson),
    ],
    singleton: &[Method::at_least("new", 0, new)],
};

/// The argument at an index; `nil` if it is missing.
fn argument(args: &[Rv], at: usize) -> Rv {
    args.get(at).cloned().unwrap_or(Rv::Nil)
}

/// The name in a string or symbol argument.
fn name_argument(args: &[Rv]) -> String {
    args.first().and_then(Rv::string_or_symbol).unwrap_or_default()
}

/// The name of an instance variable given as a string or symbol.
fn variable_argument(args: &[Rv]) -> Name {
    Name::new(name_argument(args).trim_start_matches('@'))
}

fn is_nil(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.is_nil()))
}

fn equal(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(compare::equal(this, &argument(args, 0))))
}

fn eql(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(crate::value::eql(this, &argument(args, 0))))
}

fn case_equal(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.case_equal(this, &argument(args, 0)).map(Rv::bool)
}

fn is_identical(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(object::is_identical(this, &argument(args, 0))))
}

fn not_equal(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!compare::equal(this, &argument(args, 0))))
}

fn not(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!this.truthy()))
}

fn match_nothing(_: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Nil)
}

fn not_match(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!rt.call_method(this, "=~", args, None)?.truthy()))
}

fn order(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(compare::order(this, &argument(args, 0)).map_or(Rv::Nil, |order| Rv::Int(order as i64)))
}

fn class(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Class(match this {
        Rv::Object(object) => object.class,
        Rv::Exception(exception) => exception.class,
        Rv::Class(class) if rt.is_module(*class) => Name::new("Module"),
        other => Name::new(rt.class(other)),
    }))
}

/// The class or module of an argument.
fn class_argument(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Name> {
    match args.first() {
        Some(Rv::Class(class)) => Ok(*class),
        Some(Rv::Puppet(_)) => rt.unsupported("is_a? of a Puppet type"),
        _ => rt.raise("TypeError", "class or module required"),
    }
}

fn is_a(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = class_argument(rt, args)?;
    Ok(Rv::bool(rt.is_a(this, class)))
}

fn is_instance_of(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = class_argument(rt, args)?;
    Ok(Rv::bool(rt.class(this) == class.as_str()))
}

fn respond_to(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let method = name_argument(args);
    let all = args.get(1).is_some_and(Rv::truthy);
    Ok(Rv::bool(rt.responds_to(this, &method) || (all && rt.has_method(this, Name::new(&method)))))
}

fn to_s(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let string = Rv::str(rt.to_s(this)?);
    // Ruby returns the same frozen string each time.
    if matches!(this, Rv::Nil | Rv::True | Rv::False) {
        rt.state().flags.freeze(&string);
    }
    Ok(string)
}

fn inspect(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.inspect(this).map(Rv::str)
}

fn hash(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Int(crate::value::key_number(this)))
}

fn object_id(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.unsupported("method object_id")
}

fn itself(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(this.clone())
}

fn freeze(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.state().flags.freeze(this);
    Ok(this.clone())
}

fn is_frozen(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(rt.state().flags.is_frozen(this)))
}

fn dup(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(rt.copy_object(this, "dup", args))
}

fn clone(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(rt.copy_object(this, "clone", args))
}

fn tap(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if let Some(block) = block {
        rt.yield_value(block, this.clone())?;
    }
    Ok(this.clone())
}

fn then(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match block {
        Some(block) => rt.yield_value(block, this.clone()),
        None => rt.unsupported("then without a block"),
    }
}

fn public_send(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    rt.call_public(this, &name_argument(args), args.get(1..).unwrap_or_default(), block, None)
}

fn send(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    rt.call_method(this, &name_argument(args), args.get(1..).unwrap_or_default(), block)
}

fn method(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Proc(Rc::new(Callable::Method(this.clone(), Name::new(&name_argument(args))))))
}

fn to_yaml(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.to_yaml(this, args.first())
}

fn variable_get(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.ivar_of(this, variable_argument(args))
}

fn variable_set(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = argument(args, 1);
    rt.set_ivar_of(this, variable_argument(args), value.clone())?;
    Ok(value)
}

fn is_variable_defined(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.ivar_defined(this, variable_argument(args)).map(Rv::bool)
}

fn variables(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.instance_variables(this)
}

fn enum_for(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let name = args.first().and_then(Rv::string_or_symbol).unwrap_or_else(|| "each".to_owned());
    Ok(crate::core::enumerator::enumerator(this, &name, args.get(1..).unwrap_or_default()))
}

/// `Object.new`
fn new(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Class(class) = this else { return Ok(Rv::Nil) };
    Ok(Rv::Object(Rc::new(Instance::new(*class))))
}

/// `to_pson`, which Puppet 8 does not have.
fn to_pson(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if !rt.setup.dialect.has_pson {
        return rt.no_method(this, "to_pson");
    }
    rt.to_json(this, None, 0).map(Rv::str)
}
