//! `String`: byte strings that are not text, such as digests and packed data.
//!
//! In: a string with bytes that are not UTF-8, or that was converted to bytes (`''.b`). Out: results of its methods, byte by
//! byte where the bytes matter; other methods call those of text strings if the bytes are valid ([`as_text`]).

use std::cell::RefCell;
use std::rc::Rc;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers::string_bytes;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;
use crate::value::string_object::StringObject;

type Bytes = Rc<RefCell<Vec<u8>>>;

/// A function on bytes as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Bytes(this) => $function(rt, this, args, block),
            other => rt.type_error(other, "String"),
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "String",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("*", 1, on!(times)),
        Method::new("+", 1, on!(plus)),
        Method::new("+@", 0, on!(copy)),
        Method::new("<<", 1, on!(append)).changes_receiver(),
        Method::between("[]", 1, 2, on!(slice)),
        Method::new("ascii_only?", 0, on!(is_ascii)),
        Method::new("b", 0, on!(itself)),
        Method::new("bytes", 0, on!(bytes)),
        Method::new("bytesize", 0, on!(length)),
        Method::between("byteslice", 1, 2, on!(slice)),
        Method::new("chars", 0, on!(chars)),
        Method::new("clear", 0, on!(clear)).changes_receiver(),
        Method::at_least("concat", 0, on!(append)).changes_receiver(),
        Method::new("each_byte", 0, on!(each_byte)).returns_enumerator(),
        Method::new("empty?", 0, on!(is_empty)),
        Method::between("encode", 0, 3, on!(encode)),
        Method::new("encoding", 0, on!(encoding)),
        Method::at_least("end_with?", 0, on!(ends_with)),
        Method::new("force_encoding", 1, on!(encode)).changes_receiver(),
        Method::new("getbyte", 1, on!(getbyte)),
        Method::new("hash", 0, common_methods::hash),
        Method::new("include?", 1, on!(includes)),
        Method::new("length", 0, on!(length)),
        Method::between("ljust", 1, 2, on!(ljust)),
        Method::new("ord", 0, on!(ord)),
        Method::at_least("prepend", 0, on!(prepend)).changes_receiver(),
        Method::new("replace", 1, on!(replace)).changes_receiver(),
        Method::new("reverse", 0, on!(reverse)),
        Method::between("scrub", 0, 1, on!(encode)),
        Method::new("setbyte", 2, on!(setbyte)).changes_receiver(),
        Method::new("size", 0, on!(length)),
        Method::between("slice", 1, 2, on!(slice)),
        Method::at_least("start_with?", 0, on!(starts_with)),
        Method::new("to_s", 0, on!(itself)),
        Method::new("to_str", 0, on!(to_str)),
        Method::between("unpack", 1, 2, on!(unpack)),
        Method::between("unpack1", 1, 2, on!(unpack1)),
        Method::new("valid_encoding?", 0, on!(is_valid)),
    ],
    singleton: &[],
};

/// Calls a method of text for a byte string that is valid text; changes are written back.
pub(crate) fn call_text_method(
    rt: &mut Interp<'_>,
    this: &Bytes,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let Ok(text) = String::from_utf8(this.borrow().clone()) else { return Ok(None) };
    let copy = Rc::new(StringObject::new(text));
    let name = catwalk_base::names::Name::new(name);
    let Some(method) = rt.builtin_method(&super::string::CLASS, name) else {
        return Ok(None);
    };
    if method.changes_receiver && rt.is_frozen(&Rv::Bytes(this.clone())) {
        return rt.frozen_error(&Rv::Bytes(this.clone()));
    }
    let result = rt.call_builtin(method, &Rv::Str(copy.clone()), args, block)?;
    if method.changes_receiver && copy.borrow().as_bytes() != this.borrow().as_slice() {
        *this.borrow_mut() = copy.borrow().as_bytes().to_vec();
    }
    // A method that returns the receiver returns the byte string.
    Ok(Some(match result {
        Rv::Str(string) if method.changes_receiver && Rc::ptr_eq(&string, &copy) => Rv::Bytes(this.clone()),
        other => other,
    }))
}

