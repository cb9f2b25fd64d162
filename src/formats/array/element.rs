//! Element types of NumPy arrays, converted to `f64`.

use crate::error::{Error, Result, quoted};

/// Real number types of NumPy that convert to `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F2,
    F4,
    F8,
    I1,
    I2,
    I4,
    I8,
    U1,
    U2,
    U4,
    U8,
}

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    kind: Kind,
    is_big_endian: bool,
}

impl Element {
    /// The type of a NumPy type string such as `<f8`.
    ///
    /// # Errors
    /// The type is not a real number of at most 64 bits.
    pub fn parse(descr: &str) -> Result<Self> {
        let unsupported = || {
            Error::input(format!("its type is {}, not a float or integer of at most 64 bits", quoted(descr)))
                .remedy("save motions.astype('float64')")
        };
        let order = descr.chars().next().filter(|c| "<>=|".contains(*c)).ok_or_else(unsupported)?;
        let kind = match &descr[1..] {
            "f2" => Kind::F2,
            "f4" => Kind::F4,
            "f8" => Kind::F8,
            "i1" => Kind::I1,
            "i2" => Kind::I2,
            "i4" => Kind::I4,
            "i8" => Kind::I8,
            "u1" => Kind::U1,
            "u2" => Kind::U2,
            "u4" => Kind::U4,
            "u8" => Kind::U8,
            _ => return Err(unsupported()),
        };
        let element = Self { kind, is_big_endian: order == '>' || (order == '=' && cfg!(target_endian = "big")) };
        // A type of more than one byte has a byte order.
        if order == '|' && element.n_bytes() > 1 { Err(unsupported()) } else { Ok(element) }
    }

    /// Bytes of one element.
    pub fn n_bytes(self) -> usize {
        match self.kind {
            Kind::I1 | Kind::U1 => 1,
            Kind::F2 | Kind::I2 | Kind::U2 => 2,
            Kind::F4 | Kind::I4 | Kind::U4 => 4,
            Kind::F8 | Kind::I8 | Kind::U8 => 8,
        }
    }

    /// Converts elements until `values` is full. Returns the index of the first one that `f64` cannot represent.
    pub fn convert(self, bytes: &[u8], values: &mut [f64]) -> std::result::Result<(), usize> {
        match self.kind {
            Kind::F2 => self.each(bytes, values, |b| half(u16::from_le_bytes(b))),
            Kind::F4 => self.each(bytes, values, |b| f64::from(f32::from_le_bytes(b))),
            Kind::F8 => self.each(bytes, values, f64::from_le_bytes),
            Kind::I1 => self.each(bytes, values, |b| f64::from(i8::from_le_bytes(b))),
            Kind::I2 => self.each(bytes, values, |b| f64::from(i16::from_le_bytes(b))),
            Kind::I4 => self.each(bytes, values, |b| f64::from(i32::from_le_bytes(b))),
            Kind::U1 => self.each(bytes, values, |b| f64::from(u8::from_le_bytes(b))),
            Kind::U2 => self.each(bytes, values, |b| f64::from(u16::from_le_bytes(b))),
            Kind::U4 => self.each(bytes, values, |b| f64::from(u32::from_le_bytes(b))),
            // An integer is exact if converting it back through 128 bits, which do not saturate, gives the same value.
            Kind::I8 => {
                let is_exact = |b| i64::from_le_bytes(b) as f64 as i128 == i128::from(i64::from_le_bytes(b));
                self.exact(bytes, is_exact)?;
                self.each(bytes, values, |b| i64::from_le_bytes(b) as f64);
            }
            Kind::U8 => {
                let is_exact = |b| u64::from_le_bytes(b) as f64 as i128 == i128::from(u64::from_le_bytes(b));
                self.exact(bytes, is_exact)?;
                self.each(bytes, values, |b| u64::from_le_bytes(b) as f64);
            }
        }
        Ok(())
    }

    fn each<const N: usize>(self, bytes: &[u8], values: &mut [f64], number: impl Fn([u8; N]) -> f64) {
        let (elements, _) = bytes.as_chunks::<N>();
        let reversed = |mut element: [u8; N]| {
            element.reverse();
            element
        };
        for (value, &element) in values.iter_mut().zip(elements) {
            *value = number(if self.is_big_endian { reversed(element) } else { element });
        }
    }

