//! Links and objects as solids: the connected components of their triangles, and the closed ones among their surfaces.
//!
//! A solid is prepared when its box first overlaps another one at the start of a motion. The box of a component is that
//! of its extreme vertices, which represent it: without contact, either all vertices of a component are inside a closed
//! surface, or none of them.

use super::static_geometry::{Boxes, StaticGeometry, boxes_side_by_side};
use super::topology::Topology;
use crate::arith::vectors::{Vector, Vectorised, widest};
use crate::bvh::tree::{ChildRef, WIDTH, WideTree};
use crate::predicate::inside::{bounds, crosses, is_near};
use crate::robot::{Link, Triangle};
use glam::{DVec3, Vec3A};
use std::sync::{Arc, OnceLock};

/// Maximum number of triangles of an object or link that is tested as a solid; larger ones are treated as empty,
/// because the search for components would take more memory than the scene itself.
pub const MAX_TRIANGLES: usize = 1 << 23;

/// A box: lowest and highest coordinates, metres.
pub type Bounds = [DVec3; 2];

const NOTHING: Bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];

fn join([lo, hi]: Bounds, [from, to]: Bounds) -> Bounds {
    [lo.min(from), hi.max(to)]
}

/// Returns whether two boxes have a common point.
pub fn overlap([lo, hi]: &Bounds, [from, to]: &Bounds) -> bool {
    (lo.cmple(*to) & from.cmple(*hi)).all()
}

/// Boxes in a tree.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    tree: WideTree,
    /// The boxes of the children of each node.
    boxes: Vec<Boxes>,
    /// The boxes in each leaf.
    leaves: Vec<Boxes>,
}

/// Maximum number of boxes in a leaf.
const LEAF: usize = WIDTH;

impl BoxTree {
    /// Builds the tree; box `i` is reported as `i`.
    pub fn new(all: &[Bounds]) -> Self {
        // The position of an empty box in the tree does not matter.
        let single = |b: &Bounds| outward(if overlap(b, b) { *b } else { [DVec3::ZERO; 2] }).map(Vec3A::from_array);
        let tree = WideTree::build(&all.iter().map(single).collect::<Vec<_>>(), LEAF as u32);
        let in_leaf = |leaf| tree.leaf(leaf).map(|at| all[tree.order[at] as usize]);
        let side_by_side =
            |boxes: [Option<Bounds>; WIDTH]| boxes_side_by_side(boxes.map(|b| b.map(|b| outward(b).into())));
        let of_nodes =
            tree.bounds(|leaf| in_leaf(leaf).fold(NOTHING, join), join).into_iter().map(side_by_side).collect();
        let mut leaves = Vec::with_capacity(tree.n_leaves());
        for leaf in 0..tree.n_leaves() as u32 {
            let mut boxes = in_leaf(leaf);
            leaves.push(side_by_side(std::array::from_fn(|_| boxes.next())));
        }
        Self { boxes: of_nodes, leaves, tree }
    }

    /// Replaces `found` by the boxes of the tree that overlap each of some boxes, perhaps only up to rounding to single
    /// precision, as pairs of indices. `open` is reusable memory.
    pub fn pairs(&self, queries: &[Bounds], open: &mut Vec<(ChildRef, u64)>, found: &mut Vec<[u32; 2]>) {
        found.clear();
        if !self.tree.nodes.is_empty() {
            widest(Pairs { tree: self, queries, open, found });
        }
    }

    /// Calls `each` with the boxes that overlap a box, perhaps only up to rounding to single precision, until it
    /// returns false; their order depends on the tree alone.
    pub fn each(&self, query: &Bounds, each: &mut impl FnMut(u32) -> bool) {
        each_leaf(&self.tree, &self.boxes, query, &mut |leaf| {
            let first = self.tree.leaf(leaf).start;
            near(&self.leaves[leaf as usize], query).all(|slot| each(self.tree.order[first + slot]))
        });
    }
}

