//! `s6_solve`: the exact stage (Redon et al. 2004, section 5.2), on the CPU in double precision with outward rounding.
//!
//! All pairs of a motion that earlier stages could not rule out are solved together, the earliest time first: the poses
//! of the links are bounded once per time interval and shared by all active pairs, every pair is contracted
//! ([`contraction`](crate::predicate::contraction)) to the times at which it can touch at all, and an upper bound on
//! the first contact, lowered by each proof of contact ([`piercing`](crate::predicate::piercing)), cuts off later
//! times. Removed times are proved free, so the earliest time that remains is a proved lower bound of the first
//! contact.

pub mod elementary;
mod equation;
mod guess;
mod options;
mod pair;
mod pairs;
mod paper;
mod record;
mod search;
mod side_by_side;

use super::link_pairs::LinkTrianglePair;
use super::{Piece, TrianglePair};
use crate::arith::linear::V3;
use crate::enclosure::pose_bound::TaylorModel;
use crate::predicate::contraction::Window;
use crate::scene::world::CollisionWorld;
use crate::verdict::{Certainty, Contact, ContactPoint, Obstacle, Undecided, UndecidedReason, Verdict};
use equation::EQUATIONS;
use options::PAPER_CAP;
pub use options::{InitialContactPolicy, Method, Mode, SolveCounts, SolveOptions};
pub use pair::Motions;
use pair::{Pair, Within};
use pairs::{BodyIn, PairSystem};
use paper::PaperSystem;
use search::{Active, Found, Search, System, Task};

/// Largest travel of a pair, metres, in a block of sub-intervals that are searched together. Longer blocks give windows
/// that exclude little, and shorter ones need more evaluations: in measurements in the machine room, values from 0.2 up
/// need a third fewer evaluations at 30°, and values from 0.5 up need more at 60°.
const BLOCK_M: f64 = 0.25;
/// Largest turn of a pair, radians, in such a block, so that the Taylor remainder is at most a few hundredths of the
/// travel.
const BLOCK_RAD: f64 = 1.0;

/// Solves one motion after the other with the same memory.
#[derive(Debug)]
pub struct Solver<'w> {
    world: &'w CollisionWorld,
    options: SolveOptions,
    counts: SolveCounts,
    verdict: Option<Verdict>,
    /// The earliest contact that is possible, while a proof is sought at later times.
    possible: Option<Contact>,
    /// True unless the motion is a later part of a longer one.
    is_start: bool,
    memory: Memory,
}

/// Shape, obstacle, their triangles in file order, time mask.
type OrderKey = (u32, Obstacle, [u32; 3]);

/// The pairs of triangles that may touch in a piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct MayTouch<'a> {
    /// Links against the scene.
    pub scene: &'a [TrianglePair],
    /// Links against links.
    pub links: &'a [LinkTrianglePair],
}

impl MayTouch<'_> {
    fn is_empty(&self) -> bool {
        self.scene.is_empty() && self.links.is_empty()
    }

    /// All pairs of triangles.
    fn all(&self) -> impl Iterator<Item = &TrianglePair> {
        self.scene.iter().chain(self.links.iter().map(|pair| &pair.pair))
    }
}

impl<'a> From<&'a [TrianglePair]> for MayTouch<'a> {
    fn from(scene: &'a [TrianglePair]) -> Self {
        Self { scene, links: &[] }
    }
}

impl<'a> From<&'a Vec<TrianglePair>> for MayTouch<'a> {
    fn from(scene: &'a Vec<TrianglePair>) -> Self {
        Self { scene, links: &[] }
    }
}

/// The triangles of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchingPair {
    /// Index of the link in [`CollisionWorld::links`].
    pub link: u32,
    /// Its triangle, in tree order.
    pub link_triangle: u32,
    /// Index of the frame of the other link in [`CollisionWorld::frames`]; `None` for the scene.
    pub frame: Option<u32>,
    /// The triangle of the scene or of the other link, in tree order.
    pub scene_triangle: u32,
}

/// Memory that the next solver, of any world, can reuse.
#[derive(Debug, Default)]
pub struct Memory {
    /// The triangles of the last contact.
    touching: Option<TouchingPair>,
    /// Pairs of link shape and obstacle that touch at the start of the current motion and are ignored.
    ignored: Vec<(u32, Obstacle)>,
    /// Keys of pairs in sorted order, with the index of each pair in the input.
    order: Vec<(OrderKey, u32)>,
    pairs: Vec<Pair>,
    poses: Vec<(BodyIn, TaylorModel<f64>)>,
    active: Vec<Active>,
    windows: Vec<Window<f64>>,
    search: Search,
}

