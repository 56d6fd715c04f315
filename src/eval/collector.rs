//! Collectors: `File <| mode == '0644' |> { … }`, `<<| |>>`, `realize` (Puppet::Pops::Evaluator::Collectors).

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::catalog::Exported;
use crate::catalog::Kind;
use crate::catalog::ResourceId;
use crate::catalog::Tags;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::ScopeId;
use crate::eval::Stop;
use crate::eval::register::split_reference;
use crate::eval::relation::Operand;
use crate::eval::relation::Reference;
use crate::eval::resource::Form;
use crate::eval::resource::New;
use crate::eval::resource::flatten;
use crate::eval::resource::parse_error;
use crate::eval::state::Declared;
use crate::eval::state::Param;
use crate::eval::state::Params;
use crate::eval::state::Source;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::ast::BinaryOp;
use crate::syntax::ast::ExprKind;
use crate::types::Type;
use crate::value::Value;
use crate::value::compare;

/// Index of a collector in the compiler's list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CollectorId(pub u32);

/// What a collector looks for.
#[derive(Clone, Debug)]
enum Looking {
    /// Resources of a type in this catalog.
    Catalog { type_name: Name, query: Option<Query> },
    /// Exported resources of a type.
    Exported { type_name: Name, query: Option<Query> },
    /// Given resources (`realize`), those found already taken out.
    Set { wanted: Vec<Wanted> },
}

/// What `realize` was given: whether it is a reference shows when it is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    Reference(Reference),
    Text(Arc<str>),
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wanted::Reference(reference) => reference.fmt(f),
            Wanted::Text(text) => f.write_str(text),
        }
    }
}

/// A query, its operands evaluated.
#[derive(Clone, Debug)]
enum Query {
    And(Box<Query>, Box<Query>),
    Or(Box<Query>, Box<Query>),
    Tagged(Vec<(u32, String)>),
    Equal(Name, Value),
    Different(Name, Value),
    /// A comparison with a reference in a variable: only written references are turned into what the catalog holds.
    Fixed(bool),
    /// A comparison of what is no name with something: it fails for the first resource that is looked at.
    Nameless(String),
    /// A value in the place of a query, which fails then, too.
    Value(Value),
}

/// A collector of the compiler's list.
#[derive(Clone, Debug)]
pub struct Collector {
    looking: Looking,
    overrides: Option<Vec<(Name, Param)>>,
    scope: ScopeId,
    source: Source,
    span: Option<Span>,
    collected: IndexSet<ResourceId, FxBuildHasher>,
    /// What other nodes export was added.
    imported: bool,
    /// What stands left of it in a chain of arrows, for when it collects nothing.
    pub(crate) alternative: Option<Vec<Operand>>,
}

impl Collector {
    /// Everything collected so far, in order.
    pub fn collected(&self) -> impl ExactSizeIterator<Item = ResourceId> + '_ {
        self.collected.iter().copied()
    }

    /// What `realize` was given and is not there.
    pub(crate) fn unresolved(&self) -> &[Wanted] {
        match &self.looking {
            Looking::Set { wanted } => wanted,
            _ => &[],
        }
    }
}

impl<'c> Evaluator<'c> {
    /// A collector expression. It has no value that code could use; arrows take the collector itself.
    ///
    /// # Errors
    /// Unknown type, or a query that cannot be one.
    pub fn eval_collector(&mut self, collector: &'c Arc<ast::Collector>) -> Res<Value> {
        self.add_collector(collector).map(|_| Value::Undef)
    }

