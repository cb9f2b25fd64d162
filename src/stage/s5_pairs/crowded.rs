//! Crowded parts of a piece: fine meshes that touch leave thousands of items, nearly all of them at times after the
//! first contact.
//!
//! The descent ends early if it finds many, and the end of the part is tested for a certain contact: the link has a
//! single pose there, so the test ends at the first of the many triangles that intersect. Those two triangles are then
//! followed to the first time at which they intersect, which limits the search, and the middle of the part that is left
//! is tested in the same way. Otherwise, and if no such contact is found, the part is searched; if it is crowded, it is
//! halved, the earlier half first. So the first contact is approached in a few steps, and the remaining items are those
//! of a short time before it, whose number does not depend on how fine the meshes are. Candidates that are apart during
//! a part are left out in its halves.
//!
//! A part may also be crowded without a contact, however short it is: a large triangle that passes closely by many
//! leaves crosses their boxes, but none of their triangles. So the more halvings in a row find no contact, the more
//! items are allowed in a part, which are then tested triangle by triangle.
//!
//! Sub-intervals in which a link travels farther than the clusters near it are wide are cut into equal parts from the
//! beginning, and searched in the order of time: their boxes are tighter, and a contact makes later parts unnecessary.
//!
//! If a contact at the start decides the motion, the start is tested first, and the search ends there.
//!
//! Poses are bounded again for each part: the bounds of the sub-intervals have balls that hide contacts of triangles
//! smaller than a few hundred times their remainder.

use super::descent::{Descent, LinkBox, size_m, splat};
use super::moving::{Compare, MANY, MovingLink, NodeBoxes, Part, leaf_points};
use super::refinement::is_within_at;
use super::{Found, Input, Item, PairCounts, Work, Workspace};
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::piercing::triangles_meet;
use crate::predicate::proximity::Proximity;
use crate::predicate::separation::{StaticTriangle, triangle_misses};
use crate::robot::RobotMotion;
use crate::scene::world::{CollisionWorld, LinkGeometry};
use crate::stage::{Candidate, Piece, SLICES, SUBS, TrianglePair};
use std::ops::Range;

/// Load of items of a link, as the descent counts it, above which a part is crowded, if a contact is certain at its end
/// and if not.
const CROWD: [usize; 2] = [2048, 4096];
/// The same for a link near many clusters: there the scene is fine, and the first halvings pay off earlier.
const CROWD_IN_FINE_SCENE: [usize; 2] = [1024, 1024];
/// Load above which a half of a part is crowded, whose candidates are already filtered, after 0, 1, 2 and more halvings
/// in a row without a contact.
const CROWD_OF_HALF: [usize; 4] = [1 << 8, 1 << 10, 1 << 14, 1 << 17];
/// Load of items of a few candidates up to which a contact at the start is searched for.
const ROOM_AT_START: usize = 4096;
/// Number of halvings of time in which two intersecting triangles are followed to their first contact.
const STEPS_OF_PAIR: u32 = 8;
/// Number of pairs of triangles above which a part is halved again.
const FEW: u32 = 512;
/// Least travel of a link, metres, in a part into which a sub-interval is cut from the beginning.
const PART_M: f64 = 0.007;
/// The same as a share of the average sum of the sides of the clusters near the link: among large clusters, short parts
/// do not pay off.
const PART_BY_CLUSTER: f64 = 0.4;
/// Number of clusters over which this average is taken.
const SAMPLE: usize = 8;
/// Maximum number of such parts.
const MAX_PARTS: f64 = 16.0;
/// Maximum number of halvings of a part: links that slide closely along each other are crowded at all times.
const MAX_HALVINGS: u32 = 28;
/// The shortest part, in sub-intervals.
const SHORTEST: f64 = 1.0 / 1024.0;
/// Number of candidates searched before their items are tested for a certain contact.
const AT_ONCE: usize = 16;

