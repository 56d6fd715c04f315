//! Integers beyond 64 bits, as `Integer` calculates with them.
//!
//! In: integers of any size. Out: the result of a method of `Integer`; [`Rv::Big`] holds only integers that do not fit
//! [`Rv::Int`]. Must not: create numbers so large that a calculation with them exceeds the time of a program.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::Interp;
use crate::Raise;
use crate::core::number::Arithmetic;
use crate::core::number::Rounding;
use crate::value::Range;
use crate::value::Rv;
use catwalk_value::big::from_float;
use catwalk_value::big::to_float;

/// Maximum number of bits. Ruby allows 32 million, but printing such a number takes minutes.
const MAX_BITS: u64 = 1 << 20;

/// The Ruby value of an integer.
pub fn to_value(n: BigInt) -> Rv {
    match i64::try_from(&n) {
        Ok(n) => Rv::Int(n),
        Err(_) => Rv::Big(Rc::new(n)),
    }
}

/// An integer clamped to 128 bits. No count is that large.
pub(crate) fn clamp_to_i128(n: &BigInt) -> i128 {
    i128::try_from(n).unwrap_or(if n.sign() == Sign::Minus { i128::MIN } else { i128::MAX })
}

/// The integer in a Ruby value; `None` for a value that is not one.
pub fn from_value(value: &Rv) -> Option<BigInt> {
    match value {
        Rv::Int(n) => Some(BigInt::from(*n)),
        Rv::Big(n) => Some((**n).clone()),
        _ => None,
    }
}

/// The whole part of a float; `None` when it is not finite.
pub(crate) fn truncate_float(f: f64) -> Option<Rv> {
    from_float(f)?.as_big().map(to_value)
}

/// Compares an integer with a float; `None` for NaN.
pub(crate) fn compare_with_float(n: &BigInt, f: f64) -> Option<Ordering> {
    match truncate_float(f).as_ref().and_then(from_value) {
        Some(whole) => Some(n.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&f.fract()).unwrap_or(Ordering::Equal))),
        None => 0.0_f64.partial_cmp(&f),
    }
}

/// The quotient, rounded down, and the remainder. The divisor is not 0.
fn floor_divide(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (a / b, a % b);
    if rest.sign() != Sign::NoSign && rest.sign() != b.sign() { (quotient - 1, rest + b) } else { (quotient, rest) }
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (BigInt::from(a.magnitude().clone()), BigInt::from(b.magnitude().clone()));
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    a
}

