//! `s5_pairs`: from a link and a cluster to pairs of triangles (Redon et al. 2004, section 5.1).
//!
//! Three steps, each clearing bits of the time mask, so many that the exact stage sees little else than contacts:
//! 1. `triangles`: each triangle of the cluster against the link's box;
//! 2. `links`: down the link's tree of line-swept spheres, each against the triangle's box and plane;
//! 3. `pairs`: each triangle of the leaf against the triangle, by separating axes with the link's motion (the paper's
//!    continuous overlap test), bisecting time: all marked sub-intervals at once, then halves, down to single ones (the
//!    paper's refinement levels) and to eight slices of one. The first slice that is not separated ends it: what comes later
//!    is left to the exact stage.

use super::s1_concat::{Poses, SPANS};
use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate, Piece, SUBS, Subs, TrianglePair};
use crate::model::tree::{ChildRef, WIDTH};
use crate::model::world::{LinkShape, World};
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::{PointBound, PoseBound};
use crate::numeric::real::Real;
use crate::numeric::separation::{StandingTriangle, boxes_miss, swept_box, swept_misses_plane, triangle_misses};

/// Slices of a sub-interval.
pub const SLICES: usize = 8;

/// The stage in f64. The candidates of a piece and link follow one another, or it is slow.
pub fn reference(
    world: &World,
    pieces: &[Piece],
    poses: &Poses,
    boxes: &Boxes,
    candidates: &[Candidate],
) -> Vec<TrianglePair> {
    let mut out = Vec::new();
    let mut open = Vec::new();
    for group in candidates.chunk_by(|a, b| (a.piece, a.link) == (b.piece, b.link)) {
        let Candidate { piece: p, link, .. } = group[0];
        let (piece, shape) = (&pieces[p as usize], &world.links[link as usize]);
        let mut moving = MovingLink::new(shape, &poses.piece(p as usize)[shape.body as usize], piece.half_sub());
        let balls = poses.balls(p as usize, shape.body as usize).map(|[c, slope]| c + slope * shape.reach_m);
        let at = p as usize * boxes.n_nodes + link as usize;
        let link_box = (boxes.lo[at], boxes.hi[at]);
        let triangles = group.iter().flat_map(|c| world.scene.tree.leaf(c.cluster).map(|y| (y, c.mask)));
        for (y, mask) in triangles.filter(|&(y, _)| !world.is_allowed(link, y)) {
            let standing = world.scene.standing(y);
            let tri = in_lanes(&standing);
            let tri_box = tri.bounds();
            let mask = mask & !boxes_miss(&link_box, &tri_box);
            open.extend((mask != 0).then_some((0u32, mask)));
            while let Some((node, mask)) = open.pop() {
                for (slot, child) in shape.tree.nodes[node as usize].iter().enumerate() {
                    let mask = mask & !moving.child_misses(node, slot, &tri, &tri_box);
                    match *child {
                        _ if mask == 0 => {}
                        ChildRef::Empty => {}
                        ChildRef::Node(n) => open.push((n, mask)),
                        ChildRef::Leaf(leaf) => out.extend(shape.tree.leaf(leaf).filter_map(|x| {
                            let h = piece.half_sub();
                            let pair = Refinement { x: moving.triangle(x), tri: &standing, h, balls };
                            let mask_slice = pair.run(mask)?;
                            Some(TrianglePair {
                                piece_link: p * world.links.len() as u32 + link,
                                link_triangle: x as u32,
                                scene_triangle: y as u32,
                                mask_slice,
                            })
                        })),
                    }
                }
            }
        }
    }
    out
}

/// A link during a piece: its points are bounded when they are first needed.
struct MovingLink<'a> {
    shape: &'a LinkShape,
    bound: &'a PoseBound<Subs>,
    h: Subs,
    children: Vec<Option<Box<MovingChild>>>,
    triangles: Vec<Option<Box<[PointBound<Subs>; 3]>>>,
}

struct MovingChild {
    ends: [PointBound<Subs>; 2],
    radius: Subs,
    in_box: (V3<Subs>, V3<Subs>),
}

impl<'a> MovingLink<'a> {
    fn new(shape: &'a LinkShape, bound: &'a PoseBound<Subs>, h: f64) -> Self {
        let children = std::iter::repeat_with(|| None).take(shape.tree.nodes.len() * WIDTH).collect();
        let triangles = std::iter::repeat_with(|| None).take(shape.triangles.len()).collect();
        Self { shape, bound, h: Subs::new(h), children, triangles }
    }

    fn point(&self, e: glam::DVec3) -> PointBound<Subs> {
        self.bound.point(V3::new(e), Subs::new(self.shape.reach_m))
    }

