//! Names, variables, numbers and symbols.

use std::sync::Arc;

use super::Kind;
use super::LexError;
use super::Lexer;
use super::Part;
use super::tables::keyword;

impl<'a> Lexer<'a> {
    pub(super) fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let ascii = rest.bytes().take_while(|c| *c == b'_' || c.is_ascii_alphanumeric()).count();
        let mut end = ascii;
        if rest.as_bytes().get(ascii).is_some_and(|c| !c.is_ascii()) {
            let rest_of_name = rest.get(ascii..).unwrap_or("");
            end += rest_of_name.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(rest_of_name.len());
        }
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    pub(super) fn word(&mut self) -> Kind {
        let start = self.at;
        self.name();
        if matches!(self.peek(), Some('?' | '!')) && self.peek_at(1) != Some('=') {
            // In `a ?b : c` the `?` is not part of the name; without a space before it, it always is.
            self.bump();
        } else if matches!(self.peek(), Some('?' | '!'))
            && self.rest().get(1..).is_some_and(|r| r.starts_with("==") || r.starts_with("=~"))
        {
            self.bump();
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        let dotted = self.after_dot();
        // `name:` is a label, except before the colon of a ternary, which has a space before it.
        let ternary = matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Op("?")));
        if self.peek() == Some(':') && self.peek_at(1) != Some(':') && !dotted && !ternary {
            self.bump();
            return Kind::Label(Arc::from(text));
        }
        let named =
            dotted || matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Keyword("def" | "alias" | "undef")));
        if let Some(word) = keyword(text)
            && (!named || (text == "self" && !dotted))
        {
            return Kind::Keyword(word);
        }
        if text.starts_with(char::is_uppercase) { Kind::Const(Arc::from(text)) } else { Kind::Ident(Arc::from(text)) }
    }

    pub(super) fn variable(&mut self) -> Result<Kind, LexError> {
        self.bump();
        let class = self.eat("@");
        let name: Arc<str> = Arc::from(self.name());
        if name.is_empty() {
            return self.fail("'@' without identifiers is not allowed as a variable name");
        }
        Ok(if class { Kind::CVar(name) } else { Kind::IVar(name) })
    }

    pub(super) fn global(&mut self) -> Result<Kind, LexError> {
        self.bump();
        let name = self.name();
        if !name.is_empty() {
            return Ok(Kind::GVar(Arc::from(name)));
        }
        match self.bump() {
            Some('-') => {
                let letter = self.bump().unwrap_or('w');
                Ok(Kind::GVar(Arc::from(format!("-{letter}"))))
            }
            Some(c) if c.is_ascii_punctuation() => Ok(Kind::GVar(Arc::from(c.to_string()))),
            _ => self.fail("'$' without identifiers is not allowed as a global variable name"),
        }
    }

    pub(super) fn number(&mut self) -> Kind {
        let start = self.at;
        let radix = match self.rest().get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => 16,
            Some("0b") => 2,
            Some("0o") => 8,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
        }
        let mut float = false;
        while let Some(c) = self.peek() {
            let next = self.peek_at(1);
            let is_digit = c.is_digit(radix) || (c == '_' && next.is_some_and(|c| c.is_digit(radix)));
            let point = c == '.' && radix == 10 && !float && next.is_some_and(|c| c.is_ascii_digit());
            let exponent = radix == 10
                && matches!(c, 'e' | 'E')
                && (next.is_some_and(|c| c.is_ascii_digit())
                    || (matches!(next, Some('-' | '+')) && self.peek_at(2).is_some_and(|c| c.is_ascii_digit())));
            if exponent {
                self.bump();
            }
            if !(is_digit || point || exponent) {
                break;
            }
            float |= point || exponent;
            self.bump();
        }
        let raw = self.text.get(start..self.at).unwrap_or("");
        let digits: String = raw.chars().filter(|c| *c != '_').collect();
        if matches!(self.peek(), Some('r' | 'i')) && !self.peek_at(1).is_some_and(char::is_alphanumeric) {
            self.bump();
            return Kind::OtherNumber(Arc::from(self.text.get(start..self.at).unwrap_or("")));
        }
        if float {
            return digits.parse().map_or_else(|_| Kind::OtherNumber(Arc::from(raw)), Kind::Float);
        }
        let octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
        let body = if radix == 10 { digits.as_str() } else { digits.get(2..).unwrap_or("") };
        i64::from_str_radix(body, if octal { 8 } else { radix })
            .map_or_else(|_| Kind::OtherNumber(Arc::from(raw)), Kind::Int)
    }

    /// Whether the colon here ends a quoted label.
    pub(super) fn ends_quoted_label(&self) -> bool {
        matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::DynamicSymbol(_)))
            && self.text.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'"')
            && !self.rest().starts_with("::")
            && !self.is_in_ternary()
    }

    pub(super) fn begins_symbol(&self) -> bool {
        match self.peek_at(1) {
            Some('"' | '\'') => !self.after_operand() || self.has_space_before(),
            Some(c) if c == '_' || c.is_alphabetic() => !self.attached_to_ternary(),
            Some('@' | '$') => true,
            Some('[' | '+' | '-' | '*' | '<' | '>' | '=' | '!' | '%' | '&' | '|' | '^' | '~' | '/') => {
                !self.after_operand() || (self.has_space_before() && !self.is_in_ternary())
            }
            _ => false,
        }
    }

    pub(super) fn has_space_before(&self) -> bool {
        self.text.as_bytes().get(self.at.wrapping_sub(1)).is_some_and(u8::is_ascii_whitespace)
    }

    /// Whether the colon here is that of a ternary and directly follows an operand: `x ?1:y`.
    pub(super) fn attached_to_ternary(&self) -> bool {
        self.after_operand() && !self.has_space_before()
    }

    pub(super) fn symbol(&mut self) -> Result<Kind, LexError> {
        self.bump();
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.bump();
                let parts = self.string_parts(quote, quote, quote == '"', false)?;
                return Ok(match parts.as_slice() {
                    [] => Kind::Symbol(Arc::from("")),
                    [Part::Literal(text)] => Kind::Symbol(Arc::from(text.as_str())),
                    _ => Kind::DynamicSymbol(parts),
                });
            }
            Some('@' | '$') => {
                let start = self.at;
                while matches!(self.peek(), Some('@' | '$')) {
                    self.bump();
                }
                self.name();
                return Ok(Kind::Symbol(Arc::from(self.text.get(start..self.at).unwrap_or(""))));
            }
            _ => {}
        }
        let start = self.at;
        if !self.name().is_empty() {
            let next = self.peek_at(1);
            match self.peek() {
                Some('?' | '!') if next != Some('=') => {
                    self.bump();
                }
                Some('=') if !matches!(next, Some('=' | '~' | '>')) => {
                    self.bump();
                }
                _ => {}
            }
        } else {
            const METHODS: [&str; 27] = [
                "[]=", "[]", "<=>", "===", "==", "=~", "!~", "!=", "**", "+@", "-@", "<<", ">>", "<=", ">=", "+", "-",
                "*", "/", "%", "<", ">", "!", "&", "|", "^", "~",
            ];
            let Some(method) = METHODS.iter().find(|method| self.rest().starts_with(**method)) else {
                return self.fail("unexpected ':'");
            };
            self.at += method.len();
        }
        Ok(Kind::Symbol(Arc::from(self.text.get(start..self.at).unwrap_or(""))))
    }
}
