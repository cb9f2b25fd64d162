//! The nearest points of two triangles, several pairs side by side: a corner over the other's face, or points of two
//! edges.
//!
//! The points only give axes and guesses, not proofs, so there is no bound on their rounding error.

use crate::arith::linear::V3;
use crate::arith::real::FullReal;

/// The nearest points of two triangles that do not pierce each other.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<T> {
    /// The first triangle's point relative to the second one's, metres.
    pub apart: V3<T>,
    /// Barycentric coordinates of the first triangle's point.
    pub shares: [T; 3],
    least2: T,
    /// The edges whose interior contains the points, or zero.
    edges: [V3<T>; 2],
}

impl<T: FullReal> Nearest<T> {
    /// Replaces the points by others in lanes where those are nearer.
    #[inline(always)]
    fn take(&mut self, possible: u32, apart: V3<T>, shares: [T; 3], edges: [V3<T>; 2]) {
        let distance2 = apart.dot(apart);
        let nearer = possible & self.least2.gt(distance2);
        self.least2 = T::select(nearer, distance2, self.least2);
        for k in 0..3 {
            self.apart.0[k] = T::select(nearer, apart.0[k], self.apart.0[k]);
            self.shares[k] = T::select(nearer, shares[k], self.shares[k]);
            for i in 0..2 {
                self.edges[i].0[k] = T::select(nearer, edges[i].0[k], self.edges[i].0[k]);
            }
        }
    }

    /// The direction from the second one's point to the first one's. For very close points the difference is mostly
    /// rounding error, which an edge's length makes larger than the difference; so it is made normal to the edges.
    #[inline(always)]
    pub fn direction(&self) -> V3<T> {
        let mut n = self.apart;
        for e in self.edges {
            n = n - e.times(n.dot(e) * inverse(e.dot(e)));
        }
        n
    }
}

/// `1/x`, or zero where `x` is zero.
#[inline(always)]
fn inverse<T: FullReal>(x: T) -> T {
    let (zero, one) = (T::new(0.0), T::new(1.0));
    let is_some = x.gt(zero);
    T::select(is_some, one.div(T::select(is_some, x, one)), zero)
}

/// The number clamped to the range from 0 to 1.
#[inline(always)]
fn clamp<T: FullReal>(x: T) -> T {
    x.max(T::new(0.0)).min(T::new(1.0))
}

/// The edge, or zero if `share` is at one of its ends.
#[inline(always)]
fn inside<T: FullReal>(edge: V3<T>, share: T) -> V3<T> {
    let zero = T::new(0.0);
    let is_inside = share.gt(zero) & T::new(1.0).gt(share);
    V3([
        T::select(is_inside, edge.0[0], zero),
        T::select(is_inside, edge.0[1], zero),
        T::select(is_inside, edge.0[2], zero),
    ])
}

/// Square of the sine up to which edges are treated as parallel.
const PARALLEL: f64 = 1e-14;

/// Square of the sine up to which triangles are treated as edges.
const FLAT: f64 = 1e-24;

