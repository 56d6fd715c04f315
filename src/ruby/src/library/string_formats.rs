//! Encodings of strings by Ruby's libraries: Base64, JSON and YAML, shell words, parts of URLs, and random strings.
//!
//! In: a call of a method of one of these libraries. Out: its value. Must not: know the purpose of a string.

use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::library::yaml;
use crate::value::Rv;
use catwalk_value::Value;
use catwalk_value::ruby;

impl Interp<'_> {
    /// A method of `Shellwords`.
    pub(crate) fn call_shellwords(&mut self, name: &str, arg: &Rv) -> Raise<Rv> {
        Ok(call_shellwords(self, name, arg)?.unwrap_or_default())
    }
}

/// Methods of `JSON`, `PSON`, `Psych`, `Base64`, `Shellwords`, `CGI`, `ERB::Util` and `SecureRandom`, and those of `URI` for forms;
/// `None` for other methods.
pub(crate) fn class_method(rt: &mut Interp<'_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    match (class, name) {
        ("JSON", _) => call_json(rt, name, &arg, args),
        ("PSON", _) => call_pson(rt, name, &arg),
        ("Psych", "dump") => rt.to_yaml(&arg, None).map(Some),
        ("Psych", _) => yaml::call(rt, name, args),
        ("Base64", _) => call_base64(rt, name, &arg),
        ("Shellwords", _) => call_shellwords(rt, name, &arg),
        ("CGI" | "ERB::Util" | "URI", _) => call_escape(rt, class, name, &arg),
        ("SecureRandom", "hex" | "uuid" | "random_number" | "alphanumeric" | "base64") => {
            random_string(rt, name, &arg).map(Some)
        }
        _ => Ok(None),
    }
}

fn call_json(rt: &mut Interp<'_>, name: &str, arg: &Rv, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "generate" | "dump" | "fast_generate" => Rv::str(rt.to_json(arg, None, 0)?),
        "pretty_generate" => Rv::str(rt.to_json(arg, Some(2), 0)?),
        "parse" | "load" => {
            let source = rt.expect_str(arg)?;
            // `load` has a proc before the options.
            let options = args.get(if name == "load" { 2 } else { 1 }).unwrap_or(&Rv::Nil);
            parse_json(rt, &source, options, name == "load")?
        }
        "load_file" | "load_file!" => {
            let path = crate::library::paths::path_argument(rt, args.first())?;
            let source = Rv::from_bytes(rt.read_file(&path)?);
            let source = rt.expect_str(&source)?;
            parse_json(rt, &source, args.get(1).unwrap_or(&Rv::Nil), false)?
        }
        _ => return Ok(None),
    }))
}

/// `JSON.parse(source, options)`, or with `creates_objects` `JSON.load`, which also restores Ruby objects unless an option
/// prevents it.
fn parse_json(rt: &mut Interp<'_>, source: &str, options: &Rv, creates_objects: bool) -> Raise<Rv> {
    let value = match catwalk_value::data::json::parse(source.as_bytes()) {
        Ok(value) => rt.to_ruby(&value),
        Err(error) => return rt.raise("JSON::ParserError", error.message),
    };
    if !yaml::option(options, "symbolize_names").truthy() {
        return Ok(value);
    }
    if creates_objects && !matches!(yaml::option(options, "create_additions"), Rv::False) {
        const BOTH: &str = "options :symbolize_names and :create_additions cannot be  used in conjunction";
        return rt.raise("ArgumentError", BOTH);
    }
    Ok(yaml::symbolize_keys(&value, yaml::DEPTH))
}

fn call_pson(rt: &mut Interp<'_>, name: &str, arg: &Rv) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "generate" | "dump" | "fast_generate" => Rv::str(rt.to_json(arg, None, 0)?),
        "pretty_generate" => Rv::str(rt.to_json(arg, Some(2), 0)?),
        "parse" | "load" => {
            let source = rt.expect_str(arg)?;
            match catwalk_value::data::json::parse(source.as_bytes()) {
                Ok(value @ (Value::Array(_) | Value::Hash(_))) => rt.to_ruby(&value),
                _ => return rt.raise("PSON::ParserError", format!("source '{source}' not in PSON!")),
            }
        }
        _ => return Ok(None),
    }))
}

fn call_base64(rt: &mut Interp<'_>, name: &str, arg: &Rv) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "encode64" | "strict_encode64" | "urlsafe_encode64" => {
            let bytes = string_helpers::string_bytes(rt, arg)?;
            let encoded = string_helpers::base64_text(&bytes, name == "encode64");
            Rv::str(if name == "urlsafe_encode64" { encoded.replace('+', "-").replace('/', "_") } else { encoded })
        }
        "decode64" | "strict_decode64" | "urlsafe_decode64" => {
            let mut source = rt.expect_str(arg)?;
            if name == "strict_decode64" && !crate::core::pack::is_strict_base64(&source) {
                return rt.raise("ArgumentError", "invalid base64");
            }
            if name == "urlsafe_decode64" {
                source = source.replace('-', "+").replace('_', "/");
            }
            crate::core::unpack::unpack(rt, source.as_bytes(), "m")?.into_iter().next().unwrap_or(Rv::Nil)
        }
        _ => return Ok(None),
    }))
}

