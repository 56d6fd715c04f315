//! Heredocs with a declared syntax: `@(END:json)`. (`evaluator/external_syntax_support.rb`, `syntax_checkers/`)

use crate::ast::ExprKind;
use crate::ast::Heredoc;
use crate::check_embedded_source;
use crate::validate::Checker;
use catwalk_base::diag::Code;

impl Checker<'_> {
    /// Checks texts without interpolation if there is a checker for the syntax, or for the part after a `+` in it.
    pub(super) fn check_heredoc(&mut self, heredoc: &Heredoc) {
        let (Some(syntax), ExprKind::Str(text), false) = (heredoc.syntax, &heredoc.text.kind, self.stopped) else {
            return;
        };
        let (code, (problem, messages)) = match syntax.rsplit('+').next().unwrap_or("") {
            "json" => (Code::ILLEGAL_JSON, (check_json(text), Vec::new())),
            "base64" => (Code::ILLEGAL_BASE64, (check_base64(text), Vec::new())),
            "pp" if syntax == "pp" => (Code::ILLEGAL_PP, check_embedded_source(text, false, self.options)),
            "epp" if syntax == "epp" => (Code::ILLEGAL_EPP, check_embedded_source(text, true, self.options)),
            _ => return,
        };
        let Some(message) = problem else {
            self.diagnostics.extend(messages);
            return;
        };
        // Puppet raises immediately: earlier and later findings are not reported.
        self.diagnostics.clear();
        let message = format!("Invalid produced text having syntax: '{syntax}'. {message}");
        self.accept(code, message, heredoc.text.span);
        if let Some(last) = self.diagnostics.last_mut() {
            last.summarized = messages;
        }
        self.stopped = true;
    }
}

fn cap(message: &str, length: usize) -> String {
    let capped: String = message.chars().take(length).collect();
    capped.replace("\r\n", "\\n").replace('\n', "\\n")
}

fn check_json(text: &str) -> Option<String> {
    let (number, at) = Json { text, at: 0, depth: 0 }.check().err()?;
    // The message of Ruby's parser: the line number in its source code, and the rest of the text.
    let message = match number {
        NESTED_TOO_DEEPLY => format!("nesting of {} is too deep", MAX_NESTING + 1),
        number => format!("{number}: unexpected token at '{}'", text.get(at..).unwrap_or("")),
    };
    Some(format!("JSON syntax checker: Cannot parse invalid JSON string. \"{}\"", cap(&message, 100)))
}

/// Ruby's `max_nesting`.
const MAX_NESTING: usize = 100;

/// A replacement for the line number: too many levels.
const NESTED_TOO_DEEPLY: u32 = 0;

/// Checks a JSON text without building values.
struct Json<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

/// Whether there is a value. Ruby's parser raises immediately inside an array, and drops an unfinished object.
type ParseOutcome = Result<bool, (u32, usize)>;

impl Json<'_> {
    fn check(&mut self) -> Result<(), (u32, usize)> {
        self.skip();
        let start = self.at;
        if !self.value()? {
            return Err((859, start));
        }
        self.skip();
        if self.at < self.text.len() { Err((859, self.at)) } else { Ok(()) }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// White space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let (open, close) = if rest.starts_with("//") { ("//", "\n") } else { ("/*", "*/") };
            if let Some(comment) = rest.strip_prefix(open) {
                let Some(end) = comment.find(close) else { return };
                self.at += open.len() + end + close.len();
            } else if rest.starts_with([' ', '\t', '\r', '\n']) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn value(&mut self) -> ParseOutcome {
        for word in ["null", "true", "false"] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(true);
            }
        }
        for (word, number) in [("NaN", 225), ("Infinity", 232), ("-Infinity", 249)] {
            if self.rest().starts_with(word) {
                // For `Infinity`, Ruby shows only the rest after the word.
                return Err((number, if number == 232 { self.at + word.len() } else { self.at }));
            }
        }
        match self.peek() {
            Some(b'"') => Ok(self.string()),
            Some(open @ (b'[' | b'{')) => {
                self.depth += 1;
                if self.depth > MAX_NESTING {
                    return Err((NESTED_TOO_DEEPLY, self.at));
                }
                self.at += 1;
                let found = if open == b'[' { self.array() } else { self.object() };
                self.depth -= 1;
                found
            }
            _ => Ok(self.number()),
        }
    }

    fn array(&mut self) -> ParseOutcome {
        self.skip();
        if self.eat(b']') {
            return Ok(true);
        }
        loop {
            let start = self.at;
            if !self.value()? {
                return Err((451, start));
            }
            self.skip();
            if self.eat(b']') {
                return Ok(true);
            }
            if !self.eat(b',') {
                return Err((451, self.at));
            }
            self.skip();
        }
    }

    fn object(&mut self) -> ParseOutcome {
        self.skip();
        if self.eat(b'}') {
            return Ok(true);
        }
        loop {
            if !self.string() {
                return Ok(false);
            }
            self.skip();
            if !self.eat(b':') {
                return Ok(false);
            }
            self.skip();
            if !self.value()? {
                return Ok(false);
            }
            self.skip();
            if self.eat(b'}') {
                return Ok(true);
            }
            if !self.eat(b',') {
                return Ok(false);
            }
            self.skip();
        }
    }

    fn string(&mut self) -> bool {
        let Some(body) = self.rest().strip_prefix('"') else { return false };
        let mut escaped = false;
        for (n, byte) in body.bytes().enumerate() {
            match byte {
                0..=0x1f => return false,
                b'"' if !escaped => {
                    self.at += n + 2;
                    return true;
                }
                byte => escaped = byte == b'\\' && !escaped,
            }
        }
        false
    }

    fn number(&mut self) -> bool {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let whole = sign + if bytes.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
        if whole == sign || digits(whole) > 0 {
            return false;
        }
        let mut end = whole;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        // A part that does not belong to a float belongs to what follows.
        let float = end > whole && !matches!(bytes.get(end), Some(b'0'..=b'9' | b'e' | b'E' | b'.' | b'-'));
        self.at += if float { end } else { whole };
        true
    }
}

fn check_base64(text: &str) -> Option<String> {
    use base64::Engine;
    let clean: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'?')).collect();
    if base64::engine::general_purpose::STANDARD.decode(&clean).is_ok() {
        return None;
    }
    let why = if !(clean.len() * 8).is_multiple_of(6) {
        "padding is not correct"
    } else {
        "contains letters outside strict base 64 range (or whitespace)"
    };
    Some(format!("Base64 syntax checker: Cannot parse invalid Base64 string - {why}"))
}
