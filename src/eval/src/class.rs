//! Classes: finding, declaring, evaluating them (Puppet::Parser::Compiler#evaluate_classes, Puppet::Resource::Type).

use std::sync::Arc;

use crate::CallFrame;
use crate::Evaluator;
use crate::Res;
use crate::RunningCode;
use crate::ScopeId;
use crate::ScopeKind;
use crate::Stop;
use crate::resource::Form;
use crate::resource::NewResource;
use crate::resource::parse_error;
use crate::resource::set_param;
use crate::runtime3;
use crate::state::Entry;
use crate::state::Param;
use crate::state::Params;
use crate::state::ResourceDefinition;
use crate::state::Source;
use crate::state::TagUnion;
use catwalk_base::names::Name;
use catwalk_base::profile;
use catwalk_catalog::Kind;
use catwalk_catalog::ResourceId;
use catwalk_syntax::ast;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Value;
use catwalk_value::ruby;

/// The form of resources that are neither virtual nor exported.
pub(crate) const REGULAR: Form = Form { is_virtual: false, exported: Some(false), by_function: false };

impl<'c> Evaluator<'c> {
    /// The class of this name: any case, leading `::` allowed; `settings` always exists.
    ///
    /// # Errors
    ///
    /// Its file does not parse.
    pub fn find_class(&mut self, name: &str) -> Res<Option<ResourceDefinition<'c>>> {
        let found = self.program.class(Name::new(name))?;
        self.type_loaded_definitions()?;
        if let Some(definition) = found {
            self.check_parameter_names(definition)?;
            return Ok(Some(ResourceDefinition::Class(Some(definition))));
        }
        let is_settings = name.strip_prefix("::").unwrap_or(name).eq_ignore_ascii_case("settings");
        Ok(is_settings.then_some(ResourceDefinition::Class(None)))
    }

    /// Declares and evaluates classes (`include`): first all become resources unless they are declared, then each is evaluated.
    /// Returns the resources: already evaluated ones first.
    ///
    /// # Errors
    ///
    /// A class is not found, or fails.
    pub fn evaluate_classes(&mut self, names: &[Arc<str>]) -> Res<Vec<ResourceId>> {
        let (mut evaluated, pending) = self.ensure_classes(names)?;
        for id in &pending {
            self.evaluate_resource(*id)?;
        }
        evaluated.extend(pending);
        Ok(evaluated)
    }

    /// Declares classes without evaluating them: resources of those already evaluated, and of the others.
    pub(crate) fn ensure_classes(&mut self, names: &[Arc<str>]) -> Res<(Vec<ResourceId>, Vec<ResourceId>)> {
        let mut classes = Vec::with_capacity(names.len());
        let (mut evaluated, mut pending) = (Vec::new(), Vec::new());
        for name in names {
            // `::` is the name of the main class, which is always evaluated.
            if &**name == "::" {
                evaluated.extend(self.state.resources.main);
                continue;
            }
            let Some(class) = self.find_class(name)? else {
                let certname = &self.node.certname;
                return Err(Stop::runtime(format!("Could not find class {name} for {certname}")));
            };
            classes.push(class);
        }
        for class in classes {
            match self.class_scope(class_name(&class)).and_then(|scope| self.scope_resource(scope)) {
                Some(resource) => evaluated.push(resource),
                None => pending.push(self.ensure_class(class, None)?),
            }
        }
        Ok((evaluated, pending))
    }

    /// The scope of an evaluated class or node block, by normalized name.
    #[must_use]
    pub fn class_scope(&self, name: Name) -> Option<ScopeId> {
        self.class_scopes.get(&name).copied()
    }

    /// Declares a class and returns its resource. Without parameters, an existing declaration is used.
    pub fn ensure_class(&mut self, class: ResourceDefinition<'c>, params: Option<&Params>) -> Res<ResourceId> {
        let name = class_name(&class);
        if params.is_none()
            && let Some(id) = self.find_resource(catwalk_base::name!("Class"), name.capitalized().as_str())?
        {
            return Ok(id);
        }
        let scope = self.base();
        let new = NewResource {
            type_name: catwalk_base::name!("Class"),
            title: name.as_str(),
            title_is_main: false,
            title_value: None,
            declared: class,
            kind: Kind::Unknown,
            span: None,
            form: REGULAR,
            params: params.cloned().unwrap_or_default(),
            scope,
            source: Source::Class(name),
        };
        let entry = self.new_entry(new, true)?;
        self.instantiate(&entry)?;
        self.add_resource(scope, entry)
    }

    /// Prepares a new class: its parent's resource, its tags on the catalog.
    pub(crate) fn instantiate(&mut self, entry: &Entry<'c>) -> Res<()> {
        if let ResourceDefinition::Class(Some(definition)) = &entry.declared
            && let Some(parent) = self.parent_class(definition)?
        {
            let name = class_name(&parent);
            if self.find_resource(catwalk_base::name!("Class"), name.capitalized().as_str())?.is_none() {
                let frame = CallFrame { code: RunningCode::Class(name), called_at: definition.span };
                self.framed(frame, |ev| ev.ensure_class(parent, None))?;
            }
        }
        if matches!(entry.declared, ResourceDefinition::Class(_) | ResourceDefinition::Node(_)) {
            self.state.resources.tags.merge(&entry.tags);
        }
        Ok(())
    }

    /// The parent of a class with `inherits`.
    pub(crate) fn parent_class(&mut self, definition: &'c Definition) -> Res<Option<ResourceDefinition<'c>>> {
        let DefinitionKind::Class(class) = &definition.kind else { return Ok(None) };
        let Some((parent, _)) = &class.parent else { return Ok(None) };
        match self.find_class(parent)? {
            Some(found) => Ok(Some(found)),
            None => {
                let parent = parent.strip_prefix("::").unwrap_or(parent);
                let environment = &self.node.environment;
                let text =
                    format!("Could not find parent resource type '::{parent}' of type hostclass in {environment}");
                parse_error(text, Some(definition.span))
            }
        }
    }

    /// Evaluates the body of a class, define instance or node block once (Puppet::Parser::Resource#evaluate).
    ///
    /// # Errors
    /// A failure in its parameters or body.
    pub fn evaluate_resource(&mut self, id: ResourceId) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return Ok(()) };
        if entry.evaluated {
            return Ok(());
        }
        entry.evaluated = true;
        // A resource that represents a class has no body. (Puppet::Parser::Resource#evaluate)
        if matches!(entry.declared, ResourceDefinition::Builtin(_)) {
            let (type_name, span) = (entry.type_name, entry.span);
            self.program.record_position_use();
            let location = self.location(span).map(|location| format!(" {location}")).unwrap_or_default();
            return Err(Stop::runtime(format!("Cannot evaluate a builtin type ({type_name}){location}")));
        }
        self.add_scope_tags(id);
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let code = match &entry.declared {
            ResourceDefinition::Define(definition) => RunningCode::Define(definition.name),
            class => RunningCode::Class(class_name(class)),
        };
        let definition_span = match &entry.declared {
            ResourceDefinition::Class(Some(definition)) | ResourceDefinition::Define(definition) => {
                Some(definition.span)
            }
            _ => None,
        };
        let _step = match &entry.declared {
            ResourceDefinition::Define(definition) => profile::enter(profile::Kind::Define, definition.name.as_str()),
            ResourceDefinition::Class(Some(definition)) => {
                profile::enter(profile::Kind::Class, definition.name.as_str())
            }
            _ if entry.title_is_main => profile::enter(profile::Kind::Node, "main manifest"),
            ResourceDefinition::Node(_) => profile::enter_with(profile::Kind::Node, || entry.title.to_string()),
            class => profile::enter(profile::Kind::Class, class_name(class).as_str()),
        };
        profile::set_file(|| Some(self.program.sources.get(definition_span?.file)?.name.clone()));
        let Some(called_at) = entry.span.or(self.call_site()).or(definition_span) else {
            return self.restoring_scope(|ev| ev.evaluate_code(id));
        };
        self.framed(CallFrame { code, called_at }, |ev| ev.restoring_scope(|ev| ev.evaluate_code(id)))
    }

    fn restoring_scope<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let caller = self.scope;
        let result = body(self);
        self.scope = caller;
        result
    }

    fn evaluate_code(&mut self, id: ResourceId) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let (declared, scope, is_main) = (entry.declared.clone(), entry.scope, entry.title_is_main);
        let title = entry.title.clone();
        let parent = self.evaluate_parent(&declared)?;
        if !is_main {
            self.scope = self.body_scope(id, &declared, parent, scope);
        }
        match &declared {
            ResourceDefinition::Class(_) if is_main => {}
            ResourceDefinition::Class(_) => self.add_class(class_name(&declared).as_str())?,
            ResourceDefinition::Node(_) => {
                let name = self.state.node_class.take().unwrap_or_else(|| title.to_string());
                self.add_class(&name)?;
            }
            _ => {}
        }
        self.set_resource_parameters(id, &declared)?;
        self.add_edge_to_stage(id)?;
        if is_main {
            return self.main_body();
        }
        let body = match &declared {
            ResourceDefinition::Class(Some(Definition { kind: DefinitionKind::Class(class), .. })) => &class.body,
            ResourceDefinition::Define(Definition { kind: DefinitionKind::Define(define), .. }) => &define.body,
            ResourceDefinition::Node(Definition { kind: DefinitionKind::Node(node), .. }) => {
                self.state.node_scope = Some(self.scope);
                let Some(captures) = self.state.node_captures.take() else {
                    return self.body(&node.body);
                };
                // Code that is evaluated later in the node's scope does not see the captures of its name.
                return self.guarded(|ev| {
                    ev.set_matches(Some(captures));
                    ev.body(&node.body)
                });
            }
            _ => return Ok(()),
        };
        self.returning_body(body)
    }

    /// A body that `return()` and `next()` may leave.
    fn returning_body(&mut self, body: &'c ast::Block) -> Res<()> {
        match self.body(body) {
            Err(Stop::Return(_) | Stop::Next(_)) => Ok(()),
            other => other,
        }
    }

    /// The last value of a body is converted to a 3.x value (`PopsBridge::Expression#evaluate`).
    fn body(&mut self, body: &'c ast::Block) -> Res<()> {
        let last = self.eval_block(body)?;
        Ok(runtime3::check_representable(&last)?)
    }

    fn main_body(&mut self) -> Res<()> {
        for file in self.program.main() {
            self.state.program_file = Some(file.body.span.file);
            let evaluated = self.eval_program(&file.body);
            self.state.program_file = None;
            evaluated?;
        }
        Ok(())
    }

    fn evaluate_parent(&mut self, declared: &ResourceDefinition<'c>) -> Res<Option<ScopeId>> {
        let ResourceDefinition::Class(Some(definition)) = declared else { return Ok(None) };
        let Some(parent) = self.parent_class(definition)? else { return Ok(None) };
        let name = class_name(&parent);
        let Some(id) = self.find_resource(catwalk_base::name!("Class"), name.capitalized().as_str())? else {
            return Ok(None);
        };
        self.evaluate_resource(id)?;
        match self.class_scope(name) {
            Some(scope) => Ok(Some(scope)),
            None => Err(Stop::runtime(format!("Could not find scope for {name}"))),
        }
    }

    fn body_scope(
        &mut self,
        id: ResourceId,
        declared: &ResourceDefinition<'c>,
        inherited: Option<ScopeId>,
        scope: ScopeId,
    ) -> ScopeId {
        let (kind, definition) = match declared {
            ResourceDefinition::Class(definition) => (ScopeKind::Class(class_name(declared)), *definition),
            ResourceDefinition::Define(definition) => {
                (ScopeKind::Define(definition.name.normalized()), Some(*definition))
            }
            ResourceDefinition::Node(definition) => (ScopeKind::Node, Some(*definition)),
            ResourceDefinition::Builtin(_) => (ScopeKind::Local, None),
        };
        let module = definition.and_then(|definition| self.program.module_of(definition.span));
        let new = self.new_scope(kind, Some(inherited.unwrap_or(scope)));
        if let Some(scope) = self.scope_mut(new) {
            scope.inherited = inherited;
            scope.module = module;
            scope.resource = Some(id);
            scope.definition = definition;
        }
        new
    }

    /// Records the name of an evaluated class.
    pub fn add_class(&mut self, name: &str) -> Res<()> {
        self.state.classes.push(Arc::from(name));
        match self.state.resources.tags.add(name) {
            Ok(()) => Ok(()),
            Err(bad) => Err(Stop::runtime(format!("Invalid tag '{bad}'"))),
        }
    }

    /// Adds the edge from a class's stage: its own, its declaring class's, or `main`.
    fn add_edge_to_stage(&mut self, id: ResourceId) -> Res<()> {
        let name = catwalk_base::name!("stage");
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        if !entry.is_class() {
            return Ok(());
        }
        let stage_parameter = entry.get(name).cloned();
        let inherited = || {
            let container = self.scope_resource(entry.scope)?;
            self.state.resources.entries.get(container.0 as usize)?.get(name).cloned()
        };
        let stage = stage_parameter.clone().or_else(inherited);
        let title = stage.as_ref().map_or_else(|| Arc::from("main"), catwalk_value::to_puppet_string);
        let Some(stage) = self.find_resource(catwalk_base::name!("Stage"), &title)? else {
            let named = stage_parameter
                .as_ref()
                .map_or_else(|| "main".to_owned(), |stage_parameter| ruby::to_s(stage_parameter).into_owned());
            let reference = entry.reference();
            return Err(Stop::runtime(format!("Could not find stage {named} specified by {reference}")));
        };
        let source = entry.source;
        let is_main = self.state.resources.entries.get(stage.0 as usize).is_some_and(|stage| stage.title_is_main);
        if stage_parameter.is_none() && !is_main {
            let identity = self.state.resources.identity();
            let param = Param { value: Value::str(title), source, span: None, append: false, identity };
            if let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) {
                set_param(entry, name, param).map_err(|bad| self.invalid_tag(bad))?;
            }
        }
        self.state.resources.containment.add(stage, id);
        Ok(())
    }

    /// Adds the tags of the class, define or node in which a resource is declared.
    pub(crate) fn add_scope_tags(&mut self, id: ResourceId) {
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return };
        if std::mem::replace(&mut entry.scope_tagged, true) {
            return;
        }
        let scope = entry.scope;
        let Some(container) = self.scope_resource(scope).filter(|container| *container != id) else { return };
        let Some(tags) = self.state.resources.entries.get(container.0 as usize).map(|container| container.tags.clone())
        else {
            return;
        };
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return };
        if !entry.tags.is_shared() {
            return entry.tags.merge(&tags);
        }
        // Most resources of a container have no tag but their type.
        let union = self.state.resources.merged_tags.entry((entry.tags.address(), tags.address()));
        let merged = union.or_insert_with(|| {
            let mut all = entry.tags.clone();
            all.merge(&tags);
            TagUnion { sets: (entry.tags.clone(), tags), all }
        });
        entry.tags = merged.all.clone();
    }
}

/// The normalized name of a class: empty for `main`.
pub fn class_name(class: &ResourceDefinition<'_>) -> Name {
    match class {
        ResourceDefinition::Class(Some(definition)) => definition.name.normalized(),
        _ => catwalk_base::name!("settings"),
    }
}
