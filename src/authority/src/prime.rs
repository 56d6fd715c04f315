//! Prime numbers for RSA keys.
//!
//! In: a number of bits. Out: a random prime of this size. Candidates are the numbers after a random one; a sieve removes those with a
//! small factor, the library tests the rest. The library's own search sieves with 15 primes only and takes three times as long.

use num_bigint_dig::BigUint;
use num_bigint_dig::RandBigInt;
use num_bigint_dig::prime::probably_prime;
use rsa::rand_core::OsRng;

/// Factors below this are found by the sieve.
const SIEVE_LIMIT: usize = 1 << 16;
/// How many odd numbers after the random one are tried before another random one is taken. One of 710 is prime at 2048 bits.
const WINDOW: usize = 1 << 13;
/// Rounds of the test of Miller and Rabin, in addition to that of Lucas.
const ROUNDS: usize = 20;

/// The odd primes below [`SIEVE_LIMIT`].
pub(crate) struct SmallPrimes(Vec<u32>);

impl SmallPrimes {
    pub(crate) fn new() -> SmallPrimes {
        let mut is_composite = vec![false; SIEVE_LIMIT];
        let mut primes = Vec::new();
        for number in (3..SIEVE_LIMIT).step_by(2) {
            if is_composite.get(number).copied().unwrap_or(true) {
                continue;
            }
            primes.extend(u32::try_from(number));
            mark(&mut is_composite, number * number, number);
        }
        SmallPrimes(primes)
    }
}

fn mark(is_composite: &mut [bool], first: usize, step: usize) {
    for composite in is_composite.iter_mut().skip(first).step_by(step) {
        *composite = true;
    }
}

/// A random prime with this number of bits, of which the two highest are set: the product of two has twice as many bits.
pub(crate) fn random_prime(bits: usize, small: &SmallPrimes) -> BigUint {
    let mut random = OsRng;
    let highest = BigUint::from(3_u8) << bits.saturating_sub(2);
    loop {
        let start = random.gen_biguint(bits) | &highest | BigUint::from(1_u8);
        let candidates = offsets(&start, small).map(|offset| &start + BigUint::from(offset));
        let found = candidates.filter(|candidate| candidate.bits() == bits);
        if let Some(prime) = found.into_iter().find(|candidate| probably_prime(candidate, ROUNDS)) {
            return prime;
        }
    }
}

/// The distances from an odd number to the next odd numbers that have no small factor.
fn offsets(start: &BigUint, small: &SmallPrimes) -> impl Iterator<Item = usize> + use<> {
    let mut is_composite = vec![false; WINDOW];
    for prime in &small.0 {
        let rest = remainder(start, *prime);
        // The first i with start + 2i = 0 modulo prime: (prime - rest) / 2, where 1/2 is (prime + 1) / 2.
        let (prime, missing) = (*prime as usize, (*prime - rest) as usize % *prime as usize);
        let first = if missing % 2 == 0 { missing / 2 } else { (missing + prime) / 2 };
        mark(&mut is_composite, first, prime);
    }
    is_composite.into_iter().enumerate().filter(|(_, is_composite)| !is_composite).map(|(at, _)| 2 * at)
}

fn remainder(number: &BigUint, divisor: u32) -> u32 {
    (number % divisor).to_bytes_le().iter().rev().fold(0, |rest, byte| (rest << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sieve_removes_numbers_with_small_factors_only() {
        let small = SmallPrimes::new();
        assert_eq!(small.0.iter().take(5).collect::<Vec<_>>(), [&3, &5, &7, &11, &13]);
        assert_eq!(small.0.len(), 6541);
        let start = BigUint::from(10_000_000_001_u64);
        let kept: Vec<usize> = offsets(&start, &small).take_while(|offset| *offset < 200).collect();
        let has_factor = |offset: &usize| {
            small.0.iter().any(|prime| (10_000_000_001 + *offset as u64).is_multiple_of(u64::from(*prime)))
        };
        let expected: Vec<usize> = (0..200).step_by(2).filter(|offset| !has_factor(offset)).collect();
        assert_eq!(kept, expected);
        let prime = random_prime(256, &small);
        assert_eq!((prime.bits(), probably_prime(&prime, 20)), (256, true));
        assert_ne!(prime, random_prime(256, &small));
    }
}
