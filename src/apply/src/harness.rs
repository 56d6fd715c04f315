//! Brings one resource into its desired state (Puppet::Transaction::ResourceHarness).

use serde_json::Value as Json;

use catwalk_base::names::Name;
use catwalk_base::secrets::Key;
use catwalk_base::version::Version;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::Clock;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::secret;

use crate::CurrentValues;
use crate::ManagedResource;
use crate::Plan;
use crate::ResourcePath;
use crate::Run;
use crate::State;
use crate::item::Item;
use crate::plan;
use crate::state::plain;
use crate::status::Event;
use crate::status::EventStatus;

/// The evaluation of one resource.
pub(crate) struct Evaluation<'a, 'r> {
    pub(crate) run: &'a mut Run<'r>,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) state: &'a mut State,
    /// The planned changes, if only these may be made.
    pub(crate) plan: Option<&'a Plan>,
    /// Receives the changes that noop mode leaves out.
    pub(crate) recorded_changes: Option<(&'a Key, &'a mut Vec<plan::Change>)>,
    pub(crate) noop: bool,
    pub(crate) version: Version,
}

/// The values of a property before and after a change.
struct Difference {
    property: Name,
    path: ResourcePath,
    /// The value that an audit recorded, if the property is audited.
    historical: Option<Value>,
    is_audited: bool,
    corrective: bool,
}

impl Difference {
    /// The source of messages about the property: `/Stage[main]/Main/File[/x]/mode`.
    fn source(&self) -> String {
        format!("{}/{}", self.path, self.property)
    }
}

impl Evaluation<'_, '_> {
    /// Evaluates a resource and adds the events to its status.
    ///
    /// # Errors
    /// Returns a failure of the resource as a whole; failed changes are events.
    pub(crate) fn evaluate(&mut self, item: &mut Item, managed: &mut dyn ManagedResource) -> Result<(), Failure> {
        let mut current = managed.retrieve(self.run)?;
        current.values().for_each(|value| secret::conceal_marked(value, self.run.secrets));
        let audited = audited_properties(item, &current);
        for name in &audited {
            current.entry(*name).or_insert_with(|| Value::str("absent"));
        }
        let historical: Vec<Option<Value>> =
            audited.iter().map(|name| self.state.audited(&item.reference, name)).collect();
        for name in &audited {
            let value = current.get(name).cloned().unwrap_or(Value::Undef);
            if !managed.traits(*name).is_sensitive {
                self.state.set_audited(&item.reference, name, &value);
            }
        }
        let history =
            |name: Name| audited.iter().position(|property| *property == name).and_then(|at| historical[at].clone());
        let ensure = catwalk_base::name!("ensure");
        let mut properties = managed.properties();
        properties.retain(|name| !audited.contains(name) || !managed.traits(*name).is_default);
        let mut synced = Vec::new();
        let mut is_decided = false;
        if properties.contains(&ensure) {
            let difference = self.difference(item, ensure, history(ensure), audited.contains(&ensure));
            is_decided = self.sync_if_needed(item, managed, &current, difference)?;
            synced.extend(is_decided.then_some(ensure));
        }
        if !is_decided && current.get(&ensure).and_then(Value::as_str) != Some("absent") {
            for property in properties.iter().copied().filter(|property| *property != ensure) {
                let difference = self.difference(item, property, history(property), audited.contains(&property));
                if self.sync_if_needed(item, managed, &current, difference)? {
                    synced.push(property);
                }
            }
        } else if !is_decided && self.run.log.wants(Level::Debug) {
            let text = "Nothing to manage: no ensure and the resource doesn't exist";
            self.run.log.log(Level::Debug, Some(&item.path.to_string()), text);
        }
        for (name, historical) in audited.iter().zip(historical) {
            self.audit(item, managed, &current, (*name, historical), synced.contains(name));
        }
        self.save_system_values(item, managed, &properties);
        if item.status.changed && !self.noop {
            managed.flush(self.run)?;
        } else if self.noop && item.status.out_of_sync {
            managed.flush_noop(self.run)?;
        }
        Ok(())
    }

    fn difference(&self, item: &Item, property: Name, historical: Option<Value>, is_audited: bool) -> Difference {
        Difference { property, path: item.path.clone(), historical, is_audited, corrective: false }
    }

