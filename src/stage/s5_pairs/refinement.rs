//! Step `pairs`: the triangles of a leaf against one that stands, by separating axes, in the order of time.
//!
//! Up to eight triangles stand side by side. What may touch in sub-interval `k` is looked at when all that may touch before has
//! been: so nothing is refined that lies after a contact which is certain. All marked sub-intervals of a block are tried at
//! once, then those of its first half, down to the first one alone, and then its slices. The first slice in which a triangle is not
//! separated ends its search: what comes later is left to the exact stage.

use super::moving::MovingLink;
use super::{Found, Item};
use crate::model::world::World;
use crate::numeric::meeting::triangles_meet;
use crate::numeric::separation::triangle_misses;
use crate::numeric::vectors::{Vector, Vectorised};
use crate::stage::{SLICES, SLICES_PER_PIECE, SUBS, TrianglePair};

/// What is still open in a piece, by the first sub-interval in which it may touch.
#[derive(Default)]
pub(super) struct Open([Vec<Item>; SUBS]);

impl Open {
    pub fn add(&mut self, item: Item) {
        if item.mask != 0 && item.lanes != 0 {
            self.0[item.mask.trailing_zeros() as usize].push(item);
        }
    }
}

/// All that is open in a piece.
pub(super) struct Refinement<'a, 'm, 'f> {
    pub world: &'a World,
    pub open: &'a mut Open,
    pub links: &'a mut [MovingLink<'m>],
    pub found: &'a mut Found<'f>,
}

impl Vectorised for Refinement<'_, '_, '_> {
    /// Nothing if there are too many pairs.
    type Output = Option<()>;
    #[inline(always)]
    fn run<T: Vector>(self) -> Option<()> {
        let Self { world, open, links, found } = self;
        for k in 0..SUBS as u32 {
            while let Some(item) = open.0[k as usize].pop() {
                let moving = &mut links[item.place as usize];
                advance::<T>(world, open, moving, found, item, k)?;
            }
        }
        Some(())
    }
}

/// Takes an item on to the next sub-interval in which it may touch, or to where it cannot be told apart.
#[inline(always)]
fn advance<T: Vector>(
    world: &World,
    open: &mut Open,
    moving: &mut MovingLink,
    found: &mut Found,
    item: Item,
    k: u32,
) -> Option<()> {
    let piece = moving.piece;
    let mask = u32::from(item.mask) & piece.mask_until(found.limit(piece));
    if mask == 0 {
        return Some(());
    }
    let standing = world.scene.standing(item.y as usize);
    let tri = standing.broadcast::<T>();
    let mut lanes = u32::from(item.lanes);
    let rest_of = |lanes: u32, block: u32| Item { lanes: lanes as u8, mask: (mask & !block) as u16, ..item };
    let now = |slice: u32| piece.index * SLICES_PER_PIECE + k * SLICES + slice;
    let aligned = if k == 0 { SUBS as u32 } else { 1 << k.trailing_zeros() };
    let mut len = aligned.min(moving.longest_block);
    let mut slice = None;
    loop {
        let block = mask & (((1 << len) - 1) << k);
        let last = block.ilog2();
        let (points, h) = match slice {
            None => moving.block::<T>(item.leaf, k, last),
            Some(slice) => moving.slice::<T>(item.leaf, k, slice),
        };
        let missed = triangle_misses(&points, &tri, h, lanes) & lanes;
        let Some(at) = slice else {
            open.add(rest_of(missed, block));
            lanes &= !missed;
            match last - k {
                _ if lanes == 0 => return Some(()),
                0 => slice = Some(0),
                n => len = 1 << n.ilog2(),
            }
            continue;
        };
        let mut touching = lanes & !missed;
        if touching != 0 {
            if let Some(limits) = found.limits.as_deref_mut()
                && triangles_meet(&points, &tri) & touching != 0
            {
                let limit = &mut limits[piece.motion as usize];
                *limit = now(at).min(*limit);
            }
            let first = moving.shape.tree.leaf(item.leaf).start as u32;
            while touching != 0 {
                found.push(TrianglePair {
                    piece_link: moving.piece_link,
                    link_triangle: first + touching.trailing_zeros(),
                    scene_triangle: item.y,
                    mask_slice: mask | at << SUBS,
                })?;
                touching &= touching - 1;
            }
        }
        lanes &= missed;
        if now(at) >= found.limit(piece) {
            // What touches later does so after a contact that is certain.
            return Some(());
        }
        if lanes == 0 || at + 1 == SLICES {
            open.add(rest_of(lanes, 1 << k));
            return Some(());
        }
        slice = Some(at + 1);
    }
}
