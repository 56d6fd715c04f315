//! What Ruby code sees of Puppet: the variables of the scope as instance variables, `scope` and its methods, functions.
//!
//! Follows Puppet::Parser::TemplateWrapper and the public methods of Puppet::Parser::Scope.

use std::rc::Rc;

use indexmap::IndexMap;

use super::Blk;
use super::Frame;
use super::Interp;
use super::Raise;
use super::scope_names::BY_SCOPE;
use super::scope_names::NOT_BY_SCOPE;
use super::scope_names::SCOPE_METHODS;
use super::value::Callable;
use super::value::Instance;
use super::value::Key;
use super::value::Map;
use super::value::Rv;
use crate::diag::Severity;
use crate::eval::CallFrame;
use crate::eval::Running;
use crate::eval::ScopeId;
use crate::eval::Strict;
use crate::names::Name;
use crate::value::Value;

/// The class of a template's `self`.
pub(crate) const TEMPLATE: &str = "Puppet::Parser::TemplateWrapper";

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

/// The class of the top scope where code runs in another.
pub(crate) const GLOBAL: &str = "Puppet::Parser::Scope";

/// How unknown variables are taken.
pub(crate) fn strict(rt: &Interp<'_, '_>) -> Strict {
    rt.ev.ruby.strict.unwrap_or(rt.ev.settings.strict)
}

/// What a loader gives for a function: its `call` takes the scope first.
fn loaded_function(name: String) -> Rv {
    Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
        rt.call_puppet(&name, args.get(1..).unwrap_or_default(), None)
    }))))
}

/// `scope.respond_to?(name)`
pub(crate) fn responds(rt: &mut Interp<'_, '_>, name: &str) -> bool {
    match name.strip_prefix("function_") {
        Some(function) => rt.has_older(rt.older_name(function)),
        None => SCOPE_METHODS.contains(&name),
    }
}

/// Whether objects of a class are templates: Puppet's wrapper, or a class of the program that comes from it.
fn is_template(rt: &Interp<'_, '_>, class: Name) -> bool {
    class.as_str() == TEMPLATE
        || (rt.tables.parents.contains_key(&class) && rt.tables.native_base(class).as_str() == TEMPLATE)
}