impl Interp<'_> {
    /// Counts the cost of a calculation with numbers of these sizes in bits against the limits.
    fn spend_bits(&mut self, a: u64, b: u64) -> Raise<()> {
        if a.max(b) > MAX_BITS {
            return self.unsupported("Ruby integers of this size");
        }
        self.spend_digits(a / 64, b / 64 + 1)?;
        self.check_size(usize::try_from((a + b) / 8).unwrap_or(usize::MAX))
    }

    /// Counts the cost of `rounds` passes over numbers of `words` machine words.
    fn spend_digits(&mut self, rounds: u64, words: u64) -> Raise<()> {
        self.steps = self.steps.saturating_add(rounds.saturating_mul(words) / 16);
        self.check_limits()
    }

    /// The integer at the start of a string in a radix, without sign and prefix; single `_` between digits are ignored.
    ///
    /// # Errors
    ///
    /// `not supported yet: …` for numbers beyond a million bits.
    pub(crate) fn parse_leading_digits(&mut self, string: &str, radix: u32) -> Raise<BigInt> {
        let mut digits = String::new();
        let mut under = true;
        for c in string.chars() {
            if c == '_' && !under {
                under = true;
            } else if c.is_digit(radix) {
                under = false;
                digits.push(c);
            } else {
                break;
            }
        }
        let bits = digits.trim_start_matches('0').len() as u64 * u64::from(radix.ilog2());
        self.spend_bits(bits, bits)?;
        Ok(BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default())
    }

    /// The result of an operator of two integers; `None` for a power with a negative exponent.
    ///
    /// # Errors
    ///
    /// `ZeroDivisionError`; `not supported yet: …` for numbers beyond a million bits.
    pub(crate) fn big_arithmetic(&mut self, a: &BigInt, b: &BigInt, operation: Arithmetic) -> Raise<Option<Rv>> {
        self.spend_bits(a.bits(), b.bits())?;
        Ok(Some(match operation {
            Arithmetic::Add => to_value(a + b),
            Arithmetic::Subtract => to_value(a - b),
            Arithmetic::Multiply => {
                self.spend_bits(a.bits() + b.bits(), 0)?;
                to_value(a * b)
            }
            Arithmetic::Divide | Arithmetic::IntegerDivide => to_value(self.big_divide(a, b)?.0),
            Arithmetic::Modulo => to_value(self.big_divide(a, b)?.1),
            Arithmetic::DivideModulo => {
                let (quotient, rest) = self.big_divide(a, b)?;
                Rv::array(vec![to_value(quotient), to_value(rest)])
            }
            Arithmetic::FloatDivide => Rv::float(quotient(a, b)),
            Arithmetic::Power if b.sign() != Sign::Minus => return self.power(a, b).map(Some),
            Arithmetic::Power => return Ok(None),
        }))
    }

    /// The quotient, rounded down, and the remainder.
    fn big_divide(&mut self, a: &BigInt, b: &BigInt) -> Raise<(BigInt, BigInt)> {
        if b.sign() == Sign::NoSign {
            return self.raise("ZeroDivisionError", "divided by 0");
        }
        Ok(floor_divide(a, b))
    }

    /// `a.remainder(b)`, which has the sign of `a`.
    pub(crate) fn big_remainder(&mut self, a: &BigInt, b: &BigInt) -> Raise<Rv> {
        self.spend_bits(a.bits(), b.bits())?;
        if b.sign() == Sign::NoSign {
            return self.raise("ZeroDivisionError", "divided by 0");
        }
        Ok(to_value(a % b))
    }

    /// An operator of the bits of two integers.
    pub(crate) fn big_bitwise(&mut self, a: &BigInt, b: &BigInt, operator: fn(&BigInt, &BigInt) -> Rv) -> Raise<Rv> {
        self.spend_bits(a.bits(), b.bits())?;
        Ok(operator(a, b))
    }

    /// The greatest common divisor and the least common multiple.
    pub(crate) fn big_divisor_and_multiple(&mut self, a: &BigInt, b: &BigInt) -> Raise<(BigInt, BigInt)> {
        self.spend_bits(a.bits(), b.bits())?;
        // A round removes about one bit.
        self.spend_digits(a.bits().min(b.bits()), a.bits().max(b.bits()) / 64)?;
        Ok((gcd(a, b), lcm(a, b)))
    }

    /// `a << by`, or `a >> by` if it is not to the left.
    pub(crate) fn big_shift(&mut self, a: &BigInt, by: &BigInt, left: bool) -> Raise<Rv> {
        self.spend_bits(a.bits(), by.bits())?;
        self.shift(a, by, left)
    }

    fn power(&mut self, a: &BigInt, b: &BigInt) -> Raise<Rv> {
        if a.magnitude().bits() <= 1 {
            let odd = b.bit(0);
            return Ok(match a.sign() {
                Sign::NoSign => Rv::Int(i64::from(b.sign() == Sign::NoSign)),
                Sign::Minus if odd => Rv::Int(-1),
                _ => Rv::Int(1),
            });
        }
        // As in `rb_int_positive_pow`, a result with too many bits is calculated as a float.
        let bits = u64::try_from(b).ok().and_then(|b| a.bits().checked_mul(b));
        let Some((bits, exponent)) = bits.filter(|bits| *bits <= 32 << 20).zip(u32::try_from(b).ok()) else {
            return Ok(Rv::float(to_float(a).powf(to_float(b))));
        };
        // An upper bound: 2 has two bits, but adds only one for each.
        self.spend_bits(bits / 2, bits / 8)?;
        let result = a.pow(exponent);
        self.spend_bits(result.bits(), 0)?;
        Ok(to_value(result))
    }

    fn shift(&mut self, a: &BigInt, by: &BigInt, left: bool) -> Raise<Rv> {
        let left = left == (by.sign() != Sign::Minus);
        let by = u64::try_from(by.magnitude()).unwrap_or(u64::MAX);
        if left && a.sign() != Sign::NoSign {
            self.spend_bits(a.bits().saturating_add(by), 0)?;
            return Ok(to_value(a << by));
        }
        // Negative numbers behave as if infinitely many sign bits preceded the first digit.
        if by >= a.bits() {
            return Ok(Rv::Int(if a.sign() == Sign::Minus { -1 } else { 0 }));
        }
        Ok(to_value(a >> by))
    }

    /// `n.to_s(radix)`
    pub(crate) fn big_to_s(&mut self, n: &BigInt, radix: i64) -> Raise<Rv> {
        self.spend_bits(n.bits(), n.bits())?;
        match u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix)) {
            Some(radix) => Ok(Rv::str(n.to_str_radix(radix))),
            None => self.raise("ArgumentError", format!("invalid radix {radix}")),
        }
    }

    /// `n[at]`, `n[from, width]`, `n[from..to]`
    pub(crate) fn big_bits(&mut self, n: &BigInt, args: &[Rv]) -> Raise<Rv> {
        match args {
            [Rv::Range(bits)] => self.bits_in_range(n, bits),
            [from, width] => {
                let (from, width) = (self.expect_int(from)?, self.expect_int(width)?);
                let high = n >> u64::try_from(from).unwrap_or(n.bits());
                let width = u64::try_from(width).unwrap_or(0);
                self.spend_bits(n.bits().max(width), 0)?;
                Ok(to_value(high & ((BigInt::from(1) << width) - 1)))
            }
            args => {
                let at = args.first().unwrap_or(&Rv::Nil);
                let at = match from_value(at) {
                    Some(at) => at,
                    None => self.expect_int(at)?.into(),
                };
                Ok(match u64::try_from(&at) {
                    Ok(at) => Rv::Int(i64::from(n.bit(at))),
                    Err(_) if at.sign() == Sign::Minus => Rv::Int(0),
                    Err(_) => Rv::Int(i64::from(n.sign() == Sign::Minus)),
                })
            }
        }
    }

    /// `n[from..to]`: the bits in a range; all bits from the first on if the range is empty or has no end.
    fn bits_in_range(&mut self, n: &BigInt, range: &Range) -> Raise<Rv> {
        let from = self.expect_int(&range.from)?;
        let high = n >> u64::try_from(from).unwrap_or(n.bits());
        let width = match range.to {
            Rv::Int(to) => to.saturating_sub(from).saturating_add(i64::from(!range.exclusive)),
            _ => 0,
        };
        Ok(match u64::try_from(width) {
            Ok(width @ 1..) if width <= n.bits() || n.sign() == Sign::Minus => {
                self.spend_bits(n.bits().max(width), 0)?;
                to_value(high & ((BigInt::from(1) << width) - 1))
            }
            _ => to_value(high),
        })
    }

    /// `n.round(digits)` and the other ways to round, for a negative number of digits.
    pub(crate) fn big_round(&mut self, n: &BigInt, rounding: Rounding, args: &[Rv]) -> Raise<Rv> {
        let digits = args.first().map(|digits| self.expect_int(digits)).transpose()?.unwrap_or(0);
        let Some(zeroes) = u32::try_from(-digits).ok().filter(|zeroes| *zeroes > 0) else {
            return Ok(to_value(n.clone()));
        };
        // As in `int_round_zero_p`: the size in bytes shows that the number has fewer digits.
        let bytes = if i64::try_from(n).is_ok() { 8 } else { n.bits().div_ceil(8) };
        if 0.415_241 * f64::from(zeroes) - 0.125 > bytes as f64 {
            return Ok(Rv::Int(0));
        }
        self.spend_bits(u64::from(zeroes) * 4, 0)?;
        let scale = BigInt::from(10).pow(zeroes);
        let (low, rest) = floor_divide(n, &scale);
        let negative = n.sign() == Sign::Minus;
        let up = rest.sign() != Sign::NoSign
            && match rounding {
                Rounding::Down => false,
                Rounding::Up => true,
                Rounding::TowardZero => negative,
                // A tie is rounded away from 0.
                Rounding::Nearest => match (rest * 2_i32).cmp(&scale) {
                    Ordering::Equal => !negative,
                    order => order.is_gt(),
                },
            };
        Ok(to_value((if up { low + 1 } else { low }) * scale))
    }

    /// `digits(base)`, the lowest first.
    pub(crate) fn big_digits(&mut self, n: &BigInt, base: &BigInt) -> Raise<Rv> {
        if base.sign() == Sign::Minus {
            return self.raise("ArgumentError", "negative radix");
        }
        if *base < BigInt::from(2) {
            return self.raise("ArgumentError", format!("invalid radix {base}"));
        }
        if n.sign() == Sign::Minus {
            return self.raise("Math::DomainError", "out of domain");
        }
        self.spend_bits(n.bits(), n.bits())?;
        if let Ok(radix @ 2..=36) = u32::try_from(base) {
            let string = n.to_str_radix(radix);
            return Ok(Rv::array(
                string.chars().rev().filter_map(|c| c.to_digit(radix)).map(|d| Rv::Int(d.into())).collect(),
            ));
        }
        // A division takes longer than a pass over the words.
        self.spend_digits(n.bits() / base.bits() * 4, n.bits() / 64 + 1)?;
        let mut digits = Vec::new();
        let mut rest = n.clone();
        while rest.sign() != Sign::NoSign {
            digits.push(to_value(&rest % base));
            rest /= base;
        }
        Ok(Rv::array(digits))
    }

    /// `n.pow(exponent, modulus)`
    pub(crate) fn power_modulo(&mut self, n: &BigInt, exponent: &BigInt, modulus: &BigInt) -> Raise<Rv> {
        if exponent.sign() == Sign::Minus {
            return self
                .raise("RangeError", "Integer#pow() 1st argument cannot be negative when 2nd argument specified");
        }
        if modulus.sign() == Sign::NoSign {
            return self.raise("ZeroDivisionError", "divided by 0");
        }
        self.spend_bits(n.bits().max(modulus.bits()), 0)?;
        let words = modulus.bits() / 64 + 1;
        self.spend_digits(exponent.bits(), words.saturating_mul(words))?;
        Ok(to_value(n.modpow(exponent, modulus)))
    }
}

fn lcm(a: &BigInt, b: &BigInt) -> BigInt {
    let common = gcd(a, b);
    if common.sign() == Sign::NoSign { common } else { BigInt::from((a / common * b).magnitude().clone()) }
}

/// `a.fdiv(b)`: numbers that are too large for floats are both shortened by the same number of bits.
fn quotient(a: &BigInt, b: &BigInt) -> f64 {
    let shorter = a.bits().max(b.bits()).saturating_sub(1000);
    to_float(&(a >> shorter)) / to_float(&(b >> shorter))
}
