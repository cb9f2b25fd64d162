//! Step `test_pairs`: the triangles of a leaf against a static one, by separating axes, in the order of time.
//!
//! Up to eight triangles are processed side by side. Items that may touch in sub-interval `k` are processed after all
//! items that may touch earlier, so nothing is refined at times after a certain contact. All marked sub-intervals of a
//! block are tested together, then those of its first half, down to the first one alone, and then its quarters. The
//! first quarter in which a triangle is not separated ends its search: finer and later times are left to the exact
//! stage.
//!
//! With a margin, triangles are compared by the direction between their nearest points instead, which separates them
//! exactly if they are farther apart. The same points show whether they are within the margin at the middle of the
//! time tested: such a contact limits the search immediately, however long that time is.
//!
//! The normals separate four of five triangles that any axis separates. The remaining triangles of a leaf would leave
//! most lanes idle for the other fifteen axes, so they are collected from many leaves (`rest.rs`).

use super::moving::{Compare, MovingLink, Part};
use super::rest::Rest;
use super::{Found, Item};
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::normals::{MovingFace, StaticFace};
use crate::predicate::piercing::triangles_meet;
use crate::predicate::proximity::{Proximity, are_within_or_meet};
use crate::predicate::separation::{MovingTriangle, NUMBERS, StaticTriangle};
use crate::scene::world::CollisionWorld;
use crate::stage::{Piece, SLICES, SUBS, TrianglePair};

/// Unprocessed items of a piece, by the first sub-interval in which they may touch.
#[derive(Debug, Default)]
pub(super) struct Open {
    from: [Vec<Item>; SUBS],
    /// The sub-intervals that have items.
    some: u32,
}

impl Open {
    pub fn add(&mut self, item: Item) {
        if item.mask != 0 && item.lanes != 0 {
            let first = item.mask.trailing_zeros();
            self.from[first as usize].push(item);
            self.some |= 1 << first;
        }
    }

    /// Removes and returns the first sub-interval that has items.
    fn next(&mut self) -> Option<u32> {
        let first = self.some.trailing_zeros();
        self.some &= self.some.wrapping_sub(1);
        (first < SUBS as u32).then_some(first)
    }
}

/// Parts of a sub-interval in which triangles are tested last.
const QUARTERS: u32 = 4;
/// Slices of such a part.
const SLICES_PER_QUARTER: u32 = SLICES / QUARTERS;

/// An item that is being tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    item: Item,
    /// The sub-intervals that are tested together.
    block: u32,
    /// Equal for triangles that have the same motion: the same leaf of the same link over the same block.
    alike: u64,
    /// The lanes separated by the last test.
    pub missed: u32,
    /// The lanes that are probably within the margin at the middle time of the last test.
    near: u32,
}

impl Look {
    fn new(item: Item, block: u32) -> Self {
        let alike = u64::from(item.place) << 37 | u64::from(block.ilog2()) << 32 | u64::from(item.leaf);
        Self { item, block, alike, missed: 0, near: 0 }
    }
}

/// The items being tested, all in the same sub-interval; kept to reuse the memory.
#[derive(Debug, Default)]
pub(super) struct Looks {
    in_blocks: Vec<Look>,
    single: Vec<Look>,
    faces: Faces,
    rest: Rest,
}

impl Looks {
    /// Discards data of the scene.
    pub fn clear(&mut self) {
        self.faces.clear();
    }
}

/// The time over which triangles are tested.
#[derive(Clone, Copy)]
enum During {
    /// From the beginning of this sub-interval to the end of an item's block.
    Block(u32),
    /// A quarter of a sub-interval.
    Quarter(u32, u32),
}

impl During {
    /// A link's pose at that time; `last` is the last sub-interval of a block.
    fn pose(self, moving: &MovingLink, last: u32) -> Part {
        match self {
            Self::Block(k) => moving.block(k, last),
            Self::Quarter(k, quarter) => moving.quarter(k, quarter),
        }
    }
}

