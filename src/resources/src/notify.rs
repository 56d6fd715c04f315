//! `notify`: logs a message in every run.

use std::sync::Arc;

use catwalk_apply::CurrentValues;
use catwalk_apply::DeclaredResource;
use catwalk_apply::KindTraits;
use catwalk_apply::ManagedResource;
use catwalk_apply::PropertyTraits;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_value::Value;
use catwalk_value::ruby;

use crate::parameters::Parameters;
use crate::parameters::list;
use catwalk_apply::display;

/// The resource type `notify`.
pub struct NotifyKind;

struct Notify {
    message: Value,
    /// Whether the message is the title or name.
    is_default: bool,
    is_sensitive: bool,
    with_path: bool,
    level: Level,
}

impl ResourceKind for NotifyKind {
    fn name(&self) -> &str {
        "notify"
    }

    fn prepare(&self, resource: &DeclaredResource, _: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let mut parameters = Parameters::new(resource);
        let message = parameters.get("message").and_then(|message| list(message).next());
        let is_default = message.is_none();
        let message = message.or_else(|| parameters.get("name")).cloned();
        let notify = Notify {
            message: message.unwrap_or_else(|| Value::from(parameters.title())),
            is_default,
            is_sensitive: parameters.is_sensitive("message"),
            with_path: parameters.flag("withpath", false),
            level: parameters.loglevel(),
        };
        parameters.finish().map(|()| Box::new(notify) as Box<dyn ManagedResource>)
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        Ok(Vec::new())
    }

    fn traits(&self) -> KindTraits {
        KindTraits {
            accepts_ensure: false,
            metaparameters: &["loglevel"],
            applies_to_device: true,
            ..KindTraits::default()
        }
    }
}

impl ManagedResource for Notify {
    fn retrieve(&mut self, _: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        Ok(CurrentValues::from_iter([(name!("message"), Value::from(Arc::from("absent")))]))
    }

    fn properties(&self) -> Vec<Name> {
        vec![name!("message")]
    }

    fn desired(&self, _: Name) -> Value {
        self.message.clone()
    }

    fn is_in_sync(&mut self, _: Name, _: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(false)
    }

    fn sync(&mut self, _: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        let message = match self.is_sensitive {
            true => "Sensitive [value redacted]".into(),
            false => ruby::to_s(&self.message),
        };
        let source = self.with_path.then(|| format!("{}/message", run.path));
        run.log.log(self.level, source.as_deref(), &message);
        Ok(())
    }

    fn change_message(&self, property: Name, _: &CurrentValues) -> String {
        format!("defined 'message' as {}", self.desired_to_string(property))
    }

    fn current_to_string(&self, _: Name, value: Option<&Value>) -> String {
        value.map(display).unwrap_or_default()
    }

    fn desired_to_string(&self, _: Name) -> String {
        display(&self.message)
    }

    /// The message is logged in every run.
    fn traits(&self, _: Name) -> PropertyTraits {
        PropertyTraits {
            is_sensitive: self.is_sensitive,
            is_default: self.is_default,
            is_idempotent: false,
            event_name: None,
        }
    }
}