/// The nearest points of two triangles of any shape; unspecified points if the triangles pierce each other.
#[inline(always)]
pub fn nearest<T: FullReal>(x: &[V3<T>; 3], y: &[V3<T>; 3]) -> Nearest<T> {
    let (zero, one) = (T::new(0.0), T::new(1.0));
    let no_edges = [V3::zero(); 2];
    let mut best =
        Nearest { apart: V3::zero(), shares: [one, zero, zero], least2: T::new(f64::INFINITY), edges: no_edges };
    // Corners of one over the face of the other, by coordinates in the face.
    for (corners, face, of_x) in [(x, y, true), (y, x, false)] {
        let (ab, ac) = (face[1] - face[0], face[2] - face[0]);
        let n = ab.cross(ac);
        let n2 = n.dot(n);
        // The computed normal of a needle consists only of rounding error.
        let has_area = n2.gt(ab.dot(ab) * ac.dot(ac) * T::new(FLAT));
        let by_n2 = T::select(has_area, inverse(n2), zero);
        let (along_ab, along_ac) = (ac.cross(n).times(by_n2), n.cross(ab).times(by_n2));
        for i in 0..3 {
            let p = corners[i] - face[0];
            let (v, w) = (along_ab.dot(p), along_ac.dot(p));
            let u = one - (v + w);
            let is_over = has_area & !zero.gt(u.min(v).min(w));
            let height = n.times(n.dot(p) * by_n2);
            let corner = [[one, zero, zero], [zero, one, zero], [zero, zero, one]][i];
            match of_x {
                true => best.take(is_over, height, corner, no_edges),
                false => best.take(is_over, -height, [u, v, w], no_edges),
            }
        }
    }
    // Points of two edges: the point of the first edge nearest to the second one's line, the point of the second edge
    // nearest to it, and the point of the first edge nearest to that.
    let next = [1, 2, 0];
    let mut of_y = [(V3::zero(), zero, zero); 3];
    for j in 0..3 {
        let f = y[next[j]] - y[j];
        of_y[j] = (f, f.dot(f), inverse(f.dot(f)));
    }
    for i in 0..3 {
        let e = x[next[i]] - x[i];
        let e2 = e.dot(e);
        let by_e2 = inverse(e2);
        for j in 0..3 {
            let (f, f2, by_f2) = of_y[j];
            let w = x[i] - y[j];
            let (ef, ew, fw) = (e.dot(f), e.dot(w), f.dot(w));
            let det = e2 * f2 - ef * ef;
            let is_crossed = det.gt(e2 * f2 * T::new(PARALLEL));
            let s = T::select(is_crossed, (ef * fw - f2 * ew).div(T::select(is_crossed, det, one)), zero);
            let t = clamp((ef * clamp(s) + fw) * by_f2);
            let s = clamp((ef * t - ew) * by_e2);
            let mut shares = [zero; 3];
            (shares[i], shares[next[i]]) = (one - s, s);
            best.take(u32::MAX, w + e.times(s) - f.times(t), shares, [inside(e, s), inside(f, t)]);
        }
    }
    best
}

