//! Numeric and symbolic modes of files (Puppet::Util::SymbolicFileMode).

/// A desired mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// All bits.
    Bits(u32),
    /// Changes of the current bits: `u+x,g=w`.
    Changes(String),
}

impl Mode {
    /// Parses a mode as written in manifests.
    pub(super) fn parse(text: &str) -> Option<Mode> {
        let digits = text.len() <= 5 && !text.is_empty() && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        if digits && (text.len() <= 4 || text.starts_with('0')) {
            return u32::from_str_radix(text, 8).ok().map(Mode::Bits);
        }
        text.split(',').all(is_clause).then(|| Mode::Changes(text.to_owned()))
    }

    /// The desired bits of a file whose current bits are `current`.
    ///
    /// # Errors
    /// A clause is invalid: `u=X`.
    pub(super) fn bits(&self, current: u32, is_directory: bool) -> Result<u32, String> {
        match self {
            // A user who may read a directory may also search it.
            Mode::Bits(bits) if is_directory => Ok(bits | (bits & 0o444) >> 2),
            Mode::Bits(bits) => Ok(*bits),
            Mode::Changes(text) => apply(text, current, is_directory),
        }
    }

    /// The mode in messages, without quotes.
    pub(super) fn to_message(&self, is_directory: bool) -> String {
        match self {
            Mode::Bits(_) => format!("{:04o}", self.bits(0, is_directory).unwrap_or(0)),
            Mode::Changes(text) => format!("{text:0>4}"),
        }
    }
}

/// Whether a clause has the form of users, operator and permissions (`u+x`).
fn is_clause(clause: &str) -> bool {
    let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
    rest.starts_with(['-', '=', '+']) && rest.chars().all(|c| "-=+rstwxXugo".contains(c))
}

fn apply(text: &str, current: u32, is_directory: bool) -> Result<u32, String> {
    // In this order: special bits, user, group, others.
    let mut bits = [current >> 9 & 7, current >> 6 & 7, current >> 3 & 7, current & 7];
    let can_execute = is_directory || current & 0o111 != 0;
    for clause in text.split(',') {
        let failed = |error: &str| {
            let at = if clause == text { String::new() } else { format!(" at {clause:?}") };
            format!("{error}{at} in symbolic mode {text:?}")
        };
        let actions = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        let users = clause.get(..clause.len() - actions.len()).unwrap_or_default();
        let is_everyone = users.is_empty() || users.contains('a');
        let before = bits;
        for (at, letter) in [(1, 'u'), (2, 'g'), (3, 'o')] {
            if !is_everyone && !users.contains(letter) {
                continue;
            }
            let mut value = before[at];
            let mut action = '!';
            for operation in actions.chars() {
                let change = match operation {
                    '-' | '+' | '=' => {
                        action = operation;
                        if operation == '=' {
                            value = 0;
                        }
                        continue;
                    }
                    'u' => before[1],
                    'g' => before[2],
                    'o' => before[3],
                    'r' => 4,
                    'w' => 2,
                    'x' => 1,
                    'X' if action != '+' => return Err(failed("X only works with the '+' operator")),
                    'X' => u32::from(can_execute),
                    's' | 't' => {
                        let special = match (operation, letter) {
                            ('s', 'u') => 4,
                            ('s', 'g') => 2,
                            _ => 1,
                        };
                        bits[0] = if action == '-' { bits[0] & !special } else { bits[0] | special };
                        continue;
                    }
                    _ => return Err(failed("Unknown operation")),
                };
                value = if action == '-' { value & !change } else { value | change };
            }
            bits[at] = value;
        }
    }
    Ok(bits[0] << 9 | bits[1] << 6 | bits[2] << 3 | bits[3])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::Mode;

    #[test]
    fn bits() {
        for (mode, current, is_directory, bits) in [
            ("0644", 0, false, 0o644),
            ("644", 0, true, 0o755),
            ("0640", 0, true, 0o750),
            ("7777", 0, false, 0o7777),
            ("00644", 0, false, 0o644),
            ("u+x", 0o644, false, 0o744),
            ("u+x,g=w", 0o744, false, 0o724),
            ("a=r,ug+w", 0, false, 0o664),
            ("+X", 0o644, false, 0o644),
            ("+X", 0o644, true, 0o755),
            ("g=u", 0o640, false, 0o660),
            ("u+s,g+s,+t", 0o755, false, 0o7755),
            ("u-s", 0o4755, false, 0o755),
            ("o=", 0o777, false, 0o770),
            ("u=rwx-x", 0, false, 0o600),
        ] {
            assert_eq!(Mode::parse(mode).unwrap().bits(current, is_directory), Ok(bits), "{mode}");
        }
        for mode in ["", "9", "888", "77777", "rw", "u", "u+y", "u+x;", "u+x,", "-1.5"] {
            assert_eq!(Mode::parse(mode), None, "{mode}");
        }
        assert!(Mode::parse("u=X").unwrap().bits(0, false).is_err());
    }
}
