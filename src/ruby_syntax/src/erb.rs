//! ERB templates with the options that Puppet uses: trim mode `-`, no `%` lines.
//!
//! In: the source of a template. Out: a Ruby program with the same line numbers, or its tree. Must not: evaluate code.
//!
//! The rules are those of `ERB::Compiler` with its `ExplicitScanner`. As in Ruby, a template is compiled to source code, because tags
//! are joined as strings: the comment in `<% # … %>` extends to the end of the line, including later tags.

use memchr::memmem;

use crate::ast::Node;
use crate::parser;
use crate::parser::ParseError;
use catwalk_base::meter;

#[cfg(test)]
mod tests;

/// Parses a template.
///
/// # Errors
/// The code of the template is not Ruby, or not supported. The line is that of the template.
pub fn parse(template: &str) -> Result<Node, ParseError> {
    parser::parse(&compile(template), true)
}

/// Compiles a template to a Ruby program.
#[must_use]
pub fn compile(template: &str) -> String {
    Compiler::new(template, false).program(template)
}

/// The tree of a template without comments and lines. Templates with equal trees have equal output. `None` if this is unknown.
#[must_use]
pub fn normalized_tree(template: &str) -> Option<Node> {
    let mut compiler = Compiler::new(template, true);
    let program = compiler.program(template);
    if compiler.is_uncertain {
        return None;
    }
    parser::parse(&program, true).ok()
}

/// The kind of an open tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Code,
    Value,
    Comment,
}

struct Compiler {
    script: String,
    line: Vec<String>,
    content: String,
    /// Whether to omit tags that contain only comments, which joins the literals around them.
    omits_comments: bool,
    /// With `omits_comments`: the literal before the open tag.
    before: String,
    /// Whether the tree may be wrong, because a comment may extend beyond its tag, or a tag is not closed.
    is_uncertain: bool,
}

impl Compiler {
    fn new(template: &str, omits_comments: bool) -> Compiler {
        Compiler {
            script: String::with_capacity(template.len() * 2),
            line: Vec::new(),
            content: String::new(),
            omits_comments,
            before: String::new(),
            is_uncertain: false,
        }
    }

    fn program(&mut self, template: &str) -> String {
        self.line.push("_erbout = +''".to_owned());
        self.scan(template);
        self.write_literal();
        self.line.push("_erbout".to_owned());
        self.end_line();
        self.script.pop();
        std::mem::take(&mut self.script)
    }

    fn scan(&mut self, text: &str) {
        let mut at = 0;
        let mut open: Option<Tag> = None;
        while at < text.len() {
            meter::tick(8);
            let rest = text.get(at..).unwrap_or("");
            match open {
                None => {
                    let (before, found, after) = next_opening(rest);
                    at += after;
                    self.text(before);
                    match found {
                        OpeningTag::Literal => self.content.push_str("<%"),
                        OpeningTag::Tag(tag) => {
                            if self.omits_comments {
                                self.before = std::mem::take(&mut self.content);
                            } else {
                                self.write_literal();
                            }
                            open = Some(tag);
                        }
                        OpeningTag::End => {}
                    }
                }
                Some(tag) => {
                    let (before, found, after) = next_closing(rest);
                    at += after;
                    self.content.push_str(before);
                    match found {
                        ClosingTag::Literal => self.content.push_str("%>"),
                        ClosingTag::End => {}
                        ClosingTag::Plain => {
                            if !self.drop_comment(tag, false) {
                                self.close(tag);
                            }
                            open = None;
                        }
                        ClosingTag::Trim => {
                            open = None;
                            let rest = text.get(at..).unwrap_or("");
                            let newline =
                                if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
                            at += newline;
                            let ends = newline > 0 || rest.is_empty();
                            if self.drop_comment(tag, ends) {
                                continue;
                            }
                            self.close(tag);
                            if ends {
                                self.end_line();
                            }
                        }
                    }
                }
            }
        }
        self.is_uncertain |= open.is_some();
    }

    fn text(&mut self, text: &str) {
        self.content.push_str(text);
        if text == "\n" && !self.omits_comments {
            self.write_literal();
        }
    }

