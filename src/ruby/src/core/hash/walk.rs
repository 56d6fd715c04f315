//! Methods that pass the entries of a hash to a block, one by one.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerable::find;
use crate::core::enumerable::group;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk_entries;
use crate::value::Rv;

pub(super) fn each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    walk_entries(rt, hash, |rt, key, value| rt.yield_pair(block, &key, &value).map(|_| CONTINUE))?;
    Ok(this.clone())
}

pub(super) fn each_key(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    walk_entries(rt, hash, |rt, key, _| rt.yield_value(block, key).map(|_| CONTINUE))?;
    Ok(this.clone())
}

pub(super) fn each_value(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    walk_entries(rt, hash, |rt, _, value| rt.yield_value(block, value).map(|_| CONTINUE))?;
    Ok(this.clone())
}

pub(super) fn any(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args, block) {
        (Rv::Hash(hash), [], None) => Ok(Rv::bool(!hash.map.borrow().is_empty())),
        _ => find::any(rt, this, args, block),
    }
}

pub(super) fn count(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args, block) {
        (Rv::Hash(hash), [], None) => Ok(Rv::int(hash.map.borrow().len())),
        _ => find::count(rt, this, args, block),
    }
}

/// `to_h`, `to_h { |key, value| [key, value] }`
pub(super) fn to_h(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if block.is_none() { Ok(this.clone()) } else { group::to_h(rt, this, args, block) }
}
