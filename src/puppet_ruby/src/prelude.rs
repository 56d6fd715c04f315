//! Puppet's libraries that are written in Ruby here.
//!
//! In: the name of a constant. Out: the library that defines it.

use catwalk_ruby::Library;

static FILE_MODE: Library = Library::new("file_mode", include_str!("prelude/file_mode.rb"));
static RESOURCE_TYPE: Library = Library::new("puppet/type", include_str!("prelude/resource_type.rb"));
static ADAPTER: Library = Library::new("puppet/adapter", include_str!("prelude/adapter.rb"));
static ENVIRONMENT_CONF: Library = Library::new("puppet/environment_conf", include_str!("prelude/environment_conf.rb"));
static FORMATS: Library = Library::new("puppet/formats", include_str!("prelude/formats.rb"));
static EXECUTION: Library = Library::new("execution", include_str!("prelude/execution.rb"));
static HIERA_CONFIG: Library = Library::new("puppet/hiera_config", include_str!("prelude/hiera_config.rb"));

/// The library of [`crate::automatic_relations`].
pub(crate) static AUTOMATIC_RELATIONS: Library =
    Library::new("puppet/automatic_relations", include_str!("prelude/automatic_relations.rb"));

/// The library that defines a constant.
pub(crate) fn library_of_constant(path: &str) -> Option<&'static Library> {
    if path.starts_with("Puppet::Util::SymbolicFileMode") {
        return Some(&FILE_MODE);
    }
    if path.starts_with("Puppet::Util::Execution") || path.starts_with("Facter::") {
        return Some(&EXECUTION);
    }
    if path == "Puppet::Type" || path.starts_with("Puppet::Type::") {
        return Some(&RESOURCE_TYPE);
    }
    if path.starts_with("Puppet::Pops::Adaptable") {
        return Some(&ADAPTER);
    }
    if path.starts_with("Puppet::Util::Yaml") || path.starts_with("Puppet::Util::Json") {
        return Some(&FORMATS);
    }
    match path {
        "Puppet::Pops::Lookup::HieraConfig" => Some(&HIERA_CONFIG),
        "Puppet::Settings::EnvironmentConf" => Some(&ENVIRONMENT_CONF),
        _ => None,
    }
}
