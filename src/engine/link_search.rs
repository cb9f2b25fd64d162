//! Links against links during a motion, piece by piece, for both backends.

use super::{Options, Stats};
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::Piece;
use crate::stage::link_pairs::{self, Input, LinkTrianglePair, PairAtStart, Workspace};
#[cfg(feature = "gpu")]
use crate::stage::s1_concat;
use crate::stage::s1_concat::Poses;
#[cfg(feature = "gpu")]
use crate::stage::s2_bound;
use crate::stage::s2_bound::Boxes;
use crate::stage::s5_pairs::Limits;
use crate::stage::s6_solve::{InitialContactPolicy, MayTouch, Motions, SolveOptions, Solver};
use std::time::Instant;

/// The memory of the search, kept from one motion to the next.
#[derive(Debug, Default)]
pub(super) struct LinkSearch {
    space: Workspace,
    #[cfg(feature = "gpu")]
    poses: Poses,
    #[cfg(feature = "gpu")]
    boxes: Boxes,
}

impl LinkSearch {
    /// Starts a new motion.
    pub fn begin(&mut self, world: &CollisionWorld) {
        self.space.pairs.clear();
        if !world.frames.is_empty() {
            self.space.begin(world);
        }
    }

    /// See [`s5_pairs::Workspace::first_only`](crate::stage::s5_pairs::Workspace::first_only).
    pub fn set_first_only(&mut self, first_only: bool) {
        self.space.set_first_only(first_only);
    }

    /// See [`s5_pairs::Workspace::ends_at_start`](crate::stage::s5_pairs::Workspace::ends_at_start).
    pub fn set_ends_at_start(&mut self, ends_at_start: bool) {
        self.space.set_ends_at_start(ends_at_start);
    }

    /// Returns whether the last search ended early because links certainly touch at the start.
    pub fn starts_in_contact(&self) -> bool {
        self.space.starts_in_contact()
    }

    /// Uses a pair within the margin at the start as the answer, if one pair may decide the motion. Both memories must
    /// have begun the motion.
    pub fn decide_start(
        &mut self,
        solver: &mut Solver,
        (world, options): (&CollisionWorld, &SolveOptions),
        motion: &RobotMotion,
    ) -> bool {
        if !options.one_pair_may_decide_the_start() {
            return false;
        }
        let pair = link_pairs::first_at_start(&mut self.space, world, motion, options.margin_m);
        let motions = Motions { robot: motion, chains: &self.space.chains };
        match &pair {
            Some(PairAtStart::Scene(pair)) => solver.start_within(motions, std::slice::from_ref(pair)),
            Some(PairAtStart::Links(pair)) => {
                solver.start_within(motions, MayTouch { scene: &[], links: std::slice::from_ref(pair) })
            }
            None => false,
        }
    }

    /// The pairs found in the last piece, clipped to the motion's limit.
    pub fn pairs(&self) -> &[LinkTrianglePair] {
        &self.space.pairs
    }

    /// The motions of links in the frames of others.
    pub fn chains(&self) -> &[RobotMotion] {
        &self.space.chains
    }

    /// Number of items for which memory is allocated.
    pub fn capacity(&self) -> usize {
        self.space.capacity()
    }

    /// Finds the pairs in a piece with known boxes of the links. The limits have one entry; it is lowered by certain
    /// contacts. Returns false if there are more than `cap` pairs.
    pub fn search(
        &mut self,
        (world, options): (&CollisionWorld, &Options),
        (motion, piece): (&RobotMotion, &Piece),
        (poses, boxes, cap): (&Poses, &Boxes, usize),
        limits: &mut Limits,
        stats: &mut Stats,
    ) -> bool {
        if world.frames.is_empty() {
            return true;
        }
        let clock = Instant::now();
        let piece = &Piece { motion: 0, ..*piece };
        let input = Input { world, motion, piece, form: options.bound, poses, boxes, cap };
        // A contact that may be ignored later must not limit the others.
        let limited = (options.solve.initial == InitialContactPolicy::Report).then_some(&mut *limits);
        let (fits, counts) = link_pairs::search_in(&mut self.space, &input, limited);
        link_pairs::clip(&mut self.space.pairs, piece, limits[0]);
        stats.links.counts.add(counts);
        stats.links.seconds += clock.elapsed().as_secs_f64();
        fits
    }

    /// The same in a piece whose boxes are not known on the CPU.
    #[cfg(feature = "gpu")]
    pub fn search_alone(
        &mut self,
        of: (&CollisionWorld, &Options),
        (motion, piece): (&RobotMotion, &Piece),
        limits: &mut Limits,
        stats: &mut Stats,
    ) -> bool {
        if of.0.frames.is_empty() {
            return true;
        }
        let clock = Instant::now();
        let alone = [Piece { motion: 0, ..*piece }];
        s1_concat::reference_in(&mut self.poses, &alone, std::slice::from_ref(motion), of.1.bound);
        let (poses, mut boxes) = (std::mem::take(&mut self.poses), std::mem::take(&mut self.boxes));
        s2_bound::reference_in(&mut boxes, of.0, &alone, &poses);
        stats.links.seconds += clock.elapsed().as_secs_f64();
        let fits = self.search(of, (motion, piece), (&poses, &boxes, of.1.item_cap()), limits, stats);
        (self.poses, self.boxes) = (poses, boxes);
        fits
    }
}
