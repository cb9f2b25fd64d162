//! `s3_cull`: the model's tree of boxes against the scene's tree (Redon et al. 2004, section 4.1), all sub-intervals of
//! a piece simultaneously.
//!
//! A work item is a node of the model's tree against a node or cluster of the scene's tree, with the mask of
//! sub-intervals in which their ancestors' boxes overlap. To process an item, its model node is tested against the
//! children of its scene node; pairs that still overlap become items one level deeper on both sides, or a [`Candidate`]
//! if both are leaves. The kernel processes the items level by level, the reference depth first: the set of candidates
//! is the same up to the rounding of the boxes.

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::layout::NodePair;
use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate, Piece, SUBS};
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part, widest};
use crate::bvh::tree::ChildRef;
use crate::predicate::separation::plane_misses_box;
use crate::scene::world::{CollisionWorld, SceneBox};

/// Number of levels that the kernel needs; each level descends one step in both trees.
pub fn max_levels(world: &CollisionWorld) -> usize {
    world.scene.tree.depth + world.model.depth + 1
}

/// The stage in f64: the candidates of a piece and link are consecutive.
pub fn reference(world: &CollisionWorld, pieces: &[Piece], boxes: &Boxes) -> Vec<Candidate> {
    let mut space = Workspace::default();
    reference_in(&mut space, world, pieces, boxes);
    space.candidates
}

/// The reusable memory of the stage.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The candidates found.
    pub candidates: Vec<Candidate>,
    /// Pending items, each with the triangles that may touch if it has a cluster.
    open: Vec<(NodePair, u32)>,
    /// Candidates in the order in which they were found, and the start of those of each link.
    mixed: Vec<Candidate>,
    starts: Vec<u32>,
    /// The nodes of the model's tree that are needed, in the whole piece.
    around: Vec<InPiece>,
}

/// A node of the model's tree in a whole piece.
#[derive(Clone, Copy, Debug)]
struct InPiece {
    /// The lowest and highest coordinates of the box around it.
    lo: [f64; 3],
    hi: [f64; 3],
    /// True if the box is hardly larger than in the first sub-interval, so that the sub-intervals would decide little.
    is_still: bool,
}

/// Largest growth of the box around a node that [`InPiece::is_still`], as a share of the sum of its sides.
const STILL: f64 = 0.125;

/// Like [`reference()`], reusing memory.
pub fn reference_in(space: &mut Workspace, world: &CollisionWorld, pieces: &[Piece], boxes: &Boxes) {
    traverse(space, world, pieces, boxes, false);
}

/// The form of [`reference_in`] that the CPU backend uses: boxes of the model that hardly move are tested in the whole
/// piece only, and clusters that are larger than a box of the model are also tested by their triangles. The box of a
/// cluster of large triangles (walls, floors) may contain the robot although no triangle is near; this is detected once
/// for the whole robot, then for its halves, not for every node of every link.
pub fn cull_in(space: &mut Workspace, world: &CollisionWorld, pieces: &[Piece], boxes: &Boxes) {
    traverse(space, world, pieces, boxes, true);
}

/// Adds the candidates of one link in a single piece, for the sub-intervals in `mask`; clusters larger than the link
/// are also tested by their triangles.
pub fn link_in(space: &mut Workspace, world: &CollisionWorld, boxes: &Boxes, link: u32, mask: u32, groups: usize) {
    if world.scene.tree.nodes.is_empty() {
        return;
    }
    let root = NodePair { model_node: link, mask, ..root(world, 0) };
    widest(Traversal { world, boxes, root, groups, space, by_triangles: true });
}

fn traverse(space: &mut Workspace, world: &CollisionWorld, pieces: &[Piece], boxes: &Boxes, by_triangles: bool) {
    space.candidates.clear();
    if world.model.n_nodes() == 0 || world.scene.tree.nodes.is_empty() {
        return;
    }
    for (index, piece) in pieces.iter().enumerate() {
        let first = space.candidates.len();
        let root = NodePair { mask: piece.mask(), ..root(world, index as u32) };
        widest(Traversal { world, boxes, root, groups: piece.groups(), space, by_triangles });
        by_link(space, first, world.links.len());
    }
}

/// Groups the candidates by link, starting with the candidate `first`.
fn by_link(Workspace { candidates, mixed, starts, .. }: &mut Workspace, first: usize, n_links: usize) {
    mixed.clear();
    mixed.extend_from_slice(&candidates[first..]);
    starts.clear();
    starts.resize(n_links + 1, 0);
    mixed.iter().for_each(|c| starts[c.link as usize + 1] += 1);
    (1..=n_links).for_each(|link| starts[link] += starts[link - 1]);
    for c in mixed {
        let at = &mut starts[c.link as usize];
        candidates[first + *at as usize] = *c;
        *at += 1;
    }
}

