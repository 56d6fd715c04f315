//! The functions of tests of scripts: assertions, stubs of functions, facts and commands, and calls of classifiers, policies
//! and backends.

use std::path::PathBuf;
use std::sync::Arc;

use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::ImmutableString;
use rhai::NativeCallContext;
use rhai::Scope;

use crate::api::CatalogHandle;
use crate::api::ClassificationHandle;
use crate::api::Fallible;
use crate::api::NodeHandle;
use crate::api::fail;
use crate::api::to_value;
use crate::bridge;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::callers;
use crate::chain;
use crate::host;
use crate::limits;
use crate::state;
use crate::table::Item;
use crate::table::function;
use crate::table::phase;
use catwalk_catalog::Catalog;
use catwalk_node::classify::Classification;
use catwalk_node::classify::Request;
use catwalk_program::Environment;
use catwalk_resource_api::Definition;
use catwalk_system::FakeMachine;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::to_puppet_string;
use catwalk_world::Output;
use catwalk_world::World;

/// A closure of a test, with the functions of the test, which the scripts that call it do not have.
#[derive(Clone)]
pub(super) struct Stub {
    code: FnPtr,
    test: Arc<Script>,
}

impl Stub {
    /// A closure of the test that has these stubs.
    pub(super) fn new(code: FnPtr, stubs: &Stubs) -> Option<Stub> {
        stubs.test.clone().map(|test| Stub { code, test })
    }

    /// The number of its parameters.
    pub(super) fn parameters(&self) -> usize {
        let library = self.test.callable.shared_lib();
        let takes = |n: &usize| library.get_script_fn(self.code.fn_name(), *n).is_some();
        (0..=8_usize).find(takes).unwrap_or(0).saturating_sub(self.code.curry().len())
    }

    /// Calls the closure.
    pub(super) fn call(&self, engine: &Engine, args: Vec<Dynamic>) -> Fallible<Dynamic> {
        let args: Vec<Dynamic> = self.code.iter_curry().cloned().chain(args).collect();
        let options = CallFnOptions::new().eval_ast(false);
        let result =
            engine.call_fn_with_options(options, &mut Scope::new(), &self.test.callable, self.code.fn_name(), args);
        chain::leave_engine();
        result
    }
}

/// The stubs of a running test.
#[derive(Default)]
pub(super) struct Stubs {
    functions: Vec<(String, Stub)>,
    facts: Vec<(String, Value)>,
    commands: Vec<(String, Output)>,
    test: Option<Arc<Script>>,
    /// The machine of providers.
    pub(super) machine: Option<FakeMachine>,
    /// The stubs of commands of providers.
    pub(super) runs: Vec<(Vec<String>, RunAnswer)>,
    /// The commands that were run with a stub that has `changes: true`.
    pub(super) changing_runs: Vec<String>,
}

/// The stub of a command.
#[derive(Clone)]
pub(super) enum RunAnswer {
    /// The output of the command, and whether the command changes the machine.
    Output(catwalk_system::Output, bool),
    /// A closure that returns these.
    Stub(Stub),
}

/// The site under test.
pub trait TestSite {
    /// Compiles code in place of the main manifest for a node with these facts.
    ///
    /// # Errors
    /// Returns the message of the failed compile.
    fn compile(&self, code: &str, facts: Arc<Hash>) -> Result<Catalog, String>;

    /// Runs a classifier script.
    ///
    /// # Errors
    /// It fails.
    fn classify(&self, script: &str, request: &Request) -> Result<Classification, String>;

    /// Runs a policy: whether it denies, the resource, the message.
    ///
    /// # Errors
    /// It fails.
    fn policy(&self, script: &str, catalog: Catalog) -> Result<Vec<(bool, String)>, String>;

    /// The definition of a type that uses the Resource API, in Rhai or Ruby.
    ///
    /// # Errors
    /// The file that defines it is wrong.
    fn definition(&self, name: &str) -> Result<Option<Arc<Definition>>, String>;

    /// What providers need: the script host of the site, its environment, and the world that files are read from.
    fn host(&self) -> (Arc<Scripts>, Arc<Environment>, Arc<dyn World>);

    /// The scripts of the site are found below this directory.
    fn root(&self) -> PathBuf;
}

