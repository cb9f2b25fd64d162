//! Explicit methods for ordinary differential equations. Public, so that a caller can integrate states of its own
//! together with those of the tracker (the paper's figure 5).

/// Takes one step of Euler's method from `t` to `t + h`.
///
/// # Errors
/// As `rate`.
pub fn euler<const N: usize, E>(
    mut rate: impl FnMut(f64, &[f64; N]) -> Result<[f64; N], E>,
    t: f64,
    y: &[f64; N],
    h: f64,
) -> Result<[f64; N], E> {
    let k = rate(t, y)?;
    Ok(plus(y, &[(h, &k)]))
}

/// Takes one step of the classical Runge-Kutta method of order 4 from `t` to `t + h`.
///
/// # Errors
/// As `rate`.
pub fn runge_kutta_4<const N: usize, E>(
    mut rate: impl FnMut(f64, &[f64; N]) -> Result<[f64; N], E>,
    t: f64,
    y: &[f64; N],
    h: f64,
) -> Result<[f64; N], E> {
    let k1 = rate(t, y)?;
    let k2 = rate(t + 0.5 * h, &plus(y, &[(0.5 * h, &k1)]))?;
    let k3 = rate(t + 0.5 * h, &plus(y, &[(0.5 * h, &k2)]))?;
    let k4 = rate(t + h, &plus(y, &[(h, &k3)]))?;
    let sixth = h / 6.0;
    Ok(plus(y, &[(sixth, &k1), (2.0 * sixth, &k2), (2.0 * sixth, &k3), (sixth, &k4)]))
}

/// Takes one step of the method of Dormand and Prince (1980) from `t` to `t + h`. Returns the value of order 5 and its
/// difference from the value of order 4.
///
/// # Errors
/// As `rate`.
pub fn dormand_prince<const N: usize, E>(
    mut rate: impl FnMut(f64, &[f64; N]) -> Result<[f64; N], E>,
    t: f64,
    y: &[f64; N],
    h: f64,
) -> Result<([f64; N], [f64; N]), E> {
    let k1 = rate(t, y)?;
    let k2 = rate(t + h / 5.0, &plus(y, &[(h / 5.0, &k1)]))?;
    let k3 = rate(t + 0.3 * h, &plus(y, &[(h * 3.0 / 40.0, &k1), (h * 9.0 / 40.0, &k2)]))?;
    let k4 = rate(t + 0.8 * h, &plus(y, &[(h * 44.0 / 45.0, &k1), (-h * 56.0 / 15.0, &k2), (h * 32.0 / 9.0, &k3)]))?;
    let k5 = rate(
        t + h * 8.0 / 9.0,
        &plus(
            y,
            &[
                (h * 19372.0 / 6561.0, &k1),
                (-h * 25360.0 / 2187.0, &k2),
                (h * 64448.0 / 6561.0, &k3),
                (-h * 212.0 / 729.0, &k4),
            ],
        ),
    )?;
    let k6 = rate(
        t + h,
        &plus(
            y,
            &[
                (h * 9017.0 / 3168.0, &k1),
                (-h * 355.0 / 33.0, &k2),
                (h * 46732.0 / 5247.0, &k3),
                (h * 49.0 / 176.0, &k4),
                (-h * 5103.0 / 18656.0, &k5),
            ],
        ),
    )?;
    let fifth = [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0];
    let k: [&[f64; N]; 6] = [&k1, &k2, &k3, &k4, &k5, &k6];
    let mut new = *y;
    for (b, k) in fifth.iter().zip(k) {
        new = plus(&new, &[(h * b, k)]);
    }
    let k7 = rate(t + h, &new)?;
    let fourth =
        [5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339_200.0, 187.0 / 2100.0, 1.0 / 40.0];
    let all: [&[f64; N]; 7] = [&k1, &k2, &k3, &k4, &k5, &k6, &k7];
    let mut difference = [0.0; N];
    for ((five, four), k) in fifth.iter().zip(&fourth).zip(all) {
        difference = plus(&difference, &[(h * (five - four), k)]);
    }
    Ok((new, difference))
}

/// Computes y + Σ factor · k.
fn plus<const N: usize>(y: &[f64; N], terms: &[(f64, &[f64; N])]) -> [f64; N] {
    std::array::from_fn(|i| terms.iter().fold(y[i], |sum, (factor, k)| sum + factor * k[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Never = std::convert::Infallible;
    type Method<'m> = &'m dyn Fn(f64, &[f64; 1], f64) -> [f64; 1];

    /// Returns the error at t = 1 for yʹ = y cos t, whose solution is exp(sin t).
    fn errors(method: impl Fn(f64, &[f64; 1], f64) -> [f64; 1], steps: usize) -> f64 {
        let h = 1.0 / steps as f64;
        let end = (0..steps).fold([1.0], |y, i| method(i as f64 * h, &y, h));
        (end[0] - 1f64.sin().exp()).abs()
    }

    #[test]
    fn orders_are_1_4_and_5() {
        let rate = |t: f64, y: &[f64; 1]| Ok::<_, Never>([y[0] * t.cos()]);
        let order = |method: Method| (errors(method, 20) / errors(method, 40)).log2();
        assert!((order(&|t, y, h| euler(rate, t, y, h).unwrap()) - 1.0).abs() < 0.1);
        assert!((order(&|t, y, h| runge_kutta_4(rate, t, y, h).unwrap()) - 4.0).abs() < 0.2);
        assert!((order(&|t, y, h| dormand_prince(rate, t, y, h).unwrap().0) - 5.0).abs() < 0.3);
        // The difference is the error of a single step of order 4, which is of order 5 in h.
        let difference = |h: f64| dormand_prince(rate, 0.3, &[1.0], h).unwrap().1[0].abs();
        assert!(((difference(0.1) / difference(0.05)).log2() - 5.0).abs() < 0.5);
    }
}
