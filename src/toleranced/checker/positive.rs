//! Positivity of a squared distance minus a squared radius throughout a domain, by Bernstein coefficients and halving.
//!
//! A quadratic over a triangle, or over the product of two segments, is at least its smallest Bernstein coefficient;
//! where that is not positive the domain is halved. No root, foot point or patch is involved: this method shares
//! nothing with the search.

use super::arithmetic::{Num, Vec3, dot, minus, norm2, plus};

/// Number of parts that are tested before the answer is `false`.
const PARTS: usize = 200_000;

fn middle(a: Vec3, b: Vec3) -> Vec3 {
    plus(a, b).map(|x| x * Num::new(0.5))
}

fn mean(a: Num, b: Num) -> Num {
    (a + b) * Num::new(0.5)
}

/// Returns whether `λᵀGλ > 0` for all nonzero `λ >= 0`; `g` are the entries 00 11 22 01 02 12.
pub fn on_triangle(g: [Num; 6]) -> bool {
    let mut open = vec![g];
    let mut tried = 0;
    while let Some(g) = open.pop() {
        tried += 1;
        if g.iter().all(|b| b.lo > 0.0) {
            continue;
        }
        // A corner that is not positive decides the answer.
        if tried > PARTS || g[..3].iter().any(|b| !(b.lo > 0.0)) {
            return false;
        }
        // Halves the triangle at its longest side: |a - b|² is G_aa + G_bb - 2 G_ab, except for the share of the
        // radius.
        let length = |a: usize, b: usize, ab: usize| g[a].hi + g[b].hi - 2.0 * g[ab].lo;
        let sides = [length(0, 1, 3), length(0, 2, 4), length(1, 2, 5)];
        let turned = if sides[0] >= sides[1] && sides[0] >= sides[2] {
            g
        } else if sides[1] >= sides[2] {
            [g[0], g[2], g[1], g[4], g[3], g[5]]
        } else {
            [g[2], g[1], g[0], g[5], g[4], g[3]]
        };
        // Halves it between corners 0 and 1.
        let [g00, g11, g22, g01, g02, g12] = turned;
        let mm = mean(mean(g00, g01), mean(g01, g11));
        let m2 = mean(g02, g12);
        open.push([g00, mm, g22, mean(g00, g01), g02, m2]);
        open.push([mm, g11, g22, mean(g01, g11), m2, g12]);
    }
    true
}

/// Returns whether a ball around `c` misses a triangle.
pub fn ball_misses(c: Vec3, radius2: Num, triangle: [Vec3; 3]) -> bool {
    let d = triangle.map(|q| minus(c, q));
    let g = |i: usize, j: usize| (if i == j { norm2(d[i]) } else { dot(d[i], d[j]) }) - radius2;
    on_triangle([g(0, 0), g(1, 1), g(2, 2), g(0, 1), g(0, 2), g(1, 2)])
}

/// A fat edge: images of its ends, and `R²ρ²` as a form: 00, 01, 11.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub ends: [Vec3; 2],
    pub reach2: [Num; 3],
}

/// Returns whether a fat edge misses a segment.
pub fn edges_miss(edge: Edge, segment: [Vec3; 2]) -> bool {
    let mut open = vec![(edge, segment)];
    let mut tried = 0;
    while let Some((Edge { ends: [a, b], reach2: [r00, r01, r11] }, [y, z])) = open.pop() {
        tried += 1;
        let (ay, az, by, bz) = (minus(a, y), minus(a, z), minus(b, y), minus(b, z));
        let corners = [norm2(ay) - r00, norm2(az) - r00, norm2(by) - r11, norm2(bz) - r11];
        if tried > PARTS || corners.iter().any(|c| !(c.lo > 0.0)) {
            return false;
        }
        let sides = [dot(ay, az) - r00, dot(by, bz) - r11, dot(ay, by) - r01, dot(az, bz) - r01];
        let inner = mean(dot(ay, bz), dot(az, by)) - r01;
        if sides.iter().chain([&inner]).all(|c| c.lo > 0.0) {
            continue;
        }
        if norm2(minus(a, b)).hi >= norm2(minus(y, z)).hi {
            let m = middle(a, b);
            let mm = mean(mean(r00, r01), mean(r01, r11));
            open.push((Edge { ends: [a, m], reach2: [r00, mean(r00, r01), mm] }, [y, z]));
            open.push((Edge { ends: [m, b], reach2: [mm, mean(r01, r11), r11] }, [y, z]));
        } else {
            let m = middle(y, z);
            let edge = Edge { ends: [a, b], reach2: [r00, r01, r11] };
            open.push((edge, [y, m]));
            open.push((edge, [m, z]));
        }
    }
    true
}