/// Runs a test with its own stubs.
pub(super) fn with_stubs<T>(test: &Arc<Script>, run: impl FnOnce() -> T) -> T {
    state::tests(|tests| tests.stubs = Some(Stubs { test: Some(test.clone()), ..Stubs::default() }));
    let result = run();
    state::tests(|tests| tests.stubs = None);
    result
}

/// Runs a closure with separate stubs, outside of a test.
pub(super) fn with_own_machine<T>(run: impl FnOnce() -> T) -> T {
    state::tests(|tests| tests.stubs = Some(Stubs::default()));
    let result = run();
    state::tests(|tests| tests.stubs = None);
    result
}

/// The stub of a function in a test.
pub(super) fn stubbed_function(name: &str) -> Option<Stub> {
    state::tests(|tests| {
        let stubs = tests.stubs.as_ref()?;
        stubs.functions.iter().rev().find(|(function, _)| function == name).map(|(_, stub)| stub.clone())
    })
}

/// The stub of a fact in a test.
pub(super) fn stubbed_fact(path: &str) -> Option<Value> {
    state::tests(|tests| {
        let stubs = tests.stubs.as_ref()?;
        stubs.facts.iter().rev().find(|(fact, _)| fact == path).map(|(_, value)| value.clone())
    })
}

/// The stub of a command in a test: `words` is its line. `None` outside tests; in a test a command without a stub is not run.
#[must_use]
pub fn stubbed_command(words: &str) -> Option<Result<Output, String>> {
    state::tests(|tests| {
        let stubs = tests.stubs.as_ref()?;
        let stub = stubs.commands.iter().rev().find(|(command, _)| command == words);
        Some(
            stub.map(|(_, output)| output.clone())
                .ok_or_else(|| format!("running '{words}': the test has no stub_command() for it")),
        )
    })
}

/// Uses the stubs of the test that runs.
pub(super) fn stubs<T>(run: impl FnOnce(&mut Stubs) -> T) -> Fallible<T> {
    state::tests(|tests| match &mut tests.stubs {
        Some(stubs) => Ok(run(stubs)),
        None => fail("stubs are only available in tests"),
    })
}

/// Whether two values are equal, and both as strings.
fn compare(a: Dynamic, b: Dynamic) -> Fallible<(bool, String, String)> {
    let (a, b) = (to_value(a)?, to_value(b)?);
    let display = |value: &Value| match value {
        Value::Str(text) => format!("{text:?}"),
        other => to_puppet_string(other).to_string(),
    };
    Ok((a == b, display(&a), display(&b)))
}

fn assert_equal(got: Dynamic, expected: Dynamic, message: &str) -> Fallible<()> {
    let (equal, got, expected) = compare(got, expected)?;
    if equal { Ok(()) } else { fail(format!("{message}got {got}, expected {expected}")) }
}

fn site<T>(call: impl FnOnce(&dyn TestSite) -> Result<T, String>) -> Fallible<T> {
    match limits::run_in_compile(|| callers::site(call)) {
        Some(result) => result.or_else(fail),
        None => fail("this is only available in tests: catwalk script test"),
    }
}

fn fake_node(members: rhai::Map) -> Fallible<NodeHandle> {
    let mut request = Request {
        certname: Arc::from("test.example.com"),
        environment: Arc::from("production"),
        facts: Arc::default(),
        trusted: Arc::default(),
    };
    for (key, item) in members {
        let member = to_value(item)?;
        match (key.as_str(), member) {
            ("name" | "certname", Value::Str(name)) => request.certname = name.into(),
            ("environment", Value::Str(name)) => request.environment = name.into(),
            ("facts", Value::Hash(facts)) => request.facts = facts,
            ("trusted", Value::Hash(trusted)) => request.trusted = trusted,
            (other, _) => {
                return fail(format!(
                    "fake_node(): '{other}' is not a member of a node: the members are name, environment, facts, trusted"
                ));
            }
        }
    }
    if request.trusted.is_empty() {
        request.trusted = Arc::new(catwalk_node::trusted(&request.certname));
    }
    Ok(NodeHandle(Arc::new(request)))
}