    /// Sub-intervals in which a child of a node of the link's tree misses a triangle; all if there is no child.
    fn child_misses(
        &mut self,
        node: u32,
        slot: usize,
        tri: &StandingTriangle<Subs>,
        tri_box: &(V3<Subs>, V3<Subs>),
    ) -> u32 {
        let Some(lss) = self.shape.bounds[node as usize][slot] else { return u32::MAX };
        let at = node as usize * WIDTH + slot;
        if self.children[at].is_none() {
            let ends = [self.point(lss.a), self.point(lss.b)];
            let radius = Subs::new(lss.radius);
            self.children[at] = Some(Box::new(MovingChild { ends, radius, in_box: swept_box(&ends, radius, self.h) }));
        }
        let Some(child) = &self.children[at] else { return 0 };
        let apart = boxes_miss(&child.in_box, tri_box);
        if apart & ALL_SUBS == ALL_SUBS {
            apart
        } else {
            apart | swept_misses_plane(&child.ends, child.radius, tri, self.h)
        }
    }

    /// The vertices of a triangle of the link.
    fn triangle(&mut self, x: usize) -> &[PointBound<Subs>; 3] {
        let (shape, bound) = (self.shape, self.bound);
        self.triangles[x].get_or_insert_with(|| {
            Box::new(shape.triangles[x].map(|e| bound.point(V3::new(e), Subs::new(shape.reach_m))))
        })
    }
}

/// A triangle of the link and one of the scene, during a piece.
struct Refinement<'a> {
    x: &'a [PointBound<Subs>; 3],
    tri: &'a StandingTriangle<f64>,
    h: f64,
    /// The balls for [`SPANS`] sub-intervals.
    balls: [f64; SPANS.len()],
}

impl Refinement<'_> {
    /// Step `pairs`: the mask from the first sub-interval on that is not proved free, and its first slice that is not; or
    /// nothing. Blocks of 16, 8, 4, 2 and 1 sub-intervals are tried, the largest that is aligned first.
    fn run(&self, mut mask: u32) -> Option<u32> {
        let (mut at, mut len) = (0, SUBS as u32);
        while at < SUBS as u32 {
            let block = mask & (((1 << len) - 1) << at);
            if block == 0 || self.misses(block.trailing_zeros(), 31 - block.leading_zeros()) {
                mask &= !block;
                at += len;
                len = 1 << at.trailing_zeros().min(4);
            } else if len > 1 {
                len /= 2;
            } else if let Some(slice) = (0..SLICES as u32).find(|&s| !self.misses_in_slice(at, s)) {
                return Some(mask | slice << SUBS);
            } else {
                mask &= !block;
                at += 1;
                len = 1 << at.trailing_zeros().min(4);
            }
        }
        None
    }

    /// Whether the triangles are proved apart from sub-interval `i` to sub-interval `j`, from the jet of a middle one.
    fn misses(&self, i: u32, j: u32) -> bool {
        let (m, len) = (((i + j) / 2 + (i + j) % 2) as usize, f64::from(j - i + 1));
        let level = SPANS.iter().position(|&s| (j - i) < s as u32).unwrap_or(SPANS.len() - 1);
        // The jet's own middle lies at the block's middle, or half a sub-interval after it.
        let shift = if (i + j) % 2 == 0 { 0.0 } else { -self.h };
        let x = self.x.each_ref().map(|p| in_lane(p, m, self.balls[level]).shifted(shift, (len + 1.0) * self.h));
        triangle_misses(&x, self.tri, len * self.h, 1) != 0
    }

    fn misses_in_slice(&self, sub: u32, slice: u32) -> bool {
        let shift = (2.0 * f64::from(slice) + 1.0 - SLICES as f64) / SLICES as f64 * self.h;
        let x = self.x.each_ref().map(|p| in_lane(p, sub as usize, self.balls[0]).shifted(shift, self.h));
        triangle_misses(&x, self.tri, self.h / SLICES as f64, 1) != 0
    }
}

/// The bound of a point in one sub-interval, with another ball.
fn in_lane(p: &PointBound<Subs>, sub: usize, ball: f64) -> PointBound<f64> {
    let pick = |v: &V3<Subs>| V3([v.0[0].0[sub], v.0[1].0[sub], v.0[2].0[sub]]);
    PointBound { c: [pick(&p.c[0]), pick(&p.c[1]), pick(&p.c[2])], ball, cube: pick(&p.cube) }
}

fn in_lanes(t: &StandingTriangle<f64>) -> StandingTriangle<Subs> {
    StandingTriangle { y: t.y.map(|v| V3(v.0.map(Real::new))), error: Real::new(t.error) }
}