/// A box in single precision, rounded outward.
fn outward([lo, hi]: Bounds) -> [[f32; 3]; 2] {
    [lo.to_array().map(|x| (x as f32).next_down()), hi.to_array().map(|x| (x as f32).next_up())]
}

/// The boxes of a tree that overlap some boxes. The tree is descended with eight of these together, because they are
/// usually close together: the links of a robot.
struct Pairs<'a> {
    tree: &'a BoxTree,
    queries: &'a [Bounds],
    /// Pending nodes and leaves, each with the queries that their boxes overlap: bit `WIDTH * i` for query `i`.
    open: &'a mut Vec<(ChildRef, u64)>,
    found: &'a mut Vec<[u32; 2]>,
}

impl Vectorised for Pairs<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { tree: BoxTree { tree, boxes, leaves }, queries, open, found } = self;
        for (group, first) in queries.chunks(WIDTH).zip((0..).step_by(WIDTH)) {
            open.push((ChildRef::Node(0), EACH >> (WIDTH * (WIDTH - group.len()))));
            while let Some((at, of)) = open.pop() {
                let sides = match at {
                    ChildRef::Empty => continue,
                    ChildRef::Node(node) => &boxes[node as usize],
                    ChildRef::Leaf(leaf) => &leaves[leaf as usize],
                };
                // The boxes that overlap each of the queries.
                let mut near = 0;
                for bit in places(of) {
                    near |= u64::from(overlapping::<T>(sides, &group[bit / WIDTH])) << bit;
                }
                match at {
                    ChildRef::Empty => {}
                    ChildRef::Node(node) => {
                        for (slot, child) in tree.nodes[node as usize].iter().enumerate() {
                            let of = near >> slot & EACH;
                            if of != 0 {
                                open.push((*child, of));
                            }
                        }
                    }
                    ChildRef::Leaf(leaf) => {
                        let of_leaf = tree.leaf(leaf).start;
                        let pair = |bit| [first + (bit / WIDTH) as u32, tree.order[of_leaf + bit % WIDTH]];
                        found.extend(places(near).map(pair));
                    }
                }
            }
        }
    }
}

/// One bit for each of eight queries.
const EACH: u64 = 0x0101_0101_0101_0101;

/// The boxes, of eight side by side, that overlap another box, as a mask.
#[inline(always)]
fn overlapping<T: Vector>(sides: &Boxes, [lo, hi]: &Bounds) -> u32 {
    let mut apart = 0;
    for axis in 0..3 {
        let (from, to): (T, T) = (T::widen(&sides.0[axis]), T::widen(&sides.0[3 + axis]));
        apart |= T::new(lo[axis]).gt(to) | from.gt(T::new(hi[axis]));
    }
    !apart & ((1 << WIDTH) - 1)
}

/// [`overlapping`] alone.
struct Overlapping<'a>(&'a Boxes, &'a Bounds);

impl Vectorised for Overlapping<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        overlapping::<T>(self.0, self.1)
    }
}

/// The places of the bits of a mask, the lowest first.
#[inline(always)]
fn places(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        place
    })
}

/// The places of the boxes, of eight side by side, that overlap another box.
fn near(sides: &Boxes, query: &Bounds) -> impl Iterator<Item = usize> + use<> {
    places(widest(Overlapping(sides, query)).into())
}

/// Calls `each` with the leaves of a tree that overlap a box, until it returns false.
fn each_leaf(tree: &WideTree, boxes: &[Boxes], query: &Bounds, each: &mut impl FnMut(u32) -> bool) {
    if !tree.nodes.is_empty() {
        below(tree, boxes, query, 0, each);
    }
}

