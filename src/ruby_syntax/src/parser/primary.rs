//! Literals, names and bracketed expressions, with calls, indexes and constants after them: `.name`, `[…]`, `::Name`.

use std::sync::Arc;

use super::Parse;
use super::Parser;
use super::plain;
use crate::ast::Call;
use crate::ast::Lambda;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::OUTPUT;
use crate::ast::Pair;
use crate::ast::are_plain;
use crate::inline_cache::Literal;
use crate::inline_cache::Local;
use crate::inline_cache::Site;
use crate::lexer::Kind;
use crate::lexer::Part;
use catwalk_base::names::Name;

impl Parser {
    /// Parses a primary with the calls and indexes after it.
    pub(super) fn primary_with_postfix(&mut self) -> Parse<Node> {
        self.deeper(|p| {
            let node = p.primary()?;
            p.postfix(node)
        })
    }

    fn primary(&mut self) -> Parse<Node> {
        let line = self.line();
        if let Some(Kind::Str(parts)) = self.kind()
            && !matches!(self.kind_at(1), Some(Kind::Str(_)))
            && let Some(text) = plain(parts)
        {
            self.at += 1;
            return Ok(Node::new(NodeKind::Str(text), line));
        }
        let Some(token) = self.next() else { return self.fail("syntax error, unexpected end-of-input") };
        let node = |kind| Ok(Node::new(kind, line));
        match token.kind {
            Kind::Int(n) => node(NodeKind::Int(n)),
            Kind::Float(f) => node(NodeKind::Float(f)),
            Kind::OtherNumber(text) => self.other_number(&text, line),
            Kind::Str(parts) => self.strings(parts, line),
            Kind::Command(parts) => {
                let parts = self.parts(parts)?;
                node(NodeKind::Command(parts))
            }
            Kind::Symbol(name) => node(NodeKind::Symbol(name.into())),
            Kind::DynamicSymbol(parts) => match plain(&parts) {
                Some(text) => node(NodeKind::Symbol(text.into())),
                None => {
                    let parts = self.parts(parts)?;
                    node(NodeKind::DynamicSymbol(parts))
                }
            },
            Kind::Regexp(parts, flags) => {
                let parts = self.parts(parts)?;
                node(NodeKind::Regexp(parts, flags, Literal::fresh()))
            }
            Kind::Words(words) => {
                let items = words.into_iter().map(|word| self.text(word, line)).collect::<Parse<_>>()?;
                node(NodeKind::Array(items))
            }
            Kind::Symbols(words) => {
                let mut items = Vec::with_capacity(words.len());
                for word in words {
                    let kind = match plain(&word) {
                        Some(text) => NodeKind::Symbol(text.into()),
                        None => NodeKind::DynamicSymbol(self.parts(word)?),
                    };
                    items.push(Node::new(kind, line));
                }
                node(NodeKind::Array(items))
            }
            Kind::IVar(name) => node(NodeKind::IVar(Local::new(Name::new(&name)))),
            Kind::CVar(name) => node(NodeKind::CVar(Name::new(&name))),
            Kind::GVar(name) => node(NodeKind::GVar(Name::new(&name))),
            Kind::Const(name) => self.constant(&name, line),
            Kind::Ident(name) => self.identifier(&name, line),
            Kind::Keyword(word) => self.keyword(word, line),
            Kind::Op("(") => self.parenthesized(line),
            Kind::Op("[") => {
                let items = self.list("]")?;
                node(NodeKind::Array(items))
            }
            Kind::Op("{") => {
                let pairs = self.bracketed(Parser::hash_pairs)?;
                self.expect_op("}")?;
                node(NodeKind::Hash(pairs))
            }
            Kind::Op("->") => self.arrow(line),
            Kind::Op("::") => match self.next().map(|token| token.kind) {
                Some(Kind::Const(name)) => node(NodeKind::Const(Some(None), Name::new(&name))),
                _ => self.missing("constant"),
            },
            Kind::Op(".." | "...") => {
                self.at -= 1;
                self.unexpected(&token.kind)
            }
            kind => {
                self.at -= 1;
                self.unexpected(&kind)
            }
        }
    }

