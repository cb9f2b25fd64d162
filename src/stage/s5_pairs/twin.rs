//! The kernels of `wgsl/s5_pairs.wgsl` in f64: the same steps and the same queues, one entry at a time. The kernels are
//! validated against it, and `--reference s5_pairs` runs it. The production code of the CPU backend is
//! [`search`](super::search).

use super::{Input, Limits};
use crate::arith::linear::V3;
use crate::bvh::tree::{ChildRef, WIDTH};
use crate::enclosure::point_bound::PointBound;
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::closeness::closeness;
use crate::predicate::moving_box::MovingBox;
use crate::predicate::obb_overlap::moving_range;
use crate::predicate::piercing::triangles_meet;
use crate::predicate::separation::{StaticTriangle, triangle_misses};
use crate::scene::world::{CollisionWorld, LinkGeometry};
use crate::stage::layout::LinkItem;
use crate::stage::s1_concat::{Balls, DEVICE_SPANS};
use crate::stage::{ALL_SUBS, Candidate, Piece, SLICES, SUBS, TrianglePair};

/// Number of sub-intervals of a candidate above which its link hardly moves, so that the candidate belongs to one phase
/// as a whole.
const MIN_STATIC_SUBS: u32 = 12;

/// Runs the steps phase after phase. Certain contacts lower `limits`, if given.
///
/// `None` if there are more than `cap` pairs.
pub fn reference(
    input: &Input,
    mut limits: Option<&mut Limits>,
    n_phases: u32,
    cap: usize,
) -> Option<Vec<TrianglePair>> {
    let n_phases = if limits.is_some() { n_phases.max(1) } else { 1 };
    let mut pairs = Vec::new();
    for phase in 0..n_phases {
        let mut level = seed(input, limits.as_deref(), phase, n_phases);
        let mut leaf_items = Vec::new();
        while !level.is_empty() {
            level = descend_links(input, &level, &mut leaf_items);
        }
        let triangles = test_leaves(input, &leaf_items);
        let parts = test_pairs(input, limits.as_deref(), &triangles);
        refine_pairs(input, limits.as_deref_mut(), &parts, &mut pairs);
        if pairs.len() > cap {
            return None;
        }
    }
    super::join(&mut pairs, 0);
    Some(pairs)
}

/// A link in a piece.
struct Moving<'a> {
    piece: &'a Piece,
    shape: &'a LinkGeometry,
    bound: &'a PoseBound<crate::stage::Subs>,
    balls: Balls,
    h: f64,
    margin_m: f64,
}

impl<'a> Moving<'a> {
    fn new(input: &Input<'a>, piece_link: u32) -> Self {
        let n_links = input.world.links.len() as u32;
        let (p, link) = ((piece_link / n_links) as usize, piece_link % n_links);
        let (piece, shape) = (&input.pieces[p], &input.world.links[link as usize]);
        let bound = &input.poses.piece(p)[shape.body as usize];
        let balls = input.poses.balls(p, shape.body as usize);
        Self { piece, shape, bound, balls, h: piece.half_sub(), margin_m: input.poses.margin_m }
    }

    /// The pose in a sub-interval, with the ball for a number of sub-intervals.
    fn pose(&self, sub: u32, ball: [f64; 2]) -> PoseBound<f64> {
        self.bound.lane(sub as usize).with_ball(ball)
    }

    fn points(&self, pose: &PoseBound<f64>, triangle: u32) -> [PointBound<f64>; 3] {
        self.shape.triangles[triangle as usize].map(|e| pose.point(V3::new(e), self.shape.reach_m))
    }

    /// The vertices of a triangle from sub-interval `i` to sub-interval `j`, about the middle of that time.
    fn block(&self, i: u32, j: u32, triangle: u32) -> [PointBound<f64>; 3] {
        let ball = self.balls[DEVICE_SPANS[if i == j { 0 } else { 1 + usize::from(j - i >= 4) }]];
        let points = self.points(&self.pose((i + j).div_ceil(2), ball), triangle);
        // The middle sub-interval is centred on the block, or half a sub-interval after its centre.
        let shift = if (i + j) % 2 == 1 { -self.h } else { 0.0 };
        points.map(|p| p.shifted(shift, f64::from(j - i + 2) * self.h))
    }

