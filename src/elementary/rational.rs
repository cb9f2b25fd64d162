//! Quotients of integers, rounded to the nearest double-precision number.

use crate::error::quoted;
use num_bigint::BigUint;

/// Maximum number of digits of an integer. No double-precision number needs more than 324, which is the length of
/// 2^1074.
const MAX_DIGITS: usize = 400;

/// Maximum number of digits that always fit in 127 bits.
const FEW_DIGITS: usize = 38;

/// A double-precision number made of a quotient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rounded {
    /// The nearest number, ties to even; infinite if the quotient is too large.
    pub value: f64,
    /// True if the value equals the quotient.
    pub is_exact: bool,
}

/// The rounded quotient, or a message why the text is not a valid quotient. Both parts are without spaces around them.
pub(super) fn nearest(numerator: &[u8], denominator: &[u8]) -> Result<Rounded, String> {
    let (is_negative, n) = digits(numerator)?;
    let (is_below_zero, d) = digits(denominator)?;
    if is_below_zero || d.iter().all(|&digit| digit == b'0') {
        return Err(format!("its denominator {} is not above 0", quoted(&String::from_utf8_lossy(denominator))));
    }
    let few = n.len() <= FEW_DIGITS && d.len() <= FEW_DIGITS;
    let magnitude = few.then(|| of_few(small(n), small(d))).flatten().unwrap_or_else(|| of_many(&big(n), &big(d)));
    // Zero has no minus sign, which would have no meaning.
    let signed = if is_negative && magnitude.value != 0.0 { -magnitude.value } else { magnitude.value };
    Ok(Rounded { value: signed, ..magnitude })
}

/// Returns whether there is a minus sign, and the digits.
fn digits(word: &[u8]) -> Result<(bool, &[u8]), String> {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("{} is not a whole number", quoted(&String::from_utf8_lossy(word))));
    }
    if digits.len() > MAX_DIGITS {
        return Err(format!("a number has {} digits, more than the maximum of {MAX_DIGITS}", digits.len()));
    }
    Ok((word[0] == b'-', digits))
}

fn small(digits: &[u8]) -> u128 {
    digits.iter().fold(0, |n, digit| 10 * n + u128::from(digit - b'0'))
}

fn big(digits: &[u8]) -> BigUint {
    // There are digits and nothing else.
    BigUint::parse_bytes(digits, 10).unwrap_or_default()
}

/// The quotient if the denominator is a power of two, as in every file of double-precision numbers.
fn of_few(n: u128, d: u128) -> Option<Rounded> {
    // Both are below 2^127, so the scaling neither overflows nor underflows the normal numbers.
    let near = n as f64;
    let scale = power_of_two(-i64::from(d.trailing_zeros()));
    d.is_power_of_two().then_some(Rounded { value: near * scale, is_exact: near as u128 == n })
}

/// The quotient of any two numbers, the second one not zero.
fn of_many(n: &BigUint, d: &BigUint) -> Rounded {
    // 64 or 65 bits of the quotient, fewer where they would be below 2^-1075, and one more bit that is set if further
    // bits follow. A number of this many bits rounds like the quotient itself.
    let shift = (64 + d.bits() as i64 - n.bits() as i64).min(1075);
    let (n, d) = (n << shift.max(0) as u64, d << (-shift).max(0) as u64);
    let quotient = &n / &d;
    let has_rest = &quotient * &d != n;
    let bits = (u128::try_from(quotient).unwrap_or(u128::MAX >> 1) << 1) | u128::from(has_rest);
    if shift == 1075 && bits < 1 << 54 {
        return of_quarters(bits as u64);
    }
    let near = bits as f64;
    // In two steps, since 2^shift may overflow or underflow. Neither step rounds.
    let half = shift.div_euclid(2);
    let value = near * power_of_two(-half) * power_of_two(half - shift - 1);
    Rounded { value, is_exact: !has_rest && near as u128 == bits && value.is_finite() }
}

/// The number nearest to a multiple of a quarter of the smallest positive number, up to where numbers are normal.
fn of_quarters(quarters: u64) -> Rounded {
    let (whole, rest) = (quarters >> 2, quarters & 3);
    let is_up = rest == 3 || (rest == 2 && whole & 1 == 1);
    Rounded { value: f64::from_bits(whole + u64::from(is_up)), is_exact: rest == 0 }
}

