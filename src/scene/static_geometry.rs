//! A scene prepared for queries: its triangles in the order of a tree, boxes around them, and the construction of both.
//!
//! Nothing is stored twice: the scene's triangles are permuted into the tree's order in place, and boxes are computed
//! from them when they are needed. In addition to its own 72 bytes, a triangle takes 24 bytes for its box and 8 for its
//! original index and its object; partly filled clusters and the tree add ten to twenty more.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, WIDTH as VECTOR};
use crate::bvh::tree::{ChildRef, WideTree};
#[cfg(feature = "formats")]
use crate::bvh::tree_cache;
use crate::error::{Result, quoted};
use crate::io::load::Watch;
use crate::predicate::separation::StaticTriangle;
use crate::robot::Triangle;
use crate::scene::solids::ObjectSolids;
use crate::scene::world::{MAX_COORDINATE_M, SCENE_LEAF, too_far};
use crate::scene::{Object, permute};
use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Maximum number of triangles for which one tree is built directly; larger scenes are divided into blocks.
const BLOCK: usize = 1 << 20;

/// Maximum number of triangles of a scene that is prepared by one thread: handing work to others takes longer.
pub const FEW_TRIANGLES: usize = 1 << 13;

/// Settings for building a scene's tree.
#[derive(Clone, Debug)]
pub struct SceneBuild {
    /// The file in which the tree is stored between runs; it need not exist.
    pub cache: Option<PathBuf>,
    /// Receives the number of triangles that are in the tree so far.
    pub watch: Watch,
    /// Maximum number of triangles for which one tree is built directly. Smaller blocks take less memory; a different
    /// tree changes the number of tests, not the answers.
    pub block: usize,
}

impl Default for SceneBuild {
    fn default() -> Self {
        Self { cache: None, watch: Watch::default(), block: BLOCK }
    }
}

/// A box in single precision that contains a set of triangles of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBox {
    /// Lowest coordinates, rounded down, metres.
    pub lo: [f32; 3],
    /// Highest coordinates, rounded up, metres.
    pub hi: [f32; 3],
}

/// The scene's triangles in tree order, and boxes around them.
#[derive(Clone, Debug)]
pub struct StaticGeometry {
    /// The objects of the scene.
    pub objects: Vec<Object>,
    /// The tree over its triangles; its leaves are the clusters.
    pub tree: WideTree,
    /// The boxes of the children of each node of the tree, side by side as for the triangles.
    pub boxes: Vec<Boxes>,
    /// For each child of each node of the tree, the lowest number of a triangle below it in the order of the files.
    pub lowest: Vec<[u32; VECTOR]>,
    /// The box of each cluster.
    pub cluster_boxes: Vec<SceneBox>,
    /// Index in `triangle_boxes` of the first box of each cluster.
    pub first_group: Vec<u32>,
    /// The boxes of the triangles, eight side by side, rounded outward. Every cluster begins with a new group of eight;
    /// the unused slots of a cluster's last group overlap nothing.
    pub triangle_boxes: Vec<Boxes>,
    /// The triangles in the order of the leaves, in local coordinates.
    pub triangles: Vec<Triangle>,
    /// The object of each triangle.
    pub object: Vec<u32>,
    /// Relative rounding error of the local coordinates: zero if the origin is the world's.
    pub shift_unit: f64,
    /// A warning about the tree's cache, if there is any.
    pub warning: Option<String>,
    solids: OnceLock<ObjectSolids>,
}

impl StaticGeometry {
    pub(super) fn new(
        objects: &[Object],
        mut triangles: Vec<Triangle>,
        origin_m: DVec3,
        build: SceneBuild,
    ) -> Result<Self> {
        if origin_m != DVec3::ZERO {
            match triangles.len() {
                ..=FEW_TRIANGLES => triangles.iter_mut().flatten().for_each(|v| *v -= origin_m),
                _ => triangles.par_iter_mut().flatten().for_each(|v| *v -= origin_m),
            }
        }
        let is_far = |v: &DVec3| v.abs().max_element() > MAX_COORDINATE_M;
        let any_is_far = |some: &[Triangle]| match some.len() {
            ..=FEW_TRIANGLES => some.iter().flatten().any(is_far),
            _ => some.par_iter().flatten().any(is_far),
        };
        for object in objects {
            let range = object.first_triangle as usize..(object.first_triangle + object.n_triangles) as usize;
            if any_is_far(&triangles[range]) {
                return Err(too_far(format!("object {}", quoted(&object.name))));
            }
        }
        let (tree, warning) = tree_of(&triangles, &build);
        permute(&mut triangles, &tree.order);
        let object_of = |i: u32| (objects.partition_point(|o| o.first_triangle <= i) as u32).saturating_sub(1);
        let object = collect(triangles.len(), |at| object_of(tree.order[at]));
        let leaves = 0..tree.n_leaves() as u32;
        let cluster_boxes = collect(tree.n_leaves(), |leaf| around(&triangles[tree.leaf(leaf as u32)]));
        let boxes = tree.bounds(|leaf| cluster_boxes[leaf as usize], SceneBox::join);
        let boxes = boxes.into_iter().map(boxes_side_by_side).collect();
        let lowest = tree.lowest();
        let shift_unit = if origin_m == DVec3::ZERO { 0.0 } else { 2.0 * f64::UNIT };
        let groups = |leaf: u32| tree.leaf(leaf).len().div_ceil(VECTOR);
        let mut triangle_boxes = Vec::with_capacity(leaves.clone().map(groups).sum());
        let mut first_group = Vec::with_capacity(tree.n_leaves());
        for leaf in leaves {
            first_group.push(triangle_boxes.len() as u32);
            triangle_boxes.extend(triangles[tree.leaf(leaf)].chunks(VECTOR).map(|some| {
                let mut boxes = [None; VECTOR];
                boxes.iter_mut().zip(some).for_each(|(b, t)| *b = Some(outward_box(t).into()));
                boxes_side_by_side(boxes)
            }));
        }
        Ok(Self {
            objects: objects.to_vec(),
            tree,
            boxes,
            lowest,
            cluster_boxes,
            first_group,
            triangle_boxes,
            triangles,
            object,
            shift_unit,
            warning,
            solids: OnceLock::new(),
        })
    }

