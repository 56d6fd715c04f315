//! Checks of the attributes of a resource before it is applied (`initialize` and `validate` of Resource API types).
//!
//! In: a definition and the parameters of a resource. Out: the desired state, or all messages in Puppet's words. Must not: know
//! catalogs, log.

use crate::Attribute;
use crate::Behaviour;
use crate::Definition;
use crate::State;
use crate::munge::Origin;
use crate::munge::mungify;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::capitalize;
use catwalk_value::ruby;
use catwalk_value::secret;

impl Attribute {
    /// Whether the attribute may be missing: its type is `Optional[…]`.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self.data_type, Type::Optional(_))
    }
}

impl Definition {
    /// Reports the values of sensitive attributes in a provider's state as secrets.
    pub fn conceal(&self, state: &State, secrets: &SecretCollection) {
        for (name, value) in state {
            match self.attributes.get(name).is_some_and(|attribute| attribute.sensitive) {
                true => secret::conceal(value, secrets),
                false => secret::conceal_marked(value, secrets),
            }
        }
    }

    /// The reference to a resource in messages: `Thing[a]`, with the value of the attribute `name` if the type has one.
    #[must_use]
    pub fn reference(&self, title: &str, parameters: &State) -> String {
        let name = Name::new("name");
        let name_value = self.attributes.get(&name).and_then(|_| parameters.get(&name)).map(ruby::to_s);
        format!("{}[{}]", capitalize(&self.name), name_value.as_deref().unwrap_or(title))
    }

    /// The desired state of a resource: its parameters, converted and checked, then the defaults of the other attributes, in
    /// Puppet's order (namevars, properties with `ensure` first, parameters). `parameters` are those of the catalog without
    /// metaparameters, in canonical form if the provider canonicalizes, with the namevars that the title sets. Values of
    /// sensitive attributes are reported to `secrets`.
    ///
    /// # Errors
    /// All messages that end a run before anything is applied: `Parameter num failed on Thing[a]: thing.num expects …`, values for
    /// read_only attributes, missing parameters.
    pub fn desired_state(
        &self,
        title: &str,
        parameters: &State,
        origin: Origin,
        secrets: &SecretCollection,
    ) -> Result<State, Vec<String>> {
        let reference = self.reference(title, parameters);
        let mut state = State::new();
        let mut failed = Vec::new();
        let mut without_value = Vec::new();
        for name in self.assignment_order() {
            let Some(attribute) = self.attributes.get(&name) else { continue };
            let Some(value) = parameters.get(&name) else {
                without_value.push((name, attribute));
                continue;
            };
            if attribute.sensitive {
                secret::conceal(value, secrets);
            }
            match self.assign(name, attribute, value, origin) {
                Ok(value) => {
                    state.insert(name, value);
                }
                Err(why) if value.is_undef() => failed.push(why),
                Err(why) => failed.push(format!("Parameter {name} failed on {reference}: {why}")),
            }
        }
        for name in parameters.keys().filter(|name| !self.attributes.contains_key(*name)) {
            failed.push(format!("no parameter named '{name}'"));
        }
        for (name, attribute) in without_value {
            if let Some(default) = &attribute.default {
                match self.assign(name, attribute, default, Origin::Catalog) {
                    Ok(value) => {
                        state.insert(name, value);
                    }
                    Err(why) => failed.push(why),
                }
            }
        }
        if failed.is_empty()
            && let Some(message) = self.missing_parameters(&state)
        {
            failed.push(format!("Validation of {reference} failed: {message}"));
        }
        if failed.is_empty() { Ok(state) } else { Err(failed) }
    }

    fn assign(&self, name: Name, attribute: &Attribute, value: &Value, origin: Origin) -> Result<Value, String> {
        if attribute.behaviour == Behaviour::ReadOnly {
            let printed = if attribute.sensitive { "Sensitive [value redacted]".into() } else { ruby::to_s(value) };
            return Err(format!("Attempting to set `{name}` read_only attribute value to `{printed}`"));
        }
        if value.is_undef() {
            return Err(format!("Got nil value for {name}"));
        }
        let subject = format!("{}.{name}", self.name);
        // A property `ensure` is a symbol in Puppet and is converted to a string.
        let text;
        let value = if name == "ensure" && attribute.behaviour == Behaviour::Property {
            text = Value::str(ruby::to_s(value));
            &text
        } else {
            value
        };
        mungify(&attribute.data_type, value, &subject, origin, attribute.sensitive)
    }

