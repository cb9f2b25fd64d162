//! The three elementary tests of Schröcker & Weber: fat vertex against polygon, fat edge against edge, fat polygon
//! against vertex.
//!
//! A point `y` is in the fat polygon if `g(x) = |y - α₀(x)|² - R² ρ²(x)` is at most zero for some point `x` of
//! the polygon. Where `g` is strictly convex, it takes its minimum over a line or the plane at the *foot*; the points
//! whose foot is within the polygon form a patch bounded by a hyperboloid, one-sheeted for an edge, two-sheeted for the
//! face. Otherwise the minimum is on the boundary, and there is no patch. So the fat polygon is the union of the balls
//! of its vertices, the patches of its edges and the patch of its face.
//!
//! All formulas use the parameter of an edge, `τ` in `[0, 1]`, or the two of the plane, so that neither lengths nor
//! principal axes are needed and the centre may be any affine map: with `d` the image of the edge, `A = dᵀJ⁻¹d`
//! and `B/2 = (a-s)ᵀJ⁻¹d` in the body, `W = |d|² - R²A` (positive where the hyperboloid exists), the foot of `y`
//! is `τ = β/W` with `β = (y - a)·d + R²B/2`.
//!
//! A test reports *clear* only if it is certain: a result within rounding, or a NaN, is not clear.

use super::enclosure::{Enclosure, Vector, exact, square};
use super::face::{FatFace, Fixed};
use super::plane::{between_segments, keeps_apart, to_polygon};

/// Existence of a patch, as far as it can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patch {
    /// The patch exists.
    There,
    /// The patch does not exist: other parts cover the fat body.
    Absent,
    /// Undecided.
    Unknown,
}

fn sign(x: Enclosure) -> Patch {
    match (x.lo > 0.0, x.hi <= 0.0) {
        (true, _) => Patch::There,
        (_, true) => Patch::Absent,
        _ => Patch::Unknown,
    }
}

/// A fat edge: values that all its tests share.
#[derive(Clone, Copy, Debug)]
pub struct FatEdge {
    /// Its two corners.
    ends: [usize; 2],
    /// The image of the first corner.
    a: Vector,
    /// The image of the edge.
    d: Vector,
    /// `W`.
    w: Enclosure,
    /// `R²B/2`.
    shift: Enclosure,
    /// `R²ρ²` at the first corner.
    reach2: Enclosure,
}

impl FatEdge {
    /// Creates edge `i` of a fat face.
    pub fn new(fat: &FatFace, i: usize) -> Self {
        let ends = fat.edge(i);
        let edge = &fat.face.edges[i];
        let d = fat.basis[0].times(edge.along[0]) + fat.basis[1].times(edge.along[1]);
        Self {
            ends,
            a: fat.corners[ends[0]],
            d,
            w: d.norm2() - fat.radius2 * edge.stretch,
            shift: fat.radius2 * edge.lean,
            reach2: fat.radius2 * fat.face.rho2[ends[0]],
        }
    }

    /// Returns `β`, whose quotient by `W` is the foot's parameter.
    fn foot(&self, y: Vector) -> Enclosure {
        (y - self.a).dot(self.d) + self.shift
    }

    /// Returns `W` times the polar form of the hyperboloid; for `u = v` it is positive outside.
    fn polar(&self, u: Vector, v: Vector) -> Enclosure {
        let product = if u == v { (u - self.a).norm2() } else { (u - self.a).dot(v - self.a) };
        let feet = if u == v { square(self.foot(u)) } else { self.foot(u) * self.foot(v) };
        self.w * (product - self.reach2) - feet
    }

