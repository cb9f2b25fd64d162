//! `s2_bound`: boxes that contain each link during each sub-interval, and the model's tree of boxes over them, bottom
//! up (Redon et al. 2004, section 4.1).
//!
//! A link is contained in its line-swept sphere, whose two ends move within their pose bounds; so the hull of the ends'
//! boxes, enlarged by the radius, contains the link.

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::s1_concat::Poses;
use super::{ALL_SUBS, Piece, SUBS, Subs};
use crate::arith::linear::V3;
use crate::arith::rounding::{round_down, round_up};
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part, part3, put, widest};
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::separation::swept_box;
use crate::scene::world::{CollisionWorld, LinkGeometry};

/// Boxes in the order `[piece][node of the model's tree]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    /// Number of nodes of the model's tree.
    pub n_nodes: usize,
    /// Lowest coordinates, metres.
    pub lo: Vec<V3<Subs>>,
    /// Highest coordinates, metres.
    pub hi: Vec<V3<Subs>>,
}

/// The stage in f64.
pub fn reference(world: &CollisionWorld, pieces: &[Piece], poses: &Poses) -> Boxes {
    let mut out = Boxes::default();
    reference_in(&mut out, world, pieces, poses);
    out
}

/// Like [`reference()`], reusing the memory of an earlier result.
pub fn reference_in(out: &mut Boxes, world: &CollisionWorld, pieces: &[Piece], poses: &Poses) {
    out.n_nodes = world.model.n_nodes();
    out.lo.resize(pieces.len() * out.n_nodes, V3::default());
    out.hi.resize(pieces.len() * out.n_nodes, V3::default());
    for (i, piece) in pieces.iter().enumerate() {
        let of_piece = i * out.n_nodes..(i + 1) * out.n_nodes;
        let (lo, hi) = (&mut out.lo[of_piece.clone()], &mut out.hi[of_piece]);
        widest(Swept { world, poses: poses.piece(i), h: piece.half_sub(), groups: piece.groups(), lo, hi });
    }
}

/// The boxes of a single link in a single piece, in their place among those of all links; the others keep their values.
pub fn link_in(out: &mut Boxes, world: &CollisionWorld, piece: &Piece, poses: &Poses, link: u32) {
    out.n_nodes = world.model.n_nodes();
    out.lo.resize(out.n_nodes, V3::default());
    out.hi.resize(out.n_nodes, V3::default());
    let (at, h) = (link as usize, piece.half_sub());
    let bound = &poses.piece(0)[world.links[at].body as usize];
    let (link, groups) = (&world.links[at], piece.groups());
    widest(SweptLink { link, bound, h, groups, lo: &mut out.lo[at], hi: &mut out.hi[at] });
}

/// The boxes around the line-swept sphere of a link.
struct SweptLink<'a> {
    link: &'a LinkGeometry,
    bound: &'a PoseBound<Subs>,
    h: f64,
    /// Number of groups of eight sub-intervals.
    groups: usize,
    lo: &'a mut V3<Subs>,
    hi: &'a mut V3<Subs>,
}

impl Vectorised for SweptLink<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        for i in 0..self.groups {
            let (lowest, highest) = around(self.link, &PoseBound::<T>::part(self.bound, i), T::new(self.h));
            put3(self.lo, i, lowest);
            put3(self.hi, i, highest);
        }
    }
}

/// The box around the line-swept sphere of a link in a pose.
#[inline(always)]
fn around<T: Vector>(link: &LinkGeometry, bound: &PoseBound<T>, h: T) -> (V3<T>, V3<T>) {
    let (lss, reach) = (&link.lss, T::new(link.reach_m));
    let ends = [bound.point(V3::new(lss.a), reach), bound.point(V3::new(lss.b), reach)];
    swept_box(&ends, T::new(lss.radius), h)
}

/// The boxes around the line-swept spheres of all links, and those of the model's tree.
struct Swept<'a> {
    world: &'a CollisionWorld,
    poses: &'a [PoseBound<Subs>],
    h: f64,
    /// Number of groups of eight sub-intervals.
    groups: usize,
    lo: &'a mut [V3<Subs>],
    hi: &'a mut [V3<Subs>],
}

impl Vectorised for Swept<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { world, poses, h, groups, lo, hi } = self;
        for i in 0..groups {
            for (l, link) in world.links.iter().enumerate() {
                let bound = PoseBound::<T>::part(&poses[link.body as usize], i);
                let (lowest, highest) = around(link, &bound, T::new(h));
                put3(&mut lo[l], i, lowest);
                put3(&mut hi[l], i, highest);
            }
            for (k, &[a, b]) in world.model.children.iter().enumerate() {
                let (a, b, at) = (a as usize, b as usize, world.links.len() + k);
                let (lowest, highest): (V3<T>, V3<T>) =
                    (part3(&lo[a], i).min(part3(&lo[b], i)), part3(&hi[a], i).max(part3(&hi[b], i)));
                put3(&mut lo[at], i, lowest);
                put3(&mut hi[at], i, highest);
            }
        }
    }
}

/// Two boxes in all sub-intervals.
struct Overlap<'a> {
    a: [&'a V3<Subs>; 2],
    b: [&'a V3<Subs>; 2],
}

impl Vectorised for Overlap<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let mut apart = 0;
        for i in 0..SUBS / WIDTH {
            for axis in 0..3 {
                let side = |corner: &V3<Subs>| part::<T, SUBS>(&corner.0[axis], i);
                apart |= (side(self.a[0]).gt(side(self.b[1])) | side(self.b[0]).gt(side(self.a[1]))) << (i * WIDTH);
            }
        }
        ALL_SUBS & !apart
    }
}

#[inline(always)]
fn put3<T: Vector>(to: &mut V3<Subs>, i: usize, v: V3<T>) {
    for axis in 0..3 {
        put(&mut to.0[axis], i, v.0[axis]);
    }
}

/// The kernel.
#[cfg(feature = "gpu")]
pub const KERNEL: Kernel = kernel!("s2_bound", "boxes_of_links");

/// Number of values of a box on the device, for each sub-interval.
pub const BOX_FLOATS: usize = 6;

impl Boxes {
    /// The sub-intervals in which the boxes of two nodes overlap, in the piece with the given index, as a mask.
    pub fn overlap(&self, piece: usize, a: u32, b: u32) -> u32 {
        let [a, b] = [a, b].map(|node| piece * self.n_nodes + node as usize);
        widest(Overlap { a: [&self.lo[a], &self.hi[a]], b: [&self.lo[b], &self.hi[b]] })
    }

    /// The boxes as the kernels store them, rounded outward.
    pub fn to_device(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.lo.len() * BOX_FLOATS * SUBS);
        for (lo, hi) in self.lo.iter().zip(&self.hi) {
            out.extend(lo.0.iter().flat_map(|l| l.0.map(round_down)));
            out.extend(hi.0.iter().flat_map(|h| h.0.map(round_up)));
        }
        out
    }

    /// The boxes stored by the kernels.
    pub fn from_device(floats: &[f32], n_nodes: usize) -> Self {
        let mut out = Self { n_nodes, ..Self::default() };
        for one in floats.chunks_exact(BOX_FLOATS * SUBS) {
            let lane = |field: usize| Subs::from_fn(|k| f64::from(one[field * SUBS + k]));
            out.lo.push(V3([lane(0), lane(1), lane(2)]));
            out.hi.push(V3([lane(3), lane(4), lane(5)]));
        }
        out
    }
}
