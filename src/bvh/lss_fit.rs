//! Fitting a line-swept sphere to points with the least volume (Larsen, Gottschalk, Lin and Manocha 2000).
//!
//! The search starts along the coordinate axes, the principal axes and the line between the points farthest apart, each
//! with the smallest circle around the points' projections and the shortest segment whose half spheres contain the
//! farthest points. A pattern search refines the best candidates over all parameters of a line-swept sphere: the
//! direction of its axis, the position of the axis, and the excess of the radius over the smallest one, which may allow
//! a shorter segment. The fit contains the points to within rounding; the caller ensures containment.

use crate::bvh::circle::Circle;
use crate::bvh::lss::Lss;
use crate::bvh::obb::principal_axes;
use crate::robot::Triangle;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Number of directions in which extreme points are selected if there are many points.
const DIRECTIONS: usize = 96;
/// Maximum number of rounds of the pattern search.
const ROUNDS: usize = 60;
/// Number of rounds in which points outside the fit are added to those that the search considers.
const REFITS: usize = 4;

/// Effort spent on a fit.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Number of starts that are refined coarsely, and number of these that are refined finely.
    polished: [usize; 2],
    /// Steps of the pattern search: the first and last step of the coarse refinement, and the last step of the fine
    /// one; radians, or a fraction of the radius.
    steps: [f64; 3],
    /// Number of random directions that a round of the pattern search tries in addition to the coordinate directions.
    random_moves: usize,
    /// True if diagonal axes are tried in addition to the others.
    diagonals: bool,
}

impl Effort {
    /// The effort for a whole link.
    pub const THOROUGH: Self = Self { polished: [8, 3], steps: [0.3, 0.04, 0.001], random_moves: 20, diagonals: true };
}

impl Lss {
    /// A tight line-swept sphere that contains triangles, including all rounding.
    pub fn around<'a>(triangles: impl Iterator<Item = &'a Triangle>) -> Self {
        let triangles: Vec<Triangle> = triangles.copied().collect();
        let points: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        fit(&triangles, &points, Effort::THOROUGH).containing(&points)
    }
}

/// Starting values of [`Line::wider`], relative to the smallest radius.
const WIDER: [f64; 4] = [0.0, 0.1, 0.3, 0.8];

/// A line, and the excess of the fit's radius over the smallest one.
#[derive(Clone, Copy)]
struct Line {
    /// A point of the line, relative to the points' middle.
    at: DVec3,
    /// Unit vector.
    axis: DVec3,
    /// Excess of the radius over the smallest one, metres.
    wider: f64,
}

/// A fit that is close to the smallest.
pub fn fit(triangles: &[Triangle], points: &[DVec3], effort: Effort) -> Lss {
    let Some(&first) = points.first() else {
        return Lss { a: DVec3::ZERO, b: DVec3::ZERO, radius: 0.0 };
    };
    let (lo, hi) = points.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    let middle = 0.5 * (lo + hi);
    let local: Vec<DVec3> = points.iter().map(|p| *p - middle).collect();
    let mut sample = extreme(&local);
    let sorted = |lines: &mut dyn Iterator<Item = Line>| {
        let mut lines: Vec<(f64, Line)> = lines.map(|line| (line.fit(&sample).volume(), line)).collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
    };
    let [first, middle_step, last] = effort.steps;
    let axes = start_axes(triangles, &sample, effort.diagonals);
    let lines = sorted(&mut axes.into_iter().flat_map(|axis| starts(&sample, axis)));
    let coarse = lines
        .into_iter()
        .take(effort.polished[0])
        .map(|line| polish(line, &sample, [first, middle_step], effort.random_moves));
    let coarse = sorted(&mut coarse.collect::<Vec<_>>().into_iter());
    let fine = coarse
        .into_iter()
        .take(effort.polished[1])
        .map(|line| polish(line, &sample, [middle_step, last], effort.random_moves));
    let fine = sorted(&mut fine.collect::<Vec<_>>().into_iter());
    let Some(mut best) = fine.into_iter().next() else {
        // Unreachable: the coordinate axes are always among the starts.
        return Lss { a: middle, b: middle, radius: 0.0 };
    };
    for _ in 0..REFITS {
        let found = best.fit(&sample);
        let mut outside: Vec<(f64, DVec3)> = local.iter().map(|p| (found.distance(*p), *p)).collect();
        outside.retain(|(distance, _)| *distance > found.radius * (1.0 + 1e-6));
        if outside.is_empty() {
            break;
        }
        outside.sort_by(|a, b| b.0.total_cmp(&a.0));
        outside.dedup_by(|a, b| a.1 == b.1);
        sample.extend(outside.iter().take(16).map(|(_, p)| *p));
        best = polish(best, &sample, [middle_step, last], effort.random_moves);
    }
    let Lss { a, b, radius } = best.fit(&local);
    Lss { a: a + middle, b: b + middle, radius }
}

impl Line {
    /// The line through the middle of the smallest circle around the points' projections along the axis.
    fn centred(self, points: &[DVec3]) -> Self {
        let (u, v) = self.axis.any_orthonormal_pair();
        let flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
        let centre = Circle::around(&flat).centre;
        Self { at: u * centre.x + v * centre.y, ..self }
    }

