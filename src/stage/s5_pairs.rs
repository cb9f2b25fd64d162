//! `s5_pairs`: from a link and a cluster to pairs of triangles (Redon et al. 2004, section 5.1).
//!
//! Three steps clear bits of the time mask, so that the exact stage receives little besides contacts:
//! 1. `descend_links`: down the link's tree with the cluster's box; nodes are oriented boxes, each with a box around it
//!    in every sub-interval;
//! 2. `test_leaves`: the oriented box of each leaf against those triangles of the cluster (`s5_pairs/descent.rs` does
//!    both steps);
//! 3. `test_pairs`: each triangle of the leaf against the triangle, by separating axes with the link's motion (the
//!    paper's continuous overlap test), bisecting time: all marked sub-intervals together, then halves, down to single
//!    ones (the paper's refinement levels) and to quarters of one. The first quarter that is not separated ends the
//!    search: later times are left to the exact stage (`s5_pairs/refinement.rs`). The kernels `test_pairs` and
//!    `refine_pairs` divide a sub-interval into halves, and continue with the other ones, up to the limit.
//!
//! Links with a tree of oriented boxes ([`Input::obb_trees`]) use it instead of steps 1 and 2 (`s5_pairs/obb.rs`).

mod crowded;
mod descent;
mod moving;
mod nearest;
mod obb;
mod refinement;
mod rest;
mod start;
mod twin;

pub use crowded::Courses;
pub use nearest::{Among, NearestPair, PlacedLink, Sought, nearest_in};
pub use start::{Order, first_of_link};
pub use twin::reference;

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::s1_concat::Poses;
use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate, Piece, SUBS, TrianglePair};
use crate::arith::vectors::widest;
use crate::bvh::obb_tree::{ObbTree, ObbTrees};
use crate::scene::world::CollisionWorld;
use moving::{MovingLink, NodeBoxes};
use refinement::{Looks, Open, Refinement};
use serde::Serialize;
use std::ops::Range;

/// For each motion, the slice (counted from the motion's start) before whose end a contact is certain; `u32::MAX` if no
/// contact is certain. Sub-intervals that start later do not matter.
pub type Limits = Vec<u32>;

/// Input of the stage. For speed, the candidates of a piece and link should be consecutive.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Robot and scene.
    pub world: &'a CollisionWorld,
    /// Trees of oriented boxes, used for the links that have one. With a tree over the whole scene, every link is
    /// searched against this tree, and the candidates are ignored.
    pub obb_trees: Option<&'a ObbTrees>,
    /// The pieces.
    pub pieces: &'a [Piece],
    /// The pose bounds of the pieces.
    pub poses: &'a Poses,
    /// The boxes of the pieces.
    pub boxes: &'a Boxes,
    /// The links and clusters that may touch.
    pub candidates: &'a [Candidate],
    /// The motions of the links. With them, crowded parts of a piece are searched in shorter steps than sub-intervals;
    /// without them, such steps are left to the exact stage.
    pub courses: Option<Courses<'a>>,
}

/// The work of a search for pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairCounts {
    /// Tests of a bounding volume of a link: its box or a node's against that of a cluster or triangle, or two oriented
    /// boxes over one interval.
    pub bound_tests: u64,
    /// Pairs of triangles that reached step `test_pairs`.
    pub triangle_tests: u64,
}

impl PairCounts {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: Self) {
        self.bound_tests += other.bound_tests;
        self.triangle_tests += other.triangle_tests;
    }
}

/// Reusable memory of searches.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The pairs found.
    pub pairs: Vec<TrianglePair>,
    /// True if only the earliest time at which anything may touch is needed: if limits are given, any pair lowers them,
    /// not just a certain contact.
    pub first_only: bool,
    /// True if a crowded search of a motion's first piece may end as soon as a contact at the start is certain:
    /// `starts_in_contact` is then set, and the pairs are incomplete.
    pub ends_at_start: bool,
    /// True if the last search ended because of a contact at the start.
    pub starts_in_contact: bool,
    /// For each link being searched, the range of its candidates.
    groups: Vec<Range<usize>>,
    links: Vec<MovingLink<'static>>,
    /// Items produced by the candidates, before they are refined.
    items: Vec<Item>,
    boxes: NodeBoxes,
    /// Pending nodes of a descent, each with triangles of a cluster.
    nodes: Vec<(u32, u32)>,
    start: start::Open,
    nearest: nearest::Space,
    open: Open,
    looks: Looks,
}

