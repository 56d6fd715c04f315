//! Ruby's `Random`: the Mersenne Twister, seeded with numbers of any size.

use num_bigint::BigInt;
use num_bigint::Sign;

/// MT19937 with Ruby's seeding.
#[derive(Clone)]
pub struct Random {
    state: Box<[u32; N]>,
    at: usize,
}

const N: usize = 624;
const M: usize = 397;

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
        let mut random = Random { state: Box::new([0; N]), at: N };
        match key.as_slice() {
            [one] => random.seed(*one),
            key => random.seed_all(key),
        }
        random
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

    fn seed(&mut self, seed: u32) {
        let mut last = seed;
        self.state[0] = seed;
        for (i, word) in (0u32..).zip(self.state.iter_mut()).skip(1) {
            last = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i);
            *word = last;
        }
        self.at = N;
    }

    #[allow(clippy::cast_possible_truncation, reason = "indices of a short key")]
    fn seed_all(&mut self, key: &[u32]) {
        self.seed(19_650_218);
        let s = &mut self.state;
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            let mixed = (s[i - 1] ^ (s[i - 1] >> 30)).wrapping_mul(1_664_525);
            s[i] = (s[i] ^ mixed).wrapping_add(key[j]).wrapping_add(j as u32);
            i += 1;
            j = (j + 1) % key.len();
            if i >= N {
                s[0] = s[N - 1];
                i = 1;
            }
        }
        for _ in 1..N {
            let mixed = (s[i - 1] ^ (s[i - 1] >> 30)).wrapping_mul(1_566_083_941);
            s[i] = (s[i] ^ mixed).wrapping_sub(i as u32);
            i += 1;
            if i >= N {
                s[0] = s[N - 1];
                i = 1;
            }
        }
        s[0] = 0x8000_0000;
    }

    fn refill(&mut self) {
        let s = &mut self.state;
        for i in 0..N {
            let bits = (s[i] & 0x8000_0000) | (s[(i + 1) % N] & 0x7fff_ffff);
            let twist = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
            s[i] = s[(i + M) % N] ^ (bits >> 1) ^ twist;
        }
        self.at = 0;
    }

    fn next_word(&mut self) -> u32 {
        if self.at >= N {
            self.refill();
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// `bytes(count)` (`rb_rand_mt_get_bytes`)
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            let word = self.next_word().to_le_bytes();
            bytes.extend(word.into_iter().take(count - bytes.len()));
        }
        bytes
    }

    /// `rand`: a number from 0 up to, but not including, 1.
    pub fn float(&mut self) -> f64 {
        let (high, low) = (self.next_word() >> 5, self.next_word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number from 0 to 1, inclusive. (`int_pair_to_real_inclusive`)
    pub fn float_inclusive(&mut self) -> f64 {
        let (high, low) = (self.next_word(), self.next_word());
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
                    number |= u64::from(self.next_word()) << shift;
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
                *word = self.next_word() & mask;
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
