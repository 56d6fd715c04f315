//! The resource type `anchor` of the module stdlib, which a module's classes are ordered relative to.

use catwalk_apply::Declared;
use catwalk_apply::Managed;
use catwalk_apply::Propertyless;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_resource_api::Failure;

/// Resources that do nothing and pass refreshes on.
pub struct AnchorKind;

impl ResourceKind for AnchorKind {
    fn name(&self) -> &str {
        "anchor"
    }

    fn prepare(&self, _: &Declared, _: &mut Run<'_>) -> Result<Box<dyn Managed>, Vec<String>> {
        Ok(Box::new(Propertyless::refreshable()))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<Declared>, Failure> {
        Ok(Vec::new())
    }

    fn is_refreshable(&self) -> bool {
        true
    }
}
