//! Dotted fields: `facts.os.family`, `parameters.list[0]`, `facts."a.b"`, `facts.match("e.*").mtu`
//! (puppetlabs.puppetdb.query-eng.parse).

/// A component of a dotted field, after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldPart {
    Name(String),
    /// `name[5]`
    Indexed(String, usize),
    /// `match("pattern")`
    Match(String),
}

/// Splits a field into its first name and the following components. A component without special syntax is a name.
pub(super) fn parse(field: &str) -> (&str, Vec<FieldPart>) {
    let end = field.find('.').unwrap_or(field.len());
    let (top, mut rest) = field.split_at(end);
    let mut parts = Vec::new();
    while let Some(inner) = rest.strip_prefix('.') {
        let (part, after) = component(inner);
        parts.push(part);
        rest = after;
    }
    (top, parts)
}

fn component(text: &str) -> (FieldPart, &str) {
    if let Some(inner) = text.strip_prefix("match(\"")
        && let Some((pattern, rest)) = split_at_closing(inner, "\")", true)
    {
        return (FieldPart::Match(pattern.to_owned()), rest);
    }
    if let Some(inner) = text.strip_prefix('"')
        && let Some((name, rest)) = split_at_closing(inner, "\"", false)
    {
        return (indexed(name), rest);
    }
    let end = text.find('.').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (indexed(name), rest)
}

/// Splits `text` at a closing mark, the first or the `last`, after which a dot or the end follows. An escaped mark (`\"`) is skipped.
fn split_at_closing<'a>(text: &'a str, mark: &str, last: bool) -> Option<(&'a str, &'a str)> {
    let mut positions = text.match_indices(mark).map(|(at, _)| at).filter(|at| {
        let (before, after) = (&text[..*at], &text[at + mark.len()..]);
        !before.is_empty() && !before.ends_with('\\') && (after.is_empty() || after.starts_with('.'))
    });
    let at = if last { positions.last() } else { positions.next() }?;
    Some((&text[..at], &text[at + mark.len()..]))
}

fn indexed(name: &str) -> FieldPart {
    let split = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    match split.and_then(|(name, index)| Some((name, index.parse().ok()?))) {
        Some((name, index)) if !name.is_empty() => FieldPart::Indexed(name.to_owned(), index),
        _ => FieldPart::Name(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::FieldPart;
    use super::parse;

    #[test]
    fn fields_have_parts() {
        let name = |text: &str| FieldPart::Name(text.to_owned());
        assert_eq!(parse("facts.os.family"), ("facts", vec![name("os"), name("family")]));
        assert_eq!(parse("facts.\"a.b\".c"), ("facts", vec![name("a.b"), name("c")]));
        assert_eq!(parse("facts.list[3]"), ("facts", vec![FieldPart::Indexed("list".to_owned(), 3)]));
        assert_eq!(
            parse("facts.match(\"e.\\\")\").x"),
            ("facts", vec![FieldPart::Match("e.\\\")".to_owned()), name("x")])
        );
        assert_eq!(parse("certname"), ("certname", vec![]));
    }
}
