//! Variables of the scope for Ruby code: `scope.lookupvar`, `@name` of a template.
//!
//! In: a name. Out: the value. Must not: call functions.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::scope::is_template;
use crate::scope::strict;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::ScopeId;
use catwalk_eval::Strict;
use catwalk_ruby::Flow;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_value::Value;

impl PuppetInterp<'_, '_> {
    /// A variable as `scope.lookupvar` returns it; an unknown one is nil with a warning.
    pub(crate) fn lookup(&mut self, name: &str) -> Raise<Rv> {
        let unknown = match self.host.ev.variable_named(name) {
            Ok(Ok(value)) => return Ok(self.variable_to_ruby(name, &value)),
            Ok(Err(unknown)) => unknown,
            Err(stop) => return self.raise_failure(stop),
        };
        if self.ruby().state().catches("undefined_variable") {
            let reason = unknown.reason.map_or(Rv::Nil, |reason| Rv::str(&*reason));
            return Err(self.ruby().throw(Flow::Throw(Rv::sym("undefined_variable"), reason)));
        }
        let name = &unknown.name;
        let message = format!("Undefined variable '{name}'; {}", unknown.reason.unwrap_or_default());
        match strict(self) {
            Strict::Off => {}
            Strict::Warning => {
                if !self.host.ev.settings.disables("undefined_variables")
                    && self.host.ev.warned.insert(Rc::from(format!("Variable: {name}")))
                {
                    self.host.ev.log(Severity::Warning, format!("{message}\n   (file & line not available)"), None);
                }
            }
            Strict::Error => return self.ruby().raise("ArgumentError", message),
        }
        Ok(Rv::Nil)
    }

    /// Looks up a variable without a warning.
    pub(crate) fn quiet_lookup(&mut self, name: &str) -> Raise<Rv> {
        match self.host.ev.variable_named(name) {
            Ok(Ok(value)) => Ok(self.variable_to_ruby(name, &value)),
            Ok(Err(_)) => Ok(Rv::Nil),
            Err(stop) => self.raise_failure(stop),
        }
    }

    /// The scope's variable for an instance variable of a template: characters other than letters and digits are underscores.
    fn scope_ivar(&mut self, name: Name) -> Raise<Option<Rv>> {
        let found = match self.host.ev.variable(name) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(_)) if name.as_str().contains('_') => {
                let original = self.unescape_name(name);
                match original.map(|original| self.host.ev.variable(original)) {
                    Some(Ok(found)) => found.ok(),
                    Some(Err(stop)) => return self.raise_failure(stop),
                    None => None,
                }
            }
            Ok(Err(_)) => None,
            Err(stop) => return self.raise_failure(stop),
        };
        Ok(found.filter(|value| !value.is_undef()).map(|value| self.variable_to_ruby(name.as_str(), &value)))
    }

    /// Converts the value of a variable. Values that Puppet sets for each node are frozen. (`Scope#set_facts`)
    fn variable_to_ruby(&mut self, name: &str, value: &Value) -> Rv {
        let object = self.ruby().to_ruby(value);
        if matches!(name.trim_start_matches("::"), "facts" | "trusted" | "server_facts") {
            self.ruby().freeze_all(&object);
        }
        object
    }

    /// The top-scope variable whose name differs only in characters that are not letters or digits: facts may have such names.
    fn unescape_name(&mut self, name: Name) -> Option<Name> {
        if self.state().variables_by_ruby_name.is_none() {
            let plain = |c: char| c == '_' || c.is_alphanumeric();
            let top = self.host.ev.scope(ScopeId::TOP)?;
            let names = top.vars.iter().map(|(name, _)| name).filter(|name| !name.as_str().chars().all(plain));
            let ruby_name =
                |name: Name| name.as_str().chars().map(|c| if plain(c) { c } else { '_' }).collect::<String>();
            let found = names.map(|name| (ruby_name(name), name)).collect();
            self.state().variables_by_ruby_name = Some(found);
        }
        self.state().variables_by_ruby_name.as_ref()?.get(name.as_str()).copied()
    }

    /// The variable of the scope that `@name` of a template denotes; `None` for objects that are not templates.
    pub(crate) fn template_variable(&mut self, class: Name, name: Name) -> Raise<Option<Rv>> {
        if is_template(self, class) { self.scope_ivar(name) } else { Ok(None) }
    }
}
