//! Ruby's `sub` and `gsub`, with references in the replacement.
//!
//! In: a regular expression, a string, a replacement. Out: the new string. Must not: know the caller.

use std::borrow::Cow;

use super::Captures;
use super::Regexp;
use super::RegexpError;
use catwalk_base::meter;

impl Regexp {
    /// `text.gsub(self, replacement)`: replaces every match. In the replacement, `\0` and `\&` are the match, `\1` to `\9` its groups,
    /// `\k<name>` a named group, `` \` `` and `\'` the string before and after the match, `\\` a backslash.
    /// # Errors
    /// As [`Regexp::is_match`]; an unknown name is Ruby's `undefined group name reference: name`.
    pub fn replace_all<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, RegexpError> {
        self.replace(text, usize::MAX, |captures, out| expand(replacement, captures, out))
    }

    /// `text.sub(self, replacement)`: replaces the first match, with the references of [`Regexp::replace_all`].
    /// # Errors
    /// As [`Regexp::replace_all`].
    pub fn replace_first<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, RegexpError> {
        self.replace(text, 1, |captures, out| expand(replacement, captures, out))
    }

    /// `text.gsub(self) { … }`: replaces at most `limit` matches by the string that `write` appends for each.
    /// # Errors
    /// What `write` returns, or as [`Regexp::is_match`].
    pub fn replace<'t, E: From<RegexpError>>(
        &self,
        text: &'t str,
        limit: usize,
        mut write: impl FnMut(&Captures<'t>, &mut String) -> Result<(), E>,
    ) -> Result<Cow<'t, str>, E> {
        let mut out = String::new();
        let mut copied = 0;
        let mut any = false;
        for captures in self.captures_iter(text).take(limit) {
            let captures = captures?;
            any = true;
            let before = out.len();
            meter::push_str(&mut out, text.get(copied..captures.start()).unwrap_or(""));
            write(&captures, &mut out)?;
            meter::charge(out.len().saturating_sub(before));
            meter::tick(captures.end() - captures.start());
            copied = captures.end();
        }
        if !any {
            return Ok(Cow::Borrowed(text));
        }
        meter::push_str(&mut out, text.get(copied..).unwrap_or(""));
        Ok(Cow::Owned(out))
    }
}

impl Captures<'_> {
    /// Appends `replacement` to `out` and expands the references of [`Regexp::replace_all`].
    /// # Errors
    /// An unknown name is Ruby's `undefined group name reference: name`.
    pub fn expand(&self, replacement: &str, out: &mut String) -> Result<(), RegexpError> {
        expand(replacement, self, out)
    }
}

/// Appends `replacement` to `out` and expands its references. (`rb_reg_regsub` of Ruby)
fn expand(replacement: &str, captures: &Captures<'_>, out: &mut String) -> Result<(), RegexpError> {
    let mut rest = replacement;
    while let Some(at) = rest.find('\\') {
        meter::push_str(out, rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let mut used = c.len_utf8();
        match c {
            // If the pattern has named groups, a replacement cannot refer to groups by number.
            '1'..='9' if !captures.names.iter().all(Option::is_none) => {}
            '0'..='9' => meter::push_str(out, captures.get(c as usize - '0' as usize).unwrap_or("")),
            '&' => meter::push_str(out, captures.matched()),
            '`' => meter::push_str(out, captures.pre()),
            '\'' => meter::push_str(out, captures.post()),
            '\\' => out.push('\\'),
            'k' => match rest.get(1..).and_then(|name| name.strip_prefix('<')).and_then(|name| name.split_once('>')) {
                Some((name, _)) => {
                    let group = captures.name(name);
                    let Some(text) = group else {
                        return Err(RegexpError::with_kind(
                            super::Kind::UndefinedGroup,
                            format!("undefined group name reference: {name}"),
                        ));
                    };
                    meter::push_str(out, text.unwrap_or(""));
                    used += name.len() + 2;
                }
                None => meter::push_str(out, "\\k"),
            },
            c => {
                out.push('\\');
                out.push(c);
            }
        }
        rest = rest.get(used..).unwrap_or("");
    }
    meter::push_str(out, rest);
    Ok(())
}
