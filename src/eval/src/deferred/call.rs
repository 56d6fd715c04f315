//! Reasons why a deferred call fails on an agent: it has the functions of Puppet and those of modules in Ruby, resource types and
//! data types in Ruby, and nothing else of a module.
//!
//! In: a call. Out: a problem, only if it is certain. Must not: call the function.

use std::path::Path;

use crate::Evaluator;
use crate::ModuleFunction;
use catwalk_base::diag::Label;
use catwalk_base::names::Name;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::File;
use catwalk_syntax::ast::Parameter;
use catwalk_value::Object;
use catwalk_value::Type;
use catwalk_value::Value;

/// What is wrong with a call, to be read after the parameter that holds it.
pub(super) struct Problem {
    pub(super) text: String,
    pub(super) help: String,
    /// Further positions.
    pub(super) labels: Vec<Label>,
}

fn problem(text: impl Into<String>, help: impl Into<String>) -> Option<Problem> {
    Some(Problem { text: text.into(), help: help.into(), labels: Vec::new() })
}

/// Functions that need a compiler (`Puppet::Parser::ScriptCompiler` lacks `evaluate_classes` and `add_collection`).
const DECLARING: &[&str] = &["contain", "include", "realize", "require"];

impl<'c> Evaluator<'c> {
    /// Why the call fails on an agent, or has no value there.
    pub(super) fn agent_problem(&mut self, call: &Object) -> Option<Problem> {
        let name = call.get("name")?;
        let name = name.as_str()?;
        if let Some(variable) = name.strip_prefix('$') {
            let text = format!("reads the variable '${variable}' on the agent, which has none of this name");
            return (variable != "facts").then(|| problem(text, "only `$facts` has a value there")).flatten();
        }
        if DECLARING.contains(&name) {
            let text = format!("calls the function '{name}' on the agent, where catalogs are complete");
            return problem(text, "declare classes and resources in the manifest");
        }
        let arguments = match call.get("arguments") {
            Some(Value::Array(items)) => items,
            _ => Default::default(),
        };
        let strings: Option<Vec<&str>> = arguments.iter().map(Value::as_str).collect();
        let is_of_module = |reference: &str| !reference.starts_with('/');
        match (name, arguments.first()) {
            ("epp", Some(Value::Str(reference))) => self.template_problem(reference),
            ("inline_epp", Some(Value::Str(text))) => {
                let file = self.program.epp_string(text).ok()?;
                self.parameter_problem(file)
            }
            ("template", Some(Value::Str(reference))) if is_of_module(reference) => missing_file("template", reference),
            ("file", Some(Value::Str(reference))) if strings?.into_iter().all(is_of_module) => {
                missing_file("file", reference)
            }
            _ => self.function_problem(name),
        }
    }

    /// A template in a file: one of a module is not on the agent. One with an absolute path may be, but its types are not.
    fn template_problem(&mut self, reference: &str) -> Option<Problem> {
        let program = self.program;
        let path = program.environment.template_file(reference, true, self.world);
        // Other files may not be read.
        let path = path.filter(|path| program.environment.module_of_path(path).is_some());
        let file = path.as_deref().and_then(|path: &Path| program.epp(path).ok());
        let types = file.and_then(|file| self.parameter_problem(file));
        if reference.starts_with('/') {
            return types;
        }
        let mut missing = missing_file("epp", reference)?;
        if let Some(types) = types {
            missing.help = format!("{}, and {}", missing.help, types.help);
            missing.labels = types.labels;
        }
        Some(missing)
    }

    /// A parameter of a template with a type that the agent lacks.
    fn parameter_problem(&mut self, file: &'c File) -> Option<Problem> {
        let epp = file.body.statements.iter().find_map(|statement| match &statement.kind {
            ExprKind::Epp(epp) => Some(epp),
            _ => None,
        })?;
        epp.params.iter().find_map(|parameter| self.type_problem(parameter))
    }

    fn type_problem(&mut self, parameter: &'c Parameter) -> Option<Problem> {
        let mut names = Vec::new();
        type_names(parameter.data_type.as_ref()?, &mut names);
        names.into_iter().find_map(|(name, span)| {
            let alias = self.program.type_alias(name.normalized()).ok()?;
            let text = format!(
                "renders a template on the agent, which lacks the type {name} of its parameter ${}",
                parameter.name
            );
            let mut labels = vec![Label { span, text: "the type of the template's parameter".into() }];
            match alias {
                Some(alias) => {
                    labels.push(Label { span: alias.span, text: "defined here".into() });
                    let help = format!("use a data type of Puppet instead of {name}: agents have no type aliases");
                    Some(Problem { text, help, labels })
                }
                None => {
                    self.is_unknown_type(name).then(|| Problem { text, help: "no such type exists".to_owned(), labels })
                }
            }
        })
    }

    /// Whether a name in a type is no type at all.
    fn is_unknown_type(&mut self, name: Name) -> bool {
        matches!(self.parse_type(name.as_str()), Ok(Type::Reference(_)))
    }

    /// A function that is neither one of Puppet nor in the Ruby of a module.
    fn function_problem(&mut self, name: &str) -> Option<Problem> {
        let key = Name::new(name).normalized();
        let native = self.native(key);
        if native.is_some_and(|entry| entry.module.is_none()) || self.library.ruby.has(self, key) {
            return None;
        }
        let text = format!("calls the function '{name}' on the agent, which does not have it");
        let defined = match self.program.main_manifest_function(key) {
            Some(definition) => Some(definition),
            None => self.program.function(key).ok()?,
        };
        if let Some(definition) = defined {
            let labels = vec![Label { span: definition.span, text: "defined here".into() }];
            let help = "it is written in the Puppet language; agents have only functions in Ruby".to_owned();
            return Some(Problem { text, help, labels });
        }
        if self.library.scripts.is_some_and(|scripts| scripts.has(self, key)) {
            return problem(text, "it is written in Rhai; agents have only functions in Ruby");
        }
        if let Some(module) = native.and_then(|entry| entry.module) {
            let is_missing = matches!(self.in_module(key), None | Some(ModuleFunction::Missing));
            let help = format!("it belongs to the module {module}, which is not on the modulepath or does not have it");
            return is_missing.then(|| problem(text, help)).flatten();
        }
        let similar = did_you_mean(name, self.library.functions.names_of_puppet(self.settings.version));
        problem(text, similar.unwrap_or_else(|| "no module on the modulepath has it".to_owned()))
    }
}

/// A call of a function that reads a file of a module.
fn missing_file(function: &str, reference: &str) -> Option<Problem> {
    let (kind, help) = match function {
        "epp" => {
            let suffix = if reference.ends_with(".epp") { "" } else { ".epp" };
            let text = format!("find_template('{reference}{suffix}').file");
            let help = format!("pass its text: `Deferred('inline_epp', [{text}, ...])`");
            ("template", help)
        }
        "template" => {
            ("template", "pass its text to `inline_template`, or call `template` without `Deferred`".to_owned())
        }
        _ => ("file", format!("call it without `Deferred`: `file('{reference}')`")),
    };
    let text = format!("reads the {kind} '{reference}' on the agent, which has no {kind}s of modules");
    problem(text, help)
}

/// The names in a type, with their positions.
fn type_names(expr: &Expr, names: &mut Vec<(Name, Span)>) {
    if let ExprKind::TypeName(name) = &expr.kind {
        names.push((*name, expr.span));
    }
    expr.children(&mut |child| type_names(child, names));
}