/// The traversal of a piece, depth first: the eight children of a node of the scene's tree are tested against a box of
/// the model in the whole piece, then those that overlap against its boxes in all sub-intervals.
struct Traversal<'a> {
    world: &'a CollisionWorld,
    boxes: &'a Boxes,
    root: NodePair,
    /// Number of groups of eight sub-intervals.
    groups: usize,
    space: &'a mut Workspace,
    /// True if the triangles of large clusters are also tested.
    by_triangles: bool,
}

impl Vectorised for Traversal<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { world, boxes, root, groups, space: Workspace { candidates, open, around, .. }, by_triangles } = self;
        let first = root.piece as usize * boxes.n_nodes;
        // A leaf of the model's tree has no nodes below it.
        let is_leaf = world.model.children_of(root.model_node).is_none();
        let lowest = if is_leaf { root.model_node as usize } else { 0 };
        around.clear();
        for node in first + lowest..=first + root.model_node as usize {
            around.push(in_piece::<T>(boxes, node, groups));
        }
        open.push((root, u32::MAX));
        while let Some((item, of_item)) = open.pop() {
            let InPiece { lo, hi, is_still } = &around[item.model_node as usize - lowest];
            let only;
            let children = match ChildRef::decode(item.scene_ref) {
                ChildRef::Empty => continue,
                ChildRef::Node(node) => SceneChildren::of(world, node),
                ChildRef::Leaf(cluster) => {
                    only = single(world, cluster);
                    SceneChildren { sides: &only.0, refs: &only.1, all: 1 }
                }
            };
            let mut near = children.near::<T>(lo, hi);
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                let mut mask = item.mask;
                if !(by_triangles && *is_still) {
                    mask &= children.subs::<T>(slot, boxes, first + item.model_node as usize, groups);
                    if mask == 0 {
                        continue;
                    }
                }
                let mut triangles = of_item;
                if let (true, ChildRef::Leaf(cluster)) = (by_triangles, children.refs[slot])
                    && scene_side(children.sides, slot) > model_side(lo, hi)
                {
                    triangles = near_triangles::<T>(world, cluster, triangles, [lo, hi]);
                }
                if triangles == 0 {
                    continue;
                }
                let scene_ref = children.refs[slot].encode();
                match (world.model.children_of(item.model_node), children.refs[slot]) {
                    (Some(below), _) => {
                        open.extend(
                            below.map(|model_node| (NodePair { model_node, scene_ref, mask, ..item }, triangles)),
                        );
                    }
                    (None, ChildRef::Leaf(cluster)) => {
                        let (piece, link) = (item.piece, item.model_node);
                        candidates.push(Candidate { piece, link, cluster, mask, triangles });
                    }
                    (None, _) => open.push((NodePair { scene_ref, mask, ..item }, triangles)),
                }
            }
        }
    }
}

/// A node of the model's tree in a whole piece.
#[inline(always)]
fn in_piece<T: Vector>(boxes: &Boxes, node: usize, groups: usize) -> InPiece {
    let (mut lo, mut hi) = ([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        let (l, h) = (&boxes.lo[node].0[axis], &boxes.hi[node].0[axis]);
        let l: Lanes<WIDTH> = Real::min(part::<T, SUBS>(l, 0), part(l, groups - 1)).store();
        let h: Lanes<WIDTH> = Real::max(part::<T, SUBS>(h, 0), part(h, groups - 1)).store();
        lo[axis] = reduced(l.0, Real::min);
        hi[axis] = reduced(h.0, Real::max);
    }
    let at_start = [&boxes.lo[node], &boxes.hi[node]].map(|corner| corner.0.each_ref().map(|side| side.0[0]));
    let sides = model_side(&lo, &hi);
    InPiece { lo, hi, is_still: sides - model_side(&at_start[0], &at_start[1]) < STILL * sides }
}

/// Combines eight numbers by halves.
#[inline(always)]
fn reduced([a, b, c, d, e, f, g, h]: [f64; WIDTH], pair: impl Fn(f64, f64) -> f64) -> f64 {
    let [a, b, c, d] = [pair(a, e), pair(b, f), pair(c, g), pair(d, h)];
    pair(pair(a, c), pair(b, d))
}

/// The children of a node of the scene's tree.
struct SceneChildren<'a> {
    /// The boxes, side by side: their lowest coordinates, then the highest.
    sides: &'a [[f32; WIDTH]; 6],
    refs: &'a [ChildRef; WIDTH],
    /// The children that exist, as a mask.
    all: u32,
}

/// A cluster in place of the children of a node, in every slot.
#[inline(always)]
fn single(world: &CollisionWorld, cluster: u32) -> ([[f32; WIDTH]; 6], [ChildRef; WIDTH]) {
    let SceneBox { lo, hi } = world.scene.cluster_boxes[cluster as usize];
    let [x, y, z] = lo.map(|side| [side; WIDTH]);
    let [u, v, w] = hi.map(|side| [side; WIDTH]);
    ([x, y, z, u, v, w], [ChildRef::Leaf(cluster); WIDTH])
}

