//! Methods of `String` that append to it or replace its contents.
//!
//! In: a string that other variables may hold, too. Out: the same object, changed.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;

/// `text << other`; a number is a character.
pub(super) fn append(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(other)] if !Rc::ptr_eq(this, other) => {
            let other = other.borrow();
            rt.check_growth(this.borrow().len(), other.len())?;
            this.push_str(&other);
            Ok(Rv::Str(this.clone()))
        }
        _ => concat(rt, this, args, None),
    }
}

pub(super) fn concat(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if let [Rv::Bytes(other)] = args {
        let mut bytes = this.borrow().as_bytes().to_vec();
        bytes.extend(other.borrow().iter());
        rt.check_size(bytes.len())?;
        return Ok(match String::from_utf8(bytes) {
            Ok(string) => {
                *this.borrow_mut() = string;
                Rv::Str(this.clone())
            }
            // The result is not valid UTF-8: the object becomes a byte string.
            Err(error) => Rv::bytes(error.into_bytes()),
        });
    }
    let added = joined(rt, args)?;
    rt.check_growth(this.borrow().len(), added.len())?;
    this.push_str(&added);
    Ok(Rv::Str(this.clone()))
}

pub(super) fn prepend(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let added = joined(rt, args)?;
    let size = this.borrow().len();
    // Prepending moves the existing contents.
    rt.check_growth(size, added.len() + size / 64)?;
    this.borrow_mut().insert_str(0, &added);
    Ok(Rv::Str(this.clone()))
}

/// The concatenated arguments; numbers are characters.
fn joined(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<String> {
    let mut added = String::new();
    for arg in args {
        match arg {
            Rv::Int(n) => match u32::try_from(*n).ok().map(char::from_u32) {
                Some(Some(c)) => added.push(c),
                Some(None) if *n <= i64::from(u32::from(char::MAX)) => {
                    return rt.raise("RangeError", format!("invalid codepoint 0x{n:X} in UTF-8"));
                }
                _ => return rt.raise("RangeError", format!("{n} out of char range")),
            },
            Rv::Str(other) => added.push_str(&other.borrow()),
            other => added.push_str(&rt.expect_str(other)?),
        }
    }
    Ok(added)
}

pub(super) fn replace(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let new = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    *this.borrow_mut() = new;
    Ok(Rv::Str(this.clone()))
}

pub(super) fn clear(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    this.borrow_mut().clear();
    Ok(Rv::Str(this.clone()))
}

/// The result of `text!`-methods that return `nil` if they changed nothing.
pub(super) fn or_nil(this: &Str, new: &Rv) -> Rv {
    let Rv::Str(new) = new else { return Rv::Nil };
    if *this.borrow() == *new.borrow() {
        return Rv::Nil;
    }
    this.borrow_mut().clone_from(&new.borrow());
    Rv::Str(this.clone())
}

/// The result of `text!`-methods that always return the receiver.
pub(super) fn in_place(this: &Str, new: &Rv) -> Rv {
    if let Rv::Str(new) = new
        && !Rc::ptr_eq(this, new)
    {
        this.borrow_mut().clone_from(&new.borrow());
    }
    Rv::Str(this.clone())
}
