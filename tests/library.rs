//! An evaluator calls what its library has, and nothing else: functions in Rust, in another language, and no Ruby.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::source::Span;
use catwalk_eval::Call;
use catwalk_eval::Caller;
use catwalk_eval::Entry;
use catwalk_eval::ErbTemplate;
use catwalk_eval::Evaluator;
use catwalk_eval::Extern;
use catwalk_eval::ExternCall;
use catwalk_eval::Function;
use catwalk_eval::Library;
use catwalk_eval::NativeFunctions;
use catwalk_eval::NativeTables;
use catwalk_eval::Res;
use catwalk_eval::Ruby;
use catwalk_eval::RubyDataType;
use catwalk_eval::ScopeId;
use catwalk_eval::Settings;
use catwalk_eval::Stop;
use catwalk_eval::state::Params;
use catwalk_node::Node;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Program;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;
use catwalk_world::Memory;

const TWICE: Function = Function {
    name: "twice",
    signatures: &[("Integer $number", |call: &mut Call<'_, '_>| Ok(Value::Int(call.int(0).unwrap_or(0) * 2)))],
    doc: "Twice a number.",
    examples: &[],
};

fn functions() -> NameMap<Entry> {
    [(Name::new(TWICE.name), Entry::new(&TWICE))].into_iter().collect()
}

static FUNCTIONS: NativeFunctions =
    NativeFunctions::new(NativeTables { seven: functions, eight: functions, nine: functions }, |_, _| None);

/// A function `reversed`, as if in a language of its own.
struct Reversed;

impl Extern for Reversed {
    fn has(&self, _ev: &Evaluator<'_>, name: Name) -> bool {
        name == "reversed"
    }

    fn call<'c>(&self, _ev: &mut Evaluator<'c>, call: &ExternCall<'_, 'c>) -> Option<Res<Value>> {
        let text = call.args.first().and_then(Value::as_str).unwrap_or_default();
        (call.name == "reversed").then(|| Ok(Value::from(text.chars().rev().collect::<String>())))
    }
}

/// An interpreter that runs nothing.
struct NoRuby;

impl Extern for NoRuby {
    fn has(&self, _ev: &Evaluator<'_>, _name: Name) -> bool {
        false
    }

    fn call<'c>(&self, _ev: &mut Evaluator<'c>, _call: &ExternCall<'_, 'c>) -> Option<Res<Value>> {
        None
    }
}

impl Ruby for NoRuby {
    fn function_module(&self, _ev: &mut Evaluator<'_>, _name: Name, _caller: Caller) -> Option<Name> {
        None
    }

    fn render(&self, _ev: &mut Evaluator<'_>, _template: &ErbTemplate<'_>, _span: Span) -> Res<String> {
        Err(Stop::runtime("no Ruby"))
    }

    fn data_type(&self, _ev: &mut Evaluator<'_>, _name: Name, _path: &Path) -> Result<RubyDataType, Reason> {
        Err(Reason::runtime("no Ruby"))
    }

    fn implements(&self, _ev: &Evaluator<'_>, _object_type: &ObjectType, _member: &str) -> bool {
        false
    }

    fn call_member(
        &self,
        _ev: &mut Evaluator<'_>,
        _object: &Object,
        _member: &str,
        _args: &[Value],
        _span: Span,
    ) -> Res<Value> {
        Err(Stop::runtime("no Ruby"))
    }

    fn defaults(&self, _ev: &mut Evaluator<'_>, _scope: ScopeId, _type_name: Name) -> Option<Res<Params>> {
        None
    }
}

fn evaluate(code: &str) -> Result<Value, String> {
    let world = Arc::new(Memory::new([("/none", "")]));
    let settings = Settings::default();
    let cache = Arc::new(Cache::with_options(settings.syntax()));
    let program = Program::load(Arc::new(Environment::default()), world.clone(), cache, Some(code)).unwrap();
    let node = Node::default();
    let library = Library { functions: &FUNCTIONS, scripts: Some(&Reversed), ruby: &NoRuby };
    let mut evaluator = Evaluator::new(&program, world.as_ref(), &node, &settings, library);
    evaluator.start_catalog().unwrap();
    evaluator
        .eval_program(&program.main()[0].body)
        .map_err(|stop| evaluator.failure(stop).puppet_text(&program.sources))
}

#[test]
fn an_evaluator_calls_only_functions_of_its_library() {
    assert_eq!(evaluate("twice(21)"), Ok(Value::Int(42)));
    assert_eq!(evaluate("'abc'.reversed"), Ok(Value::str("cba")));
    assert_eq!(evaluate("function f($x) { twice($x) + 1 }\nf(2)"), Ok(Value::Int(5)));
    let wrong = evaluate("twice('a')").unwrap_err();
    assert!(wrong.contains("'twice' parameter 'number' expects an Integer value, got String"), "{wrong}");
    let unknown = evaluate("abs(-1)").unwrap_err();
    assert!(unknown.contains("Unknown function: 'abs'"), "{unknown}");
}
