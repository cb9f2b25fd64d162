//! `s5_pairs`: from a link and a cluster to pairs of triangles (Redon et al. 2004, section 5.1).
//!
//! Three steps, each clearing bits of the time mask, so many that the exact stage sees little else than contacts:
//! 1. `triangles`: each triangle of the cluster against the link's box;
//! 2. `links`: down the link's tree of line-swept spheres, each against the triangle's box and plane;
//! 3. `pairs`: each triangle of the leaf against the triangle, by separating axes with the link's motion (the paper's
//!    continuous overlap test), bisecting time: all marked sub-intervals at once, then halves, down to single ones (the
//!    paper's refinement levels) and to eight slices of one. The first slice that is not separated ends it: what comes later
//!    is left to the exact stage.
//!
//! Links that have a tree of oriented boxes (`World::obbs`) go down that instead of steps 1 and 2 (`s5_pairs/obb.rs`).

mod obb;

use super::s1_concat::{Poses, SPANS};
use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate, Piece, SLICES, SLICES_PER_PIECE, SUBS, Subs, TrianglePair};
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::model::obb_tree::ObbTree;
use crate::model::tree::{ChildRef, WIDTH};
use crate::model::world::{LinkShape, World};
use crate::numeric::linear::V3;
use crate::numeric::meeting::triangles_meet;
use crate::numeric::pose_bound::{PointBound, PoseBound};
use crate::numeric::real::Real;
use crate::numeric::separation::{StandingTriangle, boxes_miss, swept_box, swept_misses_plane, triangle_misses};
use serde::Serialize;

/// For each motion the slice (counted from the motion's start) before whose end a contact is certain; `u32::MAX` if none
/// is known. Sub-intervals that start later do not matter.
pub type Limits = Vec<u32>;

/// What the stage takes in. The candidates of a piece and link follow one another, or it is slow.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Robot and scene; links that have a tree of oriented boxes in it are searched by that.
    pub world: &'a World,
    /// The pieces.
    pub pieces: &'a [Piece],
    /// Their pose bounds.
    pub poses: &'a Poses,
    /// Their boxes.
    pub boxes: &'a Boxes,
    /// Which links may touch which clusters.
    pub candidates: &'a [Candidate],
}

/// What a search for pairs took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairCounts {
    /// Tests of a bounding volume of a link: a line-swept sphere against a triangle, or two oriented boxes over one interval.
    pub bound_tests: u64,
    /// Pairs of triangles that came to step `pairs`.
    pub triangle_tests: u64,
}

impl PairCounts {
    /// Adds another search's.
    pub fn add(&mut self, other: Self) {
        self.bound_tests += other.bound_tests;
        self.triangle_tests += other.triangle_tests;
    }
}

/// The stage in f64: [`search`] without its counts.
pub fn reference(
    world: &World,
    pieces: &[Piece],
    poses: &Poses,
    boxes: &Boxes,
    candidates: &[Candidate],
    limits: Option<&mut Limits>,
    cap: usize,
) -> Option<Vec<TrianglePair>> {
    search(&Input { world, pieces, poses, boxes, candidates }, limits, cap).0
}

/// The stage in f64.
///
/// With `limits` given, certain contacts lower them, and sub-intervals beyond are left out: which pairs of such
/// sub-intervals still come out depends on the order of work, so whoever uses the pairs has to [`clip`] them to the limits.
///
/// Gives no pairs if there would be more than `cap`.
pub fn search(input: &Input, limits: Option<&mut Limits>, cap: usize) -> (Option<Vec<TrianglePair>>, PairCounts) {
    let mut found = Found { pairs: Vec::new(), limits, cap, counts: PairCounts::default() };
    let mut groups = input.candidates.chunk_by(|a, b| (a.piece, a.link) == (b.piece, b.link));
    let fits = groups.all(|group| search_link(input, group, &mut found).is_some());
    (fits.then_some(found.pairs), found.counts)
}

/// The same for every link against the whole scene, by trees of oriented boxes alone; `scene` is the scene's. What stands in
/// the candidates does not matter. Gives no pairs, either, if a link has no tree.
pub fn search_scene(
    input: &Input,
    scene: &ObbTree,
    limits: Option<&mut Limits>,
    cap: usize,
) -> (Option<Vec<TrianglePair>>, PairCounts) {
    let mut found = Found { pairs: Vec::new(), limits, cap, counts: PairCounts::default() };
    let links = 0..input.world.links.len() as u32;
    let mut all = (0..input.pieces.len() as u32).flat_map(|p| links.clone().map(move |link| (p, link)));
    let fits = all.all(|(p, link)| {
        let mut moving = MovingLink::new(input, p, link);
        search_boxes(input, (p, link), obb::Meets::Scene(scene), &mut moving, &mut found).flatten().is_some()
    });
    (fits.then_some(found.pairs), found.counts)
}

