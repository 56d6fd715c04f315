//! Groups that a script declares: `group(name, #{…})` at the top of a file; rules may be closures.
//!
//! In: a script. Out: drafts of groups, as a file of data gives them; rules that ask the script. Must not: know how groups
//! classify.

use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::NativeCallContext;
use rhai::Position;
use rhai::Scope;

use crate::classifier::Subject;
use crate::classifier::problem::Problem;
use crate::classifier::read::Drafts;
use crate::classifier::rule::Answer;
use crate::classifier::rule::Rule;
use crate::classifier::rule::ScriptRule;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::environment::Environment;
use crate::node::classify::Request;
use crate::node::groups::ScriptGroups;
use crate::node::groups::Unread;
use crate::scripting::api::NodeHandle;
use crate::scripting::bridge;
use crate::scripting::cache::Script;
use crate::scripting::cache::Scripts;
use crate::scripting::engine;
use crate::scripting::error;
use crate::scripting::host;
use crate::source::Span;
use crate::value::Hash;
use crate::value::Value;
use crate::world::World;

/// The script host, for scripts that declare groups.
#[derive(Clone, Debug)]
pub struct RhaiGroups {
    /// The script host.
    pub scripts: Arc<Scripts>,
    /// Where scripts may import from.
    pub environment: Arc<Environment>,
}

/// A `group(…)` as it was called.
struct Declared {
    members: Hash,
    rule: Option<Closure>,
    at: Position,
}

/// A closure as it was when it was handed over.
struct Closure {
    name: String,
    /// Captured values, copied: a variable of a loop would else be the same for all closures made in it.
    captured: Vec<Dynamic>,
}

#[derive(Default)]
struct Collected {
    groups: Vec<Declared>,
    read: Vec<PathBuf>,
}

thread_local! {
    /// Set while a script is run for its groups.
    static COLLECTED: RefCell<Option<Collected>> = const { RefCell::new(None) };
}

/// Notes a file that was imported.
pub(super) fn imported(path: &Path) {
    COLLECTED.with_borrow_mut(|collected| {
        if let Some(collected) = collected {
            collected.read.push(path.to_path_buf());
        }
    });
}

/// The script function `group`.
pub(super) fn declare(ctx: &NativeCallContext, name: &str, mut members: rhai::Map) -> Result<(), Box<EvalAltResult>> {
    let fail = |text: String| Err(Box::new(EvalAltResult::ErrorRuntime(text.into(), Position::NONE)));
    let rule = match members.get("rule") {
        Some(rule) if rule.is::<FnPtr>() => members.remove("rule").and_then(Dynamic::try_cast::<FnPtr>),
        _ => None,
    };
    let rule = rule.map(|code| Closure {
        name: code.fn_name().to_owned(),
        captured: code.curry().iter().map(Dynamic::flatten_clone).collect(),
    });
    let members = match bridge::from_dynamic(Dynamic::from_map(members)) {
        Ok(Value::Hash(members)) => members,
        Ok(_) => return fail("a group must be a map".to_owned()),
        Err(why) => return fail(format!("group '{name}': {why}")),
    };
    let mut all = Hash::new();
    all.set("name", Value::str(name));
    for (key, value) in members.iter() {
        all.insert(key.clone(), value.clone());
    }
    let declared = Declared { members: all, rule, at: ctx.call_position() };
    COLLECTED.with_borrow_mut(|collected| match collected {
        Some(collected) => {
            collected.groups.push(declared);
            Ok(())
        }
        None => fail("group() declares groups at the top of a file, when it is loaded".to_owned()),
    })
}

impl ScriptGroups for RhaiGroups {
    fn read(&self, path: &Path, world: &dyn World) -> Result<(Drafts, Vec<PathBuf>), Unread> {
        if let Some(refused) = self.scripts.not_apart("node groups in Rhai", path) {
            return Err(Unread::Failed(refused));
        }
        let script = self.scripts.load(path, world).map_err(Unread::Failed)?;
        COLLECTED.set(Some(Collected::default()));
        let ran = engine::limited(engine::CLASSIFY_LIMIT, || {
            host::loading(&self.scripts, &self.environment, world, || {
                self.scripts.engine.run_ast_with_scope(&mut Scope::new(), &script.ast)
            })
        });
        let collected = COLLECTED.take().unwrap_or_default();
        if let Some(Err(why)) = ran {
            return Err(Unread::Failed(error::diagnostic(&why, script.file, &self.scripts.sources)));
        }
        let mut drafts = Drafts::default();
        for declared in collected.groups {
            let line = declared.at.line().unwrap_or(1);
            let rule = declared.rule.map(|code| -> Arc<dyn ScriptRule> {
                Arc::new(RhaiRule {
                    place: format!("{}:{line}", shown(path, &self.environment)),
                    code,
                    script: script.clone(),
                    host: self.clone(),
                })
            });
            drafts
                .declare(declared.members, rule)
                .map_err(|problem| Unread::Failed(placed(&problem, &script, declared.at, &self.scripts)))?;
        }
        Ok((drafts, collected.read))
    }
}

