//! The interface between the transaction and the kinds of resources that it applies.

use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_base::version::Strict;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Log;
use catwalk_resource_api::Relation;
use catwalk_resource_api::State;
use catwalk_system::System;
use catwalk_value::Value;

use crate::KindTraits;
use crate::PropertyTraits;
use crate::ResourcePath;
use catwalk_base::secrets::SecretCollection;

/// The context in which a resource is applied.
pub struct Run<'a> {
    /// The machine.
    pub system: &'a mut dyn System,
    /// The receiver of messages.
    pub log: &'a mut dyn Log,
    /// The collection of the secrets of the run.
    pub secrets: &'a SecretCollection,
    /// The setting `strict`: whether invalid results of providers are ignored, logged, or fail the resource.
    pub strict: Strict,
    /// Whether this resource is applied in noop mode.
    pub noop: bool,
    /// The path of this resource in messages: `/Stage[main]/Main/File[/x]`.
    pub path: ResourcePath,
}

/// A resource of a catalog whose parameters have not been checked.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclaredResource {
    /// The type in lower case.
    pub type_name: Name,
    /// Its title.
    pub title: Arc<str>,
    /// The parameters except metaparameters, including those that the title sets; deferred values are resolved.
    pub parameters: State,
    /// Parameters with secret values, which messages show redacted.
    pub sensitive: Vec<Name>,
    /// The file and line of its declaration.
    pub position: Option<(Arc<str>, u32)>,
}

/// The current values of a resource's properties; `ensure` is `absent` if the resource does not exist.
pub type CurrentValues = State;

/// The result of a refresh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefreshOutcome {
    /// Resources of this kind ignore refreshes.
    Ignored,
    /// The resource was refreshed.
    Refreshed,
}

/// How resources of one type are managed.
pub trait ResourceKind {
    /// The name of the type, lower case.
    fn name(&self) -> &str;

    /// Checks the parameters of a resource before anything is applied.
    ///
    /// # Errors
    /// Returns all problems, each as Puppet words it: `Parameter mode failed on File[/x]: …`.
    fn prepare(&self, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>>;

    /// All instances that exist on the machine, for `resources { … purge => true }` and `catwalk resource`.
    ///
    /// # Errors
    /// They cannot be listed.
    fn instances(&self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure>;

    /// The resource with this title and its state on the machine, with `ensure => absent` if it does not exist. Cached states are reused.
    /// `parameters` are those of the change that was just made.
    ///
    /// # Errors
    ///
    /// The state cannot be read.
    fn find(&self, title: &str, parameters: &CurrentValues, run: &mut Run<'_>) -> Result<DeclaredResource, Failure> {
        let mut resource = DeclaredResource {
            type_name: Name::new(self.name()),
            title: Arc::from(title),
            parameters: parameters.clone(),
            sensitive: Vec::new(),
            position: None,
        };
        let mut managed = self.prepare(&resource, run).map_err(|errors| Failure::new(errors.join("\n")))?;
        resource.parameters = managed.retrieve(run)?;
        Ok(resource)
    }

    /// What is special about resources of this type.
    fn traits(&self) -> KindTraits {
        KindTraits::default()
    }

    /// Called after a resource of a different type changed the machine: cached states of this kind may be outdated.
    fn machine_changed(&self) {}

    /// Called after the last resource was applied, to release providers.
    fn finish(&self) {}
}

/// One resource while it is applied. The transaction calls `retrieve`, then `is_in_sync` and `sync` for `ensure` or, if that is in sync,
/// for each of `properties`, then `flush` if something changed (Puppet::Transaction::ResourceHarness).
pub trait ManagedResource {
    /// The current values of its properties.
    ///
    /// # Errors
    /// They cannot be determined: the resource fails.
    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure>;

    /// The properties with a desired value, in the order in which they are synced.
    fn properties(&self) -> Vec<Name>;

    /// What is special about a property.
    fn traits(&self, property: Name) -> PropertyTraits {
        let _ = property;
        PropertyTraits::default()
    }

    /// The title in messages if it differs from that of the catalog.
    fn title(&self) -> Option<Arc<str>> {
        None
    }

    /// The provider in the report: the name of Puppet's equivalent provider.
    fn provider(&self) -> Option<Arc<str>> {
        None
    }

    /// The desired value of a property.
    fn desired(&self, property: Name) -> Value;

    /// Whether a property has its desired value.
    ///
    /// # Errors
    /// It cannot be determined.
    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure>;

    /// Changes a property to its desired value. Providers that change everything at once do so in `flush`.
    ///
    /// # Errors
    /// The change failed.
    fn sync(&mut self, property: Name, current: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure>;

    /// The message of a change: `content changed '{sha256}…' to '{sha256}…'` (`Puppet::Property#change_to_s`).
    fn change_message(&self, property: Name, current: &CurrentValues) -> String;

    /// A current value in messages (`is_to_s`).
    fn current_to_string(&self, property: Name, value: Option<&Value>) -> String;

    /// The desired value in messages (`should_to_s`).
    fn desired_to_string(&self, property: Name) -> String;

    /// Writes the changes that `sync` collected; called after changes, not in noop mode.
    ///
    /// # Errors
    /// Writing failed: the resource fails.
    fn flush(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let _ = run;
        Ok(())
    }

    /// Called after all events of a resource in noop mode that has differences, for providers that support noop.
    ///
    /// # Errors
    /// The provider failed.
    fn flush_noop(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let _ = run;
        Ok(())
    }

    /// Reacts to a change of a resource that notifies this one.
    ///
    /// # Errors
    /// The refresh failed.
    fn refresh(&mut self, run: &mut Run<'_>) -> Result<RefreshOutcome, Failure> {
        let _ = run;
        Ok(RefreshOutcome::Ignored)
    }

    /// Resources that this one contains and that are applied right after it (`eval_generate`): the files of a recursive directory.
    ///
    /// # Errors
    /// They cannot be determined.
    fn children(&mut self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        let _ = run;
        Ok(Vec::new())
    }

    /// Resources of the catalog to which this one has implied relationships if they exist: type and title.
    fn auto_relations(&self) -> Vec<(Relation, Name, Arc<str>)> {
        Vec::new()
    }
}
