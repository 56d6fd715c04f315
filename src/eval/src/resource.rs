//! Resource expressions, and the compiler's table of resources (Puppet::Pops::Evaluator::Runtime3ResourceSupport,
//! Puppet::Parser::Resource, the adding and finding parts of Puppet::Resource::Catalog).

mod body;
mod entry;
mod location;

use std::borrow::Cow;
use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::coverage::CoveragePoint;
use crate::register::split_reference;
use crate::state::Entry;
use crate::state::Params;
use crate::state::ResourceDefinition;
use crate::state::Source;
use body::Titles;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::Kind;
use catwalk_catalog::Tags;
use catwalk_syntax::ast;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::ResourceForm;
use catwalk_value::Type;
use catwalk_value::Value;
pub(crate) use entry::InvalidTag;
pub use entry::add_tag;
pub use entry::flatten;
pub(crate) use entry::general_type;
pub(crate) use entry::set_param;
pub(crate) use entry::tags_of;

/// Whether a new resource is real, virtual or exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether the resource must be realized to be in the catalog.
    pub is_virtual: bool,
    /// Whether it is exported; `None` if not specified (`create_resources`).
    pub exported: Option<bool>,
    /// Whether a function creates it: its position is that of the call stack.
    pub by_function: bool,
}

impl Form {
    /// `@`, `@@` or neither in a manifest.
    #[must_use]
    pub fn from_syntax(form: ResourceForm) -> Form {
        Form {
            is_virtual: form != ResourceForm::Regular,
            exported: Some(form == ResourceForm::Exported),
            by_function: false,
        }
    }
}

/// The properties of a new resource.
pub(crate) struct NewResource<'a, 'c> {
    pub(crate) type_name: Name,
    pub(crate) title: &'a str,
    pub(crate) title_is_main: bool,
    /// A title of `create_resources` that is not a string.
    pub(crate) title_value: Option<Value>,
    pub(crate) declared: ResourceDefinition<'c>,
    pub(crate) kind: Kind,
    pub(crate) span: Option<Span>,
    pub(crate) form: Form,
    pub(crate) params: Params,
    pub(crate) scope: ScopeId,
    pub(crate) source: Source,
}

/// A failure with an issue code and a span, worded as an evaluation error.
pub(crate) fn issue<T>(code: Code, message: impl std::fmt::Display, span: Span) -> Res<T> {
    let reason = Reason::new(code, format!("Evaluation Error: {message}"));
    Err(Stop::Failed(Box::new(Diagnostic::new(reason, Some(span)))))
}

/// A failure at a file and line with an unchanged message (Puppet::ParseError); without a position it is worded by the evaluated
/// code.
pub(crate) fn parse_error<T>(message: impl Into<String>, span: Option<Span>) -> Res<T> {
    let reason = Reason::runtime(message.into());
    match span {
        None => Err(reason.into()),
        Some(span) => {
            let mut diagnostic = Diagnostic::new(reason, Some(span));
            diagnostic.hide_column = true;
            Err(Stop::Failed(Box::new(diagnostic)))
        }
    }
}

impl<'c> Evaluator<'c> {
    /// A resource expression: returns the references of its resources.
    ///
    /// # Errors
    ///
    /// Unknown type, invalid titles or attributes, duplicate declaration, a failure in a class it declares.
    pub(crate) fn eval_resource(&mut self, resource: &'c ast::Resource, span: Span) -> Res<Value> {
        self.count_hit(CoveragePoint::Resource, span);
        let type_name = self.resource_type_name(&resource.type_name)?;
        let form = Form::from_syntax(resource.form);
        if resource.form == ResourceForm::Exported && !self.storeconfigs() {
            let text = "You cannot collect exported resources without storeconfigs being set; the export is ignored";
            self.warn_of_issue(Reason::new(Code::RT_NO_STORECONFIGS_EXPORT, text), Some(span));
        }
        // Titles are evaluated before the attributes of their body; `default` may come last.
        let mut seen = Titles::default();
        let mut bodies = Vec::with_capacity(resource.bodies.len());
        for (number, body) in resource.bodies.iter().enumerate() {
            let titles = self.body_titles(body, (number, resource.bodies.len() == 1), span, &mut seen)?;
            let params = self.body_params(&body.attributes, span)?;
            bodies.push((titles, params));
        }
        let defaults =
            seen.get(&Value::Default).and_then(|number| bodies.get(*number)).map(|(_, params)| params.clone());
        let mut references = Vec::new();
        for (titles, params) in bodies {
            let params = match &defaults {
                Some(defaults) => {
                    let mut merged = defaults.clone();
                    merged.extend(params);
                    merged
                }
                None => params,
            };
            let titles: Vec<Value> = titles.into_iter().map(Value::Str).collect();
            references.extend(self.create_resources(Some(span), form, &type_name, &titles, params)?);
        }
        Ok(Value::array(references))
    }