    /// The vertices of a triangle in a half of a sub-interval, about the middle of the half.
    fn half(&self, sub: u32, half: u32, triangle: u32) -> [PointBound<f64>; 3] {
        let points = self.points(&self.pose(sub, self.balls[0]), triangle);
        points.map(|p| p.shifted(self.h * (f64::from(half) - 0.5), self.h))
    }

    /// The oriented box of a child of a node over all marked sub-intervals.
    fn block_box(&self, marked: u32, child: u32) -> MovingBox<f64> {
        let (i, j) = (marked.trailing_zeros(), marked.ilog2());
        let obb = self.shape.boxes[child as usize / WIDTH].lane(child as usize % WIDTH);
        let ball = self.balls[DEVICE_SPANS[if i == j { 0 } else { 1 + usize::from(j - i >= 4) }]];
        // If the middle sub-interval is not centred on the block, the box covers a longer time.
        let h = f64::from(j - i + 1 + (i + j) % 2) * self.h;
        MovingBox::new(&self.pose((i + j).div_ceil(2), ball), &obb, h)
    }

    /// Returns whether a triangle is proved to stay more than the margin from a static one over `|τ| <= h`: by boxes,
    /// by axes, and with a margin by the difference of their nearest points.
    fn misses(&self, points: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>, h: f64) -> bool {
        let [(lo0, hi0), (lo1, hi1), (lo2, hi2)] = [points[0].range(h), points[1].range(h), points[2].range(h)];
        let (lo, hi) = (lo0.min(lo1).min(lo2), hi0.max(hi1).max(hi2));
        let (tri_lo, tri_hi) = tri.bounds();
        (0..3).any(|i| lo.0[i] > tri_hi.0[i] || tri_lo.0[i] > hi.0[i])
            || triangle_misses(points, tri, h, 1) != 0
            || self.margin_m > 0.0 && closeness(points, tri, h, self.margin_m).beyond != 0
    }

    /// Returns whether a triangle is certainly within the margin of a static one, or meets it, at the middle time.
    fn touches(&self, points: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>) -> bool {
        if self.margin_m == 0.0 {
            return triangles_meet(points, tri) != 0;
        }
        let own = |x: &PointBound<f64>| PointBound {
            ball: (x.ball - self.margin_m).max(0.0) + 4.0 * f64::EPSILON * x.ball,
            ..*x
        };
        closeness(points, tri, 0.0, self.margin_m).within != 0
            || triangles_meet(&[own(&points[0]), own(&points[1]), own(&points[2])], tri) != 0
    }

    /// The sub-intervals of `marked` in which a child of a node may overlap a static box.
    fn overlapping_subs(&self, child: u32, marked: u32, (lo, hi): (V3<f64>, V3<f64>)) -> u32 {
        let obb = self.shape.boxes[child as usize / WIDTH].lane(child as usize % WIDTH);
        let overlaps = |sub: &u32| {
            let (a, b) = moving_range(&self.pose(*sub, self.balls[0]), &obb, self.h);
            (0..3).all(|axis| a.0[axis] <= hi.0[axis] && lo.0[axis] <= b.0[axis])
        };
        subs(marked).filter(overlaps).fold(0, |mask, sub| mask | 1 << sub)
    }
}

/// The sub-intervals of a mask.
fn subs(mask: u32) -> impl Iterator<Item = u32> {
    (0..SUBS as u32).filter(move |sub| mask >> sub & 1 != 0)
}

/// The sub-intervals of a piece up to its motion's cutoff.
fn mask_until_cutoff(piece: &Piece, limits: Option<&Limits>) -> u32 {
    limits.map_or(ALL_SUBS, |limits| piece.mask_until(limits[piece.motion as usize]))
}

