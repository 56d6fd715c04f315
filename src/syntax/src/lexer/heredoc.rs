//! Heredocs: `@(END:syntax/escapes)` and the text on the following lines. (`heredoc_support.rb`)

use catwalk_base::diag::Code;
use std::borrow::Cow;

use crate::lexer::Failure;
use crate::lexer::LexResult;
use crate::lexer::Lexer;
use crate::lexer::max_string_depth;
use crate::lexer::string::Escapes;
use crate::lexer::string::Terminator;
use crate::token::Kind;

/// Maps a heredoc's text without margin to the surrounding source.
pub(super) struct Context<'c> {
    parent: Option<&'c Context<'c>>,
    /// For each line: its start in the text, and the corresponding offset in the parent.
    lines: Vec<(usize, usize)>,
    /// The start of the first line in the parent, before its margin.
    leading: usize,
    escapes: Escapes,
    interpolate: bool,
}

impl Context<'_> {
    /// Converts an offset of the heredoc's text to one of the file.
    pub(super) fn global(&self, at: usize) -> u32 {
        let local = if at == 0 {
            // Puppet does not add the margin at the very start.
            self.leading
        } else {
            let line = self.lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            self.lines.get(line).map_or(self.leading, |(start, outer)| outer + (at - start))
        };
        match self.parent {
            Some(parent) => parent.global(local),
            None => u32::try_from(local).unwrap_or(u32::MAX),
        }
    }

    /// Converts an end offset, which stays on the line of the last byte.
    pub(super) fn global_end(&self, end: usize) -> u32 {
        if end == 0 { self.global(0) } else { self.global(end - 1).saturating_add(1) }
    }
}

/// The text between the parentheses.
struct Tag<'s> {
    name: &'s str,
    syntax: &'s str,
    escapes: Escapes,
    interpolate: bool,
}

/// The line that ends a heredoc.
struct EndLine<'s> {
    /// White space before the `|`, or before the tag.
    leading: &'s str,
    margin: bool,
    remove_break: bool,
}

