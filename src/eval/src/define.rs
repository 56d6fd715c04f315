//! Lazy evaluation: instances of defines, classes from classification, collectors, until nothing changes
//! (Puppet::Parser::Compiler#evaluate_generators).

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_catalog::ResourceId;
use catwalk_world::worker::restricted;

impl Evaluator<'_> {
    /// Evaluates collectors and pending instances in rounds until neither finds anything.
    ///
    /// # Errors
    ///
    /// A failure in one of them; more than 1000 rounds.
    pub fn evaluate_generators(&mut self) -> Res<()> {
        let mut count = 0;
        loop {
            let collected = self.evaluate_collections()?;
            let evaluated = self.evaluate_definitions()?;
            if !collected && !evaluated {
                return Ok(());
            }
            count += 1;
            if count > 1000 {
                return Err(Stop::runtime("Somehow looped more than 1000 times while evaluating host catalog"));
            }
        }
    }

    /// Evaluates all pending resources that are not virtual; those declared meanwhile wait for the next round.
    fn evaluate_definitions(&mut self) -> Res<bool> {
        let pending = std::mem::take(&mut self.state.pending);
        let mut ready = Vec::with_capacity(pending.len());
        for id in pending {
            match self.state.resources.entries.get(id.0 as usize) {
                Some(entry) if entry.evaluated => {}
                Some(entry) if entry.is_virtual => self.state.collection.pending_virtual.push(id),
                Some(_) => ready.push(id),
                None => {}
            }
        }
        let found = !ready.is_empty();
        for id in ready {
            // A resource that a restricted script declared is evaluated with the script's rights.
            let evaluated = match self.state.declared_for_script.contains(&id) {
                true => restricted::for_script(self.world, || self.evaluate_resource(id)),
                false => self.evaluate_resource(id),
            };
            evaluated.map_err(|stop| self.in_resource(stop, id))?;
        }
        // Virtual ones stay pending, before those that were declared during this round.
        let waiting = std::mem::take(&mut self.state.collection.pending_virtual);
        self.state.pending.splice(0..0, waiting);
        Ok(found)
    }

    /// A failure during lazy evaluation, with the resource around it.
    fn in_resource(&self, stop: Stop, id: ResourceId) -> Stop {
        if matches!(stop, Stop::Break(_)) {
            // The message contains its position, but not the resource.
            let Stop::Failed(diagnostic) = self.illegal_jump(stop) else { return Stop::runtime("break()") };
            let detail = diagnostic.puppet_text(&self.program.sources);
            let text = format!("Evaluation Error: Error while evaluating an Object, {detail}");
            let span = diagnostic.span;
            let mut outer = Diagnostic { span: None, message: text.into(), ..*diagnostic };
            outer.labels.extend(span.map(|span| catwalk_base::diag::Label { span, text: "here".into() }));
            return Stop::Failed(Box::new(outer));
        }
        let diagnostic = match self.illegal_jump(stop) {
            // An error that is not one of Puppet's own is passed on unchanged.
            Stop::Failed(diagnostic) if diagnostic.code == Code::RUBY_ERROR => return Stop::Failed(diagnostic),
            Stop::Reason(reason) if reason.code != Code::NOT_SUPPORTED_YET => Box::from(*reason),
            Stop::Failed(diagnostic) if diagnostic.code != Code::NOT_SUPPORTED_YET => diagnostic,
            other => return other,
        };
        let detail = diagnostic.puppet_text(&self.program.sources);
        let text = format!("Evaluation Error: Error while evaluating a Resource Statement, {detail}");
        let reason = Reason { help: diagnostic.help, cause: diagnostic.cause, ..Reason::new(diagnostic.code, text) };
        let mut outer = match self.state.resources.entries.get(id.0 as usize) {
            Some(entry) => self.error_at(reason, entry),
            None => Diagnostic::new(reason, None),
        };
        if let Some(inner) = diagnostic.span {
            outer.labels.push(catwalk_base::diag::Label { span: inner, text: diagnostic.message });
        }
        outer.labels.extend(diagnostic.labels);
        outer.trace = diagnostic.trace;
        Stop::Failed(Box::new(outer))
    }
}
