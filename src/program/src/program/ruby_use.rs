//! Ruby code that a compile used, and whether an edit changes what it does.
//!
//! In: two versions of a file. Out: whether they do the same. Comments, blank lines and the tags of ERB that hold only comments
//! do nothing. Must not: know the caller, run anything.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use catwalk_ruby_syntax::erb;
use catwalk_ruby_syntax::parser;

/// Names by which code reads its own position or source. A changed file that contains one is not compared further.
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
    /// Whether new contents behave like the old. Positions of code are not compared, so messages may have different lines.
    #[must_use]
    pub fn behaves_like(&self, now: &[u8]) -> bool {
        let (Ok(old), Ok(new)) = (std::str::from_utf8(&self.bytes), std::str::from_utf8(now)) else { return false };
        let reads_position = |text: &str| POSITION_NAMES.iter().any(|word| text.contains(word));
        if old == new {
            return true;
        }
        if reads_position(old) || reads_position(new) || old.contains(MAGIC) != new.contains(MAGIC) {
            return false;
        }
        let without_mark = |text: &'_ str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let tree = |text: &str| match self.template {
            true => erb::normalized_tree(&without_mark(text)),
            false => parser::parse(text, false).ok(),
        };
        tree(old).is_some_and(|old| tree(new) == Some(old))
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
        let bytes = Arc::from(old.as_bytes());
        RubyUse { path: PathBuf::new(), bytes, template }.behaves_like(new.as_bytes())
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
