//! `hocon_data`, `json_data`, `yaml_data`: Hiera's built-in data functions, for other data functions to call.

use std::path::Path;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_hiera::Failure;
use catwalk_hiera::Format;
use catwalk_value::Value;

pub(super) const HOCON_DATA: Function = Function {
    name: "hocon_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Hocon)),
        ("! Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The Hiera backend for HOCON files: a level of `hiera.yaml` selects it with `data_hash`. Hiera calls it with \
          options that hold `path`, and a context; it is of no use in a manifest.",
    examples: &[("lookup('example::from_hocon')", "'conf'"), ("lookup('example::nested')", "{'port' => 80}")],
};

pub(super) const JSON_DATA: Function = Function {
    name: "json_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Json)),
        ("! Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The Hiera backend for JSON files: a level of `hiera.yaml` selects it with `data_hash`. Hiera calls it with \
          options that hold `path`, and a context; it is of no use in a manifest.",
    examples: &[("lookup('example::from_json')", "'json'"), ("lookup('example::ports')", "[80, 443]")],
};

pub(super) const YAML_DATA: Function = Function {
    name: "yaml_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Yaml)),
        ("! Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The Hiera backend for YAML files, the default for a level of `hiera.yaml`. Hiera calls it with options that \
          hold `path`, and a context; it is of no use in a manifest.",
    examples: &[("lookup('example_key')", "'from data'"), ("lookup('example_list')", "['a', 'b']")],
};

fn read(call: &mut Call<'_, '_>, format: Format) -> Res<Value> {
    let path = call.hash(0).and_then(|options| options.get("path")).and_then(Value::as_str).unwrap_or_default();
    let strict = call.ev.settings.strict;
    let found = catwalk_hiera::read_data(Path::new(path), format, strict, call.ev.world);
    let (data, warning) = found.map_err(|failure: Failure| catwalk_eval::lookup_stop(call.ev, failure, None))?;
    if let Some(warning) = warning {
        call.warn(warning);
    }
    Ok(data)
}

fn missing_path(_call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(Value::from(
        "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
    ))
}
