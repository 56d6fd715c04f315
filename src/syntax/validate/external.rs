//! Heredocs that claim a syntax: `@(END:json)`. (`evaluator/external_syntax_support.rb`, `syntax_checkers/`)

use std::sync::Arc;

use crate::diag::Severity;
use crate::source::SourceMap;
use crate::syntax::Options;
use crate::syntax::ast::ExprKind;
use crate::syntax::ast::Heredoc;
use crate::syntax::parse_with;
use crate::syntax::validate::Checker;

impl Checker<'_> {
    /// Texts without interpolation are checked if there is a checker for the syntax, or for what follows a `+` in it.
    pub(super) fn check_heredoc(&mut self, heredoc: &Heredoc) {
        let (Some(syntax), ExprKind::Str(text)) = (heredoc.syntax, &heredoc.text.kind) else { return };
        let found = match syntax.rsplit('+').next().unwrap_or("") {
            "json" => check_json(text).map(|message| ("ILLEGAL_JSON", message)),
            "base64" => check_base64(text).map(|message| ("ILLEGAL_BASE64", message)),
            "pp" if syntax == "pp" => check_puppet(text, false).map(|message| ("ILLEGAL_PP", message)),
            "epp" if syntax == "epp" => check_puppet(text, true).map(|message| ("ILLEGAL_EPP", message)),
            _ => None,
        };
        if let Some((code, message)) = found {
            // The reference raises at once: what it found before and would find later is not reported.
            self.found.clear();
            let message = format!("Invalid produced text having syntax: '{syntax}'. {message}");
            self.accept(code, message, heredoc.text.span);
            self.stopped = true;
        }
    }
}

fn cap(message: &str, length: usize) -> String {
    let capped: String = message.chars().take(length).collect();
    capped.replace("\r\n", "\\n").replace('\n', "\\n")
}

fn check_json(text: &str) -> Option<String> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    // As Ruby's parser words it: the text from the token it could not read on.
    let line_start = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let rest = text.get(at..).unwrap_or("").trim_start();
    Some(format!(
        "JSON syntax checker: Cannot parse invalid JSON string. \"{}\"",
        cap(&format!("unexpected token at '{rest}'"), 100)
    ))
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

fn check_puppet(text: &str, template: bool) -> Option<String> {
    let sources = SourceMap::new();
    let id = sources.add(None, "", Arc::from(text));
    let (_, diagnostics) = parse_with(&sources, id, &Options { template, ..Options::default() });
    let errors: Vec<_> = diagnostics.iter().filter(|found| found.severity >= Severity::Error).collect();
    let first = errors.first()?;
    let message = first.puppet_text(&sources);
    let name = if template { "EPP" } else { "PP" };
    Some(format!("{name} syntax checker: \"{}\"", cap(&message, 500)))
}
