//! Looks up keys in Hiera for an open node, as `puppet lookup` does (Puppet::Application::Lookup, Puppet::Pops::Lookup).
//!
//! In: a [`LookupRequest`]. Out: a [`LookupAnswer`]. Must not: read data files itself.

use crate::console::Console;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_hiera as hiera;
use catwalk_hiera::explain;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;
use catwalk_value::ruby;
use catwalk_value::secret;

/// The key and options of a lookup.
#[derive(Clone, Debug)]
pub struct LookupRequest<'a> {
    /// The keys; the first that has a value wins.
    pub keys: &'a [String],
    /// How to merge, as the `merge` argument of `lookup()`; `Undef`: according to `lookup_options`.
    pub merge: &'a Value,
    /// The type a value must have.
    pub value_type: Option<&'a str>,
    /// The value if no data source has one.
    pub default: Option<&'a str>,
    /// What to explain.
    pub explain: Explain,
    /// Whether secrets are shown in the value and the explanation.
    pub show_secrets: bool,
}

/// The extent of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Explain {
    /// Nothing.
    #[default]
    Nothing,
    /// The whole lookup.
    Lookup,
    /// Only the sources of `lookup_options`.
    Options,
}

/// The result of a lookup.
#[derive(Debug)]
pub struct LookupAnswer {
    /// The value, or why there is none: no data source has the key, or the data is invalid.
    pub value: Result<Value, Box<Diagnostic>>,
    /// The explanation, if requested.
    pub explanation: Option<explain::Step>,
    /// The messages logged during the lookup.
    pub logs: Vec<Diagnostic>,
}

/// The output format of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    /// For people: explanations as text, values as YAML.
    Human,
    /// Plain text: explanations as text, values as Ruby's `to_s` prints them.
    Text,
    /// JSON
    Json,
    /// YAML
    Yaml,
}

impl OutputFormat {
    /// Formats a value.
    ///
    /// # Errors
    /// It cannot be written in this form.
    pub fn value(self, value: &Value) -> Result<String, Reason> {
        match self {
            OutputFormat::Text => Ok(ruby::to_s(value).into_owned()),
            OutputFormat::Json => ruby::to_json(value, &ruby::Layout::compact()),
            OutputFormat::Human | OutputFormat::Yaml => ruby::to_yaml(value, ruby::YamlOptions::default()),
        }
    }

    /// Formats an explanation.
    ///
    /// # Errors
    /// A value in it cannot be written in this form.
    pub fn explanation(self, step: &explain::Step) -> Result<String, Reason> {
        match self {
            OutputFormat::Human | OutputFormat::Text => Ok(explain::render(step)),
            OutputFormat::Json | OutputFormat::Yaml => self.value(&explain::document(step)),
        }
    }
}

impl Console<'_> {
    /// Looks up keys.
    ///
    /// # Errors
    /// The data or its configuration is invalid, or the value does not have the type: Puppet's error. A missing key is not an error, but
    /// part of the answer.
    pub fn look_up(&mut self, request: &LookupRequest<'_>) -> Result<LookupAnswer, (Vec<Diagnostic>, Box<Diagnostic>)> {
        self.ev.restart_clock();
        let result = self.look_up_within_limits(request);
        let mut logs = self.ev.take_logs();
        let secrets = self.secrets();
        logs.iter_mut().for_each(|line| line.redact(&secrets));
        match result {
            Ok((value, mut explanation)) => {
                if let Some(explanation) = explanation.as_mut().filter(|_| !request.show_secrets) {
                    explanation.redact(&secrets);
                }
                let value = match value {
                    Ok(value) if !request.show_secrets => Ok(secret::redacted(&value, &secrets)),
                    Err(mut failure) => {
                        failure.redact(&secrets);
                        Err(failure)
                    }
                    shown => shown,
                };
                Ok(LookupAnswer { value, explanation, logs })
            }
            Err(mut failure) => {
                failure.redact(&secrets);
                Err((logs, failure))
            }
        }
    }

    fn look_up_within_limits(
        &mut self,
        request: &LookupRequest<'_>,
    ) -> Result<(Result<Value, Box<Diagnostic>>, Option<explain::Step>), Box<Diagnostic>> {
        let value_type = match request.value_type {
            Some(text) => Some(self.ev.parse_type(text).map_err(|stop| self.ev.failure(stop))?),
            None => None,
        };
        let node = self.ev.data.map(|data| data.node);
        if let Some(node) = node.filter(|_| request.explain != Explain::Nothing) {
            node.start_explaining(request.explain == Explain::Options);
        }
        let lookup = hiera::Request {
            names: request.keys,
            merge: request.merge,
            overrides: None,
            defaults: None,
            hiera_call: false,
            extra_paths: &[],
        };
        let result = self.ev.within_limits(|ev| Ok(ev.find(&lookup))).map_err(|stop| self.ev.failure(stop))?;
        let value = match result {
            Ok(hiera::Answer::Found { value, subject }) => {
                let mut checked = check_type(value, &subject, value_type.as_ref());
                if let Err(failure) = &mut checked {
                    let mut origins = request.keys.iter().map(|key| self.ev.data_origins(key, false));
                    failure.locations.extend(origins.find(|origins| !origins.is_empty()).unwrap_or_default());
                }
                Ok(checked?)
            }
            Ok(hiera::Answer::Missing) => match request.default {
                Some(default) => Ok(check_type(Value::str(default), "Default value", value_type.as_ref())?),
                None => Err(self.unanswered(hiera::Failure::no_value(request.keys))),
            },
            Err(failure) if failure.kind == hiera::Kind::Lookup && failure.inner.is_none() => {
                Err(self.unanswered(failure))
            }
            Err(failure) => {
                let stop = catwalk_eval::lookup_stop(&self.ev, failure, None);
                return Err(self.ev.failure(stop));
            }
        };
        let node = node.filter(|node| node.is_explaining());
        let explanation = node.and_then(|node| {
            if let Err(failure) = &value {
                node.explain_line(failure.message.to_string());
            }
            node.take_explanation()
        });
        Ok((value, explanation))
    }
}

impl Console<'_> {
    /// The error of a lookup without a value, with its hint. The message ends with the file, as Puppet prints it.
    fn unanswered(&self, failure: hiera::Failure) -> Box<Diagnostic> {
        let message = failure.full_message().into();
        let mut diagnostic: Box<Diagnostic> = Box::from(Reason { message, ..failure.reason });
        self.input.explain(&mut diagnostic);
        diagnostic
    }
}

/// Checks that a value has the wanted type.
fn check_type(value: Value, subject: &str, value_type: Option<&Type>) -> Result<Value, Box<Diagnostic>> {
    match value_type {
        Some(value_type) if !catwalk_value::is_instance(value_type, &value) => {
            let mismatch = mismatch::assert_instance(subject, value_type, &value).err();
            let text = mismatch.map_or_else(|| subject.to_owned(), |reason| reason.message.into_owned());
            Err(Box::from(Reason::new(Code::RUNTIME_ERROR, text)))
        }
        _ => Ok(value),
    }
}
