//! The host of a classifier: data of Hiera, pages of web servers, a log.
//!
//! In: calls of `classify(node)` and of rules of groups, which have no data. Out: values, and the lines that the script logged. Must not: compile, know how Hiera works (it asks a
//! [`DataSource`]).

use std::sync::Arc;

use crate::api::NOT_A_TYPE;
use crate::function::host_failure;
use crate::host::Closure;
use crate::host::HostApi;
use crate::host::HostFailure;
use crate::host::log_severity;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_eval::Stop;
use catwalk_node::classify::DataSource;
use catwalk_node::classify::Request;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;

/// The maximum number of lines and of their bytes that a classifier logs for a node.
const MAX_LOG: (usize, usize) = (1000, 1 << 18);

/// The host of one run of `classify(node)`.
pub(super) struct ClassifierHost<'a> {
    request: &'a Request,
    data: Option<&'a dyn DataSource>,
    /// The lines that the script logged.
    pub(super) logs: Vec<Diagnostic>,
    bytes: usize,
    /// Whether further lines are dropped.
    is_full: bool,
}

impl<'a> ClassifierHost<'a> {
    pub(super) fn new(request: &'a Request, data: Option<&'a dyn DataSource>) -> ClassifierHost<'a> {
        ClassifierHost { request, data, logs: Vec::new(), bytes: 0, is_full: false }
    }
}

fn refused<T>(text: &str) -> Result<T, HostFailure> {
    Err(host_failure(Stop::runtime(text.to_owned())))
}

impl HostApi for ClassifierHost<'_> {
    fn call_function(&mut self, name: &str, args: &[Value], _: Option<Closure<'_>>) -> Result<Value, HostFailure> {
        match (name, self.data) {
            ("lookup", Some(data)) => {
                data.lookup(self.request, args).map_err(|failure| host_failure(Stop::Failed(failure)))
            }
            ("lookup", None) => refused("lookup() is available in classify(node), not in the rule of a group"),
            _ => refused(
                "Puppet functions are only available while a catalog is compiled: of them, a classifier can call lookup()",
            ),
        }
    }

    fn call_block(&mut self, _: usize, _: &[Value]) -> Result<Value, HostFailure> {
        refused("the block is no longer valid")
    }

    fn call_context(&mut self, _: &Value, _: &str, _: &[Value], _: Option<Closure<'_>>) -> Result<Value, HostFailure> {
        refused("the context of a lookup is only valid while the lookup runs")
    }

    fn call_backend(&mut self, _: &str, _: &[Value]) -> Result<Option<Value>, HostFailure> {
        refused("backend() is only available in tests")
    }

    fn parse_type(&mut self, text: &str) -> Result<Value, HostFailure> {
        catwalk_value::parse_type(text, &mut catwalk_value::NoAliases)
            .map(Value::Type)
            .map_err(|reason| host_failure(Stop::runtime(reason.message)))
    }

    fn is_a(&mut self, value: &Value, data_type: &Value) -> Result<bool, HostFailure> {
        match data_type {
            Value::Type(data_type) => Ok(catwalk_value::is_instance(data_type, value)),
            _ => refused(NOT_A_TYPE),
        }
    }

    fn type_of(&mut self, value: &Value) -> Result<Value, HostFailure> {
        let data_type: Type = catwalk_value::infer_set(value);
        Ok(Value::Type(data_type))
    }

    fn facts(&mut self) -> Arc<Hash> {
        self.request.facts.clone()
    }

    fn may_fetch(&self) -> bool {
        self.data.is_some()
    }

    fn log(&mut self, level: &str, text: &str) {
        let (lines, bytes) = MAX_LOG;
        if self.is_full {
            return;
        }
        self.bytes += text.len();
        self.is_full = self.logs.len() >= lines || self.bytes > bytes;
        let (severity, code) = log_severity(level);
        self.logs.push(match self.is_full {
            true => {
                let kib = bytes >> 10;
                let text = format!("the classifier logs more than {lines} lines or {kib} KiB: the rest is dropped");
                Diagnostic::new(Reason::runtime(text), None).severity(Severity::Warning)
            }
            false => Diagnostic::new(Reason::new(code, text.to_owned()), None).severity(severity),
        });
    }
}