impl<'s> Lexer<'s, '_> {
    pub(super) fn start_heredoc(&mut self) -> LexResult<Option<Kind>> {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or("");
        let Some(length) = memchr::memchr(b')', rest.as_bytes()) else {
            let message = format!("Unclosed parenthesis after '@(' followed by '{}'", self.followed_by());
            return self.fail(Code::HEREDOC_UNCLOSED_PARENTHESIS, message, start);
        };
        let after = start + length + 1;
        self.pos = after;
        let tag = self.heredoc_tag(rest.get(..=length).unwrap_or(""), after)?;
        let value = {
            let from = tag.syntax.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
            if tag.syntax.is_empty() { self.piece(after, after) } else { self.piece(from, from + tag.syntax.len()) }
        };
        self.push_value(Kind::Heredoc, start, after, value);
        let text_start = match self.newline_jump {
            Some(jump) => jump,
            None => match memchr::memchr(b'\n', self.bytes.get(after..).unwrap_or(&[])) {
                Some(length) => after + length + 1,
                None => {
                    return self.fail(Code::HEREDOC_WITHOUT_TEXT, "Heredoc without any following lines of text", after);
                }
            },
        };
        let mut lines = Vec::new();
        let mut at = text_start;
        while at < self.bytes.len() {
            let tail = self.bytes.get(at..).unwrap_or(&[]);
            let length = memchr::memchr(b'\n', tail).map_or(tail.len(), |n| n + 1);
            let line = self.text.get(at..at + length).unwrap_or("");
            at += length;
            if let Some(end) = end_line(line, tag.name) {
                self.newline_jump = Some(at);
                return self.heredoc_text(text_start, &lines, &end, &tag);
            }
            lines.push(line);
        }
        self.searched += self.bytes.len() - text_start.min(self.bytes.len());
        self.fail(Code::HEREDOC_WITHOUT_END_TAGGED_LINE, "Heredoc without end-tagged line", text_start)
    }

    /// Reads `@(tag:syntax/escapes)`.
    fn heredoc_tag(&self, text: &'s str, at: usize) -> LexResult<Tag<'s>> {
        // Puppet's pattern may also match at a later `@(` of the same text.
        let parts = text.match_indices("@(").find_map(|(start, _)| tag_parts(text.get(start + 2..)?));
        let Some((name, syntax, escapes)) = parts else {
            let message = "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])";
            return self.fail(Code::HEREDOC_INVALID_SYNTAX, message, at);
        };
        let mut name = name.trim();
        let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if let Some(inner) = quoted {
            name = inner.trim();
        }
        if name.is_empty() {
            return self.fail(Code::HEREDOC_EMPTY_ENDTAG, "Heredoc with an empty endtag", at);
        }
        let escapes = match escapes {
            None => Escapes::default(),
            Some("") => self.heredoc_escapes("trnsuL$", at)?,
            Some(escapes) => self.heredoc_escapes(escapes, at)?,
        };
        Ok(Tag { name, syntax, escapes, interpolate: quoted.is_some() })
    }

    fn heredoc_escapes(&self, flags: &str, at: usize) -> LexResult<Escapes> {
        let chars: Vec<char> = flags.chars().collect();
        if chars.iter().enumerate().any(|(i, c)| chars.iter().take(i).any(|before| before == c)) {
            let list: Vec<String> = chars.iter().map(char::to_string).collect();
            let message = format!("An escape char for @() may only appear once. Got '{}'", list.join(", "));
            return self.fail(Code::HEREDOC_MULTIPLE_AT_ESCAPES, message, at);
        }
        let mut escapes = Escapes { backslash: true, ..Escapes::default() };
        for c in chars {
            match c {
                't' => escapes.t = true,
                'r' => escapes.r = true,
                'n' => escapes.n = true,
                's' => escapes.s = true,
                'u' => escapes.u = true,
                '$' => escapes.dollar = true,
                'L' => escapes.newline = true,
                other => {
                    let message =
                        format!("Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{other}'");
                    return self.fail(Code::HEREDOC_INVALID_ESCAPE, message, at);
                }
            }
        }
        Ok(escapes)
    }

    /// Removes the margin and lexes the text.
    fn heredoc_text(
        &mut self,
        start: usize,
        lines: &[&str],
        end: &EndLine<'_>,
        tag: &Tag<'_>,
    ) -> LexResult<Option<Kind>> {
        let mut text = String::new();
        let mut line_starts = Vec::with_capacity(lines.len() + 1);
        let mut outer = start;
        for line in lines {
            let content = if end.margin { line.strip_prefix(end.leading).unwrap_or(line) } else { line };
            line_starts.push((text.len(), outer + line.len() - content.len()));
            text.push_str(content);
            outer += line.len();
        }
        if end.remove_break && text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        if self.depth >= max_string_depth() {
            let message =
                format!("Text is nested too deeply: more than {} levels of interpolation", max_string_depth());
            return self.fail(Code::NESTED_TOO_DEEPLY, message, self.pos);
        }
        let context = Context {
            parent: self.heredoc.as_ref(),
            lines: line_starts,
            leading: start,
            escapes: tag.escapes,
            interpolate: tag.interpolate,
        };
        let mut inner = Lexer::new(&text, self.tokens);
        inner.depth = self.depth + 1;
        inner.heredoc = Some(context);
        let done = inner.interpolated(0, Kind::String, Lexer::heredoc_piece);
        let offset = done.as_ref().err().map(|failure| inner.global(failure.at));
        match done {
            Ok(_) => Ok(None),
            // The position is already one of the file: revert the conversion that reporting in this lexer applies.
            Err(failure) => Err(Failure { at: self.local(offset.unwrap_or(0)), ..failure }),
        }
    }

    /// The inverse of [`Lexer::global`], exact enough to report an error in a nested text.
    fn local(&self, global: u32) -> usize {
        let global = global as usize;
        match &self.heredoc {
            None => global,
            Some(_) => (0..=self.bytes.len()).find(|at| self.global(*at) as usize >= global).unwrap_or(0),
        }
    }

    /// The next piece of a heredoc's text: up to an interpolation if there is one, otherwise all of it.
    fn heredoc_piece(&mut self) -> LexResult<(Cow<'s, str>, Terminator)> {
        let start = self.pos;
        let (escapes, interpolate) =
            self.heredoc.as_ref().map_or((Escapes::default(), false), |context| (context.escapes, context.interpolate));
        let end = if interpolate { self.next_dollar(escapes.dollar) } else { None };
        let (end, terminator) = match end {
            None => (self.bytes.len(), Terminator::End),
            Some(at) if self.bytes.get(at + 1) == Some(&b'{') => (at, Terminator::Expression),
            Some(at) => (at, Terminator::Dollar),
        };
        self.pos = match terminator {
            Terminator::End => end,
            Terminator::Expression => end + 2,
            Terminator::Dollar => end + 1,
        };
        self.matched = Some((start, self.pos));
        let text = self.text.get(start..end).unwrap_or("");
        let slashes = text.len() - text.trim_end_matches('\\').len();
        if interpolate && escapes.dollar && terminator == Terminator::End && slashes % 2 == 1 {
            // Puppet's search for the end of the text regards it as escaped and does not check whether it was found.
            return self.fail(Code::HEREDOC_ENDS_WITH_BACKSLASH, "undefined method `length' for nil:NilClass", end);
        }
        let text = self.unescape(text, start, escapes)?;
        Ok((text, terminator))
    }

    fn next_dollar(&self, escaped: bool) -> Option<usize> {
        let mut slashes = 0_usize;
        for (ahead, byte) in self.bytes.get(self.pos..)?.iter().enumerate() {
            match byte {
                b'\\' => slashes += 1,
                b'$' if !escaped || slashes.is_multiple_of(2) => return Some(self.pos + ahead),
                _ => slashes = 0,
            }
        }
        None
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || (!c.is_ascii() && c.is_whitespace())
}

/// The parts of `tag[:syntax][/escapes])`; `None` if it does not have that form.
fn tag_parts(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let end = text.find([':', '/', '\r', '\n', ')'])?;
    let (name, mut rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    let mut syntax = "";
    if let Some(tail) = rest.strip_prefix(':') {
        let tail = tail.trim_start_matches(is_blank);
        let length = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '+').unwrap_or(tail.len());
        (syntax, rest) = tail.split_at(length);
        if length < 2 || !syntax.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        rest = rest.trim_start_matches(is_blank);
    }
    let mut escapes = None;
    if let Some(tail) = rest.strip_prefix('/') {
        let length = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(tail.len());
        escapes = tail.get(..length);
        rest = tail.get(length..)?.trim_start_matches(is_blank);
    }
    rest.starts_with(')').then_some((name, syntax, escapes))
}

/// Parses a line as the end of the heredoc `tag`; `None` if it is not. As in Puppet, text before the tag is ignored.
fn end_line<'s>(line: &'s str, tag: &str) -> Option<EndLine<'s>> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let before = line.trim_end_matches(is_blank).strip_suffix(tag)?;
    let mut rest = before.trim_end_matches(is_blank);
    let mut blank = &before[rest.len()..];
    let mut remove_break = false;
    let mut margin = false;
    let step = |rest: &'s str, mark: char| {
        let outer = rest.strip_suffix(mark)?;
        let trimmed = outer.trim_end_matches(is_blank);
        Some((trimmed, &outer[trimmed.len()..]))
    };
    if let Some(found) = step(rest, '-') {
        remove_break = true;
        (rest, blank) = found;
    }
    if let Some((_, found)) = step(rest, '|') {
        margin = true;
        blank = found;
    }
    Some(EndLine { leading: blank, margin, remove_break })
}
