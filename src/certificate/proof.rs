//! The search for a proof: simultaneous descent through two trees and time until an axis separates what is left.

use super::kinematics::Sweep;
use super::motions::Motions;
use super::partition::{Node, Partition};
use super::placed::{Axis, Placed};
use crate::robot::Triangle;
use crate::robot::trajectory::Place;
use std::rc::Rc;

/// Steps after which the search for a proof ends without one.
const MAX_STEPS: usize = 1 << 22;
/// Bytes of steps after which the search for a proof ends without one.
const MAX_BYTES: usize = 1 << 24;

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

/// A pair that must be proved apart.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Both sides, the link first.
    pub sides: [Side<'a>; 2],
    /// The body whose frame both are compared in; `None` for the world.
    pub frame: Option<u32>,
    /// True for each object of the scene that is excluded for the link; empty if no object is.
    pub excluded: &'a [bool],
}

/// A range of time.
#[derive(Clone, Copy, Debug)]
enum Range {
    /// Several segments.
    Segments([usize; 2]),
    /// A part of a segment, as of [`Motions`].
    Part(u32),
}

/// A pair of nodes that must still be proved apart over a range of time.
struct Open {
    nodes: [u32; 2],
    range: Range,
    /// The first node over this range, if it is known.
    placed: Option<Rc<Placed>>,
}

/// The search for proofs about one trajectory.
pub struct Search<'a> {
    /// The moving bodies.
    pub motions: Motions<'a>,
    /// The distance that must be exceeded, metres.
    margin_m: f64,
    /// The last segment.
    last: usize,
    /// The steps so far.
    pub steps: Vec<u8>,
    n_steps: usize,
}

impl<'a> Search<'a> {
    /// Starts a search up to a time.
    pub fn new(motions: Motions<'a>, margin_m: f64, end: Place) -> Self {
        Self { motions, margin_m, last: end.segment, steps: Vec::new(), n_steps: 0 }
    }

    /// Appends the proof that a pair is apart up to the end. Returns `None` if there is none.
    pub fn prove(&mut self, pair: &Pair) -> Option<()> {
        // The next one last.
        let mut open = vec![Open { nodes: [0, 0], range: self.range([0, self.last + 1]), placed: None }];
        while let Some(next) = open.pop() {
            self.n_steps += 1;
            if self.n_steps > MAX_STEPS || self.steps.len() > MAX_BYTES {
                return None;
            }
            if let Some(halves) = self.step(pair, next)? {
                open.extend(halves.into_iter().rev());
            }
        }
        Some(())
    }

    fn range(&mut self, [first, last]: [usize; 2]) -> Range {
        if last - first == 1 { Range::Part(self.motions.segment(first)) } else { Range::Segments([first, last]) }
    }

    /// Writes the step for a pair of nodes, and returns both parts of a split. Returns `None` if there is no step.
    fn step(&mut self, pair: &Pair, open: Open) -> Option<Option<[Open; 2]>> {
        let Open { nodes, range, placed } = open;
        let of = |k: usize| &pair.sides[k].partition.nodes[nodes[k] as usize];
        match excluded(pair, of(1).groups) {
            Some(EXCLUDED) => {
                self.steps.push(EXCLUDED);
                return Some(None);
            }
            Some(_) => return Some(Some(self.split_node(pair, nodes, 1, (range, placed)))),
            None => {}
        }
        let part = match range {
            Range::Segments([first, last]) => {
                let middle = first.midpoint(last);
                self.steps.push(SPLIT_TIME);
                let halves = [[first, middle], [middle, last]];
                return Some(Some(halves.map(|half| Open { nodes, range: self.range(half), placed: None })));
            }
            Range::Part(part) => part,
        };
        let a = placed.unwrap_or_else(|| Rc::new(self.place(pair, 0, nodes[0], part)));
        if pair.sides[1].body.is_none()
            && let Some(axis) = a.apart_along(&of(1).corners, self.margin_m)
        {
            self.steps.push(ALONG_COORDINATE + axis);
            return Some(None);
        }
        let b = self.place(pair, 1, nodes[1], part);
        if pair.sides[1].body.is_some()
            && let Some(axis) = a.apart_along(&b.corners, self.margin_m)
        {
            self.steps.push(ALONG_COORDINATE + axis);
            return Some(None);
        }
        // A box is never separated from a far smaller one inside it.
        let comparable = b.radius_m < 16.0 * (a.radius_m + a.travel_m) || of(1).is_leaf();
        if comparable && let Some(axis) = a.separating_axis(&b, self.margin_m) {
            self.write(axis);
            return Some(None);
        }
        if a.travel_m + b.travel_m >= a.radius_m.max(b.radius_m) {
            let halves = self.motions.halves(part)?;
            self.steps.push(SPLIT_TIME);
            return Some(Some(halves.map(|half| Open { nodes, range: Range::Part(half), placed: None })));
        }
        let (k, placed) = if a.radius_m >= b.radius_m { (0, None) } else { (1, Some(a)) };
        Some(Some(self.split_node(pair, nodes, k, (range, placed))))
    }

    fn split_node(
        &mut self,
        pair: &Pair,
        nodes: [u32; 2],
        k: usize,
        (range, placed): (Range, Option<Rc<Placed>>),
    ) -> [Open; 2] {
        self.steps.push([SPLIT_A, SPLIT_B][k]);
        pair.sides[k].partition.children(nodes[k]).map(|child| {
            let mut nodes = nodes;
            nodes[k] = child;
            Open { nodes, range, placed: placed.clone() }
        })
    }

    /// A node over a part of a segment, in the pair's frame.
    pub fn place(&mut self, pair: &Pair, k: usize, node: u32, part: u32) -> Placed {
        let side = &pair.sides[k];
        Placed::new(&side.partition.nodes[node as usize], side.triangles, self.sweep(pair, k, part))
    }

    /// A triangle over a part of a segment, in the pair's frame.
    pub fn place_triangle(&mut self, pair: &Pair, k: usize, triangle: u32, part: u32) -> Placed {
        let triangles = pair.sides[k].triangles;
        let leaf = Node::leaf(&triangles[triangle as usize], triangle, 0);
        Placed::new(&leaf, triangles, self.sweep(pair, k, part))
    }

    /// The control poses of a side in the pair's frame; `None` if it does not move there.
    fn sweep(&mut self, pair: &Pair, k: usize, part: u32) -> Option<&Sweep> {
        let body = pair.sides[k].body.filter(|body| Some(*body) != pair.frame)?;
        Some(self.motions.sweep(part, pair.frame, body))
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