    /// Registers a collector.
    pub(crate) fn add_collector(&mut self, collector: &'c ast::Collector) -> Res<CollectorId> {
        if collector.exported && !self.storeconfigs() {
            let text =
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";
            let reason = Reason::new(crate::diag::Code("RT_NO_STORECONFIGS"), text);
            self.warn(reason, collector.span);
        } else if collector.exported && self.exports.is_none() {
            let text = "exported resources of other nodes are not known: only this node's are collected";
            let help = "give `--exported site`, or set `exported` in [puppetdb] of catwalk.toml";
            self.warn(Reason::new(crate::diag::Code("EXPORTS_NOT_KNOWN"), text).help(help), collector.span);
        }
        let ExprKind::TypeName(name) = &collector.type_ref.kind else {
            return Err(Stop::runtime("LHS is not a type"));
        };
        let lower = name.to_lowercase();
        if lower == "class" {
            return Err(Stop::runtime("Classes cannot be collected"));
        }
        let Some(found) = self.find_resource_type(*name)? else {
            return Err(Stop::runtime(format!("Resource type {lower} doesn't exist")));
        };
        let mut overrides = None;
        if !collector.attributes.is_empty() {
            let mut params = Vec::with_capacity(collector.attributes.len());
            for attribute in &collector.attributes {
                params.extend(self.attribute_params(attribute)?);
            }
            overrides = Some(params);
        }
        let query = match &collector.query {
            Some(query) if !matches!(query.kind, ExprKind::Nop) => {
                if collector.exported {
                    // The reference evaluates it once more, for the database: what it warns of is said twice.
                    self.query(query)?;
                }
                match self.query(query)? {
                    Query::Value(Value::Undef) => None,
                    Query::Value(Value::Bool(false)) if !collector.exported => None,
                    query => Some(query),
                }
            }
            _ => None,
        };
        let type_name = found.type_name();
        let looking = if collector.exported {
            Looking::Exported { type_name, query }
        } else {
            Looking::Catalog { type_name, query }
        };
        Ok(self.push_collector(looking, overrides, Some(collector.span)))
    }

    fn push_collector(
        &mut self,
        looking: Looking,
        overrides: Option<Vec<(Name, Param)>>,
        span: Option<Span>,
    ) -> CollectorId {
        let id = CollectorId(u32::try_from(self.state.collectors.len()).unwrap_or(u32::MAX));
        let (scope, source) = (self.base(), self.source());
        let collected = IndexSet::default();
        let collector =
            Collector { looking, overrides, scope, source, span, collected, imported: false, alternative: None };
        self.state.collectors.push(collector);
        self.state.active.push(id);
        id
    }

    /// `realize`: collects the given resources as soon as they are there.
    pub(crate) fn realize(&mut self, wanted: Vec<Wanted>) {
        self.push_collector(Looking::Set { wanted }, None, None);
    }