/// Like [`search_in`], with newly allocated memory.
pub fn search(input: &Input, limits: Option<&mut Limits>, cap: usize) -> (Option<Vec<TrianglePair>>, PairCounts) {
    let mut space = Workspace::default();
    let (fits, counts) = search_in(&mut space, input, limits, cap);
    (fits.then_some(space.pairs), counts)
}

/// The stage in f64; the pairs are in `space`.
///
/// If `limits` are given, certain contacts lower them, and sub-intervals beyond them are skipped. Which pairs of such
/// sub-intervals are still found depends on the order of work, so the caller must [`clip`] the pairs to the limits.
///
/// Returns false if there would be more than `cap` pairs, or if the search ended early
/// ([`Workspace::starts_in_contact`]).
pub fn search_in(space: &mut Workspace, input: &Input, limits: Option<&mut Limits>, cap: usize) -> (bool, PairCounts) {
    debug_assert!(input.candidates.iter().all(|c| c.mask & !input.pieces[c.piece as usize].mask() == 0));
    let mut pairs = std::mem::take(&mut space.pairs);
    pairs.clear();
    // A search that ends early leaves items.
    space.items.clear();
    space.looks.clear();
    space.starts_in_contact = false;
    let mut found = Found { pairs, limits, first_only: space.first_only, cap, counts: PairCounts::default() };
    if let Some(scene) = input.obb_trees.and_then(|trees| trees.scene.as_ref()) {
        let fits = search_scene(space, input, scene, &mut found);
        space.pairs = found.pairs;
        return (fits, found.counts);
    }
    let (mut groups, mut links) = (std::mem::take(&mut space.groups), std::mem::take(&mut space.links));
    let mut at = 0;
    let fits = input.candidates.chunk_by(|a, b| a.piece == b.piece).all(|of_piece| {
        groups.clear();
        let mut work = Work { links: emptied(std::mem::take(&mut links)), space: &mut *space };
        for group in of_piece.chunk_by(|a, b| a.link == b.link) {
            let from = at;
            at += group.len();
            if group.iter().any(|c| c.is_open()) {
                groups.push(from..at);
                work.links.push(MovingLink::new(input, group[0].piece, group[0].link, group.len()));
            }
        }
        let (first, mut last) = (found.pairs.len(), found.pairs.len());
        let starts = work.links.iter().fold(0, |starts, moving| starts | moving.slab_starts);
        let fits = (0..SUBS as u32).filter(|begin| starts >> begin & 1 == 1).all(|begin| {
            last = found.pairs.len();
            let mut all = groups.iter().enumerate();
            all.all(|(place, of)| {
                work.add_link(input, place, &input.candidates[of.clone()], begin, &mut found).is_some()
            }) && work.finish(input.world, &mut found).is_some()
        });
        if last > first {
            join(&mut found.pairs, first);
        }
        links = emptied(work.links);
        fits
    });
    (space.groups, space.links, space.pairs) = (groups, links, found.pairs);
    (fits, found.counts)
}

/// Reuses the memory of a list for another one of the same kind.
fn emptied<'b>(links: Vec<MovingLink>) -> Vec<MovingLink<'b>> {
    // Collected in place.
    #[expect(clippy::unnecessary_filter_map, reason = "none of one kind are none of the other")]
    links.into_iter().filter_map(|_| None).collect()
}

/// Searches the whole scene for each link with its tree of oriented boxes. Links without a tree are an error of the
/// caller and are treated like too many pairs.
fn search_scene(space: &mut Workspace, input: &Input, scene: &ObbTree, found: &mut Found) -> bool {
    (0..input.pieces.len() as u32).all(|p| {
        let links = (0..input.world.links.len() as u32).map(|link| MovingLink::new(input, p, link, 0)).collect();
        let mut work = Work { links, space: &mut *space };
        (0..work.links.len()).all(|place| {
            work.add_boxes(input, place, obb::Meets::Scene(scene), input.pieces[p as usize].mask(), found)
                .flatten()
                .is_some()
        }) && work.finish(input.world, found).is_some()
    })
}

