//! The proof of one pair, step by step.

use crate::ball::{Ball, dot, exact};
use crate::body_motion::{BodyMotion, Motions};
use crate::certificate::{Bytes, Step, Time};
use crate::polynomial::Interval;
use crate::refusal::{Refusal, require};
use crate::tree::Tree;

/// A link in a proof.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub tree: &'a Tree<'a>,
    /// The link's body; none for the scene.
    pub body: Option<usize>,
}

/// The pair that is proved.
pub(crate) struct Pair<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    /// The common frame, a body or the world.
    pub frame: Option<usize>,
    pub margin_m: f64,
    /// For each place in B's order, the number of triangles before it that are not excluded; none without exclusions.
    pub tested: Option<&'a [u32]>,
}

/// A range of time.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    /// Several segments, up to the end.
    Segments { from: usize, to: usize },
    /// Part of a segment.
    Local(Interval),
}

impl Range {
    /// The segments from one to another, the end's at most to the end.
    pub fn segments(from: usize, to: usize, end: Time) -> Self {
        if to - from > 1 {
            return Self::Segments { from, to };
        }
        Self::Local(Interval::new(from, 0.0, if from == end.segment { end.local } else { 1.0 }))
    }

    pub fn halves(self, end: Time) -> Result<[Self; 2], Refusal> {
        match self {
            Self::Segments { from, to } => {
                let mid = from + (to - from) / 2;
                Ok([Self::segments(from, mid, end), Self::segments(mid, to, end)])
            }
            Self::Local(Interval { segment, from, to, mid, .. }) => {
                let progress = mid != from && mid != to;
                require(progress, || format!("the times [{from}, {to}] of segment {segment} cannot be split"))?;
                Ok([(from, mid), (mid, to)].map(|(from, to)| Self::Local(Interval::new(segment, from, to))))
            }
        }
    }
}

/// A part of the proof that is still to be read.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub a: usize,
    pub b: usize,
    pub time: Range,
}

impl Pair<'_> {
    /// Reads the proof up to the end of the motion, and verifies each step. Returns the number of steps.
    pub fn verify(&self, bytes: &mut Bytes, motions: &mut Motions, end: Time) -> Result<u64, Refusal> {
        let mut parts = vec![Part { a: 0, b: 0, time: Range::segments(0, end.segment + 1, end) }];
        let mut n_steps = 0;
        while let Some(part) = parts.pop() {
            // The second half waits below the first one: a proof is in preorder.
            let halves = self.step(part, bytes, motions, end).map_err(|why| why.at(format_args!("step {n_steps}")))?;
            parts.extend(halves.into_iter().flatten().rev());
            n_steps += 1;
        }
        Ok(n_steps)
    }

    fn step(
        &self,
        part: Part,
        bytes: &mut Bytes,
        motions: &mut Motions,
        end: Time,
    ) -> Result<Option<[Part; 2]>, Refusal> {
        match bytes.step()?.1 {
            Step::SplitTime => Ok(Some(part.time.halves(end)?.map(|time| Part { time, ..part }))),
            Step::SplitA => Ok(Some(children(self.a.tree, part.a, "A")?.map(|a| Part { a, ..part }))),
            Step::SplitB => Ok(Some(children(self.b.tree, part.b, "B")?.map(|b| Part { b, ..part }))),
            Step::Excluded => self.require_excluded(part.b).map(|()| None),
            Step::Separated { axis } => self.require_separated(part, axis, motions).map(|()| None),
        }
    }

    pub fn require_excluded(&self, node: usize) -> Result<(), Refusal> {
        let range = self.b.tree.range(node);
        let excluded = self.tested.is_some_and(|tested| tested[range.start] == tested[range.end]);
        require(excluded, || format!("node {node} of B has triangles that are not excluded"))
    }

    pub fn require_separated(&self, part: Part, axis: [f64; 3], motions: &mut Motions) -> Result<(), Refusal> {
        let Range::Local(time) = part.time else {
            return Err(Refusal::new("one axis cannot cover several segments"));
        };
        let Part { a, b, .. } = part;
        let mut motion = |side: &Side| side.body.map(|body| motions.get(self.frame, body, &time));
        let (of_a, of_b) = (motion(&self.a), motion(&self.b));
        let n = exact(axis);
        let length = Ball::exact(dot(n, n).upper().sqrt().next_up());
        let bound = (length * Ball::exact(self.margin_m)).upper();
        let spread_a = spread(self.a.tree, a, of_a.as_deref(), length);
        let spread_b = spread(self.b.tree, b, of_b.as_deref(), length);
        let opposite = axis.map(|x| -x);
        let holds = (0..4).all(|i| {
            let top = support(self.a.tree, a, (of_a.as_deref(), &spread_a), i, axis);
            let bottom = support(self.b.tree, b, (of_b.as_deref(), &spread_b), i, opposite);
            let gap = (-(top + bottom)).next_down();
            gap > bound
        });
        require(holds, || {
            let Interval { segment, from, to, .. } = time;
            format!(
                "the axis {axis:?} does not separate the nodes {a} and {b} during [{from}, {to}] of segment {segment}"
            )
        })
    }
}

/// Largest distances of points near the corners of a node from the hull of their control points, times the length of an
/// axis: of each vertex of a leaf, and of all vertices of another node.
fn spread(tree: &Tree, node: usize, motion: Option<&BodyMotion>, length: Ball) -> [Ball; 3] {
    motion.map_or([Ball::ZERO; 3], |motion| tree.sizes(node).map(|distance| length * motion.spread(distance)))
}

/// Upper bound of `axis·x` for control pose `i` of a node.
fn support(
    tree: &Tree,
    node: usize,
    (motion, spread): (Option<&BodyMotion>, &[Ball; 3]),
    i: usize,
    axis: [f64; 3],
) -> f64 {
    match motion {
        Some(motion) => tree.support(node, &motion.control[i], axis, spread),
        None => tree.extent(node, exact(axis)),
    }
}

fn children(tree: &Tree, node: usize, side: &str) -> Result<[usize; 2], Refusal> {
    tree.children(node).ok_or_else(|| Refusal::new(format!("node {node} of {side} is a leaf and cannot be split")))
}
