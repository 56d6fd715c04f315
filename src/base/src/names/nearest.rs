//! Hints for mistyped names: `did you mean '…'?`.

/// From this similarity on a known name is offered.
const ALIKE: f32 = 0.7;
/// How similar names with two swapped letters are.
const SWAPPED: f32 = 0.95;

/// How alike two names are: from 0 (no letter in common) to 1 (the same).
#[must_use]
pub fn similarity(wanted: &str, known: &str) -> f32 {
    similar::TextDiff::from_chars(wanted, known).ratio()
}

/// The known name that a mistyped one most probably means: the last of those that are most alike; `None` where no name is
/// alike enough to be a help.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let score = |name: &str| if is_swap(wanted, name) { SWAPPED } else { similarity(wanted, name) };
    let scored = known.into_iter().map(|name| (score(name), name));
    let alike = scored.filter(|(score, name)| *score > ALIKE && *name != wanted);
    alike.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// The hint `did you mean 'web'?`; `None` where no known name is alike enough.
#[must_use]
pub fn did_you_mean<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(wanted, known).map(|near| format!("did you mean '{near}'?"))
}

/// Whether two neighbouring letters are swapped: `wbe` for `web`. Short names are not similar then.
fn is_swap(wanted: &str, known: &str) -> bool {
    let (wanted, known) = (wanted.as_bytes(), known.as_bytes());
    let differing: Vec<usize> = match wanted.len() == known.len() {
        true => (0..wanted.len()).filter(|at| wanted.get(*at) != known.get(*at)).take(3).collect(),
        false => return false,
    };
    matches!(differing.as_slice(), [first, second] if second - first == 1
        && wanted.get(*first) == known.get(*second) && wanted.get(*second) == known.get(*first))
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
            ("pp_roel", Some("pp_role")),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(nearest(wanted, known), expected, "{wanted}");
        }
        assert_eq!(did_you_mean("wbe", ["web", "db"]).as_deref(), Some("did you mean 'web'?"));
        assert_eq!(did_you_mean("web", ["web"]), None);
    }
}
