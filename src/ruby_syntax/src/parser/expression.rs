//! Operators by precedence: `not`, `and`, `or`, assignment, `?:`, ranges, binary and unary operators.

use super::Parse;
use super::Parser;
use crate::ast::Call;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::StrPart;
use crate::inline_cache::Site;
use crate::lexer::Kind;
use catwalk_base::names::Name;

/// The precedence of a binary operator; a higher level binds tighter.
fn precedence(op: &str) -> Option<usize> {
    Some(match op {
        "||" => 0,
        "&&" => 1,
        "<=>" | "==" | "===" | "!=" | "=~" | "!~" => 2,
        "<" | "<=" | ">" | ">=" => 3,
        "|" | "^" => 4,
        "&" => 5,
        "<<" | ">>" => 6,
        "+" | "-" => 7,
        "*" | "/" | "%" => 8,
        _ => return None,
    })
}

impl Parser {
    /// Parses an expression with `and`, `or`, `not`. Each operand may be matched with a pattern (`value => pattern`, `value in pattern`).
    pub(super) fn expression(&mut self) -> Parse<Node> {
        let first = self.not()?;
        let left = self.pattern_match(first)?;
        self.and_or_rest(left)
    }

    /// Parses the subject of `case`, after which `in` begins the first clause.
    pub(super) fn case_subject(&mut self) -> Parse<Node> {
        let left = self.not()?;
        self.and_or_rest(left)
    }

    fn and_or_rest(&mut self, mut left: Node) -> Parse<Node> {
        let mut length = 0;
        loop {
            self.extend_chain(&mut length)?;
            let line = self.line();
            if self.eat_word("and") {
                self.skip_newlines();
                let right = self.not()?;
                let right = self.pattern_match(right)?;
                left = Node::new(NodeKind::And(Box::new(left), Box::new(right)), line);
            } else if self.eat_word("or") {
                self.skip_newlines();
                let right = self.not()?;
                let right = self.pattern_match(right)?;
                left = Node::new(NodeKind::Or(Box::new(left), Box::new(right)), line);
            } else {
                return Ok(left);
            }
        }
    }

    fn not(&mut self) -> Parse<Node> {
        let line = self.line();
        if self.eat_word("not") {
            let inner = self.with_depth(Parser::not)?;
            return Ok(Node::new(NodeKind::Not(Box::new(inner)), line));
        }
        self.assignment()
    }

    /// Parses an item of a list or an argument, including `*list`.
    pub(super) fn item(&mut self) -> Parse<Node> {
        let line = self.line();
        if self.eat_op("*") {
            let list = self.ternary()?;
            return Ok(Node::new(NodeKind::Splat(Some(Box::new(list))), line));
        }
        self.not()
    }

    /// Parses assignments, which are right-associative. The value may be a command with a `rescue` modifier.
    pub(super) fn assignment(&mut self) -> Parse<Node> {
        let line = self.line();
        let left = self.ternary()?;
        let Some(Kind::Op(op)) = self.kind() else { return Ok(left) };
        let op = *op;
        let operator = match op {
            "=" => None,
            "+=" | "-=" | "*=" | "/=" | "%=" | "**=" | "||=" | "&&=" | "<<=" | ">>=" | "|=" | "&=" | "^=" => {
                Some(Name::new(op.trim_end_matches('=')))
            }
            _ => return Ok(left),
        };
        let target = match self.as_target(left) {
            Ok(target) => target,
            Err(_) => return self.fail(format!("syntax error, unexpected '{op}'")),
        };
        self.at += 1;
        self.skip_newlines();
        self.declare_target(&target);
        let value = self.with_depth(|p| {
            let line = p.line();
            if p.is_op("*") {
                let mut items = vec![p.item()?];
                while p.eat_op(",") {
                    items.push(p.item()?);
                }
                return Ok(Node::new(NodeKind::Array(items), line));
            }
            p.not()
        })?;
        let value = if self.is_word("rescue") && !matches!(value.kind, NodeKind::Assign(..)) {
            let line = self.line();
            self.at += 1;
            self.skip_newlines();
            let body = self.with_depth(Parser::not)?;
            super::statement::with_rescue(value, body, line)
        } else {
            value
        };
        let (target, value) = (Box::new(target), Box::new(value));
        Ok(Node::new(
            match operator {
                None => NodeKind::Assign(target, value),
                Some(operator) => NodeKind::OpAssign(target, operator, value, Site::new(operator)),
            },
            line,
        ))
    }

