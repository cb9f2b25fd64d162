//! Search for the extremal pair without a start: rectangles of parameters, nearest pair first.
//!
//! A ball contains the points of each rectangle of parameters. Pairs of rectangles are split in the order of the
//! distances of their balls; small ones are starting points of a descent. Pairs farther than the best pair found are
//! dropped. If the surfaces intersect, the distance is zero along a whole curve; then Newton's method on the normal
//! form starts from points whose normals face each other.

use super::Pair;
use super::equations::Configuration;
use super::lost::Lost;
use super::motion::Relative;
use super::newton::{descend, polish};
use super::shape::{Place, Range, Shape};
use super::state::State;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The pair.
    pub state: State,
    /// Its distance, signed if there is a normal, metres.
    pub sigma_m: f64,
}

/// Maximum number of pairs of rectangles that are examined.
const MAX_PAIRS: usize = 20_000;
/// Maximum number of descents.
const MAX_STARTS: usize = 40;
/// Rectangles are not split below this size, relative to the bodies' size.
const FINEST: f64 = 0.2;
/// Distances below this count as intersections, relative to the bodies' size.
const MEETING: f64 = 1e-7;
/// Number of values of each parameter from which pairs in penetration are sought.
const PLACES: usize = 9;

/// Finds the closest pair, edges included, if the shapes are apart; in penetration, the extremal pair of least depth.
///
/// # Errors
/// [`Lost::NothingFound`] in penetration without such a pair, or between intersecting shapes without normals;
/// [`Lost::WrongSide`] if one surface is inside the other; [`Lost::NotFinite`] if the distance is not finite.
pub fn search(pair: &Pair, relative: &Relative) -> Result<Found, Lost> {
    let near = nearest(pair, relative);
    let distance = Configuration::new(pair, &near, relative).delta.length();
    if !distance.is_finite() {
        return Err(Lost::NotFinite);
    }
    if distance > MEETING * pair.size_m() {
        let state = polish(pair, relative, &near).unwrap_or(near);
        let configuration = Configuration::new(pair, &state, relative);
        return match configuration.facing() {
            Some(cosine) if cosine > -0.5 => Err(Lost::WrongSide { cosine }),
            _ => Ok(Found { state, sigma_m: configuration.sigma_m() }),
        };
    }
    deepest(pair, relative).ok_or(Lost::NothingFound)
}

/// A rectangle of parameters, and its ball in the axes of A.
#[derive(Clone, Copy)]
struct Cell {
    lo: [f64; 2],
    hi: [f64; 2],
    centre: DVec3,
    radius: f64,
}

/// One of the two shapes, and its placement in the axes of A.
struct Side<'a> {
    shape: &'a Shape,
    place: &'a dyn Fn(DVec3) -> DVec3,
}

impl Side<'_> {
    fn cell(&self, lo: [f64; 2], hi: [f64; 2]) -> Cell {
        let ball = self.shape.ball(lo, hi);
        Cell { lo, hi, centre: (self.place)(ball.centre), radius: ball.radius_m }
    }

    fn whole(&self) -> Cell {
        let ends = |of: fn(&Range) -> f64| self.shape.ranges().map(|r| r.as_ref().map_or(0.0, of));
        self.cell(ends(|r| r.lo), ends(|r| r.hi))
    }

    /// Returns both halves, cut across the direction in which the rectangle is longest.
    fn halves(&self, cell: &Cell) -> [Cell; 2] {
        let tangents = self.shape.jet(cell.middle()).first;
        let length = |i: usize| (cell.hi[i] - cell.lo[i]) * tangents[i].length();
        let i = usize::from(length(1) > length(0));
        let cut = self.shape.cut(i, [cell.lo[i], cell.hi[i]]);
        let (mut hi, mut lo) = (cell.hi, cell.lo);
        (hi[i], lo[i]) = (cut, cut);
        [self.cell(cell.lo, hi), self.cell(lo, cell.hi)]
    }
}

impl Cell {
    fn middle(&self) -> Place {
        Place { chart: 0, at: [0.5 * (self.lo[0] + self.hi[0]), 0.5 * (self.lo[1] + self.hi[1])] }
    }
}

/// Two rectangles; in the order of this type the nearest pair is the greatest.
struct Near {
    bound: f64,
    cells: [Cell; 2],
}

