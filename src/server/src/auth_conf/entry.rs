//! One entry of `allow` or `deny`.

use catwalk_regexp::Regexp;

use super::read::check_pattern;
use crate::served_site::Client;

/// Which clients an entry is about.
#[derive(Debug)]
pub(super) enum Entry {
    /// All clients with a certificate.
    All,
    /// A name with dots, in lower case.
    Name(String),
    /// A name as it is written: it is compared with names in lower case.
    Opaque(String),
    /// The domain after `*.`, in lower case; also the domain itself.
    Domain(String),
    /// A name with `$1`, `$2`…
    Backreference(String),
    /// A regular expression, and whether a name with which it cannot be evaluated matches: one of `deny` must not be evaded.
    Regex(Regexp, bool),
    /// Extensions, each with the values of which the client must have one.
    Extensions(Vec<(String, Vec<String>)>),
    /// Kinds of alternative names with names, and extensions: the client must have one of the names, and all extensions.
    AlternativeNames(Vec<(String, Vec<String>)>, Vec<(String, Vec<String>)>),
    /// Never: there are no users with roles.
    Role,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether text is `\w[-\w]*`.
fn is_label(text: &str) -> bool {
    text.starts_with(is_word) && text.chars().all(|c| is_word(c) || c == '-')
}

/// Whether text has the form `(\w[-\w]*\.)+[-\w]+`.
fn is_domain_name(text: &str) -> bool {
    let Some((start, last)) = text.rsplit_once('.') else { return false };
    start.split('.').all(is_label) && !last.is_empty() && last.chars().all(|c| is_word(c) || c == '-')
}

/// The numbers of the backreferences in a name.
pub(super) fn backreferences(name: &str) -> Vec<usize> {
    let number = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..end)?.parse::<usize>().ok()
    };
    name.split('$').skip(1).filter_map(number).collect()
}

impl Entry {
    /// Reads a name or pattern of names. `denies`: whether it is one of `deny`.
    ///
    /// # Errors
    /// It is neither.
    pub(super) fn read(text: &str, denies: bool) -> Result<Entry, String> {
        let invalid = || format!("invalid domain value: {text}");
        if text == "*" {
            return Ok(Entry::All);
        }
        if is_domain_name(text) {
            return Ok(Entry::Name(text.to_ascii_lowercase()));
        }
        if let Some(domain) = text.strip_prefix("*.").filter(|domain| domain.split('.').all(is_label)) {
            return Ok(Entry::Domain(domain.to_ascii_lowercase()));
        }
        if !backreferences(text).is_empty() {
            return Ok(Entry::Backreference(text.to_ascii_lowercase()));
        }
        if text.starts_with(is_word) && text.chars().all(|c| is_word(c) || ['-', '.', '@'].contains(&c)) {
            return Ok(Entry::Opaque(text.to_owned()));
        }
        let pattern = text.strip_prefix('/').and_then(|text| text.strip_suffix('/')).ok_or_else(invalid)?;
        let pattern = Regexp::new(pattern);
        check_pattern(&pattern).map_err(|why| format!("{}: {why}", invalid()))?;
        Ok(Entry::Regex(pattern, denies))
    }

    /// Whether the entry is about a client: about its certname or one of the DNS names of its certificate, or about its extensions.
    /// `captures`: the groups of the path.
    pub(super) fn matches(&self, client: &Client, captures: &[String]) -> bool {
        let has_extensions = |wanted: &[(String, Vec<String>)]| {
            let has = |name: &String, values: &Vec<String>| {
                client.extensions.iter().any(|(known, value)| known == name && values.contains(value))
            };
            wanted.iter().all(|(name, values)| has(name, values))
        };
        match self {
            Entry::Extensions(wanted) => has_extensions(wanted),
            Entry::AlternativeNames(names, extensions) => {
                let has = |(kind, name): &(&str, String)| {
                    names.iter().any(|(known, accepted)| known == kind && accepted.contains(name))
                };
                client.alt_names.iter().any(has) && has_extensions(extensions)
            }
            Entry::Role => false,
            _ => {
                let alternative = client.alt_names.iter().filter(|(kind, _)| *kind == "dns-name");
                let names = alternative.map(|(_, name)| name.as_str()).chain([client.certname.as_str()]);
                names.into_iter().any(|name| self.matches_name(name, captures))
            }
        }
    }

    fn matches_name(&self, certname: &str, captures: &[String]) -> bool {
        let name = certname.to_ascii_lowercase();
        match self {
            Entry::All => true,
            Entry::Name(known) => *known == name,
            Entry::Opaque(known) => !name.contains('.') && *known == name,
            Entry::Domain(domain) => {
                name == *domain || name.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            Entry::Backreference(pattern) => {
                substitute(pattern, captures).is_some_and(|wanted| !wanted.is_empty() && wanted == name)
            }
            // `^` and `$` would match at a line break.
            Entry::Regex(_, denies) if certname.contains(char::is_control) => *denies,
            Entry::Regex(pattern, denies) => pattern.is_match(certname).unwrap_or(*denies),
            Entry::Extensions(_) | Entry::AlternativeNames(..) | Entry::Role => false,
        }
    }
}

/// A name with each `$N` replaced by a group. `None`: there is no such group, or it has not matched.
fn substitute(pattern: &str, captures: &[String]) -> Option<String> {
    let mut parts = pattern.split('$');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at_checked(end)?;
        if digits.is_empty() {
            name.push('$');
        } else {
            let capture = captures.get(digits.parse::<usize>().ok()?.checked_sub(1)?)?;
            name.push_str(&capture.to_ascii_lowercase());
        }
        name.push_str(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_pattern_is_not_evaded_by_a_line_break() {
        let (pattern, named) = ("/^admin$/", |name: &str| Client { certname: name.to_owned(), ..Client::default() });
        let (allow, deny) = (Entry::read(pattern, false).unwrap(), Entry::read(pattern, true).unwrap());
        for (name, is_allowed, is_denied) in
            [("admin", true, true), ("web", false, false), ("web\nadmin", false, true), ("web\r", false, true)]
        {
            let client = named(name);
            assert_eq!((allow.matches(&client, &[]), deny.matches(&client, &[])), (is_allowed, is_denied), "{name:?}");
        }
    }

    #[test]
    fn patterns_that_java_reads_differently_or_that_backtrack_are_refused() {
        for (pattern, why) in [
            (r"/\Qa.b\E/", r"not supported yet: \Q"),
            (r"/a\E/", r"not supported yet: \E"),
            ("/(?<name>a)b/", "not supported yet: groups with names"),
            ("/^(?!a)/", "not supported yet: what needs backtracking"),
            ("/(a/", "end pattern with unmatched parenthesis"),
        ] {
            let refused = Entry::read(pattern, false).unwrap_err();
            assert!(refused.contains(why), "{pattern}: {refused}");
        }
        for pattern in [r"/a\\Q/", r"/\\\\E/", r"/^node\d+\.example\.com$/"] {
            assert!(Entry::read(pattern, false).is_ok(), "{pattern}");
        }
    }
}
