//! The steps of a lookup, as a tree, printed as by `puppet lookup --explain` (Puppet::Pops::Lookup::Explainer).

use std::fmt::Write;
use std::sync::Arc;

use catwalk_base::secrets::Secrets;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::secret;

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// The invisible root.
    Root,
    /// A search for a key, or for `lookup_options`.
    Search(String),
    /// A key that cannot be looked up.
    InvalidKey(String),
    /// Where the merge strategy came from.
    MergeSource(String),
    /// A module that does not exist (`true`) or has no data.
    NoModule(String, bool),
    /// A string with interpolations.
    Interpolate(String),
    /// A merge with its strategy and options.
    Merge(&'static str, Hash),
    /// A layer or hierarchy entry, with its configuration file and the module whose layer it is.
    Provider(String, Option<String>, Option<String>),
    /// A path (`false`) or URI (`true`) with its original form.
    Location(String, String, bool),
    /// Digging with the steps of a dotted key.
    SubLookup(String),
    /// One step.
    Segment(String),
    /// Variables or another named scope.
    Scope(String),
}

/// The outcome at a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Event {
    /// Nothing was reported.
    #[default]
    None,
    /// The key was found.
    Found(String, Value),
    /// The key was found in the override hash.
    FoundInOverrides(String, Value),
    /// The key was found in the default values hash.
    FoundInDefaults(String, Value),
    /// The key was not found.
    NotFound(String),
    /// The result of a merge.
    Result(Value),
    /// The location does not exist.
    LocationNotFound,
}

/// One step with its outcome and the steps below it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The kind of the step.
    pub kind: StepKind,
    /// The outcome.
    pub event: Event,
    /// Further lines of the explanation.
    pub lines: Vec<String>,
    /// The steps below it, in order.
    pub steps: Vec<Step>,
}

impl Step {
    fn new(kind: StepKind) -> Step {
        Step { kind, event: Event::None, lines: Vec::new(), steps: Vec::new() }
    }
}

impl Step {
    /// Changes every value that was found at this step or below it, except `lookup_options`.
    fn change_values(&mut self, apply: &mut dyn FnMut(&mut Value)) {
        if matches!(&self.kind, StepKind::Search(key) if key == "lookup_options") {
            return;
        }
        match &mut self.event {
            Event::Found(_, value)
            | Event::FoundInOverrides(_, value)
            | Event::FoundInDefaults(_, value)
            | Event::Result(value) => apply(value),
            Event::None | Event::NotFound(_) | Event::LocationNotFound => {}
        }
        self.steps.iter_mut().for_each(|step| step.change_values(apply));
    }

    /// Replaces the secrets of the compile in all steps.
    pub fn redact(&mut self, secrets: &Secrets) {
        let strings = match &mut self.kind {
            StepKind::Search(text)
            | StepKind::InvalidKey(text)
            | StepKind::Interpolate(text)
            | StepKind::Scope(text) => vec![text],
            StepKind::Location(text, original, _) => vec![text, original],
            StepKind::SubLookup(text) | StepKind::Segment(text) => vec![text],
            StepKind::Root
            | StepKind::MergeSource(_)
            | StepKind::NoModule(..)
            | StepKind::Merge(..)
            | StepKind::Provider(..) => Vec::new(),
        };
        for text in strings.into_iter().chain(&mut self.lines) {
            if let Some(replaced) = secrets.replace(text) {
                *text = replaced;
            }
        }
        match &mut self.event {
            Event::Found(_, value)
            | Event::FoundInOverrides(_, value)
            | Event::FoundInDefaults(_, value)
            | Event::Result(value) => *value = secret::redacted(value, secrets),
            Event::None | Event::NotFound(_) | Event::LocationNotFound => {}
        }
        self.steps.iter_mut().for_each(|step| step.redact(secrets));
    }
}

/// A file in which a lookup found its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundIn {
    /// The hierarchy level or layer, as `Hierarchy entry "Common"`.
    pub level: String,
    /// The path of the file, or the URI.
    pub path: String,
    /// The key: the root of a dotted one.
    pub key: String,
}