/// Triangles of a leaf of a link's tree and one of the scene that have reached step `test_pairs`.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Index of the link among those being searched.
    place: u32,
    leaf: u32,
    /// The scene's triangle.
    y: u32,
    /// The triangles of the leaf, as a mask.
    lanes: u8,
    /// The sub-intervals in which they may touch.
    mask: u16,
}

/// Number of items that are collected before they are refined: more items give a better order in time, but take more
/// memory.
const MAX_ITEMS: usize = 1 << 16;

/// Number of candidates searched before the items are counted.
const AT_ONCE: usize = 64;

/// The links of a piece, and their items that may touch.
struct Work<'a, 's> {
    links: Vec<MovingLink<'a>>,
    space: &'s mut Workspace,
}

impl Work<'_, '_> {
    /// Adds the items that the candidates of one link produce in its part of the piece that begins with sub-interval
    /// `begin`, if such a part exists. `None` if there are too many pairs.
    fn add_link(
        &mut self,
        input: &Input,
        place: usize,
        group: &[Candidate],
        begin: u32,
        found: &mut Found,
    ) -> Option<()> {
        if self.links[place].slab_starts >> begin & 1 == 0 {
            return Some(());
        }
        let len = self.links[place].slab_from(begin);
        let slab = ((1 << len) - 1) << begin;
        let piece = self.links[place].piece;
        if slab & piece.mask_until(found.limit(piece)) == 0 {
            return Some(());
        }
        if let Some(done) = self.add_boxes(input, place, obb::Meets::Candidates(group), slab, found) {
            return done;
        }
        let world = input.world;
        if !group.iter().any(|c| c.mask & slab != 0) {
            return Some(());
        }
        let is_halved = found.limits.is_some() && input.courses.is_some();
        if is_halved && len == 1 && !self.space.may_end(piece, slab) {
            let n_parts = crowded::n_parts(world, &self.links[place], group, begin);
            if n_parts > 1 {
                return self.halve_time(input, place, group, (slab, n_parts), found)?;
            }
        }
        let pose = self.links[place].block(begin, begin + len - 1);
        self.space.boxes.clear(self.links[place].shape.tree.nodes.len());
        let first = self.space.items.len();
        let mut room = if is_halved { crowded::crowd(group)[0] } else { usize::MAX };
        for some in group.chunks(AT_ONCE) {
            let moving = &self.links[place];
            let wanted = slab & moving.piece.mask_until(found.limit(moving.piece));
            let Workspace { items, boxes, nodes: open, .. } = &mut *self.space;
            let (pose, of, counts) = (&pose, place as u32, &mut found.counts);
            let fits = widest(descent::Descent {
                world,
                group: some,
                wanted,
                moving,
                pose,
                boxes,
                place: of,
                open,
                items,
                room: &mut room,
                counts,
            });
            if !fits {
                self.space.items.truncate(first);
                return self.halve_time(input, place, group, (slab, 1), found)?;
            }
            self.make_room(world, found)?;
        }
        Some(())
    }

    /// Like [`add_link`](Self::add_link) with oriented boxes: `None` if the link has no tree of them; `Some(None)` if
    /// there are too many pairs.
    fn add_boxes(
        &mut self,
        input: &Input,
        place: usize,
        meets: obb::Meets,
        slab: u32,
        found: &mut Found,
    ) -> Option<Option<()>> {
        let trees = input.obb_trees?;
        let moving = &self.links[place];
        let tree = trees.links[moving.link as usize].as_ref()?;
        let piece = moving.piece_link as usize / input.world.links.len();
        let balls = input.poses.balls(piece, moving.shape.body as usize);
        let group = obb::Group { world: input.world, trees, tree, link: moving.link, meets, balls, wanted: slab };
        Some(obb::search(&group, place as u32, self, found))
    }

    /// Refines the collected items if there are many. `None` if there are too many pairs.
    fn make_room(&mut self, world: &CollisionWorld, found: &mut Found) -> Option<()> {
        if self.space.items.len() < MAX_ITEMS { Some(()) } else { self.finish(world, found) }
    }

