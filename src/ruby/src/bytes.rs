//! Strings that are no text: digests, packed data.
//!
//! In: a string with bytes that are no UTF-8, or made to hold such (`''.b`). Out: what its methods give, byte by byte where
//! that matters; what only concerns text is answered when it is some.

use std::cell::RefCell;
use std::rc::Rc;

use super::Blk;
use super::Interp;
use super::Raise;
use super::text::bytes_of;
use super::text::from_bytes;
use super::value::Rv;

type Bytes = Rc<RefCell<Vec<u8>>>;

/// Methods of byte strings.
pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    this: &Bytes,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(value) = change(rt, this, name, args)? {
        return Ok(Some(value));
    }
    let whole = this.borrow().clone();
    Ok(Some(match (name, args) {
        ("bytes", []) => Rv::array(whole.iter().map(|byte| Rv::Int(i128::from(*byte))).collect()),
        ("chars", []) => Rv::array(whole.iter().map(|byte| Rv::bytes(vec![*byte])).collect()),
        ("length" | "size" | "bytesize", []) => Rv::int(whole.len()),
        ("empty?", []) => Rv::Bool(whole.is_empty()),
        ("force_encoding" | "encode" | "scrub" | "to_str", _) => {
            let binary = args.first().and_then(Rv::text).is_none_or(|to| is_binary(&to)) && name != "to_str";
            if binary { Rv::Bytes(this.clone()) } else { from_bytes(whole) }
        }
        ("to_s" | "b", []) => Rv::Bytes(this.clone()),
        ("valid_encoding?", []) => Rv::Bool(std::str::from_utf8(&whole).is_ok()),
        ("ascii_only?", []) => Rv::Bool(whole.is_ascii()),
        ("encoding", []) => Rv::str("ASCII-8BIT"),
        ("unpack" | "unpack1", [format]) => {
            let format = rt.expect_str(format)?;
            let found = super::pack::unpack(rt, &whole, &format)?;
            if name == "unpack" { Rv::array(found) } else { found.into_iter().next().unwrap_or(Rv::Nil) }
        }
        ("+", [other]) => {
            // The encoding of the first, unless only the second has other characters than those of ASCII.
            let is_text = whole.is_ascii() && matches!(other, Rv::Str(text) if !text.borrow().is_ascii());
            let mut bytes = whole;
            bytes.extend(bytes_of(rt, other)?);
            rt.check_size(bytes.len())?;
            if is_text { from_bytes(bytes) } else { Rv::bytes(bytes) }
        }
        ("*", [Rv::Int(times)]) => {
            let times = usize::try_from(*times).unwrap_or(0);
            rt.check_size(whole.len().saturating_mul(times))?;
            Rv::bytes(whole.repeat(times))
        }
        ("getbyte", [Rv::Int(at)]) => {
            place(*at, whole.len()).and_then(|at| whole.get(at)).map_or(Rv::Nil, |byte| Rv::Int(i128::from(*byte)))
        }
        ("ord", []) => whole.first().map_or(Rv::Nil, |byte| Rv::Int(i128::from(*byte))),
        ("[]" | "slice" | "byteslice", [Rv::Int(from)]) => {
            place(*from, whole.len()).and_then(|at| whole.get(at)).map_or(Rv::Nil, |byte| Rv::bytes(vec![*byte]))
        }
        ("[]" | "slice" | "byteslice", [Rv::Int(from), Rv::Int(length)]) => part(&whole, *from, *length),
        ("[]" | "slice" | "byteslice", [Rv::Range(range)]) => {
            let from = if let Rv::Int(from) = range.from { from } else { 0 };
            let count = i128::try_from(whole.len()).unwrap_or(0);
            let end = match range.to {
                Rv::Int(to) => (if to < 0 { to + count } else { to }) + i128::from(!range.exclusive),
                _ => count,
            };
            let start = if from < 0 { from + count } else { from };
            part(&whole, from, (end - start).max(0))
        }
        ("reverse", []) => Rv::bytes(whole.into_iter().rev().collect()),
        ("start_with?", [other]) => Rv::Bool(whole.starts_with(&bytes_of(rt, other)?)),
        ("end_with?", [other]) => Rv::Bool(whole.ends_with(&bytes_of(rt, other)?)),
        ("include?", [other]) => {
            let wanted = bytes_of(rt, other)?;
            Rv::Bool(wanted.is_empty() || whole.windows(wanted.len()).any(|part| part == wanted))
        }
        ("dup" | "clone" | "+@", _) => Rv::bytes(whole),
        ("hash", []) => Rv::Int(i128::from(super::value::key_number(&Rv::bytes(whole)))),
        ("each_byte", []) => {
            let items = Rv::array(whole.iter().map(|byte| Rv::Int(i128::from(*byte))).collect());
            return rt.call_method(&items, "each", &[], block).map(Some);
        }
        ("ljust", [Rv::Int(width), fill]) => {
            let fill = bytes_of(rt, fill)?;
            let width = usize::try_from(*width).unwrap_or(0);
            rt.check_size(width)?;
            let missing = width.saturating_sub(whole.len());
            Rv::bytes(whole.into_iter().chain(fill.into_iter().cycle().take(missing)).collect())
        }
        _ => return as_text(rt, this, whole, name, args, block),
    }))
}

