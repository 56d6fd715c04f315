//! `self` of templates and functions (Puppet::Parser::TemplateWrapper): its methods and variables; log messages and settings.
//!
//! In: calls without a receiver. Out: their results. Must not: know the methods of `scope` ([`crate::scope_methods`]).

use std::rc::Rc;

use crate::PuppetInterp;
use crate::scope_names::SCOPE_METHODS;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::Evaluator;
use catwalk_eval::Strict;
use catwalk_ruby::Blk;
use catwalk_ruby::Frame;
use catwalk_ruby::Instance;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;

/// The class of a template's `self`.
pub(crate) const TEMPLATE: &str = "Puppet::Parser::TemplateWrapper";

/// [`TEMPLATE`] as a name.
pub(crate) fn template_class() -> Name {
    catwalk_base::name!("Puppet::Parser::TemplateWrapper")
}

/// `self` of a template.
pub(crate) fn template_self() -> Rv {
    Rv::Object(Rc::new(Instance::new(Name::new(TEMPLATE))))
}

/// Methods of `self` in templates, for `defined?`.
pub(crate) const SELF_METHODS: &[&str] = &[
    "scope",
    "file",
    "has_variable?",
    "classes",
    "all_tags",
    "tags",
    "debug",
    "info",
    "notice",
    "warning",
    "err",
    "alert",
    "emerg",
    "crit",
    "result",
];

/// The class of the top scope when code runs in another scope.
pub(crate) const GLOBAL: &str = "Puppet::Parser::Scope";

/// The setting `strict`, which determines how unknown variables are treated.
pub(crate) fn strict(rt: &PuppetInterp<'_, '_>) -> Strict {
    rt.state_ref().strict.unwrap_or(rt.host.ev.settings.strict)
}

/// `scope.respond_to?(name)`
pub(crate) fn responds_to(rt: &mut PuppetInterp<'_, '_>, name: &str) -> bool {
    match name.strip_prefix("function_") {
        Some(function) => rt.has_legacy(rt.legacy_name(function)),
        None => SCOPE_METHODS.contains(&name),
    }
}

/// Whether objects of a class are templates: Puppet's wrapper, or a subclass of it.
pub(crate) fn is_template(program: &ProgramState, class: Name) -> bool {
    class.as_str() == TEMPLATE
        || (program.tables.parents.contains_key(&class) && program.tables.native_base(class).as_str() == TEMPLATE)
}

/// Whether a bare name may be a local variable around a template.
pub(crate) fn is_wrapper_variable(name: &str) -> bool {
    matches!(name, "string" | "template_source" | "escaped_template_source" | "result" | "template")
}

/// A local variable of the method of Puppet's wrapper in which a template runs: the template can read these variables.
/// (`TemplateWrapper#result`)
pub(crate) fn wrapper_variable(rt: &mut PuppetInterp<'_, '_>, name: &str, f: &Frame) -> Raise<Option<Rv>> {
    let in_template = matches!(&f.this, Rv::Object(object) if object.class.as_str() == TEMPLATE);
    if !in_template || f.method_name().is_some() {
        return Ok(None);
    }
    let source = rt.host.own.source.clone();
    Ok(Some(match (name, source) {
        ("result", _) => Rv::Nil,
        ("template_source" | "escaped_template_source", Some(_)) => Rv::str("inline template"),
        ("template_source", None) => Rv::str(&*rt.file),
        ("escaped_template_source", None) => Rv::str(rt.file.replace('%', "%%")),
        (_, source) => {
            let source = match source {
                Some(source) => Rv::str(&*source),
                None => {
                    let file = rt.file.clone();
                    Rv::from_bytes(rt.ruby().read_file(&file)?)
                }
            };
            if name == "string" {
                return Ok(Some(source));
            }
            let class = rt.ruby().constant_path(None, "ERB")?;
            rt.ruby().call_method(&class, "new", &[source], None)?
        }
    }))
}