    /// Returns `Absent` if the patch certainly misses a segment.
    fn patch_misses(&self, [y0, y1]: [Vector; 2]) -> Patch {
        match sign(self.w) {
            Patch::Absent => return Patch::Absent,
            Patch::Unknown => return Patch::Unknown,
            Patch::There => {}
        }
        let (f0, f1) = (self.foot(y0), self.foot(y1));
        if (f0.hi < 0.0 && f1.hi < 0.0) || (f0.lo > self.w.hi && f1.lo > self.w.hi) {
            return Patch::Absent;
        }
        // The part of the segment between the slab's planes β = 0 and β = W, or slightly more. All of the segment if
        // it is nearly parallel to the planes: the whole hyperboloid contains the patch.
        let slope = f1 - f0;
        let (mut from, mut to) = (0.0f64, 1.0f64);
        if slope.lo > 0.0 || slope.hi < 0.0 {
            let (first, last) = ((exact(0.0) - f0).quotient(slope), (self.w - f0).quotient(slope));
            from = from.max(first.lo.min(last.lo));
            to = to.min(first.hi.max(last.hi));
            if !(from.is_finite() && to.is_finite()) {
                (from, to) = (0.0, 1.0);
            }
            if from > to {
                return Patch::Absent;
            }
        }
        let step = y1 - y0;
        let at = |t: f64| if t == 0.0 { y0 } else { y0 + step.times(exact(t)) };
        let (u, v) = (at(from), at(to));
        // Bernstein coefficients of a quadratic. It is positive in between exactly if both ends are positive and the
        // middle coefficient is not below minus the root of their product.
        let (b0, b1, b2) = (self.polar(u, u), self.polar(u, v), self.polar(v, v));
        let positive = b0.lo > 0.0 && b2.lo > 0.0 && (b1.lo >= 0.0 || square(b1).hi < (exact(b0.lo) * exact(b2.lo)).lo);
        if positive { Patch::Absent } else { Patch::There }
    }

    /// Returns `Absent` if the patch certainly misses a point.
    fn patch_misses_point(&self, y: Vector) -> Patch {
        match sign(self.w) {
            Patch::There => {}
            other => return other,
        }
        let f = self.foot(y);
        let misses = f.hi < 0.0 || f.lo > self.w.hi || self.polar(y, y).lo > 0.0;
        if misses { Patch::Absent } else { Patch::There }
    }
}

