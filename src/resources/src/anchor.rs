//! The resource type `anchor` of the module stdlib: a fixed point to order classes by.

use catwalk_apply::DeclaredResource;
use catwalk_apply::KindTraits;
use catwalk_apply::ManagedResource;
use catwalk_apply::Propertyless;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_resource_api::Failure;

/// The resource type `anchor`: its resources do nothing but propagate refreshes.
pub struct AnchorKind;

impl ResourceKind for AnchorKind {
    fn name(&self) -> &str {
        "anchor"
    }

    fn prepare(&self, _: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        Ok(Box::new(Propertyless::refreshable()))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits { is_refreshable: true, ..KindTraits::default() }
    }
}
