//! Formats scalars.
//!
//! In: a value and its format. Out: the string. Must not: choose formats.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE;
use num_bigint::BigInt;

use super::Format;
use crate::types;
use crate::value::Iter;
use crate::value::Uri;
use crate::value::Value;
use crate::value::big;
use crate::value::number::float_to_s;
use crate::value::printing::puppet_double_quote;
use crate::value::puppet_quote;
use crate::value::sprintf::inspect_bytes;
use crate::value::sprintf::sprintf;
use crate::value::to_program;
use crate::value::to_puppet_string;
use catwalk_regexp::Regexp;

pub(super) fn undef(format: &Format) -> Result<String, String> {
    let text = match format.letter {
        'n' => {
            if format.alt {
                "null"
            } else {
                "nil"
            }
        }
        'u' => {
            if format.alt {
                "undefined"
            } else {
                "undef"
            }
        }
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => "NaN",
        'v' => "n/a",
        'V' => "N/A",
        's' => {
            if format.alt {
                "\"\""
            } else {
                ""
            }
        }
        'p' => {
            if format.alt {
                "\"undef\""
            } else {
                "undef"
            }
        }
        _ => return format.refuse("Undef", "nudxXobBeEfgGaAvVsp"),
    };
    Ok(format.apply(text))
}

pub(super) fn boolean(b: bool, format: &Format) -> Result<String, String> {
    let word = |yes: &str, no: &str| {
        let word = if b { yes } else { no };
        format.apply(if format.alt { word.get(..1).unwrap_or(word) } else { word })
    };
    Ok(match format.letter {
        't' => word("true", "false"),
        'T' => word("True", "False"),
        'y' => word("yes", "no"),
        'Y' => word("Yes", "No"),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => integer(i64::from(b), format)?,
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => float(if b { 1.0 } else { 0.0 }, format)?,
        's' | 'p' => format.apply(if b { "true" } else { "false" }),
        _ => return format.refuse("Boolean", "tTyYdxXobBeEfgGaAsp"),
    })
}

pub(super) fn integer(n: i64, format: &Format) -> Result<String, String> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => sprintf(&format.text, &[Value::Int(n)]),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => sprintf(&format.text, &[Value::Float(n as f64)]),
        'c' => {
            let c = u32::try_from(n)
                .ok()
                .and_then(char::from_u32)
                .ok_or_else(|| "pack(U): value out of range".to_owned())?;
            let text = if format.alt { format!("\"{c}\"") } else { c.to_string() };
            sprintf(&format.with_letter('s'), &[Value::from(text)])
        }
        's' => {
            let letter = if format.alt { 'p' } else { 's' };
            sprintf(&format.with_letter(letter), &[Value::from(n.to_string())])
        }
        _ => format.refuse("Integer", "dxXobBeEfgGaAspc"),
    }
}

pub(super) fn big_integer(n: &Arc<BigInt>, format: &Format) -> Result<String, String> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => sprintf(&format.text, &[Value::BigInt(n.clone())]),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => sprintf(&format.text, &[Value::Float(big::to_float(n))]),
        'c' => Err("bignum too big to convert into `long'".to_owned()),
        's' => {
            let letter = if format.alt { 'p' } else { 's' };
            sprintf(&format.with_letter(letter), &[Value::from(n.to_string())])
        }
        _ => format.refuse("Integer", "dxXobBeEfgGaAspc"),
    }
}

pub(super) fn float(f: f64, format: &Format) -> Result<String, String> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => sprintf(&format.text, &[Value::Float(f.trunc())]),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => sprintf(&format.text, &[Value::Float(f)]),
        's' => {
            let text = float_to_s(f);
            sprintf(&format.text, &[Value::from(if format.alt { format!("\"{text}\"") } else { text })])
        }
        _ => format.refuse("Float", "dxXobBeEfgGaAsp"),
    }
}