    fn other_number(&mut self, text: &str, line: u32) -> Parse<Node> {
        if let Some(fraction) = text.strip_suffix('r')
            && !fraction.contains(['x', 'X', 'b', 'B', 'o', 'O', 'e', 'E'])
        {
            return Ok(read_from(fraction, "to_r", Vec::new(), line));
        }
        let digits: String = text.chars().filter(|c| *c != '_').collect();
        let radix = match digits.get(..2) {
            Some("0x" | "0X") => 16,
            Some("0b" | "0B") => 2,
            Some("0o" | "0O") => 8,
            _ => 10,
        };
        let digits = if radix == 10 { digits.as_str() } else { digits.get(2..).unwrap_or_default() };
        match i64::from_str_radix(digits, radix) {
            Ok(n) => Ok(Node::new(NodeKind::Int(n), line)),
            Err(_) if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) => {
                let radix = Node::new(NodeKind::Int(i64::from(radix)), line);
                Ok(read_from(digits, "to_i", vec![radix], line))
            }
            Err(_) => self.unsupported(&format!("the number {text}")),
        }
    }

    /// Parses a string and the adjacent strings after it, which are concatenated.
    fn strings(&mut self, mut parts: Vec<Part>, line: u32) -> Parse<Node> {
        while let Some(Kind::Str(more)) = self.kind() {
            let more = more.clone();
            self.at += 1;
            for part in more {
                match (parts.last_mut(), part) {
                    (Some(Part::Text(text)), Part::Text(more)) => text.push_str(&more),
                    (_, part) => parts.push(part),
                }
            }
        }
        self.text(parts, line)
    }

    fn constant(&mut self, name: &str, line: u32) -> Parse<Node> {
        // `Array(x)`, `Integer "1"`: calls of a method with the name of a constant.
        let called = self.is_op("(") && !self.space_at(0);
        if called || self.lists(0) || self.commands(0) || (self.is_word("do") && !self.no_do) {
            return self.call_rest(None, false, Name::new(name), line, true);
        }
        Ok(Node::new(NodeKind::Const(None, Name::new(name)), line))
    }

    /// Whether the next token can only be the first argument of the name before it: `Integer "1"`, `A::Error "message"`, and `x = x y`,
    /// where `x` is already a variable.
    fn commands(&self, ahead: usize) -> bool {
        matches!(
            self.kind_at(ahead),
            Some(Kind::Str(_) | Kind::Ident(_) | Kind::IVar(_) | Kind::Int(_) | Kind::Float(_))
        ) && self.space_at(ahead)
    }

    /// Whether a space and an array literal follow. After a constant, the literal is the argument of a method.
    fn lists(&self, ahead: usize) -> bool {
        self.kind_at(ahead) == Some(&Kind::Op("[")) && self.space_at(ahead)
    }

    fn identifier(&mut self, text: &str, line: u32) -> Parse<Node> {
        let name = Name::new(text);
        if self.template && text == OUTPUT {
            return self.output(line);
        }
        let called = self.is_op("(") && !self.space_at(0);
        if self.is_local(name) && !called && !self.commands(0) {
            return Ok(Node::new(NodeKind::local(name), line));
        }
        if let Some(number) =
            text.strip_prefix('_').and_then(|n| n.parse::<usize>().ok()).filter(|n| (1..=9).contains(n))
        {
            self.numbered = self.numbered.max(number);
            return Ok(Node::new(NodeKind::local(name), line));
        }
        match text {
            "lambda" | "proc" if self.is_op("{") || self.is_word("do") => {
                let block = self.block()?;
                let call = Call {
                    receiver: None,
                    safe: false,
                    name,
                    args: Vec::new(),
                    keywords: false,
                    block_arg: None,
                    block,
                    bare: false,
                    site: Site::new(name),
                };
                return Ok(Node::new(NodeKind::Call(Box::new(call)), line));
            }
            _ => {}
        }
        self.call_rest(None, false, name, line, true)
    }

    /// Parses `_erbout.<< "literal"` and `_erbout.<<((code).to_s)`. Any other use is the output so far.
    fn output(&mut self, line: u32) -> Parse<Node> {
        let emits = self.is_op(".") && matches!(self.kind_at(1), Some(Kind::Op("<<")));
        let shifts = self.is_op("<<");
        if !emits && !shifts {
            return Ok(Node::new(NodeKind::local(Name::new(OUTPUT)), line));
        }
        self.at += if emits { 2 } else { 1 };
        let value = if shifts { self.range_operand()? } else { self.emitted()? };
        let kind = match value.kind {
            NodeKind::Str(text) => NodeKind::EmitText(text),
            kind => NodeKind::Emit(Box::new(Node::new(kind, value.line))),
        };
        Ok(Node::new(kind, line))
    }

    fn range_operand(&mut self) -> Parse<Node> {
        self.primary_with_postfix()
    }

    /// Parses the argument that the template compiler writes after `_erbout.<<`: a string, or `((code).to_s)`.
    fn emitted(&mut self) -> Parse<Node> {
        if !self.is_op("(") {
            return self.primary();
        }
        self.at += 1;
        let inner = self.bracketed(|p| p.statements(&[]))?;
        self.expect_op(")")?;
        // `NodeKind::Emit` includes the `.to_s`.
        Ok(match inner.kind {
            NodeKind::Call(call) if call.name.as_str() == "to_s" && call.args.is_empty() => match call.receiver {
                Some(receiver) => receiver,
                None => return self.missing("expression"),
            },
            kind => Node::new(kind, inner.line),
        })
    }

    fn parenthesized(&mut self, line: u32) -> Parse<Node> {
        let body = self.bracketed(|p| p.statements(&[]))?;
        self.skip_newlines();
        self.expect_op(")")?;
        Ok(match body.kind {
            // `(begin … end) while x` tests the condition first, and `(a; b)` is one operand.
            NodeKind::Begin(body, rescues, None, None) if rescues.is_empty() => *body,
            kind => Node::new(kind, line),
        })
    }

    /// Parses items up to and including a closing bracket.
    pub(super) fn list(&mut self, close: &str) -> Parse<Vec<Node>> {
        self.bracketed(|p| {
            let mut items = Vec::new();
            loop {
                p.skip_newlines();
                if p.eat_op(close) {
                    return Ok(items);
                }
                if p.starts_pair() {
                    let line = p.line();
                    let pairs = p.bare_pairs()?;
                    items.push(Node::new(NodeKind::Hash(pairs), line));
                } else {
                    let line = p.line();
                    let item = p.item()?;
                    p.skip_newlines();
                    if p.eat_op("=>") {
                        p.skip_newlines();
                        let value = p.item()?;
                        let mut pairs = vec![Pair::Entry(item, value)];
                        if p.eat_op(",") {
                            p.skip_newlines();
                            if !p.is_op(close) {
                                pairs.extend(p.bare_pairs()?);
                            }
                        }
                        items.push(Node::new(NodeKind::Hash(pairs), line));
                    } else {
                        items.push(item);
                    }
                }
                p.skip_newlines();
                if !p.eat_op(",") {
                    p.expect_op(close)?;
                    return Ok(items);
                }
            }
        })
    }

    /// Whether `key: value`, `"key": value` or `**hash` follows.
    pub(super) fn starts_pair(&self) -> bool {
        matches!(self.kind(), Some(Kind::Label(_) | Kind::Op("**")))
    }

    /// Parses the entries of `{ … }`.
    fn hash_pairs(&mut self) -> Parse<Vec<Pair>> {
        let mut pairs = Vec::new();
        loop {
            self.skip_newlines();
            if self.is_op("}") {
                return Ok(pairs);
            }
            pairs.push(self.pair()?);
            self.skip_newlines();
            if !self.eat_op(",") {
                return Ok(pairs);
            }
        }
    }

    /// Parses entries without braces, up to a token that does not begin an entry.
    pub(super) fn bare_pairs(&mut self) -> Parse<Vec<Pair>> {
        let mut pairs = vec![self.pair()?];
        loop {
            let saved = self.at;
            self.skip_newlines();
            if !self.eat_op(",") {
                self.at = saved;
                return Ok(pairs);
            }
            self.skip_newlines();
            if self.is_op("&") || matches!(self.kind(), Some(Kind::Op(")" | "]")) | None) {
                self.at = saved;
                return Ok(pairs);
            }
            pairs.push(self.pair()?);
        }
    }

    fn pair(&mut self) -> Parse<Pair> {
        let line = self.line();
        if self.eat_op("**") {
            return Ok(Pair::Splat(self.ternary()?));
        }
        if let Some(Kind::Label(name)) = self.kind().cloned() {
            self.at += 1;
            let key = Node::new(NodeKind::Symbol((&*name).into()), line);
            let skipped = self.at;
            self.skip_newlines();
            if matches!(self.kind(), Some(Kind::Op("," | "}" | ")")) | None) {
                // In `{x:}` the value is the variable or method `x`.
                self.at = skipped;
                let value = self.identifier(&name, line)?;
                return Ok(Pair::Entry(key, value));
            }
            let value = self.not_item()?;
            return Ok(Pair::Entry(key, value));
        }
        let key = self.ternary()?;
        self.skip_newlines();
        self.expect_op("=>")?;
        self.skip_newlines();
        let value = self.not_item()?;
        Ok(Pair::Entry(key, value))
    }

    fn not_item(&mut self) -> Parse<Node> {
        self.deeper(Parser::item)
    }

    /// `->(a) { … }`
    fn arrow(&mut self, line: u32) -> Parse<Node> {
        self.scoped(false, |p| {
            let params = if p.eat_op("(") {
                let params = p.params(")")?;
                p.expect_op(")")?;
                params
            } else if p.is_op("{") || p.is_word("do") {
                Vec::new()
            } else {
                p.params("{")?
            };
            let outer = std::mem::take(&mut p.numbered);
            let body = if p.eat_op("{") {
                let body = p.statements(&[])?;
                p.expect_op("}")?;
                body
            } else {
                p.expect_word("do")?;
                p.body(line)?
            };
            let numbered = std::mem::replace(&mut p.numbered, outer);
            let (locals, names) = (Vec::new(), p.own_names(numbered));
            let plain = are_plain(&params, &names);
            let lambda = Lambda { params, trailing_comma: false, body, locals, names, plain, line, numbered };
            Ok(Node::new(NodeKind::Lambda(Arc::new(lambda)), line))
        })
    }

    fn keyword(&mut self, word: &'static str, line: u32) -> Parse<Node> {
        let node = |kind| Ok(Node::new(kind, line));
        match word {
            "nil" => node(NodeKind::Nil),
            "true" => node(NodeKind::Bool(true)),
            "false" => node(NodeKind::Bool(false)),
            "self" => node(NodeKind::SelfRef),
            "__FILE__" => node(NodeKind::File),
            "__LINE__" => node(NodeKind::Int(i64::from(line))),
            "if" => self.if_rest(line, false),
            "unless" => self.if_rest(line, true),
            "while" => self.while_rest(line, true),
            "until" => self.while_rest(line, false),
            "for" => self.for_rest(line),
            "case" => self.case_rest(line),
            "begin" => self.begin_rest(line),
            "def" => self.def_rest(line),
            "class" => self.class_rest(line, true),
            "module" => self.class_rest(line, false),
            "return" => {
                let value = self.jump_value()?;
                node(NodeKind::Return(value))
            }
            "break" => {
                let value = self.jump_value()?;
                node(NodeKind::Break(value))
            }
            "next" => {
                let value = self.jump_value()?;
                node(NodeKind::Next(value))
            }
            "redo" => node(NodeKind::Redo),
            "retry" => node(NodeKind::Retry),
            "yield" => {
                let (args, _, _) = self.arguments()?;
                node(NodeKind::Yield(args))
            }
            "super" => {
                let given = self.is_op("(") && !self.space_at(0) || self.starts_argument();
                let commanded = given && !self.is_op("(");
                let (args, block_arg, keywords) = self.arguments()?;
                let braces = self.is_op("{") && !commanded;
                let block = if braces || (self.is_word("do") && !self.no_do) { self.block()? } else { None };
                let name = Name::new("super");
                let call = Call {
                    receiver: None,
                    safe: false,
                    name,
                    args,
                    keywords,
                    block_arg,
                    block,
                    bare: false,
                    site: Site::new(name),
                };
                node(NodeKind::Super(Box::new(call), given))
            }
            "not" => {
                self.at -= 1;
                self.expression()
            }
            "defined?" => {
                self.at -= 1;
                self.ternary()
            }
            "alias" => {
                let (new, old) = (self.alias_name()?, self.alias_name()?);
                node(NodeKind::Alias(new, old))
            }
            "BEGIN" | "END" | "undef" | "__ENCODING__" => self.unsupported(&format!("'{word}'")),
            word => {
                self.at -= 1;
                self.unexpected(&Kind::Keyword(word))
            }
        }
    }

    /// Parses a name after `alias`: of a method, as a name or symbol, or of a global variable.
    fn alias_name(&mut self) -> Parse<Name> {
        match self.kind().cloned() {
            Some(Kind::Symbol(name) | Kind::GVar(name)) => {
                self.at += 1;
                Ok(Name::new(&name))
            }
            _ => self.def_name(),
        }
    }

    /// Parses the value of `return`, `break` or `next`. Several values are an array.
    fn jump_value(&mut self) -> Parse<Option<Box<Node>>> {
        let line = self.line();
        let ends = matches!(
            self.kind(),
            None | Some(
                Kind::Newline
                    | Kind::Op("}" | ")" | "]" | ":")
                    | Kind::Keyword("if" | "unless" | "end" | "while" | "until" | "and" | "or")
            )
        );
        if ends {
            return Ok(None);
        }
        if self.starts_pair() {
            let pairs = self.bare_pairs()?;
            return Ok(Some(Box::new(Node::new(NodeKind::Hash(pairs), line))));
        }
        let first = self.item()?;
        if !self.is_op(",") && !matches!(first.kind, NodeKind::Splat(_)) {
            return Ok(Some(Box::new(first)));
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            self.skip_newlines();
            items.push(self.item()?);
        }
        Ok(Some(Box::new(Node::new(NodeKind::Array(items), line))))
    }

    /// Parses calls, indexes and constants after an expression.
    pub(super) fn postfix(&mut self, mut node: Node) -> Parse<Node> {
        let mut rounds = 0usize;
        loop {
            rounds += 1;
            if rounds > 2000 {
                return self.unsupported("chains of calls this long");
            }
            let Some(token) = self.peek() else { return Ok(node) };
            let (line, space) = (token.line, token.space);
            match &token.kind {
                Kind::Op(op @ ("." | "&.")) => {
                    let safe = *op == "&.";
                    self.at += 1;
                    node = self.dotted(node, safe)?;
                }
                Kind::Op("::") if !space => {
                    self.at += 1;
                    let called = matches!(self.kind_at(1), Some(Kind::Op("("))) && !self.space_at(1);
                    let constant =
                        matches!(self.kind(), Some(Kind::Const(_))) && !called && !self.commands(1) && !self.lists(1);
                    if constant {
                        if let Some(Kind::Const(name)) = self.next().map(|token| token.kind) {
                            node = Node::new(NodeKind::Const(Some(Some(Box::new(node))), Name::new(&name)), line);
                        }
                    } else {
                        node = self.dotted(node, false)?;
                    }
                }
                Kind::Op("[") if !space || indexable(&node) => {
                    self.at += 1;
                    let args = self.list("]")?;
                    node = super::expression::operator(node, "[]", args, line);
                }
                Kind::Op("(") if !space && matches!(node.kind, NodeKind::Lambda(_)) => return Ok(node),
                _ => return Ok(node),
            }
        }
    }

    /// Parses the method call after a dot.
    fn dotted(&mut self, receiver: Node, safe: bool) -> Parse<Node> {
        self.skip_newlines();
        let Some(token) = self.next() else { return self.missing("method name") };
        // The line of a call is that of its name.
        let line = token.line;
        let name = match token.kind {
            Kind::Ident(name) | Kind::Const(name) => Name::new(&name),
            Kind::Keyword(word) => Name::new(word),
            // `x ? a.b: c`, without a space before the colon, is not Ruby.
            Kind::Label(name) => {
                return self.fail(format!("syntax error, unexpected '{name}:'"));
            }
            Kind::Op("(") => {
                self.at -= 1;
                Name::new("call")
            }
            Kind::Op(op)
                if matches!(
                    op,
                    "+" | "-"
                        | "*"
                        | "/"
                        | "%"
                        | "=="
                        | "<"
                        | ">"
                        | "<="
                        | ">="
                        | "<=>"
                        | "<<"
                        | "!"
                        | "==="
                        | "=~"
                        | "&"
                        | "|"
                        | "^"
                        | "**"
                ) =>
            {
                Name::new(op)
            }
            Kind::Op("[") => {
                self.expect_op("]")?;
                Name::new("[]")
            }
            kind => {
                self.at -= 1;
                return self.unexpected(&kind);
            }
        };
        self.call_rest(Some(receiver), safe, name, line, true)
    }
}

/// Whether `x [1]`, with a space, is an index: for all nodes except a constant, which could be a method. For methods, `[1]` has been
/// parsed as their argument.
fn indexable(node: &Node) -> bool {
    !matches!(node.kind, NodeKind::Const(..))
}

/// A number that a method of `String` computes from its digits: fractions, and integers of more than 128 bits.
fn read_from(text: &str, method: &str, args: Vec<Node>, line: u32) -> Node {
    let receiver = Node::new(NodeKind::Str(Arc::from(text)), line);
    super::expression::operator(receiver, method, args, line)
}