    /// `a ? b : c`
    pub(super) fn ternary(&mut self) -> Parse<Node> {
        let line = self.line();
        let test = self.range()?;
        if !self.eat_op("?") {
            return Ok(test);
        }
        self.skip_newlines();
        let yes = self.with_depth(|p| p.in_brackets(Parser::assignment))?;
        self.skip_newlines();
        // The lexer reads a symbol in `a ? b :c` and a label in `a ? x y: z`.
        let no = match self.kind().cloned() {
            Some(Kind::Op(":")) => {
                self.at += 1;
                self.skip_newlines();
                self.with_depth(Parser::assignment)?
            }
            _ => return self.missing(":"),
        };
        Ok(Node::new(NodeKind::If(Box::new(test), Box::new(yes), Box::new(no)), line))
    }

    pub(super) fn range(&mut self) -> Parse<Node> {
        let line = self.line();
        let open = |p: &Parser| matches!(p.kind(), Some(Kind::Op(".." | "...")));
        let from = if open(self) { None } else { Some(self.binary(0)?) };
        if !open(self) {
            return match from {
                Some(node) => Ok(node),
                None => self.missing("expression"),
            };
        }
        let exclusive = self.is_op("...");
        self.at += 1;
        let ends = matches!(
            self.kind(),
            None | Some(Kind::Newline | Kind::Op(")" | "]" | "," | "=>") | Kind::Keyword("then" | "do"))
        );
        let to = if ends { None } else { Some(Box::new(self.binary(0)?)) };
        Ok(Node::new(NodeKind::Range(from.map(Box::new), to, exclusive), line))
    }

    /// Parses operands and the operators between them of at least this level.
    fn binary(&mut self, min_level: usize) -> Parse<Node> {
        let mut left = self.unary()?;
        let mut length = 0;
        // `defined?` and `!` include operators of higher levels; `unary` has parsed them completely.
        loop {
            self.extend_chain(&mut length)?;
            let Some(Kind::Op(op)) = self.kind() else { return Ok(left) };
            let op = *op;
            let Some(level) = precedence(op).filter(|level| *level >= min_level) else { return Ok(left) };
            if op == "|" && self.no_pipe {
                return Ok(left);
            }
            let line = self.line();
            self.at += 1;
            self.skip_newlines();
            // `a && b = c`, `a || not b`
            let right = if (level < 2 && self.is_word("not")) || self.starts_assignment() {
                self.with_depth(Parser::not)?
            } else {
                self.binary(level + 1)?
            };
            let kind = match op {
                "||" => NodeKind::Or(Box::new(left), Box::new(right)),
                "&&" => NodeKind::And(Box::new(left), Box::new(right)),
                "!=" | "!~" => {
                    let name = if op == "!=" { "==" } else { "=~" };
                    NodeKind::Not(Box::new(operator_call(left, name, vec![right], line)))
                }
                "=~" => self.match_with_names(left, right, line),
                op => operator_call(left, op, vec![right], line).kind,
            };
            left = Node::new(kind, line);
        }
    }

    /// `/(?<name>…)/ =~ string`: declares local variables for the named groups. The match is stored in a variable whose name is
    /// not valid in Ruby.
    fn match_with_names(&mut self, left: Node, right: Node, line: u32) -> NodeKind {
        let names = match &left.kind {
            NodeKind::Regexp(parts, ..) => group_names(parts),
            _ => Vec::new(),
        };
        let match_call = operator_call(left, "=~", vec![right], line);
        if names.is_empty() {
            return match_call.kind;
        }
        let local = |name| Node::new(NodeKind::local(name), line);
        let assign = |name, value| Node::new(NodeKind::Assign(Box::new(local(name)), Box::new(value)), line);
        let match_variable = Name::new("=~");
        let mut steps = vec![assign(match_variable, match_call)];
        for name in names {
            self.declare(name);
            let last_match = Node::new(NodeKind::GVar(Name::new("~")), line);
            let group = Node::new(NodeKind::Symbol(name.as_str().into()), line);
            let mut value = operator_call(last_match, "[]", vec![group], line);
            if let NodeKind::Call(call) = &mut value.kind {
                call.safe = true;
            }
            steps.push(assign(name, value));
        }
        steps.push(local(match_variable));
        NodeKind::Block(steps)
    }