    fn resource_type_name(&mut self, expr: &'c ast::Expr) -> Res<Cow<'static, str>> {
        let acceptable = match &expr.kind {
            ExprKind::Bareword(name) => return Ok(Cow::Borrowed(name.as_str())),
            ExprKind::TypeName(_) => true,
            ExprKind::Access(access) => matches!(access.left.kind, ExprKind::TypeName(_)),
            _ => false,
        };
        let value = self.eval(expr)?;
        let illegal = |actual: String| {
            let text = "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got";
            issue(Code::ILLEGAL_RESOURCE_TYPE, format!("{text} {actual}"), expr.span)
        };
        match &value {
            Value::Type(Type::Class(None)) if acceptable => Ok(Cow::Borrowed("class")),
            Value::Type(t @ Type::Class(Some(_))) if acceptable => illegal(t.to_string()),
            Value::Type(t @ Type::Resource(reference)) if acceptable => {
                match (&reference.type_name, &reference.title) {
                    (Some(name), None) => Ok(Cow::Owned(name.to_string())),
                    _ => illegal(t.to_string()),
                }
            }
            Value::Type(Type::Reference(name)) if acceptable => {
                issue(Code::UNKNOWN_RESOURCE_TYPE, format!("Resource type not found: {name}"), expr.span)
            }
            other => illegal(general_type(other)),
        }
    }

    /// Creates one resource for each title and adds it; classes are evaluated at once. Returns their references.
    ///
    /// # Errors
    ///
    /// Unknown type, duplicate declaration, a failure in a class it declares.
    pub fn create_resources(
        &mut self,
        span: Option<Span>,
        form: Form,
        type_name: &str,
        titles: &[Value],
        mut params: Params,
    ) -> Res<Vec<Value>> {
        let scope = self.base();
        let source = self.source();
        let is_class = type_name.eq_ignore_ascii_case("class");
        let definition = if is_class { None } else { self.find_resource_type(Name::new(type_name))? };
        if !is_class && definition.is_none() {
            return Err(Stop::runtime(format!("Unknown resource type: '{type_name}'")));
        }
        if !form.by_function && !matches!(definition, Some(ResourceDefinition::Builtin(_))) {
            // All resources of one body share a copy.
            for param in params.values_mut() {
                param.value = param.value.deep_copy();
            }
        }
        let mut references = Vec::with_capacity(titles.len());
        for (at, value) in titles.iter().enumerate() {
            let title = title_string(value, definition.as_ref(), type_name)?;
            let (declared, kind, type_name) = self.definition_for_title(definition.as_ref(), &title)?;
            let class_title = class_title(&declared);
            let title = class_title.unwrap_or(&title);
            let represented = represented_resource(type_name, title);
            if let Some((type_name, _)) = &represented
                && let Err(tag) = Tags::default().add(type_name.as_str())
            {
                return Err(self.invalid_tag(InvalidTag { tag, span, by_function: form.by_function }));
            }
            let (type_name, title) = represented.as_ref().map_or((type_name, title), |(name, title)| (*name, title));
            references.push(self.create_resource(NewResource {
                type_name,
                title,
                title_is_main: false,
                title_value: (class_title.is_none() && !matches!(value, Value::Str(_))).then(|| value.clone()),
                declared,
                kind,
                span,
                form,
                params: if at + 1 == titles.len() { std::mem::take(&mut params) } else { params.clone() },
                scope,
                source,
            })?);
        }
        Ok(references)
    }

    /// The definition for a title of `create_resources`, with its kind and the type's capitalized name. Without a resource type, the
    /// title names a class.
    fn definition_for_title(
        &mut self,
        definition: Option<&ResourceDefinition<'c>>,
        title: &str,
    ) -> Res<(ResourceDefinition<'c>, Kind, Name)> {
        match definition {
            Some(declared @ ResourceDefinition::Builtin(builtin)) => {
                Ok((declared.clone(), Kind::CompilableType, builtin.name))
            }
            Some(declared @ ResourceDefinition::Define(definition)) => {
                Ok((declared.clone(), Kind::DefinedType, definition.name.capitalized()))
            }
            _ => match self.find_class(title)? {
                Some(class) => Ok((class, Kind::Class, catwalk_base::name!("Class"))),
                None => Err(Stop::runtime(format!("Could not find declared class {title}"))),
            },
        }
    }

    /// Adds a resource, evaluates it if it is a class, and returns its reference.
    fn create_resource(&mut self, new: NewResource<'_, 'c>) -> Res<Value> {
        let (scope, title) = (new.scope, new.title);
        let is_class = matches!(new.declared, ResourceDefinition::Class(_));
        let entry = self.new_entry(new, true)?;
        self.instantiate(&entry)?;
        let reference = Value::Type(Type::titled(entry.type_name, Some(entry.title.clone())));
        self.add_resource(scope, entry)?;
        if is_class {
            self.evaluate_classes(&[Arc::from(title)])?;
        }
        Ok(reference)
    }

    /// A resource that is not in a table yet; its tags so far are its own, its type's and its title's.
    pub(crate) fn new_entry(&mut self, new: NewResource<'_, 'c>, with_defaults: bool) -> Res<Entry<'c>> {
        let is_class = matches!(new.declared, ResourceDefinition::Class(_));
        let title_is_main = new.title_is_main;
        let title: Arc<str> = match (title_is_main, is_class) {
            (true, _) => Arc::from("main"),
            (false, true) => Name::new(new.title).capitalized().shared(),
            (false, false) => Arc::from(new.title),
        };
        let mut entry = Entry {
            type_name: new.type_name,
            title,
            title_is_main,
            title_value: new.title_value,
            declared: new.declared,
            kind: new.kind,
            span: new.span,
            exported: new.form.exported,
            by_function: new.form.by_function,
            is_virtual: new.form.is_virtual || new.form.exported == Some(true),
            params: Params::default(),
            sensitive: Vec::new(),
            tags: Tags::default(),
            source: new.source,
            scope: new.scope,
            evaluated: false,
            scope_tagged: false,
            checked: false,
            finished: false,
            in_compiler: true,
        };
        if new.params.contains_key(&catwalk_base::name!("tag")) {
            for (name, param) in new.params {
                set_param(&mut entry, name, param).map_err(|bad| self.invalid_tag(bad))?;
            }
        } else {
            entry.params = new.params;
        }
        // The type is always a legal tag; it comes first unless there are explicit tags.
        if entry.tags.is_empty() {
            entry.tags = self.type_tags(entry.type_name);
        } else {
            let _ = entry.tags.add(entry.type_name.as_str());
        }
        if !title_is_main && entry.title_value.is_none() {
            entry.tags.add_if_valid(&entry.title);
        }
        if with_defaults && self.state.resources.has_defaults {
            for (name, param) in self.defaults_for(new.scope, entry.type_name)? {
                if !entry.params.contains_key(&name) {
                    set_param(&mut entry, name, param).map_err(|bad| self.invalid_tag(bad))?;
                }
            }
        }
        Ok(entry)
    }