    /// The line-swept sphere along the line with the shortest segment.
    fn fit(&self, points: &[DVec3]) -> Lss {
        let across2 = |p: &DVec3| {
            let off = *p - self.at;
            (off - self.axis * off.dot(self.axis)).length_squared()
        };
        let radius = points.iter().map(across2).fold(0.0, f64::max).sqrt() + self.wider;
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in points {
            let t = (*p - self.at).dot(self.axis);
            let cap = (radius * radius - across2(p)).max(0.0).sqrt();
            (from, to) = (from.min(t + cap), to.max(t - cap));
        }
        if from > to {
            (from, to) = (0.5 * (from + to), 0.5 * (from + to));
        }
        Lss { a: self.at + self.axis * from, b: self.at + self.axis * to, radius }
    }
}

/// Lines along an axis through the middle of the smallest circle: with the smallest radius, and with somewhat larger
/// ones.
fn starts(points: &[DVec3], axis: DVec3) -> [Line; 4] {
    let (u, v) = axis.any_orthonormal_pair();
    let flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    let circle = Circle::around(&flat);
    let at = u * circle.centre.x + v * circle.centre.y;
    WIDER.map(|wider| Line { at, axis, wider: wider * circle.radius })
}

/// Moves the line, turns it and widens the fit, as long as that reduces the volume. The volume has creases where the
/// farthest point changes; along a crease only some directions reduce it, and random directions find them.
fn polish(mut line: Line, points: &[DVec3], [mut step, least_step]: [f64; 2], random_moves: usize) -> Line {
    let mut best = line.fit(points);
    let mut draw = Draw(1);
    for _ in 0..ROUNDS {
        if step < least_step || best.radius == 0.0 {
            break;
        }
        let (u, v) = line.axis.any_orthonormal_pair();
        // The line turns about the middle of the segment, so that a turn does not move it.
        line.at = 0.5 * (best.a + best.b);
        let size = best.radius * step;
        // The turn that moves the ends as far as a shift does.
        let turn = size / (0.5 * (best.b - best.a).length() + best.radius);
        let changed = |m: [f64; 5]| Line {
            at: line.at + (u * m[0] + v * m[1]) * size,
            axis: (line.axis + (u * m[2] + v * m[3]) * turn).normalize(),
            wider: (line.wider + m[4] * size).max(0.0),
        };
        let along = |k: usize| std::array::from_fn(|i| if i != k / 2 { 0.0 } else { [1.0, -1.0][k % 2] });
        let random = (0..random_moves).map(|_| std::array::from_fn(|_| draw.between(-1.0, 1.0)));
        // A turn usually requires a shift, which the smallest circle across the new axis provides.
        let turned = (4..8).map(along).map(changed).map(|line| line.centred(points));
        let moved = (0..10).map(along).chain(random).map(changed);
        let fits = moved.chain(turned).map(|line| (line.fit(points), line));
        match fits.min_by(|a, b| a.0.volume().total_cmp(&b.0.volume())) {
            Some((fit, better)) if fit.volume() < best.volume() * (1.0 - 1e-9) => (best, line) = (fit, better),
            _ => step *= 0.5,
        }
    }
    line
}

/// A deterministic pseudo-random sequence.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next() as f64 / (1u64 << 31) as f64
    }
}

/// Directions worth trying first.
fn start_axes(triangles: &[Triangle], points: &[DVec3], diagonals: bool) -> Vec<DVec3> {
    let far = |from: DVec3| {
        let distance = |p: &DVec3| (*p - from).length_squared();
        points.iter().copied().fold(from, |m, p| if distance(&p) > distance(&m) { p } else { m })
    };
    let p = far(points.first().copied().unwrap_or(DVec3::ZERO));
    let long = (far(p) - p).try_normalize();
    let principal = principal_axes(triangles).map(|m| [m.x_axis, m.y_axis, m.z_axis]);
    let frames = [Some([DVec3::X, DVec3::Y, DVec3::Z]), principal];
    let mut axes: Vec<DVec3> = frames.iter().flatten().flatten().copied().chain(long).collect();
    if diagonals {
        for [x, y, z] in frames.iter().flatten() {
            axes.extend([*x + *y, *x - *y, *y + *z, *y - *z, *x + *z, *x - *z].map(DVec3::normalize));
        }
    }
    axes
}

/// The points that affect the fit, approximately: all of them if they are few, otherwise those that are extreme in one
/// of many directions.
fn extreme(points: &[DVec3]) -> Vec<DVec3> {
    let mut chosen: Vec<DVec3> = if points.len() <= 2 * DIRECTIONS {
        points.to_vec()
    } else {
        let golden = PI * (3.0 - 5f64.sqrt());
        let mut picked: Vec<usize> = (0..DIRECTIONS)
            .flat_map(|i| {
                // The directions are spread over a hemisphere; the other one contains the opposite directions.
                let z = (i as f64 + 0.5) / DIRECTIONS as f64;
                let (sin, cos) = (golden * i as f64).sin_cos();
                let way = DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z;
                let mut ends = [(f64::INFINITY, 0), (f64::NEG_INFINITY, 0)];
                for (k, p) in points.iter().enumerate() {
                    let t = p.dot(way);
                    if t < ends[0].0 {
                        ends[0] = (t, k);
                    }
                    if t > ends[1].0 {
                        ends[1] = (t, k);
                    }
                }
                ends.map(|(_, k)| k)
            })
            .collect();
        picked.sort_unstable();
        picked.dedup();
        picked.into_iter().map(|k| points[k]).collect()
    };
    // Triangles share their corners.
    chosen.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    chosen.dedup();
    // The points are shuffled deterministically: the result is reproducible, and the circles are found quickly.
    let mut draw = Draw(7);
    for i in (1..chosen.len()).rev() {
        chosen.swap(i, draw.next() as usize % (i + 1));
    }
    chosen
}
