//! The names of Puppet's classes and modules, and the superclasses of its exceptions.
//!
//! In: a path. Out: whether Puppet has the class, its superclass, or whether it is one that is not supported. Must not: know methods.

/// Classes and modules that can be named, besides exceptions and types.
const CLASSES: &[&str] = &[
    "Puppet::Node::Environment",
    "SemanticPuppet",
    "SemanticPuppet::Version",
    "Puppet",
    "Puppet::Util",
    "Puppet::Util::Package",
    "Puppet::Util::Platform",
    "Puppet::Pops::Types::TypeCalculator",
    "Puppet::Node",
    "Puppet::Node::Facts",
    "Puppet::Parser",
    "Puppet::Parser::Functions",
    "Puppet::Functions",
    "Puppet::Functions::InternalFunction",
    "Puppet::Functions::Function",
    "Puppet::Parser::Scope",
    "Puppet::Pops",
    "Puppet::Pops::Types",
    "Puppet::Pops::Types::TypeFactory",
    "Puppet::Pops::Types::TypeParser",
    "Puppet::Pops::Time",
    "Puppet::Resource",
    "Puppet::Resource::Type",
    "Puppet::Resource::Catalog",
    "Puppet::Parser::Resource",
    "Puppet::Parser::Resource::Param",
    "Puppet::Pops::Evaluator",
    "Puppet::Pops::Evaluator::Runtime3ResourceSupport",
    "Puppet::Pops::PuppetStack",
    "SemanticPuppet::VersionRange",
    "Puppet::Pops::Types::StringConverter",
    "Puppet::Pops::Types::TypeMismatchDescriber",
    "Puppet::Module",
    "Puppet::Util::Errors",
    "Puppet::FileSystem",
    "Puppet::Settings",
    "Puppet::Parser::Files",
    "Facter",
    "Puppet::Parser::TemplateWrapper",
    "Puppet::Pops::Lookup",
    "Puppet::DataBinding",
    "Puppet::Util::Log",
];

/// Classes of exceptions and their superclasses.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("Puppet::ExecutionFailure", "Puppet::Error"),
    ("Puppet::DataBinding::LookupError", "Puppet::PreformattedError"),
    ("Puppet::Error", "RuntimeError"),
    ("Puppet::DevError", "Puppet::Error"),
    ("Puppet::ParseError", "Puppet::Error"),
    ("Puppet::ParseErrorWithIssue", "Puppet::ParseError"),
    ("Puppet::PreformattedError", "Puppet::ParseErrorWithIssue"),
    ("Puppet::ResourceError", "Puppet::Error"),
    (DUPLICATE, "Puppet::Error"),
    ("SemanticPuppet::Version::ValidationFailure", "ArgumentError"),
];

/// The class of the error about a duplicate resource declaration.
pub(crate) const DUPLICATE: &str = "Puppet::Resource::Catalog::DuplicateResourceError";

/// Libraries whose classes are not supported, besides Puppet's own.
const UNSUPPORTED_LIBRARIES: [&str; 3] = ["PuppetX", "Hiera", "Hocon"];

/// Libraries that have no file here and whose `require` has no effect.
const LIBRARIES: &[&str] = &[
    "facter",
    "hiera",
    "hiera/backend",
    "hiera/scope",
    "hiera/util",
    "hiera_puppet",
    "hocon",
    "hocon/config_error",
    "hocon/config_factory",
    "hocon/config_render_options",
    "hocon/config_syntax",
    "hocon/config_value_factory",
    "hocon/parser/config_document_factory",
    "puppet",
    "puppet_x",
    "semantic_puppet",
];

/// Whether a path is a class or module of Puppet.
pub(crate) fn is_class(path: &str) -> bool {
    CLASSES.contains(&path) || (path.starts_with("Puppet::Pops::") && catwalk_value::ruby::is_class(path))
}

/// The superclass of a class of exceptions.
pub(crate) fn superclass(class: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(name, _)| *name == class).map(|(_, parent)| *parent)
}

/// Whether a path, at which there is no class, is one of Puppet that is not supported. Ruby's own constants are in no module of
/// Puppet.
pub(crate) fn is_unsupported(path: &str) -> bool {
    match path.strip_prefix("Puppet::") {
        Some(constant) => constant.contains("::") || !catwalk_ruby::is_builtin_class(constant),
        None => UNSUPPORTED_LIBRARIES.contains(&path.split("::").next().unwrap_or_default()),
    }
}

/// Whether a library is one of Puppet's that needs no file.
pub(crate) fn has_library(file: &str) -> bool {
    LIBRARIES.contains(&file)
}

/// The file of a module for a constant below `PuppetX`.
pub(crate) fn file_of_constant(path: &str) -> Option<String> {
    let words = path.strip_prefix("PuppetX")?.split("::").filter(|word| !word.is_empty());
    Some(words.fold("puppet_x".to_owned(), |file, word| format!("{file}/{}", to_snake_case(word))))
}

/// Converts `LdapHelper` to `ldap_helper`.
fn to_snake_case(word: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in word.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}
