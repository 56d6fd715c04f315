//! Tests of the site's scripts: `scripts/tests/*_test.rhai`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::session::CompileInput;
use crate::session::NodeSource;
use crate::session::Session;
use crate::session::TestNode;
use crate::session::guard::Guarded;
use crate::session::node_world::NodeWorld;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets::SecretCollection;
use catwalk_catalog::Catalog;
use catwalk_node::classify::Classification;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::Request;
use catwalk_program::Environment;
use catwalk_resource_api::Definition;
use catwalk_scripting::Purpose;
use catwalk_scripting::RhaiEnc;
use catwalk_scripting::ScriptCoverage;
use catwalk_scripting::Scripts;
use catwalk_scripting::TestSite;
use catwalk_scripting::stubbed_command;
use catwalk_value::Hash;
use catwalk_world::Command;
use catwalk_world::Disk;
use catwalk_world::Output;
use catwalk_world::RecordingWorld;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The node that tests run for.
const NODE: &str = "test.example.com";

/// The name of the check of a provider in the results.
pub const PROPERTIES: &str = "properties";

/// The result of one test.
#[derive(Debug)]
pub struct ScriptTestResult {
    /// Its file.
    pub path: PathBuf,
    /// Its name; empty for an error of the file itself.
    pub name: String,
    /// Why it failed.
    pub failure: Option<Box<Diagnostic>>,
    /// Messages that were logged.
    pub logs: Vec<Diagnostic>,
    /// Results to print, one per line: the properties of a provider.
    pub notes: Vec<String>,
    /// The time it took.
    pub elapsed: Duration,
}

impl Session {
    /// Turns this into a session for tests of scripts, which adds assertions to scripts and records which lines run.
    #[must_use]
    pub fn into_testing(mut self) -> Session {
        self.scripts = Arc::new(Scripts::testing(self.sources().clone()));
        self
    }

    /// The files of tests among scripts.
    #[must_use]
    pub fn test_files(&self, scripts: Vec<PathBuf>) -> Vec<PathBuf> {
        let is_test = |path: &PathBuf| {
            let named = path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| stem.ends_with("_test"));
            named && Purpose::from_path(path) == Purpose::Test
        };
        scripts.into_iter().filter(is_test).collect()
    }

    /// The providers among scripts.
    #[must_use]
    pub fn provider_files(&self, scripts: &[PathBuf]) -> Vec<PathBuf> {
        scripts.iter().filter(|path| Purpose::from_path(path) == Purpose::Provider).cloned().collect()
    }

    /// Checks the properties of these providers. Call it after the tests, in their thread: properties that tests have found to
    /// hold are not checked again. `done` is called for each.
    ///
    /// # Errors
    ///
    /// There is no environment.
    pub fn check_properties(
        &self,
        files: &[PathBuf],
        done: &dyn Fn(&ScriptTestResult),
    ) -> Result<Vec<ScriptTestResult>, Box<Diagnostic>> {
        let environment = self.script_environment()?;
        let mut results = Vec::new();
        for path in files {
            let started = Instant::now();
            let site = self.tested_site(&environment);
            let (checked, mut failure) = self.scripts.check_properties(path, &site);
            let secrets = self.secrets(site.world.secrets().reported());
            failure.iter_mut().for_each(|failure| failure.redact(&secrets));
            let notes = checked.lines().iter().map(|line| secrets.redact(line).into_owned()).collect();
            let (name, logs) = (PROPERTIES.to_owned(), Vec::new());
            let result =
                ScriptTestResult { path: path.clone(), name, failure, logs, notes, elapsed: started.elapsed() };
            done(&result);
            results.push(result);
        }
        Ok(results)
    }

    /// Runs the tests of these files whose names contain a string. `done` is called for each.
    ///
    /// # Errors
    /// There is no environment.
    pub fn run_script_tests(
        &self,
        files: &[PathBuf],
        filter: &str,
        done: &dyn Fn(&ScriptTestResult),
    ) -> Result<Vec<ScriptTestResult>, Box<Diagnostic>> {
        let environment = self.script_environment()?;
        let mut results = Vec::new();
        for path in files {
            let mut report = |result: ScriptTestResult| {
                done(&result);
                results.push(result);
            };
            let tests = match self.scripts.tests(path, self.tested_site(&environment).world.as_ref()) {
                Ok(tests) => tests,
                Err(failure) => {
                    let failure = Some(failure);
                    let (name, logs, elapsed) = (String::new(), Vec::new(), Duration::ZERO);
                    report(ScriptTestResult { path: path.clone(), name, failure, logs, notes: Vec::new(), elapsed });
                    continue;
                }
            };
            for name in tests.into_iter().filter(|name| name.contains(filter)) {
                let (started, site) = (Instant::now(), self.tested_site(&environment));
                let test = |logs: &mut Vec<Diagnostic>| {
                    site.with_test_node("", Arc::default(), |opened| {
                        let mut evaluator = opened.evaluator();
                        // As in a compile, backends see the node's variables.
                        let prepared = evaluator.set_node_parameters().map_err(|stop| evaluator.failure(stop));
                        let result = prepared.and_then(|()| opened.functions.test(&mut evaluator, path, &name, &site));
                        logs.append(&mut evaluator.logs);
                        result
                    })?
                };
                let Guarded { result, logs, .. } = self.guard(site.world.secrets(), test, |result| result);
                let (failure, notes, elapsed) = (result.err(), Vec::new(), started.elapsed());
                report(ScriptTestResult { path: path.clone(), name, failure, logs, notes, elapsed });
            }
        }
        Ok(results)
    }

    /// The site as one test sees it, with a collection for the secrets of the test.
    fn tested_site(&self, environment: &Arc<Environment>) -> TestedSite<'_> {
        let disk = Arc::new(StubbedDisk { inner: self.world.clone() });
        let world = Arc::new(RecordingWorld::for_compile(disk, Arc::default()));
        TestedSite { session: self, environment: environment.clone(), world }
    }

    /// The lines of scripts that tests ran.
    #[must_use]
    pub fn script_coverage(&self) -> Vec<ScriptCoverage> {
        self.scripts.coverage()
    }
}

