//! Hints for mistyped names: `did you mean '…'?`.

/// From this similarity on a known name is offered.
const ALIKE: f32 = 0.7;

/// How alike two names are: from 0 (no letter in common) to 1 (the same).
#[must_use]
pub fn similarity(wanted: &str, known: &str) -> f32 {
    similar::TextDiff::from_chars(wanted, known).ratio()
}

/// The known name that a mistyped one most probably means: the last of those that are most alike; `None` where no name is
/// alike enough to be a help.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|name| (similarity(wanted, name), name));
    let alike = scored.filter(|(score, _)| *score > ALIKE);
    alike.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_offered() {
        let known = ["pp_role", "pp_zone", "pp_preshared_key", "pp_software_version"];
        for (wanted, expected) in [
            ("pp_rol", Some("pp_role")),
            ("pp_preshared", Some("pp_preshared_key")),
            ("pp_software", Some("pp_software_version")),
            ("foo_role", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(nearest(wanted, known), expected, "{wanted}");
        }
    }
}