    /// Refines the collected items. `None` if there are too many pairs.
    fn finish(&mut self, world: &CollisionWorld, found: &mut Found) -> Option<()> {
        self.space.refine_items(world, &self.links, found)
    }
}

impl Workspace {
    /// Returns whether a contact at the start may end the search of a part of a piece.
    fn may_end(&self, piece: &Piece, slab: u32) -> bool {
        self.ends_at_start && piece.index == 0 && slab & 1 == 1
    }

    /// Refines the items of some links. `None` if there are too many pairs.
    fn refine_items(&mut self, world: &CollisionWorld, links: &[MovingLink], found: &mut Found) -> Option<()> {
        let Self { items, open, looks, .. } = self;
        items.drain(..).for_each(|item| open.add(item));
        Refinement { world, open, links, found }.run(looks)
    }
}

/// The pairs found so far.
struct Found<'a> {
    pairs: Vec<TrianglePair>,
    limits: Option<&'a mut Limits>,
    /// See [`Workspace::first_only`].
    first_only: bool,
    cap: usize,
    counts: PairCounts,
}

impl Found<'_> {
    /// The limit of a piece's motion.
    fn limit(&self, piece: &Piece) -> u32 {
        self.limits.as_ref().map_or(u32::MAX, |l| l[piece.motion as usize])
    }

    /// Lowers the limit of a piece's motion to a slice before whose end a contact is certain.
    fn lower(&mut self, piece: &Piece, slice: u32) {
        if let Some(limits) = self.limits.as_deref_mut() {
            let limit = &mut limits[piece.motion as usize];
            *limit = (*limit).min(slice);
        }
    }

    /// Adds a pair. `None` if there are too many.
    fn push(&mut self, pair: TrianglePair) -> Option<()> {
        (self.pairs.len() < self.cap).then(|| self.pairs.push(pair))
    }
}

/// Merges the entries of each pair from different slabs of time, starting with the entry `first`, and sorts them.
pub fn join(pairs: &mut Vec<TrianglePair>, first: usize) {
    let key = |p: &TrianglePair| (p.piece_link, p.link_triangle, p.scene_triangle);
    pairs[first..].sort_unstable_by_key(|p| (key(p), p.mask().trailing_zeros(), p.mask_slice >> SUBS));
    let mut last = first;
    for i in first + 1..pairs.len() {
        let later = pairs[i];
        let same = key(&later) == key(&pairs[last]);
        pairs[last].mask_slice |= if same { later.mask() } else { 0 };
        last += usize::from(!same);
        if !same {
            pairs[last] = later;
        }
    }
    pairs.truncate((last + 1).min(pairs.len()));
}

/// Removes the sub-intervals that start after the motions' limits, and the pairs without other sub-intervals.
pub fn clip(pairs: &mut Vec<TrianglePair>, pieces: &[Piece], limits: &Limits, n_links: usize) {
    pairs.retain_mut(|pair| {
        let piece = &pieces[pair.piece_link as usize / n_links];
        let beyond = ALL_SUBS & !piece.mask_until(limits[piece.motion as usize]);
        pair.mask_slice &= !beyond;
        pair.mask() != 0
    });
}

/// The kernel that starts a phase by clipping the candidates to it.
#[cfg(feature = "gpu")]
pub const SEED: Kernel = kernel!("s5_pairs", "seed");
/// The kernel that computes the boxes of the nodes that the last level has requested.
#[cfg(feature = "gpu")]
pub const BOUND_NODES: Kernel = kernel!("s5_pairs", "bound_nodes");
/// The kernel of one level of the links' trees.
#[cfg(feature = "gpu")]
pub const DESCEND_LINKS: Kernel = kernel!("s5_pairs", "descend_links");
/// The kernel that tests leaves of the links' trees against the triangles of scene leaves.
#[cfg(feature = "gpu")]
pub const TEST_LEAVES: Kernel = kernel!("s5_pairs", "test_leaves");
/// The kernel that tests pairs of triangles over all sub-intervals together.
#[cfg(feature = "gpu")]
pub const TEST_PAIRS: Kernel = kernel!("s5_pairs", "test_pairs");
/// The kernel that bisects time for the remaining pairs of triangles.
#[cfg(feature = "gpu")]
pub const REFINE_PAIRS: Kernel = kernel!("s5_pairs", "refine_pairs");
