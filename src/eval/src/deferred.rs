//! Warnings about `Deferred` values that fail on an agent, and about those that it does not resolve.
//!
//! In: a finished catalog; where the compile created `Deferred` values, and where it printed them into strings. Out: warnings at
//! parameters and expressions. Must not: call functions, show arguments.

mod call;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::Evaluator;
use call::Problem;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Label;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_value::Object;
use catwalk_value::Value;

/// The beginning of a `Deferred` value that was printed.
const PRINTED: &str = "Deferred({'name' => '";

/// The number of positions of each kind that a compile records. Further values are reported at the parameter that has them.
const MAX_POSITIONS: usize = 1000;

/// The number of calls and of strings that are checked: a catalog may have any number of them.
const MAX_CHECKED: usize = 1000;

/// The `Deferred` values of a compile.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeferredUses {
    /// Each value with the call that created it.
    created: Vec<(Arc<Object>, Span)>,
    /// Expressions that printed such a value into a string, with the string.
    printed: Vec<(Span, Arc<str>)>,
}

/// A part of a parameter that is wrong on an agent, or may be.
enum Part<'v> {
    /// A call.
    Call(&'v Arc<Object>),
    /// A call as the key of a hash.
    Key,
    /// A string with a printed call.
    Text(&'v str),
}

/// The warnings so far.
struct Report<'r> {
    uses: &'r DeferredUses,
    /// Positions in the table of resources by reference.
    entries: Option<FxHashMap<String, usize>>,
    calls: FxHashSet<*const Object>,
    /// Problems by the call that created the value, so that a loop reports each once.
    problems: FxHashSet<(Span, String)>,
    expressions: FxHashSet<Span>,
    texts: FxHashSet<String>,
    warnings: Vec<Diagnostic>,
}

/// Whether a value is a `Deferred`.
pub(crate) fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred"))
}

/// Whether a value is a `Deferred` or contains one that is printed with it.
fn holds_deferred(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_deferred),
        Value::Hash(entries) => entries.iter().any(|(key, value)| holds_deferred(key) || holds_deferred(value)),
        value => is_deferred(value),
    }
}

/// Visits the calls in a value as the agent looks for them, and what it overlooks.
fn visit_parts<'v>(value: &'v Value, visit: &mut dyn FnMut(Part<'v>)) {
    match value {
        Value::Str(text) if text.contains(PRINTED) => visit(Part::Text(text)),
        Value::Array(items) => items.iter().for_each(|item| visit_parts(item, visit)),
        Value::Hash(entries) => entries.iter().for_each(|(key, value)| {
            match is_deferred(key) {
                true => visit(Part::Key),
                false => visit_parts(key, visit),
            }
            visit_parts(value, visit);
        }),
        Value::Sensitive(inner) => visit_parts(inner, visit),
        Value::Object(object) if is_deferred(value) => {
            visit(Part::Call(object));
            if let Some(arguments) = object.attributes.get("arguments") {
                visit_parts(arguments, visit);
            }
        }
        _ => {}
    }
}

impl Evaluator<'_> {
    /// Records where a `Deferred` value was created; other values are ignored.
    pub fn note_deferred(&mut self, value: &Value, span: Span) {
        let created = &mut self.state.deferred.created;
        if let Value::Object(object) = value
            && is_deferred(value)
            && created.len() < MAX_POSITIONS
        {
            created.push((object.clone(), span));
        }
    }

    /// Records an expression whose value was printed into a string, if it holds a `Deferred`.
    pub(crate) fn note_printed(&mut self, value: &Value, span: Span) {
        let uses = &mut self.state.deferred;
        if !uses.created.is_empty() && holds_deferred(value) && uses.printed.len() < MAX_POSITIONS {
            uses.printed.push((span, Arc::from(PRINTED)));
        }
    }

    /// The number of such expressions so far.
    pub(crate) fn printed_count(&self) -> usize {
        self.state.deferred.printed.len()
    }

    /// Sets the string that expressions beginning with the one at `from` were printed into.
    pub(crate) fn set_printed(&mut self, from: usize, text: &str) {
        let printed = &mut self.state.deferred.printed;
        if from >= printed.len() {
            return;
        }
        let text: Arc<str> = Arc::from(text);
        for (span, _) in printed.split_off(from) {
            if !printed.iter().any(|(known, other)| *known == span && *other == text) {
                printed.push((span, text.clone()));
            }
        }
    }

    /// Warnings about `Deferred` values of a catalog whose function an agent cannot call, and about those that became part of a
    /// string or the key of a hash, where it does not look for them.
    pub fn deferred_warnings(&mut self, catalog: &Catalog) -> Vec<Diagnostic> {
        if self.state.deferred.created.is_empty() {
            return Vec::new();
        }
        let logged = self.logs.len();
        let uses = std::mem::take(&mut self.state.deferred);
        let mut report = Report {
            uses: &uses,
            entries: None,
            calls: FxHashSet::default(),
            problems: FxHashSet::default(),
            expressions: FxHashSet::default(),
            texts: FxHashSet::default(),
            warnings: Vec::new(),
        };
        for resource in &catalog.resources {
            if resource.title.contains(PRINTED) {
                report.add_text(self, resource, None, &resource.title);
            }
            for (name, value) in resource.parameters.iter() {
                visit_parts(value, &mut |part| match part {
                    Part::Call(call) => report.add_call(self, resource, *name, call),
                    Part::Key => report.add_key(self, resource, *name),
                    Part::Text(text) => report.add_text(self, resource, Some(*name), text),
                });
            }
        }
        let warnings = report.warnings;
        // What loading definitions logged is not about the catalog.
        self.logs.truncate(logged);
        self.state.deferred = uses;
        warnings
    }
}