impl Memory {
    /// The triangles of the contact that the last solver with this memory has found.
    pub fn touching(&self) -> Option<TouchingPair> {
        self.touching
    }

    /// Number of pairs for which memory is allocated.
    pub fn pairs(&self) -> usize {
        self.pairs.capacity()
    }

    /// Returns whether a pair of link shape and obstacle is ignored; for two link shapes, the lower index is first.
    pub fn is_ignored(&self, shape: u32, obstacle: Obstacle) -> bool {
        self.ignored.binary_search(&(shape, obstacle)).is_ok()
    }

    /// Removes the ignored pairs and the contact of the previous motion.
    pub fn forget_motion(&mut self) {
        self.ignored.clear();
        self.touching = None;
    }

    /// See [`Solver::ignored`], for the last motion of the previous solver with this memory, in the same world.
    pub fn ignored<'m>(&'m self, world: &'m CollisionWorld) -> impl Iterator<Item = (u32, Obstacle)> + 'm {
        let link = |shape: u32| world.links[shape as usize].link;
        self.ignored.iter().map(move |&(shape, obstacle)| {
            let obstacle = match obstacle {
                Obstacle::Link(shape) => Obstacle::Link(link(shape)),
                object => object,
            };
            (link(shape), obstacle)
        })
    }
}

impl<'w> Solver<'w> {
    /// Creates a solver for a world.
    pub fn new(world: &'w CollisionWorld, options: SolveOptions) -> Self {
        Self::within(Memory::default(), world, options)
    }

    /// Creates a solver that reuses memory.
    pub fn within(memory: Memory, world: &'w CollisionWorld, options: SolveOptions) -> Self {
        Self { world, options, counts: SolveCounts::default(), verdict: None, possible: None, is_start: true, memory }
    }

    /// Returns the solver's memory.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Returns the work since the last call, and resets it.
    pub fn take_counts(&mut self) -> SolveCounts {
        std::mem::take(&mut self.counts)
    }

