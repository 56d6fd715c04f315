//! Loops, branches and `rescue`.
//!
//! In: the nodes of `while`, `for`, `case`, `begin`. Out: the value of the part that ran last. Must not: know calls, or values
//! except for conditions.

use std::rc::Rc;

use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Rescue;
use catwalk_ruby_syntax::ast::When;

impl Interp<'_> {
    pub(crate) fn eval_while(
        &mut self,
        expected: bool,
        test: &Node,
        body: &Node,
        body_first: bool,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let mut skip_test = body_first;
        loop {
            // Counted here, because test and body may contain nothing that is counted.
            self.step()?;
            if !std::mem::take(&mut skip_test) && self.eval_test(test, f)? != expected {
                return Ok(Rv::Nil);
            }
            match self.eval_with_redo(body, f) {
                Ok(value) => value.discard(),
                Err(thrown) => match self.catch(thrown) {
                    Flow::Next(_) => {}
                    Flow::Break(tag, value) if tag == f.tag => return Ok(value),
                    flow => return Err(self.throw(flow)),
                },
            }
        }
    }

    /// The body of a loop or block; `redo` restarts it.
    pub(crate) fn eval_with_redo(&mut self, body: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        loop {
            let result = self.eval(body, f);
            if result.is_err() && matches!(self.thrown(), Some(Flow::Redo)) {
                self.step()?;
            } else {
                return result;
            }
        }
    }

    pub(crate) fn eval_for(
        &mut self,
        targets: &[Node],
        list: &Node,
        body: &Node,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let list = self.eval(list, f)?;
        self.line = line;
        for item in self.items(&list)? {
            match targets {
                [target] if !matches!(target.kind, NodeKind::Splat(_) | NodeKind::Targets(_)) => {
                    self.assign(target, item, f)?;
                }
                _ => self.destructure(targets, &item, f)?,
            }
            match self.eval_with_redo(body, f) {
                Ok(value) => value.discard(),
                Err(thrown) => match self.catch(thrown) {
                    Flow::Next(_) => {}
                    Flow::Break(tag, value) if tag == f.tag => return Ok(value),
                    flow => return Err(self.throw(flow)),
                },
            }
        }
        Ok(list)
    }

    pub(crate) fn eval_case(
        &mut self,
        subject: Option<&Node>,
        whens: &[When],
        else_body: &Node,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let value = subject.map(|subject| self.eval(subject, f)).transpose()?;
        for when in whens {
            for test in &when.tests {
                if self.when_matches(test, value.as_ref(), f)? {
                    return self.eval(&when.body, f);
                }
            }
        }
        self.eval(else_body, f)
    }

    /// Whether a test of `when` matches the subject; without a subject, whether it is true.
    fn when_matches(&mut self, test: &Node, value: Option<&Rv>, f: &Rc<Frame>) -> Raise<bool> {
        if !self.tables.reopens_builtins {
            // Literals are compared without creating objects.
            match (&test.kind, value) {
                (NodeKind::Str(literal), Some(Rv::Str(value))) => return Ok(**literal == **value.borrow()),
                (NodeKind::Symbol(literal), Some(Rv::Sym(value))) => return Ok(literal == value),
                (NodeKind::Str(_), Some(Rv::Sym(_) | Rv::Nil | Rv::True | Rv::False | Rv::Int(_)))
                | (NodeKind::Symbol(_), Some(Rv::Str(_) | Rv::Nil | Rv::True | Rv::False | Rv::Int(_))) => {
                    return Ok(false);
                }
                _ => {}
            }
        }
        let matches = |rt: &mut Self, test: &Rv| match value {
            Some(value) => rt.case_equal(test, value),
            None => Ok(test.truthy()),
        };
        if let NodeKind::Splat(Some(inner)) = &test.kind {
            let list = self.eval(inner, f)?;
            for test in self.splat(&list)? {
                if matches(self, &test)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let test = self.eval(test, f)?;
        matches(self, &test)
    }

    pub(crate) fn eval_begin(
        &mut self,
        body: &Node,
        rescues: &[Rescue],
        else_body: Option<&Node>,
        ensure: Option<&Node>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let mut result = self.eval_rescued(body, rescues, else_body, f);
        while result.is_err() && matches!(self.thrown(), Some(Flow::Retry)) {
            self.step()?;
            result = self.eval_rescued(body, rescues, else_body, f);
        }
        if let Some(ensure) = ensure {
            // An exception of `ensure` replaces the one that ended the body.
            let thrown = self.thrown.take();
            self.eval(ensure, f)?;
            self.thrown = thrown;
        }
        result
    }

    fn eval_rescued(&mut self, body: &Node, rescues: &[Rescue], else_body: Option<&Node>, f: &Rc<Frame>) -> Raise<Rv> {
        let depth = self.depth;
        let result = self.eval(body, f);
        let exception = match self.catch_result(result) {
            Ok(value) => return else_body.map_or(Ok(value), |body| self.eval(body, f)),
            Err(Flow::Raise(exception)) => exception,
            Err(flow) => return Err(self.throw(flow)),
        };
        self.depth = depth;
        for rescue in rescues {
            let mut classes = Vec::new();
            for class in &rescue.classes {
                let class = self.eval(class, f)?;
                classes.extend(self.splat(&class)?);
            }
            if classes.is_empty() {
                classes.push(Rv::Class(Name::new("StandardError")));
            }
            let raised = Rv::Exception(exception.clone());
            for class in &classes {
                if !self.case_equal(class, &raised)? {
                    continue;
                }
                self.globals.insert(Name::new("!"), raised.clone());
                if let Some(target) = &rescue.target {
                    self.assign(target, raised, f)?;
                }
                return self.eval(&rescue.body, f);
            }
        }
        Err(self.throw(Flow::Raise(exception)))
    }
}
