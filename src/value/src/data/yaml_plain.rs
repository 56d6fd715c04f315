//! A fast reader for the YAML of most data files: block collections of plain and simply quoted scalars, each on one line.
//!
//! In: the bytes of a YAML stream. Out: its nodes, in order, for a builder of values. Anything that the complete parser might read
//! differently is left to the complete parser. Must not: know the meaning of scalars, fail with a message.

/// Receives the nodes. `None` ends the reader: the complete parser reads the document instead.
pub(super) trait Nodes {
    fn scalar(&mut self, text: &str, quoted: bool) -> Option<()>;
    fn open_sequence(&mut self) -> Option<()>;
    fn open_mapping(&mut self) -> Option<()>;
    fn close(&mut self) -> Option<()>;
}

/// The longest line in bytes. Longer lines are left to the complete parser, which limits the length of keys.
const MAX_LINE: usize = 1000;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sequence,
    Mapping,
}

/// The state of the reader between two lines.
struct Reader<'a, N> {
    nodes: &'a mut N,
    /// Open collections with the column of their entries.
    open: Vec<(Kind, usize)>,
    /// Whether the last entry has no value on its line.
    needs_value: bool,
}

/// Reads a document. `None` if it is outside the simple subset; `nodes` may already have received some nodes.
pub(super) fn read(text: &[u8], nodes: &mut impl Nodes) -> Option<()> {
    let text = std::str::from_utf8(text).ok()?;
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return None;
    }
    let mut reader = Reader { nodes, open: Vec::new(), needs_value: false };
    let mut begun = false;
    for line in text.split('\n') {
        catwalk_base::meter::tick(1);
        let content = line.trim_start_matches(' ');
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if !begun && line.trim_end_matches(' ') == "---" {
            begun = true;
            continue;
        }
        begun = true;
        // The fast reader does not handle comments after content and the ends of documents.
        if line.len() > MAX_LINE || content.contains(" #") || line.starts_with("...") {
            return None;
        }
        reader.read_line(line.len() - content.len(), content.trim_end_matches(' '))?;
    }
    reader.finish()
}

impl<N: Nodes> Reader<'_, N> {
    fn read_line(&mut self, column: usize, content: &str) -> Option<()> {
        let kind = if is_entry(content) { Kind::Sequence } else { Kind::Mapping };
        let mut nested = self.open.is_empty();
        if self.needs_value {
            let (above, at) = *self.open.last()?;
            nested = column > at || (column == at && above == Kind::Mapping && kind == Kind::Sequence);
            if !nested {
                self.nodes.scalar("", false)?;
            }
            self.needs_value = false;
        }
        if !nested {
            self.close_below(column, kind)?;
            return self.read_entry(column, content);
        }
        self.open(kind, column)?;
        self.read_entry(column, content)
    }

    /// Closes collections that begin after `column`, and a sequence in the column of its mapping.
    fn close_below(&mut self, column: usize, kind: Kind) -> Option<()> {
        while let Some((open, at)) = self.open.last().copied() {
            if at == column && open == kind {
                return Some(());
            }
            if at < column || (at == column && open == Kind::Mapping) {
                return None;
            }
            self.open.pop();
            self.nodes.close()?;
        }
        None
    }

    fn open(&mut self, kind: Kind, column: usize) -> Option<()> {
        self.open.push((kind, column));
        match kind {
            Kind::Sequence => self.nodes.open_sequence(),
            Kind::Mapping => self.nodes.open_mapping(),
        }
    }

    /// Reads an entry of the innermost collection, and collections that begin on its line.
    fn read_entry(&mut self, mut column: usize, mut content: &str) -> Option<()> {
        while is_entry(content) {
            let rest = content.get(1..)?;
            let inner = rest.trim_start_matches(' ');
            if inner.is_empty() {
                self.needs_value = true;
                return Some(());
            }
            column += content.len() - inner.len();
            content = inner;
            if is_entry(content) {
                self.open(Kind::Sequence, column)?;
            } else if split_key(content).is_some() {
                self.open(Kind::Mapping, column)?;
            } else {
                return self.read_value(content);
            }
        }
        let (name, quoted, rest) = split_key(content)?;
        self.nodes.scalar(name, quoted)?;
        let value = rest.trim_start_matches(' ');
        if value.is_empty() {
            self.needs_value = true;
            return Some(());
        }
        self.read_value(value)
    }

    /// Reads a value that ends with its line.
    fn read_value(&mut self, text: &str) -> Option<()> {
        if let Some(items) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            self.nodes.open_sequence()?;
            let items = items.trim_matches(' ');
            if !items.is_empty() {
                for item in items.split(',') {
                    let item = item.trim_matches(' ');
                    let (text, quoted) = match split_quoted(item) {
                        // `split` also splits at a comma inside quotes.
                        Some((text, "")) => (text, true),
                        Some(_) => return None,
                        None if is_word(item) => (item, false),
                        None => return None,
                    };
                    self.nodes.scalar(text, quoted)?;
                }
            }
            return self.nodes.close();
        }
        if text == "{}" {
            self.nodes.open_mapping()?;
            return self.nodes.close();
        }
        match split_quoted(text) {
            Some((text, "")) => self.nodes.scalar(text, true),
            Some(_) => None,
            None if begins_plain(text) && find_colon(text).is_none() => self.nodes.scalar(text, false),
            None => None,
        }
    }

    fn finish(self) -> Option<()> {
        if self.open.is_empty() {
            return None;
        }
        if self.needs_value {
            self.nodes.scalar("", false)?;
        }
        self.open.iter().try_for_each(|_| self.nodes.close())
    }
}

/// Whether a line is an entry of a sequence.
fn is_entry(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// The key at the start of a line, whether it is quoted, and the rest of the line after the colon.
fn split_key(content: &str) -> Option<(&str, bool, &str)> {
    if let Some((name, rest)) = split_quoted(content) {
        let rest = rest.trim_start_matches(' ').strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then_some((name, true, rest));
    }
    let at = find_colon(content).filter(|_| begins_plain(content))?;
    Some((content.get(..at)?.trim_end_matches(' '), false, content.get(at + 1..)?))
}

/// The first colon that ends a plain key.
fn find_colon(text: &str) -> Option<usize> {
    memchr::memchr_iter(b':', text.as_bytes()).find(|at| matches!(text.as_bytes().get(at + 1), None | Some(b' ')))
}

/// Whether a string begins like a plain scalar, not with a character that may begin a different node.
fn begins_plain(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', next, ..] => next.is_ascii_alphanumeric(),
        [first, ..] => first.is_ascii_alphanumeric() || matches!(first, b'_' | b'.' | b'/' | b'+' | b'$' | b'~' | b'^'),
        [] => false,
    }
}

/// Whether a plain scalar has the same meaning in block and flow collections.
fn is_word(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-');
    text.bytes().all(word) && text.bytes().next().is_some_and(|first| first != b'-')
}

/// The contents of a quoted string without escapes, and the rest after it.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let (inner, rest) = text.get(1..)?.split_once(quote)?;
    let more = rest.starts_with('\'') || (quote == '"' && inner.contains('\\'));
    (!more).then_some((inner, rest))
}
