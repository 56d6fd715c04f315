//! Checks catalogs with the site's policies (`scripts/policies/*.rhai`, see [`catwalk_scripting`]).
//!
//! Every compile of a session runs them. [`Compiled::policies`] selects their messages.

use crate::session::CompileInput;
use crate::session::Compiled;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_catalog::Catalog;
use catwalk_eval::FactsUse;

/// Checks a catalog with policies. A refused catalog is an error: the single refusal, or their number with each of them in the logs.
pub(super) fn check(
    catalog: Catalog,
    opened: &CompileInput<'_>,
    facts: &mut FactsUse,
    logs: &mut Vec<Diagnostic>,
) -> Result<Catalog, Box<Diagnostic>> {
    if !opened.functions.has_policies() {
        return Ok(catalog);
    }
    let mut evaluator = opened.evaluator();
    let checked = evaluator.within_limits(|ev| Ok(opened.functions.check(ev, catalog)));
    logs.append(&mut evaluator.logs);
    let (catalog, messages) = checked.map_err(|stop| evaluator.failure(stop))?;
    facts.add(evaluator.take_facts_use());
    let (mut errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        messages.into_iter().partition(|diagnostic| diagnostic.severity >= Severity::Error);
    logs.extend(warnings);
    match errors.len() {
        0 => Ok(catalog),
        1 => errors.pop().map_or(Ok(catalog), |only| Err(Box::new(only))),
        n => {
            logs.extend(errors);
            let reason = Reason::new(Code::POLICY_DENIED, format!("policies refuse the catalog for {n} reasons"));
            Err(Box::from(reason))
        }
    }
}

impl Compiled {
    /// The messages of policies about the catalog: refusals have the code `POLICY_DENIED`, warnings `POLICY_WARNING`.
    pub fn policies(&self) -> impl Iterator<Item = &Diagnostic> {
        let failure = self.result.as_ref().err().map(AsRef::as_ref);
        let is_of_policy = |diagnostic: &&Diagnostic| {
            let code = diagnostic.code;
            // The failure with the number of refusals has neither position nor policy.
            code == Code::POLICY_WARNING || (code == Code::POLICY_DENIED && !diagnostic.trace.is_empty())
        };
        self.logs.iter().chain(failure).filter(is_of_policy)
    }
}