impl Near {
    fn new(a: Cell, b: Cell) -> Self {
        Self { bound: (a.centre - b.centre).length() - a.radius - b.radius, cells: [a, b] }
    }

    fn start(&self) -> State {
        State { a: self.cells[0].middle(), b: self.cells[1].middle(), held: [false; 4] }
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound)
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Near {}

/// Finds the pair of minimum distance, or one of zero distance.
fn nearest(pair: &Pair, relative: &Relative) -> State {
    let in_a = |p: DVec3| p;
    let from_b = |p: DVec3| relative.rotation * p + relative.offset_m;
    let a = Side { shape: &pair.a, place: &in_a };
    let b = Side { shape: &pair.b, place: &from_b };
    let size = pair.size_m();
    let first = Near::new(a.whole(), b.whole());
    let mut best = first.start();
    let mut least = f64::INFINITY;
    let mut heap = BinaryHeap::from([first]);
    let mut starts = 0;
    for count in 1..=MAX_PAIRS {
        let Some(near) = heap.pop() else { break };
        if near.bound >= least * (1.0 - 1e-9) || least <= MEETING * size {
            break;
        }
        let [ca, cb] = near.cells;
        let small = ca.radius + cb.radius <= FINEST * (size + near.bound.max(0.0));
        // Occasionally a descent starts from a large pair: a close pair found early prunes the others.
        if small || count.is_power_of_two() {
            let state = descend(pair, relative, &near.start());
            let distance = Configuration::new(pair, &state, relative).delta.length();
            if distance < least {
                (best, least) = (state, distance);
            }
            starts += 1;
        }
        if starts == MAX_STARTS {
            break;
        }
        if !small && ca.radius >= cb.radius {
            heap.extend(a.halves(&ca).map(|half| Near::new(half, cb)));
        } else if !small {
            heap.extend(b.halves(&cb).map(|half| Near::new(ca, half)));
        }
    }
    best
}

/// Finds the extremal pair of intersecting surfaces with the greatest (least negative) distance.
fn deepest(pair: &Pair, relative: &Relative) -> Option<Found> {
    let mut best: Option<Found> = None;
    for a in places(&pair.a) {
        for start in facing(pair, relative, a) {
            let Some(state) = polish(pair, relative, &start) else { continue };
            let configuration = Configuration::new(pair, &state, relative);
            let sigma_m = configuration.sigma_m();
            let faces = configuration.facing().is_none_or(|c| c < -0.5);
            // A pair that is clearly apart is not a penetration: the surfaces intersect elsewhere.
            let fits = configuration.carrier().is_some() && faces && sigma_m <= 1e-6 * pair.size_m();
            if fits && configuration.is_extremal() && best.is_none_or(|b| sigma_m > b.sigma_m) {
                best = Some(Found { state, sigma_m });
            }
        }
    }
    best
}

/// Returns places distributed over a shape.
fn places(shape: &Shape) -> Vec<Place> {
    let steps = |range: &Option<Range>| -> Vec<f64> {
        let at = |r: &Range, i: usize| r.lo + (i as f64 + 0.5) / PLACES as f64 * (r.hi - r.lo);
        range.as_ref().map_or(vec![0.0], |r| (0..PLACES).map(|i| at(r, i)).collect())
    };
    let [us, vs] = shape.ranges();
    steps(&us).iter().flat_map(|u| steps(&vs).into_iter().map(|v| Place::new(*u, v))).collect()
}

/// Returns starts with this place on A: one with the place of B whose normal faces that of A best, and one with the
/// nearest of those whose normals face it.
fn facing(pair: &Pair, relative: &Relative, a: Place) -> Vec<State> {
    let mut best: [Option<(f64, State)>; 2] = [None; 2];
    for b in places(&pair.b) {
        let state = State { a, b, held: [false; 4] };
        let configuration = Configuration::new(pair, &state, relative);
        let cosine = configuration.facing().unwrap_or(-1.0);
        if cosine > -0.5 {
            continue;
        }
        let costs = [cosine, configuration.delta.length()];
        for (best, cost) in best.iter_mut().zip(costs) {
            if best.is_none_or(|(c, _)| cost < c) {
                *best = Some((cost, state));
            }
        }
    }
    best.into_iter().flatten().map(|(_, state)| state).collect()
}