/// The loads above which a part of a piece is crowded for a link with these candidates: see [`CROWD`].
pub(super) fn crowd(group: &[Candidate]) -> [usize; 2] {
    if group.len() < MANY { CROWD } else { CROWD_IN_FINE_SCENE }
}

/// The number of equal parts into which a sub-interval is cut from the beginning for a link with these candidates.
pub(super) fn n_parts(world: &CollisionWorld, moving: &MovingLink, group: &[Candidate], sub: u32) -> u32 {
    let travel_m = moving.travel_in(sub);
    if group.len() < MANY || travel_m <= PART_M {
        return 1;
    }
    let size_m = |i: usize| size_m(&world.scene.cluster_boxes[group[i * group.len() / SAMPLE].cluster as usize]);
    let average_m = (0..SAMPLE).map(size_m).sum::<f64>() / SAMPLE as f64;
    (travel_m / PART_M.max(PART_BY_CLUSTER * average_m)).ceil().min(MAX_PARTS) as u32
}

/// The motions that move the links.
#[derive(Clone, Copy, Debug)]
pub enum Courses<'a> {
    /// The bodies of robots in the world, one motion for each index of a piece's motion.
    World(&'a [RobotMotion]),
    /// Bodies in the frame of another one: the last body of a chain, whose index is listed for each body.
    Frame(&'a [RobotMotion], &'a [Option<u32>]),
}

impl<'a> Courses<'a> {
    /// The motion of a link in a piece, and its body there.
    fn of(&self, piece: &Piece, shape: &LinkGeometry) -> Option<Course<'a>> {
        match self {
            Self::World(motions) => Some(Course { motion: motions.get(piece.motion as usize)?, body: shape.body }),
            Self::Frame(chains, of_body) => {
                let motion = &chains[(*of_body.get(shape.body as usize)?)? as usize];
                Some(Course { motion, body: (motion.joints.len() as u32).checked_sub(1)? })
            }
        }
    }
}

/// The motion of one link.
#[derive(Clone, Copy)]
struct Course<'a> {
    motion: &'a RobotMotion,
    body: u32,
}

impl Course<'_> {
    /// The pose between two times; its ball contains the margin.
    fn part(&self, [from, until]: [f64; 2], margin_m: f64) -> Part {
        let mid = 0.5 * (from + until);
        let h = (until - mid).max(mid - from);
        let model = self.motion.body_bound(self.body, mid, h);
        let ball = [(model.ball[0] + margin_m) * (1.0 + 4.0 * f64::UNIT), model.ball[1]];
        (PoseBound::Taylor(model).with_ball(ball), h)
    }
}

/// Times within a piece.
struct Clock<'a>(&'a Piece);

impl Clock<'_> {
    fn sub_length(&self) -> f64 {
        2.0 * self.0.half_sub()
    }

    /// The sub-intervals that have times between two.
    fn subs(&self, [from, until]: [f64; 2]) -> Range<u32> {
        let at = |t: f64| (t - self.0.t0) / self.sub_length();
        let first = (at(from).floor().max(0.0) as u32).min(self.0.subs - 1);
        first..(at(until).ceil() as u32).clamp(first + 1, self.0.subs)
    }

    /// The slice, counted over the motion, that ends after a time.
    fn slice_until(&self, t: f64) -> u32 {
        let slices = ((t - self.0.t0) / self.sub_length() * f64::from(SLICES)).ceil();
        self.0.index * self.0.slices() + (slices.max(1.0) as u32).min(self.0.slices()) - 1
    }

    /// The slice of a sub-interval that contains a time.
    fn slice_in(&self, sub: u32, t: f64) -> u32 {
        let slice = ((t - self.0.t0) / self.sub_length() - f64::from(sub)) * f64::from(SLICES);
        (slice.floor().max(0.0) as u32).min(SLICES - 1)
    }

    /// The end of a slice counted over the motion.
    fn end_of(&self, slice: u32) -> f64 {
        let in_piece = slice.saturating_sub(self.0.index * self.0.slices());
        self.0.t0 + f64::from(in_piece.min(self.0.slices()) + 1) * self.sub_length() / f64::from(SLICES)
    }
}

