//! HOCON as Ruby's `hocon` reads it: what configuration files use of it. Substitutions and includes are not there.
//!
//! In: a text. Out: a value. Must not: read files.

use crate::value::Hash;
use crate::value::Value;
use crate::value::number::text_to_n;

/// Deepest nesting.
const LIMIT: u32 = 200;

/// Parses a text; `origin` is what the reference's messages start with (`String`, or a file's name).
///
/// # Errors
/// The reference's message with the line, for what it says most often; a substitution or include is not supported yet.
pub fn parse(text: &str, origin: &str) -> Result<Value, String> {
    let mut parser = Parser { text, at: 0, origin, depth: 0 };
    parser.blank(true);
    let value = match parser.peek() {
        Some('[') => parser.value()?,
        Some('{') => parser.object()?,
        None => Value::hash(Hash::new()),
        _ => parser.fields(None)?,
    };
    parser.blank(true);
    match parser.peek() {
        None => Ok(value),
        Some(found) => {
            Err(parser.fail(&format!("Document has trailing tokens after first object or array: '{found}'")))
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    origin: &'t str,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let found = self.peek()?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn fail(&self, message: &str) -> String {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = 1 + memchr::memchr_iter(b'\n', before.as_bytes()).count();
        format!("{}: {line}: {message}", self.origin)
    }

    /// What stands here, for messages.
    fn token(&self) -> String {
        match self.peek() {
            None => "end of file".to_owned(),
            Some('\n') => "newline".to_owned(),
            Some(found) => format!("'{found}'"),
        }
    }

    fn comment(&self) -> bool {
        self.rest().starts_with('#') || self.rest().starts_with("//")
    }

    /// Skips blanks and comments, line breaks too where they mean nothing. Whether there was one.
    fn blank(&mut self, lines: bool) -> bool {
        let mut broken = false;
        loop {
            match self.peek() {
                Some('\n') if lines => broken = true,
                Some('\n') | None => return broken,
                Some('\u{feff}') => {}
                Some(found) if found.is_whitespace() => {}
                Some(_) if self.comment() => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += length;
                    continue;
                }
                Some(_) => return broken,
            }
            self.bump();
        }
    }

    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= LIMIT {
            return Err(self.fail("nesting is too deep"));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    fn object(&mut self) -> Result<Value, String> {
        self.bump();
        self.nested(|parser| parser.fields(Some('}')))
    }

    fn fields(&mut self, end: Option<char>) -> Result<Value, String> {
        let mut fields = Hash::new();
        loop {
            self.blank(true);
            match self.peek() {
                found if found == end => {
                    self.bump();
                    return Ok(Value::hash(fields));
                }
                None => return Err(self.fail("Expecting close brace } or a field name here, got end of file")),
                _ => {}
            }
            if self.rest().starts_with("include ") {
                return Err("not supported yet: include in HOCON".to_owned());
            }
            let path = self.path()?;
            self.blank(false);
            let append = self.eat("+=");
            if !append && !matches!(self.peek(), Some('{')) && !self.eat("=") && !self.eat(":") {
                let (key, token) = (path.join("."), self.token());
                return Err(self.fail(&format!("Key '{key}' may not be followed by token: {token}")));
            }
            self.blank(true);
            let value = self.value()?;
            set(&mut fields, &path, value, append);
            let broken = self.blank(true);
            if !self.eat(",") && !broken && self.peek() != end {
                let token = self.token();
                return Err(self.fail(&format!("Expecting close brace }} or a comma, got {token}")));
            }
        }
    }

    /// A key: parts between dots; blanks inside belong to it.
    fn path(&mut self) -> Result<Vec<String>, String> {
        let mut parts = Vec::new();
        let mut part = String::new();
        loop {
            match self.peek() {
                Some('"') => part.push_str(&self.quoted()?),
                Some('.') => {
                    self.bump();
                    parts.push(std::mem::take(&mut part).trim().to_owned());
                }
                Some(found) if !"{}[],:=+\n#".contains(found) && !self.comment() => {
                    part.push(found);
                    self.bump();
                }
                _ => break,
            }
        }
        parts.push(part.trim().to_owned());
        Ok(parts)
    }

    /// One value: pieces one after the other are joined.
    fn value(&mut self) -> Result<Value, String> {
        let mut pieces: Vec<(Value, bool)> = Vec::new();
        let mut text = String::new();
        loop {
            let start = self.at;
            self.blank(false);
            let gap = self.text.get(start..self.at).unwrap_or("");
            let piece = match self.peek() {
                Some('{') => (self.object()?, false),
                Some('[') => (self.array()?, false),
                Some('"') => (Value::from(self.quoted()?), false),
                Some('$') if self.rest().starts_with("${") => {
                    return Err("not supported yet: substitutions in HOCON".to_owned());
                }
                None | Some('\n' | ',' | '}' | ']') => break,
                Some('=' | ':' | '+' | '?' | '`' | '^' | '!' | '@' | '*' | '&' | '\\') => {
                    let token = self.token();
                    return Err(self.fail(&format!("Expecting a value but got wrong token: {token}")));
                }
                Some(_) => (Value::from(self.unquoted()), true),
            };
            if !pieces.is_empty() {
                text.push_str(gap);
            }
            text.push_str(&crate::value::to_puppet_string(&piece.0));
            pieces.push(piece);
        }
        if pieces.iter().all(|(piece, _)| matches!(piece, Value::Hash(_))) && pieces.len() > 1 {
            let all = pieces.into_iter().map(|(piece, _)| piece);
            return Ok(all.reduce(|old, new| merged(&old, new)).unwrap_or(Value::Undef));
        }
        if pieces.iter().all(|(piece, _)| matches!(piece, Value::Array(_))) && pieces.len() > 1 {
            let items = pieces.iter().filter_map(|(piece, _)| match piece {
                Value::Array(items) => Some(items.iter().cloned()),
                _ => None,
            });
            return Ok(Value::array(items.flatten().collect()));
        }
        match pieces.len() {
            0 => {
                let token = self.token();
                Err(self.fail(&format!("Expecting a value but got wrong token: {token}")))
            }
            1 => Ok(pieces.into_iter().map(|(piece, plain)| if plain { literal(piece) } else { piece }).next())
                .map(|value| value.unwrap_or(Value::Undef)),
            _ => Ok(Value::from(text)),
        }
    }

    fn array(&mut self) -> Result<Value, String> {
        self.bump();
        self.nested(|parser| {
            let mut items = Vec::new();
            loop {
                parser.blank(true);
                if parser.eat("]") {
                    return Ok(Value::array(items));
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

    fn unquoted(&mut self) -> String {
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

    fn quoted(&mut self) -> Result<String, String> {
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

    fn escape(&mut self) -> Result<char, String> {
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
fn literal(word: Value) -> Value {
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

/// Two objects: what the new one has comes first, as in the library.
fn merged(old: &Value, new: Value) -> Value {
    match (old, new) {
        (Value::Hash(old), Value::Hash(new)) => {
            let mut result = Hash::with_capacity(old.len() + new.len());
            for (key, value) in new.iter() {
                let value = match old.get_value(key) {
                    Some(before) => merged(before, value.clone()),
                    None => value.clone(),
                };
                result.insert(key.clone(), value);
            }
            for (key, value) in old.iter() {
                if !new.contains(key) {
                    result.insert(key.clone(), value.clone());
                }
            }
            Value::hash(result)
        }
        (_, new) => new,
    }
}

fn set(fields: &mut Hash, path: &[String], value: Value, append: bool) {
    let Some((first, rest)) = path.split_first() else { return };
    let old = fields.get(first).cloned();
    let new = if rest.is_empty() {
        match (&old, append) {
            (Some(Value::Array(items)), true) => {
                Value::array(items.iter().cloned().chain(std::iter::once(value)).collect())
            }
            (_, true) => Value::array(vec![value]),
            _ => value,
        }
    } else {
        let mut inner = Hash::new();
        set(&mut inner, rest, value, append);
        Value::hash(inner)
    };
    let new = match &old {
        Some(old) => merged(old, new),
        None => new,
    };
    fields.set(first, new);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::value::to_program;

    #[test]
    fn objects_lists_and_words() {
        let text = "// c\na { b = 1, c: [1, 2.5, true, null, foo bar] }\na.d = \"x\" # c\n\
                    xs = { subkey = value xs.subkey (from global hocon) }\nvalid hocon: string\nt = \"\"\"raw\n\"\"\"\n\
                    a { e += 3 }\n";
        assert_eq!(
            to_program(&parse(text, "String").unwrap()),
            "{'a' => {'e' => [3], 'd' => 'x', 'b' => 1, 'c' => [1, 2.5, true, undef, 'foo bar']}, \
             'xs' => {'subkey' => 'value xs.subkey (from global hocon)'}, 'valid hocon' => 'string', 't' => \"raw\\n\"}"
        );
    }

    #[test]
    fn broken_texts_fail() {
        let message = parse("invalid", "String").unwrap_err();
        assert_eq!(message, "String: 1: Key 'invalid' may not be followed by token: end of file");
        for text in ["a = ", "a = [1", "{", "a = \"x", "a = ${b}", "include \"x\"", "a = \"\\q\""] {
            assert!(parse(text, "String").is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(5000), "String").is_err());
        assert!(parse(&"a{".repeat(5000), "String").is_err());
    }
}