/// A local variable of the method of Puppet's wrapper in which a template runs: the template sees those by their bare names.
/// (`TemplateWrapper#result`)
pub(crate) fn wrapper_variable(rt: &mut Interp<'_, '_>, name: &str, f: &Frame) -> Raise<Option<Rv>> {
    if !matches!(name, "string" | "template_source" | "escaped_template_source" | "result" | "template") {
        return Ok(None);
    }
    let template = matches!(&f.this, Rv::Object(object) if object.class.as_str() == TEMPLATE);
    if !template || f.method.name.is_some() {
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
                None => super::text::from_bytes(rt.read_file(&rt.file.clone())?),
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
        let outer = rt.ev.enter_scope(super::made_classes::scope_of(object));
        let result = call(rt, name, args, block);
        rt.ev.leave_scope(outer);
        return result;
    }
    if object.class.as_str() == super::function::FUNCTION {
        return super::function::call_self(rt, name, args, block);
    }
    if !is_template(rt, object.class) {
        return Ok(None);
    }
    Ok(Some(match (name, args) {
        ("scope", []) => Rv::Scope,
        ("file=", [wanted]) => super::template::choose(rt, object, wanted)?,
        ("result", [] | [_]) => super::template::result(rt, this, object, args.first())?,
        ("benchmark", _) => match block {
            Some(block) => rt.yield_values(block, &[])?,
            None => Rv::Nil,
        },
        ("file", []) => match object.ivars.borrow().get(&crate::name!("__file__")) {
            Some(file) => file.clone(),
            None => Rv::str(&*rt.file),
        },
        ("has_variable?", [wanted]) => {
            let wanted = rt.to_s(wanted)?;
            Rv::Bool(!rt.quiet_lookup(&wanted)?.is_nil())
        }
        ("classes", []) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("all_tags", []) => Rv::array(rt.ev.state.tags.iter().map(|tag| Rv::str(&**tag)).collect()),
        ("tags", []) => return rt.raise("NotImplementedError", "Call 'all_tags' instead."),
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
        let known = rt.older_name(function);
        if !rt.has_older(known) {
            let text = format!("undefined method `{name}' for {}:Puppet::Parser::Scope", rt.ev.scope_text());
            let raised = rt.raise("NoMethodError", text);
            return rt.from("parser/scope.rb", 1039, raised);
        }
        let Some(Rv::Array(given)) = args.first() else {
            let text = "custom functions must be called with a single array that contains the arguments. For example, \
                        function_example([1]) instead of function_example(1)";
            return rt.raise("ArgumentError", text);
        };
        let given = given.borrow().clone();
        // Of two interfaces that a function has, Ruby calls the older one by this name.
        let entry = crate::functions::find(known, rt.ev.settings.version);
        if (rt.has_newer(known) || entry.is_none_or(|entry| !entry.stdlib))
            && let Some(first) = args.first()
            && let Some(value) = super::function::older(rt, known, first, given.len())?
        {
            return Ok(Some(value));
        }
        if NOT_BY_SCOPE.contains(&function) {
            let text = format!("{function}() can only be called using the 4.x function API. See Scope#call_function");
            let raised = rt.raise("Puppet::ParseError", text);
            return rt.from("parser/functions.rb", 318, raised);
        }
        if let ("versioncmp", Some(other)) = (function, given.iter().find(|value| !matches!(value, Rv::Str(_)))) {
            // The older function of this name looks at its arguments only by using them.
            let raised = rt.call_method(other, "scan", &[], None).map(Some);
            return rt.from("util/package.rb", 11, raised);
        }
        return rt.call_puppet(function, &given, block).map(Some);
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
            Rv::Bool(!rt.quiet_lookup(&wanted)?.is_nil())
        }
        ("exist?", 1) => {
            let wanted = rt.to_s(&arg)?;
            match rt.ev.variable_exists(Name::new(&wanted)) {
                Ok(known) => Rv::Bool(known),
                Err(stop) => return rt.failed(stop),
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
                // `*args`: a hash gives its pairs.
                Some(other) => rt.to_list(other)?,
                None => Vec::new(),
            };
            if !rt.has_function(&wanted) {
                let raised = rt.raise("ArgumentError", format!("Unknown function '{wanted}'"));
                return rt.from("pops/evaluator/runtime3_support.rb", 288, raised);
            }
            rt.call_puppet(&wanted, &given, block)?
        }
        ("catalog" | "compiler" | "loaders", 0) => Rv::Scope,
        ("private_environment_loader" | "public_environment_loader" | "puppet_system_loader", 0) => Rv::Scope,
        ("load", 2) if arg.text().as_deref() == Some("function") => {
            let wanted = args.get(1).and_then(Rv::text).unwrap_or_default();
            if rt.has_function(&wanted) { loaded_function(wanted) } else { Rv::Nil }
        }
        ("resources", 0) => super::catalog::resources(rt),
        ("find_global_scope" | "topscope", 0) if rt.ev.base() == ScopeId::TOP => Rv::Scope,
        ("find_global_scope" | "topscope", 0) => super::instance::object(GLOBAL, &[]),
        ("resource", 1) => {
            let wanted = rt.to_s(&arg)?;
            match rt.ev.find_reference(&wanted) {
                Ok(Some(id)) => {
                    super::instance::object(super::instance::RESOURCE, &[("id", Rv::Int(i128::from(id.0)))])
                }
                Ok(None) => Rv::Nil,
                Err(stop) => return rt.failed(stop),
            }
        }
        ("findresource", 1..) => super::catalog::find_resource(rt, &arg, args.get(1))?,
        ("source", 0) => super::catalog::source(rt),
        ("environment", 0) => super::puppet_api::environment(rt),
        ("resource", 0) => match rt.ev.scope_resource(rt.ev.base()) {
            Some(id) => super::instance::object(super::instance::RESOURCE, &[("id", Rv::Int(i128::from(id.0)))]),
            None => Rv::Nil,
        },
        ("lookupdefaults", 1) => {
            let kind = Name::new(&rt.to_s(&arg)?);
            let mut map = Map::default();
            for (name, value) in rt.ev.visible_defaults(kind) {
                let value = rt.to_ruby(&value);
                map.insert(Key(Rv::sym(name.as_str())), value);
            }
            Rv::hash(map)
        }
        ("classes", 0) => Rv::array(rt.ev.state.classes.iter().map(|class| Rv::str(&**class)).collect()),
        ("debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit", 1) => {
            let text = rt.to_s(&arg)?;
            // A scope has no place of its own.
            let source = rt.ev.scope_text();
            rt.ev.log_from(&source, severity(name), text.to_string());
            Rv::Nil
        }
        ("to_s" | "inspect", 0) => Rv::str(rt.ev.scope_text()),
        ("define_singleton_method" | "singleton_class", _) => return Ok(None),
        (other, _) if super::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        _ => match super::puppet_api::of_scope(rt, name, args)?
            .map_or_else(|| super::made_classes::of_scope(rt, name, args), |found| Ok(Some(found)))?
        {
            Some(value) => value,
            None => return rt.unsupported(&format!("scope.{name}")),
        },
    }))
}

