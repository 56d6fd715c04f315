//! An evaluator calls what its library has, and nothing else: functions in Rust, in another language, and no Ruby.

use std::path::Path;
use std::sync::Arc;

use catwalk::diag::Reason;
use catwalk::environment::Environment;
use catwalk::eval::Call;
use catwalk::eval::Caller;
use catwalk::eval::Entry;
use catwalk::eval::ErbTemplate;
use catwalk::eval::Evaluator;
use catwalk::eval::Extern;
use catwalk::eval::ExternCall;
use catwalk::eval::Function;
use catwalk::eval::Library;
use catwalk::eval::NativeFunctions;
use catwalk::eval::NativeTables;
use catwalk::eval::Res;
use catwalk::eval::Ruby;
use catwalk::eval::RubyDataType;
use catwalk::eval::ScopeId;
use catwalk::eval::Settings;
use catwalk::eval::Stop;
use catwalk::eval::state::Params;
use catwalk::names::Name;
use catwalk::names::NameMap;
use catwalk::node::Node;
use catwalk::program::Cache;
use catwalk::program::Program;
use catwalk::source::Span;
use catwalk::types::ObjectType;
use catwalk::value::Object;
use catwalk::value::Value;
use catwalk::world::Memory;

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
