//! `base64`

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::GeneralPurposeConfig;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::printing::decode_lenient_base64;

pub(super) const FUNCTION: Function = Function {
    name: "base64",
    signatures: &[("Any *$args", convert)],
    doc: "Encodes or decodes a string in Base64: `base64('encode' or 'decode', STRING, METHOD)`. The method `default` \
          adds a line feed after every 60 characters and at the end; `strict` adds none; `urlsafe` adds none and uses \
          `-` and `_` instead of `+` and `/`.",
    examples: &[
        ("base64('encode', 'thestring', 'strict')", "'dGhlc3RyaW5n'"),
        ("base64('encode', 'thestring')", "\"dGhlc3RyaW5n\\n\""),
        ("base64('decode', 'YQ==')", "'a'"),
    ],
};

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

fn convert(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("base64(): Wrong number of arguments ({}; must be >= 2)", args.len()));
    }
    let arg = |at: usize| args.get(at).and_then(Value::as_str);
    let Some(action @ ("encode" | "decode")) = arg(0) else {
        return fail("base64(): the first argument must be one of 'encode' or 'decode'");
    };
    let Some(string) = arg(1) else { return fail("base64(): the second argument must be a string to base64") };
    let method = if args.len() > 2 { arg(2) } else { Some("default") };
    let Some(method @ ("default" | "strict" | "urlsafe")) = method else {
        return fail("base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'");
    };
    if action == "encode" {
        return Ok(Value::from(match method {
            "default" => encode_lines(string.as_bytes()),
            "strict" => STANDARD.encode(string),
            _ => URL_SAFE.encode(string),
        }));
    }
    let bytes = match method {
        "default" => Some(decode_lenient_base64(string.as_bytes())),
        "strict" => base64::engine::general_purpose::STANDARD.decode(string).ok(),
        _ => URL_SAFE.decode(string).ok(),
    };
    let Some(bytes) = bytes else { return fail("invalid base64") };
    match String::from_utf8(bytes) {
        Ok(string) => Ok(Value::Str(Str::binary(string))),
        Err(error) => Ok(Value::Binary(error.into_bytes().into())),
    }
}

/// `Base64.encode64`: lines of 60 characters, each with a newline at the end.
pub(super) fn encode_lines(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in bytes.chunks(45) {
        out.push_str(&STANDARD.encode(line));
        out.push('\n');
    }
    out
}
