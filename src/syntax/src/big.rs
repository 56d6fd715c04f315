//! Integers in source code that do not fit 64 bits. They are only printed: in dumps and in the message that rejects them.

/// An unsigned integer of any size, in base 2³², least significant first.
pub(super) struct Big(Vec<u32>);

impl Big {
    /// Parses digits as in a manifest: `0x…`, octal after a `0`, otherwise decimal.
    pub(super) fn parse(text: &str) -> Option<Big> {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let (digits, radix) = match hex {
            Some(hex) => (hex, 16),
            None if text.len() > 1 && text.starts_with('0') => (text, 8),
            None => (text, 10),
        };
        let mut big = Big(Vec::new());
        for c in digits.chars() {
            big.multiply_add(radix, c.to_digit(radix)?);
        }
        Some(big)
    }

    fn multiply_add(&mut self, factor: u32, add: u32) {
        let mut carry = u64::from(add);
        for part in &mut self.0 {
            let product = u64::from(*part) * u64::from(factor) + carry;
            *part = (product & 0xffff_ffff) as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    pub(super) fn hex(&self) -> String {
        let mut parts = self.0.iter().rev();
        let first = parts.next().map_or_else(|| "0".to_owned(), |part| format!("{part:x}"));
        parts.fold(first, |text, part| format!("{text}{part:08x}"))
    }

    pub(super) fn decimal(mut self) -> String {
        let mut groups = Vec::new();
        while !self.0.is_empty() {
            let mut rest = 0_u64;
            for part in self.0.iter_mut().rev() {
                let value = (rest << 32) | u64::from(*part);
                *part = (value / 1_000_000_000) as u32;
                rest = value % 1_000_000_000;
            }
            groups.push(rest);
            while self.0.last() == Some(&0) {
                self.0.pop();
            }
        }
        let mut groups = groups.iter().rev();
        let first = groups.next().map_or_else(|| "0".to_owned(), u64::to_string);
        groups.fold(first, |text, group| format!("{text}{group:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Big;

    #[test]
    fn large_integers_are_shown_in_both_bases() {
        let shown = |text: &str| Big::parse(text).map(|big| (big.hex(), big.decimal()));
        assert_eq!(shown("9223372036854775808"), Some(("8000000000000000".into(), "9223372036854775808".into())));
        assert_eq!(shown("0x10000000000000000"), Some(("10000000000000000".into(), "18446744073709551616".into())));
        assert_eq!(shown("0"), Some(("0".into(), "0".into())));
    }
}