/// The refinement of all open items of a piece.
pub(super) struct Refinement<'a, 'm, 'f> {
    pub world: &'a CollisionWorld,
    pub open: &'a mut Open,
    pub links: &'a [MovingLink<'m>],
    pub found: &'a mut Found<'f>,
}

impl Refinement<'_, '_, '_> {
    /// Finds the pairs. `None` if there are too many.
    pub fn run(mut self, looks: &mut Looks) -> Option<()> {
        let Some(piece) = self.links.first().map(|moving| moving.piece) else { return Some(()) };
        let done = self.go_on(piece, looks);
        if done.is_none() {
            // No item of this piece may remain for the next one.
            (*self.open, *looks) = Default::default();
        }
        done
    }

    fn go_on(&mut self, piece: &Piece, Looks { in_blocks: looks, single, faces, rest }: &mut Looks) -> Option<()> {
        // Items that continue are added to a later sub-interval.
        while let Some(k) = self.open.next() {
            self.begin(piece, k, looks);
            while !looks.is_empty() {
                self.separate(looks, faces, rest, During::Block(k));
                self.limit_by_blocks(piece, looks, k);
                self.halve(looks, k, single);
            }
            for quarter in 0..QUARTERS {
                if single.is_empty() {
                    break;
                }
                self.separate(single, faces, rest, During::Quarter(k, quarter));
                self.touch(piece, single, k, quarter)?;
            }
            for look in single.drain(..) {
                self.open.add(Item { mask: look.item.mask & !(1 << k), ..look.item });
            }
        }
        Some(())
    }

    fn separate(&mut self, looks: &mut [Look], faces: &mut Faces, rest: &mut Rest, during: During) {
        if self.links.first().is_some_and(|moving| moving.margin_m > 0.0) {
            return self.compare(looks, during);
        }
        widest(Separate { world: self.world, links: self.links, looks, faces, rest, during });
    }

    /// Removes the items that may first touch in sub-interval `k`, and prepares them for testing.
    fn begin(&mut self, piece: &Piece, k: u32, looks: &mut Vec<Look>) {
        let wanted = piece.mask_until(self.found.limit(piece)) as u16;
        for item in self.open.from[k as usize].drain(..) {
            let item = Item { mask: item.mask & wanted, ..item };
            if item.mask != 0 {
                let len = self.links[item.place as usize].block_from(k);
                looks.push(Look::new(item, block(item.mask, k, len)));
            }
        }
    }

    /// Compares the distances of the triangles of each look with the margin.
    fn compare(&self, looks: &mut [Look], during: During) {
        looks.sort_unstable_by_key(|look| look.alike);
        for alike in looks.chunk_by_mut(|a, b| a.alike == b.alike) {
            let Look { item: Item { place, leaf, .. }, block, .. } = alike[0];
            let MovingLink { shape, margin_m, .. } = self.links[place as usize];
            let part = during.pose(&self.links[place as usize], block.ilog2());
            for some in alike.chunks_mut(WIDTH) {
                let standing: [_; WIDTH] =
                    std::array::from_fn(|i| self.world.scene.standing(some[i.min(some.len() - 1)].item.y as usize));
                let standing = &standing[..some.len()];
                let each = |i: usize, Proximity { beyond, near }| {
                    let lanes = u32::from(some[i].item.lanes);
                    (some[i].missed, some[i].near) = (beyond & lanes, near & lanes);
                };
                widest(Compare { shape, margin_m, part: &part, leaf, standing, each });
            }
        }
    }

    /// Lowers the motion's limit to the middle of the first block in which a triangle is certainly within the margin.
    fn limit_by_blocks(&mut self, piece: &Piece, looks: &[Look], k: u32) {
        let Some(limits) = self.found.limits.as_deref_mut() else { return };
        let limit = &mut limits[piece.motion as usize];
        for look in looks.iter().filter(|look| look.near != 0) {
            let len = look.block.ilog2() + 1 - k;
            let now = piece.index * piece.slices() + k * SLICES + len * SLICES / 2;
            let moving = &self.links[look.item.place as usize];
            if now < *limit && is_within(self.world, moving, look, &moving.block(k, k + len - 1).0) {
                *limit = now;
            }
        }
    }

    /// Triangles separated over a block continue after it; the others continue with its first half, or become `single`.
    fn halve(&mut self, looks: &mut Vec<Look>, k: u32, single: &mut Vec<Look>) {
        looks.retain_mut(|look| {
            let Look { item, missed, .. } = *look;
            self.open.add(Item { lanes: missed as u8, mask: item.mask & !(look.block as u16), ..item });
            look.item.lanes &= !(missed as u8);
            if look.item.lanes == 0 {
                return false;
            }
            let last = look.block.ilog2();
            if last == k {
                single.push(*look);
            } else {
                *look = Look::new(look.item, block(item.mask, k, 1 << (last - k).ilog2()));
            }
            last != k
        });
    }

    /// Records the triangles that a quarter of a sub-interval did not separate. `None` if there are too many pairs.
    fn touch(&mut self, piece: &Piece, looks: &mut Vec<Look>, k: u32, quarter: u32) -> Option<()> {
        let slice = quarter * SLICES_PER_QUARTER;
        let begin = piece.index * piece.slices() + k * SLICES + slice;
        let end = begin + SLICES_PER_QUARTER;
        for look in looks.iter_mut() {
            let item = look.item;
            let mut touching = u32::from(item.lanes) & !look.missed;
            if touching == 0 {
                continue;
            }
            look.item.lanes &= look.missed as u8;
            let moving = &self.links[item.place as usize];
            if let Some(limits) = self.found.limits.as_deref_mut() {
                let limit = &mut limits[piece.motion as usize];
                let standing = self.world.scene.standing(item.y as usize);
                // Nearest points are compared at the middle of the time tested. Otherwise a contact at its end is the
                // most likely one, and the only one that matters here.
                let (certain, touches): (u32, &dyn Fn() -> bool) = match moving.margin_m > 0.0 {
                    true => (begin + SLICES_PER_QUARTER / 2 - 1, &|| {
                        look.near != 0 && is_within(self.world, moving, look, &moving.quarter(k, quarter).0)
                    }),
                    false => {
                        (end - 1, &|| widest(Meet { moving, leaf: item.leaf, k, quarter, standing }) & touching != 0)
                    }
                };
                if self.found.first_only {
                    *limit = (*limit).min(end - 1);
                } else if certain < *limit && touches() {
                    *limit = certain;
                }
            }
            let first = moving.shape.tree.leaf(item.leaf).start as u32;
            while touching != 0 {
                self.found.push(TrianglePair {
                    piece_link: moving.piece_link,
                    link_triangle: first + touching.trailing_zeros(),
                    scene_triangle: item.y,
                    mask_slice: u32::from(item.mask) | slice << SUBS,
                })?;
                touching &= touching - 1;
            }
        }
        // Later contacts are after a certain contact.
        let is_over = end > self.found.limit(piece);
        looks.retain(|look| look.item.lanes != 0 && !is_over);
        Some(())
    }
}