/// Methods of the template or function itself.
pub(crate) fn call_self(
    rt: &mut PuppetInterp<'_, '_>,
    this: &Rv,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let Rv::Object(object) = this else { return Ok(None) };
    if object.class.as_str() == GLOBAL {
        let outer = rt.host.ev.enter_scope(crate::host_classes::referenced_scope(object));
        let result = crate::scope_methods::call(rt, name, args, block);
        rt.host.ev.leave_scope(outer);
        return result;
    }
    if object.class.as_str() == crate::function::FUNCTION {
        return crate::function::call_self(rt, name, args, block);
    }
    if !is_template(rt, object.class) {
        return Ok(None);
    }
    Ok(Some(match (name, args) {
        ("scope", []) => Rv::Scope,
        ("file=", [template]) => crate::template::set_file(rt, object, template)?,
        ("result", [] | [_]) => crate::template::render_wrapper(rt, this, object, args.first())?,
        ("benchmark", _) => match block {
            Some(block) => rt.ruby().yield_values(block, &[])?,
            None => Rv::Nil,
        },
        ("file", []) => match object.ivars.borrow().get(&catwalk_base::name!("__file__")) {
            Some(file) => file.clone(),
            None => Rv::str(&*rt.file),
        },
        ("has_variable?", [variable]) => {
            let variable = rt.ruby().to_s(variable)?;
            Rv::bool(!rt.quiet_lookup(&variable)?.is_nil())
        }
        ("classes", []) => Rv::array(rt.host.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("all_tags", []) => Rv::array(rt.host.ev.state.resources.tags.iter().map(|tag| Rv::str(&**tag)).collect()),
        ("tags", []) => return rt.ruby().raise("NotImplementedError", "Call 'all_tags' instead."),
        (_, _) if is_log_level(name) && !rt.host.ev.logs(severity(name)) => Rv::Nil,
        (_, [message, ..]) if is_log_level(name) => {
            let message = rt.ruby().to_s(message)?;
            rt.log(name, message);
            Rv::Nil
        }
        _ => return Ok(None),
    }))
}

impl PuppetInterp<'_, '_> {
    /// Logs a message without a position (`Puppet.warning`).
    pub(crate) fn log(&mut self, level: &str, message: String) {
        self.host.ev.log(severity(level), message, None);
    }

    /// `Puppet.warn_once(kind, key, message, file, line, level)`
    pub(crate) fn warn_once(&mut self, args: &[Rv]) -> Raise<Rv> {
        let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
        let disabled = match self.setting("disable_warnings")? {
            Rv::Array(kinds) => kinds.borrow().iter().any(|kind| kind.string_or_symbol() == string(0)),
            _ => false,
        };
        if disabled || !self.host.ev.warned.insert(Rc::from(string(1).unwrap_or_default())) {
            return Ok(Rv::Nil);
        }
        let line = match args.get(4) {
            Some(Rv::Int(line)) => Some(*line),
            _ => None,
        };
        let position = match (string(3), line) {
            (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
            (Some(file), None) => format!("(file: {file})"),
            (None, Some(line)) => format!("(line: {line})"),
            (None, None) => "(file & line not available)".to_owned(),
        };
        let message = self.ruby().to_s(args.get(2).unwrap_or(&Rv::Nil))?;
        self.log(&string(5).unwrap_or("warning".into()), format!("{message}\n   {position}"));
        Ok(Rv::Nil)
    }

    /// `Puppet.notice(message)`
    pub(crate) fn log_value(&mut self, level: &str, message: &Rv) -> Raise<Rv> {
        if !self.host.ev.logs(severity(level)) {
            return Ok(Rv::Nil);
        }
        let message = self.ruby().to_s(message)?;
        self.log(level, message);
        Ok(Rv::Nil)
    }

    /// A setting (`Puppet[:name]`).
    pub(crate) fn setting(&mut self, name: &str) -> Raise<Rv> {
        match self.host.ev.puppet_setting(name) {
            Ok(Some(value)) => Ok(self.ruby().to_ruby(&value)),
            Ok(None) => Ok(Rv::Nil),
            Err(stop) => self.raise_failure(stop),
        }
    }
}

/// Whether a method of this name logs a message of the level with the same name.
pub(crate) fn is_log_level(name: &str) -> bool {
    matches!(name, "debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit")
}

/// The severity of a log level of Puppet.
pub(crate) fn severity(level: &str) -> Severity {
    match level {
        "debug" => Severity::Debug,
        "info" => Severity::Info,
        "notice" => Severity::Notice,
        "err" | "alert" | "emerg" | "crit" => Severity::Error,
        _ => Severity::Warning,
    }
}

/// The names of all variables of the scope, as a template spells them, and of the variables of Puppet's wrapper.
pub(crate) fn variable_names(ev: &Evaluator<'_>) -> Vec<String> {
    let mut names = vec!["@__scope__".to_owned(), "@__file__".to_owned()];
    for (name, _) in ev.visible_variables() {
        let plain: String =
            name.as_str().chars().map(|c| if c == '_' || c.is_alphanumeric() { c } else { '_' }).collect();
        names.push(format!("@{plain}"));
    }
    names
}
