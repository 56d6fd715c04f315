//! `NilClass`, `TrueClass`, `FalseClass`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Map;
use crate::value::Rv;

pub(crate) static NIL: Class = Class {
    name: "NilClass",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("&", 1, |_, _, _, _| Ok(Rv::False)),
        Method::new("^", 1, |_, _, args, _| Ok(Rv::bool(is_true(args)))),
        Method::between("rationalize", 0, 1, to_r),
        Method::new("to_a", 0, |_, _, _, _| Ok(Rv::array(Vec::new()))),
        Method::new("to_f", 0, |_, _, _, _| Ok(Rv::float(0.0))),
        Method::new("to_h", 0, |_, _, _, _| Ok(Rv::hash(Map::default()))),
        Method::new("to_i", 0, |_, _, _, _| Ok(Rv::Int(0))),
        Method::new("to_r", 0, to_r),
        Method::new("|", 1, |_, _, args, _| Ok(Rv::bool(is_true(args)))),
    ],
    singleton: &[],
};

pub(crate) static TRUE: Class = Class {
    name: "TrueClass",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("&", 1, |_, _, args, _| Ok(Rv::bool(is_true(args)))),
        Method::new("^", 1, |_, _, args, _| Ok(Rv::bool(!is_true(args)))),
        Method::new("|", 1, |_, _, _, _| Ok(Rv::True)),
    ],
    singleton: &[],
};

pub(crate) static FALSE: Class = Class {
    name: "FalseClass",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("&", 1, |_, _, _, _| Ok(Rv::False)),
        Method::new("^", 1, |_, _, args, _| Ok(Rv::bool(is_true(args)))),
        Method::new("|", 1, |_, _, args, _| Ok(Rv::bool(is_true(args)))),
    ],
    singleton: &[],
};

fn is_true(args: &[Rv]) -> bool {
    args.first().is_some_and(Rv::truthy)
}

fn to_r(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.call_method(&Rv::Int(0), "to_r", &[], None)
}
