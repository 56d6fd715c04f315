//! Methods that values of Ruby's own classes have in common: equality, `hash`, `inspect`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::value;
use crate::value::Rv;

pub(crate) fn equal(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(args.first().is_some_and(|other| compare::equal(this, other))))
}

pub(crate) fn eql(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(args.first().is_some_and(|other| value::eql(this, other))))
}

pub(crate) fn hash(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Int(value::key_number(this)))
}

pub(crate) fn inspect(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.inspect(this)?))
}

/// The receiver: `to_a` of an array, `to_h` of a hash.
pub(crate) fn itself(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(this.clone())
}
