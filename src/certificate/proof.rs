//! The search for a proof: simultaneous descent through two trees and time until an axis separates what is left.

use super::kinematics::{BodyCurve, Curve, Interval, Sweep};
use super::partition::Partition;
use super::placed::{Axis, Placed};
use crate::robot::{Robot, Trajectory, Triangle};
use std::collections::HashMap;

/// Steps after which the search for a proof ends without one.
const MAX_STEPS: usize = 1 << 22;

const SPLIT_TIME: u8 = 0;
const SPLIT_A: u8 = 1;
const SPLIT_B: u8 = 2;
const EXCLUDED: u8 = 3;
const ALONG_COORDINATE: u8 = 4;
const ALONG_BYTES: u8 = 10;
const ALONG_SHORTS: u8 = 11;
const ALONG_DOUBLES: u8 = 12;

/// The triangles of one side with their partition and the body that carries them; `None` for the scene.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The tree.
    pub partition: &'a Partition,
    /// The triangles in the frame of the body, or of the world.
    pub triangles: &'a [Triangle],
    /// The body that carries them.
    pub body: Option<u32>,
}

/// A pair to be proved apart.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Both sides, the link first.
    pub sides: [Side<'a>; 2],
    /// The body whose frame both are compared in; `None` for the world.
    pub frame: Option<u32>,
    /// For each object of the scene, whether it is excluded for the link; empty if none is.
    pub excluded: &'a [bool],
}

/// A range of time: segments, and local time if it is only one.
#[derive(Clone, Copy, Debug)]
struct Range {
    segments: [usize; 2],
    local: Interval,
}

/// The search for proofs about one trajectory.
pub struct Search<'a> {
    robot: &'a Robot,
    trajectory: &'a Trajectory,
    tolerance: &'a [f64],
    /// The distance that must be exceeded, metres.
    margin_m: f64,
    /// The end: a segment and a local time in it.
    end: (usize, f64),
    intervals: HashMap<[u64; 3], usize>,
    columns: Vec<Vec<Curve>>,
    bodies: HashMap<(usize, Option<u32>, u32), (BodyCurve, Sweep)>,
    /// The steps so far.
    pub steps: Vec<u8>,
    n_steps: usize,
}

impl<'a> Search<'a> {
    /// Starts a search; `end` is a segment and a time in it.
    pub fn new(
        (robot, trajectory): (&'a Robot, &'a Trajectory),
        tolerance: &'a [f64],
        margin_m: f64,
        end: (usize, f64),
    ) -> Self {
        Self {
            robot,
            trajectory,
            tolerance,
            margin_m,
            end,
            intervals: HashMap::new(),
            columns: Vec::new(),
            bodies: HashMap::new(),
            steps: Vec::new(),
            n_steps: 0,
        }
    }

    /// Appends the proof that a pair is apart up to the end. Returns `None` if there is none.
    pub fn prove(&mut self, pair: &Pair) -> Option<()> {
        let local = Interval { segment: 0, ends: [0.0, 1.0] };
        let whole = self.range([0, self.end.0 + 1], local);
        self.apart(pair, [0, 0], None, &whole)
    }

    fn range(&self, segments: [usize; 2], local: Interval) -> Range {
        let mut range = Range { segments, local };
        if segments[1] - segments[0] == 1 {
            let end = if segments[0] == self.end.0 { self.end.1 } else { 1.0 };
            range.local = Interval { segment: segments[0], ends: [0.0, end] };
        }
        range
    }

