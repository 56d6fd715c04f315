//! What is special about types and properties in Puppet, as data that the transaction reads.

use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Definition;

/// What is special about the resources of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KindTraits {
    /// Whether they have `ensure`, so that `ensure => absent` removes them.
    pub accepts_ensure: bool,
    /// Whether messages show the attribute `name` in place of the title, as for types of the Resource API.
    pub shows_name: bool,
    /// The metaparameters, such as `loglevel`, that [`crate::ResourceKind::prepare`] receives among the parameters.
    pub metaparameters: &'static [&'static str],
    /// Whether they can be refreshed. If not, no refreshes are scheduled or, in noop mode, reported.
    pub is_refreshable: bool,
    /// The parameters that identify a resource: purged instances keep only these.
    pub identifying: Vec<Name>,
    /// Whether `ensure => absent` cancels refreshes that are scheduled for the same resource (`invalidate_refreshes`).
    pub absence_cancels_refresh: bool,
    /// Whether they are managed in a run for this machine.
    pub applies_to_host: bool,
    /// Whether they are managed in a run for a device.
    pub applies_to_device: bool,
}

impl Default for KindTraits {
    fn default() -> KindTraits {
        KindTraits {
            accepts_ensure: true,
            shows_name: false,
            metaparameters: &[],
            is_refreshable: false,
            identifying: vec![name!("name"), name!("path"), name!("command")],
            absence_cancels_refresh: true,
            applies_to_host: true,
            applies_to_device: false,
        }
    }
}

impl KindTraits {
    /// The traits of a type of the Resource API.
    pub(crate) fn of_definition(definition: &Definition) -> KindTraits {
        let is_remote = definition.has_feature("remote_resource");
        KindTraits {
            accepts_ensure: definition.is_ensurable(),
            identifying: definition.namevars().collect(),
            applies_to_host: !is_remote,
            applies_to_device: is_remote,
            ..KindTraits::default()
        }
    }
}

/// What is special about a property of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PropertyTraits {
    /// Whether messages show its values redacted.
    pub is_sensitive: bool,
    /// Whether the desired value is the default of the type. An audited property has no default (`Puppet::Type#set_default`).
    pub is_default: bool,
    /// Whether it stays in sync after a change; changes of non-idempotent properties are never corrective
    /// (`Puppet::Property#idempotent?`).
    pub is_idempotent: bool,
    /// The name of the event of a change in reports, if it is not the usual one (`mode_changed`, `file_created`).
    pub event_name: Option<&'static str>,
}

impl Default for PropertyTraits {
    fn default() -> PropertyTraits {
        PropertyTraits { is_sensitive: false, is_default: false, is_idempotent: true, event_name: None }
    }
}