/// The sub-intervals of a piece in a phase. Phases are equal parts of the motion; a group of sub-intervals belongs to
/// the phase in which it starts.
fn mask_of_phase(piece: &Piece, group: u32, phase: u32, n_phases: u32) -> u32 {
    // 2h is a power of two.
    let all = (0.5 / piece.half_sub()).min(f64::from(1u32 << 31)) as u32;
    let (per_phase, first) = ((all / n_phases).max(1), piece.index * SUBS as u32);
    let starts_at = |phase: u32| ((phase * per_phase).max(first) - first).div_ceil(group) * group;
    let end = if phase + 1 < n_phases { starts_at(phase + 1).min(SUBS as u32) } else { SUBS as u32 };
    subs(ALL_SUBS).filter(|sub| (starts_at(phase)..end).contains(sub)).fold(0, |mask, sub| mask | 1 << sub)
}

fn seed(input: &Input, limits: Option<&Limits>, phase: u32, n_phases: u32) -> Vec<LinkItem> {
    let start = |c: &Candidate| {
        let piece_link = c.piece * input.world.links.len() as u32 + c.link;
        let piece = &input.pieces[c.piece as usize];
        let group = if c.mask.count_ones() > MIN_STATIC_SUBS { SUBS as u32 } else { 1 };
        let mask = c.mask & mask_of_phase(piece, group, phase, n_phases) & mask_until_cutoff(piece, limits);
        let leaf = input.world.scene.tree.leaf(c.cluster).enumerate();
        let tested = leaf.filter(|&(i, y)| c.triangles >> i & 1 != 0 && !input.world.is_allowed(c.link, y));
        let triangles = tested.fold(0, |mask, (i, _)| mask | 1 << i);
        let item = LinkItem { piece_link, link_ref: 0, scene_ref: c.cluster, mask, triangles };
        (mask != 0 && triangles != 0).then_some(item)
    };
    input.candidates.iter().filter_map(start).collect()
}

fn descend_links(input: &Input, level: &[LinkItem], leaf_items: &mut Vec<LinkItem>) -> Vec<LinkItem> {
    let mut next = Vec::new();
    for item in level {
        let moving = Moving::new(input, item.piece_link);
        let leaf_box = input.world.scene.cluster_boxes[item.scene_ref as usize];
        let leaf_box = (V3(leaf_box.lo.map(f64::from)), V3(leaf_box.hi.map(f64::from)));
        for (slot, child) in moving.shape.tree.nodes[item.link_ref as usize].iter().enumerate() {
            let place = item.link_ref * WIDTH as u32 + slot as u32;
            if *child == ChildRef::Empty {
                continue;
            }
            let mask = moving.overlapping_subs(place, item.mask, leaf_box);
            let is_apart = || moving.block_box(mask, place).misses_box(leaf_box.0, leaf_box.1) != 0;
            match child {
                _ if mask == 0 || is_apart() => {}
                ChildRef::Node(node) => next.push(LinkItem { link_ref: *node, mask, ..*item }),
                ChildRef::Leaf(_) => leaf_items.push(LinkItem { link_ref: place, mask, ..*item }),
                ChildRef::Empty => {}
            }
        }
    }
    next
}

fn test_leaves(input: &Input, leaf_items: &[LinkItem]) -> Vec<LinkItem> {
    let test = |item: &LinkItem| {
        let moving = Moving::new(input, item.piece_link);
        let leaf = input.world.scene.tree.leaf(item.scene_ref);
        let around = moving.block_box(item.mask, item.link_ref);
        let (mut near, mut mask) = (0, 0);
        for (i, y) in leaf.enumerate().filter(|(i, _)| item.triangles >> i & 1 != 0) {
            let tri = input.world.scene.standing(y);
            let subs = moving.overlapping_subs(item.link_ref, item.mask, tri.bounds());
            if subs != 0 && around.misses_triangle(&tri) == 0 {
                near |= 1 << i;
                mask |= subs;
            }
        }
        (near != 0).then_some(LinkItem { triangles: near, mask, ..*item })
    };
    leaf_items.iter().filter_map(test).collect()
}

