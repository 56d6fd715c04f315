//! Puppet as Ruby code sees it: the variables of the scope as instance variables, `scope` and its methods, functions.
//!
//! Follows Puppet::Parser::TemplateWrapper and the public methods of Puppet::Parser::Scope.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::puppet::scope_names::REFUSED_FUNCTIONS;
use crate::puppet::scope_names::SCOPE_METHODS;
use crate::value::Callable;
use crate::value::Instance;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::ScopeId;
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

/// How unknown variables are treated.
pub(crate) fn strict(rt: &Interp<'_, '_>) -> Strict {
    rt.state_ref().strict.unwrap_or(rt.ev.settings.strict)
}

/// The object that a loader returns for a function; the first argument of its `call` is the scope.
fn loaded_function(name: String) -> Rv {
    Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
        rt.call_function(&name, args.get(1..).unwrap_or_default(), None)
    }))))
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
    let template = matches!(&f.this, Rv::Object(object) if object.class.as_str() == TEMPLATE);
    if !template || f.method_name().is_some() {
        return Ok(None);
    }
    let text = rt.source.clone();
    Ok(Some(match (name, text) {
        ("result", _) => Rv::Nil,
        ("template_source" | "escaped_template_source", Some(_)) => Rv::str("inline template"),
        ("template_source", None) => Rv::str(&*rt.file),
        ("escaped_template_source", None) => Rv::str(rt.file.replace('%', "%%")),
        (_, text) => {
            let text = match text {
                Some(text) => Rv::str(&*text),
                None => crate::core::string_helpers::from_bytes(rt.read_file(&rt.file.clone())?),
            };
            if name == "string" {
                return Ok(Some(text));
            }
            let class = rt.constant_path(None, "ERB")?;
            rt.call_method(&class, "new", &[text], None)?
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
        let outer = rt.ev.enter_scope(crate::puppet::host_classes::scope_of(object));
        let result = call(rt, name, args, block);
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
        ("file=", [wanted]) => crate::puppet::template::choose(rt, object, wanted)?,
        ("result", [] | [_]) => crate::puppet::template::result(rt, this, object, args.first())?,
        ("benchmark", _) => match block {
            Some(block) => rt.yield_values(block, &[])?,
            None => Rv::Nil,
        },
        ("file", []) => match object.ivars.borrow().get(&catwalk_base::name!("__file__")) {
            Some(file) => file.clone(),
            None => Rv::str(&*rt.file),
        },
        ("has_variable?", [wanted]) => {
            let wanted = rt.to_s(wanted)?;
            Rv::bool(!rt.quiet_lookup(&wanted)?.is_nil())
        }
        ("classes", []) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("all_tags", []) => Rv::array(rt.ev.state.tags.iter().map(|tag| Rv::str(&**tag)).collect()),
        ("tags", []) => return rt.raise("NotImplementedError", "Call 'all_tags' instead."),
        ("debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit", _)
            if !rt.ev.logs(severity(name)) =>
        {
            Rv::Nil
        }
        ("debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit", [text, ..]) => {
            let text = rt.to_s(text)?;
            rt.log(name, text);
            Rv::Nil
        }
        _ => return Ok(None),
    }))
}