fn below(tree: &WideTree, boxes: &[Boxes], query: &Bounds, node: u32, each: &mut impl FnMut(u32) -> bool) -> bool {
    near(&boxes[node as usize], query).all(|slot| match tree.nodes[node as usize][slot] {
        ChildRef::Empty => true,
        ChildRef::Leaf(leaf) => each(leaf),
        ChildRef::Node(node) => below(tree, boxes, query, node, each),
    })
}

/// The position of a point relative to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Enclosed.
    Inside,
    /// Not enclosed.
    Outside,
    /// Too near to the surface to decide.
    Near,
}

/// A closed surface whose triangles are in the leaves of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    tree: &'a WideTree,
    boxes: &'a [Boxes],
    triangles: &'a [Triangle],
    /// The object of the surface, if the tree contains several objects.
    of_object: Option<(&'a [u32], u32)>,
    /// The box around the surface.
    pub around: Bounds,
    /// Relative rounding error of the coordinates.
    unit: f64,
}

/// Rounding of distances to triangles, in units of the coordinates: see [`is_near`].
const ROUNDING: f64 = 64.0 * (f64::EPSILON / 2.0);

impl Surface<'_> {
    /// The position of a point whose coordinates have an error of at most `error_m`.
    pub fn side(&self, p: DVec3, error_m: f64) -> Side {
        let [lo, hi] = self.around;
        let size = lo.abs().max(hi.abs()).element_sum();
        let distance_m = error_m + (self.unit + ROUNDING) * (size + p.abs().element_sum());
        if !overlap(&[p - distance_m, p + distance_m], &self.around) {
            return Side::Outside;
        }
        let ray = [p - distance_m, (p + distance_m).with_z(f64::INFINITY)];
        let mut side = Side::Outside;
        each_leaf(self.tree, self.boxes, &ray, &mut |leaf| {
            for at in self.tree.leaf(leaf).filter(|&at| self.of_object.is_none_or(|(of, object)| of[at] == object)) {
                let triangle = &self.triangles[at];
                if is_near(p, triangle, distance_m) {
                    side = Side::Near;
                    return false;
                }
                if overlap(&bounds(triangle), &ray) && crosses(p, triangle) {
                    side = if side == Side::Inside { Side::Outside } else { Side::Inside };
                }
            }
            true
        });
        side
    }
}

/// Triangles with a tree over them.
#[derive(Clone, Debug)]
struct Shell {
    tree: BoxTree,
    /// In the order of the leaves.
    triangles: Vec<Triangle>,
    around: Bounds,
}

impl Shell {
    fn new(triangles: &[Triangle]) -> Self {
        let boxes: Vec<Bounds> = triangles.iter().map(bounds).collect();
        let tree = BoxTree::new(&boxes);
        let triangles = tree.tree.order.iter().map(|&i| triangles[i as usize]).collect();
        Self { tree, triangles, around: boxes.into_iter().fold(NOTHING, join) }
    }

    fn surface(&self) -> Surface<'_> {
        let BoxTree { tree, boxes, .. } = &self.tree;
        Surface { tree, boxes, triangles: &self.triangles, of_object: None, around: self.around, unit: 0.0 }
    }
}

/// The connected components of triangles.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// For each component its lowest vertices along x, y and z, and its highest ones.
    extremes: Vec<[DVec3; 6]>,
    tree: BoxTree,
}

impl Components {
    fn new(topology: &Topology, triangles: impl IntoIterator<Item = Triangle>) -> Self {
        let (number, n) = topology.components();
        let mut extremes: Vec<Option<[DVec3; 6]>> = vec![None; n];
        for (component, triangle) in number.into_iter().zip(triangles) {
            for v in triangle {
                let extremes = extremes[component as usize].get_or_insert([v; 6]);
                for axis in 0..3 {
                    if v[axis] < extremes[axis][axis] {
                        extremes[axis] = v;
                    }
                    if v[axis] > extremes[3 + axis][axis] {
                        extremes[3 + axis] = v;
                    }
                }
            }
        }
        let extremes: Vec<[DVec3; 6]> = extremes.into_iter().flatten().collect();
        let around = |e: &[DVec3; 6]| e.iter().fold(NOTHING, |b, v| join(b, [*v; 2]));
        let tree = BoxTree::new(&extremes.iter().map(around).collect::<Vec<_>>());
        Self { extremes, tree }
    }

