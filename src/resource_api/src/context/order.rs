//! Checks the order in which a provider reports about a resource: its block begins before all other messages, and attribute
//! changes are logged before the action. Only tests of providers use it.

use catwalk_value::Value;

use super::printing;
use super::printing::title_to_string;

/// A kind of report about a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A message.
    Message,
    /// The change of an attribute.
    Attribute,
    /// The beginning of a block function.
    Begin,
    /// The end of a block function.
    End,
    /// An action that has happened: `created`.
    Action,
}

/// The last report about each resource so far.
#[derive(Debug, Default)]
pub(super) struct ReportOrder {
    last: Vec<(Value, Step)>,
    /// The first report that came too late.
    pub(super) problem: Option<String>,
}

impl ReportOrder {
    /// Records a report.
    pub(super) fn record(&mut self, titles: &Value, step: Step) {
        for title in printing::flatten(titles) {
            let last = self.last.iter_mut().find(|(reported, _)| reported == title);
            let before = last.as_ref().map(|(_, before)| *before);
            let name = title_to_string(title);
            let problem = match (before, step) {
                (Some(Step::Message | Step::Attribute | Step::Action), Step::Begin) => {
                    Some(format!("the block of '{name}' begins after other messages about it"))
                }
                (Some(Step::End | Step::Action), Step::Attribute) => {
                    Some(format!("attribute_changed('{name}', …) is called after the action was logged"))
                }
                _ => None,
            };
            self.problem = self.problem.take().or(problem);
            match (last, step) {
                // A message does not reset a later step.
                (Some(_), Step::Message) => {}
                // Reports inside a block belong to it.
                (Some((_, Step::Begin)), Step::Attribute | Step::Action) => {}
                (Some((_, before)), step) => *before = step,
                (None, step) => self.last.push((title.clone(), step)),
            }
        }
    }
}
