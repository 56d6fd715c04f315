//! Ruby's `Random`: the Mersenne Twister, seeded with numbers of any size.

use num_bigint::BigInt;
use num_bigint::Sign;
use rand_mt::Mt;

/// MT19937 with Ruby's seeding, and numbers as Ruby takes them from its words.
#[derive(Clone)]
pub struct Random(Box<Mt>);

impl Random {
    /// `Random.new(n)` for a number given by its 32-bit words, lowest first.
    #[must_use]
    pub fn new(words: &[u32]) -> Random {
        let used = words.iter().rposition(|word| *word != 0).map_or(1, |last| last + 1);
        let mut key: Vec<u32> = words.iter().copied().take(used).collect();
        if key.is_empty() {
            key.push(0);
        }
        // Ruby treats a highest word of 1 as a guard that preserves leading zeros, and ignores it.
        if key.len() > 1 && key.last() == Some(&1) {
            key.pop();
        }
        Random(Box::new(match key.as_slice() {
            [one] => Mt::new(*one),
            key => Mt::new_with_key(key.iter().copied()),
        }))
    }

    /// `Random.new(hex.hex)` for a digest in hexadecimal digits.
    #[must_use]
    pub fn from_hex(hex: &str) -> Random {
        let words: Vec<u32> = hex
            .as_bytes()
            .rchunks(8)
            .map(|chunk| chunk.iter().fold(0, |word, digit| (word << 4) | char::from(*digit).to_digit(16).unwrap_or(0)))
            .collect();
        Random::new(&words)
    }

    /// `bytes(count)` (`rb_rand_mt_get_bytes`)
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// `rand`: a number from 0 up to, but not including, 1.
    pub fn float(&mut self) -> f64 {
        let (high, low) = (self.0.next_u32() >> 5, self.0.next_u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number from 0 to 1, inclusive. (`int_pair_to_real_inclusive`)
    pub fn float_inclusive(&mut self) -> f64 {
        let (high, low) = (self.0.next_u32(), self.0.next_u32());
        let pair = (u128::from(high) << 32) | u128::from(low);
        let scaled = (pair * ((1u128 << 53) | 1)) >> 64;
        scaled as f64 / 9_007_199_254_740_992.0
    }

    /// `rand(max)`: a number from 0 up to, but not including, `max`, which must be positive.
    pub fn below(&mut self, max: u64) -> u64 {
        let Some(limit) = max.checked_sub(1).filter(|limit| *limit > 0) else { return 0 };
        let mask = u64::MAX >> limit.leading_zeros();
        'retry: loop {
            let mut number = 0;
            for shift in [32, 0] {
                if (mask >> shift) & 0xffff_ffff != 0 {
                    number |= u64::from(self.0.next_u32()) << shift;
                    number &= mask;
                    if number > limit {
                        continue 'retry;
                    }
                }
            }
            return number;
        }
    }

    /// `rand(max)` for a positive number of any size. Words are drawn from the highest on, and again if they exceed the limit.
    pub fn below_big(&mut self, max: &BigInt) -> BigInt {
        let limit: BigInt = max - 1;
        let limits = limit.magnitude().to_u32_digits();
        let mut words = vec![0; limits.len()];
        'retry: loop {
            let mut at_limit = true;
            let mut mask = limits.last().map_or(0, |highest| u32::MAX >> highest.leading_zeros());
            for (word, limit) in words.iter_mut().zip(&limits).rev() {
                *word = self.0.next_u32() & mask;
                mask = u32::MAX;
                if at_limit && *word > *limit {
                    continue 'retry;
                }
                at_limit = at_limit && *word == *limit;
            }
            return BigInt::from_slice(Sign::Plus, &words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_ruby() {
        assert_eq!(Random::new(&[0]).below(10), 5);
        assert_eq!(Random::new(&[0, 1]).below(1000), 684);
        assert_eq!(Random::new(&[5, 1]).below(1000), 867);
        assert_eq!(Random::from_hex("d41d8cd98f00b204e9800998ecf8427e").below(3000), 2136);
        assert_eq!(Random::new(&[12345]).below(1 << 40), 974_485_794_277);
        assert_eq!(Random::new(&[12345]).below_big(&BigInt::from(1u64 << 40)), BigInt::from(974_485_794_277u64));
        assert_eq!(Random::new(&[0, 0, 1]).below(1000), 757);
        assert_eq!(Random::from_hex("ffffffffffffffff").below(1000), 638);
    }
}
