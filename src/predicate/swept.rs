//! Proofs that a moving line-swept sphere and a static triangle stay apart over a short time interval.
//!
//! **The cell.** The ends of the sphere's segment move within quadratics `q_a(τ), q_b(τ)`, a ball `B` and a cube around
//! them. A point of the segment is at each time the same convex combination of both ends, so during `|τ| <= h`
//!
//! ```text
//! swept volume  ⊂  conv{ q_a(τ), q_b(τ) : |τ| <= h }  ⊕  ball(r + B)  ⊕  cube
//! ```
//!
//! which is contained in the rounded tetrahedron `conv{a ± h a', b ± h b'} ⊕ ball(r + ½h²A + B)`, and is tighter: along
//! an axis the acceleration counts with its sign.
//!
//! **The proof** is a separating axis, as in [`separation`](super::separation), whose rounding argument applies to the
//! projections here: at most ten roundings (the gap is one difference more) of the sixteen that are allowed for. The
//! gap `g` along `n` proves the two apart if `g > |n| ρ`. No root is needed for that: with both sides positive it is
//! `g² > (n·n) ρ²`. Of these products `g²` is at most one unit too large, and the right side, six roundings, less than
//! eight too small: `16 UNIT` covers both. The effect of underflow is below [`Real::UNDERFLOW`], which is added to each
//! factor of the right side and to their product.
//!
//! **The axes** are the possible directions between the nearest points of a segment and a triangle at rest, scaled so
//! that no quotient is needed, and products with the segment's path: the normal; segment × edges; from a vertex
//! perpendicular to the segment; from an end perpendicular to an edge; from vertices to ends; path × edges; segment ×
//! path.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::separation::{ROUNDINGS, StaticTriangle, extent, powers, sizes};

/// Length above which axes are not used, because their squares would exceed the range of f32.
const LONGEST_AXIS: f64 = 1e8;

/// The component of `p` perpendicular to `d`, times `d·d`.
#[inline(always)]
fn across<T: Real>(p: V3<T>, d: V3<T>) -> V3<T> {
    p.times(d.dot(d)) - d.times(d.dot(p))
}

/// Lanes in which a line-swept sphere, whose ends move within `ends`, is proved to miss a static triangle over
/// `|τ| <= h`.
///
/// `wanted` contains the lanes that matter: the search stops when they are all proved.
#[inline(always)]
pub fn swept_misses<T: Real>(ends: &[PointBound<T>; 2], radius: T, tri: &StaticTriangle<T>, h: T, wanted: u32) -> u32 {
    let (h, half_hh) = powers(h);
    let y = [tri.y[1] - tri.y[0], tri.y[2] - tri.y[0]];
    let d = [ends[0].c[0] - tri.y[0], ends[1].c[0] - tri.y[0]];
    let cube = ends[0].cube.max(ends[1].cube);
    let grow = radius * T::new(1.0 + ROUNDINGS * T::UNIT) + sizes(&d, ends, tri, h, half_hh);
    let grow2 = grow * grow + T::new(T::UNDERFLOW);
    let segment = d[1] - d[0];
    let way = ends[0].c[1] + ends[1].c[1];
    let edges = [y[0], y[1] - y[0], -y[1]];
    let corners = [V3::zero(), y[0], y[1]];
    let mut apart = 0;
    for i in 0..5 {
        // Axes are tested at a single place, so that the test can be inlined.
        let axes = match i {
            0 => [y[0].cross(y[1]); 6],
            4 => {
                let last = segment.cross(way);
                [last, way.cross(edges[0]), way.cross(edges[1]), way.cross(edges[2]), last, last]
            }
            _ => {
                let (edge, from_a, from_b) = (edges[i - 1], corners[i - 1] - d[0], corners[i - 1] - d[1]);
                [
                    segment.cross(edge),
                    across(from_a, segment),
                    across(from_a, edge),
                    across(from_b, edge),
                    from_a,
                    from_b,
                ]
            }
        };
        for n in &axes[..[1, 6, 6, 6, 4][i]] {
            apart |= separates(*n, &d, ends, &y, (&cube, grow2), (h, half_hh));
            if apart & wanted == wanted {
                return apart;
            }
        }
    }
    apart
}

/// Lanes in which the gap along `n` is larger than the radius plus all uncertainty, whose square is `grow2`.
#[inline(always)]
fn separates<T: Real>(
    n: V3<T>,
    d: &[V3<T>; 2],
    ends: &[PointBound<T>; 2],
    y: &[V3<T>; 2],
    (cube, grow2): (&V3<T>, T),
    (h, half_hh): (T, T),
) -> u32 {
    let (zero, underflow) = (T::new(0.0), T::new(T::UNDERFLOW));
    let (e1, e2) = (n.dot(y[0]), n.dot(y[1]));
    let (a_lo, a_hi) = extent(n, d[0], &ends[0], h, half_hh);
    let (b_lo, b_hi) = extent(n, d[1], &ends[1], h, half_hh);
    let above = a_lo.min(b_lo) - zero.max(e1).max(e2);
    let below = zero.min(e1).min(e2) - a_hi.max(b_hi);
    let gap = above.max(below) - (n.abs().dot(*cube) * T::new(1.0 + ROUNDINGS * T::UNIT) + underflow);
    let needed = (n.dot(n) + underflow) * grow2 * T::new(1.0 + ROUNDINGS * T::UNIT) + underflow;
    gap.gt(zero) & (gap * gap).gt(needed) & T::new(LONGEST_AXIS).gt(n.norm1())
}
