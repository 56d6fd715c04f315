//! Arrays as strings.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk::item_at;
use crate::value::Array;
use crate::value::Rv;

/// The joined string; items that are not valid text make it a byte string.
#[derive(Default)]
struct JoinBuffer {
    bytes: Vec<u8>,
    /// Whether an item was a byte string that is not valid text.
    binary: bool,
    /// Whether an item has characters beyond ASCII.
    wide: bool,
    /// The addresses of the arrays that are being joined.
    entered: FxHashSet<usize>,
}

impl JoinBuffer {
    fn push_string(&mut self, string: &str) {
        self.wide = self.wide || !string.is_ascii();
        self.bytes.extend_from_slice(string.as_bytes());
    }
}

pub(super) fn join(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let separator = match args.first() {
        None | Some(Rv::Nil) => String::new(),
        Some(separator) => rt.expect_str(separator)?,
    };
    let mut out = JoinBuffer::default();
    append(rt, items, &separator, &mut out)?;
    rt.check_size(out.bytes.len())?;
    match String::from_utf8(out.bytes) {
        Ok(string) if !out.binary => Ok(Rv::str(string)),
        Ok(_) | Err(_) if out.wide => rt.raise_incompatible_encodings("UTF-8 and ASCII-8BIT"),
        Ok(string) => Ok(Rv::bytes(string.into_bytes())),
        Err(bytes) => Ok(Rv::bytes(bytes.into_bytes())),
    }
}

fn append(rt: &mut Interp<'_>, list: &Array, separator: &str, out: &mut JoinBuffer) -> Raise<()> {
    rt.check_stack()?;
    let address = Rc::as_ptr(list).addr();
    if !out.entered.insert(address) {
        return rt.raise("ArgumentError", "recursive array join");
    }
    let mut index = 0;
    while let Some(item) = item_at(list, index) {
        if index > 0 {
            out.push_string(separator);
        }
        index += 1;
        match &item {
            Rv::Str(string) => out.push_string(&string.borrow()),
            Rv::Sym(string) => out.push_string(string),
            Rv::Bytes(piece) if std::str::from_utf8(&piece.borrow()).is_err() => {
                out.binary = true;
                out.bytes.extend_from_slice(&piece.borrow());
            }
            Rv::Array(inner) => append(rt, inner, separator, out)?,
            other => out.push_string(&rt.to_s(other)?),
        }
        // Small strings are not counted one by one: the whole is counted at the end.
        if out.bytes.len() > crate::MAX_SIZE {
            rt.check_size(out.bytes.len())?;
        }
    }
    out.entered.remove(&address);
    Ok(())
}

pub(super) fn shelljoin(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.shell_join(this)
}

pub(super) fn pack(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [format, rest @ ..]) = (this, args) else { return Ok(Rv::Nil) };
    if !rest.is_empty() {
        return rt.unsupported("Array#pack into a buffer");
    }
    let format = rt.expect_str(format)?;
    let items = items.borrow().clone();
    crate::core::pack::pack(rt, &items, &format)
}
