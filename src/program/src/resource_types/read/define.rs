//! The calls that define a resource type: `newtype`, `newparam`, `newproperty`, `ensurable`, and the Resource API.
//! In: calls with their static arguments. Out: the [`Definition`] in the reader, at the end a [`ResourceType`].
//! Must not: parse, or know where files are.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::block::Block;
use super::call::Call;
use super::reader::Reader;
use super::reader::Scope;
use super::schema::Schema;
use super::value::Value;
use crate::resource_types::AttributeKind;
use crate::resource_types::ResourceType;
use crate::resource_types::TitlePattern;
use crate::resource_types::api;
use crate::resource_types::whole_title;
use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;

/// A type while its definition is read.
#[derive(Debug, Default)]
pub(super) struct Definition {
    properties: Vec<Name>,
    /// Parameters and whether each is a key attribute.
    parameters: Vec<(Name, bool)>,
    isomorphic: Option<bool>,
    from_api: bool,
    pub(super) class_methods: BTreeMap<Name, Block>,
    pub(super) methods: BTreeMap<Name, Block>,
    /// Modules the type extends itself with.
    extended: Vec<String>,
    /// Title patterns that are given as data (Resource API).
    patterns: Option<Value>,
    /// The argument of `register_type`.
    pub(super) schema: Schema,
    pub(super) gaps: Vec<String>,
}

impl Reader<'_, '_> {
    /// `Puppet::Type.newtype(:name) do … end`; only the wanted type is read.
    pub(super) fn newtype(&mut self, call: &Call<'_>, scope: &Scope) -> Value {
        let named = call.arguments.first().and_then(Value::text).is_some_and(|name| *name == *self.type_name);
        let Some(block) = call.block.as_ref().filter(|_| named) else { return Value::Unknown };
        self.definition = Some(Definition::default());
        self.invoke(block, Vec::new(), None, scope.modules.clone(), true);
        Value::Type(self.type_name)
    }

    /// `@isomorphic = false`
    pub(super) fn set_isomorphic(&mut self, scope: &Scope, line: u32, value: &Value) {
        match value.truth() {
            None => self.gap(scope, line, "@isomorphic"),
            known => {
                if let Some(definition) = &mut self.definition {
                    definition.isomorphic = known;
                }
            }
        }
    }

    /// A call in the body of `newtype`; `None` if it does not define anything.
    pub(super) fn define(&mut self, call: &Call<'_>, scope: &Scope) -> Option<Value> {
        match call.name {
            "newparam" => self.attribute(call, scope, AttributeKind::Parameter),
            "newproperty" => self.attribute(call, scope, AttributeKind::Property),
            "ensurable" => self.add_property(Name::new("ensure")),
            "provide" => self.provide(),
            "extend" => {
                for module in &call.arguments {
                    match (module, &mut self.definition) {
                        (Value::Constant(path), Some(definition)) => definition.extended.push(path.clone()),
                        _ => self.gap(scope, call.line, "extend"),
                    }
                    self.run_mixin_hook(module, "extended");
                }
            }
            "include" => {
                for module in &call.arguments {
                    self.include(module);
                    self.run_mixin_hook(module, "included");
                }
            }
            "define_singleton_method" => match (call.string(0), &call.block, &mut self.definition) {
                (Some(name), Some(block), Some(definition)) => {
                    definition.class_methods.insert(Name::new(name), block.clone());
                }
                _ => self.gap(scope, call.line, "define_singleton_method"),
            },
            name => {
                let method = self.class_method(name)?;
                return Some(self.invoke(&method, call.arguments.clone(), call.block.clone(), Vec::new(), true));
            }
        }
        Some(Value::Unknown)
    }

    fn class_method(&self, name: &str) -> Option<Block> {
        let definition = self.definition.as_ref()?;
        let method = definition.class_methods.get(&Name::new(name));
        let extended =
            || definition.extended.iter().rev().find_map(|module| self.methods.get(&format!("{module}#{name}")));
        method.or_else(extended).cloned()
    }

    /// Runs a module's hooks for the type that extends or includes it: `def self.extended(type)`, `def self.included(type)`.
    fn run_mixin_hook(&mut self, module: &Value, hook: &str) {
        let Value::Constant(path) = module else { return };
        let Some(method) = self.methods.get(&format!("{path}.{hook}")).cloned() else { return };
        let modules = path.split("::").map(str::to_owned).collect();
        self.invoke(&method, vec![Value::Constant("self".to_owned())], None, modules, true);
    }

