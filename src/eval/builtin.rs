//! What the compiler asks of a built-in resource type.

use std::sync::Arc;

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::resource::capitalized;
use crate::names::Name;
use crate::resource_types::Registry;
use crate::resource_types::ResourceType;
use crate::value::Value;

/// A built-in type as the compiler sees it.
#[derive(Debug)]
pub struct Builtin {
    /// Its name, capitalized.
    pub name: Name,
    /// Whether two resources with the same name attributes are the same thing.
    pub isomorphic: bool,
    /// The attributes that name it, sorted by name.
    pub key_attributes: Vec<Name>,
    /// The rest.
    resource_type: Arc<ResourceType>,
    /// The attribute that is the whole title; most types have one, and it saves matching.
    whole_title: Option<Name>,
}

impl Builtin {
    fn new(resource_type: Arc<ResourceType>) -> Builtin {
        let mut key_attributes = resource_type.key_attributes.clone();
        key_attributes.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        let whole_title = match resource_type.title_patterns.as_slice() {
            [pattern] if pattern.regexp.source() == "(?m-ix:(.*))" => pattern.names.first().copied(),
            _ => None,
        };
        Builtin {
            name: capitalized(resource_type.name),
            isomorphic: resource_type.isomorphic,
            key_attributes,
            whole_title,
            resource_type,
        }
    }

    /// The single attribute that names it, else `name`.
    #[must_use]
    pub fn namevar(&self) -> Name {
        self.resource_type.namevar()
    }

    /// Attributes that a title gives.
    ///
    /// # Errors
    /// The title does not fit.
    pub fn parse_title(&self, title: &Arc<str>) -> Res<Vec<(Name, Value)>> {
        if let Some(name) = self.whole_title {
            return Ok(vec![(name, Value::Str(title.clone()))]);
        }
        let parsed = self.resource_type.parse_title(title)?;
        Ok(parsed.into_iter().map(|(name, value)| (name, value.map_or(Value::Undef, Value::Str))).collect())
    }

    /// Whether a parameter of this name may be set.
    ///
    /// # Errors
    /// It may not, or the type's Ruby is not understood well enough to say.
    pub fn check_parameter(&self, name: Name) -> Res<()> {
        Ok(self.resource_type.check_parameter(name.as_str())?)
    }
}

impl Evaluator<'_> {
    /// Uses a registry that other compiles use, too.
    pub fn share_resource_types(&mut self, registry: Arc<Registry>) {
        self.state.registry = Some(registry);
    }

    /// The built-in type of this name.
    ///
    /// # Errors
    /// A module's type cannot be read.
    pub fn builtin(&self, name: &str) -> Res<Option<Arc<Builtin>>> {
        if name.contains(':') || name.is_empty() {
            return Ok(None);
        }
        let key = Name::new(name).normalized();
        if let Some(known) = self.state.builtins.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = match &self.state.registry {
            Some(registry) => registry.lookup(self.world, key.as_str())?,
            None => Registry::new(self.program.environment.modulepath.clone()).lookup(self.world, key.as_str())?,
        };
        let found = found.map(|resource_type| Arc::new(Builtin::new(resource_type)));
        self.state.builtins.borrow_mut().insert(key, found.clone());
        Ok(found)
    }
}