    /// The objects as solids.
    pub fn solids(&self) -> &ObjectSolids {
        self.solids.get_or_init(|| ObjectSolids::new(self))
    }

    /// The children that a node of the tree has, as a mask.
    #[inline(always)]
    pub fn there(&self, node: u32) -> u32 {
        let mut there = 0;
        for (slot, child) in self.tree.nodes[node as usize].iter().enumerate() {
            there |= u32::from(*child != ChildRef::Empty) << slot;
        }
        there
    }

    /// A triangle (by position in tree order) in double precision, with the error of its local coordinates.
    #[inline]
    pub fn standing(&self, at: usize) -> StaticTriangle<f64> {
        let y = self.triangles[at];
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.abs().element_sum()));
        StaticTriangle { y: y.map(V3::new), error: self.shift_unit * size }
    }
}

impl StaticGeometry {
    /// One to eight triangles side by side, at the given offsets from position `first` in tree order. The last one is
    /// repeated in unused lanes.
    #[inline(always)]
    pub fn side_by_side<T: Vector>(&self, first: usize, places: &[u32]) -> StaticTriangle<T> {
        let mut y = [[[0.0; VECTOR]; 3]; 3];
        for lane in 0..VECTOR {
            let of = &self.triangles[first + places[lane.min(places.len() - 1)] as usize];
            for v in 0..3 {
                for axis in 0..3 {
                    y[v][axis][lane] = of[v][axis];
                }
            }
        }
        let y = y.each_ref().map(|v| V3([T::load(&v[0]), T::load(&v[1]), T::load(&v[2])]));
        let size = y[0].norm1().max(y[1].norm1()).max(y[2].norm1());
        StaticTriangle { y, error: size * T::new(self.shift_unit) }
    }
}

impl SceneBox {
    /// The box around two boxes.
    pub(crate) fn join(a: Self, b: Self) -> Self {
        // The functions of f32 also handle NaN, which takes several times as long.
        let (mut lo, mut hi) = (a.lo, a.hi);
        for i in 0..3 {
            lo[i] = if b.lo[i] < lo[i] { b.lo[i] } else { lo[i] };
            hi[i] = if b.hi[i] > hi[i] { b.hi[i] } else { hi[i] };
        }
        Self { lo, hi }
    }
}

/// The tree, read from its cache if possible, and a warning about the cache, if there is any.
fn tree_of(triangles: &[Triangle], build: &SceneBuild) -> (WideTree, Option<String>) {
    let bounds = |i: u32| outward_box(&triangles[i as usize]).map(Vec3A::from_array);
    let n = triangles.len() as u32;
    let built = || WideTree::build_in_blocks(n, bounds, SCENE_LEAF, build.block, &build.watch);
    #[cfg(feature = "formats")]
    if let Some(path) = &build.cache {
        return tree_cache::load_or_build(path, triangles, SCENE_LEAF, build.block, built);
    }
    (built(), None)
}

/// The values of `f` for `0..n`, computed on all threads if there are many.
fn collect<T: Send>(n: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    match n {
        ..=FEW_TRIANGLES => (0..n).map(f).collect(),
        _ => (0..n).into_par_iter().map(f).collect(),
    }
}

/// The box around the triangles of a cluster.
fn around(triangles: &[Triangle]) -> SceneBox {
    let nothing = SceneBox { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };
    triangles.iter().map(|t| outward_box(t).into()).fold(nothing, SceneBox::join)
}

impl From<[[f32; 3]; 2]> for SceneBox {
    fn from([lo, hi]: [[f32; 3]; 2]) -> Self {
        Self { lo, hi }
    }
}

/// Boxes side by side: lowest x, y, z, highest x, y, z. Aligned like [`Lanes`](crate::arith::lanes::Lanes).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Boxes(pub [[f32; VECTOR]; 6]);

/// Puts boxes side by side; an absent box overlaps nothing.
pub fn boxes_side_by_side(boxes: [Option<SceneBox>; VECTOR]) -> Boxes {
    let [none, nothing] = [f32::INFINITY, f32::NEG_INFINITY].map(|x| [x; 3]);
    let all = boxes.map(|b| b.unwrap_or(SceneBox { lo: none, hi: nothing }));
    Boxes(std::array::from_fn(|side| all.map(|b| if side < 3 { b.lo[side] } else { b.hi[side - 3] })))
}

/// The box of a triangle, rounded outward to single precision; it also covers the rounding of the shift to local
/// coordinates.
pub(super) fn outward_box(t: &Triangle) -> [[f32; 3]; 2] {
    let (lo, hi) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    // Rounding to nearest is off by at most half an ulp of f32, and the earlier f64 roundings are far smaller: one ulp
    // covers both.
    [lo.to_array().map(|x| (x as f32).next_down()), hi.to_array().map(|x| (x as f32).next_up())]
}