    /// Changes a property that is not in sync; in noop mode, only reports the change. Returns whether there was an event.
    fn sync_if_needed(
        &mut self,
        item: &mut Item,
        managed: &mut dyn ManagedResource,
        current: &CurrentValues,
        mut difference: Difference,
    ) -> Result<bool, Failure> {
        let property = difference.property;
        let is_in_sync = match managed.is_in_sync(property, current, self.run) {
            Ok(is_in_sync) => is_in_sync,
            Err(failure) => return self.record_failure(item, managed, current, &difference, failure).map(|()| true),
        };
        if is_in_sync {
            return Ok(false);
        }
        difference.corrective = self.is_corrective(item, managed, current, property);
        let audit = self.audit_note(managed, current, &difference);
        let is = managed.current_to_string(property, current.get(&property));
        let should = managed.desired_to_string(property);
        let secret = managed.traits(property).is_sensitive;
        let [is, should] = if secret { ["[redacted]".to_owned(), "[redacted]".to_owned()] } else { [is, should] };
        let mut event = self.event(item, managed, current, &difference);
        if self.noop {
            event.message = match self.version.noop_in_words_of_change && !secret {
                true => format!("{} (noop){audit}", managed.change_message(property, current)),
                false => format!("current_value {is}, should be {should} (noop){audit}"),
            };
            event.status = EventStatus::Noop;
            if let Some((key, changes)) = &mut self.recorded_changes {
                changes.push(plan::Change::new(&item.reference, property, managed, current, key));
            }
        } else {
            let permitted = self.check_plan(item, managed, current, property);
            match permitted.and_then(|()| managed.sync(property, current, self.run)) {
                Err(failure) => {
                    return self.record_failure(item, managed, current, &difference, failure).map(|()| true);
                }
                Ok(()) if secret => event.message = format!("changed {is} to {should}{audit}"),
                Ok(()) => event.message = format!("{}{audit}", managed.change_message(property, current)),
            }
            event.status = EventStatus::Success;
        }
        self.record(item, &difference, event);
        Ok(true)
    }

    fn check_plan(
        &self,
        item: &Item,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        property: Name,
    ) -> Result<(), Failure> {
        let Some(plan) = self.plan else { return Ok(()) };
        let change = plan::Change::new(&item.reference, property, managed, current, plan.key());
        plan.check(&change).map_err(Failure::new)
    }

    /// Logs and records a failed change. Returns the failure if it ends the run.
    fn record_failure(
        &mut self,
        item: &mut Item,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        difference: &Difference,
        failure: Failure,
    ) -> Result<(), Failure> {
        let property = difference.property;
        if !failure.is_fatal {
            self.run.log.log(Level::Err, None, &failure.message);
            self.run.log.show_excerpt(&failure.excerpt);
            failure.trace.iter().for_each(|line| self.run.log.log(Level::Debug, None, line));
        }
        let mut event = self.event(item, managed, current, difference);
        let is = managed.current_to_string(property, current.get(&property));
        let should = managed.desired_to_string(property);
        let secret = managed.traits(property).is_sensitive;
        let [is, should] = if secret { ["[redacted]".to_owned(), "[redacted]".to_owned()] } else { [is, should] };
        event.message = format!("change from {is} to {should} failed: {}", failure.message);
        event.status = EventStatus::Failure;
        self.record(item, difference, event);
        if failure.is_fatal { Err(failure) } else { Ok(()) }
    }

    fn event(
        &self,
        item: &Item,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        difference: &Difference,
    ) -> Event {
        let property = difference.property;
        let desired = managed.properties().contains(&property).then(|| managed.desired(property));
        let traits = managed.traits(property);
        let secret = traits.is_sensitive;
        let name = traits.event_name.map(str::to_owned);
        let name = name.unwrap_or_else(|| event_name(item, property, desired.as_ref()));
        let redact = |value: Option<&Value>| match value {
            None | Some(Value::Undef) => None,
            Some(_) if secret => Some(Value::str("[redacted]")),
            Some(value) => Some(value.clone()),
        };
        Event {
            name,
            property: Some(property.shared()),
            previous: redact(current.get(&property)),
            desired: redact(desired.as_ref()),
            historical: redact(difference.historical.as_ref()),
            message: String::new(),
            status: EventStatus::Success,
            audited: difference.is_audited,
            redacted: secret,
            corrective: Some(difference.corrective),
            time: self.clock.now(),
        }
    }