    fn query(&mut self, expr: &'c ast::Expr) -> Res<Query> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.query(inner),
            ExprKind::Binary(binary) => match binary.op {
                BinaryOp::And => {
                    Ok(Query::And(Box::new(self.query(&binary.left)?), Box::new(self.query(&binary.right)?)))
                }
                BinaryOp::Or => {
                    Ok(Query::Or(Box::new(self.query(&binary.left)?), Box::new(self.query(&binary.right)?)))
                }
                BinaryOp::Eq => {
                    let (name, value) = match self.query_operands(binary, false)? {
                        Ok(operands) => operands,
                        Err(query) => return Ok(query),
                    };
                    if name != "tag" {
                        let kept = is_kept_reference(&binary.right, &value);
                        return Ok(if kept { Query::Fixed(false) } else { Query::Equal(name, value) });
                    }
                    let items = match &value {
                        Value::Array(items) => items.to_vec(),
                        other => vec![other.clone()],
                    };
                    let mut tags = Vec::with_capacity(items.len());
                    for item in items {
                        if matches!(item, Value::Int(_) | Value::BigInt(_) | Value::Float(_)) {
                            return Err(Stop::runtime("Cannot transform a number to a tag"));
                        }
                        let tag = crate::value::to_puppet_string(&item).to_lowercase();
                        tags.push((Tags::hash(&tag), tag));
                    }
                    Ok(Query::Tagged(tags))
                }
                BinaryOp::Ne => {
                    let (name, value) = match self.query_operands(binary, true)? {
                        Ok(operands) => operands,
                        Err(query) => return Ok(query),
                    };
                    let kept = is_kept_reference(&binary.right, &value);
                    Ok(if kept { Query::Fixed(true) } else { Query::Different(name, value) })
                }
                _ => cannot_transform(expr),
            },
            _ => self.query_value(expr).map(Query::Value),
        }
    }

    /// The name that is compared and the value it is compared with, or what the comparison is in their place: nothing equals
    /// a query, and a query is no name.
    fn query_operands(&mut self, binary: &'c ast::Binary, different: bool) -> Res<Result<(Name, Value), Query>> {
        let left = self.query(&binary.left)?;
        let right = self.query(&binary.right)?;
        let left = match left {
            Query::Value(left) => left,
            _ => return Ok(Err(Query::Nameless("#<Proc>".to_owned()))),
        };
        let Some(name) = left.as_str().map(Name::new) else { return Ok(Err(nameless(&left))) };
        Ok(match right {
            Query::Value(value) => Ok((name, value)),
            _ => Err(Query::Fixed(different)),
        })
    }

    /// An operand that is no query.
    fn query_value(&mut self, expr: &'c ast::Expr) -> Res<Value> {
        match &expr.kind {
            ExprKind::Undef => Ok(Value::Undef),
            ExprKind::Access(_)
            | ExprKind::Var(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolated(_)
            | ExprKind::Int(..)
            | ExprKind::Float(_)
            | ExprKind::Bareword(_) => {
                let value = self.eval(expr)?;
                self.catalog_value(value)
            }
            _ => cannot_transform(expr),
        }
    }

    /// Lets every collector collect once; whether any found something new.
    pub(crate) fn evaluate_collections(&mut self) -> Res<bool> {
        let mut found = false;
        for id in self.state.active.clone() {
            found |= self.evaluate_collector(id)?;
        }
        Ok(found)
    }

    fn evaluate_collector(&mut self, id: CollectorId) -> Res<bool> {
        let objects = self.collect(id)?;
        for object in &objects {
            if let Some(entry) = self.state.entries.get_mut(object.0 as usize) {
                entry.is_virtual = false;
            }
        }
        let Some(collector) = self.state.collectors.get_mut(id.0 as usize) else { return Ok(false) };
        let mut new = Vec::new();
        for object in objects {
            if !collector.collected.contains(&object) {
                new.push(object);
            }
        }
        let overrides = collector.overrides.clone().zip(collector.span);
        let (scope, source) = (collector.scope, collector.source);
        if let Some((params, span)) = overrides.filter(|_| !new.is_empty()) {
            self.state.overriding.insert(source);
            for object in &new {
                self.collected_override(*object, &params, scope, source, span)?;
            }
        }
        let any = !new.is_empty();
        if let Some(collector) = self.state.collectors.get_mut(id.0 as usize) {
            collector.collected.extend(new);
        }
        Ok(any)
    }

    fn collect(&mut self, id: CollectorId) -> Res<Vec<ResourceId>> {
        let Some(collector) = self.state.collectors.get_mut(id.0 as usize) else { return Ok(Vec::new()) };
        if let Looking::Set { wanted } = &mut collector.looking {
            let wanted = std::mem::take(wanted);
            let mut objects = Vec::new();
            let mut missing = Vec::new();
            for wanted in wanted {
                match self.find_wanted(&wanted)? {
                    Some(object) => objects.push(object),
                    None => missing.push(wanted),
                }
            }
            if missing.is_empty() {
                self.state.active.retain(|active| *active != id);
            }
            if let Some(Collector { looking: Looking::Set { wanted }, .. }) =
                self.state.collectors.get_mut(id.0 as usize)
            {
                *wanted = missing;
            }
            return Ok(objects);
        }
        let Some(collector) = self.state.collectors.get(id.0 as usize) else { return Ok(Vec::new()) };
        let (type_name, query, exported) = match &collector.looking {
            Looking::Catalog { type_name, query } => (type_name, query, false),
            Looking::Exported { type_name, query } if self.storeconfigs() => (type_name, query, true),
            _ => return Ok(Vec::new()),
        };
        let candidates = self.state.by_type.get(type_name).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for id in candidates {
            let entry = self.state.entries.get(id.0 as usize);
            let exported = !exported || entry.is_some_and(|entry| entry.exported == Some(true));
            if exported && query.as_ref().map_or(Ok(true), |query| self.fits(query, *id))? {
                found.push(*id);
            }
        }
        if exported {
            found.extend(self.import(id)?);
        }
        Ok(found)
    }

    /// Adds what other nodes export and a collector looks for, once for each collector
    /// (Puppet::Pops::Evaluator::Collectors::ExportedCollector, Puppet::Resource::Puppetdb).
    fn import(&mut self, id: CollectorId) -> Res<Vec<ResourceId>> {
        let Some(exports) = self.exports.clone() else { return Ok(Vec::new()) };
        let Some(collector) = self.state.collectors.get_mut(id.0 as usize) else { return Ok(Vec::new()) };
        let Looking::Exported { type_name, query } = &collector.looking else { return Ok(Vec::new()) };
        if std::mem::replace(&mut collector.imported, true) {
            return Ok(Vec::new());
        }
        let (type_name, query, scope, source) = (*type_name, query.clone(), collector.scope, collector.source);
        let Some(declared) = self.find_resource_type(type_name)? else {
            return Ok(Vec::new());
        };
        let mut added = Vec::new();
        for row in exports.of_type(type_name) {
            if row.certname == self.node.certname || query.as_ref().is_some_and(|query| !exports_fit(query, row)) {
                continue;
            }
            if let Some(existing) = self.find_resource(type_name, &row.title)? {
                if self.state.imported.get(&existing) != Some(&row.certname) {
                    let text =
                        "A duplicate resource was found while collecting exported resources, with the type and title";
                    return parse_error(format!("{text} {type_name}[{}]", row.title), None);
                }
                continue;
            }
            let mut params = Params::default();
            for (name, value) in &row.parameters {
                params.insert(*name, self.param(value.clone(), source, None, false)?);
            }
            let kind = match &declared {
                Declared::Builtin(_) => Kind::CompilableType,
                _ => Kind::DefinedType,
            };
            let entry = self.new_entry(
                New {
                    type_name,
                    title: &row.title,
                    title_is_main: false,
                    title_value: None,
                    declared: declared.clone(),
                    kind,
                    span: None,
                    form: Form { is_virtual: false, exported: Some(false), by_function: false },
                    params,
                    scope,
                    source,
                },
                true,
            )?;
            let object = self.add_resource(scope, entry)?;
            self.state.imported.insert(object, row.certname.clone());
            added.push(object);
        }
        Ok(added)
    }

    /// Whether the node collects exported resources.
    #[must_use]
    pub fn collects_exported(&self) -> bool {
        self.storeconfigs()
            && self.state.collectors.iter().any(|collector| matches!(collector.looking, Looking::Exported { .. }))
    }

    fn fits(&self, query: &Query, id: ResourceId) -> Res<bool> {
        Ok(match query {
            Query::And(left, right) => self.fits(left, id)? && self.fits(right, id)?,
            Query::Or(left, right) => self.fits(left, id)? || self.fits(right, id)?,
            Query::Nameless(value) => {
                let text = format!("undefined method `intern' for {value}");
                return Err(Stop::ruby_error("NoMethodError", text));
            }
            Query::Value(value) => {
                let text = format!("undefined method `call' for {}", described(value));
                return Err(Stop::ruby_error("NoMethodError", text));
            }
            Query::Tagged(tags) => self.is_tagged(id, tags),
            Query::Fixed(fits) => *fits,
            Query::Equal(name, value) => match &*self.query_operand(id, *name) {
                // A reference among several is one of them; elsewhere a type stands for its instances.
                Value::Array(items) if matches!(value, Value::Type(Type::Resource(_) | Type::Class(_))) => {
                    items.iter().any(|item| compare::equals(item, value))
                }
                items @ Value::Array(_) => compare::includes(items, value),
                other => compare::equals(other, value),
            },
            Query::Different(name, value) => !compare::equals(&self.query_operand(id, *name), value),
        })
    }

    fn query_operand(&self, id: ResourceId, name: Name) -> Cow<'_, Value> {
        let Some(entry) = self.state.entries.get(id.0 as usize) else { return Cow::Owned(Value::Undef) };
        if name == crate::name!("title") {
            return Cow::Owned(Value::Str(entry.title.clone()));
        }
        entry.get(name).map_or(Cow::Owned(Value::Undef), Cow::Borrowed)
    }

    /// Whether a resource, or what contains it, has one of the tags (given in lower case).
    pub(crate) fn is_tagged(&self, id: ResourceId, tags: &[(u32, String)]) -> bool {
        let mut at = id;
        for _ in 0..=self.state.entries.len() {
            let Some(entry) = self.state.entries.get(at.0 as usize) else { return false };
            if tags.iter().any(|(hash, tag)| entry.tags.contains_hashed((*hash, tag))) {
                return true;
            }
            match self.scope_resource(entry.scope) {
                Some(container) if container != at => at = container,
                _ => return false,
            }
        }
        false
    }

    /// `realize` arguments: references, or what may be one.
    pub(crate) fn wanted(&self, value: &Value) -> Res<Vec<Wanted>> {
        let mut flat = Vec::new();
        flatten(value, &mut flat);
        let one = |value: &Value| match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => {
                self.catalog_reference(data_type).map(Wanted::Reference)
            }
            other => Ok(Wanted::Text(crate::eval::ruby_text(other).into())),
        };
        flat.iter().map(one).collect()
    }

    fn find_wanted(&self, wanted: &Wanted) -> Res<Option<ResourceId>> {
        if let Wanted::Reference(reference) = wanted
            && !reference.title.is_empty()
        {
            return self.find_resource(reference.type_name, &reference.title);
        }
        let text = wanted.to_string();
        let found = self.find_reference(&text).map_err(|stop| match stop {
            // The call is long over: it has no part in the failure.
            Stop::Reason(reason) => Stop::ruby_error("ArgumentError", reason.message),
            other => other,
        })?;
        // The reference makes a resource of what it does not find, and that is tagged with its type.
        if found.is_none()
            && let Some((type_name, _)) = split_reference(&text)
            && let Err(bad) = Tags::default().add(type_name)
        {
            let reason = Reason::runtime(format!("Invalid tag '{bad}'"));
            return Err(Stop::Failed(Box::new(Diagnostic::new(reason, None))));
        }
        Ok(found)
    }
}

