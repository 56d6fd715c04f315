//! Blocks of Ruby given to functions of the Puppet language: `scope.call_function('map', [list]) { |x| … }`.
//!
//! In: the function's name, values, a block. Out: the function's value. While the function runs, what belongs to the Ruby
//! program is parked; each call of the block takes it up again.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Flow;
use super::Interp;
use super::Raise;
use super::function;
use super::tables;
use super::value::Callable;
use super::value::Rv;
use crate::eval::Arity;
use crate::eval::Block;
use crate::eval::Stop;
use crate::names::Name;
use crate::ruby::ast::Param;
use crate::source::Span;
use crate::value::Value;

/// A program without its compile.
struct Parked<'c> {
    span: Span,
    file: Rc<str>,
    line: u32,
    steps: u64,
    depth: u32,
    out: String,
    tables: Rc<tables::Tables>,
    globals: FxHashMap<Name, Rv>,
    last_match: Rv,
    required: Vec<std::path::PathBuf>,
    loading: bool,
    older: bool,
    module: Option<Name>,
    keeps_symbols: bool,
    blocks: Vec<Block<'c>>,
    next_id: u64,
    dirty: Vec<Rv>,
    builder: function::Builder,
}

/// The program while a function runs, and what ended a block otherwise than by a value.
struct Lent<'c> {
    program: Option<Parked<'c>>,
    flow: Option<Box<Flow>>,
}

impl<'c> Interp<'_, 'c> {
    /// Calls a function of the Puppet language with a block of Ruby.
    pub(super) fn call_with_block(&mut self, name: &str, args: &[Value], block: &Rc<Callable>) -> Raise<Rv> {
        self.write_back();
        let span = self.span;
        if let Callable::Puppet(at) = &**block {
            let own = self.blocks.get(*at).cloned();
            let made = self.ev.call_function_of(self.module, Name::new(name), args, own.as_ref(), span);
            return match made {
                Ok(value) => Ok(self.to_ruby(&value)),
                Err(stop) => self.failed_in(name, stop),
            };
        }
        let lent = Rc::new(RefCell::new(Lent { program: Some(self.park()), flow: None }));
        let (shared, code) = (lent.clone(), block.clone());
        let own = Block::Native {
            arity: arity(block),
            body: Rc::new(move |ev, args| {
                // A block that is called while it runs would need the program twice.
                let parked = shared.borrow_mut().program.take();
                let Some(parked) = parked else {
                    return Err(Stop::runtime("not supported yet: a Ruby block called inside itself"));
                };
                let mut program = Interp::new(ev, parked.span, "");
                program.unpark(parked);
                let result = run(&mut program, &code, args);
                let parked = program.park();
                let mut lent = shared.borrow_mut();
                lent.program = Some(parked);
                result.map_err(|flow| {
                    lent.flow = Some(flow);
                    // The function ends; what ended the block is taken up behind it.
                    Stop::runtime("break from proc-closure")
                })
            }),
        };
        let made = self.ev.call_function_of(self.module, Name::new(name), args, Some(&own), span);
        let (parked, flow) = {
            let mut lent = lent.borrow_mut();
            (lent.program.take(), lent.flow.take())
        };
        if let Some(parked) = parked {
            self.unpark(parked);
        }
        match (made, flow) {
            (Ok(value), _) => Ok(self.to_ruby(&value)),
            (Err(_), Some(flow)) => Err(flow),
            (Err(stop), None) => self.failed_in(name, stop),
        }
    }

    fn park(&mut self) -> Parked<'c> {
        use std::mem::take;
        Parked {
            span: self.span,
            file: self.file.clone(),
            line: self.line,
            steps: self.steps,
            depth: self.depth,
            out: take(&mut self.out),
            tables: self.tables.clone(),
            globals: take(&mut self.globals),
            last_match: std::mem::replace(&mut self.last_match, Rv::Nil),
            required: take(&mut self.required),
            loading: self.loading,
            older: self.older,
            module: self.module,
            keeps_symbols: self.keeps_symbols,
            blocks: take(&mut self.blocks),
            next_id: self.next_id,
            dirty: take(&mut self.dirty),
            builder: take(&mut self.builder),
        }
    }

    fn unpark(&mut self, parked: Parked<'c>) {
        self.span = parked.span;
        self.file = parked.file;
        self.line = parked.line;
        self.steps = parked.steps;
        self.depth = parked.depth;
        self.out = parked.out;
        self.tables = parked.tables;
        self.globals = parked.globals;
        self.last_match = parked.last_match;
        self.required = parked.required;
        self.loading = parked.loading;
        self.older = parked.older;
        self.module = parked.module;
        self.keeps_symbols = parked.keeps_symbols;
        self.blocks = parked.blocks;
        self.next_id = parked.next_id;
        self.dirty = parked.dirty;
        self.builder = parked.builder;
    }
}

fn run(program: &mut Interp<'_, '_>, block: &Rc<Callable>, args: &[Value]) -> Raise<Value> {
    let given: Vec<Rv> = args.iter().map(|value| program.to_ruby(value)).collect();
    let value = program.yield_values(block, &given)?;
    let value = program.to_puppet(&value)?;
    program.write_back();
    Ok(value)
}

/// What the reference makes of `Proc#parameters`: each parameter of a block may be left out. (`TypeCalculator#infer_Proc`)
fn arity(block: &Callable) -> Arity {
    let Callable::Block { lambda, strict, .. } = block else { return Arity { min: 0, max: None } };
    let (mut needed, mut most, mut any) = (0, lambda.numbered, false);
    for param in &lambda.params {
        match param {
            Param::Required(_) | Param::Pattern(_) => {
                needed += 1;
                most += 1;
            }
            Param::Optional(..) => most += 1,
            Param::Rest(_) => any = true,
            Param::Keyword(..) | Param::KeywordRest(_) | Param::Block(_) => {}
        }
    }
    Arity { min: if *strict { needed } else { 0 }, max: (!any).then_some(most) }
}
