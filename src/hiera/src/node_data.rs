//! Hiera's state during one compile: layers, options, used data, and the explanation in progress.
//!
//! In: the records of lookups. Out: the same records, for later lookups and for deciding whether to recompile. Must not: look up keys.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::backend::DataUse;
use super::explain::Event;
use super::explain::Explainer;
use super::explain::Step;
use super::key_options::Options;
use super::key_usage::Usage;
use super::resolved::Provider;
use catwalk_value::Value;

type Modules = FxHashMap<Arc<str>, Option<Rc<Provider>>>;

/// Hiera's state during one compile.
#[derive(Debug, Default)]
pub struct NodeData {
    /// Keys being looked up.
    pub(super) stack: RefCell<Vec<Arc<str>>>,
    pub(super) global: RefCell<Option<Option<Rc<Provider>>>>,
    pub(super) environment: RefCell<Option<Option<Rc<Provider>>>>,
    pub(super) modules: RefCell<Modules>,
    pub(super) options: RefCell<FxHashMap<Option<Arc<str>>, Option<Rc<Options>>>>,
    pub(super) global_options: RefCell<Option<Option<Value>>>,
    pub(super) environment_options: RefCell<Option<Option<Value>>>,
    pub(super) default_options: RefCell<FxHashMap<String, Option<Rc<Options>>>>,
    usage: RefCell<Option<Usage>>,
    uses: RefCell<FxHashMap<String, DataUse>>,
    pub(super) explaining: Cell<bool>,
    pub(super) explainer: RefCell<Option<Explainer>>,
}

impl NodeData {
    /// The state before the first lookup.
    #[must_use]
    pub fn new() -> NodeData {
        NodeData::default()
    }

    /// The uses of data files since the last call, by path.
    #[must_use]
    pub fn take_uses(&self) -> Vec<DataUse> {
        let uses = std::mem::take(&mut *self.uses.borrow_mut());
        let mut uses: Vec<DataUse> = uses.into_values().collect();
        uses.sort_by(|a, b| a.path.cmp(&b.path));
        uses
    }

    /// The layers that were queried.
    pub(super) fn providers(&self) -> Vec<Rc<Provider>> {
        let provider = |layer: &RefCell<Option<Option<Rc<Provider>>>>| layer.borrow().clone().flatten();
        let mut all: Vec<Rc<Provider>> =
            provider(&self.global).into_iter().chain(provider(&self.environment)).collect();
        #[allow(clippy::iter_over_hash_type, reason = "callers sort the layers")]
        all.extend(self.modules.borrow().values().flatten().cloned());
        all
    }

    /// The modules whose data was looked up, existing or not.
    #[must_use]
    pub fn modules(&self) -> Vec<String> {
        let mut names: Vec<String> = self.modules.borrow().keys().map(ToString::to_string).collect();
        names.sort_unstable();
        names
    }

    /// Records that a file was read; returns whether this is the first time, when Puppet reads it and logs its warnings.
    pub(super) fn record_file(&self, path: &str, new: impl FnOnce() -> DataUse) -> bool {
        let mut uses = self.uses.borrow_mut();
        let first = !uses.contains_key(path);
        if first {
            uses.insert(path.to_owned(), new());
        }
        first
    }

    pub(super) fn record_key(&self, path: &str, key: &str) {
        if let Some(data_use) = self.uses.borrow_mut().get_mut(path) {
            data_use.record_key(key);
        }
    }

    /// Starts to explain lookups; with `only_options` only their `lookup_options`.
    pub fn start_explaining(&self, only_options: bool) {
        *self.explainer.borrow_mut() = Some(Explainer::new(only_options));
        self.explaining.set(true);
    }

    /// Starts recording the keys of lookups and where their values are found.
    pub fn record_keys(&self) {
        *self.usage.borrow_mut() = Some(Usage::default());
    }

    /// Takes the recorded keys.
    #[must_use]
    pub fn take_usage(&self) -> Usage {
        self.usage.borrow_mut().take().unwrap_or_default()
    }

    pub(super) fn record_usage(&self, record: impl FnOnce(&mut Usage)) {
        if let Some(usage) = self.usage.borrow_mut().as_mut() {
            record(usage);
        }
    }

    /// Whether an explanation is in progress.
    #[must_use]
    pub fn is_explaining(&self) -> bool {
        self.explaining.get()
    }

    /// Adds a line to the explanation in progress.
    pub fn explain_line(&self, text: String) {
        self.explain_with(|| text);
    }

    /// The explanation, if one was started.
    #[must_use]
    pub fn take_explanation(&self) -> Option<Step> {
        self.explaining.set(false);
        self.explainer.borrow_mut().take().map(Explainer::finish)
    }

    pub(super) fn explain(&self, event: impl FnOnce() -> Event) {
        self.with_explainer(|explainer| explainer.event(event()));
    }

    pub(super) fn explain_with(&self, text: impl FnOnce() -> String) {
        self.with_explainer(|explainer| explainer.add_line(text()));
    }

    /// Hides the values that were found so far for the current key.
    pub(super) fn conceal_explained(&self) {
        self.with_explainer(Explainer::conceal);
    }

    pub(super) fn without_explaining<T>(&self, run: impl FnOnce() -> T) -> T {
        let before = self.explaining.replace(false);
        let result = run();
        self.explaining.set(before);
        result
    }

    pub(super) fn with_explainer(&self, change: impl FnOnce(&mut Explainer)) {
        if self.explaining.get()
            && let Some(explainer) = self.explainer.borrow_mut().as_mut()
        {
            change(explainer);
        }
    }
}
