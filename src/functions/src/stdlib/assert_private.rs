//! `assert_private`, `private`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Value;

pub(super) const ASSERT_PRIVATE: Function = Function {
    name: "assert_private",
    signatures: &[("Any *$args", assert_private)],
    doc: "Fails if the calling class or defined type was declared from another module: use it for the internal parts \
          of a module. The argument replaces the error message.",
    examples: &[("assert_private()", "error: is private"), ("assert_private('not for you')", "error: not for you")],
};

pub(super) const PRIVATE: Function = Function {
    name: "private",
    signatures: &[("Any *$args", |call| {
        let source = call.ev.scope_label();
        let message = "private() DEPRECATED: This function will cease to function on Puppet 4; please use assert_private() \
                    before upgrading to puppet 4 for backwards-compatibility, or migrate to the new parser's typing \
                    system.";
        call.ev.log_from(&source, catwalk_base::diag::Severity::Warning, message.to_owned());
        call.args = call.args.get(..call.args.len().min(1)).unwrap_or_default();
        assert_private(call)
    })],
    doc: "The old name of `assert_private`, with a deprecation warning. The name is now a reserved word: only \
          `call('private')` reaches the function.",
    examples: &[("call('private')", "error: is private"), ("call('private', 'not for you')", "error: not for you")],
};

fn assert_private(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() > 1 {
        // Puppet's message has a second brace.
        let count = args.len();
        return fail(format!("assert_private(): Wrong number of arguments given ({count}}}) for 0 or 1)"));
    }
    if call.variable("module_name")? == call.variable("caller_module_name")? {
        return Ok(Value::Undef);
    }
    if let Some(Value::Str(message)) = args.first() {
        return fail(message.to_string());
    }
    let base = call.ev.base();
    let definition = call.ev.scope(base).and_then(|scope| scope.definition);
    let kind = match definition.map(|definition| &definition.kind) {
        Some(DefinitionKind::Define(_)) => "Definition",
        _ => "Class",
    };
    let name = definition.map(|definition| definition.name.normalized().as_str()).unwrap_or_default();
    fail(format!("{kind} {name} is private"))
}