/// A part of a piece that is not searched yet.
struct Pending {
    /// Its start and end.
    times: [f64; 2],
    /// Its candidates, as a range of a list.
    near: Range<usize>,
    /// Number of halvings in a row that led to this part without finding a contact.
    misses: usize,
    /// True if a contact is certain at its end: its middle is tested before it is searched.
    ends_in_contact: bool,
}

impl Pending {
    /// A number of equal parts with the same candidates, the latest first.
    fn parts([from, until]: [f64; 2], n: u32, near: Range<usize>) -> Vec<Self> {
        let at = |k: u32| if k == n { until } else { from + f64::from(k) / f64::from(n) * (until - from) };
        let part = |k: u32| Self { times: [at(k), at(k + 1)], near: near.clone(), misses: 0, ends_in_contact: false };
        (0..n).rev().map(part).collect()
    }

    fn middle(&self) -> f64 {
        0.5 * (self.times[0] + self.times[1])
    }

    /// The part before a certain contact.
    fn before(&self, contact: f64) -> Self {
        Self { times: [self.times[0], contact], near: self.near.clone(), misses: 0, ends_in_contact: true }
    }

    /// The halves of a part whose middle has no certain contact, the later one first. Both are searched before their
    /// middles are tested.
    fn halves(&self) -> [Self; 2] {
        let half = |times, misses| Self { times, near: self.near.clone(), misses, ends_in_contact: false };
        // If the part ends in a contact, so does its later half.
        let later_misses = self.misses + usize::from(!self.ends_in_contact);
        let [from, until] = self.times;
        [half([self.middle(), until], later_misses), half([from, self.middle()], self.misses + 1)]
    }

    /// The load above which the part is crowded.
    fn room(&self) -> usize {
        CROWD_OF_HALF[self.misses.min(CROWD_OF_HALF.len() - 1)]
    }
}

/// The result of a search in a part.
enum Searched {
    /// All pairs that may touch were found.
    Completely,
    /// Later times are unnecessary: a contact is certain at the end, or any pair is enough.
    UntilContact,
    /// There are too many items.
    Crowded,
}

/// A link whose part of a piece is crowded.
struct Crowd<'a, 'm> {
    world: &'a CollisionWorld,
    /// The links being searched, and the index of this one.
    links: &'a [MovingLink<'m>],
    place: u32,
    course: Course<'a>,
}

impl Work<'_, '_> {
    /// Searches the part of a piece that consists of the sub-intervals in `slab` for one link, cut into a number of
    /// equal parts, each of which is halved while it is crowded. Returns `None` if the link's motion is not known,
    /// `Some(None)` if there are too many pairs.
    pub(super) fn halve_time(
        &mut self,
        input: &Input,
        place: usize,
        group: &[Candidate],
        (slab, n_parts): (u32, u32),
        found: &mut Found,
    ) -> Option<Option<()>> {
        let moving = &self.links[place];
        let course = input.courses?.of(moving.piece, moving.shape)?;
        // The items collected so far may already contain an earlier contact.
        if self.finish(input.world, found).is_none() {
            return Some(None);
        }
        let crowd = Crowd { world: input.world, links: &self.links, place: place as u32, course };
        Some(crowd.search(self.space, group, (slab, n_parts), found))
    }
}