    /// Proves a pair of nodes apart; `placed` are the two over this range, as far as they are known.
    fn apart(&mut self, pair: &Pair, nodes: [u32; 2], placed: Option<&Placed>, range: &Range) -> Option<()> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
            return None;
        }
        let of = |k: usize| &pair.sides[k].partition.nodes[nodes[k] as usize];
        if let Some(step) = excluded(pair, of(1).groups) {
            match step {
                EXCLUDED => self.steps.push(EXCLUDED),
                _ => return self.split_node(pair, nodes, 1, placed, range),
            }
            return Some(());
        }
        let [first, last] = range.segments;
        if last - first > 1 {
            self.steps.push(SPLIT_TIME);
            let middle = first.midpoint(last);
            for segments in [[first, middle], [middle, last]] {
                let part = self.range(segments, range.local);
                self.apart(pair, nodes, None, &part)?;
            }
            return Some(());
        }
        let own;
        let a = match placed {
            Some(a) => a,
            None => {
                own = self.place(pair, 0, nodes[0], &range.local);
                &own
            }
        };
        if pair.sides[1].body.is_none()
            && let Some(axis) = a.apart_along(&of(1).corners, self.margin_m)
        {
            self.steps.push(ALONG_COORDINATE + axis);
            return Some(());
        }
        let b = self.place(pair, 1, nodes[1], &range.local);
        if let Some(axis) = a.apart_along(&b.corners, self.margin_m) {
            self.steps.push(ALONG_COORDINATE + axis);
            return Some(());
        }
        // Far larger boxes are never separated from what is within them.
        let comparable = b.radius_m < 16.0 * (a.radius_m + a.travel_m) || of(1).is_leaf();
        if comparable && let Some(axis) = a.separating_axis(&b, self.margin_m) {
            self.write(axis);
            return Some(());
        }
        let travel = a.travel_m + b.travel_m;
        if travel >= a.radius_m.max(b.radius_m) {
            return self.split_time(pair, nodes, range);
        }
        let (k, placed) = if a.radius_m >= b.radius_m { (0, None) } else { (1, Some(a)) };
        self.split_node(pair, nodes, k, placed, range)
    }

    fn split_time(&mut self, pair: &Pair, nodes: [u32; 2], range: &Range) -> Option<()> {
        let ([start, end], middle) = (range.local.ends, range.local.middle());
        if !(start < middle && middle < end) {
            return None;
        }
        self.steps.push(SPLIT_TIME);
        for ends in [[start, middle], [middle, end]] {
            let part = Range { local: Interval { ends, ..range.local }, ..*range };
            self.apart(pair, nodes, None, &part)?;
        }
        Some(())
    }

    fn split_node(
        &mut self,
        pair: &Pair,
        nodes: [u32; 2],
        k: usize,
        placed: Option<&Placed>,
        range: &Range,
    ) -> Option<()> {
        self.steps.push([SPLIT_A, SPLIT_B][k]);
        for child in pair.sides[k].partition.children(nodes[k]) {
            let mut nodes = nodes;
            nodes[k] = child;
            self.apart(pair, nodes, placed, range)?;
        }
        Some(())
    }

    /// A node over an interval, in the pair's frame.
    pub fn place(&mut self, pair: &Pair, k: usize, node: u32, interval: &Interval) -> Placed {
        let side = &pair.sides[k];
        let sweep =
            side.body.filter(|body| Some(*body) != pair.frame).map(|body| self.sweep(pair.frame, body, interval));
        Placed::new(side.partition, side.triangles, node, sweep.as_ref())
    }

    /// The control poses of a body in a frame.
    fn sweep(&mut self, frame: Option<u32>, body: u32, interval: &Interval) -> Sweep {
        let key = [interval.segment as u64, interval.ends[0].to_bits(), interval.ends[1].to_bits()];
        let number = *self.intervals.entry(key).or_insert_with(|| {
            let of = |c: usize| Curve::new(self.trajectory.coefficients(interval.segment, c), interval);
            self.columns.push((0..self.trajectory.n_columns()).map(of).collect());
            self.columns.len() - 1
        });
        self.body(number, frame, body, interval).1
    }

    fn body(&mut self, number: usize, frame: Option<u32>, body: u32, interval: &Interval) -> (BodyCurve, Sweep) {
        if let Some(known) = self.bodies.get(&(number, frame, body)) {
            return *known;
        }
        let of = &self.robot.bodies[body as usize];
        let parent = match of.parent.filter(|parent| Some(*parent) != frame) {
            Some(parent) => self.body(number, frame, parent, interval).0,
            None => BodyCurve::at_rest(),
        };
        let curve = parent.child(&of.joint, self.trajectory, interval, &self.columns[number], self.tolerance);
        let new = (curve, curve.sweep(interval));
        self.bodies.insert((number, frame, body), new);
        new
    }

    fn write(&mut self, axis: Axis) {
        match axis {
            Axis::Byte(n) => {
                self.steps.push(ALONG_BYTES);
                self.steps.extend(n.to_array().map(|x| x as i8 as u8));
            }
            Axis::Short(n) => {
                self.steps.push(ALONG_SHORTS);
                self.steps.extend(n.to_array().iter().flat_map(|x| (*x as i16).to_le_bytes()));
            }
            Axis::Full(n) => {
                self.steps.push(ALONG_DOUBLES);
                self.steps.extend(n.to_array().iter().flat_map(|x| x.to_le_bytes()));
            }
        }
    }
}

/// The step for a node of the scene with these first and last objects, if any of them is excluded.
fn excluded(pair: &Pair, [first, last]: [u32; 2]) -> Option<u8> {
    let among = pair.excluded.get(first as usize..=last as usize)?;
    match (among.iter().any(|out| *out), first == last) {
        (false, _) => None,
        (true, true) => Some(EXCLUDED),
        (true, false) => Some(SPLIT_B),
    }
}