    fn type_tags(&mut self, type_name: Name) -> Tags {
        let cached = self.state.resources.type_tags.entry(type_name);
        let tags = cached.or_insert_with(|| {
            let mut tags = Tags::default();
            let _ = tags.add(type_name.as_str());
            tags
        });
        tags.clone()
    }
}

/// A title as a string. A title of `create_resources` that is not a string is printed as by Ruby: references are resources.
///
/// # Errors
///
/// The title of a resource is `undef`.
fn title_string(title: &Value, definition: Option<&ResourceDefinition<'_>>, type_name: &str) -> Res<Arc<str>> {
    match title {
        Value::Undef if definition.is_some() => {
            let ruby_name = match definition {
                Some(ResourceDefinition::Define(definition)) => format!("{:?}", definition.name.normalized().as_str()),
                _ => format!(":{}", type_name.to_lowercase()),
            };
            Err(Stop::runtime(format!("No title provided and {ruby_name} is not a valid resource reference")))
        }
        Value::Type(_) | Value::Array(_) | Value::Hash(_) => Ok(Arc::from(crate::runtime3::to_s(title))),
        title => Ok(catwalk_value::to_puppet_string(title)),
    }
}

/// The title of a class by its definition; `None` for other resources.
fn class_title(declared: &ResourceDefinition<'_>) -> Option<&'static str> {
    match declared {
        ResourceDefinition::Class(Some(definition)) => Some(definition.name.normalized().as_str()),
        ResourceDefinition::Class(None) => Some("settings"),
        _ => None,
    }
}

/// The resource that a resource of a placeholder type represents: a `whit` or `component` titled `File[/x]` is that file, any
/// other `component` a class (Puppet::Resource.type_and_title). It keeps its type's parameters.
fn represented_resource(type_name: Name, title: &str) -> Option<(Name, String)> {
    let is_component = type_name == catwalk_base::name!("Component");
    if !is_component && type_name != catwalk_base::name!("Whit") {
        return None;
    }
    let class = catwalk_base::name!("Class");
    let (type_name, title) = match split_reference(title) {
        Some((type_name, title)) => (Name::new(type_name).capitalized(), title),
        None if is_component => (class, title),
        None => return None,
    };
    let title = if type_name == class { Name::new(title).capitalized().as_str().to_owned() } else { title.to_owned() };
    Some((type_name, title))
}