/// The site as tests see it.
struct TestedSite<'a> {
    session: &'a Session,
    environment: Arc<Environment>,
    world: Arc<RecordingWorld>,
}

impl TestedSite<'_> {
    /// Runs work with a node that has this code and these facts; within the guard of its caller.
    fn with_test_node<T>(
        &self,
        code: &str,
        facts: Arc<Hash>,
        work: impl FnOnce(&CompileInput<'_>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let (certname, code) = (Arc::from(NODE), Some(code.to_owned()));
        let test_node = TestNode { certname, facts, code, ..TestNode::default() };
        let (source, node_world) = (NodeSource::Test(&test_node), NodeWorld::new(self.world.clone()));
        let prepared = self.session.prepare_in(source, node_world, Some(&self.environment));
        let prepared = prepared.map_err(|failed| failed.failure)?;
        let secrets = self.world.secrets();
        secrets.add(prepared.reported());
        let (world, _) = prepared.open_world(secrets);
        self.session.open_prepared(&prepared, &world, &mut Vec::new(), |opened, _| work(opened))
    }

    fn message(&self, failure: &Diagnostic) -> String {
        failure.puppet_text(self.session.sources())
    }

    /// A script by its path below the site.
    fn script(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }
}

impl TestSite for TestedSite<'_> {
    fn compile(&self, code: &str, facts: Arc<Hash>) -> Result<Catalog, String> {
        let compiled = self.with_test_node(code, facts, |opened| {
            crate::compile::compile_with(&opened.input(), |evaluator| opened.set_up(evaluator)).result
        });
        compiled.and_then(|result| result).map_err(|failure| self.message(&failure))
    }

    fn classify(&self, script: &str, request: &Request) -> Result<Classification, String> {
        let scripts = self.session.scripts.clone();
        let enc = RhaiEnc { path: self.script(script), data: None, scripts, environment: self.environment.clone() };
        enc.classify(request, self.world.as_ref()).map_err(|failure| self.message(&failure))
    }

    fn policy(&self, script: &str, catalog: Catalog) -> Result<Vec<(bool, String)>, String> {
        let path = self.script(script);
        let messages = self.with_test_node("", Arc::default(), |opened| {
            opened.functions.try_policy(&mut opened.evaluator(), &path, catalog)
        });
        messages.map_err(|failure| self.message(&failure))?
    }

    fn definition(&self, name: &str) -> Result<Option<Arc<Definition>>, String> {
        let result = self.with_test_node("", Arc::default(), |opened| opened.definition(name));
        result.map_err(|failure| self.message(&failure))?
    }

    fn host(&self) -> (Arc<Scripts>, Arc<Environment>, Arc<dyn World>) {
        (self.session.scripts.clone(), self.environment.clone(), self.world.clone())
    }

    fn root(&self) -> PathBuf {
        self.session.options.root.clone().or_else(|| self.environment.root.clone()).unwrap_or_default()
    }
}

/// The disk, with commands that tests have stubbed.
struct StubbedDisk {
    inner: Arc<Disk>,
}

impl World for StubbedDisk {
    fn below(&self) -> Option<&dyn World> {
        Some(self.inner.as_ref())
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.inner.secrets()
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        match stubbed_command(&command.argv.join(" ")) {
            Some(answer) => answer.map_err(|why| WorldError::NotAllowed(Arc::from(why))),
            None => self.inner.run(command),
        }
    }
}
