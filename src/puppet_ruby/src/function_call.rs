//! Calls of functions of the Puppet language from Ruby code, and of blocks.
//!
//! In: a name, Ruby values. Out: the function's value converted to Ruby. Must not: know where functions come from.

use crate::PuppetInterp;
use crate::scope::strict;
use crate::scope_names::CALLABLE_FUNCTIONS;
use crate::scope_names::REFUSED_FUNCTIONS;
use catwalk_base::names::Name;
use catwalk_eval::CallFrame;
use catwalk_eval::RunningCode;
use catwalk_eval::Strict;
use catwalk_ruby::Blk;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_value::Value;

impl PuppetInterp<'_, '_> {
    /// Whether there is a function of this name.
    pub(crate) fn has_function(&mut self, name: &str) -> bool {
        let name = Name::new(name).normalized();
        self.host.ev.native(name).is_some()
            || matches!(self.host.ev.program.function(name), Ok(Some(_)))
            || self.host.ev.library.scripts.is_some_and(|scripts| scripts.has(self.host.ev, name))
            || self.has_ruby_function(name)
    }

    /// Whether a loaded file defined this function.
    fn is_function_loaded(&self, name: Name) -> bool {
        matches!(self.state_ref().functions.get(&name), Some(Some(_)))
    }

    /// Whether a module has a file for a function of this name, or a file of another function defines it.
    fn has_ruby_function(&self, name: Name) -> bool {
        if self.is_function_loaded(name) {
            return true;
        }
        !self.host.ev.program.ruby_functions(name).0.is_empty()
    }

    /// `Puppet::Parser::Functions.function(name)`: the method of the scope that calls the 3.x function; false if there is none.
    pub(crate) fn find_legacy_function(&mut self, name: &str) -> Raise<Rv> {
        let exists = !name.is_empty() && !name.contains("::") && self.has_legacy(self.legacy_name(name));
        Ok(if exists { Rv::str(format!("function_{name}")) } else { Rv::False })
    }

    /// `Puppet::Parser::Functions.autoloader.load(name)` and similar calls: each warns once. (`AutoloaderDelegate`)
    pub(crate) fn call_autoloader(&mut self, method: &str, name: &str) -> Raise<Rv> {
        if strict(self) != Strict::Off {
            let arguments = if method == "loadall" { String::new() } else { format!("(\"{name}\")") };
            let call = format!("Puppet::Parser::Functions.autoloader#{method}{arguments}");
            let message = format!("The method '{call}' is deprecated in favor of using 'Scope#call_function'.");
            self.warn_once(&[Rv::str("deprecations"), Rv::str(call), Rv::str(message)])?;
        }
        let function = self.legacy_name(name);
        Ok(Rv::bool(match method {
            "loaded?" => self.is_function_loaded(function) || self.state().autoloaded_functions.contains(&function),
            "load" => {
                let exists = self.has_legacy(function);
                if exists {
                    self.state().autoloaded_functions.insert(function);
                }
                exists
            }
            _ => true,
        }))
    }

    /// The name of a 3.x function in lower case, or unchanged if its file has a name with capitals.
    pub(crate) fn legacy_name(&self, name: &str) -> Name {
        let name = Name::new(name);
        if name != name.normalized() && self.host.ev.program.ruby_functions(name).0.iter().any(|file| file.is_legacy) {
            return name;
        }
        name.normalized()
    }

    /// Whether Puppet, a module or a script has a 3.x function of this name.
    pub(crate) fn has_legacy(&self, name: Name) -> bool {
        CALLABLE_FUNCTIONS.contains(&name.as_str())
            || REFUSED_FUNCTIONS.contains(&name.as_str())
            || self.host.ev.program.ruby_functions(name).0.iter().any(|file| file.is_legacy)
            || self.is_function_loaded(name)
            || self.host.ev.library.scripts.is_some_and(|scripts| scripts.has(self.host.ev, name))
    }

    /// Whether a module has a function of this name in the current API.
    pub(crate) fn has_current(&self, name: Name) -> bool {
        self.host.ev.program.ruby_functions(name).0.iter().any(|file| !file.is_legacy)
    }

    /// Calls a function of the Puppet language with Ruby values.
    pub(crate) fn call_function(&mut self, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.ruby().to_puppet(arg)?);
        }
        match block {
            Some(block) => self.call_with_block(name, &values, block),
            None => self.call_puppet_function(name, &values),
        }
    }

    /// Calls a function of the Puppet language.
    pub(crate) fn call_puppet_function(&mut self, name: &str, args: &[Value]) -> Raise<Rv> {
        self.ruby().write_back();
        let span = self.span;
        let catalog = self.state().catalog.as_ref().map(std::rc::Rc::as_ptr);
        self.ruby().store_last_id();
        let result = self.host.ev.call_function_for_module(self.host.own.module, Name::new(name), args, None, span);
        if self.state().catalog.as_ref().map(std::rc::Rc::as_ptr) != catalog {
            self.reload_catalog_methods();
        }
        match result {
            Ok(value) => Ok(self.ruby().to_ruby(&value)),
            Err(stop) => {
                self.record_module_position(Name::new(name).normalized(), args);
                self.raise_function_failure(name, stop)
            }
        }
    }

    /// Records the position in the module's Ruby code at which a function that Catwalk implements in Rust would fail.
    fn record_module_position(&mut self, name: Name, args: &[Value]) {
        let native = self.host.ev.native(name);
        if native.is_some_and(|entry| entry.module.is_some()) && self.state().last_exception.is_none() {
            let span = self.span;
            let frame = CallFrame { code: RunningCode::Function(name), called_at: span };
            drop(self.host.ev.framed(frame, |ev| crate::function::call(ev, name, None, args, None, span).transpose()));
        }
    }

    /// Calls a block of the Puppet language that was passed in.
    pub(crate) fn call_puppet_block(&mut self, at: usize, args: &[Rv]) -> Raise<Rv> {
        let Some(block) = self.host.own.blocks.get(at).cloned() else { return Ok(Rv::Nil) };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.ruby().to_puppet(arg)?);
        }
        match self.host.ev.call_block(&block, &values) {
            Ok(value) => Ok(self.ruby().to_ruby(&value)),
            Err(stop) => self.raise_failure(stop),
        }
    }
}