    /// Calls `each` with the vertices that represent a component, for the components whose boxes overlap a box, until
    /// it returns false. A single component is not compared with the box.
    pub fn each(&self, query: impl FnOnce() -> Bounds, each: &mut impl FnMut(&[DVec3; 6]) -> bool) {
        match &self.extremes[..] {
            [] => {}
            [single] => {
                each(single);
            }
            all => self.tree.each(&query(), &mut |component| each(&all[component as usize])),
        }
    }
}

/// A link as a solid, in the frame of its body.
#[derive(Clone, Debug, Default)]
pub struct LinkSolid {
    /// The components of its triangles.
    pub components: Components,
    shells: Vec<Shell>,
}

impl LinkSolid {
    /// Prepares a link. Each of its shapes may be closed, or all shapes together.
    fn new(link: &Link) -> Self {
        let triangles = &link.triangles;
        if triangles.len() > MAX_TRIANGLES {
            return Self::default();
        }
        let topology = Topology::new(triangles.iter().copied());
        let starts = link.shape_starts.iter().map(|&start| start as usize);
        let ends = starts.clone().skip(1).chain([triangles.len()]);
        let shapes = starts.zip(ends).filter(|&(start, end)| topology.is_closed(start..end));
        let mut shells: Vec<Shell> = shapes.map(|(start, end)| Shell::new(&triangles[start..end])).collect();
        if shells.is_empty() && topology.is_closed(0..triangles.len()) {
            shells.push(Shell::new(triangles));
        }
        Self { components: Components::new(&topology, triangles.iter().copied()), shells }
    }

    /// The closed surfaces.
    pub fn surfaces(&self) -> impl Iterator<Item = Surface<'_>> {
        self.shells.iter().map(Shell::surface)
    }
}

/// The links of a robot as solids; worlds of the same links share them.
#[derive(Clone, Debug, Default)]
pub struct LinkSolids(Arc<OnceLock<Vec<Arc<PreparedLink>>>>);

#[derive(Clone, Debug)]
struct PreparedLink {
    around: Bounds,
    solid: OnceLock<LinkSolid>,
}

impl PreparedLink {
    fn new(link: &Link) -> Self {
        let around = link.triangles.iter().map(bounds).fold(NOTHING, join);
        Self { around, solid: OnceLock::new() }
    }
}

impl LinkSolids {
    fn all(&self, links: &[Link]) -> &[Arc<PreparedLink>] {
        self.0.get_or_init(|| links.iter().map(PreparedLink::new).map(Arc::new).collect())
    }

    /// The links of a robot with further links after the present ones, whose prepared data are shared.
    pub fn with_further(&self, links: &[Link]) -> Self {
        let Some(known) = self.0.get() else { return Self::default() };
        let further = links.iter().skip(known.len()).map(PreparedLink::new).map(Arc::new);
        Self(Arc::new(known.iter().cloned().chain(further).collect::<Vec<_>>().into()))
    }

    /// The box around each of the robot's links, in the frame of its body.
    pub fn around(&self, links: &[Link], link: u32) -> Bounds {
        self.all(links)[link as usize].around
    }

    /// A link of the robot.
    pub fn get(&self, links: &[Link], link: u32) -> &LinkSolid {
        self.all(links)[link as usize].solid.get_or_init(|| LinkSolid::new(&links[link as usize]))
    }
}

/// An object as a solid.
#[derive(Clone, Debug, Default)]
pub struct ObjectSolid {
    /// The components of its triangles.
    pub components: Components,
    is_closed: bool,
}

