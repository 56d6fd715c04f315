//! Methods of `Module` that are called without a receiver, in the body of a class or at top level: they see the visibility of the
//! body.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::object::Function;
use crate::object::visibility::Visibility;
use crate::value::Rv;
use catwalk_base::names::Name;

pub(crate) static FUNCTIONS: &[Function] = &[
    Function::at_least("alias_method", 2, alias_method),
    Function::at_least("attr", 0, |rt, args, _, f| define_accessors(rt, "attr", args, f)),
    Function::at_least("attr_accessor", 0, |rt, args, _, f| define_accessors(rt, "attr_accessor", args, f)),
    Function::at_least("attr_reader", 0, |rt, args, _, f| define_accessors(rt, "attr_reader", args, f)),
    Function::at_least("attr_writer", 0, |rt, args, _, f| define_accessors(rt, "attr_writer", args, f)),
    Function::at_least("define_method", 1, define_method),
    Function::at_least("extend", 0, extend),
    Function::at_least("include", 0, include),
    Function::at_least("module_function", 0, |_, _, _, _| Ok(Rv::Nil)),
    Function::at_least("prepend", 0, prepend),
    Function::at_least("private", 0, |rt, args, _, f| set_visibility(rt, Visibility::Private, args, f)),
    Function::at_least("private_class_method", 0, |rt, args, _, f| hide(rt, "private_class_method", args, f)),
    Function::at_least("private_constant", 0, |rt, args, _, f| hide(rt, "private_constant", args, f)),
    Function::at_least("protected", 0, |rt, args, _, f| set_visibility(rt, Visibility::Protected, args, f)),
    Function::at_least("public", 0, |rt, args, _, f| set_visibility(rt, Visibility::Public, args, f)),
    Function::at_least("using", 0, |_, _, _, _| Ok(Rv::Nil)),
];

fn define_accessors(rt: &mut Interp<'_>, kind: &str, args: &[Rv], f: &Rc<Frame>) -> Raise<Rv> {
    let home = rt.module_of_self(f);
    let methods = rt.define_accessors(kind, args, home)?;
    Ok(rt.set_visibility(home, std::slice::from_ref(&methods), f.visibility.get()))
}

fn define_method(rt: &mut Interp<'_>, args: &[Rv], block: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    let home = rt.module_of_self(f);
    let name = rt.define_from_block(home, args, block)?;
    Ok(rt.set_visibility(home, &[name], f.visibility.get()))
}

fn alias_method(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    let home = rt.module_of_self(f);
    let name_at = |at: usize| Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default());
    rt.alias(home, name_at(0), name_at(1));
    Ok(Rv::Nil)
}

/// `private`, or `private :name`
fn set_visibility(rt: &mut Interp<'_>, visibility: Visibility, args: &[Rv], f: &Rc<Frame>) -> Raise<Rv> {
    let home = rt.module_of_self(f);
    if args.is_empty() {
        f.visibility.set(visibility);
    }
    Ok(rt.set_visibility(home, args, visibility))
}

/// `private_class_method`, `private_constant`, which have no effect outside of classes.
fn hide(rt: &mut Interp<'_>, method: &str, args: &[Rv], f: &Rc<Frame>) -> Raise<Rv> {
    match &f.this {
        Rv::Class(_) => rt.call_native(&f.this, method, args, None),
        _ => Ok(Rv::Nil),
    }
}

/// `include`, which has no effect outside of classes.
fn include(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    if let Rv::Class(_) = f.this {
        let home = rt.module_of_self(f);
        rt.include(home, "include", args)?;
    }
    Ok(Rv::Nil)
}

fn prepend(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    let Rv::Class(_) = f.this else { return rt.no_method(&f.this, "prepend") };
    let home = rt.module_of_self(f);
    rt.include(home, "prepend", args)?;
    Ok(Rv::Nil)
}

fn extend(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    match &f.this {
        this @ (Rv::Class(_) | Rv::Object(_)) => rt.extend_object(this, args),
        _ => Ok(Rv::Nil),
    }
}
