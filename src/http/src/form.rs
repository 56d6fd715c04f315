//! Percent-encoded paths, queries and forms.
//!
//! `percent_encoding` decodes; what it would leave as it is or replace is refused here. `form_urlencoded` cannot be used, since it
//! accepts such strings.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A string is not percent-encoded correctly: a `%` without two hexadecimal digits, bytes that are not UTF-8, or NUL. Or there are more
/// parameters than a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedForm;

/// The maximum number of parameters of a query or form: agents send about ten. A parameter takes more memory than it has bytes.
const MAX_PARAMETERS: usize = 1000;

/// Decodes a percent-encoded part of a path.
pub fn decode(encoded: &str) -> Result<String, MalformedForm> {
    decode_strictly(encoded)
}

/// Decodes a percent-encoded part of a query or form, where `+` is a space.
pub fn decode_form(encoded: &str) -> Result<String, MalformedForm> {
    let spaced = if encoded.contains('+') { Cow::Owned(encoded.replace('+', " ")) } else { Cow::Borrowed(encoded) };
    decode_strictly(&spaced)
}

fn decode_strictly(encoded: &str) -> Result<String, MalformedForm> {
    let is_escape =
        |rest: &str| matches!(rest.as_bytes(), [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    if !encoded.split('%').skip(1).all(is_escape) {
        return Err(MalformedForm);
    }
    let decoded = percent_decode_str(encoded).decode_utf8().map_err(|_| MalformedForm)?;
    if decoded.contains('\0') { Err(MalformedForm) } else { Ok(decoded.into_owned()) }
}

/// The names and values of a query or form, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads `name=value&…`.
    pub fn read(encoded: &str) -> Result<Parameters, MalformedForm> {
        let parts = encoded.split('&').filter(|part| !part.is_empty());
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Ok((decode_form(name)?, decode_form(value)?))
        };
        let read: Vec<_> = parts.take(MAX_PARAMETERS + 1).map(pair).collect::<Result<_, _>>()?;
        if read.len() > MAX_PARAMETERS { Err(MalformedForm) } else { Ok(Parameters(read)) }
    }

    /// Appends the parameters of a body to those of a query.
    pub fn extend(&mut self, other: Parameters) {
        self.0.extend(other.0);
    }

    /// Appends a parameter.
    pub fn push(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    /// The last value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a name. Older agents write `ignore[]` for `ignore`.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |key: &str| key == name || key.strip_suffix("[]") == Some(name);
        self.0.iter().filter(move |(key, _)| named(key)).map(|(_, value)| value.as_str())
    }

    /// Removes and returns the last value of a name.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().rposition(|(key, _)| key == name)?;
        Some(self.0.swap_remove(at).1)
    }
}

/// Splits a path at slashes and decodes its parts. Like Puppet, treats several slashes as one.
///
/// # Errors
/// The path is not percent-encoded correctly, or a part is `.` or `..` or contains an encoded slash.
pub fn parts(path: &str) -> Result<Vec<String>, MalformedForm> {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let part = decode(part)?;
        if part == "." || part == ".." || part.contains('/') {
            return Err(MalformedForm);
        }
        parts.push(part);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn paths_are_split_and_decoded() {
        let cases: [(&str, Option<&[&str]>); 14] = [
            ("/puppet/v3/node/a.b", Some(&["puppet", "v3", "node", "a.b"])),
            ("/a//b/", Some(&["a", "b"])),
            ("/a%20b/%C3%A4", Some(&["a b", "ä"])),
            ("/a+b", Some(&["a+b"])),
            ("/...", Some(&["..."])),
            ("/a/../b", None),
            ("/a/%2e%2E/b", None),
            ("/a/./b", None),
            ("/a%2Fb", None),
            ("/a%00", None),
            ("/a%", None),
            ("/a%4", None),
            ("/a%zz", None),
            ("/a%FF", None),
        ];
        for (path, expected) in cases {
            let expected = expected.map(|parts| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
            assert_eq!(parts(path).ok(), expected, "{path}");
        }
    }

    #[test]
    fn parameters_are_read() {
        let mut read = Parameters::read("a=1&ignore=.svn&ignore=CVS&b=x+y%2B&c&a=2&ignore[]=z").unwrap();
        assert_eq!(
            (read.get("a"), read.get("b"), read.get("c"), read.get("d")),
            (Some("2"), Some("x y+"), Some(""), None)
        );
        assert_eq!(read.all("ignore").collect::<Vec<_>>(), [".svn", "CVS", "z"]);
        assert_eq!(read.take("a").as_deref(), Some("2"));
        assert_eq!(read.get("a"), Some("1"));
        assert_eq!(Parameters::read("a=%"), Err(MalformedForm));
        assert!(Parameters::read(&"a&".repeat(MAX_PARAMETERS)).is_ok());
        assert_eq!(Parameters::read(&"a&".repeat(MAX_PARAMETERS + 1)), Err(MalformedForm));
    }
}
