//! `Marshal`: copies of data.
//!
//! In: data. Out: a copy of it. Must not: write Ruby's format, which code only uses to read it again.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;
use crate::value::deep_copy::deep_copy;
use crate::value::object;

pub(crate) static MARSHAL: Class =
    Class::module("Marshal", &[Method::between("dump", 1, 3, dump), Method::between("load", 1, 3, load)]);

/// The class of the result of `Marshal.dump`.
const DUMPED: &str = "Marshal::Dumped";

/// `Marshal.dump(value)`: code dumps data only to load it again, so a deep copy is sufficient.
fn dump(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [value] = args else { return rt.unsupported("Marshal.dump to a stream") };
    match deep_copy(value) {
        Some(copy) => Ok(object(DUMPED, &[("value", copy)])),
        None => rt.unsupported("Marshal.dump of a value that is not data"),
    }
}

/// `Marshal.load(dumped)`
fn load(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        Some(Rv::Object(object)) if object.class.as_str() == DUMPED => {
            let ivars = object.ivars.borrow();
            Ok(ivars.get(&catwalk_base::name!("value")).and_then(deep_copy).unwrap_or(Rv::Nil))
        }
        _ => rt.unsupported("Marshal.load of this value"),
    }
}
