//! Number of steps into which a surface must be cut so that flat triangles stay near it (Filip, Magedson and Markot
//! 1986; eq. 11).

/// Upper bounds on the lengths of a surface's second derivatives over a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondDerivatives {
    /// Second derivative by the first parameter.
    pub uu: f64,
    /// Mixed second derivative.
    pub uv: f64,
    /// Second derivative by the second parameter.
    pub vv: f64,
}

/// Maximum number of steps along a parameter; a patch that needs more is cut.
const MAX_STEPS: f64 = 4096.0;

impl SecondDerivatives {
    /// Steps along the two parameters of a patch of size `[du, dv]`, with as few triangles as possible, such that each
    /// point of the surface is within `tolerance` of the point with the same parameters on the triangles; `None` if
    /// there are too many.
    ///
    /// A triangle with legs `p` and `q` in the plane of the parameters is within `(p² uu + 2 p q uv + q² vv) / 8` of
    /// the surface. With `n` and `m` steps that is `(a/n² + 2b/(nm) + c/m²) / 8`; given `m`, the least `n` is the root
    /// of a quadratic.
    pub fn steps(&self, [du, dv]: [f64; 2], tolerance: f64) -> Option<[usize; 2]> {
        let [a, b, c] = [du * du * self.uu, du * dv * self.uv, dv * dv * self.vv];
        if ![a, b, c].iter().all(|x| x.is_finite()) {
            return None;
        }
        let fewest = |m: f64| {
            let left = 8.0 * tolerance - c / (m * m);
            let half = b / m;
            if left > 0.0 { ((half + (half * half + a * left).sqrt()) / left).ceil().max(1.0) } else { f64::INFINITY }
        };
        let first = (c / (8.0 * tolerance)).sqrt().floor() + 1.0;
        if !(first <= MAX_STEPS) {
            return None;
        }
        let tried = (0..=first as usize + 32).map(|i| first + i as f64).map(|m| [fewest(m), m]);
        let [n, m] = tried.min_by(|x, y| (x[0] * x[1]).total_cmp(&(y[0] * y[1])))?;
        (n <= MAX_STEPS && m <= MAX_STEPS).then_some([n as usize, m as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chosen steps satisfy eq. 11, and one step less along either parameter does not.
    #[test]
    fn the_number_of_steps_is_sufficient_and_minimal() {
        for (uu, uv, vv) in
            [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (3.0, 0.5, 7.0), (0.0, 0.0, 0.0), (900.0, 80.0, 2.0)]
        {
            for tolerance in [1e-2, 1e-4] {
                let [n, m] = SecondDerivatives { uu, uv, vv }.steps([0.5, 2.0], tolerance).unwrap().map(|x| x as f64);
                let error = |n: f64, m: f64| (0.25 * uu / (n * n) + 2.0 * uv / (n * m) + 4.0 * vv / (m * m)) / 8.0;
                assert!(error(n, m) <= tolerance * (1.0 + 1e-12), "{uu} {uv} {vv}: {n} {m}");
                assert!(n == 1.0 || error(n - 1.0, m) > tolerance, "{uu} {uv} {vv}: {n} {m}");
            }
        }
        assert_eq!(SecondDerivatives { uu: 1e30, uv: 0.0, vv: 0.0 }.steps([1.0, 1.0], 1e-3), None);
        assert_eq!(SecondDerivatives { uu: f64::NAN, uv: 0.0, vv: 0.0 }.steps([1.0, 1.0], 1e-3), None);
    }
}
