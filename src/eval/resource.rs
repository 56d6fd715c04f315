//! Resource expressions, and the compiler's table of resources (Puppet::Pops::Evaluator::Runtime3ResourceSupport,
//! Puppet::Parser::Resource, the adding and finding parts of Puppet::Resource::Catalog).

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::catalog::Kind;
use crate::catalog::ResourceId;
use crate::catalog::Tags;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Running;
use crate::eval::ScopeId;
use crate::eval::ScopeKind;
use crate::eval::Stop;
use crate::eval::coverage::Mark;
use crate::eval::register::split_reference;
use crate::eval::state::Declared;
use crate::eval::state::Entry;
use crate::eval::state::Param;
use crate::eval::state::Params;
use crate::eval::state::Source;
use crate::functions::ruby;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::ast::AttributeOp;
use crate::syntax::ast::ExprKind;
use crate::syntax::ast::ResourceForm;
use crate::types::Type;
use crate::value::Value;

/// Whether a new resource is real, virtual or exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Not to be realized.
    pub is_virtual: bool,
    /// Exported; `None` when nothing was said (`create_resources`).
    pub exported: Option<bool>,
    /// Made by a function: its place is that of the call stack.
    pub by_function: bool,
}

impl Form {
    /// `@`, `@@` or neither in a manifest.
    #[must_use]
    pub fn written(form: ResourceForm) -> Form {
        Form {
            is_virtual: form != ResourceForm::Regular,
            exported: Some(form == ResourceForm::Exported),
            by_function: false,
        }
    }
}

/// What is needed to make a resource.
pub(crate) struct New<'a, 'c> {
    pub(crate) type_name: Name,
    pub(crate) title: &'a str,
    pub(crate) title_is_main: bool,
    /// A title of `create_resources` that is not a text.
    pub(crate) title_value: Option<Value>,
    pub(crate) declared: Declared<'c>,
    pub(crate) kind: Kind,
    pub(crate) span: Option<Span>,
    pub(crate) form: Form,
    pub(crate) params: Params,
    pub(crate) scope: ScopeId,
    pub(crate) source: Source,
}

/// A failure with an issue code at a place, worded as an evaluation error.
pub(crate) fn issue<T>(code: &'static str, message: impl std::fmt::Display, span: Span) -> Res<T> {
    let reason = Reason::new(Code(code), format!("Evaluation Error: {message}"));
    Err(Stop::Failed(Box::new(Diagnostic::new(reason, Some(span)))))
}

