//! A classifier in Rhai: `fn classify(node)`.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rhai::Dynamic;

use crate::api::Call;
use crate::api::ClassificationHandle;
use crate::api::NodeHandle;
use crate::api::take_has_begun;
use crate::bridge;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::callers;
use crate::classifier_host::ClassifierHost;
use crate::entry;
use crate::error;
use crate::host::HostApi;
use crate::host::ImportContext;
use crate::limits;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_eval::Stop;
use catwalk_node::classify::Classification;
use catwalk_node::classify::ClassificationPart;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::DataSource;
use catwalk_node::classify::Request;
use catwalk_program::Environment;
use catwalk_world::World;

/// A classifier script.
#[derive(Clone)]
pub struct RhaiEnc<'a> {
    pub path: PathBuf,
    /// The data that the script may look up.
    pub data: Option<&'a dyn DataSource>,
    /// The script host.
    pub scripts: Arc<Scripts>,
    /// The environment whose modules it may import from.
    pub environment: Arc<Environment>,
}

impl Classifier for RhaiEnc<'_> {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let mut host = ClassifierHost::new(request, self.data);
        let result = self.classify_with(&mut host, request, world);
        match result {
            Ok(mut classification) => {
                classification.warnings.splice(..0, host.logs);
                Ok(classification)
            }
            Err(mut failure) => {
                // A failed compile has no log yet.
                failure.summarized.splice(..0, host.logs);
                Err(failure)
            }
        }
    }
}

impl RhaiEnc<'_> {
    /// Classifies a node with a host for what the script calls.
    pub(super) fn classify_with(
        &self,
        host: &mut dyn HostApi,
        request: &Request,
        world: &dyn World,
    ) -> Result<Classification, Box<Diagnostic>> {
        let script = self.scripts.load(&self.path, &self.environment, world)?;
        let span = Some(Span::new(script.file, 0, 1));
        let fail = |message: String| Box::new(Diagnostic::new(Reason::new(Code::ENC_FAILED, message), span));
        let takes_node = script.ast.iter_functions().any(|f| f.name == "classify" && f.params.len() == 1);
        if !takes_node {
            return Err(fail(format!("{} has no function classify(node)", self.path.display())));
        }
        let loading = ImportContext { scripts: &self.scripts, environment: &self.environment, world, data: None };
        let limit = limits::CLASSIFY_LIMIT;
        if self.scripts.workers.is_some() {
            let answer = limits::run_entry(limit, || {
                callers::with_loading(&loading, || {
                    callers::with_host(host, || Conversation::classify(&script, &loading, limit, request))
                })
            });
            return match answer.unwrap_or_else(|| Err(WorkerFailure::NoValue(entry::TOO_DEEP.to_owned()))) {
                Ok((_, true)) => Ok(self.without_return(&script)),
                Ok((classification, false)) => Ok(classification),
                Err(WorkerFailure::Failed(diagnostic, stop)) => Err(at_call(stop, diagnostic)),
                Err(WorkerFailure::NoValue(why)) => Err(fail(why)),
            };
        }
        take_has_begun();
        let node = Dynamic::from(NodeHandle(Arc::new(request.clone())));
        let result = entry::call(&script, "classify", vec![node], limit, &loading, Some(host));
        let name = &request.certname;
        let result = match result {
            Some(result) => result.map_err(|why| {
                let diagnostic = error::diagnostic(&why, script.file, &self.scripts.sources);
                let stop = error::host_failure(&why);
                let stop = stop.and_then(|failure| failure.0.lock().take());
                let mut diagnostic = at_call(stop, diagnostic);
                diagnostic.trace.push(catwalk_base::diag::Frame {
                    callee: format!("the classification of node '{name}'").into(),
                    span: None,
                });
                diagnostic
            })?,
            None => return Err(fail(entry::TOO_DEEP.to_owned())),
        };
        if let Some(handle) = result.read_lock::<ClassificationHandle>() {
            let mut classification = handle.take();
            classification.locations = self.locations(&handle.calls(), &script);
            return Ok(classification);
        }
        if result.is_unit() && take_has_begun() {
            return Ok(self.without_return(&script));
        }
        let value = bridge::from_dynamic(result).map_err(&fail)?;
        Classification::from_value(&value).map_err(|reason| fail(reason.message.into_owned()))
    }
}

/// The failure of a classifier: that of the lookup that it called, with the position of the call, or its own.
fn at_call(stop: Option<Stop>, called: Box<Diagnostic>) -> Box<Diagnostic> {
    let Some(Stop::Failed(mut failure)) = stop else { return called };
    failure.span = called.span;
    failure.trace.extend(called.trace);
    failure
}

/// The warning about a classifier without its last line.
pub(super) const NO_CLASSIFICATION: &str =
    "classify(node) fills a classification and does not return it: the node gets no classes";
/// The hint of that warning.
pub(super) const RETURN_HINT: &str = "end the function with the variable that holds it, such as `c`";

/// Where `classify` is defined in a script.
pub(super) fn classify_span(sources: &SourceMap, file: FileId) -> Option<Span> {
    let source = sources.get(file)?;
    let start = source.text.find("fn classify")?;
    Some(Span::new(file, start, start + "fn classify".len()))
}