fn compile(code: &str, facts: Dynamic) -> Fallible<CatalogHandle> {
    let facts = match to_value(facts)? {
        Value::Hash(facts) => facts,
        _ => return fail("facts must be a map"),
    };
    site(|site| site.compile(code, facts)).map(CatalogHandle::new)
}

fn output(members: rhai::Map) -> Fallible<Output> {
    let mut output = Output { status: Some(0), stdout: Arc::default(), stderr: Arc::default() };
    for (key, item) in members {
        match (key.as_str(), to_value(item)?) {
            ("stdout", Value::Str(text)) => output.stdout = Arc::from(text.as_bytes()),
            ("stderr", Value::Str(text)) => output.stderr = Arc::from(text.as_bytes()),
            ("exitcode", Value::Int(code)) => output.status = i32::try_from(code).ok(),
            (other, _) => {
                return fail(format!(
                    "stub_command(): '{other}' is not a member of a result: the members are stdout, stderr, exitcode"
                ));
            }
        }
    }
    Ok(output)
}

/// Calls a backend as a lookup does; `()` if it has no value.
fn backend(name: &str, args: rhai::Array) -> Fallible<Dynamic> {
    let args: Vec<Value> = args.into_iter().map(to_value).collect::<Fallible<_>>()?;
    if !callers::has_host() {
        return fail("backend() is only available in tests");
    }
    let Some(answer) = host::call(|host| host.call_backend(name, &args)) else {
        return fail("Hiera backends are only available while a catalog is compiled");
    };
    let answer = answer.map_err(host::raise)?;
    Ok(answer.map_or(Dynamic::UNIT, |answer| bridge::to_dynamic(&answer)))
}

