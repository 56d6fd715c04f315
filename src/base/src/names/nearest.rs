//! Hints for mistyped names: `did you mean '…'?`.

/// The least similarity of a suggested name.
const MIN_SIMILARITY: f32 = 0.7;
/// The similarity of two names that differ only by two swapped letters.
const SWAP_SIMILARITY: f32 = 0.95;

/// The similarity of two names, from 0 (no common letter) to 1 (equal).
#[must_use]
pub fn similarity(mistyped: &str, candidate: &str) -> f32 {
    similar::TextDiff::from_chars(mistyped, candidate).ratio()
}

/// The candidate that is most similar to a mistyped name (the last one of several); `None` if none is similar enough.
#[must_use]
pub fn nearest<'a>(mistyped: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = Letters::count(mistyped);
    let mut best: Option<(f32, &str)> = None;
    for name in candidates.into_iter().filter(|name| *name != mistyped) {
        let enough = best.map_or(MIN_SIMILARITY, |(score, _)| score);
        let score = match is_swap(mistyped, name) {
            true => SWAP_SIMILARITY,
            // A cheap upper bound excludes most names, since the exact comparison is slow.
            false if letters.max_similarity(name) < enough => continue,
            false => similarity(mistyped, name),
        };
        if score > MIN_SIMILARITY && score >= enough {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The number of occurrences of each letter in a name.
struct Letters {
    length: usize,
    /// Counts by ASCII code; `None` if the name has other characters.
    counts: Option<[u8; 128]>,
}

impl Letters {
    fn count(name: &str) -> Letters {
        let mut counts = [0_u8; 128];
        for byte in name.bytes() {
            match counts.get_mut(usize::from(byte)) {
                Some(count) => *count = count.saturating_add(1),
                None => return Letters { length: name.chars().count(), counts: None },
            }
        }
        Letters { length: name.len(), counts: Some(counts) }
    }

    /// An upper bound of [`similarity`]: the similarity if the letters were in the best order.
    #[allow(clippy::cast_precision_loss, reason = "names are short")]
    fn max_similarity(&self, name: &str) -> f32 {
        let (Some(mut left), true) = (self.counts, name.is_ascii()) else { return 1.0 };
        let sum = self.length + name.len();
        // Counts end at 255: longer names are compared in full.
        if self.length > 255 || 2.0 * self.length.min(name.len()) as f32 <= MIN_SIMILARITY * sum as f32 {
            return if self.length > 255 { 1.0 } else { 0.0 };
        }
        let is_left = |byte: u8| match left.get_mut(usize::from(byte)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let common = name.bytes().map(is_left).filter(|is_left| *is_left).count();
        2.0 * common as f32 / sum as f32
    }
}

/// The hint `did you mean 'web'?`; `None` if no candidate is similar enough.
#[must_use]
pub fn did_you_mean<'a>(mistyped: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(mistyped, candidates).map(|near| format!("did you mean '{near}'?"))
}

/// Whether two neighbouring letters are swapped, as in `wbe` for `web`. Short names never are.
fn is_swap(mistyped: &str, candidate: &str) -> bool {
    let (mistyped, candidate) = (mistyped.as_bytes(), candidate.as_bytes());
    let differing: Vec<usize> = match mistyped.len() == candidate.len() {
        true => (0..mistyped.len()).filter(|at| mistyped.get(*at) != candidate.get(*at)).take(3).collect(),
        false => return false,
    };
    matches!(differing.as_slice(), [first, second] if second - first == 1
        && mistyped.get(*first) == candidate.get(*second) && mistyped.get(*second) == candidate.get(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_offered() {
        let names = ["pp_role", "pp_zone", "pp_preshared_key", "pp_software_version"];
        for (mistyped, expected) in [
            ("pp_rol", Some("pp_role")),
            ("pp_preshared", Some("pp_preshared_key")),
            ("pp_software", Some("pp_software_version")),
            ("foo_role", None),
            ("pp_roel", Some("pp_role")),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(nearest(mistyped, names), expected, "{mistyped}");
        }
        assert_eq!(did_you_mean("wbe", ["web", "db"]).as_deref(), Some("did you mean 'web'?"));
        assert_eq!(did_you_mean("web", ["web"]), None);
    }
}
