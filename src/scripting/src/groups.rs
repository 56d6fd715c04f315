//! Groups that a script declares: `group(name, #{…})` at the top of a file; rules may be closures.
//!
//! In: a script. Out: drafts of groups, like those from a data file; rules that call the script. Must not: know how groups
//! classify.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::NativeCallContext;
use rhai::Position;

use crate::api::NodeHandle;
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
use crate::policy::display_path;
use crate::state;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_classifier::Subject;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_classifier::problem::Problem;
use catwalk_classifier::read::Drafts;
use catwalk_classifier::rule::Answer;
use catwalk_classifier::rule::Rule;
use catwalk_classifier::rule::ScriptRule;
use catwalk_node::classify::Request;
use catwalk_node::groups::GroupsError;
use catwalk_node::groups::ScriptGroups;
use catwalk_program::Environment;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// The script host, for scripts that declare groups.
#[derive(Clone, Debug)]
pub struct RhaiGroups {
    /// The script host.
    pub scripts: Arc<Scripts>,
    /// The environment whose modules scripts may import from.
    pub environment: Arc<Environment>,
}

/// A call of `group(…)`.
pub(super) struct GroupDeclaration {
    pub(super) members: Hash,
    pub(super) rule: Option<RuleCode>,
    pub(super) at: Position,
}

/// The closure of a rule.
#[derive(Clone)]
pub(super) enum RuleCode {
    /// A closure of this process.
    Local(Closure),
    /// A closure in a worker process, which runs the top of the script again to get it: the group's index, and the number of
    /// this load of the script.
    InWorker(u64, u64),
}

/// A closure with the captured values of the time it was passed.
#[derive(Clone)]
pub(super) struct Closure {
    name: String,
    /// Copies of the captured values, since all closures of a loop share its variable.
    captured: Vec<Dynamic>,
}

/// The groups that a script declares at its top.
#[derive(Default)]
pub(super) struct GroupCollection {
    /// Its groups.
    pub(super) groups: Vec<GroupDeclaration>,
    /// The files that it imported.
    pub(super) imported: Vec<PathBuf>,
}

