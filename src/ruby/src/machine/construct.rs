//! `Class.new`: objects of the program's classes, and exceptions.
//!
//! In: a class and arguments. Out: the object. Must not: know the constructors of Ruby's own classes, which are in their tables.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::machine::registry;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;

impl Interp<'_> {
    /// Whether a class is the program's and inherits from `Object`.
    pub(crate) fn is_plain_class(&self, class: Name) -> bool {
        self.tables.parents.contains_key(&class) && self.tables.native_base(class) == catwalk_base::name!("Object")
    }
}

/// `Class.new(…)`, `Class[…]`, `Class.exception(…)` of a class without a constructor of its own: one of the program, or of
/// exceptions; `None` if it has none.
pub(crate) fn construct(
    rt: &mut Interp<'_>,
    class: Name,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let is_of_program = rt.tables.parents.contains_key(&class);
    match name {
        "new" if Some(class) == rt.setup.shared_class => Ok(Some(Rv::Object(Rc::new(Instance::new(class))))),
        "new" | "exception" if rt.inherits_from(class, "Exception") => new_exception(rt, class, args, block).map(Some),
        "new" if is_of_program => new_instance(rt, class, args, block).map(Some),
        "[]" if is_of_program => {
            let base = rt.tables.native_base(class);
            let Some(value) = construct_builtin(rt, base, "[]", args, block)? else { return Ok(None) };
            let object = Rc::new(Instance::new(class));
            *object.native.borrow_mut() = Some(value);
            Ok(Some(Rv::Object(object)))
        }
        _ => Ok(None),
    }
}

/// The value that a constructor of one of Ruby's own classes returns; `None` if the class has none of this name.
pub(crate) fn construct_builtin(
    rt: &mut Interp<'_>,
    class: Name,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    match registry::find_singleton(class, Name::new(name)) {
        Some(constructor) => rt.call_builtin(constructor, &Rv::Class(class), args, block).map(Some),
        None => Ok(None),
    }
}

/// An exception: of a class of the program with its `initialize`, or of Ruby's or the host's own.
fn new_exception(rt: &mut Interp<'_>, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let message = args.first().cloned().unwrap_or_else(|| Rv::str(rt.display_class(class).as_str()));
    let exception = rt.exception(class, message);
    let this = Rv::Exception(exception.clone());
    if let Some(initialize) = rt.find_method(&this, catwalk_base::name!("initialize")) {
        rt.invoke(&initialize, catwalk_base::name!("initialize"), &this, args, block)?;
    } else {
        rt.host.initialize_exception(rt.state, &exception, args)?;
    }
    Ok(this)
}

/// An object of a class of the program.
pub(crate) fn new_instance(rt: &mut Interp<'_>, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let object = Rc::new(Instance::new(class));
    let this = Rv::Object(object.clone());
    match rt.find_method(&this, catwalk_base::name!("initialize")) {
        Some(initialize) => {
            rt.invoke(&initialize, catwalk_base::name!("initialize"), &this, args, block)?;
        }
        None => {
            let base = rt.tables.native_base(class);
            rt.set_inner_value(&object, base, args, block)?;
        }
    }
    Ok(this)
}
