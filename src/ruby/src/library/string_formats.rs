//! Encodings of strings by Ruby's libraries: Base64, JSON and YAML, shell words, parts of URLs, and random strings.
//!
//! In: a call of a method of one of these libraries. Out: its value. Must not: know the purpose of a string.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::library::yaml;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;
use crate::value::object;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(crate) static JSON: Class = Class::module(
    "JSON",
    &[
        Method::at_least("dump", 1, generate),
        Method::at_least("fast_generate", 1, generate),
        Method::at_least("generate", 1, generate),
        Method::at_least("load", 1, load_json),
        Method::at_least("load_file", 1, load_json_file),
        Method::at_least("load_file!", 1, load_json_file),
        Method::at_least("parse", 1, parse),
        Method::at_least("pretty_generate", 1, pretty_generate),
    ],
);

pub(crate) static PSON: Class = Class::module(
    "PSON",
    &[
        Method::at_least("dump", 1, generate),
        Method::at_least("fast_generate", 1, generate),
        Method::at_least("generate", 1, generate),
        Method::at_least("load", 1, parse_pson),
        Method::at_least("parse", 1, parse_pson),
        Method::at_least("pretty_generate", 1, pretty_generate),
    ],
);

pub(crate) static BASE64: Class = Class::module(
    "Base64",
    &[
        Method::new("decode64", 1, decode64),
        Method::new("encode64", 1, encode64),
        Method::new("strict_decode64", 1, strict_decode64),
        Method::new("strict_encode64", 1, strict_encode64),
        Method::new("urlsafe_decode64", 1, urlsafe_decode64),
        Method::between("urlsafe_encode64", 1, 2, urlsafe_encode64),
    ],
);

pub(crate) static SHELLWORDS: Class = Class::module(
    "Shellwords",
    &[
        Method::new("escape", 1, shell_escape),
        Method::new("join", 1, shell_join),
        Method::new("shellescape", 1, shell_escape),
        Method::new("shelljoin", 1, shell_join),
        Method::new("shellsplit", 1, shell_split),
        Method::new("shellwords", 1, shell_split),
        Method::new("split", 1, shell_split),
    ],
);

pub(crate) static CGI: Class = Class::module(
    "CGI",
    &[
        Method::new("escape", 1, escape_query),
        Method::new("escapeHTML", 1, escape_html),
        Method::new("escape_html", 1, escape_html),
        Method::new("h", 1, escape_html),
    ],
);

/// A template; the host evaluates it.
pub(crate) static ERB: Class = Class::module("ERB", &[Method::at_least("new", 1, new_template)]);

pub(crate) static ERB_UTIL: Class = Class::module(
    "ERB::Util",
    &[
        Method::new("h", 1, escape_html),
        Method::new("html_escape", 1, escape_html),
        Method::new("u", 1, escape_component),
        Method::new("url_encode", 1, escape_component),
    ],
);

pub(crate) static SECURE_RANDOM: Class = Class::module(
    "SecureRandom",
    &[
        Method::at_least("alphanumeric", 0, random_letters),
        Method::at_least("base64", 0, random_base64),
        Method::at_least("hex", 0, random_hex),
        Method::at_least("random_number", 0, random_number),
        Method::new("uuid", 0, random_uuid),
    ],
);

fn argument(args: &[Rv]) -> &Rv {
    args.first().unwrap_or(&Rv::Nil)
}

/// `ERB.new(source)`
fn new_template(_: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(object("ERB", &[("source", argument(args).clone())]))
}

fn generate(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.to_json(argument(args), None, 0)?))
}

fn pretty_generate(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.to_json(argument(args), Some(2), 0)?))
}

/// `JSON.parse(source, options)`
fn parse(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    parse_json(rt, &source, args.get(1).unwrap_or(&Rv::Nil), false)
}

/// `JSON.load(source, proc, options)`
fn load_json(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    parse_json(rt, &source, args.get(2).unwrap_or(&Rv::Nil), true)
}

/// `JSON.load_file(path, options)`
fn load_json_file(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = crate::library::paths::path_argument(rt, args.first())?;
    let source = Rv::from_bytes(rt.read_file(&path)?);
    let source = rt.expect_str(&source)?;
    parse_json(rt, &source, args.get(1).unwrap_or(&Rv::Nil), false)
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

fn parse_pson(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    match catwalk_value::data::json::parse(source.as_bytes()) {
        Ok(value @ (Value::Array(_) | Value::Hash(_))) => Ok(rt.to_ruby(&value)),
        _ => rt.raise("PSON::ParserError", format!("source '{source}' not in PSON!")),
    }
}

fn encode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bytes = string_helpers::string_bytes(rt, argument(args))?;
    Ok(Rv::str(string_helpers::base64_text(&bytes, true)))
}

fn strict_encode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bytes = string_helpers::string_bytes(rt, argument(args))?;
    Ok(Rv::str(string_helpers::base64_text(&bytes, false)))
}

fn urlsafe_encode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bytes = string_helpers::string_bytes(rt, argument(args))?;
    Ok(Rv::str(string_helpers::base64_text(&bytes, false).replace('+', "-").replace('/', "_")))
}

