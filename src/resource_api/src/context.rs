//! The messages of a provider, and how they are worded (Puppet::ResourceApi::BaseContext).

mod block;
mod changes;
mod order;
mod printing;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use catwalk_system::System;
use catwalk_value::Value;

use crate::Definition;
use crate::Failure;
use crate::Level;
use crate::Log;
use crate::State;
use block::BlockKind;
use changes::MachineChange;
use order::ReportOrder;
use order::Step;
pub use printing::title_to_string;

/// The environment of one call of a provider: logs its messages and remembers failures.
pub struct Context<'a> {
    /// The type of the resources.
    pub definition: Arc<Definition>,
    /// The names of the resources that are being changed; messages about other resources are errors. `None` outside of `set`.
    pub requested: Option<Vec<Value>>,
    /// Whether `set` must not change anything.
    pub noop: bool,
    /// The value that the transport's `connect` returned, in a run for a device.
    pub device: Option<Value>,
    /// The machine that the provider manages.
    pub system: &'a mut dyn System,
    log: &'a mut dyn Log,
    /// The prefix of messages inside a block function: `thing[a]: Creating`.
    block: Option<String>,
    failed: bool,
    changes: Vec<MachineChange>,
    report_order: Option<ReportOrder>,
}

/// A block function: an operation whose messages have a prefix and whose duration is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `creating`
    Creating,
    /// `updating`
    Updating,
    /// `deleting`
    Deleting,
    /// `failing`
    Failing,
}

impl Operation {
    /// The default message, which is the last part of the prefix: `Creating`.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Operation::Creating => "Creating",
            Operation::Updating => "Updating",
            Operation::Deleting => "Deleting",
            Operation::Failing => "Failing",
        }
    }
}

/// An action that has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// `created`
    Created,
    /// `updated`
    Updated,
    /// `deleted`
    Deleted,
}

impl Action {
    /// The default message: `Created`.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Action::Created => "Created",
            Action::Updated => "Updated",
            Action::Deleted => "Deleted",
        }
    }
}

/// A block function that has begun; [`Context::end_block`] ends it.
#[derive(Debug)]
#[must_use]
pub struct Block {
    kind: BlockKind,
    /// The time of the machine's clock.
    started: Duration,
    /// The titles of its resources; `None` unless the order of reports is checked.
    titles: Option<Value>,
}