/// 2 to a power from -1022 to 1023.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn of(n: &str, d: &str) -> Rounded {
        nearest(n.as_bytes(), d.as_bytes()).unwrap()
    }

    /// A number as an exact quotient, both parts multiplied by a factor.
    fn quotient(x: f64, factor: &BigUint) -> [String; 2] {
        let bits = x.abs().to_bits();
        let (field, low) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if field == 0 { (low, -1074) } else { (low | 1 << 52, field - 1075) };
        let n = (factor * mantissa) << exponent.max(0) as u64;
        let d = factor << (-exponent).max(0) as u64;
        [format!("{}{n}", if x < 0.0 { "-" } else { "" }), d.to_string()]
    }

    #[test]
    fn quotients_of_doubles_are_exact() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let special = [0.0, 1.0, -1.5, f64::MIN_POSITIVE, f64::from_bits(1), f64::from_bits(3), f64::MAX, 1e-30, 1e22];
        let random = std::iter::repeat_with(|| f64::from_bits(rng.next_u64())).filter(|x| x.is_finite());
        for (i, x) in special.into_iter().chain(random.take(2000)).enumerate() {
            let factor = BigUint::from([1_u32, 3, 1 << 20, 1_000_003][i % 4]);
            let [n, d] = quotient(x, &factor);
            assert_eq!(of(&n, &d), Rounded { value: x, is_exact: true }, "{n}/{d}");
        }
    }

    /// Tenths and similar numbers against the standard library, which rounds decimals to the nearest number.
    #[test]
    fn other_quotients_are_rounded_to_the_nearest() {
        let mut rng = Pcg64Mcg::seed_from_u64(2);
        for i in 0..3000 {
            let places = [1, 7, 20, 37, 38, 60, 310, 330][i % 8];
            let n = (rng.next_u64() >> (rng.next_u32() % 64)) | 1;
            let d = format!("1{}", "0".repeat(places));
            let expected: f64 = format!("{n}e-{places}").parse().unwrap();
            let found = of(&n.to_string(), &d);
            assert_eq!(found.value.to_bits(), expected.to_bits(), "{n}/{d}");
            // A tenth has no finite binary expansion: only multiples of five may be exact.
            assert!(!found.is_exact || n % 5 == 0, "{n}/{d}");
        }
        assert!(of("5", "10").is_exact && of("-5000", "10000").value == -0.5);
        assert_eq!(of("1", "3"), Rounded { value: 1.0 / 3.0, is_exact: false });
        // More than 53 bits over a power of two; halfway to even.
        assert_eq!(of("9007199254740993", "1"), Rounded { value: 9_007_199_254_740_992.0, is_exact: false });
        assert_eq!(of("9007199254740995", "2"), Rounded { value: 4_503_599_627_370_498.0, is_exact: false });
        // Too large, and too small.
        assert_eq!(of(&"9".repeat(400), "1"), Rounded { value: f64::INFINITY, is_exact: false });
        assert_eq!(of("1", &"9".repeat(400)), Rounded { value: 0.0, is_exact: false });
        assert_eq!(of("-0", "7"), Rounded { value: 0.0, is_exact: true });
        assert!(of("-0", "7").value.is_sign_positive());
    }

    #[test]
    fn invalid_quotients_are_refused() {
        for (n, d, word) in [
            ("", "1", "'' is not a whole number"),
            ("-", "1", "'-' is not"),
            ("--1", "1", "not a whole number"),
            ("1.5", "1", "'1.5' is not"),
            ("1e5", "1", "'1e5' is not"),
            ("0x10", "1", "not a whole number"),
            ("1", "0", "denominator '0' is not above 0"),
            ("1", "-2", "denominator '-2' is not above 0"),
            ("1", "000", "not above 0"),
            ("nan", "1", "'nan' is not"),
            ("1 2", "1", "'1 2' is not"),
        ] {
            let message = nearest(n.as_bytes(), d.as_bytes()).unwrap_err();
            assert!(message.contains(word), "{n}/{d}: {message}");
        }
        let long = "7".repeat(401);
        assert!(nearest(long.as_bytes(), b"1").unwrap_err().contains("401 digits"));
        assert!(nearest(b"\xff\xfe", b"1").is_err());
    }
}
