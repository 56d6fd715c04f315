//! Values of HOCON: lists, texts with and without quotes, and what stands for a value of somewhere else.
//!
//! In: the place where a value begins. Out: a node, resolved later. Must not: know objects or files.

use super::Parser;
use super::resolve;
use crate::data::hocon::resolve::Node;
use crate::meter;
use crate::value::Value;
use crate::value::number::text_to_n;

impl Parser<'_> {
    /// `${path}` or `${?path}`
    pub(super) fn substitution(&mut self) -> Result<Node, String> {
        let line = self.line();
        self.at += 2;
        let optional = self.eat("?");
        let path = self.path()?;
        if path.iter().all(String::is_empty) && self.peek() == Some('}') {
            return Err(self.fail("Expecting a field name or path here, but got nothing"));
        }
        if !self.eat("}") {
            let token = "'end of file' (Substitution ${ was not closed with a })";
            return Err(self.fail(&format!("Expecting a value but got wrong token: {token}")));
        }
        Ok(Node::Substitution { path, optional, line })
    }

    /// One value: pieces one after the other are joined.
    pub(super) fn value(&mut self) -> Result<Node, String> {
        meter::tick(1);
        let mut pieces: Vec<(String, Node)> = Vec::new();
        let line = self.line();
        loop {
            let start = self.at;
            self.blank(false);
            let gap = self.text.get(start..self.at).unwrap_or("");
            let gap = if pieces.is_empty() { String::new() } else { gap.to_owned() };
            let piece = match self.peek() {
                Some('{') => self.object()?,
                Some('[') => self.array()?,
                Some('"') => Node::Done(Value::from(self.quoted()?)),
                Some('$') if self.rest().starts_with("${") => self.substitution()?,
                None | Some('\n' | ',' | '}' | ']') => break,
                Some('=' | ':' | '+' | '?' | '`' | '^' | '!' | '@' | '*' | '&' | '\\' | '$') => {
                    let token = self.token();
                    return Err(self.fail(&format!("Expecting a value but got wrong token: {token}")));
                }
                Some(_) => Node::Word(self.unquoted()),
            };
            pieces.push((gap, piece));
        }
        if pieces.len() > 1 {
            return Ok(resolve::pieces(pieces, line));
        }
        match pieces.pop() {
            Some((_, piece)) => Ok(piece),
            None => {
                let token = self.token();
                Err(self.fail(&format!("Expecting a value but got wrong token: {token}")))
            }
        }
    }

    pub(super) fn array(&mut self) -> Result<Node, String> {
        self.bump();
        self.nested(|parser| {
            let mut items = Vec::new();
            loop {
                parser.blank(true);
                if parser.eat("]") {
                    return Ok(Node::List(items));
                }
                items.push(parser.value()?);
                let broken = parser.blank(true);
                if !parser.eat(",") && !broken && parser.peek() != Some(']') {
                    let token = parser.token();
                    return Err(
                        parser.fail(&format!("List should have ended with ] or had a comma, instead had {token}"))
                    );
                }
            }
        })
    }

    pub(super) fn unquoted(&mut self) -> String {
        let mut text = String::new();
        while let Some(found) = self.peek() {
            if found.is_whitespace() || "$\"{}[]:=,+#`^?!@*&\\".contains(found) || self.comment() {
                break;
            }
            text.push(found);
            self.bump();
        }
        text
    }

    pub(super) fn quoted(&mut self) -> Result<String, String> {
        if self.eat("\"\"\"") {
            let Some(end) = self.rest().find("\"\"\"") else {
                return Err(self.fail("End of input but triple-quoted string was still open"));
            };
            // Further quotes belong to the text.
            let more = self.rest().get(end + 3..).unwrap_or("").chars().take_while(|c| *c == '"').count();
            let text = self.rest().get(..end + more).unwrap_or("").to_owned();
            self.at += end + more + 3;
            return Ok(text);
        }
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(text),
                None | Some('\n') => return Err(self.fail("End of input but string quote was still open")),
                Some('\\') => text.push(self.escape()?),
                Some(found) => text.push(found),
            }
        }
    }

    pub(super) fn escape(&mut self) -> Result<char, String> {
        Ok(match self.bump() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let digits = self.rest().get(..4).unwrap_or("").to_owned();
                self.at += digits.len();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| self.fail(&format!("Malformed hex digits after \\u escape in string: '{digits}'")))?
            }
            Some(found @ ('"' | '\\' | '/')) => found,
            found => {
                let found = found.map(String::from).unwrap_or_default();
                return Err(self.fail(&format!("backslash followed by '{found}', this is not a valid escape sequence")));
            }
        })
    }
}

/// What an unquoted word that stands alone is.
pub(super) fn literal(word: Value) -> Value {
    let Value::Str(text) = &word else { return word };
    let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match text.as_ref() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Undef,
        text if number && !text.contains(['x', 'X']) => {
            // A leading zero is no octal here.
            let digits = text.trim_start_matches('-').trim_start_matches('0');
            match text.parse::<i64>() {
                Ok(n) => Value::Int(n),
                Err(_) if digits.is_empty() => word,
                Err(_) => text_to_n(text).unwrap_or(word),
            }
        }
        _ => word,
    }
}