/// Records a file that was imported.
pub(super) fn record_import(path: &Path) {
    state::call(|call| {
        if let Some(collected) = &mut call.groups {
            collected.imported.push(path.to_path_buf());
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
    let rule = rule.map(|code| {
        let captured = code.curry().iter().map(Dynamic::flatten_clone).collect();
        RuleCode::Local(Closure { name: code.fn_name().to_owned(), captured })
    });
    let members = match bridge::from_dynamic(Dynamic::from_map(members)) {
        Ok(Value::Hash(members)) => members,
        Ok(_) => return fail("a group must be a map".to_owned()),
        Err(why) => return fail(format!("group '{name}': {why}")),
    };
    let mut group = Hash::new();
    group.set("name", Value::str(name));
    for (key, value) in members.iter() {
        group.insert(key.clone(), value.clone());
    }
    let declaration = GroupDeclaration { members: group, rule, at: ctx.call_position() };
    state::call(|call| match &mut call.groups {
        Some(collected) => {
            collected.groups.push(declaration);
            Ok(())
        }
        None => fail("group() declares groups at the top of a file, when it is loaded".to_owned()),
    })
}

/// Runs the top of a script for its groups.
pub(super) fn collect(script: &Script, loading: &ImportContext<'_>) -> Result<GroupCollection, Box<Diagnostic>> {
    state::call(|call| call.groups = Some(GroupCollection::default()));
    let result = entry::top(script, limits::CLASSIFY_LIMIT, loading);
    let collected = state::call(|call| call.groups.take()).unwrap_or_default();
    match result {
        Some(Err(why)) => Err(error::diagnostic(&why, script.file, &loading.scripts.sources)),
        _ => Ok(collected),
    }
}

/// Calls a rule for a node: true, false or a condition; anything else is an error that names the type.
pub(super) fn evaluate_rule(
    closure: &Closure,
    script: &Script,
    loading: &ImportContext<'_>,
    request: Request,
    host: &mut dyn HostApi,
) -> Result<Value, WorkerFailure> {
    let mut args: Vec<Dynamic> = closure.captured.clone();
    args.push(Dynamic::from(NodeHandle(Arc::new(request))));
    let result = match entry::call(script, &closure.name, args, limits::CLASSIFY_LIMIT, loading, Some(host)) {
        Some(Ok(result)) => result,
        Some(Err(why)) => {
            return Err(WorkerFailure::Failed(error::diagnostic(&why, script.file, &loading.scripts.sources), None));
        }
        None => return Err(WorkerFailure::Failed(failure(entry::TOO_DEEP.to_owned(), script), None)),
    };
    let kind = result.type_name();
    match bridge::from_dynamic(result) {
        Ok(returned @ (Value::Bool(_) | Value::Array(_))) => Ok(returned),
        _ => Err(WorkerFailure::NoValue(kind.to_owned())),
    }
}

fn failure(text: String, script: &Script) -> Box<Diagnostic> {
    let span = Some(Span::new(script.file, 0, 1));
    Box::new(Diagnostic::new(Reason::new(Code::SCRIPT_FAILED, text), span))
}

impl RhaiGroups {
    fn loading<'a>(&'a self, world: &'a dyn World) -> ImportContext<'a> {
        ImportContext { scripts: &self.scripts, environment: &self.environment, world, data: None }
    }
}

impl ScriptGroups for RhaiGroups {
    fn read(&self, path: &Path, world: &dyn World) -> Result<(Drafts, Vec<PathBuf>), GroupsError> {
        let script = self.scripts.load(path, &self.environment, world).map_err(GroupsError::Failed)?;
        let loading = self.loading(world);
        let collected = if self.scripts.workers.is_some() {
            let limit = limits::CLASSIFY_LIMIT;
            let answer = limits::run_entry(limit, || Conversation::collect_groups(&script, &loading, limit));
            answer.unwrap_or_else(|| Ok(GroupCollection::default())).map_err(WorkerFailure::diagnostic)
        } else {
            collect(&script, &loading)
        };
        let collected = collected.map_err(GroupsError::Failed)?;
        let mut drafts = Drafts::default();
        for declaration in collected.groups {
            let line = declaration.at.line().unwrap_or(1);
            let rule = declaration.rule.map(|code| -> Arc<dyn ScriptRule> {
                Arc::new(RhaiRule {
                    location: format!("{}:{line}", display_path(path, &self.environment)),
                    code,
                    script: script.clone(),
                    host: self.clone(),
                })
            });
            let column = declaration.at.position().unwrap_or(1);
            let location = DefinitionLocation::Call { file: Arc::from(path), line, column };
            drafts.declare(declaration.members, rule, location).map_err(|problem| {
                GroupsError::Failed(with_position(&problem, &script, declaration.at, &self.scripts))
            })?;
        }
        Ok((drafts, collected.imported))
    }
}

fn with_position(problem: &Problem, script: &Script, at: Position, scripts: &Scripts) -> Box<Diagnostic> {
    let span = at.line().and_then(|line| {
        let start = scripts.sources.get(script.file)?.offset(line, at.position().unwrap_or(1))?;
        Some(Span::new(script.file, start, start + "group".len()))
    });
    Box::new(Diagnostic::new(problem.reason(), Some(span.unwrap_or(Span::new(script.file, 0, 1)))))
}

/// A rule whose condition is a closure of a script.
struct RhaiRule {
    location: String,
    code: RuleCode,
    script: Arc<Script>,
    host: RhaiGroups,
}

impl fmt::Debug for RhaiRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RhaiRule({})", self.location)
    }
}

impl ScriptRule for RhaiRule {
    fn location(&self) -> &str {
        &self.location
    }

    fn evaluate(&self, node: &Subject, world: &dyn World) -> Result<Answer, Box<Diagnostic>> {
        let script = &self.script;
        let request = Request {
            certname: Arc::from(node.name()),
            environment: Arc::from(""),
            facts: node.facts(),
            trusted: node.trusted(),
        };
        let loading = self.host.loading(world);
        let mut rule_host = ClassifierHost::new(&request, None);
        let answer = match &self.code {
            RuleCode::Local(closure) => evaluate_rule(closure, script, &loading, request.clone(), &mut rule_host),
            RuleCode::InWorker(number, reading) => {
                let limit = limits::CLASSIFY_LIMIT;
                let rule = (*number, *reading);
                let converse = || Conversation::evaluate_rule(script, &loading, limit, rule, &request);
                let converse = || callers::with_loading(&loading, || callers::with_host(&mut rule_host, converse));
                limits::run_entry(limit, converse)
                    .unwrap_or_else(|| Err(WorkerFailure::Failed(failure(entry::TOO_DEEP.to_owned(), script), None)))
            }
        };
        node.log(std::mem::take(&mut rule_host.logs));
        match answer {
            Ok(Value::Bool(answer)) => Ok(Answer::Decision(answer)),
            Ok(condition) => Rule::parse(&condition).map(Answer::Condition).map_err(|why| {
                failure(format!("the rule at {} returns a malformed condition: {why}", self.location), script)
            }),
            Err(WorkerFailure::NoValue(kind)) => {
                let text = format!("the rule at {} must return true, false or a condition, got {kind}", self.location);
                Err(failure(text, script))
            }
            Err(WorkerFailure::Failed(mut diagnostic, _)) => {
                let callee = format!("the rule at {} for node '{}'", self.location, node.name()).into();
                diagnostic.trace.push(catwalk_base::diag::Frame { callee, span: None });
                Err(diagnostic)
            }
        }
    }
}

impl Scripts {
    /// Whether a script declares groups at its top, and whether it has `classify(node)`.
    ///
    /// # Errors
    ///
    /// It cannot be read or parsed.
    pub fn find_entry_points(&self, path: &Path, world: &dyn World) -> Result<(bool, bool), Box<Diagnostic>> {
        // The caller has checked its path.
        let script = self.load(path, &Environment::default(), world)?;
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
    use catwalk_base::source::SourceMap;
    use catwalk_classifier::Groups;
    use catwalk_value::json::to_json;
    use catwalk_world::Memory;

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
            assert_eq!(scripts.find_entry_points(Path::new("/site/groups.rhai"), &world).unwrap(), (true, true));
        }
        Groups::new(drafts).map_err(|problem| problem.message)
    }

    #[test]
    fn declared_groups_classify_and_explain() {
        let groups = read(SITE).unwrap();
        let facts = catwalk_value::data::json::parse(
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
    fn invalid_groups_are_errors_with_a_position() {
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
    fn failures_of_rules_have_a_position() {
        let world = Memory::default();
        for (rule, expected) in [
            ("|node| node.nope()", "Function not found: nope (Node) (file: /site/groups.rhai, line: 2, column: 13)"),
            ("|node| 7", "the rule at groups.rhai:1 must return true, false or a condition, got i64"),
            (
                "|node| [\"=\"]",
                "the rule at groups.rhai:1 returns a malformed condition: /: '=' needs a path and a string",
            ),
            // Steps or time, as the machine is.
            ("|node| { loop { } }", "the script takes too many steps, or the script exceeded its time limit"),
        ] {
            let groups = read(&format!("group(\"a\", #{{ rule:\n     {rule} }});")).unwrap();
            let node = Subject::new("n", Arc::default(), Arc::default());
            let error = groups.classify(&node, &world).unwrap_err();
            assert!(expected.contains(error.message.as_ref()) || error.message.contains(expected), "{}", error.message);
        }
    }
}
