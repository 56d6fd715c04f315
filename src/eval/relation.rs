//! Relationship arrows, and references as the catalog knows them (Puppet::Pops::Evaluator::RelationshipOperator,
//! Puppet::Parser::Relationship, Puppet::Pops::Evaluator::Runtime3Converter).

use std::borrow::Cow;
use std::sync::Arc;

use num_bigint::BigInt;
use num_bigint::Sign;
use rustc_hash::FxHashSet;

use crate::catalog::ResourceId;
use crate::diag::Reason;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Stop;
use crate::eval::collector::CollectorId;
use crate::eval::cycles::Drawn;
use crate::eval::register::split_reference;
use crate::eval::resource::issue;
use crate::meter;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::ast::Arrow;
use crate::syntax::ast::ExprKind;
use crate::types::Type;
use crate::value::Hash;
use crate::value::Value;
use crate::value::big;

/// Type and title, as the catalog writes them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// The type, capitalized.
    pub type_name: Name,
    /// The title; class titles are capitalized.
    pub title: Arc<str>,
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

/// One side of an arrow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A reference, as a value and as the catalog knows it.
    Reference(Value, Reference),
    /// A type of references that is none itself, such as `Class`: it fails where an arrow is drawn.
    Unfit(Value),
    /// A collector.
    Collector(CollectorId),
}

/// What makes an operand the same as another one (RelationshipOperator#evaluate takes each once).
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// Whether it is the type of a reference; the reference; its title as source where it is no text.
    Reference(bool, Reference, Option<Arc<str>>),
    Unfit(Arc<str>),
    Collector(CollectorId),
}

impl Operand {
    fn identity(&self) -> Identity {
        match self {
            Operand::Reference(value, reference) => {
                let of = matches!(value, Value::Type(Type::Type(_)));
                Identity::Reference(of, reference.clone(), written(value))
            }
            Operand::Unfit(value) => Identity::Unfit(crate::value::to_puppet_string(value)),
            Operand::Collector(id) => Identity::Collector(*id),
        }
    }
}

/// The title of a reference as source where it is no text.
fn written(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Type(Type::Resource(resource)) => resource.written.clone(),
        _ => None,
    }
}

/// An arrow between two operands, to be made when everything is declared.
#[derive(Clone, Debug)]
pub struct Relationship {
    source: Operand,
    target: Operand,
    /// `before` or `notify`
    parameter: &'static str,
    span: Span,
}

/// A resource at the left end of an arrow. What stands for an empty collector was never turned into a resource: messages
/// show it as the type it is.
struct Source {
    reference: Reference,
    as_type: bool,
    /// The title as source where it is no text.
    written: Option<Arc<str>>,
}

impl Source {
    fn resource(reference: Reference) -> Source {
        Source { reference, as_type: false, written: None }
    }

    fn operand(value: &Value, reference: &Reference, as_type: bool) -> Source {
        Source { reference: reference.clone(), as_type, written: written(value) }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reference { type_name, title } = &self.reference;
        if !self.as_type {
            return self.reference.fmt(f);
        }
        if type_name.as_str() == "Class" {
            return write!(f, "Class[{}]", title.to_lowercase());
        }
        match &self.written {
            Some(written) => write!(f, "{type_name}[{written}]"),
            None => write!(f, "{type_name}[{}]", crate::value::to_program(&Value::Str(title.clone()))),
        }
    }
}

impl<'c> Evaluator<'c> {
    /// A relationship expression: what stands right of the arrow, or left of it when that is empty.
    ///
    /// # Errors
    /// Something that cannot be related.
    pub fn eval_relation(&mut self, relation: &'c ast::Relation, span: Span) -> Res<Value> {
        let operands = self.relation(relation, span)?;
        let value = |operand| match operand {
            Operand::Reference(value, _) | Operand::Unfit(value) => value,
            Operand::Collector(_) => Value::Undef,
        };
        Ok(Value::array(operands.into_iter().map(value).collect()))
    }

