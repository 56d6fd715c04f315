//! Identity of objects, and `dig` through them.

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Rv;

/// Whether two values are the same object (`equal?`).
pub(crate) fn is_identical(a: &Rv, b: &Rv) -> bool {
    match (a, b) {
        (Rv::Str(a), Rv::Str(b)) => Rc::ptr_eq(a, b),
        (Rv::Array(a), Rv::Array(b)) => Rc::ptr_eq(a, b),
        (Rv::Hash(a), Rv::Hash(b)) => Rc::ptr_eq(a, b),
        (Rv::Set(a), Rv::Set(b)) => Rc::ptr_eq(a, b),
        (Rv::Object(a), Rv::Object(b)) => Rc::ptr_eq(a, b),
        (a, b) => crate::value::eql(a, b),
    }
}

impl Interp<'_> {
    /// The remaining steps of `dig`.
    pub(crate) fn dig_further(&mut self, value: &Rv, rest: &[Rv]) -> Raise<Rv> {
        if !matches!(value, Rv::Array(_) | Rv::Hash(_)) && !self.responds_to(value, "dig") {
            let class = self.class_name(value);
            return self.raise("TypeError", format!("{class} does not have #dig method"));
        }
        self.call_method(value, "dig", rest, None)
    }
}
