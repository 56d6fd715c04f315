//! Calls deferred functions on the machine that a catalog is applied to (Puppet::Pops::Evaluator::DeferredResolver).
//!
//! In: values of a catalog. Out: the values with the results of their `Deferred`. Must not: evaluate manifests: a deferred function
//! sees `$facts` and no other variable; it can call functions of modules and look up data.

use std::sync::Arc;

use crate::session::CompileInput;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The evaluator for all deferred functions of a run.
pub struct DeferredResolver<'c> {
    evaluator: Evaluator<'c>,
}

impl<'c> CompileInput<'c> {
    /// A resolver for the `Deferred` values of a run; create one for each run, since later calls see what earlier ones have loaded.
    #[must_use]
    pub fn deferred_resolver(&self) -> DeferredResolver<'c> {
        let mut evaluator = self.evaluator();
        evaluator.set_facts();
        DeferredResolver { evaluator }
    }
}

impl DeferredResolver<'_> {
    /// Replaces every `Deferred` in a value by what its function returns. A failed call has no effect on later ones.
    ///
    /// # Errors
    /// A function fails or does not exist.
    pub fn resolve(&mut self, value: &Value) -> Result<Value, Box<Diagnostic>> {
        let call = catwalk_base::names::Name::new("call");
        let nowhere = Span::new(FileId(u32::MAX), 0, 0);
        let before = self.evaluator.snapshot();
        self.evaluator.restart_clock();
        let resolved = self.evaluator.within_limits(|evaluator| {
            replace(value, &mut |deferred| evaluator.call_function(call, std::slice::from_ref(deferred), None, nowhere))
        });
        resolved.map_err(|stop| {
            let failure = self.evaluator.failure(stop);
            let logs = self.evaluator.take_logs();
            self.evaluator.restore(&before);
            self.evaluator.logs = logs;
            failure
        })
    }

    /// Takes the messages that functions have logged.
    pub fn take_logs(&mut self) -> Vec<Diagnostic> {
        self.evaluator.take_logs()
    }
}

/// Replaces the deferred values in a value by what `call` returns.
fn replace<E>(value: &Value, call: &mut dyn FnMut(&Value) -> Result<Value, E>) -> Result<Value, E> {
    Ok(match value {
        Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred") => call(value)?,
        Value::Array(items) => Value::array(items.iter().map(|item| replace(item, call)).collect::<Result<_, E>>()?),
        Value::Hash(entries) => {
            let mut replaced = Hash::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                replaced.insert(key.clone(), replace(value, call)?);
            }
            Value::hash(replaced)
        }
        Value::Sensitive(inner) => Value::Sensitive(Arc::new(replace(inner, call)?)),
        other => other.clone(),
    })
}
