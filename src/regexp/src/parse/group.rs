//! Groups: captures, look-arounds, conditions, atomic groups.
//!
//! In: the parser after `(`. Out: the node of the group. Must not: read classes and escapes.

use super::Node;
use super::Options;
use super::Parser;
use super::Target;

impl Parser {
    pub(super) fn parse_group(&mut self, options: &Options) -> Result<Node, String> {
        if !self.eat("?") {
            return self.parse_capture(None, options);
        }
        let node = match self.peek() {
            None => return Err("end pattern in group".into()),
            Some(':') => Node::Group(self.skip(1).parse_body(options)?),
            Some('=') => Node::LookAhead { negative: false, node: self.skip(1).parse_body(options)? },
            Some('!') => Node::LookAhead { negative: true, node: self.skip(1).parse_body(options)? },
            Some('>') => Node::Atomic(self.skip(1).parse_body(options)?),
            Some('~') => Node::Absent(self.skip(1).parse_body(options)?),
            Some('<') if self.peek_at(1) == Some('=') => {
                Node::LookBehind { negative: false, node: self.skip(2).parse_body(options)? }
            }
            Some('<') if self.peek_at(1) == Some('!') => {
                Node::LookBehind { negative: true, node: self.skip(2).parse_body(options)? }
            }
            Some('<') if self.peek_at(1).is_none() => return Err("end pattern with unmatched parenthesis".into()),
            Some(open @ ('<' | '\'')) => {
                self.at += 1;
                let name = self.parse_group_name(if open == '<' { '>' } else { '\'' })?;
                if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
                    return Err(format!("invalid group name <{name}>"));
                }
                return self.parse_capture(Some(name), options);
            }
            Some('(') => return self.skip(1).parse_condition(options),
            Some(c) if "imxadu-".contains(c) => {
                let inner = self.parse_option_letters(*options)?;
                if self.next() != Some(':') {
                    return Err("undefined group option".into());
                }
                let node = self.parse_body(&inner)?;
                Node::Case(inner.ignore_case, node)
            }
            Some(_) => return Err("undefined group option".into()),
        };
        Ok(node)
    }

    fn skip(&mut self, count: usize) -> &mut Self {
        self.at += count;
        self
    }

    /// Reads the contents of a group and its closing parenthesis.
    fn parse_body(&mut self, options: &Options) -> Result<Box<Node>, String> {
        let node = self.parse_alternation(&mut options.clone())?;
        if !self.eat(")") {
            return Err("end pattern with unmatched parenthesis".into());
        }
        Ok(Box::new(node))
    }

    fn parse_capture(&mut self, name: Option<String>, options: &Options) -> Result<Node, String> {
        let index = self.groups.len();
        self.groups.push(name);
        Ok(Node::Capture(index, self.parse_body(options)?))
    }

    pub(super) fn parse_group_name(&mut self, close: char) -> Result<String, String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(c) if c == close => break,
                Some(')') | None if !name.is_empty() => return Err(format!("invalid group name <{name}>")),
                Some(')') | None => return Err("group name is empty".into()),
                Some(c) => name.push(c),
            }
        }
        if name.is_empty() { Err("group name is empty".into()) } else { Ok(name) }
    }

    fn parse_condition(&mut self, options: &Options) -> Result<Node, String> {
        let target = match self.peek() {
            Some(c) if c.is_ascii_digit() => {
                let name = self.parse_group_name(')')?;
                let number = name.parse().map_err(|_| format!("invalid group name <{name}>"))?;
                self.at -= 1;
                Target::Number(number)
            }
            None => return Err("undefined group option".into()),
            Some(open @ ('<' | '\'')) => {
                self.at += 1;
                let name = self.parse_group_name(if open == '<' { '>' } else { '\'' })?;
                self.parse_target(&name, false)?
            }
            _ => return Err("invalid conditional pattern".into()),
        };
        if !self.eat(")") {
            return Err("invalid conditional pattern".into());
        }
        let group = self.add_target(target, false)?;
        let (yes, no) = match *self.parse_body(options)? {
            Node::Alternate(mut branches) if branches.len() == 2 => {
                let no = branches.pop().unwrap_or(Node::Empty);
                (branches.pop().unwrap_or(Node::Empty), no)
            }
            // Ruby checks for more than two alternatives after all other errors: see `check_conditions`.
            Node::Alternate(branches) => (Node::Empty, Node::Alternate(branches)),
            node => (node, Node::Empty),
        };
        Ok(Node::Condition { group, yes: Box::new(yes), no: Box::new(no) })
    }

    /// The target of `name`, `1` or `-1` between the angle brackets of `\k` and `\g`.
    pub(super) fn parse_target(&self, name: &str, call: bool) -> Result<Target, String> {
        let invalid = || "invalid backref number/name".to_owned();
        if let Some(ahead) = name.strip_prefix('+').filter(|_| call) {
            let ahead: usize = ahead.parse().map_err(|_| invalid())?;
            return Ok(Target::Ahead(self.groups.len(), ahead));
        }
        if let Some(back) = name.strip_prefix('-') {
            let back: usize = back.parse().map_err(|_| invalid())?;
            return (self.groups.len() + 1)
                .checked_sub(back)
                .filter(|n| *n > 0)
                .map(Target::Number)
                .ok_or_else(invalid);
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return name.parse().map(Target::Number).map_err(|_| invalid());
        }
        Ok(Target::Name(name.to_owned(), (!call).then_some(self.groups.len())))
    }

    /// Adds a target to resolve and returns its index. Only a call may precede its group.
    pub(super) fn add_target(&mut self, target: Target, call: bool) -> Result<usize, String> {
        if let Target::Name(name, _) = &target
            && !call
            && !self.groups.iter().flatten().any(|known| known == name)
        {
            return Err(format!("undefined name <{name}> reference"));
        }
        self.targets.push((target, call));
        Ok(self.targets.len() - 1)
    }
}
