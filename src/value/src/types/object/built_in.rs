//! Built-in object types of the language.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::ObjectType;
use crate::types::Type;

impl ObjectType {
    /// `Deferred`: a function call that the agent makes.
    #[must_use]
    pub fn deferred() -> Arc<ObjectType> {
        static DEFERRED: OnceLock<Arc<ObjectType>> = OnceLock::new();
        DEFERRED.get_or_init(|| built_in(DEFERRED_TEXT)).clone()
    }

    /// `Annotation`: the supertype of annotations.
    #[must_use]
    pub fn annotation() -> Arc<ObjectType> {
        static ANNOTATION: OnceLock<Arc<ObjectType>> = OnceLock::new();
        ANNOTATION.get_or_init(|| built_in("Object[{name => 'Annotation'}]")).clone()
    }

    /// `RubyMethod`: the annotation of a function or derived attribute with its Ruby code.
    #[must_use]
    pub(crate) fn ruby_method() -> Arc<ObjectType> {
        static METHOD: OnceLock<Arc<ObjectType>> = OnceLock::new();
        METHOD.get_or_init(|| built_in(RUBY_METHOD_TEXT)).clone()
    }

    /// `Pcore`: represents several annotations at once in the function `annotate`.
    #[must_use]
    pub fn pcore() -> Arc<ObjectType> {
        static PCORE: OnceLock<Arc<ObjectType>> = OnceLock::new();
        PCORE.get_or_init(|| built_in("Object[{name => 'Pcore'}]")).clone()
    }

    /// `Puppet::LookupContext`: the context of data functions.
    #[must_use]
    pub fn lookup_context() -> Arc<ObjectType> {
        static CONTEXT: OnceLock<Arc<ObjectType>> = OnceLock::new();
        CONTEXT.get_or_init(|| built_in(CONTEXT_TEXT)).clone()
    }

    /// `Error`: the result of a failed plan or task.
    #[must_use]
    pub fn error() -> Arc<ObjectType> {
        static ERROR: OnceLock<Arc<ObjectType>> = OnceLock::new();
        ERROR.get_or_init(|| built_in(ERROR_TEXT)).clone()
    }

    /// `Pcore::StructElement`: the elements of a struct type, when `tree_each` visits one.
    #[must_use]
    pub(crate) fn struct_element() -> Arc<ObjectType> {
        match super::pcore_type("Pcore::StructElement") {
            Some(Type::Object(element)) => element,
            _ => Arc::default(),
        }
    }
}

const DEFERRED_TEXT: &str = r"Object[{name => 'Deferred', attributes => {'name' => Pattern[/\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z/], 'arguments' => {type => Optional[Array], value => undef}}}]";
const RUBY_METHOD_TEXT: &str = "Object[{name => 'RubyMethod', parent => Annotation, attributes => {'body' => String, 'parameters' => {type => Optional[String[1]], value => undef}}}]";
const ERROR_TEXT: &str = "Object[{name => 'Error', type_parameters => {'kind' => Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]], 'issue_code' => Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]}, attributes => {'msg' => String[1], 'kind' => {type => Optional[String[1]], value => undef}, 'details' => {type => Optional[Hash[String[1], Data]], value => undef}, 'issue_code' => {type => Optional[String[1]], value => undef}}, functions => {'message' => Callable[[0, 0], String[1]]}}]";

const CONTEXT_TEXT: &str = "Object[{name => 'Puppet::LookupContext', parent => Any, attributes => {'environment_name' => {type => String[1], kind => derived}, 'module_name' => Variant[String[1], Undef]}, functions => {'not_found' => Callable[[0, 0], Undef], 'explain' => Callable[[0, 0, Callable[0, 0]], Undef], 'interpolate' => Callable[1, 1], 'cache' => Callable[[Optional[Scalar], Any], Any], 'cache_all' => Callable[[Hash[Optional[Scalar], Any]], Undef], 'cache_has_key' => Callable[[Optional[Scalar]], Boolean], 'cached_value' => Callable[[Optional[Scalar]], Any], 'cached_entries' => {type => Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]]}, 'cached_file_data' => Callable[String, Optional[Callable[Array[Integer]]]]}}]";

/// A built-in type from its source; a test checks that the sources are valid.
fn built_in(text: &str) -> Arc<ObjectType> {
    match crate::types::parse_type(text, &mut crate::types::NoAliases) {
        Ok(Type::Object(object)) => object,
        _ => Arc::new(ObjectType::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_objects_are_defined() {
        assert_eq!(ObjectType::deferred().attributes.len(), 2);
        assert_eq!(ObjectType::struct_element().attributes.len(), 2);
        assert_eq!(ObjectType::error().attributes.len(), 4);
        assert_eq!(ObjectType::ruby_method().attributes.len(), 2);
        assert_eq!(ObjectType::lookup_context().functions.len(), 9);
        assert_eq!(Type::Object(ObjectType::deferred()).to_string(), DEFERRED_TEXT);
        assert_eq!(Type::Object(ObjectType::error()).to_string(), ERROR_TEXT);
    }
}