    /// Whether the next tokens are a variable and `=`.
    fn starts_assignment(&self) -> bool {
        matches!(self.kind(), Some(Kind::Ident(_) | Kind::IVar(_) | Kind::GVar(_)))
            && matches!(self.kind_at(1), Some(Kind::Op("=" | "||=" | "+=" | "-=")))
    }

    fn unary(&mut self) -> Parse<Node> {
        let line = self.line();
        match self.kind() {
            Some(Kind::Op("!")) => {
                self.at += 1;
                let inner = self.with_depth(Parser::unary)?;
                Ok(Node::new(NodeKind::Not(Box::new(inner)), line))
            }
            Some(Kind::Op("-")) => {
                self.at += 1;
                // The sign of a number binds tighter than `.` but looser than `**`.
                if let (Some(Kind::Int(_) | Kind::Float(_)), false) = (self.kind(), self.space_at(0)) {
                    let negative = match self.next().map(|token| token.kind) {
                        Some(Kind::Int(n)) => NodeKind::Int(-n),
                        Some(Kind::Float(f)) => NodeKind::Float(-f),
                        _ => NodeKind::Nil,
                    };
                    let node = Node::new(negative, line);
                    let node = self.postfix(node)?;
                    return self.power(node);
                }
                let inner = self.with_depth(Parser::unary)?;
                Ok(operator_call(inner, "-@", Vec::new(), line))
            }
            Some(Kind::Op("+")) => {
                self.at += 1;
                let inner = self.with_depth(Parser::unary)?;
                Ok(operator_call(inner, "+@", Vec::new(), line))
            }
            Some(Kind::Op("~")) => {
                self.at += 1;
                let inner = self.with_depth(Parser::unary)?;
                Ok(operator_call(inner, "~", Vec::new(), line))
            }
            Some(Kind::Op("&")) => self.unexpected(&Kind::Op("&")),
            Some(Kind::Keyword("defined?")) => {
                self.at += 1;
                let inner = if self.is_op("(") && !self.space_at(0) {
                    self.at += 1;
                    let inner = self.in_brackets(Parser::expression)?;
                    self.skip_newlines();
                    self.expect_op(")")?;
                    let node = Node::new(NodeKind::Defined(Box::new(inner)), line);
                    let node = self.postfix(node)?;
                    return self.power(node);
                } else {
                    self.with_depth(Parser::unary)?
                };
                Ok(Node::new(NodeKind::Defined(Box::new(inner)), line))
            }
            _ => {
                let node = self.primary_with_postfix()?;
                self.power(node)
            }
        }
    }

    fn power(&mut self, base: Node) -> Parse<Node> {
        let line = self.line();
        if !self.eat_op("**") {
            return Ok(base);
        }
        self.skip_newlines();
        let exponent = self.with_depth(Parser::unary)?;
        // `-2 ** 2` is `-(2 ** 2)`.
        match base.kind {
            NodeKind::Int(n) if n < 0 => {
                let positive = Node::new(NodeKind::Int(-n), line);
                Ok(operator_call(operator_call(positive, "**", vec![exponent], line), "-@", Vec::new(), line))
            }
            _ => Ok(operator_call(base, "**", vec![exponent], line)),
        }
    }
}

/// The call of an operator's method.
pub(super) fn operator_call(receiver: Node, name: &str, args: Vec<Node>, line: u32) -> Node {
    let name = Name::new(name);
    let call = Call {
        receiver: Some(receiver),
        safe: false,
        name,
        args,
        keywords: false,
        block_arg: None,
        block: None,
        bare: false,
        site: Site::new(name),
    };
    Node::new(NodeKind::Call(Box::new(call)), line)
}

/// The names of groups that can be names of variables; empty for a regular expression with interpolations.
fn group_names(parts: &[StrPart]) -> Vec<Name> {
    let [StrPart::Literal(source)] = parts else { return Vec::new() };
    let mut names: Vec<Name> = Vec::new();
    for (at, _) in source.match_indices("(?<") {
        let escaped =
            source.get(..at).is_some_and(|before| before.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1);
        let name = source.get(at + 3..).and_then(|rest| rest.split_once('>')).map_or("", |(name, _)| name);
        let plain = name.starts_with(|c: char| c == '_' || c.is_lowercase())
            && name.chars().all(|c| c == '_' || c.is_alphanumeric());
        if plain && !escaped && !names.contains(&Name::new(name)) {
            names.push(Name::new(name));
        }
    }
    names
}
