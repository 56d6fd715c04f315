//! `SemVer.new`, `SemVerRange.new` and `Binary.new`.
//!
//! In: arguments and the matching signature. Out: the value. Must not: inspect types.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::GeneralPurposeConfig;

use super::NewResult;
use super::fail;
use super::field;
use super::with_named_arguments;
use crate::value::SemVer;
use crate::value::SemVerRange;
use crate::value::Value;

pub(super) fn semver(args: &[Value], chosen: usize) -> NewResult {
    let build = |parts: [&Value; 5]| {
        let number = |value: &Value| match value {
            Value::Int(n) => u128::try_from(*n).unwrap_or(0),
            Value::BigInt(n) => u128::try_from(&**n).unwrap_or(u128::MAX),
            _ => 0,
        };
        let mut text = format!("{}.{}.{}", number(parts[0]), number(parts[1]), number(parts[2]));
        for (mark, part) in [('-', parts[3]), ('+', parts[4])] {
            if let Some(part) = part.as_str() {
                text.push(mark);
                text.push_str(part);
            }
        }
        SemVer::parse(&text).map(|version| Value::SemVer(Arc::new(version))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => SemVer::parse(arg(0).as_str().unwrap_or("")).map(|version| Value::SemVer(Arc::new(version))).map_err(fail),
        1 => build([arg(0), arg(1), arg(2), arg(3), arg(4)]),
        _ => with_named_arguments(arg(0), |h| {
            build(["major", "minor", "patch", "prerelease", "build"].map(|name| field(h, name)))
        }),
    }
}

pub(super) fn semver_range(args: &[Value], chosen: usize) -> NewResult {
    let between = |min: &Value, max: &Value, exclude: bool| {
        let version = |value: &Value, open: SemVer| match value {
            Value::SemVer(version) => (**version).clone(),
            _ => open,
        };
        let range = SemVerRange::between(&version(min, SemVer::min()), &version(max, SemVer::max()), exclude);
        Ok(Value::SemVerRange(Arc::new(range)))
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => SemVerRange::parse(arg(0).as_str().unwrap_or(""))
            .map(|range| Value::SemVerRange(Arc::new(range)))
            .map_err(fail),
        1 => between(arg(0), arg(1), arg(2).truthy()),
        _ => with_named_arguments(arg(0), |h| {
            between(field(h, "min"), field(h, "max"), field(h, "exclude_max").truthy())
        }),
    }
}

pub(super) fn binary(args: &[Value], chosen: usize) -> NewResult {
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => binary_text(arg(0).as_str().unwrap_or(""), arg(1).as_str()),
        1 => Ok(binary_bytes(arg(0))),
        _ => with_named_arguments(arg(0), |h| match field(h, "value") {
            Value::Str(text) => binary_text(text, field(h, "format").as_str()),
            bytes => Ok(binary_bytes(bytes)),
        }),
    }
}

fn binary_bytes(value: &Value) -> Value {
    let Value::Array(items) = value else { return Value::Binary(Arc::from(Vec::new())) };
    let bytes: Vec<u8> = items
        .iter()
        .filter_map(|item| match item {
            Value::Int(n) => u8::try_from(*n).ok(),
            _ => None,
        })
        .collect();
    Value::Binary(Arc::from(bytes))
}

fn binary_text(text: &str, format: Option<&str>) -> NewResult {
    let lenient = |alphabet, bits| {
        let config = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(bits);
        GeneralPurpose::new(alphabet, config)
    };
    let invalid = || fail("invalid base64");
    let bytes = match format.unwrap_or("%B") {
        "%s" | "%r" => text.as_bytes().to_vec(),
        "%u" => {
            // Ruby first converts this alphabet to the other one: characters of both are accepted.
            let text = text.replace('-', "+").replace('_', "/");
            lenient(&alphabet::STANDARD, false).decode(text).map_err(|_| invalid())?
        }
        "%b" => crate::value::printing::decode_lenient_base64(text.as_bytes()),
        _ => base64::engine::general_purpose::STANDARD.decode(text).map_err(|_| invalid())?,
    };
    Ok(Value::Binary(Arc::from(bytes)))
}