/// The candidates of one piece and link; nothing if there are too many pairs.
fn search_link(input: &Input, group: &[Candidate], found: &mut Found) -> Option<()> {
    let world = input.world;
    let Some(&Candidate { piece: p, link, .. }) = group.iter().find(|c| c.stands()) else { return Some(()) };
    let mut moving = MovingLink::new(input, p, link);
    if let Some(done) = search_boxes(input, (p, link), obb::Meets::Candidates(group), &mut moving, found) {
        return done;
    }
    let (shape, link_box) = (moving.shape, link_box(input, p, link));
    let mut open = Vec::new();
    let standing = group.iter().filter(|c| c.stands());
    let triangles = standing.flat_map(|c| c.triangles(world).map(|y| (y, c.mask)));
    for (y, mask) in triangles.filter(|&(y, _)| !world.is_allowed(link, y)) {
        let tri = world.scene.standing(y);
        let tri_box = tri.bounds();
        let mask = mask & !boxes_miss(&link_box, &tri_box);
        open.extend((mask != 0).then_some((0u32, mask)));
        while let Some((node, mask)) = open.pop() {
            for (slot, child) in shape.tree.nodes[node as usize].iter().enumerate() {
                found.counts.bound_tests += u64::from(*child != ChildRef::Empty);
                let mask = mask & !moving.child_misses(node, slot, mask, &tri, &tri_box);
                match *child {
                    _ if mask == 0 => {}
                    ChildRef::Empty => {}
                    ChildRef::Node(n) => open.push((n, mask)),
                    ChildRef::Leaf(leaf) => {
                        for x in shape.tree.leaf(leaf) {
                            found.try_pair(&mut moving, x, y, (&tri, &tri_box), mask)?;
                        }
                    }
                }
            }
        }
    }
    Some(())
}

/// By oriented boxes, if the link has a tree of them; then nothing inside if there are too many pairs.
fn search_boxes(
    input: &Input,
    (p, link): (u32, u32),
    meets: obb::Meets,
    moving: &mut MovingLink,
    found: &mut Found,
) -> Option<Option<()>> {
    let trees = input.world.obbs.as_ref()?;
    let tree = trees.links[link as usize].as_ref()?;
    let balls = input.poses.balls(p as usize, moving.shape.body as usize);
    let group = obb::Group { world: input.world, trees, tree, link, meets, balls, boxes: link_box(input, p, link) };
    Some(obb::search(&group, moving, found))
}

/// The boxes around a link during a piece.
fn link_box(input: &Input, p: u32, link: u32) -> (V3<Subs>, V3<Subs>) {
    let at = p as usize * input.boxes.n_nodes + link as usize;
    (input.boxes.lo[at], input.boxes.hi[at])
}

/// The pairs found so far.
struct Found<'a> {
    pairs: Vec<TrianglePair>,
    limits: Option<&'a mut Limits>,
    cap: usize,
    counts: PairCounts,
}

impl Found<'_> {
    /// The limit of a piece's motion.
    fn limit(&self, piece: &Piece) -> u32 {
        self.limits.as_ref().map_or(u32::MAX, |l| l[piece.motion as usize])
    }

    /// Step `pairs`: keeps triangle `x` of the link and `y` of the scene, with its box, if they are not proved apart during
    /// the sub-intervals of the mask. Nothing if there are too many pairs.
    fn try_pair(
        &mut self,
        moving: &mut MovingLink,
        x: usize,
        y: usize,
        (tri, tri_box): (&StandingTriangle<f64>, &(V3<f64>, V3<f64>)),
        mask: u32,
    ) -> Option<()> {
        self.counts.triangle_tests += 1;
        let (piece, balls, piece_link) = (moving.piece, moving.balls, moving.piece_link);
        let mask = mask & piece.mask_until(self.limit(piece));
        let triangle = moving.triangle(x);
        let mask = mask & !boxes_miss(&triangle.in_box, tri_box);
        let block = Block { points: &triangle.points, h: piece.half_sub(), balls };
        let pair = Refinement { x: block, tri };
        let Some((mask, slice)) = pair.run(mask) else { return Some(()) };
        if let Some(limits) = self.limits.as_deref_mut()
            && pair.meets_in_slice(mask.trailing_zeros(), slice)
        {
            let found = piece.index * SLICES_PER_PIECE + mask.trailing_zeros() * SLICES + slice;
            let limit = &mut limits[piece.motion as usize];
            *limit = found.min(*limit);
        }
        if self.pairs.len() == self.cap {
            return None;
        }
        self.pairs.push(TrianglePair {
            piece_link,
            link_triangle: x as u32,
            scene_triangle: y as u32,
            mask_slice: mask | slice << SUBS,
        });
        Some(())
    }
}