/// The key of `@name` of a class.
fn at_name(name: Name) -> Name {
    Name::new(&format!("@{name}"))
}

/// The class whose body or method code stands in.
fn class_around(f: &Rc<Frame>) -> Name {
    f.class.map_or_else(|| Name::new("Object"), |class| Name::new(class.as_str().trim_end_matches('.')))
}

impl Interp<'_, '_> {
    /// `self` of a template.
    pub(crate) fn template_self() -> Rv {
        Rv::Object(Rc::new(Instance::new(Name::new(TEMPLATE))))
    }

    /// A variable as `scope.lookupvar` gives it; an unknown one is nil with a warning.
    fn lookup(&mut self, name: &str) -> Raise<Rv> {
        let unknown = match self.ev.variable_text(name) {
            Ok(Ok(value)) => return Ok(self.seen(name, &value)),
            Ok(Err(unknown)) => unknown,
            Err(stop) => return self.failed(stop),
        };
        if self.ev.ruby.catches > 0 {
            let reason = unknown.reason.map_or(Rv::Nil, |reason| Rv::str(&*reason));
            return Err(Box::new(super::Flow::Throw(Rv::sym("undefined_variable"), reason)));
        }
        let shown = &unknown.name;
        let text = format!("Undefined variable '{shown}'; {}", unknown.reason.unwrap_or_default());
        match strict(self) {
            Strict::Off => {}
            Strict::Warning => {
                if !self.ev.settings.disables("undefined_variables")
                    && self.ev.warned.insert(Rc::from(format!("Variable: {shown}")))
                {
                    self.ev.log(Severity::Warning, format!("{text}\n   (file & line not available)"), None);
                }
            }
            Strict::Error => return self.raise("ArgumentError", text),
        }
        Ok(Rv::Nil)
    }

    /// The same without a warning.
    fn quiet_lookup(&mut self, name: &str) -> Raise<Rv> {
        match self.ev.variable_text(name) {
            Ok(Ok(value)) => Ok(self.seen(name, &value)),
            Ok(Err(_)) => Ok(Rv::Nil),
            Err(stop) => self.failed(stop),
        }
    }

