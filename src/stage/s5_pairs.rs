//! `s5_pairs`: from a link and a cluster to pairs of triangles (Redon et al. 2004, section 5.1).
//!
//! Four steps, each clearing bits of the time mask, so many that the exact stage sees little else than contacts:
//! 1. `triangles`: each triangle of the cluster against the link's box;
//! 2. `links`: down the link's tree of line-swept spheres, each against the triangle;
//! 3. `pairs`: each triangle of the leaf against the triangle, by separating axes with the link's motion (the paper's
//!    continuous overlap test; the sub-intervals are its refinement levels);
//! 4. `slices`: bisection in time: eight slices of the first remaining sub-interval; if all are separated the next.

use super::s1_concat::Poses;
use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate, Piece, SUBS, Subs, TrianglePair};
use crate::model::tree::ChildRef;
use crate::model::world::World;
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PointBound;
use crate::numeric::real::Real;
use crate::numeric::separation::{StandingTriangle, lss_misses, triangle_misses};

/// Slices of a sub-interval.
pub const SLICES: usize = 8;

/// The stage in f64.
pub fn reference(
    world: &World,
    pieces: &[Piece],
    poses: &Poses,
    boxes: &Boxes,
    candidates: &[Candidate],
) -> Vec<TrianglePair> {
    let mut out = Vec::new();
    let mut open = Vec::new();
    for c in candidates {
        let (piece, shape) = (&pieces[c.piece as usize], &world.links[c.link as usize]);
        let bound = &poses.piece(c.piece as usize)[shape.body as usize];
        let (reach, h) = (Subs::new(shape.reach_m), Subs::new(piece.half_sub()));
        for y in world.scene.tree.leaf(c.cluster) {
            if world.is_allowed(c.link, y) {
                continue;
            }
            let standing = world.scene.standing(y);
            let tri = in_lanes(&standing);
            let mask = c.mask & !box_misses(boxes, c, &tri);
            if mask == 0 {
                continue;
            }
            open.push((0u32, mask));
            while let Some((node, mask)) = open.pop() {
                for (child, lss) in shape.tree.nodes[node as usize].iter().zip(&shape.bounds[node as usize]) {
                    let Some(lss) = lss else { continue };
                    let ends = [lss.a, lss.b].map(|e| bound.point(V3::new(e), reach));
                    let mask = mask & !lss_misses(&ends, Subs::new(lss.radius), &tri, h);
                    match *child {
                        _ if mask == 0 => {}
                        ChildRef::Empty => {}
                        ChildRef::Node(n) => open.push((n, mask)),
                        ChildRef::Leaf(leaf) => {
                            for x in shape.tree.leaf(leaf) {
                                let points = shape.triangles[x].map(|e| bound.point(V3::new(e), reach));
                                if let Some(mask_slice) = refine(&points, &standing, &tri, piece.half_sub(), mask) {
                                    out.push(TrianglePair {
                                        piece_link: c.piece * world.links.len() as u32 + c.link,
                                        link_triangle: x as u32,
                                        scene_triangle: y as u32,
                                        mask_slice,
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    out
}

/// Sub-intervals in which the link's box misses the triangle's.
fn box_misses(boxes: &Boxes, c: &Candidate, tri: &StandingTriangle<Subs>) -> u32 {
    let at = c.piece as usize * boxes.n_nodes + c.link as usize;
    let (lo, hi) = tri.bounds();
    (0..3).fold(0, |apart, i| apart | boxes.lo[at].0[i].gt(hi.0[i]) | lo.0[i].gt(boxes.hi[at].0[i]))
}

/// Steps `pairs` and `slices`: the remaining sub-intervals and the first remaining slice, or nothing.
fn refine(
    x: &[PointBound<Subs>; 3],
    standing: &StandingTriangle<f64>,
    tri: &StandingTriangle<Subs>,
    h: f64,
    mask: u32,
) -> Option<u32> {
    let mut mask = mask & !triangle_misses(x, tri, Subs::new(h), mask);
    let tri = in_lanes(standing);
    while mask != 0 {
        let sub = mask.trailing_zeros() as usize;
        let slices = x.each_ref().map(|p| slices(p, sub, h));
        let all = (1u32 << SLICES) - 1;
        let apart = triangle_misses(&slices, &tri, Real::new(h / SLICES as f64), all) & all;
        if apart != all {
            return Some(mask & ALL_SUBS | apart.trailing_ones() << SUBS);
        }
        mask &= mask - 1;
    }
    None
}

/// The bound of a point in one sub-interval, seen from the middles of the slices.
fn slices(p: &PointBound<Subs>, sub: usize, h: f64) -> PointBound<Lanes<SLICES>> {
    let pick = |v: V3<Subs>| V3(v.0.map(|x| Real::new(x.0[sub])));
    let shift = Lanes::from_fn(|i| (2.0 * i as f64 + 1.0 - SLICES as f64) / SLICES as f64 * h);
    PointBound { c: p.c.map(pick), ball: Real::new(p.ball.0[sub]), cube: pick(p.cube) }.shifted(shift, Real::new(h))
}

fn in_lanes<const N: usize>(t: &StandingTriangle<f64>) -> StandingTriangle<Lanes<N>> {
    StandingTriangle { y: t.y.map(|v| V3(v.0.map(Real::new))), error: Real::new(t.error) }
}