    fn exact(self, bytes: &[u8], is_exact: impl Fn([u8; 8]) -> bool) -> std::result::Result<(), usize> {
        let little = |mut element: [u8; 8]| {
            if self.is_big_endian {
                element.reverse();
            }
            element
        };
        match bytes.as_chunks().0.iter().position(|&element| !is_exact(little(element))) {
            Some(i) => Err(i),
            None => Ok(()),
        }
    }
}

/// A float of 16 bits: sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn converts<const N: usize>(kind: &str, little: &[[u8; N]], expected: &[f64]) {
        for (order, is_big_endian) in [("<", false), (">", true)] {
            let element = Element::parse(&format!("{order}{kind}")).unwrap();
            let reversed = |b: &[u8; N]| b.iter().rev().copied().collect::<Vec<_>>();
            let bytes: Vec<u8> =
                little.iter().flat_map(|b| if is_big_endian { reversed(b) } else { b.to_vec() }).collect();
            let mut values = vec![7.0; expected.len()];
            assert_eq!(element.n_bytes(), N);
            assert_eq!(element.convert(&bytes, &mut values), Ok(()), "{order}{kind}");
            assert_eq!(values, expected, "{order}{kind}");
        }
    }

    #[test]
    fn every_type_converts_its_extremes() {
        converts("f8", &[0.1f64, -1e300].map(f64::to_le_bytes), &[0.1, -1e300]);
        converts("f4", &[0.1f32, f32::MAX].map(f32::to_le_bytes), &[0.10000000149011612, 3.4028234663852886e38]);
        converts("i1", &[i8::MIN, 127].map(i8::to_le_bytes), &[-128.0, 127.0]);
        converts("i2", &[i16::MIN, 1].map(i16::to_le_bytes), &[-32768.0, 1.0]);
        converts("i4", &[i32::MIN, 1].map(i32::to_le_bytes), &[-2147483648.0, 1.0]);
        converts("i8", &[i64::MIN, 1 << 53].map(i64::to_le_bytes), &[-9223372036854775808.0, 9007199254740992.0]);
        converts("u1", &[0u8, 255].map(u8::to_le_bytes), &[0.0, 255.0]);
        converts("u2", &[u16::MAX, 258].map(u16::to_le_bytes), &[65535.0, 258.0]);
        converts("u4", &[u32::MAX, 1].map(u32::to_le_bytes), &[4294967295.0, 1.0]);
        converts("u8", &[1u64 << 63, 3].map(u64::to_le_bytes), &[9223372036854775808.0, 3.0]);
    }

    #[test]
    fn integers_that_are_not_exact_are_found() {
        let mut values = [0.0; 3];
        for inexact in [(1i64 << 53) + 1, i64::MAX, i64::MIN + 1] {
            let bytes = [1, 2, inexact].map(i64::to_be_bytes).concat();
            assert_eq!(Element::parse(">i8").unwrap().convert(&bytes, &mut values), Err(2), "{inexact}");
        }
        for inexact in [(1u64 << 53) + 1, u64::MAX] {
            let bytes = [inexact, 1, 2].map(u64::to_le_bytes).concat();
            assert_eq!(Element::parse("<u8").unwrap().convert(&bytes, &mut values), Err(0), "{inexact}");
        }
    }

    /// Values from the tables of IEEE 754: the largest, the smallest normal and subnormal, 1/3 rounded.
    #[test]
    fn halves_convert_exactly() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103515625e-05),
            (0x0001, 5.960464477539063e-08),
            (0x3555, 0.333251953125),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ];
        for (bits, expected) in cases {
            converts("f2", &[u16::to_le_bytes(bits)], &[expected]);
        }
        assert!(half(0x7e00).is_nan() && half(0x8000).is_sign_negative());
        // Between the two infinities, the values increase at every step.
        let finite: Vec<f64> = (0..0x7c00).map(half).collect();
        assert!(finite.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn other_types_are_refused() {
        for descr in ["<f16", "<c8", "|b1", "<U5", "|S3", "|O", "<M8[us]", "|V8", "f8", "", "é", "|f8", "<f3", "<"] {
            let message = Element::parse(descr).unwrap_err().to_string();
            assert!(message.contains(descr) && message.contains("astype"), "{message}");
        }
        for descr in ["|i1", "|u1", "<i1", "=f8"] {
            assert!(Element::parse(descr).is_ok(), "{descr}");
        }
    }
}
