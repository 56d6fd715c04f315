//! Escapes and references to groups.
//!
//! In: the parser after a backslash. Out: the node of the escape. Must not: know the contents of groups.

use super::Charset;
use super::Node;
use super::Options;
use super::Parser;
use super::Target;
use super::literal;
use crate::class;

/// An approximation of an extended grapheme cluster: line ends, flags, emoji sequences, a base with its marks.
const GRAPHEME: &str = r"(?>\r\n|\p{RI}\p{RI}|\p{Extended_Pictographic}(?:[\p{M}\p{EMod}]|\x{200D}\p{Extended_Pictographic})*|[^\p{M}\p{Cc}][\p{M}\x{200D}]*|(?s:.))";

impl Parser {
    /// The groups of each target; empty for a number without a group. Numbers are an error if any group has a name.
    pub(super) fn resolve(&self) -> Result<Vec<Vec<usize>>, String> {
        let named = self.groups.iter().any(Option::is_some);
        let mut resolved = Vec::with_capacity(self.targets.len());
        for (target, call) in &self.targets {
            resolved.push(match target {
                Target::Number(_) if named => return Err("numbered backref/call is not allowed. (use name)".into()),
                Target::Number(n) if (1..=self.groups.len()).contains(n) => vec![n - 1],
                Target::Number(n) if *call => return Err(format!("undefined group <{n}> reference")),
                Target::Number(_) => Vec::new(),
                Target::Ahead(..) if named => return Err("numbered backref/call is not allowed. (use name)".into()),
                Target::Ahead(first, n) if *n > 0 && first + n <= self.groups.len() => vec![first + n - 1],
                Target::Ahead(_, n) => return Err(format!("undefined group <{n}> reference")),
                Target::Name(name, first) => {
                    let found: Vec<usize> = (0..first.unwrap_or(self.groups.len()))
                        .filter(|i| self.groups[*i].as_ref() == Some(name))
                        .collect();
                    if found.is_empty() {
                        return Err(format!("undefined name <{name}> reference"));
                    }
                    if *call && found.len() > 1 {
                        return Err(format!("multiplex definition name <{name}> call"));
                    }
                    found
                }
            });
        }
        Ok(resolved)
    }

    /// Reads an escape outside of a class.
    pub(super) fn parse_escape(&mut self, options: &Options) -> Result<Node, String> {
        let Some(c) = self.next() else { return Err("too short escape sequence".into()) };
        let ascii = options.charset == Charset::Ascii;
        Ok(match c {
            'A' => Node::Assert(r"\A"),
            'z' => Node::Assert(r"\z"),
            'Z' => Node::TextEnd,
            'b' => Node::Assert(if ascii { r"(?-u:\b)" } else { r"\b" }),
            'B' if ascii => {
                Node::Fancy(r"(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))".into(), true)
            }
            'B' => Node::Assert(r"\B"),
            'G' => Node::Fancy(r"\G".into(), true),
            'K' => Node::Fancy(r"\K".into(), true),
            'R' => Node::Fancy(r"(?>\r\n|[\n-\r\x{85}\x{2028}\x{2029}])".into(), false),
            'X' => Node::Fancy(GRAPHEME.into(), false),
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => {
                // With case folding, `\w` would contain the Kelvin sign, which it does not in Ruby.
                let set = class::shorthand(c, options.charset);
                Node::Char(if options.ignore_case { format!("(?-i:{set})") } else { set })
            }
            'p' | 'P' if self.peek() == Some('{') => {
                Node::Char(class::parse_property(self, c == 'P', options.charset)?)
            }
            'k' | 'g' if matches!(self.peek(), Some('<' | '\'')) => self.parse_reference(c == 'g')?,
            '1'..='9' => match self.parse_back_reference(c)? {
                Some(node) => node,
                None => Node::Char(escaped(class::parse_octal(self, c)?)),
            },
            'u' if self.peek() == Some('{') => {
                let chars = class::parse_code_points(self)?;
                Node::Concat(chars.into_iter().map(|c| Node::Char(escaped(c))).collect())
            }
            c => {
                let character = class::parse_escaped_char(self, c)?;
                Node::Char(if character == c { literal(c) } else { escaped(character) })
            }
        })
    }

    /// Reads `\k<…>` or `\g<…>`.
    pub(super) fn parse_reference(&mut self, call: bool) -> Result<Node, String> {
        let close = if self.next() == Some('\'') { '\'' } else { '>' };
        let name = self.parse_group_name(close)?;
        if call && name == "0" {
            return Ok(Node::Call(None));
        }
        let (plain, level) = if call { (name.as_str(), None) } else { split_level(&name) };
        let target = self.parse_target(plain, call)?;
        let at = self.add_target(target, call)?;
        Ok(if call { Node::Call(Some(at)) } else { Node::BackReference { groups: vec![at], level } })
    }

    /// Reads a backreference: `\1` to `\9` always, more digits only if the pattern has opened as many groups; else they are an octal
    /// escape.
    fn parse_back_reference(&mut self, first: char) -> Result<Option<Node>, String> {
        let mark = self.mark();
        let mut number = first.to_digit(10).unwrap_or(0) as usize;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit as usize);
            self.at += 1;
        }
        if number <= 9 || number <= self.groups.len() {
            let at = self.add_target(Target::Number(number), false)?;
            return Ok(Some(Node::BackReference { groups: vec![at], level: None }));
        }
        self.rewind(mark);
        Ok(None)
    }
}

/// A character that was written by its code, in the engines' syntax. An ASCII one does not fold together with adjacent characters.
fn escaped(c: char) -> String {
    if c.is_ascii() { format!("\\x{{{:X}}}", u32::from(c)) } else { literal(c) }
}

/// Splits `n+1` or `n-1` into the name and the level.
fn split_level(name: &str) -> (&str, Option<i64>) {
    let Some(sign) = name.rfind(['+', '-']).filter(|at| *at > 0) else { return (name, None) };
    let (plain, level) = name.split_at(sign);
    match level.strip_prefix('+').unwrap_or(level).parse() {
        Ok(level) => (plain, Some(level)),
        Err(_) => (name, None),
    }
}