/// A failure at a file and line, worded as it stands (Puppet::ParseError); without a place it is worded by whoever
/// evaluates.
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
    /// A resource expression: the references of the resources it made.
    ///
    /// # Errors
    /// Unknown type, bad titles or attributes, duplicate declaration, a failure in a class it declares.
    pub fn eval_resource(&mut self, resource: &'c ast::Resource, span: Span) -> Res<Value> {
        self.cover(Mark::Resource, span);
        let type_name = self.resource_type_name(&resource.type_name)?;
        let form = Form::written(resource.form);
        if resource.form == ResourceForm::Exported && !self.storeconfigs() {
            let text = "You cannot collect exported resources without storeconfigs being set; the export is ignored";
            self.warn(Reason::new(Code("RT_NO_STORECONFIGS_EXPORT"), text), span);
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
        let mut made = Vec::new();
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
            made.extend(self.create_resources(Some(span), form, &type_name, &titles, params)?);
        }
        Ok(Value::array(made))
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
            issue("ILLEGAL_RESOURCE_TYPE", format!("{text} {actual}"), expr.span)
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
                issue("UNKNOWN_RESOURCE_TYPE", format!("Resource type not found: {name}"), expr.span)
            }
            other => illegal(general_type(other)),
        }
    }

    fn body_titles(
        &mut self,
        body: &'c ast::ResourceBody,
        (number, only): (usize, bool),
        span: Span,
        seen: &mut Titles,
    ) -> Res<Vec<Arc<str>>> {
        let value = self.eval(&body.title)?;
        let place = body.title.span;
        if value.is_undef() {
            return issue("MISSING_TITLE", "Missing title. The title expression resulted in undef", place);
        }
        if let Value::Str(title) = &value
            && only
            && !title.is_empty()
        {
            return Ok(vec![title.clone()]);
        }
        let mut flat = Vec::new();
        flatten(&value, &mut flat);
        let mut titles = Vec::with_capacity(flat.len());
        for (index, title) in flat.into_iter().enumerate() {
            match &title {
                Value::Undef => {
                    let text = "The title expression resulted in an undef title";
                    return issue("MISSING_TITLE_AT", format!("Missing title at index {index}. {text}"), place);
                }
                Value::Str(text) if text.is_empty() => {
                    let text = "Title strings must have a length greater than zero.";
                    return issue("EMPTY_STRING_TITLE_AT", format!("Empty string title at {index}. {text}"), place);
                }
                Value::Str(_) | Value::Default => {}
                other => {
                    let actual = general_type(other);
                    let text = format!("Illegal title type at index {index}. Expected String, got {actual}");
                    return issue("ILLEGAL_TITLE_TYPE_AT", text, place);
                }
            }
            if seen.contains_key(&title) {
                let name = title.as_str().unwrap_or("default");
                let text = format!("The title '{name}' has already been used in this resource expression");
                return issue("DUPLICATE_TITLE", text, span);
            }
            seen.insert(title.clone(), number);
            if let Value::Str(text) = title {
                titles.push(text);
            }
        }
        Ok(titles)
    }

    fn body_params(&mut self, attributes: &'c [ast::Attribute], span: Span) -> Res<Params> {
        let mut params = Params::default();
        params.reserve(attributes.len());
        for attribute in attributes {
            if attribute.op != AttributeOp::Splat {
                let param = self.attribute_param(attribute)?;
                if params.contains_key(&attribute.name) {
                    let text = format!("The attribute '{}' has already been set", attribute.name);
                    return issue("DUPLICATE_ATTRIBUE", text, span);
                }
                params.insert(attribute.name, param);
                continue;
            }
            for (name, param) in self.attribute_params(attribute)? {
                if params.contains_key(&name) {
                    let text = format!("The attribute '{name}' has already been set");
                    return issue("DUPLICATE_ATTRIBUE", text, span);
                }
                params.insert(name, param);
            }
        }
        Ok(params)
    }

    /// The parameters one attribute gives: several for `* => hash`.
    pub(crate) fn attribute_params(&mut self, attribute: &'c ast::Attribute) -> Res<Vec<(Name, Param)>> {
        if attribute.op != AttributeOp::Splat {
            return Ok(vec![(attribute.name, self.attribute_param(attribute)?)]);
        }
        let value = self.eval(&attribute.value)?;
        let source = self.source();
        let Value::Hash(hash) = &value else {
            let actual = general_type(&value);
            let text = format!("Expected value of type Hash, got {actual}");
            return issue("TYPE_MISMATCH", text, attribute.value.span);
        };
        let mut params = Vec::with_capacity(hash.len());
        for (key, value) in hash.iter() {
            let name = match key {
                Value::Str(name) | Value::Symbol(name) => name.as_ref(),
                Value::Default => "default",
                _ => return Err(self.no_attribute_name(key, attribute.span)),
            };
            let param = self.param(value.clone(), source, Some(attribute.span), false).map_err(|stop| match stop {
                Stop::Reason(reason) => self.place_as(*reason, attribute.span, || "Object".to_owned()),
                stop => stop,
            })?;
            params.push((Name::new(name), param));
        }
        Ok(params)
    }

    /// Keys of `* => hash` are turned into symbols; what happens to one that is no text is Ruby's word.
    fn no_attribute_name(&self, key: &Value, span: Span) -> Stop {
        let text = match key {
            Value::Undef => {
                let place = self.location(Some(span)).map_or_else(String::new, |place| format!(" {place}"));
                format!("'name' is a required option for Puppet::Parser::Resource::Param{place}")
            }
            key => {
                let hint =
                    if matches!(key, Value::Int(_) | Value::BigInt(_)) { "\nDid you mean?  integer?" } else { "" };
                format!("undefined method `intern' for {}{hint}", crate::eval::ruby_receiver(key))
            }
        };
        self.place_as(Reason::runtime(text), span, || "Object".to_owned())
    }

    fn attribute_param(&mut self, attribute: &'c ast::Attribute) -> Res<Param> {
        let value = self.eval(&attribute.value)?;
        let source = self.source();
        let append = attribute.op == AttributeOp::Append;
        let operator = if append { "+>" } else { "=>" };
        self.param(value, source, Some(attribute.span), append).map_err(|stop| match stop {
            Stop::Reason(reason) => self.place_as(*reason, attribute.span, || format!("'{operator}' expression")),
            stop => stop,
        })
    }

    /// A parameter from a value of the language: references are resolved as the catalog knows them.
    pub(crate) fn param(&mut self, value: Value, source: Source, span: Option<Span>, append: bool) -> Res<Param> {
        let value = self.catalog_value(value)?;
        Ok(Param { value, source, span, append, identity: self.state.identity() })
    }

    /// Makes one resource for each title and adds it; classes are evaluated at once. Gives their references.
    ///
    /// # Errors
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
        let found = if is_class { None } else { self.find_resource_type(Name::new(type_name))? };
        if !is_class && found.is_none() {
            return Err(Stop::runtime(format!("Unknown resource type: '{type_name}'")));
        }
        if !form.by_function && !matches!(found, Some(Declared::Builtin(_))) {
            // All that one body declares have the same copy.
            for param in params.values_mut() {
                param.value = param.value.copied();
            }
        }
        let mut made = Vec::with_capacity(titles.len());
        for (at, given) in titles.iter().enumerate() {
            if given.is_undef() && !is_class {
                let shown = match &found {
                    Some(Declared::Define(definition)) => format!("{:?}", definition.name.normalized().as_str()),
                    _ => format!(":{}", type_name.to_lowercase()),
                };
                return Err(Stop::runtime(format!("No title provided and {shown} is not a valid resource reference")));
            }
            let title = &crate::value::to_puppet_string(given);
            let (declared, kind, name) = match &found {
                Some(declared @ Declared::Builtin(builtin)) => (declared.clone(), Kind::CompilableType, builtin.name),
                Some(declared @ Declared::Define(definition)) => {
                    (declared.clone(), Kind::DefinedType, definition.name.capitalized())
                }
                _ => {
                    let Some(class) = self.find_class(title)? else {
                        return Err(Stop::runtime(format!("Could not find declared class {title}")));
                    };
                    (class, Kind::Class, crate::name!("Class"))
                }
            };
            let class_name = match &declared {
                Declared::Class(Some(definition)) => Some(definition.name.normalized().as_str()),
                Declared::Class(None) => Some("settings"),
                _ => None,
            };
            let title = class_name.unwrap_or(title);
            let stood_for = stood_for(name, title);
            if let Some((name, _)) = &stood_for
                && let Err(tag) = Tags::default().add(name.as_str())
            {
                return Err(self.invalid_tag(BadTag { tag, span, by_function: form.by_function }));
            }
            let (name, title) = stood_for.as_ref().map_or((name, title), |(name, title)| (*name, title));
            let title_value = (class_name.is_none() && !matches!(given, Value::Str(_))).then(|| given.clone());
            let params = if at + 1 == titles.len() { std::mem::take(&mut params) } else { params.clone() };
            let new = New {
                type_name: name,
                title,
                title_is_main: false,
                title_value,
                declared,
                kind,
                span,
                form,
                params,
                scope,
                source,
            };
            let entry = self.new_entry(new, true)?;
            self.instantiate(&entry)?;
            let reference = Value::Type(Type::titled(entry.type_name, Some(entry.title.clone())));
            self.add_resource(scope, entry)?;
            if class_name.is_some() {
                self.evaluate_classes(&[Arc::from(title)])?;
            }
            made.push(reference);
        }
        Ok(made)
    }

    /// A resource that is in no table yet; its tags so far are its own, its type's and its title's.
    pub(crate) fn new_entry(&mut self, new: New<'_, 'c>, with_defaults: bool) -> Res<Entry<'c>> {
        let is_class = matches!(new.declared, Declared::Class(_));
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
        if new.params.contains_key(&crate::name!("tag")) {
            for (name, param) in new.params {
                set_param(&mut entry, name, param).map_err(|bad| self.invalid_tag(bad))?;
            }
        } else {
            entry.params = new.params;
        }
        // The type is always a legal tag; it comes first but for tags that were given.
        if entry.tags.is_empty() {
            entry.tags = self.type_tags(entry.type_name);
        } else {
            let _ = entry.tags.add(entry.type_name.as_str());
        }
        if !title_is_main && entry.title_value.is_none() {
            entry.tags.add_if_valid(&entry.title);
        }
        if with_defaults && self.state.any_defaults {
            for (name, param) in self.defaults_for(new.scope, entry.type_name) {
                if !entry.params.contains_key(&name) {
                    set_param(&mut entry, name, param).map_err(|bad| self.invalid_tag(bad))?;
                }
            }
        }
        Ok(entry)
    }

    fn type_tags(&mut self, type_name: Name) -> Tags {
        let known = self.state.type_tags.entry(type_name);
        let made = known.or_insert_with(|| {
            let mut tags = Tags::default();
            let _ = tags.add(type_name.as_str());
            tags
        });
        made.clone()
    }

    /// Whether exports are stored and collected.
    pub(crate) fn storeconfigs(&self) -> bool {
        self.settings.flag("storeconfigs")
    }

    /// Adds a warning that ends with file and line, as the compiler's own do.
    pub(crate) fn warn_line(&mut self, message: String, span: Option<Span>) {
        let place = self.location(span).map_or_else(String::new, |place| format!(" {place}"));
        let text = format!("{message}{place}");
        let mut diagnostic = Diagnostic::new(Reason::runtime(text), None).severity(Severity::Warning);
        if let Some(span) = span {
            diagnostic = diagnostic.label(span, "");
        }
        self.note(diagnostic);
    }

    /// `(file: F, line: L)` of a resource. What `create_resources` makes has the place of the call stack, where a text
    /// that is no file is called `unknown`.
    pub(crate) fn declared_at(&self, entry: &Entry<'c>) -> Option<String> {
        match self.program.sources.locate(entry.span?)? {
            (source, line, _) if source.path.is_none() && entry.by_function => {
                Some(format!("(file: unknown, line: {line})"))
            }
            _ => self.location(entry.span),
        }
    }

    /// An error at a resource's place.
    pub(crate) fn error_at(&self, reason: Reason, entry: &Entry<'c>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(reason, entry.span);
        diagnostic.hide_column = true;
        self.as_declared(diagnostic, entry.by_function)
    }

    /// A tag that a resource cannot have: the error is at the resource's place.
    pub(crate) fn invalid_tag(&self, bad: BadTag) -> Stop {
        let BadTag { tag, span, by_function } = bad;
        let reason = Reason::runtime(format!("Invalid tag '{tag}'"));
        if span.is_none() {
            return reason.into();
        }
        let mut diagnostic = Diagnostic::new(reason, span);
        diagnostic.hide_column = true;
        Stop::Failed(Box::new(self.as_declared(diagnostic, by_function)))
    }

    /// The call stack of the reference calls code without a file `unknown`.
    fn as_declared(&self, mut diagnostic: Diagnostic, by_function: bool) -> Diagnostic {
        if by_function
            && let Some(span) = diagnostic.span
            && let Some((source, line, _)) = self.program.sources.locate(span)
            && source.path.is_none()
        {
            let place = format!("(file: unknown, line: {line})");
            diagnostic.message = format!("{} {place}", diagnostic.message).into();
            diagnostic.span = None;
            return diagnostic.label(span, "");
        }
        diagnostic
    }

    /// The Puppet call stack as the reference keeps it, innermost first: the calls of functions, and the main manifest
    /// as line 0 of its file.
    pub(crate) fn stacktrace(&self) -> impl Iterator<Item = (String, u32)> {
        self.program.uses_places();
        let place = |span| self.program.sources.locate(span).map(|(source, line, _)| (source, line));
        let calls = self.frames.iter().rev().filter(|frame| matches!(frame.what, Running::Function(_)));
        // A function in Ruby that calls another adds no step: both have its place.
        let mut last = None;
        let calls = calls.filter(move |frame| last.replace(frame.called_at) != Some(frame.called_at));
        let main = self.state.program_file.and_then(|file| Some((self.program.sources.get(file)?, 0)));
        calls.filter_map(move |frame| place(frame.called_at)).chain(main).map(|(source, line)| {
            let file = source.path.as_ref().map_or_else(|| "unknown".to_owned(), |path| path.display().to_string());
            (file, line)
        })
    }

    /// `(file: F, line: L)` of a place.
    pub(crate) fn location(&self, span: Option<Span>) -> Option<String> {
        let (source, line, _) = self.program.sources.locate(span?)?;
        Some(match &source.path {
            Some(path) => format!("(file: {}, line: {line})", path.display()),
            None => format!("(line: {line})"),
        })
    }

    /// The resource whose body a scope belongs to.
    pub(crate) fn scope_resource(&self, scope: ScopeId) -> Option<ResourceId> {
        self.scopes.get(self.base_of(scope).0 as usize)?.resource
    }

    /// Whose code is evaluated now.
    pub(crate) fn source(&self) -> Source {
        self.source_of(self.scope)
    }

    /// Whose code a scope belongs to.
    pub(crate) fn source_of(&self, scope: ScopeId) -> Source {
        let Some(scope) = self.scopes.get(self.base_of(scope).0 as usize) else {
            return Source::Class(crate::name!(""));
        };
        match scope.kind {
            ScopeKind::Class(name) => Source::Class(name),
            ScopeKind::Define(name) => Source::Define(name),
            ScopeKind::Node => {
                let title = scope.resource.and_then(|id| self.state.entries.get(id.0 as usize));
                Source::Node(Name::new(title.map_or("default", |entry| &entry.title)))
            }
            ScopeKind::Top | ScopeKind::Function | ScopeKind::Local => Source::Class(crate::name!("")),
        }
    }
}

