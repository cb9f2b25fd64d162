//! Proof of contact: at one time, an edge of one triangle pierces the other one strictly.
//!
//! The five orientation determinants that say so must have certain signs. With vertices known to within `eps`, a
//! determinant `y·(e1×e2)` of differences is known to within
//! `2.1 eps (|e1||e2| + |y||e1| + |y||e2|) + 12 v |y||e1||e2|`: it is trilinear in differences, each wrong by at most
//! `2 eps`, at most eight roundings stand above each monomial, and the absolute monomials sum to at most
//! `6/3^(3/2) |y||e1||e2|` (Carlen, Lieb and Loss).

use crate::numeric::linear::V3;

type Points = [V3<f64>; 3];

/// Whether the triangles certainly intersect, if the vertices of `x` are known to within `error_x` and those of `y` to
/// within `error_y`.
pub fn certainly_meet(x: &Points, error_x: f64, y: &Points, error_y: f64) -> bool {
    let eps = error_x.max(error_y);
    (0..3).any(|i| pierces(x[i], x[(i + 1) % 3], y, eps) || pierces(y[i], y[(i + 1) % 3], x, eps))
}

/// The edge of `x` (first) or `y` (second) that certainly pierces the other triangle: `(edge of x?, edge number)`.
pub fn piercing_edge(x: &Points, error_x: f64, y: &Points, error_y: f64) -> Option<(bool, u8)> {
    let eps = error_x.max(error_y);
    (0..3).find_map(|i: usize| {
        let of_x = pierces(x[i], x[(i + 1) % 3], y, eps).then_some((true, i as u8));
        of_x.or_else(|| pierces(y[i], y[(i + 1) % 3], x, eps).then_some((false, i as u8)))
    })
}

fn pierces(p: V3<f64>, q: V3<f64>, t: &Points, eps: f64) -> bool {
    let (side_p, side_q) = (side(t[0], t[1], t[2], p, eps), side(t[0], t[1], t[2], q, eps));
    if side_p * side_q >= 0 {
        return false;
    }
    let first = side(p, q, t[0], t[1], eps);
    first != 0 && side(p, q, t[1], t[2], eps) == first && side(p, q, t[2], t[0], eps) == first
}

/// The certain sign of the orientation of `d` against `a, b, c`, or 0.
fn side(a: V3<f64>, b: V3<f64>, c: V3<f64>, d: V3<f64>, eps: f64) -> i32 {
    let (y, e1, e2) = (d - a, b - a, c - a);
    let f = y.dot(e1.cross(e2));
    let norm = |v: V3<f64>| v.dot(v).sqrt();
    let (ny, n1, n2) = (norm(y), norm(e1), norm(e2));
    let error = 2.1 * eps * (n1 * n2 + ny * n1 + ny * n2) + 12.0 * (f64::EPSILON / 2.0) * ny * n1 * n2;
    // The first term assumes errors far below the lengths; what is too small for that proves nothing.
    if eps * 256.0 > ny.min(n1).min(n2) || !(f.abs() > error * (1.0 + 1e-9) + 1e-290) {
        return 0;
    }
    if f > 0.0 { 1 } else { -1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Points = [V3([0.0, 0.0, 0.0]), V3([1.0, 0.0, 0.0]), V3([0.0, 1.0, 0.0])];

    fn spike(depth: f64) -> Points {
        [V3([0.3, 0.3, -depth]), V3([0.3, 0.3, 1.0]), V3([0.4, 0.3, 1.0])]
    }

    #[test]
    fn a_spike_through_the_floor_is_certain_a_touching_one_is_not() {
        assert!(certainly_meet(&spike(1e-9), 1e-14, &FLOOR, 0.0));
        assert_eq!(piercing_edge(&spike(1e-9), 1e-14, &FLOOR, 0.0).map(|e| e.0), Some(true));
        assert!(!certainly_meet(&spike(0.0), 1e-14, &FLOOR, 0.0));
        assert!(!certainly_meet(&spike(-1e-9), 0.0, &FLOOR, 0.0));
        // The same depth under an error that hides it.
        assert!(!certainly_meet(&spike(1e-9), 1e-8, &FLOOR, 0.0));
        assert!(!certainly_meet(&FLOOR, 0.0, &FLOOR, 0.0));
    }
}
