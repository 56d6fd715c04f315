//! The tree walked: one function for each kind of expression that needs one.

use std::rc::Rc;
use std::sync::Arc;

use super::Env;
use super::Flow;
use super::Frame;
use super::Interp;
use super::Raise;
use super::tables::Method;
use super::value::Callable;
use super::value::HashObject;
use super::value::Key;
use super::value::Map;
use super::value::Range;
use super::value::Rv;
use crate::names::Name;
use crate::ruby::ast::Class;
use crate::ruby::ast::Node;
use crate::ruby::ast::NodeKind;
use crate::ruby::ast::Pair;
use crate::ruby::ast::Rescue;
use crate::ruby::ast::TextPart;
use crate::ruby::ast::When;

impl Interp<'_, '_> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        // The cheap ones first: they need no counting.
        match &node.kind {
            NodeKind::Nil => return Ok(Rv::Nil),
            NodeKind::Bool(b) => return Ok(Rv::Bool(*b)),
            NodeKind::Int(n) => return Ok(Rv::Int(*n)),
            NodeKind::Str(text) => return Ok(Rv::str(&**text)),
            NodeKind::Symbol(text) => return Ok(Rv::Sym(text.clone())),
            NodeKind::EmitText(text) => {
                self.out.push_str(text);
                return self.check_out();
            }
            NodeKind::Local(name) => return self.local(*name, f),
            NodeKind::SelfRef => return Ok(f.this.clone()),
            _ => {}
        }
        self.step()?;
        self.depth += 1;
        if self.depth > super::MAX_DEPTH {
            self.depth -= 1;
            return self.raise("SystemStackError", "stack level too deep");
        }
        let result = self.eval_inner(node, f);
        self.depth -= 1;
        result
    }

    fn check_out(&mut self) -> Raise<Rv> {
        if self.out.len() > super::MAX_SIZE {
            return self.unsupported("templates that write this much");
        }
        Ok(Rv::Nil)
    }

    fn local(&mut self, name: Name, f: &Rc<Frame>) -> Raise<Rv> {
        if let Some(value) = f.env.get(name) {
            if name.as_str() == "_erbout" {
                return Ok(Rv::str(self.out.clone()));
            }
            return Ok(value);
        }
        Ok(Rv::Nil)
    }

    fn eval_inner(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        match &node.kind {
            NodeKind::Float(n) => Ok(Rv::Float(*n)),
            NodeKind::Text(parts) => self.joined(parts, f),
            NodeKind::Command(parts) => {
                let line = self.text(parts, f)?;
                self.line = node.line;
                self.backticks(&line)
            }
            NodeKind::DynamicSymbol(parts) => Ok(Rv::sym(&self.text(parts, f)?)),
            NodeKind::Regexp(parts, flags) => {
                self.line = node.line;
                let source = self.regexp_source(parts, f)?;
                self.regexp(&source, flags)
            }
            NodeKind::Array(items) => Ok(Rv::array(self.eval_list(items, f)?)),
            NodeKind::Hash(pairs) => self.hash_literal(pairs, f),
            NodeKind::Range(from, to, exclusive) => {
                let from = self.eval_optional(from.as_deref(), f)?;
                let to = self.eval_optional(to.as_deref(), f)?;
                let plain = |value: &Rv| {
                    matches!(value, Rv::Int(_) | Rv::Float(_) | Rv::Str(_) | Rv::Array(_) | Rv::Hash(_) | Rv::Bool(_))
                };
                if plain(&from) && plain(&to) && super::compare::order(&from, &to).is_none() {
                    return self.raise("ArgumentError", "bad value for range");
                }
                Ok(Rv::Range(Rc::new(Range { from, to, exclusive: *exclusive })))
            }
            NodeKind::IVar(name) => self.ivar(*name, f),
            NodeKind::CVar(name) => self.class_variable(*name, f),
            NodeKind::GVar(name) => self.global(*name),
            NodeKind::Const(scope, name) => self.constant_node(scope.as_ref(), *name, node.line, f),
            NodeKind::Assign(target, value) => {
                let value = self.eval(value, f)?;
                self.assign(target, value, f)
            }
            NodeKind::OpAssign(target, operator, value) => self.op_assign(target, *operator, value, f),
            NodeKind::MultiAssign(targets, value) => {
                let value = self.eval(value, f)?;
                self.destructure(targets, &value, f)?;
                Ok(value)
            }
            NodeKind::And(a, b) => {
                let a = self.eval(a, f)?;
                if a.truthy() { self.eval(b, f) } else { Ok(a) }
            }
            NodeKind::Or(a, b) => {
                let a = self.eval(a, f)?;
                if a.truthy() { Ok(a) } else { self.eval(b, f) }
            }
            NodeKind::Not(inner) => Ok(Rv::Bool(!self.eval(inner, f)?.truthy())),
            NodeKind::Defined(inner) => self.defined(inner, f),
            NodeKind::If(test, yes, no) => {
                let branch = if self.eval(test, f)?.truthy() { yes } else { no };
                self.eval(branch, f)
            }
            NodeKind::While(wanted, test, body, first) => self.eval_while(*wanted, test, body, *first, f),
            NodeKind::For(targets, list, body) => self.eval_for(targets, list, body, node.line, f),
            NodeKind::Case(subject, whens, other) => self.eval_case(subject.as_deref(), whens, other, f),
            NodeKind::CaseIn(subject, clauses, other) => self.eval_case_in(subject, clauses, other.as_deref(), f),
            NodeKind::Begin(body, rescues, other, ensure) => {
                self.eval_begin(body, rescues, other.as_deref(), ensure.as_deref(), f)
            }
            NodeKind::Block(list) => {
                let mut last = Rv::Nil;
                for node in list {
                    last = self.eval(node, f)?;
                }
                Ok(last)
            }
            NodeKind::Call(call) => self.eval_call(call, node.line, f),
            NodeKind::Super(call, given) => self.eval_super(call, *given, node.line, f),
            NodeKind::Yield(args) => {
                let args = self.eval_list(args, f)?;
                match f.method.block.clone() {
                    Some(block) => self.yield_values(&block, &args),
                    None => self.raise("LocalJumpError", "no block given (yield)"),
                }
            }
            NodeKind::Lambda(lambda) => {
                let tag = self.fresh_id();
                Ok(Rv::Proc(Rc::new(Callable::Block { lambda: lambda.clone(), frame: f.clone(), strict: true, tag })))
            }
            NodeKind::Def(def) => self.define(def, f),
            NodeKind::Class(class) => self.eval_class(class, node.line, f),
            NodeKind::Return(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(Box::new(Flow::Return(f.method.id, value)))
            }
            NodeKind::Break(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(Box::new(Flow::Break(f.tag, value)))
            }
            NodeKind::Next(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(Box::new(Flow::Next(value)))
            }
            NodeKind::Retry => Err(Box::new(Flow::Retry)),
            NodeKind::Redo => Err(Box::new(Flow::Redo)),
            NodeKind::Splat(Some(inner)) => {
                let value = self.eval(inner, f)?;
                Ok(Rv::array(self.splat(&value)?))
            }
            NodeKind::Alias(new, old) => {
                let class = self.home(f);
                self.alias(class, *new, *old);
                Ok(Rv::Nil)
            }
            NodeKind::Emit(inner) => {
                let value = self.eval(inner, f)?;
                self.line = inner.line;
                match &value {
                    Rv::Str(text) => self.out.push_str(&text.borrow()),
                    other => {
                        let text = self.to_s(other)?;
                        self.out.push_str(&text);
                    }
                }
                self.check_out()
            }
            NodeKind::File => Ok(Rv::str(&*self.file)),
            _ => self.eval(node, f),
        }
    }

    fn eval_optional(&mut self, node: Option<&Node>, f: &Rc<Frame>) -> Raise<Rv> {
        node.map_or(Ok(Rv::Nil), |node| self.eval(node, f))
    }

    /// Items of a list, splats spread.
    pub(crate) fn eval_list(&mut self, items: &[Node], f: &Rc<Frame>) -> Raise<Vec<Rv>> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match &item.kind {
                NodeKind::Splat(Some(inner)) => {
                    let value = self.eval(inner, f)?;
                    values.extend(self.splat(&value)?);
                }
                _ => values.push(self.eval(item, f)?),
            }
        }
        Ok(values)
    }

    /// What `*value` spreads into.
    pub(crate) fn splat(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Nil => Ok(Vec::new()),
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(_) | Rv::Range(_) | Rv::Set(_) | Rv::Enumerator(_) => self.items(value),
            Rv::Object(object) if matches!(&*object.native.borrow(), Some(Rv::Array(_))) => {
                let list = super::mixed::behind(value);
                self.items(&list)
            }
            Rv::Object(_) if self.has_method(value, crate::name!("to_a")) => {
                match self.call_method(value, "to_a", &[], None)? {
                    Rv::Array(items) => Ok(items.borrow().clone()),
                    other => Ok(vec![other]),
                }
            }
            other => Ok(vec![other.clone()]),
        }
    }

    /// A string in quotes: bytes that are no text make bytes of it.
    fn joined(&mut self, parts: &[TextPart], f: &Rc<Frame>) -> Raise<Rv> {
        let mut text = String::new();
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                TextPart::Text(constant) => text.push_str(constant),
                TextPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(piece) => text.push_str(&piece.borrow()),
                    Rv::Bytes(piece) if std::str::from_utf8(&piece.borrow()).is_err() => {
                        if !text.is_ascii() {
                            return self.incompatible("UTF-8 and ASCII-8BIT");
                        }
                        bytes.append(&mut std::mem::take(&mut text).into_bytes());
                        bytes.extend(piece.borrow().iter());
                    }
                    other => text.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(text.len() + bytes.len())?;
        if bytes.is_empty() {
            return Ok(Rv::str(text));
        }
        if !text.is_ascii() {
            return self.incompatible("ASCII-8BIT and UTF-8");
        }
        bytes.append(&mut text.into_bytes());
        Ok(Rv::bytes(bytes))
    }

    pub(crate) fn incompatible<T>(&mut self, which: &str) -> Raise<T> {
        self.raise("Encoding::CompatibilityError", format!("incompatible character encodings: {which}"))
    }

    pub(crate) fn text(&mut self, parts: &[TextPart], f: &Rc<Frame>) -> Raise<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                TextPart::Text(constant) => text.push_str(constant),
                TextPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(piece) => text.push_str(&piece.borrow()),
                    other => text.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(text.len())?;
        Ok(text)
    }

    fn regexp_source(&mut self, parts: &[TextPart], f: &Rc<Frame>) -> Raise<String> {
        let mut source = String::new();
        for part in parts {
            match part {
                TextPart::Text(constant) => source.push_str(constant),
                TextPart::Code(node) => {
                    let value = self.eval(node, f)?;
                    source.push_str(&self.to_s(&value)?);
                }
            }
        }
        Ok(source)
    }

    fn hash_literal(&mut self, pairs: &[Pair], f: &Rc<Frame>) -> Raise<Rv> {
        let mut map = Map::default();
        for pair in pairs {
            match pair {
                Pair::Entry(key, value) => {
                    let key = self.eval(key, f)?;
                    let value = self.eval(value, f)?;
                    if self.tables.own_keys {
                        self.renew_keys(&key)?;
                    }
                    map.insert(Key::of(&key), value);
                }
                Pair::Splat(hash) => match self.eval(hash, f)? {
                    Rv::Hash(other) => {
                        map.extend(other.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                    Rv::Nil => {}
                    other => return self.type_error(&other, "Hash"),
                },
            }
        }
        Ok(Rv::Hash(HashObject::new(map)))
    }

    fn global(&mut self, name: Name) -> Raise<Rv> {
        let text = name.as_str();
        if let Ok(group) = text.parse::<usize>() {
            return Ok(super::regexp::group(&self.last_match, group));
        }
        match text {
            "~" => Ok(self.last_match.clone()),
            "&" => Ok(super::regexp::group(&self.last_match, 0)),
            "`" | "'" => match &self.last_match {
                Rv::Match(found) => Ok(super::regexp::around(found, text == "`")),
                _ => Ok(Rv::Nil),
            },
            "LOAD_PATH" | ":" => Ok(self.load_path()),
            "stderr" | "stdout" => self.unsupported(&format!("${text}")),
            _ => Ok(self.globals.get(&name).cloned().unwrap_or(Rv::Nil)),
        }
    }

    fn eval_while(&mut self, wanted: bool, test: &Node, body: &Node, first: bool, f: &Rc<Frame>) -> Raise<Rv> {
        let mut skip = first;
        loop {
            // Test and body may both be of what is not counted.
            self.step()?;
            if !std::mem::take(&mut skip) && self.eval(test, f)?.truthy() != wanted {
                return Ok(Rv::Nil);
            }
            match self.eval_again(body, f).map_err(|flow| *flow) {
                Ok(_) | Err(Flow::Next(_)) => {}
                Err(Flow::Break(tag, value)) if tag == f.tag => return Ok(value),
                Err(flow) => return Err(Box::new(flow)),
            }
        }
    }

    /// The body of a loop or block; `redo` starts it over.
    pub(crate) fn eval_again(&mut self, body: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        loop {
            match self.eval(body, f) {
                Err(flow) if matches!(*flow, Flow::Redo) => self.step()?,
                result => return result,
            }
        }
    }

    fn eval_for(&mut self, targets: &[Node], list: &Node, body: &Node, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        let list = self.eval(list, f)?;
        self.line = line;
        for item in self.items(&list)? {
            match targets {
                [target] if !matches!(target.kind, NodeKind::Splat(_) | NodeKind::Targets(_)) => {
                    self.assign(target, item, f)?;
                }
                _ => self.destructure(targets, &item, f)?,
            }
            match self.eval_again(body, f).map_err(|flow| *flow) {
                Ok(_) | Err(Flow::Next(_)) => {}
                Err(Flow::Break(tag, value)) if tag == f.tag => return Ok(value),
                Err(flow) => return Err(Box::new(flow)),
            }
        }
        Ok(list)
    }

    fn eval_case(&mut self, subject: Option<&Node>, whens: &[When], other: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        let value = subject.map(|subject| self.eval(subject, f)).transpose()?;
        for when in whens {
            for test in &when.tests {
                let tests = match &test.kind {
                    NodeKind::Splat(Some(inner)) => {
                        let list = self.eval(inner, f)?;
                        self.splat(&list)?
                    }
                    _ => vec![self.eval(test, f)?],
                };
                for test in tests {
                    let fits = match &value {
                        Some(value) => self.case_equal(&test, value)?,
                        None => test.truthy(),
                    };
                    if fits {
                        return self.eval(&when.body, f);
                    }
                }
            }
        }
        self.eval(other, f)
    }

    fn eval_begin(
        &mut self,
        body: &Node,
        rescues: &[Rescue],
        other: Option<&Node>,
        ensure: Option<&Node>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let mut result = self.eval_rescued(body, rescues, other, f);
        while matches!(&result, Err(flow) if matches!(**flow, Flow::Retry)) {
            self.step()?;
            result = self.eval_rescued(body, rescues, other, f);
        }
        if let Some(ensure) = ensure {
            self.eval(ensure, f)?;
        }
        result
    }

    fn eval_rescued(&mut self, body: &Node, rescues: &[Rescue], other: Option<&Node>, f: &Rc<Frame>) -> Raise<Rv> {
        let depth = self.depth;
        let exception = match self.eval(body, f).map_err(|flow| *flow) {
            Ok(value) => return other.map_or(Ok(value), |other| self.eval(other, f)),
            Err(Flow::Raise(exception)) => exception,
            Err(flow) => return Err(Box::new(flow)),
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
        Err(Box::new(Flow::Raise(exception)))
    }

    /// The class methods are defined in.
    pub(crate) fn home(&mut self, f: &Rc<Frame>) -> Name {
        f.class.unwrap_or_else(|| match &f.this {
            Rv::Object(object) => object.class,
            other => Name::new(other.class()),
        })
    }

    /// The class that methods of `Module` are about which code calls without a receiver (`define_method`, `private`).
    pub(crate) fn own_home(&mut self, f: &Rc<Frame>) -> Name {
        match &f.this {
            Rv::Class(class) => *class,
            _ => self.home(f),
        }
    }

    fn define(&mut self, def: &Arc<crate::ruby::ast::Def>, f: &Rc<Frame>) -> Raise<Rv> {
        let class = self.home(f);
        let key = match &def.singleton {
            None => class,
            Some(node) => {
                let of = self.eval(node, f)?;
                match self.singleton_of(&of) {
                    Some(own) => own,
                    None => return self.raise("TypeError", "can't define singleton"),
                }
            }
        };
        let in_template = class.as_str() == super::scope::TEMPLATE && def.singleton.is_none();
        let def = if self.loading || in_template {
            let file = Some(Arc::from(&*self.file));
            Arc::new(crate::ruby::ast::Def { file, ..(**def).clone() })
        } else {
            def.clone()
        };
        if in_template {
            // The class of all templates has it from now on.
            self.ev.ruby.template_methods.insert(def.name, def.clone());
        } else {
            let name = def.name;
            self.add_method(key, name, Method::Def(def.clone()));
            if def.singleton.is_none() {
                self.method_visible(key, name, f.visibility.get());
            }
        }
        Ok(Rv::sym(def.name.as_str()))
    }

    /// `alias`, `alias_method`: also of methods that are not the program's.
    pub(crate) fn alias(&mut self, class: Name, new: Name, old: Name) {
        let mut known = None;
        self.tables.chain(class, &mut |at| {
            known = self.tables.methods.get(&(at, old)).cloned();
            known.is_some()
        });
        let method = known.unwrap_or_else(|| Method::Native(old));
        let visibility = self.tables.visibility_in(class, old);
        self.add_method(class, new, method);
        self.method_visible(class, new, visibility);
    }

    fn eval_class(&mut self, class: &Class, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        self.line = line;
        let path = class.path.as_ref().and_then(const_path);
        let object = class.of.as_ref().map(|of| self.eval(of, f)).transpose()?;
        let name = match (&path, f.class) {
            _ if let Some(object) = &object => match self.singleton_of(object) {
                Some(own) => own,
                None => return self.raise("TypeError", "can't define singleton"),
            },
            (Some(path), Some(outer)) => Name::new(&format!("{outer}::{path}")),
            (Some(path), None) => Name::new(path),
            // `class << self`: what it defines belongs to the class itself.
            (None, Some(outer)) if class.path.is_none() => Name::new(&format!("{outer}.")),
            (None, _) => match self.singleton_of(&f.this.clone()) {
                Some(own) => own,
                None => return self.raise("TypeError", "can't define singleton"),
            },
        };
        if let Some(parent) = &class.parent {
            let parent = match const_path(parent).filter(|path| self.is_unknown_of_puppet(path)) {
                // What comes from a class that is not here only fails where it is used.
                Some(path) => Rv::Class(Name::new(&path)),
                None => self.eval(parent, f)?,
            };
            let Rv::Class(parent) = parent else { return self.raise("TypeError", "superclass must be a Class") };
            if self.tables.parents.get(&name) != Some(&parent) {
                self.tables_mut().parents.insert(name, parent);
                self.inherited(parent, name)?;
            }
        } else if class.is_class && path.is_some() && !super::constant::is_known(name.as_str()) {
            self.tables_mut().parents.entry(name).or_insert_with(|| Name::new("Object"));
        }
        if path.is_some() {
            self.tables_mut().constants.entry(name).or_insert(Rv::Class(name));
        }
        let id = self.fresh_id();
        let frame = Frame::new(Env::new(None), Rv::Class(name), super::MethodContext::outside(id), 0, Some(name));
        self.eval(&class.body, &frame)
    }
}

/// `A::B` as a text.
fn const_path(node: &Node) -> Option<String> {
    let NodeKind::Const(scope, name) = &node.kind else { return None };
    match scope {
        Some(Some(outer)) => Some(format!("{}::{name}", const_path(outer)?)),
        _ => Some(name.to_string()),
    }
}