impl Step {
    /// The files in which the lookup found its key, in order. Those of `lookup_options` are not among them.
    #[must_use]
    pub fn found_in(&self) -> Vec<FoundIn> {
        let mut files = Vec::new();
        self.collect_files(&mut String::new(), &mut files);
        files
    }

    fn collect_files(&self, level: &mut String, files: &mut Vec<FoundIn>) {
        if matches!(&self.kind, StepKind::Search(key) if key == "lookup_options") {
            return;
        }
        if let StepKind::Provider(name, ..) = &self.kind {
            name.clone_into(level);
        }
        if let (StepKind::Location(path, ..), Event::Found(key, _)) = (&self.kind, &self.event) {
            files.push(FoundIn { level: level.clone(), path: path.clone(), key: key.clone() });
        }
        self.steps.iter().for_each(|step| step.collect_files(level, files));
    }
}

/// Collects the tree while a lookup runs.
#[derive(Clone, Debug)]
pub(crate) struct Explainer {
    /// Open steps, the root first.
    open_steps: Vec<Step>,
    /// Whether to explain only `lookup_options`.
    pub(super) only_options: bool,
}

impl Explainer {
    /// An empty tree.
    #[must_use]
    pub(crate) fn new(only_options: bool) -> Explainer {
        Explainer { open_steps: vec![Step::new(StepKind::Root)], only_options }
    }

    pub(super) fn push(&mut self, kind: StepKind) {
        self.open_steps.push(Step::new(kind));
    }

    pub(super) fn pop(&mut self) {
        if self.open_steps.len() > 1
            && let Some(step) = self.open_steps.pop()
            && let Some(parent) = self.open_steps.last_mut()
        {
            parent.steps.push(step);
        }
    }

    pub(super) fn event(&mut self, event: Event) {
        if let Some(step) = self.open_steps.last_mut() {
            step.event = event;
        }
    }

    pub(super) fn add_line(&mut self, text: String) {
        if let Some(step) = self.open_steps.last_mut() {
            step.lines.push(text);
        }
    }

    /// Hides the values that were found so far for the current key, since it is `Sensitive`.
    pub(super) fn conceal(&mut self) {
        if let Some(step) = self.open_steps.last_mut() {
            step.change_values(&mut |value| *value = Value::Sensitive(Arc::new(Value::Undef)));
        }
    }

    /// The finished tree.
    #[must_use]
    pub(crate) fn finish(mut self) -> Step {
        while self.open_steps.len() > 1 {
            self.pop();
        }
        self.open_steps.pop().unwrap_or_else(|| Step::new(StepKind::Root))
    }
}

/// The output of `puppet lookup --explain`.
#[must_use]
pub fn render(step: &Step) -> String {
    let mut out = String::new();
    dump(&mut out, step, 0, 0);
    out
}

fn push_line(out: &mut String, indent: usize, text: &str) {
    let _ = writeln!(out, "{:indent$}{text}", "");
}

