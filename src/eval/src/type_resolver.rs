//! How the type parser finds the names of an environment: built-in types, type aliases, defined types.

use crate::Evaluator;
use crate::Stop;
use crate::state::ResourceDefinition;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_value::Type;
use catwalk_value::parse;

/// Finds types by name in the environment: built-in types, aliases, defined types.
pub(super) struct Aliases<'e, 'c> {
    pub(super) ev: &'e mut Evaluator<'c>,
}

impl Aliases<'_, '_> {
    /// Stores the error of a file that does not parse, to be reported instead.
    fn store_parse_error(&mut self, diagnostic: Box<Diagnostic>) -> Reason {
        let message = diagnostic.puppet_text(&self.ev.program.sources);
        let reason = Reason::new(diagnostic.code, message).because(diagnostic.cause.clone());
        self.ev.state.types.parse_error = diagnostic.span.is_some().then_some(diagnostic);
        reason
    }
}

impl parse::AliasResolver for Aliases<'_, '_> {
    fn now(&self) -> Option<i128> {
        i128::try_from(self.ev.world.now().as_nanos()).ok()
    }

    fn secrets(&self) -> Option<&SecretCollection> {
        Some(self.ev.world.secrets())
    }

    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        let key = Name::new(name).normalized();
        if let Some(t) = self.ev.aliases.get(&key) {
            return Ok(Some(t.clone()));
        }
        // A built-in type comes first, then an alias of the main manifest, a defined type, an alias of a module.
        let built_in = matches!(self.ev.builtin(key), Ok(Some(_)));
        if !built_in
            && !self.ev.is_shadowed_alias(key).map_err(|diagnostic| self.store_parse_error(diagnostic))?
            && let Some(alias) = self.ev.alias(key)?
        {
            return Ok(Some(alias));
        }
        match self.ev.loaded_resource_type(key) {
            Ok(Some(ResourceDefinition::Define(definition))) if self.ev.is_untyped(definition) => {}
            Ok(Some(_)) => return Ok(Some(Type::titled(key.capitalized(), None))),
            Err(Stop::Reason(reason)) => return Err(*reason),
            Err(Stop::Failed(diagnostic)) => return Err(self.store_parse_error(diagnostic)),
            Err(_) | Ok(None) => {}
        }
        Ok(None)
    }
}
