//! `parsejson`, `parseyaml`, `parsepson`, `parsehocon`

use crate::data;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;

pub(super) const PARSEHOCON: Function = Function {
    name: "parsehocon",
    signatures: &[("String $hocon_string, Any $default = undef", hocon)],
    doc: "The data of a HOCON text.",
    examples: &[],
};

pub(super) const STDLIB_PARSEHOCON: Function = Function {
    name: "stdlib::parsehocon",
    signatures: &[("String $hocon_string, Any $default = undef", hocon)],
    doc: "The data of a HOCON text.",
    examples: &[],
};

fn hocon(call: &mut Call<'_, '_>) -> Res<Value> {
    match data::hocon::parse(call.str(0), "String") {
        Ok(value) => Ok(value),
        Err(_) if call.given(1) && call.arg(1).truthy() => Ok(call.arg(1).clone()),
        Err(message) => fail(message),
    }
}

pub(super) const PARSEJSON: Function = Function {
    name: "parsejson",
    signatures: &[("Any *$args", |call| {
        parsed(call, |text| data::json::parse(text.as_bytes()).map_err(|error| error.message))
    })],
    doc: "The data of a JSON text; the second argument when the text is bad or says nothing.",
    examples: &[("parsejson('{\"a\":[1,null]}')", "{'a' => [1, undef]}"), ("parsejson('{', 'x')", "'x'")],
};

pub(super) const PARSEPSON: Function = Function {
    name: "parsepson",
    signatures: &[("String[1] $pson_string, Any $default = undef", |call| {
        match data::json::parse(call.str(0).as_bytes()) {
            Ok(value) => Ok(value),
            Err(_) if call.given(1) => Ok(call.arg(1).clone()),
            Err(_) => fail(format!("source '{}' not in PSON!", call.str(0))),
        }
    })],
    doc: "The data of a PSON text.",
    examples: &[("parsepson('[1]')", "[1]")],
};

pub(super) const PARSEYAML: Function = Function {
    name: "parseyaml",
    signatures: &[("Any *$args", |call| {
        parsed(call, |text| data::yaml::parse(text.as_bytes()).map_err(|error| error.puppet_text(None)))
    })],
    doc: "The data of a YAML text; the second argument when the text is bad or says nothing.",
    examples: &[("parseyaml(\"a: 1\\nb: [x]\")", "{'a' => 1, 'b' => ['x']}")],
};

fn parsed(call: &mut Call<'_, '_>, parse: fn(&str) -> Result<Value, String>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let default = args.get(1).cloned().unwrap_or(Value::Undef);
    let result = match args.first() {
        None => return fail("Wrong number of arguments. 1 or 2 arguments should be provided."),
        Some(Value::Str(text)) => parse(text),
        Some(other) => Err(format!("no implicit conversion of {} into String", ruby::conversion_name(other))),
    };
    match result {
        Ok(value) if value.truthy() => Ok(value),
        // An untrue answer gives way to the second argument, also to none.
        Ok(_) => Ok(default),
        Err(_) if default.truthy() => Ok(default),
        Err(message) => fail(message),
    }
}
