//! Methods of `String`.

use super::Blk;
use super::Interp;
use super::Raise;
use super::string_change::changing;
use super::string_search::matching;
use super::text;
use super::value::Rv;
use super::value::Str;

pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Str, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(plain) = name.strip_suffix('!')
        && matches!(
            plain,
            "strip"
                | "lstrip"
                | "rstrip"
                | "chomp"
                | "chop"
                | "downcase"
                | "upcase"
                | "capitalize"
                | "swapcase"
                | "gsub"
                | "sub"
                | "tr"
                | "tr_s"
                | "delete"
                | "squeeze"
                | "reverse"
                | "succ"
                | "next"
                | "unicode_normalize"
                | "encode"
                | "delete_prefix"
                | "delete_suffix"
        )
    {
        let Some(Rv::Str(new)) = call(rt, this, plain, args, block)? else { return Ok(None) };
        let new = new.borrow().clone();
        let same = *this.borrow() == new;
        *this.borrow_mut() = new;
        return Ok(Some(if same { Rv::Nil } else { Rv::Str(this.clone()) }));
    }
    if let Some(value) = changing(rt, this, name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = plain(rt, this, name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = matching(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    pieces(rt, this, name, args, block)
}

/// Methods that give something new and need no pattern.
fn plain(rt: &mut Interp<'_, '_>, this: &Str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let s = this.borrow().clone();
    Ok(Some(match (name, args) {
        ("to_s" | "to_str", []) => Rv::Str(this.clone()),
        ("length" | "size", []) => Rv::int(s.chars().count()),
        ("bytesize", []) => Rv::int(s.len()),
        ("byteslice", [Rv::Int(from), Rv::Int(length)]) if *from >= 0 && *length >= 0 => {
            let from = usize::try_from(*from).unwrap_or(usize::MAX);
            let to = from.saturating_add(usize::try_from(*length).unwrap_or(usize::MAX)).min(s.len());
            match s.as_bytes().get(from..to) {
                Some(part) => super::text::from_bytes(part.to_vec()),
                None => Rv::Nil,
            }
        }
        ("empty?", []) => Rv::Bool(s.is_empty()),
        ("+", [Rv::Str(other)]) => {
            let text = format!("{s}{}", other.borrow());
            rt.check_size(text.len())?;
            Rv::str(text)
        }
        ("+", [Rv::Bytes(other)]) => {
            let mut bytes = s.into_bytes();
            bytes.extend(other.borrow().iter());
            rt.check_size(bytes.len())?;
            super::text::from_bytes(bytes)
        }
        ("+", [Rv::Object(_)]) => {
            let other = super::mixed::behind(args.first().unwrap_or(&Rv::Nil));
            match &other {
                Rv::Str(text) => Rv::str(format!("{s}{}", text.borrow())),
                _ => return rt.type_error(args.first().unwrap_or(&Rv::Nil), "String"),
            }
        }
        ("+", [other]) => return rt.type_error(&other.clone(), "String"),
        ("*", [times]) => {
            let Ok(n) = usize::try_from(rt.expect_int(times)?) else {
                return rt.raise("ArgumentError", "negative argument");
            };
            rt.check_size(s.len().saturating_mul(n))?;
            Rv::str(s.repeat(n))
        }
        ("%", [value]) => {
            let mut given = vec![Rv::str(s)];
            match value {
                Rv::Array(items) => given.extend(items.borrow().iter().cloned()),
                other => given.push(other.clone()),
            }
            Rv::str(rt.sprintf(&given)?)
        }
        ("upcase", _) => Rv::str(s.to_uppercase()),
        ("downcase", _) => Rv::str(s.to_lowercase()),
        ("capitalize", []) => {
            let mut chars = s.chars();
            let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
            Rv::str(format!("{first}{}", chars.as_str().to_lowercase()))
        }
        ("swapcase", []) => Rv::str(
            s.chars()
                .map(|c| if c.is_uppercase() { c.to_lowercase().to_string() } else { c.to_uppercase().to_string() })
                .collect::<String>(),
        ),
        ("strip", []) => Rv::str(s.trim_start_matches(blank).trim_end_matches(blank_or_nul)),
        ("lstrip", []) => Rv::str(s.trim_start_matches(blank)),
        ("rstrip", []) => Rv::str(s.trim_end_matches(blank_or_nul)),
        ("chomp", []) => Rv::str(chomp(&s)),
        ("chomp" | "delete_suffix", [Rv::Str(end)]) => Rv::str(s.strip_suffix(end.borrow().as_str()).unwrap_or(&s)),
        ("delete_prefix", [Rv::Str(start)]) => Rv::str(s.strip_prefix(start.borrow().as_str()).unwrap_or(&s)),
        ("chop", []) => {
            let mut chars = s.chars();
            chars.next_back();
            Rv::str(chars.as_str().strip_suffix('\r').filter(|_| s.ends_with("\r\n")).unwrap_or(chars.as_str()))
        }
        ("chr", []) => Rv::str(s.chars().next().map(String::from).unwrap_or_default()),
        ("reverse", []) => Rv::str(s.chars().rev().collect::<String>()),
        ("to_sym" | "intern", []) => Rv::sym(&s),
        ("to_i", _) => {
            let radix = match args.first() {
                Some(value) => u32::try_from(rt.expect_int(value)?).unwrap_or(10),
                None => 10,
            };
            match leading_integer(&s, radix) {
                Some(n) => Rv::Int(n),
                None if radix == 16 => super::instance::large_hex(&s),
                None => return rt.unsupported("integers beyond 128 bits"),
            }
        }
        ("to_f", []) => Rv::Float(leading_float(&s)),
        ("hex", []) => leading_integer(&s, 16).map_or_else(|| super::instance::large_hex(&s), Rv::Int),
        ("oct", []) => Rv::Int(leading_integer(&s, 8).unwrap_or(0)),
        ("ord", []) => match s.chars().next() {
            Some(c) => Rv::Int(i128::from(u32::from(c))),
            None => return rt.raise("ArgumentError", "empty string"),
        },
        ("sum", []) => Rv::Int(s.bytes().map(i128::from).sum::<i128>() & 0xffff),
        ("succ" | "next", []) => Rv::str(text::succ(&s)),
        ("inspect" | "dump", []) => {
            let mut out = String::new();
            catwalk_value::value::ruby::push_inspected(&s, &mut out);
            Rv::str(out)
        }
        ("center" | "ljust" | "rjust", [width, ..]) => {
            let width = usize::try_from(rt.expect_int(width)?).unwrap_or(0);
            rt.check_size(width)?;
            let fill = match args.get(1) {
                Some(fill) => rt.expect_str(fill)?,
                None => " ".to_owned(),
            };
            if fill.is_empty() {
                return rt.raise("ArgumentError", "zero width padding");
            }
            let missing = width.saturating_sub(s.chars().count());
            let left = match name {
                "ljust" => 0,
                "rjust" => missing,
                _ => missing / 2,
            };
            let pad = |n: usize| fill.chars().cycle().take(n).collect::<String>();
            Rv::str(format!("{}{s}{}", pad(left), pad(missing - left)))
        }
        ("tr" | "tr_s", [from, to]) => {
            let (from, to) = (rt.expect_str(from)?, rt.expect_str(to)?);
            match text::tr(&s, &from, &to, name == "tr_s") {
                Ok(text) => Rv::str(text),
                Err(message) => return rt.raise("ArgumentError", message),
            }
        }
        ("delete" | "count", []) => return rt.wrong_count(0, "1+"),
        ("delete" | "count" | "squeeze", _) => {
            let mut sets = Vec::with_capacity(args.len());
            for arg in args {
                match text::char_set(&rt.expect_str(arg)?) {
                    Ok(set) => sets.push(set),
                    Err(message) => return rt.raise("ArgumentError", message),
                }
            }
            match name {
                "delete" => Rv::str(s.chars().filter(|c| !text::in_sets(*c, &sets)).collect::<String>()),
                "count" => Rv::int(s.chars().filter(|c| text::in_sets(*c, &sets)).count()),
                _ => {
                    let mut out = String::new();
                    for c in s.chars() {
                        if !(out.ends_with(c) && text::in_sets(c, &sets)) {
                            out.push(c);
                        }
                    }
                    Rv::str(out)
                }
            }
        }
        ("include?", [Rv::Str(other)]) => Rv::Bool(s.contains(other.borrow().as_str())),
        ("include?", [other]) => return rt.type_error(&other.clone(), "String"),
        ("casecmp", [Rv::Str(other)]) => {
            Rv::Int(s.to_ascii_lowercase().cmp(&other.borrow().to_ascii_lowercase()) as i128)
        }
        ("casecmp?", [Rv::Str(other)]) => Rv::Bool(s.to_lowercase() == other.borrow().to_lowercase()),
        ("casecmp" | "casecmp?", [_]) => Rv::Nil,
        ("encoding", []) => Rv::str("UTF-8"),
        ("force_encoding" | "encode" | "b", _)
            if (name == "b" || args.first().and_then(Rv::text).is_some_and(|to| super::bytes::is_binary(&to)))
                && (s.is_empty() || !s.is_ascii()) =>
        {
            Rv::bytes(s.into_bytes())
        }
        ("to_r", []) => {
            let class = rt.constant_path(None, "Rational")?;
            let found = rt.call_method(&class, "of_text", &[Rv::str(s)], None)?;
            rt.call_method(&found, "first", &[], None)?
        }
        ("+@" | "-@" | "dedup", []) => {
            let whole = Rv::Str(this.clone());
            let is_frozen = rt.shared().marks.is_frozen(&whole);
            match (name, is_frozen) {
                ("+@", false) | ("-@" | "dedup", true) => whole,
                ("+@", true) => Rv::str(s),
                _ => {
                    let copy = Rv::str(s);
                    rt.state().marks.freeze(&copy);
                    copy
                }
            }
        }
        ("force_encoding" | "itself", _) => Rv::Str(this.clone()),
        ("encode" | "unicode_normalize" | "scrub" | "b", _) => Rv::str(s),
        ("valid_encoding?", []) => Rv::Bool(true),
        ("ascii_only?", []) => Rv::Bool(s.is_ascii()),
        ("unpack" | "unpack1", [format]) => {
            let format = rt.expect_str(format)?;
            let found = super::pack::unpack(rt, s.as_bytes(), &format)?;
            if name == "unpack" { Rv::array(found) } else { found.into_iter().next().unwrap_or(Rv::Nil) }
        }
        ("getbyte", [Rv::Int(at)]) => usize::try_from(*at)
            .ok()
            .and_then(|at| s.as_bytes().get(at))
            .map_or(Rv::Nil, |byte| Rv::Int(i128::from(*byte))),
        ("shellescape", []) => Rv::str(catwalk_value::value::ruby::shellescape(&s)),
        ("shellsplit", []) => return super::encode::encoders(rt, "Shellwords", name, &[Rv::Str(this.clone())]),
        ("crypt", [salt]) => {
            let salt = rt.expect_str(salt)?;
            match catwalk_value::value::ruby::crypt::crypt(&s, &salt) {
                Some(hash) => Rv::bytes(hash.into_bytes()),
                None => return rt.unsupported("String#crypt of this kind"),
            }
        }
        _ => return Ok(None),
    }))
}

fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\0')
}

fn blank_or_nul(c: char) -> bool {
    blank(c)
}

fn chomp(s: &str) -> &str {
    s.strip_suffix("\r\n").or_else(|| s.strip_suffix(['\n', '\r'])).unwrap_or(s)
}

/// The number a text starts with; 0 when it starts with none, nothing when it is too large.
fn leading_integer(s: &str, radix: u32) -> Option<i128> {
    let s = s.trim_start();
    let (negative, rest) = match s.as_bytes().first() {
        Some(b'-') => (true, s.get(1..)?),
        Some(b'+') => (false, s.get(1..)?),
        _ => (false, s),
    };
    let prefix = match radix {
        16 => "0x",
        2 => "0b",
        8 => "0o",
        _ => "",
    };
    let lower = rest.get(..2).unwrap_or("").to_ascii_lowercase();
    let rest = if !prefix.is_empty() && lower == prefix { rest.get(2..)? } else { rest };
    let mut n = 0i128;
    let mut under = true;
    for c in rest.chars() {
        if c == '_' && !under {
            under = true;
            continue;
        }
        let Some(digit) = c.to_digit(radix.clamp(2, 36)) else { break };
        under = false;
        n = n.checked_mul(i128::from(radix))?.checked_add(i128::from(digit))?;
    }
    Some(if negative { -n } else { n })
}

fn leading_float(s: &str) -> f64 {
    let s: String = s.trim_start().chars().filter(|c| *c != '_').collect();
    let mut end = 0;
    let bytes = s.as_bytes();
    let digits =
        |from: usize| bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    if matches!(bytes.first(), Some(b'-' | b'+')) {
        end = 1;
    }
    end += digits(end);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let n = digits(end + 1 + sign);
        if n > 0 {
            end += 1 + sign + n;
        }
    }
    s.get(..end).and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// The byte where a character starts.
pub(super) fn byte_at(s: &str, at: usize) -> usize {
    s.char_indices().nth(at).map_or(s.len(), |(byte, _)| byte)
}

/// Methods that take the string to pieces, with or without a block.
fn pieces(rt: &mut Interp<'_, '_>, this: &Str, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let s = this.borrow().clone();
    let list: Vec<Rv> = match name {
        "chars" | "each_char" => s.chars().map(Rv::str).collect(),
        "bytes" | "each_byte" => s.bytes().map(|byte| Rv::Int(i128::from(byte))).collect(),
        "codepoints" | "each_codepoint" => s.chars().map(|c| Rv::Int(i128::from(u32::from(c)))).collect(),
        "lines" | "each_line" => {
            let chomped =
                matches!(args.last(), Some(Rv::Hash(hash)) if hash.get(&Rv::sym("chomp")).is_some_and(|v| v.truthy()));
            let separator = match args.first() {
                Some(Rv::Str(separator)) => separator.borrow().clone(),
                _ => "\n".to_owned(),
            };
            let pieces = s.split_inclusive(separator.as_str());
            pieces.map(|line| Rv::str(if chomped { chomp(line) } else { line })).collect()
        }
        "upto" => {
            let range = super::value::Range {
                from: Rv::Str(this.clone()),
                to: args.first().cloned().unwrap_or(Rv::Nil),
                exclusive: false,
            };
            crate::core::range::items(rt, &range)?
        }
        _ => return Ok(None),
    };
    match (name.starts_with("each") || name == "upto", block) {
        (true, None) => Ok(Some(crate::core::enumerator::enumerator(&Rv::Str(this.clone()), name, args))),
        (_, None) => Ok(Some(Rv::array(list))),
        (_, Some(block)) => {
            for item in list {
                rt.yield_value(block, item)?;
            }
            Ok(Some(Rv::Str(this.clone())))
        }
    }
}
