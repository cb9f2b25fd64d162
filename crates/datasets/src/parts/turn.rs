//! Sine and cosine of fractions of a full turn, the same on every platform.
//!
//! Whole octants are reduced in integers, so quarter turns are exact; within an octant the engine's own sine is used,
//! whose bits are the same everywhere.

use firstcontact::arith::trig::sin_cos;

/// Cosine and sine of `numerator / denominator` of a full turn, within 2 units in the last place.
///
/// A zero denominator counts as a zero angle.
pub(crate) fn cos_sin(numerator: i64, denominator: i64) -> (f64, f64) {
    if denominator == 0 {
        return (1.0, 0.0);
    }
    let (n, d) = (i128::from(numerator) * 8, i128::from(denominator));
    let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
    let eighths = n.rem_euclid(8 * d);
    let (octant, rest) = (eighths / d, eighths % d);
    // The angle within the octant, measured from its nearer axis.
    let from_axis = if octant % 2 == 0 { rest } else { d - rest };
    let x = from_axis as f64 / d as f64 * std::f64::consts::FRAC_PI_4;
    let (s, c) = sin_cos(x);
    match octant {
        0 => (c, s),
        1 => (s, c),
        2 => (-s, c),
        3 => (-c, s),
        4 => (-c, -s),
        5 => (-s, -c),
        6 => (s, -c),
        _ => (c, -s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        for d in [1i64, 3, 7, 12, 360, 100_003] {
            for n in -2 * d.min(400)..=2 * d.min(400) {
                let angle = n as f64 / d as f64 * std::f64::consts::TAU;
                let (c, s) = cos_sin(n, d);
                assert!((c - angle.cos()).abs() < 1e-15 * (1.0 + angle.abs()), "cos {n}/{d}");
                assert!((s - angle.sin()).abs() < 1e-15 * (1.0 + angle.abs()), "sin {n}/{d}");
            }
        }
    }

    #[test]
    fn quarters_are_exact() {
        for (k, want) in [(0, (1.0, 0.0)), (1, (0.0, 1.0)), (2, (-1.0, 0.0)), (3, (0.0, -1.0)), (-1, (0.0, -1.0))] {
            let (c, s) = cos_sin(k, 4);
            assert_eq!((c + 0.0, s + 0.0), want);
        }
        assert_eq!(cos_sin(5, 0), (1.0, 0.0));
        assert_eq!(cos_sin(i64::MAX, i64::MAX), (1.0, 0.0));
        assert_eq!(cos_sin(i64::MIN, i64::MIN), (1.0, 0.0));
    }
}