impl FatFace<'_> {
    /// Returns whether the ball of fat vertex `i` certainly misses a polygon.
    pub fn vertex_clears(&self, i: usize, fixed: &Fixed) -> bool {
        keeps_apart(to_polygon(self.about[i], &fixed.about), &[self.ball(i)], &fixed.corners)
    }

    /// Returns whether a whole fat edge, patch and both balls, certainly misses edge `j` of a polygon.
    pub fn edge_clears(&self, edge: &FatEdge, fixed: &Fixed, j: usize) -> bool {
        self.edge_patch_clears(edge, fixed, j) && edge.ends.iter().all(|&k| self.ball_clears_edge(k, fixed, j))
    }

    /// Like [`FatFace::edge_clears`] for the patch alone, as in the paper: sufficient where the vertices are clear of
    /// the polygon under the same ball.
    pub fn edge_patch_clears(&self, edge: &FatEdge, fixed: &Fixed, j: usize) -> bool {
        let other = fixed.edge(j);
        match edge.patch_misses(other.map(|k| fixed.corners[k])) {
            Patch::Absent => true,
            Patch::There => false,
            Patch::Unknown => {
                let normal = between_segments(edge.ends.map(|k| self.about[k]), other.map(|k| fixed.about[k]));
                keeps_apart(normal, &edge.ends.map(|k| self.ball(k)), &other.map(|k| fixed.corners[k]))
            }
        }
    }

    fn ball_clears_edge(&self, i: usize, fixed: &Fixed, j: usize) -> bool {
        let ends = fixed.edge(j);
        let [a, b] = ends.map(|k| fixed.about[k]);
        let p = self.about[i];
        let normal = super::plane::sub(p, super::plane::nearest_on_segment(p, a, b));
        keeps_apart(normal, &[self.ball(i)], &ends.map(|k| fixed.corners[k]))
    }

    /// Returns whether the whole fat polygon, face, edges and balls, certainly misses vertex `j` of a polygon.
    pub fn face_clears(&self, edges: &[FatEdge], fixed: &Fixed, j: usize) -> bool {
        let y = fixed.corners[j];
        let misses = |(i, edge): (usize, &FatEdge)| {
            let (centre, reach2) = self.ball(i);
            (y - centre).norm2().lo > reach2.hi && edge.patch_misses_point(y) == Patch::Absent
        };
        (self.face_patch_clears(fixed, j) && edges.iter().enumerate().all(misses)) || self.hull_clears(fixed, j)
    }

    /// Returns whether the hull of the fat vertices certainly misses a vertex.
    fn hull_clears(&self, fixed: &Fixed, j: usize) -> bool {
        let [x, y, z] = to_polygon(fixed.about[j], &self.about);
        keeps_apart([-x, -y, -z], &self.balls(), &[fixed.corners[j]])
    }

    /// Like [`FatFace::face_clears`] for the patch of the face alone, as in the paper.
    pub fn face_patch_clears(&self, fixed: &Fixed, j: usize) -> bool {
        match self.face_patch_misses(fixed.corners[j]) {
            Patch::Absent => true,
            Patch::There => false,
            Patch::Unknown => self.hull_clears(fixed, j),
        }
    }

    /// Returns `Absent` if the patch of the face certainly misses a point. With `ξ` the parameters relative to the
    /// first corner, `g(ξ) = c - 2 r·ξ + ξᵀMξ`; the foot is `M⁻¹r`.
    fn face_patch_misses(&self, y: Vector) -> Patch {
        let metric = &self.face.metric;
        let at = y - self.corners[0];
        let [e, f] = self.basis;
        let k = &metric.distortion;
        let r2 = self.radius2;
        let (m00, m11) = (e.norm2() - r2 * k[0][0], f.norm2() - r2 * k[1][1]);
        let m01 = e.dot(f) - r2 * k[0][1];
        let det = m00 * m11 - square(m01);
        match (sign(m00), sign(m11), sign(det)) {
            (Patch::There, Patch::There, Patch::There) => {}
            // In some direction g is not strictly convex: its minimum is on the boundary.
            (Patch::Absent, ..) | (_, Patch::Absent, _) | (.., Patch::Absent) => return Patch::Absent,
            _ => return Patch::Unknown,
        }
        let bent = self.face.lean;
        let (s, t) = (at.dot(e) + r2 * bent.0[0], at.dot(f) + r2 * bent.0[1]);
        // The foot times det.
        let foot = [m11 * s - m01 * t, m00 * t - m01 * s];
        let corners = &self.face.corners;
        for i in 0..corners.len() {
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            let d = [exact(b[0]) - exact(a[0]), exact(b[1]) - exact(a[1])];
            let from = [exact(a[0]) - exact(corners[0][0]), exact(a[1]) - exact(corners[0][1])];
            let away = [foot[0] - det * from[0], foot[1] - det * from[1]];
            if (d[0] * away[1] - d[1] * away[0]).hi < 0.0 {
                return Patch::Absent;
            }
        }
        let least = det * (at.norm2() - r2 * self.face.rho2[0]) - (s * foot[0] + t * foot[1]);
        if least.lo > 0.0 { Patch::Absent } else { Patch::There }
    }
}

#[cfg(test)]
mod tests {
    use super::super::enclosure::{Map, middle};
    use super::super::face::Face;
    use super::super::metric::{Feature, Metric};
    use super::*;

