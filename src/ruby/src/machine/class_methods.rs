//! Methods called on classes and modules.
//!
//! In: a class, the name of a method, arguments. Out: the result of the method of the first table that has it. Must not: know
//! single classes.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core;
use crate::machine::construct::construct;
use crate::machine::construct::new_instance;
use crate::machine::registry;
use crate::machine::registry::MethodId;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Calls a built-in method of a class or module.
pub(crate) fn call(rt: &mut Interp<'_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if name == "new" && rt.is_plain_class(class) {
        return new_instance(rt, class, args, block).map(Some);
    }
    if let Some(value) = rt.host.call_definition(rt.state, class, name, args, block)? {
        return Ok(Some(value));
    }
    let (this, method) = (Rv::Class(class), Name::new(name));
    if let Some(method) = registry::find_singleton(class, method) {
        return rt.call_builtin(method, &this, args, block).map(Some);
    }
    if let Some(value) = construct(rt, class, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(method) = registry::find(&core::module::CLASS, method).and_then(MethodId::method) {
        return rt.call_builtin(method, &this, args, block).map(Some);
    }
    if class == catwalk_base::name!("Kernel") {
        let frame = rt.top_frame(Rv::Nil);
        return rt.call_function(method, args, block, &frame);
    }
    rt.host.call_class(rt.state, class, name, args, block)
}