    /// Makes instance methods of an included module known to `ensurable?`.
    fn include(&mut self, module: &Value) {
        let Value::Constant(path) = module else { return };
        let prefix = format!("{path}#");
        let methods = self.methods.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let found: Vec<(Name, Block)> =
            methods.map(|(name, block)| (Name::new(name.get(prefix.len()..).unwrap_or("")), block.clone())).collect();
        if let Some(definition) = &mut self.definition {
            definition.methods.extend(found);
        }
    }

    fn attribute(&mut self, call: &Call<'_>, scope: &Scope, kind: AttributeKind) {
        let Some(name) = call.arguments.first().and_then(Value::text) else {
            self.gap(scope, call.line, "an attribute whose name is computed");
            return;
        };
        let name = Name::new(name);
        if kind == AttributeKind::Property {
            self.add_property(name);
            return;
        }
        let option = call.arguments.get(1).and_then(|options| options.get("namevar")).and_then(Value::truth);
        let namevar = option == Some(true) || call.block.as_ref().is_some_and(|block| is_namevar(block.body()));
        self.parameter(name, namevar);
    }

    /// `provide` calls `providify`: a type that defines its providers has the parameter `provider`.
    pub(super) fn provide(&mut self) {
        self.parameter(Name::new("provider"), false);
    }

    fn parameter(&mut self, name: Name, namevar: bool) {
        let count = self.definition.as_ref().map_or(0, |definition| definition.parameters.len());
        if self.spend(count / 16)
            && let Some(definition) = &mut self.definition
        {
            match definition.parameters.iter_mut().find(|(parameter, _)| *parameter == name) {
                Some((_, key)) => *key |= namevar,
                None => definition.parameters.push((name, namevar)),
            }
        }
    }

    fn add_property(&mut self, name: Name) {
        let count = self.definition.as_ref().map_or(0, |definition| definition.properties.len());
        if !self.spend(count / 16) {
            return;
        }
        let Some(definition) = &mut self.definition else { return };
        if definition.properties.contains(&name) {
            return;
        }
        // Puppet puts `ensure` first.
        let at = if name == "ensure" { 0 } else { definition.properties.len() };
        definition.properties.insert(at, name);
    }

    /// `Puppet::ResourceApi.register_type(name: …, attributes: { … }, title_patterns: [ … ])`
    pub(super) fn register_type(&mut self, call: &Call<'_>, scope: &Scope) -> Value {
        let Some(schema) = call.arguments.first() else { return Value::Unknown };
        if schema.get("name").and_then(Value::text).is_none_or(|name| *name != *self.type_name) {
            return Value::Unknown;
        }
        let schema_read = Schema::read(schema, &scope.file);
        self.definition = Some(Definition { from_api: true, schema: schema_read, ..Definition::default() });
        let Some(Value::Hash(attributes)) = schema.get("attributes") else {
            self.gap(scope, call.line, "the attributes of register_type");
            return Value::Unknown;
        };
        for (name, attribute) in attributes.iter() {
            let Some(name) = name.text().map(Name::new) else {
                self.gap(scope, call.line, "an attribute whose name is computed");
                continue;
            };
            let behaviour = attribute.get("behaviour").or_else(|| attribute.get("behavior")).and_then(Value::text);
            match behaviour {
                Some("namevar") => self.parameter(name, true),
                Some("parameter" | "read_only") => self.parameter(name, false),
                _ => self.add_property(name),
            }
        }
        if let Some(definition) = &mut self.definition {
            definition.patterns = schema.get("title_patterns").cloned();
        }
        Value::Unknown
    }

