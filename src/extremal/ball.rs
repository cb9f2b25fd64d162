//! Balls that contain a shape over a rectangle of parameters.

use super::shape::{Place, Shape};
use super::spline::Basis;
use glam::{DVec3, DVec4, Vec4Swizzles};

/// A ball that contains the points of a rectangle of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its centre, metres, in the body's frame.
    pub centre: DVec3,
    /// Its radius, metres.
    pub radius_m: f64,
}

impl Shape {
    /// Returns a ball that contains the points of the rectangle from `lo` to `hi` (chart 0). For splines it is computed
    /// from the hull of their control points, reduced to the rectangle if that is between two knots; for the other
    /// shapes from Taylor's theorem at the rectangle's midpoint.
    pub fn ball(&self, lo: [f64; 2], hi: [f64; 2]) -> Ball {
        match self {
            Self::Patch(s) => {
                let [u, v] = s.basis();
                let columns = v.n_points();
                let (rows_at, columns_at) = (u.within([lo[0], hi[0]]), v.within([lo[1], hi[1]]));
                let mut points = Vec::new();
                for row in &rows_at {
                    for column in &columns_at {
                        let in_row = |i: usize| column.of(|j| s.controls()[i * columns + j]);
                        points.push(row.of(in_row));
                    }
                }
                about(&points)
            }
            Self::Curve(c) => {
                let points: Vec<DVec4> =
                    c.basis().within([lo[0], hi[0]]).iter().map(|p| p.of(|i| c.controls()[i])).collect();
                about(&points)
            }
            _ => {
                let at = [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])];
                let h = [0.5 * (hi[0] - lo[0]), 0.5 * (hi[1] - lo[1])];
                let jet = self.jet(Place { chart: 0, at });
                // Bounds on the second derivatives: with respect to u twice, mixed, and v twice.
                let [uu, uv, vv] = match self {
                    Self::Ellipsoid(axes) => [axes.max_element(); 3],
                    Self::Torus { ring_m, tube_m } => [ring_m + tube_m, *tube_m, *tube_m],
                    Self::Ellipse([a, b]) => [a.max(*b), 0.0, 0.0],
                    _ => [0.0; 3],
                };
                let first = jet.first[0].length() * h[0] + jet.first[1].length() * h[1];
                let second = 0.5 * uu * h[0] * h[0] + uv * h[0] * h[1] + 0.5 * vv * h[1] * h[1];
                Ball { centre: jet.point, radius_m: first + second }
            }
        }
    }

    /// Returns the value at which to split a range of parameter `i`: a knot if one is inside, so that pieces become
    /// free of inner knots, otherwise the midpoint.
    pub fn cut(&self, i: usize, [lo, hi]: [f64; 2]) -> f64 {
        let middle = 0.5 * (lo + hi);
        let basis = match self {
            Self::Patch(s) => &s.basis()[i],
            Self::Curve(c) => c.basis(),
            _ => return middle,
        };
        let inside = basis.knots().iter().copied().filter(|k| *k > lo && *k < hi);
        inside.min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs())).unwrap_or(middle)
    }
}

/// Returns a ball that contains points in homogeneous coordinates.
fn about(points: &[DVec4]) -> Ball {
    let points = points.iter().map(|p| p.xyz() / p.w);
    let (lo, hi) = points.clone().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let centre = 0.5 * (lo + hi);
    Ball { centre, radius_m: points.map(|p| (p - centre).length()).fold(0.0, f64::max) }
}

/// One of the points that span a hull: a control point, or one of a Bézier curve over a part of a span.
struct Hulled<'a> {
    basis: &'a Basis,
    last: usize,
    /// Lower end, upper end, and multiplicity of the upper end as an argument; `None` for a control point as it is.
    part: Option<([f64; 2], usize)>,
}

impl Hulled<'_> {
    /// Computes the point from the control points: de Boor's algorithm with another argument at each level (a blossom).
    fn of(&self, control: impl Fn(usize) -> DVec4) -> DVec4 {
        let Some(([lo, hi], often)) = self.part else { return control(self.last) };
        let (p, t) = (self.basis.degree(), self.basis.knots());
        let first = self.last - p;
        let mut d = [DVec4::ZERO; super::spline::MAX_DEGREE + 1];
        (0..=p).for_each(|j| d[j] = control(first + j));
        for r in 1..=p {
            let at = if r <= often { hi } else { lo };
            for j in (r..=p).rev() {
                let i = first + j;
                let share = (at - t[i]) / (t[i + p + 1 - r] - t[i]);
                d[j] = (1.0 - share) * d[j - 1] + share * d[j];
            }
        }
        d[p]
    }
}

impl Basis {
    /// Returns the points that span the hull over a range: its Bézier points if it is between two knots, otherwise all
    /// control points with influence.
    fn within(&self, [lo, hi]: [f64; 2]) -> Vec<Hulled<'_>> {
        let [first, last] = [self.span(0.5 * (lo + hi)); 2];
        if lo >= self.knots()[first] && hi <= self.knots()[last + 1] {
            let point = |often| Hulled { basis: self, last, part: Some(([lo, hi], often)) };
            return (0..=self.degree()).map(point).collect();
        }
        let [first, last] = [self.span(lo), self.span(hi)];
        (first - self.degree()..=last).map(|i| Hulled { basis: self, last: i, part: None }).collect()
    }
}