    /// The order in which Puppet assigns attributes (`Puppet::Type.allattrs`).
    fn assignment_order(&self) -> Vec<Name> {
        let is_property =
            |attribute: &Attribute| matches!(attribute.behaviour, Behaviour::Property | Behaviour::InitOnly);
        let ensure = Name::new("ensure");
        let mut order: Vec<Name> = self.namevars().collect();
        let properties = self.attributes.iter().filter(|(_, attribute)| is_property(attribute)).map(|(name, _)| *name);
        let (first, rest): (Vec<Name>, Vec<Name>) = properties.partition(|name| *name == ensure);
        order.extend(first.into_iter().chain(rest));
        let parameters = self
            .attributes
            .iter()
            .filter(|(_, attribute)| matches!(attribute.behaviour, Behaviour::Parameter | Behaviour::ReadOnly));
        order.extend(parameters.map(|(name, _)| *name));
        order
    }

    /// The message about missing required parameters.
    #[must_use]
    pub fn missing_parameters(&self, state: &State) -> Option<String> {
        let missing = self.missing_names(state, |attribute| attribute.behaviour == Behaviour::Parameter);
        missing_message("parameters", &missing)
    }

    /// The message about missing required attributes, with which the resource fails when it is evaluated. `None` for a resource
    /// that is being removed, or if the type or the manifest has no `ensure`.
    #[must_use]
    pub fn missing_attributes(&self, state: &State) -> Option<String> {
        if state
            .get(&catwalk_base::name!("ensure"))
            .is_none_or(|ensure| ensure.is_undef() || ensure.as_str() == Some("absent"))
        {
            return None;
        }
        missing_message("attributes", &self.missing_names(state, |_| true))
    }

    fn missing_names(&self, state: &State, is_selected: impl Fn(&Attribute) -> bool) -> Vec<Name> {
        let is_missing = |(name, attribute): &(&Name, &Attribute)| {
            !matches!(attribute.behaviour, Behaviour::ReadOnly | Behaviour::Namevar)
                && !attribute.is_optional()
                && **name != "ensure"
                && state.get(*name).is_none_or(Value::is_undef)
                && is_selected(attribute)
        };
        self.attributes.iter().filter(is_missing).map(|(name, _)| *name).collect()
    }

    /// The messages about init_only attributes that would change while a resource stays present. The caller handles them
    /// according to the setting `strict`.
    #[must_use]
    pub fn init_only_changes(&self, current: &State, desired: &State) -> Vec<String> {
        let is_present =
            |state: &State| state.get(&catwalk_base::name!("ensure")).and_then(Value::as_str) == Some("present");
        if !is_present(current) || !is_present(desired) {
            return Vec::new();
        }
        let mut messages = Vec::new();
        for (name, value) in desired {
            let attribute = self.attributes.get(name);
            let Some(attribute) = attribute.filter(|attribute| attribute.behaviour == Behaviour::InitOnly) else {
                continue;
            };
            let now = current.get(name).cloned().unwrap_or(Value::Undef);
            if now != *value {
                let display = |value: &Value| match attribute.sensitive && !value.is_undef() {
                    true => "Sensitive [value redacted]".to_owned(),
                    false => ruby::to_s(value).into_owned(),
                };
                messages.push(format!(
                    "Attempting to change `{name}` init_only attribute value from `{}` to `{}`",
                    display(&now),
                    display(value)
                ));
            }
        }
        messages
    }
}

fn missing_message(kind: &str, missing: &[Name]) -> Option<String> {
    let names: Vec<&str> = missing.iter().map(|name| name.as_str()).collect();
    let list = names.join(", \n    *  ");
    (!missing.is_empty()).then(|| format!("The following mandatory {kind} were not provided:\n    *  {list}"))
}
