//! `parsejson`, `parseyaml`, `parsepson`, `parsehocon`

use crate::Function;
use crate::stdlib::checks;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::data;
use catwalk_value::data::hocon::Inputs;
use catwalk_value::data::yaml::AllowedClasses;
use catwalk_value::data::yaml::Symbols;
use catwalk_value::ruby;

pub(super) const PARSEHOCON: Function = Function {
    name: "parsehocon",
    signatures: &[("String $hocon_string, Any $default = undef", hocon)],
    doc: "Parses a HOCON string. Returns the second argument if parsing fails.",
    examples: &[("parsehocon('a { b = 1 }')", "{'a' => {'b' => 1}}"), ("parsehocon('{', 'x')", "'x'")],
};

pub(super) const STDLIB_PARSEHOCON: Function = Function {
    name: "stdlib::parsehocon",
    signatures: &[("String $hocon_string, Any $default = undef", hocon)],
    doc: "Parses a HOCON string. Returns the second argument if parsing fails.",
    examples: &[("stdlib::parsehocon('a { b = 1 }')", "{'a' => {'b' => 1}}"), ("stdlib::parsehocon('{', 'x')", "'x'")],
};

fn hocon(call: &mut Call<'_, '_>) -> Res<Value> {
    let world = call.ev.world;
    let env = |name: &str| world.env(name).map(|value| value.to_string());
    let read = |path: &std::path::Path| world.read(path).ok().map(|bytes| bytes.to_vec());
    let outside = Inputs { env: &env, read: &read, may_include: true };
    match data::hocon::parse(call.str(0), "String", &outside) {
        Ok(value) => Ok(value),
        Err(_) if call.has_arg(1) && call.arg(1).truthy() => Ok(call.arg(1).clone()),
        Err(error) => fail(error.message),
    }
}

pub(super) const PARSEJSON: Function = Function {
    name: "parsejson",
    signatures: &[("Any *$args", |call| {
        parse_argument(call, |string| data::json::parse(string.as_bytes()).map_err(|error| error.message))
    })],
    doc: "Parses a JSON string. Returns the second argument if parsing fails or yields nothing.",
    examples: &[("parsejson('{\"a\":[1,null]}')", "{'a' => [1, undef]}"), ("parsejson('{', 'x')", "'x'")],
};

pub(super) const PARSEPSON: Function = Function {
    name: "parsepson",
    signatures: &[("String[1] $pson_string, Any $default = undef", pson)],
    doc: "Parses a PSON string (JSON that may contain arbitrary bytes). Returns the second argument if parsing fails.",
    examples: &[("parsepson('[1]')", "[1]"), ("parsepson('nonsense', 'x')", "'x'")],
};

pub(super) const PARSEPSON_9: Function = Function {
    name: "parsepson",
    signatures: &[("String[1] $pson_string, Any $default = undef", |call| {
        let string =
            "This method is deprecated. From Puppet 8, PSON is no longer natively supported. Please use JSON.parse().";
        // With strict=error the warning is an error, which the function rescues as it does those of parsing.
        match checks::warn_deprecated(call, "parsepson", string) {
            Err(_) if call.has_arg(1) => Ok(call.arg(1).clone()),
            Err(error) => Err(error),
            Ok(()) if call.ev.settings.ruby.has_pson => pson(call),
            Ok(()) => Ok(Value::Undef),
        }
    })],
    doc: PARSEPSON.doc,
    examples: PARSEPSON.examples,
};

fn pson(call: &mut Call<'_, '_>) -> Res<Value> {
    if !call.ev.settings.ruby.has_pson {
        return match call.has_arg(1) {
            true => Ok(call.arg(1).clone()),
            false => fail("uninitialized constant Puppet::Pops::Loader::RubyFunctionInstantiator::PSON"),
        };
    }
    match data::json::parse(call.str(0).as_bytes()) {
        Ok(value @ (Value::Array(_) | Value::Hash(_))) => Ok(value),
        _ if call.has_arg(1) => Ok(call.arg(1).clone()),
        _ => fail(format!("source '{}' not in PSON!", call.str(0))),
    }
}

pub(super) const PARSEYAML: Function = Function {
    name: "parseyaml",
    signatures: &[("Any *$args", |call| {
        let allowed = AllowedClasses { no_aliases: true, symbols: Symbols::Values, ..AllowedClasses::default() };
        let program = call.ev.program;
        parse_argument(call, |string| match program.yaml().parse(string.as_bytes(), allowed) {
            Ok(document) => Ok(document.value),
            // Ruby's messages about classes name no file.
            Err(error) if error.line == 0 => Err(error.message),
            Err(error) => Err(error.puppet_text(None)),
        })
    })],
    doc: "Parses a YAML string. Returns the second argument if parsing fails or yields nothing.",
    examples: &[("parseyaml(\"a: 1\\nb: [x]\")", "{'a' => 1, 'b' => ['x']}"), ("parseyaml('a: b: c', 'x')", "'x'")],
};

fn parse_argument(call: &mut Call<'_, '_>, parse: impl Fn(&str) -> Result<Value, String>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let default = args.get(1).cloned().unwrap_or(Value::Undef);
    let result = match args.first() {
        None => return fail("Wrong number of arguments. 1 or 2 arguments should be provided."),
        Some(Value::Str(string)) => parse(string),
        // Ruby's YAML parser treats an object type as an open file.
        Some(object @ Value::Type(Type::Object(_))) if call.name == "parseyaml" => {
            Err(format!("undefined method `external_encoding' for {}", ruby::receiver(object)))
        }
        Some(other) => Err(format!("no implicit conversion of {} into String", ruby::conversion_name(other))),
    };
    match result {
        Ok(value) if value.truthy() => Ok(value),
        // A false result is replaced by the second argument, even if that is missing.
        Ok(_) => Ok(default),
        Err(_) if default.truthy() => Ok(default),
        Err(message) => fail(message),
    }
}
