//! Properties of built-in resource types that the compiler uses.

use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_program::Registry;
use catwalk_program::ResourceType;
use catwalk_program::ResourceTypeError;
use catwalk_program::generated;
use catwalk_value::Value;

/// The properties of a built-in type that the compiler uses.
#[derive(Debug)]
pub struct Builtin {
    /// Its name, capitalized.
    pub name: Name,
    /// Whether two resources with equal name attributes are duplicates.
    pub isomorphic: bool,
    /// The attributes that name it, sorted by name.
    pub key_attributes: Vec<Name>,
    /// The schema of the type.
    resource_type: Arc<ResourceType>,
    /// The attribute that the title sets without a regular expression, as for most types.
    simple_title: Option<(Name, SimplePattern)>,
}

/// Title patterns that need no regular expression.
#[derive(Clone, Copy, Debug)]
enum SimplePattern {
    /// The title unchanged.
    Whole,
    /// The path of a file: without slashes at its end.
    Path,
}

impl Builtin {
    /// The schema of the type.
    #[must_use]
    pub fn schema(&self) -> &ResourceType {
        &self.resource_type
    }

    fn new(resource_type: Arc<ResourceType>) -> Builtin {
        let mut key_attributes = resource_type.key_attributes.clone();
        key_attributes.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        let simple = match resource_type.title_patterns.as_slice() {
            [pattern] => pattern.names.first().copied().zip(match pattern.regexp.source() {
                "(?m-ix:(.*))" => Some(SimplePattern::Whole),
                r"(?m-ix:^(/|.+:/|.*[^/])/*\Z)" => Some(SimplePattern::Path),
                _ => None,
            }),
            _ => None,
        };
        Builtin {
            name: resource_type.name.capitalized(),
            isomorphic: resource_type.isomorphic,
            key_attributes,
            simple_title: simple,
            resource_type,
        }
    }

    /// The single attribute that names it, else `name`.
    #[must_use]
    pub(crate) fn namevar(&self) -> Name {
        self.resource_type.namevar()
    }

    /// The attribute whose value the title is, if it is the only one that names a resource.
    #[must_use]
    pub(crate) fn is_named_by(&self, title: &Arc<str>) -> Option<Name> {
        let [only] = self.key_attributes.as_slice() else { return None };
        let (name, simple) = self.simple_title?;
        let is_whole_title = match simple {
            SimplePattern::Whole => true,
            SimplePattern::Path => path_of(title).is_some_and(|path| path == *title),
        };
        (is_whole_title && name == *only).then_some(name)
    }

    /// Calls `visit` with each attribute that a title sets.
    ///
    /// # Errors
    ///
    /// The title does not match.
    pub(crate) fn for_each_title_attribute(&self, title: &Arc<str>, mut visit: impl FnMut(Name, Value)) -> Res<()> {
        let simple = match self.simple_title {
            Some((name, SimplePattern::Whole)) => Some((name, title.clone())),
            Some((name, SimplePattern::Path)) => path_of(title).map(|path| (name, path)),
            None => None,
        };
        if let Some((name, value)) = simple {
            visit(name, Value::from(value));
            return Ok(());
        }
        for (name, value) in self.resource_type.parse_title(title)? {
            visit(name, value.map_or(Value::Undef, Value::from));
        }
        Ok(())
    }

    /// The attributes that a title sets, as a list.
    ///
    /// # Errors
    /// The title does not match.
    pub fn parse_title(&self, title: &Arc<str>) -> Res<Vec<(Name, Value)>> {
        let mut found = Vec::with_capacity(1);
        self.for_each_title_attribute(title, |name, value| found.push((name, value)))?;
        Ok(found)
    }

    /// Checks whether a parameter of this name may be set.
    ///
    /// # Errors
    ///
    /// The type has no such parameter, or its Ruby code could not be read completely.
    pub(crate) fn check_parameter(&self, name: Name) -> Res<()> {
        Ok(self.resource_type.check_parameter(name)?)
    }
}

