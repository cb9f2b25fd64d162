//! `s6_solve`: the exact end (Redon et al. 2004, section 5.2), on the CPU in double precision with outward rounding.
//!
//! All pairs of a motion that earlier stages could not rule out are solved together, the earliest time first: the poses
//! of the links are bounded once per time interval and shared by all active pairs, every pair is contracted
//! (`contract`) to the times at which it can touch at all, and an upper bound on the first contact, lowered by each proof
//! of contact ([`meeting`](crate::numeric::meeting)), cuts off what comes later. What is removed is proved free; so the earliest time that remains
//! is a proved lower bound of the first contact.

mod contract;
pub mod elementary;
mod features;
mod record;
mod search;

use super::{Piece, SUBS, TrianglePair};
use crate::error::{Error, Result};
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::numeric::linear::V3;
use crate::numeric::separation::StandingTriangle;
use crate::verdict::{Contact, Reason, Undecided, Verdict};
use glam::DVec3;
use search::Search;

/// What to do with links that touch the scene at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// Report the contact.
    #[default]
    Report,
    /// Drop the pair of link and object for the whole motion.
    Ignore,
}

/// How exact the answers are to be, and how much work may be spent on one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// Largest width of a certified enclosure, as a share of the motion.
    pub tolerance: f64,
    /// Floor of the tolerance as a length, metres: no narrower enclosure is asked for than this divided by the speed.
    pub floor_m: f64,
    /// Evaluations of a pair over an interval that one motion may cost, beside sixteen for each of its pairs.
    pub evaluation_cap: u64,
    /// What to do with links that touch at the start.
    pub initial: Initial,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { tolerance: 1e-9, floor_m: 1e-11, evaluation_cap: 1 << 16, initial: Initial::Report }
    }
}

impl SolveOptions {
    /// Whether the options can be met.
    ///
    /// # Errors
    /// The tolerance is not above 0 and at most 1.
    pub fn check(&self) -> Result<()> {
        if self.tolerance > 0.0 && self.tolerance <= 1.0 {
            return Ok(());
        }
        Err(Error::usage(format!("a tolerance of {} is not between 0 and 1", self.tolerance)))
    }
}

/// What solving cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveCounts {
    /// Pairs that came in.
    pub pairs: u64,
    /// Time intervals for which poses were bounded.
    pub intervals: u64,
    /// Contractions of one pair over one interval.
    pub evaluations: u64,
    /// Proofs of contact tried.
    pub proofs: u64,
}

/// A pair with what the solver needs of it.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Sort key and identity: link shape, object, link triangle and scene triangle in tree order.
    shape: u32,
    object: u32,
    x: u32,
    y: u32,
    mask: u32,
    /// Nothing touches in this piece before this time.
    earliest: f64,
    /// The link's triangle in its body's frame, and a bound on its vertices' distance from the body's origin.
    e: [V3<f64>; 3],
    reach: f64,
    body: u32,
    tri: StandingTriangle<f64>,
}

/// Solves one motion after the other; keeps its memory.
#[derive(Debug)]
pub struct Solver<'w> {
    world: &'w World,
    options: SolveOptions,
    counts: SolveCounts,
    /// Pairs of link shape and object that touch at the start of the current motion and are ignored.
    ignored: Vec<(u32, u32)>,
    pairs: Vec<Pair>,
    search: Search,
    verdict: Option<Verdict>,
}

impl<'w> Solver<'w> {
    /// A solver for a world.
    pub fn new(world: &'w World, options: SolveOptions) -> Self {
        let (ignored, pairs) = (Vec::new(), Vec::new());
        Self {
            world,
            options,
            counts: SolveCounts::default(),
            ignored,
            pairs,
            search: Search::default(),
            verdict: None,
        }
    }

    /// What solving has cost so far.
    pub fn counts(&self) -> SolveCounts {
        self.counts
    }

    /// The pairs of link (in the robot) and object that were ignored in the last motion.
    pub fn ignored(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ignored.iter().map(|&(shape, object)| (self.world.links[shape as usize].link, object))
    }

    /// Starts a new motion.
    pub fn begin(&mut self) {
        self.ignored.clear();
        self.verdict = None;
        self.search.begin();
    }

    /// Takes the pairs of the next piece of the motion; pieces come in ascending order of time. True if the answer is
    /// known and later pieces do not matter.
    pub fn feed(&mut self, motion: &ModelMotion, piece: &Piece, pairs: &[TrianglePair]) -> bool {
        if self.verdict.is_some() {
            return true;
        }
        self.prepare(piece, pairs);
        if piece.t0 == 0.0 {
            self.at_start(motion);
        }
        for k in 0..SUBS {
            if self.verdict.is_some() {
                break;
            }
            self.sub_interval(motion, piece.sub(k), k);
        }
        self.verdict.is_some()
    }