/// A path below the environment as one reads it there.
fn shown(path: &Path, environment: &Environment) -> String {
    let below = environment.root.as_ref().and_then(|root| path.strip_prefix(root).ok());
    below.unwrap_or(path).display().to_string()
}

fn placed(problem: &Problem, script: &Script, at: Position, scripts: &Scripts) -> Box<Diagnostic> {
    let span = at.line().and_then(|line| {
        let start = scripts.sources.get(script.file)?.offset(line, at.position().unwrap_or(1))?;
        Some(Span::new(script.file, start, start + "group".len()))
    });
    Box::new(Diagnostic::new(problem.reason(), Some(span.unwrap_or(Span::new(script.file, 0, 1)))))
}

/// A rule that is a closure of a script.
struct RhaiRule {
    place: String,
    code: Closure,
    script: Arc<Script>,
    host: RhaiGroups,
}

impl fmt::Debug for RhaiRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RhaiRule({})", self.place)
    }
}

impl ScriptRule for RhaiRule {
    fn place(&self) -> &str {
        &self.place
    }

    fn ask(&self, node: &Subject, world: &dyn World) -> Result<Answer, Box<Diagnostic>> {
        let (scripts, script) = (&self.host.scripts, &self.script);
        let whole = Some(Span::new(script.file, 0, 1));
        let fail = |text: String| Box::new(Diagnostic::new(Reason::new(Code("SCRIPT_FAILED"), text), whole));
        let request = Request {
            certname: Arc::from(node.name()),
            environment: Arc::from(""),
            facts: node.facts(),
            trusted: node.trusted(),
        };
        let mut args: Vec<Dynamic> = self.code.captured.clone();
        args.push(Dynamic::from(NodeHandle(Arc::new(request))));
        let options = CallFnOptions::new().eval_ast(script.has_top);
        let called = engine::limited(engine::CLASSIFY_LIMIT, || {
            host::loading(scripts, &self.host.environment, world, || {
                let (scope, name) = (&mut Scope::new(), self.code.name.as_str());
                scripts.engine.call_fn_with_options::<Dynamic>(options, scope, &script.callable, name, args)
            })
        });
        let result = match called {
            Some(result) => result.map_err(|why| {
                let mut diagnostic = error::diagnostic(&why, script.file, &scripts.sources);
                let what = format!("the rule at {} for node '{}'", self.place, node.name()).into();
                diagnostic.trace.push(crate::diag::Frame { what, span: None });
                diagnostic
            })?,
            None => return Err(fail("scripts call each other too deep".to_owned())),
        };
        if let Ok(answer) = result.as_bool() {
            return Ok(Answer::Plain(answer));
        }
        let kind = result.type_name();
        match bridge::from_dynamic(result) {
            Ok(condition @ Value::Array(_)) => Rule::parse(&condition)
                .map(Answer::Condition)
                .map_err(|why| fail(format!("the rule at {} gives a malformed condition: {why}", self.place))),
            _ => Err(fail(format!("the rule at {} must give true, false or a condition, got {kind}", self.place))),
        }
    }
}

