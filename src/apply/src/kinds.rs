//! The resource kinds of a run.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Providers;
use catwalk_value::Value;

use crate::DeclaredResource;
use crate::KindTraits;
use crate::ManagedResource;
use crate::Propertyless;
use crate::ResourceKind;
use crate::Run;
use crate::attribute_kind::AttributeKind;
use crate::resource_api_kind::ResourceApiKind;

/// Kinds by the name of their type.
#[derive(Default)]
pub struct Kinds {
    kinds: IndexMap<Name, (Rc<dyn ResourceKind>, Rc<KindTraits>), FxBuildHasher>,
    declared_types: HashSet<Name, FxBuildHasher>,
}

impl Kinds {
    /// Only the kinds without an effect: `resources`, `schedule`, `filebucket`.
    #[must_use]
    pub fn new() -> Kinds {
        Kinds::default()
    }

    /// Adds a kind, in place of an earlier one of the same type.
    pub fn insert(&mut self, kind: Rc<dyn ResourceKind>) {
        let traits = Rc::new(kind.traits());
        self.kinds.insert(Name::new(kind.name()), (kind, traits));
    }

    /// Adds the kind of a type of the Resource API: its provider changes whole resources or, like those of Puppet's own types, one
    /// attribute at a time. Only types with `custom_insync` have providers of the second kind, which are loaded here. `device` is the
    /// result of the transport's `connect`; `origin`: whether values are strings from a command line.
    pub fn insert_definition(
        &mut self,
        definition: &Arc<Definition>,
        providers: &Rc<RefCell<dyn Providers>>,
        device: Option<Value>,
        origin: Origin,
    ) {
        let by_attribute = match definition.has_feature("custom_insync") && device.is_none() {
            true => providers.borrow_mut().load(definition).ok().flatten(),
            false => None,
        };
        match by_attribute.and_then(|provider| AttributeKind::new(definition.clone(), provider, origin)) {
            Some(kind) => self.insert(Rc::new(kind)),
            None => self.insert(Rc::new(ResourceApiKind::new(definition.clone(), providers.clone(), device, origin))),
        }
    }

    /// Declares that a type exists, managed or not.
    pub fn declare_type(&mut self, type_name: Name) {
        self.declared_types.insert(type_name);
    }

    /// Whether a type exists.
    #[must_use]
    pub fn has_type(&self, type_name: Name) -> bool {
        self.contains(type_name) || self.declared_types.contains(&type_name)
    }

    /// The kind of a type; for an unmanaged type, a kind whose resources fail.
    #[must_use]
    pub fn get(&self, type_name: Name) -> Rc<dyn ResourceKind> {
        self.get_with_traits(type_name).0
    }

    pub(crate) fn get_with_traits(&self, type_name: Name) -> (Rc<dyn ResourceKind>, Rc<KindTraits>) {
        match self.kinds.get(&type_name) {
            Some(kind) => kind.clone(),
            None => {
                let has_effect = !matches!(type_name.as_str(), "resources" | "schedule" | "filebucket");
                let kind = Unmanaged { type_name, has_effect };
                let traits = kind.traits();
                (Rc::new(kind), Rc::new(traits))
            }
        }
    }

    /// Whether a type is managed.
    #[must_use]
    pub fn contains(&self, type_name: Name) -> bool {
        self.kinds.contains_key(&type_name)
    }

    /// All kinds.
    pub fn iter(&self) -> impl Iterator<Item = &Rc<dyn ResourceKind>> {
        self.kinds.values().map(|(kind, _)| kind)
    }
}

/// A type without a provider, or one whose resources only configure the run.
struct Unmanaged {
    type_name: Name,
    has_effect: bool,
}

impl ResourceKind for Unmanaged {
    fn name(&self) -> &str {
        self.type_name.as_str()
    }

    fn prepare(&self, _: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let resource = match self.has_effect {
            true => Propertyless::failing(missing_provider(self.type_name.as_str())),
            false => Propertyless::new(),
        };
        Ok(Box::new(resource))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        if self.has_effect { Err(Failure::new(missing_provider(self.type_name.as_str()))) } else { Ok(Vec::new()) }
    }

    fn traits(&self) -> KindTraits {
        KindTraits { applies_to_device: !self.has_effect, ..KindTraits::default() }
    }
}

/// Why resources of a type without a provider fail.
#[must_use]
pub fn missing_provider(type_name: &str) -> String {
    format!("provider for '{type_name}' not found in modules/*/scripts/providers/{type_name}.rhai")
}