    /// An edge along x, `t` from -1 to 1.5, `κ₀² = 0.3`, `κ₁² = 0.4`, `R = 0.8`, and three segments: the
    /// coefficients are those of the unit direction times the squared length 2.5².
    #[test]
    fn published_coefficients_of_an_edge() {
        let (length, r2) = (2.5, 0.64);
        let edge = FatEdge {
            ends: [0, 1],
            a: Vector::exact([-1.0, 0.0, 0.0]),
            d: Vector::exact([length, 0.0, 0.0]),
            w: exact(length * length * (1.0 - r2 * 0.4)),
            shift: exact(-r2 * 0.4 * length),
            reach2: exact(r2 * (0.3 + 0.4)),
        };
        for (a, b, hit, b0, b1, b2) in [
            ([-0.5, 1.0, 0.2], [1.2, -0.4, 0.6], true, 0.566912, -0.15979369411764706, -0.12977353611072664),
            ([-0.5, 1.0, 0.6], [1.2, -0.4, 1.0], false, 0.804992, 0.19144432941176471, 0.33462251094809689),
            ([-0.2, 0.1, 0.1], [0.3, 0.05, -0.1], true, -0.138208, -0.131208, -0.156588),
        ] {
            let ends = [a, b].map(Vector::exact);
            assert_eq!(edge.patch_misses(ends) == Patch::There, hit);
            // The published part ends where the segment leaves the slab.
            let to = if a[0] == -0.5 { 0.95058823529411765 } else { 1.0 };
            let v = ends[0] + (ends[1] - ends[0]).times(exact(to));
            let near = |x: Enclosure, y: f64| {
                assert!((middle(x) / (length * length) - y).abs() < 1e-12, "{x:?} against {y}");
            };
            near(edge.polar(ends[0], ends[0]), b0);
            near(edge.polar(ends[0], v), b1);
            near(edge.polar(v, v), b2);
        }
    }

    /// A face with `κ₀² = 0.2`, `κ₁² = 0.5`, `κ₂² = 0.3` about the origin, `R = 0.9`: two heights of one
    /// point.
    #[test]
    fn published_heights_over_a_face() {
        let metric = Metric {
            mass: exact(5.0),
            centre: Vector::exact([0.0; 3]),
            inertia: [[exact(0.0); 3]; 3],
            distortion: std::array::from_fn(|i| {
                std::array::from_fn(|j| exact(if i == j { [0.5, 0.3, 0.0][i] } else { 0.0 }))
            }),
        };
        let square = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let face = Face::new(square, Map::identity(), metric).unwrap();
        let fat = FatFace::new(&face, &Map::identity(), 0.9);
        let at = |z: f64| fat.face_patch_misses(Vector::exact([0.3, 0.2, z]));
        let edge: f64 = 0.23610066272215623;
        assert_eq!(at(0.45), Patch::There);
        assert_eq!(at(0.5), Patch::Absent);
        assert_eq!(at(edge.sqrt() * (1.0 - 1e-12)), Patch::There);
        assert_eq!(at(edge.sqrt() * (1.0 + 1e-12)), Patch::Absent);
    }

    /// A square in its own plane, and a triangle that pierces it: none of the three tests detects anything.
    #[test]
    fn contact_tests_do_not_see_penetration() {
        let corners = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let masses: Vec<_> = corners.iter().map(|c| Feature { at: [c[0], c[1], 0.0], weight: 1.0 }).collect();
        let face = Face::new(corners, Map::identity(), Metric::new(&masses).unwrap()).unwrap();
        let fixed = Fixed::new(&[[0.0, -0.3, 2.0], [0.0, 0.3, 2.0], [0.0, 0.0, -2.0]]).unwrap();
        for (radius, clear) in [(0.05, true), (0.2, true), (0.5, true), (0.8, true), (1.2, false)] {
            let fat = FatFace::new(&face, &Map::identity(), radius);
            let edges: Vec<_> = (0..4).map(|i| FatEdge::new(&fat, i)).collect();
            assert!((0..4).all(|i| fat.vertex_clears(i, &fixed)) || !clear);
            assert_eq!(edges.iter().all(|e| (0..3).all(|j| fat.edge_patch_clears(e, &fixed, j))), clear);
            assert!((0..3).all(|j| fat.face_patch_clears(&fixed, j)) || !clear);
            assert!(super::super::plane::best_axis(&fat.about, &fixed.about).is_none());
        }
    }
}
