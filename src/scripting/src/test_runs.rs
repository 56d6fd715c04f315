//! Runs tests of scripts: functions `test_…()` of `scripts/tests/*_test.rhai`.
//!
//! In: a script, the name of a test, an evaluator for its calls, the site for what it compiles. Out: nothing, or why it failed.
//! Each test has its own evaluator and stubs.

use std::path::Path;

use crate::api::CatalogHandle;
use crate::cache::Scripts;
use crate::callers;
use crate::function::RhaiFunctions;
use crate::limits;
use crate::testing;
use crate::testing::TestSite;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_catalog::Catalog;
use catwalk_eval::Evaluator;
use catwalk_eval::Stop;
use catwalk_program::Environment;
use catwalk_world::World;

impl Scripts {
    /// The tests of a script, in the order of the file.
    ///
    /// # Errors
    /// It cannot be read or parsed.
    pub fn tests(&self, path: &Path, world: &dyn World) -> Result<Vec<String>, Box<Diagnostic>> {
        let script = self.load(path, &Environment::default(), world)?;
        let text = self.sources.get(script.file).map(|source| source.text.clone()).unwrap_or_default();
        let tests = script.ast.iter_functions().filter(|f| f.name.starts_with("test_") && f.params.is_empty());
        let mut tests: Vec<(usize, String)> =
            tests.map(|f| (text.find(&format!("fn {}(", f.name)).unwrap_or(usize::MAX), f.name.to_owned())).collect();
        tests.sort();
        Ok(tests.into_iter().map(|(_, name)| name).collect())
    }
}

impl RhaiFunctions {
    /// Runs one test.
    ///
    /// # Errors
    /// It failed.
    pub fn test(
        &self,
        ev: &mut Evaluator<'_>,
        path: &Path,
        name: &str,
        site: &dyn TestSite,
    ) -> Result<(), Box<Diagnostic>> {
        let script = self.scripts.load(path, &self.environment, self.world.as_ref())?;
        let span = Span::new(script.file, 0, 0);
        let result = testing::with_stubs(&script, || {
            callers::with_site(site, || {
                self.enter_with_limit(limits::TEST_LIMIT, ev, &[], span, &script, (name, name), Vec::new(), None)
            })
        });
        let mut failure = match result {
            Ok(_) => return Ok(()),
            Err(Stop::Failed(diagnostic)) => diagnostic,
            Err(Stop::Reason(reason)) => Box::new(Diagnostic::new(*reason, Some(span))),
            Err(_) => Box::new(Diagnostic::new(Reason::runtime("evaluation stopped"), Some(span))),
        };
        failure.trace.push(Frame { callee: format!("the test {name}").into(), span: None });
        Err(failure)
    }

    /// A policy's verdict on a catalog, for a test: whether it denies, and the message.
    ///
    /// # Errors
    /// It fails.
    pub fn try_policy(
        &self,
        ev: &mut Evaluator<'_>,
        path: &Path,
        catalog: Catalog,
    ) -> Result<Vec<(bool, String)>, String> {
        let diagnostics = self.policy(ev, path, &CatalogHandle::new(catalog));
        diagnostics
            .into_iter()
            .map(|diagnostic| match diagnostic.code {
                code if code == Code::POLICY_DENIED => Ok((true, diagnostic.message.into_owned())),
                code if code == Code::POLICY_WARNING => Ok((false, diagnostic.message.into_owned())),
                _ => Err(diagnostic.message.into_owned()),
            })
            .collect()
    }
}
