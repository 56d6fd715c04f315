//! The interface of the interpreter for the evaluator of the Puppet language.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use crate::State;
use crate::data_type;
use crate::function;
use crate::function_precedence;
use crate::object_type_methods;
use crate::scope_defaults;
use crate::template;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Caller;
use catwalk_eval::ErbTemplate;
use catwalk_eval::Evaluator;
use catwalk_eval::Extern;
use catwalk_eval::ExternCall;
use catwalk_eval::Res;
use catwalk_eval::Ruby;
use catwalk_eval::RubyDataType;
use catwalk_eval::ScopeId;
use catwalk_eval::state::Params;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Type;
use catwalk_value::Value;

/// Runs the Ruby code of modules and templates. Its state during a compile is in the evaluator (`State`).
#[derive(Debug)]
pub struct Interpreter;

impl Extern for Interpreter {
    fn has(&self, ev: &Evaluator<'_>, name: Name) -> bool {
        !ev.program.ruby_functions(name).0.is_empty()
    }

    fn call<'c>(&self, ev: &mut Evaluator<'c>, call: &ExternCall<'_, 'c>) -> Option<Res<Value>> {
        let called = function::call(ev, call.name, call.module, call.args, call.block, call.span);
        called.or_else(|| function::call_capitalized(ev, call.source_name, call.args, call.block, call.span))
    }

    fn returns(&self, ev: &mut Evaluator<'_>, name: Name, args: &[Value], span: Span) -> Res<Option<Option<Type>>> {
        function::return_type(ev, name, args, span)
    }
}

impl Ruby for Interpreter {
    fn function_module(&self, ev: &mut Evaluator<'_>, name: Name, caller: Caller) -> Option<Name> {
        function_precedence::choose_module(ev, name, caller)
    }

    fn render(&self, ev: &mut Evaluator<'_>, template: &ErbTemplate<'_>, span: Span) -> Res<String> {
        match template {
            ErbTemplate::File { name, path, tree } => template::render(ev, span, name, path, tree),
            ErbTemplate::Inline { text, tree } => template::render_inline(ev, span, text, tree),
        }
    }

    fn data_type(&self, ev: &mut Evaluator<'_>, name: Name, path: &Path) -> Result<RubyDataType, Reason> {
        data_type::load(ev, name, path)
    }

    fn implements(&self, ev: &Evaluator<'_>, object_type: &ObjectType, member: &str) -> bool {
        data_type::implements(ev, object_type, member)
    }

    fn call_member(
        &self,
        ev: &mut Evaluator<'_>,
        object: &Object,
        member: &str,
        args: &[Value],
        span: Span,
    ) -> Res<Value> {
        object_type_methods::call(ev, object, member, args, span)
    }

    fn raised_non_puppet_error(&self, ev: &Evaluator<'_>, message: &str) -> bool {
        let is_last = |state: &State| {
            state.last_exception.as_ref().is_some_and(|last| !last.is_puppet_error && last.message == message)
        };
        read_state(ev, is_last).unwrap_or(false)
    }

    fn defaults(&self, ev: &mut Evaluator<'_>, scope: ScopeId, type_name: Name) -> Option<Res<Params>> {
        scope_defaults::is_redefined(ev, scope).then(|| scope_defaults::lookup(ev, scope, type_name))
    }
}

/// The state that all Ruby programs of a compile share.
pub(crate) fn state(ev: &mut Evaluator<'_>) -> Rc<RefCell<State>> {
    ev.ruby.create()
}

/// Reads and changes the shared state of Ruby programs. `body` cannot run Ruby code, which would borrow the state, too.
pub(crate) fn with_state<T>(ev: &mut Evaluator<'_>, body: impl FnOnce(&mut State) -> T) -> T {
    body(&mut state(ev).borrow_mut())
}

/// Reads the shared state of Ruby programs; `None` before any Ruby has run.
pub(crate) fn read_state<T>(ev: &Evaluator<'_>, body: impl FnOnce(&State) -> T) -> Option<T> {
    ev.ruby.get().map(|state| body(&state.borrow()))
}