impl<'a> SceneChildren<'a> {
    #[inline(always)]
    fn of(world: &'a CollisionWorld, node: u32) -> Self {
        let scene = &world.scene;
        Self { sides: &scene.boxes[node as usize].0, refs: &scene.tree.nodes[node as usize], all: (1 << WIDTH) - 1 }
    }

    /// The children whose boxes overlap with a box.
    #[inline(always)]
    fn near<T: Vector>(&self, lo: &[f64; 3], hi: &[f64; 3]) -> u32 {
        let mut near = self.all;
        for axis in 0..3 {
            let (from, to) = (T::widen(&self.sides[axis]), T::widen(&self.sides[3 + axis]));
            near &= !(T::new(lo[axis]).gt(to) | from.gt(T::new(hi[axis])));
        }
        near
    }

    /// The sub-intervals in which the box of a child overlaps with a box of the model.
    #[inline(always)]
    fn subs<T: Vector>(&self, slot: usize, boxes: &Boxes, node: usize, groups: usize) -> u32 {
        let mut mask = ALL_SUBS;
        for axis in 0..3 {
            let sides = [self.sides[axis][slot], self.sides[3 + axis][slot]];
            let [from, to] = [T::new(f64::from(sides[0])), T::new(f64::from(sides[1]))];
            for i in 0..groups {
                let (lo, hi): (T, T) = (part(&boxes.lo[node].0[axis], i), part(&boxes.hi[node].0[axis], i));
                mask &= !((lo.gt(to) | from.gt(hi)) << (i * WIDTH));
            }
        }
        mask
    }
}

/// The sum of the sides of a box of the scene, metres.
#[inline(always)]
fn scene_side(sides: &[[f32; WIDTH]; 6], slot: usize) -> f64 {
    let side = |axis: usize| f64::from(sides[3 + axis][slot]) - f64::from(sides[axis][slot]);
    side(0) + side(1) + side(2)
}

/// The sum of the sides of a box of the model, metres.
#[inline(always)]
fn model_side(lo: &[f64; 3], hi: &[f64; 3]) -> f64 {
    (hi[0] - lo[0]) + (hi[1] - lo[1]) + (hi[2] - lo[2])
}

/// The subset of some triangles of a cluster that a box of the model may touch in the whole piece.
#[inline(always)]
fn near_triangles<T: Vector>(world: &CollisionWorld, cluster: u32, triangles: u32, sides: [&[f64; 3]; 2]) -> u32 {
    let (scene, mut left) = (&world.scene, triangles);
    let first = scene.first_group[cluster as usize] as usize;
    let [lo, hi] = sides.map(|corner| V3([T::new(corner[0]), T::new(corner[1]), T::new(corner[2])]));
    let in_cluster = scene.tree.leaf(cluster);
    for at in 0..in_cluster.len().div_ceil(WIDTH) {
        let boxes = &scene.triangle_boxes[first + at].0;
        let mut near = left >> (at * WIDTH) & ((1 << WIDTH) - 1);
        for axis in 0..3 {
            near &= !(lo.0[axis].gt(T::widen(&boxes[3 + axis])) | T::widen(&boxes[axis]).gt(hi.0[axis]));
        }
        if near != 0 {
            let some = (in_cluster.len() - at * WIDTH).min(WIDTH);
            let places: [u32; WIDTH] = std::array::from_fn(|lane| (at * WIDTH + lane.min(some - 1)) as u32);
            near &= !plane_misses_box(&scene.side_by_side::<T>(in_cluster.start, &places[..some]), lo, hi);
        }
        left = left & !(((1 << WIDTH) - 1) << (at * WIDTH)) | near << (at * WIDTH);
    }
    // Bits beyond the last triangle were set.
    left & (u32::MAX >> (u32::BITS - in_cluster.len() as u32))
}

/// Every link against every cluster, with `clusters` their number: replaces the stage if it is disabled.
pub fn everything(world: &CollisionWorld, clusters: u32, pieces: &[Piece]) -> Vec<Candidate> {
    let of = |piece: u32, link: u32| {
        let mask = pieces[piece as usize].mask();
        (0..clusters).map(move |cluster| Candidate { piece, link, cluster, mask, triangles: u32::MAX })
    };
    let links = world.links.len() as u32;
    (0..pieces.len() as u32).flat_map(|piece| (0..links).flat_map(move |link| of(piece, link))).collect()
}

/// The kernel of the first level's items.
#[cfg(feature = "gpu")]
pub const ROOTS: Kernel = kernel!("s3_cull", "roots");
/// The kernel of one level.
#[cfg(feature = "gpu")]
pub const KERNEL: Kernel = kernel!("s3_cull", "traverse");

/// The first item of a piece: the root of the model's tree against the root of the scene's.
fn root(world: &CollisionWorld, piece: u32) -> NodePair {
    let model_node = (world.model.n_nodes() as u32).saturating_sub(1);
    NodePair { piece, model_node, scene_ref: ChildRef::Node(0).encode(), mask: ALL_SUBS }
}