impl<'m> Crowd<'_, 'm> {
    fn moving(&self) -> &MovingLink<'m> {
        &self.links[self.place as usize]
    }

    /// Searches the sub-intervals in `slab`, cut into a number of parts. Returns `None` if there are too many pairs, or
    /// if a contact at the start decides the motion.
    fn search(
        &self,
        space: &mut Workspace,
        group: &[Candidate],
        (slab, n_parts): (u32, u32),
        found: &mut Found,
    ) -> Option<()> {
        let (piece, clock) = (self.moving().piece, Clock(self.moving().piece));
        let may_end = space.may_end(piece, slab);
        let sub = |k: u32| piece.t0 + f64::from(k) * clock.sub_length();
        let mut near = group.to_vec();
        if may_end && self.touching_at(space, &near, piece.t0, ROOM_AT_START, found).is_some() {
            space.starts_in_contact = true;
            return None;
        }
        let (times, [with_contact, without]) = ([sub(slab.trailing_zeros()), sub(slab.ilog2() + 1)], crowd(group));
        if n_parts > 1 {
            let (pose, wanted) = self.enter(space, times);
            self.add_near(space, (&pose, wanted), 0..group.len(), &mut near, found);
            let open = Pending::parts(times, n_parts, group.len()..near.len());
            return self.search_all(space, near, open, without, found);
        }
        let mut whole = Pending { times, near: 0..near.len(), misses: 0, ends_in_contact: false };
        if let Some(item) = self.touching_at(space, &near, times[1], with_contact, found) {
            let contact = self.first_contact(&item, times);
            found.lower(piece, clock.slice_until(contact));
            whole = whole.before(contact);
        } else {
            let (pose, wanted) = self.enter(space, times);
            if self.descend(space, &near, (&pose, wanted), without, found) {
                return space.refine_items(self.world, self.links, found);
            }
            space.items.clear();
        }
        let room = whole.room();
        self.search_all(space, near, vec![whole], room, found)
    }

    /// Searches parts of a piece, the last of the list first, halving those that are crowded; `near` contains their
    /// candidates. Until a part is halved, parts with loads above `room_at_first` are crowded. Returns `None` if there
    /// are too many pairs.
    fn search_all(
        &self,
        space: &mut Workspace,
        mut near: Vec<Candidate>,
        mut open: Vec<Pending>,
        room_at_first: usize,
        found: &mut Found,
    ) -> Option<()> {
        let (piece, clock) = (self.moving().piece, Clock(self.moving().piece));
        let mut halvings = 0;
        while let Some(mut part) = open.pop() {
            let limit = found.limit(piece);
            part.times[1] = part.times[1].min(if limit == u32::MAX { f64::INFINITY } else { clock.end_of(limit) });
            let [from, until] = part.times;
            if from >= until {
                // It is beyond the limit, or empty by rounding.
                continue;
            }
            near.truncate(part.near.end);
            let first = near.len();
            let (pose, wanted) = self.enter(space, part.times);
            self.add_near(space, (&pose, wanted), part.near, &mut near, found);
            part.near = first..near.len();
            let can_halve = halvings < MAX_HALVINGS && until - from > SHORTEST * clock.sub_length();
            let room = match (can_halve, halvings) {
                (false, _) => usize::MAX,
                (true, 0) => room_at_first,
                (true, _) => part.room(),
            };
            if !(can_halve && part.ends_in_contact) {
                match self.search_part(space, &near[first..], (&pose, wanted), part.times, room, found)? {
                    Searched::Completely => continue,
                    Searched::UntilContact => break,
                    Searched::Crowded => {}
                }
            }
            halvings += 1;
            let middle = part.middle();
            match self.touching_at(space, &near[first..], middle, room, found) {
                Some(item) => {
                    let contact = self.first_contact(&item, [from, middle]);
                    found.lower(piece, clock.slice_until(contact));
                    open.clear();
                    open.push(part.before(contact));
                }
                None => open.extend(part.halves()),
            }
        }
        Some(())
    }

    /// The pose between two times, and the sub-intervals that have such times, as a mask. Discards the boxes of nodes.
    fn enter(&self, space: &mut Workspace, times: [f64; 2]) -> (Part, u32) {
        space.boxes.clear(self.moving().shape.tree.nodes.len());
        let subs = Clock(self.moving().piece).subs(times);
        (self.course.part(times, self.moving().margin_m), ((1u32 << subs.len()) - 1) << subs.start)
    }

    /// Searches between two times. The part may be crowded unless `room` is unlimited. Returns `None` if there are too
    /// many pairs.
    fn search_part(
        &self,
        space: &mut Workspace,
        near: &[Candidate],
        (pose, wanted): (&Part, u32),
        times: [f64; 2],
        room: usize,
        found: &mut Found,
    ) -> Option<Searched> {
        let clock = Clock(self.moving().piece);
        if !self.descend(space, near, (pose, wanted), room, found) {
            space.items.clear();
            return Some(Searched::Crowded);
        }
        if wanted.count_ones() > 1 {
            space.refine_items(self.world, self.links, found)?;
            return Some(Searched::Completely);
        }
        let left = self.separate(&mut space.items, pose);
        if left > FEW && room < usize::MAX {
            space.items.clear();
            return Some(Searched::Crowded);
        }
        let touches = self.take(&space.items, times, found)?;
        space.items.clear();
        if touches || (found.first_only && left > 0) {
            found.lower(self.moving().piece, clock.slice_until(times[1]));
            return Some(Searched::UntilContact);
        }
        Some(Searched::Completely)
    }

    /// Appends the candidates of a list that the link may touch during a part.
    fn add_near(
        &self,
        space: &mut Workspace,
        (part, wanted): (&Part, u32),
        of: Range<usize>,
        near: &mut Vec<Candidate>,
        found: &mut Found,
    ) {
        let (boxes, counts) = (&mut space.boxes, &mut found.counts);
        widest(Filter { world: self.world, moving: self.moving(), part, boxes, wanted, of, near, counts });
    }

    /// Collects the items of some candidates during a part. Returns false if there are more than `room`.
    fn descend(
        &self,
        space: &mut Workspace,
        group: &[Candidate],
        (pose, wanted): (&Part, u32),
        room: usize,
        found: &mut Found,
    ) -> bool {
        let Workspace { items, boxes, nodes: open, .. } = space;
        let (world, moving, place, counts) = (self.world, self.moving(), self.place, &mut found.counts);
        let room = &mut { room };
        widest(Descent { world, group, wanted, moving, pose, boxes, place, open, items, room, counts })
    }

    /// Removes the lanes of items that are separated during a part, and items without lanes. Returns the number of
    /// pairs of triangles that are left.
    fn separate(&self, items: &mut Vec<Item>, part: &Part) -> u32 {
        let mut left = 0;
        items.retain_mut(|item| {
            item.lanes &= !self.missed(item, part) as u8;
            left += item.lanes.count_ones();
            item.lanes != 0
        });
        left
    }

    /// The lanes of an item that are separated during a part.
    fn missed(&self, item: &Item, part: &Part) -> u32 {
        let standing = self.world.scene.standing(item.y as usize);
        if self.moving().margin_m > 0.0 {
            self.compare(item, part, standing).beyond
        } else {
            widest(Miss { shape: self.moving().shape, part, item, standing })
        }
    }

    fn compare(&self, item: &Item, part: &Part, standing: StaticTriangle<f64>) -> Proximity {
        let (mut found, standing) = (Proximity::default(), [standing]);
        let each = |_, proximity| found = proximity;
        let MovingLink { shape, margin_m, .. } = *self.moving();
        widest(Compare { shape, margin_m, part, leaf: item.leaf, standing: &standing, each });
        found
    }

    /// Returns whether triangles of an item certainly touch, or are within the margin, in a pose.
    fn touches(&self, item: &Item, part: &Part) -> bool {
        let standing = self.world.scene.standing(item.y as usize);
        if self.moving().margin_m > 0.0 {
            let near = self.compare(item, part, standing).near & u32::from(item.lanes);
            near != 0 && is_within_at(self.world, self.moving(), item, near.trailing_zeros(), &part.0)
        } else {
            widest(Meet { shape: self.moving().shape, part, item, standing }) & u32::from(item.lanes) != 0
        }
    }

    /// Records the pairs of some items, all in one sub-interval, between two times. Returns whether a contact is
    /// certain at the second one; `None` if there are too many pairs.
    fn take(&self, items: &[Item], times: [f64; 2], found: &mut Found) -> Option<bool> {
        let (clock, shape) = (Clock(self.moving().piece), self.moving().shape);
        let sub = clock.subs(times).start;
        let mask_slice = 1 << sub | clock.slice_in(sub, times[0]) << SUBS;
        for item in items {
            let first = shape.tree.leaf(item.leaf).start as u32;
            let mut lanes = item.lanes;
            while lanes != 0 {
                found.push(TrianglePair {
                    piece_link: self.moving().piece_link,
                    link_triangle: first + lanes.trailing_zeros(),
                    scene_triangle: item.y,
                    mask_slice,
                })?;
                lanes &= lanes - 1;
            }
        }
        let end = self.course.part([times[1]; 2], self.moving().margin_m);
        Some(items.iter().any(|item| self.touches(item, &end)))
    }

    /// An item with triangles that certainly touch at a time, if one is found. Candidates are searched a few at a time,
    /// each time until `room` is used up, so a contact may be overlooked. The items in `space` are discarded.
    fn touching_at(
        &self,
        space: &mut Workspace,
        near: &[Candidate],
        t: f64,
        room: usize,
        found: &mut Found,
    ) -> Option<Item> {
        let (pose, wanted) = self.enter(space, [t; 2]);
        let touching = near.chunks(AT_ONCE).find_map(|some| {
            space.items.clear();
            self.descend(space, some, (&pose, wanted), room, found);
            space.items.iter().find(|item| self.touches(item, &pose)).copied()
        });
        space.items.clear();
        touching
    }

    /// An early time at which an item certainly touches that touches at the second of two times.
    fn first_contact(&self, item: &Item, [mut from, mut contact]: [f64; 2]) -> f64 {
        for _ in 0..STEPS_OF_PAIR {
            let middle = 0.5 * (from + contact);
            match self.touches(item, &self.course.part([middle; 2], self.moving().margin_m)) {
                true => contact = middle,
                false => from = middle,
            }
        }
        contact
    }
}