/// The pairs of triangles that may touch in the marked sub-intervals: `link_ref` and `scene_ref` are triangles.
fn test_pairs(input: &Input, limits: Option<&Limits>, leaves: &[LinkItem]) -> Vec<LinkItem> {
    let mut parts = Vec::new();
    for item in leaves {
        let moving = Moving::new(input, item.piece_link);
        let mask = item.mask & mask_until_cutoff(moving.piece, limits);
        if mask == 0 {
            continue;
        }
        let (first, last) = (mask.trailing_zeros(), mask.ilog2());
        let (node, slot) = (item.link_ref as usize / WIDTH, item.link_ref as usize % WIDTH);
        let ChildRef::Leaf(leaf) = moving.shape.tree.nodes[node][slot] else { continue };
        for x in moving.shape.tree.leaf(leaf) {
            let points = moving.block(first, last, x as u32);
            let scene_leaf = input.world.scene.tree.leaf(item.scene_ref).enumerate();
            for (_, y) in scene_leaf.filter(|(i, _)| item.triangles >> i & 1 != 0) {
                let h = f64::from(last - first + 1) * moving.h;
                if !moving.misses(&points, &input.world.scene.standing(y), h) {
                    parts.push(LinkItem { link_ref: x as u32, scene_ref: y as u32, mask, ..*item });
                }
            }
        }
    }
    parts
}

fn refine_pairs(input: &Input, mut limits: Option<&mut Limits>, parts: &[LinkItem], pairs: &mut Vec<TrianglePair>) {
    for part in parts {
        let moving = Moving::new(input, part.piece_link);
        let mask = part.mask & mask_until_cutoff(moving.piece, limits.as_deref());
        let (mask, slice) = refine(input.world, &moving, part, mask, limits.as_deref_mut());
        if mask != 0 {
            pairs.push(TrianglePair {
                piece_link: part.piece_link,
                link_triangle: part.link_ref,
                scene_triangle: part.scene_ref,
                mask_slice: mask | slice << SUBS,
            });
        }
    }
}

/// Bisects time: tests the first aligned block of marked sub-intervals, then shorter and shorter blocks, then halves of
/// a single sub-interval. Returns the remaining sub-intervals, and the first remaining slice in the first of them.
fn refine(
    world: &CollisionWorld,
    moving: &Moving,
    part: &LinkItem,
    marked: u32,
    mut limits: Option<&mut Limits>,
) -> (u32, u32) {
    let tri = world.scene.standing(part.scene_ref as usize);
    let aligned = |at: u32| if at == 0 { SUBS as u32 } else { 1 << at.trailing_zeros().min(4) };
    let (mut left, mut first_slice, mut open) = (marked, 0, marked);
    let mut len = aligned(open.trailing_zeros());
    while open != 0 {
        let at = open.trailing_zeros();
        let block = open & ((1u32 << len) - 1) << at;
        let last = block.ilog2();
        let points = moving.block(at, last, part.link_ref);
        let mut is_free = moving.misses(&points, &tri, f64::from(last - at + 1) * moving.h);
        if !is_free && last != at {
            len = 1 << (last - at).ilog2();
            continue;
        }
        open &= !block;
        if !is_free {
            let mut halves = (0..2).map(|half| (half, moving.half(at, half, part.link_ref)));
            let touching = halves.find(|(_, points)| !moving.misses(points, &tri, 0.5 * moving.h));
            is_free = touching.is_none();
            if let Some((half, points)) = touching {
                let slice = half * (SLICES / 2);
                if at == left.trailing_zeros() {
                    first_slice = slice;
                }
                if let Some(limits) = limits.as_deref_mut() {
                    let limit = &mut limits[moving.piece.motion as usize];
                    if moving.touches(&points, &tri) {
                        // They touch at the middle of the half, the end of this slice.
                        let now = (moving.piece.index * SUBS as u32 + at) * SLICES + slice + SLICES / 4 - 1;
                        *limit = now.min(*limit);
                    }
                    open &= moving.piece.mask_until(*limit);
                }
            }
        }
        if is_free {
            left &= !block;
        }
        len = aligned(open.trailing_zeros());
    }
    (left, first_slice)
}
