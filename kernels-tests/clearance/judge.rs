//! Judgement of lines: by the least distance that branch and bound finds, and by the two named triangles, placed in the
//! world by the oracle's kinematics.

use super::answers::{Clearance, Nearest, Side};
use super::minimum::{Care, Minimum, minimum};
use crate::link_pairs::judge::Faults;
use crate::oracle::mesh::Triangle;
use crate::oracle::triangles::{self, on_segment, on_triangle};
use crate::trajectories::course::{Course, Other, Pair};
use crate::trajectories::curve::Trajectory;
use glam::DVec3;
use rayon::prelude::*;
use serde_json::Value;

/// Rounding of positions and distances, in metres.
const ROUNDING_M: f64 = 1e-9;

/// A question to the command: the values of its options.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub tolerance_m: f64,
    pub limit_m: Option<f64>,
    pub margin_m: f64,
    /// Pairs that touch at the start do not count.
    pub ignores_initial: bool,
}

/// The bodies to which lines belong.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    pub course: &'a Course,
    /// Number of triangles of each shape of each link; `None` if each link is one shape.
    pub counts: Option<&'a [Vec<usize>]>,
}

/// The judgement of a line.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    pub faults: Vec<String>,
    /// The clearance of a free line.
    pub clearance: Option<Clearance>,
    /// The oracle's own enclosure of a free line.
    pub minimum: Option<Minimum>,
}

impl Question {
    pub fn new(tolerance_m: f64) -> Self {
        Self { tolerance_m, limit_m: None, margin_m: 0.0, ignores_initial: false }
    }

    /// The options of the command.
    pub fn options(&self) -> Vec<String> {
        let mut out = vec!["--clearance".to_owned(), self.tolerance_m.to_string()];
        let mut add = |option: &str, value: String| out.extend([option.to_owned(), value]);
        if let Some(limit_m) = self.limit_m {
            add("--clearance-limit", limit_m.to_string());
        }
        if self.margin_m > 0.0 {
            add("--margin", self.margin_m.to_string());
        }
        if self.ignores_initial {
            add("--initial", "ignore".into());
        }
        out
    }

    /// Width of the oracle's own enclosure, in metres.
    pub fn slack_m(&self) -> f64 {
        (0.25 * self.tolerance_m).max(1e-6)
    }

    /// The judgements of all lines, on all cores.
    pub fn judge_all(&self, bodies: Bodies, all: &[Trajectory], lines: &[Value]) -> Vec<Judged> {
        assert_eq!(all.len(), lines.len());
        all.par_iter().zip(lines).map(|(t, line)| self.judge(bodies, t, line)).collect()
    }

    /// The judgement of one line.
    pub fn judge(&self, bodies: Bodies, t: &Trajectory, line: &Value) -> Judged {
        let clearance = match Clearance::read(line) {
            Ok(clearance) => clearance,
            Err(fault) => return Judged { faults: vec![fault], ..Judged::default() },
        };
        if line["verdict"] != "free" {
            let faults = clearance.map(|_| "a clearance of a motion that is not free".to_owned());
            return Judged { faults: faults.into_iter().collect(), ..Judged::default() };
        }
        let pairs = self.pairs(bodies.course, t);
        let limit_m = self.limit_m.unwrap_or(f64::INFINITY);
        let care = Care { limit_m, ..Care::new(self.slack_m()) };
        let seen = minimum(bodies.course, &pairs, &t.nominal(), care);
        let faults = match &clearance {
            None => vec!["no clearance".into()],
            Some(Clearance::Nothing) => of_nothing(&pairs),
            Some(Clearance::Beyond(d)) => self.of_limit(*d, &seen),
            Some(Clearance::Within(nearest)) => {
                [self.of_distance(nearest, &seen), of_place(bodies, &pairs, t, nearest)].concat()
            }
        };
        Judged { faults, clearance, minimum: Some(seen) }
    }

    /// The pairs that count.
    pub fn pairs(&self, course: &Course, t: &Trajectory) -> Vec<Pair> {
        let mut pairs = course.pairs.clone();
        if self.ignores_initial {
            let touching = course.touching_at_start(t);
            pairs.retain(|p| !touching.contains(p));
        }
        pairs
    }

    fn of_limit(&self, d: f64, seen: &Minimum) -> Vec<String> {
        let mut faults = Faults::default();
        faults.hold("another limit", self.limit_m == Some(d));
        faults.hold("something is within the limit", seen.near.is_none_or(|n| n.distance_m >= d - ROUNDING_M));
        faults.0
    }

    fn of_distance(&self, nearest: &Nearest, seen: &Minimum) -> Vec<String> {
        let ([lo, hi], mut faults) = (nearest.distance_m, Faults::default());
        faults.hold("the enclosure is not an interval", 0.0 <= lo && lo <= hi && hi.is_finite());
        faults.hold("wide", nearest.width_m() <= self.tolerance_m * (1.0 + 1e-12) + 1e-15);
        faults.hold("within the margin", lo >= self.margin_m);
        faults.hold("beyond the limit", self.limit_m.is_none_or(|d| lo <= d));
        faults.hold("something pierces", seen.near.is_none_or(|n| n.distance_m > 0.0));
        faults.hold("something is nearer", seen.near.is_none_or(|n| n.distance_m >= lo - ROUNDING_M));
        faults.hold("nothing is so near", seen.at_least_m <= hi + ROUNDING_M);
        faults.0
    }
}

