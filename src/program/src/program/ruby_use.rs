//! Ruby code that a compile used, and the fingerprint of what it does.
//!
//! In: a file. Out: the fingerprint of what it does. Comments, blank lines and the tags of ERB that hold only comments
//! do nothing. Must not: know the caller, run anything.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use catwalk_base::fingerprint::Fingerprint;
use catwalk_ruby_syntax::erb;
use catwalk_ruby_syntax::parser;

/// Names by which code reads its own position or source. A file that contains one is compared as a whole.
const POSITION_NAMES: [&str; 6] = ["__LINE__", "backtrace", "caller", "source_location", "lineno", "__END__"];
/// A magic comment, which changes what the code does.
const MAGIC: &str = "frozen_string_literal";

/// A file in Ruby, or a template in ERB, with the contents that a compile used.
#[derive(Clone, Debug)]
pub struct RubyUse {
    /// The file.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Arc<[u8]>,
    /// Whether it is a template.
    pub template: bool,
}

impl RubyUse {
    /// Whether both have the contents that were read at once, from one file.
    #[must_use]
    pub fn is_same(&self, other: &RubyUse) -> bool {
        Arc::ptr_eq(&self.bytes, &other.bytes) && self.template == other.template
    }

    /// The fingerprint of what the code does. Positions are no part of it, so messages of equal code may have different lines.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let Ok(text) = std::str::from_utf8(&self.bytes) else { return Fingerprint::of(&self.bytes) };
        let code = text.strip_prefix('\u{feff}').unwrap_or(text);
        let tree = || match self.template {
            true => erb::normalized_tree(code),
            false => parser::parse(code, false).ok(),
        };
        match Some(text).filter(|text| !POSITION_NAMES.iter().any(|word| text.contains(word))).and_then(|_| tree()) {
            Some(tree) => Fingerprint::of_debug(&(text.contains(MAGIC), tree)),
            None => Fingerprint::of(text),
        }
    }
}

/// The files that a compile has used so far.
#[derive(Debug, Default)]
pub(super) struct Uses {
    list: Vec<RubyUse>,
    /// Addresses of the contents in the list, which keeps them alive.
    addresses: FxHashSet<usize>,
}

impl Uses {
    /// Adds a file, once.
    pub(super) fn add(&mut self, path: &Path, bytes: Arc<[u8]>, template: bool) {
        if self.addresses.insert(bytes.as_ptr().addr()) {
            self.list.push(RubyUse { path: path.to_path_buf(), bytes, template });
        }
    }

    /// All uses, in order.
    pub(super) fn into_list(self) -> Vec<RubyUse> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(template: bool, old: &str, new: &str) -> bool {
        let fingerprint =
            |text: &str| RubyUse { path: PathBuf::new(), bytes: Arc::from(text.as_bytes()), template }.fingerprint();
        fingerprint(old) == fingerprint(new)
    }

    #[test]
    fn comments_of_templates_do_nothing() {
        for (old, new, expected) in [
            ("a\nb <%= @x %>\n", "<%# more -%>\na\n<%# text -%>\nb <%= @x %>\n", true),
            ("a b\n", "a<%# c %> b\n", true),
            ("a\n<% x = 1 -%>\nb\n", "a\n<%- # why -%>\n<% x = 1 # one -%>\nb\n", true),
            ("<% if @x\n  y = 1\n -%>\nb<% end %>", "<% if @x # so\n\n  # then\n  y = 1\n -%>\nb<% end %>", true),
            ("<%# one %>\n", "<%# two %>\n", true),
            ("a\n", "a\n<%# no end", false),
            ("a\n", "a\n<%# an empty line is left %>\n", false),
            ("a\nb\n", "a\n\nb\n", false),
            ("<%= 1 %>", "<%= 2 %>", false),
            ("<%# c -%>\ntext", "<% # c %>text", false),
            ("<% # c %><%# d -%>\ntext", "<% # c %>text", false),
            ("<%= __LINE__ %>", "<%# c -%>\n<%= __LINE__ %>", false),
            ("<%= caller %>", "<%# c -%>\n<%= caller %>", false),
            ("a<%# c -%>\n", "a", true),
            ("  <%- # c -%>\na", "a", true),
            ("  <%# c -%>\na", "a", false),
            ("<%", "<%#", false),
        ] {
            assert_eq!(same(true, old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn comments_of_ruby_do_nothing() {
        let text = "def f(a)\n  [a, \"# x\"].map { |b| b }\nend\n";
        assert!(same(false, text, "# doc\n\ndef f(a)\n  # why\n  [a, \"# x\"].map { |b| b } # so\nend\n"));
        assert!(!same(false, text, &text.replace("# x", "# y")));
        assert!(!same(false, text, &format!("# frozen_string_literal: true\n{text}")));
    }
}
