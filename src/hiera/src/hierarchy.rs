//! Puts one node's variables into a layer's hierarchy. The result is cached while the variables it depends on stay the same, as
//! in Puppet.

mod location;

use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::UnknownPolicy;
use super::config::Config;
use super::config::ConfigEntry;
use super::config::FunctionKind;
use super::failure::Failure;
use super::failure::FilePosition;
use super::failure::LookupResult;
use super::failure::NoValue;
use super::key::Segment;
use super::lookup::Invocation;
use super::resolved::Entry;
use super::resolved::Provider;
use super::resolved::ResolvedHierarchy;
use super::scope_lookup::Entries;
use super::scope_lookup::ScopeLookup;
use catwalk_value::Value;

impl Invocation<'_> {
    /// The entries of a layer for this node.
    pub(super) fn entries(&mut self, provider: &Provider, default: bool) -> LookupResult<Rc<[Entry]>> {
        let known = provider.resolved.borrow().clone();
        let resolved = match known {
            Some(resolved) if self.has_current_values(&resolved.variables) => resolved,
            known => {
                if known.is_some() {
                    self.node.explain_with(|| {
                        "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                            .to_owned()
                    });
                }
                let resolved = Rc::new(self.resolve(provider)?);
                *provider.resolved.borrow_mut() = Some(resolved.clone());
                provider.resolutions.set(provider.resolutions.get() + 1);
                resolved
            }
        };
        Ok(if default { resolved.default_hierarchy.clone() } else { resolved.hierarchy.clone() })
    }

    /// Whether the variables with which a hierarchy was resolved still have their values.
    fn has_current_values(&mut self, variables: &[ScopeLookup]) -> bool {
        let forgiving = self.lookup.sources().version.forgiving_hierarchy;
        let unknown = if forgiving { UnknownPolicy::Forgiven } else { UnknownPolicy::Strict };
        // Most values are parts of a few variables; those of one variable are consecutive.
        variables.chunk_by(|a, b| a.root == b.root).all(|inside| {
            let steps = || inside.iter().map(|recorded| recorded.segments.first());
            let mut entries = steps().filter_map(|step| step.and_then(Segment::hash_key));
            let entries: Entries<'_> = if steps().all(|step| step.is_some()) { Some(&mut entries) } else { None };
            let root = inside.first().map(|recorded| self.scope_value(&recorded.root, entries, unknown));
            let Some(Ok(root)) = root else { return false };
            self.has_current_parts(inside, root.unwrap_or(Value::Undef))
        })
    }

    fn has_current_parts(&mut self, variables: &[ScopeLookup], root: Value) -> bool {
        variables.iter().all(|recorded| {
            let mut value = root.clone();
            if let (Value::Hash(before), Value::Hash(now)) = (&recorded.root_value, &value)
                && Arc::ptr_eq(before, now)
            {
                return true;
            }
            if !value.is_undef() && !recorded.segments.is_empty() {
                value = self
                    .node
                    .without_explaining(|| self.sub_lookup(&recorded.key, &recorded.segments, value))
                    .unwrap_or(Value::Undef);
            }
            value == recorded.value
        })
    }

    /// Resolves a hierarchy outside the current lookup, as Puppet does: nothing is explained, and recursion is checked separately.
    fn resolve(&mut self, provider: &Provider) -> LookupResult<ResolvedHierarchy> {
        let (node, outer) = (self.node, self.node.stack.take());
        let resolved = node.without_explaining(|| self.resolve_entries(provider));
        node.stack.replace(outer);
        resolved
    }

    fn resolve_entries(&mut self, provider: &Provider) -> LookupResult<ResolvedHierarchy> {
        let config = &provider.config;
        let mut inner = self.nested();
        (inner.overrides, inner.defaults) = (None, None);
        inner.used_variables = Some(Vec::new());
        let hierarchies = inner.entries_of(config, &config.hierarchy).and_then(|hierarchy| {
            let default = config.default_hierarchy.as_deref().unwrap_or(&[]);
            Ok((hierarchy, inner.entries_of(config, default)?))
        });
        let mut variables = inner.used_variables.take().unwrap_or_default();
        let (hierarchy, default_hierarchy) = hierarchies.map_err(|miss| in_config(config, miss))?;
        let mut seen = std::collections::HashSet::new();
        variables.retain(|variable| seen.insert(variable.key.clone()));
        let (fixed, mut variables): (Vec<_>, Vec<_>) = variables.into_iter().partition(ScopeLookup::is_fixed);
        variables.sort_by(|a, b| a.root.cmp(&b.root));
        Ok(ResolvedHierarchy {
            hierarchy: hierarchy.into(),
            default_hierarchy: default_hierarchy.into(),
            variables,
            fixed,
        })
    }

    fn entries_of(&mut self, config: &Config, entries: &[ConfigEntry]) -> LookupResult<Vec<Entry>> {
        let mut resolved: Vec<Entry> = Vec::with_capacity(entries.len());
        let mut names = rustc_hash::FxHashSet::default();
        for entry in entries {
            if !names.insert(entry.name.clone()) && resolved.iter().any(|other| other.name == entry.name) {
                return Err(match config.hiera3 {
                    Some(_) => duplicate_backend(config, &entry.name),
                    None => duplicate_name(config, &entry.name),
                }
                .into());
            }
            let datadir = self.interpolate_plain(&entry.datadir)?;
            self.forgiving = config.version == 5;
            let locations = self.locations(config, entry, &datadir);
            self.forgiving = false;
            let locations = locations?;
            if config.path.is_none() && locations.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let options = match &entry.options {
                Some(options) => match self.interpolate(&Value::Hash(options.clone()), false)? {
                    Value::Hash(options) => options,
                    _ => Arc::default(),
                },
                None => Arc::default(),
            };
            if entry.function == FunctionKind::Hiera3Backend && !self.lookup.sources().version.hiera3 {
                return Err(Failure::lookup("Hiera 3 is not installed".to_owned()).into());
            }
            if entry.function == FunctionKind::Hiera3Backend {
                // As in Puppet without the Ruby code of the backend, such a backend has no data; Puppet reports nothing.
                let backend = &entry.function_name;
                let file_note = config.path.as_ref().map(|path| format!(" (file: {})", path.display()));
                let text = format!("not supported yet: backend '{backend}' of Hiera 3; it returns no data");
                self.host.warn(Some(&format!("hiera3 {backend}")), format!("{text}{}", file_note.unwrap_or_default()));
            }
            resolved.push(Entry {
                name: entry.name.clone(),
                function: entry.function,
                function_name: entry.function_name.clone(),
                options,
                locations,
                datadir,
                added: RefCell::default(),
                contexts: RefCell::default(),
            });
        }
        Ok(resolved)
    }
}

