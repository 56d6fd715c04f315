//! `%{…}` in values and hierarchies: variables, and `lookup()`, `hiera()`, `alias()`, `literal()`, `scope()`.

use std::borrow::Cow;
use std::sync::Arc;

use super::UnknownPolicy;
use super::explain::Event;
use super::explain::StepKind;
use super::failure::Failure;
use super::failure::LookupResult;
use super::failure::optional;
use super::key;
use super::key::Segment;
use super::lookup::Invocation;
use super::scope_lookup::Entries;
use super::scope_lookup::ScopeLookup;
use catwalk_base::diag::Code;
use catwalk_base::meter;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

/// Where the first interpolation of a string starts.
pub(super) fn interpolation_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes).find(|at| bytes.get(at + 1) == Some(&b'{'))
}

#[derive(Clone, Copy, PartialEq)]
enum Method {
    Scope,
    Lookup,
    Alias,
    Literal,
}

fn issue(code: Code, message: impl Into<String>) -> Failure {
    Failure::issue(code, message, None, None)
}

/// `%{}`, `%{::}` and the quoted forms become an empty string.
fn is_empty(expression: &str) -> bool {
    matches!(expression, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'")
}

/// `name('data')` or `name("data")`
fn method_call(expression: &str) -> Option<(&str, &str)> {
    let (name, rest) = expression.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let data = inner.get(1..)?.strip_suffix(quote)?;
    let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (word && !data.is_empty() && !data.contains(quote)).then_some((name, data))
}

impl Invocation<'_> {
    /// Replaces the interpolations in all strings of a value, hash keys included.
    pub(super) fn interpolate(&mut self, value: &Value, methods: bool) -> LookupResult {
        match value {
            Value::Str(subject) if interpolation_start(subject).is_some() => self.interpolate_string(subject, methods),
            Value::Array(items) => {
                let items: Result<Vec<Value>, _> = items.iter().map(|item| self.interpolate(item, methods)).collect();
                Ok(Value::array(items?))
            }
            Value::Hash(entries) => {
                let mut result = Hash::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    let key = self.interpolate(key, methods)?;
                    result.insert(key, self.interpolate(value, methods)?);
                }
                Ok(Value::hash(result))
            }
            other => Ok(other.clone()),
        }
    }

    /// Replaces the interpolations in a string of hiera.yaml, where methods are not allowed.
    pub(super) fn interpolate_plain(&mut self, subject: &str) -> LookupResult<String> {
        if interpolation_start(subject).is_none() {
            return Ok(subject.to_owned());
        }
        Ok(ruby::to_s(&self.interpolate_string(subject, false)?).into_owned())
    }

    fn interpolate_string(&mut self, subject: &str, methods: bool) -> LookupResult {
        self.in_step(|| StepKind::Interpolate(subject.to_owned()), |this| this.replace(subject, methods))
    }

    fn replace(&mut self, subject: &str, methods: bool) -> LookupResult {
        let mut out = String::with_capacity(subject.len());
        let mut rest = subject;
        while let Some(at) = interpolation_start(rest) {
            let after = rest.get(at + 2..).unwrap_or("");
            let Some(end) = after.find('}') else { break };
            out.push_str(rest.get(..at).unwrap_or(""));
            let is_whole_string = rest.len() == subject.len() && at == 0 && after.len() == end + 1;
            rest = after.get(end + 1..).unwrap_or("");
            let expression = after.get(..end).unwrap_or("").trim();
            if is_empty(expression) {
                continue;
            }
            let (method, data) = self.parse_method(expression, methods)?;
            if method == Method::Alias && !is_whole_string {
                return Err(issue(
                    Code::HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING,
                    "'alias' interpolation is only permitted if the expression is equal to the entire string",
                )
                .into());
            }
            let value = match method {
                Method::Scope => self.scope_lookup(data, subject)?,
                Method::Literal => Value::str(data),
                Method::Lookup | Method::Alias => self.nested_lookup(data)?,
            };
            if method == Method::Alias {
                return Ok(value);
            }
            if let (Method::Scope, Value::Str(text)) = (method, &value)
                && interpolation_start(text).is_none()
            {
                out.push_str(text);
                continue;
            }
            let name = if method == Method::Scope { Cow::Owned(format!("scope:{data}")) } else { Cow::Borrowed(data) };
            let value = self.guard_recursion(&Arc::from(&*name), |this| this.interpolate(&value, methods))?;
            match &value {
                Value::Str(text) => out.push_str(text),
                other => out.push_str(&ruby::to_s(other)),
            }
            meter::check_string(out.len());
        }
        out.push_str(rest);
        Ok(Value::from(out))
    }

    fn parse_method<'e>(&self, expression: &'e str, methods: bool) -> LookupResult<(Method, &'e str)> {
        let Some((name, data)) = method_call(expression) else { return Ok((Method::Scope, expression)) };
        if !methods {
            return Err(issue(
                Code::HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED,
                "Interpolation using method syntax is not allowed in this context",
            )
            .into());
        }
        let method = match name {
            "lookup" | "hiera" => Method::Lookup,
            "alias" => Method::Alias,
            "literal" => Method::Literal,
            "scope" => Method::Scope,
            _ => {
                let message = format!("Unknown interpolation method '{name}'");
                return Err(issue(Code::HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD, message).into());
            }
        };
        Ok((method, data))
    }

    /// A lookup of another key; a missing one becomes an empty string.
    fn nested_lookup(&mut self, key: &str) -> LookupResult {
        let mut inner = self.nested();
        // Only lookups that stay in the global layer see the special variables of Hiera 3.
        inner.hiera3 &= inner.global_only;
        let found = inner.search(key, &Value::Undef)?;
        Ok(found.map_or_else(|| Value::str(""), |(_, value)| value))
    }

    /// A variable, with the steps of a dotted expression.
    pub(super) fn scope_lookup(&mut self, key: &str, subject: &str) -> LookupResult {
        if let Some(value) = self.replay.and_then(|replay| replay.get(key))
            && self.loop_variable.as_ref().is_none_or(|(name, _)| key.split('.').next() != Some(name))
        {
            let value = value.clone();
            if let Some(used) = &mut self.used_variables {
                let (key, value) = (key.to_owned(), value.clone());
                used.push(ScopeLookup {
                    root: key.clone(),
                    key,
                    segments: Vec::new(),
                    root_value: Value::Undef,
                    value,
                });
            }
            return Ok(value);
        }
        let mut segments =
            key::split(key).map_err(|problem| Failure::lookup(format!("{problem} in string: {subject}")))?;
        let root = segments.remove(0).to_string();
        let entries = &mut segments.first().and_then(Segment::hash_key).into_iter();
        // Without further segments the whole variable is used.
        let entries: Entries<'_> = if segments.is_empty() { None } else { Some(entries) };
        let look_up = |this: &mut Self| this.variable_value(&root, entries);
        let mut value = self.in_step(|| StepKind::Scope("Global Scope".to_owned()), look_up)?;
        let mut root_value = Value::Undef;
        if !value.is_undef() && !segments.is_empty() {
            root_value = value.clone();
            value = optional(self.sub_lookup(key, &segments, value))?.unwrap_or(Value::Undef);
        }
        if let Some(used) = &mut self.used_variables {
            used.push(ScopeLookup { key: key.to_owned(), root, segments, root_value, value: value.clone() });
        }
        Ok(value)
    }

    fn variable_value(&mut self, root: &str, entries: Entries<'_>) -> LookupResult {
        if let Some(value) = self.overrides.and_then(|overrides| overrides.get(root)) {
            self.node.explain(|| Event::FoundInOverrides(root.to_owned(), value.clone()));
            return Ok(value.clone());
        }
        let default = self.defaults.is_some_and(|defaults| defaults.get(root).is_some());
        let unknown = match self.lookup.sources().version.forgiving_hierarchy {
            true if default => UnknownPolicy::Silent,
            true if self.forgiving => UnknownPolicy::Forgiven,
            _ => UnknownPolicy::Strict,
        };
        if let Some(value) = self.scope_value(root, entries, unknown)? {
            self.node.explain(|| Event::Found(root.to_owned(), value.clone()));
            return Ok(value);
        }
        if let Some(value) = self.defaults.and_then(|defaults| defaults.get(root)) {
            self.node.explain(|| Event::FoundInDefaults(root.to_owned(), value.clone()));
            return Ok(value.clone());
        }
        Ok(Value::Undef)
    }

    /// A variable of the scope; `mapped_paths` sets an additional one.
    pub(super) fn scope_value(
        &mut self,
        root: &str,
        entries: Entries<'_>,
        unknown: UnknownPolicy,
    ) -> LookupResult<Option<Value>> {
        if let Some((name, value)) = &self.loop_variable
            && name == root
        {
            return Ok(Some(value.clone()));
        }
        if self.hiera3 {
            return self.hiera3_value(root, entries, unknown);
        }
        self.host_value(root, entries, unknown)
    }

    fn host_value(&mut self, root: &str, entries: Entries<'_>, unknown: UnknownPolicy) -> LookupResult<Option<Value>> {
        let found = match entries {
            None => self.host.variable(root, unknown),
            Some(entries) => self.host.variable_entries(root, entries, unknown),
        };
        Ok(found.map_err(Failure::variable)?)
    }

    /// Hiera 3 has additional variables, and treats an empty string as missing (Hiera::Scope).
    fn hiera3_value(
        &mut self,
        root: &str,
        entries: Entries<'_>,
        unknown: UnknownPolicy,
    ) -> LookupResult<Option<Value>> {
        let value = match root {
            "calling_class" => self.host.calling_class().map(Value::from),
            "calling_class_path" => self.host.calling_class().map(|name| Value::from(name.replace("::", "/"))),
            "calling_module" => self.host.variable("module_name", unknown).map_err(Failure::variable)?,
            _ => self.host_value(root, entries, unknown)?,
        };
        Ok(value.filter(|value| value.as_str() != Some("")))
    }

    /// Digs into a value.
    pub(super) fn sub_lookup(&mut self, key: &str, segments: &[Segment], value: Value) -> LookupResult {
        let path = || segments.iter().map(Segment::to_string).collect::<Vec<_>>().join(".");
        self.in_step(
            || StepKind::SubLookup(path()),
            |this| {
                let mut value = value;
                for segment in segments {
                    value = this.in_step(
                        || StepKind::Segment(segment.to_string()),
                        |this| this.dig_step(key, segment, &value),
                    )?;
                }
                Ok(value)
            },
        )
    }

    fn dig_step(&mut self, key: &str, segment: &Segment, value: &Value) -> LookupResult {
        let found = match (value, segment) {
            (Value::Undef, _) | (Value::Array(_), Segment::HugeIndex(_)) => None,
            (Value::Array(items), Segment::Index(at)) => usize::try_from(*at).ok().and_then(|at| items.get(at)),
            (Value::Hash(entries), Segment::Key(text)) => entries.get(text),
            (Value::Hash(entries), segment) => entries.get_value(&segment.value()),
            (Value::BigInt(number), _) => {
                return Err(Failure::ruby(format!("undefined method `include?' for {number}:Integer")).into());
            }
            (Value::Int(number), _) => {
                return Err(Failure::ruby(format!("undefined method `include?' for {number}:Integer")).into());
            }
            (other, _) => {
                let class = catwalk_value::ruby::class_name(other);
                return Err(Failure::lookup(format!(
                    "Data Provider type mismatch: Got {class} when a hash-like object was expected to access value using '{segment}' from key '{key}'"
                ))
                .into());
            }
        };
        match found {
            Some(value) => {
                self.node.explain(|| Event::Found(segment.to_string(), value.clone()));
                Ok(value.clone())
            }
            None => self.not_found(&segment.to_string()),
        }
    }
}