impl Report<'_> {
    /// Reports a call that fails. It may be a parameter of several resources, of which the outermost is first in the catalog.
    fn add_call(&mut self, ev: &mut Evaluator<'_>, resource: &Resource, name: Name, call: &Arc<Object>) {
        if self.calls.len() >= MAX_CHECKED || !self.calls.insert(Arc::as_ptr(call)) {
            return;
        }
        let Some(Problem { text, help, mut labels }) = ev.agent_problem(call) else { return };
        let created = self.uses.created.iter().find(|(object, _)| Arc::ptr_eq(object, call)).map(|(_, span)| *span);
        if created.is_some_and(|created| !self.problems.insert((created, text.clone()))) {
            return;
        }
        let position = self.position(ev, resource, Some(name));
        let line = |span: Span| ev.program.sources.locate(span).map(|(_, line, _)| (span.file, line));
        if let Some(span) = created.filter(|span| line(*span) != position.and_then(line)) {
            labels.push(Label { span, text: "the Deferred value is created here".into() });
        }
        let text = format!("Parameter '{name}' of {} {text}", resource.reference());
        self.add(Reason::new(Code::DEFERRED_FAILS_ON_AGENT, text).help(help), position);
        if let Some(warning) = self.warnings.last_mut() {
            warning.labels.extend(labels);
        }
    }

    fn add_key(&mut self, ev: &Evaluator<'_>, resource: &Resource, name: Name) {
        let text = format!("Parameter '{name}' of {} has a Deferred value as the key of a hash", resource.reference());
        let help = "an agent resolves the values of hashes, not their keys";
        let position = self.position(ev, resource, Some(name));
        self.add(Reason::new(Code::DEFERRED_NOT_RESOLVED, text).help(help), position);
    }

    /// Reports the expressions that printed a `Deferred` value into a string, or else the parameter that has the string.
    fn add_text(&mut self, ev: &Evaluator<'_>, resource: &Resource, name: Option<Name>, text: &str) {
        if self.texts.len() >= MAX_CHECKED || !self.texts.insert(text.to_owned()) {
            return;
        }
        let holder = match name {
            Some(name) => format!("parameter '{name}' of {}", resource.reference()),
            // The title is the string.
            None => format!("the title of a {} resource", resource.type_name),
        };
        let within: Vec<_> = self.uses.printed.iter().filter(|(_, printed)| text.contains(&**printed)).collect();
        // A shorter string may be that of another resource.
        let is_part =
            |printed: &str| within.iter().any(|(_, other)| other.len() > printed.len() && other.contains(printed));
        let mut printed = within.iter().filter(|(_, printed)| !is_part(printed)).peekable();
        let help = "the function is not called in a string: let the agent build it, \
                    as in `Deferred('sprintf', ['... %s ...', $deferred])`";
        let help = if name.is_none() { "a title is fixed when the catalog is compiled" } else { help };
        if printed.peek().is_none() {
            let text = format!("A Deferred value is printed into a string, {holder}");
            let position = self.position(ev, resource, name);
            return self.add(Reason::new(Code::DEFERRED_NOT_RESOLVED, text).help(help), position);
        }
        for (span, _) in printed {
            if self.expressions.insert(*span) {
                let text = format!("A Deferred value is printed into a string, which becomes {holder}");
                self.add(Reason::new(Code::DEFERRED_NOT_RESOLVED, text).help(help), Some(*span));
            }
        }
    }

    fn add(&mut self, reason: Reason, position: Option<Span>) {
        self.warnings.push(Diagnostic::new(reason, position).severity(Severity::Warning));
    }

    /// Where a parameter was set, or where the resource was declared.
    fn position(&mut self, ev: &Evaluator<'_>, resource: &Resource, name: Option<Name>) -> Option<Span> {
        let entries = self.entries.get_or_insert_with(|| ev.entry_positions());
        ev.parameter_span(*entries.get(&resource.reference())?, name)
    }
}