/// Finds candidates that some child of the root of a link's tree may touch during a part.
struct Filter<'a, 'm> {
    world: &'a CollisionWorld,
    moving: &'a MovingLink<'m>,
    part: &'a Part,
    boxes: &'a mut NodeBoxes,
    wanted: u32,
    of: Range<usize>,
    near: &'a mut Vec<Candidate>,
    counts: &'a mut PairCounts,
}

impl Vectorised for Filter<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { world, moving, part, boxes, wanted, of, near, counts } = self;
        let link = LinkBox::<T>::new(moving.shape, part);
        for first in of.clone().step_by(WIDTH) {
            let some = first..of.end.min(first + WIDTH);
            let mut left = link.near(&world.scene, &near[some], wanted, counts);
            while left != 0 {
                let c = near[first + left.trailing_zeros() as usize];
                left &= left - 1;
                let of_cluster = &world.scene.cluster_boxes[c.cluster as usize];
                let around = [splat::<T>(of_cluster.lo), splat(of_cluster.hi)];
                if boxes.near_children((moving.shape, moving.margin_m), part, 0, around, &mut counts.bound_tests) != 0 {
                    near.push(c);
                }
            }
        }
    }
}

/// Finds the lanes of an item that are separated during a part.
struct Miss<'a> {
    shape: &'a LinkGeometry,
    part: &'a Part,
    item: &'a Item,
    standing: StaticTriangle<f64>,
}

impl Vectorised for Miss<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let points = leaf_points::<T>(self.shape, &self.part.0, self.item.leaf);
        triangle_misses(&points, &self.standing.broadcast::<T>(), T::new(self.part.1), u32::from(self.item.lanes))
    }
}

/// Finds the lanes of an item that certainly touch at the middle of a part.
struct Meet<'a> {
    shape: &'a LinkGeometry,
    part: &'a Part,
    item: &'a Item,
    standing: StaticTriangle<f64>,
}

impl Vectorised for Meet<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let points = leaf_points::<T>(self.shape, &self.part.0, self.item.leaf);
        triangles_meet(&points, &self.standing.broadcast::<T>())
    }
}
