//! Helpers for strings.

use base64::Engine;

use crate::Interp;
use crate::Raise;
use crate::value::Rv;

/// An address in network byte order.
pub(crate) fn from_network(address: u128, bits: u32) -> Rv {
    let bytes = address.to_be_bytes();
    let from = bytes.len() - (bits / 8) as usize;
    Rv::bytes(bytes.get(from..).unwrap_or_default().to_vec())
}

/// The bytes of a string.
pub fn string_bytes(rt: &mut Interp<'_>, value: &Rv) -> Raise<Vec<u8>> {
    match value {
        Rv::Str(string) => Ok(string.borrow().as_bytes().to_vec()),
        Rv::Bytes(bytes) => Ok(bytes.borrow().clone()),
        other => rt.type_error(other, "String"),
    }
}

/// Base64, in lines of 60 characters as `Base64.encode64` writes, or in one.
pub(crate) fn base64_text(bytes: &[u8], lines: bool) -> String {
    let string = base64::engine::general_purpose::STANDARD.encode(bytes);
    if !lines {
        return string;
    }
    let mut out = String::with_capacity(string.len() + string.len() / 60 + 1);
    let mut rest = string.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at_checked(60).unwrap_or((rest, ""));
        out.push_str(line);
        out.push('\n');
        rest = more;
    }
    out
}

/// `String#succ`
pub(crate) fn succ(string: &str) -> String {
    let mut chars: Vec<char> = string.chars().collect();
    if chars.is_empty() {
        return String::new();
    }
    let any = chars.iter().any(char::is_ascii_alphanumeric);
    if !any {
        if let Some(last) = chars.last_mut() {
            *last = char::from_u32(u32::from(*last) + 1).unwrap_or(*last);
        }
        return chars.into_iter().collect();
    }
    let mut at = chars.len();
    let mut last_alnum = None;
    while at > 0 {
        at -= 1;
        let Some(c) = chars.get(at).copied() else { break };
        if !c.is_ascii_alphanumeric() {
            // Other characters are skipped only to the right of the first change.
            if last_alnum.is_some() {
                let left = chars.get(..at).is_some_and(|left| left.iter().any(char::is_ascii_alphanumeric));
                if !left {
                    break;
                }
            }
            continue;
        }
        last_alnum = Some(at);
        let (next, carry) = match c {
            'z' => ('a', true),
            'Z' => ('A', true),
            '9' => ('0', true),
            c => (char::from_u32(u32::from(c) + 1).unwrap_or(c), false),
        };
        if let Some(slot) = chars.get_mut(at) {
            *slot = next;
        }
        if !carry {
            return chars.into_iter().collect();
        }
    }
    if let Some(at) = last_alnum {
        let first = match chars.get(at) {
            Some('a') => 'a',
            Some('A') => 'A',
            _ => '1',
        };
        chars.insert(at, first);
    }
    chars.into_iter().collect()
}