    /// Writes the collected literal as a statement, followed by its newlines, so that line numbers remain those of the template.
    fn write_literal(&mut self) {
        if self.content.is_empty() {
            return;
        }
        let content = std::mem::take(&mut self.content);
        let mut statement = String::with_capacity(content.len() + 24);
        statement.push_str("_erbout.<< \"");
        let mut newlines = 0;
        for c in content.chars() {
            match c {
                '"' | '\\' | '#' => {
                    statement.push('\\');
                    statement.push(c);
                }
                '\n' => {
                    newlines += 1;
                    statement.push_str("\\n");
                }
                '\r' => statement.push_str("\\r"),
                c => statement.push(c),
            }
        }
        statement.push('"');
        statement.extend(std::iter::repeat_n('\n', newlines));
        self.line.push(statement);
    }

    fn close(&mut self, tag: Tag) {
        let mut content = std::mem::take(&mut self.content);
        match tag {
            Tag::Code if content.ends_with('\n') => {
                content.pop();
                self.line.push(content);
                self.end_line();
            }
            Tag::Code => self.line.push(content),
            Tag::Value => self.line.push(format!("_erbout.<<(({content}).to_s)")),
            Tag::Comment => {}
        }
    }

    /// With `omits_comments`, omits a tag that contains only a comment and returns true; else writes the literal before it.
    /// `ends`: the line ends with the tag.
    fn drop_comment(&mut self, tag: Tag, ends: bool) -> bool {
        if !self.omits_comments {
            return false;
        }
        let before = std::mem::take(&mut self.before);
        let code = &self.content;
        let only_comment = tag == Tag::Code && ends && code.trim_start().starts_with('#') && !code.contains('\n');
        if tag == Tag::Comment || only_comment {
            self.content = before;
            return true;
        }
        let last = code.lines().next_back().unwrap_or("");
        self.is_uncertain |= !ends && !code.ends_with('\n') && last.replace("#{", "").contains('#');
        let code = std::mem::replace(&mut self.content, before);
        self.write_literal();
        self.content = code;
        false
    }

    fn end_line(&mut self) {
        self.script.push_str(&self.line.join("; "));
        self.script.push('\n');
        self.line.clear();
    }
}

enum OpeningTag {
    /// `<%%`
    Literal,
    Tag(Tag),
    End,
}

enum ClosingTag {
    /// `%%>`
    Literal,
    Plain,
    /// `-%>`
    Trim,
    End,
}

/// The literal before the next opening tag, the tag, and the offset after it.
fn next_opening(text: &str) -> (&str, OpeningTag, usize) {
    let mut from = 0;
    let Some(found) = text.get(from..).and_then(|rest| memmem::find(rest.as_bytes(), b"<%")) else {
        return (text, OpeningTag::End, text.len());
    };
    from += found;
    let before = text.get(..from).unwrap_or("");
    let rest = text.get(from + 2..).unwrap_or("");
    match rest.as_bytes().first() {
        Some(b'-') => {
            // The tag removes blanks before it if they begin the line or the rest of the source.
            let without_blanks = before.trim_end_matches([' ', '\t']);
            let trimmed =
                if without_blanks.is_empty() || without_blanks.ends_with('\n') { without_blanks } else { before };
            (trimmed, OpeningTag::Tag(Tag::Code), from + 3)
        }
        Some(b'%') => (before, OpeningTag::Literal, from + 3),
        Some(b'=') => (before, OpeningTag::Tag(Tag::Value), from + 3),
        Some(b'#') => (before, OpeningTag::Tag(Tag::Comment), from + 3),
        _ => (before, OpeningTag::Tag(Tag::Code), from + 2),
    }
}

/// The code before the next closing tag, the tag, and the offset after it.
fn next_closing(text: &str) -> (&str, ClosingTag, usize) {
    let Some(found) = memmem::find(text.as_bytes(), b"%>") else { return (text, ClosingTag::End, text.len()) };
    let before = text.get(..found).unwrap_or("");
    if let Some(before) = before.strip_suffix('-') {
        return (before, ClosingTag::Trim, found + 2);
    }
    if let Some(before) = before.strip_suffix('%') {
        return (before, ClosingTag::Literal, found + 2);
    }
    (before, ClosingTag::Plain, found + 2)
}
