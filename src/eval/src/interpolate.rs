//! Values as strings: interpolation, heredocs, and messages.

use std::fmt::Write;
use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use catwalk_base::meter;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::Heredoc;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::printing::push_puppet_string;
use catwalk_value::to_puppet_string;

/// The capacity of the largest buffer that is reused for the next interpolation, in bytes.
const MAX_REUSED_CAPACITY: usize = 4096;

impl<'c> Evaluator<'c> {
    /// `"a ${b} c"`
    pub(super) fn eval_interpolated(&mut self, parts: &'c [Expr]) -> Res<Value> {
        // The buffer of the last interpolation is reused: the result is copied anyway.
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        let printed = self.printed_count();
        let done = self.add_parts(&mut text, parts);
        self.set_printed(printed, &text);
        meter::charge(text.len());
        let value = done.map(|binary| match binary {
            // The first part determines the encoding, unless a later part is not ASCII.
            Some(first) if text.get(first..).is_some_and(str::is_ascii) => Value::Str(Str::binary(&*text)),
            _ => Value::str(&text),
        });
        if text.capacity() <= MAX_REUSED_CAPACITY {
            self.buffer = text;
        }
        value
    }

    /// Appends the parts to a string. Returns the end of the first part if it is a binary string.
    fn add_parts(&mut self, text: &mut String, parts: &'c [Expr]) -> Res<Option<usize>> {
        let mut binary = None;
        for (at, part) in parts.iter().enumerate() {
            match &part.kind {
                ExprKind::Str(constant) => text.push_str(constant),
                _ => {
                    let value = self.eval(part)?;
                    push_interpolated(text, &value);
                    self.note_printed(&value, part.span);
                    if at == 0 && matches!(&value, Value::Str(first) if first.is_binary()) {
                        binary = Some(text.len());
                    }
                    self.check_text(text.len())?;
                }
            }
        }
        Ok(binary)
    }

    /// `${expr}`; a bare word is the name of a variable.
    pub(super) fn eval_as_string(&mut self, inner: &'c Expr) -> Res<Value> {
        let value = match &inner.kind {
            ExprKind::Bareword(name) => self.eval_variable(*name, inner.span)?,
            _ => self.eval(inner)?,
        };
        Ok(match value {
            Value::Str(text) => Value::Str(text),
            other => {
                let text = to_puppet_string(&other);
                self.note_printed(&other, inner.span);
                Value::from(text)
            }
        })
    }

    pub(super) fn eval_heredoc(&mut self, heredoc: &'c Heredoc) -> Res<Value> {
        let value = self.eval(&heredoc.text)?;
        // A constant string was checked by the parser's validation.
        if let (Some(syntax), Value::Str(text)) = (heredoc.syntax, &value)
            && !matches!(heredoc.text.kind, ExprKind::Str(_))
        {
            self.check_syntax(text, syntax.as_str(), heredoc.text.span)?;
        }
        Ok(value)
    }
}

/// Appends a value as interpolation prints it.
pub(crate) fn push_interpolated(out: &mut String, value: &Value) {
    match value {
        Value::Str(text) => out.push_str(text),
        Value::Undef => {}
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        other => push_puppet_string(other, out),
    }
}

/// A value as interpolation prints it, without copying a string.
pub(crate) fn to_interpolated(value: &Value) -> Arc<str> {
    match value {
        Value::Str(text) => text.to_shared(),
        other => to_puppet_string(other),
    }
}

/// The string with `a` or `an` before it, chosen as Puppet::Pops::LabelProvider does: by the first letter, without quotes.
pub(crate) fn article(text: &str) -> String {
    let first = text.trim_start_matches(['"', '\'']).chars().next().unwrap_or(' ');
    let vowel = matches!(first.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    format!("{} {text}", if vowel { "an" } else { "a" })
}