    fn relation(&mut self, relation: &'c ast::Relation, span: Span) -> Res<Vec<Operand>> {
        let left = self.evaluate_operand(&relation.left)?;
        let right = self.evaluate_operand(&relation.right)?;
        let left = self.operands(left, span)?;
        let right = self.operands(right, span)?;
        let reverse = matches!(relation.arrow, Arrow::Require | Arrow::Subscribe);
        let (sources, targets) = if reverse { (&right, &left) } else { (&left, &right) };
        let subscribe = matches!(relation.arrow, Arrow::Notify | Arrow::Subscribe);
        let parameter = if subscribe { "notify" } else { "before" };
        for source in sources {
            for target in targets {
                meter::charge(size_of::<Relationship>());
                self.assert_reference(source)?;
                self.assert_reference(target)?;
                let (source, target) = (source.clone(), target.clone());
                self.state.relationships.push(Relationship { source, target, parameter, span });
            }
        }
        match right.as_slice() {
            [] => return Ok(left),
            [Operand::Collector(id)] => {
                if let Some(collector) = self.state.collectors.get_mut(id.0 as usize) {
                    collector.alternative = Some(left);
                }
            }
            _ => {}
        }
        Ok(right)
    }

    /// Evaluates one side; collectors and inner arrows are kept as what they are.
    fn evaluate_operand(&mut self, expr: &'c ast::Expr) -> Res<Vec<Raw>> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.evaluate_operand(inner),
            ExprKind::Collector(collector) => {
                let id = self.add_collector(collector).map_err(|stop| self.place(stop, expr))?;
                Ok(vec![Raw::Done(Operand::Collector(id))])
            }
            ExprKind::Relation(relation) => {
                let operands = self.relation(relation, expr.span).map_err(|stop| self.place(stop, expr))?;
                Ok(operands.into_iter().map(Raw::Done).collect())
            }
            ExprKind::Array(items) if items.iter().any(holds_collector) => {
                let mut raw = Vec::new();
                for item in items {
                    raw.extend(self.evaluate_operand(item)?);
                }
                Ok(raw)
            }
            _ => Ok(vec![Raw::Value(self.eval(expr)?)]),
        }
    }

    fn operands(&mut self, raw: Vec<Raw>, span: Span) -> Res<Vec<Operand>> {
        let mut operands = Vec::new();
        let mut known = FxHashSet::default();
        let mut add = |operand: Operand| {
            if known.insert(operand.identity()) {
                operands.push(operand);
            }
        };
        for raw in raw {
            match raw {
                Raw::Done(operand) => add(operand),
                Raw::Value(value) => {
                    let mut flat = Vec::new();
                    crate::eval::resource::flatten(&value, &mut flat);
                    for value in flat {
                        add(self.operand(value, span)?);
                    }
                }
            }
        }
        Ok(operands)
    }

    fn operand(&mut self, value: Value, span: Span) -> Res<Operand> {
        let data_type = match &value {
            Value::Type(data_type) => data_type.clone(),
            Value::Str(text) => self.type_of_text(text)?,
            other => {
                let what = crate::value::a_an(&crate::value::label(other));
                let text = format!(
                    "Illegal relationship operand, can not form a relationship with {what}. A Catalog type is required."
                );
                return issue("ILLEGAL_RELATIONSHIP_OPERAND_TYPE", text, span);
            }
        };
        let inner = match &data_type {
            Type::Type(Some(inner)) => inner.as_ref(),
            other => other,
        };
        if matches!(inner, Type::CatalogEntry) {
            return Ok(Operand::Unfit(Value::Type(data_type)));
        }
        if !matches!(inner, Type::Resource(_) | Type::Class(_)) {
            // The reference fails while it words this.
            let text = "undefined method `string' for an instance of Puppet::Pops::Types::TypeCalculator";
            let help = format!(
                "no relationship can be formed with something of type {data_type}: a resource or class is required"
            );
            return Err(Reason::runtime(text).help(help).into());
        }
        match self.catalog_reference(inner) {
            Ok(reference) => Ok(Operand::Reference(Value::Type(data_type), reference)),
            Err(Stop::Reason(_)) if is_open(inner) => Ok(Operand::Unfit(Value::Type(data_type))),
            Err(stop) => Err(stop),
        }
    }

    /// That an arrow can be drawn from or to an operand.
    ///
    /// # Errors
    /// It is no reference.
    fn assert_reference(&self, operand: &Operand) -> Res<()> {
        let Operand::Unfit(Value::Type(data_type)) = operand else { return Ok(()) };
        let inner = match data_type {
            Type::Type(Some(inner)) => inner.as_ref(),
            other => other,
        };
        match inner {
            Type::CatalogEntry => Err(Stop::runtime(crate::functions::runtime3::NO_SPLIT)),
            inner => self.catalog_reference(inner).map(drop),
        }
    }

    /// A reference type as the catalog knows it. A type that does not exist becomes a class, as in the reference; the class
    /// without a name is `main`.
    pub(crate) fn catalog_reference(&self, data_type: &Type) -> Res<Reference> {
        let class = crate::name!("Class");
        let class_title = |name: &str| match name {
            "" => Arc::from("main"),
            name => Name::new(name).capitalized().shared(),
        };
        let absolute_title = |name: &str| class_title(name.strip_prefix("::").unwrap_or(name));
        let no_title = || Err(Stop::runtime("No title provided and \"class\" is not a valid resource reference"));
        match data_type {
            Type::Class(Some(name)) => Ok(Reference { type_name: class, title: absolute_title(name) }),
            Type::Resource(resource) => {
                let Some(name) = resource.type_name.as_deref() else {
                    return Err(Stop::runtime("undefined method `include?' for nil:NilClass"));
                };
                if let Some(title) = resource.title.clone().filter(|_| resource.resolved) {
                    return Ok(Reference { type_name: Name::new(name), title });
                }
                let written = Name::new(name);
                let title = || resource.title.clone().unwrap_or_else(|| Arc::from(""));
                if let Some(known) = self.state.referred.borrow().get(&written) {
                    return Ok(Reference { type_name: *known, title: title() });
                }
                let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
                if name == "class" && resource.title.is_none() {
                    return no_title();
                }
                let title = title();
                if name == "class" {
                    return Ok(Reference { type_name: class, title: absolute_title(&title) });
                }
                match self.loaded_resource_type(Name::new(&name))? {
                    Some(found) => {
                        self.state.referred.borrow_mut().insert(written, found.type_name());
                        Ok(Reference { type_name: found.type_name(), title })
                    }
                    None if name == "node" => Ok(Reference { type_name: crate::name!("Node"), title }),
                    None => Ok(Reference { type_name: class, title: class_title(&title) }),
                }
            }
            _ => no_title(),
        }
    }

    /// The reference a value is: a reference type, or text such as `File[/x]`.
    pub(crate) fn reference_of_value(&self, value: &Value) -> Res<Reference> {
        match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => self.catalog_reference(data_type),
            other => {
                let text = match other {
                    Value::Str(text) => Cow::Borrowed(&**text),
                    other => Cow::Owned(crate::eval::ruby_text(other)),
                };
                let Some((type_name, title)) = split_reference(&text) else {
                    return Err(Stop::runtime(format!(
                        "No title provided and {text:?} is not a valid resource reference"
                    )));
                };
                let type_name = Name::new(type_name).capitalized();
                let is_class = type_name == "Class";
                let title = if is_class { Name::new(title).capitalized().as_str() } else { title };
                Ok(Reference { type_name, title: Arc::from(title) })
            }
        }
    }

    /// What a function of the older kind gives: the references it was given were resources there.
    pub(crate) fn given_back(&self, value: Value) -> Res<Value> {
        let references = |value: &Value| matches!(value, Value::Type(Type::Resource(_) | Type::Class(_)));
        let others = |value: &Value| matches!(value, Value::BigInt(_) | Value::Iterator(_));
        if holds(&value, references) && !holds(&value, others) { self.resolved(&value) } else { Ok(value) }
    }

    /// A value as parameters keep it: references resolved, everything else untouched.
    pub(crate) fn catalog_value(&self, value: Value) -> Res<Value> {
        if !holds_reference(&value) {
            return Ok(value);
        }
        self.resolved(&value)
    }

    fn resolved(&self, value: &Value) -> Res<Value> {
        match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => {
                let reference = self.catalog_reference(data_type)?;
                Ok(reference_value(&reference))
            }
            Value::Type(Type::CatalogEntry) => Err(Stop::runtime(crate::functions::runtime3::NO_SPLIT)),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.resolved(item)).collect::<Res<Vec<_>>>()?;
                Ok(Value::array(items))
            }
            Value::Hash(entries) => {
                let mut resolved = Hash::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    resolved.insert(self.resolved(key)?, self.resolved(value)?);
                }
                Ok(Value::hash(resolved))
            }
            Value::Iterator(_) => Err(Stop::runtime("Use of an Iterator is not supported here")),
            Value::BigInt(n) => Err(Stop::from(beyond_integers(n))),
            other => Ok(other.clone()),
        }
    }

    /// Turns all arrows into `before` and `notify` parameters of their left sides.
    pub(crate) fn evaluate_relationships(&mut self) -> Res<()> {
        for relationship in std::mem::take(&mut self.state.relationships) {
            let sources = self.sources_of(&relationship.source);
            // What was found of a target, with its text, is the same for all sources.
            let mut targets: Vec<(Reference, Option<Arc<str>>)> =
                self.targets_of(&relationship.target).into_iter().map(|target| (target, None)).collect();
            for source in &sources {
                let mut found = None;
                for (target, text) in &mut targets {
                    let id = match found {
                        Some(id) => id,
                        None => *found.insert(self.left_of(source, target)?),
                    };
                    let text = match text {
                        Some(text) => text.clone(),
                        None => text.insert(self.right_of(source, target)?).clone(),
                    };
                    self.relate(id, text, &relationship)?;
                }
            }
        }
        self.settle_appended();
        Ok(())
    }

    /// The resources right of an arrow.
    fn targets_of(&self, operand: &Operand) -> Vec<Reference> {
        match operand {
            Operand::Reference(_, reference) => vec![reference.clone()],
            Operand::Unfit(_) => Vec::new(),
            Operand::Collector(id) => self.collected_by(*id),
        }
    }

    /// The resources left of an arrow. An empty collector gives what stands left of it.
    fn sources_of(&self, operand: &Operand) -> Vec<Source> {
        let mut operand = operand;
        let mut as_type = false;
        loop {
            let id = match operand {
                Operand::Unfit(_) => return Vec::new(),
                Operand::Reference(value, reference) => return vec![Source::operand(value, reference, as_type)],
                Operand::Collector(id) => *id,
            };
            let collected = self.collected_by(id);
            let collector = self.state.collectors.get(id.0 as usize);
            match collector.and_then(|collector| collector.alternative.as_deref()) {
                Some([only]) if collected.is_empty() => (operand, as_type) = (only, true),
                Some(several) if collected.is_empty() => {
                    let sources = several.iter().flat_map(|operand| match operand {
                        Operand::Reference(value, reference) => vec![Source::operand(value, reference, true)],
                        Operand::Unfit(_) => Vec::new(),
                        Operand::Collector(id) => self.collected_by(*id).into_iter().map(Source::resource).collect(),
                    });
                    return sources.collect();
                }
                _ => return collected.into_iter().map(Source::resource).collect(),
            }
        }
    }

    fn collected_by(&self, id: CollectorId) -> Vec<Reference> {
        let collector = self.state.collectors.get(id.0 as usize).into_iter();
        collector.flat_map(|collector| collector.collected()).filter_map(|id| self.reference_of_entry(id)).collect()
    }

    fn reference_of_entry(&self, id: ResourceId) -> Option<Reference> {
        let entry = self.state.entries.get(id.0 as usize)?;
        Some(Reference { type_name: entry.type_name, title: entry.title.clone() })
    }

    /// The resource left of an arrow.
    fn left_of(&self, source: &Source, target: &Reference) -> Res<ResourceId> {
        self.find_reference_checked(&source.reference)?
            .ok_or_else(|| Stop::runtime(format!("Could not find resource '{source}' for relationship on '{target}'")))
    }

    /// The text of what stands right of an arrow, if it is there.
    fn right_of(&self, source: &Source, target: &Reference) -> Res<Arc<str>> {
        if self.find_reference_checked(target)?.is_none() {
            let text = format!("Could not find resource '{target}' for relationship from '{source}'");
            return Err(Stop::runtime(text));
        }
        Ok(Arc::from(target.to_string()))
    }

    fn relate(&mut self, id: ResourceId, target: Arc<str>, arrow: &Relationship) -> Res<()> {
        let parameter = arrow.parameter;
        let name = if parameter == "notify" { crate::name!("notify") } else { crate::name!("before") };
        let current = self.state.entries.get(id.0 as usize).and_then(|entry| entry.params.get(&name));
        let identity = match current {
            Some(param) if matches!(param.value, Value::Array(_)) => param.identity,
            other => {
                let kept = other.map(|param| param.value.clone()).filter(|value| !value.is_undef());
                self.set_value(id, name, Value::array(kept.into_iter().collect()))?;
                let set = self.state.entries.get(id.0 as usize).and_then(|entry| entry.params.get(&name));
                match set.map(|param| param.identity) {
                    Some(identity) => identity,
                    None => self.state.identity(),
                }
            }
        };
        // An edge is a reference here, a value there and a text in the catalog.
        meter::charge(200);
        self.state.appended.entry(identity).or_default().push(Value::Str(target.clone()));
        self.state.arrows.push(Drawn { owner: id, parameter, target, span: arrow.span });
        Ok(())
    }

    /// A resource by reference; one without a title is refused as the reference refuses its text.
    fn find_reference_checked(&self, reference: &Reference) -> Res<Option<ResourceId>> {
        if reference.title.is_empty() {
            return self.find_reference(&reference.to_string());
        }
        self.find_resource(reference.type_name, &reference.title)
    }

    /// Puts what arrows appended at the end of the arrays, also where several resources share one.
    fn settle_appended(&mut self) {
        let appended = std::mem::take(&mut self.state.appended);
        if appended.is_empty() {
            return;
        }
        for entry in &mut self.state.entries {
            for name in [crate::name!("before"), crate::name!("notify")] {
                let Some(param) = entry.params.get_mut(&name) else { continue };
                let (Some(more), Value::Array(items)) = (appended.get(&param.identity), &param.value) else { continue };
                param.value = Value::array(items.iter().chain(more).cloned().collect());
            }
        }
    }
}

