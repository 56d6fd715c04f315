//! `get_module_path`, `load_module_metadata`, `loadjson`, `loadyaml`: files of modules and of the compiling machine.

use std::path::Path;
use std::path::PathBuf;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data;
use catwalk_value::data::yaml_cache::YamlCache;
use catwalk_world::HttpRequest;
use catwalk_world::Kind;

pub(super) const GET_MODULE_PATH: Function = Function {
    name: "get_module_path",
    signatures: &[("Any *$args", |call| {
        let args = runtime3::args(call)?;
        let [name] = args.as_ref() else {
            return fail("get_module_path(): Wrong number of arguments, expects one");
        };
        Ok(Value::from(module_path(call, name)?.to_string_lossy().as_ref()))
    })],
    doc: "Returns the directory of a module; fails if the module does not exist.",
    examples: &[
        ("get_module_path('example') =~ /\\/example\\z/", "true"),
        ("get_module_path('no_such_module')", "error: Could not find module no_such_module"),
    ],
};

pub(super) const LOAD_MODULE_METADATA: Function = Function {
    name: "load_module_metadata",
    signatures: &[("Any *$args", |call| load_module_metadata(call, call.ev.settings.ruby.has_pson))],
    doc: "Returns the content of a module's `metadata.json`. Fails if the module does not exist; if only the file is \
          missing and the second argument is `true`, returns the empty hash.",
    examples: &[
        ("load_module_metadata('example')['version']", "'1.2.3'"),
        ("load_module_metadata('no_such_module', true)", "error: Could not find module no_such_module"),
    ],
};

/// `load_module_metadata` since 9.0: it needs no PSON.
pub(super) const LOAD_MODULE_METADATA_9: Function =
    Function { signatures: &[("Any *$args", |call| load_module_metadata(call, true))], ..LOAD_MODULE_METADATA };

pub(super) const LOADJSON: Function = Function {
    name: "loadjson",
    signatures: &[("Any *$args", |call| {
        let read = if call.ev.settings.ruby.has_pson { parse_json } else { without_pson };
        load(call, read, "undefined method `read' for nil:NilClass")
    })],
    doc: "Reads a JSON file on the machine that compiles, or from a web server (`http://`, `https://`, with a name and \
          password as in `https://name:password@example.com/x.json`). Returns the second argument if the file is \
          missing or cannot be parsed.",
    examples: &[
        ("loadjson('/no/such/file', {'a' => 1})", "{'a' => 1}"),
        ("loadjson(find_file('example/data.json'))", "{'a' => [1, undef]}"),
    ],
};

/// `loadjson` since 9.0: it needs no PSON.
pub(super) const LOADJSON_9: Function = Function {
    signatures: &[("Any *$args", |call| load(call, parse_json, "undefined method `read' for nil:NilClass"))],
    ..LOADJSON
};

fn parse_json(_: &YamlCache, bytes: &[u8], _: Option<&str>) -> Result<Value, String> {
    data::json::parse(bytes).map_err(|error| error.message)
}

/// Ruby's message where the server has no PSON.
const NO_PSON: &str = "uninitialized constant Puppet::Parser::Functions::PSON";

fn without_pson(_: &YamlCache, _: &[u8], _: Option<&str>) -> Result<Value, String> {
    Err(NO_PSON.to_owned())
}

pub(super) const LOADYAML: Function = Function {
    name: "loadyaml",
    signatures: &[("Any *$args", |call| {
        let read: Reader = |cache, bytes, path| parse_yaml(cache, bytes, path, true);
        load(call, read, "no implicit conversion of nil into String")
    })],
    doc: "Reads a YAML file on the machine that compiles, or from a web server (`http://`, `https://`, with a name and \
          password as in `https://name:password@example.com/x.yaml`). Returns the second argument if the file is \
          missing or cannot be parsed.",
    examples: &[
        ("loadyaml('/no/such/file', {'a' => 1})", "{'a' => 1}"),
        ("loadyaml(find_file('example/data.yaml'))", "{'a' => ['x', 1]}"),
    ],
};

/// `loadyaml` since 9.0: aliases are read.
pub(super) const LOADYAML_9: Function = Function {
    signatures: &[("Any *$args", |call| {
        let read: Reader = |cache, bytes, path| parse_yaml(cache, bytes, path, false);
        load(call, read, "no implicit conversion of nil into String")
    })],
    ..LOADYAML
};

/// Reads a document. Aliases are errors where stdlib calls `YAML.load_file`.
fn parse_yaml(cache: &YamlCache, bytes: &[u8], path: Option<&str>, no_aliases: bool) -> Result<Value, String> {
    let allowed = data::yaml::AllowedClasses {
        no_aliases,
        symbols: data::yaml::Symbols::Values,
        ..data::yaml::AllowedClasses::default()
    };
    match cache.parse(bytes, allowed) {
        Ok(document) => Ok(document.value),
        // Ruby's messages about classes and aliases have no position.
        Err(error) if error.line == 0 => Err(error.message),
        Err(error) => Err(error.puppet_text(path)),
    }
}

