//! Covering a motion with balls.
//!
//! Two ranges of polygons and a part of the motion are clear if one plane separates them. Otherwise the larger range is
//! halved, or the time if the ball is larger than the polygons. Two single polygons are treated as in the paper:
//! contacts that a ball excludes are removed from a list that the halves of the time inherit. Balls need not be nested
//! for that: the excluded contacts are those at the poses of the motion, for whole fat edges and faces, patches and
//! balls together. If the list becomes empty **and** the polygons are apart at the middle of the time, they are apart
//! all the time: otherwise there would be a first contact that involves a vertex, or a point of two edges. The second
//! condition is not in the paper; without it a polygon that was pierced earlier is not detected.

use super::certificate::{Contact, Orders, Step};
use super::elementary::FatEdge;
use super::enclosure::{Enclosure, Map, Vector, exact, middle, root_above};
use super::face::{Face, FatFace, Fixed, in_plane};
use super::metric::{Metric, box_rho2};
use super::motion::{Ball, MAX_LEVEL, Motion, Piece, Span};
use super::plane::{best_axis, dot, keeps_apart};
use super::problem::Limits;
use super::tree::{Node, Tree};
use std::collections::HashMap;

/// Factor by which the corners of a range's box are moved outward to become its feature points.
pub const RANGE_INFLATION: f64 = 2.0;

/// Two bodies with trees over their polygons.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'s> {
    /// The moving polygons.
    pub moving: &'s [Face],
    /// The tree over them, in the body's frame.
    pub moving_tree: &'s Tree,
    /// The fixed polygons.
    pub fixed: &'s [Fixed],
    /// The tree over them.
    pub fixed_tree: &'s Tree,
}

impl Bodies<'_> {
    /// Returns the orders that a proof refers to.
    pub fn orders(&self) -> Orders {
        Orders { moving: self.moving_tree.order.clone(), fixed: self.fixed_tree.order.clone() }
    }
}

/// Builds the tree over moving polygons.
pub fn moving_tree(moving: &[Face]) -> Tree {
    let corners = |face: &Face| {
        let points = face.corners.iter().map(|c| face.frame.point(in_plane(*c)));
        // Both ends of the intervals, so that the boxes contain the true corners.
        points.flat_map(|p| [p.0.map(|x| x.lo), p.0.map(|x| x.hi)]).collect::<Vec<_>>()
    };
    Tree::new(&moving.iter().map(corners).collect::<Vec<_>>())
}

/// Builds the tree over fixed polygons.
pub fn fixed_tree(fixed: &[Fixed]) -> Tree {
    Tree::new(&fixed.iter().map(|f| f.about.clone()).collect::<Vec<_>>())
}

/// A part of the motion in which two polygons may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Possible {
    /// The part of the motion.
    pub span: Span,
    /// The moving polygon.
    pub moving: usize,
    /// The fixed polygon.
    pub fixed: usize,
    /// Contacts that are not excluded; empty if the polygons may overlap without one.
    pub contacts: Vec<Contact>,
}

/// Counts of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Balls tested on pairs of polygons.
    pub tests: u64,
    /// Balls tested on ranges.
    pub range_tests: u64,
    /// The deepest level.
    pub depth: u32,
}

impl Counts {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.range_tests += other.range_tests;
        self.depth = self.depth.max(other.depth);
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Covering {
    /// The proof; valid if `possible` is empty.
    pub proof: Vec<Step>,
    /// Parts of the motion in which a contact is possible.
    pub possible: Vec<Possible>,
    /// Counts of the work.
    pub counts: Counts,
}

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Limits of the search.
    pub limits: Limits,
    /// True if every pair of polygons is tested individually, as in the paper, without ranges.
    pub pairs: bool,
    /// True if the proof is kept.
    pub proof: bool,
    /// Parts that start at this time or later are skipped.
    pub horizon: f64,
}

impl Options {
    /// Creates options for a search of the whole motion, by ranges, with a proof.
    pub fn new(limits: Limits) -> Self {
        Self { limits, pairs: false, proof: true, horizon: f64::INFINITY }
    }
}

