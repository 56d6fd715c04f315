//! `hocon_data`, `json_data`, `yaml_data`: Hiera's own data functions, for data functions that build on them.

use std::path::Path;

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::runtime3::fail;
use crate::hiera::Failure;
use crate::hiera::Format;
use crate::value::Value;

pub(super) const HOCON_DATA: Function = Function {
    name: "hocon_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Hocon)),
        ("Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The data of a HOCON file, for data functions.",
    examples: &[],
};

pub(super) const JSON_DATA: Function = Function {
    name: "json_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Json)),
        ("Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The data of a JSON file, for data functions.",
    examples: &[],
};

pub(super) const YAML_DATA: Function = Function {
    name: "yaml_data",
    signatures: &[
        ("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", |call| read(call, Format::Yaml)),
        ("Hash $options, Puppet::LookupContext $context", missing_path),
    ],
    doc: "The data of a YAML file, for data functions.",
    examples: &[],
};

fn read(call: &mut Call<'_, '_>, format: Format) -> Res<Value> {
    let path = call.hash(0).and_then(|options| options.get("path")).and_then(Value::as_str).unwrap_or_default();
    let strict = call.ev.settings.strict;
    let found = crate::hiera::read_data(Path::new(path), format, strict, call.ev.world);
    let (data, warning) = found.map_err(|failure: Failure| crate::eval::lookup_stop(failure, None))?;
    if let Some(warning) = warning {
        call.warn(warning);
    }
    Ok(data)
}

fn missing_path(call: &mut Call<'_, '_>) -> Res<Value> {
    fail(format!(
        "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
        call.name
    ))
}