fn assert_error(ctx: &NativeCallContext, block: &FnPtr, pattern: &str) -> Fallible<ImmutableString> {
    let Err(error) = block.call_within_context::<Dynamic>(ctx, ()) else {
        return fail("the block was expected to fail");
    };
    if state::has_terminated() || matches!(*error, EvalAltResult::ErrorTerminated(..)) {
        return Err(error);
    }
    let text = crate::error::message(&error);
    let is_match = regex::Regex::new(pattern).map(|pattern| pattern.is_match(&text));
    match is_match {
        Ok(true) => Ok(text.into()),
        Ok(false) => fail(format!("the block failed with {text:?}, which does not match {pattern:?}")),
        Err(why) => fail(format!("bad regular expression: {why}")),
    }
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "assert",
        &["condition: Boolean"],
        "",
        phase::TEST,
        "Fails the test unless the condition is true.",
        |e, n| {
            e.register_fn(n, |holds: bool| -> Fallible<()> {
                if holds { Ok(()) } else { fail("the assertion is false") }
            });
        },
    ),
    function(
        "assert",
        &["condition: Boolean", "message: String"],
        "",
        phase::TEST,
        "Fails the test with a message unless the condition is true.",
        |e, n| {
            e.register_fn(n, |holds: bool, message: &str| -> Fallible<()> {
                if holds { Ok(()) } else { fail(message.to_owned()) }
            });
        },
    ),
    function(
        "assert_eq",
        &["got: Any", "expected: Any"],
        "",
        phase::TEST,
        "Fails the test unless both are equal.",
        |e, n| {
            e.register_fn(n, |got: Dynamic, expected: Dynamic| assert_equal(got, expected, ""));
        },
    ),
    function(
        "assert_eq",
        &["got: Any", "expected: Any", "message: String"],
        "",
        phase::TEST,
        "Fails the test with a message unless both are equal.",
        |e, n| {
            e.register_fn(n, |got: Dynamic, expected: Dynamic, message: &str| {
                assert_equal(got, expected, &format!("{message}: "))
            });
        },
    ),
    function("assert_ne", &["got: Any", "other: Any"], "", phase::TEST, "Fails the test if both are equal.", |e, n| {
        e.register_fn(n, |got: Dynamic, other: Dynamic| -> Fallible<()> {
            let (equal, got, _) = compare(got, other)?;
            if equal { fail(format!("both are {got}")) } else { Ok(()) }
        });
    }),
    function(
        "assert_error",
        &["block: Fn", "pattern: String"],
        "String",
        phase::TEST,
        "Fails the test unless the block fails with a message that the regular expression matches; returns the message.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, block: FnPtr, pattern: &str| assert_error(&ctx, &block, pattern));
        },
    ),
    function(
        "stub_function",
        &["name: String", "stub: Fn"],
        "",
        phase::TEST,
        "Replaces a Puppet function, or `lookup`, by a closure for the rest of the test.",
        |e, n| {
            e.register_fn(n, |name: &str, code: FnPtr| {
                stubs(|stubs| {
                    let test = stubs.test.clone();
                    stubs.functions.extend(test.map(|test| (name.to_owned(), Stub { code, test })));
                })
            });
        },
    ),
    function(
        "stub_fact",
        &["path: String", "value: Any"],
        "",
        phase::TEST,
        "Sets what `fact(path)` returns for the rest of the test.",
        |e, n| {
            e.register_fn(n, |path: &str, item: Dynamic| -> Fallible<()> {
                let item = to_value(item)?;
                stubs(|stubs| stubs.facts.push((path.to_owned(), item)))
            });
        },
    ),
    function(
        "stub_command",
        &["command: String", "answer: Map"],
        "",
        phase::TEST,
        "Sets the result of a command (`\"/bin/date +%Y\"`, as `generate()` and other functions run it) in `compile_catalog` for the rest of the test: `#{ stdout, stderr, exitcode }`.",
        |e, n| {
            e.register_fn(n, |command: &str, answer: rhai::Map| -> Fallible<()> {
                let answer = output(answer)?;
                stubs(|stubs| stubs.commands.push((command.to_owned(), answer)))
            });
        },
    ),
    function(
        "fake_node",
        &["members: Map"],
        "Node",
        phase::TEST,
        "Returns a node for a classifier: `#{ name, environment, facts, trusted }`.",
        |e, n| {
            e.register_fn(n, fake_node);
        },
    ),
    function(
        "classify",
        &["script: String", "node: Node"],
        "Classification",
        phase::TEST,
        "Classifies a node with a script, given by its path below the site.",
        |e, n| {
            e.register_fn(n, |script: &str, node: NodeHandle| -> Fallible<ClassificationHandle> {
                site(|site| site.classify(script, &node.0)).map(ClassificationHandle::new)
            });
        },
    ),
    function(
        "compile_catalog",
        &["code: String"],
        "Catalog",
        phase::TEST,
        "Compiles code in place of the main manifest, for a node without facts.",
        |e, n| {
            e.register_fn(n, |code: &str| compile(code, Dynamic::from_map(rhai::Map::new())));
        },
    ),
    function(
        "compile_catalog",
        &["code: String", "facts: Map|Hash"],
        "Catalog",
        phase::TEST,
        "Compiles code in place of the main manifest, for a node with these facts.",
        |e, n| {
            e.register_fn(n, compile);
        },
    ),
    function(
        "check_policy",
        &["script: String", "catalog: Catalog"],
        "Array",
        phase::TEST,
        "Checks a catalog with a policy, given by its path below the site. Returns an array of strings, `deny: …` or `warn: …`.",
        |e, n| {
            e.register_fn(n, |script: &str, catalog: CatalogHandle| -> Fallible<rhai::Array> {
                let verdicts = site(|site| site.policy(script, catalog.into_catalog()))?;
                let text =
                    |(denied, message): (bool, String)| format!("{}: {message}", if denied { "deny" } else { "warn" });
                Ok(verdicts.into_iter().map(|verdict| Dynamic::from(ImmutableString::from(text(verdict)))).collect())
            });
        },
    ),
    function(
        "site_path",
        &["path: String"],
        "String",
        phase::TEST,
        "Returns the absolute path of a path below the site, for options of backends.",
        |e, n| {
            e.register_fn(n, |path: &str| -> Fallible<ImmutableString> {
                site(|site| Ok(site.root().join(path).to_string_lossy().as_ref().into()))
            });
        },
    ),
    function(
        "backend",
        &["name: String", "arguments: Array"],
        "Any",
        phase::TEST,
        "Calls a Hiera backend: `backend(\"m::b\", [key, #{ path: \"…\" }])`, `[segments, options]` or `[options]`. Returns `()` if it has no value.",
        |e, n| {
            e.register_fn(n, backend);
        },
    ),
];