/// The objects of a scene as solids.
#[derive(Clone, Debug)]
pub struct ObjectSolids {
    /// The place of each triangle in the order of the tree, object after object.
    places: Vec<u32>,
    objects: Vec<(Bounds, OnceLock<ObjectSolid>)>,
    tree: BoxTree,
}

impl ObjectSolids {
    /// Finds the objects' boxes.
    pub fn new(scene: &StaticGeometry) -> Self {
        let mut places = vec![0; scene.triangles.len()];
        (0..).zip(&scene.tree.order).for_each(|(at, &i)| places[i as usize] = at);
        let mut around = vec![NOTHING; scene.objects.len()];
        for (object, triangle) in scene.object.iter().zip(&scene.triangles) {
            around[*object as usize] = join(around[*object as usize], bounds(triangle));
        }
        let tree = BoxTree::new(&around);
        Self { places, objects: around.into_iter().map(|around| (around, OnceLock::new())).collect(), tree }
    }

    /// The boxes around the objects.
    pub fn boxes(&self) -> &BoxTree {
        &self.tree
    }

    /// An object of the scene.
    pub fn get(&self, scene: &StaticGeometry, object: u32) -> &ObjectSolid {
        self.objects[object as usize].1.get_or_init(|| {
            let of = &scene.objects[object as usize];
            let n_triangles = of.n_triangles as usize;
            if n_triangles > MAX_TRIANGLES {
                return ObjectSolid::default();
            }
            let places = &self.places[of.first_triangle as usize..][..n_triangles];
            let triangles = || places.iter().map(|&at| scene.triangles[at as usize]);
            let topology = Topology::new(triangles());
            let components = Components::new(&topology, triangles());
            ObjectSolid { components, is_closed: topology.is_closed(0..n_triangles) }
        })
    }

    /// The surface of an object, if it is closed.
    pub fn surface<'a>(&'a self, scene: &'a StaticGeometry, object: u32) -> Option<Surface<'a>> {
        self.get(scene, object).is_closed.then(|| Surface {
            tree: &scene.tree,
            boxes: &scene.boxes,
            triangles: &scene.triangles,
            of_object: Some((&scene.object, object)),
            around: self.objects[object as usize].0,
            unit: scene.shift_unit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of all sizes, one of them empty, and more queries than are descended with together.
    #[test]
    fn a_tree_finds_all_boxes_that_overlap() {
        let at = |k: usize, j: usize| 5.0 * (1.7 * k as f64 + 2.3 * j as f64).sin();
        let some = |k: usize| {
            let (corner, size) = (DVec3::new(at(k, 0), at(k, 1), at(k, 2)), 0.1 + 0.2 * (k % 7) as f64);
            [corner, corner + DVec3::new(size, 0.5 * size, 2.0 * size)]
        };
        for n in [0, 1, 8, 9, 70, 400] {
            let boxes: Vec<Bounds> = (0..n).map(|k| if k == 5 { NOTHING } else { some(k) }).collect();
            let queries: Vec<Bounds> = (0..19).map(|k| some(1000 + 11 * k)).collect();
            let (tree, mut found) = (BoxTree::new(&boxes), Vec::new());
            tree.pairs(&queries, &mut Vec::new(), &mut found);
            found.sort_unstable();
            let mut expected = Vec::new();
            for (query, q) in queries.iter().zip(0..) {
                let overlapping = (0..n as u32).filter(|k| overlap(&boxes[*k as usize], query));
                expected.extend(overlapping.map(|k| [q, k]));
                let mut each = Vec::new();
                tree.each(query, &mut |k| {
                    each.push([q, k]);
                    true
                });
                each.sort_unstable();
                assert_eq!(each, found.iter().copied().filter(|[of, _]| *of == q).collect::<Vec<_>>());
            }
            // These boxes do not overlap by less than the rounding to single precision.
            assert_eq!(found, expected);
            assert!(n < 70 || !found.is_empty());
        }
    }
}