fn decode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    decode_base64(rt, &source)
}

fn strict_decode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    if !crate::core::pack::is_strict_base64(&source) {
        return rt.raise("ArgumentError", "invalid base64");
    }
    decode_base64(rt, &source)
}

fn urlsafe_decode64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?.replace('-', "+").replace('_', "/");
    decode_base64(rt, &source)
}

fn decode_base64(rt: &mut Interp<'_>, source: &str) -> Raise<Rv> {
    Ok(crate::core::unpack::unpack(rt, source.as_bytes(), "m")?.into_iter().next().unwrap_or(Rv::Nil))
}

fn shell_escape(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(ruby::shellescape(&rt.to_s(argument(args))?)))
}

fn shell_join(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.shell_join(argument(args))
}

fn shell_split(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    rt.shell_split(argument(args))
}

impl Interp<'_> {
    /// `Shellwords.join(words)`
    pub(crate) fn shell_join(&mut self, words: &Rv) -> Raise<Rv> {
        let mut escaped = Vec::new();
        for word in self.to_list(words)? {
            escaped.push(ruby::shellescape(&self.to_s(&word)?));
        }
        Ok(Rv::str(escaped.join(" ")))
    }

    /// `Shellwords.split(line)`
    pub(crate) fn shell_split(&mut self, line: &Rv) -> Raise<Rv> {
        let source = self.expect_str(line)?;
        match ruby::shellsplit(&source) {
            Some(words) => Ok(Rv::array(words.into_iter().map(Rv::str).collect())),
            None => {
                let inspected = self.inspect(line)?;
                self.raise("ArgumentError", format!("Unmatched quote: {inspected}"))
            }
        }
    }
}

fn escape_html(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.to_s(argument(args))?;
    let escaped = source.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Ok(Rv::str(escaped.replace('"', "&quot;").replace('\'', "&#39;")))
}

/// `CGI.escape(text)`
fn escape_query(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(escape_url(&rt.expect_str(argument(args))?, true)))
}

/// `ERB::Util.url_encode(text)`, `URI.encode_uri_component(text)`
pub(super) fn escape_component(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(escape_url(&rt.to_s(argument(args))?, false)))
}

/// `URI.encode_www_form_component(text)`
pub(super) fn escape_form_component(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(escape_url(&rt.to_s(argument(args))?, true)))
}

/// `URI.decode_www_form_component(text)`
pub(super) fn unescape_form_component(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    decode_form_component(rt, &source)
}

/// `URI.decode_www_form(text)`
pub(super) fn decode_form(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    let mut pairs = Vec::new();
    for pair in source.split('&').filter(|_| !source.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        pairs.push(Rv::array(vec![decode_form_component(rt, key)?, decode_form_component(rt, value)?]));
    }
    Ok(Rv::array(pairs))
}

/// `URI.encode_www_form(pairs)`: pairs as the data of a form: a key with several values is repeated.
pub(super) fn encode_form(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut parts = Vec::new();
    for pair in rt.to_list(argument(args))? {
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

/// Random bytes, at least as many as the argument asks for (16 without one), and that number.
fn random_bytes(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<(Vec<u8>, usize)> {
    let size = match args.first() {
        Some(Rv::Int(n)) => usize::try_from(*n).unwrap_or(16),
        _ => 16,
    };
    rt.check_size(size)?;
    let mut bytes = Vec::with_capacity(size + 16);
    while bytes.len() < size.max(16) {
        bytes.extend(rt.host.world().random().to_be_bytes());
    }
    Ok((bytes, size))
}

fn random_number(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bits = rt.host.world().random();
    Ok(match args.first() {
        Some(Rv::Int(n)) if *n > 0 => Rv::integer(bits % u128::from(n.unsigned_abs())),
        _ => Rv::float((bits >> 75) as f64 / (1u64 << 53) as f64),
    })
}

fn random_hex(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (bytes, size) = random_bytes(rt, args)?;
    Ok(Rv::str(crate::library::openssl::hex(bytes.get(..size).unwrap_or_default())))
}

fn random_base64(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (bytes, size) = random_bytes(rt, args)?;
    Ok(Rv::str(string_helpers::base64_text(bytes.get(..size).unwrap_or_default(), false)))
}

fn random_letters(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let (bytes, size) = random_bytes(rt, args)?;
    let letters = bytes.iter().take(size).filter_map(|byte| LETTERS.get(usize::from(*byte) % LETTERS.len()));
    Ok(Rv::str(letters.map(|byte| char::from(*byte)).collect::<String>()))
}

fn random_uuid(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (bytes, _) = random_bytes(rt, &[])?;
    let string = crate::library::openssl::hex(bytes.get(..16).unwrap_or_default());
    let part = |from: usize, to: usize| string.get(from..to).unwrap_or("").to_owned();
    let parts = (part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32));
    Ok(Rv::str(format!("{}-{}-4{}-a{}-{}", parts.0, parts.1, parts.2, parts.3, parts.4)))
}