/// Takes out the sub-intervals that start after the motions' limits, and the pairs that have no other.
pub fn clip(pairs: &mut Vec<TrianglePair>, pieces: &[Piece], limits: &Limits, n_links: usize) {
    pairs.retain_mut(|pair| {
        let piece = &pieces[pair.piece_link as usize / n_links];
        let beyond = ALL_SUBS & !piece.mask_until(limits[piece.motion as usize]);
        pair.mask_slice &= !beyond;
        pair.mask() != 0
    });
}

/// Moving points during a piece, as blocks of sub-intervals see them.
#[derive(Clone, Copy)]
struct Block<'a, const N: usize> {
    points: &'a [PointBound<Subs>; N],
    /// Half the length of a sub-interval.
    h: f64,
    /// The balls for [`SPANS`] sub-intervals.
    balls: [f64; SPANS.len()],
}

impl<const N: usize> Block<'_, N> {
    /// The points from sub-interval `i` to sub-interval `j`, bounded by the jet of a middle one, and the half width.
    fn subs(&self, i: u32, j: u32) -> ([PointBound<f64>; N], f64) {
        let (m, len) = (((i + j) / 2 + (i + j) % 2) as usize, f64::from(j - i + 1));
        let level = SPANS.iter().position(|&s| (j - i) < s as u32).unwrap_or(SPANS.len() - 1);
        // The jet's own middle lies at the block's middle, or half a sub-interval after it.
        let shift = if (i + j).is_multiple_of(2) { 0.0 } else { -self.h };
        (self.shifted(m, self.balls[level], shift, (len + 1.0) * self.h), len * self.h)
    }

    /// The points during a slice of a sub-interval, and the half width.
    fn slice(&self, sub: u32, slice: u32) -> ([PointBound<f64>; N], f64) {
        let shift = (f64::from(2 * slice + 1) / f64::from(SLICES) - 1.0) * self.h;
        (self.shifted(sub as usize, self.balls[0], shift, self.h), self.h / f64::from(SLICES))
    }

    fn shifted(&self, sub: usize, ball: f64, shift: f64, h: f64) -> [PointBound<f64>; N] {
        let pick = |v: &V3<Subs>| V3([v.0[0].0[sub], v.0[1].0[sub], v.0[2].0[sub]]);
        self.points.each_ref().map(|p| {
            let c = [pick(&p.c[0]), pick(&p.c[1]), pick(&p.c[2])];
            PointBound { c, ball, cube: pick(&p.cube) }.shifted(shift, h)
        })
    }
}

/// A link during a piece: its points are bounded when they are first needed.
struct MovingLink<'a> {
    piece: &'a Piece,
    /// Number of the link among those of all pieces.
    piece_link: u32,
    shape: &'a LinkShape,
    bound: &'a PoseBound<Subs>,
    balls: [f64; SPANS.len()],
    h: f64,
    children: Vec<Option<Box<Moving<2>>>>,
    triangles: Vec<Option<Box<Moving<3>>>>,
}

/// Points of a link, and the box around them and what they carry, in each sub-interval.
struct Moving<const N: usize> {
    points: [PointBound<Subs>; N],
    in_box: (V3<Subs>, V3<Subs>),
}

impl<'a> MovingLink<'a> {
    fn new(input: &Input<'a>, p: u32, link: u32) -> Self {
        let (piece, shape) = (&input.pieces[p as usize], &input.world.links[link as usize]);
        let bound = &input.poses.piece(p as usize)[shape.body as usize];
        let balls = input.poses.balls(p as usize, shape.body as usize).map(|[c, slope]| c + slope * shape.reach_m);
        let piece_link = p * input.world.links.len() as u32 + link;
        let children = std::iter::repeat_with(|| None).take(shape.tree.nodes.len() * WIDTH).collect();
        let triangles = std::iter::repeat_with(|| None).take(shape.triangles.len()).collect();
        Self { piece, piece_link, shape, bound, balls, h: piece.half_sub(), children, triangles }
    }

