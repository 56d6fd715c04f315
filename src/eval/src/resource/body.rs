//! The body of a resource expression: titles and attributes.
//!
//! In: the expressions of a body. Out: unique titles, parameters by name. Must not: create resources.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::flatten;
use super::general_type;
use super::issue;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::deferred::is_deferred;
use crate::state::Param;
use crate::state::Params;
use crate::state::Source;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_syntax::ast;
use catwalk_syntax::ast::AttributeOp;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::ruby;

/// The titles of one resource expression, with their bodies.
pub(super) type Titles = IndexMap<Value, usize, FxBuildHasher>;

impl<'c> Evaluator<'c> {
    pub(super) fn body_titles(
        &mut self,
        body: &'c ast::ResourceBody,
        (number, only): (usize, bool),
        span: Span,
        seen: &mut Titles,
    ) -> Res<Vec<Str>> {
        let value = self.eval(&body.title)?;
        let title_span = body.title.span;
        if value.is_undef() {
            return issue(Code::MISSING_TITLE, "Missing title. The title expression resulted in undef", title_span);
        }
        if let Value::Str(title) = &value
            && only
            && !title.is_empty()
        {
            return Ok(vec![title.clone()]);
        }
        let mut flat = Vec::new();
        flatten(&value, &mut flat);
        let mut titles = Vec::with_capacity(flat.len());
        for (index, title) in flat.into_iter().enumerate() {
            match &title {
                Value::Undef => {
                    let text = "The title expression resulted in an undef title";
                    return issue(
                        Code::MISSING_TITLE_AT,
                        format!("Missing title at index {index}. {text}"),
                        title_span,
                    );
                }
                Value::Str(text) if text.is_empty() => {
                    let text = "Title strings must have a length greater than zero.";
                    return issue(
                        Code::EMPTY_STRING_TITLE_AT,
                        format!("Empty string title at {index}. {text}"),
                        title_span,
                    );
                }
                Value::Str(_) | Value::Default => {}
                other => return Err(illegal_title(other, index, title_span)),
            }
            if seen.contains_key(&title) {
                let name = title.as_str().unwrap_or("default");
                let text = format!("The title '{name}' has already been used in this resource expression");
                return issue(Code::DUPLICATE_TITLE, text, span);
            }
            seen.insert(title.clone(), number);
            if let Value::Str(text) = title {
                titles.push(text);
            }
        }
        Ok(titles)
    }

    pub(super) fn body_params(&mut self, attributes: &'c [ast::Attribute], span: Span) -> Res<Params> {
        let mut params = Params::default();
        params.reserve(attributes.len());
        for attribute in attributes {
            if attribute.op != AttributeOp::Splat {
                let param = self.attribute_param(attribute)?;
                if params.contains_key(&attribute.name) {
                    let text = format!("The attribute '{}' has already been set", attribute.name);
                    return issue(Code::DUPLICATE_ATTRIBUE, text, span);
                }
                params.insert(attribute.name, param);
                continue;
            }
            for (name, param) in self.attribute_params(attribute)? {
                if params.contains_key(&name) {
                    let text = format!("The attribute '{name}' has already been set");
                    return issue(Code::DUPLICATE_ATTRIBUE, text, span);
                }
                params.insert(name, param);
            }
        }
        Ok(params)
    }

    /// The parameters of one attribute: several for `* => hash`.
    pub(crate) fn attribute_params(&mut self, attribute: &'c ast::Attribute) -> Res<Vec<(Name, Param)>> {
        if attribute.op != AttributeOp::Splat {
            return Ok(vec![(attribute.name, self.attribute_param(attribute)?)]);
        }
        let value = self.eval(&attribute.value)?;
        let source = self.source();
        let Value::Hash(hash) = &value else {
            let actual = general_type(&value);
            let text = format!("Expected value of type Hash, got {actual}");
            return issue(Code::TYPE_MISMATCH, text, attribute.value.span);
        };
        let mut params = Vec::with_capacity(hash.len());
        for (key, value) in hash.iter() {
            let name = match key {
                Value::Str(name) => name.as_ref(),
                Value::Symbol(name) => name.as_ref(),
                Value::Default => "default",
                _ => return Err(self.attribute_name_error(key, attribute.span)),
            };
            let param = self.param(value.clone(), source, Some(attribute.span), false).map_err(|stop| match stop {
                Stop::Reason(reason) => self.add_position(*reason, attribute.span, || "Object".to_owned()),
                stop => stop,
            })?;
            params.push((Name::new(name), param));
        }
        Ok(params)
    }

    /// Keys of `* => hash` are converted to symbols; a key that is not a string is an error of Ruby.
    fn attribute_name_error(&self, key: &Value, span: Span) -> Stop {
        let text = match key {
            Value::Undef => {
                let location = self.location(Some(span)).map_or_else(String::new, |location| format!(" {location}"));
                format!("'name' is a required option for Puppet::Parser::Resource::Param{location}")
            }
            key => {
                let hint =
                    if matches!(key, Value::Int(_) | Value::BigInt(_)) { "\nDid you mean?  integer?" } else { "" };
                format!("undefined method `intern' for {}{hint}", ruby::receiver(key))
            }
        };
        self.add_position(Reason::runtime(text), span, || "Object".to_owned())
    }

    fn attribute_param(&mut self, attribute: &'c ast::Attribute) -> Res<Param> {
        let value = self.eval(&attribute.value)?;
        let source = self.source();
        let append = attribute.op == AttributeOp::Append;
        let operator = if append { "+>" } else { "=>" };
        self.param(value, source, Some(attribute.span), append).map_err(|stop| match stop {
            Stop::Reason(reason) => self.add_position(*reason, attribute.span, || format!("'{operator}' expression")),
            stop => stop,
        })
    }

    /// A parameter from a value of the language: references are resolved for the catalog.
    pub fn param(&mut self, value: Value, source: Source, span: Option<Span>, append: bool) -> Res<Param> {
        let value = self.catalog_value(value)?;
        Ok(Param { value, source, span, append, identity: self.state.resources.identity() })
    }
}

/// A title that is not a string.
fn illegal_title(title: &Value, index: usize, span: Span) -> Stop {
    let actual = general_type(title);
    let text = format!("Evaluation Error: Illegal title type at index {index}. Expected String, got {actual}");
    let help = "a title is fixed when the catalog is compiled; a Deferred value has a result only on the agent";
    let reason = Reason::new(Code::ILLEGAL_TITLE_TYPE_AT, text);
    Stop::Failed(Box::new(Diagnostic::new(reason.hint(is_deferred(title).then(|| help.to_owned())), Some(span))))
}