fn nameless(left: &Value) -> Query {
    Query::Nameless(described(left))
}

/// A value in Ruby's complaints.
fn described(value: &Value) -> String {
    format!("{}:{}", crate::functions::ruby::inspect(value), crate::functions::ruby::class_name(value))
}

/// Whether a query's operand is a reference that came from a variable.
fn is_kept_reference(operand: &ast::Expr, value: &Value) -> bool {
    match &operand.kind {
        ExprKind::Paren(inner) => is_kept_reference(inner, value),
        ExprKind::Var(_) => matches!(value, Value::Type(Type::Resource(_) | Type::Class(_))),
        _ => false,
    }
}

/// Whether PuppetDB would give an exported resource for a query.
fn exports_fit(query: &Query, row: &Exported) -> bool {
    let operand = |name: Name| match name.as_str() {
        "title" => Some(Value::Str(row.title.clone())),
        _ => row.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()),
    };
    let has_tag = |tag: &str| row.tags.iter().any(|known| **known == *tag);
    match query {
        Query::And(left, right) => exports_fit(left, row) && exports_fit(right, row),
        Query::Or(left, right) => exports_fit(left, row) || exports_fit(right, row),
        Query::Tagged(tags) => tags.iter().any(|(_, tag)| has_tag(tag)),
        Query::Equal(name, value) => operand(*name).as_ref() == Some(value),
        // PuppetDB knows tags in both directions.
        Query::Different(name, value) if name == "tag" => {
            !value.as_str().is_some_and(|tag| has_tag(&tag.to_lowercase()))
        }
        Query::Different(name, value) => operand(*name).as_ref() != Some(value),
        Query::Fixed(answer) => *answer,
        Query::Nameless(_) | Query::Value(_) => false,
    }
}

fn cannot_transform<T>(expr: &ast::Expr) -> Res<T> {
    let label = crate::syntax::model_name(expr);
    Err(Stop::runtime(format!("Cannot transform object of class Puppet::Pops::Model::{label}")))
}

impl Declared<'_> {
    /// The capitalized name of the type.
    pub(crate) fn type_name(&self) -> Name {
        match self {
            Declared::Builtin(builtin) => builtin.name,
            Declared::Define(definition) => definition.name.normalized().capitalized(),
            Declared::Class(_) => crate::name!("Class"),
            Declared::Node(_) => crate::name!("Node"),
        }
    }

    /// Whether a parameter of this name may be set.
    pub(crate) fn accepts(&self, name: Name) -> bool {
        let written = match self {
            Declared::Builtin(builtin) => return builtin.check_parameter(name).is_ok(),
            Declared::Class(Some(definition)) | Declared::Define(definition) => {
                crate::eval::parameters::written_parameters(definition)
            }
            _ => &[],
        };
        name == "name"
            || crate::resource_types::METAPARAMETERS.contains(&name.as_str())
            || written.iter().any(|parameter| parameter.name == name)
    }
}
