//! Templates in the Puppet language (Puppet::Pops::Evaluator::EppEvaluator).
//!
//! In: a parsed template and its arguments. Out: text, `Sensitive` when a sensitive value was rendered.

use std::sync::Arc;

use crate::Evaluator;
use crate::PendingParameters;
use crate::Res;
use crate::ScopeKind;
use crate::Stop;
use crate::Vars;
use crate::interpolate;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::profile;
use catwalk_syntax::ast::Epp;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::File;
use catwalk_syntax::ast::Parameter;
use catwalk_value::Hash;
use catwalk_value::Str;
use catwalk_value::StructElement;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::secret;

/// The output of a template so far.
#[derive(Clone, Debug, Default)]
pub struct Output {
    text: String,
    sensitive: bool,
    /// The end of the first part, if it is a binary string; `None` before the first part.
    first: Option<Option<usize>>,
}

impl<'c> Evaluator<'c> {
    /// Renders a template. `global` templates see global variables only, others all of the calling scope.
    ///
    /// # Errors
    /// Missing, unknown or wrong arguments; the failure of its code.
    pub fn render_template(&mut self, function: &str, file: &'c File, args: Option<&Hash>, global: bool) -> Res<Value> {
        let Some(epp) = file.body.statements.iter().find_map(|statement| match &statement.kind {
            ExprKind::Epp(epp) => Some(epp),
            _ => None,
        }) else {
            return Err(Stop::runtime(format!("{function}(): the parser did not produce an EppExpression")));
        };
        if !file.definitions.is_empty() {
            let text = format!("{function}(): The EPP template contains illegal expressions (definitions)");
            return Err(Stop::runtime(text));
        }
        let enforce = epp.params_specified || args.is_none();
        let (kind, parent) = if global { (ScopeKind::Function, self.global()) } else { (ScopeKind::Local, self.scope) };
        let mut vars = Vars::new();
        if enforce {
            vars = self.template_parameters(&epp.params, args, kind, parent)?;
        } else if let Some(args) = args {
            for (name, value) in args.iter().filter_map(|(name, value)| Some((name.as_str()?, value))) {
                vars.insert(Name::new(name), value.clone());
            }
        }
        if let Some((name, _)) = vars.iter().find(|(name, _)| super::lambda::reserved(name.as_str())) {
            return Err(Stop::runtime(format!("Attempt to assign to a reserved variable name: '{name}'")));
        }
        let scope = self.scope;
        let source = self.program.sources.get(epp.body.span.file);
        let name = source.as_ref().map_or("", |source| &*source.name);
        let _step = profile::enter(profile::Kind::Template, if global { name } else { "inline_epp" });
        profile::set_file(|| Some(name));
        let result = self.nested(kind, parent, vars, |ev| ev.eval_epp(epp));
        self.scope = scope;
        match result {
            Err(Stop::Next(jump)) if enforce => Ok(jump.0),
            // `return()` in a template returns from the function `epp`.
            Err(Stop::Return(jump)) => Ok(jump.0),
            result => result,
        }
    }

    /// Values of a template's parameters, checked against their types.
    fn template_parameters(
        &mut self,
        params: &'c [Parameter],
        args: Option<&Hash>,
        kind: ScopeKind,
        parent: crate::ScopeId,
    ) -> Res<Vars> {
        let pending = PendingParameters {
            callee: crate::Callee::Named(Arc::from("lambda")),
            names: params.iter().map(|param| param.name).collect(),
            read_only: false,
        };
        let mut elements = Vec::with_capacity(params.len());
        for param in params {
            let value = match &param.data_type {
                Some(expr) => self.in_scope(self.base_of(parent), |ev| ev.eval_type(expr))?,
                None => Type::Any,
            };
            let name = Arc::from(param.name.as_str());
            elements.push(StructElement { name, optional: param.default.is_some(), value });
        }
        let argument = |name: &str| args.and_then(|args| args.get(name)).filter(|value| !value.is_undef());
        let vars = self.with_pending(kind, parent, pending, |ev, id| {
            let arguments = args.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str()?, value)));
            for (name, value) in arguments.filter(|(_, value)| !value.is_undef()) {
                ev.set_pending(id, Name::new(name), value.clone());
            }
            for param in params.iter().filter(|param| argument(param.name.as_str()).is_none()) {
                match &param.default {
                    Some(default) => {
                        let value = ev.default_value(param.name, default)?;
                        ev.set_pending(id, param.name, value);
                    }
                    None if args.is_some_and(|args| args.get(param.name.as_str()).is_some()) => {
                        ev.set_pending(id, param.name, Value::Undef);
                    }
                    None => {}
                }
            }
            Ok(())
        })?;
        let values: Vec<(Name, Value)> = vars.iter().map(|(name, value)| (name, value.clone())).collect();
        self.check_values(("lambda", false), &elements, &values, params.first().map(|param| param.span))?;
        Ok(vars)
    }

    /// Renders the body of a template.
    pub(super) fn eval_epp(&mut self, epp: &'c Epp) -> Res<Value> {
        self.output.push(Output::default());
        let printed = self.printed_count();
        let result = self.eval_block(&epp.body);
        let output = self.output.pop().unwrap_or_default();
        self.set_printed(printed, &output.text);
        result?;
        // The first part determines the encoding, unless a later part is not ASCII.
        let text = match output.first.flatten().and_then(|first| output.text.get(first..)) {
            Some(rest) if rest.is_ascii() => Value::Str(Str::binary(output.text)),
            _ => Value::from(output.text),
        };
        Ok(if output.sensitive { Value::Sensitive(Arc::new(text)) } else { text })
    }

    pub(super) fn render_text(&mut self, text: &str) -> Value {
        if let Some(output) = self.output.last_mut() {
            output.text.push_str(text);
            output.first.get_or_insert(None);
            meter::check_string(output.text.len());
        }
        Value::Undef
    }

    /// `<%= expr %>`
    pub(super) fn render(&mut self, inner: &'c Expr) -> Res<Value> {
        let value = self.eval(inner)?;
        if let Some(output) = self.output.last_mut() {
            let is_binary = matches!(&value, Value::Str(text) if text.is_binary());
            match &value {
                Value::Sensitive(inner) => {
                    output.sensitive = true;
                    secret::reveal(inner, self.world.secrets());
                    interpolate::push_interpolated(&mut output.text, inner);
                }
                value => interpolate::push_interpolated(&mut output.text, value),
            }
            let end = output.text.len();
            output.first.get_or_insert_with(|| is_binary.then_some(end));
            meter::check_string(output.text.len());
            self.note_printed(&value, inner.span);
        }
        Ok(Value::Undef)
    }
}