/// Covers a motion.
pub fn cover(bodies: &Bodies, motion: &dyn Motion, options: &Options) -> Covering {
    let mut search = Search::new(bodies, motion, options);
    if !bodies.moving.is_empty() && !bodies.fixed.is_empty() {
        if options.pairs { search.each_pair(0, 0) } else { search.ranges(0, 0, Span::ALL) }
    }
    search.out
}

/// Returns the pairs of polygons and parts of the motion that ranges do not clear, to be settled individually.
#[cfg(feature = "gpu")]
pub(super) fn candidates(
    bodies: &Bodies,
    motion: &dyn Motion,
    limits: Limits,
) -> (Vec<(usize, usize, Span)>, Covering) {
    let options = Options { proof: false, ..Options::new(limits) };
    let mut search = Search { candidates: Some(Vec::new()), ..Search::new(bodies, motion, &options) };
    if !bodies.moving.is_empty() && !bodies.fixed.is_empty() {
        search.ranges(0, 0, Span::ALL);
    }
    (search.candidates.unwrap_or_default(), search.out)
}

/// The result of testing a ball on two polygons.
#[derive(Debug)]
pub(super) enum Trial {
    /// A plane with this normal keeps them apart.
    Plane([f64; 3]),
    /// They are apart at the middle of the time, by such a plane, and no contact is left.
    Apart { clear: Vec<Contact>, normal: [f64; 3] },
    /// Some contacts are left, or none are left but the polygons may still overlap.
    Left { clear: Vec<Contact>, left: Vec<Contact> },
}

/// Tests a ball on two polygons. `open` are the contacts that are not excluded yet; `known` returns whether a contact
/// is already known to be excluded by the ball.
pub(super) fn try_pair(
    face: &Face,
    fixed: &Fixed,
    ball: &Ball,
    open: &[Contact],
    known: &dyn Fn(&Contact) -> bool,
) -> Trial {
    let fat = FatFace::new(face, &ball.centre, ball.radius);
    let axis = best_axis(&fat.about, &fixed.about);
    if let Some(normal) = axis
        && keeps_apart(normal, &fat.balls(), &fixed.corners)
    {
        return Trial::Plane(normal);
    }
    let edges: Vec<FatEdge> = (0..face.corners.len()).map(|k| FatEdge::new(&fat, k)).collect();
    let is_clear = |contact: &Contact| match *contact {
        Contact::Vertex(k) => fat.vertex_clears(k as usize, fixed),
        Contact::Edges(k, l) => fat.edge_clears(&edges[k as usize], fixed, l as usize),
        Contact::Face(l) => fat.face_clears(&edges, fixed, l as usize),
    };
    let (clear, left): (Vec<Contact>, Vec<Contact>) = open.iter().partition(|c| known(c) || is_clear(c));
    if left.is_empty()
        && let Some(normal) = axis
    {
        let still = FatFace::new(face, &ball.centre, ball.middle_radius);
        if keeps_apart(normal, &still.balls(), &fixed.corners) {
            return Trial::Apart { clear, normal };
        }
    }
    Trial::Left { clear, left }
}

struct Search<'a> {
    bodies: &'a Bodies<'a>,
    motion: &'a dyn Motion,
    options: &'a Options,
    /// Parts that start at this time or later are skipped.
    horizon: f64,
    pieces: HashMap<Span, Option<Piece>>,
    /// Balls by node of the moving tree or by polygon, and by part.
    balls: HashMap<(bool, usize, Span), Option<Ball>>,
    /// If present, pairs are collected here instead of being tested.
    candidates: Option<Vec<(usize, usize, Span)>>,
    out: Covering,
}

impl<'a> Search<'a> {
    fn new(bodies: &'a Bodies<'a>, motion: &'a dyn Motion, options: &'a Options) -> Self {
        let (pieces, balls, out) = (HashMap::new(), HashMap::new(), Covering::default());
        Self { bodies, motion, options, horizon: options.horizon, pieces, balls, candidates: None, out }
    }
}

