//! Overrides: `File['x'] { mode => … }`, and those of collectors with a body (Puppet::Parser::Resource#merge).

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Strict;
use crate::resource::flatten;
use crate::resource::issue;
use crate::resource::parse_error;
use crate::resource::set_param;
use crate::resource::tags_of;
use crate::state::Param;
use crate::state::Params;
use crate::state::ResourceDefinition;
use crate::state::Source;
use catwalk_base::diag::Code;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_syntax::ast;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Type;
use catwalk_value::Value;

/// Values that other code sets on a resource.
#[derive(Clone, Debug)]
pub struct Override {
    /// The type of the resource.
    pub type_name: Name,
    /// Its title.
    pub title: std::sync::Arc<str>,
    /// The parameters that it sets.
    pub params: Params,
    /// The code that overrides.
    pub source: Source,
    /// Where it was written.
    pub span: Option<Span>,
}

impl Override {
    /// `File[/x]`
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }
}

/// The parameters of an override: each once, with valid tags. Puppet checks this when it creates the resource that represents an
/// override (Puppet::Parser::Resource#extract_parameters).
fn extract_parameters(values: &[(Name, Param)], type_name: Name, title: &str, span: Span) -> Res<Params> {
    let mut params = Params::default();
    for (name, param) in values {
        if params.contains_key(name) {
            let text = format!("Duplicate parameter '{name}' for on {type_name}[{title}]");
            return parse_error(text, Some(span));
        }
        if name == "tag" {
            check_tags(&param.value, span)?;
        }
        params.insert(*name, param.clone());
    }
    Ok(params)
}

fn check_tags(value: &Value, span: Span) -> Res<()> {
    for tag in tags_of(value) {
        if let Err(bad) = Tags::default().add(&tag) {
            return parse_error(format!("Invalid tag '{bad}'"), Some(span));
        }
    }
    Ok(())
}

impl<'c> Evaluator<'c> {
    /// An override expression: returns the references.
    ///
    /// # Errors
    ///
    /// It is not a resource reference, or the override is not permitted.
    pub(crate) fn eval_resource_override(&mut self, node: &'c ast::ResourceOverride, span: Span) -> Res<Value> {
        let references = self.eval(&node.references)?;
        let mut params = Vec::with_capacity(node.attributes.len());
        for attribute in &node.attributes {
            params.extend(self.attribute_params(attribute)?);
        }
        let mut flat = Vec::new();
        flatten(&references, &mut flat);
        for reference in flat {
            let Value::Type(Type::Resource(resource)) = &reference else {
                let label = catwalk_value::label(&reference);
                let text = format!("Resource Override can only operate on resources, got: {label}");
                return issue(Code::ILLEGAL_OVERRIDDEN_TYPE, text, span);
            };
            let (type_name, title) = match (&resource.type_name, &resource.title) {
                // The class without a name is the main class.
                (Some(name), Some(title)) if title.is_empty() && name.eq_ignore_ascii_case("class") => {
                    (name.clone(), catwalk_base::name!("main").shared())
                }
                (Some(name), Some(title)) if title.is_empty() => {
                    let text = format!("No title provided and \"{name}[]\" is not a valid resource reference");
                    return Err(crate::Stop::runtime(text));
                }
                (Some(name), Some(title)) => (name.clone(), title.clone()),
                (name, _) => {
                    let name = name.as_deref().unwrap_or("").to_lowercase();
                    let ruby_name = match self.find_resource_type(Name::new(&name))? {
                        Some(ResourceDefinition::Builtin(_)) => format!(":{name}"),
                        Some(_) => format!("{name:?}"),
                        None => "nil".to_owned(),
                    };
                    let text = format!("No title provided and {ruby_name} is not a valid resource reference");
                    return Err(crate::Stop::runtime(text));
                }
            };
            // A type that does not exist becomes a class, as in Puppet.
            let (type_name, title) = match self.find_resource_type(Name::new(&type_name))? {
                Some(found) => (found.type_name(), title),
                None if &*title == "main" && resource.title.as_deref() == Some("") => {
                    (catwalk_base::name!("Class"), title)
                }
                None => (catwalk_base::name!("Class"), std::sync::Arc::from(Name::new(&title).capitalized().as_str())),
            };
            let source = self.source();
            let params = extract_parameters(&params, type_name, &title, span)?;
            self.add_override(Override { type_name, title, params, source, span: Some(span) })?;
        }
        Ok(references)
    }