    /// Sub-intervals of `mask` in which a child of a node of the link's tree misses a triangle; all if there is no child.
    fn child_misses(
        &mut self,
        node: u32,
        slot: usize,
        mask: u32,
        tri: &StandingTriangle<f64>,
        tri_box: &(V3<f64>, V3<f64>),
    ) -> u32 {
        let Some(lss) = self.shape.bounds[node as usize][slot] else { return mask };
        let (shape, bound, h) = (self.shape, self.bound, self.h);
        let child = self.children[node as usize * WIDTH + slot].get_or_insert_with(|| {
            let points = [lss.a, lss.b].map(|e| bound.point(V3::new(e), Subs::new(shape.reach_m)));
            let in_box = swept_box(&points, Subs::new(lss.radius), Subs::new(h));
            Box::new(Moving { points, in_box })
        });
        let left = mask & !boxes_miss(&child.in_box, tri_box);
        if left == 0 {
            return mask;
        }
        let block = Block { points: &child.points, h, balls: self.balls };
        let (ends, h) = block.subs(left.trailing_zeros(), left.ilog2());
        if swept_misses_plane(&ends, lss.radius, tri, h) != 0 { mask } else { mask & !left }
    }

    /// A triangle of the link.
    fn triangle(&mut self, x: usize) -> &Moving<3> {
        let (shape, bound, h) = (self.shape, self.bound, Subs::new(self.h));
        self.triangles[x].get_or_insert_with(|| {
            let points = shape.triangles[x].map(|e| bound.point(V3::new(e), Subs::new(shape.reach_m)));
            let ranges = [points[0].range(h), points[1].range(h), points[2].range(h)];
            let lo = ranges[0].0.min(ranges[1].0).min(ranges[2].0);
            let hi = ranges[0].1.max(ranges[1].1).max(ranges[2].1);
            Box::new(Moving { points, in_box: (lo, hi) })
        })
    }
}

/// A triangle of the link and one of the scene, during a piece.
struct Refinement<'a> {
    x: Block<'a, 3>,
    tri: &'a StandingTriangle<f64>,
}

impl Refinement<'_> {
    /// Step `pairs`: the mask from the first sub-interval on that is not proved free, and its first slice that is not; or
    /// nothing. Blocks of 16, 8, 4, 2 and 1 sub-intervals are tried, the largest that is aligned first.
    fn run(&self, mut mask: u32) -> Option<(u32, u32)> {
        let (mut at, mut len) = (0, SUBS as u32);
        while at < SUBS as u32 {
            let block = mask & (((1 << len) - 1) << at);
            if block == 0 || self.misses(self.x.subs(block.trailing_zeros(), block.ilog2())) {
                mask &= !block;
                at += len;
                len = 1 << at.trailing_zeros().min(4);
            } else if len > 1 {
                len /= 2;
            } else if let Some(slice) = (0..SLICES).find(|&s| !self.misses(self.x.slice(at, s))) {
                return Some((mask, slice));
            } else {
                mask &= !block;
                at += 1;
                len = 1 << at.trailing_zeros().min(4);
            }
        }
        None
    }

    fn misses(&self, (x, h): ([PointBound<f64>; 3], f64)) -> bool {
        triangle_misses(&x, self.tri, h, 1) != 0
    }

    /// Whether the triangles certainly meet in the middle of a slice.
    fn meets_in_slice(&self, sub: u32, slice: u32) -> bool {
        triangles_meet(&self.x.slice(sub, slice).0, self.tri) != 0
    }
}

const SOURCE: &str = include_str!("../../wgsl/s5_pairs.wgsl");

/// The kernel of step `triangles`.
pub const TRIANGLES: Kernel = Kernel {
    stem: "s5_pairs",
    source: SOURCE,
    entry: "triangles",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(2, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(4, "boxes", Access::Read, Slot::Boxes),
        bind(5, "clusters", Access::Read, Slot::Clusters),
        bind(6, "candidates", Access::Read, Slot::Candidates),
        bind(7, "allowed", Access::Read, Slot::Allowed),
        bind(8, "items", Access::ReadWrite, Slot::Items),
    ],
    has_pass: true,
};

/// The kernel of step `links`: one level of the links' trees.
pub const LINKS: Kernel = Kernel {
    entry: "links",
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "moving", Access::Read, Slot::Moving),
        bind(2, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(4, "poses", Access::Read, Slot::Poses),
        bind(5, "link_nodes", Access::Read, Slot::LinkNodes),
        bind(6, "leaf_items", Access::ReadWrite, Slot::LeafItems),
        bind(8, "items", Access::ReadWrite, Slot::Items),
    ],
    ..TRIANGLES
};

/// The kernel of step `pairs`.
pub const PAIRS: Kernel = Kernel {
    entry: "pairs",
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "moving", Access::Read, Slot::Moving),
        bind(2, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(4, "poses", Access::Read, Slot::Poses),
        bind(5, "link_triangles", Access::Read, Slot::LinkTriangles),
        bind(6, "leaf_items", Access::ReadWrite, Slot::LeafItems),
        bind(7, "found_pairs", Access::ReadWrite, Slot::Pairs),
    ],
    ..TRIANGLES
};