pub(super) fn string(text: &str, format: &Format) -> Result<String, String> {
    let changed = match format.letter {
        's' => return sprintf(&format.text, &[Value::str(text)]),
        'p' => {
            return Ok(format.apply(&if format.alt { puppet_double_quote(text) } else { puppet_quote(text) }));
        }
        'c' => types::capitalize(text),
        'C' => {
            let mut segments: Vec<String> = text.split("::").map(types::capitalize).collect();
            // Ruby's `split` omits empty strings at the end.
            while segments.last().is_some_and(String::is_empty) {
                segments.pop();
            }
            segments.join("::")
        }
        'u' => text.to_uppercase(),
        'd' => text.to_lowercase(),
        't' => text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0' || c == '\x0b').to_owned(),
        _ => return format.refuse("String", "cCudspt"),
    };
    if format.alt {
        return Ok(format.apply(&puppet_quote(&changed)));
    }
    sprintf(&format.with_letter('s'), &[Value::from(changed)])
}

/// (StringConverter#string_PRuntimeType)
pub(super) fn runtime(value: &Value, format: &Format) -> Result<String, String> {
    match format.letter {
        's' => Ok(to_puppet_string(value).to_string()),
        'p' => Ok(puppet_quote(&to_puppet_string(value))),
        'q' => Ok(crate::value::ruby::inspect(value)),
        _ => format.refuse("Runtime", "spq"),
    }
}

/// A tree iterator is a Ruby object, printed without its address.
pub(super) fn tree_iterator(iter: &Iter, format: &Format) -> Result<String, String> {
    let inspected = format!("#<{}>", iter.class_name());
    match format.letter {
        's' | 'q' => Ok(inspected),
        'p' => Ok(puppet_quote(&inspected)),
        _ => format.refuse("Runtime", "spq"),
    }
}

pub(super) fn regexp(regexp: &Regexp, format: &Format) -> Result<String, String> {
    match format.letter {
        'p' => sprintf(&format.with_letter('s'), &[Value::from(regexp.to_puppet_source())]),
        's' => {
            let source = regexp.source_with_options();
            let text = if format.alt { puppet_quote(&source) } else { source.into_owned() };
            sprintf(&format.text, &[Value::from(text)])
        }
        _ => format.refuse("Regexp", "sp"),
    }
}

pub(super) fn uri(uri: &Arc<Uri>, format: &Format) -> Result<String, String> {
    let text = uri.to_string();
    match format.letter {
        'p' => Ok(to_program(&Value::Uri(uri.clone()))),
        's' => sprintf(&format.text, &[Value::from(if format.alt { puppet_quote(&text) } else { text })]),
        _ => format.refuse("URI", "sp"),
    }
}

pub(super) fn binary(bytes: &[u8], format: &Format) -> Result<String, String> {
    let letter = if format.alt { 'p' } else { 's' };
    let text = match format.letter {
        's' if format.alt => {
            return sprintf(&format.with_letter('s'), &[Value::from(inspect_bytes(bytes))]);
        }
        's' => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let at = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
                return Err(format!("\"\\x{at:02X}\" from ASCII-8BIT to UTF-8"));
            }
        },
        'p' => {
            let inner = sprintf(&format.with_letter('s'), &[Value::from(STANDARD.encode(bytes))])?;
            return Ok(format!("Binary(\"{inner}\")"));
        }
        'b' => relaxed_base64(bytes),
        'B' => STANDARD.encode(bytes),
        'u' => URL_SAFE.encode(bytes),
        't' => "Binary".to_owned(),
        'T' => "BINARY".to_owned(),
        _ => return format.refuse("Binary", "bButTsp"),
    };
    sprintf(&format.with_letter(letter), &[Value::from(text)])
}

/// Base64 in lines of 60 characters, each with a line end: Ruby's `encode64`.
#[must_use]
pub(crate) fn relaxed_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(45) {
        out.push_str(&STANDARD.encode(chunk));
        out.push('\n');
    }
    out
}
