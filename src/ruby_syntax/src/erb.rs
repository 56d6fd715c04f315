//! Templates in ERB, as Puppet has them: trim mode `-`, no `%` lines.
//!
//! In: a template's text. Out: the Ruby program that writes it, line for line, or its tree. Must not: run anything.
//!
//! The rules are those of `ERB::Compiler` with its `ExplicitScanner`. The program is source code, as in Ruby, because pieces of
//! code are joined as strings: a comment in `<% # … %>` hides what follows up to the end of its line.

use memchr::memmem;

use crate::ast::Node;
use crate::parser;
use crate::parser::ParseError;
use catwalk_base::meter;

#[cfg(test)]
mod tests;

/// The tree of a template.
///
/// # Errors
/// Its code is not Ruby, or more of it than is supported; the line is the template's.
pub fn parse(template: &str) -> Result<Node, ParseError> {
    parser::parse(&compile(template), true)
}

/// The Ruby program of a template.
#[must_use]
pub fn compile(template: &str) -> String {
    Compiler::new(template, false).program(template)
}

/// The tree of a template without comments and lines: templates with equal trees write the same. `None` where that is unknown.
#[must_use]
pub fn meaning(template: &str) -> Option<Node> {
    let mut compiler = Compiler::new(template, true);
    let program = compiler.program(template);
    if compiler.unsure {
        return None;
    }
    parser::parse(&program, true).ok()
}

/// What kind of tag is open.
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
    /// Whether tags with only comments are left out, joining the text around them.
    merge: bool,
    /// The text before the tag that is open, with `merge`.
    before: String,
    /// A comment may hide what follows its tag.
    unsure: bool,
}

impl Compiler {
    fn new(template: &str, merge: bool) -> Compiler {
        Compiler {
            script: String::with_capacity(template.len() * 2),
            line: Vec::new(),
            content: String::new(),
            merge,
            before: String::new(),
            unsure: false,
        }
    }

    fn program(&mut self, template: &str) -> String {
        self.line.push("_erbout = +''".to_owned());
        self.scan(template);
        self.put();
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
                        Opening::Literal => self.content.push_str("<%"),
                        Opening::Tag(tag) => {
                            if self.merge {
                                self.before = std::mem::take(&mut self.content);
                            } else {
                                self.put();
                            }
                            open = Some(tag);
                        }
                        Opening::End => {}
                    }
                }
                Some(tag) => {
                    let (before, found, after) = next_closing(rest);
                    at += after;
                    self.content.push_str(before);
                    match found {
                        Closing::Literal => self.content.push_str("%>"),
                        Closing::End => {}
                        Closing::Plain => {
                            if !self.drop_comment(tag, false) {
                                self.close(tag);
                            }
                            open = None;
                        }
                        Closing::Trim => {
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
        self.unsure |= open.is_some();
    }

    fn text(&mut self, text: &str) {
        self.content.push_str(text);
        if text == "\n" && !self.merge {
            self.put();
        }
    }

    /// Text collected so far as a statement; newlines follow it so that lines stay those of the template.
    fn put(&mut self) {
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

    /// Leaves out a tag with only a comment, with `merge`; `ends`: its line ends with it. Otherwise writes the text before it.
    fn drop_comment(&mut self, tag: Tag, ends: bool) -> bool {
        if !self.merge {
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
        self.unsure |= !ends && !code.ends_with('\n') && last.replace("#{", "").contains('#');
        let code = std::mem::replace(&mut self.content, before);
        self.put();
        self.content = code;
        false
    }

    fn end_line(&mut self) {
        self.script.push_str(&self.line.join("; "));
        self.script.push('\n');
        self.line.clear();
    }
}

enum Opening {
    /// `<%%`
    Literal,
    Tag(Tag),
    End,
}

enum Closing {
    /// `%%>`
    Literal,
    Plain,
    /// `-%>`
    Trim,
    End,
}

/// The text before the next opening tag, the tag, and where what follows it starts.
fn next_opening(text: &str) -> (&str, Opening, usize) {
    let mut from = 0;
    let Some(found) = text.get(from..).and_then(|rest| memmem::find(rest.as_bytes(), b"<%")) else {
        return (text, Opening::End, text.len());
    };
    from += found;
    let before = text.get(..from).unwrap_or("");
    let rest = text.get(from + 2..).unwrap_or("");
    match rest.as_bytes().first() {
        Some(b'-') => {
            // Blanks before it go, when the line, or what is left to scan, starts with them.
            let kept = before.trim_end_matches([' ', '\t']);
            let trimmed = if kept.is_empty() || kept.ends_with('\n') { kept } else { before };
            (trimmed, Opening::Tag(Tag::Code), from + 3)
        }
        Some(b'%') => (before, Opening::Literal, from + 3),
        Some(b'=') => (before, Opening::Tag(Tag::Value), from + 3),
        Some(b'#') => (before, Opening::Tag(Tag::Comment), from + 3),
        _ => (before, Opening::Tag(Tag::Code), from + 2),
    }
}

/// The text before the next closing tag, the tag, and where what follows it starts.
fn next_closing(text: &str) -> (&str, Closing, usize) {
    let Some(found) = memmem::find(text.as_bytes(), b"%>") else { return (text, Closing::End, text.len()) };
    let before = text.get(..found).unwrap_or("");
    if let Some(before) = before.strip_suffix('-') {
        return (before, Closing::Trim, found + 2);
    }
    if let Some(before) = before.strip_suffix('%') {
        return (before, Closing::Literal, found + 2);
    }
    (before, Closing::Plain, found + 2)
}