/// An operand as evaluated.
enum Raw {
    Done(Operand),
    Value(Value),
}

/// Whether a type of references names none.
fn is_open(data_type: &Type) -> bool {
    match data_type {
        Type::Class(name) => name.is_none(),
        Type::Resource(resource) => resource.title.is_none(),
        _ => false,
    }
}

fn holds_collector(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Collector(_) | ExprKind::Relation(_) => true,
        ExprKind::Paren(inner) => holds_collector(inner),
        ExprKind::Array(items) => items.iter().any(holds_collector),
        _ => false,
    }
}

fn holds_reference(value: &Value) -> bool {
    holds(value, |value| {
        matches!(
            value,
            Value::Type(Type::Resource(_) | Type::Class(_) | Type::CatalogEntry)
                | Value::Iterator(_)
                | Value::BigInt(_)
        )
    })
}

/// Whether a value is such a one or holds one.
fn holds(value: &Value, such: fn(&Value) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| holds(item, such)),
        Value::Hash(entries) => entries.iter().any(|(key, value)| holds(key, such) || holds(value, such)),
        value => such(value),
    }
}

/// The catalog and functions of the older kind take no integers beyond 64 bits. (`Runtime3Converter#convert_Integer`)
pub(crate) fn beyond_integers(n: &BigInt) -> Reason {
    let (end, hex) = match n.sign() {
        Sign::Minus => ("min", format!("..{}", big::complement(n, 4))),
        _ => ("max", n.to_str_radix(16)),
    };
    Reason::runtime(format!("Use of a Ruby Integer outside of Puppet Integer {end} range, got '0x{hex}'"))
}

/// A reference as a value.
pub(crate) fn reference_value(reference: &Reference) -> Value {
    Value::Type(Type::resolved_resource(reference.type_name, reference.title.clone()))
}