fn duplicate_backend(config: &Config, name: &str) -> Failure {
    let pattern = format!(r"[^\w]{}(?:[^\w]|$)", regex::escape(name));
    let first = config.find_line(&pattern, 1);
    let second = first.and_then(|first| config.find_line(&pattern, first + 1));
    let mut message = format!("Backend '{name}' is defined more than once.");
    if let (Some(first), Some(_)) = (first, second) {
        message.push_str(&format!(" First defined at (line: {first})"));
    }
    config.fail(Code::HIERA_BACKEND_MULTIPLY_DEFINED, message, second.or(first))
}

fn duplicate_name(config: &Config, name: &str) -> Failure {
    let pattern = format!(r#"\s+name:\s+['"]?{}(?:[^\w]|$)"#, regex::escape(name));
    let first = config.find_line(&pattern, 1);
    let second = first.and_then(|first| config.find_line(&pattern, first + 1));
    let mut message = format!("Hierarchy name '{name}' defined more than once.");
    if let (Some(first), Some(_)) = (first, second) {
        message.push_str(&format!(" First defined at (line: {first})"));
    }
    config.fail(Code::HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED, message, second.or(first))
}

/// Adds the file to errors about interpolations, and the line to those about unknown variables.
fn in_config(config: &Config, mut miss: NoValue) -> NoValue {
    let NoValue::Failed(failure) = &mut miss else { return miss };
    if failure.has_issue() && failure.inner.is_none() && failure.file.is_none() {
        failure.file = config.path.clone().map(|path| Box::new(FilePosition { path, line: None }));
    }
    let Cause::UnknownVariable(name) = &failure.reason.cause else { return miss };
    let line = config.find_line(&format!(r#"%\{{['"]?{}['"]?\}}"#, regex::escape(name)), 1);
    config.fail(Code::HIERA_UNDEFINED_VARIABLE, format!("Undefined variable '{name}'"), line).into()
}