/// The vector to a point from the nearest point of a triangle of any shape, to within rounding.
#[inline(always)]
pub fn from_triangle<T: FullReal>(p: V3<T>, y: &[V3<T>; 3]) -> V3<T> {
    let (zero, one) = (T::new(0.0), T::new(1.0));
    let (ab, ac, ap) = (y[1] - y[0], y[2] - y[0], p - y[0]);
    let n = ab.cross(ac);
    let n2 = n.dot(n);
    let has_area = n2.gt(ab.dot(ab) * ac.dot(ac) * T::new(FLAT));
    let (v, w) = (ap.cross(ac).dot(n), ab.cross(ap).dot(n));
    let is_over = has_area & !zero.gt((n2 - (v + w)).min(v).min(w));
    let mut best = n.times(n.dot(ap) * inverse(n2));
    let mut least2 = T::select(is_over, best.dot(best), T::new(f64::INFINITY));
    for (e, from) in [(ab, ap), (ac, ap), (y[2] - y[1], p - y[1])] {
        let at = (e.dot(from) * inverse(e.dot(e))).max(zero).min(one);
        let apart = from - e.times(at);
        let apart2 = apart.dot(apart);
        let nearer = least2.gt(apart2);
        least2 = T::select(nearer, apart2, least2);
        for k in 0..3 {
            best.0[k] = T::select(nearer, apart.0[k], best.0[k]);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::vectors::{Kind, Vector, Vectorised, WIDTH};
    use crate::predicate::features;
    use glam::DVec3;

    /// Triangles of all shapes: some are needles, edges or points.
    fn triangles() -> Vec<[[V3<f64>; 3]; 2]> {
        let mut state = 3u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut triangle = |k: usize| {
            let mut t = [(); 3].map(|()| V3([unit(), unit(), unit()]));
            match k % 8 {
                0 => t[2] = t[0] + (t[1] - t[0]).times(0.5),
                1 => t[1] = t[0],
                2 => t = [t[0]; 3],
                3 => t.iter_mut().for_each(|v| v.0[2] = 0.0),
                _ => {}
            }
            t
        };
        (0..4096).map(|k| [triangle(k), triangle(k / 8)]).collect()
    }

    #[test]
    fn nearest_points_are_those_of_the_nearest_features() {
        let mut seen = 0;
        for [x, y] in triangles() {
            let found = nearest(&x, &y);
            let point = |v: V3<f64>| DVec3::from_array(v.0);
            let known = features::nearest(x.map(point), y.map(point), 0.0);
            let at = |s: &[f64; 3]| x[0].times(s[0]) + x[1].times(s[1]) + x[2].times(s[2]);
            let on_y = point(at(&found.shares) - found.apart);
            assert!((point(found.apart).length() - known.distance()).abs() < 1e-9, "{found:?} {known:?} {x:?} {y:?}");
            assert!(found.shares.iter().all(|s| (-1e-12..=1.0 + 1e-12).contains(s)), "{found:?}");
            // If both results are a single pair of points, they agree; on parallel edges many points are equally near.
            seen += usize::from(on_y.distance(known.on_b) < 1e-6);
        }
        assert!(seen > 3500, "{seen}");
    }

    #[test]
    fn distances_from_triangles_agree_with_features() {
        for [x, y] in triangles() {
            let corners = y.map(|v| DVec3::from_array(v.0));
            for p in x {
                let at = DVec3::from_array(p.0);
                let (known, found) = (features::nearest_in_triangle(at, corners), from_triangle(p, &y));
                let apart = at - DVec3::from_array(found.0);
                assert!((apart.distance(at) - known.distance(at)).abs() < 1e-7, "{p:?} {y:?}");
                assert!(features::nearest_in_triangle(apart, corners).distance(apart) < 1e-7, "{p:?} {y:?}");
            }
        }
    }

    /// For a point slightly above a needle the direction is normal to it, to within rounding.
    #[test]
    fn the_direction_slightly_above_a_needle_is_normal() {
        let needle = [V3([0.0; 3]), V3([0.1, 0.1, 0.0]), V3([0.05, 0.05, 0.0])];
        let along = V3([1.0, 1.0, 0.0]);
        for k in 1..1000 {
            let (at, hair) = (f64::from(k) / 10_007.0, 10f64.powi(-6 - k % 7));
            let beside = hair * (f64::from(k % 11) - 5.0) / 5.0;
            let n = nearest(&[V3([at + beside, at - beside, hair]); 3], &needle).direction();
            let length = n.dot(n).sqrt();
            assert!(length < 2.0 * hair && n.dot(along).abs() < 1e-15 * length, "{k}: {n:?}");
        }
    }

    struct Eight([[[V3<f64>; 3]; 2]; WIDTH]);

    impl Vectorised for Eight {
        type Output = [[f64; WIDTH]; 3];
        #[inline(always)]
        fn run<T: Vector>(self) -> Self::Output {
            let mut t = [[V3::zero(); 3]; 2];
            for side in 0..2 {
                for k in 0..3 {
                    for i in 0..3 {
                        t[side][k].0[i] = T::load(&std::array::from_fn(|lane| self.0[lane][side][k].0[i]));
                    }
                }
            }
            nearest(&t[0], &t[1]).apart.0.map(|x| x.store().0)
        }
    }

    #[test]
    fn lanes_agree_with_single_pairs() {
        for some in triangles().chunks_exact(WIDTH) {
            for kind in Kind::all() {
                let found = kind.run(Eight(std::array::from_fn(|i| some[i])));
                for (lane, [x, y]) in some.iter().enumerate() {
                    let alone = nearest(x, y).apart;
                    assert_eq!(alone.0, std::array::from_fn(|i| found[i][lane]), "{kind:?}");
                }
            }
        }
    }
}