/// Methods that change the string.
fn change(rt: &mut Interp<'_, '_>, this: &Bytes, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match (name, args) {
        ("<<" | "concat", _) => {
            let mut added = Vec::new();
            for arg in args {
                match arg {
                    Rv::Int(byte) => match u8::try_from(*byte) {
                        Ok(byte) => added.push(byte),
                        Err(_) => return rt.raise("RangeError", format!("{byte} out of char range")),
                    },
                    other => added.extend(bytes_of(rt, other)?),
                }
            }
            let size = this.borrow().len() + added.len();
            rt.check_size(size.min(added.len() + 64))?;
            this.borrow_mut().extend(added);
        }
        ("setbyte", [Rv::Int(at), Rv::Int(byte)]) => {
            let mut bytes = this.borrow_mut();
            let count = bytes.len();
            let slot = place(*at, count).and_then(|at| bytes.get_mut(at));
            if let Some(slot) = slot {
                *slot = (*byte & 255) as u8;
            } else {
                drop(bytes);
                return rt.raise("IndexError", format!("index {at} out of string"));
            }
            return Ok(Some(Rv::Int(*byte)));
        }
        ("replace", [other]) => {
            let bytes = bytes_of(rt, other)?;
            *this.borrow_mut() = bytes;
        }
        ("clear", []) => this.borrow_mut().clear(),
        ("prepend", [other]) => {
            let mut bytes = bytes_of(rt, other)?;
            bytes.extend(this.borrow().iter());
            rt.check_size(bytes.len())?;
            *this.borrow_mut() = bytes;
        }
        _ => return Ok(None),
    }
    Ok(Some(Rv::Bytes(this.clone())))
}

/// What is text is asked as text; changes reach the bytes.
fn as_text(
    rt: &mut Interp<'_, '_>,
    this: &Bytes,
    whole: Vec<u8>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let Ok(text) = String::from_utf8(whole) else { return Ok(None) };
    let before = text.len();
    let copy = Rc::new(RefCell::new(text));
    let result = super::string::call(rt, &copy, name, args, block)?;
    if before != copy.borrow().len() || copy.borrow().as_bytes() != this.borrow().as_slice() {
        *this.borrow_mut() = copy.borrow().as_bytes().to_vec();
    }
    Ok(result)
}

/// Whether an encoding is that of bytes.
pub(crate) fn is_binary(encoding: &str) -> bool {
    matches!(encoding.to_ascii_uppercase().as_str(), "ASCII-8BIT" | "BINARY")
}

fn place(at: i128, count: usize) -> Option<usize> {
    let at = if at < 0 { at + i128::try_from(count).ok()? } else { at };
    usize::try_from(at).ok().filter(|at| *at <= count)
}

fn part(bytes: &[u8], from: i128, length: i128) -> Rv {
    let (Some(from), Ok(length)) = (place(from, bytes.len()), usize::try_from(length)) else { return Rv::Nil };
    let end = from.saturating_add(length).min(bytes.len());
    Rv::bytes(bytes.get(from..end).unwrap_or_default().to_vec())
}