/// Expects that no pair is tested.
fn of_nothing(pairs: &[Pair]) -> Vec<String> {
    if pairs.is_empty() { vec![] } else { vec!["pairs are tested, but there is no distance".into()] }
}

/// The time, the pair, the two triangles and the points.
fn of_place(bodies: Bodies, pairs: &[Pair], t: &Trajectory, nearest: &Nearest) -> Vec<String> {
    let ([lo, hi], mut faults) = (nearest.distance_m, Faults::default());
    if nearest.segment >= t.n_segments() || !(0.0..=1.0).contains(&nearest.t) {
        return vec!["no such time".into()];
    }
    let (pair, triangles) = match named(bodies, pairs, nearest) {
        Ok(named) => named,
        Err(fault) => return vec![fault],
    };
    let [x, y] = placed(bodies.course, pair, triangles, t, nearest);
    let distance = triangles::distance(&x, &y);
    faults.hold(&format!("the triangles are {distance} m apart"), distance <= hi + ROUNDING_M);
    faults.hold(&format!("the triangles are only {distance} m apart"), distance >= lo - ROUNDING_M);
    let between = nearest.points[0].distance(nearest.points[1]);
    faults.hold(&format!("the points are {between} m apart"), (between - distance).abs() <= ROUNDING_M);
    for (point, triangle, side, name) in
        [(nearest.points[0], x, &nearest.a, "a"), (nearest.points[1], y, &nearest.b, "b")]
    {
        let off = point.distance(on_triangle(point, &triangle));
        faults.hold(&format!("the point is {off:e} m from the triangle of {name}"), off <= ROUNDING_M);
        let off = point.distance(on_feature(point, &triangle, side));
        faults.hold(&format!("the point is {off:e} m from the feature of {name}"), off <= 10.0 * ROUNDING_M);
    }
    faults.0
}

/// The two triangles at the time of an answer: exactly in its segment, not in the next one.
fn placed(course: &Course, pair: Pair, [a, b]: [usize; 2], t: &Trajectory, nearest: &Nearest) -> [Triangle; 2] {
    let of = |link: usize, triangle: usize| {
        let pose = course.pose(link, &t.nominal(), nearest.segment, nearest.t);
        course.links[link][triangle].map(|p| pose.transform_point3(p))
    };
    let second = match pair.1 {
        Other::Link(l) => of(l, b),
        Other::Object(o) => course.objects[o].triangles[b],
    };
    [of(pair.0, a), second]
}

/// The pair and the triangles that an answer names, if there are such triangles and the pair counts.
fn named(bodies: Bodies, pairs: &[Pair], nearest: &Nearest) -> Result<(Pair, [usize; 2]), String> {
    let (course, [a, b]) = (bodies.course, [&nearest.a, &nearest.b]);
    let link = |side: &Side| course.robot.links().iter().position(|l| l.name == side.name);
    let first = link(a).ok_or_else(|| format!("no link {}", a.name))?;
    let second = match b.shape {
        Some(_) => link(b).map(Other::Link),
        None => course.objects.iter().position(|o| o.name == b.name).map(Other::Object),
    };
    let second = second.ok_or_else(|| format!("no body {}", b.name))?;
    if !pairs.contains(&(first, second)) {
        return Err("a pair that does not count".into());
    }
    let n_triangles = |body: Other| match body {
        Other::Link(l) => course.links[l].len(),
        Other::Object(o) => course.objects[o].triangles.len(),
    };
    if a.triangle >= n_triangles(Other::Link(first)) || b.triangle >= n_triangles(second) {
        return Err("no such triangle".into());
    }
    let has_shape = |l: usize, side: &Side| side.shape == Some(shape_of(bodies.counts, l, side.triangle));
    if !has_shape(first, a) || matches!(second, Other::Link(l) if !has_shape(l, b)) {
        return Err("another shape".into());
    }
    Ok(((first, second), [a.triangle, b.triangle]))
}

/// The shape of a link that has a triangle.
pub fn shape_of(counts: Option<&[Vec<usize>]>, link: usize, triangle: usize) -> usize {
    let Some(counts) = counts else { return 0 };
    let ends = counts[link].iter().scan(0, |end, n| {
        *end += n;
        Some(*end)
    });
    ends.take_while(|end| *end <= triangle).count()
}

/// The point of the feature that is closest to `p`; any point if the line names no feature.
fn on_feature(p: DVec3, t: &Triangle, side: &Side) -> DVec3 {
    match &side.feature {
        None => p,
        Some((kind, k)) => match kind.as_str() {
            "vertex" => t[*k % 3],
            "edge" => on_segment(p, t[*k % 3], t[(*k + 1) % 3]),
            _ => on_triangle(p, t),
        },
    }
}