    /// The type, if its definition was found.
    pub(super) fn finish(mut self) -> Option<ResourceType> {
        let patterns = self.patterns();
        let mut definition = self.definition?;
        if let Some(known) = definition.schema.definition.take().filter(|_| definition.gaps.is_empty()) {
            let warnings = definition.schema.warnings;
            return Some(ResourceType { warnings, ..api::resource_type(known) });
        }
        if self.exhausted {
            definition.gaps.push("code that takes too long".into());
        } else if self.too_deep {
            definition.gaps.push("code that nests too deep".into());
        }
        let ensurable =
            ["exists?", "create", "destroy"].iter().all(|name| definition.methods.contains_key(&Name::new(name)));
        if ensurable && !definition.properties.contains(&Name::new("ensure")) {
            // `newtype` calls `ensurable` itself when these methods exist.
            definition.properties.insert(0, Name::new("ensure"));
        }
        let mut attributes = IndexMap::default();
        for name in &definition.properties {
            attributes.insert(*name, AttributeKind::Property);
        }
        for (name, _) in &definition.parameters {
            attributes.entry(*name).or_insert(AttributeKind::Parameter);
        }
        // A parameter called `name` is always part of the key (`key_attribute_parameters`).
        let key = |(name, namevar): &(Name, bool)| (*namevar || *name == "name").then_some(*name);
        let key_attributes: Vec<Name> = definition.parameters.iter().filter_map(key).collect();
        let title_patterns = match (patterns, key_attributes.as_slice()) {
            (Patterns::Known(patterns), _) => patterns,
            (Patterns::None, [only]) => whole_title(*only),
            (Patterns::None, [first, ..]) if definition.from_api => whole_title(*first),
            (Patterns::None, _) => Vec::new(),
            (Patterns::Unknown, keys) => {
                definition.gaps.push("title_patterns".into());
                if let [only] = keys { whole_title(*only) } else { Vec::new() }
            }
        };
        Some(ResourceType {
            name: self.type_name,
            attributes,
            key_attributes,
            title_patterns,
            isomorphic: definition.isomorphic.unwrap_or(true),
            from_api: definition.from_api,
            generated: false,
            gaps: definition.gaps,
            definition: None,
            warnings: Vec::new(),
        })
    }

    fn patterns(&mut self) -> Patterns {
        let data = self.definition.as_ref().and_then(|definition| definition.patterns.clone());
        if let Some(Value::Array(entries)) = &data {
            return api_patterns(entries).map_or(Patterns::Unknown, Patterns::Known);
        }
        let Some(method) = self.class_method("title_patterns") else { return Patterns::None };
        match self.invoke(&method, Vec::new(), None, Vec::new(), true) {
            Value::Array(entries) => type_patterns(&entries).map_or(Patterns::Unknown, Patterns::Known),
            _ => Patterns::Unknown,
        }
    }
}

/// A type's title patterns, as far as they are known.
enum Patterns {
    None,
    Known(Vec<TitlePattern>),
    Unknown,
}

/// `[[/regexp/, [[:name], [:other, lambda]]], …]`
fn type_patterns(entries: &[Value]) -> Option<Vec<TitlePattern>> {
    let mut patterns = Vec::new();
    for entry in entries {
        let Value::Array(entry) = entry else { return None };
        let [regexp, Value::Array(names)] = &**entry else { return None };
        let mut keys = Vec::new();
        for name in names.iter() {
            match name {
                Value::Array(pair) => match &**pair {
                    [name] => keys.push(Name::new(name.text()?)),
                    [name, Value::Nil] => keys.push(Name::new(name.text()?)),
                    [name, Value::Lambda(change)] if change.is_identity() => keys.push(Name::new(name.text()?)),
                    _ => return None,
                },
                name => keys.push(Name::new(name.text()?)),
            }
        }
        patterns.push(TitlePattern { regexp: Regexp::new(regexp.regexp_source()?), names: keys });
    }
    Some(patterns)
}

/// `[{ pattern: %r{…}, desc: '…' }, …]`: the groups' names are the attributes.
fn api_patterns(entries: &[Value]) -> Option<Vec<TitlePattern>> {
    let mut patterns = Vec::new();
    for entry in entries {
        let regexp = Regexp::new(entry.get("pattern")?.regexp_source()?);
        let names: Option<Vec<Name>> = regexp.names().ok()?.iter().map(|name| name.as_deref().map(Name::new)).collect();
        patterns.push(TitlePattern { regexp, names: names? });
    }
    Some(patterns)
}

/// Whether the body of `newparam` says `isnamevar`.
fn is_namevar(body: &Node) -> bool {
    match &body.kind {
        NodeKind::Block(statements) => statements.iter().any(is_namevar),
        NodeKind::If(_, yes, no) => is_namevar(yes) || is_namevar(no),
        NodeKind::Call(call) => &*call.name == "isnamevar",
        _ => false,
    }
}
