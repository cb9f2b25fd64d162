//! Bounds as decimal numbers, rounded outward.

/// A lower bound with this many digits after the point, rounded down. It is printed in units of which `per_unit` make
/// one unit of `value`: 1,000 for a value in metres that is printed in millimetres.
pub fn at_least(value: f64, per_unit: f64, digits: usize) -> String {
    let (n, scale) = nearest(value, per_unit, digits);
    decimal(if n / scale > value { n - 1.0 } else { n }, digits)
}

/// An upper bound, rounded up; otherwise like [`at_least`].
pub fn at_most(value: f64, per_unit: f64, digits: usize) -> String {
    let (n, scale) = nearest(value, per_unit, digits);
    decimal(if n / scale < value { n + 1.0 } else { n }, digits)
}

/// The nearest number of units of the last digit, and how many of these make one of `value`'s units.
fn nearest(value: f64, per_unit: f64, digits: usize) -> (f64, f64) {
    let scale = per_unit * 10f64.powi(digits as i32);
    ((value * scale).round(), scale)
}

fn decimal(n: f64, digits: usize) -> String {
    format!("{:.digits$}", n / 10f64.powi(digits as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_outward() {
        for (metres, expected) in [
            (0.01, ["10.0000", "10.0000"]),
            (0.0, ["0.0000", "0.0000"]),
            (0.012_345_678_9, ["12.3456", "12.3457"]),
            (0.012_345_611, ["12.3456", "12.3457"]),
            (3.0 - 1e-12, ["2999.9999", "3000.0000"]),
            (3.0 + 1e-12, ["3000.0000", "3000.0001"]),
            (1e-12, ["0.0000", "0.0001"]),
        ] {
            assert_eq!([at_least(metres, 1e3, 4), at_most(metres, 1e3, 4)], expected, "{metres}");
        }
        assert_eq!([at_least(0.249_999_999, 1.0, 6), at_most(0.250_000_001, 1.0, 6)], ["0.249999", "0.250001"]);
    }
}
