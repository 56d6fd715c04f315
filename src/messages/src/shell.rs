//! Quotes paths in command lines that are printed for the user.

use std::path::Path;

/// A path as a word of a POSIX shell, in quotes if it contains other characters than letters, digits and `/._-+@`.
#[must_use]
pub fn quote(path: &Path) -> String {
    let path = path.display().to_string();
    match path.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c)) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        let cases = [("/srv/site-1", "/srv/site-1"), ("/a b", "'/a b'"), ("/it's $x", r"'/it'\''s $x'")];
        for (path, expected) in cases {
            assert_eq!(quote(Path::new(path)), expected);
        }
    }
}