    fn record(&mut self, item: &mut Item, difference: &Difference, mut event: Event) {
        if event.corrective == Some(true) {
            event.message.push_str(" (corrective)");
        }
        let level = if event.status == EventStatus::Failure { Level::Err } else { item.level() };
        self.run.log.log(level, Some(&difference.source()), &event.message);
        item.status.add(event);
    }

    /// Whether the value before the change differs from the value that an earlier run left.
    fn is_corrective(
        &self,
        item: &Item,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        property: Name,
    ) -> bool {
        let traits = managed.traits(property);
        let is_comparable = !traits.is_sensitive && traits.is_idempotent;
        let last = self.state.system_value(&item.reference, &property).filter(|_| is_comparable);
        let is = self.state.recorded(current.get(&property).map_or(Json::Null, plain));
        let is_same = |last: &Json| *last == is || json_to_string(last) == json_to_string(&is);
        match last {
            Some(Json::Array(values)) => !values.iter().any(is_same),
            Some(value) => !is_same(value),
            None => false,
        }
    }

    /// Saves the desired values of this run; for changes that were not made, the current values.
    fn save_system_values(&mut self, item: &Item, managed: &dyn ManagedResource, properties: &[Name]) {
        for property in properties.iter().filter(|property| !managed.traits(**property).is_sensitive) {
            let event = item.status.events.iter().find(|event| event.property.as_deref() == Some(property));
            let value = match event.filter(|event| event.status != EventStatus::Success) {
                None => Json::Array(vec![plain(&managed.desired(*property))]),
                Some(_) if self.state.system_value(&item.reference, property).is_some() => continue,
                Some(event) => Json::Array(event.previous.iter().map(plain).collect()),
            };
            self.state.set_system_value(&item.reference, property, value);
        }
    }

    fn audit_note(&self, managed: &dyn ManagedResource, current: &CurrentValues, difference: &Difference) -> String {
        let now = current.get(&difference.property);
        match difference.historical.as_ref().filter(|then| difference.is_audited && !self.is_recorded(then, now)) {
            None => String::new(),
            Some(then) => {
                let then = managed.current_to_string(difference.property, Some(then));
                format!(" (previously recorded value was {then})")
            }
        }
    }

    /// Whether a recorded value is that of now.
    fn is_recorded(&self, then: &Value, now: Option<&Value>) -> bool {
        now.map(|now| self.state.recorded(plain(now))) == Some(plain(then))
    }

    /// Reports an audited property that is recorded for the first time, or that has changed outside of this run.
    fn audit(
        &mut self,
        item: &mut Item,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        (property, historical): (Name, Option<Value>),
        was_synced: bool,
    ) {
        let now = current.get(&property);
        let mut difference = self.difference(item, property, historical.clone(), true);
        let Some(then) = historical else {
            let text = now.map(|now| ruby::to_s(now).into_owned()).unwrap_or_default();
            let text = if managed.traits(property).is_sensitive { "[redacted]".to_owned() } else { text };
            let message = format!("audit change: newly-recorded value {text}");
            // Unlike later changes, whatever the level of the resource.
            self.run.log.log(Level::Notice, Some(&difference.source()), &message);
            return;
        };
        if was_synced || self.is_recorded(&then, now) {
            return;
        }
        difference.corrective = false;
        let mut event = self.event(item, managed, current, &difference);
        let before = managed.current_to_string(property, Some(&then));
        let after = managed.current_to_string(property, now);
        event.message = format!("audit change: previously recorded value {before} has been changed to {after}");
        event.status = EventStatus::Audit;
        self.record(item, &difference, event);
    }
}

fn json_to_string(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// `mode_changed`; for `ensure` the type and the new state of the resource (`Puppet::Property#event_name`).
fn event_name(item: &Item, property: Name, desired: Option<&Value>) -> String {
    if property != "ensure" {
        return format!("{property}_changed");
    }
    let suffix = match desired.and_then(Value::as_str) {
        Some("present") => "created",
        Some("absent") => "removed",
        _ => "changed",
    };
    format!("{}_{suffix}", item.declared.type_name)
}

/// The audited properties: the properties listed in `audit`, or all with a current value.
fn audited_properties(item: &Item, current: &CurrentValues) -> Vec<Name> {
    match &item.meta.audit {
        None => Vec::new(),
        Some(names) if names.is_empty() => current.keys().copied().collect(),
        Some(names) => names.clone(),
    }
}