fn call_shellwords(rt: &mut Interp<'_>, name: &str, arg: &Rv) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "escape" | "shellescape" => Rv::str(ruby::shellescape(&rt.to_s(arg)?)),
        "join" | "shelljoin" => {
            let mut words = Vec::new();
            for word in rt.to_list(arg)? {
                words.push(ruby::shellescape(&rt.to_s(&word)?));
            }
            Rv::str(words.join(" "))
        }
        "split" | "shellsplit" | "shellwords" => {
            let line = rt.expect_str(arg)?;
            match ruby::shellsplit(&line) {
                Some(words) => Rv::array(words.into_iter().map(Rv::str).collect()),
                None => {
                    let inspected = rt.inspect(arg)?;
                    return rt.raise("ArgumentError", format!("Unmatched quote: {inspected}"));
                }
            }
        }
        _ => return Ok(None),
    }))
}

/// Escapes for HTML, URLs and forms.
fn call_escape(rt: &mut Interp<'_>, class: &str, name: &str, arg: &Rv) -> Raise<Option<Rv>> {
    Ok(Some(match (class, name) {
        ("CGI", "escapeHTML" | "escape_html" | "h") | ("ERB::Util", "html_escape" | "h") => {
            let source = rt.to_s(arg)?;
            Rv::str(
                source
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;")
                    .replace('"', "&quot;")
                    .replace('\'', "&#39;"),
            )
        }
        ("CGI", "escape") => Rv::str(escape_url(&rt.expect_str(arg)?, true)),
        ("ERB::Util", "url_encode" | "u") | ("URI", "encode_uri_component") => {
            Rv::str(escape_url(&rt.to_s(arg)?, false))
        }
        ("URI", "encode_www_form_component") => Rv::str(escape_url(&rt.to_s(arg)?, true)),
        ("URI", "encode_www_form") => encode_form(rt, arg)?,
        ("URI", "decode_www_form_component") => {
            let source = rt.expect_str(arg)?;
            decode_form_component(rt, &source)?
        }
        ("URI", "decode_www_form") => {
            let source = rt.expect_str(arg)?;
            let mut pairs = Vec::new();
            for pair in source.split('&').filter(|_| !source.is_empty()) {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                pairs.push(Rv::array(vec![decode_form_component(rt, key)?, decode_form_component(rt, value)?]));
            }
            Rv::array(pairs)
        }
        _ => return Ok(None),
    }))
}

/// Pairs as the data of a form: a key with several values is repeated.
fn encode_form(rt: &mut Interp<'_>, pairs: &Rv) -> Raise<Rv> {
    let mut parts = Vec::new();
    for pair in rt.to_list(pairs)? {
        let pair = rt.to_list(&pair)?;
        let key = escape_url(&rt.to_s(pair.first().unwrap_or(&Rv::Nil))?, true);
        match pair.get(1) {
            None | Some(Rv::Nil) => parts.push(key),
            Some(Rv::Array(values)) => {
                for value in values.borrow().clone() {
                    parts.push(format!("{key}={}", escape_url(&rt.to_s(&value)?, true)));
                }
            }
            Some(value) => parts.push(format!("{key}={}", escape_url(&rt.to_s(value)?, true))),
        }
    }
    Ok(Rv::str(parts.join("&")))
}

/// A part of a form: `+` is a space and `%xx` a byte.
fn decode_form_component(rt: &mut Interp<'_>, source: &str) -> Raise<Rv> {
    let mut out = Vec::with_capacity(source.len());
    let mut rest = source.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |at: usize| char::from(after.get(at).copied().unwrap_or_default()).to_digit(16);
                let byte = digit(0).zip(digit(1)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
                let Some(byte) = byte else {
                    return rt.raise("ArgumentError", format!("invalid %-encoding ({source})"));
                };
                rest = after.get(2..).unwrap_or_default();
                byte
            }
            byte => *byte,
        });
    }
    Ok(Rv::from_bytes(out))
}

fn escape_url(source: &str, plus: bool) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    for byte in source.bytes() {
        match byte {
            b' ' if plus => out.push('+'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => out.push(char::from(byte)),
            b'*' if plus => out.push('*'),
            b'~' => out.push('~'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn random_string(rt: &mut Interp<'_>, name: &str, arg: &Rv) -> Raise<Rv> {
    let size = match arg {
        Rv::Int(n) => usize::try_from(*n).unwrap_or(16),
        _ => 16,
    };
    rt.check_size(size)?;
    if name == "random_number" {
        let bits = rt.host.world().random();
        return Ok(match arg {
            Rv::Int(n) if *n > 0 => Rv::integer(bits % u128::from(n.unsigned_abs())),
            _ => Rv::float((bits >> 75) as f64 / (1u64 << 53) as f64),
        });
    }
    let mut bytes = Vec::with_capacity(size + 16);
    while bytes.len() < size.max(16) {
        bytes.extend(rt.host.world().random().to_be_bytes());
    }
    let taken = bytes.get(..size).unwrap_or_default();
    Ok(Rv::str(match name {
        "uuid" => {
            let string = crate::library::openssl::hex(bytes.get(..16).unwrap_or_default());
            let part = |from: usize, to: usize| string.get(from..to).unwrap_or("").to_owned();
            format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
        }
        "base64" => string_helpers::base64_text(taken, false),
        "alphanumeric" => {
            const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
            taken
                .iter()
                .filter_map(|byte| LETTERS.get(usize::from(*byte) % LETTERS.len()))
                .map(|b| char::from(*b))
                .collect()
        }
        _ => crate::library::openssl::hex(taken),
    }))
}
