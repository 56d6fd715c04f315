//! Reads the parameters of a declared resource: types, defaults, Puppet's error messages.
//!
//! In: a resource. Out: values, and all problems at once.

use std::sync::Arc;

use catwalk_apply::DeclaredResource;
use catwalk_base::names::Name;
use catwalk_resource_api::Level;
use catwalk_value::Value;
use catwalk_value::ruby;

/// The parameters of a resource that is being prepared.
pub(crate) struct Parameters<'a> {
    declared: &'a DeclaredResource,
    errors: Vec<String>,
}

impl<'a> Parameters<'a> {
    pub(crate) fn new(declared: &'a DeclaredResource) -> Parameters<'a> {
        Parameters { declared, errors: Vec::new() }
    }

    /// `Exec[x]`
    pub(crate) fn reference(&self) -> String {
        format!("{}[{}]", self.declared.type_name.capitalized(), self.declared.title)
    }

    /// The value of a parameter, if it is set; secrets are not unwrapped.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        let value = unwrap_sensitive(self.declared.parameters.get(&Name::new(name))?);
        Some(value).filter(|value| !value.is_undef())
    }

    /// Whether a parameter is secret.
    pub(crate) fn is_sensitive(&self, name: &str) -> bool {
        let name = Name::new(name);
        self.declared.sensitive.contains(&name)
            || matches!(self.declared.parameters.get(&name), Some(Value::Sensitive(_)))
    }

    /// Records a problem of a parameter.
    pub(crate) fn fail(&mut self, name: &str, message: &str) {
        self.errors.push(format!("Parameter {name} failed on {}: {message}", self.reference()));
    }

    /// Records a value that cannot be converted.
    pub(crate) fn fail_to_munge(&mut self, name: &str, value: &Value, message: &str) {
        self.fail(name, &format!("Munging failed for value {} in class {name}: {message}", ruby::inspect(value)));
    }

    /// Records a problem of the resource as a whole.
    pub(crate) fn fail_validation(&mut self, message: &str) {
        self.errors.push(format!("Validation of {} failed: {message}", self.reference()));
    }

    /// Whether a problem was recorded.
    pub(crate) fn has_problems(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Ends the preparation.
    ///
    /// # Errors
    /// Returns all recorded problems.
    pub(crate) fn finish(self) -> Result<(), Vec<String>> {
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }

    /// The value of a parameter that must be one of `allowed`.
    pub(crate) fn word(&mut self, name: &str, allowed: &[&'static str]) -> Option<&'static str> {
        let value = self.get(name)?;
        let text = ruby::to_s(value);
        let found = allowed.iter().find(|word| ***word == *text).copied();
        if found.is_none() {
            let text = ruby::inspect(value);
            self.fail(name, &format!("Invalid value {text}. Valid values are {}.", allowed.join(", ")));
        }
        found
    }

    /// The value of a boolean parameter, which may be a string.
    pub(crate) fn flag(&mut self, name: &str, default: bool) -> bool {
        self.word(name, &["true", "false"]).map_or(default, |word| word == "true")
    }

    /// The value of a parameter with a path or, if `is_list`, several paths.
    pub(crate) fn paths(&mut self, name: &str, is_list: bool) -> Vec<String> {
        let Some(value) = self.get(name) else { return Vec::new() };
        if matches!(value, Value::Array(_)) && !is_list {
            self.fail(name, &format!("{name} only accepts a single path, not an array of paths"));
            return Vec::new();
        }
        let paths: Vec<String> = list(value).map(|value| ruby::to_s(value).into_owned()).collect();
        if paths.iter().any(|path| !path.starts_with('/')) {
            self.fail(name, &format!("{name} must be a fully qualified path"));
        }
        paths
    }

    /// The metaparameter `loglevel`.
    pub(crate) fn loglevel(&self) -> Level {
        let level = self.get("loglevel").and_then(Value::as_str);
        match level {
            Some("verbose") => Level::Info,
            level => level.and_then(Level::parse).unwrap_or(Level::Notice),
        }
    }

    /// The title.
    pub(crate) fn title(&self) -> Arc<str> {
        self.declared.title.clone()
    }
}

/// Unwraps a `Sensitive` value.
pub(crate) fn unwrap_sensitive(value: &Value) -> &Value {
    match value {
        Value::Sensitive(inner) => unwrap_sensitive(inner),
        value => value,
    }
}

/// The elements of an array; any other value is its only element.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(items) => items.as_slice().iter(),
        value => std::slice::from_ref(value).iter(),
    }
    .map(unwrap_sensitive)
}