/// `first` is the indent of the first line, which in Puppet's output depends on the kind of step.
fn dump(out: &mut String, step: &Step, indent: usize, first: usize) {
    let dump_steps = |out: &mut String, indent: usize| {
        for step in &step.steps {
            dump(out, step, indent, indent);
        }
    };
    match &step.kind {
        StepKind::Root => {
            dump_steps(out, indent);
            dump_lines(out, step, indent);
        }
        StepKind::Search(key) => {
            push_line(out, first, &format!("Searching for \"{key}\""));
            dump_steps(out, indent + 2);
        }
        StepKind::InvalidKey(key) => push_line(out, first, &format!("Invalid key \"{key}\"")),
        StepKind::MergeSource(source) => push_line(out, first, &format!("Using merge options from \"{source}\" hash")),
        StepKind::NoModule(name, true) => push_line(out, indent, &format!("Module \"{name}\" not found")),
        StepKind::NoModule(name, false) => {
            push_line(out, indent, &format!("Module data provider for module \"{name}\" not found"));
        }
        StepKind::Interpolate(expression) => {
            push_line(out, first, &format!("Interpolation on \"{expression}\""));
            dump_steps(out, indent + 2);
        }
        StepKind::Merge(strategy, options) => dump_merge(out, step, strategy, options, indent, first),
        StepKind::Provider(name, config, _) => {
            push_line(out, first, name);
            if let Some(config) = config {
                push_line(out, indent + 2, &format!("Using configuration \"{config}\""));
            }
            dump_steps(out, indent + 2);
            dump_outcome(out, step, indent + 2);
        }
        StepKind::Location(location, original, uri) => {
            let (name, lower) = if *uri { ("URI", "uri") } else { ("Path", "path") };
            push_line(out, indent, &format!("{name} \"{location}\""));
            push_line(out, indent + 2, &format!("Original {lower}: \"{original}\""));
            dump_steps(out, indent + 2);
            if step.event == Event::LocationNotFound {
                push_line(out, indent + 2, &format!("{name} not found"));
            }
            dump_outcome(out, step, indent + 2);
        }
        StepKind::SubLookup(keys) => {
            push_line(out, indent, &format!("Sub key: \"{keys}\""));
            dump_steps(out, indent + 2);
            dump_outcome(out, step, indent + 2);
        }
        StepKind::Segment(_) => dump_outcome(out, step, indent),
        StepKind::Scope(name) => {
            push_line(out, indent, name);
            dump_steps(out, indent + 2);
            dump_outcome(out, step, indent + 2);
        }
    }
}

fn dump_merge(out: &mut String, step: &Step, strategy: &str, options: &Hash, indent: usize, first: usize) {
    match step.steps.as_slice() {
        [] => return,
        // Merging a single value is not reported.
        [only] => return dump(out, only, indent, first),
        _ => {}
    }
    push_line(out, first, &format!("Merge strategy {strategy}"));
    let indent = indent + 2;
    let mut options = options.clone();
    options.remove(&Value::str("strategy"));
    if !options.is_empty() {
        push_line(out, indent, &format!("Options: {}", format_value(&Value::hash(options), indent)));
    }
    for step in &step.steps {
        dump(out, step, indent, indent);
    }
    if let Event::Result(value) = &step.event {
        push_line(out, indent, &format!("Merged result: {}", format_value(value, indent)));
    }
}

fn dump_lines(out: &mut String, step: &Step, indent: usize) {
    for text in &step.lines {
        push_line(out, indent, text);
    }
}

fn dump_outcome(out: &mut String, step: &Step, indent: usize) {
    let found = |key: &str, value: &Value, source: &str| {
        format!("Found key: \"{key}\" value: {}{source}", format_value(value, indent))
    };
    match &step.event {
        Event::NotFound(key) => push_line(out, indent, &format!("No such key: \"{key}\"")),
        Event::Found(key, value) => push_line(out, indent, &found(key, value, "")),
        Event::FoundInOverrides(key, value) => push_line(out, indent, &found(key, value, " in overrides")),
        Event::FoundInDefaults(key, value) => push_line(out, indent, &found(key, value, " in defaults")),
        Event::None | Event::Result(_) | Event::LocationNotFound => {}
    }
    dump_lines(out, step, indent);
}

/// A value over several lines.
fn format_value(value: &Value, indent: usize) -> String {
    let inner = indent + 2;
    let lines = |open: char, close: char, items: Vec<String>| {
        if items.is_empty() {
            return format!("{open}{close}");
        }
        let pad = " ".repeat(inner);
        let items: Vec<String> = items.into_iter().map(|item| format!("{pad}{item}")).collect();
        format!("{open}\n{}\n{}{close}", items.join(",\n"), " ".repeat(indent))
    };
    match value {
        Value::Hash(entries) => {
            let item = |(key, value): (&Value, &Value)| {
                format!("{} => {}", format_value(key, inner), format_value(value, inner))
            };
            lines('{', '}', entries.iter().map(item).collect())
        }
        Value::Array(items) => lines('[', ']', items.iter().map(|item| format_value(item, inner)).collect()),
        other => ruby::plain_inspect(other),
    }
}

