//! Fields and values in PQL.

use serde_json::Number;
use serde_json::Value;

use super::DOTTED;
use super::NAME;
use super::Parser;

const DIGITS: &str = "#\"[0-9]+\"";

impl Parser<'_> {
    /// A field, which may be dotted, verbatim.
    pub(super) fn field(&mut self) -> Option<Value> {
        let start = self.at;
        if let Some(dotted) = self.attempt(Self::dotted) {
            return Some(dotted);
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(is_part).len();
        if length == 0 {
            DOTTED.iter().for_each(|name| self.expect(name));
            self.expect(NAME);
            return None;
        }
        self.at += length;
        if self.rest().starts_with('?') {
            self.at += 1;
        }
        Some(Value::from(&self.source[start..self.at]))
    }

    fn dotted(&mut self) -> Option<Value> {
        let start = self.at;
        let name = DOTTED.iter().find(|name| self.rest().starts_with(**name))?;
        self.at += name.len();
        let mut parts = 0;
        while self.rest().starts_with('.') {
            let Some(length) = component(&self.rest()[1..]) else { break };
            self.at += 1 + length;
            parts += 1;
        }
        (parts > 0).then(|| Value::from(&self.source[start..self.at]))
    }

    /// A string, a number, a boolean or a list.
    pub(super) fn value(&mut self) -> Option<Value> {
        let list = self.attempt(|parser| parser.bracketed(Self::value));
        list.map(Value::Array).or_else(|| self.boolean()).or_else(|| self.string_or_number())
    }

    fn boolean(&mut self) -> Option<Value> {
        if self.literal("false").is_some() {
            return Some(Value::Bool(false));
        }
        self.literal("true").map(|()| Value::Bool(true))
    }

    /// A string or a number.
    pub(super) fn string_or_number(&mut self) -> Option<Value> {
        self.attempt(Self::number).or_else(|| self.attempt(Self::string))
    }

    pub(super) fn integer(&mut self) -> Option<Value> {
        let start = self.at;
        let _ = self.literal("-");
        self.digits()?;
        Some(Value::from(self.source[start..self.at].parse::<i64>().ok()?))
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if length == 0 {
            self.expect(DIGITS);
            return None;
        }
        self.at += length;
        Some(())
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        let _ = self.literal("-");
        self.digits()?;
        if !self.rest().starts_with('.') {
            return Some(Value::from(self.source[start..self.at].parse::<i64>().ok()?));
        }
        self.at += 1;
        self.digits()?;
        self.attempt(|parser| {
            if !parser.rest().starts_with(['e', 'E']) {
                return None;
            }
            parser.at += 1;
            if parser.rest().starts_with(['+', '-']) {
                parser.at += 1;
            }
            parser.digits()?;
            Some(())
        });
        Number::from_f64(self.source[start..self.at].parse().ok()?).map(Value::Number)
    }

    /// A string in single quotes, in which only `\'` is an escape, or in double quotes, with the escapes of JSON.
    pub(super) fn string(&mut self) -> Option<Value> {
        if self.literal("\"").is_some() {
            let inner = self.take_until('"');
            self.literal("\"")?;
            return serde_json::from_str(&format!("\"{inner}\"")).ok();
        }
        self.literal("'")?;
        let inner = self.take_until('\'').replace("\\'", "'");
        self.literal("'")?;
        Some(Value::from(inner))
    }

    /// Consumes everything before the next unescaped quote.
    fn take_until(&mut self, quote: char) -> String {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.find(|c: char| {
            let found = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            found
        });
        let inner = &rest[..end.unwrap_or(rest.len())];
        self.at += inner.len();
        inner.to_owned()
    }
}

/// The length of a component after a dot: `"quoted"`, `match(…)`, `name`, `name[5]`.
fn component(text: &str) -> Option<usize> {
    if text.starts_with('"') {
        let mut ends = text.match_indices('"').skip(1).map(|(at, _)| at + 1);
        return ends.find(|end| text[*end..].starts_with(|c: char| c == '.' || c.is_whitespace()));
    }
    if text.starts_with("match(") {
        return text.find(')').map(|at| at + 1);
    }
    let is_part =
        |c: char| !c.is_whitespace() && !matches!(c, '.' | '"' | ',' | '[' | ']' | '!' | '<' | '=' | '>' | '~');
    let name = text.len() - text.trim_start_matches(is_part).len();
    if name == 0 {
        return None;
    }
    let index = text[name..].strip_prefix('[').and_then(|rest| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (digits > 0 && rest[digits..].starts_with(']')).then_some(digits + 2)
    });
    Some(name + index.unwrap_or(0))
}
