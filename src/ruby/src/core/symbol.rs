//! `Symbol`.

use std::rc::Rc;

use super::common_methods;
use super::string::for_symbols as string;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::object::Class;
use crate::object::Method;
use crate::value::Callable;
use crate::value::Rv;
use crate::value::string_object::StringObject;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::inline_cache::MethodCache;

/// A function on strings as the body of a method of symbols.
macro_rules! as_string {
    ($function:path) => {
        |rt, this, args, block| $function(rt, &Rc::new(StringObject::new(name(this).to_owned())), args, block)
    };
}

/// As `as_string`; the result is a symbol again.
macro_rules! to_symbol {
    ($function:path) => {
        |rt, this, args, block| {
            let string = $function(rt, &Rc::new(StringObject::new(name(this).to_owned())), args, block)?;
            Ok(Rv::sym(&string.string_or_symbol().unwrap_or_default()))
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "Symbol",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("<=>", 1, order),
        Method::new("==", 1, common_methods::equal),
        Method::new("===", 1, common_methods::equal),
        Method::new("=~", 1, as_string!(string::matches)),
        Method::between("[]", 1, 2, as_string!(string::slice)),
        Method::between("capitalize", 0, 2, to_symbol!(string::capitalize)),
        Method::new("casecmp", 1, casecmp),
        Method::new("casecmp?", 1, is_casecmp),
        Method::between("downcase", 0, 2, to_symbol!(string::downcase)),
        Method::new("empty?", 0, as_string!(string::is_empty)),
        Method::new("encoding", 0, encoding),
        Method::at_least("end_with?", 0, as_string!(string::ends_with)),
        Method::new("id2name", 0, to_s),
        Method::new("inspect", 0, common_methods::inspect),
        Method::new("length", 0, as_string!(string::length)),
        Method::between("match", 1, 2, as_string!(string::match_data)),
        Method::between("match?", 1, 2, as_string!(string::is_match)),
        Method::new("name", 0, frozen_name),
        Method::new("next", 0, to_symbol!(string::succ)),
        Method::new("size", 0, as_string!(string::length)),
        Method::between("slice", 1, 2, as_string!(string::slice)),
        Method::at_least("start_with?", 0, as_string!(string::starts_with)),
        Method::new("succ", 0, to_symbol!(string::succ)),
        Method::between("swapcase", 0, 2, to_symbol!(string::swapcase)),
        Method::new("to_proc", 0, to_proc),
        Method::new("to_s", 0, to_s),
        Method::new("to_sym", 0, common_methods::itself),
        Method::between("upcase", 0, 2, to_symbol!(string::upcase)),
    ],
    singleton: &[],
};

fn name(this: &Rv) -> &str {
    if let Rv::Sym(name) = this { name } else { "" }
}

fn order(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let order = args.first().and_then(|other| compare::order(this, other));
    Ok(order.map_or(Rv::Nil, |order| Rv::Int(order as i64)))
}

/// A symbol is compared with symbols only.
fn casecmp(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [Rv::Sym(other)] = args else { return Ok(Rv::Nil) };
    let string = Rc::new(StringObject::new(name(this).to_owned()));
    string::casecmp(rt, &string, &[Rv::str(&**other)], None)
}

fn is_casecmp(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [Rv::Sym(other)] = args else { return Ok(Rv::Nil) };
    let string = Rc::new(StringObject::new(name(this).to_owned()));
    string::is_casecmp(rt, &string, &[Rv::str(&**other)], None)
}

/// The encoding of ASCII symbols is US-ASCII.
fn encoding(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if name(this).is_ascii() {
        return Ok(Rv::str("US-ASCII"));
    }
    string::encoding(rt, &Rc::new(StringObject::new(name(this).to_owned())), args, None)
}

fn to_s(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(name(this)))
}

/// `name`: the text as a string that cannot be changed.
fn frozen_name(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let string = Rv::str(name(this));
    rt.state().flags.freeze(&string);
    Ok(string)
}

fn to_proc(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Proc(Rc::new(Callable::Symbol(Name::new(name(this)), MethodCache::default()))))
}