impl Scripts {
    /// What a script is for: whether it declares groups at its top, whether it has `classify(node)`.
    ///
    /// # Errors
    /// It cannot be read or parsed.
    pub fn offers(&self, path: &Path, world: &dyn World) -> Result<(bool, bool), Box<Diagnostic>> {
        let script = self.load(path, world)?;
        let classify = script.ast.iter_functions().any(|f| f.name == "classify" && f.params.len() == 1);
        let mut groups = false;
        script.ast.walk(&mut |nodes| {
            let name = match nodes.last() {
                Some(rhai::ASTNode::Stmt(rhai::Stmt::FnCall(call, _))) => Some(call.name.as_str()),
                Some(rhai::ASTNode::Expr(rhai::Expr::FnCall(call, _))) => Some(call.name.as_str()),
                _ => None,
            };
            groups |= name == Some("group");
            !groups
        });
        Ok((groups, classify))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;
    use crate::classifier::Groups;
    use crate::source::SourceMap;
    use crate::value::json::to_json;
    use crate::world::Memory;

    const SITE: &str = r#"
        import "nets" as nets;
        const ADMIN = "root@example.com";
        group("All Nodes", #{ classes: #{ "profile::base": #{ admin: ADMIN } } });
        group("Web servers", #{
            parent: "All Nodes",
            rule: ["and", ["~", "name", "^web"], ["=", ["fact", "os", "family"], "RedHat"]],
            classes: #{ "role::web": #{ workers: 4 } },
            variables: #{ tier: "web" },
        });
        group("Canary", #{
            parent: "Web servers",
            environment: "canary",
            rule: |node| nets::is_canary(node.fact("networking.ip")),
            classes: #{ "role::web": #{ workers: 8 } },
        });
        for n in 1..3 {
            group(`Rack ${n}`, #{ rule: |node| ["=", ["fact", "rack"], global::RACK + n], classes: #{} });
        }
        const RACK = "r";
        fn classify(node) { () }
    "#;

    fn read(text: &str) -> Result<Groups, String> {
        let nets = "fn is_canary(ip) { ip.starts_with(\"10.9.\") }";
        let world = Memory::new([("/site/groups.rhai", text), ("/site/scripts/lib/nets.rhai", nets)]);
        let scripts = Arc::new(Scripts::new(SourceMap::new()));
        let environment = Arc::new(Environment { root: Some(PathBuf::from("/site")), ..Environment::default() });
        let host = RhaiGroups { scripts: scripts.clone(), environment };
        let read = host.read(Path::new("/site/groups.rhai"), &world);
        let (drafts, files) = read.map_err(|why| why.diagnostic().puppet_text(&scripts.sources))?;
        if text == SITE {
            assert_eq!(files, [PathBuf::from("/site/scripts/lib/nets.rhai")]);
            assert_eq!(scripts.offers(Path::new("/site/groups.rhai"), &world).unwrap(), (true, true));
        }
        Groups::new(drafts).map_err(|problem| problem.message)
    }

    #[test]
    fn declared_groups_classify_and_explain() {
        let groups = read(SITE).unwrap();
        let facts = crate::data::json::parse(
            br#"{"os": {"family": "RedHat"}, "networking": {"ip": "10.9.0.1"}, "rack": "r2"}"#,
        );
        let Ok(Value::Hash(facts)) = facts else { panic!("facts") };
        let node = Subject::new("web1", facts, Arc::default());
        let nets = "fn is_canary(ip) { ip.starts_with(\"10.9.\") }";
        let world = Memory::new([("/site/scripts/lib/nets.rhai", nets)]);
        let classified = groups.classify(&node, &world).map_err(|why| why.message).unwrap();
        let names: Vec<&str> = classified.matching.iter().map(|group| groups.groups[*group].name.as_ref()).collect();
        assert_eq!(names, ["All Nodes", "Rack 2", "Web servers", "Canary"]);
        let document = groups.explanation(&node, &classified, false, &world).unwrap();
        let text = to_json(&document)["match_explanations"].to_string();
        assert!(text.contains(r#"{"value":true,"form":["script","groups.rhai:11"]}"#), "{text}");
        let rack = r#"{"value":true,"form":["script","groups.rhai:18",{"value":true,"form":["=",{"path":["fact","rack"],"value":"r2"},"r2"]}]}"#;
        assert!(text.contains(rack), "{text}");
    }

    #[test]
    fn what_is_no_group_is_refused_with_its_place() {
        let cases = [
            (
                "group(\"a\", #{ rule: [\"and\"] });",
                "schema-violation: The object(s) in your submitted request did not conform to the schema. The problem is: group 'a', /rule: The rule is malformed: /: 'and' needs one or more conditions (file: /site/groups.rhai, line: 1, column: 1)",
            ),
            (
                "let x = 1;\n  group(\"a\", #{ classes: 7 });",
                "The problem is: group 'a', /classes: must be an object (file: /site/groups.rhai, line: 2, column: 3)",
            ),
            ("group(\"a\", 7);", "Function not found: group"),
            ("throw \"no\";", "no (file: /site/groups.rhai, line: 1, column: 1)"),
            ("group(\"a\", #{ parent: \"b\" });", "The parent of group 'a' does not exist: 'b'."),
        ];
        for (script, expected) in cases {
            let error = read(script).unwrap_err();
            assert!(error.contains(expected), "{script}\nwanted {expected}\n   got {error}");
        }
    }

    #[test]
    fn a_rule_that_fails_names_its_place() {
        let world = Memory::default();
        for (rule, expected) in [
            ("|node| node.nope()", "Function not found: nope (Node) (file: /site/groups.rhai, line: 2, column: 13)"),
            ("|node| 7", "the rule at groups.rhai:1 must give true, false or a condition, got i64"),
            ("|node| [\"=\"]", "the rule at groups.rhai:1 gives a malformed condition: /: '=' needs a path and a text"),
            ("|node| { loop { } }", "the script takes too many steps"),
        ] {
            let groups = read(&format!("group(\"a\", #{{ rule:\n     {rule} }});")).unwrap();
            let node = Subject::new("n", Arc::default(), Arc::default());
            let error = groups.classify(&node, &world).unwrap_err();
            assert!(expected.contains(error.message.as_ref()) || error.message.contains(expected), "{}", error.message);
        }
    }
}