/// The path in a title by the title pattern of `file`; `None` for titles with several lines, which the pattern itself must match.
fn path_of(title: &Arc<str>) -> Option<Arc<str>> {
    let stripped = title.trim_end_matches('/');
    match (stripped.is_empty(), title.len() - stripped.len()) {
        _ if title.contains('\n') || title.is_empty() => None,
        (true, _) => Some(Arc::from("/")),
        (false, 0) => Some(title.clone()),
        // `c:/`
        (false, _) if stripped.len() > 1 && stripped.ends_with(':') => title.get(..=stripped.len()).map(Arc::from),
        (false, _) => Some(Arc::from(stripped)),
    }
}

impl Evaluator<'_> {
    /// Uses a registry that is shared with other compiles.
    pub fn share_resource_types(&mut self, registry: Arc<Registry>) {
        self.state.types.registry = Some(registry);
    }

    /// The built-in type of this name.
    ///
    /// # Errors
    /// A module's type cannot be read.
    pub fn builtin(&self, name: Name) -> Res<Option<Arc<Builtin>>> {
        if name.contains(':') || name.is_empty() {
            return Ok(None);
        }
        let key = name.normalized();
        if let Some(known) = self.state.types.builtins.borrow().get(&key) {
            return Ok(known.clone());
        }
        if let Some(file) = self.program.generated_type(key)? {
            let path = self.program.sources.get(file.id).and_then(|source| source.path.clone()).unwrap_or_default();
            let resource_type =
                generated::read(key, file, &path.to_string_lossy()).map_err(|failure| match failure.span {
                    Some(_) => Stop::Failed(failure),
                    None => Reason::new(failure.code, failure.message.clone()).into(),
                })?;
            let found = Some(Arc::new(Builtin::new(Arc::new(resource_type))));
            self.state.types.builtins.borrow_mut().insert(key, found.clone());
            return Ok(found);
        }
        for relative in Registry::candidate_paths(key.as_str()) {
            self.program.environment.queries.record_module_path(&relative);
        }
        let environment = &self.program.environment;
        let found = match &self.state.types.registry {
            Some(registry) => registry.lookup(environment, self.world, key.as_str()),
            None => Registry::new(environment.modulepath.clone()).lookup(environment, self.world, key.as_str()),
        };
        let found = found.map_err(|unusable| self.report_unusable_type(key, unusable))?;
        for warning in found.iter().flat_map(|found| &found.warnings) {
            self.state.late_logs.borrow_mut().push((self.logs.len(), warning.clone()));
        }
        let found = found.map(|resource_type| Arc::new(Builtin::new(resource_type)));
        self.state.types.builtins.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// Logs once why a type cannot be used: the errors of its script, or what `Puppet::Util::Autoload#load_file` logs.
    fn report_unusable_type(&self, key: Name, unusable: ResourceTypeError) -> Reason {
        let ResourceTypeError { mut reason, errors } = unusable;
        let first = errors.first().and_then(|error| self.program.sources.locate(error.span?));
        if let Some((source, line, _)) = first
            && let Some(path) = &source.path
        {
            reason = reason.help(format!("it is defined in {}:{line}", self.program.sources.shown_path(path)));
        }
        // An expression may look the type up twice.
        if reason.code != Code::NOT_SUPPORTED_YET && self.state.types.failed_types.borrow_mut().insert(key) {
            let type_error = || vec![Diagnostic::new(reason.clone(), None).severity(Severity::Error)];
            let errors = if errors.is_empty() { type_error() } else { errors };
            self.state.late_logs.borrow_mut().extend(errors.into_iter().map(|error| (self.logs.len(), error)));
        }
        reason
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use catwalk_regexp::Regexp;

    #[test]
    fn path_of_agrees_with_the_title_pattern() {
        let pattern = Regexp::new(r"(?m-ix:^(/|.+:/|.*[^/])/*\Z)");
        for title in ["/", "//", "/a", "/a/", "/a//", "a", "c:/", "c://", "c:/x/", ":/", "::/", "a:/b:/", "/a b/", "é/"]
        {
            let expected = pattern.captures(title).unwrap().and_then(|found| found.get(1).map(str::to_owned));
            assert_eq!(path_of(&Arc::from(title)).as_deref(), expected.as_deref(), "{title}");
        }
    }
}
