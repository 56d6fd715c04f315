//! Methods of `String` for encodings, bytes and escaped output.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::bytes::is_binary;
use crate::value::Rv;
use crate::value::Str;
use catwalk_value::ruby;

pub(crate) fn encoding(_: &mut Interp<'_>, _: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str("UTF-8"))
}

/// The bytes, if a binary string is requested and differs from the text.
fn as_bytes(this: &Str, binary: bool) -> Option<Rv> {
    let s = this.borrow();
    (binary && (s.is_empty() || !this.is_ascii())).then(|| Rv::bytes(s.as_bytes().to_vec()))
}

fn requests_bytes(args: &[Rv]) -> bool {
    args.first().and_then(Rv::string_or_symbol).is_some_and(|to| is_binary(&to))
}

pub(crate) fn force_encoding(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(as_bytes(this, requests_bytes(args)).unwrap_or_else(|| Rv::Str(this.clone())))
}

pub(crate) fn encode(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(as_bytes(this, requests_bytes(args)).unwrap_or_else(|| Rv::str(this.borrow().as_str())))
}

/// `b`
pub(crate) fn binary(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(as_bytes(this, true).unwrap_or_else(|| Rv::str(this.borrow().as_str())))
}

/// Returns a copy: `scrub` of a valid string, `unicode_normalize` of a composed one.
pub(crate) fn copy(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().as_str()))
}

pub(crate) fn is_valid(_: &mut Interp<'_>, _: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::True)
}

pub(crate) fn is_ascii(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.is_ascii()))
}

pub(crate) fn unpack(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    unpacked(rt, this, args).map(Rv::array)
}

pub(crate) fn unpack1(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(unpacked(rt, this, args)?.into_iter().next().unwrap_or(Rv::Nil))
}

fn unpacked(rt: &mut Interp<'_>, this: &Str, args: &[Rv]) -> Raise<Vec<Rv>> {
    let [format] = args else { return rt.unsupported("String#unpack with an offset") };
    let format = rt.expect_str(format)?;
    let bytes = this.borrow().as_bytes().to_vec();
    crate::core::unpack::unpack(rt, &bytes, &format)
}

pub(crate) fn shellescape(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(ruby::shellescape(&this.borrow())))
}

pub(crate) fn shellsplit(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.shell_split(&Rv::Str(this.clone()))
}

pub(crate) fn crypt(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let salt = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let hash = ruby::crypt::crypt(&this.borrow(), &salt);
    match hash {
        Some(hash) => Ok(Rv::bytes(hash.into_bytes())),
        None => rt.unsupported("String#crypt of this kind"),
    }
}

pub(crate) fn inspect(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut out = String::with_capacity(this.borrow().len() + 2);
    ruby::push_inspect_string(&this.borrow(), &mut out);
    Ok(Rv::str(out))
}

/// As `inspect`, with non-ASCII characters escaped.
pub(crate) fn dump(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut inspected = String::with_capacity(this.borrow().len() + 2);
    ruby::push_inspect_string(&this.borrow(), &mut inspected);
    let mut out = String::with_capacity(inspected.len());
    for c in inspected.chars() {
        match u32::from(c) {
            0..0x80 => out.push(c),
            code @ 0x80..=0xffff => out.push_str(&format!("\\u{code:04X}")),
            code => out.push_str(&format!("\\u{{{code:X}}}")),
        }
    }
    Ok(Rv::str(out))
}
