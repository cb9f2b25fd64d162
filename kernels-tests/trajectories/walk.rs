//! The first piercing along a trajectory, by conservative advancement.
//!
//! Every pair of bodies advances separately, within cells of a segment. No vertex travels further in a step than the
//! distance just measured, by the bound of the joints' rates in the cell; but a step has a least length ([`Fineness`]),
//! so that a shorter passage may be missed.

use super::course::{Course, Other, Pair};
use super::curve::Execution;
use crate::oracle::advance::{Fineness, Passage};
use crate::oracle::tree::Closest;

/// Cells of a segment that is not straight.
const CELLS: usize = 16;

/// The first piercing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub u: f64,
    pub pair: Pair,
    /// A triangle of each body.
    pub triangles: [usize; 2],
}

/// The result of walking along a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub hit: Option<Hit>,
    /// Before this time every pair is clear by measured distances and bounded rates, up to rounding.
    pub clear_until: f64,
    /// Least distance that was measured before the hit or the end, less the margin.
    pub least_gap_m: f64,
}

/// A part of a segment in which a pair approaches at a bounded rate.
struct Cell {
    k: usize,
    x: (f64, f64),
    /// Bound of the travel per segment.
    rate: f64,
}

impl Course {
    /// The cells of all segments in order.
    fn cells(&self, (link, other): Pair, e: &Execution) -> Vec<Cell> {
        let mut out = Vec::new();
        for k in 0..e.trajectory.n_segments() {
            let n = if e.trajectory.is_straight(k) && e.waves.is_empty() { 1 } else { CELLS };
            for i in 0..n {
                let x = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
                let second = if let Other::Link(b) = other { self.rate(b, e, k, x) } else { 0.0 };
                out.push(Cell { k, x, rate: self.rate(link, e, k, x) + second });
            }
        }
        out
    }

    /// A bound of the change of distance of a pair between two times.
    pub fn travel(&self, pair: Pair, e: &Execution, (from, to): (f64, f64)) -> f64 {
        let overlap = |c: &Cell| (to.min(c.k as f64 + c.x.1) - from.max(c.k as f64 + c.x.0)).max(0.0);
        self.cells(pair, e).iter().map(|c| overlap(c) * c.rate).sum()
    }

    /// Walks along an execution to the first piercing or the end.
    pub fn walk(&self, e: &Execution, fineness: Fineness) -> Outcome {
        let end = e.trajectory.n_segments() as f64;
        let mut outcome = Outcome { hit: None, clear_until: end, least_gap_m: fineness.horizon_m };
        let mut doubtful = Vec::new();
        for &pair in &self.pairs {
            let cells = self.cells(pair, e);
            if let Some(since) = self.walk_pair(pair, e, &cells, fineness, &mut outcome) {
                doubtful.push((pair, cells, since));
            }
        }
        outcome.clear_until = outcome.hit.map_or(end, |h| h.u);
        for (pair, cells, since) in doubtful {
            if since < outcome.clear_until {
                outcome.clear_until = self.creep(pair, e, &cells, (since, outcome.clear_until));
            }
        }
        outcome
    }

    /// Walks with one pair; returns the time from which on steps went further than what was proved.
    fn walk_pair(&self, pair: Pair, e: &Execution, cells: &[Cell], f: Fineness, out: &mut Outcome) -> Option<f64> {
        let mut doubtful = None;
        for cell in cells {
            let (k, end) = (cell.k as f64, out.hit.map_or(f64::INFINITY, |h| h.u));
            let to = cell.x.1.min(end - k);
            if to < cell.x.0 {
                break;
            }
            let measure = |x: f64, limit: f64| self.measure(pair, e, (cell.k, x), limit);
            let walk = Passage { measure: &measure, travel: cell.rate }.walk((cell.x.0, to), f);
            out.least_gap_m = out.least_gap_m.min(walk.least_gap_m);
            if walk.sure_until < to && doubtful.is_none() {
                doubtful = Some(k + walk.sure_until);
            }
            if let Some((x, c)) = walk.hit {
                let (x, c) = refine(&measure, (cell.x.0, x), c, cell.rate);
                out.hit = Some(Hit { u: k + x, pair, triangles: [c.moved, c.resting] });
                return doubtful;
            }
        }
        doubtful
    }