/// Tests the triangles of each look for separation.
struct Separate<'a, 'm> {
    world: &'a CollisionWorld,
    links: &'a [MovingLink<'m>],
    looks: &'a mut [Look],
    faces: &'a mut Faces,
    rest: &'a mut Rest,
    during: During,
}

impl Vectorised for Separate<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { world, links, looks, faces, rest, during } = self;
        // Equal motions are sorted together, and bounded once.
        looks.sort_unstable_by_key(|look| look.alike);
        let mut next = 0;
        while next < looks.len() {
            let of_block = looks[next].alike >> 32;
            let moving = &links[looks[next].item.place as usize];
            let (pose, h) = during.pose(moving, looks[next].block.ilog2());
            while next < looks.len() && looks[next].alike >> 32 == of_block {
                let Look { item: Item { leaf, .. }, alike, .. } = looks[next];
                let triangles = MovingTriangle::new(&moving.leaf::<T>(&pose, leaf), T::new(h));
                let (face, mut all) = (MovingFace::new(&triangles), 0);
                let first = next;
                // Without a branch, because the result of the normals is hard to predict.
                while next < looks.len() && looks[next].alike == alike {
                    let Item { y, lanes, .. } = looks[next].item;
                    let standing = faces.of(world, y).broadcast::<T>();
                    looks[next].missed = face.normals_separate(&standing) & u32::from(lanes);
                    all |= u32::from(lanes) & !looks[next].missed;
                    next += 1;
                }
                if all == 0 {
                    continue;
                }
                let (numbers, mut kept) = (triangles.numbers(), [[0.0; WIDTH]; NUMBERS]);
                for i in 0..NUMBERS {
                    kept[i] = numbers[i].store().0;
                }
                for i in first..next {
                    let Look { item: Item { y, lanes, .. }, missed, .. } = looks[i];
                    let left = u32::from(lanes) & !missed;
                    if left != 0 {
                        rest.add(looks, i as u32, (&kept, left), &world.scene.standing(y as usize));
                    }
                }
            }
        }
        rest.settle(looks);
    }
}