    /// The variable behind an instance variable of a template: other characters than letters and digits of its name
    /// are underscores.
    fn scope_ivar(&mut self, name: Name) -> Raise<Option<Rv>> {
        let found = match self.ev.variable(name) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(_)) if name.as_str().contains('_') => {
                let odd = self.odd_name(name);
                match odd.map(|odd| self.ev.variable(odd)) {
                    Some(Ok(found)) => found.ok(),
                    Some(Err(stop)) => return self.failed(stop),
                    None => None,
                }
            }
            Ok(Err(_)) => None,
            Err(stop) => return self.failed(stop),
        };
        Ok(found.filter(|value| !value.is_undef()).map(|value| self.seen(name.as_str(), &value)))
    }

    /// The value of a variable for Ruby code. What Puppet itself sets for each node is frozen. (`Scope#set_facts`)
    fn seen(&mut self, name: &str, value: &Value) -> Rv {
        let object = self.to_ruby(value);
        if matches!(name.trim_start_matches("::"), "facts" | "trusted" | "server_facts")
            && !self.ev.ruby.marks.is_frozen(&object)
        {
            self.ev.ruby.marks.freeze_all(&object);
        }
        object
    }

    /// The variable of the top scope whose name is this one but for characters that are no letters: facts may have such.
    fn odd_name(&mut self, name: Name) -> Option<Name> {
        if self.ev.ruby.odd_names.is_none() {
            let plain = |c: char| c == '_' || c.is_alphanumeric();
            let top = self.ev.scope(ScopeId::TOP)?;
            let odd = top.vars.iter().map(|(name, _)| name).filter(|name| !name.as_str().chars().all(plain));
            let written =
                |name: Name| name.as_str().chars().map(|c| if plain(c) { c } else { '_' }).collect::<String>();
            let found = odd.map(|name| (written(name), name)).collect();
            self.ev.ruby.odd_names = Some(found);
        }
        self.ev.ruby.odd_names.as_ref()?.get(name.as_str()).copied()
    }

    /// An instance variable of an object.
    pub(crate) fn object_ivar(&mut self, object: &Rc<Instance>, name: Name) -> Raise<Option<Rv>> {
        if let Some(value) = object.ivars.borrow().get(&name) {
            return Ok(Some(value.clone()));
        }
        if !is_template(self, object.class) {
            return Ok(None);
        }
        let found = self.scope_ivar(name)?;
        if let Some(value) = &found {
            object.ivars.borrow_mut().insert(name, value.clone());
        }
        Ok(found)
    }

    /// `@name`
    pub(crate) fn ivar(&mut self, name: Name, f: &Rc<Frame>) -> Raise<Rv> {
        self.ivar_of(&f.this, name)
    }

    /// `@name` of an object, a class or an exception.
    pub(crate) fn ivar_of(&mut self, this: &Rv, name: Name) -> Raise<Rv> {
        match this {
            Rv::Object(object) => Ok(self.object_ivar(object, name)?.unwrap_or(Rv::Nil)),
            Rv::Class(class) => Ok(self.tables.class_vars.get(&(*class, at_name(name))).cloned().unwrap_or(Rv::Nil)),
            Rv::Exception(exception) => Ok(exception.ivars.borrow().get(&name).cloned().unwrap_or(Rv::Nil)),
            _ => Ok(self.globals.get(&at_name(name)).cloned().unwrap_or(Rv::Nil)),
        }
    }

    /// Whether `@name` is set.
    pub(crate) fn ivar_defined(&mut self, this: &Rv, name: Name) -> Raise<bool> {
        match this {
            Rv::Object(object) => Ok(self.object_ivar(object, name)?.is_some()),
            Rv::Class(class) => Ok(self.tables.class_vars.contains_key(&(*class, at_name(name)))),
            Rv::Exception(exception) => Ok(exception.ivars.borrow().contains_key(&name)),
            _ => Ok(self.globals.contains_key(&at_name(name))),
        }
    }

    /// `@name = value`
    ///
    /// # Errors
    /// `FrozenError` when the object is frozen.
    pub(crate) fn set_ivar_of(&mut self, this: &Rv, name: Name, value: Rv) -> Raise<()> {
        if matches!(this, Rv::Object(_) | Rv::Exception(_)) && self.ev.ruby.marks.is_frozen(this) {
            return self.frozen_error(this);
        }
        match this {
            Rv::Object(object) => {
                object.ivars.borrow_mut().insert(name, value);
            }
            Rv::Class(class) => {
                self.tables_mut().class_vars.insert((*class, at_name(name)), value);
            }
            Rv::Exception(exception) => {
                exception.ivars.borrow_mut().insert(name, value);
            }
            _ => {
                self.globals.insert(at_name(name), value);
            }
        }
        Ok(())
    }

    /// The value of `@@name`: of the class around, or one it comes from.
    pub(crate) fn class_variable_known(&self, name: Name, f: &Rc<Frame>) -> Option<Rv> {
        let mut found = None;
        self.tables.chain(class_around(f), &mut |class| {
            found = self.tables.class_vars.get(&(class, name)).cloned();
            found.is_some()
        });
        found
    }

    /// `@@name`
    pub(crate) fn class_variable(&mut self, name: Name, f: &Rc<Frame>) -> Raise<Rv> {
        match self.class_variable_known(name, f) {
            Some(value) => Ok(value),
            None => {
                let class = class_around(f);
                self.raise("NameError", format!("uninitialized class variable @@{name} in {class}"))
            }
        }
    }

    /// `@@name = value`
    pub(crate) fn set_class_variable(&mut self, name: Name, value: Rv, f: &Rc<Frame>) {
        let mut home = class_around(f);
        self.tables.chain(home, &mut |class| {
            let known = self.tables.class_vars.contains_key(&(class, name));
            if known {
                home = class;
            }
            known
        });
        self.tables_mut().class_vars.insert((home, name), value);
    }

    /// `instance_variables`
    pub(crate) fn instance_variables(&mut self, this: &Rv) -> Raise<Rv> {
        let Rv::Object(object) = this else { return Ok(Rv::array(Vec::new())) };
        let mut names: IndexMap<String, ()> = IndexMap::new();
        if is_template(self, object.class) {
            names.insert("@__scope__".to_owned(), ());
            names.insert("@__file__".to_owned(), ());
            for (name, _) in self.ev.visible_variables() {
                let plain: String =
                    name.as_str().chars().map(|c| if c == '_' || c.is_alphanumeric() { c } else { '_' }).collect();
                names.insert(format!("@{plain}"), ());
            }
        }
        for name in object.ivars.borrow().keys() {
            names.insert(format!("@{name}"), ());
        }
        Ok(Rv::array(names.keys().map(|name| Rv::sym(name)).collect()))
    }

    /// Whether there is a function of this name.
    pub(crate) fn has_function(&mut self, name: &str) -> bool {
        let name = Name::new(name).normalized();
        crate::functions::find(name, self.ev.settings.version).is_some()
            || matches!(self.ev.program.function(name), Ok(Some(_)))
            || self.ev.scripts.is_some_and(|scripts| scripts.has(&name))
            || self.has_ruby_function(name)
    }

    /// Whether a module has a file for a function of this name, or one that defined it beside another.
    fn has_ruby_function(&self, name: Name) -> bool {
        if matches!(self.ev.ruby.functions.get(&name), Some(Some(_))) {
            return true;
        }
        !self.ev.program.ruby_functions(name).0.is_empty()
    }

    /// `Puppet::Parser::Functions.function(name)`: the method of the scope that calls it; false when there is none of the
    /// older interface.
    pub(crate) fn older_function(&mut self, name: &str) -> Raise<Rv> {
        let known = self.older_name(name);
        let there = !name.is_empty() && !name.contains("::") && self.has_older(known);
        Ok(if there { Rv::str(format!("function_{name}")) } else { Rv::Bool(false) })
    }

    /// `Puppet::Parser::Functions.autoloader.load(name)` and its kin: each warns once. (`AutoloaderDelegate`)
    pub(crate) fn autoloader(&mut self, method: &str, name: &str) -> Raise<Rv> {
        if strict(self) != Strict::Off {
            let shown = if method == "loadall" { String::new() } else { format!("(\"{name}\")") };
            let call = format!("Puppet::Parser::Functions.autoloader#{method}{shown}");
            let text = format!("The method '{call}' is deprecated in favor of using 'Scope#call_function'.");
            self.warn_once(&[Rv::str("deprecations"), Rv::str(call), Rv::str(text)])?;
        }
        let known = self.older_name(name);
        Ok(Rv::Bool(match method {
            "loaded?" => {
                matches!(self.ev.ruby.functions.get(&known), Some(Some(_))) || self.ev.ruby.autoloaded.contains(&known)
            }
            "load" => {
                let there = self.has_older(known);
                if there {
                    self.ev.ruby.autoloaded.insert(known);
                }
                there
            }
            _ => true,
        }))
    }

    /// By which name a function of the older interface is known: files may have names with capitals.
    fn older_name(&self, name: &str) -> Name {
        let name = Name::new(name);
        if name != name.normalized() && self.ev.program.ruby_functions(name).0.iter().any(|file| file.older) {
            return name;
        }
        name.normalized()
    }

    /// Whether there is a function of this name by the older interface: of Puppet, of a module, or of a script.
    fn has_older(&self, name: Name) -> bool {
        BY_SCOPE.contains(&name.as_str())
            || NOT_BY_SCOPE.contains(&name.as_str())
            || self.ev.program.ruby_functions(name).0.iter().any(|file| file.older)
            || matches!(self.ev.ruby.functions.get(&name), Some(Some(_)))
            || self.ev.scripts.is_some_and(|scripts| scripts.has(&name))
    }

    /// Whether a module has a function of this name by the newer interface.
    fn has_newer(&self, name: Name) -> bool {
        self.ev.program.ruby_functions(name).0.iter().any(|file| !file.older)
    }

    /// Calls a function of the Puppet language with values of ours.
    pub(crate) fn call_puppet(&mut self, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(self.to_puppet(arg)?);
        }
        match block {
            Some(block) => self.call_with_block(name, &given, block),
            None => self.puppet_function(name, &given),
        }
    }

    /// Calls a function of the Puppet language.
    pub(crate) fn puppet_function(&mut self, name: &str, args: &[Value]) -> Raise<Rv> {
        self.write_back();
        let span = self.span;
        let catalog = self.ev.ruby.catalog.as_ref().map(std::rc::Rc::as_ptr);
        self.ev.ruby.last_id = self.ev.ruby.last_id.max(self.next_id);
        let called = self.ev.call_function_of(self.module, Name::new(name), args, None, span);
        if self.ev.ruby.catalog.as_ref().map(std::rc::Rc::as_ptr) != catalog {
            self.renew_catalog();
        }
        match called {
            Ok(value) => Ok(self.to_ruby(&value)),
            Err(stop) => {
                self.place_in_stdlib(Name::new(name).normalized(), args);
                self.failed_in(name, stop)
            }
        }
    }

    /// Where a function of stdlib that is written here fails in the module's own Ruby.
    fn place_in_stdlib(&mut self, name: Name, args: &[Value]) {
        let native = crate::functions::find(name, self.ev.settings.version);
        if native.is_some_and(|entry| entry.stdlib) && self.ev.ruby.raised.is_none() {
            let span = self.span;
            let frame = CallFrame { what: Running::Function(name), called_at: span };
            drop(self.ev.framed(frame, |ev| super::function::call(ev, name, None, args, None, span).transpose()));
        }
    }

    /// Calls a block of the Puppet language that was passed in.
    pub(crate) fn call_puppet_block(&mut self, at: usize, args: &[Rv]) -> Raise<Rv> {
        let Some(block) = self.blocks.get(at).cloned() else { return Ok(Rv::Nil) };
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(self.to_puppet(arg)?);
        }
        match self.ev.call_block(&block, &given) {
            Ok(value) => Ok(self.to_ruby(&value)),
            Err(stop) => self.failed(stop),
        }
    }

    /// A line of the log, without a place (`Puppet.warning`).
    pub(crate) fn log(&mut self, level: &str, text: String) {
        self.ev.log(severity(level), text, None);
    }

    /// `Puppet.warn_once(kind, key, message, file, line, level)`
    pub(crate) fn warn_once(&mut self, args: &[Rv]) -> Raise<Rv> {
        let text = |at: usize| args.get(at).and_then(Rv::text);
        let disabled = match self.setting("disable_warnings")? {
            Rv::Array(kinds) => kinds.borrow().iter().any(|kind| kind.text() == text(0)),
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
    pub(crate) fn say(&mut self, level: &str, text: &Rv) -> Raise<Rv> {
        let text = self.to_s(text)?;
        self.log(level, text);
        Ok(Rv::Nil)
    }

    /// A setting (`Puppet[:name]`).
    pub(crate) fn setting(&mut self, name: &str) -> Raise<Rv> {
        match self.ev.puppet_setting(name) {
            Ok(Some(value)) => Ok(self.to_ruby(&value)),
            Ok(None) => Ok(Rv::Nil),
            Err(stop) => self.failed(stop),
        }
    }
}

pub(super) fn severity(level: &str) -> Severity {
    match level {
        "debug" => Severity::Debug,
        "info" => Severity::Info,
        "notice" => Severity::Notice,
        "err" | "alert" | "emerg" | "crit" => Severity::Error,
        _ => Severity::Warning,
    }
}