    /// The time up to which tiny steps prove a pair clear.
    fn creep(&self, pair: Pair, e: &Execution, cells: &[Cell], (since, until): (f64, f64)) -> f64 {
        for cell in cells {
            let k = cell.k as f64;
            let (from, to) = (cell.x.0.max(since - k), cell.x.1.min(until - k));
            if from < to {
                let measure = |x: f64, limit: f64| self.measure(pair, e, (cell.k, x), limit);
                let clear = Passage { measure: &measure, travel: cell.rate }.creep((from, to));
                if clear < to {
                    return k + clear;
                }
            }
        }
        until
    }
}

/// The start of a piercing that is known to 1e-10 m by the bound of the rate, to the last bits of the time.
fn refine(
    measure: &dyn Fn(f64, f64) -> Option<Closest>,
    (from, x): (f64, f64),
    found: Closest,
    rate: f64,
) -> (f64, Closest) {
    let pierces = |x: f64| measure(x, 1e-12).filter(|c| c.distance == 0.0);
    let (mut out, mut within, mut found) = ((x - 2e-10 / rate).max(from), x, found);
    if rate == 0.0 || pierces(out).is_some() {
        return (x, found);
    }
    while within - out > 1e-14 {
        let middle = 0.5 * (out + within);
        match pierces(middle) {
            Some(c) => (within, found) = (middle, c),
            None => out = middle,
        }
    }
    (within, found)
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Trajectory, Wave, Waypoint};
    use super::*;
    use crate::oracle::fk::Robot;
    use crate::oracle::scene::Object;
    use crate::oracle::shapes::{Choice, link_meshes};
    use crate::oracle::urdf;
    use glam::DVec3;
    use std::path::Path;

    /// A bar of 1 m along x that turns about z, with a block that slides along it, and a second block on a slide.
    const BAR: &str = r#"<robot name="bar"><link name="stand"/>
      <link name="bar"><visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></visual></link>
      <link name="block"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
      <link name="other"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
      <joint name="turn" type="continuous"><parent link="stand"/><child link="bar"/><axis xyz="0 0 1"/></joint>
      <joint name="slide" type="prismatic"><parent link="bar"/><child link="block"/></joint>
      <joint name="far" type="prismatic"><parent link="stand"/><child link="other"/><origin xyz="3 0 0"/></joint>
      </robot>"#;

    fn course(wall_y: f64, own: &[(usize, usize)]) -> Course {
        let robot = Robot::new(urdf::parse(BAR, Path::new(".")), [0.0; 6], false);
        let links = link_meshes(&robot, Choice::Default).triangles;
        let wall = vec![[DVec3::new(-9.0, wall_y, -9.0), DVec3::new(9.0, wall_y, -9.0), DVec3::new(0.0, wall_y, 9.0)]];
        Course::new(robot, links, vec![Object { name: "wall".into(), triangles: wall }], own)
    }

    /// All columns at rest at both ends of each segment of one second: the share of a step is s(x).
    fn from_rest_to_rest(rows: &[[f64; 3]], is_quintic: bool) -> Trajectory {
        let still = || Some(vec![0.0; 3]);
        let point = |r: &[f64; 3]| Waypoint {
            position: r.to_vec(),
            velocity: still(),
            acceleration: still().filter(|_| is_quintic),
        };
        let times_s = Some((0..rows.len()).map(|i| i as f64).collect());
        Trajectory { times_s, points: rows.iter().map(point).collect() }
    }

    /// The x with `3 x^2 - 2 x^3`, or `10 x^3 - 15 x^4 + 6 x^5`, equal to a share, by bisection.
    fn inverse(share: f64, is_quintic: bool) -> f64 {
        let s = |x: f64| if is_quintic { x * x * x * (10.0 + x * (6.0 * x - 15.0)) } else { x * x * (3.0 - 2.0 * x) };
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..80 {
            let middle = 0.5 * (lo + hi);
            if s(middle) < share { lo = middle } else { hi = middle }
        }
        lo
    }

    #[test]
    fn a_bar_from_rest_meets_a_wall_when_its_corner_does() {
        let (r, lift) = (1.0_f64.hypot(0.01), 0.01_f64.atan());
        let angle = (0.6 / r).asin() - lift;
        for is_quintic in [false, true] {
            let t =
                from_rest_to_rest(&[[0.0, 0.2, 0.0], [0.5, 0.2, 0.0], [0.5, 0.2, 0.0], [2.0, 0.2, 0.0]], is_quintic);
            let outcome = course(0.6, &[]).walk(&t.nominal(), Fineness::default());
            let (hit, expected) = (outcome.hit.expect("a hit"), 2.0 + inverse((angle - 0.5) / 1.5, is_quintic));
            assert!((hit.u - expected).abs() < 1e-8, "{hit:?} {expected}");
            assert_eq!((hit.pair, hit.triangles[1]), ((1, Other::Object(0)), 0));
            assert!(outcome.clear_until <= hit.u && outcome.clear_until > hit.u - 1e-5, "{outcome:?}");
            for gap in [1e-3, 1e-5] {
                let free = course(r + gap, &[]).walk(&t.nominal(), Fineness::default());
                assert!(free.hit.is_none() && free.least_gap_m >= gap && free.least_gap_m < 1.1 * gap + 1e-4);
            }
        }
    }

    #[test]
    fn a_margin_is_met_earlier() {
        // The block's front is at 0.05 beyond its slide, along y: 0.65 at the start, 1.05 at the end of the first
        // segment, 1.55 at the end.
        let quarter = std::f64::consts::FRAC_PI_2;
        let t = from_rest_to_rest(&[[quarter, 1.0, 0.0], [quarter, 1.2, 0.0], [quarter, 1.7, 0.0]], true);
        for margin_m in [0.0, 0.01, 0.2] {
            let mut course = course(1.5, &[]);
            course.margin_m = margin_m;
            let hit = course.walk(&t.nominal(), Fineness::default()).hit.expect("a hit");
            let expected = 1.0 + inverse((0.25 - margin_m) / 0.5, true);
            assert!((hit.u - expected).abs() < 1e-8, "{hit:?} {expected}");
        }
    }

    #[test]
    fn two_links_meet_where_both_move() {
        // The block's front at 0.55 + x and the other's back at 2.9 - x, by shares of 1.5 m each: 2.35 m to close.
        let rows = [vec![0.0, 0.5, 0.0], vec![0.0, 0.5, 0.0], vec![0.0, 2.0, -1.5]];
        let mut course = course(9.0, &[(2, 3)]);
        course.pairs.retain(|p| p.1 == Other::Link(3));
        let hit = course.walk(&Trajectory::straight(&rows).nominal(), Fineness::default()).hit.expect("a hit");
        assert!((hit.u - (1.0 + 2.35 / 3.0)).abs() < 1e-9 && hit.pair == (2, Other::Link(3)), "{hit:?}");
    }

    #[test]
    fn deviations_are_part_of_the_execution() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let t = Trajectory::straight(&[vec![quarter, 1.0, 0.0]]);
        let still = Wave { amplitude: 0.0, phase: 0.0, rate: 0.0 };
        let wave = Wave { amplitude: 0.2, phase: 0.0, rate: 2.0 };
        let e = Execution { trajectory: &t, waves: &[still, wave, still] };
        let hit = course(1.15, &[]).walk(&e, Fineness::default()).hit.expect("a hit");
        assert!((hit.u - 0.5_f64.asin() / 2.0).abs() < 1e-8, "{hit:?}");
        assert!(course(1.26, &[]).walk(&e, Fineness::default()).hit.is_none());
        assert!(course(1.15, &[]).walk(&t.nominal(), Fineness::default()).hit.is_none());
    }

    #[test]
    fn no_vertex_goes_further_than_the_bound() {
        let course = course(9.0, &[]);
        let t = from_rest_to_rest(&[[0.3, 0.2, 0.0], [2.0, 1.4, 0.0]], true);
        let e = t.nominal();
        let pair = (2, Other::Object(0));
        let at = |u: f64| course.triangles_at(pair, [0, 0], &e, u)[0][0];
        let travelled: f64 = (0..1000).map(|i| at(f64::from(i) / 1e3).distance(at(f64::from(i + 1) / 1e3))).sum();
        let bound = course.travel(pair, &e, (0.0, 1.0));
        assert!(travelled <= bound && bound < 2.0 * travelled, "{travelled} {bound}");
        let p = at(0.4);
        assert!((course.displacement(2, &e, (0.3, 0.4), p) - (p - at(0.3))).length() < 1e-14);
    }
}