impl<'a> Context<'a> {
    /// A context outside of `set`.
    #[must_use]
    pub fn new(definition: Arc<Definition>, log: &'a mut dyn Log, system: &'a mut dyn System) -> Context<'a> {
        Context {
            definition,
            requested: None,
            noop: false,
            device: None,
            system,
            log,
            block: None,
            failed: false,
            changes: Vec::new(),
            report_order: None,
        }
    }

    /// Logs a message without titles: `thing: message`, inside a block function `thing[a]: Creating: message`.
    pub fn log_message(&mut self, level: Level, message: &str) {
        if self.log.wants(level) {
            let prefix = self.block.as_deref().unwrap_or(self.definition.name.as_str());
            self.log.log(level, None, &format!("{prefix}: {message}"));
        }
    }

    /// Logs a message about resources: `thing[a, b]: message`, without the prefix of a block function.
    ///
    /// # Errors
    /// One of the resources is not being changed.
    pub fn log_message_for(&mut self, level: Level, titles: &Value, message: &str) -> Result<(), Failure> {
        self.check_report(titles, Step::Message)?;
        self.log.log(level, None, &format!("{}: {message}", self.prefix(titles)));
        Ok(())
    }

    /// Logs a message without a prefix, which is not a message of the provider.
    pub fn log_without_prefix(&mut self, level: Level, message: &str) {
        self.log.log(level, None, message);
    }

    /// Begins a block function. `message` replaces its default.
    ///
    /// # Errors
    /// One of the resources is not being changed.
    pub fn begin_block(
        &mut self,
        operation: Operation,
        titles: &Value,
        message: Option<&str>,
    ) -> Result<Block, Failure> {
        self.check_report(titles, Step::Begin)?;
        self.enter_block(titles, message.unwrap_or(operation.message()));
        let block = Block {
            kind: BlockKind::Operation(operation),
            started: self.system.clock().elapsed(),
            titles: self.titles_to_check(titles),
        };
        self.log_message(Level::Debug, "Start");
        Ok(block)
    }

    fn value_to_string(&self, value: &Value) -> String {
        printing::value_to_string(value, &self.definition)
    }

    /// Begins the block function `processing`, which is for one resource.
    ///
    /// # Errors
    /// The resource is not being changed, or `title` is an array or a hash.
    pub fn begin_processing(
        &mut self,
        title: &Value,
        is: &Value,
        should: &Value,
        message: Option<&str>,
    ) -> Result<Block, Failure> {
        check_single_title("processing", title)?;
        self.check_report(title, Step::Begin)?;
        self.enter_block(title, message.unwrap_or("Processing"));
        let (name, is, should) = (title_to_string(title), self.value_to_string(is), self.value_to_string(should));
        self.log_message(Level::Debug, &format!("Starting processing of {name} from {is} to {should}"));
        let kind = BlockKind::Processing(name, should);
        Ok(Block { kind, started: self.system.clock().elapsed(), titles: self.titles_to_check(title) })
    }

    /// Ends a block function: logs its duration or its failure, which is remembered ([`Context::take_failed`]).
    ///
    /// # Errors
    /// Returns a fatal failure, which is not logged.
    pub fn end_block(&mut self, block: Block, result: Result<(), Failure>) -> Result<(), Failure> {
        let seconds = self.seconds_since(block.started);
        let ended = match result {
            Ok(()) => {
                let (level, text) = block.kind.finished(&seconds);
                self.log_message(level, &text);
                Ok(())
            }
            Err(failure) if failure.is_fatal => Err(failure),
            Err(failure) => {
                let text = block.kind.failed(&seconds);
                self.log_message(Level::Err, &format!("{text}: {}", failure.message));
                self.log.show_excerpt(&failure.excerpt);
                for line in &failure.trace {
                    self.log_message(Level::Debug, line);
                }
                self.failed = true;
                Ok(())
            }
        };
        if let (Some(order), Some(titles)) = (&mut self.report_order, &block.titles) {
            order.record(titles, Step::End);
        }
        // As in Puppet, an outer block function loses its prefix.
        self.block = None;
        ended
    }

    /// Runs a block function.
    ///
    /// # Errors
    /// One of the resources is not being changed, or the failure of `run` is fatal; other failures are logged and remembered.
    pub fn run_block(
        &mut self,
        operation: Operation,
        titles: &Value,
        run: impl FnOnce(&mut Context<'a>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let block = self.begin_block(operation, titles, None)?;
        let result = run(self);
        self.end_block(block, result)
    }

    /// Logs that resources were changed: `thing: Created: a`. `message` replaces `Created`.
    ///
    /// # Errors
    /// One of the resources is not being changed.
    pub fn log_action(&mut self, action: Action, titles: &Value, message: Option<&str>) -> Result<(), Failure> {
        self.check_report(titles, Step::Action)?;
        let text = format!("{}: {}", message.unwrap_or(action.message()), title_to_string(titles));
        self.log_message(Level::Notice, &text);
        Ok(())
    }

    /// Logs that a resource was brought from one state into another.
    ///
    /// # Errors
    /// The resource is not being changed, or `title` is an array or a hash.
    pub fn processed(&mut self, title: &Value, is: &Value, should: &Value) -> Result<(), Failure> {
        check_single_title("processed", title)?;
        self.check_report(title, Step::Action)?;
        let (title, is, should) = (title_to_string(title), self.value_to_string(is), self.value_to_string(should));
        self.log_message(Level::Notice, &format!("Processed {title} from {is} to {should}"));
        Ok(())
    }

    /// Logs an error about resources; this does not fail them.
    ///
    /// # Errors
    /// One of the resources is not being changed.
    pub fn failed(&mut self, titles: &Value, message: Option<&str>) -> Result<(), Failure> {
        self.check_report(titles, Step::Message)?;
        self.block = Some(self.prefix(titles));
        self.log_message(Level::Err, message.unwrap_or("Updating has failed"));
        self.block = None;
        Ok(())
    }

    /// Logs that a resource needed no change.
    ///
    /// # Errors
    /// The resource is not being changed.
    pub fn unchanged(&mut self, titles: &Value) -> Result<(), Failure> {
        self.check_report(titles, Step::Message)?;
        self.log_message(Level::Debug, &format!("Unchanged: {}", title_to_string(titles)));
        Ok(())
    }

    /// Logs that an attribute was changed: `thing: a: attribute 'value' changed from 'x' to nil: message`.
    ///
    /// # Errors
    /// The resource is not being changed, or `title` is an array or a hash.
    pub fn attribute_changed(
        &mut self,
        title: &Value,
        attribute: &str,
        (is, should): (&Value, &Value),
        message: Option<&str>,
    ) -> Result<(), Failure> {
        check_single_title("attribute_changed", title)?;
        self.check_report(title, Step::Attribute)?;
        let message = message.map(|message| format!(": {message}")).unwrap_or_default();
        let text = format!(
            "{}: attribute '{attribute}' changed from {} to {}{message}",
            title_to_string(title),
            printing::attribute_value(is, &self.definition),
            printing::attribute_value(should, &self.definition)
        );
        self.log_message(Level::Notice, &text);
        Ok(())
    }

    /// Whether an action failed since the last call (`failed?`, `reset_failed`).
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    /// Starts checking the order of the provider's reports; for tests.
    pub fn watch_order(&mut self) {
        self.report_order = Some(ReportOrder::default());
    }

    /// The first report that came too late, if the order is checked.
    #[must_use]
    pub fn order_problem(&self) -> Option<String> {
        self.report_order.as_ref().and_then(|order| order.problem.clone())
    }

    /// The titles of a block, if the order is checked.
    fn titles_to_check(&self, titles: &Value) -> Option<Value> {
        self.report_order.is_some().then(|| titles.clone())
    }

    /// Checks that the provider may report about these resources, and records the report if the order is checked.
    fn check_report(&mut self, titles: &Value, step: Step) -> Result<(), Failure> {
        self.check_titles(titles)?;
        if let Some(order) = &mut self.report_order {
            order.record(titles, step);
        }
        Ok(())
    }

    /// `thing[a, b]`; `thing` for no titles.
    fn prefix(&self, titles: &Value) -> String {
        let all = printing::flatten(titles);
        let name = self.definition.name.as_str();
        match titles {
            Value::Array(_) if all.is_empty() => name.to_owned(),
            Value::Hash(names) if names.is_empty() => name.to_owned(),
            _ => {
                let titles: Vec<String> = all.iter().map(|title| title_to_string(title)).collect();
                format!("{name}[{}]", titles.join(", "))
            }
        }
    }

    fn enter_block(&mut self, titles: &Value, message: &str) {
        self.block = Some(format!("{}: {message}", self.prefix(titles)));
    }

    fn check_titles(&self, titles: &Value) -> Result<(), Failure> {
        let Some(requested) = &self.requested else { return Ok(()) };
        match printing::flatten(titles).into_iter().find(|title| !requested.contains(title)) {
            None => Ok(()),
            Some(foreign) => {
                let foreign = title_to_string(foreign);
                Err(Failure::new(format!("Managing resource outside of requested set: {foreign}")))
            }
        }
    }

    /// The time since `started` in seconds, with six decimals below one second and two above.
    fn seconds_since(&self, started: Duration) -> String {
        let seconds = self.system.clock().elapsed().saturating_sub(started).as_secs_f64();
        if seconds < 1.0 { format!("{seconds:.6}") } else { format!("{seconds:.2}") }
    }
}

/// Refuses several titles in one value.
fn check_single_title(method: &str, title: &Value) -> Result<(), Failure> {
    match title {
        Value::Array(_) | Value::Hash(_) => Err(Failure::new(format!("{method} only accepts a single resource title"))),
        _ => Ok(()),
    }
}

/// The state of a resource that does not exist: its namevars and, where the type has one, `ensure => absent`.
#[must_use]
pub fn absent_state(definition: &Definition, name: &Value) -> State {
    let mut state = match name {
        Value::Hash(names) => State::from(names.as_ref()),
        name => {
            let namevar = definition.namevars().next().unwrap_or(catwalk_base::name!("name"));
            State::from_iter([(namevar, name.clone())])
        }
    };
    if definition.is_ensurable() {
        state.insert(catwalk_base::name!("ensure"), Value::str("absent"));
    }
    state
}
