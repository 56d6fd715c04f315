//! `filebucket`: a directory for replaced contents of files.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use catwalk_apply::DeclaredResource;
use catwalk_apply::KindTraits;
use catwalk_apply::ManagedResource;
use catwalk_apply::Propertyless;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_resource_api::Failure;
use catwalk_value::Value;
use catwalk_value::ruby;

use crate::file::FileRunState;
use crate::parameters::Parameters;

/// The resource type `filebucket`.
pub struct FilebucketKind {
    pub(crate) run_state: Rc<RefCell<FileRunState>>,
    /// The directory of filebuckets without `path`.
    pub(crate) default: PathBuf,
}

impl ResourceKind for FilebucketKind {
    fn name(&self) -> &str {
        "filebucket"
    }

    fn prepare(&self, resource: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let mut parameters = Parameters::new(resource);
        let path = match parameters.get("path") {
            None => Some(self.default.clone()),
            Some(Value::Bool(false)) => None,
            Some(Value::Array(_)) => {
                parameters.fail("path", "You can only have one filebucket path");
                None
            }
            Some(path) => {
                let text = ruby::to_s(path);
                if !text.starts_with('/') {
                    parameters.fail("path", "Filebucket paths must be absolute");
                }
                Some(PathBuf::from(&*text))
            }
        };
        let name = parameters.get("name").map_or_else(|| resource.title.to_string(), |name| ruby::to_s(name).into());
        parameters.finish()?;
        self.run_state.borrow_mut().buckets.insert(name, path);
        Ok(Box::new(Propertyless::new()))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits { applies_to_device: true, ..KindTraits::default() }
    }
}
