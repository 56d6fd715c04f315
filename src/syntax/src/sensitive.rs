//! String literals of a source that are secret: arguments of `Sensitive(…)` and `Sensitive.new(…)`, and defaults of parameters whose
//! type mentions `Sensitive`. Also in sources with syntax errors, which are never evaluated.
//!
//! In: the text of a source. Out: the literals as they are between their quotes. Must not: evaluate anything.

/// Shorter literals are part of too many messages.
const MIN_LENGTH: usize = 4;

/// The longest argument list or type that is searched, in bytes.
const MAX_SEARCHED: usize = 1 << 16;

/// The literals, in order.
pub(crate) fn literals(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), b"Sensitive") {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + "Sensitive".len()..).unwrap_or_default();
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        if is_part(before) || is_part(rest.chars().next()) {
            continue;
        }
        let after = without_type_arguments(rest.trim_start()).trim_start();
        let arguments = after.strip_prefix(".new").unwrap_or(after).trim_start();
        match arguments.strip_prefix('(') {
            Some(arguments) => add_arguments(arguments, &mut found),
            None => found.extend(parameter_default(after)),
        }
    }
    found.retain(|literal| literal.len() >= MIN_LENGTH);
    found
}

/// The text after `[…]`, if it starts with that.
fn without_type_arguments(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take(MAX_SEARCHED) {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return text.get(at + 1..).unwrap_or_default(),
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => return text,
            _ => {}
        }
    }
    text
}

/// Adds the literals of an argument list whose opening bracket was read.
fn add_arguments<'t>(text: &'t str, found: &mut Vec<&'t str>) {
    let mut depth = 1_usize;
    let mut rest = text;
    while depth > 0 && text.len() - rest.len() < MAX_SEARCHED {
        let Some(at) = rest.find(['(', ')', '\'', '"']) else { return };
        let (c, after) = (rest.as_bytes().get(at).copied(), rest.get(at + 1..).unwrap_or_default());
        let before = text.get(..text.len() - after.len() - 1).unwrap_or_default().trim_end();
        rest = after;
        match c {
            Some(b'(') => depth += 1,
            Some(b')') => depth -= 1,
            Some(quote) => {
                let literal = until_quote(after, char::from(quote));
                // The first argument of a deferred call is the name of a function.
                if !before.ends_with("Deferred(") && !before.ends_with("Deferred.new(") {
                    found.push(literal);
                }
                rest = after.get(literal.len() + 1..).unwrap_or_default();
            }
            None => return,
        }
    }
}

/// The text before the closing quote.
fn until_quote(text: &str, quote: char) -> &str {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return text.get(..at).unwrap_or_default(),
            _ => {}
        }
    }
    text
}

/// The literal of `… $name = 'literal'` after a part of the parameter's type.
fn parameter_default(text: &str) -> Option<&str> {
    let (data_type, parameter) = text.split_once('$')?;
    let is_type = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "_:[],.-'*".contains(c);
    if data_type.len() > MAX_SEARCHED || !data_type.chars().all(is_type) {
        return None;
    }
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let value = parameter.trim_start_matches(name).trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    Some(until_quote(value.get(1..)?, quote))
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn literals_that_become_sensitive_are_found_in_broken_sources_too() {
        for (text, expected) in [
            ("$a = Sensitive('hunter2')", &["hunter2"][..]),
            ("Sensitive.new(\"hun\\\"ter2\")", &["hun\\\"ter2"]),
            ("Sensitive[String].new( 'hunter2'", &["hunter2"]),
            ("Sensitive(join(['hunter2', 'hunter3'], '-')) 'public'", &["hunter2", "hunter3"]),
            ("Sensitive(Deferred( 'vault::lookup', ['hunter2']))", &["hunter2"]),
            ("Sensitive(Deferred.new('vault::lookup', ['hunter2']))", &["hunter2"]),
            ("class c(Sensitive[String[1]] $pw = 'hunter2', $x = 'public') {", &["hunter2"]),
            ("class c(Optional[Sensitive[String]] $pw = \"hunter2\") {", &["hunter2"]),
            ("class c(Variant[Sensitive, Enum['a']] $pw = 'hunter2') {", &["hunter2"]),
            ("MySensitive('public') Sensitive::X('public') NotSensitive('public')", &[]),
            ("Sensitive('abc')", &[]),
            ("Sensitive('hunter2", &["hunter2"]),
            ("Sensitive", &[]),
            ("Sensitive[", &[]),
        ] {
            assert_eq!(literals(text), expected, "{text}");
        }
    }
}
