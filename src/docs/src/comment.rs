//! The comment above a definition, as puppet-strings reads it.
//!
//! In: a source text and the line of the definition, or the comment's lines. Out: [`Comment`]: text, `@param`, `@return`,
//! `@example` and other tags. Must not: know languages, except how a line of comment begins.

use crate::page::Example;

/// A parsed comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comment {
    /// `@summary`
    summary: String,
    /// The text before the first tag.
    text: String,
    /// Parameters: name, type in the comment, description.
    pub(super) params: Vec<(String, String, String)>,
    /// `@return`: type and description.
    returns: Vec<String>,
    /// `@example`
    pub(super) examples: Vec<Example>,
    /// Other tags: name and description.
    other_tags: Vec<(String, String)>,
}

/// The lines of comment directly above a line (from 1), without comment signs. A line that is not a comment ends them.
pub(super) fn above(source: &str, line: usize, signs: &[&str]) -> Vec<String> {
    let lines: Vec<&str> = source.lines().take(line.saturating_sub(1)).collect();
    let content = |line: &str| {
        let line = line.trim_start();
        let rest = signs.iter().find_map(|sign| line.strip_prefix(sign))?;
        Some(rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned())
    };
    let mut found: Vec<String> = lines.iter().rev().map_while(|line| content(line)).collect();
    found.reverse();
    found
}

/// Parses a comment.
pub(super) fn parse(lines: &[String]) -> Comment {
    let mut comment = Comment::default();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some(tag) = line.strip_prefix('@') else {
            // Notes to tools and interpreters are not documentation.
            if !line.starts_with("lint:") && !line.starts_with('!') && !line.contains("frozen_string_literal:") {
                comment.text.push_str(line);
                comment.text.push('\n');
            }
            continue;
        };
        let (name, first) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut rest: Vec<&str> = Vec::new();
        while let Some(more) = lines.get(at).filter(|more| more.is_empty() || more.starts_with(' ')) {
            // An empty line belongs to the tag only when an indented one follows.
            let next = lines.get(at..).unwrap_or_default().iter().find(|line| !line.is_empty());
            if more.is_empty() && !next.is_some_and(|next| next.starts_with(' ')) {
                break;
            }
            rest.push(more);
            at += 1;
        }
        comment.tag(name, first.trim(), &unindented(&rest));
    }
    comment.text = unlicensed(comment.text.trim());
    comment
}

/// A comment without a licence notice at its start.
fn unlicensed(text: &str) -> String {
    let paragraphs: Vec<&str> = text.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')).collect();
    let notice = |paragraph: &&str| {
        ["Copyright", "Licensed under", "the License", "Author:"].iter().any(|word| paragraph.contains(word))
            || paragraph.trim_start().starts_with("http")
    };
    let notices = paragraphs.iter().take_while(|paragraph| notice(paragraph)).count();
    // A single line may mention licences.
    if notices < 2 {
        return text.to_owned();
    }
    paragraphs.get(notices..).unwrap_or_default().join("\n\n")
}

impl Comment {
    fn tag(&mut self, name: &str, first: &str, rest: &str) {
        let all = [first, rest].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n");
        match name {
            "summary" => self.summary = all,
            "param" => {
                let (mut data_type, mut words) = bracketed(&all);
                let (name, text) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
                let name = name.trim_start_matches(['$', '*', '&']).to_owned();
                words = text.trim_start();
                if data_type.is_empty() {
                    (data_type, words) = bracketed(words);
                }
                self.params.push((name, data_type.to_owned(), words.trim().to_owned()));
            }
            "return" => {
                let (data_type, text) = bracketed(&all);
                let parts = [data_type, text.trim()];
                self.returns.push(parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(": "));
            }
            "example" => {
                self.examples.push(Example { title: first.to_owned(), code: rest.to_owned(), result: None });
            }
            _ => self.other_tags.push((name.to_owned(), all)),
        }
    }

    /// Adds another comment on the same function: that of a further dispatch.
    pub(super) fn add(&mut self, other: Comment) {
        if !other.text.is_empty() && !self.text.contains(&other.text) {
            let gap = if self.text.is_empty() { "" } else { "\n\n" };
            self.text = format!("{}{gap}{}", self.text, other.text);
        }
        if self.summary.is_empty() {
            self.summary = other.summary;
        }
        for param in other.params {
            if !self.params.iter().any(|(name, ..)| *name == param.0) {
                self.params.push(param);
            }
        }
        let new = |known: &[String], text: &String| !known.contains(text);
        let returns: Vec<String> = other.returns.into_iter().filter(|text| new(&self.returns, text)).collect();
        self.returns.extend(returns);
        self.examples.extend(other.examples);
        self.other_tags.extend(other.other_tags);
    }

    /// Summary and description.
    pub(super) fn doc(&self) -> String {
        let mut summary = self.summary.clone();
        if !summary.is_empty() && !summary.ends_with(['.', '!', '?', ':']) {
            summary.push('.');
        }
        let parts = [summary.as_str(), self.text.as_str()];
        parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n\n")
    }

    /// The other tags.
    pub(super) fn notes(&self) -> Vec<(String, String)> {
        let returns =
            self.returns.iter().filter(|text| !text.is_empty()).map(|text| ("returns".to_owned(), text.clone()));
        returns.chain(self.other_tags.iter().filter(|(_, text)| !text.is_empty()).cloned()).collect()
    }

    /// The description of a parameter.
    pub(super) fn param(&self, name: &str) -> Option<&(String, String, String)> {
        self.params.iter().find(|(known, ..)| known == name)
    }
}

/// `[Type] rest`: the type with its nested brackets, and what follows.
fn bracketed(text: &str) -> (&str, &str) {
    let Some(inner) = text.strip_prefix('[') else { return ("", text) };
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (inner.get(..at).unwrap_or(""), inner.get(at + 1..).unwrap_or("").trim_start());
        }
    }
    ("", text)
}

/// Lines without the indentation they share.
pub(super) fn unindented<T: AsRef<str>>(lines: &[T]) -> String {
    let lines = || lines.iter().map(AsRef::as_ref);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let cut = |line: &str| line.get(margin..).unwrap_or("").trim_end().to_owned();
    lines().map(cut).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}