/// Returns whether the first of a look's lanes that are probably within the margin is certainly so, at the middle time
/// of a bound.
fn is_within(world: &CollisionWorld, moving: &MovingLink, look: &Look, pose: &PoseBound<f64>) -> bool {
    is_within_at(world, moving, &look.item, look.near.trailing_zeros(), pose)
}

/// Returns whether one lane of an item is certainly within the margin, at the middle time of a bound.
pub(super) fn is_within_at(
    world: &CollisionWorld,
    moving: &MovingLink,
    item: &Item,
    lane: u32,
    pose: &PoseBound<f64>,
) -> bool {
    let triangle = moving.shape.tree.leaf(item.leaf).start + lane as usize;
    let x = moving.shape.triangles[triangle].map(|e| pose.point(V3::new(e), moving.shape.reach_m));
    are_within_or_meet(&x, &world.scene.standing(item.y as usize), moving.margin_m)
}

/// Static triangles with their normals, by their index modulo [`MAX_FACES`]; the next leaf is usually tested against
/// the same triangles.
#[derive(Debug)]
struct Faces(Vec<(Option<u32>, StaticFace<f64>)>);

/// Number of triangles kept, a power of two.
const MAX_FACES: usize = 64;

impl Default for Faces {
    fn default() -> Self {
        Self(vec![Default::default(); MAX_FACES])
    }
}

impl Faces {
    fn clear(&mut self) {
        self.0.iter_mut().for_each(|(y, _)| *y = None);
    }

    #[inline(always)]
    fn of(&mut self, world: &CollisionWorld, y: u32) -> &StaticFace<f64> {
        let (number, face) = &mut self.0[y as usize % MAX_FACES];
        if *number != Some(y) {
            (*number, *face) = (Some(y), StaticFace::new(&world.scene.standing(y as usize)));
        }
        face
    }
}

/// Finds the triangles of a leaf that certainly touch a static one, at the end of a quarter of a sub-interval.
struct Meet<'a, 'm> {
    moving: &'a MovingLink<'m>,
    leaf: u32,
    k: u32,
    quarter: u32,
    standing: StaticTriangle<f64>,
}

impl Vectorised for Meet<'_, '_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let pose = self.moving.end_of_quarter(self.k, self.quarter);
        triangles_meet(&self.moving.leaf::<T>(&pose, self.leaf), &self.standing.broadcast::<T>())
    }
}

/// The marked sub-intervals among `len`, starting with sub-interval `k`.
fn block(mask: u16, k: u32, len: u32) -> u32 {
    u32::from(mask) & ((1 << len) - 1) << k
}