fn module_path(call: &Call<'_, '_>, name: &Value) -> Res<PathBuf> {
    let name = runtime3::to_s(name);
    match call.ev.program.module_root(&name) {
        Some(path) => Ok(path),
        None => {
            let environment = &call.ev.program.environment.name;
            fail(format!("Could not find module {name} in environment {environment}"))
        }
    }
}

fn load_module_metadata(call: &mut Call<'_, '_>, has_parser: bool) -> Res<Value> {
    let args = runtime3::args(call)?;
    let [name, ..] = args.as_ref() else {
        return fail("load_module_metadata(): Wrong number of arguments, expects one or two");
    };
    if args.len() > 2 {
        return fail("load_module_metadata(): Wrong number of arguments, expects one or two");
    }
    let path = module_path(call, name)?.join("metadata.json");
    if call.ev.world.kind(&path) == Kind::Missing {
        if args.get(1).is_some_and(Value::truthy) {
            return Ok(Value::hash(Hash::new()));
        }
        let name = runtime3::to_s(name);
        return fail(format!("load_module_metadata(): No metadata.json file for module {name}"));
    }
    let bytes = call
        .ev
        .world
        .read(&path)
        .map_err(|refused| catwalk_base::diag::Reason::runtime(refused.to_string()).because(refused.cause()))?;
    if !has_parser {
        return fail(NO_PSON);
    }
    match data::json::parse(&bytes) {
        Ok(value) => Ok(value),
        Err(error) => fail(error.message),
    }
}

/// A parser of a format. Receives the session's cache, the contents, and the path if they are from a file.
type Reader = fn(&YamlCache, &[u8], Option<&str>) -> Result<Value, String>;

/// Loads a file or URL. `missing_page` is Ruby's message if the server responds with an error.
fn load(call: &mut Call<'_, '_>, read: Reader, missing_page: &str) -> Res<Value> {
    let cache = call.ev.program.yaml();
    let args = runtime3::at_least(call, 1)?;
    let default = args.get(1).cloned().unwrap_or(Value::Undef);
    let Some(Value::Str(name)) = args.first() else {
        if default.truthy() {
            return Ok(default);
        }
        return no_method("start_with?", args.first().unwrap_or(&Value::Undef));
    };
    if name.starts_with("http://") || name.starts_with("https://") {
        let fetched = fetch(call, name).and_then(|body| match body {
            Some(body) => read(cache, &body, None),
            None => Err(missing_page.to_owned()),
        });
        return value_or_default(fetched, default);
    }
    let path = Path::new(name.as_ref());
    if name.is_empty() || call.ev.world.kind(path) == Kind::Missing {
        let source = call.ev.scope_label();
        call.ev.log_from(
            &source,
            catwalk_base::diag::Severity::Warning,
            format!("Can't load '{name}' File does not exist!"),
        );
        return Ok(default);
    }
    let read = match call.ev.world.read(path) {
        Ok(bytes) => read(cache, &bytes, Some(name)),
        Err(refused) => Err(refused.to_string()),
    };
    value_or_default(read, default)
}

/// Fetches a URL; `None`, with a warning, if the server responds with an error.
fn fetch(call: &mut Call<'_, '_>, address: &str) -> Result<Option<std::sync::Arc<[u8]>>, String> {
    let (url, login) = login(address);
    let request = HttpRequest { url, login, ..HttpRequest::default() };
    let fetched = call.ev.world.fetch(&request).map_err(|refused| refused.to_string())?;
    if (200..300).contains(&fetched.status) {
        return Ok(Some(fetched.body));
    }
    let source = call.ev.scope_label();
    let message = format!("Can't load '{}' HTTP Error Code: '{}'", request.url, fetched.status);
    call.ev.log_from(&source, catwalk_base::diag::Severity::Warning, message);
    Ok(None)
}

/// Splits user name and password from a URL. They end at the last `@`; the password begins after the last colon before it.
fn login(address: &str) -> (String, Option<(String, String)>) {
    let plain = || (address.to_owned(), None);
    let Some((protocol, rest)) = address.split_once("://") else { return plain() };
    let Some((login, rest)) = rest.rsplit_once('@') else { return plain() };
    let (name, password) = login.rsplit_once(':').unwrap_or((login, ""));
    (format!("{protocol}://{rest}"), Some((name.to_owned(), password.to_owned())))
}

/// The data that was read, or the default if the data is nil or could not be read.
fn value_or_default(read: Result<Value, String>, default: Value) -> Res<Value> {
    match read {
        Ok(value) if value.truthy() => Ok(value),
        Ok(_) => Ok(default),
        Err(_) if default.truthy() => Ok(default),
        Err(message) => fail(message),
    }
}
