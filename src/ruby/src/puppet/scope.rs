//! `self` of templates and functions (Puppet::Parser::TemplateWrapper): its methods and variables; log messages and settings.
//!
//! In: calls without a receiver. Out: their results. Must not: know the methods of `scope` ([`crate::puppet::scope_methods`]).

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::puppet::scope_names::SCOPE_METHODS;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::Strict;

/// The class of a template's `self`.
pub(crate) const TEMPLATE: &str = "Puppet::Parser::TemplateWrapper";

/// [`TEMPLATE`] as a name.
pub(crate) fn template_class() -> Name {
    catwalk_base::name!("Puppet::Parser::TemplateWrapper")
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
pub(crate) fn strict(rt: &Interp<'_, '_>) -> Strict {
    rt.state_ref().strict.unwrap_or(rt.ev.settings.strict)
}

/// `scope.respond_to?(name)`
pub(crate) fn responds_to(rt: &mut Interp<'_, '_>, name: &str) -> bool {
    match name.strip_prefix("function_") {
        Some(function) => rt.has_legacy(rt.legacy_name(function)),
        None => SCOPE_METHODS.contains(&name),
    }
}

/// Whether objects of a class are templates: Puppet's wrapper, or a subclass of it.
pub(crate) fn is_template(rt: &Interp<'_, '_>, class: Name) -> bool {
    class.as_str() == TEMPLATE
        || (rt.tables.parents.contains_key(&class) && rt.tables.native_base(class).as_str() == TEMPLATE)
}

/// Whether a bare name may be a local variable around a template.
pub(crate) fn is_wrapper_variable(name: &str) -> bool {
    matches!(name, "string" | "template_source" | "escaped_template_source" | "result" | "template")
}

/// A local variable of the method of Puppet's wrapper in which a template runs: the template can read these variables.
/// (`TemplateWrapper#result`)
pub(crate) fn wrapper_variable(rt: &mut Interp<'_, '_>, name: &str, f: &Frame) -> Raise<Option<Rv>> {
    if !is_wrapper_variable(name) {
        return Ok(None);
    }
    let in_template = matches!(&f.this, Rv::Object(object) if object.class.as_str() == TEMPLATE);
    if !in_template || f.method_name().is_some() {
        return Ok(None);
    }
    let source = rt.source.clone();
    Ok(Some(match (name, source) {
        ("result", _) => Rv::Nil,
        ("template_source" | "escaped_template_source", Some(_)) => Rv::str("inline template"),
        ("template_source", None) => Rv::str(&*rt.file),
        ("escaped_template_source", None) => Rv::str(rt.file.replace('%', "%%")),
        (_, source) => {
            let source = match source {
                Some(source) => Rv::str(&*source),
                None => crate::core::string_helpers::from_bytes(rt.read_file(&rt.file.clone())?),
            };
            if name == "string" {
                return Ok(Some(source));
            }
            let class = rt.constant_path(None, "ERB")?;
            rt.call_method(&class, "new", &[source], None)?
        }
    }))
}

/// Methods of the template or function itself.
pub(crate) fn call_self(
    rt: &mut Interp<'_, '_>,
    this: &Rv,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let Rv::Object(object) = this else { return Ok(None) };
    if object.class.as_str() == GLOBAL {
        let outer = rt.ev.enter_scope(crate::puppet::host_classes::referenced_scope(object));
        let result = crate::puppet::scope_methods::call(rt, name, args, block);
        rt.ev.leave_scope(outer);
        return result;
    }
    if object.class.as_str() == crate::puppet::function::FUNCTION {
        return crate::puppet::function::call_self(rt, name, args, block);
    }
    if !is_template(rt, object.class) {
        return Ok(None);
    }
    Ok(Some(match (name, args) {
        ("scope", []) => Rv::Scope,
        ("file=", [template]) => crate::puppet::template::set_file(rt, object, template)?,
        ("result", [] | [_]) => crate::puppet::template::render_wrapper(rt, this, object, args.first())?,
        ("benchmark", _) => match block {
            Some(block) => rt.yield_values(block, &[])?,
            None => Rv::Nil,
        },
        ("file", []) => match object.ivars.borrow().get(&catwalk_base::name!("__file__")) {
            Some(file) => file.clone(),
            None => Rv::str(&*rt.file),
        },
        ("has_variable?", [variable]) => {
            let variable = rt.to_s(variable)?;
            Rv::bool(!rt.quiet_lookup(&variable)?.is_nil())
        }
        ("classes", []) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("all_tags", []) => Rv::array(rt.ev.state.resources.tags.iter().map(|tag| Rv::str(&**tag)).collect()),
        ("tags", []) => return rt.raise("NotImplementedError", "Call 'all_tags' instead."),
        (_, _) if is_log_level(name) && !rt.ev.logs(severity(name)) => Rv::Nil,
        (_, [message, ..]) if is_log_level(name) => {
            let message = rt.to_s(message)?;
            rt.log(name, message);
            Rv::Nil
        }
        _ => return Ok(None),
    }))
}

impl Interp<'_, '_> {
    /// `self` of a template.
    pub(crate) fn template_self() -> Rv {
        Rv::Object(Rc::new(Instance::new(Name::new(TEMPLATE))))
    }

    /// Logs a message without a position (`Puppet.warning`).
    pub(crate) fn log(&mut self, level: &str, message: String) {
        self.ev.log(severity(level), message, None);
    }

    /// `Puppet.warn_once(kind, key, message, file, line, level)`
    pub(crate) fn warn_once(&mut self, args: &[Rv]) -> Raise<Rv> {
        let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
        let disabled = match self.setting("disable_warnings")? {
            Rv::Array(kinds) => kinds.borrow().iter().any(|kind| kind.string_or_symbol() == string(0)),
            _ => false,
        };
        if disabled || !self.ev.warned.insert(Rc::from(string(1).unwrap_or_default())) {
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
        let message = self.to_s(args.get(2).unwrap_or(&Rv::Nil))?;
        self.log(&string(5).unwrap_or("warning".into()), format!("{message}\n   {position}"));
        Ok(Rv::Nil)
    }

    /// `Puppet.notice(message)`
    pub(crate) fn log_value(&mut self, level: &str, message: &Rv) -> Raise<Rv> {
        if !self.ev.logs(severity(level)) {
            return Ok(Rv::Nil);
        }
        let message = self.to_s(message)?;
        self.log(level, message);
        Ok(Rv::Nil)
    }

    /// A setting (`Puppet[:name]`).
    pub(crate) fn setting(&mut self, name: &str) -> Raise<Rv> {
        match self.ev.puppet_setting(name) {
            Ok(Some(value)) => Ok(self.to_ruby(&value)),
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
