//! Blocks of Ruby as arguments of functions of the Puppet language: `scope.call_function('map', [list]) { |x| … }`.
//!
//! In: the function's name, values, a block. Out: the function's value. The function borrows the compile while it runs, so the
//! state of the Ruby program moves into [`SuspendedProgram`]; each call of the block moves it into an interpreter and back.

use std::cell::RefCell;
use std::rc::Rc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::interp::PuppetState;
use catwalk_base::names::Name;
use catwalk_eval::Arity;
use catwalk_eval::Block;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby::Callable;
use catwalk_ruby::Flow;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby_syntax::ast::Param;
use catwalk_value::Value;

/// The Ruby program that a function of the Puppet language was called from, while that function runs.
struct SuspendedProgram<'c> {
    /// `None` while the block runs.
    state: Option<(ProgramState, PuppetState<'c>)>,
    /// The exception or jump that ended the block.
    flow: Option<Flow>,
}

impl<'c> SuspendedProgram<'c> {
    /// Runs the block once, in an interpreter that has the program.
    fn call(suspended: &RefCell<Self>, ev: &mut Evaluator<'c>, block: &Rc<Callable>, args: &[Value]) -> Res<Value> {
        // A block that is called while it runs would need the state twice.
        let Some((state, own)) = suspended.borrow_mut().state.take() else {
            return Err(Stop::runtime("not supported yet: a Ruby block called inside itself"));
        };
        let mut program = PuppetProgram { ev, own, state };
        let mut rt = program.interp();
        let result = run_block(&mut rt, block, args);
        let result = rt.ruby().catch_result(result);
        let mut suspended = suspended.borrow_mut();
        suspended.state = Some((program.state, program.own));
        result.map_err(|flow| {
            suspended.flow = Some(flow);
            // This ends the function; its caller continues with the flow.
            Stop::runtime("break from proc-closure")
        })
    }
}

impl<'c> PuppetInterp<'_, 'c> {
    /// Calls a function of the Puppet language with a block of Ruby.
    pub(crate) fn call_with_block(&mut self, name: &str, args: &[Value], block: &Rc<Callable>) -> Raise<Rv> {
        self.ruby().write_back();
        let (span, module) = (self.span, self.host.own.module);
        if let Callable::Puppet(at) = &**block {
            let puppet_block = self.host.own.blocks.get(*at).cloned();
            let result =
                self.host.ev.call_function_for_module(module, Name::new(name), args, puppet_block.as_ref(), span);
            return match result {
                Ok(value) => Ok(self.ruby().to_ruby(&value)),
                Err(stop) => self.raise_function_failure(name, stop),
            };
        }
        let suspended = Rc::new(RefCell::new(SuspendedProgram { state: Some(self.suspend()), flow: None }));
        let (program, ruby_block) = (suspended.clone(), block.clone());
        let native_block = Block::Native {
            arity: arity(block),
            body: Rc::new(move |ev, args| SuspendedProgram::call(&program, ev, &ruby_block, args)),
        };
        let result = self.host.ev.call_function_for_module(module, Name::new(name), args, Some(&native_block), span);
        let (state, flow) = {
            let mut suspended = suspended.borrow_mut();
            (suspended.state.take(), suspended.flow.take())
        };
        if let Some((state, own)) = state {
            (*self.program, *self.host.own) = (state, own);
        }
        match (result, flow) {
            (Ok(value), _) => Ok(self.ruby().to_ruby(&value)),
            (Err(_), Some(flow)) => Err(self.ruby().throw(flow)),
            (Err(stop), None) => self.raise_function_failure(name, stop),
        }
    }
}

fn run_block(rt: &mut PuppetInterp<'_, '_>, block: &Rc<Callable>, args: &[Value]) -> Raise<Value> {
    let args: Vec<Rv> = args.iter().map(|value| rt.ruby().to_ruby(value)).collect();
    let value = rt.ruby().yield_values(block, &args)?;
    let value = rt.ruby().to_puppet(&value)?;
    rt.ruby().write_back();
    Ok(value)
}

/// The arity that Puppet infers from `Proc#parameters`: each parameter of a block is optional. (`TypeCalculator#infer_Proc`)
fn arity(block: &Callable) -> Arity {
    let Callable::Block { lambda, strict, .. } = block else { return Arity { min: 0, max: None } };
    let (mut required, mut max, mut has_rest) = (0, lambda.numbered_params, false);
    for param in &lambda.params {
        match param {
            Param::Required(_) | Param::Pattern(_) => {
                required += 1;
                max += 1;
            }
            Param::Optional(..) => max += 1,
            Param::Rest(_) => has_rest = true,
            Param::Keyword(..) | Param::KeywordRest(_) | Param::Block(_) => {}
        }
    }
    Arity { min: if *strict { required } else { 0 }, max: (!has_rest).then_some(max) }
}
