//! `Puppet::LookupContext`: the interface of a data function in the Puppet language to Hiera (Puppet::Pops::Lookup::Context).
//!
//! In: a context object and a method call. Out: its value. A context is an ordinary object; its cache is found by the object's
//! identity. Must not: know hierarchies.

use std::path::Path;
use std::sync::Arc;

use crate::Block;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_value::Hash;
use catwalk_value::Iter;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;

/// Whether a data function stopped since it has no value.
pub fn is_not_found(stop: &Stop) -> bool {
    match stop {
        Stop::Reason(reason) => reason.code == Code::LOOKUP_NOT_FOUND,
        Stop::Failed(diagnostic) => diagnostic.code == Code::LOOKUP_NOT_FOUND,
        _ => false,
    }
}

/// A context and its cache.
#[derive(Clone)]
pub(super) struct CachedContext {
    object: Arc<Object>,
    entries: Hash,
}

impl<'c> Evaluator<'c> {
    /// A context for a call of a data function; its cache holds `entries`.
    pub fn new_context(&mut self, module: Option<&str>, environment: &str, entries: Hash) -> Arc<Object> {
        let mut attributes = Hash::with_capacity(2);
        attributes.set("module_name", module.map_or(Value::Undef, Value::str));
        attributes.set("environment_name", Value::str(environment));
        let object = Arc::new(Object { object_type: ObjectType::lookup_context(), attributes });
        self.contexts.push(CachedContext { object: object.clone(), entries });
        object
    }

    /// Ends a call of a data function; returns the contents of its context's cache.
    pub fn end_context(&mut self, object: &Arc<Object>) -> Hash {
        match self.contexts.iter().rposition(|known| Arc::ptr_eq(&known.object, object)) {
            Some(at) => self.contexts.swap_remove(at).entries,
            None => Hash::new(),
        }
    }

    /// Calls a function of a context; `None` when it has no function of this name.
    pub fn context_function(
        &mut self,
        args: &[Value],
        name: &str,
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        let Some((Value::Object(object), args)) = args.split_first() else { return None };
        if object.object_type != ObjectType::lookup_context() || !object.object_type.has_function(name) {
            return None;
        }
        let count = match name {
            "cache" => 2,
            "not_found" | "explain" | "cached_entries" => 0,
            _ => 1,
        };
        if args.len() != count {
            let expected = format!("{count} argument{}", if count == 1 { "" } else { "s" });
            let text = format!("'function Puppet::LookupContext[{name}]' expects {expected}, got {}", args.len());
            return Some(Err(Stop::runtime(text)));
        }
        Some(self.call_context(object, args, name, block, span))
    }

    fn call_context(
        &mut self,
        object: &Arc<Object>,
        args: &[Value],
        name: &str,
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Res<Value> {
        let first = args.first().cloned().unwrap_or(Value::Undef);
        match name {
            "not_found" => Err(Reason::new(Code::LOOKUP_NOT_FOUND, "uncaught throw :no_such_key").into()),
            // Its block is called when a lookup is explained.
            "explain" => {
                let node = self.data.map(|data| data.node).filter(|node| node.is_explaining());
                if let (Some(node), Some(block)) = (node, block) {
                    let text = self.call_block(block, &[])?;
                    node.explain_line(catwalk_value::ruby::to_s(&text).into_owned());
                }
                Ok(Value::Undef)
            }
            "interpolate" => self.interpolate_data(&first, span),
            "cached_file_data" => {
                let text = self.file_data(&first)?;
                block.map_or(Ok(text.clone()), |block| self.call_block(block, std::slice::from_ref(&text)))
            }
            "cached_entries" => {
                let entries = Value::hash(self.entries(object).clone());
                match block {
                    Some(block) => self
                        .call_function(catwalk_base::name!("each"), &[entries], Some(block), span)
                        .map(|_| Value::Undef),
                    None => Ok(Iter::over(&entries).map_or(Value::Undef, |iter| Value::Iterator(Arc::new(iter)))),
                }
            }
            _ => {
                let entries = self.entries(object);
                Ok(match (name, &first) {
                    ("cache_has_key", key) => Value::Bool(entries.contains(key)),
                    ("cached_value", key) => entries.get_value(key).cloned().unwrap_or(Value::Undef),
                    ("cache_all", Value::Hash(more)) => {
                        for (key, value) in more.iter() {
                            entries.insert(key.clone(), value.clone());
                        }
                        Value::Undef
                    }
                    ("cache", key) => {
                        let value = args.get(1).cloned().unwrap_or(Value::Undef);
                        entries.insert(key.clone(), value.clone());
                        value
                    }
                    _ => {
                        let text = format!("'function Puppet::LookupContext[{name}]' expects a Hash value");
                        return Err(Stop::runtime(text));
                    }
                })
            }
        }
    }

    fn entries(&mut self, object: &Arc<Object>) -> &mut Hash {
        let at = self.contexts.iter().position(|known| Arc::ptr_eq(&known.object, object));
        let at = at.unwrap_or_else(|| {
            self.contexts.push(CachedContext { object: object.clone(), entries: Hash::new() });
            self.contexts.len() - 1
        });
        &mut self.contexts[at].entries
    }

    fn file_data(&mut self, path: &Value) -> Res<Value> {
        let path = path.as_str().unwrap_or_default();
        let bytes = self
            .world
            .read(Path::new(path))
            .map_err(|_| Stop::runtime(format!("No such file or directory @ rb_file_s_stat - {path}")))?;
        Ok(Value::str(String::from_utf8_lossy(&bytes)))
    }
}
