//! Calls of blocks and procs: binding of arguments to parameters.

use std::rc::Rc;

use crate::Flow;
use crate::Frame;
use crate::FrameParts;
use crate::Interp;
use crate::MethodContext;
use crate::Raise;
use crate::value::Callable;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::ast::Param;

/// The stack depth that a call of a block is counted as.
const DEPTH_OF_BLOCK: u32 = 5;

impl Interp<'_> {
    /// Calls a block with one value.
    pub fn yield_value(&mut self, block: &Rc<Callable>, value: Rv) -> Raise<Rv> {
        let Callable::Block { lambda, frame: outer, strict: false, tag } = &**block else {
            return self.yield_values(block, &[value]);
        };
        let whole = lambda.params.len() < 2 || !matches!(value, Rv::Array(_));
        let named = lambda.has_plain_params
            && lambda.numbered_params == 0
            && !lambda.trailing_comma
            && !lambda.params.is_empty();
        if outer.rebinds || !(whole && named) {
            return self.yield_values(block, &[value]);
        }
        self.step()?;
        let mut frame = self.enter_block(outer, *tag);
        if let Some(free_frame) = Rc::get_mut(&mut frame) {
            free_frame.fill_one(&lambda.names, value);
        }
        self.run_in_block(lambda, frame)
    }

    /// Calls a block with several values.
    pub fn yield_values(&mut self, block: &Rc<Callable>, args: &[Rv]) -> Raise<Rv> {
        self.step()?;
        match &**block {
            Callable::Block { lambda, frame, strict: false, tag } => self.run_block(lambda, frame, *tag, args),
            Callable::Block { lambda, frame, strict: true, tag } => self.run_lambda(lambda, frame, *tag, args, true),
            _ => self.call_proc(block, args),
        }
    }

    /// `proc.call(args)`
    pub(crate) fn call_proc(&mut self, callable: &Rc<Callable>, args: &[Rv]) -> Raise<Rv> {
        match &**callable {
            Callable::Block { lambda, frame, strict: false, tag } => self.run_block(lambda, frame, *tag, args),
            Callable::Block { lambda, frame, strict: true, tag } => self.run_lambda(lambda, frame, *tag, args, false),
            Callable::Symbol(name, reached) => match args {
                [] => self.raise("ArgumentError", "no receiver given"),
                [receiver, rest @ ..] if self.tables.visibilities.is_empty() => {
                    self.call_cached(reached, receiver, *name, rest, None)
                }
                [receiver, rest @ ..] => self.call_public(receiver, name.as_str(), rest, None, None),
            },
            Callable::Method(receiver, name)
                if crate::core::kernel::is_function(name.as_str()) && !self.has_method(receiver, *name) =>
            {
                let frame = self.class_frame(receiver.clone(), None);
                match self.call_function(*name, args, None, &frame)? {
                    Some(value) => Ok(value),
                    None => self.call_method(receiver, name.as_str(), args, None),
                }
            }
            Callable::Method(receiver, name) => self.call_method(receiver, name.as_str(), args, None),
            Callable::Native(body) => self.with_depth(DEPTH_OF_BLOCK, |rt| body(rt, args)),
            Callable::Puppet(at) => self.host.call_block(self.state, *at, args),
        }
    }

    /// Runs a block that is not a lambda. The frame of its last run is reused unless something holds it.
    fn run_block(&mut self, lambda: &Lambda, outer: &Rc<Frame>, tag: u64, args: &[Rv]) -> Raise<Rv> {
        let mut frame = match outer.rebinds {
            false => self.enter_block(outer, tag),
            true => self.enter_rebound(outer, tag),
        };
        let plain = lambda.has_plain_params && !lambda.trailing_comma;
        if let Some(free_frame) = Rc::get_mut(&mut frame) {
            match (lambda.params.len(), args) {
                _ if !plain => free_frame.fill(&lambda.names, &[]),
                (2.., [Rv::Array(items)]) => {
                    let items = items.borrow();
                    free_frame.fill(&lambda.names, items.get(..lambda.params.len()).unwrap_or(&items));
                }
                (count, args) => free_frame.fill(&lambda.names, args.get(..count).unwrap_or(args)),
            }
        }
        if !plain || lambda.numbered_params > 0 {
            let bound = self.bind_block(lambda, args, &frame);
            if let Err(thrown) = bound {
                self.leave_block(frame);
                return Err(thrown);
            }
        }
        self.run_in_block(lambda, frame)
    }

    /// Runs a block in a frame to which its arguments are bound.
    #[inline(always)]
    fn run_in_block(&mut self, lambda: &Lambda, frame: Rc<Frame>) -> Raise<Rv> {
        let result = match self.with_depth(DEPTH_OF_BLOCK, |rt| rt.eval(&lambda.body, &frame)) {
            Ok(value) => Ok(value),
            Err(thrown) => self.handle_block_jump(Err(thrown), lambda, &frame),
        };
        self.leave_block(frame);
        result
    }

    /// Handles a jump out of the body of a block: `next` ends the block, `redo` restarts it.
    #[cold]
    fn handle_block_jump(&mut self, mut result: Raise<Rv>, lambda: &Lambda, frame: &Rc<Frame>) -> Raise<Rv> {
        if result.is_err() && matches!(self.thrown(), Some(Flow::Redo)) {
            self.step()?;
            result = self.with_depth(DEPTH_OF_BLOCK, |rt| rt.eval_with_redo(&lambda.body, frame));
        }
        self.catch_flow(result, |flow| matches!(flow, Flow::Next(_)))
    }

    /// Runs a lambda: `return` and `break` end it.
    fn run_lambda(&mut self, lambda: &Lambda, outer: &Rc<Frame>, tag: u64, args: &[Rv], yielded: bool) -> Raise<Rv> {
        let id = self.fresh_id();
        let around = outer.method().cloned().unwrap_or_else(|| MethodContext::outside_method(id));
        let method = Some(MethodContext { id, ..around });
        let parts = FrameParts { method, ..FrameParts::for_block(outer, tag) };
        let mut frame = self.enter(parts);
        let checked = !(yielded && lambda.params.len() > 1 && args.len() == 1);
        let plain =
            checked && lambda.has_plain_params && args.len() == lambda.params.len() && lambda.numbered_params == 0;
        if let Some(free_frame) = Rc::get_mut(&mut frame) {
            free_frame.fill(&lambda.names, if plain { args } else { &[] });
        }
        let result = self.with_depth(DEPTH_OF_BLOCK, |rt| {
            match (plain, checked) {
                (true, _) => {}
                (false, true) => rt.bind_lambda(lambda, args, &frame)?,
                // A lambda that is passed as a block destructures an array like any block if it has several parameters.
                (false, false) => rt.bind_block(lambda, args, &frame)?,
            }
            rt.eval_with_redo(&lambda.body, &frame)
        });
        self.leave(frame);
        self.catch_flow(result, |flow| match flow {
            Flow::Next(_) => true,
            Flow::Return(target, _) => *target == id,
            Flow::Break(broken, _) => *broken == tag,
            _ => false,
        })
    }

    /// Binds arguments to the parameters of a lambda, whose variables are all `nil` so far.
    fn bind_lambda(&mut self, lambda: &Lambda, args: &[Rv], frame: &Rc<Frame>) -> Raise<()> {
        if lambda.params.is_empty() && lambda.numbered_params > 0 {
            self.bind_numbered(lambda, args, frame);
            return Ok(());
        }
        self.bind_params(&lambda.params, args, true, frame)
    }

    /// Binds arguments to the parameters of a block, whose variables are all `nil` so far: missing arguments are `nil`, extra
    /// ones are ignored.
    #[inline(never)]
    fn bind_block(&mut self, lambda: &Lambda, args: &[Rv], frame: &Rc<Frame>) -> Raise<()> {
        if lambda.params.is_empty() && lambda.numbered_params > 0 {
            self.bind_numbered(lambda, args, frame);
            return Ok(());
        }
        match args {
            [Rv::Array(items)] if spreads_single_array(lambda) => {
                let items = items.borrow().clone();
                self.bind_params(&lambda.params, &items, false, frame)
            }
            _ => self.bind_params(&lambda.params, args, false, frame),
        }
    }

    fn bind_numbered(&mut self, lambda: &Lambda, args: &[Rv], frame: &Rc<Frame>) {
        let items = match args {
            [Rv::Array(items)] if lambda.numbered_params > 1 => items.borrow().clone(),
            args => args.to_vec(),
        };
        // Numbered parameters are the first variables.
        for (at, name) in lambda.names.iter().take(lambda.numbered_params).enumerate() {
            frame.declare(*name, items.get(at).cloned().unwrap_or(Rv::Nil));
        }
    }

    /// Binds arguments to parameters; `strict` checks their number.
    pub(crate) fn bind_params(&mut self, params: &[Param], args: &[Rv], strict: bool, frame: &Rc<Frame>) -> Raise<()> {
        let has_keywords = params.iter().any(|param| matches!(param, Param::Keyword(..) | Param::KeywordRest(_)));
        let (args, named) = match args.split_last() {
            Some((Rv::Hash(hash), rest)) if has_keywords && has_symbol_keys(&hash.map.borrow()) => {
                let map: Map = hash.map.borrow().clone();
                (rest, map)
            }
            _ => (args, Map::default()),
        };
        let required = params.iter().filter(|param| is_required(param)).count();
        if strict {
            self.check_argument_count(params, required, args.len())?;
        }
        self.bind_positional(params, args, required, frame)?;
        if has_keywords { self.bind_keywords(params, named, strict, frame) } else { Ok(()) }
    }

    fn check_argument_count(&mut self, params: &[Param], required: usize, given: usize) -> Raise<()> {
        let optional = params.iter().filter(|param| matches!(param, Param::Optional(..))).count();
        let has_rest = params.iter().any(|param| matches!(param, Param::Rest(_)));
        if given >= required && (has_rest || given <= required + optional) {
            return Ok(());
        }
        let expected = match (optional, has_rest) {
            (0, false) => required.to_string(),
            (_, false) => format!("{required}..{}", required + optional),
            _ => format!("{required}+"),
        };
        self.wrong_argument_count(given, &expected)
    }

    /// Binds the parameters that are not keywords; `required` is the number of those that need an argument.
    fn bind_positional(&mut self, params: &[Param], args: &[Rv], required: usize, frame: &Rc<Frame>) -> Raise<()> {
        let mut spare = args.len().saturating_sub(required);
        let mut at = 0;
        for (number, param) in params.iter().enumerate() {
            match param {
                Param::Required(_) | Param::Pattern(_) => {
                    let value = args.get(at).cloned().unwrap_or(Rv::Nil);
                    at += 1;
                    self.bind_required(param, value, frame)?;
                }
                Param::Optional(name, default) => {
                    let value = if spare > 0 {
                        spare -= 1;
                        at += 1;
                        args.get(at - 1).cloned().unwrap_or(Rv::Nil)
                    } else {
                        self.eval(default, frame)?
                    };
                    frame.declare(*name, value);
                }
                Param::Rest(name) => {
                    let after = params.iter().skip(number + 1).filter(|param| is_required(param)).count();
                    let end = args.len().saturating_sub(after).max(at);
                    let items = args.get(at..end).unwrap_or_default().to_vec();
                    at = end;
                    if let Some(name) = name {
                        frame.declare(*name, Rv::array(items));
                    }
                }
                Param::Block(name) => {
                    if let Some(name) = name {
                        let block = frame.block().cloned().map_or(Rv::Nil, Rv::Proc);
                        frame.declare(*name, block);
                    }
                }
                Param::Keyword(..) | Param::KeywordRest(_) => {}
            }
        }
        Ok(())
    }

    fn bind_keywords(&mut self, params: &[Param], mut named: Map, strict: bool, frame: &Rc<Frame>) -> Raise<()> {
        for param in params {
            if let Param::Keyword(name, default) = param {
                let value = match named.shift_remove(&Lookup(&Rv::sym(name.as_str()))) {
                    Some(value) => value,
                    None => match default {
                        Some(default) => self.eval(default, frame)?,
                        None => return self.raise("ArgumentError", format!("missing keyword: :{name}")),
                    },
                };
                frame.declare(*name, value);
            }
        }
        match params.iter().find(|param| matches!(param, Param::KeywordRest(_))) {
            Some(Param::KeywordRest(Some(name))) => frame.declare(*name, Rv::hash(named)),
            Some(_) => {}
            None if strict && !named.is_empty() => {
                let mut unknown = Vec::new();
                for Key(key) in named.keys() {
                    unknown.push(self.inspect(key)?);
                }
                let plural = if unknown.len() == 1 { "" } else { "s" };
                return self.raise("ArgumentError", format!("unknown keyword{plural}: {}", unknown.join(", ")));
            }
            None => {}
        }
        Ok(())
    }

    fn bind_required(&mut self, param: &Param, value: Rv, frame: &Rc<Frame>) -> Raise<()> {
        match param {
            Param::Required(name) => {
                frame.declare(*name, value);
                Ok(())
            }
            Param::Pattern(inner) => {
                let items = match &value {
                    Rv::Array(items) => items.borrow().clone(),
                    other => vec![other.clone()],
                };
                self.bind_params(inner, &items, false, frame)
            }
            _ => Ok(()),
        }
    }

    /// A block with a different `self`, and optionally a different class for its methods.
    pub fn with_self(&mut self, block: &Rc<Callable>, this: Rv, class: Option<Name>) -> Rc<Callable> {
        self.rebind(block, this, class, false, None)
    }

    /// A block with a different `self` that checks its arguments and that `return` ends.
    pub fn strict_with_self(&mut self, block: &Rc<Callable>, this: Rv) -> Rc<Callable> {
        self.rebind(block, this, None, true, None)
    }

    /// A block with a different `self`, and the class for its definitions; with `method`, it is the body of that method.
    pub(crate) fn rebind(
        &mut self,
        block: &Rc<Callable>,
        this: Rv,
        class: Option<Name>,
        strict: bool,
        method: Option<MethodContext>,
    ) -> Rc<Callable> {
        let Callable::Block { lambda, frame, tag: called, .. } = &**block else { return block.clone() };
        let class = class.or(frame.class);
        let method = method.or_else(|| frame.method.clone().filter(|_| frame.rebinds));
        let frame = Frame::new_rebinding(FrameParts { this, method, class, ..FrameParts::for_block(frame, frame.tag) });
        Rc::new(Callable::Block { lambda: lambda.clone(), frame, strict, tag: *called })
    }

    /// The number of parameters of a block; negative if it accepts more arguments.
    pub fn arity(&self, callable: &Callable) -> i64 {
        match callable {
            Callable::Block { lambda, strict, .. } => {
                let required = lambda.params.iter().filter(|param| is_required(param)).count() as i64;
                let rest = lambda.params.iter().any(|p| matches!(p, Param::Rest(_)));
                let optional = lambda.params.iter().any(|p| matches!(p, Param::Optional(..)));
                if rest || (optional && *strict) { -required - 1 } else { required }
            }
            Callable::Puppet(at) => self.host.block_arity(*at),
            Callable::Symbol(..) => -2,
            _ => -1,
        }
    }
}

impl Callable {
    /// Whether a block cannot distinguish two values from an array of both: it destructures the array, or ignores it.
    pub(crate) fn destructures_array(&self) -> bool {
        match self {
            Callable::Block { lambda, strict: false, .. } => match lambda.params.is_empty() {
                true => lambda.numbered_params != 1,
                false if lambda.has_plain_params => lambda.params.len() > 1 || lambda.trailing_comma,
                false => spreads_single_array(lambda),
            },
            _ => false,
        }
    }
}

fn is_required(param: &Param) -> bool {
    matches!(param, Param::Required(_) | Param::Pattern(_))
}

/// Whether a single array is destructured.
fn spreads_single_array(lambda: &Lambda) -> bool {
    let is_positional = |param: &&Param| is_required(param) || matches!(param, Param::Optional(..));
    let positional = lambda.params.iter().filter(is_positional).count();
    let has_rest = lambda.params.iter().any(|param| matches!(param, Param::Rest(_)));
    positional > 1 || lambda.trailing_comma || (positional == 1 && has_rest)
}

fn has_symbol_keys(map: &Map) -> bool {
    map.keys().all(|Key(key)| matches!(key, Rv::Sym(_)))
}