    /// The answer, after all pieces that matter.
    pub fn finish(&mut self) -> Verdict {
        self.verdict.take().unwrap_or(Verdict::Free)
    }

    fn prepare(&mut self, piece: &Piece, pairs: &[TrianglePair]) {
        let n_links = self.world.links.len() as u32;
        self.pairs.clear();
        for p in pairs {
            let shape = p.piece_link % n_links;
            let object = self.world.scene.object[p.scene_triangle as usize];
            if self.ignored.contains(&(shape, object)) {
                continue;
            }
            let link = &self.world.links[shape as usize];
            let e = link.triangles[p.link_triangle as usize];
            let reach = e.iter().fold(0.0, |m: f64, v| m.max(v.length())) * (1.0 + 1e-12);
            self.pairs.push(Pair {
                shape,
                object,
                x: p.link_triangle,
                y: p.scene_triangle,
                mask: p.mask(),
                earliest: p.earliest(piece),
                e: e.map(V3::new),
                reach,
                body: link.body,
                tri: self.world.scene.standing(p.scene_triangle as usize),
            });
        }
        // The order in which pairs come must not matter.
        self.pairs.sort_by_key(|p| (p.shape, p.object, p.x, p.y));
        self.counts.pairs += self.pairs.len() as u64;
    }

    /// Pairs that touch at the very start: reported as such, or ignored with all of their link and object.
    fn at_start(&mut self, motion: &ModelMotion) {
        let mut touching: Vec<usize> = Vec::new();
        for (i, pair) in self.pairs.iter().enumerate() {
            if pair.mask & 1 != 0 && pair.earliest == 0.0 && search::touches_at(motion, pair, 0.0) {
                touching.push(i);
            }
        }
        if touching.is_empty() {
            return;
        }
        if self.options.initial == Initial::Ignore {
            self.ignored.extend(touching.iter().map(|&i| (self.pairs[i].shape, self.pairs[i].object)));
            self.ignored.sort_unstable();
            self.ignored.dedup();
            let ignored = std::mem::take(&mut self.ignored);
            self.pairs.retain(|p| ignored.binary_search(&(p.shape, p.object)).is_err());
            self.ignored = ignored;
            return;
        }
        let piercing = touching.iter().copied().find(|&i| search::meets_at(motion, &self.pairs[i], 0.0));
        self.counts.proofs += touching.len() as u64;
        if let Some(i) = piercing {
            let contact = self.record(motion, i, [0.0, 0.0], true, true);
            self.verdict = Some(Verdict::Contact(Contact { initial_overlap: true, ..contact }));
        }
        // Otherwise they touch without piercing: the search finds them at time 0 and looks for a proof later.
        self.search.initial_overlap = true;
    }

    fn sub_interval(&mut self, motion: &ModelMotion, [t0, t1]: [f64; 2], k: usize) {
        let active = self.pairs.iter().enumerate().filter(|(_, p)| p.mask >> k & 1 != 0 && p.earliest < t1);
        let active: Vec<search::Active> =
            active.map(|(i, p)| search::Active { pair: i as u32, lo: p.earliest.max(t0), hi: t1 }).collect();
        if active.is_empty() {
            return;
        }
        let speed = active.iter().fold(0.0, |m: f64, a| {
            let p = &self.pairs[a.pair as usize];
            m.max(motion.chains[p.body as usize].speed(p.reach))
        });
        let eps_t = self.options.tolerance.max(self.options.floor_m / speed).min(1.0);
        let cap = self.options.evaluation_cap + 16 * self.pairs.len() as u64;
        let task = search::Task { motion, pairs: &self.pairs, eps_t, cap, enough: usize::MAX };
        let found = self.search.run(&task, active, &mut self.counts);
        self.verdict = match found {
            search::Found::Nothing => None,
            search::Found::Capped { clear_until, proved_until: None } => {
                Some(Verdict::Undecided(Undecided { clear_until, reason: Reason::EvaluationCap }))
            }
            search::Found::Capped { clear_until, proved_until: Some((pair, t)) } => {
                Some(Verdict::Contact(self.record(motion, pair as usize, [clear_until, t], true, false)))
            }
            search::Found::Contact { lo, first, proof } => {
                let (hi, proved) = proof.map_or((1.0, false), |t| (t, true));
                let certified = proved && hi - lo <= eps_t;
                Some(Verdict::Contact(self.record(motion, first as usize, [lo, hi], proved, certified)))
            }
        };
    }

    fn record(&self, motion: &ModelMotion, pair: usize, toc: [f64; 2], proved: bool, certified: bool) -> Contact {
        let pair = &self.pairs[pair];
        let mut contact = record::contact(self.world, motion, pair, toc);
        contact.proved = proved;
        contact.certified = certified;
        contact.initial_overlap = self.search.initial_overlap && toc[0] == 0.0;
        contact.point = (DVec3::from_array(contact.point) + self.world.origin_m).to_array();
        contact
    }
}
