//! Syntax checks of heredocs that name their syntax, `@("END":json)` (Puppet::SyntaxCheckers).

use base64::Engine;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_value::data::json;

impl Evaluator<'_> {
    /// Checks a string whose syntax is known; other syntaxes are not checked.
    ///
    /// # Errors
    /// `Invalid produced text having syntax: …`
    pub(super) fn check_syntax(&mut self, text: &str, syntax: &str, span: Span) -> Res<()> {
        // The last part matters most: `x+json` is checked as JSON.
        let (code, checked) = match syntax.rsplit('+').next() {
            Some("json") => (Code::ILLEGAL_JSON, check_json(text)),
            Some("base64") => (Code::ILLEGAL_BASE64, check_base64(text)),
            Some("pp") => (Code::ILLEGAL_PP, self.check_puppet(text, false)),
            Some("epp") => (Code::ILLEGAL_EPP, self.check_puppet(text, true)),
            _ => return Ok(()),
        };
        checked.map_err(|detail| {
            let message = format!("Invalid produced text having syntax: '{syntax}'. {detail}");
            Stop::Failed(Box::new(Diagnostic::new(Reason::new(code, message), Some(span))))
        })
    }

    fn check_puppet(&mut self, text: &str, template: bool) -> Result<(), String> {
        let (error, logs) = catwalk_syntax::check_embedded_source(text, template, &self.settings.syntax());
        self.logs.extend(logs);
        error.map_or(Ok(()), Err)
    }
}

fn check_json(text: &str) -> Result<(), String> {
    match json::parse(text.as_bytes()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let detail = shortened(&error.message, 100);
            Err(format!("JSON syntax checker: Cannot parse invalid JSON string. \"{detail}\""))
        }
    }
}

fn check_base64(text: &str) -> Result<(), String> {
    let cleaned: String = text.chars().filter(|c| !matches!(c, '\r' | '?' | '\n' | ' ' | '\t')).collect();
    if base64::engine::general_purpose::STANDARD.decode(&cleaned).is_ok() {
        return Ok(());
    }
    let detail = if (cleaned.len() * 8).is_multiple_of(6) {
        "contains letters outside strict base 64 range (or whitespace)"
    } else {
        "padding is not correct"
    };
    Err(format!("Base64 syntax checker: Cannot parse invalid Base64 string - {detail}"))
}

/// The first characters, with line ends as `\n`.
fn shortened(text: &str, length: usize) -> String {
    text.chars().take(length).collect::<String>().replace("\r\n", "\\n").replace('\n', "\\n")
}