impl Search<'_> {
    fn say(&mut self, step: Step) {
        if self.options.proof {
            self.out.proof.push(step);
        }
    }

    fn ball(&mut self, key: (bool, usize, Span), frame: &Map, metric: &Metric) -> Option<Ball> {
        if let Some(known) = self.balls.get(&key) {
            return *known;
        }
        let piece = self.pieces.entry(key.2).or_insert_with(|| self.motion.piece(key.2));
        let ball = piece.as_ref().and_then(|p| p.ball(frame, metric));
        self.balls.insert(key, ball);
        ball
    }

    /// Tests all pairs individually.
    fn each_pair(&mut self, a: usize, b: usize) {
        let nodes = (self.bodies.moving_tree.nodes[a], self.bodies.fixed_tree.nodes[b]);
        match (nodes.0.children, nodes.1.children) {
            (Some(children), _) => {
                self.say(Step::Moving);
                children.into_iter().for_each(|a| self.each_pair(a, b));
            }
            (None, Some(children)) => {
                self.say(Step::Fixed);
                children.into_iter().for_each(|b| self.each_pair(a, b));
            }
            (None, None) => {
                self.horizon = self.options.horizon;
                let pair = (self.bodies.moving_tree.polygon(&nodes.0), self.bodies.fixed_tree.polygon(&nodes.1));
                self.pair(pair, Span::ALL, &self.all_contacts(pair));
            }
        }
    }

    fn all_contacts(&self, (i, j): (usize, usize)) -> Vec<Contact> {
        let n = self.bodies.moving[i].corners.len() as u32;
        let m = self.bodies.fixed[j].corners.len() as u32;
        let edges = (0..n).flat_map(|i| (0..m).map(move |j| Contact::Edges(i, j)));
        (0..n).map(Contact::Vertex).chain(edges).chain((0..m).map(Contact::Face)).collect()
    }

    /// Tests two ranges over a part of the motion.
    fn ranges(&mut self, a: usize, b: usize, span: Span) {
        if span.start() >= self.horizon {
            return;
        }
        let (moving, fixed) = (self.bodies.moving_tree.nodes[a], self.bodies.fixed_tree.nodes[b]);
        if moving.children.is_none() && fixed.children.is_none() {
            let pair = (self.bodies.moving_tree.polygon(&moving), self.bodies.fixed_tree.polygon(&fixed));
            return self.pair(pair, span, &self.all_contacts(pair));
        }
        self.out.counts.range_tests += 1;
        self.out.counts.depth = self.out.counts.depth.max(span.level);
        let metric = Metric::of_box(moving.centre, moving.half, RANGE_INFLATION);
        let ball = self.ball((true, a, span), &Map::identity(), &metric);
        let reach =
            ball.map_or(f64::INFINITY, |ball| (exact(root_above(box_rho2(RANGE_INFLATION))) * exact(ball.radius)).hi);
        if let Some(ball) = ball
            && let Some(normal) = plane_between(&moving, &fixed, &ball, reach)
        {
            return self.say(Step::Plane { radius: ball.recorded(), normal });
        }
        let (size_a, size_b) = (moving.size(), fixed.size());
        let limits = &self.options.limits;
        let halve_time = reach > 0.5 * size_a.max(size_b) && reach >= limits.delta_m && span.level < limits.max_level;
        match (moving.children, fixed.children) {
            _ if halve_time => {
                self.say(Step::Time { radius: 0.0, clear: Vec::new() });
                span.halves().into_iter().for_each(|half| self.ranges(a, b, half));
            }
            (Some(children), None) => {
                self.say(Step::Moving);
                children.into_iter().for_each(|a| self.ranges(a, b, span));
            }
            (Some(children), Some(_)) if size_a >= size_b => {
                self.say(Step::Moving);
                children.into_iter().for_each(|a| self.ranges(a, b, span));
            }
            (_, Some(children)) => {
                self.say(Step::Fixed);
                children.into_iter().for_each(|b| self.ranges(a, b, span));
            }
            (None, None) => {}
        }
    }

    /// Tests two polygons over a part of the motion; `open` are the contacts that are not excluded yet.
    fn pair(&mut self, (i, j): (usize, usize), span: Span, open: &[Contact]) {
        if span.start() >= self.horizon {
            return;
        }
        if let Some(candidates) = &mut self.candidates {
            return candidates.push((i, j, span));
        }
        let bodies = *self.bodies;
        let (face, fixed) = (&bodies.moving[i], &bodies.fixed[j]);
        self.out.counts.tests += 1;
        self.out.counts.depth = self.out.counts.depth.max(span.level);
        let limits = &self.options.limits;
        let ball = self.ball((false, i, span), &face.frame, &face.metric);
        let Some(ball) = ball else {
            if span.level < limits.max_level.min(MAX_LEVEL) {
                self.say(Step::Time { radius: 0.0, clear: Vec::new() });
                span.halves().into_iter().for_each(|half| self.pair((i, j), half, open));
            } else {
                self.give_up((i, j), span, open.to_vec());
            }
            return;
        };
        let (clear, left) = match try_pair(face, fixed, &ball, open, &|_| false) {
            Trial::Plane(normal) => return self.say(Step::Plane { radius: ball.recorded(), normal }),
            Trial::Apart { clear, normal } => {
                return self.say(Step::Apart { radius: ball.recorded(), clear, normal });
            }
            Trial::Left { clear, left } => (clear, left),
        };
        if ball.radius * face.rho_max < limits.delta_m || span.level >= limits.max_level {
            self.give_up((i, j), span, left);
        } else {
            self.say(Step::Time { radius: ball.recorded(), clear });
            span.halves().into_iter().for_each(|half| self.pair((i, j), half, &left));
        }
    }

    fn give_up(&mut self, (moving, fixed): (usize, usize), span: Span, contacts: Vec<Contact>) {
        self.out.possible.push(Possible { span, moving, fixed, contacts });
        if self.options.limits.first {
            self.horizon = self.horizon.min(span.start());
        }
    }
}