/// What a resource of a type that only stands for others is: a `whit` or `component` titled `File[/x]` is that
/// file, any other `component` a class (Puppet::Resource.type_and_title). It keeps its type's parameters.
fn stood_for(type_name: Name, title: &str) -> Option<(Name, String)> {
    let is_component = type_name == crate::name!("Component");
    if !is_component && type_name != crate::name!("Whit") {
        return None;
    }
    let class = crate::name!("Class");
    let (type_name, title) = match split_reference(title) {
        Some((type_name, title)) => (Name::new(type_name).capitalized(), title),
        None if is_component => (class, title),
        None => return None,
    };
    let title = if type_name == class { Name::new(title).capitalized().as_str().to_owned() } else { title.to_owned() };
    Some((type_name, title))
}

/// Titles of one resource expression, with the bodies they stand in.
type Titles = IndexMap<Value, usize, FxBuildHasher>;

/// A text that cannot tag a resource; [`Evaluator::invalid_tag`] says where.
pub(crate) struct BadTag {
    tag: String,
    span: Option<Span>,
    by_function: bool,
}

/// Tags a resource.
pub(crate) fn add_tag(entry: &mut Entry<'_>, tag: &str) -> Result<(), BadTag> {
    let (span, by_function) = (entry.span, entry.by_function);
    entry.tags.add(tag).map_err(|tag| BadTag { tag, span, by_function })
}