    /// The pairs that were ignored in the last motion: index of the link in the robot, and obstacle.
    pub fn ignored(&self) -> impl Iterator<Item = (u32, Obstacle)> + '_ {
        self.memory.ignored(self.world)
    }

    /// Starts a new motion.
    pub fn begin(&mut self) {
        self.memory.ignored.clear();
        (self.verdict, self.possible, self.memory.touching) = (None, None, None);
        self.is_start = true;
        self.memory.search.begin();
    }

    /// Continues with a later part of the motion, as a separate motion: ignored pairs remain ignored, and a contact at
    /// the beginning of this part is not a contact at the start.
    pub fn go_on(&mut self) {
        (self.verdict, self.possible, self.memory.touching) = (None, None, None);
        self.is_start = false;
        self.memory.search.begin();
    }

    /// Returns whether the motion is not a later part of a longer one.
    pub fn is_start(&self) -> bool {
        self.is_start
    }

    /// The earliest possible contact of a piece, without a search: of the pairs that are not ignored, the first one
    /// among those that may touch earliest. Its place, if requested, is where the two are nearest at that time.
    pub fn earliest(&mut self, motions: Motions, piece: &Piece, pairs: MayTouch, is_placed: bool) -> Option<Contact> {
        self.prepare(&motions, piece, &pairs);
        let earlier =
            |a: usize, b: usize| if self.memory.pairs[b].earliest < self.memory.pairs[a].earliest { b } else { a };
        let first = (0..self.memory.pairs.len()).reduce(earlier)?;
        let pair = &self.memory.pairs[first];
        let is_placed = is_placed && self.options.mode == Mode::Toc;
        let place = is_placed.then(|| record::touches(self.world, &motions, pair, pair.earliest, false));
        Some(Contact::possible(pair.earliest, place.and_then(|points| points.first().copied())))
    }

    /// Solves the pairs of the next piece of the motion; pieces must be given in ascending order of time. Returns true
    /// if the answer is known, so that later pieces do not matter. After a contact that is only possible, later pieces
    /// are solved in search of a proof.
    pub fn feed<'m>(&mut self, motions: impl Into<Motions<'m>>, piece: &Piece, pairs: impl Into<MayTouch<'m>>) -> bool {
        if self.verdict.is_some() {
            return true;
        }
        let motions = &motions.into();
        self.prepare(motions, piece, &pairs.into());
        if piece.t0 == 0.0 && self.is_start {
            self.at_start(motions);
        }
        let speed = self.memory.pairs.iter().fold(0.0, |m: f64, p| m.max(p.speed(motions.of(p))));
        let relative = self.memory.pairs.iter().filter(|p| p.within.is_some());
        let omega = relative.fold(motions.robot.omega(), |m, p| m.max(motions.of(p).omega()));
        let [travel_m, turn_rad] = [speed, omega].map(|rate| 2.0 * piece.half_sub() * rate);
        let subs = piece.subs as usize;
        let fits = |n: &usize| *n as f64 * travel_m <= BLOCK_M && *n as f64 * turn_rad <= BLOCK_RAD;
        let n = (0..=piece.subs.ilog2()).map(|k| subs >> k).find(fits).unwrap_or(1);
        for first in (0..subs).step_by(n) {
            if self.verdict.is_some() {
                break;
            }
            self.block(motions, piece, first, n);
        }
        self.verdict.is_some()
    }

    /// Uses a pair within the margin at the start as the answer. Returns false if the pair is not certainly within the
    /// margin, or if the options require more than one pair.
    pub fn start_within<'m>(&mut self, motions: impl Into<Motions<'m>>, pair: impl Into<MayTouch<'m>>) -> bool {
        let motions = &motions.into();
        let Some(piece) = Piece::cut(0, motions.robot).next() else { return false };
        self.prepare(motions, &piece, &pair.into());
        let meets = self
            .memory
            .pairs
            .first()
            .is_some_and(|pair| pair.meets(&motions.of(pair).body_at::<0>(pair.body, 0.0), self.options.margin_m));
        if meets {
            self.start_with(motions, &[Active { item: 0, lo: 0.0, hi: 0.0 }]);
        }
        self.verdict.is_some()
    }

    /// For [`Mode::Verdict`]: uses a contact that is certain before the end of the slice `limit`, counted over the
    /// motion, as the answer; `u32::MAX` means that no contact is certain. `pairs` are those of the next piece. Returns
    /// true if the answer is known.
    pub fn certain<'m>(
        &mut self,
        motions: impl Into<Motions<'m>>,
        piece: &Piece,
        pairs: impl Into<MayTouch<'m>>,
        limit: u32,
    ) -> bool {
        let pairs = pairs.into();
        if self.options.mode == Mode::Toc || limit == u32::MAX || pairs.is_empty() {
            return false;
        }
        // Before this time, everything other than the pairs is proved free.
        let lo = pairs.all().fold(piece.t1, |t, p| p.earliest(piece).min(t));
        let hi = f64::from(limit) * (piece.t1 - piece.t0) / f64::from(piece.slices());
        let hi = hi + (piece.t1 - piece.t0) / f64::from(piece.slices());
        let mut initial_overlap = false;
        if lo == 0.0 && self.is_start {
            let at_start = |p: &&TrianglePair| p.earliest(piece) == 0.0;
            let scene: Vec<TrianglePair> = pairs.scene.iter().filter(at_start).copied().collect();
            let links: Vec<LinkTrianglePair> = pairs.links.iter().filter(|p| at_start(&&p.pair)).copied().collect();
            let motions = &motions.into();
            self.prepare(motions, piece, &MayTouch { scene: &scene, links: &links });
            initial_overlap = self.touch_at_start(motions);
        }
        let certified = hi - lo <= self.options.tolerance;
        let contact = Contact {
            toc: [lo.min(hi), hi],
            certainty: Certainty::new(true, certified),
            initial_overlap,
            inside: None,
            first: None,
            simultaneous: Vec::new(),
        };
        self.conclude(contact);
        true
    }

    /// Uses a contact as the answer. If it is only possible, it is kept until a later one is proved.
    fn conclude(&mut self, contact: Contact) {
        let earlier = self.possible.take();
        if !contact.is_proved() {
            self.possible = earlier.or(Some(contact));
            return;
        }
        let contact = match earlier {
            Some(earlier) => {
                let toc = [earlier.toc[0], contact.toc[1]];
                let certainty = Certainty::new(true, toc[1] - toc[0] <= self.options.tolerance);
                Contact { toc, certainty, ..earlier }
            }
            None => contact,
        };
        self.verdict = Some(Verdict::Contact(contact));
    }

    /// The answer, after all pieces that matter.
    pub fn finish(&mut self) -> Verdict {
        let known = self.verdict.take().or_else(|| self.possible.take().map(Verdict::Contact));
        known.unwrap_or(Verdict::Free)
    }

    /// The answer if the search ends early, and nothing touches before a time other than the contact that is possible.
    pub fn give_up(&mut self, clear_until: f64, reason: UndecidedReason) -> Verdict {
        self.possible.take().map_or(Verdict::Undecided(Undecided { clear_until, reason }), Verdict::Contact)
    }

    fn prepare(&mut self, motions: &Motions, piece: &Piece, may_touch: &MayTouch) {
        self.memory.order.clear();
        for (i, pair) in may_touch.all().enumerate() {
            let frame = i.checked_sub(may_touch.scene.len()).map(|i| may_touch.links[i].frame);
            let key = self.order_of(pair, frame);
            if !self.memory.ignored.contains(&(key.0, key.1)) {
                self.memory.order.push((key, i as u32));
            }
        }
        // The answer must not depend on the order of the input, and of equal contacts the first one in the order of the
        // files is reported.
        self.memory.order.sort_unstable();
        self.memory.pairs.clear();
        for &((shape, obstacle, _), i) in &self.memory.order {
            let of_links = (i as usize).checked_sub(may_touch.scene.len()).map(|i| &may_touch.links[i]);
            let p = of_links.map_or_else(|| &may_touch.scene[i as usize], |of_links| &of_links.pair);
            let within = of_links.map(|pair| Within { frame: pair.frame, chain: pair.chain });
            let mut pair = self.pair(piece, p, within, (shape, obstacle));
            if within.is_some() {
                // The chain ends with the link's body.
                pair.body = motions.of(&pair).joints.len() as u32 - 1;
            }
            self.memory.pairs.push(pair);
        }
        self.counts.pairs += self.memory.pairs.len() as u64;
    }

    /// The position of a pair in the order of the files. For a pair of links it does not depend on which one is at
    /// rest.
    fn order_of(&self, pair: &TrianglePair, frame: Option<u32>) -> OrderKey {
        let shape = pair.piece_link % self.world.links.len() as u32;
        let x = self.world.links[shape as usize].tree.order[pair.link_triangle as usize];
        let scene = frame.map_or(&self.world.scene, |frame| &self.world.frames[frame as usize].world.scene);
        let y = scene.tree.order[pair.scene_triangle as usize];
        match frame.map(|frame| self.world.frames[frame as usize].link) {
            None => (shape, Obstacle::Object(scene.object[pair.scene_triangle as usize]), [x, y, pair.mask_slice]),
            Some(fixed) if fixed < shape => (fixed, Obstacle::Link(shape), [y, x, pair.mask_slice]),
            Some(fixed) => (shape, Obstacle::Link(fixed), [x, y, pair.mask_slice]),
        }
    }

    /// A pair in the form that the solver uses.
    fn pair(&self, piece: &Piece, p: &TrianglePair, within: Option<Within>, of: (u32, Obstacle)) -> Pair {
        let moving = p.piece_link % self.world.links.len() as u32;
        let link = &self.world.links[moving as usize];
        let e = link.triangles[p.link_triangle as usize];
        let reach_m = e.iter().fold(0.0, |m: f64, v| m.max(v.length())) * (1.0 + 1e-12);
        let scene = within.map_or(&self.world.scene, |of| &self.world.frames[of.frame as usize].world.scene);
        let (e, tri) = (e.map(V3::new), scene.standing(p.scene_triangle as usize));
        Pair {
            shape: of.0,
            obstacle: of.1,
            moving,
            x: p.link_triangle,
            y: p.scene_triangle,
            within,
            mask: p.mask(),
            earliest: p.earliest(piece),
            e,
            reach_m,
            body: link.body,
            tri,
            is_flat: pair::is_flat(&e) || pair::is_flat(&tri.y),
        }
    }

    /// Handles pairs that touch at the start: they are reported, or ignored with all pairs of their link and object.
    fn at_start(&mut self, motions: &Motions) {
        if self.touch_at_start(motions) {
            let touching = std::mem::take(&mut self.memory.active);
            self.start_with(motions, &touching);
            self.memory.active = touching;
        }
    }

    fn start_with(&mut self, motions: &Motions, touching: &[Active]) {
        let pairs = || touching.iter().map(|a| a.item as usize);
        if self.options.initial == InitialContactPolicy::Ignore {
            self.memory.ignored.extend(pairs().map(|i| (self.memory.pairs[i].shape, self.memory.pairs[i].obstacle)));
            self.memory.ignored.sort_unstable();
            self.memory.ignored.dedup();
            let ignored = std::mem::take(&mut self.memory.ignored);
            self.memory.pairs.retain(|p| ignored.binary_search(&(p.shape, p.obstacle)).is_err());
            self.memory.ignored = ignored;
            return;
        }
        let meets = |i: &usize| {
            let pair = &self.memory.pairs[*i];
            pair.meets(&motions.of(pair).body_at::<0>(pair.body, 0.0), self.options.margin_m)
        };
        let piercing = pairs().find(meets);
        self.counts.proofs += touching.len() as u64;
        if let Some(i) = piercing {
            self.memory.search.contacts.clear();
            self.memory.search.contacts.extend(touching.iter().map(|a| (0.0, a.item)));
            let contact = self.record(motions, i, [0.0, 0.0], Certainty::Certified);
            self.verdict = Some(Verdict::Contact(Contact { initial_overlap: true, ..contact }));
        }
        // Otherwise they touch without piercing: the search finds them at time 0 and looks for a proof at later times.
        self.memory.search.initial_overlap = true;
    }

    /// Returns whether there are pairs that cannot be separated at the start; these become the active pairs.
    fn touch_at_start(&mut self, motions: &Motions) -> bool {
        let at_start = |p: &Pair| p.mask & 1 != 0 && p.earliest == 0.0;
        let of = |(i, _): (usize, &Pair)| Active { item: i as u32, lo: 0.0, hi: 0.0 };
        self.memory.active.clear();
        self.memory.active.extend(self.memory.pairs.iter().enumerate().filter(|(_, p)| at_start(p)).map(of));
        if self.memory.active.is_empty() {
            return false;
        }
        let (pairs, margin_m) = (&self.memory.pairs, self.options.margin_m);
        let mut system = PairSystem { motions: *motions, pairs, margin_m, poses: &mut self.memory.poses };
        system.bound(&self.memory.active, 0.0, 0.0);
        system.settle_all(&self.memory.active, 0.0, &mut self.memory.windows);
        let mut windows = self.memory.windows.iter();
        self.memory.active.retain(|_| windows.next().is_none_or(|w| w.lo <= w.hi));
        !self.memory.active.is_empty()
    }

    /// Searches `n` sub-intervals starting with `first`, each pair from its own first sub-interval among them to the
    /// last.
    fn block(&mut self, motions: &Motions, piece: &Piece, first: usize, n: usize) {
        let of_block = ((1u32 << n) - 1) << first;
        let active = self.memory.pairs.iter().enumerate().filter_map(|(i, p)| {
            let mask = p.mask & of_block;
            if mask == 0 {
                return None;
            }
            let [lo, _] = piece.sub(mask.trailing_zeros() as usize);
            let [_, hi] = piece.sub(mask.ilog2() as usize);
            let lo = p.earliest.max(lo);
            (lo < hi).then_some(Active { item: i as u32, lo, hi })
        });
        let mut all = std::mem::take(&mut self.memory.active);
        all.clear();
        all.extend(active);
        if !all.is_empty() {
            self.search(motions, &all);
        }
        self.memory.active = all;
    }

    fn search(&mut self, motions: &Motions, active: &[Active]) {
        let pair = |a: &Active| &self.memory.pairs[a.item as usize];
        let speed = active.iter().map(pair).fold(0.0, |m: f64, p| m.max(p.speed(motions.of(p))));
        let eps_t = self.options.tolerance.max(self.options.floor_m / speed).min(1.0);
        let cap = self.options.evaluation_cap + 16 * self.memory.pairs.len() as u64;
        let (pairs, margin_m, counts) = (&self.memory.pairs, self.options.margin_m, &mut self.counts);
        let proof_is_enough = self.options.mode == Mode::Verdict;
        let task = Task { eps_t, cap, proof_is_enough };
        let found = match self.options.method {
            Method::Jet => {
                let mut system = PairSystem { motions: *motions, pairs, margin_m, poses: &mut self.memory.poses };
                counts.items += active.len() as u64;
                self.memory.search.run(&mut system, &task, active, counts)
            }
            Method::Paper => {
                let n = EQUATIONS.len() as u32;
                let of = |a: &Active| {
                    (0..n).map({
                        let a = *a;
                        move |k| Active { item: n * a.item + k, ..a }
                    })
                };
                let active: Vec<Active> = active.iter().flat_map(of).collect();
                counts.items += active.len() as u64;
                let task = Task { cap: PAPER_CAP * cap, ..task };
                let found = self.memory.search.run(&mut PaperSystem::new(motions.robot, pairs), &task, &active, counts);
                // Several equations of a pair count as one pair that touches.
                self.memory.search.contacts.iter_mut().for_each(|c| c.1 /= n);
                self.memory.search.contacts.dedup_by_key(|c| c.1);
                match found {
                    Found::Contact { lo, first, proof } => Found::Contact { lo, first: first / n, proof },
                    Found::Capped { clear_until, proved_until } => {
                        Found::Capped { clear_until, proved_until: proved_until.map(|(i, t)| (i / n, t)) }
                    }
                    Found::Nothing => Found::Nothing,
                }
            }
        };
        let (pair, toc, certainty) = match found {
            Found::Nothing => return,
            Found::Capped { clear_until, proved_until: None } => {
                self.verdict = Some(self.give_up(clear_until, UndecidedReason::EvaluationCap));
                return;
            }
            Found::Capped { clear_until, proved_until: Some((pair, t)) } => {
                let certified = proof_is_enough && t - clear_until <= eps_t;
                (pair, [clear_until, t], Certainty::new(true, certified))
            }
            Found::Contact { lo, first, proof } => {
                let (hi, proved) = proof.map_or((1.0, false), |t| (t, true));
                let certified = proved && (hi - lo <= eps_t || self.is_short(motions, first as usize, [lo, hi]));
                (first, [lo, hi], Certainty::new(proved, certified))
            }
        };
        let contact = self.record(motions, pair as usize, toc, certainty);
        self.conclude(contact);
    }

    /// Returns whether a pair with varying speed travels at most the floor of the tolerance in an interval.
    fn is_short(&self, motions: &Motions, pair: usize, [lo, hi]: [f64; 2]) -> bool {
        let pair = &self.memory.pairs[pair];
        let motion = motions.of(pair);
        if motion.phases.is_empty() {
            return false;
        }
        let width = hi - lo;
        let acceleration = motion.chains[pair.body as usize].acceleration(pair.reach_m);
        let fastest = pair.points_at(motion, 0.5 * (lo + hi)).iter().fold(0.0, |m: f64, p| m.max(p.c[1].norm_bound()));
        width * (fastest + 0.5 * width * acceleration) <= self.options.floor_m
    }

    fn record(&mut self, motions: &Motions, pair: usize, toc: [f64; 2], certainty: Certainty) -> Contact {
        self.memory.touching = Some(self.memory.pairs[pair].triangles());
        let touches = |pair: usize, all| record::touches(self.world, motions, &self.memory.pairs[pair], toc[0], all);
        let initial_overlap = self.memory.search.initial_overlap && toc[0] == 0.0;
        if self.options.mode == Mode::Verdict {
            return Contact { toc, certainty, initial_overlap, inside: None, first: None, simultaneous: Vec::new() };
        }
        let first = touches(pair, false).first().copied();
        let mut simultaneous = Vec::new();
        if self.options.all_contacts {
            let others = self.memory.search.contacts.iter().map(|c| c.1 as usize).filter(|&i| i != pair);
            simultaneous = std::iter::once(pair).chain(others).flat_map(|pair| touches(pair, true)).collect();
            simultaneous.sort_by_key(ContactPoint::order);
            simultaneous.dedup();
        }
        Contact { toc, certainty, initial_overlap, inside: None, first, simultaneous }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Robot;
    use crate::scene::Scene;
    use glam::{DMat3, DVec3};

    #[test]
    fn a_search_that_ends_early_keeps_a_possible_contact() {
        let robot = Robot::new("robot", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
        let mut solver = Solver::new(&world, SolveOptions::default());
        let undecided = Verdict::Undecided(Undecided { clear_until: 0.75, reason: UndecidedReason::Memory });
        assert_eq!(solver.give_up(0.75, UndecidedReason::Memory), undecided);
        let [first, later] = [0.25, 0.5].map(|from| Contact::possible(from, None));
        solver.conclude(first.clone());
        solver.conclude(later);
        assert_eq!(solver.give_up(0.75, UndecidedReason::Memory), Verdict::Contact(first.clone()));
        solver.conclude(first);
        solver.begin();
        assert_eq!(solver.finish(), Verdict::Free);
    }
}