/// Returns a normal that keeps the moving box, under all displacements that move none of its points by more than
/// `reach`, beyond the fixed box.
fn plane_between(moving: &Node, fixed: &Node, ball: &Ball, reach: f64) -> Option<[f64; 3]> {
    let c = &ball.centre;
    let (e, at) = (c.e.map(|e| e.0.map(middle)), c.point(Vector::exact(moving.centre)).0.map(middle));
    let away: [f64; 3] = std::array::from_fn(|k| at[k] - fixed.centre[k]);
    let mut best: Option<(f64, [f64; 3])> = None;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], e[0], e[1], e[2], away];
    for axis in axes {
        let length = dot(axis, axis).sqrt();
        if !(length > 0.0) {
            continue;
        }
        let sign = if dot(axis, away) < 0.0 { -1.0 / length } else { 1.0 / length };
        let n = axis.map(|x| x * sign);
        let wide: f64 = (0..3).map(|k| moving.half[k] * dot(n, e[k]).abs() + fixed.half[k] * n[k].abs()).sum();
        let gap = dot(n, away) - wide - reach;
        if gap > best.map_or(0.0, |b| b.0) {
            best = Some((gap, n));
        }
    }
    // The normal was found with rounding; intervals verify it.
    let n = best?.1;
    let normal = Vector::exact(n);
    let size = |x: Enclosure| exact(x.lo.abs().max(x.hi.abs()));
    let away = c.point(Vector::exact(moving.centre)) - Vector::exact(fixed.centre);
    let mut gap = normal.dot(away);
    for k in 0..3 {
        gap = gap - exact(moving.half[k]) * size(normal.dot(c.e[k])) - exact(fixed.half[k]) * exact(n[k].abs());
    }
    let far = exact(reach) * exact(root_above(normal.norm2()));
    ((gap - far).lo > 0.0).then_some(n)
}
