//! Cases of the type system.

use std::sync::Arc;

use catwalk_session::probe;
use catwalk_value::NoAliases;
use catwalk_value::Type;
use catwalk_value::Value;
use serde_json::Value as Json;

use super::Verdict;
use super::parsing::display;

/// Compares one case of the type system.
pub(crate) fn compare(record: &Json) -> Verdict {
    let expect = &record["expect"];
    match answer(record) {
        Ok(got) => {
            let expected = match (&expect["value"], &expect["type"], &expect["error"]) {
                (Json::Null, Json::Null, error) => format!("error: {}", display(&error["message"])),
                (Json::Null, expected, _) => display(expected),
                (expected, ..) => display(expected),
            };
            if got == expected { Verdict::Same } else { Verdict::Different(expected, got) }
        }
        Err(got) => match expect["error"]["message"].as_str() {
            Some(expected) if expected == got => Verdict::Same,
            Some(expected) => Verdict::Different(format!("error: {expected}"), format!("error: {got}")),
            None => Verdict::Different(expect.to_string(), format!("error: {got}")),
        },
    }
}

fn answer(record: &Json) -> Result<String, String> {
    let t = |key: &str| {
        let text = record[key].as_str().unwrap();
        catwalk_value::parse_type(text, &mut NoAliases).map_err(|reason| reason.message.to_string())
    };
    let v = |key: &str| probe::value(record[key].as_str().unwrap());
    Ok(match record["kind"].as_str().unwrap() {
        "assignable" => catwalk_value::is_assignable(&t("to")?, &t("from")?).to_string(),
        "instance" => catwalk_value::is_instance(&t("type")?, &v("arg_pcore")?).to_string(),
        "infer" => catwalk_value::infer(&v("arg_pcore")?).to_string(),
        "infer_set" => catwalk_value::infer_set(&v("arg_pcore")?).to_string(),
        "common_type" => catwalk_value::common_type(&t("a")?, &t("b")?).to_string(),
        "callable" => callable(&t("callable")?, &t("args")?).to_string(),
        "type_parse" => t("type")?.to_string(),
        "string_convert" => {
            let format = record["format_pcore"].as_str().map_or(Ok(Value::Default), probe::value)?;
            catwalk_value::convert(&v("arg_pcore")?, &format)?
        }
        kind => return Err(format!("unknown kind {kind}")),
    })
}

/// Whether a callable accepts arguments of these types. A Callable, alone or at the end of a Tuple, is the block
/// (Puppet's `callable_args?`).
fn callable(callable: &Type, args: &Type) -> bool {
    let Type::Callable(own) = callable else { return catwalk_value::is_assignable(callable, args) };
    let Some(params) = &own.params else { return catwalk_value::is_assignable(callable, args) };
    let takes = |args: &Type| catwalk_value::is_assignable(&Type::Tuple(Arc::new(params.clone())), args);
    let without_block = own.block.as_ref().is_none_or(|block| catwalk_value::is_assignable(block, &Type::Undef));
    match args {
        Type::Tuple(tuple) => match tuple.types.split_last() {
            Some((block, rest)) if catwalk_value::is_callable_type(block, true) => {
                own.block.as_ref().is_some_and(|own| catwalk_value::is_assignable(own, block))
                    && takes(&Type::tuple(rest.to_vec(), None))
            }
            _ => takes(args) && without_block,
        },
        Type::Array(_) => takes(args) && without_block,
        _ => catwalk_value::is_assignable(callable, args),
    }
}