impl RhaiEnc<'_> {
    /// A classification without classes, and a warning at the function that fills a classification without returning it.
    fn without_return(&self, script: &Script) -> Classification {
        let reason = Reason::new(Code::SCRIPT_NO_CLASSIFICATION, NO_CLASSIFICATION).help(RETURN_HINT);
        let span = classify_span(&self.scripts.sources, script.file).or(Some(Span::new(script.file, 0, 1)));
        let warning = Diagnostic::new(reason, span).severity(Severity::Warning);
        Classification { warnings: vec![warning], ..Classification::default() }
    }

    /// The positions where the values of the classification are set.
    fn locations(&self, calls: &[Call], script: &Script) -> IndexMap<ClassificationPart, DefinitionLocation> {
        let script_path = self.scripts.sources.get(script.file).and_then(|source| source.path.clone());
        let location = |(part, source, at): &Call| {
            let file: Arc<Path> = match source.as_str() {
                "" => Arc::from(script_path.as_deref()?),
                path => Arc::from(Path::new(path)),
            };
            Some((
                part.clone(),
                DefinitionLocation::Call { file, line: at.line()?, column: at.position().unwrap_or(1) },
            ))
        };
        calls.iter().filter_map(location).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;
    use catwalk_node::trusted;
    use catwalk_value::Hash;
    use catwalk_value::Value;
    use catwalk_world::Memory;

    fn classify(script: &str) -> Result<Classification, String> {
        let world =
            Memory::new([("/site/enc.rhai", script), ("/site/scripts/lib/names.rhai", "fn role() { \"web\" }")]);
        let scripts = Arc::new(Scripts::new(SourceMap::new()));
        let environment = Arc::new(Environment { root: Some(PathBuf::from("/site")), ..Environment::default() });
        let enc = RhaiEnc { path: PathBuf::from("/site/enc.rhai"), data: None, scripts: scripts.clone(), environment };
        let os: Hash = [(Value::str("family"), Value::str("Debian"))].into_iter().collect();
        let facts: Hash = [(Value::str("os"), Value::hash(os))].into_iter().collect();
        let request = Request {
            certname: Arc::from("web1.example.com"),
            environment: Arc::from("production"),
            facts: Arc::new(facts),
            trusted: Arc::new(trusted("web1.example.com")),
        };
        enc.classify(&request, &world).map_err(|diagnostic| diagnostic.puppet_text(&scripts.sources))
    }

    #[test]
    fn a_classifier_returns_classes_parameters_and_environment() {
        let got = classify(
            r#"
            import "names" as names;
            const TIER = "front";
            fn classify(node) {
                let c = classification();
                if node.facts.os.family == "Debian" { c.include("role::" + names::role()); }
                c.include("ntp", #{ servers: ["a", "b"] });
                c.param("tier", global::TIER);
                c.param("os", node.fact("os.family"));
                c.environment = "staging";
                c
            }"#,
        )
        .unwrap();
        let classes: Vec<&str> = got.classes.keys().map(AsRef::as_ref).collect();
        assert_eq!(classes, ["role::web", "ntp"]);
        assert_eq!(
            got.classes.get("ntp").unwrap().as_ref().unwrap().get("servers").unwrap(),
            &Value::array(vec!["a".into(), "b".into()])
        );
        assert_eq!(got.parameters.get("tier"), Some(&Value::str("front")));
        assert_eq!(got.parameters.get("os"), Some(&Value::str("Debian")));
        assert_eq!(got.environment.as_deref(), Some("staging"));
    }

    #[test]
    fn a_map_is_a_classification_too() {
        let got = classify(r#"fn classify(node) { #{ classes: ["a", "b"], parameters: #{ x: 1 } } }"#).unwrap();
        assert_eq!(got.classes.len(), 2);
        assert_eq!(got.parameters.get("x"), Some(&Value::Int(1)));
        assert_eq!(classify("fn classify(node) { () }").unwrap(), Classification::default());
    }

    #[test]
    fn failures_have_a_position() {
        let cases = [
            (
                "fn classify(node) {\n  throw `no role for ${node.name}`\n}",
                "no role for web1.example.com (file: /site/enc.rhai, line: 2, column: 3)",
            ),
            (
                "fn classify(node) {\n  nope(1)\n}",
                "Function not found: nope (i64) (file: /site/enc.rhai, line: 2, column: 3)",
            ),
            (
                "fn classify(node) { 7 }",
                "a classification must be a hash, got a number (file: /site/enc.rhai, line: 1, column: 1)",
            ),
            ("let x = 1;", "/site/enc.rhai has no function classify(node) (file: /site/enc.rhai, line: 1, column: 1)"),
            (
                "fn classify(node) {\n  import \"../../etc/passwd\" as x;\n}",
                "cannot import \"../../etc/passwd\": a name is \"x\" or \"module::x\", with x below scripts/lib (file: /site/enc.rhai, line: 2, column: 10)",
            ),
            (
                "fn classify(node) { exit(1) }",
                "exit() is not available in scripts: use return or throw (file: /site/enc.rhai, line: 1, column: 21)",
            ),
            (
                "fn classify(node) { sleep(1) }",
                "sleep() is not available in scripts (file: /site/enc.rhai, line: 1, column: 21)",
            ),
            (
                "fn classify(node) { call_function(\"lookup\", \"x\") }",
                "lookup() is available in classify(node), not in the rule of a group (file: /site/enc.rhai, line: 1, column: 21)",
            ),
        ];
        for (script, expected) in cases {
            assert_eq!(classify(script).unwrap_err(), expected, "{script}");
        }
    }

    #[test]
    fn an_endless_script_is_stopped() {
        for script in [
            "fn classify(node) { loop { } }",
            "fn f(n) { f(n + 1) } fn classify(node) { f(0) }",
            "fn classify(node) { let s = \"x\"; loop { s += s; } }",
            "fn classify(node) { let m = #{}; let f = || m.a; m.f = f; m.to_json() }",
        ] {
            let error = std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn(move || classify(script).unwrap_err())
                .unwrap()
                .join()
                .unwrap();
            assert!(error.contains("(file: /site/enc.rhai"), "{error}");
        }
    }
}