/// Whether an encoding is binary.
pub(crate) fn is_binary(encoding: &str) -> bool {
    matches!(encoding.to_ascii_uppercase().as_str(), "ASCII-8BIT" | "BINARY")
}

/// The position of an index, which counts from the end if it is negative.
fn resolve_index(at: i64, count: usize) -> Option<usize> {
    let at = if at < 0 { at + i64::try_from(count).ok()? } else { at };
    usize::try_from(at).ok().filter(|at| *at <= count)
}

fn byte_value(byte: u8) -> Rv {
    Rv::Int(i64::from(byte))
}

fn first_argument(args: &[Rv]) -> &Rv {
    args.first().unwrap_or(&Rv::Nil)
}

fn itself(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Bytes(this.clone()))
}

fn copy(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bytes(this.borrow().clone()))
}

fn to_str(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::from_bytes(this.borrow().clone()))
}

fn bytes(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(this.borrow().iter().copied().map(byte_value).collect()))
}

fn chars(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(this.borrow().iter().map(|byte| Rv::bytes(vec![*byte])).collect()))
}

fn each_byte(rt: &mut Interp<'_>, this: &Bytes, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let items = Rv::array(this.borrow().iter().copied().map(byte_value).collect());
    rt.call_method(&items, "each", &[], block)
}

fn length(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(this.borrow().len()))
}

fn is_empty(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.borrow().is_empty()))
}

fn is_ascii(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.borrow().is_ascii()))
}

fn is_valid(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(std::str::from_utf8(&this.borrow()).is_ok()))
}

fn encoding(_: &mut Interp<'_>, _: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str("ASCII-8BIT"))
}

/// `force_encoding(name)`, `encode(name)`, `scrub`: the result is text if the encoding is one of text and the bytes are valid.
fn encode(_: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let binary = args.first().and_then(Rv::string_or_symbol).is_none_or(|to| is_binary(&to));
    Ok(if binary { Rv::Bytes(this.clone()) } else { Rv::from_bytes(this.borrow().clone()) })
}

fn unpack(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    unpack_items(rt, this, args).map(Rv::array)
}

fn unpack1(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(unpack_items(rt, this, args)?.into_iter().next().unwrap_or(Rv::Nil))
}

fn unpack_items(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv]) -> Raise<Vec<Rv>> {
    let [format] = args else { return rt.unsupported("String#unpack with an offset") };
    let format = rt.expect_str(format)?;
    let whole = this.borrow().clone();
    crate::core::unpack::unpack(rt, &whole, &format)
}

fn plus(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = first_argument(args);
    let mut bytes = this.borrow().clone();
    // The encoding is that of the first string, unless only the second has characters beyond ASCII.
    let is_text = bytes.is_ascii() && matches!(other, Rv::Str(string) if !string.is_ascii());
    bytes.extend(string_bytes(rt, other)?);
    rt.check_size(bytes.len())?;
    Ok(if is_text { Rv::from_bytes(bytes) } else { Rv::bytes(bytes) })
}

fn times(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Ok(times) = usize::try_from(rt.expect_int(first_argument(args))?) else {
        return rt.raise("ArgumentError", "negative argument");
    };
    rt.check_size(this.borrow().len().saturating_mul(times))?;
    Ok(Rv::bytes(this.borrow().repeat(times)))
}

fn getbyte(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let at = rt.expect_int(first_argument(args))?;
    let whole = this.borrow();
    Ok(resolve_index(at, whole.len()).and_then(|at| whole.get(at)).map_or(Rv::Nil, |byte| byte_value(*byte)))
}

fn ord(rt: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match this.borrow().first() {
        Some(byte) => Ok(byte_value(*byte)),
        None => rt.raise("ArgumentError", "empty string"),
    }
}