/// Sets a parameter; `tag` tags the resource.
pub(crate) fn set_param(entry: &mut Entry<'_>, name: Name, param: Param) -> Result<(), BadTag> {
    if name == crate::name!("tag") {
        tags_of(&param.value).iter().try_for_each(|tag| add_tag(entry, tag))?;
    }
    entry.checked = false;
    entry.params.insert(name, param);
    Ok(())
}

/// The tags a value of the metaparameter is: Ruby's splat makes a list of a hash and of a type made of types, and none of a
/// reference, which has no parameters; a reference in a list is a tag.
pub(crate) fn tags_of(value: &Value) -> Vec<String> {
    let mut flat = Vec::new();
    match value {
        Value::Type(Type::Resource(_) | Type::Class(_)) => {}
        Value::Hash(pairs) => pairs.iter().for_each(|(key, value)| {
            flatten(key, &mut flat);
            flatten(value, &mut flat);
        }),
        Value::Type(_) => match crate::value::starred(value) {
            Some(items) => flat = items,
            None => flat.push(value.clone()),
        },
        value => flatten(value, &mut flat),
    }
    flat.iter().filter(|tag| !tag.is_undef()).map(crate::eval::ruby_text).collect()
}

/// All elements of nested arrays; a value that is no array gives itself.
pub(crate) fn flatten(value: &Value, into: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        other => into.push(other.clone()),
    }
}

/// A value as Ruby's `inspect` prints it.
pub(crate) fn inspect(value: &Value) -> String {
    match value {
        Value::Undef => "nil".to_owned(),
        Value::Str(_) => ruby::inspect(value),
        other => crate::value::to_puppet_string(other).to_string(),
    }
}

/// The generalized type of a value, for messages.
pub(crate) fn general_type(value: &Value) -> String {
    crate::types::generalize(&crate::types::infer(value)).to_string()
}