/// Methods of `scope`.
pub(crate) fn call(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(function) = name.strip_prefix("function_") {
        let known = rt.legacy_name(function);
        if !rt.has_legacy(known) {
            let text = format!("undefined method `{name}' for {}:Puppet::Parser::Scope", rt.ev.scope_label());
            let raised = rt.raise("NoMethodError", text);
            return rt.with_puppet_position("parser/scope.rb", 1039, raised);
        }
        let Some(Rv::Array(given)) = args.first() else {
            let text = "custom functions must be called with a single array that contains the arguments. For example, \
                        function_example([1]) instead of function_example(1)";
            let raised = rt.raise("ArgumentError", text);
            return rt.with_puppet_position("parser/functions.rb", 219, raised);
        };
        let given = given.borrow().clone();
        // If a function exists in both APIs, Ruby calls the 3.x function by this name.
        let entry = rt.ev.native(known);
        if (rt.has_current(known) || entry.is_none_or(|entry| entry.module.is_none()))
            && let Some(first) = args.first()
            && let Some(value) = crate::puppet::function::call_legacy(rt, known, first, given.len())?
        {
            return Ok(Some(value));
        }
        if REFUSED_FUNCTIONS.contains(&function) {
            let text = format!("{function}() can only be called using the 4.x function API. See Scope#call_function");
            let raised = rt.raise("Puppet::ParseError", text);
            return rt.with_puppet_position("parser/functions.rb", 318, raised);
        }
        if let ("versioncmp", Some(other)) = (function, given.iter().find(|value| !matches!(value, Rv::Str(_)))) {
            return crate::puppet::module_functions::scan_version(rt, other).map(Some);
        }
        return rt.call_function(function, &given, block).map(Some);
    }
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (name, args.len()) {
        ("lookupvar" | "[]", 1..) => {
            let Rv::Str(wanted) = &arg else {
                let (shown, class) = (rt.inspect(&arg)?, rt.class_name(&arg));
                return rt
                    .raise("Puppet::ParseError", format!("Scope variable name {shown} is a {class}, not a string"));
            };
            let wanted = wanted.borrow().clone();
            rt.lookup(&wanted)?
        }
        ("include?", 1) => {
            let wanted = rt.to_s(&arg)?;
            Rv::bool(!rt.quiet_lookup(&wanted)?.is_nil())
        }
        ("exist?", 1) => {
            let wanted = rt.to_s(&arg)?;
            match rt.ev.variable_exists(Name::new(&wanted)) {
                Ok(known) => Rv::bool(known),
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        ("setvar" | "[]=", 2..) => {
            let wanted = rt.to_s(&arg)?;
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            let converted = rt.to_puppet(&value)?;
            if let Err(reason) = rt.ev.set_variable(Name::new(&wanted), converted) {
                return rt.raise("Puppet::ParseError", reason.message.into_owned());
            }
            value
        }
        ("to_hash", _) => {
            let mut map = Map::default();
            for (name, value) in rt.ev.visible_variables() {
                let value = rt.to_ruby(&value);
                map.insert(Key(Rv::str(name.as_str())), value);
            }
            Rv::hash(map)
        }
        ("call_function", 1..) => {
            let wanted = rt.to_s(&arg)?;
            let given = match args.get(1) {
                Some(Rv::Array(items)) => items.borrow().clone(),
                // `*args`: a hash becomes its pairs.
                Some(other) => rt.to_list(other)?,
                None => Vec::new(),
            };
            if !rt.has_function(&wanted) {
                let raised = rt.raise("ArgumentError", format!("Unknown function '{wanted}'"));
                return rt.with_puppet_position("pops/evaluator/runtime3_support.rb", 288, raised);
            }
            rt.call_function(&wanted, &given, block)?
        }
        ("catalog" | "compiler" | "loaders", 0) => Rv::Scope,
        ("private_environment_loader" | "public_environment_loader" | "puppet_system_loader", 0) => Rv::Scope,
        ("load", 2) if arg.string_or_symbol().as_deref() == Some("function") => {
            let wanted = args.get(1).and_then(Rv::string_or_symbol).unwrap_or_default();
            if rt.has_function(&wanted) { loaded_function(wanted) } else { Rv::Nil }
        }
        ("resources", 0) => crate::puppet::catalog::resources(rt),
        ("find_global_scope" | "topscope", 0) if rt.ev.base() == ScopeId::TOP => Rv::Scope,
        ("find_global_scope" | "topscope", 0) => crate::puppet::objects::object(GLOBAL, &[]),
        ("resource", 1) => {
            let wanted = rt.to_s(&arg)?;
            match rt.ev.find_reference(&wanted) {
                Ok(Some(id)) => crate::puppet::objects::object(
                    crate::puppet::objects::RESOURCE,
                    &[("id", Rv::Int(i64::from(id.0)))],
                ),
                Ok(None) => Rv::Nil,
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        ("findresource", 1..) => crate::puppet::catalog::find_resource(rt, &arg, args.get(1))?,
        ("source", 0) => crate::puppet::catalog::source(rt),
        ("environment", 0) => crate::puppet::api::environment(rt),
        ("resource", 0) => match rt.ev.scope_resource(rt.ev.base()) {
            Some(id) => {
                crate::puppet::objects::object(crate::puppet::objects::RESOURCE, &[("id", Rv::Int(i64::from(id.0)))])
            }
            None => Rv::Nil,
        },
        ("lookupdefaults", 1) => crate::puppet::scope_defaults::native(rt, &arg)?,
        ("classes", 0) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit", 1)
            if !rt.ev.logs(severity(name)) =>
        {
            Rv::Nil
        }
        ("debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit", 1) => {
            let text = rt.to_s(&arg)?;
            // A scope has no position.
            let source = rt.ev.scope_label();
            rt.ev.log_from(&source, severity(name), text.to_string());
            Rv::Nil
        }
        ("to_s" | "inspect", 0) => Rv::str(rt.ev.scope_label()),
        ("define_singleton_method" | "singleton_class", _) => return Ok(None),
        (other, _) if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        _ => match crate::puppet::api::of_scope(rt, name, args)?
            .map_or_else(|| crate::puppet::host_classes::of_scope(rt, name, args), |found| Ok(Some(found)))?
        {
            Some(value) => value,
            None => return rt.unsupported(&format!("scope.{name}")),
        },
    }))
}

impl Interp<'_, '_> {
    /// `self` of a template.
    pub(crate) fn template_self() -> Rv {
        Rv::Object(Rc::new(Instance::new(Name::new(TEMPLATE))))
    }

    /// Logs a message without a position (`Puppet.warning`).
    pub(crate) fn log(&mut self, level: &str, text: String) {
        self.ev.log(severity(level), text, None);
    }

    /// `Puppet.warn_once(kind, key, message, file, line, level)`
    pub(crate) fn warn_once(&mut self, args: &[Rv]) -> Raise<Rv> {
        let text = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
        let disabled = match self.setting("disable_warnings")? {
            Rv::Array(kinds) => kinds.borrow().iter().any(|kind| kind.string_or_symbol() == text(0)),
            _ => false,
        };
        if disabled || !self.ev.warned.insert(Rc::from(text(1).unwrap_or_default())) {
            return Ok(Rv::Nil);
        }
        let line = match args.get(4) {
            Some(Rv::Int(line)) => Some(*line),
            _ => None,
        };
        let place = match (text(3), line) {
            (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
            (Some(file), None) => format!("(file: {file})"),
            (None, Some(line)) => format!("(line: {line})"),
            (None, None) => "(file & line not available)".to_owned(),
        };
        let message = self.to_s(args.get(2).unwrap_or(&Rv::Nil))?;
        self.log(&text(5).unwrap_or("warning".into()), format!("{message}\n   {place}"));
        Ok(Rv::Nil)
    }

    /// `Puppet.notice(text)`
    pub(crate) fn log_value(&mut self, level: &str, text: &Rv) -> Raise<Rv> {
        if !self.ev.logs(severity(level)) {
            return Ok(Rv::Nil);
        }
        let text = self.to_s(text)?;
        self.log(level, text);
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

pub(crate) fn severity(level: &str) -> Severity {
    match level {
        "debug" => Severity::Debug,
        "info" => Severity::Info,
        "notice" => Severity::Notice,
        "err" | "alert" | "emerg" | "crit" => Severity::Error,
        _ => Severity::Warning,
    }
}