/// `bytes[at]`, `bytes[from, length]`, `bytes[range]`; other arguments are handled as for text.
fn slice(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let count = this.borrow().len();
    let found = match args {
        [Rv::Int(at)] => resolve_index(*at, count).filter(|at| *at < count).map(|at| (at, 1)),
        [Rv::Int(from), length] => {
            let length = usize::try_from(rt.expect_int(length)?).ok();
            resolve_index(*from, count).zip(length)
        }
        [Rv::Range(range)] => crate::core::range::bounds(range, count),
        _ => {
            let found = call_text_method(rt, this, "[]", args, block)?;
            return found.map_or_else(|| rt.unsupported("an index in binary data"), Ok);
        }
    };
    let whole = this.borrow();
    Ok(found.map_or(Rv::Nil, |(from, length)| {
        let end = from.saturating_add(length).min(count);
        Rv::bytes(whole.get(from..end).unwrap_or_default().to_vec())
    }))
}

fn reverse(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bytes(this.borrow().iter().rev().copied().collect()))
}

fn starts_with(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for arg in args {
        let part = string_bytes(rt, arg)?;
        if this.borrow().starts_with(&part) {
            return Ok(Rv::True);
        }
    }
    Ok(Rv::False)
}

fn ends_with(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for arg in args {
        let part = string_bytes(rt, arg)?;
        if this.borrow().ends_with(&part) {
            return Ok(Rv::True);
        }
    }
    Ok(Rv::False)
}

fn includes(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let part = string_bytes(rt, first_argument(args))?;
    Ok(Rv::bool(memchr::memmem::find(&this.borrow(), &part).is_some()))
}

fn ljust(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let width = usize::try_from(rt.expect_int(first_argument(args))?).unwrap_or(0);
    let fill = match args.get(1) {
        Some(fill) => string_bytes(rt, fill)?,
        None => b" ".to_vec(),
    };
    if fill.is_empty() {
        return rt.raise("ArgumentError", "zero width padding");
    }
    rt.check_size(width)?;
    let mut out = this.borrow().clone();
    let missing = width.saturating_sub(out.len());
    out.extend(fill.into_iter().cycle().take(missing));
    Ok(Rv::bytes(out))
}

/// `<<`, `concat`; a number is a byte.
fn append(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut added = Vec::new();
    for arg in args {
        match arg {
            Rv::Int(byte) => match u8::try_from(*byte) {
                Ok(byte) => added.push(byte),
                Err(_) => return rt.raise("RangeError", format!("{byte} out of char range")),
            },
            other => added.extend(string_bytes(rt, other)?),
        }
    }
    rt.check_growth(this.borrow().len(), added.len())?;
    this.borrow_mut().extend(added);
    Ok(Rv::Bytes(this.clone()))
}

fn prepend(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut bytes = Vec::new();
    for arg in args {
        bytes.extend(string_bytes(rt, arg)?);
    }
    bytes.extend(this.borrow().iter());
    rt.check_size(bytes.len())?;
    *this.borrow_mut() = bytes;
    Ok(Rv::Bytes(this.clone()))
}

fn replace(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bytes = string_bytes(rt, first_argument(args))?;
    *this.borrow_mut() = bytes;
    Ok(Rv::Bytes(this.clone()))
}

fn clear(_: &mut Interp<'_>, this: &Bytes, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    this.borrow_mut().clear();
    Ok(Rv::Bytes(this.clone()))
}

fn setbyte(rt: &mut Interp<'_>, this: &Bytes, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [at, byte] = args else { return Ok(Rv::Nil) };
    let (at, byte) = (rt.expect_int(at)?, rt.expect_int(byte)?);
    let mut bytes = this.borrow_mut();
    let count = bytes.len();
    if let Some(slot) = resolve_index(at, count).and_then(|at| bytes.get_mut(at)) {
        *slot = (byte & 255) as u8;
        return Ok(Rv::Int(byte));
    }
    drop(bytes);
    rt.raise("IndexError", format!("index {at} out of string"))
}