/// The tree as data, as `puppet lookup --explain --render-as json` prints it.
#[must_use]
pub fn document(step: &Step) -> Value {
    match (&step.kind, step.steps.as_slice()) {
        (StepKind::Root | StepKind::Merge(..), [only]) => return document(only),
        (StepKind::Root, _) => {
            let mut hash = Hash::new();
            add_branches(&mut hash, step);
            return Value::hash(hash);
        }
        _ => {}
    }
    let mut hash = Hash::new();
    if let StepKind::MergeSource(source) = &step.kind {
        hash.set("type", Value::str("merge_source"));
        hash.set("merge_source", Value::str(source));
        return Value::hash(hash);
    }
    add_branches(&mut hash, step);
    add_outcome(&mut hash, step);
    hash.set("type", Value::str(type_name(&step.kind)));
    add_details(&mut hash, &step.kind);
    Value::hash(hash)
}

fn add_branches(hash: &mut Hash, step: &Step) {
    if !step.steps.is_empty() {
        hash.set("branches", Value::array(step.steps.iter().map(document).collect()));
    }
}

/// The members that every kind of step has: key, value, event, strings.
fn add_outcome(hash: &mut Hash, step: &Step) {
    let (key, value, event) = match &step.event {
        Event::None => (None, None, None),
        Event::Found(key, value) => (Some(key), Some(value), Some("found")),
        Event::FoundInOverrides(key, value) => (Some(key), Some(value), Some("found_in_overrides")),
        Event::FoundInDefaults(key, value) => (Some(key), Some(value), Some("found_in_defaults")),
        Event::NotFound(key) => (Some(key), None, Some("not_found")),
        Event::Result(value) => (None, Some(value), Some("result")),
        Event::LocationNotFound => (None, None, Some("location_not_found")),
    };
    let event = match &step.kind {
        StepKind::NoModule(_, true) => Some("module_not_found"),
        StepKind::NoModule(_, false) => Some("module_provider_not_found"),
        _ => event,
    };
    let key = match &step.kind {
        StepKind::Search(key) | StepKind::InvalidKey(key) => Some(key),
        _ => key,
    };
    if let Some(key) = key {
        hash.set("key", Value::str(key));
    }
    if let Some(value) = value {
        hash.set("value", value.clone());
    }
    if let Some(event) = event {
        hash.set("event", Value::str(event));
    }
    if !step.lines.is_empty() {
        hash.set("texts", Value::array(step.lines.iter().map(Value::str).collect()));
    }
}

fn type_name(kind: &StepKind) -> &'static str {
    match kind {
        StepKind::Root | StepKind::Search(_) => "root",
        StepKind::InvalidKey(_) => "invalid_key",
        StepKind::MergeSource(_) => "merge_source",
        StepKind::NoModule(..) => "module",
        StepKind::Interpolate(_) => "interpolate",
        StepKind::Merge(..) => "merge",
        StepKind::Provider(..) => "data_provider",
        StepKind::Location(_, _, true) => "uri",
        StepKind::Location(..) => "path",
        StepKind::SubLookup(_) => "sub_key",
        StepKind::Segment(_) => "segment",
        StepKind::Scope(_) => "scope",
    }
}

/// Members that only some kinds of steps have.
fn add_details(hash: &mut Hash, kind: &StepKind) {
    let mut set = |name: &str, text: &str| hash.set(name, Value::str(text));
    match kind {
        StepKind::Interpolate(expression) => set("expression", expression),
        StepKind::Merge(strategy, options) => {
            set("merge", strategy);
            let mut options = options.clone();
            options.remove(&Value::str("strategy"));
            if !options.is_empty() {
                hash.set("options", Value::hash(options));
            }
        }
        StepKind::Provider(name, config, module) => {
            set("name", name);
            if let Some(config) = config {
                set("configuration_path", config);
            }
            if let Some(module) = module {
                set("module", module);
            }
        }
        StepKind::Location(location, original, uri) => {
            let names = if *uri { ["original_uri", "uri"] } else { ["original_path", "path"] };
            set(names[0], original);
            set(names[1], location);
        }
        StepKind::Scope(name) => set("name", name),
        _ => {}
    }
}