    /// Merges an override into its resource, or stores it until the resource exists.
    pub(crate) fn add_override(&mut self, over: Override) -> Res<()> {
        // An override of the class without a name is stored until the end, since the class is not found by its title.
        match self.find_resource(over.type_name, &over.title)? {
            Some(id) => self.merge_override(id, &over),
            None => {
                self.state.collection.overrides.entry(over.reference()).or_default().push(over);
                Ok(())
            }
        }
    }

    /// Merges an override into a resource.
    pub(crate) fn merge_override(&mut self, id: ResourceId, over: &Override) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let (source, evaluated) = (entry.source, entry.evaluated);
        if source != over.source && !self.is_child_of(over.source, source)? {
            return parse_error("Only subclasses can override parameters", over.span);
        }
        if evaluated && self.settings.strict != Strict::Off {
            let location =
                self.declared_at(entry).map_or_else(String::new, |location| format!(", defined at {location},"));
            let text = format!("Attempt to override an already evaluated resource{location} with new values");
            if self.settings.strict == Strict::Error {
                return parse_error(text, over.span);
            }
            self.warn_line(text, over.span);
        }
        for (name, param) in &over.params {
            self.override_parameter(id, *name, param.clone())?;
        }
        Ok(())
    }

    fn override_parameter(&mut self, id: ResourceId, name: Name, mut param: Param) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let Some(current) = entry.params.get(&name).cloned() else { return self.set_override(id, name, param) };
        let (scope, type_name) = (entry.scope, entry.type_name);
        if self.is_default(scope, type_name, name, &param.value) {
            return Ok(());
        }
        let may = self.is_child_of(param.source, current.source)?
            || param.source == current.source && self.is_default(scope, type_name, name, &current.value);
        if !may {
            return self.already_set(id, name, &current, param.span);
        }
        if param.append {
            let mut values = Vec::new();
            flatten(&current.value, &mut values);
            flatten(&param.value, &mut values);
            param.value = Value::array(values);
            param.identity = self.state.resources.identity();
        }
        self.set_override(id, name, param)
    }

    fn set_override(&mut self, id: ResourceId, name: Name, param: Param) -> Res<()> {
        match self.state.resources.entries.get_mut(id.0 as usize) {
            Some(entry) => set_param(entry, name, param).map_err(|bad| self.invalid_tag(bad)),
            None => Ok(()),
        }
    }

    fn already_set(&self, id: ResourceId, name: Name, current: &Param, span: Option<Span>) -> Res<()> {
        let reference =
            self.state.resources.entries.get(id.0 as usize).map_or_else(String::new, super::state::Entry::reference);
        let location = self.location(current.span).map_or_else(String::new, |location| format!(" at {location}"));
        // Puppet prints a Ruby object here, whose address changes from run to run.
        let text = format!(
            "Parameter '{name}' is already set on {reference} by #<Puppet::Resource::Type>{location}; cannot redefine"
        );
        parse_error(text, span)
    }

    /// Whether code of `source` may change what `other` set: it is a subclass, or a collector overrode from it.
    pub(crate) fn is_child_of(&self, source: Source, other: Source) -> Res<bool> {
        let mut at = source;
        // A cycle of parents cannot be evaluated; the limit only keeps this loop finite.
        for _ in 0..1000 {
            if self.state.collection.overriding_sources.contains(&at) {
                return Ok(true);
            }
            let Source::Class(name) = at else { return Ok(false) };
            let Some(definition) = self.program.class(name)? else { return Ok(false) };
            let DefinitionKind::Class(class) = &definition.kind else { return Ok(false) };
            let Some((parent, _)) = &class.parent else { return Ok(false) };
            at = Source::Class(parent.normalized());
            if at == other {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An override from a collector: it also brings the defaults of the collector's scope.
    pub(crate) fn collected_override(
        &mut self,
        id: ResourceId,
        params: &[(Name, Param)],
        scope: ScopeId,
        source: Source,
        span: Span,
    ) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let (type_name, title) = (entry.type_name, entry.title.clone());
        let _: &ResourceDefinition<'c> = &entry.declared;
        let mut params = extract_parameters(params, type_name, &title, span)?;
        if self.state.resources.has_defaults {
            for (name, param) in self.defaults_for(scope, type_name)? {
                if !params.contains_key(&name) {
                    params.insert(name, param);
                }
            }
        }
        self.merge_override(id, &Override { type_name, title, params, source, span: Some(span) })
    }
}
